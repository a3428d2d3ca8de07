/* verb_tune.c - `sustain tune`: penalties tuned by gradient. This file has the options and the
 * order of things. */
#include "verb_tune.h"

#include <math.h>
#include <string.h>

#include "data_sense.h"
#include "page.h"
#include "progress.h"
#include "verbs.h"

/* ---- the order of things ---- */

static int create(tune_job *job) {
    const tune_data *data = &job->data;
    sustain_tune_options options = sustain_tune_defaults();
    options.model = &data->model;
    options.from_x_0 = data->benchmark;
    options.seed = job->given->run.seed;
    if (job->given->run.solver != NULL) options.solver = job->given->run.solver;
    options.watched = data->watched.set != NULL ? &data->watched.rows : NULL;
    options.test = data->test.set != NULL ? &data->test.rows : NULL;
    const sustain_rows *validation = data->fold != NULL ? &data->training.rows : &data->validation.rows;
    const int code =
        refused(job->run.context, sustain_tune_create(job->run.context, &options, &data->training.rows, validation, &job->tune));
    return code == EXIT_DONE ? run_options_apply(job->run.context, &job->given->run, sustain_tune_solver(job->tune)) : code;
}

/* The solver, on a form of penalty that was given. */
static int tune_given(tune_job *job) {
    sustain_memory memory = {.size = sizeof memory};
    int code = create(job);
    if (code == EXIT_DONE) code = run_check_memory(&job->run, sustain_tune_memory(job->tune, &memory), &memory);
    if (code != EXIT_DONE) return code;
    job->run.stopping = sustain_tune_stopping(job->tune);
    run_options_limit(&job->given->run, &job->run.stopping);
    code = run_make_folder(&job->run, tune_data_json(&job->data));
    if (code == EXIT_DONE) code = tune_run(job);
    job->y = job->result.y;
    return code;
}

static int work(tune_job *job) {
    const tune_values *given = job->given;
    int code = tune_data_read(job->run.context, given, &job->data);
    bool silent = given->run.quiet || given->run.json;
    if (code == EXIT_DONE && *job->data.about_loss != '\0') note_log(&silent, job->data.about_loss);
    if (code == EXIT_DONE) code = data_sense(job->data.training.set, &job->data.training.rows, tune_is_number(job->data.model.loss));
    if (code == EXIT_DONE) code = job->data.select ? tune_select(job) : tune_given(job);
    if (code == EXIT_DONE) {
        job->run.total_seconds = lab_clock() - job->run.begun;
        code = tune_files(job);
    }
    if (code != EXIT_DONE) return code;
    if (given->run.json) return print_json(job->data.select ? tune_select_json(job) : tune_json(job));
    (job->data.select ? tune_select_summary : tune_summary)(job);
    return given->run.plot ? page_plot(job->run.context, given->run.out) : EXIT_DONE;
}

static int run(sustain_context *context, const void *values) {
    tune_values given = *(const tune_values *)values;
    tune_job job = {.given = &given};
    int code = run_set_up(&job.run, context, &verb_tune, &given, given.features != NULL || given.dataset != NULL);
    if (code == EXIT_DONE) code = work(&job);
    sustain_tune_destroy(job.tune);
    sustain_select_destroy(job.selection);
    tune_data_free(&job.data);
    run_tear_down(&job.run);
    return code;
}

/* ---- options ---- */

#define VALUES tune_values

static const option options[] = {
    FILE_ROW("features", features,
             "the rows: LIBSVM, CSV, NPY, NPZ, IDX, recognized by content; also with gzip or bzip2. Sparse rows stay sparse"),
    FILE_ROW("labels", labels, "their labels, or numbers to predict; not needed if the file above has them"),
    FILE_ROW("valid", valid, "rows to choose the penalties by"),
    FILE_ROW("valid-labels", valid_labels, "their labels"),
    NUMBER_ROW(
        "valid-fraction", valid_fraction, "F", NAN, 0.01, 0.9,
        "without --valid: choose by this share of the rows, drawn at random, not by cross-validation; with a solver the default is 0.2"),
    COUNT_ROW(
        "folds", folds, "N", 0, 0, SUSTAIN_REGTUNE_FOLDS,
        "cross-validation with N folds; in the end the model is fitted to all rows. 0: chosen by the number of rows; with a solver: none"),
    FILE_ROW("test", test, "rows to measure the model with; nothing is chosen by them"),
    FILE_ROW("test-labels", test_labels, "their labels"),
    TEXT_ROW("label-column", label_column, "NAME", "CSV: the column with the labels, by name or by number from 1"),
    TABLE_ROWS(table),
    MISSING_LABELS_ROW(table),
    TEXT_ROW(
        "dataset", dataset, "NAME",
        "ijcnn1: a fifth of its training file is for validation, its test file for testing; ijcnn1-benchmark: the public benchmark's form, "
        "validation on the test file, no intercept, from x = 0; covtype-benchmark: softmax, a penalty for each class, features scaled, a "
        "fifth of the rows for testing and a fifth of the others for validation"),
    FOLDER_ROW("data-dir", data_dir, NULL, "where to look for it; default: the variable SUSTAIN_DATA, and the folders of the system"),
    CHOICE_ROW(
        "penalty", penalty, 0, "auto|feature|group|class|single|l1|elastic-net",
        "auto selects how many different penalties there are, by rows that were not used for tuning, and fits the model to all rows. l1 "
        "(the "
        "lasso) and elastic-net make weights 0; their strength is chosen by cross-validation. The others fix what a penalty belongs to "
        "and tune all of them by gradient, with a solver"),
    FILE_ROW("groups", groups, "the group of each feature, one a line, or an NPY file; default: the features of a column are a group"),
    FILE_ROW("penalty-factors", factors,
             "with --penalty auto, l1 or elastic-net: a factor of each feature's penalty, one a line; 0: not penalized"),
    FILE_ROW(
        "weights", weights,
        "with --penalty auto, l1 or elastic-net: a positive weight of each training row, one a line; or the word balanced: all classes "
        "have the same total weight"),
    CHOICE_ROW(
        "loss", loss, 0, "auto|logistic|softmax|squared|huber|poisson",
        "auto: logistic for two classes, softmax for more, squared where the labels are numbers of more than 20 different values or "
        "fractions. huber is squared up to a threshold, then linear; poisson is for counts, and the model is that of the logarithm of "
        "their mean: 'sustain predict' gives the mean"),
    NUMBER_ROW("huber-threshold", huber_threshold, "E", NAN, 1e-30, 1e30,
               "with --loss huber: the error up to which the loss is squared; default: 1.345 times a robust standard deviation of the "
               "errors in cross-validation; with a solver 1"),
    CHOICE_ROW("splines", splines, 0, "auto|off",
               "with --penalty auto: auto tries a model that is piecewise linear in each feature as well (dense rows); off: the model is "
               "linear in the features"),
    CHOICE_ROW(
        "fourier", fourier, 0, "auto|off",
        "where splines are tried: auto tries random Fourier features as well, which model interactions of features; off: no interactions"),
    CHOICE_ROW("intercept", intercept, 1, "off|on", "whether the model has a bias; no penalty acts on it"),
    NUMBER_ROW("floor", floor, "F", 1e-6, 0, 1e6, "added to every penalty, floor + exp(x): makes the lower level strongly convex"),
    CHOICE_ROW("standardize", standardize, 0, "auto|on|off",
               "scale each feature to mean 0 and standard deviation 1 (sparse: to at most 1): where needed, always or never"),
};

static const option_section sections[] = {{"features", "Data"},
                                          {"text-column", "Columns of CSV files"},
                                          {"dataset", "Experiments"},
                                          {"penalty", "Model and penalties"},
                                          {"solver", "Solver, limits and output"},
                                          {NULL, NULL}};

static const example examples[] = {
    {"sustain tune --features train.csv --label-column y --test test.csv --out run",
     "a table: penalties are selected, the model is fitted to all rows"},
    {"sustain tune --features a.libsvm --out run --json", "sparse rows; the result for a program to read"},
    {"sustain tune --features a.csv --label-column y --penalty-factors factors.txt --weights balanced --out run",
     "factors of penalties; classes of equal total weight"},
    {"sustain tune --features a.csv --label-column y --penalty elastic-net --out run",
     "absolute and quadratic penalties: few features are used"},
    {"sustain tune --features a.libsvm --penalty feature --solver hoag --out run",
     "a penalty for every feature, by a solver, on a fifth of the rows"},
    {"sustain tune --dataset ijcnn1-benchmark --out run", "the public benchmark: an optimization problem"},
};

const verb verb_tune = {
    .name = "tune",
    .summary = "fit a linear model and tune its penalties",
    .about =
        "Fits a linear model with a quadratic penalty on every feature and chooses the penalties. By default (--penalty auto) it also "
        "chooses "
        "how many different ones there are: one for all features, by the scale of features, by their weights, one for each group, or "
        "one for each "
        "feature; whether effects are nonlinear (linear splines), and whether features interact (random Fourier features). "
        "Each candidate is judged by rows that were not used "
        "to tune it, the simplest within one standard error of the best is "
        "selected (splines and Fourier features only where they are better by 1.5 standard errors), and the model is fitted to all rows. "
        "Writes to the folder of "
        "the run penalties.csv, coefficients.csv, "
        "model.safetensors for 'sustain predict', model.liblinear in LIBLINEAR's text format (of linear models), result.json and "
        "report.html.\n"
        "With --penalty l1 or elastic-net absolute penalties set weights to 0; their strength is chosen in the same way.\n"
        "With --penalty feature, group, class or single all penalties are tuned at once by a solver, by the gradient of the "
        "validation loss. The result is compared with the best single penalty on a path of 20, no penalty, and a constant tiny one.",
    .shared = run_options,
    .shared_count = RUN_OPTION_COUNT,
    .sections = sections,
    VERB_PARTS(tune_values),
};

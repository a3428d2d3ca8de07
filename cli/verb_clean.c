/* verb_clean.c - `sustain clean`: finds wrong labels. This file has the options and the order of
 * things. */
#include "verb_clean.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data_sense.h"
#include "page.h"
#include "progress.h"
#include "verbs.h"

/* ---- the order of things ---- */

/* "f1", "precision=0.9", "recall=0.95", "count=100" or "rate". */
static int read_flag(const char *text, sustain_clean_options *options) {
    static const char *const words[] = {"f1", "precision=", "recall=", "count=", "rate"};
    char *end = NULL;
    for (int i = 0; i < COUNT_OF(words); i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(text, words[i], length) != 0) continue;
        const bool valued = words[i][length - 1] == '=';
        options->flag = (sustain_clean_flag)i;
        options->flag_value = valued ? strtod(text + length, &end) : 0;
        if (valued ? end != text + length && *end == '\0' : text[length] == '\0') return EXIT_DONE;
    }
    return complain(EXIT_USAGE, "--flag is f1, precision=P, recall=R, count=N or rate, not '%.60s'", text);
}

/* Where no solver is used, a name that is mistyped is refused all the same. */
static int check_solver_name(const char *name) {
    const char *names[64];
    int count = 0;
    if (name == NULL || strcmp(name, "auto") == 0) return EXIT_DONE;
    for (; count < sustain_solver_count() && count < COUNT_OF(names); count++) {
        names[count] = sustain_solver_at(count)->name;
        if (strcmp(name, names[count]) == 0) return EXIT_DONE;
    }
    return complain_of_name("no algorithm is called", name, names, count, "'sustain solvers' lists them");
}

static int create(clean_job *job) {
    const clean_values *given = job->given;
    const clean_data *data = &job->data;
    sustain_clean_options options = sustain_clean_defaults();
    options.classes = data->training->classes;
    options.c = given->c;
    options.intercept = given->intercept == 1;
    options.seed = given->run.seed;
    options.batch = given->run.batch;
    if (given->run.solver != NULL) options.solver = given->run.solver;
    options.truth = clean_truth(data);
    options.test = data->test != NULL ? &data->test->rows : NULL;
    options.verified = data->verified;
    options.verified_drawn = data->drawn;
    options.verified_are = (sustain_verified_are)given->verified_are;
    options.pred_probs = data->pred_probs;
    options.pred_prob_count = data->pred_prob_count;
    if (data->trusted_pred_prob_count > 0) options.trusted_pred_probs = data->trusted_pred_probs;
    options.groups = data->groups != NULL ? data->groups->classes : 0;
    options.group = data->group;
    options.group_weights_only = given->group_weights_only;
    options.fit_rows = given->fit_rows;
    options.trusted_given = !isnan(given->trusted_fraction);
    options.ends_solver = true;
    if (given->group_weights_only && data->groups == NULL)
        return complain(EXIT_USAGE, "--group-weights-only needs the groups: --groups FILE or --group-column NAME");
    int code = read_flag(given->flag, &options);
    if (code != EXIT_DONE) return code;
    code = refused(job->run.context, sustain_clean_create(job->run.context, &options, &data->training->rows,
                                                          data->trusted != NULL ? &data->trusted->rows : NULL, &job->clean));
    sustain_solver *solver = code == EXIT_DONE ? sustain_clean_solver(job->clean) : NULL;
    if (solver != NULL)
        code = run_options_apply(job->run.context, &given->run, solver);
    else if (code == EXIT_DONE)
        code = check_solver_name(given->run.solver);
    if (code != EXIT_DONE) return code;
    sustain_memory memory = {.size = sizeof memory};
    return run_check_memory(&job->run, sustain_clean_memory(job->clean, &memory), &memory);
}

enum { WORST_FIRST = SUSTAIN_VERIFIED_WORST_FIRST, MIXED = SUSTAIN_VERIFIED_MIXED };

/* What the user must know of what was checked. */
static void warn(clean_data *data, const clean_values *given) {
    if (data->warning[0] != '\0') return;
    if (data->trusted == NULL && data->verified_count == 0)
        snprintf(data->warning, sizeof data->warning,
                 "no label is known to be right: nothing was verified and there are no trusted rows. The count is a guess without an "
                 "interval, too high where classes are hard to tell apart; check 200 rows drawn at random, as --next 200 lists them, and "
                 "give them "
                 "with --verified.");
    else if (data->verified_count > 0 && given->verified_are == WORST_FIRST)
        snprintf(
            data->warning, sizeof data->warning,
            "the verified rows are the worst ones and say little of the others: rows drawn at random would measure how many are wrong.");
    else if (data->verified_count > 0 && given->verified_are != SUSTAIN_VERIFIED_RANDOM && data->drawn == NULL)
        snprintf(data->warning, sizeof data->warning,
                 "the verified rows were not drawn at random: the estimate for the other rows comes from the fitted model alone.");
}

static int work(clean_job *job) {
    const clean_values *given = job->given;
    int code = clean_data_read(job->run.context, given, &job->data);
    if (code == EXIT_DONE) code = data_sense(job->data.training, &job->data.training->rows, false);
    if (code == EXIT_DONE) code = clean_check_annotations(job);
    if (code == EXIT_DONE) code = create(job);
    if (code != EXIT_DONE) return code;
    warn(&job->data, given);
    if (job->data.warning[0] != '\0') complain(EXIT_DONE, "warning: %s", job->data.warning);
    job->run.stopping = sustain_clean_stopping(job->clean);
    const int64_t iterations = job->run.stopping.iterations;
    run_options_limit(&given->run, &job->run.stopping);
    if (job->run.stopping.iterations == 0) job->run.stopping.iterations = iterations; /* --seconds ends a run early, never later */
    code = run_make_folder(&job->run, clean_data_json(&job->data));
    if (code == EXIT_DONE) code = clean_run(job);
    if (code == EXIT_DONE && given->group_weights_only) return clean_groups_alone(job);
    if (code == EXIT_DONE) {
        job->run.total_seconds = lab_clock() - job->run.begun;
        code = clean_choose_next(job);
        if (code == EXIT_DONE) code = clean_files(job);
    }
    if (code != EXIT_DONE) return code;
    if (given->run.json) return print_json(clean_json(job));
    clean_summary(job);
    return given->run.plot ? page_plot(job->run.context, given->run.out) : EXIT_DONE;
}

static int run(sustain_context *context, const void *values) {
    clean_values given = *(const clean_values *)values;
    clean_job job = {.given = &given};
    const bool data = given.features != NULL || given.dataset != NULL || given.pred_probs != NULL;
    if (given.reviewed != NULL || (given.next > 0 && !data))
        given.run.resume = true; /* the run is there: everything is computed from its last point */
    int code = run_set_up(&job.run, context, &verb_clean, &given, data);
    const bool drawn = given.verified != NULL || given.verified_column != NULL || given.verified_count > 0;
    if (given.reviewed != NULL && given.verified_are != MIXED) given.verified_are = drawn ? MIXED : WORST_FIRST;
    if (code == EXIT_DONE) code = work(&job);
    sustain_clean_destroy(job.clean);
    clean_data_free(&job.data);
    free(job.next);
    run_tear_down(&job.run);
    return code;
}

/* ---- options ---- */

#define VALUES clean_values

static const option options[] = {
    FILE_ROW("features", features,
             "the rows: IDX, NPY, NPZ, CSV, LIBSVM, CIFAR binary or packed, recognized by content; also gzipped; several as a list or a "
             "pattern"),
    FILE_ROW("labels", labels, "their labels, some of them wrong; not needed if the file above has them"),
    FILE_ROW("trusted", trusted, "rows whose labels are right"),
    FILE_ROW("trusted-labels", trusted_labels, "their labels"),
    FILE_ROW("test", test, "rows to measure the classifier with; nothing is trained on them"),
    FILE_ROW("test-labels", test_labels, "their labels"),
    TEXT_ROW("label-column", label_column, "NAME", "CSV: the column with the labels, by name or by number from 1"),
    TEXT_ROW("trusted-column", trusted_column, "NAME",
             "CSV, of the rows or of their labels: the column that has 1 in trusted rows and 0 in others"),
    FILE_ROW("verified", verified,
             "rows of the data whose label was checked: CSV with the columns row,label (rows from 0; the column of "
             "--id-column may stand for row), or one label a row, empty, NaN or -1 where not checked"),
    TEXT_ROW("verified-column", verified_column, "NAME", "CSV: the column with the checked labels, empty or -1 where not checked"),
    CHOICE_ROW("verified-are", verified_are, 0, "random|worst-first|mixed",
               "how verified rows were chosen: only rows drawn at random measure how many labels are wrong"),
    COUNT_ROW("verified-count", verified_count, "N", 0, 0, 1e15,
              "for an experiment: verify this many rows, drawn at random, by the right labels"),
    FILE_ROW("pred-probs", pred_probs,
             "probabilities of the classes by any model, each row predicted by a model that was not trained on it (out of fold): NPY or "
             "NPZ (rows, classes), or CSV with a column for each class, whose "
             "header may name the classes; several files with commas between them are combined"),
    FILE_ROW("trusted-pred-probs", trusted_pred_probs, "the same models on the trusted rows"),
    SWITCH_ROW("logits", logits, "these files have logits: take their softmax"),
    TEXT_ROW("class-names", class_names, "FILE|NAMES",
             "classes in the order of the columns of --pred-probs: a file with a name on each line, or names with commas between them"),
    FILE_ROW("groups", groups,
             "the group of each row, an annotator or a source: one a line, or an array; error rates of groups are in result.json"),
    TEXT_ROW("group-column", group_column, "NAME", "CSV: the column with the groups; it is not a feature"),
    FILE_ROW("annotations", annotations,
             "several labels for a row: CSV with the columns row,annotator,label; annotations.csv has the majority, Dawid and Skene's "
             "estimate and the suggestion of this run"),
    SWITCH_ROW("group-weights-only", group_weights_only,
               "a mixture of sources: learn a weight for each group such that a classifier does well on the trusted rows, write "
               "groups.csv, and stop"),
    FILE_ROW("reviewed", reviewed,
             "decisions.csv of the page of the run in --out: these rows become verified, and the rest is computed again"),
    COUNT_ROW("next", next, "N", 0, 0, 1e6,
              "write next.csv: N rows to check next, a fifth of them at random, the others most likely wrong; all at random while nothing "
              "is verified"),
    COUNT_ROW("fit-rows", fit_rows, "N", 1 << 18, 0, 1e15,
              "with more rows than this, classifiers are fitted on a sample of N rows and judge all of them; 0: fit on all rows"),
    FILE_ROW("truth", truth, "for an experiment: the right labels of all rows; scores are printed"),
    {.name = "flag",
     .type = OPTION_TEXT,
     .offset = offsetof(clean_values, flag),
     .argument = "RULE",
     .text = "f1",
     .help = "which labels to flag: f1 (as many as maximize the expected F1), precision=P, recall=R, count=N, or rate (as many as are "
             "estimated to be wrong)"},
    TABLE_ROWS(table),
    MISSING_LABELS_ROW(table),
    TEXT_ROW("dataset", dataset, "NAME", "a named data set instead of files, for an experiment: 'sustain data' lists them"),
    FOLDER_ROW("data-dir", data_dir, NULL, "where to look for it; default: the variable SUSTAIN_DATA, and the folders of the system"),
    TEXT_ROW("split", split, "N:M",
             "with --dataset: N rows to check, then M rows to draw trusted ones from; default: five sixths and one sixth"),
    COUNT_ROW("trusted-count", trusted_count, "N", 0, 0, 1e15, "use this many of the trusted rows, drawn at random; 0: all"),
    NUMBER_ROW("trusted-fraction", trusted_fraction, "F", NAN, 1e-6, 0.9,
               "without trusted rows: learn the weights with this share of the given labels, drawn at random, in their place; these rows "
               "are not judged, and the ranking does not use them"),
    NUMBER_ROW("noise", noise, "P", 0, 0, 1, "for an experiment: make this share of the labels wrong, and measure how many are found"),
    CHOICE_ROW("noise-kind", noise_kind, 0, "symmetric|pair|uniform",
               "another class, all equally likely; the next class; or any class, also the right one"),
    CHOICE_ROW("standardize", standardize, 0, "auto|on|off",
               "scale each feature to mean 0 and standard deviation 1: where needed, always or never"),
    TEXT_ROW("image-shape", image_shape, "HxW[xC]",
             "rows are pictures of this size, for the gallery; not needed for IDX, CIFAR and NPY of 3 or 4 axes"),
    {PLACED_ROW("pictures", pictures, OPTION_FILE,
                "pictures to show beside embeddings or probabilities, one for each row in the same order: a folder of PNG or JPEG files, a "
                "list of paths (.txt), or an array of pictures"),
     .argument = "FOLDER|FILE"},
    NUMBER_ROW("c", c, "C", 0.001, 1e-12, 1e6, "penalty of the classifier in the bilevel problem (its lower level): C |weights|^2"),
    CHOICE_ROW("intercept", intercept, 1, "off|on", "whether the classifiers have a bias"),
    SWITCH_ROW("coarse", coarse, "CIFAR-100: the 20 coarse labels"),
};

static const option_section sections[] = {{"features", "Data"},
                                          {"verified", "Checked rows"},
                                          {"pred-probs", "Probabilities of your own models"},
                                          {"groups", "Groups and annotators"},
                                          {"reviewed", "Review and flags"},
                                          {"text-column", "Columns of CSV files"},
                                          {"dataset", "Experiments"},
                                          {"standardize", "Features and classifiers"},
                                          {"solver", "Solver, limits and output"},
                                          {NULL, NULL}};

static const example examples[] = {
    {"sustain clean --features data.csv --label-column species --verified checked.csv --out run",
     "which labels in the column species are wrong? checked.csv has row,label of rows that you checked"},
    {"sustain clean --labels y.npy --pred-probs p.npy --verified checked.csv --out run",
     "the same with the probabilities of your own model"},
    {"sustain clean --features emb.npy --labels y.npy --trusted t.npy --trusted-labels ty.npy --out run",
     "the same with embeddings, and other rows whose labels are right"},
    {"sustain clean --dataset fashion-mnist --noise 0.4 --trusted-count 1000 --out run", "an experiment: 40 % of the labels made wrong"},
    {"sustain clean --out run --reviewed decisions.csv", "take what was decided on the page of the run"},
    {"sustain clean --out run --resume", "resume a run that was interrupted"},
};

const verb verb_clean = {
    .name = "clean",
    .summary = "find the wrong labels in a data set",
    .about =
        "Finds the labels that look wrong. It needs features (--features), probabilities of a model of yours (--pred-probs), or both. Rows "
        "whose labels are known to be right help: rows of the data that were checked (--verified), or trusted rows from elsewhere. "
        "Without them the number of wrong labels is only a guess. With them and with features, it learns a weight for every label such "
        "that a classifier trained with these weights does well on the trusted rows (data hyper-cleaning, a bilevel problem).\n"
        "Writes to the folder of the run: labels.csv with a suggestion, a weight, a quality and a probability for every label; issues.csv "
        "(the flagged ones, worst first); cleaned.csv, corrected.csv, model.safetensors for 'sustain predict', report.html, and what is "
        "needed to repeat or resume the run.\n"
        "Baselines are computed in the same run and printed beside the result.",
    .shared = run_options,
    .shared_count = RUN_OPTION_COUNT,
    .sections = sections,
    VERB_PARTS(clean_values),
};

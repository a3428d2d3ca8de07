/* tune_select.c - `sustain tune` where the form of the penalties is selected: the job, what it
 * says, its JSON object. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "model_rows.h"
#include "progress.h"
#include "verb_tune.h"

enum { BINS = 10, KNOTS = 10, WAVES = 128 };

/* ---- the job ---- */

static int stop(void *user) {
    (void)user;
    return interrupted();
}

static int create(tune_job *job) {
    const tune_data *data = &job->data;
    const sustain_regtune_options *m = &data->model;
    sustain_select_options options = sustain_select_defaults();
    options.loss = m->loss;
    options.classes = m->classes;
    options.intercept = m->intercept;
    if (m->folds > 0) options.folds = m->folds;
    options.groups = m->groups;
    options.group = m->group;
    options.factors = data->factor;
    options.scaling = data->scaling->factor;
    options.weights = data->weight;
    options.seed = job->given->run.seed;
    options.form = data->form;
    options.knots = job->given->splines == 0 ? KNOTS : 0;
    options.waves = job->given->splines == 0 && job->given->fourier == 0 ? WAVES : 0;
    if (!isnan(job->given->huber_threshold)) options.huber_threshold = job->given->huber_threshold;
    const sustain_rows *validation = data->validation.set != NULL ? &data->validation.rows : NULL;
    return refused(job->run.context, sustain_select_create(job->run.context, &options, &data->training.rows, validation, &job->selection));
}

/* What selection takes, and a block of test rows with knots and waves. */
static int check_memory(tune_job *job) {
    sustain_memory memory = {.size = sizeof memory};
    const sustain_status status = sustain_select_memory(job->selection, &memory);
    const sustain_rows *test = &job->data.test.rows;
    const double block = job->data.test.set != NULL && job->given->splines == 0
                             ? model_rows_bytes(test, KNOTS * test->dim + (job->given->fourier == 0 ? 2 * WAVES : 0))
                             : 0;
    memory.part[SUSTAIN_MEMORY_ROWS] += block, memory.bytes += block;
    return run_check_memory(&job->run, status, &memory);
}

/* A model that is measured on test rows: the mean loss and accuracy so far. */
typedef struct measured {
    tune_job *job;
    const double *y;
    double loss, accuracy;
} measured;

static int measure_block(void *user, const sustain_rows *block, int64_t first) {
    measured *m = user;
    double loss, accuracy;
    if (sustain_select_score(m->job->selection, block, m->y, &loss, &accuracy) != SUSTAIN_OK) return run_failed(&m->job->run);
    const double share = (double)block->count / (double)(first + block->count);
    m->loss += share * (loss - m->loss);
    m->accuracy += share * (accuracy - m->accuracy);
    return EXIT_DONE;
}

/* The loss and the accuracy of a model on test rows; knots and waves NULL: it has none. */
static int measure(tune_job *job, const double *y, const sustain_splines *splines, const sustain_fourier *fourier, int place) {
    measured m = {.job = job, .y = y};
    const int code = model_rows_visit(job->run.context, splines, fourier, &job->data.test.rows, measure_block, &m);
    job->test_loss[place] = m.loss, job->test_accuracy[place] = m.accuracy;
    return code;
}

static int measure_both(tune_job *job) {
    for (int i = 0; i < 2; i++) job->test_loss[i] = job->test_accuracy[i] = NAN;
    if (job->data.test.set == NULL) return EXIT_DONE;
    const int code = measure(job, job->selected.y, job->selected.splines, job->selected.fourier, 0);
    return code == EXIT_DONE ? measure(job, job->selected.single_y, NULL, NULL, 1) : code;
}

int tune_select(tune_job *job) {
    sustain_context *context = job->run.context;
    char path[LONGEST_PATH];
    int code = create(job);
    if (code == EXIT_DONE) code = check_memory(job);
    if (code == EXIT_DONE) code = run_make_folder(&job->run, tune_data_json(&job->data));
    if (code != EXIT_DONE) return code;
    run_path(job->given->run.out, "result.json", path);
    remove(path); /* there is none before the end */
    sustain_context_set_log(context, progress_log, NULL);
    sustain_context_set_cancel(context, stop, NULL);
    sustain_context_phase(context, SUSTAIN_PHASE_FITS);
    const sustain_status status = sustain_select_run(job->selection, &job->selected);
    sustain_context_phase(context, SUSTAIN_PHASE_OTHER);
    sustain_context_set_cancel(context, NULL, NULL);
    sustain_context_set_log(context, NULL, NULL);
    progress_clear();
    if (status == SUSTAIN_CANCELLED) return run_interrupted(&job->run, "");
    if (status != SUSTAIN_OK) code = run_failed(&job->run);
    job->y = job->selected.y;
    return code == EXIT_DONE ? measure_both(job) : code;
}

/* ---- calibration, on the rows left out ---- */

typedef struct bin {
    double predicted, observed, rows;
} bin;

/* What a row's scores say: the probability of the class that is most likely (two classes: of the
 * second), and whether it is right. */
static void judge(const tune_job *job, int64_t i, double *probability, bool *right) {
    const int64_t width = tune_width(job);
    const double *s = job->selected.held_score + i * width;
    const tune_rows *part = i < job->data.training.rows.count ? &job->data.training : &job->data.validation;
    const int32_t label = part->rows.labels[i < job->data.training.rows.count ? i : i - job->data.training.rows.count];
    if (width == 1) {
        *probability = 1 / (1 + exp(-s[0]));
        *right = label == 1;
        return;
    }
    int64_t most = 0;
    double sum = 0;
    for (int64_t k = 1; k < width; k++) most = s[k] > s[most] ? k : most;
    for (int64_t k = 0; k < width; k++) sum += exp(s[k] - s[most]);
    *probability = 1 / sum;
    *right = label == most;
}

/* Ten bins of probability; returns the expected calibration error, NAN for numbers. */
static double calibrate(const tune_job *job, bin bins[BINS]) {
    double error = 0, rows = 0;
    memset(bins, 0, BINS * sizeof *bins);
    if (tune_is_number(job->data.model.loss)) return NAN;
    for (int64_t i = 0; i < job->selected.rows; i++) {
        double p;
        bool right;
        if (isnan(job->selected.held_loss[i])) continue;
        judge(job, i, &p, &right);
        bin *b = &bins[p < 1 ? (int)(p * BINS) : BINS - 1];
        b->predicted += p;
        b->observed += right;
        b->rows++;
        rows++;
    }
    for (int i = 0; i < BINS; i++) {
        if (bins[i].rows == 0) continue;
        error += fabs(bins[i].predicted - bins[i].observed) / rows;
        bins[i].predicted /= bins[i].rows;
        bins[i].observed /= bins[i].rows;
    }
    return error;
}

/* ---- for people ---- */

/* Features whose weights are all at most this share of the largest. */
static int64_t without_weight(const tune_job *job, double share) {
    const int64_t weights = tune_weights(job), width = tune_width(job);
    double largest = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < width * weights; k++) largest = fmax(largest, fabs(job->y[k]));
    for (int64_t j = 0; j < weights; j++) {
        double most = 0;
        for (int64_t k = 0; k < width; k++) most = fmax(most, fabs(job->y[k * weights + j]));
        count += most <= share * largest;
    }
    return count;
}

/* Digits after the point of losses of this size: prices have losses of nine digits. */
static int decimals(const tune_job *job) {
    const double size = fabs(job->selected.candidates[0].estimate);
    return size >= 1e5 ? 0 : size >= 10 ? 5 - (int)log10(size) : 5;
}

static void print_candidates(const tune_job *job) {
    static const char *const titles[] = {"", "loss", "+-", "difference to one penalty", "+-", "seconds"};
    const sustain_select_result *r = &job->selected;
    const int digits = decimals(job);
    text_table t = {.align = "lrrrrr", .indent = 2};
    for (int i = 0; i < COUNT_OF(titles); i++) table_add(&t, "%s", titles[i]);
    for (int i = 0; i < r->count; i++) {
        const sustain_select_candidate *c = &r->candidates[i];
        table_add(&t, "%s%s", c->name, c->selected ? " *" : "");
        table_add(&t, "%.*f", digits, c->estimate);
        table_add(&t, "%.*f", digits, c->error);
        if (i == 0) { /* the others are compared with it */
            table_add(&t, "%s", "");
            table_add(&t, "%s", "");
        } else {
            table_add(&t, "%+.*f", digits, c->difference);
            table_add(&t, "%.*f", digits, c->difference_error);
        }
        table_add(&t, "%.2f", c->seconds);
    }
    table_print(stdout, &t);
    printf("\n");
    for (int i = 0; i < r->count; i++) {
        char text[sizeof r->candidates->detail + 32];
        snprintf(text, sizeof text, "%s: %s", r->candidates[i].name, r->candidates[i].detail);
        paragraphs(stdout, 2, text);
    }
}

void tune_select_summary(const tune_job *job) {
    const int64_t dim = job->data.training.set->rows.dim;
    const sustain_select_result *r = &job->selected;
    const sustain_select_candidate *c = &r->candidates[r->selected];
    char text[512], total[32];
    bin bins[BINS];
    const int digits = decimals(job);
    snprintf(text, sizeof text, "%s: %s. Held-out loss %.*f +- %.*f; with one penalty %.*f.",
             job->data.form == SUSTAIN_SELECT_AUTO ? "Selected" : "Fitted", c->name, digits, c->estimate, digits, c->error, digits,
             r->candidates[0].estimate);
    heading(stdout, text);
    if (!job->given->run.quiet) {
        printf("\n");
        print_candidates(job);
        printf("\n");
        if (job->data.test.set != NULL) {
            snprintf(text, sizeof text, "Test loss %.*f; with one penalty %.*f.", digits, job->test_loss[0], digits, job->test_loss[1]);
            if (!isnan(job->test_accuracy[0]))
                snprintf(text + strlen(text), sizeof text - strlen(text), " Accuracy %.4f.", job->test_accuracy[0]);
            paragraphs(stdout, 0, text);
        }
        const double error = calibrate(job, bins);
        if (!isnan(error)) printf("Calibration: probabilities are off by %.4f on average.\n", error);
        if (!isnan(r->huber_threshold)) printf("Errors count squared up to %.4g, then linearly.\n", r->huber_threshold);
        if (job->data.form != SUSTAIN_SELECT_AUTO)
            printf("%lld of %lld features have a weight other than 0.\n", (long long)(dim - without_weight(job, 0)), (long long)dim);
        paragraphs(stdout, 0, job->data.split);
        printf("The model is fitted to all rows; %s in all.\n", duration_text(job->run.total_seconds, total));
    }
    printf("The penalties: %s/penalties.csv; the report: %s/report.html\n", job->given->run.out, job->given->run.out);
}

/* ---- for programs ---- */

static json_t *candidates_json(const sustain_select_result *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->count; i++) {
        const sustain_select_candidate *c = &r->candidates[i];
        json_t *object = json_object();
        json_object_set_new(object, "name", json_string(c->name));
        json_object_set_new(object, "detail", json_text(c->detail));
        json_object_set_new(object, "numbers", json_integer(c->numbers));
        SET_NUMBERS(object, {"estimate", c->estimate}, {"standard_error", c->error}, {"difference", c->difference},
                    {"difference_standard_error", c->difference_error}, {"seconds", c->seconds});
        json_object_set_new(object, "selected", json_boolean(c->selected));
        json_object_set_new(object, "share", json_number_or_null(i <= r->selected ? r->share[i] : 0));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *path_json(const sustain_select_result *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->path_count; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "log_penalty", json_real(r->path[i].log_penalty));
        SET_NUMBERS(object, {"loss", r->path[i].loss}, {"standard_error", r->path[i].error});
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *calibration_json(const tune_job *job) {
    bin bins[BINS];
    const double error = calibrate(job, bins);
    if (isnan(error)) return json_null();
    json_t *object = json_object(), *list = json_array();
    json_object_set_new(object, "error", json_real(error));
    for (int i = 0; i < BINS; i++) {
        if (bins[i].rows == 0) continue;
        json_t *row = json_object();
        json_object_set_new(row, "predicted", json_real(bins[i].predicted));
        json_object_set_new(row, "observed", json_real(bins[i].observed));
        json_object_set_new(row, "rows", json_integer((json_int_t)bins[i].rows));
        json_array_append_new(list, row);
    }
    json_object_set_new(object, "bins", list);
    return object;
}

/* The geometric mean of the penalties of every group, and how many features it has. */
static json_t *groups_json(const tune_job *job) {
    const sustain_regtune_options *m = &job->data.model;
    const sustain_dataset *set = job->data.training.set;
    const bool named = job->given->groups == NULL && set->encoding != NULL;
    json_t *list = json_array();
    for (int64_t g = 0; m->group != NULL && g < m->groups; g++) {
        double sum = 0, count = 0;
        char name[64];
        for (int64_t j = 0; j < set->rows.dim; j++)
            if (m->group[j] == g) sum += log(job->selected.penalty[j]), count++;
        snprintf(name, sizeof name, "%lld", (long long)g);
        json_t *object = json_object();
        json_object_set_new(object, "name", json_text(named ? sustain_table_encoding_features(set->encoding).group_names[g] : name));
        json_object_set_new(object, "features", json_integer((json_int_t)count));
        json_object_set_new(object, "penalty", json_number_or_null(exp(sum / count)));
        json_array_append_new(list, object);
    }
    return list;
}

/* The classes that scores are of; of two the second. */
static json_t *scores_of(const tune_job *job) {
    const int64_t width = tune_width(job);
    json_t *list = json_array();
    for (int64_t k = 0; k < width && !tune_is_number(job->data.model.loss); k++)
        json_array_append_new(list, json_text(job->data.training.set->class_names[width == 1 ? 1 : k]));
    return list;
}

json_t *tune_select_json(const tune_job *job) {
    const sustain_select_result *r = &job->selected;
    const sustain_select_candidate *c = &r->candidates[r->selected];
    json_t *object = json_object(), *single = json_object();
    notes_json(object);
    json_object_set_new(object, "selected", json_string(c->name));
    SET_NUMBERS(object, {"estimate", c->estimate}, {"standard_error", c->error}, {"test_loss", job->test_loss[0]},
                {"test_accuracy", job->test_accuracy[0]});
    SET_NUMBERS(single, {"estimate", r->candidates[0].estimate}, {"test_loss", job->test_loss[1]}, {"test_accuracy", job->test_accuracy[1]},
                {"penalty", r->single_penalty[0]});
    SET_NUMBERS(object, {"huber_threshold", r->huber_threshold}, {"part", r->part});
    json_object_set_new(object, "one_penalty", single);
    json_object_set_new(object, "candidates", candidates_json(r));
    json_object_set_new(object, "path", path_json(r));
    json_object_set_new(object, "calibration", calibration_json(job));
    json_object_set_new(object, "groups", groups_json(job));
    json_object_set_new(object, "effects", tune_effects_json(job));
    json_object_set_new(object, "scores_of", scores_of(job));
    json_object_set_new(object, "knots", json_integer(r->splines != NULL ? r->splines->count : 0));
    json_object_set_new(object, "waves", json_integer(r->fourier != NULL ? r->fourier->waves : 0));
    json_object_set_new(object, "features_switched_off", json_integer(without_weight(job, 1e-3)));
    json_object_set_new(object, "total_seconds", json_number_or_null(job->run.total_seconds));
    json_object_set_new(object, "data", tune_data_json(&job->data));
    run_add_profile(&job->run, object);
    json_object_set_new(object, "out", json_text(job->given->run.out));
    return object;
}

/* verb_predict.c - `sustain predict`: predicts labels and probabilities, or numbers, with the
 * model of a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv_write.h"
#include "memory_limit.h"
#include "output.h"
#include "run_folder.h"
#include "verbs.h"

typedef struct predict_values {
    const char *model, *features, *labels, *label_column, *out;
    double max_memory;
    bool coarse, json, quiet;
} predict_values;

typedef struct prediction {
    sustain_context *context;
    const predict_values *given;
    sustain_model *model;
    sustain_dataset *set;
    sustain_rows rows;    /* as the model takes them */
    float *expanded;      /* (stored rows, dim + knots + 2 waves) where the model has features of its own ... */
    sustain_real *y;      /* ... and its weights for these */
    float *probabilities; /* (rows, classes) */
    int32_t *labels;      /* (rows) */
    double *values;       /* (rows) of a model without classes */
    double accuracy;      /* NAN: unknown */
    double squared_error; /* mean over the rows; NAN: unknown */
    int64_t right;
} prediction;

/* ---- reading ---- */

/* Describes the training set of the model, for checking that the features match. */
static int match(const prediction *p) {
    const sustain_model *m = p->model;
    const sustain_dataset like = {.rows = {.dim = m->dim, .start = p->set->rows.start},
                                  .classes = m->classes,
                                  .class_names = m->class_names,
                                  .column_names = m->column_names,
                                  .encoding = m->encoding,
                                  .source = p->given->model,
                                  .label_source = p->given->model,
                                  .context = p->context};
    return refused(p->context, sustain_dataset_match(&like, p->set));
}

static int read_all(prediction *p) {
    const predict_values *given = p->given;
    sustain_read_options both = {.label_column = given->labels == NULL ? given->label_column : NULL, .coarse = given->coarse};
    const sustain_read_options alone = {.label_column = given->label_column, .coarse = given->coarse};
    sustain_dataset *labels = NULL;
    sustain_status status = sustain_model_read(p->context, given->model, &p->model);
    if (status == SUSTAIN_OK) {
        both.encoding = p->model->encoding;
        status = sustain_dataset_read(p->context, given->features, &both, &p->set);
    }
    if (status == SUSTAIN_OK && given->labels != NULL) status = sustain_dataset_read_labels(p->context, given->labels, &alone, &labels);
    if (status == SUSTAIN_OK && labels != NULL) status = sustain_dataset_join(p->set, labels);
    sustain_dataset_destroy(labels);
    return status == SUSTAIN_OK ? match(p) : refused(p->context, status);
}

/* ---- predicting ---- */

enum { JSON_NUMBER = 56 };              /* bytes of a number in an array of jansson */
enum { WAVE = 420, AT_WORK = 1 << 22 }; /* bytes of one in a block of rows, and of all blocks at work but one */

/* Whether rows are filled with the features of the model before. Those of waves alone are computed
 * where classes are predicted. */
static bool expands(const sustain_model *m) {
    return m->splines != NULL || (m->fourier != NULL && m->classes == 0);
}

static int64_t features_of(const sustain_model *m) {
    return m->dim + (m->splines != NULL ? m->splines->count : 0) + (m->fourier != NULL ? 2 * m->fourier->waves : 0);
}

/* What predictions and their table take beside the rows. */
static int check_memory(const prediction *p) {
    const double rows = (double)p->set->rows.count, classes = (double)p->model->classes;
    const double number = p->given->json && p->given->out == NULL ? JSON_NUMBER : 0;
    const double fourier = p->model->fourier != NULL ? AT_WORK + WAVE * (double)p->model->fourier->waves : 0;
    const double expanded = expands(p->model) ? (double)features_of(p->model) * sizeof(float) : 0;
    return memory_check(p->context, fourier + rows * (expanded + sizeof(double) + number + classes * (sizeof(float) + number)));
}

/* y <- the weights of all features, those of waves behind the others: W (scores, features), b. */
static int join_weights(prediction *p) {
    const sustain_model *m = p->model;
    const int64_t scores = m->classes > 0 ? m->classes : 1, features = features_of(m), waves = m->fourier != NULL ? m->fourier->waves : 0,
                  plain = features - 2 * waves;
    p->y = malloc((size_t)(scores * (features + 1)) * sizeof *p->y);
    if (p->y == NULL) return out_of_memory();
    for (int64_t k = 0; k < scores; k++) {
        memcpy(p->y + k * features, m->y + k * plain, (size_t)plain * sizeof *p->y);
        if (waves > 0) memcpy(p->y + k * features + plain, m->fourier->v + k * 2 * waves, (size_t)(2 * waves) * sizeof *p->y);
        p->y[scores * features + k] = m->y[scores * plain + k];
    }
    return EXIT_DONE;
}

/* Rows as the model takes them: the numbers as stored in the file, with the features of knots and
 * waves. */
static int take_rows(prediction *p) {
    const sustain_model *m = p->model;
    p->rows = p->set->rows;
    p->rows.byte_scale = 1;
    if (!expands(m)) return EXIT_DONE;
    const sustain_rows raw = p->rows;
    const int64_t stored = raw.stored != 0 ? raw.stored : raw.count, features = features_of(m);
    p->expanded = malloc((size_t)(stored * features) * sizeof *p->expanded);
    if (p->expanded == NULL) return out_of_memory();
    p->rows = (sustain_rows){
        .count = raw.count, .stored = raw.stored, .dim = features, .values = p->expanded, .labels = raw.labels, .targets = raw.targets};
    const int code = join_weights(p);
    if (code != EXIT_DONE) return code;
    return refused(p->context, sustain_model_features(p->context, m->splines, m->fourier, &raw, 0, stored, p->expanded));
}

static int predict(prediction *p) {
    const sustain_rows raw = p->rows;
    const size_t rows = (size_t)raw.count;
    sustain_softmax_options options = sustain_softmax_defaults();
    options.classes = p->model->classes;
    if (p->y == NULL) options.fourier = p->model->fourier;
    p->probabilities = malloc(rows * (size_t)p->model->classes * sizeof *p->probabilities);
    p->labels = malloc(rows * sizeof *p->labels);
    if (p->probabilities == NULL || p->labels == NULL) return out_of_memory();
    if (sustain_softmax_predict(p->context, &options, &raw, p->y != NULL ? p->y : p->model->y, p->probabilities, p->labels) != SUSTAIN_OK)
        return complain(EXIT_FAILED, "%s", sustain_error(p->context));
    if (raw.labels == NULL) return EXIT_DONE;
    for (int64_t i = 0; i < raw.count; i++) p->right += p->labels[i] == raw.labels[i];
    p->accuracy = (double)p->right / (double)raw.count;
    return EXIT_DONE;
}

/* The prediction for row i: W a + b, or its exponential. */
static double value_of(const prediction *p, int64_t i) {
    const sustain_rows *rows = &p->rows;
    const sustain_real *y = p->y != NULL ? p->y : p->model->y;
    double sum = (double)y[rows->dim];
    const int64_t row = rows->stored != 0 ? i % rows->stored : i;
    if (rows->start != NULL)
        for (int64_t e = rows->start[row]; e < rows->start[row + 1]; e++) sum += (double)rows->values[e] * (double)y[rows->columns[e]];
    for (int64_t j = 0; rows->start == NULL && j < rows->dim; j++)
        sum += (double)y[j] * (rows->bytes != NULL ? (double)rows->bytes[row * rows->dim + j] : (double)rows->values[row * rows->dim + j]);
    return p->model->logarithm ? exp(sum) : sum;
}

static int predict_values_of(prediction *p) {
    const sustain_rows *rows = &p->rows;
    double sum = 0;
    p->values = malloc((size_t)rows->count * sizeof *p->values);
    if (p->values == NULL) return out_of_memory();
    for (int64_t i = 0; i < rows->count; i++) {
        p->values[i] = value_of(p, i);
        if (!isfinite(p->values[i]))
            return complain(EXIT_FAILED, "the features of row %lld are too large for the model: its prediction is beyond all numbers",
                            (long long)i);
        if (rows->targets != NULL) sum += pow(p->values[i] - (double)rows->targets[rows->stored != 0 ? i % rows->stored : i], 2);
    }
    if (rows->targets != NULL) p->squared_error = sum / (double)rows->count;
    return EXIT_DONE;
}

/* ---- output ---- */

/* Identifies row i by its number, and by its identifier if the table has one; -1: the names of
 * these columns. */
static void write_id(FILE *to, const prediction *p, int64_t i) {
    if (i < 0)
        fputs("index,", to);
    else
        fprintf(to, "%lld,", (long long)i);
    csv_id(to, p->set, i);
}

static void write_values(FILE *to, const prediction *p) {
    write_id(to, p, -1);
    fputs("value\n", to);
    for (int64_t i = 0; i < p->set->rows.count; i++) {
        write_id(to, p, i);
        fprintf(to, "%.9g\n", p->values[i]);
    }
}

static void write_csv(FILE *to, const void *user) {
    const prediction *p = user;
    const int64_t classes = p->model->classes;
    if (p->values != NULL) {
        write_values(to, p);
        return;
    }
    write_id(to, p, -1);
    fputs("label,probability", to);
    csv_probability_titles(to, p->model->class_names, classes);
    for (int64_t i = 0; i < p->set->rows.count; i++) {
        const float *row = p->probabilities + i * classes;
        write_id(to, p, i);
        csv_text(to, p->model->class_names[p->labels[i]]);
        fprintf(to, ",%.6g", (double)row[p->labels[i]]);
        for (int64_t k = 0; k < classes; k++) fprintf(to, ",%.6g", (double)row[k]);
        fputc('\n', to);
    }
}

static void add_rows(json_t *object, const prediction *p) {
    if (p->values != NULL) {
        json_t *values = json_array();
        for (int64_t i = 0; i < p->set->rows.count; i++) json_array_append_new(values, json_real(p->values[i]));
        json_object_set_new(object, "values", values);
        return;
    }
    json_t *labels = json_array(), *rows = json_array(), *names = json_array();
    for (int64_t k = 0; k < p->model->classes; k++) json_array_append_new(names, json_text(p->model->class_names[k]));
    for (int64_t i = 0; i < p->set->rows.count; i++) {
        json_t *row = json_array();
        for (int64_t k = 0; k < p->model->classes; k++)
            json_array_append_new(row, json_real((double)p->probabilities[i * p->model->classes + k]));
        json_array_append_new(rows, row);
        json_array_append_new(labels, json_text(p->model->class_names[p->labels[i]]));
    }
    json_object_set_new(object, "classes", names);
    json_object_set_new(object, "labels", labels);
    json_object_set_new(object, "probabilities", rows);
}

static json_t *predict_json(const prediction *p) {
    json_t *object = json_object();
    SET_TEXTS(object, {"model", p->given->model}, {"features", p->given->features});
    json_object_set_new(object, "rows", json_integer(p->set->rows.count));
    json_object_set_new(object, "accuracy", isnan(p->accuracy) ? json_null() : json_real(p->accuracy));
    json_object_set_new(object, "squared_error", json_number_or_null(p->squared_error));
    json_object_set_new(object, "out", p->given->out != NULL ? json_text(p->given->out) : json_null());
    if (p->given->out == NULL) add_rows(object, p);
    return object;
}

/* To stderr if the table goes to stdout. */
static void say_accuracy(FILE *to, const prediction *p) {
    if (!isnan(p->squared_error))
        fprintf(to, "%lld numbers predicted (mean squared error %.6g)\n", (long long)p->set->rows.count, p->squared_error);
    if (!isnan(p->accuracy))
        fprintf(to, "%lld of %lld labels predicted (accuracy %.4f)\n", (long long)p->right, (long long)p->set->rows.count, p->accuracy);
}

static int tell(const prediction *p) {
    const int code = p->given->out != NULL ? write_path(p->given->out, write_csv, p) : EXIT_DONE;
    if (code != EXIT_DONE) return code;
    if (p->given->json) return print_json(predict_json(p));
    if (p->given->out == NULL) write_csv(stdout, p);
    if (!p->given->quiet) say_accuracy(p->given->out == NULL ? stderr : stdout, p);
    if (!p->given->quiet && p->given->out != NULL) printf("The predictions: %s\n", p->given->out);
    return EXIT_DONE;
}

/* ---- the verb ---- */

static void print_remark(void *user, const char *line) {
    const predict_values *given = user;
    if (!given->quiet) complain(EXIT_DONE, "%s", line);
}

static int run(sustain_context *context, const void *values) {
    predict_values given = *(const predict_values *)values;
    prediction p = {.context = context, .given = &given, .accuracy = NAN, .squared_error = NAN};
    sustain_context_set_log(context, print_remark, &given);
    memory_limit(context, given.max_memory);
    int code = read_all(&p);
    if (code == EXIT_DONE) code = check_memory(&p);
    if (code == EXIT_DONE) code = take_rows(&p);
    if (code == EXIT_DONE) code = p.model->classes > 0 ? predict(&p) : predict_values_of(&p);
    if (code == EXIT_DONE) code = tell(&p);
    sustain_context_set_log(context, NULL, NULL);
    free(p.values);
    free(p.labels);
    free(p.probabilities);
    free(p.expanded);
    free(p.y);
    sustain_dataset_destroy(p.set);
    sustain_model_destroy(p.model);
    return code;
}

#define VALUES predict_values

static const option options[] = {
    NEEDED_ROW("MODEL", model, OPTION_OPERAND, "the model.safetensors of a run"),
    NEEDED_ROW("FEATURES", features, OPTION_OPERAND,
               "the rows, in any format that 'sustain clean' reads; a table with the columns of the training file, in any order"),
    FILE_ROW("labels", labels, "their true labels, to measure the accuracy; not needed if the feature file has them or they are unknown"),
    TEXT_ROW("label-column", label_column, "NAME", "CSV: the column with the true labels, by name or by number from 1"),
    FILE_ROW("out", out, "write the table to this file instead of printing it"),
    SWITCH_ROW("coarse", coarse, "CIFAR-100: the 20 coarse labels"),
    MEMORY_ROW(max_memory),
    SWITCH_ROW("json", json, "print one JSON object"),
    SWITCH_ROW("quiet", quiet, "print only the table, or nothing with --out"),
};

static const example examples[] = {
    {"sustain predict run/model.safetensors new.npy --out predicted.csv", "labels and probabilities for the rows of new.npy"},
    {"sustain predict run/model.safetensors test.csv --label-column species --json", "with the accuracy, as JSON"},
};

const verb verb_predict = {
    .name = "predict",
    .summary = "predict labels or numbers for new rows with the model of a run",
    .about =
        "Predicts the label of every row, with the probability of each class, as CSV: index, the identifier if the model was trained "
        "with --id-column, label, its probability, then the probability "
        "of every class. Labels are written as they were in the training file. If the true labels are known, the accuracy is shown too.\n"
        "A model that 'sustain tune' fitted with the squared loss predicts numbers: index, value; and the mean squared error if the "
        "true values are known.",
    VERB_PARTS(predict_values),
};

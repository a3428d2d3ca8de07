/* verb_predict.c - `sustain predict`: predicts labels and probabilities, or numbers, with the
 * model of a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv_write.h"
#include "kept_inputs.h"
#include "memory_limit.h"
#include "model_rows.h"
#include "output.h"
#include "notes.h"
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
    sustain_real *y;      /* weights of all features, where rows are filled with those of the model; else NULL */
    float *probabilities; /* (rows, classes) */
    int32_t *labels;      /* (rows) */
    double *values;       /* (rows) of a model without classes */
    double accuracy;      /* NAN: unknown */
    double squared_error; /* mean over the rows; NAN: unknown */
    int64_t right;
    double squares; /* the sum of squared errors */
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
static bool fills(const sustain_model *m) {
    return m->splines != NULL || (m->fourier != NULL && m->classes == 0);
}

static int64_t features_of(const sustain_model *m) {
    return m->dim + model_rows_more(m->splines, m->fourier);
}

/* What predictions and their table take beside the rows. */
static int check_memory(const prediction *p) {
    const double rows = (double)p->set->rows.count, classes = (double)p->model->classes;
    const double number = p->given->json && p->given->out == NULL ? JSON_NUMBER : 0;
    const double fourier = p->model->fourier != NULL ? AT_WORK + WAVE * (double)p->model->fourier->waves : 0;
    const double block = fills(p->model) ? model_rows_bytes(&p->set->rows, model_rows_more(p->model->splines, p->model->fourier)) : 0;
    return memory_check(p->context, fourier + block + rows * (sizeof(double) + number + classes * (sizeof(float) + number)));
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

static const sustain_real *weights_of(const prediction *p) {
    return p->y != NULL ? p->y : p->model->y;
}

/* ---- classes ---- */

static int64_t stored_row(const sustain_rows *rows, int64_t i) {
    return rows->stored != 0 ? i % rows->stored : i;
}

static int predict_labels(void *user, const sustain_rows *rows, int64_t first) {
    prediction *p = user;
    int32_t *labels = p->labels + first;
    sustain_softmax_options options = sustain_softmax_defaults();
    options.classes = p->model->classes;
    if (p->y == NULL) options.fourier = p->model->fourier;
    if (sustain_softmax_predict(p->context, &options, rows, weights_of(p), p->probabilities + first * options.classes, labels) !=
        SUSTAIN_OK)
        return complain(EXIT_FAILED, "%s", sustain_error(p->context));
    for (int64_t i = 0; rows->labels != NULL && i < rows->count; i++) p->right += labels[i] == rows->labels[stored_row(rows, i)];
    return EXIT_DONE;
}

/* ---- numbers ---- */

/* The prediction for row i: W a + b, or its exponential. */
static double value_of(const prediction *p, const sustain_rows *rows, int64_t i) {
    const sustain_real *y = weights_of(p);
    double sum = (double)y[rows->dim];
    const int64_t row = stored_row(rows, i);
    if (rows->start != NULL)
        for (int64_t e = rows->start[row]; e < rows->start[row + 1]; e++) sum += (double)rows->values[e] * (double)y[rows->columns[e]];
    for (int64_t j = 0; rows->start == NULL && j < rows->dim; j++)
        sum += (double)y[j] * (rows->bytes != NULL ? (double)rows->bytes[row * rows->dim + j] : (double)rows->values[row * rows->dim + j]);
    return p->model->logarithm ? exp(sum) : sum;
}

static int predict_numbers(void *user, const sustain_rows *rows, int64_t first) {
    prediction *p = user;
    for (int64_t i = 0; i < rows->count; i++) {
        const double value = p->values[first + i] = value_of(p, rows, i);
        if (!isfinite(value))
            return complain(EXIT_FAILED, "the features of row %lld are too large for the model: its prediction is beyond all numbers",
                            (long long)(first + i));
        if (rows->targets != NULL) p->squares += pow(value - (double)rows->targets[stored_row(rows, i)], 2);
    }
    return EXIT_DONE;
}

static int predict(prediction *p) {
    const size_t rows = (size_t)p->set->rows.count, classes = (size_t)p->model->classes;
    sustain_rows taken = p->set->rows;
    taken.byte_scale = 1; /* the numbers as stored in the file */
    p->probabilities = malloc(rows * classes * sizeof *p->probabilities);
    p->labels = malloc((classes > 0 ? rows : 0) * sizeof *p->labels);
    p->values = classes > 0 ? NULL : malloc(rows * sizeof *p->values);
    if ((classes > 0 && (p->probabilities == NULL || p->labels == NULL)) || (classes == 0 && p->values == NULL)) return out_of_memory();
    const sustain_model *m = p->model;
    const bool filled = fills(m);
    int code = filled ? join_weights(p) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = model_rows_visit(p->context, filled ? m->splines : NULL, filled ? m->fourier : NULL, &taken,
                                classes > 0 ? predict_labels : predict_numbers, p);
    if (code != EXIT_DONE) return code;
    if (classes > 0 && taken.labels != NULL) p->accuracy = (double)p->right / (double)rows;
    if (classes == 0 && taken.targets != NULL) p->squared_error = p->squares / (double)rows;
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
    notes_json(object);
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

static int run(sustain_context *context, const void *values) {
    predict_values given = *(const predict_values *)values;
    prediction p = {.context = context, .given = &given, .accuracy = NAN, .squared_error = NAN};
    sustain_context_set_log(context, note_log, &given.quiet);
    memory_limit(context, given.max_memory);
    int code = inputs_keep(&verb_predict, &given, given.out);
    if (code == EXIT_DONE) code = read_all(&p);
    if (code == EXIT_DONE) code = check_memory(&p);
    if (code == EXIT_DONE) code = predict(&p);
    if (code == EXIT_DONE) code = tell(&p);
    sustain_context_set_log(context, NULL, NULL);
    notes_end();
    free(p.values);
    free(p.labels);
    free(p.probabilities);
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
        "A model that 'sustain tune' fitted with the squared, Huber or Poisson loss predicts numbers (with Poisson the "
        "expected count): index, value; and the mean squared error if the true values are known.",
    VERB_PARTS(predict_values),
};

/* compare_task_clean.c - hyper-cleaning as a task of a comparison: only the bilevel problem,
 * measured by the solver's y and by sigma(x). */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare.h"

enum { UPPER_LOSS, TEST_ACCURACY, TRAINING_LOSS, TRUSTED_ACCURACY, AUC, WEIGHT_DEVIATION, WEIGHT_MIN, WEIGHT_MAX, METRICS };

static const compare_metric metrics[METRICS] = {
    [UPPER_LOSS] = {"upper_loss", "trusted loss", "trusted loss", .log = true},
    [TEST_ACCURACY] = {"test_accuracy", "test accuracy", "test accuracy", .higher = true},
    [TRAINING_LOSS] = {"training_loss", "training loss", "training loss", .log = true},
    [TRUSTED_ACCURACY] = {"trusted_accuracy", "trusted accuracy", NULL, .higher = true},
    [AUC] = {"auc", "AUC of sigma(x)", "AUC", .higher = true},
    [WEIGHT_DEVIATION] = {"weight_deviation", "standard deviation of sigma(x)", "sd of sigma", .higher = true, .log = true},
    [WEIGHT_MIN] = {"weight_min", "smallest sigma(x)", NULL, .higher = false},
    [WEIGHT_MAX] = {"weight_max", "largest sigma(x)", NULL, .higher = true},
};

typedef struct clean_state {
    compare_solver run; /* first: see compare.h */
    compare_clean_data data;
    sustain_softmax_options model;
    float *quality;       /* (n) has the same order as sigma(x) */
    float *probabilities; /* (rows of the training loss, classes) */
} clean_state;

/* The first training rows, at most as many as the paper's trusted ones: the loss of all of them
 * would take longer than the runs. */
static sustain_rows loss_rows(const clean_state *s) {
    enum { MOST = 10000 };
    sustain_rows rows = s->data.training->rows;
    if (rows.count > MOST) rows.count = MOST;
    return rows;
}

static void close_clean(void *state) {
    clean_state *s = state;
    if (s == NULL) return;
    sustain_solver_destroy(s->run.solver);
    sustain_hyperclean_destroy(s->run.problem);
    free(s->quality);
    free(s->probabilities);
    free(s);
}

sustain_status compare_clean_open(sustain_context *context, const compare_clean_data *data, void **state) {
    sustain_hyperclean_options options = sustain_hyperclean_defaults();
    clean_state *s = *state = calloc(1, sizeof *s);
    if (s == NULL) return SUSTAIN_MEMORY;
    s->run.context = context;
    s->data = *data;
    s->model = sustain_softmax_defaults();
    s->model.classes = options.classes = data->training->classes;
    s->model.intercept = options.intercept = data->intercept;
    options.c = data->c;
    s->quality = malloc((size_t)data->training->rows.count * sizeof *s->quality);
    s->probabilities = malloc((size_t)(loss_rows(s).count * s->model.classes) * sizeof *s->probabilities);
    const sustain_status status =
        s->quality == NULL || s->probabilities == NULL
            ? SUSTAIN_MEMORY
            : sustain_hyperclean_create(context, &options, &data->training->rows, &data->trusted->rows, &s->run.problem);
    if (status == SUSTAIN_OK) return status;
    close_clean(s);
    *state = NULL;
    return status;
}

/* The weights and their standard deviation. */
static void measure_weights(const clean_state *s, const sustain_real *x, double *metric) {
    const int64_t n = s->run.problem->upper_dim;
    double sum = 0, squares = 0, least = 1, most = 0;
    for (int64_t i = 0; i < n; i++) {
        const double weight = 1 / (1 + exp(-(double)x[i]));
        s->quality[i] = (float)x[i]; /* not sigma(x), whose rounding would hide small differences */
        sum += weight;
        squares += (weight - 0.5) * (weight - 0.5);
        least = fmin(least, weight);
        most = fmax(most, weight);
    }
    const double mean = sum / (double)n, off = mean - 0.5;
    metric[WEIGHT_DEVIATION] = sqrt(fmax(0, squares / (double)n - off * off));
    metric[WEIGHT_MIN] = least;
    metric[WEIGHT_MAX] = most;
}

/* The mean cross entropy of y on training rows, with the labels given. */
static sustain_status training_loss(const clean_state *s, const sustain_real *y, double *loss) {
    const sustain_rows rows = loss_rows(s);
    double sum = 0;
    const sustain_status status = sustain_softmax_predict(s->run.context, &s->model, &rows, y, s->probabilities, NULL);
    for (int64_t i = 0; i < rows.count && status == SUSTAIN_OK; i++)
        sum -= log(fmax((double)s->probabilities[i * s->model.classes + rows.labels[i]], FLT_MIN));
    *loss = sum / (double)rows.count;
    return status;
}

static sustain_status measure(void *state, const sustain_result *at, double *metric) {
    double precision;
    const clean_state *s = state;
    const sustain_dataset *training = s->data.training;
    const sustain_real *y = sustain_solver_y(s->run.solver);
    metric[UPPER_LOSS] = at->upper_value;
    metric[TEST_ACCURACY] = metric[AUC] = NAN;
    measure_weights(s, sustain_solver_x(s->run.solver), metric);
    sustain_status status = training_loss(s, y, &metric[TRAINING_LOSS]);
    if (status == SUSTAIN_OK)
        status = sustain_softmax_accuracy(s->run.context, &s->model, &s->data.trusted->rows, y, &metric[TRUSTED_ACCURACY]);
    if (status == SUSTAIN_OK && s->data.test != NULL)
        status = sustain_softmax_accuracy(s->run.context, &s->model, &s->data.test->rows, y, &metric[TEST_ACCURACY]);
    if (status == SUSTAIN_OK && training->truth != NULL)
        status = sustain_clean_rank_score(s->run.context, training->rows.count, s->quality, training->rows.labels, training->truth,
                                          &metric[AUC], &precision);
    return status;
}

static void describe(const void *state, char *text, size_t size) {
    const clean_state *s = state;
    const sustain_dataset *training = s->data.training;
    int64_t wrong = 0;
    for (int64_t i = 0; training->truth != NULL && i < training->rows.count; i++) wrong += training->truth[i] != training->rows.labels[i];
    const int written = snprintf(text, size, "%s: %lld rows, %lld trusted, %lld for testing", s->data.name, (long long)training->rows.count,
                                 (long long)s->data.trusted->rows.count, (long long)(s->data.test != NULL ? s->data.test->rows.count : 0));
    if (wrong > 0 && written > 0 && (size_t)written < size)
        snprintf(text + written, size - (size_t)written, "; %.1f %% of the labels are wrong",
                 100 * (double)wrong / (double)training->rows.count);
}

const compare_task compare_task_clean = {
    .name = "clean",
    .metrics = metrics,
    .metric_count = METRICS,
    .points_a_decade = 8,
    .budget = {[AXIS_GRADIENTS] = 2e5,
               [AXIS_SAMPLES] = 2e6,
               [AXIS_PRODUCTS] = 2e6,
               [AXIS_CALLS] = 4e6,
               [AXIS_ITERATIONS] = 1000,
               [AXIS_SECONDS] = 10},
    .describe = describe,
    .measure = measure,
    .close = close_clean,
    .make = compare_solver_make,
    .memory = compare_solver_memory,
    .advance = compare_solver_advance,
};

/* tune_effects.c - what each feature adds to the scores of a model with linear splines, as points
 * of its piecewise linear function: for result.json, from which the page draws it. */
#include <math.h>
#include <stdlib.h>

#include "verb_tune.h"

/* A feature with knots. */
typedef struct effect {
    int64_t feature, first, count; /* its knots are first .. first + count - 1 */
    double least, most;            /* of the training rows */
} effect;

/* What the feature adds to score k at a value, both as they were scaled. */
static double effect_at(const tune_job *job, const effect *e, int64_t k, double value) {
    const sustain_splines *splines = job->selected.splines;
    const int64_t dim = job->data.training.set->rows.dim;
    const double *w = job->y + k * tune_weights(job);
    double sum = w[e->feature] * value;
    for (int64_t i = e->first; i < e->first + e->count; i++) sum += w[dim + i] * fmax(value - splines->knot[i], 0);
    return sum;
}

/* The largest difference that it makes to a score between two of its points. */
static double range_of(const tune_job *job, const effect *e) {
    double largest = 0;
    for (int64_t k = 0; k < tune_width(job); k++) {
        double low = effect_at(job, e, k, e->least), high = low;
        for (int64_t i = 0; i <= e->count; i++) {
            const double value = effect_at(job, e, k, i < e->count ? job->selected.splines->knot[e->first + i] : e->most);
            low = fmin(low, value), high = fmax(high, value);
        }
        largest = fmax(largest, high - low);
    }
    return largest;
}

/* Relative to its least value. */
static json_t *effect_json(const tune_job *job, const effect *e) {
    json_t *object = json_object(), *values = json_array(), *scores = json_array();
    const sustain_dataset *set = job->data.training.set;
    char name[32];
    snprintf(name, sizeof name, "%lld", (long long)e->feature + 1);
    for (int64_t k = 0; k < tune_width(job); k++) json_array_append_new(scores, json_array());
    for (int64_t i = -1; i <= e->count; i++) {
        const double value = i < 0 ? e->least : i < e->count ? job->selected.splines->knot[e->first + i] : e->most;
        json_array_append_new(values, json_number_or_null(tune_unscaled(job, e->feature, value)));
        for (int64_t k = 0; k < tune_width(job); k++)
            json_array_append_new(json_array_get(scores, (size_t)k),
                                  json_number_or_null(effect_at(job, e, k, value) - effect_at(job, e, k, e->least)));
    }
    json_object_set_new(object, "name", json_text(set->column_names != NULL ? set->column_names[e->feature] : name));
    json_object_set_new(object, "range", json_number_or_null(range_of(job, e)));
    json_object_set_new(object, "values", values);
    json_object_set_new(object, "scores", scores);
    return object;
}

/* Fills in the least and the largest values. */
static sustain_status measure(const tune_job *job, effect *list, int64_t count) {
    const sustain_rows *rows = &job->data.training.rows;
    const sustain_splines none = {.count = 0};
    float *row = malloc((size_t)rows->dim * sizeof *row);
    sustain_status status = row != NULL ? SUSTAIN_OK : SUSTAIN_MEMORY;
    for (int64_t i = 0; i < (rows->stored != 0 ? rows->stored : rows->count) && status == SUSTAIN_OK; i++) {
        status = sustain_splines_fill(job->run.context, &none, rows, i, 1, row);
        for (int64_t e = 0; e < count; e++) {
            const double value = (double)row[list[e].feature];
            list[e].least = fmin(list[e].least, value), list[e].most = fmax(list[e].most, value);
        }
    }
    free(row);
    return status;
}

json_t *tune_effects_json(const tune_job *job) {
    const sustain_splines *splines = job->selected.splines;
    json_t *array = json_array();
    if (splines == NULL || job->selected.fourier != NULL) return array; /* waves: no feature adds something of its own */
    effect *list = calloc((size_t)splines->count, sizeof *list);
    int64_t count = 0;
    for (int64_t i = 0; list != NULL && i < splines->count; i++) {
        if (i == 0 || splines->feature[i] != splines->feature[i - 1])
            list[count++] = (effect){.feature = splines->feature[i], .first = i, .least = INFINITY, .most = -INFINITY};
        list[count - 1].count++;
    }
    if (list != NULL && measure(job, list, count) == SUSTAIN_OK)
        for (int64_t e = 0; e < count; e++) json_array_append_new(array, effect_json(job, &list[e]));
    free(list);
    return array;
}

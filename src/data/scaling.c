/* scaling.c - standardizes features to mean 0 and standard deviation 1 where needed; the numbers
 * are kept, so that a model can undo it.
 *
 * Sums are computed in double, in the order of the rows: always the same bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/half.h"
#include "data/dataset_internal.h"

enum { REASON = 240 };
static const float too_large = 4, too_small = 0.05f;

/* ---- statistics of columns ---- */

static float feature(const sustain_rows *rows, int64_t at) {
    if (rows->halves != NULL) return sustain__from_half(rows->halves[at]);
    return rows->bytes != NULL ? (float)rows->bytes[at] * rows->byte_scale : rows->values[at];
}

/* largest: (dim) the largest absolute value of each column. */
static sustain_status find_largest(sustain_context *context, const sustain_rows *rows, float *largest) {
    const bool sparse = rows->start != NULL;
    for (int64_t i = 0; i < rows->count; i++) {
        const int64_t begin = sparse ? rows->start[i] : i * rows->dim, end = sparse ? rows->start[i + 1] : begin + rows->dim;
        if (i % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(context));
        for (int64_t k = begin; k < end; k++) {
            float *m = &largest[sparse ? rows->columns[k] : k - begin];
            const float v = fabsf(feature(rows, k));
            if (v > *m) *m = v;
        }
    }
    return SUSTAIN_OK;
}

static int increasing(const void *a, const void *b) {
    const float p = *(const float *)a, q = *(const float *)b;
    return p < q ? -1 : p > q;
}

/* The lowest tenth of the columns that are not all zero, and the largest of all. Sorts
 * `largest`. */
static void summarize(float *largest, int64_t dim, float *lowest_tenth, float *highest) {
    int64_t zeros = 0;
    qsort(largest, (size_t)dim, sizeof *largest, increasing);
    while (zeros < dim && largest[zeros] == 0) zeros++;
    *highest = largest[dim - 1];
    *lowest_tenth = zeros < dim ? largest[zeros + (dim - zeros - 1) / 10] : 1;
}

/* Mean and standard deviation in two passes: one pass would lose the digits of a small deviation
 * from a large mean. */
static sustain_status find_moments(sustain_context *context, const sustain_rows *rows, double *mean, double *deviation) {
    const double n = (double)rows->count;
    for (int64_t i = 0; i < rows->count; i++) {
        if (i % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(context));
        for (int64_t j = 0; j < rows->dim; j++) mean[j] += (double)feature(rows, i * rows->dim + j);
    }
    for (int64_t j = 0; j < rows->dim; j++) mean[j] /= n;
    for (int64_t i = 0; i < rows->count; i++) {
        if (i % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(context));
        for (int64_t j = 0; j < rows->dim; j++) {
            const double d = (double)feature(rows, i * rows->dim + j) - mean[j];
            deviation[j] += d * d;
        }
    }
    for (int64_t j = 0; j < rows->dim; j++) deviation[j] = sqrt(deviation[j] / n);
    return SUSTAIN_OK;
}

/* ---- creation ---- */

typedef struct owned_scaling {
    sustain_scaling shown;
    float *mean, *factor;
    char reason[REASON];
} owned_scaling;

static sustain_status fill_sparse(const sustain_dataset *training, owned_scaling *s) {
    const int64_t dim = training->rows.dim;
    SUSTAIN_TRY(sustain__allocate(training->context, sustain__multiply((size_t)dim, sizeof *s->factor), &s->factor));
    SUSTAIN_TRY(find_largest(training->context, &training->rows, s->factor));
    for (int64_t j = 0; j < dim; j++) s->factor[j] = s->factor[j] > 0 && isfinite(1 / s->factor[j]) ? 1 / s->factor[j] : 1;
    return SUSTAIN_OK;
}

/* A standard deviation within the rounding error of the mean is 0: the column is constant. */
static void fill_from_moments(const double *mean, const double *deviation, int64_t dim, owned_scaling *s) {
    for (int64_t j = 0; j < dim; j++) {
        const double d = deviation[j];
        s->mean[j] = (float)mean[j];
        s->factor[j] = d > 1e-7 * fabs(mean[j]) && isfinite((float)(1 / d)) ? (float)(1 / d) : 1;
    }
}

static sustain_status fill_dense(const sustain_dataset *training, owned_scaling *s) {
    sustain_context *context = training->context;
    const size_t dim = (size_t)training->rows.dim;
    double *moments;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(dim, sizeof *s->mean), &s->mean));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(dim, sizeof *s->factor), &s->factor));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(2 * dim, sizeof *moments), &moments));
    const sustain_status status = find_moments(context, &training->rows, moments, moments + dim);
    if (status == SUSTAIN_OK) fill_from_moments(moments, moments + dim, training->rows.dim, s);
    sustain__free(context, moments);
    return status;
}

/* Whether AUTO scales, with the reason. */
static sustain_status decide(const sustain_dataset *training, bool *needed, char reason[REASON]) {
    float *largest, low, high;
    *needed = false;
    if (training->rows.bytes != NULL) {
        const bool booleans = training->rows.byte_scale == 1;
        snprintf(reason, REASON, "features are %s: not standardized", booleans ? "0 or 1" : "bytes, divided by 255");
        return SUSTAIN_OK;
    }
    if (training->encoding != NULL && training->rows.start != NULL) {
        snprintf(reason, REASON, "features of text have length 1 in each row, and numbers beside them are standardized: used as they are");
        return SUSTAIN_OK;
    }
    SUSTAIN_TRY(sustain__allocate(training->context, sustain__multiply((size_t)training->rows.dim, sizeof *largest), &largest));
    const sustain_status status = find_largest(training->context, &training->rows, largest);
    summarize(largest, training->rows.dim, &low, &high);
    sustain__free(training->context, largest);
    SUSTAIN_TRY(status);
    *needed = high > too_large || low < too_small;
    const char *what = !*needed ? "not standardized" : training->rows.start != NULL ? "each divided by its largest value" : "standardized";
    snprintf(reason, REASON, "features are %s: the largest value of a column is up to %.3g, and %.3g in the lowest tenth of the columns",
             what, (double)high, (double)low);
    return SUSTAIN_OK;
}

static sustain_status fill(const sustain_dataset *training, sustain_scaling_mode mode, owned_scaling *s) {
    bool needed = mode == SUSTAIN_SCALING_ON;
    snprintf(s->reason, REASON, "features are %s, as requested",
             !needed                        ? "not standardized"
             : training->rows.start != NULL ? "each divided by its largest value"
                                            : "standardized");
    if (mode == SUSTAIN_SCALING_AUTO) SUSTAIN_TRY(decide(training, &needed, s->reason));
    if (!needed) return SUSTAIN_OK;
    return training->rows.start != NULL ? fill_sparse(training, s) : fill_dense(training, s);
}

sustain_status sustain_scaling_create(const sustain_dataset *training, sustain_scaling_mode mode, sustain_scaling **out) {
    if (out != NULL) *out = NULL;
    if (training == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(training->context, out, "out"));
    owned_scaling *s;
    SUSTAIN_TRY(sustain__allocate(training->context, sizeof *s, &s));
    s->shown = (sustain_scaling){.dim = training->rows.dim, .reason = s->reason, .context = training->context};
    const sustain_status status = fill(training, mode, s);
    s->shown.mean = s->mean;
    s->shown.factor = s->factor;
    if (status == SUSTAIN_OK)
        *out = &s->shown;
    else
        sustain_scaling_destroy(&s->shown);
    return status;
}

void sustain_scaling_destroy(sustain_scaling *scaling) {
    if (scaling == NULL) return;
    owned_scaling *s = (owned_scaling *)(void *)scaling;
    sustain_context *context = scaling->context;
    sustain__free(context, s->mean);
    sustain__free(context, s->factor);
    sustain__free(context, s);
}

void sustain_scaling_drop_mean(sustain_scaling *scaling) {
    if (scaling == NULL || scaling->mean == NULL) return;
    owned_scaling *s = (owned_scaling *)(void *)scaling;
    const size_t used = strlen(s->reason);
    sustain__free(scaling->context, s->mean);
    s->mean = NULL;
    scaling->mean = NULL;
    snprintf(s->reason + used, REASON - used, "; means are kept, as there is no intercept");
}

/* ---- applying ---- */

static void scale_dense(const sustain_scaling *s, const sustain_rows *rows, float *to) {
    for (int64_t i = 0; i < rows->count; i++)
        for (int64_t j = 0; j < rows->dim; j++) {
            const int64_t at = i * rows->dim + j;
            const float value = feature(rows, at), mean = s->mean != NULL ? s->mean[j] : 0, centred = value - mean;
            /* numbers near the largest float may be farther from their mean than that */
            to[at] = isfinite(centred) ? centred * s->factor[j] : (float)(((double)value - (double)mean) * (double)s->factor[j]);
        }
}

/* The entries of a part keep their positions, so start[] does not change. */
static void scale_sparse(const sustain_scaling *s, const sustain_rows *rows, float *to) {
    for (int64_t k = rows->start[0]; k < rows->start[rows->count]; k++) to[k] = rows->values[k] * s->factor[rows->columns[k]];
}

/* Where scaled values go: arrays of the set's own are scaled in place, and so is a mapped file that
 * the rows point into, whose pages become ours as they are written; others are copied. */
static sustain_status place_of_values(sustain_dataset *set, int64_t size, float **values) {
    struct sustain_dataset_memory *m = set->memory;
    const unsigned char *at = (const unsigned char *)set->rows.values, *file = m->file.data;
    const bool inside = at != NULL && m->file.mapped != NULL && at >= file && at < file + m->file.length;
    *values = m->values;
    if (*values != NULL) return SUSTAIN_OK;
    if (inside && sustain__bytes_make_writable(&m->file)) {
        *values = (float *)(uintptr_t)at;
        return SUSTAIN_OK;
    }
    return sustain__allocate(set->context, sustain__multiply((size_t)size, sizeof **values), values);
}

/* Frees what the rows no longer point to. */
static void keep_values(sustain_dataset *set, float *values) {
    struct sustain_dataset_memory *m = set->memory;
    sustain__free(set->context, m->bytes);
    sustain__free(set->context, m->halves);
    m->bytes = NULL, m->halves = NULL;
    set->rows.bytes = NULL, set->rows.halves = NULL;
    if (values == set->rows.values && m->values == NULL) return; /* in the mapped file */
    m->values = values;
    /* columns and starts of sparse rows may be in the file */
    if (set->rows.start == NULL) sustain__bytes_free(set->context, &m->file);
    sustain__dataset_publish(set);
}

sustain_status sustain_scaling_apply(const sustain_scaling *scaling, sustain_dataset *set) {
    if (scaling == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(scaling->context, set, "set"));
    const sustain_rows *rows = &set->rows;
    float *values;
    if (set->memory == NULL)
        return sustain__fail(scaling->context, SUSTAIN_ARGUMENT,
                             "the data set owns no memory: only sets that were read or made by this library can be scaled");
    if (scaling->factor == NULL) return SUSTAIN_OK;
    if (rows->dim != scaling->dim)
        return sustain__fail(set->context, SUSTAIN_ARGUMENT, "%s has %lld features per row, but the scaling is for %lld", set->source,
                             (long long)rows->dim, (long long)scaling->dim);
    if (rows->start != NULL && scaling->mean != NULL)
        return sustain__fail(set->context, SUSTAIN_ARGUMENT,
                             "%s is sparse, but the training rows are dense: subtracting a mean would make it dense", set->source);
    const int64_t size = rows->start != NULL ? rows->start[rows->count] : rows->count * rows->dim;
    /* last chance: partly scaled rows would be lost */
    SUSTAIN_TRY(sustain__cancelled(set->context));
    SUSTAIN_TRY(place_of_values(set, size, &values));
    if (rows->start != NULL)
        scale_sparse(scaling, rows, values);
    else
        scale_dense(scaling, rows, values);
    keep_values(set, values);
    return SUSTAIN_OK;
}

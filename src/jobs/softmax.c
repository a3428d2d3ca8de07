/* softmax.c - the calls of <sustain/softmax.h>: checks, then softmax.c. */
#include <math.h>

#include "core/sized.h"
#include "problems/rows_internal.h"
#include "jobs/softmax_fit.h"

static const sustain_softmax_options default_options = {.intercept = true, .c = 1e-4, .tolerance = 1e-4, .iterations = 200};

void sustain_softmax_defaults_for(size_t size, sustain_softmax_options *options) {
    sustain__sized_fill(options, size, &default_options, sizeof default_options);
}

int64_t sustain_softmax_size(const sustain_softmax_options *o, int64_t dim) {
    if (o == NULL) return 0;
    return sustain__model_size(&(sustain__model){.dim = dim, .width = o->classes, .intercept = o->intercept});
}

static sustain_status take_options(sustain_context *context, const sustain_softmax_options *given, sustain_softmax_options *o) {
    *o = default_options;
    SUSTAIN_TRY(
        sustain__sized_take(context, "the options", given, SUSTAIN__SIZE_THROUGH(sustain_softmax_options, iterations), o, sizeof *o));
    if (o->classes < 2)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there must be at least 2 classes (there are %lld)", (long long)o->classes);
    if (!(o->c > 0 && isfinite(o->c)))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the regularization c must be positive and finite (it is %g)", o->c);
    if (!(o->tolerance >= 0))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the tolerance must not be negative (it is %g)", o->tolerance);
    if (o->iterations < 0)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the number of iterations must not be negative (it is %lld)",
                             (long long)o->iterations);
    return SUSTAIN_OK;
}

/* Checks the rows, with or without labels, and makes them what the functions inside want. */
static sustain_status take(sustain_context *context, const sustain_softmax_options *o, sustain__labels labels, const sustain_rows *rows,
                           sustain_rows *out) {
    double largest;
    const sustain__wanted_rows wanted = {.called = "given", .labels = labels, .classes = o->classes};
    int64_t dim;
    SUSTAIN_TRY(sustain__rows_dim(context, rows, &wanted, rows, &wanted, o->classes, &dim));
    return sustain__rows_take(context, rows, &wanted, &largest, out);
}

/* Of a model to predict with. */
static sustain_status check_fourier(sustain_context *context, const sustain_softmax_options *o) {
    const sustain_fourier *f = o->fourier;
    if (f == NULL || (f->waves >= 1 && f->w != NULL && f->v != NULL)) return SUSTAIN_OK;
    return sustain__fail(context, SUSTAIN_ARGUMENT, "the Fourier features of the model have no waves, or no weights");
}

static sustain_status check_weights(sustain_context *context, const sustain_softmax_part *part, double *sum) {
    if (part->weights == NULL) *sum += (double)part->rows->count;
    for (int64_t i = 0; i < part->rows->count && part->weights != NULL; i++) {
        if (!(part->weights[i] >= 0 && isfinite(part->weights[i])))
            return sustain__fail(context, SUSTAIN_ARGUMENT, "the weight of row %lld is %g: weights are finite and not negative",
                                 (long long)i, (double)part->weights[i]);
        *sum += (double)part->weights[i];
    }
    return SUSTAIN_OK;
}

sustain_status sustain_softmax_fit(sustain_context *context, const sustain_softmax_options *given, const sustain_softmax_part *parts,
                                   int part_count, sustain_real *y) {
    sustain_rows rows[SUSTAIN__MOST_PARTS];
    sustain__some_rows some[SUSTAIN__MOST_PARTS];
    double weights = 0;
    sustain_softmax_options options;
    const sustain_softmax_options *const o = &options;
    if (context == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(take_options(context, given, &options));
    if (parts == NULL || y == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "the parts or the place for y are NULL");
    if (part_count < 1 || part_count > SUSTAIN__MOST_PARTS)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there must be 1 to %d parts (there are %d)", SUSTAIN__MOST_PARTS, part_count);
    for (int i = 0; i < part_count; i++) {
        SUSTAIN_TRY(take(context, o, SUSTAIN__LABELS_CLASSES, parts[i].rows, &rows[i]));
        if (rows[i].dim != rows[0].dim)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "part 0 has rows of %lld features, part %d of %lld", (long long)rows[0].dim, i,
                                 (long long)rows[i].dim);
        SUSTAIN_TRY(check_weights(context, &parts[i], &weights));
        some[i] = (sustain__some_rows){.rows = &rows[i], .count = rows[i].count, .weights = parts[i].weights};
    }
    if (!(weights > 0)) return sustain__fail(context, SUSTAIN_ARGUMENT, "all weights are 0: there is nothing to fit on");
    return sustain__softmax_fit(context, o, some, part_count, y);
}

/* labels (count) of the likeliest classes, from probabilities that need not be the caller's. */
static sustain_status predict(sustain_context *context, const sustain_softmax_options *o, const sustain_rows *rows, const sustain_real *y,
                              float *probabilities, int32_t *labels) {
    const sustain__some_rows all = {.rows = rows, .count = rows->count};
    SUSTAIN_TRY(sustain__softmax_predict(context, o, &all, y, probabilities));
    for (int64_t i = 0; i < rows->count; i++)
        if (!isfinite(probabilities[i * o->classes])) /* one is not: none of its row is */
            return sustain__fail(context, SUSTAIN_NOT_FINITE,
                                 "the features of row %lld are too large for the model: its scores are beyond all numbers", (long long)i);
    for (int64_t i = 0; i < rows->count && labels != NULL; i++) labels[i] = sustain__likeliest(o->classes, probabilities + i * o->classes);
    return SUSTAIN_OK;
}

sustain_status sustain_softmax_predict(sustain_context *context, const sustain_softmax_options *given, const sustain_rows *rows,
                                       const sustain_real *y, float *probabilities, int32_t *labels) {
    sustain_rows taken;
    sustain_softmax_options options;
    const sustain_softmax_options *const o = &options;
    if (context == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(take_options(context, given, &options));
    if (y == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "y is NULL");
    SUSTAIN_TRY(check_fourier(context, o));
    SUSTAIN_TRY(take(context, o, SUSTAIN__LABELS_NONE, rows, &taken));
    if (probabilities != NULL) return predict(context, o, &taken, y, probabilities, labels);
    float *own;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)taken.count, (size_t)o->classes * sizeof *own), &own));
    const sustain_status status = predict(context, o, &taken, y, own, labels);
    sustain__free(context, own);
    return status;
}

sustain_status sustain_softmax_accuracy(sustain_context *context, const sustain_softmax_options *given, const sustain_rows *rows,
                                        const sustain_real *y, double *accuracy) {
    sustain_rows taken;
    sustain_softmax_options options;
    const sustain_softmax_options *const o = &options;
    if (context == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(take_options(context, given, &options));
    if (y == NULL || accuracy == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "y or the place for the accuracy is NULL");
    SUSTAIN_TRY(check_fourier(context, o));
    SUSTAIN_TRY(take(context, o, SUSTAIN__LABELS_CLASSES, rows, &taken));
    return sustain__softmax_accuracy(context, o, &taken, y, accuracy);
}

/* regtune_create.c - penalties of a linear model, tuned on validation rows: every number looked at, the constants, construction. */
#include <math.h>

#include "core/context.h"
#include "problems/regtune.h"

typedef sustain_regtune_options options_t;

/* Not more than this many numbers in y, so that no size overflows. */
#define MOST_NUMBERS (INT64_MAX / 1024)

sustain_regtune_options sustain_regtune_defaults(void) {
    return (sustain_regtune_options){.loss = SUSTAIN_REGTUNE_LOGISTIC, .penalty = SUSTAIN_REGTUNE_FEATURE, .floor = 1e-6};
}

/* ---- the options ---- */

static sustain_status check_groups(sustain_context *context, const options_t *o) {
    if (o->group == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "a penalty by group needs the array `group`; it is NULL");
    if (o->groups < 1 || o->groups > MOST_NUMBERS)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there must be at least 1 group (there are %lld)", (long long)o->groups);
    for (int64_t j = 0; j < o->dim; j++)
        if (o->group[j] < 0 || o->group[j] >= o->groups)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "the group of feature %lld is %ld, not one of 0 to %lld", (long long)j,
                                 (long)o->group[j], (long long)(o->groups - 1));
    return SUSTAIN_OK;
}

static sustain_status check_options(sustain_context *context, const options_t *o) {
    if (o == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "the options are NULL");
    if (o->dim < 1) return sustain__fail(context, SUSTAIN_ARGUMENT, "dim must be at least 1 (it is %lld)", (long long)o->dim);
    switch (o->loss) {
    case SUSTAIN_REGTUNE_LOGISTIC:
    case SUSTAIN_REGTUNE_SQUARED:
        break;
    case SUSTAIN_REGTUNE_SOFTMAX:
        if (o->classes < 2)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "softmax needs at least 2 classes (there are %lld)", (long long)o->classes);
        break;
    default:
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there is no loss number %d", (int)o->loss);
    }
    const int64_t width = o->loss == SUSTAIN_REGTUNE_SOFTMAX ? o->classes : 1;
    if (o->dim >= MOST_NUMBERS / width)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "dim %lld times %lld classes is too large", (long long)o->dim, (long long)width);
    if (!(o->floor >= 0 && isfinite((sustain_real)o->floor)))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the floor under the penalties must be 0 or positive, and finite (it is %g)",
                             o->floor);
    if (!(o->x_0 >= -40 && o->x_0 <= 40))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "x_0, the logarithm of a penalty, must be in -40 .. 40 (it is %g)", o->x_0);
    switch (o->penalty) {
    case SUSTAIN_REGTUNE_FEATURE:
    case SUSTAIN_REGTUNE_SINGLE:
        return SUSTAIN_OK;
    case SUSTAIN_REGTUNE_GROUP:
        return check_groups(context, o);
    case SUSTAIN_REGTUNE_CLASS:
        if (o->loss != SUSTAIN_REGTUNE_SOFTMAX)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "a penalty by class needs the softmax loss: others have no classes");
        return SUSTAIN_OK;
    }
    return sustain__fail(context, SUSTAIN_ARGUMENT, "there is no penalty number %d", (int)o->penalty);
}

/* ---- the rows ---- */

/* Rows under the name that messages call them by. */
typedef struct named {
    sustain_context *context;
    const options_t *options;
    const sustain_regtune_rows *rows;
    const char *name;
} named;

static sustain_status check_arrays(const named *n) {
    const sustain_regtune_rows *r = n->rows;
    if (r == NULL) return sustain__fail(n->context, SUSTAIN_ARGUMENT, "the %s rows are NULL", n->name);
    if (r->count < 1)
        return sustain__fail(n->context, SUSTAIN_ARGUMENT, "there must be at least one %s row (there are %lld)", n->name,
                             (long long)r->count);
    if (r->start == NULL && r->count >= MOST_NUMBERS / n->options->dim)
        return sustain__fail(n->context, SUSTAIN_ARGUMENT, "%lld dense %s rows of %lld columns are too many", (long long)r->count, n->name,
                             (long long)n->options->dim);
    const bool empty = r->start != NULL && r->start[r->count] == 0; /* no non-zero at all: the arrays may be missing */
    if (!empty && (r->values == NULL || (r->start != NULL && r->columns == NULL)))
        return sustain__fail(n->context, SUSTAIN_ARGUMENT, "the values or columns of the %s rows are NULL", n->name);
    if (n->options->loss == SUSTAIN_REGTUNE_SQUARED ? r->targets == NULL : r->labels == NULL)
        return sustain__fail(n->context, SUSTAIN_ARGUMENT, "the %s of the %s rows are NULL",
                             n->options->loss == SUSTAIN_REGTUNE_SQUARED ? "targets" : "labels", n->name);
    return SUSTAIN_OK;
}

static sustain_status check_label(const named *n, int64_t i) {
    const options_t *o = n->options;
    if (o->loss == SUSTAIN_REGTUNE_SQUARED) {
        if (isfinite(n->rows->targets[i])) return SUSTAIN_OK;
        return sustain__fail(n->context, SUSTAIN_ARGUMENT, "the target of %s row %lld is not finite", n->name, (long long)i);
    }
    const int32_t label = n->rows->labels[i];
    if (o->loss == SUSTAIN_REGTUNE_LOGISTIC) {
        if (label == 1 || label == -1) return SUSTAIN_OK;
        return sustain__fail(n->context, SUSTAIN_ARGUMENT, "the label of %s row %lld is %ld, not -1 or 1", n->name, (long long)i,
                             (long)label);
    }
    if (label >= 0 && label < o->classes) return SUSTAIN_OK;
    return sustain__fail(n->context, SUSTAIN_ARGUMENT, "the label of %s row %lld is %ld, not one of 0 to %lld", n->name, (long long)i,
                         (long)label, (long long)(o->classes - 1));
}

/* The columns of sparse row i, whose entries are at `from` up to before `to`. */
static sustain_status check_columns(const named *n, int64_t i, int64_t from, int64_t to) {
    const int32_t *columns = n->rows->columns;
    for (int64_t e = from; e < to; e++) {
        if (columns[e] < 0 || columns[e] >= n->options->dim)
            return sustain__fail(n->context, SUSTAIN_ARGUMENT, "a column of %s row %lld is %ld, not one of 0 to %lld", n->name,
                                 (long long)i, (long)columns[e], (long long)(n->options->dim - 1));
        if (e > from && columns[e] == columns[e - 1])
            return sustain__fail(n->context, SUSTAIN_ARGUMENT, "%s row %lld has column %ld twice: add the values up", n->name, (long long)i,
                                 (long)columns[e]);
        if (e > from && columns[e] < columns[e - 1])
            return sustain__fail(n->context, SUSTAIN_ARGUMENT, "the columns of %s row %lld are not sorted: %ld comes after %ld", n->name,
                                 (long long)i, (long)columns[e], (long)columns[e - 1]);
    }
    return SUSTAIN_OK;
}

/* Looks at everything, and finds the largest |(a_i, 1)|^2. */
static sustain_status check_rows(const named *n, double *largest) {
    SUSTAIN_TRY(check_arrays(n));
    const sustain_regtune_rows *r = n->rows;
    const int64_t dim = n->options->dim;
    if (r->start != NULL && r->start[0] < 0)
        return sustain__fail(n->context, SUSTAIN_ARGUMENT, "the first row pointer of the %s rows is negative, %lld", n->name,
                             (long long)r->start[0]);
    for (int64_t i = 0; i < r->count && r->start != NULL; i++) /* first, so that nothing is read in a wrong place */
        if (r->start[i + 1] < r->start[i])
            return sustain__fail(n->context, SUSTAIN_ARGUMENT, "row pointer %lld of the %s rows, %lld, is less than the one before, %lld",
                                 (long long)(i + 1), n->name, (long long)r->start[i + 1], (long long)r->start[i]);
    for (int64_t i = 0; i < r->count; i++) {
        SUSTAIN_TRY(check_label(n, i));
        const int64_t from = r->start != NULL ? r->start[i] : i * dim, to = r->start != NULL ? r->start[i + 1] : from + dim;
        if (r->start != NULL) SUSTAIN_TRY(check_columns(n, i, from, to));
        double square = n->options->intercept ? 1 : 0;
        for (int64_t e = from; e < to; e++) {
            const double value = (double)r->values[e];
            if (!isfinite(value))
                return sustain__fail(n->context, SUSTAIN_ARGUMENT, "the feature in column %lld of %s row %lld is not finite",
                                     (long long)(r->start != NULL ? r->columns[e] : e - from), n->name, (long long)i);
            square += value * value;
        }
        if (square > *largest) *largest = square;
    }
    return SUSTAIN_OK;
}

/* ---- construction ---- */

/* What holds for every draw and every x. With R = max |(a_i, 1)| over validation rows: |r| is at most 1 (logistic) or sqrt(2) (softmax),
 * C at most 1/4, 1/2 (Boehning 1992) or 1 (squared). What concerns g beside its floor grows with exp(x), and is not known. */
static sustain_constants bounds(const options_t *o, double largest) {
    sustain_constants known = sustain_constants_unknown();
    if (o->floor > 0) known.mu_g = o->floor;
    known.L_fx = known.sigma_fx = 0; /* f does not depend on x */
    switch (o->loss) {
    case SUSTAIN_REGTUNE_LOGISTIC:
        known.C_fy = sqrt(largest);
        known.L_fy = largest / 4;
        break;
    case SUSTAIN_REGTUNE_SOFTMAX:
        known.C_fy = sqrt(2 * largest);
        known.L_fy = largest / 2;
        break;
    case SUSTAIN_REGTUNE_SQUARED:
        known.C_fy = INFINITY;
        known.L_fy = largest;
        break;
    }
    return known;
}

static int64_t upper_dim(const options_t *o) {
    switch (o->penalty) {
    case SUSTAIN_REGTUNE_FEATURE:
        return o->dim;
    case SUSTAIN_REGTUNE_GROUP:
        return o->groups;
    case SUSTAIN_REGTUNE_CLASS:
        return o->classes;
    case SUSTAIN_REGTUNE_SINGLE:
        break;
    }
    return 1;
}

/* Rows without any non-zero may come without arrays; what is made of them here is never read. */
static sustain_regtune_rows with_arrays(const sustain_regtune_rows *rows) {
    static const float no_value = 0;
    static const int32_t no_column = 0;
    sustain_regtune_rows r = *rows;
    if (r.values == NULL) r.values = &no_value;
    if (r.columns == NULL) r.columns = &no_column;
    return r;
}

sustain_status sustain_regtune_create(sustain_context *context, const sustain_regtune_options *options,
                                      const sustain_regtune_rows *training, const sustain_regtune_rows *validation, sustain_problem **out) {
    *out = NULL;
    double ignored = 0, largest = 0;
    SUSTAIN_TRY(check_options(context, options));
    SUSTAIN_TRY(check_rows(&(named){context, options, training, "training"}, &ignored));
    SUSTAIN_TRY(check_rows(&(named){context, options, validation, "validation"}, &largest));

    sustain__regtune *h;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *h, &h));
    h->context = context;
    h->options = *options;
    h->rows[SUSTAIN_UPPER] = with_arrays(validation);
    h->rows[SUSTAIN_LOWER] = with_arrays(training);
    h->width = options->loss == SUSTAIN_REGTUNE_SOFTMAX ? options->classes : 1;
    h->known = bounds(options, largest);
    h->problem = (sustain_problem){.ops = &sustain__regtune_ops,
                                   .self = h,
                                   .upper_dim = upper_dim(options),
                                   .lower_dim = (options->dim + (options->intercept ? 1 : 0)) * h->width,
                                   .samples = {validation->count, training->count},
                                   .has_expectation = true,
                                   .known = &h->known};
    *out = &h->problem;
    return SUSTAIN_OK;
}

void sustain_regtune_destroy(sustain_problem *problem) {
    if (problem == NULL) return;
    sustain__regtune *h = (sustain__regtune *)problem;
    sustain__free(h->context, h);
}

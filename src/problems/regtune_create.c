/* regtune_create.c - penalties of a linear model, tuned on validation rows: checks, constants,
 * construction. */
#include <math.h>

#include "core/sized.h"
#include "problems/regtune_internal.h"

typedef sustain_regtune_options options_t;

static const options_t default_options = {.loss = SUSTAIN_REGTUNE_LOGISTIC, .penalty = SUSTAIN_REGTUNE_FEATURE, .floor = 1e-6};

void sustain_regtune_defaults_for(size_t size, sustain_regtune_options *options) {
    sustain__sized_fill(options, size, &default_options, sizeof default_options);
}

sustain_status sustain__regtune_take_options(sustain_context *context, const sustain_regtune_options *given, sustain_regtune_options *out) {
    *out = default_options;
    return sustain__sized_take(context, "the options", given, SUSTAIN__SIZE_THROUGH(sustain_regtune_options, x_0), out, sizeof *out);
}

/* ---- the options ---- */

static sustain_status check_groups(sustain_context *context, const options_t *o, int64_t dim) {
    if (o->group == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "a penalty by group needs the array `group`; it is NULL");
    if (o->groups < 1 || o->groups > SUSTAIN__MOST_NUMBERS)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there must be at least 1 group (there are %lld)", (long long)o->groups);
    for (int64_t j = 0; j < dim; j++)
        if (o->group[j] < 0 || o->group[j] >= o->groups)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "the group of feature %lld is %ld, not one of 0 to %lld", (long long)j,
                                 (long)o->group[j], (long long)(o->groups - 1));
    return SUSTAIN_OK;
}

static sustain_status check_feasible(sustain_context *context, const options_t *o) {
    if ((int)o->feasible < SUSTAIN_REGTUNE_FREE || (int)o->feasible > SUSTAIN_REGTUNE_SIMPLEX)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there is no feasible set number %d", (int)o->feasible);
    const bool several = o->folds > 0 || sustain__regtune_loss_number((int)o->loss)->labels == SUSTAIN__LABELS_CLASSES;
    if (o->feasible == SUSTAIN_REGTUNE_SIMPLEX && several)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "mixture weights need a loss with one score for each row, and no folds");
    return SUSTAIN_OK;
}

static sustain_status check_options(sustain_context *context, const options_t *o) {
    const sustain__loss *loss = sustain__regtune_loss_number((int)o->loss);
    if (loss == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "there is no loss number %d", (int)o->loss);
    if (loss->labels == SUSTAIN__LABELS_CLASSES && o->classes < 2)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "softmax needs at least 2 classes (there are %lld)", (long long)o->classes);
    if (!(o->floor >= 0 && isfinite((sustain_real)o->floor)))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the floor under the penalties must be 0 or positive, and finite (it is %g)",
                             o->floor);
    if (!(o->x_0 >= -40 && o->x_0 <= 40))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "x_0, the logarithm of a penalty, must be in -40 .. 40 (it is %g)", o->x_0);
    SUSTAIN_TRY(check_feasible(context, o));
    switch (o->penalty) {
    case SUSTAIN_REGTUNE_FEATURE:
    case SUSTAIN_REGTUNE_SINGLE:
    case SUSTAIN_REGTUNE_GROUP: /* checked when the number of features is known */
        return SUSTAIN_OK;
    case SUSTAIN_REGTUNE_CLASS:
        if (loss->labels != SUSTAIN__LABELS_CLASSES)
            return sustain__fail(context, SUSTAIN_ARGUMENT, "a penalty by class needs the softmax loss: others have no classes");
        return SUSTAIN_OK;
    }
    return sustain__fail(context, SUSTAIN_ARGUMENT, "there is no penalty number %d", (int)o->penalty);
}

/* ---- construction ---- */

/* What holds for every draw and every x, with R = max |(a_i, 1)| over validation rows. What
 * concerns g beside its floor grows with exp(x), and is not known. */
static sustain_constants bounds(const options_t *o, double largest) {
    const sustain__loss *loss = sustain__regtune_loss_number((int)o->loss);
    sustain_constants known = sustain_constants_unknown();
    if (o->floor > 0) known.mu_g = o->floor;
    known.L_fx = known.sigma_fx = 0; /* f does not depend on x */
    known.C_fy = loss->steepest * sqrt(largest);
    known.L_fy = loss->sharpest * largest;
    return known;
}

static int64_t upper_dim(const options_t *o, int64_t dim) {
    switch (o->penalty) {
    case SUSTAIN_REGTUNE_FEATURE:
        return dim;
    case SUSTAIN_REGTUNE_GROUP:
        return o->groups;
    case SUSTAIN_REGTUNE_CLASS:
        return o->classes;
    case SUSTAIN_REGTUNE_SINGLE:
        break;
    }
    return 1;
}

const sustain__loss *sustain__regtune_loss_number(int loss) {
    static const sustain__loss *const losses[] = {[SUSTAIN_REGTUNE_LOGISTIC] = &sustain__loss_logistic,
                                                  [SUSTAIN_REGTUNE_SOFTMAX] = &sustain__loss_softmax,
                                                  [SUSTAIN_REGTUNE_SQUARED] = &sustain__loss_squared,
                                                  [SUSTAIN_REGTUNE_HUBER] = &sustain__loss_huber,
                                                  [SUSTAIN_REGTUNE_POISSON] = &sustain__loss_poisson};
    return loss >= 0 && loss < (int)(sizeof losses / sizeof *losses) ? losses[loss] : NULL;
}

sustain__wanted_rows sustain__regtune_wanted(const sustain_regtune_options *options, const char *called) {
    return (sustain__wanted_rows){called, sustain__regtune_loss_number((int)options->loss)->labels, options->classes};
}

sustain_status sustain_regtune_create(sustain_context *context, const sustain_regtune_options *given, const sustain_rows *training,
                                      const sustain_rows *validation, sustain_problem **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    sustain_regtune_options taken;
    const sustain_regtune_options *const options = &taken;
    SUSTAIN_TRY(sustain__regtune_take_options(context, given, &taken));
    SUSTAIN_TRY(check_options(context, options));
    const sustain__wanted_rows wanted[2] = {sustain__regtune_wanted(options, "validation"), sustain__regtune_wanted(options, "training")};
    sustain__model model = {.width = wanted[0].labels == SUSTAIN__LABELS_CLASSES ? options->classes : 1, .intercept = options->intercept};
    SUSTAIN_TRY(sustain__regtune_check_folds(context, options, training, validation));
    if (options->folds > 0) model.width *= options->folds;
    SUSTAIN_TRY(sustain__rows_dim(context, training, &wanted[1], validation, &wanted[0], model.width, &model.dim));
    if (options->penalty == SUSTAIN_REGTUNE_GROUP) SUSTAIN_TRY(check_groups(context, options, model.dim));
    sustain_rows rows[2];
    double largest[2];
    SUSTAIN_TRY(sustain__rows_take(context, training, &wanted[SUSTAIN_LOWER], &largest[SUSTAIN_LOWER], &rows[SUSTAIN_LOWER]));
    SUSTAIN_TRY(sustain__rows_take(context, validation, &wanted[SUSTAIN_UPPER], &largest[SUSTAIN_UPPER], &rows[SUSTAIN_UPPER]));

    sustain__regtune *h;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *h, &h));
    h->context = context;
    h->options = *options;
    h->loss = sustain__regtune_loss_number((int)options->loss);
    h->rows[SUSTAIN_UPPER] = rows[SUSTAIN_UPPER];
    h->rows[SUSTAIN_LOWER] = rows[SUSTAIN_LOWER];
    h->model = model;
    h->kernels = sustain__kernels_best();
    h->add_logistic = sustain__logistic_best();
    h->known = bounds(options, largest[SUSTAIN_UPPER] + (model.intercept ? 1 : 0));
    h->ops = sustain__regtune_ops;
    h->fast = *h->ops.fast;
    h->ops.fast = &h->fast;
    if (options->feasible != SUSTAIN_REGTUNE_FREE) h->fast.project_y = sustain__regtune_project;
    h->problem = (sustain_problem){.ops = &h->ops,
                                   .self = h,
                                   .upper_dim = upper_dim(options, model.dim),
                                   .lower_dim = sustain__model_size(&model),
                                   .samples = {validation->count, training->count},
                                   .has_expectation = true,
                                   .known = &h->known};
    sustain__regtune_weigh_folds(h);
    sustain__regtune_see_sparse(h);
    const sustain_status status = sustain__regtune_shorten(h);
    if (status == SUSTAIN_OK)
        *out = &h->problem;
    else
        sustain_regtune_destroy(&h->problem);
    return status;
}

void sustain_regtune_destroy(sustain_problem *problem) {
    if (problem == NULL) return;
    sustain__regtune *h = (sustain__regtune *)problem;
    for (int level = 0; level < 2; level++) sustain__free(h->context, h->brief[level].values);
    sustain__free(h->context, h);
}

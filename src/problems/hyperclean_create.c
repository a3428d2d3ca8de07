/* hyperclean_create.c - data hyper-cleaning: the constants, construction. */
#include <math.h>

#include "core/sized.h"
#include "problems/hyperclean_internal.h"

typedef sustain__hyperclean hyperclean;

/* What holds for every draw. The Hessian of the cross entropy in the scores, diag(p) - pp', is at
 * most 1/2 (Boehning 1992), and |p - e_b| at most sqrt(2); sigma <= 1 and sigma' <= 1/4. So, with R
 * = max |(a_i, 1)|,
 *
 *   2c <= grad^2_yy g <= 2c + R^2/2,      |grad^2_xy g| <= sqrt(2)/4 R,   and L_g is at least that: it serves Assumption 2(ii) in x too. */
static sustain_constants bounds(double c, double training, double trusted) {
    sustain_constants known = sustain_constants_unknown();
    known.mu_g = 2 * c;
    known.C_gxy = sqrt(2 * training) / 4;
    known.L_g = 2 * c + fmax(training / 2, known.C_gxy);
    known.C_fy = sqrt(2 * trusted);
    known.L_fy = trusted / 2;
    known.L_fx = known.sigma_fx = 0; /* f does not depend on x */
    return known;
}

/* Blocks that are worked on at the same time: fewer where y is long, so that `work` stays below 64
 * MB. */
static int slots_for(const sustain__model *m) {
    const size_t own = sustain__block_bytes(4 * m->width) + 2 * (size_t)sustain__model_size(m) * sizeof(sustain_real);
    const size_t most = ((size_t)64 << 20) / own;
    return most < 1 ? 1 : most > SUSTAIN__CLEAN_SLOTS ? SUSTAIN__CLEAN_SLOTS : (int)most;
}

static const sustain_hyperclean_options default_options = {.c = 0.001, .intercept = true};

void sustain_hyperclean_defaults_for(size_t size, sustain_hyperclean_options *options) {
    sustain__sized_fill(options, size, &default_options, sizeof default_options);
}

/* h->group <- a copy, checked. */
static sustain_status take_groups(hyperclean *h, const sustain_hyperclean_options *o, int64_t rows) {
    if (o->group == NULL)
        return sustain__fail(h->context, SUSTAIN_ARGUMENT, "there are %lld groups, but group is NULL", (long long)o->groups);
    SUSTAIN_TRY(sustain__allocate(h->context, sustain__multiply((size_t)rows, sizeof *h->group), &h->group));
    for (int64_t i = 0; i < rows; i++) {
        h->group[i] = o->group[i];
        if (h->group[i] < 0 || h->group[i] >= o->groups)
            return sustain__fail(h->context, SUSTAIN_ARGUMENT, "the group of training row %lld is %ld, not one of 0 to %lld", (long long)i,
                                 (long)h->group[i], (long long)(o->groups - 1));
    }
    return SUSTAIN_OK;
}

sustain_status sustain_hyperclean_create(sustain_context *context, const sustain_hyperclean_options *given, const sustain_rows *training,
                                         const sustain_rows *trusted, sustain_problem **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    sustain_hyperclean_options taken = default_options;
    const sustain_hyperclean_options *const options = &taken;
    SUSTAIN_TRY(sustain__sized_take(context, "the options", given, SUSTAIN__SIZE_THROUGH(sustain_hyperclean_options, intercept), &taken,
                                    sizeof taken));
    if (options->classes < 2)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "there must be at least 2 classes (there are %lld)", (long long)options->classes);
    if (!(options->c > 0 && isfinite(options->c)))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the regularization c must be positive and finite (it is %g)", options->c);
    if (options->groups < 0)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "groups must not be negative (it is %lld)", (long long)options->groups);
    const sustain__wanted_rows wanted[2] = {{"trusted", SUSTAIN__LABELS_CLASSES, options->classes},
                                            {"training", SUSTAIN__LABELS_CLASSES, options->classes}};
    sustain__model model = {.width = options->classes, .intercept = options->intercept};
    SUSTAIN_TRY(sustain__rows_dim(context, training, &wanted[1], trusted, &wanted[0], model.width, &model.dim));
    sustain_rows rows[2];
    double largest[2];
    SUSTAIN_TRY(sustain__rows_take(context, training, &wanted[SUSTAIN_LOWER], &largest[SUSTAIN_LOWER], &rows[SUSTAIN_LOWER]));
    SUSTAIN_TRY(sustain__rows_take(context, trusted, &wanted[SUSTAIN_UPPER], &largest[SUSTAIN_UPPER], &rows[SUSTAIN_UPPER]));

    hyperclean *h;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *h, &h));
    h->context = context;
    h->ops = sustain__hyperclean_ops;
    h->rows[SUSTAIN_UPPER] = rows[SUSTAIN_UPPER];
    h->rows[SUSTAIN_LOWER] = rows[SUSTAIN_LOWER];
    h->model = model;
    h->kernels = sustain__kernels_best();
    h->c = options->c;
    h->slots = slots_for(&model);
    const double one = model.intercept ? 1 : 0;
    h->known = bounds(options->c, largest[SUSTAIN_LOWER] + one, largest[SUSTAIN_UPPER] + one);
    h->problem = (sustain_problem){.ops = &h->ops,
                                   .self = h,
                                   .upper_dim = training->count,
                                   .lower_dim = sustain__model_size(&model),
                                   .samples = {trusted->count, training->count},
                                   .has_expectation = true,
                                   .known = &h->known};
    if (options->groups > 0) {
        const sustain_status status = take_groups(h, options, training->count);
        sustain__hyperclean_use_groups(&h->ops);
        h->problem.upper_dim = options->groups;
        if (status != SUSTAIN_OK) {
            sustain_hyperclean_destroy(&h->problem);
            return status;
        }
    }
    *out = &h->problem;
    return SUSTAIN_OK;
}

void sustain_hyperclean_destroy(sustain_problem *problem) {
    if (problem == NULL) return;
    hyperclean *h = (hyperclean *)problem;
    sustain__free(h->context, h->group);
    sustain__free(h->context, h);
}

/* meta_options.c - the options of meta learning: parameter table, the paper's settings for each
 * data set and method, consistency checks. */
#include <math.h>
#include <string.h>

#include "core/sized.h"
#include "core/parameter_internal.h"
#include "meta/meta_internal.h"

enum { METHODS = 7, LARGE_PICTURE = 64, WIDTH_LARGE = 32, WIDTH_SMALL = 64, TASKS = 20000, HEADS = 200 };
#define SOLVED 1e-6 /* tolerance of the head if the hypergradient assumes that it is solved */

#define AT(member) offsetof(sustain_meta_options, member)

/* clang-format off */
static const sustain_parameter rows[] = {
    {"method", SUSTAIN_PARAMETER_CHOICE, AT(method), SUSTAIN_META_SUSTAIN, 0, METHODS - 1, "anil|maml|itd-bio|sustain|pretrain|prototype|solver", "how the backbone is trained"},
    {"ways", SUSTAIN_PARAMETER_INTEGER, AT(ways), 5, 2, 1000, NULL, "classes of a task"},
    {"shots", SUSTAIN_PARAMETER_INTEGER, AT(shots), 5, 1, 1000, NULL, "support pictures of each class"},
    {"queries", SUSTAIN_PARAMETER_INTEGER, AT(queries), 5, 1, 1000, NULL, "query pictures of each class, in training"},
    {"tasks", SUSTAIN_PARAMETER_INTEGER, AT(tasks), 32, 1, 100000, NULL, "tasks in an iteration"},
    {"training_tasks", SUSTAIN_PARAMETER_INTEGER, AT(training_tasks), 0, 0, 1e12, NULL, "size of the fixed set of training tasks; 0: 20,000, and 200 for method=solver, which keeps a head for each"},
    {"width", SUSTAIN_PARAMETER_INTEGER, AT(width), 0, 0, 4096, NULL, "filters of each of the four convolutions; 0: 32 for pictures of 64 x 64 and larger, else 64"},
    {"inner_steps", SUSTAIN_PARAMETER_INTEGER, AT(inner_steps), 0, 0, 10000, NULL, "gradient steps on a task; 0: the paper's, 20 for fc100, else 10"},
    {"inner_step", SUSTAIN_PARAMETER_NUMBER, AT(inner_step), 0, 0, 1e6, NULL, "step size of the inner steps; 0: the paper's for data set and method"},
    {"outer_step", SUSTAIN_PARAMETER_NUMBER, AT(outer_step), 0, 0, 1e6, NULL, "step size of x (kappa of sustain with direction=plain); 0: the paper's"},
    {"least_scale", SUSTAIN_PARAMETER_NUMBER, AT(least_scale), NAN, 0, 1, NULL, "normalization scales start uniformly between this and 1; default 0 for heads adapted by gradient steps, else 1"},
    {"direction", SUSTAIN_PARAMETER_CHOICE, AT(direction), SUSTAIN_META_ADAM, 0, 1, "adam|plain", "update direction of x: Adam's, or the gradient (sustain: h^f)"},
    {"lambda", SUSTAIN_PARAMETER_NUMBER, AT(lambda), NAN, 0, 1e6, NULL, "penalty on |y|^2 in the lower level; default 0 for anil and maml, else 0.001"},
    {"hypergradient", SUSTAIN_PARAMETER_CHOICE, AT(hypergradient), SUSTAIN_META_AUTO, 0, 4, "unroll|neumann|cg|exact|auto",
     "sustain: through the inner steps; eq. (7); eq. (6) by conjugate gradients; eq. (6) exactly; auto: exact, or unroll if inner steps are given"},
    {"tolerance", SUSTAIN_PARAMETER_NUMBER, AT(tolerance), 0, 0, 1, NULL, "solve the head until |grad g| is below this, instead of inner steps; 0: inner steps, or 1e-6 for cg and exact"},
    {"K", SUSTAIN_PARAMETER_INTEGER, AT(K), 10, 1, 100000, NULL, "terms of eq. (7)"},
    {"option", SUSTAIN_PARAMETER_CHOICE, AT(option), 1, 0, 1, "1|2", "sustain, eq. (20): the same tasks at two points (I), or the previous gradient (II): half the work, no momentum"},
    {"c_eta", SUSTAIN_PARAMETER_NUMBER, AT(c_eta), 2.5, 0, 1e6, NULL, "sustain: eta_t = min(1, c_eta/(1+t)^(2/3))"},
    {"layers", SUSTAIN_PARAMETER_CHOICE, AT(layers), 0, 0, 3, "best|winograd|onednn|plain", "implementation of convolutions: the fastest here; ours for AVX2 and NEON; oneDNN; plain C"},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };

const sustain_parameter *sustain_meta_parameters(int *count) {
    if (count != NULL) *count = ROWS;
    return rows;
}

static sustain_meta_options default_options(void) {
    sustain_meta_options options = {.dataset = NULL};
    sustain_parameters_reset(rows, ROWS, &options);
    return options;
}

void sustain_meta_defaults_for(size_t size, sustain_meta_options *options) {
    const sustain_meta_options defaults = default_options();
    sustain__sized_fill(options, size, &defaults, sizeof defaults);
}

sustain_status sustain__meta_take_options(sustain_context *context, const sustain_meta_options *given, sustain_meta_options *out) {
    *out = default_options();
    return sustain__sized_take(context, "the options", given, SUSTAIN__SIZE_THROUGH(sustain_meta_options, seed), out, sizeof *out);
}

/* ---- the settings of Section 4 ---- */

typedef struct steps {
    double inner, adam, plain; /* adam, plain: step sizes of x (plain for sustain: kappa) */
} steps;

/* pretrain, prototype, solver: chosen on validation tasks of FC100 and Omniglot, seed 100 */
static const steps steps_of_others = {0.1, 0.005, 0.1};

/* Section 4 gives plain steps only for miniImageNet, and none for maml; FC100 uses the same. It
 * gives kappa in [0.1, 1]; ours was chosen on generated pictures. Omniglot is not in the paper. */
static const struct {
    const char *dataset;
    int64_t inner_steps;
    steps of[SUSTAIN_META_PRETRAIN]; /* anil, maml, itd-bio, sustain */
} settings[] = {
    {"mini-imagenet", 10, {{0.1, 0.002, 0.002}, {0.5, 0.003, 0.003}, {0.05, 0.002, 0.005}, {0.05, 0.005, 1}}},
    {"fc100", 20, {{0.1, 0.001, 0.002}, {0.5, 0.001, 0.003}, {0.1, 0.001, 0.005}, {0.1, 0.005, 1}}},
    {"omniglot", 10, {{0.1, 0.002, 0.002}, {0.5, 0.003, 0.003}, {0.1, 0.002, 0.005}, {0.1, 0.002, 1}}},
};

static const sustain__method *const methods[METHODS] = {&sustain__method_anil,    &sustain__method_maml,     &sustain__method_itd_bio,
                                                        &sustain__method_sustain, &sustain__method_pretrain, &sustain__method_prototype,
                                                        &sustain__method_solver};

const sustain__method *sustain__method_find(const char *name) {
    for (int i = 0; i < METHODS; i++)
        if (strcmp(methods[i]->name, name) == 0) return methods[i];
    return NULL;
}

static void fill_in(const sustain_pictures *pictures, sustain_meta_options *o) {
    size_t set = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (o->dataset != NULL && strcmp(settings[i].dataset, o->dataset) == 0) set = i;
    const steps *own = o->method < SUSTAIN_META_PRETRAIN ? &settings[set].of[o->method] : &steps_of_others;
    const int64_t side = pictures->height < pictures->width ? pictures->height : pictures->width;
    const bool steps_given = o->inner_steps > 0 || o->inner_step > 0;
    /* the only algorithm of the registry that has Adam's direction */
    if (o->method == SUSTAIN_META_SOLVER && o->solver != NULL && strcmp(o->solver, "sustain") != 0) o->direction = SUSTAIN_META_PLAIN;
    if (o->hypergradient == SUSTAIN_META_AUTO)
        o->hypergradient = o->method == SUSTAIN_META_SUSTAIN && !steps_given ? SUSTAIN_META_EXACT : SUSTAIN_META_UNROLL;
    /* a solved head has no inner step that could be too large */
    if (o->tolerance == 0 &&
        (o->hypergradient >= SUSTAIN_META_CG || (o->method == SUSTAIN_META_PRETRAIN && !steps_given) || o->method == SUSTAIN_META_SOLVER))
        o->tolerance = SOLVED;
    if (o->training_tasks == 0) o->training_tasks = o->method == SUSTAIN_META_SOLVER ? HEADS : TASKS;
    if (o->width == 0) o->width = side >= LARGE_PICTURE ? WIDTH_LARGE : WIDTH_SMALL;
    if (o->inner_steps == 0) o->inner_steps = settings[set].inner_steps;
    if (o->inner_step == 0) o->inner_step = own->inner;
    if (o->outer_step == 0) o->outer_step = o->direction == SUSTAIN_META_ADAM ? own->adam : own->plain;
    if (isnan(o->lambda)) o->lambda = methods[o->method]->lambda;
    /* L_g grows with the features: from scales of 1, gradient steps diverge */
    if (isnan(o->least_scale)) o->least_scale = o->tolerance > 0 || methods[o->method]->means ? 1 : 0;
}

static sustain_status check_together(sustain_context *context, const sustain_meta_options *o) {
    const char *method = methods[o->method]->name;
    const bool bilevel = o->method < SUSTAIN_META_PRETRAIN;
    if (!bilevel && o->hypergradient != SUSTAIN_META_UNROLL)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "%s has no hypergradient: its loss does not go through an adapted head", method);
    if (o->method != SUSTAIN_META_SUSTAIN && o->hypergradient != SUSTAIN_META_UNROLL)
        return sustain__fail(
            context, SUSTAIN_ARGUMENT,
            "%s differentiates through its inner steps: hypergradient must be unroll; neumann, cg and exact are for sustain", method);
    if (o->tolerance > 0 && o->hypergradient == SUSTAIN_META_UNROLL && bilevel)
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "hypergradient unroll differentiates through inner steps: leave out tolerance, or choose cg or exact");
    if ((o->tolerance > 0 || o->method == SUSTAIN_META_SOLVER) && !(o->lambda > 0))
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "a head that is solved to a tolerance needs lambda above 0: otherwise it has no solution");
    if (o->solver != NULL && o->method != SUSTAIN_META_SOLVER)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "solver is for method=solver; %s has its own steps", method);
    if (o->first_order && o->method != SUSTAIN_META_MAML)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "first-order is for maml; %s has no second derivatives of the backbone", method);
    return SUSTAIN_OK;
}

/* NAN means "default" here; no range allows it. */
static sustain_status check_ranges(sustain_context *context, const sustain_meta_options *options) {
    sustain_meta_options o = *options;
    if (isnan(o.lambda)) o.lambda = 0;
    if (isnan(o.least_scale)) o.least_scale = 0;
    return sustain__parameters_check(context, rows, ROWS, &o);
}

sustain_status sustain__meta_settle(sustain_context *context, const sustain_pictures *pictures, sustain_meta_options *options) {
    SUSTAIN_TRY(check_ranges(context, options));
    fill_in(pictures, options);
    return check_together(context, options);
}

/* Grey pictures are scaled to 0 .. 1 with 0 for background. Colours are centred, so that the
 * zero padding is mid-grey. */
static sustain__net net_of(const sustain_meta_options *o, const sustain_pictures *p) {
    return (sustain__net){.channels = p->channels,
                          .height = p->height,
                          .width = p->width,
                          .filters = o->width,
                          .pixel_scale = p->channels == 1 ? 1 / 255.0 : 2 / 127.5,
                          .pixel_shift = p->channels == 1 ? 0 : -2,
                          .least_scale = o->least_scale};
}

void sustain__setting_measure(sustain__setting *s) {
    s->dim = sustain__net_dim(&s->net);
    s->features = sustain__net_features(&s->net);
    const int64_t trained = s->method->learns_start ? s->rule.ways : s->method->all_classes ? s->classes : 0;
    s->theta = s->dim + trained * (s->features + 1);
}

/* in the order of the parameter's choices */
static const char *const layers[] = {NULL, "winograd", "onednn", "plain"};

sustain__setting sustain__meta_setting(const sustain_meta_options *o, const sustain_pictures *pictures) {
    sustain__setting s = {
        .method = methods[o->method],
        .net = net_of(o, pictures),
        .rule = {.ways = o->ways, .lambda = o->lambda, .steps = o->inner_steps, .step = o->inner_step, .tolerance = o->tolerance},
        .hyper = (sustain__hyper)o->hypergradient,
        .K = o->K,
        .classes = pictures->classes,
        .layers = layers[o->layers],
        .first_order = o->first_order};
    sustain__setting_measure(&s);
    return s;
}

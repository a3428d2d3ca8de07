/* choose.c - the name "auto": chooses an algorithm for a problem by the first rule that applies.
 * Measurements behind the rules: docs/algorithms/auto.md. */
#include "solvers/solver_internal.h"

enum {
    /* coordinates of x, of which a draw touches few: tables of all samples would follow too
     * slowly */
    MANY = 20000,
    VERY_MANY = 1000000, /* a pass over them costs more than a draw */
    FEW = 20000,         /* samples: a pass over all of them costs little */
    LONG = 50,           /* terms of the series: single steps on y and v take long to follow x */
    SHORT = 10           /* they follow at once */
};
#define NOISY 0.1            /* of the squared gradient: single draws differ */
#define MOST_TABLE_BYTES 5e8 /* of saba's tables, and as much again for their good copy */

/* ---- a probe of the problem (probe.h), from its own start ---- */

typedef struct seen {
    bool tried, probed;   /* a probe may fail: the run will then report why */
    bool cancelled;       /* the caller asked to stop */
    sustain__probe probe; /* zeros without a probe */
} seen;

/* If cancelled, there is no probe and the choice is not valid. */
static void probe_once(sustain_context *context, const sustain_problem *p, seen *s) {
    const sustain_log_sink log = context->log;
    sustain_solver *solver;
    if (s->tried) return;
    s->tried = true;
    context->log = NULL;
    sustain_status status = sustain_solver_create(context, "soba", p, &solver);
    if (status == SUSTAIN_OK) status = sustain_solver_start(solver, NULL, NULL);
    s->probed = status == SUSTAIN_OK;
    s->cancelled = status == SUSTAIN_CANCELLED;
    if (s->probed) s->probe = solver->probe;
    sustain_solver_destroy(solver);
    context->log = log;
}

/* ---- conditions of the rules ---- */

static bool second_order(const sustain_problem *p) {
    return p->ops->g_hess_vec != NULL && p->ops->g_cross_vec != NULL;
}

static bool finite_sum(const sustain_problem *p) {
    return p->samples[SUSTAIN_UPPER] > 0 && p->samples[SUSTAIN_LOWER] > 0;
}

static bool constrained(sustain_context *context, const sustain_problem *p, seen *s) {
    (void)context, (void)s;
    return SUSTAIN__FAST(p, project_y) != NULL;
}

static bool gradients_alone(sustain_context *context, const sustain_problem *p, seen *s) {
    (void)context, (void)s;
    return !second_order(p);
}

static bool very_many(sustain_context *context, const sustain_problem *p, seen *s) {
    (void)context, (void)s;
    return SUSTAIN__FAST(p, support) != NULL && p->ops->project_x == NULL && p->upper_dim >= VERY_MANY;
}

static bool many(sustain_context *context, const sustain_problem *p, seen *s) {
    (void)context, (void)s;
    return SUSTAIN__FAST(p, support) != NULL && p->upper_dim >= MANY;
}

static bool small_tables(sustain_context *context, const sustain_problem *p, seen *s) {
    (void)context, (void)s;
    double numbers = 0;
    if (!finite_sum(p) || SUSTAIN__FAST(p, table_width) == NULL) return false;
    for (int i = SUSTAIN_QUANTITY_F_GRAD_X; i <= SUSTAIN_QUANTITY_G_CROSS_VEC; i++) {
        const sustain_level level = i <= SUSTAIN_QUANTITY_F_GRAD_Y ? SUSTAIN_UPPER : SUSTAIN_LOWER;
        numbers += (double)p->ops->fast->table_width(p->self, (sustain_quantity)i) * (double)p->samples[level];
    }
    return numbers * sizeof(sustain_real) <= MOST_TABLE_BYTES;
}

static bool expected_values(sustain_context *context, const sustain_problem *p, seen *s) {
    (void)context, (void)s;
    return !finite_sum(p) && p->has_expectation;
}

static bool few_and_slow(sustain_context *context, const sustain_problem *p, seen *s) {
    if (!finite_sum(p) || p->samples[SUSTAIN_UPPER] > FEW || p->samples[SUSTAIN_LOWER] > FEW) return false;
    probe_once(context, p, s);
    return s->probe.terms >= LONG && s->probe.noise >= NOISY;
}

static bool easy(sustain_context *context, const sustain_problem *p, seen *s) {
    probe_once(context, p, s);
    return s->probe.terms > 0 && s->probe.terms <= SHORT;
}

static bool always(sustain_context *context, const sustain_problem *p, seen *s) {
    (void)context, (void)p, (void)s;
    return true;
}

static const struct {
    sustain_choice choice;
    bool (*applies)(sustain_context *context, const sustain_problem *problem, seen *s);
} rules[] = {
    {{"pbgd", "y is constrained: the lower level as a penalty, with projections"}, constrained},
    {{"f2sa", "the problem offers no products with second derivatives"}, gradients_alone},
    {{"sustain", "a draw touches few of the very many coordinates of x: the cost of an iteration does not depend on their number"},
     very_many},
    {{"soba", "a draw touches few of the many coordinates of x: all draws improve one shared solution of the linear system"}, many},
    {{"hoag", "few samples, noise, and a lower level that single steps follow slowly: whole passes cost less"}, few_and_slow},
    {{"saba", "a finite sum of linear models: tables of a few numbers per sample remove the noise"}, small_tables},
    {{"hoag", "expected values cost no more than one draw, and have no noise"}, expected_values},
    {{"soba", "well conditioned: one step of everything with each draw is enough"}, easy},
    {{"amigo", "draws are noisy and cannot be stored: several cheap steps of the lower level for each step of x"}, always},
};

const sustain_choice *sustain_solver_choice(int i) {
    return i >= 0 && i < (int)(sizeof rules / sizeof rules[0]) ? &rules[i].choice : NULL;
}

const sustain__algorithm *sustain__choose_algorithm(sustain_context *context, const sustain_problem *problem, sustain__probe *probe,
                                                    bool *probed) {
    seen s = {.tried = false};
    int i = 0;
    while (!rules[i].applies(context, problem, &s)) i++;
    if (s.cancelled) return NULL;
    sustain__log(context, "auto: %s for problem '%s': %s", rules[i].choice.name, problem->ops->name, rules[i].choice.when);
    *probe = s.probe, *probed = s.probed;
    return sustain__algorithm_find(rules[i].choice.name);
}

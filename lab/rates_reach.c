/* rates_reach.c - samples and calls that an algorithm uses until the mean of its criterion over
 * the seeds is at most epsilon.
 *
 * All seeds advance in lockstep. |grad ell(x_t)|^2 is computed in closed form at every t for the
 * mean over t = 0 .. T-1. The mean over the seeds is checked at T = 1, 2, ..., and from 100 on
 * in steps of 1 %; the result is the first T that satisfies the criterion. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rates.h"
#include "solver_point.h"

/* One seed. */
typedef struct lane {
    sustain_solver *solver;
    double sum; /* of |grad ell(x_t)|^2, t < T */
} lane;

typedef struct race {
    const rates_problem *problem;
    int64_t count, T;
    lane *lanes;
    double *x, *gradient; /* (upper_dim) */
} race;

/* ell(x), and optionally |grad ell(x)|^2. */
static double evaluate(const race *r, lane *l, double *squares) {
    return quadratic_at(r->problem->problem, l->solver, r->x, r->gradient, squares);
}

static sustain_status advance(const race *r, lane *l, int64_t to) {
    sustain_status status = SUSTAIN_OK;
    for (int64_t t = r->T; t < to && status == SUSTAIN_OK; t++) {
        if (r->problem->kind == RATES_NONCONVEX) evaluate(r, l, &l->sum);
        status = sustain_solver_step(l->solver);
    }
    return status;
}

static double criterion(const race *r) {
    double sum = 0;
    for (int64_t i = 0; i < r->count; i++)
        sum += r->problem->kind == RATES_NONCONVEX ? r->lanes[i].sum / (double)r->T : evaluate(r, &r->lanes[i], NULL) - r->problem->minimum;
    return sum / (double)r->count;
}

/* Deterministic algorithms use all samples in every call; for them, calls are counted instead of
 * samples. */
static void count(const race *r, rates_point *out) {
    const double share = 1 / (double)r->count;
    out->samples[0] = out->samples[1] = out->calls = 0;
    for (int64_t i = 0; i < r->count; i++) {
        const sustain_counts c = sustain_solver_counts(r->lanes[i].solver);
        const bool drawn = !sustain_solver_describe(r->lanes[i].solver)->deterministic;
        const double products = (double)(c.hessian_products + c.cross_products);
        out->samples[0] += share * (double)(drawn ? c.samples[0] : c.gradients[0]);
        out->samples[1] += share * (drawn ? (double)c.samples[1] : (double)c.gradients[1] + products);
        out->calls += share * ((double)(c.gradients[0] + c.gradients[1]) + products);
    }
    out->iterations = (double)r->T;
}

static sustain_status follow(race *r, double epsilon, const rates_runs *with, rates_point *out) {
    enum { HOPELESS = 1000 }; /* times the first value: the run diverges */
    double first = (double)NAN;
    sustain_status status = SUSTAIN_OK;
    *out = (rates_point){.epsilon = epsilon};
    while (!out->reached && !lab_stopped(with->stop)) {
        const int64_t to = r->T + 1 + r->T / 100;
        for (int64_t i = 0; i < r->count && status == SUSTAIN_OK; i++) status = advance(r, &r->lanes[i], to);
        if (status != SUSTAIN_OK) return status;
        r->T = to;
        out->value = criterion(r);
        if (to == 1) first = out->value;
        count(r, out);
        out->reached = out->value <= with->part * epsilon;
        if (!(out->value <= HOPELESS * first)) break;
        if (out->calls * (double)r->count >= with->budget || out->samples[0] + out->samples[1] >= with->most_samples) break;
    }
    return SUSTAIN_OK;
}

/* ---- the steps of a theorem ---- */

/* NULL: the algorithm has no such parameter. */
static const sustain_parameter *find(const sustain_solver *solver, const char *name) {
    const sustain_solver_info *info = sustain_solver_describe(solver);
    for (int i = 0; i < info->parameter_count; i++)
        if (strcmp(info->parameters[i].name, name) == 0) return &info->parameters[i];
    return NULL;
}

static bool is_integer(const sustain_solver *solver, const char *name) {
    const sustain_parameter *row = find(solver, name);
    return row != NULL && row->type == SUSTAIN_PARAMETER_INTEGER;
}

sustain_status rates_set(sustain_solver *solver, const rates_theorem *theorem, const double *factor, double e) {
    sustain_status status = SUSTAIN_OK;
    if (find(solver, "schedule") != NULL) status = sustain_solver_set(solver, "schedule", "power");
    for (int i = 0; i < RATES_SETTINGS && theorem->settings[i].name != NULL && status == SUSTAIN_OK; i++) {
        const rates_setting *s = &theorem->settings[i];
        if (s->word != NULL) {
            status = sustain_solver_set(solver, s->name, s->word);
            continue;
        }
        const double value = factor[i] * s->value * pow(e, s->power) + s->per_log * log(1 / e);
        /* The ceiling tolerates rounding: 4 e^(-1/2) at e = 1/4 is 8, not 9. */
        status = sustain_solver_set_number(solver, s->name, is_integer(solver, s->name) ? ceil(value * (1 - 1e-12)) : value);
    }
    return status;
}

static sustain_status prepare(sustain_context *context, const rates_row *row, const double *factor, double epsilon, int64_t seed,
                              const rates_problem *p, sustain_solver **out) {
    const sustain_solver_info *info;
    sustain_status status = sustain_solver_create(context, row->name, p->problem, out);
    if (status != SUSTAIN_OK) return status;
    info = sustain_solver_describe(*out);
    status = rates_set(*out, &row->theorem[p->kind], factor, epsilon / rates_epsilon(p->kind, 0));
    if (status == SUSTAIN_OK && !info->deterministic) status = sustain_solver_set_number(*out, "seed", (double)seed);
    if (status == SUSTAIN_OK) status = sustain_solver_set_number(*out, "recover", 0);
    if (status == SUSTAIN_OK) status = sustain_solver_start(*out, p->x_0, p->y_0);
    return status;
}

sustain_status rates_reach(sustain_context *context, const rates_row *row, const rates_problem *problem, const double *factor,
                           double epsilon, const rates_runs *with, rates_point *out) {
    race r = {.problem = problem, .count = with->runs};
    sustain_status status = SUSTAIN_MEMORY;
    r.lanes = calloc((size_t)r.count, sizeof *r.lanes);
    r.x = calloc(2 * (size_t)problem->problem->upper_dim, sizeof *r.x);
    if (r.lanes != NULL && r.x != NULL) {
        r.gradient = r.x + problem->problem->upper_dim;
        status = SUSTAIN_OK;
    }
    for (int64_t i = 0; i < r.count && status == SUSTAIN_OK; i++)
        status = prepare(context, row, factor, epsilon, with->first_seed + i, problem, &r.lanes[i].solver);
    if (status == SUSTAIN_OK) status = follow(&r, epsilon, with, out);
    for (int64_t i = 0; r.lanes != NULL && i < r.count; i++) sustain_solver_destroy(r.lanes[i].solver);
    free(r.lanes);
    free(r.x);
    return status;
}

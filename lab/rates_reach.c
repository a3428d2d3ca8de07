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
    double sum;     /* of |grad ell(x_t)|^2, t < T */
    double *record; /* (checks, RECORD) what was seen at each check */
} lane;

/* The criterion, and the samples of both levels. */
enum { CRITERION, SAMPLES, RECORD = 3 };

typedef struct race {
    const rates_problem *problem;
    int64_t count, T;
    lane *lanes;
    double *x, *gradient; /* (upper_dim) */
    int64_t checks, room; /* of the records */
    double *at;           /* (checks) T of each */
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

static double criterion_of(const race *r, lane *l) {
    return r->problem->kind == RATES_NONCONVEX ? l->sum / (double)r->T : evaluate(r, l, NULL) - r->problem->minimum;
}

static double criterion(const race *r) {
    double sum = 0;
    for (int64_t i = 0; i < r->count; i++) sum += criterion_of(r, &r->lanes[i]);
    return sum / (double)r->count;
}

/* ---- resampled seeds ---- */

static sustain_status make_room(race *r) {
    if (r->checks < r->room) return SUSTAIN_OK;
    r->room = 2 * r->room + 256;
    double *at = realloc(r->at, (size_t)r->room * sizeof *at);
    if (at == NULL) return SUSTAIN_MEMORY;
    r->at = at;
    for (int64_t i = 0; i < r->count; i++) {
        double *record = realloc(r->lanes[i].record, (size_t)(r->room * RECORD) * sizeof *record);
        if (record == NULL) return SUSTAIN_MEMORY;
        r->lanes[i].record = record;
    }
    return SUSTAIN_OK;
}

static sustain_status record(race *r) {
    const sustain_status status = make_room(r);
    if (status != SUSTAIN_OK) return status;
    r->at[r->checks] = (double)r->T;
    for (int64_t i = 0; i < r->count; i++) {
        const sustain_counts c = sustain_solver_counts(r->lanes[i].solver);
        double *seen = r->lanes[i].record + r->checks * RECORD;
        seen[CRITERION] = criterion_of(r, &r->lanes[i]);
        seen[SAMPLES] = (double)c.samples[0], seen[SAMPLES + 1] = (double)c.samples[1];
    }
    r->checks++;
    return SUSTAIN_OK;
}

/* Mean of a recorded number over the lanes `drawn`. */
static double mean_at(const race *r, const int64_t *drawn, int64_t check, int what) {
    double sum = 0;
    for (int64_t i = 0; i < r->count; i++) sum += r->lanes[drawn[i]].record[check * RECORD + what];
    return sum / (double)r->count;
}

/* Where the drawn seeds are above epsilon until the end, T is extrapolated along the power law of
 * their criterion from half of T on. */
static double beyond(const race *r, const int64_t *drawn, double epsilon) {
    const int64_t last = r->checks - 1;
    int64_t half = last;
    while (half > 0 && r->at[half] > 0.5 * r->at[last]) half--;
    const double end = mean_at(r, drawn, last, CRITERION);
    const double power = -log(end / mean_at(r, drawn, half, CRITERION)) / log(r->at[last] / r->at[half]);
    return pow(end / epsilon, 1 / fmin(2, fmax(0.2, power)));
}

/* The bootstrap: as many seeds as there are, drawn with replacement; the samples until their mean
 * is at most epsilon. */
static void resample(const race *r, double epsilon, int64_t seed, int64_t *drawn, rates_point *out) {
    for (int b = 0; b < RATES_RESAMPLES; b++) {
        int64_t check = 0;
        for (int64_t i = 0; i < r->count; i++) drawn[i] = sustain_random_index((uint64_t)seed, 0, (uint64_t)b, (uint32_t)i, r->count);
        while (check < r->checks && mean_at(r, drawn, check, CRITERION) > epsilon) check++;
        const double longer = check < r->checks ? 1 : beyond(r, drawn, epsilon);
        if (check == r->checks) check--;
        for (int level = 0; level < 2; level++) out->resampled[level][b] = longer * mean_at(r, drawn, check, SAMPLES + level);
    }
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
    *out = (rates_point){.epsilon = epsilon, .resampled = {{(double)NAN}, {(double)NAN}}};
    while (!out->reached && !lab_stopped(with->stop)) {
        const int64_t to = r->T + 1 + r->T / 100;
        for (int64_t i = 0; i < r->count && status == SUSTAIN_OK; i++) status = advance(r, &r->lanes[i], to);
        if (status != SUSTAIN_OK) return status;
        r->T = to;
        out->value = criterion(r);
        if (to == 1) first = out->value;
        if (with->resample) status = record(r);
        if (status != SUSTAIN_OK) return status;
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

sustain_status rates_set(sustain_solver *solver, const rates_theorem *theorem, const double *factor, double e, double share) {
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
        const double whole = s->per_log > 0 ? floor(value * (1 + 1e-12) + share) : ceil(value * (1 - 1e-12));
        status = sustain_solver_set_number(solver, s->name, is_integer(solver, s->name) ? whole : value);
    }
    return status;
}

static sustain_status prepare(sustain_context *context, const rates_row *row, const double *factor, double epsilon, int64_t seed,
                              double share, const rates_problem *p, sustain_solver **out) {
    const sustain_solver_info *info;
    sustain_status status = sustain_solver_create(context, rates_solver(row), p->problem, out);
    if (status != SUSTAIN_OK) return status;
    info = sustain_solver_describe(*out);
    status = rates_set(*out, &row->theorem[p->kind], factor, epsilon / rates_epsilon(p->kind, 0), share);
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
    int64_t *drawn = calloc((size_t)r.count, sizeof *drawn);
    if (r.lanes != NULL && r.x != NULL && drawn != NULL) {
        r.gradient = r.x + problem->problem->upper_dim;
        status = SUSTAIN_OK;
    }
    for (int64_t i = 0; i < r.count && status == SUSTAIN_OK; i++)
        status =
            prepare(context, row, factor, epsilon, with->first_seed + i, ((double)i + 0.5) / (double)r.count, problem, &r.lanes[i].solver);
    if (status == SUSTAIN_OK) status = follow(&r, epsilon, with, out);
    if (status == SUSTAIN_OK && with->resample && r.count > 1 && out->reached)
        resample(&r, with->part * epsilon, with->first_seed, drawn, out);
    for (int64_t i = 0; r.lanes != NULL && i < r.count; i++) sustain_solver_destroy(r.lanes[i].solver), free(r.lanes[i].record);
    free(r.lanes);
    free(r.at);
    free(drawn);
    free(r.x);
    return status;
}

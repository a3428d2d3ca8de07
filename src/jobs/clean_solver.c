/* clean_solver.c - how a solver is set up for cleaning. None of the numbers knows the data's scale:
 *
 *   L     = mean |a|^2 / classes: twice what the Hessian of g can be at x = 0, y = 0
 *   beta  = 2.5 / L
 *   T     = PASSES passes over the rows, and at least LEAST_ITERATIONS; more than MANY_ROWS are passed over less often, in larger draws: T stays
 *   alpha = PASSES n / T: the derivative in x_i is a score (of the linear system's solution on row i) by n, so that alpha of the order of n moves
 *           every x_i by what its score says. In all x_i goes a few units: far enough to tell rows apart, and not so far that the weights
 *           fit the trusted rows by heart, which begins soon after; twice that for an algorithm with a Neumann series, whose draws are larger
 *
 * Both steps decay like (1 + t/w)^(-1/4), w = T / PASSES: one pass. Algorithms without a line below
 * keep what they are by themselves. */
#include <math.h>
#include <string.h>

#include "jobs/clean_job.h"

enum {
    BATCH = 512,
    PASSES = 20,
    MANY_ROWS = 50000,
    LEAST_PASSES = 5,
    LEAST_ITERATIONS = 1000,
    SPARSE_PASSES = 3,
    LEAST_SPARSE_ITERATIONS = 30,
    EVALUATIONS = 20,
    LEAST_BETWEEN = 200
};
#define DECAY 0.25

/* What an algorithm is given besides. */
typedef struct setup {
    const char *solver;
    int64_t batch; /* of 50,000 rows; of fewer less */
    int64_t terms; /* K of the Neumann series; 0: the algorithm has none */
} setup;

static const setup setups[] = {{"sustain", 8192, 30}, {"soba", BATCH, 0}, {"ma-soba", BATCH, 0}};

static const setup *setup_of(const sustain_clean *c) {
    const char *name = sustain_solver_describe(c->solver)->name;
    for (size_t i = 0; i < sizeof setups / sizeof *setups; i++)
        if (strcmp(name, setups[i].solver) == 0) return &setups[i];
    return NULL;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}

/* Passes over the rows. Every row of many has its own weight still to learn, but y and v learn as
 * much from a part of them. */
static int64_t passes_of(const sustain_clean *c, const setup *s) {
    if (s != NULL && s->terms > 0) return PASSES;
    return clamp((int64_t)PASSES * MANY_ROWS / clamp(c->training.count, 1, INT64_MAX), LEAST_PASSES, PASSES);
}

static int64_t batch_of(const sustain_clean *c, const setup *s) {
    const int64_t times = passes_of(c, s) * c->training.count / ((int64_t)PASSES * MANY_ROWS);
    if (c->options.batch > 0) return c->options.batch;
    if (s != NULL && s->terms == 0 && c->training.start == NULL && times > 1) return times * BATCH;
    return clamp(s != NULL ? s->batch : BATCH, 1, clamp(c->training.count / 4, 1, INT64_MAX));
}

/* An algorithm whose draws are large needs fewer of them for the same passes; y needs a number of
 * steps all the same. */
static int64_t iterations_of(const sustain_clean *c, const setup *s) {
    if (c->training.start != NULL && s != NULL && s->terms == 0) /* more change nothing on text, and cost the most there */
        return clamp(SPARSE_PASSES * c->training.count / batch_of(c, s), LEAST_SPARSE_ITERATIONS, INT64_MAX);
    const int64_t least = s != NULL && s->terms > 0 ? LEAST_ITERATIONS / 8 : LEAST_ITERATIONS;
    return clamp(passes_of(c, s) * c->training.count / batch_of(c, s), least, INT64_MAX);
}

static bool has_parameter(const sustain_solver *solver, const char *name) {
    const sustain_solver_info *info = sustain_solver_describe(solver);
    for (int i = 0; i < info->parameter_count; i++)
        if (strcmp(info->parameters[i].name, name) == 0) return true;
    return false;
}

static sustain_status set(const sustain_clean *c, const char *name, double value) {
    return has_parameter(c->solver, name) ? sustain_solver_set_number(c->solver, name, value) : SUSTAIN_OK;
}

sustain_status sustain__clean_set_up(sustain_clean *c) {
    const setup *s = setup_of(c);
    SUSTAIN_TRY(set(c, "seed", (double)c->options.seed));
    SUSTAIN_TRY(set(c, "batch", (double)batch_of(c, s)));
    if (s == NULL) return SUSTAIN_OK;
    const double T = (double)iterations_of(c, s), w = T / PASSES, grown = pow(w, DECAY), n = (double)c->training.count;
    const double L = c->mean_square / (double)c->options.classes;
    SUSTAIN_TRY(sustain_solver_set(c->solver, "schedule", "power"));
    SUSTAIN_TRY(set(c, "w", w));
    SUSTAIN_TRY(set(c, "p", DECAY));
    SUSTAIN_TRY(set(c, "alpha", (s->terms > 0 ? 2 : 1) * PASSES * n / T * grown));
    SUSTAIN_TRY(set(c, "beta", 2.5 / L * grown));
    SUSTAIN_TRY(set(c, "L_g", L / 2));
    SUSTAIN_TRY(set(c, "c_eta_f", 0.4 * grown * grown));
    SUSTAIN_TRY(set(c, "c_eta_g", 0.4 * grown * grown));
    /* Each x_i learns from the draws that it is in: as many for all. The other draws are of trusted
     * rows. */
    if (passes_of(c, s) < PASSES || (batch_of(c, s) <= c->trusted.count && batch_of(c, s) <= c->training.count))
        SUSTAIN_TRY(sustain_solver_set(c->solver, "sampling", "shuffle"));
    return s->terms > 0 ? set(c, "K", (double)s->terms) : SUSTAIN_OK;
}

/* Iterations between two evaluations, so that progress is seen on millions of rows: as many as make
 * the trusted rows of an evaluation cheap beside their draws. */
static int64_t most_between(const sustain_clean *c) {
    return clamp(10 * c->trusted.count / batch_of(c, setup_of(c)), LEAST_BETWEEN, INT64_MAX);
}

sustain_stopping sustain_clean_stopping(const sustain_clean *c) {
    if (c == NULL || c->solver == NULL) return (sustain_stopping){.size = sizeof(sustain_stopping)};
    const int64_t iterations = iterations_of(c, setup_of(c));
    const bool full = sustain_solver_describe(c->solver)->deterministic;
    if (full) return (sustain_stopping){.iterations = 10, .every = 1};
    return (sustain_stopping){.iterations = iterations, .every = clamp(iterations / EVALUATIONS, 1, most_between(c))};
}

/* demo_experiment.c - see demo_experiment.h. */
#include "demo_experiment.h"

#include <math.h>
#include <stdlib.h>

#include "potential.h"
#include "power_fit.h"
#include "solver_point.h"

/* alpha is the best of five for each method; the other constants were chosen by hand on seeds
 * from 100 up. */
const demo_method demo_methods[DEMO_METHODS] = {{"SUSTAIN", 0.8, 1, 2, 1.0 / 3}, {"SGD", 1, 1e30, 1, 1.0 / 2}};
static const double choices[DEMO_CHOICES] = {0.1, 0.2, 0.4, 0.8, 1.6};
enum { CHOOSING_RUNS = 2 };
enum { TERMS = 8 };

sustain_quadratic_options demo_problem(void) {
    sustain_quadratic_options o = sustain_quadratic_defaults();
    o.upper_dim = o.lower_dim = 4;
    o.mu_g = 1, o.L_g = 1.5, o.C_gxy = 1.5, o.C_fy = 4, o.phi = SUSTAIN_PHI_SQRT, o.curvature = 1, o.wave = 2;
    o.noise_f = 0.9, o.noise_g = 2, o.noise_hess = 0.19, o.noise_cross = 0.5, o.start = 0.5;
    return o;
}

/* ---- one run ---- */

typedef struct bench {
    sustain_context *context;
    sustain_problem *problem;
    const demo_watch *watch;
    double *x, *gradient; /* (upper_dim) */
    double *run_mean;     /* (DEMO_METHODS, runs, DEMO_ROWS) */
    potential_watch *potential;
} bench;

static double *run_row(const bench *b, const demo_result *m, int k, int64_t run) {
    return b->run_mean + ((int64_t)k * m->runs + run) * DEMO_ROWS;
}

static double squared_gradient(const bench *b, sustain_solver *solver) {
    double sum = 0;
    quadratic_at(b->problem, solver, b->x, b->gradient, &sum);
    return sum;
}

static sustain_status set_all(sustain_solver *solver, const demo_method *k, double alpha, int64_t seed) {
    const struct {
        const char *name;
        double value;
    } rows[] = {{"alpha", alpha}, {"beta", k->beta}, {"c_eta_f", k->c_eta}, {"c_eta_g", k->c_eta},
                {"w", k->w},      {"p", k->p},       {"K", TERMS},          {"seed", (double)seed}};
    sustain_status status = sustain_solver_set(solver, "schedule", "power");
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows) && status == SUSTAIN_OK; i++)
        status = sustain_solver_set_number(solver, rows[i].name, rows[i].value);
    return status;
}

/* The iterations of row i at which V_t is measured: about WATCHED, evenly spaced up to T. */
enum { WATCHED = 32 };
static int64_t watched_every(const demo_result *m, int i) {
    const int64_t all = m->T[i] - (i > 0 ? m->T[i - 1] : 0);
    return all > WATCHED ? all / WATCHED : 1;
}

/* Adds V_t and its parts to row i, after the step from t. */
static sustain_status watch_potential(const bench *b, demo_result *m, int i, sustain_solver *solver) {
    const int64_t every = watched_every(m, i), all = m->T[i] - (i > 0 ? m->T[i - 1] : 0), points = (all + every - 1) / every;
    potential at;
    if ((m->T[i] - sustain_solver_iteration(solver)) % every != 0) return SUSTAIN_OK;
    const sustain_status status = potential_after_step(b->potential, solver, &at);
    const double part[DEMO_PARTS] = {at.V, at.distance, at.ef, at.eg};
    for (int k = 0; k < DEMO_PARTS; k++) m->potential[i][k] += part[k] / ((double)m->runs * (double)points);
    return status;
}

/* `watched`: NULL, or the result whose potential is added to. */
static sustain_status follow(const bench *b, const demo_result *m, sustain_solver *solver, double *row, demo_result *watched) {
    double sum = 0;
    int next = 0;
    sustain_status status = sustain_solver_start(solver, NULL, NULL);
    for (int64_t t = 0; t < m->iterations && status == SUSTAIN_OK; t++) {
        if (t % 1024 == 0 && lab_stopped(b->watch->stop)) return SUSTAIN_OK;
        sum += squared_gradient(b, solver);
        status = sustain_solver_step(solver);
        if (status == SUSTAIN_OK && watched != NULL) status = watch_potential(b, watched, next, solver);
        if (t + 1 == m->T[next]) row[next++] = sum / (double)(t + 1);
    }
    return status;
}

static sustain_status run_once(const bench *b, const demo_result *m, int k, int64_t run, double *row, demo_result *watched) {
    sustain_solver *solver;
    sustain_status status = sustain_solver_create(b->context, "sustain", b->problem, &solver);
    if (status == SUSTAIN_OK) status = set_all(solver, &demo_methods[k], m->alpha[k], m->seed + run);
    if (status == SUSTAIN_OK) status = follow(b, m, solver, row, watched);
    sustain_solver_destroy(solver);
    return status;
}

/* Chooses alpha of method k: the one with the smallest mean at the last T over the first runs. */
static sustain_status choose_step(const bench *b, demo_result *m, int k) {
    double least = (double)INFINITY, chosen = choices[0];
    const int64_t runs = m->runs < CHOOSING_RUNS ? m->runs : CHOOSING_RUNS;
    for (int i = 0; i < DEMO_CHOICES && !lab_stopped(b->watch->stop); i++) {
        double sum = 0;
        m->alpha[k] = choices[i];
        for (int64_t run = 0; run < runs; run++) {
            const sustain_status status = run_once(b, m, k, run, run_row(b, m, k, run), NULL);
            if (status != SUSTAIN_OK) return status;
            sum += run_row(b, m, k, run)[m->rows - 1];
        }
        if (sum < least) least = sum, chosen = choices[i];
    }
    m->alpha[k] = chosen;
    return SUSTAIN_OK;
}

/* ---- all runs ---- */

/* N, N/sqrt(10), ... over three decades, not below 10. */
static void choose_rows(demo_result *m) {
    m->rows = 0;
    for (int half = 6; half >= 0; half--) {
        const int64_t T = llround((double)m->iterations * pow(10, -half / 2.0));
        if (T >= 10) m->T[m->rows++] = T;
    }
}

/* The mean over all runs except one (-1: over all). */
static void mean_without(const bench *b, const demo_result *m, int k, int64_t left_out, double *mean) {
    for (int i = 0; i < m->rows; i++) {
        double sum = 0;
        for (int64_t run = 0; run < m->runs; run++)
            if (run != left_out) sum += run_row(b, m, k, run)[i];
        mean[i] = sum / (double)(m->runs - (left_out >= 0));
    }
}

/* Slope of the mean against T in log-log scale, over the last two decades. */
static double fitted_slope(const demo_result *m, const double *mean) {
    double T[DEMO_ROWS];
    int first = 0;
    for (int i = 0; i < m->rows; i++) T[i] = (double)m->T[i];
    while (first < m->rows && T[first] < 0.0099 * (double)m->iterations) first++;
    return fit_power(m->rows - first, T + first, mean + first).slope;
}

/* Slopes, and their standard deviations by leaving out each run in turn (jackknife). */
static void summarize(const bench *b, demo_result *m) {
    for (int k = 0; k < DEMO_METHODS; k++) {
        double sum = 0, squares = 0, mean[DEMO_ROWS];
        const double n = (double)m->runs;
        mean_without(b, m, k, -1, m->mean[k]);
        m->slope[k] = fitted_slope(m, m->mean[k]);
        for (int64_t run = 0; run < m->runs && m->runs > 1; run++) {
            mean_without(b, m, k, run, mean);
            const double off = fitted_slope(m, mean) - m->slope[k];
            sum += off, squares += off * off;
        }
        m->deviation[k] = m->runs > 1 ? sqrt(fmax(0, (n - 1) / n * (squares - sum * sum / n))) : (double)NAN;
    }
    for (int i = 0; i < m->rows; i++) m->reference[i] = m->mean[0][0] * pow((double)m->T[i] / (double)m->T[0], -2.0 / 3);
}

static sustain_status run_all(const bench *b, demo_result *m) {
    sustain_status status = SUSTAIN_OK;
    for (int k = 0; k < DEMO_METHODS && status == SUSTAIN_OK; k++) {
        if (b->watch->progress != NULL) b->watch->progress(demo_methods[k].name, 0, m->runs);
        status = choose_step(b, m, k);
    }
    for (int64_t run = 0; run < m->runs && status == SUSTAIN_OK; run++)
        for (int k = 0; k < DEMO_METHODS && status == SUSTAIN_OK && !lab_stopped(b->watch->stop); k++) {
            if (b->watch->progress != NULL) b->watch->progress(demo_methods[k].name, run + 1, m->runs);
            status = run_once(b, m, k, run, run_row(b, m, k, run), k == 0 ? m : NULL);
        }
    if (status == SUSTAIN_OK && !lab_stopped(b->watch->stop)) summarize(b, m);
    return status;
}

sustain_status demo_measure(sustain_context *context, const demo_watch *watch, demo_result *m) {
    const sustain_quadratic_options options = demo_problem();
    bench b = {.context = context, .watch = watch};
    sustain_status status = SUSTAIN_MEMORY;
    choose_rows(m);
    b.x = calloc(2 * (size_t)options.upper_dim, sizeof *b.x);
    b.run_mean = calloc((size_t)(DEMO_METHODS * m->runs * DEMO_ROWS), sizeof *b.run_mean);
    if (b.x != NULL && b.run_mean != NULL) {
        b.gradient = b.x + options.upper_dim;
        status = sustain_quadratic_create(context, &options, &b.problem);
    }
    if (status == SUSTAIN_OK) status = potential_open(context, b.problem, NULL, (double)m->iterations, &b.potential);
    if (status == SUSTAIN_OK) status = run_all(&b, m);
    potential_close(b.potential);
    sustain_quadratic_destroy(b.problem);
    free(b.run_mean);
    free(b.x);
    return status;
}

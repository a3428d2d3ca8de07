/* rates.h - measures convergence rates: for each algorithm and each epsilon the samples until
 * the criterion of its theorem is met, and the cost of an iteration as the lower level grows.
 * rates_table.c has the theorems, the other files measure. */
#ifndef SUSTAIN_LAB_RATES_H
#define SUSTAIN_LAB_RATES_H

#include <stdbool.h>

#include <sustain/sustain.h>

#include "lab_error.h"
#include "power_fit.h"

/* ---- the theorems ---- */

/* The two problems with their criteria. ell nonconvex: the mean of |grad ell(x_t)|^2 over t = 0
 * .. T-1. ell strongly convex: ell(x_T) - min ell. */
enum { RATES_NONCONVEX, RATES_STRONGLY_CONVEX, RATES_PROBLEMS };

/* A parameter of an algorithm as set by its theorem, with e = epsilon / (the largest epsilon):
 *
 *   factor * value * e^power + per_log * log(1/e)
 *
 * factor is 1, or chosen once at the largest epsilon: the best of 1, step, step^2, ...
 * (`choices` of them). Integers are rounded up; where they grow with log(1/e), up for a part of the
 * seeds and down for the others, so that their mean is the formula's value. */
typedef struct rates_setting {
    const char *name; /* NULL: end of the list */
    double value, power, per_log;
    int choices;
    double step;
    const char *word; /* value of a choice parameter, instead of the formula */
} rates_setting;

enum { RATES_SETTINGS = 10 };

/* The proved exponents, and the steps they require. */
typedef struct rates_theorem {
    double proved[2]; /* exponents of 1/epsilon in the samples, upper and lower; NAN: nothing is
                       * proved */
    const char *source;
    rates_setting settings[RATES_SETTINGS];
} rates_theorem;

/* One algorithm. */
typedef struct rates_row {
    const char *name;
    const char *solver; /* in the registry; NULL: the name */
    bool paper;         /* in the paper's Table 1 */
    bool finite_sum;    /* runs on a finite sum instead of a stream */
    double cost;        /* exponent of the lower dimension in an iteration's cost, as the paper's
                         * Table 1 counts */
    rates_theorem theorem[RATES_PROBLEMS];
} rates_row;

const rates_row *rates_row_at(int i); /* NULL after the last */
const char *rates_solver(const rates_row *row);

/* Whether a power of epsilon sets a step or a batch. The number of iterations then follows from the
 * initial transient and the exponent from that choice, whatever the noise. */
bool rates_built_in(const rates_theorem *theorem);

/* ---- the problems ---- */

/* A problem and its start, the same for all algorithms. */
typedef struct rates_problem {
    int kind;
    sustain_problem *problem;
    sustain_real *x_0, *y_0;
    double minimum; /* of ell; NAN if it is not convex */
} rates_problem;

double rates_epsilon(int kind, int i); /* the i-th, from the largest down, three a decade */
sustain_status rates_problem_make(sustain_context *context, int kind, bool finite_sum, rates_problem *out);
void rates_problem_free(rates_problem *p);
sustain_quadratic_options rates_options(int kind, bool finite_sum);

/* ---- one epsilon ---- */

enum { RATES_RESAMPLES = 200 };

/* What was used until the criterion was met or the budget was used up: means over the runs. */
typedef struct rates_point {
    double epsilon;
    bool reached;
    double value; /* of the criterion: mean over the runs */
    double iterations, samples[2], calls;
    /* the same with seeds drawn with replacement (bootstrap); NAN: not made */
    double resampled[2][RATES_RESAMPLES];
} rates_point;

/* Sets the parameters of a solver for one epsilon; factor (RATES_SETTINGS): the chosen factors;
 * share, from 0 to 1: where among the seeds it is, for integers that grow with log(1/e). */
sustain_status rates_set(sustain_solver *solver, const rates_theorem *theorem, const double *factor, double e, double share);

/* Runs the steps for epsilon with seeds first_seed, first_seed + 1, ... in lockstep until the
 * mean of the criterion over the seeds is at most `part` times epsilon, or `budget` oracle calls
 * are used, or each has drawn `most_samples` on average. */
typedef struct rates_runs {
    int64_t runs, first_seed;
    double part, budget, most_samples;
    lab_stop stop;
    bool resample; /* fill in `resampled` */
} rates_runs;
sustain_status rates_reach(sustain_context *context, const rates_row *row, const rates_problem *problem, const double *factor,
                           double epsilon, const rates_runs *with, rates_point *out);

/* ---- one algorithm ---- */

enum { RATES_POINTS = 10 }; /* three decades, three per decade */

/* An algorithm on a problem. */
typedef struct rates_result {
    const rates_row *row;
    int kind;
    double factor[RATES_SETTINGS];
    int points; /* the last one may not have been reached */
    rates_point point[RATES_POINTS];
    /* exponents of 1/epsilon over the points reached; `half` of the samples': 1.96 standard
     * deviations over the resampled seeds, of the regression where there is one seed */
    power_fit samples[2], calls;
    power_fit per_log; /* oracle calls of an iteration against log T; NAN: batches grow */
    double seconds;
} rates_result;

/* Limits for one algorithm and problem. */
typedef struct rates_limits {
    int64_t runs, seed;
    double budget; /* oracle calls, all seeds together; eight times as many where the proved
                    * exponents are at most 3/2 */
    int points;
    int64_t largest_dim; /* for the cost of an iteration */
    lab_stop stop;       /* NULL: none */
} rates_limits;

/* number of seeds for a stochastic algorithm */
int64_t rates_runs_of(const rates_limits *limits, int kind);
int rates_reached(const rates_result *r); /* number of epsilons reached */
sustain_status rates_measure(sustain_context *context, const rates_limits *limits, rates_result *r);

/* The cost of an iteration. */
enum { RATES_DIMS = 6 }; /* 16, 32, ... 512 */
typedef struct rates_cost {
    const rates_row *row;
    int count;
    double dim[RATES_DIMS], seconds[RATES_DIMS];
    power_fit fit; /* seconds against the dimension, from 64 on */
} rates_cost;
sustain_status rates_measure_cost(sustain_context *context, const rates_limits *limits, rates_cost *c);

/* ---- all measurements ---- */

/* The jobs are the results, then the costs. Only times depend on which thread runs which job. */
typedef struct rates_work {
    const rates_limits *limits;
    int result_count, cost_count;
    rates_result *results; /* (result_count) with row and kind set */
    rates_cost *costs;     /* (cost_count) with row set */
    /* Called from any thread, one call at a time, before each job and after the last; may be
     * NULL. */
    void (*progress)(int done, int all);
} rates_work;

/* Runs all jobs with this many threads. If stopped by limits->stop, it returns SUSTAIN_OK with
 * the results so far. */
sustain_status rates_measure_all(const rates_work *work, int threads, lab_error *error);

#endif

/* demo_experiment.h - SUSTAIN on a noisy nonconvex problem, compared with plain SGD and with the
 * rate proved by the theory.
 *
 *   SUSTAIN   alpha_t = alpha/(w+t)^(1/3), beta_t likewise, eta_t = min(1, c_eta/(w+t)^(2/3))   Theorem 3.2
 *   SGD       alpha_t = alpha/(1+t)^(1/2), beta_t likewise, eta_t = 1: no momentum, on both levels
 *
 * For every T: the mean of |grad ell(x_t)|^2, t = 0 .. T-1, in closed form. The steps do not
 * depend on T, so one run gives all T. */
#ifndef SUSTAIN_LAB_DEMO_EXPERIMENT_H
#define SUSTAIN_LAB_DEMO_EXPERIMENT_H

#include <sustain/sustain.h>

#include "lab_error.h"

enum { DEMO_METHODS = 2, DEMO_ROWS = 8 }; /* SUSTAIN and SGD; half decades of T */

/* A method is SUSTAIN with these steps; without momentum (c_eta huge) it is SGD. */
typedef struct demo_method {
    const char *name;
    double beta, c_eta, w, p; /* alpha: the best of five */
} demo_method;
extern const demo_method demo_methods[DEMO_METHODS];

/* The potential V_t of the proof, |y_t - y*(x_t)|^2, |e^f_t|^2 and |e^g_t|^2. */
enum { DEMO_PARTS = 4 };

enum { DEMO_CHOICES = 5 }; /* candidates for alpha */

/* Results of both methods at every T: the mean of |grad ell(x_t)|^2 over t < T and over the
 * runs. The caller sets the first line. */
typedef struct demo_result {
    int64_t iterations, runs, seed;
    int rows;
    int64_t T[DEMO_ROWS];
    double mean[DEMO_METHODS][DEMO_ROWS];
    double reference[DEMO_ROWS];                         /* T^(-2/3), through SUSTAIN's first row */
    double slope[DEMO_METHODS], deviation[DEMO_METHODS]; /* over the last two decades; deviation
                                                          * NAN for one run */
    double alpha[DEMO_METHODS];                          /* that was chosen */
    /* SUSTAIN: means over the runs and over 32 iterations in the half decade before T, of V_t and
     * of the squared norms that it is made of (potential.h) */
    double potential[DEMO_ROWS][DEMO_PARTS];
} demo_result;

/* Progress: called when a run of a method begins, from 1 to `runs`; 0: while alpha is chosen.
 * Either callback may be NULL. */
typedef struct demo_watch {
    void (*progress)(const char *method, int64_t run, int64_t runs);
    lab_stop stop;
} demo_watch;

sustain_quadratic_options demo_problem(void);

/* If stopped, it returns SUSTAIN_OK with an incomplete result. */
sustain_status demo_measure(sustain_context *context, const demo_watch *watch, demo_result *result);

#endif

/* demo_experiment.h - SUSTAIN on a noisy problem that is not convex, beside plain SGD and the rate that the theory proves.
 *
 *   SUSTAIN   alpha_t = alpha/(w+t)^(1/3), beta_t likewise, eta_t = min(1, c_eta/(w+t)^(2/3))       the form of Theorem 3.2
 *   SGD       alpha_t = alpha/(1+t)^(1/2), beta_t likewise, eta_t = 1: no momentum, on both levels
 *
 * and for every T the mean of |grad ell(x_t)|^2, t = 0 .. T-1, in closed form. The steps do not depend on T, so one run gives
 * all T. */
#ifndef SUSTAIN_LAB_DEMO_EXPERIMENT_H
#define SUSTAIN_LAB_DEMO_EXPERIMENT_H

#include <sustain/sustain.h>

#include "lab_error.h"

enum { DEMO_METHODS = 2, DEMO_ROWS = 8 }; /* SUSTAIN and SGD; half decades of T */

/* A method is SUSTAIN with these steps; without momentum (c_eta huge) it is SGD. */
typedef struct demo_method {
    const char *name;
    double beta, c_eta, w, p; /* alpha is chosen: the best of five */
} demo_method;
extern const demo_method demo_methods[DEMO_METHODS];

enum { DEMO_CHOICES = 5 }; /* first steps to choose from */

/* Both methods at every T: the mean over t < T and over the runs of |grad ell(x_t)|^2. The caller sets the first line. */
typedef struct demo_result {
    int64_t iterations, runs, seed;
    int rows;
    int64_t T[DEMO_ROWS];
    double mean[DEMO_METHODS][DEMO_ROWS];
    double reference[DEMO_ROWS];                         /* T^(-2/3), through SUSTAIN's first row */
    double slope[DEMO_METHODS], deviation[DEMO_METHODS]; /* over the last two decades; deviation NAN for one run */
    double alpha[DEMO_METHODS];                          /* the first steps that were used */
} demo_result;

/* Progress: a method's run begins, from 1 to `runs`; 0: its first step is chosen. Either may be NULL. */
typedef struct demo_watch {
    void (*progress)(const char *method, int64_t run, int64_t runs);
    lab_stop stop;
} demo_watch;

sustain_quadratic_options demo_problem(void);

/* Stopped, it returns SUSTAIN_OK with a result that is not complete. */
sustain_status demo_measure(sustain_context *context, const demo_watch *watch, demo_result *result);

#endif

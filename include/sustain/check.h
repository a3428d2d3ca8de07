/** @file check.h - checks the derivatives of a problem. A good accuracy does not prove that a
 *  hypergradient is right; this check does. */
#ifndef SUSTAIN_CHECK_H
#define SUSTAIN_CHECK_H

#include <sustain/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The result of one check. */
typedef struct sustain_check_row {
    const char *what;   /**< what was compared, "g_hess_vec against differences of g_grad_y" */
    const char *oracle; /**< the function that is probably wrong if the check failed */
    /** false: the problem lacks an oracle that the check needs, or that oracle has already
     *  failed */
    bool done;
    bool passed;
    double error; /**< relative */
    double tolerance;
} sustain_check_row;

/** The results of all checks. */
typedef struct sustain_check_report {
    sustain_check_row row[40];
    int count;
    int failed;
} sustain_check_report;

/** Checks every oracle that the problem offers at (x, y), or at a random point near the start where
 *  they are NULL, on draws of `batch` samples named by `seed`: gradients against central
 *  differences, the Hessian product against differences and for symmetry, the cross product against
 *  differences and as adjoint, purity (same arguments, same bits), the compact form against the
 *  support, fast paths against the plain oracles, and the hypergradient against differences of ell
 *  with the lower level solved. Where batch NULL is supported, derivatives and purity are checked
 *  for it as well, with a few hundred evaluations of all samples; for a finite sum it must equal
 *  the mean over the samples. (Whether the expected value of a stream is the mean of its draws is
 *  not checked: no finite number of draws proves it.) Returns OK when the checks could be made;
 *  report->failed is the number that failed, and sustain_error() names the first, with the worst
 *  entry of a derivative (up to 256 coordinates). */
sustain_status sustain_check_problem(sustain_context *context, const sustain_problem *problem, const sustain_real *x, const sustain_real *y,
                                     int64_t batch, uint64_t seed, sustain_check_report *report);

#ifdef __cplusplus
}
#endif
#endif

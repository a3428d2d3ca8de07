/** @file check.h - is your problem right? Accuracy never proves a hypergradient; this does. */
#ifndef SUSTAIN_CHECK_H
#define SUSTAIN_CHECK_H

#include <sustain/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One finding. */
typedef struct sustain_check_row {
    const char *what;   /**< what was compared, "g_hess_vec against differences of g_grad_y" */
    const char *oracle; /**< the function to look at if it failed */
    bool done;          /**< false: the problem does not offer what it needs, or an oracle that it rests on failed already */
    bool passed;
    double error; /**< relative */
    double tolerance;
} sustain_check_row;

/** All findings. */
typedef struct sustain_check_report {
    sustain_check_row row[40];
    int count;
    int failed;
} sustain_check_report;

/** Checks every oracle that the problem offers at (x, y), or at a random point near the start where they are NULL, on
 *  draws of `batch` samples named by `seed`: gradients against central differences, the Hessian product against
 *  differences and for symmetry, the cross product against differences and as adjoint, purity (same arguments, same
 *  bits), the compact form against the support, fast paths against what they shorten, and the hypergradient against
 *  differences of ell with the lower level solved. Derivatives and purity are checked on batch NULL as well where it is
 *  understood, which takes a few hundred evaluations of all samples; a finite sum's must also be the mean over them. (That
 *  a stream's expected value is that of its draws is not looked at: no number of draws shows it.) Returns OK when the
 *  checks could be made; report->failed tells how many failed, and sustain_error() names the first, with the worst entry
 *  of a derivative (up to 256 coordinates). */
sustain_status sustain_check_problem(sustain_context *context, const sustain_problem *problem, const sustain_real *x, const sustain_real *y,
                                     int64_t batch, uint64_t seed, sustain_check_report *report);

#ifdef __cplusplus
}
#endif
#endif

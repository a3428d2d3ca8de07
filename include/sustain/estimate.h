/** @file estimate.h - the constants of the theory, estimated from a problem: power iteration and
 *  sampling. */
#ifndef SUSTAIN_ESTIMATE_H
#define SUSTAIN_ESTIMATE_H

#include <sustain/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Fills in the constants that are NAN and leaves the others; constants that the problem knows
 *  take precedence. The estimates are made near (x, y) on draws of `batch` samples: largest
 *  eigenvalues by power iteration, Lipschitz constants as the largest ratio between sampled
 *  points, standard deviations over draws, each with a margin. They are estimates, not bounds:
 *  a bound holds everywhere, a sample covers a few points. An estimated C_gxy is above a known L_g
 *  only if the norm is, not by its margin. mu_f, sigma_f, gap and distance are
 *  left as they are. */
sustain_status sustain_estimate_constants(sustain_context *context, const sustain_problem *problem, int64_t batch, uint64_t seed,
                                          const sustain_real *x, const sustain_real *y, sustain_constants *constants);

/** The largest eigenvalue of grad^2_yy g among some draws of `batch` samples at (x, y), with a
 *  margin of 10 %. It never exceeds the bound that the problem knows for every sample, and equals
 *  that bound for batch 1. batch 0: of the expected value, for deterministic algorithms. */
sustain_status sustain_estimate_largest(sustain_context *context, const sustain_problem *problem, int64_t batch, uint64_t seed,
                                        const sustain_real *x, const sustain_real *y, double *L_g);

/** The L for which steps of 1/L along single draws are stable in the mean square, near (x, y): the
 *  mean of the squares of the draws' largest eigenvalues over their mean, with a margin of 10 %. A
 *  few samples of large norm can make L_g much larger than this L: eq. (7) and y can then take
 *  longer steps than 1/L_g. It never exceeds the bound that the problem knows for every sample.
 *  batch 0: of the expected value. */
sustain_status sustain_estimate_steady(sustain_context *context, const sustain_problem *problem, int64_t batch, uint64_t seed,
                                       const sustain_real *x, const sustain_real *y, double *L);

#ifdef __cplusplus
}
#endif
#endif

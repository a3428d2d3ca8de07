/* estimate_within.h - the largest eigenvalue of a draw's Hessian, from a bounded number of
 * samples. */
#ifndef SUSTAIN_THEORY_ESTIMATE_WITHIN_H
#define SUSTAIN_THEORY_ESTIMATE_WITHIN_H

#include <sustain/estimate.h>

/* sustain_estimate_steady() or sustain_estimate_largest() with about this many samples, each once
 * for every product that it takes part in; at least four products with a draw are made. 0: no
 * bound. */
sustain_status sustain__estimate_within(sustain_context *context, const sustain_problem *problem, int64_t batch, uint64_t seed,
                                        int64_t samples, bool is_steady, const sustain_real *x, const sustain_real *y, double *L);

#endif

/* probe.h - a probe of a problem before a run, for schedule=auto: the shape of ell near the start,
 * by a few exact descent steps on one large draw, and the noise of single estimates. */
#ifndef SUSTAIN_SOLVERS_LOOK_H
#define SUSTAIN_SOLVERS_LOOK_H

#include "solvers/solver_internal.h"

/* Probes from (x, y); `seed` is that of the draws. L_g is not estimated where it is given. */
sustain_status sustain__probe_problem(sustain_solver *solver, uint64_t seed, const sustain_real *x, const sustain_real *y,
                                      sustain__probe *out);

/* How many samples of a level the large draw has. */
int64_t sustain__probe_size(const sustain_solver *solver, sustain_level level);

/* What a probe allocates. */
size_t sustain__probe_bytes(const sustain_solver *solver);

#endif

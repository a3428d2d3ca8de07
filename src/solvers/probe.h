/* probe.h - a look at a problem before a run, for schedule=auto: what ell is like from the start on, as a few exact steps of descent on one large draw
 * see it, and how far single estimates are off. */
#ifndef SUSTAIN_SOLVERS_LOOK_H
#define SUSTAIN_SOLVERS_LOOK_H

#include "solvers/solver_internal.h"

/* Looks from (x, y); `seed` of the draws. L_g is not looked for where it is given. */
sustain_status sustain__look_at(sustain_solver *solver, uint64_t seed, const sustain_real *x, const sustain_real *y, sustain__sight *out);

/* How many samples of a level the large draw has. */
int64_t sustain__look_size(const sustain_solver *solver, sustain_level level);

#endif

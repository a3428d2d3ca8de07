/* matrices.h - shared by the algorithms that keep the Hessian and the cross block as matrices:
 * parameters, their bounds, the memory. */
#ifndef SUSTAIN_SOLVERS_MATRICES_H
#define SUSTAIN_SOLVERS_MATRICES_H

#include "hypergrad/tracked.h"
#include "solvers/solver_internal.h"

typedef struct sustain__matrices {
    /* parameters; mu_g 0: known or estimated, C_gxy 0: known, else infinite */
    double matrix_memory, mu_g, C_gxy;
    sustain__tracked tracked;
    sustain_real *column; /* (upper_dim), lent to the oracle */
} sustain__matrices;

/* clang-format off */
/* The rows, for a structure `type` with a member `sustain__matrices matrices`. */
#define SUSTAIN__MATRIX_ROWS(type)                                                                                                         \
    {"matrix_memory", SUSTAIN_PARAMETER_NUMBER, offsetof(type, matrices.matrix_memory), 1e9, 0, 1e18, NULL,                                \
     "bytes that the matrices may take; a problem that needs more is refused at the start"},                                               \
    {"mu_g", SUSTAIN_PARAMETER_NUMBER, offsetof(type, matrices.mu_g), 0, 0, 1e30, NULL,                                                    \
     "the tracked Hessian is kept above mu_g I; 0: known or estimated"}
#define SUSTAIN__CROSS_ROW(type)                                                                                                           \
    {"C_gxy", SUSTAIN_PARAMETER_NUMBER, offsetof(type, matrices.C_gxy), 0, 0, 1e30, NULL,                                                  \
     "the norm of the tracked cross block is kept below it; 0: as known, else free"}
/* clang-format on */

/* In prepare(): refuses what does not fit into matrix_memory, and finds mu_g and, where the cross
 * block is bounded, C_gxy. */
sustain_status sustain__matrices_prepare(sustain_solver *solver, sustain__matrices *matrices, bool bounded_cross, const sustain_real *x,
                                         const sustain_real *y);

/* In layout() and begin(). */
void sustain__matrices_layout(sustain_solver *solver, sustain__matrices *matrices);
void sustain__matrices_begin(sustain_solver *solver, sustain__matrices *matrices);

#endif

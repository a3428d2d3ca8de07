/* parts.h - building blocks of several algorithms. Each is one line of pseudo-code. On failure each
 * leaves its output unchanged, except the inner loops, which work on copies of y and v. */
#ifndef SUSTAIN_SOLVERS_PARTS_H
#define SUSTAIN_SOLVERS_PARTS_H

#include "solvers/solver_internal.h"

/* One draw of the solver's batch size for iteration t (or any number that names the draw);
 * deterministic algorithms pass NULL for a batch instead. */
sustain_batch sustain__draw_batch(const sustain_solver *solver, sustain_level level, uint32_t stream, int64_t t, int64_t *index);

/* y <- y - beta grad_y g(x, y; zeta), `steps` times, each with a fresh draw numbered first, first +
 * 1, ... of SUSTAIN__STREAM_LOWER. gy (lower_dim) and index (batch) are scratch; index NULL: the
 * expected value. */
sustain_status sustain__descend(sustain_solver *solver, const sustain_real *x, int64_t first, int64_t steps, double beta, sustain_real *y,
                                sustain_real *gy, int64_t *index);

/* y_new <- y, then y_new <- y_new - beta grad_y g(x, y_new; zeta), `steps` times, x and y the
 * solver's: the inner loop with a warm start, each step with a fresh draw. */
sustain_status sustain__inner_loop(sustain_solver *solver, int64_t steps, double beta, sustain_real *y_new, sustain_real *gy,
                                   int64_t *index);

/* out <- H(zeta) v - fy: the gradient in v of v'Hv/2 - v'fy, whose minimizer is H^{-1} grad_y f. */
sustain_status sustain__linear_residual(sustain_solver *solver, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                        const sustain_real *v, const sustain_real *fy, sustain_real *out);

/* v_new <- v, then v_new <- v_new - beta (H(zeta) v_new - fy), `steps` times, at (x, y), x the
 * solver's: SGD on v with a warm start, each step with a fresh draw. residual (lower_dim) and index
 * (batch) are scratch. */
sustain_status sustain__linear_loop(sustain_solver *solver, int64_t steps, double beta, const sustain_real *y, const sustain_real *fy,
                                    const sustain_real *v, sustain_real *v_new, sustain_real *residual, int64_t *index);

/* out <- fx - J(zeta) v: the hypergradient for v = H^{-1} grad_y f, eq. (6). `cross` (upper_dim) is
 * scratch. */
sustain_status sustain__implicit_gradient(sustain_solver *solver, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                          const sustain_real *v, const sustain_real *fx, sustain_real *cross, sustain_real *out);

/* x <- x - alpha h, then projected onto the feasible set. h is compact where the solver is. */
sustain_status sustain__move_x(sustain_solver *solver, double alpha, const sustain_real *h);

/* unit_length of an algorithm whose direction m_t / |m_t| has length 1: a step of alpha_0 is this
 * part of the way of the probe. */
double sustain__normalized_length(const sustain_solver *solver);

#endif

/* oracle_table.h - every oracle that computes something, one row each. The functions that call them
 * (oracle.c) and all wrappers (src/wrap) are made of these rows.
 *
 *   X(table, name, draw, (parameters), (arguments), counts, checks)
 *
 *   table       ops or fast: where the function pointer is
 *   draw        the batch that messages name
 *   parameters  between `self` and `work`, as in the public header; arguments: their names
 *   counts      what counted.c counts:        GRADIENTS(level, n), HESSIAN(n), CROSS(n), HYPER(draw, points), ...
 *   checks      what checked.c checks:        FINITE(variable, count, vector) for each output, FINITE_VALUE(number)
 *
 * PLAIN oracles are called as they are. SHAPED ones have a default, or an output in x-space that
 * may have to be made dense: oracle.c has a function for each. */
#ifndef SUSTAIN_ORACLE_TABLE_H
#define SUSTAIN_ORACLE_TABLE_H

#include <sustain/problem_fast.h>

#define SUSTAIN__UNPACK(...) __VA_ARGS__

/* clang-format off */
#define SUSTAIN__AT_DRAW(draw) const sustain_batch *draw, const sustain_real *x, const sustain_real *y
#define SUSTAIN__AT_PAIR const sustain_real *x, const sustain_real *y, const sustain_real *x_prev, const sustain_real *y_prev

#define SUSTAIN__ORACLES_PLAIN(X)                                                                                                  \
    X(ops, f_value, xi, (SUSTAIN__AT_DRAW(xi), double *value), (xi, x, y, value),                                                  \
      NOT_COUNTED, FINITE_VALUE(*value))                                                                                           \
    X(ops, g_value, zeta, (SUSTAIN__AT_DRAW(zeta), double *value), (zeta, x, y, value),                                            \
      NOT_COUNTED, FINITE_VALUE(*value))                                                                                           \
    X(ops, g_grad_y, zeta, (SUSTAIN__AT_DRAW(zeta), sustain_real *gy), (zeta, x, y, gy),                                           \
      GRADIENTS(SUSTAIN_LOWER, SAMPLES(SUSTAIN_LOWER, zeta)), FINITE("y", inner->lower_dim, gy))                                   \
    X(ops, g_hess_vec, zeta, (SUSTAIN__AT_DRAW(zeta), const sustain_real *v, sustain_real *out), (zeta, x, y, v, out),             \
      HESSIAN(SAMPLES(SUSTAIN_LOWER, zeta)), FINITE("y", inner->lower_dim, out))                                                   \
    X(fast, table_rows, batch,                                                                                                     \
      (sustain_quantity quantity, SUSTAIN__AT_DRAW(batch), const sustain_real *v, sustain_real *rows),                             \
      (quantity, batch, x, y, v, rows),                                                                                            \
      TABLE_ROWS(quantity, batch->size), FINITE("row", batch->size * inner->ops->fast->table_width(inner->self, quantity), rows))  \
    X(fast, table_add, batch,                                                                                                      \
      (sustain_quantity quantity, const sustain_batch *batch, const sustain_real *rows, double weight, sustain_real *out),         \
      (quantity, batch, rows, weight, out), NOT_COUNTED, NOT_CHECKED)                                                              \
    X(fast, table_rest, NULL,                                                                                                      \
      (sustain_quantity quantity, const sustain_real *x, const sustain_real *y, const sustain_real *v, sustain_real *out),         \
      (quantity, x, y, v, out), NOT_COUNTED, NOT_CHECKED)                                                                          \
    X(fast, momentum_step, step->zeta,                                                                                             \
      (const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev, sustain_real *h, sustain_real *y,     \
       sustain_real *y_prev, sustain_real *out, sustain_real *out_prev),                                                           \
      (step, x, x_prev, h, y, y_prev, out, out_prev),                                                                              \
      HYPER(step->draw, out_prev != NULL ? 2 : 1) GRADIENTS(SUSTAIN_LOWER, (step->keep != 0 ? 2 : 1) * step->zeta->size),          \
      FINITE("x", OF_HYPER(step->draw), out) FINITE("x", out_prev != NULL ? OF_HYPER(step->draw) : 0, out_prev)                    \
      FINITE("y", inner->lower_dim, h))

#define SUSTAIN__ORACLES_SHAPED(X)                                                                                                 \
    X(ops, f_grad, xi, (SUSTAIN__AT_DRAW(xi), sustain_real *fx, sustain_real *fy), (xi, x, y, fx, fy),                             \
      GRADIENTS(SUSTAIN_UPPER, SAMPLES(SUSTAIN_UPPER, xi)),                                                                        \
      FINITE("x", OF_DRAW(SUSTAIN_UPPER, xi), fx) FINITE("y", inner->lower_dim, fy))                                               \
    X(ops, g_grad_x, zeta, (SUSTAIN__AT_DRAW(zeta), sustain_real *gx), (zeta, x, y, gx),                                           \
      GRADIENTS(SUSTAIN_LOWER, SAMPLES(SUSTAIN_LOWER, zeta)), FINITE("x", OF_DRAW(SUSTAIN_LOWER, zeta), gx))                       \
    X(ops, g_cross_vec, zeta, (SUSTAIN__AT_DRAW(zeta), const sustain_real *v, sustain_real *out), (zeta, x, y, v, out),            \
      CROSS(SAMPLES(SUSTAIN_LOWER, zeta)), FINITE("x", OF_DRAW(SUSTAIN_LOWER, zeta), out))                                         \
    X(ops, g_hess, zeta, (SUSTAIN__AT_DRAW(zeta), sustain_real *out), (zeta, x, y, out),                                           \
      HESSIAN(inner->lower_dim * SAMPLES(SUSTAIN_LOWER, zeta)), FINITE("matrix", inner->lower_dim * inner->lower_dim, out))        \
    X(ops, g_cross, zeta, (SUSTAIN__AT_DRAW(zeta), sustain_real *out), (zeta, x, y, out),                                          \
      CROSS(inner->lower_dim * SAMPLES(SUSTAIN_LOWER, zeta)), FINITE("matrix", inner->upper_dim * inner->lower_dim, out))          \
    X(fast, g_grad_y_pair, zeta,                                                                                                   \
      (const sustain_batch *zeta, SUSTAIN__AT_PAIR, sustain_real *gy, sustain_real *gy_prev),                                      \
      (zeta, x, y, x_prev, y_prev, gy, gy_prev),                                                                                   \
      GRADIENTS(SUSTAIN_LOWER, 2 * SAMPLES(SUSTAIN_LOWER, zeta)),                                                                  \
      FINITE("y", inner->lower_dim, gy) FINITE("y", inner->lower_dim, gy_prev))                                                    \
    X(fast, hyper_pair, &draw->xi,                                                                                                 \
      (const sustain_hyper_draw *draw, SUSTAIN__AT_PAIR, sustain_real *out, sustain_real *out_prev),                               \
      (draw, x, y, x_prev, y_prev, out, out_prev),                                                                                 \
      HYPER(draw, x_prev != NULL ? 2 : 1),                                                                                         \
      FINITE("x", OF_HYPER(draw), out) FINITE("x", x_prev != NULL ? OF_HYPER(draw) : 0, out_prev))
/* clang-format on */

#define SUSTAIN__ORACLES(X) SUSTAIN__ORACLES_PLAIN(X) SUSTAIN__ORACLES_SHAPED(X)

/* Where the tables of a problem are; and a field of them, 0 or NULL where the table is too short to
 * have it. */
#define SUSTAIN__TABLE_ops(problem) ((problem)->ops)
#define SUSTAIN__TABLE_fast(problem) ((problem)->ops->fast)
#define SUSTAIN__FIELD_ops(problem, field) ((problem)->ops->field)
#define SUSTAIN__FIELD_fast(problem, field)                                                                            \
    ((problem)->ops->fast != NULL &&                                                                                   \
             (problem)->ops->fast->size >= offsetof(sustain_problem_fast, field) + sizeof((problem)->ops->fast->field) \
         ? (problem)->ops->fast->field                                                                                 \
         : 0)
#define SUSTAIN__FAST(problem, field) SUSTAIN__FIELD_fast(problem, field)

/* The most coordinates of x that a sample of a level touches; 0 without `support`. */
static inline int64_t sustain__support_per_sample(const sustain_problem *problem, sustain_level level) {
    return SUSTAIN__FAST(problem, support) != NULL ? problem->ops->fast->support_per_sample[level] : 0;
}

/* Whether it offers tables for SAGA. */
static inline bool sustain__has_tables(const sustain_problem *problem) {
    return SUSTAIN__FAST(problem, table_width) != NULL && SUSTAIN__FAST(problem, table_rows) != NULL &&
           SUSTAIN__FAST(problem, table_add) != NULL && SUSTAIN__FAST(problem, table_rest) != NULL;
}

/* The whole table of this version: fields that the problem's table does not have are 0. */
sustain_problem_fast sustain__fast_of(const sustain_problem *problem);

#endif

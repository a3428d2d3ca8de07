/** @file needs.h - the oracles as a set: what a problem offers, what an algorithm needs. */
#ifndef SUSTAIN_NEEDS_H
#define SUSTAIN_NEEDS_H

#include <sustain/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Every oracle by name, for needs, messages and counts. */
#define SUSTAIN_ORACLE_LIST(X)      \
    X(F_VALUE, f_value)             \
    X(F_GRAD, f_grad)               \
    X(G_VALUE, g_value)             \
    X(G_GRAD_Y, g_grad_y)           \
    X(G_GRAD_X, g_grad_x)           \
    X(G_HESS_VEC, g_hess_vec)       \
    X(G_CROSS_VEC, g_cross_vec)     \
    X(EXPECTATION, has_expectation) \
    X(FINITE_SUM, samples)

/** The oracles as bits of a set: sustain_solver_info.needs. */
typedef enum sustain_oracle {
#define SUSTAIN_ORACLE_SHIFT(name, field) SUSTAIN_ORACLE_SHIFT_##name,
    SUSTAIN_ORACLE_LIST(SUSTAIN_ORACLE_SHIFT)
#undef SUSTAIN_ORACLE_SHIFT
#define SUSTAIN_ORACLE_BIT(name, field) SUSTAIN_NEEDS_##name = 1 << SUSTAIN_ORACLE_SHIFT_##name,
        SUSTAIN_ORACLE_LIST(SUSTAIN_ORACLE_BIT)
#undef SUSTAIN_ORACLE_BIT
} sustain_oracle;

/** The set of oracles that a problem offers; 0 for NULL. */
unsigned sustain_problem_offers(const sustain_problem *problem);

#ifdef __cplusplus
}
#endif
#endif

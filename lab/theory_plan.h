/* theory_plan.h - what Theorems 3.2 and 3.3 give for the constants of a problem: steps, bounds,
 * samples. */
#ifndef SUSTAIN_LAB_THEORY_PLAN_H
#define SUSTAIN_LAB_THEORY_PLAN_H

#include <stdbool.h>

#include <sustain/sustain.h>

/* The constants and their sources. */
typedef struct plan_basis {
    sustain_constants constants, given, known; /* known: given or known to the problem */
    const char *problem;                       /* its name, or NULL */
} plan_basis;

/* Uses only the given constants. */
plan_basis plan_basis_given(const sustain_constants *given);

/* Adds the constants that a problem knows, and estimates the rest near its start. */
sustain_status plan_basis_add(sustain_context *context, const sustain_quadratic_options *options, plan_basis *basis);

double plan_constant(const sustain_constants *constants, const sustain_parameter *row);
/* "given", "estimated", ... */
const char *plan_constant_source(const plan_basis *basis, const sustain_parameter *row);

/* One theorem's plan. */
typedef enum plan_theorem { PLAN_NONCONVEX, PLAN_STRONGLY_CONVEX, PLAN_BOTH } plan_theorem;
typedef struct plan_sheet {
    const char *key, *title, *bounded; /* bounded: what the theorem bounds */
    bool wanted;
    sustain_plan plan;
} plan_sheet;

/* Plans for a number of iterations, or for epsilon if it is not NAN. `theorem` -1: both if ell
 * is known to be strongly convex, else Theorem 3.2. */
sustain_status plan_make(sustain_context *context, const plan_basis *basis, int theorem, double iterations, double epsilon,
                         plan_sheet sheets[2]);

/* The numbers of a plan, one row each. */
typedef struct plan_row {
    const char *name;
    size_t offset;
    const char *help;
} plan_row;
const plan_row *plan_row_at(int i); /* NULL after the last */
double plan_value(const sustain_plan *plan, const plan_row *row);

/* The steps at t: at the start, in the middle and at the end for third = 0, 1, 2. */
typedef struct plan_moment {
    double t, alpha, beta, eta_f, eta_g;
} plan_moment;
plan_moment plan_moment_at(const sustain_plan *plan, int third);

#endif

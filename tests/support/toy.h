/* toy.h - a small bilevel problem with every oracle, and with each of them broken in turn.
 *
 *   g_i(x,y) = (sigma(p) + 0.1) log(1 + exp(-a_i'y)) + tanh(q) b_i'y + |y|^2 / 4  [+ 1/4 sum_j x_j^2 y_j^2, dense only]
 *   f_i(x,y) = sqrt(1 + (a_i'y - 1)^2) + 0.15 p^2
 *
 * dense: p = c_i'x, q = e_i'x;   sparse: p = x_{2i}, q = x_{2i+1}, so that a sample touches two coordinates of x below and one above. */
#ifndef TOY_H
#define TOY_H

#include <sustain/sustain.h>

enum { TOY_LOWER = 4, TOY_SAMPLES = 12, TOY_UPPER_SPARSE = 2 * TOY_SAMPLES };

typedef enum toy_fault {
    TOY_RIGHT,
    TOY_F_GRAD_X_SIGN,
    TOY_F_GRAD_Y_FACTOR,
    TOY_G_GRAD_Y_MISSING_TERM,
    TOY_G_GRAD_X_FACTOR,
    TOY_HESS_FACTOR_2,
    TOY_HESS_NOT_SYMMETRIC,
    TOY_CROSS_SIGN,
    TOY_CROSS_TRANSPOSED,  /* dense only */
    TOY_CROSS_WRONG_ORDER, /* sparse only, as the next four */
    TOY_SUPPORT_INCOMPLETE,
    TOY_SUPPORT_OUT_OF_RANGE,
    TOY_SUPPORT_TOO_LONG,
    TOY_HESS_READS_ELSEWHERE,
    TOY_HYPER_PAIR_SECOND_POINT,
    TOY_HYPER_PAIR_SCALE,
    TOY_GRADIENT_PAIR_SWAPPED,
    TOY_MOMENTUM_STEP_FORGETS, /* h is the gradient, whatever it was */
    TOY_MOMENTUM_STEP_STAYS,   /* y_prev is not set */
    TOY_IMPURE_COUNTER,        /* of g_grad_y */
    TOY_IMPURE_OUTPUT,         /* g_hess_vec adds to what is there */
    TOY_IMPURE_WORK,           /* f_grad reads its work before writing */
    TOY_WORK_OVERRUN,          /* g_value */
    TOY_MATRIX_TRANSPOSED,     /* g_cross, dense only */
    TOY_MATRIX_FACTOR,         /* g_hess */
    TOY_BATCH_IS_SUM,          /* g_value, g_grad_y, g_hess_vec, ... consistently */
    TOY_POPULATION_SHORT,      /* batch NULL forgets the last sample in f */
    TOY_NOT_CONVEX,            /* minus |y|^2, consistently */
    TOY_NAN,                   /* in g_hess_vec */
    TOY_FAILS                  /* g_hess_vec returns a negative code */
} toy_fault;

typedef struct toy {
    sustain_problem problem;
    sustain_problem_ops ops; /* may be changed by a test, and so may the next */
    sustain_problem_fast fast;
    bool sparse;
    toy_fault fault;
    int counter;                               /* of the impure oracle */
    double normal[TOY_SAMPLES][4 * TOY_LOWER]; /* a, b, c, e of the samples of a finite sum: they are asked for often */
} toy;

/* Fills in *t, which problem points into. samples: TOY_SAMPLES for a finite sum, 0 for a stream. */
void toy_make(toy *t, bool sparse, int64_t samples, toy_fault fault);

#endif

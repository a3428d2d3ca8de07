/** @file quadratic.h - a problem with known answers, for tests, rates and demonstrations.
 *
 *      g(x,y;zeta) = 1/2 y'Ay + x'My - c'y + 1/2 (y-y~)'(H_zeta-A)(y-y~) + (x-x~)'(M_zeta-M)(y-y~) + s_g n_zeta'y
 *      f(x,y;xi)   = p(x) + sum_j a (1 + s_f u_j) phi(y_j - d_j)
 *
 *  A = Q diag(lambda) Q' with lambda from mu_g to L_g; H_zeta = Q diag(lambda_j (1 + s_h u_j)) Q'
 *  and M_zeta = (1 + s_c u) M with u bounded, so that every draw has mu_g <= H_zeta <= L_g and
 *  |M_zeta| <= C_gxy. The noise of Hessian and cross block multiplies the distance to (x~,y~) = (r,
 *  y*(r)), so the difference of one draw between two points is noisy too. Samples 2i and 2i+1 of a
 *  finite sum have opposite noise: their mean is exact. */
#ifndef SUSTAIN_QUADRATIC_H
#define SUSTAIN_QUADRATIC_H

#include <sustain/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/** phi: how the upper level depends on y. */
typedef enum sustain_quadratic_phi {
    SUSTAIN_PHI_LINEAR, /**< u */
    SUSTAIN_PHI_SQRT,   /**< sqrt(1 + u^2) - 1: bounded gradient */
    SUSTAIN_PHI_SQUARE  /**< u^2 / 2: no bound C_fy, so the theory refuses it */
} sustain_quadratic_phi;

/** What to make. sustain_quadratic_defaults() fills it; sustain_quadratic_table() explains each
 *  row. It begins with its size, so that it can grow. */
typedef struct sustain_quadratic_options {
    size_t size; /**< sizeof(sustain_quadratic_options), as the caller was compiled */
    int64_t upper_dim, lower_dim;
    int64_t samples;  /**< 0: a stream; else the (even) number of samples at each level */
    double mu_g, L_g; /**< bounds of every draw's Hessian */
    double C_gxy;     /**< bound of every draw's cross block */
    /** bound of every draw's grad_y f (with PHI_SQUARE: a (1 + s_f) = C_fy / sqrt(lower_dim)) */
    double C_fy;
    int phi;            /**< a sustain_quadratic_phi */
    double curvature;   /**< p(x) = curvature/2 |x - r|^2 + wave sum_i cos(x_i) */
    double wave;        /**< above curvature: ell is not convex */
    double noise_f;     /**< s_f in [0, 1) */
    double noise_g;     /**< s_g: E|s_g n|^2 = s_g^2 */
    double noise_hess;  /**< s_h in [0, 1) */
    double noise_cross; /**< s_c in [0, 1) */
    double start;       /**< |x_0 - r|; y_0 = 0 */
    double radius;      /**< the constant sigma_g holds for |x - x~|, |y - y~| <= radius */
    int64_t seed;       /**< of Q, M, c, d, r and of a finite sum's noise */
} sustain_quadratic_options;

/** The table of the options. */
const sustain_parameter *sustain_quadratic_table(int *count);

/** What sustain_quadratic_defaults() calls: fills `size` bytes. */
void sustain_quadratic_defaults_for(size_t size, sustain_quadratic_options *options);

/** The defaults of the table. */
static inline sustain_quadratic_options sustain_quadratic_defaults(void) {
    sustain_quadratic_options options;
    sustain_quadratic_defaults_for(sizeof options, &options);
    return options;
}

/** Makes the problem; `known` holds every constant that the theorems need. */
sustain_status sustain_quadratic_create(sustain_context *context, const sustain_quadratic_options *options, sustain_problem **out);

/** Frees it. NULL is allowed. */
void sustain_quadratic_destroy(sustain_problem *problem);

/** y*(x) in closed form. */
void sustain_quadratic_lower(const sustain_problem *problem, const double *x, double *y);

/** ell(x), and grad ell(x) where gradient is not NULL, in closed form. */
double sustain_quadratic_value(const sustain_problem *problem, const double *x, double *gradient);

/** The minimum of ell where ell is convex (wave <= curvature), accurate to rounding; NAN where ell
 *  is not convex, or where rounding prevents an accurate result (a cross block a million times
 *  mu_g). x may be NULL. */
double sustain_quadratic_minimum(const sustain_problem *problem, double *x);

#ifdef __cplusplus
}
#endif
#endif

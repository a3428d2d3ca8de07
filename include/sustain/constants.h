/** @file constants.h - the constants of Assumptions 1 to 4, and the step sizes that Theorems 3.2
 *  and 3.3 derive from them. */
#ifndef SUSTAIN_CONSTANTS_H
#define SUSTAIN_CONSTANTS_H

#include <sustain/context.h>
#include <sustain/parameter.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The constants. NAN: not known. Infinite: known not to exist (the theory then refuses the
 *  problem). */
typedef struct sustain_constants {
    double mu_g;  /**< every g(x,.;zeta) is mu_g-strongly convex */
    double L_g;   /**< Lipschitz constant of grad_y g, every draw */
    double L_fx;  /**< of grad_x f */
    double L_fy;  /**< of grad_y f */
    double C_fy;  /**< bound of the norm of grad_y f */
    double L_gxy; /**< Lipschitz constant of grad^2_xy g */
    double L_gyy; /**< of grad^2_yy g */
    /** bound of the norm of grad^2_xy g. Differs: Assumption 2(v) prints the squared norm; all
     *  proofs use the norm */
    double C_gxy;
    double mu_f; /**< ell is mu_f-strongly convex (Theorem 3.3 only) */
    /** standard deviation of the estimate (7). Not known: bounded from the next three (appendix,
     *  Lemma on the bias) */
    double sigma_f;
    double sigma_g;   /**< of grad_y g */
    double sigma_fx;  /**< of grad_x f */
    double sigma_fy;  /**< of grad_y f */
    double sigma_gxy; /**< of grad^2_xy g */
    double gap;       /**< ell(x_0) - min ell; for predictions only */
    double distance;  /**< |y_0 - y*(x_0)|; for predictions only */
} sustain_constants;

/** All constants not known. */
sustain_constants sustain_constants_unknown(void);

/** The table of the constants: names, ranges, explanations; offsets into sustain_constants. */
const sustain_parameter *sustain_constants_table(int *count);

/** Steps of a run of T iterations, for all algorithms of the form of eq. (17) and of Section 4:
 *
 *      alpha_t = alpha / (w + t)^p,   beta_t = beta / (w + t)^q,   eta_t = min(1, c_eta / (w + t)^(2p)),   eta_0 = 1.
 *
 *  One timescale is p = q. Theorem 3.2 has p = q = 1/3 and alpha = 1, Theorem 3.3 has p = q = 0. */
typedef struct sustain_steps {
    double alpha, beta;      /**< of x and of y */
    double c_eta_f, c_eta_g; /**< of the momentum */
    double w, p, q;          /**< offset and powers of the decay, of x and of y */
    double L_g;              /**< of eq. (7) */
    int K;                   /**< of eq. (7) */
} sustain_steps;

/** What a theorem gives for a problem: the steps, the intermediate constants, and the bound. */
typedef struct sustain_plan {
    sustain_steps steps;
    double L, L_f, L_y, L_K; /**< Lemma 2.2 (11) (12) and eq. (15) */
    double L_mu_g;           /**< mu_g L_g / (mu_g + L_g) */
    double c_beta;           /**< beta_t / alpha_t */
    double sigma_f;          /**< as given, or as bounded */
    double iterations;       /**< T */
    /** of E|grad ell(x_a(T))|^2 (3.2; as proved, a(T) uniform on 0..T-1) or of E[ell(x_T)] - min
     *  ell (3.3); NAN if gap, distance or noise are not known */
    double bound;
    double samples_upper; /**< T */
    double samples_lower; /**< T (2 + (K-1)/2) on average: zeta, zeta^(0) and k Hessian draws */
} sustain_plan;

/** Theorem 3.2: ell smooth, perhaps not convex. Refuses with the name of a constant that is
 *  missing. */
sustain_status sustain_plan_nonconvex(sustain_context *context, const sustain_constants *constants, double iterations, sustain_plan *plan);

/** Theorem 3.3: ell strongly convex; the largest alpha that it allows. */
sustain_status sustain_plan_strongly_convex(sustain_context *context, const sustain_constants *constants, double iterations,
                                            sustain_plan *plan);

/** The right side of (19) after t iterations of a plan of Theorem 3.3. */
double sustain_plan_bound_at(const sustain_constants *constants, const sustain_plan *plan, double t);

/** The smallest T, to three digits, at which the theorem's bound is at most epsilon. For Theorem
 *  3.3 alpha is chosen for epsilon as the appendix does ("Sample complexity"), if that is below the
 *  largest one. */
sustain_status sustain_plan_for_epsilon(sustain_context *context, const sustain_constants *constants, bool strongly_convex, double epsilon,
                                        sustain_plan *plan);

#ifdef __cplusplus
}
#endif
#endif

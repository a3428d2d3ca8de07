/* quadratic_internal.h - what the two files of the quadratic problem share: quadratic.c computes,
 * quadratic_create.c makes. */
#ifndef SUSTAIN_PROBLEMS_QUADRATIC_H
#define SUSTAIN_PROBLEMS_QUADRATIC_H

#include <sustain/quadratic.h>

typedef struct sustain__quadratic {
    sustain_problem problem; /* first: a pointer to it is a pointer to the whole */
    sustain_context *context;
    sustain_quadratic_options options;
    sustain_constants known;
    int64_t m, n;    /* the dimensions of x and y */
    double a;        /* the weight of phi */
    double minimum;  /* of ell */
    double *lambda;  /* (n) */
    double *Q;       /* (n, n), its rows the eigenvectors of A */
    double *M;       /* (m, n) */
    double *P;       /* (n, m) = A^{-1} M', so that y*(x) = y_c - P x */
    double *c, *d;   /* (n) */
    double *y_c;     /* (n) = A^{-1} c */
    double *y_tilde; /* (n) = y*(r) */
    double *w_tilde; /* (n) = Q' y~ */
    double *b_tilde; /* (n) = M' x~ */
    double *r;       /* (m) = x~ */
    double *x_0;     /* (m), rounded to sustain_real */
    double *x_min;   /* (m), where ell is least */
    void *memory;    /* of the vectors and matrices */
} sustain__quadratic;

/* Streams of random numbers: those of the noise, and those that the problem is made of. Far from
 * the numbers of the library's own streams, as the seed may be that of a run. */
enum {
    NOISE_F = 0x40000000, /* u of f */
    NOISE_HESS,           /* u of H_zeta */
    NOISE_CROSS,          /* u of M_zeta */
    NOISE_GAUSS,          /* n of grad_y g */
    MAKE_Q,
    MAKE_U,
    MAKE_V,
    MAKE_C,
    MAKE_D,
    MAKE_R,
    MAKE_START
};

extern const sustain_problem_ops sustain__quadratic_ops;

/* Two random numbers, number 2i and 2i + 1, of the sample that (seed, t) names. */
void sustain__quadratic_pair(uint64_t seed, uint64_t t, uint32_t source, int64_t i, double pair[2]);

/* Finds minimum and x_min of a convex ell, NAN if rounding hides them; scratch is (m^2 + 4m). */
void sustain__quadratic_minimize(sustain__quadratic *q, double *scratch);

static inline double dot(int64_t n, const double *a, const double *b) {
    double sum[4] = {0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++) sum[j] += a[i + j] * b[i + j];
    for (; i < n; i++) sum[0] += a[i] * b[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* to += factor * a */
static inline void add(int64_t n, double factor, const double *a, double *to) {
    for (int64_t i = 0; i < n; i++) to[i] += factor * a[i];
}

#endif

/* transcription.h - Algorithm 1 and Algorithm 2 as printed: dense, in double, slow, one formula
 * after the other.
 *
 *   Df(x,y;xibar) = grad_x f(x,y;xi)
 *                   - K/L_g grad^2_xy g(x,y;zeta^(0)) prod_{i=1..k} (I - grad^2_yy g(x,y;zeta^(i))/L_g) grad_y f(x,y;xi)       (7)
 *   h^g_t = eta^g_t grad_y g(x_t,y_t;zeta_t)
 *           + (1-eta^g_t)(h^g_{t-1} + grad_y g(x_t,y_t;zeta_t) - grad_y g(x_{t-1},y_{t-1};zeta_t))                             (13)
 *   h^f_t = eta^f_t Df(x_t,y_t;xibar_t) + (1-eta^f_t)(h^f_{t-1} + Df(x_t,y_t;xibar_t) - Df(x_{t-1},y_{t-1};xibar_t))           (14)
 *   y_{t+1} = y_t - beta_t h^g_t,     x_{t+1} = x_t - alpha_t h^f_t                                                    Algorithm 1
 *
 * Option II of (20) subtracts Df(x_{t-1},y_{t-1};xibar_{t-1}) instead; Algorithm 2 replaces h^f_t
 * in the last line by Adam's direction. Only the random numbers come from the library, for they
 * must be the same. */
#ifndef TRANSCRIPTION_H
#define TRANSCRIPTION_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/draw.h"

enum { TRANSCRIPTION_M = 400, TRANSCRIPTION_N = 32, TRANSCRIPTION_BATCH = 16 };

/* The derivatives of a problem, in double; matrices row by row. */
typedef struct naive_oracles {
    int64_t m, n; /* the dimensions of x and y */
    const void *self;
    void (*grad_f)(const void *self, const sustain_batch *xi, const double *x, const double *y, double *fx, double *fy);
    void (*grad_y_g)(const void *self, const sustain_batch *zeta, const double *x, const double *y, double *gy);
    void (*hessian)(const void *self, const sustain_batch *zeta, const double *x, const double *y, double *H); /* (n, n) */
    void (*cross)(const void *self, const sustain_batch *zeta, const double *x, const double *y, double *M);   /* (m, n) */
} naive_oracles;

/* Mistakes to make on purpose: a comparison that does not notice them is worth nothing. */
typedef enum mistake {
    NO_MISTAKE,
    OTHER_DRAW_LOWER,    /* (13) with another zeta at the second point */
    OTHER_DRAW_UPPER,    /* (14) with another xibar at the second point */
    NO_FACTOR_K,         /* (7) without K */
    PRODUCT_REVERSED,    /* (7) with the factors in the opposite order */
    CROSS_SIGN,          /* (7) with a plus */
    UPPER_NOT_CARRIED,   /* (14) with h^f_{t-1} = 0 */
    LOWER_NOT_CARRIED,   /* (13) with h^g_{t-1} = 0 */
    NEWEST_Y,            /* (14) at (x_t, y_{t+1}) */
    OPTION_SWAPPED,      /* the other case of (20) */
    MOMENTS_UNCORRECTED, /* Algorithm 2 without bias correction */
    MOMENTS_OVERWRITTEN, /* Algorithm 2 as printed: m and v are replaced by their corrected values */
    DIRECTION_CARRIED,   /* Algorithm 2 with its direction in the place of h^f_{t-1} */
    MISTAKE_COUNT
} mistake;

typedef struct transcription {
    const naive_oracles *oracles;
    sustain__sampler sampler;
    int64_t batch;
    int K;
    double L_g;
    int option; /* 1 or 2 */
    bool adam;
    mistake mistake;

    int64_t t;
    double x[TRANSCRIPTION_M], x_prev[TRANSCRIPTION_M], h_f[TRANSCRIPTION_M];
    double y[TRANSCRIPTION_N], y_prev[TRANSCRIPTION_N], h_g[TRANSCRIPTION_N];
    double sg_prev[TRANSCRIPTION_M];                           /* "Previous SG" of Option II */
    double moment1[TRANSCRIPTION_M], moment2[TRANSCRIPTION_M]; /* m_t and v_t of Algorithm 2 */
    double M[TRANSCRIPTION_M * TRANSCRIPTION_N], H[TRANSCRIPTION_N * TRANSCRIPTION_N];
} transcription;

/* Eq. (7) at (x, y) with the draw xibar_t. */
static inline void transcription_surrogate(transcription *s, int64_t t, const double *x, const double *y, double *out) {
    const naive_oracles *o = s->oracles;
    const int64_t m = o->m, n = o->n;
    int64_t index[TRANSCRIPTION_BATCH];
    double fx[TRANSCRIPTION_M], v[TRANSCRIPTION_N], Hv[TRANSCRIPTION_N];

    const sustain_batch xi = sustain__draw(&s->sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, s->batch, index);
    o->grad_f(o->self, &xi, x, y, fx, v);

    /* A_1 A_2 ... A_k v: A_k comes first. */
    const int k = sustain__draw_terms(&s->sampler, t, s->K);
    for (int turn = 0; turn < k; turn++) {
        const int i = s->mistake == PRODUCT_REVERSED ? 1 + turn : k - turn;
        const sustain_batch zeta = sustain__draw(&s->sampler, SUSTAIN_LOWER, (uint32_t)(SUSTAIN__STREAM_HYPER + i), t, s->batch, index);
        o->hessian(o->self, &zeta, x, y, s->H);
        for (int64_t a = 0; a < n; a++) {
            Hv[a] = 0;
            for (int64_t b = 0; b < n; b++) Hv[a] += s->H[a * n + b] * v[b];
        }
        for (int64_t a = 0; a < n; a++) v[a] = v[a] - Hv[a] / s->L_g;
    }

    const sustain_batch zeta_0 = sustain__draw(&s->sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER, t, s->batch, index);
    o->cross(o->self, &zeta_0, x, y, s->M);
    const double K = s->mistake == NO_FACTOR_K ? 1 : s->K, sign = s->mistake == CROSS_SIGN ? -1 : 1;
    for (int64_t i = 0; i < m; i++) {
        double Mv = 0;
        for (int64_t j = 0; j < n; j++) Mv += s->M[i * n + j] * v[j];
        out[i] = fx[i] - sign * K / s->L_g * Mv;
    }
}

/* grad_y g(x, y; zeta_t). */
static inline void transcription_lower(transcription *s, int64_t t, const double *x, const double *y, double *out) {
    int64_t index[TRANSCRIPTION_BATCH];
    const sustain_batch zeta = sustain__draw(&s->sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, s->batch, index);
    s->oracles->grad_y_g(s->oracles->self, &zeta, x, y, out);
}

/* x_0 and y_0; x_{-1} = y_{-1} = h^f_{-1} = h^g_{-1} = 0, m_0 = v_0 = 0. */
static inline void transcription_start(transcription *s, const sustain_real *x, const sustain_real *y) {
    s->t = 0;
    for (int64_t i = 0; i < s->oracles->m; i++) {
        s->x[i] = (double)x[i];
        s->x_prev[i] = s->h_f[i] = s->sg_prev[i] = s->moment1[i] = s->moment2[i] = 0;
    }
    for (int64_t j = 0; j < s->oracles->n; j++) {
        s->y[j] = (double)y[j];
        s->y_prev[j] = s->h_g[j] = 0;
    }
}

/* Algorithm 2: the direction made of hbar^f; its step count begins at 1. */
static inline void transcription_adam(transcription *s, const double *h_bar, double *direction) {
    const double gamma_1 = 0.9, gamma_2 = 0.999, epsilon = 1e-8, count = (double)(s->t + 1);
    for (int64_t i = 0; i < s->oracles->m; i++) {
        s->moment1[i] = gamma_1 * s->moment1[i] + (1 - gamma_1) * h_bar[i];
        s->moment2[i] = gamma_2 * s->moment2[i] + (1 - gamma_2) * h_bar[i] * h_bar[i];
        /* Differs: the text overwrites m_t and v_t by their corrected values; run literally, v
         * explodes. */
        double corrected_1 = s->moment1[i] / (1 - pow(gamma_1, count)), corrected_2 = s->moment2[i] / (1 - pow(gamma_2, count));
        if (s->mistake == MOMENTS_UNCORRECTED) corrected_1 = s->moment1[i], corrected_2 = s->moment2[i];
        if (s->mistake == MOMENTS_OVERWRITTEN) s->moment1[i] = corrected_1, s->moment2[i] = corrected_2;
        direction[i] = corrected_1 / (sqrt(corrected_2) + epsilon);
    }
}

/* One turn of the loop of Algorithm 1, with the t-th members of its four sequences (eta_0 = 1). */
static inline void transcription_step(transcription *s, double alpha, double beta, double eta_f, double eta_g) {
    const int64_t m = s->oracles->m, n = s->oracles->n, t = s->t, far = 1000000;
    double gy[TRANSCRIPTION_N], gy_prev[TRANSCRIPTION_N], y_next[TRANSCRIPTION_N];
    double df[TRANSCRIPTION_M], df_prev[TRANSCRIPTION_M], direction[TRANSCRIPTION_M], x_next[TRANSCRIPTION_M];

    transcription_lower(s, t, s->x, s->y, gy);
    transcription_lower(s, s->mistake == OTHER_DRAW_LOWER ? t + far : t, s->x_prev, s->y_prev, gy_prev);
    for (int64_t j = 0; j < n; j++) {
        const double carried = s->mistake == LOWER_NOT_CARRIED ? 0 : s->h_g[j];
        s->h_g[j] = eta_g * gy[j] + (1 - eta_g) * (carried + gy[j] - gy_prev[j]); /* (13) */
        y_next[j] = s->y[j] - beta * s->h_g[j];
    }

    transcription_surrogate(s, t, s->x, s->mistake == NEWEST_Y ? y_next : s->y, df);
    const int option = s->mistake == OPTION_SWAPPED ? 3 - s->option : s->option;
    if (option == 1) transcription_surrogate(s, s->mistake == OTHER_DRAW_UPPER ? t + far : t, s->x_prev, s->y_prev, df_prev);
    for (int64_t i = 0; i < m; i++) {
        const double carried = s->mistake == UPPER_NOT_CARRIED ? 0 : s->h_f[i];
        if (option == 1) s->h_f[i] = eta_f * df[i] + (1 - eta_f) * (carried + df[i] - df_prev[i]); /* (14) */
        if (option == 2) s->h_f[i] = df[i] + (1 - eta_f) * (carried - s->sg_prev[i]);              /* (20), Option II */
        s->sg_prev[i] = df[i];
        direction[i] = s->h_f[i];
    }
    if (s->adam) transcription_adam(s, s->h_f, direction);
    if (s->mistake == DIRECTION_CARRIED) memcpy(s->h_f, direction, (size_t)m * sizeof *direction);
    for (int64_t i = 0; i < m; i++) x_next[i] = s->x[i] - alpha * direction[i];

    memcpy(s->x_prev, s->x, sizeof s->x);
    memcpy(s->y_prev, s->y, sizeof s->y);
    memcpy(s->x, x_next, (size_t)m * sizeof *x_next);
    memcpy(s->y, y_next, (size_t)n * sizeof *y_next);
    s->t = t + 1;
}

#endif

/* naive_problems.h - problems written down in double without any thought of speed, as the
 * transcription wants them, and for the first of them also as the library does.
 *
 * coupled: a weighted logistic regression whose weights and ridge depend on x, so that gradient,
 * Hessian and cross block of the lower level change with both x and y. A sample has random a, c, e
 * and a sign b = +-1 that mostly is that of sum_j a_j:
 *
 *   g = (1/2 + sigma(c'x)) log(1 + exp(-b a'y)) + 1/2 sum_j r_j(x) y_j^2,    r_j(x) = 1/2 + sigma(B_j'x)
 *   f = log(1 + exp(e'x - b a'y)) + 1/4 |x - 1|^2
 *
 * cleaning: eq. (3) with means,
 *
 *   g = c |y|^2 + mean over the draw of sigma(x_i) L_i(y),    f = mean over the draw of L_i(y),    L_i the cross entropy
 *
 * bridged: any problem of the library, its oracles called at the rounded point. */
#ifndef NAIVE_PROBLEMS_H
#define NAIVE_PROBLEMS_H

#include <sustain/hyperclean.h>

#include "transcription.h"

static inline double naive_sigma(double u) {
    return 1 / (1 + exp(-u));
}

/* Uniform on [-1, 1], a function of its arguments. */
static inline double naive_uniform(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t z = a * 0x9E3779B97F4A7C15u + b * 0xC2B2AE3D27D4EB4Fu + c * 0x165667B19E3779F9u;
    for (int round = 0; round < 3; round++) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        z = z ^ (z >> 31);
    }
    return (double)(z >> 11) * 0x1p-52 - 1;
}

/* ---- coupled ---- */

enum { COUPLED_M = 6, COUPLED_N = 5, COUPLED_SAMPLES = 40 };

typedef struct coupled_sample {
    double a[COUPLED_N], c[COUPLED_M], e[COUPLED_M], b;
} coupled_sample;

static inline coupled_sample coupled_draw(const sustain_batch *batch, int64_t j) {
    const uint64_t first = batch->index != NULL ? 1 : batch->key, second = (uint64_t)(batch->index != NULL ? batch->index[j] : j);
    coupled_sample s;
    for (uint64_t i = 0; i < COUPLED_N; i++) s.a[i] = 1.5 * naive_uniform(first, second, i);
    for (uint64_t i = 0; i < COUPLED_M; i++) s.c[i] = naive_uniform(first, second, 100 + i);
    for (uint64_t i = 0; i < COUPLED_M; i++) s.e[i] = 0.3 * naive_uniform(first, second, 200 + i);
    s.b = 2 * naive_uniform(first, second, 300);
    for (uint64_t i = 0; i < COUPLED_N; i++) s.b += s.a[i];
    s.b = s.b < 0 ? -1 : 1;
    return s;
}

static inline double coupled_dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* B_j of r_j. */
static inline void coupled_ridge(uint64_t j, double *B) {
    for (uint64_t i = 0; i < COUPLED_M; i++) B[i] = naive_uniform(7, j, i);
}

static inline void coupled_grad_f(const void *self, const sustain_batch *xi, const double *x, const double *y, double *fx, double *fy) {
    (void)self;
    for (int i = 0; i < COUPLED_M; i++) fx[i] = (x[i] - 1) / 2;
    for (int j = 0; j < COUPLED_N; j++) fy[j] = 0;
    for (int64_t q = 0; q < xi->size; q++) {
        const coupled_sample s = coupled_draw(xi, q);
        const double p = naive_sigma(coupled_dot(COUPLED_M, s.e, x) - s.b * coupled_dot(COUPLED_N, s.a, y)) / (double)xi->size;
        for (int i = 0; i < COUPLED_M; i++) fx[i] += p * s.e[i];
        for (int j = 0; j < COUPLED_N; j++) fy[j] -= p * s.b * s.a[j];
    }
}

static inline void coupled_grad_y_g(const void *self, const sustain_batch *zeta, const double *x, const double *y, double *gy) {
    (void)self;
    double B[COUPLED_M];
    for (int j = 0; j < COUPLED_N; j++) {
        coupled_ridge((uint64_t)j, B);
        gy[j] = (0.5 + naive_sigma(coupled_dot(COUPLED_M, B, x))) * y[j];
    }
    for (int64_t q = 0; q < zeta->size; q++) {
        const coupled_sample s = coupled_draw(zeta, q);
        const double weight = (0.5 + naive_sigma(coupled_dot(COUPLED_M, s.c, x))) / (double)zeta->size;
        const double p = naive_sigma(-s.b * coupled_dot(COUPLED_N, s.a, y));
        for (int j = 0; j < COUPLED_N; j++) gy[j] -= weight * p * s.b * s.a[j];
    }
}

static inline void coupled_grad_x_g(const sustain_batch *zeta, const double *x, const double *y, double *gx) {
    double B[COUPLED_M];
    for (int i = 0; i < COUPLED_M; i++) gx[i] = 0;
    for (int j = 0; j < COUPLED_N; j++) {
        coupled_ridge((uint64_t)j, B);
        const double r = naive_sigma(coupled_dot(COUPLED_M, B, x));
        for (int i = 0; i < COUPLED_M; i++) gx[i] += r * (1 - r) * B[i] * y[j] * y[j] / 2;
    }
    for (int64_t q = 0; q < zeta->size; q++) {
        const coupled_sample s = coupled_draw(zeta, q);
        const double w = naive_sigma(coupled_dot(COUPLED_M, s.c, x)), loss = log1p(exp(-s.b * coupled_dot(COUPLED_N, s.a, y)));
        for (int i = 0; i < COUPLED_M; i++) gx[i] += w * (1 - w) * s.c[i] * loss / (double)zeta->size;
    }
}

static inline void coupled_hessian(const void *self, const sustain_batch *zeta, const double *x, const double *y, double *H) {
    (void)self;
    double B[COUPLED_M];
    for (int j = 0; j < COUPLED_N; j++) {
        coupled_ridge((uint64_t)j, B);
        for (int l = 0; l < COUPLED_N; l++) H[j * COUPLED_N + l] = j == l ? 0.5 + naive_sigma(coupled_dot(COUPLED_M, B, x)) : 0;
    }
    for (int64_t q = 0; q < zeta->size; q++) {
        const coupled_sample s = coupled_draw(zeta, q);
        const double weight = (0.5 + naive_sigma(coupled_dot(COUPLED_M, s.c, x))) / (double)zeta->size;
        const double p = naive_sigma(-s.b * coupled_dot(COUPLED_N, s.a, y));
        for (int j = 0; j < COUPLED_N; j++)
            for (int l = 0; l < COUPLED_N; l++) H[j * COUPLED_N + l] += weight * p * (1 - p) * s.a[j] * s.a[l];
    }
}

static inline void coupled_cross(const void *self, const sustain_batch *zeta, const double *x, const double *y, double *M) {
    (void)self;
    double B[COUPLED_M];
    for (int j = 0; j < COUPLED_N; j++) {
        coupled_ridge((uint64_t)j, B);
        const double r = naive_sigma(coupled_dot(COUPLED_M, B, x));
        for (int i = 0; i < COUPLED_M; i++) M[i * COUPLED_N + j] = r * (1 - r) * B[i] * y[j];
    }
    for (int64_t q = 0; q < zeta->size; q++) {
        const coupled_sample s = coupled_draw(zeta, q);
        const double w = naive_sigma(coupled_dot(COUPLED_M, s.c, x)), p = naive_sigma(-s.b * coupled_dot(COUPLED_N, s.a, y));
        for (int i = 0; i < COUPLED_M; i++)
            for (int j = 0; j < COUPLED_N; j++) M[i * COUPLED_N + j] -= w * (1 - w) * s.c[i] * p * s.b * s.a[j] / (double)zeta->size;
    }
}

static const naive_oracles coupled_oracles = {.m = COUPLED_M,
                                              .n = COUPLED_N,
                                              .grad_f = coupled_grad_f,
                                              .grad_y_g = coupled_grad_y_g,
                                              .hessian = coupled_hessian,
                                              .cross = coupled_cross};

/* The same for the library: arguments widened, results rounded. A finite sum's expected value is
 * the batch of all samples. */

static inline void naive_widen(int64_t n, const sustain_real *from, double *to) {
    for (int64_t i = 0; i < n; i++) to[i] = (double)from[i];
}

static inline void naive_round(int64_t n, const double *from, sustain_real *to) {
    for (int64_t i = 0; i < n; i++) to[i] = (sustain_real)from[i];
}

static inline sustain_batch coupled_all(int64_t *index) {
    for (int64_t i = 0; i < COUPLED_SAMPLES; i++) index[i] = i;
    return (sustain_batch){.size = COUPLED_SAMPLES, .index = index};
}

static inline int coupled_f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value,
                                  void *work) {
    (void)self, (void)work;
    int64_t index[COUPLED_SAMPLES];
    const sustain_batch all = coupled_all(index);
    double wide_x[COUPLED_M], wide_y[COUPLED_N];
    naive_widen(COUPLED_M, x, wide_x);
    naive_widen(COUPLED_N, y, wide_y);
    if (xi == NULL) xi = &all;
    *value = 0;
    for (int i = 0; i < COUPLED_M; i++) *value += (wide_x[i] - 1) * (wide_x[i] - 1) / 4;
    for (int64_t q = 0; q < xi->size; q++) {
        const coupled_sample s = coupled_draw(xi, q);
        *value += log1p(exp(coupled_dot(COUPLED_M, s.e, wide_x) - s.b * coupled_dot(COUPLED_N, s.a, wide_y))) / (double)xi->size;
    }
    return 0;
}

static inline int coupled_g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value,
                                  void *work) {
    (void)self, (void)work;
    int64_t index[COUPLED_SAMPLES];
    const sustain_batch all = coupled_all(index);
    double wide_x[COUPLED_M], wide_y[COUPLED_N], B[COUPLED_M];
    naive_widen(COUPLED_M, x, wide_x);
    naive_widen(COUPLED_N, y, wide_y);
    if (zeta == NULL) zeta = &all;
    *value = 0;
    for (int j = 0; j < COUPLED_N; j++) {
        coupled_ridge((uint64_t)j, B);
        *value += (0.5 + naive_sigma(coupled_dot(COUPLED_M, B, wide_x))) * wide_y[j] * wide_y[j] / 2;
    }
    for (int64_t q = 0; q < zeta->size; q++) {
        const coupled_sample s = coupled_draw(zeta, q);
        const double weight = (0.5 + naive_sigma(coupled_dot(COUPLED_M, s.c, wide_x))) / (double)zeta->size;
        *value += weight * log1p(exp(-s.b * coupled_dot(COUPLED_N, s.a, wide_y)));
    }
    return 0;
}

static inline int coupled_f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                                 sustain_real *fy, void *work) {
    (void)work;
    int64_t index[COUPLED_SAMPLES];
    const sustain_batch all = coupled_all(index);
    double wide_x[COUPLED_M], wide_y[COUPLED_N], wide_fx[COUPLED_M], wide_fy[COUPLED_N];
    naive_widen(COUPLED_M, x, wide_x);
    naive_widen(COUPLED_N, y, wide_y);
    coupled_grad_f(self, xi != NULL ? xi : &all, wide_x, wide_y, wide_fx, wide_fy);
    naive_round(COUPLED_M, wide_fx, fx);
    naive_round(COUPLED_N, wide_fy, fy);
    return 0;
}

static inline int coupled_g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                   sustain_real *gy, void *work) {
    (void)work;
    int64_t index[COUPLED_SAMPLES];
    const sustain_batch all = coupled_all(index);
    double wide_x[COUPLED_M], wide_y[COUPLED_N], wide_gy[COUPLED_N];
    naive_widen(COUPLED_M, x, wide_x);
    naive_widen(COUPLED_N, y, wide_y);
    coupled_grad_y_g(self, zeta != NULL ? zeta : &all, wide_x, wide_y, wide_gy);
    naive_round(COUPLED_N, wide_gy, gy);
    return 0;
}

static inline int coupled_g_grad_x(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                   sustain_real *gx, void *work) {
    (void)self, (void)work;
    int64_t index[COUPLED_SAMPLES];
    const sustain_batch all = coupled_all(index);
    double wide_x[COUPLED_M], wide_y[COUPLED_N], wide_gx[COUPLED_M];
    naive_widen(COUPLED_M, x, wide_x);
    naive_widen(COUPLED_N, y, wide_y);
    coupled_grad_x_g(zeta != NULL ? zeta : &all, wide_x, wide_y, wide_gx);
    naive_round(COUPLED_M, wide_gx, gx);
    return 0;
}

static inline int coupled_g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                     const sustain_real *v, sustain_real *out, void *work) {
    (void)work;
    int64_t index[COUPLED_SAMPLES];
    const sustain_batch all = coupled_all(index);
    double wide_x[COUPLED_M], wide_y[COUPLED_N], wide_v[COUPLED_N], H[COUPLED_N * COUPLED_N];
    naive_widen(COUPLED_M, x, wide_x);
    naive_widen(COUPLED_N, y, wide_y);
    naive_widen(COUPLED_N, v, wide_v);
    coupled_hessian(self, zeta != NULL ? zeta : &all, wide_x, wide_y, H);
    for (int j = 0; j < COUPLED_N; j++) out[j] = (sustain_real)coupled_dot(COUPLED_N, H + j * COUPLED_N, wide_v);
    return 0;
}

static inline int coupled_g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                                      const sustain_real *v, sustain_real *out, void *work) {
    (void)work;
    int64_t index[COUPLED_SAMPLES];
    const sustain_batch all = coupled_all(index);
    double wide_x[COUPLED_M], wide_y[COUPLED_N], wide_v[COUPLED_N], M[COUPLED_M * COUPLED_N];
    naive_widen(COUPLED_M, x, wide_x);
    naive_widen(COUPLED_N, y, wide_y);
    naive_widen(COUPLED_N, v, wide_v);
    coupled_cross(self, zeta != NULL ? zeta : &all, wide_x, wide_y, M);
    for (int i = 0; i < COUPLED_M; i++) out[i] = (sustain_real)coupled_dot(COUPLED_N, M + i * COUPLED_N, wide_v);
    return 0;
}

static const sustain_problem_ops coupled_ops = {.name = "coupled",
                                                .f_value = coupled_f_value,
                                                .f_grad = coupled_f_grad,
                                                .g_value = coupled_g_value,
                                                .g_grad_y = coupled_g_grad_y,
                                                .g_grad_x = coupled_g_grad_x,
                                                .g_hess_vec = coupled_g_hess_vec,
                                                .g_cross_vec = coupled_g_cross_vec};

/* |a|^2 <= 5 * 1.5^2, so every Hessian is at most 1.5 + 1.5 * 11.25 / 4. */
#define COUPLED_L_G 5.75

static inline sustain_problem coupled_problem(bool stream) {
    const int64_t samples = stream ? 0 : COUPLED_SAMPLES;
    return (sustain_problem){
        .ops = &coupled_ops, .upper_dim = COUPLED_M, .lower_dim = COUPLED_N, .samples = {samples, samples}, .has_expectation = !stream};
}

/* ---- cleaning ---- */

enum {
    CLEANING_TRAINING = 400,
    CLEANING_TRUSTED = 60,
    CLEANING_DIM = 8,
    CLEANING_CLASSES = 3,
    CLEANING_N = (CLEANING_DIM + 1) * CLEANING_CLASSES
};

typedef struct cleaning {
    float features[CLEANING_TRAINING + CLEANING_TRUSTED][CLEANING_DIM];
    int32_t labels[CLEANING_TRAINING + CLEANING_TRUSTED];
    double c;
} cleaning;

/* Three overlapping groups of points; of the training labels a third is wrong. The trusted rows
 * come last. */
static inline void cleaning_fill(cleaning *d, double c) {
    d->c = c;
    for (uint64_t i = 0; i < CLEANING_TRAINING + CLEANING_TRUSTED; i++) {
        const int32_t group = (int32_t)(i % CLEANING_CLASSES);
        const bool wrong = i < CLEANING_TRAINING && naive_uniform(11, i, 99) < -1.0 / 3;
        for (uint64_t j = 0; j < CLEANING_DIM; j++)
            d->features[i][j] = (float)(0.4 * naive_uniform(12, (uint64_t)group, j) + 0.4 * naive_uniform(13, i, j));
        d->labels[i] = wrong ? (group + 1) % CLEANING_CLASSES : group;
    }
}

static inline sustain_rows cleaning_training(const cleaning *d) {
    return (sustain_rows){.count = CLEANING_TRAINING, .dim = CLEANING_DIM, .values = d->features[0], .labels = d->labels};
}

static inline sustain_rows cleaning_trusted(const cleaning *d) {
    return (sustain_rows){
        .count = CLEANING_TRUSTED, .dim = CLEANING_DIM, .values = d->features[CLEANING_TRAINING], .labels = d->labels + CLEANING_TRAINING};
}

static inline sustain_hyperclean_options cleaning_options(const cleaning *d) {
    sustain_hyperclean_options options = sustain_hyperclean_defaults();
    options.classes = CLEANING_CLASSES;
    options.c = d->c;
    return options;
}

/* Where the weight of feature j for class k is in y: (classes, dim), then the biases. */
static inline int cleaning_place(int j, int k) {
    return j < CLEANING_DIM ? k * CLEANING_DIM + j : CLEANING_CLASSES * CLEANING_DIM + k;
}

/* Row i with a 1 for the bias, and its probabilities under y. */
static inline void cleaning_row(const cleaning *d, int64_t i, const double *y, double *a, double *p) {
    double sum = 0;
    for (int j = 0; j < CLEANING_DIM; j++) a[j] = (double)d->features[i][j];
    a[CLEANING_DIM] = 1;
    for (int k = 0; k < CLEANING_CLASSES; k++) {
        p[k] = 0;
        for (int j = 0; j <= CLEANING_DIM; j++) p[k] += a[j] * y[cleaning_place(j, k)];
        p[k] = exp(p[k]);
        sum += p[k];
    }
    for (int k = 0; k < CLEANING_CLASSES; k++) p[k] /= sum;
}

static inline void cleaning_grad_loss(const cleaning *d, int64_t i, const double *y, double *out) {
    double a[CLEANING_DIM + 1], p[CLEANING_CLASSES];
    cleaning_row(d, i, y, a, p);
    for (int j = 0; j <= CLEANING_DIM; j++)
        for (int k = 0; k < CLEANING_CLASSES; k++) out[cleaning_place(j, k)] = a[j] * (p[k] - (k == d->labels[i] ? 1 : 0));
}

static inline void cleaning_grad_f(const void *self, const sustain_batch *xi, const double *x, const double *y, double *fx, double *fy) {
    const cleaning *d = self;
    double loss[CLEANING_N];
    (void)x;
    for (int i = 0; i < CLEANING_TRAINING; i++) fx[i] = 0;
    for (int j = 0; j < CLEANING_N; j++) fy[j] = 0;
    for (int64_t q = 0; q < xi->size; q++) {
        cleaning_grad_loss(d, CLEANING_TRAINING + xi->index[q], y, loss);
        for (int j = 0; j < CLEANING_N; j++) fy[j] += loss[j] / (double)xi->size;
    }
}

static inline void cleaning_grad_y_g(const void *self, const sustain_batch *zeta, const double *x, const double *y, double *gy) {
    const cleaning *d = self;
    double loss[CLEANING_N];
    for (int j = 0; j < CLEANING_N; j++) gy[j] = 2 * d->c * y[j];
    for (int64_t q = 0; q < zeta->size; q++) {
        cleaning_grad_loss(d, zeta->index[q], y, loss);
        for (int j = 0; j < CLEANING_N; j++) gy[j] += naive_sigma(x[zeta->index[q]]) * loss[j] / (double)zeta->size;
    }
}

static inline void cleaning_hessian(const void *self, const sustain_batch *zeta, const double *x, const double *y, double *H) {
    const cleaning *d = self;
    double a[CLEANING_DIM + 1], p[CLEANING_CLASSES];
    for (int j = 0; j < CLEANING_N; j++)
        for (int l = 0; l < CLEANING_N; l++) H[j * CLEANING_N + l] = j == l ? 2 * d->c : 0;
    for (int64_t q = 0; q < zeta->size; q++) {
        cleaning_row(d, zeta->index[q], y, a, p);
        const double weight = naive_sigma(x[zeta->index[q]]) / (double)zeta->size;
        for (int j = 0; j <= CLEANING_DIM; j++)
            for (int k = 0; k < CLEANING_CLASSES; k++)
                for (int l = 0; l <= CLEANING_DIM; l++)
                    for (int h = 0; h < CLEANING_CLASSES; h++)
                        H[cleaning_place(j, k) * CLEANING_N + cleaning_place(l, h)] +=
                            weight * a[j] * a[l] * ((k == h ? p[k] : 0) - p[k] * p[h]);
    }
}

static inline void cleaning_cross(const void *self, const sustain_batch *zeta, const double *x, const double *y, double *M) {
    const cleaning *d = self;
    double loss[CLEANING_N];
    memset(M, 0, sizeof *M * CLEANING_TRAINING * CLEANING_N);
    for (int64_t q = 0; q < zeta->size; q++) {
        const int64_t i = zeta->index[q];
        const double s = naive_sigma(x[i]);
        cleaning_grad_loss(d, i, y, loss);
        for (int j = 0; j < CLEANING_N; j++) M[i * CLEANING_N + j] += s * (1 - s) * loss[j] / (double)zeta->size;
    }
}

static inline naive_oracles cleaning_oracles(const cleaning *d) {
    return (naive_oracles){.m = CLEANING_TRAINING,
                           .n = CLEANING_N,
                           .self = d,
                           .grad_f = cleaning_grad_f,
                           .grad_y_g = cleaning_grad_y_g,
                           .hessian = cleaning_hessian,
                           .cross = cleaning_cross};
}

/* ---- bridged ---- */

enum { BRIDGED_WORK = 1 << 16 };

typedef struct bridged_point {
    sustain_real x[TRANSCRIPTION_M], y[TRANSCRIPTION_N], unit[TRANSCRIPTION_N], out_x[TRANSCRIPTION_M], out_y[TRANSCRIPTION_N];
    double work[BRIDGED_WORK / sizeof(double)];
} bridged_point;

static inline void bridged_round(const sustain_problem *p, const double *x, const double *y, bridged_point *at) {
    if (p->ops->workspace != NULL && p->ops->workspace(p->self, TRANSCRIPTION_BATCH) > BRIDGED_WORK) abort();
    naive_round(p->upper_dim, x, at->x);
    naive_round(p->lower_dim, y, at->y);
}

static inline void bridged_grad_f(const void *self, const sustain_batch *xi, const double *x, const double *y, double *fx, double *fy) {
    const sustain_problem *p = self;
    bridged_point at;
    bridged_round(p, x, y, &at);
    if (p->ops->f_grad(p->self, xi, at.x, at.y, at.out_x, at.out_y, at.work) != 0) abort();
    naive_widen(p->upper_dim, at.out_x, fx);
    naive_widen(p->lower_dim, at.out_y, fy);
}

static inline void bridged_grad_y_g(const void *self, const sustain_batch *zeta, const double *x, const double *y, double *gy) {
    const sustain_problem *p = self;
    bridged_point at;
    bridged_round(p, x, y, &at);
    if (p->ops->g_grad_y(p->self, zeta, at.x, at.y, at.out_y, at.work) != 0) abort();
    naive_widen(p->lower_dim, at.out_y, gy);
}

/* Matrices column by column, from products with unit vectors. */
static inline void bridged_matrix(const sustain_problem *p, const sustain_batch *zeta, const double *x, const double *y, bool cross,
                                  double *out) {
    const int64_t n = p->lower_dim, rows = cross ? p->upper_dim : n;
    bridged_point at;
    bridged_round(p, x, y, &at);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t l = 0; l < n; l++) at.unit[l] = l == j;
        sustain_real *column = cross ? at.out_x : at.out_y;
        if ((cross ? p->ops->g_cross_vec : p->ops->g_hess_vec)(p->self, zeta, at.x, at.y, at.unit, column, at.work) != 0) abort();
        for (int64_t i = 0; i < rows; i++) out[i * n + j] = (double)column[i];
    }
}

static inline void bridged_hessian(const void *self, const sustain_batch *zeta, const double *x, const double *y, double *H) {
    bridged_matrix(self, zeta, x, y, false, H);
}

static inline void bridged_cross(const void *self, const sustain_batch *zeta, const double *x, const double *y, double *M) {
    bridged_matrix(self, zeta, x, y, true, M);
}

static inline naive_oracles bridged_oracles(const sustain_problem *problem) {
    return (naive_oracles){.m = problem->upper_dim,
                           .n = problem->lower_dim,
                           .self = problem,
                           .grad_f = bridged_grad_f,
                           .grad_y_g = bridged_grad_y_g,
                           .hessian = bridged_hessian,
                           .cross = bridged_cross};
}

/* ---- comparing ---- */

/* |a - b| / |b|; infinite where that is not a number. */
static inline double relative(int64_t n, const sustain_real *a, const double *b) {
    double away = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        away += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        size += b[i] * b[i];
    }
    const double ratio = away == 0 ? 0 : sqrt(away / size);
    return isfinite(ratio) ? ratio : HUGE_VAL;
}

#endif

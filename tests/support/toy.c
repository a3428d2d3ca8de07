/* toy.c - the toy problem. Plain loops, no cleverness: what is tested is whoever uses it. */
#include "toy.h"

#include <math.h>
#include <string.h>

enum { N = TOY_LOWER };

/* One sample's numbers, and where it stands at (x, y). */
typedef struct sample {
    double a[N], b[N], c[N], e[N];
    double p, q, ay, by; /* see toy.h; ay = a'y, by = b'y */
    int64_t at;          /* its number modulo TOY_SAMPLES */
} sample;

static double sigma(double t) {
    return 1 / (1 + exp(-t));
}

static int64_t count_of(const sustain_batch *batch) {
    return batch != NULL ? batch->size : TOY_SAMPLES;
}

static double weight_of(const toy *t, const sustain_batch *batch) {
    return batch != NULL && t->fault == TOY_BATCH_IS_SUM ? 1 : 1 / (double)count_of(batch);
}

static void draw(uint64_t seed, uint64_t number, double normal[4 * N]) {
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t i = 0; i < N; i++) normal[k * N + i] = sustain_random_normal(seed, k + 1, number, i);
}

/* Of the same variance, without logarithms: samples of streams are drawn at each call. */
static void draw_quickly(uint64_t seed, uint64_t number, double uniform[4 * N]) {
    for (uint32_t i = 0; i < 4 * N; i++) uniform[i] = sqrt(12.0) * (sustain_random_uniform(seed, 1, number, i) - 0.5);
}

static sample sample_of(const toy *t, const sustain_batch *batch, int64_t j, const sustain_real *x, const sustain_real *y) {
    sample s = {.at = batch == NULL ? j : batch->index != NULL ? batch->index[j] : (int64_t)((batch->key + (uint64_t)j) % TOY_SAMPLES)};
    const bool finite = batch == NULL || batch->index != NULL;
    double drawn[4 * N];
    if (!finite) draw_quickly(batch->key, (uint64_t)j, drawn);
    const double *a = finite ? t->normal[s.at] : drawn, *b = a + N, *c = b + N, *e = c + N;
    for (int i = 0; i < N; i++) {
        s.a[i] = a[i], s.b[i] = b[i], s.c[i] = c[i], s.e[i] = e[i];
        s.ay += s.a[i] * (double)y[i];
        s.by += s.b[i] * (double)y[i];
        if (!t->sparse) {
            s.p += s.c[i] * (double)x[i];
            s.q += s.e[i] * (double)x[i];
        }
    }
    if (t->sparse) {
        s.p = (double)x[2 * s.at];
        s.q = (double)x[2 * s.at + 1];
    }
    return s;
}

/* |y|^2's factor in g. */
static double ridge(const toy *t) {
    return t->fault == TOY_NOT_CONVEX ? -2 : 0.25;
}

/* Adds the derivatives in p and q of sample j to an output in x-space; sparse: entries 2j and 2j +
 * 1, which for batch NULL are the coordinates themselves. */
static void place(const toy *t, const sample *s, int64_t j, double dp, double dq, sustain_real *out) {
    if (t->sparse) {
        const bool swap = t->fault == TOY_CROSS_WRONG_ORDER;
        out[2 * j + (swap ? 1 : 0)] = (sustain_real)dp;
        out[2 * j + (swap ? 0 : 1)] = (sustain_real)dq;
        return;
    }
    for (int i = 0; i < N; i++) out[i] += (sustain_real)(s->c[i] * dp + s->e[i] * dq);
}

/* Sparse outputs are assigned, not added to. */
static void clear_x(const toy *t, sustain_real *out) {
    if (!t->sparse) memset(out, 0, N * sizeof *out);
}

static int f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    const toy *t = self;
    (void)work;
    *value = 0;
    for (int64_t j = 0; j < count_of(xi); j++) {
        const sample s = sample_of(t, xi, j, x, y);
        if (xi == NULL && t->fault == TOY_POPULATION_SHORT && j == TOY_SAMPLES - 1) continue;
        *value += weight_of(t, xi) * (sqrt(1 + (s.ay - 1) * (s.ay - 1)) + 0.15 * s.p * s.p);
    }
    return 0;
}

static int f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                  sustain_real *fy, void *work) {
    const toy *t = self;
    const double sign = t->fault == TOY_F_GRAD_X_SIGN ? -1 : 1, factor = t->fault == TOY_F_GRAD_Y_FACTOR ? 1.5 : 1;
    sustain_real *sum = work; /* (N) */
    if (t->fault != TOY_IMPURE_WORK) memset(sum, 0, N * sizeof *sum);
    clear_x(t, fx);
    if (t->sparse && xi == NULL) memset(fx, 0, TOY_UPPER_SPARSE * sizeof *fx);
    for (int64_t j = 0; j < count_of(xi); j++) {
        const sample s = sample_of(t, xi, j, x, y);
        const double w = weight_of(t, xi), slope = (s.ay - 1) / sqrt(1 + (s.ay - 1) * (s.ay - 1));
        for (int i = 0; i < N; i++) sum[i] += (sustain_real)(factor * w * slope * s.a[i]);
        if (!t->sparse)
            place(t, &s, j, sign * w * 0.3 * s.p, 0, fx);
        else
            fx[xi == NULL ? 2 * j : j] = (sustain_real)(sign * w * 0.3 * s.p);
    }
    memcpy(fy, sum, N * sizeof *sum);
    return 0;
}

static int g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    const toy *t = self;
    if (t->fault == TOY_WORK_OVERRUN) ((sustain_real *)work)[2 * N] = 1;
    *value = 0;
    for (int64_t j = 0; j < count_of(zeta); j++) {
        const sample s = sample_of(t, zeta, j, x, y);
        double g = (sigma(s.p) + 0.1) * log1p(exp(-s.ay)) + tanh(s.q) * s.by;
        for (int i = 0; i < N; i++) {
            const double yi = (double)y[i], xi = (double)x[i];
            g += ridge(t) * yi * yi + (t->sparse ? 0 : 0.25 * xi * xi * yi * yi);
        }
        *value += weight_of(t, zeta) * g;
    }
    return 0;
}

static int g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                    void *work) {
    const toy *t = self;
    (void)work;
    memset(gy, 0, N * sizeof *gy);
    for (int64_t j = 0; j < count_of(zeta); j++) {
        const sample s = sample_of(t, zeta, j, x, y);
        const double slope = -(sigma(s.p) + 0.1) * sigma(-s.ay), linear = t->fault == TOY_G_GRAD_Y_MISSING_TERM ? 0 : tanh(s.q);
        for (int i = 0; i < N; i++) {
            const double yi = (double)y[i], xi = (double)x[i];
            gy[i] += (sustain_real)(weight_of(t, zeta) *
                                    (slope * s.a[i] + linear * s.b[i] + 2 * ridge(t) * yi + (t->sparse ? 0 : 0.5 * xi * xi * yi)));
        }
    }
    if (t->fault == TOY_IMPURE_COUNTER) gy[0] += (sustain_real)(1e-3 * ++((toy *)(uintptr_t)t)->counter);
    return 0;
}

static int g_grad_x(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work) {
    const toy *t = self;
    const double factor = t->fault == TOY_G_GRAD_X_FACTOR ? 0.5 : 1;
    (void)work;
    clear_x(t, gx);
    for (int64_t j = 0; j < count_of(zeta); j++) {
        const sample s = sample_of(t, zeta, j, x, y);
        const double w = factor * weight_of(t, zeta), th = tanh(s.q);
        const toy right = {.sparse = t->sparse};
        place(&right, &s, j, w * sigma(s.p) * sigma(-s.p) * log1p(exp(-s.ay)), w * (1 - th * th) * s.by, gx);
        for (int i = 0; i < N && !t->sparse; i++) gx[i] += (sustain_real)(w * 0.5 * (double)x[i] * (double)y[i] * (double)y[i]);
    }
    return 0;
}

/* A coordinate of x that a draw does not touch. */
static int64_t elsewhere(const sustain_batch *batch) {
    for (int64_t at = 0; at < TOY_SAMPLES; at++) {
        bool touched = false;
        for (int64_t j = 0; j < batch->size; j++) touched = touched || batch->index[j] == at;
        if (!touched) return 2 * at + 1;
    }
    return 0;
}

static int g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    const toy *t = self;
    (void)work;
    if (t->fault == TOY_FAILS) return -7;
    if (t->fault != TOY_IMPURE_OUTPUT) memset(out, 0, N * sizeof *out);
    for (int64_t j = 0; j < count_of(zeta); j++) {
        const sample s = sample_of(t, zeta, j, x, y);
        const double w = weight_of(t, zeta) * (t->fault == TOY_HESS_FACTOR_2 ? 2 : 1);
        double av = 0;
        for (int i = 0; i < N; i++) av += s.a[i] * (double)v[i];
        const double curvature = (sigma(s.p) + 0.1) * sigma(s.ay) * sigma(-s.ay);
        for (int i = 0; i < N; i++)
            out[i] += (sustain_real)(w * (curvature * av * s.a[i] +
                                          (2 * ridge(t) + (t->sparse ? 0 : 0.5 * (double)x[i] * (double)x[i])) * (double)v[i]));
    }
    if (t->fault == TOY_HESS_NOT_SYMMETRIC) out[0] += (sustain_real)0.3 * v[1];
    if (t->fault == TOY_HESS_READS_ELSEWHERE && zeta != NULL) out[0] += x[elsewhere(zeta)] * (sustain_real)1e-4 * v[0];
    if (t->fault == TOY_NAN) out[1] = (sustain_real)NAN;
    return 0;
}

static int g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work) {
    const toy *t = self;
    (void)work;
    clear_x(t, out);
    for (int64_t j = 0; j < count_of(zeta); j++) {
        const sample s = sample_of(t, zeta, j, x, y);
        const double w = (t->fault == TOY_CROSS_SIGN ? -1 : 1) * weight_of(t, zeta), th = tanh(s.q);
        const double dp = -sigma(s.p) * sigma(-s.p) * sigma(-s.ay), dq = 1 - th * th; /* J = dp c a' + dq e b' + diag(x y) */
        double av = 0, bv = 0, cv = 0, ev = 0;
        for (int i = 0; i < N; i++) {
            av += s.a[i] * (double)v[i], bv += s.b[i] * (double)v[i];
            cv += s.c[i] * (double)v[i], ev += s.e[i] * (double)v[i];
        }
        if (t->fault == TOY_CROSS_TRANSPOSED)
            for (int i = 0; i < N; i++) out[i] += (sustain_real)(w * (dp * s.a[i] * cv + dq * s.b[i] * ev));
        else
            place(t, &s, j, w * dp * av, w * dq * bv, out);
        for (int i = 0; i < N && !t->sparse; i++) out[i] += (sustain_real)(w * (double)x[i] * (double)y[i] * (double)v[i]);
    }
    return 0;
}

/* The matrices, by unit vectors. */
static int g_hess(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out,
                  void *work) {
    const toy *t = self;
    for (int j = 0; j < N; j++) {
        sustain_real unit[N] = {0};
        unit[j] = t->fault == TOY_MATRIX_FACTOR && j == 2 ? 3 : 1;
        g_hess_vec(self, zeta, x, y, unit, out + j * N, work);
    }
    return 0;
}

static int g_cross(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out,
                   void *work) {
    const toy *t = self;
    for (int j = 0; j < N; j++) {
        sustain_real unit[N] = {0}, column[N];
        unit[j] = 1;
        g_cross_vec(self, zeta, x, y, unit, column, work);
        for (int i = 0; i < N; i++) out[t->fault == TOY_MATRIX_TRANSPOSED ? j * N + i : i * N + j] = column[i];
    }
    return 0;
}

static int64_t support(const void *self, sustain_level level, const sustain_batch *batch, int64_t *coordinate) {
    const toy *t = self;
    int64_t count = 0;
    for (int64_t j = 0; j < batch->size; j++) {
        const int64_t at = batch->index != NULL ? batch->index[j] : (int64_t)((batch->key + (uint64_t)j) % TOY_SAMPLES);
        coordinate[count++] = 2 * at;
        if (level == SUSTAIN_UPPER) continue;
        coordinate[count++] = t->fault == TOY_SUPPORT_INCOMPLETE ? 2 * at : t->fault == TOY_SUPPORT_OUT_OF_RANGE ? 2 * at + 30 : 2 * at + 1;
    }
    if (t->fault == TOY_SUPPORT_TOO_LONG) coordinate[count++] = 0;
    return count;
}

static size_t workspace(const void *self, int64_t max_batch) {
    (void)self, (void)max_batch;
    return 2 * N * sizeof(sustain_real);
}

static int g_grad_y_pair(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y,
                         const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *gy, sustain_real *gy_prev, void *work) {
    const toy *t = self;
    const bool swap = t->fault == TOY_GRADIENT_PAIR_SWAPPED;
    g_grad_y(self, zeta, x, y, swap ? gy_prev : gy, work);
    return g_grad_y(self, zeta, x_prev, y_prev, swap ? gy : gy_prev, work);
}

/* Eq. (7) at one point. */
static void hyper(const toy *t, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y, sustain_real *out,
                  void *work) {
    sustain_real v[N], hv[N], cross[N];
    f_grad(t, &draw->xi, x, y, out, v, work);
    for (int i = draw->k; i >= 1; i--) {
        g_hess_vec(t, &draw->zeta[i], x, y, v, hv, work);
        for (int j = 0; j < N; j++) v[j] -= hv[j] / (sustain_real)draw->L_g;
    }
    const int scale = t->fault == TOY_HYPER_PAIR_SCALE ? draw->k + 1 : draw->K;
    for (int j = 0; j < N; j++) v[j] *= -(sustain_real)(scale / draw->L_g);
    if (t->sparse) {
        g_cross_vec(t, &draw->zeta[0], x, y, v, out + draw->support[SUSTAIN_UPPER], work);
        return;
    }
    g_cross_vec(t, &draw->zeta[0], x, y, v, cross, work);
    for (int j = 0; j < N; j++) out[j] += cross[j];
}

static int hyper_pair(const void *self, const sustain_hyper_draw *draw, const sustain_real *x, const sustain_real *y,
                      const sustain_real *x_prev, const sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work) {
    const toy *t = self;
    hyper(t, draw, x, y, out, work);
    if (x_prev != NULL) hyper(t, draw, t->fault == TOY_HYPER_PAIR_SECOND_POINT ? x : x_prev, y_prev, out_prev, work);
    return 0;
}

static int momentum_step(const void *self, const sustain_momentum_step *step, const sustain_real *x, const sustain_real *x_prev,
                         sustain_real *h, sustain_real *y, sustain_real *y_prev, sustain_real *out, sustain_real *out_prev, void *work) {
    const toy *t = self;
    const sustain_real keep = t->fault == TOY_MOMENTUM_STEP_FORGETS ? 0 : (sustain_real)step->keep;
    sustain_real gy[N], gy_prev[N];
    toy without = *t; /* the fault of hyper_pair: it has its own row */
    if (without.fault == TOY_HYPER_PAIR_SCALE) without.fault = TOY_RIGHT;
    hyper(&without, step->draw, x, y, out, work);
    if (out_prev != NULL) hyper(&without, step->draw, x_prev, y_prev, out_prev, work);
    g_grad_y(self, step->zeta, x, y, gy, work);
    g_grad_y(self, step->zeta, x_prev, y_prev, gy_prev, work);
    for (int j = 0; j < N; j++) {
        h[j] = gy[j] + keep * (h[j] - gy_prev[j]);
        if (t->fault != TOY_MOMENTUM_STEP_STAYS) y_prev[j] = y[j];
        y[j] -= (sustain_real)step->beta * h[j];
    }
    return 0;
}

void toy_make(toy *t, bool sparse, int64_t samples, toy_fault fault) {
    *t = (toy){.sparse = sparse, .fault = fault};
    for (int i = 0; i < TOY_SAMPLES; i++) draw(7, (uint64_t)i, t->normal[i]);
    t->ops = (sustain_problem_ops){.name = "toy",
                                   .f_value = f_value,
                                   .f_grad = f_grad,
                                   .g_value = g_value,
                                   .g_grad_y = g_grad_y,
                                   .g_grad_x = g_grad_x,
                                   .g_hess_vec = g_hess_vec,
                                   .g_cross_vec = g_cross_vec,
                                   .g_hess = g_hess,
                                   .g_cross = sparse ? NULL : g_cross,
                                   .workspace = workspace,
                                   .fast = &t->fast};
    t->fast = (sustain_problem_fast){.size = sizeof t->fast,
                                     .support_per_sample = {1, 2},
                                     .support = sparse ? support : NULL,
                                     .g_grad_y_pair = g_grad_y_pair,
                                     .hyper_pair = hyper_pair,
                                     .momentum_step = momentum_step};
    t->problem = (sustain_problem){.ops = &t->ops,
                                   .self = t,
                                   .upper_dim = sparse ? TOY_UPPER_SPARSE : N,
                                   .lower_dim = N,
                                   .samples = {samples, samples},
                                   .has_expectation = samples > 0};
}

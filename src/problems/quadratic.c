/* quadratic.c - a problem with known answers.
 *
 *   grad_y g      = Ay + M'x - c + (H_zeta - A)(y - y~) + (M_zeta - M)'(x - x~) + s_g n
 *   grad^2_yy g   = H_zeta = Q diag(lambda_j (1 + s_h u_j)) Q',      grad^2_xy g = M_zeta = (1 + s_c u) M
 *   grad_y f      = a (1 + s_f u_j) phi'(y_j - d_j),                 grad_x f    = curvature (x - r) - wave sin(x)
 *   y*(x)         = A^{-1}(c - M'x),      grad ell(x) = grad_x f - M A^{-1} grad_y f                                   (5)
 *
 * All u are uniform on [-1, 1], n is Gaussian with E|n|^2 = 1, all independent. Everything is
 * linear in them: a batch first takes the mean of its random numbers and then applies the matrices
 * once, so it costs O(d^2 + batch d); and samples with opposite numbers cancel.
 *
 * All internal computations are in double; inputs and outputs are sustain_real. */
#include "problems/quadratic_internal.h"

#include <math.h>
#include <string.h>

#include <sustain/random.h>

#include "core/vector.h"

typedef sustain__quadratic quadratic;

static void widen(int64_t n, const sustain_real *from, double *to) {
    for (int64_t i = 0; i < n; i++) to[i] = (double)from[i];
}

static void narrow(int64_t n, const double *from, sustain_real *to) {
    for (int64_t i = 0; i < n; i++) to[i] = (sustain_real)from[i];
}

/* ---- the two scalar functions ---- */

static double phi(int kind, double u) {
    if (kind == SUSTAIN_PHI_LINEAR) return u;
    if (kind == SUSTAIN_PHI_SQUARE) return u * u / 2;
    return u * u / (1 + sqrt(1 + u * u)); /* sqrt(1 + u^2) - 1 without cancellation */
}

static double phi_slope(int kind, double u) {
    if (kind == SUSTAIN_PHI_LINEAR) return 1;
    return kind == SUSTAIN_PHI_SQUARE ? u : u / sqrt(1 + u * u);
}

static double phi_curvature(int kind, double u) {
    if (kind == SUSTAIN_PHI_LINEAR) return 0;
    return kind == SUSTAIN_PHI_SQUARE ? 1 : 1 / ((1 + u * u) * sqrt(1 + u * u));
}

/* p(x) is the sum of these. */
static double p_value(const quadratic *q, int64_t i, double x_i) {
    const double away = x_i - q->r[i];
    return q->options.curvature / 2 * away * away + q->options.wave * cos(x_i);
}

static double p_slope(const quadratic *q, int64_t i, double x_i) {
    return q->options.curvature * (x_i - q->r[i]) - q->options.wave * sin(x_i);
}

static double p_curvature(const quadratic *q, double x_i) {
    return q->options.curvature - q->options.wave * cos(x_i);
}

/* ---- noise ---- */

/* What names the random numbers of one sample, and their sign. */
typedef struct sample {
    uint64_t seed, t;
    double sign;
} sample;

static sample sample_of(const quadratic *q, const sustain_batch *batch, int64_t j) {
    if (batch->index == NULL) return (sample){batch->key, (uint64_t)j, 1};
    const int64_t i = batch->index[j];
    return (sample){(uint64_t)q->options.seed, (uint64_t)(i / 2), i % 2 == 0 ? 1 : -1};
}

/* From 64 bits: uniform on [-1, 1] and symmetric, or standard normal (Box and Muller). */
void sustain__quadratic_pair(uint64_t seed, uint64_t t, uint32_t source, int64_t i, double pair[2]) {
    const uint64_t bits = sustain_random_bits(seed, source, t, (uint32_t)i);
    const double first = (double)(bits >> 32) + 0.5, second = (double)(bits & 0xFFFFFFFFu) + 0.5;
    if (source == NOISE_GAUSS) {
        const double radius = sqrt(-2 * log(first * 0x1p-32)), angle = 6.283185307179586476925 * 0x1p-32 * second;
        pair[0] = radius * cos(angle);
        pair[1] = radius * sin(angle);
    } else {
        pair[0] = first * 0x1p-31 - 1;
        pair[1] = second * 0x1p-31 - 1;
    }
}

/* out (n) <- size times the mean of the batch's random numbers; 0 for the expected value. */
static void mean_noise(const quadratic *q, const sustain_batch *batch, uint32_t source, double size, int64_t n, double *out) {
    memset(out, 0, (size_t)n * sizeof *out);
    if (batch == NULL || size == 0) return;
    for (int64_t j = 0; j < batch->size; j++) {
        const sample s = sample_of(q, batch, j);
        for (int64_t i = 0; i < n; i += 2) {
            double pair[2];
            sustain__quadratic_pair(s.seed, s.t, source, i / 2, pair);
            out[i] += s.sign * pair[0];
            if (i + 1 < n) out[i + 1] += s.sign * pair[1];
        }
    }
    for (int64_t i = 0; i < n; i++) out[i] *= size / (double)batch->size;
}

static double cross_noise(const quadratic *q, const sustain_batch *zeta) {
    double u;
    mean_noise(q, zeta, NOISE_CROSS, q->options.noise_cross, 1, &u);
    return u;
}

static void hess_noise(const quadratic *q, const sustain_batch *zeta, double *u) {
    mean_noise(q, zeta, NOISE_HESS, q->options.noise_hess, q->n, u);
}

/* ---- the upper level ---- */

static int f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    const quadratic *q = self;
    double *u = work, sum = 0;
    mean_noise(q, xi, NOISE_F, q->options.noise_f, q->n, u);
    for (int64_t i = 0; i < q->m; i++) sum += p_value(q, i, (double)x[i]);
    for (int64_t j = 0; j < q->n; j++) sum += q->a * (1 + u[j]) * phi(q->options.phi, (double)y[j] - q->d[j]);
    *value = sum;
    return 0;
}

static int f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                  sustain_real *fy, void *work) {
    const quadratic *q = self;
    double *u = work;
    mean_noise(q, xi, NOISE_F, q->options.noise_f, q->n, u);
    for (int64_t i = 0; i < q->m; i++) fx[i] = (sustain_real)p_slope(q, i, (double)x[i]);
    for (int64_t j = 0; j < q->n; j++) fy[j] = (sustain_real)(q->a * (1 + u[j]) * phi_slope(q->options.phi, (double)y[j] - q->d[j]));
    return 0;
}

/* ---- the lower level ---- */

/* One draw at one point, in `work`. */
typedef struct lower {
    double *z;     /* (n) = y */
    double *w;     /* (n) = Q'y */
    double *b;     /* (n) = M'x */
    double *hess;  /* (n) = s_h u */
    double *gauss; /* (n) = s_g n */
    double cross;  /* = s_c u */
} lower;

enum { WORK_VECTORS = 5 };

static size_t workspace(const void *self, int64_t max_batch) {
    const quadratic *q = self;
    (void)max_batch;
    return WORK_VECTORS * (size_t)q->n * sizeof(double);
}

static lower lower_in(const quadratic *q, void *work) {
    double *at = work;
    return (lower){.z = at, .w = at + q->n, .b = at + 2 * q->n, .hess = at + 3 * q->n, .gauss = at + 4 * q->n};
}

/* w <- Q'z */
static void to_eigenvectors(const quadratic *q, const double *z, double *w) {
    for (int64_t j = 0; j < q->n; j++) w[j] = dot(q->n, q->Q + j * q->n, z);
}

/* z <- Qw */
static void from_eigenvectors(const quadratic *q, const double *w, double *z) {
    memset(z, 0, (size_t)q->n * sizeof *z);
    for (int64_t j = 0; j < q->n; j++) add(q->n, w[j], q->Q + j * q->n, z);
}

static lower lower_at(const quadratic *q, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, void *work) {
    lower l = lower_in(q, work);
    widen(q->n, y, l.z);
    to_eigenvectors(q, l.z, l.w);
    memset(l.b, 0, (size_t)q->n * sizeof *l.b);
    for (int64_t i = 0; i < q->m; i++) add(q->n, (double)x[i], q->M + i * q->n, l.b);
    hess_noise(q, zeta, l.hess);
    l.cross = cross_noise(q, zeta);
    mean_noise(q, zeta, NOISE_GAUSS, q->options.noise_g / sqrt((double)q->n), q->n, l.gauss);
    return l;
}

static int g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    const quadratic *q = self;
    const lower l = lower_at(q, zeta, x, y, work);
    double sum = 0;
    for (int64_t j = 0; j < q->n; j++) {
        const double away = l.w[j] - q->w_tilde[j];
        sum += q->lambda[j] / 2 * (l.w[j] * l.w[j] + l.hess[j] * away * away);
        sum += (l.b[j] - q->c[j] + l.gauss[j]) * l.z[j];
        sum += l.cross * (l.b[j] - q->b_tilde[j]) * (l.z[j] - q->y_tilde[j]);
    }
    *value = sum;
    return 0;
}

static int g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                    void *work) {
    const quadratic *q = self;
    const lower l = lower_at(q, zeta, x, y, work);
    for (int64_t j = 0; j < q->n; j++) l.w[j] = q->lambda[j] * (l.w[j] + l.hess[j] * (l.w[j] - q->w_tilde[j]));
    from_eigenvectors(q, l.w, l.z);
    for (int64_t j = 0; j < q->n; j++) gy[j] = (sustain_real)(l.z[j] + l.b[j] + l.cross * (l.b[j] - q->b_tilde[j]) - q->c[j] + l.gauss[j]);
    return 0;
}

static int g_grad_x(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work) {
    const quadratic *q = self;
    double *z = work;
    const double cross = cross_noise(q, zeta);
    (void)x;
    for (int64_t j = 0; j < q->n; j++) z[j] = (double)y[j] + cross * ((double)y[j] - q->y_tilde[j]);
    for (int64_t i = 0; i < q->m; i++) gx[i] = (sustain_real)dot(q->n, q->M + i * q->n, z);
    return 0;
}

static int g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    const quadratic *q = self;
    const lower l = lower_in(q, work);
    (void)x, (void)y;
    hess_noise(q, zeta, l.hess);
    widen(q->n, v, l.z);
    to_eigenvectors(q, l.z, l.w);
    for (int64_t j = 0; j < q->n; j++) l.w[j] *= q->lambda[j] * (1 + l.hess[j]);
    from_eigenvectors(q, l.w, l.z);
    narrow(q->n, l.z, out);
    return 0;
}

static int g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work) {
    const quadratic *q = self;
    double *z = work;
    const double factor = 1 + cross_noise(q, zeta);
    (void)x, (void)y;
    widen(q->n, v, z);
    for (int64_t i = 0; i < q->m; i++) out[i] = (sustain_real)(factor * dot(q->n, q->M + i * q->n, z));
    return 0;
}

static int g_hess(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out,
                  void *work) {
    const quadratic *q = self;
    const lower l = lower_in(q, work);
    const int64_t n = q->n;
    (void)x, (void)y;
    hess_noise(q, zeta, l.hess);
    for (int64_t i = 0; i < n; i++) { /* the triangle k <= i, and its mirror */
        memset(l.z, 0, (size_t)n * sizeof *l.z);
        for (int64_t j = 0; j < n; j++) add(i + 1, q->lambda[j] * (1 + l.hess[j]) * q->Q[j * n + i], q->Q + j * n, l.z);
        for (int64_t k = 0; k <= i; k++) out[i * n + k] = out[k * n + i] = (sustain_real)l.z[k];
    }
    return 0;
}

static int g_cross(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *out,
                   void *work) {
    const quadratic *q = self;
    const double factor = 1 + cross_noise(q, zeta);
    (void)x, (void)y, (void)work;
    for (int64_t i = 0; i < q->m * q->n; i++) out[i] = (sustain_real)(factor * q->M[i]);
    return 0;
}

static int initial(const void *self, sustain_real *x, sustain_real *y) {
    const quadratic *q = self;
    narrow(q->m, q->x_0, x);
    sustain__zero(q->n, y);
    return 0;
}

const sustain_problem_ops sustain__quadratic_ops = {
    .name = "quadratic",
    .f_value = f_value,
    .f_grad = f_grad,
    .g_value = g_value,
    .g_grad_y = g_grad_y,
    .g_grad_x = g_grad_x,
    .g_hess_vec = g_hess_vec,
    .g_cross_vec = g_cross_vec,
    .g_hess = g_hess,
    .g_cross = g_cross,
    .initial = initial,
    .workspace = workspace,
};

/* ---- closed forms ---- */

static double y_star(const quadratic *q, const double *x, int64_t j) {
    return q->y_c[j] - dot(q->m, q->P + j * q->m, x);
}

void sustain_quadratic_lower(const sustain_problem *problem, const double *x, double *y) {
    if (problem == NULL || x == NULL || y == NULL) return;
    const quadratic *q = problem->self;
    for (int64_t j = 0; j < q->n; j++) y[j] = y_star(q, x, j);
}

double sustain_quadratic_value(const sustain_problem *problem, const double *x, double *gradient) {
    if (problem == NULL || x == NULL) return (double)NAN;
    const quadratic *q = problem->self;
    double sum = 0;
    for (int64_t i = 0; i < q->m; i++) {
        sum += p_value(q, i, x[i]);
        if (gradient != NULL) gradient[i] = p_slope(q, i, x[i]);
    }
    for (int64_t j = 0; j < q->n; j++) {
        const double u = y_star(q, x, j) - q->d[j];
        sum += q->a * phi(q->options.phi, u);
        if (gradient != NULL) add(q->m, -q->a * phi_slope(q->options.phi, u), q->P + j * q->m, gradient);
    }
    return sum;
}

double sustain_quadratic_minimum(const sustain_problem *problem, double *x) {
    if (problem == NULL) return (double)NAN;
    const quadratic *q = problem->self;
    if (x != NULL) memcpy(x, q->x_min, (size_t)q->m * sizeof *x);
    return q->minimum;
}

/* The lower triangle of the Hessian of ell: diag p'' + P' diag(a phi'') P. */
static void ell_hessian(const quadratic *q, const double *x, double ridge, double *H) {
    const int64_t m = q->m;
    memset(H, 0, (size_t)(m * m) * sizeof *H);
    for (int64_t i = 0; i < m; i++) H[i * m + i] = p_curvature(q, x[i]) + ridge;
    for (int64_t j = 0; j < q->n; j++) {
        const double weight = q->a * phi_curvature(q->options.phi, y_star(q, x, j) - q->d[j]);
        const double *row = q->P + j * m;
        if (weight == 0) continue;
        for (int64_t i = 0; i < m; i++) add(i + 1, weight * row[i], row, H + i * m);
    }
}

static void forget_minimum(quadratic *q) {
    q->minimum = (double)NAN;
    for (int64_t i = 0; i < q->m; i++) q->x_min[i] = (double)NAN;
}

/* step <- H^{-1} slope with the Hessian of ell at x. Where ell is convex but not strongly, or so
 * badly scaled that the Hessian is singular to rounding, a ridge moves it away from that. */
static void newton_step(const quadratic *q, const double *x, const double *slope, double *H, double *step) {
    double ridge = 0;
    for (ell_hessian(q, x, ridge, H); !sustain__cholesky(q->m, H); ell_hessian(q, x, ridge, H))
        ridge = fmax(10 * ridge, 1e-12 * q->options.curvature);
    memcpy(step, slope, (size_t)q->m * sizeof *step);
    sustain__cholesky_solve(q->m, H, step);
}

/* Newton's method on ell from r, each step halved until the gradient falls; it has reached rounding
 * when no step does that. Then Newton's decrement estimates the distance of ell from its minimum;
 * unless it is negligible, the minimum is not known. */
void sustain__quadratic_minimize(quadratic *q, double *scratch) {
    const int64_t m = q->m;
    const size_t size = (size_t)m * sizeof(double);
    double *x = q->x_min, *H = scratch, *step = H + m * m, *trial = step + m, *slope = trial + m, *slope_trial = slope + m;
    memcpy(x, q->r, size);
    q->minimum = sustain_quadratic_value(&q->problem, x, slope);
    double norm = sqrt(dot(m, slope, slope)), t = 1;
    newton_step(q, x, slope, H, step);
    for (int iteration = 0; iteration < 200 && norm > 0; iteration++) {
        double value = 0, norm_trial = norm;
        for (t = 1; t > 1e-30; t /= 2) {
            memcpy(trial, x, size);
            add(m, -t, step, trial);
            value = sustain_quadratic_value(&q->problem, trial, slope_trial);
            norm_trial = sqrt(dot(m, slope_trial, slope_trial));
            if (norm_trial < (1 - 1e-3 * t) * norm) break;
        }
        if (!(t > 1e-30)) break;
        norm = norm_trial;
        q->minimum = value;
        memcpy(x, trial, size);
        memcpy(slope, slope_trial, size);
        newton_step(q, x, slope, H, step);
    }
    const double decrement = dot(m, slope, step) / 2;
    if (!(decrement <= 1e-10 * fmax(1, fabs(q->minimum)))) forget_minimum(q);
}

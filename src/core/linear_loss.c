/* linear_loss.c - see linear_loss.h. The exponentials of a block of rows are taken at once. */
#include "core/linear_loss.h"

#include <math.h>

#include "core/exp.h"

/* ---- logistic ---- */

static double logistic_value(double s, double t) {
    const double margin = s * t;
    return log1p(exp(-fabs(margin))) - (margin < 0 ? margin : 0);
}

static double logistic_derivatives(double s, double t, double *curvature) {
    const double e = exp(-fabs(s));
    *curvature = e / ((1 + e) * (1 + e));
    return -t * (t * s > 0 ? e : 1) / (1 + e);
}

static void logistic_residuals(int64_t count, const double *t, sustain_real *s) {
    for (int64_t j = 0; j < count; j++) s[j] *= (sustain_real)t[j];
    sustain__exp(count, s, s); /* infinite: r is 0 */
    for (int64_t j = 0; j < count; j++) s[j] = -(sustain_real)t[j] / (1 + s[j]);
}

static void logistic_curve(int64_t count, const double *t, sustain_real *s, sustain_real *u) {
    (void)t;
    for (int64_t j = 0; j < count; j++) s[j] = s[j] < 0 ? s[j] : -s[j];
    sustain__exp(count, s, s);
    for (int64_t j = 0; j < count; j++) u[j] *= s[j] / ((1 + s[j]) * (1 + s[j]));
}

/* The logarithm of the product of 1 + exp(-|t s|) over up to 512 rows, which is at most 2^512, and
 * the terms taken out of it. */
static double logistic_values(int64_t count, const double *s, const double *t) {
    enum { FACTORS = 512 };
    double sum = 0;
    for (int64_t first = 0; first < count; first += FACTORS) {
        double product = 1;
        for (int64_t j = first; j < count && j < first + FACTORS; j++) {
            const double margin = s[j] * t[j];
            product *= 1 + exp(-fabs(margin));
            sum -= margin < 0 ? margin : 0;
        }
        sum += log(product);
    }
    return sum;
}

const sustain__loss sustain__loss_logistic = {.labels = SUSTAIN__LABELS_SIGNS,
                                              .steepest = 1,
                                              .sharpest = 0.25,
                                              .value = logistic_value,
                                              .derivatives = logistic_derivatives,
                                              .residuals = logistic_residuals,
                                              .curve = logistic_curve,
                                              .values = logistic_values};

/* ---- squared ---- */

static double squared_value(double s, double t) {
    return (s - t) * (s - t) / 2;
}

static double squared_derivatives(double s, double t, double *curvature) {
    *curvature = 1;
    return s - t;
}

static void squared_residuals(int64_t count, const double *t, sustain_real *s) {
    for (int64_t j = 0; j < count; j++) s[j] -= (sustain_real)t[j];
}

static void squared_curve(int64_t count, const double *t, sustain_real *s, sustain_real *u) {
    (void)count, (void)t, (void)s, (void)u; /* C = 1 */
}

const sustain__loss sustain__loss_squared = {.labels = SUSTAIN__LABELS_NUMBERS,
                                             .steepest = INFINITY,
                                             .sharpest = 1,
                                             .value = squared_value,
                                             .derivatives = squared_derivatives,
                                             .residuals = squared_residuals,
                                             .curve = squared_curve};

/* ---- Huber: squared up to an error of 1, then linear ---- */

static double huber_value(double s, double t) {
    const double error = fabs(s - t);
    return error <= 1 ? error * error / 2 : error - 0.5;
}

static double huber_derivatives(double s, double t, double *curvature) {
    const double error = s - t;
    *curvature = fabs(error) <= 1 ? 1 : 0;
    return fmax(-1, fmin(1, error));
}

const sustain__loss sustain__loss_huber = {
    .labels = SUSTAIN__LABELS_NUMBERS, .steepest = 1, .sharpest = 1, .value = huber_value, .derivatives = huber_derivatives};

/* ---- Poisson: counts whose expected value is exp(s) ---- */

static double poisson_value(double s, double t) {
    return exp(s) - t * s;
}

static double poisson_derivatives(double s, double t, double *curvature) {
    *curvature = exp(s);
    return *curvature - t;
}

const sustain__loss sustain__loss_poisson = {.labels = SUSTAIN__LABELS_NUMBERS,
                                             .steepest = INFINITY,
                                             .sharpest = INFINITY,
                                             .value = poisson_value,
                                             .derivatives = poisson_derivatives};

/* ---- softmax ---- */

/* |p - e_t| is at most sqrt(2), and diag(p) - pp' at most 1/2 (Boehning 1992). */
const sustain__loss sustain__loss_softmax = {.labels = SUSTAIN__LABELS_CLASSES, .steepest = 1.4142135623730951, .sharpest = 0.5};

/* The largest score is taken out everywhere, so that no exponential overflows. */
double sustain__softmax_row(int64_t n, double *s) {
    double most = s[0], sum = 0;
    for (int64_t k = 1; k < n; k++) most = s[k] > most ? s[k] : most;
    for (int64_t k = 0; k < n; k++) sum += s[k] = exp(s[k] - most);
    for (int64_t k = 0; k < n; k++) s[k] /= sum;
    return most + log(sum);
}

static double softmax_value(int64_t n, const double *s, int64_t label) {
    double most = s[0], sum = 0;
    for (int64_t k = 1; k < n; k++) most = s[k] > most ? s[k] : most;
    for (int64_t k = 0; k < n; k++) sum += exp(s[k] - most);
    return log(sum) - (s[label] - most);
}

/* s <- s / its sum, as a product with 1 / sum; returns the sum's logarithm where that is wanted.
 * (Dividing each number instead would change the last bit.) */
static double divide_by_sum(int64_t n, bool logarithm, sustain_real *s) {
    sustain_real sum = 0, factor;
    double exact = 0;
    if (logarithm) {
        for (int64_t k = 0; k < n; k++) exact += (double)s[k];
        factor = (sustain_real)(1 / exact);
    } else {
        for (int64_t k = 0; k < n; k++) sum += s[k];
        factor = 1 / sum;
    }
    for (int64_t k = 0; k < n; k++) s[k] *= factor;
    return logarithm ? log(exact) : 0;
}

void sustain__softmax(int64_t count, int64_t stride, int64_t models, int64_t n, sustain_real *s, double *log_sum) {
    const int64_t used = models * n;
    for (int64_t i = 0; i < count; i++)
        for (int64_t m = 0; m < models; m++) {
            sustain_real *own = s + i * stride + m * n, most = own[0];
            for (int64_t k = 1; k < n; k++) most = own[k] > most ? own[k] : most;
            for (int64_t k = 0; k < n; k++) own[k] -= most;
            if (log_sum != NULL) log_sum[i * models + m] = (double)most;
        }
    if (used == stride)
        sustain__exp(count * stride, s, s);
    else
        for (int64_t i = 0; i < count; i++) sustain__exp(used, s + i * stride, s + i * stride);
    for (int64_t i = 0; i < count; i++)
        for (int64_t m = 0; m < models; m++) {
            const double logarithm = divide_by_sum(n, log_sum != NULL, s + i * stride + m * n);
            if (log_sum != NULL) log_sum[i * models + m] += logarithm;
        }
}

/* ---- any loss: one row ---- */

double sustain__loss_value(const sustain__loss *loss, int64_t n, const double *s, double t) {
    return loss->value != NULL ? loss->value(s[0], t) : softmax_value(n, s, (int64_t)t);
}

void sustain__loss_residual(const sustain__loss *loss, int64_t n, double t, double *s, double *state) {
    if (loss->derivatives != NULL) {
        s[0] = loss->derivatives(s[0], t, state);
        return;
    }
    sustain__softmax_row(n, s);
    for (int64_t k = 0; k < n; k++) state[k] = s[k];
    s[(int64_t)t] -= 1;
}

void sustain__loss_curve(const sustain__loss *loss, int64_t n, const double *state, double *u) {
    if (loss->derivatives != NULL)
        u[0] *= state[0];
    else
        sustain__softmax_curve_row(n, 1, state, u, u);
}

double sustain__loss_diagonal(const sustain__loss *loss, double state) {
    return loss->derivatives != NULL ? state : state * (1 - state);
}

double sustain__loss_values(const sustain__loss *loss, int64_t count, const double *s, const double *t) {
    if (loss->values != NULL) return loss->values(count, s, t);
    double sum = 0;
    for (int64_t j = 0; j < count; j++) sum += loss->value(s[j], t[j]);
    return sum;
}

/* ---- any loss: a block ---- */

void sustain__loss_residuals(const sustain__loss *loss, int64_t count, int64_t n, const double *t, sustain_real *s) {
    double curvature;
    if (loss->residuals != NULL) {
        loss->residuals(count, t, s);
    } else if (loss->derivatives != NULL) {
        for (int64_t j = 0; j < count; j++) s[j] = (sustain_real)loss->derivatives((double)s[j], t[j], &curvature);
    } else {
        sustain__softmax(count, n, 1, n, s, NULL);
        for (int64_t j = 0; j < count; j++) s[j * n + (int64_t)t[j]] -= 1;
    }
}

void sustain__loss_curves(const sustain__loss *loss, int64_t count, int64_t n, const double *t, sustain_real *s, sustain_real *u) {
    double curvature;
    if (loss->curve != NULL) {
        loss->curve(count, t, s, u);
    } else if (loss->derivatives != NULL) {
        for (int64_t j = 0; j < count; j++) {
            loss->derivatives((double)s[j], t[j], &curvature);
            u[j] = (sustain_real)((double)u[j] * curvature);
        }
    } else {
        sustain__softmax(count, n, 1, n, s, NULL);
        for (int64_t j = 0; j < count; j++) sustain__softmax_curve(n, 1, s + j * n, u + j * n, u + j * n);
    }
}

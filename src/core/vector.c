/* vector.c - the vector kernels, plain loops that the compiler turns into vector code. */
#include "core/vector.h"

#include <math.h>
#include <string.h>

double sustain__dot(int64_t n, const sustain_real *a, const sustain_real *b) {
    /* Four sums side by side: the order is fixed, so are the bits. */
    double sum[4] = {0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++) sum[j] += (double)a[i + j] * (double)b[i + j];
    for (; i < n; i++) sum[0] += (double)a[i] * (double)b[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

double sustain__norm(int64_t n, const sustain_real *a) {
    return sqrt(sustain__dot(n, a, a));
}

double sustain__max_abs(int64_t n, const sustain_real *a) {
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        const double value = fabs((double)a[i]);
        if (!(value <= most)) most = value;
        if (isnan(most)) return most;
    }
    return most;
}

double sustain__distance(int64_t n, const sustain_real *a, const sustain_real *b) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double difference = (double)a[i] - (double)b[i];
        sum += difference * difference;
    }
    return sqrt(sum);
}

bool sustain__all_finite(int64_t n, const sustain_real *a, int64_t *where) {
    for (int64_t i = 0; i < n; i++)
        if (!isfinite((double)a[i])) {
            if (where != NULL) *where = i;
            return false;
        }
    return true;
}

void sustain__copy(int64_t n, const sustain_real *from, sustain_real *to) {
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

void sustain__zero(int64_t n, sustain_real *a) {
    if (n > 0) memset(a, 0, (size_t)n * sizeof *a);
}

void sustain__scale(int64_t n, double factor, sustain_real *a) {
    const sustain_real f = (sustain_real)factor;
    for (int64_t i = 0; i < n; i++) a[i] *= f;
}

void sustain__add(int64_t n, double factor, const sustain_real *a, sustain_real *to) {
    const sustain_real f = (sustain_real)factor;
    for (int64_t i = 0; i < n; i++) to[i] += f * a[i];
}

void sustain__momentum(int64_t n, double keep, const sustain_real *now, const sustain_real *before, sustain_real *h) {
    if (keep == 0) {
        sustain__copy(n, now, h);
        return;
    }
    const sustain_real k = (sustain_real)keep;
    for (int64_t i = 0; i < n; i++) h[i] = now[i] + k * (h[i] - before[i]);
}

void sustain__move(int64_t n, double step, const sustain_real *h, sustain_real *z, sustain_real *z_prev) {
    const sustain_real s = (sustain_real)step;
    for (int64_t i = 0; i < n; i++) {
        z_prev[i] = z[i];
        z[i] -= s * h[i];
    }
}

void sustain__adam_move(int64_t n, double step, const sustain__adam *adam, int64_t count, const sustain_real *h, sustain_real *m,
                        sustain_real *v, sustain_real *z, sustain_real *z_prev) {
    /* z -= step (first / correct1) / (sqrt(second / correct2) + epsilon), with one division */
    const double correct1 = 1 - pow(adam->gamma1, (double)count), correct2 = 1 - pow(adam->gamma2, (double)count);
    const double length = step / correct1, shrink = 1 / sqrt(correct2);
    for (int64_t i = 0; i < n; i++) {
        const double now = (double)h[i];
        const double first = adam->gamma1 * (double)m[i] + (1 - adam->gamma1) * now;
        const double second = adam->gamma2 * (double)v[i] + (1 - adam->gamma2) * now * now;
        m[i] = (sustain_real)first;
        v[i] = (sustain_real)second;
        z_prev[i] = z[i];
        z[i] = (sustain_real)((double)z[i] - length * first / (shrink * sqrt(second) + adam->epsilon));
    }
}

bool sustain__cholesky(int64_t n, double *a) {
    return sustain__cholesky_columns(n, 0, n, a);
}

bool sustain__cholesky_columns(int64_t n, int64_t first, int64_t end, double *a) {
    for (int64_t j = first; j < end; j++) {
        double *row_j = a + j * n;
        if (!(row_j[j] > 0)) return false;
        row_j[j] = sqrt(row_j[j]);
        for (int64_t i = j + 1; i < n; i++) row_j[i] = a[i * n + j] /= row_j[j]; /* column j as a row: read in one piece below */
        for (int64_t i = j + 1; i < n; i++) {
            double *row_i = a + i * n;
            const double l = row_i[j];
            for (int64_t k = j + 1; k <= i; k++) row_i[k] -= l * row_j[k];
        }
    }
    return true;
}

void sustain__cholesky_solve(int64_t n, const double *factor, double *b) {
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < i; k++) b[i] -= factor[i * n + k] * b[k];
        b[i] /= factor[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t k = i + 1; k < n; k++) b[i] -= factor[k * n + i] * b[k];
        b[i] /= factor[i * n + i];
    }
}

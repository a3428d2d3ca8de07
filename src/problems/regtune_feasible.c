/* regtune_feasible.c - projections of the weights of y: onto y >= 0, and onto the simplex {y >= 0,
 * sum y = 1}, which is y_j <- max(0, y_j - t) with the t that makes the sum 1. */
#include <math.h>

#include "core/vector.h"
#include "problems/regtune_internal.h"

static double sum_above(int64_t n, const sustain_real *y, double t) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += fmax(0, (double)y[j] - t);
    return sum;
}

/* The sum falls from at least 1 at max y - 1 to 0 at max y: bisection, to the last bit. */
static double threshold(int64_t n, const sustain_real *y) {
    double high = -INFINITY;
    for (int64_t j = 0; j < n; j++) high = fmax(high, (double)y[j]);
    double low = high - 1;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        *(sum_above(n, y, middle) > 1 ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

int sustain__regtune_project(const void *self, sustain_real *y) {
    const sustain__regtune *h = self;
    const int64_t n = h->model.width * h->model.dim; /* the intercepts follow */
    const double t = h->options.feasible == SUSTAIN_REGTUNE_SIMPLEX ? threshold(n, y) : 0;
    for (int64_t j = 0; j < n; j++) /* a NaN stays one, so that the run sees it */
        if ((double)y[j] <= t)
            y[j] = 0;
        else
            y[j] = (sustain_real)((double)y[j] - t);
    return 0;
}

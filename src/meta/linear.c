/* linear.c - see linear.h. */
#include "meta/linear.h"

#include "core/linear_loss.h"
#include "core/vector.h"

double sustain__linear_loss(const sustain__linear *l, int64_t *correct) {
    const int64_t d = l->dim, ways = l->ways;
    double loss = 0;
    *correct = 0;
    for (int64_t i = 0; i < l->rows; i++) {
        double *p = l->P + i * ways, *r = l->R + i * ways;
        int64_t best = 0;
        for (int64_t c = 0; c < ways; c++) {
            p[c] = (double)l->y[ways * d + c] + sustain__dot(d, l->features + i * d, l->y + c * d);
            if (p[c] > p[best]) best = c;
        }
        const double own = p[l->labels[i]];
        loss += sustain__softmax_row(ways, p) - own;
        for (int64_t c = 0; c < ways; c++) r[c] = p[c] - (c == l->labels[i] ? 1 : 0);
        *correct += best == l->labels[i];
    }
    return loss / (double)l->rows;
}

/* d_features (rows, dim) += R W / n */
static void add_to_features(const sustain__linear *l, const double *R, const sustain_real *y, sustain_real *d_features) {
    for (int64_t i = 0; i < l->rows; i++)
        for (int64_t c = 0; c < l->ways; c++)
            sustain__add(l->dim, R[i * l->ways + c] / (double)l->rows, y + c * l->dim, d_features + i * l->dim);
}

/* d_W += R'a / n */
static void add_to_weights(const sustain__linear *l, const double *R, const sustain_real *features, sustain_real *d_y) {
    for (int64_t c = 0; c < l->ways; c++)
        for (int64_t i = 0; i < l->rows; i++)
            sustain__add(l->dim, R[i * l->ways + c] / (double)l->rows, features + i * l->dim, d_y + c * l->dim);
}

/* d_b += sum R / n, and 2 lambda y */
static void add_to_rest(const sustain__linear *l, const double *R, const sustain_real *y, sustain_real *d_y) {
    const int64_t ways = l->ways;
    for (int64_t c = 0; c < ways; c++) {
        double sum = 0;
        for (int64_t i = 0; i < l->rows; i++) sum += R[i * ways + c];
        d_y[ways * l->dim + c] += (sustain_real)(sum / (double)l->rows);
    }
    sustain__add(ways * (l->dim + 1), 2 * l->lambda, y, d_y);
}

void sustain__linear_gradient(const sustain__linear *l, sustain_real *d_features, sustain_real *d_y) {
    sustain__zero(l->rows * l->dim, d_features);
    add_to_features(l, l->R, l->y, d_features);
    if (d_y == NULL) return;
    add_to_weights(l, l->R, l->features, d_y);
    add_to_rest(l, l->R, l->y, d_y);
}

/* R_t = J (a_t W' + a W_t' + b_t) */
static void residual_tangent(const sustain__linear *l, const sustain_real *features_t, const sustain_real *y_t, double *R_t) {
    const int64_t d = l->dim, ways = l->ways;
    for (int64_t i = 0; i < l->rows; i++) {
        double *r = R_t + i * ways;
        for (int64_t c = 0; c < ways; c++) {
            r[c] = (double)y_t[ways * d + c] + sustain__dot(d, l->features + i * d, y_t + c * d);
            if (features_t != NULL) r[c] += sustain__dot(d, features_t + i * d, l->y + c * d);
        }
        sustain__softmax_curve_row(ways, 1, l->P + i * ways, r, r);
    }
}

void sustain__linear_gradient_tangent(const sustain__linear *l, const sustain_real *features_t, const sustain_real *y_t, double *R_t,
                                      sustain_real *d_features_t, sustain_real *d_y_t) {
    residual_tangent(l, features_t, y_t, R_t);
    sustain__zero(l->rows * l->dim, d_features_t);
    add_to_features(l, R_t, l->y, d_features_t);
    add_to_features(l, l->R, y_t, d_features_t);
    add_to_weights(l, R_t, l->features, d_y_t);
    if (features_t != NULL) add_to_weights(l, l->R, features_t, d_y_t);
    add_to_rest(l, R_t, y_t, d_y_t);
}

/* ---- class means ---- */

static int64_t rows_of_class(int64_t rows, const int32_t *labels, int64_t c) {
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++) count += labels[i] == c;
    return count;
}

void sustain__linear_means(int64_t rows, int64_t dim, int64_t ways, const sustain_real *features, const int32_t *labels, sustain_real *y) {
    for (int64_t c = 0; c < ways; c++) {
        const double weight = 2 / (double)rows_of_class(rows, labels, c);
        sustain_real *W = y + c * dim;
        sustain__zero(dim, W);
        for (int64_t i = 0; i < rows; i++)
            if (labels[i] == c) sustain__add(dim, weight, features + i * dim, W);
        y[ways * dim + c] = (sustain_real)(-sustain__dot(dim, W, W) / 4);
    }
}

/* d_mean_c = 2 d_W_c - 2 d_b_c mean_c */
void sustain__linear_means_gradient(int64_t rows, int64_t dim, int64_t ways, const int32_t *labels, const sustain_real *y,
                                    const sustain_real *d_y, sustain_real *d_features) {
    sustain__zero(rows * dim, d_features);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t c = labels[i];
        const double share = 1 / (double)rows_of_class(rows, labels, c);
        sustain__add(dim, 2 * share, d_y + c * dim, d_features + i * dim);
        sustain__add(dim, -share * (double)d_y[ways * dim + c], y + c * dim, d_features + i * dim);
    }
}

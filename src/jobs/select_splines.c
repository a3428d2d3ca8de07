/* select_splines.c - the candidate `splines`: a model that is piecewise linear in each feature
 * (splines.h). Knots are quantiles of the features, which needs no labels. The penalties are
 * selected as those of a linear model are, by a selection on the same rows and folds, with the
 * features
 *
 *      a_j,   f_k max(a_j - t_k, 0),      f_k such that the deviation is 1
 *
 * A penalty on the second kind is one on how much the model bends at a knot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/select_inner.h"

enum {
    LEAST_VALUES = 5,     /* different ones that a feature has if it bends */
    ROWS_PER_KNOT = 3,    /* at least */
    MOST_KNOTS = 250,     /* of all features: fits take long with more, and are no better */
    SAMPLED = 20000,      /* rows that knots are chosen by, at most */
    MOST_FEATURES = 1000, /* with those of the knots: from there on rows are wide */
};
#define MOST_NUMBERS 2e7 /* of rows with the features of the knots, times the width */
#define PROMISING 1.05   /* times the loss of a linear model with one penalty: with more, `adaptive` is not tried */

/* ---- knots ---- */

/* Whether a feature has enough different values to bend. */
static bool bends(const sustain_rows *r, int64_t feature) {
    float seen[LEAST_VALUES];
    int different = 0;
    for (int64_t i = 0; i < r->count && different < LEAST_VALUES; i++) {
        const float value = r->values[i * r->dim + feature];
        int at = 0;
        while (at < different && seen[at] != value) at++;
        if (at == different) seen[different++] = value;
    }
    return different == LEAST_VALUES;
}

/* How many knots a feature may have; 0: there is no such candidate. */
static int64_t most_knots(sustain_selection *s) {
    const sustain_rows *r = &s->rows.rows;
    if (s->options.knots < 1 || s->options.form != SUSTAIN_SELECT_AUTO || !s->options.intercept || r->start != NULL || r->values == NULL)
        return 0;
    for (int64_t j = 0; j < r->dim; j++) s->splines.bending += bends(r, j);
    const double free = s->rows.width > 1 ? (double)s->rows.width - 1 : 1; /* weights of a knot */
    const double rows = (double)r->count, most = fmin(MOST_FEATURES, MOST_NUMBERS / (rows * (double)s->rows.width)) - (double)r->dim;
    const double knots = fmin(fmin(rows / (ROWS_PER_KNOT * free), MOST_KNOTS), most) / fmax((double)s->splines.bending, 1);
    return knots < (double)s->options.knots ? (int64_t)fmax(knots, 0) : s->options.knots;
}

static int by_size(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Quantiles of sorted values that lie between the least and the largest, each once. */
static int64_t quantiles(const float *value, int64_t count, int64_t wanted, double *knot) {
    int64_t found = 0;
    for (int64_t r = 1; r <= wanted; r++) {
        const double t = (double)value[r * (count - 1) / (wanted + 1)];
        if (t > (double)value[0] && t < (double)value[count - 1] && (found == 0 || t > knot[found - 1])) knot[found++] = t;
    }
    return found;
}

/* The knots of a feature with these values, in any order. Where one value fills several quantiles,
 * as zeros often do, those of the different values are taken. */
static int64_t knots_of(float *value, int64_t count, int64_t wanted, double *knot) {
    qsort(value, (size_t)count, sizeof *value, by_size);
    const int64_t found = quantiles(value, count, wanted, knot);
    int64_t different = 1;
    for (int64_t i = 1; i < count; i++)
        if (value[i] > value[different - 1]) value[different++] = value[i];
    return found == wanted ? found : quantiles(value, different, wanted, knot);
}

static sustain_status choose_knots(sustain_selection *s, int64_t wanted) {
    sustain__select_splines *p = &s->splines;
    const sustain_rows *r = &s->rows.rows;
    const int64_t step = r->count / SAMPLED + 1;
    float *value;
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)(p->bending * wanted), sizeof *p->feature), &p->feature));
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)(p->bending * wanted), sizeof *p->knot), &p->knot));
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)r->count, sizeof *value), &value));
    for (int64_t j = 0; j < r->dim; j++) {
        int64_t n = 0;
        if (!bends(r, j)) continue;
        for (int64_t i = 0; i < r->count; i += step) value[n++] = r->values[i * r->dim + j];
        const int64_t found = knots_of(value, n, wanted, p->knot + p->knots.count);
        for (int64_t k = 0; k < found; k++) p->feature[p->knots.count++] = (int32_t)j;
    }
    sustain__free(s->context, value);
    p->knots.feature = p->feature, p->knots.knot = p->knot;
    return SUSTAIN_OK;
}

/* ---- the selection of its penalties ---- */

/* The features of the knots, and f. */
static sustain_status fill_rows(sustain_selection *s) {
    sustain__select_splines *p = &s->splines;
    const sustain_rows *r = &s->rows.rows;
    const int64_t dim = r->dim, width = p->inner.features;
    float *values = p->inner.values;
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)p->knots.count, sizeof *p->factor), &p->factor));
    SUSTAIN_TRY(sustain_splines_fill(s->context, &p->knots, r, 0, r->count, values));
    for (int64_t k = 0; k < p->knots.count; k++) {
        double sum = 0, square = 0;
        for (int64_t i = 0; i < r->count; i++) {
            const double value = (double)values[i * width + dim + k];
            sum += value, square += value * value;
        }
        const double mean = sum / (double)r->count, deviation = sqrt(fmax(square / (double)r->count - mean * mean, 0));
        p->factor[k] = deviation > 0 && isfinite((float)(1 / deviation)) ? 1 / deviation : 1;
        for (int64_t i = 0; i < r->count; i++) values[i * width + dim + k] *= (float)p->factor[k];
    }
    return SUSTAIN_OK;
}

/* Makes it. Knots have the factor of their feature. There are no groups: a penalty for each feature
 * with its knots, by gradient, took two to four times as long and gained nothing (nine tables). */
static sustain_status make_inner(sustain_selection *s) {
    sustain__select_splines *p = &s->splines;
    const int64_t dim = s->rows.rows.dim, features = p->inner.features;
    double *factor = NULL;
    if (s->factor != NULL) SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)features, sizeof *factor), &factor));
    for (int64_t j = 0; factor != NULL && j < features; j++) factor[j] = s->factor[j < dim ? j : p->feature[j - dim]];
    const sustain_status status = sustain__select_inner_make(s, SUSTAIN__SELECT_SPLINES, factor, &p->inner);
    sustain__free(s->context, factor);
    return status;
}

sustain_status sustain__select_make_splines(sustain_selection *s) {
    const int64_t wanted = most_knots(s);
    if (wanted == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(choose_knots(s, wanted));
    if (s->splines.knots.count == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__select_inner_rows(s, s->splines.knots.count, &s->splines.inner));
    SUSTAIN_TRY(fill_rows(s));
    return make_inner(s);
}

void sustain__select_free_splines(sustain_selection *s) {
    sustain__select_splines *p = &s->splines;
    sustain__select_inner_free(s->context, &p->inner);
    void *const memory[] = {p->feature, p->knot, p->factor};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) sustain__free(s->context, memory[i]);
}

/* ---- the candidate ---- */

sustain_status sustain__select_by_splines(sustain_selection *s) {
    sustain__select_splines *p = &s->splines;
    sustain_selection *inner = p->inner.selection;
    if (inner == NULL) return SUSTAIN_OK;
    const int64_t n = s->rows.rows.count, width = s->rows.width;
    sustain__select_state *c = sustain__select_begin(s, "splines", 0);
    sustain__log(s->context, "linear splines with %lld knots", (long long)p->knots.count);
    if (s->options.loss == SUSTAIN_REGTUNE_HUBER) inner->options.huber_threshold = s->unit;
    inner->goal = s->rows.width > 1 ? 0 : PROMISING * s->state[0].best.loss;
    if (!inner->done) SUSTAIN_TRY(sustain_select_run(inner, &p->result));
    const double unit = s->unit;
    for (int64_t i = 0; i < n; i++) c->loss[i] = p->result.held_loss[i] / (unit * unit);
    for (int64_t i = 0; i < n * width; i++) c->score[i] = p->result.held_score[i] / unit;
    const sustain_select_candidate *chosen = &p->result.candidates[p->result.selected];
    c->best = (sustain__select_numbers){.splines = true};
    s->candidate[s->count].numbers = chosen->numbers;
    snprintf(s->candidate[s->count].detail, sizeof s->candidate->detail, "%lld knots in %lld features; penalties %s: %.150s",
             (long long)p->knots.count, (long long)p->bending, chosen->name, chosen->detail);
    sustain__select_end(s);
    return SUSTAIN_OK;
}

void sustain__select_add_splines(const sustain_selection *s, double share, bool all, int64_t features, double *y, double *penalty) {
    const sustain__select_splines *p = &s->splines;
    const int64_t dim = s->rows.rows.dim, own = p->inner.features, width = s->rows.width;
    for (int64_t k = 0; k < width; k++) {
        for (int64_t j = 0; j < own; j++)
            y[k * features + j] += share / s->unit * p->result.y[k * own + j] * (j < dim ? 1 : p->factor[j - dim]);
        y[width * features + k] += share / s->unit * p->result.y[width * own + k];
    }
    for (int64_t j = all ? 0 : dim; j < own; j++)
        penalty[j] = p->result.penalty[j] / (j < dim ? 1 : p->factor[j - dim] * p->factor[j - dim]);
}

/* select_search.c - the numbers of a candidate, chosen by cross-validation: one penalty,
 * penalties by scale, adaptive penalties.
 *
 *   p_j = exp(l_s) factor_j s_j^(2c) (w_j^2 / m + e^2)^-b (1 + e^2)^b
 *
 * w is the model of the stage before, fitted to the same rows (so rows left out have no part in
 * it), m the mean of its squares. b = 0 at the first stage. With b = 1/2 the penalty of a feature
 * at its own weight is as that of the lasso, with b = 1 it hardly depends on the weight: adaptive
 * ridge, Frommlet and Nuel 2016. Three numbers say what every feature's penalty is, so they can
 * be chosen by cross-validation without fitting its rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/share.h"
#include "jobs/select_job.h"

#define TOP 1.0       /* of the path, times the mean of |a_i|^2 */
#define LONG_STEP 2.0 /* between penalties of the path, in logarithms ... */
#define STEP 1.0      /* ... and near the best one */
#define FINE 0.02     /* a step of the penalty that is not worth a fit */
#define SPREAD 0.1    /* e */
#define FLOOR 1e-9    /* under all penalties, times the mean of |a_i|^2 */
#define AGAIN 0.5     /* the least power for which penalties are adapted several times */
#define FEW 100       /* rows */
#define EVEN 0.3      /* deviation of log scales below which `scaled` is no candidate */

typedef sustain__select_numbers numbers;

/* ---- penalties ---- */

void sustain__select_penalize(const sustain_selection *s, const numbers *m, int stage, const double *base, double *penalty) {
    const int64_t dim = s->rows.rows.dim, width = s->rows.width;
    double mean = 0;
    for (int64_t k = 0; stage > 0 && k < dim * width; k++) mean += base[k] * base[k] / (double)dim;
    for (int64_t j = 0; j < dim; j++) {
        double log_p = m->log_penalty[stage] + m->scale * s->log_scale[j] + (m->shift != NULL ? m->shift[j] : 0), square = 0;
        for (int64_t k = j * width; k < (j + 1) * width; k++) square += stage > 0 ? base[k] * base[k] : 0;
        for (int64_t k = j * width; k < (j + 1) * width; k++) {
            double own = log_p;
            if (stage > 0 && mean > 0) own -= m->power * log((square / mean + SPREAD * SPREAD) / (1 + SPREAD * SPREAD));
            penalty[k] = FLOOR * s->mean_square + (s->factor != NULL ? s->factor[j] : 1) * exp(fmin(own, 200));
        }
    }
}

/* ---- one evaluation ---- */

typedef struct task {
    sustain_selection *s;
    const numbers *numbers;
    int stage;
} task;

static void fit_model(void *user, int64_t k) {
    const task *t = user;
    sustain_selection *s = t->s;
    sustain__fit *f = s->fit[k];
    if (t->numbers->absolute) {
        sustain__select_fit_lasso(s, t->numbers, k, s->tolerance);
    } else {
        sustain__select_penalize(s, t->numbers, t->stage, s->base[k], f->penalty);
        sustain__fit_minimize(&s->rows, &s->model[k].fitted, &s->curvature, s->tolerance, f);
    }
}

/* What later steps read of a model. The rest of its memory is used only by the process that fits
 * it, which is always the same one. */
static void *fitted(void *user, int64_t k, int which, size_t *bytes) {
    const task *t = user;
    sustain__fit *f = t->s->fit[k];
    *bytes = which == 0 ? (size_t)sustain__fit_size(&t->s->rows) * sizeof *f->y : sizeof f->hardest;
    return which == 0 ? t->numbers->absolute ? t->s->lasso[k]->y : f->y : which == 1 ? (void *)&f->hardest : NULL;
}

static void judge_model(void *user, int64_t k) {
    const task *t = user;
    sustain_selection *s = t->s;
    sustain__fit *f = s->fit[k];
    const sustain__select_model *m = &s->model[k];
    const double *y = t->numbers->absolute ? s->lasso[k]->y : f->y;
    const int64_t width = s->rows.width;
    sustain__fit_losses(&s->rows, &m->held, y, f->column, s->loss);
    for (int64_t at = 0; at < m->held.count; at++) sustain__fit_scores(&s->rows, m->held.row[at], y, s->score + m->held.row[at] * width);
}

/* Measures G again where its last measurement serves badly. */
static void measure_again(sustain_selection *s) {
    int64_t hardest = 0;
    for (int k = 0; k < s->models; k++) hardest = s->fit[k]->hardest > hardest ? s->fit[k]->hardest : hardest;
    if (hardest <= (s->curvature.full ? 12 : 25) || s->since_measured++ < 2) return;
    s->since_measured = 0;
    sustain__fit_measure(&s->rows, &s->all, s->fit[0]->y, &s->curvature);
}

/* The numbers of the state are the best so far, by all blocks and by all but one. */
double sustain__select_offer(sustain_selection *s, sustain__select_state *c, const numbers *m) {
    double sum[SUSTAIN__SELECT_MODELS] = {0}, weight[SUSTAIN__SELECT_MODELS] = {0}, total = 0, weights = 0;
    const int64_t width = s->rows.width;
    for (int64_t at = 0; at < s->ever_held.count; at++) {
        const int64_t i = s->ever_held.row[at];
        const double w = s->weight != NULL ? s->weight[i] : 1;
        sum[s->block[i]] += w * s->loss[i];
        weight[s->block[i]] += w;
    }
    for (int h = 0; h < s->blocks; h++) total += sum[h], weights += weight[h];
    for (int h = 0; h < s->blocks; h++) {
        const double others = (total - sum[h]) / (weights - weight[h]);
        if (!(others < c->best_without[h])) continue;
        c->best_without[h] = others;
        for (int64_t at = 0; at < s->ever_held.count; at++) {
            const int64_t i = s->ever_held.row[at];
            if (s->block[i] != h) continue;
            c->loss[i] = s->loss[i];
            memcpy(c->score + i * width, s->score + i * width, (size_t)width * sizeof *c->score);
        }
    }
    if (!(total / weights < c->best.loss)) return total / weights;
    double *shift = c->best.shift;
    c->best = *m;
    c->best.loss = total / weights;
    c->best.shift = shift;
    if (m->shift != NULL && shift != NULL) memcpy(shift, m->shift, (size_t)s->rows.rows.dim * sizeof *shift);
    return total / weights;
}

static double mean_loss(const sustain_selection *s, double *error) {
    double sum = 0, squares = 0, weights = 0;
    for (int64_t at = 0; at < s->ever_held.count; at++) {
        const int64_t i = s->ever_held.row[at];
        const double w = s->weight != NULL ? s->weight[i] : 1;
        sum += w * s->loss[i];
        squares += w * s->loss[i] * s->loss[i];
        weights += w;
    }
    const double mean = sum / weights;
    if (error != NULL) *error = sqrt(fmax(squares / weights - mean * mean, 0) / (double)s->ever_held.count);
    return mean;
}

double sustain__select_evaluate(sustain_selection *s, sustain__select_state *c, const numbers *m) {
    task t = {s, m, m->stages - 1};
    if (sustain__fit_stopped(&s->rows)) return INFINITY;
    if (sustain__share(s->context, s->models, fit_model, &t, fitted) != SUSTAIN_OK) return INFINITY;
    sustain_parallel_for(s->context, s->models, judge_model, &t);
    if (!m->absolute) measure_again(s);
    if (c != NULL) sustain__select_offer(s, c, m);
    return mean_loss(s, NULL);
}

void sustain__select_evaluate_model(sustain_selection *s, const numbers *m, int k) {
    task t = {s, m, m->stages - 1};
    fit_model(&t, k);
    judge_model(&t, k);
}

static void keep_base(sustain_selection *s) {
    for (int k = 0; k < s->models; k++) memcpy(s->base[k], s->fit[k]->y, (size_t)sustain__fit_size(&s->rows) * sizeof(double));
}

/* ---- searches ---- */

/* Where a parabola through three points of distance `step` has its vertex, from the middle one;
 * the middle one is the lowest. */
static double vertex(double step, double before, double at, double after) {
    const double bend = before - 2 * at + after;
    return bend > 0 && isfinite(bend) ? 0.5 * step * (before - after) / bend : 0;
}

/* Adaptive penalties are larger as a rule, so they are
 * tried upwards first: small penalties cost most. */
double sustain__select_search_penalty(sustain_selection *s, sustain__select_state *c, numbers *m) {
    double *l = &m->log_penalty[m->stages - 1], middle = sustain__select_evaluate(s, c, m), side[2] = {INFINITY, INFINITY}, start = *l;
    bool moved = false;
    for (int turn = 0; turn < 2 && !moved; turn++) {
        const int way = (m->stages > 1) == (turn == 0) ? 1 : 0; /* 0: smaller penalties, 1: larger */
        for (int tries = 0; tries < 12; tries++) {
            *l = start + (way == 0 ? -STEP : STEP);
            const double value = sustain__select_evaluate(s, c, m);
            side[way] = value;
            if (!(value < middle)) break;
            side[1 - way] = middle;
            middle = value;
            start = *l;
            moved = true;
        }
    }
    const double to = vertex(STEP, side[0], middle, side[1]);
    *l = start + fmax(-STEP / 2, fmin(STEP / 2, to));
    double value = fabs(*l - start) > FINE ? sustain__select_evaluate(s, c, m) : INFINITY;
    if (value < middle) return value;
    *l = start;
    return sustain__select_evaluate(s, c, m);
}

sustain__select_state *sustain__select_begin(sustain_selection *s, const char *name, int64_t count) {
    sustain__select_state *c = &s->state[s->count];
    s->candidate[s->count] = (sustain_select_candidate){.name = name, .numbers = count, .seconds = -sustain__clock()};
    c->best.loss = INFINITY;
    for (int h = 0; h < SUSTAIN__SELECT_MODELS; h++) c->best_without[h] = INFINITY;
    return c;
}

/* ---- mixtures ---- */

double sustain__select_mixed_loss(const sustain_selection *s, const sustain__select_state *c, int64_t i, double part, double *score) {
    const int64_t width = s->rows.width;
    const double *former = c[-1].score + i * width, *other = c->score + i * width;
    for (int64_t k = 0; k < width; k++) score[k] = former[k] + part * (other[k] - former[k]);
    return sustain__loss_value(s->rows.loss, width, score, s->truth[i]);
}

/* A part of the way from the model of the candidate before to that of this one: it varies less
 * with the rows, and is often better than both. Which part is chosen by the rows left out; those
 * of a block are measured at the part that the other blocks choose. */
static void mix(sustain_selection *s, sustain__select_state *c) {
    enum { PARTS = 21 };
    const int64_t width = s->rows.width;
    double sum[PARTS][SUSTAIN__SELECT_MODELS] = {{0}}, total[PARTS] = {0}, *score = s->score;
    int best = 0;
    for (int p = 0; p < PARTS; p++) {
        for (int64_t at = 0; at < s->ever_held.count; at++) {
            const int64_t i = s->ever_held.row[at];
            const double weight = s->weight != NULL ? s->weight[i] : 1;
            sum[p][s->block[i]] += weight * sustain__select_mixed_loss(s, c, i, (double)p / (PARTS - 1), score);
        }
        for (int h = 0; h < s->blocks; h++) total[p] += sum[p][h];
        if (total[p] < total[best]) best = p;
    }
    for (int64_t at = 0; at < s->ever_held.count; at++) {
        const int64_t i = s->ever_held.row[at];
        const int h = s->block[i];
        int own = 0;
        for (int p = 1; p < PARTS; p++)
            if (total[p] - sum[p][h] < total[own] - sum[own][h]) own = p;
        c->loss[i] = sustain__select_mixed_loss(s, c, i, (double)own / (PARTS - 1), score);
        memcpy(c->score + i * width, score, (size_t)width * sizeof *score);
    }
    c->best.part = (double)best / (PARTS - 1);
}

void sustain__select_end(sustain_selection *s) {
    sustain__select_state *c = &s->state[s->count];
    sustain_select_candidate *k = &s->candidate[s->count];
    c->best.part = 1;
    if (s->count > 0 && s->options.form == SUSTAIN_SELECT_AUTO) mix(s, c);
    if (c->best.part < 1) {
        const size_t used = strlen(k->detail);
        snprintf(k->detail + used, sizeof k->detail - used, "; mean of this model (weight %.2f) and the one before (%.2f)", c->best.part,
                 1 - c->best.part);
    }
    k->numbers += s->count > 0;
    k->seconds += sustain__clock();
    s->count++;
}

/* ---- the candidates ---- */

/* A point of the path of single penalties, put in its place from large penalties to small ones. */
static void add_point(sustain_selection *s, sustain__select_state *c, double log_penalty) {
    sustain_select_point point = {.log_penalty = log_penalty};
    int at = s->path_count++;
    sustain__select_evaluate(s, c, &(numbers){.stages = 1, .log_penalty = {log_penalty}});
    point.loss = mean_loss(s, &point.error);
    sustain__log(s->context, "one penalty, exp(%.2f): held-out loss %.5f", log_penalty, point.loss);
    for (; at > 0 && s->path[at - 1].log_penalty < log_penalty; at--) s->path[at] = s->path[at - 1];
    s->path[at] = point;
}

static int best_point(const sustain_selection *s) {
    int best = 0;
    for (int i = 1; i < s->path_count; i++)
        if (s->path[i].loss < s->path[best].loss) best = i;
    return best;
}

/* Long steps until the loss rises: the smallest penalties cost most. Then the points on both
 * sides of the best one, and the vertex of the parabola through the three. */
sustain_status sustain__select_one(sustain_selection *s) {
    sustain__select_state *c = sustain__select_begin(s, "one", 1);
    const double top = log(TOP * s->mean_square), bottom = log(FLOOR * s->mean_square);
    int best = 0;
    for (double l = top; l > bottom && s->path_count < SUSTAIN_SELECT_PATH - 4 && best + 1 >= s->path_count; l -= LONG_STEP) {
        add_point(s, c, l);
        best = best_point(s);
    }
    const double middle = s->path[best].log_penalty;
    for (int way = -1; way <= 1; way += 2)
        if (middle + way * STEP < top) add_point(s, c, middle + way * STEP);
    best = best_point(s);
    numbers m = {.stages = 1, .log_penalty = {s->path[best].log_penalty}};
    if (best > 0 && best + 1 < s->path_count) {
        const double step = fmin(s->path[best - 1].log_penalty - m.log_penalty[0], m.log_penalty[0] - s->path[best + 1].log_penalty);
        if (step > STEP / 2) m.log_penalty[0] += vertex(-STEP, s->path[best - 1].loss, s->path[best].loss, s->path[best + 1].loss);
    }
    sustain__select_evaluate(s, c, &m);
    snprintf(s->candidate[s->count].detail, sizeof s->candidate->detail, "penalty %.3g", exp(c->best.log_penalty[0]));
    sustain__select_end(s);
    return SUSTAIN_OK;
}

static double spread_of(const sustain_selection *s) {
    double squares = 0;
    for (int64_t j = 0; j < s->rows.rows.dim; j++) squares += s->log_scale[j] * s->log_scale[j];
    return sqrt(squares / (double)s->rows.rows.dim);
}

/* c = +-1/4 first, then on in the better direction. */
sustain_status sustain__select_scaled(sustain_selection *s) {
    if (spread_of(s) < EVEN) return SUSTAIN_OK;
    if (!s->curvature.full && s->rows.rows.start != NULL) return SUSTAIN_OK; /* text: adaptive penalties gain more for the time */
    sustain__select_state *c = sustain__select_begin(s, "scaled", 2);
    const double one = s->state[0].best.loss;
    double at_one = s->state[0].best.log_penalty[0];
    for (int way = -1; way <= 1; way += 2) {
        numbers m = {.stages = 1, .log_penalty = {at_one}};
        double last = one;
        for (int i = 1; i <= 4; i++) {
            m.scale = 0.25 * way * i;
            const double value = sustain__select_search_penalty(s, c, &m);
            sustain__log(s->context, "penalties by scale, power %.2f: held-out loss %.5f", m.scale, value);
            if (!(value < last)) break;
            last = value;
        }
        if (last < one) break; /* the other way is worse */
    }
    snprintf(s->candidate[s->count].detail, sizeof s->candidate->detail,
             "penalty %.3g, times the mean square of a feature to the power %.2f", exp(c->best.log_penalty[0]), c->best.scale);
    sustain__select_end(s);
    return SUSTAIN_OK;
}

const numbers *sustain__select_simple(const sustain_selection *s) {
    const bool scaled = s->count > 1 && strcmp(s->candidate[1].name, "scaled") == 0 && s->state[1].best.loss < s->state[0].best.loss;
    return &s->state[scaled ? 1 : 0].best;
}

/* From the model of adaptive penalties to adaptive penalties again, as long as that is better;
 * then the penalty is chosen anew. */
static void adapt_again(sustain_selection *s, sustain__select_state *c) {
    numbers m = c->best;
    double last = sustain__select_evaluate(s, c, &m);
    if (m.power < AGAIN) return;
    while (m.stages < SUSTAIN__SELECT_STAGES) {
        keep_base(s);
        m.log_penalty[m.stages] = m.log_penalty[m.stages - 1];
        m.stages++;
        const double value = sustain__select_search_penalty(s, c, &m);
        sustain__log(s->context, "adaptive penalties, power %.2f, time %d: held-out loss %.5f", m.power, m.stages - 1, value);
        if (!(value < last)) return;
        last = value;
    }
}

sustain_status sustain__select_adaptive(sustain_selection *s) {
    static const double powers[] = {0.25, 0.5, 1, 2};
    const size_t count = sizeof powers / sizeof *powers, first = s->curvature.full ? 0 : 1; /* wide rows: fits take long */
    if (s->curvature.full && s->rows.rows.count < FEW) return SUSTAIN_OK;                   /* too few to choose four numbers by */
    sustain__select_state *c = sustain__select_begin(s, "adaptive", 3);
    numbers m = *sustain__select_simple(s);
    double last = INFINITY;
    sustain__select_evaluate(s, NULL, &m); /* the models that w is of */
    keep_base(s);
    m.stages = 2;
    m.log_penalty[1] = m.log_penalty[0];
    for (size_t p = first; p < count; p++) {
        m.power = powers[p];
        const double value = sustain__select_search_penalty(s, c, &m);
        sustain__log(s->context, "adaptive penalties, power %.2f: held-out loss %.5f", m.power, value);
        if (!(value < last)) break;
        last = value;
    }
    if (c->best.stages > 0) { /* else the search was cancelled before its first value */
        adapt_again(s, c);
        snprintf(s->candidate[s->count].detail, sizeof s->candidate->detail, "penalty %.3g, by weight to the power -%.1f, %d %s",
                 exp(c->best.log_penalty[c->best.stages - 1]), 2 * c->best.power, c->best.stages - 1,
                 c->best.stages == 2 ? "time" : "times");
    }
    sustain__select_end(s);
    return SUSTAIN_OK;
}

/* ---- all rows ---- */

void sustain__select_refit(sustain_selection *s, const numbers *m) {
    sustain__fit *f = s->fit[s->models];
    double *base = s->base[s->models];
    memset(f->y, 0, (size_t)sustain__fit_size(&s->rows) * sizeof *f->y);
    for (int stage = 0; stage < m->stages; stage++) {
        const double tolerance = stage + 1 < m->stages ? s->tolerance : 1e-6 * s->tolerance;
        if (m->absolute) {
            sustain__select_fit_lasso(s, m, s->models, tolerance);
            memcpy(f->y, s->lasso[s->models]->y, (size_t)sustain__fit_size(&s->rows) * sizeof *f->y);
            memcpy(f->penalty, s->lasso[s->models]->l1, (size_t)sustain__fit_size(&s->rows) * sizeof *f->penalty);
        } else {
            sustain__select_penalize(s, m, stage, base, f->penalty);
            sustain__fit_minimize(&s->rows, &s->all, &s->curvature, tolerance, f);
        }
        memcpy(base, f->y, (size_t)sustain__fit_size(&s->rows) * sizeof *base);
    }
}

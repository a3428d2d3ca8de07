/* select_gradient.c - many penalties by gradient: one for each group, or one for each feature,
 * shrunk towards one for all.
 *
 *   F(x_0, u) = loss of rows left out, with p_j = exp(x_0 + u_g(j)) factor_j s_j^(2c),    plus  rho/2 |u|^2
 *
 * Its gradient is exact, by implicit differentiation (sustain__fit_slope()). rho goes down a
 * path, from where u hardly moves to where it moves freely, and each point begins where the last
 * one ended.
 *
 * As many numbers as there are groups or features fit the rows that choose them. So what a point
 * of the path is worth is estimated by nested folds: for each block of rows h the whole path is
 * run without them, on models that leave out a second block, and the model that leaves out h
 * alone is measured on h. rho is chosen by that. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/share.h"
#include "jobs/select_job.h"

enum { PATH = 4, STEPS = 2, MOST_BLOCKS = 10, FEATURE_BLOCKS = 5, ENOUGH_ROWS = 100 /* a feature: penalties matter little */ };
#define MOST_NUMBERS 4e5 /* of the rows, times the width: beyond, the path costs much more than all other candidates */
#define MOST_FEATURE_NUMBERS 2e5
#define FIRST 2.0 /* rho at first, times the largest slope: no u moves by more than 1/2 */
#define RATIO 0.2
#define LOOSE 10     /* fits of the path, in units of the tolerance of other fits */
#define ACCURACY 0.1 /* of slopes */
#define FARTHEST 8.0 /* that a u moves */

/* One run down the path of rho: without the rows of a block, or with all. */
typedef struct path_run {
    sustain_selection *s;
    int64_t count;                                            /* of u */
    const int32_t *group;                                     /* (dim), NULL: every feature by itself */
    int block;                                                /* left out altogether; -1: none */
    int pairs;                                                /* of models and rows they are measured on */
    sustain__select_model pair[SUSTAIN__SELECT_MODELS], last; /* last: fitted to all rows but those of the block, measured on them */
    sustain__fit *fit[SUSTAIN__SELECT_MODELS + 1];
    double *z, *z_new, *slope, *slope_new; /* (count + 1) x_0, u */
    double *by_feature;                    /* (dim) */
    double *found;                         /* (PATH, count + 1) */
} path_run;

typedef struct gradient_job {
    path_run run[MOST_BLOCKS + 1];
    int runs;
    int32_t *rows;        /* what the parts of pairs point into */
    double *loss, *score; /* (PATH, rows), (PATH, rows, width) of rows left out */
} gradient_job;

/* ---- one evaluation ---- */

static void penalize(const path_run *p, const double *z, double *penalty) {
    const sustain_selection *s = p->s;
    const int64_t width = s->rows.width;
    sustain__select_penalize(s, &(sustain__select_numbers){.scale = s->gradient_scale, .log_penalty = {z[0]}}, 0, NULL, penalty);
    for (int64_t j = 0; j < s->rows.rows.dim; j++)
        for (int64_t k = j * width; k < (j + 1) * width; k++) penalty[k] *= exp(z[1 + (p->group != NULL ? p->group[j] : j)]);
}

/* The mean loss of the rows that pairs are measured on, and its slope by (x_0, u). */
static double loss_at(path_run *p, const double *z, double *slope) {
    const sustain_selection *s = p->s;
    double sum = 0, weights = 0;
    memset(slope, 0, (size_t)(p->count + 1) * sizeof *slope);
    memset(p->by_feature, 0, (size_t)s->rows.rows.dim * sizeof *p->by_feature);
    for (int i = 0; i < p->pairs && !sustain__fit_stopped(&s->rows); i++) {
        sustain__fit *f = p->fit[i];
        const sustain__fit_part *held = &p->pair[i].held;
        penalize(p, z, f->penalty);
        sustain__fit_minimize(&s->rows, &p->pair[i].fitted, &s->curvature, LOOSE * s->tolerance, f);
        sustain__fit_slope(&s->rows, &p->pair[i].fitted, held, &s->curvature, ACCURACY, f, p->by_feature);
        for (int64_t at = 0; at < held->count; at++) weights += s->weight != NULL ? s->weight[held->row[at]] : 1;
        sum += f->held_value;
    }
    for (int64_t j = 0; j < s->rows.rows.dim; j++) {
        const double part = p->by_feature[j] * s->rows.total / weights;
        slope[0] += part;
        slope[1 + (p->group != NULL ? p->group[j] : j)] += part;
    }
    return sum * s->rows.total / weights;
}

static double shrinkage(const path_run *p, double rho, const double *z) {
    double sum = 0;
    for (int64_t i = 1; i <= p->count; i++) sum += z[i] * z[i];
    return rho / 2 * sum;
}

/* ---- the path ---- */

/* A few steps of gradient descent, whose length 1/(rho + bend) is halved until the target falls.
 * x_0 has the slope of all u together. */
static void descend(path_run *p, double rho, double *loss, double *bend) {
    const int64_t n = p->count + 1;
    for (int step = 0; step < STEPS; step++) {
        double at = *loss + shrinkage(p, rho, p->z);
        bool moved = false;
        for (int tries = 0; tries < 6 && !moved; tries++, *bend *= moved ? 0.5 : 3) {
            for (int64_t i = 0; i < n; i++) {
                const double direction = p->slope[i] + (i > 0 ? rho * p->z[i] : 0),
                             length = i > 0 ? rho + *bend : (rho + *bend) * sqrt((double)p->count);
                p->z_new[i] = p->z[i] - direction / length;
                if (i > 0) p->z_new[i] = fmax(-FARTHEST, fmin(FARTHEST, p->z_new[i]));
            }
            const double loss_new = loss_at(p, p->z_new, p->slope_new);
            moved = loss_new + shrinkage(p, rho, p->z_new) < at;
            if (!moved) continue;
            *loss = loss_new;
            memcpy(p->z, p->z_new, (size_t)n * sizeof *p->z);
            memcpy(p->slope, p->slope_new, (size_t)n * sizeof *p->slope);
        }
        if (!moved) return;
    }
}

static void run_path(void *user, int64_t number) {
    gradient_job *job = user;
    path_run *p = &job->run[number];
    sustain_selection *s = p->s;
    const int64_t n = p->count + 1, rows = s->rows.rows.count, width = s->rows.width;
    double steepest = 0;
    p->z[0] = s->gradient_start;
    double loss = loss_at(p, p->z, p->slope), rho, bend;
    for (int64_t i = 1; i < n; i++) steepest = fmax(steepest, fabs(p->slope[i]));
    rho = FIRST * steepest;
    bend = rho / 4;
    for (int k = 0; k < PATH; k++, rho *= RATIO) {
        if (sustain__fit_stopped(&s->rows)) return;
        if (steepest > 0) descend(p, rho, &loss, &bend);
        memcpy(p->found + k * n, p->z, (size_t)n * sizeof *p->z);
        if (p->block < 0) continue;
        sustain__fit *f = p->fit[p->pairs];
        penalize(p, p->z, f->penalty);
        sustain__fit_minimize(&s->rows, &p->last.fitted, &s->curvature, LOOSE * s->tolerance, f);
        sustain__fit_losses(&s->rows, &p->last.held, f->y, f->column, job->loss + k * rows);
        for (int64_t at = 0; at < p->last.held.count; at++)
            sustain__fit_scores(&s->rows, p->last.held.row[at], f->y, job->score + (k * rows + p->last.held.row[at]) * width);
    }
}

/* The penalties of the path; then the loss and the scores of each row that was left out, at each
 * point. */
static void *path_found(void *user, int64_t number, int which, size_t *bytes) {
    const gradient_job *job = user;
    const path_run *p = &job->run[number];
    const int64_t rows = p->s->rows.rows.count, width = p->s->rows.width, held = p->last.held.count;
    *bytes = (size_t)(p->count + 1) * PATH * sizeof *p->found;
    if (which == 0) return p->found;
    const int64_t at = (which - 1) / 2;
    if (p->block < 0 || at >= held * PATH) return NULL;
    const int64_t place = at / held * rows + p->last.held.row[at % held];
    *bytes = (size_t)(which % 2 == 1 ? 1 : width) * sizeof *job->loss;
    return which % 2 == 1 ? job->loss + place : job->score + place * width;
}

/* ---- who is left out of what ---- */

static sustain__fit_part list(const sustain_selection *s, const sustain__fit_part *from, int wanted, int without, int without_too,
                              int32_t **at) {
    sustain__fit_part part = {.row = *at};
    for (int64_t i = 0; i < from->count; i++) {
        const int32_t b = s->block[from->row[i]];
        if (wanted >= 0 ? b == wanted : b != without && b != without_too) (*at)[part.count++] = from->row[i];
    }
    *at += part.count;
    return part;
}

static void share_out(const sustain_selection *s, path_run *p, int32_t **at) {
    if (s->models == 1) { /* validation rows: one fit, measured on those of other blocks */
        p->pairs = 1;
        p->pair[0] = (sustain__select_model){s->model[0].fitted, list(s, &s->ever_held, -1, p->block, p->block, at)};
        if (p->block >= 0) p->last = (sustain__select_model){s->model[0].fitted, list(s, &s->ever_held, p->block, 0, 0, at)};
        return;
    }
    for (int l = 0; l < s->models; l++) {
        if (l == p->block) continue;
        sustain__select_model *pair = &p->pair[p->pairs++];
        *pair = (sustain__select_model){list(s, &s->all, -1, p->block, l, at), s->model[l].held};
        pair->fitted.moments[0] = s->moments;
        pair->fitted.moments[1] = sustain__select_moments_without(s, l);
        if (p->block >= 0) pair->fitted.moments[2] = sustain__select_moments_without(s, p->block);
    }
    if (p->block >= 0) p->last = s->model[p->block];
}

static sustain_status make(sustain_selection *s, const int32_t *group, int64_t count, gradient_job *job) {
    const int64_t rows = s->rows.rows.count, dim = s->rows.rows.dim;
    const size_t lists = (size_t)(s->blocks + 1) * (size_t)(s->blocks + 1);
    job->runs = s->blocks + 1;
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)rows, lists * sizeof *job->rows), &job->rows));
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)rows, PATH * sizeof *job->loss), &job->loss));
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)(rows * s->rows.width), PATH * sizeof *job->score), &job->score));
    int32_t *at = job->rows;
    for (int i = 0; i < job->runs; i++) {
        path_run *p = &job->run[i];
        *p = (path_run){.s = s, .count = count, .group = group, .block = i < s->blocks ? i : -1};
        share_out(s, p, &at);
        double **const vectors[] = {&p->z, &p->z_new, &p->slope, &p->slope_new};
        for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
            SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)count + 1, sizeof(double)), vectors[v]));
        SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)dim, sizeof(double)), &p->by_feature));
        SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)count + 1, PATH * sizeof(double)), &p->found));
        for (int f = 0; f <= p->pairs; f++) SUSTAIN_TRY(sustain__fit_create(s->context, &s->rows, s->curvature.full, &p->fit[f]));
    }
    return SUSTAIN_OK;
}

static void release(sustain_selection *s, gradient_job *job) {
    for (int i = 0; i < job->runs; i++) {
        path_run *p = &job->run[i];
        void *const memory[] = {p->z, p->z_new, p->slope, p->slope_new, p->by_feature, p->found};
        for (size_t m = 0; m < sizeof memory / sizeof *memory; m++) sustain__free(s->context, memory[m]);
        for (int f = 0; f <= p->pairs; f++) sustain__fit_destroy(s->context, p->fit[f]);
    }
    sustain__free(s->context, job->rows);
    sustain__free(s->context, job->loss);
    sustain__free(s->context, job->score);
}

/* ---- the candidate ---- */

/* Every point of the path is offered, with the penalties that the run with all blocks found
 * there. */
static void offer_path(sustain_selection *s, sustain__select_state *c, const gradient_job *job, const int32_t *group, int64_t count,
                       double *shift) {
    const int64_t rows = s->rows.rows.count, dim = s->rows.rows.dim, width = s->rows.width;
    for (int k = 0; k < PATH; k++) {
        const double *z = job->run[s->blocks].found + k * (count + 1);
        sustain__select_numbers m = {.stages = 1, .scale = s->gradient_scale, .log_penalty = {z[0]}, .shift = shift, .shrinkage = k};
        for (int64_t j = 0; j < dim; j++) shift[j] = z[1 + (group != NULL ? group[j] : j)];
        memcpy(s->loss, job->loss + k * rows, (size_t)rows * sizeof *s->loss);
        memcpy(s->score, job->score + k * rows * width, (size_t)(rows * width) * sizeof *s->score);
        sustain__select_offer(s, c, &m);
    }
}

static sustain_status try_candidate(sustain_selection *s, const char *name, const int32_t *group, int64_t count) {
    gradient_job job = {0};
    double *shift = NULL;
    sustain__select_state *c = sustain__select_begin(s, name, count + 2);
    sustain__log(s->context, "%lld penalties by gradient, shrunk, with nested folds", (long long)count);
    sustain_status status = make(s, group, count, &job);
    if (status == SUSTAIN_OK) status = sustain__allocate(s->context, sustain__multiply((size_t)s->rows.rows.dim, sizeof *shift), &shift);
    if (status == SUSTAIN_OK)
        status = sustain__allocate(s->context, sustain__multiply((size_t)s->rows.rows.dim, sizeof *shift), &c->best.shift);
    if (status == SUSTAIN_OK) {
        sustain__share(s->context, job.runs, run_path, &job, path_found);
        offer_path(s, c, &job, group, count, shift);
        snprintf(s->candidate[s->count].detail, sizeof s->candidate->detail, "%lld penalties around %.3g, shrunk: point %d of %d",
                 (long long)count, exp(c->best.log_penalty[0]), (int)c->best.shrinkage + 1, PATH);
        sustain__select_end(s);
    }
    release(s, &job);
    sustain__free(s->context, shift);
    return status;
}

static bool is_affordable(const sustain_selection *s) {
    return s->kind == SUSTAIN__SELECT_WHOLE && s->blocks <= MOST_BLOCKS && s->curvature.full &&
           s->rows.rows.count >= 2 * s->blocks * s->blocks;
}

static bool groups_are_tried(const sustain_selection *s) {
    const double numbers = sustain__select_entries(s) * (double)s->rows.width;
    return is_affordable(s) && s->group != NULL && s->options.groups > 1 && s->options.groups < s->rows.rows.dim &&
           numbers <= MOST_NUMBERS * 5 / s->blocks;
}

static bool features_are_tried(const sustain_selection *s) {
    const sustain_rows *r = &s->rows.rows;
    const double numbers = sustain__select_entries(s) * (double)s->rows.width;
    return is_affordable(s) && r->dim > 1 && s->blocks <= FEATURE_BLOCKS && numbers <= MOST_FEATURE_NUMBERS &&
           r->count < ENOUGH_ROWS * r->dim;
}

sustain_status sustain__select_by_gradient(sustain_selection *s) {
    s->gradient_start = sustain__select_simple(s)->log_penalty[0];
    s->gradient_scale = sustain__select_simple(s)->scale;
    if (groups_are_tried(s)) SUSTAIN_TRY(try_candidate(s, "groups", s->group, s->options.groups));
    if (features_are_tried(s)) SUSTAIN_TRY(try_candidate(s, "features", NULL, s->rows.rows.dim));
    return SUSTAIN_OK;
}

double sustain__select_gradient_bytes(const sustain_selection *s) {
    const double rows = (double)s->rows.rows.count, runs = s->blocks + 1, fits = s->models == 1 ? 2 : s->models,
                 numbers = 1 + (double)(features_are_tried(s) ? s->rows.rows.dim : s->options.groups);
    if (s->options.form != SUSTAIN_SELECT_AUTO || (!groups_are_tried(s) && !features_are_tried(s))) return 0;
    return rows * (runs * runs * sizeof(int32_t) + PATH * (double)(1 + s->rows.width) * sizeof(double)) +
           runs * ((4 + PATH) * numbers * sizeof(double) + fits * (double)sustain__fit_bytes(&s->rows, s->curvature.full));
}

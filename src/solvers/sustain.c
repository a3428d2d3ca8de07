/* sustain.c - SUSTAIN: single-timescale double-momentum stochastic approximation.
 *
 *   h^g_t   = grad_y g(x_t,y_t;zeta_t) + (1-eta^g_t)(h^g_{t-1} - grad_y g(x_{t-1},y_{t-1};zeta_t))                (13)
 *   h^f_t   = Df(x_t,y_t;xi-bar_t)     + (1-eta^f_t)(h^f_{t-1} - Df(x_{t-1},y_{t-1};xi-bar_t))                    (14)
 *   y_{t+1} = y_t - beta_t h^g_t,       x_{t+1} = x_t - alpha_t h^f_t,       eta_0 = 1                   Algorithm 1
 *
 * Df is the estimate (7). The same draw at two points is what makes the estimators recursive.
 * direction=adam moves x by Algorithm 2.
 *
 * Option II of (20) takes the previous estimate, Df(x_{t-1},y_{t-1};xi-bar_{t-1}), for the second
 * point's: half the work. But then h^f_t - Df_t = (1-eta^f_t)(h^f_{t-1} - Df_{t-1}), which is 0
 * from eta_0 = 1 on: as printed, Option II has no memory. Differs: it is computed as h^f_t = Df_t,
 * the same without rounding.
 *
 * system=running replaces the series of (7): v tracks H^{-1} grad_y f under the same momentum.
 *
 *   h^v_t   = r_t + (1-eta^g_t)(h^v_{t-1} - r_{t-1}),   r = H(x,y;zeta_t) v - grad_y f(x,y;xi_t),   v_{t+1} = v_t - beta_t h^v_t
 *   Df      = grad_x f(x,y;xi_t) - J(x,y;zeta_t) v                                              in (14), at (x_t,y_t,v_t) and the point before
 *
 * One draw of each level in an iteration. This is not in the paper.
 *
 * Where a draw touches few coordinates of x, h^f and x are kept lazily (core/lazy.h): the same
 * numbers to rounding, at a cost that does not depend on the dimension of x. Khanduri, Zeng, Hong,
 * Wai, Wang, Yang, NeurIPS 2021. */
#include <math.h>

#include "core/lazy.h"
#include "core/vector.h"
#include "hypergrad/neumann.h"
#include "solvers/parts.h"

enum { PLAIN, ADAM };
enum { OPTION_1, OPTION_2 };
enum { SERIES, RUNNING };

/* The draws of one iteration. */
typedef struct draws {
    int64_t t;                 /* of which, -1: none */
    sustain_batch zeta;        /* of (13) */
    sustain_hyper_draw hyper;  /* xi-bar of (14) */
    sustain_batch *hyper_zeta; /* (K + 1) */
    int64_t *index;            /* (K + 3, batch) */
    int64_t *coordinate;       /* lazy: the coordinates of x that they touch, those of Df first */
    int64_t touched, of_Df;    /* how many */
} draws;

typedef struct sustain {
    struct sustain_solver base;
    int direction, option, memory, system;
    sustain__adam adam;

    /* state */
    sustain_real *x_prev, *y_prev; /* x_{t-1}, y_{t-1} */
    sustain_real *hf, *hg;         /* h^f_{t-1}, h^g_{t-1} */
    sustain_real *m, *v;           /* Adam: the moments */
    int64_t adam_steps;
    sustain__lazy lazy;                          /* in place of x_prev and hf */
    sustain_real *solution, *solution_prev, *hv; /* system=running: v_t, v_{t-1}, h^v_{t-1} */

    /* of one iteration */
    sustain_real *gy, *gy_prev;
    sustain_real *Df, *Df_prev;
    sustain__neumann neumann;
    sustain_real *fy, *residual, *residual_prev; /* system=running */
    sustain_touched touched;                     /* coordinate NULL: Df is dense, or lazy */
    draws now, ahead;                            /* not part of the state: made again from t */
} sustain;

/* ---- the step ---- */

static void draw(sustain *s);
static void read_upper(sustain *s);
static sustain_status move_lower(sustain *s, double keep_g, double keep_f, double beta);
static sustain_status move_running(sustain *s, double keep_g, double keep_f, double beta);
static sustain_status move_upper(sustain *s, double keep, double alpha);

/* clang-format off */
static sustain_status step(sustain_solver *solver) {
    sustain *s = (sustain *)solver;
    const sustain__step_sizes at = sustain__step_sizes_at(solver);
    const double keep_g = 1 - at.eta_g, keep_f = s->option == OPTION_1 ? 1 - at.eta_f : 0;       /* (20) */

    draw(s);                                                                                     /* zeta_t, xi-bar_t */
    read_upper(s);                                                                               /* x_t, x_{t-1} where they are read */

    SUSTAIN_TRY((s->system == RUNNING ? move_running : move_lower)(s, keep_g, keep_f, at.beta)); /* Df, h^g_t, y_{t+1}   (7), (13) */
    return move_upper(s, keep_f, at.alpha);                                                      /* h^f_t, x_{t+1}    (14) */
}

/* Both gradients at (x_t,y_t) and (x_{t-1},y_{t-1}). Differs: where eta = 1 the second point counts
 * zero and is not computed. */
static sustain_status move_lower(sustain *s, double keep_g, double keep_f, double beta) {
    sustain__oracle *o = &s->base.oracle;
    sustain_real *x = s->base.x, *y = s->base.y;
    const int64_t lower = s->base.problem->lower_dim;
    if (sustain__has_momentum_step(o)) {
        const sustain_momentum_step step = {.draw = &s->now.hyper, .zeta = &s->now.zeta, .keep = keep_g, .beta = beta};
        return sustain__momentum_step(o, &step, x, s->x_prev, s->hg, y, s->y_prev, s->Df, keep_f != 0 ? s->Df_prev : NULL);
    }
    const sustain_real *x_prev_g = keep_g != 0 ? s->x_prev : NULL, *x_prev_f = keep_f != 0 ? s->x_prev : NULL;
    SUSTAIN_TRY(sustain__g_grad_y_pair(o, &s->now.zeta, x, y, x_prev_g, s->y_prev, s->gy, s->gy_prev));
    SUSTAIN_TRY(sustain__neumann_pair(&s->neumann, &s->now.hyper, x, y, x_prev_f, s->y_prev, s->Df, s->Df_prev)); /* (7) */
    sustain__momentum(lower, keep_g, s->gy, s->gy_prev, s->hg);                                                   /* h^g_t             (13) */
    sustain__move(lower, beta, s->hg, y, s->y_prev);                                                              /* y_{t+1}   Algorithm 1 */
    return SUSTAIN_OK;
}
/* clang-format on */

/* Df = grad_x f - J v; compact: a list, the entries of xi first. */
static sustain_status running_estimate(sustain *s, const sustain_real *x, const sustain_real *y, const sustain_real *v, sustain_real *Df) {
    sustain__oracle *o = &s->base.oracle;
    const int64_t first = s->base.lazy ? s->now.hyper.support[SUSTAIN_UPPER] : 0;
    const int64_t n = s->base.lazy ? s->now.hyper.support[SUSTAIN_LOWER] : s->base.problem->upper_dim;
    SUSTAIN_TRY(sustain__f_grad(o, &s->now.hyper.xi, x, y, Df, s->fy));
    SUSTAIN_TRY(sustain__g_cross_vec(o, &s->now.zeta, x, y, v, s->neumann.cross));
    if (s->base.lazy) sustain__zero(n, Df + first);
    sustain__add(n, -1, s->neumann.cross, Df + first);
    return SUSTAIN_OK;
}

/* grad_y g, r = H v - grad_y f and Df at one point. */
static sustain_status running_point(sustain *s, const sustain_real *x, const sustain_real *y, const sustain_real *v, sustain_real *gy,
                                    sustain_real *residual, sustain_real *Df) {
    SUSTAIN_TRY(sustain__g_grad_y(&s->base.oracle, &s->now.zeta, x, y, gy));
    SUSTAIN_TRY(running_estimate(s, x, y, v, Df));
    return sustain__linear_residual(&s->base, &s->now.zeta, x, y, v, s->fy, residual);
}

/* system=running: h^g_t, h^v_t, y_{t+1}, v_{t+1}, and Df at both points. */
static sustain_status move_running(sustain *s, double keep_g, double keep_f, double beta) {
    sustain_solver *b = &s->base;
    const int64_t lower = b->problem->lower_dim;
    SUSTAIN_TRY(running_point(s, b->x, b->y, s->solution, s->gy, s->residual, s->Df));
    if (keep_g != 0 || keep_f != 0)
        SUSTAIN_TRY(running_point(s, s->x_prev, s->y_prev, s->solution_prev, s->gy_prev, s->residual_prev, s->Df_prev));
    sustain__momentum(lower, keep_g, s->gy, s->gy_prev, s->hg);             /* h^g_t   (13) */
    sustain__momentum(lower, keep_g, s->residual, s->residual_prev, s->hv); /* h^v_t */
    sustain__move(lower, beta, s->hg, b->y, s->y_prev);
    sustain__move(lower, beta, s->hv, s->solution, s->solution_prev);
    return SUSTAIN_OK;
}

static void list_touched(const sustain__oracle *o, draws *d) {
    int64_t *list = d->coordinate, *support = d->hyper.support;
    support[SUSTAIN_UPPER] = sustain__support(o, SUSTAIN_UPPER, &d->hyper.xi, list);
    support[SUSTAIN_LOWER] = sustain__support(o, SUSTAIN_LOWER, &d->hyper_zeta[0], list + support[SUSTAIN_UPPER]);
    int64_t n = d->of_Df = support[SUSTAIN_UPPER] + support[SUSTAIN_LOWER];
    for (int i = 1; i <= d->hyper.k; i++) n += sustain__support(o, SUSTAIN_LOWER, &d->hyper_zeta[i], list + n);
    d->touched = n + sustain__support(o, SUSTAIN_LOWER, &d->zeta, list + n);
}

/* Prefetches the first samples of an iteration while the other draws are made. */
static void announce(const sustain *s, sustain_level level, sustain_batch batch) {
    enum { FIRST = 32 };
    if (SUSTAIN__FAST(s->base.problem, prefetch) == NULL) return;
    if (batch.size > FIRST) batch.size = FIRST;
    sustain__prefetch(&s->base.oracle, level, &batch);
}

/* xi-bar_t of (7), and zeta_t; lazy: and the coordinates of x that they touch. Nothing is counted
 * yet. */
static void draw_at(const sustain *s, int64_t t, draws *d) {
    const struct sustain_solver *b = &s->base;
    const int64_t B = b->common.batch;
    sustain__sampler sampler = b->sampler;
    sampler.samples = NULL;
    d->t = t;
    d->zeta = sustain__draw(&sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, B, d->index);
    announce(s, SUSTAIN_LOWER, d->zeta);
    d->hyper.xi = sustain__draw(&sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, B, d->index + B);
    announce(s, SUSTAIN_UPPER, d->hyper.xi);
    d->hyper.k = s->system == RUNNING ? 0 : sustain__draw_terms(&sampler, t, b->steps.K);
    if (s->system == RUNNING) d->hyper_zeta[0] = d->zeta;
    for (int i = 0; s->system == SERIES && i <= d->hyper.k; i++)
        d->hyper_zeta[i] = sustain__draw(&sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + (uint32_t)i, t, B, d->index + (i + 2) * B);
    if (b->lazy) list_touched(&b->oracle, d);
}

/* Draws of iteration t are a function of t: small ones of the next are made now, so that their
 * samples and coordinates are prefetched while this iteration computes. Large draws would evict
 * data that is needed now. */
static void draw(sustain *s) {
    enum { SMALL = 8 };
    const struct sustain_solver *b = &s->base;
    if (s->ahead.t == b->t) {
        const draws made = s->ahead;
        s->ahead = s->now;
        s->now = made;
    } else {
        draw_at(s, b->t, &s->now);
    }
    b->sampler.samples[SUSTAIN_UPPER] += s->now.hyper.xi.size;
    b->sampler.samples[SUSTAIN_LOWER] += (s->system == RUNNING ? 1 : s->now.hyper.k + 2) * s->now.zeta.size;
    if (SUSTAIN__FAST(b->problem, prefetch) == NULL || b->common.batch > SMALL) return;
    draw_at(s, b->t + 1, &s->ahead);
    for (int i = 0; i <= s->ahead.hyper.k; i++) sustain__prefetch(&b->oracle, SUSTAIN_LOWER, &s->ahead.hyper_zeta[i]);
    if (b->lazy) sustain__lazy_prefetch(&s->lazy, s->ahead.touched, s->ahead.coordinate, s->x_prev);
}

/* (14) where Df is a list of coordinates and values. */
static void add_touched(sustain *s, double keep) {
    if (keep == 0)
        sustain__zero(s->base.problem->upper_dim, s->hf);
    else
        sustain__scale(s->base.problem->upper_dim, keep, s->hf);
    for (int64_t j = 0; j < s->touched.count; j++) {
        const double before = keep != 0 ? keep * (double)s->Df_prev[j] : 0;
        s->hf[s->touched.coordinate[j]] += (sustain_real)((double)s->Df[j] - before);
    }
}

static sustain_status move_dense(sustain *s, double keep, double alpha) {
    const sustain_problem *p = s->base.problem;
    if (s->touched.coordinate != NULL)
        add_touched(s, keep); /* (14), (20) */
    else
        sustain__momentum(p->upper_dim, keep, s->Df, s->Df_prev, s->hf); /* (14), (20) */
    /* Algorithm 2. Differs: as printed, the moments are overwritten by their bias-corrected values,
     * and v explodes within a dozen steps; they are kept apart here, as in Adam. */
    if (s->direction == ADAM)
        sustain__adam_move(p->upper_dim, alpha, &s->adam, ++s->adam_steps, s->hf, s->m, s->v, s->base.x, s->x_prev);
    else
        sustain__move(p->upper_dim, alpha, s->hf, s->base.x, s->x_prev); /* Algorithm 1 */
    return sustain__project_x(&s->base.oracle, s->base.x);
}

/* The same, where Df is a list of coordinates and values. */
static sustain_status move_lazy(sustain *s, double keep, double alpha) {
    const int64_t n = s->now.of_Df;
    sustain__lazy_decay(&s->lazy, keep);                                                 /* keep h^f */
    sustain__lazy_add(&s->lazy, n, s->now.coordinate, 1, s->Df);                         /* + Df */
    if (keep != 0) sustain__lazy_add(&s->lazy, n, s->now.coordinate, -keep, s->Df_prev); /* (14) */
    sustain__lazy_move(&s->lazy, alpha);                                                 /* Algorithm 1 */
    return SUSTAIN_OK;
}

static sustain_status move_upper(sustain *s, double keep, double alpha) {
    return s->base.lazy ? move_lazy(s, keep, alpha) : move_dense(s, keep, alpha);
}

/* Lazy: brings x_t and x_{t-1} up to date where the draws touch x. */
static void read_upper(sustain *s) {
    if (s->base.lazy) sustain__lazy_read(&s->lazy, s->now.touched, s->now.coordinate, s->x_prev);
}

/* ---- the memory ---- */

/* Neither Adam nor a projection has a closed form for the updates that a coordinate missed. */
static bool lazy(const sustain_solver *solver) {
    const sustain *s = (const sustain *)solver;
    const sustain_problem_ops *ops = solver->given->ops;
    if (SUSTAIN__FAST(solver->given, support) == NULL || s->memory != 0) return false;
    if (s->direction == ADAM)
        sustain__log(solver->context, "sustain: the Adam direction has no lazy form: every iteration passes over all of x");
    else if (ops->project_x != NULL)
        sustain__log(solver->context, "sustain: a projection of x has no lazy form: every iteration passes over all of x");
    return s->direction == PLAIN && ops->project_x == NULL;
}

/* Adam's direction has coordinates of about 1, whatever the gradient: the paper's step, 0.005. */
static double unit_step(const sustain_solver *solver) {
    return ((const sustain *)solver)->direction == ADAM ? 0.005 : 0;
}

/* The momentum averages noise, including that of samples of large norm. A running solution follows
 * x slowly, as that of soba. */
static const sustain__tuning of_series = {.noise = 0.3, .steady = true};
static const sustain__tuning of_running = {.noise = 0.3, .steady = true, .beta = 1, .lag = 0.5, .eta = 3};

static const sustain__tuning *variant(const sustain_solver *solver) {
    return ((const sustain *)solver)->system == RUNNING ? &of_running : &of_series;
}

static void layout_lazy(sustain *s) {
    sustain_solver *b = &s->base;
    const int64_t n = b->problem->upper_dim, ring = sustain__lazy_ring(n);
    const int64_t upper = sustain__support_per_sample(b->problem, SUSTAIN_UPPER);
    const int64_t lower = sustain__support_per_sample(b->problem, SUSTAIN_LOWER);
    s->lazy.count = n;
    s->lazy.ring = ring;
    sustain__vector(b, SUSTAIN__STATE, "lazy.u", SUSTAIN_FIELD_REAL, n, &s->lazy.u);
    sustain__vector(b, SUSTAIN__STATE, "lazy.seen", SUSTAIN_FIELD_DOUBLE, n, &s->lazy.seen);
    sustain__vector(b, SUSTAIN__STATE, "lazy.epoch", SUSTAIN_FIELD_UINT32, n, &s->lazy.epoch);
    sustain__vector(b, SUSTAIN__STATE, "lazy.ring_sum", SUSTAIN_FIELD_DOUBLE, ring, &s->lazy.ring_sum);
    sustain__vector(b, SUSTAIN__STATE, "lazy.ring_factor", SUSTAIN_FIELD_DOUBLE, ring, &s->lazy.ring_factor);
    sustain__scalar(b, SUSTAIN__STATE, "lazy.now", SUSTAIN_FIELD_UINT32, &s->lazy.now);
    sustain__scalar(b, SUSTAIN__STATE, "lazy.s", SUSTAIN_FIELD_DOUBLE, &s->lazy.s);
    sustain__scalar(b, SUSTAIN__STATE, "lazy.sum", SUSTAIN_FIELD_DOUBLE, &s->lazy.sum);
    sustain__scalar(b, SUSTAIN__STATE, "lazy.alpha", SUSTAIN_FIELD_DOUBLE, &s->lazy.alpha);
    sustain__scalar(b, SUSTAIN__STATE, "lazy.sweep", SUSTAIN_FIELD_INT64, &s->lazy.sweep);
    sustain__scalar(b, SUSTAIN__STATE, "lazy.squared", SUSTAIN_FIELD_DOUBLE, &s->lazy.squared);
    SUSTAIN__SCRATCH_REALS(b, n, &s->x_prev);
    const int64_t touched = b->common.batch * (upper + (b->steps.K + 2) * lower);
    sustain__vector(b, SUSTAIN__SCRATCH, "now.coordinate", SUSTAIN_FIELD_INT64, touched, &s->now.coordinate);
    sustain__vector(b, SUSTAIN__SCRATCH, "ahead.coordinate", SUSTAIN_FIELD_INT64, touched, &s->ahead.coordinate);
}

static void layout_dense(sustain *s) {
    sustain_solver *b = &s->base;
    const int64_t n = b->problem->upper_dim;
    sustain__vector(b, SUSTAIN__STATE, "x_prev", SUSTAIN_FIELD_REAL, n, &s->x_prev);
    sustain__vector(b, SUSTAIN__STATE, "hf", SUSTAIN_FIELD_REAL, n, &s->hf);
    SUSTAIN__SCRATCH_REALS(b, n, &s->neumann.cross);
    if (SUSTAIN__FAST(b->problem, lists_touched) && s->system == SERIES)
        sustain__vector(b, SUSTAIN__SCRATCH, "touched", SUSTAIN_FIELD_INT64, n, &s->touched.coordinate);
    if (s->direction == PLAIN) return;
    sustain__vector(b, SUSTAIN__STATE, "adam.m", SUSTAIN_FIELD_REAL, n, &s->m);
    sustain__vector(b, SUSTAIN__STATE, "adam.v", SUSTAIN_FIELD_REAL, n, &s->v);
    sustain__scalar(b, SUSTAIN__STATE, "adam.steps", SUSTAIN_FIELD_INT64, &s->adam_steps);
}

static void layout_running(sustain *s) {
    sustain_solver *b = &s->base;
    const int64_t n = b->problem->lower_dim;
    sustain__vector(b, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, n, &s->solution);
    sustain__vector(b, SUSTAIN__STATE, "v_prev", SUSTAIN_FIELD_REAL, n, &s->solution_prev);
    sustain__vector(b, SUSTAIN__STATE, "hv", SUSTAIN_FIELD_REAL, n, &s->hv);
    SUSTAIN__SCRATCH_REALS(b, n, &s->fy, &s->residual, &s->residual_prev);
    if (b->lazy) /* where it is dense, layout_dense() has it */
        sustain__vector(b, SUSTAIN__SCRATCH, "cross", SUSTAIN_FIELD_REAL,
                        b->common.batch * sustain__support_per_sample(b->problem, SUSTAIN_LOWER), &s->neumann.cross);
}

static void layout(sustain_solver *solver) {
    sustain *s = (sustain *)solver;
    const sustain_problem *p = solver->problem;
    const int64_t lower = p->lower_dim, B = solver->common.batch, K = solver->steps.K;
    const int64_t touched = sustain__support_per_sample(p, SUSTAIN_UPPER) + sustain__support_per_sample(p, SUSTAIN_LOWER);
    const int64_t Df_count = solver->lazy ? B * touched : p->upper_dim;
    sustain__vector(solver, SUSTAIN__STATE, "y_prev", SUSTAIN_FIELD_REAL, lower, &s->y_prev);
    sustain__vector(solver, SUSTAIN__STATE, "hg", SUSTAIN_FIELD_REAL, lower, &s->hg);
    SUSTAIN__SCRATCH_REALS(solver, lower, &s->gy, &s->gy_prev, &s->neumann.v, &s->neumann.hv);
    SUSTAIN__SCRATCH_REALS(solver, Df_count, &s->Df);
    if (s->option == OPTION_1 || s->system == RUNNING)
        sustain__vector(solver, SUSTAIN__SCRATCH, "Df_prev", SUSTAIN_FIELD_REAL, Df_count, &s->Df_prev);
    const int64_t words = (K + 1) * SUSTAIN__BATCH_WORDS;
    sustain__vector(solver, SUSTAIN__SCRATCH, "now.index", SUSTAIN_FIELD_INT64, (K + 3) * B, &s->now.index);
    sustain__vector(solver, SUSTAIN__SCRATCH, "now.zeta", SUSTAIN_FIELD_INT64, words, &s->now.hyper_zeta);
    sustain__vector(solver, SUSTAIN__SCRATCH, "ahead.index", SUSTAIN_FIELD_INT64, (K + 3) * B, &s->ahead.index);
    sustain__vector(solver, SUSTAIN__SCRATCH, "ahead.zeta", SUSTAIN_FIELD_INT64, words, &s->ahead.hyper_zeta);
    if (solver->lazy)
        layout_lazy(s);
    else
        layout_dense(s);
    if (s->system == RUNNING) layout_running(s);
}

static void begin(sustain_solver *solver) {
    sustain *s = (sustain *)solver;
    s->neumann.oracle = &solver->oracle;
    s->now.hyper = (sustain_hyper_draw){.zeta = s->now.hyper_zeta, .K = solver->steps.K, .L_g = solver->steps.L_g};
    s->ahead.hyper = (sustain_hyper_draw){.zeta = s->ahead.hyper_zeta, .K = solver->steps.K, .L_g = solver->steps.L_g};
    if (s->touched.coordinate != NULL) s->now.hyper.touched = s->ahead.hyper.touched = &s->touched;
    s->now.t = s->ahead.t = -1;
    if (!solver->lazy) return;
    s->lazy.x = solver->x;
    sustain__lazy_start(&s->lazy);
    /* recomputed in every step, so it can hold the x shown to the caller between steps */
    solver->shown_x = s->x_prev;
}

static void norms(const sustain_solver *solver, double norm[2]) {
    const sustain *s = (const sustain *)solver;
    norm[SUSTAIN_UPPER] = solver->lazy ? sqrt(s->lazy.squared) : sustain__norm(solver->problem->upper_dim, s->hf);
    norm[SUSTAIN_LOWER] = sustain__norm(solver->problem->lower_dim, s->hg);
}

static void read_x(sustain_solver *solver, sustain_real *out) {
    sustain__lazy_copy(&((sustain *)solver)->lazy, out);
}

static bool sane(const sustain_solver *solver) {
    const sustain *s = (const sustain *)solver;
    if (!solver->lazy) return true;
    for (int64_t i = 0; i < s->lazy.count; i++) /* the ring does not reach back so far */
        if (s->lazy.now - s->lazy.epoch[i] > s->lazy.ring) return false;
    return s->lazy.sweep >= 0 && s->lazy.sweep < s->lazy.count && s->lazy.s > 0;
}

/* ---- the row of the registry ---- */

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__RUN_ROWS,
    {"schedule", SUSTAIN_PARAMETER_CHOICE, SUSTAIN__COMMON(schedule), 0, 0, 2, "auto|power|theory",
     "steps: estimated from the problem; as given, alpha/(w+t)^p and so on; from the theorem's constants"},
    {"theorem", SUSTAIN_PARAMETER_CHOICE, SUSTAIN__COMMON(theorem), 0, 0, 1, "nonconvex|strongly-convex",
     "schedule=theory: Theorem 3.2 or Theorem 3.3"},
    SUSTAIN__PROBE_ROW,
    SUSTAIN__STEP_ROWS(1.0 / 3, -1),
    SUSTAIN__MOMENTUM_ROWS,
    SUSTAIN__NEUMANN_ROW,
    {"direction", SUSTAIN_PARAMETER_CHOICE, offsetof(sustain, direction), 0, 0, 1, "plain|adam", "of x: h^f (Algorithm 1) or Adam's (Algorithm 2)"},
    {"option", SUSTAIN_PARAMETER_CHOICE, offsetof(sustain, option), 0, 0, 1, "1|2",
     "second point of h^f, eq. (20): the same draw (I); the previous estimate (II), half the work and no momentum"},
    {"system", SUSTAIN_PARAMETER_CHOICE, offsetof(sustain, system), 0, 0, 1, "series|running",
     "H^{-1} grad_y f by the series of eq. (7); or a running solution under the momentum of y, one draw a level"},
    {"memory", SUSTAIN_PARAMETER_CHOICE, offsetof(sustain, memory), 0, 0, 1, "lazy|dense",
     "of x: lazy where the draws touch few coordinates, or always dense"},
    {"gamma1", SUSTAIN_PARAMETER_NUMBER, offsetof(sustain, adam.gamma1), 0.9, 0, 0.999999, NULL, "Adam: decay of the first moment"},
    {"gamma2", SUSTAIN_PARAMETER_NUMBER, offsetof(sustain, adam.gamma2), 0.999, 0, 0.999999999, NULL, "Adam: decay of the second moment"},
    {"epsilon", SUSTAIN_PARAMETER_NUMBER, offsetof(sustain, adam.epsilon), 1e-8, 1e-300, 1, NULL, "Adam: added to the root of the second moment"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_sustain = {
    .info = {.name = "sustain",
             .title = "single loop, one timescale, a recursive momentum on both levels",
             .reference = "Khanduri, Zeng, Hong, Wai, Wang, Yang: A near-optimal algorithm for stochastic bilevel optimization via "
                          "double-momentum. NeurIPS 2021 (arXiv 2102.07367)",
             .complexity = "epsilon^(-3/2), epsilon^(-3/2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(sustain),
    .lazy = lazy,
    .variant = variant,
    .unit_step = unit_step,
    .layout = layout,
    .begin = begin,
    .step = step,
    .norms = norms,
    .read_x = read_x,
    .sane = sane,
};

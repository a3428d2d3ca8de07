/* auto.c - schedule=auto: steps from a look at the problem where the run starts. No number from the user.
 *
 *   beta_0 = 1/(2 L_g),   alpha_0 = 1/(2 c),   (1 - mu_g/L_g)^K about 1/10
 *
 * L_g: the largest eigenvalue of sampled Hessians, by power iteration (or as the problem knows it). c: the curvature of ell along its gradient,
 * on one large draw (both of the expected value where the algorithm draws nothing). alpha_0 is cut so that no single estimate (7) moves a coordinate of x by more than half of its unit: c says nothing about noise.
 * From there alpha decays like (1 + t/AUTO_W)^(-p), beta like (1 + t/AUTO_W)^(-q), the momentum like (1 + t/AUTO_W)^(-2p), with the algorithm's
 * own powers: p = q = 1/3 for SUSTAIN, as in Theorem 3.2. */
#include <math.h>

#include <sustain/estimate.h>

#include "core/vector.h"
#include "hypergrad/neumann.h"
#include "solvers/solver.h"

enum { AUTO_BATCH = 256, AUTO_INNER = 50, AUTO_MOST_TERMS = 30, AUTO_DRAWS = 32, AUTO_POWER = 30 };
#define AUTO_W 30 /* iterations before the decay sets in */

/* What a coordinate of x is measured by: 1, or the largest of them. */
static double unit_of(int64_t n, const sustain_real *x) {
    return fmax(1, sustain__max_abs(n, x));
}

/* A look at ell on one large draw, as the algorithm would see it: y follows x by gradient steps, and the hypergradient is the
 * mean of eq. (7) over k, D = f_x - J S f_y with S = (1/L_g) sum_{q<K} (I - H/L_g)^q. */
typedef struct look {
    sustain__oracle oracle;
    sustain_batch draw[2];          /* upper and lower */
    const sustain_batch *xi, *zeta; /* those, or NULL where the algorithm draws nothing: the expected value */
    double L_g;
    int K;
    sustain_real *x, *D[2], *cross; /* (upper_dim) */
    sustain_real *y, *v, *sum, *hv; /* (lower_dim) */
    int64_t *index;                 /* (2, size), then (AUTO_MOST_TERMS + 1, batch) */
    void *memory;
} look;

static sustain_status look_at(look *l, const sustain_real *y0, sustain_real *D) {
    const int64_t m = l->oracle.problem->lower_dim;
    sustain__copy(m, y0, l->y);
    for (int i = 0; i < AUTO_INNER; i++) {
        SUSTAIN_TRY(sustain__g_grad_y(&l->oracle, l->zeta, l->x, l->y, l->hv));
        sustain__add(m, -1 / l->L_g, l->hv, l->y);
    }
    SUSTAIN_TRY(sustain__f_grad(&l->oracle, l->xi, l->x, l->y, D, l->v));
    sustain__zero(m, l->sum);
    for (int q = 0; q < l->K; q++) {
        sustain__add(m, 1 / l->L_g, l->v, l->sum);
        SUSTAIN_TRY(sustain__g_hess_vec(&l->oracle, l->zeta, l->x, l->y, l->v, l->hv));
        sustain__add(m, -1 / l->L_g, l->hv, l->v);
    }
    SUSTAIN_TRY(sustain__g_cross_vec(&l->oracle, l->zeta, l->x, l->y, l->sum, l->cross));
    sustain__add(l->oracle.problem->upper_dim, -1, l->cross, D);
    return SUSTAIN_OK;
}

static sustain_status look_create(look *l, sustain_solver *b, uint64_t seed, const sustain_real *x, double L_g) {
    const sustain_problem *p = b->looked_at;
    const int64_t n = p->upper_dim, m = p->lower_dim;
    int64_t size = b->common.batch > AUTO_BATCH ? b->common.batch : AUTO_BATCH;
    for (int level = 0; level < 2; level++)
        if (p->samples[level] > 0 && p->samples[level] < size) size = p->samples[level];
    *l = (look){.L_g = L_g};
    SUSTAIN_TRY(sustain__oracle_create(b->context, p, size, false, &l->oracle));
    const size_t reals = 4 * (size_t)n + 4 * (size_t)m;
    const int64_t indices = 2 * size + (AUTO_MOST_TERMS + 1) * b->common.batch;
    SUSTAIN_TRY(
        sustain__allocate(b->context, (size_t)indices * sizeof(int64_t) + sustain__multiply(reals, sizeof(sustain_real)), &l->memory));
    l->index = l->memory;
    sustain_real *at = (sustain_real *)(void *)(l->index + indices);
    l->x = at, l->D[0] = at + n, l->D[1] = at + 2 * n, l->cross = at + 3 * n, at += 4 * n;
    l->y = at, l->v = at + m, l->sum = at + 2 * m, l->hv = at + 3 * m;
    const sustain__sampler sampler = {.problem = p, .seed = seed, .shuffle = true};
    if (!b->algorithm->info.deterministic) {
        l->draw[SUSTAIN_UPPER] = sustain__draw(&sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_ESTIMATE, 0, size, l->index);
        l->draw[SUSTAIN_LOWER] = sustain__draw(&sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_ESTIMATE + 1, 0, size, l->index + size);
        l->xi = &l->draw[SUSTAIN_UPPER];
        l->zeta = &l->draw[SUSTAIN_LOWER];
    }
    sustain__copy(n, x, l->x);
    return SUSTAIN_OK;
}

/* The largest eigenvalue of H (shift 0), or of shift I - H, of the large draw, by power iteration. */
static sustain_status look_eigenvalue(look *l, uint64_t seed, const sustain_real *y, double shift, double *value) {
    const int64_t m = l->oracle.problem->lower_dim;
    for (int64_t i = 0; i < m; i++) l->v[i] = (sustain_real)sustain_random_normal(seed, SUSTAIN__STREAM_ESTIMATE, 0, (uint32_t)i);
    *value = 0;
    for (int i = 0; i < AUTO_POWER; i++) {
        const double length = sustain__norm(m, l->v);
        if (!(length > 0)) break;
        sustain__scale(m, 1 / length, l->v);
        SUSTAIN_TRY(sustain__g_hess_vec(&l->oracle, l->zeta, l->x, y, l->v, l->hv));
        const double along = sustain__dot(m, l->v, l->hv);
        *value = shift > 0 ? shift - along : along;
        sustain__scale(m, shift, l->v); /* v <- shift v - H v, or H v */
        sustain__add(m, shift > 0 ? -1 : 1, l->hv, l->v);
    }
    return SUSTAIN_OK;
}

/* L_g is at least what the large draw shows: single draws were sampled, and the heavy ones may have been missed. K so that
 * (1 - mu/L_g)^K is about a tenth, within limits; mu, where the problem does not know it, is the smallest eigenvalue of that draw. */
static sustain_status look_spectrum(look *l, sustain_solver *b, uint64_t seed, const sustain_real *y, sustain_steps *steps) {
    const sustain_constants *known = b->looked_at->known;
    double mu = known != NULL ? known->mu_g : NAN, most;
    if (b->common.L_g == 0 && (known == NULL || !isfinite(known->L_g))) {
        SUSTAIN_TRY(look_eigenvalue(l, seed, y, 0, &most));
        l->L_g = steps->L_g = fmax(steps->L_g, 1.1 * most);
    }
    if (steps->K > 0) return SUSTAIN_OK;
    if (isnan(mu)) {
        SUSTAIN_TRY(look_eigenvalue(l, seed, y, l->L_g, &most));
        mu = l->L_g - most;
    }
    const double terms = ceil(log(10) * l->L_g / mu);
    steps->K = terms >= 1 && terms < AUTO_MOST_TERMS ? (int)terms : AUTO_MOST_TERMS;
    return SUSTAIN_OK;
}

/* The curvature of ell along its gradient: |D(x - d) - D(x)| / |d| with d so long that no coordinate moves by more than a tenth
 * (of 1, or of the largest one). */
static sustain_status look_curvature(look *l, const sustain_real *x, const sustain_real *y, double *curvature) {
    const int64_t n = l->oracle.problem->upper_dim;
    SUSTAIN_TRY(look_at(l, y, l->D[0]));
    const double most = sustain__max_abs(n, l->D[0]);
    *curvature = 0;
    if (!(most > 0)) return SUSTAIN_OK;
    const double factor = 0.1 * unit_of(n, x) / most;
    sustain__add(n, -factor, l->D[0], l->x);
    SUSTAIN_TRY(look_at(l, y, l->D[1]));
    *curvature = sustain__distance(n, l->D[0], l->D[1]) / (factor * sustain__norm(n, l->D[0]));
    return SUSTAIN_OK;
}

/* The largest coordinate of single estimates (7), as an iteration draws them: where y is now. */
static sustain_status look_jump(look *l, sustain_solver *b, uint64_t seed, const sustain_real *x, double *jump) {
    const int64_t B = b->common.batch;
    const sustain__sampler sampler = {.problem = b->looked_at, .seed = seed};
    const sustain__neumann neumann = {.oracle = &l->oracle, .v = l->v, .hv = l->hv, .cross = l->cross};
    sustain_batch zeta[AUTO_MOST_TERMS];
    int64_t *index = l->index + l->xi->size + l->zeta->size;
    *jump = 0;
    for (int64_t i = 0; i < AUTO_DRAWS; i++) {
        const int K = l->K < AUTO_MOST_TERMS ? l->K : AUTO_MOST_TERMS;
        sustain_hyper_draw draw = {.zeta = zeta, .K = l->K, .L_g = l->L_g, .k = sustain__draw_terms(&sampler, i, K)};
        draw.xi = sustain__draw(&sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, i, B, index);
        for (int j = 0; j <= draw.k; j++)
            zeta[j] = sustain__draw(&sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_HYPER + (uint32_t)j, i, B, index + (j + 1) * B);
        const sustain_status status = sustain__neumann_pair(&neumann, &draw, x, l->y, NULL, NULL, l->D[0], NULL);
        if (status == SUSTAIN_DRAW_DROPPED) continue; /* as an iteration would */
        SUSTAIN_TRY(status);
        *jump = fmax(*jump, sustain__max_abs(b->looked_at->upper_dim, l->D[0]));
    }
    return SUSTAIN_OK;
}

/* Where a draw touches only its own coordinates of x, a draw of M samples out of n shows a curvature (and gradient) n/M times
 * that of ell: each of its coordinates weighs 1/M instead of 1/n. */
static double dilution(const look *l) {
    const sustain_problem *p = l->oracle.problem;
    if (p->ops->support == NULL || p->samples[SUSTAIN_LOWER] == 0 || l->zeta == NULL) return 1;
    return (double)p->samples[SUSTAIN_LOWER] / (double)l->zeta->size;
}

/* beta_0 = 1/(2 L_g); alpha_0 = 1/(2 curvature), but no single estimate moves a coordinate of x by more than half of its unit; K for
 * a bias of a tenth within limits; momentum and steps decay together from iteration AUTO_W on. */
sustain_status sustain__auto_steps(sustain_solver *b, uint64_t seed, const sustain_real *x, const sustain_real *y, sustain_steps *out) {
    *out =
        (sustain_steps){.w = AUTO_W, .p = b->common.p, .q = sustain__power_of_y(&b->common), .K = (int)b->common.K, .L_g = b->common.L_g};
    if (out->L_g == 0) SUSTAIN_TRY(sustain_estimate_largest(b->context, b->looked_at, sustain__estimate_batch(b), seed, x, y, &out->L_g));
    look l;
    double curvature = 0, jump = 0;
    sustain_status status = look_create(&l, b, seed, x, out->L_g);
    if (status == SUSTAIN_OK) status = look_spectrum(&l, b, seed, y, out);
    l.K = out->K;
    if (status == SUSTAIN_OK) status = look_curvature(&l, x, y, &curvature);
    if (status == SUSTAIN_OK && !b->algorithm->info.deterministic) status = look_jump(&l, b, seed, x, &jump);
    const double diluted = status == SUSTAIN_OK ? dilution(&l) : 1;
    sustain__oracle_destroy(&l.oracle);
    sustain__free(b->context, l.memory);
    SUSTAIN_TRY(status);
    if (!isfinite(curvature) || !isfinite(jump))
        return sustain__fail(b->context, SUSTAIN_NOT_FINITE, "the hypergradient of problem '%s' is not finite near the start",
                             b->looked_at->ops->name);

    const double alpha = fmin(0.5 * diluted / curvature, 0.5 * unit_of(b->looked_at->upper_dim, x) / jump), beta = 0.5 / out->L_g;
    double alpha_0 = isfinite(alpha) ? alpha : diluted; /* no gradient to be seen: any step will do */
    if (b->algorithm->unit_step != NULL && b->algorithm->unit_step(b) > 0)
        alpha_0 = b->algorithm->unit_step(b) * unit_of(b->looked_at->upper_dim, x);
    out->alpha = alpha_0 * pow(AUTO_W, out->p);
    out->beta = beta * pow(AUTO_W, out->q);
    out->c_eta_f = out->c_eta_g = pow(AUTO_W, 2 * out->p);
    sustain__log(b->context,
                 "%s: schedule=auto estimated L_g = %.3g, curvature of ell = %.3g, jumps of %.3g: alpha_0 = %.3g, beta_0 = %.3g, K = %d",
                 b->algorithm->info.name, out->L_g, curvature / diluted, jump, alpha_0, beta, out->K);
    return SUSTAIN_OK;
}

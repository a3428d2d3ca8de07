/* penalty.c - what the deterministic penalty methods share. */
#include "solvers/penalty.h"

#include <math.h>

#include "core/vector.h"

enum { POINTS = 4, POWER_ITERATIONS = 12, MOST_HALVINGS = 20 };
#define REACH 0.5 /* of the points around the start, relative to its length (at least 1) */

/* ---- curvatures ---- */

typedef struct estimator {
    sustain__oracle oracle;
    uint64_t seed, drawn;
    sustain_real *x, *y, *moved_x, *moved_y;     /* the point; a point of a difference */
    sustain_real *up_x, *up_y, *down_x, *down_y; /* gradients at both ends of the difference */
    sustain_real *d;                             /* (the larger dimension) the direction */
    void *memory;
} estimator;

static void random_direction(estimator *e, int64_t n, sustain_real *d) {
    const uint64_t number = e->drawn++;
    for (int64_t i = 0; i < n; i++) d[i] = (sustain_real)sustain_random_normal(e->seed, SUSTAIN__STREAM_ESTIMATE, number, (uint32_t)i);
    sustain__scale(n, 1 / fmax(sustain__norm(n, d), 1e-30), d);
}

static sustain_status gradient(estimator *e, bool of_f, const sustain_real *x, const sustain_real *y, sustain_real *dx, sustain_real *dy) {
    if (of_f) return sustain__f_grad(&e->oracle, NULL, x, y, dx, dy);
    SUSTAIN_TRY(sustain__g_grad_x(&e->oracle, NULL, x, y, dx));
    return sustain__g_grad_y(&e->oracle, NULL, x, y, dy);
}

/* The largest curvature in x, or in y, at the point. */
static sustain_status largest(estimator *e, bool of_f, bool in_x, double *out) {
    const int64_t m = e->oracle.problem->upper_dim, n = e->oracle.problem->lower_dim, size = in_x ? m : n;
    sustain_real *z = in_x ? e->moved_x : e->moved_y, *up = in_x ? e->up_x : e->up_y, *down = in_x ? e->down_x : e->down_y;
    const double h = sqrt(sqrt(sustain__rounding())) * 0.1 * fmax(1, sustain__norm(size, in_x ? e->x : e->y));
    sustain__copy(m, e->x, e->moved_x);
    sustain__copy(n, e->y, e->moved_y);
    random_direction(e, size, e->d);
    for (int i = 0; i < POWER_ITERATIONS; i++) {
        sustain__copy(size, in_x ? e->x : e->y, z);
        sustain__add(size, h, e->d, z);
        SUSTAIN_TRY(gradient(e, of_f, e->moved_x, e->moved_y, e->up_x, e->up_y));
        sustain__add(size, -2 * h, e->d, z);
        SUSTAIN_TRY(gradient(e, of_f, e->moved_x, e->moved_y, e->down_x, e->down_y));
        sustain__add(size, -1, down, up);
        const double value = sustain__norm(size, up) / (2 * h);
        if (!(value > 0)) break;
        *out = fmax(*out, value);
        sustain__copy(size, up, e->d);
        sustain__scale(size, 1 / sustain__norm(size, up), e->d);
    }
    return SUSTAIN_OK;
}

static sustain_status all(estimator *e, const sustain_real *x, const sustain_real *y, sustain__curvatures *out) {
    const int64_t m = e->oracle.problem->upper_dim, n = e->oracle.problem->lower_dim;
    for (int point = 0; point < POINTS; point++) {
        sustain__copy(m, x, e->x);
        sustain__copy(n, y, e->y);
        if (point > 0) {
            random_direction(e, m, e->d);
            sustain__add(m, REACH * fmax(1, sustain__norm(m, x)), e->d, e->x);
            random_direction(e, n, e->d);
            sustain__add(n, REACH * fmax(1, sustain__norm(n, y)), e->d, e->y);
            SUSTAIN_TRY(sustain__project_x(&e->oracle, e->x));
            SUSTAIN_TRY(sustain__project_y(&e->oracle, e->y));
        }
        SUSTAIN_TRY(largest(e, true, true, &out->f_x));
        SUSTAIN_TRY(largest(e, true, false, &out->f_y));
        SUSTAIN_TRY(largest(e, false, true, &out->g_x));
        SUSTAIN_TRY(largest(e, false, false, &out->g_y));
    }
    return SUSTAIN_OK;
}

sustain_status sustain__estimate_curvatures(sustain_solver *solver, const sustain_real *x, const sustain_real *y,
                                            sustain__curvatures *out) {
    const sustain_problem *problem = solver->given;
    const int64_t m = problem->upper_dim, n = problem->lower_dim;
    estimator e = {.seed = 0};
    *out = (sustain__curvatures){0};
    SUSTAIN_TRY(sustain__oracle_create(solver->context, problem, 1, false, &e.oracle));
    const size_t count = 4 * (size_t)m + 4 * (size_t)n + (size_t)(m > n ? m : n);
    sustain_status status = sustain__allocate(solver->context, sustain__multiply(count, sizeof(sustain_real)), &e.memory);
    if (status == SUSTAIN_OK) {
        sustain_real *at = e.memory;
        sustain_real **const uppers[] = {&e.x, &e.moved_x, &e.up_x, &e.down_x}, **const lowers[] = {&e.y, &e.moved_y, &e.up_y, &e.down_y};
        for (int i = 0; i < 4; i++) *uppers[i] = at, at += m;
        for (int i = 0; i < 4; i++) *lowers[i] = at, at += n;
        e.d = at;
        status = all(&e, x, y, out);
    }
    sustain__oracle_destroy(&e.oracle);
    sustain__free(solver->context, e.memory);
    SUSTAIN_TRY(status);
    if (out->g_y > 0 && isfinite(out->f_x + out->f_y + out->g_x + out->g_y)) return SUSTAIN_OK;
    return sustain__fail(solver->context, SUSTAIN_NOT_FINITE,
                         "%s: the curvatures of problem '%s' near the start are not finite, or g has none", solver->algorithm->info.name,
                         problem->ops->name);
}

/* ---- parts of an iteration ---- */

sustain_steps sustain__penalty_steps(const sustain_solver *solver, double w, double upper, double lower, double L_g) {
    const double p = solver->common.p, q = sustain__power_of_y(&solver->common);
    return (sustain_steps){
        .alpha = (upper > 0 ? 0.5 / upper : 1) * pow(w, p), .beta = 0.5 / lower * pow(w, q), .w = w, .p = p, .q = q, .K = 1, .L_g = L_g};
}

void sustain__penalty_layout(sustain_solver *solver, sustain__penalty *p, bool warm) {
    const int64_t m = solver->problem->upper_dim, n = solver->problem->lower_dim;
    sustain__vector(solver, warm ? SUSTAIN__STATE : SUSTAIN__SCRATCH, "low", SUSTAIN_FIELD_REAL, n, &p->low);
    SUSTAIN__SCRATCH_REALS(solver, m, &p->fx, &p->gx, &p->gx_low);
    SUSTAIN__SCRATCH_REALS(solver, n, &p->fy, &p->gy, &p->low_new, &p->low_gy);
}

/* One pass of the descent; *grew: |grad_y g| did. */
static sustain_status descend(sustain_solver *solver, int64_t steps, sustain_real *low, sustain_real *gy, bool *grew) {
    const int64_t n = solver->problem->lower_dim;
    const double step = solver->scale_y / solver->steps.L_g;
    double first = 0;
    for (int64_t i = 0; i < steps; i++) {
        SUSTAIN_TRY(sustain__g_grad_y(&solver->oracle, NULL, solver->x, low, gy));
        if (i == 0) first = sustain__norm(n, gy);
        sustain__add(n, -step, gy, low);
        SUSTAIN_TRY(sustain__project_y(&solver->oracle, low));
    }
    *grew = sustain__norm(n, gy) > fmax(2 * first, 8 * sustain__rounding() * solver->steps.L_g * sustain__norm(n, low));
    return SUSTAIN_OK;
}

sustain_status sustain__penalty_descend(sustain_solver *solver, int64_t steps, const sustain_real *from, sustain_real *low,
                                        sustain_real *gy) {
    for (int halvings = 0;; halvings++) {
        bool grew;
        sustain__copy(solver->problem->lower_dim, from, low);
        SUSTAIN_TRY(descend(solver, steps, low, gy, &grew));
        if (!grew || solver->common.schedule != SUSTAIN__SCHEDULE_AUTO || halvings == MOST_HALVINGS) return SUSTAIN_OK;
        solver->scale_y /= 2;
    }
}

sustain_status sustain__penalty_gradients(sustain_solver *solver, const sustain_real *y, const sustain_real *low,
                                          const sustain__penalty *p) {
    sustain__oracle *o = &solver->oracle;
    SUSTAIN_TRY(sustain__f_grad(o, NULL, solver->x, y, p->fx, p->fy));
    SUSTAIN_TRY(sustain__g_grad_y(o, NULL, solver->x, y, p->gy));
    SUSTAIN_TRY(sustain__g_grad_x(o, NULL, solver->x, y, p->gx));
    return sustain__g_grad_x(o, NULL, solver->x, low, p->gx_low);
}

sustain_status sustain__penalty_move(sustain_solver *solver, double alpha, const sustain_real *dx, double beta, const sustain_real *dy) {
    sustain__set_norms(solver, dx, dy);
    sustain__add(solver->problem->upper_dim, -alpha, dx, solver->x);
    sustain__add(solver->problem->lower_dim, -beta, dy, solver->y);
    SUSTAIN_TRY(sustain__project_y(&solver->oracle, solver->y));
    return sustain__project_x(&solver->oracle, solver->x);
}

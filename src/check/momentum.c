/* momentum.c - momentum_step against the plain oracles: eq. (7) at one or two points, (13), and
 * the step of y. */
#include "check/checker.h"
#include "core/vector.h"
#include "hypergrad/neumann.h"

/* Inputs and outputs; all lengths are lower_dim except those of Df. */
typedef struct moved {
    sustain_real *h, *y, *y_prev; /* as after the call */
    sustain_real *Df[2];          /* (upper_dim) */
} moved;

enum { MOVED = 3 }; /* two that are compared, and one more */

typedef struct setting {
    sustain_hyper_draw draw;
    sustain_momentum_step step;
    bool two;                 /* points of eq. (7) */
    sustain_touched *touched; /* for draw.touched where outputs are to be listed */
} setting;

static void before(const sustain__checker *c, const sustain_real *h, moved *m) {
    sustain__copy(c->lower, h, m->h);
    sustain__copy(c->lower, c->y, m->y);
    sustain__copy(c->lower, c->y_other, m->y_prev);
}

/* Scatters compact outputs, as the oracle does elsewhere. */
static void place(const sustain__checker *c, const sustain_hyper_draw *draw, const sustain_real *values, sustain_real *out) {
    const sustain__oracle *o = &c->oracle;
    int64_t n = sustain__support(o, SUSTAIN_UPPER, &draw->xi, c->coordinate);
    n += sustain__support(o, SUSTAIN_LOWER, &draw->zeta[0], c->coordinate + n);
    sustain__zero(c->upper, out);
    for (int64_t j = 0; j < n; j++) out[c->coordinate[j]] += values[j];
}

static sustain_status at_once(sustain__checker *c, const setting *s, const sustain_real *h, moved *m) {
    sustain__oracle o = c->oracle;
    sustain_touched *touched = s->draw.touched;
    const bool compact = SUSTAIN__FAST(c->problem, support) != NULL;
    sustain_real *out[2] = {m->Df[0], m->Df[1]};
    if (compact) out[0] = o.values, out[1] = o.values + o.room;
    if (touched != NULL) out[0] = c->a.x, out[1] = c->b.x, touched->count = -1;
    o.compact = true;
    before(c, h, m);
    SUSTAIN_TRY(sustain__momentum_step(&o, &s->step, c->x, c->x_other, m->h, m->y, m->y_prev, out[0], s->two ? out[1] : NULL));
    for (int p = 0; compact && p < (s->two ? 2 : 1); p++) place(c, &s->draw, out[p], m->Df[p]);
    for (int p = 0; touched != NULL && p < (s->two ? 2 : 1); p++) sustain__place_touched(c, touched, out[p], m->Df[p]);
    return SUSTAIN_OK;
}

static sustain_status composed(sustain__checker *c, const setting *s, const sustain_real *h, moved *m) {
    sustain_problem_fast fast = sustain__fast_of(c->problem);
    sustain_problem_ops ops = *c->problem->ops;
    sustain_problem problem = *c->problem;
    sustain__oracle plain = c->oracle;
    fast.hyper_pair = NULL;
    fast.g_grad_y_pair = NULL;
    ops.fast = &fast;
    problem.ops = &ops;
    plain.problem = &problem;
    const sustain__neumann neumann = {.oracle = &plain, .v = c->u, .hv = c->v, .cross = c->x_probe};
    SUSTAIN_TRY(sustain__neumann_pair(&neumann, &s->draw, c->x, c->y, s->two ? c->x_other : NULL, c->y_other, m->Df[0], m->Df[1]));
    SUSTAIN_TRY(sustain__g_grad_y_pair(&plain, s->step.zeta, c->x, c->y, c->x_other, c->y_other, c->u, c->v));
    before(c, h, m);
    sustain__momentum(c->lower, s->step.keep, c->u, c->v, m->h);
    sustain__move(c->lower, s->step.beta, m->h, m->y, m->y_prev);
    return SUSTAIN_OK;
}

static void compare(sustain__checker *c, const setting *s, const moved *a, const moved *b) {
    sustain__compare_same(c, c->lower, a->h, b->h);
    sustain__compare_same(c, c->lower, a->y, b->y);
    sustain__compare_same(c, c->lower, a->y_prev, b->y_prev);
    for (int p = 0; p < (s->two ? 2 : 1); p++) sustain__compare_same(c, c->upper, a->Df[p], b->Df[p]);
}

static uint64_t fingerprint(const sustain__checker *c, const setting *s, const moved *m) {
    uint64_t hash = 0;
    const sustain_real *const lower[3] = {m->h, m->y, m->y_prev};
    for (int i = 0; i < 3; i++) hash = sustain__fingerprint(hash, lower[i], (size_t)c->lower * sizeof *m->h);
    for (int p = 0; p < (s->two ? 2 : 1); p++) hash = sustain__fingerprint(hash, m->Df[p], (size_t)c->upper * sizeof *m->h);
    return hash;
}

/* Twice, with other contents of all memory; the answer of the first pass is left in `first`. */
static sustain_status twice(sustain__checker *c, const setting *s, const sustain_real *h, moved *first, moved *second) {
    for (int pass = 0; pass < 2; pass++) {
        sustain__scribble(c, pass == 0 ? 0 : 0xff);
        SUSTAIN_TRY(at_once(c, s, h, pass == 0 ? first : second));
        if (sustain__guard_broken(c)) sustain__complain(c, "it writes beyond the bytes of work that workspace asks for");
    }
    if (fingerprint(c, s, first) != fingerprint(c, s, second)) sustain__complain(c, "it is not pure: same arguments gave different bits");
    return SUSTAIN_OK;
}

/* Outputs by draw->touched against dense ones, which are left in `dense`. */
static sustain_status check_touched(sustain__checker *c, setting *s, const sustain_real *h, moved *dense, moved *listed, moved *spare) {
    s->draw.touched = s->touched;
    const sustain_status status = twice(c, s, h, listed, spare);
    s->draw.touched = NULL;
    SUSTAIN_TRY(status);
    if (!sustain__touched_is_right(c, s->touched)) return SUSTAIN_OK;
    for (int p = 0; p < (s->two ? 2 : 1); p++) sustain__all_are_touched(c, dense->Df[p]);
    compare(c, s, listed, dense);
    return SUSTAIN_OK;
}

/* With and without Hessian products, with and without memory, at one point and at two. */
static sustain_status check(sustain__checker *c, const sustain_real *h, sustain_touched *touched, moved *m) {
    setting s = {.draw = {.xi = c->xi, .zeta = c->zeta, .K = 2 * TERMS}, .touched = touched};
    SUSTAIN_TRY(sustain__scale_of_hessian(c, &s.draw.L_g));
    if (SUSTAIN__FAST(c->problem, support) != NULL) {
        s.draw.support[SUSTAIN_UPPER] = sustain__support(&c->oracle, SUSTAIN_UPPER, &s.draw.xi, c->coordinate);
        s.draw.support[SUSTAIN_LOWER] = sustain__support(&c->oracle, SUSTAIN_LOWER, &s.draw.zeta[0], c->coordinate);
    }
    for (int i = 0; i < 8; i++) {
        s.draw.k = i % 2 == 0 ? 0 : TERMS - 1;
        s.two = i / 2 % 2 == 1;
        s.step = (sustain_momentum_step){.draw = &s.draw, .zeta = &c->zeta[TERMS], .keep = i / 4 == 0 ? 0 : 0.7, .beta = 0.3};
        SUSTAIN_TRY(twice(c, &s, h, &m[0], &m[1]));
        SUSTAIN_TRY(composed(c, &s, h, &m[1]));
        compare(c, &s, &m[0], &m[1]);
        if (touched->coordinate != NULL) SUSTAIN_TRY(check_touched(c, &s, h, &m[0], &m[1], &m[2]));
    }
    return SUSTAIN_OK;
}

sustain_status sustain__check_momentum_step(sustain__checker *c) {
    const bool lists = SUSTAIN__FAST(c->problem, lists_touched) && SUSTAIN__FAST(c->problem, support) == NULL;
    const int64_t each = 3 * c->lower + 2 * c->upper;
    const size_t size = sustain__multiply((size_t)(MOVED * each + c->lower), sizeof(sustain_real));
    sustain_touched touched = {.coordinate = NULL};
    sustain_real *memory;
    SUSTAIN_TRY(sustain__allocate(c->oracle.context, size, &memory));
    moved m[MOVED];
    for (int i = 0; i < MOVED; i++) {
        sustain_real *at = memory + i * each;
        m[i] = (moved){at, at + c->lower, at + 2 * c->lower, {at + 3 * c->lower, at + 3 * c->lower + c->upper}};
    }
    sustain_real *h = memory + MOVED * each;
    sustain__checker_turn(c);
    sustain__copy(c->lower, c->u, h);
    sustain_status status = SUSTAIN_OK;
    if (lists) status = sustain__allocate(c->oracle.context, (size_t)c->upper * sizeof *touched.coordinate, &touched.coordinate);
    if (status == SUSTAIN_OK) status = check(c, h, &touched, m);
    sustain__free(c->oracle.context, touched.coordinate);
    sustain__free(c->oracle.context, memory);
    return status;
}

/* contract.c - checks of the other requirements of problem.h: support, purity, workspace, means
 * over draws, the projection of y. */
#include <math.h>
#include <string.h>

#include "check/checker.h"
#include "core/vector.h"

/* ---- support ---- */

static bool list_is_right(sustain__checker *c, sustain_level level, const sustain_batch *batch) {
    int64_t *list = c->coordinate, *again = c->coordinate + c->room;
    const int64_t most = batch->size * sustain__support_per_sample(c->problem, level);
    const int64_t count = sustain__support(&c->oracle, level, batch, list);
    if (count < 0 || count > most) {
        sustain__complain(c, "it lists %lld coordinates for a draw of %lld samples; support_per_sample allows %lld", (long long)count,
                          (long long)batch->size, (long long)most);
        return false;
    }
    for (int64_t j = 0; j < count; j++)
        if (list[j] < 0 || list[j] >= c->upper) {
            sustain__complain(c, "it lists coordinate %lld; upper_dim is %lld", (long long)list[j], (long long)c->upper);
            return false;
        }
    memset(again, 0xff, (size_t)most * sizeof *again);
    if (sustain__support(&c->oracle, level, batch, again) == count && memcmp(list, again, (size_t)count * sizeof *list) == 0) return true;
    sustain__complain(c, "it is not pure: called twice with one draw it lists different coordinates");
    return false;
}

/* A draw's list, and for finite sums those of its samples one by one. */
static bool lists_are_right(sustain__checker *c, sustain_level level, const sustain_batch *batch) {
    if (!list_is_right(c, level, batch)) return false;
    for (int64_t j = 0; batch->index != NULL && j < batch->size; j++)
        if (!list_is_right(c, level, &(sustain_batch){.size = 1, .index = batch->index + j})) return false;
    return true;
}

/* All samples of a level, in parts. */
static bool all_lists_are_right(sustain__checker *c, sustain_level level) {
    const sustain_batch *part = sustain__part_from(c, level, 0);
    for (int64_t first = 0; part->size > 0; part = sustain__part_from(c, level, first += part->size))
        if (!lists_are_right(c, level, part)) return false;
    return true;
}

/* Every draw that a later row uses, so that no output is ever placed outside of x. */
sustain_status sustain__check_support(sustain__checker *c) {
    bool right = lists_are_right(c, SUSTAIN_UPPER, &c->xi) && lists_are_right(c, SUSTAIN_UPPER, &c->xi_other);
    for (int i = 0; right && i <= TERMS; i++) right = lists_are_right(c, SUSTAIN_LOWER, &c->zeta[i]);
    if (right && all_lists_are_right(c, SUSTAIN_UPPER)) all_lists_are_right(c, SUSTAIN_LOWER);
    return SUSTAIN_OK;
}

/* x changed where a draw does not list it: nothing may change. One reader is wrong itself; if there
 * are more, the list is. */
sustain_status sustain__check_elsewhere(sustain__checker *c) {
    int readers = 0, reader = 0;
    for (int oracle = 0; oracle < ORACLES; oracle++) {
        if (!sustain__is_usable(c, oracle)) continue;
        const sustain_batch *draw = sustain__draw_of(c, oracle);
        const int64_t count = sustain__support(&c->oracle, sustain__level_of(oracle), draw, c->coordinate);
        for (int64_t i = 0; i < c->upper; i++) c->x_probe[i] = c->x[i] < 0 ? c->x[i] - 1 : c->x[i] + 1;
        for (int64_t j = 0; j < count; j++) c->x_probe[c->coordinate[j]] = c->x[c->coordinate[j]];
        SUSTAIN_TRY(sustain__evaluate(c, oracle, draw, c->x, c->y, &c->a));
        SUSTAIN_TRY(sustain__evaluate(c, oracle, draw, c->x_probe, c->y, &c->b));
        if (sustain__fingerprint_of(c, &c->a) == sustain__fingerprint_of(c, &c->b)) continue;
        readers++;
        reader = oracle;
    }
    if (readers == 1) sustain__blame(c, reader, "it reads x at coordinates that support does not list");
    if (readers > 1) sustain__complain(c, "%d oracles read x at coordinates that it does not list for their draw", readers);
    return SUSTAIN_OK;
}

/* ---- purity ---- */

/* All oracles three times: at the point, at another point on another draw, and at the point again,
 * each time with other contents of everything that they may write on. */
static sustain_status check_purity(sustain__checker *c, sustain_level level) {
    uint64_t first[ORACLES] = {0};
    for (int pass = 0; pass < 3; pass++)
        for (int oracle = 0; oracle < ORACLES; oracle++) {
            if (!sustain__is_usable(c, oracle)) continue;
            sustain__scribble(c, pass == 0 ? 0 : 0xff);
            if (pass == 1) {
                const sustain_batch *other = sustain__level_of(oracle) == SUSTAIN_UPPER ? &c->xi_other : &c->zeta[1];
                SUSTAIN_TRY(sustain__evaluate(c, oracle, other, c->x_other, c->y_other, &c->a));
            } else {
                SUSTAIN_TRY(sustain__evaluate(c, oracle, sustain__draw_of(c, oracle), c->x, c->y, &c->a));
            }
            if (sustain__level_of(oracle) != level) continue;
            const bool finite =
                isfinite(c->a.value) && sustain__all_finite(c->upper, c->a.x, NULL) && sustain__all_finite(c->lower, c->a.y, NULL);
            if (pass == 0 && !finite) sustain__blame(c, oracle, "it returns a number that is not finite");
            const uint64_t now = sustain__fingerprint_of(c, &c->a);
            if (pass == 0) first[oracle] = now;
            if (pass == 2 && now != first[oracle]) sustain__blame(c, oracle, "%s", sustain__not_pure);
            if (sustain__guard_broken(c)) sustain__blame(c, oracle, "it writes beyond the bytes of work that workspace asks for");
        }
    sustain__scribble(c, 0);
    return SUSTAIN_OK;
}

sustain_status sustain__check_purity_upper(sustain__checker *c) {
    return check_purity(c, SUSTAIN_UPPER);
}

sustain_status sustain__check_purity_lower(sustain__checker *c) {
    return check_purity(c, SUSTAIN_LOWER);
}

/* ---- means ---- */

static void add_answer(const sustain__checker *c, double factor, const sustain__answer *a, sustain__answer *to) {
    to->value += factor * a->value;
    sustain__add(c->upper, factor, a->x, to->x);
    sustain__add(c->lower, factor, a->y, to->y);
}

static double size_of(const sustain__checker *c, const sustain__answer *a) {
    return sqrt(a->value * a->value + sustain__dot(c->upper, a->x, a->x) + sustain__dot(c->lower, a->y, a->y));
}

/* The entry of `difference` that is largest, and what it should have been. */
static void find_worst(sustain__checker *c, const sustain__answer *difference, const sustain__answer *mean) {
    for (int64_t i = 0; i < c->upper; i++)
        sustain__compare_entry(c, "x", i, (double)mean->x[i] + (double)difference->x[i], (double)mean->x[i]);
    for (int64_t i = 0; i < c->lower; i++)
        sustain__compare_entry(c, "y", i, (double)mean->y[i] + (double)difference->y[i], (double)mean->y[i]);
}

/* Adds an oracle on `draw`, taken in pieces of so many samples, to b; every sample has the
 * weight. */
static sustain_status add_pieces(sustain__checker *c, int oracle, const sustain_batch *draw, int64_t samples, double weight,
                                 double *scale) {
    for (int64_t first = 0; first < draw->size; first += samples) {
        const int64_t left = draw->size - first;
        const sustain_batch piece = {.size = left < samples ? left : samples, .index = draw->index + first};
        const double share = weight * (double)piece.size;
        SUSTAIN_TRY(sustain__evaluate(c, oracle, &piece, c->x, c->y, &c->a));
        add_answer(c, share, &c->a, &c->b);
        *scale += share * size_of(c, &c->a);
    }
    return SUSTAIN_OK;
}

/* The same on all samples: one by one where they fit into one part, else part by part. */
static sustain_status add_all(sustain__checker *c, int oracle, double *scale) {
    const sustain_level level = sustain__level_of(oracle);
    const int64_t n = c->problem->samples[level];
    const sustain_batch *part = sustain__part_from(c, level, 0);
    const int64_t samples = part->size == n ? 1 : part->size;
    for (int64_t first = 0; part->size > 0; part = sustain__part_from(c, level, first += part->size))
        SUSTAIN_TRY(add_pieces(c, oracle, part, samples, 1 / (double)n, scale));
    return SUSTAIN_OK;
}

/* An oracle on a draw, or on batch NULL, against the mean of it on the samples. */
static sustain_status check_mean(sustain__checker *c, int oracle, const sustain_batch *whole) {
    double scale = 0;
    sustain__zero(c->upper, c->b.x);
    sustain__zero(c->lower, c->b.y);
    c->b.value = 0;
    SUSTAIN_TRY(whole != NULL ? add_pieces(c, oracle, whole, 1, 1 / (double)whole->size, &scale) : add_all(c, oracle, &scale));
    SUSTAIN_TRY(sustain__evaluate(c, oracle, whole, c->x, c->y, &c->a));
    scale = sustain__larger(scale, size_of(c, &c->a));
    const double value = c->a.value;
    add_answer(c, -1, &c->b, &c->a);
    const double error = sustain__relative(size_of(c, &c->a), scale);
    if (!(error <= c->tolerance)) {
        const char *what = whole != NULL ? "a draw of several samples it does not give the mean over them"
                                         : "batch NULL it does not give the mean over all samples";
        const bool number = oracle == SUSTAIN_ORACLE_SHIFT_F_VALUE || oracle == SUSTAIN_ORACLE_SHIFT_G_VALUE;
        c->worst = (sustain__entry){.variable = NULL};
        find_worst(c, &c->a, &c->b);
        if (number)
            sustain__blame(c, oracle, "for %s: it is %.5g, and the mean %.5g", what, value, c->b.value);
        else
            sustain__blame(c, oracle, "for %s: the worst entry is that of %s[%lld]: %.5g, and the mean %.5g", what, c->worst.variable,
                           (long long)c->worst.at, c->worst.own, c->worst.expected);
    }
    sustain__note(c, error);
    return SUSTAIN_OK;
}

sustain_status sustain__check_draw_mean(sustain__checker *c) {
    for (int oracle = 0; oracle < ORACLES; oracle++) {
        const sustain_batch *draw = sustain__draw_of(c, oracle);
        if (draw->index == NULL || !sustain__is_usable(c, oracle)) continue;
        SUSTAIN_TRY(check_mean(c, oracle, draw));
    }
    return SUSTAIN_OK;
}

sustain_status sustain__check_population_mean(sustain__checker *c) {
    for (int oracle = 0; oracle < ORACLES; oracle++) {
        if (c->problem->samples[sustain__level_of(oracle)] == 0 || !sustain__is_usable(c, oracle)) continue;
        SUSTAIN_TRY(check_mean(c, oracle, NULL));
    }
    return SUSTAIN_OK;
}

/* ---- the constraint on y ---- */

/* A projection onto a convex set: P(P(y)) = P(y), and |P(y) - P(z)| <= |y - z|, here for points far
 * apart, so that some are outside of the set. */
sustain_status sustain__check_project_y(sustain__checker *c) {
    sustain_real *first = c->u, *second = c->v, *again = c->y_probe;
    sustain__checker_turn(c);
    sustain__scale(c->lower, 3, first);
    sustain__scale(c->lower, 3, second);
    const double before = sustain__distance(c->lower, first, second);
    SUSTAIN_TRY(sustain__project_y(&c->oracle, first));
    SUSTAIN_TRY(sustain__project_y(&c->oracle, second));
    const double after = sustain__distance(c->lower, first, second);
    if (!(after <= before * (1 + 1e-5))) sustain__complain(c, "two points %.5g apart are %.5g apart after it", before, after);
    sustain__copy(c->lower, first, again);
    SUSTAIN_TRY(sustain__project_y(&c->oracle, again));
    const double moved = sustain__distance(c->lower, first, again);
    if (!(moved <= 16 * sustain__rounding() * sqrt((double)c->lower) * fmax(1, sustain__norm(c->lower, first))))
        sustain__complain(c, "applied to its own result it moves y by %.3g", moved);
    return SUSTAIN_OK;
}

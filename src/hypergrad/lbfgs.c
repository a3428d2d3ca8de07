/* lbfgs.c - L-BFGS: d = -B grad phi with B the inverse Hessian that the last ten pairs s = y_{i+1}
 * - y_i, t = grad_{i+1} - grad_i suggest.
 *
 *   q = grad;     i = newest .. oldest:  a_i = s_i'q / s_i't_i,   q -= a_i t_i
 *   q <- (s't / t'P t of the newest pair) P q;    i = oldest .. newest:  q += (a_i - t_i'q / s_i't_i) s_i;        d = -q
 *
 * P is what the caller knows of the inverse Hessian, or 1.
 *
 * Nocedal and Wright, Numerical Optimization, 2006, Algorithms 7.4 and 7.5. The step along d
 * satisfies the weak Wolfe conditions, found by doubling and bisection (Lewis and Overton, 2013).
 * Where the decrease of phi is below rounding, the condition on phi is replaced by one on its
 * slope, the approximate Wolfe condition of Hager and Zhang, 2005. What is returned is the last y,
 * or, where phi no longer fell, that of the least |grad phi|. */
#include "hypergrad/lbfgs.h"

#include <math.h>

#include "core/vector.h"
#include "hypergrad/cg.h"

enum { TRIALS = 40, STALLED = 20 };
#define FALL 1e-4 /* of the Wolfe conditions, on phi */
#define SLOPE 0.9 /* on its slope */
#define LEVEL 0.8 /* of the approximate condition: slopes up to this much of the first, upwards */

/* t'P t; y_new is scratch. */
static double length(const sustain__lbfgs *l, const sustain_real *t) {
    if (l->precondition == NULL) return sustain__dot(l->n, t, t);
    sustain__copy(l->n, t, l->y_new);
    l->precondition(l->user, l->y_new);
    return sustain__dot(l->n, t, l->y_new);
}

static int pairs_of(const sustain__lbfgs *l) {
    return l->pairs > 0 ? l->pairs : SUSTAIN__LBFGS_PAIRS;
}

/* d = -B grad phi, from `count` pairs of which the newest is number `newest`. */
static void direction(sustain__lbfgs *l, int count, int newest) {
    const int64_t n = l->n;
    const int M = pairs_of(l);
    double a[SUSTAIN__LBFGS_PAIRS];
    sustain__copy(n, l->gradient, l->d);
    for (int j = 0; j < count; j++) {
        const int i = (newest - j + M) % M;
        a[i] = sustain__dot(n, l->s + i * n, l->d) / l->st[i];
        sustain__add(n, -a[i], l->t + i * n, l->d);
    }
    sustain__scale(n, count == 0 ? l->first : l->st[newest] / length(l, l->t + newest * n), l->d);
    if (l->precondition != NULL) l->precondition(l->user, l->d);
    for (int j = count - 1; j >= 0; j--) {
        const int i = (newest - j + M) % M;
        sustain__add(n, a[i] - sustain__dot(n, l->t + i * n, l->d) / l->st[i], l->s + i * n, l->d);
    }
    sustain__scale(n, -1, l->d);
}

/* y_new and gradient_new at a step along d that satisfies the Wolfe conditions; *found is false
 * where rounding hides every descent. */
static sustain_status search(sustain__lbfgs *l, const sustain_real *y, double slope, double *value, bool *found) {
    double low = 0, high = INFINITY, step = 1, value_new;
    const double level = 8 * sustain__rounding() * fabs(*value);
    *found = false;
    for (int i = 0; i < TRIALS && slope < 0; i++) {
        sustain__copy(l->n, y, l->y_new);
        sustain__add(l->n, step, l->d, l->y_new);
        l->evaluations++;
        SUSTAIN_TRY(l->objective(l->user, l->y_new, &value_new, l->gradient_new));
        const double slope_new = sustain__dot(l->n, l->gradient_new, l->d);
        const bool falls = value_new <= *value + FALL * step * slope;
        const bool flat = value_new <= *value + level && slope_new <= -LEVEL * slope;
        if (!isfinite(value_new) || !isfinite(slope_new) || !(falls || flat))
            high = step;
        else if (slope_new < SLOPE * slope)
            low = step;
        else {
            *value = value_new;
            *found = true;
            return SUSTAIN_OK;
        }
        step = isfinite(high) ? (low + high) / 2 : 2 * step;
    }
    return SUSTAIN_OK;
}

/* Keeps the pair of the step from y to y_new, unless rounding has left it without curvature;
 * *newest is its number. */
static void keep_pair(sustain__lbfgs *l, const sustain_real *y, int *count, int *newest) {
    const int next = (*newest + 1) % pairs_of(l);
    sustain_real *s = l->s + next * l->n, *t = l->t + next * l->n;
    sustain__copy(l->n, l->y_new, s);
    sustain__add(l->n, -1, y, s);
    sustain__copy(l->n, l->gradient_new, t);
    sustain__add(l->n, -1, l->gradient, t);
    const double st = sustain__dot(l->n, s, t), ss = sustain__dot(l->n, s, s), tt = sustain__dot(l->n, t, t);
    if (!(st > sustain__rounding() * sqrt(ss * tt))) {
        if (*count == pairs_of(l)) --*count; /* it is in the place of the oldest */
        return;
    }
    l->curvature = fmin(l->curvature, st / ss);
    l->st[next] = st;
    *newest = next;
    if (*count < pairs_of(l)) ++*count;
}

sustain_status sustain__lbfgs_minimize(sustain__lbfgs *l, sustain_real *y) {
    double value, least;
    int count = 0, newest = 0, stalled = 0;
    l->iterations = 0;
    l->evaluations = 1;
    l->curvature = INFINITY;
    SUSTAIN_TRY(l->objective(l->user, y, &value, l->gradient));
    l->norm = l->norm_0 = least = sustain__norm(l->n, l->gradient);
    sustain__copy(l->n, y, l->best);
    if (!isfinite(l->norm) || !isfinite(value))
        return sustain__fail(l->context, SUSTAIN_NOT_FINITE, "L-BFGS: the function or its gradient is not finite at the start");
    while (l->norm > l->tolerance && l->iterations < l->limit && stalled < STALLED) {
        bool found;
        direction(l, count, newest);
        const double slope = sustain__dot(l->n, l->gradient, l->d);
        const double before = value;
        SUSTAIN_TRY(search(l, y, slope, &value, &found));
        if (!found && count == 0) break;
        if (!found) { /* the pairs no longer give a descent direction: retry along the gradient */
            count = 0;
            stalled++;
            continue;
        }
        l->iterations++;
        keep_pair(l, y, &count, &newest);
        sustain__copy(l->n, l->y_new, y);
        sustain__copy(l->n, l->gradient_new, l->gradient);
        l->norm = sustain__norm(l->n, l->gradient);
        const bool falls = before - value > 8 * sustain__rounding() * fabs(value);
        stalled = falls || l->norm <= 0.9 * least ? 0 : stalled + 1;
        if (l->norm < least) {
            least = l->norm;
            sustain__copy(l->n, y, l->best);
        }
    }
    /* rounding has moved y away from the minimum; while phi falls, a longer gradient is normal */
    if (l->norm > least && stalled > 0) {
        l->norm = least;
        sustain__copy(l->n, l->best, y);
    }
    if (l->norm <= l->tolerance) return SUSTAIN_OK;
    return sustain__fail(l->context, SUSTAIN_NOT_CONVERGED, "L-BFGS: after %lld iterations the gradient is %.3g long, not %.3g",
                         (long long)l->iterations, l->norm, l->tolerance);
}

sustain_status sustain__lower_objective(void *lower_level, const sustain_real *y, double *value, sustain_real *gradient) {
    const sustain__lower_level *l = lower_level;
    SUSTAIN_TRY(sustain__g_value(l->oracle, l->zeta, l->x, y, value));
    return sustain__g_grad_y(l->oracle, l->zeta, l->x, y, gradient);
}

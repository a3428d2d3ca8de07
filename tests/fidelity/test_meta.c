/* test_meta.c - the methods of meta learning beside a literal transcription of their pseudo-code,
 * in double: (14), Options I and II of (20) as printed, Adam, the schedules of Section 4. The
 * gradient of an iteration's tasks at a point is the library's, which tests/unit/test_meta.c
 * compares with PyTorch. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "meta/meta_internal.h"

#include "fixture_pictures.h"

enum { ITERATIONS = 6, LARGEST = 1024, PLAIN = SUSTAIN_META_PLAIN, ADAM = SUSTAIN_META_ADAM };

static sustain_meta_options options_of(int method, int direction, int option) {
    sustain_meta_options o = sustain_meta_defaults();
    o.method = method;
    o.direction = direction;
    o.option = option;
    o.ways = 2;
    o.shots = 2;
    o.queries = 1;
    o.tasks = 3;
    o.width = 3;
    o.inner_steps = 2;
    o.c_eta = 1.5;
    return o;
}

static sustain_meta *create(const sustain_meta_options *o) {
    sustain_meta *meta;
    if (sustain_meta_create(context, o, training, &meta) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    return meta;
}

/* ---- the transcription ---- */

typedef struct literal {
    sustain_meta *oracle;
    int64_t n;
    double x[LARGEST], x_prev[LARGEST];          /* x_t, x_{t-1} */
    double h[LARGEST], m[LARGEST], v[LARGEST];   /* h_t, Adam's moments */
    double gradient[LARGEST], previous[LARGEST]; /* of the tasks of t at x_t; of those of t-1 at x_{t-1} */
} literal;

/* The mean gradient of the tasks of iteration t at x. */
static void gradient_at(literal *l, int64_t t, const double *x, double *out) {
    sustain_real theta[LARGEST], gradient[LARGEST];
    sustain_meta_progress ignored;
    for (int64_t i = 0; i < l->n; i++) theta[i] = (sustain_real)x[i];
    l->oracle->t = t;
    sustain__meta_gradient(l->oracle, theta, gradient, &ignored);
    for (int64_t i = 0; i < l->n; i++) out[i] = (double)gradient[i];
}

/* h_t of sustain: (14), or (20) as printed. */
static void momentum(literal *l, int64_t t, double eta, int option) {
    double second[LARGEST];
    gradient_at(l, t, l->x, l->gradient);
    if (option == 0)
        gradient_at(l, t, l->x_prev, second);
    else
        memcpy(second, l->previous, sizeof second);
    for (int64_t i = 0; i < l->n; i++) l->h[i] = l->gradient[i] + (t == 0 ? 0 : (1 - eta) * (l->h[i] - second[i]));
    memcpy(l->previous, l->gradient, sizeof l->previous);
}

static void iterate(literal *l, int64_t t, const sustain_meta_options *o) {
    const bool sustain = o->method == SUSTAIN_META_SUSTAIN;
    const double alpha_decaying = o->outer_step / pow(1 + (double)t, 1.0 / 3);
    const double eta = fmin(1, o->c_eta * alpha_decaying * alpha_decaying / (o->outer_step * o->outer_step)); /* c alpha^2 / kappa^2 */
    const double alpha = sustain && o->direction == PLAIN ? alpha_decaying : o->outer_step;
    if (sustain)
        momentum(l, t, eta, o->option);
    else
        gradient_at(l, t, l->x, l->h);
    for (int64_t i = 0; i < l->n; i++) {
        double direction = l->h[i];
        if (o->direction == ADAM) { /* Algorithm 2, the moments kept apart from their corrected values */
            l->m[i] = 0.9 * l->m[i] + 0.1 * l->h[i];
            l->v[i] = 0.999 * l->v[i] + 0.001 * l->h[i] * l->h[i];
            direction = l->m[i] / (1 - pow(0.9, (double)t + 1)) / (sqrt(l->v[i] / (1 - pow(0.999, (double)t + 1))) + 1e-8);
        }
        l->x_prev[i] = l->x[i];
        l->x[i] -= alpha * direction;
    }
}

/* ---- side by side ---- */

static void compare(int method, int direction, int option) {
    static literal l;
    const sustain_meta_options o = options_of(method, direction, option);
    sustain_meta *meta = create(&o);
    memset(&l, 0, sizeof l);
    l.oracle = create(&o);
    l.n = meta->setting.theta;
    assert_true(l.n <= LARGEST);
    for (int64_t i = 0; i < l.n; i++) l.x[i] = l.x_prev[i] = (double)meta->theta[i];
    for (int64_t t = 0; t < ITERATIONS; t++) {
        sustain_meta_progress progress;
        double moved = 0, apart = 0;
        assert_int_equal(sustain_meta_step(meta, &progress), SUSTAIN_OK);
        iterate(&l, t, sustain_meta_settled(meta));
        for (int64_t i = 0; i < l.n; i++) {
            moved = fmax(moved, fabs(l.x[i] - l.x_prev[i]));
            apart = fmax(apart, fabs(l.x[i] - (double)meta->theta[i]));
            /* From here on at the same point, so that rounding does not grow: Adam divides by small
             * numbers. */
            l.x_prev[i] = (double)meta->theta_prev[i];
            l.x[i] = (double)meta->theta[i];
        }
        if (!(moved > 0 && apart <= (sizeof(sustain_real) == 4 ? 2e-3 : 1e-9) * moved))
            fail_msg("method %d, direction %d, option %d, iteration %d: %g apart, moved %g", method, direction, option, (int)t, apart,
                     moved);
    }
    sustain_meta_destroy(l.oracle);
    sustain_meta_destroy(meta);
}

static void test_descent(void **state) {
    (void)state;
    for (int method = SUSTAIN_META_ANIL; method < SUSTAIN_META_SUSTAIN; method++) {
        compare(method, PLAIN, 0);
        compare(method, ADAM, 0);
    }
}

static void test_sustain(void **state) {
    (void)state;
    for (int option = 0; option < 2; option++) {
        compare(SUSTAIN_META_SUSTAIN, PLAIN, option);
        compare(SUSTAIN_META_SUSTAIN, ADAM, option);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descent),
        cmocka_unit_test(test_sustain),
    };
    return cmocka_run_group_tests(tests, open_pictures, close_pictures);
}

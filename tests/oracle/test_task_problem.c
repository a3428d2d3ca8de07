/* test_task_problem.c - meta learning as a bilevel problem: its derivatives; draws with repeated
 * tasks; the bits for any number of threads; its hypergradient beside that of the heads that the
 * methods of meta learning solve (head.h); every algorithm of the registry runs on it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <sustain/sustain.h>

#include "core/vector.h"
#include "meta/meta_internal.h"

#include "fixture_pictures.h"
#include "precision.h"

enum { TASKS = 4, WAYS = 2, SHOTS = 1, QUERIES = 2, FILTERS = 2, HEAD = WAYS * (FILTERS + 1), LOWER = TASKS * HEAD, UPPER = 512 };

static int setup(void **state) {
    (void)state;
    return open_pictures_of(1);
}

static sustain_meta_options options_of(void) {
    sustain_meta_options o = sustain_meta_defaults();
    o.ways = WAYS;
    o.shots = SHOTS;
    o.queries = QUERIES;
    o.width = FILTERS;
    o.training_tasks = TASKS;
    o.lambda = 0.05;
    o.seed = 3;
    return o;
}

static sustain_problem *make(int threads) {
    const sustain_meta_options o = options_of();
    sustain_problem *problem;
    assert_int_equal(sustain_context_set_threads(context, threads), SUSTAIN_OK);
    if (sustain_meta_problem_create(context, &o, training, &problem) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    assert_int_equal(problem->lower_dim, LOWER);
    assert_true(problem->upper_dim <= UPPER);
    return problem;
}

/* In float the steps of the differences are too long for x: they meet kinks of ReLU and pooling.
 * There the other tests, and the double build, speak for the derivatives in x. */
static bool meets_kinks(const char *what) {
    return is_float && strstr(what, "differences") != NULL &&
           (strstr(what, "in x") != NULL || strstr(what, "g_grad_x") != NULL || strstr(what, "cross") != NULL ||
            strstr(what, "ell") != NULL);
}

static void test_derivatives(void **state) {
    sustain_problem *problem = make(2);
    sustain_check_report report;
    int done = 0;
    (void)state;
    assert_int_equal(sustain_check_problem(context, problem, NULL, NULL, 3, 1, &report), SUSTAIN_OK);
    for (int i = 0; i < report.count; i++) {
        done += report.row[i].done;
        if (report.row[i].done && !report.row[i].passed && !meets_kinks(report.row[i].what))
            fail_msg("%s: %g", report.row[i].what, report.row[i].error);
    }
    assert_true(done >= (is_float ? 14 : 23));
    sustain_meta_problem_destroy(problem);
}

/* ---- beside the head of a task ---- */

typedef struct task {
    const uint8_t *picture[WAYS * (SHOTS + QUERIES)];
    int32_t label[WAYS * (SHOTS + QUERIES)];
} task;

enum { SUPPORT = WAYS * SHOTS, ASKED = WAYS * QUERIES };

static void draw(int64_t number, task *t) {
    const sustain_task_shape shape = {WAYS, SHOTS, QUERIES};
    int64_t index[SUPPORT + ASKED], classes[WAYS];
    sustain_task_draw(training, &shape, 3, SUSTAIN__TRAINING_TASKS, (uint64_t)number, index, index + SUPPORT, classes);
    for (int i = 0; i < SUPPORT + ASKED; i++) {
        t->picture[i] = sustain_picture_pixels(training, index[i]);
        t->label[i] = i < SUPPORT ? i / SHOTS : (i - SUPPORT) / QUERIES;
    }
}

/* The solved head of a task into y; adds its hypergradient to `gradient`; returns the loss of the
 * queries. */
static double by_head(const sustain__setting *s, sustain__backbone *b, sustain__head *head, const sustain_real *x, int64_t number,
                      sustain_real *y, sustain_real *gradient) {
    task t;
    sustain_real support[SUPPORT * FILTERS], query[ASKED * FILTERS], d_support[SUPPORT * FILTERS], d_query[ASKED * FILTERS];
    const int64_t group[2] = {0, SUPPORT}, asked[2] = {0, ASKED};
    int64_t correct;
    draw(number, &t);
    assert_int_equal(s->features, FILTERS);
    sustain__backbone_forward(b, x, t.picture + SUPPORT, ASKED, asked, 1, query);
    sustain__backbone_forward(b, x, t.picture, SUPPORT, group, 1, support);
    const sustain__head_task of = {.support = SUPPORT,
                                   .queries = ASKED,
                                   .dim = FILTERS,
                                   .support_features = support,
                                   .query_features = query,
                                   .support_labels = t.label,
                                   .query_labels = t.label + SUPPORT};
    sustain__head_adapt(head, &of);
    sustain__head_write(head, y);
    const double loss = sustain__head_score(head, &correct);
    sustain__head_hypergradient(head, SUSTAIN__HYPER_EXACT, (sustain__series){1, 0}, d_support, d_query, NULL);
    sustain__backbone_gradient(b, x, d_support, true, gradient);
    sustain__backbone_forward(b, x, t.picture + SUPPORT, ASKED, asked, 1, query);
    sustain__backbone_gradient(b, x, d_query, true, gradient);
    return loss;
}

static void test_hypergradient(void **state) {
    sustain_problem *problem = make(1);
    sustain_meta_options o = options_of();
    sustain_real x[UPPER], y[LOWER], expected[UPPER] = {0}, found[UPPER];
    sustain__backbone *backbone;
    sustain__head *head;
    double loss = 0, value;
    (void)state;
    o.tolerance = 1e-12;
    o.hypergradient = SUSTAIN_META_EXACT;
    assert_int_equal(sustain__meta_settle(context, training, &o), SUSTAIN_OK);
    const sustain__setting s = sustain__meta_setting(&o, training);
    assert_int_equal(problem->ops->initial(problem->self, x, y), 0);
    assert_int_equal(sustain__backbone_create(context, &s.net, NULL, ASKED, 1, &backbone), SUSTAIN_OK);
    assert_int_equal(sustain__head_create(context, &s.rule, SUPPORT, ASKED, &head), SUSTAIN_OK);
    for (int i = 0; i < TASKS; i++) loss += by_head(&s, backbone, head, x, i, y + (int64_t)i * HEAD, expected) / TASKS;
    sustain__scale(problem->upper_dim, 1.0 / TASKS, expected);
    assert_int_equal(sustain_hypergradient(context, problem, NULL, NULL, x, y, SUSTAIN_INVERSE_CHOLESKY, 0, found), SUSTAIN_OK);
    const double error = sustain__distance(problem->upper_dim, found, expected) / sustain__norm(problem->upper_dim, expected);
    if (!(error < (is_float ? 1e-3 : 1e-9))) fail_msg("the hypergradient differs by %g", error);
    /* and the value, the lower level solved by the library's own method */
    sustain__zero(LOWER, y);
    sustain_outer(context, problem, NULL, NULL, x, is_float ? 1e-6 : 1e-11, y, &value, NULL);
    assert_true(fabs(value - loss) < (is_float ? 1e-4 : 1e-9));
    sustain__head_destroy(head);
    sustain__backbone_destroy(backbone);
    sustain_meta_problem_destroy(problem);
}

/* ---- threads ---- */

static void test_threads(void **state) {
    static const int threads[] = {1, 2, 3, 8};
    static const int64_t index[] = {2, 0, 2, 1}; /* task 2 twice */
    const sustain_batch batch = {.size = 4, .index = index};
    sustain_real x[UPPER], y[LOWER], fx[UPPER], fy[LOWER], first_x[UPPER], first_y[LOWER];
    (void)state;
    for (int i = 0; i < 4; i++) {
        sustain_problem *problem = make(threads[i]);
        void *work = malloc(problem->ops->workspace(problem->self, 4));
        assert_non_null(work);
        memset(work, 0xff, problem->ops->workspace(problem->self, 4));
        assert_int_equal(problem->ops->initial(problem->self, x, y), 0);
        for (int j = 0; j < LOWER; j++) y[j] = (sustain_real)sin(j);
        assert_int_equal(problem->ops->f_grad(problem->self, &batch, x, y, fx, fy, work), 0);
        if (i == 0) memcpy(first_x, fx, sizeof fx), memcpy(first_y, fy, sizeof fy);
        assert_memory_equal(fx, first_x, (size_t)problem->upper_dim * sizeof *fx);
        assert_memory_equal(fy, first_y, sizeof fy);
        free(work);
        sustain_meta_problem_destroy(problem);
    }
    assert_int_equal(sustain_context_set_threads(context, 1), SUSTAIN_OK);
}

/* ---- the registry ---- */

/* Every algorithm makes steps on it, from the same start. */
static void test_solvers(void **state) {
    sustain_problem *problem = make(1);
    (void)state;
    for (int i = 0; i < sustain_solver_count(); i++) {
        const char *name = sustain_solver_at(i)->name;
        sustain_solver *solver;
        sustain_result result;
        if (sustain_solver_create(context, name, problem, &solver) != SUSTAIN_OK ||
            sustain_solver_run(solver, &(sustain_stopping){.iterations = 2}, &result) != SUSTAIN_OK)
            fail_msg("%s: %s", name, sustain_error(context));
        assert_true(isfinite(result.upper_value) && sustain__all_finite(problem->upper_dim, result.x, NULL));
        sustain_solver_destroy(solver);
    }
    sustain_meta_problem_destroy(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_hypergradient),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_solvers),
    };
    return cmocka_run_group_tests(tests, setup, close_pictures);
}

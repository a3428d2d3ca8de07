/* test_trouble.c - every algorithm in trouble: oracles that fail, drop or return NaN, divergence,
 * no memory, bad parameters. Each is a status and a clear sentence, nothing is leaked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance.h"
#include "solvers/solver_internal.h"

BENCH_OF_ALL_TESTS;

/* The oracles that draw, with what their output belongs to. */
static const struct {
    sustain_oracle bit;
    const char *name, *variable;
} oracles[] = {{SUSTAIN_NEEDS_F_GRAD, "f_grad", "y[0]"},
               {SUSTAIN_NEEDS_G_GRAD_Y, "g_grad_y", "y[0]"},
               {SUSTAIN_NEEDS_G_GRAD_X, "g_grad_x", "x[0]"},
               {SUSTAIN_NEEDS_G_HESS_VEC, "g_hess_vec", "y[0]"},
               {SUSTAIN_NEEDS_G_CROSS_VEC, "g_cross_vec", "x[0]"}};
enum { ORACLES = sizeof oracles / sizeof *oracles };

/* ---- oracles that fail ---- */

/* A multiple of vrbo's period (8) at which seed 1 draws terms of the Neumann series, so that every
 * oracle is called. */
enum { FAILS_AT = 56 };

/* The oracle fails at FAILS_AT: the message says so, and the solver stays at the point of
 * `before`. */
static void check_failing(const sustain_solver_info *info, const sustain_problem *problem, int o, sustain_solver *before) {
    const int64_t live = b.memory.live;
    faulty f = {.inner = problem, .oracle = oracles[o].bit, .first = FAILS_AT, .last = FAILS_AT, .code = -7};
    faulty_init(&f);
    sustain_solver *solver = make_solver(b.context, info->name, &f.problem, (const char *const[]){"seed", "1", NULL});
    f.watched = solver;
    sustain_result result;
    const sustain_status status = sustain_solver_run(solver, &(sustain_stopping){.iterations = 2 * FAILS_AT}, &result);
    assert_refused(b.context, status, SUSTAIN_ORACLE_FAILED, oracles[o].name, "'faulty'", "code -7",
                   info->deterministic ? "" : "iteration 56", NULL); /* an expected value belongs to no iteration */
    assert_int_equal(result.iterations, FAILS_AT);
    assert_non_null(result.x);
    assert_true(same_point(before, solver));
    sustain_solver_destroy(solver);
    assert_int_equal(b.memory.live, live);
}

static void test_failing_oracle(void **state) {
    (void)state;
    EACH_SOLVER_AND_PROBLEM (info, on) {
        const sustain_problem *problem = on.problem;
        faulty none = {.inner = problem};
        faulty_init(&none);
        sustain_solver *before = make_solver(b.context, info->name, &none.problem, (const char *const[]){"seed", "1", NULL});
        run_to(before, FAILS_AT);
        for (int o = 0; o < ORACLES; o++)
            if ((info->needs & oracles[o].bit) != 0) check_failing(info, problem, o, before);
        sustain_solver_destroy(before);
    }
}

static void test_failing_value(void **state) {
    (void)state;
    static const int codes[] = {-3, 3}; /* an expected value cannot be dropped */
    EACH_SOLVER (info)
        for (int i = 0; i < 2; i++) {
            faulty f = {.inner = bench_plain(&b, info->name), .oracle = SUSTAIN_NEEDS_F_VALUE, .code = codes[i]};
            faulty_init(&f);
            sustain_solver *solver = make_solver(b.context, info->name, &f.problem, NULL);
            assert_refused(b.context, sustain_solver_run(solver, &(sustain_stopping){.iterations = 10}, NULL), SUSTAIN_ORACLE_FAILED,
                           "f_value", "'faulty'", codes[i] < 0 ? "code -3" : "code 3", NULL);
            sustain_solver_destroy(solver);
        }
}

static int refuses_to_start(const void *self, sustain_real *x, sustain_real *y) {
    (void)self, (void)x, (void)y;
    return -9;
}

static void test_failing_start(void **state) {
    (void)state;
    faulty f = {.inner = b.stream};
    faulty_init(&f);
    f.ops.initial = refuses_to_start;
    sustain_solver *solver = make_solver(b.context, "sustain", &f.problem, NULL);
    assert_refused(b.context, sustain_solver_start(solver, NULL, NULL), SUSTAIN_ORACLE_FAILED, "initial", "'faulty'", "-9", NULL);
    const sustain_real x[5] = {0}, y[7] = {0};
    assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK); /* not asked where to start */
    sustain_solver_destroy(solver);
}

/* ---- draws that are dropped ---- */

static void test_dropped_draws(void **state) {
    (void)state;
    EACH_SOLVER_AND_PROBLEM (info, on) {
        faulty f = {.inner = on.problem, .oracle = SUSTAIN_NEEDS_G_GRAD_Y, .first = 20, .last = 350, .step = 10, .code = 2};
        faulty_init(&f);
        sustain_solver *solver = make_solver(b.context, info->name, &f.problem, NULL);
        if (info->deterministic) f.watched = solver;
        sustain_real x[64];
        for (int64_t t = 0; t < 20; t++) assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
        memcpy(x, sustain_solver_x(solver), (size_t)f.problem.upper_dim * sizeof *x);
        if (info->deterministic) { /* without a draw there is nothing to drop */
            assert_refused(b.context, sustain_solver_step(solver), SUSTAIN_ORACLE_FAILED, "g_grad_y", "'faulty'", "code 2", NULL);
            assert_memory_equal(x, sustain_solver_x(solver), (size_t)f.problem.upper_dim * sizeof *x);
            assert_int_equal(sustain_solver_iteration(solver), 20);
            sustain_solver_destroy(solver);
            continue;
        }
        assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK); /* the iteration is skipped */
        assert_memory_equal(x, sustain_solver_x(solver), (size_t)f.problem.upper_dim * sizeof *x);
        assert_int_equal(sustain_solver_iteration(solver), 21);
        const sustain_result result = run_to(solver, 360);
        /* 20, 30, ..., 350: bo-rep updates y where t is even. An iteration over all samples has no
         * draw to drop. */
        if ((info->needs & SUSTAIN_NEEDS_EXPECTATION) == 0 && strcmp(info->name, "spaba") != 0) assert_int_equal(result.dropped, 34);
        assert_true(result.dropped > 28 && result.dropped <= 34);
        assert_int_equal(result.halvings, 0);
        sustain_solver_destroy(solver);
    }
}

static void test_all_dropped(void **state) {
    (void)state;
    EACH_SOLVER (info)
        for (int longest = 99; longest <= 100 && !info->deterministic; longest++) {
            faulty f = {
                .inner = bench_plain(&b, info->name), .oracle = SUSTAIN_NEEDS_F_GRAD, .first = 50, .last = 50 + longest - 1, .code = 1};
            faulty_init(&f);
            sustain_solver *solver = make_solver(b.context, info->name, &f.problem, NULL);
            sustain_result result;
            const sustain_status status = sustain_solver_run(solver, &(sustain_stopping){.iterations = 500, .every = 1000}, &result);
            assert_int_equal(result.dropped, longest);
            if (longest < 100)
                assert_int_equal(status, SUSTAIN_OK);
            else
                assert_refused(b.context, status, SUSTAIN_ORACLE_FAILED, "'faulty'", "100 draws in a row", "iteration 149", NULL);
            sustain_solver_destroy(solver);
        }
}

/* eta = 1 belongs to the first iteration that moves, not to t = 0: where the first draw is dropped,
 * or a run goes back to its start, there is no earlier point to compare with. Seen in the counts:
 * an iteration with eta = 1 evaluates one point. */
static void check_first(faulty *f, int64_t expected, int64_t dropped, int64_t halvings) {
    enum { T = 30 };
    faulty_init(f);
    sustain_solver *solver = make_solver(
        b.context, "sustain", &f->problem,
        (const char *const[]){"schedule", "power", "L_g", "4", "alpha", "0.01", "beta", "0.01", "c_eta_f", "0.5", "c_eta_g", "0.5", NULL});
    const sustain_result result = run_to(solver, T);
    assert_int_equal(result.dropped, dropped);
    assert_int_equal(result.halvings, halvings);
    assert_int_equal(result.counts.gradients[SUSTAIN_LOWER], expected);
    sustain_solver_destroy(solver);
}

static void test_first_iteration(void **state) {
    (void)state;
    faulty none = {.inner = b.stream, .oracle = SUSTAIN_NEEDS_G_GRAD_Y, .first = 1, .last = 0, .code = 1};
    check_first(&none, 2 * 30 - 1, 0, 0);
    faulty first = {.inner = b.stream, .oracle = SUSTAIN_NEEDS_G_GRAD_Y, .first = 0, .last = 2, .code = 1};
    check_first(&first, 3 + 2 * 27 - 1, 3, 0); /* three calls that drop, then 27 iterations, one of them at one point */
    faulty back = {.inner = b.stream, .oracle = SUSTAIN_NEEDS_G_GRAD_Y, .first = 5, .last = 5, .value = NAN};
    check_first(&back, 2 * 30 - 2, 0, 1);
}

/* Draws of an evaluation that are dropped are left out of its mean; all of them dropped is an
 * error. */
static int value_of_some(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y, double *value,
                         void *work) {
    (void)self, (void)x, (void)y, (void)work;
    *value = 5;
    return batch == NULL || batch->key % 2 == 0;
}

static int value_of_none(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y, double *value,
                         void *work) {
    (void)self, (void)batch, (void)x, (void)y, (void)value, (void)work;
    return 1;
}

static void test_dropped_evaluations(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        faulty f = {.inner = bench_plain(&b, info->name)};
        faulty_init(&f);
        f.problem.has_expectation = false;
        if ((info->needs & (SUSTAIN_NEEDS_EXPECTATION | SUSTAIN_NEEDS_FINITE_SUM)) != 0) continue;
        f.ops.f_value = value_of_some;
        sustain_solver *solver = make_solver(b.context, info->name, &f.problem, NULL);
        assert_true(run_to(solver, 100).upper_value == 5);
        sustain_solver_destroy(solver);
        f.ops.f_value = value_of_none;
        solver = make_solver(b.context, info->name, &f.problem, NULL);
        assert_refused(b.context, sustain_solver_run(solver, &(sustain_stopping){.iterations = 10}, NULL), SUSTAIN_ORACLE_FAILED, "f_value",
                       "'faulty'", "iteration 0", NULL);
        sustain_solver_destroy(solver);
    }
}

/* Estimates at the start skip what is dropped too; a problem that drops everything cannot be
 * estimated. */
static int product_of_some(const void *self, const sustain_batch *batch, const sustain_real *x, const sustain_real *y,
                           const sustain_real *v, sustain_real *out, void *work) {
    const faulty *f = self;
    const uint64_t name = batch == NULL ? 1 : batch->index != NULL ? (uint64_t)batch->index[0] : batch->key;
    if (batch != NULL && (f->code != 0 || name % 32 == 0)) return 1;
    return f->inner->ops->g_hess_vec(f->inner->self, batch, x, y, v, out, work);
}

static void test_dropped_estimates(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        if ((info->needs & SUSTAIN_NEEDS_G_HESS_VEC) == 0 || info->deterministic) continue;
        faulty f = {.inner = bench_plain(&b, info->name)};
        faulty_init(&f);
        f.ops.g_hess_vec = product_of_some;
        f.problem.known = NULL;
        for (int seed = 0; seed < 4; seed++) {
            sustain_solver *solver = make_solver(b.context, info->name, &f.problem, NULL);
            assert_int_equal(sustain_solver_set_number(solver, "seed", seed), SUSTAIN_OK);
            run_to(solver, 50);
            sustain_solver_destroy(solver);
        }
        f.code = 1;
        sustain_solver *solver = make_solver(b.context, info->name, &f.problem, NULL);
        assert_refused(b.context, sustain_solver_start(solver, NULL, NULL), SUSTAIN_ORACLE_FAILED, "'faulty'", "drop", NULL);
        sustain_solver_destroy(solver);
    }
}

/* ---- values that are not finite ---- */

static void test_checked(void **state) {
    (void)state;
    static const double values[] = {NAN, INFINITY, -INFINITY};
    static const char *const texts[] = {"nan", "inf", "-inf"};
    EACH_SOLVER_AND_PROBLEM (info, on)
        for (int o = 0; o < ORACLES; o++) {
            if ((info->needs & oracles[o].bit) == 0) continue;
            faulty f = {.inner = on.problem,
                        .oracle = oracles[o].bit,
                        .first = 62,
                        .last = 62,
                        .value = values[o % 3],
                        .place = 0}; /* the first: also a draw of one sample has it */
            faulty_init(&f);
            sustain_solver *solver =
                make_solver(b.context, info->name, &f.problem, (const char *const[]){"check", "on", "batch", "3", "seed", "1", NULL});
            f.watched = solver;
            const sustain_status status = sustain_solver_run(solver, &(sustain_stopping){.iterations = 200}, NULL);
            assert_refused(b.context, status, SUSTAIN_NOT_FINITE, oracles[o].name, "'faulty'", texts[o % 3], oracles[o].variable,
                           info->deterministic ? "" : "iteration 62", NULL);
            assert_int_equal(sustain_solver_iteration(solver), 62);
            sustain_solver_destroy(solver);
        }
}

static void test_checked_changes_nothing(void **state) {
    (void)state;
    EACH_SOLVER_AND_PROBLEM (info, on) {
        const sustain_problem *problem = on.problem;
        sustain_solver *off = make_solver(b.context, info->name, problem, NULL);
        sustain_solver *checked = make_solver(b.context, info->name, problem, (const char *const[]){"check", "on", NULL});
        run_to(off, 100);
        run_to(checked, 100);
        assert_same_state(off, checked, on.name);
        sustain_solver_destroy(off);
        sustain_solver_destroy(checked);
    }
}

static void test_checked_value(void **state) {
    (void)state;
    faulty f = {.inner = b.stream, .oracle = SUSTAIN_NEEDS_F_VALUE, .value = NAN};
    faulty_init(&f);
    sustain_solver *solver = make_solver(b.context, "sustain", &f.problem, (const char *const[]){"check", "on", NULL});
    assert_refused(b.context, sustain_solver_run(solver, &(sustain_stopping){.iterations = 10}, NULL), SUSTAIN_NOT_FINITE, "f_value", "nan",
                   NULL);
    assert_null(strstr(sustain_error(b.context), "-1")); /* no invented iteration */
    sustain_solver_destroy(solver);
}

static int project_code;
static double project_value;

static int project(const void *self, sustain_real *x) {
    (void)self;
    x[1] = (sustain_real)project_value;
    return project_code;
}

static void test_projection(void **state) {
    (void)state;
    faulty f = {.inner = b.stream};
    faulty_init(&f);
    f.ops.project_x = project;
    const char *const pairs[] = {"check", "on", NULL};

    project_value = 0.125;
    sustain_solver *solver = make_solver(b.context, "sustain", &f.problem, pairs);
    assert_true((double)run_to(solver, 50).x[1] == 0.125);
    sustain_solver_destroy(solver);

    project_value = NAN;
    solver = make_solver(b.context, "sustain", &f.problem, pairs);
    assert_refused(b.context, sustain_solver_run(solver, &(sustain_stopping){.iterations = 10}, NULL), SUSTAIN_NOT_FINITE, "project_x",
                   "x[1]", NULL);
    sustain_solver_destroy(solver);

    project_value = 0;
    for (project_code = -1; project_code <= 1; project_code += 2) { /* a projection has no draw to drop */
        solver = make_solver(b.context, "sustain", &f.problem, pairs);
        assert_refused(b.context, sustain_solver_run(solver, &(sustain_stopping){.iterations = 10}, NULL), SUSTAIN_ORACLE_FAILED,
                       "project_x", NULL);
        sustain_solver_destroy(solver);
    }
}

static int note_seconds(void *last, const sustain_progress *progress) {
    *(double *)last = progress->seconds;
    return 0;
}

/* Unchecked, NaN from some iteration on: the halvings do not help, and the run says so. */
static void test_unchecked(void **state) {
    (void)state;
    EACH_SOLVER_AND_PROBLEM (info, on) {
        faulty f = {.inner = on.problem, .oracle = SUSTAIN_NEEDS_G_GRAD_Y, .first = 50, .last = INT64_MAX, .value = NAN};
        faulty_init(&f);
        sustain_solver *solver = make_solver(b.context, info->name, &f.problem, (const char *const[]){"recover", "4", NULL});
        f.watched = solver;
        sustain_result result;
        assert_refused(b.context, sustain_solver_run(solver, &(sustain_stopping){.iterations = 5000}, &result), SUSTAIN_DIVERGED,
                       info->name, "not finite", "4 times", "check=on", NULL);
        assert_int_equal(result.halvings, 4);
        assert_true(result.iterations < 300); /* noticed soon */
        assert_true(bench_logged(&b, "not finite at iteration"));
        sustain_solver_destroy(solver);

        solver = make_solver(b.context, info->name, &f.problem, (const char *const[]){"recover", "0", NULL});
        f.watched = solver;
        double evaluated;
        const sustain_stopping stopping = {.iterations = 5000, .every = 5000, .observer = note_seconds, .user = &evaluated};
        assert_refused(b.context, sustain_solver_run(solver, &stopping, &result), SUSTAIN_DIVERGED, "not finite", NULL);
        assert_int_equal(result.halvings, 0);
        assert_true(result.seconds > evaluated); /* the time of the iterations that led there is told */
        sustain_solver_destroy(solver);
    }
}

static void assert_within(const sustain_problem *p, const sustain_result *at, double far, const char *who) {
    for (int64_t j = 0; j < p->upper_dim + p->lower_dim; j++) {
        const double value = (double)(j < p->upper_dim ? at->x[j] : at->y[j - p->upper_dim]);
        if (!(fabs(value) < far)) fail_msg("%s: coordinate %lld is %g", who, (long long)j, value);
    }
}

/* One bad draw costs one halving, wherever the run is looked at: it may end at any iteration, and
 * its point is finite and not far away. */
static void test_one_bad_draw(void **state) {
    (void)state;
    static const struct {
        sustain_oracle oracle;
        double value;
    } bad[] = {{SUSTAIN_NEEDS_F_GRAD, NAN}, {SUSTAIN_NEEDS_G_GRAD_Y, 1e12}};
    EACH_SOLVER_AND_PROBLEM (info, on)
        for (int i = 0; i < 2; i++) {
            faulty f = {.inner = on.problem, .oracle = bad[i].oracle, .first = 120, .last = 120, .value = bad[i].value};
            faulty_init(&f);
            sustain_solver *solver = make_solver(b.context, info->name, &f.problem, NULL);
            f.watched = solver;
            for (int64_t t = 121; t < 124; t++) {
                const sustain_result end = run_to(solver, t);
                assert_within(&f.problem, &end, 1e6, info->name);
            }
            const sustain_result result = run_to(solver, 300);
            /* who averages over iterations may pass over one that is finite */
            assert_true(result.halvings == 1 || (result.halvings == 0 && isfinite(bad[i].value)));
            assert_within(&f.problem, &result, 1e6, info->name);
            sustain_solver_destroy(solver);
        }
}

/* Bad draws again after the first halving: with schedule=auto the run starts again, with all that
 * it estimated before the start, and goes on. */
static void test_restarted(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        faulty f = {.inner = bench_plain(&b, info->name), .oracle = SUSTAIN_NEEDS_F_GRAD, .first = 120, .last = 150, .value = NAN};
        faulty_init(&f);
        sustain_solver *solver = make_solver(b.context, info->name, &f.problem, (const char *const[]){"recover", "50", NULL});
        f.watched = solver;
        const sustain_result result = run_to(solver, 400);
        assert_true(bench_logged(&b, "from the point of iteration 0 with"));
        for (int64_t j = 0; j < f.problem.upper_dim; j++) assert_true(isfinite((double)result.x[j]));
        for (int64_t j = 0; j < f.problem.lower_dim; j++) assert_true(isfinite((double)result.y[j]));
        sustain_solver_destroy(solver);
    }
}

/* What a recovery divides the steps by: alpha first where y and v lag behind x. Two recoveries come
 * to the same for all. */
static void test_smaller_steps(void **state) {
    (void)state;
    static const struct {
        const char *name, *system;
        double alpha, beta;
    } cases[] = {{"stocbio", "series", 2, 2}, {"sustain", "series", 2, 2}, {"sustain", "running", 8, 1}, {"soba", "series", 8, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        faulty f = {.inner = b.stream, .oracle = SUSTAIN_NEEDS_F_GRAD, .first = 120, .last = 200, .step = 80, .value = NAN};
        faulty_init(&f);
        sustain_solver *solver = make_solver(b.context, cases[i].name, &f.problem, (const char *const[]){"system", cases[i].system, NULL});
        f.watched = solver;
        assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_OK);
        const sustain_steps at_start = sustain_solver_steps(solver);
        run_to(solver, 130);
        const sustain_steps once = sustain_solver_steps(solver);
        assert_true(at_start.alpha / once.alpha == cases[i].alpha);
        assert_true(at_start.beta / once.beta == cases[i].beta);
        run_to(solver, 230);
        const sustain_steps twice = sustain_solver_steps(solver);
        assert_true(at_start.alpha / twice.alpha == 16);
        assert_true(at_start.beta / twice.beta == 4);
        sustain_solver_destroy(solver);
    }
}

/* ---- memory ---- */

/* Create, start, run, save, load: whichever allocation fails, the status is MEMORY, and everything
 * is freed. */
static sustain_status whole_life(sustain_context *context, const char *name, const sustain_problem *problem, const char *path) {
    sustain_solver *solver = NULL, *loaded = NULL;
    sustain_status status = sustain_solver_create(context, name, problem, &solver);
    if (status == SUSTAIN_OK) status = sustain_solver_set(solver, "output", "best");
    if (status == SUSTAIN_OK) status = sustain_solver_start(solver, NULL, NULL);
    if (status == SUSTAIN_OK) status = sustain_solver_run(solver, &(sustain_stopping){.iterations = 20}, NULL);
    if (status == SUSTAIN_OK) status = sustain_solver_save(solver, path);
    if (status == SUSTAIN_OK) status = sustain_solver_create(context, name, problem, &loaded);
    if (status == SUSTAIN_OK) status = sustain_solver_load(loaded, path);
    if (status == SUSTAIN_OK) status = sustain_solver_run(loaded, &(sustain_stopping){.iterations = 40}, NULL);
    sustain_solver_destroy(solver);
    sustain_solver_destroy(loaded);
    return status;
}

/* The allocations of a whole life in turn; returns how many there are. */
static int fail_each_allocation(const sustain_solver_info *info, const sustain_problem *problem) {
    const int64_t live = b.memory.live;
    for (int n = 1;; n++) {
        b.memory.fail_at = b.memory.calls + n;
        const sustain_status status = whole_life(b.context, info->name, problem, b.path);
        const bool reached = b.memory.calls >= b.memory.fail_at;
        b.memory.fail_at = 0;
        if (status != (reached ? SUSTAIN_MEMORY : SUSTAIN_OK))
            fail_msg("%s, allocation %d fails: %s", info->name, n, sustain_status_name(status));
        if (b.memory.live != live) fail_msg("%s, allocation %d fails: something is leaked", info->name, n);
        if (!reached) return n - 1;
        assert_non_null(strstr(sustain_error(b.context), "out of memory"));
    }
}

/* On the finite sum; on the other problems the same allocations are made. */
static void test_no_memory(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        int allocations = 0;
        for (int i = 0; i < BENCH_PROBLEMS; i++) {
            const char *which;
            sustain_problem hidden = *bench_problem(&b, i, &which); /* without its constants: estimates allocate too */
            hidden.known = NULL;
            if (!suits(info->name, &hidden)) continue;
            const int64_t calls = b.memory.calls;
            assert_int_equal(whole_life(b.context, info->name, &hidden, b.path), SUSTAIN_OK);
            const int made = (int)(b.memory.calls - calls);
            if (allocations == 0) allocations = made;
            assert_int_equal(made, allocations);
            if (i == 1) assert_int_equal(fail_each_allocation(info, &hidden), allocations);
        }
        assert_true(allocations >= 8);
    }
}

/* A start that failed for want of memory can be made again, and goes as if nothing had been. */
static void test_start_again(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        sustain_solver *fresh = make_solver(b.context, info->name, b.sum, NULL);
        run_to(fresh, 50);
        for (int64_t n = 1; n <= 4; n++) {
            sustain_solver *solver = make_solver(b.context, info->name, b.sum, NULL);
            b.memory.fail_at = b.memory.calls + n;
            assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_MEMORY);
            b.memory.fail_at = 0;
            run_to(solver, 50);
            assert_same_state(fresh, solver, info->name);
            sustain_solver_destroy(solver);
        }
        sustain_solver_destroy(fresh);
    }
}

static void test_no_allocation_in_step(void **state) {
    (void)state;
    static const char *const variants[][3] = {{"output", "last", NULL},
                                              {"output", "uniform", NULL},
                                              {"sampling", "shuffle", NULL},
                                              {"sampling", "blocks", NULL},
                                              {"check", "on", NULL}};
    EACH_SOLVER_AND_PROBLEM (info, on)
        for (int v = 0; v < 5; v++) {
            sustain_solver *solver = make_solver(b.context, info->name, on.problem, variants[v]);
            assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_OK);
            const int64_t calls = b.memory.calls, live = b.memory.live;
            for (int t = 0; t < 60; t++) assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
            assert_int_equal(b.memory.calls, calls);
            run_to(solver, 130); /* nor in the loop around it */
            assert_int_equal(b.memory.calls, calls);
            assert_int_equal(b.memory.live, live);
            sustain_solver_destroy(solver);
        }
}

/* ---- what is refused before it begins ---- */

/* Without an oracle that it needs, an algorithm is not created; the sentence names the oracle and
 * who would do without. */
static void test_missing_oracle(void **state) {
    (void)state;
    EACH_SOLVER (info)
        for (int o = 0; o < ORACLES; o++) {
            if ((info->needs & oracles[o].bit) == 0) continue;
            faulty f = {.inner = bench_plain(&b, info->name)};
            faulty_init(&f);
            if (oracles[o].bit == SUSTAIN_NEEDS_F_GRAD) f.ops.f_grad = NULL;
            if (oracles[o].bit == SUSTAIN_NEEDS_G_GRAD_Y) f.ops.g_grad_y = NULL;
            if (oracles[o].bit == SUSTAIN_NEEDS_G_GRAD_X) f.ops.g_grad_x = NULL;
            if (oracles[o].bit == SUSTAIN_NEEDS_G_HESS_VEC) f.ops.g_hess_vec = NULL;
            if (oracles[o].bit == SUSTAIN_NEEDS_G_CROSS_VEC) f.ops.g_cross_vec = NULL;
            assert_int_equal(sustain_problem_offers(&f.problem) & oracles[o].bit, 0);
            const int64_t live = b.memory.live;
            sustain_solver *solver = (sustain_solver *)(void *)&f;
            assert_refused(b.context, sustain_solver_create(b.context, info->name, &f.problem, &solver), SUSTAIN_MISSING_ORACLE,
                           oracles[o].name, "'faulty'", NULL);
            assert_null(solver);
            assert_int_equal(b.memory.live, live);
            if (oracles[o].bit == SUSTAIN_NEEDS_F_GRAD || oracles[o].bit == SUSTAIN_NEEDS_G_GRAD_Y)
                continue; /* every algorithm needs those */
            bool others = false;
            for (int i = 0; i < sustain_solver_count(); i++) {
                const sustain_solver_info *other = sustain_solver_at(i);
                if ((other->needs & ~sustain_problem_offers(&f.problem)) != 0) continue;
                assert_non_null(strstr(sustain_error(b.context), other->name));
                others = true;
            }
            if (!others) assert_non_null(strstr(sustain_error(b.context), "no algorithm does without"));
        }
}

static void test_bad_problem(void **state) {
    (void)state;
    sustain_solver *solver;
    sustain_problem bad[6];
    for (int i = 0; i < 6; i++) bad[i] = *b.sum;
    sustain_problem_ops nameless = *b.sum->ops;
    nameless.name = NULL;
    bad[0].upper_dim = 0;
    bad[1].lower_dim = -1;
    bad[2].samples[1] = -5;
    bad[3].upper_dim = (int64_t)1 << 50;
    bad[4].ops = NULL;
    bad[5].ops = &nameless;
    static const char *const says[] = {"upper_dim", "lower_dim", "samples[1]", "upper_dim", "NULL", "name"};
    for (int i = 0; i < 6; i++)
        assert_refused(b.context, sustain_solver_create(b.context, "sustain", &bad[i], &solver), SUSTAIN_ARGUMENT, says[i], NULL);
    assert_refused(b.context, sustain_solver_create(b.context, "sustain", NULL, &solver), SUSTAIN_ARGUMENT, "NULL", NULL);
    assert_refused(b.context, sustain_solver_create(b.context, NULL, b.sum, &solver), SUSTAIN_ARGUMENT, "NULL", NULL);
    assert_int_equal(sustain_solver_create(NULL, "sustain", b.sum, &solver), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_solver_create(b.context, "sustain", b.sum, NULL), SUSTAIN_ARGUMENT);
}

static void test_bad_parameters(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        sustain_solver *solver = make_solver(b.context, info->name, bench_plain(&b, info->name), NULL);
        if (has_parameter(info, "alpha")) { /* not who adapts its steps */
            assert_refused(b.context, sustain_solver_set(solver, "alpha", "nan"), SUSTAIN_PARAMETER, "alpha = nan", NULL);
            assert_refused(b.context, sustain_solver_set(solver, "alpha", "-1"), SUSTAIN_PARAMETER, "alpha = -1", "from 0", NULL);
            assert_refused(b.context, sustain_solver_set(solver, "alpha", "quick"), SUSTAIN_PARAMETER, "alpha = quick", "a number", NULL);
            assert_refused(b.context, sustain_solver_set_number(solver, "alpha", NAN), SUSTAIN_PARAMETER, "alpha", NULL);
            assert_refused(b.context, sustain_solver_set(solver, "schedule", "best"), SUSTAIN_PARAMETER,
                           has_parameter(info, "theorem") ? "auto|power|theory" : "auto|power", NULL);
        }
        if (has_parameter(info, "beta"))
            assert_refused(b.context, sustain_solver_set(solver, "beta", "quick"), SUSTAIN_PARAMETER, "beta = quick", "a number", NULL);
        assert_refused(b.context, sustain_solver_set(solver, "iteratoins", "1"), SUSTAIN_UNKNOWN_NAME, "'iteratoins'",
                       "did you mean 'iterations'?", NULL);
        assert_refused(b.context, sustain_solver_set(solver, "iterations", "1.5"), SUSTAIN_PARAMETER, "a whole number", NULL);
        assert_refused(b.context, sustain_solver_set_number(solver, "recover", -1), SUSTAIN_PARAMETER, "recover = -1", NULL);
        assert_refused(b.context, sustain_solver_set_number(solver, "recovre", 1), SUSTAIN_UNKNOWN_NAME, "did you mean 'recover'?", NULL);
        if (info->deterministic) { /* draws nothing: no seed, no batch */
            assert_refused(b.context, sustain_solver_set(solver, "batch", "1"), SUSTAIN_UNKNOWN_NAME, "'batch'", NULL);
            assert_refused(b.context, sustain_solver_set(solver, "seed", "1"), SUSTAIN_UNKNOWN_NAME, "'seed'", NULL);
        } else {
            assert_refused(b.context, sustain_solver_set(solver, "batch", "0"), SUSTAIN_PARAMETER, "batch = 0", "from 1", NULL);
            assert_refused(b.context, sustain_solver_set(solver, "batch", "1.5"), SUSTAIN_PARAMETER, "a whole number", NULL);
            assert_refused(b.context, sustain_solver_set(solver, "bacth", "1"), SUSTAIN_UNKNOWN_NAME, "'bacth'", "did you mean 'batch'?",
                           NULL);
            assert_refused(b.context, sustain_solver_set_number(solver, "seed", -1), SUSTAIN_PARAMETER, "seed = -1", NULL);
            assert_refused(b.context, sustain_solver_set_number(solver, "sede", 1), SUSTAIN_UNKNOWN_NAME, "did you mean 'seed'?", NULL);
        }
        char text[64];
        for (int i = 0; i < info->parameter_count; i++) { /* every default prints and is accepted again */
            sustain_solver_get(solver, info->parameters[i].name, text, sizeof text);
            assert_true(strlen(text) > 0);
            if (sustain_solver_set(solver, info->parameters[i].name, text) != SUSTAIN_OK) fail_msg("%s", sustain_error(b.context));
        }
        sustain_solver_get(solver, "nothing", text, sizeof text);
        assert_string_equal(text, "");
        sustain_solver_get(solver, "alpha", text, sizeof text);
        assert_string_equal(text, has_parameter(info, "alpha") ? "0.1" : ""); /* no refusal has changed it */
        run_to(solver, 10);
        assert_refused(b.context, sustain_solver_set(solver, "output", "best"), SUSTAIN_ORDER, "output", "after the start", NULL);
        assert_refused(b.context, sustain_solver_set_number(solver, "recover", 2), SUSTAIN_ORDER, "recover", NULL);
        sustain_solver_destroy(solver);
    }
}

/* Combinations that only the start can see. */
static void test_bad_combinations(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        if (info->deterministic) continue;
        sustain_solver *solver =
            make_solver(b.context, info->name, b.sum, (const char *const[]){"batch", "61000", "sampling", "shuffle", NULL});
        assert_refused(b.context, sustain_solver_start(solver, NULL, NULL), SUSTAIN_PARAMETER, "batch = 61000", "60 samples", NULL);
        assert_int_equal(sustain_solver_set(solver, "batch", "61"),
                         SUSTAIN_OK); /* a refusal is no start; a draw may end an epoch and begin the next */
        run_to(solver, 10);
        sustain_solver_destroy(solver);
    }
    sustain_solver *solver = make_solver(b.context, "sustain", b.stream, (const char *const[]){"schedule", "theory", NULL});
    assert_refused(b.context, sustain_solver_start(solver, NULL, NULL), SUSTAIN_PARAMETER, "iterations", NULL);
    sustain_solver_destroy(solver);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failing_oracle),
        cmocka_unit_test(test_failing_value),
        cmocka_unit_test(test_failing_start),
        cmocka_unit_test(test_dropped_draws),
        cmocka_unit_test(test_all_dropped),
        cmocka_unit_test(test_first_iteration),
        cmocka_unit_test(test_dropped_estimates),
        cmocka_unit_test(test_dropped_evaluations),
        cmocka_unit_test(test_checked),
        cmocka_unit_test(test_checked_changes_nothing),
        cmocka_unit_test(test_checked_value),
        cmocka_unit_test(test_projection),
        cmocka_unit_test(test_unchecked),
        cmocka_unit_test(test_one_bad_draw),
        cmocka_unit_test(test_restarted),
        cmocka_unit_test(test_smaller_steps),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_start_again),
        cmocka_unit_test(test_no_allocation_in_step),
        cmocka_unit_test(test_missing_oracle),
        cmocka_unit_test(test_bad_problem),
        cmocka_unit_test(test_bad_parameters),
        cmocka_unit_test(test_bad_combinations),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

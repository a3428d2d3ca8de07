/* test_solvers.c - what every algorithm of the registry must do: reach known answers, be
 * deterministic, stop where it should, count what it uses, recover from steps that are too large.
 * An algorithm is tested by being in the registry. Resuming is in test_resume.c, trouble in
 * test_trouble.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"
#include "oracle/draw.h"

BENCH_OF_ALL_TESTS;

static void test_registry(void **state) {
    (void)state;
    assert_true(sustain_solver_count() >= 1);
    assert_null(sustain_solver_at(-1));
    assert_null(sustain_solver_at(sustain_solver_count()));
    EACH_SOLVER (info) {
        assert_true(strlen(info->name) > 0 && strlen(info->title) > 0 && strlen(info->reference) > 0 && strlen(info->complexity) > 0);
        for (int i = 0; i < info->parameter_count; i++) {
            const sustain_parameter *p = &info->parameters[i];
            assert_true(strlen(p->name) > 0 && strlen(p->help) > 0);
            assert_true(p->initial >= p->least && p->initial <= p->most);
            for (int j = 0; j < i; j++) assert_string_not_equal(p->name, info->parameters[j].name);
        }
        sustain_solver *solver = make_solver(b.context, info->name, bench_plain(&b, info->name), NULL);
        assert_ptr_equal(sustain_solver_describe(solver), info);
        sustain_solver_destroy(solver);
    }
    sustain_solver *solver = (sustain_solver *)(void *)&b;
    assert_refused(b.context, sustain_solver_create(b.context, "sustian", b.stream, &solver), SUSTAIN_UNKNOWN_NAME, "'sustian'",
                   "did you mean 'sustain'?", NULL);
    assert_null(solver);
    sustain_solver_destroy(NULL);
}

/* ---- answers ---- */

/* How far x is from the least ell, and y from y*(x), relative to the start. */
static void distances(const sustain_problem *problem, const sustain_real *x, const sustain_real *y, double *upper, double *lower) {
    double least[8], at[8], lowest[8], u = 0, l = 0;
    const double minimum = sustain_quadratic_minimum(problem, least);
    assert_true(isfinite(minimum));
    for (int64_t i = 0; i < problem->upper_dim; i++) {
        at[i] = (double)x[i];
        u += pow(at[i] - least[i], 2);
    }
    sustain_quadratic_lower(problem, at, lowest);
    for (int64_t i = 0; i < problem->lower_dim; i++) l += pow((double)y[i] - lowest[i], 2);
    *upper = sqrt(u);
    *lower = sqrt(l);
    /* a minimum: the closed form's gradient is zero there */
    double gradient[8], length = 0;
    sustain_quadratic_value(problem, least, gradient);
    for (int64_t i = 0; i < problem->upper_dim; i++) length += gradient[i] * gradient[i];
    assert_true(sqrt(length) < 1e-6);
}

static void check_answer(const char *name, const sustain_problem *problem, const char *which, const char *const *pairs, double tolerance) {
    sustain_solver *solver = make_solver(b.context, name, problem, pairs);
    double start[2], end[2];
    assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_OK);
    distances(problem, sustain_solver_x(solver), sustain_solver_y(solver), &start[0], &start[1]);
    const sustain_result result = run_to(solver, 3000);
    distances(problem, result.x, result.y, &end[0], &end[1]);
    assert_int_equal(result.halvings, 0);
    if (!(end[0] <= tolerance * start[0] && end[1] <= tolerance * start[1]))
        fail_msg("%s on %s: x went from %g to %g, y from %g to %g of the answer", name, which, start[0], end[0], start[1], end[1]);
    sustain_solver_destroy(solver);
}

/* Where x would go if y stood still, r of p(x) = 1/2 |x - r|^2, is far from the answer: the
 * tolerances below tell them apart. */
static void test_answer_needs_the_lower_level(void **state) {
    (void)state;
    const sustain_problem *const problems[] = {b.stream, b.sum};
    for (int i = 0; i < 2; i++) {
        sustain_real x[8], y[8], fx[8], fy[8], r[8];
        double work[512], from_r, lower;
        assert_true(problems[i]->ops->workspace(problems[i]->self, 1) <= sizeof work);
        assert_int_equal(problems[i]->ops->initial(problems[i]->self, x, y), 0);
        assert_int_equal(problems[i]->ops->f_grad(problems[i]->self, NULL, x, y, fx, fy, work), 0);
        for (int64_t j = 0; j < problems[i]->upper_dim; j++) r[j] = x[j] - fx[j];
        distances(problems[i], r, y, &from_r, &lower);
        if (!(from_r > 0.2)) fail_msg("the answer is only %g from the one without lower level", from_r);
    }
}

/* Without one number from the user: schedule=auto is the default. */
static void test_answer(void **state) {
    (void)state;
    static const char *const plain[] = {"batch", "4", NULL}, *const shuffled[] = {"batch", "6", "sampling", "shuffle", NULL};
    EACH_SOLVER (info) {
        if (suits(info->name, b.stream)) check_answer(info->name, b.stream, "the stream", plain, 0.06);
        check_answer(info->name, b.sum, "the finite sum", plain, 0.06);
        check_answer(info->name, b.sum, "the shuffled sum", shuffled, 0.06);
    }
}

/* All of SUSTAIN's directions and options reach it too. */
static void test_sustain_variants(void **state) {
    (void)state;
    static const char *const second[] = {"batch", "8", "option", "2", NULL};
    check_answer("sustain", b.stream, "the stream, option 2", second, 0.06);
    static const char *const running[] = {"batch", "4", "system", "running", NULL};
    check_answer("sustain", b.stream, "the stream, a running system", running, 0.06);
    check_answer("sustain", b.sum, "the finite sum, a running system", running, 0.06);
    static const char *const adam[] = {"batch", "8", "direction", "adam",    "schedule", "power",   "alpha", "0.1", "beta",
                                       "0.2",   "w", "8",         "c_eta_f", "4",        "c_eta_g", "4",     NULL};
    check_answer("sustain", b.stream, "the stream, Adam", adam, 0.06);
    sustain_solver *solver = make_solver(b.context, "sustain", b.stream, adam);
    set_all(solver, (const char *const[]){"option", "2", NULL});
    double upper, lower;
    const sustain_result result = run_to(solver, 3000);
    distances(b.stream, result.x, result.y, &upper, &lower);
    assert_true(upper < 0.07 && lower < 0.07);
    sustain_solver_destroy(solver);
}

/* ell of hyperclean falls: f at y*(x), computed by the exact outer solve, not by the solver. */
static void test_cleaning_improves(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        sustain_solver *solver = make_solver(b.context, info->name, b.cleaning, (const char *const[]){"batch", "5", NULL});
        sustain_real x[64], y[64];
        double before, after;
        const double tolerance = sizeof(sustain_real) == 8 ? 1e-9 : 1e-5;
        assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_OK);
        memcpy(x, sustain_solver_x(solver), (size_t)b.cleaning->upper_dim * sizeof *x);
        memcpy(y, sustain_solver_y(solver), (size_t)b.cleaning->lower_dim * sizeof *y);
        assert_int_equal(sustain_outer(b.context, b.cleaning, NULL, NULL, x, tolerance, y, &before, NULL), SUSTAIN_OK);
        run_to(solver, 2000);
        memcpy(x, sustain_solver_x(solver), (size_t)b.cleaning->upper_dim * sizeof *x);
        assert_int_equal(sustain_outer(b.context, b.cleaning, NULL, NULL, x, tolerance, y, &after, NULL), SUSTAIN_OK);
        if (!(after < before - 0.02)) fail_msg("%s on hyperclean: ell went from %g to %g", info->name, before, after);
        sustain_solver_destroy(solver);
    }
}

/* ---- determinism ---- */

static void test_seeds(void **state) {
    (void)state;
    EACH_SOLVER_AND_PROBLEM (info, on) {
        const sustain_problem *problem = on.problem;
        sustain_solver *solver[3];
        for (int s = 0; s < 3; s++) {
            solver[s] = make_solver(b.context, info->name, problem, (const char *const[]){"batch", "3", "seed", s < 2 ? "11" : "12", NULL});
            run_to(solver[s], 100);
        }
        assert_same_state(solver[0], solver[1], on.name);
        if (same_point(solver[0], solver[2]) != info->deterministic) /* who draws nothing has no seed */
            fail_msg("%s on %s: another seed, %s point", info->name, on.name, info->deterministic ? "another" : "the same");
        for (int s = 0; s < 3; s++) sustain_solver_destroy(solver[s]);
    }
}

/* A run in two parts, with steps by hand in between and with looks at x, equals a run in one. */
static void test_parts(void **state) {
    (void)state;
    EACH_SOLVER_AND_PROBLEM (info, on) {
        const sustain_problem *problem = on.problem;
        sustain_solver *one = make_solver(b.context, info->name, problem, NULL), *two = make_solver(b.context, info->name, problem, NULL);
        run_to(one, 300);
        run_to(two, 150);
        assert_true(isfinite((double)sustain_solver_x(two)[0]));
        run_to(two, 300);
        assert_same_state(one, two, on.name);

        /* step() after run() goes on: the point is that of a longer run */
        for (int t = 0; t < 30; t++) assert_int_equal(sustain_solver_step(two), SUSTAIN_OK);
        assert_int_equal(sustain_solver_iteration(two), 330);
        run_to(one, 330);
        assert_true(same_point(one, two));
        sustain_solver_destroy(one);
        sustain_solver_destroy(two);
    }
}

static void test_start(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        const sustain_problem *plain = bench_plain(&b, info->name);
        sustain_solver *solver = make_solver(b.context, info->name, plain, NULL);
        sustain_real x[5], y[7], x0[5], y0[7];
        assert_int_equal(plain->ops->initial(plain->self, x0, y0), 0);
        for (int i = 0; i < 5; i++) x[i] = (sustain_real)(0.25 * i);
        for (int i = 0; i < 7; i++) y[i] = (sustain_real)(-0.5 * i);

        x[3] = (sustain_real)NAN;
        assert_refused(b.context, sustain_solver_start(solver, x, y), SUSTAIN_ARGUMENT, "x[3]", "nan", NULL);
        x[3] = 1;
        y[6] = (sustain_real)INFINITY;
        assert_refused(b.context, sustain_solver_start(solver, x, y), SUSTAIN_ARGUMENT, "y[6]", "inf", NULL);
        y[6] = 1;

        assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK); /* a refusal does no harm */
        assert_memory_equal(sustain_solver_x(solver), x, sizeof x);
        assert_memory_equal(sustain_solver_y(solver), y, sizeof y);
        x[0] = 100; /* copied */
        assert_true(sustain_solver_x(solver)[0] == 0);
        assert_refused(b.context, sustain_solver_start(solver, x, y), SUSTAIN_ORDER, "started already", NULL);
        sustain_solver_destroy(solver);

        /* the problem's own start for what is NULL */
        for (int given = 0; given < 3; given++) {
            solver = make_solver(b.context, info->name, plain, NULL);
            assert_int_equal(sustain_solver_start(solver, given == 1 ? x : NULL, given == 2 ? y : NULL), SUSTAIN_OK);
            assert_memory_equal(sustain_solver_x(solver), given == 1 ? x : x0, sizeof x);
            assert_memory_equal(sustain_solver_y(solver), given == 2 ? y : y0, sizeof y);
            assert_int_equal(sustain_solver_iteration(solver), 0);
            sustain_solver_destroy(solver);
        }
        solver = make_solver(b.context, info->name, plain, NULL);
        assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK); /* starts by itself */
        assert_int_equal(sustain_solver_iteration(solver), 1);
        sustain_solver_destroy(solver);
    }
}

/* ---- stopping ---- */

typedef struct seen {
    int calls;
    int64_t last, stop_at;
    double least;
} seen;

static int observe(void *user, const sustain_progress *progress) {
    seen *s = user;
    s->calls++;
    s->last = progress->iteration;
    assert_int_equal(sustain_solver_iteration(progress->solver), progress->iteration);
    assert_true(isfinite(progress->upper_value) && progress->seconds >= 0);
    assert_true(progress->iteration == 0 || (progress->upper_norm > 0 && progress->lower_norm > 0));
    return s->stop_at > 0 && progress->iteration >= s->stop_at;
}

static sustain_result stopped(const char *name, const sustain_problem *problem, sustain_stopping stopping, sustain_stop expected) {
    sustain_solver *solver = make_solver(b.context, name, problem, NULL);
    sustain_result result;
    if (sustain_solver_run(solver, &stopping, &result) != SUSTAIN_OK) fail_msg("%s: %s", name, sustain_error(b.context));
    if (result.stop != expected) fail_msg("%s: stopped because %s", name, sustain_stop_text(result.stop));
    assert_int_equal(result.iterations, sustain_solver_iteration(solver));
    assert_int_equal(result.point, result.iterations);
    assert_true(isfinite(result.upper_value));
    sustain_solver_destroy(solver);
    result.x = result.y = NULL;
    return result;
}

static void test_stopping(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        const char *name = info->name;
        const sustain_problem *plain = bench_plain(&b, name);
        assert_int_equal(stopped(name, plain, (sustain_stopping){.iterations = 1}, SUSTAIN_STOP_ITERATIONS).iterations, 1);
        assert_int_equal(stopped(name, plain, (sustain_stopping){.iterations = 777, .every = 1000}, SUSTAIN_STOP_ITERATIONS).iterations,
                         777);

        if (!info->deterministic) {
            const sustain_result by_samples = stopped(name, plain, (sustain_stopping){.samples = 5000}, SUSTAIN_STOP_SAMPLES);
            const int64_t used = by_samples.counts.samples[0] + by_samples.counts.samples[1];
            assert_true(used >= 5000 && used < 6000);
        }

        const sustain_result by_time = stopped(name, plain, (sustain_stopping){.seconds = 0.02, .every = 10}, SUSTAIN_STOP_SECONDS);
        assert_true(by_time.seconds >= 0.02 && by_time.seconds < 2 && by_time.iterations > 1);

        const sustain_result by_norm =
            stopped(name, plain, (sustain_stopping){.gradient_norm = 0.1, .every = 10, .iterations = 100000}, SUSTAIN_STOP_GRADIENT);
        assert_true(by_norm.iterations > 0 && by_norm.iterations % 10 == 0);

        const sustain_result patient =
            stopped(name, plain, (sustain_stopping){.patience = 3, .every = 20, .iterations = 1000000}, SUSTAIN_STOP_PATIENCE);
        assert_true(patient.iterations >= 60 && patient.iterations % 20 == 0);

        seen s = {.stop_at = 150};
        const sustain_result observed =
            stopped(name, plain, (sustain_stopping){.observer = observe, .user = &s, .every = 50}, SUSTAIN_STOP_OBSERVER);
        assert_int_equal(observed.iterations, 150);
        assert_int_equal(s.calls, 4); /* 0, 50, 100, 150 */

        /* whichever comes first */
        s = (seen){.stop_at = 0};
        stopped(name, b.sum, (sustain_stopping){.iterations = 200, .samples = 1000000, .seconds = 1e6, .observer = observe, .user = &s},
                SUSTAIN_STOP_ITERATIONS);
        assert_int_equal(s.calls, 101); /* every hundredth of the iterations, and the start */
        assert_int_equal(s.last, 200);
    }
}

/* An iteration's evaluation is not repeated when the run goes on, and a reached limit is no step
 * more. */
static void test_stopping_again(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        sustain_solver *solver = make_solver(b.context, info->name, bench_plain(&b, info->name), NULL);
        seen s = {.stop_at = 0};
        sustain_result result;
        const sustain_stopping to_100 = {.iterations = 100, .every = 50, .observer = observe, .user = &s};
        assert_int_equal(sustain_solver_run(solver, &to_100, &result), SUSTAIN_OK);
        assert_int_equal(s.calls, 3);
        const double value = result.upper_value;
        assert_int_equal(sustain_solver_run(solver, &to_100, &result), SUSTAIN_OK);
        assert_int_equal(result.iterations, 100);
        assert_int_equal(s.calls, 3);
        assert_true(result.upper_value == value);
        assert_int_equal(sustain_solver_run(solver, &to_100, NULL), SUSTAIN_OK); /* the result is not wanted */
        sustain_solver_destroy(solver);
    }
}

static void test_limits_refused(void **state) {
    (void)state;
    static const sustain_stopping bad[] = {{.iterations = 0},
                                           {.every = 10},
                                           {.iterations = -1},
                                           {.samples = -1},
                                           {.seconds = -1},
                                           {.iterations = 5, .seconds = NAN},
                                           {.patience = -1},
                                           {.iterations = 5, .gradient_norm = NAN},
                                           {.iterations = 5, .every = -1}};
    sustain_solver *solver = make_solver(b.context, "sustain", b.stream, NULL);
    sustain_result result;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(b.context, sustain_solver_run(solver, &bad[i], &result), SUSTAIN_ARGUMENT, NULL);
    assert_refused(b.context, sustain_solver_run(solver, &bad[0], &result), SUSTAIN_ARGUMENT, "no end", "iterations", NULL);
    assert_refused(b.context, sustain_solver_run(solver, NULL, &result), SUSTAIN_ARGUMENT, "NULL", NULL);
    assert_int_equal(sustain_solver_iteration(solver), 0);
    run_to(solver, 50);
    sustain_solver_destroy(solver);

    /* samples alone never end the run of an algorithm that draws none */
    EACH_SOLVER (info) {
        if (!info->deterministic) continue;
        solver = make_solver(b.context, info->name, b.stream, NULL);
        assert_refused(b.context, sustain_solver_run(solver, &(sustain_stopping){.samples = 5000}, &result), SUSTAIN_ARGUMENT, "no end",
                       NULL);
        sustain_solver_destroy(solver);
    }
}

/* ---- output ---- */

/* output=uniform hands out the point that the run really had at that iteration; output=best the
 * best value seen. */
static void test_outputs(void **state) {
    (void)state;
    static const char *const outputs[] = {"uniform", "best"};
    EACH_SOLVER_AND_PROBLEM (info, on)
        for (int o = 0; o < 2; o++) {
            const sustain_problem *problem = on.problem;
            sustain_solver *solver = make_solver(b.context, info->name, problem, (const char *const[]){"output", outputs[o], NULL});
            sustain_solver *other = make_solver(b.context, info->name, problem, NULL);
            const sustain_result result = run_to(solver, 200);
            assert_true(result.point >= 1 && result.point <= 200);
            if (o == 1) assert_int_equal(result.point % 50, 0);
            run_to(other, result.point);
            assert_memory_equal(result.x, sustain_solver_x(other), (size_t)problem->upper_dim * sizeof(sustain_real));
            assert_memory_equal(result.y, sustain_solver_y(other), (size_t)problem->lower_dim * sizeof(sustain_real));
            sustain_solver_destroy(solver);
            sustain_solver_destroy(other);
        }
}

/* a(T) is uniform on 1..T, drawn ahead or by reservoir: over seeds, quarters are equally likely. */
static void test_uniform_output(void **state) {
    (void)state;
    enum { SEEDS = 200, T = 20 };
    for (int ahead = 0; ahead < 2; ahead++) {
        int quarter[4] = {0};
        for (int seed = 0; seed < SEEDS; seed++) {
            sustain_solver *solver =
                make_solver(b.context, "sustain", b.stream,
                            (const char *const[]){"output", "uniform", "schedule", "power", "L_g", "4", "K", "1", NULL});
            assert_int_equal(sustain_solver_set_number(solver, "seed", seed), SUSTAIN_OK);
            sustain_result result;
            seen s = {.stop_at = T};
            const sustain_stopping known = {.iterations = T}, unknown = {.observer = observe, .user = &s, .every = T};
            assert_int_equal(sustain_solver_run(solver, ahead ? &known : &unknown, &result), SUSTAIN_OK);
            assert_true(result.point >= 1 && result.point <= T);
            quarter[(result.point - 1) * 4 / T]++;
            sustain_solver_destroy(solver);
        }
        double chi = 0;
        for (int q = 0; q < 4; q++) chi += pow(quarter[q] - SEEDS / 4.0, 2) / (SEEDS / 4.0);
        if (!(chi < 3 + 6 * sqrt(6)))
            fail_msg("chi^2 is %g over the quarters: %d %d %d %d", chi, quarter[0], quarter[1], quarter[2], quarter[3]);
    }
}

/* ---- counts ---- */

/* The counts of SUSTAIN, from the definition: zeta_t, xi_t and zeta^(0..k_t) are drawn, each of B
 * samples; (13) and (14) evaluate them at two points but at t = 0, where eta = 1, and option 2
 * evaluates (14) at one. */
static void check_counts(const sustain_problem *problem, const char *which, int64_t B, int K, int option, bool lazy) {
    enum { T = 57, SEED = 21 };
    char batch[16], terms[16];
    snprintf(batch, sizeof batch, "%d", (int)B);
    snprintf(terms, sizeof terms, "%d", K);
    sustain_solver *solver = make_solver(b.context, "sustain", problem, (const char *const[]){"batch",    batch,
                                                                                              "K",        terms,
                                                                                              "seed",     "21",
                                                                                              "schedule", "power",
                                                                                              "L_g",      "4",
                                                                                              "option",   option == 1 ? "1" : "2",
                                                                                              "memory",   lazy ? "lazy" : "dense",
                                                                                              "alpha",    "0.01",
                                                                                              "beta",     "0.01",
                                                                                              "c_eta_f",  "0.9",
                                                                                              "c_eta_g",  "0.9",
                                                                                              NULL});
    const sustain_result result = run_to(solver, T);
    const sustain__sampler sampler = {.problem = problem, .seed = SEED};
    sustain_counts expected = {{0}, {0}, 0, 0};
    for (int64_t t = 0; t < T; t++) {
        const int64_t k = sustain__draw_terms(&sampler, t, K), points_g = t == 0 ? 1 : 2, points_f = t == 0 || option == 2 ? 1 : 2;
        expected.samples[SUSTAIN_UPPER] += B;
        expected.samples[SUSTAIN_LOWER] += B + (k + 1) * B;
        expected.gradients[SUSTAIN_UPPER] += points_f * B;
        expected.gradients[SUSTAIN_LOWER] += points_g * B;
        expected.hessian_products += points_f * k * B;
        expected.cross_products += points_f * B;
    }
    const sustain_counts now = sustain_solver_counts(solver);
    assert_memory_equal(&now, &result.counts, sizeof now);
    if (memcmp(&now, &expected, sizeof now) != 0)
        fail_msg(
            "%s, B = %d, K = %d, option %d: samples %lld %lld (%lld %lld), gradients %lld %lld (%lld %lld), products %lld %lld (%lld %lld)",
            which, (int)B, K, option, (long long)now.samples[0], (long long)now.samples[1], (long long)expected.samples[0],
            (long long)expected.samples[1], (long long)now.gradients[0], (long long)now.gradients[1], (long long)expected.gradients[0],
            (long long)expected.gradients[1], (long long)now.hessian_products, (long long)now.cross_products,
            (long long)expected.hessian_products, (long long)expected.cross_products);
    sustain_solver_destroy(solver);
}

static void test_counts(void **state) {
    (void)state;
    for (int i = 0; i < BENCH_PROBLEMS; i++) {
        const char *which;
        const sustain_problem *problem = bench_problem(&b, i, &which);
        for (int option = 1; option <= 2; option++)
            for (int lazy = 0; lazy < 2; lazy++) {
                check_counts(problem, which, 1, 1, option, lazy != 0);
                check_counts(problem, which, 1, 7, option, lazy != 0);
                check_counts(problem, which, 5, 12, option, lazy != 0);
            }
    }
}

/* Counting starts at zero, and evaluation and estimation cost nothing that is counted. */
static void test_counts_of_looking(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        sustain_solver *often = make_solver(b.context, info->name, bench_plain(&b, info->name), NULL),
                       *never = make_solver(b.context, info->name, bench_plain(&b, info->name), NULL);
        const sustain_counts none = {{0}, {0}, 0, 0};
        assert_int_equal(sustain_solver_start(often, NULL, NULL), SUSTAIN_OK);
        const sustain_counts at_start = sustain_solver_counts(often);
        assert_memory_equal(&at_start, &none, sizeof none);
        assert_int_equal(sustain_solver_run(often, &(sustain_stopping){.iterations = 100, .every = 1}, NULL), SUSTAIN_OK);
        assert_int_equal(sustain_solver_run(never, &(sustain_stopping){.iterations = 100, .every = 1000}, NULL), SUSTAIN_OK);
        const sustain_counts a = sustain_solver_counts(often), c = sustain_solver_counts(never);
        assert_memory_equal(&a, &c, sizeof a);
        if (info->deterministic)
            assert_true(a.samples[0] == 0 && a.samples[1] == 0 && a.gradients[0] >= 100 && a.gradients[1] >= 100);
        else
            assert_true(a.samples[0] >= 100 && a.samples[1] >= 100);
        assert_true(same_point(often, never)); /* looking changes nothing */
        sustain_solver_destroy(often);
        sustain_solver_destroy(never);
    }
}

/* ---- steps that are too large ---- */

/* Never a success with a useless point: given up with a sentence, or recovered. */
static void test_absurd_steps(void **state) {
    (void)state;
    EACH_SOLVER (info) {
        sustain_solver *solver = make_solver(b.context, info->name, bench_plain(&b, info->name),
                                             (const char *const[]){"schedule", "power", "alpha", "1e4", "beta", "1e4", NULL});
        sustain_result result;
        const sustain_status status = sustain_solver_run(solver, &(sustain_stopping){.iterations = 5000}, &result);
        const bool adapts = !has_parameter(info, "beta"); /* such an algorithm finds its own steps */
        assert_true(adapts || result.halvings > 0);
        assert_true(adapts || bench_logged(&b, "with half the step"));
        double distance, lower;
        distances(b.stream, result.x, result.y, &distance, &lower);
        if (status == SUSTAIN_OK)
            assert_true(distance < 1);
        else
            assert_refused(b.context, status, SUSTAIN_DIVERGED, info->name, "halved 10 times", "alpha", "beta", NULL);
        sustain_solver_destroy(solver);
    }
}

/* beta_0 L_g = 10 where 2 is the limit: halved until it fits, and then it converges. */
static void test_mildly_large_steps(void **state) {
    (void)state;
    static const char *const pairs[] = {"schedule", "power",   "alpha", "3",     "beta", "8",          "w",  "30", "c_eta_f",
                                        "9",        "c_eta_g", "9",     "batch", "4",    "directions", "16", NULL};
    EACH_SOLVER (info) {
        const bool penalty = info->deterministic && (info->needs & SUSTAIN_NEEDS_G_GRAD_X) != 0;
        if (penalty) continue; /* the limit of its steps depends on the penalty too */
        sustain_solver *solver = make_solver(b.context, info->name, bench_plain(&b, info->name), pairs);
        if (!info->deterministic) assert_int_equal(sustain_solver_set(solver, "q", "0.3333"), SUSTAIN_OK); /* y's noise must die down */
        const sustain_result result = run_to(solver, 4000);
        assert_true((result.halvings >= 1 || !has_parameter(info, "beta")) && result.halvings <= 6);
        double distance, lower;
        distances(b.stream, result.x, result.y, &distance, &lower);
        if (!(distance < 0.08)) fail_msg("%s ends %g from the answer after %d halvings", info->name, distance, (int)result.halvings);
        sustain_solver_destroy(solver);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_answer),
        cmocka_unit_test(test_answer_needs_the_lower_level),
        cmocka_unit_test(test_sustain_variants),
        cmocka_unit_test(test_cleaning_improves),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_stopping_again),
        cmocka_unit_test(test_limits_refused),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_uniform_output),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_counts_of_looking),
        cmocka_unit_test(test_absurd_steps),
        cmocka_unit_test(test_mildly_large_steps),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

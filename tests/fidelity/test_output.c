/* test_output.c - the point that a run returns: x_T, the uniformly drawn x_a(T) of Algorithm 1, or
 * the best one seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sustain/quadratic.h>
#include <sustain/solver.h>

#include "naive_problems.h"

enum { T = 8, SEEDS = 2000, RECORDED = 64 };

/* At 7 degrees of freedom chi-square exceeds this once in a million. */
#define CHI_SQUARE_MOST 40.5

static sustain_context *new_context(void) {
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    return context;
}

/* K = 1: no Hessian is read, so that an iteration draws three samples, always. */
static sustain_solver *new_solver(sustain_context *context, const sustain_problem *problem, const char *output, int64_t seed) {
    static const struct {
        const char *name, *text;
    } rows[] = {{"schedule", "power"}, {"alpha", "0.5"},   {"beta", "0.5"}, {"p", "0"},
                {"c_eta_f", "0.5"},    {"c_eta_g", "0.5"}, {"K", "1"},      {"L_g", "6"}};
    sustain_solver *solver;
    assert_int_equal(sustain_solver_create(context, "sustain", problem, &solver), SUSTAIN_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(sustain_solver_set(solver, rows[i].name, rows[i].text), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "output", output), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set_number(solver, "seed", (double)seed), SUSTAIN_OK);
    return solver;
}

/* The result is the iterate of its index, bit by bit: a second solver goes there step by step. */
static void assert_is_iterate(sustain_context *context, const sustain_problem *problem, int64_t seed, const sustain_result *result) {
    sustain_solver *again = new_solver(context, problem, "last", seed);
    assert_int_equal(sustain_solver_start(again, NULL, NULL), SUSTAIN_OK);
    for (int64_t t = 0; t < result->point; t++) assert_int_equal(sustain_solver_step(again), SUSTAIN_OK);
    assert_memory_equal(result->x, sustain_solver_x(again), (size_t)problem->upper_dim * sizeof *result->x);
    assert_memory_equal(result->y, sustain_solver_y(again), (size_t)problem->lower_dim * sizeof *result->y);
    sustain_solver_destroy(again);
}

static double chi_square(const int *count) {
    double sum = 0;
    for (int i = 0; i < T; i++) sum += (count[i] - (double)SEEDS / T) * (count[i] - (double)SEEDS / T) / ((double)SEEDS / T);
    return sum;
}

static void uniform_over_seeds(const sustain_problem *problem, const sustain_stopping *stopping, sustain_stop stop) {
    sustain_context *context = new_context();
    int count[T] = {0};
    for (int64_t seed = 0; seed < SEEDS; seed++) {
        sustain_solver *solver = new_solver(context, problem, "uniform", seed);
        sustain_result result;
        assert_int_equal(sustain_solver_run(solver, stopping, &result), SUSTAIN_OK);
        assert_int_equal(result.stop, stop);
        assert_int_equal(result.iterations, T);
        assert_in_range(result.point, 1, T);
        count[result.point - 1]++;
        if (seed % 20 == 0) assert_is_iterate(context, problem, seed, &result);
        sustain_solver_destroy(solver);
    }
    if (!(chi_square(count) < CHI_SQUARE_MOST)) fail_msg("a(T) is not uniform: chi-square %.1f", chi_square(count));
    print_message("a(T): chi-square %.1f (below 14.1 in 95 of 100 cases)\n", chi_square(count));
    sustain_context_destroy(context);
}

static void test_uniform_drawn_ahead(void **state) {
    (void)state;
    const sustain_problem problem = coupled_problem(false);
    uniform_over_seeds(&problem, &(sustain_stopping){.iterations = T}, SUSTAIN_STOP_ITERATIONS);
}

static void test_uniform_by_reservoir(void **state) {
    (void)state;
    const sustain_problem problem = coupled_problem(false);
    uniform_over_seeds(&problem, &(sustain_stopping){.samples = 3 * T}, SUSTAIN_STOP_SAMPLES);
}

/* The same with x kept lazily. */
static void test_uniform_lazy(void **state) {
    (void)state;
    static cleaning data;
    cleaning_fill(&data, 0.05);
    const sustain_rows training = cleaning_training(&data), trusted = cleaning_trusted(&data);
    const sustain_hyperclean_options options = cleaning_options(&data);
    sustain_context *context = new_context();
    sustain_problem *problem;
    assert_int_equal(sustain_hyperclean_create(context, &options, &training, &trusted, &problem), SUSTAIN_OK);
    for (int64_t seed = 0; seed < 20; seed++)
        for (int ahead = 0; ahead <= 1; ahead++) {
            sustain_solver *solver = new_solver(context, problem, "uniform", seed);
            const sustain_stopping stopping = {.iterations = ahead ? 500 : 0, .samples = ahead ? 0 : 3 * 500};
            sustain_result result;
            assert_int_equal(sustain_solver_run(solver, &stopping, &result), SUSTAIN_OK);
            assert_int_equal(result.iterations, 500);
            assert_in_range(result.point, 1, 500);
            assert_is_iterate(context, problem, seed, &result);
            sustain_solver_destroy(solver);
        }
    sustain_hyperclean_destroy(problem);
    sustain_context_destroy(context);
}

/* A step that is much too long: the run diverges and recovers, and no point of the part that was
 * taken back is handed out. */
static void test_uniform_after_recovery(void **state) {
    (void)state;
    sustain_context *context = new_context();
    const sustain_quadratic_options options = sustain_quadratic_defaults();
    sustain_problem *problem;
    assert_int_equal(sustain_quadratic_create(context, &options, &problem), SUSTAIN_OK);
    int64_t recovered = 0;
    for (int64_t seed = 0; seed < 200; seed++) {
        sustain_solver *solver = new_solver(context, problem, "uniform", seed);
        sustain_result result;
        assert_int_equal(sustain_solver_set(solver, "alpha", "40"), SUSTAIN_OK);
        const sustain_status status = sustain_solver_run(solver, &(sustain_stopping){.iterations = 400}, &result);
        if (status == SUSTAIN_OK) {
            double square = 0;
            for (int64_t i = 0; i < problem->upper_dim; i++) square += (double)result.x[i] * (double)result.x[i];
            assert_true(square < 1e6);
            recovered += result.halvings > 0;
        }
        sustain_solver_destroy(solver);
    }
    print_message("%lld runs recovered\n", (long long)recovered);
    assert_true(recovered > 100);
    sustain_quadratic_destroy(problem);
    sustain_context_destroy(context);
}

static void test_last(void **state) {
    (void)state;
    const sustain_problem problem = coupled_problem(true);
    sustain_context *context = new_context();
    sustain_solver *solver = new_solver(context, &problem, "last", 4);
    sustain_result result;
    assert_int_equal(sustain_solver_run(solver, &(sustain_stopping){.iterations = 30}, &result), SUSTAIN_OK);
    assert_int_equal(result.point, 30);
    assert_is_iterate(context, &problem, 4, &result);
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
}

/* What an observer saw. */
typedef struct seen {
    int64_t count, iteration[RECORDED];
    double value[RECORDED];
} seen;

static int see(void *user, const sustain_progress *progress) {
    seen *s = user;
    assert_true(s->count < RECORDED);
    s->iteration[s->count] = progress->iteration;
    s->value[s->count++] = progress->upper_value;
    return 0;
}

static int64_t iteration_of_best(const seen *s) {
    int64_t best = 1; /* the start does not count: f(x_0, y_0) says nothing about ell */
    for (int64_t i = 2; i < s->count; i++)
        if (s->value[i] < s->value[best]) best = i;
    return s->iteration[best];
}

static void test_best(void **state) {
    (void)state;
    const sustain_problem problem = coupled_problem(false);
    sustain_context *context = new_context();
    int64_t inside = 0;
    for (int64_t seed = 0; seed < 20; seed++) {
        seen s = {0};
        sustain_solver *solver = new_solver(context, &problem, "best", seed);
        const sustain_stopping stopping = {.iterations = 50, .every = 2, .observer = see, .user = &s};
        sustain_result result;
        assert_int_equal(sustain_solver_run(solver, &stopping, &result), SUSTAIN_OK);
        assert_int_equal(result.point, iteration_of_best(&s));
        assert_is_iterate(context, &problem, seed, &result);
        if (result.point > 0 && result.point < 50) inside++;
        sustain_solver_destroy(solver);
    }
    assert_true(inside > 10);
    sustain_context_destroy(context);
}

/* Where no step is made, the first point that counts is the best one: equal values do not replace
 * it, and the start does not count. */
static void test_best_is_first(void **state) {
    (void)state;
    const sustain_problem problem = coupled_problem(false);
    const sustain_real x[COUPLED_M] = {1, 1, 1, 1, 1, 1}, y[COUPLED_N] = {9, 9, 9, 9, 9};
    sustain_context *context = new_context();
    sustain_solver *solver = new_solver(context, &problem, "best", 1);
    seen s = {0};
    const sustain_stopping stopping = {.iterations = 5, .every = 1, .observer = see, .user = &s};
    sustain_result result;
    assert_int_equal(sustain_solver_set(solver, "schedule", "power"), SUSTAIN_OK); /* no step: nothing is better than the start */
    assert_int_equal(sustain_solver_set(solver, "alpha", "0"), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "beta", "0"), SUSTAIN_OK);
    assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK);
    assert_int_equal(sustain_solver_run(solver, &stopping, &result), SUSTAIN_OK);
    assert_int_equal(s.iteration[0], 0);
    assert_int_equal(iteration_of_best(&s), 1);
    assert_int_equal(result.point, 1);
    assert_memory_equal(result.x, x, sizeof x);
    assert_memory_equal(result.y, y, sizeof y);
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform_drawn_ahead),
        cmocka_unit_test(test_uniform_by_reservoir),
        cmocka_unit_test(test_uniform_lazy),
        cmocka_unit_test(test_uniform_after_recovery),
        cmocka_unit_test(test_last),
        cmocka_unit_test(test_best),
        cmocka_unit_test(test_best_is_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

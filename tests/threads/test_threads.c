/* test_threads.c - solvers in several threads on one shared problem, each with its own context and
 * without a lock: the same bits as alone. Run it under a thread sanitizer too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance.h"

enum { MOST = 8, ROOM = 64, ITERATIONS = 120 };

/* What one thread does, and what came out. Threads assert nothing: the main thread does. */
typedef struct task {
    const char *solver;
    const sustain_problem *problem; /* NULL: makes its own */
    int seed;
    bool same;     /* as the others, for it draws nothing and their problem is one */
    bool failing;  /* makes errors on the way: the text belongs to its context */
    char path[64]; /* saves and loads there, if not "" */
    sustain_status status;
    int log_lines;
    char error[128];
    int64_t iterations;
    sustain_real x[ROOM], y[ROOM];
} task;

static void count_line(void *user, const char *line) {
    *(int *)user += line[0] != '\0';
}

static sustain_status half_way(sustain_context *context, task *t, const sustain_problem *problem, sustain_solver **solver) {
    sustain_status status = sustain_solver_save(*solver, t->path);
    sustain_solver_destroy(*solver);
    *solver = NULL;
    if (status == SUSTAIN_OK) status = sustain_solver_create(context, t->solver, problem, solver);
    return status == SUSTAIN_OK ? sustain_solver_load(*solver, t->path) : status;
}

static sustain_status work(sustain_context *context, task *t, const sustain_problem *problem) {
    sustain_solver *solver = NULL;
    sustain_result result;
    sustain_status status = sustain_solver_create(context, t->solver, problem, &solver);
    t->same = status == SUSTAIN_OK && sustain_solver_describe(solver)->deterministic && t->problem != NULL;
    if (status == SUSTAIN_OK && has_parameter(sustain_solver_describe(solver), "seed")) {
        status = sustain_solver_set_number(solver, "seed", t->seed);
        if (status == SUSTAIN_OK) status = sustain_solver_set_number(solver, "batch", 2);
    }
    if (status == SUSTAIN_OK && t->failing) {
        char wrong[32];
        snprintf(wrong, sizeof wrong, "wrong-%d", t->seed);
        for (int i = 0; i < 100; i++) sustain_solver_set(solver, wrong, "1");
        snprintf(t->error, sizeof t->error, "%s", sustain_error(context));
    }
    if (status == SUSTAIN_OK) status = sustain_solver_run(solver, &(sustain_stopping){.iterations = ITERATIONS / 2}, NULL);
    if (status == SUSTAIN_OK && t->path[0] != '\0') status = half_way(context, t, problem, &solver);
    if (status == SUSTAIN_OK) status = sustain_solver_run(solver, &(sustain_stopping){.iterations = ITERATIONS}, &result);
    if (status == SUSTAIN_OK) {
        t->iterations = result.iterations;
        memcpy(t->x, result.x, (size_t)problem->upper_dim * sizeof *t->x);
        memcpy(t->y, result.y, (size_t)problem->lower_dim * sizeof *t->y);
    }
    sustain_solver_destroy(solver);
    return status;
}

static void *thread(void *user) {
    task *t = user;
    sustain_context *context = NULL;
    sustain_problem *own = NULL;
    t->status = sustain_context_create(&context);
    if (t->status != SUSTAIN_OK) return NULL;
    sustain_context_set_log(context, count_line, &t->log_lines);
    if (t->problem == NULL) {
        sustain_quadratic_options options = sustain_quadratic_defaults();
        options.seed = 1 + t->seed;
        options.samples = 40;
        t->status = sustain_quadratic_create(context, &options, &own);
    }
    if (t->status == SUSTAIN_OK) t->status = work(context, t, t->problem != NULL ? t->problem : own);
    sustain_quadratic_destroy(own);
    sustain_context_destroy(context);
    return NULL;
}

static int64_t lines; /* of all logs: some algorithms have nothing to say, not all of them */

/* All tasks one after the other, then all at once. */
static void check(task *tasks, int count) {
    task alone[MOST];
    pthread_t threads[MOST];
    memcpy(alone, tasks, (size_t)count * sizeof *tasks);
    for (int i = 0; i < count; i++) thread(&alone[i]);
    for (int i = 0; i < count; i++) assert_int_equal(pthread_create(&threads[i], NULL, thread, &tasks[i]), 0);
    for (int i = 0; i < count; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < count; i++) {
        assert_int_equal(alone[i].status, SUSTAIN_OK);
        assert_int_equal(tasks[i].status, SUSTAIN_OK);
        assert_int_equal(tasks[i].iterations, ITERATIONS);
        assert_int_equal(tasks[i].log_lines, alone[i].log_lines);
        lines += tasks[i].log_lines;
        if (memcmp(tasks[i].x, alone[i].x, sizeof alone[i].x) != 0 || memcmp(tasks[i].y, alone[i].y, sizeof alone[i].y) != 0)
            fail_msg("thread %d of %d, %s: other bits than alone", i, count, tasks[i].solver);
        assert_string_equal(tasks[i].error, alone[i].error);
        if (tasks[i].failing) {
            char wrong[32];
            snprintf(wrong, sizeof wrong, "'wrong-%d'", tasks[i].seed);
            assert_non_null(strstr(tasks[i].error, wrong));
        }
        for (int j = 0; j < i && !tasks[i].same; j++)
            assert_memory_not_equal(tasks[i].x, tasks[j].x, sizeof tasks[i].x); /* each did its own work */
    }
}

BENCH_OF_ALL_TESTS;

static void test_one_problem(void **state) {
    (void)state;
    static const int counts[] = {2, 6};
    for (int s = 0; s < sustain_solver_count(); s++)
        for (int i = 0; i < BENCH_PROBLEMS; i++)
            for (int c = 0; c < 2; c++) {
                const char *which;
                if (!suits(sustain_solver_at(s)->name, bench_problem(&b, i, &which))) continue;
                task tasks[MOST];
                memset(tasks, 0, sizeof tasks);
                for (int k = 0; k < counts[c]; k++)
                    tasks[k] = (task){
                        .solver = sustain_solver_at(s)->name, .problem = bench_problem(&b, i, &which), .seed = k, .failing = k % 2 == 0};
                check(tasks, counts[c]);
            }
    assert_true(lines > 0);
}

static void test_own_problems(void **state) {
    (void)state;
    for (int s = 0; s < sustain_solver_count(); s++) {
        task tasks[MOST];
        memset(tasks, 0, sizeof tasks);
        for (int k = 0; k < 3; k++) tasks[k] = (task){.solver = sustain_solver_at(s)->name, .seed = k, .failing = true};
        check(tasks, 3);
    }
}

/* Saving and loading meanwhile, into one folder. */
static void test_files(void **state) {
    (void)state;
    char folder[] = "/tmp/sustain-threads-XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (int s = 0; s < sustain_solver_count(); s++) {
        task tasks[MOST];
        memset(tasks, 0, sizeof tasks);
        for (int k = 0; k < 8; k++) {
            tasks[k] = (task){.solver = sustain_solver_at(s)->name, .problem = b.sum, .seed = k};
            snprintf(tasks[k].path, sizeof tasks[k].path, "%s/%d", folder, k);
        }
        check(tasks, 8);
        for (int k = 0; k < 8; k++) assert_int_equal(remove(tasks[k].path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* Each thread runs the checker and the estimates as well. */
static void *look(void *user) {
    const sustain_problem *problem = user;
    sustain_context *context = NULL;
    sustain_check_report report;
    if (sustain_context_create(&context) != SUSTAIN_OK) return NULL;
    const sustain_status status = sustain_check_problem(context, problem, NULL, NULL, 4, 1, &report);
    sustain_context_destroy(context);
    return status == SUSTAIN_OK && report.failed == 0 && report.count > 0 ? user : NULL;
}

static void test_checker(void **state) {
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, look, i % 2 == 0 ? b.sum : b.cleaning), 0);
    for (int i = 0; i < 4; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_problem),
        cmocka_unit_test(test_own_problems),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_checker),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* test_tune.c - exact answers of regtune against an independent script
 * (tests/golden/regtune_exact.py) and against differences; the same bits for any number of threads;
 * the job: noise features are found out, the test loss beats the best single penalty; refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/learn.h>
#include <sustain/sustain.h>

#ifndef SUSTAIN_SOURCE_DIR
#define SUSTAIN_SOURCE_DIR "."
#endif

/* ---- golden numbers ---- */

enum { TRAINING = 40, VALIDATION = 30, DIM = 4, CLASSES = 3, GROUPS = 3, MOST = 16 };
static const int32_t group[DIM] = {1, 0, 1, 2};

static uint32_t mixed(uint64_t a, uint64_t b, uint64_t c) {
    return (uint32_t)((a * 7919 + b * 104729 + c * 1299709 + 12345) * 2654435761u) >> 20;
}

typedef struct golden_rows {
    float values[TRAINING * DIM], targets[TRAINING];
    int32_t labels[TRAINING];
    sustain_rows rows;
} golden_rows;

static void fill(golden_rows *g, unsigned level, int count, sustain_regtune_loss loss) {
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < DIM; j++) {
            const uint32_t h = mixed(level + 1, (unsigned)i + 1, (unsigned)j + 1);
            g->values[i * DIM + j] = h % 3 == 0 ? 0 : ((float)h - 2048) / 1024;
        }
        const int32_t label = (int32_t)(mixed(level + 20, (unsigned)i + 1, 5) % (loss == SUSTAIN_REGTUNE_SOFTMAX ? CLASSES : 2));
        g->labels[i] = loss == SUSTAIN_REGTUNE_LOGISTIC ? 2 * label - 1 : label;
        g->targets[i] = ((float)mixed(level + 30, (unsigned)i + 1, 7) - 2048) / 1024;
    }
    g->rows = (sustain_rows){.count = count, .dim = DIM, .values = g->values, .labels = g->labels, .targets = g->targets};
}

static int number_of(const char *name, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return i;
    fail_msg("%s is not known", name);
    return 0;
}

typedef struct golden {
    sustain_regtune_options options;
    char quantity[16];
    int count;
    double number[MOST];
} golden;

static bool read_golden(FILE *from, golden *g) {
    static const char *const losses[] = {"logistic", "softmax", "squared"}, *const penalties[] = {"feature", "group", "class", "single"};
    char line[2048];
    if (fgets(line, sizeof line, from) == NULL) return false;
    g->options = sustain_regtune_defaults();
    g->options.loss = (sustain_regtune_loss)number_of(strtok(line, ",\n"), losses, 3);
    g->options.penalty = (sustain_regtune_penalty)number_of(strtok(NULL, ",\n"), penalties, 4);
    g->options.intercept = atoi(strtok(NULL, ",\n")) != 0;
    g->options.classes = CLASSES;
    g->options.groups = GROUPS;
    g->options.group = group;
    g->options.floor = 0.03125;
    snprintf(g->quantity, sizeof g->quantity, "%s", strtok(NULL, ",\n"));
    g->count = 0;
    for (char *word; (word = strtok(NULL, ",\n")) != NULL;) g->number[g->count++] = atof(word);
    return true;
}

static void test_golden(void **state) {
    (void)state;
    FILE *from = fopen(SUSTAIN_SOURCE_DIR "/tests/golden/regtune_exact.csv", "r");
    static golden_rows training, validation;
    sustain_context *context;
    golden g;
    int seen = 0;
    assert_non_null(from);
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    for (; read_golden(from, &g); seen++) {
        double x[DIM], y[MOST] = {0}, value, gradient[DIM];
        sustain_problem *problem;
        fill(&training, 0, TRAINING, g.options.loss);
        fill(&validation, 1, VALIDATION, g.options.loss);
        assert_int_equal(sustain_regtune_create(context, &g.options, &training.rows, &validation.rows, &problem), SUSTAIN_OK);
        for (int64_t i = 0; i < problem->upper_dim; i++) x[i] = ((double)mixed(10, 3, (uint64_t)i + 1) - 2048) / 2048 - 2;
        assert_int_equal(sustain_regtune_outer(problem, x, 1e-13, y, &value, gradient), SUSTAIN_OK);
        const double *own = strcmp(g.quantity, "y") == 0 ? y : strcmp(g.quantity, "value") == 0 ? &value : gradient;
        for (int i = 0; i < g.count; i++)
            if (!(fabs(own[i] - g.number[i]) <= 1e-10))
                fail_msg("loss %d penalty %d: %s %d is %.12g, not %.12g", (int)g.options.loss, (int)g.options.penalty, g.quantity, i,
                         own[i], g.number[i]);
        sustain_regtune_destroy(problem);
    }
    assert_int_equal(seen, 60);
    fclose(from);
    sustain_context_destroy(context);
}

/* ---- a larger problem, half of whose features are noise ---- */

enum { ROWS = 1000, TEST = 4000, FEATURES = 40 };

typedef struct made {
    float *values;
    int32_t *labels;
    sustain_rows rows;
} made;

static double weight_of(int j) {
    const double w = sustain_random_normal(101, 1, 0, (uint32_t)j);
    return j < FEATURES / 2 ? w + (w > 0 ? 0.5 : -0.5) : 0;
}

static made make(int64_t count, uint32_t stream) {
    made m = {malloc((size_t)count * FEATURES * sizeof(float)), malloc((size_t)count * sizeof(int32_t)), {0}};
    for (int64_t i = 0; i < count; i++) {
        double score = 0;
        for (int j = 0; j < FEATURES; j++) {
            const double value = sustain_random_normal(100, stream, (uint64_t)i, (uint32_t)j);
            m.values[i * FEATURES + j] = (float)value;
            score += value * weight_of(j);
        }
        m.labels[i] = sustain_random_uniform(100, stream + 50, (uint64_t)i, 0) < 1 / (1 + exp(-score)) ? 1 : -1;
    }
    m.rows = (sustain_rows){.count = count, .dim = FEATURES, .values = m.values, .labels = m.labels};
    return m;
}

static void unmake(made *m) {
    free(m->values);
    free(m->labels);
}

static double auc(const double *x) {
    double above = 0;
    for (int i = 0; i < FEATURES / 2; i++)
        for (int j = FEATURES / 2; j < FEATURES; j++) above += x[j] > x[i] ? 1 : x[j] == x[i] ? 0.5 : 0;
    return above / (FEATURES / 2) / (FEATURES / 2.0);
}

static void test_noise_is_found_out(void **state) {
    (void)state;
    made training = make(ROWS / 2, 1), validation = make(2 * ROWS, 2), test = make(TEST, 3);
    sustain_context *context;
    sustain_tune *tune;
    sustain_result run;
    sustain_tune_result result;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_tune_options options = sustain_tune_defaults();
    options.test = &test.rows;
    assert_int_equal(sustain_tune_create(context, &options, &training.rows, &validation.rows, &tune), SUSTAIN_OK);
    assert_int_equal(sustain_tune_start(tune), SUSTAIN_OK);
    const sustain_stopping stopping = sustain_tune_stopping(tune);
    assert_int_equal(sustain_solver_run(sustain_tune_solver(tune), &stopping, &run), SUSTAIN_OK);
    assert_int_equal(sustain_tune_finish(tune, &run, &result), SUSTAIN_OK);
    assert_true(result.exact);
    assert_true(auc(result.x) > 0.95);
    assert_true(result.score.upper_loss < result.single.upper_loss);
    assert_true(result.score.test_loss < result.single.test_loss);
    assert_true(result.single.test_loss < result.none.test_loss);
    assert_true(result.score.test_accuracy > 0.8);
    sustain_tune_destroy(tune);
    sustain_context_destroy(context);
    unmake(&training), unmake(&validation), unmake(&test);
}

/* By cross validation on the rows that the model is fitted to. */
static void test_folds_find_it_out_too(void **state) {
    (void)state;
    enum { FOLDS = 4 };
    made training = make(ROWS, 1), test = make(TEST, 3);
    int32_t fold[ROWS];
    for (int i = 0; i < ROWS; i++) fold[i] = i % FOLDS;
    sustain_context *context;
    sustain_tune *tune;
    sustain_result run;
    sustain_tune_result result;
    double loss, accuracy;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_tune_options options = sustain_tune_defaults();
    options.test = &test.rows;
    sustain_regtune_options model = sustain_regtune_defaults();
    model.intercept = true;
    model.folds = FOLDS;
    model.fold = fold;
    options.model = &model;
    assert_int_equal(sustain_tune_create(context, &options, &training.rows, &test.rows, &tune), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_tune_create(context, &options, &training.rows, &training.rows, &tune), SUSTAIN_OK);
    assert_int_equal(sustain_tune_start(tune), SUSTAIN_OK);
    const sustain_stopping stopping = sustain_tune_stopping(tune);
    assert_int_equal(sustain_solver_run(sustain_tune_solver(tune), &stopping, &run), SUSTAIN_OK);
    assert_int_equal(sustain_tune_finish(tune, &run, &result), SUSTAIN_OK);
    assert_true(result.exact);
    assert_true(auc(result.x) > 0.95);
    assert_true(result.score.upper_loss < result.single.upper_loss);
    assert_true(result.score.test_loss < result.single.test_loss);
    sustain_problem *whole; /* the model is that of all rows */
    model.folds = 0;
    assert_int_equal(sustain_regtune_create(context, &model, &training.rows, &training.rows, &whole), SUSTAIN_OK);
    double y[FEATURES + 1] = {0};
    assert_int_equal(sustain_regtune_solve(whole, result.x, 1e-10, y), SUSTAIN_OK);
    for (int j = 0; j <= FEATURES; j++) assert_true(fabs(y[j] - result.y[j]) <= 1e-7);
    assert_int_equal(sustain_regtune_score(whole, &test.rows, result.y, &loss, &accuracy), SUSTAIN_OK);
    assert_true(loss == result.score.test_loss && accuracy == result.score.test_accuracy);
    sustain_regtune_destroy(whole);
    sustain_tune_destroy(tune);
    sustain_context_destroy(context);
    unmake(&training), unmake(&test);
}

/* ---- steps by sign, where x is not free ---- */

#define LOWEST (-4.5)
#define HIGHEST (-2.5)

static int into_box(const void *self, sustain_real *x) {
    (void)self;
    for (int i = 0; i < FEATURES; i++) x[i] = (sustain_real)fmin(fmax((double)x[i], LOWEST), HIGHEST);
    return 0;
}

/* Steps by sign end where the box does: the penalties of noise at its top, others at its bottom. */
static void test_signs_stay_in_the_box(void **state) {
    (void)state;
    made training = make(ROWS / 2, 1), validation = make(2 * ROWS, 2);
    sustain_context *context;
    sustain_problem *made_problem;
    sustain_solver *solver;
    sustain_result run;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_regtune_options options = sustain_regtune_defaults();
    options.x_0 = -3.5;
    assert_int_equal(sustain_regtune_create(context, &options, &training.rows, &validation.rows, &made_problem), SUSTAIN_OK);
    sustain_problem_ops ops = *made_problem->ops;
    sustain_problem problem = *made_problem;
    ops.project_x = into_box;
    problem.ops = &ops;
    assert_int_equal(sustain_solver_create(context, "hoag", &problem, &solver), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "direction", "sign"), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "mu_g", "0.05"), SUSTAIN_OK);
    int at_top = 0, at_bottom = 0;
    for (int64_t t = 1; t <= 25; t++) {
        const sustain_stopping stopping = {.iterations = t, .every = 1000};
        assert_int_equal(sustain_solver_run(solver, &stopping, &run), SUSTAIN_OK);
        for (int i = 0; i < FEATURES; i++) assert_true((double)run.x[i] >= LOWEST && (double)run.x[i] <= HIGHEST);
    }
    for (int i = 0; i < FEATURES; i++) {
        at_top += i >= FEATURES / 2 && (double)run.x[i] == HIGHEST;
        at_bottom += i < FEATURES / 2 && (double)run.x[i] == LOWEST;
    }
    assert_true(at_top >= FEATURES / 4 && at_bottom >= FEATURES / 4);
    sustain_solver_destroy(solver);
    sustain_regtune_destroy(made_problem);
    sustain_context_destroy(context);
    unmake(&training), unmake(&validation);
}

static void test_gradient_is_that_of_the_value(void **state) {
    (void)state;
    made training = make(ROWS, 1), validation = make(ROWS, 2);
    sustain_context *context;
    sustain_problem *problem;
    double x[FEATURES], y[FEATURES + 1] = {0}, gradient[FEATURES], value, above, below;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_regtune_options options = sustain_regtune_defaults();
    options.intercept = true;
    assert_int_equal(sustain_regtune_create(context, &options, &training.rows, &validation.rows, &problem), SUSTAIN_OK);
    for (int i = 0; i < FEATURES; i++) x[i] = -4 + sustain_random_normal(102, 1, 0, (uint32_t)i);
    assert_int_equal(sustain_regtune_outer(problem, x, 1e-12, y, &value, gradient), SUSTAIN_OK);
    for (int i = 0; i < FEATURES; i += 7) {
        const double at = x[i], h = 1e-4;
        x[i] = at + h;
        assert_int_equal(sustain_regtune_outer(problem, x, 1e-12, y, &above, NULL), SUSTAIN_OK);
        x[i] = at - h;
        assert_int_equal(sustain_regtune_outer(problem, x, 1e-12, y, &below, NULL), SUSTAIN_OK);
        x[i] = at;
        if (!(fabs((above - below) / (2 * h) - gradient[i]) <= 1e-8))
            fail_msg("coordinate %d: %g, by differences %g", i, gradient[i], (above - below) / (2 * h));
    }
    sustain_regtune_destroy(problem);
    sustain_context_destroy(context);
    unmake(&training), unmake(&validation);
}

/* All sums over rows, exact and in sustain_real, for 1, 2, 3 and 8 threads. */
static void test_threads(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 8};
    made training = make(ROWS, 1), validation = make(ROWS, 2);
    training.rows.stored = validation.rows.stored = ROWS; /* many rows, so that a pass is worth threads */
    training.rows.count = validation.rows.count = 120 * ROWS;
    double x[FEATURES], exact[4][FEATURES], value[4], f[4];
    sustain_real gy[4][FEATURES], x_real[FEATURES] = {0}, y_real[FEATURES];
    for (int i = 0; i < FEATURES; i++) x[i] = 1, y_real[i] = (sustain_real)sustain_random_normal(103, 1, 0, (uint32_t)i);
    for (int t = 0; t < 4; t++) {
        sustain_context *context;
        sustain_problem *problem;
        double y[FEATURES] = {0};
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        assert_int_equal(sustain_context_set_threads(context, threads[t]), SUSTAIN_OK);
        const sustain_regtune_options options = sustain_regtune_defaults();
        assert_int_equal(sustain_regtune_create(context, &options, &training.rows, &validation.rows, &problem), SUSTAIN_OK);
        assert_int_equal(sustain_regtune_outer(problem, x, 1e-2, y, &value[t], exact[t]), SUSTAIN_OK);
        void *work = malloc(problem->ops->workspace(problem->self, 1));
        assert_int_equal(problem->ops->g_grad_y(problem->self, NULL, x_real, y_real, gy[t], work), 0);
        assert_int_equal(problem->ops->f_value(problem->self, NULL, x_real, y_real, &f[t], work), 0);
        free(work);
        assert_memory_equal(exact[t], exact[0], sizeof exact[0]);
        assert_memory_equal(gy[t], gy[0], sizeof gy[0]);
        assert_true(value[t] == value[0] && f[t] == f[0]);
        sustain_regtune_destroy(problem);
        sustain_context_destroy(context);
    }
    unmake(&training), unmake(&validation);
}

static void test_refusals(void **state) {
    (void)state;
    made training = make(20, 1), validation = make(20, 2);
    sustain_context *context;
    sustain_tune *tune;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_tune_options options = sustain_tune_defaults();
    options.solver = "hoga";
    assert_int_not_equal(sustain_tune_create(context, &options, &training.rows, &validation.rows, &tune), SUSTAIN_OK);
    assert_non_null(strstr(sustain_error(context), "hoag"));
    assert_null(tune);
    options = sustain_tune_defaults();
    memset(training.values, 0, 20 * FEATURES * sizeof(float));
    assert_int_equal(sustain_tune_create(context, &options, &training.rows, &validation.rows, &tune), SUSTAIN_ARGUMENT);
    assert_non_null(strstr(sustain_error(context), "nothing to learn from"));
    sustain_context_destroy(context);
    unmake(&training), unmake(&validation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_noise_is_found_out),
        cmocka_unit_test(test_folds_find_it_out_too),
        cmocka_unit_test(test_signs_stay_in_the_box),
        cmocka_unit_test(test_gradient_is_that_of_the_value),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_processes.c - a run on 1, 2, 3, 4 and 8 processes has the same bits; one that loses a
 * process ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/learn.h>
#include <sustain/meta.h>
#include <sustain/sustain.h>

#include "core/share.h"
#include "jobs/noise.h"
#include "meta/meta_internal.h"
#include "oracle/oracle.h"
#include "processes.h"

enum { MOST_RANKS = 8, ROWS = 1500, WIDE = 4096, DIM = 12, CLASSES = 3, TRUSTED = 100, NUMBERS = 20000 };

/* What a process computed. */
typedef struct outcome {
    sustain_status status;
    int64_t count;
    double number[NUMBERS];
} outcome;

static float *values, *wide;
static int32_t *labels, *signs;
static int64_t *start;
static int32_t *columns;
static sustain_pictures *pictures;
static sustain_context *own_context;

static int setup(void **state) {
    const sustain_picture_options options = {.height = 16, .width = 16};
    int64_t at = 0;
    (void)state;
    values = malloc(sizeof *values * ROWS * DIM);
    labels = malloc(sizeof *labels * ROWS);
    signs = malloc(sizeof *signs * ROWS);
    start = malloc(sizeof *start * (ROWS + 1));
    columns = malloc(sizeof *columns * ROWS * DIM);
    for (int64_t i = 0; i < ROWS; i++) {
        start[i] = at;
        labels[i] = (int32_t)(i % CLASSES);
        if (i % 10 == 9) labels[i] = (labels[i] + 1) % CLASSES; /* wrong */
        signs[i] = labels[i] == 1 ? 1 : -1;
        for (int64_t j = 0; j < DIM; j++, at++) {
            values[at] = (float)sustain_random_normal(100, 1, (uint64_t)i, (uint32_t)j) + (j == i % CLASSES ? 2.0F : 0.0F);
            columns[at] = (int32_t)j;
        }
    }
    start[ROWS] = at;
    wide = malloc(sizeof *wide * ROWS * WIDE);
    for (int64_t i = 0; i < (int64_t)ROWS * WIDE; i++) wide[i] = values[(i * 7919) % (ROWS * DIM)];
    if (sustain_context_create(&own_context) != SUSTAIN_OK) return -1;
    return sustain_pictures_named(own_context, "generated", NULL, SUSTAIN_SPLIT_TRAINING, &options, &pictures) == SUSTAIN_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    free(values), free(wide), free(labels), free(signs), free(start), free(columns);
    sustain_pictures_destroy(pictures);
    sustain_context_destroy(own_context);
    return 0;
}

static void keep(outcome *o, double number) {
    if (o->count < NUMBERS) o->number[o->count++] = number;
}

/* ---- what is computed ---- */

static void clean_rows(sustain_context *context, outcome *o, bool sparse) {
    sustain_rows rows = {.count = ROWS - TRUSTED, .dim = DIM, .values = values, .labels = labels};
    sustain_rows trusted = {.count = TRUSTED, .dim = DIM, .values = values + (ROWS - TRUSTED) * DIM, .labels = labels + ROWS - TRUSTED};
    if (sparse) {
        rows.start = start, rows.columns = columns;
        trusted = rows, trusted.count = TRUSTED;
    }
    sustain_clean_options options = sustain_clean_defaults();
    sustain_clean *clean = NULL;
    sustain_clean_result result;
    sustain_result run = {0};
    options.classes = CLASSES;
    options.baselines = true;
    o->status = sustain_clean_create(context, &options, &rows, &trusted, &clean);
    if (o->status == SUSTAIN_OK) {
        sustain_stopping stopping = sustain_clean_stopping(clean);
        stopping.iterations = 50;
        o->status = sustain_solver_run(sustain_clean_solver(clean), &stopping, &run);
    }
    if (o->status == SUSTAIN_OK) o->status = sustain_clean_finish(clean, run.x, run.y, &result);
    for (int64_t i = 0; o->status == SUSTAIN_OK && i < result.count; i++) keep(o, (double)result.quality[i]), keep(o, result.is_issue[i]);
    sustain_clean_destroy(clean);
}

static void clean_dense(sustain_context *context, int rank, void *user) {
    clean_rows(context, (outcome *)user + rank, false);
}

static void clean_sparse(sustain_context *context, int rank, void *user) {
    clean_rows(context, (outcome *)user + rank, true);
}

/* Where a sample is judged by, a process reads the rows of its own blocks alone: once the sample is
 * copied, the others are not there any more. */
enum { JUDGED = 512 }; /* rows of a block */

typedef struct owner {
    sustain_context *context;
    float *rows;
    int64_t count;
} owner;

static void forget_rows_of_others(void *user, const char *line) {
    const owner *o = user;
    if (strstr(line, "fits on") == NULL) return;
    const sustain__range own = sustain__share_range(o->context, (o->count + JUDGED - 1) / JUDGED);
    for (int64_t i = 0; i < o->count * DIM; i++)
        if (i / DIM < own.begin * JUDGED || i / DIM >= own.end * JUDGED) o->rows[i] = NAN;
}

static void clean_sampled(sustain_context *context, int rank, void *user) {
    enum { COUNT = ROWS - TRUSTED };
    outcome *o = (outcome *)user + rank;
    float *own = malloc(sizeof *own * COUNT * DIM);
    sustain_real *point = calloc(COUNT + (DIM + 1) * CLASSES, sizeof *point);
    memcpy(own, values, sizeof *own * COUNT * DIM);
    const sustain_rows rows = {.count = COUNT, .dim = DIM, .values = own, .labels = labels};
    const sustain_rows trusted = {.count = TRUSTED, .dim = DIM, .values = values + COUNT * DIM, .labels = labels + COUNT};
    sustain_clean_options options = sustain_clean_defaults();
    sustain_clean *clean = NULL;
    sustain_clean_result result;
    options.classes = CLASSES;
    options.fit_rows = 300;
    o->status = sustain_clean_create(context, &options, &rows, &trusted, &clean);
    sustain_context_set_log(context, forget_rows_of_others, &(owner){context, own, COUNT});
    if (o->status == SUSTAIN_OK) o->status = sustain_clean_finish(clean, point, point + COUNT, &result);
    sustain_context_set_log(context, NULL, NULL);
    for (int64_t i = 0; o->status == SUSTAIN_OK && i < result.count; i++) keep(o, (double)result.quality[i]), keep(o, result.suggested[i]);
    sustain_clean_destroy(clean);
    free(own), free(point);
}

/* The noise of labels, where so few rows are worth an exchange. */
static void estimate_noise(sustain_context *context, int rank, void *user) {
    outcome *o = (outcome *)user + rank;
    float p[ROWS * CLASSES];
    sustain_real noise[CLASSES * CLASSES];
    double rate, error;
    for (int i = 0; i < ROWS * CLASSES; i++) p[i] = i % CLASSES == i / CLASSES % CLASSES ? 0.8F : 0.1F;
    const sustain__views v = {.classes = CLASSES,
                              .count = ROWS - TRUSTED,
                              .training = p,
                              .given = labels,
                              .trusted_count = TRUSTED,
                              .trusted = p + (ROWS - TRUSTED) * CLASSES,
                              .right = labels + ROWS - TRUSTED,
                              .shared_from = 1};
    o->status = sustain__noise_estimate(context, &v, &rate, &error, noise);
    keep(o, rate), keep(o, error);
    for (int i = 0; i < CLASSES * CLASSES; i++) keep(o, (double)noise[i]);
}

static void select_penalties(sustain_context *context, int rank, void *user) {
    outcome *o = (outcome *)user + rank;
    const sustain_rows rows = {.count = 400, .dim = DIM, .values = values, .labels = signs};
    const int32_t group[DIM] = {0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2};
    sustain_select_options options = sustain_select_defaults();
    sustain_selection *selection = NULL;
    sustain_select_result result;
    options.group = group;
    options.groups = 3;
    o->status = sustain_select_create(context, &options, &rows, NULL, &selection);
    if (o->status == SUSTAIN_OK) o->status = sustain_select_run(selection, &result);
    for (int i = 0; o->status == SUSTAIN_OK && i < result.count; i++) keep(o, result.candidates[i].estimate);
    for (int64_t j = 0; o->status == SUSTAIN_OK && j < DIM; j++) keep(o, result.y[j]);
    sustain_select_destroy(selection);
}

/* Passes over all rows of a problem. */
static void pass(sustain_context *context, int rank, void *user) {
    outcome *o = (outcome *)user + rank;
    const sustain_rows rows = {.count = ROWS - 400, .dim = WIDE, .values = wide, .labels = signs};
    const sustain_rows validation = {.count = 400, .dim = WIDE, .values = wide + (ROWS - 400) * WIDE, .labels = signs + ROWS - 400};
    const sustain_regtune_options options = sustain_regtune_defaults();
    sustain_problem *problem = NULL;
    sustain__oracle oracle = {.context = context};
    sustain_real x[WIDE], y[WIDE + 1], out[WIDE + 1];
    double value;
    for (int j = 0; j < WIDE; j++) x[j] = -3, y[j] = (sustain_real)0.01 * (sustain_real)(j % 5);
    y[WIDE] = 0;
    o->status = sustain_regtune_create(context, &options, &rows, &validation, &problem);
    if (o->status == SUSTAIN_OK) o->status = sustain__oracle_create(context, problem, 1, false, &oracle);
    if (o->status == SUSTAIN_OK) o->status = sustain__g_value(&oracle, NULL, x, y, &value);
    if (o->status == SUSTAIN_OK) keep(o, value);
    for (int t = 0; t < 3 && o->status == SUSTAIN_OK; t++) {
        o->status = t < 2 ? sustain__g_grad_y(&oracle, NULL, x, y, out) : sustain__g_hess_vec(&oracle, NULL, x, y, y, out);
        for (int64_t j = 0; j < WIDE; j++) keep(o, (double)out[j]);
    }
    sustain__oracle_destroy(&oracle);
    sustain_regtune_destroy(problem);
}

/* Clients of the algorithm for many machines: fewer than processes, and more. */
static void federate(sustain_context *context, outcome *o, double clients) {
    const sustain_rows rows = {.count = ROWS - TRUSTED, .dim = DIM, .values = values, .labels = labels};
    const sustain_rows trusted = {
        .count = TRUSTED, .dim = DIM, .values = values + (ROWS - TRUSTED) * DIM, .labels = labels + ROWS - TRUSTED};
    sustain_hyperclean_options options = sustain_hyperclean_defaults();
    sustain_problem *problem = NULL;
    sustain_solver *solver = NULL;
    sustain_result run = {0};
    options.classes = CLASSES;
    o->status = sustain_hyperclean_create(context, &options, &rows, &trusted, &problem);
    if (o->status == SUSTAIN_OK) o->status = sustain_solver_create(context, "fedbioacc", problem, &solver);
    if (o->status == SUSTAIN_OK) o->status = sustain_solver_set_number(solver, "batch", 40);
    if (o->status == SUSTAIN_OK) o->status = sustain_solver_set_number(solver, "clients", clients);
    if (o->status == SUSTAIN_OK)
        o->status = sustain_solver_run(solver, &(sustain_stopping){.size = sizeof(sustain_stopping), .iterations = 5}, &run);
    for (int64_t i = 0; o->status == SUSTAIN_OK && i < problem->upper_dim; i++) keep(o, (double)run.x[i]);
    for (int64_t j = 0; o->status == SUSTAIN_OK && j < problem->lower_dim; j++) keep(o, (double)run.y[j]);
    if (o->status == SUSTAIN_OK) keep(o, (double)run.counts.samples[1]), keep(o, (double)run.counts.hessian_products);
    sustain_solver_destroy(solver);
    sustain_hyperclean_destroy(problem);
}

static void federate_few(sustain_context *context, int rank, void *user) {
    federate(context, (outcome *)user + rank, 3);
}

static void federate_many(sustain_context *context, int rank, void *user) {
    federate(context, (outcome *)user + rank, 10);
}

static void train_by(sustain_context *context, outcome *o, const char *solver) {
    sustain_meta_options options = sustain_meta_defaults();
    const sustain_meta_trial trial = {.tasks = 9, .queries = 3, .stream = 2};
    sustain_meta_progress progress;
    sustain_meta_score score;
    sustain_meta *meta = NULL;
    options.ways = 3, options.shots = 2, options.queries = 2, options.tasks = 19, options.width = 4, options.inner_steps = 2;
    if (solver != NULL) options.method = SUSTAIN_META_SOLVER, options.solver = solver, options.training_tasks = 25;
    o->status = sustain_meta_create(context, &options, pictures, &meta);
    for (int t = 0; t < 2 && o->status == SUSTAIN_OK; t++) o->status = sustain_meta_step(meta, &progress);
    if (o->status == SUSTAIN_OK) o->status = sustain_meta_evaluate(meta, pictures, &trial, &score);
    for (int64_t i = 0; o->status == SUSTAIN_OK && i < meta->setting.theta; i++) keep(o, (double)meta->theta[i]);
    if (o->status == SUSTAIN_OK) keep(o, progress.loss), keep(o, score.accuracy), keep(o, score.loss);
    sustain_meta_destroy(meta);
}

static void train(sustain_context *context, int rank, void *user) {
    train_by(context, (outcome *)user + rank, NULL);
}

static void train_by_soba(sustain_context *context, int rank, void *user) {
    train_by(context, (outcome *)user + rank, "soba");
}

/* ---- tests ---- */

static void same_for_any_number(process_work *work) {
    static const int ranks[] = {2, 3, 4, 8};
    outcome *one = calloc(1, sizeof *one), *all = calloc(MOST_RANKS, sizeof *all);
    processes_run(1, 2, -1, 0, work, one);
    assert_int_equal(one->status, SUSTAIN_OK);
    assert_true(one->count > 0);
    for (int i = 0; i < 4; i++) {
        memset(all, 0, MOST_RANKS * sizeof *all);
        const int exchanges = processes_run(ranks[i], 1, -1, 0, work, all);
        assert_true(exchanges > 0); /* the work is shared indeed */
        for (int r = 0; r < ranks[i]; r++) {
            assert_int_equal(all[r].status, SUSTAIN_OK);
            assert_int_equal(all[r].count, one->count);
            assert_memory_equal(all[r].number, one->number, (size_t)one->count * sizeof *one->number);
        }
    }
    free(one), free(all);
}

static void test_clean(void **state) {
    (void)state;
    same_for_any_number(clean_dense);
    same_for_any_number(clean_sparse);
    same_for_any_number(clean_sampled);
    same_for_any_number(estimate_noise);
}

static void test_tune(void **state) {
    (void)state;
    same_for_any_number(select_penalties);
    same_for_any_number(pass);
}

static void test_clients(void **state) {
    (void)state;
    same_for_any_number(federate_few);
    same_for_any_number(federate_many);
}

static void test_meta(void **state) {
    (void)state;
    same_for_any_number(train);
    same_for_any_number(train_by_soba);
}

/* The others do not wait for ever: their calls are cancelled, and nothing is leaked. */
static void test_lost(void **state) {
    static process_work *const works[] = {clean_dense, clean_sampled, estimate_noise, select_penalties,
                                          pass,        federate_many, train,          train_by_soba};
    (void)state;
    outcome *all = calloc(MOST_RANKS, sizeof *all);
    for (size_t w = 0; w < sizeof works / sizeof *works; w++)
        for (int leaves = 0; leaves < 3; leaves++) {
            memset(all, 0, MOST_RANKS * sizeof *all);
            processes_run(3, 1, 1, leaves, works[w], all);
            for (int r = 0; r < 3; r++) assert_int_equal(all[r].status, SUSTAIN_CANCELLED);
        }
    free(all);
}

static void test_refused(void **state) {
    sustain_communicator c = {.size = sizeof c, .rank = 2, .ranks = 2};
    (void)state;
    assert_int_equal(sustain_context_set_communicator(own_context, &c), SUSTAIN_ARGUMENT); /* no function */
    assert_int_equal(sustain_context_set_communicator(own_context, NULL), SUSTAIN_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clean), cmocka_unit_test(test_tune), cmocka_unit_test(test_clients),
                                       cmocka_unit_test(test_meta),  cmocka_unit_test(test_lost), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

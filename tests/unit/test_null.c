/* test_null.c - every function of the public headers with NULL in each place of a pointer: no
 * crash; what returns a status returns OK, where NULL is allowed, or ARGUMENT with a sentence. The
 * calls are made from the headers by null_calls.awk: a new function is among them by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sustain/fewshot.h>
#include <sustain/learn.h>
#include <sustain/meta.h>
#include <sustain/sustain.h>

#include "toy.h"

#ifndef SUSTAIN_SOURCE_DIR
#define SUSTAIN_SOURCE_DIR "."
#endif

/* ---- one of each ---- */

enum { ROWS = 12, DIM = 2, LONG = 4096 };

static const char *current;             /* the function that is called */
static const sustain_status *status_of; /* what it returned */

static sustain_context *context, *made_context;
static toy t;
static sustain_problem *quadratic, *regtune, *cleaning, *made_problem;
static sustain_solver *solver, *made_solver;
static sustain_dataset *set, *made_set;
static sustain_scaling *scaling, *made_scaling;
static sustain_pictures *pictures, *made_pictures;
static sustain_clean *clean, *made_clean;
static sustain_tune *tune, *made_tune;
static sustain_meta *meta, *made_meta;
static sustain_fewshot_model *model, *made_model_of_meta;
static sustain_fewshot *classifier, *made_classifier;
static sustain_model *made_model;
static sustain_table_encoding *made_encoding;
static sustain_dataset *read_table;
static sustain_selection *selection, *made_selection;
static sustain_select_options select_options;
static sustain_select_result select_result;
static const float halves[] = {0.5f, 0.5f};
static const sustain_probabilities probabilities = {.count = 1, .classes = 2, .values = halves, .type = SUSTAIN_FLOAT32};
static sustain_probabilities *made_probabilities;
static sustain_rows rows, signed_rows;
static float features[ROWS * DIM];
static int32_t labels[ROWS], signs[ROWS];
static double doubles[LONG];
static sustain_real reals[LONG];
static int64_t integers[LONG];
static int32_t numbers[LONG];
static bool answer;
static uint32_t words[LONG];
static float floats[LONG];
static uint8_t bytes[1 << 16];
static const uint8_t *picture_list[64];
static const char *names[4] = {"a", "b", "c", "d"};
static char text[LONG], *made_text;
static uint8_t *made_png;
static size_t size;
static int integer;
static sustain_result result;
static sustain_profile profile = {.size = sizeof profile};
static sustain_check_report report;
static sustain_clean_result clean_result;
static sustain_tune_result tune_result;
static sustain_meta_score score;
static sustain_memory memory_estimate = {.size = sizeof memory_estimate};
static sustain_meta_progress meta_progress;
static sustain_progress progress;
static sustain_constants constants;
static int no_exchange(void *self, void *buffer, const size_t *offset, sustain_cancel cancel, void *user) {
    return (void)self, (void)buffer, (void)offset, (void)cancel, (void)user, 0;
}
static sustain_communicator communicator = {.size = sizeof communicator, .ranks = 1, .exchange = no_exchange};
static sustain_plan plan;
static sustain_batch batch;
static sustain_stopping stopping = {.iterations = 1};
static sustain_clean_options clean_options;
static sustain_group_options group_options;
static sustain_group_errors group_errors[4];
static sustain_annotators_options annotators_options;
static const sustain_annotation annotations[1];
static sustain_annotator annotator_list[4];
static sustain_clean_rate clean_rate;
static sustain_tune_options tune_options;
static sustain_regtune_options regtune_options;
static sustain_hyperclean_options hyperclean_options;
static sustain_quadratic_options quadratic_options;
static sustain_softmax_options softmax_options;
static sustain_softmax_part softmax_part;
static sustain_meta_options meta_options;
static sustain_meta_trial trial = {.tasks = 1, .queries = 1, .stream = 1};
static sustain_read_options read_options;
static sustain_picture_options picture_options = {.height = 16, .width = 16};
static sustain_task_shape shape = {3, 1, 1};
static sustain_model written_model;
static const int32_t knot_feature[] = {0};
static const double knot[] = {1};
static const sustain_real wave_numbers[DIM + 1] = {1};
static const sustain_fourier waves = {.waves = 1, .w = wave_numbers};
static const sustain_splines splines = {.count = 1, .feature = knot_feature, .knot = knot};
static const sustain_parameter *table;

static const char nowhere[] = "/nothing/here";

static void begin(sustain_status status) {
    if (status == SUSTAIN_OK) return;
    fprintf(stderr, "test_null: %s\n", sustain_error(context));
    exit(1);
}

static void read_a_table(void) {
    static const char content[] = "a,b,y\n1,cat,1\n2,dog,2\n3,cat,1\n4,dog,2\n";
    char path[] = "/tmp/test_null.XXXXXX";
    const int file = mkstemp(path);
    const sustain_table_options columns = {.text_columns = NULL};
    const sustain_read_options options = {.label_column = "y", .table = &columns};
    if (file < 0 || write(file, content, sizeof content - 1) != (ssize_t)sizeof content - 1) exit(1);
    close(file);
    begin(sustain_dataset_read(context, path, &options, &read_table));
    unlink(path);
}

static void make_all(void) {
    begin(sustain_context_create(&context));
    toy_make(&t, false, TOY_SAMPLES, TOY_RIGHT);
    for (int i = 0; i < ROWS; i++) {
        labels[i] = i % 3, signs[i] = i % 2 == 0 ? 1 : -1;
        for (int j = 0; j < DIM; j++) features[i * DIM + j] = (float)(i * (j + 1) % 5) + 0.1f * (float)i;
    }
    rows = (sustain_rows){.count = ROWS, .dim = DIM, .values = features, .labels = labels};
    signed_rows = (sustain_rows){.count = ROWS, .dim = DIM, .values = features, .labels = signs};
    clean_options = sustain_clean_defaults(), clean_options.classes = 3, clean_options.folds = 2, clean_options.baselines = false;
    tune_options = sustain_tune_defaults();
    regtune_options = sustain_regtune_defaults();
    group_options = sustain_group_defaults(), group_options.classes = 3, group_options.groups = 3, group_options.group = labels;
    annotators_options = sustain_annotators_defaults();
    annotators_options.rows = 1, annotators_options.annotators = 1, annotators_options.classes = 2;
    hyperclean_options = sustain_hyperclean_defaults(), hyperclean_options.classes = 3;
    quadratic_options = sustain_quadratic_defaults(), quadratic_options.upper_dim = quadratic_options.lower_dim = 2;
    softmax_options = sustain_softmax_defaults(), softmax_options.classes = 3;
    softmax_part = (sustain_softmax_part){.rows = &rows};
    meta_options = sustain_meta_defaults();
    meta_options.ways = 3, meta_options.shots = meta_options.queries = meta_options.tasks = 1, meta_options.width = 2;
    constants = sustain_constants_unknown();
    table = sustain_constants_table(&integer);
    for (int i = 0; i < LONG; i++) integers[i] = i % 2, words[i] = (uint32_t)i, numbers[i] = i % 3;
    for (int i = 0; i < 64; i++) picture_list[i] = bytes;
    begin(sustain_quadratic_create(context, &quadratic_options, &quadratic));
    begin(sustain_regtune_create(context, &regtune_options, &signed_rows, &signed_rows, &regtune));
    begin(sustain_hyperclean_create(context, &hyperclean_options, &rows, &rows, &cleaning));
    begin(sustain_solver_create(context, "sustain", &t.problem, &solver));
    begin(sustain_clean_create(context, &clean_options, &rows, &rows, &clean));
    begin(sustain_tune_create(context, &tune_options, &signed_rows, &signed_rows, &tune));
    begin(sustain_generated_create(context, 20, 1, &set));
    begin(sustain_scaling_create(set, SUSTAIN_SCALING_ON, &scaling));
    begin(sustain_pictures_named(context, "generated", NULL, SUSTAIN_SPLIT_TEST, &picture_options, &pictures));
    begin(sustain_meta_create(context, &meta_options, pictures, &meta));
    begin(sustain_fewshot_model_read(context, SUSTAIN_SOURCE_DIR "/examples/fewshot.safetensors", &model));
    begin(sustain_fewshot_create(context, model, sustain_fewshot_model_about(model).ways, 25, &classifier));
    select_options = sustain_select_defaults(), select_options.folds = 2;
    begin(sustain_select_create(context, &select_options, &signed_rows, NULL, &selection));
    read_a_table();
    written_model = (sustain_model){.dim = 1, .classes = 2, .y = reals, .class_names = names};
    progress = (sustain_progress){.solver = solver};
    result.x = result.y = reals;
    batch = (sustain_batch){.size = 1, .index = integers};
}

static int no_cancel(void *user) {
    (void)user;
    return 0;
}

static sustain_pack *pack;

static sustain_status no_fill(void *user, sustain_pack *written) {
    (void)user, (void)written;
    return SUSTAIN_OK;
}

static void no_task(void *user, int64_t number) {
    (void)user, (void)number;
}

static void no_log(void *user, const char *line) {
    (void)user, (void)line;
}

static const sustain_problem *problem_of(const char *function) {
    if (strstr(function, "quadratic") != NULL) return quadratic;
    if (strstr(function, "regtune") != NULL) return regtune;
    return &t.problem;
}

static const sustain_rows *rows_of(const char *function) {
    return strstr(function, "regtune") != NULL || strstr(function, "tune_create") != NULL || strstr(function, "select") != NULL
               ? &signed_rows
               : &rows;
}

/* What a text is for: a name that is known there. */
static const char *text_of(const char *function) {
    if (strstr(function, "solver_create") != NULL || strstr(function, "minimize") != NULL) return "sustain";
    if (strstr(function, "named") != NULL) return "generated";
    if (strstr(function, "read") != NULL || strstr(function, "load") != NULL || strstr(function, "open") != NULL) return nowhere;
    if (strstr(function, "folder") != NULL || strstr(function, "add_file") != NULL) return nowhere;
    if (strstr(function, "write") != NULL || strstr(function, "save") != NULL) return nowhere;
    return "batch";
}

/* ---- an argument of each type ---- */

#define ARGUMENT_bool false
#define ARGUMENT_double 0.5
#define ARGUMENT_int (strcmp(current, "sustain_context_create_for") == 0 ? SUSTAIN_VERSION_NUMBER : 1)
#define ARGUMENT_int64_t 1
#define ARGUMENT_size_t (strcmp(current, "sustain_context_create_for") == 0 ? sizeof(sustain_real) : sizeof(size_t))
#define ARGUMENT_uint32_t 1
#define ARGUMENT_uint64_t 1
#define ARGUMENT_sustain_allocator NULL
#define ARGUMENT_sustain_cancel no_cancel
#define ARGUMENT_sustain_log_sink no_log
#define ARGUMENT_sustain_parallel_task no_task
#define ARGUMENT_sustain_pack_fill no_fill
#define ARGUMENT_sustain_field_type SUSTAIN_FIELD_REAL
#define ARGUMENT_sustain_inverse SUSTAIN_INVERSE_CG
#define ARGUMENT_sustain_noise SUSTAIN_NOISE_PAIR
#define ARGUMENT_sustain_npy_type SUSTAIN_NPY_FLOAT
#define ARGUMENT_sustain_part SUSTAIN_PART_TEST
#define ARGUMENT_sustain_phase SUSTAIN_PHASE_READ
#define ARGUMENT_sustain_picture ((sustain_picture){.height = 1, .width = 1, .channels = 1})
#define ARGUMENT_sustain_scaling_mode SUSTAIN_SCALING_ON
#define ARGUMENT_sustain_split SUSTAIN_SPLIT_TEST

#define ARGUMENT_char_p text
#define ARGUMENT_char_p_p (&made_text)
#define ARGUMENT_const_char_p text_of(current)
#define ARGUMENT_const_char_pconst__p names
#define ARGUMENT_const_double_p doubles
#define ARGUMENT_const_float_p floats
#define ARGUMENT_const_int32_t_p numbers
#define ARGUMENT_const_int64_t_p integers
#define ARGUMENT_const_uint32_t_p words
#define ARGUMENT_const_uint8_t_p bytes
#define ARGUMENT_const_uint8_t_pconst__p picture_list
#define ARGUMENT_const_unsignedchar_p bytes
#define ARGUMENT_const_void_p reals
#define ARGUMENT_bool_p &answer
#define ARGUMENT_double_p doubles
#define ARGUMENT_float_p floats
#define ARGUMENT_int32_t_p numbers
#define ARGUMENT_int64_t_p integers
#define ARGUMENT_int_p (&integer)
#define ARGUMENT_size_t_p (&size)
#define ARGUMENT_uint32_t_p words
#define ARGUMENT_uint8_t_p bytes
#define ARGUMENT_uint8_t_p_p (&made_png)
#define ARGUMENT_void_p (strstr(current, "tune") != NULL ? (void *)tune : (void *)&constants)
#define ARGUMENT_const_sustain_real_p reals
#define ARGUMENT_sustain_real_p reals

#define ARGUMENT_const_sustain_batch_p (&batch)
#define ARGUMENT_const_sustain_clean_options_p (&clean_options)
#define ARGUMENT_const_sustain_group_options_p (&group_options)
#define ARGUMENT_sustain_group_errors_p group_errors
#define ARGUMENT_sustain_annotators_options_p (&annotators_options)
#define ARGUMENT_const_sustain_annotators_options_p (&annotators_options)
#define ARGUMENT_const_sustain_annotation_p annotations
#define ARGUMENT_sustain_annotator_p annotator_list
#define ARGUMENT_const_sustain_communicator_p (&communicator)
#define ARGUMENT_const_sustain_constants_p (&constants)
#define ARGUMENT_const_sustain_dataset_p set
#define ARGUMENT_const_sustain_fewshot_model_p model
#define ARGUMENT_const_sustain_hyperclean_options_p (&hyperclean_options)
#define ARGUMENT_const_sustain_meta_options_p (&meta_options)
#define ARGUMENT_const_sustain_meta_p meta
#define ARGUMENT_const_sustain_meta_trial_p (&trial)
#define ARGUMENT_const_sustain_model_p (&written_model)
#define ARGUMENT_const_sustain_parameter_p table
#define ARGUMENT_const_sustain_picture_options_p (&picture_options)
#define ARGUMENT_const_sustain_pictures_p pictures
#define ARGUMENT_const_sustain_plan_p (&plan)
#define ARGUMENT_const_sustain_probabilities_p (&probabilities)
#define ARGUMENT_const_sustain_splines_p (&splines)
#define ARGUMENT_const_sustain_fourier_p (&waves)
#define ARGUMENT_const_sustain_select_options_p (&select_options)
#define ARGUMENT_const_sustain_selection_p selection
#define ARGUMENT_sustain_probabilities_p_p (&made_probabilities)
#define ARGUMENT_sustain_select_result_p (&select_result)
#define ARGUMENT_sustain_scaling_p scaling
#define ARGUMENT_sustain_selection_p selection
#define ARGUMENT_sustain_selection_p_p (&made_selection)
#define ARGUMENT_const_sustain_problem_p problem_of(current)
#define ARGUMENT_const_sustain_progress_p (&progress)
#define ARGUMENT_const_sustain_quadratic_options_p (&quadratic_options)
#define ARGUMENT_const_sustain_read_options_p (&read_options)
#define ARGUMENT_const_sustain_regtune_options_p (&regtune_options)
#define ARGUMENT_const_sustain_result_p (&result)
#define ARGUMENT_const_sustain_rows_p rows_of(current)
#define ARGUMENT_const_sustain_scaling_p scaling
#define ARGUMENT_const_sustain_softmax_options_p (&softmax_options)
#define ARGUMENT_const_sustain_softmax_part_p (&softmax_part)
#define ARGUMENT_const_sustain_solver_p solver
#define ARGUMENT_const_sustain_stopping_p (&stopping)
#define ARGUMENT_const_sustain_table_encoding_p read_table->encoding
#define ARGUMENT_const_sustain_task_shape_p (&shape)
#define ARGUMENT_const_sustain_tune_options_p (&tune_options)
#define ARGUMENT_sustain_check_report_p (&report)
#define ARGUMENT_const_sustain_clean_p clean
#define ARGUMENT_sustain_clean_p clean
#define ARGUMENT_sustain_clean_p_p (&made_clean)
#define ARGUMENT_sustain_clean_result_p (&clean_result)
#define ARGUMENT_sustain_clean_rate_p (&clean_rate)
#define ARGUMENT_sustain_constants_p (&constants)
#define ARGUMENT_sustain_context_p context
#define ARGUMENT_sustain_context_p_p (&made_context)
#define ARGUMENT_sustain_dataset_p set
#define ARGUMENT_sustain_dataset_p_p (&made_set)
#define ARGUMENT_sustain_fewshot_model_p_p (&made_model_of_meta)
#define ARGUMENT_sustain_fewshot_p classifier
#define ARGUMENT_sustain_fewshot_p_p (&made_classifier)
#define ARGUMENT_sustain_memory_p (&memory_estimate)
#define ARGUMENT_const_sustain_memory_p (&memory_estimate)
#define ARGUMENT_sustain_meta_p meta
#define ARGUMENT_sustain_meta_p_p (&made_meta)
#define ARGUMENT_sustain_meta_progress_p (&meta_progress)
#define ARGUMENT_sustain_meta_score_p (&score)
#define ARGUMENT_sustain_model_p_p (&made_model)
#define ARGUMENT_sustain_pictures_p_p (&made_pictures)
#define ARGUMENT_sustain_pack_p pack
#define ARGUMENT_sustain_plan_p (&plan)
#define ARGUMENT_sustain_profile_p (&profile)
#define ARGUMENT_sustain_problem_p_p (&made_problem)
#define ARGUMENT_sustain_result_p (&result)
#define ARGUMENT_sustain_scaling_p_p (&made_scaling)
#define ARGUMENT_sustain_solver_p solver
#define ARGUMENT_sustain_solver_p_p (&made_solver)
#define ARGUMENT_sustain_table_encoding_p_p (&made_encoding)
#define ARGUMENT_const_sustain_tune_p tune
#define ARGUMENT_sustain_tune_p tune
#define ARGUMENT_sustain_tune_p_p (&made_tune)
#define ARGUMENT_sustain_tune_result_p (&tune_result)

/* ---- the calls ---- */

static sustain_status returned;

#define STATUS(call) returned = call, status_of = &returned
#define OTHER(call) (void)call
#define CALL(function, place, kind, call)         \
    static void call_##function##_##place(void) { \
        current = #function;                      \
        kind(call);                               \
    }
#include "null_calls.h"
#undef CALL

static const struct {
    const char *function;
    int place;
    void (*call)(void);
} calls[] = {
#define CALL(function, place, kind, call) {#function, place, call_##function##_##place},
#include "null_calls.h"
#undef CALL
};
enum { CALLS = sizeof calls / sizeof *calls };

/* In a process of its own, which ends with what it saw: 0 is right. */
enum { SILENT = 50 };
static int try_call(int i) {
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int number = 1; number < 16; number++) signal(number, SIG_DFL); /* cmocka has handlers */
        alarm(20);
        calls[i].call();
        if (status_of == NULL || returned == SUSTAIN_OK) _exit(0);
        if ((returned == SUSTAIN_IO || returned == SUSTAIN_WRITE) && strstr(sustain_error(context), nowhere) != NULL)
            _exit(0); /* NULL is allowed, the file is not there */
        if (returned != SUSTAIN_ARGUMENT) _exit(100 + (int)returned);
        const bool can_say = calls[i].place > 1 && strstr(calls[i].function, "context_create") == NULL; /* there is a context */
        _exit(!can_say || sustain_error(context)[0] != '\0' ? 0 : SILENT);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* While a packed file is written: only then there is one. */
static sustain_status call_all(void *user, sustain_pack *written) {
    int *wrong = user;
    pack = written;
    for (int i = 0; i < CALLS; i++) {
        const int outcome = try_call(i);
        if (outcome == 0) continue;
        ++*wrong;
        if (outcome < 0)
            print_message("%s, argument %d NULL: signal %d\n", calls[i].function, calls[i].place, -outcome);
        else if (outcome == SILENT)
            print_message("%s, argument %d NULL: no sentence\n", calls[i].function, calls[i].place);
        else
            print_message("%s, argument %d NULL: %s\n", calls[i].function, calls[i].place,
                          sustain_status_name((sustain_status)(outcome - 100)));
    }
    return SUSTAIN_OK;
}

static void test_null_everywhere(void **state) {
    (void)state;
    int wrong = 0;
    make_all();
    assert_true(CALLS > 300);
    assert_int_equal(sustain_pack_write(context, "/dev/null", call_all, &wrong, NULL), SUSTAIN_FORMAT); /* it has no rows */
    assert_int_equal(wrong, 0);
}

/* Numbers out of range come back too. */
static void test_out_of_range(void **state) {
    (void)state;
    static const int64_t sizes[] = {INT64_MIN, -1, 0, 1, 2, 3, 5, 1000, INT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int64_t at = -2; at < 7; at++) {
            const int64_t n = sizes[i], permuted = sustain_random_permuted(1, 2, 3, at, n), drawn = sustain_random_index(1, 2, 3, 4, n);
            assert_true(permuted >= 0 && permuted < (n < 1 ? 1 : n));
            assert_true(drawn >= 0 && drawn < (n < 1 ? 1 : n));
        }
    assert_true(sustain_random_permuted(1, 2, 3, INT64_MAX, 7) < 7);
    assert_null(sustain_solver_at(-1));
    assert_null(sustain_solver_at(sustain_solver_count()));
    assert_null(sustain_solver_choice(-1));
    assert_null(sustain_named_at(-1));
    assert_null(sustain_named_at(sustain_named_count()));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_null_everywhere), cmocka_unit_test(test_out_of_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_sized.c - structures that begin with their size: callers older and newer than the
 * library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <sustain/clean.h>
#include <sustain/tune.h>

#include "core/sized.h"

/* The structure as three versions of a library know it. */
typedef struct first {
    size_t size;
    int64_t a;
} first;
typedef struct second {
    size_t size;
    int64_t a, b;
} second;
typedef struct third {
    size_t size;
    int64_t a, b, c;
} third;

static const second defaults = {.a = 1, .b = 2};

static int make_context(void **state) {
    sustain_context *context;
    const sustain_status status = sustain_context_create(&context);
    *state = context;
    return status == SUSTAIN_OK ? 0 : -1;
}

static int free_context(void **state) {
    sustain_context_destroy(*state);
    return 0;
}

static sustain_status take(sustain_context *context, const void *given, second *to) {
    *to = defaults;
    return sustain__sized_take(context, "the options", given, sizeof(first), to, sizeof *to);
}

static void test_fills_what_the_caller_has(void **state) {
    (void)state;
    struct {
        first options;
        int64_t beyond;
    } old = {.beyond = 77};
    sustain__sized_fill(&old.options, sizeof old.options, &defaults, sizeof defaults);
    assert_int_equal(old.options.size, sizeof(first));
    assert_int_equal(old.options.a, 1);
    assert_int_equal(old.beyond, 77);
    third newer = {.c = 5};
    sustain__sized_fill(&newer, sizeof newer, &defaults, sizeof defaults);
    assert_int_equal(newer.size, sizeof newer);
    assert_int_equal(newer.b, 2);
    assert_int_equal(newer.c, 0);
}

static void test_takes_what_the_caller_has(void **state) {
    second taken;
    const struct {
        first options;
        int64_t beyond;
    } old = {.options = {sizeof(first), 10}, .beyond = 77};
    assert_int_equal(take(*state, &old.options, &taken), SUSTAIN_OK);
    assert_true(taken.size == sizeof taken && taken.a == 10 && taken.b == 2); /* the default, not 77 */
    const struct {
        first options;
        int64_t beyond;
    } zeroed = {.options = {0, 10}, .beyond = 77};
    assert_int_equal(take(*state, &zeroed.options, &taken), SUSTAIN_OK);
    assert_true(taken.a == 10 && taken.b == 2);
    third newer = {.size = sizeof newer, .a = 10, .b = 20};
    assert_int_equal(take(*state, &newer, &taken), SUSTAIN_OK);
    assert_true(taken.a == 10 && taken.b == 20);
    newer.c = 1;
    assert_int_equal(take(*state, &newer, &taken), SUSTAIN_ARGUMENT);
    assert_non_null(strstr(sustain_error(*state), "does not know"));
}

static void test_refuses_sizes_that_cannot_be(void **state) {
    second taken;
    const first small = {.size = sizeof(size_t) - 1}, large = {.size = SIZE_MAX};
    assert_int_equal(take(*state, &small, &taken), SUSTAIN_ARGUMENT);
    assert_int_equal(take(*state, &large, &taken), SUSTAIN_ARGUMENT);
    assert_int_equal(take(*state, NULL, &taken), SUSTAIN_ARGUMENT);
}

/* The jobs read no field beyond the size: these pointers would crash. */
static void test_jobs_read_no_field_beyond(void **state) {
    const float values[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const int32_t labels[] = {0, 1, 0, 1, 0, 1, 0, 1};
    const sustain_rows rows = {.count = 8, .dim = 1, .values = values, .labels = labels};
    sustain_clean_options options = sustain_clean_defaults();
    sustain_clean *clean;
    options.size = offsetof(sustain_clean_options, truth);
    options.classes = 2;
    options.folds = 2;
    options.truth = (const int32_t *)1;
    options.test = (const sustain_rows *)1;
    assert_int_equal(sustain_clean_create(*state, &options, &rows, &rows, &clean), SUSTAIN_OK);
    sustain_clean_destroy(clean);
    options.size = 7;
    assert_int_equal(sustain_clean_create(*state, &options, &rows, &rows, &clean), SUSTAIN_ARGUMENT);

    const int32_t signs[] = {-1, 1, -1, 1, -1, 1, -1, 1};
    const sustain_rows signed_rows = {.count = 8, .dim = 1, .values = values, .labels = signs};
    sustain_tune_options tuning = sustain_tune_defaults();
    sustain_tune *tune;
    tuning.size = offsetof(sustain_tune_options, watched);
    tuning.watched = tuning.test = (const sustain_rows *)1;
    assert_int_equal(sustain_tune_create(*state, &tuning, &signed_rows, &signed_rows, &tune), SUSTAIN_OK);
    assert_int_equal(sustain_tune_start(tune), SUSTAIN_OK);
    sustain_tune_destroy(tune);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fills_what_the_caller_has),
        cmocka_unit_test_setup_teardown(test_takes_what_the_caller_has, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_refuses_sizes_that_cannot_be, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_jobs_read_no_field_beyond, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_context.c - status texts, the context's allocator, error text and log, and who is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <sustain/sustain.h>

#include "core/context_internal.h"
#include "failing_allocator.h"

/* The numbers are part of what programs are compiled with: they do not change, new ones come at the
 * end. */
static void test_statuses(void **state) {
    (void)state;
    static const struct {
        int number;
        const char *name, *says;
    } all[] = {
        {0, "OK", "done"},
        {1, "PRECISION", "libsustain-double"},
        {2, "VERSION", "compile it again"},
        {3, "ARGUMENT", "argument"},
        {4, "MEMORY", "out of memory"},
        {5, "UNKNOWN_NAME", "name"},
        {6, "PARAMETER", "range"},
        {7, "MISSING_ORACLE", "does not offer"},
        {8, "CONSTANTS", "theory"},
        {9, "ORACLE_FAILED", "failed"},
        {10, "DRAW_DROPPED", "drop"},
        {11, "NOT_FINITE", "not finite"},
        {12, "DIVERGED", "diverged"},
        {13, "NOT_CONVERGED", "tolerance"},
        {14, "NOT_CONVEX", "strongly convex"},
        {15, "ORDER", "in the current state of the object"},
        {16, "IO", "not be read"},
        {17, "FORMAT", "form"},
        {18, "MISMATCH", "another problem"},
        {19, "CANCELLED", "stop"},
        {20, "WRITE", "not be written"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_string_equal(sustain_status_name((sustain_status)all[i].number), all[i].name);
        if (strstr(sustain_status_text((sustain_status)all[i].number), all[i].says) == NULL)
            fail_msg("%s: '%s' does not say '%s'", all[i].name, sustain_status_text((sustain_status)all[i].number), all[i].says);
    }
    assert_int_equal(SUSTAIN_OK, 0);
    assert_int_equal(SUSTAIN_NOT_CONVEX, 14);
    assert_int_equal(SUSTAIN_MISMATCH, 18);
    for (int i = 0; i < SUSTAIN_STATUS_COUNT; i++)
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(sustain_status_name((sustain_status)i), sustain_status_name((sustain_status)j));
            assert_string_not_equal(sustain_status_text((sustain_status)i), sustain_status_text((sustain_status)j));
        }
    assert_string_equal(sustain_status_name(SUSTAIN_STATUS_COUNT), "UNKNOWN");
    assert_string_equal(sustain_status_name((sustain_status)-1), "UNKNOWN");
    assert_string_equal(sustain_status_text((sustain_status)9999), "unknown status");
}

static void test_stops(void **state) {
    (void)state;
    static const char *const says[] = {"by itself", "iterations", "samples", "time", "gradient", "improves", "observer"};
    assert_int_equal(SUSTAIN_STOP_NONE, 0);
    assert_int_equal(SUSTAIN_STOP_SECONDS, 3);
    assert_int_equal(SUSTAIN_STOP_OBSERVER, 6);
    for (int i = 0; i < (int)(sizeof says / sizeof *says); i++) {
        if (strstr(sustain_stop_text((sustain_stop)i), says[i]) == NULL)
            fail_msg("stop %d: '%s' does not say '%s'", i, sustain_stop_text((sustain_stop)i), says[i]);
        for (int j = 0; j < i; j++) assert_string_not_equal(sustain_stop_text((sustain_stop)i), sustain_stop_text((sustain_stop)j));
    }
    assert_string_equal(sustain_stop_text((sustain_stop)9999), "");
    assert_string_equal(sustain_stop_text((sustain_stop)-1), "");
}

static void test_version(void **state) {
    (void)state;
    char expected[64];
    snprintf(expected, sizeof expected, "%d.%d.%d", SUSTAIN_VERSION_MAJOR, SUSTAIN_VERSION_MINOR, SUSTAIN_VERSION_PATCH);
    assert_string_equal(sustain_version(), expected);
    assert_int_equal(sustain_version_number(), SUSTAIN_VERSION_NUMBER);
    assert_string_equal(sustain_precision(), sizeof(sustain_real) == 8 ? "double" : "float");
}

/* A program compiled for the other precision, or against headers of another minor version, gets no
 * context. */
static void test_refused_programs(void **state) {
    (void)state;
    sustain_context *context = (sustain_context *)(void *)&context;
    assert_int_equal(sustain_context_create_for(12 - sizeof(sustain_real), SUSTAIN_VERSION_NUMBER, NULL, NULL, &context),
                     SUSTAIN_PRECISION);
    assert_null(context);
    context = (sustain_context *)(void *)&context;
    assert_int_equal(sustain_context_create_for(sizeof(sustain_real), SUSTAIN_VERSION_NUMBER + 100, NULL, NULL, &context), SUSTAIN_VERSION);
    assert_null(context);
    assert_int_equal(sustain_context_create(NULL), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_context_create_for(sizeof(sustain_real), SUSTAIN_VERSION_NUMBER + 1, NULL, NULL, &context), SUSTAIN_OK);
    sustain_context_destroy(context);
    sustain_context_destroy(NULL);
    assert_string_equal(sustain_error(NULL), "");
}

static void test_allocator(void **state) {
    (void)state;
    failing_allocator_state memory = {.fail_at = 1};
    sustain_context *context = (sustain_context *)(void *)&context;
    assert_int_equal(sustain_context_create_with(failing_allocator, &memory, &context), SUSTAIN_MEMORY);
    assert_null(context);
    assert_int_equal(sustain_context_create_with(failing_allocator, &memory, &context), SUSTAIN_OK);
    assert_string_equal(sustain_error(context), "");

    unsigned char *block = NULL, zeros[100] = {0};
    assert_int_equal(sustain__allocate(context, sizeof zeros, &block), SUSTAIN_OK);
    assert_memory_equal(block, zeros, sizeof zeros); /* though the allocator hands out garbage */
    assert_int_equal(memory.live, 2);
    sustain__free(context, block);
    assert_int_equal(sustain__allocate(context, 0, &block), SUSTAIN_OK);
    assert_non_null(block);
    sustain__free(context, block);
    sustain__free(context, NULL);

    memory.fail_at = memory.calls + 1;
    block = zeros;
    assert_int_equal(sustain__allocate(context, 4711, &block), SUSTAIN_MEMORY);
    assert_null(block);
    assert_non_null(strstr(sustain_error(context), "4711"));
    sustain_context_destroy(context);
    assert_int_equal(memory.live, 0);
}

/* Enough for large pages, twice: the second time the memory may be what the first left behind. */
static void test_large(void **state) {
    (void)state;
    enum { BYTES = 5000000 };
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    for (int time = 0; time < 2; time++) {
        unsigned char *block = NULL;
        int64_t others = 0;
        assert_int_equal(sustain__allocate(context, BYTES, &block), SUSTAIN_OK);
        assert_true((uintptr_t)block % 64 == 0);
        for (int64_t i = 0; i < BYTES; i++) others += block[i] != 0;
        assert_int_equal(others, 0);
        memset(block, 1, BYTES);
        sustain__free(context, block);
    }
    sustain_context_destroy(context);
}

static void test_multiply(void **state) {
    (void)state;
    assert_true(sustain__multiply(6, 7) == 42);
    assert_true(sustain__multiply(0, SIZE_MAX) == 0);
    assert_true(sustain__multiply(SIZE_MAX, 0) == 0);
    assert_true(sustain__multiply(SIZE_MAX, 1) == SIZE_MAX);
    assert_true(sustain__multiply(SIZE_MAX / 2 + 1, 2) == SIZE_MAX);
    assert_true(sustain__multiply((size_t)1 << 33, (size_t)1 << 33) == SIZE_MAX);
}

/* A long sentence is cut, and the old text may be an argument of the new one. */
static void test_error_text(void **state) {
    (void)state;
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    char longer[2000];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(sustain__fail(context, SUSTAIN_IO, "%s", longer), SUSTAIN_IO);
    assert_int_equal(strlen(sustain_error(context)), sizeof context->error - 1);
    assert_int_equal(strspn(sustain_error(context), "a"), sizeof context->error - 1);
    assert_int_equal(sustain__fail(context, SUSTAIN_FORMAT, "first %d", 1), SUSTAIN_FORMAT);
    assert_int_equal(sustain__fail(context, SUSTAIN_FORMAT, "%s, then second", sustain_error(context)), SUSTAIN_FORMAT);
    assert_string_equal(sustain_error(context), "first 1, then second");
    sustain_context_destroy(context);
}

typedef struct lines {
    int count;
    char last[1024];
} lines;

static void keep(void *user, const char *line) {
    lines *log = user;
    log->count++;
    snprintf(log->last, sizeof log->last, "%s", line);
}

static void test_log(void **state) {
    (void)state;
    sustain_context *context;
    lines log = {0, ""};
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain__log(context, "nobody %s", "listens");
    sustain_context_set_log(context, keep, &log);
    sustain__log(context, "%d + %d", 1, 2);
    assert_int_equal(log.count, 1);
    assert_string_equal(log.last, "1 + 2");
    sustain__log(context, "%2000d", 1);
    assert_int_equal(log.count, 2);
    assert_int_equal(strlen(log.last), 511);
    sustain_context_set_log(context, NULL, NULL);
    sustain__log(context, "dropped");
    assert_int_equal(log.count, 2);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statuses),         cmocka_unit_test(test_stops),     cmocka_unit_test(test_version),
        cmocka_unit_test(test_refused_programs), cmocka_unit_test(test_allocator), cmocka_unit_test(test_multiply),
        cmocka_unit_test(test_error_text),       cmocka_unit_test(test_log),       cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

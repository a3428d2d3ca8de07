/* test_parameter.c - tables of parameters: defaults, text in and out, refusals with range and
 * nearest name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sustain/random.h>

#include "core/parameter_internal.h"

#include "fixture.h"

typedef struct values {
    int64_t whole, wide;
    double number, unknown;
    int word;
    int64_t guard;
} values;

static const sustain_parameter table[] = {
    {"whole", SUSTAIN_PARAMETER_INTEGER, offsetof(values, whole), 5, 1, 100, NULL, ""},
    {"wide", SUSTAIN_PARAMETER_INTEGER, offsetof(values, wide), 0, -0x1p53, 0x1p53, NULL, ""},
    {"number", SUSTAIN_PARAMETER_NUMBER, offsetof(values, number), 1.0 / 3, -1e300, 1e300, NULL, ""},
    {"unknown", SUSTAIN_PARAMETER_NUMBER, offsetof(values, unknown), NAN, 0, 1e9, NULL, ""},
    {"word", SUSTAIN_PARAMETER_CHOICE, offsetof(values, word), 1, 0, 3, "one|two|twofold|3", ""},
};
enum { COUNT = sizeof table / sizeof *table };

static values defaults(void) {
    values v;
    memset(&v, 0x5A, sizeof v);
    sustain_parameters_reset(table, COUNT, &v);
    return v;
}

static sustain_status set(values *v, const char *name, const char *text) {
    return sustain_parameters_set(context, table, COUNT, v, name, text);
}

/* Refused: the status, a part of the sentence, and nothing stored. */
static void refused(const char *name, const char *text, sustain_status expected, const char *sentence) {
    values v = defaults();
    const values before = v;
    const sustain_status status = set(&v, name, text);
    if (status != expected) fail_msg("%s = '%s': %s", name, text, sustain_status_name(status));
    if (strstr(sustain_error(context), sentence) == NULL) fail_msg("%s = '%s': '%s'", name, text, sustain_error(context));
    assert_memory_equal(&v, &before, sizeof v);
}

static void test_defaults(void **state) {
    (void)state;
    const values v = defaults();
    assert_int_equal(v.whole, 5);
    assert_int_equal(v.wide, 0);
    assert_true(v.number == 1.0 / 3);
    assert_true(isnan(v.unknown));
    assert_int_equal(v.word, 1);
    assert_int_equal(v.guard, 0x5A5A5A5A5A5A5A5A);
}

static void test_set(void **state) {
    (void)state;
    values v = defaults();
    assert_int_equal(set(&v, "whole", "64"), SUSTAIN_OK);
    assert_int_equal(v.whole, 64);
    assert_int_equal(set(&v, "whole", "1e2"), SUSTAIN_OK);
    assert_int_equal(v.whole, 100);
    assert_int_equal(set(&v, "wide", "-9007199254740992"), SUSTAIN_OK);
    assert_true(v.wide == -((int64_t)1 << 53));
    assert_int_equal(set(&v, "wide", "9007199254740992"), SUSTAIN_OK);
    assert_true(v.wide == (int64_t)1 << 53);
    assert_int_equal(set(&v, "number", "-2.5e-3"), SUSTAIN_OK);
    assert_true(v.number == -2.5e-3);
    assert_int_equal(set(&v, "unknown", "0"), SUSTAIN_OK);
    assert_true(v.unknown == 0);
    assert_int_equal(set(&v, "word", "twofold"), SUSTAIN_OK);
    assert_int_equal(v.word, 2);
    assert_int_equal(set(&v, "word", "3"), SUSTAIN_OK);
    assert_int_equal(v.word, 3);
    assert_int_equal(v.guard, 0x5A5A5A5A5A5A5A5A);
}

static void test_set_number(void **state) {
    (void)state;
    values v = defaults();
    assert_int_equal(sustain_parameters_set_number(context, table, COUNT, &v, "whole", 7), SUSTAIN_OK);
    assert_int_equal(v.whole, 7);
    assert_int_equal(sustain_parameters_set_number(context, table, COUNT, &v, "number", DBL_MIN / 4), SUSTAIN_OK);
    assert_true(v.number == DBL_MIN / 4);
    const values before = v;
    const struct {
        const char *name;
        double value;
        sustain_status status;
    } bad[] = {{"whole", 7.5, SUSTAIN_PARAMETER},        {"whole", NAN, SUSTAIN_PARAMETER},   {"whole", INFINITY, SUSTAIN_PARAMETER},
               {"whole", 0, SUSTAIN_PARAMETER},          {"whole", 101, SUSTAIN_PARAMETER},   {"number", NAN, SUSTAIN_PARAMETER},
               {"number", -INFINITY, SUSTAIN_PARAMETER}, {"unknown", NAN, SUSTAIN_PARAMETER}, {"unknown", -1, SUSTAIN_PARAMETER},
               {"word", 1, SUSTAIN_PARAMETER},           {"wohle", 1, SUSTAIN_UNKNOWN_NAME}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const sustain_status status = sustain_parameters_set_number(context, table, COUNT, &v, bad[i].name, bad[i].value);
        if (status != bad[i].status) fail_msg("%s = %g: %s", bad[i].name, bad[i].value, sustain_status_name(status));
        assert_memory_equal(&v, &before, sizeof v);
    }
}

static void test_refusals(void **state) {
    (void)state;
    refused("whole", "0", SUSTAIN_PARAMETER, "whole = 0 is not a whole number from 1 to 100");
    refused("whole", "101", SUSTAIN_PARAMETER, "from 1 to 100");
    refused("whole", "-5", SUSTAIN_PARAMETER, "from 1 to 100");
    refused("whole", "2.5", SUSTAIN_PARAMETER, "a whole number");
    refused("whole", "1e300", SUSTAIN_PARAMETER, "a whole number");
    refused("whole", "nan", SUSTAIN_PARAMETER, "a whole number");
    refused("wide", "9007199254740994", SUSTAIN_PARAMETER, "a whole number");
    refused("number", "nan", SUSTAIN_PARAMETER, "number = nan is not a number from -1e+300 to 1e+300");
    refused("number", "-nan", SUSTAIN_PARAMETER, "is not a number");
    refused("number", "inf", SUSTAIN_PARAMETER, "is not a number");
    refused("number", "-inf", SUSTAIN_PARAMETER, "is not a number");
    refused("number", "1e999", SUSTAIN_PARAMETER, "is not a number");
    refused("number", "fast", SUSTAIN_PARAMETER, "number = fast is not a number");
    refused("number", "", SUSTAIN_PARAMETER, "is not a number");
    refused("number", " 1", SUSTAIN_PARAMETER, "is not a number");
    refused("number", "1 ", SUSTAIN_PARAMETER, "is not a number");
    refused("number", "1x", SUSTAIN_PARAMETER, "is not a number");
    refused("number", "1,5", SUSTAIN_PARAMETER, "is not a number");
    refused("unknown", "-0.001", SUSTAIN_PARAMETER, "from 0 to 1e+09");
    refused("word", "three", SUSTAIN_PARAMETER, "word = 'three' is not one of one|two|twofold|3");
    refused("word", "tw", SUSTAIN_PARAMETER, "is not one of");
    refused("word", "one|two", SUSTAIN_PARAMETER, "is not one of");
    refused("word", "", SUSTAIN_PARAMETER, "is not one of");
    refused("word", "0", SUSTAIN_PARAMETER, "is not one of");
    refused("whloe", "5", SUSTAIN_UNKNOWN_NAME, "no parameter is called 'whloe'; did you mean 'whole'?");
    refused("Number", "5", SUSTAIN_UNKNOWN_NAME, "did you mean 'number'?");
    refused("zebra", "5", SUSTAIN_UNKNOWN_NAME, "no parameter is called 'zebra'");
    assert_null(strstr(sustain_error(context), "did you mean"));
}

/* What print writes, set reads back with the same bits. */
static void round_trip(values *v) {
    values again = defaults();
    for (int i = 0; i < COUNT; i++) {
        char text[64];
        sustain_parameter_print(&table[i], v, text, sizeof text);
        if (set(&again, table[i].name, text) != SUSTAIN_OK) fail_msg("%s = %s: %s", table[i].name, text, sustain_error(context));
    }
    assert_memory_equal(&again.whole, &v->whole, sizeof v->whole);
    assert_memory_equal(&again.wide, &v->wide, sizeof v->wide);
    assert_memory_equal(&again.number, &v->number, sizeof v->number);
    assert_memory_equal(&again.unknown, &v->unknown, sizeof v->unknown);
    assert_int_equal(again.word, v->word);
}

static void test_round_trip(void **state) {
    (void)state;
    values v = defaults();
    const double some[] = {0, -0.0, 1.0 / 3, 0.1, DBL_MIN, 5e-324, 1e300, -1e300, 123456789.0, 1.0 + DBL_EPSILON, -9.87654321e-200};
    v.unknown = 1;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        v.number = some[i];
        v.word = (int)(i % 4);
        round_trip(&v);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        const uint64_t bits = sustain_random_bits(1, 2, 3, i);
        memcpy(&v.number, &bits, sizeof bits);
        if (!(fabs(v.number) <= 1e300)) continue;
        v.unknown = 1e9 * sustain_random_uniform(1, 2, 4, i);
        v.whole = 1 + sustain_random_index(1, 2, 5, i, 100);
        v.wide = sustain_random_index(1, 2, 6, i, (int64_t)1 << 54) - ((int64_t)1 << 53);
        v.word = (int)sustain_random_index(1, 2, 7, i, 4);
        round_trip(&v);
    }
}

/* A text too short for the value is cut, never overrun. */
static void test_print_into_little_room(void **state) {
    (void)state;
    const values v = defaults();
    for (int i = 0; i < COUNT; i++)
        for (size_t size = 1; size < 30; size++) {
            char text[32], whole[32];
            memset(text, '#', sizeof text);
            sustain_parameter_print(&table[i], &v, text, size);
            sustain_parameter_print(&table[i], &v, whole, sizeof whole);
            assert_true(strlen(text) < size);
            assert_int_equal(strncmp(text, whole, strlen(text) < 3 ? strlen(text) : 3), 0);
            assert_int_equal(text[size], '#');
        }
}

static void test_check(void **state) {
    (void)state;
    values v = defaults();
    assert_int_equal(sustain__parameters_check(context, table, COUNT, &v), SUSTAIN_PARAMETER); /* a constant that must be given */
    assert_non_null(strstr(sustain_error(context), "unknown = "));
    v.unknown = 0;
    assert_int_equal(sustain__parameters_check(context, table, COUNT, &v), SUSTAIN_OK);
    v.word = 4;
    assert_int_equal(sustain__parameters_check(context, table, COUNT, &v), SUSTAIN_PARAMETER);
    assert_non_null(strstr(sustain_error(context), "word"));
    v.word = 0;
    v.whole = 0;
    assert_int_equal(sustain__parameters_check(context, table, COUNT, &v), SUSTAIN_PARAMETER);
    assert_non_null(strstr(sustain_error(context), "whole"));
}

static void nearest(const char *given, const char *expected) {
    static const char *const names[] = {"alpha", "beta", "batch", "c_eta_f", "c_eta_g", "iterations", "w"};
    const char *found = sustain_nearest_name(given, names, 7);
    if (strcmp(found != NULL ? found : "none", expected != NULL ? expected : "none") != 0)
        fail_msg("nearest to '%s' is '%s'", given, found != NULL ? found : "none");
}

static void test_nearest(void **state) {
    (void)state;
    nearest("alhpa", "alpha");
    nearest("alpa", "alpha");
    nearest("alphaa", "alpha");
    nearest("btch", "batch");
    nearest("bat", NULL);
    nearest("bet", "beta");
    nearest("iteration", "iterations");
    nearest("itertaion", "iterations");
    nearest("c_eta_h", "c_eta_f"); /* the first of two equally near */
    nearest("schedule", NULL);
    nearest("0123456789012345678901234567890123456789012345678901234567890123456789", NULL);
    assert_null(sustain_nearest_name("alpha", NULL, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_set),        cmocka_unit_test(test_set_number),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_round_trip), cmocka_unit_test(test_print_into_little_room),
        cmocka_unit_test(test_check),    cmocka_unit_test(test_nearest),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}

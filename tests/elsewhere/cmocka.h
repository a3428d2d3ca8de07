/* cmocka.h - what tests/unit/test_layers_blocked.c uses of cmocka, for machines that have none: a
 * failure ends the program. */
#ifndef TESTS_ELSEWHERE_CMOCKA_H
#define TESTS_ELSEWHERE_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

#define cmocka_unit_test(f) \
    { #f, f }
#define fail_msg(...) (printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), puts(""), exit(1))
#define assert_true(a) ((a) ? (void)0 : fail_msg("%s", #a))
#define assert_non_null(a) assert_true((a) != NULL)
#define assert_int_equal(a, b) assert_true((a) == (b))
#define assert_string_equal(a, b) assert_true(strcmp(a, b) == 0)
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)
#define print_message(...) printf(__VA_ARGS__)
#define cmocka_run_group_tests_name(name, tests, setup, teardown) run_tests(name, sizeof(tests) / sizeof(tests)[0], tests)
#define cmocka_run_group_tests(tests, setup, teardown) cmocka_run_group_tests_name("", tests, setup, teardown)

static inline int run_tests(const char *name, size_t count, const struct CMUnitTest *tests) {
    for (size_t i = 0; i < count; i++) {
        tests[i].run(NULL);
        printf("%s %s: passed\n", name, tests[i].name);
    }
    return 0;
}

#endif

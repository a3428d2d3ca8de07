/* test_parallel.c - the threads of a context: every task once, by several threads, and by the
 * caller alone where they are taken. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/parallel.h"

enum { TASKS = 1000 };

typedef struct record {
    sustain_context *context;
    atomic_int times[TASKS];
    atomic_int strangers; /* tasks done by another thread than the caller */
    atomic_bool wait;     /* the caller's tasks wait until another thread has done one */
    pthread_t caller;
} record;

static void note(void *user, int64_t number) {
    record *r = user;
    atomic_fetch_add(&r->times[number], 1);
    if (!pthread_equal(pthread_self(), r->caller)) atomic_fetch_add(&r->strangers, 1);
    while (atomic_load(&r->wait) && atomic_load(&r->strangers) == 0) {
    }
}

static void nested(void *user, int64_t number) {
    record *r = user;
    if (number == 0) sustain_parallel_for(r->context, TASKS, note, r); /* the threads are taken: no deadlock */
}

static void assert_each(record *r, int times) {
    for (int i = 0; i < TASKS; i++) assert_int_equal(atomic_load(&r->times[i]), times);
}

static void test_each_once(void **state) {
    (void)state;
    for (int threads = 1; threads <= 8; threads++) {
        sustain_context *context;
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        assert_int_equal(sustain_context_set_threads(context, threads), SUSTAIN_OK);
        record r = {.context = context, .caller = pthread_self()};
        for (int i = 1; i <= 200; i++) {
            sustain_parallel_for(context, TASKS, note, &r);
            assert_each(&r, i);
        }
        sustain_context_destroy(context);
    }
}

static void test_together(void **state) {
    (void)state;
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_context_set_threads(context, 2), SUSTAIN_OK);
    record r = {.context = context, .caller = pthread_self(), .wait = true};
    sustain_parallel_for(context, TASKS, note, &r); /* ends only if another thread takes part */
    assert_each(&r, 1);
    assert_true(atomic_load(&r.strangers) > 0);
    sustain_context_destroy(context);
}

static void test_taken(void **state) {
    (void)state;
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_context_set_threads(context, 3), SUSTAIN_OK);
    record r = {.context = context, .caller = pthread_self()};
    sustain_parallel_for(context, 5, nested, &r);
    assert_each(&r, 1);
    assert_int_equal(sustain_context_set_threads(context, 2), SUSTAIN_OK); /* another number, and none */
    sustain_parallel_for(context, TASKS, note, &r);
    assert_int_equal(sustain_context_set_threads(context, 1), SUSTAIN_OK);
    sustain_parallel_for(context, TASKS, note, &r);
    assert_each(&r, 3);
    sustain_context_destroy(context);
}

static void test_arguments(void **state) {
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        sustain_context *context;
        record r = {.caller = pthread_self()};
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        assert_int_equal(sustain_context_set_threads(context, threads), SUSTAIN_OK);
        assert_int_equal(sustain_parallel_for(NULL, 1, note, &r), SUSTAIN_ARGUMENT);
        assert_int_equal(sustain_parallel_for(context, -1, note, &r), SUSTAIN_ARGUMENT);
        assert_true(sustain_error(context)[0] != '\0');
        assert_int_equal(sustain_parallel_for(context, 1, NULL, &r), SUSTAIN_ARGUMENT);
        assert_int_equal(sustain_parallel_for(context, 0, note, &r), SUSTAIN_OK);
        assert_each(&r, 0);
        assert_int_equal(sustain_parallel_for(context, TASKS, note, &r), SUSTAIN_OK);
        assert_each(&r, 1);
        sustain_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arguments), cmocka_unit_test(test_each_once), cmocka_unit_test(test_together),
                                       cmocka_unit_test(test_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

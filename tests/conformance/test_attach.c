/* test_attach.c - fields of the caller's in the state of a solver: saved and loaded with it, never
 * touched otherwise, and which names are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance.h"

BENCH_OF_ALL_TESTS;

typedef struct fields {
    int64_t whole[4];
    double number[2];
    sustain_real vector[3];
    uint32_t bits;
} fields;

static const fields some = {{INT64_MIN, -2, ((int64_t)1 << 53) + 1, INT64_MAX}, {-0.0, 1e300}, {1, 2, 3}, 0xdeadbeef};

static void attach(sustain_solver *solver, fields *f) {
    assert_int_equal(sustain_solver_attach(solver, "mine.whole", SUSTAIN_FIELD_INT64, 4, f->whole), SUSTAIN_OK);
    assert_int_equal(sustain_solver_attach(solver, "mine.number", SUSTAIN_FIELD_DOUBLE, 2, f->number), SUSTAIN_OK);
    assert_int_equal(sustain_solver_attach(solver, "hf.vector", SUSTAIN_FIELD_REAL, 3, f->vector), SUSTAIN_OK);
    assert_int_equal(sustain_solver_attach(solver, "g", SUSTAIN_FIELD_UINT32, 1, &f->bits), SUSTAIN_OK);
}

static void check_same(const fields *f) {
    assert_memory_equal(f->whole, some.whole, sizeof some.whole);
    assert_memory_equal(f->number, some.number, sizeof some.number);
    assert_memory_equal(f->vector, some.vector, sizeof some.vector);
    assert_true(f->bits == some.bits);
}

/* Every algorithm, with good copies and without: the fields come back whatever they hold, runs go
 * on as without them. */
static void test_every_solver(void **state) {
    (void)state;
    for (int recover = 0; recover < 2; recover++)
        for (int i = 0; i < sustain_solver_count(); i++) {
            const char *name = sustain_solver_at(i)->name;
            const char *const pairs[] = {"recover", recover ? "5" : "0", NULL};
            const sustain_problem *problem = suits(name, b.cleaning) ? b.cleaning : bench_plain(&b, name);
            fields kept = some, back = {{0}, {0}, {0}, 0};
            sustain_solver *plain = make_solver(b.context, name, problem, pairs), *saved = make_solver(b.context, name, problem, pairs);
            sustain_solver *loaded = make_solver(b.context, name, problem, NULL);
            attach(saved, &kept);
            attach(loaded, &back);
            run_to(plain, 80);
            run_to(saved, 60); /* good copies are made on the way */
            check_same(&kept);
            assert_int_equal(sustain_solver_save(saved, b.path), SUSTAIN_OK);
            if (sustain_solver_load(loaded, b.path) != SUSTAIN_OK) fail_msg("%s: %s", name, sustain_error(b.context));
            check_same(&back);
            assert_same_state(saved, loaded, name);
            run_to(loaded, 80);
            check_same(&back);
            assert_memory_equal(sustain_solver_x(plain), sustain_solver_x(loaded), (size_t)problem->upper_dim * sizeof(sustain_real));
            assert_memory_equal(sustain_solver_y(plain), sustain_solver_y(loaded), (size_t)problem->lower_dim * sizeof(sustain_real));
            sustain_solver_destroy(plain);
            sustain_solver_destroy(saved);
            sustain_solver_destroy(loaded);
        }
}

static void test_refused_names(void **state) {
    (void)state;
    static const char *const wrong[] = {"", "good.", "good.x", "good.mine", "steps", "__metadata__", "twice"};
    int64_t number = 0;
    sustain_solver *solver = make_solver(b.context, "sustain", b.cleaning, NULL);
    assert_int_equal(sustain_solver_attach(solver, "twice", SUSTAIN_FIELD_INT64, 1, &number), SUSTAIN_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused(b.context, sustain_solver_attach(solver, wrong[i], SUSTAIN_FIELD_INT64, 1, &number), SUSTAIN_ARGUMENT, "'",
                       *wrong[i] != '\0' ? wrong[i] : "empty", NULL);
    assert_int_equal(sustain_solver_attach(solver, NULL, SUSTAIN_FIELD_INT64, 1, &number), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_solver_attach(solver, "a", SUSTAIN_FIELD_INT64, 1, NULL), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_solver_attach(solver, "a", SUSTAIN_FIELD_INT64, 0, &number), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_solver_attach(solver, "a", (sustain_field_type)99, 1, &number), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_solver_attach(NULL, "a", SUSTAIN_FIELD_INT64, 1, &number), SUSTAIN_ARGUMENT);
    run_to(solver, 1);
    assert_int_equal(sustain_solver_attach(solver, "late", SUSTAIN_FIELD_INT64, 1, &number), SUSTAIN_ORDER);
    sustain_solver_destroy(solver);
}

/* The name of any field that a solver has of its own is refused when it starts. */
static void test_own_names(void **state) {
    (void)state;
    int count;
    int64_t number = 7;
    sustain_solver *model = make_solver(b.context, "sustain", b.cleaning, NULL);
    run_to(model, 1);
    const sustain_field *own = sustain_solver_state(model, &count);
    int refused = 0;
    for (int i = 0; i < count; i++) {
        if (strncmp(own[i].name, "good.", 5) == 0) continue;
        sustain_solver *solver = make_solver(b.context, "sustain", b.cleaning, NULL);
        assert_int_equal(sustain_solver_attach(solver, own[i].name, SUSTAIN_FIELD_INT64, 1, &number), SUSTAIN_OK);
        assert_refused(b.context, sustain_solver_start(solver, NULL, NULL), SUSTAIN_ARGUMENT, own[i].name, "another name", NULL);
        refused++;
        sustain_solver_destroy(solver);
    }
    assert_true(refused > 20 && number == 7);
    sustain_solver_destroy(model);
}

static void test_too_many(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "h", "i", "j"};
    int64_t number[9] = {0};
    sustain_solver *solver = make_solver(b.context, "sustain", b.cleaning, NULL);
    for (int i = 0; i < 8; i++) assert_int_equal(sustain_solver_attach(solver, names[i], SUSTAIN_FIELD_INT64, 1, &number[i]), SUSTAIN_OK);
    assert_int_equal(sustain_solver_attach(solver, names[8], SUSTAIN_FIELD_INT64, 1, &number[8]), SUSTAIN_ARGUMENT);
    sustain_solver_destroy(solver);
}

/* A file without the caller's fields, or with the first of them alone, is not loaded into a solver
 * that has them, and leaves them as they were. */
static void test_missing(void **state) {
    (void)state;
    fields f = some;
    int64_t whole[4] = {0};
    sustain_solver *saved = make_solver(b.context, "sustain", b.cleaning, NULL),
                   *loaded = make_solver(b.context, "sustain", b.cleaning, NULL);
    run_to(saved, 10);
    assert_int_equal(sustain_solver_save(saved, b.path), SUSTAIN_OK);
    attach(loaded, &f);
    assert_refused(b.context, sustain_solver_load(loaded, b.path), SUSTAIN_MISMATCH, b.path, "'mine.whole'", NULL);
    check_same(&f);
    sustain_solver_destroy(saved);
    saved = make_solver(b.context, "sustain", b.cleaning, NULL);
    assert_int_equal(sustain_solver_attach(saved, "mine.whole", SUSTAIN_FIELD_INT64, 4, whole), SUSTAIN_OK);
    run_to(saved, 10);
    assert_int_equal(sustain_solver_save(saved, b.path), SUSTAIN_OK);
    assert_refused(b.context, sustain_solver_load(loaded, b.path), SUSTAIN_MISMATCH, b.path, "'mine.number'", NULL);
    check_same(&f);
    sustain_solver_destroy(saved);
    sustain_solver_destroy(loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_solver), cmocka_unit_test(test_refused_names), cmocka_unit_test(test_own_names),
        cmocka_unit_test(test_too_many),     cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

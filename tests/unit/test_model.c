/* test_model.c - models on the disk: the way back, either precision, names of all kinds, damaged
 * files, no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing_allocator.h"
#include "jobs/linear_model.h"
#include "io/safetensors.h"

enum { DIM = 2, CLASSES = 3 };
static failing_allocator_state memory;
static sustain_context *context;
static char folder[64], path[128];
static const sustain_real y[CLASSES * (DIM + 1)] = {1, 2, 3, 4, 5, 6, (sustain_real)-0.5, (sustain_real)0.25, 0};
static const char *const names[CLASSES] = {"<b>", "sea \"lion\"", "\xc3\xa9t\xc3\xa9"}, *const columns[DIM] = {"a", "b,c"};
static const sustain_model model = {
    .dim = DIM, .classes = CLASSES, .y = y, .class_names = names, .column_names = columns, .about = "a test"};

static int setup(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sustain-model-XXXXXX");
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    return sustain_context_create_with(failing_allocator, &memory, &context) == SUSTAIN_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    sustain_context_destroy(context);
    remove(path);
    return rmdir(folder) == 0 && memory.live == 0 ? 0 : -1;
}

static void check_same(const sustain_model *m) {
    assert_int_equal(m->dim, DIM);
    assert_int_equal(m->classes, CLASSES);
    assert_memory_equal(m->y, y, sizeof y);
    for (int k = 0; k < CLASSES; k++) assert_string_equal(m->class_names[k], names[k]);
}

static void test_round_trip(void **state) {
    (void)state;
    sustain_model *m;
    assert_int_equal(sustain_model_write(context, path, &model), SUSTAIN_OK);
    assert_int_equal(sustain_model_read(context, path, &m), SUSTAIN_OK);
    check_same(m);
    assert_string_equal(m->about, "a test");
    for (int j = 0; j < DIM; j++) assert_string_equal(m->column_names[j], columns[j]);
    sustain_model_destroy(m);
    sustain_model_destroy(NULL);
}

/* What is no plain file is written to, not replaced: a link stays one, and so would a device. Once
 * a link stands for a file, that is replaced as a whole by another one. */
static void test_link(void **state) {
    (void)state;
    sustain_model *m;
    struct stat there;
    char target[160];
    snprintf(target, sizeof target, "%s/target", folder);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(sustain_model_write(context, path, &model), SUSTAIN_OK);
    assert_int_equal(lstat(path, &there), 0);
    assert_true(S_ISLNK(there.st_mode));
    assert_int_equal(sustain_model_read(context, target, &m), SUSTAIN_OK);
    check_same(m);
    sustain_model_destroy(m);
    struct stat before, after;
    assert_int_equal(stat(target, &before), 0);
    assert_int_equal(sustain_model_write(context, path, &model), SUSTAIN_OK);
    assert_int_equal(lstat(path, &there), 0);
    assert_true(S_ISLNK(there.st_mode));
    assert_int_equal(stat(target, &after), 0);
    assert_true(after.st_ino != before.st_ino);
    assert_int_equal(remove(target), 0);
}

static void test_without_extras(void **state) {
    (void)state;
    sustain_model *m, bare = model;
    bare.column_names = NULL;
    bare.about = NULL;
    assert_int_equal(sustain_model_write(context, path, &bare), SUSTAIN_OK);
    assert_int_equal(sustain_model_read(context, path, &m), SUSTAIN_OK);
    check_same(m);
    assert_null(m->column_names);
    assert_null(m->about);
    sustain_model_destroy(m);
}

/* A model of the logarithm of a number says so; one of classes cannot. */
static void test_logarithm(void **state) {
    (void)state;
    static const sustain_real numbers[] = {1, 2, 3};
    sustain_model *m, counts = {.dim = 2, .y = numbers, .logarithm = true}, wrong = model;
    assert_int_equal(sustain_model_write(context, path, &counts), SUSTAIN_OK);
    assert_int_equal(sustain_model_read(context, path, &m), SUSTAIN_OK);
    assert_true(m->logarithm && m->classes == 0 && m->dim == 2);
    sustain_model_destroy(m);
    counts.logarithm = false;
    assert_int_equal(sustain_model_write(context, path, &counts), SUSTAIN_OK);
    assert_int_equal(sustain_model_read(context, path, &m), SUSTAIN_OK);
    assert_false(m->logarithm);
    sustain_model_destroy(m);
    wrong.logarithm = true;
    assert_int_equal(sustain_model_write(context, path, &wrong), SUSTAIN_ARGUMENT);
}

/* A bit that is flipped anywhere is noticed, or has changed no more than the word that a checksum
 * has as its name. */
static void test_flipped(void **state) {
    (void)state;
    unsigned char bytes[4096];
    assert_int_equal(sustain_model_write(context, path, &model), SUSTAIN_OK);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    assert_true(length > 100 && length < sizeof bytes);
    for (size_t i = 0; i < 8 * length; i++) {
        sustain_model *m;
        bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        assert_true(fseek(file, 0, SEEK_SET) == 0 && fwrite(bytes, 1, length, file) == length && fflush(file) == 0);
        bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        if (sustain_model_read(context, path, &m) == SUSTAIN_OK) check_same(m);
        sustain_model_destroy(m);
    }
    fclose(file);
}

/* A file of ours but for one thing. */
static void put(const char *format, const char *classes, const char *columns_text, const char *dtype, int64_t weights, int64_t biases,
                const void *numbers) {
    const size_t element = strcmp(dtype, "F64") == 0 || strcmp(dtype, "I64") == 0 ? 8 : 4;
    const sustain__word words[] = {{"format", format}, {"classes", classes}, {"columns", columns_text}};
    const sustain__tensor tensors[] = {{"weight", dtype, weights, numbers, 0},
                                       {"bias", dtype, biases, (const char *)numbers + (size_t)weights * element, 0}};
    assert_int_equal(sustain__safetensors_write(context, path, words, columns_text != NULL ? 3 : 2, tensors, 2), SUSTAIN_OK);
}

static const char good_format[] = "sustain model 1", good_classes[] = "[\"<b>\",\"sea \\\"lion\\\"\",\"\xc3\xa9t\xc3\xa9\"]";

/* The waves, their phases and their weights come back; a program that does not know them refuses
 * the file. */
static void test_fourier(void **state) {
    (void)state;
    enum { WAVES = 2 };
    sustain_real w[WAVES * (DIM + 1)] = {1, 2, 3, 4, 5, 6}, v[CLASSES * 2 * WAVES] = {7, 8, 9};
    const sustain_fourier fourier = {.waves = WAVES, .w = w, .v = v};
    sustain_model *m = NULL, waved = model;
    sustain__safetensors *file;
    waved.fourier = &fourier;
    assert_int_equal(sustain_model_write(context, path, &waved), SUSTAIN_OK);
    for (int n = 1; m == NULL; n++) {
        memory.fail_at = memory.calls + n;
        const sustain_status status = sustain_model_read(context, path, &m);
        memory.fail_at = 0;
        assert_true(status == SUSTAIN_OK || (status == SUSTAIN_MEMORY && m == NULL));
    }
    check_same(m);
    assert_int_equal(m->fourier->waves, WAVES);
    assert_memory_equal(m->fourier->w, w, sizeof w);
    assert_memory_equal(m->fourier->v, v, sizeof v);
    sustain_model_destroy(m);
    assert_int_equal(sustain__safetensors_read(context, path, &file), SUSTAIN_OK);
    assert_string_equal(sustain__safetensors_word(file, "format"), "sustain model 2");
    sustain__safetensors_destroy(file);
    assert_int_equal(sustain_model_write(context, path, &model), SUSTAIN_OK); /* without them, as ever */
    assert_int_equal(sustain__safetensors_read(context, path, &file), SUSTAIN_OK);
    assert_string_equal(sustain__safetensors_word(file, "format"), good_format);
    sustain__safetensors_destroy(file);
    remove(path);
    w[1] = (sustain_real)NAN;
    assert_int_equal(sustain_model_write(context, path, &waved), SUSTAIN_NOT_FINITE);
    assert_non_null(strstr(sustain_error(context), "feature 2"));
    w[1] = 2, w[5] = (sustain_real)INFINITY;
    assert_int_equal(sustain_model_write(context, path, &waved), SUSTAIN_NOT_FINITE);
    assert_non_null(strstr(sustain_error(context), "phase"));
    w[5] = 6, v[11] = (sustain_real)NAN;
    assert_int_equal(sustain_model_write(context, path, &waved), SUSTAIN_NOT_FINITE);
    assert_non_null(strstr(sustain_error(context), "Fourier"));
    v[11] = 0, waved.fourier = &(sustain_fourier){.waves = 0, .w = w, .v = v};
    assert_int_equal(sustain_model_write(context, path, &waved), SUSTAIN_ARGUMENT);
}

static void test_other_precision(void **state) {
    (void)state;
    sustain_model *m;
    double wide[9];
    float narrow[9];
    for (int i = 0; i < 9; i++) wide[i] = (double)y[i], narrow[i] = (float)y[i];
    put(good_format, good_classes, NULL, "F64", 6, 3, wide);
    assert_int_equal(sustain_model_read(context, path, &m), SUSTAIN_OK);
    check_same(m);
    sustain_model_destroy(m);
    put(good_format, good_classes, NULL, "F32", 6, 3, narrow);
    assert_int_equal(sustain_model_read(context, path, &m), SUSTAIN_OK);
    check_same(m);
    sustain_model_destroy(m);
}

static void check_refused(const char *what) {
    sustain_model *m;
    assert_int_equal(sustain_model_read(context, path, &m), SUSTAIN_FORMAT);
    assert_null(m);
    assert_non_null(strstr(sustain_error(context), path));
    assert_non_null(strstr(sustain_error(context), what));
}

static void test_damaged(void **state) {
    (void)state;
    double wide[9] = {0};
    put("sustain solver 1", good_classes, NULL, "F64", 6, 3, wide);
    check_refused("'sustain solver 1'");
    put(good_format, "[\"a\",\"b\"]", NULL, "F64", 6, 3, wide);
    check_refused("names");
    put(good_format, "[\"a\",\"b\",3]", NULL, "F64", 6, 3, wide);
    check_refused("not a list of texts");
    put(good_format, "[\"a\",", NULL, "F64", 6, 3, wide);
    check_refused("names");
    static const char *const no_lists[] = {"",
                                           "{}",
                                           "[\"a\",\"b\",\"c\",\"d\"]",
                                           "[\"a\",\"b\",\"c\"] x",
                                           "[\"a\" \"b\",\"c\"]",
                                           "\"abc\"",
                                           "[\"a\",\"b\",]",
                                           "[\"a\",\"b\",\"\\ud800\"]",
                                           "[\"a\",\"b\",\"c\""};
    for (size_t i = 0; i < sizeof no_lists / sizeof *no_lists; i++) {
        put(good_format, no_lists[i], NULL, "F64", 6, 3, wide);
        check_refused("not a list of texts");
    }
    put(good_format, good_classes, "[\"a\"]", "F64", 6, 3, wide);
    check_refused("names");
    put(good_format, good_classes, NULL, "F64", 5, 3, wide);
    check_refused("'weight' and 'bias'");
    put(good_format, "[\"a\"]", NULL, "F64", 6, 1, wide);
    check_refused("'weight' and 'bias'");
    put(good_format, good_classes, NULL, "I64", 6, 3, wide);
    check_refused("'weight' and 'bias'");
    wide[4] = NAN;
    put(good_format, good_classes, NULL, "F64", 6, 3, wide);
    check_refused("not finite");
#ifndef SUSTAIN_DOUBLE
    wide[4] = 1e300;
    put(good_format, good_classes, NULL, "F64", 6, 3, wide);
    check_refused("not finite");
#endif
}

/* So many numbers in the tensors of two waves, or none at all. */
static void put_fourier(int64_t waves, int64_t phases, int64_t weights, const char *dtype, const double *numbers) {
    const sustain__word words[] = {{"format", "sustain model 2"}, {"classes", good_classes}};
    const sustain__tensor tensors[] = {{"weight", "F64", 6, numbers, 0},
                                       {"bias", "F64", 3, numbers, 0},
                                       {"fourier_waves", dtype, waves, numbers, 0},
                                       {"fourier_phase", dtype, phases, numbers, 0},
                                       {"fourier_weight", dtype, weights, numbers, 0}};
    assert_int_equal(sustain__safetensors_write(context, path, words, 2, tensors, weights > 0 ? 5 : 4), SUSTAIN_OK);
}

static void test_damaged_fourier(void **state) {
    (void)state;
    double numbers[24] = {0};
    sustain_model *m;
    put_fourier(4, 2, 12, "F64", numbers);
    assert_int_equal(sustain_model_read(context, path, &m), SUSTAIN_OK);
    sustain_model_destroy(m);
    static const int64_t counts[][3] = {{5, 2, 12}, {6, 2, 12}, {4, 3, 12}, {4, 2, 11}, {4, 2, 24}, {4, 2, 0}, {4, 4, 24}, {2, 2, 12}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        put_fourier(counts[i][0], counts[i][1], counts[i][2], "F64", numbers);
        check_refused("'fourier_waves', 'fourier_phase' and 'fourier_weight'");
    }
    put_fourier(4, 2, 12, "I64", numbers);
    check_refused("Fourier");
    numbers[11] = NAN; /* of the weights alone */
    put_fourier(4, 2, 12, "F64", numbers);
    check_refused("Fourier features is not finite");
}

/* Names that JSON has to escape come back; files with any way of escaping them are read. */
static void test_names(void **state) {
    (void)state;
    static const char *const strange[CLASSES] = {"a\tb\n\x01", "\\/\"", "\xf0\x9f\x90\xa0"};
    sustain_model *m, other = model;
    other.class_names = strange;
    assert_int_equal(sustain_model_write(context, path, &other), SUSTAIN_OK);
    assert_int_equal(sustain_model_read(context, path, &m), SUSTAIN_OK);
    for (int k = 0; k < CLASSES; k++) assert_string_equal(m->class_names[k], strange[k]);
    sustain_model_destroy(m);
    const double wide[9] = {0};
    put(good_format, " [ \"a\\tb\\n\\u0001\" , \"\\\\\\/\\\"\", \"\\uD83D\\udc20\" ] ", NULL, "F64", 6, 3, wide);
    assert_int_equal(sustain_model_read(context, path, &m), SUSTAIN_OK);
    for (int k = 0; k < CLASSES; k++) assert_string_equal(m->class_names[k], strange[k]);
    sustain_model_destroy(m);
}

/* Without classes: one score, a number. */
static void test_number(void **state) {
    (void)state;
    static const sustain_real four[] = {1, -2, (sustain_real)0.5, 7};
    const sustain_model number = {.dim = 3, .y = four};
    sustain_model *m;
    assert_int_equal(sustain_model_write(context, path, &number), SUSTAIN_OK);
    assert_int_equal(sustain_model_read(context, path, &m), SUSTAIN_OK);
    assert_int_equal(m->dim, 3);
    assert_int_equal(m->classes, 0);
    assert_null(m->class_names);
    assert_memory_equal(m->y, four, sizeof four);
    sustain_model_destroy(m);
    remove(path);
}

static void test_refused_to_write(void **state) {
    (void)state;
    sustain_real bad[9] = {0};
    const char *const latin[CLASSES] = {"a", "caf\xe9", "b"};
    sustain_model m = model;
    m.class_names = latin;
    assert_int_equal(sustain_model_write(context, path, &m), SUSTAIN_ARGUMENT);
    m = model;
    bad[8] = (sustain_real)INFINITY;
    m.y = bad;
    assert_int_equal(sustain_model_write(context, path, &m), SUSTAIN_NOT_FINITE);
    assert_non_null(strstr(sustain_error(context), "an intercept"));
    bad[8] = 0, bad[1] = (sustain_real)-INFINITY;
    assert_int_equal(sustain_model_write(context, path, &m), SUSTAIN_NOT_FINITE);
    assert_non_null(strstr(sustain_error(context), "the weight of feature 2 of the model"));
    m = model;
    m.classes = 1;
    assert_int_equal(sustain_model_write(context, path, &m), SUSTAIN_ARGUMENT);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* Every allocation fails once: a status, no leak (teardown), and the file can be read
 * afterwards. */
static void test_no_memory(void **state) {
    (void)state;
    sustain_model *m = NULL;
    assert_int_equal(sustain_model_write(context, path, &model), SUSTAIN_OK);
    for (int n = 1; m == NULL; n++) {
        assert_true(n < 100);
        memory.fail_at = memory.calls + n;
        const sustain_status status = sustain_model_read(context, path, &m);
        memory.fail_at = 0;
        assert_true(status == SUSTAIN_OK || (status == SUSTAIN_MEMORY && m == NULL));
    }
    check_same(m);
    sustain_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_link, setup, teardown),
        cmocka_unit_test_setup_teardown(test_without_extras, setup, teardown),
        cmocka_unit_test_setup_teardown(test_logarithm, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flipped, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fourier, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_fourier, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_precision, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_number, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused_to_write, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

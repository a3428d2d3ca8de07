/* test_shards.c - several files as one set: the same rows and labels as from one file, whether
 * pages are mapped or copied; parts that do not fit together are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sustain/learn.h>
#include <sustain/sustain.h>

#include "core/context_internal.h"

enum { ROWS = 6144, DIM = 1024, PARTS = 3 };

static sustain_context *context;
static uint8_t bytes[ROWS * DIM];
static float floats[ROWS * 3];
static int32_t labels[ROWS];
static char folder[] = "/tmp/sustain-shards-XXXXXX";

static void write_parts(const char *name, sustain_npy_type type, int64_t dim, size_t size, const void *data, const int64_t *count) {
    const char *at = data;
    char path[64];
    for (int p = 0; p < PARTS; at += (size_t)count[p++] * (size_t)dim * size) {
        snprintf(path, sizeof path, "%s-%d.npy", name, p);
        assert_int_equal(sustain_npy_write(context, path, type, dim > 1 ? 2 : 1, (const int64_t[]){count[p], dim}, at), SUSTAIN_OK);
    }
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static int set_up(void **state) {
    (void)state;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) return 1;
    for (int i = 0; i < ROWS * DIM; i++) bytes[i] = (uint8_t)sustain_random_index(3, 0, (uint64_t)i, 0, 256);
    for (int i = 0; i < ROWS * 3; i++) floats[i] = (float)sustain_random_normal(3, 1, (uint64_t)i, 0);
    for (int i = 0; i < ROWS; i++) labels[i] = (int32_t)(i / 700); /* parts have different classes */
    return sustain_context_create(&context) != SUSTAIN_OK;
}

static int tear_down(void **state) {
    (void)state;
    sustain_context_destroy(context);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") != 0 || system(command) != 0; /* NOLINT(cert-env33-c,concurrency-mt-unsafe) */
}

static sustain_dataset *take(const char *path, const sustain_read_options *options) {
    sustain_dataset *set;
    if (sustain_dataset_read(context, path, options, &set) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    return set;
}

/* Whole pages: next to nothing is copied. Other lengths: the parts that do not lie in pages are. */
static void test_arrays(void **state) {
    (void)state;
    const int64_t even[PARTS] = {2048, 1024, 3072}, odd[PARTS] = {2047, 1024, 3073};
    for (int kind = 0; kind < 2; kind++) {
        write_parts("b", SUSTAIN_NPY_BYTE, DIM, 1, bytes, kind == 0 ? even : odd);
        write_parts("f", SUSTAIN_NPY_FLOAT, 3, sizeof(float), floats, kind == 0 ? even : odd);
        const size_t before = context->memory_used;
        sustain_dataset *set = take("b-*.npy", NULL), *other = take("f-0.npy,f-1.npy,f-2.npy", NULL);
        const size_t after = context->memory_used - before;
        assert_true(kind == 0 ? after < 150000 : after > (size_t)4096 * DIM);
        assert_true(set->rows.count == ROWS && set->rows.dim == DIM && other->rows.count == ROWS && other->rows.dim == 3);
        assert_memory_equal(set->rows.bytes, bytes, sizeof bytes);
        assert_memory_equal(other->rows.values, floats, sizeof floats);
        sustain_dataset_destroy(set);
        sustain_dataset_destroy(other);
        assert_int_equal(context->memory_used, before);
    }
}

static void test_labels(void **state) {
    (void)state;
    const int64_t count[PARTS] = {2000, 2000, 2144};
    sustain_dataset *set;
    write_parts("y", SUSTAIN_NPY_INT32, 1, sizeof(int32_t), labels, count);
    assert_int_equal(sustain_dataset_read_labels(context, "y-?.npy", NULL, &set), SUSTAIN_OK);
    assert_true(set->rows.count == ROWS && set->classes == ROWS / 700 + 1);
    assert_memory_equal(set->rows.labels, labels, sizeof labels);
    assert_string_equal(set->class_names[set->classes - 1], "8");
    sustain_dataset_destroy(set);
}

/* The encoding of the first file is that of all; LIBSVM: one file shows that all count from 0. */
static void test_text(void **state) {
    (void)state;
    write_text("t1.csv", "colour,size,y\nred,1,a\nblue,2,b\n");
    write_text("t2.csv", "colour,size,y\nblue,3,a\nred,4,c\n");
    const sustain_table_options table = {.text_columns = NULL};
    const sustain_read_options options = {.size = sizeof options, .label_column = "y", .table = &table};
    sustain_dataset *set = take("t1.csv,t2.csv", &options);
    assert_true(set->rows.count == 4 && set->classes == 3 && set->rows.labels[3] == 2 && set->encoding != NULL);
    assert_memory_equal(set->rows.values, set->rows.values + 3 * set->rows.dim, sizeof(float)); /* red and red */
    sustain_dataset_destroy(set);
    write_text("s1.txt", "1 1:5 3:2\n2 2:1\n");
    write_text("s2.txt", "1 0:7\n");
    set = take("s*.txt", NULL);
    assert_true(set->rows.count == 3 && set->rows.start[3] == 4 && set->rows.columns[0] == 1 && set->rows.columns[3] == 0 &&
                set->rows.dim == 4);
    sustain_dataset_destroy(set);
}

static void refused(const char *path, const char *why) {
    sustain_dataset *set;
    assert_true(sustain_dataset_read(context, path, NULL, &set) != SUSTAIN_OK && set == NULL);
    if (strstr(sustain_error(context), why) == NULL) fail_msg("%s", sustain_error(context));
}

static void test_refusals(void **state) {
    (void)state;
    const int64_t count[PARTS] = {10, 10, 10};
    write_parts("b", SUSTAIN_NPY_BYTE, DIM, 1, bytes, count);
    write_parts("f", SUSTAIN_NPY_FLOAT, 3, sizeof(float), floats, count);
    assert_int_equal(sustain_npy_write(context, "g.npy", SUSTAIN_NPY_FLOAT, 2, (const int64_t[]){10, 2}, floats), SUSTAIN_OK);
    refused("none-*.npy", "no file matches 'none-*.npy'");
    refused("f-0.npy,g.npy", "f-0.npy has 3 columns, g.npy has 2");
    refused("f-0.npy,,g.npy", "is empty");
    assert_int_equal(sustain_npy_write(context, "g.npy", SUSTAIN_NPY_BYTE, 2, (const int64_t[]){10, 3}, bytes), SUSTAIN_OK);
    refused("f-0.npy,g.npy", "f-0.npy has floats, g.npy has bytes");
    write_text("odd,name*.csv", "1,2\n3,4\n"); /* a file of that very name */
    sustain_dataset *set = take("odd,name*.csv", NULL);
    assert_int_equal(set->rows.count, 2);
    sustain_dataset_destroy(set);
}

/* A name that no system has room for, alone and after others. */
static void test_long_names(void **state) {
    (void)state;
    static char name[20000];
    sustain_dataset *set;
    for (size_t length = 4000; length < sizeof name; length += 1000) {
        memset(name, 'x', length);
        name[length] = '\0';
        assert_int_equal(sustain_dataset_read(context, name, NULL, &set), SUSTAIN_IO);
        memcpy(name, "f-0.npy,", 8);
        assert_int_equal(sustain_dataset_read(context, name, NULL, &set), SUSTAIN_IO);
    }
}

static void test_probabilities(void **state) {
    (void)state;
    static float p[ROWS * 3];
    const int64_t count[PARTS] = {4096, 1024, 1024};
    for (int i = 0; i < ROWS * 3; i++) p[i] = i % 3 == i / 3 % 3 ? 0.5f : 0.25f;
    write_parts("p", SUSTAIN_NPY_FLOAT, 3, sizeof(float), p, count);
    sustain_probabilities *all;
    assert_int_equal(sustain_probabilities_read(context, "p-*.npy", false, &all), SUSTAIN_OK);
    assert_int_equal(all->count, ROWS);
    assert_memory_equal(all->values, p, sizeof p);
    sustain_probabilities_destroy(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arrays),     cmocka_unit_test(test_labels),
                                       cmocka_unit_test(test_text),       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_long_names), cmocka_unit_test(test_probabilities)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* test_arrays.c - IDX, NPY, NPZ and CIFAR: files as NumPy writes them (tests/golden/arrays.py),
 * every cut, every refusal with its sentence, and the way back from sustain_npy_write(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/npy.h>

#include "reading.h"

static sustain_dataset *golden(const char *name, bool labels) {
    char path[128];
    sustain_dataset *set;
    snprintf(path, sizeof path, "tests/golden/arrays/%s", name);
    if ((labels ? sustain_dataset_read_labels : sustain_dataset_read)(reading_context, path, NULL, &set) != SUSTAIN_OK)
        fail_msg("refused: %s", sustain_error(reading_context));
    return set;
}

static void refuses_golden(const char *name, bool labels, const char *sentence) {
    char path[128], expected[512];
    sustain_dataset *set;
    snprintf(path, sizeof path, "tests/golden/arrays/%s", name);
    snprintf(expected, sizeof expected, "%s: %s", path, sentence);
    assert_int_equal((labels ? sustain_dataset_read_labels : sustain_dataset_read)(reading_context, path, NULL, &set), SUSTAIN_FORMAT);
    assert_null(set);
    assert_string_equal(sustain_error(reading_context), expected);
}

/* ---- NPY ---- */

static void npy_numbers(void **state) {
    (void)state;
    static const struct {
        const char *name;
        float factor;
    } cases[] = {{"float16.npy", 1},      {"float32.npy", 1}, {"float64.npy", 1}, {"big_f4.npy", 1}, {"big_f8.npy", 1},
                 {"column_order.npy", 1}, {"int8.npy", 4},    {"int16.npy", 4},   {"int32.npy", 4},  {"int64.npy", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sustain_dataset *set = golden(cases[i].name, false);
        assert_int_equal(set->rows.count, 4);
        assert_int_equal(set->rows.dim, 3);
        for (int k = 0; k < 12; k++) assert_true(set->rows.values[k] == ((float)k / 4 - 1) * cases[i].factor);
        assert_null(set->rows.bytes);
        assert_int_equal(set->picture.height, 0);
        sustain_dataset_destroy(set);
    }
}

static void npy_pictures(void **state) {
    (void)state;
    sustain_dataset *planar = golden("uint8_planar.npy", false), *interleaved = golden("uint8_interleaved.npy", false);
    const sustain_dataset *const both[] = {planar, interleaved};
    for (int i = 0; i < 2; i++) {
        const sustain_picture p = both[i]->picture;
        assert_int_equal(both[i]->rows.count, 2);
        assert_int_equal(both[i]->rows.dim, 12);
        for (int k = 0; k < 24; k++) assert_int_equal(both[i]->rows.bytes[k], k);
        assert_true(p.height == 2 && p.width == 2 && p.channels == 3 && p.interleaved == (i == 1));
        assert_true(both[i]->rows.byte_scale == 1.0f / 255);
    }
    sustain_dataset_destroy(planar);
    sustain_dataset_destroy(interleaved);
    sustain_dataset *set = golden("bool.npy", false);
    assert_memory_equal(set->rows.bytes, ((const uint8_t[]){1, 0, 0, 1}), 4);
    assert_true(set->rows.byte_scale == 1);
    sustain_dataset_destroy(set);
}

static void npy_labels(void **state) {
    (void)state;
    static const struct {
        const char *name, *classes[3];
        int32_t labels[4];
    } cases[] = {{"labels_int64.npy", {"-7", "5", "30"}, {2, 0, 2, 1}},
                 {"labels_float.npy", {"1", "2", "3"}, {2, 0, 2, 1}},
                 {"labels_bool.npy", {"0", "1"}, {1, 0, 0, 1}},
                 {"labels_text.npy", {"h\xc3\xbcndin", "katze", "\xe5\xb8\xbd\xe5\xad\x90"}, {1, 0, 1, 2}},
                 {"labels_bytes.npy", {"a", "b", "cc"}, {1, 0, 1, 2}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sustain_dataset *set = golden(cases[i].name, true);
        assert_int_equal(set->rows.count, 4);
        for (int64_t c = 0; c < set->classes; c++) assert_string_equal(set->class_names[c], cases[i].classes[c]);
        for (int k = 0; k < 4; k++) assert_int_equal(set->rows.labels[k], cases[i].labels[k]);
        assert_true((set->rows.targets == NULL) == (i >= 3));
        sustain_dataset_destroy(set);
    }
    refuses_golden("objects.npy", true,
                   "its elements are Python objects; save features with x.astype('float32'), labels with y.astype(str)");
    refuses_golden("labels_text.npy", false, "its elements are text; features must be numbers");
    refuses_golden("labels_int64.npy", false, "it has one axis, like labels; features need two: rows and columns");
    refuses_golden("float32.npy", true, "labels need one axis, but this array is 4 x 3");
}

/* A header, as NumPy pads it, and zeros. */
static size_t make_npy(char *out, const char *dictionary, size_t data) {
    memcpy(out, "\x93NUMPY\1\0\x76\0", 10);
    memset(out + 10, ' ', 118);
    memcpy(out + 10, dictionary, strlen(dictionary));
    out[127] = '\n';
    memset(out + 128, 0, data);
    return 128 + data;
}

static void refuses_npy(const char *dictionary, size_t data, const char *sentence) {
    char bytes[256];
    const size_t length = make_npy(bytes, dictionary, data);
    refuses_bytes(bytes, length, NULL, false, sentence);
}

static void npy_refused(void **state) {
    (void)state;
    refuses_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1000000000000, 784), }", 100,
                "its NPY header claims 1000000000000 x 784 elements of 1 bytes, but it has 100 bytes after it: cut off, or damaged");
    refuses_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 8), }", 100,
                "its NPY header claims 4611686018427387904 x 8 elements of 8 bytes, but it has 100 bytes after it: cut off, or damaged");
    refuses_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 5), }", 0, "it has no rows");
    refuses_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (5, 0), }", 0, "it has no features");
    refuses_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1), }", 4, "it has 5 axes; 1 to 4 can be read");
    refuses_npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1, 1), }", 8,
                "elements of type <c8 cannot be read; convert them with .astype('float32')");
    refuses_npy("{'descr': '<f4', 'shape': (1, 1), }", 4, "its NPY header is damaged");
    refuses_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 1), }", 4, "its NPY header is damaged");
    refuses_bytes("\x93NUMPY", 6, NULL, false, "its NPY header is cut off");
    char bytes[256];
    size_t length = make_npy(bytes, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24);
    const float bad[] = {NAN, -INFINITY};
    memcpy(bytes + 128 + 16, &bad[0], 4);
    refuses_bytes(bytes, length, NULL, false, "its element [1, 1] is NaN; remove the row, or fill in a number");
    memcpy(bytes + 128 + 4, &bad[1], 4);
    refuses_bytes(bytes, length, NULL, false, "its element [0, 1] is infinite; remove the row, or fill in a number");
    length = make_npy(bytes, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 12);
    memcpy(bytes + 128 + 4, &bad[0], 4);
    refuses_bytes(bytes, length, NULL, true, "row 1 (from 0): the label is NaN");
}

static void text_called_npy(void **state) {
    (void)state;
    assert_null(reading_bytes("x.npy", "1,2\n3,4\n", 8, NULL, false));
    assert_non_null(strstr(sustain_error(reading_context), "x.npy: it holds text, not an array"));
    assert_null(reading_bytes("y.npz", "<html>", 6, NULL, true));
}

static void every_cut_is_refused(void **state) {
    (void)state;
    static const char *const names[] = {"float64.npy", "labels_text.npy", "stored.npz", "deflated.npz", "sparse_csr.npz"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        char path[128], bytes[4096];
        snprintf(path, sizeof path, "tests/golden/arrays/%s", names[n]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        const size_t length = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        /* Labels may be any text, so also the first bytes of the name of a format. */
        for (size_t cut = n == 1 ? 6 : 0; cut < length; cut++) assert_null(reading_bytes("cut", bytes, cut, NULL, n == 1));
    }
}

/* ---- NPZ ---- */

static void npz_arrays(void **state) {
    (void)state;
    static const char *const names[] = {"stored.npz", "deflated.npz"};
    for (int n = 0; n < 2; n++) {
        sustain_dataset *set = golden(names[n], false), *labels = golden(names[n], true);
        assert_int_equal(set->rows.count, 4);
        assert_int_equal(set->rows.dim, 3);
        for (int k = 0; k < 12; k++) assert_true(set->rows.values[k] == (float)k / 4 - 1);
        for (int k = 0; k < 4; k++) assert_int_equal(set->rows.labels[k], labels->rows.labels[k]);
        assert_memory_equal(set->rows.labels, ((const int32_t[]){1, 0, 1, 2}), 16);
        sustain_dataset_destroy(set);
        sustain_dataset_destroy(labels);
    }
    sustain_dataset *set = golden("many.npz:x_test", false), *labels = golden("many.npz:y_train", true);
    assert_int_equal(set->rows.count, 2);
    assert_null(set->rows.labels);
    assert_int_equal(labels->rows.count, 4);
    sustain_dataset_destroy(set);
    sustain_dataset_destroy(labels);
    refuses_golden(
        "many.npz", false,
        "several of its arrays (x_train, y_train, x_test, y_test) could be the features; name one: tests/golden/arrays/many.npz:NAME");
    refuses_golden("many.npz:z", false, "it has no array 'z'; it has: x_train, y_train, x_test, y_test");
    refuses_golden("float32.npy:x", false, "it is not an NPZ file, so it has no array 'x'");
}

/* What scipy.sparse.save_npz() writes, in three forms, is the same rows. */
static void npz_sparse(void **state) {
    (void)state;
    static const char *const names[] = {"sparse_csr.npz", "sparse_csc.npz", "sparse_coo.npz"};
    for (int n = 0; n < 3; n++) {
        sustain_dataset *set = golden(names[n], false);
        assert_int_equal(set->rows.count, 3);
        assert_int_equal(set->rows.dim, 5);
        assert_memory_equal(set->rows.start, ((const int64_t[]){0, 2, 2, 4}), 32);
        assert_memory_equal(set->rows.columns, ((const int32_t[]){2, 4, 0, 3}), 16);
        assert_memory_equal(set->rows.values, ((const float[]){1.5f, -2, 3, 0.25f}), 16);
        sustain_dataset_destroy(set);
    }
    sustain_dataset *twice = golden("sparse_twice.npz", false); /* entries at one place are added up, zeros left out */
    assert_memory_equal(twice->rows.start, ((const int64_t[]){0, 1, 3}), 24);
    assert_memory_equal(twice->rows.columns, ((const int32_t[]){2, 0, 3}), 12);
    assert_memory_equal(twice->rows.values, ((const float[]){4, 2.5f, 1}), 12);
    sustain_dataset_destroy(twice);
    refuses_golden("sparse_outside.npz", false, "its sparse matrix is damaged: an index is outside its shape");
    refuses_golden("sparse_bsr.npz", false,
                   "its sparse matrix is not in the form csr, csc or coo; save it with scipy.sparse.save_npz('x.npz', x.tocsr())");
    refuses_golden("sparse_csr.npz", true, "it is a sparse matrix, not labels");
}

/* NumPy writes booleans as 0 and 1; other programs may write 255. */
static void npy_booleans(void **state) {
    (void)state;
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    const char *text = "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2), }";
    memcpy(header + 10, text, strlen(text));
    header[127] = '\n';
    char bytes[132];
    memcpy(bytes, header, 128);
    memcpy(bytes + 128, "\xff\x00\x01\x02", 4);
    sustain_dataset *set = reading_bytes("b.npy", bytes, sizeof bytes, NULL, false);
    assert_non_null(set);
    assert_memory_equal(set->rows.bytes, "\1\0\1\1", 4);
    sustain_dataset_destroy(set);
}

/* Files of other programs are refused with the way to convert them. */
static void foreign_files(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *words;
    } files[] = {{"PAR1 and so on", "it is a Parquet file; write it as CSV: pandas.read_parquet("},
                 {"{\"text\": \"a\"}\n", "it is JSON; write it as CSV: pandas.read_json('x.jsonl', lines=True)"},
                 {"[{\"text\": 1}]", "it is JSON; write it as CSV"},
                 {"\x89HDF\r\n", "it is an HDF5 file"},
                 {"\x80\x04\x95 pickle", "it is a Python pickle"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        assert_null(reading_bytes("f", files[i].bytes, strlen(files[i].bytes), NULL, false));
        assert_non_null(strstr(sustain_error(reading_context), files[i].words));
    }
    assert_null(reading_bytes("f", "a,b\n1,\0\n", 8, NULL, false)); /* a zero is not text, a form feed is */
    assert_non_null(strstr(sustain_error(reading_context), "it is neither IDX, NPY,"));
    sustain_dataset *pages = reading_bytes("f", "a,y\n1,x\f\n", 9, &(sustain_read_options){.label_column = "y"}, false);
    assert_non_null(pages);
    sustain_dataset_destroy(pages);
}

/* ---- IDX ---- */

static void idx_files(void **state) {
    (void)state;
    static const uint8_t pictures[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};
    sustain_dataset *set = reading_bytes("idx", pictures, sizeof pictures, NULL, false);
    assert_non_null(set);
    assert_int_equal(set->rows.count, 2);
    assert_int_equal(set->rows.dim, 3);
    assert_memory_equal(set->rows.bytes, pictures + 16, 6);
    assert_true(set->picture.height == 1 && set->picture.width == 3 && set->picture.channels == 1);
    sustain_dataset_destroy(set);
    static const uint8_t labels[] = {0, 0, 8, 1, 0, 0, 0, 4, 7, 3, 7, 255};
    set = reading_bytes("idx", labels, sizeof labels, NULL, true);
    assert_int_equal(set->classes, 3);
    assert_memory_equal(set->rows.labels, ((const int32_t[]){1, 0, 1, 2}), 16);
    sustain_dataset_destroy(set);
    static const uint8_t shorts[] = {0, 0, 11, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 255, 255};
    set = reading_bytes("idx", shorts, sizeof shorts, NULL, false);
    assert_true(set->rows.values[0] == 256 && set->rows.values[1] == -1);
    sustain_dataset_destroy(set);
    refuses_bytes(pictures, sizeof pictures - 1, NULL, false,
                  "its IDX header claims 2 x 1 x 3 elements of 1 bytes, but it has 5 bytes after it: cut off, or damaged");
    refuses_bytes("\0\0\x08\x01\0\0\0\x01zz", 10, NULL, true,
                  "its IDX header claims 1 elements of 1 bytes, but it has 2 bytes after it: damaged");
    refuses_bytes("\0\0\x08\x02\xff\xff\xff\xff\xff\xff\xff\xff", 12, NULL, false,
                  "its IDX header claims 4294967295 x 4294967295 elements of 1 bytes, but it has 0 bytes after it: cut off, or damaged");
    refuses_bytes("\0\1\2\3", 4, NULL, false, "it is neither IDX, NPY, NPZ, CSV, LIBSVM text, CIFAR binary nor a packed data set");
}

/* ---- CIFAR ---- */

static void cifar_files(void **state) {
    (void)state;
    enum { RECORD = 3074, RECORDS = 3 };
    static uint8_t bytes[RECORD * RECORDS];
    for (int i = 0; i < RECORDS; i++) {
        memset(bytes + i * RECORD, 40 + i, RECORD);
        bytes[i * RECORD] = (uint8_t)(i == 2 ? 19 : 4);
        bytes[i * RECORD + 1] = (uint8_t)(99 - i);
    }
    sustain_dataset *set = reading_bytes("cifar", bytes, sizeof bytes, NULL, false);
    assert_non_null(set);
    assert_int_equal(set->rows.count, RECORDS);
    assert_int_equal(set->rows.dim, 3072);
    assert_int_equal(set->rows.bytes[3072], 41);
    assert_int_equal(set->classes, 3);
    assert_string_equal(set->class_names[set->rows.labels[0]], "99");
    assert_true(set->picture.height == 32 && set->picture.channels == 3 && !set->picture.interleaved);
    sustain_dataset_destroy(set);
    set = reading_bytes("cifar", bytes, sizeof bytes, &(sustain_read_options){.coarse = true}, true);
    assert_int_equal(set->classes, 2);
    assert_memory_equal(set->rows.labels, ((const int32_t[]){0, 0, 1}), 12);
    sustain_dataset_destroy(set);
    bytes[2 * RECORD + 1] = 100;
    bytes[RECORD + 5] = 0; /* no text */
    refuses_bytes(bytes, sizeof bytes, NULL, false, "read as CIFAR-100 binary, record 3 has a label outside the range 0 to 99");
    static uint8_t ten[2 * 3073];
    ten[3073] = 9;
    set = reading_bytes("cifar", ten, sizeof ten, NULL, false);
    assert_int_equal(set->classes, 2);
    sustain_dataset_destroy(set);
}

/* ---- writing ---- */

static void written_arrays(void **state) {
    (void)state;
    const float values[] = {1, 2, 3, 4, 5, 6};
    const int64_t shape[] = {1, 2, 3};
    const char *path = reading_file("out.npy", "", 0);
    assert_int_equal(sustain_npy_write(reading_context, path, SUSTAIN_NPY_FLOAT, 3, shape, values), SUSTAIN_OK);
    sustain_dataset *set;
    assert_int_equal(sustain_dataset_read(reading_context, path, NULL, &set), SUSTAIN_OK);
    assert_memory_equal(set->rows.values, values, sizeof values);
    assert_true(set->picture.height == 2 && set->picture.width == 3);
    sustain_dataset_destroy(set);
    const int64_t whole[] = {(int64_t)1 << 40, -3};
    assert_int_equal(sustain_npy_write(reading_context, path, SUSTAIN_NPY_INT64, 1, (const int64_t[]){2}, whole), SUSTAIN_OK);
    assert_int_equal(sustain_dataset_read_labels(reading_context, path, NULL, &set), SUSTAIN_OK);
    assert_string_equal(set->class_names[1], "1099511627776");
    sustain_dataset_destroy(set);
    assert_int_equal(sustain_npy_write(reading_context, path, SUSTAIN_NPY_FLOAT, 9, shape, values), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_npy_write(reading_context, path, SUSTAIN_NPY_BYTE, 1, (const int64_t[]){-1}, values), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_npy_write(reading_context, "/nowhere/x.npy", SUSTAIN_NPY_FLOAT, 1, shape, values), SUSTAIN_WRITE);
}

/* ---- all ---- */

static void large_files_are_mapped(void **state) {
    (void)state;
    enum { ROWS = 3000, DIM = 100 };
    float *values = calloc(ROWS * DIM, sizeof *values);
    for (int i = 0; i < ROWS * DIM; i++) values[i] = (float)i;
    const char *path = reading_file("large.npy", "", 0);
    assert_int_equal(sustain_npy_write(reading_context, path, SUSTAIN_NPY_FLOAT, 2, (const int64_t[]){ROWS, DIM}, values), SUSTAIN_OK);
    sustain_dataset *set;
    assert_int_equal(sustain_dataset_read(reading_context, path, NULL, &set), SUSTAIN_OK);
    assert_memory_equal(set->rows.values, values, ROWS * DIM * sizeof *values);
    assert_true(reading_memory.live < 8); /* the context, the set and its names: not the rows */
    sustain_scaling *scaling;
    assert_int_equal(sustain_scaling_create(set, SUSTAIN_SCALING_ON, &scaling), SUSTAIN_OK);
    const long live = (long)reading_memory.live;
    assert_int_equal(sustain_scaling_apply(scaling, set), SUSTAIN_OK);
    assert_int_equal((long)reading_memory.live, live); /* in place: no copy, */
    for (int j = 0; j < DIM; j++)
        assert_true(fabs((double)(set->rows.values[7 * DIM + j] - (values[7 * DIM + j] - scaling->mean[j]) * scaling->factor[j])) < 1e-6);
    sustain_scaling_destroy(scaling);
    sustain_dataset_destroy(set);
    assert_int_equal(sustain_dataset_read(reading_context, path, NULL, &set), SUSTAIN_OK);
    assert_memory_equal(set->rows.values, values, ROWS * DIM * sizeof *values); /* and the file is as it was */
    sustain_dataset_destroy(set);
    free(values);
}

static void every_allocation_fails(void **state) {
    (void)state;
    survives_lack_of_memory("tests/golden/arrays/float64.npy", NULL);
    survives_lack_of_memory("tests/golden/arrays/deflated.npz", NULL);
    survives_lack_of_memory("tests/golden/arrays/sparse_csc.npz", NULL);
    survives_lack_of_memory("tests/golden/arrays/uint8_interleaved.npy", NULL);
}

static void files_that_are_none(void **state) {
    (void)state;
    sustain_dataset *set;
    assert_int_equal(sustain_dataset_read(reading_context, "/nowhere/x", NULL, &set), SUSTAIN_IO);
    assert_string_equal(sustain_error(reading_context), "cannot read /nowhere/x: No such file or directory");
    assert_int_equal(sustain_dataset_read(reading_context, "/tmp", NULL, &set), SUSTAIN_IO);
    assert_string_equal(sustain_error(reading_context), "cannot read /tmp: it is a folder");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)
    const struct CMUnitTest tests[] = {TEST(npy_numbers),
                                       TEST(npy_pictures),
                                       TEST(npy_labels),
                                       TEST(npy_refused),
                                       TEST(text_called_npy),
                                       TEST(every_cut_is_refused),
                                       TEST(npz_arrays),
                                       TEST(npz_sparse),
                                       TEST(npy_booleans),
                                       TEST(foreign_files),
                                       TEST(idx_files),
                                       TEST(cifar_files),
                                       TEST(written_arrays),
                                       TEST(large_files_are_mapped),
                                       TEST(every_allocation_fails),
                                       TEST(files_that_are_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

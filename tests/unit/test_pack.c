/* test_pack.c - packed data sets: what is read is what was written, of every kind; text in pieces
 * is like text as a whole; cut off at any length, a file is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sustain/learn.h>
#include <sustain/sustain.h>

#include "data/formats.h"
#include "data/pack_text.h"

static sustain_context *context;
static char folder[] = "/tmp/sustain-pack-XXXXXX";

static int set_up(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL || chdir(folder) != 0 || sustain_context_create(&context) != SUSTAIN_OK;
}

static int tear_down(void **state) {
    (void)state;
    sustain_context_destroy(context);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") != 0 || system(command) != 0; /* NOLINT(cert-env33-c,concurrency-mt-unsafe) */
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static sustain_dataset *take(const char *path, const sustain_read_options *options) {
    sustain_dataset *set;
    if (sustain_dataset_read(context, path, options, &set) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    return set;
}

typedef struct files {
    const char *path[3];
    const sustain_read_options *options;
} files;

static sustain_status add_files(void *user, sustain_pack *pack) {
    const files *f = user;
    sustain_status status = SUSTAIN_OK;
    for (int i = 0; i < 3 && f->path[i] != NULL && status == SUSTAIN_OK; i++) status = sustain_pack_add_file(pack, f->path[i], f->options);
    return status;
}

static void pack(const char *to, const files *f) {
    int64_t rows;
    if (sustain_pack_write(context, to, add_files, (void *)(uintptr_t)f, &rows) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    assert_true(rows > 0);
}

static void same(const sustain_dataset *a, const sustain_dataset *b) {
    const sustain_rows *p = &a->rows, *q = &b->rows;
    const size_t n = (size_t)p->count;
    assert_true(p->count == q->count && p->dim == q->dim && a->classes == b->classes && a->label_values == b->label_values);
    assert_true((p->bytes != NULL) == (q->bytes != NULL) && (p->start != NULL) == (q->start != NULL) && p->byte_scale == q->byte_scale);
    assert_true((p->labels != NULL) == (q->labels != NULL) && (p->targets != NULL) == (q->targets != NULL));
    if (p->bytes != NULL) assert_memory_equal(p->bytes, q->bytes, n * (size_t)p->dim);
    if (p->bytes == NULL && p->start == NULL) assert_memory_equal(p->values, q->values, n * (size_t)p->dim * sizeof(float));
    if (p->start != NULL) {
        assert_memory_equal(p->start, q->start, (n + 1) * sizeof *p->start);
        assert_memory_equal(p->columns, q->columns, (size_t)p->start[n] * sizeof *p->columns);
        assert_memory_equal(p->values, q->values, (size_t)p->start[n] * sizeof *p->values);
    }
    if (p->labels != NULL) assert_memory_equal(p->labels, q->labels, n * sizeof *p->labels);
    if (p->targets != NULL) assert_memory_equal(p->targets, q->targets, n * sizeof *p->targets);
    for (int64_t k = 0; k < a->classes; k++) assert_string_equal(a->class_names[k], b->class_names[k]);
    assert_int_equal(a->column_names != NULL, b->column_names != NULL);
    for (int64_t j = 0; j < p->dim && a->column_names != NULL; j++) assert_string_equal(a->column_names[j], b->column_names[j]);
    assert_int_equal(a->trusted != NULL, b->trusted != NULL);
    if (a->trusted != NULL) assert_memory_equal(a->trusted, b->trusted, n);
    assert_memory_equal(&a->picture.height, &b->picture.height, sizeof a->picture.height);
}

/* Packed and read again is like read at once. */
static void like(const char *path, const sustain_read_options *options) {
    const files f = {{path}, options};
    pack("packed", &f);
    sustain_dataset *once = take(path, options), *again = take("packed", NULL);
    same(once, again);
    sustain_dataset_destroy(once);
    sustain_dataset_destroy(again);
}

static void test_kinds(void **state) {
    (void)state;
    uint8_t bytes[5 * 12];
    float floats[7 * 3];
    for (int i = 0; i < 5 * 12; i++) bytes[i] = (uint8_t)(i * 7);
    for (int i = 0; i < 7 * 3; i++) floats[i] = (float)i / 8;
    assert_int_equal(sustain_npy_write(context, "b.npy", SUSTAIN_NPY_BYTE, 3, (const int64_t[]){5, 4, 3}, bytes), SUSTAIN_OK);
    assert_int_equal(sustain_npy_write(context, "f.npy", SUSTAIN_NPY_FLOAT, 2, (const int64_t[]){7, 3}, floats), SUSTAIN_OK);
    like("b.npy", NULL);
    like("f.npy", NULL);
    write_text("s.txt", "1 1:5 3:2\n2 2:1\n1 3:7\n");
    like("s.txt", NULL);
    write_text("z.txt", "1 0:5 3:2\n2 2:1\n1.5 3:7\n");
    like("z.txt", NULL);
    write_text("t.csv", "colour,size,y,ok\nred,1,a,0\nblue,2,b,1\n\"a, b\",3,a,0\n");
    const sustain_table_options table = {.text_columns = NULL};
    const sustain_read_options options = {.size = sizeof options, .label_column = "y", .trusted_column = "ok", .table = &table};
    like("t.csv", &options);
    write_text("n.csv", "p,q,y\n1,2,0\n3,4,1\n");
    like("n.csv", &(sustain_read_options){.size = sizeof options, .label_column = "y"});
}

/* Sparse rows stay in the file: they are scaled there, and copied where columns change. */
static void test_sparse_in_place(void **state) {
    (void)state;
    write_text("one.txt", "1 1:5 3:2\n2 2:4\n1 3:8\n");
    write_text("zero.txt", "1 0:5 3:2\n2 2:1\n1 3:7\n");
    pack("one", &(files){{"one.txt"}, NULL});
    pack("zero", &(files){{"zero.txt"}, NULL});
    sustain_dataset *set = take("one", NULL), *zero = take("zero", NULL);
    const struct sustain_dataset_memory *m = set->memory;
    assert_true(m->values == NULL && m->columns == NULL && m->start == NULL);
    sustain_scaling *scaling;
    assert_int_equal(sustain_scaling_create(set, SUSTAIN_SCALING_ON, &scaling), SUSTAIN_OK);
    assert_int_equal(sustain_scaling_apply(scaling, set), SUSTAIN_OK);
    const float scaled[] = {1, 0.25f, 1, 1};
    assert_memory_equal(set->rows.values, scaled, sizeof scaled);
    assert_int_equal(sustain_dataset_match(zero, set), SUSTAIN_OK);
    const int32_t columns[] = {1, 3, 2, 3};
    assert_memory_equal(set->rows.columns, columns, sizeof columns);
    assert_true(set->rows.start[3] == 4 && set->rows.dim == 4);
    sustain_scaling_destroy(scaling);
    sustain_dataset_destroy(set);
    sustain_dataset_destroy(zero);
}

/* Longer than a piece: numbers, classes and columns are those of the whole file. */
static void test_pieces(void **state) {
    (void)state;
    enum { LINES = 400000 };
    FILE *table = fopen("long.csv", "wb"), *sparse = fopen("long.txt", "wb");
    assert_true(table != NULL && sparse != NULL);
    fputs("a,b,kind\n", table);
    for (int i = 0; i < LINES; i++) {
        fprintf(table, "%d.5,%096d,%s\n", i, i % 1000, i < LINES / 2 ? "early" : i % 2 ? "late" : "\"with, comma\"");
        fprintf(sparse, "%d %d:%096d 60:1\n", i % 3, i < LINES - 5 ? 1 + i % 50 : 0, 1 + i % 7); /* counts from 0: seen at the end */
    }
    assert_true(fclose(table) == 0 && fclose(sparse) == 0);
    like("long.csv", &(sustain_read_options){.size = sizeof(sustain_read_options), .label_column = "kind"});
    like("long.txt", NULL);
}

static sustain_status add_set(void *user, sustain_pack *pack) {
    return sustain_pack_add(pack, user);
}

/* Labels that the options of the reader allow to be missing are none that can be packed. */
static void test_missing_labels(void **state) {
    (void)state;
    static const char *const texts[] = {"a,y\n1,cat\n2,\n3,dog\n", "a,y\n1,0.5\n2,NA\n3,1.5\n"};
    const sustain_read_options options = {.size = sizeof options, .label_column = "y", .missing_labels = true};
    for (int k = 0; k < 2; k++) {
        write_text("missing.csv", texts[k]);
        sustain_dataset *set = take("missing.csv", &options);
        assert_true(k == 0 ? set->rows.labels[1] == -1 && set->classes == 2 : isnan(set->rows.targets[1]));
        assert_int_equal(sustain_pack_write(context, "none.safetensors", add_set, set, NULL), SUSTAIN_FORMAT);
        assert_non_null(strstr(sustain_error(context), "row 1 (from 0) has no label"));
        sustain_dataset_destroy(set);
    }
}

/* The first line of a table without a header is a row of the first piece alone; a header may come
 * after a line that names the delimiter. */
static void test_heads_of_pieces(void **state) {
    (void)state;
    enum { LINES = 320000 };
    static const char *const heads[] = {"", "sep=;\na;\"b\nc\";kind\n"};
    const sustain_table_options columns = {.size = sizeof columns};
    for (int k = 0; k < 2; k++) {
        FILE *table = fopen("heads.csv", "wb");
        assert_non_null(table);
        fputs(heads[k], table);
        for (int i = 0; i < LINES; i++) fprintf(table, "%d.5;%0100d;%d\n", i, i % 1000, i % 3);
        assert_int_equal(fclose(table), 0);
        like("heads.csv", &(sustain_read_options){.size = sizeof(sustain_read_options), .label_column = "3"});
        like("heads.csv", &(sustain_read_options){.size = sizeof(sustain_read_options), .label_column = "3", .table = &columns});
    }
}

static sustain_status add_in_pieces(void *user, sustain_pack *pack) {
    const char *text = user;
    const sustain_table_options columns = {.size = sizeof columns};
    const sustain_read_options options = {.size = sizeof options, .label_column = "y", .table = &columns};
    sustain_dataset *set;
    assert_int_equal(sustain__dataset_create(context, "text", &set), SUSTAIN_OK);
    const sustain__input whole = {
        .context = context, .bytes = (const unsigned char *)text, .length = strlen(text), .options = &options, .set = set};
    const sustain_status status = sustain__pack_text(pack, &whole, 40);
    sustain_dataset_destroy(set);
    return status;
}

/* A quote in the middle of a field is a character as others. */
static void test_quotes_in_pieces(void **state) {
    (void)state;
    char text[] = "size,y\nold,a\n5\" wide,b\n\"a\nlong,\ntext of lines\",a\n\"again \"\"so\"\",\n5\",b\n12\" high,a\nlast,b\n";
    int64_t rows = 0;
    if (sustain_pack_write(context, "quotes", add_in_pieces, text, &rows) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    assert_int_equal(rows, 6);
}

/* float16 takes two bytes in the file, and is a float when it is read, or stays what it is. */
static void test_half(void **state) {
    (void)state;
    uint8_t file[128 + 12] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }";
    const uint16_t numbers[6] = {0x3c00, 0x3800, 0xc000, 0x0000, 0x4200, 0x2e66};
    const float expected[6] = {1, 0.5f, -2, 0, 3, 0.0999755859375f};
    for (size_t i = strlen((const char *)file + 10) + 10; i < 128; i++) file[i] = i == 127 ? '\n' : ' ';
    for (int i = 0; i < 6; i++) file[128 + 2 * i] = (uint8_t)numbers[i], file[129 + 2 * i] = (uint8_t)(numbers[i] >> 8);
    FILE *to = fopen("h.npy", "wb");
    assert_true(to != NULL && fwrite(file, 1, sizeof file, to) == sizeof file && fclose(to) == 0);
    pack("packed", &(files){{"h.npy", "h.npy"}, NULL});
    sustain_dataset *set = take("packed", NULL);
    assert_true(set->rows.count == 4 && set->rows.dim == 3);
    assert_memory_equal(set->rows.values, expected, sizeof expected);
    assert_memory_equal(set->rows.values + 6, expected, sizeof expected);
    sustain_dataset_destroy(set);
    const sustain_read_options as_is = {.size = sizeof as_is, .keep_half = true};
    static const char *const kept[] = {"packed", "h.npy,h.npy"};
    for (int k = 0; k < 2; k++) { /* until they are scaled */
        sustain_scaling *scaling;
        set = take(kept[k], &as_is);
        assert_true(set->rows.count == 4 && set->rows.values == NULL && set->memory->halves == NULL);
        assert_memory_equal(set->rows.halves, numbers, sizeof numbers);
        assert_int_equal(sustain_scaling_create(set, SUSTAIN_SCALING_ON, &scaling), SUSTAIN_OK);
        assert_int_equal(sustain_scaling_apply(scaling, set), SUSTAIN_OK);
        assert_true(set->rows.halves == NULL && set->rows.values[0] == 1 && set->rows.values[3] == -1);
        sustain_scaling_destroy(scaling);
        sustain_dataset_destroy(set);
    }
    FILE *packed = fopen("packed", "rb");
    assert_true(packed != NULL && fseek(packed, 0, SEEK_END) == 0);
    assert_int_equal(ftell(packed) % 4096, 24); /* whole pages, then 12 numbers */
    fclose(packed);
    file[139] = 0x7e; /* NaN */
    to = fopen("h.npy", "wb");
    assert_true(to != NULL && fwrite(file, 1, sizeof file, to) == sizeof file && fclose(to) == 0);
    assert_int_equal(sustain_pack_write(context, "none", add_files, &(files){{"h.npy"}, NULL}, &(int64_t){0}), SUSTAIN_FORMAT);
    assert_string_equal(sustain_error(context), "h.npy: its element [1, 2] is NaN; remove the row, or fill in a number");
}

/* `rows` lines of text: many numbers in each, or a label and little else. */
static void write_lines(const char *path, bool libsvm, int rows, int columns) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int j = 0; j < columns && !libsvm; j++) fprintf(file, "c%d,", j);
    if (!libsvm) fprintf(file, "label\n");
    for (int i = 0; i < rows; i++) {
        if (libsvm) fprintf(file, "%d ", i % 7);
        for (int j = 0; j < columns; j++)
            if (libsvm)
                fprintf(file, "%d:%d.%d ", j + 1, i % 9 + 1, (i + j) % 97);
            else
                fprintf(file, "%d.%d,", i % 9 + 1, (i + j) % 97);
        if (!libsvm) fprintf(file, "%d", i % 7);
        fputc('\n', file);
    }
    fclose(file);
}

/* What a text takes is known from its first lines: refused before it is read, or done. */
static void test_memory(void **state) {
    static const struct {
        bool libsvm;
        int rows, columns;
    } texts[] = {{true, 20000, 12}, {false, 20000, 20}, {true, 200000, 1}, {false, 200000, 2}};
    sustain_context *const usual = context;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const sustain_read_options options = {.size = sizeof options, .label_column = texts[i].libsvm ? NULL : "label"};
        const files f = {{"long.txt"}, &options};
        int64_t rows;
        write_lines("long.txt", texts[i].libsvm, texts[i].rows, texts[i].columns);
        assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
        pack("packed", &f);
        const size_t peak = context->memory_peak;
        sustain_context_set_memory_limit(context, peak + peak / 4);
        pack("packed", &f);
        sustain_context_set_memory_limit(context, peak - peak / 4);
        context->memory_peak = 0;
        assert_int_equal(sustain_pack_write(context, "refused", add_files, (void *)(uintptr_t)&f, &rows), SUSTAIN_MEMORY_LIMIT);
        if (strstr(sustain_error(context), "to pack it") == NULL) fail_msg("%zu: %s", i, sustain_error(context));
        assert_true(context->memory_peak < peak / 2);
        assert_int_equal(access("refused", F_OK), -1);
        sustain_context_destroy(context);
    }
    context = usual;
}

static sustain_status add_pictures(void *user, sustain_pack *to) {
    const sustain_picture shape = {2, 3, 1, false};
    const uint8_t *pixels = user;
    sustain_status status = sustain_pack_add_picture(to, shape, pixels, "dog");
    return status == SUSTAIN_OK ? sustain_pack_add_picture(to, shape, pixels + 6, "cat") : status;
}

static void test_pictures(void **state) {
    (void)state;
    uint8_t pixels[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    int64_t rows;
    assert_int_equal(sustain_pack_write(context, "packed", add_pictures, pixels, &rows), SUSTAIN_OK);
    sustain_dataset *set = take("packed", NULL);
    assert_true(rows == 2 && set->picture.height == 2 && set->picture.width == 3 && set->classes == 2 && set->rows.labels[0] == 1);
    assert_string_equal(set->class_names[1], "dog");
    assert_memory_equal(set->rows.bytes, pixels, sizeof pixels);
    sustain_dataset_destroy(set);
}

static void test_refusals(void **state) {
    (void)state;
    int64_t rows;
    write_text("packed", "what was there");
    write_text("a.csv", "1,2\n3,4\n");
    write_text("b.csv", "1,2,3\n3,4,5\n");
    files f = {{"a.csv", "b.csv"}, NULL};
    assert_int_equal(sustain_pack_write(context, "packed", add_files, &f, &rows), SUSTAIN_FORMAT);
    assert_string_equal(sustain_error(context), "b.csv has 3 columns, the rows before it have 2");
    f = (files){{NULL}, NULL};
    assert_int_equal(sustain_pack_write(context, "packed", add_files, &f, &rows), SUSTAIN_FORMAT);
    char text[32] = "";
    FILE *file = fopen("packed", "rb");
    assert_true(file != NULL && fgets(text, sizeof text, file) != NULL && fclose(file) == 0);
    assert_string_equal(text, "what was there"); /* untouched */
}

/* A packed file in memory, with all kinds of tensors; every shorter one is refused with a
 * sentence. */
static void test_truncated(void **state) {
    (void)state;
    static unsigned char bytes[1 << 21];
    write_text("t.csv", "size,y,ok\n1,a,0\n2,b,1\n");
    const sustain_read_options options = {.size = sizeof options, .label_column = "y", .trusted_column = "ok"};
    pack("packed", &(files){{"t.csv"}, &options});
    FILE *file = fopen("packed", "rb");
    assert_non_null(file);
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    assert_true(fclose(file) == 0 && length > 4096 && length < sizeof bytes);
    for (size_t cut = 1; cut <= length; cut += cut < 600 ? 1 : cut < length - 40 ? 9973 : 1) {
        sustain_dataset *set;
        unsigned char *copy = malloc(cut);
        assert_non_null(copy);
        memcpy(copy, bytes, cut);
        assert_int_equal(sustain__dataset_create(context, "cut", &set), SUSTAIN_OK);
        sustain__input input = {
            .context = context, .bytes = copy, .length = cut, .options = &(sustain_read_options){.size = 0}, .set = set};
        const sustain_status status = cut == length || sustain__is_safetensors(copy, cut) ? sustain__parse_packed(&input) : SUSTAIN_FORMAT;
        assert_int_equal(status, cut == length ? SUSTAIN_OK : SUSTAIN_FORMAT);
        sustain_dataset_destroy(set);
        free(copy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds),
                                       cmocka_unit_test(test_sparse_in_place),
                                       cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_heads_of_pieces),
                                       cmocka_unit_test(test_missing_labels),
                                       cmocka_unit_test(test_half),
                                       cmocka_unit_test(test_quotes_in_pieces),
                                       cmocka_unit_test(test_pictures),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_truncated),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

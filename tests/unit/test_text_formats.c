/* test_text_formats.c - CSV and LIBSVM text: what is read, and what is refused with which
 * sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"

static void check_values(const sustain_dataset *set, int64_t count, int64_t dim, const float *values) {
    assert_int_equal(set->rows.count, count);
    assert_int_equal(set->rows.dim, dim);
    for (int64_t i = 0; i < count * dim; i++) assert_true(set->rows.values[i] == values[i]);
}

static void check_labels(const sustain_dataset *set, const char *names, const int32_t *labels) {
    char all[256] = "";
    for (int64_t c = 0; c < set->classes; c++) {
        strcat(all, c > 0 ? "|" : "");
        strcat(all, set->class_names[c]);
    }
    assert_string_equal(all, names);
    for (int64_t i = 0; i < set->rows.count; i++) assert_int_equal(set->rows.labels[i], labels[i]);
}

/* ---- CSV ---- */

static void csv_plain(void **state) {
    (void)state;
    static const char *const same[] = {"1,2.5\n-3,4e1\n",
                                       "1,2.5\r\n-3,4e1\r\n",
                                       "1;2.5\n-3;4e1",
                                       "1\t2.5\n-3\t4e1\n\n",
                                       "1 2.5\n-3   4e1  \n",
                                       "\xef\xbb\xbf\061,2.5\n-3,4e1",
                                       "\"1\", 2.5 \n -3 ,\"4e1\"\n",
                                       "\n1,2.5\n\n-3,4e1\n"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        sustain_dataset *set = reading_text(same[i], NULL);
        check_values(set, 2, 2, (const float[]){1, 2.5f, -3, 40});
        assert_null(set->column_names);
        assert_null(set->rows.labels);
        assert_int_equal(set->classes, 0);
        sustain_dataset_destroy(set);
    }
}

static void csv_header_and_labels(void **state) {
    (void)state;
    sustain_dataset *set = reading_text("size,\"the \"\"kind\"\"\",age,ok\n1,cat,2,0\n3,\"dog, \"\"old\"\"\",4,1\n5,cat,6,1\n",
                                        &(sustain_read_options){.label_column = "the \"kind\"", .trusted_column = "4"});
    check_values(set, 3, 2, (const float[]){1, 2, 3, 4, 5, 6});
    check_labels(set, "cat|dog, \"old\"", (const int32_t[]){0, 1, 0});
    assert_string_equal(set->column_names[0], "size");
    assert_string_equal(set->column_names[1], "age");
    assert_null(set->rows.targets);
    assert_memory_equal(set->trusted, ((const uint8_t[]){0, 1, 1}), 3);
    sustain_dataset_destroy(set);
}

/* Columns called 0, 1, ... as some programs write them: the name of the label column says that
 * there is a header. */
static void csv_header_of_numbers(void **state) {
    (void)state;
    sustain_dataset *set = reading_text("0,1,y\n7,8,2\n9,10,1.0\n1,1,+2\n", &(sustain_read_options){.label_column = "y"});
    check_values(set, 3, 2, (const float[]){7, 8, 9, 10, 1, 1});
    check_labels(set, "1.0|2", (const int32_t[]){1, 0, 1});
    assert_true(set->rows.targets[0] == 2 && set->rows.targets[1] == 1);
    sustain_dataset_destroy(set);
}

static void csv_targets(void **state) {
    (void)state;
    sustain_dataset *set = reading_text("a,b\n1,2.5\n2,3.5\n", &(sustain_read_options){.label_column = "2"});
    assert_null(set->rows.labels);
    assert_int_equal(set->classes, 0);
    assert_true(set->rows.targets[0] == 2.5f && set->rows.targets[1] == 3.5f);
    sustain_dataset_destroy(set);
}

static void label_files(void **state) {
    (void)state;
    static const struct {
        const char *text, *names;
        int64_t count;
        int32_t labels[4];
    } cases[] = {{"cat\ndog\ncat\n", "cat|dog", 3, {0, 1, 0}},
                 {"label\ncat\ndog", "cat|dog", 2, {0, 1}},
                 {"name\n3\n10\n3\n", "3|10", 3, {0, 1, 0}},
                 {"10\n9\n10\n", "9|10", 3, {1, 0, 1}},
                 {"x\r\ny\r\n", "x|y", 2, {0, 1}},
                 {"\"a b\"\nc\n", "a b|c", 2, {0, 1}},
                 {"-1\n+1\n1\n", "-1|+1", 3, {0, 1, 1}},
                 {"abc\nab\na\nb\n", "a|ab|abc|b", 4, {2, 1, 0, 3}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sustain_dataset *set = reading_labels(cases[i].text, NULL);
        assert_int_equal(set->rows.count, cases[i].count);
        assert_int_equal(set->rows.dim, 0);
        check_labels(set, cases[i].names, cases[i].labels);
        sustain_dataset_destroy(set);
    }
    const sustain_read_options b = {.label_column = "b"};
    sustain_dataset *set = reading_labels("a,b\nsince 12:30 today,1\ny,2\nz,1\n", &b); /* not LIBSVM */
    check_labels(set, "1|2", (const int32_t[]){0, 1, 0});
    sustain_dataset_destroy(set);
    set = reading_labels("a,b\nx,1\ny,2\nz,1\n", &b);
    check_labels(set, "1|2", (const int32_t[]){0, 1, 0});
    sustain_dataset_destroy(set);
}

/* Beyond the first bytes, by which text is recognized. */
static void csv_refuses_nul(void **state) {
    enum { ROWS = 2000 };
    char text[4 * ROWS + 1];
    (void)state;
    for (int i = 0; i < ROWS; i++) memcpy(text + 4 * i, "1,2\n", 5);
    text[4 * 1500 + 1] = '\0';
    refuses_bytes(text, sizeof text - 1, NULL, false, "line 1501 has a NUL byte: the file is damaged, or is not text in UTF-8");
}

static void csv_refused(void **state) {
    (void)state;
    refuses_text("x,y\n1,1e300CNY\n", &(sustain_read_options){.label_column = "y"}, "the label '1e300CNY' is too large a number");
    const sustain_read_options y = {.label_column = "y"}, trusted = {.label_column = "y", .trusted_column = "t"};
    refuses_text("", NULL, "it is empty");
    refuses_text("a,b\n", NULL, "it has a header, but no rows");
    refuses_text("a,b\n1,2\n3\n", NULL, "line 3 has fewer than the 2 fields of the first line");
    refuses_text("1,2\n\n1,2,3\n", NULL, "line 3 has more than the 2 fields of the first line");
    refuses_text("a,b\n1,2\n3,\n", NULL, "line 3, column 2 ('b'): the value is missing; fill it in, or remove the row");
    refuses_text("1,2\nNA,4\n", NULL, "line 2, column 1: the value is missing; fill it in, or remove the row");
    refuses_text("a,b\n1,nan\n", NULL, "line 2, column 2 ('b'): 'nan' is not a finite number");
    refuses_text("a,b\n1,1e39\n", NULL, "line 2, column 2 ('b'): the number is too large");
    refuses_text("a,y\n1,2\nx,3\n", &y, "line 3, column 1 ('a'): 'x' is not a number");
    refuses_text("1,cat\n2,dog\n", NULL, "line 1, column 2: 'cat' is not a number; if these are labels, say so (label_column)");
    refuses_text("a,b\n1,2\n", &y, "it has no column 'y'; its first line is: a, b");
    refuses_text("1,2\n", &(sustain_read_options){.label_column = "3"}, "it has no column '3'; its first line is: 1, 2");
    refuses_text("a,y\n1,\n", &y, "line 2, column 2 ('y'): the label is missing; fill it in, or remove the row");
    refuses_text("a,y\n1,inf\n", &y, "line 2, column 2 ('y'): 'inf' cannot be a label");
    refuses_text("a,y,t\n1,2,yes\n", &trusted, "line 2, column 3 ('t'): 'yes' must be 1 or True for a trusted row, 0 or False for others");
    refuses_text("a,y\n1,2\n", &(sustain_read_options){.label_column = "y", .trusted_column = "2"},
                 "one column cannot hold both the labels and the trusted marks");
    refuses_text("y\n1\n", &y, "it has no features");
    refuses_text("a,y\n1,\"x\n", &y, "line 2: a quote is not closed");
    refuses_text("a,y\n1,\"x\"z\n", &y, "line 2: text follows a closing quote");
    refuses_bytes("a\n\nb\n", 5, NULL, true, "line 2 is empty; fill it in, or remove it");
    refuses_bytes("a,b\n1,2\n", 8, NULL, true, "it has 2 columns; say which has the labels (label_column)");
}

/* ---- LIBSVM ---- */

static void libsvm_rows(void **state) {
    (void)state;
    sustain_dataset *set = reading_text("+1 1:0.5 3:-2 # a comment\n\n-1 2:0 4:1e1\r\n1\n", NULL);
    const sustain_rows *rows = &set->rows;
    assert_int_equal(rows->count, 3);
    assert_int_equal(rows->dim, 4);
    static const int64_t start[] = {0, 2, 3, 3};
    static const int32_t columns[] = {0, 2, 3};
    static const float values[] = {0.5f, -2, 10};
    assert_memory_equal(rows->start, start, sizeof start);
    assert_memory_equal(rows->columns, columns, sizeof columns);
    assert_memory_equal(rows->values, values, sizeof values);
    check_labels(set, "-1|+1", (const int32_t[]){1, 0, 1});
    assert_true(rows->targets[0] == 1 && rows->targets[1] == -1 && rows->targets[2] == 1);
    sustain_dataset_destroy(set);
    set = reading_labels("2 1:1\n5 2:1\n", NULL);
    check_labels(set, "2|5", (const int32_t[]){0, 1});
    assert_int_equal(set->rows.dim, 0);
    sustain_dataset_destroy(set);
}

static void libsvm_refused(void **state) {
    (void)state;
    refuses_text("1 2:1\n1 3:1 2:1\n", NULL, "line 2: '2:1' comes after a larger index; sort each line by index");
    refuses_text("1 2:1 2:1\n", NULL, "line 1: '2:1' repeats the previous index");
    refuses_text("1 2147483647:1\n", NULL, "its largest index is 2147483647, but it has only 1 values: number the features from 1 on");
    refuses_text("1 1:1 2\n", NULL, "line 1: '2' has no colon; features are written index:value");
    refuses_text("1 1:1 x:2\n", NULL, "line 1: 'x:2' is not of the form index:value");
    refuses_text("1 1:1 -2:2\n", NULL, "line 1: '-2:2' is not of the form index:value");
    refuses_text("1 1:1 2:\n", NULL, "line 1: '2:' has no number after the colon");
    refuses_text("1 1:1 2:3x\n", NULL, "line 1: '2:3x' has no number after the colon");
    refuses_text("1 1:1 2:nan\n", NULL, "line 1: '2:nan' is not finite");
    refuses_text("1 1:1 2:1e99\n", NULL, "line 1: '2:1e99' is too large a number");
    refuses_text("1 1:1 2147483648:1\n", NULL, "line 1: '2147483648:1' has too large an index; the largest is 2147483647");
    refuses_text("1 1:1 99999999999999999999:1\n", NULL,
                 "line 1: '99999999999999999999:1' has too large an index; the largest is 2147483647");
    refuses_text("1 1:1\n1:1 2:2\n", NULL, "line 2: '1:1' is where the label should be");
    refuses_text("1,2 1:1\n", NULL, "line 1: '1,2' are several labels; a row has one");
    refuses_text("nan 1:1\n", NULL, "line 1: 'nan' is not a label");
}

/* ---- both ---- */

static void long_rows_of_many_labels(void **state) {
    (void)state;
    enum { ROWS = 70000 };
    char *text = malloc(ROWS * 24), *at = text;
    for (int i = 0; i < ROWS; i++) at += sprintf(at, "%d,%d\n", i, i);
    sustain_dataset *set = reading_text(text, &(sustain_read_options){.label_column = "2"});
    assert_null(set->rows.labels); /* more than 65,536 classes are numbers to predict */
    assert_true(set->rows.targets[ROWS - 1] == ROWS - 1);
    sustain_dataset_destroy(set);
    at = text;
    for (int i = 0; i < ROWS; i++) at += sprintf(at, "%d,c%d\n", i, i);
    assert_null(reading_bytes("text", text, strlen(text), &(sustain_read_options){.label_column = "2"}, false));
    assert_non_null(strstr(sustain_error(reading_context), "more than 65536 different labels"));
    free(text);
}

static void every_allocation_fails(void **state) {
    (void)state;
    static const char csv[] = "a,y,\"b\"\"\"\n1,x,2\n3,\"u\"\"v\",4\n", svm[] = "1 1:1 3:2\n-1 2:2\n";
    survives_lack_of_memory(reading_file("csv", csv, sizeof csv - 1), &(sustain_read_options){.label_column = "y"});
    survives_lack_of_memory(reading_file("svm", svm, sizeof svm - 1), NULL);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)
    const struct CMUnitTest tests[] = {TEST(csv_plain),      TEST(csv_header_and_labels),    TEST(csv_header_of_numbers), TEST(csv_targets),
                                       TEST(label_files),    TEST(csv_refuses_nul),          TEST(csv_refused),           TEST(libsvm_rows),
                                       TEST(libsvm_refused), TEST(long_rows_of_many_labels), TEST(every_allocation_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_table.c - tables as people have them: numbers, categories, text, missing values; what is
 * refused; the encoding on other rows, as JSON, without memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reading.h"

static const sustain_table_options plain = {.missing = SUSTAIN_MISSING_MEAN};
static const sustain_read_options as_table = {.label_column = "y", .table = &plain};

static const char people[] = "age,city,y\n20,Rome,a\n,Rome,b\n40,Oslo,a\n30,Oslo,b\n50,Rome,a\n60,Lima,b\n";

static const char sales[] = "when,price,y\n2024-01-31,$5,a\n,\"$1,000\",b\n2024-02-01 10:00,$7,a\n";

static void check_names(const sustain_dataset *set, const char *expected) {
    char all[2048] = "";
    for (int64_t j = 0; j < set->rows.dim; j++) {
        strcat(all, j > 0 ? "|" : "");
        strcat(all, set->column_names[j]);
    }
    assert_string_equal(all, expected);
}

/* ---- numbers and categories ---- */

static void numbers_and_categories(void **state) {
    (void)state;
    sustain_dataset *set = reading_text(people, &as_table);
    check_names(set, "age|age (missing)|city=Oslo|city=Rome|city=(other)"); /* one row has Lima: too few for a feature of its own */
    assert_memory_equal(set->rows.values,
                        ((const float[]){20, 0, 0, 1, 0, 40, 1, 0, 1, 0, 40, 0, 1, 0, 0, 30, 0, 1, 0, 0, 50, 0, 0, 1, 0, 60, 0, 0, 0, 1}),
                        30 * sizeof(float));
    const sustain_table_features f = sustain_table_encoding_features(set->encoding);
    assert_int_equal(f.dim, 5);
    assert_int_equal(f.groups, 2);
    assert_memory_equal(f.group, ((const int32_t[]){0, 0, 1, 1, 1}), 20);
    assert_string_equal(f.group_names[1], "city");
    assert_false(f.sparse);
    assert_int_equal(set->classes, 2);
    assert_int_equal(set->label_values, 2);

    /* Another order of columns, more of them, values that were not seen, no labels. */
    const sustain_read_options other = {.encoding = set->encoding};
    sustain_dataset *rows = reading_text("city,extra,age\nParis,x,1\n,y,\nOslo,z,2.5\n", &other);
    assert_ptr_equal(rows->encoding, set->encoding);
    assert_memory_equal(rows->rows.values, ((const float[]){1, 0, 0, 0, 1, 40, 1, 0, 0, 1, 2.5f, 0, 1, 0, 0}), 15 * sizeof(float));
    assert_int_equal(sustain_dataset_match(set, rows), SUSTAIN_OK);
    sustain_dataset_destroy(set); /* the encoding has another owner */
    assert_string_equal(rows->column_names[3], "city=Rome");
    refuses_text("city\nRome\n", &(sustain_read_options){.encoding = rows->encoding},
                 "it has no column 'age', which the training rows had; its first line must contain that name");
    refuses_text("city,age\nRome,old\n", &(sustain_read_options){.encoding = rows->encoding},
                 "line 2, column 2 ('age'): 'old' is not a number, but the column held numbers in the training rows");
    sustain_dataset_destroy(rows);
}

/* Names that are numbers: a header where the rows below say so, data else. */
static void names_that_are_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text, *label, *names;
        int64_t rows;
    } cases[] = {
        {"2019,b,kind\n0.5,1.5,x\n1,2,y\n3,4,x\n", "3", "2019|b", 3},  /* b above a number */
        {"0,1,2,3\n0.5,1.5,7,0\n1,2,8,1\n3,4,5,0\n", "4", "0|1|2", 3}, /* as pandas writes it */
        {",0,1,2\n0,1.5,7,0\n1,2,8,1\n2,4,5,0\n", "4", "0|1", 3},      /* ... with its index */
        {"who,2017,2018,2019\nx,5,7,0\ny,2,8,1\nx,4,5,0\ny,4,6,0\n", "4", "who=x|who=y|2017|2018", 4},
        {"1,2,3,4\n0.5,1.5,7,0\n1,2,8,4\n3,4,5,0\n", "4", "column 1|column 2|column 3", 4},
        {"0.0,1.0,2.0,4\n0.5,1.5,7,0\n1,2,8,4\n", "4", "column 1|column 2|column 3", 3},
        {"39,Gov,13,x\n50,Self,12,y\n38,Gov,9,x\n7,Self,8,x\n", "4", "column 1|column 2=Gov|column 2=Self|column 3", 4},
        {"39,A/5,13,x\n50,12,12,y\n38,A/5,9,x\n7,12,5,y\n", "4", "column 1|column 2=12|column 2=A/5|column 3", 4},
        {"NA,3,0\n1,4,1\n2,5,0\n", "3", "column 1|column 1 (missing)|column 2", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sustain_dataset *set = reading_text(cases[i].text, &(sustain_read_options){.label_column = cases[i].label, .table = &plain});
        check_names(set, cases[i].names);
        assert_int_equal(set->rows.count, cases[i].rows);
        sustain_dataset_destroy(set);
    }
    /* A number that is no column's is a name. */
    const sustain_table_options ignore = {.missing = SUSTAIN_MISSING_MEAN, .ignore_columns = "2019"};
    sustain_dataset *set = reading_text("a,2019,3\n1,x,0\n2,y,1\n", &(sustain_read_options){.label_column = "3", .table = &ignore});
    check_names(set, "a");
    sustain_dataset_destroy(set);
    refuses_text("a,2019,y\n1,x,0\n", &(sustain_read_options){.label_column = "2018", .table = &plain},
                 "it has no column '2018'; its first line is: a, 2019, y");
}

static void without_header(void **state) {
    (void)state;
    sustain_dataset *set = reading_text("1,x,0\n2,y,1\n3,x,0\n4,y,1\n", &(sustain_read_options){.label_column = "3", .table = &plain});
    check_names(set, "column 1|column 2=x|column 2=y");
    sustain_dataset *bare = reading_text("5,y\n", &(sustain_read_options){.encoding = set->encoding});
    assert_memory_equal(bare->rows.values, ((const float[]){5, 0, 1}), 12);
    sustain_dataset_destroy(bare);
    bare = reading_text("5,y,1\n", &(sustain_read_options){.encoding = set->encoding});
    assert_memory_equal(bare->rows.values, ((const float[]){5, 0, 1}), 12);
    assert_null(bare->rows.labels);
    sustain_dataset_destroy(bare);
    assert_null(reading_bytes("short", "5\n", 2, &(sustain_read_options){.encoding = set->encoding}, false));
    assert_non_null(strstr(sustain_error(reading_context), "has 1 columns, but the training rows had 3"));
    sustain_dataset_destroy(set);
}

/* Columns that say nothing are left out: an index, constants, what is ignored, the identifier. */
static void columns_of_no_use(void **state) {
    (void)state;
    const sustain_table_options columns = {.ignore_columns = "d,4", .id_column = "name", .show_columns = "size,d", .categorical = "zip"};
    sustain_dataset *set = reading_text(",size,d,e,name,same,word,zip,y\n0,5,6,7,Ann,3,w,10,a\n1,6,7,8,Bob,3,w,20,b\n2,7,9,9,Cid,3,w,10,a\n"
                                        "3,7,9,9,Dan,3,w,20,b\n",
                                        &(sustain_read_options){.label_column = "y", .table = &columns});
    check_names(set, "size|zip=10|zip=20");
    assert_int_equal(set->kept_columns, 3);
    assert_true(set->has_id);
    assert_string_equal(set->kept_names[0], "name");
    assert_string_equal(set->kept[3], "Bob");
    assert_string_equal(set->kept[3 + 1], "6");
    assert_string_equal(set->kept[3 + 2], "7");
    const int64_t index[] = {2, 0};
    sustain_dataset *subset, *part;
    assert_int_equal(sustain_dataset_subset(set, index, 2, &subset), SUSTAIN_OK);
    assert_int_equal(sustain_dataset_part(set, 1, 2, &part), SUSTAIN_OK);
    sustain_dataset_destroy(set);
    assert_string_equal(subset->kept[0], "Cid");
    assert_string_equal(subset->kept[3], "Ann");
    assert_string_equal(part->kept[0], "Bob");
    assert_string_equal(part->column_names[1], "zip=10");
    sustain_dataset_destroy(subset);
    sustain_dataset_destroy(part);
}

/* ---- as JSON ---- */

static void check_json(const sustain_dataset *set) {
    char *json, *again;
    sustain_table_encoding *e;
    assert_int_equal(sustain_table_encoding_write(set->encoding, &json), SUSTAIN_OK);
    assert_int_equal(sustain_table_encoding_read(reading_context, "model", json, &e), SUSTAIN_OK);
    assert_int_equal(sustain_table_encoding_write(e, &again), SUSTAIN_OK);
    assert_string_equal(json, again);
    const sustain_table_features p = sustain_table_encoding_features(set->encoding), q = sustain_table_encoding_features(e);
    assert_int_equal(p.dim, q.dim);
    assert_int_equal(p.sparse, q.sparse);
    for (int64_t j = 0; j < p.dim; j++) assert_string_equal(p.names[j], q.names[j]);
    assert_memory_equal(p.group, q.group, (size_t)p.dim * sizeof *p.group);
    sustain_table_encoding_destroy(e);
    for (size_t cut = 0; cut < strlen(json); cut++) { /* every cut is refused */
        const char kept = json[cut];
        json[cut] = '\0';
        assert_int_equal(sustain_table_encoding_read(reading_context, "model", json, &e), SUSTAIN_FORMAT);
        assert_null(e);
        json[cut] = kept;
    }
    assert_string_equal(sustain_error(reading_context), "model: its description of table columns is damaged");
    free(json);
    free(again);
}

static double value_at(const sustain_rows *rows, int64_t i, int64_t j) {
    for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        if (rows->columns[k] == j) return (double)rows->values[k];
    return 0;
}

/* ---- dates, and numbers with marks ---- */

/* Two years of days, a missing one among them: the days since the first, the place in the year, the
 * weekday; sparse rows have the days standardized. */
static void dates(void **state) {
    (void)state;
    enum { ROWS = 40, STEP = 20, DIM = 37 };
    char text[4096] = "when,word,y\n", line[64];
    double mean = 0, square = 0;
    for (int i = 0; i < ROWS; i++) {
        const time_t seconds = (time_t)(19723 + STEP * i) * 86400 + 3600 * (i % 7); /* from 2024-01-01 on */
        struct tm tm;
        assert_non_null(gmtime_r(&seconds, &tm));
        strftime(line, sizeof line, i == 3 ? "" : "%d/%m/%Y %H:%M", &tm);
        strcat(text, line);
        snprintf(line, sizeof line, ",%s,%d\n", i % 3 == 0 ? "net gain" : "gain", i % 2);
        strcat(text, line);
        if (i != 3) mean += STEP * i + (i % 7) / 24.0;
    }
    mean /= ROWS - 1;
    sustain_dataset *set =
        reading_text(text, &(sustain_read_options){.label_column = "y", .table = &(sustain_table_options){.ignore_columns = "2"}});
    check_names(set,
                "when|when (missing)|when (year sin)|when (year cos)|when (January)|when (February)|when (March)|when (April)|when (May)|"
                "when (June)|when (July)|when (August)|when (September)|when (October)|when (November)|when (December)|when (Monday)|"
                "when (Tuesday)|when (Wednesday)|when (Thursday)|when (Friday)|when (Saturday)|when (Sunday)|when (day sin)|"
                "when (day cos)|when (0 to 2 h)|when (2 to 4 h)|when (4 to 6 h)|when (6 to 8 h)|when (8 to 10 h)|when (10 to 12 h)|"
                "when (12 to 14 h)|when (14 to 16 h)|when (16 to 18 h)|when (18 to 20 h)|when (20 to 22 h)|when (22 to 24 h)");
    for (int i = 0; i < ROWS; i++) {
        const float *row = set->rows.values + DIM * i;
        const double day = STEP * i + (i % 7) / 24.0, year = (day < 366 ? day / 366 : day < 731 ? (day - 366) / 365 : (day - 731) / 365);
        const double turn = 2 * acos(-1);
        const time_t seconds = (time_t)(19723 + STEP * i) * 86400;
        struct tm tm;
        double expected[DIM] = {i == 3 ? mean : day, i == 3};
        assert_non_null(gmtime_r(&seconds, &tm));
        if (i != 3) {
            expected[2] = sin(turn * year), expected[3] = cos(turn * year);
            expected[4 + tm.tm_mon] = 1;
            expected[16 + (STEP * i) % 7] = 1; /* 2024-01-01 was a Monday */
            expected[23] = sin(turn * (i % 7) / 24), expected[24] = cos(turn * (i % 7) / 24);
            expected[25 + i % 7 / 2] = 1;
            square += pow(day - mean, 2);
        }
        for (int j = 0; j < DIM; j++)
            if (fabs((double)row[j] - expected[j]) > 1e-4) fail_msg("row %d, feature %d: %g, not %g", i, j, (double)row[j], expected[j]);
    }
    /* Later rows: other forms of the same kind, but not another order. */
    const sustain_read_options later = {.encoding = set->encoding};
    sustain_dataset *rows = reading_text("when\n2024-01-03\n1/2/2024\n\"\"\n", &later);
    assert_true(rows->rows.values[0] == 2 && rows->rows.values[DIM] == 31 && rows->rows.values[2 * DIM + 1] == 1);
    assert_true(rows->rows.values[18] == 1); /* a Wednesday */
    sustain_dataset_destroy(rows);
    refuses_text("when\n1/31/2024\n", &later,
                 "line 2, column 1 ('when'): '1/31/2024' is not a date as they are written in the training rows: write it as 2024-01-31");
    refuses_text("when\n10:00\n", &later,
                 "line 2, column 1 ('when'): '10:00' is not a date as they are written in the training rows: write it as 2024-01-31");
    sustain_dataset_destroy(set);

    const sustain_table_options columns = {.text_columns = "word"};
    set = reading_text(text, &(sustain_read_options){.label_column = "y", .table = &columns});
    assert_true(fabs(value_at(&set->rows, 5, 0) - (100 + 5 / 24.0 - mean) / sqrt(square / (ROWS - 1))) < 1e-5);
    assert_true(value_at(&set->rows, 3, 0) == 0 && value_at(&set->rows, 3, 1) == 1);
    check_json(set);
    sustain_dataset_destroy(set);
}

/* Cycles that the rows do not go through, and columns that are times alone or all the same. */
static void short_dates(void **state) {
    (void)state;
    sustain_dataset *set = reading_text("a,b,c,d,y\n2024-01-01,9:00,2020-01-01,2024-03-05T10:00Z,0\n2024-01-03,21:00,2021-01-01,"
                                        "2024-03-05T09:30+01:00,1\n2024-01-02,12:00,2022-01-01,2024-03-05T11:00Z,1\n",
                                        &as_table);
    check_names(
        set, "a|b|b (day sin)|b (day cos)|b (0 to 2 h)|b (2 to 4 h)|b (4 to 6 h)|b (6 to 8 h)|b (8 to 10 h)|b (10 to 12 h)|b (12 to 14 h)|"
             "b (14 to 16 h)|b (16 to 18 h)|b (18 to 20 h)|b (20 to 22 h)|b (22 to 24 h)|c|c (Monday)|c (Tuesday)|c (Wednesday)|"
             "c (Thursday)|c (Friday)|c (Saturday)|c (Sunday)|d");
    assert_true(set->rows.values[0] == 0 && set->rows.values[25] == 2 && set->rows.values[1] == 0.375f);
    assert_true(fabsf(set->rows.values[25 + 24] - 8.5f / 24) < 1e-6f); /* in UTC */
    check_json(set);
    refuses_text(
        "a,b,c,d\n2024-01-01,2024-01-01,2024-01-01,2024-01-01\n", &(sustain_read_options){.encoding = set->encoding},
        "line 2, column 2 ('b'): '2024-01-01' is not a time of day, which the column held in the training rows: write it as 23:59");
    sustain_dataset_destroy(set);
    set = reading_text("a,n,y\n2024-01-01,1,0\n1 Jan 2024,2,1\n", &as_table);
    check_names(set, "n");
    sustain_dataset_destroy(set);
}

static void marked_numbers(void **state) {
    (void)state;
    sustain_dataset *set = reading_text("a;b;c;y\n\"1,250.50\";1.250,5;12 %;0\n950;n/a;(3 %);1\n#N/A;0,5;1%;1\n", &as_table);
    check_names(set, "a|a (missing)|b|b (missing)|c");
    assert_memory_equal(set->rows.values, ((const float[]){1250.5f, 0, 1250.5f, 0, 12, 950, 0, 625.5f, 1, -3, 1100.25f, 1, 0.5f, 0, 1}),
                        15 * sizeof(float));
    check_json(set);
    const sustain_read_options later = {.encoding = set->encoding};
    sustain_dataset *rows = reading_text("c,b,a\n5%,\"1,5\",\"2,000\"\n", &later);
    assert_memory_equal(rows->rows.values, ((const float[]){2000, 0, 1.5f, 0, 5}), 5 * sizeof(float));
    sustain_dataset_destroy(rows);
    refuses_text("c,b,a\n5,1,1\n", &later,
                 "line 2, column 1 ('c'): '5' is not a number as they are written in the training rows: with %, decimals behind a point");
    sustain_dataset_destroy(set);
}

/* What spreadsheets make of a table: a line that names the delimiter, names that are empty or there
 * twice, a delimiter too many; and lists of columns whose names have commas. */
static void spreadsheets(void **state) {
    (void)state;
    static const sustain_read_options by_number = {.label_column = "3", .table = &plain};
    static const char *const same[] = {"sep=;\r\na;b;y\r\n1;2,5;0\r\n3;4;1\r\n", "sep=|\na|b|y\n1|2,5|0\n3|4|1\n",
                                       "a,b,y\n1,2.5,0,\n3,4,1, \n", "a,b,y,\n1,2.5,0,\n3,4,1,\n", "a,b,y\n1,2.5,0,\n3,4,1,"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        sustain_dataset *set = reading_text(same[i], &by_number);
        check_names(set, "a|b");
        assert_memory_equal(set->rows.values, ((const float[]){1, 2.5f, 3, 4}), 4 * sizeof(float));
        sustain_dataset_destroy(set);
    }
    sustain_dataset *set = reading_text("a,a,y\n1,x,0\n3,z,1\n", &by_number);
    check_names(set, "a|a=(other)");
    sustain_dataset_destroy(set);
    set = reading_text("x,x,y\nx,x,z\nz,x,z\n", &by_number); /* no name above a number */
    assert_int_equal(set->rows.count, 3);
    sustain_dataset_destroy(set);
    refuses_text("a,b,y\n1,2,0,5\n", &by_number, "line 2 has more than the 3 fields of the first line");

    static const char commas[] = "\"a, b\",\"c\"\"d,e\",f,y\n1,2,3,0\n4,5,7,1\n";
    static const struct {
        const char *list, *left;
    } lists[] = {{"\"a, b\",f", "c\"d,e"}, {"a, b", "c\"d,e|f"}, {"f,\"c\"\"d,e\"", "a, b"}, {"\"f\",1", "c\"d,e"}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const sustain_table_options columns = {.ignore_columns = lists[i].list};
        set = reading_text(commas, &(sustain_read_options){.label_column = "y", .table = &columns});
        check_names(set, lists[i].left);
        sustain_dataset_destroy(set);
    }
    const sustain_table_options open = {.ignore_columns = "f,\"a, b"};
    refuses_text(commas, &(sustain_read_options){.label_column = "y", .table = &open},
                 "a quote is not closed in the list of columns f,\"a, b");
}

static void refused_tables(void **state) {
    (void)state;
    static const sustain_table_options strict = {.missing = SUSTAIN_MISSING_REFUSE}, twice = {.text_columns = "a", .ignore_columns = "1"},
                                       unknown = {.text_columns = "b"}, text = {.text_columns = "a"};
    static const sustain_read_options refuse = {.label_column = "y", .table = &strict}, two = {.label_column = "y", .table = &twice},
                                      none = {.label_column = "y", .table = &unknown}, words = {.label_column = "y", .table = &text};
    refuses_text("a,y\n1,0\n,1\n", &refuse, "line 3, column 1 ('a'): the value is missing; fill it in, or remove the row");
    refuses_text("a,y\n1,0\n2,1\n", &two, "column 1 has two roles; give it one");
    refuses_text("a,y\n1,0\n2,1\n", &none, "it has no column 'b'; its first line is: a, y");
    refuses_text("a,y\n...,0\n,1\n", &words, "no word of the text column 'a' occurs in two rows: is it the right column?");
    refuses_text(
        "a,y\n3/4/2020,0\n1/2/2020,1\n", &as_table,
        "line 2, column 1 ('a'): '3/4/2020' may have the day or the month first, and no row of the column tells which: write dates as "
        "2024-01-31, or leave the column out (ignore-column)");
    refuses_text("a,b,y\n1/31/2020,12:00,0\n31/1/2020,2024-01-31,1\n", &as_table,
                 "line 2, column 1 ('a'): '1/31/2020' has the month first, but other rows the day: write dates as 2024-01-31, or leave the "
                 "column out (ignore-column); these columns cannot be used as they are either: 'b'");
    refuses_text("a,y\n2020-01-31,0\n,1\n", &refuse, "line 3, column 1 ('a'): the value is missing; fill it in, or remove the row");
    refuses_text("a,y\n3,0\n3,1\n", &as_table, "it has no features: no usable column is left");
    refuses_text("1 1:1\n2 2:1\n", &(sustain_read_options){.table = &(sustain_table_options){.ignore_columns = "a"}},
                 "it is not a CSV file, so it has no column 'a'");
    char free_text[2048] = "a,y\n", typing_mistake[2048] = "a,y\n", percents[2048] = "a,y\n", case_numbers[2048] = "a,y\n",
         days[2048] = "a,y\n", models[2048] = "a,y\n";
    for (int i = 0; i < 60; i++) {
        char line[32];
        snprintf(line, sizeof line, "model %d,%d\n", i / 2, i % 2);
        strcat(models, line);
        snprintf(line, sizeof line, "word%d,%d\n", i, i % 2);
        strcat(free_text, line);
        snprintf(line, sizeof line, "%d%s,%d\n", i * i, i == 41 ? "o" : "", i % 2);
        strcat(typing_mistake, line);
        snprintf(line, sizeof line, "%d%%%s,%d\n", i, i == 41 ? "$" : "", i % 2);
        strcat(percents, line);
        snprintf(line, sizeof line, "2024-%02d-%s%02d,%d\n", i / 20 + 1, i == 41 ? "x" : "", i % 20 + 1, i % 2);
        strcat(days, line);
        snprintf(line, sizeof line, "17-%04d,%d\n", i, i % 2);
        strcat(case_numbers, line);
    }
    refuses_text(percents, &as_table,
                 "line 2, column 1 ('a'): '0%' is not a number: write numbers as 1234.5, without other marks, or leave the column out "
                 "(ignore-column)");
    refuses_text(days, &as_table,
                 "line 43, column 1 ('a'): '2024-03-x02' is not a date, but most of the column is; correct it, or leave the column out "
                 "(ignore-column)");
    refuses_text(case_numbers, &as_table,
                 "column 1 ('a') is text with 60 different values: name it as a text column (text-column) or as what identifies rows "
                 "(id-column), or leave it out (ignore-column)");
    refuses_text(free_text, &as_table,
                 "column 1 ('a') is text with 60 different values: name it as a text column (text-column) or as what identifies rows "
                 "(id-column), or leave it out (ignore-column)");
    refuses_text(models, &as_table,
                 "column 1 ('a') is text with 30 different values: name it as one of categories (categorical), as a text column "
                 "(text-column) or as what identifies rows (id-column), or leave it out (ignore-column)");
    refuses_text(
        typing_mistake, &as_table,
        "line 43, column 1 ('a'): '1681o' is not a number, but most of the column is; correct it, or leave the column out (ignore-column)");
}

/* ---- text ---- */

static const char *const documents[] = {"Profit rose; profit up", "the NET profit", "ships of grain", "grain ships, of the port",
                                        "net profit of the ships"};
enum { DOCUMENTS = 5 };

/* A naive transcription of docs/formats.md: how often a term is in a text. A pair has a blank in
 * it. */
static int times_in(const char *term, const char *text) {
    char words[16][16] = {""}, pair[600];
    int count = 0, n = 0, length = 0;
    for (const char *c = text;; c++) {
        if (isalnum((unsigned char)*c)) {
            words[n][length++] = (char)tolower((unsigned char)*c);
            continue;
        }
        words[n][length] = '\0';
        n += length > 1;
        length = 0;
        if (*c == '\0') break;
    }
    for (int i = 0; i < n; i++) {
        count += strcmp(words[i], term) == 0;
        snprintf(pair, sizeof pair, "%s %s", words[i], i + 1 < n ? words[i + 1] : "?");
        count += strcmp(pair, term) == 0;
    }
    return count;
}

static double naive_weight(const char *term, const char *text) {
    int rows = 0;
    for (int i = 0; i < DOCUMENTS; i++) rows += times_in(term, documents[i]) > 0;
    const int count = times_in(term, text);
    const double idf = log((1.0 + DOCUMENTS) / (1.0 + rows)) + 1;
    return count == 0 ? 0 : (1 + log(count)) * idf * (strchr(term, ' ') != NULL ? 0.5 : 1);
}

static sustain_dataset *read_documents(void) {
    static const sustain_table_options columns = {.text_columns = "body"};
    char text[512] = "body,size,y\n", line[96];
    for (int i = 0; i < DOCUMENTS; i++) {
        snprintf(line, sizeof line, "\"%s\",%d,%d\n", documents[i], 10 * (i % 2), i % 2);
        strcat(text, line);
    }
    return reading_text(text, &(sustain_read_options){.label_column = "y", .table = &columns});
}

static void text_is_tf_idf(void **state) {
    (void)state;
    sustain_dataset *set = read_documents();
    assert_true(sustain_table_encoding_features(set->encoding).sparse);
    int pairs = 0;
    for (int64_t i = 0; i < DOCUMENTS; i++) {
        double square = 0;
        for (int64_t j = 0; j + 1 < set->rows.dim; j++) square += pow(naive_weight(set->column_names[j] + 5, documents[i]), 2);
        for (int64_t j = 0; j + 1 < set->rows.dim; j++) {
            const char *name = set->column_names[j];
            assert_memory_equal(name, "body:", 5);
            pairs += i == 0 && strchr(name, ' ') != NULL;
            const double expected = naive_weight(name + 5, documents[i]) / sqrt(square);
            if (fabs(value_at(&set->rows, i, j) - expected) > 1e-6)
                fail_msg("%s in row %lld: %g, not %g", name, (long long)i, value_at(&set->rows, i, j), expected);
        }
        /* Numbers beside text are standardized: mean 4, deviation sqrt(24). */
        assert_true(fabs(value_at(&set->rows, i, set->rows.dim - 1) - (10.0 * (double)(i % 2) - 4) / sqrt(24)) < 1e-6);
    }
    assert_int_equal(pairs, 3); /* with fewer than 100 rows: pairs that two rows have, and all words */
    assert_int_equal(set->rows.dim, 9 + 3 + 1);
    assert_string_equal(set->kept_names[0], "body");
    assert_string_equal(set->kept[1], documents[1]);

    /* Rows that come later: unknown words are left out, a row without words has no entries but its
     * number. */
    sustain_dataset *later =
        reading_text("size,body\n4,\"unknown words\"\n4,profit profit unknown\n", &(sustain_read_options){.encoding = set->encoding});
    assert_int_equal(later->rows.start[1], 0);
    assert_int_equal(later->rows.start[2], 1);
    assert_true(fabsf(later->rows.values[0] - 1) < 1e-6f);
    sustain_dataset_destroy(later);
    sustain_scaling *scaling;
    assert_int_equal(sustain_scaling_create(set, SUSTAIN_SCALING_AUTO, &scaling), SUSTAIN_OK);
    assert_null(scaling->factor);
    sustain_scaling_destroy(scaling);
    sustain_dataset_destroy(set);
}

/* Letters of other alphabets belong to words; what is not UTF-8 is read, and does not spoil a
 * name. */
static void words_of_other_alphabets(void **state) {
    (void)state;
    static const sustain_table_options columns = {.text_columns = "1"};
    static const sustain_read_options options = {.label_column = "2", .table = &columns};
    sustain_dataset *set = reading_text("text,y\n\xc3\xbc"
                                        "ber \xc3\xbc,0\n\xc3\xbc"
                                        "BER,1\ncaf\xe9,1\n",
                                        &options);
    check_names(set, set->rows.columns[2] == 0 ? "text:caf?|text:\xc3\xbc"
                                                 "ber"
                                               : "text:\xc3\xbc"
                                                 "ber|text:caf?");
    char *json;
    assert_int_equal(sustain_table_encoding_write(set->encoding, &json), SUSTAIN_OK);
    free(json);
    sustain_dataset_destroy(set);
}

/* Each allocation fails in turn: said as it is, without a leak. */
static void check_json_without_memory(const sustain_dataset *set) {
    char *json;
    assert_int_equal(sustain_table_encoding_write(set->encoding, &json), SUSTAIN_OK);
    for (int64_t n = 1;; n++) {
        const int64_t live = reading_memory.live;
        sustain_table_encoding *e;
        reading_memory.calls = 0;
        reading_memory.fail_at = n;
        const sustain_status status = sustain_table_encoding_read(reading_context, "model", json, &e);
        reading_memory.fail_at = 0;
        if (status == SUSTAIN_OK) {
            sustain_table_encoding_destroy(e);
            assert_true(n > 5);
            break;
        }
        assert_int_equal(status, SUSTAIN_MEMORY);
        assert_int_equal(reading_memory.live, live);
    }
    free(json);
}

static void encodings_as_json(void **state) {
    (void)state;
    sustain_dataset *mixed = reading_text(people, &as_table), *text = read_documents();
    check_json(mixed);
    check_json(text);
    check_json_without_memory(mixed);
    check_json_without_memory(text);
    sustain_dataset_destroy(mixed);
    sustain_dataset_destroy(text);
}

/* ---- trouble ---- */

/* The first bytes of a table: read or refused, never worse. */
static void every_cut(void **state) {
    (void)state;
    static const sustain_table_options columns = {.text_columns = "city"};
    static const sustain_read_options text = {.label_column = "y", .table = &columns};
    for (size_t cut = 0; cut < sizeof people; cut++) {
        sustain_dataset_destroy(reading_bytes("cut", people, cut, &as_table, false));
        sustain_dataset_destroy(reading_bytes("cut", people, cut, &text, false));
    }
    for (size_t cut = 0; cut < sizeof sales; cut++) sustain_dataset_destroy(reading_bytes("cut", sales, cut, &as_table, false));
}

static void without_memory(void **state) {
    (void)state;
    static const sustain_table_options columns = {.text_columns = "city", .id_column = "age"};
    survives_lack_of_memory(reading_file("people.csv", people, strlen(people)), &as_table);
    survives_lack_of_memory(reading_file("people.csv", people, strlen(people)),
                            &(sustain_read_options){.label_column = "y", .table = &columns});
    survives_lack_of_memory(reading_file("sales.csv", sales, strlen(sales)), &as_table);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)
    const struct CMUnitTest tests[] = {TEST(numbers_and_categories),
                                       TEST(names_that_are_numbers),
                                       TEST(without_header),
                                       TEST(columns_of_no_use),
                                       TEST(dates),
                                       TEST(short_dates),
                                       TEST(marked_numbers),
                                       TEST(spreadsheets),
                                       TEST(refused_tables),
                                       TEST(text_is_tf_idf),
                                       TEST(words_of_other_alphabets),
                                       TEST(encodings_as_json),
                                       TEST(every_cut),
                                       TEST(without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

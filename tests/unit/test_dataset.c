/* test_dataset.c - what is done with data sets: joined, matched, cut, corrupted, scaled; those that
 * have a name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"

static const sustain_read_options with_y = {.label_column = "y"};

static bool error_has(const char *words) {
    return strstr(sustain_error(reading_context), words) != NULL;
}

/* Columns beside the labels that are kept go with them to the features, and to parts of these. */
static void joined_with_columns(void **state) {
    (void)state;
    const sustain_table_options columns = {.id_column = "file", .show_columns = "who,note"};
    const sustain_read_options options = {.label_column = "y", .table = &columns};
    sustain_dataset *features = reading_text("1,2\n3,4\n5,6\n", NULL);
    sustain_dataset *labels = reading_labels("note,y,file,who\n\"a \"\"b\"\"\",1,f,me\n,0,g,you\nc,1,h,me\n", &options), *part;
    assert_int_equal(labels->rows.dim, 0);
    assert_int_equal(sustain_dataset_join(features, labels), SUSTAIN_OK);
    sustain_dataset_destroy(labels);
    assert_int_equal(sustain_dataset_part(features, 1, 2, &part), SUSTAIN_OK);
    assert_int_equal(part->kept_columns, 3);
    assert_true(part->has_id);
    const char *const names[] = {"file", "note", "who"}, *const texts[] = {"f", "a \"b\"", "me", "g", "", "you", "h", "c", "me"};
    for (int k = 0; k < 3; k++) assert_string_equal(part->kept_names[k], names[k]);
    for (int k = 0; k < 9; k++) assert_string_equal(features->kept[k], texts[k]);
    for (int k = 0; k < 6; k++) assert_string_equal(part->kept[k], texts[3 + k]);
    sustain_dataset_destroy(part);
    sustain_dataset_destroy(features);
    const sustain_table_options missing = {.show_columns = "nothing"};
    refuses_bytes("y,a\n1,2\n", 8, &(sustain_read_options){.label_column = "y", .table = &missing}, true,
                  "it has no column 'nothing'; its first line is: y, a");
    refuses_bytes("1 1:2\n0 1:3\n", 12, &(sustain_read_options){.table = &missing}, true,
                  "it is not a CSV file, so it has no column 'nothing'");
}

static void joined(void **state) {
    (void)state;
    sustain_dataset *features = reading_text("1,2\n3,4\n", NULL), *labels = reading_labels("b\na\n", NULL),
                    *three = reading_labels("1\n2\n1\n", NULL);
    assert_int_equal(sustain_dataset_join(features, labels), SUSTAIN_OK);
    sustain_dataset_destroy(labels);
    assert_int_equal(features->classes, 2);
    assert_memory_equal(features->rows.labels, ((const int32_t[]){1, 0}), 8);
    assert_string_equal(features->class_names[1], "b");
    assert_int_equal(sustain_dataset_join(features, three), SUSTAIN_FORMAT);
    assert_true(error_has("has 2 rows, but") && error_has("has 3 labels: give one label per row"));
    assert_int_equal(features->classes, 2); /* as before */
    assert_int_equal(sustain_dataset_join(three, three), SUSTAIN_OK);
    sustain_dataset_destroy(features);
    sustain_dataset_destroy(three);
}

static void matched_classes(void **state) {
    (void)state;
    sustain_dataset *training = reading_text("a,y\n1,cat\n2,dog\n3,eel\n", &with_y), *other = reading_text("a,y\n1,eel\n2,cat\n", &with_y);
    assert_memory_equal(other->rows.labels, ((const int32_t[]){1, 0}), 8);
    assert_int_equal(sustain_dataset_match(training, other), SUSTAIN_OK);
    assert_memory_equal(other->rows.labels, ((const int32_t[]){2, 0}), 8);
    assert_int_equal(other->classes, 3);
    assert_string_equal(other->class_names[1], "dog");
    sustain_dataset_destroy(other);
    other = reading_text("a,y\n1,cat\n2,fox\n", &with_y);
    assert_int_equal(sustain_dataset_match(training, other), SUSTAIN_FORMAT);
    assert_true(error_has("row 1 (from 0) has the class 'fox', which does not occur in"));
    sustain_dataset_destroy(other);
    other = reading_text("a,y\n1,2\n2,0\n", &with_y); /* numbers are no places in the alphabet */
    assert_int_equal(sustain_dataset_match(training, other), SUSTAIN_FORMAT);
    assert_true(error_has("row 1 (from 0) has the number '0' as its label, but the classes of"));
    const char *const own_order[] = {"dog", "cat", "eel"}; /* those of a named set are in an order of their own: there numbers count them */
    sustain_dataset named = *training;
    named.class_names = own_order;
    assert_int_equal(sustain_dataset_match(&named, other), SUSTAIN_OK);
    assert_memory_equal(other->rows.labels, ((const int32_t[]){2, 0}), 8);
    sustain_dataset_destroy(other);
    other = reading_text("a,y\n1,3\n", &with_y);
    assert_int_equal(sustain_dataset_match(training, other), SUSTAIN_FORMAT);
    assert_true(error_has("row 0 (from 0) has the class '3', which does not occur in"));
    sustain_dataset_destroy(other);
    sustain_dataset_destroy(training);
    training = reading_labels("+1\n-1\n", NULL), other = reading_labels("1.0\n1.0\n", NULL); /* numbers are classes by value */
    assert_int_equal(sustain_dataset_match(training, other), SUSTAIN_OK);
    assert_memory_equal(other->rows.labels, ((const int32_t[]){1, 1}), 8);
    sustain_dataset_destroy(other);
    sustain_dataset_destroy(training);
}

static void matched_columns(void **state) {
    (void)state;
    sustain_dataset *training = reading_text("a,b\n1,2\n", NULL);
    static const struct {
        const char *text, *words;
    } refused[] = {{"1\n", "has 1 features per row, but"}, {"a,c\n1,2\n", "feature 2 is called 'c', but 'b' in"}};
    for (int i = 0; i < 2; i++) {
        sustain_dataset *other = reading_text(refused[i].text, NULL);
        assert_int_equal(sustain_dataset_match(training, other), SUSTAIN_FORMAT);
        assert_true(error_has(refused[i].words));
        sustain_dataset_destroy(other);
    }
    sustain_dataset_destroy(training);
    training = reading_text("1 0:5 2:1\n", NULL); /* LIBSVM from 0 on, also in a file that does not show it */
    sustain_dataset *shifted = reading_text("1 2:7\n", NULL), *zero = reading_text("1 0:1\n", NULL), *one = reading_text("1 1:1\n", NULL);
    assert_int_equal(training->rows.dim, 3);
    assert_int_equal(sustain_dataset_match(training, shifted), SUSTAIN_OK);
    assert_int_equal(shifted->rows.columns[0], 2);
    assert_int_equal(shifted->rows.dim, 3);
    assert_int_equal(sustain_dataset_match(one, zero), SUSTAIN_FORMAT);
    assert_true(error_has("its indices begin with 0, those of"));
    sustain_dataset_destroy(shifted);
    sustain_dataset_destroy(zero);
    sustain_dataset_destroy(one);
    sustain_dataset_destroy(training);
    training = reading_text("1 1:1 3:1\n", NULL);
    sustain_dataset *narrow = reading_text("1 2:5\n", NULL), *wide = reading_text("1 1:1 3:2 4:3 9:4\n1 7:1\n1 2:6\n", NULL);
    assert_int_equal(sustain_dataset_match(training, narrow), SUSTAIN_OK);
    assert_int_equal(narrow->rows.dim, 3);
    assert_int_equal(sustain_dataset_match(training, wide), SUSTAIN_OK);
    assert_int_equal(wide->rows.dim, 3);
    assert_memory_equal(wide->rows.start, ((const int64_t[]){0, 2, 2, 3}), 32);
    assert_memory_equal(wide->rows.columns, ((const int32_t[]){0, 2, 1}), 12);
    assert_memory_equal(wide->rows.values, ((const float[]){1, 2, 6}), 12);
    sustain_dataset_destroy(narrow);
    sustain_dataset_destroy(wide);
    sustain_dataset_destroy(training);
}

static void parts_and_subsets(void **state) {
    (void)state;
    static const char *const texts[] = {"a,y,t\n1,5,0\n2,6,1\n3,5,0\n4,7,1\n", "5 1:1\n6 1:2\n5 1:3\n7 1:4\n"};
    for (int sparse = 0; sparse < 2; sparse++) {
        const sustain_read_options options = {.label_column = "y", .trusted_column = "t"};
        sustain_dataset *set = reading_text(texts[sparse], &options), *part, *subset, *whole;
        assert_int_equal(sustain_dataset_corrupt(set, SUSTAIN_NOISE_PAIR, 1, 0), SUSTAIN_OK);
        assert_int_equal(sustain_dataset_part(set, 1, 2, &part), SUSTAIN_OK);
        assert_int_equal(sustain_dataset_subset(set, (const int64_t[]){3, 1, 3}, 3, &subset), SUSTAIN_OK);
        assert_memory_equal(part->rows.labels, ((const int32_t[]){2, 1}), 8);
        assert_memory_equal(part->truth, ((const int32_t[]){1, 0}), 8);
        assert_memory_equal(subset->rows.labels, ((const int32_t[]){0, 2, 0}), 12);
        assert_memory_equal(subset->truth, ((const int32_t[]){2, 1, 2}), 12);
        assert_int_equal(subset->classes, 3);
        assert_string_equal(subset->class_names[2], "7");
        const float *values = part->rows.values + (sparse ? part->rows.start[0] : 0);
        assert_true(values[0] == 2 && values[1] == 3);
        assert_memory_equal(subset->rows.values, ((const float[]){4, 2, 4}), 12);
        if (sparse) assert_memory_equal(subset->rows.start, ((const int64_t[]){0, 1, 2, 3}), 32);
        if (!sparse) assert_memory_equal(subset->trusted, ((const uint8_t[]){1, 1, 1}), 3);
        assert_int_equal(sustain_dataset_part(set, 3, 2, &whole), SUSTAIN_ARGUMENT);
        assert_int_equal(sustain_dataset_subset(set, (const int64_t[]){4}, 1, &whole), SUSTAIN_ARGUMENT);
        assert_true(error_has("has 4 rows: there is no row 5"));
        sustain_dataset_destroy(subset);
        sustain_dataset_destroy(part);
        sustain_dataset_destroy(set);
    }
}

static void pictures(void **state) {
    (void)state;
    sustain_dataset *set = reading_text("1,2,3,4,5,6\n", NULL);
    assert_int_equal(sustain_dataset_set_picture(set, (sustain_picture){2, 3, 1, false}), SUSTAIN_OK);
    assert_int_equal(set->picture.width, 3);
    assert_int_equal(sustain_dataset_set_picture(set, (sustain_picture){2, 2, 1, false}), SUSTAIN_ARGUMENT);
    assert_true(error_has("a picture of 2 x 2 x 1 does not have the 6 features of a row"));
    assert_int_equal(sustain_dataset_set_picture(set, (sustain_picture){INT64_MAX, INT64_MAX, 6, false}), SUSTAIN_ARGUMENT);
    sustain_dataset_destroy(set);
}

/* ---- noise ---- */

/* The share of rows whose label is `step` classes beyond the truth. */
static double share(const sustain_dataset *set, int64_t step) {
    int64_t n = 0;
    for (int64_t i = 0; i < set->rows.count; i++) n += (set->rows.labels[i] - set->truth[i] + set->classes) % set->classes == step;
    return (double)n / (double)set->rows.count;
}

static void noise(void **state) {
    (void)state;
    enum { N = 20000 };
    static const struct {
        sustain_noise noise;
        double right, next, other; /* shares to expect at a rate of 0.4 */
    } cases[] = {
        {SUSTAIN_NOISE_SYMMETRIC, 0.6, 0.4 / 9, 0.4 / 9}, {SUSTAIN_NOISE_PAIR, 0.6, 0.4, 0}, {SUSTAIN_NOISE_UNIFORM, 0.64, 0.04, 0.04}};
    for (int i = 0; i < 3; i++) {
        sustain_dataset *a, *b;
        assert_int_equal(sustain_generated_create(reading_context, N, 100, &a), SUSTAIN_OK);
        assert_int_equal(sustain_dataset_part(a, 0, N / 2, &b), SUSTAIN_OK);
        assert_int_equal(sustain_dataset_corrupt(a, cases[i].noise, 0.4, 101), SUSTAIN_OK);
        assert_int_equal(sustain_dataset_corrupt(b, cases[i].noise, 0.4, 101), SUSTAIN_OK);
        assert_true(fabs(share(a, 0) - cases[i].right) < 0.015); /* four deviations */
        assert_true(fabs(share(a, 1) - cases[i].next) < 0.015);
        assert_true(fabs(share(a, 7) - cases[i].other) < 0.01);
        assert_memory_equal(a->rows.labels, b->rows.labels, N / 2 * sizeof(int32_t)); /* a function of (seed, i) */
        assert_memory_equal(a->truth, b->truth, N / 2 * sizeof(int32_t));
        assert_int_equal(sustain_dataset_corrupt(a, cases[i].noise, NAN, 0), SUSTAIN_ARGUMENT);
        sustain_dataset_destroy(b);
        sustain_dataset_destroy(a);
    }
    sustain_dataset *one = reading_labels("x\nx\n", NULL);
    assert_int_equal(sustain_dataset_corrupt(one, SUSTAIN_NOISE_SYMMETRIC, 0.5, 0), SUSTAIN_FORMAT);
    sustain_dataset_destroy(one);
}

/* ---- scaling ---- */

static sustain_scaling *scaling_of(const sustain_dataset *set, sustain_scaling_mode mode) {
    sustain_scaling *scaling;
    assert_int_equal(sustain_scaling_create(set, mode, &scaling), SUSTAIN_OK);
    return scaling;
}

static void scaling_where_needed(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool needed;
    } cases[] = {{"1,0.5\n-1,2\n", false},
                 {"1,2000\n-1,2004\n", true},
                 {"1,0.001\n2,0.002\n", true},
                 {"0,1\n0,2\n", false},
                 {"1 1:0.5 2:1\n", false},
                 {"1 1:0.5 2:100\n", true},
                 /* one column in eleven is small, and two */
                 {"0.01,1,1,1,1,1,1,1,1,1,1\n0,2,2,2,2,2,2,2,2,2,2\n", false},
                 {"0.01,0.02,1,1,1,1,1,1,1,1,1\n0,0,2,2,2,2,2,2,2,2,2\n", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sustain_dataset *set = reading_text(cases[i].text, NULL);
        sustain_scaling *scaling = scaling_of(set, SUSTAIN_SCALING_AUTO), *off = scaling_of(set, SUSTAIN_SCALING_OFF);
        assert_true((scaling->factor != NULL) == cases[i].needed);
        assert_true((scaling->mean != NULL) == (cases[i].needed && set->rows.start == NULL));
        assert_true((strstr(scaling->reason, "not standardized") == NULL) == cases[i].needed);
        assert_null(off->factor);
        assert_string_equal(off->reason, "features are not standardized, as requested");
        sustain_scaling_destroy(scaling);
        sustain_scaling_destroy(off);
        sustain_dataset_destroy(set);
    }
}

static void scaled_features(void **state) {
    (void)state;
    sustain_dataset *set = reading_text("10,7,1000001\n20,7,1000003\n", NULL), *other = reading_text("30,8,1000005\n", NULL);
    sustain_scaling *scaling = scaling_of(set, SUSTAIN_SCALING_AUTO);
    assert_memory_equal(scaling->mean, ((const float[]){15, 7, 1000002}), 12);
    assert_memory_equal(scaling->factor, ((const float[]){0.2f, 1, 1}), 12);
    assert_int_equal(sustain_scaling_apply(scaling, set), SUSTAIN_OK);
    assert_int_equal(sustain_scaling_apply(scaling, other), SUSTAIN_OK);
    assert_memory_equal(set->rows.values, ((const float[]){-1, 0, -1, 1, 0, 1}), 24);
    assert_memory_equal(other->rows.values, ((const float[]){3, 1, 3}), 12);
    sustain_dataset_destroy(set);
    sustain_dataset_destroy(other);
    other = reading_text("1,2\n", NULL);
    assert_int_equal(sustain_scaling_apply(scaling, other), SUSTAIN_ARGUMENT);
    sustain_dataset_destroy(other);
    sustain_scaling_destroy(scaling);
}

/* Finite numbers stay finite, however large. */
static void scaled_large_features(void **state) {
    (void)state;
    sustain_dataset *set = reading_text("3e38,1\n3e38,2\n3e38,3\n-3e38,4\n", NULL);
    sustain_scaling *scaling = scaling_of(set, SUSTAIN_SCALING_AUTO);
    assert_int_equal(sustain_scaling_apply(scaling, set), SUSTAIN_OK);
    assert_true(fabs((double)set->rows.values[0] - sqrt(1.0 / 3)) < 1e-5);
    assert_true(fabs((double)set->rows.values[6] + sqrt(3)) < 1e-5);
    sustain_dataset_destroy(set);
    sustain_scaling_destroy(scaling);
}

/* Without means: a row of zeros stays one. A set that owns nothing is refused. */
static void scaled_without_means(void **state) {
    (void)state;
    sustain_dataset *set = reading_text("10,0,1000\n20,0,3000\n0,0,0\n0,0,0\n", NULL), bare = {.rows = set->rows, .context = set->context};
    sustain_scaling *scaling = scaling_of(set, SUSTAIN_SCALING_ON);
    sustain_scaling_drop_mean(scaling);
    sustain_scaling_drop_mean(NULL);
    assert_null(scaling->mean);
    assert_non_null(strstr(scaling->reason, "no intercept"));
    assert_int_equal(sustain_scaling_apply(scaling, &bare), SUSTAIN_ARGUMENT);
    assert_int_equal(sustain_scaling_apply(scaling, set), SUSTAIN_OK);
    assert_true(set->rows.values[0] == 10 * scaling->factor[0] && set->rows.values[2] == 1000 * scaling->factor[2]);
    assert_true(set->rows.values[6] == 0 && set->rows.values[8] == 0);
    sustain_scaling_destroy(scaling);
    sustain_dataset_destroy(set);
}

static void scaled_sparse_rows(void **state) {
    (void)state;
    sustain_dataset *set = reading_text("1 1:-4 3:50\n1 1:2\n", NULL), *part;
    sustain_scaling *scaling = scaling_of(set, SUSTAIN_SCALING_AUTO);
    assert_memory_equal(scaling->factor, ((const float[]){0.25f, 1, 0.02f}), 12);
    assert_int_equal(sustain_dataset_part(set, 1, 1, &part), SUSTAIN_OK);
    assert_int_equal(sustain_scaling_apply(scaling, part), SUSTAIN_OK); /* a copy: the set itself stays as it is */
    assert_true(part->rows.values[part->rows.start[0]] == 0.5f);
    assert_memory_equal(set->rows.values, ((const float[]){-4, 50, 2}), 12);
    assert_int_equal(sustain_scaling_apply(scaling, set), SUSTAIN_OK);
    assert_memory_equal(set->rows.values, ((const float[]){-1, 1, 0.5f}), 12);
    sustain_dataset_destroy(part);
    sustain_dataset_destroy(set);
    sustain_scaling_destroy(scaling);
    set = reading_text("1 1:-4 3:1e-42\n1 1:2\n", NULL); /* so small that no float is its inverse */
    scaling = scaling_of(set, SUSTAIN_SCALING_ON);
    assert_memory_equal(scaling->factor, ((const float[]){0.25f, 1, 1}), 12);
    sustain_dataset_destroy(set);
    sustain_scaling_destroy(scaling);
}

/* Bytes stay bytes, unless standardization is asked for. */
static void scaled_bytes(void **state) {
    (void)state;
    sustain_dataset *set;
    assert_int_equal(sustain_generated_create(reading_context, 500, 100, &set), SUSTAIN_OK);
    sustain_scaling *automatic = scaling_of(set, SUSTAIN_SCALING_AUTO), *on = scaling_of(set, SUSTAIN_SCALING_ON);
    assert_null(automatic->factor);
    assert_string_equal(automatic->reason, "features are bytes, divided by 255: not standardized");
    assert_int_equal(sustain_scaling_apply(automatic, set), SUSTAIN_OK);
    assert_non_null(set->rows.bytes);
    assert_int_equal(sustain_scaling_apply(on, set), SUSTAIN_OK);
    assert_null(set->rows.bytes);
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < 500; i++) {
        const double v = (double)set->rows.values[i * 784 + 400];
        sum += v, squares += v * v;
    }
    assert_true(fabs(sum / 500) < 1e-5 && fabs(squares / 500 - 1) < 1e-4);
    sustain_scaling_destroy(automatic);
    sustain_scaling_destroy(on);
    sustain_dataset_destroy(set);
}

/* ---- memory ---- */

/* What can be done with a set and another one. */
typedef sustain_status (*operation)(sustain_dataset *set, sustain_dataset *other);

static sustain_status do_join(sustain_dataset *set, sustain_dataset *other) {
    return sustain_dataset_join(set, other);
}

static sustain_status do_match(sustain_dataset *set, sustain_dataset *other) {
    return sustain_dataset_match(set, other);
}

static sustain_status do_part(sustain_dataset *set, sustain_dataset *other) {
    sustain_dataset *part;
    (void)other;
    const sustain_status status = sustain_dataset_part(set, 0, 1, &part);
    assert_true((status == SUSTAIN_OK) == (part != NULL));
    sustain_dataset_destroy(part);
    return status;
}

static sustain_status do_subset(sustain_dataset *set, sustain_dataset *other) {
    sustain_dataset *subset;
    (void)other;
    const sustain_status status = sustain_dataset_subset(set, (const int64_t[]){1, 0}, 2, &subset);
    assert_true((status == SUSTAIN_OK) == (subset != NULL));
    sustain_dataset_destroy(subset);
    return status;
}

static sustain_status do_corrupt(sustain_dataset *set, sustain_dataset *other) {
    (void)other;
    return sustain_dataset_corrupt(set, SUSTAIN_NOISE_PAIR, 1, 0);
}

static sustain_status do_scale(sustain_dataset *set, sustain_dataset *other) {
    sustain_scaling *scaling;
    (void)other;
    sustain_status status = sustain_scaling_create(set, SUSTAIN_SCALING_AUTO, &scaling);
    if (status == SUSTAIN_OK) status = sustain_scaling_apply(scaling, set);
    sustain_scaling_destroy(scaling);
    return status;
}

static sustain_status do_generate(sustain_dataset *set, sustain_dataset *other) {
    sustain_dataset *made;
    (void)set, (void)other;
    const sustain_status status = sustain_generated_create(reading_context, 2, 0, &made);
    sustain_dataset_destroy(made);
    return status;
}

/* Every allocation of every operation fails in turn: refused, the sets still whole, and no leak
 * (the teardown counts). */
static void every_allocation_fails(void **state) {
    (void)state;
    static const operation operations[] = {do_join, do_match, do_part, do_subset, do_corrupt, do_scale, do_generate};
    static const char *const texts[][2] = {{"a,y\n100,u\n2,v\n", "a,y\n3,v\n4,u\n"}, {"1 1:100 2:1\n2 2:2\n", "2 1:1 5:1\n1 3:1\n"}};
    for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++)
        for (int sparse = 0; sparse < 2; sparse++) {
            sustain_dataset *set = reading_text(texts[sparse][0], &with_y), *other = reading_text(texts[sparse][1], &with_y);
            int64_t n = 0;
            sustain_status status;
            do {
                const int64_t live = reading_memory.live;
                reading_memory.calls = 0;
                reading_memory.fail_at = ++n;
                status = operations[o](set, other);
                reading_memory.fail_at = 0;
                if (status == SUSTAIN_OK) break;
                assert_int_equal(status, SUSTAIN_MEMORY);
                assert_true(reading_memory.live <= live);
                assert_true(set->rows.labels[0] == 0 && set->classes == 2 && other->rows.count == 2);
            } while (true);
            assert_true(n > 1);
            sustain_dataset_destroy(set);
            sustain_dataset_destroy(other);
        }
}

/* ---- sets that have a name ---- */

static void generated(void **state) {
    (void)state;
    sustain_dataset *a, *b;
    assert_int_equal(sustain_generated_create(reading_context, 300, 100, &a), SUSTAIN_OK);
    assert_int_equal(sustain_generated_create(reading_context, 200, 100, &b), SUSTAIN_OK);
    assert_true(a->classes == 10 && a->rows.dim == 784 && a->picture.height == 28);
    assert_memory_equal(a->rows.bytes, b->rows.bytes, 200 * 784); /* picture i is a function of (seed, i) */
    assert_memory_equal(a->rows.labels, b->rows.labels, 200 * sizeof(int32_t));
    sustain_dataset_destroy(a);
    sustain_dataset_destroy(b);
    assert_int_equal(sustain_generated_create(reading_context, 0, 0, &a), SUSTAIN_ARGUMENT);
}

static void names(void **state) {
    (void)state;
    char folder[256];
    sustain_dataset *set;
    assert_int_equal(sustain_named_read(reading_context, "mnits", NULL, SUSTAIN_PART_TEST, NULL, &set), SUSTAIN_UNKNOWN_NAME);
    assert_string_equal(sustain_error(reading_context), "no data set is called 'mnits'; did you mean 'mnist'?");
    assert_int_equal(sustain_named_read(reading_context, "mnist", "/nowhere", SUSTAIN_PART_TEST, NULL, &set), SUSTAIN_IO);
    assert_true(error_has("the data set mnist was not found in /nowhere: put the four files"));
    assert_false(sustain_named_find("mnist", "/nowhere", folder, sizeof folder));
    assert_true(sustain_named_find("generated", NULL, folder, sizeof folder) && folder[0] == '\0');
    assert_false(sustain_named_find("no such set", NULL, folder, sizeof folder));
    assert_int_equal(sustain_named_read(reading_context, "generated", NULL, SUSTAIN_PART_TEST, NULL, &set), SUSTAIN_OK);
    assert_int_equal(set->rows.count, 5000);
    sustain_dataset_destroy(set);
}

/* The real files, as published, where they are there. */
static void real_files(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t test_rows, dim, classes; /* CIFAR-100 may be there in part */
        const char *second;              /* the name of its second class */
    } cases[] = {{"fashion-mnist", 10000, 784, 10, "Trouser"},
                 {"mnist", 10000, 784, 10, "1"},
                 {"cifar-100", 0, 3072, 100, "aquarium_fish"},
                 {"ijcnn1", 91701, 22, 2, "1"}};
    const char *data_dir = getenv("SUSTAIN_DATA");
    char folder[4096];
    bool missing = false;
    for (int i = 0; i < 4; i++) {
        sustain_dataset *set;
        if (!sustain_named_find(cases[i].name, data_dir, folder, sizeof folder)) {
            printf("skipped: the data set %s is not there\n", cases[i].name);
            missing = true;
            continue;
        }
        assert_int_equal(sustain_named_read(reading_context, cases[i].name, data_dir, SUSTAIN_PART_TEST, NULL, &set), SUSTAIN_OK);
        assert_true(cases[i].test_rows == 0 || set->rows.count == cases[i].test_rows);
        assert_int_equal(set->rows.dim, cases[i].dim);
        assert_int_equal(set->classes, cases[i].classes);
        assert_string_equal(set->class_names[1], cases[i].second);
        assert_true((set->rows.start != NULL) == (i == 3));
        int64_t first = 0; /* rows of the first class: balanced, but for ijcnn1 */
        for (int64_t k = 0; k < set->rows.count; k++) first += set->rows.labels[k] == 0;
        if (i != 3) assert_true(first * cases[i].classes < 2 * set->rows.count && first > 0);
        sustain_dataset_destroy(set);
    }
    if (missing) skip();
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)
    const struct CMUnitTest tests[] = {TEST(joined),
                                       TEST(joined_with_columns),
                                       TEST(matched_classes),
                                       TEST(matched_columns),
                                       TEST(parts_and_subsets),
                                       TEST(pictures),
                                       TEST(noise),
                                       TEST(scaling_where_needed),
                                       TEST(scaled_features),
                                       TEST(scaled_large_features),
                                       TEST(scaled_without_means),
                                       TEST(scaled_sparse_rows),
                                       TEST(scaled_bytes),
                                       TEST(every_allocation_fails),
                                       TEST(generated),
                                       TEST(names),
                                       TEST(real_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

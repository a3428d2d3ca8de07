/* test_probabilities.c - probabilities from CSV: with and without names, with an index,
 * refused, cut off, without memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <sustain/probabilities.h>

#include "reading.h"

static const float rows[] = {0.5f, 0.25f, 0.25f, 0, 1, 0, 0.125f, 0.125f, 0.75f};
static const char body[] = "0.5,0.25,0.25\n0,1,0\n.125,1.25e-1,0.75\n";

static sustain_probabilities *take(const char *text) {
    sustain_probabilities *p;
    const char *path = reading_file("p.csv", text, strlen(text));
    if (sustain_probabilities_read(reading_context, path, false, &p) != SUSTAIN_OK) fail_msg("%s", sustain_error(reading_context));
    assert_int_equal(p->count, 3);
    assert_int_equal(p->classes, 3);
    for (int64_t i = 0; i < 3; i++) {
        float row[3];
        sustain_probabilities_row(p, i, row);
        assert_memory_equal(row, rows + 3 * i, sizeof row);
    }
    return p;
}

static void check_names(const char *text, const char *a, const char *c) {
    sustain_probabilities *p = take(text);
    if (a == NULL) {
        assert_null(sustain_probabilities_name(p, 0));
    } else {
        assert_string_equal(sustain_probabilities_name(p, 0), a);
        assert_string_equal(sustain_probabilities_name(p, 2), c);
        assert_null(sustain_probabilities_name(p, 3));
    }
    sustain_probabilities_destroy(p);
}

static void subset(void **state) {
    (void)state;
    const int64_t index[] = {2, 0, 2}, beyond[] = {0, 3};
    char text[256];
    snprintf(text, sizeof text, "ant,bee,cat\n%s", body);
    sustain_probabilities *p = take(text), *part, *none;
    assert_int_equal(sustain_probabilities_subset(reading_context, p, index, 3, &part), SUSTAIN_OK);
    assert_int_equal(sustain_probabilities_subset(reading_context, p, beyond, 2, &none), SUSTAIN_ARGUMENT);
    assert_null(none);
    sustain_probabilities_destroy(p);
    assert_int_equal(part->count, 3);
    assert_string_equal(sustain_probabilities_name(part, 1), "bee");
    for (int64_t i = 0; i < 3; i++) {
        float row[3];
        sustain_probabilities_row(part, i, row);
        assert_memory_equal(row, rows + 3 * index[i], sizeof row);
    }
    sustain_probabilities_destroy(part);
}

static void csv(void **state) {
    (void)state;
    char text[256];
    check_names(body, NULL, NULL);
    static const char *const headers[][3] = {{"ant,bee,cat\n", "ant", "cat"},
                                             {"0,1,2\n", "0", "2"},
                                             {"1,2,3\n", "1", "3"},
                                             {"2,0,1\n", "2", "1"},
                                             {"3,1,2\n", "3", "2"},
                                             {"\"a, \"\"b\"\"\",c,d\r\n", "a, \"b\"", "d"},
                                             {"\xef\xbb\xbf"
                                              "x,y,z\n",
                                              "x", "z"}};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        snprintf(text, sizeof text, "%s%s", headers[i][0], body);
        check_names(text, headers[i][1], headers[i][2]);
    }
    /* other delimiters, and an index as pandas writes it */
    check_names("a;b;c\n0.5;0.25;0.25\n0;1;0\n.125;.125;.75", "a", "c");
    check_names(",a,b,c\n0,0.5,0.25,0.25\n1,0,1,0\n2,.125,.125,.75\n", "a", "c");
    assert_null(sustain_probabilities_name(NULL, 0));
}

static void refused(const char *text, const char *sentence) {
    sustain_probabilities *p;
    const char *path = reading_file("p.csv", text, strlen(text));
    assert_int_equal(sustain_probabilities_read(reading_context, path, false, &p), SUSTAIN_FORMAT);
    assert_null(p);
    const char *message = sustain_error(reading_context);
    assert_memory_equal(message, path, strlen(path));
    assert_string_equal(message + strlen(path), sentence);
}

static void bad_csv(void **state) {
    (void)state;
    refused("", ": it is empty");
    refused("a,b\n", ": it has no rows of probabilities");
    refused("0.5\n1\n", ": it has one column: give the probabilities of every class, a column for each");
    refused("file,a,b\nx.png,0.5,0.5\n",
            ": line 2, column 1: 'x.png' is not a number: give one column of probabilities for each class, and no others");
    refused("a,b\n0.5,\n", ": line 2, column 2: '' is not a number: give one column of probabilities for each class, and no others");
    refused("a,b\n0.5,0.5\n0.5\n", ": line 3 has fewer fields than the first line");
    refused("a,b\n0.5,0.5,0\n", ": line 2 has more fields than the first line");
    refused("a,b\n0.5,0.5\n0.5,0.4\n",
            ": the probabilities of row 1 (from 0) sum to 0.9, not to 1: divide each row by its sum, or take the softmax of "
            "logits");
    refused("a,b\n0.5,1e400\n", ": row 0 (from 0) has a number that is not finite: compute its probabilities again");
    refused("\x01\x02\x03", ": it is not an NPY, NPZ or CSV file; write the probabilities as one: np.save('p.npy', p), where p is "
                            "torch.load('p.pt').cpu().numpy()");
}

/* Every cut of the text is read or refused; nothing is lost. */
static void cuts(void **state) {
    (void)state;
    static const char text[] = ",\"a\"\"\",b\n0,0.5,0.5\n1,1,0\n2,0.25,0.75\n";
    for (size_t cut = 0; cut < sizeof text; cut++) {
        sustain_probabilities *p;
        const sustain_status status = sustain_probabilities_read(reading_context, reading_file("p.csv", text, cut), false, &p);
        assert_int_equal(status == SUSTAIN_OK, p != NULL);
        sustain_probabilities_destroy(p);
    }
    const char *path = reading_file("p.csv", text, strlen(text));
    sustain_status status = SUSTAIN_MEMORY;
    for (int64_t n = 1; status != SUSTAIN_OK; n++) {
        sustain_probabilities *p;
        reading_memory.calls = 0;
        reading_memory.fail_at = n;
        status = sustain_probabilities_read(reading_context, path, false, &p);
        reading_memory.fail_at = 0;
        assert_int_equal(status == SUSTAIN_OK, p != NULL);
        assert_true(status == SUSTAIN_OK || status == SUSTAIN_MEMORY);
        sustain_probabilities_destroy(p);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)
    const struct CMUnitTest tests[] = {TEST(csv), TEST(subset), TEST(bad_csv), TEST(cuts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

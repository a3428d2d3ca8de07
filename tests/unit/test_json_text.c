/* test_json_text.c - JSON as a tree, and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "failing_allocator.h"
#include "io/json_text.h"

static failing_allocator_state memory;
static sustain_context *context;
static char *text;

static int setup(void **state) {
    (void)state;
    return sustain_context_create_with(failing_allocator, &memory, &context) == SUSTAIN_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    free(text);
    sustain_context_destroy(context);
    return memory.live == 0 ? 0 : -1;
}

/* The tree of a text; NULL if it is none. */
static sustain__json *tree_of(const char *from) {
    sustain__json *tree;
    free(text);
    text = malloc(strlen(from) + 1); /* as long as it must be, so that a sanitizer sees a read beyond */
    assert_non_null(text);
    memcpy(text, from, strlen(from) + 1);
    assert_int_equal(sustain__json_read(context, text, &tree), SUSTAIN_OK);
    return tree;
}

static void values_are_read(void **state) {
    (void)state;
    sustain__json *tree = tree_of(" {\"a\": [1, -20, 2.5e-3, true, null, \"x\\n\\u00e4\\ud83d\\ude00\"], \"b\":{}, \"c\" : false} ");
    assert_non_null(tree);
    assert_int_equal(tree->count, 3);
    const sustain__json *a = sustain__json_get(tree, "a"), *at = a->first;
    assert_int_equal(a->kind, SUSTAIN__JSON_LIST);
    assert_int_equal(a->count, 6);
    assert_int_equal(at->integer, 1);
    at = at->next;
    assert_int_equal(at->kind, SUSTAIN__JSON_INTEGER);
    assert_int_equal(at->integer, -20);
    assert_true(at->number == -20);
    at = at->next;
    assert_int_equal(at->kind, SUSTAIN__JSON_REAL);
    assert_true(at->number == 2.5e-3);
    at = at->next;
    assert_int_equal(at->kind, SUSTAIN__JSON_TRUE);
    at = at->next;
    assert_int_equal(at->kind, SUSTAIN__JSON_NULL);
    at = at->next;
    assert_string_equal(at->text, "x\n\xc3\xa4\xf0\x9f\x98\x80");
    assert_null(at->next);
    assert_int_equal(sustain__json_get(tree, "b")->kind, SUSTAIN__JSON_OBJECT);
    assert_null(sustain__json_get(tree, "b")->first);
    assert_int_equal(sustain__json_get(tree, "c")->kind, SUSTAIN__JSON_FALSE);
    assert_null(sustain__json_get(tree, "d"));
    assert_null(sustain__json_get(a, "a"));
    sustain__free(context, tree);
}

static void what_is_no_json_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"",          "{",        "[1",       "[1,]",  "[,1]",   "{\"a\"}",    "{\"a\":}", "{a:1}", "[01]",
                                      "[1.]",      "[.5]",     "[-]",      "[1e]",  "[+1]",   "[nan]",      "tru",      "[1] 2", "\"\\x\"",
                                      "\"\\u12\"", "\"\xff\"", "\"a\nb\"", "[1 2]", "[\"a\"", "{\"a\":1,}", "[1}",      "\"abc"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (tree_of(bad[i]) != NULL) fail_msg("%s was read", bad[i]);
    char deep[201] = "";
    memset(deep, '[', 100);
    memset(deep + 100, ']', 100);
    assert_null(tree_of(deep));
    assert_null(tree_of("[12345678901234567890]")); /* not an int64_t */
}

static void what_is_written_is_read_again(void **state) {
    (void)state;
    static const float floats[] = {0, 1, -2.5f, 0.1f, 1.17549435e-38f, 3.40282347e+38f, 1e-5f, 123456792};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        char written[128];
        sustain__json_pen p = {written, 0};
        sustain__json_put_float(&p, "[", floats[i]);
        sustain__json_put(&p, ",");
        sustain__json_put_string(&p, "a\"b\\c\t\x1f\xc3\xa4");
        sustain__json_put_integer(&p, ",", -7);
        sustain__json_put(&p, "]");
        written[p.used] = '\0';
        sustain__json *tree = tree_of(written);
        assert_non_null(tree);
        assert_int_equal(tree->first->kind, SUSTAIN__JSON_REAL);
        assert_true((float)tree->first->number == floats[i]);
        assert_non_null(strstr(written, "\\u001f")); /* as other readers of JSON want it */
        assert_string_equal(tree->first->next->text, "a\"b\\c\t\x1f\xc3\xa4");
        assert_int_equal(tree->first->next->next->integer, -7);
        sustain__free(context, tree);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(what_is_no_json_is_refused),
        cmocka_unit_test(what_is_written_is_read_again),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

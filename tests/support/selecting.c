/* selecting.c - see selecting.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "selecting.h"

static int at_question(void *user) {
    int64_t *left = user;
    return --*left == 0;
}

static sustain_selection *create(sustain_context *context, const sustain_select_options *options, const sustain_rows *rows) {
    sustain_selection *s;
    if (sustain_select_create(context, options, rows, NULL, &s) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
    return s;
}

static void run(sustain_context *context, sustain_selection *s, sustain_select_result *r) {
    if (sustain_select_run(s, r) != SUSTAIN_OK) fail_msg("%s", sustain_error(context));
}

void selecting_however_run(sustain_context *context, const sustain_select_options *options, const sustain_rows *rows, int64_t factor,
                           selecting_same *same) {
    static const int threads[] = {2, 3, 8};
    sustain_select_result first, r;
    sustain_selection *s = create(context, options, rows);
    run(context, s, &first);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        assert_int_equal(sustain_context_set_threads(context, threads[i]), SUSTAIN_OK);
        sustain_selection *again = create(context, options, rows);
        run(context, again, &r);
        same(&first, &r);
        sustain_select_destroy(again);
    }
    assert_int_equal(sustain_context_set_threads(context, 1), SUSTAIN_OK);
    bool finished = false;
    for (int64_t n = 3; !finished; n *= factor) {
        int64_t left = n;
        sustain_selection *again = create(context, options, rows);
        sustain_context_set_cancel(context, at_question, &left);
        const sustain_status status = sustain_select_run(again, &r);
        sustain_context_set_cancel(context, NULL, NULL);
        finished = status == SUSTAIN_OK;
        if (!finished) {
            assert_int_equal(status, SUSTAIN_CANCELLED);
            run(context, again, &r);
        }
        same(&first, &r);
        sustain_select_destroy(again);
    }
    sustain_select_destroy(s);
}

/* test_meta.c - meta learning with several threads: the same bits of training and of evaluation for
 * any number of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "meta/meta_internal.h"

#include "fixture_pictures.h"

static sustain_meta *train(int method, int threads, sustain_meta_score *score) {
    const sustain_meta_trial trial = {.tasks = 9, .queries = 3, .stream = 2};
    sustain_meta_options o = sustain_meta_defaults();
    sustain_meta_progress progress;
    sustain_meta *meta;
    o.method = method;
    o.ways = 3;
    o.shots = 2;
    o.queries = 2;
    o.tasks = 19; /* blocks of two, the last of one */
    o.width = 4;
    o.inner_steps = 2;
    o.option = 0;
    o.c_eta = 0.5;
    if (method == SUSTAIN_META_SOLVER) o.training_tasks = 20;
    assert_int_equal(sustain_context_set_threads(context, threads), SUSTAIN_OK);
    assert_int_equal(sustain_meta_create(context, &o, training, &meta), SUSTAIN_OK);
    for (int t = 0; t < 2; t++) assert_int_equal(sustain_meta_step(meta, &progress), SUSTAIN_OK);
    assert_int_equal(sustain_meta_evaluate(meta, test, &trial, score), SUSTAIN_OK);
    return meta;
}

static void test_threads(void **state) {
    static const int threads[] = {2, 3, 8};
    (void)state;
    for (int method = SUSTAIN_META_ANIL; method <= SUSTAIN_META_SOLVER; method++) {
        sustain_meta_score of_one, score;
        sustain_meta *one = train(method, 1, &of_one);
        for (int i = 0; i < 3; i++) {
            sustain_meta *meta = train(method, threads[i], &score);
            assert_memory_equal(meta->theta, one->theta, (size_t)one->setting.theta * sizeof *one->theta);
            assert_memory_equal(&score, &of_one, sizeof score);
            sustain_meta_destroy(meta);
        }
        sustain_meta_destroy(one);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, open_pictures, close_pictures);
}

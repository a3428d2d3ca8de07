/* test_fewshot.c - threads share one model, each with a context and a classifier of its own: the
 * same answers as alone. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sustain/fewshot.h>
#include <sustain/random.h>

#include "meta/fewshot_model.h"

enum { SIDE = 16, FILTERS = 4, WAYS = 2, SUPPORT = 6, QUERIES = 4, THREADS = 4 };

static uint8_t pixels[SUPPORT + QUERIES][SIDE * SIDE];

typedef struct job {
    const sustain_fewshot_model *model;
    sustain_status status;
    sustain_real answers[QUERIES][WAYS];
} job;

static void *work(void *argument) {
    job *j = argument;
    const uint8_t *support[SUPPORT];
    const int32_t labels[SUPPORT] = {0, 1, 0, 1, 0, 1};
    sustain_context *context;
    sustain_fewshot *f = NULL;
    for (int i = 0; i < SUPPORT; i++) support[i] = pixels[i];
    j->status = sustain_context_create(&context);
    if (j->status == SUSTAIN_OK) j->status = sustain_fewshot_create(context, j->model, WAYS, SUPPORT, &f);
    for (int round = 0; round < 3 && j->status == SUSTAIN_OK; round++) {
        j->status = sustain_fewshot_adapt(f, support, labels, SUPPORT);
        for (int i = 0; i < QUERIES && j->status == SUSTAIN_OK; i++)
            j->status = sustain_fewshot_predict(f, pixels[SUPPORT + i], j->answers[i]);
    }
    sustain_fewshot_destroy(f);
    sustain_context_destroy(context);
    return NULL;
}

static sustain_fewshot_model *make_model(sustain_context *context) {
    const sustain__net net = {1, SIDE, SIDE, FILTERS, 1 / 255.0, -0.5, 0};
    static sustain_real x[4096];
    char path[] = "/tmp/test_fewshot.XXXXXX";
    sustain_fewshot_model *model;
    assert_true(sustain__net_dim(&net) <= 4096);
    sustain__net_start(&net, 1, x);
    const sustain__fewshot_model content = {
        .net = net, .rule = {.ways = WAYS, .lambda = 0.01, .steps = 5, .step = 0.1}, .shots = 3, .method = "itd-bio", .x = x};
    const int file = mkstemp(path);
    assert_true(file >= 0 && close(file) == 0);
    assert_int_equal(sustain__fewshot_model_write(context, path, &content), SUSTAIN_OK);
    assert_int_equal(sustain_fewshot_model_read(context, path, &model), SUSTAIN_OK);
    assert_int_equal(remove(path), 0);
    return model;
}

static void test_shared_model(void **state) {
    (void)state;
    sustain_context *context;
    pthread_t thread[THREADS];
    job jobs[THREADS], alone;
    memset(jobs, 0, sizeof jobs);
    memset(&alone, 0, sizeof alone);
    for (int i = 0; i < SUPPORT + QUERIES; i++)
        for (int p = 0; p < SIDE * SIDE; p++) pixels[i][p] = (uint8_t)sustain_random_index(1, 1, (uint64_t)i, (uint32_t)p, 256);
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_fewshot_model *model = make_model(context);
    alone.model = model;
    work(&alone);
    for (int i = 0; i < THREADS; i++) {
        jobs[i].model = model;
        assert_int_equal(pthread_create(&thread[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(jobs[i].status, SUSTAIN_OK);
        assert_memory_equal(jobs[i].answers, alone.answers, sizeof alone.answers);
    }
    assert_int_equal(alone.status, SUSTAIN_OK);
    sustain_fewshot_model_destroy(model);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

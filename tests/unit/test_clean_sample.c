/* test_clean_sample.c - the end of a cleaning job whose classifiers are fitted on a sample of the
 * rows: about the same answer as with all rows, the same bits for any number of threads, and memory
 * of a few numbers a row, whatever the number of classes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <sustain/learn.h>
#include <sustain/sustain.h>

#include "failing_allocator.h"

enum { CLASSES = 5, DIM = 8, ROWS = 6000, TRUSTED = 300, ALL = ROWS + TRUSTED, SAMPLE = 1500 };

static float values[ALL * DIM], probabilities[ALL * CLASSES];
static int32_t labels[ALL], truth[ROWS], verified[ROWS];
static sustain_real x[ROWS], y[(DIM + 1) * CLASSES];

/* Clouds around one centre a class, with the probabilities that they give; a quarter of the labels
 * is wrong. Every 20th row is verified. */
static void generate(void) {
    for (uint32_t i = 0; i < ALL; i++) {
        const int32_t class = (int32_t)sustain_random_index(9, 0, i, 0, CLASSES);
        double sum = 0, p[CLASSES];
        for (uint32_t j = 0; j < DIM; j++)
            values[i * DIM + j] = (float)(sustain_random_normal(9, 1, i, j) + 1.2 * sustain_random_normal(9, 2, (uint64_t) class, j));
        for (uint32_t k = 0; k < CLASSES; k++) {
            double square = 0;
            for (uint32_t j = 0; j < DIM; j++) square += pow((double)values[i * DIM + j] - 1.2 * sustain_random_normal(9, 2, k, j), 2);
            sum += p[k] = exp(-square / 2);
        }
        for (uint32_t k = 0; k < CLASSES; k++) probabilities[i * CLASSES + k] = (float)(p[k] / sum);
        labels[i] = class;
        if (i >= ROWS) continue;
        truth[i] = class;
        if (sustain_random_uniform(9, 3, i, 0) < 0.25)
            labels[i] = (int32_t)((class + 1 + sustain_random_index(9, 3, i, 1, CLASSES - 1)) % CLASSES);
        verified[i] = i % 20 == 0 ? class : -1;
    }
}

/* What is known. */
typedef enum known {
    KNOWN_TRUSTED,
    KNOWN_VERIFIED,
    KNOWN_NOTHING,
    KNOWN_FILES,
    KNOWN_FILES_TRUSTED,
    KNOWN_FILES_VERIFIED,
    KNOWN_COUNT
} known;

typedef struct job {
    sustain_context *context;
    sustain_clean *clean;
    sustain_clean_result result;
} job;

static sustain_status run(job *j, known what, int64_t fit_rows) {
    const bool files = what >= KNOWN_FILES, trusted = what == KNOWN_TRUSTED || what == KNOWN_FILES_TRUSTED;
    const sustain_rows training = {.count = ROWS, .dim = files ? 0 : DIM, .values = files ? NULL : values, .labels = labels};
    const sustain_rows outside = {
        .count = TRUSTED, .dim = files ? 0 : DIM, .values = files ? NULL : values + ROWS * DIM, .labels = labels + ROWS};
    const sustain_probabilities p = {.count = ROWS, .classes = CLASSES, .values = probabilities, .type = SUSTAIN_FLOAT32};
    const sustain_probabilities q = {
        .count = TRUSTED, .classes = CLASSES, .values = probabilities + ROWS * CLASSES, .type = SUSTAIN_FLOAT32};
    const sustain_probabilities *const all[] = {&p}, *const of_trusted[] = {&q};
    sustain_clean_options o = sustain_clean_defaults();
    o.classes = CLASSES;
    o.truth = truth;
    o.fit_rows = fit_rows;
    o.verified = what == KNOWN_VERIFIED || what == KNOWN_FILES_VERIFIED ? verified : NULL;
    if (files) o.pred_probs = all, o.pred_prob_count = 1;
    if (what == KNOWN_FILES_TRUSTED) o.trusted_pred_probs = of_trusted;
    const bool bilevel = what == KNOWN_TRUSTED || what == KNOWN_VERIFIED;
    sustain_status status = sustain_clean_create(j->context, &o, &training, trusted ? &outside : NULL, &j->clean);
    if (status == SUSTAIN_OK) status = sustain_clean_finish(j->clean, bilevel ? x : NULL, bilevel ? y : NULL, &j->result);
    return status;
}

static void begin(job *j, int threads) {
    *j = (job){.clean = NULL};
    assert_int_equal(sustain_context_create(&j->context), SUSTAIN_OK);
    assert_int_equal(sustain_context_set_threads(j->context, threads), SUSTAIN_OK);
}

static void end(job *j) {
    sustain_clean_destroy(j->clean);
    sustain_context_destroy(j->context);
}

/* What must hold of any result. */
static void consistent(const sustain_clean_result *r, known what) {
    int64_t issues = 0;
    for (int64_t k = 1; k < r->count; k++) assert_true(r->quality[r->order[k - 1]] <= r->quality[r->order[k]]);
    for (int64_t i = 0; i < r->count; i++) {
        const bool checked = r->verified != NULL && r->verified[i] >= 0;
        issues += r->is_issue[i];
        if (checked) assert_true(r->quality[i] == (float)(verified[i] == labels[i]) && r->suggested[i] == verified[i]);
        if (!checked) assert_true((r->suggested[i] != labels[i]) == (r->is_issue[i] != 0));
    }
    assert_int_equal(issues, r->issues);
    assert_int_equal(r->verified != NULL, what == KNOWN_VERIFIED || what == KNOWN_FILES_VERIFIED);
}

static void test_like_all_rows(void **state) {
    (void)state;
    generate();
    for (known what = 0; what < KNOWN_COUNT; what++) {
        job all, some;
        begin(&all, 1), begin(&some, 1);
        assert_int_equal(run(&all, what, 0), SUSTAIN_OK);
        assert_int_equal(run(&some, what, SAMPLE), SUSTAIN_OK);
        const sustain_clean_result *a = &all.result, *s = &some.result;
        assert_int_equal(a->fitted, ROWS);
        assert_true(s->fitted >= SAMPLE - CLASSES && s->fitted < SAMPLE + ROWS / 20 + CLASSES);
        assert_int_equal(s->ranking, a->ranking);
        assert_true(a->score.auc > 0.95 && fabs(s->score.auc - a->score.auc) < 0.01);
        assert_true(fabs(s->estimated_errors / a->estimated_errors - 1) < 0.15);
        assert_true(fabs((double)s->issues / (double)a->issues - 1) < 0.15);
        if (!isnan(a->estimated_low)) assert_true(s->estimated_low < s->estimated_errors && s->estimated_errors < s->estimated_high);
        consistent(s, what);
        end(&all), end(&some);
    }
}

static void test_threads(void **state) {
    (void)state;
    generate();
    for (known what = 0; what < KNOWN_NOTHING; what++) {
        job one, three;
        begin(&one, 1), begin(&three, 3);
        assert_int_equal(run(&one, what, SAMPLE), SUSTAIN_OK);
        assert_int_equal(run(&three, what, SAMPLE), SUSTAIN_OK);
        assert_memory_equal(one.result.quality, three.result.quality, ROWS * sizeof *one.result.quality);
        assert_memory_equal(one.result.suggested, three.result.suggested, ROWS * sizeof *one.result.suggested);
        end(&one), end(&three);
    }
}

/* Every allocation of a job with a sample fails in turn. */
static void test_failing(void **state) {
    (void)state;
    generate();
    for (int64_t at = 1;; at += 7) {
        failing_allocator_state memory = {0};
        job j = {.clean = NULL};
        assert_int_equal(sustain_context_create_with(failing_allocator, &memory, &j.context), SUSTAIN_OK);
        memory.fail_at = memory.calls + at;
        const sustain_status status = run(&j, KNOWN_FILES_VERIFIED, 200);
        const bool failed = memory.calls >= memory.fail_at;
        assert_int_equal(status, failed ? SUSTAIN_MEMORY : SUSTAIN_OK);
        end(&j);
        assert_int_equal(memory.live, 0);
        if (!failed) break;
    }
}

/* A number of at most 10 bits as half precision. */
static uint16_t half_of(float value) {
    int exponent;
    const double fraction = frexp(fabs((double)value), &exponent);
    if (!(fraction > 0)) return 0;
    return (uint16_t)((value < 0 ? 0x8000 : 0) | (exponent + 14) << 10 | ((int)(fraction * 2048) & 1023));
}

/* Rows of half precision are judged as the same rows of floats, also where verified ones are copied
 * beside trusted ones of floats. */
static void test_halves(void **state) {
    (void)state;
    static uint16_t halves[ROWS * DIM];
    generate();
    for (int i = 0; i < ALL * DIM; i++) values[i] = (float)floor((double)values[i] * 64) / 64;
    for (int i = 0; i < ROWS * DIM; i++) halves[i] = half_of(values[i]);
    const sustain_rows outside = {.count = TRUSTED, .dim = DIM, .values = values + ROWS * DIM, .labels = labels + ROWS};
    for (int way = 0; way < 3; way++) {
        job of[2];
        for (int half = 0; half < 2; half++) {
            sustain_rows training = {.count = ROWS, .dim = DIM, .values = half ? NULL : values, .labels = labels};
            training.halves = half ? halves : NULL;
            sustain_clean_options o = sustain_clean_defaults();
            o.classes = CLASSES;
            o.fit_rows = way == 2 ? SAMPLE : 0;
            o.verified = way > 0 ? verified : NULL;
            begin(&of[half], 2);
            sustain_status status = sustain_clean_create(of[half].context, &o, &training, &outside, &of[half].clean);
            if (status == SUSTAIN_OK) status = sustain_clean_finish(of[half].clean, x, y, &of[half].result);
            assert_int_equal(status, SUSTAIN_OK);
        }
        assert_memory_equal(of[0].result.quality, of[1].result.quality, ROWS * sizeof *of[0].result.quality);
        end(&of[0]), end(&of[1]);
    }
}

/* ---- memory ---- */

typedef struct peak {
    size_t now, most;
} peak;

static void *measured(void *user, void *pointer, size_t size) {
    peak *p = user;
    size_t *block = pointer != NULL ? (size_t *)pointer - 2 : NULL;
    assert_true(block == NULL || size == 0);
    if (size == 0) {
        p->now -= block != NULL ? block[0] : 0;
        free(block);
        return NULL;
    }
    block = malloc(size + 2 * sizeof *block);
    if (block == NULL) return NULL;
    block[0] = size;
    p->now += size;
    if (p->now > p->most) p->most = p->now;
    return block + 2;
}

/* The bytes that `count` rows of many classes take at most. */
static size_t bytes_of(int64_t count) {
    enum { MANY = 4, WIDTH = 2, FEW = 200 };
    float *rows = malloc((size_t)count * WIDTH * sizeof *rows);
    int32_t *classes = malloc((size_t)count * sizeof *classes);
    assert_true(rows != NULL && classes != NULL);
    for (int64_t i = 0; i < count; i++) {
        classes[i] = (int32_t)(i % MANY);
        rows[i * WIDTH] = (float)(classes[i] % 2) + 0.1f * (float)sustain_random_normal(1, 0, (uint64_t)i, 0);
        rows[i * WIDTH + 1] = (float)classes[i] / 2 + 0.1f * (float)sustain_random_normal(1, 0, (uint64_t)i, 1);
    }
    const sustain_rows training = {.count = count, .dim = WIDTH, .values = rows, .labels = classes};
    const sustain_rows trusted = {.count = 2 * MANY, .dim = WIDTH, .values = rows, .labels = classes};
    peak memory = {0};
    sustain_context *context;
    sustain_clean *clean;
    sustain_clean_result result;
    sustain_result solved;
    assert_int_equal(sustain_context_create_with(measured, &memory, &context), SUSTAIN_OK);
    sustain_clean_options o = sustain_clean_defaults();
    o.classes = MANY;
    o.folds = 2;
    o.fit_rows = FEW;
    o.ends_solver = true;
    assert_int_equal(sustain_clean_create(context, &o, &training, &trusted, &clean), SUSTAIN_OK);
    assert_int_equal(sustain_solver_run(sustain_clean_solver(clean), &(sustain_stopping){.iterations = 10}, &solved), SUSTAIN_OK);
    assert_int_equal(sustain_clean_finish(clean, solved.x, solved.y, &result), SUSTAIN_OK);
    sustain_clean_destroy(clean);
    sustain_context_destroy(context);
    assert_int_equal(memory.now, 0);
    free(rows), free(classes);
    return memory.most;
}

static void test_memory(void **state) {
    (void)state;
    enum { LESS = 100000, MORE = 200000, BYTES = sizeof(sustain_real) == sizeof(float) ? 24 : 32 };
    const double more = sizeof(int32_t) + (double)(bytes_of(MORE) - bytes_of(LESS)) / (MORE - LESS);
    if (more > BYTES) fail_msg("%.2f bytes a row, the label included", more);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_like_all_rows), cmocka_unit_test(test_threads), cmocka_unit_test(test_failing),
                                       cmocka_unit_test(test_halves), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

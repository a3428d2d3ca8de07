/* test_lazy.c - a vector that moves lazily (core/lazy.h) beside the same vector moved plainly, in
 * double:
 *
 *   h <- keep h + d (d sparse),      x <- x - alpha h */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sustain/random.h>

#include "core/lazy.h"

enum { COUNT_MAX = 2000, RING_MAX = 1024, TOUCHED_MAX = 4 };

/* Of the largest coordinate. */
static double tolerance(void) {
    return sizeof(sustain_real) == sizeof(float) ? 5e-6 : 5e-14;
}

typedef struct pair {
    sustain__lazy lazy;
    sustain_real x[COUNT_MAX], u[COUNT_MAX], x_prev[COUNT_MAX], shown[COUNT_MAX];
    double seen[COUNT_MAX], ring_sum[RING_MAX], ring_factor[RING_MAX];
    uint32_t epoch[COUNT_MAX];
    double plain_x[COUNT_MAX], plain_prev[COUNT_MAX], plain_h[COUNT_MAX]; /* the same, plainly */
} pair;

static double uniform(int64_t t, uint32_t i) {
    return 2 * sustain_random_uniform(31, 5, (uint64_t)t, i) - 1;
}

static pair *new_pair(int64_t count, int64_t ring) {
    pair *p = calloc(1, sizeof *p);
    assert_non_null(p);
    assert_true(count <= COUNT_MAX && ring <= RING_MAX);
    p->lazy = (sustain__lazy){.count = count,
                              .x = p->x,
                              .u = p->u,
                              .seen = p->seen,
                              .epoch = p->epoch,
                              .ring = ring,
                              .ring_sum = p->ring_sum,
                              .ring_factor = p->ring_factor};
    for (int64_t i = 0; i < count; i++) {
        p->x[i] = (sustain_real)uniform(-1, (uint32_t)i);
        p->plain_prev[i] = p->plain_x[i] = (double)p->x[i];
    }
    sustain__lazy_start(&p->lazy);
    return p;
}

static double largest(const pair *p) {
    double most = 1;
    for (int64_t i = 0; i < p->lazy.count; i++) most = fmax(most, fabs(p->plain_x[i]));
    return most;
}

/* Reads n coordinates, checks x_t and x_{t-1} there, then moves with random values on the first
 * `touched` of them. */
static void move(pair *p, int64_t t, int64_t n, const int64_t *coordinate, int64_t touched, double keep, double alpha) {
    const double most = tolerance() * largest(p);
    sustain_real value[TOUCHED_MAX];
    sustain__lazy_read(&p->lazy, n, coordinate, p->x_prev);
    for (int64_t j = 0; j < n; j++) {
        const int64_t i = coordinate[j];
        if (!(fabs((double)p->x[i] - p->plain_x[i]) <= most && fabs((double)p->x_prev[i] - p->plain_prev[i]) <= most))
            fail_msg("t %d, coordinate %d: x %.17g for %.17g, x_prev %.17g for %.17g", (int)t, (int)i, (double)p->x[i], p->plain_x[i],
                     (double)p->x_prev[i], p->plain_prev[i]);
    }
    for (int64_t j = 0; j < touched; j++) value[j] = (sustain_real)uniform(t, (uint32_t)j);
    sustain__lazy_decay(&p->lazy, keep);
    sustain__lazy_add(&p->lazy, touched, coordinate, 0.5, value);
    sustain__lazy_move(&p->lazy, alpha);

    for (int64_t i = 0; i < p->lazy.count; i++) p->plain_h[i] *= keep;
    for (int64_t j = 0; j < touched; j++) p->plain_h[coordinate[j]] += 0.5 * (double)value[j];
    for (int64_t i = 0; i < p->lazy.count; i++) {
        p->plain_prev[i] = p->plain_x[i];
        p->plain_x[i] -= alpha * p->plain_h[i];
    }
}

static double difference(pair *p) {
    double worst = 0;
    sustain__lazy_copy(&p->lazy, p->shown);
    for (int64_t i = 0; i < p->lazy.count; i++) worst = fmax(worst, fabs((double)p->shown[i] - p->plain_x[i]));
    return worst / largest(p);
}

static void assert_same(pair *p, const char *what) {
    const double d = difference(p);
    if (!(d <= tolerance())) fail_msg("%s: x differs by %.2e", what, d);
}

/* Random coordinates among the first `among`, the first listed twice. */
static void move_randomly(pair *p, int64_t t, int64_t among, double keep, double alpha) {
    int64_t coordinate[TOUCHED_MAX + 2];
    for (uint32_t j = 0; j < TOUCHED_MAX + 2; j++) coordinate[j] = sustain_random_index(32, 6, (uint64_t)t, j, among);
    coordinate[1] = coordinate[0];
    move(p, t, TOUCHED_MAX + 2, coordinate, TOUCHED_MAX, keep, alpha);
}

/* All touched in the beginning, then only the first ten: the others are left alone for a thousand
 * epochs. */
static void test_left_alone(void **state) {
    (void)state;
    pair *p = new_pair(2000, 1024);
    int64_t t = 0;
    for (; t < 2000; t++) move_randomly(p, t, 2000, 0.999, 0.01);
    assert_same(p, "touched");
    for (; t < 9000; t++) move_randomly(p, t, 10, 0.4, 0.01); /* six iterations an epoch */
    assert_true(p->lazy.now > 1000);
    assert_same(p, "left alone");
    for (; t < 10000; t++) move_randomly(p, t, 2000, 0.999, 0.01);
    assert_same(p, "touched again");
    free(p);
}

/* Without the help of the sweep: one coordinate, many epochs later, in a ring that still holds them
 * all. */
static void test_left_alone_in_ring(void **state) {
    (void)state;
    pair *p = new_pair(2000, 1024);
    const int64_t first = 1999, other = 5;
    move(p, 0, 1, &first, 1, 1, 0.1);
    for (int64_t t = 1; t < 600; t++) move(p, t, 1, &other, 1, 0.3, 0.1); /* four iterations an epoch */
    assert_int_equal(p->epoch[first], 0);
    assert_true(p->lazy.now > 140);
    assert_same(p, "alone");
    move(p, 600, 1, &first, 1, 0.3, 0.1); /* reads and compares */
    assert_same(p, "read");
    free(p);
}

static const double keeps[] = {0, 0.3, 0.999, 1, 0.02, 0.7};

static void test_small_rings(void **state) {
    (void)state;
    for (int64_t ring = 1; ring <= 16; ring *= 2)
        for (int64_t count = 1; count <= 40; count += 13) {
            pair *p = new_pair(count, ring);
            for (int64_t t = 0; t < 3000; t++) {
                move_randomly(p, t, count, keeps[t / 7 % 6], 0.01);
                if (t % 100 == 0) assert_same(p, "random keep");
            }
            assert_true(p->lazy.now > 4 * ring);
            assert_same(p, "small ring");
            free(p);
        }
}

/* keep = 0 closes an epoch at every step, keep = 1 never; 0.5 and 0.005 in between. */
static void test_epochs(void **state) {
    (void)state;
    static const double keep[] = {0, 1, 0.5, 0.005};
    for (int i = 0; i < 4; i++)
        for (int64_t ring = 4; ring <= 1024; ring *= 256) {
            pair *p = new_pair(30, ring);
            for (int64_t t = 0; t < 2000; t++) move_randomly(p, t, 30, keep[i], 0.01);
            if (i == 0 || i == 3) assert_int_equal(p->lazy.now, 2000);
            if (i == 1) assert_int_equal(p->lazy.now, 0);
            assert_same(p, "constant keep");
            free(p);
        }
}

/* The number of the epoch runs over after 2^32 of them. */
static void test_epoch_number_runs_over(void **state) {
    (void)state;
    pair *p = new_pair(30, 16);
    p->lazy.now = UINT32_MAX - 20;
    for (int64_t i = 0; i < p->lazy.count; i++) p->epoch[i] = p->lazy.now;
    for (int64_t t = 0; t < 1000; t++) move_randomly(p, t, 30, 0.5, 0.01);
    assert_true(p->lazy.now < 1000);
    assert_same(p, "run over");
    free(p);
}

/* Copying changes no byte of the state. */
static void test_copy_only_looks(void **state) {
    (void)state;
    pair *p = new_pair(100, 8), *before = calloc(1, sizeof *before);
    assert_non_null(before);
    for (int64_t t = 0; t < 1000; t++) {
        move_randomly(p, t, 100, keeps[t / 7 % 6], 0.01);
        memcpy(before, p, sizeof *p);
        sustain__lazy_copy(&p->lazy, p->shown);
        memcpy(before->shown, p->shown, sizeof p->shown);
        assert_memory_equal(before, p, sizeof *p);
    }
    free(before);
    free(p);
}

/* At each closing count/ring + 1 coordinates are visited, so none gets older than the ring. */
static void test_ring_is_long_enough(void **state) {
    (void)state;
    for (int64_t count = 1; count <= 100000000; count = count * 3 + 1) {
        const int64_t ring = sustain__lazy_ring(count), visits = count / ring + 1;
        assert_int_equal(ring & (ring - 1), 0);
        assert_true(visits <= 32);
        assert_true((count + visits - 1) / visits <= ring);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left_alone),
        cmocka_unit_test(test_left_alone_in_ring),
        cmocka_unit_test(test_small_rings),
        cmocka_unit_test(test_epochs),
        cmocka_unit_test(test_epoch_number_runs_over),
        cmocka_unit_test(test_copy_only_looks),
        cmocka_unit_test(test_ring_is_long_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

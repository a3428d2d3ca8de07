/* test_backbone.c - the backbone against numbers written by PyTorch, its derivatives against
 * differences and each other, groups and statistics against passes over less, pooling by hand,
 * memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/random.h>

#include "core/vector.h"
#include "failing_allocator.h"
#include "nn/backbone.h"
#include "nn/layers.h"

/* ---- a net, its pictures, vectors of parameters and features: tests/golden/backbone.py ---- */

typedef struct bench {
    sustain_context *context;
    sustain__net net;
    sustain__backbone *backbone;
    int64_t dim, size, count, features; /* of parameters, a picture, pictures, features of all pictures */
    int64_t group[3], groups;
    uint8_t *bytes;
    const uint8_t **pictures;
    sustain_real *x, *v;                    /* (dim) parameters, a direction */
    sustain_real *r, *p;                    /* (features) of the loss */
    sustain_real *f, *ft, *d, *dt, *g, *gt; /* results */
} bench;

static double uniform(uint32_t stream, int64_t i) {
    return sustain_random_uniform(1, stream, 0, (uint32_t)i);
}

static sustain_real *numbers(int64_t count, uint32_t stream, double shift) {
    sustain_real *out = calloc((size_t)count, sizeof *out);
    assert_non_null(out);
    for (int64_t i = 0; i < count && stream > 0; i++) out[i] = (sustain_real)(uniform(stream, i) + shift);
    return out;
}

static bench *make(const char *kind, int64_t channels, int64_t height, int64_t width, int64_t filters, int64_t first, int64_t second,
                   int order) {
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->net = (sustain__net){channels, height, width, filters, 1 / 255.0, -0.4, 1};
    b->dim = sustain__net_dim(&b->net);
    b->size = channels * height * width;
    b->count = first + second;
    b->features = b->count * sustain__net_features(&b->net);
    b->group[1] = first;
    b->group[2] = first + second;
    b->groups = second > 0 ? 2 : 1;
    b->bytes = malloc((size_t)(b->count * b->size));
    b->pictures = calloc((size_t)b->count, sizeof *b->pictures);
    assert_true(b->bytes != NULL && b->pictures != NULL);
    for (int64_t i = 0; i < b->count * b->size; i++) b->bytes[i] = (uint8_t)(256 * uniform(1, i));
    for (int64_t i = 0; i < b->count; i++) b->pictures[i] = b->bytes + i * b->size;
    b->x = numbers(b->dim, 2, -0.5);
    for (int k = 1; k < SUSTAIN__NET_VIEWS; k += 3) {
        const sustain__view scale = sustain__net_view(&b->net, k);
        for (int64_t i = scale.offset; i < scale.offset + scale.count; i++) b->x[i] = (sustain_real)(2 * uniform(2, i) - 0.5);
    }
    b->v = numbers(b->dim, 3, -0.5);
    b->r = numbers(b->features, 4, -0.5);
    b->p = numbers(b->features, 5, 0);
    b->f = numbers(b->features, 0, 0);
    b->ft = numbers(b->features, 0, 0);
    b->d = numbers(b->features, 0, 0);
    b->dt = numbers(b->features, 0, 0);
    b->g = numbers(b->dim, 0, 0);
    b->gt = numbers(b->dim, 0, 0);
    assert_int_equal(sustain_context_create(&b->context), SUSTAIN_OK);
    assert_int_equal(sustain__backbone_create(b->context, &b->net, kind, b->count, order, &b->backbone), SUSTAIN_OK);
    return b;
}

static void end(bench *b) {
    sustain__backbone_destroy(b->backbone);
    sustain_context_destroy(b->context);
    void *const parts[] = {b->bytes, b->pictures, b->x, b->v, b->r, b->p, b->f, b->ft, b->d, b->dt, b->g, b->gt, b};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) free(parts[i]);
}

static void forward(bench *b) {
    sustain__backbone_forward(b->backbone, b->x, b->pictures, b->count, b->group, b->groups, b->f);
}

/* The loss, d = its gradient in the features, g = that in the parameters. */
static double gradient(bench *b) {
    double loss = 0;
    forward(b);
    for (int64_t i = 0; i < b->features; i++) {
        const double f = (double)b->f[i];
        loss += (double)b->r[i] * f + (double)b->p[i] * f * f / 2;
        b->d[i] = b->r[i] + b->p[i] * b->f[i];
    }
    sustain__backbone_gradient(b->backbone, b->x, b->d, false, b->g);
    return loss;
}

/* gt = Hessian of the loss times v, at the last forward(); ft = tangent of the features. */
static void hessian(bench *b, const sustain_real *v) {
    sustain__backbone_tangent(b->backbone, b->x, v, b->ft);
    for (int64_t i = 0; i < b->features; i++) b->dt[i] = b->p[i] * b->ft[i];
    sustain__backbone_gradient_tangent(b->backbone, b->x, v, b->d, b->dt, false, b->gt);
}

/* ---- tests ---- */

static const char *const kinds[] = {"plain", NULL}; /* the truth, and what is used */

/* |found - expected| / |expected| */
static double apart(int64_t n, const sustain_real *found, const double *expected) {
    double difference = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        difference += ((double)found[i] - expected[i]) * ((double)found[i] - expected[i]);
        size += expected[i] * expected[i];
    }
    return sqrt(difference / size);
}

static void compare_line(const char *line, const char *kind) {
    long long s[6];
    char name[16];
    int used = 0;
    assert_int_equal(sscanf(line, "%lld,%lld,%lld,%lld,%lld,%lld,%15[a-z]%n", &s[0], &s[1], &s[2], &s[3], &s[4], &s[5], name, &used), 7);
    bench *b = make(kind, s[0], s[1], s[2], s[3], s[4], s[5], 2);
    gradient(b);
    hessian(b, b->v);
    const struct {
        const char *name;
        int64_t count;
        const sustain_real *found;
    } all[] = {{"features", b->features, b->f}, {"gradient", b->dim, b->g}, {"tangent", b->features, b->ft}, {"hessian", b->dim, b->gt}};
    int seen = 0;
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        if (strcmp(all[k].name, name) != 0) continue;
        double *expected = calloc((size_t)all[k].count, sizeof *expected);
        const char *at = line + used;
        for (int64_t i = 0; i < all[k].count; i++) {
            char *after;
            assert_int_equal(*at, ',');
            expected[i] = strtod(at + 1, &after);
            at = after;
        }
        assert_int_equal(*at, '\n');
        const double error = apart(all[k].count, all[k].found, expected);
        if (!(error <= (sizeof(sustain_real) == 8 ? 1e-12 : 2e-5)))
            fail_msg("%s layers: %s is %.2e from tests/golden/backbone.csv", sustain__backbone_kind(b->backbone), name, error);
        free(expected);
        seen++;
    }
    assert_int_equal(seen, 1);
    end(b);
}

static void test_golden(void **state) {
    (void)state;
    static char line[100000];
    FILE *file = fopen("tests/golden/backbone.csv", "r");
    assert_non_null(file);
    int lines = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#') continue;
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) compare_line(line, kinds[k]);
        lines++;
    }
    fclose(file);
    assert_int_equal(lines, 8);
}

#ifdef SUSTAIN_DOUBLE /* differences of single precision show nothing where maxima change hands */
static void test_differences(void **state) {
    (void)state;
    const double step = 1e-7;
    bench *b = make("plain", 2, 18, 21, 3, 4, 3, 2);
    double *features = calloc((size_t)b->features, sizeof *features), *gradients = calloc((size_t)b->dim, sizeof *gradients);
    double loss = 0;
    for (int side = -1; side <= 1; side += 2) {
        sustain__add(b->dim, side * step, b->v, b->x);
        loss += side * gradient(b) / (2 * step);
        for (int64_t i = 0; i < b->features; i++) features[i] += side * b->f[i] / (2 * step);
        for (int64_t i = 0; i < b->dim; i++) gradients[i] += side * b->g[i] / (2 * step);
        sustain__add(b->dim, -side * step, b->v, b->x);
    }
    gradient(b);
    hessian(b, b->v);
    const double slope = sustain__dot(b->dim, b->g, b->v);
    assert_true(fabs(slope - loss) <= 1e-6 * fabs(loss));
    assert_true(apart(b->features, b->ft, features) <= 1e-6);
    assert_true(apart(b->dim, b->gt, gradients) <= 1e-6);
    free(features);
    free(gradients);
    end(b);
}
#endif

/* <d, J v> = <J' d, v>, and <u, H v> = <v, H u>. */
static void test_adjoint_and_symmetric(void **state) {
    (void)state;
    const double bound = sizeof(sustain_real) == 8 ? 1e-12 : 1e-4;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        bench *b = make(kinds[k], 3, 21, 16, 5, 3, 4, 2);
        sustain_real *u = numbers(b->dim, 6, -0.5), *hv = numbers(b->dim, 0, 0);
        gradient(b);
        hessian(b, b->v);
        const double forth = sustain__dot(b->features, b->d, b->ft), back = sustain__dot(b->dim, b->g, b->v);
        if (!(fabs(forth - back) <= bound * fabs(forth))) fail_msg("<d, J v> = %.9g, <J' d, v> = %.9g", forth, back);
        sustain__copy(b->dim, b->gt, hv);
        hessian(b, u);
        const double uhv = sustain__dot(b->dim, u, hv), vhu = sustain__dot(b->dim, b->v, b->gt);
        if (!(fabs(uhv - vhu) <= bound * sustain__norm(b->dim, hv) * sustain__norm(b->dim, u)))
            fail_msg("<u, H v> = %.9g, <v, H u> = %.9g", uhv, vhu);
        free(u);
        free(hv);
        end(b);
    }
}

static bool same(int64_t n, const sustain_real *a, const sustain_real *b) {
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

/* Two groups in one pass are two passes, to the bit; gradients add up. */
static void test_groups(void **state) {
    (void)state;
    bench *b = make("plain", 1, 16, 20, 4, 5, 3, 1);
    const int64_t first = 5 * b->features / 8, alone[2][2] = {{0, 5}, {0, 3}};
    sustain_real *f = numbers(b->features, 0, 0), *g = numbers(b->dim, 0, 0);
    gradient(b);
    sustain__backbone_forward(b->backbone, b->x, b->pictures, 5, alone[0], 1, f);
    sustain__backbone_gradient(b->backbone, b->x, b->d, false, g);
    sustain__backbone_forward(b->backbone, b->x, b->pictures + 5, 3, alone[1], 1, f + first);
    assert_true(same(b->features, f, b->f));
    sustain__backbone_gradient(b->backbone, b->x, b->d + first, true, g);
    for (int64_t i = 0; i < b->dim; i++)
        assert_true(fabs((double)(g[i] - b->g[i])) <= (sizeof *g == 8 ? 1e-12 : 1e-3) * (1 + fabs((double)g[i])));
    free(f);
    free(g);
    end(b);
}

/* Statistics of a group give its features back; a picture's features do not depend on the other
 * pictures; values alone are the same values. */
static void test_statistics(void **state) {
    (void)state;
    bench *b = make("plain", 3, 17, 16, 4, 4, 2, 1), *light = make("plain", 3, 17, 16, 4, 4, 2, 0);
    sustain_real *statistics = numbers(sustain__net_statistics(&b->net), 0, 0), *f = numbers(b->features, 0, 0);
    const int64_t features = sustain__net_features(&b->net);
    forward(b);
    forward(light);
    assert_true(same(b->features, b->f, light->f));
    assert_true(sustain__backbone_bytes(light->backbone) < sustain__backbone_bytes(b->backbone));
    sustain__backbone_statistics(light->backbone, 1, statistics);
    sustain__backbone_features_with(light->backbone, b->x, statistics, b->pictures, b->count, f);
    assert_true(same(2 * features, f + 4 * features, b->f + 4 * features));
    assert_false(same(features, f, b->f)); /* the first group had others */
    sustain__backbone_features_with(light->backbone, b->x, statistics, b->pictures + 1, 1, light->f);
    assert_true(same(features, f + features, light->f));
    free(statistics);
    free(f);
    end(b);
    end(light);
}

/* Windows of a map of 3 x 5, the last row and column of which are not looked at: equal numbers, the
 * sign of the scale. */
static void test_pooling(void **state) {
    (void)state;
    const sustain__block_shape shape = {1, 1, 3, 5};
    const sustain__block_shape shapes[SUSTAIN__BLOCKS] = {shape, shape, shape, shape};
    const sustain_real z[15] = {1, 1, 0, 2, 9, 1, 1, 3, 2, 9, 9, 9, 9, 9, 9};
    const struct {
        sustain_real sign;
        uint8_t chosen[2];
        sustain_real picked[2];
    } cases[] = {{1, {0, 2}, {1, 3}}, {-1, {0, 0}, {1, 0}}, {0, {0, 0}, {1, 0}}};
    sustain_context *context;
    sustain__layers *layers;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain__layers_plain.create(context, shapes, &layers), SUSTAIN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t chosen[2];
        sustain_real picked[2];
        double sums[2] = {100, 0};
        sustain__layers_plain.pool(layers, 0, 1, z, &cases[i].sign, chosen, picked, sums);
        assert_memory_equal(chosen, cases[i].chosen, sizeof chosen);
        assert_true(same(2, picked, cases[i].picked));
        assert_true(sums[0] == 100 + 74 && sums[1] == 4 + 9 + 8 + 7 * 81);
    }
    /* Zero is not alive: neither its value nor its derivative passes. */
    const sustain_real picked[2] = {2, 3}, c[3] = {1, -2, 0}, d[2] = {5, 7}, spread_c[3] = {0, 0, 1};
    const uint8_t chosen[2] = {1, 2};
    sustain_real out[2], dz[15];
    double sums[2] = {0, 0};
    sustain__layers_plain.rectify(layers, 0, 1, picked, c, out);
    assert_true(out[0] == 0 && out[1] == 1);
    sustain__layers_plain.alive_sums(layers, 0, 1, out, d, picked, sums);
    assert_true(sums[0] == 7 && sums[1] == 21);
    sustain__layers_plain.spread(layers, 0, 1, z, chosen, out, d, spread_c, dz);
    for (int i = 0; i < 15; i++) assert_true(dz[i] == (i == 7 ? 7 : 0));
    sustain__layers_plain.destroy(layers);
    sustain_context_destroy(context);
}

static void test_views(void **state) {
    (void)state;
    sustain__net net = {3, 84, 84, 32, 1, 0, 0};
    int64_t offset = 0;
    for (int i = 0; i < SUSTAIN__NET_VIEWS; i++) {
        const sustain__view v = sustain__net_view(&net, i);
        assert_int_equal(v.offset, offset);
        assert_int_equal(v.count, v.shape[0] * v.shape[1] * v.shape[2] * v.shape[3]);
        offset += v.count;
    }
    assert_int_equal(offset, sustain__net_dim(&net));
    assert_int_equal(sustain__net_features(&net), 32 * 5 * 5);
    assert_string_equal(sustain__net_view(&net, 0).name, "block0.weight");
    assert_string_equal(sustain__net_view(&net, 11).name, "block3.shift");

    sustain_real *x = numbers(offset, 0, 0);
    for (int one = 0; one < 2; one++) {
        net.least_scale = one;
        sustain__net_start(&net, 100, x);
        for (int i = 0; i < SUSTAIN__NET_VIEWS; i++) {
            const sustain__view v = sustain__net_view(&net, i);
            const double square = sustain__dot(v.count, x + v.offset, x + v.offset) / (double)v.count;
            if (v.rank == 4) assert_true(fabs(square * (double)(9 * v.shape[1]) / 2 - 1) < 0.15);
            if (i % 3 == 1) assert_true(one ? square == 1 : fabs(square - 1.0 / 3) < 0.15);
            if (i % 3 == 2) assert_true(square == 0);
            for (int64_t j = 0; j < v.count && i % 3 == 1; j++) assert_true(x[v.offset + j] > 0 && x[v.offset + j] <= 1);
        }
    }
    free(x);
}

static void test_refusals(void **state) {
    (void)state;
    const struct {
        sustain__net net;
        const char *kind, *sentence;
    } cases[] = {
        {{0, 16, 16, 4, 1, 0, 1}, NULL, "a net of 0 channels and 4 filters: both must be from 1 to 4096"},
        {{3, 16, 15, 4, 1, 0, 1}, NULL, "pictures of 16 x 15: each side must be from 16 (it is halved four times) to 4096"},
        {{3, 16, 16, 4, NAN, 0, 1}, NULL, "scale and shift of the pixels must be finite"},
        {{3, 16, 16, 4, 1, 0, NAN}, NULL, "the least scale at the start is nan: it must be from 0 to 1"},
        {{3, 16, 16, 4, 1, 0, 1}, "quick", "this library was built without the layers 'quick'"},
    };
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sustain__backbone *b;
        assert_int_not_equal(sustain__backbone_create(context, &cases[i].net, cases[i].kind, 2, 1, &b), SUSTAIN_OK);
        assert_null(b);
        assert_string_equal(sustain_error(context), cases[i].sentence);
    }
    sustain_context_destroy(context);
}

/* Every allocation fails in turn, and no pass allocates. */
static void test_memory(void **state) {
    (void)state;
    bench *b = make("plain", 1, 16, 16, 2, 3, 0, 2);
    failing_allocator_state memory = {0, 0, 0};
    sustain_context *context;
    sustain__backbone *backbone = NULL;
    assert_int_equal(sustain_context_create_with(failing_allocator, &memory, &context), SUSTAIN_OK);
    int failures = 0;
    for (; backbone == NULL; failures++) {
        const int64_t live = memory.live;
        memory.fail_at = memory.calls + failures + 1;
        if (sustain__backbone_create(context, &b->net, "plain", b->count, 2, &backbone) != SUSTAIN_OK) assert_int_equal(memory.live, live);
    }
    assert_true(failures > 3);
    const int64_t calls = memory.calls;
    sustain__backbone *spare = b->backbone;
    b->backbone = backbone;
    gradient(b);
    hessian(b, b->v);
    b->backbone = spare;
    assert_int_equal(memory.calls, calls);
    sustain__backbone_destroy(backbone);
    sustain_context_destroy(context);
    assert_int_equal(memory.live, 0);
    end(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
#ifdef SUSTAIN_DOUBLE
        cmocka_unit_test(test_differences),
#endif
        cmocka_unit_test(test_adjoint_and_symmetric),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_pooling),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

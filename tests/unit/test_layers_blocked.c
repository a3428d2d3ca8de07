/* test_layers_blocked.c - the layers of Winograd's algorithm, and oneDNN's, against the plain ones:
 * each primitive on the same maps, then the whole backbone; the same bits whatever the number of
 * pictures and threads; failures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/random.h>

#include "core/parallel.h"
#include "core/vector.h"
#include "failing_allocator.h"
#include "nn/backbone.h"
#include "nn/layers.h"

enum { SKIPPED = 77 }; /* what cmake/tests.cmake takes for skipped */

#ifdef SUSTAIN__WINOGRAD

static const sustain__layers_kind *const plain = &sustain__layers_plain;
static const sustain__layers_kind *const kinds[] = {
    &sustain__layers_winograd,
#ifdef SUSTAIN__ONEDNN
    &sustain__layers_onednn,
#endif
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };
static const sustain__layers_kind *fast; /* the one under test */

/* Odd sizes on the way; filters that fill their blocks of eight, and that do not. */
static const sustain__net nets[] = {{3, 84, 84, 32, 1 / 255.0, -0.4, 1},
                                    {3, 32, 32, 64, 1 / 255.0, -0.4, 1},
                                    {1, 28, 30, 20, 1 / 255.0, -0.4, 1},
                                    {2, 23, 17, 3, 1 / 255.0, -0.4, 1}};
enum { NETS = sizeof nets / sizeof nets[0] };

/* ---- maps ---- */

static float *numbers(int64_t count, uint32_t stream) {
    float *out = malloc((size_t)count * sizeof *out);
    assert_non_null(out);
    for (int64_t i = 0; i < count; i++) out[i] = (float)sustain_random_uniform(100, stream, 0, (uint32_t)i) - 0.5F;
    return out;
}

typedef struct shape {
    int64_t n, channels, height, width;
} shape;

static int64_t size_of(const sustain__layers_kind *kind, shape s) {
    return s.n * kind->map_size(s.channels, s.height, s.width);
}

/* Where number i of a plain map is in blocks of eight channels. */
static int64_t blocked_at(shape s, int64_t i) {
    const int64_t places = s.height * s.width, place = i % places, channel = i / places % s.channels, picture = i / places / s.channels;
    return ((picture * ((s.channels + 7) / 8) + channel / 8) * places + place) * 8 + channel % 8;
}

static float *blocked(shape s, const float *map) {
    float *out = calloc((size_t)size_of(fast, s), sizeof *out);
    assert_non_null(out);
    for (int64_t i = 0; i < size_of(plain, s); i++) out[blocked_at(s, i)] = map[i];
    return out;
}

/* Equal to rounding, and zero where there is padding; of length 1 per picture and channel: a row of
 * coefficients. Frees both. */
static void check_map(const char *what, shape s, float *expected, float *found) {
    double difference = 0, size = 0, all = 0, real = 0;
    for (int64_t i = 0; i < size_of(plain, s); i++) {
        const double e = (double)expected[i], f = (double)found[blocked_at(s, i)];
        difference += (f - e) * (f - e);
        size += e * e;
        real += fabs(f);
    }
    for (int64_t i = 0; i < size_of(fast, s); i++) all += fabs((double)found[i]);
    if (!(sqrt(difference) <= 2e-6 * sqrt(size) && fabs(all - real) <= 1e-9 * all))
        fail_msg("%s: %s of %lld x %lld x %lld x %lld: %.2e apart, %g in the padding", fast->name, what, (long long)s.n,
                 (long long)s.channels, (long long)s.height, (long long)s.width, sqrt(difference / size), all - real);
    free(expected);
    free(found);
}

static void check_sums(const char *what, int64_t rows, int64_t channels, const double *expected, const double *found) {
    const int64_t stride = fast->map_size(channels, 1, 1);
    double difference = 0, size = 0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < stride; j++) {
            const double e = j < channels ? expected[r * channels + j] : 0, f = found[r * stride + j];
            difference += (f - e) * (f - e);
            size += e * e;
        }
    if (!(sqrt(difference) <= 1e-6 * sqrt(size))) fail_msg("sums of %s are %.2e apart", what, sqrt(difference / size));
}

/* ---- primitives ---- */

enum { PLAIN, FAST, BOTH };

/* Layers of both kinds for a block, and `n` pictures. */
typedef struct pair {
    const sustain__layers_kind *kind[BOTH];
    sustain__layers *layers[BOTH];
    int block;
    shape in, z, out;
} pair;

static void test_convolutions(const pair *p) {
    const int64_t weights = p->z.channels * p->in.channels * 9;
    const bool first = p->block == 0;
    float *in[BOTH], *z[BOTH], *start[BOTH], *din[BOTH], *dw[BOTH], *w = numbers(weights, 1);
    in[PLAIN] = numbers(size_of(plain, p->in), 2);
    in[FAST] = first ? numbers(size_of(plain, p->in), 2) : blocked(p->in, in[PLAIN]);
    start[PLAIN] = numbers(size_of(plain, p->z), 3);
    start[FAST] = blocked(p->z, start[PLAIN]);
    for (int add = 0; add < 2; add++)
        for (int k = 0; k < BOTH; k++) {
            const size_t z_size = (size_t)size_of(p->kind[k], p->z) * sizeof(float);
            z[k] = memcpy(malloc(z_size), start[k], z_size);
            p->kind[k]->conv(p->layers[k], p->block, p->z.n, in[k], w, add == 1, z[k]);
            if (k == FAST && add == 0)
                for (int64_t i = 0; i < p->z.n; i++) { /* a picture by itself: the same bits */
                    const int64_t one = size_of(fast, p->z) / p->z.n, from = i * size_of(first ? plain : fast, p->in) / p->in.n;
                    float *alone = numbers(one, 4);
                    p->kind[k]->conv(p->layers[k], p->block, 1, in[k] + from, w, false, alone);
                    assert_memory_equal(alone, z[k] + i * one, (size_t)one * sizeof *alone);
                    free(alone);
                }
            if (k == FAST) check_map(add ? "conv, added" : "conv", p->z, z[PLAIN], z[FAST]);
        }
    for (int k = 0; k < BOTH; k++) {
        dw[k] = numbers(weights, 5);
        p->kind[k]->conv_weights(p->layers[k], p->block, p->z.n, in[k], start[k], dw[k]);
        if (first) continue;
        din[k] = k == PLAIN ? numbers(size_of(plain, p->in), 6) : blocked(p->in, din[PLAIN]);
    }
    for (int add = 0; add < 2 && !first; add++) {
        float *copy[BOTH];
        for (int k = 0; k < BOTH; k++) {
            const size_t size = (size_t)size_of(p->kind[k], p->in) * sizeof(float);
            copy[k] = memcpy(malloc(size), din[k], size);
            p->kind[k]->conv_data(p->layers[k], p->block, p->z.n, start[k], w, add == 1, copy[k]);
        }
        check_map(add ? "conv_data, added" : "conv_data", p->in, copy[PLAIN], copy[FAST]);
    }
    double difference = 0;
    for (int64_t i = 0; i < weights; i++) difference += pow((double)(dw[FAST][i] - dw[PLAIN][i]), 2);
    if (!(sqrt(difference) <= 2e-6 * sustain__norm(weights, dw[PLAIN])))
        fail_msg("conv_weights: %.2e apart", sqrt(difference) / sustain__norm(weights, dw[PLAIN]));
    for (int k = 0; k < BOTH; k++) {
        free(in[k]);
        free(start[k]);
        free(dw[k]);
        if (!first) free(din[k]);
    }
    free(w);
}

/* Pooling, rectifying and their derivatives, each on what the plain layers made before. */
static void test_units(const pair *p) {
    enum { Z, ZT, D, DT, INPUTS };
    float *map[INPUTS][BOTH], *c[BOTH], *sign[BOTH], *picked[BOTH], *picked_t[BOTH], *out[BOTH], *outt[BOTH], *dz[BOTH], *rows[BOTH];
    uint8_t *chosen[BOTH];
    double *sums[BOTH];
    const shape row = {5, p->z.channels, 1, 1};
    for (int i = 0; i < INPUTS; i++) {
        const shape s = i == Z || i == ZT ? p->z : p->out;
        map[i][PLAIN] = numbers(size_of(plain, s), 10 + (uint32_t)i);
        map[i][FAST] = blocked(s, map[i][PLAIN]);
    }
    c[PLAIN] = numbers(size_of(plain, row), 20);
    c[FAST] = blocked(row, c[PLAIN]);
    sign[PLAIN] = numbers(p->z.channels, 21);
    for (int64_t i = 0; i < p->z.channels; i++) sign[PLAIN][i] = sign[PLAIN][i] < 0 ? -1 : 1;
    sign[FAST] = blocked((shape){1, p->z.channels, 1, 1}, sign[PLAIN]);
    for (int k = 0; k < BOTH; k++) {
        const sustain__layers_kind *kind = p->kind[k];
        sustain__layers *layers = p->layers[k];
        const size_t size = (size_t)size_of(kind, p->out), stride = (size_t)kind->map_size(p->z.channels, 1, 1);
        const int64_t n = p->z.n;
        chosen[k] = malloc(size);
        sums[k] = calloc(6 * stride, sizeof(double));
        float **const maps[] = {&picked[k], &picked_t[k], &out[k], &outt[k]};
        for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) *maps[i] = malloc(size * sizeof(float));
        kind->pool(layers, p->block, n, map[Z][k], sign[k], chosen[k], picked[k], sums[k]);
        kind->pick(layers, p->block, n, map[Z][k], map[ZT][k], chosen[k], picked_t[k], sums[k] + 2 * stride);
        kind->rectify(layers, p->block, n, picked[k], c[k], out[k]);
        kind->rectify_tangent(layers, p->block, n, out[k], picked[k], picked_t[k], c[k], outt[k]);
        kind->alive_sums(layers, p->block, n, out[k], map[D][k], picked[k], sums[k] + 4 * stride);
    }
    check_sums("pool, pick, alive_sums", 6, p->z.channels, sums[PLAIN], sums[FAST]);
    for (int tangent = 0; tangent < 2; tangent++) {
        for (int k = 0; k < BOTH; k++) {
            dz[k] = malloc((size_t)size_of(p->kind[k], p->z) * sizeof(float));
            if (tangent)
                p->kind[k]->spread_tangent(p->layers[k], p->block, p->z.n, map[Z][k], map[ZT][k], chosen[k], out[k], map[D][k], map[DT][k],
                                           c[k], dz[k]);
            else
                p->kind[k]->spread(p->layers[k], p->block, p->z.n, map[Z][k], chosen[k], out[k], map[D][k], c[k], dz[k]);
        }
        check_map(tangent ? "spread_tangent" : "spread", p->z, dz[PLAIN], dz[FAST]);
    }
    for (int k = 0; k < BOTH; k++) {
        rows[k] = malloc((size_t)size_of(plain, p->out) * sizeof(float));
        p->kind[k]->to_rows(p->layers[k], p->block, p->out.n, map[D][k], rows[k]);
    }
    assert_memory_equal(rows[PLAIN], rows[FAST], (size_t)size_of(plain, p->out) * sizeof(float));
    for (int k = 0; k < BOTH; k++) p->kind[k]->from_rows(p->layers[k], p->block, p->out.n, rows[k], map[DT][k]);
    for (int64_t i = 0; i < size_of(plain, p->out); i++) assert_int_equal(chosen[PLAIN][i], chosen[FAST][blocked_at(p->out, i)]);
    check_map("picked", p->out, picked[PLAIN], picked[FAST]);
    check_map("picked_t", p->out, picked_t[PLAIN], picked_t[FAST]);
    check_map("out", p->out, out[PLAIN], out[FAST]);
    check_map("outt", p->out, outt[PLAIN], outt[FAST]);
    check_map("from_rows", p->out, map[DT][PLAIN], map[DT][FAST]);
    for (int k = 0; k < BOTH; k++) {
        for (int i = Z; i < DT; i++) free(map[i][k]);
        free(c[k]);
        free(sign[k]);
        free(chosen[k]);
        free(sums[k]);
        free(rows[k]);
    }
}

static void test_primitives(void **state) {
    (void)state;
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    for (int i = 0; i < NETS; i++) {
        pair p = {.kind = {plain, fast}};
        sustain__block_shape blocks[SUSTAIN__BLOCKS] = {{nets[i].channels, nets[i].filters, nets[i].height, nets[i].width}};
        for (int l = 1; l < SUSTAIN__BLOCKS; l++)
            blocks[l] = (sustain__block_shape){nets[i].filters, nets[i].filters, blocks[l - 1].height / 2, blocks[l - 1].width / 2};
        for (int k = 0; k < BOTH; k++) assert_int_equal(p.kind[k]->create(context, blocks, &p.layers[k]), SUSTAIN_OK);
        for (p.block = 0; p.block < SUSTAIN__BLOCKS; p.block++) {
            const sustain__block_shape *s = &blocks[p.block];
            const int64_t chunk = fast->chunk(p.layers[FAST], p.block), n = chunk < 7 ? chunk : 7; /* 4 + 2 + 1 */
            p.in = (shape){n, s->in, s->height, s->width};
            p.z = (shape){n, s->out, s->height, s->width};
            p.out = (shape){n, s->out, s->height / 2, s->width / 2};
            test_convolutions(&p);
            test_units(&p);
        }
        for (int k = 0; k < BOTH; k++) p.kind[k]->destroy(p.layers[k]);
    }
    sustain_context_destroy(context);
}

/* ---- the backbone ---- */

/* All that a backbone computes, for the same pictures. */
typedef struct results {
    float *features, *gradient, *features_t, *gradient_t;
    int64_t dim, rows;
} results;

enum { PICTURES = 6 };

static sustain__backbone *backbone_of(sustain_context *context, const sustain__net *net, const char *kind) {
    sustain__backbone *b;
    assert_int_equal(sustain__backbone_create(context, net, kind, PICTURES, 2, &b), SUSTAIN_OK);
    assert_string_equal(sustain__backbone_kind(b), kind);
    return b;
}

static void compute(sustain__backbone *b, const sustain__net *net, results *r) {
    static const int64_t group[] = {0, 2, PICTURES};
    const int64_t size = net->channels * net->height * net->width;
    uint8_t *bytes = malloc((size_t)(PICTURES * size));
    const uint8_t *pictures[PICTURES];
    r->dim = sustain__net_dim(net);
    r->rows = PICTURES * sustain__net_features(net);
    float *x = numbers(r->dim, 30), *u = numbers(r->dim, 31), *d = numbers(r->rows, 32), *dt = numbers(r->rows, 33);
    for (int64_t i = 0; i < PICTURES * size; i++) bytes[i] = (uint8_t)(256 * sustain_random_uniform(100, 34, 0, (uint32_t)i));
    for (int64_t i = 0; i < PICTURES; i++) pictures[i] = bytes + i * size;
    r->features = numbers(r->rows, 0);
    r->gradient = numbers(r->dim, 0);
    r->features_t = numbers(r->rows, 0);
    r->gradient_t = numbers(r->dim, 0);
    sustain__backbone_forward(b, x, pictures, PICTURES, group, 2, r->features);
    sustain__backbone_gradient(b, x, d, false, r->gradient);
    sustain__backbone_tangent(b, x, u, r->features_t);
    sustain__backbone_gradient_tangent(b, x, u, d, dt, false, r->gradient_t);
    free(bytes);
    free(x);
    free(u);
    free(d);
    free(dt);
}

static void forget(results *r) {
    free(r->features);
    free(r->gradient);
    free(r->features_t);
    free(r->gradient_t);
}

static bool same(const results *a, const results *b) {
    const size_t rows = (size_t)a->rows * sizeof(float), dim = (size_t)a->dim * sizeof(float);
    return memcmp(a->features, b->features, rows) == 0 && memcmp(a->gradient, b->gradient, dim) == 0 &&
           memcmp(a->features_t, b->features_t, rows) == 0 && memcmp(a->gradient_t, b->gradient_t, dim) == 0;
}

/* Rounding may let a maximum change hands: hence the bound for derivatives. */
static void check_close(const char *what, double bound, int64_t n, const float *expected, const float *found) {
    double difference = 0;
    for (int64_t i = 0; i < n; i++) difference += pow((double)(found[i] - expected[i]), 2);
    const double error = sqrt(difference) / sustain__norm(n, expected);
    if (!(error <= bound)) fail_msg("%s: %.2e apart", what, error);
}

static void test_backbone(void **state) {
    (void)state;
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    for (int i = 0; i < NETS; i++) {
        results expected, found, again;
        sustain__backbone *truth = backbone_of(context, &nets[i], "plain"), *b = backbone_of(context, &nets[i], fast->name);
        compute(truth, &nets[i], &expected);
        compute(b, &nets[i], &found);
        compute(b, &nets[i], &again);
        check_close("features", 2e-5, found.rows, expected.features, found.features);
        check_close("gradient", 1e-3, found.dim, expected.gradient, found.gradient);
        check_close("features_t", 1e-3, found.rows, expected.features_t, found.features_t);
        check_close("gradient_t", 1e-3, found.dim, expected.gradient_t, found.gradient_t);
        assert_true(same(&found, &again));
        forget(&expected);
        forget(&found);
        forget(&again);
        sustain__backbone_destroy(truth);
        sustain__backbone_destroy(b);
    }
    sustain_context_destroy(context);
}

enum { WORKERS = 4 };

typedef struct team {
    const sustain__net *net;
    sustain__backbone *backbone[WORKERS];
    results results[WORKERS];
} team;

static void work(void *user, int64_t number) {
    team *t = user;
    compute(t->backbone[number], t->net, &t->results[number]);
}

/* Workers made by one thread and run by others. */
static void test_threads(void **state) {
    (void)state;
    team t = {.net = &nets[2]};
    results expected;
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain__backbone *alone = backbone_of(context, t.net, fast->name);
    compute(alone, t.net, &expected);
    sustain__backbone_destroy(alone);
    sustain_context_set_threads(context, 3);
    for (int i = 0; i < WORKERS; i++) t.backbone[i] = backbone_of(context, t.net, fast->name);
    sustain_parallel_for(context, WORKERS, work, &t);
    for (int i = 0; i < WORKERS; i++) {
        assert_true(same(&expected, &t.results[i]));
        forget(&t.results[i]);
        sustain__backbone_destroy(t.backbone[i]);
    }
    forget(&expected);
    sustain_context_destroy(context);
}

/* ---- failures ---- */

static void test_memory(void **state) {
    (void)state;
    failing_allocator_state memory = {0, 0, 0};
    sustain_context *context;
    sustain__backbone *b = NULL;
    assert_int_equal(sustain_context_create_with(failing_allocator, &memory, &context), SUSTAIN_OK);
    int failures = 0;
    for (; b == NULL; failures++) {
        const int64_t live = memory.live;
        memory.fail_at = memory.calls + failures + 1;
        if (sustain__backbone_create(context, &nets[3], fast->name, 2, 2, &b) != SUSTAIN_OK) assert_int_equal(memory.live, live);
    }
    assert_true(failures > 3);
    sustain__backbone_destroy(b);
    sustain_context_destroy(context);
    assert_int_equal(memory.live, 0);
}

/* The fastest is Winograd's, for any number of channels; oneDNN's layers refuse more than three. */
static void test_channels(void **state) {
    (void)state;
    const sustain__net net = {4, 16, 16, 4, 1, 0, 1};
    sustain_context *context;
    sustain__backbone *b;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
#ifdef SUSTAIN__ONEDNN
    assert_int_equal(sustain__backbone_create(context, &net, "onednn", 2, 1, &b), SUSTAIN_ARGUMENT);
    assert_string_equal(sustain_error(context), "the oneDNN layers need a processor with AVX2 and FMA, and pictures of 1 to 3 channels");
#endif
    assert_int_equal(sustain__backbone_create(context, &net, NULL, 2, 1, &b), SUSTAIN_OK);
    assert_string_equal(sustain__backbone_kind(b), "winograd");
    sustain__backbone_destroy(b);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_primitives),
        cmocka_unit_test(test_backbone),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_memory),
    };
    const struct CMUnitTest choice[] = {cmocka_unit_test(test_channels)};
    int failed = 0;
    if (!kinds[0]->usable(3)) {
        print_message("skipped: this processor has neither AVX2 nor NEON\n");
        return SKIPPED;
    }
    for (int k = 0; k < KINDS; k++) {
        fast = kinds[k];
        failed += cmocka_run_group_tests_name(fast->name, tests, NULL, NULL);
    }
    return failed + cmocka_run_group_tests(choice, NULL, NULL);
}
#else
int main(void) {
    print_message("skipped: these layers are for float, on x86-64 and 64-bit ARM\n");
    return SKIPPED;
}
#endif

/* layers_onednn.c - layers with oneDNN's convolutions; blocked.h has the rest.
 *
 * oneDNN computes conv() and conv_data(). The gradients with respect to the weights are our own
 * code: oneDNN 2.6 is slow there, most of all for pictures of one channel. Each worker runs its
 * primitives on its own thread, so results do not depend on the number of threads. There are
 * primitives for 1, 2, 4, ... pictures up to a chunk; other numbers are combined from these. */
#include "nn/layers.h"

#include <dnnl.h>
#include <omp.h>
#include <string.h>

#include "nn/blocked.h"
#include "nn/direct.h"

enum { LANES = SUSTAIN__LANES, TAPS = SUSTAIN__TAPS, SIZES = 7 };

/* Convolutions of 2^i pictures. */
typedef struct sized {
    dnnl_memory_t in, z;
    dnnl_primitive_t conv[SUSTAIN__WAYS];
} sized;

typedef struct block_primitives {
    int sizes;
    sized sized[SIZES];
    dnnl_memory_t weights[SUSTAIN__WAYS];
} block_primitives;

struct sustain__layers {
    sustain__blocked_layers blocked;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    block_primitives primitives[SUSTAIN__BLOCKS];
    float *map;         /* results of a chunk before they are added; in the scratch memory, as
                         * are */
    float *padded, *dw; /* of conv_weights() */
};

/* ---- weights ---- */

/* oneDNN's position of (o, i, tap): OIhw8i8o forward, OIhw8o8i backward, Ohwi8o for pictures. */
static int64_t packed_at(const sustain__blocked *k, sustain__way way, int64_t o, int64_t i, int64_t tap) {
    if (k->lanes == 1) return ((o / LANES * TAPS + tap) * k->in + i) * LANES + o % LANES;
    const int64_t tile = (o / LANES * (k->in / LANES) + i / LANES) * TAPS + tap;
    return (tile * LANES + (way == SUSTAIN__FORWARD ? i : o) % LANES) * LANES + (way == SUSTAIN__FORWARD ? o : i) % LANES;
}

static const float *packed(sustain__layers *layers, int block, sustain__way way, const float *w) {
    const sustain__blocked *k = &layers->blocked.block[block];
    bool fresh;
    float *out = sustain__recent_weights(&layers->blocked, block, way, w, &fresh);
    if (fresh)
        for (int64_t o = 0; o < k->shape.out; o++)
            for (int64_t i = 0; i < k->shape.in; i++)
                for (int64_t tap = 0; tap < TAPS; tap++) out[packed_at(k, way, o, i, tap)] = *w++;
    return out;
}

/* ---- convolutions ---- */

/* Sets the number of OpenMP threads that oneDNN uses for calls from this thread; returns the
 * previous one. */
static int use_one_thread(void) {
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    return before;
}

static void point(dnnl_memory_t memory, const float *data) {
    /* oneDNN writes only to results */
    dnnl_memory_set_data_handle(memory, (void *)(uintptr_t)data);
}

/* `from` and `to` are the input and z, or z and the input. */
static void run(sustain__layers *layers, int block, sustain__way way, int64_t n, const float *from, const float *w, float *to) {
    const sustain__blocked *k = &layers->blocked.block[block];
    const block_primitives *p = &layers->primitives[block];
    const int64_t from_size = way == SUSTAIN__FORWARD ? k->in_size : k->z_size, to_size = way == SUSTAIN__FORWARD ? k->z_size : k->in_size;
    const int threads = use_one_thread();
    point(p->weights[way], packed(layers, block, way, w));
    for (int i = p->sizes - 1; i >= 0; i--)
        for (const int64_t size = INT64_C(1) << i; n >= size; n -= size, from += size * from_size, to += size * to_size) {
            const sized *s = &p->sized[i];
            const dnnl_exec_arg_t forward[] = {
                {DNNL_ARG_SRC, s->in}, {DNNL_ARG_WEIGHTS, p->weights[SUSTAIN__FORWARD]}, {DNNL_ARG_DST, s->z}};
            const dnnl_exec_arg_t backward[] = {
                {DNNL_ARG_DIFF_DST, s->z}, {DNNL_ARG_WEIGHTS, p->weights[SUSTAIN__BACKWARD]}, {DNNL_ARG_DIFF_SRC, s->in}};
            point(way == SUSTAIN__FORWARD ? s->in : s->z, from);
            point(way == SUSTAIN__FORWARD ? s->z : s->in, to);
            dnnl_primitive_execute(s->conv[way], layers->stream, 3, way == SUSTAIN__FORWARD ? forward : backward);
        }
    omp_set_num_threads(threads);
}

static void run_and_add(sustain__layers *layers, int block, sustain__way way, int64_t n, const float *from, const float *w, bool add,
                        float *to) {
    const sustain__blocked *k = &layers->blocked.block[block];
    run(layers, block, way, n, from, w, add ? layers->map : to);
    if (!add) return;
    const int64_t size = n * (way == SUSTAIN__FORWARD ? k->z_size : k->in_size);
    for (int64_t i = 0; i < size; i++) to[i] += layers->map[i];
}

static void conv(sustain__layers *layers, int block, int64_t n, const float *in, const float *w, bool add, float *z) {
    run_and_add(layers, block, SUSTAIN__FORWARD, n, in, w, add, z);
}

static void conv_data(sustain__layers *layers, int block, int64_t n, const float *dz, const float *w, bool add, float *din) {
    run_and_add(layers, block, SUSTAIN__BACKWARD, n, dz, w, add, din);
}

static sustain__direct direct_of(const sustain__blocked *k) {
    return (sustain__direct){k->in, k->out, k->shape.height, k->shape.width, k->lanes};
}

static void conv_weights(sustain__layers *layers, int block, int64_t n, const float *in, const float *dz, float *dw) {
    const sustain__blocked *k = &layers->blocked.block[block];
    const sustain__direct s = direct_of(k);
    memset(layers->dw, 0, (size_t)(k->in * k->out * TAPS) * sizeof *layers->dw);
    sustain__direct_weights(&s, n, in, dz, layers->padded, layers->dw);
    sustain__direct_add_unpacked(&s, k->shape.out, k->shape.in, layers->dw, dw);
}

/* ---- creation ---- */

static bool usable(int64_t channels) {
    /* above 3, oneDNN has no fast convolution from planes to blocks */
    return sustain__blocked_usable() && channels <= 3;
}

/* Accepts only implementations without scratch memory: oneDNN binds scratch memory to the thread
 * that made the primitive, but any thread may run ours. */
static bool make_primitive(sustain__layers *layers, const dnnl_convolution_desc_t *what, dnnl_primitive_desc_t hint,
                           dnnl_primitive_desc_t *description, dnnl_primitive_t *out) {
    const char *name = "";
    int64_t scratch = 0;
    if (dnnl_primitive_desc_create(description, what, NULL, layers->engine, hint) != dnnl_success) return false;
    dnnl_primitive_desc_query(*description, dnnl_query_impl_info_str, 0, &name);
    dnnl_primitive_desc_query(*description, dnnl_query_memory_consumption_s64, 0, &scratch);
    return strncmp(name, "jit", 3) == 0 && scratch == 0 && dnnl_primitive_create(out, *description) == dnnl_success;
}

/* The layouts of a convolution of n pictures. */
typedef struct layouts {
    dnnl_memory_desc_t in, z, weights[SUSTAIN__WAYS];
} layouts;

static void describe(const sustain__blocked *k, int64_t n, layouts *out) {
    const dnnl_dims_t in = {n, k->in, k->shape.height, k->shape.width}, z = {n, k->out, k->shape.height, k->shape.width};
    const dnnl_dims_t weights = {k->out, k->in, 3, 3};
    const bool pictures = k->lanes == 1;
    dnnl_memory_desc_init_by_tag(&out->in, 4, in, dnnl_f32, pictures ? dnnl_nchw : dnnl_nChw8c);
    dnnl_memory_desc_init_by_tag(&out->z, 4, z, dnnl_f32, dnnl_nChw8c);
    dnnl_memory_desc_init_by_tag(&out->weights[SUSTAIN__FORWARD], 4, weights, dnnl_f32, pictures ? dnnl_Ohwi8o : dnnl_OIhw8i8o);
    dnnl_memory_desc_init_by_tag(&out->weights[SUSTAIN__BACKWARD], 4, weights, dnnl_f32, dnnl_OIhw8o8i);
}

static bool make_sized(sustain__layers *layers, int block, int i) {
    static const dnnl_dims_t one = {1, 1};
    const sustain__blocked *k = &layers->blocked.block[block];
    sized *s = &layers->primitives[block].sized[i];
    layouts of;
    dnnl_convolution_desc_t forward, backward;
    dnnl_primitive_desc_t description[SUSTAIN__WAYS] = {NULL, NULL};
    describe(k, INT64_C(1) << i, &of);
    bool good = dnnl_memory_create(&s->in, &of.in, layers->engine, DNNL_MEMORY_NONE) == dnnl_success &&
                dnnl_memory_create(&s->z, &of.z, layers->engine, DNNL_MEMORY_NONE) == dnnl_success &&
                dnnl_convolution_forward_desc_init(&forward, dnnl_forward_training, dnnl_convolution_direct, &of.in,
                                                   &of.weights[SUSTAIN__FORWARD], NULL, &of.z, one, one, one) == dnnl_success &&
                make_primitive(layers, &forward, NULL, &description[SUSTAIN__FORWARD], &s->conv[SUSTAIN__FORWARD]);
    if (good && k->lanes > 1) /* pictures need no gradient */
        good =
            dnnl_convolution_backward_data_desc_init(&backward, dnnl_convolution_direct, &of.in, &of.weights[SUSTAIN__BACKWARD], &of.z, one,
                                                     one, one) == dnnl_success &&
            make_primitive(layers, &backward, description[SUSTAIN__FORWARD], &description[SUSTAIN__BACKWARD], &s->conv[SUSTAIN__BACKWARD]);
    for (int way = 0; way < SUSTAIN__WAYS; way++)
        if (description[way] != NULL) dnnl_primitive_desc_destroy(description[way]);
    return good;
}

static bool make_block(sustain__layers *layers, int block) {
    const sustain__blocked *k = &layers->blocked.block[block];
    block_primitives *p = &layers->primitives[block];
    layouts of;
    describe(k, 1, &of);
    for (int way = 0; way < SUSTAIN__WAYS; way++)
        if (dnnl_memory_create(&p->weights[way], &of.weights[way], layers->engine, DNNL_MEMORY_NONE) != dnnl_success) return false;
    while (p->sizes < SIZES && INT64_C(1) << p->sizes <= k->chunk)
        if (!make_sized(layers, block, p->sizes++)) return false;
    return true;
}

static bool make_all(sustain__layers *layers) {
    const int threads = use_one_thread();
    bool good = dnnl_engine_create(&layers->engine, dnnl_cpu, 0) == dnnl_success &&
                dnnl_stream_create(&layers->stream, layers->engine, dnnl_stream_default_flags) == dnnl_success;
    for (int l = 0; l < SUSTAIN__BLOCKS; l++) good = good && make_block(layers, l);
    omp_set_num_threads(threads);
    return good;
}

static void destroy_block(block_primitives *p) {
    for (int way = 0; way < SUSTAIN__WAYS; way++) dnnl_memory_destroy(p->weights[way]);
    for (int i = 0; i < p->sizes; i++) {
        for (int way = 0; way < SUSTAIN__WAYS; way++) dnnl_primitive_destroy(p->sized[i].conv[way]);
        dnnl_memory_destroy(p->sized[i].in);
        dnnl_memory_destroy(p->sized[i].z);
    }
}

static void destroy(sustain__layers *layers) {
    if (layers == NULL) return;
    for (int l = 0; l < SUSTAIN__BLOCKS; l++) destroy_block(&layers->primitives[l]);
    if (layers->stream != NULL) dnnl_stream_destroy(layers->stream);
    if (layers->engine != NULL) dnnl_engine_destroy(layers->engine);
    sustain__free(layers->blocked.context, layers->blocked.memory);
    sustain__free(layers->blocked.context, layers);
}

static sustain_status make(sustain__layers *layers) {
    int64_t map = 0, padded = 0, dw = 0;
    for (int l = 0; l < SUSTAIN__BLOCKS; l++) {
        const sustain__blocked *k = &layers->blocked.block[l];
        const sustain__direct s = direct_of(k);
        map = sustain__larger(map, k->chunk * sustain__larger(k->in_size, k->z_size));
        padded = sustain__larger(padded, sustain__direct_padded(&s));
        dw = sustain__larger(dw, k->in * k->out * TAPS);
    }
    SUSTAIN_TRY(sustain__blocked_allocate(&layers->blocked, TAPS, map + padded + dw));
    layers->map = layers->blocked.scratch;
    layers->dw = layers->map + map;
    layers->padded = layers->dw + dw;
    if (make_all(layers)) return SUSTAIN_OK;
    return sustain__fail(layers->blocked.context, SUSTAIN_ARGUMENT,
                         "oneDNN has no fast convolution for pictures of %lld x %lld: use other layers",
                         (long long)layers->blocked.block[0].shape.height, (long long)layers->blocked.block[0].shape.width);
}

static sustain_status create(sustain_context *context, const sustain__block_shape blocks[SUSTAIN__BLOCKS], sustain__layers **out) {
    *out = NULL;
    if (!usable(blocks[0].in))
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "the oneDNN layers need a processor with AVX2 and FMA, and pictures of 1 to 3 channels");
    return sustain__blocked_create(context, blocks, sizeof **out, make, destroy, out);
}

const sustain__layers_kind sustain__layers_onednn = {
    .name = "onednn",
    .usable = usable,
    .create = create,
    .destroy = destroy,
    .conv = conv,
    .conv_weights = conv_weights,
    .conv_data = conv_data,
    SUSTAIN__BLOCKED_LAYERS,
};

/* layers_onednn.c - the layers with oneDNN's convolutions, on maps in blocks of eight channels (blocked.h).
 *
 * oneDNN makes conv() and conv_data(); the rest is ours. A worker runs its primitives by itself: whoever has several threads gives each a worker,
 * and the bits depend on nothing else. There is a primitive for 1, 2, 4, ... pictures, up to a chunk, and other numbers are made of these. */
#ifdef SUSTAIN__ONEDNN
#include "nn/layers.h"

#include <dnnl.h>
#include <omp.h>
#include <string.h>

#include "nn/blocked.h"

enum { LANES = SUSTAIN__LANES, TAPS = SUSTAIN__TAPS, CACHE_BYTES = 1 << 18, MOST_CHUNK = 64, SIZES = 7, RECENT = 2 };

typedef enum direction { FORWARD, BACKWARD, DIRECTIONS } direction;

/* Convolutions of 2^i pictures. */
typedef struct sized {
    dnnl_memory_t in, z;
    dnnl_primitive_t conv[DIRECTIONS];
} sized;

/* The last weights met, as the caller has them and as oneDNN wants them: chunks of one pass share theirs, and tangents use two in turn. */
typedef struct recent_weights {
    float *plain[RECENT], *packed[RECENT];
    bool filled[RECENT];
    int oldest;
} recent_weights;

typedef struct block_layers {
    sustain__block_shape shape;
    sustain__blocked blocked;
    int64_t lanes, padded_in; /* of the input: blocks of 8 channels, but pictures as they are */
    int64_t in_size, z_size;
    int64_t chunk;
    int sizes;
    sized sized[SIZES];
    dnnl_memory_t weights[DIRECTIONS];
    recent_weights recent[DIRECTIONS];
} block_layers;

struct sustain__layers {
    sustain_context *context;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    block_layers block[SUSTAIN__BLOCKS];
    int64_t bytes;
    float *memory;
    float *map;    /* a chunk's: what is to be added */
    float *padded; /* of sustain__blocked_weights() */
    float *dw;     /* (blocks, in, 3, 3, 8) */
};

static int64_t rounded(int64_t channels) {
    return (channels + LANES - 1) / LANES * LANES;
}

/* ---- weights ---- */

/* Where oneDNN wants (o, i, tap): OIhw8i8o forward, OIhw8o8i backward, and Ohwi8o for pictures. */
static int64_t packed_at(const block_layers *k, direction way, int64_t o, int64_t i, int64_t tap) {
    if (k->lanes == 1) return ((o / LANES * TAPS + tap) * k->shape.in + i) * LANES + o % LANES;
    const int64_t tile = (o / LANES * (k->padded_in / LANES) + i / LANES) * TAPS + tap;
    return (tile * LANES + (way == FORWARD ? i : o) % LANES) * LANES + (way == FORWARD ? o : i) % LANES;
}

static const float *packed(block_layers *k, direction way, const float *w) {
    const int64_t count = k->shape.out * k->shape.in * TAPS;
    const size_t size = (size_t)count * sizeof *w;
    recent_weights *r = &k->recent[way];
    for (int i = 0; i < RECENT; i++)
        if (r->filled[i] && memcmp(r->plain[i], w, size) == 0) return r->packed[i];
    const int slot = r->oldest;
    r->oldest = (slot + 1) % RECENT;
    r->filled[slot] = true;
    memcpy(r->plain[slot], w, size);
    for (int64_t o = 0; o < k->shape.out; o++)
        for (int64_t i = 0; i < k->shape.in; i++)
            for (int64_t tap = 0; tap < TAPS; tap++) r->packed[slot][packed_at(k, way, o, i, tap)] = *w++;
    return r->packed[slot];
}

/* ---- convolutions ---- */

/* oneDNN shares work out with OpenMP, by a number that each calling thread has for itself. Returns it as it was. */
static int use_one_thread(void) {
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    return before;
}

/* oneDNN reads from memory objects what it does not write, too. */
static void point(dnnl_memory_t memory, const float *data) {
    dnnl_memory_set_data_handle(memory, (void *)(uintptr_t)data);
}

/* `from` and `to` are the input and z, or z and the input. */
static void run(sustain__layers *layers, block_layers *k, direction way, int64_t n, const float *from, const float *w, float *to) {
    const int64_t from_size = way == FORWARD ? k->in_size : k->z_size, to_size = way == FORWARD ? k->z_size : k->in_size;
    const int threads = use_one_thread();
    point(k->weights[way], packed(k, way, w));
    for (int i = k->sizes - 1; i >= 0; i--)
        for (const int64_t size = INT64_C(1) << i; n >= size; n -= size, from += size * from_size, to += size * to_size) {
            const sized *s = &k->sized[i];
            const dnnl_exec_arg_t forward[] = {{DNNL_ARG_SRC, s->in}, {DNNL_ARG_WEIGHTS, k->weights[FORWARD]}, {DNNL_ARG_DST, s->z}};
            const dnnl_exec_arg_t backward[] = {
                {DNNL_ARG_DIFF_DST, s->z}, {DNNL_ARG_WEIGHTS, k->weights[BACKWARD]}, {DNNL_ARG_DIFF_SRC, s->in}};
            point(way == FORWARD ? s->in : s->z, from);
            point(way == FORWARD ? s->z : s->in, to);
            dnnl_primitive_execute(s->conv[way], layers->stream, 3, way == FORWARD ? forward : backward);
        }
    omp_set_num_threads(threads);
}

static void run_and_add(sustain__layers *layers, block_layers *k, direction way, int64_t n, const float *from, const float *w, bool add,
                        float *to) {
    run(layers, k, way, n, from, w, add ? layers->map : to);
    if (!add) return;
    const int64_t size = n * (way == FORWARD ? k->z_size : k->in_size);
    for (int64_t i = 0; i < size; i++) to[i] += layers->map[i];
}

static void conv(sustain__layers *layers, int block, int64_t n, const float *in, const float *w, bool add, float *z) {
    run_and_add(layers, &layers->block[block], FORWARD, n, in, w, add, z);
}

static void conv_data(sustain__layers *layers, int block, int64_t n, const float *dz, const float *w, bool add, float *din) {
    run_and_add(layers, &layers->block[block], BACKWARD, n, dz, w, add, din);
}

static void conv_weights(sustain__layers *layers, int block, int64_t n, const float *in, const float *dz, float *dw) {
    const block_layers *k = &layers->block[block];
    memset(layers->dw, 0, (size_t)(k->blocked.blocks * k->padded_in * TAPS * LANES) * sizeof *layers->dw);
    sustain__blocked_weights(&k->blocked, n, k->padded_in, k->lanes, in, dz, layers->padded, layers->dw);
    for (int64_t o = 0; o < k->shape.out; o++) {
        const float *from = layers->dw + o / LANES * k->padded_in * TAPS * LANES + o % LANES;
        for (int64_t j = 0; j < k->shape.in * TAPS; j++) *dw++ += from[j * LANES];
    }
}

/* ---- layout ---- */

const sustain__blocked *sustain__blocked_of(const sustain__layers *layers, int block) {
    return &layers->block[block].blocked;
}

static int64_t map_size(int64_t channels, int64_t height, int64_t width) {
    return rounded(channels) * height * width;
}

static int64_t chunk(const sustain__layers *layers, int block) {
    return layers->block[block].chunk;
}

static int64_t bytes(const sustain__layers *layers) {
    return layers->bytes;
}

/* ---- life ---- */

static bool usable(int64_t channels) {
    return sustain__blocked_usable() && channels <= 3; /* beyond, oneDNN has no fast convolution from planes to blocks */
}

static void set_shape(block_layers *k, const sustain__block_shape *shape, bool first) {
    k->shape = *shape;
    k->blocked = (sustain__blocked){rounded(shape->out) / LANES, shape->out, shape->height, shape->width};
    k->lanes = first ? 1 : LANES;
    k->padded_in = first ? shape->in : rounded(shape->in);
    k->in_size = k->padded_in * shape->height * shape->width;
    k->z_size = map_size(shape->out, shape->height, shape->width);
    k->chunk = 1;
    k->sizes = 1;
    while (k->chunk < MOST_CHUNK && 2 * k->chunk * k->z_size * (int64_t)sizeof(float) <= CACHE_BYTES) {
        k->chunk *= 2;
        k->sizes++;
    }
}

static int64_t packed_size(const block_layers *k) {
    return k->blocked.blocks * LANES * k->padded_in * TAPS;
}

static int64_t largest(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Cuts `count` numbers off the memory, on the boundary of a cache line; counts where there is no memory yet. */
static float *cut(const sustain__layers *layers, int64_t *used, int64_t count) {
    float *piece = layers->memory != NULL ? layers->memory + *used : NULL;
    *used += (count + 15) / 16 * 16;
    return piece;
}

static int64_t cut_all(sustain__layers *layers) {
    int64_t used = 0, map = 0, padded = 0, dw = 0;
    for (int l = 0; l < SUSTAIN__BLOCKS; l++) {
        block_layers *k = &layers->block[l];
        for (int way = 0; way < (l == 0 ? 1 : DIRECTIONS); way++)
            for (int i = 0; i < RECENT; i++) {
                k->recent[way].plain[i] = cut(layers, &used, k->shape.out * k->shape.in * TAPS);
                k->recent[way].packed[i] = cut(layers, &used, packed_size(k));
            }
        map = largest(map, k->chunk * largest(k->in_size, k->z_size));
        padded = largest(padded, sustain__blocked_padded(&k->blocked, k->padded_in));
        dw = largest(dw, packed_size(k));
    }
    layers->map = cut(layers, &used, map);
    layers->padded = cut(layers, &used, padded);
    layers->dw = cut(layers, &used, dw);
    return used;
}

/* Only what runs without scratch memory: oneDNN keeps that for the thread that made a primitive, and any thread may run ours. */
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
    dnnl_memory_desc_t in, z, weights[DIRECTIONS];
} layouts;

static void describe(const block_layers *k, int64_t n, layouts *out) {
    const int64_t filters = k->blocked.blocks * LANES;
    const dnnl_dims_t in = {n, k->padded_in, k->shape.height, k->shape.width}, z = {n, filters, k->shape.height, k->shape.width};
    const dnnl_dims_t weights = {filters, k->padded_in, 3, 3};
    const bool pictures = k->lanes == 1;
    dnnl_memory_desc_init_by_tag(&out->in, 4, in, dnnl_f32, pictures ? dnnl_nchw : dnnl_nChw8c);
    dnnl_memory_desc_init_by_tag(&out->z, 4, z, dnnl_f32, dnnl_nChw8c);
    dnnl_memory_desc_init_by_tag(&out->weights[FORWARD], 4, weights, dnnl_f32, pictures ? dnnl_Ohwi8o : dnnl_OIhw8i8o);
    dnnl_memory_desc_init_by_tag(&out->weights[BACKWARD], 4, weights, dnnl_f32, dnnl_OIhw8o8i);
}

static bool make_sized(sustain__layers *layers, block_layers *k, int i) {
    static const dnnl_dims_t one = {1, 1};
    sized *s = &k->sized[i];
    layouts of;
    dnnl_convolution_desc_t forward, backward;
    dnnl_primitive_desc_t description[DIRECTIONS] = {NULL, NULL};
    describe(k, INT64_C(1) << i, &of);
    bool good = dnnl_memory_create(&s->in, &of.in, layers->engine, DNNL_MEMORY_NONE) == dnnl_success &&
                dnnl_memory_create(&s->z, &of.z, layers->engine, DNNL_MEMORY_NONE) == dnnl_success &&
                dnnl_convolution_forward_desc_init(&forward, dnnl_forward_training, dnnl_convolution_direct, &of.in, &of.weights[FORWARD],
                                                   NULL, &of.z, one, one, one) == dnnl_success &&
                make_primitive(layers, &forward, NULL, &description[FORWARD], &s->conv[FORWARD]);
    if (good && k->lanes > 1) /* pictures want no gradient */
        good = dnnl_convolution_backward_data_desc_init(&backward, dnnl_convolution_direct, &of.in, &of.weights[BACKWARD], &of.z, one, one,
                                                        one) == dnnl_success &&
               make_primitive(layers, &backward, description[FORWARD], &description[BACKWARD], &s->conv[BACKWARD]);
    for (int way = 0; way < DIRECTIONS; way++)
        if (description[way] != NULL) dnnl_primitive_desc_destroy(description[way]);
    return good;
}

static bool make_block(sustain__layers *layers, block_layers *k) {
    layouts of;
    describe(k, 1, &of);
    for (int way = 0; way < DIRECTIONS; way++)
        if (dnnl_memory_create(&k->weights[way], &of.weights[way], layers->engine, DNNL_MEMORY_NONE) != dnnl_success) return false;
    for (int i = 0; i < k->sizes; i++)
        if (!make_sized(layers, k, i)) return false;
    return true;
}

static bool make_all(sustain__layers *layers) {
    const int threads = use_one_thread();
    bool good = dnnl_engine_create(&layers->engine, dnnl_cpu, 0) == dnnl_success &&
                dnnl_stream_create(&layers->stream, layers->engine, dnnl_stream_default_flags) == dnnl_success;
    for (int l = 0; l < SUSTAIN__BLOCKS; l++) good = good && make_block(layers, &layers->block[l]);
    omp_set_num_threads(threads);
    return good;
}

static void destroy_block(block_layers *k) {
    for (int way = 0; way < DIRECTIONS; way++) dnnl_memory_destroy(k->weights[way]);
    for (int i = 0; i < k->sizes; i++) {
        for (int way = 0; way < DIRECTIONS; way++) dnnl_primitive_destroy(k->sized[i].conv[way]);
        dnnl_memory_destroy(k->sized[i].in);
        dnnl_memory_destroy(k->sized[i].z);
    }
}

static void destroy(sustain__layers *layers) {
    if (layers == NULL) return;
    for (int l = 0; l < SUSTAIN__BLOCKS; l++) destroy_block(&layers->block[l]);
    if (layers->stream != NULL) dnnl_stream_destroy(layers->stream);
    if (layers->engine != NULL) dnnl_engine_destroy(layers->engine);
    sustain__free(layers->context, layers->memory);
    sustain__free(layers->context, layers);
}

static sustain_status make(sustain__layers *layers) {
    const size_t size = (size_t)cut_all(layers) * sizeof(float);
    layers->bytes = (int64_t)(sizeof *layers + size);
    SUSTAIN_TRY(sustain__allocate(layers->context, size, &layers->memory));
    cut_all(layers);
    if (make_all(layers)) return SUSTAIN_OK;
    return sustain__fail(layers->context, SUSTAIN_ARGUMENT, "oneDNN has no fast convolution for maps of %lld x %lld; use plain layers",
                         (long long)layers->block[0].shape.height, (long long)layers->block[0].shape.width);
}

static sustain_status create(sustain_context *context, const sustain__block_shape blocks[SUSTAIN__BLOCKS], sustain__layers **out) {
    sustain__layers *layers;
    *out = NULL;
    if (!usable(blocks[0].in))
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "oneDNN's layers want a processor with AVX2 and FMA, and pictures of 1 to 3 channels");
    SUSTAIN_TRY(sustain__allocate(context, sizeof *layers, &layers));
    layers->context = context;
    for (int l = 0; l < SUSTAIN__BLOCKS; l++) set_shape(&layers->block[l], &blocks[l], l == 0);
    const sustain_status status = make(layers);
    if (status == SUSTAIN_OK)
        *out = layers;
    else
        destroy(layers);
    return status;
}

const sustain__layers_kind sustain__layers_onednn = {
    .name = "onednn",
    .usable = usable,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .map_size = map_size,
    .chunk = chunk,
    .conv = conv,
    .conv_weights = conv_weights,
    .conv_data = conv_data,
    .pool = sustain__blocked_pool,
    .pick = sustain__blocked_pick,
    .rectify = sustain__blocked_rectify,
    .rectify_tangent = sustain__blocked_rectify_tangent,
    .alive_sums = sustain__blocked_alive_sums,
    .spread = sustain__blocked_spread,
    .spread_tangent = sustain__blocked_spread_tangent,
    .to_rows = sustain__blocked_to_rows,
    .from_rows = sustain__blocked_from_rows,
};
#endif

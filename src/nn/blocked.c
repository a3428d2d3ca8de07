/* blocked.c - shapes, memory and weights of layers on blocks of eight channels. */
#include "nn/blocked.h"

#include <string.h>

enum { LANES = SUSTAIN__LANES, CHUNK_BYTES = 1 << 18, MOST_CHUNK = 64 };

bool sustain__blocked_usable(void) {
#ifdef SUSTAIN__AVX2
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return true; /* every 64-bit ARM has NEON */
#endif
}

static int64_t rounded(int64_t n, int64_t to) {
    return (n + to - 1) / to * to;
}

int64_t sustain__blocked_map_size(int64_t channels, int64_t height, int64_t width) {
    return rounded(channels, LANES) * height * width;
}

int64_t sustain__blocked_chunk(const sustain__layers *layers, int block) {
    return ((const sustain__blocked_layers *)(const void *)layers)->block[block].chunk;
}

int64_t sustain__blocked_bytes(const sustain__layers *layers) {
    return ((const sustain__blocked_layers *)(const void *)layers)->bytes;
}

static void set_shapes(sustain__blocked_layers *layers, const sustain__block_shape blocks[SUSTAIN__BLOCKS]) {
    for (int l = 0; l < SUSTAIN__BLOCKS; l++) {
        const sustain__block_shape *s = &blocks[l];
        sustain__blocked *k = &layers->block[l];
        k->shape = *s;
        k->lanes = l == 0 ? 1 : LANES;
        k->in = rounded(s->in, k->lanes);
        k->out = rounded(s->out, LANES);
        k->in_size = k->in * s->height * s->width;
        k->z_size = k->out * s->height * s->width;
        k->chunk = 1;
        while (k->chunk < MOST_CHUNK && 2 * k->chunk * k->z_size * (int64_t)sizeof(float) <= CHUNK_BYTES) k->chunk *= 2;
    }
}

sustain_status sustain__blocked_create(sustain_context *context, const sustain__block_shape blocks[SUSTAIN__BLOCKS], size_t size,
                                       sustain_status (*make)(sustain__layers *), void (*destroy)(sustain__layers *),
                                       sustain__layers **out) {
    sustain__blocked_layers *layers;
    *out = NULL;
    SUSTAIN_TRY(sustain__allocate(context, size, &layers));
    layers->context = context;
    layers->bytes = (int64_t)size;
    set_shapes(layers, blocks);
    sustain__layers *whole = (sustain__layers *)(void *)layers;
    const sustain_status status = make(whole);
    if (status == SUSTAIN_OK)
        *out = whole;
    else
        destroy(whole);
    return status;
}

/* Returns the bytes of all arrays. */
static size_t lay_out(sustain__blocked_layers *layers, int64_t taps, int64_t scratch) {
    sustain__carver c = {.memory = layers->memory};
    for (int l = 0; l < SUSTAIN__BLOCKS; l++) {
        const sustain__blocked *k = &layers->block[l];
        for (int way = 0; way < (l == 0 ? 1 : SUSTAIN__WAYS); way++)
            for (int i = 0; i < SUSTAIN__RECENT; i++) {
                sustain__recent *r = &layers->recent[l][way];
                r->plain[i] = sustain__carve(&c, k->shape.out * k->shape.in * SUSTAIN__TAPS, sizeof *r->plain[i]);
                r->packed[i] = sustain__carve(&c, k->out * k->in * (l == 0 ? SUSTAIN__TAPS : taps), sizeof *r->packed[i]);
            }
    }
    layers->scratch = sustain__carve(&c, scratch, sizeof *layers->scratch);
    return c.used;
}

sustain_status sustain__blocked_allocate(sustain__blocked_layers *layers, int64_t taps, int64_t scratch) {
    const size_t size = lay_out(layers, taps, scratch);
    layers->bytes += (int64_t)size;
    SUSTAIN_TRY(sustain__allocate(layers->context, size, &layers->memory));
    lay_out(layers, taps, scratch);
    return SUSTAIN_OK;
}

float *sustain__recent_weights(sustain__blocked_layers *layers, int block, sustain__way way, const float *w, bool *fresh) {
    const sustain__block_shape *s = &layers->block[block].shape;
    const size_t size = (size_t)(s->out * s->in * SUSTAIN__TAPS) * sizeof *w;
    sustain__recent *r = &layers->recent[block][way];
    *fresh = false;
    for (int i = 0; i < SUSTAIN__RECENT; i++)
        if (r->filled[i] && memcmp(r->plain[i], w, size) == 0) return r->packed[i];
    const int slot = r->oldest;
    r->oldest = (slot + 1) % SUSTAIN__RECENT;
    r->filled[slot] = *fresh = true;
    memcpy(r->plain[slot], w, size);
    return r->packed[slot];
}

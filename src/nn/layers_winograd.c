/* layers_winograd.c - layers for processors with AVX2 or NEON: Winograd's algorithm for
 * convolutions, direct convolution for input pictures; blocked.h has the rest. */
#include "nn/layers.h"

#include <string.h>

#include "nn/blocked.h"
#include "nn/direct.h"
#include "nn/winograd.h"

struct sustain__layers {
    sustain__blocked_layers blocked; /* its scratch memory: for convolutions, then `dweights` */
    float *dweights;
};

enum { POINTS = 16 };

static sustain__direct direct_of(const sustain__blocked *k) {
    return (sustain__direct){k->in, k->out, k->shape.height, k->shape.width, k->lanes};
}

static sustain__winograd winograd_of(const sustain__blocked *k, sustain__way way) {
    return way == SUSTAIN__FORWARD ? (sustain__winograd){k->in, k->out, k->shape.height, k->shape.width}
                                   : (sustain__winograd){k->out, k->in, k->shape.height, k->shape.width};
}

/* ---- convolutions ---- */

static void conv_pictures(sustain__layers *layers, int64_t n, const float *in, const float *w, bool add, float *z) {
    const sustain__blocked *k = &layers->blocked.block[0];
    const sustain__direct s = direct_of(k);
    bool fresh;
    float *weights = sustain__recent_weights(&layers->blocked, 0, SUSTAIN__FORWARD, w, &fresh);
    if (fresh) sustain__direct_pack(&s, k->shape.out, w, weights);
    sustain__direct_conv(&s, n, in, weights, add, layers->blocked.scratch, z);
}

static void conv_maps(sustain__layers *layers, int block, sustain__way way, int64_t n, const float *from, const float *w, bool add,
                      float *to) {
    const sustain__blocked *k = &layers->blocked.block[block];
    const sustain__winograd s = winograd_of(k, way);
    bool fresh;
    float *weights = sustain__recent_weights(&layers->blocked, block, way, w, &fresh);
    if (fresh) sustain__winograd_transform(&s, way == SUSTAIN__BACKWARD, k->shape.out, k->shape.in, w, weights);
    sustain__winograd_conv(&s, n, from, weights, add, layers->blocked.scratch, to);
}

static void conv(sustain__layers *layers, int block, int64_t n, const float *in, const float *w, bool add, float *z) {
    if (block == 0)
        conv_pictures(layers, n, in, w, add, z);
    else
        conv_maps(layers, block, SUSTAIN__FORWARD, n, in, w, add, z);
}

static void conv_data(sustain__layers *layers, int block, int64_t n, const float *dz, const float *w, bool add, float *din) {
    conv_maps(layers, block, SUSTAIN__BACKWARD, n, dz, w, add, din);
}

static void conv_weights(sustain__layers *layers, int block, int64_t n, const float *in, const float *dz, float *dw) {
    const sustain__blocked *k = &layers->blocked.block[block];
    if (block > 0) {
        const sustain__winograd s = winograd_of(k, SUSTAIN__FORWARD);
        sustain__winograd_gradient(&s, n, k->shape.out, k->shape.in, in, dz, layers->blocked.scratch, layers->dweights, dw);
        return;
    }
    const sustain__direct s = direct_of(k);
    memset(layers->dweights, 0, (size_t)(k->in * k->out * SUSTAIN__TAPS) * sizeof *layers->dweights);
    sustain__direct_weights(&s, n, in, dz, layers->blocked.scratch, layers->dweights);
    sustain__direct_add_unpacked(&s, k->shape.out, k->shape.in, layers->dweights, dw);
}

/* ---- creation ---- */

static bool usable(int64_t channels) {
    (void)channels;
    return sustain__blocked_usable();
}

static void destroy(sustain__layers *layers) {
    if (layers == NULL) return;
    sustain__free(layers->blocked.context, layers->blocked.memory);
    sustain__free(layers->blocked.context, layers);
}

static sustain_status make(sustain__layers *layers) {
    const sustain__direct pictures = direct_of(&layers->blocked.block[0]);
    int64_t scratch = sustain__direct_padded(&pictures), weights = pictures.in * pictures.out * SUSTAIN__TAPS;
    for (int l = 1; l < SUSTAIN__BLOCKS; l++) {
        const sustain__winograd s = winograd_of(&layers->blocked.block[l], SUSTAIN__FORWARD);
        scratch = sustain__larger(scratch, sustain__winograd_scratch_size(&s));
        weights = sustain__larger(weights, sustain__winograd_weights_size(&s));
    }
    SUSTAIN_TRY(sustain__blocked_allocate(&layers->blocked, POINTS, scratch + weights));
    layers->dweights = layers->blocked.scratch + scratch;
    return SUSTAIN_OK;
}

static sustain_status create(sustain_context *context, const sustain__block_shape blocks[SUSTAIN__BLOCKS], sustain__layers **out) {
    *out = NULL;
    if (!usable(blocks[0].in))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "these layers need a processor with AVX2 and FMA, or NEON: use the plain ones");
    return sustain__blocked_create(context, blocks, sizeof **out, make, destroy, out);
}

const sustain__layers_kind sustain__layers_winograd = {
    .name = "winograd",
    .usable = usable,
    .create = create,
    .destroy = destroy,
    .conv = conv,
    .conv_weights = conv_weights,
    .conv_data = conv_data,
    SUSTAIN__BLOCKED_LAYERS,
};

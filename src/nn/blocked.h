/* blocked.h - layers on maps in blocks of eight channels, (channels / 8, height, width, 8), oneDNN's nChw8c: what those of Winograd's algorithm and those of
 * oneDNN share, which is all but the convolutions.
 *
 * Eight channels fill a register of AVX2, so loops go over places and work on eight channels at a time. In float only. */
#ifndef SUSTAIN_NN_BLOCKED_H
#define SUSTAIN_NN_BLOCKED_H

#include "nn/layers.h"
#include "nn/product.h"

enum { SUSTAIN__TAPS = 9, SUSTAIN__RECENT = 2 };

/* A convolution from `in` channels, to `out` in blocks of eight. */
typedef struct sustain__blocked {
    sustain__block_shape shape;
    int64_t in, out; /* with padding; pictures have none */
    int64_t lanes;   /* of a block of the input: 8; of pictures 1 */
    int64_t in_size, z_size;
    int64_t chunk;
} sustain__blocked;

typedef enum sustain__way { SUSTAIN__FORWARD, SUSTAIN__BACKWARD, SUSTAIN__WAYS } sustain__way;

/* The last weights met, as the caller has them and as a convolution wants them: the chunks of a pass share theirs, and tangents use two in turn. */
typedef struct sustain__recent {
    float *plain[SUSTAIN__RECENT], *packed[SUSTAIN__RECENT];
    bool filled[SUSTAIN__RECENT];
    int oldest;
} sustain__recent;

/* What layers on blocks begin with. */
typedef struct sustain__blocked_layers {
    sustain_context *context;
    sustain__blocked block[SUSTAIN__BLOCKS];
    sustain__recent recent[SUSTAIN__BLOCKS][SUSTAIN__WAYS];
    int64_t bytes; /* in all */
    void *memory;
    float *scratch;
} sustain__blocked_layers;

/* Can this processor run what is here? */
bool sustain__blocked_usable(void);

/* Layers of `size` bytes, zeroed but for `context` and `block`; make() does the rest, and destroy() undoes what it did where it fails. */
sustain_status sustain__blocked_create(sustain_context *context, const sustain__block_shape blocks[SUSTAIN__BLOCKS], size_t size,
                                       sustain_status (*make)(sustain__layers *), void (*destroy)(sustain__layers *),
                                       sustain__layers **out);

/* For make(): the memory of packed weights, `taps` numbers for each pair of channels (for pictures always 9), and of `scratch` numbers. */
sustain_status sustain__blocked_allocate(sustain__blocked_layers *layers, int64_t taps, int64_t scratch);

/* The place of packed weights; *fresh: they are to be packed there, where the padding is zero already. */
float *sustain__recent_weights(sustain__blocked_layers *layers, int block, sustain__way way, const float *w, bool *fresh);

/* Called as in layers.h, with layers that begin as above, these do what they do there. */
int64_t sustain__blocked_bytes(const sustain__layers *layers);
int64_t sustain__blocked_map_size(int64_t channels, int64_t height, int64_t width);
int64_t sustain__blocked_chunk(const sustain__layers *layers, int block);
void sustain__blocked_pool(sustain__layers *layers, int block, int64_t n, const float *z, const float *sign, uint8_t *chosen, float *picked,
                           double *sums);
void sustain__blocked_pick(sustain__layers *layers, int block, int64_t n, const float *z, const float *zt, const uint8_t *chosen,
                           float *picked_t, double *sums);
void sustain__blocked_rectify(sustain__layers *layers, int block, int64_t n, const float *picked, const float *c, float *out);
void sustain__blocked_rectify_tangent(sustain__layers *layers, int block, int64_t n, const float *out, const float *picked,
                                      const float *picked_t, const float *c, float *outt);
void sustain__blocked_alive_sums(sustain__layers *layers, int block, int64_t n, const float *out, const float *d, const float *picked,
                                 double *sums);
void sustain__blocked_spread(sustain__layers *layers, int block, int64_t n, const float *z, const uint8_t *chosen, const float *out,
                             const float *d, const float *c, float *dz);
void sustain__blocked_spread_tangent(sustain__layers *layers, int block, int64_t n, const float *z, const float *zt, const uint8_t *chosen,
                                     const float *out, const float *d, const float *dt, const float *c, float *dzt);
void sustain__blocked_to_rows(sustain__layers *layers, int block, int64_t n, const float *map, float *rows);
void sustain__blocked_from_rows(sustain__layers *layers, int block, int64_t n, const float *rows, float *map);

/* Their lines in a table of layers. */
#define SUSTAIN__BLOCKED_LAYERS                                                                                                        \
    .bytes = sustain__blocked_bytes, .map_size = sustain__blocked_map_size, .chunk = sustain__blocked_chunk,                           \
    .pool = sustain__blocked_pool, .pick = sustain__blocked_pick, .rectify = sustain__blocked_rectify,                                 \
    .rectify_tangent = sustain__blocked_rectify_tangent, .alive_sums = sustain__blocked_alive_sums, .spread = sustain__blocked_spread, \
    .spread_tangent = sustain__blocked_spread_tangent, .to_rows = sustain__blocked_to_rows, .from_rows = sustain__blocked_from_rows

#endif

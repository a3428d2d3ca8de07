/* blocked.h - layers on maps in blocks of eight channels, (channels / 8, height, width, 8),
 * oneDNN's nChw8c. The Winograd layers and the oneDNN layers share everything here and differ
 * only in their convolutions.
 *
 * Eight channels fill a register of AVX2, or two of NEON, so loops run over positions and process
 * eight channels at a time (vector8.h). Float only. */
#ifndef SUSTAIN_NN_BLOCKED_H
#define SUSTAIN_NN_BLOCKED_H

#include "nn/layers.h"
#include "nn/product.h"

enum { SUSTAIN__TAPS = 9, SUSTAIN__RECENT = 2 };

/* A convolution from `in` channels, to `out` in blocks of eight. */
typedef struct sustain__blocked {
    sustain__block_shape shape;
    int64_t in, out; /* with padding; input pictures have none */
    int64_t lanes;   /* channels per block of the input: 8, or 1 for pictures */
    int64_t in_size, z_size;
    int64_t chunk;
} sustain__blocked;

typedef enum sustain__way { SUSTAIN__FORWARD, SUSTAIN__BACKWARD, SUSTAIN__WAYS } sustain__way;

/* Cache of the most recent weights, in the caller's layout and repacked for the convolution. All
 * chunks of a pass use the same weights; tangents alternate between two sets. */
typedef struct sustain__recent {
    float *plain[SUSTAIN__RECENT], *packed[SUSTAIN__RECENT];
    bool filled[SUSTAIN__RECENT];
    int oldest;
} sustain__recent;

/* The common first part of all layers on blocks. */
typedef struct sustain__blocked_layers {
    sustain_context *context;
    sustain__blocked block[SUSTAIN__BLOCKS];
    sustain__recent recent[SUSTAIN__BLOCKS][SUSTAIN__WAYS];
    int64_t bytes; /* total */
    void *memory;
    float *scratch;
} sustain__blocked_layers;

/* Whether this processor can run these layers. */
bool sustain__blocked_usable(void);

/* Allocates layers of `size` bytes, zeroed except `context` and `block`. make() does the rest;
 * if it fails, destroy() releases what it allocated. */
sustain_status sustain__blocked_create(sustain_context *context, const sustain__block_shape blocks[SUSTAIN__BLOCKS], size_t size,
                                       sustain_status (*make)(sustain__layers *), void (*destroy)(sustain__layers *),
                                       sustain__layers **out);

/* For make(): allocates the packed weights, `taps` numbers for each pair of channels (always 9
 * for pictures), and `scratch` numbers. */
sustain_status sustain__blocked_allocate(sustain__blocked_layers *layers, int64_t taps, int64_t scratch);

/* Returns the packed weights. *fresh: the caller must pack them there first; the padding is
 * already zero. */
float *sustain__recent_weights(sustain__blocked_layers *layers, int block, sustain__way way, const float *w, bool *fresh);

/* Implementations of the functions of layers.h for layers that begin with the structure above. */
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

/* Initializers for them in a table of layers. */
#define SUSTAIN__BLOCKED_LAYERS                                                                                                        \
    .bytes = sustain__blocked_bytes, .map_size = sustain__blocked_map_size, .chunk = sustain__blocked_chunk,                           \
    .pool = sustain__blocked_pool, .pick = sustain__blocked_pick, .rectify = sustain__blocked_rectify,                                 \
    .rectify_tangent = sustain__blocked_rectify_tangent, .alive_sums = sustain__blocked_alive_sums, .spread = sustain__blocked_spread, \
    .spread_tangent = sustain__blocked_spread_tangent, .to_rows = sustain__blocked_to_rows, .from_rows = sustain__blocked_from_rows

#endif

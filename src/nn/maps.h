/* maps.h - what the files of the backbone share: backbone.c has the passes, backbone_create.c
 * allocates their memory. */
#ifndef SUSTAIN_NN_MAPS_H
#define SUSTAIN_NN_MAPS_H

#include "nn/backbone.h"
#include "nn/layers.h"

/* Statistics of z = conv(in, W) for one group and channel. */
typedef struct sustain__statistic {
    sustain_real mean, inverse; /* 1 / sqrt(variance + eps) */
    double mean_t, slope;       /* of the tangent zt: its mean; the mean of (z - mean) * inverse
                                 * * zt */
} sustain__statistic;

/* Maps of one block, for all pictures; z and zt have z_size numbers for each, the others
 * out_size. */
typedef struct sustain__block {
    sustain__block_shape shape;
    int64_t in_size, z_size, out_size;
    int64_t weight, scale, shift;       /* their offsets in x */
    sustain_real *z;                    /* order 0: of one chunk of pictures */
    uint8_t *chosen;                    /* order 0: shared by all blocks, as is picked */
    sustain_real *picked, *out;         /* values */
    sustain_real *zt, *picked_t, *outt; /* tangents; order 2 */
    sustain_real *d, *dt;               /* gradients with respect to out; their tangents */
    sustain__statistic *statistics;     /* (groups, stride) */
} sustain__block;

struct sustain__backbone {
    sustain_context *context;
    const sustain__layers_kind *kind;
    sustain__layers *layers;
    sustain__net net;
    int order;
    int64_t pictures; /* at most */
    int64_t stride;   /* of a row of numbers, one for each filter */
    size_t bytes;
    void *memory; /* holds all arrays below */
    sustain__block block[SUSTAIN__BLOCKS];
    sustain_real *input;    /* (pictures, channels, height, width) */
    sustain_real *dz, *dzt; /* gradients with respect to z of one chunk; their tangents */
    double *sums;           /* (groups, 6, stride) */
    sustain_real *c, *ct;   /* (groups, 3, stride), (groups, 5, stride): coefficients of
                             * gradients and of their tangents */
    int64_t *group;         /* (groups + 1) of the last forward() */
    int64_t groups;
    bool (*stop)(void *user); /* or NULL */
    void *stop_user;
};

#endif

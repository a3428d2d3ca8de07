/* backbone.h - four blocks of convolution, normalization, ReLU and pooling: pictures ->
 * features, with exact derivatives of first and second order.
 *
 * Parameters are the caller's: one flat vector with named views (block0.weight (filters,
 * channels, 3, 3), block0.scale (filters), block0.shift (filters), block1.weight, ...).
 * Convolutions have no bias because the normalization would remove it. A backbone object is one
 * worker's workspace; it keeps what the derivatives need from the last forward(). Nothing here
 * uses the threads of the context; parallelism comes from running several workers at once. */
#ifndef SUSTAIN_NN_BACKBONE_H
#define SUSTAIN_NN_BACKBONE_H

#include "core/context_internal.h"

/* The architecture, as stored in the metadata of a model file. */
typedef struct sustain__net {
    int64_t channels, height, width; /* of a picture; height and width at least 16 */
    int64_t filters;                 /* of each of the four blocks */
    double pixel_scale, pixel_shift; /* a byte p becomes the input p * pixel_scale + pixel_shift */
    double least_scale;              /* the scales of normalization start between this and 1 */
} sustain__net;

/* A named part of the parameters. */
typedef struct sustain__view {
    char name[24];
    int64_t offset, count;
    int rank;
    int64_t shape[4];
} sustain__view;

enum { SUSTAIN__NET_VIEWS = 12 };

/* Refuses an invalid architecture with a sentence: channels or filters below 1, pictures smaller
 * than 16 x 16, sizes above the limits. */
sustain_status sustain__net_check(sustain_context *context, const sustain__net *net);
int64_t sustain__net_dim(const sustain__net *net);        /* number of parameters */
int64_t sustain__net_features(const sustain__net *net);   /* filters * height/16 * width/16,
                                                           * rounded down at each pooling */
int64_t sustain__net_statistics(const sustain__net *net); /* length of
                                                           * sustain__backbone_statistics() */
sustain__view sustain__net_view(const sustain__net *net, int i);
/* Random start from a seed: He initialization of the weights, scales uniform in [least_scale,
 * 1], shifts 0. */
void sustain__net_start(const sustain__net *net, uint64_t seed, sustain_real *x);

typedef struct sustain__backbone sustain__backbone;

/* Creates a workspace for up to `pictures` pictures at a time. order 0: values only; 1: also
 * gradients; 2: also tangents. Functions of a higher order must not be called. `kind`: "plain"
 * or "onednn"; NULL: the fastest one available. *out is NULL on failure. */
sustain_status sustain__backbone_create(sustain_context *context, const sustain__net *net, const char *kind, int64_t pictures, int order,
                                        sustain__backbone **out);
void sustain__backbone_destroy(sustain__backbone *b); /* NULL is allowed */
/* Asked before each chunk of pictures (NULL: not asked): once it says yes, passes end soon, and
 * what they compute means nothing. */
void sustain__backbone_stop_if(sustain__backbone *b, bool (*stop)(void *user), void *user);
int64_t sustain__backbone_bytes(const sustain__backbone *b);
const char *sustain__backbone_kind(const sustain__backbone *b);

/* features (count, features) of pictures: count pointers to bytes, planar (channels, height,
 * width). Pictures group[g] .. group[g + 1] - 1 share their normalization statistics: a whole
 * task, its support, or its queries. group (groups + 1) increases from 0 to count. */
void sustain__backbone_forward(sustain__backbone *b, const sustain_real *x, const uint8_t *const *pictures, int64_t count,
                               const int64_t *group, int64_t groups, sustain_real *features);

/* gradient = J' d_features, or += where `add`, at the last forward(), with the same x. */
void sustain__backbone_gradient(sustain__backbone *b, const sustain_real *x, const sustain_real *d_features, bool add,
                                sustain_real *gradient);

/* features_t = J u at the last forward(). Keeps the tangents of the maps. */
void sustain__backbone_tangent(sustain__backbone *b, const sustain_real *x, const sustain_real *u, sustain_real *features_t);

/* After tangent() with the same u: the derivative of J' d_features when x moves along u and
 * d_features along d_features_t. If d_features is the gradient of a loss with respect to the
 * features and d_features_t its Hessian times features_t, this is the Hessian product of the
 * loss. */
void sustain__backbone_gradient_tangent(sustain__backbone *b, const sustain_real *x, const sustain_real *u, const sustain_real *d_features,
                                        const sustain_real *d_features_t, bool add, sustain_real *gradient_t);

/* Statistics of group g of the last forward(), (4, 2, filters): for each block the means and the
 * inverse standard deviations. */
void sustain__backbone_statistics(const sustain__backbone *b, int64_t g, sustain_real *statistics);

/* Features of pictures normalized by given statistics. Each picture is computed by itself, so
 * its bits do not depend on the others. Invalidates what forward() kept. */
void sustain__backbone_features_with(sustain__backbone *b, const sustain_real *x, const sustain_real *statistics,
                                     const uint8_t *const *pictures, int64_t count, sustain_real *features);

#endif

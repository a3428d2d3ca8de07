/* backbone.h - four blocks of convolution, normalization, ReLU and pooling: pictures -> features, with exact derivatives of first and second order.
 *
 * Parameters are the caller's: one flat vector with named views (block0.weight (filters, channels, 3, 3), block0.scale (filters), block0.shift (filters),
 * block1.weight, ...). Convolutions have no bias: normalization would take it off again. A backbone object is one worker's workspace; it keeps what the
 * derivatives need of the last forward(). Nothing here uses the threads of the context: several workers run at the same time instead. */
#ifndef SUSTAIN_NN_BACKBONE_H
#define SUSTAIN_NN_BACKBONE_H

#include "core/context_internal.h"

/* The architecture: what a model file says in its metadata. */
typedef struct sustain__net {
    int64_t channels, height, width; /* of a picture; height and width at least 16 */
    int64_t filters;                 /* of each of the four blocks */
    double pixel_scale, pixel_shift; /* a byte p enters as p * pixel_scale + pixel_shift */
    double least_scale;              /* the scales of normalization start between this and 1 */
} sustain__net;

/* A part of the parameters. */
typedef struct sustain__view {
    char name[24];
    int64_t offset, count;
    int rank;
    int64_t shape[4];
} sustain__view;

enum { SUSTAIN__NET_VIEWS = 12 };

/* Refuses with a sentence what no net can be: channels, filters below 1, pictures below 16 x 16, sizes beyond reason. */
sustain_status sustain__net_check(sustain_context *context, const sustain__net *net);
int64_t sustain__net_dim(const sustain__net *net);        /* parameters */
int64_t sustain__net_features(const sustain__net *net);   /* filters * height/16 * width/16, rounded down at each pooling */
int64_t sustain__net_statistics(const sustain__net *net); /* numbers of sustain__backbone_statistics() */
sustain__view sustain__net_view(const sustain__net *net, int i);
/* Drawn by seed: He's weights; scales evenly from least_scale to 1; shifts are 0. */
void sustain__net_start(const sustain__net *net, uint64_t seed, sustain_real *x);

typedef struct sustain__backbone sustain__backbone;

/* Room for `pictures` pictures at a time. order 0: values alone, 1: gradients, 2: tangents too; what an object was not made for must not be called.
 * `kind`: "plain" or "onednn"; NULL: the fastest that was built. *out is NULL on failure. */
sustain_status sustain__backbone_create(sustain_context *context, const sustain__net *net, const char *kind, int64_t pictures, int order,
                                        sustain__backbone **out);
void sustain__backbone_destroy(sustain__backbone *b); /* NULL is allowed */
int64_t sustain__backbone_bytes(const sustain__backbone *b);
const char *sustain__backbone_kind(const sustain__backbone *b);

/* features (count, features) of pictures: count pointers to bytes, planar (channels, height, width). Pictures group[g] .. group[g + 1] - 1 share
 * their statistics: a task, or its support or its queries alone. group (groups + 1), from 0 to count, increasing. */
void sustain__backbone_forward(sustain__backbone *b, const sustain_real *x, const uint8_t *const *pictures, int64_t count,
                               const int64_t *group, int64_t groups, sustain_real *features);

/* gradient = J' d_features, or += where `add`, at the last forward(), with the same x. */
void sustain__backbone_gradient(sustain__backbone *b, const sustain_real *x, const sustain_real *d_features, bool add,
                                sustain_real *gradient);

/* features_t = J u at the last forward(); keeps the tangents of the maps. */
void sustain__backbone_tangent(sustain__backbone *b, const sustain_real *x, const sustain_real *u, sustain_real *features_t);

/* After tangent() with the same u: how J' d_features moves when x moves along u and d_features along d_features_t. With d_features = grad of a loss in the
 * features and d_features_t = its Hessian times features_t this is the Hessian product of the loss. */
void sustain__backbone_gradient_tangent(sustain__backbone *b, const sustain_real *x, const sustain_real *u, const sustain_real *d_features,
                                        const sustain_real *d_features_t, bool add, sustain_real *gradient_t);

/* Statistics of group g of the last forward(), (4, 2, filters): for each block the means and 1 / the deviations. */
void sustain__backbone_statistics(const sustain__backbone *b, int64_t g, sustain_real *statistics);

/* features of pictures normalized by given statistics: each picture by itself, its bits the same whatever else is asked for. Ends what forward() kept. */
void sustain__backbone_features_with(sustain__backbone *b, const sustain_real *x, const sustain_real *statistics,
                                     const uint8_t *const *pictures, int64_t count, sustain_real *features);

#endif

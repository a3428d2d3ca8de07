/* layers.c PLAIN WHAT TIMES - computes layers of the backbone, the plain ones or those of Winograd,
 * on maps of 32 filters from pictures of 32 x 32: for instructions.sh, which counts. WHAT is
 * backbone: all four blocks and their gradient; prints a hash of both, which run.sh compares. */
#include <stdio.h>
#include <stdlib.h>

#include <sustain/context.h>
#include <sustain/random.h>

#include "nn/backbone.h"
#include "nn/layers.h"

enum { PICTURES = 4, FILTERS = 32, SIDE = 32, BLOCK = 1, MAP = FILTERS * SIDE * SIDE / 4, WEIGHTS = FILTERS * FILTERS * 9 };

static float w[WEIGHTS], dw[WEIGHTS], in[PICTURES * MAP], z[PICTURES * MAP], dz[PICTURES * MAP], picked[PICTURES * MAP / 4],
    out[PICTURES * MAP / 4], sign[FILTERS], c[3 * FILTERS];
static uint8_t chosen[PICTURES * MAP / 4], pixels[PICTURES * 3 * SIDE * SIDE];
static double sums[6 * FILTERS];

static void one_layer(sustain_context *context, const sustain__layers_kind *kind, char what, int times) {
    sustain__block_shape blocks[SUSTAIN__BLOCKS] = {{3, FILTERS, SIDE, SIDE}};
    sustain__layers *layers;
    for (int l = 1; l < SUSTAIN__BLOCKS; l++) blocks[l] = (sustain__block_shape){FILTERS, FILTERS, SIDE >> l, SIDE >> l};
    if (kind->create(context, blocks, &layers) != SUSTAIN_OK) exit(2);
    for (int t = 0; t < times; t++) switch (what) {
        case 'c':
            kind->conv(layers, BLOCK, PICTURES, in, w, false, z);
            break;
        case 'd':
            kind->conv_data(layers, BLOCK, PICTURES, dz, w, false, in);
            break;
        case 'w':
            kind->conv_weights(layers, BLOCK, PICTURES, in, dz, dw);
            break;
        default:
            kind->pool(layers, BLOCK, PICTURES, z, sign, chosen, picked, sums);
            kind->rectify(layers, BLOCK, PICTURES, picked, c, out);
            kind->alive_sums(layers, BLOCK, PICTURES, out, picked, picked, sums);
            kind->spread(layers, BLOCK, PICTURES, z, chosen, out, picked, c, dz);
        }
    kind->destroy(layers);
}

static void whole_backbone(sustain_context *context, const char *kind, int times) {
    static const int64_t group[] = {0, PICTURES};
    const sustain__net net = {3, SIDE, SIDE, FILTERS, 1 / 255.0, -0.4, 1};
    const uint8_t *pictures[PICTURES];
    sustain__backbone *b;
    float *x = malloc((size_t)sustain__net_dim(&net) * sizeof *x), *gradient = malloc((size_t)sustain__net_dim(&net) * sizeof *x);
    if (x == NULL || gradient == NULL || sustain__backbone_create(context, &net, kind, PICTURES, 1, &b) != SUSTAIN_OK) exit(2);
    for (int i = 0; i < PICTURES; i++) pictures[i] = pixels + i * 3 * SIDE * SIDE;
    for (int64_t i = 0; i < sustain__net_dim(&net); i++) x[i] = (float)sustain_random_uniform(100, 1, 0, (uint32_t)i) - 0.5F;
    for (int t = 0; t < times; t++) {
        sustain__backbone_forward(b, x, pictures, PICTURES, group, 1, out);
        sustain__backbone_gradient(b, x, out, false, gradient);
    }
    const uint64_t hash = sustain_hash(out, PICTURES * (size_t)sustain__net_features(&net) * sizeof *out, 0);
    if (times > 0) printf("%016llx\n", (unsigned long long)sustain_hash(gradient, (size_t)sustain__net_dim(&net) * sizeof *x, hash));
    sustain__backbone_destroy(b);
    free(x);
    free(gradient);
}

int main(int count, char **words) {
    sustain_context *context;
    if (count != 4 || sustain_context_create(&context) != SUSTAIN_OK) return 2;
    const sustain__layers_kind *kind = atoi(words[1]) ? &sustain__layers_plain : &sustain__layers_winograd;
    for (uint32_t i = 0; i < PICTURES * 3 * SIDE * SIDE; i++) pixels[i] = (uint8_t)(i * 2654435761U >> 24);
    if (words[2][0] == 'b')
        whole_backbone(context, kind->name, atoi(words[3]));
    else
        one_layer(context, kind, words[2][0], atoi(words[3]));
    sustain_context_destroy(context);
    return 0;
}

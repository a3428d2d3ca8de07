/* net.c - the architecture: sizes, names of the parameters, random start. */
#include "nn/backbone.h"

#include <math.h>
#include <stdio.h>

#include <sustain/random.h>

#include "nn/layers.h"

enum { SMALLEST = 1 << SUSTAIN__BLOCKS, LARGEST = 4096 };
enum { START_STREAM = 48 }; /* of random numbers: different from those of solvers and tasks */

sustain_status sustain__net_check(sustain_context *context, const sustain__net *net) {
    if (net->channels < 1 || net->channels > LARGEST || net->filters < 1 || net->filters > LARGEST)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "a net of %lld channels and %lld filters: both must be from 1 to %d",
                             (long long)net->channels, (long long)net->filters, LARGEST);
    if (net->height < SMALLEST || net->width < SMALLEST || net->height > LARGEST || net->width > LARGEST)
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "pictures of %lld x %lld: each side must be from %d (it is halved four times) to %d", (long long)net->height,
                             (long long)net->width, SMALLEST, LARGEST);
    if (!isfinite(net->pixel_scale) || !isfinite(net->pixel_shift))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "scale and shift of the pixels must be finite");
    if (!(net->least_scale >= 0 && net->least_scale <= 1))
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the least scale at the start is %g: it must be from 0 to 1", net->least_scale);
    return SUSTAIN_OK;
}

static int64_t block_dim(const sustain__net *net, int block) {
    return net->filters * (block == 0 ? net->channels : net->filters) * 9 + 2 * net->filters;
}

int64_t sustain__net_dim(const sustain__net *net) {
    return block_dim(net, 0) + (SUSTAIN__BLOCKS - 1) * block_dim(net, 1);
}

int64_t sustain__net_features(const sustain__net *net) {
    return net->filters * (net->height >> SUSTAIN__BLOCKS) * (net->width >> SUSTAIN__BLOCKS);
}

int64_t sustain__net_statistics(const sustain__net *net) {
    return SUSTAIN__BLOCKS * 2 * net->filters;
}

sustain__view sustain__net_view(const sustain__net *net, int i) {
    static const char *const parts[] = {"weight", "scale", "shift"};
    const int block = i / 3, part = i % 3;
    sustain__view v = {.rank = 1, .shape = {net->filters, 1, 1, 1}};
    snprintf(v.name, sizeof v.name, "block%d.%s", block, parts[part]);
    if (part == 0) {
        v.rank = 4;
        v.shape[1] = block == 0 ? net->channels : net->filters;
        v.shape[2] = v.shape[3] = 3;
    }
    v.count = v.shape[0] * v.shape[1] * v.shape[2] * v.shape[3];
    v.offset = block == 0 ? 0 : block_dim(net, 0) + (block - 1) * block_dim(net, 1);
    if (part > 0) v.offset += block_dim(net, block) - (3 - part) * net->filters;
    return v;
}

void sustain__net_start(const sustain__net *net, uint64_t seed, sustain_real *x) {
    enum { WEIGHT, SCALE, PARTS = 3 };
    for (int i = 0; i < SUSTAIN__NET_VIEWS; i++) {
        const sustain__view v = sustain__net_view(net, i);
        const double deviation = sqrt(2.0 / (double)(9 * v.shape[1])); /* He et al. 2015 */
        for (int64_t j = 0; j < v.count; j++) {
            double number = 0;
            if (i % PARTS == WEIGHT) number = deviation * sustain_random_normal(seed, START_STREAM, (uint64_t)i, (uint32_t)j);
            if (i % PARTS == SCALE)
                number = 1 - (1 - net->least_scale) * sustain_random_uniform(seed, START_STREAM, (uint64_t)i, (uint32_t)j);
            x[v.offset + j] = (sustain_real)number;
        }
    }
}

/* backbone_create.c - allocates a backbone: one block of memory, divided into maps. */
#include "nn/maps.h"

#include <string.h>

typedef sustain__backbone backbone;
typedef sustain__block block;

/* ---- memory ---- */

static sustain_real *cut_map(sustain__carver *c, int64_t pictures, int64_t size) {
    return sustain__carve(c, pictures * size, sizeof(sustain_real));
}

static void cut_block(backbone *b, int l, sustain__carver *memory) {
    block *k = &b->block[l], *first = &b->block[0];
    const int64_t n = b->pictures, most = b->kind->chunk(b->layers, l);
    k->z = cut_map(memory, b->order > 0 ? n : most, k->z_size);
    k->out = cut_map(memory, n, k->out_size);
    k->statistics = sustain__carve(memory, n * b->stride, sizeof *k->statistics);
    if (b->order > 0 || l == 0) {
        k->chosen = sustain__carve(memory, n * k->out_size, 1);
        k->picked = cut_map(memory, n, k->out_size);
    } else {
        k->chosen = first->chosen; /* block 0 has the largest maps */
        k->picked = first->picked;
    }
    if (b->order > 0) k->d = cut_map(memory, n, k->out_size);
    if (b->order > 1) {
        k->zt = cut_map(memory, n, k->z_size);
        k->picked_t = cut_map(memory, n, k->out_size);
        k->outt = cut_map(memory, n, k->out_size);
        k->dt = cut_map(memory, n, k->out_size);
    }
}

static void cut_all(backbone *b, sustain__carver *memory) {
    const int64_t n = b->pictures;
    int64_t chunk_size = 0;
    for (int l = 0; l < SUSTAIN__BLOCKS; l++) {
        cut_block(b, l, memory);
        chunk_size = sustain__larger(chunk_size, b->kind->chunk(b->layers, l) * b->block[l].z_size);
    }
    b->input = cut_map(memory, n, b->block[0].in_size);
    b->group = sustain__carve(memory, n + 1, sizeof *b->group);
    b->sums = sustain__carve(memory, n * 6 * b->stride, sizeof *b->sums);
    b->c = cut_map(memory, n, 3 * b->stride);
    if (b->order > 0) b->dz = cut_map(memory, 1, chunk_size);
    if (b->order > 1) b->dzt = cut_map(memory, 1, chunk_size);
    if (b->order > 1) b->ct = cut_map(memory, n, 5 * b->stride);
}

/* ---- creation ---- */

static const sustain__layers_kind *const kinds[] = {
/* the fastest first */
#ifdef SUSTAIN__WINOGRAD
    &sustain__layers_winograd,
#endif
#ifdef SUSTAIN__ONEDNN
    &sustain__layers_onednn,
#endif
    &sustain__layers_plain,
};

static sustain_status find_kind(sustain_context *context, const char *name, int64_t channels, const sustain__layers_kind **out) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (name == NULL ? kinds[i]->usable(channels) : strcmp(name, kinds[i]->name) == 0) {
            *out = kinds[i];
            return SUSTAIN_OK;
        }
    return sustain__fail(context, SUSTAIN_UNKNOWN_NAME, "this library was built without the layers '%.40s'", name);
}

static void set_shapes(backbone *b) {
    const sustain__net *net = &b->net;
    sustain__block_shape s = {net->channels, net->filters, net->height, net->width};
    b->stride = b->kind->map_size(net->filters, 1, 1);
    for (int l = 0; l < SUSTAIN__BLOCKS; l++) {
        block *k = &b->block[l];
        k->shape = s;
        k->in_size = l == 0 ? s.in * s.height * s.width : b->block[l - 1].out_size;
        k->z_size = b->kind->map_size(s.out, s.height, s.width);
        k->out_size = b->kind->map_size(s.out, s.height / 2, s.width / 2);
        k->weight = sustain__net_view(net, 3 * l).offset;
        k->scale = sustain__net_view(net, 3 * l + 1).offset;
        k->shift = sustain__net_view(net, 3 * l + 2).offset;
        s = (sustain__block_shape){s.out, s.out, s.height / 2, s.width / 2};
    }
}

static sustain_status make(backbone *b) {
    sustain__block_shape shapes[SUSTAIN__BLOCKS];
    sustain__carver measure = {.memory = NULL};
    set_shapes(b);
    for (int l = 0; l < SUSTAIN__BLOCKS; l++) shapes[l] = b->block[l].shape;
    SUSTAIN_TRY(b->kind->create(b->context, shapes, &b->layers));
    cut_all(b, &measure);
    b->bytes = measure.used;
    SUSTAIN_TRY(sustain__allocate(b->context, b->bytes, &b->memory));
    cut_all(b, &(sustain__carver){.memory = b->memory});
    return SUSTAIN_OK;
}

sustain_status sustain__backbone_create(sustain_context *context, const sustain__net *net, const char *kind, int64_t pictures, int order,
                                        backbone **out) {
    const sustain__layers_kind *layers = NULL;
    backbone *b;
    *out = NULL;
    SUSTAIN_TRY(sustain__net_check(context, net));
    SUSTAIN_TRY(find_kind(context, kind, net->channels, &layers));
    SUSTAIN_TRY(sustain__allocate(context, sizeof *b, &b));
    b->context = context;
    b->kind = layers;
    b->net = *net;
    b->pictures = pictures;
    b->order = order;
    const sustain_status status = make(b);
    if (status == SUSTAIN_OK)
        *out = b;
    else
        sustain__backbone_destroy(b);
    return status;
}

void sustain__backbone_destroy(backbone *b) {
    if (b == NULL) return;
    b->kind->destroy(b->layers);
    sustain__free(b->context, b->memory);
    sustain__free(b->context, b);
}

int64_t sustain__backbone_bytes(const backbone *b) {
    return (int64_t)(sizeof *b + b->bytes) + b->kind->bytes(b->layers);
}

const char *sustain__backbone_kind(const backbone *b) {
    return b->kind->name;
}

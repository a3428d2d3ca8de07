/* generated.c - synthetic pictures of ten classes, so that examples run without data files. A
 * picture has the bright blobs of its class and of one of three variants, slightly shifted and
 * dimmed, with a faint picture of another class and noise. A linear classifier gets most, but
 * not all, right. */
#include <string.h>

#include <sustain/random.h>

#include "data/labels.h"

enum { SIDE = 28, PIXELS = SIDE * SIDE, CLASSES = 10, VARIANTS = 3, SHARED = 3, OWN = 2, REACH = 2, PAD = SIDE + 2 * REACH };

/* Streams of random numbers; the templates of the classes do not depend on the seed of the
 * pictures. */
enum { STREAM_SHAPES = 0x67656e30, STREAM_PICTURES, STREAM_NOISE };
static const uint64_t shapes_seed = 1;

/* Larger than a picture by the maximal shift. */
typedef struct prototype {
    float light[PAD][PAD];
} prototype;

static void add_blob(prototype *p, uint64_t name) {
    double u[4];
    for (uint32_t i = 0; i < 4; i++) u[i] = sustain_random_uniform(shapes_seed, STREAM_SHAPES, name, i);
    const double row = REACH + 5 + 18 * u[0], column = REACH + 5 + 18 * u[1], width = 2 + 3 * u[2], strength = 0.5 + 0.5 * u[3];
    for (int r = 0; r < PAD; r++)
        for (int c = 0; c < PAD; c++) {
            const double distance = ((r - row) * (r - row) + (c - column) * (c - column)) / (width * width);
            p->light[r][c] += (float)(strength / ((1 + distance) * (1 + distance)));
        }
}

static void make_prototypes(prototype all[CLASSES][VARIANTS]) {
    for (int c = 0; c < CLASSES; c++)
        for (int v = 0; v < VARIANTS; v++) {
            const uint64_t shared = (uint64_t)c * 100, own = shared + 10 * (uint64_t)(v + 1);
            for (uint64_t b = 0; b < SHARED; b++) add_blob(&all[c][v], shared + b);
            for (uint64_t b = 0; b < OWN; b++) add_blob(&all[c][v], own + b);
        }
}

/* The random numbers of picture i, in order. */
typedef struct dice {
    uint64_t seed, picture;
    uint32_t thrown;
} dice;

static int64_t throw_index(dice *d, int64_t n) {
    return sustain_random_index(d->seed, STREAM_PICTURES, d->picture, d->thrown++, n);
}

static double throw_uniform(dice *d) {
    return sustain_random_uniform(d->seed, STREAM_PICTURES, d->picture, d->thrown++);
}

/* The noise of eight pixels is the eight bytes of one random number. */
static void draw(const prototype *shape, const prototype *ghost, dice *d, uint8_t *out) {
    const int64_t down = throw_index(d, 2 * REACH + 1), right = throw_index(d, 2 * REACH + 1);
    const double u = throw_uniform(d);
    const float bright = (float)(140 + 100 * throw_uniform(d)), ghostly = (float)(170 * u * u);
    uint64_t noise = 0;
    for (int i = 0; i < PIXELS; i++) {
        const int64_t r = i / SIDE + down, c = i % SIDE + right;
        if (i % 8 == 0) noise = sustain_random_bits(d->seed, STREAM_NOISE, d->picture, (uint32_t)i);
        const float grain = (float)(int)(noise & 255) - 128;
        const float light = bright * shape->light[r][c] + ghostly * ghost->light[r][c] + 0.3f * grain;
        out[i] = (uint8_t)(light < 0 ? 0 : light > 255 ? 255 : light);
        noise >>= 8;
    }
}

static sustain_status fill(sustain_dataset *set, int64_t count, uint64_t seed, sustain__labels *labels,
                           prototype shapes[CLASSES][VARIANTS]) {
    struct sustain_dataset_memory *m = set->memory;
    SUSTAIN_TRY(sustain__allocate(set->context, sustain__multiply((size_t)count, PIXELS), &m->bytes));
    make_prototypes(shapes);
    for (int64_t i = 0; i < count; i++) {
        if (i % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(set->context));
        dice d = {.seed = seed, .picture = (uint64_t)i};
        const int64_t class_number = throw_index(&d, CLASSES), variant = throw_index(&d, VARIANTS);
        const int64_t other = throw_index(&d, CLASSES), other_variant = throw_index(&d, VARIANTS);
        SUSTAIN_TRY(sustain__labels_add_number(labels, (double)class_number));
        draw(&shapes[class_number][variant], &shapes[other][other_variant], &d, m->bytes + i * PIXELS);
    }
    SUSTAIN_TRY(sustain__labels_store(labels, set->source, set));
    set->rows.dim = PIXELS;
    set->rows.byte_scale = 1.0f / 255;
    set->picture = (sustain_picture){SIDE, SIDE, 1, false};
    return SUSTAIN_OK;
}

sustain_status sustain_generated_create(sustain_context *context, int64_t count, uint64_t seed, sustain_dataset **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    sustain_dataset *set = NULL;
    sustain__labels *labels = NULL;
    prototype(*shapes)[VARIANTS] = NULL;
    if (count < 1) return sustain__fail(context, SUSTAIN_ARGUMENT, "the number of pictures must be at least 1");
    sustain_status status = sustain__dataset_create(context, "generated", &set);
    if (status == SUSTAIN_OK) status = sustain__allocate(context, CLASSES * sizeof *shapes, &shapes);
    if (status == SUSTAIN_OK) status = sustain__labels_create(context, count, &labels);
    if (status == SUSTAIN_OK) status = fill(set, count, seed, labels, shapes);
    sustain__labels_destroy(labels);
    sustain__free(context, shapes);
    if (status == SUSTAIN_OK)
        *out = set;
    else
        sustain_dataset_destroy(set);
    return status;
}

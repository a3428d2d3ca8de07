/* shapes.c - a small synthetic set for few-shot tasks, so that examples run without data files:
 * coloured flowers with stripes on an uninformative background.
 *
 * A class is defined by the number and depth of petals, a hue, and the width and direction of
 * stripes. A picture shifts, rotates, scales and tints it. */
#include <math.h>
#include <stdio.h>

#include <sustain/random.h>

#include "core/cancel.h"
#include "data/pictures_internal.h"

enum { SIDE = 32, CHANNELS = 3, PIXELS = SIDE * SIDE, PICTURE = PIXELS * CHANNELS, PER_CLASS = 30 };
enum { STREAM_CLASSES = 0x73686130, STREAM_PICTURES, STREAM_NOISE };

static const int64_t split_begin[] = {0, 64, 80, 100}; /* training, validation, test: the first
                                                        * class of each */
static const double pi = 3.14159265358979323846;

/* A sequence of random numbers. */
typedef struct dice {
    uint64_t seed, name;
    uint32_t stream, thrown;
} dice;

static double between(dice *d, double low, double high) {
    return low + (high - low) * sustain_random_uniform(d->seed, d->stream, d->name, d->thrown++);
}

typedef struct look {
    double petals, depth, hue, contrast, frequency, direction;
} look;

static look draw_look(uint64_t seed, int64_t class_number) {
    dice d = {.seed = seed, .name = (uint64_t)class_number, .stream = STREAM_CLASSES};
    const double petals = floor(between(&d, 2, 8)), depth = between(&d, 0.1, 0.5), hue = between(&d, 0, 1), contrast = between(&d, 0, 0.8);
    return (look){petals, depth, hue, contrast, between(&d, 0.4, 1.6), between(&d, 0, pi)};
}

/* One of the three colour channels of a hue, 0 .. 1. */
static double colour(double hue, int channel) {
    return 0.5 + 0.5 * cos(2 * pi * (hue - channel / 3.0));
}

/* out (CHANNELS, SIDE, SIDE). Two pixels share the bytes of one random number as noise. */
static void paint(const look *l, uint64_t seed, int64_t picture, uint8_t *out) {
    dice d = {.seed = seed, .name = (uint64_t)picture, .stream = STREAM_PICTURES};
    const double row = SIDE / 2.0 + between(&d, -4, 4), column = SIDE / 2.0 + between(&d, -4, 4), size = between(&d, 7, 12);
    const double turned = between(&d, -0.3, 0.3), hue = l->hue + between(&d, -0.06, 0.06), light = between(&d, 0.6, 1);
    const double back_hue = between(&d, 0, 1), back_light = between(&d, 0.1, 0.6);
    const double across = l->frequency * cos(l->direction), down = l->frequency * sin(l->direction);
    double front[CHANNELS], back[CHANNELS];
    for (int c = 0; c < CHANNELS; c++) front[c] = light * colour(hue, c), back[c] = back_light * colour(back_hue, c);
    uint64_t noise = 0;
    for (int i = 0; i < PIXELS; i++) {
        const int line = i / SIDE;
        const double y = line - row, x = i % SIDE - column, radius = sqrt(x * x + y * y);
        double share = 0, stripes = 0; /* beyond the longest petal */
        if (radius < size + 1) {
            const double inside = size * (1 - l->depth + l->depth * cos(l->petals * (atan2(y, x) - turned))) - radius;
            share = fmin(fmax(inside + 0.5, 0), 1);
            stripes = 1 - l->contrast * (0.5 + 0.5 * sin(across * x + down * y));
        }
        if (i % 2 == 0) noise = sustain_random_bits(seed, STREAM_NOISE, (uint64_t)picture, (uint32_t)i / 2);
        for (int c = 0; c < CHANNELS; c++, noise >>= 8)
            out[c * PIXELS + i] = (uint8_t)(220 * (share * stripes * front[c] + (1 - share) * back[c]) + (double)(noise & 255) / 8);
    }
}

typedef struct making {
    uint64_t seed;
    int64_t begin; /* the first class */
    uint8_t *pixels;
} making;

static void paint_class(void *user, int64_t number) {
    const making *m = user;
    const int64_t class_number = m->begin + number;
    const look l = draw_look(m->seed, class_number);
    for (int64_t i = 0; i < PER_CLASS; i++)
        paint(&l, m->seed, class_number * PER_CLASS + i, m->pixels + (number * PER_CLASS + i) * PICTURE);
}

static sustain_status list_classes(const making *m, int64_t count, sustain__picture_list *list) {
    for (int64_t c = 0; c < count; c++) {
        char name[32];
        snprintf(name, sizeof name, "flower %lld", (long long)(m->begin + c));
        SUSTAIN_TRY(sustain__list_class(list, name));
        for (int64_t i = 0; i < PER_CLASS; i++) {
            const sustain__raster raster = sustain__raster_planar(m->pixels + (c * PER_CLASS + i) * PICTURE, CHANNELS, SIDE, SIDE);
            SUSTAIN_TRY(sustain__list_raster(list, c, &raster));
        }
    }
    return SUSTAIN_OK;
}

sustain_status sustain__make_shapes(const sustain__picture_request *request, sustain_pictures **out) {
    sustain__picture_list list = {.context = request->context};
    const bool all = request->split == SUSTAIN_SPLIT_ALL;
    making m = {.seed = request->seed, .begin = all ? 0 : split_begin[request->split]};
    const int64_t count = split_begin[all ? 3 : request->split + 1] - m.begin;
    SUSTAIN_TRY(sustain__allocate(request->context, (size_t)count * PER_CLASS * PICTURE, &m.pixels));
    sustain_status status = sustain__parallel_until(request->context, count, paint_class, &m);
    if (status == SUSTAIN_OK) status = list_classes(&m, count, &list);
    if (status == SUSTAIN_OK) status = sustain__pictures_make(request, &list, out);
    sustain__list_free(&list);
    sustain__free(request->context, m.pixels);
    return status;
}

/* picture_resize.c - crops and resizes a picture with one scale for both sides, rows first, then
 * columns. Pixel o of the result is a weighted mean of the original pixels from first[o] on.
 * When shrinking (scale > 1), the weight of a pixel is its overlap with o * scale .. (o + 1) *
 * scale; when growing, the two nearest pixels are interpolated linearly at (o + 1/2) * scale. */
#include "data/picture.h"

#include <math.h>

/* Tolerance for rounding in the number of pixels. */
static const double rounding = 1e-9;

/* Weights along one side. */
typedef struct side {
    int64_t count, reach; /* pixels of the result; weights of each */
    int64_t *first;       /* (count) */
    double *weight;       /* (count, reach); 0 outside the picture */
} side;

static double area_weight(double from, double to, int64_t pixel) {
    const double begin = fmax(from, (double)pixel), end = fmin(to, (double)pixel + 1);
    return fmax(end - begin, 0);
}

static double linear_weight(double centre, int64_t pixel) {
    return fmax(1 - fabs(centre - (double)pixel), 0);
}

/* `length` pixels of the original; the crop is centred, in whole pixels of the result. */
static void weigh(side *s, int64_t length, double scale) {
    const double left = floor(((double)length / scale - (double)s->count) / 2 + rounding), begin = fmax(left, 0) * scale;
    for (int64_t o = 0; o < s->count; o++) {
        const double from = begin + (double)o * scale, centre = fmin(fmax(from + (scale - 1) / 2, 0), (double)(length - 1));
        double *weight = s->weight + o * s->reach, sum = 0;
        s->first[o] = (int64_t)(scale > 1 ? fmin(from, (double)(length - 1)) : centre);
        for (int64_t k = 0; k < s->reach && s->first[o] + k < length; k++) {
            const int64_t pixel = s->first[o] + k;
            weight[k] = scale > 1 ? area_weight(from, from + scale, pixel) : linear_weight(centre, pixel);
            sum += weight[k];
        }
        for (int64_t k = 0; k < s->reach; k++) weight[k] /= sum;
    }
}

static sustain_status make_side(sustain_context *context, int64_t count, int64_t length, double scale, side *s) {
    s->count = count;
    /* whole pixels, and a partial one at each end; two when growing */
    s->reach = (int64_t)scale + 2;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, sizeof *s->first), &s->first));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, (size_t)s->reach * sizeof *s->weight), &s->weight));
    weigh(s, length, scale);
    return SUSTAIN_OK;
}

/* line (width) <- row o of the result, as wide as the original, of one channel. */
static void mix_rows(const sustain__raster *from, const side *rows, int64_t o, int64_t channel, double *line) {
    for (int64_t x = 0; x < from->width; x++) line[x] = 0;
    for (int64_t k = 0; k < rows->reach; k++) {
        const double weight = rows->weight[o * rows->reach + k];
        if (!(weight > 0)) continue;
        const uint8_t *pixel = from->pixels + (rows->first[o] + k) * from->row_step + channel * from->channel_step;
        for (int64_t x = 0; x < from->width; x++) line[x] += weight * pixel[x * from->column_step];
    }
}

static void mix_columns(const double *line, const side *columns, double factor, double *out) {
    for (int64_t o = 0; o < columns->count; o++) {
        const double *weight = columns->weight + o * columns->reach, *from = line + columns->first[o];
        double sum = 0;
        for (int64_t k = 0; k < columns->reach; k++)
            if (weight[k] > 0) sum += weight[k] * from[k];
        out[o] += factor * sum;
    }
}

/* Channel `channel` of the result: grey is a mix of all three colours; from grey, all channels
 * are equal. `line` holds a row of the original and one of the result. */
static void fit_channel(const sustain__raster *from, const side *rows, const side *columns, int64_t channel, bool grey, double *line,
                        uint8_t *out) {
    static const double share[3] = {0.299, 0.587, 0.114};
    double *mixed = line + from->width;
    const bool mix = grey && from->channels == 3;
    const int64_t begin = mix || from->channels == 1 ? 0 : channel, end = mix ? 3 : begin + 1;
    for (int64_t o = 0; o < rows->count; o++) {
        for (int64_t x = 0; x < columns->count; x++) mixed[x] = 0;
        for (int64_t c = begin; c < end; c++) {
            mix_rows(from, rows, o, c, line);
            mix_columns(line, columns, mix ? from->scale * share[c] : from->scale, mixed);
        }
        for (int64_t x = 0; x < columns->count; x++) out[o * columns->count + x] = (uint8_t)(mixed[x] + 0.5);
    }
}

/* Fast path: nothing to crop, resize or mix. */
static void copy(const sustain__raster *from, uint8_t *out) {
    for (int64_t c = 0; c < from->channels; c++)
        for (int64_t r = 0; r < from->height; r++) {
            const uint8_t *pixel = from->pixels + r * from->row_step + c * from->channel_step;
            for (int64_t x = 0; x < from->width; x++) *out++ = pixel[x * from->column_step];
        }
}

sustain_status sustain__raster_fit(sustain_context *context, const sustain__raster *from, int64_t channels, int64_t height, int64_t width,
                                   uint8_t *out) {
    const double scale = fmin((double)from->height / (double)height, (double)from->width / (double)width);
    side rows = {.first = NULL}, columns = {.first = NULL};
    double *line = NULL;
    if (from->height == height && from->width == width && from->channels == channels && from->scale == 1) {
        copy(from, out);
        return SUSTAIN_OK;
    }
    sustain_status status = make_side(context, height, from->height, scale, &rows);
    if (status == SUSTAIN_OK) status = make_side(context, width, from->width, scale, &columns);
    if (status == SUSTAIN_OK) status = sustain__allocate(context, (size_t)(from->width + width) * sizeof *line, &line);
    for (int64_t c = 0; status == SUSTAIN_OK && c < channels; c++)
        fit_channel(from, &rows, &columns, c, channels == 1, line, out + c * height * width);
    void *const owned[] = {rows.first, rows.weight, columns.first, columns.weight, line};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) sustain__free(context, owned[i]);
    return status;
}

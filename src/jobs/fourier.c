/* fourier.c - random Fourier features: see fourier.h. Angles are the scores of a linear model with
 * `waves` outputs, in blocks of rows; each row is computed alone, so that the bits are the same for
 * any number of threads. */
#include "jobs/fourier.h"

#include <math.h>
#include <string.h>

#include <sustain/random.h>

#include "core/cancel.h"
#include "core/vector.h"
#include "problems/rows_double.h"
#include "problems/rows_internal.h"

enum { STREAM = 34 }; /* of random numbers */
enum { VARIANCE_ROWS = 4000, CHUNK = 512, AT_ONCE = 16 };

void sustain__fourier_draw(uint64_t seed, double deviation, int64_t waves, int64_t dim, sustain_real *w) {
    for (int64_t r = 0; r < waves; r++) {
        for (int64_t j = 0; j < dim; j++)
            w[r * dim + j] = (sustain_real)(deviation * sustain_random_normal(seed, STREAM, (uint64_t)r, (uint32_t)j));
        w[waves * dim + r] = 0;
    }
}

void sustain__fourier_orthogonalize(int64_t waves, int64_t dim, sustain_real *w) {
    for (int64_t r = 0; r < waves; r++) {
        sustain_real *own = w + r * dim;
        const double length = sqrt(sustain__dot(dim, own, own));
        for (int64_t o = r - r % dim; o < r; o++) {
            const sustain_real *other = w + o * dim;
            const double square = sustain__dot(dim, other, other);
            if (square > 0) sustain__add(dim, -sustain__dot(dim, own, other) / square, other, own);
        }
        const double left = sqrt(sustain__dot(dim, own, own));
        if (left > 0) sustain__scale(dim, length / left, own);
    }
}

sustain_status sustain__fourier_variances(sustain_context *context, const sustain_rows *rows, double *variance) {
    const int64_t step = rows->stored / VARIANCE_ROWS + 1;
    double *sum, count = 0;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)rows->dim, sizeof *sum), &sum));
    memset(variance, 0, (size_t)rows->dim * sizeof *variance);
    for (int64_t place = 0; place < rows->stored; place += step, count++) {
        const sustain__row a = sustain__row_at(rows, place);
        sustain__row_add(a, 1, sum);
        sustain__row_add_square(a, 1, variance);
    }
    for (int64_t j = 0; j < rows->dim; j++) variance[j] = fmax(variance[j] / count - sum[j] / count * (sum[j] / count), 0);
    sustain__free(context, sum);
    return SUSTAIN_OK;
}

sustain_status sustain__fourier_variance(sustain_context *context, const sustain_rows *rows, double *variance) {
    double *each;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)rows->dim, sizeof *each), &each));
    const sustain_status status = sustain__fourier_variances(context, rows, each);
    *variance = 0;
    for (int64_t j = 0; j < rows->dim; j++) *variance += each[j];
    sustain__free(context, each);
    return status;
}

/* z (count, 2 waves) <- the features of a block of rows. memory has that of a block with `waves`
 * columns. */
static void map_block(const sustain_fourier *f, const sustain_rows *rows, const sustain_batch *batch, int64_t first, int64_t count,
                      float scale, void *memory, int64_t stride, float *z) {
    const int64_t waves = f->waves;
    const sustain__model model = {.dim = rows->dim, .width = waves, .intercept = true};
    sustain__block b;
    sustain__block_begin(sustain__kernels_best(), &model, waves, memory, &b);
    sustain__block_take(&b, rows, batch, first, count);
    sustain__block_column(&b, f->w);
    sustain__block_scores(&b);
    for (int64_t i = 0; i < count; i++)
        for (int64_t r = 0; r < waves; r++) {
            const float angle = (float)b.s[i * waves + r];
            z[i * stride + r] = scale * cosf(angle);
            z[i * stride + waves + r] = scale * sinf(angle);
        }
}

/* ---- all features of many rows ---- */

typedef struct mapping {
    const sustain_fourier *fourier;
    const sustain_rows *rows;
    sustain_batch batch;
    int64_t count, first; /* of rows; chunk */
    float scale;
    char *memory; /* (AT_ONCE, piece) */
    size_t piece;
    int64_t stride;
    float *out;
} mapping;

static void map_chunk(void *user, int64_t number) {
    const mapping *m = user;
    const int64_t begin = (m->first + number) * CHUNK, end = begin + CHUNK < m->count ? begin + CHUNK : m->count;
    for (int64_t i = begin; i < end; i += SUSTAIN__BLOCK)
        map_block(m->fourier, m->rows, m->batch.index != NULL ? &m->batch : NULL, i, end - i < SUSTAIN__BLOCK ? end - i : SUSTAIN__BLOCK,
                  m->scale, m->memory + (size_t)number * m->piece, m->stride, m->out + i * m->stride);
}

sustain_status sustain__fourier_map(sustain_context *context, const sustain_fourier *fourier, const sustain_rows *rows,
                                    const int64_t *index, int64_t count, float scale, int64_t stride, float *out) {
    const int64_t chunks = (count + CHUNK - 1) / CHUNK;
    mapping m = {.fourier = fourier,
                 .rows = rows,
                 .batch = {.size = count, .index = index},
                 .count = count,
                 .scale = scale,
                 .piece = sustain__block_bytes(fourier->waves),
                 .stride = stride,
                 .out = out};
    SUSTAIN_TRY(sustain__allocate(context, AT_ONCE * m.piece, &m.memory));
    sustain_status status = SUSTAIN_OK;
    for (; m.first < chunks && status == SUSTAIN_OK; m.first += AT_ONCE)
        status = sustain__parallel_until(context, chunks - m.first < AT_ONCE ? chunks - m.first : AT_ONCE, map_chunk, &m);
    sustain__free(context, m.memory);
    return status;
}

/* ---- scores ---- */

static size_t bytes_of_z(const sustain_fourier *f) {
    return sustain__lines(SUSTAIN__BLOCK * 2 * f->waves, sizeof(float));
}

size_t sustain__fourier_bytes(const sustain_fourier *f, int64_t classes) {
    return bytes_of_z(f) + sustain__block_bytes(f->waves > classes ? f->waves : classes); /* one block after the other */
}

void sustain__fourier_add(const sustain_fourier *f, int64_t classes, const sustain_rows *rows, const sustain_batch *batch, int64_t first,
                          int64_t count, void *memory, sustain_real *s) {
    float *z = memory;
    char *rest = (char *)memory + bytes_of_z(f);
    const sustain__model model = {.dim = 2 * f->waves, .width = classes};
    const sustain_rows features = {.count = count, .stored = count, .dim = model.dim, .values = z};
    sustain__block b;
    map_block(f, rows, batch, first, count, 1, rest, model.dim, z);
    sustain__block_begin(sustain__kernels_best(), &model, classes, rest, &b);
    sustain__block_take(&b, &features, NULL, 0, count);
    sustain__block_column(&b, f->v);
    sustain__block_scores(&b);
    for (int64_t i = 0; i < count * classes; i++) s[i] += b.s[i];
}

/* ---- derivatives ---- */

void sustain__fourier_add_slopes(const sustain_fourier *f, int64_t dim, int64_t width, const float *a, const double *y, double *g,
                                 double *squares) {
    const int64_t waves = f->waves;
    const float *cosine = a + dim, *sine = cosine + waves;
    for (int64_t k = 0; k < width; k++) {
        for (int64_t j = 0; j < dim; j++) g[j] = y[j * width + k];
        for (int64_t r = 0; r < waves; r++) {
            const double along = y[(dim + waves + r) * width + k] * (double)cosine[r] - y[(dim + r) * width + k] * (double)sine[r];
            for (int64_t j = 0; j < dim; j++) g[j] += along * (double)f->w[r * dim + j];
        }
        for (int64_t j = 0; j < dim; j++) squares[j] += g[j] * g[j];
    }
}

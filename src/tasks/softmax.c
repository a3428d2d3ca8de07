/* softmax.c - softmax regression: see softmax.h.
 *
 * Rows are taken in chunks of a fixed size, each summed up by itself; the sums of the chunks are added in their order, in double. So threads
 * share the chunks as they like, and the bits stay the same. Within a chunk a block of rows is brought to numbers once and used twice,
 * for the scores and for the gradient (problems/rows.h). */
#include "tasks/softmax.h"

#include <math.h>

#include "core/exp.h"
#include "core/parallel.h"
#include "core/vector.h"
#include "hypergrad/lbfgs.h"
#include "problems/rows.h"

enum { CHUNK = 1024, MOST_CHUNKS_AT_ONCE = 32, MOST_SAMPLED = 4096 };
#define MOST_PARTIAL_SUMS ((int64_t)1 << 23) /* numbers in the sums of the chunks at work, unless there are but two */

/* ---- one row ---- */

/* s <- softmax(s). The largest score is taken out, so that no exponential overflows. Returns log sum exp. */
static double softmax(int64_t classes, sustain_real *s) {
    sustain_real most = s[0];
    double sum = 0;
    for (int64_t k = 1; k < classes; k++) most = s[k] > most ? s[k] : most;
    for (int64_t k = 0; k < classes; k++) s[k] -= most;
    sustain__exp(classes, s, s);
    for (int64_t k = 0; k < classes; k++) sum += (double)s[k];
    const sustain_real inverse = (sustain_real)(1 / sum);
    for (int64_t k = 0; k < classes; k++) s[k] *= inverse;
    return (double)most + log(sum);
}

/* s: scores -> weight (p - q); returns weight times the loss. */
static double residual(int64_t classes, int32_t label, const sustain_real *noise, sustain_real weight, sustain_real *s) {
    const double own = (double)s[label];
    const double whole = softmax(classes, s);
    if (noise == NULL) {
        s[label] -= 1;
        for (int64_t k = 0; k < classes; k++) s[k] *= weight;
        return (double)weight * (whole - own);
    }
    const sustain_real *likelihood = noise + label * classes;
    double sum = 0;
    for (int64_t k = 0; k < classes; k++) sum += (double)(s[k] * likelihood[k]);
    const sustain_real inverse = (sustain_real)(1 / sum);
    for (int64_t k = 0; k < classes; k++) s[k] *= weight * (1 - likelihood[k] * inverse);
    return -(double)weight * log(sum);
}

/* ---- chunks ---- */

typedef struct fit {
    sustain_context *context;
    sustain__model model;
    const sustain__some_rows *parts;
    double c, whole; /* of the weights */
    int64_t chunks, at_once;
    sustain__block *blocks; /* (at_once) */
    sustain_real *partial;  /* (at_once, size) sums of the chunks at work */
    double *loss;           /* (at_once) */
    double *sum;            /* (size) */
    void *memory;
} fit;

static int64_t chunks_of(int64_t count) {
    return (count + CHUNK - 1) / CHUNK;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t row_number(const sustain__some_rows *part, int64_t j) {
    return part->index != NULL ? part->index[j] : j;
}

/* The scores of rows j .. j+m-1. */
static void block_scores(const sustain__some_rows *part, int64_t j, int64_t m, const sustain_real *y, sustain__block *b) {
    const sustain_batch batch = {.size = part->count, .index = part->index};
    sustain__block_clear(b);
    sustain__block_take(b, part->rows, part->index != NULL ? &batch : NULL, j, m);
    sustain__block_column(b, y);
    sustain__block_scores(b);
}

/* Loss and gradient of one chunk, `number` counted through all parts. */
static double chunk_sum(const fit *f, int64_t number, const sustain_real *y, sustain__block *b, sustain_real *gradient) {
    const sustain__some_rows *part = f->parts;
    while (number >= chunks_of(part->count)) number -= chunks_of(part++->count);
    const int64_t end = least(number * CHUNK + CHUNK, part->count);
    double loss = 0;
    sustain__zero(sustain__model_size(&f->model), gradient);
    for (int64_t j = number * CHUNK; j < end; j += SUSTAIN__BLOCK) {
        block_scores(part, j, least(end - j, SUSTAIN__BLOCK), y, b);
        for (int64_t i = 0; i < b->count; i++) {
            const int64_t row = row_number(part, j + i);
            const int32_t label = part->rows->labels[sustain__rows_place(part->rows, row)];
            const sustain_real weight = part->weights != NULL ? (sustain_real)part->weights[row] : 1;
            loss += residual(f->model.width, label, part->noise, weight, b->s + i * b->columns);
        }
        sustain__block_add(b, 1, &gradient);
    }
    return loss;
}

/* Chunks at work at the same time. */
typedef struct chunks {
    const fit *f;
    int64_t first;
    const sustain_real *y;
    float *probabilities; /* of a prediction */
} chunks;

static void sum_one(void *user, int64_t i) {
    const chunks *c = user;
    c->f->loss[i] = chunk_sum(c->f, c->first + i, c->y, &c->f->blocks[i], c->f->partial + i * sustain__model_size(&c->f->model));
}

static sustain_status objective(void *user, const sustain_real *y, double *value, sustain_real *gradient) {
    fit *f = user;
    const int64_t size = sustain__model_size(&f->model);
    double loss = 0;
    for (int64_t i = 0; i < size; i++) f->sum[i] = 0;
    for (int64_t first = 0; first < f->chunks; first += f->at_once) {
        const int64_t some = least(f->chunks - first, f->at_once);
        sustain__parallel(f->context, some, sum_one, &(chunks){.f = f, .first = first, .y = y});
        for (int64_t i = 0; i < some; i++) {
            loss += f->loss[i];
            for (int64_t k = 0; k < size; k++) f->sum[k] += (double)f->partial[i * size + k];
        }
    }
    *value = loss / f->whole + f->c * sustain__dot(size, y, y);
    for (int64_t i = 0; i < size; i++) gradient[i] = (sustain_real)(f->sum[i] / f->whole + 2 * f->c * (double)y[i]);
    return SUSTAIN_OK;
}

/* ---- memory ---- */

static size_t rounded(size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

/* Blocks for the chunks at work, and with `sums` their sums. */
static sustain_status fit_allocate(fit *f, bool sums) {
    const int64_t size = sustain__model_size(&f->model);
    f->at_once = least(MOST_PARTIAL_SUMS / size, MOST_CHUNKS_AT_ONCE);
    if (f->at_once < 2) f->at_once = 2;
    f->at_once = least(f->at_once, f->chunks);
    const size_t n = (size_t)f->at_once, one = sustain__block_bytes(f->model.width);
    const size_t head = rounded(n * (sizeof *f->blocks + sizeof *f->loss)), total = sums ? rounded((size_t)size * sizeof *f->sum) : 0;
    const size_t partial = sums ? sustain__multiply(n * sizeof *f->partial, (size_t)size) : 0;
    SUSTAIN_TRY(sustain__allocate(f->context, head + sustain__multiply(n, one) + total + partial, &f->memory));
    char *at = (char *)f->memory + head;
    f->blocks = f->memory;
    f->loss = (double *)(void *)(f->blocks + n);
    for (size_t i = 0; i < n; i++, at += one) sustain__block_begin(sustain__kernels_best(), &f->model, f->model.width, at, &f->blocks[i]);
    f->sum = (double *)(void *)at;
    f->partial = (sustain_real *)(void *)(at + total);
    return SUSTAIN_OK;
}

static sustain__model model_of(const sustain_softmax_options *o, const sustain_rows *rows) {
    return (sustain__model){.dim = rows->dim, .width = o->classes, .intercept = o->intercept};
}

/* ---- fit ---- */

static double sum_of_weights(const sustain__some_rows *part) {
    if (part->weights == NULL) return (double)part->count;
    double sum = 0;
    for (int64_t j = 0; j < part->count; j++) sum += (double)part->weights[row_number(part, j)];
    return sum;
}

static sustain_status minimize(fit *f, const sustain_softmax_options *o, double mean_square, sustain_real *y) {
    enum { VECTORS = 2 * SUSTAIN__LBFGS_PAIRS + 5 };
    const int64_t n = sustain__model_size(&f->model);
    sustain_real *memory;
    SUSTAIN_TRY(sustain__allocate(f->context, sustain__multiply((size_t)n, VECTORS * sizeof *memory), &memory));
    sustain_real *at = memory + 2 * SUSTAIN__LBFGS_PAIRS * n;
    sustain__lbfgs l = {.context = f->context,
                        .n = n,
                        .objective = objective,
                        .user = f,
                        .first = 1 / (2 * f->c + mean_square / 2), /* the Hessian of the cross entropy in the scores is at most 1/2 */
                        .limit = o->iterations,
                        .s = memory,
                        .t = memory + SUSTAIN__LBFGS_PAIRS * n,
                        .d = at,
                        .y_new = at + n,
                        .gradient = at + 2 * n,
                        .gradient_new = at + 3 * n,
                        .best = at + 4 * n};
    /* The gradient at y = 0 is about the norm of a row; a warm start must not ask for more than a cold one. */
    l.tolerance = o->tolerance * sqrt(mean_square);
    const sustain_status status = sustain__lbfgs_minimize(&l, y);
    sustain__free(f->context, memory);
    return status == SUSTAIN_NOT_CONVERGED ? SUSTAIN_OK : status;
}

sustain_status sustain__softmax_fit(sustain_context *context, const sustain_softmax_options *o, const sustain__some_rows *parts,
                                    int part_count, sustain_real *y) {
    fit f = {.context = context, .model = model_of(o, parts[0].rows), .parts = parts, .c = o->c};
    double mean_square = 0;
    for (int p = 0; p < part_count; p++) {
        const double weight = sum_of_weights(&parts[p]);
        f.whole += weight;
        f.chunks += chunks_of(parts[p].count);
        mean_square += weight * (sustain__rows_mean_square(parts[p].rows) + (o->intercept ? 1 : 0));
    }
    sustain_status status = fit_allocate(&f, true);
    if (status == SUSTAIN_OK) status = minimize(&f, o, mean_square / f.whole, y);
    sustain__free(context, f.memory);
    return status;
}

/* ---- use ---- */

int32_t sustain__likeliest(int64_t classes, const float *p) {
    int32_t best = 0;
    for (int32_t k = 1; k < classes; k++)
        if (p[k] > p[best]) best = k;
    return best;
}

static void predict_one(void *user, int64_t number_at_work) {
    const chunks *c = user;
    const fit *f = c->f;
    sustain__block *b = &f->blocks[number_at_work];
    const int64_t number = c->first + number_at_work, classes = f->model.width, end = least(number * CHUNK + CHUNK, f->parts->count);
    for (int64_t j = number * CHUNK; j < end; j += SUSTAIN__BLOCK) {
        block_scores(f->parts, j, least(end - j, SUSTAIN__BLOCK), c->y, b);
        for (int64_t i = 0; i < b->count; i++) {
            sustain_real *s = b->s + i * b->columns;
            float *out = c->probabilities + row_number(f->parts, j + i) * classes;
            softmax(classes, s);
            for (int64_t k = 0; k < classes; k++) out[k] = (float)s[k];
        }
    }
}

sustain_status sustain__softmax_predict(sustain_context *context, const sustain_softmax_options *o, const sustain__some_rows *part,
                                        const sustain_real *y, float *probabilities) {
    fit f = {.context = context, .model = model_of(o, part->rows), .parts = part, .chunks = chunks_of(part->count)};
    if (f.chunks == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(fit_allocate(&f, false));
    for (int64_t first = 0; first < f.chunks; first += f.at_once) {
        const int64_t some = least(f.chunks - first, f.at_once);
        sustain__parallel(context, some, predict_one, &(chunks){.f = &f, .first = first, .y = y, .probabilities = probabilities});
    }
    sustain__free(context, f.memory);
    return SUSTAIN_OK;
}

sustain_status sustain__softmax_accuracy(sustain_context *context, const sustain_softmax_options *o, const sustain_rows *rows,
                                         const sustain_real *y, double *accuracy) {
    float *p;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)rows->count, (size_t)o->classes * sizeof *p), &p));
    const sustain__some_rows all = {.rows = rows, .count = rows->count};
    const sustain_status status = sustain__softmax_predict(context, o, &all, y, p);
    int64_t right = 0;
    for (int64_t i = 0; i < rows->count && status == SUSTAIN_OK; i++)
        right += sustain__likeliest(o->classes, p + i * o->classes) == rows->labels[sustain__rows_place(rows, i)];
    *accuracy = (double)right / (double)rows->count;
    sustain__free(context, p);
    return status;
}

double sustain__rows_mean_square(const sustain_rows *rows) {
    const int64_t count = rows->count < MOST_SAMPLED ? rows->count : MOST_SAMPLED;
    double sum = 0;
    for (int64_t j = 0; j < count; j++) {
        const sustain__row a = sustain__row_at(rows, sustain__rows_place(rows, j * (rows->count / count)));
        double square = 0;
        for (int64_t k = 0; k < a.count; k++) {
            const double value = a.value != NULL ? (double)a.value[k] : (double)a.byte[k];
            square += value * value;
        }
        sum += square * (double)a.scale * (double)a.scale;
    }
    return sum / (double)count;
}

/* softmax_fit.c - softmax regression: see softmax.h.
 *
 * Rows are taken in chunks of a fixed size, each summed up by itself; the sums of the chunks are
 * added in their order, in double. So threads share the chunks as they like, and the bits stay the
 * same. Within a chunk a block of rows is brought to numbers once and used twice, for the scores
 * and for the gradient (problems/rows.h).
 *
 * The classifiers of several folds are fitted as one: L-BFGS minimizes the sum of their losses over
 * all of their parameters. They are so much alike that it learns the curvature as fast as from one
 * alone, and a row is read once for all of them. */
#include "jobs/softmax_fit.h"

#include <math.h>

#include "core/part_sums.h"
#include "core/vector.h"
#include "hypergrad/lbfgs.h"
#include "problems/rows_internal.h"
#include "jobs/fourier.h"
#include "jobs/precondition.h"
#include "jobs/softmax_sparse.h"

enum { CHUNK = 1024, MOST_CHUNKS_AT_ONCE = 32, MOST_SAMPLED = 4096 };
enum { SPARSE_PAIRS = 4 }; /* of L-BFGS on sparse rows: models are long, and passes over the pairs cost more than the rows */
#define MOST_PARTIAL_SUMS ((int64_t)1 << 23)  /* numbers in the sums of the chunks at work, unless there are but two */
#define MOST_AT_ONCE ((int64_t)1 << 22)       /* numbers in the models that are fitted at the same time, unless there is but one */
#define MOST_FOURIER_BYTES ((int64_t)1 << 22) /* of Fourier features at work, and those of one block of rows more */

/* ---- one row ---- */

double sustain__softmax_residual(int64_t classes, int32_t label, const sustain_real *noise, sustain_real weight, double score,
                                 double log_sum, sustain_real *p) {
    if (noise == NULL) {
        p[label] -= 1;
        for (int64_t k = 0; k < classes; k++) p[k] *= weight;
        return (double)weight * (log_sum - score);
    }
    const sustain_real *likelihood = noise + label * classes;
    double sum = 0;
    for (int64_t k = 0; k < classes; k++) sum += (double)(p[k] * likelihood[k]);
    const sustain_real inverse = (sustain_real)(1 / sum);
    for (int64_t k = 0; k < classes; k++) p[k] *= weight * (1 - likelihood[k] * inverse);
    return -(double)weight * log(sum);
}

/* ---- chunks ---- */

typedef struct fit {
    sustain_context *context;
    sustain__model model;
    const sustain__some_rows *parts;
    int64_t folds;         /* 0: one model of all parts; else model k is fitted without the parts k, k + folds, ... */
    int64_t first, models; /* the models at work: from number `first` on */
    double c;
    double share[SUSTAIN__MOST_FOLDS]; /* (models) 1 / the sum of the weights of its rows */
    int64_t chunks, at_once;
    sustain__block *blocks; /* (at_once) */
    sustain_real *partial;  /* (at_once, models, size) sums of the chunks at work ... */
    double *run;            /* (at_once, models * size + 1) ... and of their neighbours */
    double *loss;           /* (at_once) */
    double *sum;            /* (models, size) */
    sustain__precondition precondition;
    bool sparse; /* all rows are: then chunks and their sums are not used */
    sustain__sparse_fit columns;
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

/* In the models at work. */
static int64_t numbers(const fit *f) {
    return f->models * sustain__model_size(&f->model);
}

/* The model, counted from `first` on, that a part has no part in; -1: there is none. */
static int64_t held_from(const fit *f, const sustain__some_rows *part) {
    return f->folds > 0 ? (part - f->parts) % f->folds - f->first : -1;
}

/* Models at one block of rows. */
typedef struct looking {
    int count;
    const sustain_real *y[SUSTAIN__MOST_FOLDS];
    sustain_real *gradient[SUSTAIN__MOST_FOLDS];
    double share[SUSTAIN__MOST_FOLDS];
} looking;

/* The scores of rows j .. j+m-1. */
static void block_scores(const sustain__some_rows *part, int64_t j, int64_t m, int count, const sustain_real *const *y, sustain__block *b) {
    const sustain_batch batch = {.size = part->count, .index = part->index};
    sustain__block_clear(b);
    sustain__block_take(b, part->rows, part->index != NULL ? &batch : NULL, j, m);
    for (int k = 0; k < count; k++) sustain__block_column(b, y[k]);
    sustain__block_scores(b);
}

/* Loss and gradient of rows j .. j+m-1, added to the gradients of the models that look at them. */
static double block_sum(const fit *f, const sustain__some_rows *part, int64_t j, int64_t m, const looking *models, sustain__block *b) {
    const int64_t classes = f->model.width;
    const int n = models->count;
    double loss = 0, score[SUSTAIN__BLOCK * SUSTAIN__MOST_FOLDS], log_sum[SUSTAIN__BLOCK * SUSTAIN__MOST_FOLDS];
    int32_t label[SUSTAIN__BLOCK];
    block_scores(part, j, m, n, models->y, b);
    for (int64_t i = 0; i < m; i++) {
        label[i] = part->rows->labels[sustain__rows_place(part->rows, row_number(part, j + i))];
        for (int k = 0; k < n; k++) score[i * n + k] = (double)b->s[i * b->columns + k * classes + label[i]];
    }
    sustain__softmax(m, b->columns, n, classes, b->s, log_sum);
    for (int64_t i = 0; i < m; i++) {
        const double weight = part->weights != NULL ? (double)part->weights[row_number(part, j + i)] : 1;
        for (int k = 0; k < n; k++)
            loss += sustain__softmax_residual(classes, label[i], part->noise, (sustain_real)(weight * models->share[k]), score[i * n + k],
                                              log_sum[i * n + k], b->s + i * b->columns + k * classes);
    }
    sustain__block_add(b, models->count, models->gradient);
    return loss;
}

/* The same of one chunk, `number` counted through all parts. */
static double chunk_sum(const fit *f, int64_t number, const sustain_real *y, sustain__block *b, sustain_real *gradient) {
    const int64_t size = sustain__model_size(&f->model);
    const sustain__some_rows *part = f->parts;
    while (number >= chunks_of(part->count)) number -= chunks_of(part++->count);
    const int64_t end = least(number * CHUNK + CHUNK, part->count), held = held_from(f, part);
    looking models = {.count = 0};
    for (int64_t k = 0; k < f->models; k++) {
        if (k == held) continue;
        models.y[models.count] = y + k * size;
        models.gradient[models.count] = gradient + k * size;
        models.share[models.count++] = f->share[k];
    }
    double loss = 0;
    sustain__zero(f->models * size, gradient);
    for (int64_t j = number * CHUNK; j < end && models.count > 0; j += SUSTAIN__BLOCK)
        loss += block_sum(f, part, j, least(end - j, SUSTAIN__BLOCK), &models, b);
    return loss;
}

/* A pass over the chunks: of a fit, or of a prediction. */
typedef struct pass {
    const fit *f;
    const sustain_real *y;
    float *probabilities;
    int64_t first;                  /* of the chunks at work */
    const sustain_fourier *fourier; /* what is added to the scores of a prediction, or NULL ... */
    char *fourier_memory;           /* ... (at_once, fourier_bytes) */
    size_t fourier_bytes;
} pass;

static void sum_one(void *user, int64_t number, int64_t slot) {
    const pass *p = user;
    p->f->loss[slot] = chunk_sum(p->f, number, p->y, &p->f->blocks[slot], p->f->partial + slot * numbers(p->f));
}

static sustain_status sparse_objective(void *user, const sustain_real *y, double *value, sustain_real *gradient) {
    fit *f = user;
    const int64_t size = numbers(f);
    SUSTAIN_TRY(sustain__sparse_sum(f->context, &f->columns, y, value, gradient));
    *value += f->c * sustain__dot(size, y, y);
    for (int64_t i = 0; i < size; i++) gradient[i] += (sustain_real)(2 * f->c) * y[i];
    return SUSTAIN_OK;
}

static sustain_status objective(void *user, const sustain_real *y, double *value, sustain_real *gradient) {
    fit *f = user;
    const int64_t size = numbers(f);
    double loss;
    const sustain__parts parts = {.context = f->context,
                                  .sum = sum_one,
                                  .user = &(pass){.f = f, .y = y},
                                  .by = SUSTAIN__PROCESSES_UNTIL,
                                  .count = f->chunks,
                                  .slots = f->at_once,
                                  .numbers = size,
                                  .stride = size,
                                  .partial = f->partial,
                                  .value = f->loss,
                                  .run = f->run,
                                  .total = f->sum};
    SUSTAIN_TRY(sustain__parts_sum(&parts, &loss));
    *value = loss + f->c * sustain__dot(size, y, y);
    for (int64_t i = 0; i < size; i++) gradient[i] = (sustain_real)(f->sum[i] + 2 * f->c * (double)y[i]);
    return SUSTAIN_OK;
}

/* ---- memory ---- */

/* Blocks for the chunks at work, and with `sums` their sums. */
typedef struct fit_bytes {
    size_t head, one, total, run, partial, all;
} fit_bytes;

static fit_bytes measure(fit *f, bool sums) {
    const int64_t size = numbers(f);
    f->at_once = least(MOST_PARTIAL_SUMS / size, MOST_CHUNKS_AT_ONCE);
    if (f->at_once < 2) f->at_once = 2;
    f->at_once = least(f->at_once, f->chunks);
    const size_t n = (size_t)f->at_once;
    fit_bytes b = {.head = sustain__lines(f->at_once, sizeof *f->blocks + sizeof *f->loss),
                   .one = sustain__block_bytes(f->models * f->model.width),
                   .total = sums ? sustain__lines(size, sizeof *f->sum) : 0,
                   .run = sums && f->chunks > f->at_once ? sustain__lines(f->at_once * (size + 1), sizeof *f->run) : 0,
                   .partial = sums ? sustain__multiply(n * sizeof *f->partial, (size_t)size) : 0};
    b.all = b.head + sustain__multiply(n, b.one) + b.total + b.run + b.partial;
    return b;
}

static sustain_status fit_allocate(fit *f, bool sums) {
    const fit_bytes b = measure(f, sums);
    const size_t n = (size_t)f->at_once;
    SUSTAIN_TRY(sustain__allocate(f->context, b.all, &f->memory));
    char *at = (char *)f->memory + b.head;
    f->blocks = f->memory;
    f->loss = (double *)(void *)(f->blocks + n);
    for (size_t i = 0; i < n; i++, at += b.one)
        sustain__block_begin(sustain__kernels_best(), &f->model, f->models * f->model.width, at, &f->blocks[i]);
    f->sum = (double *)(void *)at;
    f->run = b.run > 0 ? (double *)(void *)(at + b.total) : NULL;
    f->partial = (sustain_real *)(void *)(at + b.total + b.run);
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

static void precondition(void *user, sustain_real *d) {
    const fit *f = user;
    sustain__precondition_apply(&f->precondition, f->models, f->model.width, d);
}

static int pairs_of(const fit *f) {
    return f->sparse ? SPARSE_PAIRS : SUSTAIN__LBFGS_PAIRS;
}

static size_t lbfgs_vectors(const fit *f) {
    return 2 * (size_t)pairs_of(f) + 5;
}

static sustain_status minimize(fit *f, const sustain_softmax_options *o, double mean_square, sustain_real *y) {
    const int pairs = pairs_of(f);
    const size_t vectors = lbfgs_vectors(f);
    const int64_t n = numbers(f);
    sustain_real *memory;
    SUSTAIN_TRY(sustain__allocate(f->context, sustain__multiply((size_t)n, vectors * sizeof *memory), &memory));
    sustain_real *at = memory + 2 * pairs * n;
    sustain__lbfgs l = {.context = f->context,
                        .n = n,
                        .objective = f->sparse ? sparse_objective : objective,
                        .user = f,
                        .first = 1,
                        .precondition = precondition,
                        .limit = o->iterations,
                        .s = memory,
                        .t = memory + pairs * n,
                        .pairs = pairs,
                        .d = at,
                        .y_new = at + n,
                        .gradient = at + 2 * n,
                        .gradient_new = at + 3 * n,
                        .best = at + 4 * n};
    /* The gradient at y = 0 is about the norm of a row; a warm start must not ask for more than a
     * cold one. */
    l.tolerance = o->tolerance * sqrt(mean_square * (double)f->models);
    const sustain_status status = sustain__lbfgs_minimize(&l, y);
    sustain__free(f->context, memory);
    return status == SUSTAIN_NOT_CONVERGED ? SUSTAIN_OK : status;
}

/* Fits the models at work. */
static sustain_status fit_models(fit *f, const sustain_softmax_options *o, int part_count, sustain_real *y) {
    const sustain__some_rows *largest = f->parts;
    f->chunks = 0;
    for (int64_t k = 0; k < f->models; k++) f->share[k] = 0;
    for (int p = 0; p < part_count; p++) {
        const double weight = sum_of_weights(&f->parts[p]);
        for (int64_t k = 0; k < f->models; k++) f->share[k] += k != held_from(f, &f->parts[p]) ? weight : 0;
        if (f->parts[p].count > largest->count) largest = &f->parts[p];
        f->chunks += chunks_of(f->parts[p].count);
    }
    for (int64_t k = 0; k < f->models; k++) f->share[k] = 1 / f->share[k];
    f->sparse = largest->rows->start != NULL;
    sustain_status status = f->sparse ? sustain__sparse_create(f->context, &f->model, f->parts, part_count, f->folds, f->first, f->models,
                                                               f->share, &f->columns)
                                      : fit_allocate(f, true);
    /* At y = 0 the Hessian of the cross entropy in a score is 1 / classes, less than that of
     * others. */
    if (status == SUSTAIN_OK)
        status = sustain__precondition_create(f->context, largest->rows, o->intercept, 1 / (double)o->classes, 2 * o->c, &f->precondition);
    if (status == SUSTAIN_OK) status = minimize(f, o, sustain__rows_mean_square(largest->rows) + (o->intercept ? 1 : 0), y);
    sustain__precondition_free(f->context, &f->precondition);
    sustain__sparse_free(f->context, &f->columns);
    sustain__free(f->context, f->memory);
    f->memory = NULL;
    return status;
}

sustain_status sustain__softmax_fit(sustain_context *context, const sustain_softmax_options *o, const sustain__some_rows *parts,
                                    int part_count, sustain_real *y) {
    fit f = {.context = context, .model = model_of(o, parts[0].rows), .models = 1, .parts = parts, .c = o->c};
    const sustain_phase before = sustain_context_phase(context, SUSTAIN_PHASE_FITS);
    const sustain_status status = fit_models(&f, o, part_count, y);
    sustain_context_phase(context, before);
    return status;
}

static int64_t models_at_once(const sustain__model *m) {
    const int64_t room = MOST_AT_ONCE / sustain__model_size(m);
    return room > 1 ? room : 1;
}

double sustain__softmax_fit_bytes(const sustain_softmax_options *o, const sustain_rows *rows, const int64_t counts[2], int64_t folds) {
    fit f = {.model = model_of(o, rows), .sparse = rows->start != NULL};
    f.models = least(folds, models_at_once(&f.model));
    for (int i = 0; i < 2; i++) f.chunks += folds * chunks_of((counts[i] + folds - 1) / folds);
    const double vectors = (double)numbers(&f) * (double)lbfgs_vectors(&f) * (double)sizeof(sustain_real);
    const double sums = f.sparse ? sustain__sparse_bytes(&f.model, rows, counts[0] + counts[1], f.models) : (double)measure(&f, true).all;
    return vectors + sums + sustain__precondition_bytes(rows, o->intercept);
}

sustain_status sustain__softmax_fit_folds(sustain_context *context, const sustain_softmax_options *o, const sustain__some_rows *parts,
                                          int part_count, int64_t folds, sustain_real *y) {
    fit f = {.context = context, .model = model_of(o, parts[0].rows), .parts = parts, .folds = folds, .c = o->c};
    const int64_t size = sustain__model_size(&f.model), room = models_at_once(&f.model);
    const sustain_phase before = sustain_context_phase(context, SUSTAIN_PHASE_FITS);
    sustain_status status = SUSTAIN_OK;
    for (; f.first < folds && status == SUSTAIN_OK; f.first += f.models) {
        f.models = least(folds - f.first, room);
        status = fit_models(&f, o, part_count, y + f.first * size);
    }
    sustain_context_phase(context, before);
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
    const pass *c = user;
    const fit *f = c->f;
    sustain__block *b = &f->blocks[number_at_work];
    const int64_t number = c->first + number_at_work, classes = f->model.width, end = least(number * CHUNK + CHUNK, f->parts->count);
    for (int64_t j = number * CHUNK; j < end; j += SUSTAIN__BLOCK) {
        double log_sum[SUSTAIN__BLOCK];
        block_scores(f->parts, j, least(end - j, SUSTAIN__BLOCK), 1, &c->y, b);
        if (c->fourier != NULL) {
            const sustain_batch batch = {.size = f->parts->count, .index = f->parts->index};
            sustain__fourier_add(c->fourier, classes, f->parts->rows, batch.index != NULL ? &batch : NULL, j, b->count,
                                 c->fourier_memory + (size_t)number_at_work * c->fourier_bytes, b->s);
        }
        sustain__softmax(b->count, classes, 1, classes, b->s, log_sum);
        for (int64_t i = 0; i < b->count; i++) {
            float *out = c->probabilities + row_number(f->parts, j + i) * classes;
            for (int64_t k = 0; k < classes; k++) out[k] = (float)b->s[i * classes + k];
        }
    }
}

/* One output a row: the rows of a chunk need not be neighbours. */
static void *predicted(void *user, int64_t number_at_work, int which, size_t *bytes) {
    const pass *c = user;
    const int64_t j = (c->first + number_at_work) * CHUNK + which, classes = c->f->model.width;
    *bytes = (size_t)classes * sizeof *c->probabilities;
    return which < CHUNK && j < c->f->parts->count ? c->probabilities + row_number(c->f->parts, j) * classes : NULL;
}

sustain_status sustain__softmax_predict(sustain_context *context, const sustain_softmax_options *o, const sustain__some_rows *part,
                                        const sustain_real *y, float *probabilities) {
    fit f = {.context = context, .model = model_of(o, part->rows), .models = 1, .parts = part, .chunks = chunks_of(part->count)};
    if (f.chunks == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(fit_allocate(&f, false));
    const sustain_phase before = sustain_context_phase(context, SUSTAIN_PHASE_PREDICTIONS);
    pass c = {.f = &f, .y = y, .probabilities = probabilities, .fourier = o->fourier};
    sustain_status status = SUSTAIN_OK;
    if (o->fourier != NULL) {
        c.fourier_bytes = sustain__fourier_bytes(o->fourier, o->classes);
        f.at_once = least(f.at_once, MOST_FOURIER_BYTES / (int64_t)c.fourier_bytes + 1);
        status = sustain__allocate(context, sustain__multiply((size_t)f.at_once, c.fourier_bytes), &c.fourier_memory);
    }
    for (; c.first < f.chunks && status == SUSTAIN_OK; c.first += f.at_once)
        status = sustain__share_until(context, least(f.chunks - c.first, f.at_once), predict_one, &c, predicted);
    sustain_context_phase(context, before);
    sustain__free(context, c.fourier_memory);
    sustain__free(context, f.memory);
    return status;
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
            const double value = (double)sustain__row_number(a, k);
            square += value * value;
        }
        sum += square * (double)a.scale * (double)a.scale;
    }
    return sum / (double)count;
}

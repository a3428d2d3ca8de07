/* precondition.c - the first eigenvectors of the rows' second moments: see precondition.h.
 *
 *   U <- orthonormal E U, a few times, from random U: Halko, Martinsson and Tropp, SIAM Review 53 (2011), Algorithm 4.4 */
#include "jobs/precondition.h"

#include <math.h>

#include <sustain/random.h>

#include "core/vector.h"

enum { ROUNDS = 4, MOST_SAMPLED = 2048, SEED = 1, STREAM = 33 };
enum { SPARSE_EIGENVECTORS = 2 }; /* of sparse rows: the vectors are long, and each costs as much as two passes over the rows */

/* ---- vectors ---- */

typedef struct vector {
    sustain_real *w, *bias; /* (dim), and one number or NULL */
} vector;

/* Score j of several models that follow each other. */
static vector vector_at(const sustain__model *m, sustain_real *models, int64_t j) {
    sustain_real *at = models + j / m->width * sustain__model_size(m);
    const int64_t k = j % m->width;
    return (vector){at + k * m->dim, m->intercept ? at + m->width * m->dim + k : NULL};
}

static double product(int64_t dim, vector a, vector b) {
    return sustain__dot(dim, a.w, b.w) + (a.bias != NULL ? (double)*a.bias * (double)*b.bias : 0);
}

static void add(int64_t dim, double factor, vector a, vector to) {
    sustain__add(dim, factor, a.w, to.w);
    if (a.bias != NULL) *to.bias += (sustain_real)(factor * (double)*a.bias);
}

static void scale(int64_t dim, double factor, vector a) {
    sustain__scale(dim, factor, a.w);
    if (a.bias != NULL) *a.bias *= (sustain_real)factor;
}

/* ---- subspace iteration ---- */

/* to <- E u, from rows spread evenly. */
static sustain_status multiply(sustain_context *context, const sustain__precondition *p, const sustain_rows *rows, sustain__block *block,
                               sustain_real *to) {
    const int64_t size = sustain__model_size(&p->model), sampled = rows->count < MOST_SAMPLED ? rows->count : MOST_SAMPLED;
    sustain__zero(size, to);
    for (int64_t j = 0; j < sampled; j += SUSTAIN__BLOCK) {
        SUSTAIN_TRY(sustain__cancelled(context));
        sustain__block_clear(block);
        for (int64_t i = j; i < sampled && i < j + SUSTAIN__BLOCK; i++)
            sustain__block_take(block, rows, NULL, i * (rows->count / sampled), 1);
        sustain__block_column(block, p->u);
        sustain__block_scores(block);
        sustain__block_add(block, 1, &to);
    }
    sustain__scale(size, 1 / (double)sampled, to);
    return SUSTAIN_OK;
}

/* Makes the vectors orthonormal one after the other, twice for rounding; value <- what was left of
 * each. */
static sustain_status make_orthonormal(sustain_context *context, sustain__precondition *p) {
    const int64_t dim = p->model.dim;
    for (int64_t j = 0; j < p->model.width; j++) {
        SUSTAIN_TRY(sustain__cancelled(context));
        const vector v = vector_at(&p->model, p->u, j);
        for (int pass = 0; pass < 2; pass++) {
            for (int64_t i = 0; i < j; i++) {
                const vector before = vector_at(&p->model, p->u, i);
                add(dim, -product(dim, before, v), before, v);
            }
            const double length = sqrt(product(dim, v, v));
            if (pass == 0) p->value[j] = length;
            scale(dim, length > 0 ? 1 / length : 0, v); /* where rows have fewer directions than there are vectors, the last are zero */
        }
    }
    return SUSTAIN_OK;
}

static sustain__model model_of(const sustain_rows *rows, bool intercept) {
    const int64_t length = rows->dim + (intercept ? 1 : 0), most = rows->start != NULL ? SPARSE_EIGENVECTORS : SUSTAIN__MOST_EIGENVECTORS;
    return (sustain__model){.dim = rows->dim, .width = length < most ? length : most, .intercept = intercept};
}

double sustain__precondition_bytes(const sustain_rows *rows, bool intercept) {
    const sustain__model model = model_of(rows, intercept);
    return (double)sustain__model_size(&model) * (double)sizeof(sustain_real);
}

sustain_status sustain__precondition_create(sustain_context *context, const sustain_rows *rows, bool intercept, double kappa, double ridge,
                                            sustain__precondition *p) {
    *p = (sustain__precondition){.model = model_of(rows, intercept), .kappa = kappa, .ridge = ridge};
    const int64_t size = sustain__model_size(&p->model);
    const size_t block_bytes = sustain__block_bytes(p->model.width);
    char *memory;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)size, sizeof *p->u), &p->u));
    SUSTAIN_TRY(sustain__allocate(context, block_bytes + (size_t)size * sizeof *p->u, &memory));
    sustain_real *to = (sustain_real *)(void *)(memory + block_bytes);
    sustain__block block;
    sustain__block_begin(sustain__kernels_best(), &p->model, p->model.width, memory, &block);
    for (int64_t i = 0; i < size; i++) p->u[i] = (sustain_real)sustain_random_normal(SEED, STREAM, (uint64_t)i, 0);
    sustain_status status = make_orthonormal(context, p);
    for (int round = 0; round < ROUNDS && status == SUSTAIN_OK; round++) {
        status = multiply(context, p, rows, &block, to);
        sustain__copy(size, to, p->u);
        if (status == SUSTAIN_OK) status = make_orthonormal(context, p);
    }
    sustain__free(context, memory);
    return status;
}

void sustain__precondition_free(sustain_context *context, sustain__precondition *p) {
    sustain__free(context, p->u);
    p->u = NULL;
}

/* ---- use ---- */

void sustain__precondition_apply(const sustain__precondition *p, int64_t models, int64_t classes, sustain_real *d) {
    const sustain__model model = {.dim = p->model.dim, .width = classes, .intercept = p->model.intercept};
    const int64_t dim = model.dim, count = p->model.width;
    double along[SUSTAIN__MOST_EIGENVECTORS], least = p->value[0];
    for (int64_t j = 1; j < count; j++) least = fmin(least, p->value[j]);
    const double rest = 1 / (p->kappa * least + p->ridge);
    for (int64_t k = 0; k < models * classes; k++) {
        const vector one = vector_at(&model, d, k);
        for (int64_t j = 0; j < count; j++) along[j] = product(dim, vector_at(&p->model, p->u, j), one);
        scale(dim, rest, one);
        for (int64_t j = 0; j < count; j++)
            add(dim, (1 / (p->kappa * p->value[j] + p->ridge) - rest) * along[j], vector_at(&p->model, p->u, j), one);
    }
}

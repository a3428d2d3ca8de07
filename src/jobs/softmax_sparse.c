/* softmax_sparse.c - see softmax_sparse.h. */
#include "jobs/softmax_sparse.h"

#include "core/linear_loss.h"
#include "core/share.h"

enum { ROWS = 256, COLUMNS = 256, TILE = 16 };

/* ---- values ---- */

typedef struct at_work {
    const sustain__sparse_fit *f;
    const sustain_real *y;
    sustain_real *gradient;
} at_work;

/* z <- y, column by column; a block of columns. */
static void turn(void *user, int64_t number) {
    const at_work *w = user;
    const sustain__sparse_fit *f = w->f;
    const int64_t dim = f->model.dim, classes = f->model.width, size = sustain__model_size(&f->model);
    const int64_t begin = number * COLUMNS, end = begin + COLUMNS < dim ? begin + COLUMNS : dim;
    for (int64_t first = begin; first < end; first += TILE) /* tiles, so that lines of both are used while they are in cache */
        for (int64_t m = 0; m < f->width; m++) {
            const sustain_real *from = w->y + m / classes * size + m % classes * dim;
            for (int64_t j = first; j < first + TILE && j < end; j++) f->z[j * f->width + m] = from[j];
        }
}

static void turn_bias(const sustain__sparse_fit *f, const sustain_real *y) {
    const int64_t dim = f->model.dim, classes = f->model.width, size = sustain__model_size(&f->model);
    for (int64_t m = 0; m < f->width; m++)
        f->z[dim * f->width + m] = f->model.intercept ? y[m / classes * size + classes * dim + m % classes] : 0;
}

static double row_loss(const sustain__sparse_fit *f, int64_t i, sustain_real *s) {
    const sustain__row *row = &f->row[i];
    const int64_t width = f->width, classes = f->model.width;
    const sustain_real *bias = f->z + f->model.dim * width;
    double loss = 0, log_sum[SUSTAIN__MOST_FOLDS], score[SUSTAIN__MOST_FOLDS];
    for (int64_t m = 0; m < width; m++) s[m] = bias[m];
    for (int64_t j = 0; j < row->count; j++) {
        const sustain_real value = (sustain_real)row->value[j], *z = f->z + row->column[j] * width;
        for (int64_t m = 0; m < width; m++) s[m] += value * z[m];
    }
    for (int64_t k = 0; k < f->models; k++) score[k] = (double)s[k * classes + f->label[i]];
    sustain__softmax(1, width, f->models, classes, s, log_sum);
    for (int64_t k = 0; k < f->models; k++) {
        const sustain_real weight = k == f->held[i] ? 0 : (sustain_real)((double)f->weight[i] * f->share[k]);
        if (weight > 0)
            loss += sustain__softmax_residual(classes, f->label[i], f->noise[i], weight, score[k], log_sum[k], s + k * classes);
        else
            for (int64_t l = 0; l < classes; l++) s[k * classes + l] = 0;
    }
    return loss;
}

static void sum_rows(void *user, int64_t number) {
    const sustain__sparse_fit *f = ((const at_work *)user)->f;
    const int64_t begin = number * ROWS, end = begin + ROWS < f->rows ? begin + ROWS : f->rows;
    f->loss[number] = 0;
    for (int64_t i = begin; i < end; i++) f->loss[number] += row_loss(f, i, f->residuals + i * f->width);
}

static void *rows_summed(void *user, int64_t number, int which, size_t *bytes) {
    const sustain__sparse_fit *f = ((const at_work *)user)->f;
    const int64_t begin = number * ROWS, end = begin + ROWS < f->rows ? begin + ROWS : f->rows;
    *bytes = which == 0 ? sizeof *f->loss : (size_t)((end - begin) * f->width) * sizeof *f->residuals;
    return which == 0 ? (void *)&f->loss[number] : which == 1 ? f->residuals + begin * f->width : NULL;
}

/* The gradient of TILE columns, in z, whose numbers are no longer needed. */
static void sum_columns(void *user, int64_t number) {
    const at_work *w = user;
    const sustain__sparse_fit *f = w->f;
    const int64_t dim = f->model.dim, classes = f->model.width, size = sustain__model_size(&f->model), width = f->width;
    const int64_t begin = number * COLUMNS, end = begin + COLUMNS < dim ? begin + COLUMNS : dim;
    for (int64_t j = begin; j < end; j++) {
        sustain_real *sum = f->z + j * width;
        for (int64_t m = 0; m < width; m++) sum[m] = 0;
        for (int64_t e = f->columns.start[j]; e < f->columns.start[j + 1]; e++) {
            const sustain_real value = (sustain_real)f->columns.value[e], *r = f->residuals + f->columns.row[e] * width;
            for (int64_t m = 0; m < width; m++) sum[m] += value * r[m];
        }
    }
    for (int64_t first = begin; first < end; first += TILE)
        for (int64_t m = 0; m < width; m++) {
            sustain_real *to = w->gradient + m / classes * size + m % classes * dim;
            for (int64_t j = first; j < first + TILE && j < end; j++) to[j] = f->z[j * width + m];
        }
}

static void *columns_summed(void *user, int64_t number, int which, size_t *bytes) {
    const at_work *w = user;
    const int64_t dim = w->f->model.dim, classes = w->f->model.width, size = sustain__model_size(&w->f->model);
    const int64_t begin = number * COLUMNS, end = begin + COLUMNS < dim ? begin + COLUMNS : dim;
    *bytes = (size_t)(end - begin) * sizeof *w->gradient;
    return which < w->f->width ? w->gradient + which / classes * size + which % classes * dim + begin : NULL;
}

static void sum_bias(const sustain__sparse_fit *f, sustain_real *gradient) {
    const int64_t classes = f->model.width, size = sustain__model_size(&f->model);
    for (int64_t m = 0; m < f->width && f->model.intercept; m++) {
        double sum = 0;
        for (int64_t i = 0; i < f->rows; i++) sum += (double)f->residuals[i * f->width + m];
        gradient[m / classes * size + classes * f->model.dim + m % classes] = (sustain_real)sum;
    }
}

sustain_status sustain__sparse_sum(sustain_context *context, const sustain__sparse_fit *f, const sustain_real *y, double *loss,
                                   sustain_real *gradient) {
    at_work w = {.f = f, .y = y, .gradient = gradient};
    const int64_t blocks = (f->model.dim + COLUMNS - 1) / COLUMNS, chunks = (f->rows + ROWS - 1) / ROWS;
    turn_bias(f, y);
    SUSTAIN_TRY(sustain__parallel_until(context, blocks, turn, &w));
    SUSTAIN_TRY(sustain__share_until(context, chunks, sum_rows, &w, rows_summed));
    *loss = 0;
    for (int64_t i = 0; i < chunks; i++) *loss += f->loss[i];
    SUSTAIN_TRY(sustain__share_until(context, blocks, sum_columns, &w, columns_summed));
    sum_bias(f, gradient);
    return SUSTAIN_OK;
}

/* ---- memory ---- */

static void fill_rows(const sustain__some_rows *part, int32_t held, int64_t *i, sustain__sparse_fit *f) {
    for (int64_t j = 0; j < part->count; j++, (*i)++) {
        const int64_t number = part->index != NULL ? part->index[j] : j, place = sustain__rows_place(part->rows, number);
        f->row[*i] = sustain__row_at(part->rows, place);
        f->label[*i] = part->rows->labels[place];
        f->noise[*i] = part->noise;
        f->weight[*i] = part->weights != NULL ? part->weights[number] : 1;
        f->held[*i] = held;
    }
}

static void lay_out(sustain__carver *memory, sustain__sparse_fit *f) {
    const int64_t rows = f->rows;
    f->row = sustain__carve(memory, rows, sizeof *f->row);
    f->noise = sustain__carve(memory, rows, sizeof *f->noise);
    f->label = sustain__carve(memory, rows, sizeof *f->label);
    f->held = sustain__carve(memory, rows, sizeof *f->held);
    f->weight = sustain__carve(memory, rows, sizeof *f->weight);
    f->loss = sustain__carve(memory, (rows + ROWS - 1) / ROWS, sizeof *f->loss);
    f->z = sustain__carve(memory, (f->model.dim + 1) * f->width, sizeof *f->z);
    f->residuals = sustain__carve(memory, rows * f->width, sizeof *f->residuals);
}

double sustain__sparse_bytes(const sustain__model *model, const sustain_rows *rows, int64_t count, int64_t models) {
    sustain__sparse_fit f = {.model = *model, .models = models, .rows = count, .width = models * model->width};
    sustain__carver memory = {.memory = NULL};
    lay_out(&memory, &f);
    const double entries = (double)rows->start[rows->stored] / (double)rows->stored * (double)count;
    return (double)memory.used + (double)(model->dim + 2) * (double)sizeof *f.columns.start +
           entries * (double)(sizeof *f.columns.row + sizeof *f.columns.value);
}

static sustain__row row_of(const void *rows, int64_t i) {
    return ((const sustain__row *)rows)[i];
}

sustain_status sustain__sparse_create(sustain_context *context, const sustain__model *model, const sustain__some_rows *parts,
                                      int part_count, int64_t folds, int64_t first, int64_t models, const double *share,
                                      sustain__sparse_fit *out) {
    int64_t rows = 0, i = 0;
    for (int p = 0; p < part_count; p++) rows += parts[p].count;
    *out = (sustain__sparse_fit){.model = *model, .models = models, .rows = rows, .width = models * model->width, .share = share};
    sustain__carver memory = {.memory = NULL};
    lay_out(&memory, out);
    SUSTAIN_TRY(sustain__allocate(context, memory.used, &out->memory));
    memory = (sustain__carver){.memory = out->memory};
    lay_out(&memory, out);
    for (int p = 0; p < part_count; p++) fill_rows(&parts[p], folds > 0 ? (int32_t)(p % folds - first) : -1, &i, out);
    return sustain__columns_create(context, rows, model->dim, false, row_of, out->row, &out->columns);
}

void sustain__sparse_free(sustain_context *context, sustain__sparse_fit *f) {
    sustain__columns_free(context, &f->columns);
    sustain__free(context, f->memory);
    f->memory = NULL;
}

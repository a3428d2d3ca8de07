/* select_folds.c - the rows of a selection, as fits want them, and the folds.
 *
 * Without validation rows every row is left out of one of K fits, and measured by it. Folds have
 * the same share of every class. With validation rows there is one fit, of the training rows, and
 * validation rows are shared out among five blocks: numbers that are chosen by four of them are
 * measured by the fifth. */
#include <math.h>
#include <string.h>

#include <sustain/random.h>

#include "jobs/select_job.h"
#include "problems/regtune_internal.h"
#include "problems/rows_double.h"

enum { BLOCKS = 5, MANY_FOLDS = 10, FEW_ROWS = 1500, WIDE_NUMBERS = 200000, STREAM_FOLDS = 81 };

/* ---- rows ---- */

static sustain_status check(sustain_selection *s, const sustain_rows *training, const sustain_rows *validation, sustain_rows *taken) {
    const sustain_regtune_options like = {.loss = s->options.loss, .classes = s->options.classes};
    const sustain__wanted_rows wanted[] = {sustain__regtune_wanted(&like, "training"), sustain__regtune_wanted(&like, "validation")};
    const sustain_rows *const sets[] = {training, validation != NULL ? validation : training};
    int64_t dim;
    double largest;
    SUSTAIN_TRY(sustain__rows_dim(s->context, sets[0], &wanted[0], sets[1], &wanted[1], s->rows.width, &dim));
    for (int i = 0; i < 2; i++) SUSTAIN_TRY(sustain__rows_take(s->context, sets[i], &wanted[i], &largest, &taken[i]));
    if (s->kind == SUSTAIN__SELECT_WHOLE) SUSTAIN_TRY(sustain__rows_differ(s->context, &taken[0]));
    if (training->count >= INT32_MAX / 2 || sets[1]->count >= INT32_MAX / 2)
        return sustain__fail(s->context, SUSTAIN_ARGUMENT, "more than %ld rows are too many to select by", (long)(INT32_MAX / 2));
    return SUSTAIN_OK;
}

/* Stored rows one after the other, as floats; the second set may be empty. */
static sustain_status copy_rows(sustain_selection *s, const sustain_rows *sets, int count) {
    const bool sparse = sets[0].start != NULL;
    const int64_t dim = sets[0].dim;
    int64_t rows = 0, numbers = 0;
    for (int i = 0; i < count; i++) {
        if ((sets[i].start != NULL) != sparse)
            return sustain__fail(s->context, SUSTAIN_ARGUMENT, "training and validation rows must both be sparse or both be dense");
        rows += sets[i].count;
        for (int64_t r = 0; r < sets[i].count; r++) numbers += sustain__row_at(&sets[i], sustain__rows_place(&sets[i], r)).count;
    }
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)numbers, sizeof *s->values), &s->values));
    if (sparse) SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)rows + 1, sizeof *s->start), &s->start));
    if (sparse) SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)numbers, sizeof *s->columns), &s->columns));
    int64_t at = 0, row = 0;
    for (int i = 0; i < count; i++)
        for (int64_t r = 0; r < sets[i].count; r++) {
            const sustain__row a = sustain__row_at(&sets[i], sustain__rows_place(&sets[i], r));
            for (int64_t e = 0; e < a.count; e++) s->values[at + e] = (float)sustain__row_entry(a, e);
            if (sparse && a.count > 0) memcpy(s->columns + at, a.column, (size_t)a.count * sizeof *a.column);
            at += a.count;
            if (sparse) s->start[++row] = at;
        }
    s->rows.rows = (sustain_rows){.count = rows, .dim = dim, .values = s->values, .start = s->start, .columns = s->columns};
    return SUSTAIN_OK;
}

static sustain_status take_truth(sustain_selection *s, const sustain_rows *sets, int count) {
    const int64_t n = s->rows.rows.count;
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)n, sizeof *s->truth), &s->truth));
    for (int64_t at = 0, i = 0; i < count; i++)
        for (int64_t r = 0; r < sets[i].count; r++, at++) {
            const int64_t place = sustain__rows_place(&sets[i], r);
            s->truth[at] = sustain__loss_truth(s->rows.loss, &sets[i], place);
        }
    for (int64_t i = 0; s->options.loss == SUSTAIN_REGTUNE_POISSON && i < n; i++)
        if (s->truth[i] < 0)
            return sustain__fail(s->context, SUSTAIN_ARGUMENT, "the target of row %lld is %g: the Poisson loss is for counts, at least 0",
                                 (long long)i, s->truth[i]);
    s->rows.truth = s->truth;
    s->rows.total = (double)n;
    if (s->options.weights == NULL) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)n, sizeof *s->weight), &s->weight));
    s->rows.total = 0;
    for (int64_t i = 0; i < n; i++) {
        s->weight[i] = s->options.weights[i];
        if (!(s->weight[i] > 0) || !isfinite(s->weight[i]))
            return sustain__fail(s->context, SUSTAIN_ARGUMENT, "the weight of row %lld is %g, not a positive number", (long long)i,
                                 s->weight[i]);
        s->rows.total += s->weight[i];
    }
    s->rows.weight = s->weight;
    return SUSTAIN_OK;
}

/* Mean squares of the features before they were standardized, as logarithms whose mean is 0;
 * columns of zeros have 0. */
static sustain_status measure_columns(sustain_selection *s) {
    const sustain_rows *r = &s->rows.rows;
    double mean = 0;
    int64_t used = 0;
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)r->dim, sizeof *s->log_scale), &s->log_scale));
    for (int64_t i = 0; i < r->count; i++) {
        const int64_t from = r->start != NULL ? r->start[i] : i * r->dim, to = r->start != NULL ? r->start[i + 1] : from + r->dim;
        for (int64_t e = from; e < to; e++)
            s->log_scale[r->start != NULL ? r->columns[e] : e - from] += (double)r->values[e] * (double)r->values[e];
    }
    for (int64_t j = 0; j < r->dim; j++) {
        s->mean_square += s->log_scale[j] / (double)r->count;
        if (!(s->log_scale[j] > 0)) continue;
        s->log_scale[j] = log(s->log_scale[j] / (double)r->count);
        if (s->options.scaling != NULL) s->log_scale[j] -= 2 * log((double)s->options.scaling[j]);
        mean += s->log_scale[j];
        used++;
    }
    if (!(s->mean_square > 0))
        return sustain__fail(s->context, SUSTAIN_ARGUMENT, "all features of all rows are 0: there is nothing to learn from");
    for (int64_t j = 0; j < r->dim; j++)
        if (s->log_scale[j] != 0) s->log_scale[j] -= mean / (double)used;
    return SUSTAIN_OK;
}

sustain_status sustain__select_take_rows(sustain_selection *s, const sustain_rows *training, const sustain_rows *validation) {
    sustain_rows sets[2];
    const int count = validation != NULL ? 2 : 1;
    SUSTAIN_TRY(check(s, training, validation, sets));
    s->training = training->count;
    s->rows.rows = sets[0];
    if (count == 2 || sets[0].bytes != NULL || sets[0].stored != sets[0].count) SUSTAIN_TRY(copy_rows(s, sets, count));
    SUSTAIN_TRY(take_truth(s, sets, count));
    return measure_columns(s);
}

/* ---- folds ---- */

/* The class of a row, from 0 on; 0 where there are no classes. */
static int64_t kind_of(const sustain_selection *s, int64_t i) {
    const sustain__labels labels = s->rows.loss->labels;
    return labels == SUSTAIN__LABELS_SIGNS ? s->truth[i] > 0 : labels == SUSTAIN__LABELS_CLASSES ? (int64_t)s->truth[i] : 0;
}

/* Rows by class, at random within a class. order has room for twice as many, places for one more
 * than there are classes. */
static void sort_rows(const sustain_selection *s, int64_t first, int64_t count, int32_t *order, int64_t *places) {
    int32_t *mixed = order + count;
    for (int64_t i = 0; i < count; i++)
        mixed[sustain_random_permuted((uint64_t)s->options.seed, STREAM_FOLDS, (uint64_t)first, i, count)] = (int32_t)(first + i);
    const int64_t kinds = s->options.classes > 2 ? s->options.classes : 2;
    for (int64_t i = first; i < first + count; i++) places[1 + kind_of(s, i)]++;
    for (int64_t k = 0; k < kinds; k++) places[k + 1] += places[k];
    for (int64_t i = 0; i < count; i++) order[places[kind_of(s, mixed[i])]++] = mixed[i];
}

static sustain_status deal_out(sustain_selection *s, int64_t first, int64_t count) {
    int32_t *order;
    int64_t *places;
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)count, 2 * sizeof *order), &order));
    sustain_status status = sustain__allocate(s->context, sustain__multiply((size_t)s->options.classes + 3, sizeof *places), &places);
    if (status == SUSTAIN_OK) {
        sort_rows(s, first, count, order, places);
        for (int64_t i = 0; i < count; i++) s->block[order[i]] = (int32_t)(i % s->blocks);
    }
    sustain__free(s->context, order);
    sustain__free(s->context, places);
    return status;
}

/* Lists the rows of a kind: those of block h, or, with `others`, the rest of the first `rows`. */
static sustain__fit_part list(const sustain_selection *s, int64_t rows, int64_t h, bool others, int32_t **at) {
    sustain__fit_part part = {.row = *at};
    for (int64_t i = 0; i < rows; i++)
        if ((s->block[i] == h) != others) (*at)[part.count++] = (int32_t)i;
    *at += part.count;
    return part;
}

int64_t sustain_select_folds(int64_t rows, int64_t dim) {
    return rows <= FEW_ROWS && rows >= 2 * MANY_FOLDS && (dim <= rows || dim < WIDE_NUMBERS / rows) ? MANY_FOLDS : BLOCKS;
}

sustain_status sustain__select_make_folds(sustain_selection *s) {
    const int64_t n = s->rows.rows.count;
    const bool validated = s->training < n;
    s->blocks = validated ? BLOCKS : (int)(s->options.folds > 0 ? s->options.folds : sustain_select_folds(n, s->rows.rows.dim));
    s->models = validated ? 1 : s->blocks;
    if (n - (validated ? s->training : 0) < s->blocks)
        return sustain__fail(s->context, SUSTAIN_ARGUMENT, "%lld rows are too few to select by: %d are needed, and 50 or more make sense",
                             (long long)(n - (validated ? s->training : 0)), s->blocks);
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)n, sizeof *s->block), &s->block));
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)n, (size_t)(s->blocks + 3) * sizeof *s->order), &s->order));
    for (int64_t i = 0; i < n; i++) s->block[i] = -1;
    SUSTAIN_TRY(deal_out(s, validated ? s->training : 0, validated ? n - s->training : n));
    int32_t *at = s->order;
    s->all = list(s, n, -2, true, &at);
    s->ever_held = list(s, n, -1, true, &at);
    if (validated) {
        s->model[0] = (sustain__select_model){{.row = s->all.row, .count = s->training}, s->ever_held};
        return SUSTAIN_OK;
    }
    for (int k = 0; k < s->models; k++) {
        s->model[k].fitted = list(s, n, k, true, &at);
        s->model[k].held = list(s, n, k, false, &at);
    }
    return SUSTAIN_OK;
}

/* ---- moments ---- */

typedef struct moments_task {
    sustain_selection *s;
    double *scratch; /* (models, SUSTAIN__FIT_SQUARES, dim + 1) */
} moments_task;

static void measure_moments(void *user, int64_t k) {
    const moments_task *t = user;
    sustain_selection *s = t->s;
    sustain__fit_moments(&s->rows, &s->model[k].held, t->scratch + k * SUSTAIN__FIT_SQUARES * (s->rows.rows.dim + 1),
                         s->moments + (k + 1) * sustain__fit_moments_size(&s->rows));
}

sustain_status sustain__select_measure_moments(sustain_selection *s) {
    const int64_t size = sustain__fit_moments_size(&s->rows);
    moments_task t = {.s = s};
    if (s->moments == NULL) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__allocate(
        s->context, sustain__multiply((size_t)(s->models * SUSTAIN__FIT_SQUARES * (s->rows.rows.dim + 1)), sizeof(double)), &t.scratch));
    sustain_parallel_for(s->context, s->models, measure_moments, &t);
    memset(s->moments, 0, (size_t)size * sizeof *s->moments);
    if (s->models == 1) sustain__fit_moments(&s->rows, &s->model[0].fitted, t.scratch, s->moments);
    for (int k = 0; k < s->models; k++)
        for (int64_t e = 0; e < size; e++) s->moments[e] += s->moments[(k + 1) * size + e];
    sustain__free(s->context, t.scratch);
    return SUSTAIN_OK;
}

sustain_status sustain__select_add_moments(sustain_selection *s) {
    const int64_t size = sustain__fit_moments_size(&s->rows);
    if (s->options.loss != SUSTAIN_REGTUNE_SQUARED || !s->curvature.full) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)((s->models + 1) * size), sizeof(double)), &s->moments));
    s->all.moments[0] = s->moments;
    for (int k = 0; k < s->models; k++) {
        s->model[k].fitted.moments[0] = s->moments;
        s->model[k].fitted.moments[1] = sustain__select_moments_without(s, k);
    }
    return s->kind == SUSTAIN__SELECT_FOURIER ? SUSTAIN_OK : sustain__select_measure_moments(s); /* of waves: when they are chosen */
}

/* clean_models.c - classifiers of a finished job, kept for the next one on the same rows, of which
 * more are verified by then. A fold's classifiers have not seen the labels of the rows of that
 * fold: trusted rows keep their folds, and rows that are verified since then stay in theirs. */
#include <string.h>

#include "core/vector.h"
#include "io/safetensors.h"
#include "jobs/clean_job.h"

#define MOST_PRIOR 1e6   /* that a file may have */
#define MOST_NUMBERS 5e7 /* of all classifiers that are kept */

/* Of a job without trusted rows: plain and corrected ones, and the last. */
int64_t sustain__clean_models(const sustain_clean *c) {
    return c->bilevel ? 3 * c->options.folds + 3 : 2 * c->options.folds + 1;
}

bool sustain__clean_keeps_models(const sustain_clean *c) {
    return c->features && !c->sampled && !c->is_sample && (double)sustain__clean_models(c) * (double)sustain__clean_size(c) <= MOST_NUMBERS;
}

static int64_t place_of(const sustain_clean *c, sustain__clean_model model) {
    const int64_t folds = c->options.folds;
    int64_t number =
        model <= SUSTAIN__MODEL_CORRECTED ? (model - SUSTAIN__MODEL_PLAIN) * folds : 3 * folds + (model - SUSTAIN__MODEL_REFIT_CORRECTED);
    if (!c->bilevel) number = model == SUSTAIN__MODEL_PLAIN ? 0 : model == SUSTAIN__MODEL_CORRECTED ? folds : 2 * folds;
    return number * sustain__clean_size(c);
}

bool sustain__clean_begin_at(const sustain_clean *c, sustain__clean_model model, int64_t count, sustain_real *y) {
    if (c->start == NULL || model == SUSTAIN__MODEL_NONE) return false;
    const sustain_real *start = c->start + place_of(c, model);
    int64_t zeros = 0;
    while (zeros < sustain__clean_size(c) && start[zeros] == 0) zeros++;
    if (zeros == sustain__clean_size(c)) return false; /* the earlier run did not need it */
    sustain__copy(count * sustain__clean_size(c), start, y);
    return true;
}

void sustain__clean_keep_model(sustain_clean *c, sustain__clean_model model, int64_t count, const sustain_real *y) {
    if (c->models == NULL || model == SUSTAIN__MODEL_NONE) return;
    sustain__copy(count * sustain__clean_size(c), y, c->models + place_of(c, model));
}

/* ---- files ---- */

/* The models of the one kind of job are not those of the other. */
static const char *tensor_name(bool bilevel) {
    return bilevel ? "models" : "models_without_trusted";
}

static int64_t score_numbers(void) {
    return SUSTAIN_CLEAN_BASELINE_COUNT * (int64_t)(sizeof(sustain_clean_score) / sizeof(double));
}

/* One more than its fold for each trusted row, those from elsewhere and then all training rows; 0:
 * it is none. */
static void folds_of(const sustain_clean *c, uint32_t *folds) {
    memset(folds, 0, (size_t)(c->outside + c->training.count) * sizeof *folds);
    for (int64_t k = 0; k < c->options.folds; k++)
        for (int64_t j = c->trusted_folds.start[k]; j < c->trusted_folds.start[k + 1]; j++) {
            const int64_t i = c->trusted_folds.order[j];
            folds[i < c->outside ? i : c->outside + c->verified_rows[i - c->outside]] = (uint32_t)k + 1;
        }
}

sustain_status sustain_clean_save_models(sustain_clean *c, const char *path, bool *written) {
    if (c == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(c->context, path, "path"));
    SUSTAIN_TRY(sustain__need(c->context, written, "written"));
    *written = false;
    if (!c->finished || c->models == NULL) return SUSTAIN_OK;
    const int64_t size = sustain__clean_size(c), rows = c->outside + c->training.count;
    uint32_t *folds;
    SUSTAIN_TRY(sustain__allocate(c->context, (size_t)rows * sizeof *folds, &folds));
    folds_of(c, folds);
    sustain_clean_score scores[SUSTAIN_CLEAN_BASELINE_COUNT];
    memcpy(scores, c->scores, sizeof scores);
    for (int b = 0; b < SUSTAIN_CLEAN_BASELINE_COUNT; b++) scores[b].seconds = 0; /* same run, same bytes */
    const sustain__tensor tensors[] = {{.name = tensor_name(c->bilevel),
                                        .dtype = sizeof(sustain_real) == 4 ? "F32" : "F64",
                                        .count = sustain__clean_models(c) * size,
                                        .data = c->models},
                                       {.name = "folds", .dtype = "U32", .count = rows, .data = folds},
                                       {.name = "baselines", .dtype = "F64", .count = score_numbers(), .data = scores},
                                       {.name = "prior", .dtype = "F64", .count = 1, .data = &c->prior_given}};
    const sustain_status status = sustain__safetensors_write_checked(c->context, path, NULL, 0, tensors, 4);
    sustain__free(c->context, folds);
    *written = status == SUSTAIN_OK;
    return status;
}

/* Whether a row is verified that was not then. */
static bool more_verified(const sustain_clean *c, const uint32_t *folds) {
    for (int64_t v = 0; v < c->verified_count; v++)
        if (folds[c->outside + c->verified_rows[v]] == 0) return true;
    return false;
}

static bool folds_allowed(const sustain_clean *c, const uint32_t *folds) {
    for (int64_t i = 0; i < c->outside + c->training.count; i++)
        if (folds[i] > (uint32_t)c->options.folds || (i < c->outside && folds[i] == 0)) return false;
    return true;
}

static sustain_status take(sustain_clean *c, const char *path, const sustain__tensor *models, const sustain__tensor *scores,
                           const uint32_t *folds) {
    const size_t bytes = (size_t)score_numbers() * sizeof(double);
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->start, models->count));
    SUSTAIN_TRY(sustain__allocate(c->context, bytes, &c->earlier));
    if (!sustain__tensor_numbers(models, c->start))
        return sustain__fail(c->context, SUSTAIN_FORMAT, "%s: a number is not finite: remove the file, and all is computed anew", path);
    memcpy(c->earlier, scores->data, bytes);
    return sustain__clean_deal_trusted(c, folds);
}

/* A file that is refused changes nothing. */
static sustain_status load(sustain_clean *c, const char *path, const sustain__safetensors *file, uint32_t *folds, bool *used) {
    const int64_t size = sustain__clean_size(c), rows = c->outside + c->training.count;
    sustain__tensor models, dealt, scores, given;
    double prior;
    if (sustain__safetensors_find(file, tensor_name(!c->bilevel), &models)) return SUSTAIN_OK;
    const bool there = sustain__safetensors_find(file, tensor_name(c->bilevel), &models) &&
                       sustain__safetensors_find(file, "folds", &dealt) && sustain__safetensors_find(file, "baselines", &scores) &&
                       sustain__safetensors_find(file, "prior", &given);
    if (!there || models.count != sustain__clean_models(c) * size || dealt.count != rows || strcmp(dealt.dtype, "U32") != 0 ||
        scores.count != score_numbers() || strcmp(scores.dtype, "F64") != 0 || given.count != 1 || strcmp(given.dtype, "F64") != 0)
        return sustain__fail(c->context, SUSTAIN_FORMAT,
                             "%s: these are not the models of a job on these rows: remove the file, and all is computed anew", path);
    memcpy(folds, dealt.data, (size_t)rows * sizeof *folds);
    if (!folds_allowed(c, folds))
        return sustain__fail(c->context, SUSTAIN_FORMAT, "%s: a fold is out of range: remove the file, and all is computed anew", path);
    memcpy(&prior, given.data, sizeof prior);
    if (!(prior > 0 && prior <= MOST_PRIOR))
        return sustain__fail(c->context, SUSTAIN_FORMAT, "%s: its prior is out of range: remove the file, and all is computed anew", path);
    if (!more_verified(c, folds)) return SUSTAIN_OK;
    const sustain_status status = take(c, path, &models, &scores, folds);
    *used = status == SUSTAIN_OK;
    if (*used) {
        c->prior_given = prior;
    } else {
        sustain__free(c->context, c->start);
        sustain__free(c->context, c->earlier);
        c->start = NULL, c->earlier = NULL;
    }
    return status;
}

sustain_status sustain_clean_load_models(sustain_clean *c, const char *path, bool *used) {
    if (c == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(c->context, path, "path"));
    SUSTAIN_TRY(sustain__need(c->context, used, "used"));
    *used = false;
    if (c->models == NULL || c->start != NULL) return SUSTAIN_OK;
    sustain__safetensors *file;
    uint32_t *folds;
    sustain_status status = sustain__safetensors_read(c->context, path, &file);
    if (status == SUSTAIN_OK) {
        status = sustain__safetensors_check(c->context, path, file);
        if (status != SUSTAIN_OK) sustain__safetensors_destroy(file);
    }
    if (status == SUSTAIN_FORMAT)
        return sustain__fail(c->context, status, "%.400s; remove the file, and all is computed anew", sustain_error(c->context));
    SUSTAIN_TRY(status);
    status = sustain__allocate(c->context, (size_t)(c->outside + c->training.count) * sizeof *folds, &folds);
    if (status == SUSTAIN_OK) {
        status = load(c, path, file, folds, used);
        sustain__free(c->context, folds);
    }
    sustain__safetensors_destroy(file);
    return status;
}

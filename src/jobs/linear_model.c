/* linear_model.c - linear models as safetensors: tensors "weight" (classes, dim) and "bias"
 * (classes); the names of classes and columns are JSON arrays in the metadata, and so is the
 * encoding of tables. A model of a number has one row and no classes; where its score is the
 * logarithm of the number, the metadata have "link": "log".
 *
 * A classifier with Fourier features has the tensors "fourier_waves" (waves, dim), "fourier_phase"
 * (waves) and "fourier_weight" (classes, 2 waves) too, and another format: a program that does not
 * know them must refuse it. */
#include "jobs/linear_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"
#include "io/json_text.h"
#include "io/safetensors_header.h"

static const char FORMAT[] = "sustain model 1", FOURIER_FORMAT[] = "sustain model 2", LINK[] = "log";

static int64_t scores_of(const sustain_model *model) {
    return model->classes > 0 ? model->classes : 1;
}

/* ---- writing ---- */

/* Refuses a number of `count` rows of weights, one for each feature, that is not finite. */
static sustain_status check_weights(sustain_context *context, const char *path, const sustain_model *model, int64_t count,
                                    const sustain_real *weights) {
    for (int64_t i = 0; i < count * model->dim; i++)
        if (!isfinite(weights[i]))
            return sustain__fail(
                context, SUSTAIN_NOT_FINITE,
                "%s: the weight of feature %lld of the model is not finite: numbers as small as those of that column want a "
                "larger one; multiply the column by a power of ten",
                path, (long long)(i % model->dim) + 1);
    return SUSTAIN_OK;
}

static sustain_status check_finite(sustain_context *context, const char *path, int64_t count, const sustain_real *numbers,
                                   const char *what) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(numbers[i])) return sustain__fail(context, SUSTAIN_NOT_FINITE, "%s: %s of the model is not finite", path, what);
    return SUSTAIN_OK;
}

static sustain_status check_fourier(sustain_context *context, const char *path, const sustain_model *model) {
    const sustain_fourier *f = model->fourier;
    if (f == NULL) return SUSTAIN_OK;
    if (model->classes == 0 || f->waves < 1 || f->w == NULL || f->v == NULL)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "%s: Fourier features have waves and weights, and are those of classes", path);
    SUSTAIN_TRY(check_weights(context, path, model, f->waves, f->w));
    SUSTAIN_TRY(check_finite(context, path, f->waves, f->w + f->waves * model->dim, "a phase"));
    return check_finite(context, path, 2 * model->classes * f->waves, f->v, "the weight of a Fourier feature");
}

static sustain_status check_numbers(sustain_context *context, const char *path, const sustain_model *model) {
    if (model->dim < 1 || model->classes < 0 || model->classes == 1)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "%s: a model has at least one feature, and at least two classes or none", path);
    if (model->logarithm && model->classes > 0)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "%s: a model of classes has no logarithms", path);
    SUSTAIN_TRY(check_weights(context, path, model, scores_of(model), model->y));
    SUSTAIN_TRY(check_finite(context, path, scores_of(model), model->y + scores_of(model) * model->dim, "an intercept"));
    return check_fourier(context, path, model);
}

/* The names as a word of the metadata. */
static sustain_status names_text(sustain_context *context, const char *path, const char *const *names, int64_t count, char **text) {
    for (int64_t i = 0; i < count; i++)
        if (!sustain__is_utf8(names[i]))
            return sustain__fail(context, SUSTAIN_ARGUMENT, "%s: name %lld of the model is not UTF-8", path, (long long)i);
    SUSTAIN_TRY(sustain__allocate(context, sustain__names_write(names, count, NULL) + 1, text));
    sustain__names_write(names, count, *text);
    return SUSTAIN_OK;
}

/* The encoding as text; free() it. It names the columns too. */
static sustain_status table_text(sustain_context *context, const char *path, const sustain_model *model, char **text) {
    if (sustain_table_encoding_features(model->encoding).dim != model->dim)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "%s: the model has not as many features as its encoding of tables", path);
    return sustain_table_encoding_write(model->encoding, text);
}

static sustain_status write_words(sustain_context *context, const char *path, const sustain_model *model, const char *classes,
                                  const char *columns, const char *table) {
    const char *dtype = sizeof(sustain_real) == 8 ? "F64" : "F32";
    const sustain_fourier f = model->fourier != NULL ? *model->fourier : (sustain_fourier){0};
    const int64_t shape[] = {scores_of(model), model->dim, 0}, waves[] = {f.waves, model->dim, 0}, weights[] = {shape[0], 2 * f.waves, 0};
    const sustain__tensor tensors[] = {
        {"weight", dtype, shape[0] * model->dim, model->y, shape},
        {"bias", dtype, shape[0], model->y + shape[0] * model->dim, NULL},
        {"fourier_waves", dtype, f.waves * model->dim, f.w, waves},
        {"fourier_phase", dtype, f.waves, f.waves > 0 ? f.w + f.waves * model->dim : NULL, NULL},
        {"fourier_weight", dtype, shape[0] * 2 * f.waves, f.v, weights},
    };
    sustain__word words[6] = {{"format", f.waves > 0 ? FOURIER_FORMAT : FORMAT}};
    int count = 1;
    if (classes != NULL) words[count++] = (sustain__word){"classes", classes};
    if (columns != NULL) words[count++] = (sustain__word){"columns", columns};
    if (table != NULL) words[count++] = (sustain__word){"table", table};
    if (model->logarithm) words[count++] = (sustain__word){"link", LINK};
    if (model->about != NULL) words[count++] = (sustain__word){"about", model->about};
    return sustain__safetensors_write_checked(context, path, words, count, tensors, f.waves > 0 ? 5 : 2);
}

sustain_status sustain_model_write(sustain_context *context, const char *path, const sustain_model *model) {
    SUSTAIN_TRY(sustain__need(context, path, "path"));
    SUSTAIN_TRY(sustain__need(context, model, "model"));
    char *classes = NULL, *columns = NULL, *table = NULL;
    sustain_status status = check_numbers(context, path, model);
    if (status == SUSTAIN_OK && model->encoding != NULL) status = table_text(context, path, model, &table);
    if (status == SUSTAIN_OK && model->classes > 0) status = names_text(context, path, model->class_names, model->classes, &classes);
    if (status == SUSTAIN_OK && model->column_names != NULL && table == NULL)
        status = names_text(context, path, model->column_names, model->dim, &columns);
    if (status == SUSTAIN_OK) status = write_words(context, path, model, classes, columns, table);
    free(table);
    sustain__free(context, columns);
    sustain__free(context, classes);
    return status;
}

/* ---- reading ---- */

/* A model that was read, and all it points to. */
typedef struct owned_model {
    sustain_model model;
    sustain_real *y;
    char *class_text, *column_text; /* what the names point into */
    const char **class_names, **column_names;
    char *about;
    sustain_table_encoding *encoding;
    sustain_fourier fourier;
    sustain_real *w, *v;
} owned_model;

static sustain_status damaged(sustain_context *context, const char *path, const char *what) {
    return sustain__fail(context, SUSTAIN_FORMAT, "%s: %s: damaged, or not a model that sustain wrote", path, what);
}

static sustain_status copy_word(sustain_context *context, const char *word, char **copy) {
    SUSTAIN_TRY(sustain__allocate(context, strlen(word) + 1, copy));
    memcpy(*copy, word, strlen(word) + 1);
    return SUSTAIN_OK;
}

static sustain_status read_names(sustain_context *context, const char *path, const char *word, int64_t count, char **text,
                                 const char ***names) {
    SUSTAIN_TRY(copy_word(context, word, text));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, sizeof **names), names));
    if (sustain__names_read(*text, count, *names)) return SUSTAIN_OK;
    return damaged(context, path, "its names are not a list of texts, one for each class or column");
}

static sustain_status read_numbers(sustain_context *context, const char *path, const sustain__safetensors *file, owned_model *m) {
    sustain__tensor weight, bias;
    const int64_t least = sustain__safetensors_word(file, "classes") != NULL ? 2 : 1;
    if (!sustain__safetensors_find(file, "weight", &weight) || !sustain__safetensors_find(file, "bias", &bias) || bias.count < least ||
        weight.count < bias.count || weight.count % bias.count != 0)
        return damaged(context, path, "its tensors 'weight' and 'bias' are not those of a model");
    m->model.classes = bias.count > 1 ? bias.count : 0;
    m->model.dim = weight.count / bias.count;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)(weight.count + bias.count), sizeof *m->y), &m->y));
    m->model.y = m->y;
    if (!sustain__tensor_numbers(&weight, m->y) || !sustain__tensor_numbers(&bias, m->y + weight.count))
        return damaged(context, path, "a number of its tensors 'weight' and 'bias' is not finite, or no float");
    return SUSTAIN_OK;
}

static sustain_status read_fourier(sustain_context *context, const char *path, const sustain__safetensors *file, owned_model *m) {
    sustain__tensor waves, phase, weight;
    const int64_t dim = m->model.dim, classes = m->model.classes;
    if (classes == 0 || !sustain__safetensors_find(file, "fourier_waves", &waves) ||
        !sustain__safetensors_find(file, "fourier_phase", &phase) || !sustain__safetensors_find(file, "fourier_weight", &weight) ||
        phase.count < 1 || waves.count % phase.count != 0 || waves.count / phase.count != dim || weight.count % phase.count != 0 ||
        weight.count / phase.count != 2 * classes)
        return damaged(context, path, "its tensors 'fourier_waves', 'fourier_phase' and 'fourier_weight' are not those of a classifier");
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)(waves.count + phase.count), sizeof *m->w), &m->w));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)weight.count, sizeof *m->v), &m->v));
    if (!sustain__tensor_numbers(&waves, m->w) || !sustain__tensor_numbers(&phase, m->w + waves.count) ||
        !sustain__tensor_numbers(&weight, m->v))
        return damaged(context, path, "a number of its Fourier features is not finite, or no float");
    m->fourier = (sustain_fourier){.waves = phase.count, .w = m->w, .v = m->v};
    m->model.fourier = &m->fourier;
    return SUSTAIN_OK;
}

static sustain_status read_words(sustain_context *context, const char *path, const sustain__safetensors *file, owned_model *m) {
    const char *classes = sustain__safetensors_word(file, "classes"), *columns = sustain__safetensors_word(file, "columns"),
               *about = sustain__safetensors_word(file, "about"), *table = sustain__safetensors_word(file, "table"),
               *link = sustain__safetensors_word(file, "link");
    if (link != NULL && (m->model.classes > 0 || strcmp(link, LINK) != 0))
        return damaged(context, path, "its 'link' is none that there is");
    m->model.logarithm = link != NULL;
    if (classes == NULL && m->model.classes > 0) return damaged(context, path, "it does not name its classes");
    if (classes != NULL) SUSTAIN_TRY(read_names(context, path, classes, m->model.classes, &m->class_text, &m->class_names));
    m->model.class_names = m->class_names;
    if (columns != NULL) {
        SUSTAIN_TRY(read_names(context, path, columns, m->model.dim, &m->column_text, &m->column_names));
        m->model.column_names = m->column_names;
    }
    if (table != NULL) {
        SUSTAIN_TRY(sustain_table_encoding_read(context, path, table, &m->encoding));
        const sustain_table_features features = sustain_table_encoding_features(m->encoding);
        if (features.dim != m->model.dim) return damaged(context, path, "its weights are not as many as the features of its tables");
        m->model.encoding = m->encoding;
        m->model.column_names = features.names;
    }
    if (about != NULL) {
        SUSTAIN_TRY(copy_word(context, about, &m->about));
        m->model.about = m->about;
    }
    return SUSTAIN_OK;
}

static sustain_status read_model(sustain_context *context, const char *path, const sustain__safetensors *file, sustain_model **out) {
    const char *format = sustain__safetensors_word(file, "format");
    const bool fourier = format != NULL && strcmp(format, FOURIER_FORMAT) == 0;
    if (format == NULL || (!fourier && strcmp(format, FORMAT) != 0))
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: it is %s%.60s%s, not a model (%s or 2)", path,
                             format != NULL ? "a '" : "a safetensors file", format != NULL ? format : "",
                             format != NULL ? "'" : " of something else", FORMAT);
    SUSTAIN_TRY(sustain__safetensors_check(context, path, file));
    owned_model *m;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *m, &m));
    m->model.context = context;
    sustain_status status = read_numbers(context, path, file, m);
    if (status == SUSTAIN_OK && fourier) status = read_fourier(context, path, file, m);
    if (status == SUSTAIN_OK) status = read_words(context, path, file, m);
    if (status == SUSTAIN_OK)
        *out = &m->model;
    else
        sustain_model_destroy(&m->model);
    return status;
}

sustain_status sustain__model_parse(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                    sustain_model **out) {
    sustain__safetensors *file;
    *out = NULL;
    SUSTAIN_TRY(sustain__safetensors_parse(context, path, bytes, length, &file));
    const sustain_status status = read_model(context, path, file, out);
    sustain__safetensors_destroy(file);
    return status;
}

sustain_status sustain_model_read(sustain_context *context, const char *path, sustain_model **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, path, "path"));
    sustain__bytes bytes;
    SUSTAIN_TRY(sustain__bytes_read(context, path, &bytes));
    const sustain_status status = sustain__model_parse(context, path, bytes.data, bytes.length, out);
    sustain__bytes_free(context, &bytes);
    return status;
}

void sustain_model_destroy(sustain_model *model) {
    if (model == NULL) return;
    owned_model *m = (owned_model *)model;
    sustain_context *context = model->context;
    sustain__free(context, m->class_text);
    sustain__free(context, m->column_text);
    sustain__free(context, m->class_names);
    sustain__free(context, m->column_names);
    sustain__free(context, m->about);
    sustain_table_encoding_destroy(m->encoding);
    sustain__free(context, m->y);
    sustain__free(context, m->w);
    sustain__free(context, m->v);
    sustain__free(context, m);
}

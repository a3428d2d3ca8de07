/* linear_model.c - linear models as safetensors: tensors "weight" (classes, dim) and "bias"
 * (classes); the names of classes and columns are JSON arrays in the metadata, and so is the
 * encoding of tables. A model of a number has one row and no classes; where its score is the
 * logarithm of the number, the metadata have "link": "log".
 *
 * A model with Fourier features has the tensors "fourier_waves" (waves, dim), "fourier_phase"
 * (waves) and "fourier_weight" (classes, 2 waves) too. A model with linear splines has "knots"
 * (knots, 2), a feature and a place each, and "weight" is (classes, dim + knots). Either has
 * another format, and so has a model with both: a program that does not know them must refuse
 * it. */
#include "jobs/linear_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"
#include "io/json_text.h"
#include "io/safetensors_header.h"

static const char FORMAT[] = "sustain model 1", RICHER_FORMAT[] = "sustain model 2", RICHEST_FORMAT[] = "sustain model 3", LINK[] = "log";

static int64_t scores_of(const sustain_model *model) {
    return model->classes > 0 ? model->classes : 1;
}

/* Weights of a score: of features, and of knots. */
static int64_t weights_of(const sustain_model *model) {
    return model->dim + (model->splines != NULL ? model->splines->count : 0);
}

/* The feature that one of them is of. */
static int64_t feature_of(const sustain_model *model, int64_t weight) {
    return weight < model->dim ? weight : model->splines->feature[weight - model->dim];
}

/* ---- writing ---- */

/* Refuses a number of `count` rows of weights, one for each feature and each knot, that is not
 * finite. */
static sustain_status check_weights(sustain_context *context, const char *path, const sustain_model *model, int64_t count, int64_t width,
                                    const sustain_real *weights) {
    for (int64_t i = 0; i < count * width; i++)
        if (!isfinite(weights[i]))
            return sustain__fail(
                context, SUSTAIN_NOT_FINITE,
                "%s: the weight of feature %lld of the model is not finite: numbers as small as those of that column want a "
                "larger one; multiply the column by a power of ten",
                path, (long long)feature_of(model, i % width) + 1);
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
    if (f->waves < 1 || f->w == NULL || f->v == NULL)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "%s: Fourier features have waves and weights", path);
    SUSTAIN_TRY(check_weights(context, path, model, f->waves, model->dim, f->w));
    SUSTAIN_TRY(check_finite(context, path, f->waves, f->w + f->waves * model->dim, "a phase"));
    return check_finite(context, path, 2 * scores_of(model) * f->waves, f->v, "the weight of a Fourier feature");
}

static sustain_status check_numbers(sustain_context *context, const char *path, const sustain_model *model) {
    if (model->dim < 1 || model->classes < 0 || model->classes == 1)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "%s: a model has at least one feature, and at least two classes or none", path);
    if (model->logarithm && model->classes > 0)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "%s: a model of classes has no logarithms", path);
    for (int64_t k = 0; model->splines != NULL && k < model->splines->count; k++)
        if (model->splines->feature[k] < 0 || model->splines->feature[k] >= model->dim || !isfinite((sustain_real)model->splines->knot[k]))
            return sustain__fail(context, SUSTAIN_ARGUMENT, "%s: knot %lld of the model is not a finite number of one of its features",
                                 path, (long long)k);
    const int64_t scores = scores_of(model), weights = weights_of(model);
    SUSTAIN_TRY(check_weights(context, path, model, scores, weights, model->y));
    SUSTAIN_TRY(check_finite(context, path, scores, model->y + scores * weights, "an intercept"));
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
                                  const char *columns, const char *table, const sustain_real *knots) {
    const char *dtype = sizeof(sustain_real) == 8 ? "F64" : "F32";
    const sustain_fourier f = model->fourier != NULL ? *model->fourier : (sustain_fourier){0};
    const int64_t shape[] = {scores_of(model), weights_of(model), 0}, pairs[] = {shape[1] - model->dim, 2, 0},
                  waves[] = {f.waves, model->dim, 0}, weights[] = {shape[0], 2 * f.waves, 0};
    sustain__tensor tensors[6] = {
        {"weight", dtype, shape[0] * shape[1], model->y, shape},
        {"bias", dtype, shape[0], model->y + shape[0] * shape[1], NULL},
    };
    sustain__word words[6] = {{"format", f.waves > 0 && knots != NULL   ? RICHEST_FORMAT
                                         : f.waves > 0 || knots != NULL ? RICHER_FORMAT
                                                                        : FORMAT}};
    int count = 1;
    if (classes != NULL) words[count++] = (sustain__word){"classes", classes};
    if (columns != NULL) words[count++] = (sustain__word){"columns", columns};
    if (table != NULL) words[count++] = (sustain__word){"table", table};
    if (model->logarithm) words[count++] = (sustain__word){"link", LINK};
    if (model->about != NULL) words[count++] = (sustain__word){"about", model->about};
    int tensor_count = 2;
    if (knots != NULL) tensors[tensor_count++] = (sustain__tensor){"knots", dtype, 2 * pairs[0], knots, pairs};
    if (f.waves > 0) {
        tensors[tensor_count++] = (sustain__tensor){"fourier_waves", dtype, f.waves * model->dim, f.w, waves};
        tensors[tensor_count++] = (sustain__tensor){"fourier_phase", dtype, f.waves, f.w + f.waves * model->dim, NULL};
        tensors[tensor_count++] = (sustain__tensor){"fourier_weight", dtype, shape[0] * 2 * f.waves, f.v, weights};
    }
    return sustain__safetensors_write_checked(context, path, words, count, tensors, tensor_count);
}

/* Features and places of the knots, in pairs. */
static sustain_status pair_knots(sustain_context *context, const sustain_splines *splines, sustain_real **out) {
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)splines->count, 2 * sizeof **out), out));
    for (int64_t k = 0; k < splines->count; k++)
        (*out)[2 * k] = (sustain_real)splines->feature[k], (*out)[2 * k + 1] = (sustain_real)splines->knot[k];
    return SUSTAIN_OK;
}

sustain_status sustain_model_write(sustain_context *context, const char *path, const sustain_model *model) {
    SUSTAIN_TRY(sustain__need(context, path, "path"));
    SUSTAIN_TRY(sustain__need(context, model, "model"));
    char *classes = NULL, *columns = NULL, *table = NULL;
    sustain_real *knots = NULL;
    sustain_status status = check_numbers(context, path, model);
    if (status == SUSTAIN_OK && model->encoding != NULL) status = table_text(context, path, model, &table);
    if (status == SUSTAIN_OK && model->classes > 0) status = names_text(context, path, model->class_names, model->classes, &classes);
    if (status == SUSTAIN_OK && model->column_names != NULL && table == NULL)
        status = names_text(context, path, model->column_names, model->dim, &columns);
    if (status == SUSTAIN_OK && model->splines != NULL) status = pair_knots(context, model->splines, &knots);
    if (status == SUSTAIN_OK) status = write_words(context, path, model, classes, columns, table, knots);
    sustain__free(context, knots);
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
    sustain_splines splines;
    int32_t *knot_feature;
    double *knot;
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

/* model.dim becomes the features without those of the knots. */
static sustain_status read_knots(sustain_context *context, const char *path, const sustain__tensor *knots, owned_model *m) {
    const int64_t count = knots->count / 2;
    sustain_real *pairs;
    if (count < 1 || knots->count % 2 != 0 || count >= m->model.dim)
        return damaged(context, path, "its tensor 'knots' is not one of pairs");
    m->model.dim -= count;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, sizeof *m->knot_feature), &m->knot_feature));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, sizeof *m->knot), &m->knot));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)knots->count, sizeof *pairs), &pairs));
    bool good = sustain__tensor_numbers(knots, pairs);
    for (int64_t k = 0; good && k < count; k++) {
        const double feature = (double)pairs[2 * k];
        good = feature >= 0 && feature < (double)m->model.dim && feature == floor(feature);
        if (good) m->knot_feature[k] = (int32_t)feature, m->knot[k] = (double)pairs[2 * k + 1];
    }
    sustain__free(context, pairs);
    if (!good) return damaged(context, path, "a knot is not a finite number of one of its features");
    m->splines = (sustain_splines){.count = count, .feature = m->knot_feature, .knot = m->knot};
    m->model.splines = &m->splines;
    return SUSTAIN_OK;
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
    const int64_t dim = m->model.dim, scores = scores_of(&m->model);
    if (!sustain__safetensors_find(file, "fourier_waves", &waves) || !sustain__safetensors_find(file, "fourier_phase", &phase) ||
        !sustain__safetensors_find(file, "fourier_weight", &weight) || phase.count < 1 || waves.count % phase.count != 0 ||
        waves.count / phase.count != dim || weight.count % phase.count != 0 || weight.count / phase.count != 2 * scores)
        return damaged(context, path, "its tensors 'fourier_waves', 'fourier_phase' and 'fourier_weight' are not those of a model");
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
    const bool richest = format != NULL && strcmp(format, RICHEST_FORMAT) == 0,
               richer = richest || (format != NULL && strcmp(format, RICHER_FORMAT) == 0);
    if (format == NULL || (!richer && strcmp(format, FORMAT) != 0))
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: it is %s%.60s%s, not a model (%s, 2 or 3)", path,
                             format != NULL ? "a '" : "a safetensors file", format != NULL ? format : "",
                             format != NULL ? "'" : " of something else", FORMAT);
    SUSTAIN_TRY(sustain__safetensors_check(context, path, file));
    sustain__tensor knots;
    owned_model *m;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *m, &m));
    m->model.context = context;
    sustain_status status = read_numbers(context, path, file, m);
    const bool splines = richer && sustain__safetensors_find(file, "knots", &knots);
    if (status == SUSTAIN_OK && splines) status = read_knots(context, path, &knots, m);
    if (status == SUSTAIN_OK && (richest || (richer && !splines))) status = read_fourier(context, path, file, m);
    if (status == SUSTAIN_OK && richest && !splines) status = damaged(context, path, "it has no tensor 'knots'");
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
    sustain__free(context, m->knot_feature);
    sustain__free(context, m->knot);
    sustain__free(context, m->y);
    sustain__free(context, m->w);
    sustain__free(context, m->v);
    sustain__free(context, m);
}

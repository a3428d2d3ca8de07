/* trainer_checkpoint.c - writes and reads the state of a run, and the model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sustain/solver.h>

#include "core/vector.h"
#include "io/state_file.h"
#include "meta/meta_internal.h"
#include "meta/fewshot_model.h"

static const char FORMAT[] = "sustain meta 1";

/* ---- the state ---- */

enum { FIELDS = 12, OLD_FIELDS = 10 }; /* states of older versions have the first ten */

static void fields_of(sustain_meta *meta, sustain_field fields[FIELDS]) {
    const int64_t n = meta->setting.theta;
    const sustain_field all[FIELDS] = {
        {"iteration", SUSTAIN_FIELD_INT64, 1, &meta->t},
        {"theta", SUSTAIN_FIELD_REAL, n, meta->theta},
        {"theta_prev", SUSTAIN_FIELD_REAL, n, meta->theta_prev},
        {"h", SUSTAIN_FIELD_REAL, n, meta->h},
        {"adam.m", SUSTAIN_FIELD_REAL, n, meta->m},
        {"adam.v", SUSTAIN_FIELD_REAL, n, meta->v},
        {"best.accuracy", SUSTAIN_FIELD_DOUBLE, 1, &meta->record.accuracy},
        {"best.iteration", SUSTAIN_FIELD_INT64, 1, &meta->record.iteration},
        {"best.without_progress", SUSTAIN_FIELD_INT64, 1, &meta->record.without_progress},
        {"seconds", SUSTAIN_FIELD_DOUBLE, 1, &meta->record.seconds},
        {"best.theta", SUSTAIN_FIELD_REAL, n, meta->best},
        {"recent", SUSTAIN_FIELD_DOUBLE, 3, meta->recent},
    };
    memcpy(fields, all, sizeof all);
}

/* The options as text, with the size of the pictures and the seed: identifies the run that a
 * checkpoint belongs to. */
static void words_of(const sustain_meta *meta, sustain__state_words *words) {
    int count;
    const sustain_parameter *rows = sustain_meta_parameters(&count);
    words->count = 0;
    sustain__state_word(words, "format", FORMAT);
    sustain__state_number(words, "channels", meta->setting.net.channels);
    sustain__state_number(words, "height", meta->setting.net.height);
    sustain__state_number(words, "picture_width", meta->setting.net.width);
    sustain__state_number(words, "first_order", meta->options.first_order);
    sustain__state_number(words, "seed", (int64_t)meta->options.seed);
    sustain__state_parameters(words, rows, count, &meta->options);
}

sustain_status sustain_meta_save(const sustain_meta *meta, const char *path) {
    if (meta == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(meta->context, path, "path"));
    if (meta->solver != NULL) {
        SUSTAIN_TRY(sustain__meta_solver_start((sustain_meta *)meta)); /* a state has steps */
        return sustain_solver_save(meta->solver, path);
    }
    sustain__state_words words;
    sustain_field fields[FIELDS];
    words_of(meta, &words);
    fields_of((sustain_meta *)meta, fields); /* only read here */
    return sustain__state_write(meta->context, path, &words, fields, FIELDS);
}

/* ---- reading ---- */

/* Checks all fields before it copies one: a refused file leaves the run unchanged. */
static sustain_status load_solver(sustain_meta *meta, const char *path) {
    SUSTAIN_TRY(sustain__meta_solver_load(meta, path));
    meta->has_best = !isnan(meta->record.accuracy);
    sustain__meta_means(meta);
    return SUSTAIN_OK;
}

static sustain_status load_from(sustain_meta *meta, const char *path, const sustain__safetensors *file) {
    sustain__state_words words;
    sustain_field fields[FIELDS];
    const void *data;
    int64_t t;
    words_of(meta, &words);
    fields_of(meta, fields);
    SUSTAIN_TRY(sustain__state_expect(meta->context, path, file, &words));
    sustain__tensor best;
    const int count = sustain__safetensors_find(file, "best.theta", &best) ? FIELDS : OLD_FIELDS;
    for (int i = count - 1; i >= 0; i--) SUSTAIN_TRY(sustain__state_find(meta->context, path, file, &fields[i], &data));
    memcpy(&t, data, sizeof t); /* fields[0] */
    if (t < 0 || t > (int64_t)1 << 53)
        return sustain__fail(meta->context, SUSTAIN_FORMAT, "%s: its iteration number is invalid: the file is damaged", path);
    for (int i = 0; i < count; i++) SUSTAIN_TRY(sustain__state_load(meta->context, path, file, &fields[i]));
    meta->has_best = count == FIELDS && !isnan(meta->record.accuracy);
    sustain__meta_means(meta);
    return SUSTAIN_OK;
}

sustain_status sustain_meta_load(sustain_meta *meta, const char *path) {
    if (meta == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(meta->context, path, "path"));
    sustain__safetensors *file;
    if (meta->solver != NULL) return load_solver(meta, path);
    SUSTAIN_TRY(sustain__safetensors_read(meta->context, path, &file));
    const sustain_status status = load_from(meta, path, file);
    sustain__safetensors_destroy(file);
    return status;
}

/* ---- the model ---- */

static sustain_status write_model(const sustain_meta *meta, sustain_real *theta, const char *path) {
    const sustain__setting *s = &meta->setting;
    sustain__fewshot_model model = {.net = s->net,
                                    .rule = s->rule,
                                    .shots = meta->options.shots,
                                    .whole = s->method->whole,
                                    .means = s->method->means,
                                    .x = theta,
                                    .start = s->method->learns_start ? theta + s->dim : NULL};
    snprintf(model.method, sizeof model.method, "%s", s->method->name);
    return sustain__fewshot_model_write(meta->context, path, &model);
}

sustain_status sustain_meta_write_model(const sustain_meta *meta, const char *path) {
    if (meta == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(meta->context, path, "path"));
    return write_model(meta, meta->theta, path);
}

sustain_status sustain_meta_write_best(const sustain_meta *meta, const char *path) {
    if (meta == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(meta->context, path, "path"));
    if (!meta->has_best) return sustain__fail(meta->context, SUSTAIN_ORDER, "there is no best model yet: no validation was entered");
    return write_model(meta, meta->best, path);
}

static sustain_status take_model(sustain_meta *meta, const char *path, const sustain__fewshot_model *model) {
    sustain__setting *s = &meta->setting;
    s->method = sustain__method_find(model->method);
    if (s->method == NULL || s->method->whole != model->whole || s->method->means != model->means ||
        s->method->learns_start != (model->start != NULL))
        return sustain__fail(meta->context, SUSTAIN_FORMAT, "%s: its method is '%s', and its tensors are not those of that method", path,
                             model->method);
    s->net = model->net;
    s->rule = model->rule;
    sustain__setting_measure(s);
    meta->options.ways = model->rule.ways;
    meta->options.shots = model->shots;
    SUSTAIN_TRY(sustain__allocate(meta->context, sustain__multiply((size_t)s->theta, sizeof *meta->theta), &meta->memory));
    meta->theta = meta->memory;
    sustain__copy(s->theta, model->x, meta->theta); /* the start follows x in the model too */
    return SUSTAIN_OK;
}

sustain_status sustain_meta_open(sustain_context *context, const char *path, sustain_meta **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, path, "path"));
    sustain__fewshot_model model;
    sustain_meta *meta;
    SUSTAIN_TRY(sustain__fewshot_model_read(context, path, &model));
    sustain_status status = sustain__allocate(context, sizeof *meta, &meta);
    if (status == SUSTAIN_OK) {
        *meta = (sustain_meta){.context = context, .options = sustain_meta_defaults(), .record = {.accuracy = NAN}};
        meta->workers.context = context;
        status = take_model(meta, path, &model);
        if (status != SUSTAIN_OK) {
            sustain_meta_destroy(meta);
            meta = NULL;
        }
    }
    sustain__free(context, model.x);
    *out = meta;
    return status;
}

/* ---- accessors ---- */

const sustain_meta_options *sustain_meta_settled(const sustain_meta *meta) {
    if (meta == NULL) return NULL;
    return &meta->options;
}

const char *sustain_meta_method_name(const sustain_meta *meta) {
    if (meta == NULL) return "";
    return meta->setting.method->name;
}

int64_t sustain_meta_dim(const sustain_meta *meta) {
    if (meta == NULL) return 0;
    return meta->setting.theta;
}

const char *sustain_meta_layers(const sustain_meta *meta) {
    if (meta == NULL) return "";
    if (meta->solver != NULL) return sustain__task_problem_layers(meta->problem);
    return meta->workers.count > 0 ? sustain__backbone_kind(meta->workers.worker[0].backbone) : "";
}

sustain_solver *sustain_meta_solver(sustain_meta *meta) {
    return meta != NULL ? meta->solver : NULL;
}

int64_t sustain_meta_iteration(const sustain_meta *meta) {
    if (meta == NULL) return 0;
    return meta->t;
}

bool sustain_meta_look(sustain_meta *meta, double accuracy) {
    if (meta == NULL) return false;
    sustain_meta_record *r = &meta->record;
    const bool best = isnan(r->accuracy) || accuracy > r->accuracy;
    if (r->without_progress < INT64_MAX) r->without_progress++; /* of a file it may be any number */
    if (best) r->without_progress = 0;
    if (best) {
        r->accuracy = accuracy;
        r->iteration = meta->t;
        meta->has_best = meta->best != NULL; /* not where a model was read to be evaluated */
        if (meta->has_best) sustain__copy(meta->setting.theta, meta->theta, meta->best);
    }
    return best;
}

const sustain_meta_record *sustain_meta_best(const sustain_meta *meta) {
    if (meta == NULL) return NULL;
    return &meta->record;
}

/* trainer_checkpoint.c - the whole state of a run as a file; the model as another. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/vector.h"
#include "io/safetensors.h"
#include "meta/meta_internal.h"
#include "meta/fewshot_model.h"

static const char FORMAT[] = "sustain meta 1";

/* ---- the state ---- */

enum { FIELDS = 10, OWN_WORDS = 1, MOST_WORDS = 40, WORD = 40 };

static int fields_of(const sustain_meta *meta, sustain__tensor fields[FIELDS]) {
    const char *real = sizeof(sustain_real) == 8 ? "F64" : "F32";
    const int64_t n = meta->setting.theta;
    const sustain__tensor all[FIELDS] = {
        {"iteration", "I64", 1, &meta->t, NULL},
        {"theta", real, n, meta->theta, NULL},
        {"theta_prev", real, n, meta->theta_prev, NULL},
        {"h", real, n, meta->h, NULL},
        {"adam.m", real, n, meta->m, NULL},
        {"adam.v", real, n, meta->v, NULL},
        {"best.accuracy", "F64", 1, &meta->record.accuracy, NULL},
        {"best.iteration", "I64", 1, &meta->record.iteration, NULL},
        {"best.without_progress", "I64", 1, &meta->record.without_progress, NULL},
        {"seconds", "F64", 1, &meta->record.seconds, NULL},
    };
    memcpy(fields, all, sizeof all);
    return FIELDS;
}

/* The options as text, so that a file says what it belongs to, with the sides of the pictures and the seed. */
static int words_of(const sustain_meta *meta, char text[MOST_WORDS][WORD], sustain__word words[MOST_WORDS]) {
    static const char *const names[] = {"channels", "height", "picture_width", "first_order", "seed"};
    const int64_t numbers[] = {meta->setting.net.channels, meta->setting.net.height, meta->setting.net.width, meta->options.first_order,
                               (int64_t)meta->options.seed};
    int count, n = OWN_WORDS;
    const sustain_parameter *rows = sustain_meta_parameters(&count);
    words[0] = (sustain__word){"format", FORMAT};
    for (int i = 0; i < 5; i++, n++) {
        snprintf(text[n], WORD, "%lld", (long long)numbers[i]);
        words[n] = (sustain__word){names[i], text[n]};
    }
    for (int i = 0; i < count; i++, n++) {
        sustain_parameter_print(&rows[i], &meta->options, text[n], WORD);
        words[n] = (sustain__word){rows[i].name, text[n]};
    }
    return n;
}

sustain_status sustain_meta_save(const sustain_meta *meta, const char *path) {
    char text[MOST_WORDS][WORD];
    sustain__word words[MOST_WORDS];
    sustain__tensor fields[FIELDS];
    const int count = words_of(meta, text, words);
    return sustain__safetensors_write(meta->context, path, words, count, fields, fields_of(meta, fields));
}

/* ---- and back ---- */

static sustain_status check_words(sustain_meta *meta, const char *path, const sustain__safetensors *file) {
    char text[MOST_WORDS][WORD];
    sustain__word words[MOST_WORDS];
    const int count = words_of(meta, text, words);
    for (int i = 0; i < count; i++) {
        const char *found = sustain__safetensors_word(file, words[i].name);
        if (found == NULL || strcmp(found, words[i].value) != 0)
            return sustain__fail(meta->context, SUSTAIN_MISMATCH,
                                 "%s: its %s is '%.40s', that of this run is '%s': it is the state of another run", path, words[i].name,
                                 found != NULL ? found : "missing", words[i].value);
    }
    return SUSTAIN_OK;
}

static sustain_status find(sustain_meta *meta, const char *path, const sustain__safetensors *file, const sustain__tensor *field,
                           sustain__tensor *found) {
    if (sustain__safetensors_find(file, field->name, found) && strcmp(found->dtype, field->dtype) == 0 && found->count == field->count)
        return SUSTAIN_OK;
    return sustain__fail(meta->context, SUSTAIN_MISMATCH, "%s: it has no '%s' of %lld numbers of type %s: a state of another architecture",
                         path, field->name, (long long)field->count, field->dtype);
}

/* All are looked at before one is taken: a refused file leaves the run as it was. */
static sustain_status load_fields(sustain_meta *meta, const char *path, const sustain__safetensors *file) {
    sustain__tensor fields[FIELDS], found[FIELDS];
    const int count = fields_of(meta, fields);
    int64_t t;
    for (int i = 0; i < count; i++) SUSTAIN_TRY(find(meta, path, file, &fields[i], &found[i]));
    memcpy(&t, found[0].data, sizeof t);
    if (t < 0 || t > (int64_t)1 << 53)
        return sustain__fail(meta->context, SUSTAIN_FORMAT, "%s: its iteration makes no sense: the file is damaged", path);
    void *const place[FIELDS] = {&meta->t,
                                 meta->theta,
                                 meta->theta_prev,
                                 meta->h,
                                 meta->m,
                                 meta->v,
                                 &meta->record.accuracy,
                                 &meta->record.iteration,
                                 &meta->record.without_progress,
                                 &meta->record.seconds};
    for (int i = 0; i < count; i++) memcpy(place[i], found[i].data, (size_t)found[i].count * (strcmp(found[i].dtype, "F32") == 0 ? 4 : 8));
    return SUSTAIN_OK;
}

sustain_status sustain_meta_load(sustain_meta *meta, const char *path) {
    sustain__safetensors *file;
    SUSTAIN_TRY(sustain__safetensors_read(meta->context, path, &file));
    sustain_status status = SUSTAIN_OK;
    const char *format = sustain__safetensors_word(file, "format");
    if (format == NULL || strcmp(format, FORMAT) != 0)
        status = sustain__fail(meta->context, SUSTAIN_FORMAT, "%s: not a state of 'sustain meta train' (%s)", path, FORMAT);
    if (status == SUSTAIN_OK) status = check_words(meta, path, file);
    if (status == SUSTAIN_OK) status = load_fields(meta, path, file);
    sustain__safetensors_destroy(file);
    return status;
}

/* ---- the model ---- */

sustain_status sustain_meta_write_model(const sustain_meta *meta, const char *path) {
    const sustain__setting *s = &meta->setting;
    sustain__fewshot_model model = {.net = s->net,
                                    .rule = s->rule,
                                    .shots = meta->options.shots,
                                    .whole = s->method->whole,
                                    .x = meta->theta,
                                    .start = s->method->learns_start ? meta->theta + s->dim : NULL};
    snprintf(model.method, sizeof model.method, "%s", s->method->name);
    return sustain__fewshot_model_write(meta->context, path, &model);
}

static sustain_status take_model(sustain_meta *meta, const char *path, const sustain__fewshot_model *model) {
    sustain__setting *s = &meta->setting;
    s->method = sustain__method_find(model->method);
    if (s->method == NULL || s->method->whole != model->whole || s->method->learns_start != (model->start != NULL))
        return sustain__fail(meta->context, SUSTAIN_FORMAT, "%s: its method is '%s', and its tensors are not those of that method", path,
                             model->method);
    s->net = model->net;
    s->rule = model->rule;
    sustain__setting_measure(s);
    meta->options.ways = model->rule.ways;
    meta->options.shots = model->shots;
    SUSTAIN_TRY(sustain__allocate(meta->context, sustain__multiply((size_t)s->theta, sizeof *meta->theta), &meta->memory));
    meta->theta = meta->memory;
    sustain__copy(s->theta, model->x, meta->theta); /* the start follows x there too */
    return SUSTAIN_OK;
}

sustain_status sustain_meta_open(sustain_context *context, const char *path, sustain_meta **out) {
    sustain__fewshot_model model;
    sustain_meta *meta;
    *out = NULL;
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

/* ---- what a run says of itself ---- */

const sustain_meta_options *sustain_meta_settled(const sustain_meta *meta) {
    return &meta->options;
}

const char *sustain_meta_method_name(const sustain_meta *meta) {
    return meta->setting.method->name;
}

int64_t sustain_meta_dim(const sustain_meta *meta) {
    return meta->setting.theta;
}

const char *sustain_meta_layers(const sustain_meta *meta) {
    return meta->workers.count > 0 ? sustain__backbone_kind(meta->workers.worker[0].backbone) : "";
}

int64_t sustain_meta_iteration(const sustain_meta *meta) {
    return meta->t;
}

bool sustain_meta_look(sustain_meta *meta, double accuracy) {
    sustain_meta_record *r = &meta->record;
    const bool best = isnan(r->accuracy) || accuracy > r->accuracy;
    r->without_progress = best ? 0 : r->without_progress + 1;
    if (best) {
        r->accuracy = accuracy;
        r->iteration = meta->t;
    }
    return best;
}

const sustain_meta_record *sustain_meta_best(const sustain_meta *meta) {
    return &meta->record;
}

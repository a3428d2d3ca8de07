/* model.c - few-shot models as safetensors: the parameters of the backbone by the names of its views, "head.weight" (ways, features) and "head.bias" (ways)
 * where a start was learned; the architecture and the rule of adapting as words of the metadata. */
#include "meta/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/safetensors.h"

static const char FORMAT[] = "sustain few-shot model 1";

/* ---- words ---- */

enum { WORD = 40, WHOLE_NUMBERS = 7, NUMBERS = 5, OWN_WORDS = 3 };

/* The numbers of the metadata, by name. */
typedef struct number_words {
    struct {
        const char *name;
        int64_t *value;
    } whole[WHOLE_NUMBERS];
    struct {
        const char *name;
        double *value;
    } number[NUMBERS];
} number_words;

static number_words words_of(sustain__fewshot_model *m) {
    return (number_words){
        .whole = {{"channels", &m->net.channels},
                  {"height", &m->net.height},
                  {"width", &m->net.width},
                  {"filters", &m->net.filters},
                  {"ways", &m->rule.ways},
                  {"shots", &m->shots},
                  {"inner_steps", &m->rule.steps}},
        .number = {{"pixel_scale", &m->net.pixel_scale},
                   {"pixel_shift", &m->net.pixel_shift},
                   {"inner_step", &m->rule.step},
                   {"lambda", &m->rule.lambda},
                   {"tolerance", &m->rule.tolerance}},
    };
}

/* ---- tensors ---- */

enum { HEAD_TENSORS = 2, TENSORS = SUSTAIN__NET_VIEWS + HEAD_TENSORS };

/* A tensor of the file, and where its numbers are. */
typedef struct part {
    sustain__view view;
    int64_t shape[5]; /* ends with 0 */
    sustain_real *place;
} part;

static void set_part(part *p, sustain__view view, sustain_real *place) {
    *p = (part){.view = view, .place = place};
    for (int r = 0; r < view.rank; r++) p->shape[r] = view.shape[r];
}

/* Those of the backbone, then those of the head where `start` is not NULL; returns how many. */
static int parts_of(const sustain__fewshot_model *m, sustain_real *x, sustain_real *start, part parts[TENSORS]) {
    const int64_t ways = m->rule.ways, features = sustain__net_features(&m->net);
    for (int i = 0; i < SUSTAIN__NET_VIEWS; i++) {
        const sustain__view view = sustain__net_view(&m->net, i);
        set_part(&parts[i], view, x + view.offset);
    }
    if (start == NULL) return SUSTAIN__NET_VIEWS;
    set_part(&parts[SUSTAIN__NET_VIEWS],
             (sustain__view){.name = "head.weight", .count = ways * features, .rank = 2, .shape = {ways, features}}, start);
    set_part(&parts[SUSTAIN__NET_VIEWS + 1], (sustain__view){.name = "head.bias", .count = ways, .rank = 1, .shape = {ways}},
             start + ways * features);
    return TENSORS;
}

/* ---- writing ---- */

sustain_status sustain__fewshot_model_write(sustain_context *context, const char *path, const sustain__fewshot_model *model) {
    sustain__fewshot_model m = *model;
    const number_words numbers = words_of(&m);
    char text[WHOLE_NUMBERS + NUMBERS][WORD];
    sustain__word words[OWN_WORDS + WHOLE_NUMBERS + NUMBERS] = {
        {"format", FORMAT}, {"method", m.method}, {"adapts", m.whole ? "all" : "head"}};
    int n = 0;
    for (int i = 0; i < WHOLE_NUMBERS; i++, n++) {
        snprintf(text[n], WORD, "%lld", (long long)*numbers.whole[i].value);
        words[OWN_WORDS + n] = (sustain__word){numbers.whole[i].name, text[n]};
    }
    for (int i = 0; i < NUMBERS; i++, n++) {
        snprintf(text[n], WORD, "%.17g", *numbers.number[i].value);
        words[OWN_WORDS + n] = (sustain__word){numbers.number[i].name, text[n]};
    }
    part parts[TENSORS];
    sustain__tensor tensors[TENSORS];
    const int count = parts_of(&m, m.x, m.start, parts);
    for (int i = 0; i < count; i++)
        tensors[i] = (sustain__tensor){parts[i].view.name, sizeof(sustain_real) == 8 ? "F64" : "F32", parts[i].view.count, parts[i].place,
                                       parts[i].shape};
    return sustain__safetensors_write(context, path, words, OWN_WORDS + n, tensors, count);
}

/* ---- reading ---- */

static sustain_status damaged(sustain_context *context, const char *path, const char *what, const char *name) {
    return sustain__fail(context, SUSTAIN_FORMAT, "%s: %s '%s': damaged, or not a model that sustain wrote", path, what, name);
}

static bool whole_number(const char *text, int64_t *value) {
    char *end;
    *value = text != NULL ? strtoll(text, &end, 10) : 0;
    return text != NULL && end != text && *end == '\0' && *value >= 0 && *value <= 1000000;
}

static bool number(const char *text, double *value) {
    char *end;
    *value = text != NULL ? strtod(text, &end) : NAN;
    return text != NULL && end != text && *end == '\0' && isfinite(*value);
}

static sustain_status read_words(sustain_context *context, const char *path, const sustain__safetensors *file, sustain__fewshot_model *m) {
    const char *format = sustain__safetensors_word(file, "format"), *method = sustain__safetensors_word(file, "method"),
               *adapts = sustain__safetensors_word(file, "adapts");
    if (format == NULL || strcmp(format, FORMAT) != 0)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: it is %s%.60s%s, not a few-shot model (%s)", path,
                             format != NULL ? "a '" : "a safetensors file", format != NULL ? format : "",
                             format != NULL ? "'" : " of something else", FORMAT);
    if (method == NULL || strlen(method) >= sizeof m->method) return damaged(context, path, "it does not say its", "method");
    if (adapts == NULL || (strcmp(adapts, "all") != 0 && strcmp(adapts, "head") != 0))
        return damaged(context, path, "it does not say what it", "adapts");
    snprintf(m->method, sizeof m->method, "%s", method);
    m->whole = strcmp(adapts, "all") == 0;
    const number_words numbers = words_of(m);
    for (int i = 0; i < WHOLE_NUMBERS; i++)
        if (!whole_number(sustain__safetensors_word(file, numbers.whole[i].name), numbers.whole[i].value))
            return damaged(context, path, "it has no number", numbers.whole[i].name);
    for (int i = 0; i < NUMBERS; i++)
        if (!number(sustain__safetensors_word(file, numbers.number[i].name), numbers.number[i].value))
            return damaged(context, path, "it has no number", numbers.number[i].name);
    if (m->rule.ways < 2 || m->rule.lambda < 0 || m->rule.step <= 0 || m->rule.tolerance < 0 ||
        (m->rule.tolerance > 0 && m->rule.lambda == 0))
        return damaged(context, path, "its way to adapt makes no sense:", "ways, lambda, inner_step, tolerance");
    const sustain_status status = sustain__net_check(context, &m->net);
    if (status == SUSTAIN_OK) return SUSTAIN_OK;
    char reason[256];
    snprintf(reason, sizeof reason, "%s", sustain_error(context));
    return sustain__fail(context, SUSTAIN_FORMAT, "%s: %s", path, reason);
}

static sustain_status read_tensor(sustain_context *context, const char *path, const sustain__safetensors *file, const part *p) {
    sustain__tensor t;
    if (!sustain__safetensors_find(file, p->view.name, &t))
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: it has no tensor '%s': not the architecture that its metadata says", path,
                             p->view.name);
    if (t.count != p->view.count)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: tensor '%s' has %lld numbers, the architecture in its metadata has %lld there",
                             path, p->view.name, (long long)t.count, (long long)p->view.count);
    if (!sustain__tensor_numbers(&t, p->place))
        return damaged(context, path, "numbers that are not finite, or no floats, in", p->view.name);
    return SUSTAIN_OK;
}

static sustain_status read_model(sustain_context *context, const char *path, const sustain__safetensors *file, sustain__fewshot_model *m) {
    sustain__tensor head;
    part parts[TENSORS];
    SUSTAIN_TRY(read_words(context, path, file, m));
    const int64_t dim = sustain__net_dim(&m->net), head_dim = m->rule.ways * (sustain__net_features(&m->net) + 1);
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)(dim + head_dim), sizeof *m->x), &m->x));
    m->start = sustain__safetensors_find(file, "head.weight", &head) ? m->x + dim : NULL;
    const int count = parts_of(m, m->x, m->start, parts);
    for (int i = 0; i < count; i++) SUSTAIN_TRY(read_tensor(context, path, file, &parts[i]));
    return SUSTAIN_OK;
}

sustain_status sustain__fewshot_model_read(sustain_context *context, const char *path, sustain__fewshot_model *model) {
    sustain__safetensors *file;
    *model = (sustain__fewshot_model){.x = NULL};
    SUSTAIN_TRY(sustain__safetensors_read(context, path, &file));
    const sustain_status status = read_model(context, path, file, model);
    sustain__safetensors_destroy(file);
    if (status != SUSTAIN_OK) {
        sustain__free(context, model->x);
        model->x = model->start = NULL;
    }
    return status;
}

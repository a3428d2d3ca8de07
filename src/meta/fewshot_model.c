/* fewshot_model.c - few-shot models as safetensors: one tensor for each named part of the
 * backbone, and "head.weight" (ways, features) and "head.bias" (ways) if a start of the head was
 * learned. The metadata holds the architecture and the adaptation rule. */
#include "meta/fewshot_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "io/safetensors.h"

static const char FORMAT[] = "sustain few-shot model 1";

/* ---- metadata ---- */

enum { WORD = 40, TEXT = 100, WHOLE_NUMBERS = 7, NUMBERS = 6, OWN_WORDS = 3 };

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
                   {"least_scale", &m->net.least_scale},
                   {"inner_step", &m->rule.step},
                   {"lambda", &m->rule.lambda},
                   {"tolerance", &m->rule.tolerance}},
    };
}

/* ---- tensors ---- */

enum { HEAD_TENSORS = 2, TENSORS = SUSTAIN__NET_VIEWS + HEAD_TENSORS };

/* A tensor of the file. */
typedef struct part {
    sustain__view view; /* its offset counts from x, the head coming after it */
    int64_t shape[5];   /* ends with 0 */
} part;

static part part_of(sustain__view view) {
    part p = {.view = view};
    for (int r = 0; r < view.rank; r++) p.shape[r] = view.shape[r];
    return p;
}

/* The tensors of the backbone, then those of the head if a start was learned; returns their
 * number. */
static int parts_of(const sustain__fewshot_model *m, bool start, part parts[TENSORS]) {
    const int64_t ways = m->rule.ways, features = sustain__net_features(&m->net), dim = sustain__net_dim(&m->net);
    for (int i = 0; i < SUSTAIN__NET_VIEWS; i++) parts[i] = part_of(sustain__net_view(&m->net, i));
    if (!start) return SUSTAIN__NET_VIEWS;
    parts[SUSTAIN__NET_VIEWS] =
        part_of((sustain__view){.name = "head.weight", .offset = dim, .count = ways * features, .rank = 2, .shape = {ways, features}});
    parts[SUSTAIN__NET_VIEWS + 1] =
        part_of((sustain__view){.name = "head.bias", .offset = dim + ways * features, .count = ways, .rank = 1, .shape = {ways}});
    return TENSORS;
}

/* ---- writing ---- */

sustain_status sustain__fewshot_model_write(sustain_context *context, const char *path, const sustain__fewshot_model *model) {
    sustain__fewshot_model m = *model;
    const number_words numbers = words_of(&m);
    char text[WHOLE_NUMBERS + NUMBERS][WORD];
    sustain__word words[OWN_WORDS + WHOLE_NUMBERS + NUMBERS] = {{"format", FORMAT},
                                                                {"method", m.method},
                                                                {"adapts", m.whole   ? "all"
                                                                           : m.means ? "means"
                                                                                     : "head"}};
    int n = 0;
    for (int i = 0; i < WHOLE_NUMBERS; i++, n++) {
        snprintf(text[n], WORD, "%lld", (long long)*numbers.whole[i].value);
        words[OWN_WORDS + n] = (sustain__word){numbers.whole[i].name, text[n]};
    }
    for (int i = 0; i < NUMBERS; i++, n++) {
        sustain__decimal_write(*numbers.number[i].value, 17, text[n], WORD);
        words[OWN_WORDS + n] = (sustain__word){numbers.number[i].name, text[n]};
    }
    part parts[TENSORS];
    sustain__tensor tensors[TENSORS];
    const int count = parts_of(&m, m.start != NULL, parts);
    const int64_t dim = sustain__net_dim(&m.net);
    for (int i = 0; i < count; i++) {
        const int64_t offset = parts[i].view.offset;
        tensors[i] = (sustain__tensor){parts[i].view.name, sizeof(sustain_real) == 8 ? "F64" : "F32", parts[i].view.count,
                                       offset < dim ? m.x + offset : m.start + (offset - dim), parts[i].shape};
    }
    return sustain__safetensors_write_checked(context, path, words, OWN_WORDS + n, tensors, count);
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
    return text != NULL && sustain__decimal_read(text, value) && isfinite(*value);
}

static sustain_status read_words(sustain_context *context, const char *path, const sustain__safetensors *file, sustain__fewshot_model *m) {
    const char *format = sustain__safetensors_word(file, "format"), *method = sustain__safetensors_word(file, "method"),
               *adapts = sustain__safetensors_word(file, "adapts");
    if (format == NULL || strcmp(format, FORMAT) != 0)
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: it is %s%.60s%s, not a few-shot model (%s)", path,
                             format != NULL ? "a '" : "a safetensors file", format != NULL ? format : "",
                             format != NULL ? "'" : " of something else", FORMAT);
    if (method == NULL || strlen(method) >= sizeof m->method) return damaged(context, path, "its metadata has no valid", "method");
    if (adapts == NULL || (strcmp(adapts, "all") != 0 && strcmp(adapts, "head") != 0 && strcmp(adapts, "means") != 0))
        return damaged(context, path, "its metadata has no valid", "adapts");
    snprintf(m->method, sizeof m->method, "%s", method);
    m->whole = strcmp(adapts, "all") == 0;
    m->means = strcmp(adapts, "means") == 0;
    const number_words numbers = words_of(m);
    for (int i = 0; i < WHOLE_NUMBERS; i++)
        if (!whole_number(sustain__safetensors_word(file, numbers.whole[i].name), numbers.whole[i].value))
            return damaged(context, path, "it has no number", numbers.whole[i].name);
    for (int i = 0; i < NUMBERS; i++)
        if (!number(sustain__safetensors_word(file, numbers.number[i].name), numbers.number[i].value))
            return damaged(context, path, "it has no number", numbers.number[i].name);
    if (m->rule.ways < 2 || m->rule.lambda < 0 || m->rule.step <= 0 || m->rule.tolerance < 0 ||
        (m->rule.tolerance > 0 && m->rule.lambda == 0))
        return damaged(context, path, "its adaptation rule is invalid:", "ways, lambda, inner_step, tolerance");
    const sustain_status status = sustain__net_check(context, &m->net);
    if (status == SUSTAIN_OK) return SUSTAIN_OK;
    char reason[256];
    snprintf(reason, sizeof reason, "%s", sustain_error(context));
    return sustain__fail(context, SUSTAIN_FORMAT, "%s: %s", path, reason);
}

/* "2, 3", for messages; shapes longer than any of ours are cut. */
static const char *shape_text(const int64_t *shape, char text[TEXT]) {
    size_t used = 0;
    int r = 0;
    text[0] = '\0';
    for (; r < 4 && shape[r] != 0; r++)
        used += (size_t)snprintf(text + used, TEXT - used, "%s%lld", r == 0 ? "" : ", ", (long long)shape[r]);
    if (r == 4 && shape[r] != 0) snprintf(text + used, TEXT - used, ", ...");
    return text;
}

/* Checks that the file has the tensor, in the shape given by the architecture. */
static sustain_status find_tensor(sustain_context *context, const char *path, const sustain__safetensors *file, const part *p,
                                  sustain__tensor *t) {
    char found[TEXT], wanted[TEXT];
    if (!sustain__safetensors_find(file, p->view.name, t))
        return sustain__fail(context, SUSTAIN_FORMAT, "%s: it has no tensor '%s', which the architecture in its metadata requires", path,
                             p->view.name);
    for (int r = 0; r <= p->view.rank; r++)
        if (t->shape[r] != p->shape[r])
            return sustain__fail(context, SUSTAIN_FORMAT,
                                 "%s: tensor '%s' has the shape (%s), but the architecture in its metadata requires (%s)", path,
                                 p->view.name, shape_text(t->shape, found), shape_text(p->shape, wanted));
    return SUSTAIN_OK;
}

/* Checks all tensors before allocating, so that no more is allocated than the file holds. */
static sustain_status read_model(sustain_context *context, const char *path, const sustain__safetensors *file, sustain__fewshot_model *m) {
    sustain__tensor tensors[TENSORS];
    part parts[TENSORS];
    SUSTAIN_TRY(read_words(context, path, file, m));
    const bool start = m->whole || sustain__safetensors_find(file, "head.weight", &tensors[0]);
    const int count = parts_of(m, start, parts);
    int64_t numbers = 0;
    for (int i = 0; i < count; i++) {
        SUSTAIN_TRY(find_tensor(context, path, file, &parts[i], &tensors[i]));
        numbers += parts[i].view.count;
    }
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)numbers, sizeof *m->x), &m->x));
    if (start) m->start = m->x + sustain__net_dim(&m->net);
    for (int i = 0; i < count; i++)
        if (!sustain__tensor_numbers(&tensors[i], m->x + parts[i].view.offset))
            return damaged(context, path, "numbers that are not finite, or not floats, in", parts[i].view.name);
    return sustain__safetensors_check(context, path, file); /* last: the others name the place */
}

static sustain_status read_file(sustain_context *context, const char *path, sustain__safetensors *file, sustain__fewshot_model *model) {
    const sustain_status status = read_model(context, path, file, model);
    sustain__safetensors_destroy(file);
    if (status != SUSTAIN_OK) {
        sustain__free(context, model->x);
        model->x = model->start = NULL;
    }
    return status;
}

sustain_status sustain__fewshot_model_read(sustain_context *context, const char *path, sustain__fewshot_model *model) {
    sustain__safetensors *file;
    *model = (sustain__fewshot_model){.x = NULL};
    SUSTAIN_TRY(sustain__safetensors_read(context, path, &file));
    return read_file(context, path, file, model);
}

sustain_status sustain__fewshot_model_parse(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                            sustain__fewshot_model *model) {
    sustain__safetensors *file;
    *model = (sustain__fewshot_model){.x = NULL};
    SUSTAIN_TRY(sustain__safetensors_parse(context, path, bytes, length, &file));
    return read_file(context, path, file, model);
}

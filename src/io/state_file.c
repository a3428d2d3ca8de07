/* state_file.c - see state_file.h. */
#include "io/state_file.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "io/safetensors_header.h"

static const char *dtype_of(sustain_field_type type) {
    switch (type) {
    case SUSTAIN_FIELD_REAL:
        return sizeof(sustain_real) == sizeof(float) ? "F32" : "F64";
    case SUSTAIN_FIELD_DOUBLE:
        return "F64";
    case SUSTAIN_FIELD_INT64:
        return "I64";
    case SUSTAIN_FIELD_UINT32:
        return "U32";
    }
    return "";
}

/* ---- words ---- */

void sustain__state_word(sustain__state_words *w, const char *name, const char *text) {
    assert(w->count < SUSTAIN__STATE_WORDS);
    w->word[w->count++] = (sustain__word){name, text};
}

void sustain__state_number(sustain__state_words *w, const char *name, int64_t number) {
    snprintf(w->text[w->count], SUSTAIN__STATE_TEXT, "%lld", (long long)number);
    sustain__state_word(w, name, w->text[w->count]);
}

void sustain__state_parameters(sustain__state_words *w, const sustain_parameter *rows, int count, const void *values) {
    for (int i = 0; i < count; i++) {
        sustain_parameter_print(&rows[i], values, w->text[w->count], SUSTAIN__STATE_TEXT);
        sustain__state_word(w, rows[i].name, w->text[w->count]);
    }
}

/* The words first: they name what differs. */
sustain_status sustain__state_expect(sustain_context *context, const char *path, const sustain__safetensors *file,
                                     const sustain__state_words *words) {
    SUSTAIN_TRY(sustain__safetensors_check(context, path, file));
    if (sustain__safetensors_word(file, "checksum") == NULL)
        sustain__log(context, "%s: it has no checksum, as an older version wrote it: damage to it cannot be recognized", path);
    for (int i = 0; i < words->count; i++) {
        const char *found = sustain__safetensors_word(file, words->word[i].name), *expected = words->word[i].value;
        if (found == NULL || strcmp(found, expected) != 0)
            return sustain__fail(context, SUSTAIN_MISMATCH,
                                 "%s: its %s is '%.60s', that of this run is '%s': it is the state of another run", path,
                                 words->word[i].name, found != NULL ? found : "missing", expected);
    }
    const char *run = sustain__safetensors_word(file, "run");
    if (run != NULL && context->identity[0] != '\0' && strcmp(run, context->identity) != 0)
        return sustain__fail(
            context, SUSTAIN_MISMATCH,
            "%s: it is the state of a run with other data or other options (%.60s, this run is %s): give those, or start anew", path, run,
            context->identity);
    return SUSTAIN_OK;
}

/* ---- fields ---- */

sustain_status sustain__state_write(sustain_context *context, const char *path, const sustain__state_words *words,
                                    const sustain_field *fields, int count) {
    sustain__tensor *tensors;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, sizeof *tensors), &tensors));
    for (int i = 0; i < count; i++)
        tensors[i] = (sustain__tensor){fields[i].name, dtype_of(fields[i].type), fields[i].count, fields[i].data, NULL};
    sustain__state_words all = *words; /* its texts are those of `words`, which outlive it */
    if (context->identity[0] != '\0') sustain__state_word(&all, "run", context->identity);
    const sustain_status status = sustain__safetensors_write_checked(context, path, all.word, all.count, tensors, count);
    sustain__free(context, tensors);
    return status;
}

sustain_status sustain__state_find(sustain_context *context, const char *path, const sustain__safetensors *file, const sustain_field *field,
                                   const void **data) {
    const char *dtype = dtype_of(field->type);
    sustain__tensor t;
    if (!sustain__safetensors_find(file, field->name, &t))
        return sustain__fail(context, SUSTAIN_MISMATCH, "%s: it has no tensor '%s'", path, field->name);
    if (strcmp(t.dtype, dtype) != 0 || t.count != field->count)
        return sustain__fail(context, SUSTAIN_MISMATCH, "%s: '%s' has %lld numbers of type %s, that of this run has %lld of type %s", path,
                             field->name, (long long)t.count, t.dtype, (long long)field->count, dtype);
    *data = t.data;
    return SUSTAIN_OK;
}

sustain_status sustain__state_load(sustain_context *context, const char *path, const sustain__safetensors *file,
                                   const sustain_field *field) {
    const void *data;
    SUSTAIN_TRY(sustain__state_find(context, path, file, field, &data));
    memcpy(field->data, data, (size_t)field->count * sustain__dtype_size(dtype_of(field->type)));
    return SUSTAIN_OK;
}

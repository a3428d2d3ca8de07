/* table_parts.c - helpers for tables: columns as text, numbered texts, lists of names. */
#include <stdarg.h>
#include <string.h>

#include "data/table_internal.h"

/* ---- columns as text ---- */

const sustain__field_text *sustain__table_text_of(const sustain__text_columns *texts, int64_t position) {
    for (int64_t k = 0; k < texts->count; k++)
        if (texts->items[k].position == position) return texts->items[k].texts;
    return NULL;
}

void sustain__table_texts_free(sustain__text_columns *texts) {
    if (texts->context == NULL) return;
    for (int64_t k = 0; k < texts->count; k++) sustain__free(texts->context, texts->items[k].texts);
    sustain__free(texts->context, texts->items);
    sustain__csv_end(&texts->csv);
}

/* The first pass found no error, so every row has all columns. */
static sustain_status read_texts(const sustain__table *t, sustain__text_columns *out) {
    sustain__csv *csv = &out->csv;
    for (int64_t j = 0; t->header && j < t->columns; j++) SUSTAIN_TRY(sustain__csv_skip(csv));
    for (int64_t i = 0; i < t->rows && sustain__csv_row(csv, NULL); i++) {
        int64_t k = 0;
        if (i % SUSTAIN__ASK_ROWS == 0) SUSTAIN_TRY(sustain__cancelled(t->input->context));
        for (int64_t j = 0; j < t->columns; j++) {
            sustain__field_text field;
            SUSTAIN_TRY(sustain__csv_text(csv, &field));
            if (k < out->count && out->items[k].position == j) out->items[k++].texts[i] = field;
        }
        sustain__csv_end_row(csv);
    }
    return SUSTAIN_OK;
}

sustain_status sustain__table_texts(const sustain__table *t, const uint8_t *wanted, sustain__text_columns *out) {
    sustain_context *context = t->input->context;
    *out = (sustain__text_columns){.context = context};
    int64_t count = 0;
    for (int64_t j = 0; j < t->columns; j++) count += wanted[j];
    if (count == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__csv_begin(context, t->input->set->source, t->input->bytes, t->input->length, &out->csv));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, sizeof *out->items), &out->items));
    for (int64_t j = 0; j < t->columns; j++) {
        if (!wanted[j]) continue;
        sustain__text_column *item = &out->items[out->count];
        SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)t->rows, sizeof *item->texts), &item->texts));
        item->position = j;
        out->count++;
    }
    return read_texts(t, out);
}

const float *sustain__table_numbers(const sustain__table *t, int64_t column) {
    int64_t slot = 0;
    for (int64_t j = 0; j < column; j++) slot += t->roles[j] == SUSTAIN__FEATURE;
    return t->input->set->memory->values + slot;
}

/* ---- texts kept for display ---- */

/* Copies of fields as one block of names. */
static sustain_status copy_fields(sustain_context *context, const sustain__field_text *fields, int64_t count, char ***out) {
    const char **names;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, sizeof *names + sizeof(size_t)), &names));
    size_t *length = (size_t *)(names + count);
    for (int64_t i = 0; i < count; i++) {
        names[i] = fields[i].at;
        length[i] = (size_t)(fields[i].end - fields[i].at);
    }
    const sustain_status status = sustain__copy_names(context, names, length, count, out);
    sustain__free(context, names);
    return status;
}

/* fields: room for a row of names, and for all rows. */
static sustain_status keep(const sustain__table *t, const sustain__text_columns *texts, const int64_t *column, int64_t count,
                           sustain__field_text *fields) {
    static const char unnamed[] = "column";
    sustain_dataset *set = t->input->set;
    for (int64_t k = 0; k < count; k++)
        fields[k] = t->header ? t->first[column[k]] : (sustain__field_text){unnamed, unnamed + strlen(unnamed)};
    SUSTAIN_TRY(copy_fields(set->context, fields, count, &set->memory->kept_names));
    for (int64_t k = 0; k < count; k++) {
        const sustain__field_text *from = sustain__table_text_of(texts, column[k]);
        for (int64_t i = 0; i < t->rows; i++) {
            if (t->wish[column[k]] == SUSTAIN__AS_ID && !sustain__field_is_utf8(from[i]))
                return sustain__table_refuse_row(t, i, column[k], sustain__no_text, sustain__not_utf8);
            fields[i * count + k] = from[i];
        }
    }
    set->kept_columns = count;
    set->has_id = t->wish[column[0]] == SUSTAIN__AS_ID;
    return copy_fields(set->context, fields, t->rows * count, &set->memory->kept);
}

sustain_status sustain__table_keep(const sustain__table *t, const sustain__text_columns *texts) {
    sustain_context *context = t->input->context;
    int64_t *column, count = 0;
    sustain__field_text *fields = NULL;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)t->columns, sizeof *column), &column));
    for (int64_t j = 0; j < t->columns; j++)
        if (t->wish[j] == SUSTAIN__AS_ID) column[count++] = j;
    for (int64_t j = 0; j < t->columns; j++)
        if (t->shown[j] && t->wish[j] != SUSTAIN__AS_ID) column[count++] = j;
    sustain_status status = SUSTAIN_OK;
    if (count > 0) status = sustain__allocate(context, sustain__multiply((size_t)(t->rows * count), sizeof *fields), &fields);
    if (status == SUSTAIN_OK && count > 0) status = keep(t, texts, column, count, fields);
    sustain__free(context, fields);
    sustain__free(context, column);
    return status;
}

sustain_status sustain__table_keep_alone(const sustain__table *t) {
    sustain__text_columns texts = {.context = NULL};
    uint8_t *wanted;
    SUSTAIN_TRY(sustain__allocate(t->input->context, (size_t)t->columns, &wanted));
    for (int64_t j = 0; j < t->columns; j++) wanted[j] = t->shown[j] || t->wish[j] == SUSTAIN__AS_ID;
    sustain_status status = sustain__table_texts(t, wanted, &texts);
    if (status == SUSTAIN_OK) status = sustain__table_keep(t, &texts);
    sustain__table_texts_free(&texts);
    sustain__free(t->input->context, wanted);
    return status;
}

/* ---- numbered texts ---- */

static size_t slot_of(const sustain__intern *table, sustain__field_text text) {
    const size_t length = (size_t)(text.end - text.at);
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text.at[i]) * 1099511628211u;
    h ^= h >> 32;
    for (size_t at = (size_t)h & (table->slots - 1);; at = (at + 1) & (table->slots - 1)) {
        if (table->slot[at] == 0) return at;
        const sustain__field_text known = table->known[table->slot[at] - 1];
        if ((size_t)(known.end - known.at) == length && memcmp(known.at, text.at, length) == 0) return at;
    }
}

int64_t sustain__intern_find(const sustain__intern *table, sustain__field_text text) {
    return table->slots == 0 ? -1 : (int64_t)table->slot[slot_of(table, text)] - 1;
}

/* Doubles the capacity and rebuilds the hash table. */
static sustain_status grow(sustain__intern *table) {
    sustain_context *context = table->context;
    const int64_t room = table->room > 0 ? 2 * table->room : 64;
    sustain__intern next = {.context = context, .count = table->count, .room = room, .slots = 4 * (size_t)room};
    sustain_status status = sustain__allocate(context, (size_t)room * sizeof *next.known, &next.known);
    if (status == SUSTAIN_OK) status = sustain__allocate(context, (size_t)room * sizeof *next.times, &next.times);
    if (status == SUSTAIN_OK) status = sustain__allocate(context, next.slots * sizeof *next.slot, &next.slot);
    if (status != SUSTAIN_OK) {
        sustain__intern_free(&next);
        return status;
    }
    for (int64_t i = 0; i < table->count; i++) {
        next.known[i] = table->known[i];
        next.times[i] = table->times[i];
        next.slot[slot_of(&next, next.known[i])] = (int32_t)i + 1;
    }
    sustain__intern_free(table);
    *table = next;
    return SUSTAIN_OK;
}

sustain_status sustain__intern_add(sustain__intern *table, sustain__field_text text, int64_t *number) {
    if (table->count == table->room) SUSTAIN_TRY(grow(table));
    const size_t at = slot_of(table, text);
    if (table->slot[at] == 0) {
        table->known[table->count] = text;
        table->slot[at] = (int32_t)++table->count;
    }
    *number = table->slot[at] - 1;
    table->times[*number]++;
    return SUSTAIN_OK;
}

void sustain__intern_free(sustain__intern *table) {
    sustain__free(table->context, table->known);
    sustain__free(table->context, table->times);
    sustain__free(table->context, table->slot);
}

/* ---- names ---- */

/* Grows an array of `count` elements to hold `needed`. */
static sustain_status make_room(sustain_context *context, void *array, size_t size, size_t count, size_t needed, size_t *room) {
    void *before, *after;
    if (needed <= *room) return SUSTAIN_OK;
    const size_t next = needed > 2 * *room ? needed + 64 : 2 * *room;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(next, size), &after));
    memcpy(&before, array, sizeof before);
    if (count > 0) memcpy(after, before, count * size);
    sustain__free(context, before);
    memcpy(array, &after, sizeof after);
    *room = next;
    return SUSTAIN_OK;
}

sustain_status sustain__names_add(sustain__names *names, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t room = (size_t)names->room;
    sustain_status status = make_room(names->context, &names->text, 1, names->used, names->used + (size_t)length + 1, &names->text_room);
    if (status == SUSTAIN_OK)
        status = make_room(names->context, &names->at, sizeof *names->at, (size_t)names->count, (size_t)names->count + 1, &room);
    names->room = (int64_t)room;
    if (status == SUSTAIN_OK) {
        va_start(arguments, format);
        vsnprintf(names->text + names->used, (size_t)length + 1, format, arguments);
        va_end(arguments);
        names->at[names->count++] = names->used;
        names->used += (size_t)length + 1;
    }
    return status;
}

sustain_status sustain__names_store(const sustain__names *names, char ***out) {
    const char **list;
    SUSTAIN_TRY(sustain__allocate(names->context, sustain__multiply((size_t)names->count, sizeof *list), &list));
    for (int64_t i = 0; i < names->count; i++) list[i] = names->text + names->at[i];
    const sustain_status status = sustain__copy_names(names->context, list, NULL, names->count, out);
    sustain__free(names->context, list);
    return status;
}

void sustain__names_free(sustain__names *names) {
    sustain__free(names->context, names->text);
    sustain__free(names->context, names->at);
}

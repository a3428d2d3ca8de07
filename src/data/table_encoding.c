/* table_encoding.c - creation of encodings, and the roles of the columns of a file: chosen by
 * options, or found by an existing encoding. */
#include <math.h>
#include <string.h>

#include "data/table_internal.h"

/* ---- creation ---- */

sustain_status sustain__encoding_create(sustain_context *context, sustain_table_encoding **out) {
    SUSTAIN_TRY(sustain__allocate(context, sizeof **out, out));
    (*out)->context = context;
    atomic_init(&(*out)->owners, 1);
    return SUSTAIN_OK;
}

sustain_table_encoding *sustain_table_encoding_share(const sustain_table_encoding *encoding) {
    /* only the count of owners changes */
    sustain_table_encoding *shared = (sustain_table_encoding *)(uintptr_t)encoding;
    if (shared != NULL) atomic_fetch_add(&shared->owners, 1);
    return shared;
}

void sustain_table_encoding_destroy(sustain_table_encoding *e) {
    if (e == NULL || atomic_fetch_sub(&e->owners, 1) > 1) return;
    for (int64_t k = 0; k < e->count; k++) {
        sustain__free(e->context, e->columns[k].bucket);
        sustain__free(e->context, e->columns[k].frequency);
    }
    void *const owned[] = {e->file_names, e->shown, e->columns, e->names, e->group, e->group_names};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) sustain__free(e->context, owned[i]);
    sustain__free(e->context, e);
}

sustain_status sustain__encoding_number(sustain_table_encoding *e) {
    const char **names;
    e->dim = 0;
    for (int64_t k = 0; k < e->count; k++) {
        e->columns[k].first = e->dim;
        e->dim += e->columns[k].count;
    }
    SUSTAIN_TRY(sustain__allocate(e->context, sustain__multiply((size_t)e->dim, sizeof *e->group), &e->group));
    SUSTAIN_TRY(sustain__allocate(e->context, sustain__multiply((size_t)e->count, sizeof *names), &names));
    for (int64_t k = 0; k < e->count; k++) {
        names[k] = e->file_names[e->columns[k].position];
        for (int64_t j = 0; j < e->columns[k].count; j++) e->group[e->columns[k].first + j] = (int32_t)k;
    }
    const sustain_status status = sustain__copy_names(e->context, names, NULL, e->count, &e->group_names);
    sustain__free(e->context, names);
    return status;
}

sustain_table_features sustain_table_encoding_features(const sustain_table_encoding *e) {
    if (e == NULL) return (sustain_table_features){.dim = 0};
    return (sustain_table_features){.dim = e->dim,
                                    .names = (const char *const *)e->names,
                                    .group = e->group,
                                    .groups = e->count,
                                    .group_names = (const char *const *)e->group_names,
                                    .sparse = e->sparse};
}

bool sustain__is_plain_number(const sustain__column *c) {
    return c->kind == SUSTAIN__COLUMN_NUMBER && c->notation.decimal == 0;
}

const char *sustain__category_value(const sustain_table_encoding *e, const sustain__column *c, int64_t j) {
    return e->names[c->first + j] + strlen(e->file_names[c->position]) + 1;
}

float sustain__idf(int64_t rows, int64_t frequency) {
    return (float)(log((1 + (double)rows) / (1 + (double)frequency)) + 1);
}

/* ---- columns by options ---- */

typedef struct wishing {
    sustain__table *t;
    sustain__wish wish;
    int64_t twice; /* a column with two roles, -1: none */
} wishing;

static void set_wish(void *user, int64_t column) {
    wishing *w = user;
    sustain__table *t = w->t;
    if (t->roles[column] != SUSTAIN__FEATURE || t->wish[column] != SUSTAIN__NO_WISH) {
        if (t->wish[column] != w->wish) w->twice = column;
        return;
    }
    t->wish[column] = (uint8_t)w->wish;
    t->roles[column] = SUSTAIN__SKIPPED; /* it has no numbers, or they are not used */
}

static void set_shown(void *user, int64_t column) {
    sustain__table *t = user;
    t->shown[column] = 1;
}

static sustain_status choose_by_options(sustain__table *t) {
    const sustain_table_options *options = t->input->options->table;
    const bool automatic = options->categorical == NULL || strcmp(options->categorical, "auto") == 0;
    const struct {
        const char *list;
        sustain__wish wish;
    } wishes[] = {{options->text_columns, SUSTAIN__AS_TEXT},
                  {automatic ? NULL : options->categorical, SUSTAIN__AS_CATEGORY},
                  {options->ignore_columns, SUSTAIN__IGNORED},
                  {options->id_column, SUSTAIN__AS_ID}};
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        wishing w = {t, wishes[i].wish, -1};
        SUSTAIN_TRY(sustain__table_find_list(t, wishes[i].list, set_wish, &w));
        if (w.twice >= 0)
            return sustain__fail(t->input->context, SUSTAIN_FORMAT, "%s: column %lld has two roles; give it one", t->input->set->source,
                                 (long long)w.twice + 1);
    }
    SUSTAIN_TRY(sustain__table_find_list(t, options->show_columns, set_shown, t));
    for (int64_t j = 0; options->show_columns == NULL && j < t->columns; j++) t->shown[j] = t->wish[j] == SUSTAIN__AS_TEXT;
    return SUSTAIN_OK;
}

/* ---- columns of an existing encoding ---- */

/* How often each name is there, in the training file and in this one. */
typedef struct headers {
    sustain__intern before, here;
} headers;

static sustain__field_text text_of(const char *name) {
    return (sustain__field_text){name, name + strlen(name)};
}

static sustain_status count_names(const sustain__table *t, const sustain_table_encoding *e, headers *h) {
    int64_t number;
    for (int64_t j = 0; j < e->file_columns; j++) SUSTAIN_TRY(sustain__intern_add(&h->before, text_of(e->file_names[j]), &number));
    for (int64_t j = 0; j < t->columns; j++) SUSTAIN_TRY(sustain__intern_add(&h->here, t->first[j], &number));
    return SUSTAIN_OK;
}

static int64_t times(const sustain__intern *names, const char *name) {
    const int64_t number = sustain__intern_find(names, text_of(name));
    return number >= 0 && names->times != NULL ? names->times[number] : 0;
}

/* The position in this file of column `position` of the training file; -1: missing, -2: there are
 * more or fewer columns of its name. Of several with one name, the order tells which is which. */
static int64_t place_of(const sustain__table *t, const sustain_table_encoding *e, const headers *h, int64_t position) {
    if (e->header) {
        const char *name = e->file_names[position];
        const int64_t here = times(&h->here, name);
        int64_t before = 0, place = -1;
        if (here == 0) return -1;
        if (here != times(&h->before, name)) return -2;
        if (here == 1 && position < t->columns && sustain__field_is(t->first[position], name)) return position;
        for (int64_t j = 0; j < position && here > 1; j++) before += strcmp(e->file_names[j], name) == 0;
        while (before >= 0) before -= sustain__field_is(t->first[++place], name);
        return place;
    }
    if (t->columns == e->file_columns) return position;
    /* without labels and marks */
    return position - (e->label >= 0 && e->label < position) - (e->trusted >= 0 && e->trusted < position);
}

static sustain_status choose_with(sustain__table *t, const headers *h) {
    const sustain_table_encoding *e = t->input->options->encoding;
    const int64_t bare = e->file_columns - (e->label >= 0) - (e->trusted >= 0);
    sustain_context *context = t->input->context;
    t->header = e->header;
    if (!e->header && t->columns != e->file_columns && t->columns != bare)
        return sustain__fail(context, SUSTAIN_FORMAT,
                             "%s has %lld columns, but the training rows had %lld: they must have the same columns", t->input->set->source,
                             (long long)t->columns, (long long)e->file_columns);
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)e->count, sizeof *t->place), &t->place));
    for (int64_t j = 0; j < t->columns; j++)
        if (t->roles[j] == SUSTAIN__FEATURE) t->roles[j] = SUSTAIN__SKIPPED;
    for (int64_t k = 0; k < e->count; k++) {
        const int64_t at = t->place[k] = place_of(t, e, h, e->columns[k].position);
        if (at == -2)
            return sustain__fail(context, SUSTAIN_FORMAT,
                                 "%s: it has another number of columns called '%.60s' than the training rows: which is which is not known",
                                 t->input->set->source, e->file_names[e->columns[k].position]);
        if (at < 0)
            return sustain__fail(context, SUSTAIN_FORMAT,
                                 "%s: it has no column '%.60s', which the training rows had; its first line must contain that name",
                                 t->input->set->source, e->file_names[e->columns[k].position]);
        if (t->roles[at] == SUSTAIN__LABEL || t->roles[at] == SUSTAIN__TRUSTED)
            return sustain__fail(context, SUSTAIN_FORMAT,
                                 "%s: column %lld ('%.60s') is a feature in the training rows, not labels or marks", t->input->set->source,
                                 (long long)at + 1, e->file_names[e->columns[k].position]);
        if (sustain__is_plain_number(&e->columns[k])) t->roles[at] = SUSTAIN__FEATURE;
    }
    const int64_t id = e->id >= 0 ? place_of(t, e, h, e->id) : -1;
    if (id >= 0) t->wish[id] = SUSTAIN__AS_ID;
    for (int64_t k = 0; k < e->shown_count; k++) {
        const int64_t at = place_of(t, e, h, e->shown[k]);
        if (at >= 0 && at < t->columns) t->shown[at] = 1;
    }
    return SUSTAIN_OK;
}

static sustain_status choose_by_encoding(sustain__table *t) {
    headers h = {.before = {.context = t->input->context}, .here = {.context = t->input->context}};
    sustain_status status = count_names(t, t->input->options->encoding, &h);
    if (status == SUSTAIN_OK) status = choose_with(t, &h);
    sustain__intern_free(&h.before);
    sustain__intern_free(&h.here);
    return status;
}

static sustain_status allocate_wishes(sustain__table *t) {
    SUSTAIN_TRY(sustain__allocate(t->input->context, (size_t)t->columns, &t->wish));
    return sustain__allocate(t->input->context, (size_t)t->columns, &t->shown);
}

sustain_status sustain__table_choose(sustain__table *t) {
    SUSTAIN_TRY(allocate_wishes(t));
    return t->input->options->encoding != NULL ? choose_by_encoding(t) : choose_by_options(t);
}

sustain_status sustain__table_choose_kept(sustain__table *t) {
    const sustain_table_options *options = t->input->options->table;
    wishing w = {t, SUSTAIN__AS_ID, -1};
    if (options == NULL || (options->id_column == NULL && options->show_columns == NULL)) return SUSTAIN_OK;
    SUSTAIN_TRY(allocate_wishes(t));
    SUSTAIN_TRY(sustain__table_find_list(t, options->id_column, set_wish, &w));
    return sustain__table_find_list(t, options->show_columns, set_shown, t);
}

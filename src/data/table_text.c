/* table_text.c - selects the terms of a text column that become features, from the training rows
 * only.
 *
 * Words that occur in one row, and pairs in fewer than five, carry little information about
 * other rows and are most of the terms, so they are dropped. A feature is a remaining hash
 * bucket, named after its first term in the file. */
#include <math.h>
#include <string.h>

#include "data/table_internal.h"
#include "io/json_text.h"

enum {
    FEW_ROWS = 100,
    WORD_ROWS = 2,
    PAIR_ROWS = 5
}; /* below FEW_ROWS rows: all words, and
    * pairs in two rows */

/* Collects names of features in a second pass over the texts. */
typedef struct naming {
    const int32_t *feature; /* (buckets) + 1; 0: none */
    char (*name)[64];       /* (features) */
} naming;

static void name_term(void *user, const sustain__term *term) {
    naming *n = user;
    const int32_t feature = n->feature[term->bucket];
    if (feature > 0 && n->name[feature - 1][0] == '\0') sustain__term_text(term, n->name[feature - 1], sizeof n->name[0]);
}

static sustain_status add_names(const sustain__table *t, const sustain__field_text *texts, const char *column, const int32_t *feature,
                                int64_t count, sustain__names *names) {
    naming n = {.feature = feature};
    sustain_status status = SUSTAIN_OK;
    SUSTAIN_TRY(sustain__allocate(names->context, sustain__multiply((size_t)count, sizeof *n.name), &n.name));
    for (int64_t i = 0; i < t->rows; i++) sustain__terms_of(texts[i], name_term, &n);
    for (int64_t k = 0; k < count && status == SUSTAIN_OK; k++) {
        for (char *c = n.name[k]; !sustain__is_utf8(n.name[k]) && *c != '\0'; c++)
            if ((unsigned char)*c >= 128) *c = '?';
        status = sustain__names_add(names, "%s:%s", column, n.name[k]);
    }
    sustain__free(names->context, n.name);
    return status;
}

/* Counts the rows with terms in each bucket. */
typedef struct counting {
    int32_t row;   /* from 1 */
    int32_t *last; /* (buckets) the last row that had a term there */
    int32_t *rows; /* (buckets) */
} counting;

static void count_term(void *user, const sustain__term *term) {
    const counting *c = user;
    if (c->last[term->bucket] == c->row) return;
    c->last[term->bucket] = c->row;
    c->rows[term->bucket]++;
}

static sustain_status count_rows(const sustain__table *t, const sustain__field_text *texts, int32_t *rows) {
    counting c = {.rows = rows};
    SUSTAIN_TRY(sustain__allocate(t->input->context, SUSTAIN__BUCKETS * sizeof *c.last, &c.last));
    sustain_status status = SUSTAIN_OK;
    for (int64_t i = 0; i < t->rows && status == SUSTAIN_OK; i++) {
        if (i % SUSTAIN__ASK_ROWS == 0) status = sustain__cancelled(t->input->context);
        c.row = (int32_t)i + 1;
        sustain__terms_of(texts[i], count_term, &c);
    }
    sustain__free(t->input->context, c.last);
    return status;
}

/* Keeps buckets that occur in enough rows; rows[] becomes the number of the feature + 1. */
static sustain_status keep_buckets(const sustain__table *t, int32_t *rows, sustain__column *c) {
    const int32_t words = t->rows < FEW_ROWS ? 1 : WORD_ROWS, pairs = t->rows < FEW_ROWS ? 2 : PAIR_ROWS;
    for (int32_t b = 0; b < SUSTAIN__BUCKETS; b++) c->count += rows[b] >= (b < SUSTAIN__FIRST_PAIR ? words : pairs);
    SUSTAIN_TRY(sustain__allocate(t->input->context, (size_t)c->count * sizeof *c->bucket, &c->bucket));
    SUSTAIN_TRY(sustain__allocate(t->input->context, (size_t)c->count * sizeof *c->frequency, &c->frequency));
    int32_t k = 0;
    for (int32_t b = 0; b < SUSTAIN__BUCKETS; b++) {
        const bool kept = rows[b] >= (b < SUSTAIN__FIRST_PAIR ? words : pairs);
        if (kept) c->bucket[k] = b, c->frequency[k++] = rows[b];
        rows[b] = kept ? k : 0;
    }
    return SUSTAIN_OK;
}

static bool all_empty(const sustain__table *t, const sustain__field_text *texts) {
    for (int64_t i = 0; i < t->rows; i++)
        if (texts[i].end > texts[i].at) return false;
    return true;
}

sustain_status sustain__fit_text(const sustain__table *t, const sustain__field_text *texts, const char *name, sustain__column *c,
                                 sustain__names *names) {
    int32_t *rows;
    if (t->rows >= INT32_MAX) return sustain__fail(t->input->context, SUSTAIN_FORMAT, "%s: it has too many rows", t->input->set->source);
    SUSTAIN_TRY(sustain__allocate(t->input->context, SUSTAIN__BUCKETS * sizeof *rows, &rows));
    sustain_status status = count_rows(t, texts, rows);
    if (status == SUSTAIN_OK) status = keep_buckets(t, rows, c);
    if (status == SUSTAIN_OK && c->count == 0)
        status = sustain__fail(t->input->context, SUSTAIN_FORMAT,
                               all_empty(t, texts) ? "%s: the text column '%.60s' is empty in all rows: name the column that has the text"
                                                   : "%s: no word of the text column '%.60s' occurs in two rows: is it the right column?",
                               t->input->set->source, name);
    if (status == SUSTAIN_OK) status = add_names(t, texts, name, rows, c->count, names);
    sustain__free(t->input->context, rows);
    return status;
}

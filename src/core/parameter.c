/* parameter.c - tables of parameters: defaults, checks, text in and out, the nearest name. */
#include "core/parameter_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context_internal.h"
#include "core/decimal.h"

static void store(const sustain_parameter *row, void *values, double value) {
    char *place = (char *)values + row->offset;
    const int64_t integer = row->type != SUSTAIN_PARAMETER_NUMBER ? (int64_t)value : 0; /* in range by the table */
    const int choice = (int)integer;
    switch (row->type) {
    case SUSTAIN_PARAMETER_INTEGER:
        memcpy(place, &integer, sizeof integer);
        break;
    case SUSTAIN_PARAMETER_NUMBER:
        memcpy(place, &value, sizeof value);
        break;
    case SUSTAIN_PARAMETER_CHOICE:
        memcpy(place, &choice, sizeof choice);
        break;
    }
}

void sustain_parameters_reset(const sustain_parameter *table, int count, void *values) {
    if (table == NULL || values == NULL) return;
    for (int i = 0; i < count; i++) store(&table[i], values, table[i].initial);
}

const sustain_parameter *sustain__parameter_find(const sustain_parameter *table, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0) return &table[i];
    return NULL;
}

static sustain_status unknown(sustain_context *context, const sustain_parameter *table, int count, const char *name) {
    const char *names[128];
    int n = 0;
    while (n < count && n < 128) names[n] = table[n].name, n++;
    const char *near = sustain_nearest_name(name, names, n);
    if (near == NULL) return sustain__fail(context, SUSTAIN_UNKNOWN_NAME, "no parameter is called '%s'", name);
    return sustain__fail(context, SUSTAIN_UNKNOWN_NAME, "no parameter is called '%s'; did you mean '%s'?", name, near);
}

static sustain_status refuse(sustain_context *context, const sustain_parameter *row, const char *given) {
    if (row->type == SUSTAIN_PARAMETER_CHOICE)
        return sustain__fail(context, SUSTAIN_PARAMETER, "%s = '%s' is not one of %s", row->name, given, row->choices);
    const char *kind = row->type == SUSTAIN_PARAMETER_INTEGER ? "a whole number" : "a number";
    const bool above_zero = row->least > 0 && row->least <= DBL_MIN, unbounded = row->most >= DBL_MAX;
    if (unbounded && above_zero) return sustain__fail(context, SUSTAIN_PARAMETER, "%s = %s is not %s above 0", row->name, given, kind);
    if (unbounded) return sustain__fail(context, SUSTAIN_PARAMETER, "%s = %s is not %s of at least %g", row->name, given, kind, row->least);
    return sustain__fail(context, SUSTAIN_PARAMETER, "%s = %s is not %s from %g to %g", row->name, given, kind, row->least, row->most);
}

/* Written so that NaN fails; a NaN default ("not known") can be kept but not given. */
static bool in_range(const sustain_parameter *row, double value) {
    if (!(value >= row->least && value <= row->most)) return false;
    return row->type == SUSTAIN_PARAMETER_NUMBER || (value == floor(value) && fabs(value) <= 0x1p53);
}

static int choice_number(const char *choices, const char *text) {
    const size_t length = strlen(text);
    int number = 0;
    for (const char *word = choices; word != NULL; number++) {
        const char *bar = strchr(word, '|');
        const size_t word_length = bar != NULL ? (size_t)(bar - word) : strlen(word);
        if (word_length == length && memcmp(word, text, length) == 0) return number;
        word = bar != NULL ? bar + 1 : NULL;
    }
    return -1;
}

static void choice_word(const char *choices, int number, char *text, size_t size) {
    const char *word = choices;
    for (int i = 0; i < number && word != NULL; i++) {
        word = strchr(word, '|');
        if (word != NULL) word++;
    }
    snprintf(text, size, "%.*s", word != NULL ? (int)strcspn(word, "|") : 0, word != NULL ? word : "");
}

sustain_status sustain_parameters_set(sustain_context *context, const sustain_parameter *table, int count, void *values, const char *name,
                                      const char *text) {
    SUSTAIN_TRY(sustain__need(context, table, "table"));
    SUSTAIN_TRY(sustain__need(context, values, "values"));
    SUSTAIN_TRY(sustain__need(context, name, "name"));
    SUSTAIN_TRY(sustain__need(context, text, "text"));
    const sustain_parameter *row = sustain__parameter_find(table, count, name);
    if (row == NULL) return unknown(context, table, count, name);
    if (row->type == SUSTAIN_PARAMETER_CHOICE) {
        const int number = choice_number(row->choices, text);
        if (number < 0) return refuse(context, row, text);
        store(row, values, number);
        return SUSTAIN_OK;
    }
    double value;
    if (!sustain__decimal_read(text, &value) || !in_range(row, value)) return refuse(context, row, text);
    store(row, values, value);
    return SUSTAIN_OK;
}

sustain_status sustain_parameters_set_number(sustain_context *context, const sustain_parameter *table, int count, void *values,
                                             const char *name, double value) {
    SUSTAIN_TRY(sustain__need(context, table, "table"));
    SUSTAIN_TRY(sustain__need(context, values, "values"));
    SUSTAIN_TRY(sustain__need(context, name, "name"));
    const sustain_parameter *row = sustain__parameter_find(table, count, name);
    if (row == NULL) return unknown(context, table, count, name);
    char given[32];
    snprintf(given, sizeof given, "%g", value);
    if (row->type == SUSTAIN_PARAMETER_CHOICE || !in_range(row, value)) return refuse(context, row, given);
    store(row, values, value);
    return SUSTAIN_OK;
}

sustain_status sustain__parameters_check(sustain_context *context, const sustain_parameter *table, int count, const void *values) {
    for (int i = 0; i < count; i++) {
        double value = 0;
        const char *place = (const char *)values + table[i].offset;
        if (table[i].type == SUSTAIN_PARAMETER_INTEGER) {
            int64_t integer;
            memcpy(&integer, place, sizeof integer);
            value = (double)integer;
        } else if (table[i].type == SUSTAIN_PARAMETER_NUMBER) {
            memcpy(&value, place, sizeof value);
        } else {
            int choice;
            memcpy(&choice, place, sizeof choice);
            value = choice;
        }
        if (in_range(&table[i], value)) continue;
        char given[32];
        snprintf(given, sizeof given, "%g", value);
        return refuse(context, &table[i], given);
    }
    return SUSTAIN_OK;
}

void sustain_parameter_print(const sustain_parameter *row, const void *values, char *text, size_t size) {
    if (text != NULL && size > 0) text[0] = '\0';
    if (row == NULL || values == NULL || text == NULL) return;
    const char *place = (const char *)values + row->offset;
    int64_t integer;
    double number, read;
    int choice;
    if (size == 0) return;
    switch (row->type) {
    case SUSTAIN_PARAMETER_INTEGER:
        memcpy(&integer, place, sizeof integer);
        snprintf(text, size, "%lld", (long long)integer);
        break;
    case SUSTAIN_PARAMETER_NUMBER:
        memcpy(&number, place, sizeof number);
        sustain__decimal_write(number, 9, text, size);
        if (!sustain__decimal_read(text, &read) || read != number) sustain__decimal_write(number, 17, text, size);
        break;
    case SUSTAIN_PARAMETER_CHOICE:
        memcpy(&choice, place, sizeof choice);
        choice_word(row->choices, choice, text, size);
        break;
    }
}

/* Edits (insert, delete, replace, swap of neighbours) between two names; `most` + 1 if there are
 * more than `most`. */
static int distance(const char *a, const char *b, int most) {
    enum { LONGEST = 48 };
    const int n = (int)strlen(a), m = (int)strlen(b);
    if (n > LONGEST || m > LONGEST || abs(n - m) > most) return most + 1;
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best) best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

const char *sustain_nearest_name(const char *name, const char *const *names, int count) {
    if (name == NULL || names == NULL) return NULL;
    const size_t length = strlen(name);
    const int most = length < 4 ? 1 : length < 8 ? 2 : 3;
    const char *nearest = NULL;
    int least = most + 1;
    for (int i = 0; i < count; i++) {
        const int edits = distance(name, names[i], most);
        if (edits < least) least = edits, nearest = names[i];
    }
    return nearest;
}

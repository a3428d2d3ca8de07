/* report_csv.c - see report_csv.h. Fields lose their quotes where they stand. */
#include "report_csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *whole_file(const char *path) {
    FILE *from = fopen(path, "r");
    if (from == NULL) return NULL;
    size_t room = 1 << 16, size = 0;
    char *text = malloc(room);
    while (text != NULL) {
        size += fread(text + size, 1, room - 1 - size, from);
        if (size < room - 1) break;
        char *grown = realloc(text, room *= 2);
        if (grown == NULL) free(text);
        text = grown;
    }
    fclose(from);
    if (text != NULL) text[size] = '\0';
    return text;
}

csv csv_open(const char *path) {
    char *text = whole_file(path);
    return (csv){.text = text, .at = text};
}

void csv_close(csv *c) {
    free(c->text);
    c->text = c->at = NULL;
}

/* One field from `at` on; leaves at the sign after it. */
static char *take_field(char **at) {
    char *from = *at, *to = from;
    char *const field = from;
    if (*from != '"') {
        from += strcspn(from, ",\n");
        *at = from;
        return field;
    }
    for (from++; *from != '\0' && (*from != '"' || from[1] == '"'); from++) {
        if (*from == '"') from++;
        *to++ = *from;
    }
    *at = from + (*from == '"');
    *to = '\0';
    return field;
}

/* The apostrophe before what a spreadsheet would take for a formula is not part of the text. */
static char *without_apostrophe(char *field) {
    const size_t marks = strspn(field, "'");
    return marks > 0 && field[marks] != '\0' && strchr("=+-@\t\r", field[marks]) != NULL ? field + 1 : field;
}

int csv_line(csv *c, char **fields, int most) {
    int count = 0;
    bool more = *c->at != '\0';
    if (more) c->line++;
    while (more) {
        char *field = take_field(&c->at);
        if (count < most) fields[count] = without_apostrophe(field);
        count++;
        more = *c->at == ',';
        if (*c->at != '\0') *c->at++ = '\0';
    }
    return count;
}

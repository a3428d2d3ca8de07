/* record_file.c - see record_file.h. */
#include "record_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/context.h>

#include "options.h"
#include "output.h"

static uint64_t fingerprint;

uint64_t records_fingerprint(void) {
    return fingerprint;
}

int records_open(const char *path, record_file *file) {
    *file = (record_file){.path = path, .next_line = 1};
    FILE *from = fopen(path, "rb");
    if (from == NULL) return complain(EXIT_USAGE, "%s: %s", path, strerror(errno));
    size_t room = 1 << 12, size = 0;
    bool whole = false;
    while (!whole && (file->bytes = realloc(file->bytes, room)) != NULL) {
        size += fread(file->bytes + size, 1, room - size - 1, from);
        whole = size < room - 1;
        room *= 2;
    }
    const bool failed = ferror(from) != 0;
    fclose(from);
    if (file->bytes == NULL) return complain(EXIT_FAILED, "out of memory");
    if (failed || !whole) return complain(EXIT_USAGE, "%s: it cannot be read", path);
    if (memchr(file->bytes, '\0', size) != NULL) return complain(EXIT_USAGE, "%s: it is not a text file: give a CSV file", path);
    file->bytes[size] = '\0';
    fingerprint += sustain_hash(file->bytes, size, 0);
    file->at = file->bytes + (size >= 3 && memcmp(file->bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);
    file->end = file->bytes + size;
    return EXIT_DONE;
}

void records_close(record_file *file) {
    free(file->bytes);
    file->bytes = NULL;
}

/* Reads one field and returns the character that ended it: ',', '\n' or '\0'. */
static char take_field(record_file *f, long long *lines) {
    char *to = f->at, *from = f->at;
    f->field[f->fields++] = to;
    if (*from == '"') {
        for (from++; *from != '\0'; from++) {
            if (*from == '"' && *++from != '"') break;
            *lines += *from == '\n';
            *to++ = *from;
        }
    }
    while (*from != ',' && *from != '\n' && *from != '\0') *to++ = *from++;
    const char last = *from;
    if (last != ',' && to > f->field[f->fields - 1] && to[-1] == '\r') to--;
    *to = '\0';
    f->at = last == '\0' ? from : from + 1;
    return last;
}

bool records_next(record_file *f) {
    for (;;) {
        if (*f->at == '\0') return false;
        f->line = f->next_line;
        f->fields = 0;
        long long lines = 0;
        while (take_field(f, &lines) == ',')
            if (f->fields == MOST_FIELDS) f->fields--; /* more fields than any of these files has: the last place is used again */
        f->next_line += lines + 1;
        if (f->fields > 1 || f->field[0][0] != '\0') return true;
    }
}

int records_columns(record_file *f, const char *const *names, int count, int *column) {
    if (!records_next(f)) return complain(EXIT_USAGE, "%s: it is empty", f->path);
    for (int i = 0; i < count; i++) {
        const bool optional = names[i][0] == '?';
        column[i] = -1;
        for (int k = 0; k < f->fields; k++)
            if (strcmp(f->field[k], names[i] + optional) == 0) column[i] = k;
        if (column[i] < 0 && !optional)
            return complain(EXIT_USAGE, "%s: its first line has no column '%s': write a header as shown in the documentation", f->path,
                            names[i]);
    }
    return EXIT_DONE;
}

bool records_have(const char *path, const char *name) {
    char line[4096] = "";
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    const bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    const size_t wanted = strlen(name);
    for (const char *at = line + (strncmp(line, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0); read && *at != '\0';) {
        const size_t length = strcspn(at, ",\r\n"), quotes = *at == '"' ? 1 : 0;
        if (length == wanted + 2 * quotes && strncmp(at + quotes, name, wanted) == 0) return true;
        at += length + (at[length] != '\0');
    }
    return false;
}

int records_row_number(const record_file *f, int column, long long *out) {
    if (column >= f->fields) return complain(EXIT_USAGE, "%s, line %lld: it has %d fields, too few", f->path, f->line, f->fields);
    if (whole_numbers(f->field[column], '\0', 1, out) != 1 || *out < 0)
        return complain(EXIT_USAGE, "%s, line %lld: '%.40s' is not a row number: rows are counted from 0", f->path, f->line,
                        f->field[column]);
    return EXIT_DONE;
}

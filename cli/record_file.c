/* record_file.c - see record_file.h. */
#include "record_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/dataset.h>

#include "options.h"
#include "output.h"

static uint64_t fingerprint;

uint64_t records_fingerprint(void) {
    return fingerprint;
}

/* Goes to the first line, which determines the delimiter. */
static void begin(record_file *file, char *bytes, size_t size) {
    file->end = bytes + size;
    file->at = bytes + (strncmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0); /* byte order mark */
    file->at += sustain_csv_delimiter(file->at, (size_t)(file->end - file->at), &file->delimiter);
}

static bool is_utf8(const char *bytes, size_t length) {
    json_t *text = json_stringn(bytes, length);
    json_decref(text);
    return text != NULL;
}

/* The first line that is not UTF-8; 0: none. */
static long long line_not_utf8(const char *bytes, size_t size) {
    const char *at = bytes, *end = bytes + size, *next;
    if (is_utf8(bytes, size)) return 0;
    for (long long line = 1;; line++, at = next) {
        next = memchr(at, '\n', (size_t)(end - at));
        next = next != NULL ? next + 1 : end;
        if (next == end || !is_utf8(at, (size_t)(next - at))) return line;
    }
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
    if (size >= 2 && (memcmp(file->bytes, "\xff\xfe", 2) == 0 || memcmp(file->bytes, "\xfe\xff", 2) == 0))
        return complain(EXIT_USAGE, "%s: it is UTF-16 text; save it as UTF-8 (in a spreadsheet: 'CSV UTF-8')", path);
    if (memchr(file->bytes, '\0', size) != NULL) return complain(EXIT_USAGE, "%s: it is not a text file: give a CSV file", path);
    file->bytes[size] = '\0';
    const long long line = line_not_utf8(file->bytes, size);
    if (line > 0)
        return complain(EXIT_USAGE, "%s, line %lld: the text is not UTF-8; save the file as UTF-8 (in a spreadsheet: 'CSV UTF-8')", path,
                        line);
    fingerprint = sustain_hash(file->bytes, size, fingerprint);
    begin(file, file->bytes, size);
    return EXIT_DONE;
}

void records_close(record_file *file) {
    free(file->bytes);
    file->bytes = NULL;
}

/* Reads one field and returns the character that ended it: the delimiter, '\n' or '\0'. Blanks
 * around a field without quotes are not part of it. */
static char take_field(record_file *f, long long *lines) {
    while (*f->at == ' ') f->at++;
    char *to = f->at, *from = f->at;
    const bool quoted = *from == '"';
    f->field[f->fields++] = to;
    if (quoted) {
        for (from++; *from != '\0'; from++) {
            if (*from == '"' && *++from != '"') break;
            *lines += *from == '\n';
            *to++ = *from;
        }
    }
    while (*from != f->delimiter && *from != '\n' && *from != '\0') *to++ = *from++;
    const char last = *from;
    if (last != f->delimiter && to > f->field[f->fields - 1] && to[-1] == '\r') to--;
    while (!quoted && to > f->field[f->fields - 1] && to[-1] == ' ') to--;
    *to = '\0';
    f->at = last == '\0' ? from : from + 1;
    return last;
}

/* The line of a quote that is not closed, which would hide all records after it; 0: none. */
static long long open_quote(const record_file *f) {
    long long line = f->next_line, open = 0;
    bool begins = true; /* a field */
    for (const char *at = f->at; *at != '\0'; at++) {
        if (open > 0 && *at == '"') {
            if (at[1] == '"')
                at++;
            else
                open = 0;
        } else if (open == 0 && begins && *at == '"') {
            open = line;
        }
        begins = open == 0 && (*at == f->delimiter || *at == '\n' || (begins && *at == ' '));
        line += *at == '\n';
    }
    return open;
}

/* Whether all fields are empty, as in the lines that spreadsheets write below the last one. */
static bool is_empty(const record_file *f) {
    for (int k = 0; k < f->fields; k++)
        if (f->field[k][0] != '\0') return false;
    return true;
}

bool records_next(record_file *f) {
    for (;;) {
        if (*f->at == '\0') return false;
        f->line = f->next_line;
        f->fields = 0;
        long long lines = 0;
        while (take_field(f, &lines) == f->delimiter)
            if (f->fields == MOST_FIELDS) f->fields--; /* more fields than any of these files has: the last place is used again */
        f->next_line += lines + 1;
        if (!is_empty(f)) return true;
    }
}

/* Whether a column has a name, in small or capital letters. */
static bool is_name(const char *field, const char *name) {
    for (; *field != '\0' && tolower((unsigned char)*field) == tolower((unsigned char)*name); field++) name++;
    return *field == '\0' && *name == '\0';
}

static int find_column(const record_file *f, const char *name) {
    int like = -1;
    for (int k = f->fields - 1; k >= 0; k--) {
        if (strcmp(f->field[k], name) == 0) return k;
        if (is_name(f->field[k], name)) like = k;
    }
    return like;
}

int records_columns(record_file *f, const char *const *names, int count, int *column) {
    const long long open = open_quote(f);
    if (open > 0) return complain(EXIT_USAGE, "%s, line %lld: a quote is not closed", f->path, open);
    if (strchr(f->at, '\n') == NULL && strchr(f->at, '\r') != NULL)
        return complain(EXIT_USAGE, "%s: its lines end with CR alone: save it with LF or CRLF (in a spreadsheet: 'CSV UTF-8')", f->path);
    if (!records_next(f)) return complain(EXIT_USAGE, "%s: it is empty", f->path);
    for (int i = 0; i < count; i++) {
        const bool optional = names[i][0] == '?';
        column[i] = names[i][optional] != '\0' ? find_column(f, names[i] + optional) : -1;
        for (int k = 0; k < column[i]; k++)
            if (strcmp(f->field[k], f->field[column[i]]) == 0)
                return complain(EXIT_USAGE, "%s: its first line has the column '%s' twice", f->path, f->field[k]);
        if (column[i] < 0 && !optional)
            return complain(EXIT_USAGE,
                            "%s: its first line has no column '%s'; it begins with '%.60s': rename the column that it is, or add it",
                            f->path, names[i], f->field[0]);
    }
    return EXIT_DONE;
}

/* Reads the first line of a file into `line`. */
static bool read_header(const char *path, char line[4096], record_file *out) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    const size_t size = fread(line, 1, 4095, file);
    line[size] = '\0';
    fclose(file);
    *out = (record_file){.path = path};
    begin(out, line, size);
    return records_next(out);
}

bool records_have(const char *path, const char *name) {
    char line[4096];
    record_file first;
    return read_header(path, line, &first) && find_column(&first, name) >= 0;
}

bool records_have_several(const char *path) {
    char line[4096];
    record_file first;
    return read_header(path, line, &first) && first.fields > 1;
}

int records_row_number(const record_file *f, int column, long long *out) {
    if (column >= f->fields) return complain(EXIT_USAGE, "%s, line %lld: it has %d fields, too few", f->path, f->line, f->fields);
    char *text = f->field[column], *point = strpbrk(text, ".,");
    if (point != NULL && point > text && point[1 + strspn(point + 1, "0")] == '\0') *point = '\0'; /* "17.0", of a column with gaps */
    if (whole_numbers(text, '\0', 1, out) != 1 || *out < 0)
        return complain(EXIT_USAGE, "%s, line %lld: '%.40s' is not a row number: rows are counted from 0", f->path, f->line,
                        f->field[column]);
    return EXIT_DONE;
}

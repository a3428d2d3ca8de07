/* output.c - sentences, aligned tables, JSON, files. */
#define _DEFAULT_SOURCE /* realpath */
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sustain/sustain.h>

#include "folder_lock.h"

int(complain)(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("sustain: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return code;
}

int complain_of_name(const char *what, const char *name, const char *const *names, int count, const char *otherwise) {
    const char *near = sustain_nearest_name(name, names, count);
    if (near != NULL) return complain(EXIT_USAGE, "%s '%s'; did you mean '%s'?", what, name, near);
    return complain(EXIT_USAGE, "%s '%s': %s", what, name, otherwise);
}

int(out_of_memory)(void) {
    return complain(EXIT_FAILED, "out of memory");
}

void end_without_memory(void) {
    exit(out_of_memory());
}

int finish_output(int code) {
    errno = 0;
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed || code != EXIT_DONE) return code;
    return complain(EXIT_FAILED, "cannot write the output: %s", errno != 0 ? strerror(errno) : "write error");
}

const char *styled(style s) {
    static const char *const sequence[] = {"\033[0m", "\033[1m", "\033[36m", "\033[33m", "\033[2m"};
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if ((no_color != NULL && *no_color != '\0') || term == NULL || strcmp(term, "dumb") == 0 || !isatty(STDOUT_FILENO)) return "";
    return sequence[s];
}

int output_columns(int most) {
    enum { LEAST = 40 };
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return WIDTH;
    return size.ws_col < LEAST ? LEAST : size.ws_col < most ? size.ws_col : most;
}

void heading(FILE *to, const char *text) {
    fprintf(to, "%s%s%s\n", styled(STYLE_BOLD), text, styled(STYLE_PLAIN));
}

/* ---- text ---- */

/* Number of characters of a UTF-8 text: its bytes except continuation bytes. */
static int signs(const char *text, size_t bytes) {
    int count = 0;
    for (size_t i = 0; i < bytes; i++) count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* Prints text from column `column` on, wrapped; every line after the first begins at `indent`. */
static void wrapped(FILE *to, const char *text, int column, int indent) {
    const int most = output_columns(WIDTH);
    for (bool first = true; *text != '\0'; first = false) {
        const int length = (int)strcspn(text, " "), width = signs(text, (size_t)length);
        if (!first && column + 1 + width > most) {
            fprintf(to, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        fprintf(to, "%s%.*s", first ? "" : " ", length, text);
        column += width + !first;
        text += length;
        text += strspn(text, " ");
    }
}

void paragraphs(FILE *to, int indent, const char *text) {
    while (*text != '\0') {
        const int length = (int)strcspn(text, "\n");
        char line[4096];
        snprintf(line, sizeof line, "%.*s", length, text);
        fprintf(to, "%*s", length > 0 ? indent : 0, "");
        wrapped(to, line, indent, indent);
        fputc('\n', to);
        text += length + (text[length] == '\n');
    }
}

/* ---- tables ---- */

static void *grow(void *pointer, size_t size) {
    void *grown = realloc(pointer, size);
    if (grown != NULL) return grown;
    end_without_memory();
}

void table_add(text_table *t, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *cell = grow(NULL, (size_t)length + 1);
    vsnprintf(cell, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    t->cell = grow(t->cell, (size_t)(t->count + 1) * sizeof *t->cell);
    t->cell[t->count++] = cell;
}

void table_add_all(text_table *t, const char *const *cells, int count) {
    for (int i = 0; i < count; i++) table_add(t, "%s", cells[i]);
}

void table_add_number(text_table *t, double value) {
    char text[32];
    table_add(t, "%s", number_text(value, text));
}

/* A cell too wide for its column gets a line of its own, so that a flag with many choices does
 * not widen the column. */
enum { WIDEST = 26 };

static int column_width(const text_table *t, int columns, int column) {
    int width = 0;
    for (int i = column; i < t->count; i += columns) {
        const int length = signs(t->cell[i], strlen(t->cell[i]));
        if (length > width && (length <= WIDEST || columns > 2)) width = length;
    }
    return width;
}

void table_print(FILE *to, text_table *t) {
    const int columns = (int)strlen(t->align);
    for (int row = 0; row < t->count; row += columns) {
        int at = t->indent, written = 0; /* where the column begins, where the line ends */
        for (int column = 0; column < columns; column++) {
            const char *cell = t->cell[row + column];
            const int width = column_width(t, columns, column), length = signs(cell, strlen(cell));
            const int from = t->align[column] == 'r' && length < width ? at + width - length : at;
            if (length > 0 && written > from) {
                fputc('\n', to);
                written = 0;
            }
            if (length > 0) {
                fprintf(to, "%*s", from - written, "");
                if (column == columns - 1 && t->align[column] == 'l')
                    wrapped(to, cell, from, from);
                else
                    fputs(cell, to);
                written = from + length;
            }
            at += width + 2;
        }
        fputc('\n', to);
    }
    for (int i = 0; i < t->count; i++) free(t->cell[i]);
    free(t->cell);
    t->cell = NULL;
    t->count = 0;
}

/* ---- JSON ---- */

json_t *json_number_or_null(double value) {
    if (!isfinite(value)) return json_null();
    if (value == floor(value) && fabs(value) <= 0x1p53) return json_integer((json_int_t)value);
    return json_real(value);
}

json_t *json_text(const char *text) {
    json_t *good = json_string(text);
    if (good != NULL) return good;
    char *copy = grow(NULL, strlen(text) + 1);
    for (size_t i = 0; i <= strlen(text); i++) copy[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    good = json_string(copy);
    free(copy);
    return good;
}

void json_set_numbers(json_t *object, const named_number *rows) {
    for (; rows->name != NULL; rows++) json_object_set_new(object, rows->name, json_number_or_null(rows->value));
}

void json_set_texts(json_t *object, const named_text *rows) {
    for (; rows->name != NULL; rows++) json_object_set_new(object, rows->name, json_text(rows->text));
}

static void *allocate(size_t size) {
    return grow(NULL, size);
}

void json_set_up(void) {
    json_set_alloc_funcs(allocate, free);
}

static void dump(FILE *to, const void *user) {
    if (json_dumpf(user, to, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) == 0) fputc('\n', to);
}

int print_json(json_t *object) {
    dump(stdout, object);
    json_decref(object);
    return EXIT_DONE;
}

/* ---- files ---- */

enum { LONGEST = 4200 }; /* of a path */

bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

int make_folder(const char *path) {
    char part[4096];
    if (strlen(path) >= sizeof part) return complain(EXIT_USAGE, "the name of the folder is too long");
    for (size_t i = 1; i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        struct stat there;
        if (mkdir(part, 0777) == 0) continue;
        const int why = errno;
        if (stat(part, &there) != 0) return complain(EXIT_FAILED, "cannot create the folder %s: %s", part, strerror(why));
        if (!S_ISDIR(there.st_mode)) return complain(EXIT_FAILED, "%s exists, but is not a folder", part);
    }
    return EXIT_DONE;
}

/* Writes a file under a temporary name, where no link is followed, and renames it; temporary NULL:
 * directly. */
static int write_as(const char *path, const char *temporary, void (*write)(FILE *to, const void *user), const void *user) {
    if (temporary != NULL) remove(temporary); /* of a killed process with the same number */
    FILE *to = temporary != NULL ? fopen(temporary, "wx") : fopen(path, "w");
    if (to == NULL) return complain(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
    errno = 0;
    write(to, user);
    bool failed = fflush(to) != 0 || ferror(to) || (temporary != NULL && fsync(fileno(to)) != 0);
    int why = errno;
    if (fclose(to) != 0 && !failed) failed = true, why = errno;
    if (!failed && temporary != NULL && rename(temporary, path) != 0) failed = true, why = errno;
    if (!failed) return EXIT_DONE;
    if (temporary != NULL) remove(temporary);
    return complain(EXIT_FAILED, "cannot write %s: %s", path, why != 0 ? strerror(why) : "write error");
}

static int replace(const char *path, void (*write)(FILE *to, const void *user), const void *user) {
    char temporary[LONGEST + 100];
    snprintf(temporary, sizeof temporary, "%s.tmp.%ld", path, (long)getpid());
    return write_as(path, temporary, write, user);
}

int write_file(const char *folder, const char *name, void (*write)(FILE *to, const void *user), const void *user) {
    char path[LONGEST];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return replace(path, write, user);
}

const char *split_path(const char *path, char folder[LONGEST_PATH]) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        snprintf(folder, LONGEST_PATH, ".");
    else
        snprintf(folder, LONGEST_PATH, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return slash != NULL ? slash + 1 : path;
}

int write_path(const char *path, void (*write)(FILE *to, const void *user), const void *user) {
    struct stat there;
    file_sweep(path);
    if (lstat(path, &there) != 0 || S_ISREG(there.st_mode)) return replace(path, write, user);
    char *plain = stat(path, &there) == 0 && S_ISREG(there.st_mode) ? realpath(path, NULL) : NULL;
    if (plain == NULL) return write_as(path, NULL, write, user);
    const int code = replace(plain, write, user); /* the target of a link */
    free(plain);
    return code;
}

int write_json(const char *folder, const char *name, json_t *object) {
    const int code = write_file(folder, name, dump, object);
    json_decref(object);
    return code;
}

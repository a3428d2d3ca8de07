/* output.h - everything the program writes: sentences, aligned tables, JSON, files. */
#ifndef SUSTAIN_CLI_OUTPUT_H
#define SUSTAIN_CLI_OUTPUT_H

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lab/number_text.h"

/* Exit codes of the program. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

/* Columns of text: the default, and the maximum. */
enum { WIDTH = 80 };

/* Columns of the terminal, between 40 and `most`; WIDTH if stdout is not a terminal. */
int output_columns(int most);

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

/* Prints one sentence to stderr, after "sustain: "; returns the code. */
int complain(int code, const char *format, ...) PRINTF_LIKE(2, 3);

/* Reports an unknown name: `what` is "there is no command", `otherwise` is used if no name is
 * similar. Returns EXIT_USAGE. */
int complain_of_name(const char *what, const char *name, const char *const *names, int count, const char *otherwise);

/* Reports lack of memory; returns EXIT_FAILED. */
int out_of_memory(void);

#ifdef __clang_analyzer__ /* it sees one file at a time, and not what these return */
#define complain(code, ...) (complain(code, __VA_ARGS__), (code))
#define out_of_memory() (out_of_memory(), EXIT_FAILED)
#endif

/* Reports lack of memory and ends the program: for small allocations. Large ones return
 * EXIT_FAILED. */
_Noreturn void end_without_memory(void);

/* Flushes stdout. A failed write is reported and turns EXIT_DONE into EXIT_FAILED. */
int finish_output(int code);

/* The escape sequence of a style if stdout is a terminal and NO_COLOR is not set, else "". */
typedef enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_FIRST, STYLE_SECOND, STYLE_FAINT } style;
const char *styled(style s);

/* A line in bold. */
void heading(FILE *to, const char *text);

/* One or more paragraphs, separated by newlines, wrapped at the width of the terminal. */
void paragraphs(FILE *to, int indent, const char *text);

/* Rows of cells in aligned columns; the last column, if left-aligned, is wrapped. */
typedef struct text_table {
    const char *align; /* 'l' or 'r' for each column */
    int indent;
    int count;
    char **cell;
} text_table;
void table_add(text_table *t, const char *format, ...) PRINTF_LIKE(2, 3);
void table_add_all(text_table *t, const char *const *cells, int count);
void table_add_number(text_table *t, double value);
/* Prints the table and frees its cells. */
void table_print(FILE *to, text_table *t);

/* Call before creating JSON: lack of memory then ends the program, so that no object is written
 * partially. */
void json_set_up(void);

/* A number, null if it is not finite; integers are written without a fraction. */
json_t *json_number_or_null(double value);

/* A text; bytes that are not UTF-8 become '?'. */
json_t *json_text(const char *text);

/* Several of them: SET_NUMBERS(object, {"alpha", alpha}, {"beta", beta}); and texts likewise. */
typedef struct named_number {
    const char *name; /* NULL after the last */
    double value;
} named_number;
typedef struct named_text {
    const char *name, *text;
} named_text;
void json_set_numbers(json_t *object, const named_number *rows);
void json_set_texts(json_t *object, const named_text *rows);
#define SET_NUMBERS(object, ...) json_set_numbers(object, (const named_number[]){__VA_ARGS__, {NULL, 0}})
#define SET_TEXTS(object, ...) json_set_texts(object, (const named_text[]){__VA_ARGS__, {NULL, NULL}})

/* One JSON object to stdout; frees it. Returns an exit code. */
int print_json(json_t *object);

bool is_folder(const char *path);

/* Creates a folder and its parents. */
int make_folder(const char *path);

/* Writes folder/name under a temporary name and renames it when it is complete and on the disk; a
 * link of that name is replaced, not followed. Returns an exit code. */
int write_file(const char *folder, const char *name, void (*write)(FILE *to, const void *user), const void *user);

/* The folder and the name in a path. */
enum { LONGEST_PATH = 4096 };
const char *split_path(const char *path, char folder[LONGEST_PATH]);

/* The same for a file that the user names: a link to a file is followed; an existing device, pipe
 * or dangling link is written to directly. */
int write_path(const char *path, void (*write)(FILE *to, const void *user), const void *user);

/* The same for one JSON object, which is freed. */
int write_json(const char *folder, const char *name, json_t *object);

#endif

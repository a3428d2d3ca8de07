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

/* Columns of text where nothing says otherwise, and at most. */
enum { WIDTH = 80 };

/* As many columns as the terminal has, between 40 and `most`; WIDTH where stdout is none. */
int output_columns(int most);

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

/* One sentence to stderr, after "sustain: "; returns the code. */
int complain(int code, const char *format, ...) PRINTF_LIKE(2, 3);

/* That nothing has this name: `what` is "there is no command 'pln'", `otherwise` what is said where no name is near. Returns
 * EXIT_USAGE. */
int complain_of_name(const char *what, const char *name, const char *const *names, int count, const char *otherwise);

/* The program ran out of memory: returns EXIT_FAILED after a sentence. */
int out_of_memory(void);

/* Says so and ends the program: for what is small. Large things return EXIT_FAILED. */
_Noreturn void end_without_memory(void);

/* Flushes stdout. A write that failed is said, and turns EXIT_DONE into EXIT_FAILED. */
int finish_output(int code);

/* The sequence for a style where stdout is a terminal and NO_COLOR is not set, else "". */
typedef enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_FIRST, STYLE_SECOND, STYLE_FAINT } style;
const char *styled(style s);

/* A line in bold. */
void heading(FILE *to, const char *text);

/* A paragraph wrapped at the columns of the terminal, or several parted by newlines. */
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

/* Before any JSON is made: a lack of memory ends the program, so that no object is ever written in part. */
void json_set_up(void);

/* A number, null where it is not finite; and whether it is whole decides how it is written. */
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

/* Makes a folder, and those above it. */
int make_folder(const char *path);

/* Writes folder/name: under a temporary name, renamed when it is complete; straight into a device, a pipe or a link that is there. Returns an exit code. */
int write_file(const char *folder, const char *name, void (*write)(FILE *to, const void *user), const void *user);

/* The folder and the name in a path. */
enum { LONGEST_PATH = 4096 };
const char *split_path(const char *path, char folder[LONGEST_PATH]);

/* The same for a path. */
int write_path(const char *path, void (*write)(FILE *to, const void *user), const void *user);

/* The first for one JSON object, which is freed. */
int write_json(const char *folder, const char *name, json_t *object);

#endif

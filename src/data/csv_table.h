/* csv_table.h - state of reading a CSV file: the role of each column, the numbers, and what is
 * not a number.
 *
 * The file is read once for labels, marks and numbers. Where the file is a table
 * (options->table, options->encoding), columns that are not numbers are read again as text by
 * sustain__table_texts(). */
#ifndef SUSTAIN_DATA_CSV_TABLE_H
#define SUSTAIN_DATA_CSV_TABLE_H

#include "data/csv_field.h"
#include "data/formats.h"
#include "data/labels.h"

/* The role of a column in the first pass. */
typedef enum sustain__role { SUSTAIN__FEATURE, SUSTAIN__LABEL, SUSTAIN__TRUSTED, SUSTAIN__SKIPPED } sustain__role;

/* What the table options request for a column. */
typedef enum sustain__wish { SUSTAIN__NO_WISH, SUSTAIN__AS_TEXT, SUSTAIN__AS_CATEGORY, SUSTAIN__IGNORED, SUSTAIN__AS_ID } sustain__wish;

/* What the first pass found in a feature column of a table. */
typedef struct sustain__found {
    int64_t missing, missing_line; /* fields without a value, and the line of the first */
    int64_t odd, odd_line;         /* fields that are neither missing nor a number, likewise */
    int64_t whole, either;         /* numbers without a point, and those whose point may be between thousands (marked.h) */
    bool decimals;                 /* there are others: the two are not counted any more */
    bool padded;                   /* a number begins with a zero more than it needs: "01907" */
} sustain__found;

typedef struct sustain__table {
    sustain__input *input;
    sustain__csv csv, start; /* current position, and that of the first row */
    int64_t columns;
    sustain__field_text *first; /* (columns) the first row */
    uint8_t *roles;             /* (columns) sustain__role */
    int64_t label, trusted;     /* columns, -1 for none */
    bool header;
    bool guessed;               /* that there is a header, by its words */
    int64_t numbered, namesake; /* a column that was given by its number, and another one whose name is this number; 0, 0: none */
    bool lenient;               /* fields that are not numbers are counted and read as NaN, not
                                 * refused */
    sustain__found *found;      /* (columns) with lenient */
    uint8_t *wish;              /* (columns) sustain__wish: requested by the table options */
    uint8_t *shown;             /* (columns) 1: kept as text for display */
    int64_t *place;             /* (columns of the encoding) their positions in this file */
    sustain__labels *labels;
    int64_t rows, dim; /* dim: feature columns */
    size_t values;     /* numbers so far, (rows, dim) in the set's memory */
} sustain__table;

/* Refuses with the line and the column (from 0) of a field; `field` may be sustain__no_text. */
sustain_status sustain__table_refuse(const sustain__table *t, int64_t line, int64_t column, sustain__field_text field, const char *why);
extern const sustain__field_text sustain__no_text;

/* Why a field is refused that is stored as a name, an identifier or a class: JSON, pages and models
 * are UTF-8. */
extern const char sustain__not_utf8[];
bool sustain__field_is_utf8(sustain__field_text field);

bool sustain__field_is(sustain__field_text field, const char *word);
bool sustain__field_is_missing(sustain__field_text field); /* "", NA, NaN, ... */

/* Finds a column by name or by number from 1; a name implies that the first row is a header.
 * NULL: -1. Refused: no such column, or two of that name. */
sustain_status sustain__table_find(sustain__table *t, const char *wanted, int64_t *column);

/* Where a header was guessed, and its word in a column is also a value there: says that the first
 * line may be a row. */
void sustain__table_say_row(const sustain__table *t, int64_t column);

/* Calls act(user, column) for each column of a list separated by commas; NULL: none. */
typedef void sustain__column_action(void *user, int64_t column);
sustain_status sustain__table_find_list(sustain__table *t, const char *list, sustain__column_action *act, void *user);

/* For tables with an encoding: the roles of the columns, before the rows are read; the rows of
 * features, afterwards. */
sustain_status sustain__table_choose(sustain__table *t);
sustain_status sustain__table_encode(sustain__table *t);

/* For labels alone: which columns are kept as text, before the rows are read (t->shown: NULL for
 * none); their texts, afterwards. */
sustain_status sustain__table_choose_kept(sustain__table *t);
sustain_status sustain__table_keep_alone(const sustain__table *t);

#endif

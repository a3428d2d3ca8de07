/* table_internal.h - the internals of an encoding: from the fields of a table row to features. */
#ifndef SUSTAIN_DATA_TABLE_H
#define SUSTAIN_DATA_TABLE_H

#include <stdatomic.h>

#include "data/csv_table.h"
#include "data/date.h"
#include "data/marked.h"
#include "data/text_terms.h"

typedef enum sustain__column_kind {
    SUSTAIN__COLUMN_NUMBER,
    SUSTAIN__COLUMN_CATEGORY,
    SUSTAIN__COLUMN_TEXT,
    SUSTAIN__COLUMN_DATE
} sustain__column_kind;

/* A column of the file that produces features. */
typedef struct sustain__column {
    sustain__column_kind kind;
    int64_t position;              /* in the training file, from 0 */
    int64_t first, count;          /* its features */
    float mean, factor;            /* number, date: (value - mean) * factor where rows are sparse; a missing
                                    * one is the mean */
    bool marker;                   /* number, date: the second feature is 1 where the value is missing */
    bool other;                    /* category: the last feature is for all other values */
    int32_t *bucket;               /* text: (count) increasing */
    int32_t *frequency;            /* text: (count) training rows with the term */
    sustain__notation notation;    /* number */
    sustain__date_order order;     /* date */
    int64_t origin;                /* date: its value is the days since this second of 1970 */
    bool dated;                    /* date: false for times of day alone */
    bool of_year, of_week, of_day; /* date: which cycles are features */
} sustain__column;

struct sustain_table_encoding {
    sustain_context *context;
    atomic_int owners;
    bool header, sparse;
    sustain_missing missing;
    int64_t rows;               /* training rows */
    int64_t file_columns;       /* of the training file */
    char **file_names;          /* (file_columns) "column 3" where there is no header */
    int64_t label, trusted, id; /* their positions, -1 for none */
    int64_t *shown;             /* (shown_count) positions of columns kept for display */
    int64_t shown_count;
    sustain__column *columns; /* (count) in the order of the file */
    int64_t count;
    int64_t dim;
    char **names;       /* (dim) of features; one block: pointers, then texts */
    int32_t *group;     /* (dim) */
    char **group_names; /* (count) */
};

/* A column of the file, read as text. */
typedef struct sustain__text_column {
    int64_t position;           /* in this file */
    sustain__field_text *texts; /* (rows) */
} sustain__text_column;

/* Columns read as text, and the reader that owns unquoted texts. */
typedef struct sustain__text_columns {
    sustain_context *context;
    sustain__csv csv;
    sustain__text_column *items;
    int64_t count;
} sustain__text_columns;

/* Reads columns of the file again, as text; wanted (columns): which. Free them in any case. */
sustain_status sustain__table_texts(const sustain__table *t, const uint8_t *wanted, sustain__text_columns *out);
void sustain__table_texts_free(sustain__text_columns *texts);
const sustain__field_text *sustain__table_text_of(const sustain__text_columns *texts, int64_t position);

/* The numbers of a feature column; that of row i is at offset t->dim * i. */
const float *sustain__table_numbers(const sustain__table *t, int64_t column);

/* Stores the texts kept for display in the set: the identifier, then the shown columns, row by
 * row. */
sustain_status sustain__table_keep(const sustain__table *t, const sustain__text_columns *texts);

/* A table of distinct texts, numbered in order of appearance. */
typedef struct sustain__intern {
    sustain_context *context;
    sustain__field_text *known; /* (count) */
    int64_t *times;             /* (count) number of times each was added */
    int64_t count, room;
    int32_t *slot; /* (slots) number + 1; 0: free. slots is a power of two */
    size_t slots;
} sustain__intern;

/* The number of a text, -1 if unknown. */
int64_t sustain__intern_find(const sustain__intern *table, sustain__field_text text);
sustain_status sustain__intern_add(sustain__intern *table, sustain__field_text text, int64_t *number);
void sustain__intern_free(sustain__intern *table);

/* A growing list of texts; sustain__copy_names() makes one block of them at the end. A zeroed
 * list with a context is empty. */
typedef struct sustain__names {
    sustain_context *context;
    char *text;
    size_t used, text_room;
    size_t *at; /* (count) where each begins */
    int64_t count, room;
} sustain__names;

sustain_status sustain__names_add(sustain__names *names, const char *format, ...) SUSTAIN__PRINTF(2, 3);
sustain_status sustain__names_store(const sustain__names *names, char ***out);
void sustain__names_free(sustain__names *names);

/* An empty encoding with one owner. */
sustain_status sustain__encoding_create(sustain_context *context, sustain_table_encoding **out);

/* Computes first, dim, group and group_names once columns have kinds and counts. */
sustain_status sustain__encoding_number(sustain_table_encoding *e);

/* Whether the points of a column of plain numbers may be between thousands: 1.250 beside 999. */
bool sustain__points_are_unclear(const sustain__found *found);

/* Whether the values of a column are read as numbers in the first pass over a file. */
bool sustain__is_plain_number(const sustain__column *c);

/* The value of category feature j of a column: the text after "column=". */
const char *sustain__category_value(const sustain_table_encoding *e, const sustain__column *c, int64_t j);

/* Inverse document frequency of a term in `frequency` of `rows` training rows. */
float sustain__idf(int64_t rows, int64_t frequency);

/* Fits an encoding to a table that was read. */
sustain_status sustain__encoding_fit(const sustain__table *t, const sustain__text_columns *texts, sustain_table_encoding **out);

/* Fits one column of text: buckets, frequencies, names of terms. */
sustain_status sustain__fit_text(const sustain__table *t, const sustain__field_text *texts, const char *name, sustain__column *c,
                                 sustain__names *names);

/* The numbers of a column that are written with marks, NaN where missing: (rows). Refused: other
 * text, and missing values if `missing` says so. */
sustain_status sustain__marked_numbers(const sustain__table *t, int64_t column, const sustain__field_text *texts,
                                       const sustain__notation *notation, sustain_missing missing, float *out);

/* What a column is when all its values are read as dates. Missing values are left out. */
typedef struct sustain__dates {
    int64_t count, odd_row;      /* values that are dates; the first row with another one */
    int64_t day_row, month_row;  /* rows that only one order of day and month can read, -1: none */
    int64_t either_row;          /* a row that both read, but not alike */
    int64_t dated_row, time_row; /* a row with a date, and one with a time alone */
} sustain__dates;

sustain__dates sustain__find_dates(const sustain__table *t, const sustain__field_text *texts);

/* Fits a column all of whose values are dates: its features and their names. *constant: all are the
 * same, and there are no features. Refused: dates whose order of day and month is not known. */
sustain_status sustain__fit_dates(const sustain__table *t, const sustain__field_text *texts, int64_t column, const sustain__dates *found,
                                  sustain__column *c, bool *constant);

/* Counts and names the features of a column of dates: at most SUSTAIN__DATE_FEATURES. */
enum { SUSTAIN__DATE_FEATURES = 37 };
sustain_status sustain__date_names(sustain__column *c, const char *name, sustain__names *names);

/* The features of a date; NULL: it is missing. */
void sustain__date_encode(const sustain__column *c, const sustain__date *date, bool centred, float *out);

/* Refuses with the line of a row (from 0) and the column of a field. */
sustain_status sustain__table_refuse_row(const sustain__table *t, int64_t row, int64_t column, sustain__field_text field, const char *why);

#endif

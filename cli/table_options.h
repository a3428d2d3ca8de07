/* table_options.h - the options that say how the columns of a CSV file are used: the same in
 * clean, tune and predict.
 *
 * A verb has a `table_values` in its structure and lists TABLE_ROWS(member) among its options. */
#ifndef SUSTAIN_CLI_TABLE_OPTIONS_H
#define SUSTAIN_CLI_TABLE_OPTIONS_H

#include "options.h"

typedef struct table_values {
    const char *text_column, *categorical, *ignore_column, *id_column, *show_columns;
    int missing;
    int missing_labels; /* with MISSING_LABELS_ROW */
} table_values;

#define TABLE_ROWS(member)                                                                                                             \
    TEXT_ROW(                                                                                                                          \
        "text-column", member.text_column, "NAMES",                                                                                    \
        "CSV: columns of text, by name or number, separated by commas (names with commas in quotes): TF-IDF of their words and pairs " \
        "of words"),                                                                                                                   \
        TEXT_ROW(                                                                                                                      \
            "categorical", member.categorical, "auto|NAMES",                                                                           \
            "CSV: categorical columns; auto or not given: text columns with few distinct values. Numeric columns can be listed here"), \
        CHOICE_ROW("missing", member.missing, 0, "mean|refuse",                                                                        \
                   "CSV: replace a missing number by the mean of its column, or refuse the file"),                                     \
        TEXT_ROW("ignore-column", member.ignore_column, "NAMES", "CSV: columns that are not used"),                                    \
        TEXT_ROW("id-column", member.id_column, "NAME",                                                                                \
                 "CSV, of the rows or of their labels: the column that identifies rows: no feature, written with the results"),        \
        TEXT_ROW("show-columns", member.show_columns, "NAMES", "CSV, likewise: columns to show on the page; default: the text columns")

/* For verbs that leave rows out. */
#define MISSING_LABELS_ROW(member)                                        \
    CHOICE_ROW("missing-labels", member.missing_labels, 0, "refuse|drop", \
               "refuse a file with a row whose label is missing, or leave such rows out")

/* The same as the library takes it; texts are borrowed. */
sustain_table_options table_options(const table_values *given);

/* Complains about column options together with a named set, which has no columns. Returns an
 * exit code. */
int table_refuse_named(const table_values *given);

/* Options to read a training file (encoding NULL: fit one), or another file with the encoding of
 * the first. `columns` must outlive the result. */
sustain_read_options table_read_options(const table_values *given, const char *label_column, const sustain_table_options *columns,
                                        const sustain_dataset *training);

/* The sentence of the library about a file that was refused, with the option that would help. Exit
 * code. */
int table_refused(sustain_context *context, const table_values *given, sustain_status status);

/* With --missing-labels drop: leaves out the rows of *set whose label is missing, and says how many
 * they are. *index gets the numbers of the others, which the caller frees, or NULL where no row was
 * left out; index NULL: not wanted. Exit code. */
int table_drop_unlabelled(sustain_context *context, const table_values *given, sustain_dataset **set, int64_t **index);

#endif

/** @file table.h - tables: CSV files whose columns are numbers, dates, categories, text or
 *  identifiers, with missing values.
 *
 *      sustain_table_options columns = {.text_columns = "title,body", .ignore_columns = "code"};
 *      sustain_read_options options = {.label_column = "topic", .table = &columns};
 *      sustain_dataset_read(context, "train.csv", &options, &training);
 *      options.encoding = training->encoding;
 *      sustain_dataset_read(context, "test.csv", &options, &test);
 *
 *  An encoding converts a row of the file to a row of features. It is fitted to the first file
 *  and applied to all others:
 *
 *      numbers       one feature; a missing value is replaced by the mean of the column, and a
 *                    second feature is 1 where it was missing
 *      dates         days, and parts of the year, the week and the day where they vary
 *      categories    one feature for each value ("income=high"), and one for all rare ones
 *                    ("income=(other)")
 *      text          TF-IDF of words and pairs of words ("body:profit", "body:net profit"), hashed;
 *                    each row has length 1
 *
 *  docs/formats.md has the details.
 *
 *  A model file stores it (model.h), so that the model can be applied to raw tables later. */
#ifndef SUSTAIN_TABLE_H
#define SUSTAIN_TABLE_H

#include <sustain/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Handling of missing numbers and dates: the field is empty, or a word such as NA, NaN, null or ?
 *  (docs/formats.md has all of them). */
typedef enum sustain_missing {
    SUSTAIN_MISSING_MEAN,  /**< the mean of the column, and a feature that marks it */
    SUSTAIN_MISSING_REFUSE /**< refuse the file */
} sustain_missing;

/** How the columns of a CSV file are used. Lists of columns are names or numbers from 1,
 *  separated by commas; a name with a comma is written in quotes, as in CSV, unless it is the whole
 *  list. A zeroed structure: defaults. All texts are borrowed. */
typedef struct sustain_table_options {
    size_t size;                /**< sizeof(sustain_table_options), as the caller was compiled; 0: the fields up to
                                 *   `missing` */
    const char *text_columns;   /**< columns of free text; NULL: none */
    const char *categorical;    /**< columns that are categories even if they contain numbers; NULL or
                                 *   "auto": text columns with few distinct values */
    const char *ignore_columns; /**< columns that are not used; NULL: none */
    const char *id_column;      /**< identifies rows: kept, not a feature; NULL: none */
    const char *show_columns;   /**< kept as text for display in addition to being features;
                                 *   NULL: the text columns */
    sustain_missing missing;
} sustain_table_options;

/** How rows of a table become rows of features. */
typedef struct sustain_table_encoding sustain_table_encoding;

/** Description of the features. The encoding owns all arrays. */
typedef struct sustain_table_features {
    int64_t dim;                    /**< how many there are */
    const char *const *names;       /**< (dim) "age", "age (missing)", "income=high", "body:net
                                     *   profit" */
    const int32_t *group;           /**< (dim) the column each comes from, 0 .. groups-1 */
    int64_t groups;                 /**< columns that have features */
    const char *const *group_names; /**< (groups) names of these columns */
    bool sparse;                    /**< rows are CSR: there is text, or many categories */
} sustain_table_features;

/** The features of an encoding. */
sustain_table_features sustain_table_encoding_features(const sustain_table_encoding *encoding);

/** Adds an owner; each owner destroys the encoding once. */
sustain_table_encoding *sustain_table_encoding_share(const sustain_table_encoding *encoding);

/** Removes an owner, and frees the encoding after the last. NULL is allowed. */
void sustain_table_encoding_destroy(sustain_table_encoding *encoding);

/** Writes an encoding as JSON text, which the caller frees with free(). Refused: names that are
 *  not UTF-8. */
sustain_status sustain_table_encoding_write(const sustain_table_encoding *encoding, char **out);

/** Reads an encoding from JSON text; `source` is for messages. */
sustain_status sustain_table_encoding_read(sustain_context *context, const char *source, const char *text, sustain_table_encoding **out);

#ifdef __cplusplus
}
#endif
#endif

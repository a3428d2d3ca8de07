/** @file table.h - tables as people have them: CSV files whose columns are numbers, categories, text, identifiers, with values missing.
 *
 *      sustain_table_options columns = {.text_columns = "title,body", .ignore_columns = "date"};
 *      sustain_dataset_read(context, "train.csv", &(sustain_read_options){.label_column = "topic", .table = &columns}, &training);
 *      sustain_dataset_read(context, "test.csv", &(sustain_read_options){.label_column = "topic", .encoding = training->encoding}, &test);
 *
 *  The encoding says how a row of the file becomes a row of features. It is fitted to the file that is read first, and applied to every other one:
 *
 *      numbers       one feature; a missing value is the mean of the column, with a second feature that is 1 where it was missing
 *      categories    one feature for each value ("income=high"), and one for all rare ones ("income=(other)"); see docs/formats.md
 *      text          TF-IDF of words and pairs of words ("body:profit", "body:net profit"), hashed; each row has length 1; see docs/formats.md
 *
 *  A model file keeps it (model.h), so that a model can be used on raw tables later. */
#ifndef SUSTAIN_TABLE_H
#define SUSTAIN_TABLE_H

#include <sustain/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to do where a number is missing: the field is empty, or NA, N/A, na, NaN, null, NULL, None or ?. */
typedef enum sustain_missing {
    SUSTAIN_MISSING_MEAN,  /**< the mean of the column, and a feature that says so */
    SUSTAIN_MISSING_REFUSE /**< refuse the file */
} sustain_missing;

/** How the columns of a CSV file are used. Lists of columns are names or numbers from 1, separated by commas; a column whose name has a comma is given by
 *  number. A zeroed structure is the default; all texts are borrowed. */
typedef struct sustain_table_options {
    const char *text_columns; /**< columns of free text; NULL: none */
    const char *
        categorical; /**< columns that are categories even if they hold numbers; NULL or "auto": columns of text with few different values */
    const char *ignore_columns; /**< columns that are not used; NULL: none */
    const char *id_column;      /**< identifies rows: kept, not a feature; NULL: none */
    const char *show_columns;   /**< kept as text for people to read, and features as well; NULL: the text columns */
    sustain_missing missing;
} sustain_table_options;

/** How rows of a table become rows of features. */
typedef struct sustain_table_encoding sustain_table_encoding;

/** What the features are. All arrays belong to the encoding. */
typedef struct sustain_table_features {
    int64_t dim;                    /**< how many there are */
    const char *const *names;       /**< (dim) "age", "age (missing)", "income=high", "body:net profit" */
    const int32_t *group;           /**< (dim) the column they come from, 0 .. groups-1 */
    int64_t groups;                 /**< columns that have features */
    const char *const *group_names; /**< (groups) names of these columns */
    bool sparse;                    /**< rows are CSR: there is text, or many categories */
} sustain_table_features;

/** The features of an encoding. */
sustain_table_features sustain_table_encoding_features(const sustain_table_encoding *encoding);

/** One more owner: each owner destroys it once. */
sustain_table_encoding *sustain_table_encoding_share(const sustain_table_encoding *encoding);

/** Frees it when its last owner does. NULL is allowed. */
void sustain_table_encoding_destroy(sustain_table_encoding *encoding);

/** Writes it as JSON text, which the caller frees with free(). Refused: names that are not UTF-8. */
sustain_status sustain_table_encoding_write(const sustain_table_encoding *encoding, char **out);

/** Reads what was written; `source` is for messages. */
sustain_status sustain_table_encoding_read(sustain_context *context, const char *source, const char *text, sustain_table_encoding **out);

#ifdef __cplusplus
}
#endif
#endif

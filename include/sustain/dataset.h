/** @file dataset.h - data sets from files: features, labels, or both. The format is detected
 *  from the content, not from the file name.
 *
 *      sustain_dataset_read(context, "embeddings.npy", NULL, &set);
 *      sustain_dataset_read_labels(context, "labels.csv", NULL, &labels);
 *      sustain_dataset_join(set, labels);
 *      ... set->rows, set->classes ...
 *      sustain_dataset_destroy(labels);
 *      sustain_dataset_destroy(set);
 *
 *  Formats: IDX, NPY, NPZ, CSV, LIBSVM text, CIFAR-10 and CIFAR-100 binary; each also compressed
 *  with gzip or bzip2; see docs/formats.md. An array of an NPZ file is named "file.npz:array".
 *  Several files with the same columns are one set: "a.npy,b.npy", or a pattern, "part-*.npy",
 *  whose files follow in the order of their names; a file of that very name comes first.
 *  On failure (SUSTAIN_FORMAT, or SUSTAIN_IO for a file that cannot be read) sustain_error()
 *  names the file, the place and the reason. */
#ifndef SUSTAIN_DATASET_H
#define SUSTAIN_DATASET_H

#include <sustain/context.h>
#include <sustain/rows.h>
#include <sustain/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The picture layout of the features of a row: (row, column, channel) is at row * width *
 *  channels + column * channels + channel if channels are interleaved (NPY of 4 axes), else at
 *  (channel * height + row) * width + column (CIFAR). */
typedef struct sustain_picture {
    int64_t height, width, channels; /**< all 0: rows are not pictures */
    bool interleaved;
} sustain_picture;

/** A data set: features, labels, or both. Read the fields; change them only through the
 *  functions below. */
typedef struct sustain_dataset {
    /** The features, labels and targets; a set of labels alone has dim 0 and no features. Labels
     *  are class numbers 0 .. classes-1, targets the labels as numbers. Labels are NULL if the
     *  file has none, or if they are regression targets: fractions, or more than 65,536 distinct
     *  numbers. Targets are NULL if the labels are text. Bytes have the byte_scale 1/255,
     *  booleans 1. All arrays are owned by the set, or mapped from the file. */
    sustain_rows rows;
    int64_t classes;                        /**< 0 without labels */
    int64_t label_values;                   /**< number of distinct labels in the file, including fractions; above
                                             *   65,536: too many to count */
    const char *const *class_names;         /**< (classes) as in the file, sorted by value if all are
                                             *   numbers, else by text */
    const char *const *column_names;        /**< (rows.dim) from a CSV header, else NULL */
    const uint8_t *trusted;                 /**< (rows.count) 1: a trusted row, from the trusted column
                                             *   of a CSV file; else NULL */
    const int32_t *truth;                   /**< (rows.count) the labels before
                                             *   sustain_dataset_corrupt(), else NULL */
    const sustain_table_encoding *encoding; /**< how rows of the table became features; NULL if the file is not a
                                             *   table. Shared by parts and subsets */
    int64_t kept_columns;                   /**< columns of the table kept as text: the identifier first, if there
                                             *   is one */
    const char *const *kept_names;          /**< (kept_columns) */
    const char *const *kept;                /**< (rows.count, kept_columns) their text, row by
                                             *   row; NULL: none */
    bool has_id;                            /**< kept column 0 identifies rows */
    sustain_picture picture;                /**< if rows are pictures: IDX of 3 axes, NPY of 3 or
                                             *   4, CIFAR */
    const char *source;                     /**< the file, or the name of a set, for messages */
    const char *label_source;               /**< the file that the labels are from, "" without
                                            *   labels */
    bool date_labels;                       /**< all labels are dates or times, which are classes as text */
    sustain_context *context;               /**< it was made with */
    struct sustain_dataset_memory *memory;  /**< what the set owns */
} sustain_dataset;

/** Options of reading. NULL or a zeroed structure: defaults. */
typedef struct sustain_read_options {
    size_t size;                            /**< sizeof(sustain_read_options), as the caller was compiled; 0: the fields up to
                                             *   `encoding` */
    const char *label_column;               /**< CSV: the column with the labels, by name or by number from
                                             *   1; NULL: none, all columns are features */
    const char *trusted_column;             /**< CSV: the column that marks trusted rows with 1 and others
                                             *   with 0, likewise */
    bool coarse;                            /**< CIFAR-100: the 20 coarse labels instead of the 100 fine ones */
    const sustain_table_options *table;     /**< CSV: fit a table encoding to the file; NULL: all
                                             *   columns are numbers. Of a file of labels alone, its
                                             *   id_column and show_columns are kept */
    const sustain_table_encoding *encoding; /**< CSV: apply this table encoding to the file;
                                             *   `table` is ignored */
    bool keep_half;                         /**< float16 stays float16 (rows.halves), where it would be copied as float
                                             *   otherwise */
    bool missing_labels;                    /**< CSV, arrays: a row whose label is missing (NaN) has the label -1 and the target
                                             *   NaN; false: it is refused. Take the others with sustain_dataset_subset() */
} sustain_read_options;

/** Reads a file: its features, and its labels if it has them (CSV with a label column, LIBSVM,
 *  CIFAR, an NPZ file with one array of features and one of labels). *out is NULL on failure.
 *  Features that are NaN or infinite are refused. Large uncompressed files of bytes or floats
 *  (IDX of bytes, NPY) are mapped, not copied; of several such files the whole pages that lie in
 *  them as in the one array. */
sustain_status sustain_dataset_read(sustain_context *context, const char *path, const sustain_read_options *options, sustain_dataset **out);

/** Finds the delimiter of CSV text: the one that a first line "sep=;" states, else the most
 *  frequent of comma, semicolon and tab in the first line, outside quotes; a blank if that line
 *  has none of these and several numbers. Returns the length of the line that states it, without
 *  its end; else 0. */
size_t sustain_csv_delimiter(const char *text, size_t length, char *delimiter);

/** Reads labels alone: an IDX or NPY file of one axis (integers, booleans, whole floats, text),
 *  a text file with one label per line (with or without a header), a column of a CSV file (with
 *  its marks of trusted rows if options->trusted_column is set), or the labels of a file that
 *  has both. */
sustain_status sustain_dataset_read_labels(sustain_context *context, const char *path, const sustain_read_options *options,
                                           sustain_dataset **out);

/** Copies the labels (and targets) of another set to a set of features, with marks of trusted
 *  rows if there are any; replaces existing ones. Columns that were kept beside the labels are
 *  copied where the features have none. Refused: different lengths, or identifiers of one name
 *  that differ. */
sustain_status sustain_dataset_join(sustain_dataset *features, const sustain_dataset *labels);

/** Frees rows.targets, the labels as numbers, where there are classes: four bytes a row. NULL is
 *  allowed. */
void sustain_dataset_drop_targets(sustain_dataset *set);

/** Converts `other` for use with a classifier trained on `training`, or refuses:
 *  - the same columns: as many, with the same names if both have names; anything else is
 *    refused. Sparse rows may have fewer or more columns: entries in columns that `training`
 *    does not have are dropped, with a line in the log;
 *  - the same class numbers, if both have labels: those of `other` are renumbered, and a class
 *    that `training` does not have is refused. If the classes of `training` are words in an
 *    order of their own (a named set), numeric labels count them from 0; if they are in
 *    alphabetical order, numbers are refused.
 *  Of `training` only rows.dim, classes, class_names, column_names, encoding, source and
 *  label_source are needed: a model can fill in a structure for it. */
sustain_status sustain_dataset_match(const sustain_dataset *training, sustain_dataset *other);

/** A part: `count` rows from `first` on. The features are borrowed from `set`, which must
 *  outlive the part and must not be scaled meanwhile; everything else is copied. */
sustain_status sustain_dataset_part(const sustain_dataset *set, int64_t first, int64_t count, sustain_dataset **out);

/** A copy of the rows index[0 .. count-1], each in 0 .. set->rows.count-1, in this order.
 *  Classes keep their numbers and names. */
sustain_status sustain_dataset_subset(const sustain_dataset *set, const int64_t *index, int64_t count, sustain_dataset **out);

/** Declares that rows are pictures. Refused: a shape whose number of pixels differs from the
 *  number of features. */
sustain_status sustain_dataset_set_picture(sustain_dataset *set, sustain_picture picture);

/** Frees a set. NULL is allowed. */
void sustain_dataset_destroy(sustain_dataset *set);

/** How labels are corrupted for an experiment. */
typedef enum sustain_noise {
    SUSTAIN_NOISE_SYMMETRIC, /**< with probability `rate` another class, all equally likely */
    SUSTAIN_NOISE_PAIR,      /**< with probability `rate` the next class, the first after the
                              *   last */
    SUSTAIN_NOISE_UNIFORM    /**< with probability `rate` a class drawn from all, possibly the
                              *   true one */
} sustain_noise;

/** Corrupts labels: the noise of row i is a function of (seed, i). The original labels are kept
 *  in set->truth. */
sustain_status sustain_dataset_corrupt(sustain_dataset *set, sustain_noise noise, double rate, uint64_t seed);

/** When features are standardized. */
typedef enum sustain_scaling_mode {
    SUSTAIN_SCALING_AUTO, /**< where needed: see sustain_scaling_create() */
    SUSTAIN_SCALING_ON,
    SUSTAIN_SCALING_OFF
} sustain_scaling_mode;

/** feature' = (feature - mean) * factor. A model (w', b') of scaled features is the model w_j =
 *  w'_j factor_j, b = b' - sum_j w_j mean_j of the original features. */
typedef struct sustain_scaling {
    int64_t dim;
    const float *mean;        /**< (dim) or NULL: not centred */
    const float *factor;      /**< (dim) or NULL: no scaling */
    const char *reason;       /**< one sentence: what is done and why */
    sustain_context *context; /**< it was made with */
} sustain_scaling;

/** Computes the mean and the factor 1/(standard deviation) of each column from these rows only:
 *  pass the training rows. A constant column has the factor 1. Sparse rows: factor 1/largest
 *  absolute value and no mean, so that zeros stay zero. AUTO scales if the largest absolute
 *  value of some column is above 4, or that of the lowest tenth of the columns is below 0.05
 *  (ignoring columns of zeros). Bytes have one scale in all columns and stay bytes. */
sustain_status sustain_scaling_create(const sustain_dataset *training, sustain_scaling_mode mode, sustain_scaling **out);

/** Keeps the mean of every column, for models without an intercept: feature' = feature * factor.
 *  Subtracting means would give such a model an intercept after all. */
void sustain_scaling_drop_mean(sustain_scaling *scaling);

/** Scales the features of a set: in place if the set owns or maps them (a mapped file does not
 *  change), else in a copy; bytes become floats. Does nothing if factor is NULL. */
sustain_status sustain_scaling_apply(const sustain_scaling *scaling, sustain_dataset *set);

/** Frees it. NULL is allowed. */
void sustain_scaling_destroy(sustain_scaling *scaling);

/** A named data set. */
typedef struct sustain_named_set {
    const char *name;  /**< "fashion-mnist" */
    const char *title; /**< what it is */
    const char *how;   /**< how to get it, one sentence */
    bool rows;         /**< sustain_named_read() reads it */
    bool pictures;     /**< sustain_pictures_named() reads it: for few-shot tasks */
} sustain_named_set;

/** The number of named data sets. The last, "generated", needs no files. */
int sustain_named_count(void);

/** The i-th, 0 <= i < sustain_named_count(). */
const sustain_named_set *sustain_named_at(int i);

/** Finds a named set in `data_dir` (NULL: none) or in a system folder. Writes the folder, "" if
 *  not found or not needed, and returns whether the set can be read. Unknown name: false. */
bool sustain_named_find(const char *name, const char *data_dir, char *folder, size_t size);

/** Which part of a named set. */
typedef enum sustain_part { SUSTAIN_PART_TRAINING, SUSTAIN_PART_TEST } sustain_part;

/** Reads the training or the test part, as published. Refused: an unknown name (with the nearest
 *  one), a set for few-shot tasks only, a set that was not found (with how to get it). */
sustain_status sustain_named_read(sustain_context *context, const char *name, const char *data_dir, sustain_part part,
                                  const sustain_read_options *options, sustain_dataset **out);

/** Generates `count` pictures, 28 x 28 bytes, of ten classes, each a function of (seed, i). */
sustain_status sustain_generated_create(sustain_context *context, int64_t count, uint64_t seed, sustain_dataset **out);

#ifdef __cplusplus
}
#endif
#endif

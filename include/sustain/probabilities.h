/** @file probabilities.h - class probabilities of any model, from an NPY file: (rows, classes) of
 *  float16, float32 or float64; from an NPZ file, or from CSV.
 *
 *  Large NPY files are mapped, never copied: a row is converted when it is read. Those of NPZ and
 *  CSV are floats in memory. */
#ifndef SUSTAIN_PROBABILITIES_H
#define SUSTAIN_PROBABILITIES_H

#include <stdbool.h>
#include <stdint.h>

#include <sustain/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How numbers are stored. */
typedef enum sustain_float_type { SUSTAIN_FLOAT16, SUSTAIN_FLOAT32, SUSTAIN_FLOAT64 } sustain_float_type;

/** Probabilities of classes, row by row. Fill in the structure for your own array (`memory` NULL),
 *  or read a file. */
typedef struct sustain_probabilities {
    int64_t count;           /**< rows */
    int64_t classes;         /**< columns */
    const void *values;      /**< (count, classes), borrowed or mapped */
    sustain_float_type type; /**< of the values */
    bool by_column;          /**< values are (classes, count): Fortran order */
    /** values are logits: the softmax of a row is computed when it is read */
    bool logits;
    const char *source;                          /**< the file, for messages; may be NULL */
    struct sustain_probabilities_memory *memory; /**< what it owns; NULL: nothing */
} sustain_probabilities;

/** Reads an NPY file of two axes, or the rows of several (a pattern or a list, as
 *  sustain_dataset_read() takes); an array of an NPZ file ("p.npz", or "p.npz:name" where it has
 *  several); or CSV with a column for each class, with or without a header. Checks every row:
 *  probabilities must be finite, not negative, and sum to 1 (to 0.02; float16: 0.05). Rows that
 *  look like logits are refused with a sentence that says so, unless `logits` is true: then values
 *  need only be finite. *out is NULL on failure. */
sustain_status sustain_probabilities_read(sustain_context *context, const char *path, bool logits, sustain_probabilities **out);

/** The same checks for your own array. */
sustain_status sustain_probabilities_check(sustain_context *context, const sustain_probabilities *probabilities);

/** Row i, 0 <= i < count, as floats; logits become probabilities. */
void sustain_probabilities_row(const sustain_probabilities *probabilities, int64_t i, float *out);

/** The name of column k of a CSV file, owned by `probabilities`; NULL: columns have no names. */
const char *sustain_probabilities_name(const sustain_probabilities *probabilities, int64_t k);

/** Some rows of others, copied: row i is row index[i]. Logits become probabilities. *out is NULL on
 *  failure. */
sustain_status sustain_probabilities_subset(sustain_context *context, const sustain_probabilities *probabilities, const int64_t *index,
                                            int64_t count, sustain_probabilities **out);

/** Frees what was read. NULL is allowed. */
void sustain_probabilities_destroy(sustain_probabilities *probabilities);

#ifdef __cplusplus
}
#endif
#endif

/** @file rows.h - labelled rows, as the problems on data and the readers of files share them.
 *
 *  A row of features is one of
 *
 *      dense floats    values (stored, dim)
 *      dense bytes     bytes (stored, dim); a feature is byte * byte_scale (pictures: 1/255)
 *      sparse (CSR)    values and columns (start[stored]); row i is entries start[i] .. start[i+1]-1
 *
 *  Nothing is copied: all arrays are borrowed and must outlive what uses them. */
#ifndef SUSTAIN_ROWS_H
#define SUSTAIN_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A set of labelled rows. */
typedef struct sustain_rows {
    int64_t count;        /**< how many */
    int64_t dim;          /**< features a row, without an intercept */
    const float *values;  /**< dense floats, or the non-zeros of sparse rows; NULL with bytes */
    const uint8_t *bytes; /**< dense bytes; NULL otherwise */
    float byte_scale;     /**< with bytes: feature = byte * byte_scale */
    /** sparse: (stored + 1). start[0] may be above 0: a part of a larger matrix. NULL: dense */
    const int64_t *start;
    const int32_t *columns; /**< sparse: (start[stored]) in 0 .. dim-1, increasing within a row */
    /** (stored) class numbers, or -1 and 1 where a loss says so; may be NULL where none are
     *  needed */
    const int32_t *labels;
    const float *targets; /**< (stored) numbers to predict (squared loss); may be NULL */
    int64_t stored;       /**< row i is stored row i mod stored; 0: `count` rows are stored */
    /** dense numbers of half precision (IEEE 754 binary16), with values and bytes NULL; or NULL */
    const uint16_t *halves;
} sustain_rows;

/** Whether there are several rows, and all have the same features: nothing can be learned from
 *  them. Of rows without features, and of NULL: false. */
bool sustain_rows_all_same(const sustain_rows *rows);

#ifdef __cplusplus
}
#endif
#endif

/** @file splines.h - linear splines: features for models that are piecewise linear in each feature.
 *
 *  Beside each feature a_j stand max(a_j - t, 0) for a few knots t. A linear model of all of them,
 *  a generalized additive model, bends at each knot. select.h chooses knots and fits such models;
 *  model.h stores them. */
#ifndef SUSTAIN_SPLINES_H
#define SUSTAIN_SPLINES_H

#include <sustain/context.h>
#include <sustain/rows.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The knots. Arrays are borrowed. */
typedef struct sustain_splines {
    int64_t count;          /**< of knots */
    const int32_t *feature; /**< (count) the feature that each belongs to, from 0 */
    const double *knot;     /**< (count) where it is: finite */
} sustain_splines;

/** out (count, dim + splines->count) <- stored rows first .. first + count - 1 as dense rows: their
 *  features, then max(a_j - t, 0) for each knot. Rows may be sparse, bytes or float16; bytes are
 *  multiplied by byte_scale. */
sustain_status sustain_splines_fill(sustain_context *context, const sustain_splines *splines, const sustain_rows *rows, int64_t first,
                                    int64_t count, float *out);

#ifdef __cplusplus
}
#endif
#endif

/** @file model.h - a model file to predict with: a softmax classifier with the names of its
 *  classes, or a linear regression model.
 *
 *  A model applies to the unscaled features of a data file: the scores of a row a are W a + b, with
 *  what Fourier features add where it has some (sustain_fourier), and the probabilities of the
 *  classes are their softmax: sustain_softmax_predict(). With splines, a is a row of
 *  sustain_splines_fill(). Without classes there is one score, the predicted number or its
 *  logarithm. W, b, waves and knots include any scaling that was used in training.
 *  docs/formats.md describes the file byte by byte. */
#ifndef SUSTAIN_MODEL_H
#define SUSTAIN_MODEL_H

#include <sustain/context.h>
#include <sustain/softmax.h>
#include <sustain/splines.h>
#include <sustain/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A model. */
typedef struct sustain_model {
    int64_t dim;     /**< features of a row; at least 1 */
    int64_t classes; /**< at least 2; or 0: a regression model */
    /** W (classes, dim) row by row, then b (classes): as softmax.h has it, with an intercept; or W
     *  (dim), b. With splines: dim + splines->count in place of dim */
    const sustain_real *y;
    const char *const *class_names;  /**< (classes) UTF-8; NULL without classes */
    const char *const *column_names; /**< (dim) UTF-8, or NULL */
    const char *about;               /**< how it was made, one line; or NULL */
    /** how rows of a table become features, dim of them; NULL: rows are features as they are */
    const sustain_table_encoding *encoding;
    /** set for a model that was read; ignored when writing */
    sustain_context *context;
    /** regression: the score is the logarithm of the predicted number (Poisson) */
    bool logarithm;
    /** what is added to the scores, of features without those of the knots; NULL: nothing */
    const sustain_fourier *fourier;
    const sustain_splines *splines; /**< knots of the features; NULL: none */
} sustain_model;

/** out (count, dim + knots + 2 waves) <- stored rows first .. first + count - 1 with all features
 *  of a model: their own and those of the knots, as sustain_splines_fill() has them, then the
 *  cosines and the sines of the waves. NULL: no knots, no waves. The weights of `fourier` are not
 *  read. */
sustain_status sustain_model_features(sustain_context *context, const sustain_splines *splines, const sustain_fourier *fourier,
                                      const sustain_rows *rows, int64_t first, int64_t count, float *out);

/** Writes it in safetensors layout: to a temporary name first, renamed when complete. Refused: a
 *  name that is not UTF-8, a number that is not finite. */
sustain_status sustain_model_write(sustain_context *context, const char *path, const sustain_model *model);

/** Reads one, of either precision. *out is NULL on failure. */
sustain_status sustain_model_read(sustain_context *context, const char *path, sustain_model **out);

/** Frees a model that was read. NULL is allowed. */
void sustain_model_destroy(sustain_model *model);

#ifdef __cplusplus
}
#endif
#endif

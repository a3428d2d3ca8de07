/** @file model.h - a softmax classifier on the disk, with the names of its classes, or a model of a number: what a job leaves behind to predict with.
 *
 *  A model works on the numbers as they are in a data file: scores of a row a are W a + b, and the probability of a class is the softmax of its
 *  score. Without classes there is one score: the number that is predicted. Whatever features were scaled by while the model was trained is in W and b. docs/formats.md has the file byte by byte. */
#ifndef SUSTAIN_MODEL_H
#define SUSTAIN_MODEL_H

#include <sustain/context.h>
#include <sustain/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A model. */
typedef struct sustain_model {
    int64_t dim;           /**< features of a row; at least 1 */
    int64_t classes;       /**< at least 2; or 0: a number is predicted */
    const sustain_real *y; /**< W (classes, dim) row by row, then b (classes): as softmax.h has it, with an intercept; or W (dim), b */
    const char *const *class_names;         /**< (classes) UTF-8; NULL without classes */
    const char *const *column_names;        /**< (dim) UTF-8, or NULL */
    const char *about;                      /**< where it is from, one line; or NULL */
    const sustain_table_encoding *encoding; /**< how rows of a table become features, dim of them; NULL: rows are features as they are */
    sustain_context *context;               /**< of a model that was read; not looked at in one that is written */
} sustain_model;

/** Writes it in safetensors layout: to a temporary name first, renamed when complete. Refused: a name that is not UTF-8, a number that is not finite. */
sustain_status sustain_model_write(sustain_context *context, const char *path, const sustain_model *model);

/** Reads one, of either precision. *out is NULL on failure. */
sustain_status sustain_model_read(sustain_context *context, const char *path, sustain_model **out);

/** Frees a model that was read. NULL is allowed. */
void sustain_model_destroy(sustain_model *model);

#ifdef __cplusplus
}
#endif
#endif

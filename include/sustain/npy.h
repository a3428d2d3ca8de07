/** @file npy.h - writes arrays for NumPy: one array per file, NPY version 1.0, C order, little
 *  endian. */
#ifndef SUSTAIN_NPY_H
#define SUSTAIN_NPY_H

#include <sustain/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an array holds. */
typedef enum sustain_npy_type {
    SUSTAIN_NPY_FLOAT,  /**< float, "<f4" */
    SUSTAIN_NPY_DOUBLE, /**< double, "<f8" */
    SUSTAIN_NPY_INT32,  /**< int32_t, "<i4" */
    SUSTAIN_NPY_INT64,  /**< int64_t, "<i8" */
    SUSTAIN_NPY_BYTE    /**< uint8_t, "|u1" */
} sustain_npy_type;

/** Writes shape[0] x ... x shape[axes-1] elements, 1 <= axes <= 8: to a temporary name first,
 *  renamed when complete. */
sustain_status sustain_npy_write(sustain_context *context, const char *path, sustain_npy_type type, int axes, const int64_t *shape,
                                 const void *data);

#ifdef __cplusplus
}
#endif
#endif

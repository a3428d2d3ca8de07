/* dataset_internal.h - the internals of a data set: what it owns, and how a reader fills it. */
#ifndef SUSTAIN_DATA_DATASET_H
#define SUSTAIN_DATA_DATASET_H

#include <sustain/dataset.h>

#include "core/context_internal.h"
#include "io/file.h"

/* What a set owns. Borrowed arrays (of a mapped file or another set) are NULL here. */
struct sustain_dataset_memory {
    float *values;
    uint8_t *bytes;
    uint16_t *halves;
    int64_t *start;
    int32_t *columns, *labels, *truth;
    float *targets;
    uint8_t *trusted;
    char **class_names, **column_names; /* each one block: pointers, then texts */
    char **kept_names, **kept;          /* likewise */
    sustain_table_encoding *encoding;   /* shared */
    bool from_zero;                     /* LIBSVM: the file counts features from 0 */
    char *source, *label_source;
    sustain__bytes file; /* mapped, if rows point into it */
};

/* Creates an empty set with a source. */
sustain_status sustain__dataset_create(sustain_context *context, const char *source, sustain_dataset **out);

/* Points the public fields to what is owned. Pointers into mapped files and other sets are not
 * changed. */
void sustain__dataset_publish(sustain_dataset *set);

/* Copies of `n` names, `length[i]` bytes each (NULL: to their end), as one block: pointers, then
 * texts. */
sustain_status sustain__copy_names(sustain_context *context, const char *const *names, const size_t *length, int64_t n, char ***out);

/* Columns of sparse rows that can be written to. */
sustain_status sustain__dataset_own_columns(sustain_dataset *set);

sustain_status sustain__copy_text(sustain_context *context, const char *text, char **out);

/* Refuses a set without rows or columns. The reader has checked the numbers, one by one in text,
 * where it can name the line, all at once in arrays. */
sustain_status sustain__check_size(const sustain_dataset *set);

#endif

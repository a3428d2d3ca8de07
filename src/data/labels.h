/* labels.h - converts the labels of a file to class numbers with names.
 *
 * If all labels are numbers, they are classes by value ("+1", "1" and "1.0" are one class, named
 * by its first spelling) and also targets. If some are fractions, or more than 65,536 differ,
 * they are only targets. Otherwise classes are texts. */
#ifndef SUSTAIN_DATA_LABELS_H
#define SUSTAIN_DATA_LABELS_H

#include "data/dataset_internal.h"

typedef struct sustain__labels sustain__labels;

/* A number as a target; -0 is 0. */
static inline float sustain__target(double number) {
    return (float)number + 0.0f;
}

/* Creates a list for `capacity` labels. Texts are borrowed until the labels are stored. */
sustain_status sustain__labels_create(sustain_context *context, int64_t capacity, sustain__labels **out);
void sustain__labels_destroy(sustain__labels *labels);

/* Adds a label. Use the same function for all labels of a set. A text that is a number must be
 * finite. */
sustain_status sustain__labels_add_text(sustain__labels *labels, const char *text, size_t length);
sustain_status sustain__labels_add_number(sustain__labels *labels, double number);

/* Adds a label that is missing: the class -1, the target NaN. */
void sustain__labels_add_none(sustain__labels *labels);

/* Stores labels, targets, classes and names in a set; `source` is the file they come from.
 * Refused: more distinct texts than the maximal number of classes. */
sustain_status sustain__labels_store(const sustain__labels *labels, const char *source, sustain_dataset *set);

#endif

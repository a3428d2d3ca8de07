/* labels.h - from the labels of a file, one after the other, to class numbers with names.
 *
 * Labels that are all numbers are classes by value ("+1", "1" and "1.0" are one class, named as it is first written) and targets too; if
 * some are fractions, or more than 65,536 different, they are targets alone. Else classes are texts. */
#ifndef SUSTAIN_DATA_LABELS_H
#define SUSTAIN_DATA_LABELS_H

#include "data/dataset_internal.h"

typedef struct sustain__labels sustain__labels;

/* Room for `capacity` labels. Texts are borrowed until the labels are stored. */
sustain_status sustain__labels_create(sustain_context *context, int64_t capacity, sustain__labels **out);
void sustain__labels_destroy(sustain__labels *labels);

/* Adds one. All of one set are added in the same way. A text that is a number must be finite. */
sustain_status sustain__labels_add_text(sustain__labels *labels, const char *text, size_t length);
sustain_status sustain__labels_add_number(sustain__labels *labels, double number);

/* Gives a set its labels, targets, classes and names; `source` is the file they are from. Refused: more different texts than classes
 * can be. */
sustain_status sustain__labels_store(const sustain__labels *labels, const char *source, sustain_dataset *set);

#endif

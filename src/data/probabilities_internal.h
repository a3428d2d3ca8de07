/* probabilities_internal.h - what probabilities that were read own, and those in CSV text. */
#ifndef SUSTAIN_DATA_PROBABILITIES_H
#define SUSTAIN_DATA_PROBABILITIES_H

#include <sustain/probabilities.h>

#include "data/formats.h"

struct sustain_probabilities_memory {
    sustain_context *context;
    sustain__bytes file;  /* or the rows of several */
    sustain_dataset *set; /* an NPZ file, as floats */
    float *values;        /* CSV, or rows of others */
    char **names;         /* CSV: of the columns; NULL: it has no header */
    char *source;
};

/* Reads probabilities from CSV text: a column for each class, below its name or without a header. A
 * first column that numbers the rows, as pandas writes it, is left out. */
sustain_status sustain__probabilities_csv(sustain_context *context, const char *path, const sustain__bytes *file, sustain_probabilities *p);

#endif

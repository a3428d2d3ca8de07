/* data_sense.h - data from which nothing can be concluded. */
#ifndef SUSTAIN_CLI_DATA_SENSE_H
#define SUSTAIN_CLI_DATA_SENSE_H

#include <sustain/dataset.h>

#include "output.h"

/* Refuses rows that all have the same features (also all zeros), labels that are all the same, and
 * a class for every row; warns where rows or rows of a class are few, and where classes are
 * written in two ways. `rows` are those of `set` that a model is fitted to; `numbers`: their
 * labels are no classes. Returns an exit code. */
int data_sense(const sustain_dataset *set, const sustain_rows *rows, bool numbers);

/* Warns of the first two of the names, of "classes" for instance, that differ only in capital
 * letters, in blanks or in how a number is written: nearly always they are one. */
void warn_of_spellings(const char *of, const char *const *names, int64_t count, const char *source);

#endif

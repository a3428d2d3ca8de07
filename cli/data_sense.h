/* data_sense.h - data from which nothing can be concluded. */
#ifndef SUSTAIN_CLI_DATA_SENSE_H
#define SUSTAIN_CLI_DATA_SENSE_H

#include <sustain/dataset.h>

#include "output.h"

/* Refuses rows that all have the same features (also all zeros), labels that are all the same, and
 * a class for every row; warns where rows or rows of a class are few, and where classes differ in
 * capital letters alone. `rows` are those of `set` that a model is fitted to; `numbers`: their
 * labels are no classes. Returns an exit code. */
int data_sense(const sustain_dataset *set, const sustain_rows *rows, bool numbers);

#endif

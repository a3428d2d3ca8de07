/* data_sense.h - data from which nothing can be concluded. */
#ifndef SUSTAIN_CLI_DATA_SENSE_H
#define SUSTAIN_CLI_DATA_SENSE_H

#include "run_job.h"

/* Refuses rows that all have the same features (also all zeros), labels that are all the same, and
 * a class for every row; warns where rows or rows of a class are few. `rows` are those that a model
 * is fitted to, `classes` how many classes their labels have, 0: the labels are numbers or missing.
 * `source` names them in sentences. Returns an exit code. */
int data_sense(run_job *job, const sustain_rows *rows, int64_t classes, const char *source);

#endif

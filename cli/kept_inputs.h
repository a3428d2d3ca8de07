/* kept_inputs.h - files of the user that a command must not replace: what it reads, and what was in
 * its folder before. */
#ifndef SUSTAIN_CLI_KEPT_INPUTS_H
#define SUSTAIN_CLI_KEPT_INPUTS_H

#include "options.h"

/* Refuses an output file that is one of the files which the options of a verb, but --out, name:
 * also by another path, in a list, or by a pattern. Exit code. */
int inputs_keep(const verb *v, const void *values, const char *out);

/* The same for all files of a run in its folder. Refuses also a folder with links (folder_lock.h),
 * and one that has such files and is not that of a run or a comparison. Exit code. */
int inputs_keep_in(const verb *v, const void *values, const char *folder);

#endif

/* named.h - the files of named data sets. */
#ifndef SUSTAIN_DATA_NAMED_H
#define SUSTAIN_DATA_NAMED_H

#include "core/context_internal.h"

enum { SUSTAIN__LONGEST_PATH = 4096 };

/* The two parts of Omniglot, in search order. */
#define SUSTAIN__OMNIGLOT_BACKGROUND "images_background.npz images_background/"
#define SUSTAIN__OMNIGLOT_EVALUATION "images_evaluation.npz images_evaluation/"

/* Searches a folder for a file with one of the given names, separated by blanks. A name may be
 * followed by .gz or .bz2; a name that ends with / is a folder. Writes its path. */
bool sustain__named_file(const char *folder, const char *names, char path[SUSTAIN__LONGEST_PATH]);

/* The folder of a set of pictures, "" if it needs none. Refused: unknown names, sets that were
 * not found. */
sustain_status sustain__named_folder(sustain_context *context, const char *name, const char *data_dir, char folder[SUSTAIN__LONGEST_PATH]);

#endif

/* named.h - where the files of sets that have a name are. */
#ifndef SUSTAIN_DATA_NAMED_H
#define SUSTAIN_DATA_NAMED_H

#include "core/context_internal.h"

enum { SUSTAIN__LONGEST_PATH = 4096 };

/* The two parts of Omniglot, in the order in which they are looked for. */
#define SUSTAIN__OMNIGLOT_BACKGROUND "images_background.npz images_background/"
#define SUSTAIN__OMNIGLOT_EVALUATION "images_evaluation.npz images_evaluation/"

/* Looks in a folder for a file under each of its names, parted by blanks; any may be followed by .gz or .bz2, and one that ends with / is a folder. Writes its path. */
bool sustain__named_file(const char *folder, const char *names, char path[SUSTAIN__LONGEST_PATH]);

/* The folder of a set of pictures, "" where it needs none. Refused: an unknown name, a set that is not there. */
sustain_status sustain__named_folder(sustain_context *context, const char *name, const char *data_dir, char folder[SUSTAIN__LONGEST_PATH]);

#endif

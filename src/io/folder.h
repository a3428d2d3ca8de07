/* folder.h - what is in a folder, and what a path is. */
#ifndef SUSTAIN_IO_FOLDER_H
#define SUSTAIN_IO_FOLDER_H

#include "core/context_internal.h"

typedef enum sustain__path_kind { SUSTAIN__PATH_NOTHING, SUSTAIN__PATH_FILE, SUSTAIN__PATH_FOLDER } sustain__path_kind;

/* What is there; links are followed. */
sustain__path_kind sustain__path_look(const char *path);

/* Names of one kind in a folder, in the order of their bytes. */
typedef struct sustain__folder {
    char **names; /* (count) one block: pointers, then texts */
    int64_t count;
} sustain__folder;

/* Lists the files, or the folders, of a folder. Hidden ones, whose names begin with a dot, are left
 * out. Refused among files: a pipe, which would be waited for, and a link to nothing. */
sustain_status sustain__folder_list(sustain_context *context, const char *path, sustain__path_kind kind, sustain__folder *out);

/* The files that a text names: a file of that very name; else a list with commas between its parts,
 * each a name or a pattern with * ? [ ], whose files follow in the order of their bytes. Refused: a
 * pattern that no file matches. */
sustain_status sustain__paths_named(sustain_context *context, const char *text, sustain__folder *out);

/* Frees; a second call does nothing. */
void sustain__folder_free(sustain_context *context, sustain__folder *folder);

#endif

/* picture_files.h - pictures that words of the command line name: files, and folders of files or of one folder a class. */
#ifndef SUSTAIN_CLI_PICTURE_FILES_H
#define SUSTAIN_CLI_PICTURE_FILES_H

#include "options.h"

typedef struct picture_file {
    char *path;
    char *label; /* the folder of its class; NULL: not known */
} picture_file;

typedef struct picture_files {
    picture_file *file; /* (count), those of a folder in the order of their names */
    int64_t count;
} picture_files;

/* Finds them all. Returns an exit code after a sentence: there is none, or a folder cannot be read. Free what was found in any case. */
int picture_files_find(const word_list *words, picture_files *out);
void picture_files_free(picture_files *files);

/* Reads one as the model wants it. */
int picture_file_read(sustain_context *context, const picture_file *file, const sustain_fewshot_about *about, uint8_t *pixels);

/* The model of a run's folder, or a model file. */
int fewshot_model_open(sustain_context *context, const char *run, sustain_fewshot_model **out);

#endif

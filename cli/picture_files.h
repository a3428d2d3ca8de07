/* picture_files.h - pictures that words of the command line name: files, and folders of files or of one folder a class. */
#ifndef SUSTAIN_CLI_PICTURE_FILES_H
#define SUSTAIN_CLI_PICTURE_FILES_H

#include "options.h"

typedef struct picture_file {
    char *path;
    char *label; /* the folder that it is in, found by a folder's name; NULL: it was named itself */
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

/* What is done with each of many pictures. */
typedef struct picture_work {
    const sustain_fewshot_model *model;
    const picture_files *files;
    int64_t ways, room; /* of the classifiers: sustain_fewshot_create() */
    void *user;
    /* Adapts or normalizes a thread's classifier, the same way in each; NULL: none is made. */
    sustain_status (*prepare)(void *user, sustain_fewshot *classifier, int thread);
    sustain_status (*each)(void *user, sustain_fewshot *classifier, int64_t picture, const uint8_t *pixels);
} picture_work;

/* Does it, with as many of the threads of the context. Returns an exit code after a sentence about the first picture that was refused. */
int picture_work_run(sustain_context *context, const picture_work *work, int threads);

/* The model of a run's folder, or a model file. */
int fewshot_model_open(sustain_context *context, const char *run, sustain_fewshot_model **out);

#endif

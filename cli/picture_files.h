/* picture_files.h - pictures given on the command line: files, and folders of files or of one
 * folder per class. */
#ifndef SUSTAIN_CLI_PICTURE_FILES_H
#define SUSTAIN_CLI_PICTURE_FILES_H

#include "options.h"

typedef struct picture_file {
    char *path;
    char *label; /* the folder that contains it; NULL: the file itself was given */
} picture_file;

typedef struct picture_files {
    picture_file *file; /* (count), those of a folder in the order of their names */
    int64_t count;
} picture_files;

/* Finds all pictures. Returns an exit code after a message if there is none or a folder cannot
 * be read. Free the result in any case. */
int picture_files_find(const word_list *words, picture_files *out);

/* Adds a path. */
int picture_files_add(picture_files *files, const char *path);
void picture_files_free(picture_files *files);

/* Reads a picture in the size of the model. */
int picture_file_read(sustain_context *context, const picture_file *file, const sustain_fewshot_about *about, uint8_t *pixels);

/* Work on many pictures. */
typedef struct picture_work {
    const sustain_fewshot_model *model;
    const picture_files *files;
    size_t allowed;     /* bytes of memory for all threads together; 0: no limit */
    int64_t ways, room; /* of the classifiers: sustain_fewshot_create() */
    void *user;
    /* Adapts or normalizes the classifier of a thread, in the same way for each; NULL: no
     * classifiers. */
    sustain_status (*prepare)(void *user, sustain_fewshot *classifier, int thread);
    sustain_status (*each)(void *user, sustain_fewshot *classifier, int64_t picture, const uint8_t *pixels);
} picture_work;

/* Does the work on the threads of the context. Returns an exit code after a message about the
 * first refused picture. */
int picture_work_run(sustain_context *context, const picture_work *work, int threads);

/* What the classifiers of all threads will take, in bytes. */
int picture_work_memory(const picture_work *work, int threads, double *bytes);

/* The model of a run's folder, or a model file. */
int fewshot_model_open(sustain_context *context, const char *run, sustain_fewshot_model **out);

#endif

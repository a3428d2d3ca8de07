/* verb_meta.h - the parts of `sustain meta train` and `sustain meta eval`: pictures, training
 * loop, output. */
#ifndef SUSTAIN_CLI_META_H
#define SUSTAIN_CLI_META_H

#include "run_job.h"

enum { META_VALIDATION = 1, META_TEST = 2 }; /* streams of tasks; training uses 0 */

/* The source of the pictures; the same flags in both verbs. */
typedef struct meta_source {
    const char *dataset, *images, *data_dir;
    int64_t size, channels; /* side in pixels, and channels; 0: as in the set */
} meta_source;

/* Rows for a table of options whose structure, VALUES, has the source as member `source`. */
#define META_SOURCE_ROWS                                                                                                       \
    TEXT_ROW("dataset", source.dataset, "NAME", "fc100, mini-imagenet, omniglot, or generated, which needs no files"),         \
        FOLDER_ROW("images", source.images, NULL,                                                                              \
                   "instead: one folder for each class, with PNG or JPEG pictures; --seed divides the classes unless DIR has " \
                   "the folders train, val and test"),                                                                         \
        FOLDER_ROW("data-dir", source.data_dir, NULL,                                                                          \
                   "where to search for a data set; default: the variable SUSTAIN_DATA, and system folders"),                  \
        COUNT_ROW("size", source.size, "N", 0, 0, 4096, "scale pictures to this side; 0: as in the set, 84 with --images")

/* Reads one split. Returns an exit code after a message. */
int meta_pictures(sustain_context *context, const meta_source *source, uint64_t seed, sustain_split split, sustain_pictures **out);

/* The accuracy of a model, and of two baselines. */
typedef struct meta_scores {
    sustain_meta_score own, centroid, untrained;
} meta_scores;

/* Evaluates the model in the folder. Returns an exit code. */
int meta_judge(sustain_context *context, const char *folder, const sustain_pictures *pictures, const sustain_meta_trial *trial,
               meta_scores *scores);

/* A proportion with its confidence interval, in percent. */
enum { META_SHARE_TEXT = 48 };
const char *meta_share_text(double share, double interval, char text[META_SHARE_TEXT]);

/* The scores as a table, and as JSON with names that begin with `prefix`. */
void meta_print_scores(const meta_scores *scores, const char *name);
void meta_add_scores(json_t *object, const meta_scores *scores, const char *prefix);

/* ---- training ---- */

typedef struct meta_values {
    run_values run; /* first: the shared options point into it */
    meta_source source;
    int64_t validate_every, validation_tasks, patience, test_tasks, test_queries;
    bool first_order, trace;
} meta_values;

/* --method auto: a method after a few iterations, on the validation tasks. */
enum { META_CANDIDATES = 5 };
typedef struct meta_tried {
    const char *name;
    sustain_meta_score score; /* accuracy NAN: it does not take the settings */
} meta_tried;

/* All state of a run. */
typedef struct meta_job {
    run_job run;
    meta_values *given;
    sustain_meta_options options;
    meta_tried tried[META_CANDIDATES];
    int tried_count;
    sustain_pictures *training, *validation, *test;
    sustain_meta *meta;
    int64_t limit, begun_at;            /* iterations: limit of the run, and start of
                                         * this part */
    double seconds;                     /* likewise, the limit */
    const char *stopped;                /* by "iterations", "seconds" or "patience" */
    int64_t memory_before, memory_peak; /* bytes: with only the pictures loaded, and
                                         * after the last iteration */
    meta_scores scores;
    bool evaluation_is_lost; /* Ctrl-C came during an evaluation */
} meta_job;

/* Peak resident memory of the program so far, in bytes. */
int64_t meta_memory(void);

/* Whether the method is `auto`; tries all methods and puts the best in its place. Returns an exit
 * code. */
bool meta_chooses(const meta_values *given);
int meta_choose(meta_job *job);

/* The loop, with progress, metrics, validation, checkpoints. Returns an exit code. */
int meta_loop(meta_job *job);

/* Adapts to one task of the test classes and predicts it, for the page: task.npy, task.json.
 * Returns an exit code. */
int meta_task(const meta_job *job);

json_t *meta_json(const meta_job *job);
void meta_summary(const meta_job *job);

#endif

/* verb_tune.h - `sustain tune` in parts: what is given, what is read, what is run, what is written
 * and said. */
#ifndef SUSTAIN_CLI_TUNE_H
#define SUSTAIN_CLI_TUNE_H

#include "run_job.h"
#include "table_options.h"

typedef struct tune_values {
    run_values run; /* first: the shared options point into it */
    const char *features, *labels, *valid, *valid_labels, *test, *test_labels;
    const char *label_column, *groups, *factors, *weights;
    table_values table;
    const char *dataset, *data_dir;
    double valid_fraction, floor, huber_threshold;
    int64_t folds;
    int penalty, loss, intercept, standardize, splines, fourier; /* penalty, loss, splines and fourier: 0 is auto */
} tune_values;

/* Rows as the problem wants them: those of a set, with labels -1 and 1 for the logistic loss. */
typedef struct tune_rows {
    sustain_dataset *set; /* or NULL */
    int32_t *signs;
    float *dense; /* rows of many non-zeros are quicker with their zeros */
    sustain_rows rows;
} tune_rows;

/* What was read. */
typedef struct tune_data {
    tune_rows training, validation, watched, test; /* the last two may be missing */
    sustain_scaling *scaling;
    double unit; /* what a step of one in the file is worth before scaling: the byte_scale, 1 for floats */
    sustain_regtune_options model;
    int32_t *group;          /* (dim) with --penalty group */
    int32_t *fold;           /* (rows) with --folds; there are no validation rows then */
    double *factor, *weight; /* (dim), (rows for training, then for validation), or NULL */
    bool benchmark;          /* the public benchmark's form */
    bool covtype;            /* the named set: its benchmark has a penalty for each class and scaled features */
    bool fixed;              /* set before reading: auto is --penalty feature, as in `compare` */
    bool select;             /* the form of the penalties is selected, not given */
    sustain_select_form form;
    char about_loss[256]; /* how the loss was chosen, where that is worth a line; else "" */
    char split[256];      /* one sentence: which rows are for what */
} tune_data;

/* Reads everything. Returns an exit code after a sentence; free the data in any case. */
int tune_data_read(sustain_context *context, const tune_values *given, tune_data *data);
void tune_data_free(tune_data *data);
json_t *tune_data_json(const tune_data *data); /* for config.json */

/* A job from beginning to end. */
typedef struct tune_job {
    run_job run;
    const tune_values *given;
    tune_data data;
    sustain_tune *tune; /* with a form of penalty that was given ... */
    sustain_tune_result result;
    sustain_selection *selection; /* ... or selected: then this */
    sustain_select_result selected;
    double test_loss[2], test_accuracy[2]; /* of the selected model, and with one penalty; NAN: no test rows */
    const double *y;                       /* the model, of either */
} tune_job;

/* Scores of a row. */
int64_t tune_width(const tune_job *job);

/* Weights of a score: of features, of the knots of splines, of waves (a cosine and a sine each). */
int64_t tune_weights(const tune_job *job);

/* A value of a feature as the file has it, from one as it was scaled. */
double tune_unscaled(const tune_job *job, int64_t feature, double value);

/* Labels that are numbers of more different values are predicted as numbers. */
enum { MOST_CLASSES_OF_NUMBERS = 20 };

/* Refuses labels that would be taken for classes, though a number is probably wanted. Exit code. */
int tune_check_classes(const sustain_dataset *set);

/* Whether the loss is of numbers, not of classes. */
bool tune_is_number(sustain_regtune_loss loss);

/* Selects the form of the penalties and fits the model. Returns an exit code. */
int tune_select(tune_job *job);
json_t *tune_select_json(const tune_job *job);
json_t *tune_effects_json(const tune_job *job);
void tune_select_summary(const tune_job *job);

/* Runs the solver, with progress, metrics and checkpoints; then finishes. Returns an exit code. */
int tune_run(tune_job *job);

/* Writes the results into the folder. Returns an exit code. */
int tune_files(const tune_job *job);

/* What --json prints, and the text for people. */
json_t *tune_json(const tune_job *job);
void tune_summary(const tune_job *job);

#endif

/* verb_clean.h - `sustain clean` in parts: what is given, what is read, what is run, what is
 * written and said. */
#ifndef SUSTAIN_CLI_CLEAN_H
#define SUSTAIN_CLI_CLEAN_H

#include "picture_files.h"
#include "run_job.h"
#include "table_options.h"

typedef struct clean_values {
    run_values run; /* first: the shared options point into it */
    const char *features, *labels, *trusted, *trusted_labels, *test, *test_labels;
    const char *label_column, *trusted_column;
    const char *verified, *verified_column, *pred_probs, *trusted_pred_probs, *class_names, *truth, *flag;
    const char *reviewed; /* decisions.csv of the page */
    const char *groups, *group_column, *annotations;
    bool group_weights_only;
    int verified_are;
    int64_t next; /* rows to ask about */
    int64_t fit_rows;
    bool logits;
    table_values table;
    const char *dataset, *data_dir, *split;
    const char *image_shape, *pictures;
    int64_t trusted_count, verified_count;
    double trusted_fraction, noise, c;
    int noise_kind, standardize, intercept;
    bool coarse;
} clean_values;

/* Names of classes. */
struct record_file;

typedef struct class_list {
    char **name;
    int64_t count;
    char *memory;
} class_list;

/* What was read. */
typedef struct clean_data {
    sustain_dataset *training;
    sustain_dataset *trusted; /* or NULL */
    sustain_dataset *test;    /* or NULL */
    sustain_dataset *whole;   /* what the others are parts of, or NULL */
    int64_t rows;             /* of the file that the training rows are from */
    /* The row in the file of each row of `training`, `whole` and `trusted`; NULL: row i is row i,
     * or trusted rows are from elsewhere. */
    int64_t *index, *whole_index, *trusted_index;
    sustain_scaling *scaling; /* NULL without features */
    int32_t *verified;        /* (training->rows.count) right labels, -1: not checked; NULL: none is */
    int64_t verified_count;
    uint8_t *drawn;            /* (training->rows.count) 1: drawn at random, by verified.csv of the run that is reviewed; NULL: not known */
    sustain_dataset *groups;   /* its labels are the groups of the rows of the file; or NULL */
    int32_t *group;            /* (training->rows.count) the group of each training row; or NULL */
    int32_t *truth;            /* (training->rows.count) from a file, or NULL */
    sustain_dataset *pictures; /* of the rows of the file, for the gallery; or NULL */
    picture_files picture_files; /* likewise; count 0: none */
    const sustain_probabilities *pred_probs[SUSTAIN_CLEAN_MOST_PRED_PROBS], *trusted_pred_probs[SUSTAIN_CLEAN_MOST_PRED_PROBS];
    int pred_prob_count, trusted_pred_prob_count;
    class_list names;  /* of --class-names */
    bool show_names;   /* they stand for numbers */
    float unit;        /* what a step of one in the file is worth before scaling: the byte_scale, 1 for floats */
    bool bytes;        /* the file has bytes */
    char warning[512]; /* "" or what the user must know */
} clean_data;

/* Reads everything. Returns an exit code after a sentence; free the data in any case. */
int clean_data_read(sustain_context *context, const clean_values *given, clean_data *data);
void clean_data_free(clean_data *data);

/* Probabilities of other models, with the classes in the order of their columns; refuses columns
 * whose order is another one. */
int clean_read_probabilities(sustain_context *context, const clean_values *given, clean_data *data);
int clean_check_order(const clean_data *data);

/* Where some rows of the file are no training rows: makes of probabilities of all its rows those of
 * the training rows and, where the trusted rows are from the same file, of these. */
int clean_part_probabilities(sustain_context *context, clean_data *data);
void clean_names_free(class_list *list);

/* Complains about labels that are numbers to predict. */
int clean_need_classes(const sustain_dataset *labels);

/* Complains about a file of labels with one more than there are rows: its first line may be the
 * name of the column. */
int clean_one_label_too_many(const sustain_dataset *labels);

/* The columns of a record file that say which row a record is of, and its label; -1: not there. */
typedef struct row_finder {
    int row, id, label, other;
    struct row_id *ids; /* sorted; NULL where rows are numbered. The caller frees it */
} row_finder;

/* Reads the header: "row" or the identifier, "label" or `label_column`, and `other` (or NULL). Exit
 * code. */
int clean_row_finder(const clean_data *data, const char *label_column, struct record_file *file, const char *other, row_finder *out);

/* The row of the file of a record, which is at `place`. Exit code. */
int clean_find_row(const clean_data *data, const row_finder *finder, const struct record_file *file, const char *place, long long *row);

/* The truth, and what was verified. */
int clean_read_checked(sustain_context *context, const clean_values *given, clean_data *data);

/* What was verified in earlier reviews of the run that is resumed, and the decisions of this
 * one. */
int clean_read_reviewed(const clean_values *given, clean_data *data);

/* Pictures of the rows, for the gallery of the page. Exit code. */
int clean_read_pictures(sustain_context *context, const clean_values *given, clean_data *data);

/* The group of each row: an annotator, a source. Exit code. */
int clean_read_groups(sustain_context *context, const clean_values *given, clean_data *data);

/* The group of training row i; -1: there are no groups. */
int32_t clean_group(const clean_data *data, int64_t i);

/* Row `row` of the file was verified to be `label`, as `place` says. Needs clean_verified_room()
 * before. */
int clean_verify(clean_data *data, const char *place, long long row, const char *label);
int clean_verified_room(clean_data *data);

/* The training row of row `row` of the file; -1: it is none. */
int64_t clean_training_row(const clean_data *data, int64_t row);

/* The right labels of the training rows, where an experiment knows them; or NULL. */
const int32_t *clean_truth(const clean_data *data);

/* The number of the class with this name; -1: there is none. */
int32_t clean_class_number(const clean_data *data, const char *name);

/* Parts the training rows: those that are marked become the trusted rows, all of them data->whole.
 */
int clean_part_marked(sustain_context *context, clean_data *data);
/* data->trusted becomes as many of its rows as --trusted-count says. */
int clean_reduce_trusted(sustain_context *context, const clean_values *given, clean_data *data);
/* No trusted rows: a part of the given labels is taken for right, with a warning. */
int clean_take_fraction(sustain_context *context, const clean_values *given, clean_data *data);

/* The same as JSON, for config.json. */
json_t *clean_data_json(const clean_data *data);

/* The row in the file of training row i. */
int64_t clean_row(const clean_data *data, int64_t i);

/* Feature j of training row i, as the file has it. Not for sparse rows. */
double clean_raw_feature(const clean_data *data, int64_t i, int64_t j);

/* The name of a class. */
const char *clean_class(const clean_data *data, int64_t k);

/* A job from beginning to end. */
typedef struct clean_job {
    run_job run;
    const clean_values *given;
    clean_data data;
    sustain_clean *clean;
    sustain_clean_result result;
    int64_t *next; /* (next_count) training rows to ask about, the random ones first; or NULL */
    int64_t next_count, next_random;
    bool seen; /* an evaluation; the first one in this process was at */
    int64_t first_iteration;
    double first_seconds;
    bool from_models; /* it began where the classifiers of the first run ended */
} clean_job;

/* Runs the solver, with progress, metrics and checkpoints; then finishes. Returns an exit code. */
int clean_run(clean_job *job);

/* verified.csv: what was verified, for later reviews; next.csv: rows to ask about, also in
 * job->next. Exit codes. */
int clean_write_verified(const clean_job *job);
int clean_choose_next(clean_job *job);

/* Writes the results into the folder. Returns an exit code. */
int clean_files(const clean_job *job);

/* gallery.npy: the worst rows as pictures. Exit code. */
int clean_write_gallery(const clean_job *job);

/* review.csv, the rows for the page, worst first; and the name of the run in decisions.csv, which
 * depends on its rows and their given labels alone. */
enum { CLEAN_REVIEW_ID = 24 };
int clean_review(const clean_job *job);
void clean_review_id(const clean_data *data, char id[CLEAN_REVIEW_ID]);

/* What verified rows say of classes and of pairs of classes: noise_by_class and noise_by_pair of
 * result.json; and a sentence, "" where there is none. */
void clean_noise_json(const clean_job *job, json_t *object);
void clean_noise_text(const clean_job *job, char *text, size_t size);

/* The groups as JSON: rows, weights, and error rates with intervals, worst first; NULL: there are
 * none. */
json_t *clean_groups_json(const clean_job *job);

/* Several labels for a row: reads the file for its errors; and writes annotations.csv and
 * annotators.csv. Exit codes. */
int clean_check_annotations(const clean_job *job);
int clean_write_annotations(const clean_job *job);

/* groups.csv: the same, lowest weight first. Exit code. */
int clean_write_groups_file(const clean_job *job);

/* With --group-weights-only: writes groups.csv and says what is in it. Exit code. */
int clean_groups_alone(const clean_job *job);

/* Whether training row i was verified. */
static inline bool clean_verified(const clean_job *job, int64_t i) {
    return job->result.verified != NULL && job->result.verified[i] >= 0;
}

/* What --json prints, and the text for people. */
json_t *clean_json(const clean_job *job);
void clean_summary(const clean_job *job);

#endif

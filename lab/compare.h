/* compare.h - compares algorithms on the same data with the same seeds.
 *
 *   compare_entries.c   the list of algorithms with their parameters
 *   compare_figures.c   the paper's figures as such lists
 *   compare_task_*.c    one file per task: what is solved, and what is measured at a point
 *   compare_solver.c    runs algorithms of the registry
 *   compare_run.c       one run, measured at log-spaced counts with the clock stopped
 *   compare_curves.c    means and standard deviations over the runs
 *   compare_claims.c    what the paper says, checked */
#ifndef SUSTAIN_LAB_COMPARE_H
#define SUSTAIN_LAB_COMPARE_H

#include <stdbool.h>

#include <sustain/learn.h>
#include <sustain/meta.h>
#include <sustain/sustain.h>

#include "lab_error.h"

/* ---- horizontal axes ---- */

#define COMPARE_AXIS_LIST(X)                                           \
    X(GRADIENTS, gradients, "gradients, upper level")                  \
    X(SAMPLES, samples, "samples, both levels")                        \
    X(PRODUCTS, products, "products with second derivatives")          \
    X(CALLS, calls, "gradients of both levels and products, together") \
    X(ITERATIONS, iterations, "iterations")                            \
    X(SECONDS, seconds, "seconds of optimization")

typedef enum compare_axis {
#define AXIS_ENUM(name, key, title) AXIS_##name,
    COMPARE_AXIS_LIST(AXIS_ENUM)
#undef AXIS_ENUM
        AXES
} compare_axis;
extern const char *const compare_axis_keys[AXES];
extern const char *const compare_axis_titles[AXES];

/* ---- algorithms ---- */

/* An algorithm with its parameters. */
typedef struct compare_entry {
    char label[96];       /* for display */
    char folder[128];     /* a name that is safe for a folder */
    char solver[32];      /* a name of the registry, or auto */
    char parameters[256]; /* "batch=1000:alpha=0.1" */
    int panel;
    int64_t runs; /* 0: as many as the others */
} compare_entry;

/* Calls set(user, name, value) for each parameter until one is refused; the sentence names the
 * entry. Refused: text that is not NAME=VALUE, and seeds. */
typedef sustain_status (*compare_setter)(void *user, const char *name, const char *value);
sustain_status compare_entry_parameters(const sustain_context *context, const compare_entry *entry, compare_setter set, void *user,
                                        lab_error *error);

/* ---- tasks ---- */

typedef struct compare_metric {
    const char *key, *title;
    const char *column; /* title of the table column; NULL: not in the table */
    bool higher;        /* higher is better */
    bool log;           /* logarithmic axis */
} compare_metric;

enum { COMPARE_METRICS = 8 };

/* What is solved, and how a point is measured. `state` is private to the task: its data, made by
 * the functions below. */
typedef struct compare_task {
    const char *name;
    const compare_metric *metrics;
    int metric_count;
    double budget[AXES]; /* defaults */
    int points_a_decade; /* how often the curves are evaluated, */
    int points_in_all;   /* and, if not 0, at least so often at even distances */

    /* A short description of the data. */
    void (*describe)(const void *state, char *text, size_t size);
    /* Measures the current point: `metric` in the order of `metrics`, NAN if undefined. */
    sustain_status (*measure)(void *state, const sustain_result *at, double *metric);
    void (*close)(void *state); /* NULL is allowed */

    /* make: creates the algorithm of an entry, replacing the previous one. advance: runs it to
     * an iteration, first to 0; `at` gets everything except x and y. */
    sustain_status (*make)(void *state, const compare_entry *entry, int64_t seed, lab_error *error);
    sustain_status (*advance)(void *state, int64_t iteration, sustain_result *at);
    /* memory: what the algorithm that was made will take, data included. */
    sustain_status (*memory)(void *state, sustain_memory *memory);
} compare_task;

extern const compare_task compare_task_clean, compare_task_tune, compare_task_meta, compare_task_quadratic;

/* Data, borrowed until close(). On failure *state is NULL, and the sentence is in the context. */
typedef struct compare_clean_data {
    const char *name;
    const sustain_dataset *training, *trusted, *test; /* test may be NULL */
    double c;
    bool intercept;
} compare_clean_data;
sustain_status compare_clean_open(sustain_context *context, const compare_clean_data *data, void **state);

typedef struct compare_tune_data {
    const char *name, *split; /* split: a sentence that describes the use of the rows */
    const sustain_regtune_options *model;
    const sustain_rows *training, *validation;
} compare_tune_data;
sustain_status compare_tune_open(sustain_context *context, const compare_tune_data *data, void **state);

typedef struct compare_meta_data {
    const char *name;
    const sustain_pictures *training, *test;
    sustain_meta_options options; /* of all methods */
    int64_t judging_tasks;        /* for each kind of classes */
} compare_meta_data;
sustain_status compare_meta_open(sustain_context *context, const compare_meta_data *data, void **state);

sustain_status compare_quadratic_open(sustain_context *context, const sustain_quadratic_options *options, void **state);

/* An algorithm of the registry running on a problem: the first member of a task's state, with
 * these three as its `make`, `advance` and `memory`. */
typedef struct compare_solver {
    sustain_context *context;
    sustain_problem *problem;
    sustain_solver *solver;
    double start_seconds; /* spent on choosing the steps, not included in the solver's time */
} compare_solver;
sustain_status compare_solver_make(void *state, const compare_entry *entry, int64_t seed, lab_error *error);
sustain_status compare_solver_advance(void *state, int64_t iteration, sustain_result *at);
sustain_status compare_solver_memory(void *state, sustain_memory *memory);

/* ---- plans ---- */

enum { COMPARE_ENTRIES = 32, COMPARE_PANELS = 2, COMPARE_RUNS = 10, COMPARE_CLAIMS = 32 };

/* A claim of the paper about a figure. `first` and `second` are labels of a panel. */
typedef enum compare_claim_kind {
    CLAIM_AHEAD,   /* first is better than second */
    CLAIM_ON_PAR,  /* they are about equal */
    CLAIM_DEGRADES /* first ends worse than its best */
} compare_claim_kind;

typedef struct compare_claim_row {
    compare_claim_kind kind;
    int panel;
    const char *first, *second;
    compare_axis axis;
    int metric, other; /* it must hold for both; other -1: for the first only */
} compare_claim_row;

typedef struct compare_panel {
    const char *title, *folder, *note; /* folder: prefix of its folders; all "" if there is one
                                        * panel */
} compare_panel;

typedef struct compare_plan {
    const compare_task *task;
    int64_t runs, seed; /* seed: of the first run; the others count up */
    compare_axis axis;  /* of the budget */
    double budget;
    compare_panel panel[COMPARE_PANELS];
    int panel_count;
    compare_entry entry[COMPARE_ENTRIES];
    int entry_count;
    const compare_claim_row *claims;
    int claim_count;
} compare_plan;

/* Adds the entries of a list "sustain,stocbio:batch=1000". */
sustain_status compare_entries_add(compare_plan *plan, const char *list, lab_error *error);

/* Gives algorithms or methods fewer runs than the plan has, by a list "maml=2". */
sustain_status compare_entries_fewer_runs(compare_plan *plan, const char *list, lab_error *error);

/* The runs of an entry: seeds plan->seed, plan->seed + 1, ... */
int64_t compare_entry_runs(const compare_plan *plan, const compare_entry *entry);

/* Adds an entry, displayed as `label`, to a panel. */
sustain_status compare_entry_add(compare_plan *plan, const char *text, const char *label, int panel, lab_error *error);

/* A figure of the paper. Options are those of the program's command for the task; "set":
 * NAME=VALUE, a parameter. */
enum { FIGURE_OPTIONS = 3 };
typedef struct compare_figure_option {
    const char *name, *value; /* name NULL: end of the list */
} compare_figure_option;
typedef struct compare_figure compare_figure;
struct compare_figure {
    const char *number, *title;
    const compare_task *task;
    compare_figure_option data[FIGURE_OPTIONS];    /* ignored if the user gives other data */
    compare_figure_option options[FIGURE_OPTIONS]; /* ignored if the user gives another value */
    const compare_panel *panels;
    const struct compare_figure_entry *entries;
    const compare_claim_row *claims;
    int panel_count, entry_count, claim_count;
    compare_axis axis;
    double budget;
};
const compare_figure *compare_figure_at(int i);

/* The plan of a figure, except runs and seed. axis -1, budget NAN: those of the figure. without: a
 * list "maml,anil" of algorithms or methods to leave out, or NULL. */
sustain_status compare_figure_plan(const compare_figure *figure, int axis, double budget, const char *without, compare_plan *plan,
                                   lab_error *error);

/* Few-shot learning at a scale of at most 1: the number of tasks per iteration of a figure; of
 * evaluation tasks of each kind, of a figure or of a list of methods. */
enum { COMPARE_META_TASKS = 32 }; /* tasks per iteration in the paper */
int64_t compare_scaled_tasks(double scale);
int64_t compare_judging_tasks(bool of_figure, double scale);

/* ---- runs ---- */

/* One evaluation. */
typedef struct compare_point {
    int64_t iterations;
    double seconds;
    sustain_counts counts;
    double metric[COMPARE_METRICS];
} compare_point;

double compare_axis_value(const compare_point *point, compare_axis axis);

/* One run. */
typedef struct compare_series {
    compare_point *point; /* (count) */
    int count;
    char failed[512]; /* "", or why it ended before its budget */
} compare_series;

/* Adds a point. */
sustain_status compare_series_add(compare_series *s, const compare_point *point);

/* Computes one run. Failure of an algorithm is a result, not an error; lack of memory is an
 * error. Free series->point in any case. */
sustain_status compare_run(sustain_context *context, const compare_plan *plan, void *state, const compare_entry *entry, int64_t seed,
                           compare_series *series, lab_error *error);

/* ---- results ---- */

/* Mean and standard deviation over the runs. */
typedef struct compare_mean {
    double axis[AXES], mean[COMPARE_METRICS], deviation[COMPARE_METRICS];
} compare_mean;

typedef struct compare_curve {
    const compare_entry *entry;
    compare_series *run; /* (runs) */
    int64_t runs;
    compare_mean *mean;
    int count;
} compare_curve;

/* A claim of the paper and its verdict. */
typedef struct compare_claim {
    char claim[256], why[640];
    const char *verdict;
} compare_claim;

typedef struct compare_result {
    const compare_plan *plan;
    compare_curve curve[COMPARE_ENTRIES]; /* one for each entry */
    compare_claim claim[COMPARE_CLAIMS];
    int claim_count;
} compare_result;

/* Allocates the runs of all entries; the caller fills in the points. */
sustain_status compare_result_make(const compare_plan *plan, compare_result *result);
void compare_result_free(compare_result *result);

/* Computes the means of all curves; afterwards the claims can be checked. */
sustain_status compare_means(compare_result *result);
void compare_claims(compare_result *result);

/* Whether any run has a value of this metric. */
bool compare_has_metric(const compare_result *r, int metric);

/* The value of a run's metric at x on an axis, interpolated linearly in log x between
 * evaluations; before the first iteration, the value at the start. */
double compare_value_at(const compare_series *run, compare_axis axis, int metric, double x);

#endif

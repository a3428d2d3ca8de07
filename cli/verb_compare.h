/* verb_compare.h - `sustain compare` in parts: algorithms on the same data with the same seeds.
 *
 *   compare.c          the verb, the order of things
 *   compare_entries.c  the list of algorithms with their parameters
 *   compare_figures.c  the paper's figures as such lists
 *   compare_clean.c    one file a task: what is solved, and what is measured at a point
 *   compare_solver.c   algorithms of the registry at work
 *   compare_run.c      one run: goes to log-spaced counts, measures there with the clock stopped, writes its folder
 *   compare_pool.c     all runs, each in a process of its own; those that are there already are left out
 *   compare_curves.c   what the folders have, as means and deviations over the runs
 *   compare_claims.c   what the paper says, checked
 *   compare_files.c    summary.csv, compare.json
 *   compare_show.c     tables */
#ifndef SUSTAIN_CLI_COMPARE_H
#define SUSTAIN_CLI_COMPARE_H

#include "verb_clean.h"
#include "verb_meta.h"
#include "verb_tune.h"

/* ---- what curves are drawn against ---- */

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

/* ---- tasks ---- */

typedef struct compare_metric {
    const char *key, *title;
    const char *column; /* of the table in the terminal; NULL: not there */
    bool higher;        /* is better */
    bool log;           /* its axis */
} compare_metric;

enum { COMPARE_METRICS = 8 };

typedef struct compare_values compare_values;

typedef struct compare_entry compare_entry;

/* What is to be solved, and how a point is judged. `state` is the task's own. Exit codes come after a sentence. */
typedef struct compare_task {
    const char *name;
    const verb *options; /* the verb whose own options say what the data is, or NULL */
    size_t offset;       /* of their values, in compare_values */
    const compare_metric *metrics;
    int metric_count;
    double budget[AXES];

    /* The data of a seed. Returns an exit code; close() in any case where *state is not NULL. */
    int (*open)(sustain_context *context, const compare_values *given, int64_t seed, void **state);
    /* What was read, in a few words. */
    void (*describe)(const void *state, char *text, size_t size);
    /* `metric` gets the numbers of the present point in the order of `metrics`, NAN where there is none. */
    sustain_status (*measure)(void *state, const sustain_result *at, double *metric);
    void (*close)(void *state);

    /* The algorithm of an entry, in place of the one before; then `advance` to an iteration, 0 first. `at` gets all but x and y. */
    int (*make)(void *state, const compare_entry *entry, int64_t seed);
    sustain_status (*advance)(void *state, int64_t iteration, sustain_result *at);
} compare_task;

extern const compare_task compare_task_clean, compare_task_tune, compare_task_meta, compare_task_quadratic;
const char *compare_task_name_at(int i); /* NULL after the last */

/* ---- what is to be done ---- */

/* Where the pictures of the task meta come from, and the verb that has the options for it and nothing else. */
typedef struct compare_meta_values {
    meta_source source;
} compare_meta_values;
extern const verb compare_meta_source;

/* How many tasks judge a method, of each kind of classes: 60, fewer where --scale is below 1. */
int64_t compare_judging_tasks(const compare_values *given);

struct compare_values {
    const char *task, *solvers, *out;
    int x, figure; /* -1: not given */
    int64_t runs, seed, threads;
    double budget, scale;
    bool plot, json, quiet;
    assignments set;
    clean_values clean; /* options of these verbs */
    tune_values tune;
    compare_meta_values meta;
};

/* An algorithm with its parameters. */
struct compare_entry {
    char label[96];       /* as it is shown */
    char folder[128];     /* below --out: FOLDER/seed-0, ... */
    char solver[32];      /* a name of the registry, or auto */
    char parameters[256]; /* "batch=1000:alpha=0.1" */
    int panel;
};

enum { COMPARE_ENTRIES = 32, COMPARE_PANELS = 2, COMPARE_RUNS = 10 };

/* What the paper says of a figure. `first` and `second` are labels of a panel. */
typedef enum compare_claim_kind {
    CLAIM_AHEAD,   /* first is ahead of second */
    CLAIM_ON_PAR,  /* they are about the same */
    CLAIM_DEGRADES /* first ends below its best */
} compare_claim_kind;

typedef struct compare_claim_row {
    compare_claim_kind kind;
    int panel;
    const char *first, *second;
    compare_axis axis;
    int metric, other; /* it must hold for both; -1: for the first alone */
} compare_claim_row;

typedef struct compare_panel {
    const char *title, *folder, *note; /* folder: the names of its folders begin so; all "" where there is one panel */
} compare_panel;

typedef struct compare_plan {
    const compare_values *asked; /* as the command line has it */
    const compare_values *given; /* with what a figure adds */
    const compare_task *task;
    char title[160], data[256], scaled[256]; /* scaled: "" or what was shortened */
    int64_t runs;
    compare_axis axis; /* of the budget */
    double budget;
    int processes, threads; /* at the same time; of each */
    compare_panel panel[COMPARE_PANELS];
    int panel_count;
    compare_entry entry[COMPARE_ENTRIES];
    int entry_count;
    const compare_claim_row *claims;
    int claim_count;
} compare_plan;

/* Adds the entries of a list "sustain,stocbio:batch=1000". Returns an exit code after a sentence. */
int compare_entries_add(compare_plan *plan, const char *list);

/* Adds one, shown as `label`, in a panel. */
int compare_entry_add(compare_plan *plan, const char *text, const char *label, int panel);

/* Calls set(user, name, value) for each parameter until one returns another code than EXIT_DONE. Refused: what is not NAME=VALUE, and seeds. */
int compare_entry_parameters(const compare_entry *entry, int (*set)(void *user, const char *name, const char *value), void *user);

/* Algorithms of the registry at work on a problem: what `make` and `advance` are in most tasks. */
typedef struct compare_solver {
    sustain_context *context;
    const sustain_problem *problem;
    sustain_solver *solver;
    double start_seconds; /* of choosing the steps: not in the solver's own time */
} compare_solver;
int compare_solver_make(compare_solver *s, const compare_entry *entry, int64_t seed);
sustain_status compare_solver_advance(compare_solver *s, int64_t iteration, sustain_result *at);

/* Fills in what --figure says, where the command line does not say otherwise. */
int compare_figure_plan(sustain_context *context, compare_values *given, compare_plan *plan);

/* ---- runs ---- */

void compare_run_folder(const compare_plan *plan, const compare_entry *entry, int64_t seed, char path[LONGEST_PATH]);

/* The configuration of a run: one that has the same in its config.json need not be computed. */
json_t *compare_run_config(const compare_plan *plan, const compare_entry *entry, int64_t seed);

/* Computes one run and writes its folder. Returns an exit code after a sentence. */
int compare_run(const compare_plan *plan, const compare_entry *entry, int64_t seed);

/* Computes those that are missing. */
int compare_run_all(const compare_plan *plan);

/* ---- results ---- */

/* One evaluation. */
typedef struct compare_point {
    double axis[AXES], metric[COMPARE_METRICS];
} compare_point;

/* One run. */
typedef struct compare_series {
    compare_point *point;
    int count;
    char failed[512]; /* "" or why it ended before its budget */
} compare_series;

/* Mean and standard deviation over the runs. */
typedef struct compare_mean {
    double axis[AXES], mean[COMPARE_METRICS], deviation[COMPARE_METRICS];
} compare_mean;

typedef struct compare_curve {
    const compare_entry *entry;
    compare_series *run; /* (plan->runs) */
    compare_mean *mean;
    int count;
} compare_curve;

/* What the paper says, and whether it came out. */
typedef struct compare_claim {
    char claim[256], why[512];
    const char *verdict;
} compare_claim;

enum { COMPARE_CLAIMS = 24 };

typedef struct compare_result {
    const compare_plan *plan;
    compare_curve curve[COMPARE_ENTRIES];
    compare_claim claim[COMPARE_CLAIMS];
    int claim_count;
    double seconds;
} compare_result;

int compare_curves_read(const compare_plan *plan, compare_result *result);
void compare_curves_free(compare_result *result);

/* Whether any run has a number for this metric. */
bool compare_has_metric(const compare_result *r, int metric);

/* The value of a run's metric at x on an axis: between its evaluations on a straight line over log x, before its first iteration as at the start. */
double compare_value_at(const compare_series *run, compare_axis axis, int metric, double x);

/* Checks the claims of the figure. */
void compare_claims(compare_result *result);

int compare_files(const compare_result *r); /* summary.csv, compare.json */
json_t *compare_json(const compare_result *r);
void compare_print(FILE *to, const compare_result *r);

#endif

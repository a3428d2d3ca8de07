/* page_clean.h - the rows of a run for the page of `sustain clean`: page_clean_rows.c reads and
 * counts them, page_clean_left.c estimates how many wrong labels are left, page_clean.c writes. */
#ifndef SUSTAIN_REPORT_CLEAN_H
#define SUSTAIN_REPORT_CLEAN_H

#include "run_record.h"

enum { WEIGHT_BINS = 40, MOST_ISSUES = 30000, MOST_BEYOND = 2000 };

/* A pair of classes that issues have, and how many. */
typedef struct clean_pair {
    int64_t given, suggested, count;
} clean_pair;

/* Rows that are not verified, with the same probability that the given label is wrong. */
typedef struct clean_level {
    double probability;
    int64_t count;
    bool listed;
} clean_level;

typedef struct clean_view {
    int64_t classes, rows, issues, verified;
    int64_t verified_wrong; /* verified rows whose given label is wrong */
    const char **names;     /* (classes) borrowed from config.json */
    int64_t *labels;        /* (classes) given labels of each */
    int64_t *flagged;       /* (classes) how many of them look wrong */
    clean_pair *pairs;      /* (pair_count) of the issues, most frequent first */
    int64_t pair_count;
    bool weighted;                /* the rows have weights */
    bool grouped;                 /* the rows have groups */
    int64_t bins[2][WEIGHT_BINS]; /* weights of labels that are kept, and of those that look
                                   * wrong */
    bool calibrated;              /* the rows have probabilities; then of those that are not
                                   * verified: */
    clean_level *levels;          /* (level_count) */
    int64_t level_count;
    json_t *listed; /* rows for the script, by columns, most suspicious first: the issues, at most
                     * MOST_ISSUES; rows to review next; verified rows; some more */
} clean_view;

/* Reads review.csv, and gallery.npy and shown.csv if they exist. r->own becomes the view;
 * r->data gets what the script needs. */
bool clean_view_read(run *r);
void clean_view_free(void *own);

/* Wrong labels among rows that are not verified, for the script: {shift, rest, total: [middle,
 * low, high], others}: shifts of the log-odds, sums over rows that are not listed, numbers of
 * wrong labels; how many rows are not listed. Without low and high where the run has no
 * interval; NULL where it has no probabilities. */
json_t *clean_left(const run *r, const clean_view *v);

/* Sections of the page. */
void clean_write_classes(FILE *to, const clean_view *v);
void clean_write_pairs(FILE *to, const clean_view *v);
void clean_write_groups(FILE *to, const run *r);

#endif

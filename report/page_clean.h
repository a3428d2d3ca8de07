/* page_clean.h - what the page of `sustain clean` counts in issues.csv; clean_issues.c counts, clean.c writes. */
#ifndef SUSTAIN_REPORT_CLEAN_H
#define SUSTAIN_REPORT_CLEAN_H

#include "run_record.h"

enum { WEIGHT_BINS = 40, MOST_ISSUES = 30000 };

typedef struct clean_view {
    int64_t classes, rows, issues;
    const char **names;           /* (classes) borrowed from config.json */
    json_t *number_of;            /* name -> number */
    int64_t *labels;              /* (classes) given labels of each */
    int64_t *flagged;             /* (classes) how many of them look wrong */
    int64_t *confused;            /* (classes, classes) given, suggested */
    int64_t bins[2][WEIGHT_BINS]; /* weights of labels that are kept, and of those that look wrong */
    json_t *listed; /* the issues for the script: {index, given, suggested, weight, quality}, worst first, at most MOST_ISSUES */
} clean_view;

/* Counts issues.csv; reads gallery.npy, where there is one, into r->data. r->own becomes the view. */
bool clean_view_read(run *r);
void clean_view_free(void *own);

#endif

/* clean_review.c - review.csv, the table that the page of a run reads, and the name under which decisions about its rows are kept. docs/formats.md describes both. */
#include <stdlib.h>

#include "verb_clean.h"

/* FNV-1a, 64 bits. */
static uint64_t hash_text(uint64_t hash, const char *text) {
    for (; *text != '\0'; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

void clean_review_id(const clean_job *job, char id[CLEAN_REVIEW_ID]) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int64_t i = 0; i < job->data.training->rows.count; i++) {
        char row[32];
        snprintf(row, sizeof row, "%lld,", (long long)clean_row(&job->data, i));
        hash = hash_text(hash, row);
        hash = hash_text(hash, clean_class(&job->data, job->data.training->rows.labels[i]));
        hash = hash_text(hash, "\n");
    }
    snprintf(id, CLEAN_REVIEW_ID, "r%016llx", (unsigned long long)hash);
}

static void write_review(FILE *to, const void *user) {
    const clean_job *job = user;
    const sustain_clean_result *r = &job->result;
    const bool weights = r->weight != NULL;
    fprintf(to, "row,given,suggested,%squality,is_issue,probability_wrong,verified\n", weights ? "weight," : "");
    for (int64_t k = 0; k < r->count; k++) {
        const int64_t i = r->order[k];
        fprintf(to, "%lld,%lld,%lld,", (long long)clean_row(&job->data, i), (long long)job->data.training->rows.labels[i],
                (long long)r->suggested[i]);
        if (weights) fprintf(to, "%.6g,", (double)r->weight[i]);
        fprintf(to, "%.6g,%d,%.6g,%ld\n", (double)r->quality[i], r->is_issue[i] != 0, 1 - (double)r->quality[i], (long)r->verified[i]);
    }
}

int clean_review(const clean_job *job) {
    return write_file(job->given->run.out, "review.csv", write_review, job);
}

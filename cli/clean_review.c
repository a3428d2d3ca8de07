/* clean_review.c - review.csv, the table that the page of a run reads, and the name under which
 * decisions about its rows are kept. docs/formats.md describes both. */
#include <stdlib.h>
#include <string.h>

#include "csv_write.h"
#include "verb_clean.h"
#include "progress.h"

/* FNV-1a, 64 bits. */
static uint64_t hash_text(uint64_t hash, const char *text) {
    for (; *text != '\0'; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

void clean_review_id(const clean_data *data, char id[CLEAN_REVIEW_ID]) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int64_t i = 0; i < data->training->rows.count; i++) {
        char row[32];
        snprintf(row, sizeof row, "%lld,", (long long)clean_row(data, i));
        hash = hash_text(hash, row);
        hash = hash_text(hash, clean_class(data, data->training->rows.labels[i]));
        hash = hash_text(hash, "\n");
    }
    snprintf(id, CLEAN_REVIEW_ID, "r%016llx", (unsigned long long)hash);
}

/* The place of training row i in the list of rows to ask about, from 1; 0: it is not in it. */
static int64_t place_in_next(const clean_job *job, int64_t i) {
    for (int64_t k = 0; k < job->next_count; k++)
        if (job->next[k] == i) return k + 1;
    return 0;
}

typedef struct reviewing {
    const clean_job *job;
    const int64_t *group_place; /* or NULL: there are no groups */
} reviewing;

static void write_review(FILE *to, const void *user) {
    const reviewing *of = user;
    const clean_job *job = of->job;
    const sustain_clean_result *r = &job->result;
    const bool weights = r->weight != NULL, next = job->next_count > 0;
    fprintf(to, "row,given,suggested,%squality,is_issue,probability_wrong,verified%s%s\n", weights ? "weight," : "",
            of->group_place != NULL ? ",group" : "", next ? ",next" : "");
    for (int64_t k = 0; k < r->count; k++) {
        const int64_t i = r->order[k];
        if (k % (1 << 19) == (1 << 19) - 1) progress_show("writing review.csv: %.0f %%", 100 * (double)k / (double)r->count);
        fprintf(to, "%lld,%lld,%lld,", (long long)clean_row(&job->data, i), (long long)job->data.training->rows.labels[i],
                (long long)r->suggested[i]);
        if (weights) fprintf(to, "%.6g,", (double)r->weight[i]);
        fprintf(to, "%.6g,%d,%.6g,%ld", (double)r->quality[i], r->is_issue[i] != 0, 1 - (double)r->quality[i],
                clean_verified(job, i) ? (long)r->verified[i] : -1L);
        if (of->group_place != NULL) fprintf(to, ",%lld", (long long)of->group_place[clean_group(&job->data, i)]);
        if (next) fprintf(to, ",%lld", (long long)place_in_next(job, i));
        fputc('\n', to);
    }
}

/* ---- what is shown of the rows ---- */

enum { MOST_SHOWN = 2000, LONGEST_SHOWN = 2000 };

/* A field, cut at the beginning of a character. */
static void shown_text(FILE *to, const char *text) {
    char cut[LONGEST_SHOWN + 1];
    size_t n = strlen(text);
    if (n > LONGEST_SHOWN) {
        n = LONGEST_SHOWN;
        while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) n--;
    }
    memcpy(cut, text, n);
    cut[n] = '\0';
    csv_text(to, cut);
}

static void write_shown(FILE *to, const void *user) {
    const clean_job *job = user;
    const sustain_dataset *set = job->data.training;
    fputs("row", to);
    for (int64_t c = 0; c < set->kept_columns; c++) {
        fputc(',', to);
        csv_text(to, set->kept_names[c]);
    }
    fputc('\n', to);
    for (int64_t k = 0; k < job->result.count && k < MOST_SHOWN; k++) {
        const int64_t i = job->result.order[k];
        fprintf(to, "%lld", (long long)clean_row(&job->data, i));
        for (int64_t c = 0; c < set->kept_columns; c++) {
            fputc(',', to);
            shown_text(to, set->kept[i * set->kept_columns + c]);
        }
        fputc('\n', to);
    }
}

static int clean_shown(const clean_job *job) {
    char path[LONGEST_PATH];
    run_path(job->given->run.out, "shown.csv", path);
    if (job->data.training->kept != NULL && job->data.training->kept_columns > 0)
        return write_file(job->given->run.out, "shown.csv", write_shown, job);
    remove(path); /* of another run, which this one replaces */
    return EXIT_DONE;
}

int clean_review(const clean_job *job) {
    int64_t *place = job->data.groups != NULL ? clean_group_places(job) : NULL;
    if (job->data.groups != NULL && place == NULL) return out_of_memory();
    const reviewing of = {.job = job, .group_place = place};
    const int code = write_file(job->given->run.out, "review.csv", write_review, &of);
    free(place);
    return code == EXIT_DONE ? clean_shown(job) : code;
}

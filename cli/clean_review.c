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

/* A row of the list of rows to ask about, and its place there, from 1. */
typedef struct next_row {
    int64_t row, place;
} next_row;

static int by_row(const void *a, const void *b) {
    const next_row *p = a, *q = b;
    return p->row < q->row ? -1 : p->row > q->row;
}

/* That list, sorted by row; freed by the caller. NULL: out of memory. */
static next_row *sorted_next(const clean_job *job) {
    next_row *list = malloc((size_t)(job->next_count + 1) * sizeof *list);
    if (list == NULL) return NULL;
    for (int64_t k = 0; k < job->next_count; k++) list[k] = (next_row){job->next[k], k + 1};
    qsort(list, (size_t)job->next_count, sizeof *list, by_row);
    return list;
}

typedef struct reviewing {
    const clean_job *job;
    const next_row *next;
} reviewing;

/* The place of training row i in the list; 0: it is not in it. */
static int64_t place_in_next(const reviewing *of, int64_t i) {
    const next_row *found = bsearch(&(next_row){.row = i}, of->next, (size_t)of->job->next_count, sizeof *of->next, by_row);
    return found != NULL ? found->place : 0;
}

static void review_line(FILE *to, const reviewing *of, int64_t i) {
    const clean_job *job = of->job;
    const sustain_clean_result *r = &job->result;
    csv_whole(to, clean_row(&job->data, i));
    fputc(',', to);
    csv_text(to, clean_class(&job->data, job->data.training->rows.labels[i]));
    fputc(',', to);
    csv_text(to, clean_class(&job->data, r->suggested[i]));
    fputc(',', to);
    if (r->weight != NULL) csv_number(to, (double)r->weight[i]), fputc(',', to);
    csv_number(to, (double)r->quality[i]);
    fputs(r->is_issue[i] ? ",1," : ",0,", to);
    csv_number(to, 1 - (double)r->quality[i]);
    fputc(',', to);
    if (clean_verified(job, i)) csv_text(to, clean_class(&job->data, r->verified[i]));
    if (job->data.groups != NULL) fputc(',', to), csv_text(to, job->data.groups->class_names[clean_group(&job->data, i)]);
    if (job->next_count > 0) fputc(',', to), csv_whole(to, place_in_next(of, i));
    fputc('\n', to);
}

static void write_review(FILE *to, const void *user) {
    const reviewing *of = user;
    const clean_job *job = of->job;
    const sustain_clean_result *r = &job->result;
    fprintf(to, "row,given_label,suggested_label,%squality,is_issue,probability_wrong,verified%s%s\n", r->weight != NULL ? "weight," : "",
            job->data.groups != NULL ? ",group" : "", job->next_count > 0 ? ",next" : "");
    for (int64_t k = 0; k < r->count; k++) {
        if (k % (1 << 19) == (1 << 19) - 1) progress_show("writing review.csv: %.0f %%", 100 * (double)k / (double)r->count);
        review_line(to, of, r->order[k]);
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
    next_row *next = sorted_next(job);
    const reviewing of = {.job = job, .next = next};
    const int code = next != NULL ? write_file(job->given->run.out, "review.csv", write_review, &of) : out_of_memory();
    free(next);
    return code == EXIT_DONE ? clean_shown(job) : code;
}

/* clean_annotations.c - several labels for a row (a long CSV: row or its identifier, annotator,
 * label): the majority,
 * Dawid and Skene's estimate and ours side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv_write.h"
#include "data_sense.h"
#include "record_file.h"
#include "verb_clean.h"

/* What was read; annotators are numbered by name. */
typedef struct annotation_list {
    const clean_job *job;
    sustain_annotation *a;
    char **name; /* (count) of the annotator of each label, then (annotators) sorted */
    int64_t count, annotators;
    float *posterior, *votes;   /* (rows, classes) */
    sustain_annotator *quality; /* (annotators) */
    int64_t *agrees;            /* (annotators) labels that are the suggested ones */
} annotation_list;

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_line(const clean_job *job, record_file *file, const row_finder *finder, annotation_list *l) {
    long long row;
    char place[512];
    snprintf(place, sizeof place, "%.400s, line %lld", file->path, file->line);
    const int code = clean_find_row(&job->data, finder, file, place, &row);
    if (code != EXIT_DONE) return code;
    if (finder->other >= file->fields || finder->label >= file->fields || file->field[finder->other][0] == '\0')
        return complain(EXIT_USAGE, "%s: the annotator or the label is missing", place);
    const char *label = file->field[finder->label];
    const int64_t i = clean_training_row(&job->data, row);
    const int32_t k = clean_class_number(&job->data, label);
    if (i < 0) return complain(EXIT_USAGE, "%s: row %lld is not one of the rows to check: they are counted from 0", place, row);
    if (k < 0)
        return complain(EXIT_USAGE, "%s: the label '%.60s' is none of the classes of %s: '%.60s', ...", place, label,
                        job->data.training->label_source, clean_class(&job->data, 0));
    l->name[l->count] = file->field[finder->other];
    l->a[l->count++] = (sustain_annotation){.row = i, .label = k};
    return EXIT_DONE;
}

static int by_row(const void *a, const void *b) {
    const sustain_annotation *p = a, *q = b;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    return p->annotator < q->annotator ? -1 : p->annotator > q->annotator;
}

/* Labels of one row by one annotator count as those of two, as Dawid and Skene have it; in a list
 * put together of several, they are often one label twice. Says how many there are. */
static int count_repeated(const annotation_list *l, const char *path) {
    sustain_annotation *sorted = malloc((size_t)l->count * sizeof *sorted);
    if (sorted == NULL) return out_of_memory();
    long long repeated = 0;
    memcpy(sorted, l->a, (size_t)l->count * sizeof *sorted);
    qsort(sorted, (size_t)l->count, sizeof *sorted, by_row);
    for (int64_t j = 1; j < l->count; j++) repeated += by_row(&sorted[j - 1], &sorted[j]) == 0;
    free(sorted);
    if (repeated > 0)
        note_warning("%s: %lld of its %lld labels are of a row that the annotator labelled before, and count again: if they were "
                     "not given independently, keep one of each.",
                     path, repeated, (long long)l->count);
    return EXIT_DONE;
}

/* Numbers the annotators: names sorted, equal ones are one. */
static int number_annotators(annotation_list *l) {
    char **sorted = malloc((size_t)l->count * sizeof *sorted);
    if (sorted == NULL) return out_of_memory();
    memcpy(sorted, l->name, (size_t)l->count * sizeof *sorted);
    qsort(sorted, (size_t)l->count, sizeof *sorted, by_name);
    for (int64_t j = 0; j < l->count; j++)
        if (j == 0 || strcmp(sorted[j], sorted[l->annotators - 1]) != 0) sorted[l->annotators++] = sorted[j];
    for (int64_t j = 0; j < l->count; j++) {
        char **at = bsearch(&l->name[j], sorted, (size_t)l->annotators, sizeof *sorted, by_name);
        l->a[j].annotator = (int32_t)(at - sorted);
    }
    memcpy(l->name, sorted, (size_t)l->annotators * sizeof *sorted);
    free(sorted);
    return EXIT_DONE;
}

static int read_annotations(const clean_job *job, record_file *file, annotation_list *l) {
    row_finder finder;
    int code = clean_row_finder(&job->data, job->given->label_column, file, "annotator", &finder);
    int64_t lines = 1;
    for (const char *c = file->at; c < file->end; c++) lines += *c == '\n';
    l->a = malloc((size_t)lines * sizeof *l->a);
    l->name = malloc((size_t)lines * sizeof *l->name);
    if (l->a == NULL || l->name == NULL) code = out_of_memory();
    while (code == EXIT_DONE && records_next(file)) code = read_line(job, file, &finder, l);
    free(finder.ids);
    if (code == EXIT_DONE && l->count == 0) return complain(EXIT_USAGE, "%s: it has no labels", file->path);
    return code == EXIT_DONE ? number_annotators(l) : code;
}

static int32_t likeliest(int64_t classes, const float *p) {
    int32_t best = 0;
    for (int32_t k = 1; k < classes; k++)
        if (p[k] > p[best]) best = k;
    return best;
}

static void write_rows(FILE *to, const void *user) {
    const annotation_list *l = user;
    const clean_job *job = l->job;
    const int64_t classes = job->data.training->classes, n = job->result.count;
    fputs("index,labels,majority,dawid_skene,probability,given_label,suggested_label\n", to);
    for (int64_t i = 0; i < n; i++) {
        const float *row = l->votes + i * classes, *p = l->posterior + i * classes;
        double count = 0;
        for (int64_t k = 0; k < classes; k++) count += (double)row[k];
        fprintf(to, "%lld,%.0f,", (long long)clean_row(&job->data, i), count);
        if (count > 0) csv_text(to, clean_class(&job->data, likeliest(classes, row)));
        fputc(',', to);
        if (count > 0) csv_text(to, clean_class(&job->data, likeliest(classes, p)));
        fprintf(to, ",%.6g,", (double)p[likeliest(classes, p)]);
        csv_text(to, clean_class(&job->data, job->data.training->rows.labels[i]));
        fputc(',', to);
        csv_text(to, clean_class(&job->data, job->result.suggested[i]));
        fputc('\n', to);
    }
}

static void write_annotators(FILE *to, const void *user) {
    const annotation_list *l = user;
    fputs("annotator,labels,accuracy_dawid_skene,accuracy_low,accuracy_high,agrees_with_suggested\n", to);
    for (int64_t a = 0; a < l->annotators; a++) {
        const sustain_annotator *q = &l->quality[a];
        csv_text(to, l->name[a]);
        fprintf(to, ",%lld,%.6g,%.6g,%.6g,%.6g\n", (long long)q->labels, q->accuracy, q->low, q->high,
                (double)l->agrees[a] / (double)q->labels);
    }
}

static int estimate(annotation_list *l) {
    const clean_job *job = l->job;
    const int64_t classes = job->data.training->classes, n = job->result.count;
    l->posterior = malloc((size_t)(n * classes) * sizeof *l->posterior);
    l->quality = malloc((size_t)l->annotators * sizeof *l->quality);
    l->votes = calloc((size_t)(n * classes), sizeof *l->votes);
    l->agrees = calloc((size_t)l->annotators, sizeof *l->agrees);
    if (l->posterior == NULL || l->quality == NULL || l->votes == NULL || l->agrees == NULL) return out_of_memory();
    for (int64_t j = 0; j < l->count; j++) {
        const sustain_annotation *a = &l->a[j];
        l->votes[a->row * classes + a->label]++;
        l->agrees[a->annotator] += a->label == job->result.suggested[a->row];
    }
    sustain_annotators_options options = sustain_annotators_defaults();
    options.rows = n, options.annotators = l->annotators, options.classes = classes;
    sustain_context *context = job->run.context;
    int code = refused(context, sustain_annotators_estimate(context, &options, l->a, l->count, l->posterior, l->quality));
    if (code == EXIT_DONE) code = write_file(job->given->run.out, "annotations.csv", write_rows, l);
    return code == EXIT_DONE ? write_file(job->given->run.out, "annotators.csv", write_annotators, l) : code;
}

/* Reads the file, and with `write` computes and writes. */
static int take_annotations(const clean_job *job, bool write) {
    annotation_list l = {.job = job};
    record_file file = {.path = NULL};
    if (job->given->annotations == NULL) return EXIT_DONE;
    int code = records_open(job->given->annotations, &file);
    if (code == EXIT_DONE) code = read_annotations(job, &file, &l);
    if (code == EXIT_DONE && !write) code = count_repeated(&l, file.path);
    if (code == EXIT_DONE && !write) warn_of_spellings("annotators", (const char *const *)l.name, l.annotators, file.path);
    if (code == EXIT_DONE && write) code = estimate(&l);
    free(l.a);
    free(l.name);
    free(l.posterior);
    free(l.quality);
    free(l.votes);
    free(l.agrees);
    records_close(&file);
    return code;
}

int clean_check_annotations(const clean_job *job) {
    return take_annotations(job, false);
}

int clean_write_annotations(const clean_job *job) {
    return take_annotations(job, true);
}

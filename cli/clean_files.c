/* clean_files.c - the results of `sustain clean` as files. docs/formats.md describes them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verb_clean.h"
#include "csv_write.h"
#include "page.h"
#include "progress.h"
#include "ranks.h"

/* ---- CSV ---- */

static void label_line(FILE *to, const clean_job *job, int64_t i) {
    const sustain_clean_result *r = &job->result;
    csv_whole(to, clean_row(&job->data, i));
    fputc(',', to);
    csv_id(to, job->data.training, i);
    csv_text(to, clean_class(&job->data, job->data.training->rows.labels[i]));
    fputc(',', to);
    csv_text(to, clean_class(&job->data, r->suggested[i]));
    fputc(',', to);
    if (r->weight != NULL) csv_number(to, (double)r->weight[i]);
    fputc(',', to);
    csv_number(to, (double)r->quality[i]);
    fputs(r->is_issue[i] ? ",1," : ",0,", to);
    csv_number(to, 1 - (double)r->quality[i]);
    fputc(',', to);
    if (clean_verified(job, i)) csv_text(to, clean_class(&job->data, r->verified[i]));
    fputc(',', to);
    if (job->data.groups != NULL) csv_text(to, job->data.groups->class_names[clean_group(&job->data, i)]);
    fputc('\n', to);
}

static void header(FILE *to, const clean_job *job, const char *columns) {
    fputs("index,", to);
    csv_id(to, job->data.training, -1);
    fputs(columns, to);
}

static const char label_columns[] = "given_label,suggested_label,weight,label_quality,is_issue,probability_wrong,verified,group\n";

/* Millions of lines take a while. */
static void show_line(const clean_job *job, const char *file, int64_t i) {
    enum { EVERY = 1 << 19 };
    if (i % EVERY == EVERY - 1) progress_show("writing %s: %.0f %%", file, 100 * (double)i / (double)job->result.count);
}

static void write_labels(FILE *to, const void *user) {
    const clean_job *job = user;
    header(to, job, label_columns);
    for (int64_t i = 0; i < job->result.count; i++) {
        label_line(to, job, i);
        show_line(job, "labels.csv", i);
    }
}

static void write_issues(FILE *to, const void *user) {
    const clean_job *job = user;
    header(to, job, label_columns);
    for (int64_t k = 0; k < job->result.count; k++) {
        if (job->result.is_issue[job->result.order[k]]) label_line(to, job, job->result.order[k]);
        show_line(job, "issues.csv", k);
    }
}

/* Row i of a set, which is row `row` of the file. */
static void index_line(FILE *to, const clean_job *job, int64_t row, const sustain_dataset *set, int64_t i, int32_t label,
                       const char *mark) {
    csv_whole(to, row);
    fputc(',', to);
    csv_id(to, set, i);
    csv_text(to, clean_class(&job->data, label));
    fputc(',', to);
    fputs(mark, to);
    fputc('\n', to);
}

/* The trusted rows of the same file, in their place among the others: those before row `end` of the
 * file, from row `from` of the whole set on. Returns the next one. */
static int64_t trusted_before(FILE *to, const clean_job *job, int64_t from, int64_t end) {
    const sustain_dataset *whole = job->data.whole;
    for (; from < whole->rows.count; from++) {
        const int64_t row = job->data.whole_index != NULL ? job->data.whole_index[from] : from;
        if (row >= end) break;
        if (whole->trusted[from]) index_line(to, job, row, whole, from, whole->rows.labels[from], "trusted");
    }
    return from;
}

/* A right label: that of a verified row, else the given one. */
static int32_t label_of(const clean_job *job, int64_t i) {
    return clean_verified(job, i) ? job->result.verified[i] : job->data.training->rows.labels[i];
}

/* Which rows to train on: those that are not flagged, verified ones with their right label, trusted
 * ones. */
static void write_cleaned(FILE *to, const void *user) {
    const clean_job *job = user;
    const bool marked = job->data.index != NULL && job->data.whole != NULL && job->data.whole->trusted != NULL;
    int64_t row = 0;
    header(to, job, "label,checked\n");
    for (int64_t i = 0; i < job->result.count; i++) {
        const bool verified = clean_verified(job, i);
        show_line(job, "cleaned.csv", i);
        if (marked) row = trusted_before(to, job, row, clean_row(&job->data, i));
        if (verified || !job->result.is_issue[i])
            index_line(to, job, clean_row(&job->data, i), job->data.training, i, label_of(job, i), verified ? "verified" : "");
    }
    if (marked) trusted_before(to, job, row, job->data.rows);
}

/* All rows, with the corrections that a person accepted. */
static void write_corrected(FILE *to, const void *user) {
    const clean_job *job = user;
    header(to, job, "label,corrected\n");
    for (int64_t i = 0; i < job->result.count; i++) {
        index_line(to, job, clean_row(&job->data, i), job->data.training, i, label_of(job, i),
                   label_of(job, i) != job->data.training->rows.labels[i] ? "1" : "0");
        show_line(job, "corrected.csv", i);
    }
}

/* ---- NPY ---- */

static int write_weights(const clean_job *job) {
    char path[LONGEST_PATH];
    run_path(job->given->run.out, "weights.npy", path);
    if (job->result.weight == NULL) {
        remove(path); /* of another run, which this one replaces */
        return EXIT_DONE;
    }
    const sustain_status status = sustain_npy_write(job->run.context, path, SUSTAIN_NPY_FLOAT, 1, &job->result.count, job->result.weight);
    return refused(job->run.context, status);
}

/* ---- the model ---- */

/* With a' = (a unit - mean) factor the scores are W a' + b = (W factor unit) a + (b - W factor
 * mean). W (count, dim) and, with `biased`, b (count) are `from`; y has b in any case. */
static void unscale(const clean_job *job, int64_t count, const sustain_real *from, bool biased, sustain_real *y) {
    const sustain_scaling *s = job->data.scaling;
    const int64_t dim = job->data.training->rows.dim;
    for (int64_t k = 0; k < count; k++) {
        double bias = biased ? (double)from[count * dim + k] : 0;
        for (int64_t j = 0; j < dim; j++) {
            const double weight = (double)from[k * dim + j] * (s->factor != NULL ? (double)s->factor[j] : 1);
            if (s->mean != NULL) bias -= weight * (double)s->mean[j];
            y[k * dim + j] = (sustain_real)(weight * (double)job->data.unit);
        }
        y[count * dim + k] = (sustain_real)bias;
    }
}

static int write_model(const clean_job *job) {
    const sustain_dataset *set = job->data.training;
    char path[LONGEST_PATH], about[LONGEST_PATH + 64];
    const char *slash = strrchr(set->source, '/');
    run_path(job->given->run.out, "model.safetensors", path);
    if (job->result.y == NULL) {
        remove(path); /* likewise */
        return EXIT_DONE;
    }
    const sustain_fourier *trained = job->result.model.fourier;
    sustain_fourier fourier = trained != NULL ? *trained : (sustain_fourier){0};
    const int64_t rows = set->classes + fourier.waves;
    sustain_real *y = malloc((size_t)(rows * (set->rows.dim + 1)) * sizeof *y);
    if (y == NULL) return out_of_memory();
    unscale(job, set->classes, job->result.y, job->result.model.intercept, y);
    sustain_real *waves = y + set->classes * (set->rows.dim + 1);
    if (trained != NULL) unscale(job, fourier.waves, trained->w, true, waves);
    fourier.w = waves;
    snprintf(about, sizeof about, "sustain clean %s: %lld rows of %s", sustain_version(), (long long)set->rows.count,
             slash != NULL ? slash + 1 : set->source);
    const sustain_model model = {.dim = set->rows.dim,
                                 .classes = set->classes,
                                 .y = y,
                                 .class_names = set->class_names,
                                 .column_names = set->column_names,
                                 .encoding = set->encoding,
                                 .about = about,
                                 .fourier = trained != NULL ? &fourier : NULL};
    const int code = refused(job->run.context, sustain_model_write(job->run.context, path, &model));
    free(y);
    return code;
}

/* ---- all of them ---- */

int clean_files(const clean_job *job) {
    const char *out = job->given->run.out;
    if (ranks_number() > 0) return EXIT_DONE; /* process 0 writes */
    sustain_context_phase(job->run.context, SUSTAIN_PHASE_WRITE);
    int code = clean_write_verified(job);
    if (code == EXIT_DONE) code = write_file(out, "labels.csv", write_labels, job);
    if (code == EXIT_DONE) code = write_file(out, "issues.csv", write_issues, job);
    if (code == EXIT_DONE) code = write_file(out, "cleaned.csv", write_cleaned, job);
    if (code == EXIT_DONE) code = write_file(out, "corrected.csv", write_corrected, job);
    if (code == EXIT_DONE) code = write_weights(job);
    if (code == EXIT_DONE) code = write_model(job);
    if (code == EXIT_DONE) code = clean_write_gallery(job);
    if (code == EXIT_DONE) code = clean_write_groups_file(job);
    if (code == EXIT_DONE) code = clean_write_annotations(job);
    if (code == EXIT_DONE) code = clean_review(job);
    progress_clear();
    if (code == EXIT_DONE) code = write_json(out, "result.json", clean_json(job));
    if (code == EXIT_DONE) code = page_write(job->run.context, out);
    return code;
}

/* clean_decisions.c - reviews: the decisions that people made on the page, what they verified, and
 * whom to ask about next. docs/formats.md describes the files. */
#include <stdlib.h>
#include <string.h>

#include "csv_write.h"
#include "record_file.h"
#include "verb_clean.h"

/* ---- decisions ---- */

enum { RUN, ROW, GIVEN, DECISION, LABEL, COLUMNS };

static bool is_decision(const char *word) {
    static const char *const words[] = {"accept", "keep", "class", "unsure"};
    for (int i = 0; i < COUNT_OF(words); i++)
        if (strcmp(word, words[i]) == 0) return true;
    return false;
}

static bool classes_are_numbers(const clean_data *data) {
    long long number;
    for (int64_t k = 0; k < data->training->classes; k++)
        if (whole_numbers(clean_class(data, k), '\0', 1, &number) != 1) return false;
    return true;
}

/* The name of a class that is given by its name, or by its number, as review.csv of older versions
 * has it; other text as it is. Where classes are numbers themselves, another one is a mistake. */
static char *class_name(const clean_data *data, char *text) {
    long long number = clean_class_number(data, text);
    if (number < 0 && (whole_numbers(text, '\0', 1, &number) != 1 || classes_are_numbers(data))) return text;
    return number >= 0 && number < data->training->classes ? (char *)(uintptr_t)clean_class(data, number) : text;
}

/* One line: what it says of itself is right? */
static int check_line(const clean_data *data, const char *place, const char *id, char *const *field, long long row) {
    const bool unsure = strcmp(field[DECISION], "unsure") == 0;
    if (strcmp(field[RUN], id) != 0)
        return complain(EXIT_USAGE,
                        "%s: these are decisions of another run (%.40s, not %s): give those that were exported from this run's page", place,
                        field[RUN], id);
    if (!is_decision(field[DECISION]))
        return complain(EXIT_USAGE, "%s: '%.40s' is no decision: accept, keep, class or unsure", place, field[DECISION]);
    if (unsure != (field[LABEL][0] == '\0'))
        return complain(EXIT_USAGE, "%s: %s", place,
                        unsure ? "an unsure row has no label: leave it empty" : "the label of the row is missing");
    const int64_t i = clean_training_row(data, row);
    if (i >= 0 && strcmp(clean_class(data, data->training->rows.labels[i]), field[GIVEN]) != 0)
        return complain(EXIT_USAGE, "%s: row %lld had the label '%.60s', now it has '%.60s': the data were changed since the review", place,
                        row, field[GIVEN], clean_class(data, data->training->rows.labels[i]));
    if (strcmp(field[DECISION], "keep") == 0 && strcmp(field[LABEL], field[GIVEN]) != 0 && clean_class_number(data, field[LABEL]) >= 0)
        return complain(EXIT_USAGE, "%s: 'keep' is of the given label '%.60s', but its label is '%.60s': write 'class', or the given label",
                        place, field[GIVEN], field[LABEL]);
    return EXIT_DONE;
}

static int take_decisions(clean_data *data, record_file *file, uint8_t *seen) {
    static const char *const names[COLUMNS] = {"?run", "?row", "?given", "?decision", "?label"};
    char id[CLEAN_REVIEW_ID], place[512], *field[COLUMNS];
    int column[COLUMNS], code = records_columns(file, names, COLUMNS, column);
    int64_t lines = 0;
    for (int i = 0; i < COLUMNS && code == EXIT_DONE; i++)
        if (column[i] < 0)
            return complain(EXIT_USAGE,
                            "%s: its first line has no column '%s': give decisions.csv as the page exports it; a list of your own, "
                            "row,label, goes with --verified",
                            file->path, names[i] + 1);
    clean_review_id(data, id);
    for (; code == EXIT_DONE && records_next(file); lines++) {
        long long row;
        snprintf(place, sizeof place, "%.400s, line %lld", file->path, file->line);
        if (file->fields < COLUMNS) return complain(EXIT_USAGE, "%s: it has %d fields, not %d", place, file->fields, COLUMNS);
        for (int i = 0; i < COLUMNS; i++) field[i] = file->field[column[i]];
        field[GIVEN] = class_name(data, field[GIVEN]);
        field[LABEL] = class_name(data, field[LABEL]);
        code = records_row_number(file, column[ROW], &row);
        if (code == EXIT_DONE) code = check_line(data, place, id, field, row);
        const int64_t i = clean_training_row(data, row);
        if (code == EXIT_DONE && i >= 0 && seen[i]++) code = complain(EXIT_USAGE, "%s: row %lld appears twice: keep one line", place, row);
        if (code != EXIT_DONE || field[LABEL][0] == '\0') continue;
        if (i >= 0 && data->verified[i] >= 0) data->verified[i] = -1, data->verified_count--; /* a later review decides */
        code = clean_verify(data, place, row, field[LABEL]);
    }
    if (code == EXIT_DONE && lines == 0) return complain(EXIT_USAGE, "%s: it has no decisions", file->path);
    return code;
}

/* Row `row` was drawn at random: the rows that are reviewed later are not. */
static int mark_drawn(clean_data *data, long long row) {
    const int64_t i = clean_training_row(data, row);
    if (data->drawn == NULL) data->drawn = calloc((size_t)data->training->rows.count, 1);
    if (data->drawn == NULL) return out_of_memory();
    if (i >= 0) data->drawn[i] = 1;
    return EXIT_DONE;
}

/* verified.csv of the run that is resumed. */
static int read_earlier(const clean_values *given, clean_data *data) {
    static const char *const names[] = {"row", "label", "?drawn"};
    char path[LONGEST_PATH];
    record_file file;
    if (!given->run.resume || !run_has(given->run.out, "verified.csv")) return EXIT_DONE;
    run_path(given->run.out, "verified.csv", path);
    int column[3], code = records_open(path, &file);
    if (code == EXIT_DONE) code = records_columns(&file, names, 3, column);
    while (code == EXIT_DONE && records_next(&file)) {
        long long row;
        code = records_row_number(&file, column[0], &row);
        if (code == EXIT_DONE && column[1] < file.fields) code = clean_verify(data, path, row, file.field[column[1]]);
        const bool marked = column[2] >= 0 && column[2] < file.fields && strcmp(file.field[column[2]], "1") == 0;
        if (code == EXIT_DONE && marked) code = mark_drawn(data, row);
    }
    records_close(&file);
    return code;
}

int clean_read_reviewed(const clean_values *given, clean_data *data) {
    if (!given->run.resume) return EXIT_DONE;
    record_file file;
    uint8_t *seen = calloc((size_t)data->training->rows.count, 1);
    int code = seen == NULL ? out_of_memory() : clean_verified_room(data);
    if (code == EXIT_DONE) code = read_earlier(given, data);
    if (code == EXIT_DONE && given->reviewed != NULL) {
        code = records_open(given->reviewed, &file);
        if (code == EXIT_DONE) code = take_decisions(data, &file, seen);
        records_close(&file);
    }
    free(seen);
    return code;
}

/* ---- what was verified ---- */

static void write_rows(FILE *to, const void *user) {
    const clean_job *job = user;
    const bool random = job->given->verified_are == SUSTAIN_VERIFIED_RANDOM;
    fputs("row,label,drawn\n", to);
    for (int64_t i = 0; i < job->result.count; i++) {
        if (!clean_verified(job, i)) continue;
        const bool drawn = job->data.drawn != NULL ? job->data.drawn[i] != 0 : random;
        fprintf(to, "%lld,", (long long)clean_row(&job->data, i));
        csv_text(to, clean_class(&job->data, job->result.verified[i]));
        fprintf(to, ",%d\n", drawn);
    }
}

/* Whether verified.csv of a run before has a label that is not verified now. */
static bool has_others(const clean_data *data, const char *path) {
    static const char *const names[] = {"row", "label"};
    record_file file;
    int column[2];
    bool others = false;
    const bool read = records_open(path, &file) == EXIT_DONE && records_columns(&file, names, 2, column) == EXIT_DONE;
    while (read && !others && records_next(&file)) {
        long long row;
        if (whole_numbers(file.field[column[0]], '\0', 1, &row) != 1 || column[1] >= file.fields) continue;
        const int64_t i = clean_training_row(data, row);
        others = data->verified == NULL || i < 0 || data->verified[i] != clean_class_number(data, file.field[column[1]]);
    }
    records_close(&file);
    return others;
}

/* A run that replaces another one keeps what people verified for that: it may be the work of
 * days. */
static void keep_verified(const clean_job *job, const char *path) {
    char kept[LONGEST_PATH];
    if (job->given->run.resume || !run_has(job->given->run.out, "verified.csv") || !has_others(&job->data, path)) return;
    run_path(job->given->run.out, "verified-previous.csv", kept);
    if (rename(path, kept) == 0)
        note_remark("%s has what was verified for the run that this one replaces: give it with --verified and --verified-are mixed", kept);
}

int clean_write_verified(const clean_job *job) {
    char path[LONGEST_PATH];
    run_path(job->given->run.out, "verified.csv", path);
    keep_verified(job, path);
    if (job->data.verified_count > 0) return write_file(job->given->run.out, "verified.csv", write_rows, job);
    remove(path); /* of another run, which this one replaces */
    return EXIT_DONE;
}

/* ---- whom to ask about next ---- */

#define RANDOM_SHARE 0.2 /* of the rows asked about: for the estimate */

static void write_next(FILE *to, const void *user) {
    const clean_job *job = user;
    fputs("row,", to);
    csv_id(to, job->data.training, -1);
    fputs("given_label,suggested_label,probability_wrong,why\n", to);
    for (int64_t k = 0; k < job->next_count; k++) {
        const int64_t i = job->next[k];
        fprintf(to, "%lld,", (long long)clean_row(&job->data, i));
        csv_id(to, job->data.training, i);
        csv_text(to, clean_class(&job->data, job->data.training->rows.labels[i]));
        fputc(',', to);
        csv_text(to, clean_class(&job->data, job->result.suggested[i]));
        fprintf(to, ",%.6g,%s\n", 1 - (double)job->result.quality[i], k < job->next_random ? "random" : "gain");
    }
}

/* While nothing is known all at random: they measure how many labels are wrong. Later a fifth at
 * random, among rows that were not verified; then those that are most likely wrong: a
 * check gains a corrected label with this probability. */
int clean_choose_next(clean_job *job) {
    enum { STREAM_NEXT = 79 };
    const int64_t n = job->result.count, left = n - job->data.verified_count, wanted = job->given->next < left ? job->given->next : left;
    char path[LONGEST_PATH];
    run_path(job->given->run.out, "next.csv", path);
    if (wanted == 0) {
        remove(path);
        return EXIT_DONE;
    }
    uint8_t *taken = calloc((size_t)n, 1);
    job->next = malloc((size_t)wanted * sizeof *job->next);
    if (taken == NULL || job->next == NULL) {
        free(taken);
        return out_of_memory();
    }
    const bool unknown = job->data.verified_count == 0 && job->data.trusted == NULL;
    const int64_t random = unknown ? wanted : (int64_t)(RANDOM_SHARE * (double)wanted + 0.5);
    for (int64_t k = 0; k < n; k++) taken[k] = clean_verified(job, k);
    for (int64_t k = 0; k < n && job->next_count < random; k++) {
        const int64_t i = sustain_random_permuted((uint64_t)job->given->run.seed, STREAM_NEXT, (uint64_t)job->data.verified_count, k, n);
        if (!taken[i]) job->next[job->next_count++] = i, taken[i] = 1;
    }
    job->next_random = job->next_count;
    for (int64_t k = 0; k < n && job->next_count < wanted; k++)
        if (!taken[job->result.order[k]]) job->next[job->next_count++] = job->result.order[k];
    free(taken);
    return write_file(job->given->run.out, "next.csv", write_next, job);
}

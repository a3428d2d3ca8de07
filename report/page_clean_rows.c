/* page_clean_rows.c - review.csv, counted; shown.csv, what the rows show beside their labels.
 * docs/formats.md describes both. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_csv.h"
#include "page_clean.h"

enum { MOST_COLUMNS = 64, MOST_TEXT = 4 << 20, LONGEST_FIELD = 2000, LONGEST_LINE = 4096 };

enum { ROW, GIVEN, SUGGESTED, QUALITY, IS_ISSUE, WEIGHT, PROBABILITY, VERIFIED, GROUP, NEXT, FIELDS };
enum { NEEDED = WEIGHT }; /* columns before this one must be there */

static const char *const titles[] = {"row",      "given", "suggested", "quality", "is_issue", "weight", "probability_wrong",
                                     "verified", "group", "next"};

/* A name, and its number. */
typedef struct name_number {
    const char *name;
    int64_t number;
} name_number;

/* How to read review.csv. */
typedef struct review_form {
    int place[FIELDS];             /* of the columns; -1: not there */
    bool named;                    /* classes and groups are names; older runs have their numbers in columns `given` and `suggested` */
    name_number *classes, *groups; /* sorted by name */
    size_t class_count, group_count;
    char *text; /* one line, with lines that continue it inside quotes */
    size_t room;
    bool failed; /* out of memory */
} review_form;

/* One line of review.csv: missing and empty fields are NAN. */
typedef struct review_line {
    double field[FIELDS];
    int64_t number; /* of the line, from 0 */
} review_line;

static bool make_room(run *r, clean_view *v) {
    const json_t *names = json_object_get(json_object_get(r->config, "data"), "classes");
    v->classes = (int64_t)json_array_size(names);
    const size_t n = (size_t)v->classes;
    if (n == 0) return run_refuse(r, "%s/config.json names no classes under data.classes", r->folder);
    v->names = calloc(n, sizeof *v->names);
    v->labels = calloc(n, sizeof *v->labels);
    v->flagged = calloc(n, sizeof *v->flagged);
    v->listed = json_object();
    if (v->names == NULL || v->labels == NULL || v->flagged == NULL || v->listed == NULL) return run_refuse(r, "out of memory");
    for (size_t k = 0; k < n; k++) {
        const char *name = json_string_value(json_array_get(names, k));
        v->names[k] = name != NULL ? name : "";
    }
    return true;
}

/* ---- pairs of classes ---- */

static int by_classes(const void *a, const void *b) {
    const clean_pair *x = a, *y = b;
    if (x->given != y->given) return x->given < y->given ? -1 : 1;
    return (x->suggested > y->suggested) - (x->suggested < y->suggested);
}

static int by_count(const void *a, const void *b) {
    const clean_pair *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return by_classes(a, b);
}

/* Several entries of a pair of classes become one. */
static void count_pairs(clean_view *v) {
    int64_t kept = 0;
    if (v->pair_count == 0) return;
    qsort(v->pairs, (size_t)v->pair_count, sizeof *v->pairs, by_classes);
    for (int64_t i = 0; i < v->pair_count; i++)
        if (kept > 0 && by_classes(&v->pairs[kept - 1], &v->pairs[i]) == 0)
            v->pairs[kept - 1].count += v->pairs[i].count;
        else
            v->pairs[kept++] = v->pairs[i];
    v->pair_count = kept;
}

/* Room for one more pair and one more level. */
typedef struct capacity {
    int64_t pairs, levels;
} capacity;

static bool grow(clean_view *v, capacity *have) {
    enum { FIRST = 4096 };
    const bool full = v->pair_count == have->pairs;
    if (full) count_pairs(v);
    if (full && 2 * v->pair_count >= have->pairs) { /* not all of them were the same */
        const int64_t more = have->pairs > 0 ? 2 * have->pairs : FIRST;
        clean_pair *pairs = realloc(v->pairs, (size_t)more * sizeof *pairs);
        if (pairs == NULL) return false;
        v->pairs = pairs, have->pairs = more;
    }
    if (v->level_count < have->levels) return true;
    const int64_t more = have->levels > 0 ? have->levels + have->levels / 2 : FIRST;
    clean_level *levels = realloc(v->levels, (size_t)more * sizeof *levels);
    if (levels != NULL) v->levels = levels, have->levels = more;
    return levels != NULL;
}

/* Lines are sorted: rows of one probability follow each other. Beyond MANY levels those that are
 * nearly the same are one, with their mean, so that millions of rows take no more memory. */
static void add_level(clean_view *v, double probability, bool listed) {
    enum { MANY = 1 << 16 };
    const double near = v->level_count > MANY ? 1e-3 : 0;
    if (v->level_count > 0) {
        clean_level *last = &v->levels[v->level_count - 1];
        if (last->listed == listed && fabs(last->probability - probability) <= near * last->probability) {
            last->probability += (probability - last->probability) / (double)++last->count;
            return;
        }
    }
    v->levels[v->level_count++] = (clean_level){probability, 1, listed};
}

/* ---- lines ---- */

static bool is_class(const clean_view *v, double number) {
    return number >= 0 && number < (double)v->classes && number == floor(number);
}

static bool is_share(double number) {
    return number >= 0 && number <= 1;
}

static bool is_known(const review_line *line, int field) {
    return line->field[field] >= 0; /* empty and -1: unknown */
}

static bool good_line(const clean_view *v, const review_line *line) {
    const double *f = line->field;
    return f[ROW] >= 0 && is_class(v, f[GIVEN]) && is_class(v, f[SUGGESTED]) && is_share(f[QUALITY]) && is_share(f[IS_ISSUE]) &&
           (!v->weighted || is_share(f[WEIGHT])) && (!v->calibrated || is_share(f[PROBABILITY])) &&
           (!is_known(line, VERIFIED) || is_class(v, f[VERIFIED]));
}

/* Whether the script gets the row. */
static bool is_wanted(const clean_view *v, const review_line *line, int64_t beyond) {
    if (line->field[IS_ISSUE] > 0) return v->issues <= MOST_ISSUES;
    if (line->field[NEXT] > 0) return true;
    if (is_known(line, VERIFIED)) return v->verified <= MOST_ISSUES;
    return v->calibrated && beyond < MOST_BEYOND && line->field[PROBABILITY] >= 0.02;
}

static void list_line(clean_view *v, const review_line *line) {
    for (int i = 0; i < FIELDS; i++) {
        json_t *values = json_object_get(v->listed, titles[i]);
        if (values != NULL) json_array_append_new(values, spec_number(line->field[i]));
    }
    json_array_append_new(json_object_get(v->listed, "picture"), json_integer((json_int_t)line->number));
}

static void count_line(clean_view *v, const review_line *line, int64_t *beyond) {
    const double *f = line->field;
    const bool issue = f[IS_ISSUE] > 0, verified = is_known(line, VERIFIED);
    const int64_t given = (int64_t)f[GIVEN];
    v->rows++;
    v->labels[given]++;
    v->issues += issue;
    v->verified += verified;
    v->verified_wrong += verified && f[VERIFIED] != f[GIVEN];
    if (v->weighted) {
        const int bin = (int)(f[WEIGHT] * WEIGHT_BINS);
        v->bins[issue][bin < WEIGHT_BINS ? bin : WEIGHT_BINS - 1]++;
    }
    if (issue) {
        v->flagged[given]++;
        v->pairs[v->pair_count++] = (clean_pair){given, (int64_t)f[SUGGESTED], 1};
    }
    const bool wanted = is_wanted(v, line, *beyond);
    if (wanted) list_line(v, line);
    *beyond += wanted && !issue;
    if (v->calibrated && !verified) add_level(v, f[PROBABILITY], wanted);
}

/* ---- the file ---- */

static int by_name(const void *a, const void *b) {
    return strcmp(((const name_number *)a)->name, ((const name_number *)b)->name);
}

/* The names in an array of texts, or of objects with a member `name`; false: out of memory. */
static bool sort_names(const json_t *array, name_number **out, size_t *count) {
    const json_t *entry;
    size_t i;
    *count = json_array_size(array);
    *out = calloc(*count + 1, sizeof **out);
    if (*out == NULL) return false;
    json_array_foreach(array, i, entry) {
        const char *name = json_string_value(json_is_object(entry) ? json_object_get(entry, "name") : entry);
        (*out)[i] = (name_number){name != NULL ? name : "", (int64_t)i};
    }
    qsort(*out, *count, sizeof **out, by_name);
    return true;
}

static double number_of(const name_number *list, size_t count, const char *name, double unknown) {
    const name_number *found = bsearch(&(name_number){.name = name}, list, count, sizeof *list, by_name);
    return found != NULL ? (double)found->number : unknown;
}

/* Where the columns are, from the first line. */
static bool find_columns(csv *file, review_form *form) {
    char *field[MOST_COLUMNS], title[32];
    const int count = csv_line(file, field, MOST_COLUMNS);
    bool good = count <= MOST_COLUMNS;
    for (int k = 0; good && k < count; k++) form->named = form->named || strcmp(field[k], "given_label") == 0;
    for (int i = 0; i < FIELDS; i++) {
        snprintf(title, sizeof title, "%s%s", titles[i], form->named && (i == GIVEN || i == SUGGESTED) ? "_label" : "");
        form->place[i] = -1;
        for (int k = 0; good && k < count; k++)
            if (strcmp(field[k], title) == 0) form->place[i] = k;
        good = good && (form->place[i] >= 0 || i >= NEEDED);
    }
    return good;
}

static double field_value(const review_form *form, int field, const char *text) {
    if (*text == '\0') return form->named && (field == VERIFIED || field == GROUP) ? -1 : NAN;
    if (form->named && (field == GIVEN || field == SUGGESTED || field == VERIFIED))
        return number_of(form->classes, form->class_count, text, INFINITY); /* good_line() refuses it */
    if (form->named && field == GROUP) return number_of(form->groups, form->group_count, text, -1);
    return strtod(text, NULL);
}

static bool parse_line(csv *file, const review_form *form, review_line *line) {
    char *field[MOST_COLUMNS];
    const int count = csv_line(file, field, MOST_COLUMNS);
    for (int i = 0; i < FIELDS; i++)
        line->field[i] = field_value(form, i, form->place[i] >= 0 && form->place[i] < count ? field[form->place[i]] : "");
    return count > 0;
}

/* There may be millions of lines: one is in memory at a time. */
static bool next_line(FILE *from, review_form *form, csv *line) {
    bool quoted = false, more = true;
    size_t length = 0;
    while (more) {
        if (form->room - length < LONGEST_LINE) {
            char *grown = realloc(form->text, form->room += LONGEST_LINE + form->room / 2);
            form->failed = grown == NULL;
            if (form->failed) return false;
            form->text = grown;
        }
        if (fgets(form->text + length, LONGEST_LINE, from) == NULL || form->text[length] == '\0') break;
        for (; form->text[length] != '\0'; length++) quoted = quoted != (form->text[length] == '"');
        more = quoted || form->text[length - 1] != '\n';
    }
    line->text = line->at = form->text;
    return length > 0;
}

static bool count_file(run *r, clean_view *v, FILE *from, csv *file, review_form *form) {
    int64_t beyond = 0;
    capacity have = {0, 0};
    bool good = true;
    v->weighted = form->place[WEIGHT] >= 0;
    v->grouped = form->place[GROUP] >= 0;
    v->calibrated = form->place[PROBABILITY] >= 0;
    for (int i = 0; i < FIELDS; i++)
        if (form->place[i] >= 0) json_object_set_new(v->listed, titles[i], json_array());
    json_object_set_new(v->listed, "picture", json_array());
    for (review_line line = {.number = 0}; good && next_line(from, form, file) && parse_line(file, form, &line); line.number++) {
        if (!grow(v, &have)) return run_refuse(r, "out of memory");
        good = good_line(v, &line);
        if (good) count_line(v, &line, &beyond);
    }
    if (form->failed) return run_refuse(r, "out of memory");
    count_pairs(v);
    if (v->pair_count > 0) qsort(v->pairs, (size_t)v->pair_count, sizeof *v->pairs, by_count);
    return good;
}

static bool count_rows(run *r, clean_view *v) {
    char path[4096];
    review_form form = {.text = NULL};
    csv file = {.line = 0};
    run_path_of(r, "review.csv", path);
    FILE *from = fopen(path, "r");
    if (from == NULL && errno == ENOENT)
        return run_refuse(r, "%s is missing, the rows that the page shows: an older version made this run; make it again", path);
    if (from == NULL) return run_refuse(r, "cannot read %s: %s", path, strerror(errno));
    const json_t *classes = json_object_get(json_object_get(r->config, "data"), "classes"), *groups = json_object_get(r->result, "groups");
    bool good = sort_names(classes, &form.classes, &form.class_count) && sort_names(groups, &form.groups, &form.group_count);
    if (!good) run_refuse(r, "out of memory");
    good = good && next_line(from, &form, &file) && find_columns(&file, &form) && count_file(r, v, from, &file, &form);
    if (!good && r->error[0] == '\0') run_refuse(r, "%s, line %ld: not as 'sustain clean' writes it; make the run again", path, file.line);
    fclose(from);
    free(form.classes);
    free(form.groups);
    free(form.text);
    return good;
}

/* ---- what rows show ---- */

/* A text for the script, cut where it is too long; bytes that are not UTF-8 become question
 * marks. */
static json_t *shown_text(char *text) {
    size_t length = strlen(text);
    if (length > LONGEST_FIELD) {
        length = LONGEST_FIELD;
        /* not inside a character */
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
        text[length] = '\0';
    }
    json_t *value = json_string(text);
    if (value != NULL) return value;
    for (char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    return json_string(text);
}

static json_t *fields_json(char **field, int count, size_t *room) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(field[i]);
        *room -= length < *room ? length : *room;
        json_array_append_new(list, shown_text(field[i]));
    }
    return list;
}

/* shown.csv to r->data: {columns: [names], rows: {row: [texts]}}. */
static bool read_shown(run *r) {
    char path[4096], *field[MOST_COLUMNS];
    size_t room = MOST_TEXT;
    int count;
    run_path_of(r, "shown.csv", path);
    csv file = csv_open(path);
    if (file.text == NULL) return errno == ENOENT || run_refuse(r, "cannot read %s: %s", path, strerror(errno));
    const int columns = csv_line(&file, field, MOST_COLUMNS);
    bool good = columns >= 2 && columns <= MOST_COLUMNS && strcmp(field[0], "row") == 0;
    json_t *names = good ? fields_json(field + 1, columns - 1, &room) : json_array(), *rows = json_object();
    while (good && room > 0 && (count = csv_line(&file, field, MOST_COLUMNS)) > 0) {
        good = count == columns;
        if (good) json_object_set_new(rows, field[0], fields_json(field + 1, count - 1, &room));
    }
    if (!good) run_refuse(r, "%s, line %ld: not as 'sustain clean' writes it; make the run again", path, file.line);
    json_object_set_new(r->data, "shown", json_pack("{s:o, s:o}", "columns", names, "rows", rows));
    csv_close(&file);
    return good;
}

/* ---- all of it ---- */

bool clean_view_read(run *r) {
    clean_view *v = calloc(1, sizeof *v);
    if (v == NULL) return run_refuse(r, "out of memory");
    r->own = v;
    if (!make_room(r, v) || !count_rows(r, v) || !read_shown(r)) return false;
    json_t *pictures = run_pictures(r, "gallery.npy");
    if (pictures != NULL) json_object_set_new(r->data, "pictures", pictures);
    return r->error[0] == '\0';
}

void clean_view_free(void *own) {
    clean_view *v = own;
    if (v == NULL) return;
    free(v->names);
    free(v->labels);
    free(v->flagged);
    free(v->pairs);
    free(v->levels);
    json_decref(v->listed);
    free(v);
}

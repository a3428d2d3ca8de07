/* page_clean_tables.c - classes, pairs of classes and groups of the rows that look wrong, as
 * tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page_clean.h"

enum { MATRIX = 20, PAIRS = 20, CLASSES = 40, GROUPS = 200 };

/* ---- classes ---- */

/* A class and how many of its labels look wrong. */
typedef struct class_count {
    int64_t class, flagged;
} class_count;

static int by_flagged(const void *a, const void *b) {
    const class_count *x = a, *y = b;
    if (x->flagged != y->flagged) return x->flagged > y->flagged ? -1 : 1;
    return (x->class > y->class) - (x->class < y->class);
}

/* The suggestion that comes most often for a class, or a dash. Pairs are sorted by count. */
static const char *most_suggested(const clean_view *v, int64_t given) {
    for (int64_t i = 0; i < v->pair_count; i++)
        if (v->pairs[i].given == given) return v->names[v->pairs[i].suggested];
    return "–";
}

void clean_write_classes(FILE *to, const clean_view *v) {
    static const char *const titles[] = {"<given label", "look wrong", "of", "<share", "<most often suggested"};
    class_count *order = malloc((size_t)v->classes * sizeof *order);
    if (order == NULL) return;
    for (int64_t k = 0; k < v->classes; k++) order[k] = (class_count){k, v->flagged[k]};
    qsort(order, (size_t)v->classes, sizeof *order, by_flagged);
    fputs("<section><h2>Classes</h2>\n", to);
    html_table(to, NULL, titles, 5);
    for (int64_t i = 0; i < v->classes && i < CLASSES; i++) {
        const int64_t k = order[i].class;
        const double share = v->labels[k] > 0 ? (double)v->flagged[k] / (double)v->labels[k] : 0;
        html_row(to);
        html_cell(to, v->names[k]);
        html_number(to, "%.0f", (double)v->flagged[k]);
        html_number(to, "%.0f", (double)v->labels[k]);
        html_bar(to, share);
        html_cell(to, most_suggested(v, k));
    }
    html_table_end(to);
    if (v->classes > CLASSES)
        html_element(to, "p class=\"note\"", "The %d classes with the most, of %lld.", CLASSES, (long long)v->classes);
    fputs("</section>\n", to);
    free(order);
}

/* ---- pairs of classes ---- */

/* A cell that leads to its rows in the review. */
static void write_pair_count(FILE *to, const clean_pair *pair, int64_t largest) {
    fprintf(to, "<td style=\"--share: %.2f\" data-given=\"%lld\" data-suggested=\"%lld\">%lld</td>",
            sqrt((double)pair->count / (double)largest), (long long)pair->given, (long long)pair->suggested, (long long)pair->count);
}

static void write_name(FILE *to, const char *scope, const char *name) {
    fprintf(to, "<th scope=\"%s\" title=\"", scope);
    html_text(to, name);
    fputs("\"><span>", to);
    html_text(to, name);
    fputs("</span></th>", to);
}

static void write_matrix(FILE *to, const clean_view *v) {
    const clean_pair *cell[MATRIX * MATRIX] = {NULL};
    size_t longest = 0;
    for (int64_t k = 0; k < v->classes; k++) longest = strlen(v->names[k]) > longest ? strlen(v->names[k]) : longest;
    for (int64_t i = 0; i < v->pair_count; i++) cell[v->pairs[i].given * MATRIX + v->pairs[i].suggested] = &v->pairs[i];
    fprintf(to,
            "<p class=\"note\">Rows: the given label. Columns: the suggestion. Choose a number to review these labels.</p>\n"
            "<div class=\"scroll\" role=\"region\" aria-label=\"given against suggested\" tabindex=\"0\"><table class=\"matrix%s\">\n"
            "<thead><tr><td></td>",
            longest > 4 ? " upright" : "");
    for (int64_t k = 0; k < v->classes; k++) write_name(to, "col", v->names[k]);
    fputs("</tr></thead><tbody>", to);
    for (int64_t given = 0; given < v->classes; given++) {
        html_row(to);
        write_name(to, "row", v->names[given]);
        for (int64_t k = 0; k < v->classes; k++)
            if (cell[given * MATRIX + k] != NULL)
                write_pair_count(to, cell[given * MATRIX + k], v->pairs[0].count);
            else
                fputs("<td></td>", to);
    }
    fputs("</tbody></table></div>\n", to);
}

/* Too many classes for a matrix: the most frequent pairs. */
static void write_pairs(FILE *to, const clean_view *v) {
    static const char *const titles[] = {"<given label", "<suggested label", "labels"};
    html_element(to, "p class=\"note\"", "The most frequent pairs. Choose a number to review these labels.");
    html_table(to, NULL, titles, 3);
    for (int64_t i = 0; i < v->pair_count && i < PAIRS; i++) {
        html_row(to);
        html_cell(to, v->names[v->pairs[i].given]);
        html_cell(to, v->names[v->pairs[i].suggested]);
        write_pair_count(to, &v->pairs[i], v->pairs[0].count);
    }
    html_table_end(to);
}

void clean_write_pairs(FILE *to, const clean_view *v) {
    if (v->pair_count == 0) return;
    fputs("<section><h2>Given against suggested</h2>\n", to);
    (v->classes <= MATRIX ? write_matrix : write_pairs)(to, v);
    fputs("</section>\n", to);
}

/* ---- groups ---- */

/* A group, and what it is ranked by: lowest weight first, then the highest rate of errors. */
typedef struct group_rank {
    size_t number;
    double weight, rate;
} group_rank;

static int by_weight(const void *a, const void *b) {
    const group_rank *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    if (x->rate != y->rate) return x->rate > y->rate ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static double or_else(double value, double other) {
    return isnan(value) ? other : value;
}

/* A number with its interval. */
static void write_interval(FILE *to, const json_t *group, const char *key, double unit, const char *format) {
    char low[64], high[64];
    snprintf(low, sizeof low, "%s_low", key);
    snprintf(high, sizeof high, "%s_high", key);
    const double value = unit * run_number(group, key), from = unit * run_number(group, low), until = unit * run_number(group, high);
    if (isnan(value) || isnan(from) || isnan(until)) {
        html_number(to, format, value);
        return;
    }
    fputs("<td>", to);
    fprintf(to, format, value); /* NOLINT: the formats are constants */
    fputs(" <small>", to);
    fprintf(to, format, from); /* NOLINT */
    fputs("–", to);
    fprintf(to, format, until); /* NOLINT */
    fputs("</small></td>", to);
}

void clean_write_groups(FILE *to, const run *r) {
    static const char *const titles[] = {"<group", "rows", "weight (95 % interval)", "wrong labels, % (95 % interval)"};
    const json_t *groups = json_object_get(r->result, "groups");
    const size_t count = json_array_size(groups);
    group_rank *rank = count > 0 ? malloc(count * sizeof *rank) : NULL;
    if (rank == NULL) return;
    for (size_t i = 0; i < count; i++) {
        const json_t *group = json_array_get(groups, i);
        rank[i] = (group_rank){i, or_else(run_number(group, "weight"), 2), or_else(run_number(group, "error_rate"), -1)};
    }
    qsort(rank, count, sizeof *rank, by_weight);
    fputs("<section><h2>Groups</h2>\n", to);
    html_element(to, "p class=\"note\"", "Lowest weight first: labels of these groups help least. Choose a name to review its rows.");
    html_table(to, NULL, titles, 4);
    for (size_t i = 0; i < count && i < GROUPS; i++) {
        const json_t *group = json_array_get(groups, rank[i].number);
        html_row(to);
        fprintf(to, "<td class=\"text\" data-group=\"%zu\">", rank[i].number);
        html_text(to, run_text(group, "name"));
        fputs("</td>", to);
        html_number(to, "%.0f", run_number(group, "rows"));
        write_interval(to, group, "weight", 1, "%.3f");
        write_interval(to, group, "error_rate", 100, "%.1f");
    }
    html_table_end(to);
    if (count > GROUPS) html_element(to, "p class=\"note\"", "The first %d of %zu groups.", GROUPS, count);
    fputs("</section>\n", to);
    free(rank);
}

/* page_clean.c - the page of `sustain clean`: which labels look wrong. */
#include "page_clean.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 20, MATRIX = 20, PAIRS = 20, CLASSES = 40 };

/* ---- headline, figures, charts ---- */

static void fill_headline(run *r) {
    char issues[32], rows[32];
    const clean_view *v = r->own;
    if (v == NULL) {
        snprintf(r->headline, sizeof r->headline, "Not done yet");
        return;
    }
    snprintf(r->headline, sizeof r->headline, "%s of %s labels look wrong", html_grouped((double)v->issues, issues),
             html_grouped((double)v->rows, rows));
}

static void percent(run *r, const char *what, const char *key) {
    const double value = run_number(r->result, key);
    if (!isnan(value)) run_figure(r, what, "%.1f %%", 100 * value);
}

static void fill_figures(run *r) {
    const clean_view *v = r->own;
    char text[32];
    if (v == NULL) return;
    run_figure(r, "of the labels look wrong", "%.1f %%", 100 * (double)v->issues / (double)v->rows);
    percent(r, "of those flagged are wrong", "issue_precision");
    percent(r, "of the wrong ones are flagged", "issue_recall");
    if (!isnan(run_number(r->result, "label_error_auc"))) run_figure(r, "AUC", "%.4f", run_number(r->result, "label_error_auc"));
    percent(r, "test accuracy after cleaning", "test_accuracy");
    percent(r, "test accuracy with all labels", "baselines.all_labels.test_accuracy");
    percent(r, "of the trusted labels predicted", "trusted_accuracy");
    run_figure(r, "run time", "%s", run_duration(run_number(r->result, "total_seconds"), text));
}

static void fill_curves(run *r) {
    json_t *spec = spec_new("curves", "The way there",
                            "Loss and accuracy of the solver's own classifier on the trusted rows; the final one is better.", 2);
    run_metrics_axes(r, spec);
    spec_axis(spec, "y", "upper_loss", "loss on the trusted rows", true);
    spec_axis(spec, "y", "trusted_accuracy", "accuracy on the trusted rows", false);
    spec_curve(spec, *run_text(r->result, "solver") != '\0' ? run_text(r->result, "solver") : "so far", "line", json_incref(r->metrics));
    json_array_append_new(r->charts, spec);
}

static void fill_weights(run *r) {
    static const char *const labels[] = {"kept", "look wrong"};
    const clean_view *v = r->own;
    json_t *spec =
        spec_bars("weights", "The learned weights", "How many labels have which weight: near 0 where training is better without the label.",
                  0, 1, "weight", "labels");
    for (int k = 0; k < 2; k++) {
        json_t *counts = json_array();
        for (int i = 0; i < WEIGHT_BINS; i++) json_array_append_new(counts, json_integer(v->bins[k][i]));
        spec_series(spec, labels[k], counts);
    }
    json_array_append_new(r->charts, spec);
}

static void fill(run *r) {
    fill_headline(r);
    fill_figures(r);
    if (r->metrics != NULL) fill_curves(r);
    const clean_view *v = r->own;
    if (v == NULL) return;
    fill_weights(r);
    json_t *names = json_array();
    for (int64_t k = 0; k < v->classes; k++) json_array_append_new(names, json_string(v->names[k]));
    json_object_set_new(r->data, "classes", names);
    json_object_set(r->data, "issues", v->listed);
}

/* ---- which classes ---- */

static int64_t *by_count(const int64_t *count, int64_t n) {
    int64_t *order = malloc((size_t)n * sizeof *order);
    for (int64_t i = 0; order != NULL && i < n; i++) {
        int64_t at = i;
        for (; at > 0 && count[order[at - 1]] < count[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    return order;
}

/* The suggestion that comes most often for a class; -1: none. */
static int64_t most_suggested(const clean_view *v, int64_t given) {
    int64_t best = -1;
    for (int64_t k = 0; k < v->classes; k++)
        if (v->confused[given * v->classes + k] > (best < 0 ? 0 : v->confused[given * v->classes + best])) best = k;
    return best;
}

static void write_classes(FILE *to, const clean_view *v) {
    static const char *const titles[] = {"<given label", "look wrong", "of", "<share", "<most often suggested"};
    int64_t *order = by_count(v->flagged, v->classes);
    if (order == NULL) return;
    fputs("<section><h2>In which classes</h2>\n", to);
    html_table(to, NULL, titles, 5);
    for (int64_t i = 0; i < v->classes && i < CLASSES; i++) {
        const int64_t k = order[i], best = most_suggested(v, k);
        const double share = v->labels[k] > 0 ? 100 * (double)v->flagged[k] / (double)v->labels[k] : 0;
        html_row(to);
        html_cell(to, v->names[k]);
        html_number(to, "%.0f", (double)v->flagged[k]);
        html_number(to, "%.0f", (double)v->labels[k]);
        fprintf(to, "<td class=\"bar\"><i style=\"--share: %.3f\"></i><b>%.1f %%</b></td>", share / 100, share);
        html_cell(to, best >= 0 ? v->names[best] : "–");
    }
    html_table_end(to);
    if (v->classes > CLASSES)
        html_element(to, "p class=\"note\"", "The %d classes with the most, of %lld.", CLASSES, (long long)v->classes);
    fputs("</section>\n", to);
    free(order);
}

/* A cell that leads to its labels in the gallery. */
static void write_pair_count(FILE *to, const clean_view *v, int64_t pair, int64_t largest) {
    fprintf(to, "<td style=\"--share: %.2f\" data-given=\"%lld\" data-suggested=\"%lld\">%lld</td>",
            sqrt((double)v->confused[pair] / (double)largest), (long long)(pair / v->classes), (long long)(pair % v->classes),
            (long long)v->confused[pair]);
}

static void write_name(FILE *to, const char *scope, const char *name) {
    fprintf(to, "<th scope=\"%s\" title=\"", scope);
    html_text(to, name);
    fputs("\"><span>", to);
    html_text(to, name);
    fputs("</span></th>", to);
}

static void write_matrix(FILE *to, const clean_view *v, int64_t largest) {
    size_t longest = 0;
    for (int64_t k = 0; k < v->classes; k++) longest = strlen(v->names[k]) > longest ? strlen(v->names[k]) : longest;
    fprintf(to,
            "<p class=\"note\">Rows: the given label. Columns: the suggestion. Choose a number to see these labels in the gallery.</p>\n"
            "<div class=\"scroll\" role=\"region\" aria-label=\"given against suggested\" tabindex=\"0\"><table class=\"matrix%s\">\n"
            "<thead><tr><td></td>",
            longest > 4 ? " upright" : "");
    for (int64_t k = 0; k < v->classes; k++) write_name(to, "col", v->names[k]);
    fputs("</tr></thead><tbody>", to);
    for (int64_t given = 0; given < v->classes; given++) {
        html_row(to);
        write_name(to, "row", v->names[given]);
        for (int64_t k = 0; k < v->classes; k++)
            if (v->confused[given * v->classes + k] > 0)
                write_pair_count(to, v, given * v->classes + k, largest);
            else
                fputs("<td></td>", to);
    }
    fputs("</tbody></table></div>\n", to);
}

/* Too many classes for a matrix: the pairs that come most often. */
static void write_pairs(FILE *to, const clean_view *v, int64_t largest) {
    static const char *const titles[] = {"<given label", "<suggested label", "labels"};
    int64_t best[PAIRS + 1];
    int count = 0;
    for (int64_t pair = 0; pair < v->classes * v->classes; pair++) {
        int at = count;
        if (v->confused[pair] == 0) continue;
        for (; at > 0 && v->confused[best[at - 1]] < v->confused[pair]; at--) best[at] = best[at - 1];
        best[at] = pair;
        count += count < PAIRS;
    }
    html_element(to, "p class=\"note\"", "The pairs that come most often. Choose a number to see these labels in the gallery.");
    html_table(to, NULL, titles, 3);
    for (int i = 0; i < count; i++) {
        html_row(to);
        html_cell(to, v->names[best[i] / v->classes]);
        html_cell(to, v->names[best[i] % v->classes]);
        write_pair_count(to, v, best[i], largest);
    }
    html_table_end(to);
}

static void write_confusion(FILE *to, const clean_view *v) {
    int64_t largest = 1;
    if (v->issues == 0) return;
    for (int64_t i = 0; i < v->classes * v->classes; i++) largest = v->confused[i] > largest ? v->confused[i] : largest;
    fputs("<section><h2>Given against suggested</h2>\n", to);
    (v->classes <= MATRIX ? write_matrix : write_pairs)(to, v, largest);
    fputs("</section>\n", to);
}

/* ---- the gallery: the script draws it; without script, a table ---- */

static double listed(const clean_view *v, const char *key, int64_t i) {
    return json_number_value(json_array_get(json_object_get(v->listed, key), (size_t)i));
}

static void write_gallery(FILE *to, const clean_view *v) {
    static const char *const titles[] = {"row", "<given", "<suggested", "quality", "weight"};
    char text[32];
    if (v->issues == 0) return;
    fputs("<section class=\"gallery\" data-gallery><h2>The most suspicious</h2>\n<noscript>\n", to);
    html_table(to, NULL, titles, 5);
    for (int64_t i = 0; i < v->issues && i < WORST; i++) {
        html_row(to);
        html_number(to, "%.0f", listed(v, "index", i));
        html_cell(to, v->names[(int64_t)listed(v, "given", i)]);
        html_cell(to, v->names[(int64_t)listed(v, "suggested", i)]);
        html_number(to, "%.3g", listed(v, "quality", i));
        html_number(to, "%.3f", listed(v, "weight", i));
    }
    html_table_end(to);
    fputs("</noscript>\n", to);
    if (v->issues > MOST_ISSUES)
        html_element(to, "p class=\"note\"", "The worst %d of %s are here; issues.csv in the folder of the run has all.", MOST_ISSUES,
                     html_grouped((double)v->issues, text));
    fputs("</section>\n", to);
}

/* ---- the rest ---- */

static void write_company(FILE *to, const run *r) {
    static const column columns[] = {{"<", "name", NULL},
                                     {"AUC", "auc", "%.4f"},
                                     {"precision at the number of errors", "precision_at_errors", "%.4f"},
                                     {"test accuracy", "test_accuracy", "%.4f"},
                                     {"trusted accuracy", "trusted_accuracy", "%.4f"},
                                     {"seconds", "seconds", "%.1f"},
                                     {"<what it is", "what", NULL}};
    fputs("<section><h2>Beside the cheap ways to do it</h2>\n", to);
    run_write_rows(to, NULL, json_object_get(r->result, "company"), columns, 7);
    if (isnan(run_number(r->result, "errors")))
        html_element(to, "p class=\"note\"", "The true labels are not known, so there is no AUC and no precision.");
    fputs("</section>\n", to);
}

static void write_setting(FILE *to, const run *r) {
    char rows[32], trusted[32], iterations[32], seconds[32];
    const char *scaling = run_text(r->config, "data.standardization"), *source = run_text(r->config, "data.source");
    const char *slash = strrchr(source, '/');
    html_element(to, "p class=\"lead\"", "%s: %s rows to look at, %s trusted ones.", slash != NULL ? slash + 1 : source,
                 html_grouped(run_number(r->config, "data.training"), rows), html_grouped(run_number(r->config, "data.trusted"), trusted));
    if (*run_text(r->config, "data.warning") != '\0')
        html_element(to, "p class=\"warning\"", "Warning: %s", run_text(r->config, "data.warning"));
    if (r->result == NULL) {
        html_element(to, "p class=\"warning\"", "This run has no result yet. To go on with it: sustain clean --out %s --resume", r->folder);
        return;
    }
    html_element(to, "p class=\"note\"", "%s: %s iterations in %s (%s). %c%s.", run_text(r->result, "solver"),
                 html_grouped(run_number(r->result, "iterations"), iterations), run_duration(run_number(r->result, "seconds"), seconds),
                 run_text(r->result, "stopped"), toupper((unsigned char)scaling[0]), scaling[0] != '\0' ? scaling + 1 : "");
}

/* What people do with it now. */
static void write_next(FILE *to, const run *r) {
    const clean_view *v = r->own;
    char kept[32];
    if (v->issues == 0) return;
    fputs("<p class=\"next\"><strong>What to do now:</strong> look through the gallery, the worst come first, and put right in your data "
          "what is "
          "wrong. Or train on the ",
          to);
    fprintf(to, "%s rows of <code>", html_grouped((double)(v->rows - v->issues), kept));
    html_text(to, r->folder);
    fputs("/cleaned.csv</code>, without those that look wrong. <code>", to);
    html_text(to, r->folder);
    fputs("/labels.csv</code> has a suggestion for every row.</p>\n", to);
}

static void write(FILE *to, const run *r) {
    const clean_view *v = r->own;
    if (v != NULL) write_next(to, r);
    write_setting(to, r);
    if (v != NULL) {
        write_gallery(to, v);
        write_classes(to, v);
        write_confusion(to, v);
        fputs("<section><h2>The learned weights</h2>\n", to);
        run_write_chart(to, "weights");
        fputs("</section>\n", to);
    }
    if (r->metrics != NULL) {
        fputs("<section><h2>The way there</h2>\n", to);
        run_write_chart(to, "curves");
        fputs("</section>\n", to);
    }
    if (v != NULL) write_company(to, r);
}

const kind kind_clean = {.command = "clean",
                         .title = "which labels look wrong",
                         .read = clean_view_read,
                         .fill = fill,
                         .write = write,
                         .release = clean_view_free};

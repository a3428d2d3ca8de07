/* page_clean.c - the page of `sustain clean`: which labels look wrong, and the review of them. */
#include "page_clean.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { WORST = 20 };

/* ---- headline, figures, charts ---- */

static void fill_headline(run *r) {
    char issues[32], rows[32];
    const clean_view *v = r->own;
    if (v == NULL) {
        snprintf(r->headline, sizeof r->headline, "Not done yet");
        return;
    }
    snprintf(r->headline, sizeof r->headline, "%s of %s labels look%s wrong", html_grouped((double)v->issues, issues),
             html_grouped((double)v->rows, rows), v->issues == 1 ? "s" : "");
}

static void percent(run *r, const char *what, const char *key) {
    const double value = run_number(r->result, key);
    if (!isnan(value)) run_figure(r, what, "%.1f %%", 100 * value);
}

/* The number of wrong labels, where the run estimated it. */
static void fill_estimate(run *r) {
    char errors[32], low[32], high[32], what[128];
    const double from = run_number(r->result, "estimated_errors_low"), until = run_number(r->result, "estimated_errors_high");
    if (isnan(run_number(r->result, "estimated_errors"))) return;
    snprintf(what, sizeof what, "wrong labels, estimated");
    if (!isnan(from) && !isnan(until))
        snprintf(what, sizeof what, "wrong labels, estimated (95\u00a0%% interval: %s to %s)", html_grouped(from, low),
                 html_grouped(until, high));
    run_figure(r, what, "%s", html_grouped(run_number(r->result, "estimated_errors"), errors));
}

static void fill_figures(run *r) {
    const clean_view *v = r->own;
    char text[32];
    if (v == NULL) return;
    run_figure(r, "of the labels look wrong", "%.1f %%", v->rows > 0 ? 100 * (double)v->issues / (double)v->rows : 0);
    fill_estimate(r);
    percent(r, "of those flagged are wrong", "issue_precision");
    percent(r, "of the wrong ones are flagged", "issue_recall");
    if (isnan(run_number(r->result, "issue_precision")) && !isnan(run_number(r->result, "f1_expected")))
        run_figure(r, "expected F1 of the flags", "%.2f", run_number(r->result, "f1_expected"));
    if (v->verified > 0) run_figure(r, "rows verified", "%s", html_grouped((double)v->verified, text));
    if (!isnan(run_number(r->result, "label_error_auc")))
        run_figure(r, "AUC of the ranking", "%.4f", run_number(r->result, "label_error_auc"));
    percent(r, "test accuracy after cleaning", "test_accuracy");
    percent(r, "test accuracy with all labels", "baselines.all_labels.test_accuracy");
    percent(r, "of the trusted labels predicted correctly", "trusted_accuracy");
    run_figure(r, "run time", "%s", run_duration(run_number(r->result, "total_seconds"), text));
}

static void fill_curves(run *r) {
    json_t *spec = spec_new("curves", "Training",
                            "Loss and accuracy of the solver's own classifier on the trusted rows; the final classifier is better.", 2);
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
        spec_bars("weights", "Learned weights", "Number of labels by weight. A weight near 0: training is better without the label.", 0, 1,
                  "weight", "labels");
    for (int k = 0; k < 2; k++) {
        json_t *counts = json_array();
        for (int i = 0; i < WEIGHT_BINS; i++) json_array_append_new(counts, json_integer(v->bins[k][i]));
        spec_series(spec, labels[k], counts);
    }
    json_array_append_new(r->charts, spec);
}

static bool has_reliability(const run *r) {
    return json_array_size(json_object_get(r->result, "reliability")) > 0;
}

static void fill_reliability(run *r) {
    const json_t *bins = json_object_get(r->result, "reliability");
    json_t *spec = spec_new(
        "reliability", "Reliability",
        "Share of right labels among checked rows of similar quality. On the diagonal, quality is the probability that a label is right.",
        0);
    spec_axis(spec, "x", "said", "label quality", false);
    spec_axis(spec, "y", "right", "share of right labels", false);
    spec_curve(spec, "checked rows", "line",
               json_pack("{s:o, s:o, s:o, s:o}", "said", run_column(bins, "said"), "right", run_column(bins, "right"), "right_low",
                         run_column(bins, "right_low"), "right_high", run_column(bins, "right_high")));
    spec_curve(spec, "perfectly calibrated", "reference", json_pack("{s:[i, i], s:[i, i]}", "said", 0, 1, "right", 0, 1));
    json_object_set_new(spec, "band", json_string("95 % confidence interval"));
    json_array_append_new(r->charts, spec);
}

/* What the script needs for the review. */
static void fill_review(run *r) {
    const clean_view *v = r->own;
    json_t *names = json_array(), *groups = json_array(), *left = clean_left(r, v), *group;
    size_t i;
    for (int64_t k = 0; k < v->classes; k++) json_array_append_new(names, json_string(v->names[k]));
    json_array_foreach(json_object_get(r->result, "groups"), i, group) json_array_append_new(groups, json_string(run_text(group, "name")));
    json_object_set_new(r->data, "classes", names);
    json_object_set_new(r->data, "groups", groups);
    json_object_set(r->data, "rows", v->listed);
    json_object_set_new(r->data, "review",
                        json_pack("{s:s, s:s, s:I, s:I}", "id", run_text(r->result, "review_id"), "folder", r->folder, "issues",
                                  (json_int_t)v->issues, "verified_wrong", (json_int_t)v->verified_wrong));
    if (left != NULL) json_object_set_new(r->data, "left", left);
}

static void fill(run *r) {
    const clean_view *v = r->own;
    fill_headline(r);
    fill_figures(r);
    if (r->metrics != NULL) fill_curves(r);
    if (v == NULL) return;
    if (v->weighted) fill_weights(r);
    if (has_reliability(r)) fill_reliability(r);
    fill_review(r);
}

/* ---- the review: the script draws it; without script, a table ---- */

static double listed(const clean_view *v, const char *key, int64_t i) {
    const json_t *value = json_array_get(json_object_get(v->listed, key), (size_t)i);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* A number that is missing, for want of memory, has no name. */
static const char *listed_name(const clean_view *v, const char *key, int64_t i) {
    const double number = listed(v, key, i);
    return number >= 0 && number < (double)v->classes ? v->names[(int64_t)number] : "";
}

static void write_review(FILE *to, const clean_view *v) {
    static const char *const titles[] = {"row", "<given", "<suggested", "quality", "probability of being wrong"};
    const int64_t count = (int64_t)json_array_size(json_object_get(v->listed, "row"));
    char text[32];
    if (count == 0) return;
    fputs("<section class=\"review\" data-review><h2>Review</h2>\n<noscript>\n", to);
    html_table(to, NULL, titles, 4 + v->calibrated);
    for (int64_t i = 0; i < count && i < WORST; i++) {
        html_row(to);
        html_number(to, "%.0f", listed(v, "row", i));
        html_cell(to, listed_name(v, "given", i));
        html_cell(to, listed_name(v, "suggested", i));
        html_number(to, "%.3g", listed(v, "quality", i));
        if (v->calibrated) html_number(to, "%.3f", listed(v, "probability_wrong", i));
    }
    html_table_end(to);
    fputs("</noscript>\n", to);
    if (v->issues > MOST_ISSUES)
        html_element(to, "p class=\"note\"", "The first %d of %s are listed here; issues.csv in the folder of the run has all of them.",
                     MOST_ISSUES, html_grouped((double)v->issues, text));
    fputs("</section>\n", to);
}

/* ---- the rest ---- */

static void write_baselines(FILE *to, const run *r) {
    static const column columns[] = {{"<", "name", NULL},
                                     {"AUC", "auc", "%.4f"},
                                     {"precision at the number of errors", "precision_at_errors", "%.4f"},
                                     {"test accuracy", "test_accuracy", "%.4f"},
                                     {"trusted accuracy", "trusted_accuracy", "%.4f"},
                                     {"seconds", "seconds", "%.1f"},
                                     {"<what it is", "what", NULL}};
    static const struct { const char *key, *title; } tables[] = {{"baseline_table", "Baselines"}, {"annotators", "Several labels per row"}};
    for (int i = 0; i < 2; i++) {
        const json_t *rows = json_object_get(r->result, tables[i].key);
        if (json_array_size(rows) == 0) continue;
        html_element(to, "h2", "%s", tables[i].title);
        run_write_rows(to, NULL, rows, columns, 7);
        if (i == 0 && isnan(run_number(r->result, "errors")))
            html_element(to, "p class=\"note\"", "The true labels are not known, so there is no AUC and no precision.");
    }
}

static void write_warnings(FILE *to, const run *r) {
    if (*run_text(r->config, "data.warning") != '\0')
        html_element(to, "p class=\"warning\"", "Warning: %s", run_text(r->config, "data.warning"));
    run_write_warnings(to, r);
    if (r->result == NULL)
        html_element(to, "p class=\"warning\"", "This run has no result yet. Resume it with: sustain clean --out %s --resume", r->folder);
}

static void write_setting(FILE *to, const run *r) {
    char rows[32], trusted[32], iterations[32], seconds[32];
    const char *scaling = run_text(r->config, "data.standardization"), *source = run_text(r->config, "data.source");
    const char *slash = strrchr(source, '/'), *reason = run_text(r->result, "ranking_reason");
    const double count = run_number(r->config, "data.trusted");
    snprintf(trusted, sizeof trusted, "no");
    if (count > 0) html_grouped(count, trusted);
    html_element(to, "p class=\"lead\"", "%s: %s rows to check, %s trusted rows.", slash != NULL ? slash + 1 : source,
                 html_grouped(run_number(r->config, "data.training"), rows), trusted);
    write_warnings(to, r);
    if (r->result == NULL) return;
    if (*reason != '\0') html_element(to, "p class=\"note\"", "%s", reason);
    if (*run_text(r->result, "solver") == '\0') return;
    html_element(to, "p class=\"note\"", "%s: %s iterations in %s (%s). %c%s.", run_text(r->result, "solver"),
                 html_grouped(run_number(r->result, "iterations"), iterations), run_duration(run_number(r->result, "seconds"), seconds),
                 run_text(r->result, "stopped"), toupper((unsigned char)scaling[0]), scaling[0] != '\0' ? scaling + 1 : "");
}

static void write_next(FILE *to, const run *r) {
    const clean_view *v = r->own;
    char kept[32];
    if (v->issues == 0) return;
    fputs("<p class=\"next\"><strong>What to do now:</strong> review the labels below, worst first, and export your decisions. Or train on "
          "the ",
          to);
    fprintf(to, "%s rows of <code>", html_grouped((double)(v->rows - v->issues), kept));
    html_text(to, r->folder);
    fputs("/cleaned.csv</code>, without those that look wrong. <code>", to);
    html_text(to, r->folder);
    fputs("/labels.csv</code> has a suggestion for every row.</p>\n", to);
}

static void write_chart(FILE *to, const char *title, const char *id) {
    html_element(to, "h2", "%s", title);
    run_write_chart(to, id);
}

static void write(FILE *to, const run *r) {
    const clean_view *v = r->own;
    if (v != NULL) write_next(to, r);
    write_setting(to, r);
    if (v != NULL) {
        write_review(to, v);
        clean_write_classes(to, v);
        clean_write_pairs(to, v);
        clean_write_groups(to, r);
        if (has_reliability(r)) write_chart(to, "Reliability", "reliability");
        if (v->weighted) write_chart(to, "Learned weights", "weights");
    }
    if (r->metrics != NULL) write_chart(to, "Training", "curves");
    if (v != NULL) write_baselines(to, r);
}

const kind kind_clean = {.command = "clean",
                         .title = "which labels look wrong",
                         .read = clean_view_read,
                         .fill = fill,
                         .write = write,
                         .release = clean_view_free};

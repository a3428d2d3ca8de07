/* chart_tables.c - the charts of a run as tables, for browsers without JavaScript. */
#include "chart_tables.h"

#include <math.h>

/* Every row of a curve's table: its points, at most MOST_POINTS of them. */
static void write_points(FILE *to, const json_t *values, const char *const *keys, int count) {
    enum { MOST_POINTS = 24 };
    const json_t *first = json_object_get(values, keys[0]);
    const size_t length = json_array_size(first != NULL ? first : json_object_get(values, keys[count - 1]));
    const size_t rows = length < MOST_POINTS ? length : MOST_POINTS;
    for (size_t i = 0; i < rows; i++) {
        /* first and last included */
        const size_t at = rows > 1 ? i * (length - 1) / (rows - 1) : 0;
        html_row(to);
        for (int k = 0; k < count; k++) {
            const json_t *value = json_array_get(json_object_get(values, keys[k]), at);
            html_number(to, "%.6g", json_is_number(value) ? json_number_value(value) : (double)NAN);
        }
    }
}

static void write_curve_table(FILE *to, const json_t *spec, const json_t *curve) {
    enum { MOST = 12 };
    const char *titles[MOST], *keys[MOST];
    char caption[1024];
    size_t i;
    json_t *axis;
    int count = 0;
    snprintf(caption, sizeof caption, "%s: %s", run_text(spec, "title"), run_text(curve, "label"));
    for (int k = 0; k < 2; k++) json_array_foreach(json_object_get(spec, k == 0 ? "x" : "y"), i, axis) if (count < MOST) {
            const char *key = run_text(axis, "key");
            if (json_object_get(json_object_get(curve, "values"), key) == NULL) continue;
            titles[count] = run_text(axis, "title"), keys[count++] = key;
        }
    if (count == 0) return;
    html_table(to, caption, titles, count);
    write_points(to, json_object_get(curve, "values"), keys, count);
    html_table_end(to);
}

static void write_bars_table(FILE *to, const json_t *spec) {
    enum { MOST = 8 };
    const json_t *bars = json_object_get(spec, "bars"), *series = json_object_get(bars, "series");
    const char *titles[MOST];
    const double from = run_number(bars, "from"), until = run_number(bars, "to");
    const size_t bins = json_array_size(json_object_get(json_array_get(series, 0), "counts"));
    size_t i, bin;
    json_t *one;
    int count = 0;
    titles[count++] = run_text(bars, "x");
    json_array_foreach(series, i, one) if (count < MOST) titles[count++] = run_text(one, "label");
    html_table(to, run_text(spec, "title"), titles, count);
    for (bin = 0; bin < bins; bin++) {
        html_row(to);
        html_number(to, "%.4g", from + (until - from) * (double)bin / (double)bins);
        for (int k = 1; k < count; k++)
            html_number(to, "%.0f",
                        json_number_value(json_array_get(json_object_get(json_array_get(series, (size_t)k - 1), "counts"), bin)));
    }
    html_table_end(to);
}

void chart_tables_write(FILE *to, const run *r) {
    size_t i, k;
    json_t *spec, *curve;
    if (json_array_size(r->charts) == 0) return;
    fputs("<noscript><section><h2>The charts as tables</h2>\n", to);
    json_array_foreach(r->charts, i, spec) {
        if (json_object_get(spec, "bars") != NULL) write_bars_table(to, spec);
        json_array_foreach(json_object_get(spec, "curves"), k, curve) write_curve_table(to, spec, curve);
    }
    fputs("</section></noscript>\n", to);
}

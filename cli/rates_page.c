/* rates_page.c - the charts and the page of `sustain rates`. */
#include <math.h>

#include "chart.h"
#include "page.h"
#include "rates.h"

/* ---- charts ---- */

/* The samples of both levels against 1/epsilon, a curve for each algorithm; NAN where the target was not reached. */
static void with_chart(FILE *to, const rates_report *r, int kind, void (*render)(FILE *to, const chart *c)) {
    double x[RATES_POINTS], y[CHART_CURVES][RATES_POINTS];
    char css[CHART_CURVES][8];
    curve curves[CHART_CURVES];
    const rates_result *at;
    int count = 0;
    for (int i = 0; i < RATES_POINTS; i++) x[i] = 1 / rates_epsilon(kind, i);
    for (; count < CHART_CURVES && (at = rates_result_of(r, kind, count)) != NULL; count++) {
        for (int i = 0; i < RATES_POINTS; i++)
            y[count][i] = i < rates_reached(at) ? at->point[i].samples[0] + at->point[i].samples[1] : (double)NAN;
        snprintf(css[count], sizeof css[count], "hue%d", count);
        curves[count] = (curve){at->row->name, y[count], (char)('a' + count % 26), STYLE_PLAIN, css[count]};
    }
    const chart c = {.title =
                         kind == RATES_NONCONVEX ? "Samples against 1/epsilon, not convex" : "Samples against 1/epsilon, strongly convex",
                     .x_title = "1/epsilon",
                     .y_title = kind == RATES_NONCONVEX ? "samples, not convex" : "samples, strongly convex",
                     .x = x,
                     .count = r->limits.points,
                     .curves = curves,
                     .curve_count = count};
    if (count > 0) render(to, &c);
}

void rates_plot(FILE *to, const rates_report *r) {
    for (int kind = 0; kind < RATES_PROBLEMS; kind++) {
        if (rates_result_of(r, kind, 0) == NULL) continue;
        fputc('\n', to);
        with_chart(to, r, kind, chart_print);
    }
}

/* ---- the page ---- */

static void html_exponents(FILE *to, const rates_report *r, int kind) {
    const rates_result *at;
    char text[32], proved[16];
    fputs("<table>\n<tr><th>algorithm</th><th>epsilon to</th><th>upper</th><th>proved</th><th>lower</th><th>proved</th></tr>\n", to);
    for (int i = 0; (at = rates_result_of(r, kind, i)) != NULL; i++) {
        const int reached = rates_reached(at);
        fprintf(to, "<tr><td>%s%s</td>", at->row->name, at->row->finite_sum ? "*" : "");
        if (reached > 0)
            fprintf(to, "<td>%.2g</td>", at->point[reached - 1].epsilon);
        else
            fputs("<td>none</td>", to);
        for (int level = 0; level < 2; level++)
            fprintf(to, "<td>%s</td><td>%s</td>", rates_fit_text(at->samples[level], text),
                    rates_exponent_text(at->row->theorem[kind].proved[level], proved));
        fputs("</tr>\n", to);
    }
    fputs("</table>\n", to);
}

static void html_costs(FILE *to, const rates_report *r) {
    char text[32], proved[16];
    if (r->cost_count == 0) return;
    fputs("<h2>Time of an iteration against the dimension of y</h2>\n"
          "<table>\n<tr><th>algorithm</th><th>exponent</th><th>Table 1</th><th>largest dimension</th><th>microseconds</th></tr>\n",
          to);
    for (int i = 0; i < r->cost_count; i++) {
        const rates_cost *c = &r->costs[i];
        fprintf(to, "<tr><td>%s</td><td>%s</td><td>%s</td><td>%.0f</td><td>%.3g</td></tr>\n", c->row->name, rates_fit_text(c->fit, text),
                rates_exponent_text(c->row->cost, proved), c->dim[c->count - 1], 1e6 * c->seconds[c->count - 1]);
    }
    fputs("</table>\n", to);
}

static void write_html(FILE *to, const void *user) {
    const rates_report *r = user;
    char text[1024];
    page_begin(to, "sustain rates", "Samples needed, measured");
    rates_setting_text(r, text, sizeof text);
    fprintf(to, "<p>%s</p>\n", text);
    for (int kind = 0; kind < RATES_PROBLEMS; kind++) {
        if (rates_result_of(r, kind, 0) == NULL) continue;
        fprintf(to, "<h2>%s: %s</h2>\n", kind == RATES_NONCONVEX ? "Not convex" : "Strongly convex",
                kind == RATES_NONCONVEX ? "the mean of |grad ell(x<sub>t</sub>)|<sup>2</sup> over t &lt; T"
                                        : "ell(x<sub>T</sub>) - min ell");
        with_chart(to, r, kind, chart_svg);
        html_exponents(to, r, kind);
    }
    html_costs(to, r);
    fprintf(to, "<p>sustain %s, %s; %lld runs, seed %lld, %.4g million oracle calls for each algorithm and problem.</p>\n",
            sustain_version(), sustain_precision(), (long long)r->limits.runs, (long long)r->limits.seed, 1e-6 * r->limits.budget);
    page_end(to);
}

static void write_nonconvex(FILE *to, const void *user) {
    with_chart(to, user, RATES_NONCONVEX, chart_svg);
}

static void write_strongly_convex(FILE *to, const void *user) {
    with_chart(to, user, RATES_STRONGLY_CONVEX, chart_svg);
}

int rates_page(const rates_report *r, const char *folder) {
    int code = EXIT_DONE;
    if (rates_result_of(r, RATES_NONCONVEX, 0) != NULL) code = write_file(folder, "nonconvex.svg", write_nonconvex, r);
    if (code == EXIT_DONE && rates_result_of(r, RATES_STRONGLY_CONVEX, 0) != NULL)
        code = write_file(folder, "strongly-convex.svg", write_strongly_convex, r);
    return code == EXIT_DONE ? write_file(folder, "index.html", write_html, r) : code;
}

/* demo_page.c - the chart and the page of `sustain demo`. */
#include <math.h>

#include "demo.h"
#include "page.h"

static void with_chart(FILE *to, const measured *m, void (*render)(FILE *to, const chart *c)) {
    double T[MOST_ROWS];
    for (int i = 0; i < m->rows; i++) T[i] = (double)m->T[i];
    const curve curves[] = {
        {methods[0].name, m->mean[0], '*', STYLE_FIRST, "first"},
        {methods[1].name, m->mean[1], 'o', STYLE_SECOND, "second"},
        {"theory: T^(-2/3)", m->reference, '.', STYLE_FAINT, "reference"},
    };
    const chart c = {.title = "The squared gradient norm of SUSTAIN and SGD against the number of iterations",
                     .x_title = "iterations T",
                     .y_title = "mean |grad ell|^2",
                     .x = T,
                     .count = m->rows,
                     .curves = curves,
                     .curve_count = COUNT_OF(curves)};
    render(to, &c);
}

void demo_plot(FILE *to, const measured *m) {
    with_chart(to, m, chart_print);
}

static void write_svg(FILE *to, const void *user) {
    with_chart(to, user, chart_svg);
}

static void html_slope(FILE *to, double slope) {
    if (isnan(slope))
        fputs("<td></td>", to);
    else
        fprintf(to, "<td>%.2f</td>", slope);
}

static void html_table(FILE *to, const measured *m) {
    fprintf(to, "<table>\n<tr><th>T</th><th>%s</th><th>slope</th><th>T^(-2/3)</th><th>%s</th><th>slope</th></tr>\n", methods[0].name,
            methods[1].name);
    for (int i = 0; i < m->rows; i++) {
        fprintf(to, "<tr><td>%lld</td><td>%.4g</td>", (long long)m->T[i], m->mean[0][i]);
        html_slope(to, local_slope(m, 0, i));
        fprintf(to, "<td>%.4g</td><td>%.4g</td>", m->reference[i], m->mean[1][i]);
        html_slope(to, local_slope(m, 1, i));
        fputs("</tr>\n", to);
    }
    fputs("</table>\n", to);
}

static void write_html(FILE *to, const void *user) {
    const measured *m = user;
    char setting[1024], meaning[1024], caveat[1024];
    demo_setting(m, setting, sizeof setting);
    demo_meaning(m, meaning, sizeof meaning);
    demo_caveat(m, caveat, sizeof caveat);
    page_begin(to, "sustain demo", "SUSTAIN at work");
    fprintf(to, "<p>%s</p>\n<p><strong>%s</strong></p>\n", setting, meaning);
    with_chart(to, m, chart_svg);
    html_table(to, m);
    fprintf(to, "<p>%s</p>\n<p>To repeat it: <code>sustain demo --iterations %lld --runs %lld --seed %lld</code> (sustain %s, %s).</p>\n",
            caveat, (long long)m->iterations, (long long)m->runs, (long long)m->seed, sustain_version(), sustain_precision());
    page_end(to);
}

int demo_page(const measured *m, const char *folder) {
    int code = make_folder(folder);
    if (code == EXIT_DONE) code = write_file(folder, "chart.svg", write_svg, m);
    if (code == EXIT_DONE) code = write_file(folder, "index.html", write_html, m);
    return code;
}

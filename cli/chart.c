/* chart.c - log-log charts in plain characters and in SVG. */
#include "chart.h"

#include <math.h>
#include <string.h>

/* The corners, as powers of ten: x as it is, y with a little air. */
typedef struct range {
    double left, right, bottom, top;
} range;

static range range_of(const chart *c) {
    range r = {log10(c->x[0]), log10(c->x[c->count - 1]), INFINITY, -INFINITY};
    for (int k = 0; k < c->curve_count; k++)
        for (int i = 0; i < c->count; i++) {
            const double y = log10(c->curves[k].y[i]);
            if (!isfinite(y)) continue;
            r.bottom = fmin(r.bottom, y);
            r.top = fmax(r.top, y);
        }
    if (!(r.bottom <= r.top)) r.bottom = r.top = 0;
    r.bottom -= 0.1, r.top += 0.1;
    if (!(r.right > r.left)) r.right = r.left + 1;
    return r;
}

/* The curve at x = 10^at, on the straight line between its points; NAN where they are no numbers. */
static double curve_at(const chart *c, const curve *k, double at) {
    int i = 1;
    while (i < c->count - 1 && log10(c->x[i]) < at) i++;
    if (c->count < 2) return log10(k->y[0]);
    const double x0 = log10(c->x[i - 1]), x1 = log10(c->x[i]), y0 = log10(k->y[i - 1]), y1 = log10(k->y[i]);
    return y0 + (y1 - y0) * (at - x0) / (x1 - x0);
}

/* ---- in the terminal ---- */

enum { COLUMNS = 62, LINES = 18 };

/* picture[line][column]: the number of the curve there, plus 1; 0: none. */
static void draw(const chart *c, range r, unsigned char picture[LINES][COLUMNS]) {
    memset(picture, 0, LINES * COLUMNS);
    for (int k = c->curve_count - 1; k >= 0; k--)
        for (int column = 0; column < COLUMNS; column++) {
            const double y = curve_at(c, &c->curves[k], r.left + (r.right - r.left) * column / (COLUMNS - 1));
            const double line = (r.top - y) / (r.top - r.bottom) * (LINES - 1);
            if (line >= -0.5 && line < LINES - 0.5) picture[(int)lround(line)][column] = (unsigned char)(k + 1);
        }
}

/* The power of ten that belongs on this line, or NAN. */
static double decade_on(range r, int line) {
    const double decade = round(r.top - (r.top - r.bottom) * line / (LINES - 1));
    const double exact = (r.top - decade) / (r.top - r.bottom) * (LINES - 1);
    return lround(exact) == line ? decade : (double)NAN;
}

static void print_x_axis(FILE *to, range r) {
    char axis[COLUMNS + 16];
    memset(axis, ' ', sizeof axis);
    fprintf(to, "%9s+", "");
    for (int column = 0; column < COLUMNS; column++) fputc('-', to);
    for (double decade = ceil(r.left - 1e-9); decade <= r.right + 1e-9; decade++) {
        char label[16];
        const int length = snprintf(label, sizeof label, "1e%.0f", decade + 0.0);
        memcpy(axis + lround((decade - r.left) / (r.right - r.left) * (COLUMNS - 1)), label, (size_t)length);
    }
    int end = COLUMNS + 15;
    while (end > 0 && axis[end - 1] == ' ') end--;
    fprintf(to, "\n%10s%.*s\n", "", end, axis);
}

/* The title of x, and which mark is which curve; wrapped. */
static void print_legend(FILE *to, const chart *c) {
    int column = fprintf(to, "%10s%s  ", "", c->x_title);
    for (int k = 0; k < c->curve_count; k++) {
        const curve *at = &c->curves[k];
        const int width = 5 + (int)strlen(at->name);
        if (column + width > WIDTH) column = fprintf(to, "\n%9s", "") - 1;
        fprintf(to, "   %s%c%s %s", styled(at->paint), at->mark, styled(STYLE_PLAIN), at->name);
        column += width;
    }
    fputc('\n', to);
}

void chart_print(FILE *to, const chart *c) {
    unsigned char picture[LINES][COLUMNS];
    const range r = range_of(c);
    draw(c, r, picture);
    fprintf(to, "  %s\n", c->y_title);
    for (int line = 0; line < LINES; line++) {
        const double decade = decade_on(r, line);
        char label[16] = "";
        if (!isnan(decade)) snprintf(label, sizeof label, "%g", pow(10, decade));
        fprintf(to, "%8s %c", label, isnan(decade) ? '|' : '+');
        int end = COLUMNS;
        while (end > 0 && picture[line][end - 1] == 0) end--;
        for (int column = 0; column < end; column++) {
            const curve *k = picture[line][column] > 0 ? &c->curves[picture[line][column] - 1] : NULL;
            if (k == NULL)
                fputc(' ', to);
            else
                fprintf(to, "%s%c%s", styled(k->paint), k->mark, styled(STYLE_PLAIN));
        }
        fputc('\n', to);
    }
    print_x_axis(to, r);
    print_legend(to, c);
}

/* ---- as SVG ---- */

enum { PAGE_WIDTH = 760, PAGE_HEIGHT = 460, FRAME_LEFT = 78, FRAME_RIGHT = 600, FRAME_TOP = 44, FRAME_BOTTOM = 400, SPACING = 20 };

static double place_x(range r, double x) {
    return FRAME_LEFT + (x - r.left) / (r.right - r.left) * (FRAME_RIGHT - FRAME_LEFT);
}

static double place_y(range r, double y) {
    return FRAME_TOP + (r.top - y) / (r.top - r.bottom) * (FRAME_BOTTOM - FRAME_TOP);
}

/* Colours for many curves, far apart on the circle of hues; every third curve is dashed, every third dotted. */
static void svg_hues(FILE *to, const chart *c) {
    fputs("<style>\n", to);
    for (int k = 0; k < c->curve_count; k++) {
        static const char *const dashes[] = {"none", "7 4", "2 4"};
        fprintf(to, ".chart .hue%d { color: hsl(%d 65%% 42%%) } .chart .hue%d path { stroke-dasharray: %s }\n", k, k * 137 % 360, k,
                dashes[k % 3]);
    }
    fputs("@media (prefers-color-scheme: dark) {\n", to);
    for (int k = 0; k < c->curve_count; k++) fprintf(to, ".chart .hue%d { color: hsl(%d 65%% 68%%) }\n", k, k * 137 % 360);
    fputs("}\n</style>\n", to);
}

static const char svg_style[] = "<style>\n"
                                ".chart { font: 14px system-ui, sans-serif; color: #1d2733; background: #fff }\n"
                                ".chart text, .chart .dot { fill: currentColor }\n"
                                ".chart line { stroke: currentColor; stroke-opacity: .15 }\n"
                                ".chart path { fill: none; stroke: currentColor; stroke-width: 2.5 }\n"
                                ".chart .reference path { stroke-dasharray: 7 5; stroke-width: 2 }\n"
                                ".chart .first { color: #0b62b4 } .chart .second { color: #b3470b } .chart .reference { color: #5b6675 }\n"
                                "@media (prefers-color-scheme: dark) {\n"
                                ".chart { color: #dfe5ec; background: #14191f }\n"
                                ".chart .first { color: #6db3ff } .chart .second { color: #ffa666 } .chart .reference { color: #a3adba }\n"
                                "}\n"
                                "</style>\n";

static void svg_axes(FILE *to, const chart *c, range r) {
    for (double d = ceil(r.left - 1e-9); d <= r.right + 1e-9; d++) {
        const double x = place_x(r, d);
        fprintf(to, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", x, x, FRAME_TOP, FRAME_BOTTOM);
        fprintf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n", x, FRAME_BOTTOM + 22, pow(10, d));
    }
    for (double d = ceil(r.bottom); d <= r.top; d++) {
        const double y = place_y(r, d);
        fprintf(to, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n", FRAME_LEFT, FRAME_RIGHT, y, y);
        fprintf(to, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", FRAME_LEFT - 10, y + 5, pow(10, d));
    }
    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (FRAME_LEFT + FRAME_RIGHT) / 2, FRAME_BOTTOM + 48,
            c->x_title);
    fprintf(to, "<text x=\"%d\" y=\"24\">%s</text>\n", FRAME_LEFT - 48, c->y_title);
}

static void svg_curve(FILE *to, const chart *c, range r, const curve *k, double label_y) {
    bool pen = false;
    fprintf(to, "<g class=\"%s\"><path d=\"", k->css);
    for (int i = 0; i < c->count; i++) {
        const double y = log10(k->y[i]);
        if (isfinite(y)) fprintf(to, "%c%.1f %.1f", pen ? 'L' : 'M', place_x(r, log10(c->x[i])), place_y(r, y));
        pen = isfinite(y);
    }
    fputs("\"/>\n", to);
    for (int i = 0; i < c->count && strcmp(k->css, "reference") != 0; i++) {
        const double y = log10(k->y[i]);
        if (!isfinite(y)) continue;
        fprintf(to, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>%s, %s = %.4g: %.4g</title></circle>\n",
                place_x(r, log10(c->x[i])), place_y(r, y), k->name, c->x_title, c->x[i], k->y[i]);
    }
    fprintf(to, "<text x=\"%d\" y=\"%.1f\">%s</text></g>\n", FRAME_RIGHT + 14, label_y, k->name);
}

/* Where a curve ends; the top of the frame for one without points. */
static double end_of(const chart *c, range r, const curve *k) {
    int i = c->count - 1;
    while (i > 0 && !isfinite(log10(k->y[i]))) i--;
    const double y = place_y(r, log10(k->y[i]));
    return isfinite(y) ? y : FRAME_TOP;
}

/* Names stand at the end of their curves, at least a line apart, and all on the page. */
static void label_places(const chart *c, range r, double places[CHART_CURVES]) {
    bool placed[CHART_CURVES] = {false};
    double last = -INFINITY;
    for (int n = 0; n < c->curve_count; n++) {
        int next = -1;
        for (int k = 0; k < c->curve_count; k++)
            if (!placed[k] && (next < 0 || end_of(c, r, &c->curves[k]) < end_of(c, r, &c->curves[next]))) next = k;
        const double lowest = PAGE_HEIGHT - 10 - SPACING * (c->curve_count - 1 - n); /* room for those below */
        placed[next] = true;
        places[next] = last = fmax(last + SPACING, fmin(end_of(c, r, &c->curves[next]) + 5, lowest));
    }
}

void chart_svg(FILE *to, const chart *c) {
    const range r = range_of(c);
    double places[CHART_CURVES];
    fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
            PAGE_WIDTH, PAGE_HEIGHT, c->title);
    fputs(svg_style, to);
    if (strncmp(c->curves[0].css, "hue", 3) == 0) svg_hues(to, c);
    svg_axes(to, c, r);
    label_places(c, r, places);
    for (int k = c->curve_count - 1; k >= 0; k--) svg_curve(to, c, r, &c->curves[k], places[k]);
    fputs("</svg>\n", to);
}

/* chart.c - charts in plain characters. */
#include "chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 62, LINES = 18, MOST_CURVES = 64, MOST_TICKS = 32 };

typedef struct axis {
    const char *key, *title;
    bool log;
    double low, high; /* of what is drawn: powers of ten where it is logarithmic */
} axis;

typedef struct curve {
    const char *label;
    char mark;
    style paint;
    int count;
    double *x, *y; /* as the axes have them */
} curve;

typedef struct chart {
    axis x, y;
    curve curves[MOST_CURVES]; /* those that come first are drawn over the others */
    int count;
} chart;

/* ---- from the data ---- */

static axis axis_of(const json_t *spec, const char *axes, size_t i) {
    const json_t *row = json_array_get(json_object_get(spec, axes), i);
    return (axis){json_string_value(json_object_get(row, "key")), json_string_value(json_object_get(row, "title")),
                  json_is_true(json_object_get(row, "log")), INFINITY, -INFINITY};
}

/* Entry i of a column on the axis; NAN where there is none or no place for it. */
static double on_axis(const json_t *column, size_t i, bool log) {
    const json_t *value = json_array_get(column, i);
    const double number = json_is_number(value) ? json_number_value(value) : (double)NAN;
    return !log ? number : number > 0 ? log10(number) : (double)NAN;
}

static void widen(axis *a, double value) {
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

static void take_points(chart *c, curve *k, const json_t *values) {
    const json_t *x = json_object_get(values, c->x.key), *y = json_object_get(values, c->y.key);
    const size_t size = json_array_size(x) < json_array_size(y) ? json_array_size(x) : json_array_size(y);
    k->x = malloc((size + 1) * 2 * sizeof *k->x);
    if (k->x == NULL) exit(complain(EXIT_FAILED, "out of memory"));
    k->y = k->x + size + 1;
    for (size_t i = 0; i < size; i++) {
        const double at = on_axis(x, i, c->x.log), value = on_axis(y, i, c->y.log);
        if (isnan(at) || isnan(value)) continue;
        widen(&c->x, at);
        widen(&c->y, value);
        k->x[k->count] = at;
        k->y[k->count++] = value;
    }
}

/* A level holds everywhere. */
static void take_level(chart *c, curve *k, const json_t *values) {
    const double value = on_axis(json_object_get(values, c->y.key), 0, c->y.log);
    k->x = malloc(4 * sizeof *k->x);
    if (k->x == NULL) exit(complain(EXIT_FAILED, "out of memory"));
    k->y = k->x + 2;
    if (isnan(value)) return;
    widen(&c->y, value);
    k->count = 2;
    k->x[0] = -INFINITY, k->x[1] = INFINITY;
    k->y[0] = k->y[1] = value;
}

/* One or two lines have marks of their own, more have letters. */
static void dress(curve *k, int line, int lines, bool is_line) {
    static const style paints[] = {STYLE_FIRST, STYLE_SECOND, STYLE_PLAIN};
    k->mark = !is_line ? '.' : lines <= 2 ? "*o"[line] : (char)('a' + line % 26);
    k->paint = is_line ? paints[lines <= 2 ? line : 2] : STYLE_FAINT;
}

static void read_curves(chart *c, const json_t *spec) {
    const json_t *list = json_object_get(spec, "curves");
    json_t *row;
    size_t i;
    int lines = 0, line = 0;
    json_array_foreach(list, i, row) lines += strcmp(json_string_value(json_object_get(row, "kind")), "line") == 0;
    json_array_foreach(list, i, row) {
        const char *kind = json_string_value(json_object_get(row, "kind"));
        const json_t *values = json_object_get(row, "values");
        if (strcmp(kind, "fit") == 0 || json_object_get(values, c->y.key) == NULL || c->count == MOST_CURVES) continue;
        const bool is_line = strcmp(kind, "line") == 0;
        curve *k = &c->curves[c->count++];
        k->label = json_string_value(json_object_get(row, "label"));
        dress(k, line, lines, is_line);
        line += is_line;
        if (strcmp(kind, "level") == 0)
            take_level(c, k, values);
        else
            take_points(c, k, values);
    }
}

/* y with a little air; something to divide by. */
static void settle(axis *a, bool air) {
    if (!(a->low <= a->high)) a->low = a->high = 0;
    const double room = 0.03 * (a->high - a->low);
    if (air) a->low -= room, a->high += room;
    if (!(a->high > a->low)) a->high = a->low + 1;
}

/* ---- drawing ---- */

/* The curve at this place, on the straight line between its points; NAN outside of them. */
static double curve_at(const curve *k, double at, double tolerance) {
    int i = 1;
    if (k->count == 0 || at < k->x[0] - tolerance || at > k->x[k->count - 1] + tolerance) return (double)NAN;
    if (isinf(k->x[0])) return k->y[0];
    while (i < k->count - 1 && k->x[i] < at) i++;
    if (k->count < 2 || !(k->x[i] > k->x[i - 1])) return k->y[0];
    return k->y[i - 1] + (k->y[i] - k->y[i - 1]) * (at - k->x[i - 1]) / (k->x[i] - k->x[i - 1]);
}

/* picture[line][column]: the number of the curve there, plus 1; 0: none. */
static void draw(const chart *c, unsigned char picture[LINES][COLUMNS]) {
    const double width = c->x.high - c->x.low;
    memset(picture, 0, LINES * COLUMNS);
    for (int k = c->count - 1; k >= 0; k--)
        for (int column = 0; column < COLUMNS; column++) {
            const double y = curve_at(&c->curves[k], c->x.low + width * column / (COLUMNS - 1), width / (2 * COLUMNS));
            const double line = (c->y.high - y) / (c->y.high - c->y.low) * (LINES - 1);
            if (line >= -0.5 && line < LINES - 0.5) picture[(int)lround(line)][column] = (unsigned char)(k + 1);
        }
}

/* Where ticks stand: 1, 2 or 5 times a power of ten apart; on a logarithmic axis at powers of ten, and at 2 and 5 times these where it is short. */
static int ticks_of(const axis *a, int most, double ticks[MOST_TICKS]) {
    const double rough = (a->high - a->low) / most, power = pow(10, floor(log10(rough)));
    const double step = a->log ? fmax(1, ceil(rough)) : power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
    const bool between = a->log && a->high - a->low < 2;
    int count = 0;
    for (double at = step * floor(a->low / step); at <= a->high + 1e-9 * step; at += step)
        for (int k = 0; k < (between ? 3 : 1); k++) {
            static const double extra[] = {0, 0.30103, 0.69897};
            const double tick = at + extra[k];
            if (tick >= a->low - 1e-9 * step && tick <= a->high + 1e-9 * step && count < MOST_TICKS) ticks[count++] = tick;
        }
    return count;
}

static const char *tick_text(const axis *a, double at, char text[16]) {
    const double value = a->log ? pow(10, at) : fabs(at) < 1e-9 * (a->high - a->low) ? 0 : at;
    snprintf(text, 16, "%.6g", value);
    return text;
}

/* "1e5" instead of 1e+05 or 100000. */
static const char *short_text(const axis *a, double at, char text[16]) {
    if (a->log && at == floor(at)) {
        snprintf(text, 16, "1e%.0f", at + 0.0);
        return text;
    }
    return tick_text(a, at, text);
}

static void print_line(FILE *to, const chart *c, const unsigned char *line) {
    int end = COLUMNS;
    while (end > 0 && line[end - 1] == 0) end--;
    for (int column = 0; column < end; column++) {
        const curve *k = line[column] > 0 ? &c->curves[line[column] - 1] : NULL;
        if (k == NULL)
            fputc(' ', to);
        else
            fprintf(to, "%s%c%s", styled(k->paint), k->mark, styled(STYLE_PLAIN));
    }
    fputc('\n', to);
}

static void print_x_axis(FILE *to, const axis *a) {
    char signs[COLUMNS + 16], text[16];
    double ticks[MOST_TICKS];
    const int count = ticks_of(a, 6, ticks);
    memset(signs, ' ', sizeof signs);
    fprintf(to, "%9s+", "");
    for (int column = 0; column < COLUMNS; column++) fputc('-', to);
    for (int i = 0; i < count; i++) {
        short_text(a, ticks[i], text);
        memcpy(signs + lround((ticks[i] - a->low) / (a->high - a->low) * (COLUMNS - 1)), text, strlen(text));
    }
    int end = COLUMNS + 15;
    while (end > 0 && signs[end - 1] == ' ') end--;
    fprintf(to, "\n%10s%.*s\n", "", end, signs);
}

/* The number before a line of the picture, where a tick stands there, and the axis. */
static void print_y_axis(FILE *to, const axis *a, int line) {
    double ticks[MOST_TICKS];
    char text[16] = "";
    bool there = false;
    for (int i = ticks_of(a, 8, ticks) - 1; i >= 0 && !there; i--) {
        there = lround((a->high - ticks[i]) / (a->high - a->low) * (LINES - 1)) == line;
        if (there) tick_text(a, ticks[i], text);
    }
    fprintf(to, "%8s %c", text, there ? '+' : '|');
}

/* The title of x, and which mark is which curve; wrapped. */
static void print_legend(FILE *to, const chart *c) {
    int column = fprintf(to, "%10s%s  ", "", c->x.title);
    for (int k = 0; k < c->count; k++) {
        const curve *at = &c->curves[k];
        const int width = 5 + (int)strlen(at->label);
        if (column + width > WIDTH) column = fprintf(to, "\n%9s", "") - 1;
        fprintf(to, "   %s%c%s %s", styled(at->paint), at->mark, styled(STYLE_PLAIN), at->label);
        column += width;
    }
    fputc('\n', to);
}

static void print_chart(FILE *to, const json_t *spec, size_t y) {
    chart c = {.x = axis_of(spec, "x", 0), .y = axis_of(spec, "y", y)};
    unsigned char picture[LINES][COLUMNS];
    read_curves(&c, spec);
    settle(&c.x, false);
    settle(&c.y, true);
    draw(&c, picture);
    fprintf(to, "  %s\n", c.y.title);
    for (int line = 0; line < LINES; line++) {
        print_y_axis(to, &c.y, line);
        print_line(to, &c, picture[line]);
    }
    print_x_axis(to, &c.x);
    print_legend(to, &c);
    for (int k = 0; k < c.count; k++) free(c.curves[k].x);
}

void charts_print(FILE *to, const json_t *charts) {
    json_t *spec;
    size_t i, count = 0;
    json_array_foreach(charts, i, spec) count += json_integer_value(json_object_get(spec, "terminal")) > 0;
    json_array_foreach(charts, i, spec) for (json_int_t y = 0; y < json_integer_value(json_object_get(spec, "terminal")); y++) {
        if (json_array_get(json_object_get(spec, "y"), (size_t)y) == NULL) break;
        fputc('\n', to);
        if (y == 0 && count > 1) heading(to, json_string_value(json_object_get(spec, "title")));
        print_chart(to, spec, (size_t)y);
    }
}

/* chart.c - charts in text mode. */
#include "chart.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 10, AIR = 8, WIDEST = 100, COLUMNS = WIDEST - MARGIN - AIR, LINES = 18, MOST_CURVES = 64, MOST_TICKS = 32 };

typedef struct axis {
    const char *key, *title;
    bool log;
    double low, high; /* range; exponents of ten if logarithmic */
} axis;

typedef struct curve {
    const char *label;
    char mark;
    bool is_line; /* a curve of the run, not a reference */
    style paint;
    int count;
    double *x, *y; /* in axis coordinates */
} curve;

typedef struct chart {
    axis x, y;
    curve curves[MOST_CURVES];
    int count;
    int columns; /* of the picture, at most COLUMNS */
} chart;

/* ---- from the data ---- */

static axis axis_of(const json_t *spec, const char *axes, size_t i) {
    const json_t *row = json_array_get(json_object_get(spec, axes), i);
    return (axis){json_string_value(json_object_get(row, "key")), json_string_value(json_object_get(row, "title")),
                  json_is_true(json_object_get(row, "log")), INFINITY, -INFINITY};
}

/* Entry i of a column in axis coordinates; NAN if missing or not on the axis. */
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
    if (k->x == NULL) exit(out_of_memory());
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

/* A level is constant over all x. */
static void take_level(chart *c, curve *k, const json_t *values) {
    const double value = on_axis(json_object_get(values, c->y.key), 0, c->y.log);
    k->x = malloc(4 * sizeof *k->x);
    if (k->x == NULL) exit(out_of_memory());
    k->y = k->x + 2;
    if (isnan(value)) return;
    widen(&c->y, value);
    k->count = 2;
    k->x[0] = -INFINITY, k->x[1] = INFINITY;
    k->y[0] = k->y[1] = value;
}

/* One or two lines use * and o, more use letters; references use points. */
static void dress(curve *k, int number, int lines) {
    static const style paints[] = {STYLE_FIRST, STYLE_SECOND, STYLE_PLAIN};
    k->mark = !k->is_line ? ".:~="[number % 4] : lines <= 2 ? "*o"[number] : (char)('a' + number % 26);
    k->paint = k->is_line ? paints[lines <= 2 ? number : 2] : STYLE_FAINT;
}

static void read_curves(chart *c, const json_t *spec) {
    const json_t *list = json_object_get(spec, "curves");
    json_t *row;
    size_t i;
    int lines = 0, number[2] = {0, 0}; /* of the next reference, and of the next line */
    json_array_foreach(list, i, row) lines += strcmp(json_string_value(json_object_get(row, "kind")), "line") == 0;
    json_array_foreach(list, i, row) {
        const char *kind = json_string_value(json_object_get(row, "kind"));
        const json_t *values = json_object_get(row, "values");
        if (strcmp(kind, "fit") == 0 || json_object_get(values, c->y.key) == NULL || c->count == MOST_CURVES) continue;
        curve *k = &c->curves[c->count++];
        k->is_line = strcmp(kind, "line") == 0;
        k->label = json_string_value(json_object_get(row, "label"));
        dress(k, number[k->is_line]++, lines);
        if (strcmp(kind, "level") == 0)
            take_level(c, k, values);
        else
            take_points(c, k, values);
    }
}

/* Adds a margin to y and avoids an empty range. */
static void settle(axis *a, bool air) {
    if (!(a->low <= a->high)) a->low = a->high = 0;
    const double room = 0.03 * (a->high - a->low);
    if (air) a->low -= room, a->high += room;
    if (!(a->high > a->low)) a->high = a->low + 1;
}

/* ---- drawing ---- */

/* The curve at this position by linear interpolation; NAN outside its points. */
static double curve_at(const curve *k, double at, double tolerance) {
    int i = 1;
    if (k->count == 0 || at < k->x[0] - tolerance || at > k->x[k->count - 1] + tolerance) return (double)NAN;
    if (isinf(k->x[0])) return k->y[0];
    while (i < k->count - 1 && k->x[i] < at) i++;
    if (k->count < 2 || !(k->x[i] > k->x[i - 1])) return k->y[0];
    return k->y[i - 1] + (k->y[i] - k->y[i - 1]) * (at - k->x[i - 1]) / (k->x[i] - k->x[i - 1]);
}

/* picture[line][column]: one bit for each curve there. */
static void draw(const chart *c, uint64_t picture[LINES][COLUMNS]) {
    const double width = c->x.high - c->x.low;
    memset(picture, 0, LINES * sizeof *picture);
    for (int k = 0; k < c->count; k++)
        for (int column = 0; column < c->columns; column++) {
            const double y = curve_at(&c->curves[k], c->x.low + width * column / (c->columns - 1), width / (2 * c->columns));
            const double line = (c->y.high - y) / (c->y.high - c->y.low) * (LINES - 1);
            if (line >= -0.5 && line < LINES - 0.5) picture[(int)lround(line)][column] |= UINT64_C(1) << k;
        }
}

/* The curve that is shown at a position: lines before references; several lines alternate by
 * column. NULL: none. */
static const curve *seen(const chart *c, uint64_t there, int column) {
    for (int lines = 1; lines >= 0; lines--) {
        const curve *some[MOST_CURVES];
        int count = 0;
        for (int k = 0; k < c->count; k++)
            if ((there >> k & 1) != 0 && c->curves[k].is_line == (lines == 1)) some[count++] = &c->curves[k];
        if (count > 0) return some[column % count];
    }
    return NULL;
}

/* Ticks that are 1, 2 or 5 times a power of ten apart. */
static int even_ticks(double low, double high, int most, double ticks[MOST_TICKS]) {
    const double rough = (high - low) / most, power = pow(10, floor(log10(rough)));
    const double step = power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
    int count = 0;
    for (double k = ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && count < MOST_TICKS; k++) ticks[count++] = k * step;
    return count;
}

/* Ticks of a logarithmic axis: at powers of ten; on a short axis also at 2 and 5 times these; if
 * that leaves at most one, evenly spaced. */
static int ticks_of(const axis *a, int most, double ticks[MOST_TICKS]) {
    static const double between[] = {0, 0.30103, 0.69897};
    const double step = fmax(1, ceil((a->high - a->low) / most));
    int count = 0;
    if (!a->log) return even_ticks(a->low, a->high, most, ticks);
    for (double at = step * floor(a->low / step); at <= a->high; at += step)
        for (int k = 0; k < (a->high - a->low < 2 ? 3 : 1); k++)
            if (at + between[k] >= a->low - 1e-9 && at + between[k] <= a->high + 1e-9 && count < MOST_TICKS)
                ticks[count++] = at + between[k];
    if (count > 1) return count;
    count = even_ticks(pow(10, a->low), pow(10, a->high), most, ticks);
    for (int i = 0; i < count; i++) ticks[i] = log10(ticks[i]);
    return count;
}

/* "1e-6" instead of 1e-06. */
static int tick_text(const axis *a, double at, char text[16]) {
    if (a->log && at == floor(at) && fabs(at) > 4) return snprintf(text, 16, "1e%.0f", at);
    return snprintf(text, 16, "%.6g", a->log ? pow(10, at) : fabs(at) < 1e-9 * (a->high - a->low) ? 0 : at);
}

static void print_line(FILE *to, const chart *c, const uint64_t *line) {
    int end = c->columns;
    while (end > 0 && line[end - 1] == 0) end--;
    for (int column = 0; column < end; column++) {
        const curve *k = seen(c, line[column], column);
        if (k == NULL)
            fputc(' ', to);
        else
            fprintf(to, "%s%c%s", styled(k->paint), k->mark, styled(STYLE_PLAIN));
    }
    fputc('\n', to);
}

/* A number centred below its tick, if there is room. */
static void print_x_axis(FILE *to, const chart *c) {
    char rule[COLUMNS + 1], signs[COLUMNS + 1], text[16];
    double ticks[MOST_TICKS];
    const int count = ticks_of(&c->x, 6, ticks);
    int end = 0;
    snprintf(signs, sizeof signs, "%*s", c->columns, "");
    memset(rule, '-', sizeof rule);
    for (int i = 0; i < count; i++) {
        const int length = tick_text(&c->x, ticks[i], text);
        const int at = (int)lround((ticks[i] - c->x.low) / (c->x.high - c->x.low) * (c->columns - 1));
        int from = at - length / 2;
        if (from + length > c->columns) from = c->columns - length;
        if (from < 0) from = 0;
        rule[at] = '+';
        if (end > 0 && from <= end) continue;
        memcpy(signs + from, text, (size_t)length);
        end = from + length;
    }
    fprintf(to, "%*s+%.*s\n%*s%.*s\n", MARGIN - 1, "", c->columns, rule, MARGIN, "", end, signs);
}

/* The axis before a line of the picture, with a number if there is a tick. */
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

/* The title of x and the legend, wrapped. */
static void print_legend(FILE *to, const chart *c) {
    const int most = output_columns(WIDEST);
    int column = fprintf(to, "%*s%s  ", MARGIN, "", c->x.title);
    for (int k = 0; k < c->count; k++) {
        const curve *at = &c->curves[k];
        const int width = 5 + (int)strlen(at->label);
        if (column + width > most) column = fprintf(to, "\n%*s", MARGIN - 1, "") - 1;
        fprintf(to, "   %s%c%s %s", styled(at->paint), at->mark, styled(STYLE_PLAIN), at->label);
        column += width;
    }
    fputc('\n', to);
}

static void print_chart(FILE *to, const json_t *spec, size_t y) {
    chart c = {.x = axis_of(spec, "x", 0), .y = axis_of(spec, "y", y), .columns = output_columns(WIDEST) - MARGIN - AIR};
    uint64_t picture[LINES][COLUMNS];
    read_curves(&c, spec);
    settle(&c.x, false);
    settle(&c.y, true);
    draw(&c, picture);
    fprintf(to, "  %s\n", c.y.title);
    for (int line = 0; line < LINES; line++) {
        print_y_axis(to, &c.y, line);
        print_line(to, &c, picture[line]);
    }
    print_x_axis(to, &c);
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

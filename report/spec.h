/* spec.h - a chart as data: what it shows, not how it is drawn. report/chart.js draws it on the
 * page, cli/chart.c in the terminal.
 *
 *   { "id", "title", "about",
 *     "x": [{"key", "title", "log"}, ...],              the axes to choose from, the first by default
 *     "y": [{"key", "title", "log"}, ...],
 *     "curves": [{"label", "kind", "values": {key: [numbers or null], ...}}, ...],
 *     "terminal": how many of "y" are drawn where `--plot` is asked for,
 *     "band": "what lies between KEY_low and KEY_high", or left out }
 *
 * kind: "line"; "fit", a straight line that belongs to the line before it; "reference", a curve
 * to compare with; "level", one number that holds for all x. */
#ifndef SUSTAIN_REPORT_SPEC_H
#define SUSTAIN_REPORT_SPEC_H

#include <jansson.h>
#include <stdbool.h>

json_t *spec_new(const char *id, const char *title, const char *about, int terminal);

/* Adds an axis to choose from: `axes` is "x" or "y". */
void spec_axis(json_t *spec, const char *axes, const char *key, const char *title, bool log);

/* Adds a curve; takes `values`. Of a long one, points are left out: of every y axis that was
 * added before, the least and the greatest value of each of 500 stretches stay, so that a chart
 * shows the same. Columns that belong to no axis are left out. */
void spec_curve(json_t *spec, const char *label, const char *kind, json_t *values);

/* A level: the same y for all x. Nothing is added where it is not a number. */
void spec_level(json_t *spec, const char *label, const char *y, double value);

/* Bars: { "id", "title", "about", "bars": {"from", "to", "x", "y", "series": [{"label",
 * "counts"}]} }, of equal width between `from` and `to`. */
json_t *spec_bars(const char *id, const char *title, const char *about, double from, double to, const char *x, const char *y);
void spec_series(json_t *spec, const char *label, json_t *counts);

/* A number, or null where it is not finite. */
json_t *spec_number(double value);

#endif

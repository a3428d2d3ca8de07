/* spec.c - see spec.h. */
#include "spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *spec_number(double value) {
    if (!isfinite(value)) return json_null();
    if (value == floor(value) && fabs(value) <= 0x1p53) return json_integer((json_int_t)value);
    return json_real(value);
}

static json_t *titled(const char *id, const char *title, const char *about) {
    return json_pack("{s:s, s:s, s:s}", "id", id, "title", title, "about", about);
}

json_t *spec_new(const char *id, const char *title, const char *about, int terminal) {
    json_t *spec = titled(id, title, about);
    json_object_set_new(spec, "terminal", json_integer(terminal));
    json_object_set_new(spec, "x", json_array());
    json_object_set_new(spec, "y", json_array());
    json_object_set_new(spec, "curves", json_array());
    return spec;
}

void spec_axis(json_t *spec, const char *axes, const char *key, const char *title, bool log) {
    json_array_append_new(json_object_get(spec, axes), json_pack("{s:s, s:s, s:b}", "key", key, "title", title, "log", log));
}

/* ---- long curves ---- */

enum { MOST_POINTS = 2000, STRETCHES = 500 };

static size_t length_of(const json_t *values) {
    const char *key;
    json_t *list;
    size_t length = 0;
    json_object_foreach((json_t *)values, key, list) length = json_array_size(list) > length ? json_array_size(list) : length;
    return length;
}

/* Whether a column belongs to an axis: KEY, KEY_low or KEY_high; or the names of points. */
static bool is_used(const json_t *spec, const char *column) {
    static const char *const axes[] = {"x", "y"};
    for (int i = 0; i < 2; i++) {
        size_t k;
        json_t *axis;
        json_array_foreach(json_object_get(spec, axes[i]), k, axis) {
            const char *key = json_string_value(json_object_get(axis, "key"));
            const size_t length = key != NULL ? strlen(key) : 0;
            if (key == NULL || strncmp(column, key, length) != 0) continue;
            if (column[length] == '\0' || strcmp(column + length, "_low") == 0 || strcmp(column + length, "_high") == 0) return true;
        }
    }
    return strcmp(column, "name") == 0;
}

/* Marks the points to keep for one column. Stretches are of points that have a value: few of
 * them stay even where most lines have none. */
static void keep_extremes(const json_t *list, bool *kept) {
    const size_t length = json_array_size(list);
    size_t there = 0, seen = 0, least = 0, most = 0, stretch = 0;
    for (size_t i = 0; i < length; i++) there += json_is_number(json_array_get(list, i));
    for (size_t i = 0; there > 0 && i < length; i++) {
        const json_t *value = json_array_get(list, i);
        if (!json_is_number(value)) continue;
        const double v = json_number_value(value);
        const size_t now = seen * STRETCHES / there;
        if (seen == 0 || seen == there - 1) kept[i] = true;
        if (seen == 0 || now != stretch) least = most = i;
        if (v < json_number_value(json_array_get(list, least))) least = i;
        if (v > json_number_value(json_array_get(list, most))) most = i;
        stretch = now;
        /* the stretch ends here */
        if (++seen * STRETCHES / there != stretch) kept[least] = kept[most] = true;
    }
}

static json_t *picked(const json_t *list, const bool *kept) {
    json_t *few = json_array();
    for (size_t i = 0; i < json_array_size(list); i++)
        if (kept[i]) json_array_append(few, json_array_get(list, i));
    return few;
}

/* Takes `values`. */
static json_t *thinned(const json_t *spec, json_t *values) {
    const size_t length = length_of(values);
    bool *kept = length > MOST_POINTS ? calloc(length, sizeof *kept) : NULL;
    json_t *few, *list, *axis;
    const char *key;
    size_t i;
    if (kept == NULL) return values;
    json_array_foreach(json_object_get(spec, "y"), i, axis)
        keep_extremes(json_object_get(values, json_string_value(json_object_get(axis, "key"))), kept);
    few = json_object();
    json_object_foreach(values, key, list) if (is_used(spec, key)) json_object_set_new(few, key, picked(list, kept));
    json_decref(values);
    free(kept);
    return few;
}

void spec_curve(json_t *spec, const char *label, const char *kind, json_t *values) {
    values = thinned(spec, values);
    json_array_append_new(json_object_get(spec, "curves"), json_pack("{s:s, s:s, s:o}", "label", label, "kind", kind, "values", values));
}

void spec_level(json_t *spec, const char *label, const char *y, double value) {
    if (isfinite(value)) spec_curve(spec, label, "level", json_pack("{s:[o]}", y, spec_number(value)));
}

json_t *spec_bars(const char *id, const char *title, const char *about, double from, double to, const char *x, const char *y) {
    json_t *spec = titled(id, title, about);
    json_object_set_new(spec, "bars", json_pack("{s:f, s:f, s:s, s:s, s:[]}", "from", from, "to", to, "x", x, "y", y, "series"));
    return spec;
}

void spec_series(json_t *spec, const char *label, json_t *counts) {
    json_array_append_new(json_object_get(json_object_get(spec, "bars"), "series"),
                          json_pack("{s:s, s:o}", "label", label, "counts", counts));
}

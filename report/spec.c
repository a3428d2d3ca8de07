/* spec.c - see spec.h. */
#include "spec.h"

#include <math.h>

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

void spec_curve(json_t *spec, const char *label, const char *kind, json_t *values) {
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

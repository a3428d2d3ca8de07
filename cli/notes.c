/* notes.c - see notes.h. A process has one run at a time, so its notes are kept here. */
#include "notes.h"

static json_t *warnings, *remarks;
static bool shown; /* warnings are printed at once */

enum { LONGEST = 1024 };

static void keep(json_t **list, const char *text) {
    if (*list == NULL) *list = json_array();
    json_array_append_new(*list, json_text(text));
}

void note_warning(const char *format, ...) {
    char text[LONGEST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    keep(&warnings, text);
    if (shown) complain(EXIT_DONE, "warning: %s", text);
}

void note_remark(const char *format, ...) {
    char text[LONGEST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    keep(&remarks, text);
    complain(EXIT_DONE, "%s", text);
}

void note_log(void *quiet, const char *line) {
    keep(&remarks, line);
    if (!*(const bool *)quiet) complain(EXIT_DONE, "%s", line);
}

void notes_show(void) {
    size_t i;
    json_t *warning;
    shown = true;
    json_array_foreach(warnings, i, warning) complain(EXIT_DONE, "warning: %s", json_string_value(warning));
}

void notes_json(json_t *object) {
    json_object_set_new(object, "warnings", warnings != NULL ? json_deep_copy(warnings) : json_array());
    json_object_set_new(object, "remarks", remarks != NULL ? json_deep_copy(remarks) : json_array());
}

void notes_end(void) {
    json_decref(warnings);
    json_decref(remarks);
    warnings = remarks = NULL;
    shown = false;
}

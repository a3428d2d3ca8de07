/* compare_entries.c - "sustain,stocbio:batch=1000:alpha=0.1": algorithms with their parameters. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"

/* A name that is safe for a folder. */
static void folder_name(const char *panel, const char *label, char *out, size_t size) {
    snprintf(out, size, "%s%s%s", panel, panel[0] != '\0' ? "-" : "", label);
    for (; *out != '\0'; out++)
        if (!isalnum((unsigned char)*out) && strchr("=._-", *out) == NULL) *out = '-';
}

sustain_status compare_entry_add(compare_plan *plan, const char *text, const char *label, int panel, lab_error *error) {
    if (plan->entry_count == COMPARE_ENTRIES)
        return lab_fail(error, SUSTAIN_PARAMETER, "there are more than %d algorithms", COMPARE_ENTRIES);
    compare_entry *e = &plan->entry[plan->entry_count];
    const size_t name = strcspn(text, ":");
    const char *parameters = text[name] == ':' ? text + name + 1 : "";
    if (name == 0) return lab_fail(error, SUSTAIN_PARAMETER, "a name is empty: a list is written like sustain,stocbio:batch=1000");
    if (strlen(label) >= sizeof e->label || name >= sizeof e->solver || strlen(parameters) >= sizeof e->parameters)
        return lab_fail(error, SUSTAIN_PARAMETER, "'%s' is too long", text);
    *e = (compare_entry){.panel = panel};
    snprintf(e->label, sizeof e->label, "%s", label);
    snprintf(e->solver, sizeof e->solver, "%.*s", (int)name, text);
    snprintf(e->parameters, sizeof e->parameters, "%s", parameters);
    folder_name(plan->panel[panel].folder, label, e->folder, sizeof e->folder);
    for (int i = 0; i < plan->entry_count; i++)
        if (strcmp(plan->entry[i].folder, e->folder) == 0)
            return lab_fail(error, SUSTAIN_PARAMETER, "'%s' and '%s' would share the folder %s", plan->entry[i].label, label, e->folder);
    plan->entry_count++;
    return SUSTAIN_OK;
}

sustain_status compare_entries_add(compare_plan *plan, const char *list, lab_error *error) {
    sustain_status status = SUSTAIN_OK;
    for (const char *at = list; at != NULL && status == SUSTAIN_OK;) {
        const size_t length = strcspn(at, ",");
        char text[512];
        if (length >= sizeof text) return lab_fail(error, SUSTAIN_PARAMETER, "'%.60s...' is too long", at);
        snprintf(text, sizeof text, "%.*s", (int)length, at);
        status = compare_entry_add(plan, text, text, 0, error);
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return status;
}

sustain_status compare_entry_parameters(const sustain_context *context, const compare_entry *e, compare_setter set, void *user,
                                        lab_error *error) {
    char text[sizeof e->parameters];
    memcpy(text, e->parameters, sizeof text);
    for (char *at = text; at != NULL && *at != '\0';) {
        char *next = strchr(at, ':');
        if (next != NULL) *next++ = '\0';
        char *equals = strchr(at, '=');
        if (equals == NULL || equals == at)
            return lab_fail(error, SUSTAIN_PARAMETER, "'%s' in '%s' is not written as NAME=VALUE", at, e->label);
        *equals = '\0';
        if (strcmp(at, "seed") == 0)
            return lab_fail(error, SUSTAIN_PARAMETER, "'%s': a seed is not allowed here: every run has its own, counted from the first",
                            e->label);
        const sustain_status status = set(user, at, equals + 1);
        if (status != SUSTAIN_OK) return lab_fail(error, status, "'%s': %s", e->label, sustain_error(context));
        at = next;
    }
    return SUSTAIN_OK;
}

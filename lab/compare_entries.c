/* compare_entries.c - "sustain,stocbio:batch=1000:alpha=0.1": algorithms with their parameters. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
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

int64_t compare_entry_runs(const compare_plan *plan, const compare_entry *entry) {
    return entry->runs > 0 ? entry->runs : plan->runs;
}

/* "maml=2", of the given length. */
static sustain_status fewer_runs(compare_plan *plan, const char *text, int length, lab_error *error) {
    const int name = (int)strcspn(text, "=");
    char *end = NULL;
    const long long runs = name < length ? strtoll(text + name + 1, &end, 10) : 0;
    int found = 0;
    if (end != text + length || runs < 1 || runs > plan->runs)
        return lab_fail(error, SUSTAIN_PARAMETER, "'%.*s' is not written as NAME=N, with N from 1 to the %lld runs of the others", length,
                        text, (long long)plan->runs);
    for (int i = 0; i < plan->entry_count; i++)
        if (strncmp(plan->entry[i].solver, text, (size_t)name) == 0 && plan->entry[i].solver[name] == '\0')
            plan->entry[i].runs = runs, found++;
    return found > 0 ? SUSTAIN_OK : lab_fail(error, SUSTAIN_PARAMETER, "'%.*s' is not compared", name, text);
}

sustain_status compare_entries_fewer_runs(compare_plan *plan, const char *list, lab_error *error) {
    sustain_status status = SUSTAIN_OK;
    for (const char *at = list; at != NULL && status == SUSTAIN_OK;) {
        const size_t length = strcspn(at, ",");
        status = fewer_runs(plan, at, (int)length, error);
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

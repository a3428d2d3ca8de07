/* compare_entries.c - "sustain,stocbio:batch=1000:alpha=0.1": algorithms with their parameters. */
#include <ctype.h>
#include <string.h>

#include "verb_compare.h"

/* A name that is safe as a folder's. */
static void folder_name(const char *panel, const char *label, char *out, size_t size) {
    snprintf(out, size, "%s%s%s", panel, panel[0] != '\0' ? "-" : "", label);
    for (; *out != '\0'; out++)
        if (!isalnum((unsigned char)*out) && strchr("=._-", *out) == NULL) *out = '-';
}

int compare_entry_add(compare_plan *plan, const char *text, const char *label, int panel) {
    if (plan->entry_count == COMPARE_ENTRIES) return complain(EXIT_USAGE, "--solvers has more than %d entries", COMPARE_ENTRIES);
    compare_entry *e = &plan->entry[plan->entry_count];
    const size_t name = strcspn(text, ":");
    const char *parameters = text[name] == ':' ? text + name + 1 : "";
    if (name == 0) return complain(EXIT_USAGE, "--solvers has an empty entry: it is written like sustain,stocbio:batch=1000");
    if (strlen(label) >= sizeof e->label || name >= sizeof e->solver || strlen(parameters) >= sizeof e->parameters)
        return complain(EXIT_USAGE, "--solvers: '%s' is too long", text);
    *e = (compare_entry){.panel = panel};
    snprintf(e->label, sizeof e->label, "%s", label);
    snprintf(e->solver, sizeof e->solver, "%.*s", (int)name, text);
    snprintf(e->parameters, sizeof e->parameters, "%s", parameters);
    folder_name(plan->panel[panel].folder, label, e->folder, sizeof e->folder);
    for (int i = 0; i < plan->entry_count; i++)
        if (strcmp(plan->entry[i].folder, e->folder) == 0)
            return complain(EXIT_USAGE, "--solvers has '%s' and '%s': they would share the folder %s", plan->entry[i].label, label,
                            e->folder);
    plan->entry_count++;
    return EXIT_DONE;
}

int compare_entries_add(compare_plan *plan, const char *list) {
    int code = EXIT_DONE;
    for (const char *at = list; at != NULL && code == EXIT_DONE;) {
        const size_t length = strcspn(at, ",");
        char text[512];
        if (length >= sizeof text) return complain(EXIT_USAGE, "--solvers: '%.60s...' is too long", at);
        snprintf(text, sizeof text, "%.*s", (int)length, at);
        code = compare_entry_add(plan, text, text, 0);
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return code;
}

int compare_entry_parameters(const compare_entry *e, int (*set)(void *user, const char *name, const char *value), void *user) {
    char text[sizeof e->parameters];
    int code = EXIT_DONE;
    memcpy(text, e->parameters, sizeof text);
    for (char *at = text; at != NULL && *at != '\0' && code == EXIT_DONE;) {
        char *next = strchr(at, ':');
        if (next != NULL) *next++ = '\0';
        char *equals = strchr(at, '=');
        if (equals == NULL || equals == at)
            return complain(EXIT_USAGE, "--solvers: '%s' in '%s' is not written as NAME=VALUE", at, e->label);
        *equals = '\0';
        if (strcmp(at, "seed") == 0) return complain(EXIT_USAGE, "--solvers: every run has a seed of its own; --seed says the first");
        code = set(user, at, equals + 1);
        at = next;
    }
    return code;
}

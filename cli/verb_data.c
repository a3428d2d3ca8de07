/* verb_data.c - `sustain data`: lists the named data sets, where each was found, and how to get
 * it. */
#include <dirent.h>
#include <stdlib.h>

#include "output.h"
#include "verbs.h"

typedef struct data_values {
    const char *data_dir;
    bool json;
} data_values;

const char *data_folder(const char *given) {
    if (given != NULL) return given;
    const char *set = getenv("SUSTAIN_DATA");
    return set != NULL && set[0] != '\0' ? set : NULL;
}

static void fill_list(json_t *list, const char *data_dir) {
    char folder[LONGEST_PATH];
    for (int i = 0; i < sustain_named_count(); i++) {
        const sustain_named_set *set = sustain_named_at(i);
        json_t *row = json_object();
        const bool available = sustain_named_find(set->name, data_dir, folder, sizeof folder);
        SET_TEXTS(row, {"name", set->name}, {"title", set->title});
        json_object_set_new(row, "available", json_boolean(available));
        json_object_set_new(row, "folder", folder[0] != '\0' ? json_text(folder) : json_null());
        json_object_set_new(row, "how", json_string(set->how));
        json_array_append_new(list, row);
    }
}

static int run_json(const char *data_dir) {
    json_t *object = json_object(), *list = json_array();
    fill_list(list, data_dir);
    json_object_set_new(object, "data_dir", data_dir != NULL ? json_string(data_dir) : json_null());
    json_object_set_new(object, "datasets", list);
    return print_json(object);
}

static void print_list(const char *data_dir) {
    text_table t = {.align = "lll", .indent = 0};
    char folder[LONGEST_PATH];
    static const char *const titles[] = {"name", "found", "what"};
    table_add_all(&t, titles, COUNT_OF(titles));
    for (int i = 0; i < sustain_named_count(); i++) {
        const sustain_named_set *set = sustain_named_at(i);
        const bool available = sustain_named_find(set->name, data_dir, folder, sizeof folder);
        table_add(&t, "%s", set->name);
        table_add(&t, "%s", available ? "yes" : "no");
        table_add(&t, "%s", set->title);
    }
    table_print(stdout, &t);
}

/* The folder of each set, or how to get it. */
static void print_places(const char *data_dir) {
    char folder[LONGEST_PATH], text[LONGEST_PATH + 512];
    for (int i = 0; i < sustain_named_count(); i++) {
        const sustain_named_set *set = sustain_named_at(i);
        const bool available = sustain_named_find(set->name, data_dir, folder, sizeof folder);
        putchar('\n');
        heading(stdout, set->name);
        snprintf(text, sizeof text, "%s%s", available && folder[0] != '\0' ? "found in " : "", folder[0] != '\0' ? folder : set->how);
        paragraphs(stdout, 2, text);
    }
    putchar('\n');
    if (data_dir != NULL)
        snprintf(text, sizeof text, "The data folder is %s.", data_dir);
    else
        snprintf(text, sizeof text, "There is no data folder: set one with --data-dir or in the variable SUSTAIN_DATA.");
    paragraphs(stdout, 0, text);
}

static int run(sustain_context *context, const void *values) {
    const data_values *given = values;
    const char *data_dir = data_folder(given->data_dir);
    (void)context;
    DIR *folder = data_dir != NULL ? opendir(data_dir) : NULL;
    if (data_dir != NULL && folder == NULL)
        return complain(EXIT_USAGE, "there is no folder '%s': set one with --data-dir or in the variable SUSTAIN_DATA", data_dir);
    if (folder != NULL) closedir(folder);
    if (given->json) return run_json(data_dir);
    print_list(data_dir);
    print_places(data_dir);
    return EXIT_DONE;
}

#define VALUES data_values

static const option options[] = {
    FOLDER_ROW("data-dir", data_dir, NULL, "search for data sets in this folder; default: the variable SUSTAIN_DATA"),
    SWITCH_ROW("json", json, "print one JSON object"),
};

static const example examples[] = {
    {"sustain data", "list the data sets"},
    {"sustain data --data-dir ~/data --json", "the same for another folder, as JSON"},
};

const verb verb_data = {
    .name = "data",
    .summary = "list the named data sets, and how to get them",
    .about = "Lists the named data sets: whether and where each was found, or how to get it. They are searched for in the data folder and "
             "in system folders.",
    VERB_PARTS(data_values),
};

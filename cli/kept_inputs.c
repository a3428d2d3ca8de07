/* kept_inputs.c - see kept_inputs.h. */
#include "kept_inputs.h"

#include <glob.h>
#include <string.h>
#include <sys/stat.h>

#include "folder_lock.h"
#include "run_folder.h"

static bool same_file(const char *path, const struct stat *file) {
    struct stat about;
    return stat(path, &about) == 0 && about.st_dev == file->st_dev && about.st_ino == file->st_ino;
}

/* A file, a list of files with commas between them, or patterns. */
static bool names_file(const char *value, const struct stat *file) {
    if (same_file(value, file)) return true;
    for (const char *part = value; *part != '\0';) {
        char one[LONGEST_PATH];
        glob_t found = {.gl_pathc = 0};
        const size_t length = strcspn(part, ",");
        bool same = false;
        snprintf(one, sizeof one, "%.*s", (int)length, part);
        if (glob(one, 0, NULL, &found) == 0)
            for (size_t i = 0; i < found.gl_pathc; i++) same = same || same_file(found.gl_pathv[i], file);
        globfree(&found);
        if (same) return true;
        part += length + (part[length] == ',');
    }
    return false;
}

/* Whether an option names a file, as one of its words. */
static bool option_names(const option *row, const void *values, const struct stat *file) {
    const char *field = (const char *)values + row->offset, *word = NULL;
    if (strcmp(row->name, "out") == 0) return false;
    if (row->type == OPTION_OPERANDS || row->type == OPTION_FILES) {
        const word_list *list = (const void *)field;
        for (int i = 0; i < list->count; i++)
            if (names_file(list->word[i], file)) return true;
    }
    if (row->type != OPTION_FILE && row->type != OPTION_OPERAND) return false;
    memcpy(&word, field, sizeof word);
    return word != NULL && names_file(word, file);
}

/* The option that names a file, also among those borrowed from other verbs; NULL: none. */
static const option *option_naming(const verb *v, const void *values, const struct stat *file) {
    const option *row;
    for (int i = 0; (row = verb_option(v, i)) != NULL; i++)
        if (option_names(row, values, file)) return row;
    for (int b = 0; b < v->borrowed_count; b++)
        for (int i = 0; (row = verb_borrowed_option(v, b, &i)) != NULL; i++)
            if (option_names(row, (const char *)values + v->borrowed[b].offset, file)) return row;
    return NULL;
}

int inputs_keep(const verb *v, const void *values, const char *out) {
    struct stat file;
    if (out == NULL || stat(out, &file) != 0 || !S_ISREG(file.st_mode)) return EXIT_DONE;
    const option *row = option_naming(v, values, &file);
    if (row == NULL) return EXIT_DONE;
    return complain(EXIT_USAGE, "%s is an input (%s%s), and an output would replace it: give the output another place, or give a copy", out,
                    option_is_operand(row) ? "" : "--", row->name);
}

/* ---- the folder of a run ---- */

/* config.json, or compare.json of a comparison, says which command wrote it. */
static bool says_command(const char *folder, const char *name) {
    char path[LONGEST_PATH];
    run_path(folder, name, path);
    json_t *object = json_load_file(path, 0, NULL);
    const bool says = json_is_string(json_object_get(object, "command"));
    json_decref(object);
    return says;
}

/* Of all commands: one that may begin in a folder makes it that of a run, which others write to. */
int inputs_keep_in(const verb *v, const void *values, const char *folder) {
    static const char *const names[] = {"config.json",
                                        "metrics.jsonl",
                                        "result.json",
                                        "report.html",
                                        "checkpoint.safetensors",
                                        "checkpoint-previous.safetensors",
                                        "labels.csv",
                                        "issues.csv",
                                        "cleaned.csv",
                                        "corrected.csv",
                                        "verified.csv",
                                        "next.csv",
                                        "review.csv",
                                        "shown.csv",
                                        "groups.csv",
                                        "annotations.csv",
                                        "annotators.csv",
                                        "weights.npy",
                                        "gallery.npy",
                                        "model.liblinear",
                                        "models.safetensors",
                                        "model.safetensors",
                                        "penalties.csv",
                                        "coefficients.csv",
                                        "task.npy",
                                        "task.json",
                                        "compare.json",
                                        "summary.csv"};
    int code = folder_refuse_links(folder);
    if (code != EXIT_DONE) return code;
    const bool run = says_command(folder, "config.json") || says_command(folder, "compare.json");
    for (int i = 0; i < COUNT_OF(names) && code == EXIT_DONE; i++) {
        char path[LONGEST_PATH];
        if (!run_has(folder, names[i])) continue;
        run_path(folder, names[i], path);
        code = inputs_keep(v, values, path);
        if (code == EXIT_DONE && !run)
            code = complain(EXIT_USAGE, "%s exists, but %s is not the folder of a run, whose files have such names: give another --out",
                            path, folder);
    }
    return code;
}

/* run_folder.c - see run_folder.h. */
#include "run_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record_file.h"
#include "verbs.h"

void run_path(const char *folder, const char *name, char path[LONGEST_PATH]) {
    snprintf(path, LONGEST_PATH, "%s/%s", folder, name);
}

bool run_has(const char *folder, const char *name) {
    char path[LONGEST_PATH];
    struct stat about;
    run_path(folder, name, path);
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* ---- config.json ---- */

/* Output options are not part of a run's identity. */
static bool is_kept(const option *row) {
    static const char *const left_out[] = {"out",  "resume",  "reviewed", "next",       "json",    "quiet",
                                           "plot", "threads", "ranks",    "max-memory", "profile", "help"};
    for (int i = 0; i < COUNT_OF(left_out); i++)
        if (strcmp(row->name, left_out[i]) == 0) return false;
    return true;
}

static bool may_change(const option *row) {
    return strcmp(row->name, "iterations") == 0 || strcmp(row->name, "seconds") == 0;
}

/* A list of files, each with its full path. */
static void put_paths(FILE *to, const char *value, const char *here) {
    const bool list = access(value, F_OK) != 0; /* a comma in the name of a file is no list */
    for (const char *part = value; *part != '\0';) {
        const size_t length = list ? strcspn(part, ",") : strlen(part);
        if (*part != '/' && length > 0) fprintf(to, "%s/", here);
        fwrite(part, 1, length, to);
        part += length;
        if (*part == ',') fputc(*part++, to);
    }
}

/* The value for config.json, of any length: "" if it is not given; files with their full path.
 * free() it. */
static char *kept_text(const option *row, const void *values) {
    char here[LONGEST_PATH], number[256], *text = NULL;
    const bool path = row->type == OPTION_FILE || row->type == OPTION_FOLDER;
    const char *word = NULL;
    size_t size;
    if (path || row->type == OPTION_TEXT || row->type == OPTION_OPERAND) {
        memcpy(&word, (const char *)values + row->offset, sizeof word);
    } else {
        option_value_text(row, values, number, sizeof number);
        word = number;
    }
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) end_without_memory();
    if (word != NULL && path && getcwd(here, sizeof here) != NULL)
        put_paths(to, word, here);
    else if (word != NULL)
        fputs(word, to);
    if (fclose(to) != 0 || text == NULL) end_without_memory();
    return text;
}

json_t *assignments_json(const assignments *set) {
    json_t *list = json_array();
    for (int i = 0; i < set->count; i++) {
        char text[LONGEST_PATH];
        snprintf(text, sizeof text, "%s=%s", set->pair[i].name, set->pair[i].value);
        json_array_append_new(list, json_text(text));
    }
    return list;
}

static const assignments *assignments_of(const option *row, const void *values) {
    return (const assignments *)(const void *)((const char *)values + row->offset);
}

json_t *options_json(const verb *v, const void *values) {
    json_t *object = json_object();
    const option *row;
    for (int i = 0; (row = verb_option(v, i)) != NULL; i++) {
        if (!is_kept(row)) continue;
        if (row->type == OPTION_SET) {
            json_object_set_new(object, row->name, assignments_json(assignments_of(row, values)));
            continue;
        }
        char *text = kept_text(row, values);
        if (text[0] != '\0') json_object_set_new(object, row->name, json_text(text));
        free(text);
    }
    return object;
}

void shell_word(FILE *to, const char *word) {
    if (*word != '\0' && strpbrk(word, " \t\n\"'\\$`!*?[]{}()<>|&;#~") == NULL) {
        fprintf(to, " %s", word);
        return;
    }
    fputs(" '", to);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fputs("'\\''", to);
        else
            fputc(*word, to);
    fputc('\'', to);
}

static void add_option(FILE *to, const option *row, const char *value) {
    if (!option_is_operand(row)) fprintf(to, " --%s", row->name);
    if (row->type != OPTION_SWITCH) shell_word(to, value);
}

static void add_given(FILE *to, const option *row, const void *values) {
    size_t k;
    json_t *pair;
    if (!is_kept(row) || !option_is_given(row, values)) return;
    json_t *set = row->type == OPTION_SET ? assignments_json(assignments_of(row, values)) : NULL;
    json_array_foreach(set, k, pair) add_option(to, row, json_string_value(pair));
    json_decref(set);
    char *text = kept_text(row, values);
    if (row->type != OPTION_SET) add_option(to, row, text);
    free(text);
}

json_t *repeat_json(const verb *v, const void *values) {
    char *line = NULL;
    size_t size = 0;
    const option *row;
    FILE *to = open_memstream(&line, &size);
    if (to == NULL) end_without_memory();
    fprintf(to, "sustain %s", v->name);
    for (int i = 0; (row = verb_option(v, i)) != NULL; i++) add_given(to, row, values);
    for (int b = 0; b < v->borrowed_count; b++)
        for (int i = 0; (row = verb_borrowed_option(v, b, &i)) != NULL; i++)
            add_given(to, row, (const char *)values + v->borrowed[b].offset);
    if (fclose(to) != 0 || line == NULL) end_without_memory();
    json_t *again = json_text(line);
    free(line);
    return again;
}

void run_fingerprint(const sustain_context *context, char text[RUN_FINGERPRINT]) {
    const unsigned long long all = sustain_context_fingerprint(context) + records_fingerprint();
    snprintf(text, RUN_FINGERPRINT, "%016llx", all);
}

/* Reviewed rows may be added to a run that is resumed: verified rows are not part of its
 * identity, and neither is how they were chosen. */
void run_identity(const sustain_context *context, const verb *v, const void *values, char text[RUN_IDENTITY]) {
    json_t *options = options_json(v, values);
    const option *row;
    for (int i = 0; (row = verb_option(v, i)) != NULL; i++)
        if (may_change(row) || strcmp(row->name, "verified-are") == 0) json_object_del(options, row->name);
    char *line = json_dumps(options, JSON_SORT_KEYS | JSON_COMPACT);
    if (line == NULL) end_without_memory();
    snprintf(text, RUN_IDENTITY, "%016llx-%016llx", (unsigned long long)sustain_context_fingerprint(context),
             (unsigned long long)sustain_hash(line, strlen(line), 0));
    free(line);
    json_decref(options);
}

int config_write(const sustain_context *context, const char *folder, const verb *v, const void *values, json_t *data) {
    char fingerprint[RUN_FINGERPRINT];
    run_fingerprint(context, fingerprint);
    json_t *object = json_object();
    SET_TEXTS(object, {"command", v->name}, {"version", sustain_version()}, {"precision", sustain_precision()});
    json_object_set_new(object, "repeat", repeat_json(v, values));
    json_object_set_new(object, "options", options_json(v, values));
    if (data != NULL) json_object_set_new(object, "fingerprint", json_text(fingerprint));
    json_object_set_new(object, "data", data);
    return write_json(folder, "config.json", object);
}

/* One option of --resume: taken from the file if it was not given. */
static int take_option(sustain_context *context, const char *folder, const option *row, void *values, const json_t *stored) {
    const char *there = json_string_value(stored);
    if (there == NULL) there = "";
    if (!option_is_given(row, values)) return *there != '\0' ? option_store(context, row, values, there) : EXIT_DONE;
    char *here = kept_text(row, values);
    const int code =
        strcmp(here, there) == 0 || may_change(row)
            ? EXIT_DONE
            : complain(EXIT_USAGE, "--%s is '%.400s' here and '%.400s' in %s/config.json: a run is resumed with the options it began with",
                       row->name, here, there, folder);
    free(here);
    return code;
}

static int take_assignments(sustain_context *context, const char *folder, const option *row, void *values, const json_t *stored) {
    if (option_is_given(row, values)) {
        json_t *here = assignments_json(assignments_of(row, values));
        const bool same = json_equal(here, stored) != 0;
        json_decref(here);
        return same ? EXIT_DONE
                    : complain(EXIT_USAGE, "--set differs from %s/config.json: a run is resumed with the options it began with", folder);
    }
    for (size_t i = 0; i < json_array_size(stored); i++) {
        const char *text = json_string_value(json_array_get(stored, i));
        const int code = text != NULL ? option_store(context, row, values, text) : EXIT_DONE;
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

int config_read(sustain_context *context, const char *folder, const verb *v, void *values, json_t **keep) {
    char path[LONGEST_PATH];
    json_error_t error;
    const option *row;
    run_path(folder, "config.json", path);
    *keep = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (*keep == NULL) return complain(EXIT_USAGE, "cannot resume the run in %s: config.json, line %d: %s", folder, error.line, error.text);
    const char *command = json_string_value(json_object_get(*keep, "command"));
    if (command == NULL || strcmp(command, v->name) != 0) return complain(EXIT_USAGE, "%s is not a run of 'sustain %s'", folder, v->name);
    const json_t *stored = json_object_get(*keep, "options");
    for (int i = 0; (row = verb_option(v, i)) != NULL; i++) {
        if (!is_kept(row)) continue;
        const json_t *value = json_object_get(stored, row->name);
        const int code = row->type == OPTION_SET ? take_assignments(context, folder, row, values, value)
                                                 : take_option(context, folder, row, values, value);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

/* ---- metrics.jsonl ---- */

static void keep_lines(FILE *to, const void *user) {
    const metrics_log *log = user;
    FILE *from = fopen(log->path, "r");
    char *line = NULL;
    size_t room = 0;
    while (from != NULL && getline(&line, &room, from) > 0) {
        /* the last line of a killed run may be incomplete */
        json_t *object = json_loads(line, 0, NULL);
        const json_t *iteration = json_object_get(object, "iteration");
        const bool kept = json_is_integer(iteration) && json_integer_value(iteration) <= log->last;
        json_decref(object);
        if (kept) fputs(line, to);
    }
    free(line);
    if (from != NULL) fclose(from);
}

int metrics_open(metrics_log *log, const char *folder, int64_t from) {
    *log = (metrics_log){.last = from};
    run_path(folder, "metrics.jsonl", log->path);
    const int code = write_file(folder, "metrics.jsonl", keep_lines, log);
    if (code != EXIT_DONE) return code;
    log->file = fopen(log->path, "a");
    return log->file != NULL ? EXIT_DONE : complain(EXIT_FAILED, "cannot write %s: %s", log->path, strerror(errno));
}

void metrics_add(metrics_log *log, int64_t iteration, json_t *line) {
    if (iteration > log->last) {
        json_dumpf(line, log->file, JSON_COMPACT | JSON_REAL_PRECISION(9));
        fputc('\n', log->file);
        fflush(log->file); /* so that other programs can read it during the run */
        log->last = iteration;
    }
    json_decref(line);
}

int metrics_close(metrics_log *log) {
    if (log->file == NULL) return EXIT_DONE;
    const bool failed = ferror(log->file) != 0;
    const bool closed = fclose(log->file) == 0;
    log->file = NULL;
    return !failed && closed ? EXIT_DONE
                             : complain(EXIT_FAILED, "cannot write %s: %s", log->path, errno != 0 ? strerror(errno) : "write error");
}

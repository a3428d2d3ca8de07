/* meta_eval.c - `sustain meta eval`: the accuracy of a trained backbone over tasks, with its interval. */
#include <string.h>

#include "meta.h"
#include "progress.h"
#include "verbs.h"

typedef struct eval_values {
    const char *folder;
    meta_source source;
    int64_t tasks, queries, shots, seed, threads;
    int split; /* 0: test, 1: validation */
    bool json, quiet;
} eval_values;

/* What config.json says of the run, as text; NULL where it does not. */
static const char *kept(const json_t *config, const char *name) {
    return json_string_value(json_object_get(json_object_get(config, "options"), name));
}

/* The source and the seed are those of training, unless given. */
static int take_config(sustain_context *context, eval_values *given, json_t **config) {
    char path[LONGEST_PATH];
    json_error_t error;
    run_path(given->folder, "config.json", path);
    *config = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    const char *command = json_string_value(json_object_get(*config, "command"));
    if (command == NULL || strcmp(command, verb_meta_train.name) != 0)
        return complain(EXIT_USAGE, "%s is not a run of 'sustain meta train': it has no config.json that says so", given->folder);
    if (given->source.dataset == NULL && given->source.images == NULL) {
        given->source.dataset = kept(*config, "dataset");
        given->source.images = kept(*config, "images");
    }
    if (given->source.data_dir == NULL) given->source.data_dir = kept(*config, "data-dir");
    const struct {
        const char *name;
        int64_t *place, open;
    } numbers[] = {{"size", &given->source.size, 0}, {"seed", &given->seed, -1}};
    for (int i = 0; i < COUNT_OF(numbers); i++) {
        const char *text = kept(*config, numbers[i].name);
        long long value = 0;
        if (*numbers[i].place != numbers[i].open) continue;
        if (text != NULL && sscanf(text, "%lld", &value) != 1) /* NOLINT: a number that does not fit is no number of ours */
            return complain(EXIT_USAGE, "%s: its option '%s' is no number", path, numbers[i].name);
        *numbers[i].place = value;
    }
    (void)context;
    return EXIT_DONE;
}

static json_t *scores_json(const eval_values *given, const sustain_pictures *pictures, const meta_scores *scores) {
    json_t *object = json_object();
    json_object_set_new(object, "run", json_text(given->folder));
    json_object_set_new(object, "source", json_text(pictures->source));
    json_object_set_new(object, "tasks", json_integer(given->tasks));
    json_object_set_new(object, "queries", json_integer(given->queries));
    json_object_set_new(object, "seed", json_integer(given->seed));
    meta_add_scores(object, scores, "");
    return object;
}

static int evaluate(sustain_context *context, const eval_values *given) {
    const sustain_split split = given->split == 0 ? SUSTAIN_SPLIT_TEST : SUSTAIN_SPLIT_VALIDATION;
    const sustain_meta_trial trial = {.tasks = given->tasks,
                                      .queries = given->queries,
                                      .shots = given->shots,
                                      .seed = (uint64_t)given->seed,
                                      .stream = given->split == 0 ? META_TEST : META_VALIDATION};
    sustain_pictures *pictures = NULL;
    meta_scores scores;
    int code = meta_pictures(context, &given->source, (uint64_t)given->seed, split, &pictures);
    progress_show("%lld tasks", (long long)given->tasks);
    if (code == EXIT_DONE) code = meta_judge(context, given->folder, pictures, &trial, &scores);
    progress_clear();
    if (code == EXIT_DONE && given->json) {
        code = print_json(scores_json(given, pictures, &scores));
    } else if (code == EXIT_DONE) {
        printf("%s%.2f +- %.2f %% right, %lld tasks of %s.%s\n", styled(STYLE_BOLD), 100 * scores.own.accuracy, 100 * scores.own.interval,
               (long long)given->tasks, pictures->source, styled(STYLE_PLAIN));
        if (!given->quiet) {
            printf("\n");
            meta_print_scores(&scores, "this model");
        }
    }
    sustain_pictures_destroy(pictures);
    return code;
}

static int run(sustain_context *context, const void *values) {
    eval_values given = *(const eval_values *)values;
    const run_values threads = {.threads = given.threads};
    json_t *config = NULL;
    progress_enable(!given.quiet && !given.json);
    int code = take_config(context, &given, &config);
    if (code == EXIT_DONE) code = refused(context, sustain_context_set_threads(context, run_options_threads(&threads)));
    if (code == EXIT_DONE) code = evaluate(context, &given);
    json_decref(config);
    return code;
}

/* ---- options ---- */

#define VALUES eval_values

static const option options[] = {
    {.name = "RUN",
     .type = OPTION_OPERAND,
     .offset = offsetof(eval_values, folder),
     .needed = true,
     .help = "the folder of a run of 'meta train'"},
    COUNT_ROW("tasks", tasks, "N", 600, 1, 1e15, "how many"),
    COUNT_ROW("queries", queries, "N", 15, 1, 1e15, "of each class of a task"),
    COUNT_ROW("shots", shots, "N", 0, 0, 1e15, "pictures of each class to learn from; 0: as in training"),
    CHOICE_ROW("split", split, 0, "test|validation", "the classes to draw them from"),
    META_SOURCE_ROWS,
    COUNT_ROW("seed", seed, "N", -1, -1, 1e15, "of the tasks; -1: that of training"),
    COUNT_ROW("threads", threads, "N", 0, 0, 1e15, "to work with; 0: one for each core. The result does not depend on it"),
    SWITCH_ROW("json", json, "print one JSON object"),
    SWITCH_ROW("quiet", quiet, "print the result in one line, and no progress"),
};

static const example examples[] = {
    {"sustain meta eval run", "the model of a run on 600 tasks of test classes"},
    {"sustain meta eval run --tasks 10000 --json", "a narrower interval, for a program to read"},
};

const verb verb_meta_eval = {
    .name = "meta eval",
    .summary = "measure a trained backbone on new tasks",
    .about = "Adapts the model of a run to tasks of classes that training never saw, and says how many queries it gets right, with the 95 "
             "% interval of the mean over "
             "tasks. Two columns: queries normalized by their own statistics, as in papers, where an answer depends on what else is asked; "
             "and by the support's, "
             "as 'meta adapt' does. The data are those of training unless --dataset or --images names others.",
    .options = options,
    .option_count = COUNT_OF(options),
    .examples = examples,
    .example_count = COUNT_OF(examples),
    .size = sizeof(eval_values),
    .run = run,
};

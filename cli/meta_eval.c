/* meta_eval.c - `sustain meta eval`: the accuracy of a trained backbone over tasks, with its 95
 * % confidence interval. */
#include <string.h>

#include "verb_meta.h"
#include "memory_limit.h"
#include "picture_files.h"
#include "progress.h"
#include "verbs.h"

typedef struct eval_values {
    const char *folder;
    meta_source source;
    int64_t tasks, queries, shots, seed, threads;
    double max_memory;
    int split; /* index into `splits` */
    bool json, quiet;
} eval_values;

/* The classes to draw from, and the stream of tasks. */
static const struct {
    sustain_split split;
    uint32_t stream;
} splits[] = {{SUSTAIN_SPLIT_TEST, META_TEST}, {SUSTAIN_SPLIT_VALIDATION, META_VALIDATION}, {SUSTAIN_SPLIT_ALL, META_TEST}};

/* An option of the run in config.json, as text; NULL: not there. */
static const char *kept(const json_t *config, const char *name) {
    return json_string_value(json_object_get(json_object_get(config, "options"), name));
}

/* The source and the seed are those of training, unless given. */
static int take_config(eval_values *given, json_t **config) {
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
    const char *seed = kept(*config, "seed");
    long long value = 0;
    if (given->seed >= 0) return EXIT_DONE;
    if (seed != NULL && whole_numbers(seed, '\0', 1, &value) != 1)
        return complain(EXIT_USAGE, "%s: its option 'seed' is not a number", path);
    given->seed = value;
    return EXIT_DONE;
}

/* Reads pictures of any set in the size of the model. */
static int take_shape(sustain_context *context, eval_values *given) {
    sustain_fewshot_model *model = NULL;
    const int code = fewshot_model_open(context, given->folder, &model);
    if (code != EXIT_DONE) return code;
    const sustain_fewshot_about about = sustain_fewshot_model_about(model);
    given->source.channels = about.channels;
    if (given->source.size == 0) given->source.size = about.height;
    sustain_fewshot_model_destroy(model);
    return EXIT_DONE;
}

static json_t *scores_json(const eval_values *given, const sustain_pictures *pictures, const meta_scores *scores) {
    json_t *object = json_object();
    SET_TEXTS(object, {"run", given->folder}, {"source", pictures->source});
    json_object_set_new(object, "tasks", json_integer(given->tasks));
    json_object_set_new(object, "queries", json_integer(given->queries));
    json_object_set_new(object, "seed", json_integer(given->seed));
    meta_add_scores(object, scores, "");
    return object;
}

static int evaluate(sustain_context *context, const eval_values *given) {
    const sustain_meta_trial trial = {.tasks = given->tasks,
                                      .queries = given->queries,
                                      .shots = given->shots,
                                      .seed = (uint64_t)given->seed,
                                      .stream = splits[given->split].stream};
    sustain_pictures *pictures = NULL;
    meta_scores scores;
    int code = meta_pictures(context, &given->source, (uint64_t)given->seed, splits[given->split].split, &pictures);
    progress_show("%lld tasks", (long long)given->tasks);
    if (code == EXIT_DONE) code = meta_judge(context, given->folder, pictures, &trial, &scores);
    progress_clear();
    if (code == EXIT_DONE && given->json) {
        code = print_json(scores_json(given, pictures, &scores));
    } else if (code == EXIT_DONE) {
        char share[META_SHARE_TEXT];
        printf("%s%s right, %lld task%s of %s.%s\n", styled(STYLE_BOLD), meta_share_text(scores.own.accuracy, scores.own.interval, share),
               (long long)given->tasks, given->tasks == 1 ? "" : "s", pictures->source, styled(STYLE_PLAIN));
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
    memory_limit(context, given.max_memory);
    progress_enable(!given.quiet && !given.json);
    int code = take_config(&given, &config);
    if (code == EXIT_DONE) code = refused(context, sustain_context_set_threads(context, run_options_threads(&threads)));
    if (code == EXIT_DONE) code = take_shape(context, &given);
    if (code == EXIT_DONE) code = evaluate(context, &given);
    json_decref(config);
    return code;
}

/* ---- options ---- */

#define VALUES eval_values

static const option options[] = {
    NEEDED_ROW("RUN", folder, OPTION_OPERAND, "the folder of a run of 'meta train'"),
    COUNT_ROW("tasks", tasks, "N", 600, 1, 1e15, "number of tasks"),
    COUNT_ROW("queries", queries, "N", 15, 1, 1e15, "query pictures of each class of a task"),
    COUNT_ROW("shots", shots, "N", 0, 0, 1e15, "support pictures of each class; 0: as in training"),
    CHOICE_ROW("split", split, 0, "test|validation|all", "the classes to draw tasks from; all: for data that the model was not trained on"),
    META_SOURCE_ROWS,
    COUNT_ROW("seed", seed, "N", -1, -1, 1e15, "of the tasks; -1: that of training"),
    COUNT_ROW("threads", threads, "N", 0, 0, 1e15, "number of threads; 0: one per core. The result does not depend on it"),
    MEMORY_ROW(max_memory),
    SWITCH_ROW("json", json, "print one JSON object"),
    SWITCH_ROW("quiet", quiet, "print the result in one line, and no progress"),
};

static const example examples[] = {
    {"sustain meta eval run", "the model of a run on 600 tasks of test classes"},
    {"sustain meta eval run --images photos --split all", "on your own pictures, one folder for each class"},
    {"sustain meta eval run --tasks 10000 --json", "a narrower confidence interval, as JSON"},
};

const verb verb_meta_eval = {
    .name = "meta eval",
    .summary = "measure a trained backbone on new tasks",
    .about = "Adapts the model of a run to tasks of new classes and shows the share of correct predictions, with the 95 % confidence "
             "interval of the mean over tasks. Two columns: queries normalized by their own statistics, as in the literature, where a "
             "prediction depends on the other queries; and by the support's, as in 'meta adapt'. The data are those of training unless "
             "--dataset "
             "or --images names others, which are read in the size of the model.",
    VERB_PARTS(eval_values),
};

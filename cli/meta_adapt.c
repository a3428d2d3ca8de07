/* meta_adapt.c - `sustain meta adapt`: adapts the model of a run to new classes from a few
 * pictures of each, and classifies other pictures. */
#include <stdlib.h>
#include <string.h>

#include "csv_write.h"
#include "kept_inputs.h"
#include "memory_limit.h"
#include "output.h"
#include "picture_files.h"
#include "progress.h"
#include "run_folder.h"
#include "run_options.h"
#include "verbs.h"

typedef struct adapt_values {
    const char *run, *support, *out;
    word_list query;
    int64_t threads;
    double max_memory;
    bool transductive, csv, json, quiet;
} adapt_values;

/* All state of the command. */
typedef struct adaptation {
    sustain_context *context;
    size_t allowed; /* bytes */
    int threads;
    const adapt_values *given;
    sustain_fewshot_model *model;
    sustain_fewshot_about about;
    sustain_pictures *support;
    picture_files files;         /* the queries */
    const uint8_t **pictures;    /* of the support */
    int32_t *labels;             /* of the support */
    sustain_real *probabilities; /* (queries, classes) */
    double *seconds;             /* (queries): time of each prediction */
    int64_t *best, *second;      /* (queries): the two most probable classes */
    double adapt_seconds, predict_seconds;
    int64_t known, right; /* queries whose folder names a class; those predicted correctly */
} adaptation;

static const char *name_of(const adaptation *a, int64_t class) {
    return a->support->class_names[class];
}

static double probability(const adaptation *a, int64_t i, int64_t class) {
    return (double)a->probabilities[i * a->support->classes + class];
}

/* ---- reading ---- */

static int read_support(adaptation *a) {
    const sustain_picture_options options = {.channels = a->about.channels, .height = a->about.height, .width = a->about.width};
    const int code = refused(a->context, sustain_pictures_folder(a->context, a->given->support, SUSTAIN_SPLIT_ALL, &options, &a->support));
    if (code != EXIT_DONE) return code;
    if (a->support->classes < 2) return complain(EXIT_USAGE, "%s: it has only one class; give at least two", a->given->support);
    if (a->about.fixed_ways && a->support->classes != a->about.ways)
        return complain(EXIT_USAGE,
                        "%s has %lld classes: this model (%s) has a learned start for %lld classes and works with no other number",
                        a->given->support, (long long)a->support->classes, a->about.method, (long long)a->about.ways);
    return EXIT_DONE;
}

static int allocate(adaptation *a) {
    const size_t support = (size_t)a->support->count, queries = (size_t)a->files.count, classes = (size_t)a->support->classes;
    a->pictures = malloc(support * sizeof *a->pictures);
    a->labels = malloc(support * sizeof *a->labels);
    a->probabilities = malloc(queries * classes * sizeof *a->probabilities);
    a->seconds = malloc(queries * sizeof *a->seconds);
    a->best = malloc(queries * sizeof *a->best);
    a->second = malloc(queries * sizeof *a->second);
    const bool all = a->pictures && a->labels && a->probabilities && a->seconds && a->best && a->second;
    return all ? EXIT_DONE : out_of_memory();
}

/* ---- adapting and predicting ---- */

static sustain_status learn(void *user, sustain_fewshot *classifier, int thread) {
    adaptation *a = user;
    const double begun = lab_clock();
    const sustain_status status = sustain_fewshot_adapt(classifier, a->pictures, a->labels, a->support->count);
    if (thread == 0) a->adapt_seconds = lab_clock() - begun;
    return status;
}

static sustain_status answer(void *user, sustain_fewshot *classifier, int64_t i, const uint8_t *pixels) {
    const adaptation *a = user;
    const double begun = lab_clock();
    const sustain_status status = sustain_fewshot_predict(classifier, pixels, a->probabilities + i * a->support->classes);
    a->seconds[i] = lab_clock() - begun;
    return status;
}

static picture_work work_each(adaptation *a) {
    return (picture_work){.model = a->model,
                          .allowed = a->allowed,
                          .files = &a->files,
                          .ways = a->support->classes,
                          .room = a->support->count,
                          .user = a,
                          .prepare = learn,
                          .each = answer};
}

/* Each thread adapts to the support by itself, so another thread pays off only if it has as many
 * queries. */
static int useful_threads(const adaptation *a) {
    const int64_t useful = 1 + a->files.count / a->support->count;
    return useful < a->threads ? (int)useful : a->threads;
}

static int ask_each(adaptation *a) {
    const picture_work work = work_each(a);
    const int code = picture_work_run(a->context, &work, useful_threads(a));
    for (int64_t i = 0; i < a->files.count && code == EXIT_DONE; i++) a->predict_seconds += a->seconds[i];
    return code;
}

/* Pictures that are predicted together. */
typedef struct album {
    uint8_t *pixels;
    size_t size; /* bytes of a picture */
    const uint8_t **picture;
} album;

static sustain_status keep(void *user, sustain_fewshot *classifier, int64_t i, const uint8_t *pixels) {
    const album *kept = user;
    (void)classifier;
    kept->picture[i] = memcpy(kept->pixels + (size_t)i * kept->size, pixels, kept->size);
    return SUSTAIN_OK;
}

static int ask_kept(adaptation *a, album *kept) {
    const int64_t support = a->support->count, queries = a->files.count;
    const picture_work work = {.model = a->model, .allowed = a->allowed, .files = &a->files, .user = kept, .each = keep};
    sustain_fewshot *classifier = NULL;
    const int code = picture_work_run(a->context, &work, a->threads);
    if (code != EXIT_DONE) return code;
    sustain_status status = sustain_fewshot_create(a->context, a->model, a->support->classes, support + queries, &classifier);
    const double begun = lab_clock();
    if (status == SUSTAIN_OK)
        status = sustain_fewshot_predict_together(classifier, a->pictures, a->labels, support, kept->picture, queries, a->probabilities);
    a->adapt_seconds = lab_clock() - begun;
    sustain_fewshot_destroy(classifier);
    return refused(a->context, status);
}

static int ask_together(adaptation *a) {
    album kept = {.size = (size_t)(a->about.channels * a->about.height * a->about.width)};
    kept.pixels = malloc((size_t)a->files.count * kept.size);
    kept.picture = malloc((size_t)a->files.count * sizeof *kept.picture);
    const int code = kept.pixels != NULL && kept.picture != NULL ? ask_kept(a, &kept) : out_of_memory();
    free(kept.pixels);
    free(kept.picture);
    return code;
}

/* ---- before ---- */

/* Everything is known: classifiers take all their memory when they are made. */
static int check_memory(adaptation *a) {
    enum { JSON_NUMBER = 56 }; /* bytes of a number in an array of jansson */
    const bool together = a->given->transductive;
    const double queries = (double)a->files.count, classes = (double)a->support->classes, number = a->given->json ? JSON_NUMBER : 0,
                 size = (double)(a->about.channels * a->about.height * a->about.width);
    memory_need needs[] = {
        {(double)sustain_context_memory(a->context), "the pictures to learn from", "give fewer of each class"},
        {queries * ((together ? size : 0) + 4 * sizeof(double) + classes * (sizeof *a->probabilities + number)), "the pictures to classify",
         "give fewer at a time"},
        {0,
         together ? "the classifier, with room for all pictures"
                  : "the classifiers of all threads, with room for the pictures to learn from",
         together ? "give fewer pictures at a time" : "take fewer --threads, or give fewer pictures of each class"},
    };
    picture_work work = work_each(a);
    if (together) work.room += a->files.count;
    const int code = picture_work_memory(&work, together ? 1 : useful_threads(a), &needs[2].bytes);
    return code == EXIT_DONE ? memory_check_needs(a->allowed, needs, COUNT_OF(needs)) : code;
}

static int read_all(adaptation *a) {
    int code = fewshot_model_open(a->context, a->given->run, &a->model);
    if (code != EXIT_DONE) return code;
    a->about = sustain_fewshot_model_about(a->model);
    code = read_support(a);
    if (code == EXIT_DONE) code = picture_files_find(&a->given->query, &a->files);
    if (code == EXIT_DONE) code = check_memory(a);
    if (code == EXIT_DONE) code = allocate(a);
    for (int64_t k = 0, i = 0; code == EXIT_DONE && k < a->support->classes; k++)
        for (; i < a->support->first[k + 1]; i++) {
            a->pictures[i] = sustain_picture_pixels(a->support, i);
            a->labels[i] = (int32_t)k;
        }
    return code;
}

/* ---- output ---- */

/* The two most probable classes of each query, and whether the first is correct. */
static void judge(adaptation *a) {
    const int64_t classes = a->support->classes;
    for (int64_t i = 0; i < a->files.count; i++) {
        int64_t best = 0, second = 1;
        for (int64_t k = 1; k < classes; k++) {
            if (probability(a, i, k) > probability(a, i, best)) {
                second = best;
                best = k;
            } else if (k != second && probability(a, i, k) > probability(a, i, second)) {
                second = k;
            }
        }
        a->best[i] = best;
        a->second[i] = second;
        const char *label = a->files.file[i].label;
        bool known = false;
        for (int64_t k = 0; k < classes; k++) known = known || (label != NULL && strcmp(label, name_of(a, k)) == 0);
        a->known += known;
        a->right += known && strcmp(label, name_of(a, best)) == 0;
    }
}

static void write_csv(FILE *to, const void *user) {
    const adaptation *a = user;
    fputs("file,label,probability", to);
    csv_probability_titles(to, a->support->class_names, a->support->classes);
    for (int64_t i = 0; i < a->files.count; i++) {
        csv_text(to, a->files.file[i].path);
        fputc(',', to);
        csv_text(to, name_of(a, a->best[i]));
        fprintf(to, ",%.6g", probability(a, i, a->best[i]));
        for (int64_t k = 0; k < a->support->classes; k++) fprintf(to, ",%.6g", probability(a, i, k));
        fputc('\n', to);
    }
}

static void print_table(const adaptation *a) {
    text_table t = {.align = "llrlr", .indent = 2};
    const char *const titles[] = {"picture", "label", "probability", "else", "probability"};
    table_add_all(&t, titles, COUNT_OF(titles));
    for (int64_t i = 0; i < a->files.count; i++) {
        table_add(&t, "%s", a->files.file[i].path);
        table_add(&t, "%s", name_of(a, a->best[i]));
        table_add(&t, "%.3f", probability(a, i, a->best[i]));
        table_add(&t, "%s", name_of(a, a->second[i]));
        table_add(&t, "%.3f", probability(a, i, a->second[i]));
    }
    table_print(stdout, &t);
}

static void say_summary(FILE *to, const adaptation *a) {
    fprintf(to, "%lld classes from %lld pictures in %.1f ms", (long long)a->support->classes, (long long)a->support->count,
            1e3 * a->adapt_seconds);
    if (a->given->transductive)
        fprintf(to, ", together with %lld queries", (long long)a->files.count);
    else
        fprintf(to, ", then %.2f ms a picture", 1e3 * a->predict_seconds / (double)a->files.count);
    if (a->known > 0) fprintf(to, "; %lld of %lld right, by the names of their folders", (long long)a->right, (long long)a->known);
    fprintf(to, ".\n");
}

static json_t *queries_json(const adaptation *a) {
    json_t *list = json_array();
    for (int64_t i = 0; i < a->files.count; i++) {
        json_t *row = json_object(), *all = json_array();
        for (int64_t k = 0; k < a->support->classes; k++) json_array_append_new(all, json_real(probability(a, i, k)));
        SET_TEXTS(row, {"file", a->files.file[i].path}, {"label", name_of(a, a->best[i])});
        json_object_set_new(row, "probabilities", all);
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *adapt_json(const adaptation *a) {
    json_t *object = json_object(), *names = json_array();
    for (int64_t k = 0; k < a->support->classes; k++) json_array_append_new(names, json_text(name_of(a, k)));
    SET_TEXTS(object, {"run", a->given->run}, {"method", a->about.method});
    json_object_set_new(object, "classes", names);
    json_object_set_new(object, "support", json_integer(a->support->count));
    json_object_set_new(object, "transductive", json_boolean(a->given->transductive));
    json_object_set_new(object, "adapt_milliseconds", json_real(1e3 * a->adapt_seconds));
    json_object_set_new(object, "predict_milliseconds", json_real(1e3 * a->predict_seconds));
    json_object_set_new(object, "accuracy", a->known > 0 ? json_real((double)a->right / (double)a->known) : json_null());
    json_object_set_new(object, "queries", queries_json(a));
    return object;
}

static int tell(const adaptation *a) {
    const adapt_values *given = a->given;
    const int code = given->out != NULL ? write_path(given->out, write_csv, a) : EXIT_DONE;
    if (code != EXIT_DONE) return code;
    if (given->json) return print_json(adapt_json(a));
    if (given->csv)
        write_csv(stdout, a);
    else if (given->out == NULL)
        print_table(a);
    if (!given->quiet) say_summary(given->csv ? stderr : stdout, a);
    return EXIT_DONE;
}

/* ---- the verb ---- */

static int run(sustain_context *context, const void *values) {
    const adapt_values *given = values;
    adaptation a = {.context = context, .given = given, .allowed = memory_limit(context, given->max_memory)};
    if (given->support == NULL)
        return complain(EXIT_USAGE, "--support is missing: give a folder with one folder of pictures for each class");
    if (given->query.count == 0) return complain(EXIT_USAGE, "--query is missing: give pictures or a folder of pictures");
    a.threads = run_options_threads(&(run_values){.threads = given->threads});
    progress_enable(!given->quiet && !given->json);
    int code = refused(context, sustain_context_set_threads(context, a.threads));
    if (code == EXIT_DONE) code = inputs_keep(&verb_meta_adapt, given, given->out);
    if (code == EXIT_DONE) code = read_all(&a);
    if (code == EXIT_DONE) code = given->transductive ? ask_together(&a) : ask_each(&a);
    if (code == EXIT_DONE) judge(&a);
    if (code == EXIT_DONE) code = tell(&a);
    void *const parts[] = {a.pictures, a.labels, a.probabilities, a.seconds, a.best, a.second};
    for (int i = 0; i < COUNT_OF(parts); i++) free(parts[i]);
    picture_files_free(&a.files);
    sustain_pictures_destroy(a.support);
    sustain_fewshot_model_destroy(a.model);
    return code;
}

#define VALUES adapt_values

static const option options[] = {
    NEEDED_ROW("RUN", run, OPTION_OPERAND, "the folder of a run of 'meta train', or a model file"),
    FOLDER_ROW("support", support, NULL, "the pictures to learn from: one folder for each class, with PNG or JPEG pictures of any size"),
    {.name = "query",
     .type = OPTION_FILES,
     .offset = offsetof(adapt_values, query),
     .argument = "FILE...",
     .help = "the pictures to classify, or folders of them; if these have a folder for each class, the accuracy is shown too"},
    SWITCH_ROW("transductive", transductive,
               "normalize support and queries together, as in the literature (maml: the queries separately); a prediction then depends "
               "on the other queries"),
    COUNT_ROW("threads", threads, "N", 0, 0, 1024, "number of threads; 0: one per core. The result does not depend on it"),
    MEMORY_ROW(max_memory),
    FILE_ROW("out", out, "write the predictions to this file, as CSV with the probability of every class"),
    SWITCH_ROW("csv", csv, "print that CSV instead of the table"),
    SWITCH_ROW("json", json, "print one JSON object"),
    SWITCH_ROW("quiet", quiet, "omit the line with the times"),
};

static const example examples[] = {
    {"sustain meta adapt run --support photos --query new/*.jpg", "classify new pictures by those in photos/CLASS/"},
    {"sustain meta adapt run --support photos --query check --json", "with the accuracy, if check has the same folders"},
};

const verb verb_meta_adapt = {
    .name = "meta adapt",
    .summary = "learn new classes from a few pictures of each, and classify others",
    .about =
        "Adapts the model of a run to the classes of --support and classifies the pictures of --query, with the probability of every class "
        "and the milliseconds per picture. Pictures are rotated according to Exif, scaled to the size of the model and "
        "cropped to the centre. Normalization uses the statistics of the support, so the prediction for a picture does not depend on "
        "the other queries; 'sustain meta eval' shows both variants. A C program can do the same with fewshot.h.",
    VERB_PARTS(adapt_values),
};

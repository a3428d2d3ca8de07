/* meta_embed.c - `sustain meta embed`: the features that a trained backbone makes of pictures, as an NPY file: pictures for `sustain clean`. */
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "output.h"
#include "picture_files.h"
#include "progress.h"
#include "verbs.h"

/* Pictures whose statistics all are normalized by, at most. */
enum { SAMPLE = 256 };

typedef struct embed_values {
    const char *run, *out, *list;
    word_list pictures;
    bool json, quiet;
} embed_values;

typedef struct embedding {
    sustain_context *context;
    const embed_values *given;
    sustain_fewshot_model *model;
    sustain_fewshot_about about;
    picture_files files;
    sustain_fewshot *classifier;
    sustain_real *features; /* (pictures, features) */
    double seconds;
} embedding;

/* Takes the statistics of pictures that stand at equal distances in the list. `pixels` has room for SAMPLE of them. */
static int normalize(embedding *e, uint8_t *pixels, size_t size) {
    const uint8_t *pictures[SAMPLE];
    const int64_t count = e->files.count < SAMPLE ? e->files.count : SAMPLE;
    int code = EXIT_DONE;
    for (int64_t i = 0; i < count && code == EXIT_DONE; i++) {
        pictures[i] = pixels + (size_t)i * size;
        code = picture_file_read(e->context, &e->files.file[i * e->files.count / count], &e->about, pixels + (size_t)i * size);
    }
    return code == EXIT_DONE ? refused(e->context, sustain_fewshot_normalize(e->classifier, pictures, count)) : code;
}

static int compute(embedding *e, uint8_t *pixels, size_t size) {
    const double begun = seconds_now();
    int code = normalize(e, pixels, size);
    for (int64_t i = 0; i < e->files.count && code == EXIT_DONE; i++) {
        progress_show("%lld of %lld pictures", (long long)i, (long long)e->files.count);
        code = picture_file_read(e->context, &e->files.file[i], &e->about, pixels);
        if (code == EXIT_DONE)
            code = refused(e->context, sustain_fewshot_features(e->classifier, pixels, e->features + i * e->about.features));
    }
    progress_clear();
    e->seconds = seconds_now() - begun;
    return code;
}

static int embed(embedding *e) {
    int code = fewshot_model_open(e->context, e->given->run, &e->model);
    if (code != EXIT_DONE) return code;
    e->about = sustain_fewshot_model_about(e->model);
    const size_t size = (size_t)(e->about.channels * e->about.height * e->about.width);
    code = picture_files_find(&e->given->pictures, &e->files);
    if (code == EXIT_DONE)
        code = refused(e->context, sustain_fewshot_create(e->context, e->model, e->about.ways,
                                                          e->about.ways > SAMPLE ? e->about.ways : SAMPLE, &e->classifier));
    if (code != EXIT_DONE) return code;
    uint8_t *pixels = malloc(SAMPLE * size);
    e->features = malloc((size_t)(e->files.count * e->about.features) * sizeof *e->features);
    code = pixels != NULL && e->features != NULL ? compute(e, pixels, size) : complain(EXIT_FAILED, "out of memory");
    free(pixels);
    return code;
}

/* ---- what it writes and says ---- */

static void write_list(FILE *to, const void *user) {
    const embedding *e = user;
    fputs("file,label\n", to);
    for (int64_t i = 0; i < e->files.count; i++) {
        csv_text(to, e->files.file[i].path);
        fputc(',', to);
        if (e->files.file[i].label != NULL) csv_text(to, e->files.file[i].label);
        fputc('\n', to);
    }
}

static int write_all(const embedding *e) {
    const int64_t shape[2] = {e->files.count, e->about.features};
    const sustain_npy_type type = sizeof(sustain_real) == 8 ? SUSTAIN_NPY_DOUBLE : SUSTAIN_NPY_FLOAT;
    if (sustain_npy_write(e->context, e->given->out, type, 2, shape, e->features) != SUSTAIN_OK)
        return complain(EXIT_FAILED, "%s", sustain_error(e->context));
    return e->given->list != NULL ? write_path(e->given->list, write_list, e) : EXIT_DONE;
}

static json_t *embed_json(const embedding *e) {
    json_t *object = json_object();
    json_object_set_new(object, "run", json_text(e->given->run));
    json_object_set_new(object, "pictures", json_integer(e->files.count));
    json_object_set_new(object, "features", json_integer(e->about.features));
    json_object_set_new(object, "seconds", json_real(e->seconds));
    json_object_set_new(object, "out", json_text(e->given->out));
    json_object_set_new(object, "list", e->given->list != NULL ? json_text(e->given->list) : json_null());
    return object;
}

/* ---- the verb ---- */

static int run(sustain_context *context, const void *values) {
    const embed_values *given = values;
    embedding e = {.context = context, .given = given};
    if (given->out == NULL) return complain(EXIT_USAGE, "say where the features go: --out FILE.npy");
    progress_enable(!given->quiet && !given->json);
    int code = embed(&e);
    if (code == EXIT_DONE) code = write_all(&e);
    if (code == EXIT_DONE && given->json)
        code = print_json(embed_json(&e));
    else if (code == EXIT_DONE && !given->quiet)
        printf("%lld features each of %lld pictures in %.1f s: %s\n", (long long)e.about.features, (long long)e.files.count, e.seconds,
               given->out);
    free(e.features);
    picture_files_free(&e.files);
    sustain_fewshot_destroy(e.classifier);
    sustain_fewshot_model_destroy(e.model);
    return code;
}

#define VALUES embed_values

static const option options[] = {
    {.name = "RUN",
     .type = OPTION_OPERAND,
     .offset = offsetof(embed_values, run),
     .needed = true,
     .help = "the folder of a run of 'meta train', or a model file"},
    {.name = "PICTURE",
     .type = OPTION_OPERANDS,
     .offset = offsetof(embed_values, pictures),
     .needed = true,
     .help = "PNG or JPEG files, or folders of them, which may have one folder for each class"},
    FILE_ROW("out", out, "the features, one row for each picture, as an NPY file"),
    FILE_ROW("list", list, "CSV in the same order: the file, and the folder of its class"),
    {.name = "json", .type = OPTION_SWITCH, .offset = offsetof(embed_values, json), .help = "print one JSON object"},
    {.name = "quiet", .type = OPTION_SWITCH, .offset = offsetof(embed_values, quiet), .help = "print nothing"},
};

static const example examples[] = {
    {"sustain meta embed run photos --out photos.npy --list photos.csv", "features of all pictures in photos/CLASS/"},
    {"sustain clean --features photos.npy --labels photos.csv --label-column label ...", "which of them are in the wrong folder"},
};

const verb verb_meta_embed = {
    .name = "meta embed",
    .summary = "features of pictures, from a trained backbone",
    .about = "Writes what the backbone of a run makes of pictures: one row of numbers for each, for 'sustain clean' and any other program "
             "that wants features. All are normalized by the "
             "statistics of up to 256 of them, at equal distances in the list, so that rows can be compared.",
    .options = options,
    .option_count = COUNT_OF(options),
    .examples = examples,
    .example_count = COUNT_OF(examples),
    .size = sizeof(embed_values),
    .run = run,
};

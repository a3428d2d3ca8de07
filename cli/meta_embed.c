/* meta_embed.c - `sustain meta embed`: writes the features of pictures, computed by a trained
 * backbone, as an NPY file, e.g. for `sustain clean`. */
#include <stdlib.h>
#include <string.h>

#include "csv_write.h"
#include "folder_lock.h"
#include "kept_inputs.h"
#include "memory_limit.h"
#include "output.h"
#include "picture_files.h"
#include "progress.h"
#include "run_options.h"
#include "verbs.h"

/* Most pictures used for the normalization statistics. */
enum { SAMPLE = 256 };

typedef struct embed_values {
    const char *run, *out, *list;
    word_list pictures;
    int64_t threads;
    double max_memory;
    bool json, quiet;
} embed_values;

typedef struct embedding {
    sustain_context *context;
    size_t allowed; /* bytes */
    const embed_values *given;
    sustain_fewshot_model *model;
    sustain_fewshot_about about;
    size_t size; /* bytes of a picture */
    picture_files files;
    uint8_t *pixels; /* (SAMPLE, size): pictures for the statistics */
    const uint8_t *sample[SAMPLE];
    int64_t sample_count;
    sustain_real *features; /* (pictures, features) */
    double seconds;
} embedding;

/* ---- computing ---- */

static sustain_status normalize(void *user, sustain_fewshot *classifier, int thread) {
    const embedding *e = user;
    (void)thread;
    return sustain_fewshot_normalize(classifier, e->sample, e->sample_count);
}

static sustain_status embed_one(void *user, sustain_fewshot *classifier, int64_t i, const uint8_t *pixels) {
    const embedding *e = user;
    return sustain_fewshot_features(classifier, pixels, e->features + i * e->about.features);
}

/* Reads equally spaced pictures of the list. */
static int read_sample(embedding *e) {
    int code = EXIT_DONE;
    e->sample_count = e->files.count < SAMPLE ? e->files.count : SAMPLE;
    for (int64_t i = 0; i < e->sample_count && code == EXIT_DONE; i++) {
        uint8_t *pixels = e->pixels + (size_t)i * e->size;
        e->sample[i] = pixels;
        code = picture_file_read(e->context, &e->files.file[i * e->files.count / e->sample_count], &e->about, pixels);
    }
    return code;
}

static int check_memory(const embedding *e, const picture_work *work, int threads) {
    const double pictures = (double)e->files.count;
    memory_need needs[] = {
        {(double)sustain_context_memory(e->context), "the model", "take one with fewer filters"},
        {pictures * (double)e->about.features * sizeof *e->features, "the features of all pictures", "give fewer pictures at a time"},
        {SAMPLE * (double)e->size, "the pictures for the statistics", "take a model of smaller pictures"},
        {0, "the classifiers of all threads", "take fewer --threads"},
    };
    const int code = picture_work_memory(work, threads, &needs[3].bytes);
    return code == EXIT_DONE ? memory_check_needs(e->allowed, needs, COUNT_OF(needs)) : code;
}

static int embed(embedding *e) {
    const int threads = run_options_threads(&(run_values){.threads = e->given->threads});
    int code = fewshot_model_open(e->context, e->given->run, &e->model);
    if (code != EXIT_DONE) return code;
    e->about = sustain_fewshot_model_about(e->model);
    e->size = (size_t)(e->about.channels * e->about.height * e->about.width);
    code = picture_files_find(&e->given->pictures, &e->files);
    const picture_work work = {.model = e->model,
                               .allowed = e->allowed,
                               .files = &e->files,
                               .ways = e->about.ways,
                               .room = e->about.ways > SAMPLE ? e->about.ways : SAMPLE,
                               .user = e,
                               .prepare = normalize,
                               .each = embed_one};
    if (code == EXIT_DONE) code = check_memory(e, &work, threads);
    if (code != EXIT_DONE) return code;
    const double begun = lab_clock();
    e->pixels = malloc(SAMPLE * e->size);
    e->features = malloc((size_t)(e->files.count * e->about.features) * sizeof *e->features);
    code = e->pixels != NULL && e->features != NULL ? read_sample(e) : out_of_memory();
    if (code == EXIT_DONE) code = refused(e->context, sustain_context_set_threads(e->context, threads));
    if (code == EXIT_DONE) code = picture_work_run(e->context, &work, threads);
    e->seconds = lab_clock() - begun;
    return code;
}

/* ---- output ---- */

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
    file_sweep(e->given->out);
    const int code = refused(e->context, sustain_npy_write(e->context, e->given->out, type, 2, shape, e->features));
    return code == EXIT_DONE && e->given->list != NULL ? write_path(e->given->list, write_list, e) : code;
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
    embedding e = {.context = context, .given = given, .allowed = memory_limit(context, given->max_memory)};
    if (given->out == NULL) return complain(EXIT_USAGE, "the output file is missing: give --out FILE.npy");
    progress_enable(!given->quiet && !given->json);
    int code = inputs_keep(&verb_meta_embed, given, given->out);
    if (code == EXIT_DONE) code = embed(&e);
    if (code == EXIT_DONE) code = write_all(&e);
    if (code == EXIT_DONE && given->json)
        code = print_json(embed_json(&e));
    else if (code == EXIT_DONE && !given->quiet)
        printf("%lld features each of %lld pictures in %.1f s: %s\n", (long long)e.about.features, (long long)e.files.count, e.seconds,
               given->out);
    free(e.features);
    free(e.pixels);
    picture_files_free(&e.files);
    sustain_fewshot_model_destroy(e.model);
    return code;
}

#define VALUES embed_values

static const option options[] = {
    NEEDED_ROW("RUN", run, OPTION_OPERAND, "the folder of a run of 'meta train', or a model file"),
    NEEDED_ROW("PICTURE", pictures, OPTION_OPERANDS, "PNG or JPEG files, or folders of them, which may have one folder for each class"),
    FILE_ROW("out", out, "the features, one row for each picture, as an NPY file"),
    FILE_ROW("list", list, "CSV in the same order: the file, and the folder of its class"),
    COUNT_ROW("threads", threads, "N", 0, 0, 1024, "number of threads; 0: one per core. The result does not depend on it"),
    MEMORY_ROW(max_memory),
    SWITCH_ROW("json", json, "print one JSON object"),
    SWITCH_ROW("quiet", quiet, "print nothing"),
};

static const example examples[] = {
    {"sustain meta embed run photos --out photos.npy --list photos.csv", "features of all pictures in photos/CLASS/"},
    {"sustain clean --features photos.npy --labels photos.csv --label-column label --id-column file", "find pictures in the wrong folder"},
};

const verb verb_meta_embed = {
    .name = "meta embed",
    .summary = "features of pictures, from a trained backbone",
    .about = "Writes the features of pictures, computed by the backbone of a run: one row of numbers for each, for 'sustain clean' or any "
             "other program. All are normalized by the statistics of up to 256 of them, equally spaced in the list, so that rows "
             "can be compared.",
    VERB_PARTS(embed_values),
};

/* fuzz_trainer.c - any file as the saved state of few-shot training: refused with a sentence and
 * without a change, or a state that can be saved and trained on.
 *
 * The first byte of the input chooses: 0, the rest is the file; else the rest is a list of changes
 * (three bytes of offset, one of value) to a good file, whose checksum was taken out. */
#define _GNU_SOURCE /* memmem */
#include <math.h>

#include <sustain/learn.h>
#include <sustain/meta.h>

#include "input_file.h"

size_t good_input(uint8_t *data, size_t max_size, unsigned int seed);

static sustain_context *context;
static sustain_pictures *pictures;
static uint8_t *good;
static size_t good_length;

static void clean_up(void) {
    free(good);
    sustain_pictures_destroy(pictures);
    sustain_context_destroy(context);
}

static sustain_meta *trainer(void) {
    sustain_meta *meta;
    sustain_meta_options options = sustain_meta_defaults();
    options.ways = 2, options.shots = 1, options.queries = 1, options.tasks = 1, options.width = 2, options.seed = 1;
    require(sustain_meta_create(context, &options, pictures, &meta) == SUSTAIN_OK);
    return meta;
}

static void prepare(void) {
    const sustain_picture_options size = {.height = 16, .width = 16};
    if (context != NULL) return;
    require(sustain_context_create(&context) == SUSTAIN_OK);
    require(sustain_pictures_named(context, "generated", NULL, SUSTAIN_SPLIT_TRAINING, &size, &pictures) == SUSTAIN_OK);
    write_input(NULL, 0);
    sustain_meta *meta = trainer();
    sustain_meta_progress progress;
    require(sustain_meta_step(meta, &progress) == SUSTAIN_OK && sustain_meta_look(meta, 0.5));
    require(sustain_meta_save(meta, path) == SUSTAIN_OK);
    sustain_meta_destroy(meta);
    FILE *file = fopen(path, "rb");
    require(file != NULL && fseek(file, 0, SEEK_END) == 0);
    good_length = (size_t)ftell(file);
    rewind(file);
    good = malloc(good_length);
    require(good != NULL && fread(good, 1, good_length, file) == good_length && fclose(file) == 0);
    char *word = memmem(good, good_length, "\"checksum\"", 10);
    require(word != NULL);
    memcpy(word, "\"no_check\"", 10);
    atexit(clean_up);
}

static void try_file(void) {
    sustain_meta *meta = trainer();
    const sustain_status status = sustain_meta_load(meta, path);
    require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_MISMATCH);
    if (status != SUSTAIN_OK) {
        require(strncmp(sustain_error(context), path, strlen(path)) == 0);
        require(sustain_meta_iteration(meta) == 0 && isnan(sustain_meta_best(meta)->accuracy));
    }
    sustain_meta_progress progress;
    const sustain_status step = sustain_meta_step(meta, &progress);
    require(step == SUSTAIN_OK || (status == SUSTAIN_OK && step == SUSTAIN_NOT_FINITE));
    if (step == SUSTAIN_OK) require(sustain_meta_save(meta, path) == SUSTAIN_OK);
    sustain_meta_destroy(meta);
}

/* For mutator/safetensors.c: an input that is a good file. 0: it does not fit. */
size_t good_input(uint8_t *data, size_t max_size, unsigned int seed) {
    (void)seed;
    prepare();
    if (good_length >= max_size) return 0;
    data[0] = 0;
    memcpy(data + 1, good, good_length);
    return good_length + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    prepare();
    if (size == 0 || data[0] == 0) {
        write_input(data + (size > 0), size - (size > 0));
    } else {
        uint8_t *bytes = malloc(good_length);
        require(bytes != NULL);
        memcpy(bytes, good, good_length);
        for (size_t i = 1; i + 4 <= size; i += 4)
            bytes[(data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16) % good_length] = data[i + 3];
        write_input(bytes, good_length);
        free(bytes);
    }
    try_file();
    return 0;
}

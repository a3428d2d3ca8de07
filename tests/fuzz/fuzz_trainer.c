/* fuzz_trainer.c - any file as the saved state of few-shot training: refused with a sentence and
 * without a change, or a state that can be saved and trained on.
 *
 * The first byte of the input chooses: 0, the rest is the file; else the rest is a list of changes
 * (three bytes of offset, one of value) to a good file, whose checksum was taken out. */
#include <math.h>

#include <sustain/learn.h>
#include <sustain/meta.h>

#include "input_file.h"

size_t good_input(uint8_t *data, size_t max_size, unsigned int seed);

enum { SIDE = 16, CLASSES = 2, PICTURES = 4 };

static sustain_context *context;
static sustain_meta *fresh; /* a trainer as it was made, if there is one */
static good_file good;

static void clean_up(void) {
    free(good.bytes);
    sustain_meta_destroy(fresh);
    sustain_context_destroy(context);
}

static sustain_meta *trainer(void) {
    static uint8_t pixels[PICTURES][SIDE][SIDE];
    static const int64_t first[CLASSES + 1] = {0, 2, PICTURES};
    static const char *const names[CLASSES] = {"a", "b"};
    static sustain_pictures pictures = {PICTURES, 1, SIDE, SIDE, CLASSES, &pixels[0][0][0], first, names, "pictures", NULL, NULL};
    sustain_meta *meta;
    pictures.context = context;
    for (int i = 0; i < PICTURES * SIDE * SIDE; i++) (&pixels[0][0][0])[i] = (uint8_t)(i * i % 251);
    sustain_meta_options options = sustain_meta_defaults();
    options.ways = 2, options.shots = 1, options.queries = 1, options.tasks = 1, options.width = 2, options.seed = 1;
    require(sustain_meta_create(context, &options, &pictures, &meta) == SUSTAIN_OK);
    return meta;
}

static void prepare(void) {
    if (context != NULL) return;
    require(sustain_context_create(&context) == SUSTAIN_OK);
    write_input(NULL, 0);
    sustain_meta *meta = trainer();
    sustain_meta_progress progress;
    require(sustain_meta_step(meta, &progress) == SUSTAIN_OK && sustain_meta_look(meta, 0.5));
    require(sustain_meta_save(meta, path) == SUSTAIN_OK);
    sustain_meta_destroy(meta);
    good = read_good();
    atexit(clean_up);
}

/* A trainer that refuses a file is as it was, which it shows by its words, and now and then by a
 * step: that takes far longer. */
static void try_file(bool step) {
    if (fresh == NULL) fresh = trainer();
    sustain_meta *meta = fresh;
    const sustain_status status = sustain_meta_load(meta, path);
    require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_MISMATCH);
    if (status != SUSTAIN_OK) {
        require(strncmp(sustain_error(context), path, strlen(path)) == 0);
        require(sustain_meta_iteration(meta) == 0 && isnan(sustain_meta_best(meta)->accuracy));
        if (!step) return;
    }
    sustain_meta_progress progress;
    const sustain_status went = sustain_meta_step(meta, &progress);
    require(went == SUSTAIN_OK || (status == SUSTAIN_OK && went == SUSTAIN_NOT_FINITE));
    if (went == SUSTAIN_OK) require(sustain_meta_save(meta, path) == SUSTAIN_OK);
    sustain_meta_destroy(meta);
    fresh = NULL;
}

/* For mutator/safetensors.c: an input that is a good file. 0: it does not fit. */
size_t good_input(uint8_t *data, size_t max_size, unsigned int seed) {
    (void)seed;
    prepare();
    return put_good(&good, data, max_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    prepare();
    if (size == 0 || data[0] == 0)
        write_input(data + (size > 0), size - (size > 0));
    else
        write_changed(&good, data + 1, size - 1);
    try_file(size % 32 == 0);
    return 0;
}

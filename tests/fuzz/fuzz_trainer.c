/* fuzz_trainer.c - any file as the saved state of few-shot training, of any method: refused with a
 * sentence and without a change, or a state that can be saved and trained on. input_file.h says
 * what the first two bytes are for. */
#include <math.h>

#include <sustain/learn.h>
#include <sustain/meta.h>

#include "input_file.h"

size_t good_input(uint8_t *data, size_t max_size, unsigned int seed);

enum { SIDE = 16, CLASSES = 2, PICTURES = 4, METHODS = SUSTAIN_META_SOLVER + 1, PATIENCE = 5000 };

static sustain_context *context;
static sustain_meta *fresh[METHODS]; /* trainers as they were made, if there are any */
static good_file good[METHODS];
static int asked; /* whether to cancel */

static void clean_up(void) {
    for (int m = 0; m < METHODS; m++) {
        free(good[m].bytes);
        sustain_meta_destroy(fresh[m]);
    }
    sustain_context_destroy(context);
}

static sustain_meta *trainer(int method) {
    static uint8_t pixels[PICTURES][SIDE][SIDE];
    static const int64_t first[CLASSES + 1] = {0, 2, PICTURES};
    static const char *const names[CLASSES] = {"a", "b"};
    static sustain_pictures pictures = {PICTURES, 1, SIDE, SIDE, CLASSES, &pixels[0][0][0], first, names, "pictures", NULL, NULL};
    sustain_meta *meta;
    pictures.context = context;
    for (int i = 0; i < PICTURES * SIDE * SIDE; i++) (&pixels[0][0][0])[i] = (uint8_t)(i * i % 251);
    sustain_meta_options options = sustain_meta_defaults();
    options.method = method;
    options.ways = 2, options.shots = 1, options.queries = 1, options.tasks = 1, options.width = 2, options.seed = 1;
    options.training_tasks = 4;
    require(sustain_meta_create(context, &options, &pictures, &meta) == SUSTAIN_OK);
    return meta;
}

/* A file may ask for any number of terms and inner steps. */
static int too_long(void *user) {
    (void)user;
    return ++asked > PATIENCE;
}

static void prepare(void) {
    if (context != NULL) return;
    require(sustain_context_create(&context) == SUSTAIN_OK);
    sustain_context_set_cancel(context, too_long, NULL);
    write_input(NULL, 0);
    atexit(clean_up);
}

static const good_file *good_of(int method) {
    if (good[method].bytes != NULL) return &good[method];
    asked = INT32_MIN;
    sustain_meta *meta = trainer(method);
    sustain_meta_progress progress;
    require(sustain_meta_step(meta, &progress) == SUSTAIN_OK && sustain_meta_look(meta, 0.5));
    require(sustain_meta_save(meta, path) == SUSTAIN_OK);
    sustain_meta_destroy(meta);
    good[method] = read_good();
    return &good[method];
}

/* Goes on: a validation, a step, and a state again. */
static void go_on(sustain_meta *meta, bool loaded) {
    sustain_meta_progress progress;
    asked = 0;
    sustain_meta_look(meta, 0.5);
    const sustain_status went = sustain_meta_step(meta, &progress);
    require(went == SUSTAIN_OK || (loaded && (went == SUSTAIN_NOT_FINITE || went == SUSTAIN_CANCELLED)));
    if (went == SUSTAIN_OK) require(sustain_meta_save(meta, path) == SUSTAIN_OK);
}

/* A trainer that refuses a file is as it was, which it shows by its words, and now and then by a
 * step: that takes far longer. */
static sustain_status try_file(int method, bool step) {
    if (fresh[method] == NULL) fresh[method] = trainer(method);
    sustain_meta *meta = fresh[method];
    asked = 0;
    const sustain_status status = sustain_meta_load(meta, path);
    require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_MISMATCH);
    if (status != SUSTAIN_OK) {
        require(strncmp(sustain_error(context), path, strlen(path)) == 0);
        require(sustain_meta_iteration(meta) == 0 && isnan(sustain_meta_best(meta)->accuracy));
        if (!step) return status;
    }
    go_on(meta, status == SUSTAIN_OK);
    sustain_meta_destroy(meta);
    fresh[method] = NULL;
    return status;
}

/* For mutator/safetensors.c: an input that is a good file. 0: it does not fit. */
size_t good_input(uint8_t *data, size_t max_size, unsigned int seed) {
    prepare();
    const int method = (int)(seed % METHODS);
    return put_good(good_of(method), method, data, max_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    prepare();
    const int method = size > 1 ? data[1] % METHODS : 0;
    write_file_or_changes(good_of(method), data, size);
    const sustain_status status = try_file(method, size % 32 == PREFIX_BYTES);
    require(status == SUSTAIN_OK || !is_good(data, size));
    return 0;
}

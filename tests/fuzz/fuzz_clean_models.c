/* fuzz_clean_models.c - any file as the kept classifiers of an earlier search for wrong labels:
 * refused with a sentence and without a change, or a job that begins with them and ends with
 * finite numbers. input_file.h says what the first two bytes are for. */
#include <sustain/clean.h>

#include "input_file.h"
#include "jobs/clean_job.h"

size_t good_input(uint8_t *data, size_t max_size, unsigned int seed);

enum { TRAINING = 16, TRUSTED = 4, DIM = 2, CLASSES = 2, FOLDS = 2, EARLIER = 4, VERIFIED = 6, SIZE = (DIM + 1) * CLASSES };

/* Jobs with verified rows alone, and with trusted rows from elsewhere too. */
enum { JOBS = 2 };

static sustain_context *context;
static sustain_clean *fresh[JOBS]; /* jobs as they were made, if there are any */
static good_file good[JOBS];

static void clean_up(void) {
    for (int j = 0; j < JOBS; j++) {
        free(good[j].bytes);
        sustain_clean_destroy(fresh[j]);
    }
    sustain_context_destroy(context);
}

static void prepare(void) {
    if (context != NULL) return;
    write_input(NULL, 0);
    require(sustain_context_create_with(small_allocator, NULL, &context) == SUSTAIN_OK);
    atexit(clean_up);
}

/* The sign of the first feature is the class; every fifth label is wrong. */
static sustain_clean *make_job(int j, int verified) {
    static float features[TRAINING * DIM];
    static int32_t truth[TRAINING], given[TRAINING];
    int32_t checked[TRAINING];
    sustain_clean *job;
    for (int i = 0; i < TRAINING; i++) {
        truth[i] = i % 2;
        given[i] = i % 5 == 4 ? 1 - truth[i] : truth[i];
        checked[i] = i < verified ? truth[i] : -1;
        features[i * DIM] = (float)(2 * truth[i] - 1) * (1 + 0.1f * (float)i);
        features[i * DIM + 1] = (float)(i * i % 7);
    }
    const sustain_rows training = {.count = TRAINING, .dim = DIM, .values = features, .labels = given};
    const sustain_rows trusted = {.count = TRUSTED, .dim = DIM, .values = features, .labels = truth};
    sustain_clean_options options = sustain_clean_defaults();
    options.classes = CLASSES;
    options.folds = FOLDS;
    options.verified = checked;
    require(sustain_clean_create(context, &options, &training, j > 0 ? &trusted : NULL, &job) == SUSTAIN_OK);
    return job;
}

/* Fits may be refused that begin with numbers as large as a file may have (`any`). */
static void finish(sustain_clean *job, bool any) {
    static const sustain_real x[TRAINING], y[SIZE]; /* the solver's part hardly matters here */
    sustain_clean_result result;
    const sustain_status status = sustain_clean_finish(job, x, y, &result);
    require(status == SUSTAIN_OK || (any && status == SUSTAIN_NOT_FINITE));
    for (int i = 0; i < TRAINING && status == SUSTAIN_OK; i++) require(result.quality[i] >= 0 && result.quality[i] <= 1);
    for (int i = 0; i < SIZE && status == SUSTAIN_OK; i++) require(isfinite((double)result.y[i]));
}

static const good_file *good_of(int j) {
    bool written;
    if (good[j].bytes != NULL) return &good[j];
    sustain_clean *job = make_job(j, EARLIER);
    finish(job, false);
    require(sustain_clean_save_models(job, path, &written) == SUSTAIN_OK && written);
    sustain_clean_destroy(job);
    good[j] = read_good();
    return &good[j];
}

/* For mutator/safetensors.c: an input that is a good file. 0: it does not fit. */
size_t good_input(uint8_t *data, size_t max_size, unsigned int seed) {
    prepare();
    const int j = (int)(seed % JOBS);
    return put_good(good_of(j), j, data, max_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    prepare();
    const int j = size > 1 ? data[1] % JOBS : 0;
    bool used;
    write_file_or_changes(good_of(j), data, size);
    if (fresh[j] == NULL) fresh[j] = make_job(j, VERIFIED);
    const sustain_status status = sustain_clean_load_models(fresh[j], path, &used);
    require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_MEMORY);
    require(used ? status == SUSTAIN_OK : !is_good(data, size));
    if (status == SUSTAIN_FORMAT) require(strncmp(sustain_error(context), path, strlen(path)) == 0);
    if (used) {
        finish(fresh[j], true);
        sustain_clean_destroy(fresh[j]);
        fresh[j] = NULL;
    } else {
        require(fresh[j]->start == NULL && fresh[j]->earlier == NULL && fresh[j]->prior_given == 0);
    }
    return 0;
}

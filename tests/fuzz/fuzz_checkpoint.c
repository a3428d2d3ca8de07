/* fuzz_checkpoint.c - any file as a saved state: refused, or it goes on without a crash, however
 * senseless its numbers.
 *
 * The first byte of the input chooses: 0, the rest is the file; 1 to 4, the rest is a list of
 * changes (three bytes of offset, one of value) to a good file of a dense, a lazy, a lazy option 2
 * or an Adam run. */
#define _GNU_SOURCE /* memmem */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sustain/sustain.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t good_input(uint8_t *data, size_t max_size, unsigned int seed);

enum { GOOD = 4, TRAINING = 6, TRUSTED = 4, DIM = 1, CLASSES = 2 };

static sustain_context *context;
static sustain_problem *dense, *sparse;
static char folder[] = "/tmp/sustain-fuzz-XXXXXX", path[64];
static uint8_t *good[GOOD];
static size_t good_length[GOOD];

static void require(bool condition) {
    if (!condition) abort();
}

/* A file may ask for much: not here. */
static void *small_allocator(void *user, void *pointer, size_t size) {
    (void)user;
    if (size > 0 && size <= (size_t)1 << 20) return realloc(pointer, size);
    if (size == 0) free(pointer);
    return NULL;
}

static void clean_up(void) {
    for (int i = 0; i < GOOD; i++) free(good[i]);
    sustain_quadratic_destroy(dense);
    sustain_hyperclean_destroy(sparse);
    sustain_context_destroy(context);
    remove(path);
    rmdir(folder);
}

static void make_problems(void) {
    static float features[TRAINING * DIM] = {1, -1, 0.5f, 2, -0.5f, 0};
    static int32_t labels[TRAINING] = {0, 1, 0, 0, 1, 1};
    sustain_quadratic_options options = sustain_quadratic_defaults();
    options.upper_dim = options.lower_dim = 2;
    options.samples = 4;
    require(sustain_quadratic_create(context, &options, &dense) == SUSTAIN_OK);
    const sustain_rows training = {.count = TRAINING, .dim = DIM, .values = features, .labels = labels};
    const sustain_rows trusted = {.count = TRUSTED, .dim = DIM, .values = features, .labels = labels};
    const sustain_hyperclean_options cleaning = {.classes = CLASSES, .c = 0.1, .intercept = true};
    require(sustain_hyperclean_create(context, &cleaning, &training, &trusted, &sparse) == SUSTAIN_OK);
}

static void make_good(int i) {
    static const char *const parameter[GOOD] = {"sampling", "output", "option", "direction"}, *const value[GOOD] = {"shuffle", "best", "2",
                                                                                                                    "adam"};
    sustain_solver *solver;
    require(sustain_solver_create(context, "sustain", i == 0 || i == 3 ? dense : sparse, &solver) == SUSTAIN_OK);
    require(sustain_solver_set(solver, parameter[i], value[i]) == SUSTAIN_OK);
    require(sustain_solver_run(solver, &(sustain_stopping){.iterations = 150}, NULL) == SUSTAIN_OK);
    require(sustain_solver_save(solver, path) == SUSTAIN_OK);
    sustain_solver_destroy(solver);
    FILE *file = fopen(path, "rb");
    require(file != NULL && fseek(file, 0, SEEK_END) == 0);
    good_length[i] = (size_t)ftell(file);
    rewind(file);
    good[i] = malloc(good_length[i]);
    require(good[i] != NULL && fread(good[i], 1, good_length[i], file) == good_length[i]);
    fclose(file);
    char *word = memmem(good[i], good_length[i], "\"checksum\"", 10);
    require(word != NULL);
    memcpy(word, "\"no_check\"", 10); /* a file without one is loaded: changes must get past it */
}

static void prepare(void) {
    if (context != NULL) return;
    require(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/state", folder);
    require(sustain_context_create_with(small_allocator, NULL, &context) == SUSTAIN_OK);
    make_problems();
    for (int i = 0; i < GOOD; i++) make_good(i);
    atexit(clean_up);
}

/* Loads what is in the file, and goes on. */
static void try_file(const sustain_problem *problem) {
    sustain_solver *solver;
    require(sustain_solver_create(context, "sustain", problem, &solver) == SUSTAIN_OK);
    require(sustain_solver_set(solver, "schedule", "power") == SUSTAIN_OK &&
            sustain_solver_set(solver, "L_g", "4") == SUSTAIN_OK); /* quick to start */
    const sustain_status status = sustain_solver_load(solver, path);
    require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_MISMATCH || status == SUSTAIN_MEMORY ||
            status == SUSTAIN_PARAMETER);
    if (status != SUSTAIN_OK) require(sustain_error(context)[0] != '\0');
    if (status == SUSTAIN_OK) {
        for (int i = 0; i < 3; i++) sustain_solver_step(solver);
        sustain_solver_run(solver, &(sustain_stopping){.iterations = sustain_solver_iteration(solver) + 3, .every = 1}, NULL);
    } else { /* as good as new */
        require(sustain_solver_iteration(solver) == 0 && sustain_solver_step(solver) == SUSTAIN_OK);
    }
    sustain_solver_destroy(solver);
}

/* For mutator/safetensors.c: an input that is a good file. 0: it does not fit. */
size_t good_input(uint8_t *data, size_t max_size, unsigned int seed) {
    prepare();
    const size_t i = seed % GOOD;
    if (good_length[i] >= max_size) return 0;
    data[0] = 0;
    memcpy(data + 1, good[i], good_length[i]);
    return good_length[i] + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    prepare();
    const int choice = size > 0 ? data[0] % (GOOD + 1) : 0;
    const uint8_t *rest = size > 0 ? data + 1 : data;
    size_t length = size > 0 ? size - 1 : 0;
    FILE *file = fopen(path, "wb");
    require(file != NULL);
    if (choice == 0) {
        require(fwrite(rest, 1, length, file) == length);
    } else {
        const size_t n = good_length[choice - 1];
        uint8_t *bytes = malloc(n);
        require(bytes != NULL);
        memcpy(bytes, good[choice - 1], n);
        for (; length >= 4; rest += 4, length -= 4) bytes[(rest[0] | (size_t)rest[1] << 8 | (size_t)rest[2] << 16) % n] = rest[3];
        require(fwrite(bytes, 1, n, file) == n);
        free(bytes);
    }
    require(fclose(file) == 0);
    if (choice != 2 && choice != 3) try_file(dense);
    if (choice != 1 && choice != 4) try_file(sparse);
    return 0;
}

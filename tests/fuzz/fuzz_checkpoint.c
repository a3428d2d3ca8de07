/* fuzz_checkpoint.c - any file as a saved state of any algorithm: refused, or it goes on without a
 * crash, however senseless its numbers. input_file.h says what the first two bytes are for. */
#include <sustain/sustain.h>

#include "input_file.h"

size_t good_input(uint8_t *data, size_t max_size, unsigned int seed);

enum { MOST = 128, PATIENCE = 5000, TRAINING = 6, TRUSTED = 4, DIM = 1, CLASSES = 2 };

static sustain_context *context;
static sustain_problem *dense, *sparse;
static good_file good[MOST];
static int asked; /* whether to cancel */

/* SUSTAIN with different states; then each algorithm twice, as it is. */
typedef struct run {
    const char *algorithm, *parameter, *value;
    bool sparse;
} run;

static const run special[] = {{"sustain", "sampling", "shuffle", false},
                              {"sustain", "output", "best", true},
                              {"sustain", "option", "2", true},
                              {"sustain", "direction", "adam", false}};
enum { SPECIAL = sizeof special / sizeof *special };

static int run_count(void) {
    return SPECIAL + 2 * sustain_solver_count();
}

static run run_at(int i) {
    return i < SPECIAL ? special[i] : (run){.algorithm = sustain_solver_at((i - SPECIAL) / 2)->name, .sparse = (i - SPECIAL) % 2 == 1};
}

static const sustain_problem *problem_of(run r) {
    return r.sparse ? sparse : dense;
}

static void clean_up(void) {
    for (int i = 0; i < MOST; i++) free(good[i].bytes);
    sustain_quadratic_destroy(dense);
    sustain_hyperclean_destroy(sparse);
    sustain_context_destroy(context);
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

/* A file may ask for any number of terms and inner steps. */
static int too_long(void *user) {
    (void)user;
    return ++asked > PATIENCE;
}

static void prepare(void) {
    if (context != NULL) return;
    write_input(NULL, 0);
    require(sustain_context_create_with(small_allocator, NULL, &context) == SUSTAIN_OK);
    sustain_context_set_cancel(context, too_long, NULL);
    make_problems();
    require(run_count() <= MOST);
    atexit(clean_up);
}

static const good_file *good_of(int i) {
    const run r = run_at(i);
    sustain_solver *solver;
    if (good[i].bytes != NULL) return &good[i];
    asked = INT32_MIN;
    require(sustain_solver_create(context, r.algorithm, problem_of(r), &solver) == SUSTAIN_OK);
    if (r.parameter != NULL) require(sustain_solver_set(solver, r.parameter, r.value) == SUSTAIN_OK);
    require(sustain_solver_run(solver, &(sustain_stopping){.iterations = 150}, NULL) == SUSTAIN_OK);
    require(sustain_solver_save(solver, path) == SUSTAIN_OK);
    sustain_solver_destroy(solver);
    good[i] = read_good();
    return &good[i];
}

/* Steps that are quick to start with, of those that have them. */
static void set_quick(sustain_solver *solver) {
    static const char *const pairs[][2] = {{"schedule", "power"}, {"L_g", "4"}};
    for (int i = 0; i < 2; i++) {
        const sustain_status status = sustain_solver_set(solver, pairs[i][0], pairs[i][1]);
        require(status == SUSTAIN_OK || status == SUSTAIN_UNKNOWN_NAME);
    }
}

/* Loads what is in the file, and goes on: a step and an evaluation, or (`far`, now and then, as it
 * takes longer) several of them, and then also where it was refused. */
static sustain_status try_file(run r, bool far) {
    sustain_solver *solver;
    require(sustain_solver_create(context, r.algorithm, problem_of(r), &solver) == SUSTAIN_OK);
    set_quick(solver);
    asked = 0;
    const sustain_status status = sustain_solver_load(solver, path);
    require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_MISMATCH || status == SUSTAIN_MEMORY ||
            status == SUSTAIN_PARAMETER);
    if (status != SUSTAIN_OK) require(sustain_error(context)[0] != '\0');
    if (status == SUSTAIN_OK) {
        const int steps = far ? 3 : 1;
        for (int i = 0; i < steps; i++) sustain_solver_step(solver);
        sustain_solver_run(solver, &(sustain_stopping){.iterations = sustain_solver_iteration(solver) + steps, .every = 1}, NULL);
    } else { /* as good as new */
        require(sustain_solver_iteration(solver) == 0 && (!far || sustain_solver_step(solver) == SUSTAIN_OK));
    }
    sustain_solver_destroy(solver);
    return status;
}

/* For mutator/safetensors.c: an input that is a good file. 0: it does not fit. */
size_t good_input(uint8_t *data, size_t max_size, unsigned int seed) {
    prepare();
    const int i = (int)(seed % (unsigned)run_count());
    return put_good(good_of(i), i, data, max_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    prepare();
    const int i = size > 1 ? data[1] % run_count() : 0;
    write_file_or_changes(good_of(i), data, size);
    const sustain_status status = try_file(run_at(i), size % 16 == PREFIX_BYTES);
    require(status == SUSTAIN_OK || !is_good(data, size));
    return 0;
}

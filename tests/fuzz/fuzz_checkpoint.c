/* fuzz_checkpoint.c - any file as a saved state: refused, or it goes on without a crash, however
 * senseless its numbers.
 *
 * The first byte of the input chooses: 0 or 5, the rest is the file, of a dense or a lazy run; 1 to
 * 4, the rest is a list of changes (three bytes of offset, one of value) to a good file of a dense,
 * a lazy, a lazy option 2 or an Adam run. */
#include <sustain/sustain.h>

#include "input_file.h"

size_t good_input(uint8_t *data, size_t max_size, unsigned int seed);

enum { GOOD = 4, LAZY_FILE, KINDS, TRAINING = 6, TRUSTED = 4, DIM = 1, CLASSES = 2 };

static sustain_context *context;
static sustain_problem *dense, *sparse;
static good_file good[GOOD];

static void clean_up(void) {
    for (int i = 0; i < GOOD; i++) free(good[i].bytes);
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

static void make_good(int i) {
    static const char *const parameter[GOOD] = {"sampling", "output", "option", "direction"}, *const value[GOOD] = {"shuffle", "best", "2",
                                                                                                                    "adam"};
    sustain_solver *solver;
    require(sustain_solver_create(context, "sustain", i == 0 || i == 3 ? dense : sparse, &solver) == SUSTAIN_OK);
    require(sustain_solver_set(solver, parameter[i], value[i]) == SUSTAIN_OK);
    require(sustain_solver_run(solver, &(sustain_stopping){.iterations = 150}, NULL) == SUSTAIN_OK);
    require(sustain_solver_save(solver, path) == SUSTAIN_OK);
    sustain_solver_destroy(solver);
    good[i] = read_good();
}

static void prepare(void) {
    if (context != NULL) return;
    write_input(NULL, 0);
    require(sustain_context_create_with(small_allocator, NULL, &context) == SUSTAIN_OK);
    make_problems();
    for (int i = 0; i < GOOD; i++) make_good(i);
    atexit(clean_up);
}

/* Loads what is in the file, and goes on: a step and an evaluation, or (`far`, now and then, as it
 * takes longer) several of them, and then also where it was refused. */
static void try_file(const sustain_problem *problem, bool far) {
    sustain_solver *solver;
    require(sustain_solver_create(context, "sustain", problem, &solver) == SUSTAIN_OK);
    require(sustain_solver_set(solver, "schedule", "power") == SUSTAIN_OK &&
            sustain_solver_set(solver, "L_g", "4") == SUSTAIN_OK); /* quick to start */
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
}

/* For mutator/safetensors.c: an input that is a good file. 0: it does not fit. */
size_t good_input(uint8_t *data, size_t max_size, unsigned int seed) {
    prepare();
    const unsigned i = seed % GOOD;
    const size_t size = put_good(&good[i], data, max_size);
    if (size > 0) data[0] = i == 1 || i == 2 ? LAZY_FILE : 0;
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    prepare();
    const int choice = size > 0 ? data[0] % KINDS : 0;
    if (choice == 0 || choice == LAZY_FILE)
        write_input(data + (size > 0), size - (size > 0));
    else
        write_changed(&good[choice - 1], data + 1, size - 1);
    try_file(choice == 0 || choice == 1 || choice == 4 ? dense : sparse, size % 16 == 0);
    return 0;
}

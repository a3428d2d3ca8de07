/* elsewhere.c FOLDER write|read - what must be the same on every machine, as numbers on stdout.
 * run.sh compares them.
 *
 * Runs every solver on a quadratic problem and on a small cleaning problem. write: leaves the state
 * of each in FOLDER half of the way. read: starts from the states in FOLDER, which another machine
 * wrote. Both go on to the end and print it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sustain/hyperclean.h>
#include <sustain/quadratic.h>
#include <sustain/sustain.h>

enum { HALF = 15, WHOLE = 30, ROWS = 40, DIM = 5, CLASSES = 3 };

static double length(int64_t n, const sustain_real *v) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)v[i] * (double)v[i];
    return sqrt(sum);
}

static sustain_status run_half(sustain_solver *solver, const char *path, bool reads) {
    sustain_result result;
    if (reads) return sustain_solver_load(solver, path);
    const sustain_status status = sustain_solver_run(solver, &(sustain_stopping){.iterations = HALF}, &result);
    return status == SUSTAIN_OK ? sustain_solver_save(solver, path) : status;
}

static int run_solver(sustain_context *context, const char *task, const sustain_problem *problem, const char *name, const char *folder,
                      bool reads) {
    sustain_solver *solver;
    sustain_result result;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%s.safetensors", folder, task, name);
    sustain_status status = sustain_solver_create(context, name, problem, &solver);
    /* the difference of two gradients, times a hundred: so would be its rounding */
    if (status == SUSTAIN_OK && strcmp(name, "pbgd") == 0) status = sustain_solver_set(solver, "gamma", "1");
    if (status == SUSTAIN_OK) status = run_half(solver, path, reads);
    if (status == SUSTAIN_OK) status = sustain_solver_run(solver, &(sustain_stopping){.iterations = WHOLE}, &result);
    if (status == SUSTAIN_OK)
        printf("%s %s %.9g %.9g\n", task, name, length(problem->upper_dim, result.x), length(problem->lower_dim, result.y));
    else
        printf("%s %s: %s\n", task, name, sustain_error(context));
    sustain_solver_destroy(solver);
    return status != SUSTAIN_OK;
}

static int run_all(sustain_context *context, const char *task, const sustain_problem *problem, const char *folder, bool reads) {
    int failures = 0;
    for (int i = 0; i < sustain_solver_count(); i++)
        failures += run_solver(context, task, problem, sustain_solver_at(i)->name, folder, reads);
    return failures;
}

/* Three classes around three corners; the label of every fifth row is wrong. */
static void make_rows(uint32_t stream, float values[ROWS][DIM], int32_t labels[ROWS], bool wrong) {
    for (uint32_t i = 0; i < ROWS; i++) {
        const int32_t class = (int32_t)(i % CLASSES);
        for (uint32_t j = 0; j < DIM; j++) values[i][j] = (float)(sustain_random_normal(7, stream, i, j) + 3 * ((int32_t)j == class));
        labels[i] = wrong && i % 5 == 0 ? (class + 1) % CLASSES : class;
    }
}

int main(int argc, char **argv) {
    static float values[2][ROWS][DIM];
    static int32_t labels[2][ROWS];
    sustain_context *context;
    sustain_problem *quadratic, *cleaning;
    if (argc != 3 || sustain_context_create(&context) != SUSTAIN_OK) return 2;
    const bool reads = strcmp(argv[2], "read") == 0;
    sustain_quadratic_options shape = sustain_quadratic_defaults();
    shape.samples = 100;
    sustain_hyperclean_options options = sustain_hyperclean_defaults();
    options.classes = CLASSES;
    options.c = 0.1; /* conditioned so well that rounding does not grow */
    sustain_rows rows[2];
    for (int part = 0; part < 2; part++) {
        make_rows((uint32_t)part, values[part], labels[part], part == 0);
        rows[part] = (sustain_rows){.count = ROWS, .dim = DIM, .values = values[part][0], .labels = labels[part]};
    }
    if (sustain_quadratic_create(context, &shape, &quadratic) != SUSTAIN_OK ||
        sustain_hyperclean_create(context, &options, &rows[0], &rows[1], &cleaning) != SUSTAIN_OK)
        return fprintf(stderr, "%s\n", sustain_error(context)), 2;
    const int failures = run_all(context, "quadratic", quadratic, argv[1], reads) + run_all(context, "cleaning", cleaning, argv[1], reads);
    sustain_hyperclean_destroy(cleaning);
    sustain_quadratic_destroy(quadratic);
    sustain_context_destroy(context);
    return failures != 0;
}

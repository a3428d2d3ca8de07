/* lazy.c - does an iteration cost the same for any number of samples? Hyper-cleaning, batch 1, K =
 * 10: row i's features are those of row i mod 50,000, so that only x grows. Prints:
 * coordinates,seconds per iteration (medians of alternating runs). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <sustain/sustain.h>

#include "clock.h"

enum { STORED = 50000, DIM = 784, CLASSES = 10, TRUSTED = 1000, SIZES = 2, ROUNDS = 5, ITERATIONS = 4000 };

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void fail(const sustain_context *context, const char *what) {
    fprintf(stderr, "lazy: %s: %s\n", what, sustain_error(context));
    exit(1);
}

static sustain_solver *make(sustain_context *context, const sustain_problem *problem) {
    static const char *const settings[][2] = {{"schedule", "power"}, {"alpha", "100"}, {"beta", "0.05"},
                                              {"K", "10"},           {"L_g", "100"},   {"recover", "0"}};
    sustain_solver *solver;
    if (sustain_solver_create(context, "sustain", problem, &solver) != SUSTAIN_OK) fail(context, "create");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (sustain_solver_set(solver, settings[i][0], settings[i][1]) != SUSTAIN_OK) fail(context, settings[i][0]);
    if (sustain_solver_start(solver, NULL, NULL) != SUSTAIN_OK) fail(context, "start");
    return solver;
}

static double seconds_per_iteration(sustain_context *context, sustain_solver *solver) {
    const double start = seconds_of(CLOCK_MONOTONIC);
    for (int i = 0; i < ITERATIONS; i++)
        if (sustain_solver_step(solver) != SUSTAIN_OK) fail(context, "step");
    return (seconds_of(CLOCK_MONOTONIC) - start) / ITERATIONS;
}

int main(void) {
    static const int64_t sizes[SIZES] = {50000, 50000000};
    float *features = malloc(sizeof *features * STORED * DIM);
    int32_t *labels = malloc(sizeof *labels * STORED);
    if (features == NULL || labels == NULL) return 1;
    for (uint32_t i = 0; i < STORED; i++) {
        labels[i] = (int32_t)sustain_random_index(1, 1, i, 0, CLASSES);
        for (uint32_t j = 0; j < DIM; j++) features[(size_t)i * DIM + j] = (float)sustain_random_uniform(1, 0, i, j);
    }
    const sustain_rows trusted = {.count = TRUSTED, .dim = DIM, .values = features, .labels = labels};
    sustain_hyperclean_options options = sustain_hyperclean_defaults();
    options.classes = CLASSES;
    sustain_context *context;
    sustain_problem *problem[SIZES];
    sustain_solver *solver[SIZES];
    double seconds[SIZES][ROUNDS];
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    for (int s = 0; s < SIZES; s++) {
        const sustain_rows training = {.count = sizes[s], .dim = DIM, .values = features, .labels = labels, .stored = STORED};
        if (sustain_hyperclean_create(context, &options, &training, &trusted, &problem[s]) != SUSTAIN_OK) fail(context, "problem");
        solver[s] = make(context, problem[s]);
        seconds_per_iteration(context, solver[s]); /* warm */
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int s = 0; s < SIZES; s++) seconds[s][round] = seconds_per_iteration(context, solver[s]);
    for (int s = 0; s < SIZES; s++) {
        qsort(seconds[s], ROUNDS, sizeof(double), ascending);
        printf("%lld,%.3e\n", (long long)sizes[s], seconds[s][ROUNDS / 2]);
        sustain_solver_destroy(solver[s]);
        sustain_hyperclean_destroy(problem[s]);
    }
    sustain_context_destroy(context);
    free(features);
    free(labels);
    return 0;
}

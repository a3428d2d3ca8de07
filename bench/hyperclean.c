/* hyperclean.c - iterations a second of SUSTAIN on data hyper-cleaning.
 *
 *   hyperclean speed IMAGES LABELS BATCH THREADS SECONDS    50,000 training rows (two labels in five are wrong), 10,000 trusted ones, of
 *                                                           unpacked IDX files; prints iterations/s by the solver's clock, by the wall
 *                                                           with all that a run does at its defaults, and by processor time; and the
 *                                                           accuracy on the trusted rows
 *   hyperclean size ROUNDS                                  single samples, 50,000 and 5,000,000 rows of their own bytes in memory; prints
 *                                                           rows,seconds of the processor per iteration (medians of alternating runs)
 *   hyperclean terms ROUNDS                                 single samples, 50,000 such rows, K = 10 and K = 200; prints K,seconds of the
 *                                                           processor per row of a draw, likewise
 *
 * The steps are those of bench/yardsticks/hyperclean_torch.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/sustain.h>

#include "clock.h"

enum { DIM = 784, CLASSES = 10, TRAINING = 50000, TRUSTED = 10000, ALL = TRAINING + TRUSTED, MOST_ROUNDS = 9 };

static double now(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "hyperclean: %s: %s\n", what, why);
    exit(1);
}

/* The bytes of an unpacked IDX file after its header. */
static uint8_t *read_idx(const char *path, long header, size_t size) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(size);
    if (file == NULL || bytes == NULL || fseek(file, header, SEEK_SET) != 0 || fread(bytes, 1, size, file) != size)
        fail(path, "cannot be read as an unpacked IDX file of 60,000 pictures or labels");
    fclose(file);
    return bytes;
}

static sustain_solver *make(sustain_context *context, const sustain_problem *problem, const char *batch, const char *K) {
    const char *const settings[][2] = {{"schedule", "power"}, {"alpha", "1000"}, {"beta", "0.1"}, {"K", K},
                                       {"L_g", "100"},        {"batch", batch},  {"seed", "100"}};
    sustain_solver *solver;
    if (sustain_solver_create(context, "sustain", problem, &solver) != SUSTAIN_OK) fail("create", sustain_error(context));
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (sustain_solver_set(solver, settings[i][0], settings[i][1]) != SUSTAIN_OK) fail(settings[i][0], sustain_error(context));
    return solver;
}

static sustain_problem *clean(sustain_context *context, const sustain_rows *training, const sustain_rows *trusted) {
    sustain_hyperclean_options options = sustain_hyperclean_defaults();
    sustain_problem *problem;
    options.classes = CLASSES;
    if (sustain_hyperclean_create(context, &options, training, trusted, &problem) != SUSTAIN_OK) fail("problem", sustain_error(context));
    return problem;
}

static double accuracy(const sustain_rows *rows, const float *y) {
    int64_t right = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        int best = 0;
        float score[CLASSES];
        for (int k = 0; k < CLASSES; k++) {
            score[k] = y[CLASSES * DIM + k];
            for (int j = 0; j < DIM; j++) score[k] += (float)rows->bytes[i * DIM + j] * rows->byte_scale * y[k * DIM + j];
            if (score[k] > score[best]) best = k;
        }
        right += best == rows->labels[i];
    }
    return (double)right / (double)rows->count;
}

static void speed(sustain_context *context, char **argument) {
    uint8_t *images = read_idx(argument[0], 16, (size_t)ALL * DIM), *given = read_idx(argument[1], 8, ALL);
    static int32_t labels[ALL];
    for (uint32_t i = 0; i < ALL; i++) {
        const bool wrong = i < TRAINING && sustain_random_uniform(100, 1, 0, i) < 0.4;
        labels[i] = (given[i] + (wrong ? 1 + (int32_t)sustain_random_index(100, 2, 0, i, CLASSES - 1) : 0)) % CLASSES;
    }
    const sustain_rows training = {.count = TRAINING, .dim = DIM, .bytes = images, .byte_scale = 1.0F / 255, .labels = labels};
    const sustain_rows trusted = {
        .count = TRUSTED, .dim = DIM, .bytes = images + (size_t)TRAINING * DIM, .byte_scale = 1.0F / 255, .labels = labels + TRAINING};
    sustain_context_set_threads(context, atoi(argument[3]));
    sustain_problem *problem = clean(context, &training, &trusted);
    sustain_solver *solver = make(context, problem, argument[2], "10");
    const sustain_stopping stopping = {.seconds = atof(argument[4]), .every = 10000};
    sustain_result result;
    const double start = now(), busy = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (sustain_solver_run(solver, &stopping, &result) != SUSTAIN_OK) fail("run", sustain_error(context));
    const double iterations = (double)result.iterations, wall = now() - start, used = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - busy;
    printf("%.1f,%.1f,%.1f,%.4f\n", iterations / result.seconds, iterations / wall, iterations / used, accuracy(&trusted, result.y));
    sustain_solver_destroy(solver);
    sustain_hyperclean_destroy(problem);
    free(images);
    free(given);
}

/* ---- 100 times as many samples ---- */

static double seconds_per_iteration(sustain_context *context, sustain_solver *solver, int64_t iterations) {
    const sustain_stopping stopping = {.iterations = sustain_solver_iteration(solver) + iterations, .every = INT64_C(1) << 40};
    const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (sustain_solver_run(solver, &stopping, NULL) != SUSTAIN_OK) fail("run", sustain_error(context));
    return (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start) / (double)iterations;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Hyper-cleaning on so many rows, of which 10,000 are trusted too. */
static sustain_problem *made_up(sustain_context *context, int64_t count) {
    uint8_t *bytes = aligned_alloc((size_t)2 << 20, ((size_t)count * DIM + ((size_t)2 << 20) - 1) >> 21 << 21);
    int32_t *labels = malloc(sizeof *labels * (size_t)count);
    if (bytes == NULL || labels == NULL) fail("rows", "not enough memory");
    for (uint64_t i = 0; i < (uint64_t)count; i++) {
        uint64_t state = i * 0x9E3779B97F4A7C15u + 1;
        labels[i] = (int32_t)(i % CLASSES);
        for (int j = 0; j < DIM; j += 8) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            memcpy(bytes + i * DIM + j, &state, 8);
        }
    }
    const sustain_rows training = {.count = count, .dim = DIM, .bytes = bytes, .byte_scale = 1.0F / 255, .labels = labels};
    const sustain_rows trusted = {.count = TRUSTED, .dim = DIM, .bytes = bytes, .byte_scale = 1.0F / 255, .labels = labels};
    return clean(context, &training, &trusted);
}

/* Medians of the seconds per iteration of two solvers, alternating. */
static void alternate(sustain_context *context, sustain_solver *const *solver, const int64_t *iterations, int rounds, double *median) {
    double seconds[2][MOST_ROUNDS];
    for (int s = 0; s < 2; s++) seconds_per_iteration(context, solver[s], iterations[s]); /* warm */
    for (int round = 0; round < rounds; round++)
        for (int s = 0; s < 2; s++) seconds[s][round] = seconds_per_iteration(context, solver[s], iterations[s]);
    for (int s = 0; s < 2; s++) {
        qsort(seconds[s], (size_t)rounds, sizeof(double), ascending);
        median[s] = seconds[s][rounds / 2];
    }
}

static void size(sustain_context *context, int rounds) {
    static const int64_t sizes[2] = {TRAINING, 100 * (int64_t)TRAINING}, iterations[2] = {100000, 100000};
    sustain_solver *solver[2];
    double median[2];
    for (int s = 0; s < 2; s++) solver[s] = make(context, made_up(context, sizes[s]), "1", "10");
    alternate(context, solver, iterations, rounds, median);
    for (int s = 0; s < 2; s++) printf("%lld,%.3e\n", (long long)sizes[s], median[s]);
}

/* ---- many terms ---- */

/* A draw has k + 3 rows, and k is (K - 1) / 2 on average. */
static void terms(sustain_context *context, int rounds) {
    static const char *const K[2] = {"10", "200"};
    static const int64_t iterations[2] = {20000, 1000};
    const sustain_problem *problem = made_up(context, TRAINING);
    sustain_solver *solver[2];
    double median[2];
    for (int s = 0; s < 2; s++) solver[s] = make(context, problem, "1", K[s]);
    alternate(context, solver, iterations, rounds, median);
    for (int s = 0; s < 2; s++) printf("%s,%.3e\n", K[s], median[s] / (atof(K[s]) / 2 + 2.5));
}

int main(int count, char **argument) {
    const int rounds = count == 3 ? atoi(argument[2]) : 0;
    const bool measures = rounds >= 1 && rounds <= MOST_ROUNDS;
    sustain_context *context;
    if (sustain_context_create(&context) != SUSTAIN_OK) fail("context", "no memory");
    if (count == 7 && strcmp(argument[1], "speed") == 0)
        speed(context, argument + 2);
    else if (measures && strcmp(argument[1], "size") == 0)
        size(context, rounds);
    else if (measures && strcmp(argument[1], "terms") == 0)
        terms(context, rounds);
    else
        fail("usage", "hyperclean speed IMAGES LABELS BATCH THREADS SECONDS, hyperclean size ROUNDS, or hyperclean terms ROUNDS");
    sustain_context_destroy(context);
    return 0;
}

/* sparse.c - sparse text-like rows: what eq. (7) costs with 10^7 features beside 10^4, and what
 * whole iterations do with 10^6.
 *
 *   sparse               one line each: features, words, coordinates touched, seconds a call of eq. (7)
 *   sparse iterations    one line for each algorithm: its name, its direction, seconds of an iteration with 10^4 features, with 10^6, their ratio
 *
 * Rows have 100 words by Zipf's law, drawn in batches of 64, K = 10, two points. The first line is
 * of 10^4 features, a word each; the second of the same rows with their columns spread over 10^7
 * features; the third of rows with 10^7 different words, whose draws touch more coordinates, each
 * of them somewhere else in memory. The problems take turns, draw by draw; medians. Iterations are
 * of the same rows with their columns spread over 10^6: what they take longer is what passes over
 * all of x and y take. Seconds are those of the processor, one thread. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/sustain.h>

#include "clock.h"
#include "core/context_internal.h"

enum { ROWS = 5000, WORDS = 100, BATCH = 64, TERMS = 10, CALLS = 201, WARM = 200, ITERATIONS = 200, SUBJECTS = 3 };

typedef struct texts {
    sustain_rows rows;
    int64_t start[ROWS + 1];
    int32_t columns[ROWS * WORDS], labels[ROWS];
    float values[ROWS * WORDS];
} texts;

typedef struct subject {
    texts *set[2];
    sustain_problem *problem;
    sustain_real *x, *y, *x_prev, *y_prev, *out[2];
    sustain_touched touched;
    void *work;
    double seconds[CALLS];
} subject;

static void *must(void *memory) {
    if (memory == NULL) exit(1);
    return memory;
}

static void stop_if(bool failed, const sustain_context *context) {
    if (!failed) return;
    fprintf(stderr, "sparse: %s\n", sustain_error(context));
    exit(1);
}

/* As a solver does it. */
static void *allocate(sustain_context *context, size_t bytes) {
    void *memory;
    stop_if(sustain__allocate(context, bytes, &memory) != SUSTAIN_OK, context);
    return memory;
}

static int by_number(const void *a, const void *b) {
    const int32_t first = *(const int32_t *)a, second = *(const int32_t *)b;
    return (first > second) - (first < second);
}

/* A word's number by its rank: 1 / (rank + 20) is its share. */
static texts *make_texts(uint64_t level, int64_t features, int64_t words) {
    texts *t = must(malloc(sizeof *t));
    int64_t at = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        int32_t word[WORDS];
        for (uint32_t e = 0; e < WORDS; e++) {
            const double u = sustain_random_uniform(100, 1, level, (uint32_t)i * WORDS + e);
            const int64_t rank = (int64_t)(20 * (pow(1 + (double)words / 20, u) - 1));
            word[e] = (int32_t)(sustain_random_permuted(100, 2, 0, rank, words) * (features / words));
        }
        qsort(word, WORDS, sizeof *word, by_number);
        t->start[i] = at;
        t->labels[i] = sustain_random_index(100, 3, level, (uint32_t)i, 2) == 1 ? 1 : -1;
        for (int e = 0; e < WORDS; e++) {
            if (e > 0 && word[e] == word[e - 1]) continue;
            t->columns[at] = word[e];
            t->values[at++] = 0.1f;
        }
    }
    t->start[ROWS] = at;
    t->rows =
        (sustain_rows){.count = ROWS, .dim = features, .values = t->values, .start = t->start, .columns = t->columns, .labels = t->labels};
    return t;
}

static void start(sustain_context *context, int64_t features, int64_t words, subject *s) {
    sustain_regtune_options options = sustain_regtune_defaults();
    const size_t n = (size_t)features;
    for (uint64_t level = 0; level < 2; level++) s->set[level] = make_texts(level, features, words);
    stop_if(sustain_regtune_create(context, &options, &s->set[1]->rows, &s->set[0]->rows, &s->problem) != SUSTAIN_OK, context);
    sustain_real **const vectors[] = {&s->x, &s->y, &s->x_prev, &s->y_prev, &s->out[0], &s->out[1]};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = allocate(context, n * sizeof **vectors[i]);
        for (size_t j = 0; j < n; j++) (*vectors[i])[j] = (sustain_real)(0.01 * (double)(j % 7));
    }
    s->touched.coordinate = allocate(context, n * sizeof *s->touched.coordinate);
    s->work = allocate(context, s->problem->ops->workspace(s->problem->self, BATCH));
}

static void call(subject *s, int number) {
    int64_t index[(TERMS + 1) * BATCH];
    sustain_batch zeta[TERMS];
    sustain_random_indices(100, 4, (uint64_t)number, (TERMS + 1) * BATCH, ROWS, index);
    for (int i = 0; i < TERMS; i++) zeta[i] = (sustain_batch){.size = BATCH, .index = index + (i + 1) * BATCH};
    const sustain_hyper_draw draw = {.xi = {.size = BATCH, .index = index},
                                     .zeta = zeta,
                                     .k = (int)sustain_random_index(100, 5, (uint64_t)number, 0, TERMS),
                                     .K = TERMS,
                                     .L_g = 2,
                                     .touched = &s->touched};
    const double begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    s->problem->ops->fast->hyper_pair(s->problem->self, &draw, s->x, s->y, s->x_prev, s->y_prev, s->out[0], s->out[1], s->work);
    s->seconds[number] = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begun;
}

static int by_size(const void *a, const void *b) {
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double median(subject *s) {
    qsort(s->seconds, CALLS, sizeof *s->seconds, by_size);
    return s->seconds[CALLS / 2];
}

/* In batches of BATCH; after the first ones, which the run loop looks at more closely. */
static double iteration(sustain_context *context, const sustain_problem *problem, const char *name, const char *direction) {
    static const char *const settings[][2] = {{"schedule", "power"}, {"alpha", "0.01"}, {"beta", "0.01"},
                                              {"L_g", "2"},          {"batch", "64"},   {"recover", "0"}};
    sustain_solver *solver;
    double begun = 0;
    stop_if(sustain_solver_create(context, name, problem, &solver) != SUSTAIN_OK, context);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        stop_if(sustain_solver_set(solver, settings[i][0], settings[i][1]) != SUSTAIN_OK, context);
    if (direction != NULL) stop_if(sustain_solver_set(solver, "direction", direction) != SUSTAIN_OK, context);
    for (int part = 0; part < 2; part++) {
        const sustain_stopping stopping = {.iterations = part == 0 ? WARM : WARM + ITERATIONS, .every = 1 << 30};
        begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        stop_if(sustain_solver_run(solver, &stopping, NULL) != SUSTAIN_OK, context);
    }
    sustain_solver_destroy(solver);
    return (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begun) / ITERATIONS;
}

static void show_iterations(sustain_context *context) {
    static const char *const algorithms[][2] = {
        {"sustain", "adam"}, {"sustain", "plain"}, {"soba", NULL}, {"ttsa", NULL}, {"stocbio", NULL}};
    static subject few, many;
    start(context, 10000, 10000, &few);
    start(context, 1000000, 10000, &many);
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        const char *name = algorithms[i][0], *direction = algorithms[i][1];
        const double short_time = iteration(context, few.problem, name, direction),
                     time = iteration(context, many.problem, name, direction);
        printf("%s,%s,%.3e,%.3e,%.1f\n", name, direction != NULL ? direction : "", short_time, time, time / short_time);
    }
}

static void show_calls(sustain_context *context) {
    static const int64_t sizes[SUBJECTS][2] = {{10000, 10000}, {10000000, 10000}, {10000000, 10000000}};
    static subject all[SUBJECTS];
    for (int s = 0; s < SUBJECTS; s++) start(context, sizes[s][0], sizes[s][1], &all[s]);
    for (int i = 0; i < CALLS; i++)
        for (int s = 0; s < SUBJECTS; s++) call(&all[s], i);
    for (int s = 0; s < SUBJECTS; s++)
        printf("%lld,%lld,%lld,%.3e\n", (long long)sizes[s][0], (long long)sizes[s][1], (long long)all[s].touched.count, median(&all[s]));
}

int main(int count, char **arguments) {
    sustain_context *context;
    stop_if(sustain_context_create(&context) != SUSTAIN_OK, NULL);
    if (count > 1 && strcmp(arguments[1], "iterations") == 0)
        show_iterations(context);
    else
        show_calls(context);
    return 0; /* what was made goes with the process */
}

/* sparse.c - eq. (7) on sparse text-like rows: what it costs with 10^7 features beside 10^4, and what a whole iteration of SUSTAIN does.
 *
 *   sparse     one line each: features, words, coordinates touched, seconds a call of eq. (7), seconds of an iteration of SUSTAIN
 *
 * Rows have 100 words by Zipf's law, drawn in batches of 64, K = 10, two points. The first line is of 10^4 features, a word each; the second of the same rows
 * with their columns spread over 10^7 features; the third of rows with 10^7 different words, whose draws touch more coordinates, each of them somewhere else in
 * memory. The problems take turns, draw by draw; medians. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <sustain/sustain.h>

#include "clock.h"
#include "core/context.h"

enum { ROWS = 5000, WORDS = 100, BATCH = 64, TERMS = 10, CALLS = 201, ITERATIONS = 20, SUBJECTS = 3 };

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
    s->problem->ops->hyper_pair(s->problem->self, &draw, s->x, s->y, s->x_prev, s->y_prev, s->out[0], s->out[1], s->work);
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

static double iteration(sustain_context *context, const subject *s) {
    static const char *const settings[][2] = {{"schedule", "power"}, {"K", "10"},     {"L_g", "2"},
                                              {"alpha", "0.5"},      {"beta", "0.5"}, {"batch", "64"}};
    sustain_solver *solver;
    sustain_result result;
    stop_if(sustain_solver_create(context, "sustain", s->problem, &solver) != SUSTAIN_OK, context);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        stop_if(sustain_solver_set(solver, settings[i][0], settings[i][1]) != SUSTAIN_OK, context);
    const sustain_stopping stopping = {.iterations = ITERATIONS, .every = 1 << 30};
    stop_if(sustain_solver_run(solver, &stopping, &result) != SUSTAIN_OK, context);
    sustain_solver_destroy(solver);
    return result.seconds / ITERATIONS;
}

int main(void) {
    static const int64_t sizes[SUBJECTS][2] = {{10000, 10000}, {10000000, 10000}, {10000000, 10000000}};
    static subject all[SUBJECTS];
    sustain_context *context;
    stop_if(sustain_context_create(&context) != SUSTAIN_OK, NULL);
    for (int s = 0; s < SUBJECTS; s++) start(context, sizes[s][0], sizes[s][1], &all[s]);
    for (int i = 0; i < CALLS; i++)
        for (int s = 0; s < SUBJECTS; s++) call(&all[s], i);
    for (int s = 0; s < SUBJECTS; s++)
        printf("%lld,%lld,%lld,%.3e,%.3e\n", (long long)sizes[s][0], (long long)sizes[s][1], (long long)all[s].touched.count,
               median(&all[s]), iteration(context, &all[s]));
    return 0; /* what was made goes with the process */
}

/* meta.c - seconds and memory of an iteration of few-shot learning.
 *
 *   meta METHOD SIZE WIDTH TASKS INNER ITERATIONS THREADS [LAYERS]     METHOD: anil, itd-bio, maml, sustain; pictures SIZE x SIZE of three channels
 *
 * Prints seconds of the wall per iteration, seconds of the processors per iteration, bytes of
 * memory that training took at its peak, the layers it ran on. The work is that of
 * bench/yardsticks/meta_torch.py: 5 ways, 5 shots, 5 queries, inner steps of 0.1, Adam. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <sustain/learn.h>
#include <sustain/meta.h>
#include <sustain/sustain.h>

#include "clock.h"

static void fail(const char *what, const char *why) {
    fprintf(stderr, "meta: %s: %s\n", what, why);
    exit(1);
}

static long long resident(void) {
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*d %lld", &pages) != 1) fail("/proc/self/statm", "cannot be read");
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static long long peak(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024LL * usage.ru_maxrss;
}

static void set(sustain_context *context, sustain_meta_options *options, const char *name, const char *value) {
    int rows;
    const sustain_parameter *row = sustain_meta_parameters(&rows);
    if (sustain_parameters_set(context, row, rows, options, name, value) != SUSTAIN_OK) fail(name, sustain_error(context));
}

int main(int count, char **argument) {
    static const char *const names[] = {"method", NULL, "width", "tasks", "inner_steps"};
    if (count != 8 && count != 9) fail("usage", "meta METHOD SIZE WIDTH TASKS INNER ITERATIONS THREADS [LAYERS]");
    const int iterations = atoi(argument[6]);
    const sustain_picture_options size = {.height = atoi(argument[2]), .width = atoi(argument[2]), .seed = 100};
    sustain_meta_options options = sustain_meta_defaults();
    options.inner_step = 0.1;
    options.outer_step = 0.001;
    options.seed = 100;

    sustain_context *context;
    if (sustain_context_create(&context) != SUSTAIN_OK) fail("context", "no memory");
    sustain_context_set_threads(context, atoi(argument[7]));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i] != NULL) set(context, &options, names[i], argument[i + 1]);
    if (count == 9) set(context, &options, "layers", argument[8]);

    sustain_pictures *pictures;
    sustain_meta *meta;
    if (sustain_pictures_named(context, "generated", NULL, SUSTAIN_SPLIT_TRAINING, &size, &pictures) != SUSTAIN_OK)
        fail("pictures", sustain_error(context));
    const long long before = resident();
    if (sustain_meta_create(context, &options, pictures, &meta) != SUSTAIN_OK) fail("create", sustain_error(context));
    sustain_meta_progress progress;
    double wall = 0, busy = 0;
    for (int t = 0; t <= iterations; t++) {
        if (t == 1) wall = seconds_of(CLOCK_MONOTONIC), busy = seconds_of(CLOCK_PROCESS_CPUTIME_ID); /* the first one warms up */
        if (sustain_meta_step(meta, &progress) != SUSTAIN_OK) fail("step", sustain_error(context));
    }
    printf("%.5f,%.5f,%lld,%s\n", (seconds_of(CLOCK_MONOTONIC) - wall) / iterations,
           (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - busy) / iterations, peak() - before, sustain_meta_layers(meta));
    sustain_meta_destroy(meta);
    sustain_pictures_destroy(pictures);
    sustain_context_destroy(context);
    return 0;
}

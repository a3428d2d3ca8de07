/* meta_options.c - what an iteration of `sustain` costs beside one of `itd-bio`.
 *
 *   meta_options SIZE WIDTH TASKS ROUNDS       pictures SIZE x SIZE of three channels
 *
 * Four runs take a step each, in turn, ROUNDS times, with one thread: itd-bio, sustain with Option
 * II and with Option I, both unrolled, and Option II with exact hypergradients at solved heads.
 * Prints a line for each: name, median seconds of the processor per step, median over the rounds of
 * its ratio to itd-bio. Work as in meta.c. */
#include <stdio.h>
#include <stdlib.h>

#include <sustain/learn.h>
#include <sustain/meta.h>
#include <sustain/sustain.h>

#include "clock.h"

enum { RUNS = 4, WARM = 5, MOST_ROUNDS = 1000 }; /* from the fifth iteration on eta is below 1, so that Option I takes two gradients */

static const struct {
    const char *name;
    int method, option, hypergradient;
} runs[RUNS] = {{"itd_bio", SUSTAIN_META_ITD_BIO, 1, SUSTAIN_META_UNROLL},
                {"option_2", SUSTAIN_META_SUSTAIN, 1, SUSTAIN_META_UNROLL},
                {"option_1", SUSTAIN_META_SUSTAIN, 0, SUSTAIN_META_UNROLL},
                {"exact", SUSTAIN_META_SUSTAIN, 1, SUSTAIN_META_EXACT}};

static void fail(sustain_context *context) {
    fprintf(stderr, "meta_options: %s\n", context != NULL ? sustain_error(context) : "no memory");
    exit(1);
}

static sustain_meta *create(sustain_context *context, const sustain_pictures *pictures, int run, char **argument) {
    sustain_meta_options o = sustain_meta_defaults();
    sustain_meta *meta;
    o.method = runs[run].method;
    o.option = runs[run].option;
    o.hypergradient = runs[run].hypergradient;
    o.width = atoi(argument[2]);
    o.tasks = atoi(argument[3]);
    if (o.hypergradient == SUSTAIN_META_UNROLL) o.inner_steps = 10, o.inner_step = 0.1;
    o.outer_step = 0.001;
    o.seed = 100;
    if (sustain_meta_create(context, &o, pictures, &meta) != SUSTAIN_OK) fail(context);
    return meta;
}

static double seconds_of_step(sustain_context *context, sustain_meta *meta) {
    const double begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    sustain_meta_progress progress;
    if (sustain_meta_step(meta, &progress) != SUSTAIN_OK) fail(context);
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begun;
}

static int in_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, in_order);
    return values[count / 2];
}

int main(int count, char **argument) {
    static double seconds[RUNS][MOST_ROUNDS], ratio[RUNS][MOST_ROUNDS];
    const int rounds = count == 5 ? atoi(argument[4]) : 0;
    if (rounds < 1 || rounds > MOST_ROUNDS) return fprintf(stderr, "usage: meta_options SIZE WIDTH TASKS ROUNDS\n"), 2;
    const sustain_picture_options size = {.height = atoi(argument[1]), .width = atoi(argument[1]), .seed = 100};
    sustain_context *context = NULL;
    sustain_pictures *pictures;
    sustain_meta *meta[RUNS];
    if (sustain_context_create(&context) != SUSTAIN_OK) fail(NULL);
    if (sustain_pictures_named(context, "generated", NULL, SUSTAIN_SPLIT_TRAINING, &size, &pictures) != SUSTAIN_OK) fail(context);
    for (int k = 0; k < RUNS; k++) meta[k] = create(context, pictures, k, argument);
    for (int i = -WARM; i < rounds; i++)
        for (int k = 0; k < RUNS; k++) {
            const double taken = seconds_of_step(context, meta[k]);
            if (i < 0) continue;
            seconds[k][i] = taken;
            ratio[k][i] = taken / seconds[0][i];
        }
    for (int k = 0; k < RUNS; k++) {
        printf("%s,%.5f,%.3f\n", runs[k].name, median(seconds[k], rounds), median(ratio[k], rounds));
        sustain_meta_destroy(meta[k]);
    }
    sustain_pictures_destroy(pictures);
    sustain_context_destroy(context);
    return 0;
}

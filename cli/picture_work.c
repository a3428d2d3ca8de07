/* picture_work.c - processes pictures in parallel: each thread reads pictures and applies its
 * own classifier until none is left. */
#include <stdatomic.h>
#include <stdlib.h>

#include "output.h"
#include "picture_files.h"
#include "progress.h"

typedef struct shared {
    const picture_work *work;
    sustain_fewshot_about about;
    int threads;
    atomic_int_fast64_t next; /* next picture */
    atomic_bool failed;
} shared;

/* The state of a thread. */
typedef struct worker {
    shared *s;
    int number; /* thread 0 shows the progress */
    sustain_context *context;
    sustain_fewshot *classifier;
    uint8_t *pixels;
    int64_t picture; /* current one; -1: none yet */
    sustain_status status;
} worker;

static sustain_status prepare(worker *w) {
    const picture_work *work = w->s->work;
    const sustain_fewshot_about *about = &w->s->about;
    sustain_status status = sustain_context_create(&w->context);
    if (status == SUSTAIN_OK) sustain_context_set_memory_limit(w->context, work->allowed / (size_t)w->s->threads);
    w->pixels = malloc((size_t)(about->channels * about->height * about->width));
    if (status == SUSTAIN_OK && w->pixels == NULL) status = SUSTAIN_MEMORY;
    if (status != SUSTAIN_OK || work->prepare == NULL) return status;
    status = sustain_fewshot_create(w->context, work->model, work->ways, work->room, &w->classifier);
    return status == SUSTAIN_OK ? work->prepare(work->user, w->classifier, w->number) : status;
}

static void go(void *workers, int64_t number) {
    worker *w = (worker *)workers + number;
    shared *s = w->s;
    const picture_work *work = s->work;
    const int64_t count = work->files->count;
    if (number > 0 && (int64_t)atomic_load(&s->next) >= count) return; /* nothing is left */
    w->status = prepare(w);
    for (int64_t i; w->status == SUSTAIN_OK && !atomic_load(&s->failed) && (i = (int64_t)atomic_fetch_add(&s->next, 1)) < count;) {
        w->picture = i;
        if (w->number == 0) progress_show("%lld of %lld pictures", (long long)i, (long long)count);
        w->status =
            sustain_picture_read(w->context, work->files->file[i].path, s->about.channels, s->about.height, s->about.width, w->pixels);
        if (w->status == SUSTAIN_OK) w->status = work->each(work->user, w->classifier, i, w->pixels);
    }
    if (w->status != SUSTAIN_OK) atomic_store(&s->failed, true);
}

/* Reports only the first picture that failed. Pictures are taken in order and each is finished,
 * so the message is the same for any number of threads. */
static int finish(worker *workers, int count) {
    const worker *first = NULL;
    for (int i = 0; i < count; i++)
        if (workers[i].status != SUSTAIN_OK && (first == NULL || workers[i].picture < first->picture)) first = &workers[i];
    const bool described = first != NULL && first->context != NULL && *sustain_error(first->context) != '\0';
    const int code = first == NULL ? EXIT_DONE : described ? refused(first->context, first->status) : out_of_memory();
    for (int i = 0; i < count; i++) {
        sustain_fewshot_destroy(workers[i].classifier);
        sustain_context_destroy(workers[i].context);
        free(workers[i].pixels);
    }
    return code;
}

/* One is made, without a limit, and measured: new memory is not touched. */
int picture_work_memory(const picture_work *work, int threads, double *bytes) {
    const sustain_fewshot_about about = sustain_fewshot_model_about(work->model);
    sustain_fewshot *one = NULL;
    sustain_context *alone;
    *bytes = (double)(threads * about.channels * about.height * about.width);
    if (work->prepare == NULL) return EXIT_DONE;
    if (sustain_context_create(&alone) != SUSTAIN_OK) return out_of_memory();
    const int code = refused(alone, sustain_fewshot_create(alone, work->model, work->ways, work->room, &one));
    *bytes += threads * (double)sustain_context_memory(alone);
    sustain_fewshot_destroy(one);
    sustain_context_destroy(alone);
    return code;
}

int picture_work_run(sustain_context *context, const picture_work *work, int threads) {
    shared s = {.work = work, .threads = threads, .about = sustain_fewshot_model_about(work->model)};
    worker *workers = calloc((size_t)threads, sizeof *workers);
    if (workers == NULL) return out_of_memory();
    for (int i = 0; i < threads; i++) workers[i] = (worker){.s = &s, .number = i, .picture = -1};
    sustain_parallel_for(context, threads, go, workers);
    progress_clear();
    const int code = finish(workers, threads);
    free(workers);
    return code;
}

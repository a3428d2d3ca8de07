/* rates_work.c - distributes the measurements of `rates` among threads. */
#include <pthread.h>

#include "rates.h"

typedef struct shared {
    const rates_work *work;
    pthread_mutex_t lock; /* for the fields below */
    int done;
    sustain_status status; /* of the first job that failed */
    lab_error *error;
} shared;

/* Takes the next job, if any, and reports progress. */
static bool goes_on(shared *s) {
    const rates_work *w = s->work;
    pthread_mutex_lock(&s->lock);
    const bool wanted = s->status == SUSTAIN_OK && !lab_stopped(w->limits->stop);
    if (w->progress != NULL) w->progress(s->done, w->result_count + w->cost_count);
    pthread_mutex_unlock(&s->lock);
    return wanted;
}

static void finish_job(shared *s, const char *name, sustain_status status, const char *error) {
    pthread_mutex_lock(&s->lock);
    s->done++;
    if (status != SUSTAIN_OK && s->status == SUSTAIN_OK)
        s->status = lab_fail(s->error, status, "%s: %s", name, *error != '\0' ? error : sustain_status_text(status));
    pthread_mutex_unlock(&s->lock);
}

static void do_job(void *user, int64_t job) {
    shared *s = user;
    const rates_work *w = s->work;
    rates_result *result = job < w->result_count ? &w->results[job] : NULL;
    rates_cost *cost = result == NULL ? &w->costs[job - w->result_count] : NULL;
    sustain_context *context; /* one per job: a job may fail */
    if (!goes_on(s)) return;
    sustain_status status = sustain_context_create(&context);
    if (status == SUSTAIN_OK)
        status = result != NULL ? rates_measure(context, w->limits, result) : rates_measure_cost(context, w->limits, cost);
    finish_job(s, (result != NULL ? result->row : cost->row)->name, status, sustain_error(context));
    sustain_context_destroy(context);
}

sustain_status rates_measure_all(const rates_work *work, int threads, lab_error *error) {
    sustain_context *context;
    shared s = {.work = work, .error = error};
    if (pthread_mutex_init(&s.lock, NULL) != 0) return lab_fail(error, SUSTAIN_MEMORY, "cannot create a lock");
    sustain_status status = sustain_context_create(&context);
    if (status == SUSTAIN_OK) status = sustain_context_set_threads(context, threads);
    if (status == SUSTAIN_OK) sustain_parallel_for(context, work->result_count + work->cost_count, do_job, &s);
    sustain_context_destroy(context);
    pthread_mutex_destroy(&s.lock);
    return status != SUSTAIN_OK ? lab_fail(error, status, "cannot create the threads") : s.status;
}

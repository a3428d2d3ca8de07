/* rates_work.c - all that `rates` measures, shared out among threads. */
#include <pthread.h>

#include "rates.h"

typedef struct shared {
    const rates_work *work;
    pthread_mutex_t lock; /* of what follows */
    int next, done;
    sustain_status status; /* of the first job that failed */
    lab_error *error;
} shared;

static int take_job(shared *s) {
    const rates_work *w = s->work;
    pthread_mutex_lock(&s->lock);
    const int all = w->result_count + w->cost_count;
    const int job = s->status == SUSTAIN_OK && !lab_stopped(w->limits->stop) && s->next < all ? s->next++ : -1;
    if (w->progress != NULL) w->progress(s->done, all);
    pthread_mutex_unlock(&s->lock);
    return job;
}

static void finish_job(shared *s, const char *name, sustain_status status, const char *error) {
    pthread_mutex_lock(&s->lock);
    s->done++;
    if (status != SUSTAIN_OK && s->status == SUSTAIN_OK)
        s->status = lab_fail(s->error, status, "%s: %s", name, *error != '\0' ? error : sustain_status_text(status));
    pthread_mutex_unlock(&s->lock);
}

static void do_job(shared *s, sustain_context *context, int job) {
    const rates_work *w = s->work;
    rates_result *result = job < w->result_count ? &w->results[job] : NULL;
    rates_cost *cost = result == NULL ? &w->costs[job - w->result_count] : NULL;
    const sustain_status status =
        result != NULL ? rates_measure(context, w->limits, result) : rates_measure_cost(context, w->limits, cost);
    finish_job(s, (result != NULL ? result->row : cost->row)->name, status, sustain_error(context));
}

static void *worker(void *argument) {
    shared *s = argument;
    sustain_context *context;
    if (sustain_context_create(&context) != SUSTAIN_OK) {
        finish_job(s, "rates", SUSTAIN_MEMORY, "");
        return NULL;
    }
    for (int job = take_job(s); job >= 0; job = take_job(s)) do_job(s, context, job);
    sustain_context_destroy(context);
    return NULL;
}

sustain_status rates_measure_all(const rates_work *work, int threads, lab_error *error) {
    enum { MOST_THREADS = 64 };
    pthread_t others[MOST_THREADS];
    shared s = {.work = work, .error = error};
    int started = 0;
    if (pthread_mutex_init(&s.lock, NULL) != 0) return lab_fail(error, SUSTAIN_MEMORY, "cannot make a lock");
    /* This thread works too, so a thread that cannot be had costs only time. */
    while (started < threads - 1 && started < MOST_THREADS && pthread_create(&others[started], NULL, worker, &s) == 0) started++;
    worker(&s);
    for (int i = 0; i < started; i++) pthread_join(others[i], NULL);
    pthread_mutex_destroy(&s.lock);
    return s.status;
}

/* parallel.c - a pool of threads that sleep between jobs.
 *
 * A job is a number of tasks. `ticket` holds the number of the job and of the next task to be
 * taken: a thread takes one by adding 1, and only while that job is current. */
#include "core/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    /* polls before a thread sleeps: some ten microseconds, the time between two jobs of an
     * iteration */
    SPINS = 2000,
    TASK_BITS = 32 /* of a ticket, for the task */
};

typedef struct job {
    sustain_parallel_task task;
    void *user;
    int64_t first, count; /* of its tasks */
    uint64_t number;
} job;

typedef struct sustain__pool {
    pthread_mutex_t lock;
    pthread_cond_t wake, finished;
    job job;                 /* under the lock */
    bool ending;             /* under the lock */
    _Atomic uint64_t ticket; /* job << TASK_BITS | task */
    atomic_int_fast64_t done;
    atomic_flag busy; /* a caller has the threads */
    int workers;      /* threads beside the caller */
    pthread_t thread[];
} pool;

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Takes tasks of this job and does them until none is left. */
static void work(pool *p, const job *j) {
    uint64_t ticket = atomic_load(&p->ticket);
    while (ticket >> TASK_BITS == j->number) {
        const int64_t task = (int64_t)(ticket & ((UINT64_C(1) << TASK_BITS) - 1));
        if (task >= j->count) return;
        if (!atomic_compare_exchange_weak(&p->ticket, &ticket, ticket + 1)) continue;
        j->task(j->user, j->first + task);
        if (atomic_fetch_add(&p->done, 1) + 1 == j->count) {
            pthread_mutex_lock(&p->lock);
            pthread_cond_signal(&p->finished);
            pthread_mutex_unlock(&p->lock);
        }
        ticket = atomic_load(&p->ticket);
    }
}

static void *worker(void *argument) {
    pool *p = argument;
    uint64_t seen = 0;
    for (;;) {
        for (int i = 0; i < SPINS && atomic_load(&p->ticket) >> TASK_BITS == seen; i++) relax();
        pthread_mutex_lock(&p->lock);
        while (p->job.number == seen && !p->ending) pthread_cond_wait(&p->wake, &p->lock);
        const job j = p->job;
        const bool ending = p->ending;
        pthread_mutex_unlock(&p->lock);
        if (ending) return NULL;
        seen = j.number;
        work(p, &j);
    }
}

/* Starts as many threads as possible; without any, the calling thread does the work. */
static pool *pool_create(sustain_context *context) {
    pool *p;
    const size_t bytes = sizeof *p + (size_t)(context->threads - 1) * sizeof(pthread_t);
    if (sustain__allocate(context, bytes, &p) != SUSTAIN_OK) return NULL;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->finished, NULL);
    atomic_flag_clear(&p->busy);
    while (p->workers < context->threads - 1 && pthread_create(&p->thread[p->workers], NULL, worker, p) == 0) p->workers++;
    return p;
}

void sustain__pool_destroy(sustain_context *context) {
    pool *p = context->pool;
    if (p == NULL) return;
    pthread_mutex_lock(&p->lock);
    p->ending = true;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->workers; i++) pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->finished);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    sustain__free(context, p);
    context->pool = NULL;
}

static void do_job(pool *p, int64_t first, int64_t count, sustain_parallel_task task, void *user) {
    atomic_store(&p->done, 0);
    pthread_mutex_lock(&p->lock);
    p->job = (job){task, user, first, count, p->job.number + 1};
    const job j = p->job;
    atomic_store(&p->ticket, j.number << TASK_BITS);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    work(p, &j);
    for (int i = 0; i < SPINS && atomic_load(&p->done) < count; i++) relax();
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->done) < count) pthread_cond_wait(&p->finished, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

sustain_status sustain_parallel_for(sustain_context *context, int64_t count, sustain_parallel_task task, void *user) {
    const int64_t most = (int64_t)1 << (TASK_BITS - 1); /* of one job */
    SUSTAIN_TRY(sustain__parallel_check(context, count, task));
    pool *p = context->pool;
    const bool together = count > 1 && p != NULL && !atomic_flag_test_and_set(&p->busy);
    if (together) {
        for (int64_t first = 0; first < count; first += most) do_job(p, first, count - first < most ? count - first : most, task, user);
        atomic_flag_clear(&p->busy);
    } else {
        for (int64_t i = 0; i < count; i++) task(user, i);
    }
    return SUSTAIN_OK;
}

sustain_status sustain_context_set_threads(sustain_context *context, int threads) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    if (threads < 1) return sustain__fail(context, SUSTAIN_ARGUMENT, "there must be at least 1 thread (%d were asked for)", threads);
    sustain__pool_destroy(context);
    context->threads = threads;
    if (threads > 1 && (context->pool = pool_create(context)) == NULL) return SUSTAIN_MEMORY;
    return SUSTAIN_OK;
}

/* processes.c - see processes.h. */
#include "processes.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MOST = 8 };

typedef struct team {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int ranks, threads, leaver, leaves, arrived, round;
    bool broken;
    char *buffer[MOST];
    process_work *work;
    void *user;
} team;

typedef struct member {
    team *team;
    int rank;
    pthread_t thread;
} member;

/* Waits until all have arrived; false: one is lost. Called with the lock. */
static bool meet(team *t) {
    const int round = t->round;
    if (++t->arrived == t->ranks) {
        t->arrived = 0;
        t->round++;
        pthread_cond_broadcast(&t->moved);
    }
    while (t->round == round && !t->broken) pthread_cond_wait(&t->moved, &t->lock);
    return !t->broken;
}

static int exchange(void *self, void *buffer, const size_t *offset, sustain_cancel cancel, void *cancel_user) {
    const member *m = self;
    team *t = m->team;
    (void)cancel, (void)cancel_user;
    pthread_mutex_lock(&t->lock);
    if (m->rank == t->leaver && t->round >= 2 * t->leaves) {
        t->broken = true;
        pthread_cond_broadcast(&t->moved);
    }
    t->buffer[m->rank] = buffer;
    bool good = meet(t);
    for (int r = 0; r < t->ranks && good; r++)
        if (r != m->rank) memcpy((char *)buffer + offset[r], t->buffer[r] + offset[r], offset[r + 1] - offset[r]);
    good = good && meet(t); /* no buffer changes while another process reads it */
    pthread_mutex_unlock(&t->lock);
    return good ? 0 : -1;
}

static void *run(void *user) {
    member *m = user;
    sustain_context *context;
    const sustain_communicator c = {.size = sizeof c, .self = m, .rank = m->rank, .ranks = m->team->ranks, .exchange = exchange};
    if (sustain_context_create(&context) != SUSTAIN_OK) return NULL;
    if (sustain_context_set_threads(context, m->team->threads) == SUSTAIN_OK && sustain_context_set_communicator(context, &c) == SUSTAIN_OK)
        m->team->work(context, m->rank, m->team->user);
    sustain_context_destroy(context);
    return NULL;
}

int processes_run(int ranks, int threads, int leaver, int leaves, process_work *work, void *user) {
    team t = {.lock = PTHREAD_MUTEX_INITIALIZER,
              .moved = PTHREAD_COND_INITIALIZER,
              .ranks = ranks,
              .threads = threads,
              .leaver = leaver,
              .leaves = leaves,
              .work = work,
              .user = user};
    member all[MOST];
    for (int r = 0; r < ranks; r++) {
        all[r] = (member){.team = &t, .rank = r};
        pthread_create(&all[r].thread, NULL, run, &all[r]);
    }
    for (int r = 0; r < ranks; r++) pthread_join(all[r].thread, NULL);
    return t.round / 2;
}

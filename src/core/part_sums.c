/* part_sums.c - see part_sums.h. */
#include "core/part_sums.h"

#include <string.h>

enum { PIECE = 2048 }; /* numbers that one task adds up */

enum { LONGEST_RUN = 16 }; /* parts of a slot, so that work can be cancelled after each run */

/* Parts at work at the same time: `count` of them in so many slots. */
typedef struct wave {
    const sustain__parts *p;
    int64_t first, count, slots;
} wave;

/* The parts of a slot. */
static sustain__range parts_of(const wave *w, int64_t slot) {
    return (sustain__range){w->first + w->count * slot / w->slots, w->first + w->count * (slot + 1) / w->slots};
}

static double *run_of(const wave *w, int64_t slot) {
    return w->count > w->slots ? w->p->run + slot * (w->p->numbers + 1) : NULL;
}

static void sum_one(void *user, int64_t slot) {
    const wave *w = user;
    const sustain__parts *p = w->p;
    const sustain__range own = parts_of(w, slot);
    double *run = run_of(w, slot);
    if (run != NULL) memset(run, 0, (size_t)(p->numbers + 1) * sizeof *run);
    for (int64_t number = own.begin; number < own.end; number++) {
        p->sum(p->user, number, slot);
        for (int64_t j = 0; run != NULL && j < p->numbers; j++) run[j] += (double)p->partial[slot * p->stride + j];
        if (run != NULL && p->value != NULL) run[p->numbers] += p->value[slot];
    }
    if (run != NULL && p->value != NULL) p->value[slot] = run[p->numbers];
}

static void *summed(void *user, int64_t slot, int which, size_t *bytes) {
    const wave *w = user;
    const sustain__parts *p = w->p;
    const sustain__range own = parts_of(w, slot);
    *bytes = sizeof *p->value;
    if (p->value != NULL && which-- == 0) return p->value + slot;
    double *const run = run_of(w, slot), *const exact = run != NULL ? run : p->exact != NULL ? p->exact + slot * p->stride : NULL;
    *bytes = (size_t)p->numbers * (exact != NULL ? sizeof *exact : sizeof *p->partial);
    if (p->numbers > 0 && which-- == 0) return exact != NULL ? (void *)exact : p->partial + slot * p->stride;
    if (p->outputs == 0 || which >= p->outputs * (own.end - own.begin)) return NULL;
    return p->output(p->user, own.begin + which / p->outputs, which % p->outputs, bytes);
}

static void add_piece(void *user, int64_t number) {
    const wave *w = user;
    const sustain__parts *p = w->p;
    const int64_t from = number * PIECE, size = p->numbers - from < PIECE ? p->numbers - from : PIECE;
    double *total = p->total + from;
    for (int64_t slot = 0; slot < w->slots; slot++) {
        const double *const run = run_of(w, slot), *const exact = run != NULL        ? run + from
                                                                  : p->exact != NULL ? p->exact + slot * p->stride + from
                                                                                     : NULL;
        const sustain_real *const partial = exact == NULL ? p->partial + slot * p->stride + from : NULL;
        for (int64_t j = 0; exact != NULL && j < size; j++) total[j] += exact[j];
        for (int64_t j = 0; exact == NULL && j < size; j++) total[j] += (double)partial[j];
    }
}

sustain_status sustain__parts_sum(const sustain__parts *p, double *value) {
    const int64_t most = p->run != NULL ? p->slots * LONGEST_RUN : p->slots;
    if (value != NULL) *value = 0;
    if (p->numbers > 0) memset(p->total, 0, (size_t)p->numbers * sizeof *p->total);
    for (wave w = {.p = p}; w.first < p->count; w.first += most) {
        w.count = p->count - w.first < most ? p->count - w.first : most;
        w.slots = w.count < p->slots ? w.count : p->slots;
        if (p->by <= SUSTAIN__THREADS)
            sustain__parallel_if(p->by == SUSTAIN__THREADS, p->context, w.slots, sum_one, &w);
        else
            SUSTAIN_TRY((p->by == SUSTAIN__PROCESSES ? sustain__share : sustain__share_until)(p->context, w.slots, sum_one, &w, summed));
        sustain__parallel_if(p->by != SUSTAIN__ALONE, p->context, (p->numbers + PIECE - 1) / PIECE, add_piece, &w);
        for (int64_t i = 0; value != NULL && i < w.slots; i++) *value += p->value[i];
    }
    return SUSTAIN_OK;
}

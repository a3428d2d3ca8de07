/* part_sums.c - see part_sums.h. */
#include "core/part_sums.h"

#include <string.h>

enum { PIECE = 2048 }; /* numbers that one task adds up */

/* Parts at work at the same time. */
typedef struct wave {
    const sustain__parts *p;
    int64_t first, count;
} wave;

static void sum_one(void *user, int64_t slot) {
    const wave *w = user;
    w->p->sum(w->p->user, w->first + slot, slot);
}

static void *summed(void *user, int64_t slot, int which, size_t *bytes) {
    const sustain__parts *p = ((const wave *)user)->p;
    *bytes = sizeof *p->value;
    if (p->value != NULL && which-- == 0) return p->value + slot;
    *bytes = (size_t)p->numbers * (p->exact != NULL ? sizeof *p->exact : sizeof *p->partial);
    if (p->numbers == 0 || which != 0) return NULL;
    return p->exact != NULL ? (void *)(p->exact + slot * p->stride) : p->partial + slot * p->stride;
}

static void add_piece(void *user, int64_t number) {
    const wave *w = user;
    const sustain__parts *p = w->p;
    const int64_t from = number * PIECE, size = p->numbers - from < PIECE ? p->numbers - from : PIECE;
    double *total = p->total + from;
    for (int64_t slot = 0; slot < w->count; slot++) {
        const int64_t at = slot * p->stride + from;
        for (int64_t j = 0; p->exact != NULL && j < size; j++) total[j] += p->exact[at + j];
        for (int64_t j = 0; p->exact == NULL && j < size; j++) total[j] += (double)p->partial[at + j];
    }
}

sustain_status sustain__parts_sum(const sustain__parts *p, double *value) {
    if (value != NULL) *value = 0;
    if (p->numbers > 0) memset(p->total, 0, (size_t)p->numbers * sizeof *p->total);
    for (wave w = {.p = p}; w.first < p->count; w.first += p->slots) {
        w.count = p->count - w.first < p->slots ? p->count - w.first : p->slots;
        if (p->by <= SUSTAIN__THREADS)
            sustain__parallel_if(p->by == SUSTAIN__THREADS, p->context, w.count, sum_one, &w);
        else
            SUSTAIN_TRY((p->by == SUSTAIN__PROCESSES ? sustain__share : sustain__share_until)(p->context, w.count, sum_one, &w, summed));
        sustain__parallel_if(p->by != SUSTAIN__ALONE, p->context, (p->numbers + PIECE - 1) / PIECE, add_piece, &w);
        for (int64_t i = 0; value != NULL && i < w.count; i++) *value += p->value[i];
    }
    return SUSTAIN_OK;
}

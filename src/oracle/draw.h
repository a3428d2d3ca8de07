/* draw.h - random draws for a problem: draw = F(seed, stream, t), so that any of them can be made
 * again. */
#ifndef SUSTAIN_ORACLE_DRAW_H
#define SUSTAIN_ORACLE_DRAW_H

#include <sustain/problem.h>
#include <sustain/random.h>

/* The streams of random numbers, one for each purpose. */
enum {
    SUSTAIN__STREAM_LOWER = 1, /* zeta_t of (13) */
    SUSTAIN__STREAM_UPPER,     /* xi of (7) */
    SUSTAIN__STREAM_TERMS,     /* k of (7) */
    SUSTAIN__STREAM_OUTPUT,    /* a(T) */
    SUSTAIN__STREAM_MONITOR,   /* the fixed batch on which the value of a stream is monitored */
    SUSTAIN__STREAM_ESTIMATE,  /* estimates of constants */
    SUSTAIN__STREAM_CHECK,     /* sustain_check_problem */
    SUSTAIN__STREAM_CLIENT,    /* seeds of clients */
    SUSTAIN__STREAM_HYPER = 64 /* zeta^(i) of (7): 64 + i */
};

typedef struct sustain__sampler {
    const sustain_problem *problem;
    uint64_t seed;
    bool shuffle;     /* without replacement: every sample once an epoch ... */
    bool blocks;      /* ... neighbours close to each other, for files on slow disks */
    int64_t *samples; /* (2) counts what is drawn, or NULL */
} sustain__sampler;

/* With `blocks`: an epoch is the blocks of SUSTAIN__DRAW_BLOCK neighbours in random order, the last
 * one, which may be shorter, at its end; samples are shuffled within windows of
 * SUSTAIN__DRAW_WINDOW blocks. */
enum { SUSTAIN__DRAW_BLOCK = 256, SUSTAIN__DRAW_WINDOW = 64 };

/* Draws `size` samples. `index` has room for them (not touched for streams) and must live as long
 * as the batch is used. */
sustain_batch sustain__draw(const sustain__sampler *sampler, sustain_level level, uint32_t stream, int64_t t, int64_t size, int64_t *index);

/* k of eq. (7), uniform on 0 .. K-1. */
int sustain__draw_terms(const sustain__sampler *sampler, int64_t t, int K);

#endif

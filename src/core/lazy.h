/* lazy.h - a long vector x that moves along a decaying sum of sparse vectors, at a cost that does
 * not depend on its length.
 *
 *      h_t = keep_t h_{t-1} + d_t (d_t sparse),      x_{t+1} = x_t - alpha_t h_t
 *
 * is kept as h_t = s_t u_t: decay multiplies the number s, and d_t / s_t is added to u where d_t is
 * not zero. Between two visits to coordinate i, u_i is constant, so the missed update of x_i is u_i
 * times a running sum of alpha_t s_t.
 *
 * An epoch is closed when s would fall below 1e-2 (above, rounding in double stays near 1e-14) or
 * is cut to 0; the next begins with s = 1. A closed epoch leaves two numbers: its sum of alpha s
 * and the factor that u takes into the next one. A coordinate last visited several epochs ago needs
 * only the next few of them: the rest is below rounding. The numbers are kept in a ring; at each
 * closing a few coordinates, in turn, are brought up to date, so that none is ever older than the
 * ring, and no pass over x is ever made. */
#ifndef SUSTAIN_CORE_LAZY_H
#define SUSTAIN_CORE_LAZY_H

#include <sustain/status.h>

typedef struct sustain__lazy {
    int64_t count;       /* of x */
    sustain_real *x;     /* (count) right as of the visit */
    sustain_real *u;     /* (count) */
    double *seen;        /* (count) the running sum at the visit */
    uint32_t *epoch;     /* (count) of the visit */
    int64_t ring;        /* a power of two */
    double *ring_sum;    /* (ring) of a closed epoch: its running sum */
    double *ring_factor; /* (ring) of a closed epoch: u of the next one is this times u */
    /* scalars of the state */
    uint32_t now;   /* the current epoch */
    double s;       /* h = s u */
    double sum;     /* of alpha s in the current epoch */
    double alpha;   /* the last step: x_{t-1} = x_t + alpha h */
    double squared; /* |h|^2, kept up as h changes */
    int64_t sweep;  /* the next coordinate to bring up to date */
} sustain__lazy;

/* The length of the ring for a vector of that length. */
int64_t sustain__lazy_ring(int64_t count);

/* Starts with h = 0; the arrays are the caller's, x filled in, the others zero. */
void sustain__lazy_start(sustain__lazy *lazy);

/* Brings x_t up to date at some coordinates, and writes x_{t-1} there into x_prev (a vector as long
 * as x). */
void sustain__lazy_read(sustain__lazy *lazy, int64_t n, const int64_t *coordinate, sustain_real *x_prev);

/* Asks for the memory of some coordinates that will be read soon, x_prev included. */
void sustain__lazy_prefetch(const sustain__lazy *lazy, int64_t n, const int64_t *coordinate, const sustain_real *x_prev);

/* h <- keep h; s is then what divides the values added. */
void sustain__lazy_decay(sustain__lazy *lazy, double keep);

/* h <- h + factor * (sparse); a coordinate may be listed twice. */
void sustain__lazy_add(sustain__lazy *lazy, int64_t n, const int64_t *coordinate, double factor, const sustain_real *value);

/* x <- x - alpha h, everywhere, in constant time. */
void sustain__lazy_move(sustain__lazy *lazy, double alpha);

/* All of x_t into out, without changing the state: reading x does not change later results. */
void sustain__lazy_copy(const sustain__lazy *lazy, sustain_real *out);

#endif

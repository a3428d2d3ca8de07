/* lazy.c - see lazy.h for the method. */
#include "core/lazy.h"

#include "core/prefetch.h"

#define LEAST_SCALE 1e-2  /* below, close the epoch */
#define FORGOTTEN 0x1p-60 /* of u: below the rounding of a double */

/* A coordinate, up to date. */
typedef struct visit {
    double x, u;
} visit;

static visit up_to_date(const sustain__lazy *lazy, int64_t i) {
    visit v = {(double)lazy->x[i], (double)lazy->u[i]};
    uint32_t e = lazy->epoch[i];
    double seen = lazy->seen[i], product = 1;
    for (; e != lazy->now && v.u != 0; e++, seen = 0) {
        const int64_t slot = e & (lazy->ring - 1);
        v.x -= v.u * (lazy->ring_sum[slot] - seen);
        v.u *= lazy->ring_factor[slot];
        product *= lazy->ring_factor[slot];
        if (product < FORGOTTEN) v.u = 0;
    }
    v.x -= v.u * (lazy->sum - seen);
    return v;
}

static void visit_coordinate(sustain__lazy *lazy, int64_t i) {
    const visit v = up_to_date(lazy, i);
    lazy->x[i] = (sustain_real)v.x;
    lazy->u[i] = (sustain_real)v.u;
    lazy->seen[i] = lazy->sum;
    lazy->epoch[i] = lazy->now;
}

int64_t sustain__lazy_ring(int64_t count) {
    int64_t ring = 1024;
    while (ring < count / 16) ring *= 2;
    return ring;
}

void sustain__lazy_start(sustain__lazy *lazy) {
    lazy->now = 0;
    lazy->s = 1;
    lazy->sum = 0;
    lazy->alpha = 0;
    lazy->squared = 0;
    lazy->sweep = 0;
}

void sustain__lazy_read(sustain__lazy *lazy, int64_t n, const int64_t *coordinate, sustain_real *x_prev) {
    const double back = lazy->alpha * lazy->s;
    for (int64_t j = 0; j < n; j++) {
        const int64_t i = coordinate[j];
        visit_coordinate(lazy, i);
        x_prev[i] = (sustain_real)((double)lazy->x[i] + back * (double)lazy->u[i]);
    }
}

void sustain__lazy_prefetch(const sustain__lazy *lazy, int64_t n, const int64_t *coordinate, const sustain_real *x_prev) {
    for (int64_t j = 0; j < n; j++) {
        const int64_t i = coordinate[j];
        SUSTAIN__PREFETCH(lazy->x + i);
        SUSTAIN__PREFETCH(lazy->u + i);
        SUSTAIN__PREFETCH(lazy->seen + i);
        SUSTAIN__PREFETCH(lazy->epoch + i);
        SUSTAIN__PREFETCH(x_prev + i);
    }
}

/* The ring has room for `ring` closed epochs; count / ring coordinates at each closing keep all of
 * them younger. */
static void close_epoch(sustain__lazy *lazy, double factor) {
    const int64_t slot = lazy->now & (lazy->ring - 1);
    lazy->ring_sum[slot] = lazy->sum;
    lazy->ring_factor[slot] = factor;
    lazy->now++;
    lazy->s = 1;
    lazy->sum = 0;
    const int64_t some = lazy->count / lazy->ring + 1;
    for (int64_t j = 0; j < some; j++) {
        visit_coordinate(lazy, lazy->sweep);
        if (++lazy->sweep == lazy->count) lazy->sweep = 0;
    }
}

void sustain__lazy_decay(sustain__lazy *lazy, double keep) {
    lazy->squared *= keep * keep;
    if (lazy->s * keep < LEAST_SCALE)
        close_epoch(lazy, lazy->s * keep);
    else
        lazy->s *= keep;
}

void sustain__lazy_add(sustain__lazy *lazy, int64_t n, const int64_t *coordinate, double factor, const sustain_real *value) {
    const double f = factor / lazy->s;
    for (int64_t j = 0; j < n; j++) {
        const int64_t i = coordinate[j];
        visit_coordinate(lazy, i);
        const double before = lazy->s * (double)lazy->u[i];
        lazy->u[i] = (sustain_real)((double)lazy->u[i] + f * (double)value[j]);
        const double after = lazy->s * (double)lazy->u[i];
        lazy->squared += after * after - before * before;
        if (lazy->squared < 0) lazy->squared = 0; /* rounding */
    }
}

void sustain__lazy_move(sustain__lazy *lazy, double alpha) {
    lazy->sum += alpha * lazy->s;
    lazy->alpha = alpha;
}

void sustain__lazy_copy(const sustain__lazy *lazy, sustain_real *out) {
    for (int64_t i = 0; i < lazy->count; i++) out[i] = (sustain_real)up_to_date(lazy, i).x;
}

/* shipped.h - the problems that the defaults are measured on: every kind that comes with the
 * library, well and badly conditioned, well and badly scaled, small enough that hundreds of runs
 * take minutes. */
#ifndef SUSTAIN_BENCH_SHIPPED_H
#define SUSTAIN_BENCH_SHIPPED_H

#include <sustain/learn.h>
#include <sustain/sustain.h>

typedef struct shipped {
    const char *name;
    sustain_problem *problem;
    int64_t batch;     /* samples of a draw, where an algorithm draws */
    double value_zero; /* the upper loss is told relative to it: 0 where it is a mean of losses, ell(x_0) where its zero is arbitrary */
    double start;      /* squared exact gradient norm at x_0 */
    double best;       /* the least ell known */
    double tolerance;  /* of the lower level: grad_y g is about as large as the features */
    void (*destroy)(sustain_problem *problem);
    float *features[2]; /* owned */
    int32_t *labels[2];
    float *targets[2];
} shipped;

/* How many there are; some want data and are left out where there is none. */
int shipped_count(void);
const char *shipped_name(int i);

/* Makes the i-th; false where its data is not there. `seed` of the generated data. Exits on any
 * other failure. */
bool shipped_create(sustain_context *context, int i, int64_t seed, shipped *out);
void shipped_destroy(shipped *s);

/* ell(x), grad ell(x) (upper_dim, or NULL) and its squared norm; y (lower_dim) is where the lower
 * level is solved from, and its solution. False where they are not finite. */
bool shipped_look(sustain_context *context, const shipped *s, const sustain_real *x, sustain_real *y, sustain_real *gradient, double *value,
                  double *squared);

#endif

/* label_confident.c - see label_confident.h. */
#include "jobs/label_confident.h"

#include <math.h>
#include <string.h>

#include "core/cancel.h"
#include "jobs/rank.h"

enum { CHUNK = 1024, AT_ONCE = 16 };
#define MOST_PRUNED 5e7 /* rows times classes up to which flags by noise rate are computed */

typedef struct reading {
    sustain__confident *c;
    float *p;            /* (AT_ONCE, 2, classes) */
    const double *least; /* thresholds; NULL in the first pass */
    int32_t *confident;  /* (count) the confident class of a row, -1: none */
    int64_t first;       /* chunk */
} reading;

int32_t sustain__rival(int64_t classes, int32_t given, const float *p) {
    int32_t other = given == 0;
    for (int32_t k = 0; k < classes; k++)
        if (k != given && p[k] > p[other]) other = k;
    return other;
}

static int32_t largest_above(int64_t classes, const float *p, const double *least) {
    int32_t best = -1;
    for (int32_t k = 0; k < classes; k++)
        if ((double)p[k] >= least[k] && (best < 0 || p[k] > p[best])) best = k;
    return best;
}

static void read_chunk(void *user, int64_t number) {
    const reading *r = user;
    sustain__confident *c = r->c;
    const int64_t begin = (r->first + number) * CHUNK, end = begin + CHUNK < c->count ? begin + CHUNK : c->count;
    float *p = r->p + number * 2 * c->classes;
    for (int64_t i = begin; i < end; i++) {
        c->read(c->user, i, p, p + c->classes);
        if (r->least != NULL) {
            r->confident[i] = largest_above(c->classes, p, r->least);
            continue;
        }
        const int32_t other = sustain__rival(c->classes, c->given[i], p);
        c->self[i] = p[c->given[i]], c->rival[i] = p[other], c->other[i] = other;
    }
}

static sustain_status read_all(sustain_context *context, reading *r) {
    const int64_t chunks = (r->c->count + CHUNK - 1) / CHUNK;
    for (r->first = 0; r->first < chunks; r->first += AT_ONCE)
        SUSTAIN_TRY(sustain__parallel_until(context, chunks - r->first < AT_ONCE ? chunks - r->first : AT_ONCE, read_chunk, r));
    return SUSTAIN_OK;
}

/* ---- flags ---- */

/* Rows of label l, n of them; p (n, classes) their probabilities; joint (classes) is J(l,:). margin
 * and order (n) are scratch. */
static sustain_status prune_label(sustain_context *context, sustain__confident *c, int32_t l, int64_t n, const float *p,
                                  const int64_t *rows, const double *joint, float *margin, int64_t *order) {
    for (int64_t k = 0; k < c->classes; k++) {
        const int64_t most = llround(joint[k]);
        if (k == l || most < 1) continue;
        for (int64_t i = 0; i < n; i++) margin[i] = p[i * c->classes + l] - p[i * c->classes + k];
        SUSTAIN_TRY(sustain__rank(context, n, margin, order));
        for (int64_t i = 0; i < most && i < n; i++) c->pruned[rows[order[i]]] = 1;
    }
    return SUSTAIN_OK;
}

static sustain_status prune(sustain_context *context, sustain__confident *c, const double *joint, float *scratch) {
    int64_t most = 1, *per = NULL;
    SUSTAIN_TRY(sustain__allocate(context, (size_t)c->classes * sizeof *per, &per));
    for (int64_t i = 0; i < c->count; i++) per[c->given[i]]++;
    for (int64_t k = 0; k < c->classes; k++) most = per[k] > most ? per[k] : most;
    sustain__free(context, per);
    int64_t *rows;
    SUSTAIN_TRY(
        sustain__allocate(context, sustain__multiply((size_t)most, 2 * sizeof *rows + ((size_t)c->classes + 1) * sizeof(float)), &rows));
    int64_t *order = rows + most;
    float *margin = (float *)(void *)(order + most), *p = margin + most;
    sustain_status status = SUSTAIN_OK;
    for (int32_t l = 0; l < c->classes && status == SUSTAIN_OK; l++) {
        int64_t n = 0;
        status = sustain__cancelled(context);
        for (int64_t i = 0; i < c->count; i++) {
            if (c->given[i] != l) continue;
            c->read(c->user, i, p + n * c->classes, scratch);
            rows[n++] = i;
        }
        if (status == SUSTAIN_OK) status = prune_label(context, c, l, n, p, rows, joint + l * c->classes, margin, order);
    }
    sustain__free(context, rows);
    return status;
}

/* ---- the joint ---- */

static sustain_status count_errors(sustain_context *context, sustain__confident *c, reading *r, double *least, double *joint) {
    const int64_t C = c->classes;
    double *rows = joint + C * C;
    for (int64_t i = 0; i < c->count; i++) least[c->given[i]] += (double)c->self[i], rows[c->given[i]]++;
    for (int64_t k = 0; k < C; k++) least[k] = rows[k] > 0 ? least[k] / rows[k] : 2; /* a class without rows is never confident */
    r->least = least;
    SUSTAIN_TRY(read_all(context, r));
    for (int64_t i = 0; i < c->count; i++)
        if (r->confident[i] >= 0) joint[c->given[i] * C + r->confident[i]]++;
    c->errors = 0;
    for (int64_t l = 0; l < C; l++) {
        double sum = 0;
        for (int64_t k = 0; k < C; k++) sum += joint[l * C + k];
        for (int64_t k = 0; k < C && sum > 0; k++) {
            joint[l * C + k] *= rows[l] / sum;
            if (k != l) c->errors += joint[l * C + k];
        }
    }
    c->flags = (double)c->count * (double)C <= MOST_PRUNED;
    return c->flags ? prune(context, c, joint, r->p) : SUSTAIN_OK;
}

sustain_status sustain__confident_create(sustain_context *context, sustain__confident *c) {
    const size_t n = (size_t)c->count, C = (size_t)c->classes;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply(n, 2 * sizeof(float) + sizeof(int32_t) + 1), &c->self));
    c->rival = c->self + n;
    c->other = (int32_t *)(void *)(c->rival + n);
    c->pruned = (uint8_t *)(c->other + n);
    reading r = {.c = c};
    double *joint;
    sustain_status status = sustain__allocate(
        context, sustain__multiply(C + 2, C * sizeof *joint) + sustain__multiply(n, sizeof(int32_t)) + C * 2 * AT_ONCE * sizeof(float),
        &joint);
    if (status != SUSTAIN_OK) return status;
    double *least = joint + C * C + C;
    r.p = (float *)(void *)(least + C);
    r.confident = (int32_t *)(void *)(r.p + 2 * AT_ONCE * C);
    status = read_all(context, &r);
    c->differs = 0;
    for (size_t i = 0; i < n; i++) c->differs += c->rival[i] > c->self[i];
    if (status == SUSTAIN_OK) status = count_errors(context, c, &r, least, joint);
    sustain__free(context, joint);
    return status;
}

void sustain__confident_free(sustain_context *context, sustain__confident *c) {
    sustain__free(context, c->self);
    c->self = NULL;
}

/* label_blend.c - see label_blend.h. The fit is a small convex problem, solved by L-BFGS. */
#include "jobs/label_blend.h"

#include <math.h>

#include "core/vector.h"
#include "hypergrad/lbfgs.h"

enum { FOLDS = SUSTAIN__BLEND_FOLDS, ITERATIONS = 100, MOST_CLASSES_WITH_PAIRS = 64 };
#define LEAST_PROBABILITY 1e-4f
#define TOLERANCE 1e-4
#define SHARPNESS 15.0   /* a source counts by exp(-SHARPNESS times its mean loss) */
#define LEAST_ALONE 0.05 /* of the share of a source alone */
#define RIDGE_OF_SHARES 1.0
#define RIDGE_OF_GIVEN 0.01
#define RIDGE_OF_DIFFERENCES 100.0 /* of the shares from their centre, up to their sum */

static const double ridges[] = {3, 30, 300}; /* the first is the most flexible */
enum { RIDGES = sizeof ridges / sizeof *ridges };

float sustain__blend_log(float p) {
    return logf((p > 0 ? p : 0) + LEAST_PROBABILITY);
}

/* ---- the model ---- */

static int64_t size_of(const sustain__blend *b) {
    return b->sources + 1 + b->classes + (b->pairs ? b->classes * b->classes : 0);
}

void sustain__blend_posterior(const sustain__blend *b, const float *logs, int32_t given, double *q) {
    const int64_t C = b->classes;
    const sustain_real *bias = b->theta + b->sources + 1, *pair = bias + C;
    double most = -INFINITY, sum = 0;
    for (int64_t k = 0; k < C; k++) {
        q[k] = (double)bias[k];
        for (int m = 0; m < b->sources; m++) q[k] += (double)b->theta[m] * (double)logs[m * C + k];
    }
    if (b->given) q[given] += (double)b->theta[b->sources];
    for (int64_t k = 0; k < C && b->pairs; k++) q[k] += (double)pair[given * C + k];
    for (int64_t k = 0; k < C; k++) most = fmax(most, q[k]);
    for (int64_t k = 0; k < C; k++) sum += q[k] = exp(q[k] - most);
    for (int64_t k = 0; k < C; k++) q[k] /= sum;
}

/* ---- the fit ---- */

typedef struct fitting {
    const sustain__labelled *rows;
    sustain__blend *blend;
    int only;        /* the one source that counts; -1: all */
    int64_t without; /* rows j with j mod FOLDS equal to this are left out; -1: none */
    double *q;       /* (classes) */
    double *sum;     /* (size) of the gradient */
} fitting;

/* The gradient of one row's loss: q less the unit vector of the right class, through the scores. */
static void add_row(const fitting *f, int64_t j) {
    const sustain__labelled *r = f->rows;
    const sustain__blend *b = f->blend;
    const int64_t C = b->classes;
    const float *logs = r->logs + j * b->sources * C;
    double *bias = f->sum + b->sources + 1, *pair = bias + C;
    f->q[r->right[j]] -= 1;
    for (int m = 0; m < b->sources; m++)
        for (int64_t k = 0; k < C; k++) f->sum[m] += f->q[k] * (double)logs[m * C + k];
    for (int64_t k = 0; k < C; k++) bias[k] += f->q[k];
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the blend says whether given is there */
    if (b->given) f->sum[b->sources] += f->q[r->given[j]];
    for (int64_t k = 0; k < C && b->pairs; k++) pair[r->given[j] * C + k] += f->q[k];
}

/* Half the penalty's second derivative, and its centre, of parameter i. */
static double ridge_of(const sustain__blend *b, int64_t i, double *centre) {
    *centre = i < b->sources ? b->centre[i] : 0;
    return i < b->sources ? RIDGE_OF_SHARES : i == b->sources ? RIDGE_OF_GIVEN : b->ridge;
}

/* The shares are drawn to their centre, whatever their sum: the penalty and its gradient. */
static double add_differences(const sustain__blend *b, double *gradient) {
    double sum = 0, centres = 0, along = 0, loss = 0, off[SUSTAIN__MOST_SOURCES];
    for (int m = 0; m < b->sources; m++) sum += (double)b->theta[m], centres += b->centre[m];
    if (!(centres > 0)) return 0;
    for (int m = 0; m < b->sources; m++) {
        off[m] = (double)b->theta[m] - sum * b->centre[m] / centres;
        along += off[m] * b->centre[m] / centres;
        loss += RIDGE_OF_DIFFERENCES * off[m] * off[m];
    }
    for (int m = 0; m < b->sources; m++) gradient[m] += 2 * RIDGE_OF_DIFFERENCES * (off[m] - along);
    return loss;
}

static sustain_status objective(void *user, const sustain_real *theta, double *value, sustain_real *gradient) {
    const fitting *f = user;
    const int64_t size = size_of(f->blend);
    sustain__blend at = *f->blend;
    at.theta = (sustain_real *)(uintptr_t)theta; /* read only */
    double loss = 0, count = 0;
    for (int64_t i = 0; i < size; i++) f->sum[i] = 0;
    for (int64_t j = 0; j < f->rows->count; j++) {
        if (j % FOLDS == f->without) continue;
        sustain__blend_posterior(&at, f->rows->logs + j * at.sources * at.classes, f->rows->given != NULL ? f->rows->given[j] : 0, f->q);
        loss -= log(fmax(f->q[f->rows->right[j]], 1e-30));
        add_row(f, j);
        count++;
    }
    if (f->only < 0) loss += add_differences(&at, f->sum);
    for (int64_t i = 0; i < size; i++) {
        double centre;
        const double ridge = ridge_of(&at, i, &centre), off = (double)theta[i] - centre;
        loss += ridge * off * off;
        const bool fixed = f->only >= 0 && i < at.sources && i != f->only;
        gradient[i] = fixed ? 0 : (sustain_real)((f->sum[i] + 2 * ridge * off) / count);
    }
    *value = loss / count;
    return SUSTAIN_OK;
}

static void begin_at_centre(sustain__blend *b) {
    sustain__zero(size_of(b), b->theta);
    for (int m = 0; m < b->sources; m++) b->theta[m] = (sustain_real)b->centre[m];
}

/* memory: (2 pairs + 5, size). */
static sustain_status fit_once(sustain_context *context, fitting *f, sustain_real *memory) {
    const int64_t n = size_of(f->blend);
    sustain_real *at = memory + 2 * SUSTAIN__LBFGS_PAIRS * n;
    sustain__lbfgs l = {.context = context,
                        .n = n,
                        .objective = objective,
                        .user = f,
                        .first = 0.1,
                        .tolerance = TOLERANCE,
                        .limit = ITERATIONS,
                        .s = memory,
                        .t = memory + SUSTAIN__LBFGS_PAIRS * n,
                        .d = at,
                        .y_new = at + n,
                        .gradient = at + 2 * n,
                        .gradient_new = at + 3 * n,
                        .best = at + 4 * n};
    begin_at_centre(f->blend);
    const sustain_status status = sustain__lbfgs_minimize(&l, f->blend->theta);
    return status == SUSTAIN_NOT_CONVERGED ? SUSTAIN_OK : status;
}

/* The mean loss on rows that were left out, with their posteriors. */
static sustain_status cross_validate(sustain_context *context, fitting *f, sustain_real *memory, float *held_out, double *loss) {
    const sustain__labelled *r = f->rows;
    const int64_t C = r->classes;
    *loss = 0;
    for (f->without = 0; f->without < FOLDS; f->without++) {
        SUSTAIN_TRY(fit_once(context, f, memory));
        for (int64_t j = f->without; j < r->count; j += FOLDS) {
            sustain__blend_posterior(f->blend, r->logs + j * r->sources * C, r->given != NULL ? r->given[j] : 0, f->q);
            *loss -= log(fmax(f->q[r->right[j]], 1e-9)) / (double)r->count;
            for (int64_t k = 0; k < C; k++) held_out[j * C + k] = (float)f->q[k];
        }
    }
    f->without = -1;
    return SUSTAIN_OK;
}

/* Of the right labels. */
static double mean_loss(const fitting *f) {
    const sustain__labelled *r = f->rows;
    double loss = 0;
    for (int64_t j = 0; j < r->count; j++) {
        sustain__blend_posterior(f->blend, r->logs + j * r->sources * r->classes, r->given != NULL ? r->given[j] : 0, f->q);
        loss -= log(fmax(f->q[r->right[j]], 1e-9)) / (double)r->count;
    }
    return loss;
}

/* The centre of the shares: that of each source alone, times how much it should count. */
static sustain_status find_centre(sustain_context *context, fitting *f, sustain_real *memory) {
    sustain__blend *b = f->blend;
    double alone[SUSTAIN__MOST_SOURCES], weight[SUSTAIN__MOST_SOURCES], sum = 0;
    if (b->sources < 2) return SUSTAIN_OK;
    b->ridge = ridges[RIDGES - 1];
    for (f->only = 0; f->only < b->sources; f->only++) {
        for (int m = 0; m < b->sources; m++) b->centre[m] = m == f->only;
        SUSTAIN_TRY(fit_once(context, f, memory));
        alone[f->only] = fmax((double)b->theta[f->only], LEAST_ALONE);
        weight[f->only] = exp(-SHARPNESS * mean_loss(f)) * (f->rows->centre != NULL ? f->rows->centre[f->only] : 1);
        sum += weight[f->only];
    }
    f->only = -1;
    for (int m = 0; m < b->sources; m++) b->centre[m] = alone[m] * weight[m] / sum;
    return SUSTAIN_OK;
}

static sustain_status choose_and_fit(sustain_context *context, fitting *f, sustain_real *memory, float *held_out) {
    double best = INFINITY, loss, chosen = ridges[RIDGES - 1];
    SUSTAIN_TRY(find_centre(context, f, memory));
    for (int i = RIDGES - 1; i >= 0; i--) {
        f->blend->ridge = ridges[i];
        SUSTAIN_TRY(cross_validate(context, f, memory, held_out, &loss));
        if (loss < best) best = loss, chosen = ridges[i];
    }
    f->blend->ridge = chosen;
    if (chosen != ridges[0]) SUSTAIN_TRY(cross_validate(context, f, memory, held_out, &loss)); /* those of the last ridge are there */
    SUSTAIN_TRY(fit_once(context, f, memory));
    return SUSTAIN_OK;
}

sustain_status sustain__blend_create(sustain_context *context, const sustain__labelled *rows, sustain__blend *out) {
    *out = (sustain__blend){.classes = rows->classes,
                            .sources = rows->sources,
                            .given = rows->given != NULL,
                            .pairs = rows->given != NULL && rows->classes <= MOST_CLASSES_WITH_PAIRS};
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)size_of(out), sizeof *out->theta), &out->theta));
    for (int m = 0; m < rows->sources; m++) out->centre[m] = 1 / (double)rows->sources;
    begin_at_centre(out);
    return SUSTAIN_OK;
}

void sustain__blend_free(sustain_context *context, sustain__blend *blend) {
    sustain__free(context, blend->theta);
    blend->theta = NULL;
}

/* Scratch of a fit; *memory is freed by the caller. */
static sustain_status begin_fitting(sustain_context *context, const sustain__labelled *rows, sustain__blend *blend, fitting *f,
                                    sustain_real **memory) {
    const size_t size = (size_t)size_of(blend), vectors = 2 * SUSTAIN__LBFGS_PAIRS + 5;
    *f = (fitting){.rows = rows, .blend = blend, .only = -1, .without = -1};
    SUSTAIN_TRY(sustain__allocate(context,
                                  sustain__multiply(size, vectors * sizeof **memory + sizeof(double)) +
                                      sustain__multiply((size_t)rows->classes, sizeof(double)),
                                  &f->sum));
    f->q = f->sum + size;
    *memory = (sustain_real *)(void *)(f->q + rows->classes);
    return SUSTAIN_OK;
}

sustain_status sustain__blend_fit(sustain_context *context, const sustain__labelled *rows, sustain__blend *blend, float *held_out) {
    fitting f;
    sustain_real *memory;
    SUSTAIN_TRY(begin_fitting(context, rows, blend, &f, &memory));
    const sustain_status status = choose_and_fit(context, &f, memory, held_out);
    sustain__free(context, f.sum);
    return status;
}

sustain_status sustain__blend_refit(sustain_context *context, const sustain__labelled *rows, sustain__blend *blend, int fold) {
    fitting f;
    sustain_real *memory;
    SUSTAIN_TRY(begin_fitting(context, rows, blend, &f, &memory));
    f.without = fold;
    const sustain_status status = fit_once(context, &f, memory);
    sustain__free(context, f.sum);
    return status;
}

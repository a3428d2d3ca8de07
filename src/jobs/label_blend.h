/* label_blend.h - one posterior from the class probabilities of several models, fitted on rows
 * whose right label is known.
 *
 *   score_k = sum_m s_m log p_mk + a [k = given] + b_k + D[given][k],      q = softmax(score)
 *
 * p_m are the probabilities of model m, none of which was trained on the row's label; q is the
 * posterior of the right class. The fit maximizes the likelihood of the right labels under the
 * penalty
 *
 *   |s - c|^2 + 100 |s - r c|^2 + a^2 / 100 + ridge (|b|^2 + |D|^2),      r = sum of s / sum of c,    c_m = t_m exp(-15 l_m) / sum over m of exp(-15 l_m)
 *
 * t_m is the share of source m in a fit of its own, which calibrates it, and l_m its mean loss
 * there: with few rows the blend is a weighted mean of the calibrated sources. `ridge` is chosen by
 * cross-validation. Rows whose given label is unknown (trusted rows from elsewhere) fit s and b
 * alone. So q is calibrated: it says how likely a label is right. */
#ifndef SUSTAIN_JOBS_LABEL_BLEND_H
#define SUSTAIN_JOBS_LABEL_BLEND_H

#include "core/context_internal.h"

enum { SUSTAIN__MOST_SOURCES = 16 };

/* Rows to fit on. */
typedef struct sustain__labelled {
    int64_t count, classes;
    int sources;
    const float *logs;    /* (count, sources, classes) logarithms of probabilities */
    const int32_t *given; /* (count) or NULL: not known */
    const int32_t *right; /* (count) */
    const double *centre; /* (sources) how much each should count, sum 1; NULL: alike */
} sustain__labelled;

typedef struct sustain__blend {
    int64_t classes;
    int sources;
    bool given;                           /* the given label enters: a, D */
    bool pairs;                           /* D is there: not with very many classes */
    double centre[SUSTAIN__MOST_SOURCES]; /* of the shares: how much a source should count, times the share that it has alone */
    double ridge;                         /* as chosen */
    sustain_real *theta;                  /* s (sources), a, b (classes), D (classes, classes) */
} sustain__blend;

/* log p, kept away from minus infinity. */
float sustain__blend_log(float p);

/* Memory for theta, which begins with the shares at their centre. */
sustain_status sustain__blend_create(sustain_context *context, const sustain__labelled *rows, sustain__blend *out);
void sustain__blend_free(sustain_context *context, sustain__blend *blend);

/* Fits with a ridge chosen by five-fold cross-validation. held_out (count, classes) gets the
 * posterior of each row by a blend fitted without it. */
sustain_status sustain__blend_fit(sustain_context *context, const sustain__labelled *rows, sustain__blend *blend, float *held_out);

/* Fits again with the same ridge without the rows j with j mod SUSTAIN__BLEND_FOLDS = fold, for a
 * jackknife; -1: with all. */
enum { SUSTAIN__BLEND_FOLDS = 5 };
sustain_status sustain__blend_refit(sustain_context *context, const sustain__labelled *rows, sustain__blend *blend, int fold);

/* The posterior of a row with the logarithms logs (sources, classes). `given` is ignored where the
 * blend does not know it. */
void sustain__blend_posterior(const sustain__blend *blend, const float *logs, int32_t given, double *q);

#endif

/* clean_rank.c - the ranking, once there are classifiers on all rows. They were trained on the
 * labels that they judge, but fit better than those out of fold; both are combined as log-odds that
 * a label is right:
 *
 *   verified or trusted rows              quality + SHARE_OF_LAST last + (1 - u) d dropped + g given
 *   nothing checked                       quality + g given
 *   probabilities, trusted rows alone     quality + r ratio
 *
 * `last` is the classifier that the job returns, `dropped` one without the labels that trusted rows
 * speak against, `given` one on all labels as given, `ratio` the logarithm of p[given] / p[other]
 * by plain. u is the share of Fourier features (clean_fourier.c): of `given` a part u comes from
 * them, `dropped` is linear and counts less. Qualities keep their values; rows change places. */
#include <math.h>

#include "core/vector.h"
#include "jobs/clean_finish.h"
#include "jobs/rank.h"

/* Shares in the sum. Half or twice as much changes the AUC by 0.002 at most, here up and there down
 * (dropped: 0.0034; given and FEW_ROWS: 0.0006; means of seeds 100 to 102, 20 % errors, 1,500 rows
 * of Spambase, 700 of WebKB, 2,000 of Adult, 100 verified or 100 to 150 trusted rows or none). */
#define SHARE_OF_LAST 1.0    /* counts as much as the quality: the one fits better, the other is out of fold */
#define SHARE_OF_DROPPED 3.0 /* times the share of trusted rows: the more there are, the better it knows what to leave out */
#define SHARE_OF_GIVEN 2.0   /* of FEW_TRUSTED trusted rows, or of FEW_ROWS rows and nothing checked: the fewer, the more */
#define FEW_ROWS 2000.0
#define MOST_OF_GIVEN 8.0  /* with fewer rows */
#define SHARE_OF_RATIO 1.0 /* where many trusted rows tell about the noise; of FEW_TRUSTED, SHARE_OF_GIVEN more */
#define LEAST_SHARE 0.1    /* less is not worth a fit */
#define CERTAIN 1e-7       /* no probability is nearer to 0 or 1: about what a float distinguishes from 1 */

static double log_odds(double p) {
    const double kept = fmin(fmax(p, CERTAIN), 1 - CERTAIN);
    return log(kept / (1 - kept));
}

static double log_ratio(float self, float rival) {
    return log(((double)self + SUSTAIN__LEAST_PROBABILITY) / ((double)rival + SUSTAIN__LEAST_PROBABILITY));
}

/* The log-odds that a label is right by a classifier's probabilities p, through the noise. */
static double opinion(const sustain_clean *c, int32_t given, const float *p) {
    const int64_t classes = c->options.classes;
    const sustain_real *noise = c->noise + given * classes;
    double sum = 0;
    for (int64_t k = 0; k < classes; k++) sum += (double)p[k] * (double)noise[k];
    return log_odds((double)p[given] * (double)noise[given] / fmax(sum, 1e-30));
}

/* The last classifier is the best one, but it was trained on the labels that it judges: it counts
 * as much as the quality. */
float sustain__clean_last_score(const sustain_clean *c, double quality, int32_t given, const float *p) {
    return (float)(log_odds(quality) + SHARE_OF_LAST * opinion(c, given, p));
}

/* Where many rows are trusted, a classifier without the labels that these speak against is about as
 * good, and errs elsewhere. */
float sustain__clean_dropped_score(const sustain_clean *c, int32_t given, const float *p) {
    return (float)((1 - c->fourier.share) * c->dropped_share * opinion(c, given, p));
}

/* c->dropped_y <- a classifier on all rows but those whose labels the trusted rows speak against,
 * as many as are flagged. */
static sustain_status fit_without_dropped(sustain__finishing *f) {
    sustain_clean *c = f->c;
    const int64_t n = c->training.count;
    sustain__clean_confidence(c, c->source[SUSTAIN__SOURCE_TRUSTED].views, f->keep);
    SUSTAIN_TRY(sustain__rank_over(c->context, n, f->keep, c->order));
    for (int64_t k = 0; k < n; k++) f->keep[c->order[k]] = k >= f->result->issues;
    return sustain__clean_refit(f, f->keep, SUSTAIN__MODEL_DROPPED, c->dropped_y);
}

/* The weight of a classifier on all labels as given. It ranks well with few rows: a row that is far
 * from all others pulls it towards its own label, and is not suspected only because it is alone.
 * Many wrong labels of one kind mislead it: the more trusted rows there are to show them, the less
 * it counts. */
static double share_of_given(const sustain__finishing *f) {
    const sustain_clean *c = f->c;
    if (c->options.pred_prob_count > 0 || c->is_sample) return 0; /* other models are better; rows of no sample would need it too */
    if (f->result->ranking == SUSTAIN_CLEAN_RANKING_RATIO)
        return fmin(SHARE_OF_GIVEN * FEW_ROWS / (double)c->training.count, MOST_OF_GIVEN);
    if (sustain__clean_by_heart(c) && f->result->ranking == SUSTAIN_CLEAN_RANKING_BLEND) return 0; /* the blend knows better */
    return SHARE_OF_GIVEN * SUSTAIN__FEW_TRUSTED / (double)c->trusted.count;
}

/* f->keep <- f->keep + share log-odds of the given labels by f->views. */
static void add_views(const sustain__finishing *f, double share) {
    const sustain_clean *c = f->c;
    for (int64_t i = 0; i < c->training.count; i++)
        f->keep[i] += (float)(share * log_odds((double)f->views[i * c->options.classes + c->given[i]]));
}

/* f->keep, log-odds, with its part of that classifier's. */
static sustain_status add_given(sustain__finishing *f) {
    const double share = share_of_given(f), fourier = f->c->fourier.share;
    if (share < LEAST_SHARE) return SUSTAIN_OK;
    sustain__zero(sustain__clean_size(f->c), f->y); /* always: what it learns by heart in later iterations does not help to rank */
    SUSTAIN_TRY(sustain__clean_fit_all(f, &(sustain__fitted){.training = true, .trusted = true, .iterations = SUSTAIN__REFIT_ITERATIONS}));
    SUSTAIN_TRY(sustain__clean_predict_all(f, f->y));
    add_views(f, (1 - fourier) * share);
    if (!(fourier > 0)) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__clean_fourier_given(f));
    add_views(f, fourier * share);
    return SUSTAIN_OK;
}

static sustain_status rank_by_last(sustain__finishing *f) {
    sustain_clean *c = f->c;
    const int64_t n = c->training.count, classes = c->options.classes;
    const double trusted = (double)c->trusted.count, share = SHARE_OF_DROPPED * trusted / (trusted + (double)c->unverified);
    c->dropped_share = share >= LEAST_SHARE ? share : 0;
    if (c->dropped_share > 0) SUSTAIN_TRY(fit_without_dropped(f));
    SUSTAIN_TRY(sustain__clean_predict_all(f, c->y));
    for (int64_t i = 0; i < n; i++) f->keep[i] = sustain__clean_last_score(c, (double)c->quality[i], c->given[i], f->views + i * classes);
    if (c->dropped_share > 0) {
        SUSTAIN_TRY(sustain__clean_predict_all(f, c->dropped_y));
        for (int64_t i = 0; i < n; i++) f->keep[i] += sustain__clean_dropped_score(c, c->given[i], f->views + i * classes);
    }
    SUSTAIN_TRY(add_given(f));
    return sustain__clean_rerank(c, f->keep, f->result);
}

/* Nothing was checked. */
static sustain_status rank_with_given(sustain__finishing *f) {
    sustain_clean *c = f->c;
    if (!(share_of_given(f) > 0)) return SUSTAIN_OK;
    for (int64_t i = 0; i < c->training.count; i++) f->keep[i] = (float)log_odds((double)c->quality[i]);
    SUSTAIN_TRY(add_given(f));
    return sustain__clean_rerank(c, f->keep, f->result);
}

/* Probabilities alone and trusted rows: the noise model may be far from the truth. The ratio of
 * the probabilities of a row does not depend on it. */
float sustain__clean_ratio_score(const sustain_clean *c, double quality, float self, float rival) {
    const double share = SHARE_OF_RATIO + SHARE_OF_GIVEN * SUSTAIN__FEW_TRUSTED / (double)c->outside;
    return (float)(log_odds(quality) + share * log_ratio(self, rival));
}

static sustain_status rank_by_ratio(sustain__finishing *f) {
    sustain_clean *c = f->c;
    for (int64_t i = 0; i < c->training.count; i++)
        f->keep[i] = sustain__clean_ratio_score(c, (double)c->quality[i], c->confident.self[i], c->confident.rival[i]);
    return sustain__clean_rerank(c, f->keep, f->result);
}

sustain_status sustain__clean_rank(sustain__finishing *f) {
    const sustain_clean *c = f->c;
    switch (f->result->ranking) {
    case SUSTAIN_CLEAN_RANKING_NOISE:
        return c->bilevel ? rank_by_last(f) : rank_by_ratio(f);
    case SUSTAIN_CLEAN_RANKING_BLEND:
        return c->bilevel ? rank_by_last(f) : SUSTAIN_OK;
    case SUSTAIN_CLEAN_RANKING_RATIO:
        return c->features ? rank_with_given(f) : SUSTAIN_OK;
    default:
        return SUSTAIN_OK;
    }
}

/* clean_flags.c - from qualities and the estimated number of errors to probabilities that have this
 * sum, to an order of the rows, and to flags. */
#include <math.h>
#include <string.h>

#include "jobs/clean_job.h"
#include "jobs/rank.h"

#define AGREE 0.85 /* with nothing checked: counts by confident learning and by predicted class that agree so well */

/* ---- order ---- */

/* Qualities become probabilities whose sum is the estimate; those of verified rows are known. */
static void calibrate(sustain_clean *c, double errors) {
    double found = 0;
    for (int64_t v = 0; v < c->verified_count; v++) found += c->verified[c->verified_rows[v]] != c->given[c->verified_rows[v]];
    sustain__match_total(c->training.count, fmax(errors - found, 0), c->verified, c->quality);
    for (int64_t v = 0; v < c->verified_count; v++) {
        const int64_t i = c->verified_rows[v];
        c->quality[i] = (float)(c->verified[i] == c->given[i]);
    }
}

/* scratch (count). */
static sustain_status order_by_quality(sustain_clean *c, float *scratch) {
    memcpy(scratch, c->quality, (size_t)c->training.count * sizeof *scratch);
    return sustain__rank_over(c->context, c->training.count, scratch, c->order);
}

sustain_status sustain__clean_give_by(sustain_clean *c, float *score, bool all) {
    const int64_t n = c->training.count;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (all || !sustain__clean_verified(c, i)) c->quality[count++] = c->quality[i];
    SUSTAIN_TRY(sustain__sort(c->context, count, c->quality, c->order));
    SUSTAIN_TRY(sustain__rank_over(c->context, n, score, c->order));
    count = 0;
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = c->order[k];
        score[i] = all || !sustain__clean_verified(c, i) ? c->quality[count++] : (float)(c->verified[i] == c->given[i]);
    }
    memcpy(c->quality, score, (size_t)n * sizeof *score);
    return SUSTAIN_OK;
}

sustain_status sustain__clean_order(sustain_clean *c, float *score, bool by_score, const sustain_clean_result *result) {
    calibrate(c, result->estimated_errors);
    if (by_score) SUSTAIN_TRY(sustain__clean_give_by(c, score, false));
    return order_by_quality(c, score);
}

sustain_status sustain__clean_rerank(sustain_clean *c, float *score, sustain_clean_result *result) {
    SUSTAIN_TRY(sustain__clean_give_by(c, score, false));
    SUSTAIN_TRY(order_by_quality(c, score));
    sustain__clean_flag(c, result);
    return SUSTAIN_OK;
}

/* ---- flags ---- */

/* How many rows are flagged, the first of the order. */
static int64_t flagged_rows(const sustain_clean *c, sustain_clean_result *result) {
    const sustain_clean_options *o = &c->options;
    const double errors = result->estimated_errors, differs = (double)c->confident.differs;
    const int64_t flagged =
        sustain__count_flagged(o->flag, o->flag_value, errors, c->training.count, c->quality, c->order, &result->f1_expected);
    if (result->ranking != SUSTAIN_CLEAN_RANKING_RATIO || o->flag != SUSTAIN_CLEAN_FLAG_F1) return flagged;
    /* Nothing supports the probabilities: flag where the predicted class differs; fewer where
     * confident learning counts far fewer errors. */
    result->f1_expected = (double)NAN;
    return c->confident.errors >= AGREE * differs ? c->confident.differs : llround(errors);
}

int32_t sustain__clean_suggested(const sustain_clean *c, int64_t i) {
    if (sustain__clean_verified(c, i)) return c->verified[i];
    return c->is_issue[i] ? c->other[i] : c->given[i];
}

/* Where nothing was checked, labels are flagged that are not predicted, or fewer. Are more of them
 * predicted than by the most frequent label alone? Counted are the rows in which the two differ:
 * two standard errors of a fair coin. Probabilities from elsewhere that predict every label are
 * most likely of a model that was trained on them, or all the same: no label is flagged then. */
static sustain_clean_doubt doubt_of(const sustain_clean *c, const sustain_clean_result *r) {
    enum { FEW_ROWS = 20 };
    int64_t better = 0, worse = 0;
    if (r->ranking != SUSTAIN_CLEAN_RANKING_RATIO || c->options.flag != SUSTAIN_CLEAN_FLAG_F1 || c->training.count < FEW_ROWS)
        return SUSTAIN_CLEAN_NO_DOUBT;
    if (c->options.pred_prob_count > 0 && c->confident.differs == 0) return SUSTAIN_CLEAN_DOUBT_ALL;
    for (int64_t i = 0; i < c->training.count; i++) {
        better += !c->is_issue[i] && c->given[i] != c->frequent;
        worse += c->is_issue[i] && c->given[i] == c->frequent;
    }
    return (double)(better - worse) > 2 * sqrt((double)(better + worse)) ? SUSTAIN_CLEAN_NO_DOUBT : SUSTAIN_CLEAN_DOUBT_FREQUENT;
}

void sustain__clean_flag(sustain_clean *c, sustain_clean_result *result) {
    const int64_t classes = c->options.classes, flagged = flagged_rows(c, result);
    memset(c->confused, 0, (size_t)(classes * classes) * sizeof *c->confused);
    memset(c->is_issue, 0, (size_t)c->training.count);
    result->issues = 0;
    for (int64_t k = 0; k < flagged; k++) {
        const int64_t i = c->order[k];
        if (sustain__clean_verified(c, i) && c->verified[i] == c->given[i]) continue;
        c->is_issue[i] = 1;
        c->confused[c->given[i] * classes + sustain__clean_suggested(c, i)]++;
        result->issues++;
    }
    result->doubt = doubt_of(c, result);
    result->frequent = c->frequent;
}

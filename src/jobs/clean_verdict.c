/* clean_verdict.c - from class probabilities to verdicts. Three ways, by what is known:
 *
 *   verified rows    a blend of all sources, fitted on them (label_blend.h): quality_i = q_i[given]. The count is the difference estimator's
 *   trusted rows     a blend without the given label, fitted on them; the noise of labels from noise.c: q_i[k] N(given, k), normalized
 *   neither          quality falls with p[other] / p[given], of text over thresholds; the count lies between that of confident learning and that of "the predicted class differs"
 *
 * Verified rows have the quality 0 or 1. */
#include <math.h>
#include <string.h>

#include "core/share.h"
#include "jobs/clean_job.h"
#include "jobs/label_confident.h"
#include "jobs/label_count.h"
#include "jobs/noise.h"
#include "jobs/rank.h"

enum { LEAST_VERIFIED = 20, CHUNK = 512, AT_ONCE = 16, MOST_JACKKNIFED = 20000 };
#define LEAST_SLOPE 0.1 /* of logarithms: smaller ones come from probabilities that are not quite calibrated */
#define SLOPE_RAMP 0.1
#define LEAST_PART 0.25 /* of the larger count: what enters the mean, where the noise model finds no noise at all */

typedef struct judging {
    sustain_clean *c;
    sustain_clean_result *result;
    sustain__source_list list;
    sustain__labelled rows;
    sustain__blend blend;
    float *held_out;    /* (rows.count, classes) */
    float *probability; /* (verified count) of being wrong, by a blend fitted without the row */
    uint8_t *wrong;     /* (verified count) what was found */
    bool channel;       /* posteriors pass through c->noise */
    float *memory;      /* (AT_ONCE, ...) of chunks */
    float *blended;     /* (count, classes) or NULL: where posteriors go */
    int64_t first;
    sustain__count count;
    double noise_error;
} judging;

bool sustain__clean_by_verified(const sustain_clean *c) {
    return c->verified_count >= LEAST_VERIFIED && c->options.verified_are != SUSTAIN_VERIFIED_WORST_FIRST;
}

/* ---- posteriors ---- */

static size_t chunk_floats(const judging *j) {
    const size_t classes = (size_t)j->c->options.classes;
    return (classes * (size_t)j->list.count + 2 * classes + 15) / 16 * 16; /* logarithms, and classes doubles */
}

/* The posterior of a row; q (classes). */
static void posterior_of(const sustain__blend *blend, const sustain_real *noise, const float *logs, int32_t given, double *q) {
    const int64_t classes = blend->classes;
    sustain__blend_posterior(blend, logs, given, q);
    if (noise == NULL) return;
    double sum = 0;
    for (int64_t k = 0; k < classes; k++) sum += q[k] *= (double)noise[given * classes + k];
    for (int64_t k = 0; k < classes; k++) q[k] /= sum;
}

/* That of row i; logs and q are scratch. */
static void posterior(const judging *j, int64_t i, float *logs, double *q) {
    sustain__clean_logs(j->c, &j->list, i, logs);
    posterior_of(&j->blend, j->channel ? j->c->noise : NULL, logs, j->c->given[i], q);
}

void sustain__clean_posterior(const sustain_clean *c, const float *logs, int32_t given, double *q) {
    posterior_of(&c->blend, c->blend_channel ? c->noise : NULL, logs, given, q);
}

int32_t sustain__clean_other(int64_t classes, int32_t given, const double *q) {
    int32_t other = given == 0;
    for (int32_t k = 0; k < classes; k++)
        if (k != given && q[k] > q[other]) other = k;
    return other;
}

static void judge_chunk(void *user, int64_t number) {
    const judging *j = user;
    sustain_clean *c = j->c;
    const int64_t classes = c->options.classes, n = c->training.count;
    const int64_t begin = (j->first + number) * CHUNK, end = begin + CHUNK < n ? begin + CHUNK : n;
    double *q = (double *)(void *)(j->memory + (size_t)number * chunk_floats(j));
    float *logs = (float *)(void *)(q + classes);
    for (int64_t i = begin; i < end; i++) {
        posterior(j, i, logs, q);
        c->other[i] = sustain__clean_other(classes, c->given[i], q);
        c->quality[i] = (float)q[c->given[i]];
        for (int64_t k = 0; k < classes && j->blended != NULL; k++) j->blended[i * classes + k] = (float)q[k];
    }
}

/* What a chunk wrote. */
static void *judged(void *user, int64_t number, int which, size_t *bytes) {
    const judging *j = user;
    const sustain_clean *c = j->c;
    const int64_t classes = c->options.classes, n = c->training.count;
    const int64_t begin = (j->first + number) * CHUNK, end = begin + CHUNK < n ? begin + CHUNK : n;
    *bytes = (size_t)(end - begin) * sizeof(float);
    if (which == 0) return c->quality + begin;
    if (which == 1) return c->other + begin;
    *bytes *= (size_t)classes;
    return which == 2 && j->blended != NULL ? j->blended + begin * classes : NULL;
}

static sustain_status judge_all(judging *j) {
    const int64_t chunks = (j->c->training.count + CHUNK - 1) / CHUNK;
    for (j->first = 0; j->first < chunks; j->first += AT_ONCE)
        SUSTAIN_TRY(sustain__share_until(j->c->context, chunks - j->first < AT_ONCE ? chunks - j->first : AT_ONCE, judge_chunk, j, judged));
    return SUSTAIN_OK;
}

/* What the blend says of the verified rows, fitted without them, and what was found. */
static sustain_status note_verified(judging *j) {
    const sustain_clean *c = j->c;
    const int64_t n = c->verified_count;
    SUSTAIN_TRY(sustain__allocate(c->context, (size_t)n * (sizeof *j->probability + sizeof *j->wrong), &j->probability));
    j->wrong = (uint8_t *)(j->probability + n);
    for (int64_t v = 0; v < n; v++) {
        const int64_t i = c->verified_rows[v];
        j->probability[v] = 1 - j->held_out[v * c->options.classes + c->given[i]];
        j->wrong[v] = c->verified[i] != c->given[i];
    }
    return SUSTAIN_OK;
}

/* Fits the blend; j->rows, j->held_out, j->memory and, with_given, j->probability are allocated. */
static sustain_status fit_blend(judging *j, bool with_given) {
    sustain_clean *c = j->c;
    j->list = sustain__clean_list(c, !with_given);
    SUSTAIN_TRY(sustain__allocate(c->context, AT_ONCE * chunk_floats(j) * sizeof *j->memory, &j->memory));
    SUSTAIN_TRY(sustain__clean_labelled(c, &j->list, with_given, &j->rows));
    SUSTAIN_TRY(sustain__blend_create(c->context, &j->rows, &j->blend));
    SUSTAIN_TRY(sustain__allocate(c->context, sustain__multiply((size_t)j->rows.count, (size_t)c->options.classes * sizeof *j->held_out),
                                  &j->held_out));
    SUSTAIN_TRY(sustain__blend_fit(c->context, &j->rows, &j->blend, j->held_out));
    return with_given ? note_verified(j) : SUSTAIN_OK;
}

static void forget(judging *j) {
    sustain_context *context = j->c->context;
    sustain__clean_labelled_free(j->c, &j->rows);
    sustain__blend_free(context, &j->blend);
    void *const blocks[] = {j->held_out, j->probability, j->memory, j->blended};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) sustain__free(context, blocks[i]);
}

/* ---- which ranking is the best on the verified rows? ---- */

/* The standard error of the difference of two AUCs on the same rows (DeLong et al., 1988). */
static double error_of_difference(int64_t n, const uint8_t *wrong, const double *a, const double *b) {
    double variance = 0;
    for (int kind = 0; kind < 2; kind++) {
        double sum = 0, square = 0, count = 0;
        for (int64_t i = 0; i < n; i++)
            if (wrong[i] == kind) sum += a[i] - b[i], square += (a[i] - b[i]) * (a[i] - b[i]), count++;
        if (count > 1) variance += fmax(square - sum * sum / count, 0) / (count - 1) / count;
    }
    return sqrt(variance);
}

/* Of verified row v: its quality by the ranking, fitted without it. */
static float ranked_quality(const judging *j, sustain_clean_ranking ranking, int64_t v) {
    const int64_t i = j->c->verified_rows[v];
    if (ranking == SUSTAIN_CLEAN_RANKING_BLEND) return j->held_out[v * j->c->options.classes + j->c->given[i]];
    return ranking == SUSTAIN_CLEAN_RANKING_SELF ? j->c->confident.self[i] : j->c->confident.self[i] - j->c->confident.rival[i];
}

/* A baseline replaces the blend where it is better by more than two standard errors of the
 * difference. */
static sustain_status choose_ranking(judging *j) {
    static const sustain_clean_ranking rivals[] = {SUSTAIN_CLEAN_RANKING_SELF, SUSTAIN_CLEAN_RANKING_MARGIN};
    sustain_clean_result *r = j->result;
    const int64_t n = j->c->verified_count;
    double *ours, *theirs, blend = (double)NAN, auc;
    SUSTAIN_TRY(sustain__allocate(j->c->context, (size_t)n * (2 * sizeof *ours + sizeof(float)), &ours));
    theirs = ours + n;
    float *quality = (float *)(void *)(theirs + n);
    for (int64_t v = 0; v < n; v++) quality[v] = ranked_quality(j, SUSTAIN_CLEAN_RANKING_BLEND, v);
    sustain_status status = sustain__rank_placements(j->c->context, n, quality, j->wrong, ours, &blend);
    r->ranking_auc = blend;
    for (int k = 0; k < 2 && !isnan(blend) && status == SUSTAIN_OK; k++) {
        for (int64_t v = 0; v < n; v++) quality[v] = ranked_quality(j, rivals[k], v);
        status = sustain__rank_placements(j->c->context, n, quality, j->wrong, theirs, &auc);
        if (status != SUSTAIN_OK) break;
        const double error = error_of_difference(n, j->wrong, theirs, ours);
        if (auc > blend + 2 * error && auc > r->ranking_auc) r->ranking = rivals[k], r->ranking_auc = auc;
        if (!(auc <= r->baseline_auc)) r->baseline_auc = auc;
    }
    sustain__free(j->c->context, ours);
    return status;
}

static sustain_status rank_by(judging *j, sustain_clean_ranking ranking) {
    sustain_clean *c = j->c;
    const int64_t n = c->training.count;
    float *score;
    SUSTAIN_TRY(sustain__allocate(c->context, (size_t)n * sizeof *score, &score));
    for (int64_t i = 0; i < n; i++) score[i] = c->confident.self[i] - (ranking == SUSTAIN_CLEAN_RANKING_MARGIN ? c->confident.rival[i] : 0);
    const sustain_status status = sustain__clean_give_by(c, score, true);
    sustain__free(c->context, score);
    return status;
}

/* ---- verified rows ---- */

/* The standard error of the predicted number where verified rows were not drawn at random: a
 * jackknife over the folds of the blend. */
static sustain_status jackknife(judging *j, double *deviation) {
    sustain_clean *c = j->c;
    const int64_t n = c->training.count, step = n / MOST_JACKKNIFED + 1;
    double sum = 0, square = 0, *q = (double *)(void *)j->memory;
    for (int fold = 0; fold < SUSTAIN__BLEND_FOLDS; fold++) {
        double total = 0;
        SUSTAIN_TRY(sustain__blend_refit(c->context, &j->rows, &j->blend, fold));
        for (int64_t i = 0; i < n; i += step) {
            posterior(j, i, (float *)(void *)(q + c->options.classes), q);
            total += c->verified[i] < 0 ? (double)step * (1 - q[c->given[i]]) : 0;
        }
        sum += total, square += total * total;
    }
    const double G = SUSTAIN__BLEND_FOLDS;
    *deviation = sqrt(fmax(square - sum * sum / G, 0) * (G - 1) / G);
    return sustain__blend_refit(c->context, &j->rows, &j->blend, -1);
}

/* j->count. predicted: the sum of the probabilities of being wrong of the rows that are not
 * verified. */
static sustain_status count_errors(judging *j, double predicted) {
    const sustain_clean *c = j->c;
    const int64_t n = c->verified_count;
    double found = 0, deviation;
    if (c->drawn_count >= LEAST_VERIFIED) {
        j->count = sustain__count_random(predicted, c->training.count - n, n, j->probability, j->wrong, c->drawn);
        return SUSTAIN_OK;
    }
    for (int64_t v = 0; v < n; v++) found += j->wrong[v];
    SUSTAIN_TRY(jackknife(j, &deviation));
    j->count = sustain__count_interval(found + predicted, deviation, found, (double)c->training.count);
    return SUSTAIN_OK;
}

static sustain_status noise_and_count(judging *j) {
    sustain_clean *c = j->c;
    const int64_t classes = c->options.classes;
    double *joint, predicted = 0;
    SUSTAIN_TRY(fit_blend(j, true));
    SUSTAIN_TRY(sustain__allocate(c->context, (size_t)(classes * classes) * sizeof *joint, &joint));
    double *q = (double *)(void *)j->memory;
    for (int64_t i = 0; i < classes * classes; i++) joint[i] = 1 / (double)classes; /* one row more a class */
    sustain_status status = SUSTAIN_OK;
    for (int64_t i = 0; i < c->training.count && status == SUSTAIN_OK; i++) {
        const bool verified = c->verified[i] >= 0;
        if (i % 1024 == 0) status = sustain__cancelled(c->context);
        posterior(j, i, (float *)(void *)(q + classes), q);
        for (int64_t k = 0; k < classes; k++) joint[c->given[i] * classes + k] += verified ? c->verified[i] == k : q[k];
        predicted += verified ? 0 : 1 - q[c->given[i]];
    }
    if (status == SUSTAIN_OK) sustain__noise_from_joint(classes, joint, c->noise);
    sustain__free(c->context, joint);
    return status == SUSTAIN_OK ? count_errors(j, predicted) : status;
}

sustain_status sustain__clean_noise_by_blend(sustain_clean *c) {
    judging j = {.c = c};
    const sustain_status status = noise_and_count(&j);
    c->count = j.count;
    forget(&j);
    return status;
}

static void reliability(judging *j) {
    sustain_clean_bin *bins = j->result->bins;
    for (int64_t v = 0; v < j->c->verified_count; v++) {
        const double quality = (double)ranked_quality(j, SUSTAIN_CLEAN_RANKING_BLEND, v);
        const int at = (int)fmin(fmax(quality * SUSTAIN_CLEAN_BINS, 0), SUSTAIN_CLEAN_BINS - 1);
        bins[at].count++;
        bins[at].said += quality;
        bins[at].right += !j->wrong[v];
    }
    for (int b = 0; b < SUSTAIN_CLEAN_BINS; b++) {
        const double count = (double)bins[b].count, right = bins[b].right;
        bins[b].low = (double)b / SUSTAIN_CLEAN_BINS;
        bins[b].high = (double)(b + 1) / SUSTAIN_CLEAN_BINS;
        if (bins[b].count == 0) continue;
        sustain__share_interval(right, count, &bins[b].right_low, &bins[b].right_high);
        bins[b].said /= count;
        bins[b].right /= count;
    }
}

static double predicted_errors(const sustain_clean *c) {
    double sum = 0;
    for (int64_t i = 0; i < c->training.count; i++) sum += c->verified[i] < 0 ? 1 - (double)c->quality[i] : 0;
    return sum;
}

static sustain_status by_verified(judging *j) {
    sustain_clean *c = j->c;
    SUSTAIN_TRY(fit_blend(j, true));
    SUSTAIN_TRY(judge_all(j));
    reliability(j);
    SUSTAIN_TRY(choose_ranking(j));
    j->count = c->count;
    if (!c->bilevel) SUSTAIN_TRY(count_errors(j, predicted_errors(c)));
    return j->result->ranking == SUSTAIN_CLEAN_RANKING_BLEND ? SUSTAIN_OK : rank_by(j, j->result->ranking);
}

/* ---- trusted rows alone, or nothing ---- */

static double dependence(double slope) {
    return fmin(fmax((slope - LEAST_SLOPE) / SLOPE_RAMP, 0), 1);
}

/* Do errors depend on the class alone, as the noise model says? Then labels differ from the
 * likeliest class as often as the model predicts, whether rows are easy or hard. Errors of
 * people are rarer in easy rows and more frequent in hard ones. From the ratio of observed to
 * predicted differences in the hard half of the rows and in the easiest quarter: 0, the model
 * holds, to 1; at least (less two standard errors) and at most. *upper <- the errors if labels
 * depended on the row alone. */
static sustain_status depends_on_row(const judging *j, double *least, double *most, double *upper) {
    const sustain_clean *c = j->c;
    const int64_t n = c->training.count, classes = c->options.classes;
    double observed[2] = {0, 0}, predicted[2] = {0, 0}, right = 0;
    float *certainty;
    SUSTAIN_TRY(sustain__allocate(c->context, (size_t)n * (sizeof *certainty + sizeof(int64_t)) + sizeof(int64_t), &certainty));
    int64_t *order = (int64_t *)(void *)(certainty + (n + 1) / 2 * 2);
    for (int64_t i = 0; i < n; i++) {
        const float *q = j->blended + i * classes;
        certainty[i] = q[sustain__likeliest(classes, q)];
        right += (double)q[c->given[i]];
    }
    const sustain_status status = sustain__rank(c->context, n, certainty, order);
    for (int64_t place = 0; place < n && status == SUSTAIN_OK; place++) {
        if (place >= n / 2 && place < n - n / 4) continue;
        const int64_t i = order[place], easy = place >= n / 2;
        const float *q = j->blended + i * classes;
        const int32_t top = sustain__likeliest(classes, q);
        double same = 0;
        for (int64_t k = 0; k < classes; k++) same += (double)q[k] * (double)c->noise[top * classes + k];
        observed[easy] += c->given[i] != top;
        predicted[easy] += 1 - same;
    }
    const double slope = log((observed[0] + 1) / (predicted[0] + 1)) - log((observed[1] + 1) / (predicted[1] + 1));
    const double error = sqrt(1 / (observed[0] + 1) + 1 / (observed[1] + 1));
    *least = dependence(slope - 2 * error);
    *most = dependence(slope + 2 * error);
    *upper = (double)n - right;
    sustain__free(c->context, certainty);
    return status;
}

/* Where errors depend on rows the count of the noise model is too low, and one that takes
 * labels for drawn by the row alone is too high: the estimate moves to their geometric mean
 * where rows are seen to matter, the interval reaches the second unless they are seen not to. */
static void allow_for_rows(judging *j, double least, double most, double upper) {
    if (!(upper > j->count.errors)) return;
    j->count.high = fmin(j->count.high + most * (upper - j->count.errors), (double)j->c->training.count);
    if (!(least > 0)) return;
    sustain__log(j->c->context, "clean: errors depend on the row, not on its class alone: between %.0f and %.0f labels are wrong",
                 j->count.errors, upper);
    const double lower = fmax(j->count.errors, LEAST_PART * upper);
    j->count.errors += least * (sqrt(lower * upper) - j->count.errors);
    j->count.high = fmax(j->count.high, upper);
}

static sustain_status by_noise(judging *j) {
    sustain_clean *c = j->c;
    const size_t n = (size_t)c->training.count, classes = (size_t)c->options.classes;
    double rate, least, most, upper;
    SUSTAIN_TRY(sustain__allocate(c->context, sustain__multiply(n, classes * sizeof *j->blended), &j->blended));
    SUSTAIN_TRY(fit_blend(j, false));
    SUSTAIN_TRY(judge_all(j)); /* blended: what rows are, whatever their label says */
    const sustain__views v = {.classes = c->options.classes,
                              .count = c->training.count,
                              .training = j->blended,
                              .given = c->given,
                              .trusted_count = j->rows.count,
                              .trusted = j->held_out,
                              .right = j->rows.right};
    SUSTAIN_TRY(sustain__noise_estimate(c->context, &v, &rate, &j->noise_error, c->noise));
    SUSTAIN_TRY(depends_on_row(j, &least, &most, &upper));
    sustain__free(c->context, j->blended);
    j->blended = NULL;
    j->channel = true;
    SUSTAIN_TRY(judge_all(j));
    j->count = sustain__count_interval(rate * (double)n, j->noise_error * (double)n, 0, (double)n);
    allow_for_rows(j, least, most, upper);
    return SUSTAIN_OK;
}

/* ---- nothing was checked ---- */

float sustain__clean_ratio(float self, float rival) {
    const double p = (double)self, other = (double)rival;
    return (float)((p + SUSTAIN__LEAST_PROBABILITY) / (p + other + 2 * SUSTAIN__LEAST_PROBABILITY));
}

/* The root of t_k, which is as in confident learning the mean of p_k over rows with label k. Where
 * a classifier learns labels by heart, probabilities out of fold are drawn to the shares of the
 * classes, and labels of the rarer ones look doubtful. But t_k is also small where many rows of a
 * common class were given the label k: hence the root (docs/clean.md). */
static sustain_status find_thresholds(sustain_clean *c, const float *views) {
    const int64_t classes = c->options.classes;
    double *sum;
    if (c->threshold == NULL) SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->threshold, classes));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, sum, 2 * classes));
    double *count = sum + classes;
    for (int64_t k = 0; k < 2 * classes; k++) sum[k] = 0;
    for (int64_t i = 0; i < c->training.count; i++) sum[c->given[i]] += (double)views[i * classes + c->given[i]], count[c->given[i]]++;
    for (int64_t k = 0; k < classes; k++)
        c->threshold[k] = count[k] > 0 ? (float)sqrt(fmax(sum[k] / count[k], SUSTAIN__LEAST_PROBABILITY)) : 1;
    sustain__free(c->context, sum);
    return SUSTAIN_OK;
}

/* By probabilities (training count, classes). */
static sustain_status ratios_of(sustain_clean *c, const float *views) {
    const int64_t classes = c->options.classes;
    float *p;
    if (sustain__clean_by_heart(c)) SUSTAIN_TRY(find_thresholds(c, views));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, p, classes));
    for (int64_t i = 0; i < c->training.count; i++) {
        memcpy(p, views + i * classes, (size_t)classes * sizeof *p);
        sustain__clean_adjust(c, p);
        c->other[i] = sustain__rival(classes, c->given[i], p);
        c->quality[i] = sustain__clean_ratio(p[c->given[i]], p[c->other[i]]);
    }
    sustain__free(c->context, p);
    return SUSTAIN_OK;
}

/* An estimate without an interval. */
static sustain_status by_ratio(judging *j) {
    sustain_clean *c = j->c;
    const sustain__confident *plain = &c->confident;
    const int m = sustain__clean_ratio_source(c, j->result);
    const double differs = (double)plain->differs, errors = fmin(plain->errors, differs);
    j->count = (sustain__count){.errors = sqrt(errors * differs), .low = (double)NAN, .high = (double)NAN};
    if (m == SUSTAIN__SOURCE_CORRECTED || (sustain__clean_by_heart(c) && c->options.pred_prob_count == 0))
        return ratios_of(c, c->source[m].views);
    for (int64_t i = 0; i < c->training.count; i++) {
        c->other[i] = plain->other[i];
        c->quality[i] = sustain__clean_ratio(plain->self[i], plain->rival[i]);
    }
    return SUSTAIN_OK;
}

/* ---- all of it ---- */

/* What verified rows say of their own labels is certain, whichever way the others were counted: no
 * fewer are wrong than were found, and those that were found right are not. */
static void bound_count(judging *j) {
    const sustain_clean *c = j->c;
    double wrong = 0;
    for (int64_t v = 0; v < c->verified_count; v++) wrong += c->verified[c->verified_rows[v]] != c->given[c->verified_rows[v]];
    const double most = (double)c->training.count - ((double)c->verified_count - wrong);
    double *const ends[] = {&j->count.errors, &j->count.low, &j->count.high};
    for (int i = 0; i < 3; i++)
        if (!isnan(*ends[i])) *ends[i] = fmin(fmax(*ends[i], wrong), most);
}

static void report(judging *j) {
    sustain_clean_result *r = j->result;
    bound_count(j);
    r->estimated_errors = j->count.errors;
    r->estimated_low = j->count.low;
    r->estimated_high = j->count.high;
    r->noise = j->count.errors / (double)j->c->training.count;
    for (int m = 0; m < j->list.count; m++) r->shares[j->list.at[m]] = (double)j->blend.theta[m];
}

static sustain_status verdict(judging *j) {
    sustain_clean *c = j->c;
    const bool verified = sustain__clean_by_verified(c);
    const bool known = !verified && !c->options.trusted_given; /* where trusted labels are, they are right */
    const bool trusted = known && (c->bilevel || (c->outside >= c->options.folds && sustain__clean_list(c, true).count > 0));
    j->result->ranking = verified ? SUSTAIN_CLEAN_RANKING_BLEND : trusted ? SUSTAIN_CLEAN_RANKING_NOISE : SUSTAIN_CLEAN_RANKING_RATIO;
    if (verified)
        SUSTAIN_TRY(by_verified(j));
    else if (trusted)
        SUSTAIN_TRY(by_noise(j));
    else
        SUSTAIN_TRY(by_ratio(j));
    float *scratch;
    SUSTAIN_TRY(sustain__allocate(c->context, sustain__multiply((size_t)c->training.count, sizeof *scratch), &scratch));
    report(j);
    const sustain_status status = sustain__clean_order(c, scratch, false, j->result);
    sustain__free(c->context, scratch);
    if (status == SUSTAIN_OK) sustain__clean_flag(c, j->result);
    return status;
}

sustain_status sustain__clean_verdict(sustain_clean *c, sustain_clean_result *result) {
    judging j = {.c = c, .result = result};
    result->ranking_auc = result->baseline_auc = (double)NAN;
    for (int m = 0; m < SUSTAIN_CLEAN_MOST_SOURCES; m++) {
        result->shares[m] = (double)NAN;
        result->source_names[m] = c->source[m].known ? c->source[m].name : NULL;
    }
    const sustain_status status = verdict(&j);
    if (status == SUSTAIN_OK) { /* for rows that come later */
        sustain__blend_free(c->context, &c->blend);
        c->blend = j.blend, c->blend_list = j.list, c->blend_channel = j.channel;
        j.blend.theta = NULL;
    }
    forget(&j);
    return status;
}

/* fewshot.c - adapts to the support of one task and predicts: inference with a trained backbone.
 *
 *   head only:    y = the head adapted to the features of the support (head.h), or made of the
 *                 means of its classes (prototype)
 *   everything:   theta_{k+1} = theta_k - step grad of the support loss, theta = (x, y), from the
 *                 learned start (maml)
 *
 * The prediction for a query is softmax(W a + b), where a are its features, normalized by the
 * statistics of the support. */
#include "meta/fewshot_internal.h"

#include <math.h>

#include "core/vector.h"
#include "meta/linear.h"

typedef sustain_fewshot classifier;

/* ---- adapting ---- */

static sustain_status check_support(const classifier *f, const int32_t *labels, int64_t count, int64_t queries) {
    if (count + queries > f->pictures)
        return sustain__fail(f->context, SUSTAIN_ARGUMENT, "%lld pictures are too many: the classifier was made for up to %lld at a time",
                             (long long)(count + queries), (long long)f->pictures);
    for (int64_t i = 0; i < count; i++)
        if (labels[i] < 0 || labels[i] >= f->ways)
            return sustain__fail(f->context, SUSTAIN_ARGUMENT, "picture %lld has the label %d: labels of %lld classes are 0 to %lld",
                                 (long long)i, (int)labels[i], (long long)f->ways, (long long)f->ways - 1);
    for (int32_t c = 0; c < f->ways; c++) {
        int64_t i = 0;
        while (i < count && labels[i] != c) i++;
        if (i == count) return sustain__fail(f->context, SUSTAIN_ARGUMENT, "class %d has no picture to learn from", (int)c);
    }
    return SUSTAIN_OK;
}

/* Writes the features of some pictures to rows, normalized by their own statistics. */
static void forward(classifier *f, const uint8_t *const *pictures, int64_t count) {
    const int64_t group[2] = {0, count};
    sustain__backbone_forward(f->backbone, f->x, pictures, count, group, 1, f->rows);
    sustain__backbone_statistics(f->backbone, 0, f->statistics);
}

/* Adapts the head to the first `count` rows. */
static void adapt_head(classifier *f, const int32_t *labels, int64_t count) {
    if (f->model->means) {
        sustain__linear_means(count, f->features, f->ways, f->rows, labels, f->y);
        return;
    }
    const sustain__head_task task = {
        .support = count, .dim = f->features, .support_features = f->rows, .support_labels = labels, .start = f->model->start};
    sustain__head_adapt(f->head, &task);
    sustain__head_write(f->head, f->y);
}

static sustain_status adapt_whole(classifier *f, const uint8_t *const *pictures, const int32_t *labels, int64_t count) {
    const sustain__head_rule *rule = &f->model->rule;
    const int64_t head = f->ways * (f->features + 1);
    const sustain__linear l = {.rows = count,
                               .dim = f->features,
                               .ways = f->ways,
                               .features = f->rows,
                               .labels = labels,
                               .y = f->y,
                               .lambda = rule->lambda,
                               .P = f->P,
                               .R = f->R};
    sustain__copy(f->dim, f->model->x, f->theta);
    sustain__copy(head, f->model->start, f->y);
    f->x = f->theta;
    for (int64_t k = 0; k < rule->steps; k++) {
        int64_t correct;
        SUSTAIN_TRY(sustain__cancelled(f->context));
        forward(f, pictures, count);
        sustain__zero(head, f->gradient + f->dim);
        sustain__linear_loss(&l, &correct);
        sustain__linear_gradient(&l, f->d_rows, f->gradient + f->dim);
        sustain__backbone_gradient(f->backbone, f->x, f->d_rows, false, f->gradient);
        sustain__add(f->dim + head, -rule->step, f->gradient, f->theta);
    }
    return SUSTAIN_OK;
}

static sustain_status check_finite(const classifier *f) {
    if (sustain__all_finite(f->ways * (f->features + 1), f->y, NULL) &&
        sustain__all_finite(sustain__net_statistics(&f->model->net), f->statistics, NULL))
        return SUSTAIN_OK;
    return sustain__fail(f->context, SUSTAIN_NOT_FINITE, "adapting to these pictures led to numbers that are not finite");
}

/* Restores the backbone as it was trained. */
static void forget(classifier *f) {
    f->normalized = f->adapted = false;
    f->x = f->model->x;
}

sustain_status sustain_fewshot_adapt(classifier *f, const uint8_t *const *pictures, const int32_t *labels, int64_t count) {
    if (f == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(f->context, pictures, "pictures"));
    SUSTAIN_TRY(sustain__need(f->context, labels, "labels"));
    SUSTAIN_TRY(check_support(f, labels, count, 0));
    forget(f);
    SUSTAIN_TRY(sustain__cancelled(f->context));
    if (f->model->whole) SUSTAIN_TRY(adapt_whole(f, pictures, labels, count));
    forward(f, pictures, count);
    if (!f->model->whole) adapt_head(f, labels, count);
    SUSTAIN_TRY(check_finite(f));
    f->normalized = f->adapted = true;
    return SUSTAIN_OK;
}

/* ---- predicting ---- */

static void answer(const classifier *f, const sustain_real *row, sustain_real *probabilities) {
    const sustain_real *bias = f->y + f->ways * f->features;
    double most = -INFINITY, sum = 0;
    for (int64_t c = 0; c < f->ways; c++) {
        const double score = (double)bias[c] + sustain__dot(f->features, row, f->y + c * f->features);
        probabilities[c] = (sustain_real)score;
        if (score > most) most = score;
    }
    for (int64_t c = 0; c < f->ways; c++) sum += exp((double)probabilities[c] - most);
    for (int64_t c = 0; c < f->ways; c++) probabilities[c] = (sustain_real)(exp((double)probabilities[c] - most) / sum);
}

sustain_status sustain_fewshot_predict(classifier *f, const uint8_t *picture, sustain_real *probabilities) {
    if (f == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(f->context, picture, "picture"));
    SUSTAIN_TRY(sustain__need(f->context, probabilities, "probabilities"));
    if (!f->adapted) return sustain__fail(f->context, SUSTAIN_ORDER, "the classifier has not been adapted: adapt it before predicting");
    sustain__backbone_features_with(f->backbone, f->x, f->statistics, &picture, 1, f->row);
    answer(f, f->row, probabilities);
    return SUSTAIN_OK;
}

sustain_status sustain_fewshot_predict_together(classifier *f, const uint8_t *const *pictures, const int32_t *labels, int64_t count,
                                                const uint8_t *const *query_pictures, int64_t queries, sustain_real *probabilities) {
    if (f == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(f->context, pictures, "pictures"));
    SUSTAIN_TRY(sustain__need(f->context, labels, "labels"));
    SUSTAIN_TRY(sustain__need(f->context, query_pictures, "query_pictures"));
    SUSTAIN_TRY(sustain__need(f->context, probabilities, "probabilities"));
    const int64_t first = f->model->whole ? 0 : count; /* index of the first query among the
                                                        * pictures that share statistics */
    SUSTAIN_TRY(check_support(f, labels, count, queries));
    forget(f);
    SUSTAIN_TRY(sustain__cancelled(f->context));
    if (f->model->whole) SUSTAIN_TRY(adapt_whole(f, pictures, labels, count));
    for (int64_t i = 0; i < first; i++) f->together[i] = pictures[i];
    for (int64_t i = 0; i < queries; i++) f->together[first + i] = query_pictures[i];
    forward(f, f->together, first + queries);
    if (!f->model->whole) adapt_head(f, labels, count);
    SUSTAIN_TRY(check_finite(f));
    for (int64_t i = 0; i < queries; i++) answer(f, f->rows + (first + i) * f->features, probabilities + i * f->ways);
    return SUSTAIN_OK;
}

/* ---- features ---- */

sustain_status sustain_fewshot_normalize(classifier *f, const uint8_t *const *pictures, int64_t count) {
    if (f == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(f->context, pictures, "pictures"));
    if (count < 1 || count > f->pictures)
        return sustain__fail(f->context, SUSTAIN_ARGUMENT, "cannot normalize by %lld pictures: give from 1 to %lld", (long long)count,
                             (long long)f->pictures);
    SUSTAIN_TRY(sustain__cancelled(f->context));
    forget(f);
    forward(f, pictures, count);
    f->normalized = true;
    return SUSTAIN_OK;
}

sustain_status sustain_fewshot_features(classifier *f, const uint8_t *picture, sustain_real *features) {
    if (f == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(f->context, picture, "picture"));
    SUSTAIN_TRY(sustain__need(f->context, features, "features"));
    if (!f->normalized)
        return sustain__fail(f->context, SUSTAIN_ORDER,
                             "the classifier has no statistics: adapt or normalize it before asking for features");
    sustain__backbone_features_with(f->backbone, f->x, f->statistics, &picture, 1, features);
    return SUSTAIN_OK;
}

/* clean_noise.c - how often the labels of each class are wrong, and what they should be, by the
 * verified rows. */
#include <math.h>
#include <stdlib.h>

#include "verb_clean.h"

enum { MOST_PAIRS = 100 };

typedef struct noise_pair {
    int64_t given, right;
    sustain_clean_rate rate;
} noise_pair;

static int frequent_first(const void *a, const void *b) {
    const noise_pair *p = a, *q = b;
    if (p->rate.wrong != q->rate.wrong) return p->rate.wrong > q->rate.wrong ? -1 : 1;
    if (p->given != q->given) return p->given < q->given ? -1 : 1;
    return p->right < q->right ? -1 : p->right > q->right;
}

static json_t *rate_json(const clean_job *job, const noise_pair *p) {
    json_t *row = json_object();
    json_object_set_new(row, "given", json_text(clean_class(&job->data, p->given)));
    if (p->right >= 0) json_object_set_new(row, "right", json_text(clean_class(&job->data, p->right)));
    json_object_set_new(row, "checked", json_integer(p->rate.checked));
    json_object_set_new(row, p->right >= 0 ? "count" : "wrong", json_integer(p->rate.wrong));
    SET_NUMBERS(row, {"rate", p->rate.rate}, {"rate_low", p->rate.low}, {"rate_high", p->rate.high});
    return row;
}

static noise_pair pair_of(const clean_job *job, int64_t given, int64_t right) {
    noise_pair p = {given, right, {0}};
    if (sustain_clean_noise(job->clean, given, right, &p.rate) != SUSTAIN_OK) p.rate = (sustain_clean_rate){.rate = NAN};
    return p;
}

/* The pairs that verified rows have, most frequent first; freed by the caller. */
static noise_pair *pairs_of(const clean_job *job, int64_t *count) {
    const int64_t classes = job->data.training->classes;
    const sustain_clean_result *r = &job->result;
    noise_pair *p = calloc((size_t)job->data.verified_count + 1, sizeof *p);
    uint8_t *seen = calloc((size_t)(classes * classes), 1);
    *count = 0;
    for (int64_t i = 0; i < r->count && p != NULL && seen != NULL; i++) {
        const int64_t given = job->data.training->rows.labels[i], right = r->verified[i];
        if (right < 0 || right == given || seen[given * classes + right]) continue;
        seen[given * classes + right] = 1;
        p[(*count)++] = pair_of(job, given, right);
    }
    free(seen);
    if (p != NULL) qsort(p, (size_t)*count, sizeof *p, frequent_first);
    return p;
}

void clean_noise_json(const clean_job *job, json_t *object) {
    if (job->data.verified_count == 0) return;
    json_t *by_class = json_array(), *by_pair = json_array();
    int64_t count;
    noise_pair *p = pairs_of(job, &count);
    for (int64_t k = 0; k < job->data.training->classes; k++) {
        const noise_pair one = pair_of(job, k, -1);
        json_array_append_new(by_class, rate_json(job, &one));
    }
    for (int64_t i = 0; i < count && i < MOST_PAIRS && p != NULL; i++) json_array_append_new(by_pair, rate_json(job, &p[i]));
    json_object_set_new(object, "noise_by_class", by_class);
    json_object_set_new(object, "noise_by_pair", by_pair);
    free(p);
}

void clean_noise_text(const clean_job *job, char *text, size_t size) {
    int64_t count = 0;
    noise_pair *p = job->data.verified_count > 0 ? pairs_of(job, &count) : NULL;
    text[0] = '\0';
    if (count > 0 && p != NULL) {
        const noise_pair worst = pair_of(job, p[0].given, -1);
        char share[128] = "not a rate of all such labels, since some rows were chosen as suspicious";
        if (job->given->verified_are == SUSTAIN_VERIFIED_RANDOM)
            snprintf(share, sizeof share, "%.0f %%, 95 %% interval: %.0f to %.0f %%", 100 * worst.rate.rate, 100 * worst.rate.low,
                     100 * worst.rate.high);
        snprintf(text, size,
                 "Verified rows: the most frequent error is '%.40s' for '%.40s'. Of %lld checked labels '%.40s' %lld are wrong (%s). "
                 "result.json has all classes and pairs.",
                 clean_class(&job->data, p[0].given), clean_class(&job->data, p[0].right), (long long)worst.rate.checked,
                 clean_class(&job->data, p[0].given), (long long)worst.rate.wrong, share);
    }
    free(p);
}

/* clean_memory.c - what a cleaning job will hold when it holds most: the arrays that
 * clean_job.c, the solver and finish() allocate, counted before they are. */
#include "core/memory_internal.h"
#include "hypergrad/lbfgs.h"
#include "jobs/clean_job.h"
#include "problems/rows_internal.h"

enum {
    NOISE_SQUARES = 17,  /* tables of classes x classes while noise is estimated */
    CHUNKS_AT_ONCE = 16, /* of rows that the verdict judges at the same time ... */
    BLOCKS_AT_ONCE = 32, /* ... and of those outside a sample */
    LEAST_OF_CLASS = 50  /* rows of a class in a sample */
};

static const double real = sizeof(sustain_real), single = sizeof(float), word = sizeof(int64_t);

typedef struct numbers {
    double n, trusted, classes, size, folds;
} numbers;

static numbers numbers_of(const sustain_clean *c) {
    return (numbers){.n = (double)c->training.count,
                     .trusted = (double)c->trusted.count,
                     .classes = (double)c->options.classes,
                     .size = c->features ? (double)sustain__clean_size(c) : 0,
                     .folds = (double)c->options.folds};
}

/* A copy of one row with its label. */
static double row_bytes(const sustain_rows *rows) {
    const double start = rows->start != NULL ? (double)rows->start[rows->stored] / (double)rows->stored : (double)rows->dim;
    const double wide = rows->bytes != NULL    ? 1
                        : rows->halves != NULL ? sizeof(uint16_t)
                        : rows->start != NULL  ? single + sizeof(int32_t)
                                               : single;
    return start * wide + word + sizeof(int32_t);
}

/* From create() to destroy(), without the problem and its solver. */
static sustain_memory held(const sustain_clean *c) {
    const numbers k = numbers_of(c);
    const double sources = c->sampled ? 0 : sustain__clean_computed(c);
    sustain_memory m = {0};
    double a_row = c->sampled ? 0 : 3 * single + 1 + word; /* quality, other, order, is_issue, folds */
    if (c->verified != NULL || c->is_sample) a_row += sizeof(int32_t);
    if (c->training.stored < c->training.count) a_row += sizeof(int32_t);
    if (c->group != NULL) a_row += sizeof(int32_t);
    m.part[SUSTAIN_MEMORY_ROWS] = k.n * a_row + k.trusted * (sizeof(int32_t) + word) + (double)c->verified_count * word;
    if (c->verified_count > 0) m.part[SUSTAIN_MEMORY_ROWS] += k.trusted * row_bytes(&c->training);
    m.part[SUSTAIN_MEMORY_TABLES] = sources * (k.n + k.trusted) * k.classes * single + k.classes * k.classes * (word + real);
    double models = 2 + sources * (1 + (c->is_sample ? k.folds : 0));
    if (c->features && sustain__clean_keeps_models(c)) models += (double)sustain__clean_models(c);
    m.part[SUSTAIN_MEMORY_MODELS] = models * k.size * real;
    double fit;
    const sustain_memory fourier = sustain__clean_fourier_memory(c, &fit);
    sustain__memory_add(&m, &fourier);
    return m;
}

/* One fit of so many classifiers, on all rows. */
static double fit_bytes(const sustain_clean *c, int64_t models) {
    if (!c->features) return 0;
    const sustain_softmax_options o = sustain__clean_fit_options(c, 1);
    return sustain__softmax_fit_bytes(&o, &c->training, (const int64_t[2]){c->training.count - c->verified_count, c->trusted.count},
                                      models);
}

/* While the verdict is found. */
static sustain_memory verdict(const sustain_clean *c) {
    const numbers k = numbers_of(c);
    const double sources = sustain__clean_computed(c) + c->options.pred_prob_count;
    const double pairs = 2 * SUSTAIN__LBFGS_PAIRS + 6;
    const bool noise = !sustain__clean_by_verified(c) && (c->bilevel || c->outside >= c->options.folds);
    sustain_memory m = {0};
    if (k.trusted <= 0) return m;
    m.part[SUSTAIN_MEMORY_ROWS] = k.n * (single + word);
    m.part[SUSTAIN_MEMORY_TABLES] = ((noise ? k.n : 0) + (sources + 1) * k.trusted + CHUNKS_AT_ONCE * (sources + 2)) * k.classes * single +
                                    k.classes * k.classes * (noise ? NOISE_SQUARES : 1) * sizeof(double);
    m.part[SUSTAIN_MEMORY_MODELS] = pairs * (k.classes + sources) * real;
    return m;
}

static sustain_memory baselines(const sustain_clean *c) {
    const numbers k = numbers_of(c);
    const double wide = c->features ? k.classes : 0;
    sustain_memory m = {0};
    if (!c->options.baselines) return m;
    m.part[SUSTAIN_MEMORY_MODELS] = k.folds * k.size * real + fit_bytes(c, c->bilevel ? c->options.folds : 1);
    m.part[SUSTAIN_MEMORY_ROWS] = k.n * (word + 2 * single);
    m.part[SUSTAIN_MEMORY_TABLES] = (k.n + k.trusted) * wide * single;
    return m;
}

/* finish() of a job without a sample. */
static sustain_memory finish(const sustain_clean *c) {
    const numbers k = numbers_of(c);
    const double wide = c->features ? k.classes : 0;
    double fourier;
    sustain__clean_fourier_memory(c, &fourier);
    const double linear = fit_bytes(c, c->options.folds);
    const sustain_memory fit = {.part[SUSTAIN_MEMORY_MODELS] = linear > fourier ? linear : fourier}, judged = verdict(c),
                         last = baselines(c);
    sustain_memory m = sustain__memory_larger(&judged, &last);
    m = sustain__memory_larger(&m, &fit);
    m.part[SUSTAIN_MEMORY_MODELS] += (k.folds + 1) * k.size * real;
    m.part[SUSTAIN_MEMORY_TABLES] += (k.n + k.trusted) * wide * single;
    m.part[SUSTAIN_MEMORY_ROWS] +=
        k.n * (single + 3 * single + 1 + (c->bilevel ? single : 0)) + (double)c->training.stored * sizeof(int32_t);
    return m;
}

/* The job of the sample: rows of each class by its share, a few of a rare one, and all verified
 * ones. */
static sustain_clean sample_of(const sustain_clean *c) {
    const numbers k = numbers_of(c);
    const double each = k.n / k.classes, share = (double)c->options.fit_rows / k.classes,
                 few = each < LEAST_OF_CLASS ? each : LEAST_OF_CLASS;
    const double drawn = (share > few ? share : few) * k.classes;
    const double count = drawn + (double)c->verified_count * (1 - drawn / k.n);
    sustain_clean s = *c;
    s.training.count = s.training.stored = (int64_t)(count < k.n ? count : k.n);
    s.sampled = false;
    s.is_sample = true;
    s.group = NULL;
    return s;
}

static sustain_memory finish_sampled(const sustain_clean *c) {
    const numbers k = numbers_of(c);
    sustain_clean s = sample_of(c);
    const double count = (double)s.training.count, models = 2 + 3 + k.folds;
    sustain_memory judging = {0}, fitting;
    s.training.stored = c->training.stored; /* of which the share of non-zeros is known */
    fitting = finish(&s);
    fitting.part[SUSTAIN_MEMORY_ROWS] -= (double)(c->training.stored - s.training.count) * sizeof(int32_t);
    judging.part[SUSTAIN_MEMORY_ROWS] = k.n * 4 * single; /* quality, other, score, order */
    if (c->features) judging.part[SUSTAIN_MEMORY_TABLES] = BLOCKS_AT_ONCE * (double)sustain__block_bytes((int64_t)(models * k.classes));
    sustain_memory m = sustain__memory_larger(&judging, &fitting);
    const sustain_memory own = held(&s);
    sustain__memory_add(&m, &own);
    m.part[SUSTAIN_MEMORY_ROWS] += count * (row_bytes(&c->training) + word + 3 * sizeof(int32_t)) + (c->bilevel ? k.n * single : 0);
    m.part[SUSTAIN_MEMORY_TABLES] += count * k.classes * single * c->options.pred_prob_count;
    return m;
}

/* With the solver's part. */
static sustain_memory memory_of(const sustain_clean *c, const sustain_memory *solver) {
    sustain_memory m = held(c);
    m.part[SUSTAIN_MEMORY_DATA] = (double)c->memory_before;
    if (c->options.group_weights_only) return m;
    sustain_memory more = c->sampled ? finish_sampled(c) : finish(c);
    if (c->options.ends_solver)
        more = sustain__memory_larger(&more, solver);
    else
        sustain__memory_add(&more, solver);
    sustain__memory_add(&m, &more);
    return m;
}

sustain_memory sustain__clean_memory(const sustain_clean *c) {
    return memory_of(c, &(sustain_memory){0});
}

sustain_status sustain_clean_memory(const sustain_clean *c, sustain_memory *memory) {
    if (c == NULL) return SUSTAIN_ARGUMENT;
    sustain_memory solver = {.size = sizeof solver};
    if (c->solver != NULL) SUSTAIN_TRY(sustain_solver_memory(c->solver, &solver));
    const sustain_memory own = {.part[SUSTAIN_MEMORY_SOLVER] = solver.part[SUSTAIN_MEMORY_SOLVER]}, m = memory_of(c, &own);
    return sustain__memory_give(c->context, &m, memory);
}

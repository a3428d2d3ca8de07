/* clean_sample.c - finishing with very many rows. The method of clean_finish.c needs several passes
 * over the rows for each of its fits, and the probabilities of all rows by all sources. So it runs
 * on a sample, a job of its own; then one pass judges all rows by what came out, block by block:
 *
 *   row of the sample    probabilities of the sources as they are there, out of fold
 *   any other row i      those of the classifiers of fold i mod folds: none was trained on it
 *   posterior, score     as the sample's own verdict has them
 *
 * Of a row its quality, its likeliest other class and its score are kept, its probabilities are
 * not. Counts are scaled to all rows; calibration, order and flags are those of all rows. Scores of
 * baselines are those of the sample. */
#include <math.h>
#include <string.h>

#include <sustain/random.h>

#include "core/clock.h"
#include "core/share.h"
#include "core/vector.h"
#include "jobs/clean_job.h"
#include "problems/rows_internal.h"

enum { SAMPLE_STREAM = 33, LEAST_OF_CLASS = 50, CHUNK = 512, AT_ONCE = 32, LOGGED = 2000 };

typedef struct sampling {
    sustain_clean *c, *s; /* all rows; the sample */
    sustain_clean_result *result, found;
    int64_t count, *row; /* of the sample: (count) row numbers, increasing */
    void *rows;
    int32_t *truth, *verified;
    uint8_t *drawn;
    sustain_probabilities file[SUSTAIN_CLEAN_MOST_PRED_PROBS];
    const sustain_probabilities *files[SUSTAIN_CLEAN_MOST_PRED_PROBS];
    void *file_rows[SUSTAIN_CLEAN_MOST_PRED_PROBS];
} sampling;

/* ---- which rows ---- */

static bool marked(const uint8_t *marks, int64_t i) {
    return (marks[i / 8] >> i % 8 & 1) != 0;
}

static void mark(uint8_t *marks, int64_t i) {
    marks[i / 8] |= (uint8_t)(1u << i % 8);
}

/* Of each class its share of the rows, a few of a rare one; and all verified rows. marks (count / 8
 * + 1), left (classes). */
static int64_t choose(const sustain_clean *c, uint8_t *marks, int64_t *left) {
    const int64_t n = c->training.count, classes = c->options.classes;
    int64_t wanted = 0, chosen = c->verified_count;
    for (int64_t i = 0; i < n; i++) left[c->given[i]]++;
    for (int64_t k = 0; k < classes; k++) {
        const int64_t there = left[k], share = (int64_t)((double)c->options.fit_rows * ((double)there / (double)n));
        left[k] = share > LEAST_OF_CLASS ? share : there < LEAST_OF_CLASS ? there : LEAST_OF_CLASS;
        wanted += left[k];
    }
    for (int64_t v = 0; v < c->verified_count; v++) mark(marks, c->verified_rows[v]);
    for (int64_t j = 0; j < n && wanted > 0; j++) {
        const int64_t i = sustain_random_permuted((uint64_t)c->options.seed, SAMPLE_STREAM, 0, j, n);
        if (left[c->given[i]] == 0) continue;
        left[c->given[i]]--, wanted--;
        if (marked(marks, i)) continue;
        mark(marks, i);
        chosen++;
    }
    return chosen;
}

static sustain_status choose_rows(sampling *g) {
    const sustain_clean *c = g->c;
    const int64_t n = c->training.count;
    int64_t *left;
    SUSTAIN_TRY(sustain__allocate(c->context, (size_t)c->options.classes * sizeof *left + (size_t)n / 8 + 1, &left));
    uint8_t *marks = (uint8_t *)(left + c->options.classes);
    g->count = choose(c, marks, left);
    const sustain_status status = sustain__allocate(c->context, (size_t)g->count * sizeof *g->row, &g->row);
    for (int64_t i = 0, j = 0; i < n && status == SUSTAIN_OK; i++)
        if (marked(marks, i)) g->row[j++] = i;
    sustain__free(c->context, left);
    return status;
}

/* ---- its job ---- */

#define GATHER(from, to)                                                                                            \
    do {                                                                                                            \
        if ((from) == NULL) break;                                                                                  \
        SUSTAIN_TRY(sustain__allocate(g->c->context, (size_t)g->count * sizeof *(to), &(to)));                      \
        for (int64_t gather_at = 0; gather_at < g->count; gather_at++) (to)[gather_at] = (from)[g->row[gather_at]]; \
    } while (0)

/* The probabilities of the sample's rows, as floats. */
static sustain_status gather_file(sampling *g, int f) {
    const sustain_probabilities *from = g->c->options.pred_probs[f];
    float *p;
    SUSTAIN_TRY(sustain__allocate(g->c->context, sustain__multiply((size_t)g->count, (size_t)from->classes * sizeof *p), &p));
    g->file_rows[f] = p;
    for (int64_t j = 0; j < g->count; j++) sustain_probabilities_row(from, g->row[j], p + j * from->classes);
    g->file[f] =
        (sustain_probabilities){.count = g->count, .classes = from->classes, .values = p, .type = SUSTAIN_FLOAT32, .source = from->source};
    g->files[f] = &g->file[f];
    return SUSTAIN_OK;
}

/* All verified rows are in the sample, in the same order. */
static sustain_status gather_drawn(sampling *g) {
    const sustain_clean *c = g->c;
    SUSTAIN_TRY(sustain__allocate(c->context, (size_t)g->count, &g->drawn));
    for (int64_t j = 0, v = 0; j < g->count && v < c->verified_count; j++)
        if (g->row[j] == c->verified_rows[v]) g->drawn[j] = c->drawn[v++];
    return SUSTAIN_OK;
}

static sustain_status make_job(sampling *g) {
    sustain_clean *c = g->c;
    sustain_rows rows, outside = c->trusted;
    SUSTAIN_TRY(
        sustain__rows_gather(c->context, &(sustain__taken){.rows = &c->training, .index = g->row, .count = g->count}, 1, &g->rows, &rows));
    SUSTAIN_TRY(gather_drawn(g));
    GATHER(c->options.truth, g->truth);
    GATHER(c->verified, g->verified);
    for (int f = 0; f < c->options.pred_prob_count; f++) SUSTAIN_TRY(gather_file(g, f));
    if (c->verified_count > 0) outside.count = outside.stored = c->outside;
    sustain_clean_options o = c->options;
    o.truth = g->truth;
    o.verified = g->verified;
    o.verified_drawn = g->drawn;
    o.pred_probs = g->files;
    o.groups = o.fit_rows = 0;
    SUSTAIN_TRY(sustain__clean_create_sample(c->context, &o, &rows, outside.count > 0 ? &outside : NULL, &g->s));
    GATHER(c->weight, g->s->weight);
    return SUSTAIN_OK;
}

static void forget(sampling *g) {
    sustain_clean_destroy(g->s);
    void *const blocks[] = {g->row, g->rows, g->truth, g->verified, g->drawn};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) sustain__free(g->c->context, blocks[i]);
    for (int f = 0; f < SUSTAIN_CLEAN_MOST_PRED_PROBS; f++) sustain__free(g->c->context, g->file_rows[f]);
}

/* ---- all rows ---- */

typedef struct applying {
    const sampling *g;
    bool own;       /* our own classifiers speak; else files alone */
    bool by_last;   /* the score needs the last classifier, ... */
    bool by_plain;  /* ... or the plain probabilities */
    int64_t models; /* classifiers that see a row */
    float *score;   /* (count) or NULL: quality is */
    sustain__model model;
    size_t piece; /* bytes of a task */
    char *memory; /* (AT_ONCE, piece) */
    int64_t first;
} applying;

/* What a task works with. */
typedef struct desk {
    sustain__block block;
    double *log_sum;                   /* (SUSTAIN__BLOCK, models) */
    double *q;                         /* (classes) */
    float *logs;                       /* (sources, classes) */
    float *own;                        /* (SUSTAIN__SOURCES_OWN, classes) */
    float *last, *dropped, *p, *other; /* (classes) */
    int64_t *index;                    /* (CHUNK) rows of a fold */
} desk;

/* Measures where memory is NULL. */
static size_t lay_out(const applying *a, char *memory, desk *d) {
    const sustain_clean *c = a->g->c;
    const int64_t classes = c->options.classes, columns = a->models * classes;
    sustain__carver at = {.memory = memory};
    char *block = sustain__carve(&at, a->own ? (int64_t)sustain__block_bytes(columns) : 0, 1);
    d->log_sum = sustain__carve(&at, SUSTAIN__BLOCK * a->models, sizeof *d->log_sum);
    d->q = sustain__carve(&at, classes, sizeof *d->q);
    d->logs = sustain__carve(&at, SUSTAIN_CLEAN_MOST_SOURCES * classes, sizeof *d->logs);
    d->own = sustain__carve(&at, SUSTAIN__SOURCES_OWN * classes, sizeof *d->own);
    d->last = sustain__carve(&at, classes, sizeof *d->last);
    d->dropped = sustain__carve(&at, classes, sizeof *d->dropped);
    d->p = sustain__carve(&at, classes, sizeof *d->p);
    d->other = sustain__carve(&at, classes, sizeof *d->other);
    d->index = sustain__carve(&at, CHUNK, sizeof *d->index);
    if (memory != NULL && a->own) sustain__block_begin(sustain__kernels_best(), &a->model, columns, block, &d->block);
    return at.used;
}

/* Row i is number j of the sample; -1: it is not in it. */
static int64_t place_in(const sampling *g, int64_t i) {
    int64_t low = 0, high = g->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (g->row[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->count && g->row[low] == i ? low : -1;
}

/* Probabilities of a row that is not in the sample by source m. */
static void source_row(const applying *a, int m, int64_t i, const desk *d, float *p) {
    const int64_t classes = a->model.width;
    if (m < SUSTAIN__SOURCES_OWN)
        memcpy(p, d->own + m * classes, (size_t)classes * sizeof *p);
    else
        sustain_probabilities_row(a->g->c->source[m].file, i, p);
}

static void logs_of(const applying *a, int64_t i, int64_t j, desk *d) {
    const sustain_clean *s = a->g->s;
    const int64_t classes = a->model.width;
    if (j >= 0) {
        sustain__clean_logs(s, &s->blend_list, j, d->logs);
        return;
    }
    for (int m = 0; m < s->blend_list.count; m++) {
        float *p = d->logs + m * classes;
        source_row(a, s->blend_list.at[m], i, d, p);
        for (int64_t k = 0; k < classes; k++) p[k] = sustain__blend_log(p[k]);
    }
}

/* self and rival: the plain probabilities, or those of the second round, of the given label and of
 * the likeliest other one. */
static int32_t plain_of(const applying *a, int64_t i, int64_t j, desk *d, float *self, float *rival) {
    const int64_t classes = a->model.width;
    const int32_t given = a->g->c->given[i];
    const int m = sustain__clean_ratio_source(a->g->s, &a->g->found);
    if (a->g->c->options.pred_prob_count > 0)
        sustain__clean_plain_row(a->g->c, i, d->p, d->other);
    else if (j >= 0)
        sustain__clean_source_row(a->g->s, m, j, d->p);
    else
        source_row(a, m, i, d, d->p);
    sustain__clean_adjust(a->g->s, d->p);
    const int32_t other = sustain__rival(classes, given, d->p);
    *self = d->p[given], *rival = d->p[other];
    return other;
}

static void judge_row(const applying *a, int64_t i, desk *d) {
    sustain_clean *c = a->g->c;
    const sustain_clean *s = a->g->s;
    const sustain_clean_ranking ranking = a->g->found.ranking;
    const int64_t j = place_in(a->g, i), classes = a->model.width;
    const int32_t given = c->given[i];
    float self = 0, rival = 0;
    const int32_t other = a->by_plain ? plain_of(a, i, j, d, &self, &rival) : 0;
    if (s->blend.theta != NULL) {
        logs_of(a, i, j, d);
        sustain__clean_posterior(s, d->logs, given, d->q);
        c->other[i] = sustain__clean_other(classes, given, d->q);
        c->quality[i] = (float)d->q[given];
    } else {
        c->other[i] = other;
        c->quality[i] = sustain__clean_ratio(self, rival);
    }
    if (a->by_last) {
        a->score[i] = sustain__clean_last_score(s, (double)c->quality[i], given, d->last);
        if (s->dropped_share > 0) a->score[i] += sustain__clean_dropped_score(s, given, d->dropped);
    } else if (ranking == SUSTAIN_CLEAN_RANKING_NOISE)
        a->score[i] = sustain__clean_ratio_score(s, (double)c->quality[i], self, rival);
    else if (a->score != NULL)
        a->score[i] = self - (ranking == SUSTAIN_CLEAN_RANKING_MARGIN ? rival : 0);
}

/* The probabilities of our own classifiers of row r of the block: d->own, d->last, d->dropped.
 * Columns are as in add_models(). */
static void take_own(const applying *a, int64_t r, desk *d) {
    const sustain_clean *s = a->g->s;
    const int64_t classes = a->model.width, folds = s->options.folds;
    const sustain_real *at = d->block.s + r * d->block.columns;
    memset(d->own, 0, (size_t)(SUSTAIN__SOURCES_OWN * classes) * sizeof *d->own);
    for (int m = 0; m < SUSTAIN__SOURCES_OWN; m++) {
        if (!s->source[m].known) continue;
        float *p = d->own + m * classes;
        const int64_t times = m == SUSTAIN__SOURCE_TRUSTED ? folds : 1;
        for (int64_t t = 0; t < times; t++, at += classes)
            for (int64_t k = 0; k < classes; k++) p[k] += (float)at[k] / (float)times;
    }
    for (int64_t k = 0; k < classes; k++) d->last[k] = (float)at[k];
    for (int64_t k = 0; k < classes && s->dropped_share > 0; k++) d->dropped[k] = (float)at[classes + k];
}

/* The trusted rows' classifiers are asked all, the other sources that of the row's fold; then the
 * last one. */
static void add_models(const applying *a, int64_t fold, sustain__block *b) {
    const sustain_clean *s = a->g->s;
    const int64_t size = sustain__clean_size(s);
    for (int m = 0; m < SUSTAIN__SOURCES_OWN; m++) {
        if (!s->source[m].known) continue;
        for (int64_t k = 0; k < s->options.folds; k++)
            if (m == SUSTAIN__SOURCE_TRUSTED || k == fold) sustain__block_column(b, s->source[m].folds_y + k * size);
    }
    sustain__block_column(b, s->y);
    if (s->dropped_share > 0) sustain__block_column(b, s->dropped_y);
}

/* Rows of one fold. */
static void judge_fold(const applying *a, int64_t fold, int64_t count, desk *d) {
    const sustain_batch batch = {.size = count, .index = d->index};
    for (int64_t j = 0; j < count; j += SUSTAIN__BLOCK) {
        const int64_t m = count - j < SUSTAIN__BLOCK ? count - j : SUSTAIN__BLOCK;
        if (a->own) {
            sustain__block_clear(&d->block);
            sustain__block_take(&d->block, &a->g->c->training, &batch, j, m);
            add_models(a, fold, &d->block);
            sustain__block_scores(&d->block);
            sustain__softmax(m, d->block.columns, a->models, a->model.width, d->block.s, d->log_sum);
        }
        for (int64_t r = 0; r < m; r++) {
            if (a->own) take_own(a, r, d);
            judge_row(a, d->index[j + r], d);
        }
    }
}

static void judge_chunk(void *user, int64_t number) {
    const applying *a = user;
    const int64_t n = a->g->c->training.count, folds = a->g->s->options.folds;
    const int64_t begin = (a->first + number) * CHUNK, end = begin + CHUNK < n ? begin + CHUNK : n;
    desk d;
    lay_out(a, a->memory + (size_t)number * a->piece, &d);
    for (int64_t fold = 0; fold < folds; fold++) {
        int64_t count = 0;
        for (int64_t i = begin + (fold - begin % folds + folds) % folds; i < end; i += folds) d.index[count++] = i;
        judge_fold(a, fold, count, &d);
    }
}

/* Eight bytes a row, and its score. */
static void *judged(void *user, int64_t number, int which, size_t *bytes) {
    const applying *a = user;
    sustain_clean *c = a->g->c;
    const int64_t n = c->training.count, begin = (a->first + number) * CHUNK, end = begin + CHUNK < n ? begin + CHUNK : n;
    *bytes = (size_t)(end - begin) * sizeof(float);
    return which == 0                       ? (void *)(c->quality + begin)
           : which == 1                     ? (void *)(c->other + begin)
           : which == 2 && a->score != NULL ? a->score + begin
                                            : NULL;
}

static sustain_status judge_all(applying *a) {
    sustain_clean *c = a->g->c;
    const int64_t chunks = (c->training.count + CHUNK - 1) / CHUNK;
    const double begin = sustain__clock();
    desk unused;
    a->piece = lay_out(a, NULL, &unused);
    SUSTAIN_TRY(sustain__allocate(c->context, sustain__multiply(AT_ONCE, a->piece), &a->memory));
    sustain_status status = SUSTAIN_OK;
    for (a->first = 0; a->first < chunks && status == SUSTAIN_OK; a->first += AT_ONCE) {
        if (a->first % LOGGED < AT_ONCE && a->first > 0) {
            const double seconds = sustain__clock() - begin, done = (double)a->first / (double)chunks;
            sustain__log(c->context, "clean: judging rows: %.0f %%, %.0f s left", 100 * done, seconds / done * (1 - done));
        }
        status = sustain__share_until(c->context, chunks - a->first < AT_ONCE ? chunks - a->first : AT_ONCE, judge_chunk, a, judged);
    }
    sustain__free(c->context, a->memory);
    return status;
}

/* ---- all of it ---- */

/* What the sample says of all rows: shares stay, numbers of rows that are not verified grow. */
static void take_result(const sampling *g) {
    const sustain_clean *c = g->c, *s = g->s;
    sustain_clean_result *r = g->result;
    const double growth = (double)(c->training.count - c->verified_count) / (double)(s->training.count - s->verified_count);
    double wrong = 0; /* among the verified rows, which are all in the sample */
    for (int64_t v = 0; v < s->verified_count; v++) wrong += s->verified[s->verified_rows[v]] != s->given[s->verified_rows[v]];
    *r = g->found;
    r->estimated_errors = wrong + (r->estimated_errors - wrong) * growth;
    r->estimated_low = wrong + (r->estimated_low - wrong) * growth;
    r->estimated_high = wrong + (r->estimated_high - wrong) * growth;
    r->noise = r->estimated_errors / (double)c->training.count;
    r->group_weight = r->group_weight_low = r->group_weight_high = NULL;
    for (int i = 0; i < SUSTAIN_CLEAN_BASELINE_COUNT; i++) r->baselines[i].flagged *= growth;
    g->c->confident.errors = s->confident.errors * growth;
    g->c->confident.differs = llround((double)s->confident.differs * growth);
    if (c->features) sustain__copy(sustain__clean_size(c), s->y, c->y);
}

/* Quality, the likeliest other class and a score, of which the last leaves an order. Nothing more
 * than is needed at the time is held: with labels and weights 24 bytes a row. */
static sustain_status judge(sampling *g, float *score) {
    sustain_clean *c = g->c;
    const sustain_clean *s = g->s;
    const sustain_clean_ranking ranking = g->found.ranking;
    applying a = {.g = g,
                  .own = c->features,
                  .by_last = c->bilevel && (ranking == SUSTAIN_CLEAN_RANKING_NOISE || ranking == SUSTAIN_CLEAN_RANKING_BLEND),
                  .score = ranking == SUSTAIN_CLEAN_RANKING_RATIO ? NULL : score,
                  .model = {.dim = c->training.dim, .width = c->options.classes, .intercept = c->options.intercept}};
    if (!c->bilevel && ranking == SUSTAIN_CLEAN_RANKING_BLEND) a.score = NULL;
    a.by_plain = !a.by_last && !(ranking == SUSTAIN_CLEAN_RANKING_BLEND);
    a.models = s->dropped_share > 0 ? 2 : 1;
    for (int m = 0; m < SUSTAIN__SOURCES_OWN; m++)
        if (s->source[m].known) a.models += m == SUSTAIN__SOURCE_TRUSTED ? s->options.folds : 1;
    SUSTAIN_TRY(judge_all(&a));
    sustain__log(c->context, "clean: order and flags of %lld rows", (long long)c->training.count);
    take_result(g);
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->order, c->training.count));
    return sustain__clean_order(c, score, a.score != NULL, g->result);
}

/* Those of an earlier finish(). */
static void free_result(sustain_clean *c) {
    void *const blocks[] = {c->quality, c->other, c->order, c->is_issue};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) sustain__free(c->context, blocks[i]);
    c->quality = NULL, c->other = NULL, c->order = NULL, c->is_issue = NULL;
}

static sustain_status finish(sampling *g, const sustain_real *y) {
    sustain_clean *c = g->c;
    sustain_clean_result of_weights;
    const double begin = sustain__clock();
    float *score;
    free_result(c);
    SUSTAIN_TRY(sustain__clean_score_weights(c, y, &of_weights));
    SUSTAIN_TRY(choose_rows(g));
    SUSTAIN_TRY(make_job(g));
    sustain__log(c->context, "clean: fits on %lld of %lld rows", (long long)g->count, (long long)c->training.count);
    SUSTAIN_TRY(sustain__clean_finish_all(g->s, y, &g->found));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->quality, c->training.count));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->other, c->training.count));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, score, c->training.count));
    const sustain_status status = judge(g, score);
    sustain__free(c->context, score);
    if (status != SUSTAIN_OK) return status;
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, c->is_issue, c->training.count));
    sustain__clean_flag(c, g->result);
    g->result->weight_score = of_weights.weight_score;
    const double end = sustain__clock();
    SUSTAIN_TRY(sustain__clean_publish(c, g->result));
    g->result->score.trusted_accuracy = g->result->trusted_accuracy;
    g->result->score.seconds = end - begin;
    g->result->fitted = g->count;
    return SUSTAIN_OK;
}

sustain_status sustain__clean_finish_sampled(sustain_clean *c, const sustain_real *y, sustain_clean_result *result) {
    sampling g = {.c = c, .result = result};
    const sustain_status status = finish(&g, y);
    forget(&g);
    return status;
}

/* clean_fourier.c - a source for classes that no linear score separates: softmax regression on
 * random Fourier features (Rahimi and Recht, 2007),
 *
 *   z(a) = sqrt(2 / D) (cos w_r'a, sin w_r'a), r < D / 2,      w_r normal with deviation s / d,    d^2 the total variance of the rows
 *
 * of labels as given, out of fold. z(a)'z(b) is close to exp(-s^2 |a - b|^2 / (2 d^2)). What plain
 * and it say of a row become
 *
 *   p[k] ~ plain[k]^(1 - u) fourier[k]^u
 *
 * Rows left out choose, by the smallest loss of labels as given: those of a sample s, how much is
 * regularized and whether this is a gain at all; then all rows the share u. The sample is one of
 * trusted rows where these tell more: they then choose the share in the final classifier too.
 * Without a gain u = 0, and nothing more is computed. */
#include <math.h>
#include <string.h>

#include "core/vector.h"
#include "jobs/clean_finish.h"
#include "jobs/fourier.h"
#include "problems/rows_internal.h"

enum {
    NUMBERS = SUSTAIN__FOURIER_NUMBERS, /* D */
    WAVES = NUMBERS / 2,
    MOST_ROWS = 1 << 16, /* that get features: 64 MB */
    MOST_PROBED = 2000,  /* rows that choose ... */
    MOST_VIEWED = 40000, /* ... and numbers in what is said of them */
    LEAST_PROBED = 100,  /* fewer tell nothing, ... */
    LEAST_OF_CLASS = 10, /* ... nor fewer of each class */
    ITERATIONS = 12,
    SHARES = 4 /* u is a multiple of 1 / SHARES */
};
#define FIRST_PRIOR 4.0 /* where the search begins, as in clean_prior.c ... */
#define LEAST_PRIOR 0.2 /* ... and ends */
#define MOST_PRIOR 70.0
#define MOST_WIDTH 4.0  /* s */
#define LEAST_GAIN 1e-3 /* of the loss, for a step of the search, and for u > 0 */
#define CLEANER 4.0     /* scores are so much larger where doubtful labels have little weight */

/* How many rows choose: no more than are stored, which is what there is memory for. */
static int64_t probed(const sustain_clean *c) {
    const int64_t rows = c->training.count - c->verified_count, stored = c->training.stored, viewed = MOST_VIEWED / c->options.classes;
    int64_t most = viewed < MOST_PROBED ? viewed : MOST_PROBED;
    if (rows < most) most = rows;
    return stored < most ? stored : most;
}

bool sustain__clean_tries_fourier(const sustain_clean *c) {
    const bool enough = probed(c) >= LEAST_PROBED && probed(c) >= LEAST_OF_CLASS * c->options.classes;
    return enough && c->features && !c->sampled && !c->is_sample && !c->options.group_weights_only && c->options.pred_prob_count == 0 &&
           c->training.count <= MOST_ROWS && c->training.dim < c->training.count;
}

/* ---- memory ---- */

static sustain_softmax_options options_for(const sustain_clean *c, double prior, double rows) {
    sustain_softmax_options o = sustain_softmax_defaults();
    o.classes = c->options.classes;
    o.intercept = c->options.intercept;
    o.iterations = ITERATIONS;
    o.c = (o.intercept ? 2 : 1) / (2 * prior * prior * rows); /* as in clean_prior.c, |z|^2 = 1 */
    return o;
}

static int64_t size_of(const sustain_clean *c) {
    return sustain__model_size(&(sustain__model){.dim = NUMBERS, .width = c->options.classes, .intercept = c->options.intercept});
}

static sustain_rows with_features(const sustain_rows *rows, const float *values) {
    return (sustain_rows){.count = rows->count, .stored = rows->stored, .dim = NUMBERS, .values = values, .labels = rows->labels};
}

sustain_status sustain__clean_fourier_allocate(sustain_clean *c) {
    sustain__fourier *z = &c->fourier;
    sustain__clean_source *s = &c->source[SUSTAIN__SOURCE_FOURIER];
    const size_t classes = (size_t)c->options.classes;
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, z->waves, sustain__multiply(WAVES, (size_t)c->training.dim + 1)));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, z->values, (size_t)c->training.stored * NUMBERS));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, z->trusted_values, (size_t)c->trusted.stored * NUMBERS));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, z->last, c->options.classes * NUMBERS));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, z->y, sustain__multiply((size_t)c->options.folds, (size_t)size_of(c))));
    SUSTAIN_TRY(SUSTAIN__CLEAN_ALLOCATE(c, s->views, sustain__multiply((size_t)c->training.count, classes)));
    return SUSTAIN__CLEAN_ALLOCATE(c, s->trusted_views, sustain__multiply((size_t)c->trusted.count, classes));
}

sustain_memory sustain__clean_fourier_memory(const sustain_clean *c, double *fit) {
    const double training = (double)c->training.count, trusted = (double)c->trusted.count;
    const sustain_softmax_options o = options_for(c, 1, 1);
    const sustain_rows rows = with_features(&c->training, NULL);
    sustain_memory m = {0};
    *fit = 0;
    if (!sustain__clean_tries_fourier(c)) return m;
    m.part[SUSTAIN_MEMORY_ROWS] = (double)(c->training.stored + c->trusted.stored) * NUMBERS * sizeof(float);
    m.part[SUSTAIN_MEMORY_TABLES] = (training + trusted) * (double)c->options.classes * sizeof(float);
    m.part[SUSTAIN_MEMORY_MODELS] =
        (WAVES * ((double)c->training.dim + 1) + (double)(c->options.folds * size_of(c) + c->options.classes * NUMBERS)) *
        sizeof(sustain_real);
    *fit = sustain__softmax_fit_bytes(&o, &rows, (const int64_t[2]){c->training.count - c->verified_count, c->trusted.count},
                                      c->options.folds);
    return m;
}

/* ---- features ---- */

static sustain_fourier waves_of(const sustain_clean *c) {
    return (sustain_fourier){.waves = WAVES, .w = c->fourier.waves};
}

static void draw_waves(sustain_clean *c, double deviation) {
    sustain__fourier_draw((uint64_t)c->options.seed, deviation, WAVES, c->training.dim, c->fourier.waves);
}

/* |z|^2 = 1. */
static double scale(void) {
    return sqrt(1.0 / WAVES);
}

/* out (count, NUMBERS) <- the features of some rows. */
static sustain_status map(const sustain_clean *c, const sustain_rows *rows, const int64_t *index, int64_t count, float *out) {
    const sustain_fourier waves = waves_of(c);
    return sustain__fourier_map(c->context, &waves, rows, index, count, (float)scale(), NUMBERS, out);
}

/* ---- which features, and how much of them? ---- */

void sustain__clean_mix(int64_t classes, double share, const float *other, float *p) {
    float most = -INFINITY, sum = 0;
    for (int64_t k = 0; k < classes; k++) {
        p[k] = (float)(1 - share) * sustain__blend_log(p[k]) + (float)share * sustain__blend_log(other[k]);
        most = fmaxf(most, p[k]);
    }
    for (int64_t k = 0; k < classes; k++) sum += p[k] = expf(p[k] - most);
    for (int64_t k = 0; k < classes; k++) p[k] /= sum;
}

/* The sample. Its rows are numbered 0 .. count-1, fold after fold; their features, and what is said
 * of them, are where those of all rows will be. */
typedef struct probe {
    sustain__finishing *f;
    double deviation; /* d */
    int64_t count;
    sustain__some_rows linear[SUSTAIN__MOST_FOLDS], parts[SUSTAIN__MOST_FOLDS]; /* as they are, and with features */
    sustain_rows rows;
    bool trusted;    /* of trusted rows; else of training rows */
    int64_t *index;  /* (count) which of them */
    int64_t *number; /* (count) 0, 1, ... */
    int32_t *labels; /* (count) */
    float *best;     /* (count, classes) said by the best features so far ... */
    double least;    /* ... and their loss */
} probe;

/* The share of these rows whose likeliest class is their label, above that of a guess. */
static double recognized(const sustain_clean *c, int64_t count, const int64_t *index, const float *views, const int32_t *labels) {
    const int64_t classes = c->options.classes;
    double right = 0;
    for (int64_t j = 0; j < count; j++) {
        const int64_t i = index != NULL ? index[j] : j;
        right += sustain__likeliest(classes, views + i * classes) == labels[i];
    }
    return fmax(right / (double)count - 1 / (double)classes, 0);
}

/* How much a training row tells by a trusted row: the square of how much more often than a guess
 * its label is right, by the verified rows; or, of few of these, by how often a classifier on all
 * labels recognizes the labels of either. */
static double worth(const sustain_clean *c) {
    const sustain__clean_source *plain = &c->source[SUSTAIN__SOURCE_PLAIN];
    const double guess = 1 / (double)c->options.classes;
    double all = 0, right = 1 - guess;
    if (c->verified_count >= LEAST_PROBED) {
        for (int64_t v = 0; v < c->verified_count; v++) all += c->given[c->verified_rows[v]] == c->verified[c->verified_rows[v]];
        all = fmax(all / (double)c->verified_count - guess, 0);
    } else {
        all = recognized(c, c->unverified, c->training_folds.order, plain->views, c->given);
        right = recognized(c, c->trusted.count, NULL, plain->trusted_views, c->right);
    }
    return right > 0 ? all / right * (all / right) : 1;
}

/* Whether the trusted rows tell more than the sample of training rows. Rows that were not drawn at
 * random may be of one kind. */
static bool trusted_tell_more(const sustain_clean *c) {
    const int64_t trusted = c->trusted.count;
    const bool enough = trusted >= LEAST_PROBED && trusted >= LEAST_OF_CLASS * c->options.classes;
    return enough && 2 * (c->outside + c->drawn_count) >= trusted && (double)trusted > (double)probed(c) * worth(c);
}

/* Every `step`-th row of each fold. */
static void take_rows(probe *p) {
    const sustain_clean *c = p->f->c;
    const sustain_rows *rows = p->trusted ? &c->trusted : &c->training;
    const int32_t *labels = p->trusted ? c->right : c->given;
    const int64_t folds = c->options.folds, most = probed(c), all = p->trusted ? c->trusted.count : c->unverified,
                  step = (all + most - 1) / most;
    sustain__clean_parts(rows, p->trusted ? &c->trusted_folds : &c->training_folds, folds, p->linear);
    for (int64_t k = 0; k < folds; k++) {
        sustain__some_rows *part = &p->linear[k];
        const int64_t begin = p->count;
        for (int64_t j = 0; j < part->count && p->count < most; j += step, p->count++) {
            p->index[p->count] = part->index[j];
            p->number[p->count] = p->count;
            p->labels[p->count] = labels[part->index[j]];
        }
        part->index = p->index + begin, part->count = p->count - begin;
        p->parts[k] = (sustain__some_rows){.rows = &p->rows, .index = p->number + begin, .count = part->count};
    }
    p->rows = (sustain_rows){.count = p->count, .stored = p->count, .dim = NUMBERS, .values = c->fourier.values, .labels = p->labels};
}

/* Rows that classifiers of the sample are fitted to, without one fold. */
static double fitted_rows(const probe *p) {
    const double folds = (double)p->f->c->options.folds;
    return (double)p->count * (folds - 1) / folds;
}

/* The loss of rows left out with features as they are. A gain: they are the best so far. */
static sustain_status try_prior(probe *p, double width, double prior, bool *gain) {
    sustain_clean *c = p->f->c;
    sustain__fourier *z = &c->fourier;
    float *views = c->source[SUSTAIN__SOURCE_FOURIER].views;
    const int64_t folds = c->options.folds, size = size_of(c);
    const sustain_softmax_options o = options_for(c, prior, fitted_rows(p));
    double loss = 0;
    sustain__zero(folds * size, z->y);
    SUSTAIN_TRY(sustain__softmax_fit_folds(c->context, &o, p->parts, (int)folds, folds, z->y));
    for (int64_t k = 0; k < folds; k++) SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &p->parts[k], z->y + k * size, views));
    for (int64_t j = 0; j < p->count; j++)
        loss -= (double)sustain__blend_log(views[j * c->options.classes + p->labels[j]]) / (double)p->count;
    *gain = loss < p->least * (1 - LEAST_GAIN);
    if (!*gain) return SUSTAIN_OK;
    p->least = loss, z->width = width, z->prior = prior;
    memcpy(p->best, views, (size_t)(p->count * c->options.classes) * sizeof *views);
    return SUSTAIN_OK;
}

static sustain_status try_width(probe *p, double width, double prior, bool *gain) {
    sustain_clean *c = p->f->c;
    draw_waves(c, width / p->deviation);
    SUSTAIN_TRY(map(c, p->trusted ? &c->trusted : &c->training, p->index, p->count, c->fourier.values));
    return try_prior(p, width, prior, gain);
}

/* One number after the other, as long as the loss falls. */
static sustain_status search(probe *p) {
    sustain__fourier *z = &p->f->c->fourier;
    bool gain;
    p->least = INFINITY;
    SUSTAIN_TRY(try_width(p, 1, FIRST_PRIOR, &gain));
    for (double prior = FIRST_PRIOR / 2; gain && prior > LEAST_PRIOR; prior /= 2) SUSTAIN_TRY(try_prior(p, 1, prior, &gain));
    gain = z->prior == FIRST_PRIOR;
    for (double prior = FIRST_PRIOR * 2; gain && prior < MOST_PRIOR; prior *= 2) SUSTAIN_TRY(try_prior(p, 1, prior, &gain));
    gain = true;
    for (double width = 2; gain && width <= MOST_WIDTH; width *= 2) SUSTAIN_TRY(try_width(p, width, z->prior, &gain));
    if (z->width == 1) SUSTAIN_TRY(try_width(p, 0.5, z->prior, &gain));
    draw_waves(p->f->c, z->width / p->deviation);
    return SUSTAIN_OK;
}

/* views (count, classes) <- what linear classifiers on the sample say. */
static sustain_status linear_views(const probe *p, float *views) {
    const sustain__finishing *f = p->f;
    const sustain_clean *c = f->c;
    const int64_t classes = c->options.classes, folds = c->options.folds, size = sustain__clean_size(c);
    float *said = p->trusted ? f->trusted_views : f->views;
    sustain_softmax_options o =
        p->trusted ? sustain__clean_fit_options(c, fitted_rows(p)) : sustain__clean_given_options(c, fitted_rows(p));
    o.iterations = ITERATIONS;
    sustain__zero(folds * size, f->folds_y);
    SUSTAIN_TRY(sustain__softmax_fit_folds(c->context, &o, p->linear, (int)folds, folds, f->folds_y));
    for (int64_t k = 0; k < folds; k++) SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &p->linear[k], f->folds_y + k * size, said));
    for (int64_t j = 0; j < p->count; j++) memcpy(views + j * classes, said + p->index[j] * classes, (size_t)classes * sizeof *views);
    return SUSTAIN_OK;
}

/* u: where the loss of the mixture is smallest, if it is smaller than that of linear classifiers by
 * two standard errors of the difference; else 0. By row number: labels, and what linear classifiers
 * and Fourier features say (rows, classes). mixed (classes) is scratch. */
static double share_of(const sustain_clean *c, int64_t count, const int64_t *index, const int32_t *labels, const float *linear,
                       const float *fourier, float *mixed) {
    const int64_t classes = c->options.classes;
    double loss = 0, best = 0, share = 0;
    for (int u = 1; u <= SHARES; u++) {
        double sum = 0, square = 0;
        for (int64_t j = 0; j < count; j++) {
            const int64_t i = index[j];
            const double before = (double)sustain__blend_log(linear[i * classes + labels[i]]);
            memcpy(mixed, linear + i * classes, (size_t)classes * sizeof *mixed);
            sustain__clean_mix(classes, (double)u / SHARES, fourier + i * classes, mixed);
            const double gain = (double)sustain__blend_log(mixed[labels[i]]) - before;
            sum += gain, square += gain * gain, loss -= before / SHARES;
        }
        const double error = sqrt(fmax(square - sum * sum / (double)count, 0));
        if (sum > best && sum > 2 * error) best = sum, share = (double)u / SHARES;
    }
    if (!(best > LEAST_GAIN * loss)) share = best = 0;
    sustain__log(c->context, "clean: share of Fourier features %.2g (held-out loss of %lld rows: %.4f with, %.4f without)", share,
                 (long long)count, (loss - best) / (double)count, loss / (double)count);
    return share;
}

static sustain_status choose(sustain__finishing *f) {
    sustain_clean *c = f->c;
    const int64_t most = probed(c);
    float *linear = c->source[SUSTAIN__SOURCE_FOURIER].views; /* free again */
    probe p = {.f = f, .trusted = trusted_tell_more(c)};
    double variance;
    SUSTAIN_TRY(sustain__fourier_variance(c->context, &c->training, &variance));
    if (!(variance > 0)) return SUSTAIN_OK;
    p.deviation = sqrt(variance);
    SUSTAIN_TRY(sustain__allocate(
        c->context, (size_t)most * (2 * sizeof *p.index + sizeof *p.labels + (size_t)c->options.classes * sizeof *p.best), &p.index));
    p.number = p.index + most;
    p.labels = (int32_t *)(void *)(p.number + most);
    p.best = (float *)(void *)(p.labels + most);
    take_rows(&p);
    sustain_status status = search(&p);
    if (status == SUSTAIN_OK) status = linear_views(&p, linear);
    if (status == SUSTAIN_OK) c->fourier.share = share_of(c, p.count, p.number, p.labels, linear, p.best, f->views);
    if (p.trusted) c->fourier.prior /= CLEANER, c->fourier.last_share = c->fourier.share;
    sustain__free(c->context, p.index);
    return status;
}

/* ---- the source ---- */

/* Rows with features to fit a classifier to: training rows fold after fold, then trusted ones. */
typedef struct featured {
    sustain_rows training, trusted;
    sustain__some_rows parts[2 * SUSTAIN__MOST_FOLDS];
    int count;
} featured;

static void take_parts(const sustain_clean *c, const sustain__fitted *w, featured *t) {
    const int64_t folds = c->options.folds;
    t->training = with_features(&c->training, c->fourier.values);
    t->trusted = with_features(&c->trusted, c->fourier.trusted_values);
    if (w->labels != NULL) t->training.labels = w->labels;
    sustain__clean_parts(&t->training, &c->training_folds, folds, t->parts);
    for (int64_t k = 0; k < folds; k++) t->parts[k].weights = w->weights, t->parts[k].noise = w->noise;
    t->count = (int)(c->trusted.count > 0 ? 2 * folds : folds);
    if (t->count > folds) sustain__clean_parts(&t->trusted, &c->trusted_folds, folds, t->parts + folds);
}

/* How much is regularized: labels as they are, or those that are probably right. */
static double prior_of(const sustain_clean *c, const sustain__fitted *w) {
    return sustain__clean_as_given(w) ? c->fourier.prior : CLEANER * c->fourier.prior;
}

/* Out of fold. views (training count, classes), or NULL, and trusted_views (trusted count, classes)
 * <- what they say. */
static sustain_status fit_folds(const sustain_clean *c, const sustain__fitted *w, float *views, float *trusted_views) {
    const int64_t folds = c->options.folds, size = size_of(c);
    sustain_real *y = c->fourier.y;
    featured t;
    take_parts(c, w, &t);
    const sustain_softmax_options o = options_for(c, prior_of(c, w), sustain__clean_rows_of(c, w) * (double)(folds - 1) / (double)folds);
    sustain__zero(folds * size, y);
    SUSTAIN_TRY(sustain__softmax_fit_folds(c->context, &o, t.parts, t.count, folds, y));
    for (int k = 0; k < t.count; k++) {
        float *to = k < folds ? views : trusted_views;
        if (to != NULL) SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &t.parts[k], y + k % folds * size, to));
    }
    return SUSTAIN_OK;
}

/* The source's views. */
static sustain_status fit_source(sustain_clean *c, const float *weights) {
    sustain__clean_source *s = &c->source[SUSTAIN__SOURCE_FOURIER];
    const sustain__fitted w = {.training = true, .trusted = true, .weights = weights};
    SUSTAIN_TRY(fit_folds(c, &w, s->views, s->trusted_views));
    sustain__clean_copy_verified(c, s);
    return SUSTAIN_OK;
}

/* c->fourier.y (size) <- one classifier on all rows; its options. */
static sustain_status fit_all(const sustain_clean *c, const sustain__fitted *w, sustain_softmax_options *o) {
    featured t;
    take_parts(c, w, &t);
    const sustain__some_rows parts[] = {
        {.rows = &t.training, .index = c->training_folds.order, .count = c->unverified, .weights = w->weights, .noise = w->noise},
        {.rows = &t.trusted, .count = c->trusted.count}};
    *o = options_for(c, prior_of(c, w), sustain__clean_rows_of(c, w));
    o->iterations = SUSTAIN__REFIT_ITERATIONS;
    sustain__zero(size_of(c), c->fourier.y);
    return sustain__softmax_fit(c->context, o, parts, c->trusted.count > 0 ? 2 : 1, c->fourier.y);
}

sustain_status sustain__clean_fourier_source(sustain__finishing *f) {
    sustain_clean *c = f->c;
    sustain__fourier *z = &c->fourier;
    sustain__clean_source *s = &c->source[SUSTAIN__SOURCE_FOURIER];
    if (!sustain__clean_tries_fourier(c)) return SUSTAIN_OK;
    z->share = z->last_share = 0;
    s->known = false;
    SUSTAIN_TRY(choose(f));
    if (!(z->share > 0)) return SUSTAIN_OK;
    SUSTAIN_TRY(map(c, &c->training, NULL, c->training.stored, z->values));
    if (c->trusted.count > 0) SUSTAIN_TRY(map(c, &c->trusted, NULL, c->trusted.stored, z->trusted_values));
    SUSTAIN_TRY(fit_source(c, NULL));
    z->share = share_of(c, c->unverified, c->training_folds.order, c->given, c->source[SUSTAIN__SOURCE_PLAIN].views, s->views, f->views);
    if (!(z->last_share > 0)) z->last_share = z->share;
    if (!(z->share > 0)) return SUSTAIN_OK; /* with all rows the linear classifiers are as good */
    s->name = "Fourier features, all labels as given, out of fold";
    s->known = true;
    return SUSTAIN_OK;
}

sustain_status sustain__clean_fourier_again(sustain__finishing *f, float *views) {
    sustain_clean *c = f->c;
    const int64_t classes = c->options.classes;
    if (!(c->fourier.share > 0)) return SUSTAIN_OK;
    SUSTAIN_TRY(fit_source(c, f->keep));
    for (int64_t i = 0; i < c->training.count; i++)
        sustain__clean_mix(classes, c->fourier.share, c->source[SUSTAIN__SOURCE_FOURIER].views + i * classes, views + i * classes);
    return SUSTAIN_OK;
}

sustain_status sustain__clean_fourier_given(sustain__finishing *f) {
    const sustain_clean *c = f->c;
    const sustain_rows training = with_features(&c->training, c->fourier.values);
    const sustain__some_rows all = {.rows = &training, .count = c->training.count};
    sustain_softmax_options o;
    SUSTAIN_TRY(fit_all(c, &(sustain__fitted){.training = true, .trusted = true}, &o));
    return sustain__softmax_predict(c->context, &o, &all, c->fourier.y, f->views);
}

/* ---- the last classifier ---- */

sustain_status sustain__clean_fourier_folds(sustain__finishing *f, const sustain__fitted *w) {
    return fit_folds(f->c, w, NULL, f->trusted_views);
}

void sustain__clean_fourier_begin(sustain_clean *c) {
    sustain__fourier *z = &c->fourier;
    if (!(z->last_share > 0)) return;
    sustain__zero(c->options.classes * NUMBERS, z->last);
    z->model = waves_of(c);
    z->model.v = z->last;
}

sustain_status sustain__clean_fourier_add(sustain__finishing *f, const sustain__fitted *w, double share) {
    sustain_clean *c = f->c;
    const int64_t classes = c->options.classes, weights = classes * NUMBERS, biases = c->options.intercept ? classes : 0;
    sustain_softmax_options o;
    if (share == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(fit_all(c, w, &o));
    sustain__add(weights, share * scale(), c->fourier.y, c->fourier.last); /* a model knows no scale */
    sustain__add(biases, share, c->fourier.y + weights, c->y + sustain__clean_size(c) - biases);
    return SUSTAIN_OK;
}

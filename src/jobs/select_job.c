/* select_job.c - a penalized linear model whose form of penalty is selected: its life, and the
 * choice among the candidates.
 *
 * The loss of a row under a candidate is that of a model which was not fitted to the row, at
 * numbers that were chosen by other blocks of rows. So the means of candidates can be compared,
 * however many numbers they have; the standard error is that of the mean of the paired
 * differences. */
#include "jobs/select_job.h"

#include <math.h>
#include <string.h>

#include "core/sized.h"
#include "problems/regtune_internal.h"

#define MARGIN 1.5     /* standard errors by which models that are not linear must be better */
#define TOLERANCE 1e-6 /* of fits, in units of the loss of a model of intercepts */

static const sustain_select_options default_options = {.intercept = true};

void sustain_select_defaults_for(size_t size, sustain_select_options *options) {
    sustain__sized_fill(options, size, &default_options, sizeof default_options);
}

/* ---- its life ---- */

static sustain_status check_options(sustain_selection *s, int64_t dim) {
    const sustain_select_options *o = &s->options;
    if (s->rows.loss == NULL) return sustain__fail(s->context, SUSTAIN_ARGUMENT, "there is no loss number %d", (int)o->loss);
    if (s->rows.loss->labels == SUSTAIN__LABELS_CLASSES && o->classes < 2)
        return sustain__fail(s->context, SUSTAIN_ARGUMENT, "softmax needs at least two classes (there are %lld)", (long long)o->classes);
    if (o->folds != 0 && (o->folds < 2 || o->folds > SUSTAIN_REGTUNE_FOLDS))
        return sustain__fail(s->context, SUSTAIN_ARGUMENT, "there must be 2 to %d folds, or 0 for a suitable number (there are %lld)",
                             SUSTAIN_REGTUNE_FOLDS, (long long)o->folds);
    if (!(o->huber_threshold >= 0) || !isfinite(o->huber_threshold))
        return sustain__fail(s->context, SUSTAIN_ARGUMENT,
                             "the threshold of Huber's loss is %g: it is positive, or 0 to choose it by the errors", o->huber_threshold);
    for (int64_t j = 0; o->factors != NULL && j < dim; j++)
        if (!(o->factors[j] >= 0) || !isfinite(o->factors[j]))
            return sustain__fail(s->context, SUSTAIN_ARGUMENT, "the penalty factor of feature %lld is %g, not a number of at least 0",
                                 (long long)j, o->factors[j]);
    for (int64_t j = 0; o->scaling != NULL && j < dim; j++)
        if (!(o->scaling[j] > 0) || !isfinite(o->scaling[j]))
            return sustain__fail(s->context, SUSTAIN_ARGUMENT, "the scaling of feature %lld is %g, not a positive number", (long long)j,
                                 (double)o->scaling[j]);
    for (int64_t j = 0; o->group != NULL && j < dim; j++)
        if (o->group[j] < 0 || o->group[j] >= o->groups)
            return sustain__fail(s->context, SUSTAIN_ARGUMENT, "the group of feature %lld is %ld, not one of 0 to %lld", (long long)j,
                                 (long)o->group[j], (long long)(o->groups - 1));
    return SUSTAIN_OK;
}

static sustain_status allocate_doubles(sustain_selection *s, int64_t count, double **out) {
    return sustain__allocate(s->context, sustain__multiply((size_t)count, sizeof **out), out);
}

static sustain_status make_memory(sustain_selection *s) {
    const int64_t n = s->rows.rows.count, width = s->rows.width, size = sustain__fit_size(&s->rows), features = s->rows.rows.dim + 1;
    const bool full = s->curvature.full;
    SUSTAIN_TRY(
        allocate_doubles(s, (full ? features * features : features) + SUSTAIN__FIT_SQUARES * features + 2 * width, &s->curvature.values));
    for (int k = 0; k <= s->models; k++) {
        SUSTAIN_TRY(sustain__fit_create(s->context, &s->rows, full, &s->fit[k]));
        SUSTAIN_TRY(allocate_doubles(s, size, &s->base[k]));
    }
    for (int c = 0; c < SUSTAIN_SELECT_CANDIDATES; c++) {
        SUSTAIN_TRY(allocate_doubles(s, n, &s->state[c].loss));
        SUSTAIN_TRY(allocate_doubles(s, n * width, &s->state[c].score));
    }
    double **const vectors[] = {&s->single_penalty, &s->single_y, &s->own_penalty, &s->own_y};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) SUSTAIN_TRY(allocate_doubles(s, size, vectors[i]));
    SUSTAIN_TRY(allocate_doubles(s, n, &s->loss));
    return allocate_doubles(s, n * width, &s->score);
}

static sustain_status make(sustain_selection *s, const sustain_rows *training, const sustain_rows *validation, size_t before) {
    const int64_t dim = training->dim;
    SUSTAIN_TRY(check_options(s, dim));
    SUSTAIN_TRY(sustain__select_take_rows(s, training, validation));
    if (s->options.factors != NULL) {
        SUSTAIN_TRY(allocate_doubles(s, dim, &s->factor));
        memcpy(s->factor, s->options.factors, (size_t)dim * sizeof *s->factor);
    }
    if (s->options.group != NULL) {
        SUSTAIN_TRY(sustain__allocate(s->context, sustain__multiply((size_t)dim, sizeof *s->group), &s->group));
        memcpy(s->group, s->options.group, (size_t)dim * sizeof *s->group);
    }
    SUSTAIN_TRY(sustain__select_make_folds(s));
    s->curvature =
        (sustain__fit_curvature){.features = dim + 1, .full = s->kind == SUSTAIN__SELECT_FOURIER || sustain__fit_wants_matrix(&s->rows)};
    SUSTAIN_TRY(sustain__select_check_memory(s, before));
    SUSTAIN_TRY(make_memory(s));
    SUSTAIN_TRY(sustain__select_add_moments(s));
    SUSTAIN_TRY(sustain__select_make_splines(s));
    SUSTAIN_TRY(sustain__select_make_fourier(s));
    const int64_t size = sustain__fit_size(&s->rows) + (s->splines.knots.count + 2 * s->fourier.waves.waves) * s->rows.width;
    SUSTAIN_TRY(allocate_doubles(s, size, &s->y));
    return allocate_doubles(s, size, &s->penalty);
}

sustain_status sustain_select_create(sustain_context *context, const sustain_select_options *options, const sustain_rows *training,
                                     const sustain_rows *validation, sustain_selection **out) {
    return sustain__select_create(context, options, training, validation, SUSTAIN__SELECT_WHOLE, out);
}

sustain_status sustain__select_create(sustain_context *context, const sustain_select_options *options, const sustain_rows *training,
                                      const sustain_rows *validation, sustain__select_kind kind, sustain_selection **out) {
    sustain_selection *s;
    sustain_select_options taken = default_options;
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    if (training == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "the training rows are NULL");
    SUSTAIN_TRY(
        sustain__sized_take(context, "the options", options, SUSTAIN__SIZE_THROUGH(sustain_select_options, seed), &taken, sizeof taken));
    const size_t before = context->memory_used;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *s, &s));
    *s = (sustain_selection){.context = context, .options = taken, .unit = 1, .kind = kind, .goal = INFINITY};
    s->rows.loss = sustain__regtune_loss_number((int)taken.loss);
    s->rows.width = taken.loss == SUSTAIN_REGTUNE_SOFTMAX ? taken.classes : 1;
    s->rows.intercept = taken.intercept;
    s->rows.stop = &s->stop;
    const sustain_status status = make(s, training, validation, before);
    if (status == SUSTAIN_OK)
        *out = s;
    else
        sustain_select_destroy(s);
    return status;
}

void sustain_select_destroy(sustain_selection *s) {
    if (s == NULL) return;
    sustain_context *context = s->context;
    void *const memory[] = {s->values,           s->start,          s->columns,  s->truth,       s->weight, s->factor,  s->group,
                            s->log_scale,        s->order,          s->block,    s->loss,        s->score,  s->penalty, s->y,
                            s->curvature.values, s->single_penalty, s->single_y, s->own_penalty, s->own_y,  s->moments};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) sustain__free(context, memory[i]);
    for (int k = 0; k <= SUSTAIN__SELECT_MODELS; k++) {
        sustain__fit_destroy(context, s->fit[k]);
        sustain__free(context, s->base[k]);
        sustain__lasso_destroy(context, s->lasso[k]);
    }
    sustain__columns_free(context, &s->by_column);
    sustain__select_free_splines(s);
    sustain__select_free_fourier(s);
    for (int c = 0; c < SUSTAIN_SELECT_CANDIDATES; c++) {
        sustain__free(context, s->state[c].loss);
        sustain__free(context, s->state[c].score);
        sustain__free(context, s->state[c].best.shift);
    }
    sustain__free(context, s);
}

/* ---- the choice ---- */

void sustain__select_compare(const sustain_selection *s, const double *loss, const double *other, double *mean, double *error) {
    double sum = 0, squares = 0, weights = 0;
    for (int64_t at = 0; at < s->ever_held.count; at++) {
        const int64_t i = s->ever_held.row[at];
        const double w = s->weight != NULL ? s->weight[i] : 1, d = loss[i] - (other != NULL ? other[i] : 0);
        sum += w * d;
        squares += w * d * d;
        weights += w;
    }
    *mean = sum / weights;
    *error = sqrt(fmax(squares / weights - *mean * *mean, 0) / (double)s->ever_held.count);
}

/* What the candidates are worth. */
static void estimate(sustain_selection *s) {
    for (int c = 0; c < s->count; c++) {
        sustain_select_candidate *k = &s->candidate[c];
        sustain__select_compare(s, s->state[c].loss, NULL, &k->estimate, &k->error);
        sustain__select_compare(s, s->state[c].loss, s->state[0].loss, &k->difference, &k->difference_error);
    }
}

/* The simplest of the first candidates within one standard error of the best of them. `one` and
 * `scaled` are the same penalty in other units of the features: between these two the smaller
 * estimate decides. */
static int choose_among(const sustain_selection *s, int count) {
    const bool units = count > 1 && strcmp(s->candidate[1].name, "scaled") == 0;
    int best = 0;
    for (int c = 1; c < count; c++)
        if (s->candidate[c].estimate < s->candidate[best].estimate) best = c;
    for (int c = 0; c < best; c++) {
        double difference, error;
        sustain__select_compare(s, s->state[c].loss, s->state[best].loss, &difference, &error);
        if (difference <= error) return c == 0 && units && s->candidate[1].estimate < s->candidate[0].estimate ? 1 : c;
    }
    return best;
}

/* Whether the model of a candidate is linear in the features. */
static bool is_linear(const sustain__select_state *c) {
    return !c->best.splines && !c->best.fourier;
}

/* A form that was asked for in any case. Splines and Fourier features have many more ways to fit
 * rows by chance: they must be better than what would be selected without them by 1.5 standard
 * errors. */
static int choose(sustain_selection *s) {
    int linear = 0;
    estimate(s);
    if (s->options.form != SUSTAIN_SELECT_AUTO) return s->count - 1;
    while (linear < s->count && is_linear(&s->state[linear])) linear++;
    int selected = choose_among(s, linear);
    for (int c = linear; c < s->count; c++) {
        double difference, error;
        sustain__select_compare(s, s->state[selected].loss, s->state[c].loss, &difference, &error);
        if (difference > MARGIN * error) selected = c;
    }
    return selected;
}

void sustain__select_take_model(const sustain_selection *s, double *y, double *penalty) {
    const int64_t dim = s->rows.rows.dim, width = s->rows.width;
    const sustain__fit *f = s->fit[s->models];
    for (int64_t j = 0; j <= dim; j++)
        for (int64_t k = 0; k < width; k++) y[j < dim ? k * dim + j : width * dim + k] = f->y[j * width + k];
    for (int64_t j = 0; j < dim; j++) penalty[j] = f->penalty[j * width];
}

void sustain__select_prepare(sustain_selection *s) {
    memset(s->fit[0]->y, 0, (size_t)sustain__fit_size(&s->rows) * sizeof(double));
    sustain__fit_losses(&s->rows, &s->all, s->fit[0]->y, s->fit[0]->column, s->loss);
    double sum = 0;
    for (int64_t i = 0; i < s->rows.rows.count; i++) sum += s->loss[i];
    s->tolerance = TOLERANCE * sum / (double)s->rows.rows.count;
    if (s->moments == NULL) sustain__fit_measure(&s->rows, &s->all, NULL, &s->curvature);
}

static sustain_status try_candidates(sustain_selection *s) {
    typedef sustain_status candidate(sustain_selection *);
    static candidate *const automatic[] = {sustain__select_one,       sustain__select_scaled,      sustain__select_lasso,
                                           sustain__select_adaptive,  sustain__select_by_gradient, sustain__select_by_splines,
                                           sustain__select_by_fourier};
    static candidate *const absolute[] = {sustain__select_one, sustain__select_lasso};
    const bool given = s->options.form != SUSTAIN_SELECT_AUTO;
    for (size_t i = 0; i < (given ? sizeof absolute / sizeof *absolute : sizeof automatic / sizeof *automatic); i++) {
        SUSTAIN_TRY((given ? absolute : automatic)[i](s));
        if (sustain__fit_stopped(&s->rows)) return SUSTAIN_CANCELLED;
        if (i > 0 && s->state[0].best.loss >= s->goal) break;
    }
    return SUSTAIN_OK;
}

/* y <- y + share times the model own (width, dim), (width); y is for `features` of them. */
static void add_model(const sustain_selection *s, double share, const double *own, int64_t features, double *y) {
    const int64_t dim = s->rows.rows.dim, width = s->rows.width;
    for (int64_t k = 0; k < width; k++) {
        for (int64_t j = 0; j < dim; j++) y[k * features + j] += share * own[k * dim + j];
        y[width * features + k] += share * own[width * dim + k];
    }
}

/* y <- the model of the selected candidate, a sum of models: its own, and those of the candidates
 * before it. */
static sustain_status combine(sustain_selection *s, int selected) {
    const int64_t dim = s->rows.rows.dim, width = s->rows.width;
    double left = 1;
    for (int c = selected; c > 0; c--) {
        s->share[c] = left * s->state[c].best.part;
        left -= s->share[c];
        if (s->state[c].best.splines && (c == selected || s->share[c] > 0)) s->result_knots = s->splines.knots.count;
        if (s->state[c].best.fourier) s->result_waves = s->fourier.waves.waves;
    }
    s->share[0] = left;
    const int64_t features = dim + s->result_knots + 2 * s->result_waves;
    memset(s->y, 0, (size_t)((features + 1) * width) * sizeof *s->y);
    memcpy(s->penalty, s->single_penalty, (size_t)dim * sizeof *s->penalty);
    for (int c = selected; c > 0; c--) {
        if (c < selected && s->share[c] == 0) continue;
        if (s->state[c].best.splines) {
            sustain__select_add_splines(s, s->share[c], c == selected, features, s->y, s->penalty);
        } else if (s->state[c].best.fourier) {
            SUSTAIN_TRY(sustain__select_add_fourier(s, s->share[c], features, s->y, s->penalty));
        } else {
            sustain__select_refit(s, &s->state[c].best);
            sustain__select_take_model(s, s->own_y, c == selected ? s->penalty : s->own_penalty);
            add_model(s, s->share[c], s->own_y, features, s->y);
        }
    }
    add_model(s, s->share[0], s->single_y, features, s->y);
    return SUSTAIN_OK;
}

/* As if it had never been run. */
static sustain_status start_over(sustain_selection *s, sustain_status status) {
    const size_t bytes = (size_t)sustain__fit_size(&s->rows) * sizeof(double);
    for (int k = 0; k <= s->models; k++) memset(s->fit[k]->y, 0, bytes);
    for (int c = 0; c < SUSTAIN_SELECT_CANDIDATES; c++) {
        sustain__free(s->context, s->state[c].best.shift);
        s->state[c].best.shift = NULL;
    }
    s->count = s->path_count = 0;
    s->result_knots = s->result_waves = 0;
    s->since_measured = 0;
    sustain__select_undo_threshold(s);
    return status;
}

sustain_status sustain_select_run(sustain_selection *s, sustain_select_result *result) {
    if (s == NULL) return SUSTAIN_ARGUMENT;
    if (result == NULL) return sustain__fail(s->context, SUSTAIN_ARGUMENT, "the result is NULL");
    if (s->done) return sustain__fail(s->context, SUSTAIN_ARGUMENT, "the selection has been run: make another");
    s->stop = (sustain__fit_stop){.context = s->context, .caller = sustain__caller_here()};
    if (s->options.loss == SUSTAIN_REGTUNE_HUBER) sustain__select_first_threshold(s);
    sustain__select_prepare(s);
    if (s->options.loss == SUSTAIN_REGTUNE_HUBER && s->options.huber_threshold == 0) {
        sustain__select_second_threshold(s);
        sustain__select_prepare(s);
    }
    sustain_status status = try_candidates(s);
    if (status != SUSTAIN_OK) return start_over(s, status);
    const int selected = choose(s);
    s->candidate[selected].selected = true;
    sustain__log(s->context, "the model of all rows");
    sustain__select_refit(s, &s->state[0].best);
    sustain__select_take_model(s, s->single_y, s->single_penalty);
    status = combine(s, selected);
    if (status != SUSTAIN_OK) return start_over(s, status);
    if (sustain__fit_stopped(&s->rows)) return start_over(s, SUSTAIN_CANCELLED);
    for (int64_t i = 0; i < s->rows.rows.count; i++)
        if (s->block[i] < 0) s->state[selected].loss[i] = NAN;
    sustain__select_apply_threshold(s, selected);
    s->done = true;
    *result = (sustain_select_result){.candidates = s->candidate,
                                      .count = s->count,
                                      .selected = selected,
                                      .penalty = s->penalty,
                                      .part = s->state[selected].best.part,
                                      .y = s->y,
                                      .single_penalty = s->single_penalty,
                                      .single_y = s->single_y,
                                      .path = s->path,
                                      .path_count = s->path_count,
                                      .held_loss = s->state[selected].loss,
                                      .held_score = s->state[selected].score,
                                      .rows = s->rows.rows.count,
                                      .share = s->share,
                                      .splines = s->result_knots > 0 ? &s->splines.knots : NULL,
                                      .fourier = s->result_waves > 0 ? &s->fourier.waves : NULL,
                                      .huber_threshold = s->options.loss == SUSTAIN_REGTUNE_HUBER ? s->unit : NAN};
    return SUSTAIN_OK;
}

static sustain_status score(const sustain_selection *s, const sustain_rows *rows, const double *y, double *loss, double *accuracy) {
    sustain_problem *problem;
    sustain_regtune_options model = sustain_regtune_defaults();
    model.loss = s->options.loss;
    model.classes = s->options.classes;
    model.penalty = SUSTAIN_REGTUNE_SINGLE;
    model.intercept = true;
    SUSTAIN_TRY(sustain_regtune_create(s->context, &model, rows, rows, &problem));
    const sustain_status status = sustain_regtune_score(problem, rows, y, loss, accuracy);
    sustain_regtune_destroy(problem);
    return status;
}

/* The same in units of the threshold of Huber's loss. */
static sustain_status score_in_units(const sustain_selection *s, const sustain_rows *rows, const double *y, double *loss,
                                     double *accuracy) {
    const int64_t stored = rows->stored != 0 ? rows->stored : rows->count, size = (rows->dim + 1) * s->rows.width;
    sustain_rows own = *rows;
    float *targets = NULL;
    double *model = NULL;
    sustain_status status = sustain__allocate(s->context, sustain__multiply((size_t)stored, sizeof *targets), &targets);
    if (status == SUSTAIN_OK) status = sustain__allocate(s->context, sustain__multiply((size_t)size, sizeof *model), &model);
    if (status == SUSTAIN_OK) {
        for (int64_t i = 0; i < stored; i++) targets[i] = (float)((double)rows->targets[i] / s->unit);
        for (int64_t k = 0; k < size; k++) model[k] = y[k] / s->unit;
        own.targets = targets;
        status = score(s, &own, model, loss, accuracy);
        *loss *= s->unit * s->unit;
    }
    sustain__free(s->context, targets);
    sustain__free(s->context, model);
    return status;
}

sustain_status sustain_select_score(const sustain_selection *s, const sustain_rows *rows, const double *y, double *loss, double *accuracy) {
    if (s == NULL) return SUSTAIN_ARGUMENT;
    if (rows == NULL || y == NULL || loss == NULL || accuracy == NULL)
        return sustain__fail(s->context, SUSTAIN_ARGUMENT, "the rows, the model or where the answer goes are NULL");
    const bool units = s->unit != 1 && rows->targets != NULL && rows->count > 0;
    return units ? score_in_units(s, rows, y, loss, accuracy) : score(s, rows, y, loss, accuracy);
}

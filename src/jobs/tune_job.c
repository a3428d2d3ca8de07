/* tune_job.c - penalties tuned by gradient, as a job: problem, solver, start, when to stop. */
#include "jobs/tune_job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/half.h"
#include "core/memory_internal.h"
#include "core/sized.h"
#include "problems/regtune_internal.h"

enum {
    DETERMINISTIC_NUMBERS = 50000000, /* of all rows: up to so many a pass over them is cheap */
    DETERMINISTIC_ITERATIONS = 70,
    STOCHASTIC_ITERATIONS = 100000,
    EVALUATIONS = 100,    /* of a stochastic run */
    PATIENCE = 30,        /* evaluations without a better loss ... */
    PATIENCE_WATCHED = 5, /* ... of the rows that decide; the path is smooth where nothing is drawn */
    BATCH = 64
};

#define CLOSE 0.002 /* |grad_y g| at first, over mu_g and the root of the mean of |a_i|^2 */

static const sustain_tune_options default_options = {.solver = "auto"};

void sustain_tune_defaults_for(size_t size, sustain_tune_options *options) {
    sustain__sized_fill(options, size, &default_options, sizeof default_options);
}

static sustain_status take_model(sustain_context *context, const sustain_regtune_options *given, sustain_regtune_options *model) {
    if (given != NULL) return sustain__regtune_take_options(context, given, model);
    *model = sustain_regtune_defaults();
    model->intercept = true;
    return SUSTAIN_OK;
}

/* ---- the algorithm ---- */

static int64_t numbers_of(const sustain_rows *rows) {
    const int64_t stored = rows->stored != 0 ? rows->stored : rows->count;
    if (rows->start == NULL) return rows->count * rows->dim;
    return (rows->start[stored] - rows->start[0]) / stored * rows->count;
}

static sustain_status set(sustain_solver *solver, int count, const char *const (*pairs)[2]) {
    for (int i = 0; i < count; i++) SUSTAIN_TRY(sustain_solver_set(solver, pairs[i][0], pairs[i][1]));
    return SUSTAIN_OK;
}

/* x is in logarithms, and gradients differ by powers of ten: steps by coordinate. */
static sustain_status set_parameters(sustain_tune *t, const char *name) {
    /* Signs use no alpha: schedule=auto would look for one, which takes longer than the run where
     * rows are many. */
    static const char *const signs[][2] = {{"direction", "sign"}, {"mu_g", "0.05"}, {"schedule", "power"}};
    static const char *const adam[][2] = {{"direction", "adam"}};
    const sustain_solver_info *info = sustain_solver_describe(t->solver);
    if (strcmp(name, "hoag") == 0) {
        SUSTAIN_TRY(set(t->solver, 3, signs));
        const double rows = (double)t->validation.count;
        if (!t->options.from_x_0) /* y starts close to y*(x_0): it is to follow small steps of x */
            SUSTAIN_TRY(sustain_solver_set_number(t->solver, "tolerance", CLOSE * sqrt(t->mean_square)));
        /* A gradient is known to a part of about 1/sqrt(rows): with many penalties, coordinates
         * with much less are noise, and stay. */
        SUSTAIN_TRY(sustain_solver_set_number(t->solver, "still", fmin(0.3 / sqrt(rows), sqrt((double)t->problem->upper_dim) / rows)));
    }
    if (strcmp(name, "sustain") == 0) SUSTAIN_TRY(set(t->solver, 1, adam));
    SUSTAIN_TRY(sustain_solver_set(t->solver, "output", "best"));
    if (info->deterministic) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain_solver_set_number(t->solver, "batch", BATCH));
    return sustain_solver_set_number(t->solver, "seed", (double)t->options.seed);
}

/* The history of the watched rows is part of checkpoints: a resumed run continues it. */
static sustain_status attach(sustain_tune *t) {
    const sustain_field fields[] = {{"watched.x", SUSTAIN_FIELD_REAL, t->problem->upper_dim, t->best_x},
                                    {"watched.y", SUSTAIN_FIELD_REAL, t->problem->lower_dim, t->best_y},
                                    {"watched.loss", SUSTAIN_FIELD_DOUBLE, 1, &t->best_loss},
                                    {"watched.at", SUSTAIN_FIELD_INT64, 1, &t->best_at},
                                    {"watched.since", SUSTAIN_FIELD_INT64, 1, &t->without_progress}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields && t->options.watched != NULL; i++)
        SUSTAIN_TRY(sustain_solver_attach(t->solver, fields[i].name, fields[i].type, fields[i].count, fields[i].data));
    return SUSTAIN_OK;
}

static sustain_status make_solver(sustain_tune *t) {
    const char *name = t->options.solver;
    const int64_t folds = t->model.folds;
    const int64_t numbers = folds > 0 ? folds * numbers_of(&t->training) : numbers_of(&t->training) + numbers_of(&t->validation);
    snprintf(t->reason, sizeof t->reason, "%s was asked for", name);
    if (strcmp(name, "auto") == 0) {
        name = numbers <= DETERMINISTIC_NUMBERS ? "hoag" : "sustain";
        snprintf(
            t->reason, sizeof t->reason,
            strcmp(name, "hoag") == 0
                ? "hoag, a step for each penalty by the sign of its exact gradient: the rows have %lld numbers, a pass over them is cheap"
                : "sustain with Adam's direction: the rows have %lld numbers, too many to pass over them for each step",
            (long long)numbers);
    }
    SUSTAIN_TRY(sustain_solver_create(t->context, name, t->problem, &t->solver));
    SUSTAIN_TRY(attach(t));
    return set_parameters(t, name);
}

/* ---- its life ---- */

static double mean_square(const sustain_rows *rows) {
    const int64_t stored = rows->stored != 0 ? rows->stored : rows->count;
    double sum = 0;
    if (rows->bytes != NULL) {
        for (int64_t i = 0; i < stored * rows->dim; i++) sum += pow((double)rows->byte_scale * rows->bytes[i], 2);
    } else if (rows->halves != NULL) {
        for (int64_t i = 0; i < stored * rows->dim; i++) sum += pow((double)sustain__from_half(rows->halves[i]), 2);
    } else {
        const int64_t from = rows->start != NULL ? rows->start[0] : 0, to = rows->start != NULL ? rows->start[stored] : stored * rows->dim;
        for (int64_t i = from; i < to; i++) sum += (double)rows->values[i] * (double)rows->values[i];
    }
    return sum / (double)stored;
}

/* One model of all rows, where folds have several. */
static sustain_status make_whole(sustain_tune *t) {
    sustain_regtune_options whole = t->model;
    if (whole.folds == 0) return SUSTAIN_OK;
    if (t->options.watched != NULL)
        return sustain__fail(t->context, SUSTAIN_ARGUMENT, "with folds the rows left out decide when to stop: `watched` must be NULL");
    whole.folds = 0;
    SUSTAIN_TRY(sustain_regtune_create(t->context, &whole, &t->training, &t->training, &t->whole));
    return sustain__allocate(t->context, sustain__multiply((size_t)t->whole->lower_dim, sizeof *t->whole_y), &t->whole_y);
}

static sustain_status make(sustain_tune *t) {
    sustain_regtune_options single = t->model;
    const sustain_rows *validation = single.folds > 0 ? &t->training : &t->validation;
    single.penalty = SUSTAIN_REGTUNE_SINGLE;
    SUSTAIN_TRY(sustain_regtune_create(t->context, &t->model, &t->training, validation, &t->problem));
    SUSTAIN_TRY(sustain_regtune_create(t->context, &single, &t->training, validation, &t->single));
    SUSTAIN_TRY(make_whole(t));
    const size_t n = (size_t)t->problem->lower_dim, m = (size_t)t->problem->upper_dim;
    SUSTAIN_TRY(sustain__allocate(t->context, sustain__multiply(n, sizeof *t->path_y), &t->path_y));
    SUSTAIN_TRY(sustain__allocate(t->context, sustain__multiply(n, sizeof *t->start_y), &t->start_y));
    SUSTAIN_TRY(sustain__allocate(t->context, sustain__multiply(m, sizeof *t->best_x), &t->best_x));
    SUSTAIN_TRY(sustain__allocate(t->context, sustain__multiply(n, sizeof *t->best_y), &t->best_y));
    SUSTAIN_TRY(sustain__allocate(t->context, sustain__multiply(m, sizeof *t->x), &t->x));
    SUSTAIN_TRY(sustain__allocate(t->context, sustain__multiply(n, sizeof *t->y), &t->y));
    SUSTAIN_TRY(sustain__allocate(t->context, sustain__multiply(m, sizeof *t->gradient), &t->gradient));
    t->mean_square = mean_square(&t->training);
    if (!(t->mean_square > 0))
        return sustain__fail(t->context, SUSTAIN_ARGUMENT, "all features of all training rows are 0: there is nothing to learn from");
    return make_solver(t);
}

sustain_status sustain_tune_create(sustain_context *context, const sustain_tune_options *options, const sustain_rows *training,
                                   const sustain_rows *validation, sustain_tune **out) {
    sustain_tune *t;
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    sustain_tune_options given = default_options;
    SUSTAIN_TRY(
        sustain__sized_take(context, "the options", options, SUSTAIN__SIZE_THROUGH(sustain_tune_options, test), &given, sizeof given));
    if (training == NULL || validation == NULL || given.solver == NULL)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the solver's name or the rows are NULL");
    sustain_regtune_options model;
    SUSTAIN_TRY(take_model(context, given.model, &model));
    if (model.folds > 0 && training != validation)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "with folds training and validation rows are the same");
    SUSTAIN_TRY(sustain__allocate(context, sizeof *t, &t));
    *t = (sustain_tune){.context = context, .options = given, .model = model, .training = *training, .validation = *validation};
    t->options.model = &t->model;
    t->best_loss = INFINITY;
    t->last_loss = NAN;
    const sustain_status status = make(t);
    if (status == SUSTAIN_OK)
        *out = t;
    else
        sustain_tune_destroy(t);
    return status;
}

void sustain_tune_destroy(sustain_tune *t) {
    if (t == NULL) return;
    sustain_solver_destroy(t->solver);
    sustain_regtune_destroy(t->problem);
    sustain_regtune_destroy(t->single);
    sustain_regtune_destroy(t->whole);
    void *const memory[] = {t->whole_y, t->path_y, t->start_y, t->best_x, t->best_y, t->x, t->y, t->gradient};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) sustain__free(t->context, memory[i]);
    sustain__free(t->context, t);
}

const sustain_problem *sustain_tune_problem(const sustain_tune *t) {
    if (t == NULL) return NULL;
    return t->problem;
}

sustain_solver *sustain_tune_solver(sustain_tune *t) {
    if (t == NULL) return NULL;
    return t->solver;
}

const char *sustain_tune_reason(const sustain_tune *t) {
    if (t == NULL) return "";
    return t->reason;
}

sustain_status sustain_tune_memory(const sustain_tune *t, sustain_memory *memory) {
    if (t == NULL) return SUSTAIN_ARGUMENT;
    sustain_memory m = {.size = sizeof m};
    const size_t outer = sustain__regtune_outer_bytes(t->problem);
    SUSTAIN_TRY(sustain_solver_memory(t->solver, &m)); /* with all that is there by now */
    m.part[SUSTAIN_MEMORY_MODELS] = (double)outer;
    return sustain__memory_give(t->context, &m, memory);
}

double sustain_tune_watched_loss(const sustain_tune *t) {
    if (t == NULL) return (double)NAN;
    return t->last_loss;
}

/* ---- start and stop ---- */

sustain_status sustain_tune_start(sustain_tune *t) {
    if (t == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__tune_path(t));
    if (t->options.from_x_0) return sustain_solver_start(t->solver, NULL, NULL);
    for (int64_t i = 0; i < t->problem->upper_dim; i++) t->best_x[i] = (sustain_real)t->path[t->start_single].log_penalty;
    for (int64_t j = 0; j < t->problem->lower_dim; j++) t->best_y[j] = (sustain_real)t->start_y[j];
    return sustain_solver_start(t->solver, t->best_x, t->best_y);
}

sustain_stopping sustain_tune_stopping(sustain_tune *t) {
    if (t == NULL) return (sustain_stopping){.size = sizeof(sustain_stopping)};
    const bool deterministic = sustain_solver_describe(t->solver)->deterministic;
    return (sustain_stopping){.iterations = deterministic ? DETERMINISTIC_ITERATIONS : STOCHASTIC_ITERATIONS,
                              .every = deterministic ? 1 : STOCHASTIC_ITERATIONS / EVALUATIONS,
                              .patience = t->options.watched == NULL ? PATIENCE : 0,
                              .observer = sustain_tune_watch,
                              .user = t};
}

bool sustain_tune_ended(const sustain_tune *t) {
    if (t == NULL) return true;
    return t->without_progress >= (sustain_solver_describe(t->solver)->deterministic ? PATIENCE_WATCHED : PATIENCE);
}

int sustain_tune_watch(void *user, const sustain_progress *p) {
    if (user == NULL || p == NULL) return 1;
    sustain_tune *t = user;
    double accuracy;
    t->last_loss = p->upper_value;
    if (t->options.watched == NULL || p->iteration == 0) return 0;
    const sustain_real *y = sustain_solver_y(p->solver);
    for (int64_t j = 0; j < t->problem->lower_dim; j++) t->y[j] = (double)y[j];
    const sustain_cancel cancel = t->context->cancel; /* not asked here: the run loop would take it for the observer's request */
    t->context->cancel = NULL;
    const sustain_status status = sustain_regtune_score(t->problem, t->options.watched, t->y, &t->last_loss, &accuracy);
    t->context->cancel = cancel;
    if (status != SUSTAIN_OK) return 1;
    if (t->without_progress < INT64_MAX) t->without_progress++; /* of a file it may be any number */
    if (t->last_loss < t->best_loss) {
        t->without_progress = 0;
        t->best_loss = t->last_loss;
        t->best_at = p->iteration;
        memcpy(t->best_x, sustain_solver_x(p->solver), (size_t)t->problem->upper_dim * sizeof *t->best_x);
        memcpy(t->best_y, y, (size_t)t->problem->lower_dim * sizeof *t->best_y);
    }
    return sustain_tune_ended(t);
}

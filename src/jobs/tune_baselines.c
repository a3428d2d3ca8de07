/* tune_baselines.c - penalties tuned by gradient, as a job: the path of single penalties, and what
 * the result is compared with. */
#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "jobs/tune_job.h"

#define MOST_PENALTY 10.0   /* times the mean of |a_i|^2: everything is penalized away ... */
#define LEAST_PENALTY 1e-8  /* ... to nothing is */
#define PATH_TOLERANCE 1e-6 /* of |grad_y g|, times the root of the same */
#define EXACT_TOLERANCE 1e-10
#define NEARLY 0.2   /* of the way from the first loss of the path to the best */
#define AS_GOOD 1e-4 /* of the loss */
#define NO_PENALTY (-40.0)
#define CONSTANT (-15.0)

/* What rounding kept from its tolerance is still an answer. */
static sustain_status enough(sustain_status status) {
    return status == SUSTAIN_NOT_CONVERGED ? SUSTAIN_OK : status;
}

/* On the test rows, the model y; with folds, the one of all rows with the penalties x (upper_dim),
 * which is fitted from the last. */
static sustain_status test(sustain_tune *t, const double *x, const double *y, double tolerance, sustain_tune_score *score) {
    score->test_loss = score->test_accuracy = NAN;
    if (t->options.test == NULL) return SUSTAIN_OK;
    if (t->whole == NULL) return sustain_regtune_score(t->problem, t->options.test, y, &score->test_loss, &score->test_accuracy);
    SUSTAIN_TRY(enough(sustain_regtune_solve(t->whole, x, tolerance, t->whole_y)));
    return sustain_regtune_score(t->whole, t->options.test, t->whole_y, &score->test_loss, &score->test_accuracy);
}

/* Where penalties are tiny the gradient, which has the factor exp(x), says nothing: the start is
 * the largest penalty that is nearly as good as the best. */
static sustain_status choose_start(sustain_tune *t, double tolerance) {
    const double best = t->path[t->best_single].upper_loss, enough_loss = best + NEARLY * (t->path[0].upper_loss - best);
    double ignored;
    t->start_single = 0;
    while (t->start_single < t->best_single && !(t->path[t->start_single].upper_loss <= enough_loss)) t->start_single++;
    memcpy(t->start_y, t->path_y, (size_t)t->problem->lower_dim * sizeof *t->start_y);
    return enough(sustain_regtune_outer(t->single, &t->path[t->start_single].log_penalty, tolerance, t->start_y, &ignored, NULL));
}

sustain_status sustain__tune_path(sustain_tune *t) {
    const double begun = sustain__clock(), tolerance = PATH_TOLERANCE * sqrt(t->mean_square);
    const size_t bytes = (size_t)t->problem->lower_dim * sizeof *t->y;
    if (t->has_path) return SUSTAIN_OK;
    memset(t->y, 0, bytes);
    if (t->whole != NULL) memset(t->whole_y, 0, (size_t)t->whole->lower_dim * sizeof *t->whole_y); /* after a path that was cancelled */
    for (int i = 0; i < SUSTAIN_TUNE_PATH; i++) {
        const double part = (double)i / (SUSTAIN_TUNE_PATH - 1), start = sustain__clock();
        sustain_tune_score *s = &t->path[i];
        s->log_penalty = log(t->mean_square) + (1 - part) * log(MOST_PENALTY) + part * log(LEAST_PENALTY);
        s->norm_squared = NAN;
        SUSTAIN_TRY(enough(sustain_regtune_outer(t->single, &s->log_penalty, tolerance, t->y, &s->upper_loss, NULL)));
        s->seconds = sustain__clock() - start;
        for (int64_t j = 0; j < t->problem->upper_dim; j++) t->x[j] = s->log_penalty;
        SUSTAIN_TRY(test(t, t->x, t->y, tolerance, s));
        sustain__log(t->context, "single penalty %d of %d: exp(%.2f), validation loss %.5f", i + 1, SUSTAIN_TUNE_PATH, s->log_penalty,
                     s->upper_loss);
        if (i > 0 && !(s->upper_loss < t->path[t->best_single].upper_loss)) continue;
        t->best_single = i;
        memcpy(t->path_y, t->y, bytes);
    }
    SUSTAIN_TRY(choose_start(t, tolerance));
    t->path_seconds = sustain__clock() - begun;
    t->has_path = true;
    return SUSTAIN_OK;
}

/* One x for all, from the model of the best single penalty. */
static sustain_status fit_constant(sustain_tune *t, double x, bool gradient, sustain_tune_score *score) {
    const double begun = sustain__clock();
    const double tolerance = gradient ? EXACT_TOLERANCE : PATH_TOLERANCE * sqrt(t->mean_square);
    double sum = 0;
    *score = (sustain_tune_score){.log_penalty = x, .norm_squared = NAN};
    memcpy(t->y, t->path_y, (size_t)t->problem->lower_dim * sizeof *t->y);
    for (int64_t i = 0; i < t->problem->upper_dim; i++) t->x[i] = x;
    SUSTAIN_TRY(enough(sustain_regtune_outer(t->problem, t->x, tolerance, t->y, &score->upper_loss, gradient ? t->gradient : NULL)));
    for (int64_t i = 0; gradient && i < t->problem->upper_dim; i++) sum += t->gradient[i] * t->gradient[i];
    if (gradient) score->norm_squared = sum;
    score->seconds = sustain__clock() - begun;
    return test(t, t->x, t->y, tolerance, score);
}

static sustain_status fit_result(sustain_tune *t, const sustain_real *x, const sustain_real *y, sustain_tune_result *r) {
    const double begun = sustain__clock();
    double sum = 0;
    for (int64_t i = 0; i < t->problem->upper_dim; i++) t->x[i] = (double)x[i];
    for (int64_t j = 0; j < t->problem->lower_dim; j++) t->y[j] = (double)y[j];
    r->score.log_penalty = NAN;
    const sustain_status status = sustain_regtune_outer(t->problem, t->x, EXACT_TOLERANCE, t->y, &r->score.upper_loss, t->gradient);
    SUSTAIN_TRY(enough(status));
    for (int64_t i = 0; i < t->problem->upper_dim; i++) sum += t->gradient[i] * t->gradient[i];
    r->exact = status == SUSTAIN_OK;
    if (t->whole != NULL) {
        const sustain_status fitted = sustain_regtune_solve(t->whole, t->x, EXACT_TOLERANCE, t->whole_y);
        SUSTAIN_TRY(enough(fitted));
        r->exact = r->exact && fitted == SUSTAIN_OK;
    }
    r->score.norm_squared = sum;
    r->score.seconds = sustain__clock() - begun;
    return test(t, t->x, t->y, EXACT_TOLERANCE, &r->score);
}

/* The best point was chosen by f(x_t, y_t), where y_t follows y*(x_t): the last point is taken
 * where it is as good exactly, for it is closer to where the gradient vanishes. */
static sustain_status last_is_as_good(sustain_tune *t, const sustain_result *run, bool *as_good) {
    const sustain_real *const x[] = {run->x, sustain_solver_x(t->solver)}, *const y[] = {run->y, sustain_solver_y(t->solver)};
    double value[2];
    for (int p = 0; p < 2; p++) {
        for (int64_t i = 0; i < t->problem->upper_dim; i++) t->x[i] = (double)x[p][i];
        for (int64_t j = 0; j < t->problem->lower_dim; j++) t->y[j] = (double)y[p][j];
        SUSTAIN_TRY(enough(sustain_regtune_outer(t->problem, t->x, PATH_TOLERANCE * sqrt(t->mean_square), t->y, &value[p], NULL)));
    }
    *as_good = value[1] <= value[0] * (1 + AS_GOOD);
    return SUSTAIN_OK;
}

sustain_status sustain_tune_finish(sustain_tune *t, const sustain_result *run, sustain_tune_result *r) {
    if (t == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(t->context, run, "run"));
    SUSTAIN_TRY(sustain__need(t->context, r, "r"));
    const bool seen = t->best_loss < INFINITY;
    bool last = false;
    memset(r, 0, sizeof *r);
    SUSTAIN_TRY(sustain__tune_path(t)); /* not yet done where a checkpoint was loaded */
    sustain__log(t->context, "no penalty");
    SUSTAIN_TRY(fit_constant(t, NO_PENALTY, false, &r->none));
    sustain__log(t->context, "a constant penalty of exp(%g)", CONSTANT);
    SUSTAIN_TRY(fit_constant(t, CONSTANT, true, &r->constant));
    sustain__log(t->context, "the model for the tuned penalties");
    if (!seen) SUSTAIN_TRY(last_is_as_good(t, run, &last));
    if (last)
        SUSTAIN_TRY(fit_result(t, sustain_solver_x(t->solver), sustain_solver_y(t->solver), r));
    else
        SUSTAIN_TRY(fit_result(t, seen ? t->best_x : run->x, seen ? t->best_y : run->y, r));
    r->single = t->path[t->best_single];
    r->single.seconds = t->path_seconds;
    r->path = t->path;
    r->x = t->x;
    r->y = t->whole != NULL ? t->whole_y : t->y;
    r->point = seen ? t->best_at : last ? run->iterations : run->point;
    return SUSTAIN_OK;
}

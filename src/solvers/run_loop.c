/* run_loop.c - the loop around step(): stopping, evaluation, recovery from divergence. The same for
 * all algorithms. */
#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "core/sized.h"
#include "core/vector.h"
#include "solvers/solver_internal.h"

enum {
    LONG = 1000,        /* iterations without divergence: the point they began at was good */
    CHECK_EVERY = 32,   /* iterations between checks for divergence */
    FIRST = 32,         /* iterations that measure the usual length of directions */
    MONITOR_SIZE = 1024 /* samples on which the value of a stream is monitored */
};
#define TOO_LONG 1e3 /* directions, times their usual length ... */
#define TOO_FAR 1e3  /* ... and the point, times the size of the last good one: diverging */
/* directions, times that of the first iteration: diverging, while their usual length is not known
 * yet */
#define EXPLODED 1e6
#define SUSPICIOUS 10 /* times: not a good point */
/* bytes of state copied an iteration, on average: a good copy costs a few percent */
#define COPY_SHARE 1024

const char *sustain_stop_text(sustain_stop stop) {
    static const char *const texts[] = {
#define TEXT(name, text) text,
        SUSTAIN_STOP_LIST(TEXT)
#undef TEXT
    };
    return (unsigned)stop < sizeof texts / sizeof texts[0] ? texts[stop] : "";
}

/* ---- divergence ---- */

/* Copies the state to the good copies, or back. */
static void copy_state(sustain_solver *b, bool back) {
    for (int i = 0, good = b->first_good; i < b->slot_count; i++) {
        if (b->slot[i].kind != SUSTAIN__STATE) continue;
        const sustain_field *field = &b->slot[i].field, *copy = &b->state[good++];
        const size_t bytes = (size_t)field->count * sustain_field_size(field->type);
        memcpy(back ? field->data : copy->data, back ? copy->data : field->data, bytes);
    }
}

void sustain__swap_good(sustain_solver *b) {
    for (int i = 0, good = b->first_good; i < b->slot_count; i++) {
        if (b->slot[i].kind != SUSTAIN__STATE) continue;
        const sustain_field *field = &b->slot[i].field, *copy = &b->state[good++];
        const size_t bytes = (size_t)field->count * sustain_field_size(field->type);
        char *one = field->data, *two = copy->data, piece[512];
        for (size_t at = 0; at < bytes; at += sizeof piece) {
            const size_t part = bytes - at < sizeof piece ? bytes - at : sizeof piece;
            memcpy(piece, one + at, part);
            memcpy(one + at, two + at, part);
            memcpy(two + at, piece, part);
        }
    }
}

static int64_t copy_interval(const sustain_solver *b) {
    size_t bytes = 0;
    for (int i = 0; i < b->slot_count; i++)
        if (b->slot[i].kind == SUSTAIN__STATE) bytes += (size_t)b->slot[i].field.count * sustain_field_size(b->slot[i].field.type);
    const int64_t interval = (int64_t)(bytes / COPY_SHARE);
    return interval > 4 * CHECK_EVERY ? interval : 4 * CHECK_EVERY;
}

/* Of the last directions, upper and lower. */
static void norms(const sustain_solver *b, double norm[2]) {
    if (b->algorithm->norms != NULL)
        b->algorithm->norms(b, norm);
    else
        memcpy(norm, b->norm, sizeof b->norm);
}

/* How long the directions are compared with the first iterations; infinite where something is not
 * finite. */
static double length_ratio(sustain_solver *b) {
    double norm[2], most = 0;
    norms(b, norm);
    for (int i = 0; i < 2; i++) {
        if (!isfinite(norm[i])) return INFINITY;
        if (b->t - b->watched_from <= FIRST && norm[i] > b->usual[i]) b->usual[i] = norm[i];
        if (b->usual[i] > 0 && norm[i] / b->usual[i] > most) most = norm[i] / b->usual[i];
    }
    const double longest = fmax(norm[0], norm[1]);
    if (b->first_length == 0) b->first_length = longest;
    if (b->t - b->watched_from <= FIRST && longest > EXPLODED * b->first_length) most = fmax(most, longest / b->first_length);
    return most;
}

/* The size of the point: |y|, and |x| where it is available. */
static double size_of_point(const sustain_solver *b) {
    const double y = sustain__norm(b->problem->lower_dim, b->y), x = b->lazy ? 0 : sustain__norm(b->problem->upper_dim, b->x);
    return y > x || isnan(y) ? y : x;
}

static void copy_good(sustain_solver *b, double size) {
    copy_state(b, false);
    b->good_at = b->t;
    b->good_size = size;
}

/* Back to the start; counts keep their values. */
static void restart(sustain_solver *b) {
    for (int i = 0; i < b->slot_count; i++) {
        const sustain_field *field = &b->slot[i].field;
        if (b->slot[i].kind == SUSTAIN__STATE) memset(field->data, 0, (size_t)field->count * sustain_field_size(field->type));
    }
    sustain__copy(b->problem->upper_dim, b->start_x, b->x);
    sustain__copy(b->problem->lower_dim, b->start_y, b->y);
    if (b->algorithm->begin != NULL) b->algorithm->begin(b);
    copy_good(b, size_of_point(b));
}

static const char *what_happened(bool finite_still) {
    return finite_still ? "diverged" : "reached values that are not finite";
}

static sustain_status may_recover(sustain_solver *b, bool finite_still) {
    if (b->halvings < b->common.recover) return SUSTAIN_OK;
    const sustain__step_sizes at = sustain__step_sizes_at(b);
    return sustain__fail(b->context, SUSTAIN_DIVERGED,
                         "%s %s at iteration %lld, also with steps halved %lld times (alpha %.3g, beta %.3g): give smaller ones "
                         "(schedule=power alpha=... beta=...), or find the wrong oracle with sustain_check_problem() or check=on",
                         b->algorithm->info.name, what_happened(finite_still), (long long)b->t, (long long)b->halvings, at.alpha, at.beta);
}

/* Returns to the last good point with half the step, or gives up. With schedule=auto, where the
 * user did not set the step, every second recovery returns to the start, unless many iterations
 * went well in between: the last point was not good enough. There alpha is divided by eight and
 * beta by two, so that y follows x better. Where y and v lag behind x, they are the likely cause:
 * the first recovery takes that eighth of alpha already and keeps beta; after the second both are
 * what they are for the others. */
static sustain_status recover(sustain_solver *b, bool finite_still) {
    SUSTAIN_TRY(may_recover(b, finite_still));
    const sustain__step_sizes at = sustain__step_sizes_at(b);
    const char *name = b->algorithm->info.name, *what = what_happened(finite_still);
    const bool again = b->start_x != NULL && b->halvings % 2 == 1 && b->t - b->watched_from < LONG;
    const sustain__tuning *h = sustain__tuning_of(b);
    const bool lags = b->start_x != NULL && h->lag + h->quiet_lag > 0;
    const double part = again != lags ? 8 : 2, part_y = !lags ? 2 : again ? 4 : 1;
    /* a point that diverged is no output: those taken back count as the one that the run goes on
     * from */
    const bool kept_is_lost = b->common.output == SUSTAIN__OUTPUT_UNIFORM && b->point > (again ? 0 : b->good_at);
    if (again)
        restart(b);
    else
        copy_state(b, true);
    if (kept_is_lost) sustain__keep_point(b);
    b->halvings++;
    b->scale /= part;
    b->scale_y /= part_y;
    b->usual[0] = b->usual[1] = b->first_length = 0;
    b->watched_from = b->t;
    sustain__log(b->context,
                 "%s: %s at iteration %lld; continuing from the point of iteration %lld with %s the step (alpha %.3g, beta %.3g)%s", name,
                 what, (long long)b->t, again ? 0LL : (long long)b->good_at, part == 8 ? "an eighth of" : "half", at.alpha / part,
                 at.beta / part_y, finite_still ? "" : "; check=on names the oracle");
    return SUSTAIN_OK;
}

/* The present point: its directions against their usual length, its size against the last good
 * one's. Directions may grow for good reasons (leaving a saddle point, a start at y*(x_0)), and so
 * may the point (from 0 to a far solution): a run diverges where both do. */
typedef struct verdict {
    bool diverged, finite, good;
    double size;
} verdict;

static verdict examine(sustain_solver *b) {
    if (!isfinite(b->norm[0] + b->norm[1])) return (verdict){.diverged = true};
    const double ratio = length_ratio(b), size = size_of_point(b), far = size / (1 + b->good_size);
    if (!isfinite(ratio) || !isfinite(size)) return (verdict){.diverged = true};
    return (verdict){.diverged = b->common.recover > 0 && ratio > TOO_LONG && far > TOO_FAR,
                     .finite = true,
                     .good = ratio <= SUSPICIOUS || far <= SUSPICIOUS,
                     .size = size};
}

/* After a step: when it looks depends on t alone, so that a run does not depend on where it is
 * evaluated, ended and continued. */
static sustain_status watch(sustain_solver *b) {
    const bool first = b->t - b->watched_from <= FIRST;
    if (b->t == b->watched_from) return SUSTAIN_OK; /* no step since the start or the recovery */
    if (!isfinite(b->norm[0] + b->norm[1])) return recover(b, false);
    if (!first && b->t % CHECK_EVERY != 0) return SUSTAIN_OK;
    const verdict now = examine(b);
    if (now.diverged) return recover(b, now.finite);
    /* while the usual length is being measured, no point counts as good */
    if (b->common.recover == 0 || first) return SUSTAIN_OK;
    if (now.good && b->t % CHECK_EVERY == 0 && b->t - b->good_at >= copy_interval(b)) copy_good(b, now.size);
    return SUSTAIN_OK;
}

/* Before the point is shown, at an evaluation or at the end: where it has diverged the last good
 * one is shown instead. The run goes on from where it is, and recovers when watch() looks. */
static sustain_status look(sustain_solver *b) {
    const verdict now = b->t > b->watched_from ? examine(b) : (verdict){.finite = true};
    b->astray = false;
    if (now.diverged) SUSTAIN_TRY(may_recover(b, now.finite));
    b->astray = now.diverged;
    return SUSTAIN_OK;
}

/* ---- evaluation ---- */

/* f at the point that is shown; x is only brought up to date where f depends on it. */
static sustain_status upper_value(sustain_solver *b, double *value) {
    SUSTAIN_TRY(look(b));
    const sustain_problem *p = b->problem;
    const bool reads_x = SUSTAIN__FAST(p, support) == NULL || sustain__support_per_sample(p, SUSTAIN_UPPER) > 0;
    const sustain_real *x = reads_x ? sustain_solver_x(b) : b->x, *y = sustain_solver_y(b);
    if (sustain__has_expectation(p)) return sustain__f_value(&b->oracle, NULL, x, y, value);
    const sustain__sampler sampler = {.problem = p, .seed = b->sampler.seed};
    double sum = 0;
    int64_t done = 0;
    for (int64_t i = 0; i * b->common.batch < MONITOR_SIZE; i++) { /* in pieces: the oracle's work has room for a batch */
        sustain_batch batch = sustain__draw(&sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_MONITOR, i, b->common.batch, NULL);
        batch.iteration = b->t;
        const sustain_status status = sustain__f_value(&b->oracle, &batch, x, y, value);
        if (status == SUSTAIN_DRAW_DROPPED) continue;
        SUSTAIN_TRY(status);
        sum += *value * (double)b->common.batch;
        done += b->common.batch;
    }
    if (done == 0)
        return sustain__fail(b->context, SUSTAIN_ORACLE_FAILED,
                             "oracle f_value of problem '%s' asked to drop all draws of the evaluation at iteration %lld",
                             b->given->ops->name, (long long)b->t);
    *value = sum / (double)done;
    return SUSTAIN_OK;
}

static void keep_best(sustain_solver *b, double value) {
    b->without_progress++;
    if (!(value < b->best_value)) return;
    b->best_value = value;
    b->without_progress = 0;
    if (b->common.output == SUSTAIN__OUTPUT_BEST) sustain__keep_point(b);
}

static int64_t evaluation_interval(const sustain_stopping *s) {
    if (s->every > 0) return s->every;
    return s->iterations > 100 ? s->iterations / 100 : s->iterations > 0 ? 1 : 100;
}

/* Whether the last evaluation met a goal. It depends on the state alone, so that a run which was
 * paused or saved there ends there too. */
static bool goal_reached(sustain_solver *b, const sustain_stopping *s, sustain_stop *stop) {
    double norm[2];
    *stop = SUSTAIN_STOP_PATIENCE;
    if (s->patience > 0 && b->without_progress >= s->patience) return true;
    *stop = SUSTAIN_STOP_GRADIENT;
    const bool evaluated_here = s->gradient_norm > 0 && b->t > 0 && b->next_evaluation > b->t && b->t % evaluation_interval(s) == 0;
    if (!evaluated_here) return false;
    norms(b, norm);
    return norm[SUSTAIN_UPPER] <= s->gradient_norm && !examine(b).diverged;
}

static sustain_status evaluate(sustain_solver *b, const sustain_stopping *stopping, double *value, sustain_stop *stop, bool *ended) {
    sustain_progress progress = {.iteration = b->t, .seconds = b->seconds, .counts = b->counts, .solver = b};
    SUSTAIN_TRY(upper_value(b, value));
    progress.upper_value = *value;
    double norm[2] = {0, 0};
    if (b->astray) sustain__swap_good(b);
    if (b->t > 0) norms(b, norm);
    if (b->astray) sustain__swap_good(b);
    progress.upper_norm = norm[SUSTAIN_UPPER], progress.lower_norm = norm[SUSTAIN_LOWER];
    /* f(x_0, y_0) says nothing about ell: any y_0 may fit f well */
    if (b->t > 0) keep_best(b, *value);
    const int64_t every = evaluation_interval(stopping);
    /* before the observer, who may save the state */
    b->next_evaluation = b->t - b->t % every + every;
    const bool asked = stopping->observer != NULL && stopping->observer(stopping->user, &progress) != 0;
    *ended = goal_reached(b, stopping, stop);
    /* the goal first: an observer may pause at any time, and the end must not depend on that */
    if (*ended || !asked) return SUSTAIN_OK;
    *stop = SUSTAIN_STOP_OBSERVER;
    *ended = true;
    return SUSTAIN_OK;
}

/* ---- stopping ---- */

static sustain_status take_limits(const sustain_solver *b, const sustain_stopping *given, sustain_stopping *s) {
    sustain_context *context = b->context;
    *s = (sustain_stopping){.size = 0};
    SUSTAIN_TRY(sustain__sized_take(context, "the limits of the run", given, SUSTAIN__SIZE_THROUGH(sustain_stopping, user), s, sizeof *s));
    if (s->iterations < 0 || s->samples < 0 || !(s->seconds >= 0) || !(s->gradient_norm >= 0) || s->patience < 0 || s->every < 0)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "a limit of the run is negative or not a number");
    /* deterministic solvers consume no samples */
    const bool samples = s->samples > 0 && !b->algorithm->info.deterministic;
    if (s->iterations == 0 && !samples && s->seconds == 0 && s->gradient_norm == 0 && s->patience == 0 && s->observer == NULL)
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "the run has no end: give a limit (iterations, samples, seconds, gradient_norm, patience) or an observer");
    return SUSTAIN_OK;
}

static bool limit_reached(const sustain_solver *b, const sustain_stopping *s, double seconds, sustain_stop *stop) {
    *stop = SUSTAIN_STOP_ITERATIONS;
    if (s->iterations > 0 && b->t >= s->iterations) return true;
    *stop = SUSTAIN_STOP_SAMPLES;
    if (s->samples > 0 && b->counts.samples[0] + b->counts.samples[1] >= s->samples) return true;
    *stop = SUSTAIN_STOP_SECONDS;
    return s->seconds > 0 && seconds >= s->seconds;
}

static sustain_status loop(sustain_solver *b, const sustain_stopping *stopping, sustain_result *result) {
    bool ended = false, evaluated = false;
    double since = sustain__clock();
    while (!ended) {
        if (b->t >= b->next_evaluation) {
            b->seconds += sustain__clock() - since;
            SUSTAIN_TRY(evaluate(b, stopping, &result->upper_value, &result->stop, &ended));
            evaluated = true;
            since = sustain__clock();
            if (ended) break;
        }
        if (goal_reached(b, stopping, &result->stop)) break;
        if (limit_reached(b, stopping, b->seconds + (stopping->seconds > 0 ? sustain__clock() - since : 0), &result->stop)) break;
        sustain_status status = sustain__cancelled(b->context);
        if (status == SUSTAIN_OK) status = sustain_solver_step(b);
        if (status == SUSTAIN_OK) status = watch(b);
        evaluated = false;
        if (status != SUSTAIN_OK) {
            b->seconds += sustain__clock() - since;
            return status;
        }
    }
    b->seconds += sustain__clock() - since;
    if (evaluated) return SUSTAIN_OK;
    /* Report the final value without counting it as an evaluation: a run in two parts equals a run
     * in one. */
    SUSTAIN_TRY(upper_value(b, &result->upper_value));
    if (b->astray)
        sustain__log(b->context, "%s: diverged at iteration %lld, where the run ends; its result is the point of iteration %lld",
                     b->algorithm->info.name, (long long)b->t, (long long)b->good_at);
    return SUSTAIN_OK;
}

sustain_status sustain_solver_run(sustain_solver *b, const sustain_stopping *given, sustain_result *result) {
    sustain_stopping limits;
    const sustain_stopping *const stopping = &limits;
    sustain_result ignored;
    if (result == NULL) result = &ignored;
    memset(result, 0, sizeof *result);
    if (b == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(take_limits(b, given, &limits));
    if (!b->started) {
        b->planned = stopping->iterations;
        SUSTAIN_TRY(sustain_solver_start(b, NULL, NULL));
    }
    if (b->good_at < 0 && b->common.recover > 0) copy_good(b, size_of_point(b));
    const sustain_phase before = sustain_context_phase(b->context, SUSTAIN_PHASE_ITERATIONS);
    const sustain_status status = loop(b, stopping, result);
    sustain_context_phase(b->context, before);
    if (status != SUSTAIN_OK) result->stop = SUSTAIN_STOP_NONE;
    result->iterations = b->t;
    result->seconds = b->seconds;
    result->halvings = b->halvings;
    result->dropped = b->dropped;
    result->counts = b->counts;
    const int64_t shown_at = b->astray ? b->good_at : b->t;
    const bool kept = b->common.output == SUSTAIN__OUTPUT_BEST
                          ? b->best_value < INFINITY
                          : b->common.output == SUSTAIN__OUTPUT_UNIFORM && b->point > 0 && b->point <= shown_at;
    result->point = kept ? b->point : shown_at;
    result->x = kept ? b->kept_x : sustain_solver_x(b);
    result->y = kept ? b->kept_y : sustain_solver_y(b);
    return status;
}

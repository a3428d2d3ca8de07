/* defaults.c - does schedule=auto land near the best of a grid? For every solver and every problem
 * of shipped/: the oracle calls (gradients and products, a sample each) until the squared exact
 * gradient norm of ell is at most 1 % of its start and ell is within 1 % of the least known,
 * without any setting, and for the best of 25 settings of schedule=power: beta in {1/10,
 * 1/sqrt(10), 1, sqrt(10), 10} / L_g, and alpha = beta times the same five numbers.
 *
 *   defaults [--seeds N] [--first-seed N] [--solver NAME]... [--problem NAME]... [--auto-only] [--quick] [--verbose]
 *
 * Prints CSV, a row for each pair: problem, solver, calls of the default, calls of the best
 * setting, ratio, what the best setting was, what became of the default, seconds of the default.
 * Calls are means over the seeds; a run that does not get there has none. The point is looked at
 * after every iteration up to 50, then 3 % later each time.
 *
 * A run is given up after MOST_CALLS (--quick: a fifth of them); a setting also when it has used
 * more than the best so far, or FAR_WORSE times what the default needed, for then it cannot matter.
 * Where a setting got there and the default did not, the default is run once more, to TOO_SLOW
 * times the calls of that setting: its ratio is a number, or above TOO_SLOW. What schedule=auto
 * looks at before the start is not in the calls; its seconds are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "shipped.h"

enum { MOST_WORDS = 64, STEPS = 5, REFERENCE_LOOKS = 400 };
#define MOST_CALLS 1e6 /* of a run; algorithms that draw nothing are cheaper a call and may use five times as many, */
#define IN_BATCHES 20  /* and those that draw batches so many times as many */
#define PART 0.01
#define FAR_WORSE 3
#define TOO_SLOW 10

typedef struct arguments {
    int64_t seeds, first_seed;
    const char *solver[MOST_WORDS], *problem[MOST_WORDS];
    int solvers, problems;
    bool auto_only, quick, verbose;
} arguments;

typedef struct outcome {
    double calls; /* mean over the seeds; infinite: not all of them got there */
    double seconds;
    int64_t halvings;
    bool diverged, refused;
    char why[256];
} outcome;

static double calls_of(sustain_counts c) {
    return (double)(c.gradients[0] + c.gradients[1] + c.hessian_products + c.cross_products);
}

static sustain_real *vector(int64_t n) {
    sustain_real *v = calloc((size_t)n, sizeof *v);
    if (v == NULL) exit(1);
    return v;
}

/* ---- the target ---- */

static bool reached(const shipped *s, double value, double squared) {
    return squared <= PART * s->start && value - s->best <= PART * fabs(s->best - s->value_zero);
}

/* Descent with exact gradients from x_0 to the least ell that it finds: steps of Barzilai
 * and Borwein, shortened until ell falls. */
static double descend(sustain_context *context, const shipped *s, double *first_value, double *first_squared) {
    const int64_t n = s->problem->upper_dim, m = s->problem->lower_dim;
    sustain_real *x = vector(n), *y = vector(m), *x_new = vector(n), *h = vector(n), *h_new = vector(n);
    double value, squared, step = 0;
    if (s->problem->ops->initial != NULL) s->problem->ops->initial(s->problem->self, x, y);
    if (!shipped_look(context, s, x, y, h, &value, &squared)) exit(1);
    *first_value = value, *first_squared = squared;
    step = 0.1 / sqrt(squared);
    for (int i = 0; i < REFERENCE_LOOKS && squared > 1e-8 * *first_squared; i++) {
        double value_new, squared_new, along = 0, apart = 0;
        for (int64_t j = 0; j < n; j++) x_new[j] = (sustain_real)((double)x[j] - step * (double)h[j]);
        if (!shipped_look(context, s, x_new, y, h_new, &value_new, &squared_new) || !(value_new <= value)) {
            memset(y, 0, sizeof *y * (size_t)m);
            step /= 4;
            continue;
        }
        for (int64_t j = 0; j < n; j++) {
            const double moved = (double)x_new[j] - (double)x[j];
            along += moved * ((double)h_new[j] - (double)h[j]);
            apart += moved * moved;
        }
        step = along > 0 ? fmin(apart / along, 10 * step) : 4 * step;
        memcpy(x, x_new, sizeof *x * (size_t)n);
        memcpy(h, h_new, sizeof *x * (size_t)n);
        value = value_new, squared = squared_new;
    }
    free(x), free(y), free(x_new), free(h), free(h_new);
    return value;
}

static void find_best(sustain_context *context, shipped *s) {
    double value;
    s->best = descend(context, s, &value, &s->start);
    s->value_zero = s->destroy == sustain_quadratic_destroy ? value : 0;
}

/* ---- one run ---- */

static bool has(const sustain_solver_info *info, const char *parameter) {
    for (int i = 0; i < info->parameter_count; i++)
        if (strcmp(info->parameters[i].name, parameter) == 0) return true;
    return false;
}

/* beta and alpha 0: no setting. Calls are added up; false: it did not get there within `most`. */
static bool run(sustain_context *context, const shipped *s, const char *name, int64_t seed, double beta, double alpha, double most,
                outcome *out) {
    sustain_solver *solver;
    double spent = seconds_of(CLOCK_MONOTONIC);
    sustain_status status = sustain_solver_create(context, name, s->problem, &solver);
    bool there = false;
    out->refused = status != SUSTAIN_OK;
    if (status == SUSTAIN_OK && !sustain_solver_describe(solver)->deterministic)
        status = sustain_solver_set_number(solver, "seed", (double)seed);
    if (status == SUSTAIN_OK && has(sustain_solver_describe(solver), "batch"))
        status = sustain_solver_set_number(solver, "batch", (double)s->batch);
    if (status == SUSTAIN_OK && alpha > 0) {
        status = sustain_solver_set(solver, "schedule", "power");
        if (status == SUSTAIN_OK) status = sustain_solver_set_number(solver, "alpha", alpha);
        if (status == SUSTAIN_OK && has(sustain_solver_describe(solver), "beta")) status = sustain_solver_set_number(solver, "beta", beta);
    }
    if (status == SUSTAIN_OK) {
        status = sustain_solver_start(solver, NULL, NULL);
        out->refused = status != SUSTAIN_OK;
    }
    spent = seconds_of(CLOCK_MONOTONIC) - spent;
    sustain_real *y = vector(s->problem->lower_dim);
    sustain_result result = {.iterations = 0};
    double value, squared;
    for (int64_t t = 1; status == SUSTAIN_OK && !there && calls_of(result.counts) <= most; t += 1 + (t >= 50 ? (3 * t) / 100 : 0)) {
        status = sustain_solver_run(solver, &(sustain_stopping){.iterations = t, .every = INT64_MAX / 2}, &result);
        there = status == SUSTAIN_OK && shipped_look(context, s, result.x, y, NULL, &value, &squared) && reached(s, value, squared);
    }
    if (status != SUSTAIN_OK) snprintf(out->why, sizeof out->why, "%s", sustain_error(context));
    out->diverged = out->diverged || (status != SUSTAIN_OK && !out->refused);
    out->halvings += result.halvings;
    out->seconds += spent + result.seconds;
    out->calls += there ? calls_of(result.counts) : INFINITY;
    free(y);
    sustain_solver_destroy(solver);
    return there;
}

/* All seeds; given up when one has used more than `most`, or all of them more than `mean` on
 * average. */
static outcome run_seeds(sustain_context *context, const shipped *s, const char *name, const arguments *a, double beta, double alpha,
                         double most, double mean) {
    outcome out = {.calls = 0};
    for (int64_t i = 0; i < a->seeds; i++) {
        const double left = fmin(most, mean * (double)a->seeds - out.calls);
        if (!run(context, s, name, a->first_seed + i, beta, alpha, left, &out)) break;
    }
    out.calls /= (double)a->seeds;
    out.seconds /= (double)a->seeds;
    return out;
}

/* ---- the grid ---- */

/* 1/L_g as the solver has it with schedule=power. */
static double centre(sustain_context *context, const shipped *s, const char *name) {
    sustain_solver *solver;
    double step = 0;
    if (sustain_solver_create(context, name, s->problem, &solver) == SUSTAIN_OK &&
        sustain_solver_set(solver, "schedule", "power") == SUSTAIN_OK && sustain_solver_start(solver, NULL, NULL) == SUSTAIN_OK)
        step = 1 / sustain_solver_steps(solver).L_g;
    sustain_solver_destroy(solver);
    return step;
}

typedef struct cell {
    double calls, beta, ratio; /* beta in units of 1/L_g */
    int diverged;
} cell;

/* From the middle outwards: what is good comes early, and bounds the rest. Only settings of at most
 * `mean` calls are looked for. */
static cell best_cell(sustain_context *context, const shipped *s, const char *name, const arguments *a, double most, double mean) {
    static const int order[STEPS] = {2, 3, 1, 4, 0};
    cell best = {.calls = INFINITY};
    const double unit = centre(context, s, name);
    for (int i = 0; unit > 0 && i < STEPS * STEPS; i++) {
        const double ratio = pow(10, (order[i / STEPS] - 2) / 2.0), beta = pow(10, (order[i % STEPS] - 2) / 2.0);
        const outcome o = run_seeds(context, s, name, a, beta * unit, ratio * beta * unit, most, fmin(mean, best.calls));
        best.diverged += o.diverged;
        if (o.calls < best.calls) best.calls = o.calls, best.beta = beta, best.ratio = ratio;
        if (a->verbose)
            fprintf(stderr, "  %s %s beta %.3g ratio %.3g: %.4g%s\n", s->name, name, beta, ratio, o.calls, o.diverged ? " diverged" : "");
    }
    return best;
}

/* ---- the table ---- */

static void print_number(double value) {
    if (isfinite(value))
        printf(",%.0f", value);
    else
        printf(",");
}

static bool draws_nothing(const char *name) {
    for (int i = 0; i < sustain_solver_count(); i++)
        if (strcmp(sustain_solver_at(i)->name, name) == 0) return sustain_solver_at(i)->deterministic;
    return false;
}

static void measure(sustain_context *context, const shipped *s, const char *name, const arguments *a) {
    const double most = (a->quick ? 0.2 : 1) * (draws_nothing(name) ? 5 : s->batch > 1 ? IN_BATCHES : 1) * MOST_CALLS;
    const bool grid = !a->auto_only && strcmp(name, "auto") != 0;
    cell best = {.calls = INFINITY};
    outcome own = run_seeds(context, s, name, a, 0, 0, most, INFINITY);
    if (grid && !own.refused) best = best_cell(context, s, name, a, most, FAR_WORSE * own.calls);
    if (!isfinite(own.calls) && TOO_SLOW * best.calls > most && isfinite(best.calls))
        own = run_seeds(context, s, name, a, 0, 0, TOO_SLOW * best.calls, INFINITY);
    printf("%s,%s", s->name, name);
    print_number(own.calls);
    print_number(best.calls);
    if (isfinite(own.calls) && isfinite(best.calls))
        printf(",%.2f,", own.calls / best.calls);
    else
        printf(",,");
    if (isfinite(best.calls)) printf("beta=%.3g/L_g alpha=%.3g beta", best.beta, best.ratio);
    printf(",%s", own.refused            ? "refused"
                  : own.diverged         ? "diverged"
                  : isfinite(own.calls)  ? own.halvings > 0 ? "halved" : "reached"
                  : isfinite(best.calls) ? "above ten times"
                                         : "not reached");
    printf(",%.6f,", own.seconds);
    if (own.refused || own.diverged) printf("\"%s\"", own.why);
    printf("\n");
    fflush(stdout);
}

static bool wanted(const char *name, int count, const char *const *words) {
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], name) == 0) return true;
    return count == 0;
}

static bool parse(int count, char **words, arguments *a) {
    *a = (arguments){.seeds = 3, .first_seed = 100};
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? words[i + 1] : NULL;
        if (strcmp(words[i], "--auto-only") == 0)
            a->auto_only = true;
        else if (strcmp(words[i], "--quick") == 0)
            a->quick = true;
        else if (strcmp(words[i], "--verbose") == 0)
            a->verbose = true;
        else if (value == NULL)
            return false;
        else if (strcmp(words[i], "--seeds") == 0)
            a->seeds = atoll(words[++i]);
        else if (strcmp(words[i], "--first-seed") == 0)
            a->first_seed = atoll(words[++i]);
        else if (strcmp(words[i], "--solver") == 0 && a->solvers < MOST_WORDS)
            a->solver[a->solvers++] = words[++i];
        else if (strcmp(words[i], "--problem") == 0 && a->problems < MOST_WORDS)
            a->problem[a->problems++] = words[++i];
        else
            return false;
    }
    return a->seeds > 0;
}

static void log_line(void *user, const char *line) {
    (void)user;
    fprintf(stderr, "%s\n", line);
}

int main(int count, char **words) {
    arguments a;
    sustain_context *context;
    if (!parse(count, words, &a)) {
        fprintf(
            stderr,
            "usage: defaults [--seeds N] [--first-seed N] [--solver NAME]... [--problem NAME]... [--auto-only] [--quick] [--verbose]\n");
        return 2;
    }
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    if (a.verbose) sustain_context_set_log(context, log_line, NULL);
    printf("problem,solver,calls,best calls,ratio,best setting,outcome,seconds,why\n");
    for (int i = 0; i < shipped_count(); i++) {
        shipped s;
        if (!wanted(shipped_name(i), a.problems, a.problem)) continue;
        if (shipped_create(context, i, a.first_seed, &s)) {
            find_best(context, &s);
            if (a.verbose)
                fprintf(stderr, "%s: |grad ell|^2 = %g at the start, least ell %g (%g)\n", s.name, s.start, s.best, s.value_zero);
            for (int k = 0; k < sustain_solver_count(); k++)
                if (wanted(sustain_solver_at(k)->name, a.solvers, a.solver)) measure(context, &s, sustain_solver_at(k)->name, &a);
            if (wanted("auto", a.solvers, a.solver)) measure(context, &s, "auto", &a);
        } else {
            fprintf(stderr, "defaults: %s is left out: its data is not in $SUSTAIN_DATA\n", shipped_name(i));
        }
        shipped_destroy(&s);
    }
    sustain_context_destroy(context);
    return 0;
}

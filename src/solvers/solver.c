/* solver.c - the life of a solver: create, set, start, step, read. */
#include "solvers/solver_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory_internal.h"
#include "core/parameter_internal.h"
#include "core/vector.h"
#include "solvers/probe.h"

/* ---- create ---- */

static sustain_status refuse_name(sustain_context *context, const char *name) {
    const char *names[64];
    int count = 0;
    for (; count < sustain_solver_count() && count < 64; count++) names[count] = sustain_solver_at(count)->name;
    const char *near = sustain_nearest_name(name, names, count);
    if (near != NULL) return sustain__fail(context, SUSTAIN_UNKNOWN_NAME, "no algorithm is called '%s'; did you mean '%s'?", name, near);
    return sustain__fail(context, SUSTAIN_UNKNOWN_NAME, "no algorithm is called '%s'; 'sustain solvers' lists them", name);
}

static const char *oracle_name(unsigned set) {
#define NAME(name, field) \
    if ((set & SUSTAIN_NEEDS_##name) != 0) return #field;
    SUSTAIN_ORACLE_LIST(NAME)
#undef NAME
    return "";
}

/* Names the oracles that are missing, and the algorithms that do not need them. */
static sustain_status refuse_problem(sustain_context *context, const sustain_solver_info *info, const sustain_problem *problem) {
    const unsigned offers = sustain_problem_offers(problem);
    char missing[128] = "", others[256] = "";
    size_t length = 0;
    for (unsigned set = info->needs & ~offers; set != 0; set &= set - 1)
        length +=
            (size_t)snprintf(missing + length, sizeof missing - length, "%s%s", length > 0 ? ", " : "", oracle_name(set & (~set + 1)));
    length = 0;
    for (int i = 0; i < sustain_solver_count(); i++) {
        const sustain_solver_info *other = sustain_solver_at(i);
        if ((other->needs & ~offers) == 0 && length + 32 < sizeof others)
            length += (size_t)snprintf(others + length, sizeof others - length, "%s%s", length > 0 ? ", " : "", other->name);
    }
    return sustain__fail(context, SUSTAIN_MISSING_ORACLE, "%s needs %s, which problem '%s' does not offer; %s%s", info->name, missing,
                         problem->ops->name, length > 0 ? "these algorithms do without: " : "no algorithm does without", others);
}

/* y is constrained: names the algorithms that project it. */
static sustain_status refuse_constraint(sustain_context *context, const char *name, const sustain_problem *problem) {
    char others[128] = "";
    size_t length = 0;
    for (int i = 0; i < sustain_solver_count(); i++) {
        const char *other = sustain_solver_at(i)->name;
        if (sustain__algorithm_find(other)->projects_y && length + 32 < sizeof others)
            length += (size_t)snprintf(others + length, sizeof others - length, "%s%s", length > 0 ? ", " : "", other);
    }
    return sustain__fail(context, SUSTAIN_MISSING_ORACLE, "problem '%s' constrains y, which %s does not support; these algorithms do: %s",
                         problem->ops->name, name, others);
}

sustain_status sustain_solver_create(sustain_context *context, const char *name, const sustain_problem *problem, sustain_solver **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    if (name == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "the name of the algorithm is NULL");
    const bool chosen = strcmp(name, "auto") == 0;
    if (!chosen && sustain__algorithm_find(name) == NULL) return refuse_name(context, name);
    SUSTAIN_TRY(sustain__problem_validate(context, problem));
    sustain__probe probe;
    bool probed = false;
    const sustain__algorithm *algorithm =
        chosen ? sustain__choose_algorithm(context, problem, &probe, &probed) : sustain__algorithm_find(name);
    /* while the problem was probed; the message is set */
    if (algorithm == NULL) return SUSTAIN_CANCELLED;
    if ((algorithm->info.needs & ~sustain_problem_offers(problem)) != 0) return refuse_problem(context, &algorithm->info, problem);
    if (SUSTAIN__FAST(problem, project_y) != NULL && !algorithm->projects_y)
        return refuse_constraint(context, algorithm->info.name, problem);
    sustain_solver *solver;
    SUSTAIN_TRY(sustain__allocate(context, algorithm->size, &solver));
    solver->context = context;
    solver->algorithm = algorithm;
    solver->given = problem;
    solver->probed = probed;
    if (probed) solver->probe = probe;
    sustain_parameters_reset(algorithm->info.parameters, algorithm->info.parameter_count, solver);
    /* deterministic algorithms have no such parameter, but sizes depend on it */
    if (algorithm->info.deterministic) solver->common.batch = 1;
    *out = solver;
    return SUSTAIN_OK;
}

void sustain_solver_destroy(sustain_solver *solver) {
    if (solver == NULL) return;
    sustain__solver_unwind(solver);
    sustain__free(solver->context, solver);
}

void sustain_solver_release(sustain_solver *solver) {
    if (solver != NULL) sustain__solver_unwind(solver);
}

const sustain_solver_info *sustain_solver_describe(const sustain_solver *solver) {
    if (solver == NULL) return NULL;
    return &solver->algorithm->info;
}

/* ---- parameters ---- */

static sustain_status refuse_late(sustain_solver *solver, const char *name) {
    return sustain__fail(solver->context, SUSTAIN_ORDER, "%s cannot be set after the start", name);
}

sustain_status sustain_solver_set(sustain_solver *solver, const char *name, const char *text) {
    if (solver == NULL) return SUSTAIN_ARGUMENT;
    if (name == NULL || text == NULL)
        return sustain__fail(solver->context, SUSTAIN_ARGUMENT, "the name or the value of a parameter is NULL");
    const sustain_solver_info *info = &solver->algorithm->info;
    if (solver->started) return refuse_late(solver, name);
    return sustain_parameters_set(solver->context, info->parameters, info->parameter_count, solver, name, text);
}

sustain_status sustain_solver_set_number(sustain_solver *solver, const char *name, double value) {
    if (solver == NULL) return SUSTAIN_ARGUMENT;
    if (name == NULL) return sustain__fail(solver->context, SUSTAIN_ARGUMENT, "the name of a parameter is NULL");
    const sustain_solver_info *info = &solver->algorithm->info;
    if (solver->started) return refuse_late(solver, name);
    return sustain_parameters_set_number(solver->context, info->parameters, info->parameter_count, solver, name, value);
}

void sustain_solver_get(const sustain_solver *solver, const char *name, char *text, size_t size) {
    if (text != NULL && size > 0) text[0] = '\0';
    if (solver == NULL || name == NULL || text == NULL) return;
    const sustain_solver_info *info = &solver->algorithm->info;
    const sustain_parameter *row = sustain__parameter_find(info->parameters, info->parameter_count, name);
    if (row != NULL)
        sustain_parameter_print(row, solver, text, size);
    else if (size > 0)
        text[0] = '\0';
}

/* ---- start ---- */

/* The start is computed separately: the steps are estimated there before the size of the solver's
 * memory is known. */
static sustain_status set_start(sustain_solver *b, const sustain_real *x, const sustain_real *y) {
    const sustain_problem *p = b->given;
    SUSTAIN_TRY(sustain__allocate(b->context, sustain__multiply((size_t)(p->upper_dim + p->lower_dim), sizeof(sustain_real)), &b->start));
    sustain_real *to_x = b->start, *to_y = b->start + p->upper_dim;
    if (p->ops->initial != NULL && (x == NULL || y == NULL)) {
        const int code = p->ops->initial(p->self, to_x, to_y);
        if (code != 0)
            return sustain__fail(b->context, SUSTAIN_ORACLE_FAILED, "oracle initial of problem '%s' failed with code %d", p->ops->name,
                                 code);
    }
    if (x != NULL) sustain__copy(p->upper_dim, x, to_x);
    if (y != NULL) sustain__copy(p->lower_dim, y, to_y);
    int64_t i;
    if (!sustain__all_finite(p->upper_dim, to_x, &i))
        return sustain__fail(b->context, SUSTAIN_ARGUMENT, "the start has x[%lld] = %g", (long long)i, (double)to_x[i]);
    if (!sustain__all_finite(p->lower_dim, to_y, &i))
        return sustain__fail(b->context, SUSTAIN_ARGUMENT, "the start has y[%lld] = %g", (long long)i, (double)to_y[i]);
    return SUSTAIN_OK;
}

/* Reports a step that is given but not used. */
static void log_unused(sustain_solver *b) {
    static const char *const names[] = {"alpha", "beta", "w", "c_eta_f", "c_eta_g"};
    const sustain_solver_info *info = &b->algorithm->info;
    for (size_t i = 0; b->common.schedule != SUSTAIN__SCHEDULE_POWER && i < sizeof names / sizeof *names; i++) {
        const sustain_parameter *row = sustain__parameter_find(info->parameters, info->parameter_count, names[i]);
        double value;
        if (row == NULL) continue;
        memcpy(&value, (const char *)b + row->offset, sizeof value);
        if (value != row->initial)
            sustain__log(b->context, "%s: %s = %g is not used: only schedule=power takes it", info->name, names[i], value);
    }
}

enum { MOST_PASSES = 1000 }; /* over all samples, in one draw: more is a mistake, and its memory may not be there */

static sustain_status check_batch(sustain_solver *b) {
    const int64_t *samples = b->given->samples, larger = samples[0] > samples[1] ? samples[0] : samples[1];
    if (samples[0] > 0 && samples[1] > 0 && b->common.batch / MOST_PASSES > larger)
        return sustain__fail(b->context, SUSTAIN_PARAMETER,
                             "batch = %lld is more than %d times the %lld samples there are: take a smaller one",
                             (long long)b->common.batch, MOST_PASSES, (long long)larger);
    return SUSTAIN_OK;
}

/* Undoes a start that failed, so that the solver can be set and started again. */
void sustain__solver_unwind(sustain_solver *b) {
    sustain__oracle_destroy(&b->oracle);
    sustain__free(b->context, b->memory);
    sustain__free(b->context, b->good_memory);
    sustain__free(b->context, b->start);
    b->memory = b->good_memory = NULL;
    b->start = NULL;
    for (int i = 0; i < b->slot_count; i++)
        if (b->slot[i].place != NULL) memset(b->slot[i].place, 0, sizeof(void *)); /* no pointer to freed memory is left */
    b->shown_x = NULL;
    b->lazy = b->compact = b->astray = false;
    b->slot_count = b->state_count = 0;
    b->started = false;
}

/* The problem as the solver sees it, and how draws are made. */
static void wrap_problem(sustain_solver *b) {
    sustain__counted_init(&b->counted, b->given, &b->counts);
    b->problem = &b->counted.wrapper.problem;
    if (b->common.check != 0) {
        sustain__checked_init(&b->checked, b->problem, b->context);
        b->problem = &b->checked.wrapper.problem;
    }
    b->sampler = (sustain__sampler){.problem = b->problem,
                                    .seed = (uint64_t)b->common.seed,
                                    .shuffle = b->common.sampling >= 1,
                                    .blocks = b->common.sampling == 2,
                                    .samples = b->counts.samples};
    b->probe_problem = b->given;
    if (b->given->ops->g_grad_x != NULL && (b->given->ops->g_hess_vec == NULL || b->given->ops->g_cross_vec == NULL)) {
        sustain__differenced_init(&b->differenced, b->given);
        b->probe_problem = &b->differenced.wrapper.problem;
    }
    b->lazy = b->algorithm->lazy != NULL && b->algorithm->lazy(b);
    b->compact = b->lazy || (b->algorithm->compact && SUSTAIN__FAST(b->given, support) != NULL && b->given->ops->project_x == NULL);
}

static int64_t largest_draw(const sustain_solver *b) {
    const int64_t own = b->algorithm->largest_batch != NULL ? b->algorithm->largest_batch(b) : 0;
    return own > b->common.batch ? own : b->common.batch;
}

enum { USUAL_TERMS = 20 }; /* K where it is chosen at the start */

sustain_status sustain_solver_memory(sustain_solver *b, sustain_memory *memory) {
    if (b == NULL) return SUSTAIN_ARGUMENT;
    sustain_memory m = {.part[SUSTAIN_MEMORY_DATA] = (double)b->context->memory_used};
    if (b->started) return sustain__memory_give(b->context, &m, memory);
    SUSTAIN_TRY(check_batch(b));
    size_t total, good;
    wrap_problem(b);
    b->steps = (sustain_steps){.L_g = b->common.L_g, .K = b->common.K > 0 ? (int)b->common.K : USUAL_TERMS};
    sustain__fields_list(b);
    sustain__fields_bytes(b, &total, &good);
    b->slot_count = 0;
    const double start = (double)((size_t)(b->given->upper_dim + b->given->lower_dim) * sizeof(sustain_real));
    const double held =
        (double)total + (b->common.recover > 0 ? (double)good : 0) + (double)sustain__oracle_bytes(b->problem, largest_draw(b), b->compact);
    const bool probes = b->common.schedule == SUSTAIN__SCHEDULE_AUTO && !b->algorithm->adapts && b->algorithm->own_steps == NULL;
    const double probe = probes ? (double)sustain__probe_bytes(b) : 0;
    m.part[SUSTAIN_MEMORY_SOLVER] = start + (held > probe ? held : probe);
    b->lazy = b->compact = false;
    return sustain__memory_give(b->context, &m, memory);
}

static sustain_status begin(sustain_solver *b, const sustain_real *x, const sustain_real *y, const sustain_steps *steps) {
    SUSTAIN_TRY(check_batch(b));
    log_unused(b);
    wrap_problem(b);
    SUSTAIN_TRY(set_start(b, x, y));
    b->own_start = x == NULL && y == NULL;
    if (steps != NULL)
        b->steps = *steps;
    else
        SUSTAIN_TRY(sustain__choose_steps(b, b->start, b->start + b->given->upper_dim, &b->steps));
    if (b->algorithm->prepare != NULL) SUSTAIN_TRY(b->algorithm->prepare(b, b->start, b->start + b->given->upper_dim));
    sustain__fields_list(b);
    SUSTAIN_TRY(sustain__fields_allocate(b));
    SUSTAIN_TRY(sustain__oracle_create(b->context, b->problem, largest_draw(b), b->compact, &b->oracle));
    sustain__copy(b->given->upper_dim, b->start, b->x);
    sustain__copy(b->given->lower_dim, b->start + b->given->upper_dim, b->y);
    if (b->start_x != NULL) {
        sustain__copy(b->given->upper_dim, b->x, b->start_x);
        sustain__copy(b->given->lower_dim, b->y, b->start_y);
    }
    sustain__free(b->context, b->start);
    b->start = NULL;
    b->t = b->moved = b->halvings = b->dropped = b->dropped_in_a_row = b->point = b->without_progress = b->next_evaluation =
        b->watched_from = 0;
    b->seconds = 0;
    b->scale = b->scale_y = 1;
    b->counts = (sustain_counts){{0}, {0}, 0, 0};
    b->best_value = INFINITY;
    b->norm[0] = b->norm[1] = b->usual[0] = b->usual[1] = b->first_length = 0;
    b->good_at = -1;
    b->good_size = 0;
    b->chosen = 0;
    if (b->common.output == SUSTAIN__OUTPUT_UNIFORM && b->common.iterations > 0) /* a(T), Algorithm 1 */
        b->chosen = 1 + sustain_random_index(b->sampler.seed, SUSTAIN__STREAM_OUTPUT, 0, 0, b->common.iterations);
    if (b->algorithm->begin != NULL) b->algorithm->begin(b);
    return SUSTAIN_OK;
}

sustain_status sustain__solver_begin(sustain_solver *solver, const sustain_real *x, const sustain_real *y, const sustain_steps *steps) {
    if (solver->started) return sustain__fail(solver->context, SUSTAIN_ORDER, "the solver is started already: create a new one");
    const sustain_status status = begin(solver, x, y, steps);
    if (status != SUSTAIN_OK) sustain__solver_unwind(solver);
    solver->started = status == SUSTAIN_OK;
    return status;
}

sustain_status sustain_solver_start(sustain_solver *solver, const sustain_real *x, const sustain_real *y) {
    if (solver == NULL) return SUSTAIN_ARGUMENT;
    return sustain__solver_begin(solver, x, y, NULL);
}

/* ---- step ---- */

void sustain__keep_point(sustain_solver *b) {
    sustain__copy(b->problem->upper_dim, sustain_solver_x(b), b->kept_x);
    sustain__copy(b->problem->lower_dim, sustain_solver_y(b), b->kept_y);
    b->point = b->astray ? b->good_at : b->t;
}

/* Differs: Algorithm 1 returns x_a(T), the point of its theorem; here output=last is the default,
 * x_T, which is better in practice, and output=uniform is Algorithm 1's.
 * Differs: a(T), uniform on 1..T, is not drawn at the end but kept on the way: at the iteration
 * drawn ahead, where the parameter `iterations` says T; else by a reservoir: x_t replaces what is
 * kept with probability 1/t, which is uniform wherever the run ends. */
static void keep_uniform(sustain_solver *b) {
    const int64_t t = b->t;
    const bool keep =
        b->chosen > 0 ? t == b->chosen : sustain_random_uniform(b->sampler.seed, SUSTAIN__STREAM_OUTPUT, (uint64_t)t, 0) * (double)t < 1;
    if (keep) sustain__keep_point(b);
}

/* A skipped draw leaves the state unchanged; the next iteration makes a new draw. */
static sustain_status drop(sustain_solver *b) {
    b->dropped++;
    if (++b->dropped_in_a_row < 100) return SUSTAIN_OK;
    return sustain__fail(b->context, SUSTAIN_ORACLE_FAILED, "problem '%s' asked to drop 100 draws in a row, the last at iteration %lld",
                         b->given->ops->name, (long long)b->t);
}

sustain_status sustain_solver_step(sustain_solver *solver) {
    if (solver == NULL) return SUSTAIN_ARGUMENT;
    if (!solver->started) SUSTAIN_TRY(sustain_solver_start(solver, NULL, NULL));
    const sustain_counts before = solver->counts;
    const double scale_y = solver->scale_y;
    solver->astray = false;
    const sustain_status status = solver->algorithm->step(solver);
    /* the iteration will be repeated from its beginning, with the steps that it had then */
    if (status == SUSTAIN_CANCELLED) solver->counts = before, solver->scale_y = scale_y;
    if (status == SUSTAIN_DRAW_DROPPED)
        SUSTAIN_TRY(drop(solver));
    else if (status != SUSTAIN_OK)
        return status;
    else
        solver->dropped_in_a_row = 0, solver->moved++;
    solver->t++;
    if (solver->common.output == SUSTAIN__OUTPUT_UNIFORM) keep_uniform(solver);
    return SUSTAIN_OK;
}

/* ---- read ---- */

const sustain_real *sustain_solver_x(sustain_solver *solver) {
    if (solver == NULL) return NULL;
    /* x and y are the first fields */
    if (!solver->lazy) return solver->astray ? solver->state[solver->first_good].data : solver->x;
    if (solver->astray) sustain__swap_good(solver);
    solver->algorithm->read_x(solver, solver->shown_x);
    if (solver->astray) sustain__swap_good(solver);
    return solver->shown_x;
}

const sustain_real *sustain_solver_y(const sustain_solver *solver) {
    if (solver == NULL) return NULL;
    return solver->astray ? solver->state[solver->first_good + 1].data : solver->y;
}

int64_t sustain_solver_iteration(const sustain_solver *solver) {
    if (solver == NULL) return 0;
    return solver->t;
}

sustain_counts sustain_solver_counts(const sustain_solver *solver) {
    if (solver == NULL) return (sustain_counts){.samples = {0, 0}};
    return solver->counts;
}

sustain_steps sustain_solver_steps(const sustain_solver *solver) {
    if (solver == NULL) return (sustain_steps){.alpha = 0};
    sustain_steps steps = solver->steps;
    if (solver->started) {
        steps.alpha *= solver->scale;
        steps.beta *= solver->scale_y;
    }
    return steps;
}

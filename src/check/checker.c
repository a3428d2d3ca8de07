/* checker.c - the point, the draws and the memory of a check; how two things are compared. */
#include "check/checker.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/vector.h"
#include "hypergrad/cg.h"
#include "oracle/draw.h"

enum {
    GUARD = 256, /* bytes behind the problem's workspace */
    GUARD_BYTE = 0x5a,
    PART = 4096 /* samples that are processed at once */
};

const char sustain__not_pure[] = "it is not pure: same arguments gave different bits (it reads output or work before writing, or keeps "
                                 "something between calls)";

/* ---- comparing ---- */

double sustain__larger(double a, double b) {
    return isnan(a) || a >= b ? a : b;
}

double sustain__root_mean_square(int64_t n, const sustain_real *a) {
    return sustain__norm(n, a) / sqrt((double)n);
}

void sustain__note(sustain__checker *c, double error) {
    if (!isnan(c->error)) c->error = sustain__larger(error, c->error);
}

bool sustain__has_failed(const sustain__checker *c) {
    return !(c->error <= c->tolerance);
}

double sustain__relative(double difference, double scale) {
    return difference == 0 ? 0 : difference / scale;
}

static void compare(sustain__comparison *comparison, double left, double right) {
    comparison->difference += (left - right) * (left - right);
    comparison->left += left * left;
    comparison->right += right * right;
}

void sustain__compare_entry(sustain__checker *c, const char *variable, int64_t at, double own, double expected) {
    if (c->worst.variable != NULL && !(fabs(own - expected) > fabs(c->worst.own - c->worst.expected))) return;
    c->worst = (sustain__entry){variable, at, own, expected};
}

void sustain__compare_vector(sustain__checker *c, const char *variable, int64_t n, const sustain_real *vector,
                             const sustain__slope *slope) {
    for (int64_t i = 0; i < n; i++) {
        compare(&c->comparison, (double)vector[i], slope->value[i]);
        sustain__compare_entry(c, variable, i, (double)vector[i], slope->value[i]);
    }
    c->comparison.uncertainty += slope->uncertainty * slope->uncertainty;
    c->comparison.noise += slope->noise * slope->noise;
}

void sustain__compare_number(sustain__checker *c, double number, const sustain__slope *slope) {
    compare(&c->comparison, number, slope->value[0]);
    c->comparison.uncertainty += slope->uncertainty * slope->uncertainty;
    c->comparison.noise += slope->noise * slope->noise;
}

/* The error of the difference quotients is tolerated, but only up to a limit, so that a wrong
 * derivative is still detected: a function without a derivative must fail. */
void sustain__conclude(sustain__checker *c) {
    const double difference = sqrt(c->comparison.difference);
    const double scale = sqrt(sustain__larger(c->comparison.left, c->comparison.right));
    const double slack = 8 * sqrt(c->comparison.noise) + fmin(2 * sqrt(c->comparison.uncertainty), 0.25 * scale);
    const double error = sustain__relative(difference, scale);
    const bool explained = difference <= slack + c->tolerance * scale;
    sustain__note(c, explained ? fmin(error, c->tolerance) : error);
}

void sustain__compare_same(sustain__checker *c, int64_t n, const sustain_real *a, const sustain_real *b) {
    sustain__note(c, sustain__relative(sustain__distance(n, a, b), sustain__larger(sustain__norm(n, a), sustain__norm(n, b))));
}

static void complain(sustain__checker *c, const char *format, va_list arguments) {
    sustain__note(c, 1);
    if (c->complaint[0] == '\0') vsnprintf(c->complaint, sizeof c->complaint, format, arguments);
}

void sustain__complain(sustain__checker *c, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain(c, format, arguments);
    va_end(arguments);
}

void sustain__blame(sustain__checker *c, int oracle, const char *format, ...) {
    static const char *const name[] = {
#define NAME(upper, field) #field,
        SUSTAIN_ORACLE_LIST(NAME)
#undef NAME
    };
    if (c->culprit == NULL) {
        c->culprit = name[oracle];
        c->blamed = 0;
    }
    c->blamed |= 1U << oracle;
    va_list arguments;
    va_start(arguments, format);
    complain(c, format, arguments);
    va_end(arguments);
}

uint64_t sustain__fingerprint(uint64_t hash, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211); /* FNV-1a */
    return hash;
}

uint64_t sustain__fingerprint_of(const sustain__checker *c, const sustain__answer *a) {
    uint64_t hash = sustain__fingerprint(UINT64_C(14695981039346656037), &a->value, sizeof a->value);
    hash = sustain__fingerprint(hash, a->x, (size_t)c->upper * sizeof *a->x);
    return sustain__fingerprint(hash, a->y, (size_t)c->lower * sizeof *a->y);
}

/* ---- the oracles in one form ---- */

sustain_level sustain__level_of(int oracle) {
    return oracle <= SUSTAIN_ORACLE_SHIFT_F_GRAD ? SUSTAIN_UPPER : SUSTAIN_LOWER;
}

const sustain_batch *sustain__draw_of(const sustain__checker *c, int oracle) {
    return c->draw[sustain__level_of(oracle)];
}

const sustain_batch *sustain__part_from(sustain__checker *c, sustain_level level, int64_t first) {
    const int64_t left = c->problem->samples[level] - first;
    sustain_batch *part = &c->part[level];
    part->size = left < PART ? left : PART;
    for (int64_t i = 0; i < part->size; i++) c->part_index[level][i] = first + i;
    return part;
}

static bool writes_x(int oracle) {
    return oracle == SUSTAIN_ORACLE_SHIFT_F_GRAD || oracle == SUSTAIN_ORACLE_SHIFT_G_GRAD_X || oracle == SUSTAIN_ORACLE_SHIFT_G_CROSS_VEC;
}

static bool writes_y(int oracle) {
    return oracle == SUSTAIN_ORACLE_SHIFT_F_GRAD || oracle == SUSTAIN_ORACLE_SHIFT_G_GRAD_Y || oracle == SUSTAIN_ORACLE_SHIFT_G_HESS_VEC;
}

bool sustain__is_usable(const sustain__checker *c, int oracle) {
    const unsigned all = sustain__level_of(oracle) == SUSTAIN_UPPER ? ALL_OF_F : ALL_OF_G;
    if (sustain__draw_of(c, oracle) == NULL && (c->sound & all) == 0) return false;
    return (c->sound >> oracle & 1) != 0 && (!writes_x(oracle) || (c->sound & X_SPACE) != 0);
}

sustain_status sustain__evaluate(sustain__checker *c, int oracle, const sustain_batch *batch, const sustain_real *x, const sustain_real *y,
                                 sustain__answer *out) {
    sustain__oracle *o = &c->oracle;
    if (!writes_x(oracle)) sustain__zero(c->upper, out->x);
    if (!writes_y(oracle)) sustain__zero(c->lower, out->y);
    out->value = 0;
    switch (oracle) {
    case SUSTAIN_ORACLE_SHIFT_F_VALUE:
        return sustain__f_value(o, batch, x, y, &out->value);
    case SUSTAIN_ORACLE_SHIFT_F_GRAD:
        return sustain__f_grad(o, batch, x, y, out->x, out->y);
    case SUSTAIN_ORACLE_SHIFT_G_VALUE:
        return sustain__g_value(o, batch, x, y, &out->value);
    case SUSTAIN_ORACLE_SHIFT_G_GRAD_Y:
        return sustain__g_grad_y(o, batch, x, y, out->y);
    case SUSTAIN_ORACLE_SHIFT_G_GRAD_X:
        return sustain__g_grad_x(o, batch, x, y, out->x);
    case SUSTAIN_ORACLE_SHIFT_G_HESS_VEC:
        return sustain__g_hess_vec(o, batch, x, y, c->v, out->y);
    default:
        return sustain__g_cross_vec(o, batch, x, y, c->v, out->x);
    }
}

void sustain__scribble(sustain__checker *c, int byte) {
    unsigned char *work = c->oracle.work;
    memset(work, byte, c->work_size);
    memset(work + c->work_size, GUARD_BYTE, GUARD);
    memset(c->oracle.values, byte, 2 * (size_t)c->oracle.room * sizeof *c->oracle.values);
    memset(c->a.x, byte, (size_t)c->upper * sizeof *c->a.x);
    memset(c->a.y, byte, (size_t)c->lower * sizeof *c->a.y);
    memset(c->b.x, byte, (size_t)c->upper * sizeof *c->b.x);
    memset(c->b.y, byte, (size_t)c->lower * sizeof *c->b.y);
}

bool sustain__guard_broken(const sustain__checker *c) {
    const unsigned char *guard = (const unsigned char *)c->oracle.work + c->work_size;
    for (int i = 0; i < GUARD; i++)
        if (guard[i] != GUARD_BYTE) return true;
    return false;
}

/* ---- setting up ---- */

static void draw_vector(sustain__checker *c, int64_t n, double size, sustain_real *out) {
    const uint64_t t = ((uint64_t)1 << 32) + c->vectors++; /* far from those of the draws */
    for (int64_t i = 0; i < n; i++) out[i] = (sustain_real)(size * sustain_random_normal(c->seed, SUSTAIN__STREAM_CHECK, t, (uint32_t)i));
}

void sustain__checker_turn(sustain__checker *c) {
    const double size_x = fmax(1, sustain__root_mean_square(c->upper, c->x)), size_y = fmax(1, sustain__root_mean_square(c->lower, c->y));
    draw_vector(c, c->upper, size_x, c->d);
    draw_vector(c, c->lower, size_y, c->u);
    draw_vector(c, c->lower, size_y, c->v);
}

/* What the problem offers, as bits. */
static unsigned offers(const sustain_problem *problem) {
    const sustain_problem_ops *ops = problem->ops;
    unsigned set = sustain_problem_offers(problem) | X_SPACE;
    if (SUSTAIN__FAST(problem, support) != NULL) set |= SUPPORT;
    if (ops->g_hess != NULL) set |= HESSIAN;
    if (ops->g_cross != NULL) set |= CROSS;
    if (SUSTAIN__FAST(problem, g_grad_y_pair) != NULL) set |= GRADIENT_PAIR;
    if (SUSTAIN__FAST(problem, hyper_pair) != NULL) set |= HYPER_PAIR;
    if (sustain__has_tables(problem)) set |= TABLES;
    if (SUSTAIN__FAST(problem, momentum_step) != NULL) set |= MOMENTUM_STEP;
    if (SUSTAIN__FAST(problem, project_y) != NULL) set |= PROJECTION;
    if (problem->samples[0] > 0 || problem->samples[1] > 0) set |= FINITE_SUM;
    if (problem->samples[SUSTAIN_UPPER] > 0 || problem->has_expectation) set |= ALL_OF_F;
    if (problem->samples[SUSTAIN_LOWER] > 0 || problem->has_expectation) set |= ALL_OF_G;
    return set;
}

static void make_draws(sustain__checker *c, int64_t batch, int64_t *index) {
    const sustain__sampler sampler = {.problem = c->problem, .seed = c->seed};
    c->xi = sustain__draw(&sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_CHECK, 0, batch, index), index += batch;
    c->xi_other = sustain__draw(&sampler, SUSTAIN_UPPER, SUSTAIN__STREAM_CHECK, 1, batch, index), index += batch;
    for (int i = 0; i <= TERMS; i++, index += batch)
        c->zeta[i] = sustain__draw(&sampler, SUSTAIN_LOWER, SUSTAIN__STREAM_CHECK, 2 + i, batch, index);
    for (int level = 0; level < 2; level++) {
        c->part_index[level] = index;
        c->part[level].index = index;
        index += sustain__part_from(c, (sustain_level)level, 0)->size;
    }
}

/* (x, y) as given, or a random point near the start; (x_other, y_other) is a random step away. */
static sustain_status make_points(sustain__checker *c, const sustain_real *x, const sustain_real *y) {
    const sustain_problem_ops *ops = c->problem->ops;
    if (ops->initial != NULL && ops->initial(c->problem->self, c->x, c->y) != 0)
        return sustain__fail(c->oracle.context, SUSTAIN_ORACLE_FAILED, "initial of problem '%s' failed", ops->name);
    sustain__checker_turn(c);
    sustain__add(c->upper, 0.1, c->d, c->x);
    sustain__add(c->lower, 0.1, c->v, c->y);
    if (ops->project_x != NULL && ops->project_x(c->problem->self, c->x) != 0)
        return sustain__fail(c->oracle.context, SUSTAIN_ORACLE_FAILED, "project_x of problem '%s' failed", ops->name);
    if (x != NULL) sustain__copy(c->upper, x, c->x);
    if (y != NULL) sustain__copy(c->lower, y, c->y);
    sustain__checker_turn(c);
    sustain__copy(c->upper, c->x, c->x_other);
    sustain__copy(c->lower, c->y, c->y_other);
    sustain__add(c->upper, 0.1, c->d, c->x_other);
    sustain__add(c->lower, 0.1, c->v, c->y_other);
    return SUSTAIN_OK;
}

/* Lays out everything in a block and returns its size. */
static size_t lay_out(sustain__checker *c, int64_t indices, void *block, int64_t **index) {
    sustain_real **in_x[] = {&c->x, &c->x_other, &c->x_probe, &c->d, &c->a.x, &c->b.x};
    sustain_real **in_y[] = {&c->y, &c->y_other, &c->y_probe, &c->u, &c->v, &c->a.y, &c->b.y};
    sustain__carver from = {.memory = block};
    void *work = sustain__carve(&from, (int64_t)c->work_size + GUARD, 1);
    for (size_t i = 0; i < sizeof in_x / sizeof *in_x; i++) *in_x[i] = sustain__carve(&from, c->upper, sizeof(sustain_real));
    for (size_t i = 0; i < sizeof in_y / sizeof *in_y; i++) *in_y[i] = sustain__carve(&from, c->lower, sizeof(sustain_real));
    *index = sustain__carve(&from, indices, sizeof **index);
    c->coordinate = sustain__carve(&from, 2 * c->room, sizeof *c->coordinate);
    c->scratch = sustain__carve(&from, SUSTAIN__SLOPE_VECTORS * (c->upper > c->lower ? c->upper : c->lower), sizeof *c->scratch);
    if (block != NULL) c->oracle.work = work;
    return from.used;
}

sustain_status sustain__checker_create(sustain_context *context, const sustain_problem *problem, const sustain_real *x,
                                       const sustain_real *y, int64_t batch, uint64_t seed, sustain__checker *c) {
    *c = (sustain__checker){.problem = problem, .upper = problem->upper_dim, .lower = problem->lower_dim, .seed = seed};
    c->offered = c->sound = offers(problem);
    int64_t most = batch, indices = (TERMS + 3) * batch;
    for (int level = 0; level < 2; level++) {
        const int64_t part = problem->samples[level] < PART ? problem->samples[level] : PART;
        indices += part;
        if (most < part) most = part;
    }
    SUSTAIN_TRY(sustain__oracle_create(context, problem, most, false, &c->oracle));
    c->work_size = problem->ops->workspace != NULL ? problem->ops->workspace(problem->self, most) : 0;
    /* twice what is allowed, so that a list that is too long does no harm */
    if (SUSTAIN__FAST(problem, support) != NULL) {
        const int64_t *per_sample = problem->ops->fast->support_per_sample;
        c->room = 2 * most * (per_sample[0] > per_sample[1] ? per_sample[0] : per_sample[1]) + 64;
    }
    int64_t *index;
    SUSTAIN_TRY(sustain__allocate(context, lay_out(c, indices, NULL, &index), &c->memory));
    lay_out(c, indices, c->memory, &index);
    make_draws(c, batch, index);
    SUSTAIN_TRY(make_points(c, x, y));
    sustain__scribble(c, 0);
    return SUSTAIN_OK;
}

void sustain__checker_destroy(sustain__checker *c) {
    if (c->oracle.context != NULL) sustain__free(c->oracle.context, c->memory);
    sustain__oracle_destroy(&c->oracle);
}

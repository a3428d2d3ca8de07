/* check.c - checks a problem. One row per check, in an order in which each check relies only on
 * oracles that passed earlier ones.
 *
 * A check that fails removes the oracle it blames from the set of sound oracles. Later checks
 * that rely on that oracle without testing it are skipped, so that one broken oracle is
 * reported once. */
#include <sustain/check.h>

#include <stdio.h>
#include <string.h>

#include "check/checker.h"

typedef struct question {
    const char *what;
    const char *oracle;
    unsigned examines; /* the oracle to blame if it fails */
    /* what must be sound for it; ALL_OF_F or ALL_OF_G: it is on batch NULL, else on a draw */
    unsigned rests_on;
    bool differences; /* compared with differences, else equal but for rounding */
    sustain__check check;
} question;

#define F_VALUE SUSTAIN_NEEDS_F_VALUE
#define F_GRAD SUSTAIN_NEEDS_F_GRAD
#define G_VALUE SUSTAIN_NEEDS_G_VALUE
#define G_GRAD_Y SUSTAIN_NEEDS_G_GRAD_Y
#define G_GRAD_X SUSTAIN_NEEDS_G_GRAD_X
#define G_HESS_VEC SUSTAIN_NEEDS_G_HESS_VEC
#define G_CROSS_VEC SUSTAIN_NEEDS_G_CROSS_VEC
/* what eq. (6) and (7) are made of */
#define COMPOSED (F_GRAD | G_HESS_VEC | G_CROSS_VEC | X_SPACE)

static const question questions[] = {
    {"support within its bounds", "support", SUPPORT | X_SPACE, 0, false, sustain__check_support},
    {"purity: same arguments, same bits, upper level", "f_value, f_grad", 0, 0, false, sustain__check_purity_upper},
    {"purity: same arguments, same bits, lower level", "g_value, g_grad_y, ...", 0, 0, false, sustain__check_purity_lower},
    {"x read only where support says", "support", X_SPACE, SUPPORT, false, sustain__check_elsewhere},
    {"purity for batch NULL, upper level", "f_value, f_grad", 0, ALL_OF_F, false, sustain__check_purity_upper},
    {"purity for batch NULL, lower level", "g_value, g_grad_y, ...", 0, ALL_OF_G, false, sustain__check_purity_lower},
    {"a draw against the mean of its samples", "all", 0, FINITE_SUM, false, sustain__check_draw_mean},
    {"batch NULL against the mean over all samples", "all", 0, FINITE_SUM, false, sustain__check_population_mean},
    {"f_grad in x against differences of f_value", "f_grad", F_GRAD, F_VALUE | X_SPACE, true, sustain__check_f_grad_x},
    {"f_grad in y against differences of f_value", "f_grad", F_GRAD, F_VALUE | X_SPACE, true, sustain__check_f_grad_y},
    {"g_grad_y against differences of g_value", "g_grad_y", G_GRAD_Y, G_VALUE, true, sustain__check_g_grad_y},
    {"g_grad_x against differences of g_value", "g_grad_x", G_GRAD_X, G_VALUE | X_SPACE, true, sustain__check_g_grad_x},
    {"g_hess_vec against differences of g_grad_y", "g_hess_vec", G_HESS_VEC, G_GRAD_Y, true, sustain__check_hessian},
    {"g_hess_vec symmetric: u'Hv against v'Hu", "g_hess_vec", G_HESS_VEC, 0, false, sustain__check_symmetry},
    {"g_cross_vec against differences of g_grad_y", "g_cross_vec", G_CROSS_VEC, G_GRAD_Y | X_SPACE, true, sustain__check_cross_by_x},
    {"g_cross_vec against differences of g_grad_x", "g_cross_vec", G_CROSS_VEC, G_GRAD_X | X_SPACE, true, sustain__check_cross_by_y},
    {"g_hess against g_hess_vec", "g_hess", HESSIAN, G_HESS_VEC, false, sustain__check_g_hess},
    {"g_cross against g_cross_vec", "g_cross", CROSS, G_CROSS_VEC | X_SPACE, false, sustain__check_g_cross},
    {"g_grad_y_pair against g_grad_y twice", "g_grad_y_pair", GRADIENT_PAIR, G_GRAD_Y, false, sustain__check_g_grad_y_pair},
    {"hyper_pair against eq. (7) composed", "hyper_pair", HYPER_PAIR, COMPOSED, false, sustain__check_hyper_pair},
    {"tables: rest and rows against the oracles", "table_rows", TABLES, FINITE_SUM | G_GRAD_Y | COMPOSED, false, sustain__check_tables},
    {"table_add linear in its rows", "table_add", TABLES, FINITE_SUM, false, sustain__check_tables_linear},
    {"momentum_step against (7) and (13) composed", "momentum_step", MOMENTUM_STEP, COMPOSED | G_GRAD_Y, false,
     sustain__check_momentum_step},
    {"project_y idempotent, and no farther apart than before", "project_y", PROJECTION, 0, false, sustain__check_project_y},
    /* The same checks on batch NULL, which hoag, itd-bio, aid-cg and srba use. */
    {"f_grad for batch NULL in x against differences of f_value", "f_grad", F_GRAD, ALL_OF_F | F_VALUE | F_GRAD | X_SPACE, true,
     sustain__check_f_grad_x},
    {"f_grad for batch NULL in y against differences of f_value", "f_grad", F_GRAD, ALL_OF_F | F_VALUE | F_GRAD | X_SPACE, true,
     sustain__check_f_grad_y},
    {"g_grad_y for batch NULL against differences of g_value", "g_grad_y", G_GRAD_Y, ALL_OF_G | G_VALUE | G_GRAD_Y, true,
     sustain__check_g_grad_y},
    {"g_grad_x for batch NULL against differences of g_value", "g_grad_x", G_GRAD_X, ALL_OF_G | G_VALUE | G_GRAD_X | X_SPACE, true,
     sustain__check_g_grad_x},
    {"g_hess_vec for batch NULL against differences of g_grad_y", "g_hess_vec", G_HESS_VEC, ALL_OF_G | G_GRAD_Y | G_HESS_VEC, true,
     sustain__check_hessian},
    {"g_hess_vec for batch NULL symmetric: u'Hv against v'Hu", "g_hess_vec", G_HESS_VEC, ALL_OF_G | G_HESS_VEC, false,
     sustain__check_symmetry},
    {"g_cross_vec for batch NULL against differences of g_grad_y", "g_cross_vec", G_CROSS_VEC, ALL_OF_G | G_GRAD_Y | G_CROSS_VEC | X_SPACE,
     true, sustain__check_cross_by_x},
    {"g_cross_vec for batch NULL against differences of g_grad_x", "g_cross_vec", G_CROSS_VEC, ALL_OF_G | G_GRAD_X | G_CROSS_VEC | X_SPACE,
     true, sustain__check_cross_by_y},
    {"g_hess for batch NULL against g_hess_vec", "g_hess", HESSIAN, ALL_OF_G | G_HESS_VEC | HESSIAN, false, sustain__check_g_hess},
    {"g_cross for batch NULL against g_cross_vec", "g_cross", CROSS, ALL_OF_G | G_CROSS_VEC | CROSS | X_SPACE, false,
     sustain__check_g_cross},
    {"hypergradient against differences of ell", "hypergradient", 0, F_VALUE | G_VALUE | G_GRAD_Y | COMPOSED, true,
     sustain__check_hypergradient},
};

enum { QUESTIONS = sizeof questions / sizeof *questions };
_Static_assert(QUESTIONS <= sizeof((sustain_check_report *)0)->row / sizeof(sustain_check_row), "a row for every check");

/* The sentence on a row that failed. `what` begins with the oracle's name where that is known
 * beforehand. */
static void say(const sustain__checker *c, const sustain_check_row *row) {
    const char *name = c->problem->ops->name;
    const size_t length = strlen(row->oracle);
    const char *how = strncmp(row->what, row->oracle, length) == 0 ? row->what + length + 1 : row->what;
    char where[128] = "";
    if (c->worst.variable != NULL)
        snprintf(where, sizeof where, "; the worst entry is that of %s[%lld]: %.5g, and %.5g by differences", c->worst.variable,
                 (long long)c->worst.at, c->worst.own, c->worst.expected);
    if (c->complaint[0] != '\0')
        sustain__fail(c->oracle.context, SUSTAIN_OK, "%s of problem '%s' is wrong: %s", row->oracle, name, c->complaint);
    else
        sustain__fail(c->oracle.context, SUSTAIN_OK, "%s of problem '%s' is wrong: %s its relative error is %.2g (allowed %.2g)%s",
                      row->oracle, name, how, row->error, row->tolerance, where);
}

static sustain_status ask(sustain__checker *c, const question *q, sustain_check_row *row) {
    const bool wide = sizeof(sustain_real) == sizeof(double);
    *row = (sustain_check_row){.what = q->what, .oracle = q->oracle};
    row->tolerance = q->differences ? (wide ? 1e-6 : 1e-2) : (wide ? 1e-9 : 1e-3);
    if ((c->offered & q->examines) != q->examines || (c->sound & q->rests_on) != q->rests_on) return SUSTAIN_OK;
    const bool all = (q->rests_on & (ALL_OF_F | ALL_OF_G)) != 0;
    c->draw[SUSTAIN_UPPER] = all ? NULL : &c->xi;
    c->draw[SUSTAIN_LOWER] = all ? NULL : &c->zeta[0];
    c->tolerance = row->tolerance;
    c->error = 0;
    c->comparison = (sustain__comparison){.difference = 0};
    c->worst = (sustain__entry){.variable = NULL};
    c->culprit = NULL;
    c->blamed = q->examines;
    c->skipped = false;
    c->complaint[0] = '\0';
    SUSTAIN_TRY(q->check(c));
    if (c->skipped) return SUSTAIN_OK;
    row->done = true;
    row->error = c->error;
    row->passed = !sustain__has_failed(c);
    if (row->passed) return SUSTAIN_OK;
    if (c->culprit != NULL) row->oracle = c->culprit;
    c->sound &= ~c->blamed;
    return SUSTAIN_OK;
}

static sustain_status check(sustain__checker *c, sustain_check_report *report) {
    char first[sizeof c->oracle.context->error] = ""; /* later rows may write over the error text */
    for (int i = 0; i < QUESTIONS; i++) {
        sustain_check_row *row = &report->row[report->count];
        SUSTAIN_TRY(ask(c, &questions[i], row));
        report->count++;
        if (!row->done || row->passed) continue;
        if (report->failed++ > 0) continue;
        say(c, row);
        memcpy(first, c->oracle.context->error, sizeof first);
    }
    memcpy(c->oracle.context->error, first, sizeof first);
    return SUSTAIN_OK;
}

sustain_status sustain_check_problem(sustain_context *context, const sustain_problem *problem, const sustain_real *x, const sustain_real *y,
                                     int64_t batch, uint64_t seed, sustain_check_report *report) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    if (report == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "sustain_check_problem: report is NULL");
    *report = (sustain_check_report){.count = 0};
    SUSTAIN_TRY(sustain__problem_validate(context, problem));
    if (batch < 1 || batch > SUSTAIN__MOST_SAMPLES)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "sustain_check_problem: batch is %lld; it must be from 1 to 2^30",
                             (long long)batch);
    sustain__checker c;
    sustain_status status = sustain__checker_create(context, problem, x, y, batch, seed, &c);
    if (status == SUSTAIN_OK) status = check(&c, report);
    sustain__checker_destroy(&c);
    return status;
}

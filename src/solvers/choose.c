/* choose.c - the name "auto": the algorithm that a problem suggests, by the first of a few rules. What they rest on: docs/algorithms/auto.md. */
#include "solvers/solver.h"

enum { MANY = 20000 };       /* coordinates of x: more than a step on y costs */
#define MOST_TABLE_BYTES 5e8 /* of saba's tables, and as much again for their good copy */

static bool second_order(const sustain_problem *p) {
    return p->ops->g_hess_vec != NULL && p->ops->g_cross_vec != NULL;
}

static bool finite_sum(const sustain_problem *p) {
    return p->samples[SUSTAIN_UPPER] > 0 && p->samples[SUSTAIN_LOWER] > 0;
}

static bool gradients_alone(const sustain_problem *p) {
    return !second_order(p);
}

static bool sparse_and_long(const sustain_problem *p) {
    return p->ops->support != NULL && p->ops->project_x == NULL && p->upper_dim >= MANY;
}

static bool small_tables(const sustain_problem *p) {
    double numbers = 0;
    if (!finite_sum(p) || p->ops->table_width == NULL) return false;
    for (int i = SUSTAIN_QUANTITY_F_GRAD_X; i <= SUSTAIN_QUANTITY_G_CROSS_VEC; i++) {
        const sustain_level level = i <= SUSTAIN_QUANTITY_F_GRAD_Y ? SUSTAIN_UPPER : SUSTAIN_LOWER;
        numbers += (double)p->ops->table_width(p->self, (sustain_quantity)i) * (double)p->samples[level];
    }
    return numbers * sizeof(sustain_real) <= MOST_TABLE_BYTES;
}

static bool expected_values(const sustain_problem *p) {
    return !finite_sum(p) && p->has_expectation;
}

static bool always(const sustain_problem *p) {
    (void)p;
    return true;
}

static const struct {
    sustain_choice choice;
    bool (*applies)(const sustain_problem *problem);
} rules[] = {
    {{"f2sa", "the problem offers no products with second derivatives"}, gradients_alone},
    {{"sustain", "a draw touches few of the many coordinates of x: its iteration costs the same for any number of them"}, sparse_and_long},
    {{"saba", "a finite sum of linear models: tables of a few numbers a sample take the noise away"}, small_tables},
    {{"hoag", "expected values at the price of one draw: no noise at all"}, expected_values},
    {{"amigo", "draws are noisy and cannot be kept: several cheap steps of the lower level for each of x"}, always},
};

const sustain_choice *sustain_solver_choice(int i) {
    return i >= 0 && i < (int)(sizeof rules / sizeof rules[0]) ? &rules[i].choice : NULL;
}

const sustain__algorithm *sustain__choose_algorithm(sustain_context *context, const sustain_problem *problem) {
    int i = 0;
    while (!rules[i].applies(problem)) i++;
    sustain__log(context, "auto: %s for problem '%s': %s", rules[i].choice.name, problem->ops->name, rules[i].choice.when);
    return sustain__algorithm_find(rules[i].choice.name);
}

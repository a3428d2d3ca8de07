/* verb_plan.c - `sustain plan`: steps and bounds of Theorems 3.2 and 3.3 from the constants of a
 * problem. */
#include <math.h>
#include <string.h>

#include "lab/theory_plan.h"
#include "output.h"
#include "verbs.h"

typedef struct plan_values {
    int problem, theorem; /* -1: not given */
    double iterations, epsilon;
    bool json;
    assignments set;
} plan_values;

/* Targets of the assignments: a name that is also an option of the problem sets the option, and
 * the problem then gives the constant. */
static int make_basis(sustain_context *context, const plan_values *given, plan_basis *b) {
    sustain_quadratic_options options = sustain_quadratic_defaults();
    sustain_constants constants = sustain_constants_unknown();
    target targets[2];
    targets[0] = (target){.values = &constants};
    targets[0].table = sustain_constants_table(&targets[0].count);
    targets[1] = (target){.values = &options};
    targets[1].table = sustain_quadratic_table(&targets[1].count);

    if (given->problem < 0 && given->set.count == 0)
        return complain(EXIT_USAGE,
                        "plan needs constants (--mu_g 1 --L_g 4 ...) or a problem (--problem quadratic): see 'sustain plan --help'");
    for (int i = 0; i < given->set.count && given->problem < 0; i++) {
        const char *name = given->set.pair[i].name;
        if (!table_has(targets[0].table, targets[0].count, name) && table_has(targets[1].table, targets[1].count, name))
            return complain(EXIT_USAGE, "%s is an option of a problem: add --problem quadratic", name);
    }
    const target swap = targets[0];
    if (given->problem >= 0) targets[0] = targets[1], targets[1] = swap;
    const int code = options_assign(context, &given->set, targets, given->problem >= 0 ? 2 : 1);
    if (code != EXIT_DONE) return code;
    *b = plan_basis_given(&constants);
    return given->problem >= 0 ? refused(context, plan_basis_add(context, &options, b)) : EXIT_DONE;
}

/* ---- JSON ---- */

static json_t *sheet_json(const plan_sheet *s) {
    if (!s->wanted) return json_null();
    json_t *object = json_object(), *steps = json_array();
    const plan_row *row;
    for (int i = 0; (row = plan_row_at(i)) != NULL; i++)
        json_object_set_new(object, row->name, json_number_or_null(plan_value(&s->plan, row)));
    for (int i = 0; i <= 2; i++) {
        const plan_moment m = plan_moment_at(&s->plan, i);
        json_t *step = json_object();
        SET_NUMBERS(step, {"t", m.t}, {"alpha", m.alpha}, {"beta", m.beta}, {"eta_f", m.eta_f}, {"eta_g", m.eta_g});
        json_array_append_new(steps, step);
    }
    json_object_set_new(object, "steps", steps);
    return object;
}

static json_t *plan_json(const plan_values *given, const plan_basis *b, const plan_sheet sheets[2]) {
    json_t *object = json_object(), *constants = json_object(), *sources = json_object();
    int count;
    const sustain_parameter *rows = sustain_constants_table(&count);
    for (int i = 0; i < count; i++) {
        json_object_set_new(constants, rows[i].name, json_number_or_null(plan_constant(&b->constants, &rows[i])));
        json_object_set_new(sources, rows[i].name, json_string(plan_constant_source(b, &rows[i])));
    }
    json_object_set_new(object, "problem", b->problem != NULL ? json_string(b->problem) : json_null());
    json_object_set_new(object, "epsilon", json_number_or_null(given->epsilon));
    json_object_set_new(object, "constants", constants);
    json_object_set_new(object, "sources", sources);
    for (int i = 0; i < 2; i++) json_object_set_new(object, sheets[i].key, sheet_json(&sheets[i]));
    return object;
}

/* ---- text ---- */

static void print_constants(const plan_basis *b) {
    text_table t = {.align = "lrll", .indent = 2};
    int count;
    const sustain_parameter *rows = sustain_constants_table(&count);
    heading(stdout, "Constants");
    for (int i = 0; i < count; i++) {
        table_add(&t, "%s", rows[i].name);
        table_add_number(&t, plan_constant(&b->constants, &rows[i]));
        table_add(&t, "%s", plan_constant_source(b, &rows[i]));
        table_add(&t, "%s", rows[i].help);
    }
    table_print(stdout, &t);
}

static void print_plans(const plan_sheet sheets[2]) {
    const bool both = sheets[0].wanted && sheets[1].wanted;
    text_table t = {.align = both ? "lrrl" : "lrl", .indent = 2};
    const plan_row *row;
    putchar('\n');
    heading(stdout, "Plan");
    table_add(&t, "%s", "");
    for (int k = 0; k < 2; k++)
        if (sheets[k].wanted) table_add(&t, "%s", sheets[k].title);
    table_add(&t, "%s", "");
    for (int i = 0; (row = plan_row_at(i)) != NULL; i++) {
        table_add(&t, "%s", row->name);
        for (int k = 0; k < 2; k++)
            if (sheets[k].wanted) table_add_number(&t, plan_value(&sheets[k].plan, row));
        table_add(&t, "%s", row->help);
    }
    table_print(stdout, &t);
}

static void print_steps(const plan_sheet *s) {
    text_table t = {.align = "rrrrr", .indent = 2};
    static const char *const titles[] = {"t", "alpha_t", "beta_t", "eta^f_t", "eta^g_t"};
    if (!s->wanted) return;
    printf("\n%sSteps of %s%s\n", styled(STYLE_BOLD), s->title, styled(STYLE_PLAIN));
    table_add_all(&t, titles, COUNT_OF(titles));
    for (int i = 0; i <= 2; i++) {
        const plan_moment m = plan_moment_at(&s->plan, i);
        const double cells[] = {m.t, m.alpha, m.beta, m.eta_f, m.eta_g};
        for (int k = 0; k < COUNT_OF(cells); k++) table_add_number(&t, cells[k]);
    }
    table_print(stdout, &t);
}

/* The names of the constants that are missing for a bound. */
static void missing(const sustain_constants *c, char *text, size_t size) {
    const bool parts = isnan(c->sigma_f) && (isnan(c->sigma_fx) || isnan(c->sigma_fy) || isnan(c->sigma_gxy));
    const struct {
        const char *name;
        bool absent;
    } rows[] = {{"gap", isnan(c->gap)}, {"distance", isnan(c->distance)}, {"sigma_g", isnan(c->sigma_g)}, {"sigma_f", parts}};
    text[0] = '\0';
    for (int i = 0; i < COUNT_OF(rows); i++) {
        const size_t at = strlen(text);
        if (rows[i].absent) snprintf(text + at, size - at, "%s--%s", at > 0 ? ", " : "", rows[i].name);
    }
}

static void print_meaning(const plan_sheet *s, const sustain_constants *c) {
    char sentence[512], bound[32], T[32], upper[32], lower[32], names[128];
    const sustain_plan *p = &s->plan;
    if (!s->wanted) return;
    if (isnan(p->bound)) {
        missing(c, names, sizeof names);
        snprintf(sentence, sizeof sentence, "%s allows these steps; its bound needs %s.", s->title, names);
    } else {
        snprintf(sentence, sizeof sentence, "%s guarantees %s <= %s after %s iterations, with %s draws of f and %s of g.", s->title,
                 s->bounded, number_text(p->bound, bound), number_text(p->iterations, T), number_text(p->samples_upper, upper),
                 number_text(p->samples_lower, lower));
    }
    paragraphs(stdout, 0, sentence);
}

static void print_all(const plan_basis *b, const plan_sheet sheets[2]) {
    print_constants(b);
    print_plans(sheets);
    for (int i = 0; i < 2; i++) print_steps(&sheets[i]);
    putchar('\n');
    for (int i = 0; i < 2; i++) print_meaning(&sheets[i], &b->constants);
    paragraphs(
        stdout, 0,
        "These steps are safe for every problem with these constants, but far smaller than needed in practice: schedule=auto chooses "
        "larger ones.");
}

/* ---- the verb ---- */

static int run(sustain_context *context, const void *values) {
    plan_values given = *(const plan_values *)values;
    plan_basis b;
    plan_sheet sheets[2];
    if (!isnan(given.iterations) && !isnan(given.epsilon))
        return complain(EXIT_USAGE, "give --iterations or --epsilon, not both: each follows from the other");
    if (isnan(given.iterations)) given.iterations = 100000;
    int code = make_basis(context, &given, &b);
    if (code == EXIT_DONE) code = refused(context, plan_make(context, &b, given.theorem, given.iterations, given.epsilon, sheets));
    if (code != EXIT_DONE) return code;
    if (given.json) return print_json(plan_json(&given, &b, sheets));
    print_all(&b, sheets);
    return EXIT_DONE;
}

#define VALUES plan_values

static const option options[] = {
    NUMBER_ROW("iterations", iterations, "T", NAN, 1, 1e300, "plan for T iterations; default: 100000 without --epsilon"),
    NUMBER_ROW("epsilon", epsilon, "E", NAN, 1e-300, 1e300, "plan for the number of iterations at which the bound is E"),
    CHOICE_ROW("theorem", theorem, -1, "nonconvex|strongly-convex|both",
               "Theorem 3.2, Theorem 3.3, or both; default: both if mu_f is known and positive, else 3.2"),
    CHOICE_ROW("problem", problem, -1, "quadratic", "use the constants that this problem knows, and estimate the others"),
    SET_ROW(set, "the same as --NAME VALUE, for the names below"),
    SWITCH_ROW("json", json, "print one JSON object; values that are not finite are null"),
};

static const option_group groups[] = {
    {"Constants of the theory", sustain_constants_table},
    {"Options of the problem quadratic", sustain_quadratic_table},
};

static const example examples[] = {
    {"sustain plan --problem quadratic --epsilon 0.01",
     "iterations and samples required by the theorems for a problem with known constants"},
    {"sustain plan --mu_g 1 --L_g 4 --L_fx 1 --L_fy 1 --C_fy 1 --L_gxy 0 --L_gyy 0 --C_gxy 1 --iterations 1e6",
     "steps from your own constants; with --gap, --distance, --sigma_f and --sigma_g also the bound"},
};

const verb verb_plan = {
    .name = "plan",
    .summary = "compute steps and bounds from the theorems",
    .about = "Computes what Theorems 3.2 (ell smooth) and 3.3 (ell strongly convex) give for the constants of a problem: the steps, the "
             "number of terms K, the bound after T iterations, or the samples needed for a given epsilon.\n"
             "If a problem has an option with the name of a constant, --NAME sets the option.",
    VERB_GROUPS,
    VERB_PARTS(plan_values),
};

/* first_hit.c - what algorithms use until the squared gradient norm of ell is first at most a part of that at the start, on quadratic streams
 * where it is known in closed form. Looked at after every iteration, at most 20,000 of them; steps by schedule=auto, batch 1; mean of the
 * seeds 100, 101, 102.
 *
 *   first_hit [NAME...]        prints problem,algorithm,part,reached,iterations,samples upper,samples lower,gradients,products
 *
 * default: the problem's defaults, condition number 4. stiff: condition number 20. long: the same with K or Q = 90, since the
 * bias of the 30 terms that auto allows is not small there. */
#include <stdio.h>
#include <stdlib.h>

#include <sustain/sustain.h>

enum { SEEDS = 3, FIRST_SEED = 100, MOST = 20000, PARTS = 2, DIM = 64 };
static const double parts[PARTS] = {1e-2, 1e-4};

typedef struct hits {
    const sustain_problem *problem;
    double start;
    int next; /* the part that is looked for */
    int reached[PARTS];
    double iterations[PARTS], samples[PARTS][2], gradients[PARTS], products[PARTS];
} hits;

static double squared_norm(const sustain_problem *problem, const sustain_real *x) {
    double at[DIM], gradient[DIM], sum = 0;
    for (int64_t i = 0; i < problem->upper_dim; i++) at[i] = (double)x[i];
    sustain_quadratic_value(problem, at, gradient);
    for (int64_t i = 0; i < problem->upper_dim; i++) sum += gradient[i] * gradient[i];
    return sum;
}

static int look(void *user, const sustain_progress *progress) {
    hits *h = user;
    const double now = squared_norm(h->problem, sustain_solver_x(progress->solver));
    const sustain_counts *c = &progress->counts;
    if (progress->iteration == 0) h->start = now;
    for (; h->next < PARTS && now <= parts[h->next] * h->start; h->next++) {
        h->reached[h->next]++;
        h->iterations[h->next] += (double)progress->iteration;
        for (int level = 0; level < 2; level++) h->samples[h->next][level] += (double)c->samples[level];
        h->gradients[h->next] += (double)(c->gradients[0] + c->gradients[1]);
        h->products[h->next] += (double)(c->hessian_products + c->cross_products);
    }
    return h->next == PARTS;
}

static bool has(const sustain_solver_info *info, const char *parameter) {
    for (int i = 0; i < info->parameter_count; i++)
        if (info->parameters[i].name[0] == parameter[0] && info->parameters[i].name[1] == '\0') return true;
    return false;
}

static void measure(sustain_context *context, const sustain_problem *problem, const char *which, const sustain_solver_info *info,
                    int terms) {
    hits h = {.problem = problem};
    for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
        sustain_solver *solver;
        sustain_status status = sustain_solver_create(context, info->name, problem, &solver);
        if (status == SUSTAIN_OK && !info->deterministic) status = sustain_solver_set_number(solver, "seed", seed);
        if (status == SUSTAIN_OK && terms > 0) status = sustain_solver_set_number(solver, has(info, "K") ? "K" : "Q", terms);
        h.next = 0;
        const sustain_stopping stopping = {.iterations = MOST, .every = 1, .observer = look, .user = &h};
        if (status == SUSTAIN_OK) status = sustain_solver_run(solver, &stopping, NULL);
        if (status != SUSTAIN_OK) printf("%s,%s: %s\n", which, info->name, sustain_error(context));
        sustain_solver_destroy(solver);
    }
    for (int i = 0; i < PARTS; i++) {
        const double n = h.reached[i];
        printf("%s,%s,%g,%d/%d", which, info->name, parts[i], h.reached[i], SEEDS);
        if (n > 0)
            printf(",%.0f,%.0f,%.0f,%.0f,%.0f", h.iterations[i] / n, h.samples[i][0] / n, h.samples[i][1] / n, h.gradients[i] / n,
                   h.products[i] / n);
        printf("\n");
    }
    fflush(stdout);
}

static bool wanted(const char *name, int count, char **names) {
    for (int i = 1; i < count; i++) {
        int j = 0;
        while (name[j] != '\0' && name[j] == names[i][j]) j++;
        if (name[j] == names[i][j]) return true;
    }
    return count < 2;
}

int main(int count, char **names) {
    static const struct {
        const char *name;
        double condition;
        int terms;
    } rows[] = {{"default", 0, 0}, {"stiff", 20, 0}, {"long", 20, 90}};
    sustain_context *context;
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    printf("problem,algorithm,part,reached,iterations,samples upper,samples lower,gradients,products\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sustain_quadratic_options options = sustain_quadratic_defaults();
        if (rows[i].condition > 0) options.mu_g = options.L_g / rows[i].condition;
        sustain_problem *problem;
        if (sustain_quadratic_create(context, &options, &problem) != SUSTAIN_OK || problem->upper_dim > DIM) return 1;
        for (int s = 0; s < sustain_solver_count(); s++) {
            const sustain_solver_info *info = sustain_solver_at(s);
            const bool fits =
                (info->needs & ~sustain_problem_offers(problem)) == 0 && (rows[i].terms == 0 || has(info, "K") || has(info, "Q"));
            if (fits && wanted(info->name, count, names)) measure(context, problem, rows[i].name, info, rows[i].terms);
        }
        sustain_quadratic_destroy(problem);
    }
    sustain_context_destroy(context);
    return 0;
}

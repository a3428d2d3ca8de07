/* reach.c - what an algorithm uses until the squared gradient norm of ell, in closed form, is 1 % of that at the start: the quadratic stream as
 * it comes, and one with a badly conditioned lower level (mu_g = L_g / 100). schedule=auto, batch 1, seeds 100, 101 and 102, a look at every
 * iteration.
 *
 *   reach [SOLVER ...]        all by default; prints means over the seeds, and in the last column how many of them reached it */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sustain/sustain.h>

enum { MOST_DIM = 256, SEEDS = 3, EVERY = 1, LIMIT = 100000 };

typedef struct watch {
    const sustain_problem *problem;
    double goal;
    bool reached;
} watch;

static double squared(const sustain_problem *problem, const sustain_real *x) {
    double at[MOST_DIM], gradient[MOST_DIM], sum = 0;
    for (int64_t i = 0; i < problem->upper_dim; i++) at[i] = (double)x[i];
    sustain_quadratic_value(problem, at, gradient);
    for (int64_t i = 0; i < problem->upper_dim; i++) sum += gradient[i] * gradient[i];
    return sum;
}

static int observe(void *user, const sustain_progress *progress) {
    watch *w = user;
    const double now = squared(w->problem, sustain_solver_x(progress->solver));
    if (progress->iteration == 0) w->goal = 0.01 * now;
    w->reached = now <= w->goal;
    return w->reached;
}

static int measure(sustain_context *context, const char *name, const sustain_problem *problem, const char *which) {
    double iterations = 0, samples = 0, gradients = 0, products = 0;
    int reached = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        sustain_solver *solver;
        sustain_result result;
        watch w = {.problem = problem};
        const sustain_stopping stopping = {.iterations = LIMIT, .every = EVERY, .observer = observe, .user = &w};
        if (sustain_solver_create(context, name, problem, &solver) != SUSTAIN_OK) return 1;
        const sustain_status status = sustain_solver_set_number(solver, "seed", 100 + seed) == SUSTAIN_OK
                                          ? sustain_solver_run(solver, &stopping, &result)
                                          : SUSTAIN_PARAMETER;
        if (status != SUSTAIN_OK) fprintf(stderr, "%s: %s\n", name, sustain_error(context));
        if (status == SUSTAIN_OK) {
            iterations += (double)result.iterations / SEEDS;
            samples += (double)(result.counts.samples[0] + result.counts.samples[1]) / SEEDS;
            gradients += (double)(result.counts.gradients[0] + result.counts.gradients[1]) / SEEDS;
            products += (double)(result.counts.hessian_products + result.counts.cross_products) / SEEDS;
            reached += w.reached;
        }
        sustain_solver_destroy(solver);
    }
    printf("%-9s %-8s %10.0f %10.0f %10.0f %10.0f   %d of %d\n", name, which, iterations, samples, gradients, products, reached, SEEDS);
    return 0;
}

int main(int count, char **words) {
    sustain_context *context;
    sustain_problem *problem[2];
    sustain_quadratic_options options = sustain_quadratic_defaults();
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    if (sustain_quadratic_create(context, &options, &problem[0]) != SUSTAIN_OK) return 1;
    options.mu_g = options.L_g / 100;
    if (sustain_quadratic_create(context, &options, &problem[1]) != SUSTAIN_OK) return 1;
    if (options.upper_dim > MOST_DIM) return 1;
    printf("%-9s %-8s %10s %10s %10s %10s   reached\n", "solver", "problem", "iterations", "samples", "gradients", "products");
    for (int i = 0; i < sustain_solver_count(); i++)
        for (int p = 0; p < 2; p++) {
            const char *name = sustain_solver_at(i)->name;
            bool wanted = count == 1;
            for (int k = 1; k < count; k++) wanted = wanted || strcmp(words[k], name) == 0;
            if (wanted && measure(context, name, problem[p], p == 0 ? "default" : "bad") != 0)
                fprintf(stderr, "%s\n", sustain_error(context));
        }
    for (int p = 0; p < 2; p++) sustain_quadratic_destroy(problem[p]);
    sustain_context_destroy(context);
    return 0;
}

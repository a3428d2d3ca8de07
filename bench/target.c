/* target.c - oracle calls to 1 % of the first squared gradient norm on the quadratic stream: `target NAME [PARAMETER=VALUE...]`.
 *
 * Default problem and a badly conditioned one (mu_g = L_g / 1000), schedule=auto unless a parameter says otherwise, problem and draws of the
 * seeds 100, 101, 102, mean over them; the norm is the exact one, looked at after every iteration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/sustain.h>

enum { SEEDS = 3, MOST_DIM = 512, MOST_ITERATIONS = 20000 };

static double squared_norm(const sustain_problem *problem, const sustain_real *x) {
    double at[MOST_DIM], gradient[MOST_DIM], sum = 0;
    for (int64_t i = 0; i < problem->upper_dim; i++) at[i] = (double)x[i];
    sustain_quadratic_value(problem, at, gradient);
    for (int64_t i = 0; i < problem->upper_dim; i++) sum += gradient[i] * gradient[i];
    return sum;
}

static void must(sustain_context *context, sustain_status status) {
    if (status == SUSTAIN_OK) return;
    fprintf(stderr, "target: %s\n", sustain_error(context));
    exit(1);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    for (int hard = 0; hard < 2; hard++) {
        double calls[5] = {0};
        int reached = 0;
        for (int seed = 100; seed < 100 + SEEDS; seed++) {
            sustain_context *context;
            sustain_problem *problem;
            sustain_solver *solver;
            sustain_result result = {.iterations = 0};
            if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
            sustain_quadratic_options options = sustain_quadratic_defaults();
            options.seed = seed;
            if (hard) options.mu_g = options.L_g / 1000;
            must(context, sustain_quadratic_create(context, &options, &problem));
            must(context, sustain_solver_create(context, argv[1], problem, &solver));
            if (!sustain_solver_describe(solver)->deterministic) must(context, sustain_solver_set_number(solver, "seed", seed));
            for (int i = 2; i < argc; i++) {
                char name[64];
                const char *equals = strchr(argv[i], '=');
                if (equals == NULL || equals - argv[i] >= (long)sizeof name) return 2;
                snprintf(name, sizeof name, "%.*s", (int)(equals - argv[i]), argv[i]);
                must(context, sustain_solver_set(solver, name, equals + 1));
            }
            must(context, sustain_solver_start(solver, NULL, NULL));
            const double target = 0.01 * squared_norm(problem, sustain_solver_x(solver));
            bool there = false;
            for (int64_t t = 1; t <= MOST_ITERATIONS && !there; t++) {
                must(context, sustain_solver_run(solver, &(sustain_stopping){.iterations = t, .every = INT64_MAX / 2}, &result));
                there = squared_norm(problem, sustain_solver_x(solver)) <= target;
            }
            reached += there;
            const sustain_counts *c = &result.counts;
            const double now[] = {(double)result.iterations, (double)c->gradients[0], (double)c->gradients[1], (double)c->hessian_products,
                                  (double)c->cross_products};
            for (int i = 0; i < 5; i++) calls[i] += now[i] / SEEDS;
            sustain_solver_destroy(solver);
            sustain_quadratic_destroy(problem);
            sustain_context_destroy(context);
        }
        printf("%-7s reached by %d of %d: %.0f iterations, gradients of f %.0f, of g %.0f, Hessian products %.0f, cross products %.0f, in "
               "all %.0f\n",
               hard ? "bad" : "default", reached, SEEDS, calls[0], calls[1], calls[2], calls[3], calls[4],
               calls[1] + calls[2] + calls[3] + calls[4]);
    }
    return 0;
}

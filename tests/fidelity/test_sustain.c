/* test_sustain.c - the iterates of `sustain` against the transcription of Algorithms 1 and 2
 * (transcription.h), at every iteration.
 *
 * A difference is |x - x'| / |x'| with x' the transcription's, likewise for y, and the largest over
 * all iterations counts. In double it stays below 1e-12; in float below 1e-5 over 1,000 and below
 * 5e-5 over 10,000 iterations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <sustain/quadratic.h>
#include <sustain/solver.h>

#include "naive_problems.h"

static double bound_of(int64_t iterations) {
    if (sizeof(sustain_real) == sizeof(double)) return 1e-12;
    return iterations > 1000 ? 5e-5 : 1e-5;
}

/* ---- a run beside a run ---- */

/* schedule=power, and all else that both sides must know. */
typedef struct setting {
    const char *name;
    double alpha, beta, c_eta_f, c_eta_g, w, p, r; /* r: power of eta, 0: 2p */
    int64_t batch, seed;
    int K;
    double L_g;
    int option;
    bool adam, dense, shuffle;
    mistake mistake;
} setting;

typedef struct difference {
    double x, y;   /* the largest over the iterations */
    double moved;  /* |x_T - x_0| / (1 + |x_0|) */
    double spread; /* of the coordinates of x_T */
} difference;

static sustain_context *new_context(void) {
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    return context;
}

static void set(sustain_solver *solver, const char *name, const char *text) {
    assert_int_equal(sustain_solver_set(solver, name, text), SUSTAIN_OK);
}

static void set_number(sustain_solver *solver, const char *name, double value) {
    assert_int_equal(sustain_solver_set_number(solver, name, value), SUSTAIN_OK);
}

static sustain_solver *new_solver(sustain_context *context, const sustain_problem *problem, const setting *s) {
    sustain_solver *solver;
    assert_int_equal(sustain_solver_create(context, "sustain", problem, &solver), SUSTAIN_OK);
    set(solver, "schedule", "power");
    set_number(solver, "alpha", s->alpha);
    set_number(solver, "beta", s->beta);
    set_number(solver, "c_eta_f", s->c_eta_f);
    set_number(solver, "c_eta_g", s->c_eta_g);
    set_number(solver, "w", s->w);
    set_number(solver, "p", s->p);
    set_number(solver, "r", s->r);
    set_number(solver, "batch", (double)s->batch);
    set_number(solver, "seed", (double)s->seed);
    set_number(solver, "K", s->K);
    set_number(solver, "L_g", s->L_g);
    set(solver, "option", s->option == 1 ? "1" : "2");
    set(solver, "direction", s->adam ? "adam" : "plain");
    set(solver, "memory", s->dense ? "dense" : "lazy");
    set(solver, "sampling", s->shuffle ? "shuffle" : "replace");
    return solver;
}

static transcription *new_transcription(const sustain_problem *problem, const naive_oracles *oracles, const setting *s) {
    transcription *t = calloc(1, sizeof *t);
    assert_non_null(t);
    assert_true(oracles->m <= TRANSCRIPTION_M && oracles->n <= TRANSCRIPTION_N && s->batch <= TRANSCRIPTION_BATCH);
    t->oracles = oracles;
    t->sampler = (sustain__sampler){.problem = problem, .seed = (uint64_t)s->seed, .shuffle = s->shuffle};
    t->batch = s->batch;
    t->K = s->K;
    t->L_g = s->L_g;
    t->option = s->option;
    t->adam = s->adam;
    t->mistake = s->mistake;
    return t;
}

/* The sequences of Section 4; eta_0 = 1, and eta clipped to 1. */
static void step_as_set(transcription *t, const setting *s) {
    const double base = s->w + (double)t->t;
    const double eta_f = t->t == 0 ? 1 : fmin(1, s->c_eta_f / pow(base, s->r > 0 ? s->r : 2 * s->p));
    const double eta_g = t->t == 0 ? 1 : fmin(1, s->c_eta_g / pow(base, s->r > 0 ? s->r : 2 * s->p));
    transcription_step(t, s->alpha / pow(base, s->p), s->beta / pow(base, s->p), eta_f, eta_g);
}

static void start_point(const naive_oracles *oracles, double size, sustain_real *x, sustain_real *y) {
    for (int64_t i = 0; i < oracles->m; i++) x[i] = (sustain_real)(size * naive_uniform(21, 0, (uint64_t)i));
    for (int64_t j = 0; j < oracles->n; j++) y[j] = (sustain_real)(size * naive_uniform(22, 0, (uint64_t)j));
}

/* x is read in every iteration: that must not matter, and test_reading_x() shows
 * that it does not. */
static difference compare(const sustain_problem *problem, const naive_oracles *oracles, const setting *s, double start,
                          int64_t iterations) {
    sustain_real x[TRANSCRIPTION_M], y[TRANSCRIPTION_N];
    difference worst = {0};
    start_point(oracles, start, x, y);
    sustain_context *context = new_context();
    sustain_solver *solver = new_solver(context, problem, s);
    transcription *t = new_transcription(problem, oracles, s);
    assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK);
    transcription_start(t, x, y);
    while (t->t < iterations) {
        assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
        step_as_set(t, s);
        worst.x = fmax(worst.x, relative(oracles->m, sustain_solver_x(solver), t->x));
        worst.y = fmax(worst.y, relative(oracles->n, sustain_solver_y(solver), t->y));
    }
    double least = t->x[0], most = t->x[0], size = 0;
    for (int64_t i = 0; i < oracles->m; i++) {
        least = fmin(least, t->x[i]);
        most = fmax(most, t->x[i]);
        worst.moved += (t->x[i] - (double)x[i]) * (t->x[i] - (double)x[i]);
        size += (double)x[i] * (double)x[i];
    }
    worst.moved = sqrt(worst.moved) / (1 + sqrt(size));
    worst.spread = most - least;
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
    free(t);
    return worst;
}

static void describe(const setting *s, const char *what, char *text, size_t size) {
    snprintf(text, size, "%s, %s, %s, option %d, batch %d%s%s", what, s->name, s->adam ? "adam" : "plain", s->option, (int)s->batch,
             s->dense ? ", dense" : "", s->shuffle ? ", shuffled" : "");
}

static difference assert_same(const char *what, const sustain_problem *problem, const naive_oracles *oracles, const setting *s,
                              double start, int64_t iterations, double *largest) {
    const difference d = compare(problem, oracles, s, start, iterations);
    char text[160];
    describe(s, what, text, sizeof text);
    if (!(d.x <= bound_of(iterations) && d.y <= bound_of(iterations)))
        fail_msg("%s: x differs by %.2e, y by %.2e over %d iterations", text, d.x, d.y, (int)iterations);
    *largest = fmax(*largest, fmax(d.x, d.y));
    return d;
}

/* ---- the dense problem ---- */

static const setting coupled_settings[] = {
    {.name = "decreasing", .alpha = 0.8, .beta = 0.8, .c_eta_f = 1, .c_eta_g = 1, .w = 1, .p = 1.0 / 3},
    {.name = "eta 0.05 and 0.3", .alpha = 0.1, .beta = 0.2, .c_eta_f = 0.05, .c_eta_g = 0.3, .w = 1, .p = 0},
    {.name = "eta 0.3 and 0.05", .alpha = 0.1, .beta = 0.2, .c_eta_f = 0.3, .c_eta_g = 0.05, .w = 1, .p = 0},
    {.name = "eta 1", .alpha = 0.1, .beta = 0.2, .c_eta_f = 1, .c_eta_g = 1, .w = 1, .p = 0},
    {.name = "eta from 1 down", .alpha = 1, .beta = 1, .c_eta_f = 20, .c_eta_g = 8, .w = 3, .p = 1.0 / 3},
    {.name = "Section 4: constant steps, eta ~ t^(-2/3)",
     .alpha = 0.1,
     .beta = 0.2,
     .c_eta_f = 1,
     .c_eta_g = 1,
     .w = 1,
     .p = 0,
     .r = 2.0 / 3},
};
enum { COUPLED_SETTINGS = sizeof coupled_settings / sizeof coupled_settings[0] };

static setting combined(const setting *from, int option, bool adam, int64_t batch) {
    setting s = *from;
    s.option = option;
    s.adam = adam;
    s.batch = batch;
    s.K = 6;
    s.L_g = COUPLED_L_G;
    s.seed = 17 + 2 * batch + option;
    if (adam) s.alpha /= 5;
    return s;
}

static void coupled_all_ways(bool stream, bool adam) {
    const sustain_problem problem = coupled_problem(stream);
    double largest = 0;
    for (int i = 0; i < COUPLED_SETTINGS; i++)
        for (int option = 1; option <= 2; option++)
            for (int64_t batch = 1; batch <= 5; batch += 4) {
                const setting s = combined(&coupled_settings[i], option, adam, batch);
                const difference d = assert_same(stream ? "stream" : "finite sum", &problem, &coupled_oracles, &s, 0.5, 1000, &largest);
                assert_true(d.moved > 0.1);
            }
    print_message("coupled, %s, %s: %.1e\n", stream ? "stream" : "finite sum", adam ? "adam" : "plain", largest);
}

static void test_plain_finite_sum(void **state) {
    (void)state;
    coupled_all_ways(false, false);
}

static void test_plain_stream(void **state) {
    (void)state;
    coupled_all_ways(true, false);
}

static void test_adam_finite_sum(void **state) {
    (void)state;
    coupled_all_ways(false, true);
}

static void test_adam_stream(void **state) {
    (void)state;
    coupled_all_ways(true, true);
}

/* Without replacement; without momentum's forgetting (eta = 0); K = 1, where no Hessian is read. */
static void test_other_settings(void **state) {
    (void)state;
    const sustain_problem problem = coupled_problem(false);
    double largest = 0;
    for (int option = 1; option <= 2; option++) {
        setting s = combined(&coupled_settings[0], option, false, 3);
        s.shuffle = true;
        assert_same("finite sum", &problem, &coupled_oracles, &s, 0.5, 1000, &largest);
        s = combined(&coupled_settings[1], option, false, 2);
        s.K = 1;
        s.name = "K 1";
        assert_same("finite sum", &problem, &coupled_oracles, &s, 0.5, 1000, &largest);
    }
    setting s = combined(&coupled_settings[1], 1, false, 5);
    s.c_eta_f = s.c_eta_g = 0;
    s.name = "eta 0";
    assert_same("finite sum", &problem, &coupled_oracles, &s, 0.5, 1000, &largest);
    print_message("coupled, other settings: %.1e\n", largest);
}

/* As printed, Option II has no memory: h_t - Df_t = (1-eta_t)(h_{t-1} - Df_{t-1}) is zero from
 * eta_0 = 1 on, so h_t = Df_t for any eta. The transcription knows nothing of that, and the library
 * must come out there too. */
static void test_option_2_without_memory(void **state) {
    (void)state;
    const sustain_problem problem = coupled_problem(true);
    double largest = 0;
    setting s = combined(&coupled_settings[1], 2, false, 1);
    sustain_context *context = new_context();
    sustain_solver *solver = new_solver(context, &problem, &s);
    s.c_eta_f = 1;
    s.name = "eta 1 for 0.05";
    transcription *t = new_transcription(&problem, &coupled_oracles, &s);
    sustain_real x[TRANSCRIPTION_M], y[TRANSCRIPTION_N];
    start_point(&coupled_oracles, 0.5, x, y);
    assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK);
    transcription_start(t, x, y);
    while (t->t < 1000) {
        assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
        step_as_set(t, &s);
        largest = fmax(largest, relative(COUPLED_M, sustain_solver_x(solver), t->x));
    }
    assert_true(largest <= bound_of(1000));
    print_message("option 2 beside no memory: %.1e\n", largest);
    free(t);
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
}

/* ---- mistakes ---- */

static void test_mistakes_are_seen(void **state) {
    (void)state;
    static const struct {
        mistake mistake;
        const char *text;
        int option;
        bool adam;
    } rows[] = {
        {OTHER_DRAW_LOWER, "another draw at the second point, lower", 1, false},
        {OTHER_DRAW_UPPER, "another draw at the second point, upper", 1, false},
        {NO_FACTOR_K, "no factor K", 1, false},
        {PRODUCT_REVERSED, "factors in opposite order", 1, false},
        {CROSS_SIGN, "sign of the cross block", 1, false},
        {UPPER_NOT_CARRIED, "h^f not carried", 1, false},
        {LOWER_NOT_CARRIED, "h^g not carried", 1, false},
        {NEWEST_Y, "y_{t+1} for y_t", 1, false},
        {OPTION_SWAPPED, "Option I for II", 2, false},
        {OPTION_SWAPPED, "Option II for I", 1, true},
        {UPPER_NOT_CARRIED, "h^f not carried, Option II", 2, false},
        {MOMENTS_UNCORRECTED, "no bias correction", 1, true},
        {MOMENTS_OVERWRITTEN, "moments overwritten", 2, true},
        {DIRECTION_CARRIED, "direction carried", 1, true},
    };
    const sustain_problem problem = coupled_problem(true);
    double smallest = HUGE_VAL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setting s = combined(&coupled_settings[1], rows[i].option, rows[i].adam, 1);
        s.mistake = rows[i].mistake;
        const difference d = compare(&problem, &coupled_oracles, &s, 0.5, 200);
        if (!(fmax(d.x, d.y) > 1e-4)) fail_msg("%s: not seen, x differs by %.2e, y by %.2e", rows[i].text, d.x, d.y);
        smallest = fmin(smallest, fmax(d.x, d.y));
    }
    print_message("mistakes: at least %.1e\n", smallest);
}

/* ---- cleaning: few coordinates a draw ---- */

#define CLEANING_L_G 3.5

/* With these steps a visit moves a weight by about 1. Ten times longer ones throw the weights to
 * +-100, where rounding grows a thousandfold (in the dense form as well): the bounds hold for 1,000
 * iterations, not in float for 10,000. */
static const setting cleaning_settings[] = {
    {.name = "decreasing", .alpha = 40, .beta = 1, .c_eta_f = 1, .c_eta_g = 1, .w = 1, .p = 1.0 / 3},
    {.name = "eta 0.1", .alpha = 4, .beta = 0.1, .c_eta_f = 0.1, .c_eta_g = 0.1, .w = 1, .p = 0},
    {.name = "eta 0.6", .alpha = 10, .beta = 0.1, .c_eta_f = 0.6, .c_eta_g = 0.2, .w = 1, .p = 0},
    {.name = "eta from 1 down", .alpha = 40, .beta = 1, .c_eta_f = 30, .c_eta_g = 10, .w = 1, .p = 1.0 / 3},
    {.name = "eta 1", .alpha = 10, .beta = 0.1, .c_eta_f = 1, .c_eta_g = 1, .w = 1, .p = 0},
};
enum { CLEANING_SETTINGS = sizeof cleaning_settings / sizeof cleaning_settings[0] };

static setting cleaned(int i, int option, int64_t batch) {
    setting s = cleaning_settings[i];
    s.option = option;
    s.batch = batch;
    s.K = 5;
    s.L_g = CLEANING_L_G;
    s.seed = 5 + i;
    return s;
}

typedef struct cleaning_fixture {
    cleaning data;
    sustain_rows training, trusted;
    sustain_context *context;
    sustain_problem *problem;
    naive_oracles oracles;
} cleaning_fixture;

static int cleaning_setup(void **state) {
    static cleaning_fixture f;
    cleaning_fill(&f.data, 0.05);
    f.training = cleaning_training(&f.data);
    f.trusted = cleaning_trusted(&f.data);
    f.oracles = cleaning_oracles(&f.data);
    f.context = new_context();
    *state = &f;
    const sustain_hyperclean_options options = cleaning_options(&f.data);
    return (int)sustain_hyperclean_create(f.context, &options, &f.training, &f.trusted, &f.problem);
}

static int cleaning_teardown(void **state) {
    cleaning_fixture *f = *state;
    sustain_hyperclean_destroy(f->problem);
    sustain_context_destroy(f->context);
    return 0;
}

static void cleaning_all_ways(const cleaning_fixture *f, bool dense, int64_t iterations, double longer) {
    double largest = 0, spread = HUGE_VAL;
    for (int i = 0; i < CLEANING_SETTINGS; i++)
        for (int option = 1; option <= 2; option++)
            for (int64_t batch = 1; batch <= 4; batch += 3) {
                if (batch > 1 && (iterations > 1000 || longer > 1) && i > 0) continue; /* takes long */
                setting s = cleaned(i, option, batch);
                s.dense = dense;
                s.alpha *= longer;
                const difference d = assert_same("cleaning", f->problem, &f->oracles, &s, 0, iterations, &largest);
                if (!(d.spread > 0.5)) fail_msg("%s, option %d: x hardly moved, its spread is %g", s.name, option, d.spread);
                spread = fmin(spread, d.spread);
            }
    print_message("cleaning, %s, %d iterations%s: %.1e (spread of x at least %.1f)\n", dense ? "dense" : "lazy", (int)iterations,
                  longer > 1 ? ", long steps" : "", largest, spread);
}

static void test_lazy(void **state) {
    cleaning_all_ways(*state, false, 1000, 1);
}

static void test_lazy_long_steps(void **state) {
    cleaning_all_ways(*state, false, 1000, 10);
}

static void test_lazy_long(void **state) {
    cleaning_all_ways(*state, false, 4000, 1);
}

static void test_memory_dense(void **state) {
    cleaning_all_ways(*state, true, 1000, 1);
}

static void test_cleaning_adam(void **state) {
    const cleaning_fixture *f = *state;
    double largest = 0;
    for (int option = 1; option <= 2; option++)
        for (int i = 0; i < 2; i++) {
            setting s = cleaned(i, option, 4);
            s.adam = true;
            s.alpha = 0.02;
            const difference d = assert_same("cleaning", f->problem, &f->oracles, &s, 0, 1000, &largest);
            assert_true(d.spread > 0.5);
        }
    print_message("cleaning, adam: %.1e\n", largest);
}

/* ---- reading x ---- */

/* Two runs, x read in every iteration of one and never in the other: the same bits at the end, also
 * 50 iterations later. */
static void read_and_not(const sustain_problem *problem, const setting *s, int64_t iterations) {
    sustain_context *context = new_context();
    sustain_solver *solver[2];
    const size_t bytes_x = (size_t)problem->upper_dim * sizeof(sustain_real), bytes_y = (size_t)problem->lower_dim * sizeof(sustain_real);
    for (int i = 0; i < 2; i++) {
        solver[i] = new_solver(context, problem, s);
        assert_int_equal(sustain_solver_start(solver[i], NULL, NULL), SUSTAIN_OK);
    }
    for (int part = 0; part < 2; part++) {
        for (int64_t t = 0; t < (part == 0 ? iterations : 50); t++)
            for (int i = 0; i < 2; i++) {
                assert_int_equal(sustain_solver_step(solver[i]), SUSTAIN_OK);
                if (i == 0) sustain_solver_x(solver[i]);
            }
        assert_memory_equal(sustain_solver_x(solver[0]), sustain_solver_x(solver[1]), bytes_x);
        assert_memory_equal(sustain_solver_y(solver[0]), sustain_solver_y(solver[1]), bytes_y);
    }
    for (int i = 0; i < 2; i++) sustain_solver_destroy(solver[i]);
    sustain_context_destroy(context);
}

static void test_reading_x(void **state) {
    const cleaning_fixture *f = *state;
    for (int i = 0; i < CLEANING_SETTINGS; i++)
        for (int option = 1; option <= 2; option++)
            for (int64_t batch = 1; batch <= 4; batch += 3) {
                const setting s = cleaned(i, option, batch);
                read_and_not(f->problem, &s, 1500);
            }
    const sustain_problem problem = coupled_problem(true);
    const setting s = combined(&coupled_settings[0], 1, true, 5);
    read_and_not(&problem, &s, 200);
}

/* ---- quadratic, and the theorems' steps ---- */

static sustain_quadratic_options small_quadratic(int phi) {
    sustain_quadratic_options options = sustain_quadratic_defaults();
    options.upper_dim = 7;
    options.lower_dim = 6;
    options.phi = phi;
    options.mu_g = 1;
    options.L_g = 2;
    options.C_gxy = 0.5;
    options.C_fy = 0.5;
    options.curvature = 1;
    options.wave = 0;
    options.seed = 3;
    return options;
}

static void test_quadratic(void **state) {
    (void)state;
    sustain_context *context = new_context();
    double largest = 0;
    for (int phi = SUSTAIN_PHI_LINEAR; phi <= SUSTAIN_PHI_SQUARE; phi++)
        for (int finite = 0; finite <= 1; finite++) {
            sustain_quadratic_options options = small_quadratic(phi);
            options.samples = finite ? 20 : 0;
            sustain_problem *problem;
            assert_int_equal(sustain_quadratic_create(context, &options, &problem), SUSTAIN_OK);
            const naive_oracles oracles = bridged_oracles(problem);
            for (int option = 1; option <= 2; option++) {
                setting s = combined(&coupled_settings[phi], option, false, finite ? 5 : 1);
                s.L_g = 2;
                assert_same("quadratic", problem, &oracles, &s, 1, 1000, &largest);
            }
            sustain_quadratic_destroy(problem);
        }
    print_message("quadratic: %.1e\n", largest);
    sustain_context_destroy(context);
}

static void assert_steps_equal(const sustain_steps *a, const sustain_steps *b) {
    const double left[] = {a->alpha, a->beta, a->c_eta_f, a->c_eta_g, a->w, a->p, a->L_g, a->K};
    const double right[] = {b->alpha, b->beta, b->c_eta_f, b->c_eta_g, b->w, b->p, b->L_g, b->K};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        if (left[i] != right[i]) fail_msg("step %d: %.17g against %.17g", (int)i, left[i], right[i]);
}

/* Theorem 3.2: alpha_t = 1/(w+t)^(1/3), beta_t = c_beta alpha_t, eta_t = c_eta alpha_t^2; eta_0 = 1
 * and eta clipped to 1. */
static void step_of_theorem_2(transcription *t, const sustain_plan *plan) {
    const double alpha = 1 / cbrt(plan->steps.w + (double)t->t);
    const double eta_f = t->t == 0 ? 1 : fmin(1, plan->steps.c_eta_f * alpha * alpha);
    const double eta_g = t->t == 0 ? 1 : fmin(1, plan->steps.c_eta_g * alpha * alpha);
    transcription_step(t, alpha, plan->c_beta * alpha, eta_f, eta_g);
}

/* Theorem 3.3: alpha fixed, beta = c_beta alpha, eta^f = (mu_f + 1) alpha, eta^g = 1; eta_0 = 1. */
static void step_of_theorem_3(transcription *t, const sustain_plan *plan, double mu_f) {
    const double alpha = plan->steps.alpha;
    transcription_step(t, alpha, plan->c_beta * alpha, t->t == 0 ? 1 : (mu_f + 1) * alpha, 1);
}

static void theory_on_quadratic(sustain_context *context, int phi, bool strongly_convex, double *largest) {
    const double T = 1000;
    const sustain_quadratic_options options = small_quadratic(phi);
    sustain_problem *problem;
    sustain_solver *solver;
    sustain_plan plan;
    assert_int_equal(sustain_quadratic_create(context, &options, &problem), SUSTAIN_OK);
    assert_int_equal((strongly_convex ? sustain_plan_strongly_convex : sustain_plan_nonconvex)(context, problem->known, T, &plan),
                     SUSTAIN_OK);
    assert_int_equal(sustain_solver_create(context, "sustain", problem, &solver), SUSTAIN_OK);
    set(solver, "schedule", "theory");
    set(solver, "theorem", strongly_convex ? "strongly-convex" : "nonconvex");
    set_number(solver, "iterations", T);
    set_number(solver, "seed", 9);

    const naive_oracles oracles = bridged_oracles(problem);
    const setting s = {.batch = 1, .seed = 9, .K = plan.steps.K, .L_g = problem->known->L_g, .option = 1};
    sustain_real x[TRANSCRIPTION_M], y[TRANSCRIPTION_N];
    start_point(&oracles, 1, x, y);
    assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK);
    const sustain_steps used = sustain_solver_steps(solver);
    assert_steps_equal(&used, &plan.steps);
    transcription *t = new_transcription(problem, &oracles, &s);
    transcription_start(t, x, y);
    double worst = 0;
    while (t->t < (int64_t)T) {
        assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
        if (strongly_convex)
            step_of_theorem_3(t, &plan, problem->known->mu_f);
        else
            step_of_theorem_2(t, &plan);
        worst = fmax(worst, relative(oracles.m, sustain_solver_x(solver), t->x));
        worst = fmax(worst, relative(oracles.n, sustain_solver_y(solver), t->y));
    }
    if (!(worst <= bound_of(1000))) fail_msg("Theorem 3.%d, phi %d: %.2e", strongly_convex ? 3 : 2, phi, worst);
    assert_true(relative(oracles.m, x, t->x) > 0.1); /* the theorem's steps are short, but x does move */
    *largest = fmax(*largest, worst);
    free(t);
    sustain_solver_destroy(solver);
    sustain_quadratic_destroy(problem);
}

static void test_theory(void **state) {
    (void)state;
    sustain_context *context = new_context();
    double largest[2] = {0, 0};
    for (int phi = SUSTAIN_PHI_LINEAR; phi <= SUSTAIN_PHI_SQRT; phi++)
        for (int theorem = 0; theorem <= 1; theorem++) theory_on_quadratic(context, phi, theorem == 1, &largest[theorem]);
    print_message("theory: %.1e (Theorem 3.2), %.1e (Theorem 3.3)\n", largest[0], largest[1]);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_finite_sum),
        cmocka_unit_test(test_plain_stream),
        cmocka_unit_test(test_adam_finite_sum),
        cmocka_unit_test(test_adam_stream),
        cmocka_unit_test(test_other_settings),
        cmocka_unit_test(test_option_2_without_memory),
        cmocka_unit_test(test_mistakes_are_seen),
        cmocka_unit_test_setup_teardown(test_lazy, cleaning_setup, cleaning_teardown),
        cmocka_unit_test_setup_teardown(test_lazy_long_steps, cleaning_setup, cleaning_teardown),
        cmocka_unit_test_setup_teardown(test_lazy_long, cleaning_setup, cleaning_teardown),
        cmocka_unit_test_setup_teardown(test_memory_dense, cleaning_setup, cleaning_teardown),
        cmocka_unit_test_setup_teardown(test_cleaning_adam, cleaning_setup, cleaning_teardown),
        cmocka_unit_test_setup_teardown(test_reading_x, cleaning_setup, cleaning_teardown),
        cmocka_unit_test(test_quadratic),
        cmocka_unit_test(test_theory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

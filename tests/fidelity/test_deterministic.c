/* test_deterministic.c - the iterates of itd-bio, aid-cg and hoag against literal transcriptions in
 * double, at every iteration.
 *
 * itd-bio   the derivative of y^D(x) by *forward* accumulation of the matrix dy/dx: another way than the library's to the same number.
 * aid-cg    conjugate gradient as printed (Hestenes and Stiefel), with the Hessian as a matrix.
 * hoag      the lower level by Newton's method and the linear system by elimination, both to rounding, where the library is asked for tolerances
 *           that small: what is left of Algorithm 1 is the hypergradient and the adaptive step. Also against tests/golden/hoag.csv, written by an
 *           independent script. That the tolerances are kept is a test of its own.
 *
 * A difference is |x - x'| / |x'| with x' the transcription's, likewise for y, the largest over all
 * iterations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <sustain/quadratic.h>
#include <sustain/solver.h>

#include "naive_problems.h"

enum { M = TRANSCRIPTION_M, N = TRANSCRIPTION_N };

static double bound(void) {
    return sizeof(sustain_real) == sizeof(double) ? 1e-12 : 1e-5;
}

typedef enum slip {
    NO_SLIP,
    COLD_START,    /* y, or v, begins at zero in every iteration */
    ONE_STEP_LESS, /* D - 1, or N - 1 */
    FIRST_Y,       /* gradients of f at y_k^0 */
    WRONG_SIGN,    /* + J v */
    NEVER_GROWN,   /* hoag: L is not multiplied by 0.95 */
    NEVER_HALVED,  /* hoag: L is not doubled */
    GOES_ON,       /* hoag, direction=sign: a coordinate does not wait where its sign turns */
    SAME_LENGTHS   /* hoag, direction=sign: its step stays */
} slip;

typedef struct run {
    const naive_oracles *o;
    int64_t steps, systems; /* D and N */
    slip slip;
    int64_t t;
    double x[M], y[N], v[N];
    double L, value, moved_by, eps; /* hoag */
    double h[M], length[M];         /* hoag, direction=sign: the gradient that it followed last, the steps */
    double H[N * N], J[M * N], W[N * M], W_new[N * M];
} run;

/* The batch of all samples of the coupled problem; the quadratic's bridge takes NULL. */
static int64_t all_index[COUPLED_SAMPLES];
static const sustain_batch *everything(const run *r) {
    static sustain_batch all;
    all = coupled_all(all_index);
    return r->o == &coupled_oracles ? &all : NULL;
}

static void product(int64_t n, const double *A, const double *v, double *out) {
    for (int64_t a = 0; a < n; a++) {
        out[a] = 0;
        for (int64_t b = 0; b < n; b++) out[a] += A[a * n + b] * v[b];
    }
}

static double dot(int64_t n, const double *a, const double *b) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* ---- itd-bio ---- */

/* W = dy^t/dx (n, m) begins as zero; y <- y - beta grad_y g, W <- W - beta (H W + J'). */
static void itd_step(run *r, double alpha, double beta) {
    const naive_oracles *o = r->o;
    const int64_t m = o->m, n = o->n, D = r->slip == ONE_STEP_LESS ? r->steps - 1 : r->steps;
    double gy[N], fx[M], fy[N], y_0[N];
    if (r->slip == COLD_START) memset(r->y, 0, sizeof r->y);
    memcpy(y_0, r->y, sizeof y_0);
    memset(r->W, 0, sizeof r->W);
    for (int64_t t = 0; t < D; t++) {
        o->grad_y_g(o->self, everything(r), r->x, r->y, gy);
        o->hessian(o->self, everything(r), r->x, r->y, r->H);
        o->cross(o->self, everything(r), r->x, r->y, r->J);
        for (int64_t a = 0; a < n; a++)
            for (int64_t i = 0; i < m; i++) {
                double HW = 0;
                for (int64_t b = 0; b < n; b++) HW += r->H[a * n + b] * r->W[b * m + i];
                r->W_new[a * m + i] = r->W[a * m + i] - beta * (HW + r->J[i * n + a]);
            }
        memcpy(r->W, r->W_new, sizeof r->W);
        for (int64_t a = 0; a < n; a++) r->y[a] -= beta * gy[a];
    }
    o->grad_f(o->self, everything(r), r->x, r->slip == FIRST_Y ? y_0 : r->y, fx, fy);
    for (int64_t i = 0; i < m; i++) {
        double h = fx[i];
        for (int64_t a = 0; a < n; a++) h += (r->slip == WRONG_SIGN ? -1 : 1) * r->W[a * m + i] * fy[a];
        r->x[i] -= alpha * h;
    }
    r->t++;
}

/* ---- aid-cg ---- */

static void implicit_gradient(run *r, const double *v, double *fx) {
    const int64_t m = r->o->m, n = r->o->n;
    r->o->cross(r->o->self, everything(r), r->x, r->y, r->J);
    for (int64_t i = 0; i < m; i++) fx[i] -= (r->slip == WRONG_SIGN ? -1 : 1) * dot(n, r->J + i * n, v);
}

static void aid_step(run *r, double alpha, double beta) {
    const naive_oracles *o = r->o;
    const int64_t m = o->m, n = o->n, steps = r->slip == ONE_STEP_LESS ? r->systems - 1 : r->systems;
    double gy[N], fx[M], fy[N], res[N], p[N], q[N], y_0[N];
    memcpy(y_0, r->y, sizeof y_0);
    for (int64_t t = 0; t < r->steps; t++) {
        o->grad_y_g(o->self, everything(r), r->x, r->y, gy);
        for (int64_t a = 0; a < n; a++) r->y[a] -= beta * gy[a];
    }
    o->grad_f(o->self, everything(r), r->x, r->slip == FIRST_Y ? y_0 : r->y, fx, fy);
    o->hessian(o->self, everything(r), r->x, r->y, r->H);
    if (r->slip == COLD_START) memset(r->v, 0, sizeof r->v);
    product(n, r->H, r->v, q);
    for (int64_t a = 0; a < n; a++) p[a] = res[a] = fy[a] - q[a];
    for (int64_t i = 0; i < steps; i++) {
        const double before = dot(n, res, res);
        if (before == 0) break;
        product(n, r->H, p, q);
        const double length = before / dot(n, p, q);
        for (int64_t a = 0; a < n; a++) r->v[a] += length * p[a], res[a] -= length * q[a];
        const double ratio = dot(n, res, res) / before;
        for (int64_t a = 0; a < n; a++) p[a] = res[a] + ratio * p[a];
    }
    implicit_gradient(r, r->v, fx);
    for (int64_t i = 0; i < m; i++) r->x[i] -= alpha * fx[i];
    r->t++;
}

/* ---- hoag ---- */

/* z <- A^{-1} b by elimination; A is symmetric and positive definite. */
static void eliminate(int64_t n, const double *A, const double *b, double *z) {
    double T[N * N];
    memcpy(T, A, (size_t)(n * n) * sizeof *T);
    for (int64_t i = 0; i < n; i++) z[i] = b[i];
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = k + 1; i < n; i++) {
            const double factor = T[i * n + k] / T[k * n + k];
            for (int64_t j = k; j < n; j++) T[i * n + j] -= factor * T[k * n + j];
            z[i] -= factor * z[k];
        }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < n; j++) z[i] -= T[i * n + j] * z[j];
        z[i] /= T[i * n + i];
    }
}

static void solve_lower(run *r) {
    double gy[N], d[N];
    for (int i = 0; i < 50; i++) {
        r->o->grad_y_g(r->o->self, everything(r), r->x, r->y, gy);
        r->o->hessian(r->o->self, everything(r), r->x, r->y, r->H);
        eliminate(r->o->n, r->H, gy, d);
        for (int64_t a = 0; a < r->o->n; a++) r->y[a] -= d[a];
    }
}

static double upper_value(const run *r) {
    double value = 0;
    for (int i = 0; i < COUPLED_M; i++) value += (r->x[i] - 1) * (r->x[i] - 1) / 4;
    for (int64_t q = 0; q < COUPLED_SAMPLES; q++) {
        const coupled_sample s = coupled_draw(everything(r), q);
        value += log1p(exp(coupled_dot(COUPLED_M, s.e, r->x) - s.b * coupled_dot(COUPLED_N, s.a, r->y))) / COUPLED_SAMPLES;
    }
    return value;
}

/* iRprop- of Igel and Huesken, with the factors 1.2 and 1/2. */
static void move_by_sign(run *r, double first, const double *h) {
    for (int64_t i = 0; i < r->o->m; i++) {
        const double turned = r->t > 0 ? h[i] * r->h[i] : 0;
        if (r->t == 0) r->length[i] = first;
        if (turned > 0 && r->slip != SAME_LENGTHS) r->length[i] = fmin(1.2 * r->length[i], 4 * first);
        if (turned < 0 && r->slip != SAME_LENGTHS) r->length[i] /= 2;
        r->h[i] = turned < 0 && r->slip != GOES_ON ? 0 : h[i];
        if (r->h[i] != 0) r->x[i] -= r->h[i] > 0 ? r->length[i] : -r->length[i];
    }
    r->t++;
}

/* Algorithm 1 with the exact y* and v; eps enters the adaptive step alone. */
static void hoag_step(run *r, double first, double tolerance, double first_sign) {
    const naive_oracles *o = r->o;
    const int64_t m = o->m;
    double fx[M], fy[N];
    const double eps = tolerance * pow(0.9, (double)(r->t + 1));
    solve_lower(r);
    const double value = upper_value(r);
    o->grad_f(o->self, everything(r), r->x, r->y, fx, fy);
    eliminate(o->n, r->H, fy, r->v);
    implicit_gradient(r, r->v, fx);
    if (first_sign > 0) {
        move_by_sign(r, first_sign, fx);
        return;
    }
    const double d = r->moved_by, size = sqrt(dot(m, fx, fx));
    if (r->t == 0)
        r->L = 1 / first;
    else if (value <= r->value + eps + r->eps * (1 + d) - r->L * d * d / 2)
        r->L *= r->slip == NEVER_GROWN ? 1 : 0.95;
    else if (value > r->value && r->slip != NEVER_HALVED)
        r->L *= 2;
    for (int64_t i = 0; i < m; i++) r->x[i] -= fx[i] / r->L;
    r->moved_by = size / r->L;
    r->value = value;
    r->eps = eps;
    r->t++;
}

/* ---- a run beside a run ---- */

typedef struct setting {
    const char *algorithm;
    double alpha, beta, p, w;
    int D, N;
    double tolerance, first_step; /* hoag; first_step > 0: direction=sign */
    slip slip;
} setting;

static sustain_solver *new_solver(sustain_context *context, const sustain_problem *problem, const setting *s) {
    sustain_solver *solver;
    assert_int_equal(sustain_solver_create(context, s->algorithm, problem, &solver), SUSTAIN_OK);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"alpha", s->alpha},
                   {"L_g", COUPLED_L_G},
                   {"beta", s->beta},
                   {"p", s->p},
                   {"q", s->p},
                   {"w", s->w},
                   {"D", s->D},
                   {"N", s->N},
                   {"tolerance", s->tolerance},
                   {"first_step", s->first_step}};
    if (s->first_step > 0) assert_int_equal(sustain_solver_set(solver, "direction", "sign"), SUSTAIN_OK);
    assert_int_equal(sustain_solver_set(solver, "schedule", "power"), SUSTAIN_OK);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (i < 2 || numbers[i].value != 0)
            assert_int_equal(sustain_solver_set_number(solver, numbers[i].name, numbers[i].value), SUSTAIN_OK);
    return solver;
}

static double compare(const sustain_problem *problem, const naive_oracles *oracles, const setting *s, int64_t iterations) {
    static run r;
    sustain_real x[M], y[N];
    double worst = 0;
    memset(&r, 0, sizeof r);
    r.o = oracles, r.slip = s->slip, r.steps = s->D, r.systems = s->N;
    for (int64_t i = 0; i < oracles->m; i++) r.x[i] = (double)(x[i] = (sustain_real)(0.5 * naive_uniform(21, 0, (uint64_t)i)));
    for (int64_t j = 0; j < oracles->n; j++) r.y[j] = (double)(y[j] = (sustain_real)(0.5 * naive_uniform(22, 0, (uint64_t)j)));
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_solver *solver = new_solver(context, problem, s);
    assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK);
    while (r.t < iterations) {
        const double decay = s->p > 0 ? pow(s->w + (double)r.t, -s->p) : 1;
        if (sustain_solver_step(solver) != SUSTAIN_OK) fail_msg("%s: %s", s->algorithm, sustain_error(context));
        if (s->tolerance > 0)
            hoag_step(&r, s->alpha, s->tolerance, s->first_step);
        else
            (s->N > 0 ? aid_step : itd_step)(&r, s->alpha * decay, s->beta * decay);
        worst = fmax(worst, relative(oracles->m, sustain_solver_x(solver), r.x));
        worst = fmax(worst, relative(oracles->n, sustain_solver_y(solver), r.y));
    }
    assert_true(relative(oracles->m, x, r.x) > 0.1); /* x does move */
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
    return worst;
}

/* ---- itd-bio and aid-cg ---- */

static const setting unrolled[] = {
    {.algorithm = "itd-bio", .alpha = 0.3, .beta = 0.15, .D = 5},
    {.algorithm = "itd-bio", .alpha = 1, .beta = 0.3, .p = 0.5, .w = 4, .D = 1},
    {.algorithm = "itd-bio", .alpha = 0.05, .beta = 0.1, .D = 17},
    {.algorithm = "aid-cg", .alpha = 0.3, .beta = 0.15, .D = 5, .N = 2},
    {.algorithm = "aid-cg", .alpha = 1, .beta = 0.3, .p = 0.5, .w = 4, .D = 1, .N = 1},
    {.algorithm = "aid-cg", .alpha = 0.05, .beta = 0.1, .D = 3, .N = 3},
};
enum { UNROLLED = sizeof unrolled / sizeof *unrolled };

static void test_finite_sum(void **state) {
    (void)state;
    const sustain_problem problem = coupled_problem(false);
    for (int i = 0; i < UNROLLED; i++) {
        const double d = compare(&problem, &coupled_oracles, &unrolled[i], 300);
        print_message("%s, D %d, coupled: %.1e\n", unrolled[i].algorithm, unrolled[i].D, d);
        if (!(d <= bound())) fail_msg("%s, setting %d: differs by %.2e", unrolled[i].algorithm, i, d);
    }
}

/* The stream's expected value, which the quadratic knows. */
static void test_stream(void **state) {
    (void)state;
    sustain_context *context;
    sustain_problem *problem;
    sustain_quadratic_options options = sustain_quadratic_defaults();
    options.upper_dim = 7;
    options.lower_dim = 6;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    assert_int_equal(sustain_quadratic_create(context, &options, &problem), SUSTAIN_OK);
    const naive_oracles oracles = bridged_oracles(problem);
    for (int i = 0; i < UNROLLED; i++) {
        const double d = compare(problem, &oracles, &unrolled[i], 300);
        print_message("%s, D %d, quadratic: %.1e\n", unrolled[i].algorithm, unrolled[i].D, d);
        if (!(d <= bound())) fail_msg("%s, setting %d: differs by %.2e", unrolled[i].algorithm, i, d);
    }
    sustain_quadratic_destroy(problem);
    sustain_context_destroy(context);
}

static void test_slips_are_seen(void **state) {
    (void)state;
    const sustain_problem problem = coupled_problem(false);
    double least = HUGE_VAL;
    for (int i = 0; i < UNROLLED; i += 4) /* an itd-bio and an aid-cg */
        for (int s = COLD_START; s <= WRONG_SIGN; s++) {
            setting with = unrolled[i];
            with.slip = (slip)s;
            const double d = compare(&problem, &coupled_oracles, &with, 100);
            if (!(d > 1e-4)) fail_msg("%s: slip %d is not seen, %.2e", with.algorithm, s, d);
            least = fmin(least, d);
        }
    print_message("slips: at least %.1e\n", least);
}

/* ---- hoag ---- */

/* Tolerances of 1e-9, or in float those of four roundings, leave that much. */
static double hoag_bound(void) {
    return sizeof(sustain_real) == sizeof(double) ? 1e-8 : 5e-5;
}

/* So short a first step that it grows for a hundred iterations, one that is far too long, and
 * tolerances as small as can be kept. */
static const setting approximate[] = {
    {.algorithm = "hoag", .alpha = 0.01, .tolerance = 1e-9},
    {.algorithm = "hoag", .alpha = 30, .tolerance = 1e-9},
};

static void test_hoag(void **state) {
    (void)state;
    const sustain_problem problem = coupled_problem(false);
    static const int64_t iterations[] = {100, 12};
    for (int i = 0; i < 2; i++) {
        const double d = compare(&problem, &coupled_oracles, &approximate[i], iterations[i]);
        print_message("hoag, first step %g: %.1e\n", approximate[i].alpha, d);
        if (!(d <= hoag_bound())) fail_msg("hoag, first step %g: differs by %.2e", approximate[i].alpha, d);
    }
    for (int s = WRONG_SIGN; s <= NEVER_HALVED; s++) {
        setting with = approximate[s == NEVER_HALVED ? 1 : 0];
        with.slip = (slip)s;
        const double d = compare(&problem, &coupled_oracles, &with, 12);
        if (!(d > 1e-4)) fail_msg("hoag: slip %d is not seen, %.2e", s, d);
    }
}

static void test_hoag_by_sign(void **state) {
    (void)state;
    const sustain_problem problem = coupled_problem(false);
    setting with = {.algorithm = "hoag", .alpha = 1, .tolerance = 1e-9, .first_step = 0.3};
    const double d = compare(&problem, &coupled_oracles, &with, 25);
    print_message("hoag, direction=sign: %.1e\n", d);
    if (!(d <= hoag_bound())) fail_msg("hoag, direction=sign: differs by %.2e", d);
    for (int s = GOES_ON; s <= SAME_LENGTHS; s++) {
        with.slip = (slip)s;
        const double seen = compare(&problem, &coupled_oracles, &with, 25);
        if (!(seen > 1e-4)) fail_msg("hoag: slip %d is not seen, %.2e", s, seen);
    }
}

/* |y_k - y*(x_k)| <= eps_k in every iteration, for the three sequences. */
static void test_tolerances(void **state) {
    (void)state;
    static const char *const names[] = {"exponential", "quadratic", "cubic"};
    const sustain_problem problem = coupled_problem(false);
    static run r;
    sustain_context *context;
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    for (int i = 0; i < 3; i++) {
        sustain_solver *solver = new_solver(context, &problem, &(setting){.algorithm = "hoag", .alpha = 0.5});
        double closest = 0;
        assert_int_equal(sustain_solver_set(solver, "decrease", names[i]), SUSTAIN_OK);
        assert_int_equal(sustain_solver_set_number(solver, "mu_g", 0.5), SUSTAIN_OK); /* r_j(x) >= 1/2 */
        memset(&r, 0, sizeof r);
        r.o = &coupled_oracles;
        assert_int_equal(sustain_solver_start(solver, NULL, NULL), SUSTAIN_OK);
        for (int k = 1; k <= 60; k++) {
            naive_widen(COUPLED_M, sustain_solver_x(solver), r.x);
            assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
            double away = 0;
            solve_lower(&r);
            for (int j = 0; j < COUPLED_N; j++) away += pow((double)sustain_solver_y(solver)[j] - r.y[j], 2);
            const double eps = 0.1 * (i == 0 ? pow(0.9, k) : i == 1 ? 1.0 / (k * k) : 1.0 / (k * k * k));
            const double rounding = sizeof(sustain_real) == sizeof(double) ? 0 : 1e-6; /* tolerances stop there */
            if (!(sqrt(away) <= fmax(eps, rounding))) fail_msg("%s, k = %d: y is %.2e from y*, not %.2e", names[i], k, sqrt(away), eps);
            closest = fmax(closest, sqrt(away) / fmax(eps, rounding));
        }
        print_message("hoag, %s: at most %.2f eps_k from y*\n", names[i], closest);
        assert_true(closest > 1e-3); /* and the lower level is not solved exactly */
        sustain_solver_destroy(solver);
    }
    sustain_context_destroy(context);
}

/* tests/golden/hoag.csv: k, x_0 .. x_5, y_0 .. y_4 after iteration k, by tests/golden/hoag.py. */
static void test_golden(void **state) {
    (void)state;
    FILE *file = fopen("tests/golden/hoag.csv", "r");
    assert_non_null(file);
    const sustain_problem problem = coupled_problem(false);
    sustain_context *context;
    sustain_real x[COUPLED_M], y[COUPLED_N];
    assert_int_equal(sustain_context_create(&context), SUSTAIN_OK);
    sustain_solver *solver = new_solver(context, &problem, &(setting){.algorithm = "hoag", .alpha = 4, .tolerance = 1e-9});
    for (int i = 0; i < COUPLED_M; i++) x[i] = (sustain_real)(0.25 * i - 0.5);
    for (int j = 0; j < COUPLED_N; j++) y[j] = 0;
    assert_int_equal(sustain_solver_start(solver, x, y), SUSTAIN_OK);
    char line[1024];
    int rows = 0;
    double worst = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#') continue;
        double value[COUPLED_M + COUPLED_N];
        char *at = line;
        assert_int_equal(strtol(at, &at, 10), ++rows);
        for (int i = 0; i < COUPLED_M + COUPLED_N; i++) {
            assert_int_equal(*at, ',');
            value[i] = strtod(at + 1, &at);
        }
        assert_int_equal(sustain_solver_step(solver), SUSTAIN_OK);
        worst = fmax(worst, relative(COUPLED_M, sustain_solver_x(solver), value));
        worst = fmax(worst, relative(COUPLED_N, sustain_solver_y(solver), value + COUPLED_M));
    }
    fclose(file);
    assert_true(rows >= 30);
    print_message("hoag, golden: %.1e\n", worst);
    if (!(worst <= hoag_bound())) fail_msg("hoag differs from tests/golden/hoag.csv by %.2e", worst);
    sustain_solver_destroy(solver);
    sustain_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finite_sum), cmocka_unit_test(test_stream),       cmocka_unit_test(test_slips_are_seen),
        cmocka_unit_test(test_hoag),       cmocka_unit_test(test_hoag_by_sign), cmocka_unit_test(test_tolerances),
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

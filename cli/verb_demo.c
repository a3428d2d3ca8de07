/* verb_demo.c - `sustain demo`: SUSTAIN on a noisy non-convex problem, and the theory's rate beside it.
 *
 *   SUSTAIN   alpha_t = alpha/(w+t)^(1/3), beta_t likewise, eta_t = min(1, c_eta/(w+t)^(2/3))       the form of Theorem 3.2
 *   SGD       alpha_t = alpha/(1+t)^(1/2), beta_t likewise, eta_t = 1: no momentum, on both levels
 *
 * and for every T the mean of |grad ell(x_t)|^2, t = 0 .. T-1, in closed form. The steps do not depend on T, so one run gives all T. */
#include "verb_demo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fit.h"
#include "interrupt.h"
#include "page.h"
#include "progress.h"
#include "run_folder.h"
#include "verbs.h"

/* The first step of x is the best of five for each method; the rest was chosen by hand on seeds from 100 up. */
const method methods[METHODS] = {{"SUSTAIN", 0.8, 1, 2, 1.0 / 3}, {"SGD", 1, 1e30, 1, 1.0 / 2}};
static const double choices[DEMO_CHOICES] = {0.1, 0.2, 0.4, 0.8, 1.6};
enum { CHOOSING_RUNS = 2 };
enum { TERMS = 8 };

sustain_quadratic_options demo_problem(void) {
    sustain_quadratic_options o = sustain_quadratic_defaults();
    o.upper_dim = o.lower_dim = 4;
    o.mu_g = 1, o.L_g = 1.5, o.C_gxy = 1.5, o.C_fy = 4, o.phi = SUSTAIN_PHI_SQRT, o.curvature = 1, o.wave = 2;
    o.noise_f = 0.9, o.noise_g = 2, o.noise_hess = 0.19, o.noise_cross = 0.5, o.start = 0.5;
    return o;
}

/* ---- one run ---- */

typedef struct bench {
    sustain_context *context;
    sustain_problem *problem;
    double *x, *gradient; /* (upper_dim) */
    double *run_mean;     /* (METHODS, runs, MOST_ROWS) */
} bench;

static double *run_row(const bench *b, const measured *m, int k, int64_t run) {
    return b->run_mean + ((int64_t)k * m->runs + run) * MOST_ROWS;
}

static double squared_gradient(const bench *b, sustain_solver *solver) {
    const int64_t n = b->problem->upper_dim;
    const sustain_real *x = sustain_solver_x(solver);
    double sum = 0;
    for (int64_t i = 0; i < n; i++) b->x[i] = (double)x[i];
    sustain_quadratic_value(b->problem, b->x, b->gradient);
    for (int64_t i = 0; i < n; i++) sum += b->gradient[i] * b->gradient[i];
    return sum;
}

static sustain_status set_all(sustain_solver *solver, const method *k, double alpha, int64_t seed) {
    const struct {
        const char *name;
        double value;
    } rows[] = {{"alpha", alpha}, {"beta", k->beta}, {"c_eta_f", k->c_eta}, {"c_eta_g", k->c_eta},
                {"w", k->w},      {"p", k->p},       {"K", TERMS},          {"seed", (double)seed}};
    sustain_status status = sustain_solver_set(solver, "schedule", "power");
    for (int i = 0; i < COUNT_OF(rows) && status == SUSTAIN_OK; i++)
        status = sustain_solver_set_number(solver, rows[i].name, rows[i].value);
    return status;
}

static sustain_status follow(const bench *b, const measured *m, sustain_solver *solver, double *row) {
    double sum = 0;
    int next = 0;
    sustain_status status = sustain_solver_start(solver, NULL, NULL);
    for (int64_t t = 0; t < m->iterations && status == SUSTAIN_OK; t++) {
        if (t % 1024 == 0 && interrupted()) return SUSTAIN_OK;
        sum += squared_gradient(b, solver);
        if (t + 1 == m->T[next]) row[next++] = sum / (double)(t + 1);
        status = sustain_solver_step(solver);
    }
    return status;
}

static sustain_status run_once(const bench *b, const measured *m, int k, int64_t run, double *row) {
    sustain_solver *solver;
    sustain_status status = sustain_solver_create(b->context, "sustain", b->problem, &solver);
    if (status == SUSTAIN_OK) status = set_all(solver, &methods[k], m->alpha[k], m->seed + run);
    if (status == SUSTAIN_OK) status = follow(b, m, solver, row);
    sustain_solver_destroy(solver);
    return status;
}

/* The first step of method k: the choice with the least mean at the last T, over the first runs. */
static sustain_status choose_step(const bench *b, measured *m, int k) {
    double least = (double)INFINITY, chosen = choices[0];
    const int64_t runs = m->runs < CHOOSING_RUNS ? m->runs : CHOOSING_RUNS;
    for (int i = 0; i < COUNT_OF(choices) && !interrupted(); i++) {
        double sum = 0;
        m->alpha[k] = choices[i];
        for (int64_t run = 0; run < runs; run++) {
            const sustain_status status = run_once(b, m, k, run, run_row(b, m, k, run));
            if (status != SUSTAIN_OK) return status;
            sum += run_row(b, m, k, run)[m->rows - 1];
        }
        if (sum < least) least = sum, chosen = choices[i];
    }
    m->alpha[k] = chosen;
    return SUSTAIN_OK;
}

/* ---- all runs ---- */

/* N, N/sqrt(10), ... over three decades, not below 10. */
static void choose_rows(measured *m) {
    m->rows = 0;
    for (int half = 6; half >= 0; half--) {
        const int64_t T = llround((double)m->iterations * pow(10, -half / 2.0));
        if (T >= 10) m->T[m->rows++] = T;
    }
}

/* The mean over all runs but one (-1: over all). */
static void mean_without(const bench *b, const measured *m, int k, int64_t left_out, double *mean) {
    for (int i = 0; i < m->rows; i++) {
        double sum = 0;
        for (int64_t run = 0; run < m->runs; run++)
            if (run != left_out) sum += run_row(b, m, k, run)[i];
        mean[i] = sum / (double)(m->runs - (left_out >= 0));
    }
}

/* Of the mean on T, over the last two decades. */
static double fitted_slope(const measured *m, const double *mean) {
    double T[MOST_ROWS];
    int first = 0;
    for (int i = 0; i < m->rows; i++) T[i] = (double)m->T[i];
    while (T[first] < 0.0099 * (double)m->iterations) first++;
    return fit_power(m->rows - first, T + first, mean + first).slope;
}

/* Slopes, and their standard deviations by leaving out each run in turn (jackknife). */
static void summarize(const bench *b, measured *m) {
    for (int k = 0; k < METHODS; k++) {
        double sum = 0, squares = 0, mean[MOST_ROWS];
        const double n = (double)m->runs;
        mean_without(b, m, k, -1, m->mean[k]);
        m->slope[k] = fitted_slope(m, m->mean[k]);
        for (int64_t run = 0; run < m->runs && m->runs > 1; run++) {
            mean_without(b, m, k, run, mean);
            const double off = fitted_slope(m, mean) - m->slope[k];
            sum += off, squares += off * off;
        }
        m->deviation[k] = m->runs > 1 ? sqrt(fmax(0, (n - 1) / n * (squares - sum * sum / n))) : (double)NAN;
    }
    for (int i = 0; i < m->rows; i++) m->reference[i] = m->mean[0][0] * pow((double)m->T[i] / (double)m->T[0], -2.0 / 3);
}

static int run_all(const bench *b, measured *m, bool progress) {
    const double since = seconds_now();
    sustain_status status = SUSTAIN_OK;
    for (int k = 0; k < METHODS && status == SUSTAIN_OK; k++) {
        if (progress) fprintf(stderr, "\rchoosing the step of %-8s", methods[k].name);
        status = choose_step(b, m, k);
    }
    for (int64_t run = 0; run < m->runs && status == SUSTAIN_OK && !interrupted(); run++)
        for (int k = 0; k < METHODS && status == SUSTAIN_OK && !interrupted(); k++) {
            if (progress) fprintf(stderr, "\rrun %lld of %lld, %-8s", (long long)run + 1, (long long)m->runs, methods[k].name);
            status = run_once(b, m, k, run, run_row(b, m, k, run));
        }
    if (progress) fprintf(stderr, "\r%40s\r", "");
    m->seconds = seconds_now() - since;
    if (interrupted()) return complain(EXIT_INTERRUPTED, "interrupted; nothing was written");
    if (status != SUSTAIN_OK) return complain(EXIT_FAILED, "%s", sustain_error(b->context));
    summarize(b, m);
    return EXIT_DONE;
}

static int measure(sustain_context *context, measured *m, bool progress) {
    const sustain_quadratic_options options = demo_problem();
    bench b = {.context = context};
    int code = EXIT_FAILED;
    choose_rows(m);
    b.x = calloc(2 * (size_t)options.upper_dim, sizeof *b.x);
    b.run_mean = calloc((size_t)(METHODS * m->runs * MOST_ROWS), sizeof *b.run_mean);
    if (b.x == NULL || b.run_mean == NULL) {
        complain(code, "out of memory");
    } else if (sustain_quadratic_create(context, &options, &b.problem) != SUSTAIN_OK) {
        complain(code, "%s", sustain_error(context));
    } else {
        b.gradient = b.x + options.upper_dim;
        code = run_all(&b, m, progress);
    }
    sustain_quadratic_destroy(b.problem);
    free(b.run_mean);
    free(b.x);
    return code;
}

/* ---- the verb ---- */

static int run(sustain_context *context, const void *values) {
    const demo_values *given = values;
    measured m = {.iterations = given->iterations, .runs = given->runs, .seed = given->seed};
    interrupt_watch();
    int code = make_folder(given->out);
    if (code == EXIT_DONE) code = measure(context, &m, !given->quiet && !given->json && isatty(STDERR_FILENO));
    if (code == EXIT_DONE) code = config_write(given->out, &verb_demo, given, NULL);
    if (code == EXIT_DONE) code = write_json(given->out, "result.json", demo_json(&m, given->out));
    if (code == EXIT_DONE) code = page_write(context, given->out);
    if (code != EXIT_DONE) return code;
    if (given->json) return print_json(demo_json(&m, given->out));
    demo_text(&m, given);
    return EXIT_DONE;
}

#define VALUES demo_values

static const option options[] = {
    COUNT_ROW("iterations", iterations, "N", 100000, 100, 1e9, "of each run"),
    COUNT_ROW("runs", runs, "R", 10, 1, 10000, "with different random draws, to take the mean over"),
    COUNT_ROW("seed", seed, "S", 1, 0, 1e15, "of the first run; the next has the next"),
    FOLDER_ROW("out", out, "demo", "the folder for report.html, the page, and result.json, what --json prints"),
    SWITCH_ROW("json", json, "print one JSON object"),
    SWITCH_ROW("quiet", quiet, "print the result only: no progress, table or plot"),
};

static const example examples[] = {
    {"sustain demo --iterations 10000", "a short one"},
};

const verb verb_demo = {
    .name = "demo",
    .summary = "see SUSTAIN at work beside the theory's rate",
    .about =
        "Runs SUSTAIN on a noisy problem that is not convex and whose true gradient is known, and shows how the mean squared gradient norm "
        "falls with the number of iterations T: as a table, as a plot, and as a page. Beside it the theory's rate T^(-2/3), and plain SGD "
        "on both levels.",
    .options = options,
    .option_count = COUNT_OF(options),
    .examples = examples,
    .example_count = COUNT_OF(examples),
    .size = sizeof(demo_values),
    .run = run,
};

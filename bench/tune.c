/* tune.c - penalties on ijcnn1 in the public benchmark's form: mean logistic loss + 1/2 sum
 * exp(x_j) y_j^2, no intercept, validation on the test file.
 *
 *   tune rate SECONDS     SUSTAIN as bench/yardsticks/tune_numba.py runs it (batch 64, K = 10, x_0 = -3): iterations/s
 *   tune table SECONDS    every algorithm with its defaults from x_0 = 0, batch 64, so many seconds of the processor each: one line of CSV, exact figures
 *
 * The data are found under $SUSTAIN_DATA/ijcnn1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/learn.h>
#include <sustain/sustain.h>

#include "clock.h"

typedef struct data {
    sustain_context *context;
    sustain_dataset *set[2];
    sustain_rows rows[2];
} data;

static void stop_if(bool failed, const sustain_context *context) {
    if (!failed) return;
    fprintf(stderr, "tune: %s\n", sustain_error(context));
    exit(1);
}

static void read_data(data *d) {
    stop_if(sustain_context_create(&d->context) != SUSTAIN_OK, NULL);
    for (int part = 0; part < 2; part++) {
        stop_if(sustain_named_read(d->context, "ijcnn1", getenv("SUSTAIN_DATA"), (sustain_part)part, NULL, &d->set[part]) != SUSTAIN_OK,
                d->context);
        d->rows[part] = d->set[part]->rows;
        int32_t *signs = malloc((size_t)d->rows[part].count * sizeof *signs);
        if (signs == NULL) exit(1);
        for (int64_t i = 0; i < d->rows[part].count; i++) signs[i] = d->rows[part].labels[i] == 1 ? 1 : -1;
        d->rows[part].labels = signs;
    }
}

/* ijcnn1's rows are sparse in the file; as floats they are what the yardstick has. */
static void make_dense(sustain_rows *rows) {
    float *values = calloc((size_t)(rows->count * rows->dim), sizeof *values);
    if (values == NULL) exit(1);
    for (int64_t i = 0; i < rows->count; i++)
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++) values[i * rows->dim + rows->columns[e]] = rows->values[e];
    rows->values = values;
    rows->start = NULL;
    rows->columns = NULL;
}

static sustain_problem *make_problem(const data *d, double x_0) {
    sustain_regtune_options options = sustain_regtune_defaults();
    sustain_problem *problem;
    options.floor = 0;
    options.x_0 = x_0;
    stop_if(sustain_regtune_create(d->context, &options, &d->rows[0], &d->rows[1], &problem) != SUSTAIN_OK, d->context);
    return problem;
}

static void set(const data *d, sustain_solver *solver, const char *name, const char *value) {
    stop_if(sustain_solver_set(solver, name, value) != SUSTAIN_OK, d->context);
}

static void rate(const data *d, double seconds) {
    static const char *const settings[][2] = {{"schedule", "power"}, {"K", "10"},     {"L_g", "2"},     {"alpha", "0.5"},
                                              {"beta", "0.5"},       {"batch", "64"}, {"c_eta_f", "1"}, {"c_eta_g", "1"}};
    sustain_problem *problem = make_problem(d, -3);
    sustain_solver *solver;
    sustain_result result;
    stop_if(sustain_solver_create(d->context, "sustain", problem, &solver) != SUSTAIN_OK, d->context);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) set(d, solver, settings[i][0], settings[i][1]);
    const sustain_stopping stopping = {.seconds = seconds, .every = 1 << 30};
    stop_if(sustain_solver_run(solver, &stopping, &result) != SUSTAIN_OK, d->context);
    printf("%.0f\n", (double)result.iterations / result.seconds);
    sustain_solver_destroy(solver);
    sustain_regtune_destroy(problem);
}

static void exact_line(const data *d, const sustain_problem *problem, const char *name, const char *how, const sustain_result *run,
                       const double *x) {
    double y[64] = {0}, gradient[64], value, sum = 0;
    const sustain_status status = sustain_regtune_outer(problem, x, 1e-10, y, &value, gradient);
    stop_if(status != SUSTAIN_OK && status != SUSTAIN_NOT_CONVERGED, d->context);
    for (int64_t i = 0; i < problem->upper_dim; i++) sum += gradient[i] * gradient[i];
    const sustain_counts *c = &run->counts;
    printf("%s,%s,%lld,%.2f,%lld,%.6f,%.3e\n", name, how, (long long)run->iterations, run->seconds,
           (long long)(c->gradients[0] + c->gradients[1] + c->hessian_products + c->cross_products), value, sum);
    fflush(stdout);
}

/* In parts, the clock is read between them: on a machine that is busy with other things the table
 * is the same. */
static sustain_status run_for(sustain_solver *solver, double seconds, sustain_result *run) {
    sustain_stopping stopping = {.every = 1 << 30};
    int64_t part = 1;
    sustain_status status = sustain_solver_start(solver, NULL, NULL);
    const double begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    for (double before = 0, now = 0; status == SUSTAIN_OK && now < seconds; part *= now - before < 0.05 ? 2 : 1) {
        before = now;
        stopping.iterations += part;
        status = sustain_solver_run(solver, &stopping, run);
        run->seconds = now = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begun;
    }
    return status;
}

static void table_line(const data *d, const char *name, const char *how, double seconds) {
    sustain_problem *problem = make_problem(d, 0);
    sustain_solver *solver = NULL;
    sustain_result run;
    double x[64];
    sustain_status status = sustain_solver_create(d->context, name, problem, &solver);
    if (status == SUSTAIN_OK && !sustain_solver_describe(solver)->deterministic) set(d, solver, "batch", "64");
    if (status == SUSTAIN_OK && strcmp(how, "sign") == 0) set(d, solver, "mu_g", "0.05");
    if (status == SUSTAIN_OK && strcmp(how, "defaults") != 0) set(d, solver, "direction", how);
    if (status == SUSTAIN_OK) status = run_for(solver, seconds, &run);
    if (status == SUSTAIN_OK) {
        for (int64_t i = 0; i < problem->upper_dim; i++) x[i] = (double)run.x[i];
        exact_line(d, problem, name, how, &run, x);
    } else {
        printf("%s,%s,,,,,%s\n", name, how, sustain_status_text(status));
    }
    sustain_solver_destroy(solver);
    sustain_regtune_destroy(problem);
}

static void table(const data *d, double seconds) {
    puts("solver,direction,iterations,seconds,oracle_calls,upper_loss,gradient_norm_squared");
    for (int i = 0; i < sustain_solver_count(); i++) table_line(d, sustain_solver_at(i)->name, "defaults", seconds);
    table_line(d, "sustain", "adam", seconds);
    table_line(d, "hoag", "sign", seconds);
    sustain_problem *problem = make_problem(d, 0);
    const sustain_result nothing = {0};
    double x[64];
    for (int i = 0; i < 64; i++) x[i] = -15;
    exact_line(d, problem, "constant x = -15", "none", &nothing, x);
    sustain_regtune_destroy(problem);
}

int main(int argc, char **argv) {
    data d = {0};
    const double seconds = argc > 2 ? atof(argv[2]) : 3;
    if (argc < 2 || !(seconds > 0)) {
        fputs("usage: tune rate|table SECONDS\n", stderr);
        return 2;
    }
    read_data(&d);
    for (int part = 0; part < 2; part++)
        if (d.rows[part].start != NULL) make_dense(&d.rows[part]);
    if (strcmp(argv[1], "rate") == 0)
        rate(&d, seconds);
    else
        table(&d, seconds);
    return 0; /* what was read goes with the process */
}

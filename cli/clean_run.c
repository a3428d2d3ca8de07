/* clean_run.c - the solver at work: progress on the terminal, metrics.jsonl, checkpoints, Ctrl-C, going on where a run stopped. */
#include <math.h>
#include <stdlib.h>

#include "clean.h"
#include "interrupt.h"
#include "progress.h"

enum { SAVE_EVERY = 10 }; /* seconds between checkpoints */

/* ---- what is seen at an evaluation ---- */

static double seconds_left(const clean_job *job, const sustain_progress *p) {
    const double done = (double)(p->iteration - job->first_iteration), seconds = p->seconds - job->first_seconds;
    double left = INFINITY;
    if (job->stopping.iterations > 0 && done > 0) left = (double)(job->stopping.iterations - p->iteration) * seconds / done;
    if (job->stopping.seconds > 0) left = fmin(left, job->stopping.seconds - p->seconds);
    return fmax(left, 0);
}

static void show(const clean_job *job, const sustain_progress *p, double accuracy) {
    char left[32], rate[32] = "";
    const double done = (double)(p->iteration - job->first_iteration), seconds = p->seconds - job->first_seconds;
    if (seconds > 0 && done > 0) snprintf(rate, sizeof rate, "  %.0f/s", done / seconds);
    const double remaining = seconds_left(job, p);
    progress_show("iteration %lld  loss %.4f  trusted %.1f %%%s  %s%s", (long long)p->iteration, p->upper_value, 100 * accuracy, rate,
                  isfinite(remaining) && done > 0 ? duration_text(remaining, left) : "", isfinite(remaining) && done > 0 ? " left" : "");
}

static json_t *metrics_line(const sustain_progress *p, double accuracy) {
    json_t *line = json_object();
    json_object_set_new(line, "iteration", json_integer(p->iteration));
    json_object_set_new(line, "seconds", json_number_or_null(p->seconds));
    json_object_set_new(line, "upper_loss", json_number_or_null(p->upper_value));
    json_object_set_new(line, "trusted_accuracy", json_number_or_null(accuracy));
    json_object_set_new(line, "upper_norm", json_number_or_null(p->upper_norm));
    json_object_set_new(line, "lower_norm", json_number_or_null(p->lower_norm));
    json_object_set_new(line, "gradients_upper", json_integer(p->counts.gradients[0]));
    json_object_set_new(line, "gradients_lower", json_integer(p->counts.gradients[1]));
    json_object_set_new(line, "samples_upper", json_integer(p->counts.samples[0]));
    json_object_set_new(line, "samples_lower", json_integer(p->counts.samples[1]));
    return line;
}

/* Ends the run for Ctrl-C, or for a checkpoint: then it goes on. A run in parts equals a run in one. */
static int observe(void *user, const sustain_progress *p) {
    clean_job *job = user;
    double accuracy = NAN;
    if (sustain_clean_trusted_accuracy(job->clean, sustain_solver_y(p->solver), &accuracy) != SUSTAIN_OK) accuracy = NAN;
    if (!job->seen) job->seen = true, job->first_seconds = p->seconds, job->first_iteration = p->iteration;
    metrics_add(&job->log, p->iteration, metrics_line(p, accuracy));
    show(job, p, accuracy);
    return interrupted() || seconds_now() - job->last_save > SAVE_EVERY;
}

/* ---- the solver ---- */

static int failed(const clean_job *job) {
    progress_clear();
    return complain(EXIT_FAILED, "%s", sustain_error(job->context));
}

static int save(clean_job *job, sustain_solver *solver) {
    char path[LONGEST_PATH];
    run_path(job->given->run.out, "checkpoint.safetensors", path);
    job->last_save = seconds_now();
    return sustain_solver_save(solver, path) == SUSTAIN_OK ? EXIT_DONE : failed(job);
}

static int start(clean_job *job, sustain_solver *solver) {
    const char *out = job->given->run.out;
    char path[LONGEST_PATH];
    int64_t from = -1;
    run_path(out, "checkpoint.safetensors", path);
    if (job->given->run.resume && run_has(out, "checkpoint.safetensors")) {
        if (sustain_solver_load(solver, path) != SUSTAIN_OK) return complain(EXIT_USAGE, "%s", sustain_error(job->context));
        from = sustain_solver_iteration(solver);
    } else {
        remove(path); /* of another run, which this one replaces */
    }
    job->last_save = seconds_now();
    return metrics_open(&job->log, out, from);
}

static int run_solver(clean_job *job, sustain_solver *solver) {
    int code = EXIT_DONE;
    bool again = true;
    job->stopping.observer = observe;
    job->stopping.user = job;
    while (again && code == EXIT_DONE) {
        if (sustain_solver_run(solver, &job->stopping, &job->run) != SUSTAIN_OK) code = failed(job);
        if (code == EXIT_DONE) code = save(job, solver);
        again = job->run.stop == SUSTAIN_STOP_OBSERVER && !interrupted();
    }
    const int closed = metrics_close(&job->log);
    if (code == EXIT_DONE) code = closed;
    progress_clear();
    if (code == EXIT_DONE && job->run.stop == SUSTAIN_STOP_OBSERVER)
        code = complain(EXIT_INTERRUPTED, "interrupted at iteration %lld; go on with: sustain clean --out %s --resume",
                        (long long)job->run.iterations, job->given->run.out);
    return code;
}

/* ---- the rest ---- */

/* The steps of the library's work; Ctrl-C between them ends the program, for the checkpoint is written. */
static void show_log(void *user, const char *line) {
    const clean_job *job = user;
    progress_show("%s", line);
    if (!interrupted()) return;
    progress_clear();
    exit(complain(EXIT_INTERRUPTED, "interrupted after the last iteration; go on with: sustain clean --out %s --resume",
                  job->given->run.out));
}

int clean_run(clean_job *job) {
    sustain_solver *solver = sustain_clean_solver(job->clean);
    int code = start(job, solver);
    if (code == EXIT_DONE) code = run_solver(job, solver);
    if (code != EXIT_DONE) return code;
    sustain_context_set_log(job->context, show_log, job);
    if (sustain_clean_finish(job->clean, job->run.x, job->run.y, &job->result) != SUSTAIN_OK) code = failed(job);
    sustain_context_set_log(job->context, NULL, NULL);
    progress_clear();
    return code;
}

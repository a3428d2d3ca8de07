/* tune_run.c - the solver at work: progress on the terminal, metrics.jsonl, checkpoints, Ctrl-C, going on where a run stopped. */
#include <math.h>
#include <stdlib.h>

#include "interrupt.h"
#include "progress.h"
#include "tune.h"

enum { SAVE_EVERY = 10 }; /* seconds between checkpoints */

static json_t *metrics_line(const sustain_progress *p, double watched) {
    json_t *line = json_object();
    json_object_set_new(line, "iteration", json_integer(p->iteration));
    json_object_set_new(line, "seconds", json_number_or_null(p->seconds));
    json_object_set_new(line, "upper_loss", json_number_or_null(p->upper_value));
    json_object_set_new(line, "watched_loss", json_number_or_null(watched));
    json_object_set_new(line, "upper_norm", json_number_or_null(p->upper_norm));
    json_object_set_new(line, "lower_norm", json_number_or_null(p->lower_norm));
    json_object_set_new(line, "gradients_upper", json_integer(p->counts.gradients[0]));
    json_object_set_new(line, "gradients_lower", json_integer(p->counts.gradients[1]));
    return line;
}

/* Ends the run for Ctrl-C, for a checkpoint (then it goes on), or where the job says so. */
typedef struct seen {
    tune_job *job;
    bool enough;
} seen;

static int observe(void *user, const sustain_progress *p) {
    seen *s = user;
    tune_job *job = s->job;
    s->enough = sustain_tune_watch(job->tune, p) != 0;
    const double watched = job->data.watched.set != NULL ? sustain_tune_watched_loss(job->tune) : NAN;
    metrics_add(&job->log, p->iteration, metrics_line(p, watched));
    progress_show("iteration %lld  validation loss %.5f  %.1f s", (long long)p->iteration, p->upper_value, p->seconds);
    return s->enough || interrupted() || seconds_now() - job->last_save > SAVE_EVERY;
}

static int failed(const tune_job *job) {
    progress_clear();
    return complain(EXIT_FAILED, "%s", sustain_error(job->context));
}

static int save(tune_job *job, sustain_solver *solver) {
    char path[LONGEST_PATH];
    run_path(job->given->run.out, "checkpoint.safetensors", path);
    job->last_save = seconds_now();
    return sustain_solver_save(solver, path) == SUSTAIN_OK ? EXIT_DONE : failed(job);
}

/* The steps of the library's work; Ctrl-C between them ends the program. */
static void show_log(void *user, const char *line) {
    const tune_job *job = user;
    progress_show("%s", line);
    if (!interrupted()) return;
    progress_clear();
    exit(complain(EXIT_INTERRUPTED, "interrupted; go on with: sustain tune --out %s --resume", job->given->run.out));
}

static int start(tune_job *job, sustain_solver *solver) {
    const char *out = job->given->run.out;
    char path[LONGEST_PATH];
    int64_t from = -1;
    run_path(out, "checkpoint.safetensors", path);
    if (job->given->run.resume && run_has(out, "checkpoint.safetensors")) {
        if (sustain_solver_load(solver, path) != SUSTAIN_OK) return complain(EXIT_USAGE, "%s", sustain_error(job->context));
        from = sustain_solver_iteration(solver);
    } else {
        remove(path); /* of another run, which this one replaces */
        if (sustain_tune_start(job->tune) != SUSTAIN_OK) return failed(job);
    }
    job->last_save = seconds_now();
    return metrics_open(&job->log, out, from);
}

static int run_solver(tune_job *job, sustain_solver *solver) {
    int code = EXIT_DONE;
    bool again = true;
    seen s = {.job = job};
    job->stopping.observer = observe;
    job->stopping.user = &s;
    while (again && code == EXIT_DONE) {
        if (sustain_solver_run(solver, &job->stopping, &job->run) != SUSTAIN_OK) code = failed(job);
        if (code == EXIT_DONE) code = save(job, solver);
        again = job->run.stop == SUSTAIN_STOP_OBSERVER && !interrupted() && !s.enough;
    }
    const int closed = metrics_close(&job->log);
    if (code == EXIT_DONE) code = closed;
    progress_clear();
    if (code == EXIT_DONE && job->run.stop == SUSTAIN_STOP_OBSERVER && !s.enough)
        code = complain(EXIT_INTERRUPTED, "interrupted at iteration %lld; go on with: sustain tune --out %s --resume",
                        (long long)job->run.iterations, job->given->run.out);
    return code;
}

int tune_run(tune_job *job) {
    sustain_solver *solver = sustain_tune_solver(job->tune);
    sustain_context_set_log(job->context, show_log, job);
    int code = start(job, solver);
    if (code == EXIT_DONE) code = run_solver(job, solver);
    if (code == EXIT_DONE && sustain_tune_finish(job->tune, &job->run, &job->result) != SUSTAIN_OK) code = failed(job);
    sustain_context_set_log(job->context, NULL, NULL);
    progress_clear();
    return code;
}

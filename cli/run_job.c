/* run_job.c - a solver at work in the folder of its run. */
#include "run_job.h"

#include "interrupt.h"
#include "page.h"
#include "progress.h"

enum { SAVE_EVERY = 10 }; /* seconds between checkpoints */

void print_remark(void *given, const char *line) {
    const run_values *run = given;
    if (!run->quiet) complain(EXIT_DONE, "%s", line);
}

int run_take_options(sustain_context *context, const verb *v, void *values, bool has_data, json_t **keep) {
    const run_values *given = values;
    if (!given->resume) return EXIT_DONE;
    if (run_has(given->out, "config.json")) return config_read(context, given->out, v, values, keep);
    if (has_data) return EXIT_DONE;
    return complain(EXIT_USAGE, "there is no run in %s to go on with: it has no config.json", given->out);
}

json_t *metrics_line(const sustain_progress *p, const char *own_name, double own) {
    json_t *line = json_object();
    json_object_set_new(line, "iteration", json_integer(p->iteration));
    json_object_set_new(line, "seconds", json_number_or_null(p->seconds));
    json_object_set_new(line, "upper_loss", json_number_or_null(p->upper_value));
    json_object_set_new(line, own_name, json_number_or_null(own));
    json_object_set_new(line, "upper_norm", json_number_or_null(p->upper_norm));
    json_object_set_new(line, "lower_norm", json_number_or_null(p->lower_norm));
    json_object_set_new(line, "gradients_upper", json_integer(p->counts.gradients[0]));
    json_object_set_new(line, "gradients_lower", json_integer(p->counts.gradients[1]));
    return line;
}

int run_failed(const run_job *job) {
    progress_clear();
    return complain(EXIT_FAILED, "%s", sustain_error(job->context));
}

int run_pause(const run_job *job) {
    return job->enough || interrupted() || seconds_now() - job->last_save > SAVE_EVERY;
}

static int save(run_job *job, sustain_solver *solver) {
    char path[LONGEST_PATH];
    run_path(job->given->out, "checkpoint.safetensors", path);
    job->last_save = seconds_now();
    return sustain_solver_save(solver, path) == SUSTAIN_OK ? EXIT_DONE : run_failed(job);
}

int run_begin(run_job *job, sustain_solver *solver, int (*fresh)(void *user), void *user) {
    const char *out = job->given->out;
    char path[LONGEST_PATH];
    int64_t from = -1;
    run_path(out, "checkpoint.safetensors", path);
    if (job->given->resume && run_has(out, "checkpoint.safetensors")) {
        if (sustain_solver_load(solver, path) != SUSTAIN_OK) return complain(EXIT_USAGE, "%s", sustain_error(job->context));
        from = sustain_solver_iteration(solver);
    } else {
        remove(path); /* of another run, which this one replaces */
        const int code = fresh != NULL ? fresh(user) : EXIT_DONE;
        if (code != EXIT_DONE) return code;
    }
    run_path(out, "result.json", path);
    remove(path); /* there is none before the end */
    job->last_save = seconds_now();
    return metrics_open(&job->log, out, from);
}

int run_solver(run_job *job, sustain_solver *solver, sustain_observer observer, void *user) {
    int code = EXIT_DONE;
    bool again = true;
    job->stopping.observer = observer;
    job->stopping.user = user;
    while (again && code == EXIT_DONE) {
        if (sustain_solver_run(solver, &job->stopping, &job->result) != SUSTAIN_OK) code = run_failed(job);
        if (code == EXIT_DONE) code = save(job, solver);
        again = job->result.stop == SUSTAIN_STOP_OBSERVER && !interrupted() && !job->enough;
    }
    const int closed = metrics_close(&job->log);
    if (code == EXIT_DONE) code = closed;
    progress_clear();
    const bool stopped = code == EXIT_DONE && job->result.stop == SUSTAIN_STOP_OBSERVER && !job->enough;
    if (stopped) code = page_write(job->context, job->given->out); /* as far as it went */
    if (stopped && code == EXIT_DONE)
        code = complain(EXIT_INTERRUPTED, "interrupted at iteration %lld; go on with: sustain %s --out %s --resume",
                        (long long)job->result.iterations, job->verb->name, job->given->out);
    return code;
}

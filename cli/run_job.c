/* run_job.c - runs a solver in the folder of its run. */
#include "run_job.h"

#include <math.h>
#include <stdlib.h>

#include "folder_lock.h"
#include "interrupt.h"
#include "kept_inputs.h"
#include "memory_limit.h"
#include "page.h"
#include "progress.h"
#include "ranks.h"

enum { SAVE_EVERY = 10 }; /* seconds between checkpoints */

/* ---- any job ---- */

static int take_options(run_job *job, void *values, bool has_data) {
    const char *out = job->given->out;
    if (!job->given->resume) return EXIT_DONE;
    if (run_has(out, "config.json")) return config_read(job->context, out, job->verb, values, &job->keep);
    if (has_data) return EXIT_DONE;
    return complain(EXIT_USAGE, "there is no run to resume in %s: it has no config.json", out);
}

int run_set_up(run_job *job, sustain_context *context, const verb *v, void *values, bool has_data) {
    *job = (run_job){.context = context, .verb = v, .given = values, .begun = lab_clock()};
    sustain_context_phase(context, SUSTAIN_PHASE_READ);
    interrupt_watch();
    interrupt_calls(context);
    job->allowed = (double)memory_limit(context, job->given->max_memory);
    progress_enable(!job->given->quiet && !job->given->json);
    sustain_context_set_log(context, note_log, (void *)&job->given->quiet);
    const int code = take_options(job, values, has_data);
    sustain_context_set_trust_mtime(context, job->given->trust_mtime);
    if (code != EXIT_DONE || sustain_context_set_threads(context, run_options_threads(job->given)) == SUSTAIN_OK) return code;
    return complain(EXIT_USAGE, "%s", sustain_error(context));
}

/* "1.2 GB" or "35 MB"; out has 32 places. */
static const char *memory_text(double bytes, char *out) {
    const double mega = 1e6;
    if (bytes < 1e3 * mega)
        snprintf(out, 32, "%.0f MB", ceil(bytes / mega));
    else
        snprintf(out, 32, "%.1f GB", bytes / (1e3 * mega));
    return out;
}

int run_check_memory(run_job *job, sustain_status status, const sustain_memory *memory) {
    char needed[32], allowed[32], rest[64] = "";
    if (status == SUSTAIN_OK) status = sustain_memory_check(job->context, memory);
    if (status != SUSTAIN_OK) return refused(job->context, status);
    job->memory = memory->bytes;
    if (job->given->quiet || job->given->json) return EXIT_DONE;
    if (job->allowed > 0)
        snprintf(rest, sizeof rest, "; %s are %s", memory_text(job->allowed, allowed), isnan(job->given->max_memory) ? "free" : "allowed");
    complain(EXIT_DONE, "memory: about %s beside mapped files%s", memory_text(memory->bytes, needed), rest);
    return EXIT_DONE;
}

int run_make_folder(const run_job *job, json_t *data) {
    char identity[RUN_IDENTITY];
    sustain_context_phase(job->context, SUSTAIN_PHASE_OTHER);
    sustain_context_set_log(job->context, NULL, NULL);
    run_identity(job->context, job->verb, job->given, identity);
    sustain_context_set_identity(job->context, identity);
    int code = ranks_same_data(job->context);
    if (code == EXIT_DONE) code = inputs_keep_in(job->verb, job->given, job->given->out);
    if (code == EXIT_DONE) code = make_folder(job->given->out);
    if (code == EXIT_DONE) code = folder_lock(job->given->out);
    if (code == EXIT_DONE) notes_show();
    if (code == EXIT_DONE) return config_write(job->context, job->given->out, job->verb, job->given, data);
    json_decref(data);
    return code;
}

/* ---- checkpoints: the last, and the one before it ---- */

static const char last_name[] = "checkpoint.safetensors", previous_name[] = "checkpoint-previous.safetensors";

bool run_goes_on(const run_job *job) {
    char path[LONGEST_PATH];
    const char *out = job->given->out;
    if (job->given->resume && (run_has(out, last_name) || run_has(out, previous_name))) return true;
    run_path(out, last_name, path);
    remove(path);
    run_path(out, previous_name, path);
    remove(path);
    return false;
}

/* The last one becomes the one before it: from here to the end of the next save there is that one
 * alone, which is whole. */
int run_rotate(run_job *job, char path[LONGEST_PATH]) {
    char previous[LONGEST_PATH];
    if (ferror(job->log.file)) return metrics_close(&job->log);
    run_path(job->given->out, last_name, path);
    run_path(job->given->out, previous_name, previous);
    if (run_has(job->given->out, last_name)) rename(path, previous);
    job->last_save = lab_clock();
    return EXIT_DONE;
}

/* A sink of the log. Lines about the solver of a resumed run are no remarks: results do not depend
 * on where a run was interrupted. */
static void print_line(void *quiet, const char *line) {
    if (!*(const bool *)quiet) complain(EXIT_DONE, "%s", line);
}

int run_load(run_job *job, sustain_status (*load)(void *user, const char *path), void *user) {
    char path[LONGEST_PATH];
    const char *out = job->given->out;
    run_path(out, run_has(out, last_name) ? last_name : previous_name, path);
    sustain_context_set_log(job->context, print_line, (void *)&job->given->quiet);
    sustain_status status = load(user, path);
    if (status == SUSTAIN_FORMAT && run_has(out, last_name) && run_has(out, previous_name)) {
        complain(EXIT_DONE, "%s; the checkpoint before it is used", sustain_error(job->context));
        run_path(out, previous_name, path);
        status = load(user, path);
        run_path(out, last_name, path);
        if (status == SUSTAIN_OK) remove(path); /* or the next save would put it in the place of the good one */
    }
    sustain_context_set_log(job->context, NULL, NULL);
    if (status == SUSTAIN_OK) return EXIT_DONE;
    return complain(EXIT_USAGE, "%s%s", sustain_error(job->context),
                    status == SUSTAIN_FORMAT ? "; without it, --resume begins again at iteration 0: remove it" : "");
}

int run_open_metrics(run_job *job, int64_t from) {
    char path[LONGEST_PATH];
    run_path(job->given->out, "result.json", path);
    remove(path); /* it exists only after the end */
    job->last_save = lab_clock();
    return metrics_open(&job->log, job->given->out, from);
}

bool run_save_due(const run_job *job) {
    return lab_clock() - job->last_save > SAVE_EVERY;
}

int run_close_metrics(run_job *job, int code, int64_t interrupted_at) {
    const char *out = job->given->out;
    const int closed = metrics_close(&job->log);
    if (code == EXIT_DONE) code = closed;
    progress_clear();
    if (code != EXIT_DONE || interrupted_at < 0) return code;
    code = page_write(job->context, out);
    if (code != EXIT_DONE) return code;
    char when[64];
    snprintf(when, sizeof when, " at iteration %lld", (long long)interrupted_at);
    return run_interrupted(job, when);
}

int run_interrupted(const run_job *job, const char *when) {
    char *command = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&command, &size);
    if (to == NULL) end_without_memory();
    fprintf(to, "sustain %s --out", job->verb->name);
    shell_word(to, job->given->out);
    if (fclose(to) != 0 || command == NULL) end_without_memory();
    complain(EXIT_INTERRUPTED, "interrupted%s; resume with: %s --resume", when, command);
    free(command);
    return EXIT_INTERRUPTED;
}

/* ---- --profile ---- */

static sustain_profile profile_of(const run_job *job) {
    sustain_profile p = {.size = sizeof p};
    sustain_context_profile(job->context, &p);
    return p;
}

void run_add_profile(const run_job *job, json_t *object) {
    if (!job->given->profile) return;
    const sustain_profile p = profile_of(job);
    json_t *profile = json_object(), *seconds = json_object(), *exchange = json_object();
    for (int i = 0; i < SUSTAIN_PHASE_COUNT; i++) SET_NUMBERS(seconds, {sustain_phase_key((sustain_phase)i), p.seconds[i]});
    json_object_set_new(exchange, "messages", json_integer(p.exchanges));
    json_object_set_new(exchange, "bytes_sent", json_integer(p.bytes_sent));
    json_object_set_new(exchange, "bytes_received", json_integer(p.bytes_received));
    SET_NUMBERS(exchange, {"seconds", p.exchange_seconds});
    json_object_set_new(profile, "seconds", seconds);
    json_object_set_new(profile, "communication", exchange);
    json_object_set_new(object, "profile", profile);
}

static void show_profile(const run_job *job) {
    const sustain_profile p = profile_of(job);
    double all = 0;
    for (int i = 0; i < SUSTAIN_PHASE_COUNT; i++) all += p.seconds[i];
    fprintf(stderr, "seconds by phase (process 0 of %d, %d threads)\n", ranks_count(), sustain_context_threads(job->context));
    for (int i = 1; i <= SUSTAIN_PHASE_COUNT; i++) { /* "other" last */
        const int phase = i % SUSTAIN_PHASE_COUNT;
        fprintf(stderr, "  %-14s %9.3f  %5.1f %%\n", sustain_phase_key((sustain_phase)phase), p.seconds[phase],
                100 * p.seconds[phase] / all);
    }
    fprintf(stderr, "  %-14s %9.3f\n", "all", all);
    fprintf(stderr, "  communication  %9.3f  %5.1f %%  in %lld messages, %.3f MB sent, %.3f MB received\n", p.exchange_seconds,
            100 * p.exchange_seconds / all, (long long)p.exchanges, 1e-6 * (double)p.bytes_sent, 1e-6 * (double)p.bytes_received);
}

void run_tear_down(run_job *job) {
    if (job->given->profile) show_profile(job);
    notes_end();
    sustain_context_set_log(job->context, NULL, NULL);
    json_decref(job->keep);
}

int run_failed(const run_job *job) {
    progress_clear();
    if (interrupted_call(job->context)) return run_interrupted(job, "");
    return complain(EXIT_FAILED, "%s", sustain_error(job->context));
}

/* ---- the job of a solver ---- */

void set_counts(json_t *object, const sustain_counts *c) {
    json_object_set_new(object, "gradients_upper", json_integer(c->gradients[SUSTAIN_UPPER]));
    json_object_set_new(object, "gradients_lower", json_integer(c->gradients[SUSTAIN_LOWER]));
    json_object_set_new(object, "samples_upper", json_integer(c->samples[SUSTAIN_UPPER]));
    json_object_set_new(object, "samples_lower", json_integer(c->samples[SUSTAIN_LOWER]));
    json_object_set_new(object, "hessian_products", json_integer(c->hessian_products));
    json_object_set_new(object, "cross_products", json_integer(c->cross_products));
}

json_t *metrics_line(const sustain_progress *p, const char *own_name, double own) {
    json_t *line = json_object();
    json_object_set_new(line, "iteration", json_integer(p->iteration));
    SET_NUMBERS(line, {"seconds", p->seconds}, {"upper_loss", p->upper_value});
    json_object_set_new(line, own_name, json_number_or_null(own));
    SET_NUMBERS(line, {"upper_norm", p->upper_norm}, {"lower_norm", p->lower_norm});
    json_object_set_new(line, "gradients_upper", json_integer(p->counts.gradients[0]));
    json_object_set_new(line, "gradients_lower", json_integer(p->counts.gradients[1]));
    return line;
}

int run_pause(const run_job *job) {
    return job->enough || interrupted() || run_save_due(job);
}

static int save(run_job *job, sustain_solver *solver) {
    char path[LONGEST_PATH];
    const int code = run_rotate(job, path);
    job->saved_at = sustain_solver_iteration(solver);
    if (code != EXIT_DONE) return code;
    return sustain_solver_save(solver, path) == SUSTAIN_OK ? EXIT_DONE : run_failed(job);
}

static sustain_status load_solver(void *solver, const char *path) {
    return sustain_solver_load(solver, path);
}

int run_begin(run_job *job, sustain_solver *solver, int (*fresh)(void *user), void *user) {
    int64_t from = -1;
    if (run_goes_on(job)) {
        const int code = run_load(job, load_solver, solver);
        if (code != EXIT_DONE) return code;
        from = sustain_solver_iteration(solver);
    } else if (fresh != NULL) {
        const int code = fresh(user);
        if (code != EXIT_DONE) return code;
    }
    return run_open_metrics(job, from);
}

/* A run between two evaluations. */
typedef struct stretch {
    run_job *job;
    sustain_solver *solver;
    sustain_observer observer;
    void *user;
    int64_t asked;
} stretch;

/* The cancel hook: for Ctrl-C, or because a checkpoint is due, as evaluations may be rare. An
 * iteration that is cancelled is repeated, so there must be a new one to save; and the clocks of
 * several processes differ. */
static int stop_to_save(void *user) {
    enum { ASK_CLOCK = 64 };
    stretch *s = user;
    if (interrupted()) return 1;
    if (++s->asked % ASK_CLOCK != 0 || ranks_count() > 1) return 0;
    return sustain_solver_iteration(s->solver) > s->job->saved_at && run_save_due(s->job);
}

static int observe(void *user, const sustain_progress *p) {
    stretch *s = user;
    interrupt_calls(s->job->context);
    const int pause = s->observer(s->user, p);
    sustain_context_set_cancel(s->job->context, stop_to_save, s);
    return pause;
}

int run_solver(run_job *job, sustain_solver *solver, sustain_observer observer, void *user) {
    int code = EXIT_DONE;
    bool again = true, cancelled = false;
    stretch s = {.job = job, .solver = solver, .observer = observer, .user = user};
    job->saved_at = sustain_solver_iteration(solver);
    job->stopping.observer = observe;
    job->stopping.user = &s;
    sustain_context_set_cancel(job->context, stop_to_save, &s);
    if (job->enough) job->stopping.iterations = sustain_solver_iteration(solver); /* it ended before it was resumed */
    while (again && code == EXIT_DONE) {
        const sustain_status status = sustain_solver_run(solver, &job->stopping, &job->result);
        cancelled = status == SUSTAIN_CANCELLED;
        if (status != SUSTAIN_OK && !(cancelled && job->result.x != NULL)) code = run_failed(job); /* without x it has not begun */
        if (code == EXIT_DONE && !job->evaluation_is_lost) code = save(job, solver);
        again = (cancelled || job->result.stop == SUSTAIN_STOP_OBSERVER) && !interrupted() && !job->enough && !job->evaluation_is_lost;
    }
    interrupt_calls(job->context);
    const bool stopped = cancelled || (job->result.stop == SUSTAIN_STOP_OBSERVER && !job->enough);
    return run_close_metrics(job, code, stopped ? job->result.iterations : -1);
}

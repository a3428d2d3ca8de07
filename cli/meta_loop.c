/* meta_loop.c - the iterations of `sustain meta train`: progress, metrics.jsonl, validation, the
 * best model, checkpoints, Ctrl-C. */
#include <math.h>
#include <sys/resource.h>

#include "interrupt.h"
#include "verb_meta.h"
#include "progress.h"

int64_t meta_memory(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_maxrss * 1024 : 0;
}

static int save(meta_job *job) {
    char path[LONGEST_PATH];
    /* a solver that has not started has no state */
    if (sustain_meta_solver(job->meta) != NULL && sustain_meta_iteration(job->meta) == 0) return EXIT_DONE;
    const int code = run_rotate(&job->run, path);
    if (code != EXIT_DONE) return code;
    return sustain_meta_save(job->meta, path) == SUSTAIN_OK ? EXIT_DONE : run_failed(&job->run);
}

static int write_model(meta_job *job) {
    char path[LONGEST_PATH];
    run_path(job->given->run.out, "model.safetensors", path);
    return sustain_meta_write_model(job->meta, path) == SUSTAIN_OK ? EXIT_DONE : run_failed(&job->run);
}

/* ---- validation ---- */

static int evaluate(meta_job *job, const sustain_pictures *pictures, uint32_t stream, int64_t tasks, json_t *line, const char *name,
                    sustain_meta_score *score) {
    char key[64];
    const sustain_meta_trial trial = {
        .tasks = tasks, .queries = job->given->test_queries, .seed = job->options.seed, .stream = stream, .quick = true};
    const sustain_phase before = sustain_context_phase(job->run.context, SUSTAIN_PHASE_PREDICTIONS);
    const sustain_status status = sustain_meta_evaluate(job->meta, pictures, &trial, score);
    sustain_context_phase(job->run.context, before);
    if (status == SUSTAIN_CANCELLED) job->evaluation_is_lost = true;
    if (status != SUSTAIN_OK) return status == SUSTAIN_CANCELLED ? EXIT_INTERRUPTED : run_failed(&job->run);
    snprintf(key, sizeof key, "%s_accuracy", name);
    json_object_set_new(line, key, json_number_or_null(score->accuracy));
    snprintf(key, sizeof key, "%s_interval", name);
    json_object_set_new(line, key, json_number_or_null(score->interval));
    return EXIT_DONE;
}

/* Validation tasks decide which model is kept; test tasks are only for the curve. */
static int validate(meta_job *job, json_t *line) {
    sustain_meta_score score;
    int code = evaluate(job, job->validation, META_VALIDATION, job->given->validation_tasks, line, "validation", &score);
    if (code == EXIT_DONE && sustain_meta_look(job->meta, score.accuracy)) code = write_model(job);
    if (code == EXIT_DONE && job->given->trace) code = evaluate(job, job->test, META_TEST, job->given->test_tasks, line, "test", &score);
    return code;
}

/* ---- an iteration ---- */

static void show(const meta_job *job, int64_t t) {
    char left[32], validation[32] = "";
    const sustain_meta_record *best = sustain_meta_best(job->meta);
    const double each = best->seconds / (double)t, remaining = fmin((double)(job->limit - t) * each, job->seconds - best->seconds);
    if (!isnan(best->accuracy)) snprintf(validation, sizeof validation, "  validation %.1f %%", 100 * best->accuracy);
    progress_show("iteration %lld  loss %.3f  accuracy %.1f %%%s  %.2f s each  %s left", (long long)t, best->train_loss,
                  100 * best->train_accuracy, validation, each, duration_text(fmax(remaining, 0), left));
}

static int iterate(meta_job *job) {
    sustain_meta_progress p;
    int code = EXIT_DONE;
    const sustain_status status = sustain_meta_step(job->meta, &p);
    if (status == SUSTAIN_CANCELLED) return EXIT_DONE; /* the state is as before, and the loop ends */
    if (status != SUSTAIN_OK) return run_failed(&job->run);
    const int64_t t = sustain_meta_iteration(job->meta);
    json_t *line = json_object();
    json_object_set_new(line, "iteration", json_integer(t));
    json_object_set_new(line, "seconds", json_real(sustain_meta_best(job->meta)->seconds));
    json_object_set_new(line, "train_loss", json_real(p.loss));
    json_object_set_new(line, "train_accuracy", json_real(p.accuracy));
    json_object_set_new(line, "upper_norm", json_real(p.norm));
    if (t % job->given->validate_every == 0) code = validate(job, line);
    if (code == EXIT_INTERRUPTED) {
        json_decref(line);
        return EXIT_DONE;
    }
    metrics_add(&job->run.log, t, line);
    show(job, t);
    return code;
}

/* ---- the loop ---- */

static bool enough(meta_job *job) {
    const sustain_meta_record *best = sustain_meta_best(job->meta);
    job->stopped = sustain_meta_iteration(job->meta) >= job->limit                              ? "iterations"
                   : best->seconds >= job->seconds                                              ? "seconds"
                   : job->given->patience > 0 && best->without_progress >= job->given->patience ? "patience"
                                                                                                : NULL;
    return job->stopped != NULL;
}

static sustain_status load_state(void *meta, const char *path) {
    return sustain_meta_load(meta, path);
}

/* From the checkpoint, or from the start. */
static int begin(meta_job *job) {
    char path[LONGEST_PATH];
    int64_t from = -1;
    if (run_goes_on(&job->run)) {
        const int code = run_load(&job->run, load_state, job->meta);
        if (code != EXIT_DONE) return code;
        from = sustain_meta_iteration(job->meta);
    }
    run_path(job->given->run.out, "model.safetensors", path);
    if (from < 0)
        remove(path); /* of another run, which this one replaces */
    else if (!isnan(sustain_meta_best(job->meta)->accuracy))
        sustain_meta_write_best(job->meta,
                                path); /* over one that only the end of the shorter run validated; an older checkpoint has none */
    job->begun_at = sustain_meta_iteration(job->meta);
    return run_open_metrics(&job->run, from);
}

int meta_loop(meta_job *job) {
    int code = begin(job);
    sustain_context_phase(job->run.context, SUSTAIN_PHASE_ITERATIONS);
    while (code == EXIT_DONE && !enough(job) && !interrupted()) {
        code = iterate(job);
        if (code == EXIT_DONE && !job->evaluation_is_lost && run_save_due(&job->run)) code = save(job);
    }
    /* Ctrl-C during an evaluation: the checkpoint before it stays, so that a resumed run
     * repeats it. */
    if (code == EXIT_DONE && !job->evaluation_is_lost) code = save(job);
    job->memory_peak = meta_memory();
    sustain_context_phase(job->run.context, SUSTAIN_PHASE_OTHER);
    /* A last validation if the run did not end with one: after the checkpoint, since a resumed
     * run would not have made it here. */
    const int64_t t = sustain_meta_iteration(job->meta);
    if (code == EXIT_DONE && (t % job->given->validate_every != 0 || t == 0) && !interrupted()) {
        json_t *line = json_object();
        code = validate(job, line);
        if (code == EXIT_INTERRUPTED) code = EXIT_DONE;
        json_decref(line);
    }
    return run_close_metrics(&job->run, code, interrupted() ? t : -1);
}

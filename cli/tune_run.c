/* tune_run.c - what is seen while the solver is at work, and the rest of the job. */
#include <math.h>

#include "progress.h"
#include "verb_tune.h"

static int observe(void *user, const sustain_progress *p) {
    tune_job *job = user;
    job->run.enough = sustain_tune_watch(job->tune, p) != 0;
    const double watched = job->data.watched.set != NULL ? sustain_tune_watched_loss(job->tune) : NAN;
    metrics_add(&job->run.log, p->iteration, metrics_line(p, "watched_loss", watched));
    progress_show("iteration %lld  validation loss %.5f  %.1f s", (long long)p->iteration, p->upper_value, p->seconds);
    return run_pause(&job->run);
}

static int start(void *user) {
    const tune_job *job = user;
    const sustain_phase before = sustain_context_phase(job->run.context, SUSTAIN_PHASE_FITS); /* the best single penalty */
    const sustain_status status = sustain_tune_start(job->tune);
    sustain_context_phase(job->run.context, before);
    return status == SUSTAIN_OK ? EXIT_DONE : run_failed(&job->run);
}

int tune_run(tune_job *job) {
    sustain_context *context = job->run.context;
    sustain_solver *solver = sustain_tune_solver(job->tune);
    sustain_context_set_log(context, progress_log, NULL);
    int code = run_begin(&job->run, solver, start, job);
    sustain_context_set_log(context, progress_log, NULL); /* loading a checkpoint took it away */
    job->run.enough = sustain_tune_ended(job->tune);
    if (code == EXIT_DONE) code = run_solver(&job->run, solver, observe, job);
    sustain_context_phase(context, SUSTAIN_PHASE_FITS); /* the baselines */
    if (code == EXIT_DONE && sustain_tune_finish(job->tune, &job->run.result, &job->result) != SUSTAIN_OK) code = run_failed(&job->run);
    sustain_context_phase(context, SUSTAIN_PHASE_OTHER);
    sustain_context_set_log(context, NULL, NULL);
    progress_clear();
    return code;
}

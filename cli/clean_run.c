/* clean_run.c - what is seen while the solver is at work, and the rest of the job. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verb_clean.h"
#include "interrupt.h"
#include "page.h"
#include "progress.h"
#include "ranks.h"

/* ---- what is seen at an evaluation ---- */

static double seconds_left(const clean_job *job, const sustain_progress *p) {
    const double done = (double)(p->iteration - job->first_iteration), seconds = p->seconds - job->first_seconds;
    double left = INFINITY;
    if (job->run.stopping.iterations > 0 && done > 0) left = (double)(job->run.stopping.iterations - p->iteration) * seconds / done;
    if (job->run.stopping.seconds > 0) left = fmin(left, job->run.stopping.seconds - p->seconds);
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

static int observe(void *user, const sustain_progress *p) {
    clean_job *job = user;
    double accuracy = NAN;
    /* an evaluation is completed: a resumed run does not repeat it; unless it is lost with another
     * process */
    if (ranks_count() <= 1) sustain_context_set_cancel(job->run.context, NULL, NULL);
    const sustain_status status = sustain_clean_trusted_accuracy(job->clean, sustain_solver_y(p->solver), &accuracy);
    interrupt_calls(job->run.context);
    job->run.evaluation_is_lost = status == SUSTAIN_CANCELLED;
    if (job->run.evaluation_is_lost) return 1;
    if (status != SUSTAIN_OK) accuracy = NAN;
    if (!job->seen) job->seen = true, job->first_seconds = p->seconds, job->first_iteration = p->iteration;
    json_t *line = metrics_line(p, "trusted_accuracy", accuracy);
    json_object_set_new(line, "samples_upper", json_integer(p->counts.samples[0]));
    json_object_set_new(line, "samples_lower", json_integer(p->counts.samples[1]));
    metrics_add(&job->run.log, p->iteration, line);
    show(job, p, accuracy);
    return run_pause(&job->run);
}

/* ---- the rest ---- */

/* The checkpoint is written: Ctrl-C leaves a page as far as the run went. */
static int stop(const clean_job *job) {
    if (!interrupted_call(job->run.context)) return run_failed(&job->run);
    progress_clear();
    const int code = page_write(job->run.context, job->given->run.out);
    return code == EXIT_DONE ? run_interrupted(&job->run, " after the last iteration") : code;
}

/* Without a solver there is nothing to resume: everything is computed again. */
static int run_bilevel(clean_job *job) {
    sustain_solver *solver = sustain_clean_solver(job->clean);
    if (solver == NULL) {
        int code = run_open_metrics(&job->run, -1);
        return run_close_metrics(&job->run, code, -1);
    }
    const int code = run_begin(&job->run, solver, NULL, NULL);
    return code == EXIT_DONE ? run_solver(&job->run, solver, observe, job) : code;
}

/* The weight of a row that no draw had is exactly 1/2. */
static void warn_of_weights(clean_job *job) {
    const sustain_clean_result *r = &job->result;
    int64_t never = 0;
    char count[32], rows[32];
    for (int64_t i = 0; i < r->count && r->weight != NULL; i++) never += r->weight[i] == 0.5f;
    if (never == 0) return;
    note_warning("the weights of %s of %s rows are still 0.5: the solver ended before it drew these rows; more iterations help.",
                 grouped_text(never, count), grouped_text(r->count, rows));
}

static void warn_of_doubt(const clean_job *job) {
    const sustain_clean_result *r = &job->result;
    if (r->doubt == SUSTAIN_CLEAN_DOUBT_FREQUENT)
        note_warning("the %s predict the labels no better than always saying '%s', the most frequent label: the flags mean little. Give "
                     "others, or check rows (--verified).",
                     job->data.pred_prob_count > 0 ? "probabilities" : "features", clean_class(&job->data, r->frequent));
    if (r->doubt == SUSTAIN_CLEAN_DOUBT_ALL)
        note_warning("in every row the given label is the likeliest class of the probabilities, so that none looks wrong: if the model "
                     "was trained on these labels, that says nothing. Give probabilities out of fold (cross-validation).");
}

/* Where the classifiers of the first run ended: a run with more verified rows begins there, one
 * without them begins anew, and so ends with the same bits as the first one. */
static int load_models(clean_job *job) {
    char path[LONGEST_PATH];
    bool used = false;
    run_path(job->given->run.out, "models.safetensors", path);
    if (!job->given->run.resume) remove(path); /* of another run, which this one replaces */
    if (!run_has(job->given->run.out, "models.safetensors")) return EXIT_DONE;
    const int code = refused(job->run.context, sustain_clean_load_models(job->clean, path, &used));
    job->from_models = used;
    return code;
}

static int save_models(clean_job *job) {
    char path[LONGEST_PATH];
    bool written = false;
    if (job->from_models) return EXIT_DONE;
    run_path(job->given->run.out, "models.safetensors", path);
    if (sustain_clean_save_models(job->clean, path, &written) != SUSTAIN_OK) return run_failed(&job->run);
    return EXIT_DONE;
}

int clean_run(clean_job *job) {
    sustain_context *context = job->run.context;
    const sustain_result *solved = &job->run.result;
    int code = load_models(job); /* first: a file that is refused leaves the result as it is */
    if (code == EXIT_DONE) code = run_bilevel(job);
    if (code != EXIT_DONE) return code;
    sustain_context_set_log(context, progress_log, NULL);
    if (sustain_clean_finish(job->clean, solved->x, solved->y, &job->result) != SUSTAIN_OK) code = stop(job);
    sustain_context_set_log(context, NULL, NULL);
    progress_clear();
    if (code == EXIT_DONE) {
        warn_of_weights(job);
        warn_of_doubt(job);
    }
    return code == EXIT_DONE ? save_models(job) : code;
}

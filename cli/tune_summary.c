/* tune_summary.c - what `sustain tune` says: the short result for people, the JSON object for
 * programs. */
#include <math.h>
#include <string.h>

#include "progress.h"
#include "verb_tune.h"

/* ---- for people ---- */

static void add_score(text_table *t, const char *format, double value) {
    char text[32];
    snprintf(text, sizeof text, format, value); /* NOLINT: the formats are those below */
    table_add(t, "%s", isnan(value) ? "-" : text);
}

static void add_row(text_table *t, const char *name, const sustain_tune_score *s) {
    table_add(t, "%s", name);
    add_score(t, "%.5f", s->upper_loss);
    add_score(t, "%.2e", s->norm_squared);
    add_score(t, "%.5f", s->test_loss);
    add_score(t, "%.4f", s->test_accuracy);
    add_score(t, "%.2f", s->seconds);
}

static void print_baselines(const tune_job *job) {
    const sustain_tune_result *r = &job->result;
    static const char *const titles[] = {"", "validation", "|grad|^2", "test loss", "test accuracy", "seconds"};
    text_table t = {.align = "lrrrrr", .indent = 2};
    sustain_tune_score own = r->score;
    own.seconds += job->run.result.seconds;
    for (int i = 0; i < COUNT_OF(titles); i++) table_add(&t, "%s", titles[i]);
    add_row(&t, "sustain tune", &own);
    add_row(&t, "best single penalty", &r->single);
    add_row(&t, "no penalty", &r->none);
    add_row(&t, "all x = -15", &r->constant);
    table_print(stdout, &t);
}

void tune_summary(const tune_job *job) {
    const sustain_tune_result *r = &job->result;
    char seconds[32], total[32], text[512];
    const sustain_problem *problem = sustain_tune_problem(job->tune);
    snprintf(text, sizeof text, "%lld %s tuned: validation loss %.5f; with the best single one %.5f.", (long long)problem->upper_dim,
             problem->upper_dim == 1 ? "penalty" : "penalties", r->score.upper_loss, r->single.upper_loss);
    heading(stdout, text);
    if (!job->given->run.quiet) {
        printf("\n");
        print_baselines(job);
        printf("\n");
        paragraphs(stdout, 0, job->data.split);
        snprintf(text, sizeof text, "%s.", sustain_tune_reason(job->tune));
        paragraphs(stdout, 0, text);
        if (!r->exact) paragraphs(stdout, 0, "The lower level could not be solved to 1e-10: the gradient is that of what was reached.");
        printf("%s: %lld iterations in %s, the best at %lld; %s in all.\n", sustain_solver_describe(sustain_tune_solver(job->tune))->name,
               (long long)job->run.result.iterations, duration_text(job->run.result.seconds, seconds), (long long)r->point,
               duration_text(job->run.total_seconds, total));
    }
    printf("The penalties: %s/penalties.csv; the report: %s/report.html\n", job->given->run.out, job->given->run.out);
}

/* ---- for programs ---- */

static json_t *score_json(const sustain_tune_score *s) {
    json_t *object = json_object();
    if (!isnan(s->log_penalty)) json_object_set_new(object, "log_penalty", json_real(s->log_penalty));
    SET_NUMBERS(object, {"upper_loss", s->upper_loss}, {"hypergradient_norm_squared", s->norm_squared}, {"test_loss", s->test_loss},
                {"test_accuracy", s->test_accuracy}, {"seconds", s->seconds});
    return object;
}

static json_t *path_json(const sustain_tune_result *r) {
    json_t *list = json_array();
    for (int i = 0; i < SUSTAIN_TUNE_PATH; i++) json_array_append_new(list, score_json(&r->path[i]));
    return list;
}

json_t *tune_json(const tune_job *job) {
    const sustain_tune_result *r = &job->result;
    const sustain_problem *problem = sustain_tune_problem(job->tune);
    json_t *object = json_object(), *counts = json_object(), *baselines = json_object();
    notes_json(object);
    SET_NUMBERS(object, {"upper_loss", r->score.upper_loss}, {"hypergradient_norm_squared", r->score.norm_squared});
    json_object_set_new(object, "lower_level_exact", json_boolean(r->exact));
    SET_NUMBERS(object, {"test_loss", r->score.test_loss}, {"test_accuracy", r->score.test_accuracy});
    json_object_set_new(object, "iterations", json_integer(job->run.result.iterations));
    json_object_set_new(object, "best_iteration", json_integer(r->point));
    SET_NUMBERS(object, {"seconds", job->run.result.seconds}, {"total_seconds", job->run.total_seconds},
                {"iterations_per_second", (double)job->run.result.iterations / job->run.result.seconds});
    set_counts(counts, &job->run.result.counts);
    json_object_set_new(object, "counts", counts);
    json_object_set_new(object, "solver", json_string(sustain_solver_describe(sustain_tune_solver(job->tune))->name));
    json_object_set_new(object, "reason", json_text(sustain_tune_reason(job->tune)));
    json_object_set_new(object, "stopped", json_string(sustain_stop_text(job->run.result.stop)));
    json_object_set_new(object, "penalties", json_integer(problem->upper_dim));
    json_object_set_new(object, "floor", json_real(job->data.model.floor));
    json_object_set_new(object, "data", tune_data_json(&job->data));
    run_add_profile(&job->run, object);
    json_object_set_new(baselines, "best_single_penalty", score_json(&r->single));
    json_object_set_new(baselines, "no_penalty", score_json(&r->none));
    json_object_set_new(baselines, "constant_minus_15", score_json(&r->constant));
    json_object_set_new(baselines, "path", path_json(r));
    json_object_set_new(object, "baselines", baselines);
    json_object_set_new(object, "out", json_text(job->given->run.out));
    return object;
}

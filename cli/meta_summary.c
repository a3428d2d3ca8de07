/* meta_summary.c - the output of `sustain meta train`: a short text, or a JSON object. */
#include <math.h>

#include "verb_meta.h"
#include "progress.h"

static const char *data_name(const meta_job *job) {
    return job->given->source.dataset != NULL ? job->given->source.dataset : job->given->source.images;
}

/* What trained the backbone. */
static const char *trained_by(const meta_job *job) {
    const sustain_solver *solver = sustain_meta_solver(job->meta);
    return solver != NULL ? sustain_solver_describe(solver)->name : sustain_meta_method_name(job->meta);
}

static void print_tried(const meta_job *job) {
    char share[META_SHARE_TEXT];
    text_table t = {.align = "lr", .indent = 2};
    if (job->tried_count == 0) return;
    printf("\nOn the validation tasks, after the same number of iterations of each:\n\n");
    for (int i = 0; i < job->tried_count; i++) {
        table_add(&t, "%s", job->tried[i].name);
        table_add(&t, "%s", meta_share_text(job->tried[i].score.accuracy, job->tried[i].score.interval, share));
    }
    table_print(stdout, &t);
    printf("\n");
}

static json_t *tried_json(const meta_job *job) {
    json_t *all = json_array();
    for (int i = 0; i < job->tried_count; i++) {
        json_t *one = json_object();
        SET_TEXTS(one, {"method", job->tried[i].name});
        json_object_set_new(one, "validation_accuracy", json_number_or_null(job->tried[i].score.accuracy));
        json_object_set_new(one, "validation_interval", json_number_or_null(job->tried[i].score.interval));
        json_array_append_new(all, one);
    }
    return all;
}

void meta_summary(const meta_job *job) {
    const sustain_meta_record *best = sustain_meta_best(job->meta);
    const sustain_meta_options *o = sustain_meta_settled(job->meta);
    const int64_t t = sustain_meta_iteration(job->meta);
    char seconds[32], share[META_SHARE_TEXT], text[160];
    printf("%s%lld-way %lld-shot on new classes: %s right.%s\n", styled(STYLE_BOLD), (long long)o->ways, (long long)o->shots,
           meta_share_text(job->scores.own.accuracy, job->scores.own.interval, share), styled(STYLE_PLAIN));
    if (!job->given->run.quiet) {
        printf("\n");
        meta_print_scores(&job->scores, trained_by(job));
        snprintf(text, sizeof text,
                 "%lld tasks with %lld queries of each class; the model of iteration %lld, chosen by validation (%.2f %%).",
                 (long long)job->given->test_tasks, (long long)job->given->test_queries, (long long)best->iteration, 100 * best->accuracy);
        printf("\n");
        paragraphs(stdout, 0, text);
        printf("%s: %lld iterations of %lld tasks in %s, %.3f s each, on %s layers.\n", trained_by(job), (long long)t, (long long)o->tasks,
               duration_text(best->seconds, seconds), best->seconds / (double)t, sustain_meta_layers(job->meta));
        print_tried(job);
    }
    printf("The model: %s/model.safetensors; the report: %s/report.html\n", job->given->run.out, job->given->run.out);
}

json_t *meta_json(const meta_job *job) {
    const sustain_meta_record *best = sustain_meta_best(job->meta);
    const sustain_meta_options *o = sustain_meta_settled(job->meta);
    const double t = (double)sustain_meta_iteration(job->meta), each = best->seconds / t;
    json_t *object = json_object(), *options = json_object();
    int count;
    const sustain_parameter *rows = sustain_meta_parameters(&count);
    SET_TEXTS(object, {"method", trained_by(job)}, {"dataset", data_name(job)});
    json_object_set_new(object, "iterations", json_integer((json_int_t)t));
    json_object_set_new(object, "stopped_by", json_string(job->stopped));
    SET_NUMBERS(object, {"seconds", best->seconds}, {"seconds_per_iteration", each}, {"tasks_per_second", (double)o->tasks / each},
                {"train_loss", best->train_loss}, {"train_accuracy", best->train_accuracy}, {"validation_accuracy", best->accuracy});
    json_object_set_new(object, "best_iteration", json_integer(best->iteration));
    run_add_profile(&job->run, object);
    meta_add_scores(object, &job->scores, "test_");
    json_object_set_new(object, "memory_estimated_bytes", json_integer((json_int_t)job->run.memory));
    json_object_set_new(object, "peak_memory_bytes", json_integer(job->memory_peak));
    json_object_set_new(object, "memory_before_bytes", json_integer(job->memory_before));
    json_object_set_new(object, "parameters", json_integer(sustain_meta_dim(job->meta)));
    json_object_set_new(object, "layers", json_string(sustain_meta_layers(job->meta)));
    json_object_set_new(object, "threads", json_integer(sustain_context_threads(job->run.context)));
    json_object_set_new(object, "seed", json_integer((json_int_t)o->seed));
    for (int i = 0; i < count; i++) {
        char text[64];
        sustain_parameter_print(&rows[i], o, text, sizeof text);
        json_object_set_new(options, rows[i].name, json_string(text));
    }
    json_object_set_new(options, "first_order", json_boolean(o->first_order));
    json_object_set_new(object, "options", options);
    if (job->tried_count > 0) json_object_set_new(object, "tried", tried_json(job));
    return object;
}

/* page_meta.c - the page of `sustain meta train`: accuracy over tasks, and an example task. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_record.h"

/* ---- curves ---- */

enum { MOST_POINTS = 200 };

static double metric(const run *r, const char *key, size_t i) {
    const json_t *value = json_array_get(json_object_get(r->metrics, key), i);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void append(json_t *values, const char *key, double value) {
    json_t *list = json_object_get(values, key);
    if (list == NULL) json_object_set_new(values, key, list = json_array());
    json_array_append_new(list, spec_number(value));
}

/* Training accuracy is recorded at every iteration and noisy: means over consecutive iterations. */
static json_t *training_values(const run *r, size_t lines) {
    const size_t each = lines / MOST_POINTS + 1;
    json_t *values = json_object();
    for (size_t i = 0; i < lines; i += each) {
        const size_t end = i + each < lines ? i + each : lines;
        double accuracy = 0, loss = 0;
        for (size_t k = i; k < end; k++) {
            accuracy += metric(r, "train_accuracy", k) / (double)(end - i);
            loss += metric(r, "train_loss", k) / (double)(end - i);
        }
        append(values, "iteration", metric(r, "iteration", end - 1));
        append(values, "seconds", metric(r, "seconds", end - 1));
        append(values, "accuracy", accuracy);
        append(values, "loss", loss);
    }
    return values;
}

/* Evaluations on tasks of new classes, with their confidence intervals; NULL: none. */
static json_t *part_values(const run *r, size_t lines, const char *name) {
    char key[64], interval[64];
    json_t *values = json_object();
    snprintf(key, sizeof key, "%s_accuracy", name);
    snprintf(interval, sizeof interval, "%s_interval", name);
    for (size_t i = 0; i < lines; i++) {
        const double accuracy = metric(r, key, i), half = metric(r, interval, i);
        if (isnan(accuracy)) continue;
        append(values, "iteration", metric(r, "iteration", i));
        append(values, "seconds", metric(r, "seconds", i));
        append(values, "accuracy", accuracy);
        append(values, "accuracy_low", accuracy - half);
        append(values, "accuracy_high", accuracy + half);
    }
    if (json_object_size(values) > 0) return values;
    json_decref(values);
    return NULL;
}

static void fill_curves(run *r) {
    static const char *const parts[] = {"validation", "test"};
    const size_t lines = json_array_size(json_object_get(r->metrics, "iteration"));
    json_t *spec =
        spec_new("curves", "Training", "Accuracy of queries: of the training classes, and of classes that are not trained on.", 1);
    spec_axis(spec, "x", "iteration", "iterations", false);
    spec_axis(spec, "x", "seconds", "seconds", false);
    spec_axis(spec, "y", "accuracy", "accuracy", false);
    spec_axis(spec, "y", "loss", "loss in training", true);
    spec_curve(spec, "training", "line", training_values(r, lines));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        json_t *values = part_values(r, lines, parts[i]);
        if (values != NULL) spec_curve(spec, parts[i], "line", values);
    }
    spec_level(spec, "nearest mean of pixels", "accuracy", run_number(r->result, "centroid_accuracy"));
    spec_level(spec, "before training", "accuracy", run_number(r->result, "untrained_accuracy"));
    json_object_set_new(spec, "band", json_string("95 % confidence interval of the mean over tasks"));
    json_array_append_new(r->charts, spec);
}

/* ---- headline, figures ---- */

static void fill(run *r) {
    char text[32], interval[32] = "";
    if (r->metrics != NULL) fill_curves(r);
    if (r->result == NULL) {
        snprintf(r->headline, sizeof r->headline, "Not done yet");
        return;
    }
    const double half = 100 * run_number(r->result, "test_interval");
    if (!isnan(half)) snprintf(interval, sizeof interval, " ± %.1f", half); /* one task has none */
    snprintf(r->headline, sizeof r->headline, "%s-way %s-shot on new classes: %.1f%s\u00a0%% right", run_text(r->result, "options.ways"),
             run_text(r->result, "options.shots"), 100 * run_number(r->result, "test_accuracy"), interval);
    run_figure(r, "of the validation queries right, at best", "%.1f %%", 100 * run_number(r->result, "validation_accuracy"));
    run_figure(r, "of the training queries right, at the end", "%.1f %%", 100 * run_number(r->result, "train_accuracy"));
    if (!isnan(run_number(r->data, "task.adapt_milliseconds")))
        run_figure(r, "to learn a new task", "%.3g ms", run_number(r->data, "task.adapt_milliseconds"));
    run_figure(r, "an iteration", "%.3g s", run_number(r->result, "seconds_per_iteration"));
    run_figure(r, "memory at most", "%.0f MB", run_number(r->result, "peak_memory_bytes") / 1e6);
    run_figure(r, "training time", "%s", run_duration(run_number(r->result, "seconds"), text));
}

/* ---- the example ---- */

/* Numbers of classes for every picture: whole, and in range. */
static bool numbers_fit(const json_t *list, size_t count, size_t classes) {
    size_t i;
    json_t *value;
    json_array_foreach(list, i, value) if (!json_is_integer(value) || json_integer_value(value) < 0 ||
                                           (size_t)json_integer_value(value) >= classes) return false;
    return json_array_size(list) == count;
}

/* task.json and task.npy, where they are. */
static bool read_task(run *r) {
    json_t *task = run_json(r, "task.json"), *pictures = task != NULL ? run_pictures(r, "task.npy") : NULL;
    const size_t classes = json_array_size(json_object_get(task, "classes")), queries = json_array_size(json_object_get(task, "query"));
    const json_t *support = json_object_get(task, "support");
    const bool good = numbers_fit(support, json_array_size(support), classes) &&
                      numbers_fit(json_object_get(task, "query"), queries, classes) &&
                      numbers_fit(json_object_get(task, "predicted"), queries, classes) &&
                      json_array_size(json_object_get(task, "probability")) == queries;
    if (task != NULL && pictures != NULL) {
        json_object_set(r->data, "task", task);
        json_object_set(r->data, "pictures", pictures);
    }
    json_decref(task);
    json_decref(pictures);
    if (r->error[0] != '\0') return false;
    return good || task == NULL ? true : run_refuse(r, "%s/task.json: not as 'sustain meta train' writes it; run it again", r->folder);
}

static void write_task(FILE *to, const run *r) {
    const json_t *task = json_object_get(r->data, "task"), *query = json_object_get(task, "query"),
                 *predicted = json_object_get(task, "predicted");
    const size_t count = json_array_size(query);
    size_t right = 0;
    if (task == NULL) return;
    for (size_t i = 0; i < count; i++) right += json_equal(json_array_get(query, i), json_array_get(predicted, i)) != 0;
    fputs("<section data-task><h2>One task</h2>\n", to);
    html_element(to, "p class=\"note\"",
                 "A task of new classes: learned from %zu pictures in %.3g ms; %zu of %zu queries "
                 "right, %.3g ms each.",
                 json_array_size(json_object_get(task, "support")), run_number(task, "adapt_milliseconds"), right, count,
                 run_number(task, "predict_milliseconds"));
    fputs("</section>\n", to);
}

/* ---- the page ---- */

static void add_row(json_t *rows, const run *r, const char *name, const char *what, const char *accuracy, const char *interval) {
    const double mean = 100 * run_number(r->result, accuracy), half = 100 * run_number(r->result, interval);
    json_array_append_new(rows, json_pack("{s:s, s:s, s:{s:o, s:o, s:o}}", "name", name, "what", what, "accuracy", "mean",
                                          spec_number(mean), "low", spec_number(mean - half), "high", spec_number(mean + half)));
}

static void write_baselines(FILE *to, const run *r) {
    static const column columns[] = {{"<", "name", NULL}, {"right, %", "accuracy", "%.2f"}, {"<what it is", "what", NULL}};
    json_t *rows = json_array();
    add_row(rows, r, run_text(r->result, "method"), "normalized by the statistics of the queries too, as in the literature",
            "test_accuracy", "test_interval");
    add_row(rows, r, run_text(r->result, "method"), "normalized by the support alone: a prediction does not depend on other queries",
            "test_accuracy_support_statistics", "test_interval_support_statistics");
    add_row(rows, r, "before training", "the same backbone, untrained", "untrained_accuracy", "untrained_interval");
    add_row(rows, r, "nearest mean", "of the pixels of the support", "centroid_accuracy", "centroid_interval");
    fputs("<section><h2>On new classes</h2>\n", to);
    run_write_rows(to, "± 95 % confidence interval", rows, columns, 3);
    fputs("</section>\n", to);
    json_decref(rows);
}

static void write(FILE *to, const run *r) {
    html_element(to, "p class=\"lead\"", "%s: %.0f classes for training, %.0f for validation, %.0f for the test.",
                 run_text(r->config, "data.test.source"), run_number(r->config, "data.training.classes"),
                 run_number(r->config, "data.validation.classes"), run_number(r->config, "data.test.classes"));
    if (r->result == NULL)
        html_element(to, "p class=\"warning\"", "This run has no result yet. Resume it with: sustain meta train --out %s --resume",
                     r->folder);
    else
        write_baselines(to, r);
    write_task(to, r);
    if (r->metrics == NULL) return;
    fputs("<section><h2>Training</h2>\n", to);
    run_write_chart(to, "curves");
    fputs("</section>\n", to);
}

const kind kind_meta = {.command = "meta train", .title = "few-shot learning", .read = read_task, .fill = fill, .write = write};

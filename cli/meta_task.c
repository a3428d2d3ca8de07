/* meta_task.c - an example task of the test classes for the page, task.npy and task.json: the
 * model adapts to it and predicts. */
#include <stdlib.h>
#include <sustain/fewshot.h>
#include <sustain/npy.h>

#include "verb_meta.h"
#include "progress.h"

enum { QUERIES = 4 }; /* of each class, at most */

typedef struct task {
    sustain_task_shape shape;
    int64_t learned, asked;                /* pictures */
    int64_t *support, *query, *classes;    /* indices into the set */
    const uint8_t **pictures;              /* (learned) */
    int32_t *labels;                       /* (learned) */
    int32_t *predicted;                    /* (asked) */
    sustain_real *probability;             /* (asked, ways) */
    double adapt_seconds, predict_seconds; /* of a task, of a query */
} task;

static void task_free(task *t) {
    free(t->support);
    free(t->query);
    free(t->classes);
    free(t->pictures);
    free(t->labels);
    free(t->predicted);
    free(t->probability);
}

static bool task_make(const meta_job *job, task *t) {
    const sustain_meta_options *o = sustain_meta_settled(job->meta);
    const int64_t queries = job->given->test_queries < QUERIES ? job->given->test_queries : QUERIES;
    t->shape = (sustain_task_shape){o->ways, o->shots, queries};
    t->learned = o->ways * o->shots;
    t->asked = o->ways * queries;
    t->support = malloc((size_t)t->learned * sizeof *t->support);
    t->query = malloc((size_t)t->asked * sizeof *t->query);
    t->classes = malloc((size_t)o->ways * sizeof *t->classes);
    t->pictures = malloc((size_t)t->learned * sizeof *t->pictures);
    t->labels = malloc((size_t)t->learned * sizeof *t->labels);
    t->predicted = malloc((size_t)t->asked * sizeof *t->predicted);
    t->probability = malloc((size_t)(t->asked * o->ways) * sizeof *t->probability);
    if (t->support == NULL || t->query == NULL || t->classes == NULL || t->pictures == NULL || t->labels == NULL || t->predicted == NULL ||
        t->probability == NULL)
        return false;
    sustain_task_draw(job->test, &t->shape, o->seed, META_TEST, 0, t->support, t->query, t->classes);
    for (int64_t i = 0; i < t->learned; i++) {
        t->pictures[i] = sustain_picture_pixels(job->test, t->support[i]);
        t->labels[i] = (int32_t)(i / o->shots);
    }
    return true;
}

/* ---- adapting and predicting ---- */

static sustain_status ask(const meta_job *job, sustain_fewshot *classifier, task *t) {
    const int64_t ways = t->shape.ways;
    sustain_status status = SUSTAIN_OK;
    const double since = lab_clock();
    for (int64_t i = 0; i < t->asked && status == SUSTAIN_OK; i++) {
        sustain_real *p = t->probability + i * ways;
        status = sustain_fewshot_predict(classifier, sustain_picture_pixels(job->test, t->query[i]), p);
        t->predicted[i] = 0;
        for (int32_t k = 1; k < ways && status == SUSTAIN_OK; k++)
            if (p[k] > p[t->predicted[i]]) t->predicted[i] = k;
    }
    t->predict_seconds = (lab_clock() - since) / (double)t->asked;
    return status;
}

/* Adapts twice: the first time also allocates memory. */
static sustain_status answer(const meta_job *job, task *t) {
    char path[LONGEST_PATH];
    sustain_context *context = job->run.context;
    sustain_fewshot_model *model = NULL;
    sustain_fewshot *classifier = NULL;
    run_path(job->given->run.out, "model.safetensors", path);
    sustain_status status = sustain_fewshot_model_read(context, path, &model);
    if (status == SUSTAIN_OK) status = sustain_fewshot_create(context, model, t->shape.ways, t->learned, &classifier);
    for (int turn = 0; turn < 2 && status == SUSTAIN_OK; turn++) {
        const double since = lab_clock();
        status = sustain_fewshot_adapt(classifier, t->pictures, t->labels, t->learned);
        t->adapt_seconds = lab_clock() - since;
    }
    if (status == SUSTAIN_OK) status = ask(job, classifier, t);
    sustain_fewshot_destroy(classifier);
    sustain_fewshot_model_destroy(model);
    return status;
}

/* ---- files ---- */

/* (n, height, width, channels), the support first. */
static sustain_status write_pictures(const meta_job *job, const task *t) {
    const sustain_pictures *set = job->test;
    const int64_t shape[] = {t->learned + t->asked, set->height, set->width, set->channels}, size = set->height * set->width;
    char path[LONGEST_PATH];
    uint8_t *bytes = malloc((size_t)(shape[0] * size * set->channels));
    if (bytes == NULL) return SUSTAIN_MEMORY;
    for (int64_t i = 0; i < shape[0]; i++) {
        const uint8_t *from = sustain_picture_pixels(set, i < t->learned ? t->support[i] : t->query[i - t->learned]);
        for (int64_t k = 0; k < size * set->channels; k++) bytes[(i * size + k % size) * set->channels + k / size] = from[k];
    }
    run_path(job->given->run.out, "task.npy", path);
    const sustain_status status = sustain_npy_write(job->run.context, path, SUSTAIN_NPY_BYTE, set->channels > 1 ? 4 : 3, shape, bytes);
    free(bytes);
    return status;
}

static json_t *task_json(const meta_job *job, const task *t) {
    json_t *classes = json_array(), *support = json_array(), *query = json_array(), *predicted = json_array(), *probability = json_array();
    for (int64_t k = 0; k < t->shape.ways; k++) json_array_append_new(classes, json_text(job->test->class_names[t->classes[k]]));
    for (int64_t i = 0; i < t->learned; i++) json_array_append_new(support, json_integer(t->labels[i]));
    for (int64_t i = 0; i < t->asked; i++) {
        json_array_append_new(query, json_integer(i / t->shape.queries));
        json_array_append_new(predicted, json_integer(t->predicted[i]));
        json_array_append_new(probability, json_number_or_null((double)t->probability[i * t->shape.ways + t->predicted[i]]));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:f, s:f}", "classes", classes, "support", support, "query", query, "predicted", predicted,
                     "probability", probability, "adapt_milliseconds", 1e3 * t->adapt_seconds, "predict_milliseconds",
                     1e3 * t->predict_seconds);
}

int meta_task(const meta_job *job) {
    task t = {.learned = 0};
    sustain_status status = task_make(job, &t) ? SUSTAIN_OK : SUSTAIN_MEMORY;
    if (status == SUSTAIN_OK) status = answer(job, &t);
    if (status == SUSTAIN_OK) status = write_pictures(job, &t);
    int code = refused(job->run.context, status);
    if (code == EXIT_DONE) code = write_json(job->given->run.out, "task.json", task_json(job, &t));
    task_free(&t);
    return code;
}

/* evaluate.c - accuracy over tasks with its 95 % confidence interval: of the trained backbone,
 * of an untrained one, and of the nearest class mean of the pixels. */
#include <math.h>
#include <string.h>

#include "core/memory_internal.h"
#include "core/sized.h"
#include "meta/meta_internal.h"

/* ---- mean and confidence interval ---- */

/* Mean of the accuracy over tasks, and half the width of its 95 % confidence interval. */
static void summarize(int64_t tasks, const double *accuracy, double *mean, double *interval) {
    double sum = 0, square = 0;
    for (int64_t i = 0; i < tasks; i++) sum += accuracy[i];
    *mean = sum / (double)tasks;
    for (int64_t i = 0; i < tasks; i++) square += (accuracy[i] - *mean) * (accuracy[i] - *mean);
    *interval = tasks > 1 ? 1.96 * sqrt(square / (double)(tasks - 1) / (double)tasks) : NAN;
}

/* ---- all tasks ---- */

typedef struct examination {
    const sustain_pictures *pictures;
    const sustain_meta_trial *trial;
    sustain_task_shape shape;
    const sustain_real *theta;
    double *accuracy, *support, *loss; /* (tasks) each */
    /* nearest class mean of the pixels */
    const sustain__worker *first;
    int64_t size;  /* pixels of a picture */
    int32_t *sums; /* (workers, ways, size) */
} examination;

static double share(const sustain__worker *w, int64_t correct) {
    return (double)correct / (double)w->task.queries;
}

static void examine(sustain__worker *w, void *user, int64_t number) {
    const examination *e = user;
    const sustain__method *method = w->setting->method;
    sustain__worker_draw(w, e->pictures, &e->shape, e->trial->seed, e->trial->stream, (uint64_t)number);
    const sustain__outcome own = method->ask(w, e->theta, false);
    e->accuracy[number] = share(w, own.correct);
    e->loss[number] = own.loss;
    if (!e->trial->quick) e->support[number] = share(w, method->ask(w, e->theta, true).correct);
}

/* sums (ways, size) <- sums of the pixels over the support of each class. */
static void add_up(const sustain__worker *w, int64_t ways, int64_t shots, int64_t size, int32_t *sums) {
    memset(sums, 0, (size_t)(ways * size) * sizeof *sums);
    for (int64_t i = 0; i < ways * shots; i++)
        for (int64_t p = 0; p < size; p++) sums[i / shots * size + p] += w->task.picture[i][p];
}

/* Squared distance of a picture to the mean of a class, times shots^2, in integers. */
static int64_t distance(int64_t size, int64_t shots, const uint8_t *picture, const int32_t *sums) {
    int64_t square = 0;
    for (int64_t p = 0; p < size; p++) {
        const int64_t difference = shots * picture[p] - sums[p];
        square += difference * difference;
    }
    return square;
}

static void examine_pixels(sustain__worker *w, void *user, int64_t number) {
    const examination *e = user;
    const int64_t ways = e->shape.ways, shots = e->shape.shots, size = e->size;
    int32_t *sums = e->sums + (w - e->first) * ways * size;
    int64_t correct = 0;
    sustain__worker_draw(w, e->pictures, &e->shape, e->trial->seed, e->trial->stream, (uint64_t)number);
    add_up(w, ways, shots, size, sums);
    for (int64_t q = w->task.support; q < w->task.support + w->task.queries; q++) {
        int64_t best = 0, least = INT64_MAX;
        for (int64_t c = 0; c < ways; c++) {
            const int64_t d = distance(size, shots, w->task.picture[q], sums + c * size);
            if (d < least) best = c;
            least = d < least ? d : least;
        }
        correct += best == w->task.label[q];
    }
    e->accuracy[number] = share(w, correct);
}

/* ---- one evaluation ---- */

static sustain_status check(const sustain_meta *meta, const sustain_pictures *pictures, const sustain_meta_trial *trial,
                            sustain_task_shape *shape) {
    const sustain__net *net = &meta->setting.net;
    *shape = (sustain_task_shape){meta->setting.rule.ways, trial->shots > 0 ? trial->shots : meta->options.shots, trial->queries};
    if (pictures->channels != net->channels || pictures->height != net->height || pictures->width != net->width)
        return sustain__fail(meta->context, SUSTAIN_MISMATCH,
                             "%s: its pictures have %lld channels of %lld x %lld, but the backbone was made for %lld of %lld x %lld",
                             pictures->source, (long long)pictures->channels, (long long)pictures->height, (long long)pictures->width,
                             (long long)net->channels, (long long)net->height, (long long)net->width);
    if (trial->tasks < 1 || trial->queries < 1)
        return sustain__fail(meta->context, SUSTAIN_ARGUMENT, "an evaluation needs at least one task, and one query of each class");
    return sustain_tasks_check(pictures, shape);
}

static void *judged(void *user, int64_t number, int which, size_t *bytes) {
    const examination *e = user;
    double *const kept[] = {e->accuracy, e->support, e->loss};
    *bytes = sizeof *kept[0];
    return which < 3 ? kept[which] + number : NULL;
}

/* Runs `job` over all tasks with a set of workers. */
static sustain_status run(sustain_meta *meta, examination *e, sustain__job *job) {
    sustain__workers workers;
    const int64_t tasks = e->trial->tasks;
    const int order = meta->setting.method->whole ? 1 : 0;
    SUSTAIN_TRY(sustain__workers_create(meta->context, &meta->setting, &e->shape, order, tasks, &workers));
    e->first = workers.worker;
    sustain_status status =
        sustain__allocate(meta->context, sustain__multiply((size_t)(workers.count * e->shape.ways * e->size), sizeof *e->sums), &e->sums);
    if (status == SUSTAIN_OK) status = sustain__workers_run(&workers, tasks, job, e, judged);
    sustain__free(meta->context, e->sums);
    sustain__workers_destroy(&workers);
    return status;
}

/* theta NULL: nearest class mean of the pixels. */
static sustain_status evaluate(sustain_meta *meta, const sustain_real *theta, const sustain_pictures *pictures,
                               const sustain_meta_trial *trial, sustain_meta_score *score) {
    const int64_t tasks = trial->tasks;
    examination e = {.pictures = pictures,
                     .trial = trial,
                     .theta = theta,
                     .size = theta != NULL ? 0 : pictures->channels * pictures->height * pictures->width};
    double *numbers, ignored;
    *score = (sustain_meta_score){NAN, NAN, NAN, NAN, NAN};
    SUSTAIN_TRY(check(meta, pictures, trial, &e.shape));
    SUSTAIN_TRY(sustain__allocate(meta->context, sustain__multiply((size_t)(3 * tasks), sizeof *numbers), &numbers));
    e.accuracy = numbers;
    e.support = numbers + tasks;
    e.loss = numbers + 2 * tasks;
    const sustain_status status = run(meta, &e, theta != NULL ? examine : examine_pixels);
    if (status == SUSTAIN_OK) {
        summarize(tasks, e.accuracy, &score->accuracy, &score->interval);
        if (theta != NULL && !trial->quick) summarize(tasks, e.support, &score->support_accuracy, &score->support_interval);
        if (theta != NULL) summarize(tasks, e.loss, &score->loss, &ignored);
    }
    sustain__free(meta->context, numbers);
    return status;
}

static sustain_status take_trial(const sustain_meta *meta, const sustain_pictures *pictures, const sustain_meta_trial *given, bool places,
                                 sustain_meta_trial *trial) {
    *trial = (sustain_meta_trial){.size = 0};
    if (pictures == NULL || !places)
        return sustain__fail(meta->context, SUSTAIN_ARGUMENT, "the pictures or the place for a score are NULL");
    return sustain__sized_take(meta->context, "the options of the evaluation", given, SUSTAIN__SIZE_THROUGH(sustain_meta_trial, quick),
                               trial, sizeof *trial);
}

/* Beside what is held for training: a set of workers, of which one is made and measured. */
sustain_status sustain_meta_memory(sustain_meta *meta, const sustain_pictures *pictures, const sustain_meta_trial *given,
                                   sustain_memory *memory) {
    sustain_meta_trial taken;
    sustain_task_shape shape;
    sustain__workers one;
    sustain_memory solver = {.size = sizeof solver};
    if (meta == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(take_trial(meta, pictures, given, memory != NULL, &taken));
    SUSTAIN_TRY(check(meta, pictures, &taken, &shape));
    if (meta->solver != NULL) SUSTAIN_TRY(sustain_solver_memory(meta->solver, &solver));
    const double real = sizeof(sustain_real), now = (double)meta->context->memory_used, before = (double)meta->memory_before;
    SUSTAIN_TRY(sustain__workers_create(meta->context, &meta->setting, &shape, meta->setting.method->whole ? 1 : 0, 1, &one));
    const double size = (double)(pictures->channels * pictures->height * pictures->width);
    const double each = (double)meta->context->memory_used - now + (double)shape.ways * size * sizeof(int32_t);
    sustain__workers_destroy(&one);
    const int64_t threads = sustain_context_threads(meta->context), workers = taken.tasks < threads ? taken.tasks : threads;
    const double theta = (double)meta->setting.theta * real, models = (double)sustain__meta_vectors(meta) * theta;
    const sustain_memory m = {
        .part = {[SUSTAIN_MEMORY_DATA] = before,
                 [SUSTAIN_MEMORY_MODELS] = models + theta,
                 [SUSTAIN_MEMORY_SOLVER] = solver.part[SUSTAIN_MEMORY_SOLVER],
                 [SUSTAIN_MEMORY_TASKS] = now - before - models + (double)workers * each + 3 * (double)taken.tasks * sizeof(double)}};
    return sustain__memory_give(meta->context, &m, memory);
}

sustain_status sustain_meta_evaluate(sustain_meta *meta, const sustain_pictures *pictures, const sustain_meta_trial *given,
                                     sustain_meta_score *score) {
    sustain_meta_trial trial;
    if (meta == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(take_trial(meta, pictures, given, score != NULL, &trial));
    return evaluate(meta, meta->theta, pictures, &trial, score);
}

sustain_status sustain_meta_baselines(sustain_meta *meta, const sustain_pictures *pictures, const sustain_meta_trial *given,
                                      sustain_meta_score *centroid, sustain_meta_score *untrained) {
    sustain_real *start;
    sustain_meta_trial taken;
    const sustain_meta_trial *const trial = &taken;
    if (meta == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(take_trial(meta, pictures, given, centroid != NULL && untrained != NULL, &taken));
    SUSTAIN_TRY(evaluate(meta, NULL, pictures, trial, centroid));
    SUSTAIN_TRY(sustain__allocate(meta->context, sustain__multiply((size_t)meta->setting.theta, sizeof *start), &start));
    sustain__meta_start(&meta->setting, trial->seed, start);
    const sustain_status status = evaluate(meta, start, pictures, trial, untrained);
    sustain__free(meta->context, start);
    return status;
}

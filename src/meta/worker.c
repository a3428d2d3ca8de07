/* worker.c - the memory for one task at a time, and several workers in parallel. */
#include <stdatomic.h>

#include <sustain/random.h>

#include "core/memory_internal.h"
#include "core/share.h"
#include "meta/meta_internal.h"

/* ---- tasks ---- */

void sustain__worker_draw(sustain__worker *w, const sustain_pictures *set, const sustain_task_shape *shape, uint64_t seed, uint32_t stream,
                          uint64_t task) {
    const int64_t n = shape->ways * shape->shots, m = shape->ways * shape->queries;
    w->task.support = n;
    w->task.queries = m;
    sustain_task_draw(set, shape, seed, stream, task, w->number, w->number + n, w->number + n + m);
    for (int64_t i = 0; i < n + m; i++) {
        w->task.picture[i] = sustain_picture_pixels(set, w->number[i]);
        w->task.label[i] = (int32_t)(i < n ? i / shape->shots : (i - n) / shape->queries);
    }
}

void sustain__worker_draw_chunk(sustain__worker *w, const sustain_pictures *set, const sustain_task_shape *shape, uint64_t seed,
                                uint32_t stream, uint64_t chunk) {
    const int64_t n = shape->ways * shape->shots, all = n + shape->ways * shape->queries;
    w->task.support = n;
    w->task.queries = all - n;
    for (int64_t i = 0; i < all; i++) {
        const uint64_t place = chunk * (uint64_t)all + (uint64_t)i, count = (uint64_t)set->count;
        const int64_t picture = sustain_random_permuted(seed, stream, place / count, (int64_t)(place % count), set->count);
        int64_t low = 0, high = set->classes; /* first[low] <= picture < first[high] */
        while (high - low > 1) {
            const int64_t middle = (low + high) / 2;
            if (set->first[middle] <= picture)
                low = middle;
            else
                high = middle;
        }
        w->task.picture[i] = sustain_picture_pixels(set, picture);
        w->task.label[i] = (int32_t)low;
    }
}

/* ---- many tasks ---- */

typedef struct shared {
    const sustain__workers *workers;
    atomic_int_fast64_t next;
    int64_t end;
    sustain__job *job;
    void *user;
    sustain__caller caller;
    atomic_bool stopped;
} shared;

/* Whether to stop: the calling thread asks the cancel hook, all threads read its answer. */
static bool stopped(void *user) {
    shared *s = user;
    if (sustain__is_caller(s->caller) && sustain__cancelled(s->workers->context) != SUSTAIN_OK) atomic_store(&s->stopped, true);
    return atomic_load(&s->stopped);
}

/* A worker takes numbers until none is left. */
static void work(void *user, int64_t worker) {
    shared *s = user;
    int64_t number;
    while (!stopped(s) && (number = (int64_t)atomic_fetch_add(&s->next, 1)) < s->end) s->job(&s->workers->worker[worker], s->user, number);
}

sustain_status sustain__workers_run(const sustain__workers *workers, int64_t count, sustain__job *job, void *user, sustain__output output) {
    const sustain__range own = sustain__share_range(workers->context, count);
    shared s = {.workers = workers, .end = own.end, .job = job, .user = user, .caller = sustain__caller_here()};
    atomic_init(&s.next, own.begin);
    for (int i = 0; i < workers->count; i++) sustain__backbone_stop_if(workers->worker[i].backbone, stopped, &s);
    sustain_parallel_for(workers->context, workers->count, work, &s);
    for (int i = 0; i < workers->count; i++) sustain__backbone_stop_if(workers->worker[i].backbone, NULL, NULL);
    return atomic_load(&s.stopped) ? SUSTAIN_CANCELLED : sustain__share_outputs(workers->context, count, user, output);
}

/* ---- creation ---- */

static void lay_out(sustain__worker *w, const sustain_task_shape *shape, int order, sustain__carver *c) {
    const sustain__setting *s = w->setting;
    const int64_t ways = shape->ways, n = ways * shape->shots, all = n + ways * shape->queries;
    w->task.picture = sustain__carve(c, all, sizeof *w->task.picture);
    w->task.label = sustain__carve(c, all, sizeof *w->task.label);
    w->number = sustain__carve(c, all + ways, sizeof *w->number);
    w->features = sustain__carve(c, all * s->features, sizeof *w->features);
    w->d_features = sustain__carve(c, order > 0 ? all * s->features : 0, sizeof *w->d_features);
    w->d_start = sustain__carve(c, s->theta - s->dim, sizeof *w->d_start);
    w->statistics = sustain__carve(c, sustain__net_statistics(&s->net), sizeof *w->statistics);
    const int64_t columns = s->method->all_classes ? s->classes : ways, head = ways * (s->features + 1);
    const int scores = s->method->whole ? 3 : s->method->means || s->method->all_classes ? 2 : 0;
    for (int i = 0; i < scores; i++) w->scores[i] = sustain__carve(c, all * columns, sizeof *w->scores[i]);
    w->y = sustain__carve(c, s->method->means ? head : 0, sizeof *w->y);
    w->d_y = sustain__carve(c, s->method->means ? head : 0, sizeof *w->d_y);
    if (!s->method->whole) return;
    w->path = sustain__carve(c, (s->rule.steps + 1) * s->theta, sizeof *w->path);
    w->adjoint = sustain__carve(c, s->theta, sizeof *w->adjoint);
    w->product = sustain__carve(c, s->theta, sizeof *w->product);
    w->features_t = sustain__carve(c, n * s->features, sizeof *w->features_t);
    w->d_features_t = sustain__carve(c, n * s->features, sizeof *w->d_features_t);
}

static sustain_status make_worker(sustain_context *context, const sustain__setting *setting, const sustain_task_shape *shape, int order,
                                  sustain__worker *w) {
    const int64_t n = shape->ways * shape->shots, m = shape->ways * shape->queries;
    sustain__head_rule rule = setting->rule;
    rule.ways = shape->ways;
    sustain__carver measure = {.memory = NULL};
    w->setting = setting;
    lay_out(w, shape, order, &measure);
    SUSTAIN_TRY(sustain__allocate(context, measure.used, &w->memory));
    sustain__carver hand_out = {.memory = w->memory};
    lay_out(w, shape, order, &hand_out);
    /* maml: support and queries separately */
    const int64_t pictures = !setting->method->whole ? n + m : n > m ? n : m;
    SUSTAIN_TRY(sustain__backbone_create(context, &setting->net, setting->layers, pictures, order, &w->backbone));
    return setting->method->whole || setting->method->means ? SUSTAIN_OK : sustain__head_create(context, &rule, n, m, &w->head);
}

/* Refuses as many as cannot fit, when the first one is there. */
static sustain_status check_memory(sustain_context *context, size_t before, int count) {
    const sustain_memory estimate = {
        .part = {[SUSTAIN_MEMORY_DATA] = (double)before, [SUSTAIN_MEMORY_TASKS] = (double)count * (double)(context->memory_used - before)}};
    sustain_memory all = {.size = sizeof all};
    SUSTAIN_TRY(sustain__memory_give(context, &estimate, &all));
    return sustain_memory_check(context, &all);
}

sustain_status sustain__workers_create(sustain_context *context, const sustain__setting *setting, const sustain_task_shape *shape,
                                       int order, int64_t most, sustain__workers *out) {
    const int threads = sustain_context_threads(context);
    *out = (sustain__workers){.context = context, .count = most < threads ? (int)most : threads};
    sustain_status status = sustain__allocate(context, (size_t)out->count * sizeof *out->worker, &out->worker);
    for (int i = 0; status == SUSTAIN_OK && i < out->count; i++) {
        const size_t before = context->memory_used;
        status = make_worker(context, setting, shape, order, &out->worker[i]);
        if (i == 0 && status == SUSTAIN_OK) status = check_memory(context, before, out->count);
    }
    if (status != SUSTAIN_OK) sustain__workers_destroy(out);
    return status;
}

void sustain__workers_destroy(sustain__workers *workers) {
    for (int i = 0; workers->worker != NULL && i < workers->count; i++) {
        sustain__backbone_destroy(workers->worker[i].backbone);
        sustain__head_destroy(workers->worker[i].head);
        sustain__free(workers->context, workers->worker[i].memory);
    }
    if (workers->worker != NULL) sustain__free(workers->context, workers->worker);
    *workers = (sustain__workers){.context = workers->context};
}

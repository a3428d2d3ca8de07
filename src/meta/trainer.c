/* trainer.c - trains a backbone: the mean gradient over the tasks of an iteration, the step of
 * x, creation and destruction.
 *
 * Tasks are divided into at most SUSTAIN__META_BLOCKS blocks of consecutive tasks; the division
 * depends only on their number. A worker sums the gradients of a block in order; the blocks are
 * summed in order, in double. So the bits are the same for any number of threads. */
#include <math.h>

#include <sustain/random.h>

#include "core/clock.h"
#include "core/vector.h"
#include "meta/meta_internal.h"

enum { RECENT = 50 }; /* iterations that train_loss and train_accuracy are means over */

/* One stream of random numbers for each purpose. Evaluation tasks use streams 1, 2, ... of
 * sustain_task_draw(). */
enum { WHICH_TASKS = 100, SERIES = 101, HEAD_START = 102, CHUNKS = 103 };

#define HEAD_DEVIATION \
    0.01 /* initial size of a learned start of the head: class numbers are drawn anew for each
          * task, so a start far from zero fits none */

/* ---- the gradient of an iteration ---- */

typedef struct iteration {
    sustain_meta *meta;
    const sustain_real *theta;
    int64_t block; /* tasks of a block */
} iteration;

int64_t sustain__meta_which(const sustain_meta *meta, int64_t i) {
    return sustain_random_index(meta->options.seed, WHICH_TASKS, (uint64_t)meta->t, (uint32_t)i, meta->options.training_tasks);
}

static void block_gradient(sustain__worker *w, void *user, int64_t number) {
    const iteration *it = user;
    sustain_meta *meta = it->meta;
    const sustain_meta_options *o = &meta->options;
    const sustain_task_shape shape = {o->ways, o->shots, o->queries};
    const uint64_t seed = o->seed, t = (uint64_t)meta->t;
    sustain_real *part = meta->part + number * meta->setting.theta;
    sustain__zero(meta->setting.theta, part);
    for (int64_t i = number * it->block; i < o->tasks && i < (number + 1) * it->block; i++) {
        const int64_t k = sustain_random_index(seed, SERIES, t, (uint32_t)i, o->K);
        if (meta->setting.method->all_classes)
            sustain__worker_draw_chunk(w, meta->training, &shape, seed, CHUNKS, t * (uint64_t)o->tasks + (uint64_t)i);
        else
            sustain__worker_draw(w, meta->training, &shape, seed, SUSTAIN__TRAINING_TASKS, (uint64_t)sustain__meta_which(meta, i));
        meta->outcome[i] = meta->setting.method->gradient(w, it->theta, k, part);
    }
}

/* The sum of a block, and how its tasks went. */
static void *block_output(void *user, int64_t number, int which, size_t *bytes) {
    const iteration *it = user;
    const int64_t theta = it->meta->setting.theta, first = number * it->block, left = it->meta->options.tasks - first;
    *bytes =
        which == 0 ? (size_t)theta * sizeof *it->meta->part : (size_t)(left < it->block ? left : it->block) * sizeof *it->meta->outcome;
    return which == 0 ? (void *)(it->meta->part + number * theta) : which == 1 ? it->meta->outcome + first : NULL;
}

static int64_t block_of(int64_t tasks) {
    return (tasks + SUSTAIN__META_BLOCKS - 1) / SUSTAIN__META_BLOCKS;
}

sustain_status sustain__meta_gradient(sustain_meta *meta, const sustain_real *theta, sustain_real *gradient,
                                      sustain_meta_progress *progress) {
    const sustain_meta_options *o = &meta->options;
    iteration it = {.meta = meta, .theta = theta, .block = block_of(o->tasks)};
    const int64_t blocks = (o->tasks + it.block - 1) / it.block;
    SUSTAIN_TRY(sustain__workers_run(&meta->workers, blocks, block_gradient, &it, block_output));
    for (int64_t j = 0; j < meta->setting.theta; j++) {
        double sum = 0;
        for (int64_t b = 0; b < blocks; b++) sum += (double)meta->part[b * meta->setting.theta + j];
        gradient[j] = (sustain_real)(sum / (double)o->tasks);
    }
    const int64_t predicted = o->ways * (o->queries + (meta->setting.method->all_classes ? o->shots : 0)); /* of a task */
    *progress = (sustain_meta_progress){.loss = 0};
    for (int64_t i = 0; i < o->tasks; i++) {
        progress->loss += meta->outcome[i].loss / (double)o->tasks;
        progress->accuracy += (double)meta->outcome[i].correct / (double)(predicted * o->tasks);
    }
    return SUSTAIN_OK;
}

/* ---- the step of x ---- */

sustain_status sustain__meta_move(sustain_meta *meta, double alpha, const sustain_real *h, sustain_meta_progress *progress) {
    static const sustain__adam adam = {.gamma1 = 0.9, .gamma2 = 0.999, .epsilon = 1e-8};
    const int64_t n = meta->setting.theta;
    progress->norm = sustain__norm(n, h);
    if (!isfinite(progress->norm) || !isfinite(progress->loss))
        return sustain__fail(meta->context, SUSTAIN_NOT_FINITE,
                             "iteration %lld: the loss or its gradient is not finite: use a smaller inner_step or outer_step",
                             (long long)meta->t);
    if (meta->options.direction == SUSTAIN_META_ADAM) /* Algorithm 2 */
        sustain__adam_move(n, alpha, &adam, meta->t + 1, h, meta->m, meta->v, meta->theta, meta->theta_prev);
    else
        sustain__move(n, alpha, h, meta->theta, meta->theta_prev);
    return SUSTAIN_OK;
}

sustain_status sustain__meta_descend(sustain_meta *meta, sustain_meta_progress *progress) {
    SUSTAIN_TRY(sustain__meta_gradient(meta, meta->theta, meta->gradient, progress));
    return sustain__meta_move(meta, meta->options.outer_step, meta->gradient, progress);
}

/* The record's means over the last iterations. */
static void remember(sustain_meta *meta, const sustain_meta_progress *p) {
    double *sum = meta->recent;
    const double keep = sum[2] < RECENT ? 1 : (RECENT - 1.0) / RECENT; /* older iterations are forgotten bit by bit */
    sum[0] = keep * sum[0] + p->loss;
    sum[1] = keep * sum[1] + p->accuracy;
    sum[2] = keep * sum[2] + 1;
    sustain__meta_means(meta);
}

void sustain__meta_means(sustain_meta *meta) {
    const double *sum = meta->recent;
    meta->record.train_loss = sum[2] > 0 ? sum[0] / sum[2] : (double)NAN;
    meta->record.train_accuracy = sum[2] > 0 ? sum[1] / sum[2] : (double)NAN;
}

sustain_status sustain_meta_step(sustain_meta *meta, sustain_meta_progress *progress) {
    if (meta == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(meta->context, progress, "progress"));
    if (meta->training == NULL) return sustain__fail(meta->context, SUSTAIN_ORDER, "a model that was read from a file cannot be trained");
    const double begun = sustain__clock();
    SUSTAIN_TRY(meta->setting.method->step(meta, progress));
    meta->t++;
    remember(meta, progress);
    meta->record.seconds += sustain__clock() - begun;
    return SUSTAIN_OK;
}

/* ---- creation ---- */

void sustain__meta_start(const sustain__setting *s, uint64_t seed, sustain_real *theta) {
    sustain__net_start(&s->net, seed, theta);
    for (int64_t i = s->dim; i < s->theta; i++)
        theta[i] = (sustain_real)(HEAD_DEVIATION * sustain_random_normal(seed, HEAD_START, 0, (uint32_t)(i - s->dim)));
}

enum { VECTORS = 8 }; /* of the state */

int64_t sustain__meta_vectors(const sustain_meta *meta) {
    return meta->training != NULL ? VECTORS + SUSTAIN__META_BLOCKS : 1;
}

static sustain_status allocate_state(sustain_meta *meta) {
    const sustain__setting *s = &meta->setting;
    const int64_t vectors = VECTORS;
    SUSTAIN_TRY(sustain__allocate(meta->context, sustain__multiply((size_t)(sustain__meta_vectors(meta) * s->theta), sizeof(sustain_real)),
                                  &meta->memory));
    sustain_real **const place[] = {&meta->theta, &meta->theta_prev, &meta->h,        &meta->m,
                                    &meta->v,     &meta->best,       &meta->gradient, &meta->gradient_prev};
    for (int64_t i = 0; i < vectors; i++) *place[i] = (sustain_real *)meta->memory + i * s->theta;
    meta->part = (sustain_real *)meta->memory + vectors * s->theta;
    return sustain__allocate(meta->context, sustain__multiply((size_t)meta->options.tasks, sizeof *meta->outcome), &meta->outcome);
}

static sustain_status make(sustain_meta *meta) {
    const sustain_meta_options *o = &meta->options;
    const sustain_task_shape shape = {o->ways, o->shots, o->queries};
    SUSTAIN_TRY(sustain__meta_settle(meta->context, meta->training, &meta->options));
    SUSTAIN_TRY(sustain_tasks_check(meta->training, &shape));
    meta->setting = sustain__meta_setting(o, meta->training);
    SUSTAIN_TRY(sustain__net_check(meta->context, &meta->setting.net));
    SUSTAIN_TRY(allocate_state(meta));
    sustain__meta_start(&meta->setting, o->seed, meta->theta);
    sustain__copy(meta->setting.theta, meta->theta, meta->theta_prev);
    if (o->method == SUSTAIN_META_SOLVER) return sustain__meta_solver_create(meta, o->solver);
    const bool second = meta->setting.method->whole && !meta->setting.first_order;
    const int64_t block = block_of(o->tasks);
    return sustain__workers_create(meta->context, &meta->setting, &shape, second ? 2 : 1, (o->tasks + block - 1) / block, &meta->workers);
}

sustain_status sustain_meta_create(sustain_context *context, const sustain_meta_options *options, const sustain_pictures *training,
                                   sustain_meta **out) {
    sustain_meta *meta;
    sustain_meta_options given;
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    if (training == NULL) return sustain__fail(context, SUSTAIN_ARGUMENT, "the pictures are NULL");
    SUSTAIN_TRY(sustain__meta_take_options(context, options, &given));
    const size_t before = context->memory_used;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *meta, &meta));
    *meta =
        (sustain_meta){.context = context, .memory_before = before, .options = given, .training = training, .record = {.accuracy = NAN}};
    meta->workers.context = context;
    const sustain_status status = make(meta);
    meta->options.dataset = meta->options.solver = NULL; /* borrowed, and no longer needed */
    if (status == SUSTAIN_OK)
        *out = meta;
    else
        sustain_meta_destroy(meta);
    return status;
}

void sustain_meta_destroy(sustain_meta *meta) {
    if (meta == NULL) return;
    sustain__workers_destroy(&meta->workers);
    sustain__meta_solver_destroy(meta);
    sustain__free(meta->context, meta->outcome);
    sustain__free(meta->context, meta->memory);
    sustain__free(meta->context, meta);
}

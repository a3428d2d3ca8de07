/* task_problem.c - meta learning, eq. (2), as a bilevel problem for all algorithms.
 *
 *   x = the backbone,   y = (y_1, ..., y_T), the heads W (ways, d), then b (ways), of T fixed tasks
 *   g(x,y) = mean over tasks i of   mean over the support of i of L(W_i a + b_i) + lambda |y_i|^2
 *   f(x,y) = mean over tasks i of   mean over the queries of i of L(W_i a + b_i)
 *
 * a are the features of a picture. Support and queries are normalized by their own statistics, so
 * that g does not read the queries. The normalization ties the pictures of a task together, so a
 * sample, at both levels, is a whole task. A draw takes the mean over its own tasks, but the
 * penalty of all heads: every draw is strongly convex, by 2 lambda / T.
 *
 * The weight of a task in a draw is how often it was drawn; each is worked on once. The tasks of a
 * draw are divided into at most BLOCKS blocks of consecutive ones, by their number alone; gradients
 * in x are summed within a block in order, and the blocks in order, in double. So the bits are the
 * same for any number of threads. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/share.h"
#include "core/vector.h"
#include "meta/linear.h"
#include "meta/meta_internal.h"

enum { BLOCKS = SUSTAIN__META_BLOCKS, SLOTS = BLOCKS };

typedef struct task_problem {
    sustain_problem problem;
    sustain_context *context;
    sustain__setting setting;
    sustain_task_shape shape;
    const sustain_pictures *training;
    uint64_t seed;
    int64_t head;    /* numbers of a head */
    int slots;       /* tasks that are worked on at the same time */
    size_t backbone; /* bytes of one */
    const char *layers;
    sustain_constants known;
} task_problem;

/* ---- `work` ---- */

/* What one thread needs; it lives in `work`, the backbone too. */
typedef struct slot {
    sustain__backbone *backbone;
    int64_t *number; /* (pictures of a task + ways) */
    const uint8_t **picture;
    int32_t *label;
    sustain_real *features, *d_features, *d_y; /* d_y: scratch where y-space is not wanted */
    double *scores[3];
    char *arena; /* (backbone) */
} slot;

typedef struct task_work {
    int32_t *count;     /* (T) how often a task was drawn */
    int64_t *task;      /* (tasks of the draw) their numbers, increasing */
    double *value;      /* likewise */
    int64_t *correct;   /* likewise: right answers */
    sustain_real *part; /* (BLOCKS, dim) */
    slot slot[SLOTS];
} task_work;

static int64_t most_pictures(const task_problem *p) {
    return p->shape.ways * (p->shape.shots > p->shape.queries ? p->shape.shots : p->shape.queries);
}

static void cut_slot(const task_problem *p, sustain__carver *c, slot *s) {
    const int64_t ways = p->shape.ways, all = ways * (p->shape.shots + p->shape.queries), rows = most_pictures(p);
    s->number = sustain__carve(c, all + ways, sizeof *s->number);
    s->picture = sustain__carve(c, rows, sizeof *s->picture);
    s->label = sustain__carve(c, rows, sizeof *s->label);
    s->features = sustain__carve(c, rows * p->setting.features, sizeof *s->features);
    s->d_features = sustain__carve(c, rows * p->setting.features, sizeof *s->d_features);
    s->d_y = sustain__carve(c, p->head, sizeof *s->d_y);
    for (int i = 0; i < 3; i++) s->scores[i] = sustain__carve(c, rows * ways, sizeof *s->scores[i]);
    s->arena = sustain__carve(c, (int64_t)p->backbone, 1);
}

static size_t cut_work(const task_problem *p, void *memory, task_work *w) {
    const int64_t tasks = p->problem.samples[SUSTAIN_LOWER];
    sustain__carver c = {.memory = memory};
    w->count = sustain__carve(&c, tasks, sizeof *w->count);
    w->task = sustain__carve(&c, tasks, sizeof *w->task);
    w->value = sustain__carve(&c, tasks, sizeof *w->value);
    w->correct = sustain__carve(&c, tasks, sizeof *w->correct);
    w->part = sustain__carve(&c, BLOCKS * p->setting.dim, sizeof *w->part);
    for (int i = 0; i < p->slots; i++) cut_slot(p, &c, &w->slot[i]);
    return c.used;
}

static size_t workspace(const void *self, int64_t max_batch) {
    task_work measured;
    (void)max_batch; /* a task is worked on once, however often it was drawn */
    return cut_work(self, NULL, &measured);
}

/* A context whose allocator hands out a part of `work`: a backbone is made there in each call. */
typedef struct arena {
    char *at, *end;
} arena;

static void *hand_out(void *user, void *pointer, size_t size) {
    arena *a = user;
    if (pointer != NULL || size > (size_t)(a->end - a->at)) return NULL;
    a->at += size;
    return a->at - size;
}

static sustain_status make_backbone(sustain_context *context, const task_problem *p, sustain__backbone **out) {
    return sustain__backbone_create(context, &p->setting.net, p->setting.layers, most_pictures(p), 1, out);
}

/* ---- one draw ---- */

typedef struct call {
    const task_problem *p;
    sustain_level level;
    const sustain_real *x, *y, *v;
    bool second;               /* products with v, not gradients */
    bool curvature;            /* `value` of a task: a bound of its Hessian's eigenvalues instead */
    sustain_real *of_x, *of_y; /* outputs in x-space and y-space, or NULL */
    task_work w;
    int64_t tasks, drawn; /* different tasks; all */
    int64_t blocks, end;  /* of the draw; where those of this process end */
    atomic_int_fast64_t next;
    atomic_bool failed;
} call;

/* The pictures of a task at this level into the slot; returns how many. */
static int64_t take_pictures(const task_problem *p, sustain_level level, int64_t task, slot *s) {
    const sustain_task_shape *shape = &p->shape;
    const bool lower = level == SUSTAIN_LOWER;
    const int64_t n = shape->ways * shape->shots, m = shape->ways * shape->queries, each = lower ? shape->shots : shape->queries;
    sustain_task_draw(p->training, shape, p->seed, SUSTAIN__TRAINING_TASKS, (uint64_t)task, s->number, s->number + n, s->number + n + m);
    for (int64_t i = 0; i < shape->ways * each; i++) {
        s->picture[i] = sustain_picture_pixels(p->training, s->number[lower ? i : n + i]);
        s->label[i] = (int32_t)(i / each);
    }
    return shape->ways * each;
}

/* The eigenvalues of diag(p) - pp' are at most 1/2, those of A A' at most its largest row sum, A
 * the features with a 1. */
static double curvature_bound(const sustain__linear *l) {
    double most = 0;
    for (int64_t i = 0; i < l->rows; i++) {
        double sum = 0;
        for (int64_t j = 0; j < l->rows; j++) sum += fabs(1 + sustain__dot(l->dim, l->features + i * l->dim, l->features + j * l->dim));
        most = fmax(most, sum);
    }
    return most / (2 * (double)l->rows);
}

/* Task number `index` of the draw; adds its part to `part`. */
static void visit(call *c, slot *s, int64_t index, sustain_real *part) {
    const task_problem *p = c->p;
    const int64_t task = c->w.task[index], rows = take_pictures(p, c->level, task, s), together[2] = {0, rows};
    const double weight = (double)c->w.count[task] / (double)c->drawn;
    sustain_real *d_y = c->of_y != NULL ? c->of_y + task * p->head : s->d_y;
    const sustain__linear l = {.rows = rows,
                               .dim = p->setting.features,
                               .ways = p->shape.ways,
                               .features = s->features,
                               .labels = s->label,
                               .y = c->y + task * p->head,
                               .P = s->scores[0],
                               .R = s->scores[1]};
    sustain__backbone_forward(s->backbone, c->x, s->picture, rows, together, 1, s->features);
    c->w.value[index] = weight * (c->curvature ? curvature_bound(&l) : sustain__linear_loss(&l, &c->w.correct[index]));
    if (c->curvature) return;
    if (c->of_x == NULL && c->of_y == NULL) return;
    if (c->of_y == NULL) sustain__zero(p->head, d_y);
    if (c->second) /* H_i v_i, and the features' part of the cross product */
        sustain__linear_gradient_tangent(&l, NULL, c->v + task * p->head, s->scores[2], s->d_features, d_y);
    else
        sustain__linear_gradient(&l, s->d_features, d_y);
    sustain__scale(p->head, weight, d_y);
    if (c->of_x == NULL) return;
    sustain__scale(rows * l.dim, weight, s->d_features);
    sustain__backbone_gradient(s->backbone, c->x, s->d_features, true, part);
}

/* The tasks of a block. */
static sustain__range tasks_of(const call *c, int64_t block) {
    return (sustain__range){block * c->tasks / c->blocks, (block + 1) * c->tasks / c->blocks};
}

/* What other processes need of a block: its part of x-space, and of each task a value, the right
 * answers and the part of its head. */
static void *output(void *user, int64_t block, int which, size_t *bytes) {
    const call *c = user;
    const sustain__range own = tasks_of(c, block);
    const size_t tasks = (size_t)(own.end - own.begin);
    *bytes = tasks * sizeof *c->w.value;
    if (which == 0) return c->w.value + own.begin;
    *bytes = tasks * sizeof *c->w.correct;
    if (which == 1) return c->w.correct + own.begin;
    *bytes = (size_t)c->p->setting.dim * sizeof *c->w.part;
    which -= 2;
    if (c->of_x != NULL && which-- == 0) return c->w.part + block * c->p->setting.dim;
    *bytes = (size_t)c->p->head * sizeof *c->of_y;
    return c->of_y != NULL && (size_t)which < tasks ? c->of_y + c->w.task[own.begin + which] * c->p->head : NULL;
}

/* A slot takes blocks until none is left. */
static void work_in(void *user, int64_t number) {
    call *c = user;
    const task_problem *p = c->p;
    slot *s = &c->w.slot[number];
    arena room = {s->arena, s->arena + p->backbone};
    sustain_context context = {.allocator = hand_out, .allocator_user = &room, .threads = 1, .communicator = {.ranks = 1}};
    int64_t block = (int64_t)atomic_fetch_add(&c->next, 1);
    if (block >= c->end) return;
    if (make_backbone(&context, p, &s->backbone) != SUSTAIN_OK) {
        atomic_store(&c->failed, true);
        return;
    }
    for (; block < c->end; block = (int64_t)atomic_fetch_add(&c->next, 1)) {
        const sustain__range own = tasks_of(c, block);
        sustain_real *part = c->w.part + block * p->setting.dim;
        if (c->of_x != NULL) sustain__zero(p->setting.dim, part);
        for (int64_t i = own.begin; i < own.end; i++) visit(c, s, i, part);
    }
    sustain__backbone_destroy(s->backbone);
}

/* The different tasks of a draw, in their order. */
static void list_tasks(call *c, const sustain_batch *batch) {
    const int64_t all = c->p->problem.samples[SUSTAIN_LOWER];
    for (int64_t i = 0; i < all; i++) c->w.count[i] = batch == NULL;
    for (int64_t i = 0; batch != NULL && i < batch->size; i++) c->w.count[batch->index[i]]++;
    c->drawn = batch != NULL ? batch->size : all;
    c->tasks = 0;
    for (int64_t i = 0; i < all; i++)
        if (c->w.count[i] > 0) c->w.task[c->tasks++] = i;
    c->blocks = c->tasks < BLOCKS ? c->tasks : BLOCKS;
}

static int run(call *c, const sustain_batch *batch, double *value, void *work) {
    const task_problem *p = c->p;
    cut_work(p, work, &c->w);
    list_tasks(c, batch);
    const sustain__range own = sustain__share_range(p->context, c->blocks);
    c->end = own.end;
    atomic_init(&c->next, own.begin);
    atomic_init(&c->failed, false);
    if (c->of_y != NULL) sustain__zero(p->problem.lower_dim, c->of_y);
    sustain_parallel_for(p->context, p->slots < c->blocks ? p->slots : c->blocks, work_in, c);
    if (atomic_load(&c->failed)) return -1;
    if (sustain__share_outputs(p->context, c->blocks, c, output) != SUSTAIN_OK) return 0; /* the oracle reports it */
    const int64_t lower = p->problem.lower_dim;
    const double penalty = c->level == SUSTAIN_LOWER ? p->setting.rule.lambda / (double)p->problem.samples[SUSTAIN_LOWER] : 0;
    if (c->of_y != NULL && penalty > 0) sustain__add(lower, 2 * penalty, c->second ? c->v : c->y, c->of_y);
    if (value != NULL) {
        *value = penalty > 0 ? penalty * sustain__dot(lower, c->y, c->y) : 0;
        for (int64_t i = 0; i < c->tasks; i++) *value += c->w.value[i];
    }
    for (int64_t j = 0; c->of_x != NULL && j < p->setting.dim; j++) {
        double sum = 0;
        for (int64_t b = 0; b < c->blocks; b++) sum += (double)c->w.part[b * p->setting.dim + j];
        c->of_x[j] = (sustain_real)sum;
    }
    return 0;
}

/* ---- the oracles ---- */

static int f_value(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    return run(&(call){.p = self, .level = SUSTAIN_UPPER, .x = x, .y = y}, xi, value, work);
}

static int f_grad(const void *self, const sustain_batch *xi, const sustain_real *x, const sustain_real *y, sustain_real *fx,
                  sustain_real *fy, void *work) {
    return run(&(call){.p = self, .level = SUSTAIN_UPPER, .x = x, .y = y, .of_x = fx, .of_y = fy}, xi, NULL, work);
}

static int g_value(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, double *value, void *work) {
    return run(&(call){.p = self, .level = SUSTAIN_LOWER, .x = x, .y = y}, zeta, value, work);
}

static int g_grad_y(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gy,
                    void *work) {
    return run(&(call){.p = self, .level = SUSTAIN_LOWER, .x = x, .y = y, .of_y = gy}, zeta, NULL, work);
}

static int g_grad_x(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, sustain_real *gx,
                    void *work) {
    return run(&(call){.p = self, .level = SUSTAIN_LOWER, .x = x, .y = y, .of_x = gx}, zeta, NULL, work);
}

static int g_hess_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                      sustain_real *out, void *work) {
    return run(&(call){.p = self, .level = SUSTAIN_LOWER, .x = x, .y = y, .v = v, .second = true, .of_y = out}, zeta, NULL, work);
}

static int g_cross_vec(const void *self, const sustain_batch *zeta, const sustain_real *x, const sustain_real *y, const sustain_real *v,
                       sustain_real *out, void *work) {
    return run(&(call){.p = self, .level = SUSTAIN_LOWER, .x = x, .y = y, .v = v, .second = true, .of_x = out}, zeta, NULL, work);
}

static int initial(const void *self, sustain_real *x, sustain_real *y) {
    const task_problem *p = self;
    sustain__net_start(&p->setting.net, p->seed, x);
    sustain__zero(p->problem.lower_dim, y);
    return 0;
}

static const sustain_problem_ops ops = {.name = "few-shot tasks",
                                        .f_value = f_value,
                                        .f_grad = f_grad,
                                        .g_value = g_value,
                                        .g_grad_y = g_grad_y,
                                        .g_grad_x = g_grad_x,
                                        .g_hess_vec = g_hess_vec,
                                        .g_cross_vec = g_cross_vec,
                                        .initial = initial,
                                        .workspace = workspace};

sustain_status sustain__task_problem_score(const sustain_problem *problem, const sustain_batch *xi, const sustain_real *x,
                                           const sustain_real *y, void *work, double *loss, double *accuracy) {
    const task_problem *p = problem->self;
    call c = {.p = p, .level = SUSTAIN_UPPER, .x = x, .y = y};
    if (run(&c, xi, loss, work) != 0) return sustain__fail(p->context, SUSTAIN_MEMORY, "out of memory for the backbone");
    int64_t correct = 0;
    for (int64_t i = 0; i < c.tasks; i++) correct += c.w.correct[i] * c.w.count[c.w.task[i]];
    *accuracy = (double)correct / (double)(p->shape.ways * p->shape.queries * c.drawn);
    return SUSTAIN_OK;
}

sustain_status sustain__task_problem_curvature(const sustain_problem *problem, const sustain_batch *zeta, const sustain_real *x,
                                               const sustain_real *y, void *work, double *L_g) {
    const task_problem *p = problem->self;
    call c = {.p = p, .level = SUSTAIN_LOWER, .x = x, .y = y, .curvature = true};
    if (run(&c, zeta, NULL, work) != 0) return sustain__fail(p->context, SUSTAIN_MEMORY, "out of memory for the backbone");
    *L_g = 0;
    for (int64_t i = 0; i < c.tasks; i++) *L_g = fmax(*L_g, c.w.value[i]);
    *L_g += p->known.mu_g;
    return SUSTAIN_OK;
}

const char *sustain__task_problem_layers(const sustain_problem *problem) {
    return ((const task_problem *)problem->self)->layers;
}

/* ---- creation ---- */

/* Passes allocations on and adds them up. */
typedef struct counter {
    const sustain_context *context;
    size_t bytes;
} counter;

static void *counted(void *user, void *pointer, size_t size) {
    counter *c = user;
    c->bytes += size;
    return c->context->allocator(c->context->allocator_user, pointer, size);
}

/* The bytes of a backbone: it is made once. */
static sustain_status measure(task_problem *p) {
    counter c = {.context = p->context};
    sustain_context context = {.allocator = counted, .allocator_user = &c, .threads = 1, .communicator = {.ranks = 1}};
    sustain__backbone *backbone;
    const sustain_status status = make_backbone(&context, p, &backbone);
    if (status != SUSTAIN_OK) return sustain__fail(p->context, status, "%s", context.error);
    p->layers = sustain__backbone_kind(backbone);
    sustain__backbone_destroy(backbone);
    p->backbone = c.bytes;
    return SUSTAIN_OK;
}

static sustain_status make(task_problem *p, const sustain_meta_options *given) {
    sustain_meta_options o;
    SUSTAIN_TRY(sustain__meta_take_options(p->context, given, &o));
    o.method = SUSTAIN_META_SOLVER;
    SUSTAIN_TRY(sustain__meta_settle(p->context, p->training, &o));
    p->setting = sustain__meta_setting(&o, p->training);
    p->shape = (sustain_task_shape){o.ways, o.shots, o.queries};
    SUSTAIN_TRY(sustain_tasks_check(p->training, &p->shape));
    SUSTAIN_TRY(sustain__net_check(p->context, &p->setting.net));
    const int threads = sustain_context_threads(p->context);
    p->seed = o.seed;
    p->head = o.ways * (p->setting.features + 1);
    p->slots = threads < SLOTS ? threads : SLOTS;
    p->problem = (sustain_problem){.ops = &ops,
                                   .self = p,
                                   .upper_dim = p->setting.dim,
                                   .lower_dim = o.training_tasks * p->head,
                                   .samples = {o.training_tasks, o.training_tasks}};
    p->known = sustain_constants_unknown();
    p->known.mu_g = 2 * o.lambda / (double)o.training_tasks;
    p->problem.known = &p->known;
    return measure(p);
}

sustain_status sustain_meta_problem_create(sustain_context *context, const sustain_meta_options *options, const sustain_pictures *training,
                                           sustain_problem **out) {
    task_problem *p;
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, training, "training"));
    SUSTAIN_TRY(sustain__allocate(context, sizeof *p, &p));
    *p = (task_problem){.context = context, .training = training};
    const sustain_status status = make(p, options);
    if (status == SUSTAIN_OK)
        *out = &p->problem;
    else
        sustain__free(context, p);
    return status;
}

void sustain_meta_problem_destroy(sustain_problem *problem) {
    if (problem == NULL) return;
    task_problem *p = (task_problem *)(void *)problem; /* its first member */
    sustain__free(p->context, p);
}

/* meta_internal.h - what the files of meta learning share. A method is a table of functions, a
 * worker has the memory for one task, a run is a state and a list of workers.
 *
 * theta is what is trained: x, the backbone, then the start of the head if the method learns
 * one, or the head of all training classes. */
#ifndef SUSTAIN_META_META_H
#define SUSTAIN_META_META_H

#include <sustain/meta.h>

#include "core/share.h"
#include "meta/head.h"
#include "nn/backbone.h"

/* ---- a task ---- */

typedef struct sustain__method sustain__method;

/* Everything that the work on a task depends on except its pictures; the same for all workers. */
typedef struct sustain__setting {
    const sustain__method *method;
    sustain__net net;
    sustain__head_rule rule;
    sustain__hyper hyper;
    int64_t K;          /* of eq. (7) */
    const char *layers; /* NULL: the fastest */
    bool first_order;
    int64_t dim;      /* of x */
    int64_t features; /* of a picture */
    int64_t classes;  /* of the training set; 0: a model in use */
    int64_t theta;    /* dim, plus (features + 1) for each class of a head that is trained too */
} sustain__setting;

/* The pictures of one task: support, then queries, class by class. */
typedef struct sustain__pictures_of {
    int64_t support, queries; /* n, m */
    const uint8_t **picture;  /* (n + m) */
    int32_t *label;           /* (n + m) */
} sustain__pictures_of;

/* One worker: the memory for one task at a time. */
typedef struct sustain__worker {
    const sustain__setting *setting;
    sustain__backbone *backbone;
    sustain__head *head;
    sustain__pictures_of task;
    int64_t *number;          /* (n + m + ways): indices of the pictures drawn, then of the
                               * classes */
    sustain_real *features;   /* (n + m, features): support, then queries */
    sustain_real *d_features; /* derivative of the loss with respect to them */
    sustain_real *d_start;    /* (theta - dim): likewise for the start of the head */
    sustain_real *statistics; /* of the support */
    /* maml */
    sustain_real *path;                      /* (steps + 1, theta): theta_0, theta_1, ... */
    sustain_real *adjoint, *product;         /* (theta) each */
    sustain_real *features_t, *d_features_t; /* (n, features): tangents */
    /* heads of linear.h */
    sustain_real *y, *d_y; /* (features + 1, ways) each: prototype */
    double *scores[3];     /* (n + m, ways) each; pretrain: two, with a column for each class */
    void *memory;
} sustain__worker;

/* Loss and correct predictions of the queries of a task; pretrain: of all its pictures. */
typedef struct sustain__outcome {
    double loss;
    int64_t correct;
} sustain__outcome;

struct sustain__method {
    const char *name;
    bool learns_start; /* of the head */
    bool whole;        /* adapts the backbone too, so it needs second derivatives */
    bool means;        /* its head is made of class means: nothing is adapted */
    bool all_classes;  /* trains a head of all classes, on pictures instead of tasks */
    double lambda;     /* default */
    /* Adds the contribution of the task to `gradient` (theta); k of eq. (7). */
    sustain__outcome (*gradient)(sustain__worker *worker, const sustain_real *theta, int64_t k, sustain_real *gradient);
    /* Adapts and predicts the queries, with the statistics of the queries themselves or of the
     * support. */
    sustain__outcome (*ask)(sustain__worker *worker, const sustain_real *theta, bool support_statistics);
    /* One iteration: theta_t -> theta_{t+1}. */
    sustain_status (*step)(sustain_meta *meta, sustain_meta_progress *progress);
};

extern const sustain__method sustain__method_anil;
extern const sustain__method sustain__method_maml;
extern const sustain__method sustain__method_itd_bio;
extern const sustain__method sustain__method_sustain;
extern const sustain__method sustain__method_pretrain;
extern const sustain__method sustain__method_prototype;
extern const sustain__method sustain__method_solver;
const sustain__method *sustain__method_find(const char *name);

/* ---- parts that methods share ---- */

/* Features of support and queries, normalized by shared statistics. */
void sustain__task_features(sustain__worker *w, const sustain_real *x);

/* Features of the support and of the queries, normalized by the statistics of the support. */
void sustain__task_features_apart(sustain__worker *w, const sustain_real *x);

/* Adapts the head to the features, from `start` or zero, and predicts the queries. */
sustain__outcome sustain__task_head(sustain__worker *w, const sustain_real *start);

/* Adds the hypergradient through that head and the backbone to `gradient` (theta). */
void sustain__task_back(sustain__worker *w, const sustain_real *x, int64_t k, bool start, sustain_real *gradient);

/* gradient() of methods whose head starts at zero, and ask() of all methods that adapt only the
 * head. */
sustain__outcome sustain__gradient_from_zero(sustain__worker *w, const sustain_real *theta, int64_t k, sustain_real *gradient);
sustain__outcome sustain__ask_head(sustain__worker *w, const sustain_real *theta, bool support_statistics);

/* step() of methods without momentum: theta <- theta - alpha (direction of the mean gradient). */
sustain_status sustain__meta_descend(sustain_meta *meta, sustain_meta_progress *progress);

/* ---- workers ---- */

typedef struct sustain__workers {
    sustain_context *context;
    int count;
    sustain__worker *worker; /* (count) */
} sustain__workers;

/* As many workers as the context has threads, at most `most`. order: as in
 * sustain__backbone_create(). */
sustain_status sustain__workers_create(sustain_context *context, const sustain__setting *setting, const sustain_task_shape *shape,
                                       int order, int64_t most, sustain__workers *out);
void sustain__workers_destroy(sustain__workers *workers);

/* Calls job(worker, user, number) once for each 0 <= number < count, in parallel; the processes
 * of a run share them. */
typedef void sustain__job(sustain__worker *worker, void *user, int64_t number);
sustain_status sustain__workers_run(const sustain__workers *workers, int64_t count, sustain__job *job, void *user, sustain__output output);

/* Draws a task into the worker's memory. */
void sustain__worker_draw(sustain__worker *w, const sustain_pictures *set, const sustain_task_shape *shape, uint64_t seed, uint32_t stream,
                          uint64_t task);

/* Draws pictures instead, of all classes: chunk number `chunk` of shuffled epochs. Labels are the
 * numbers of the classes. */
void sustain__worker_draw_chunk(sustain__worker *w, const sustain_pictures *set, const sustain_task_shape *shape, uint64_t seed,
                                uint32_t stream, uint64_t chunk);

/* ---- a run ---- */

enum { SUSTAIN__META_BLOCKS = 16 };   /* gradients of tasks are summed in at most this many parts */
enum { SUSTAIN__TRAINING_TASKS = 0 }; /* stream of sustain_task_draw() */

struct sustain_meta {
    sustain_context *context;
    size_t memory_before;         /* bytes that the context held before this object */
    sustain_meta_options options; /* with all defaults filled in */
    sustain__setting setting;
    const sustain_pictures *training; /* NULL: a model read from a file, for evaluation only */
    sustain__workers workers;

    /* the state */
    int64_t t;
    sustain_real *theta, *theta_prev; /* (theta) each */
    sustain_real *h;                  /* h^f_{t-1} */
    sustain_real *m, *v;              /* Adam's moments */
    sustain_meta_record record;
    sustain_real *best; /* (theta) the backbone that the record is about */
    bool has_best;      /* false: no evaluation yet, or a state of an older version */
    double recent[3];   /* running sums over the last iterations: of losses, of accuracies, of their weights */

    /* of one iteration */
    sustain_real *gradient, *gradient_prev; /* (theta) */
    sustain_real *part;                     /* (blocks, theta) */
    sustain__outcome *outcome;              /* (tasks) */
    void *memory;

    /* of an algorithm of the registry */
    sustain_problem *problem;
    sustain_solver *solver;
    void *problem_work;
    bool started;
};

/* The number of training task i of the iteration. */
int64_t sustain__meta_which(const sustain_meta *meta, int64_t i);

/* Makes the problem and the solver (NULL: "sustain"); destroys them; starts the solver if that was
 * not done; reads its state. */
sustain_status sustain__meta_solver_create(sustain_meta *meta, const char *name);
void sustain__meta_solver_destroy(sustain_meta *meta);
sustain_status sustain__meta_solver_start(sustain_meta *meta);
sustain_status sustain__meta_solver_load(sustain_meta *meta, const char *path);

/* Mean loss and accuracy of the queries of a draw of a problem of sustain_meta_problem_create(). */
sustain_status sustain__task_problem_score(const sustain_problem *problem, const sustain_batch *xi, const sustain_real *x,
                                           const sustain_real *y, void *work, double *loss, double *accuracy);

/* A bound of the largest eigenvalue of grad^2_yy g of a draw. */
sustain_status sustain__task_problem_curvature(const sustain_problem *problem, const sustain_batch *zeta, const sustain_real *x,
                                               const sustain_real *y, void *work, double *L_g);

/* The layers in use. */
const char *sustain__task_problem_layers(const sustain_problem *problem);

/* Means over the tasks of iteration t: the gradient of the method at theta, the loss, the
 * accuracy. */
sustain_status sustain__meta_gradient(sustain_meta *meta, const sustain_real *theta, sustain_real *gradient,
                                      sustain_meta_progress *progress);

/* theta <- theta - alpha (Adam's or the plain direction of h); theta_prev <- theta. Refuses an h
 * that is not finite and then changes nothing. */
sustain_status sustain__meta_move(sustain_meta *meta, double alpha, const sustain_real *h, sustain_meta_progress *progress);

/* Computes train_loss and train_accuracy of the record from the running sums. */
void sustain__meta_means(sustain_meta *meta);

/* Copies the options given by a caller; fields that the caller does not have keep their
 * defaults. */
sustain_status sustain__meta_take_options(sustain_context *context, const sustain_meta_options *given, sustain_meta_options *out);

/* Refuses options that are out of range or contradict each other; fills in defaults. */
sustain_status sustain__meta_settle(sustain_context *context, const sustain_pictures *pictures, sustain_meta_options *options);
/* Fills in dim, features and theta from the rest. */
void sustain__setting_measure(sustain__setting *setting);
sustain__setting sustain__meta_setting(const sustain_meta_options *options, const sustain_pictures *pictures);

/* The start of training: a random backbone, and small random numbers for a learned start of the
 * head. */
int64_t sustain__meta_vectors(const sustain_meta *meta); /* of the length of theta, in meta->memory */
void sustain__meta_start(const sustain__setting *setting, uint64_t seed, sustain_real *theta);

#endif

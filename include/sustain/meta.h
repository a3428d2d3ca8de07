/** @file meta.h - few-shot learning: trains a backbone over tasks, eq. (2), so that a linear
 *  head adapts to a new task from a few pictures of each class.
 *
 *      min over x of   mean over tasks i of   f_i(x, y_i(x)),
 *      y_i(x) = argmin over y of   g_i(x, y) = loss on the support + lambda |y|^2
 *
 *      sustain_meta_options options = sustain_meta_defaults();
 *      options.method = SUSTAIN_META_ANIL; // everything else: the paper's settings
 *      sustain_meta_create(context, &options, training, &meta);
 *      for (int t = 0; t < 1000; t++) sustain_meta_step(meta, &progress);
 *      const sustain_meta_trial trial = {.tasks = 600, .queries = 15};
 *      sustain_meta_evaluate(meta, test, &trial, &score);
 *      sustain_meta_write_model(meta, "model.safetensors");
 *      sustain_meta_destroy(meta);
 *
 *  The tasks of an iteration run in parallel on the threads that the context had at creation;
 *  results do not depend on their number. docs/meta.md describes the methods, their settings and
 *  results. */
#ifndef SUSTAIN_META_H
#define SUSTAIN_META_H

#include <sustain/parameter.h>
#include <sustain/pictures.h>
#include <sustain/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How x and the start of the heads are trained. */
typedef enum sustain_meta_method {
    SUSTAIN_META_ANIL,      /**< gradient steps on the head from a learned start; derivative
                             *   through them (Raghu et al. 2020) */
    SUSTAIN_META_MAML,      /**< gradient steps on everything from a learned start (Finn et al.
                             *   2017) */
    SUSTAIN_META_ITD_BIO,   /**< the head from zero, derivative through its steps (Ji et al. 2021) */
    SUSTAIN_META_SUSTAIN,   /**< the head from zero, x moves by (14) or (20), Algorithms 1 and 2
                             *   (Khanduri et al. 2021) */
    SUSTAIN_META_PRETRAIN,  /**< one head for all training classes; a task then gets a new one
                             *   (Chen et al. 2019) */
    SUSTAIN_META_PROTOTYPE, /**< nearest class mean, trained over tasks (Snell et al. 2017) */
    SUSTAIN_META_SOLVER     /**< an algorithm of the registry on sustain_meta_problem_create() */
} sustain_meta_method;

/** How the query loss is differentiated through the head (`sustain` only; the others unroll). */
typedef enum sustain_meta_hypergradient {
    SUSTAIN_META_UNROLL,  /**< through the steps of gradient descent */
    SUSTAIN_META_NEUMANN, /**< eq. (7) */
    SUSTAIN_META_CG,      /**< eq. (6) by conjugate gradients; the head is solved to `tolerance` */
    SUSTAIN_META_EXACT,   /**< eq. (6) by a direct solve in the space of the support samples;
                           *   likewise */
    SUSTAIN_META_AUTO     /**< unroll, as in the paper; `sustain` without given inner steps:
                           *   exact, which has no step size that could be too large */
} sustain_meta_hypergradient;

/** The update direction of x. */
typedef enum sustain_meta_direction { SUSTAIN_META_ADAM, SUSTAIN_META_PLAIN } sustain_meta_direction;

/** Options of training. Take them from sustain_meta_defaults(). The structure begins with its size,
 *  so that it can grow. sustain_meta_create() chooses steps and a width that are 0, and a lambda
 *  and a least_scale that are NAN. */
typedef struct sustain_meta_options {
    size_t size;         /**< sizeof(sustain_meta_options), as the caller was compiled */
    const char *dataset; /**< selects default settings: "mini-imagenet", "fc100", "omniglot";
                          *   NULL and others: as mini-imagenet */
    int method, hypergradient, direction;
    int option;       /**< of `sustain`, eq. (20): 0 is I, 1 is II */
    bool first_order; /**< of `maml`: omits the second derivatives */
    int64_t ways, shots, queries, tasks;
    int64_t training_tasks; /**< size of the fixed set that tasks are drawn from */
    int64_t width;          /**< filters of each block */
    int64_t inner_steps;
    double inner_step, outer_step, lambda, tolerance, c_eta;
    double least_scale; /**< normalization scales start uniformly between this and 1 */
    int64_t K;          /**< of eq. (7) */
    int layers;         /**< implementation of convolutions: 0 the fastest here, 1 "winograd", 2
                         *   "onednn", 3 "plain"; their results differ by rounding */
    uint64_t seed;      /**< of all random numbers */
    const char *solver; /**< of SUSTAIN_META_SOLVER: a name of the registry; NULL: "sustain" */
} sustain_meta_options;

/** The parameter table: all options except `dataset`, `first_order`, `seed` and `solver`. */
const sustain_parameter *sustain_meta_parameters(int *count);

/** Called by sustain_meta_defaults(): fills `size` bytes. */
void sustain_meta_defaults_for(size_t size, sustain_meta_options *options);

/** `sustain` with the Adam direction and Option II, 5-way 5-shot with 5 queries, 32 tasks per
 *  iteration; everything else chosen by sustain_meta_create(). */
static inline sustain_meta_options sustain_meta_defaults(void) {
    sustain_meta_options options;
    sustain_meta_defaults_for(sizeof options, &options);
    return options;
}

/** A backbone in training, or one read from a file. */
typedef struct sustain_meta sustain_meta;

/** Creates a backbone for pictures like those of `training`, which is borrowed. Refused: options
 *  that are out of range or contradict each other, too few classes, classes with too few
 *  pictures. */
sustain_status sustain_meta_create(sustain_context *context, const sustain_meta_options *options, const sustain_pictures *training,
                                   sustain_meta **out);

/** Reads a model for evaluation. Refused with a sentence: other files, damaged files, tensors
 *  that do not match the architecture in the metadata. */
sustain_status sustain_meta_open(sustain_context *context, const char *path, sustain_meta **out);

/** Frees it. NULL is allowed. */
void sustain_meta_destroy(sustain_meta *meta);

/** The options with all defaults filled in. */
const sustain_meta_options *sustain_meta_settled(const sustain_meta *meta);

/** The name of its method; the number of parameters of the backbone and the learned start; the
 *  layers in use ("winograd", "onednn", "plain"). */
const char *sustain_meta_method_name(const sustain_meta *meta);
int64_t sustain_meta_dim(const sustain_meta *meta);
const char *sustain_meta_layers(const sustain_meta *meta);

/** The solver of SUSTAIN_META_SOLVER, to set its parameters before the first step; its `batch` and
 *  `seed` are set to `tasks` and `seed`. NULL: another method. It belongs to the backbone. */
sustain_solver *sustain_meta_solver(sustain_meta *meta);

/** Number of iterations done. */
int64_t sustain_meta_iteration(const sustain_meta *meta);

/** Values of one iteration, at the point before its step. */
typedef struct sustain_meta_progress {
    double loss, accuracy; /**< of the queries, mean over the tasks */
    double norm;           /**< of the update direction of x before Adam */
} sustain_meta_progress;

/** One iteration. Allocates nothing. Fails if a value is not finite; the state is then
 *  unchanged. */
sustain_status sustain_meta_step(sustain_meta *meta, sustain_meta_progress *progress);

/** Meta learning, eq. (2), as a problem for every algorithm: x is the backbone, y are the heads of
 *  `training_tasks` fixed tasks (0: 200), one after the other, each W (ways, features), then b
 *  (ways). A sample is a task, at both levels:
 *
 *      g = mean over tasks of   mean loss of the support + lambda |y_i|^2,      f = mean over tasks of the mean loss of the queries
 *
 *  Support and queries are normalized by their own statistics. A draw has the losses of its own
 *  tasks and the penalty of all heads. Vectors in y-space are dense: an iteration passes over
 *  `training_tasks` heads. Used
 *  of the options: ways, shots, queries, training_tasks, width, lambda, least_scale, layers, seed,
 *  dataset. Steps run on the threads that the context had at creation. `training` is borrowed. */
sustain_status sustain_meta_problem_create(sustain_context *context, const sustain_meta_options *options, const sustain_pictures *training,
                                           sustain_problem **out);

/** Frees it. NULL is allowed. */
void sustain_meta_problem_destroy(sustain_problem *problem);

/** How to evaluate. */
typedef struct sustain_meta_trial {
    size_t size;     /**< sizeof(sustain_meta_trial), as the caller was compiled; 0: the fields up to
                      *   `quick` */
    int64_t tasks;   /**< number of tasks */
    int64_t queries; /**< of each class */
    int64_t shots;   /**< 0: as in training */
    uint64_t seed;
    uint32_t stream; /**< selects the tasks; 0 is for training; the program uses 1 for
                      *   validation, 2 for test */
    bool quick;      /**< skip the evaluation with the statistics of the support */
} sustain_meta_trial;

/** Accuracy over tasks, with half the width of its 95 % confidence interval. */
typedef struct sustain_meta_score {
    double accuracy, interval;                 /**< queries normalized by their own statistics (together with the
                                                *   support, except in `maml`), as in the literature */
    double support_accuracy, support_interval; /**< queries normalized by the statistics of the
                                                *   support: a prediction does not depend on the
                                                *   other queries */
    double loss;                               /**< of the first */
} sustain_meta_score;

/** What training and such an evaluation will take together. For a solver of yours, with its
 *  parameters as they are set. */
sustain_status sustain_meta_memory(sustain_meta *meta, const sustain_pictures *pictures, const sustain_meta_trial *trial,
                                   sustain_memory *memory);

/** Adapts to tasks drawn from `pictures` and predicts their queries. */
sustain_status sustain_meta_evaluate(sustain_meta *meta, const sustain_pictures *pictures, const sustain_meta_trial *trial,
                                     sustain_meta_score *score);

/** Baselines on the same tasks: the nearest class mean of the support's pixels (first two
 *  fields), and the untrained backbone. */
sustain_status sustain_meta_baselines(sustain_meta *meta, const sustain_pictures *pictures, const sustain_meta_trial *trial,
                                      sustain_meta_score *centroid, sustain_meta_score *untrained);

/** The history of validation, and the time; part of the state. */
typedef struct sustain_meta_record {
    double accuracy;          /**< the best so far; NAN before the first validation */
    int64_t iteration;        /**< at which it was reached */
    int64_t without_progress; /**< validations since */
    double seconds;           /**< spent in steps */
    double train_loss;        /**< mean over about the last 50 iterations; NAN before the first */
    double train_accuracy;    /**< likewise */
} sustain_meta_record;

/** Records the accuracy on validation tasks; returns whether it is the best so far. */
bool sustain_meta_look(sustain_meta *meta, double accuracy);

/** The record. */
const sustain_meta_record *sustain_meta_best(const sustain_meta *meta);

/** Saves the whole state: a resumed run equals an uninterrupted one. */
sustain_status sustain_meta_save(const sustain_meta *meta, const char *path);

/** Loads a state into a backbone created with the same options. Refused: a state of another
 *  architecture or method. */
sustain_status sustain_meta_load(sustain_meta *meta, const char *path);

/** Writes the model; docs/meta.md describes the format. */
sustain_status sustain_meta_write_model(const sustain_meta *meta, const char *path);

/** Writes the model with the best validation accuracy. Refused (SUSTAIN_ORDER) before the first
 *  validation, and after loading a state of an older version, which does not have it. */
sustain_status sustain_meta_write_best(const sustain_meta *meta, const char *path);

#ifdef __cplusplus
}
#endif
#endif

/** @file meta.h - few-shot learning: a backbone trained over tasks, eq. (2), so that a linear head adapts to a new task from a few pictures of each class.
 *
 *      min over x of   mean over tasks i of   f_i(x, y_i(x)),      y_i(x) = argmin over y of   g_i(x, y) = loss on the support + lambda |y|^2
 *
 *      sustain_meta_options options = sustain_meta_defaults();
 *      options.method = SUSTAIN_META_ANIL;                               // what is left out is the paper's for the method and options.dataset
 *      sustain_meta_create(context, &options, training, &meta);
 *      for (int t = 0; t < 1000; t++) sustain_meta_step(meta, &progress);
 *      sustain_meta_evaluate(meta, test, &(sustain_meta_trial){.tasks = 600, .queries = 15}, &score);
 *      sustain_meta_write_model(meta, "model.safetensors");
 *      sustain_meta_destroy(meta);
 *
 *  Tasks of an iteration are worked on by the threads of the context at the time of creation, several at the same time; results do not depend on their number. docs/meta.md
 *  has the methods, their settings and what they reach. */
#ifndef SUSTAIN_META_H
#define SUSTAIN_META_H

#include <sustain/parameter.h>
#include <sustain/pictures.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How x and the start of the heads are trained. */
typedef enum sustain_meta_method {
    SUSTAIN_META_ANIL,    /**< gradient steps on the head from a learned start; derivative through them (Raghu et al. 2020) */
    SUSTAIN_META_MAML,    /**< gradient steps on everything from a learned start (Finn et al. 2017) */
    SUSTAIN_META_ITD_BIO, /**< the head from zero, derivative through its steps (Ji et al. 2021) */
    SUSTAIN_META_SUSTAIN  /**< the head from zero, the direction of x by (14) or (20), Algorithms 1 and 2 (Khanduri et al. 2021) */
} sustain_meta_method;

/** How the loss of the queries is differentiated through the head (`sustain`; the others unroll). */
typedef enum sustain_meta_hypergradient {
    SUSTAIN_META_UNROLL,  /**< through the steps of gradient descent */
    SUSTAIN_META_NEUMANN, /**< eq. (7) */
    SUSTAIN_META_CG,      /**< eq. (6) by conjugate gradients; the head is solved to `tolerance` */
    SUSTAIN_META_EXACT,   /**< eq. (6) by one system in the samples of the support; likewise */
    SUSTAIN_META_AUTO     /**< unroll, as in the paper; `sustain` without given inner steps: exact, for no step can be too long then */
} sustain_meta_hypergradient;

/** What moves x. */
typedef enum sustain_meta_direction { SUSTAIN_META_ADAM, SUSTAIN_META_PLAIN } sustain_meta_direction;

/** What to do. Steps and a width that are 0, a lambda and a least_scale that are NAN, are chosen by sustain_meta_create(). */
typedef struct sustain_meta_options {
    const char *dataset; /**< whose settings: "mini-imagenet", "fc100", "omniglot"; NULL and others: mini-imagenet's */
    int method, hypergradient, direction;
    int option;       /**< of `sustain`, eq. (20): 0 is I, 1 is II */
    bool first_order; /**< of `maml`: leaves the second derivatives out */
    int64_t ways, shots, queries, tasks;
    int64_t training_tasks; /**< the set that tasks are drawn from */
    int64_t width;          /**< filters of each block */
    int64_t inner_steps;
    double inner_step, outer_step, lambda, tolerance, c_eta;
    double least_scale; /**< the scales of normalization start between this and 1 */
    int64_t K;          /**< of eq. (7) */
    int layers;         /**< what computes convolutions: 0 the fastest here, 1 "winograd", 2 "onednn", 3 "plain"; bits differ */
    uint64_t seed;      /**< of all random numbers */
} sustain_meta_options;

/** The rows of all options but `dataset`, `first_order` and `seed`. */
const sustain_parameter *sustain_meta_parameters(int *count);

/** `sustain` with the Adam direction and Option II, 5-way 5-shot with 5 queries, 32 tasks an iteration; the rest open. */
sustain_meta_options sustain_meta_defaults(void);

/** A backbone in training, or one that was read from a file. */
typedef struct sustain_meta sustain_meta;

/** Makes a backbone for pictures like those of `training`, which is borrowed. Refused: options outside their range, or that contradict each other; classes too few or too small. */
sustain_status sustain_meta_create(sustain_context *context, const sustain_meta_options *options, const sustain_pictures *training,
                                   sustain_meta **out);

/** Reads a model, to be evaluated. Refused with a sentence: another file, one that is damaged, one of another architecture than its metadata says. */
sustain_status sustain_meta_open(sustain_context *context, const char *path, sustain_meta **out);

/** Frees it. NULL is allowed. */
void sustain_meta_destroy(sustain_meta *meta);

/** The options with all that was open filled in. */
const sustain_meta_options *sustain_meta_settled(const sustain_meta *meta);

/** The name of its method; numbers of the backbone with the learned start; the layers that it runs on ("winograd", "onednn", "plain"). */
const char *sustain_meta_method_name(const sustain_meta *meta);
int64_t sustain_meta_dim(const sustain_meta *meta);
const char *sustain_meta_layers(const sustain_meta *meta);

/** Iterations done. */
int64_t sustain_meta_iteration(const sustain_meta *meta);

/** Of an iteration, at the point before its step. */
typedef struct sustain_meta_progress {
    double loss, accuracy; /**< of the queries, mean over the tasks */
    double norm;           /**< of the direction of x before Adam */
} sustain_meta_progress;

/** One iteration. Allocates nothing. Fails where something is not finite; the state is then as before. */
sustain_status sustain_meta_step(sustain_meta *meta, sustain_meta_progress *progress);

/** What to evaluate with. */
typedef struct sustain_meta_trial {
    int64_t tasks;   /**< how many */
    int64_t queries; /**< of each class */
    int64_t shots;   /**< 0: as in training */
    uint64_t seed;
    uint32_t stream; /**< which tasks, not 0: those are for training; in the program 1 is for validation, 2 for test */
    bool quick;      /**< leave the support's statistics out */
} sustain_meta_trial;

/** Accuracy over tasks, with half the width of its 95 % interval. */
typedef struct sustain_meta_score {
    double accuracy, interval; /**< the queries are normalized by their own statistics (with the support's but in `maml`), as in papers */
    double support_accuracy, support_interval; /**< by the support's statistics: an answer does not depend on the other queries */
    double loss;                               /**< of the first */
} sustain_meta_score;

/** Adapts to tasks drawn from `pictures` and asks for their queries. */
sustain_status sustain_meta_evaluate(sustain_meta *meta, const sustain_pictures *pictures, const sustain_meta_trial *trial,
                                     sustain_meta_score *score);

/** Honest company on the same tasks: the nearest mean of the support's pixels (first two fields), and the backbone before any training. */
sustain_status sustain_meta_company(sustain_meta *meta, const sustain_pictures *pictures, const sustain_meta_trial *trial,
                                    sustain_meta_score *centroid, sustain_meta_score *untrained);

/** What validation saw, and the time; part of the state. */
typedef struct sustain_meta_record {
    double accuracy;          /**< the best; NAN before the first look */
    int64_t iteration;        /**< where */
    int64_t without_progress; /**< looks since */
    double seconds;           /**< that the steps took */
} sustain_meta_record;

/** Enters the accuracy of a look at validation tasks; returns whether it is the best so far. */
bool sustain_meta_look(sustain_meta *meta, double accuracy);

/** The record. */
const sustain_meta_record *sustain_meta_best(const sustain_meta *meta);

/** Saves the whole state: a resumed run equals an uninterrupted one. */
sustain_status sustain_meta_save(const sustain_meta *meta, const char *path);

/** Loads one into a backbone made with the same options. Refused: that of another architecture or method. */
sustain_status sustain_meta_load(sustain_meta *meta, const char *path);

/** Writes the model: docs/meta.md has the file. */
sustain_status sustain_meta_write_model(const sustain_meta *meta, const char *path);

#ifdef __cplusplus
}
#endif
#endif

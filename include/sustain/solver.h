/** @file solver.h - the algorithms: list them, create one for a problem, set parameters, run, save,
 *  resume.
 *
 *      sustain_solver_create(context, "sustain", &problem, &solver);
 *      sustain_solver_set(solver, "batch", "16");
 *      sustain_solver_run(solver, &(sustain_stopping){.iterations = 10000}, &result);
 *      ... result.x, result.y ...
 *      sustain_solver_destroy(solver);
 */
#ifndef SUSTAIN_SOLVER_H
#define SUSTAIN_SOLVER_H

#include <sustain/memory.h>
#include <sustain/needs.h>
#include <sustain/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One algorithm of the registry. */
typedef struct sustain_solver_info {
    const char *name;      /**< as sustain_solver_create() takes it */
    const char *title;     /**< in words */
    const char *reference; /**< the paper */
    /** samples (upper, lower) proved to reach |grad ell|^2 <= epsilon */
    const char *complexity;
    unsigned needs;                      /**< a set of sustain_oracle */
    bool deterministic;                  /**< draws nothing: expected values, all samples at once */
    const sustain_parameter *parameters; /**< (parameter_count) */
    int parameter_count;
} sustain_solver_info;

/** How many algorithms there are. */
int sustain_solver_count(void);

/** The i-th algorithm, 0 <= i < sustain_solver_count(). */
const sustain_solver_info *sustain_solver_at(int i);

/** What the name "auto" stands for: the first of these rules that applies to the problem. */
typedef struct sustain_choice {
    const char *name; /**< the algorithm */
    const char *when; /**< the reason, which is also the condition */
} sustain_choice;

/** The i-th rule, or NULL beyond the last. */
const sustain_choice *sustain_solver_choice(int i);

/** What a run has used. The same rules for all algorithms: docs/design.md, "Counts". */
typedef struct sustain_counts {
    int64_t samples[2];       /**< indices drawn, upper and lower level */
    int64_t gradients[2];     /**< per-sample gradients: a batch of B at two points counts 2B */
    int64_t hessian_products; /**< per-sample products with grad^2_yy g */
    int64_t cross_products;   /**< per-sample products with grad^2_xy g */
} sustain_counts;

/** An algorithm at work on a problem. */
typedef struct sustain_solver sustain_solver;

/** Makes a solver. The problem is borrowed. "auto" chooses by the properties of the problem, logs
 *  the choice and the reason, and sustain_solver_describe() returns the algorithm chosen. Refused:
 *  an unknown name (with the nearest one), a problem that lacks an oracle (the message names it,
 *  and the algorithms that do not need it). */
sustain_status sustain_solver_create(sustain_context *context, const char *name, const sustain_problem *problem, sustain_solver **out);

/** Frees it. NULL is allowed. */
void sustain_solver_destroy(sustain_solver *solver);

/** Frees the state, x and y included: the solver is as it was before the start. NULL is allowed. */
void sustain_solver_release(sustain_solver *solver);

/** The algorithm's row in the registry. */
const sustain_solver_info *sustain_solver_describe(const sustain_solver *solver);

/** Sets a parameter from text. Not after the start. */
sustain_status sustain_solver_set(sustain_solver *solver, const char *name, const char *text);

/** Sets an integer or a number. Not after the start. */
sustain_status sustain_solver_set_number(sustain_solver *solver, const char *name, double value);

/** Writes a parameter's value as text, "" if there is none of that name. */
void sustain_solver_get(const sustain_solver *solver, const char *name, char *text, size_t size);

/** What the start will allocate, with the parameters as they are set, in
 *  part[SUSTAIN_MEMORY_SOLVER]; what the context holds already is in part[SUSTAIN_MEMORY_DATA].
 *  Nothing is computed: a number of terms K that the start would choose is taken to be 20. */
sustain_status sustain_solver_memory(sustain_solver *solver, sustain_memory *memory);

/** Starts from (x, y), which are copied; NULL: the problem's own start. Computes the steps,
 *  allocates everything that step() needs. sustain_solver_run() does it by itself if it was not
 *  done. */
sustain_status sustain_solver_start(sustain_solver *solver, const sustain_real *x, const sustain_real *y);

/** One iteration. Allocates nothing. */
sustain_status sustain_solver_step(sustain_solver *solver);

/** The current x_t (upper_dim); brings a lazy x up to date. Valid until the next step. Where an
 *  evaluation or the end of a run finds that x_t and y_t have diverged, both are those of the last
 *  good point until then. */
const sustain_real *sustain_solver_x(sustain_solver *solver);

/** The current y_t (lower_dim). Valid until the next step. */
const sustain_real *sustain_solver_y(const sustain_solver *solver);

/** Iterations done. */
int64_t sustain_solver_iteration(const sustain_solver *solver);

/** What was used so far. */
sustain_counts sustain_solver_counts(const sustain_solver *solver);

/** The steps in use, after the start: given, from a theorem, or estimated; halved where a
 *  divergence made that necessary. */
sustain_steps sustain_solver_steps(const sustain_solver *solver);

/** What an observer sees. Pointers are valid during the call. */
typedef struct sustain_progress {
    int64_t iteration;
    double seconds; /**< of optimization, without evaluation and observer */
    /** f(x_t, y_t), not ell(x_t): y_t follows y*(x_t). Expected value, or mean over a fixed batch
     *  of a stream */
    double upper_value;
    double upper_norm; /**< norm of the last direction of x, h^f */
    double lower_norm; /**< norm of the last direction of y, h^g */
    sustain_counts counts;
    sustain_solver *solver; /**< read x and y from it */
} sustain_progress;

/** Called at each evaluation; anything but 0 ends the run. A limit that the same evaluation
 *  reaches comes first: a run that is paused and called again ends where it would have without
 *  the pause. */
typedef int (*sustain_observer)(void *user, const sustain_progress *progress);

/** When to stop: whichever comes first; 0 means no such limit. At least one must be given. */
typedef struct sustain_stopping {
    /** sizeof(sustain_stopping), as the caller was compiled; 0: the fields up to `user` */
    size_t size;
    /** in all, counted from the start of the solver, so that a resumed run ends where it would
     *  have */
    int64_t iterations;
    int64_t samples;      /**< drawn in all, both levels together */
    double seconds;       /**< of optimization in all */
    double gradient_norm; /**< stop when |h^f| is at most this (at an evaluation) */
    int64_t patience;     /**< stop after this many evaluations without a better upper value */
    /** iterations between evaluations; 0: a hundredth of `iterations`, or 100 */
    int64_t every;
    sustain_observer observer; /**< or NULL */
    void *user;                /**< passed to the observer */
} sustain_stopping;

/** Why a run stopped. Not an error. */
#define SUSTAIN_STOP_LIST(X)                                \
    X(NONE, "it has not stopped by itself: see the status") \
    X(ITERATIONS, "all iterations are done")                \
    X(SAMPLES, "the number of samples is used up")          \
    X(SECONDS, "the time is used up")                       \
    X(GRADIENT, "the gradient norm is small enough")        \
    X(PATIENCE, "the upper value no longer improves")       \
    X(OBSERVER, "the observer asked to stop")

/** See SUSTAIN_STOP_LIST. */
typedef enum sustain_stop {
#define SUSTAIN_STOP_ENUM(name, text) SUSTAIN_STOP_##name,
    SUSTAIN_STOP_LIST(SUSTAIN_STOP_ENUM)
#undef SUSTAIN_STOP_ENUM
} sustain_stop;

/** The sentence that explains it. */
const char *sustain_stop_text(sustain_stop stop);

/** What a run ends with. */
typedef struct sustain_result {
    sustain_stop stop;
    int64_t iterations;
    double seconds;
    double upper_value; /**< f at the last point */
    /** the iteration that x and y belong to: parameter `output` = last, uniform or best */
    int64_t point;
    const sustain_real *x; /**< (upper_dim) owned by the solver, valid until its next step */
    const sustain_real *y; /**< (lower_dim) likewise */
    int64_t halvings;      /**< how often the step was halved after a divergence; after several the
                            *   point may be far from a solution: the log says what happened */
    int64_t dropped;       /**< draws that the problem skipped */
    sustain_counts counts;
} sustain_result;

/** Runs until a limit is reached; call it again with other limits to continue: the iterations are
 *  those of a run in one piece. */
sustain_status sustain_solver_run(sustain_solver *solver, const sustain_stopping *stopping, sustain_result *result);

/** Solves a problem in one call: creates a solver, runs it, copies the solution, destroys it.
 *
 *      sustain_real x[1] = {0}, y[1] = {0};
 *      sustain_minimize(context, &problem, NULL, NULL, x, y, NULL);
 *
 *  `name` is an algorithm, NULL the one that suits the problem ("auto"). `stopping` NULL: 20,000
 *  iterations (200 for a deterministic algorithm), or when the upper value has not improved for a
 *  fifth of them. x (upper_dim) and y (lower_dim) belong to the caller: the start before the call
 *  and the solution after it, or the last point if the run fails or is cancelled. NULL: the
 *  problem's own start, and no solution is copied. result may be NULL; its x and y are the
 *  caller's. */
sustain_status sustain_minimize(sustain_context *context, const sustain_problem *problem, const char *name,
                                const sustain_stopping *stopping, sustain_real *x, sustain_real *y, sustain_result *result);

/** What a field of the state holds. */
typedef enum sustain_field_type { SUSTAIN_FIELD_REAL, SUSTAIN_FIELD_DOUBLE, SUSTAIN_FIELD_INT64, SUSTAIN_FIELD_UINT32 } sustain_field_type;

/** One named part of a solver's state. */
typedef struct sustain_field {
    const char *name;
    sustain_field_type type;
    int64_t count;
    void *data;
} sustain_field;

/** The size of one element. */
size_t sustain_field_size(sustain_field_type type);

/** The whole state of a started solver, as a list: saving, loading and comparing are one loop. */
const sustain_field *sustain_solver_state(sustain_solver *solver, int *count);

/** Adds numbers of the caller, `data` (count), to the state of a solver that is not started: they
 *  are saved and loaded with it, and not used otherwise. `name` and `data` are borrowed, and must
 *  outlive the solver. At most 8 fields. Integers may have any value. Refused: a name that is
 *  attached already, is that of a field of the solver (seen at the start), or begins with "good.",
 *  as the solver's copies of its state do. */
sustain_status sustain_solver_attach(sustain_solver *solver, const char *name, sustain_field_type type, int64_t count, void *data);

/** Writes the state in safetensors layout: to a temporary name first, renamed when complete. */
sustain_status sustain_solver_save(sustain_solver *solver, const char *path);

/** Starts a solver, of the same algorithm, problem and precision, from a saved state. The resumed
 *  run equals an uninterrupted one bit for bit. The parameters are taken from the file, whatever
 *  was set before. */
sustain_status sustain_solver_load(sustain_solver *solver, const char *path);

#ifdef __cplusplus
}
#endif
#endif

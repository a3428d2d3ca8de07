/* solver_internal.h - shared by all algorithms: the table that describes one, the structure
 * that it extends, the layout of its memory. An algorithm is one file: its step first, then the
 * vectors it keeps, then its row. */
#ifndef SUSTAIN_SOLVERS_SOLVER_H
#define SUSTAIN_SOLVERS_SOLVER_H

#include <sustain/solver.h>

#include "core/context_internal.h"
#include "oracle/draw.h"
#include "oracle/oracle.h"
#include "wrap/checked.h"
#include "wrap/counted.h"
#include "wrap/differenced.h"

enum { SUSTAIN__SCHEDULE_AUTO, SUSTAIN__SCHEDULE_POWER, SUSTAIN__SCHEDULE_THEORY };
/* K of schedule=power, where it is not given; the help text says so */
enum { SUSTAIN__POWER_TERMS = 10 };
enum { SUSTAIN__OUTPUT_LAST, SUSTAIN__OUTPUT_UNIFORM, SUSTAIN__OUTPUT_BEST };

/* The parameters that algorithms share; an algorithm without the row of a parameter does not use
 * it. */
typedef struct sustain__common {
    int64_t batch, seed, iterations, recover;
    int sampling, schedule, theorem, output, check;
    double alpha, beta, c_eta_f, c_eta_g, w, p, q, r, L_g, noise;
    int64_t K, probe;
} sustain__common;

/* The rows of parameters that algorithms share. The table of an algorithm begins with
 * SUSTAIN__STOCHASTIC_ROWS, or SUSTAIN__DETERMINISTIC_ROWS and what it uses of the schedule, and
 * adds the others that it uses. */
#define SUSTAIN__COMMON(member) offsetof(struct sustain_solver, common.member)
/* clang-format off */
#define SUSTAIN__RUN_ROWS                                                                                                                  \
    {"batch", SUSTAIN_PARAMETER_INTEGER, SUSTAIN__COMMON(batch), 1, 1, 1e9, NULL, "samples in each draw, at both levels"},                 \
    {"seed", SUSTAIN_PARAMETER_INTEGER, SUSTAIN__COMMON(seed), 0, 0, 0x1p53, NULL, "of all random draws"},                                 \
    {"sampling", SUSTAIN_PARAMETER_CHOICE, SUSTAIN__COMMON(sampling), 0, 0, 2, "replace|shuffle|blocks",                                   \
     "finite sums: draw with replacement, or every sample once an epoch; blocks: neighbours close together, for slow disks"},              \
    {"noise", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(noise), 110, 0, 1e30, NULL,                                                        \
     "schedule=auto: the most by which noise shortens alpha; 110 is for 1 % of |grad ell|^2, 1 for some hundred iterations"},              \
    SUSTAIN__DETERMINISTIC_ROWS
#define SUSTAIN__DETERMINISTIC_ROWS                                                                                                        \
    {"iterations", SUSTAIN_PARAMETER_INTEGER, SUSTAIN__COMMON(iterations), 0, 0, 0x1p53, NULL,                                             \
     "T that schedule=theory plans for (0: the limit of the run) and that output=uniform draws a(T) ahead for (0: a reservoir)"},                                            \
    {"output", SUSTAIN_PARAMETER_CHOICE, SUSTAIN__COMMON(output), 0, 0, 2, "last|uniform|best",                                            \
     "the point a run returns: x_T, x_a(T) with a(T) uniform on 1..T, or the point of the best upper value"},                                      \
    {"recover", SUSTAIN_PARAMETER_INTEGER, SUSTAIN__COMMON(recover), 10, 0, 60, NULL,                                                      \
     "how often a diverging run may go back to its last good point with half the step"},                                                   \
    {"check", SUSTAIN_PARAMETER_CHOICE, SUSTAIN__COMMON(check), 0, 0, 1, "off|on", "check that the outputs of every oracle are finite"}
#define SUSTAIN__SCHEDULE_ROW                                                                                                              \
    {"schedule", SUSTAIN_PARAMETER_CHOICE, SUSTAIN__COMMON(schedule), 0, 0, 1, "auto|power",                                               \
     "steps: estimated from the problem; or as given, alpha/(w+t)^p and so on"}
#define SUSTAIN__PROBE_ROW                                                                                                                 \
    {"probe", SUSTAIN_PARAMETER_INTEGER, SUSTAIN__COMMON(probe), 0, 0, 0x1p53, NULL,                                                       \
     "schedule=auto: the most gradients and products, one a sample, that are computed before the start; 0: no bound"}
#define SUSTAIN__STEP_ROWS(p_initial, q_initial)                                                                                           \
    {"alpha", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(alpha), 0.1, 0, 1e30, NULL, "schedule=power: alpha_t = alpha/(w+t)^p, step of x"}, \
    {"beta", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(beta), 0.1, 0, 1e30, NULL, "schedule=power: beta_t = beta/(w+t)^q, step of y"},     \
    {"w", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(w), 1, 1e-9, 1e30, NULL, "schedule=power: offset of the decay"},                       \
    {"p", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(p), p_initial, 0, 1, NULL, "power of the decay of alpha; 0: constant"},                \
    {"q", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(q), q_initial, -1, 1, NULL, "power of the decay of beta; 0: constant, -1: as p"},      \
    {"L_g", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(L_g), 0, 0, 1e30, NULL,                                                              \
     "at least the largest eigenvalue of a draw's Hessian; 0: known or estimated"}
#define SUSTAIN__STOCHASTIC_ROWS(p_initial, q_initial)                                                                                     \
    SUSTAIN__RUN_ROWS, SUSTAIN__SCHEDULE_ROW, SUSTAIN__PROBE_ROW, SUSTAIN__STEP_ROWS(p_initial, q_initial)
#define SUSTAIN__MOMENTUM_ROWS                                                                                                             \
    {"c_eta_f", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(c_eta_f), 1, 0, 1e30, NULL,                                                      \
     "schedule=power: eta^f_t = min(1, c_eta_f/(w+t)^2p), momentum of x"},                                                                 \
    {"c_eta_g", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(c_eta_g), 1, 0, 1e30, NULL,                                                      \
     "schedule=power: eta^g_t = min(1, c_eta_g/(w+t)^2p), momentum of y"},                                                                 \
    SUSTAIN__ETA_POWER_ROW(0)
#define SUSTAIN__ETA_POWER_ROW(r_initial)                                                                                                  \
    {"r", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(r), r_initial, 0, 2, NULL, "power of the decay of eta; 0: 2p"}
#define SUSTAIN__THETA_ROWS(r_initial)                                                                                                     \
    {"c_eta_f", SUSTAIN_PARAMETER_NUMBER, SUSTAIN__COMMON(c_eta_f), 1, 0, 1e30, NULL,                                                      \
     "schedule=power: theta_t = min(1, c_eta_f/(w+t)^r), weight of the newest estimate"},                                                  \
        SUSTAIN__ETA_POWER_ROW(r_initial)
#define SUSTAIN__NEUMANN_ROW                                                                                                               \
    {"K", SUSTAIN_PARAMETER_INTEGER, SUSTAIN__COMMON(K), 0, 0, 100000, NULL,                                                               \
     "terms of eq. (7), k is uniform on 0..K-1; 0: chosen by the schedule (power: 10)"}
/* clang-format on */

/* The table of parameters in the description of an algorithm, and what most algorithms need: second
 * derivatives as products, or gradients alone. */
#define SUSTAIN__PARAMETERS(rows) .parameters = rows, .parameter_count = sizeof rows / sizeof *rows
#define SUSTAIN__NEEDS_PRODUCTS (SUSTAIN_NEEDS_F_GRAD | SUSTAIN_NEEDS_G_GRAD_Y | SUSTAIN_NEEDS_G_HESS_VEC | SUSTAIN_NEEDS_G_CROSS_VEC)
#define SUSTAIN__NEEDS_GRADIENTS (SUSTAIN_NEEDS_F_GRAD | SUSTAIN_NEEDS_G_GRAD_Y | SUSTAIN_NEEDS_G_GRAD_X)

/* What happens to a field when a diverging run returns to its last good point. */
typedef enum sustain__kind {
    SUSTAIN__STATE,  /* saved, and restored */
    SUSTAIN__RECORD, /* saved, not restored: counts keep their values */
    SUSTAIN__SCRATCH /* neither */
} sustain__kind;

enum { SUSTAIN__MOST_FIELDS = 96, SUSTAIN__MOST_ATTACHED = 8 };

/* One vector, or scalar, of a solver. */
typedef struct sustain__slot {
    sustain_field field;
    sustain__kind kind;
    void *place; /* the pointer to set: (void **) */
} sustain__slot;

/* The tuning constants of an algorithm for schedule=auto: alpha_0 = alpha (K / ln 10)^lag /
 * curvature of ell, beta_0 = beta / L_g; alpha_0 is reduced in proportion to `noise` times the
 * measured noise. Zeros stand for the defaults 0.7, 1/2, 0, 1. K / ln 10 is about L_g/mu_g, the
 * effective condition number for the hypergradient. L_g is the largest eigenvalue of a draw or, if
 * steady, the value that is stable in the mean square (sustain_estimate_steady()). */
typedef struct sustain__tuning {
    double alpha, beta, lag, noise;
    double quiet_lag; /* added to lag where noise is negligible */
    double eta;       /* eta_t = min(1, eta (1 + t/30)^(-2p)); 0: 1 */
    double shuffled;  /* beta with sampling=shuffle; 0: the same */
    bool steady;
} sustain__tuning;

/* The results of a probe, for schedule=auto (probe.h). */
typedef struct sustain__probe {
    double L_g;      /* the largest eigenvalue of a draw's Hessian, at both ends of the path */
    double terms;    /* K for which (1/L_g) sum_{q<K} (I - H/L_g)^q gives the hypergradient up to a tenth of the largest one */
    double settling; /* the same, extrapolated, where a bound ended the count; else 0 */
    /* of ell: the largest |D(x') - D(x)| / |x' - x| between two points of the path; 0: the gradient
     * is zero */
    double curvature;
    /* the smallest curvature along the path with y and v held fixed */
    double own;
    double distance; /* that x moved along the path */
    double reach;    /* the largest distance that a coordinate of x moved along the path */
    /* E|D^ - D|^2 of single estimates D^ over the product of the first and the largest |D| of the
     * path; 0 for deterministic algorithms */
    double noise;
    double jump; /* the largest coordinate of a single estimate, root mean square */
    bool whole;  /* the path is that of the expected value, not of a large draw */
} sustain__probe;

/* The table of an algorithm. */
typedef struct sustain__algorithm {
    sustain_solver_info info;
    size_t size; /* of its structure, which begins with a struct sustain_solver */
    /* whether x is kept lazily, given problem and parameters; NULL: never */
    bool (*lazy)(const sustain_solver *solver);
    /* x moves where the draws of an iteration touch it and nowhere else: outputs in x-space stay
     * compact, where the problem lists what draws touch and x is not projected */
    bool compact;
    sustain__tuning tuning;
    /* those of a variant that its parameters ask for; NULL: `tuning` */
    const sustain__tuning *(*variant)(const sustain_solver *solver);
    /* schedule=auto's step, in units of x, for a direction whose coordinates are all about 1; or
     * 0 */
    double (*unit_step)(const sustain_solver *solver);
    /* schedule=auto's first step, as a part of the distance that x moved in the probe, for a
     * direction of length 1; or 0 */
    double (*unit_length)(const sustain_solver *solver);
    /* schedule=auto: alpha is multiplied by this, for noise that the probe does not measure */
    double (*alpha_factor)(const sustain_solver *solver);
    bool projects_y; /* it runs on problems whose y is constrained */
    /* schedule=auto: the steps, estimated at (x, y), in place of the probe; may be NULL */
    sustain_status (*own_steps)(sustain_solver *solver, const sustain_real *x, const sustain_real *y, sustain_steps *out);
    bool adapts; /* it finds its steps by itself, without a probe and without parameters of steps */
    /* called after the steps are chosen and before the layout: estimates further constants at (x,
     * y), refuses unsuitable problems; may be NULL */
    sustain_status (*prepare)(sustain_solver *solver, const sustain_real *x, const sustain_real *y);
    /* size of the largest draw, where it exceeds the parameter `batch`; NULL: `batch` */
    int64_t (*largest_batch)(const sustain_solver *solver);
    /* names its vectors: sustain__vector(), sustain__scalar() */
    void (*layout)(sustain_solver *solver);
    /* x and y are set: the rest of the first state; may be NULL */
    void (*begin)(sustain_solver *solver);
    /* one iteration; a failure leaves the state as it was */
    sustain_status (*step)(sustain_solver *solver);
    /* of the last directions, which it keeps; NULL: it writes them to solver->norm */
    void (*norms)(const sustain_solver *solver, double norm[2]);
    /* lazy: all of x_t, without changing the state */
    void (*read_x)(sustain_solver *solver, sustain_real *out);
    /* how many draws of a stream an iteration takes at most, each with a number; NULL: one */
    double (*draws)(const sustain_solver *solver);
    /* whether a loaded state can be used: its indices are in range; may be NULL */
    bool (*sane)(const sustain_solver *solver);
} sustain__algorithm;

/* Prefix of the names of the copies of the state, to which a diverging run returns. */
#define SUSTAIN__GOOD "good."

struct sustain_solver {
    sustain_context *context;
    const sustain__algorithm *algorithm;
    const sustain_problem *given;   /* the caller's */
    const sustain_problem *problem; /* the same, counted and (with check=on) checked */
    /* the caller's, for estimates; with second derivatives by differences where it has none */
    const sustain_problem *probe_problem;
    sustain__probe probe; /* results of the probe */
    /* probed before the start, for the name "auto": from the problem's own start, with the default
     * draws */
    bool probed;
    bool own_start; /* the run starts at the problem's own start */
    sustain__counted counted;
    sustain__checked checked;
    sustain__differenced differenced;
    sustain__common common;
    sustain__oracle oracle;
    sustain__sampler sampler;
    sustain_steps steps;
    bool started, lazy, compact;     /* compact: outputs in x-space have an entry for each coordinate of `touched` */
    int64_t touched_count, *touched; /* compact: of the draws of this iteration, first those of the upper level */
    int64_t planned;                 /* the limit of the run that started it: T, unless the parameter says it */

    /* the state that all algorithms share */
    sustain_real *x, *y; /* (upper_dim), (lower_dim) */
    int64_t t;           /* iterations done */
    /* iterations since the start, or up to the good point, whose draw was not dropped; eta = 1 at
     * 0 */
    int64_t moved;
    double scale;   /* of alpha: halved after a divergence */
    double scale_y; /* of beta: likewise */
    sustain_counts counts;
    int64_t halvings, dropped, dropped_in_a_row;
    double seconds;
    /* output = uniform or best */
    int64_t chosen; /* a(T) where T is known, else 0 */
    int64_t point;  /* the iteration that the kept point belongs to */
    sustain_real *kept_x, *kept_y;
    /* stopping and divergence, see run_loop.c */
    double best_value;
    int64_t without_progress, next_evaluation;
    double norm[2]; /* state: of the last directions, upper and lower */
    /* norms of the directions in the first iterations, upper and lower */
    double usual[2];
    double first_length;             /* of the longer direction in the first of them */
    int64_t watched_from;            /* where those began: 0, or the last recovery */
    int64_t good_at;                 /* the iteration of the last good point, -1: none */
    double good_size;                /* its |y| or |x| */
    bool astray;                     /* the present point has diverged: the last good one is shown */
    sustain_real *start_x, *start_y; /* schedule=auto: where the run began; else NULL */

    sustain_field attached[SUSTAIN__MOST_ATTACHED]; /* the caller's */
    int attached_count;
    sustain__slot slot[SUSTAIN__MOST_FIELDS];
    int slot_count;
    sustain_field state[2 * SUSTAIN__MOST_FIELDS]; /* the public list: fields, then good.fields */
    int state_count;
    int first_attached, first_good; /* in that list: the caller's fields, then the copies */
    char good_name[SUSTAIN__MOST_FIELDS][24];
    void *memory, *good_memory;
    sustain_real *start;   /* during the start only: x_0, y_0 */
    sustain_real *shown_x; /* lazy: where x is written for the caller */
};

/* ---- for the algorithms ---- */

/* A batch in a vector of SUSTAIN_FIELD_INT64; rounded up, as a pointer of four bytes makes it no
 * multiple of eight. */
enum { SUSTAIN__BATCH_WORDS = (sizeof(sustain_batch) + sizeof(int64_t) - 1) / sizeof(int64_t) };

/* Asks for a vector; *place is set when layout is done. Memory begins as zeros. */
void sustain__vector(sustain_solver *solver, sustain__kind kind, const char *name, sustain_field_type type, int64_t count, void *place);

/* The same for scratch of `count` sustain_real each. */
#define SUSTAIN__SCRATCH_REALS(solver, count, ...) sustain__scratch(solver, count, (sustain_real * *const[]){__VA_ARGS__, NULL})
void sustain__scratch(sustain_solver *solver, int64_t count, sustain_real **const *places);

/* Enters a number of the structure into the state. */
void sustain__scalar(sustain_solver *solver, sustain__kind kind, const char *name, sustain_field_type type, void *data);

/* The lengths of the directions of x (compact where the solver is) and y: to `norm`, and to the
 * solver's. */
void sustain__norms(const sustain_solver *solver, const sustain_real *upper, const sustain_real *lower, double norm[2]);
void sustain__set_norms(sustain_solver *solver, const sustain_real *upper, const sustain_real *lower);

/* The steps of iteration t. */
typedef struct sustain__step_sizes {
    double alpha, beta, eta_f, eta_g;
} sustain__step_sizes;
sustain__step_sizes sustain__step_sizes_at(const sustain_solver *solver);
/* Those of another t; `first`: of the first step that is made, where eta is 1. */
sustain__step_sizes sustain__step_sizes_of(const sustain_solver *solver, int64_t t, bool first);

/* In prepare(): the constants of the theory, known or estimated at (x, y), on other draws where one
 * is dropped. */
sustain_status sustain__look_up_constants(sustain_solver *solver, const sustain_real *x, const sustain_real *y, sustain_constants *out);

/* ---- shared by the files of src/solvers ---- */

sustain_status sustain__solver_begin(sustain_solver *solver, const sustain_real *x, const sustain_real *y, const sustain_steps *steps);
/* The point of this iteration becomes the output: parameter `output` is uniform or best. */
void sustain__keep_point(sustain_solver *solver);

/* Lists the fields that all solvers share and those of the algorithm. */
void sustain__fields_list(sustain_solver *solver);
/* The bytes of what is listed: all vectors, and the copies of the last good state. */
void sustain__fields_bytes(const sustain_solver *solver, size_t *all, size_t *good);
/* Adds the caller's fields to the list, and allocates all of it. */
sustain_status sustain__fields_allocate(sustain_solver *solver);

/* Exchanges the state with the copies of the last good one: around what reads those. */
void sustain__swap_good(sustain_solver *solver);

/* Back to before the start. */
void sustain__solver_unwind(sustain_solver *solver);
/* The steps by the parameter `schedule`; auto estimates at (x, y). */
sustain_status sustain__choose_steps(sustain_solver *solver, const sustain_real *x, const sustain_real *y, sustain_steps *out);
double sustain__power_of_y(const sustain__common *common);
double sustain__power_of_eta(const sustain__common *common, double p);
/* The samples of the draws that L_g is estimated on; 0: the expected value. */
int64_t sustain__estimate_batch(const sustain_solver *solver);
const sustain__tuning *sustain__tuning_of(const sustain_solver *solver);
/* schedule=auto, see auto.c; `seed` is that of the draws of the probe. */
sustain_status sustain__auto_steps(sustain_solver *solver, uint64_t seed, const sustain_real *x, const sustain_real *y, sustain_steps *out);
const sustain__algorithm *sustain__algorithm_find(const char *name);
/* Chooses the algorithm for the name "auto", and logs it. *probed: the problem was probed, with the
 * results in *probe. */
const sustain__algorithm *sustain__choose_algorithm(sustain_context *context, const sustain_problem *problem, sustain__probe *probe,
                                                    bool *probed);

/* All algorithms, in the order of the list. A new one is a file and a name here. */
/* clang-format off */
#define SUSTAIN__ALGORITHMS(row) \
    row(sustain) row(bsa) row(ttsa) row(stocbio) row(hoag) row(itd_bio) row(aid_cg) row(mrbo) row(vrbo) row(soba) row(saba) \
    row(ma_soba) row(srba) row(fsla) row(amigo) row(f2sa) row(f2sa_p) row(f3sa) row(spaba) row(slip) row(bo_rep) row(tfbo) \
    row(pzobo) row(pbgd) row(bome) row(meha) row(stable) row(svrb) row(fedbioacc)
/* clang-format on */
#define SUSTAIN__DECLARE(name) extern const sustain__algorithm sustain__algorithm_##name;
SUSTAIN__ALGORITHMS(SUSTAIN__DECLARE)
#undef SUSTAIN__DECLARE

#endif

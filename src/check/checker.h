/* checker.h - shared by all checks: the point, the draws, directions, memory, comparisons. */
#ifndef SUSTAIN_CHECK_CHECKER_H
#define SUSTAIN_CHECK_CHECKER_H

#include "check/slope.h"
#include "oracle/oracle.h"

enum {
    /* those before it in the list have one form: (batch, x, y, v) -> numbers */
    ORACLES = SUSTAIN_ORACLE_SHIFT_EXPECTATION,
    /* what is compared along each of them is one entry of a vector */
    DIRECTIONS = 4,
    TERMS = 3 /* Hessian products in the draw of eq. (7) */
};

/* What rows rest on, beside the oracles as SUSTAIN_NEEDS_*. */
enum {
    X_SPACE = 1 << 16, /* outputs in x-space can be placed */
    SUPPORT = 1 << 17,
    HESSIAN = 1 << 18,
    CROSS = 1 << 19,
    GRADIENT_PAIR = 1 << 20,
    HYPER_PAIR = 1 << 21,
    FINITE_SUM = 1 << 22,
    TABLES = 1 << 23,
    MOMENTUM_STEP = 1 << 24,
    ALL_OF_F = 1 << 25, /* batch NULL is understood */
    ALL_OF_G = 1 << 26,
    PROJECTION = 1 << 27
};

/* What an oracle writes; the parts that it does not write are zero. */
typedef struct sustain__answer {
    double value;
    sustain_real *x; /* (upper_dim) */
    sustain_real *y; /* (lower_dim) */
} sustain__answer;

/* Squares, over all entries that are compared: of the difference, of both sides, of what the slopes
 * may be wrong by. */
typedef struct sustain__comparison {
    double difference, left, right, uncertainty, noise;
} sustain__comparison;

/* The entry of an output that is farthest from what differences say. */
typedef struct sustain__entry {
    const char *variable; /* what it is indexed by; NULL: none was compared */
    int64_t at;
    double own, expected;
} sustain__entry;

typedef struct sustain__checker {
    sustain__oracle oracle; /* dense, its work with a guard behind it */
    const sustain_problem *problem;
    int64_t upper, lower;
    uint64_t seed;
    unsigned offered; /* what the problem offers */
    unsigned sound;   /* and no check has found wrong */

    sustain_batch xi, xi_other, zeta[TERMS + 1];
    /* the draw of each level that a check uses: xi and zeta[0], or NULL for batch NULL */
    const sustain_batch *draw[2];
    /* for a part of a level's samples, or all of them where they are few; size 0 for a stream */
    sustain_batch part[2];
    int64_t *part_index[2];          /* its index */
    sustain_real *x, *y;             /* the point */
    sustain_real *x_other, *y_other; /* another one */
    sustain_real *x_probe, *y_probe; /* a point on a line */
    sustain_real *d, *u, *v;         /* directions: d (upper), u and v (lower) */
    sustain__answer a, b;
    int64_t *coordinate; /* (2, room) lists of support */
    int64_t room;
    double *scratch;  /* of sustain__find_slope */
    size_t work_size; /* of oracle.work, without the guard */
    double ell_noise; /* how far the lower solve's rounding moves ell */
    uint64_t vectors; /* drawn so far */
    void *memory;

    /* The result of the current check; the loop in check.c initializes and reads it. */
    double tolerance;
    double error; /* the worst */
    sustain__comparison comparison;
    sustain__entry worst;
    const char *culprit; /* instead of the row's oracle, or NULL */
    unsigned blamed;     /* taken from `sound` if the row fails */
    bool skipped;        /* it cannot be done */
    char complaint[320]; /* instead of the sentence on the relative error */
} sustain__checker;

/* A row's work: leaves its finding in the checker. What it returns ends the whole check. */
typedef sustain_status (*sustain__check)(sustain__checker *c);

sustain_status sustain__check_support(sustain__checker *c);
sustain_status sustain__check_elsewhere(sustain__checker *c);
sustain_status sustain__check_purity_upper(sustain__checker *c);
sustain_status sustain__check_purity_lower(sustain__checker *c);
sustain_status sustain__check_draw_mean(sustain__checker *c);
sustain_status sustain__check_population_mean(sustain__checker *c);
sustain_status sustain__check_f_grad_x(sustain__checker *c);
sustain_status sustain__check_f_grad_y(sustain__checker *c);
sustain_status sustain__check_g_grad_y(sustain__checker *c);
sustain_status sustain__check_g_grad_x(sustain__checker *c);
sustain_status sustain__check_hessian(sustain__checker *c);
sustain_status sustain__check_symmetry(sustain__checker *c);
sustain_status sustain__check_cross_by_x(sustain__checker *c);
sustain_status sustain__check_cross_by_y(sustain__checker *c);
sustain_status sustain__check_hypergradient(sustain__checker *c);
sustain_status sustain__check_g_hess(sustain__checker *c);
sustain_status sustain__check_g_cross(sustain__checker *c);
sustain_status sustain__check_g_grad_y_pair(sustain__checker *c);
sustain_status sustain__check_hyper_pair(sustain__checker *c);
sustain_status sustain__check_tables(sustain__checker *c);
sustain_status sustain__check_tables_linear(sustain__checker *c);
sustain_status sustain__check_momentum_step(sustain__checker *c);
sustain_status sustain__check_project_y(sustain__checker *c);

/* About twice the largest curvature of a draw, where the problem does not say. */
sustain_status sustain__scale_of_hessian(sustain__checker *c, double *L_g);

/* Whether the list that lists_touched promises has coordinates of x, each once; marks them in
 * `scratch`. */
bool sustain__touched_is_right(sustain__checker *c, const sustain_touched *touched);
/* What is listed, placed in a vector of the length of x: zero elsewhere, and all over where the
 * list is not right. */
void sustain__place_touched(sustain__checker *c, const sustain_touched *touched, const sustain_real *values, sustain_real *dense);
/* Complains of an entry that is not 0 and was not marked. */
void sustain__all_are_touched(sustain__checker *c, const sustain_real *dense);

/* Makes everything above. x and y may be NULL. Destroy takes half-built ones. */
sustain_status sustain__checker_create(sustain_context *context, const sustain_problem *problem, const sustain_real *x,
                                       const sustain_real *y, int64_t batch, uint64_t seed, sustain__checker *out);
void sustain__checker_destroy(sustain__checker *c);

/* New d, u, v: normal, of the size of x and y but not smaller than 1 an entry. */
void sustain__checker_turn(sustain__checker *c);

/* An oracle by its SUSTAIN_ORACLE_SHIFT_*; products are with v. */
sustain_status sustain__evaluate(sustain__checker *c, int oracle, const sustain_batch *batch, const sustain_real *x, const sustain_real *y,
                                 sustain__answer *out);
sustain_level sustain__level_of(int oracle);
const sustain_batch *sustain__draw_of(const sustain__checker *c, int oracle);
/* A level's samples from `first` on, as many as fit into one part; size 0: there are none left. */
const sustain_batch *sustain__part_from(sustain__checker *c, sustain_level level, int64_t first);
/* Whether an oracle is offered, not blamed, supports the draw of the check, and has an output that
 * can be placed. */
bool sustain__is_usable(const sustain__checker *c, int oracle);

/* Fills all memory that an oracle may write with a byte, and restores the guard. */
void sustain__scribble(sustain__checker *c, int byte);
bool sustain__guard_broken(const sustain__checker *c);

/* 64 bits that differ if the bits differ. */
uint64_t sustain__fingerprint(uint64_t hash, const void *bytes, size_t size);
uint64_t sustain__fingerprint_of(const sustain__checker *c, const sustain__answer *a);

/* What is said of an oracle that is not pure. */
extern const char sustain__not_pure[];

/* Takes an error into the row; NaN counts as the worst. */
void sustain__note(sustain__checker *c, double error);
/* Fails the check with a message; the first message is kept. */
void sustain__complain(sustain__checker *c, const char *format, ...) SUSTAIN__PRINTF(2, 3);
/* The same, for an oracle that the table of checks does not name. */
void sustain__blame(sustain__checker *c, int oracle, const char *format, ...) SUSTAIN__PRINTF(3, 4);

/* Takes a number, or a vector, and the slope that it should equal into the comparison; conclude
 * notes the error of all of them. */
void sustain__compare_number(sustain__checker *c, double number, const sustain__slope *slope);
void sustain__compare_vector(sustain__checker *c, const char *variable, int64_t n, const sustain_real *vector, const sustain__slope *slope);
void sustain__conclude(sustain__checker *c);
/* Takes an entry into `worst` only. */
void sustain__compare_entry(sustain__checker *c, const char *variable, int64_t at, double own, double expected);
/* Whether what was noted so far fails the row. */
bool sustain__has_failed(const sustain__checker *c);
/* Two vectors that are the same but for rounding. */
void sustain__compare_same(sustain__checker *c, int64_t n, const sustain_real *a, const sustain_real *b);
/* 0 where there is no difference, whatever the scale. */
double sustain__relative(double difference, double scale);
/* The larger one; NaN if one of them is. */
double sustain__larger(double a, double b);
/* |a| / sqrt(n) */
double sustain__root_mean_square(int64_t n, const sustain_real *a);

#endif

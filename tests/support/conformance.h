/* conformance.h - what the tests of solvers share: problems with known answers, a problem with
 * faults, comparison of states. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <sustain/learn.h>
#include <sustain/sustain.h>

#include "failing_allocator.h"

/* Every algorithm of the registry in turn. */
#define EACH_SOLVER(info)                                     \
    for (int each = 0; each < sustain_solver_count(); each++) \
        for (const sustain_solver_info *info = sustain_solver_at(each); info != NULL; info = NULL)

/* A context that counts its memory, and the problems that every solver is tested on. */
typedef struct bench {
    failing_allocator_state memory;
    sustain_context *context;
    sustain_problem *stream;   /* quadratic, a stream with little noise */
    sustain_problem *sum;      /* quadratic, a finite sum of 60 samples */
    sustain_problem *cleaning; /* hyperclean: draws touch few coordinates of x */
    int log_lines;
    char log[16][512];          /* the last lines */
    char folder[64], path[128]; /* an empty folder, and a path in it for one file */
} bench;

enum { BENCH_PROBLEMS = 3 };

/* Fails the test if something cannot be made. */
void bench_open(bench *b);
/* Fails the test if something was not freed, or if another file is left in the folder. */
void bench_close(bench *b);
/* One for all tests of a file, with setup() and teardown() for cmocka. */
#define BENCH_OF_ALL_TESTS              \
    static bench b;                     \
    static int setup(void **state) {    \
        (void)state;                    \
        bench_open(&b);                 \
        return 0;                       \
    }                                   \
    static int teardown(void **state) { \
        (void)state;                    \
        bench_close(&b);                \
        return 0;                       \
    }                                   \
    typedef int bench_of_all_tests /* takes the semicolon */

/* The i-th problem, with a name for messages. */
const sustain_problem *bench_problem(const bench *b, int i, const char **name);

/* Every algorithm on every problem of the bench `b` that it can be run on: on.problem, called
 * on.name. */
#define EACH_SOLVER_AND_PROBLEM(info, on) \
    EACH_SOLVER (info)                    \
        for (bench_pair on = {.next = 0}; bench_next(&b, info->name, &on);)

typedef struct bench_pair {
    const sustain_problem *problem;
    const char *name;
    int next;
} bench_pair;

/* Goes on to the next problem that suits the algorithm; false: there is no other. */
bool bench_next(const bench *b, const char *solver, bench_pair *on);

/* Whether an algorithm can be run on a problem. */
bool suits(const char *name, const sustain_problem *problem);
/* The stream, or the finite sum for algorithms that need one. */
const sustain_problem *bench_plain(const bench *b, const char *name);
/* Whether a line of the log holds this text. */
bool bench_logged(const bench *b, const char *text);

/* A problem that behaves as another one, but for one oracle at some iterations. Fast paths are left
 * out: faults show. */
typedef struct faulty {
    sustain_problem problem; /* use this one */
    sustain_problem_ops ops;
    sustain_problem_fast fast;
    const sustain_problem *inner;
    sustain_oracle oracle;         /* the one that misbehaves */
    int64_t first, last, step;     /* at iterations first, first + step, ... up to last */
    const sustain_solver *watched; /* expected values belong to the iteration that this one is at; NULL: to none */
    int code;                      /* what it returns; 0: */
    double value;                  /* it writes this instead */
    int64_t place;                 /* there */
} faulty;

/* All fields but problem and ops are the caller's; then this makes them. */
void faulty_init(faulty *f);

/* Whether an algorithm has a parameter of this name. */
bool has_parameter(const sustain_solver_info *info, const char *name);
/* Sets parameters: name, text, name, text, ..., NULL. What this algorithm does not have but another
 * one has is passed over: deterministic ones have no batch, and not all have a momentum. */
void set_all(sustain_solver *solver, const char *const *pairs);
/* A solver with parameters set; fails the test if it is refused. */
sustain_solver *make_solver(sustain_context *context, const char *name, const sustain_problem *problem, const char *const *pairs);
/* Runs to that iteration, evaluating every 50; fails the test if the run does. */
sustain_result run_to(sustain_solver *solver, int64_t iterations);

/* Every field of the state, bit for bit; `seconds` is a measurement and may differ. */
void assert_same_state(sustain_solver *a, sustain_solver *b, const char *what);
/* Whether x and y have the same bits. */
bool same_point(sustain_solver *a, sustain_solver *b);

/* The status, and all of these texts (up to NULL) in the error's sentence. */
void assert_refused(sustain_context *context, sustain_status status, sustain_status expected, ...);

#endif

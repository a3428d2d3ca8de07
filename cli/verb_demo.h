/* verb_demo.h - what `sustain demo` measures, and what it says of it. */
#ifndef SUSTAIN_CLI_DEMO_H
#define SUSTAIN_CLI_DEMO_H

#include "options.h"
#include "output.h"

typedef struct demo_values {
    int64_t iterations, runs, seed;
    const char *out;
    bool json, quiet;
} demo_values;

enum { METHODS = 2, MOST_ROWS = 8 }; /* SUSTAIN and SGD; half decades of T */

/* A method is SUSTAIN with these steps; without momentum (c_eta huge) it is SGD. */
typedef struct method {
    const char *name;
    double beta, c_eta, w, p; /* alpha is chosen: the best of five */
} method;
extern const method methods[METHODS];

/* Both methods at every T: the mean over t < T and over the runs of |grad ell(x_t)|^2. */
typedef struct measured {
    int64_t iterations, runs, seed;
    int rows;
    int64_t T[MOST_ROWS];
    double mean[METHODS][MOST_ROWS];
    double reference[MOST_ROWS];               /* T^(-2/3), through SUSTAIN's first row */
    double slope[METHODS], deviation[METHODS]; /* over the last two decades; deviation NAN for one run */
    double alpha[METHODS];                     /* the first steps that were used */
    double seconds;
} measured;

enum { DEMO_CHOICES = 5 }; /* first steps to choose from */

/* The problem. */
sustain_quadratic_options demo_problem(void);

/* For people, and for programs. */
void demo_text(const measured *m, const demo_values *given);
json_t *demo_json(const measured *m, const char *folder);

#endif

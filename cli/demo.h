/* demo.h - what `sustain demo` measures, and the page it makes of it. */
#ifndef SUSTAIN_CLI_DEMO_H
#define SUSTAIN_CLI_DEMO_H

#include "chart.h"
#include "options.h"

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

/* The sentences that say what was done and what it means. */
void demo_setting(const measured *m, char *text, size_t size);
void demo_meaning(const measured *m, char *text, size_t size);
void demo_caveat(const measured *m, char *text, size_t size);

/* Slope of method k from row i-1 to row i, NAN for the first. */
double local_slope(const measured *m, int k, int i);

/* The chart in the terminal; index.html and chart.svg in a folder (an exit code). */
void demo_plot(FILE *to, const measured *m);
int demo_page(const measured *m, const char *folder);

#endif

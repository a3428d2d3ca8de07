/* chart.h - curves on two logarithmic axes: in the terminal, and as SVG. */
#ifndef SUSTAIN_CLI_CHART_H
#define SUSTAIN_CLI_CHART_H

#include <stdio.h>

#include "output.h"

/* One curve. Curves of a chart share their x. */
typedef struct curve {
    const char *name;
    const double *y; /* (count), positive; NAN where there is none */
    char mark;       /* in the terminal */
    style paint;     /* likewise */
    const char *css; /* its class in the SVG: "first", "second", "reference", or "hue0", "hue1", ... for many curves */
} curve;

enum { CHART_CURVES = 32 };

typedef struct chart {
    const char *title, *x_title, *y_title;
    const double *x; /* (count), positive and increasing */
    int count;
    const curve *curves; /* at most CHART_CURVES; those that come first are drawn over the others */
    int curve_count;
} chart;

void chart_print(FILE *to, const chart *c);
void chart_svg(FILE *to, const chart *c);

#endif

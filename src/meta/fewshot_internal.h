/* fewshot_internal.h - the internals of a classifier: fewshot.c adapts and predicts,
 * fewshot_create.c creates it. */
#ifndef SUSTAIN_META_FEWSHOT_H
#define SUSTAIN_META_FEWSHOT_H

#include <sustain/fewshot.h>

#include "meta/fewshot_model.h"

struct sustain_fewshot_model {
    sustain_context *context;
    sustain__fewshot_model content;
};

struct sustain_fewshot {
    sustain_context *context;
    const sustain__fewshot_model *model;
    int64_t ways, pictures; /* pictures: the most at a time */
    int64_t dim, features;  /* length of x; features of a picture */
    bool normalized, adapted;
    sustain__backbone *backbone;
    const sustain_real *x;    /* the model's, or theta */
    sustain_real *y;          /* W (ways, features), then b (ways); the end of theta if
                               * everything adapts */
    sustain_real *rows;       /* (pictures, features) */
    sustain_real *row;        /* (features) of a query */
    sustain_real *statistics; /* by which pictures are normalized */
    const uint8_t **together; /* (pictures) */
    sustain__head *head;      /* used if only the head adapts */
    /* used if everything adapts */
    sustain_real *theta, *gradient; /* (dim + head) each */
    sustain_real *d_rows;           /* (pictures, features) */
    double *P, *R;                  /* (pictures, ways) each */
    void *memory;                   /* holds all the arrays */
};

#endif

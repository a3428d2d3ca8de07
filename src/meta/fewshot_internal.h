/* fewshot_internal.h - the inside of a classifier: fewshot.c adapts and answers, fewshot_create.c makes it. */
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
    int64_t ways, pictures; /* pictures: at most */
    int64_t dim, features;  /* of x; of a picture */
    bool normalized, adapted;
    sustain__backbone *backbone;
    const sustain_real *x;    /* the model's, or theta */
    sustain_real *y;          /* W (ways, features), then b (ways); the end of theta where the whole adapts */
    sustain_real *rows;       /* (pictures, features) */
    sustain_real *row;        /* (features) of a query */
    sustain_real *statistics; /* that pictures are normalized by */
    const uint8_t **together; /* (pictures) */
    sustain__head *head;      /* where the head alone adapts */
    /* where the whole adapts */
    sustain_real *theta, *gradient; /* (dim + head) each */
    sustain_real *d_rows;           /* (pictures, features) */
    double *P, *R;                  /* (pictures, ways) each */
    void *memory;                   /* of all the arrays */
};

#endif

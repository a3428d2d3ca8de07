/* fewshot_model.h - a few-shot model as a file: the backbone, the start of the head where one was learned, and how it adapts. docs/meta.md has the layout. */
#ifndef SUSTAIN_META_MODEL_H
#define SUSTAIN_META_MODEL_H

#include "meta/head.h"
#include "nn/backbone.h"

/* What the file holds. */
typedef struct sustain__fewshot_model {
    sustain__net net;
    sustain__head_rule rule; /* ways: those it was trained with; a learned start has no others */
    int64_t shots;           /* likewise */
    bool whole;              /* adapting moves the backbone too (maml), by `rule.steps` steps of gradient descent */
    char method[16];         /* "anil", "maml", "itd-bio", "sustain" */
    sustain_real *x;         /* (sustain__net_dim) */
    sustain_real *start;     /* W_0 (ways, features), then b_0 (ways); NULL: zero */
} sustain__fewshot_model;

/* Writes it: to a temporary name first, renamed when complete. */
sustain_status sustain__fewshot_model_write(sustain_context *context, const char *path, const sustain__fewshot_model *model);

/* Reads one of either precision; x and start are one block of memory that begins at x: free it with sustain__free(context, model.x). Refused with a sentence: another
 * file, an architecture that cannot be, a tensor that is missing or has another size, a number that is not finite. */
sustain_status sustain__fewshot_model_read(sustain_context *context, const char *path, sustain__fewshot_model *model);

/* The same from memory, which is not needed afterwards; `path` is for messages. */
sustain_status sustain__fewshot_model_parse(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                            sustain__fewshot_model *model);

#endif

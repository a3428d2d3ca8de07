/* fewshot_model.h - a few-shot model as a file: the backbone, the start of the head if one was
 * learned, and the adaptation rule. docs/meta.md describes the format. */
#ifndef SUSTAIN_META_MODEL_H
#define SUSTAIN_META_MODEL_H

#include "meta/head.h"
#include "nn/backbone.h"

/* The content of the file. */
typedef struct sustain__fewshot_model {
    sustain__net net;
    sustain__head_rule rule; /* ways: as in training; a learned start works with no others */
    int64_t shots;           /* as in training */
    bool whole;              /* adapts the backbone too (maml), by `rule.steps` gradient steps */
    bool means;              /* classifies by the nearest class mean (prototype) */
    char method[16];         /* as in meta.h: "anil", "maml", ... */
    sustain_real *x;         /* (sustain__net_dim) */
    sustain_real *start;     /* W_0 (ways, features), then b_0 (ways); NULL: zero */
} sustain__fewshot_model;

/* Writes the model to a temporary name and renames it when complete. */
sustain_status sustain__fewshot_model_write(sustain_context *context, const char *path, const sustain__fewshot_model *model);

/* Reads a model of either precision. x and start share one block of memory that begins at x:
 * free it with sustain__free(context, model.x). Refused with a sentence: other files, an invalid
 * architecture, a tensor that is missing or has another shape, numbers that are not finite. */
sustain_status sustain__fewshot_model_read(sustain_context *context, const char *path, sustain__fewshot_model *model);

/* The same from memory, which the caller may free afterwards; `path` is for messages. */
sustain_status sustain__fewshot_model_parse(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                            sustain__fewshot_model *model);

#endif

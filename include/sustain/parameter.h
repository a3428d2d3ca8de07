/** @file parameter.h - tables of parameters, one row each: defaults, checks, flags, help, man page,
 *  JSON and docs are loops over the rows. */
#ifndef SUSTAIN_PARAMETER_H
#define SUSTAIN_PARAMETER_H

#include <sustain/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a parameter's place in its structure holds. */
typedef enum sustain_parameter_type {
    SUSTAIN_PARAMETER_INTEGER, /**< int64_t */
    SUSTAIN_PARAMETER_NUMBER,  /**< double */
    SUSTAIN_PARAMETER_CHOICE   /**< int: the number of the word in `choices` */
} sustain_parameter_type;

/** One row. */
typedef struct sustain_parameter {
    const char *name;
    sustain_parameter_type type;
    size_t offset;       /**< into the structure of values */
    double initial;      /**< the default */
    double least, most;  /**< the range, both ends allowed */
    const char *choices; /**< "auto|power|theory" for a choice, else NULL */
    const char *help;    /**< one line */
} sustain_parameter;

/** Sets all values of a structure to their defaults. */
void sustain_parameters_reset(const sustain_parameter *table, int count, void *values);

/** Sets one value from text ("64", "1e-3", "theory"). Refused: an unknown name (the message
 *  suggests the nearest one) and a value outside its range. */
sustain_status sustain_parameters_set(sustain_context *context, const sustain_parameter *table, int count, void *values, const char *name,
                                      const char *text);

/** Sets one integer or number. */
sustain_status sustain_parameters_set_number(sustain_context *context, const sustain_parameter *table, int count, void *values,
                                             const char *name, double value);

/** Writes a value as text, so that sustain_parameters_set() reads the same bits back. */
void sustain_parameter_print(const sustain_parameter *row, const void *values, char *text, size_t size);

/** The name nearest to a misspelt one among `count` names, or NULL if none is near. Also used for
 *  verbs and flags. */
const char *sustain_nearest_name(const char *name, const char *const *names, int count);

#ifdef __cplusplus
}
#endif
#endif

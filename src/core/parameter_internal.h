/* parameter_internal.h - what the library itself needs of parameter tables beyond the public
 * part. */
#ifndef SUSTAIN_CORE_PARAMETER_H
#define SUSTAIN_CORE_PARAMETER_H

#include <sustain/parameter.h>

/* The row of that name, or NULL. */
const sustain_parameter *sustain__parameter_find(const sustain_parameter *table, int count, const char *name);

/* Checks a structure that a caller filled in by hand. */
sustain_status sustain__parameters_check(sustain_context *context, const sustain_parameter *table, int count, const void *values);

#endif

/* number.h - parses decimal numbers, independently of the locale and fast enough for large
 * files. */
#ifndef SUSTAIN_DATA_NUMBER_H
#define SUSTAIN_DATA_NUMBER_H

#include <stdbool.h>

/* Reads a decimal number, [+-]digits[.digits][e[+-]digits], at the beginning of at .. end-1.
 * Returns its end, or NULL if there is none; hexadecimal numbers, "inf" and "nan" are not
 * accepted. Up to 15 digits with small exponents are rounded correctly, all others to one unit
 * in the last place of a double. Too large: infinite. */
const char *sustain__number_read(const char *at, const char *end, double *out);

/* Whether all of a text is one number. */
bool sustain__number_is(const char *text, const char *end, double *out);

/* Whether a text is a spelling of NaN or infinity that some programs write. */
bool sustain__number_is_not_finite(const char *text, const char *end);

#endif

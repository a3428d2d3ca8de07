/* number.h - numbers in text, the same in every locale, fast enough for files. */
#ifndef SUSTAIN_DATA_NUMBER_H
#define SUSTAIN_DATA_NUMBER_H

#include <stdbool.h>

/* Reads a decimal number, [+-]digits[.digits][e[+-]digits], at the beginning of at .. end-1. Returns where it ends, or NULL where there
 * is none; hexadecimal numbers, "inf" and "nan" are none. Up to 15 digits and small exponents are rounded correctly, all others to one
 * unit in the last place of a double. Too large: infinite. */
const char *sustain__number_read(const char *at, const char *end, double *out);

/* Whether all of a text is one number. */
bool sustain__number_is(const char *text, const char *end, double *out);

/* Whether a text is a word for "not a number" or "infinite", as some programs write it. */
bool sustain__number_is_not_finite(const char *text, const char *end);

#endif

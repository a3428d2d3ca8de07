/* decimal.h - numbers as text with a point, independent of LC_NUMERIC: files are exchanged between
 * programs, and a program may have called setlocale(). Exact both ways; data/number.h is faster,
 * and may be off by a unit in the last place. */
#ifndef SUSTAIN_CORE_DECIMAL_H
#define SUSTAIN_CORE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether all of a text is one number, as strtod() takes it in the C locale, without a space in
 * front. */
bool sustain__decimal_read(const char *text, double *out);

/* Writes up to so many significant digits, as printf's %g does in the C locale; 17 read back to the
 * same number. */
void sustain__decimal_write(double value, int digits, char *text, size_t size);

#endif

/* totals.h - the row of totals that spreadsheets have below a table. */
#ifndef SUSTAIN_DATA_TOTALS_H
#define SUSTAIN_DATA_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the last of `count` numbers, that of row i at offset stride * i, is the sum of the others
 * and larger than each of them. NaN: missing. Three others that are not 0 are needed. */
bool sustain__ends_with_total(const float *values, int64_t stride, int64_t count);

#endif

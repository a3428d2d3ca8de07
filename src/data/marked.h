/* marked.h - numbers as spreadsheets show them: "1,234.50", "1.234,50", "$5", "12 %". */
#ifndef SUSTAIN_DATA_MARKED_H
#define SUSTAIN_DATA_MARKED_H

#include "data/csv_field.h"

/* How the numbers of a column are written. */
typedef struct sustain__notation {
    char decimal; /* '.' or ',' before decimals; 0: plain numbers, as number.h reads them */
    char mark[8]; /* a currency or "%", before or after every number; "": none */
} sustain__notation;

/* The notation of a number, with this mark before decimals. False: it cannot be read so. */
bool sustain__notation_of(sustain__field_text text, char decimal, sustain__notation *out);

/* Reads all of a text: sign, digits, decimals, exponent. Digits before the decimals may be in
 * groups of three, with a blank, an apostrophe, or the other of point and comma between them. A
 * number in brackets is negative. False: it is no number, or has another mark. */
bool sustain__marked_read(sustain__field_text text, const sustain__notation *notation, double *out);

#endif

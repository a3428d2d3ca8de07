/* marked.h - numbers as spreadsheets show them: "1,234.50", "1.234,50", "$5", "12 %",
 * "12 kg". */
#ifndef SUSTAIN_DATA_MARKED_H
#define SUSTAIN_DATA_MARKED_H

#include "data/csv_field.h"

/* How the numbers of a column are written. */
typedef struct sustain__notation {
    char decimal; /* '.' or ',' before decimals; 0: plain numbers, as number.h reads them */
    char mark[8]; /* a currency or "%", before or after every number, or a unit after it; "": none */
} sustain__notation;

/* The notation of a number, with this mark before decimals. False: it cannot be read so. */
bool sustain__notation_of(sustain__field_text text, char decimal, sustain__notation *out);

/* What the point of a plain number can be. */
typedef enum sustain__point {
    SUSTAIN__NO_POINT, /* "999" */
    SUSTAIN__EITHER,   /* "1.250": before decimals, or between thousands */
    SUSTAIN__DECIMALS  /* "0.250", "1.25", "1250.5", "1.250e3" */
} sustain__point;

sustain__point sustain__point_of(sustain__field_text number);

/* Reads all of a text: sign, digits, decimals, exponent. Digits before the decimals may be in
 * groups of three, with a blank, an apostrophe, or the other of point and comma between them. A
 * number in brackets is negative. False: it is no number, or has another mark. */
bool sustain__marked_read(sustain__field_text text, const sustain__notation *notation, double *out);

#endif

/* number_text.h - numbers formatted for display. */
#ifndef SUSTAIN_LAB_NUMBER_TEXT_H
#define SUSTAIN_LAB_NUMBER_TEXT_H

#include <stdint.h>

/* Integers up to nine digits, else four significant digits; "-" if unknown. */
const char *number_text(double value, char text[32]);

/* 50000 as 50,000. */
const char *grouped_text(int64_t n, char text[32]);

#endif

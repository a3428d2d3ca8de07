/* number_text.h - numbers as people read them. */
#ifndef SUSTAIN_LAB_NUMBER_TEXT_H
#define SUSTAIN_LAB_NUMBER_TEXT_H

#include <stdint.h>

/* Whole up to nine digits, else four digits; "-" where it is not known. */
const char *number_text(double value, char text[32]);

/* 50000 as 50,000. */
const char *grouped_text(int64_t n, char text[32]);

#endif

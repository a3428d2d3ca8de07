/* date.h - dates and times as people and programs write them. */
#ifndef SUSTAIN_DATA_DATE_H
#define SUSTAIN_DATA_DATE_H

#include "data/csv_field.h"

/* What "03/04/2024" means; with EITHER, dates that depend on it are not read. */
typedef enum sustain__date_order { SUSTAIN__EITHER_FIRST, SUSTAIN__DAY_FIRST, SUSTAIN__MONTH_FIRST } sustain__date_order;

/* The clock and the calendar as they are written, in the zone that is written with them. */
typedef struct sustain__date {
    int64_t day;   /* since 1970-01-01; 0 for a time alone */
    double second; /* of the day */
    double east;   /* seconds that the zone is ahead of UTC; 0 where none is written */
    bool dated;    /* false: a time of day alone */
    bool timed;    /* a time is written */
} sustain__date;

/* Reads all of a text:
 *
 *   2024-01-31, 2024/1/31, 2024.1.31, 2024-01      the year first
 *   31.1.2024, 31.1.24                             points: the day first
 *   31/1/2024, 1/31/24, 31-1-2024                  by `order`
 *   31 Jan 2024, 31-Jan-24, January 31, 2024       English names of months; a weekday may precede
 *
 * then, or alone, 9:05, 09:05:30.25, 9:05 PM; then Z, UTC, GMT, +01:00, -0500. Years of two digits
 * are 1969 to 2068. False: it is no date. */
bool sustain__date_read(sustain__field_text text, sustain__date_order order, sustain__date *out);

/* Seconds since 1970-01-01 00:00 UTC. */
double sustain__date_seconds(const sustain__date *date);

/* The part of the year, 0 to 1, the month, 0 for January, and the weekday, 0 for Monday. */
double sustain__date_of_year(const sustain__date *date);
int sustain__date_month(const sustain__date *date);
int sustain__date_weekday(const sustain__date *date);

#endif

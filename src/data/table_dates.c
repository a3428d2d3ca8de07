/* table_dates.c - columns of dates and times as features:
 *
 *   the days since the first day of the training rows
 *   1 where the value is missing, if training values were missing
 *   sin and cos of 2 pi u, u the part of the year, and one for each month: where rows span a year
 *   one for each weekday: where they span two weeks
 *   sin and cos of 2 pi u, u the part of the day, and one for each two hours: where times are
 *   written
 *
 * A cycle in which all training rows are at the same place has no features. The cycles are those of
 * the calendar and the clock as written; days are counted in UTC. A wave alone cannot follow a
 * month or an hour that differs from its neighbours, months alone need many rows for a season. */
#include <math.h>
#include <string.h>

#include "data/table_internal.h"

enum { WAVES = 2, PARTS = 12, WEEKDAYS = 7, YEAR = 365, FORTNIGHT = 14, TWO_DAYS = 2 };

static const char *const weekdays[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};
static const char *const waves[] = {"sin", "cos"};

/* ---- encoding ---- */

static double value_of(const sustain__column *c, const sustain__date *date) {
    return (sustain__date_seconds(date) - (double)c->origin) / 86400;
}

/* A wave through a cycle, and its twelve parts. */
static float *put_cycle(double place, int part, float *to) {
    const double angle = 2 * 3.14159265358979323846 * place;
    *to++ = (float)sin(angle), *to++ = (float)cos(angle);
    to[part] = 1;
    return to + PARTS;
}

void sustain__date_encode(const sustain__column *c, const sustain__date *date, bool centred, float *out) {
    memset(out, 0, (size_t)c->count * sizeof *out);
    float *to = out;
    const float value = date != NULL ? (float)value_of(c, date) : c->mean;
    *to++ = centred ? (value - c->mean) * c->factor : value;
    if (c->marker) *to++ = date == NULL;
    if (date == NULL) return;
    if (c->of_year) to = put_cycle(sustain__date_of_year(date), sustain__date_month(date), to);
    if (c->of_week) to[sustain__date_weekday(date)] = 1, to += WEEKDAYS;
    const int part = (int)(date->second / 7200);
    if (c->of_day) put_cycle(date->second / 86400, part < PARTS ? part : PARTS - 1, to); /* a leap second is in the last */
}

sustain_status sustain__date_names(sustain__column *c, const char *name, sustain__names *names) {
    c->count = 1 + c->marker + (WAVES + PARTS) * (c->of_year + c->of_day) + WEEKDAYS * c->of_week;
    SUSTAIN_TRY(sustain__names_add(names, "%s", name));
    if (c->marker) SUSTAIN_TRY(sustain__names_add(names, "%s (missing)", name));
    for (int k = 0; c->of_year && k < WAVES; k++) SUSTAIN_TRY(sustain__names_add(names, "%s (year %s)", name, waves[k]));
    for (int k = 0; c->of_year && k < PARTS; k++) SUSTAIN_TRY(sustain__names_add(names, "%s (%s)", name, months[k]));
    for (int k = 0; c->of_week && k < WEEKDAYS; k++) SUSTAIN_TRY(sustain__names_add(names, "%s (%s)", name, weekdays[k]));
    for (int k = 0; c->of_day && k < WAVES; k++) SUSTAIN_TRY(sustain__names_add(names, "%s (day %s)", name, waves[k]));
    for (int k = 0; c->of_day && k < PARTS; k++) SUSTAIN_TRY(sustain__names_add(names, "%s (%d to %d h)", name, 2 * k, 2 * k + 2));
    return SUSTAIN_OK;
}

/* ---- fitting ---- */

static void note(int64_t *row, bool is, int64_t i) {
    if (is && *row < 0) *row = i;
}

sustain__dates sustain__find_dates(const sustain__table *t, const sustain__field_text *texts) {
    sustain__dates found = {0, -1, -1, -1, -1, -1, -1};
    for (int64_t i = 0; i < t->rows; i++) {
        sustain__date day, month;
        if (sustain__field_is_missing(texts[i])) continue;
        const bool by_day = sustain__date_read(texts[i], SUSTAIN__DAY_FIRST, &day);
        const bool by_month = sustain__date_read(texts[i], SUSTAIN__MONTH_FIRST, &month);
        found.count += by_day || by_month;
        note(&found.odd_row, !by_day && !by_month, i);
        note(&found.day_row, by_day && !by_month, i);
        note(&found.month_row, by_month && !by_day, i);
        note(&found.either_row, by_day && by_month && day.day != month.day, i);
        note(&found.dated_row, by_day ? day.dated : by_month, i);
        note(&found.time_row, by_day && !day.dated, i);
    }
    return found;
}

static sustain_status choose_order(const sustain__table *t, const sustain__field_text *texts, int64_t column, const sustain__dates *found,
                                   sustain__column *c) {
    if (found->dated_row >= 0 && found->time_row >= 0)
        return sustain__table_refuse_row(
            t, found->time_row, column, texts[found->time_row],
            "is a time alone, but other rows have a date: write both, or leave the column out (ignore-column)");
    if (found->day_row >= 0 && found->month_row >= 0)
        return sustain__table_refuse_row(t, found->month_row, column, texts[found->month_row],
                                         "has the month first, but other rows the day: write dates as 2024-01-31, or leave the column out "
                                         "(ignore-column)");
    if (found->either_row >= 0 && found->day_row < 0 && found->month_row < 0)
        return sustain__table_refuse_row(t, found->either_row, column, texts[found->either_row],
                                         "may have the day or the month first, and no row of the column tells which: write dates as "
                                         "2024-01-31, or leave the column out (ignore-column)");
    c->dated = found->dated_row >= 0;
    c->order = found->day_row >= 0 ? SUSTAIN__DAY_FIRST : found->month_row >= 0 ? SUSTAIN__MONTH_FIRST : SUSTAIN__EITHER_FIRST;
    return SUSTAIN_OK;
}

/* What the values of a column have in common. */
typedef struct extent {
    double first, last; /* seconds */
    double year_first, year_last;
    double clock_first, clock_last; /* seconds of the day */
    int weekdays;                   /* a bit for each */
    bool timed;
} extent;

static void extend(extent *x, const sustain__date *date) {
    const double seconds = sustain__date_seconds(date), year = sustain__date_of_year(date);
    x->first = fmin(x->first, seconds), x->last = fmax(x->last, seconds);
    x->year_first = fmin(x->year_first, year), x->year_last = fmax(x->year_last, year);
    x->clock_first = fmin(x->clock_first, date->second), x->clock_last = fmax(x->clock_last, date->second);
    x->weekdays |= 1 << sustain__date_weekday(date);
    x->timed = x->timed || date->timed;
}

static void choose_cycles(const extent *x, sustain__column *c) {
    const double days = (x->last - x->first) / 86400;
    const double month = 1.0 / 12, hour = 3600;
    c->origin = c->dated ? 86400 * (int64_t)floor(x->first / 86400) : 0;
    c->of_year = c->dated && days >= YEAR && x->year_last - x->year_first > month;
    c->of_week = c->dated && days >= FORTNIGHT && (x->weekdays & (x->weekdays - 1)) != 0;
    c->of_day = x->timed && x->clock_last - x->clock_first >= hour && (!c->dated || days >= TWO_DAYS);
}

sustain_status sustain__fit_dates(const sustain__table *t, const sustain__field_text *texts, int64_t column, const sustain__dates *found,
                                  sustain__column *c, bool *constant) {
    extent x = {INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, 0, false};
    sustain__date date;
    double sum = 0, squares = 0;
    SUSTAIN_TRY(choose_order(t, texts, column, found, c));
    for (int64_t i = 0; i < t->rows; i++)
        if (sustain__date_read(texts[i], c->order, &date)) extend(&x, &date);
    choose_cycles(&x, c);
    for (int64_t i = 0; i < t->rows; i++)
        if (sustain__date_read(texts[i], c->order, &date)) sum += value_of(c, &date);
    const double mean = sum / (double)found->count;
    for (int64_t i = 0; i < t->rows; i++)
        if (sustain__date_read(texts[i], c->order, &date)) squares += pow(value_of(c, &date) - mean, 2);
    const double deviation = sqrt(squares / (double)found->count);
    c->mean = (float)mean;
    c->factor = deviation > 1e-7 * fabs(mean) && isfinite((float)(1 / deviation)) ? (float)(1 / deviation) : 1;
    c->marker = found->count < t->rows;
    *constant = !(x.last > x.first) && !c->marker;
    return SUSTAIN_OK;
}

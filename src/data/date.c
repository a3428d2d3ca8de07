/* date.c - see date.h. */
#include "data/date.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct cursor {
    const char *at, *end;
} cursor;

/* ---- characters ---- */

static bool take(cursor *c, char wanted) {
    if (c->at == c->end || *c->at != wanted) return false;
    c->at++;
    return true;
}

/* The number of digits that were read. */
static int take_digits(cursor *c, int most, int *value) {
    int digits = 0;
    for (*value = 0; c->at < c->end && digits < most && isdigit((unsigned char)*c->at); digits++) *value = 10 * *value + (*c->at++ - '0');
    return c->at < c->end && isdigit((unsigned char)*c->at) ? 0 : digits;
}

static bool take_word(cursor *c, const char *word, size_t length) {
    if ((size_t)(c->end - c->at) < length) return false;
    for (size_t i = 0; i < length; i++)
        if (tolower((unsigned char)c->at[i]) != word[i]) return false;
    c->at += length;
    return true;
}

/* A name of a list or its first three letters, which may end with a point; -1: none. */
static int take_name(cursor *c, const char *const *names, int count) {
    for (int k = 0; k < count; k++) {
        if (!take_word(c, names[k], strlen(names[k])) && !take_word(c, names[k], 3)) continue;
        if (c->at < c->end && isalpha((unsigned char)*c->at)) return -1;
        take(c, '.');
        return k;
    }
    return -1;
}

/* ---- the calendar ---- */

static bool is_leap(int64_t year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int64_t days_before_year(int64_t year) { /* since 1970-01-01 */
    const int64_t y = year - 1;
    return 365 * (year - 1970) + y / 4 - y / 100 + y / 400 - 477;
}

static const int days_before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}; /* days before a month */

static bool set_day(int year, int month, int day, sustain__date *out) {
    if (year < 1 || month < 1 || month > 12 || day < 1) return false;
    const int leap = is_leap(year);
    if (day > days_before[month] - days_before[month - 1] + (month == 2 && leap)) return false;
    out->day = days_before_year(year) + days_before[month - 1] + (month > 2 && leap) + day - 1;
    out->dated = true;
    return true;
}

static int64_t year_of(int64_t day) {
    int64_t year = 1970 + (int64_t)floor((double)day / 365.2425);
    while (days_before_year(year) > day) year--;
    while (days_before_year(year + 1) <= day) year++;
    return year;
}

double sustain__date_of_year(const sustain__date *date) {
    const int64_t year = year_of(date->day);
    return ((double)(date->day - days_before_year(year)) + date->second / 86400) / (365 + is_leap(year));
}

int sustain__date_month(const sustain__date *date) {
    const int64_t year = year_of(date->day), day = date->day - days_before_year(year);
    int month = 11;
    while (day < days_before[month] + (month > 1 && is_leap(year))) month--;
    return month;
}

int sustain__date_weekday(const sustain__date *date) {
    return (int)(((date->day + 3) % 7 + 7) % 7); /* 1970-01-01 was a Thursday */
}

double sustain__date_seconds(const sustain__date *date) {
    return (double)date->day * 86400 + date->second - date->east;
}

/* ---- dates ---- */

/* A year of four digits, or of two where `short_too`. */
static bool take_year(cursor *c, bool short_too, int *year) {
    const int digits = take_digits(c, 4, year);
    if (digits == 2 && short_too) *year += *year < 69 ? 2000 : 1900;
    return digits == 4 || (digits == 2 && short_too);
}

static int take_month(cursor *c) {
    static const char *const names[] = {"january", "february", "march",     "april",   "may",      "june",
                                        "july",    "august",   "september", "october", "november", "december"};
    return take_name(c, names, 12) + 1;
}

static void take_weekday(cursor *c) {
    static const char *const names[] = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
    const cursor before = *c;
    if (take_name(c, names, 7) < 0) *c = before;
    take(c, ',');
    while (take(c, ' ')) continue;
}

/* "Jan 31, 2024" */
static bool read_month_name(cursor c, sustain__date *out, cursor *rest) {
    int day, year;
    const int month = take_month(&c);
    if (month == 0 || !take(&c, ' ') || take_digits(&c, 2, &day) == 0) return false;
    take(&c, ',');
    if (!take(&c, ' ') || !take_year(&c, false, &year)) return false;
    *rest = c;
    return set_day(year, month, day, out);
}

/* "31 Jan 2024", after the day */
static bool read_day_name(cursor c, int day, sustain__date *out, cursor *rest) {
    int year;
    const char mark = c.at < c.end ? *c.at : '\0';
    if (mark == '\0' || strchr(" -/", mark) == NULL) return false;
    c.at++;
    const int month = take_month(&c);
    if (month == 0) return false;
    if (mark == ' ') take(&c, ',');
    if (!take(&c, mark) || !take_year(&c, true, &year)) return false;
    *rest = c;
    return set_day(year, month, day, out);
}

/* "2024-01-31", "2024-01", after the year */
static bool read_year_first(cursor c, int year, sustain__date *out, cursor *rest) {
    int month, day = 1;
    const char mark = c.at < c.end ? *c.at : '\0';
    if (mark == '\0' || strchr("-/.", mark) == NULL) return false;
    c.at++;
    const int digits = take_digits(&c, 2, &month);
    if (digits == 0) return false;
    if (take(&c, mark) ? take_digits(&c, 2, &day) == 0 : mark != '-' || digits != 2 || c.at < c.end) return false;
    *rest = c;
    return set_day(year, month, day, out);
}

/* "31.1.2024", "31/1/2024", after the first number */
static bool read_year_last(cursor c, int first, bool day_first, sustain__date *out, cursor *rest) {
    int second, year;
    const char mark = c.at < c.end ? *c.at : '\0';
    if (mark == '\0' || strchr("-/.", mark) == NULL) return false;
    c.at++;
    if (take_digits(&c, 2, &second) == 0 || !take(&c, mark) || !take_year(&c, mark != '-', &year)) return false;
    *rest = c;
    return mark == '.' || day_first ? set_day(year, second, first, out) : set_day(year, first, second, out);
}

static bool read_date(cursor *c, bool day_first, sustain__date *out) {
    int first;
    take_weekday(c);
    if (c->at < c->end && isalpha((unsigned char)*c->at)) return read_month_name(*c, out, c);
    const int digits = take_digits(c, 4, &first);
    if (digits == 4) return read_year_first(*c, first, out, c);
    if (digits != 1 && digits != 2) return false;
    return read_day_name(*c, first, out, c) || read_year_last(*c, first, day_first, out, c);
}

/* ---- times ---- */

static bool take_zone(cursor *c, sustain__date *out) {
    int hours, minutes = 0;
    take(c, ' ');
    if (take_word(c, "z", 1) || take_word(c, "utc", 3) || take_word(c, "gmt", 3)) return true;
    const double sign = c->at < c->end && *c->at == '-' ? -1 : 1;
    if (c->end - c->at < 3 || (*c->at != '+' && *c->at != '-')) return false;
    cursor hour = {c->at + 1, c->at + 3};
    if (take_digits(&hour, 2, &hours) != 2) return false;
    c->at += 3;
    take(c, ':');
    if (c->at < c->end && take_digits(c, 2, &minutes) != 2) return false;
    out->east = sign * (3600.0 * hours + 60.0 * minutes);
    return hours < 24 && minutes < 60;
}

static bool read_time(cursor *c, sustain__date *out) {
    int hour, minute, second = 0;
    double fraction = 0;
    if (take_digits(c, 2, &hour) == 0 || !take(c, ':') || take_digits(c, 2, &minute) != 2) return false;
    if (take(c, ':') && take_digits(c, 2, &second) != 2) return false;
    if (take(c, '.'))
        for (double unit = 0.1; c->at < c->end && isdigit((unsigned char)*c->at); unit /= 10) fraction += unit * (*c->at++ - '0');
    cursor word = *c;
    take(&word, ' ');
    const bool am = take_word(&word, "am", 2), pm = !am && take_word(&word, "pm", 2);
    if (am || pm) {
        if (hour < 1 || hour > 12) return false;
        hour = hour % 12 + 12 * pm;
        *c = word;
    }
    if (hour > 23 || minute > 59 || second > 60) return false;
    out->second = 3600.0 * hour + 60.0 * minute + second + fraction;
    out->timed = true;
    return c->at == c->end || (take_zone(c, out) && c->at == c->end);
}

static bool read_as(sustain__field_text text, bool day_first, sustain__date *out) {
    cursor c = {text.at, text.end}, alone = c;
    *out = (sustain__date){.day = 0};
    if (read_time(&alone, out)) return true;
    *out = (sustain__date){.day = 0};
    if (!read_date(&c, day_first, out)) return false;
    if (c.at == c.end) return true;
    take(&c, ',');
    if (!take(&c, 'T') && !take(&c, ' ')) return false;
    return read_time(&c, out);
}

bool sustain__date_read(sustain__field_text text, sustain__date_order order, sustain__date *out) {
    sustain__date other;
    if (order != SUSTAIN__EITHER_FIRST) return read_as(text, order == SUSTAIN__DAY_FIRST, out);
    return read_as(text, true, out) && read_as(text, false, &other) && out->day == other.day;
}

/* test_date.c - dates and times in text, against the calendar of the C library; what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "data/date.h"

static bool reads(const char *text, sustain__date_order order, sustain__date *out) {
    return sustain__date_read((sustain__field_text){text, text + strlen(text)}, order, out);
}

/* 2024-01-31, a Wednesday */
enum { DAY = 19753 };

static void known(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int order; /* 0: any */
        double day, second, east;
    } cases[] = {
        {"2024-01-31", 0, DAY, 0, 0},
        {"2024/1/31", 0, DAY, 0, 0},
        {"2024.01.31", 0, DAY, 0, 0},
        {"2024-01", 0, DAY - 30, 0, 0},
        {"31.1.2024", 0, DAY, 0, 0},
        {"31.01.24", 0, DAY, 0, 0},
        {"31.01.69", 0, DAY - 55 * 365 - 13, 0, 0},
        {"31/1/2024", 1, DAY, 0, 0},
        {"31-01-2024", 1, DAY, 0, 0},
        {"1/31/24", 2, DAY, 0, 0},
        {"1/2/2024", 1, DAY + 1, 0, 0},
        {"2/1/2024", 2, DAY + 1, 0, 0},
        {"1/1/2024", 0, DAY - 30, 0, 0}, /* the same in both orders */
        {"31 Jan 2024", 0, DAY, 0, 0},
        {"31-jan-24", 0, DAY, 0, 0},
        {"January 31, 2024", 0, DAY, 0, 0},
        {"Jan. 31 2024", 0, DAY, 0, 0},
        {"Wed, 31 Jan 2024 10:00:00 GMT", 0, DAY, 36000, 0},
        {"2024-01-31T10:00:00.25Z", 0, DAY, 36000.25, 0},
        {"2024-01-31 23:59", 0, DAY, 86340, 0},
        {"2024-01-31 10:00:00+05:30", 0, DAY, 36000, 19800},
        {"2024-01-31 10:00:00-0500", 0, DAY, 36000, -18000},
        {"1/31/2024, 12:05 AM", 2, DAY, 300, 0},
        {"1/31/2024 9:05 pm", 2, DAY, 75900, 0},
        {"0001-01-01", 0, -719162, 0, 0},
        {"9999-12-31", 0, 2932896, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int order = 0; order < 3; order++) {
            sustain__date date;
            const bool expected = cases[i].order == 0 || order == cases[i].order;
            const bool read = reads(cases[i].text, (sustain__date_order)order, &date);
            if (!expected && !read) continue;
            if (!expected && (double)date.day != cases[i].day) continue; /* the other order, another day */
            if (read != expected || (double)date.day != cases[i].day || date.second != cases[i].second || date.east != cases[i].east ||
                !date.dated)
                fail_msg("'%s', order %d: %d, day %lld, second %g", cases[i].text, order, read, (long long)date.day, date.second);
        }
}

static void times_alone(void **state) {
    (void)state;
    sustain__date date;
    assert_true(reads("9:05", SUSTAIN__EITHER_FIRST, &date));
    assert_true(!date.dated && date.timed && date.day == 0 && date.second == 32700);
    assert_true(reads("12:00:30 PM", SUSTAIN__EITHER_FIRST, &date) && date.second == 43230);
    assert_true(reads("00:00:59.5", SUSTAIN__EITHER_FIRST, &date) && date.second == 59.5);
}

static void no_dates(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "x",
                                        "2024",
                                        "2024-13-01",
                                        "2024-02-30",
                                        "2023-02-29",
                                        "2024-1",
                                        "24-01-31",
                                        "17-0003",
                                        "1.2.3",
                                        "1.2.3.4",
                                        "32.1.2024",
                                        "2024-01-3x",
                                        "2024-01-31T",
                                        "2024-01-31 24:00",
                                        "2024-01-31 10:60",
                                        "10:5",
                                        "13:00 PM",
                                        "31 Foo 2024",
                                        "2024-01/31",
                                        "1/2/20240",
                                        "12345-01-01",
                                        "2024-01-31 10:00 +1",
                                        "2024-01-31 10:00:00+25:00",
                                        "0000-01-01",
                                        "Mayor 5 2020"};
    sustain__date date;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (int order = 0; order < 3; order++)
            if (reads(texts[i], (sustain__date_order)order, &date)) fail_msg("'%s' is read as a date", texts[i]);
    assert_false(reads("1/2/2024", SUSTAIN__EITHER_FIRST, &date));
}

/* Every 97th day of 800 years: the day, the weekday and the part of the year. */
static void calendar(void **state) {
    (void)state;
    for (int64_t day = -146097; day < 146097; day += 97) {
        const time_t seconds = (time_t)(day * 86400);
        struct tm tm;
        char text[64];
        sustain__date date;
        assert_non_null(gmtime_r(&seconds, &tm));
        snprintf(text, sizeof text, "%04d-%02d-%02d 12:00", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
        assert_true(reads(text, SUSTAIN__EITHER_FIRST, &date));
        assert_int_equal(date.day, day);
        assert_int_equal(sustain__date_weekday(&date), (tm.tm_wday + 6) % 7);
        assert_int_equal(sustain__date_month(&date), tm.tm_mon);
        const int year = tm.tm_year + 1900, leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        assert_true(fabs(sustain__date_of_year(&date) * (365 + leap) - tm.tm_yday - 0.5) < 1e-9);
        assert_true(sustain__date_seconds(&date) == (double)day * 86400 + 43200);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(known), cmocka_unit_test(times_alone), cmocka_unit_test(no_dates),
                                       cmocka_unit_test(calendar)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

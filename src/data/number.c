/* number.c - see number.h. strtod() depends on the locale and is ten times slower. */
#include "data/number.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST_DIGITS = 19, LARGEST_EXPONENT = 100000 };

/* mantissa * 10^exponent. Both are exact in a double, so there is only one rounding, and it is
 * correct (Clinger 1990). */
static double scaled(uint64_t mantissa, int exponent) {
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (mantissa >> 53 == 0 && exponent >= -22 && exponent <= 22)
        return exponent < 0 ? (double)mantissa / exact[-exponent] : (double)mantissa * exact[exponent];
    if (mantissa == 0) return 0;
    if (exponent > 330) return INFINITY;
    if (exponent < -370) return 0;
    long double value = (long double)mantissa;
    for (; exponent > 0; exponent -= exponent < 22 ? exponent : 22) value *= exact[exponent < 22 ? exponent : 22];
    for (; exponent < 0; exponent += -exponent < 22 ? -exponent : 22) value /= exact[-exponent < 22 ? -exponent : 22];
    return (double)value;
}

static bool digit(const char *at, const char *end) {
    return at < end && *at >= '0' && *at <= '9';
}

/* The exponent after an e; a very large one is clamped, which does not change the result. */
static const char *read_exponent(const char *at, const char *end, int *exponent) {
    const char *e = at + 1;
    const bool negative = e < end && *e == '-';
    if (e < end && (*e == '+' || *e == '-')) e++;
    if (!digit(e, end)) return at; /* "1e" is 1, followed by an e */
    int n = 0;
    for (; digit(e, end); e++)
        if (n < LARGEST_EXPONENT) n = 10 * n + (*e - '0');
    *exponent += negative ? -n : n;
    return e;
}

const char *sustain__number_read(const char *at, const char *end, double *out) {
    const bool negative = at < end && *at == '-';
    uint64_t mantissa = 0;
    int digits = 0, exponent = 0;
    bool any = false;
    if (at < end && (*at == '-' || *at == '+')) at++;
    for (; digit(at, end); at++, any = true) {
        if (digits < MOST_DIGITS)
            mantissa = 10 * mantissa + (uint64_t)(*at - '0'), digits += mantissa > 0;
        else if (exponent < LARGEST_EXPONENT)
            exponent++;
    }
    if (at < end && *at == '.') {
        const char *point = at++;
        for (; digit(at, end); at++, any = true) {
            if (digits >= MOST_DIGITS || exponent <= -LARGEST_EXPONENT) continue;
            mantissa = 10 * mantissa + (uint64_t)(*at - '0'), digits += mantissa > 0;
            exponent--;
        }
        if (!any) at = point;
    }
    if (!any) return NULL;
    if (at < end && (*at == 'e' || *at == 'E')) at = read_exponent(at, end, &exponent);
    const double value = scaled(mantissa, exponent);
    *out = negative ? -value : value;
    return at;
}

bool sustain__number_is(const char *text, const char *end, double *out) {
    return sustain__number_read(text, end, out) == end && end != text;
}

bool sustain__number_is_not_finite(const char *text, const char *end) {
    static const char *const words[] = {"nan", "inf", "infinity"};
    if (text < end && (*text == '-' || *text == '+')) text++;
    for (int w = 0; w < 3; w++) {
        const size_t length = strlen(words[w]);
        size_t i = 0;
        if ((size_t)(end - text) != length) continue;
        while (i < length && tolower((unsigned char)text[i]) == words[w][i]) i++;
        if (i == length) return true;
    }
    return false;
}

/* marked.c - see marked.h. */
#include "data/marked.h"

#include <ctype.h>
#include <string.h>

#include "data/number.h"
#include "io/json_text.h"

enum { LONGEST = 64 };

static const char *const marks[] = {"%",
                                    "$",
                                    "\xe2\x82\xac" /* euro */,
                                    "\xc2\xa3" /* pound */,
                                    "\xc2\xa5" /* yen */,
                                    "\xe2\x82\xb9" /* rupee */,
                                    "USD",
                                    "EUR",
                                    "GBP",
                                    "JPY",
                                    "CHF",
                                    "CNY",
                                    "INR"};

/* A text whose blanks and minus are of ASCII; false: it is too long for a number. */
static bool plain_signs(sustain__field_text text, char out[LONGEST]) {
    static const struct {
        const char *from;
        char to;
    } signs[] = {{"\xc2\xa0", ' '}, {"\xe2\x80\xaf", ' '}, {"\xe2\x80\x89", ' '}, {"\xe2\x88\x92", '-'}, {"\xe2\x80\x99", '\''}};
    size_t used = 0;
    for (const char *at = text.at; at < text.end;) {
        char next = *at;
        size_t length = 1;
        for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
            const size_t n = strlen(signs[i].from);
            if ((size_t)(text.end - at) >= n && memcmp(at, signs[i].from, n) == 0) next = signs[i].to, length = n;
        }
        if (used + 1 == LONGEST) return false;
        out[used++] = next;
        at += length;
    }
    out[used] = '\0';
    return true;
}

static void trim(char **at) {
    while (**at == ' ') ++*at;
    size_t length = strlen(*at);
    while (length > 0 && (*at)[length - 1] == ' ') (*at)[--length] = '\0';
}

/* Removes a mark at the beginning or the end. */
static bool remove_mark(char **at, const char *mark) {
    const size_t length = strlen(*at), n = strlen(mark);
    if (length <= n) return false;
    if (strncmp(*at, mark, n) == 0)
        *at += n;
    else if (strcmp(*at + length - n, mark) == 0)
        (*at)[length - n] = '\0';
    else
        return false;
    trim(at);
    return true;
}

static bool of_unit(char c) {
    return isalpha((unsigned char)c) || (unsigned char)c >= 0x80 || c == '/';
}

/* Removes a unit after digits, "kg" of "12 kg", if there is one that fits into `unit`. It is UTF-8:
 * a model stores it. */
static void remove_unit(char *at, char unit[8]) {
    size_t begin = strlen(at), end;
    while (begin > 0 && of_unit(at[begin - 1])) begin--;
    for (end = begin; end > 0 && at[end - 1] == ' ';) end--;
    const size_t length = strlen(at + begin);
    if (length == 0 || length >= 8 || end == 0 || !isdigit((unsigned char)at[end - 1]) || !sustain__is_utf8(at + begin)) return;
    memcpy(unit, at + begin, length + 1);
    at[end] = '\0';
}

/* Removes sign and brackets; false: there are two of them, or a bracket is not closed. */
static bool take_sign(char **at, int *sign) {
    const size_t length = strlen(*at);
    if (**at != '-' && **at != '+' && **at != '(') return true;
    if (*sign != 0 || (**at == '(' && (*at)[length - 1] != ')')) return false;
    *sign = **at == '+' ? 1 : -1;
    if (**at == '(') (*at)[length - 1] = '\0';
    ++*at;
    trim(at);
    return true;
}

/* Digits with decimals as number.h reads them; `out` has room for all of `at`. */
static bool without_groups(const char *at, char decimal, char *out) {
    const char *first = at;
    char group = '\0';
    while (isdigit((unsigned char)*at)) *out++ = *at++;
    if (at - first >= 1 && at - first <= 3 && *first != '0' && *at != decimal && *at != '\0' && strchr(" '.,", *at) != NULL) group = *at;
    while (group != '\0' && *at == group) {
        for (int i = 1; i <= 3; i++)
            if (!isdigit((unsigned char)at[i])) return false;
        memcpy(out, at + 1, 3);
        out += 3, at += 4;
        if (isdigit((unsigned char)*at)) return false;
    }
    if (*at == decimal) *out++ = '.', at++;
    while (isdigit((unsigned char)*at)) *out++ = *at++;
    if (at > first && (*at == 'e' || *at == 'E'))
        while (*at != '\0') *out++ = *at++;
    *out = '\0';
    return *at == '\0';
}

sustain__point sustain__point_of(sustain__field_text number) {
    const char *at = number.at + (number.at < number.end && (*number.at == '-' || *number.at == '+')), *first = at;
    while (at < number.end && isdigit((unsigned char)*at)) at++;
    if (at == number.end) return SUSTAIN__NO_POINT;
    const bool thousands = at - first >= 1 && at - first <= 3 && *first != '0' && *at == '.' && number.end - at == 4;
    for (int i = 1; thousands && i <= 3; i++)
        if (!isdigit((unsigned char)at[i])) return SUSTAIN__DECIMALS;
    return thousands ? SUSTAIN__EITHER : SUSTAIN__DECIMALS;
}

/* Reads a number with a mark, or finds the mark. */
static bool read_marked(sustain__field_text text, char decimal, const char *wanted, char found[8], double *out) {
    char copy[LONGEST], digits[LONGEST], *at = copy;
    int sign = 0;
    if (!plain_signs(text, copy)) return false;
    trim(&at);
    if (!take_sign(&at, &sign)) return false;
    found[0] = '\0';
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && found[0] == '\0'; i++)
        if (remove_mark(&at, marks[i])) memcpy(found, marks[i], strlen(marks[i]) + 1);
    if (found[0] == '\0') remove_unit(at, found);
    if (wanted != NULL && strcmp(found, wanted) != 0) return false;
    if (!take_sign(&at, &sign) || !without_groups(at, decimal, digits)) return false;
    if (!sustain__number_is(digits, digits + strlen(digits), out)) return false;
    if (sign < 0) *out = -*out;
    return true;
}

bool sustain__notation_of(sustain__field_text text, char decimal, sustain__notation *out) {
    double value;
    out->decimal = decimal;
    return read_marked(text, decimal, NULL, out->mark, &value);
}

bool sustain__marked_read(sustain__field_text text, const sustain__notation *notation, double *out) {
    char found[8];
    return read_marked(text, notation->decimal, notation->mark, found, out);
}

/* test_marked.c - numbers as spreadsheets show them, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "data/marked.h"

static bool reads(const char *text, char decimal, sustain__notation *notation, double *value) {
    const sustain__field_text field = {text, text + strlen(text)};
    return sustain__notation_of(field, decimal, notation) && sustain__marked_read(field, notation, value);
}

static void known(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double point, comma; /* the value with each mark before decimals; NAN: none */
        const char *mark;
    } cases[] = {
        {"1,234.50", 1234.5, NAN, ""},
        {"1.234,50", NAN, 1234.5, ""},
        {"1,234,567", 1234567, NAN, ""},
        {"1,250", 1250, 1.25, ""},
        {"0,125", NAN, 0.125, ""},
        {"12,34", NAN, 12.34, ""},
        {"1'000.5", 1000.5, NAN, ""},
        {"1 234,5", NAN, 1234.5, ""},
        {"1\xc2\xa0"
         "234",
         1234, 1234, ""},
        {"950", 950, 950, ""},
        {"-.5", -0.5, NAN, ""},
        {"1.5e3", 1500, NAN, ""},
        {"$5", 5, 5, "$"},
        {"-$5", -5, -5, "$"},
        {"$-5", -5, -5, "$"},
        {"($1,005.50)", -1005.5, NAN, "$"},
        {"5 \xe2\x82\xac", 5, 5, "\xe2\x82\xac"},
        {"EUR 5", 5, 5, "EUR"},
        {"12 %", 12, 12, "%"},
        {"\xe2\x88\x92"
         "12%",
         -12, -12, "%"},
        {"", NAN, NAN, ""},
        {"$", NAN, NAN, ""},
        {"--5", NAN, NAN, ""},
        {"-(5)", NAN, NAN, ""},
        {"(5", NAN, NAN, ""},
        {"5-", NAN, NAN, ""},
        {"1,2,3", NAN, NAN, ""},
        {"1234,567.5", NAN, NAN, ""},
        {"1,2345.5", NAN, NAN, ""},
        {"17-0003", NAN, NAN, ""},
        {"K12", NAN, NAN, ""},
        {"5 kg", 5, 5, "kg"},
        {"5 \xc2\xb0"
         "C",
         5, 5,
         "\xc2\xb0"
         "C"},
        {"5 \xb0"
         "C",
         NAN, NAN, ""}, /* not UTF-8 */
        {"-1,250.5km/h", -1250.5, NAN, "km/h"},
        {"21,5 \xc2\xb0"
         "C",
         NAN, 21.5,
         "\xc2\xb0"
         "C"},
        {"(5 kg)", -5, -5, "kg"},
        {"5 kilogram", NAN, NAN, ""},
        {"5 kg kg", NAN, NAN, ""},
        {"$5 kg", NAN, NAN, ""},
        {"kg", NAN, NAN, ""},
        {". kg", NAN, NAN, ""},
        {"e5", NAN, NAN, ""},
        {"1,234.50000000000000000000000000000000000000000000000000000000000000000000", NAN, NAN, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int k = 0; k < 2; k++) {
            const double expected = k == 0 ? cases[i].point : cases[i].comma;
            sustain__notation notation;
            double value = 0;
            const bool read = reads(cases[i].text, ".,"[k], &notation, &value);
            if (read == isnan(expected) || (read && (value != expected || strcmp(notation.mark, cases[i].mark) != 0)))
                fail_msg("'%s' with '%c': %d, %g", cases[i].text, ".,"[k], read, value);
        }
}

static void one_mark(void **state) {
    (void)state;
    static const char text[] = "$5", other[] = "5%", none[] = "5";
    sustain__notation notation;
    double value;
    assert_true(reads(text, '.', &notation, &value));
    assert_false(sustain__marked_read((sustain__field_text){other, other + 2}, &notation, &value));
    assert_false(sustain__marked_read((sustain__field_text){none, none + 1}, &notation, &value));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(known), cmocka_unit_test(one_mark)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

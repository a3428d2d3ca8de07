/* fuzz_csv.c - any text as CSV: no labels, labels by number, also missing ones, labels and marks by
 * name. */
#include "parsing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const sustain_read_options none = {.label_column = NULL}, second = {.label_column = "2"},
                                      first = {.label_column = "1", .missing_labels = true},
                                      named = {.label_column = "y", .trusted_column = "t"};
    if (size == 0) return 0; /* refused before any parser sees it */
    parse_both(sustain__parse_csv, data, size, &none);
    parse_both(sustain__parse_csv, data, size, &second);
    parse_both(sustain__parse_csv, data, size, &first);
    parse_both(sustain__parse_csv, data, size, &named);
    return 0;
}

/* fuzz_npz.c - any bytes as an NPZ file, with and without the name of an array. */
#include "parsing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const sustain_read_options options = {.label_column = NULL};
    parse_both(sustain__parse_npz, data, size, &options);
    parse_with(sustain__parse_npz, data, size, SUSTAIN__WANT_ALL, &options, "x");
    return 0;
}

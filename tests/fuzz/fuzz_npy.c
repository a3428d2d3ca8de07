/* fuzz_npy.c - any bytes as an NPY file. */
#include "parsing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const sustain_read_options options = {.label_column = NULL};
    parse_both(sustain__parse_npy, data, size, &options);
    return 0;
}

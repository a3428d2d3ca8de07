/* fuzz_dataset.c - any bytes as a file of any format: the content tells which. */
#include "parsing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const sustain_read_options options = {.label_column = "2"};
    parse_both(sustain__parse, data, size, &options);
    return 0;
}

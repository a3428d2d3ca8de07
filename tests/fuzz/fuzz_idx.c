/* fuzz_idx.c - any bytes after an IDX header. */
#include "parsing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const sustain_read_options options = {.label_column = NULL};
    if (sustain__is_idx(data, size)) parse_both(sustain__parse_idx, data, size, &options);
    return 0;
}

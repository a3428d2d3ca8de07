/* fuzz_libsvm.c - any text as LIBSVM text. */
#include "parsing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const sustain_read_options options = {.label_column = NULL};
    sustain__is_libsvm(data, size);
    parse_both(sustain__parse_libsvm, data, size, &options);
    return 0;
}

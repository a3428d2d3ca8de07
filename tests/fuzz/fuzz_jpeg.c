/* fuzz_jpeg.c - any bytes as a JPEG file. */
#include "decoding.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    decode_with(sustain__is_jpeg, sustain__decode_jpeg, data, size);
    return 0;
}

/* fuzz_png.c - any bytes as a PNG file. */
#include "decoding.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    decode_with(sustain__is_png, sustain__decode_png, data, size);
    return 0;
}

/* fuzz_cifar.c - any bytes as CIFAR binary. A record is long: the first byte of the input chooses
 * the kind, the second how often the rest is repeated to fill up records. */
#include "parsing.h"

enum { PIXELS = 3072, MOST_RECORDS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const sustain_read_options fine = {.coarse = false}, coarse = {.coarse = true};
    if (size < 3) return 0;
    const size_t record = PIXELS + 1 + (data[0] & 1), length = record * (1 + data[1] % MOST_RECORDS);
    uint8_t *bytes = malloc(length);
    require(bytes != NULL);
    for (size_t i = 0; i < length; i += size - 2) memcpy(bytes + i, data + 2, length - i < size - 2 ? length - i : size - 2);
    require(sustain__fits_cifar(bytes, length));
    parse_both(sustain__parse_cifar, bytes, length, &fine);
    parse_both(sustain__parse_cifar, bytes, length, &coarse);
    free(bytes);
    return 0;
}

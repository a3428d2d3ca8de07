/* fuzz_unpack.c - any bytes as a gzip or bzip2 file: refused with a sentence, or unpacked within
 * the limits. */
#include "parsing.h"

#include "data/unpack.h"

/* Content that begins with C claims the length in its next byte, times 16. */
static uint64_t claimed(const unsigned char *head, size_t length) {
    return length >= 2 && head[0] == 'C' ? (uint64_t)head[1] * 16 + 2 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sustain_context *context;
    sustain__bytes bytes;
    uint8_t plain[64];
    size_t got;
    if (sustain_context_create_with(small_allocator, NULL, &context) != SUSTAIN_OK) return 0;
    if (sustain__inflate(context, data, size, plain, sizeof plain, &got) == SUSTAIN_OK) require(got <= sizeof plain);
    sustain_context_destroy(context);
    if (!sustain__is_packed(data, size)) return 0;
    if (sustain_context_create_with(small_allocator, NULL, &context) != SUSTAIN_OK) return 0;
    const sustain_status status = sustain__unpack(context, "input", data, size, claimed, &bytes);
    require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_MEMORY);
    if (status == SUSTAIN_FORMAT) require(strncmp(sustain_error(context), "input: ", 7) == 0);
    if (status == SUSTAIN_OK) {
        const uint64_t claim = claimed(bytes.data, bytes.length);
        const bool short_one = bytes.length <= 4096; /* unpacked before its claim is read */
        require(short_one || bytes.length <= (claim > 0 ? claim : (uint64_t)1 << 26));
    }
    sustain__bytes_free(context, &bytes);
    sustain_context_destroy(context);
    return 0;
}

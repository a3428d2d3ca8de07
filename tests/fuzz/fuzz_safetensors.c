/* fuzz_safetensors.c - any bytes as a safetensors file: refused with a sentence, or every tensor in
 * it lies inside the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/safetensors.h"
#include "io/safetensors_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned sink; /* what is read must be read */

static void require(bool condition) {
    if (!condition) abort();
}

/* Asks for a name, and reads all that is found. */
static void look_up(const sustain__safetensors *file, const char *name, const uint8_t *data, size_t size) {
    sustain__tensor t;
    const char *word = sustain__safetensors_word(file, name);
    if (word != NULL) sink += (unsigned)strlen(word);
    if (!sustain__safetensors_find(file, name, &t)) return;
    const size_t element = sustain__dtype_size(t.dtype);
    require(t.count >= 0 && (uint64_t)t.count <= size / element);
    const uint8_t *bytes = t.data;
    require(bytes >= data && bytes + (size_t)t.count * element <= data + size);
    for (size_t i = 0; i < (size_t)t.count * element; i++) sink += bytes[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sustain_context *context;
    sustain__safetensors *file;
    if (sustain_context_create(&context) != SUSTAIN_OK) return 0;
    const sustain_status status = sustain__safetensors_parse(context, "input", data, size, &file);
    require((status == SUSTAIN_OK) == (file != NULL));
    require(status == SUSTAIN_OK || (status == SUSTAIN_FORMAT && strncmp(sustain_error(context), "input: ", 7) == 0));
    if (file != NULL) { /* every text between quotes is tried as a name */
        look_up(file, "__metadata__", data, size);
        for (size_t i = 8; i < size; i++) {
            char name[65];
            const uint8_t *end = data[i] == '"' ? memchr(data + i + 1, '"', size - i - 1) : NULL;
            if (end == NULL || end - (data + i + 1) > 64) continue;
            memcpy(name, data + i + 1, (size_t)(end - (data + i + 1)));
            name[end - (data + i + 1)] = '\0';
            look_up(file, name, data, size);
        }
    }
    sustain__safetensors_destroy(file);
    sustain_context_destroy(context);
    return 0;
}

/* fuzz_probabilities.c - any bytes as an NPY file of probabilities, as they are and as logits:
 * refused with a sentence, or every row is finite, not negative and sums to about 1. */
#include <sustain/probabilities.h>

#include "input_file.h"

static void check_rows(const sustain_probabilities *p) {
    float *row = malloc((size_t)p->classes * sizeof *row);
    for (int64_t i = 0; i < p->count && row != NULL; i++) {
        double sum = 0;
        sustain_probabilities_row(p, i, row);
        for (int64_t k = 0; k < p->classes; k++) {
            require(isfinite(row[k]) && row[k] >= 0);
            sum += (double)row[k];
        }
        require(fabs(sum - 1) < 0.06);
    }
    free(row);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    write_input(data, size);
    for (int logits = 0; logits < 2; logits++) {
        sustain_context *context;
        sustain_probabilities *p;
        if (sustain_context_create_with(small_allocator, NULL, &context) != SUSTAIN_OK) return 0;
        const sustain_status status = sustain_probabilities_read(context, path, logits == 1, &p);
        require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_MEMORY || status == SUSTAIN_ARGUMENT ||
                status == SUSTAIN_IO);
        require((status == SUSTAIN_OK) == (p != NULL));
        if (status == SUSTAIN_OK) check_rows(p);
        if (status == SUSTAIN_FORMAT) require(strncmp(sustain_error(context), path, strlen(path)) == 0);
        sustain_probabilities_destroy(p);
        sustain_context_destroy(context);
    }
    return 0;
}

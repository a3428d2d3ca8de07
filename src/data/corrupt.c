/* corrupt.c - corrupts labels for experiments. The noise of row i depends only on (seed, i). */
#include <string.h>

#include <sustain/random.h>

#include "data/dataset_internal.h"

/* Different from the streams of the solvers, so that noise and draws with the same seed are
 * independent. */
static const uint32_t noise_stream = 0x6e6f6973;

static int32_t corrupted(sustain_noise noise, int32_t label, int64_t classes, uint64_t seed, uint64_t row) {
    int64_t step = 1; /* SUSTAIN_NOISE_PAIR */
    if (noise == SUSTAIN_NOISE_SYMMETRIC) step = 1 + sustain_random_index(seed, noise_stream, row, 1, classes - 1);
    if (noise == SUSTAIN_NOISE_UNIFORM) step = sustain_random_index(seed, noise_stream, row, 1, classes);
    return (int32_t)((label + step) % classes);
}

sustain_status sustain_dataset_corrupt(sustain_dataset *set, sustain_noise noise, double rate, uint64_t seed) {
    if (set == NULL) return SUSTAIN_ARGUMENT;
    struct sustain_dataset_memory *m = set->memory;
    if (!(rate >= 0 && rate <= 1)) return sustain__fail(set->context, SUSTAIN_ARGUMENT, "the rate of wrong labels must be from 0 to 1");
    if (m->labels == NULL || set->classes < 2)
        return sustain__fail(set->context, SUSTAIN_FORMAT, "%s: labels can be corrupted only where there are two classes or more",
                             set->source);
    if (m->truth == NULL) { /* a second corruption keeps the original labels as the truth */
        SUSTAIN_TRY(sustain__allocate(set->context, sustain__multiply((size_t)set->rows.count, sizeof *m->truth), &m->truth));
        memcpy(m->truth, m->labels, (size_t)set->rows.count * sizeof *m->truth);
    }
    for (int64_t i = 0; i < set->rows.count; i++) {
        const uint64_t row = (uint64_t)i;
        if (sustain_random_uniform(seed, noise_stream, row, 0) < rate)
            m->labels[i] = corrupted(noise, m->labels[i], set->classes, seed, row);
    }
    sustain__dataset_publish(set);
    return SUSTAIN_OK;
}

/* model_rows.c - see model_rows.h. */
#include "model_rows.h"

#include <stdlib.h>

#include "output.h"
#include "options.h"

enum { BLOCK_NUMBERS = 1 << 18, FEWEST_ROWS = 32 }; /* of a block: 1 MB, unless a row is very long */

static int64_t block_rows(const sustain_rows *rows, int64_t weights) {
    const int64_t fit = BLOCK_NUMBERS / weights, most = fit > FEWEST_ROWS ? fit - fit % FEWEST_ROWS : FEWEST_ROWS;
    return rows->count < most ? rows->count : most;
}

double model_rows_bytes(const sustain_rows *rows, int64_t more) {
    return (double)block_rows(rows, rows->dim + more) * (double)(rows->dim + more) * sizeof(float);
}

int64_t model_rows_more(const sustain_splines *splines, const sustain_fourier *fourier) {
    return (splines != NULL ? splines->count : 0) + (fourier != NULL ? 2 * fourier->waves : 0);
}

int model_rows_visit(sustain_context *context, const sustain_splines *splines, const sustain_fourier *fourier, const sustain_rows *rows,
                     block_user use, void *user) {
    if (splines == NULL && fourier == NULL) return use(user, rows, 0);
    const int64_t stored = rows->stored != 0 ? rows->stored : rows->count, weights = rows->dim + model_rows_more(splines, fourier);
    const int64_t most = block_rows(rows, weights);
    float *values = malloc((size_t)(most * weights) * sizeof *values);
    if (values == NULL) return out_of_memory();
    int code = EXIT_DONE;
    for (int64_t first = 0, count; code == EXIT_DONE && first < rows->count; first += count) {
        const int64_t at = first % stored;
        count = rows->count - first < most ? rows->count - first : most;
        if (count > stored - at) count = stored - at;
        code = refused(context, sustain_model_features(context, splines, fourier, rows, at, count, values));
        const sustain_rows block = {.count = count,
                                    .dim = weights,
                                    .values = values,
                                    .labels = rows->labels != NULL ? rows->labels + at : NULL,
                                    .targets = rows->targets != NULL ? rows->targets + at : NULL};
        if (code == EXIT_DONE) code = use(user, &block, first);
    }
    free(values);
    return code;
}

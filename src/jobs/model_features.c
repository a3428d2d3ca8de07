/* model_features.c - rows with all features of a model: their own, those of knots and of waves. */
#include <string.h>

#include <sustain/model.h>

#include "jobs/fourier.h"

/* out (count, features) <- the features of the waves, behind the others. */
static sustain_status fill_waves(sustain_context *context, const sustain_fourier *fourier, const sustain_rows *rows, int64_t first,
                                 int64_t count, int64_t features, float *out) {
    int64_t *index;
    sustain_rows own = *rows;
    if (own.stored == 0) own.stored = own.count;
    if (own.byte_scale == 0) own.byte_scale = 1;
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)count, sizeof *index), &index));
    for (int64_t i = 0; i < count; i++) index[i] = first + i;
    const sustain_status status =
        sustain__fourier_map(context, fourier, &own, index, count, 1, features, out + features - 2 * fourier->waves);
    sustain__free(context, index);
    return status;
}

sustain_status sustain_model_features(sustain_context *context, const sustain_splines *splines, const sustain_fourier *fourier,
                                      const sustain_rows *rows, int64_t first, int64_t count, float *out) {
    const sustain_splines none = {.count = 0};
    SUSTAIN_TRY(sustain__need(context, rows, "rows"));
    SUSTAIN_TRY(sustain__need(context, out, "out"));
    if (splines == NULL) splines = &none;
    SUSTAIN_TRY(sustain_splines_fill(context, splines, rows, first, count, out));
    if (fourier == NULL || count == 0) return SUSTAIN_OK;
    if (fourier->waves < 1 || fourier->w == NULL)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the Fourier features of the model have no waves");
    /* farther apart, from the last row on */
    const int64_t narrow = rows->dim + splines->count, features = narrow + 2 * fourier->waves;
    for (int64_t i = count - 1; i > 0; i--) memmove(out + i * features, out + i * narrow, (size_t)narrow * sizeof *out);
    return fill_waves(context, fourier, rows, first, count, features, out);
}

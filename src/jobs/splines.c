/* splines.c - rows with the features of linear splines. */
#include <math.h>
#include <string.h>

#include <sustain/splines.h>

#include "problems/rows_double.h"

static sustain_status check(sustain_context *context, const sustain_splines *splines, int64_t dim, int64_t stored, int64_t first,
                            int64_t count) {
    if (first < 0 || count < 0 || first > stored || count > stored - first)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "rows %lld and on, %lld of them: there are %lld", (long long)first,
                             (long long)count, (long long)stored);
    for (int64_t k = 0; k < splines->count; k++)
        if (splines->feature[k] < 0 || splines->feature[k] >= dim || !isfinite(splines->knot[k]))
            return sustain__fail(context, SUSTAIN_ARGUMENT, "knot %lld is %g, of feature %ld: it is finite, of one of %lld features",
                                 (long long)k, splines->knot[k], (long)splines->feature[k], (long long)dim);
    return SUSTAIN_OK;
}

sustain_status sustain_splines_fill(sustain_context *context, const sustain_splines *splines, const sustain_rows *rows, int64_t first,
                                    int64_t count, float *out) {
    SUSTAIN_TRY(sustain__need(context, splines, "splines"));
    SUSTAIN_TRY(sustain__need(context, rows, "rows"));
    SUSTAIN_TRY(sustain__need(context, out, "out"));
    const int64_t dim = rows->dim, width = dim + splines->count;
    SUSTAIN_TRY(check(context, splines, dim, rows->stored != 0 ? rows->stored : rows->count, first, count));
    for (int64_t i = 0; i < count; i++) {
        const sustain__row a = sustain__row_at(rows, first + i);
        float *to = out + i * width;
        memset(to, 0, (size_t)width * sizeof *to);
        for (int64_t e = 0; e < a.count; e++) to[a.column != NULL ? a.column[e] : e] = (float)sustain__row_entry(a, e);
        for (int64_t k = 0; k < splines->count; k++) to[dim + k] = fmaxf((float)((double)to[splines->feature[k]] - splines->knot[k]), 0);
    }
    return SUSTAIN_OK;
}

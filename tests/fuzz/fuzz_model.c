/* fuzz_model.c - any bytes as a model: refused with a sentence, or a classifier with all its names,
 * or a regression model, and finite numbers, those of Fourier features too. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/linear_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sink; /* what is read must be read */

static void require(bool condition) {
    if (!condition) abort();
}

static void check_names(const char *const *names, int64_t count) {
    for (int64_t i = 0; i < count; i++) sink += strlen(names[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sustain_context *context;
    sustain_model *model;
    if (sustain_context_create(&context) != SUSTAIN_OK) return 0;
    const sustain_status status = sustain__model_parse(context, "input", data, size, &model);
    require((status == SUSTAIN_OK) == (model != NULL));
    require(status == SUSTAIN_OK || (status == SUSTAIN_FORMAT && strncmp(sustain_error(context), "input: ", 7) == 0));
    if (model != NULL) {
        const int64_t scores = model->classes > 0 ? model->classes : 1, knots = model->splines != NULL ? model->splines->count : 0;
        require((model->classes == 0 || model->classes >= 2) && model->dim >= 1);
        for (int64_t i = 0; i < scores * (model->dim + knots + 1); i++) require(isfinite(model->y[i]));
        for (int64_t k = 0; k < knots; k++)
            require(model->splines->feature[k] >= 0 && model->splines->feature[k] < model->dim && isfinite(model->splines->knot[k]));
        check_names(model->class_names, model->classes);
        if (model->column_names != NULL) check_names(model->column_names, model->dim);
        if (model->fourier != NULL) {
            const sustain_fourier *f = model->fourier;
            require(f->waves >= 1);
            for (int64_t i = 0; i < f->waves * (model->dim + 1); i++) require(isfinite(f->w[i]));
            for (int64_t i = 0; i < 2 * f->waves * scores; i++) require(isfinite(f->v[i]));
        }
    }
    sustain_model_destroy(model);
    sustain_context_destroy(context);
    return 0;
}

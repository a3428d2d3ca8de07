/* fuzz_fewshot.c - any bytes as a few-shot model: refused with a sentence, or a model that adapts
 * to pictures, where it is small, and answers. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "meta/fewshot_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition) abort();
}

static void use(sustain_context *context, const sustain_fewshot_model *model, int64_t ways) {
    enum { WAYS = 4, PIXELS = 3 * 32 * 32 };
    static uint8_t pixels[WAYS][PIXELS];
    const uint8_t *pictures[WAYS];
    const int32_t labels[WAYS] = {0, 1, 2, 3};
    sustain_real p[WAYS];
    sustain_fewshot *f;
    for (int i = 0; i < WAYS; i++) {
        for (int j = 0; j < PIXELS; j++) pixels[i][j] = (uint8_t)(j * (i + 1));
        pictures[i] = pixels[i];
    }
    require(sustain_fewshot_create(context, model, ways, ways, &f) == SUSTAIN_OK);
    const sustain_status status = sustain_fewshot_adapt(f, pictures, labels, ways);
    require(status == SUSTAIN_OK || status == SUSTAIN_NOT_FINITE);
    if (status == SUSTAIN_OK) require(sustain_fewshot_predict(f, pictures[0], p) == SUSTAIN_OK);
    sustain_fewshot_destroy(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sustain_context *context;
    sustain_fewshot_model *model;
    if (sustain_context_create(&context) != SUSTAIN_OK) return 0;
    const sustain_status status = sustain_fewshot_model_parse(context, "input", data, size, &model);
    require((status == SUSTAIN_OK) == (model != NULL));
    require(status == SUSTAIN_OK || (status == SUSTAIN_FORMAT && strncmp(sustain_error(context), "input: ", 7) == 0));
    if (model != NULL) {
        const sustain_fewshot_about a = sustain_fewshot_model_about(model);
        const sustain__fewshot_model *m = &model->content;
        for (int64_t i = 0; i < a.parameters; i++) require(isfinite((double)m->x[i]));
        if (a.channels <= 3 && a.height <= 32 && a.width <= 32 && a.ways <= 4 && m->rule.steps <= 10) use(context, model, a.ways);
    }
    sustain_fewshot_model_destroy(model);
    sustain_context_destroy(context);
    return 0;
}

/* fewshot.c - a trained model learns five classes from five pictures of each, then names pictures
 * that it has not seen. cc fewshot.c -lsustain-device -lm && ./a.out model.safetensors */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <sustain/fewshot.h>

enum { WAYS = 5, SHOTS = 5, SUPPORT = WAYS * SHOTS, QUERIES = 50 };
#define UNIFORM (rand() / (double)RAND_MAX)

/* Yours come from a camera; here a class is a direction of stripes, in any colours, anywhere, in
 * noise. */
static void take_picture(const sustain_fewshot_about *a, int class, uint8_t *pixel) {
    const double angle = 3.14159265 * class / WAYS, phase = 6.2831853 * UNIFORM;
    for (int64_t c = 0; c < a->channels; c++) {
        const double dark = 120 * UNIFORM, light = 200 + 40 * UNIFORM;
        for (int64_t i = 0; i < a->height * a->width; i++) {
            const double x = (double)(i % a->width), y = (double)(i / a->width),
                         wave = sin(phase + 0.8 * (cos(angle) * x + sin(angle) * y));
            *pixel++ = (uint8_t)((wave > 0 ? light : dark) + 15 * UNIFORM);
        }
    }
}

int main(int argc, char **argv) {
    sustain_context *context;
    sustain_fewshot_model *model;
    sustain_fewshot *classifier;
    const uint8_t *pictures[SUPPORT];
    int32_t labels[SUPPORT], right = 0;
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    if (sustain_fewshot_model_read(context, argc > 1 ? argv[1] : "examples/fewshot.safetensors", &model) != SUSTAIN_OK ||
        sustain_fewshot_create(context, model, WAYS, SUPPORT, &classifier) != SUSTAIN_OK)
        return fprintf(stderr, "%s\n", sustain_error(context)), 1;
    const sustain_fewshot_about about = sustain_fewshot_model_about(model);
    const size_t size = (size_t)(about.channels * about.height * about.width);
    uint8_t *pixels = malloc((SUPPORT + 1) * size), *query = pixels + SUPPORT * size;
    for (int i = 0; i < SUPPORT; i++) {
        pictures[i] = pixels + (size_t)i * size;
        take_picture(&about, labels[i] = i % WAYS, pixels + (size_t)i * size);
    }
    const clock_t start = clock();
    if (sustain_fewshot_adapt(classifier, pictures, labels, SUPPORT) != SUSTAIN_OK) return 1;
    const clock_t adapted = clock();
    for (int i = 0; i < QUERIES; i++) {
        sustain_real p[WAYS];
        take_picture(&about, i % WAYS, query);
        sustain_fewshot_predict(classifier, query, p);
        right += p[i % WAYS] > (sustain_real)0.5;
    }
    printf("%d of %d right with more than 50 %%, adapted in %.1f ms, %.2f ms a picture\n", right, QUERIES,
           1e3 * (double)(adapted - start) / CLOCKS_PER_SEC, 1e3 * (double)(clock() - adapted) / CLOCKS_PER_SEC / QUERIES);
    sustain_fewshot_destroy(classifier);
    sustain_fewshot_model_destroy(model);
    sustain_context_destroy(context);
    free(pixels);
    return right > QUERIES / 2 ? 0 : 1;
}

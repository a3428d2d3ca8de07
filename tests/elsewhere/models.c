/* models.c FOLDER write|read - models with splines and Fourier features, as numbers on stdout that
 * must be the same on every machine. run.sh compares them.
 *
 * write: selects a model with 1, 2, 3 and 8 threads, to the same bits, and leaves it in FOLDER.
 * read: reads the model in FOLDER, which another machine wrote. Both predict new rows with it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/model.h>
#include <sustain/random.h>
#include <sustain/select.h>

enum { ROWS = 200, DIM = 3, WAVES = 16, KNOTS = 4, NEW = 8, MOST = DIM * (1 + KNOTS) + 2 * WAVES };

static sustain_context *context;
static float values[ROWS + NEW][DIM], targets[ROWS + NEW];

static void must(sustain_status status) {
    if (status == SUSTAIN_OK) return;
    printf("%s\n", sustain_error(context));
    exit(1);
}

/* One feature bends, and two interact so little beside the noise that the mean of splines and waves
 * is the best. Quotients of whole numbers: the same bits everywhere. */
static void make_rows(void) {
    for (int i = 0; i < ROWS + NEW; i++) {
        float *a = values[i];
        for (int j = 0; j < DIM; j++) a[j] = (float)(floor(4096 * sustain_random_uniform(5, 1, (uint32_t)i, (uint32_t)j)) / 1024 - 2);
        const double noise = floor(1024 * sustain_random_uniform(5, 2, (uint32_t)i, 0)) / 1024;
        targets[i] = (float)(0.25 * a[0] * a[1] + 4 * fabs(a[2]) + 2 * noise);
    }
}

static sustain_rows rows_of(int first, int count) {
    return (sustain_rows){.count = count, .dim = DIM, .values = values[first], .targets = targets + first};
}

/* Weights of the features and knots and the intercept, then those of the waves. */
static void write_model(const sustain_select_result *r, const char *path) {
    static sustain_real y[MOST + 1], v[2 * WAVES];
    const int64_t linear = DIM + (r->splines != NULL ? r->splines->count : 0), waves = r->fourier != NULL ? 2 * r->fourier->waves : 0;
    for (int64_t j = 0; j < linear; j++) y[j] = (sustain_real)r->y[j];
    for (int64_t j = 0; j < waves; j++) v[j] = (sustain_real)r->y[linear + j];
    y[linear] = (sustain_real)r->y[linear + waves];
    const sustain_fourier fourier = {.waves = waves / 2, .w = waves > 0 ? r->fourier->w : NULL, .v = v};
    must(sustain_model_write(context, path,
                             &(sustain_model){.dim = DIM, .y = y, .splines = r->splines, .fourier = waves > 0 ? &fourier : NULL}));
}

static void select_model(const char *path) {
    static const int threads[] = {1, 2, 3, 8};
    static double expected[MOST + 1];
    const sustain_rows rows = rows_of(0, ROWS);
    sustain_select_options options = sustain_select_defaults();
    options.loss = SUSTAIN_REGTUNE_SQUARED, options.folds = 5, options.knots = KNOTS, options.waves = WAVES;
    for (int t = 0; t < 4; t++) {
        sustain_selection *selection;
        sustain_select_result r;
        sustain_context_set_threads(context, threads[t]);
        must(sustain_select_create(context, &options, &rows, NULL, &selection));
        must(sustain_select_run(selection, &r));
        if (r.splines == NULL || r.fourier == NULL) printf("no knots or no waves were selected\n"), exit(1);
        const size_t bytes = (size_t)(DIM + r.splines->count + 2 * r.fourier->waves + 1) * sizeof expected[0];
        if (t == 0) memcpy(expected, r.y, bytes);
        if (memcmp(expected, r.y, bytes) != 0) printf("other bits with %d threads\n", threads[t]), exit(1);
        if (t == 0) write_model(&r, path);
        sustain_select_destroy(selection);
    }
}

/* Predicts the new rows with a model that was read. */
static void predict(const char *path) {
    static float filled[NEW][MOST];
    const sustain_rows rows = rows_of(ROWS, NEW);
    sustain_model *m;
    must(sustain_model_read(context, path, &m));
    if (m->splines == NULL || m->fourier == NULL) printf("a model without knots or waves\n"), exit(1);
    const int64_t linear = DIM + m->splines->count, all = linear + 2 * m->fourier->waves;
    must(sustain_model_features(context, m->splines, m->fourier, &rows, 0, NEW, filled[0]));
    for (int i = 0; i < NEW; i++) {
        const float *a = filled[0] + i * all;
        double score = (double)m->y[linear];
        for (int64_t j = 0; j < linear; j++) score += (double)m->y[j] * (double)a[j];
        for (int64_t j = linear; j < all; j++) score += (double)m->fourier->v[j - linear] * (double)a[j];
        if (!(fabs(score - (double)targets[ROWS + i]) < 2))
            printf("row %d: %g, not near %g\n", i, score, (double)targets[ROWS + i]), exit(1);
        printf("model %d %.9g\n", i, score);
    }
    sustain_model_destroy(m);
}

int main(int count, char **words) {
    static char path[4096];
    if (count != 3 || sustain_context_create(&context) != SUSTAIN_OK) return 2;
    snprintf(path, sizeof path, "%s/splines-and-waves.safetensors", words[1]);
    make_rows();
    if (strcmp(words[2], "write") == 0) select_model(path);
    predict(path);
    sustain_context_destroy(context);
    return 0;
}

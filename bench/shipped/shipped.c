/* shipped.c - the problems of the table of defaults. */
#include "shipped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { QUADRATIC, REGTUNE, IJCNN1, HYPERCLEAN } kind;

static const struct row {
    const char *name;
    kind kind;
    int64_t samples;  /* QUADRATIC: 0 is a stream */
    double condition; /* QUADRATIC */
    double scale;     /* of the features */
    double x_0;       /* of the penalties */
} rows[] = {
    {"quadratic-stream", QUADRATIC, 0, 4, 1, 0},
    {"quadratic-stream-100", QUADRATIC, 0, 100, 1, 0},
    {"quadratic-sum", QUADRATIC, 500, 4, 1, 0},
    {"quadratic-sum-100", QUADRATIC, 500, 100, 1, 0},
    {"penalties", REGTUNE, 0, 0, 1, 0},
    {"penalties-small-start", REGTUNE, 0, 0, 1, -6},
    {"penalties-features-x100", REGTUNE, 0, 0, 100, 0},
    {"penalties-features-/100", REGTUNE, 0, 0, 0.01, 0},
    {"penalties-ijcnn1", IJCNN1, 0, 0, 1, 0},
    {"cleaning", HYPERCLEAN, 0, 0, 1, 0},
    {"cleaning-features-x100", HYPERCLEAN, 0, 0, 100, 0},
    {"cleaning-features-/100", HYPERCLEAN, 0, 0, 0.01, 0},
};

enum { PENALTY_ROWS = 100, PENALTY_DIM = 10, PENALTY_USED = 4, IJCNN1_ROWS = 400, IJCNN1_EVERY = 60, IJCNN1_DIM = 22 };
enum { CLEAN_ROWS = 120, TRUSTED_ROWS = 60, CLEAN_DIM = 4, CLASSES = 3 };
#define CORRUPTED 0.4 /* of the labels */

int shipped_count(void) {
    return sizeof rows / sizeof rows[0];
}

const char *shipped_name(int i) {
    return rows[i].name;
}

static void must(sustain_context *context, sustain_status status) {
    if (status == SUSTAIN_OK) return;
    fprintf(stderr, "defaults: %s\n", sustain_error(context));
    exit(1);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) exit(1);
    return memory;
}

/* ---- data ---- */

static sustain_rows rows_of(shipped *s, int part, int64_t count, int64_t dim) {
    s->features[part] = allocate((size_t)(count * dim), sizeof(float));
    s->labels[part] = allocate((size_t)count, sizeof(int32_t));
    return (sustain_rows){.count = count, .dim = dim, .values = s->features[part], .labels = s->labels[part]};
}

/* Labels from a logistic model that uses a few of the features. */
static void generate_penalties(shipped *s, uint64_t seed, int part, double scale) {
    for (uint32_t i = 0; i < PENALTY_ROWS; i++) {
        float *a = s->features[part] + (size_t)i * PENALTY_DIM;
        double score = 0;
        for (uint32_t j = 0; j < PENALTY_DIM; j++) {
            const double value = sustain_random_normal(seed, (uint32_t)part, i, j);
            a[j] = (float)(scale * value);
            if (j < PENALTY_USED) score += value;
        }
        s->labels[part][i] = sustain_random_uniform(seed, (uint32_t)(2 + part), i, 0) < 1 / (1 + exp(-score)) ? 1 : -1;
    }
}

/* A cloud for each class; part 0 has some labels replaced by others. */
static void generate_cleaning(shipped *s, uint64_t seed, int part, int64_t count, double scale) {
    for (uint32_t i = 0; i < count; i++) {
        const int64_t class = sustain_random_index(seed, (uint32_t)(10 + part), i, 0, CLASSES);
        float *a = s->features[part] + (size_t)i * CLEAN_DIM;
        for (uint32_t j = 0; j < CLEAN_DIM; j++)
            a[j] = (float)(scale * (sustain_random_normal(seed, (uint32_t)(20 + part), i, j) +
                                    0.6 * sustain_random_normal(seed, 30, (uint64_t) class, j)));
        const bool corrupted = part == 0 && sustain_random_uniform(seed, 40, i, 0) < CORRUPTED;
        s->labels[part][i] = (int32_t)(corrupted ? (class + 1 + sustain_random_index(seed, 50, i, 0, CLASSES - 1)) % CLASSES : class);
    }
}

/* Every 60th row of ijcnn1's training file, for training and then for validation. */
static bool read_ijcnn1(sustain_context *context, shipped *s, double scale) {
    const char *folder = getenv("SUSTAIN_DATA");
    char path[4096];
    sustain_dataset *set;
    snprintf(path, sizeof path, "%s/ijcnn1/ijcnn1.trn.bz2", folder != NULL ? folder : "");
    if (folder == NULL || sustain_dataset_read(context, path, NULL, &set) != SUSTAIN_OK) return false;
    for (int64_t i = 0; i < 2 * IJCNN1_ROWS; i++) {
        const int64_t row = i * IJCNN1_EVERY;
        float *a = s->features[i / IJCNN1_ROWS] + (size_t)(i % IJCNN1_ROWS) * IJCNN1_DIM;
        s->labels[i / IJCNN1_ROWS][i % IJCNN1_ROWS] = set->rows.targets[row] > 0 ? 1 : -1;
        for (int64_t k = set->rows.start[row]; k < set->rows.start[row + 1]; k++)
            a[set->rows.columns[k]] = (float)(scale * (double)set->rows.values[k]);
    }
    sustain_dataset_destroy(set);
    return true;
}

/* ---- problems ---- */

static void create_quadratic(sustain_context *context, const struct row *row, int64_t seed, shipped *s) {
    sustain_quadratic_options options = sustain_quadratic_defaults();
    options.mu_g = options.L_g / row->condition;
    options.samples = row->samples;
    options.seed = seed;
    must(context, sustain_quadratic_create(context, &options, &s->problem));
    s->destroy = sustain_quadratic_destroy;
}

static bool create_penalties(sustain_context *context, const struct row *row, int64_t seed, shipped *s) {
    const bool generated = row->kind == REGTUNE;
    sustain_regtune_options options = sustain_regtune_defaults();
    sustain_rows part[2];
    options.x_0 = row->x_0;
    for (int i = 0; i < 2; i++) {
        part[i] = rows_of(s, i, generated ? PENALTY_ROWS : IJCNN1_ROWS, generated ? PENALTY_DIM : IJCNN1_DIM);
        if (generated) generate_penalties(s, (uint64_t)seed, i, row->scale);
    }
    if (!generated && !read_ijcnn1(context, s, row->scale)) return false;
    must(context, sustain_regtune_create(context, &options, &part[0], &part[1], &s->problem));
    s->destroy = sustain_regtune_destroy;
    return true;
}

static void create_cleaning(sustain_context *context, const struct row *row, int64_t seed, shipped *s) {
    sustain_hyperclean_options options = sustain_hyperclean_defaults();
    sustain_rows part[2];
    options.classes = CLASSES;
    for (int i = 0; i < 2; i++) {
        const int64_t count = i == 0 ? CLEAN_ROWS : TRUSTED_ROWS;
        part[i] = rows_of(s, i, count, CLEAN_DIM);
        generate_cleaning(s, (uint64_t)seed, i, count, row->scale);
    }
    must(context, sustain_hyperclean_create(context, &options, &part[0], &part[1], &s->problem));
    s->destroy = sustain_hyperclean_destroy;
}

/* ---- exact values ---- */

bool shipped_look(sustain_context *context, const shipped *s, const sustain_real *x, sustain_real *y, sustain_real *gradient, double *value,
                  double *squared) {
    const int64_t n = s->problem->upper_dim;
    double *at = allocate(2 * (size_t)n, sizeof *at), *exact = at + n;
    sustain_real *out = allocate((size_t)n, sizeof *out);
    sustain_status status = SUSTAIN_OK;
    for (int64_t i = 0; i < n; i++) at[i] = (double)x[i];
    if (s->destroy == sustain_quadratic_destroy) {
        *value = sustain_quadratic_value(s->problem, at, exact);
        for (int64_t i = 0; i < n; i++) out[i] = (sustain_real)exact[i];
    } else {
        status = sustain_outer(context, s->problem, NULL, NULL, x, s->tolerance, y, value, out);
    }
    *squared = 0;
    for (int64_t i = 0; i < n; i++) *squared += (double)out[i] * (double)out[i];
    if (gradient != NULL) memcpy(gradient, out, sizeof *out * (size_t)n);
    free(at);
    free(out);
    return (status == SUSTAIN_OK || status == SUSTAIN_NOT_CONVERGED) && isfinite(*value) && isfinite(*squared);
}

/* ---- life ---- */

bool shipped_create(sustain_context *context, int i, int64_t seed, shipped *out) {
    const struct row *row = &rows[i];
    *out = (shipped){.name = row->name, .best = INFINITY, .tolerance = 3e-6 * row->scale};
    if (row->kind == REGTUNE || row->kind == IJCNN1) out->second_start = 2 * log(row->scale) - row->x_0;
    if (row->kind == QUADRATIC) create_quadratic(context, row, seed, out);
    if (row->kind == HYPERCLEAN) create_cleaning(context, row, seed, out);
    return row->kind == QUADRATIC || row->kind == HYPERCLEAN || create_penalties(context, row, seed, out);
}

void shipped_destroy(shipped *s) {
    if (s->problem != NULL) s->destroy(s->problem);
    for (int i = 0; i < 2; i++) free(s->features[i]), free(s->labels[i]);
}

/* shipped.c - the problems of the table of defaults. */
#include "shipped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { QUADRATIC, REGTUNE, HYPERCLEAN } kind;

/* Where features are 100 times as large or small, so are penalties in their units (x_0, c): the
 * same problem, written down differently. */
#define UNITS 9.210340371976184 /* 2 log 100 */

static const struct row {
    const char *name;
    kind kind;
    int64_t samples;  /* QUADRATIC: 0 is a stream */
    double condition; /* QUADRATIC */
    double scale;     /* of the features */
    double x_0;       /* REGTUNE: of the penalties */
    double c;         /* HYPERCLEAN: 0.2 is the public benchmark's */
    bool ijcnn1;      /* rows of it; else generated ones */
    sustain_regtune_loss loss;
    sustain_regtune_penalty penalty;
} rows[] = {
    {.name = "quadratic-stream", .kind = QUADRATIC, .samples = 0, .condition = 4, .scale = 1},
    {.name = "quadratic-stream-20", .kind = QUADRATIC, .samples = 0, .condition = 20, .scale = 1},
    {.name = "quadratic-sum", .kind = QUADRATIC, .samples = 500, .condition = 4, .scale = 1},
    {.name = "quadratic-sum-100", .kind = QUADRATIC, .samples = 500, .condition = 100, .scale = 1},
    {.name = "penalties", .kind = REGTUNE, .scale = 1},
    {.name = "penalties-features-x100", .kind = REGTUNE, .scale = 100, .x_0 = UNITS},
    {.name = "penalties-features-/100", .kind = REGTUNE, .scale = 0.01, .x_0 = -UNITS},
    {.name = "penalty-ijcnn1", .kind = REGTUNE, .scale = 1, .ijcnn1 = true, .penalty = SUSTAIN_REGTUNE_SINGLE},
    {.name = "ridge", .kind = REGTUNE, .scale = 1, .loss = SUSTAIN_REGTUNE_SQUARED},
    {.name = "cleaning", .kind = HYPERCLEAN, .scale = 1, .c = 0.2},
    {.name = "cleaning-features-x100", .kind = HYPERCLEAN, .scale = 100, .c = 0.2e4},
    {.name = "cleaning-features-/100", .kind = HYPERCLEAN, .scale = 0.01, .c = 0.2e-4},
    {.name = "cleaning-ijcnn1", .kind = HYPERCLEAN, .scale = 1, .c = 0.2, .ijcnn1 = true},
};

enum { LEARNING_BATCH = 64 }; /* the public benchmark's, on problems with data */
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
    s->targets[part] = allocate((size_t)count, sizeof(float));
    return (sustain_rows){.count = count, .dim = dim, .values = s->features[part], .labels = s->labels[part], .targets = s->targets[part]};
}

/* Labels from a logistic model that uses a few of the features; targets: its score, and noise. */
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
        s->targets[part][i] = (float)(score + 2 * sustain_random_normal(seed, (uint32_t)(4 + part), i, 0));
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

/* Two classes, some of the training labels turned round. */
static void corrupt_ijcnn1(shipped *s, uint64_t seed) {
    for (int part = 0; part < 2; part++)
        for (uint32_t i = 0; i < IJCNN1_ROWS; i++) {
            const bool corrupted = part == 0 && sustain_random_uniform(seed, 40, i, 0) < 0.5 * CORRUPTED;
            s->labels[part][i] = (s->labels[part][i] > 0) != corrupted;
        }
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
    sustain_regtune_options options = sustain_regtune_defaults();
    sustain_rows part[2];
    options.x_0 = row->x_0;
    options.loss = row->loss;
    options.penalty = row->penalty;
    for (int i = 0; i < 2; i++) {
        part[i] = rows_of(s, i, row->ijcnn1 ? IJCNN1_ROWS : PENALTY_ROWS, row->ijcnn1 ? IJCNN1_DIM : PENALTY_DIM);
        if (row->loss == SUSTAIN_REGTUNE_SQUARED)
            part[i].labels = NULL;
        else
            part[i].targets = NULL;
        if (!row->ijcnn1) generate_penalties(s, (uint64_t)seed, i, row->scale);
    }
    if (row->ijcnn1 && !read_ijcnn1(context, s, row->scale)) return false;
    must(context, sustain_regtune_create(context, &options, &part[0], &part[1], &s->problem));
    s->destroy = sustain_regtune_destroy;
    return true;
}

static bool create_cleaning(sustain_context *context, const struct row *row, int64_t seed, shipped *s) {
    sustain_hyperclean_options options = sustain_hyperclean_defaults();
    sustain_rows part[2];
    options.classes = row->ijcnn1 ? 2 : CLASSES;
    options.c = row->c;
    options.intercept = false; /* its feature would not change with the units */
    for (int i = 0; i < 2; i++) {
        part[i] = rows_of(s, i, row->ijcnn1 ? IJCNN1_ROWS : i == 0 ? CLEAN_ROWS : TRUSTED_ROWS, row->ijcnn1 ? IJCNN1_DIM : CLEAN_DIM);
        part[i].targets = NULL;
        if (!row->ijcnn1) generate_cleaning(s, (uint64_t)seed, i, part[i].count, row->scale);
    }
    if (row->ijcnn1 && !read_ijcnn1(context, s, row->scale)) return false;
    if (row->ijcnn1) corrupt_ijcnn1(s, (uint64_t)seed);
    must(context, sustain_hyperclean_create(context, &options, &part[0], &part[1], &s->problem));
    s->destroy = sustain_hyperclean_destroy;
    return true;
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
    *out = (shipped){
        .name = row->name, .batch = row->kind == QUADRATIC ? 1 : LEARNING_BATCH, .best = INFINITY, .tolerance = 3e-6 * row->scale};
    if (row->kind == REGTUNE) return create_penalties(context, row, seed, out);
    if (row->kind == HYPERCLEAN) return create_cleaning(context, row, seed, out);
    create_quadratic(context, row, seed, out);
    return true;
}

void shipped_destroy(shipped *s) {
    if (s->problem != NULL) s->destroy(s->problem);
    for (int i = 0; i < 2; i++) free(s->features[i]), free(s->labels[i]), free(s->targets[i]);
}

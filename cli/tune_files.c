/* tune_files.c - the results of `sustain tune` as files. docs/formats.md describes them. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv_write.h"
#include "page.h"
#include "ranks.h"
#include "verb_tune.h"

/* ---- the model of the features as the file has them ---- */

int64_t tune_width(const tune_job *job) {
    return job->data.model.loss == SUSTAIN_REGTUNE_SOFTMAX ? job->data.model.classes : 1;
}

static int64_t knots_of(const tune_job *job) {
    return job->data.select && job->selected.splines != NULL ? job->selected.splines->count : 0;
}

static int64_t waves_of(const tune_job *job) {
    return job->data.select && job->selected.fourier != NULL ? job->selected.fourier->waves : 0;
}

int64_t tune_weights(const tune_job *job) {
    return job->data.training.set->rows.dim + knots_of(job) + 2 * waves_of(job);
}

/* The feature that a weight is of; -1: it is of a wave. */
static int64_t feature_of(const tune_job *job, int64_t j) {
    const int64_t dim = job->data.training.set->rows.dim, knot = j - dim;
    return j < dim ? j : knot < knots_of(job) ? job->selected.splines->feature[knot] : -1;
}

/* y (width, weights) then b (width), of unscaled features: with a' = (a unit - mean) factor the
 * scores are (w factor unit) a + (b - w factor mean). And max(a' - t', 0) = factor unit max(a - t,
 * 0), where t is tune_unscaled(t'). */
static double *unscaled(const tune_job *job) {
    const sustain_scaling *s = job->data.scaling;
    const int64_t dim = job->data.training.set->rows.dim, weights = tune_weights(job), width = tune_width(job);
    const double unit = job->data.unit, *from = job->y;
    double *y = malloc((size_t)(width * (weights + 1)) * sizeof *y);
    for (int64_t k = 0; y != NULL && k < width; k++) {
        double bias = job->data.model.intercept ? from[width * weights + k] : 0;
        for (int64_t j = 0; j < weights; j++) {
            const int64_t feature = feature_of(job, j);
            const double weight = from[k * weights + j] * (s->factor != NULL && feature >= 0 ? (double)s->factor[feature] : 1);
            if (s->mean != NULL && j < dim) bias -= weight * (double)s->mean[j];
            y[k * weights + j] = feature >= 0 ? weight * unit : weight;
        }
        y[width * weights + k] = bias;
    }
    return y;
}

double tune_unscaled(const tune_job *job, int64_t feature, double value) {
    const sustain_scaling *s = job->data.scaling;
    const double plain = s->factor != NULL ? value / (double)s->factor[feature] : value;
    return (plain + (s->mean != NULL ? (double)s->mean[feature] : 0)) / job->data.unit;
}

static double unscaled_knot(const tune_job *job, int64_t k) {
    return tune_unscaled(job, job->selected.splines->feature[k], job->selected.splines->knot[k]);
}

/* ---- penalties.csv ---- */

/* "age", "age above 37" for max(age - 37, 0), "cosine 1" and "sine 1" of waves. */
static void feature_name(const tune_job *job, int64_t j, char *text, size_t size) {
    const sustain_dataset *set = job->data.training.set;
    const int64_t feature = feature_of(job, j), wave = j - set->rows.dim - knots_of(job), waves = waves_of(job);
    if (feature < 0) {
        snprintf(text, size, "%s %lld", wave < waves ? "cosine" : "sine", (long long)(wave % waves + 1));
        return;
    }
    if (set->column_names != NULL)
        snprintf(text, size, "%s", set->column_names[feature]);
    else
        snprintf(text, size, "%lld", (long long)(feature + 1));
    if (feature == j) return;
    const size_t used = strlen(text);
    snprintf(text + used, size - used, " above %.6g", unscaled_knot(job, j - set->rows.dim));
}

/* What penalty i acts on, in words. */
static void penalty_name(const tune_job *job, int64_t i, char *text, size_t size) {
    const sustain_dataset *set = job->data.training.set;
    switch (job->data.model.penalty) {
    case SUSTAIN_REGTUNE_FEATURE:
        feature_name(job, i, text, size);
        return;
    case SUSTAIN_REGTUNE_GROUP:
        snprintf(text, size, "group %lld", (long long)i);
        return;
    case SUSTAIN_REGTUNE_CLASS:
        snprintf(text, size, "%s", set->class_names[i]);
        return;
    case SUSTAIN_REGTUNE_SINGLE:
        break;
    }
    snprintf(text, size, "all");
}

static void write_penalties(FILE *to, const void *user) {
    const tune_job *job = user;
    const bool select = job->data.select;
    const int64_t count = select ? tune_weights(job) : sustain_tune_problem(job->tune)->upper_dim;
    char name[LONGEST_PATH];
    fputs("index,name,log_penalty,penalty\n", to);
    for (int64_t i = 0; i < count; i++) {
        const double x = select ? log(job->selected.penalty[i]) : job->result.x[i];
        penalty_name(job, i, name, sizeof name);
        fprintf(to, "%lld,", (long long)i);
        csv_text(to, name);
        fprintf(to, ",%.9g,%.9g\n", x, select ? job->selected.penalty[i] : fmin(job->data.model.floor + exp(x), DBL_MAX));
    }
}

/* ---- coefficients.csv ---- */

typedef struct weights {
    const tune_job *job;
    const double *y; /* of features as the file has them */
} weights;

static void write_coefficients(FILE *to, const void *user) {
    const weights *w = user;
    const tune_job *job = w->job;
    const sustain_dataset *set = job->data.training.set;
    const int64_t n = tune_weights(job), width = tune_width(job);
    char name[LONGEST_PATH];
    fputs("name,class,coefficient,scaled\n", to);
    for (int64_t k = 0; k < width; k++)
        for (int64_t j = 0; j <= n; j++) {
            if (j < n)
                feature_name(job, j, name, sizeof name);
            else
                snprintf(name, sizeof name, "(intercept)");
            csv_text(to, name);
            fputc(',', to);
            if (!tune_is_number(job->data.model.loss)) csv_text(to, set->class_names[width == 1 ? 1 : k]);
            const int64_t at = j < n ? k * n + j : width * n + k;
            fprintf(to, ",%.9g,%.9g\n", w->y[at], job->y[at]);
        }
}

/* ---- LIBLINEAR ---- */

typedef struct liblinear {
    const tune_job *job;
    const double *y;
} liblinear;

/* Labels as whole numbers: the names where they are such, else the numbers of the classes. */
static void write_labels(FILE *to, const sustain_dataset *set, bool last_first) {
    bool whole = true;
    long long number;
    for (int64_t k = 0; k < set->classes; k++) whole = whole && whole_numbers(set->class_names[k], '\0', 1, &number) == 1;
    fputs("label", to);
    for (int64_t i = 0; i < set->classes; i++) {
        const int64_t k = last_first ? set->classes - 1 - i : i;
        if (whole)
            fprintf(to, " %s", set->class_names[k]);
        else
            fprintf(to, " %lld", (long long)k);
    }
    fputc('\n', to);
}

/* Two classes: the scores are those of the first label. */
static void write_liblinear(FILE *to, const void *user) {
    const liblinear *l = user;
    const tune_job *job = l->job;
    const sustain_dataset *set = job->data.training.set;
    const int64_t dim = set->rows.dim, width = tune_width(job);
    const bool squared = tune_is_number(job->data.model.loss);
    double bias = 0;
    for (int64_t k = 0; k < width; k++) bias += fabs(l->y[width * dim + k]);
    fprintf(to, "solver_type %s\nnr_class %lld\n", squared ? "L2R_L2LOSS_SVR" : "L2R_LR", (long long)(squared ? 2 : set->classes));
    if (!squared) write_labels(to, set, job->data.model.loss == SUSTAIN_REGTUNE_LOGISTIC);
    fprintf(to, "nr_feature %lld\nbias %d\nw\n", (long long)dim, bias != 0 ? 1 : -1);
    for (int64_t j = 0; j < dim + (bias != 0 ? 1 : 0); j++) {
        for (int64_t k = 0; k < width; k++) fprintf(to, "%.17g ", j < dim ? l->y[k * dim + j] : l->y[width * dim + k]);
        fputc('\n', to);
    }
}

/* Not of splines, which its features do not have: then an older file is removed. */
static int liblinear_file(const liblinear *l) {
    char path[LONGEST_PATH];
    const char *out = l->job->given->run.out;
    if (tune_weights(l->job) == l->job->data.training.set->rows.dim) return write_file(out, "model.liblinear", write_liblinear, l);
    run_path(out, "model.liblinear", path);
    remove(path);
    return EXIT_DONE;
}

/* ---- model.safetensors ---- */

/* What a model file is made of. */
typedef struct model_parts {
    sustain_real *y; /* W (scores, dim + knots), b (scores) */
    double *knot;    /* (knots) */
    sustain_real *w; /* (waves, dim), (waves) */
    sustain_real *v; /* (scores, 2 waves) */
} model_parts;

/* A logistic model is a softmax one with the scores -s/2 and s/2; the squared loss makes a model of
 * a number. */
static void take_weights(const tune_job *job, const double *y, int64_t scores, model_parts *m) {
    const int64_t width = tune_width(job), n = tune_weights(job), waves = waves_of(job), plain = n - 2 * waves;
    for (int64_t k = 0; k < scores; k++)
        for (int64_t j = 0; j <= n; j++) {
            const double value = width < scores ? (k == 0 ? -0.5 : 0.5) * y[j] : j < n ? y[k * n + j] : y[width * n + k];
            sustain_real *to = j == n ? &m->y[scores * plain + k] : j < plain ? &m->y[k * plain + j] : &m->v[k * 2 * waves + j - plain];
            *to = (sustain_real)value;
        }
}

/* Of unscaled features: with a' = (a unit - mean) factor, w'a' + h is (w' factor unit) a + (h - w'
 * factor mean). */
static void take_waves(const tune_job *job, model_parts *m) {
    const sustain_scaling *s = job->data.scaling;
    const int64_t dim = job->data.training.set->rows.dim, waves = waves_of(job);
    for (int64_t r = 0; r < waves; r++) {
        const sustain_real *from = job->selected.fourier->w;
        double phase = (double)from[waves * dim + r];
        for (int64_t j = 0; j < dim; j++) {
            const double own = (double)from[r * dim + j] * (s->factor != NULL ? (double)s->factor[j] : 1);
            if (s->mean != NULL) phase -= own * (double)s->mean[j];
            m->w[r * dim + j] = (sustain_real)(own * job->data.unit);
        }
        m->w[waves * dim + r] = (sustain_real)remainder(phase, 2 * acos(-1));
    }
}

static int write_parts(const tune_job *job, const model_parts *m) {
    const sustain_dataset *set = job->data.training.set;
    const bool number = tune_is_number(job->data.model.loss);
    const int64_t knots = knots_of(job);
    char path[LONGEST_PATH], about[LONGEST_PATH + 64];
    const char *slash = strrchr(set->source, '/');
    const sustain_splines splines = {.count = knots, .feature = knots > 0 ? job->selected.splines->feature : NULL, .knot = m->knot};
    const sustain_fourier fourier = {.waves = waves_of(job), .w = m->w, .v = m->v};
    run_path(job->given->run.out, "model.safetensors", path);
    snprintf(about, sizeof about, "sustain tune %s: %lld rows of %s", sustain_version(), (long long)set->rows.count,
             slash != NULL ? slash + 1 : set->source);
    const sustain_model model = {.dim = set->rows.dim,
                                 .classes = number ? 0 : set->classes,
                                 .y = m->y,
                                 .class_names = number ? NULL : set->class_names,
                                 .column_names = set->column_names,
                                 .encoding = set->encoding,
                                 .about = about,
                                 .logarithm = job->data.model.loss == SUSTAIN_REGTUNE_POISSON,
                                 .fourier = fourier.waves > 0 ? &fourier : NULL,
                                 .splines = knots > 0 ? &splines : NULL};
    return refused(job->run.context, sustain_model_write(job->run.context, path, &model));
}

static int write_model(const tune_job *job, const double *y) {
    const int64_t scores = tune_is_number(job->data.model.loss) ? 1 : job->data.training.set->classes;
    const int64_t dim = job->data.training.set->rows.dim, knots = knots_of(job), waves = waves_of(job);
    model_parts m = {.y = malloc((size_t)(scores * (dim + knots + 1)) * sizeof *m.y),
                     .knot = malloc((size_t)(knots + 1) * sizeof *m.knot),
                     .w = malloc((size_t)(waves * (dim + 1) + 1) * sizeof *m.w),
                     .v = malloc((size_t)(scores * 2 * waves + 1) * sizeof *m.v)};
    int code = EXIT_DONE;
    if (m.y == NULL || m.knot == NULL || m.w == NULL || m.v == NULL) {
        code = out_of_memory();
    } else {
        take_weights(job, y, scores, &m);
        take_waves(job, &m);
        for (int64_t k = 0; k < knots; k++) m.knot[k] = unscaled_knot(job, k);
        code = write_parts(job, &m);
    }
    free(m.y), free(m.knot), free(m.w), free(m.v);
    return code;
}

/* ---- all of them ---- */

int tune_files(const tune_job *job) {
    const char *out = job->given->run.out;
    if (ranks_number() > 0) return EXIT_DONE; /* process 0 writes */
    double *y = unscaled(job);
    sustain_context_phase(job->run.context, SUSTAIN_PHASE_WRITE);
    if (y == NULL) return out_of_memory();
    const liblinear l = {job, y};
    const weights w = {job, y};
    int code = write_file(out, "penalties.csv", write_penalties, job);
    if (code == EXIT_DONE && job->data.select) code = write_file(out, "coefficients.csv", write_coefficients, &w);
    if (code == EXIT_DONE) code = liblinear_file(&l);
    if (code == EXIT_DONE) code = write_model(job, y);
    if (code == EXIT_DONE) code = write_json(out, "result.json", job->data.select ? tune_select_json(job) : tune_json(job));
    if (code == EXIT_DONE) code = page_write(job->run.context, out);
    free(y);
    return code;
}

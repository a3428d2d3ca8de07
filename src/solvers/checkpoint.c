/* checkpoint.c - saving and loading a solver: one loop over its fields. The metadata says what it belongs to; the parameters in the
 * file become the solver's, so that a resumed run needs no flag repeated. */
#include <stdio.h>
#include <string.h>

#include "io/safetensors.h"
#include "solvers/solver_internal.h"

#define FORMAT "sustain solver 1"

static const char *dtype_of(sustain_field_type type) {
    switch (type) {
    case SUSTAIN_FIELD_REAL:
        return sizeof(sustain_real) == sizeof(float) ? "F32" : "F64";
    case SUSTAIN_FIELD_DOUBLE:
        return "F64";
    case SUSTAIN_FIELD_INT64:
        return "I64";
    case SUSTAIN_FIELD_UINT32:
        return "U32";
    }
    return "";
}

/* The steps were estimated at the start, perhaps: they are saved as numbers. */
enum { STEP_COUNT = 9 };

static void pack_steps(const sustain_steps *s, double out[STEP_COUNT]) {
    const double values[STEP_COUNT] = {s->alpha, s->beta, s->c_eta_f, s->c_eta_g, s->w, s->p, s->q, s->L_g, s->K};
    memcpy(out, values, sizeof values);
}

static sustain_steps unpack_steps(const double v[STEP_COUNT]) {
    return (sustain_steps){
        .alpha = v[0], .beta = v[1], .c_eta_f = v[2], .c_eta_g = v[3], .w = v[4], .p = v[5], .q = v[6], .L_g = v[7], .K = (int)v[8]};
}

/* ---- save ---- */

enum { MOST_WORDS = 80, WORD_SIZE = 40, OWN_WORDS = 5 };

static int write_words(const sustain_solver *b, char (*text)[WORD_SIZE], sustain__word *words) {
    const sustain_solver_info *info = &b->algorithm->info;
    snprintf(text[0], WORD_SIZE, "%lld", (long long)b->given->upper_dim);
    snprintf(text[1], WORD_SIZE, "%lld", (long long)b->given->lower_dim);
    const sustain__word own[OWN_WORDS] = {
        {"format", FORMAT}, {"solver", info->name}, {"problem", b->given->ops->name}, {"upper_dim", text[0]}, {"lower_dim", text[1]}};
    memcpy(words, own, sizeof own);
    int n = OWN_WORDS;
    for (int i = 0; i < info->parameter_count && n < MOST_WORDS; i++, n++) {
        sustain_parameter_print(&info->parameters[i], b, text[n], WORD_SIZE);
        words[n] = (sustain__word){info->parameters[i].name, text[n]};
    }
    return n;
}

sustain_status sustain_solver_save(sustain_solver *solver, const char *path) {
    if (solver == NULL) return SUSTAIN_ARGUMENT;
    if (path == NULL) return sustain__fail(solver->context, SUSTAIN_ARGUMENT, "the path of the state is NULL");
    if (!solver->started) return sustain__fail(solver->context, SUSTAIN_ORDER, "there is nothing to save before the start");
    char text[MOST_WORDS][WORD_SIZE];
    sustain__word words[MOST_WORDS];
    const int word_count = write_words(solver, text, words);
    double steps[STEP_COUNT];
    pack_steps(&solver->steps, steps);
    sustain__tensor tensors[2 * SUSTAIN__MOST_FIELDS + 1] = {{"steps", "F64", STEP_COUNT, steps, NULL}};
    int n = 1;
    for (int i = 0; i < solver->state_count; i++) {
        const sustain_field *f = &solver->state[i];
        tensors[n++] = (sustain__tensor){f->name, dtype_of(f->type), f->count, f->data, NULL};
    }
    return sustain__safetensors_write(solver->context, path, words, word_count, tensors, n);
}

/* ---- load ---- */

static sustain_status expect_word(sustain_solver *b, const char *path, const sustain__safetensors *file, const char *name,
                                  const char *expected) {
    const char *found = sustain__safetensors_word(file, name);
    if (found != NULL && strcmp(found, expected) == 0) return SUSTAIN_OK;
    return sustain__fail(b->context, SUSTAIN_MISMATCH, "%s: its %s is '%.60s', this solver's is '%s'", path, name,
                         found != NULL ? found : "missing", expected);
}

/* Finds a tensor and copies it; shape and type must be what the solver has. */
static sustain_status load_tensor(sustain_solver *b, const char *path, const sustain__safetensors *file, const char *name,
                                  const char *dtype, int64_t count, void *data) {
    sustain__tensor t;
    if (!sustain__safetensors_find(file, name, &t))
        return sustain__fail(b->context, SUSTAIN_MISMATCH, "%s: it has no tensor '%s'", path, name);
    if (strcmp(t.dtype, dtype) != 0 || t.count != count)
        return sustain__fail(b->context, SUSTAIN_MISMATCH, "%s: '%s' has %lld numbers of type %s, this solver has %lld of type %s", path,
                             name, (long long)t.count, t.dtype, (long long)count, dtype);
    memcpy(data, t.data, (size_t)count * (strcmp(dtype, "F32") == 0 || strcmp(dtype, "U32") == 0 ? 4 : 8));
    return SUSTAIN_OK;
}

static sustain_status check_words(sustain_solver *b, const char *path, const sustain__safetensors *file) {
    char text[MOST_WORDS][WORD_SIZE];
    sustain__word words[MOST_WORDS];
    write_words(b, text, words);
    for (int i = 0; i < OWN_WORDS; i++) SUSTAIN_TRY(expect_word(b, path, file, words[i].name, words[i].value));
    return SUSTAIN_OK;
}

static sustain_status take_parameters(sustain_solver *b, const char *path, const sustain__safetensors *file) {
    const sustain_solver_info *info = &b->algorithm->info;
    for (int i = 0; i < info->parameter_count; i++) {
        const char *name = info->parameters[i].name, *value = sustain__safetensors_word(file, name);
        if (value == NULL) return sustain__fail(b->context, SUSTAIN_MISMATCH, "%s: it has no value of the parameter %s", path, name);
        if (sustain_solver_set(b, name, value) != SUSTAIN_OK)
            return sustain__fail(b->context, SUSTAIN_FORMAT, "%s: %s", path, sustain_error(b->context));
    }
    return SUSTAIN_OK;
}

/* Loads every field; or, in place of the state, the copy of it that a diverging run goes back to. */
static sustain_status load_fields(sustain_solver *b, const char *path, const sustain__safetensors *file, bool good) {
    for (int i = 0; i < b->state_count; i++) {
        const sustain_field *f = &b->state[i];
        void *data = f->data;
        if (good) {
            if (strncmp(f->name, "good.", 5) != 0) continue;
            for (int j = 0; j < i; j++)
                if (strcmp(b->state[j].name, f->name + 5) == 0) data = b->state[j].data;
        }
        SUSTAIN_TRY(load_tensor(b, path, file, f->name, dtype_of(f->type), f->count, data));
    }
    return SUSTAIN_OK;
}

/* Every integer of a state is a number of iterations, samples or coordinates (or -1: none), so small that sums of a few fit. */
static bool sane(const sustain_solver *b) {
    for (int i = 0; i < b->state_count; i++) {
        const int64_t *value = b->state[i].data;
        for (int64_t j = 0; b->state[i].type == SUSTAIN_FIELD_INT64 && j < b->state[i].count; j++)
            if (value[j] < -1 || value[j] > (int64_t)1 << 53) return false;
    }
    if (b->t < 0 || b->t > INT64_MAX / 2 / b->common.batch) return false;
    return b->algorithm->sane == NULL || b->algorithm->sane(b);
}

static sustain_status load_from(sustain_solver *b, const char *path, const sustain__safetensors *file) {
    SUSTAIN_TRY(check_words(b, path, file));
    SUSTAIN_TRY(take_parameters(b, path, file));
    double steps[STEP_COUNT];
    SUSTAIN_TRY(load_tensor(b, path, file, "steps", "F64", STEP_COUNT, steps));
    if (!(steps[8] >= 1 && steps[8] <= 1e6) || !(steps[7] > 0))
        return sustain__fail(b->context, SUSTAIN_FORMAT, "%s: its steps make no sense (K = %g, L_g = %g)", path, steps[8], steps[7]);
    const sustain_steps unpacked = unpack_steps(steps);
    SUSTAIN_TRY(sustain__solver_begin(b, NULL, NULL, &unpacked));
    SUSTAIN_TRY(load_fields(b, path, file, false));
    bool good = sane(b);
    if (good && b->common.recover > 0 && b->good_at >= 0) {
        SUSTAIN_TRY(load_fields(b, path, file, true));
        good = sane(b);
        SUSTAIN_TRY(load_fields(b, path, file, false));
    }
    if (!good) return sustain__fail(b->context, SUSTAIN_FORMAT, "%s: its state makes no sense: the file is damaged", path);
    return SUSTAIN_OK;
}

sustain_status sustain_solver_load(sustain_solver *solver, const char *path) {
    if (solver == NULL) return SUSTAIN_ARGUMENT;
    if (path == NULL) return sustain__fail(solver->context, SUSTAIN_ARGUMENT, "the path of the state is NULL");
    if (solver->started) return sustain__fail(solver->context, SUSTAIN_ORDER, "a state is loaded into a solver that was not started");
    sustain_solver *before; /* with its parameters: a refused file leaves the solver as it was */
    SUSTAIN_TRY(sustain__allocate(solver->context, solver->algorithm->size, &before));
    memcpy(before, solver, solver->algorithm->size);
    sustain__safetensors *file;
    sustain_status status = sustain__safetensors_read(solver->context, path, &file);
    if (status == SUSTAIN_OK) status = load_from(solver, path, file);
    sustain__safetensors_destroy(file);
    if (status != SUSTAIN_OK) {
        sustain__solver_unwind(solver);
        memcpy(solver, before, solver->algorithm->size);
    }
    sustain__free(solver->context, before);
    return status;
}

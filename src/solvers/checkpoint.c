/* checkpoint.c - saving and loading a solver: one loop over its fields. The metadata identifies the
 * problem and the algorithm; the parameters in the file become the solver's, so that a resumed run
 * needs no flag repeated. */
#include <string.h>

#include "io/state_file.h"
#include "solvers/solver_internal.h"

#define FORMAT "sustain solver 1"

/* The steps may have been estimated at the start, so they are saved as numbers. */
enum { STEP_COUNT = 9 };

static void pack_steps(const sustain_steps *s, double out[STEP_COUNT]) {
    const double values[STEP_COUNT] = {s->alpha, s->beta, s->c_eta_f, s->c_eta_g, s->w, s->p, s->q, s->L_g, s->K};
    memcpy(out, values, sizeof values);
}

static sustain_steps unpack_steps(const double v[STEP_COUNT]) {
    return (sustain_steps){
        .alpha = v[0], .beta = v[1], .c_eta_f = v[2], .c_eta_g = v[3], .w = v[4], .p = v[5], .q = v[6], .L_g = v[7], .K = (int)v[8]};
}

static sustain_field steps_field(double steps[STEP_COUNT]) {
    return (sustain_field){"steps", SUSTAIN_FIELD_DOUBLE, STEP_COUNT, steps};
}

/* ---- save ---- */

/* What a file must have in common with the solver that loads it. */
static void own_words(const sustain_solver *b, sustain__state_words *words) {
    words->count = 0;
    sustain__state_word(words, "format", FORMAT);
    sustain__state_word(words, "solver", b->algorithm->info.name);
    sustain__state_word(words, "problem", b->given->ops->name);
    sustain__state_number(words, "upper_dim", b->given->upper_dim);
    sustain__state_number(words, "lower_dim", b->given->lower_dim);
}

sustain_status sustain_solver_save(sustain_solver *solver, const char *path) {
    if (solver == NULL) return SUSTAIN_ARGUMENT;
    if (path == NULL) return sustain__fail(solver->context, SUSTAIN_ARGUMENT, "the path of the state is NULL");
    if (!solver->started) return sustain__fail(solver->context, SUSTAIN_ORDER, "there is nothing to save before the start");
    const sustain_solver_info *info = &solver->algorithm->info;
    sustain__state_words words;
    own_words(solver, &words);
    sustain__state_parameters(&words, info->parameters, info->parameter_count, solver);
    double steps[STEP_COUNT];
    pack_steps(&solver->steps, steps);
    sustain_field fields[2 * SUSTAIN__MOST_FIELDS + 1] = {steps_field(steps)};
    memcpy(fields + 1, solver->state, (size_t)solver->state_count * sizeof *fields);
    return sustain__state_write(solver->context, path, &words, fields, solver->state_count + 1);
}

/* ---- load ---- */

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

/* Loads every field of its own; or, in place of the state, the copy that a diverging run returns
 * to. */
static sustain_status load_fields(sustain_solver *b, const char *path, const sustain__safetensors *file, bool good) {
    for (int i = good ? b->first_good : 0; i < b->state_count; i++) {
        sustain_field f = b->state[i];
        if (i >= b->first_attached && i < b->first_good) continue;
        for (int j = 0; good && j < b->first_attached; j++)
            if (strcmp(b->state[j].name, f.name + strlen(SUSTAIN__GOOD)) == 0) f.data = b->state[j].data;
        SUSTAIN_TRY(sustain__state_load(b->context, path, file, &f));
    }
    return SUSTAIN_OK;
}

/* The caller's fields, at the end: a file that is refused leaves them as they were. */
static sustain_status load_attached(sustain_solver *b, const char *path, const sustain__safetensors *file) {
    const void *data;
    for (int i = b->first_attached; i < b->first_good; i++) SUSTAIN_TRY(sustain__state_find(b->context, path, file, &b->state[i], &data));
    for (int i = b->first_attached; i < b->first_good; i++) SUSTAIN_TRY(sustain__state_load(b->context, path, file, &b->state[i]));
    return SUSTAIN_OK;
}

/* Every integer of a solver's own state is a number of iterations, samples or coordinates (or -1:
 * none), small enough that sums of a few do not overflow. The caller's fields are not checked. */
static bool sane(const sustain_solver *b) {
    for (int i = 0; i < b->state_count; i++) {
        const int64_t *value = b->state[i].data;
        if (b->state[i].type != SUSTAIN_FIELD_INT64 || (i >= b->first_attached && i < b->first_good)) continue;
        for (int64_t j = 0; j < b->state[i].count; j++)
            if (value[j] < -1 || value[j] > (int64_t)1 << 53) return false;
    }
    const double draws = b->t >= 0 && b->algorithm->draws != NULL ? b->algorithm->draws(b) : 1;
    if (b->t < 0 || (double)b->t * draws * (double)b->common.batch > 0x1p61) return false; /* numbers of draws and samples */
    return b->algorithm->sane == NULL || b->algorithm->sane(b);
}

static sustain_status load_from(sustain_solver *b, const char *path, const sustain__safetensors *file) {
    sustain__state_words words;
    own_words(b, &words);
    SUSTAIN_TRY(sustain__state_expect(b->context, path, file, &words));
    SUSTAIN_TRY(take_parameters(b, path, file));
    double steps[STEP_COUNT];
    const sustain_field field = steps_field(steps);
    SUSTAIN_TRY(sustain__state_load(b->context, path, file, &field));
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
    return load_attached(b, path, file);
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

/* solver_fields.c - the memory of a solver as named fields: one block for all vectors that its
 * algorithm asks for, the list of those that are saved, and the copies of the last good state. */
#include "solvers/solver_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

size_t sustain_field_size(sustain_field_type type) {
    switch (type) {
    case SUSTAIN_FIELD_REAL:
        return sizeof(sustain_real);
    case SUSTAIN_FIELD_DOUBLE:
        return sizeof(double);
    case SUSTAIN_FIELD_INT64:
        return sizeof(int64_t);
    case SUSTAIN_FIELD_UINT32:
        return sizeof(uint32_t);
    }
    return 0;
}

static size_t aligned_bytes(const sustain_field *field) {
    return sustain__lines(field->count, sustain_field_size(field->type));
}

/* The number of fields is fixed by the sources, not by the user: exceeding it is a bug in this
 * library. */
static void add_slot(sustain_solver *solver, sustain__slot slot) {
    assert(solver->slot_count < SUSTAIN__MOST_FIELDS);
    solver->slot[solver->slot_count++] = slot;
}

void sustain__vector(sustain_solver *solver, sustain__kind kind, const char *name, sustain_field_type type, int64_t count, void *place) {
    add_slot(solver, (sustain__slot){.field = {name, type, count, NULL}, .kind = kind, .place = place});
}

void sustain__scratch(sustain_solver *solver, int64_t count, sustain_real **const *places) {
    for (; *places != NULL; places++) sustain__vector(solver, SUSTAIN__SCRATCH, "scratch", SUSTAIN_FIELD_REAL, count, *places);
}

void sustain__scalar(sustain_solver *solver, sustain__kind kind, const char *name, sustain_field_type type, void *data) {
    add_slot(solver, (sustain__slot){.field = {name, type, 1, data}, .kind = kind});
}

static void list_common(sustain_solver *b) {
    const int64_t upper = b->problem->upper_dim, lower = b->problem->lower_dim;
    sustain__vector(b, SUSTAIN__STATE, "x", SUSTAIN_FIELD_REAL, upper, &b->x);
    sustain__vector(b, SUSTAIN__STATE, "y", SUSTAIN_FIELD_REAL, lower, &b->y);
    sustain__scalar(b, SUSTAIN__STATE, "moved", SUSTAIN_FIELD_INT64, &b->moved);
    sustain__scalar(b, SUSTAIN__STATE, "norm_upper", SUSTAIN_FIELD_DOUBLE, &b->norm[SUSTAIN_UPPER]);
    sustain__scalar(b, SUSTAIN__STATE, "norm_lower", SUSTAIN_FIELD_DOUBLE, &b->norm[SUSTAIN_LOWER]);
    sustain__scalar(b, SUSTAIN__RECORD, "iteration", SUSTAIN_FIELD_INT64, &b->t);
    sustain__scalar(b, SUSTAIN__RECORD, "scale", SUSTAIN_FIELD_DOUBLE, &b->scale);
    sustain__scalar(b, SUSTAIN__RECORD, "scale_y", SUSTAIN_FIELD_DOUBLE, &b->scale_y);
    sustain__scalar(b, SUSTAIN__RECORD, "seconds", SUSTAIN_FIELD_DOUBLE, &b->seconds);
    sustain__scalar(b, SUSTAIN__RECORD, "halvings", SUSTAIN_FIELD_INT64, &b->halvings);
    sustain__scalar(b, SUSTAIN__RECORD, "dropped", SUSTAIN_FIELD_INT64, &b->dropped);
    sustain__scalar(b, SUSTAIN__RECORD, "dropped_in_a_row", SUSTAIN_FIELD_INT64, &b->dropped_in_a_row);
    sustain__vector(b, SUSTAIN__RECORD, "counts", SUSTAIN_FIELD_INT64, (int64_t)(sizeof b->counts / sizeof(int64_t)), NULL);
    b->slot[b->slot_count - 1].field.data = &b->counts;
    sustain__scalar(b, SUSTAIN__RECORD, "chosen", SUSTAIN_FIELD_INT64, &b->chosen);
    sustain__scalar(b, SUSTAIN__RECORD, "point", SUSTAIN_FIELD_INT64, &b->point);
    sustain__scalar(b, SUSTAIN__RECORD, "best_value", SUSTAIN_FIELD_DOUBLE, &b->best_value);
    sustain__scalar(b, SUSTAIN__RECORD, "without_progress", SUSTAIN_FIELD_INT64, &b->without_progress);
    sustain__scalar(b, SUSTAIN__RECORD, "next_evaluation", SUSTAIN_FIELD_INT64, &b->next_evaluation);
    sustain__scalar(b, SUSTAIN__RECORD, "usual_upper", SUSTAIN_FIELD_DOUBLE, &b->usual[0]);
    sustain__scalar(b, SUSTAIN__RECORD, "usual_lower", SUSTAIN_FIELD_DOUBLE, &b->usual[1]);
    sustain__scalar(b, SUSTAIN__RECORD, "first_length", SUSTAIN_FIELD_DOUBLE, &b->first_length);
    sustain__scalar(b, SUSTAIN__RECORD, "watched_from", SUSTAIN_FIELD_INT64, &b->watched_from);
    sustain__scalar(b, SUSTAIN__RECORD, "good_at", SUSTAIN_FIELD_INT64, &b->good_at);
    sustain__scalar(b, SUSTAIN__RECORD, "good_size", SUSTAIN_FIELD_DOUBLE, &b->good_size);
    if (b->common.schedule == SUSTAIN__SCHEDULE_AUTO && b->common.recover > 0) {
        sustain__vector(b, SUSTAIN__RECORD, "start_x", SUSTAIN_FIELD_REAL, upper, &b->start_x);
        sustain__vector(b, SUSTAIN__RECORD, "start_y", SUSTAIN_FIELD_REAL, lower, &b->start_y);
    }
    if (b->common.output != SUSTAIN__OUTPUT_LAST) {
        sustain__vector(b, SUSTAIN__RECORD, "kept_x", SUSTAIN_FIELD_REAL, upper, &b->kept_x);
        sustain__vector(b, SUSTAIN__RECORD, "kept_y", SUSTAIN_FIELD_REAL, lower, &b->kept_y);
    }
}

void sustain__fields_list(sustain_solver *b) {
    list_common(b);
    b->algorithm->layout(b);
}

void sustain__fields_bytes(const sustain_solver *b, size_t *total, size_t *good) {
    *total = *good = 0;
    for (int i = 0; i < b->slot_count; i++) {
        const size_t bytes = aligned_bytes(&b->slot[i].field);
        if (b->slot[i].place != NULL) *total = bytes > SIZE_MAX - *total ? SIZE_MAX : *total + bytes;
        if (b->slot[i].kind == SUSTAIN__STATE) *good = bytes > SIZE_MAX - *good ? SIZE_MAX : *good + bytes;
    }
}

/* Names that a state file already uses, or that have another meaning in it. */
static bool is_taken(const sustain_solver *b, const char *name) {
    for (int i = 0; i < b->attached_count; i++)
        if (strcmp(b->attached[i].name, name) == 0) return true;
    return name[0] == '\0' || strcmp(name, "steps") == 0 || strcmp(name, "__metadata__") == 0 ||
           strncmp(name, SUSTAIN__GOOD, strlen(SUSTAIN__GOOD)) == 0;
}

sustain_status sustain_solver_attach(sustain_solver *solver, const char *name, sustain_field_type type, int64_t count, void *data) {
    if (solver == NULL) return SUSTAIN_ARGUMENT;
    if (name == NULL || data == NULL || count < 1 || sustain_field_size(type) == 0)
        return sustain__fail(solver->context, SUSTAIN_ARGUMENT, "a field to attach needs a name, a type, data and at least one number");
    if (solver->started) return sustain__fail(solver->context, SUSTAIN_ORDER, "fields are attached before the start");
    if (is_taken(solver, name))
        return sustain__fail(solver->context, SUSTAIN_ARGUMENT,
                             "a field called '%.60s' cannot be attached: names are not empty, not attached twice, not 'steps' or "
                             "'__metadata__', and do not begin with '" SUSTAIN__GOOD "'",
                             name);
    if (solver->attached_count == SUSTAIN__MOST_ATTACHED)
        return sustain__fail(solver->context, SUSTAIN_ARGUMENT, "%d fields are attached already: no more fit", SUSTAIN__MOST_ATTACHED);
    solver->attached[solver->attached_count++] = (sustain_field){name, type, count, data};
    return SUSTAIN_OK;
}

/* The fields of a solver depend on its parameters, so name clashes are detected at the start. */
static sustain_status list_attached(sustain_solver *b) {
    const int own = b->slot_count;
    for (int i = 0; i < b->attached_count; i++) {
        for (int j = 0; j < own; j++)
            if (strcmp(b->slot[j].field.name, b->attached[i].name) == 0)
                return sustain__fail(b->context, SUSTAIN_ARGUMENT, "%s has a field '%s' of its own: attach yours under another name",
                                     b->algorithm->info.name, b->attached[i].name);
        add_slot(b, (sustain__slot){.field = b->attached[i], .kind = SUSTAIN__RECORD});
    }
    return SUSTAIN_OK;
}

/* One block for all vectors, one for the good copies of the state. */
sustain_status sustain__fields_allocate(sustain_solver *b) {
    size_t total, good;
    SUSTAIN_TRY(list_attached(b));
    sustain__fields_bytes(b, &total, &good);
    SUSTAIN_TRY(sustain__allocate(b->context, total, &b->memory));
    char *at = b->memory;
    for (int i = 0; i < b->slot_count; i++) {
        sustain__slot *slot = &b->slot[i];
        if (slot->place != NULL) {
            slot->field.data = at;
            memcpy(slot->place, &slot->field.data, sizeof(void *));
            at += aligned_bytes(&slot->field);
        }
        if (slot->kind != SUSTAIN__SCRATCH) b->state[b->state_count++] = slot->field;
    }
    b->first_good = b->state_count;
    b->first_attached = b->state_count - b->attached_count; /* they were laid out last */
    if (b->common.recover == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__allocate(b->context, good, &b->good_memory));
    at = b->good_memory;
    for (int i = 0, n = 0; i < b->slot_count; i++) {
        const sustain_field *field = &b->slot[i].field;
        if (b->slot[i].kind != SUSTAIN__STATE) continue;
        snprintf(b->good_name[n], sizeof b->good_name[n], SUSTAIN__GOOD "%s", field->name);
        b->state[b->state_count++] = (sustain_field){b->good_name[n++], field->type, field->count, at};
        at += aligned_bytes(field);
    }
    return SUSTAIN_OK;
}

const sustain_field *sustain_solver_state(sustain_solver *solver, int *count) {
    if (count != NULL) *count = solver != NULL ? solver->state_count : 0;
    return solver != NULL ? solver->state : NULL;
}

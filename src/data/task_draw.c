/* task_draw.c - few-shot tasks: draws classes and pictures without replacement, from one
 * sequence of random numbers per task. */
#include <sustain/pictures.h>
#include <sustain/random.h>

#include "core/context_internal.h"

sustain_status sustain_tasks_check(const sustain_pictures *set, const sustain_task_shape *shape) {
    if (set == NULL) return SUSTAIN_ARGUMENT;
    SUSTAIN_TRY(sustain__need(set->context, shape, "shape"));
    sustain_context *context = set->context;
    if (shape->ways < 1 || shape->shots < 1 || shape->queries < 0)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "a task cannot have %lld classes, %lld shots and %lld queries",
                             (long long)shape->ways, (long long)shape->shots, (long long)shape->queries);
    if (shape->ways > set->classes)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "%s has too few classes, %lld, for tasks of %lld; give more, or ask for fewer",
                             set->source, (long long)set->classes, (long long)shape->ways);
    for (int64_t c = 0; c < set->classes; c++) {
        const int64_t count = set->first[c + 1] - set->first[c];
        if (shape->queries > INT64_MAX - shape->shots || count < shape->shots + shape->queries)
            return sustain__fail(context, SUSTAIN_ARGUMENT,
                                 "%s: the class '%s' has too few pictures, %lld, for %lld shots and %lld queries; give more, ask for "
                                 "fewer, or remove the class",
                                 set->source, set->class_names[c], (long long)count, (long long)shape->shots, (long long)shape->queries);
    }
    return SUSTAIN_OK;
}

/* The random numbers of one task, one after the other. */
typedef struct dice {
    uint64_t seed, task;
    uint32_t stream, thrown;
} dice;

static bool among(int64_t number, const int64_t *list, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (list[i] == number) return true;
    return false;
}

/* Draws a number from first .. end-1 that is in neither list. Repeats are redrawn, which keeps
 * all choices equally likely. */
static int64_t throw_new(dice *d, int64_t first, int64_t end, const int64_t *a, int64_t a_count, const int64_t *b, int64_t b_count) {
    int64_t number;
    do number = first + sustain_random_index(d->seed, d->stream, d->task, d->thrown++, end - first);
    while (among(number, a, a_count) || among(number, b, b_count));
    return number;
}

void sustain_task_draw(const sustain_pictures *set, const sustain_task_shape *shape, uint64_t seed, uint32_t stream, uint64_t task,
                       int64_t *support, int64_t *query, int64_t *classes) {
    if (set == NULL || shape == NULL || support == NULL || query == NULL || classes == NULL) return;
    dice d = {.seed = seed, .task = task, .stream = stream};
    for (int64_t w = 0; w < shape->ways; w++) classes[w] = throw_new(&d, 0, set->classes, classes, w, NULL, 0);
    for (int64_t w = 0; w < shape->ways; w++) {
        const int64_t first = set->first[classes[w]], end = set->first[classes[w] + 1];
        int64_t *shots = support + w * shape->shots, *queries = query + w * shape->queries;
        for (int64_t i = 0; i < shape->shots; i++) shots[i] = throw_new(&d, first, end, shots, i, NULL, 0);
        for (int64_t i = 0; i < shape->queries; i++) queries[i] = throw_new(&d, first, end, shots, shape->shots, queries, i);
    }
}

/* pictures.c - pictures sorted into classes: creation from a list, rotation, destruction. */
#include "data/pictures_internal.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/cancel.h"
#include "data/dataset_internal.h"

enum { BLOCK = 32 }; /* pictures read by one parallel task */

static const uint64_t FACTOR = UINT64_C(1099511628211); /* odd: the order of blocks shows */

void sustain_pictures_destroy(sustain_pictures *set) {
    if (set == NULL) return;
    struct sustain_pictures_memory *m = set->memory;
    if (m != NULL) {
        void *const owned[] = {m->pixels, m->first, m->class_names, m->source, m};
        for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) sustain__free(set->context, owned[i]);
    }
    sustain__free(set->context, set);
}

static size_t picture_size(const sustain_pictures *set) {
    return (size_t)(set->channels * set->height * set->width);
}

/* Allocates set->count pictures of set->classes classes with these names. */
static sustain_status allocate(sustain_pictures *set, const char *const *names, const char *source) {
    sustain_context *context = set->context;
    struct sustain_pictures_memory *m;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *m, &m));
    set->memory = m;
    SUSTAIN_TRY(sustain__allocate(context, ((size_t)set->classes + 1) * sizeof *m->first, &m->first));
    SUSTAIN_TRY(sustain__copy_names(context, names, NULL, set->classes, &m->class_names));
    SUSTAIN_TRY(sustain__copy_text(context, source, &m->source));
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)set->count, picture_size(set)), &m->pixels));
    set->pixels = m->pixels;
    set->first = m->first;
    set->class_names = (const char *const *)m->class_names;
    set->source = m->source;
    return SUSTAIN_OK;
}

/* Creates a set of this shape. */
static sustain_status create(const sustain_pictures *shape, const char *const *names, const char *source, sustain_pictures **out) {
    sustain_pictures *set;
    SUSTAIN_TRY(sustain__allocate(shape->context, sizeof *set, &set));
    *set = *shape;
    set->memory = NULL;
    const sustain_status status = allocate(set, names, source);
    if (status == SUSTAIN_OK)
        *out = set;
    else
        sustain_pictures_destroy(set);
    return status;
}

/* ---- reading ---- */

typedef struct reading {
    const sustain__picture_list *list;
    const sustain_pictures *set;
    const int64_t *place;  /* (count) position of picture i of the list */
    bool *done;            /* (blocks) */
    uint64_t *fingerprint; /* (blocks) of the files that were read */
    atomic_bool failed;
} reading;

static sustain_status read_block(sustain_context *context, const reading *r, int64_t block) {
    const sustain_pictures *set = r->set;
    const int64_t end = (block + 1) * BLOCK < set->count ? (block + 1) * BLOCK : set->count;
    context->fingerprint = 0;
    for (int64_t i = block * BLOCK; i < end; i++) {
        const sustain__picture_item *item = &r->list->items[i];
        uint8_t *pixels = set->memory->pixels + (size_t)r->place[i] * picture_size(set);
        context->fingerprint += (uint64_t)item->class_number; /* its folder says it, not its file */
        if (item->path != NULL)
            SUSTAIN_TRY(sustain_picture_read(context, item->path, set->channels, set->height, set->width, pixels));
        else
            SUSTAIN_TRY(sustain__raster_fit(context, &item->raster, set->channels, set->height, set->width, pixels));
    }
    r->fingerprint[block] = context->fingerprint;
    return SUSTAIN_OK;
}

/* Each parallel task has its own context, since threads must not share one. */
static void read_task(void *user, int64_t block) {
    reading *r = user;
    sustain_context *context;
    if (atomic_load(&r->failed) || sustain_context_create(&context) != SUSTAIN_OK) return;
    r->done[block] = read_block(context, r, block) == SUSTAIN_OK;
    if (!r->done[block]) atomic_store(&r->failed, true);
    sustain_context_destroy(context);
}

/* Reads failed blocks again in order, with the caller's context: so the error is about the first
 * bad picture, whatever the order of the threads. */
static sustain_status read_all(reading *r) {
    sustain_context *context = r->set->context;
    const int64_t blocks = (r->set->count + BLOCK - 1) / BLOCK;
    uint64_t all = context->fingerprint;
    SUSTAIN_TRY(sustain__parallel_until(context, blocks, read_task, r));
    for (int64_t b = 0; b < blocks; b++)
        if (!r->done[b]) SUSTAIN_TRY(read_block(context, r, b));
    for (int64_t b = 0; b < blocks; b++) all = all * FACTOR + r->fingerprint[b];
    context->fingerprint = all;
    return SUSTAIN_OK;
}

/* Counts the pictures of each class: first (classes + 1), place (count). */
static void sort(const sustain__picture_list *list, int64_t *first, int64_t *place) {
    for (int64_t i = 0; i < list->count; i++) place[i] = first[list->items[i].class_number + 1]++;
    for (int64_t c = 0; c < list->classes; c++) first[c + 1] += first[c];
    for (int64_t i = 0; i < list->count; i++) place[i] += first[list->items[i].class_number];
}

static sustain_status read_list(const sustain__picture_list *list, sustain_pictures *set) {
    int64_t *place;
    bool *done = NULL;
    uint64_t *fingerprint = NULL;
    const size_t blocks = (size_t)list->count / BLOCK + 1;
    SUSTAIN_TRY(sustain__allocate(set->context, sustain__multiply((size_t)list->count, sizeof *place), &place));
    sort(list, set->memory->first, place);
    sustain_status status = sustain__allocate(set->context, blocks, &done);
    if (status == SUSTAIN_OK) status = sustain__allocate(set->context, blocks * sizeof *fingerprint, &fingerprint);
    reading r = {.list = list, .set = set, .place = place, .done = done, .fingerprint = fingerprint};
    if (status == SUSTAIN_OK) status = read_all(&r);
    sustain__free(set->context, place);
    sustain__free(set->context, done);
    sustain__free(set->context, fingerprint);
    return status;
}

sustain_status sustain__pictures_make(const sustain__picture_request *request, const sustain__picture_list *list, sustain_pictures **out) {
    const sustain_pictures shape = {.count = list->count,
                                    .channels = request->channels,
                                    .height = request->height,
                                    .width = request->width,
                                    .classes = list->classes,
                                    .context = request->context};
    sustain_pictures *set;
    if (list->classes == 0) return sustain__fail(request->context, SUSTAIN_FORMAT, "%s: it has no classes", request->source);
    SUSTAIN_TRY(create(&shape, (const char *const *)list->names, request->source, &set));
    const sustain_status status = read_list(list, set);
    if (status == SUSTAIN_OK)
        *out = set;
    else
        sustain_pictures_destroy(set);
    return status;
}

/* ---- rotation ---- */

enum { TURNS = 4 };

/* to (height, width) <- from, rotated counter-clockwise by `turns` quarter turns; squares only. */
static void turn(const uint8_t *from, int64_t side, int turns, uint8_t *to) {
    for (int64_t r = 0; r < side; r++)
        for (int64_t c = 0; c < side; c++) {
            const int64_t last = side - 1;
            const int64_t row[TURNS] = {r, c, last - r, last - c}, column[TURNS] = {c, last - r, last - c, r};
            to[r * side + c] = from[row[turns] * side + column[turns]];
        }
}

/* Class 4 c + turns of the result is class c, rotated. */
static void fill_turned(const sustain_pictures *set, sustain_pictures *to) {
    int64_t *first = to->memory->first;
    for (int64_t c = 0; c < to->classes; c++) {
        const int64_t from = set->first[c / TURNS], count = set->first[c / TURNS + 1] - from;
        first[c + 1] = first[c] + count;
        for (int64_t i = 0; i < count * set->channels; i++) {
            const size_t plane = (size_t)(set->height * set->width);
            turn(set->pixels + (size_t)(from * set->channels + i) * plane, set->height, (int)(c % TURNS),
                 to->memory->pixels + (size_t)(first[c] * set->channels + i) * plane);
        }
    }
}

static sustain_status turned_names(const sustain_pictures *set, sustain__picture_list *names) {
    for (int64_t c = 0; c < set->classes; c++)
        for (int turns = 0; turns < TURNS; turns++) {
            static const char *const how[TURNS] = {"", " turned by 90", " turned by 180", " turned by 270"};
            char name[512];
            snprintf(name, sizeof name, "%s%s", set->class_names[c], how[turns]);
            SUSTAIN_TRY(sustain__list_class(names, name));
        }
    return SUSTAIN_OK;
}

sustain_status sustain__pictures_turn(const sustain_pictures *set, sustain_pictures **out) {
    sustain__picture_list names = {.context = set->context};
    sustain_pictures shape = *set;
    shape.count *= TURNS;
    shape.classes *= TURNS;
    sustain_status status = turned_names(set, &names);
    if (status == SUSTAIN_OK) status = create(&shape, (const char *const *)names.names, set->source, out);
    if (status == SUSTAIN_OK) fill_turned(set, *out);
    sustain__list_free(&names);
    return status;
}

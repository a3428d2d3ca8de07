/* labels.c - see labels.h. A hash table numbers distinct spellings in order of appearance;
 * classes are derived from them at the end. */
#include "data/labels.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/date.h"
#include "data/marked.h"
#include "data/number.h"
#include "data/totals.h"

enum { MOST_CLASSES = 1 << 16 };

/* A distinct spelling of a label. */
typedef struct spelling {
    const char *text; /* borrowed; NULL where the file has numbers */
    size_t length;
    double value; /* NAN: text */
} spelling;

struct sustain__labels {
    sustain_context *context;
    int64_t count, capacity;
    int32_t *which;  /* (capacity) the spelling of each label; -1: it is missing, or there are too many */
    float *target;   /* (capacity) its value */
    int32_t *slot;   /* (slots) hash table of spellings: index + 1; 0: empty */
    size_t slots;    /* more than twice the maximal number of spellings */
    spelling *known; /* (most) */
    int32_t known_count, most;
    bool too_many; /* more spellings than the maximal number of classes */
    bool text;     /* one of them is not a number */
};

void sustain__labels_destroy(sustain__labels *labels) {
    if (labels == NULL) return;
    void *const owned[] = {labels->which, labels->target, labels->slot, labels->known};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) sustain__free(labels->context, owned[i]);
    sustain__free(labels->context, labels);
}

static sustain_status allocate_all(sustain__labels *l) {
    SUSTAIN_TRY(sustain__allocate(l->context, sustain__multiply((size_t)l->capacity, sizeof *l->which), &l->which));
    SUSTAIN_TRY(sustain__allocate(l->context, sustain__multiply((size_t)l->capacity, sizeof *l->target), &l->target));
    SUSTAIN_TRY(sustain__allocate(l->context, l->slots * sizeof *l->slot, &l->slot));
    return sustain__allocate(l->context, (size_t)l->most * sizeof *l->known, &l->known);
}

sustain_status sustain__labels_create(sustain_context *context, int64_t capacity, sustain__labels **out) {
    *out = NULL;
    sustain__labels *labels;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *labels, &labels));
    labels->context = context;
    labels->capacity = capacity;
    labels->most = capacity < MOST_CLASSES ? (int32_t)capacity : MOST_CLASSES;
    labels->slots = 3 * (size_t)labels->most + 1;
    const sustain_status status = allocate_all(labels);
    if (status == SUSTAIN_OK)
        *out = labels;
    else
        sustain__labels_destroy(labels);
    return status;
}

/* ---- adding ---- */

static uint64_t hash(const void *bytes, size_t length) { /* FNV-1a */
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < length; i++) h = (h ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return h ^ (h >> 32);
}

static bool same(const spelling *a, const spelling *b) {
    if (a->text == NULL || b->text == NULL) return a->value == b->value; /* all are numbers, or none is */
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* The index of a spelling, added if new; -1 if there are too many. */
static int32_t number_of(sustain__labels *l, const spelling *s, uint64_t h) {
    for (size_t at = (size_t)(h % l->slots);; at = (at + 1) % l->slots) {
        if (l->slot[at] != 0 && same(&l->known[l->slot[at] - 1], s)) return l->slot[at] - 1;
        if (l->slot[at] != 0) continue;
        if (l->known_count == l->most) return -1;
        l->known[l->known_count] = *s;
        if (s->text != NULL && !sustain__number_is(s->text, s->text + s->length, &l->known[l->known_count].value)) {
            l->known[l->known_count].value = NAN;
            l->text = true;
        }
        l->slot[at] = ++l->known_count;
        return l->slot[at] - 1;
    }
}

/* With too many spellings, only the numeric values are kept. */
static sustain_status add(sustain__labels *l, const spelling *s, uint64_t h) {
    const int32_t number = l->too_many ? -1 : number_of(l, s, h);
    double value = number >= 0 ? l->known[number].value : s->value;
    if (number < 0) {
        l->too_many = true;
        if (s->text != NULL && !sustain__number_is(s->text, s->text + s->length, &value)) l->text = true;
    }
    if (!isnan(value) && !(fabs(value) <= (double)FLT_MAX))
        return sustain__fail(l->context, SUSTAIN_FORMAT, "the label is too large a number");
    l->which[l->count] = number;
    l->target[l->count++] = sustain__target(value);
    return SUSTAIN_OK;
}

sustain_status sustain__labels_add_text(sustain__labels *labels, const char *text, size_t length) {
    if (length == 0) return sustain__fail(labels->context, SUSTAIN_FORMAT, "the label is missing");
    if (sustain__number_is_not_finite(text, text + length))
        return sustain__fail(labels->context, SUSTAIN_FORMAT, "the label is '%.*s'", (int)length, text);
    const spelling s = {text, length, NAN};
    return add(labels, &s, hash(text, length));
}

sustain_status sustain__labels_add_number(sustain__labels *labels, double number) {
    if (!isfinite(number)) return sustain__fail(labels->context, SUSTAIN_FORMAT, "the label is %s", isnan(number) ? "NaN" : "infinite");
    const spelling s = {NULL, 0, number + 0.0}; /* -0 has the hash of 0 */
    return add(labels, &s, hash(&s.value, sizeof s.value));
}

void sustain__labels_add_none(sustain__labels *labels) {
    labels->which[labels->count] = -1;
    labels->target[labels->count++] = NAN;
}

/* ---- classes ---- */

static int by_value(const void *a, const void *b) {
    const spelling *p = *(const spelling *const *)a, *q = *(const spelling *const *)b;
    if (p->value != q->value) return p->value < q->value ? -1 : 1;
    return p < q ? -1 : p > q; /* the spelling that came first names the class */
}

static int by_text(const void *a, const void *b) {
    const spelling *p = *(const spelling *const *)a, *q = *(const spelling *const *)b;
    const int order = memcmp(p->text, q->text, p->length < q->length ? p->length : q->length);
    return order != 0 ? order : p->length < q->length ? -1 : p->length > q->length;
}

static bool all_whole(const sustain__labels *l) {
    for (int32_t i = 0; i < l->known_count; i++)
        if (l->known[i].value != floor(l->known[i].value)) return false;
    return true;
}

/* order: (known_count) the spellings, sorted; class_of: (known_count) the class of each. Returns
 * the number of classes; the spelling that names class c is moved to order[c]. */
static int32_t number_classes(const sustain__labels *l, const spelling **order, int32_t *class_of) {
    int32_t classes = 0;
    for (int32_t i = 0; i < l->known_count; i++) order[i] = &l->known[i];
    qsort(order, (size_t)l->known_count, sizeof(spelling *), l->text ? by_text : by_value);
    for (int32_t i = 0; i < l->known_count; i++) {
        const spelling *s = order[i];
        if (classes == 0 || l->text || order[classes - 1]->value != s->value) order[classes++] = s;
        class_of[s - l->known] = classes - 1;
    }
    return classes;
}

/* The names of the classes; binary numbers are written as short as possible. */
static sustain_status store_names(const sustain__labels *l, const spelling *const *order, int32_t classes, sustain_dataset *set) {
    enum { LONGEST = 32 };
    char *written;
    const char **names;
    size_t *length = NULL;
    SUSTAIN_TRY(sustain__allocate(l->context, (size_t)classes * (LONGEST + sizeof *names + sizeof *length), &names));
    length = (size_t *)(names + classes);
    written = (char *)(length + classes);
    for (int32_t c = 0; c < classes; c++) {
        names[c] = order[c]->text;
        length[c] = order[c]->length;
        if (names[c] != NULL) continue;
        names[c] = written + (size_t)c * LONGEST;
        length[c] = (size_t)snprintf(written + (size_t)c * LONGEST, LONGEST, "%.17g", order[c]->value);
    }
    const sustain_status status = sustain__copy_names(l->context, names, length, classes, &set->memory->class_names);
    sustain__free(l->context, names);
    return status;
}

static sustain_status store_classes(const sustain__labels *l, const spelling **order, int32_t *class_of, sustain_dataset *set) {
    struct sustain_dataset_memory *m = set->memory;
    set->classes = number_classes(l, order, class_of);
    SUSTAIN_TRY(sustain__allocate(l->context, sustain__multiply((size_t)l->count, sizeof *m->labels), &m->labels));
    for (int64_t i = 0; i < l->count; i++) m->labels[i] = l->which[i] >= 0 ? class_of[l->which[i]] : -1;
    return store_names(l, order, (int32_t)set->classes, set);
}

static sustain__field_text text_of(const spelling *s) {
    return (sustain__field_text){s->text, s->text + s->length};
}

/* Whether all labels are numbers in one notation, "1,234.50" or "$5" (marked.h). */
static bool find_notation(const sustain__labels *l, sustain__notation *out) {
    for (int k = 0; k < 2 && l->known[0].text != NULL; k++) {
        double value;
        bool all = sustain__notation_of(text_of(&l->known[0]), ".,"[k], out);
        for (int32_t i = 1; i < l->known_count && all; i++) all = sustain__marked_read(text_of(&l->known[i]), out, &value);
        if (all) return true;
    }
    return false;
}

static bool are_dates(const sustain__labels *l) {
    for (sustain__date_order order = SUSTAIN__DAY_FIRST; order <= SUSTAIN__MONTH_FIRST; order++) {
        sustain__date date;
        int32_t i = 0;
        while (l->text && i < l->known_count && sustain__date_read(text_of(&l->known[i]), order, &date)) i++;
        if (l->text && i == l->known_count) return true;
    }
    return false;
}

/* Numbers with marks are targets, and classes by their text. */
static sustain_status store_marked(const sustain__labels *l, const sustain__notation *notation, const char *source, float **targets) {
    SUSTAIN_TRY(sustain__allocate(l->context, sustain__multiply((size_t)l->count, sizeof **targets), targets));
    for (int64_t i = 0; i < l->count; i++) {
        double value = 0;
        if (l->which[i] < 0) {
            (*targets)[i] = NAN;
            continue;
        }
        const spelling *label = &l->known[l->which[i]];
        sustain__marked_read(text_of(label), notation, &value);
        if (fabs(value) > (double)FLT_MAX)
            return sustain__fail(l->context, SUSTAIN_FORMAT, "%s: the label '%.*s' is too large a number", source, (int)label->length,
                                 label->text);
        (*targets)[i] = sustain__target(value);
    }
    return SUSTAIN_OK;
}

static sustain_status store_all(const sustain__labels *l, sustain_dataset *set) {
    struct sustain_dataset_memory *m = set->memory;
    sustain__notation notation;
    if (l->text && find_notation(l, &notation)) SUSTAIN_TRY(store_marked(l, &notation, m->label_source, &m->targets));
    if (!l->text) {
        SUSTAIN_TRY(sustain__allocate(l->context, sustain__multiply((size_t)l->count, sizeof *m->targets), &m->targets));
        memcpy(m->targets, l->target, (size_t)l->count * sizeof *m->targets);
        if (l->too_many || !all_whole(l)) return SUSTAIN_OK;
    }
    const spelling **order;
    const size_t n = (size_t)l->known_count;
    SUSTAIN_TRY(sustain__allocate(l->context, n * (sizeof(spelling *) + sizeof(int32_t)), &order));
    const sustain_status status = store_classes(l, order, (int32_t *)(order + n), set);
    sustain__free(l->context, order);
    return status;
}

/* Says that "1.250" beside "999" is read as 1.25: points may be meant between thousands. */
static void say_points(const sustain__labels *l, const char *source) {
    const spelling *either = NULL;
    bool whole = false;
    for (int32_t i = 0; i < l->known_count; i++) {
        if (l->text || l->known[i].text == NULL) return;
        const sustain__point point = sustain__point_of(text_of(&l->known[i]));
        if (point == SUSTAIN__DECIMALS) return;
        if (point == SUSTAIN__EITHER && either == NULL) either = &l->known[i];
        whole = whole || point == SUSTAIN__NO_POINT;
    }
    if (either == NULL || !whole) return;
    sustain__log(l->context,
                 "%s: the label %.*s is read as with a point before decimals, beside numbers without one; if points are between thousands, "
                 "leave them out",
                 source, (int)either->length, either->text);
}

static void say_total(const sustain__labels *l, const char *source, const float *targets) {
    if (targets == NULL || !sustain__ends_with_total(targets, 1, l->count)) return;
    sustain__log(l->context, "%s: the last label, %.9g, is the sum of the others; if its row has totals, remove it", source,
                 (double)targets[l->count - 1]);
}

sustain_status sustain__labels_store(const sustain__labels *l, const char *source, sustain_dataset *set) {
    if (l->text && l->too_many)
        return sustain__fail(l->context, SUSTAIN_FORMAT,
                             "%s: it has more than %d different labels that are not numbers: is this the label column?", source,
                             MOST_CLASSES);
    if (l->known_count == 0)
        return sustain__fail(l->context, SUSTAIN_FORMAT, "%s: all labels are missing: is this the label column?", source);
    say_points(l, source);
    SUSTAIN_TRY(sustain__copy_text(l->context, source, &set->memory->label_source));
    SUSTAIN_TRY(store_all(l, set));
    say_total(l, source, set->memory->targets);
    set->rows.count = l->count;
    set->label_values = l->known_count + l->too_many;
    set->date_labels = are_dates(l);
    sustain__dataset_publish(set);
    return SUSTAIN_OK;
}

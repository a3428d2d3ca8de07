/* npz.c - NPZ: a zip file whose members are NPY files, stored or deflated (np.savez,
 * np.savez_compressed).
 *
 * The directory of a zip file is at its end. If there are two arrays, the one with one axis is
 * the labels, the other the features. With more arrays, the caller names one: "file.npz:array". */
#include "data/npz.h"

#include <string.h>

#include "data/unpack.h"

enum { END_SIZE = 22, ENTRY_SIZE = 46, LOCAL_SIZE = 30, MOST_MEMBERS = 4096, HEAD = 4096 };
enum { STORED = 0, DEFLATED = 8 }; /* methods */

bool sustain__is_npz(const unsigned char *bytes, size_t length) {
    return length >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

/* ---- the directory ---- */

typedef sustain__member member;

static uint64_t number(const unsigned char *bytes, int size) {
    uint64_t n = 0;
    for (int i = 0; i < size; i++) n |= (uint64_t)bytes[i] << (8 * i);
    return n;
}

/* Finds the end-of-directory record, from the end of the file, since a comment may follow it.
 * NULL: none. */
static const unsigned char *find_end(const unsigned char *bytes, size_t length) {
    if (length < END_SIZE) return NULL;
    const size_t last = length - END_SIZE, first = last > 65535 ? last - 65535 : 0;
    for (size_t at = last + 1; at-- > first;)
        if (memcmp(bytes + at, "PK\5\6", 4) == 0) return bytes + at;
    return NULL;
}

/* Numbers that need more than 32 bits are in an extra field, in this order. */
static bool read_large(const unsigned char *extra, size_t length, member *m) {
    while (length >= 4) {
        const size_t size = (size_t)number(extra + 2, 2);
        if (size > length - 4) return false;
        if (number(extra, 2) == 1) {
            uint64_t *const wide[] = {&m->size, &m->packed, &m->local};
            size_t at = 0;
            for (int i = 0; i < 3; i++) {
                if (*wide[i] != UINT32_MAX) continue;
                if (at + 8 > size) return false;
                *wide[i] = number(extra + 4 + at, 8);
                at += 8;
            }
            return true;
        }
        extra += 4 + size, length -= 4 + size;
    }
    return true;
}

/* Reads the directory entry at *at and advances. False: damaged. */
static bool read_entry(const unsigned char *bytes, size_t length, size_t *at, member *out) {
    if (*at > length || length - *at < ENTRY_SIZE || memcmp(bytes + *at, "PK\1\2", 4) != 0) return false;
    const unsigned char *entry = bytes + *at;
    const size_t name = (size_t)number(entry + 28, 2), extra = (size_t)number(entry + 30, 2), comment = (size_t)number(entry + 32, 2);
    if (name + extra + comment > length - *at - ENTRY_SIZE) return false;
    *out = (member){.method = (unsigned)number(entry + 10, 2),
                    .crc = (uint32_t)number(entry + 16, 4),
                    .packed = number(entry + 20, 4),
                    .size = number(entry + 24, 4),
                    .local = number(entry + 42, 4)};
    const size_t kept = name < sizeof out->name ? name : sizeof out->name - 1;
    memcpy(out->name, entry + ENTRY_SIZE, kept);
    if (kept > 4 && strcmp(out->name + kept - 4, ".npy") == 0) out->name[kept - 4] = '\0';
    *at += ENTRY_SIZE + name + extra + comment;
    return read_large(entry + ENTRY_SIZE + name, extra, out);
}

/* ---- members ---- */

static sustain_status damaged(const sustain__input *input, const member *m) {
    return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: its member '%s' is damaged or cut off", input->set->source, m->name);
}

/* The bytes of a member as they are in the file: stored or deflated. */
static sustain_status packed_bytes(const sustain__input *input, const member *m, const unsigned char **out) {
    if (m->local > input->length || input->length - m->local < LOCAL_SIZE) return damaged(input, m);
    const unsigned char *local = input->bytes + m->local;
    const uint64_t skip = LOCAL_SIZE + number(local + 26, 2) + number(local + 28, 2), left = input->length - m->local;
    if (memcmp(local, "PK\3\4", 4) != 0 || skip > left || m->packed > left - skip) return damaged(input, m);
    if (m->method != STORED && m->method != DEFLATED)
        return sustain__fail(input->context, SUSTAIN_FORMAT,
                             "%s: its member '%s' uses an unsupported compression: use np.savez or np.savez_compressed", input->set->source,
                             m->name);
    *out = local + skip;
    return SUSTAIN_OK;
}

static sustain_status inflate_member(const sustain__input *input, const member *m, const unsigned char *packed, unsigned char *out,
                                     size_t wanted, size_t *got) {
    const sustain_status status = sustain__inflate(input->context, packed, (size_t)m->packed, out, wanted, got);
    return status == SUSTAIN_FORMAT ? damaged(input, m) : status;
}

/* The first bytes of a member, unpacked, at most HEAD of them. */
static sustain_status read_head(const sustain__input *input, const member *m, unsigned char head[HEAD], size_t *length) {
    const unsigned char *bytes;
    SUSTAIN_TRY(packed_bytes(input, m, &bytes));
    if (m->method == DEFLATED) return inflate_member(input, m, bytes, head, HEAD, length);
    *length = m->packed < HEAD ? (size_t)m->packed : HEAD;
    memcpy(head, bytes, *length);
    return SUSTAIN_OK;
}

sustain_status sustain__npz_bytes(const sustain__input *input, const member *m, const unsigned char **bytes, unsigned char **owned) {
    const unsigned char *packed;
    size_t got;
    SUSTAIN_TRY(packed_bytes(input, m, &packed));
    if (m->method == STORED && m->size != m->packed) return damaged(input, m);
    *bytes = packed;
    if (m->method == DEFLATED) {
        if (m->size / SUSTAIN__DEFLATE_RATIO > m->packed) return damaged(input, m);
        SUSTAIN_TRY(sustain__allocate(input->context, (size_t)m->size, owned));
        SUSTAIN_TRY(inflate_member(input, m, packed, *owned, (size_t)m->size, &got));
        if (got != m->size) return damaged(input, m);
        *bytes = *owned;
    }
    return sustain__crc32(*bytes, (size_t)m->size) == m->crc ? SUSTAIN_OK : damaged(input, m);
}

/* ---- which member is what ---- */

typedef struct selection {
    member features, labels;
    int features_found, labels_found;
    char names[160]; /* of all members, for messages */
} selection;

/* A member with one axis (or a second of length 1) is labels. */
static sustain_status look_at(const sustain__input *input, const member *m, void *user) {
    selection *s = user;
    unsigned char head[HEAD];
    size_t length, begin;
    sustain__array array;
    char place[192];
    const size_t at = strlen(s->names);
    snprintf(s->names + at, sizeof s->names - at, "%s%s", at > 0 ? ", " : "", m->name);
    if (input->member != NULL && strcmp(input->member, m->name) != 0) return SUSTAIN_OK;
    snprintf(place, sizeof place, "%.120s, array '%.60s'", input->set->source, m->name);
    SUSTAIN_TRY(read_head(input, m, head, &length));
    SUSTAIN_TRY(sustain__npy_header(input->context, place, head, length, &array, &begin));
    const bool labels = array.axes == 1 || (array.axes == 2 && array.shape[1] == 1);
    if (labels || input->member != NULL) s->labels = *m, s->labels_found++;
    if (!labels || input->member != NULL) s->features = *m, s->features_found++;
    return SUSTAIN_OK;
}

typedef sustain_status member_action(const sustain__input *input, const member *m, void *user);

/* Calls act for every member. */
static sustain_status for_members(const sustain__input *input, member_action *act, void *user) {
    const unsigned char *end = find_end(input->bytes, input->length);
    const char *source = input->set->source;
    if (end == NULL)
        return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: the directory at its end is missing: cut off, or not a zip file", source);
    const uint64_t count = number(end + 10, 2);
    size_t at = (size_t)number(end + 16, 4);
    if (count > MOST_MEMBERS || at == UINT32_MAX)
        return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: too large for an NPZ file; save its arrays as NPY files", source);
    for (uint64_t i = 0; i < count; i++) {
        member m;
        if (!read_entry(input->bytes, input->length, &at, &m))
            return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: entry %llu of its directory is damaged", source,
                                 (unsigned long long)i + 1);
        SUSTAIN_TRY(act(input, &m, user));
    }
    return SUSTAIN_OK;
}

typedef struct wanted_member {
    const char *name;
    member *out;
    bool found;
} wanted_member;

static sustain_status take_if_wanted(const sustain__input *input, const member *m, void *user) {
    wanted_member *wanted = user;
    (void)input;
    if (strcmp(m->name, wanted->name) != 0) return SUSTAIN_OK;
    *wanted->out = *m;
    wanted->found = true;
    return SUSTAIN_OK;
}

sustain_status sustain__npz_find(const sustain__input *input, const char *name, member *out, bool *found) {
    wanted_member wanted = {name, out, false};
    const sustain_status status = for_members(input, take_if_wanted, &wanted);
    *found = wanted.found;
    return status;
}

/* ---- arrays to a set ---- */

typedef sustain_status (*use)(sustain__input *input, const sustain__array *array);

static sustain_status use_labels(sustain__input *input, const sustain__array *array) {
    return sustain__array_labels(input->context, array, input->options->missing_labels, input->set);
}

static sustain_status use_features(sustain__input *input, const sustain__array *array) {
    return sustain__array_features(array, input->set, input->options->keep_half, &input->in_place);
}

static sustain_status with_member(sustain__input *input, const member *m, use use_it) {
    const unsigned char *bytes = NULL;
    unsigned char *owned = NULL;
    sustain__array array;
    struct sustain_dataset_memory *memory = input->set->memory;
    sustain_status status = sustain__npz_bytes(input, m, &bytes, &owned);
    if (status == SUSTAIN_OK) status = sustain__npy_array(input->context, input->set->source, bytes, (size_t)m->size, &array);
    if (status == SUSTAIN_OK) status = use_it(input, &array);
    /* the rows point into the unpacked bytes, not into the file */
    if (owned != NULL && input->in_place && status == SUSTAIN_OK) {
        memory->file = (sustain__bytes){.data = owned, .length = (size_t)m->size, .owned = owned};
        input->in_place = false;
    } else {
        sustain__free(input->context, owned);
    }
    return status;
}

static sustain_status parse_selected(sustain__input *input, const selection *s) {
    const char *source = input->set->source;
    const bool labels_only = input->want == SUSTAIN__WANT_LABELS;
    const int found = labels_only ? s->labels_found : s->features_found;
    if (found == 0 && input->member != NULL)
        return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: it has no array '%s'; it has: %s", source, input->member, s->names);
    if (found != 1)
        return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: %s of its arrays (%s) could be the %s; name one: %.120s:NAME", source,
                             found == 0 ? "none" : "several", s->names, labels_only ? "labels" : "features", source);
    if (labels_only) return with_member(input, &s->labels, use_labels);
    const bool both = input->member == NULL && s->labels_found == 1;
    if (both) SUSTAIN_TRY(with_member(input, &s->labels, use_labels));
    const int64_t labels = input->set->rows.count;
    SUSTAIN_TRY(with_member(input, &s->features, use_features));
    if (both && labels != input->set->rows.count)
        return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: array '%s' has %lld rows, but '%s' has %lld labels", source,
                             s->features.name, (long long)input->set->rows.count, s->labels.name, (long long)labels);
    return SUSTAIN_OK;
}

/* Recognizes other formats that are zip files. */
static sustain_status refuse_member(const sustain__input *input, const member *m, void *user) {
    (void)user;
    const size_t length = strlen(m->name);
    const char *source = input->set->source;
    if (length >= 8 && strcmp(m->name + length - 8, "data.pkl") == 0)
        return sustain__fail(input->context, SUSTAIN_FORMAT,
                             "%s: it is a PyTorch file; write its tensor as NPY: np.save('x.npy', torch.load('x.pt').cpu().numpy())",
                             source);
    if (strncmp(m->name, "xl/", 3) == 0)
        return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: it is a spreadsheet; save it as CSV", source);
    return SUSTAIN_OK;
}

static sustain_status refuse_foreign(const sustain__input *input) {
    return for_members(input, refuse_member, NULL);
}

sustain_status sustain__parse_npz(sustain__input *input) {
    selection s = {.features_found = 0};
    SUSTAIN_TRY(refuse_foreign(input));
    if (sustain__is_sparse_npz(input)) return sustain__parse_sparse_npz(input);
    SUSTAIN_TRY(for_members(input, look_at, &s));
    return parse_selected(input, &s);
}

/* npz.c - changes the content of one member of a zip file of stored members, and corrects its
 * lengths, its checksum and the directory. */
#include "mutator.h"

#include "data/unpack.h"

enum { LOCAL = 30, ENTRY = 46, END = 22, MOST = 8 };

typedef struct stored {
    size_t at, name, extra, size; /* place of the local header, lengths behind it */
} stored;

/* The members at the beginning of the file, as far as they are stored; returns how many. */
static int members(const uint8_t *data, size_t size, stored *list, size_t *end) {
    size_t at = 0;
    int count = 0;
    while (count < MOST && size - at >= LOCAL && memcmp(data + at, "PK\3\4", 4) == 0 && little(data + at + 8, 2) == 0) {
        const stored m = {at, (size_t)little(data + at + 26, 2), (size_t)little(data + at + 28, 2), (size_t)little(data + at + 18, 4)};
        if (m.name + m.extra + m.size > size - at - LOCAL) break;
        list[count++] = m;
        at += LOCAL + m.name + m.extra + m.size;
    }
    *end = at;
    return count;
}

/* The directory again, behind the members; 0 where it does not fit. */
static size_t write_directory(uint8_t *data, size_t end, size_t max_size, const stored *list, int count) {
    size_t at = end;
    for (int i = 0; i < count; i++) {
        const stored *m = &list[i];
        uint8_t *local = data + m->at, *entry = data + at;
        if (max_size - at < ENTRY + m->name + END) return 0;
        put_little(local + 14, 4, sustain__crc32(local + LOCAL + m->name + m->extra, m->size));
        put_little(local + 18, 4, m->size);
        put_little(local + 22, 4, m->size);
        memset(entry, 0, ENTRY);
        memcpy(entry, "PK\1\2", 4);
        memcpy(entry + 6, local + 4, 24); /* from the version on: the same fields in the same order */
        memcpy(entry + 28, local + 26, 2);
        put_little(entry + 42, 4, m->at);
        memcpy(entry + ENTRY, local + LOCAL, m->name);
        at += ENTRY + m->name;
    }
    if (max_size - at < END) return 0;
    memset(data + at, 0, END);
    memcpy(data + at, "PK\5\6", 4);
    put_little(data + at + 8, 2, (uint64_t)count);
    put_little(data + at + 10, 2, (uint64_t)count);
    put_little(data + at + 12, 4, at - end);
    put_little(data + at + 16, 4, end);
    return at + END;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    stored list[MOST];
    size_t end;
    const int count = members(data, size, list, &end);
    if (count == 0 || seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
    stored *m = &list[seed / 8 % (unsigned)count];
    const size_t directory = (size_t)count * (ENTRY + 64) + END, content = m->at + LOCAL + m->name + m->extra;
    if (max_size <= end + directory) return LLVMFuzzerMutate(data, size, max_size);
    const size_t changed = mutate_part(data, end, max_size - directory, content, m->size);
    for (stored *later = m + 1; later < list + count; later++) later->at = later->at + changed - end;
    m->size = m->size + changed - end;
    const size_t whole = write_directory(data, changed, max_size, list, count);
    return whole > 0 ? whole : changed;
}

/* pages.c - large pages for long vectors.
 *
 * A draw of sparse rows reads a few numbers here and there in vectors of millions. With pages of 4 kB nearly each of them is the first of its page for a while, and the
 * processor looks up where that page is before it can ask for the number; with pages of 2 MB it knows. */
#define _DEFAULT_SOURCE /* madvise */
#include "core/pages.h"

#if defined(__linux__)
#include <stdint.h>
#include <sys/mman.h>
#endif

#if defined(MADV_HUGEPAGE)
enum { SMALL = 1 << 16, LARGE = 1 << 21 }; /* bytes: no page of any kind of machine is larger; a large one, as most have it */

void sustain__pages_large(void *memory, size_t size) {
    if (size < 2 * (size_t)LARGE) return; /* the first large page may begin as late as its size allows */
    const size_t up = (SMALL - (uintptr_t)memory % SMALL) % SMALL;
    (void)madvise((char *)memory + up, (size - up) / SMALL * SMALL, MADV_HUGEPAGE); /* a wish: without, all is as it was */
}
#else
void sustain__pages_large(void *memory, size_t size) {
    (void)memory;
    (void)size;
}
#endif

/* pages.c - large pages for long vectors.
 *
 * A draw of sparse rows reads single numbers all over vectors of millions. With pages of 4 kB
 * nearly every read misses the TLB and waits for the page tables; with pages of 2 MB few do. */
#define _DEFAULT_SOURCE /* madvise */
#include "core/pages.h"

#if defined(__linux__)
#include <stdint.h>
#include <sys/mman.h>
#endif

#if defined(MADV_HUGEPAGE)
/* bytes: no page of any kind of machine is larger; a large one, as most have it */
enum { SMALL = 1 << 16, LARGE = 1 << 21 };

void sustain__pages_large(void *memory, size_t size) {
    if (size < 2 * (size_t)LARGE) return; /* the first large page may begin as late as its size allows */
    const size_t up = (SMALL - (uintptr_t)memory % SMALL) % SMALL;
    /* only a hint: without large pages the results are the same */
    (void)madvise((char *)memory + up, (size - up) / SMALL * SMALL, MADV_HUGEPAGE);
}
#else
void sustain__pages_large(void *memory, size_t size) {
    (void)memory;
    (void)size;
}
#endif

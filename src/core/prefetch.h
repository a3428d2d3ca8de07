/* prefetch.h - prefetching of cache lines. */
#ifndef SUSTAIN_CORE_PREFETCH_H
#define SUSTAIN_CORE_PREFETCH_H

/* Compilers may drop calls of a function that only prefetches, because it has no visible effect:
 * such a function must be inlined. */
#if defined(__GNUC__)
#define SUSTAIN__PREFETCHING static inline __attribute__((always_inline)) void
/* to the second level of the cache */
#define SUSTAIN__PREFETCH(pointer) __builtin_prefetch(pointer, 0, 2)
#else
#define SUSTAIN__PREFETCHING static inline void
#define SUSTAIN__PREFETCH(pointer) ((void)(pointer))
#endif

enum { SUSTAIN__LINE = 64 }; /* bytes of a cache line */

#endif

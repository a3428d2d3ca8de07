/* prefetch.h - the lines that memory comes in, and asking for them before they are needed. */
#ifndef SUSTAIN_CORE_PREFETCH_H
#define SUSTAIN_CORE_PREFETCH_H

/* A function that does nothing but prefetch is thought to have no effect, and its calls are left out: such a one must be inlined. */
#if defined(__GNUC__)
#define SUSTAIN__PREFETCHING static inline __attribute__((always_inline)) void
#define SUSTAIN__PREFETCH(pointer) __builtin_prefetch(pointer, 0, 2) /* to the second level of the cache */
#else
#define SUSTAIN__PREFETCHING static inline void
#define SUSTAIN__PREFETCH(pointer) ((void)(pointer))
#endif

enum { SUSTAIN__LINE = 64 }; /* bytes that memory comes in */

#endif

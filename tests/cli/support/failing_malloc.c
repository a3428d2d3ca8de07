/* failing_malloc.c - preloaded: the allocation number FAIL_AT fails, counted from 1 on when main()
 * begins. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

static long left; /* allocations up to the one that fails; 0: none fails */

static int fails(void) {
    return left > 0 && --left == 0;
}

/* What libraries allocate before main() is not counted. */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader)(void), void *stack) {
    int (*next)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    left = strtol(getenv("FAIL_AT"), NULL, 10);
    return next(main, argc, argv, init, fini, loader, stack);
}

void *malloc(size_t size) {
    static void *(*next)(size_t);
    if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "malloc");
    return fails() ? NULL : next(size);
}

void *realloc(void *pointer, size_t size) {
    static void *(*next)(void *, size_t);
    if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "realloc");
    return fails() ? NULL : next(pointer, size);
}

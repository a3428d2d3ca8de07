/* pages.h - the pages that memory is mapped by. */
#ifndef SUSTAIN_CORE_PAGES_H
#define SUSTAIN_CORE_PAGES_H

#include <stddef.h>

/* Asks for large pages under these bytes; not for few, and nothing happens where there is no such thing. Best before they are first written. */
void sustain__pages_large(void *memory, size_t size);

#endif

/* pages.h - large memory pages. */
#ifndef SUSTAIN_CORE_PAGES_H
#define SUSTAIN_CORE_PAGES_H

#include <stddef.h>

/* Requests large pages for these bytes. Does nothing for small blocks and on systems without large
 * pages. Call it before the first write. */
void sustain__pages_large(void *memory, size_t size);

#endif

/* pack_text.h - long text (CSV, LIBSVM) into a packed file, a piece at a time: only one piece of it
 * is in memory as numbers. */
#ifndef SUSTAIN_DATA_PACK_TEXT_H
#define SUSTAIN_DATA_PACK_TEXT_H

#include <sustain/pack.h>

#include "data/formats.h"

/* Before much of a text is read: refuses it if a piece of it, and what is kept of all its rows up
 * to the end, would not fit into the memory allowed, as its first lines tell. A sample that cannot
 * be read is refused when all is read. */
sustain_status sustain__pack_text_memory(const sustain__input *whole);

enum { SUSTAIN__PIECE = 32 << 20 }; /* bytes; a longer text is packed in pieces */

/* Adds the rows of pieces of this many bytes, up to the end of a line. Those after the first are
 * encoded as it is. */
sustain_status sustain__pack_text(sustain_pack *p, const sustain__input *whole, size_t piece);

#endif

/* model_rows.h - rows as a model takes them: their features, then those of its knots and waves, in
 * blocks, so that memory does not grow with the rows. */
#ifndef SUSTAIN_CLI_MODEL_ROWS_H
#define SUSTAIN_CLI_MODEL_ROWS_H

#include <sustain/learn.h>

/* Uses a block, whose first row is row `first` of all. Returns an exit code; any but EXIT_DONE ends
 * the visit. */
typedef int (*block_user)(void *user, const sustain_rows *block, int64_t first);

/* How many features knots and waves add; NULL: none. */
int64_t model_rows_more(const sustain_splines *splines, const sustain_fourier *fourier);

/* Calls `use` for all rows in turn; without knots and waves once, with the rows as they are. */
int model_rows_visit(sustain_context *context, const sustain_splines *splines, const sustain_fourier *fourier, const sustain_rows *rows,
                     block_user use, void *user);

/* The bytes of a block with so many more features. */
double model_rows_bytes(const sustain_rows *rows, int64_t more);

#endif

/* spline_rows.h - rows as a model with splines takes them: their features, then those of the knots,
 * in blocks, so that memory does not grow with the rows. */
#ifndef SUSTAIN_CLI_SPLINE_ROWS_H
#define SUSTAIN_CLI_SPLINE_ROWS_H

#include <sustain/learn.h>

/* Uses a block, whose first row is row `first` of all. Returns an exit code; any but EXIT_DONE ends
 * the visit. */
typedef int (*block_user)(void *user, const sustain_rows *block, int64_t first);

/* Calls `use` for all rows in turn; splines NULL: once, with the rows as they are. */
int spline_rows_visit(sustain_context *context, const sustain_splines *splines, const sustain_rows *rows, block_user use, void *user);

/* The bytes of a block for a model with so many knots. */
double spline_rows_bytes(const sustain_rows *rows, int64_t knots);

#endif

/* selecting.h - for tests of the selection of penalties: the same result however it is run. */
#ifndef SELECTING_H
#define SELECTING_H

#include <sustain/learn.h>

/* Fails unless two results are the same. */
typedef void selecting_same(const sustain_select_result *a, const sustain_select_result *b);

/* Runs a selection with one thread, with several, and cancelled at the n-th question of the hook
 * and run again, n = 3, 3 factor, 3 factor^2, ... up to its end: the first result and each of the
 * others are given to `same`. The context has one thread afterwards. */
void selecting_however_run(sustain_context *context, const sustain_select_options *options, const sustain_rows *rows, int64_t factor,
                           selecting_same *same);

#endif

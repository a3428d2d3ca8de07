/* select_inner.h - a selection inside another, on the same rows and folds with more features. */
#ifndef SUSTAIN_JOBS_SELECT_INNER_H
#define SUSTAIN_JOBS_SELECT_INNER_H

#include "jobs/select_job.h"

/* values <- the features of all rows, with room for `more` behind them; and the labels. */
sustain_status sustain__select_inner_rows(sustain_selection *s, int64_t more, sustain__select_inner *p);
/* Makes the selection. factor (features) is that of penalties, or NULL. */
sustain_status sustain__select_inner_make(sustain_selection *s, sustain__select_kind kind, const double *factor, sustain__select_inner *p);
void sustain__select_inner_free(sustain_context *context, sustain__select_inner *p);

#endif

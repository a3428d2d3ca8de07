/* rows_columns.c - see rows_columns.h. */
#include "problems/rows_columns.h"

/* Where `at` is NULL entries are counted, else put into their places, row after row. */
static void pass(int64_t count, int64_t dim, bool intercept, sustain__row (*row)(const void *user, int64_t i), const void *user,
                 int64_t *number, sustain__columns *to) {
    for (int64_t i = 0; i < count; i++) {
        const sustain__row a = row(user, i);
        for (int64_t e = 0; e < a.count + (intercept ? 1 : 0); e++) {
            const float value = e < a.count ? a.value[e] : 1;
            const int64_t column = e == a.count ? dim : a.column != NULL ? a.column[e] : e;
            if (value == 0) continue;
            const int64_t at = number[column]++;
            if (to == NULL) continue;
            to->row[at] = (int32_t)i;
            to->value[at] = value;
        }
    }
}

sustain_status sustain__columns_create(sustain_context *context, int64_t count, int64_t dim, bool intercept,
                                       sustain__row (*row)(const void *user, int64_t i), const void *user, sustain__columns *out) {
    const int64_t columns = dim + (intercept ? 1 : 0);
    *out = (sustain__columns){0};
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)columns + 2, sizeof *out->start), &out->start));
    pass(count, dim, intercept, row, user, out->start + 2, NULL); /* all are 0 at first */
    for (int64_t j = 0; j < columns; j++) out->start[j + 2] += out->start[j + 1];
    const size_t total = (size_t)out->start[columns + 1];
    sustain_status status = sustain__allocate(context, sustain__multiply(total, sizeof *out->row), &out->row);
    if (status == SUSTAIN_OK) status = sustain__allocate(context, sustain__multiply(total, sizeof *out->value), &out->value);
    if (status == SUSTAIN_OK)
        pass(count, dim, intercept, row, user, out->start + 1, out); /* moves each start to the end of its column */
    else
        sustain__columns_free(context, out);
    return status;
}

void sustain__columns_free(sustain_context *context, sustain__columns *columns) {
    sustain__free(context, columns->start);
    sustain__free(context, columns->row);
    sustain__free(context, columns->value);
    *columns = (sustain__columns){0};
}

/* table_options.c - see table_options.h. */
#include "table_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"

sustain_table_options table_options(const table_values *given) {
    return (sustain_table_options){.text_columns = given->text_column,
                                   .categorical = given->categorical,
                                   .ignore_columns = given->ignore_column,
                                   .id_column = given->id_column,
                                   .show_columns = given->show_columns,
                                   .missing = (sustain_missing)given->missing};
}

int table_refuse_named(const table_values *given) {
    const struct {
        const char *name, *value;
    } lists[] = {{"text-column", given->text_column},
                 {"categorical", given->categorical},
                 {"ignore-column", given->ignore_column},
                 {"id-column", given->id_column},
                 {"show-columns", given->show_columns}};
    for (int i = 0; i < COUNT_OF(lists); i++)
        if (lists[i].value != NULL) return complain(EXIT_USAGE, "--%s goes with --features, not with --dataset", lists[i].name);
    return EXIT_DONE;
}

sustain_read_options table_read_options(const table_values *given, const char *label_column, const sustain_table_options *columns,
                                        const sustain_dataset *training) {
    const sustain_table_encoding *encoding = training != NULL ? training->encoding : NULL;
    return (sustain_read_options){.size = sizeof(sustain_read_options),
                                  .label_column = label_column,
                                  .table = encoding == NULL ? columns : NULL,
                                  .encoding = encoding,
                                  .missing_labels = given->missing_labels != 0};
}

int table_refused(sustain_context *context, const table_values *given, sustain_status status) {
    static const char *const causes[] = {"label is missing", "label is NaN", "is empty; fill it in"};
    for (int i = 0; i < COUNT_OF(causes) && status == SUSTAIN_FORMAT && given->missing_labels == 0; i++)
        if (strstr(sustain_error(context), causes[i]) != NULL)
            return complain(EXIT_USAGE, "%s (--missing-labels drop leaves all such rows out)", sustain_error(context));
    return refused(context, status);
}

static bool is_labelled(const sustain_rows *rows, int64_t i) {
    return rows->labels != NULL ? rows->labels[i] >= 0 : rows->targets == NULL || !isnan(rows->targets[i]);
}

int table_drop_unlabelled(sustain_context *context, const table_values *given, sustain_dataset **set, int64_t **index) {
    const int64_t n = (*set)->rows.count;
    int64_t count = 0, first = -1;
    if (index != NULL) *index = NULL;
    if (given->missing_labels == 0) return EXIT_DONE;
    int64_t *list = malloc((size_t)n * sizeof *list);
    if (list == NULL) return out_of_memory();
    for (int64_t i = 0; i < n; i++) {
        if (is_labelled(&(*set)->rows, i))
            list[count++] = i;
        else if (first < 0)
            first = i;
    }
    int code = EXIT_DONE;
    if (first >= 0) {
        sustain_dataset *rest = NULL;
        note_remark("%s: %lld of its %lld rows %s no label and %s left out; the first is row %lld (from 0)", (*set)->label_source,
                    (long long)(n - count), (long long)n, n - count == 1 ? "has" : "have", n - count == 1 ? "is" : "are", (long long)first);
        code = refused(context, sustain_dataset_subset(*set, list, count, &rest));
        if (code == EXIT_DONE) {
            sustain_dataset_destroy(*set);
            *set = rest;
        }
    }
    if (index != NULL && first >= 0)
        *index = list;
    else
        free(list);
    return code;
}

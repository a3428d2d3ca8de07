/* table_options.c - see table_options.h. */
#include "table_options.h"

#include "output.h"

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

sustain_read_options table_read_options(const char *label_column, const sustain_table_options *columns, const sustain_dataset *training) {
    const sustain_table_encoding *encoding = training != NULL ? training->encoding : NULL;
    return (sustain_read_options){.size = sizeof(sustain_read_options),
                                  .label_column = label_column,
                                  .table = encoding == NULL ? columns : NULL,
                                  .encoding = encoding};
}

/* fuzz_parts.c - any bytes as two or three files that are read as one set: their rows in order, or
 * a sentence why they do not fit together. The first two bytes are the length of the first part,
 * little endian; the second is the rest, the third, if that length is odd, the first again. */
#include "input_folder.h"

static const char *const names[] = {"part-0", "part-1", "part-2"};

static sustain_context *context;
static char pattern[160];

static void end(void) {
    sustain_context_destroy(context);
}

static void start(void) {
    require(sustain_context_create_with(small_allocator, NULL, &context) == SUSTAIN_OK);
    make_folder_of(names, 3);
    snprintf(pattern, sizeof pattern, "%s/part-*", folder);
    atexit(end);
}

/* The rows of all parts, as they are when each is read by itself; -1: one of them is not read. */
static int64_t rows_apart(const sustain_read_options *options, int parts) {
    int64_t rows = 0;
    for (int p = 0; p < parts && rows >= 0; p++) {
        sustain_dataset *set = NULL;
        rows = sustain_dataset_read(context, files[p].path, options, &set) == SUSTAIN_OK ? rows + set->rows.count : -1;
        sustain_dataset_destroy(set);
    }
    return rows;
}

static void read_parts(const sustain_read_options *options, sustain__want want, int parts) {
    sustain_dataset *set = NULL;
    const sustain_status status = want == SUSTAIN__WANT_ALL ? sustain_dataset_read(context, pattern, options, &set)
                                                            : sustain_dataset_read_labels(context, pattern, options, &set);
    require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_IO || status == SUSTAIN_MEMORY);
    require((status == SUSTAIN_OK) == (set != NULL));
    if (status == SUSTAIN_FORMAT) require(sustain_error(context)[0] != '\0');
    if (set == NULL) return;
    check_set(set, want, options->missing_labels);
    /* a table's parts are encoded as the first is, and by themselves may be something else */
    const int64_t apart = want == SUSTAIN__WANT_ALL && set->encoding == NULL ? rows_apart(options, parts) : -1;
    require(apart < 0 || set->rows.count == apart);
    for (int64_t i = 0; i < set->rows.count * set->kept_columns; i++) require(strlen(set->kept[i]) < 1u << 24);
    sustain_dataset_destroy(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const sustain_table_options table = {.text_columns = "text", .id_column = "id", .show_columns = "1"};
    static const sustain_read_options plain = {.label_column = NULL},
                                      named = {.label_column = "y", .trusted_column = "t", .missing_labels = true, .keep_half = true},
                                      columns = {.label_column = "y", .table = &table};
    if (context == NULL) start();
    if (size < 2) return 0;
    const size_t stated = data[0] | (size_t)data[1] << 8, first = stated < size - 2 ? stated : size - 2;
    const int parts = stated % 2 != 0 ? 3 : 2;
    put_file(0, data + 2, first);
    put_file(1, data + 2 + first, size - 2 - first);
    put_file(2, data + 2, parts == 3 ? first : 0);
    read_parts(&plain, SUSTAIN__WANT_ALL, parts);
    read_parts(&plain, SUSTAIN__WANT_LABELS, parts);
    read_parts(&named, SUSTAIN__WANT_ALL, parts);
    read_parts(&columns, SUSTAIN__WANT_ALL, parts);
    return 0;
}

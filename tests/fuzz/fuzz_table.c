/* fuzz_table.c - any text as a table: fitted, read again with its own encoding, written as JSON and
 * read; any text as an encoding. */
#include <sustain/table.h>

#include "parsing.h"

/* A set that was read as a table, and the same rows through its encoding after a turn as JSON. */
static void check_again(sustain_context *context, const sustain_dataset *set, sustain__input input) {
    char *json;
    sustain_table_encoding *e;
    sustain_dataset *again;
    if (sustain_table_encoding_write(set->encoding, &json) != SUSTAIN_OK) return; /* names that are not UTF-8 */
    const sustain_status read = sustain_table_encoding_read(context, "input", json, &e);
    free(json);
    require(read == SUSTAIN_OK);
    /* tables with labels leave out rows of empty fields at the end */
    const sustain_read_options options = {.encoding = e, .label_column = input.options->label_column};
    input.options = &options;
    if (sustain__dataset_create(context, "input", &again) == SUSTAIN_OK) {
        input.set = again;
        if (sustain__parse_csv(&input) == SUSTAIN_OK) {
            check_set(again, SUSTAIN__WANT_ALL, false);
            require(again->rows.count == set->rows.count && again->rows.dim == set->rows.dim);
            const size_t n = set->rows.start != NULL ? (size_t)set->rows.start[set->rows.count] : (size_t)(set->rows.count * set->rows.dim);
            require(memcmp(again->rows.values, set->rows.values, n * sizeof(float)) == 0);
        }
        sustain_dataset_destroy(again);
    }
    sustain_table_encoding_destroy(e);
}

static void parse_table(const uint8_t *data, size_t size, const sustain_table_options *columns, const char *labels) {
    sustain_context *context;
    sustain_dataset *set;
    if (sustain_context_create_with(small_allocator, NULL, &context) != SUSTAIN_OK) return;
    if (sustain__dataset_create(context, "input", &set) == SUSTAIN_OK) {
        const sustain_read_options options = {.label_column = labels, .table = columns};
        sustain__input input = {
            .context = context, .bytes = data, .length = size, .options = &options, .want = SUSTAIN__WANT_ALL, .set = set};
        const sustain_status status = sustain__parse_csv(&input);
        require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_MEMORY);
        if (status == SUSTAIN_FORMAT) require(strncmp(sustain_error(context), "input", 5) == 0);
        if (status == SUSTAIN_OK) {
            check_set(set, SUSTAIN__WANT_ALL, false);
            check_again(context, set, input);
        }
        sustain_dataset_destroy(set);
    }
    sustain_context_destroy(context);
}

static void parse_encoding(const uint8_t *data, size_t size) {
    sustain_context *context;
    sustain_table_encoding *e;
    char *text = malloc(size + 1);
    if (text == NULL || sustain_context_create_with(small_allocator, NULL, &context) != SUSTAIN_OK) {
        free(text);
        return;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (sustain_table_encoding_read(context, "input", text, &e) == SUSTAIN_OK) {
        const sustain_table_features f = sustain_table_encoding_features(e);
        for (int64_t j = 0; j < f.dim; j++) require(f.group[j] >= 0 && f.group[j] < f.groups && f.names[j] != NULL);
    }
    sustain_table_encoding_destroy(e);
    free(text);
    sustain_context_destroy(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const sustain_table_options plain = {.text_columns = NULL}, text = {.text_columns = "text", .show_columns = "1"},
                                       first = {.text_columns = "1", .categorical = "2", .missing = SUSTAIN_MISSING_REFUSE};
    if (size == 0) return 0;
    parse_table(data, size, &plain, NULL);
    parse_table(data, size, &text, "y");
    parse_table(data, size, &first, NULL);
    parse_encoding(data, size);
    return 0;
}

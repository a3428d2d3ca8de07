/* fuzz_pack.c - any bytes as a file that is packed, and any text as one that is packed in pieces:
 * what is written can be read, and text has the rows that it has when it is read as a whole. The
 * first byte of an input is the size of a piece (0: the file is packed as users pack it), and its
 * two highest bits choose the options: one set each, since every packed file has a megabyte of
 * blanks for its header. */
#include <sustain/pack.h>

#include "data/pack_text.h"
#include "input_file.h"

static sustain_context *context;
static char packed[sizeof path + 16];

typedef struct job {
    const sustain_read_options *options;
    const uint8_t *text;
    size_t length, piece;
} job;

static void end(void) {
    remove(packed);
    sustain_context_destroy(context);
}

static sustain_status fill(void *user, sustain_pack *pack) {
    const job *j = user;
    sustain_dataset *set;
    if (j->piece == 0) return sustain_pack_add_file(pack, path, j->options);
    if (sustain__dataset_create(context, "input", &set) != SUSTAIN_OK) return SUSTAIN_MEMORY;
    const sustain__input whole = {.context = context, .bytes = j->text, .length = j->length, .options = j->options, .set = set};
    const sustain_status status = sustain__pack_text(pack, &whole, j->piece);
    sustain_dataset_destroy(set);
    return status;
}

/* The name of the label of a row; NULL: it is a number. */
static const char *label_of(const sustain_dataset *set, int64_t i) {
    return set->rows.labels != NULL ? set->class_names[set->rows.labels[i]] : NULL;
}

static void compare_sparse(const sustain_rows *a, const sustain_rows *b) {
    const int64_t entries = a->start[a->count];
    require(a->dim == b->dim && memcmp(a->start, b->start, (size_t)(a->count + 1) * sizeof *a->start) == 0);
    require(memcmp(a->columns, b->columns, (size_t)entries * sizeof *a->columns) == 0);
    require(memcmp(a->values, b->values, (size_t)entries * sizeof *a->values) == 0);
}

/* Tables apart, whose encoding is fitted to the first piece. */
static void compare(const sustain_dataset *whole, const sustain_dataset *read) {
    const sustain_rows *a = &whole->rows, *b = &read->rows;
    require(a->count == b->count);
    for (int64_t i = 0; i < a->count; i++) {
        const char *p = label_of(whole, i), *q = label_of(read, i);
        if (p != NULL && q != NULL) require(strcmp(p, q) == 0);
        if (a->targets != NULL && b->targets != NULL) require(memcmp(&a->targets[i], &b->targets[i], sizeof *a->targets) == 0);
    }
    if (whole->encoding != NULL || read->encoding != NULL) return;
    require((a->start != NULL) == (b->start != NULL));
    if (a->start != NULL)
        compare_sparse(a, b);
    else
        require(a->dim == b->dim && memcmp(a->values, b->values, (size_t)(a->count * a->dim) * sizeof *a->values) == 0);
}

static void pack_and_read(job j) {
    int64_t rows = -1;
    sustain_dataset *read = NULL, *whole = NULL;
    const sustain_status status = sustain_pack_write(context, packed, fill, &j, &rows);
    require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_MEMORY || status == SUSTAIN_MEMORY_LIMIT);
    if (status == SUSTAIN_FORMAT) require(sustain_error(context)[0] != '\0');
    if (status != SUSTAIN_OK) return;
    const sustain_status again = sustain_dataset_read(context, packed, NULL, &read);
    require(again == SUSTAIN_OK || again == SUSTAIN_MEMORY);
    if (read != NULL) {
        check_set(read, SUSTAIN__WANT_ALL, false);
        require(read->rows.count == rows);
        const bool text = j.piece > 0 && sustain_dataset_read(context, path, j.options, &whole) == SUSTAIN_OK;
        if (text) compare(whole, read);
    }
    sustain_dataset_destroy(whole);
    sustain_dataset_destroy(read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const sustain_table_options columns = {.text_columns = "text", .show_columns = "1"};
    static const sustain_read_options plain = {.label_column = NULL}, named = {.label_column = "y"},
                                      table = {.label_column = "y", .table = &columns};
    if (size < 2) return 0;
    write_input(data + 1, size - 1);
    if (context == NULL) {
        require(sustain_context_create_with(small_allocator, NULL, &context) == SUSTAIN_OK);
        snprintf(packed, sizeof packed, "%s.safetensors", path);
        atexit(end);
    }
    const bool text = sustain__is_text(data + 1, size - 1);
    const sustain_read_options *const options[] = {&plain, &named, &table, &table};
    const size_t piece = data[0] & 63;
    if (piece == 0 || text) pack_and_read((job){options[data[0] >> 6], data + 1, size - 1, piece});
    return 0;
}

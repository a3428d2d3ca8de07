/* read.c - reads a file of any format: unpacks it, detects the format from the content, parses. */
#include <string.h>

#include "core/sized.h"
#include "data/formats.h"
#include "data/unpack.h"
#include "io/folder.h"

static uint64_t claimed_length(const unsigned char *head, size_t length) {
    const uint64_t npy = sustain__npy_claim(head, length);
    return npy > 0 ? npy : sustain__idx_claim(head, length);
}

const char *sustain__foreign_format(const unsigned char *bytes, size_t length) {
    static const struct {
        const char *begin;
        size_t length;
        const char *text;
    } known[] = {
        {"PAR1", 4, "it is a Parquet file; write it as CSV: pandas.read_parquet('x.parquet').to_csv('x.csv', index=False)"},
        {"ARROW1", 6, "it is an Arrow file; write it as CSV: pandas.read_feather('x.arrow').to_csv('x.csv', index=False)"},
        {"\x89HDF", 4, "it is an HDF5 file; write its array as NPY: np.save('x.npy', h5py.File('x.h5')['name'][:])"},
        {"\x80\x02", 2, "it is a Python pickle; write its array as NPY: np.save('x.npy', np.asarray(pickle.load(open('x.pkl', 'rb'))))"},
        {"\x80\x03", 2, "it is a Python pickle; write its array as NPY: np.save('x.npy', np.asarray(pickle.load(open('x.pkl', 'rb'))))"},
        {"\x80\x04", 2, "it is a Python pickle; write its array as NPY: np.save('x.npy', np.asarray(pickle.load(open('x.pkl', 'rb'))))"},
        {"\x80\x05", 2, "it is a Python pickle; write its array as NPY: np.save('x.npy', np.asarray(pickle.load(open('x.pkl', 'rb'))))"},
        {"\xff\xfe", 2, "it is UTF-16 text; save it as UTF-8 (in a spreadsheet: 'CSV UTF-8')"},
        {"\xfe\xff", 2, "it is UTF-16 text; save it as UTF-8 (in a spreadsheet: 'CSV UTF-8')"},
        {"{\"", 2, "it is JSON; write it as CSV: pandas.read_json('x.jsonl', lines=True).to_csv('x.csv', index=False)"},
        {"[{", 2, "it is JSON; write it as CSV: pandas.read_json('x.json').to_csv('x.csv', index=False)"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (length >= known[i].length && memcmp(bytes, known[i].begin, known[i].length) == 0) return known[i].text;
    return NULL;
}

/* Text has no zeros and no control characters except tab, line and page breaks. */
bool sustain__is_text(const unsigned char *bytes, size_t length) {
    enum { LOOKED_AT = 4096 };
    for (size_t i = 0; i < length && i < LOOKED_AT; i++)
        if (bytes[i] == 0 || (bytes[i] < 32 && strchr("\n\r\t\v\f", bytes[i]) == NULL)) return false;
    return true;
}

/* Whether a name ends with .npy or .npz: then text in it is an error, such as the page of a
 * failed download. */
static bool named_as_array(const char *name) {
    const size_t length = strlen(name);
    return length > 4 && (strcmp(name + length - 4, ".npy") == 0 || strcmp(name + length - 4, ".npz") == 0);
}

/* A text column of a table may contain a word such as 12:30. */
static bool looks_like_libsvm(const sustain__input *input) {
    const sustain_read_options *o = input->options;
    const bool columns = o->encoding != NULL || (o->table != NULL && o->table->text_columns != NULL);
    return !columns && sustain__is_libsvm(input->bytes, input->length);
}

/* Only CSV files have columns that options can refer to. */
static sustain_status check_columns(const sustain__input *input) {
    const sustain_table_options *table = input->options->table;
    if (table == NULL) return SUSTAIN_OK;
    const char *const lists[] = {table->id_column, table->show_columns, table->text_columns, table->categorical, table->ignore_columns};
    const size_t count = input->want == SUSTAIN__WANT_LABELS ? 2 : sizeof lists / sizeof lists[0];
    for (size_t i = 0; i < count; i++)
        if (lists[i] != NULL && strcmp(lists[i], "auto") != 0)
            return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: it is not a CSV file, so it has no column '%.60s'",
                                 input->set->source, lists[i]);
    return SUSTAIN_OK;
}

static sustain_status parse_other(sustain__input *input, sustain_status (*parse)(sustain__input *input)) {
    SUSTAIN_TRY(parse(input)); /* first: a spreadsheet is called one */
    return check_columns(input);
}

sustain_status sustain__parse(sustain__input *input) {
    const unsigned char *bytes = input->bytes;
    const size_t length = input->length;
    const char *source = input->set->source;
    if (length == 0) return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: it is empty", source);
    if (sustain__is_npz(bytes, length)) return parse_other(input, sustain__parse_npz);
    if (input->member != NULL)
        return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: it is not an NPZ file, so it has no array '%.60s'", source,
                             input->member);
    if (sustain__is_npy(bytes, length)) return parse_other(input, sustain__parse_npy);
    if (sustain__is_safetensors(bytes, length)) return parse_other(input, sustain__parse_packed);
    if (sustain__idx_claim(bytes, length) == length) return parse_other(input, sustain__parse_idx);
    if (sustain__is_cifar(bytes, length)) return parse_other(input, sustain__parse_cifar);
    const char *foreign = sustain__foreign_format(bytes, length);
    if (foreign != NULL) return sustain__fail(input->context, SUSTAIN_FORMAT, "%s: %s", source, foreign);
    if (sustain__is_text(bytes, length)) {
        if (named_as_array(source))
            return sustain__fail(input->context, SUSTAIN_FORMAT,
                                 "%s: it holds text, not an array; if it is CSV or LIBSVM text, give it another name", source);
        return looks_like_libsvm(input) ? parse_other(input, sustain__parse_libsvm) : sustain__parse_csv(input);
    }
    if (sustain__is_idx(bytes, length)) return parse_other(input, sustain__parse_idx);
    if (sustain__fits_cifar(bytes, length)) return parse_other(input, sustain__parse_cifar);
    return sustain__fail(input->context, SUSTAIN_FORMAT,
                         "%s: it is neither IDX, NPY, NPZ, CSV, LIBSVM text, CIFAR binary nor a packed data set", source);
}

/* ---- files ---- */

const char *sustain__split_path(const char *path, char *file) {
    const char *colon = strrchr(path, ':');
    strcpy(file, path);
    if (colon == NULL || colon == path || colon[1] == '\0') return NULL;
    FILE *whole = fopen(path, "rb");
    if (whole != NULL) { /* a file whose name has a colon */
        fclose(whole);
        return NULL;
    }
    file[colon - path] = '\0';
    FILE *part = fopen(file, "rb");
    if (part == NULL) {
        strcpy(file, path);
        return NULL;
    }
    fclose(part);
    return colon + 1;
}

sustain_status sustain__read_bytes(sustain_context *context, const char *path, sustain__bytes *out) {
    SUSTAIN_TRY(sustain__bytes_read(context, path, out));
    if (!sustain__is_packed(out->data, out->length)) return SUSTAIN_OK;
    sustain__bytes packed = *out;
    const sustain_status status = sustain__unpack(context, path, packed.data, packed.length, claimed_length, out);
    sustain__bytes_free(context, &packed);
    return status;
}

/* What the caller gave, zeros for what he does not have; NULL is zeros. */
static sustain_status take_options(sustain_context *context, const sustain_read_options *options, sustain_read_options *given,
                                   sustain_table_options *table) {
    if (options == NULL) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__sized_take(context, "the options of the reader", options, SUSTAIN__SIZE_THROUGH(sustain_read_options, encoding),
                                    given, sizeof *given));
    if (given->table == NULL) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__sized_take(context, "the options of the table", given->table,
                                    SUSTAIN__SIZE_THROUGH(sustain_table_options, missing), table, sizeof *table));
    given->table = table;
    return SUSTAIN_OK;
}

static sustain_status read_into(sustain_dataset *set, const char *file, const char *member, const sustain_read_options *options,
                                sustain__want want) {
    sustain_read_options given = {.label_column = NULL};
    sustain_table_options table = {.text_columns = NULL};
    sustain__bytes bytes;
    SUSTAIN_TRY(take_options(set->context, options, &given, &table));
    SUSTAIN_TRY(sustain__read_bytes(set->context, file, &bytes));
    sustain__input input = {.context = set->context,
                            .bytes = bytes.data,
                            .length = bytes.length,
                            .options = &given,
                            .want = want,
                            .member = member,
                            .set = set};
    const sustain_status status = sustain__parse(&input);
    if (status == SUSTAIN_OK && input.in_place)
        set->memory->file = bytes;
    else
        sustain__bytes_free(set->context, &bytes);
    return status;
}

sustain_status sustain__read_one(sustain_context *context, const char *path, const sustain_read_options *options, sustain__want want,
                                 sustain_dataset **out) {
    *out = NULL;
    char *file;
    sustain_dataset *set = NULL;
    SUSTAIN_TRY(sustain__allocate(context, strlen(path) + 1, &file));
    const char *member = sustain__split_path(path, file);
    sustain_status status = sustain__dataset_create(context, path, &set);
    if (status == SUSTAIN_OK) status = read_into(set, file, member, options, want);
    sustain__free(context, file);
    if (status == SUSTAIN_OK)
        *out = set;
    else
        sustain_dataset_destroy(set);
    return status;
}

/* One file, or several. */
static sustain_status read_file(sustain_context *context, const char *path, const sustain_read_options *options, sustain__want want,
                                sustain_dataset **out) {
    sustain__folder files;
    SUSTAIN_TRY(sustain__paths_named(context, path, &files));
    const sustain_status status = files.count == 1 ? sustain__read_one(context, files.names[0], options, want, out)
                                                   : sustain__read_shards(context, path, files.names, files.count, options, want, out);
    sustain__folder_free(context, &files);
    return status;
}

sustain_status sustain_dataset_read(sustain_context *context, const char *path, const sustain_read_options *options,
                                    sustain_dataset **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, path, "path"));
    return read_file(context, path, options, SUSTAIN__WANT_ALL, out);
}

sustain_status sustain_dataset_read_labels(sustain_context *context, const char *path, const sustain_read_options *options,
                                           sustain_dataset **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, path, "path"));
    return read_file(context, path, options, SUSTAIN__WANT_LABELS, out);
}

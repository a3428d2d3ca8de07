/* data_pack.c - `sustain data pack`: any data in one file that is mapped when it is read. */
#include <stdlib.h>

#include "folder_lock.h"
#include "interrupt.h"
#include "kept_inputs.h"
#include "memory_limit.h"
#include "output.h"
#include "picture_files.h"
#include "progress.h"
#include "table_options.h"
#include "verbs.h"

typedef struct pack_values {
    word_list inputs;
    const char *out, *labels, *label_column, *trusted_column;
    table_values table;
    int64_t size, channels;
    double max_memory;
    bool coarse, quiet;
} pack_values;

typedef struct packing {
    sustain_context *context;
    const pack_values *given;
    sustain_read_options options;
    int code; /* of a message that was printed */
} packing;

/* ---- pictures ---- */

static sustain_status add_pictures(packing *p, sustain_pack *pack, const char *folder) {
    const word_list list = {.word = {folder}, .count = 1};
    const sustain_picture shape = {p->given->size, p->given->size, p->given->channels, false};
    uint8_t *pixels = malloc((size_t)(shape.height * shape.width * shape.channels));
    picture_files files = {.count = 0};
    p->code = pixels != NULL ? picture_files_find(&list, &files) : out_of_memory();
    sustain_status status = p->code == EXIT_DONE ? SUSTAIN_OK : SUSTAIN_IO;
    for (int64_t i = 0; i < files.count && status == SUSTAIN_OK; i++) {
        if (i % 64 == 0) progress_show("pack: %lld of %lld pictures", (long long)i, (long long)files.count);
        status = sustain_picture_read(p->context, files.file[i].path, shape.channels, shape.height, shape.width, pixels);
        if (status == SUSTAIN_OK) status = sustain_pack_add_picture(pack, shape, pixels, files.file[i].label);
    }
    picture_files_free(&files);
    free(pixels);
    return status;
}

/* ---- files ---- */

/* Rows with labels from another file. */
static sustain_status add_joined(const packing *p, sustain_pack *pack, const char *path) {
    const sustain_read_options alone = {.size = sizeof alone, .label_column = p->given->label_column, .coarse = p->given->coarse};
    sustain_read_options both = p->options;
    sustain_dataset *set = NULL, *labels = NULL;
    both.label_column = NULL;
    sustain_status status = sustain_dataset_read(p->context, path, &both, &set);
    if (status == SUSTAIN_OK) status = sustain_dataset_read_labels(p->context, p->given->labels, &alone, &labels);
    if (status == SUSTAIN_OK) status = sustain_dataset_join(set, labels);
    if (status == SUSTAIN_OK) status = sustain_pack_add(pack, set);
    sustain_dataset_destroy(labels);
    sustain_dataset_destroy(set);
    return status;
}

static sustain_status fill(void *user, sustain_pack *pack) {
    packing *p = user;
    const word_list *inputs = &p->given->inputs;
    sustain_status status = SUSTAIN_OK;
    for (int i = 0; i < inputs->count && status == SUSTAIN_OK; i++) {
        if (is_folder(inputs->word[i]))
            status = add_pictures(p, pack, inputs->word[i]);
        else if (p->given->labels != NULL)
            status = add_joined(p, pack, inputs->word[i]);
        else
            status = sustain_pack_add_file(pack, inputs->word[i], &p->options);
    }
    return status;
}

static int run(sustain_context *context, const void *values) {
    const pack_values *given = values;
    const sustain_table_options columns = table_options(&given->table);
    packing p = {.context = context, .given = given, .options = table_read_options(&given->table, given->label_column, &columns, NULL)};
    int64_t rows;
    char count[32];
    if (given->out == NULL) return complain(EXIT_USAGE, "the output file is missing: give --out FILE");
    if (inputs_keep(&verb_data_pack, given, given->out) != EXIT_DONE) return EXIT_USAGE;
    p.options.trusted_column = given->trusted_column;
    p.options.coarse = given->coarse;
    if (given->labels != NULL && given->inputs.count > 1)
        return complain(EXIT_USAGE, "--labels goes with one input: give several files as one, with commas between them or as a pattern");
    progress_enable(!given->quiet);
    interrupt_calls(context);
    memory_limit(context, given->max_memory);
    file_sweep(given->out);
    sustain_context_set_log(context, progress_log, NULL);
    const sustain_status status = sustain_pack_write(context, given->out, fill, &p, &rows);
    sustain_context_set_log(context, NULL, NULL);
    progress_clear();
    if (p.code != EXIT_DONE) return p.code;
    if (status != SUSTAIN_OK) return refused(context, status);
    if (!given->quiet) printf("%s: %s rows\n", given->out, grouped_text(rows, count));
    return EXIT_DONE;
}

#define VALUES pack_values

static const option options[] = {
    NEEDED_ROW(
        "IN", inputs, OPTION_OPERANDS,
        "files of rows, of any format that --features takes, one after the other; or folders of pictures, one folder for each class"),
    FILE_ROW("out", out, "the packed file"),
    FILE_ROW("labels", labels, "labels of the rows, from another file; several files as a list or a pattern, in the order of the rows"),
    TEXT_ROW("label-column", label_column, "NAME", "CSV: the column with the labels, by name or by number from 1"),
    TEXT_ROW("trusted-column", trusted_column, "NAME", "CSV: the column that has 1 in trusted rows and 0 in others"),
    TABLE_ROWS(table),
    COUNT_ROW("size", size, "N", 84, 1, 4096, "pictures: height and width to which each is cropped and resized"),
    COUNT_ROW("channels", channels, "N", 3, 1, 3, "pictures: 1 (grey) or 3 (red, green, blue)"),
    SWITCH_ROW("coarse", coarse, "CIFAR-100: the 20 coarse labels instead of the 100 fine ones"),
    MEMORY_ROW(max_memory),
    SWITCH_ROW("quiet", quiet, "print nothing"),
};

static const example examples[] = {
    {"sustain data pack huge.csv --label-column kind --out huge.safetensors", "a table that is larger than memory"},
    {"sustain data pack 'part-*.npy' --labels 'labels-*.npy' --out all.safetensors", "many files in one"},
    {"sustain clean --features all.safetensors --trusted checked.npy --trusted-labels checked-labels.npy", "and its use"},
};

const verb verb_data_pack = {
    .name = "data pack",
    .summary = "write data of any format as one file that is mapped when it is read",
    .about = "Writes rows, labels and marks of trusted rows to one safetensors file, which every command takes as --features. Bytes and "
             "float16 stay as they are, sparse rows stay sparse. Text is read in pieces of 32 MB: the encoding of a table is fitted to the "
             "first piece, and stored. Compressed files are unpacked in memory, one at a time. Columns that are only shown (--id-column, "
             "--show-columns) are not kept.",
    VERB_PARTS(pack_values),
};

/* fuzz_named.c - any bytes as a file of a named set, beside good ones: the sets that need several
 * files are read, or refused with a sentence. The second byte of an input says which file it is:
 * see input_file.h. */
#include "input_folder.h"
#include "picture_set.h"

enum { RECORDS = 12, RECORD = 2 + 3 * 32 * 32, GOOD = RECORDS * RECORD };

static const char *const names[] = {"train.bin",
                                    "test.bin",
                                    "fine_label_names.txt",
                                    "coarse_label_names.txt",
                                    "images_background.npz",
                                    "images_evaluation.npz",
                                    "train-images-idx3-ubyte",
                                    "train-labels-idx1-ubyte",
                                    "t10k-images-idx3-ubyte",
                                    "t10k-labels-idx1-ubyte",
                                    "ijcnn1.trn",
                                    "ijcnn1.tst",
                                    "covtype.data"};
enum { NAMES = sizeof names / sizeof *names };

static sustain_context *context;
static struct {
    uint8_t bytes[GOOD];
    size_t length;
} good[NAMES];

static void make_good(int i, const void *bytes, size_t length) {
    require(length <= GOOD);
    if (bytes != NULL) memcpy(good[i].bytes, bytes, length);
    good[i].length = length;
    put_file(i, good[i].bytes, length);
}

static void start(void) {
    static const uint8_t images[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 7, 0, 255, 9},
                         labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 3, 4};
    static const char libsvm[] = "1 1:0.5 3:2\n-1 2:1\n", table[] = "1,0,3\n4,1,5\n1,2,2\n4,3,1\n9,4,2\n";
    char lines[GOOD];
    int length = 0;
    require(sustain_context_create_with(small_allocator, NULL, &context) == SUSTAIN_OK);
    make_folder_of(names, NAMES);
    for (int r = 0; r < RECORDS; r++) {
        length += sprintf(lines + length, "class %d\n", r);
        for (int i = 0; i < 2; i++) good[i].bytes[r * RECORD] = (uint8_t)r, good[i].bytes[r * RECORD + 1] = (uint8_t)r;
    }
    for (int i = 0; i < 2; i++) make_good(i, NULL, GOOD);
    for (int i = 2; i < 4; i++) make_good(i, lines, (size_t)length);
    for (int i = 4; i < 6; i++) make_good(i, "none", 4);
    for (int i = 6; i < 10; i++) make_good(i, i % 2 == 0 ? images : labels, i % 2 == 0 ? sizeof images : sizeof labels);
    for (int i = 10; i < 12; i++) make_good(i, libsvm, sizeof libsvm - 1);
    make_good(12, table, sizeof table - 1);
}

static void read_pictures(const char *set_name, int first, int last) {
    static const sustain_picture_options small = {.size = sizeof small, .channels = 1, .height = 2, .width = 2};
    for (int split = first; split <= last; split++) {
        sustain_pictures *set = NULL;
        const sustain_status status = sustain_pictures_named(context, set_name, folder, (sustain_split)split, &small, &set);
        check_pictures(context, status, set);
    }
}

static void read_rows(const char *set_name, bool coarse) {
    const sustain_read_options options = {.size = sizeof options, .coarse = coarse};
    for (int part = SUSTAIN_PART_TRAINING; part <= SUSTAIN_PART_TEST; part++) {
        sustain_dataset *set = NULL;
        const sustain_status status = sustain_named_read(context, set_name, folder, (sustain_part)part, &options, &set);
        require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_IO || status == SUSTAIN_MEMORY);
        require((status == SUSTAIN_OK) == (set != NULL));
        if (status == SUSTAIN_FORMAT) require(sustain_error(context)[0] != '\0');
        if (set != NULL && set->rows.count > 0) check_set(set, SUSTAIN__WANT_ALL, false); /* a fifth of few rows is none */
        sustain_dataset_destroy(set);
    }
}

/* The sets that file i is of. */
static void read_sets(int i) {
    if (i < 2) read_pictures("fc100", SUSTAIN_SPLIT_TRAINING, SUSTAIN_SPLIT_ALL);
    if (i < 4) read_rows("cifar-100", i % 2 != 0);
    if (i == 4) read_pictures("omniglot", SUSTAIN_SPLIT_TRAINING, SUSTAIN_SPLIT_VALIDATION);
    if (i == 5) read_pictures("omniglot", SUSTAIN_SPLIT_TEST, SUSTAIN_SPLIT_TEST);
    if (i >= 6 && i < 10) read_rows("fashion-mnist", false);
    if (i == 10 || i == 11) read_rows("ijcnn1", false);
    if (i == 12) read_rows("covtype", false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (context == NULL) start();
    const int i = size >= PREFIX_BYTES ? data[1] % NAMES : 0;
    snprintf(path, sizeof path, "%s", files[i].path);
    write_file_or_changes(&(good_file){.bytes = good[i].bytes, .length = good[i].length}, data, size);
    read_sets(i);
    put_bytes(path, good[i].bytes, good[i].length);
    return 0;
}

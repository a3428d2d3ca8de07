/* named.c - data sets that have a name: a table, and where their files may be. */
#include <string.h>

#include <sustain/parameter.h>

#include "data/dataset.h"

enum { PLACES = 2, FILES = 4, PATH = 4096, GENERATED_TRAINING = 20000, GENERATED_TEST = 5000 };

/* The files of one part. Each list is ways to call the same file, parted by blanks; any may be followed by .gz or .bz2. */
typedef struct part_files {
    const char *features, *labels; /* labels NULL: they are in the same file */
} part_files;

typedef struct named {
    sustain_named_set shown;
    const char *folder[PLACES]; /* under the data folder */
    const char *system;         /* a folder of the system, or NULL */
    part_files part[2];         /* training, test; no features: needs no files */
} named;

#define MNIST_FILES                                                                                             \
    {                                                                                                           \
        {"train-images-idx3-ubyte train-images.idx3-ubyte", "train-labels-idx1-ubyte train-labels.idx1-ubyte"}, \
            {"t10k-images-idx3-ubyte t10k-images.idx3-ubyte", "t10k-labels-idx1-ubyte t10k-labels.idx1-ubyte"}, \
    }
#define MNIST_HOW \
    "the four files train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz, t10k-labels-idx1-ubyte.gz"

static const named sets[] = {
    {.shown = {"fashion-mnist", "70,000 pictures of clothes, 28 x 28, ten classes",
               "install the Debian package dataset-fashion-mnist, or put " MNIST_HOW " into the folder fashion-mnist of the data folder"},
     .folder = {"fashion-mnist", "FashionMNIST/raw"},
     .system = "/usr/share/datasets/fashion-mnist",
     .part = MNIST_FILES},
    {.shown = {"mnist", "70,000 handwritten digits, 28 x 28", "put " MNIST_HOW " of MNIST into the folder mnist of the data folder"},
     .folder = {"mnist", "MNIST/raw"},
     .part = MNIST_FILES},
    {.shown = {"cifar-100", "60,000 photographs, 32 x 32 in colour, a hundred classes",
               "get the binary version of CIFAR-100 (cifar-100-binary.tar.gz, by Alex Krizhevsky) and unpack it in the data folder: "
               "cifar-100-binary/train.bin and test.bin"},
     .folder = {"cifar-100-binary", "cifar-100"},
     .part = {{"train.bin", NULL}, {"test.bin", NULL}}},
    {.shown = {"ijcnn1", "141,691 rows of 22 features, two classes",
               "get ijcnn1.bz2 and ijcnn1.t.bz2 from the data page of LIBSVM and put them into the folder ijcnn1 of the data folder"},
     .folder = {"ijcnn1", "libsvm"},
     .part = {{"ijcnn1.trn ijcnn1", NULL}, {"ijcnn1.tst ijcnn1.t", NULL}}},
    {.shown = {"generated", "20,000 + 5,000 made-up pictures, 28 x 28, ten classes", "nothing to get: it is made on the spot"}},
};

int sustain_named_count(void) {
    return (int)(sizeof sets / sizeof sets[0]);
}

const sustain_named_set *sustain_named_at(int i) {
    return &sets[i].shown;
}

static const named *find_named(const char *name) {
    for (int i = 0; i < sustain_named_count(); i++)
        if (strcmp(sets[i].shown.name, name) == 0) return &sets[i];
    return NULL;
}

/* ---- files ---- */

/* Whether this is a file that can be read; a folder can be opened, but not read. */
static bool can_read(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    fgetc(file);
    const bool good = ferror(file) == 0;
    fclose(file);
    return good;
}

/* Looks for a file in a folder under each of its names; writes its path. */
static bool find_file(const char *folder, const char *names, char path[PATH]) {
    static const char *const endings[] = {"", ".gz", ".bz2"};
    while (*names != '\0') {
        const int length = (int)strcspn(names, " ");
        for (int e = 0; e < 3; e++) {
            const int n = snprintf(path, PATH, "%s/%.*s%s", folder, length, names, endings[e]);
            if (n > 0 && n < PATH && can_read(path)) return true;
        }
        names += length + (names[length] == ' ');
    }
    return false;
}

static bool has_files(const named *set, const char *folder) {
    char path[PATH];
    for (int p = 0; p < 2; p++) {
        if (!find_file(folder, set->part[p].features, path)) return false;
        if (set->part[p].labels != NULL && !find_file(folder, set->part[p].labels, path)) return false;
    }
    return true;
}

/* The folder with all files of a set: of the data folder, the data folder itself, of the system. */
static bool find_folder(const named *set, const char *data_dir, char *folder, size_t size) {
    for (int i = 0; data_dir != NULL && i <= PLACES; i++) {
        const int n = i < PLACES ? snprintf(folder, size, "%s/%s", data_dir, set->folder[i]) : snprintf(folder, size, "%s", data_dir);
        if (n > 0 && (size_t)n < size && has_files(set, folder)) return true;
    }
    if (set->system != NULL && strlen(set->system) < size && has_files(set, set->system)) {
        strcpy(folder, set->system);
        return true;
    }
    folder[0] = '\0';
    return false;
}

bool sustain_named_find(const char *name, const char *data_dir, char *folder, size_t size) {
    const named *set = find_named(name);
    folder[0] = '\0';
    if (set == NULL) return false;
    return set->part[0].features == NULL || find_folder(set, data_dir, folder, size);
}

/* ---- reading ---- */

static sustain_status unknown(sustain_context *context, const char *name) {
    const char *names[sizeof sets / sizeof sets[0]];
    for (int i = 0; i < sustain_named_count(); i++) names[i] = sets[i].shown.name;
    const char *near = sustain_nearest_name(name, names, sustain_named_count());
    if (near != NULL) return sustain__fail(context, SUSTAIN_UNKNOWN_NAME, "no data set is called '%s'; did you mean '%s'?", name, near);
    return sustain__fail(context, SUSTAIN_UNKNOWN_NAME, "no data set is called '%s': 'sustain data' lists them", name);
}

static sustain_status read_part(sustain_context *context, const char *folder, const part_files *files, const sustain_read_options *options,
                                sustain_dataset **out) {
    char path[PATH] = "";
    find_file(folder, files->features, path);
    SUSTAIN_TRY(sustain_dataset_read(context, path, options, out));
    if (files->labels == NULL) return SUSTAIN_OK;
    sustain_dataset *labels;
    find_file(folder, files->labels, path);
    sustain_status status = sustain_dataset_read_labels(context, path, options, &labels);
    if (status == SUSTAIN_OK) status = sustain_dataset_join(*out, labels);
    sustain_dataset_destroy(labels);
    if (status == SUSTAIN_OK) return status;
    sustain_dataset_destroy(*out);
    *out = NULL;
    return status;
}

sustain_status sustain_named_read(sustain_context *context, const char *name, const char *data_dir, sustain_part part,
                                  const sustain_read_options *options, sustain_dataset **out) {
    char folder[PATH];
    const named *set = find_named(name);
    const bool test = part == SUSTAIN_PART_TEST;
    *out = NULL;
    if (set == NULL) return unknown(context, name);
    if (set->part[0].features == NULL) return sustain_generated_create(context, test ? GENERATED_TEST : GENERATED_TRAINING, test, out);
    if (!find_folder(set, data_dir, folder, sizeof folder))
        return sustain__fail(context, SUSTAIN_IO, "the data set %s was not found%s%s: %s", name, data_dir != NULL ? " in " : "",
                             data_dir != NULL ? data_dir : "", set->shown.how);
    return read_part(context, folder, &set->part[test], options, out);
}

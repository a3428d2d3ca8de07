/* named.c - named data sets: the table of sets, and the search for their files. */
#include <string.h>

#include <sustain/parameter.h>
#include <sustain/random.h>

#include "data/dataset_internal.h"
#include "data/named.h"
#include "io/folder.h"

enum { PLACES = 3, PATH = SUSTAIN__LONGEST_PATH, GENERATED_TRAINING = 20000, GENERATED_TEST = 5000 };

/* The files of one part. Each list has alternative names of one file, separated by blanks: see
 * sustain__named_file(). */
typedef struct part_files {
    const char *features, *labels; /* labels NULL: they are in the same file */
} part_files;

typedef struct named {
    sustain_named_set shown;
    const char *folder[PLACES]; /* under the data folder; NULL: no more */
    const char *system;         /* a folder of the system, or NULL */
    part_files part[2];         /* training, test; no features: needs no files. Only the test part has
                                 * none: a fifth of the rows of the one file */
    const char *label_column;   /* of tables without a header, or NULL */
    const char *list;           /* another required file, or NULL */
    const char *const *classes; /* names of the labels 0, 1, ..., or NULL */
    const char *names[2];       /* files with class names, one per line, of fine and coarse
                                 * labels; NULL: none */
} named;

enum { CLOTHES = 10 };
static const char *const clothes[CLOTHES] = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                             "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

#define MNIST_FILES                                                                                             \
    {                                                                                                           \
        {"train-images-idx3-ubyte train-images.idx3-ubyte", "train-labels-idx1-ubyte train-labels.idx1-ubyte"}, \
            {"t10k-images-idx3-ubyte t10k-images.idx3-ubyte", "t10k-labels-idx1-ubyte t10k-labels.idx1-ubyte"}, \
    }
#define MNIST_HOW \
    "the four files train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz, t10k-labels-idx1-ubyte.gz"
#define CIFAR_FILES .folder = {"cifar-100-binary", "cifar-100"}, .part = {{"train.bin", NULL}, {"test.bin", NULL}}
#define CIFAR_HOW                                                                                                                  \
    "get the binary version of CIFAR-100 (cifar-100-binary.tar.gz, by Alex Krizhevsky) and unpack it in the data folder (tar -xf " \
    "cifar-100-binary.tar.gz), so that there are cifar-100-binary/train.bin and test.bin"

static const named sets[] = {
    {.shown = {"fashion-mnist", "70,000 pictures of clothes, 28 x 28, ten classes",
               "install the Debian package dataset-fashion-mnist, or put " MNIST_HOW " into the folder fashion-mnist of the data folder",
               .rows = true},
     .folder = {"fashion-mnist", "FashionMNIST/raw"},
     .system = "/usr/share/datasets/fashion-mnist",
     .part = MNIST_FILES,
     .classes = clothes},
    {.shown = {"mnist", "70,000 handwritten digits, 28 x 28", "put " MNIST_HOW " of MNIST into the folder mnist of the data folder",
               .rows = true},
     .folder = {"mnist", "MNIST/raw"},
     .part = MNIST_FILES},
    {.shown = {"cifar-100", "60,000 photographs, 32 x 32 in colour, a hundred classes", CIFAR_HOW, .rows = true},
     CIFAR_FILES,
     .names = {"fine_label_names.txt", "coarse_label_names.txt"}},
    {.shown = {"ijcnn1", "141,691 rows of 22 features, two classes",
               "get ijcnn1.bz2 and ijcnn1.t.bz2 from the data page of LIBSVM and put them into the folder ijcnn1 of the data folder",
               .rows = true},
     .folder = {"ijcnn1", "libsvm"},
     .part = {{"ijcnn1.trn ijcnn1", NULL}, {"ijcnn1.tst ijcnn1.t", NULL}}},
    {.shown =
         {"covtype", "581,012 rows of 54 features, seven classes of forest",
          "get covtype.data.gz from the UCI repository (Covertype), or covtype.scale.bz2 (seven classes) from the data page of LIBSVM, "
          "and put it into the folder covtype of the data folder",
          .rows = true},
     .folder = {"covtype", "libsvm"},
     .part = {{"covtype.data covtype.scale covtype.scale01 covtype", NULL}},
     .label_column = "55"},
    {.shown = {"fc100", "few-shot: 60 + 20 + 20 classes of CIFAR-100, 32 x 32", CIFAR_HOW, .pictures = true}, CIFAR_FILES},
    {.shown = {"mini-imagenet", "few-shot: 64 + 16 + 20 classes of photographs, 84 x 84",
               "put its pictures into the folder mini-imagenet/images of the data folder, and the lists train.csv, val.csv and test.csv "
               "(filename,label) "
               "of Ravi and Larochelle into mini-imagenet",
               .pictures = true},
     .folder = {"mini-imagenet", "miniImageNet", "miniimagenet"},
     .part = {{"train.csv", "images/"}, {"test.csv", "images/"}},
     .list = "val.csv"},
    {.shown = {"omniglot", "few-shot: 1,623 characters, 20 drawings each, 28 x 28",
               "get images_background.zip and images_evaluation.zip of Omniglot (by Brenden Lake) and unpack them in the folder omniglot "
               "of the data folder",
               .pictures = true},
     .folder = {"omniglot", "omniglot/python", "omniglot-py"},
     .part = {{SUSTAIN__OMNIGLOT_BACKGROUND, NULL}, {SUSTAIN__OMNIGLOT_EVALUATION, NULL}}},
    {.shown = {"generated", "20,000 + 5,000 synthetic pictures, 28 x 28, ten classes", "no files needed: the pictures are generated",
               .rows = true, .pictures = true}},
};

int sustain_named_count(void) {
    return (int)(sizeof sets / sizeof sets[0]);
}

const sustain_named_set *sustain_named_at(int i) {
    if (i < 0 || i >= sustain_named_count()) return NULL;
    return &sets[i].shown;
}

static const named *find_named(const char *name) {
    for (int i = 0; i < sustain_named_count(); i++)
        if (strcmp(sets[i].shown.name, name) == 0) return &sets[i];
    return NULL;
}

/* ---- files ---- */

/* Whether this is a readable file; a folder can be opened, but not read. */
static bool can_read(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    fgetc(file);
    const bool good = ferror(file) == 0;
    fclose(file);
    return good;
}

bool sustain__named_file(const char *folder, const char *names, char path[PATH]) {
    static const char *const endings[] = {"", ".gz", ".bz2"};
    while (*names != '\0') {
        const int length = (int)strcspn(names, " ");
        const bool is_folder = names[length - 1] == '/';
        for (int e = 0; e < (is_folder ? 1 : 3); e++) {
            const int n = snprintf(path, PATH, "%s/%.*s%s", folder, length, names, endings[e]);
            if (n > 0 && n < PATH && (is_folder ? sustain__path_look(path) == SUSTAIN__PATH_FOLDER : can_read(path))) return true;
        }
        names += length + (names[length] == ' ');
    }
    return false;
}

static bool has_files(const named *set, const char *folder) {
    char path[PATH];
    if (set->list != NULL && !sustain__named_file(folder, set->list, path)) return false;
    for (int p = 0; p < 2 && set->part[p].features != NULL; p++) {
        if (!sustain__named_file(folder, set->part[p].features, path)) return false;
        if (set->part[p].labels != NULL && !sustain__named_file(folder, set->part[p].labels, path)) return false;
    }
    return true;
}

/* Finds the folder with all files of a set: inside the data folder, the data folder itself, or a
 * system folder. */
static bool find_folder(const named *set, const char *data_dir, char *folder, size_t size) {
    for (int i = 0; data_dir != NULL && i <= PLACES; i++) {
        if (i < PLACES && set->folder[i] == NULL) continue;
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
    if (name == NULL || folder == NULL || size == 0) return false;
    const named *set = find_named(name);
    folder[0] = '\0';
    if (set == NULL) return false;
    return set->part[0].features == NULL || find_folder(set, data_dir, folder, size);
}

/* ---- reading ---- */

/* Finds a set by name, for tasks or for rows; otherwise refused with the nearest suitable name. */
static sustain_status choose(sustain_context *context, const char *name, bool pictures, const named **out) {
    const char *names[sizeof sets / sizeof sets[0]];
    int count = 0;
    *out = find_named(name);
    if (*out != NULL && (pictures ? (*out)->shown.pictures : (*out)->shown.rows)) return SUSTAIN_OK;
    if (*out != NULL)
        return sustain__fail(context, SUSTAIN_UNKNOWN_NAME, "the data set %s is %s: 'sustain data' lists others", name,
                             pictures ? "not for few-shot tasks" : "for few-shot tasks only");
    for (int i = 0; i < sustain_named_count(); i++)
        if (pictures ? sets[i].shown.pictures : sets[i].shown.rows) names[count++] = sets[i].shown.name;
    const char *near = sustain_nearest_name(name, names, count);
    if (near != NULL) return sustain__fail(context, SUSTAIN_UNKNOWN_NAME, "no data set is called '%s'; did you mean '%s'?", name, near);
    return sustain__fail(context, SUSTAIN_UNKNOWN_NAME, "no data set is called '%s': 'sustain data' lists them", name);
}

/* The folder of a set, "" if it needs none. */
static sustain_status open_folder(sustain_context *context, const named *set, const char *data_dir, char folder[PATH]) {
    folder[0] = '\0';
    if (set->part[0].features == NULL || find_folder(set, data_dir, folder, PATH)) return SUSTAIN_OK;
    return sustain__fail(context, SUSTAIN_IO, "the data set %s was not found%s%s: %s", set->shown.name, data_dir != NULL ? " in " : "",
                         data_dir != NULL ? data_dir : "", set->shown.how);
}

sustain_status sustain__named_folder(sustain_context *context, const char *name, const char *data_dir, char folder[PATH]) {
    const named *set;
    SUSTAIN_TRY(choose(context, name, true, &set));
    return open_folder(context, set, data_dir, folder);
}

static sustain_status read_part(sustain_context *context, const char *folder, const part_files *files, const sustain_read_options *options,
                                sustain_dataset **out) {
    char path[PATH] = "";
    sustain__named_file(folder, files->features, path);
    SUSTAIN_TRY(sustain_dataset_read(context, path, options, out));
    if (files->labels == NULL) return SUSTAIN_OK;
    sustain_dataset *labels;
    sustain__named_file(folder, files->labels, path);
    sustain_status status = sustain_dataset_read_labels(context, path, options, &labels);
    if (status == SUSTAIN_OK) status = sustain_dataset_join(*out, labels);
    sustain_dataset_destroy(labels);
    if (status == SUSTAIN_OK) return status;
    sustain_dataset_destroy(*out);
    *out = NULL;
    return status;
}

/* Sets the class names of a set whose labels are numbers. */
static sustain_status name_classes(sustain_dataset *set, const char *const *names, int64_t count) {
    char **copies;
    if (set->classes != count) return SUSTAIN_OK; /* a subset of the classes keeps its numbers */
    SUSTAIN_TRY(sustain__copy_names(set->context, names, NULL, count, &copies));
    sustain__free(set->context, set->memory->class_names);
    set->memory->class_names = copies;
    sustain__dataset_publish(set);
    return SUSTAIN_OK;
}

/* The same from a file, which may be missing: line i is the name of class i. */
static sustain_status name_from_file(sustain_dataset *set, const char *path) {
    sustain_dataset *lines;
    const char **names = NULL;
    SUSTAIN_TRY(sustain_dataset_read_labels(set->context, path, NULL, &lines));
    const int64_t count = lines->rows.count;
    sustain_status status = SUSTAIN_OK;
    if (lines->rows.labels == NULL)
        status = sustain__fail(set->context, SUSTAIN_FORMAT, "%s: it has numbers, not a name of a class on each line", path);
    if (status == SUSTAIN_OK) status = sustain__allocate(set->context, sustain__multiply((size_t)count, sizeof *names), &names);
    for (int64_t i = 0; i < count && status == SUSTAIN_OK; i++) names[i] = lines->class_names[lines->rows.labels[i]];
    if (status == SUSTAIN_OK) status = name_classes(set, names, count);
    sustain__free(set->context, names);
    sustain_dataset_destroy(lines);
    return status;
}

/* A fifth of the rows, the same ones each time, is for testing. */
static sustain_status take_part(sustain_dataset **set, bool test) {
    enum { SEED = 0, STREAM = 81, FIFTH = 5 };
    const int64_t n = (*set)->rows.count, held = n / FIFTH;
    sustain_dataset *whole = *set;
    int64_t *order;
    *set = NULL;
    sustain_status status = sustain__allocate(whole->context, sustain__multiply((size_t)n, sizeof *order), &order);
    for (int64_t i = 0; i < n && status == SUSTAIN_OK; i++) order[sustain_random_permuted(SEED, STREAM, 0, i, n)] = i;
    if (status == SUSTAIN_OK) status = sustain_dataset_subset(whole, order + (test ? 0 : held), test ? held : n - held, set);
    sustain__free(whole->context, order);
    sustain_dataset_destroy(whole);
    return status;
}

sustain_status sustain_named_read(sustain_context *context, const char *name, const char *data_dir, sustain_part part,
                                  const sustain_read_options *options, sustain_dataset **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, name, "name"));
    char folder[PATH], path[PATH];
    const named *set;
    const bool test = part == SUSTAIN_PART_TEST;
    SUSTAIN_TRY(choose(context, name, false, &set));
    if (set->part[0].features == NULL) return sustain_generated_create(context, test ? GENERATED_TEST : GENERATED_TRAINING, test, out);
    SUSTAIN_TRY(open_folder(context, set, data_dir, folder));
    const bool one_file = set->part[1].features == NULL;
    sustain_read_options own = options != NULL ? *options : (sustain_read_options){.label_column = NULL};
    if (own.label_column == NULL) own.label_column = set->label_column;
    SUSTAIN_TRY(read_part(context, folder, &set->part[test && !one_file], &own, out));
    if (one_file) SUSTAIN_TRY(take_part(out, test));
    const char *file = set->names[options != NULL && options->coarse];
    sustain_status status = SUSTAIN_OK;
    if (set->classes != NULL) status = name_classes(*out, set->classes, CLOTHES);
    if (file != NULL && sustain__named_file(folder, file, path)) status = name_from_file(*out, path);
    if (status == SUSTAIN_OK) return status;
    sustain_dataset_destroy(*out);
    *out = NULL;
    return status;
}

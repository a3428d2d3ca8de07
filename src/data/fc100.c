/* fc100.c - FC100: the pictures of CIFAR-100, training and test files together, with classes
 * divided by superclass: 60 for training, 20 for validation, 20 for test. Oreshkin, Rodriguez,
 * Lacoste, "TADAM", NeurIPS 2018. */
#include <stdlib.h>

#include "data/named.h"
#include "data/pictures_internal.h"

enum { CLASSES = 100, TRAIN = SUSTAIN_SPLIT_TRAINING, VALID = SUSTAIN_SPLIT_VALIDATION, TEST = SUSTAIN_SPLIT_TEST };

/* The fine classes by number. */
static const struct {
    const char *name;
    int split;
} classes[CLASSES] = {{"apple", TRAIN},       {"aquarium_fish", TRAIN}, {"baby", TEST},          {"bear", VALID},
                      {"beaver", TEST},       {"bed", TRAIN},           {"bee", TEST},           {"beetle", TEST},
                      {"bicycle", TRAIN},     {"bottle", TRAIN},        {"bowl", TRAIN},         {"boy", TEST},
                      {"bridge", TRAIN},      {"bus", TRAIN},           {"butterfly", TEST},     {"camel", VALID},
                      {"can", TRAIN},         {"castle", TRAIN},        {"caterpillar", TEST},   {"cattle", VALID},
                      {"chair", TRAIN},       {"chimpanzee", VALID},    {"clock", TRAIN},        {"cloud", TRAIN},
                      {"cockroach", TEST},    {"couch", TRAIN},         {"crab", VALID},         {"crocodile", TRAIN},
                      {"cup", TRAIN},         {"dinosaur", TRAIN},      {"dolphin", TEST},       {"elephant", VALID},
                      {"flatfish", TRAIN},    {"forest", TRAIN},        {"fox", TEST},           {"girl", TEST},
                      {"hamster", VALID},     {"house", TRAIN},         {"kangaroo", VALID},     {"keyboard", TRAIN},
                      {"lamp", TRAIN},        {"lawn_mower", TRAIN},    {"leopard", VALID},      {"lion", VALID},
                      {"lizard", TRAIN},      {"lobster", VALID},       {"man", TEST},           {"maple_tree", TRAIN},
                      {"motorcycle", TRAIN},  {"mountain", TRAIN},      {"mouse", VALID},        {"mushroom", TRAIN},
                      {"oak_tree", TRAIN},    {"orange", TRAIN},        {"orchid", TRAIN},       {"otter", TEST},
                      {"palm_tree", TRAIN},   {"pear", TRAIN},          {"pickup_truck", TRAIN}, {"pine_tree", TRAIN},
                      {"plain", TRAIN},       {"plate", TRAIN},         {"poppy", TRAIN},        {"porcupine", TEST},
                      {"possum", TEST},       {"rabbit", VALID},        {"raccoon", TEST},       {"ray", TRAIN},
                      {"road", TRAIN},        {"rocket", TRAIN},        {"rose", TRAIN},         {"sea", TRAIN},
                      {"seal", TEST},         {"shark", TRAIN},         {"shrew", VALID},        {"skunk", TEST},
                      {"skyscraper", TRAIN},  {"snail", VALID},         {"snake", TRAIN},        {"spider", VALID},
                      {"squirrel", VALID},    {"streetcar", TRAIN},     {"sunflower", TRAIN},    {"sweet_pepper", TRAIN},
                      {"table", TRAIN},       {"tank", TRAIN},          {"telephone", TRAIN},    {"television", TRAIN},
                      {"tiger", VALID},       {"tractor", TRAIN},       {"train", TRAIN},        {"trout", TRAIN},
                      {"tulip", TRAIN},       {"turtle", TRAIN},        {"wardrobe", TRAIN},     {"whale", TEST},
                      {"willow_tree", TRAIN}, {"wolf", VALID},          {"woman", TEST},         {"worm", VALID}};

const char *sustain__fc100_name(int64_t fine) {
    return classes[fine].name;
}

sustain_split sustain__fc100_split(int64_t fine) {
    return (sustain_split)classes[fine].split;
}

/* number (CLASSES) <- index in the list for classes of this split, -1 for others. */
static sustain_status list_classes(sustain_split split, sustain__picture_list *list, int64_t *number) {
    for (int64_t fine = 0; fine < CLASSES; fine++) {
        number[fine] = -1;
        if (split != SUSTAIN_SPLIT_ALL && split != sustain__fc100_split(fine)) continue;
        number[fine] = list->classes;
        SUSTAIN_TRY(sustain__list_class(list, classes[fine].name));
    }
    return SUSTAIN_OK;
}

/* If a file lacks a class, the others get lower numbers; their names are the original numbers. */
static sustain_status list_pictures(const sustain_dataset *set, const int64_t *number, sustain__picture_list *list) {
    const sustain_picture p = set->picture;
    for (int64_t i = 0; i < set->rows.count; i++) {
        const long fine = strtol(set->class_names[set->rows.labels[i]], NULL, 10);
        const sustain__raster raster = sustain__raster_planar(set->rows.bytes + i * set->rows.dim, p.channels, p.height, p.width);
        if (number[fine] >= 0) SUSTAIN_TRY(sustain__list_raster(list, number[fine], &raster));
    }
    return SUSTAIN_OK;
}

static sustain_status make(const sustain__picture_request *request, sustain_dataset *const *parts, sustain_pictures **out) {
    sustain__picture_list list = {.context = request->context};
    int64_t number[CLASSES];
    sustain_status status = list_classes(request->split, &list, number);
    for (int p = 0; status == SUSTAIN_OK && p < 2; p++) status = list_pictures(parts[p], number, &list);
    if (status == SUSTAIN_OK) status = sustain__pictures_make(request, &list, out);
    sustain__list_free(&list);
    return status;
}

/* What is in the file is recognized by its content, and other formats have pictures too. */
static bool is_cifar_100(const sustain_dataset *set) {
    const sustain_picture p = set->picture;
    if (set->rows.bytes == NULL || set->rows.labels == NULL || p.channels != 3 || p.interleaved) return false;
    for (int64_t k = 0; k < set->classes; k++) {
        char *end;
        const long fine = strtol(set->class_names[k], &end, 10);
        if (end == set->class_names[k] || *end != '\0' || fine < 0 || fine >= CLASSES) return false;
    }
    return set->classes > 10; /* CIFAR-10 has ten */
}

static sustain_status read_part(const sustain__picture_request *request, const char *name, sustain_dataset **out) {
    char path[SUSTAIN__LONGEST_PATH] = "";
    sustain__named_file(request->folder, name, path);
    const sustain_status status = sustain_dataset_read(request->context, path, NULL, out);
    if (status == SUSTAIN_OK && is_cifar_100(*out)) return SUSTAIN_OK;
    if (status != SUSTAIN_OK && status != SUSTAIN_FORMAT) return status;
    return sustain__fail(request->context, SUSTAIN_FORMAT,
                         "%s: it is not a complete CIFAR-100 binary file (records of 3,074 bytes): unpack the archive again", path);
}

sustain_status sustain__read_fc100(const sustain__picture_request *request, sustain_pictures **out) {
    sustain_dataset *parts[2] = {NULL, NULL};
    sustain_status status = read_part(request, "train.bin", &parts[0]);
    if (status == SUSTAIN_OK) status = read_part(request, "test.bin", &parts[1]);
    if (status == SUSTAIN_OK) status = make(request, parts, out);
    for (int p = 0; p < 2; p++) sustain_dataset_destroy(parts[p]);
    return status;
}

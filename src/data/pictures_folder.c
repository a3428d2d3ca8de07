/* pictures_folder.c - pictures of the user: one folder per class. */
#include <stdio.h>
#include <string.h>

#include <sustain/random.h>

#include "data/named.h"
#include "data/pictures_internal.h"
#include "io/folder.h"

enum { STREAM_SPLIT = 0x666f6c };
/* as in miniImageNet; the rest is for test */
static const double training_part = 0.64, validation_part = 0.16;

static const char *const split_folders[] = {"train", "val", "test"};

/* The split of class c of n, if one folder has all classes. */
static sustain_split split_of(uint64_t seed, int64_t c, int64_t n) {
    const int64_t training = (int64_t)(training_part * (double)n + 0.5), validation = (int64_t)(validation_part * (double)n + 0.5);
    const int64_t position = sustain_random_permuted(seed, STREAM_SPLIT, 0, c, n);
    if (position < training) return SUSTAIN_SPLIT_TRAINING;
    return position < training + validation ? SUSTAIN_SPLIT_VALIDATION : SUSTAIN_SPLIT_TEST;
}

static sustain_status list_class(sustain__picture_list *list, const char *folder, const char *name) {
    char path[SUSTAIN__LONGEST_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    SUSTAIN_TRY(sustain__list_class(list, name));
    return sustain__list_folder(list, path);
}

/* Lists the classes of a folder; only those of one split if `request` is given. */
static sustain_status list_classes(sustain__picture_list *list, const char *folder, const sustain__picture_request *request) {
    sustain__folder classes;
    SUSTAIN_TRY(sustain__folder_list(list->context, folder, SUSTAIN__PATH_FOLDER, &classes));
    sustain_status status = SUSTAIN_OK;
    for (int64_t c = 0; status == SUSTAIN_OK && c < classes.count; c++)
        if (request == NULL || split_of(request->seed, c, classes.count) == request->split)
            status = list_class(list, folder, classes.names[c]);
    const long long count = classes.count;
    sustain__folder_free(list->context, &classes);
    if (status != SUSTAIN_OK || list->classes > 0) return status;
    if (count == 0 || request == NULL)
        return sustain__fail(list->context, SUSTAIN_FORMAT,
                             "%s: it has no folders; put the pictures of each class into a folder of its own", folder);
    return sustain__fail(
        list->context, SUSTAIN_FORMAT,
        "%s: it has %lld classes, too few to have one for %s; add classes, or divide them into the folders train, val and test", folder,
        count, sustain__split_name(request->split));
}

static sustain_status list_split(sustain__picture_list *list, const sustain__picture_request *request) {
    char path[3][SUSTAIN__LONGEST_PATH];
    int found = 0, missing = 0;
    if (request->split == SUSTAIN_SPLIT_ALL) return list_classes(list, request->folder, NULL);
    for (int s = 0; s < 3; s++) {
        snprintf(path[s], sizeof path[s], "%s/%s", request->folder, split_folders[s]);
        if (sustain__path_look(path[s]) == SUSTAIN__PATH_FOLDER)
            found++;
        else
            missing = s;
    }
    if (found == 0) return list_classes(list, request->folder, request);
    if (found == 3) return list_classes(list, path[request->split], NULL);
    return sustain__fail(list->context, SUSTAIN_FORMAT,
                         "%s: it has folders for some of train, val and test, but no folder '%s': give all three, or none", request->folder,
                         split_folders[missing]);
}

sustain_status sustain__read_folder(const sustain__picture_request *request, sustain_pictures **out) {
    sustain__picture_list list = {.context = request->context};
    sustain_status status = list_split(&list, request);
    if (status == SUSTAIN_OK) status = sustain__pictures_make(request, &list, out);
    sustain__list_free(&list);
    return status;
}

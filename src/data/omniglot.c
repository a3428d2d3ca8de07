/* omniglot.c - Omniglot: characters of many alphabets, each drawn by twenty people; Lake,
 * Salakhutdinov, Tenenbaum, Science 2015. Ink is 255, paper 0; every character gives four
 * classes, one for each rotation by a multiple of 90 degrees.
 *
 * images_evaluation is for test. Of images_background the last seventh of the characters, in the
 * order of their names, is for validation: of the complete set 137 of 964, that is Sanskrit,
 * Syriac, Tagalog and Tifinagh, so that validation, like the test, has alphabets of its own. */
#include <stdio.h>
#include <string.h>

#include "data/named.h"
#include "data/pictures_internal.h"
#include "io/folder.h"

enum { SIDE = 105, DRAWING = SIDE * SIDE, VALIDATION_PART = 7 };

/* Which of `count` characters belong to a split. */
typedef struct range {
    int64_t begin, end;
} range;

static range characters(sustain_split split, bool background, int64_t count) {
    const int64_t training = background ? count - count / VALIDATION_PART : 0, validation = background ? count : 0;
    if (split == SUSTAIN_SPLIT_TRAINING) return (range){0, training};
    if (split == SUSTAIN_SPLIT_VALIDATION) return (range){training, validation};
    return (range){split == SUSTAIN_SPLIT_TEST ? validation : 0, count};
}

/* ---- folders: ALPHABET/characterNN/NAME.png ---- */

static sustain_status list_alphabet(sustain__picture_list *characters_found, const char *folder, const char *alphabet) {
    char path[SUSTAIN__LONGEST_PATH], name[SUSTAIN__LONGEST_PATH];
    sustain__folder found;
    snprintf(path, sizeof path, "%s%s", folder, alphabet);
    SUSTAIN_TRY(sustain__folder_list(characters_found->context, path, SUSTAIN__PATH_FOLDER, &found));
    sustain_status status = SUSTAIN_OK;
    for (int64_t i = 0; status == SUSTAIN_OK && i < found.count; i++) {
        snprintf(name, sizeof name, "%.1000s/%.1000s", alphabet, found.names[i]);
        status = sustain__list_class(characters_found, name);
    }
    sustain__folder_free(characters_found->context, &found);
    return status;
}

static sustain_status list_alphabets(sustain__picture_list *characters_found, const char *folder) {
    sustain__folder found;
    SUSTAIN_TRY(sustain__folder_list(characters_found->context, folder, SUSTAIN__PATH_FOLDER, &found));
    sustain_status status = SUSTAIN_OK;
    for (int64_t i = 0; status == SUSTAIN_OK && i < found.count; i++) status = list_alphabet(characters_found, folder, found.names[i]);
    sustain__folder_free(characters_found->context, &found);
    return status;
}

static sustain_status list_drawings(sustain__picture_list *list, const char *folder, const char *character) {
    char path[SUSTAIN__LONGEST_PATH];
    snprintf(path, sizeof path, "%s%s", folder, character);
    SUSTAIN_TRY(sustain__list_class(list, character));
    return sustain__list_folder(list, path);
}

static sustain_status list_folders(sustain__picture_list *list, sustain_split split, const char *folder, bool background) {
    sustain__picture_list found = {.context = list->context};
    sustain_status status = list_alphabets(&found, folder);
    const range r = characters(split, background, found.classes);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): classes have names */
    for (int64_t c = r.begin; status == SUSTAIN_OK && c < r.end; c++) status = list_drawings(list, folder, found.names[c]);
    sustain__list_free(&found);
    return status;
}

/* ---- NPZ: an array `images` of booleans (characters, drawings, 105, 105), true for paper ---- */

/* NumPy treats every byte except 0 as true, and files with 255 exist. */
static uint8_t byte_of_true(const sustain_rows *rows) {
    uint8_t largest = 1;
    for (int64_t i = 0; i < rows->count * rows->dim; i++) largest = rows->bytes[i] > largest ? rows->bytes[i] : largest;
    return largest;
}

static sustain_status list_rows(sustain__picture_list *list, sustain_split split, const sustain_dataset *set, bool background) {
    const range r = characters(split, background, set->rows.count);
    if (set->rows.bytes == NULL || set->rows.dim % DRAWING != 0)
        return sustain__fail(list->context, SUSTAIN_FORMAT, "%s: it must be booleans, (characters, drawings, %d, %d)", set->source, SIDE,
                             SIDE);
    const double scale = 255.0 / byte_of_true(&set->rows);
    for (int64_t c = r.begin; c < r.end; c++) {
        char name[64];
        snprintf(name, sizeof name, "%s character %lld", background ? "background" : "evaluation", (long long)c);
        SUSTAIN_TRY(sustain__list_class(list, name));
        for (int64_t at = 0; at < set->rows.dim; at += DRAWING) {
            sustain__raster raster = sustain__raster_planar(set->rows.bytes + c * set->rows.dim + at, 1, SIDE, SIDE);
            raster.scale = scale;
            SUSTAIN_TRY(sustain__list_raster(list, list->classes - 1, &raster));
        }
    }
    return SUSTAIN_OK;
}

/* ---- both ---- */

/* Adds one of the two parts if the split uses it. The data set must stay valid until the
 * pictures are made. */
static sustain_status list_part(const sustain__picture_request *request, bool background, sustain__picture_list *list,
                                sustain_dataset **set) {
    char path[SUSTAIN__LONGEST_PATH] = "", array[SUSTAIN__LONGEST_PATH + 8];
    const bool test = request->split == SUSTAIN_SPLIT_TEST;
    if (request->split != SUSTAIN_SPLIT_ALL && test == background) return SUSTAIN_OK;
    sustain__named_file(request->folder, background ? SUSTAIN__OMNIGLOT_BACKGROUND : SUSTAIN__OMNIGLOT_EVALUATION, path);
    if (path[strlen(path) - 1] == '/') return list_folders(list, request->split, path, background);
    snprintf(array, sizeof array, "%s:images", path);
    SUSTAIN_TRY(sustain_dataset_read(request->context, array, NULL, set));
    return list_rows(list, request->split, *set, background);
}

static sustain_status make_turned(const sustain__picture_request *request, const sustain__picture_list *list, sustain_pictures **out) {
    sustain_pictures *set;
    SUSTAIN_TRY(sustain__pictures_make(request, list, &set));
    /* ink on paper */
    for (int64_t i = 0; i < set->count * set->channels * set->height * set->width; i++) set->memory->pixels[i] ^= 255;
    const sustain_status status = sustain__pictures_turn(set, out);
    sustain_pictures_destroy(set);
    return status;
}

sustain_status sustain__read_omniglot(const sustain__picture_request *request, sustain_pictures **out) {
    sustain__picture_list list = {.context = request->context};
    sustain_dataset *parts[2] = {NULL, NULL};
    sustain_status status = SUSTAIN_OK;
    if (request->height != request->width)
        return sustain__fail(request->context, SUSTAIN_ARGUMENT,
                             "pictures of omniglot are rotated, so they must be square, not %lld x %lld", (long long)request->width,
                             (long long)request->height);
    for (int p = 0; status == SUSTAIN_OK && p < 2; p++) status = list_part(request, p == 0, &list, &parts[p]);
    if (status == SUSTAIN_OK) status = make_turned(request, &list, out);
    sustain__list_free(&list);
    for (int p = 0; p < 2; p++) sustain_dataset_destroy(parts[p]);
    return status;
}

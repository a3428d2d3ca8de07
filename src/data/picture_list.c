/* picture_list.c - lists classes and pictures before any is read. */
#include <stdio.h>
#include <string.h>

#include "data/dataset_internal.h"
#include "data/pictures_internal.h"
#include "io/folder.h"

enum { FIRST_ROOM = 64 };

/* Makes room for one more element. */
static sustain_status grow(sustain_context *context, void *array, int64_t count, int64_t *room, size_t element) {
    if (count < *room) return SUSTAIN_OK;
    const int64_t more = *room == 0 ? FIRST_ROOM : *room * 2;
    void *larger, *old;
    memcpy(&old, array, sizeof old);
    SUSTAIN_TRY(sustain__allocate(context, sustain__multiply((size_t)more, element), &larger));
    if (count > 0) memcpy(larger, old, (size_t)count * element);
    sustain__free(context, old);
    memcpy(array, &larger, sizeof larger);
    *room = more;
    return SUSTAIN_OK;
}

sustain_status sustain__list_class(sustain__picture_list *list, const char *name) {
    SUSTAIN_TRY(grow(list->context, &list->names, list->classes, &list->name_room, sizeof *list->names));
    SUSTAIN_TRY(sustain__copy_text(list->context, name, &list->names[list->classes]));
    list->classes++;
    return SUSTAIN_OK;
}

static sustain_status add_item(sustain__picture_list *list, sustain__picture_item item) {
    const sustain_status status = grow(list->context, &list->items, list->count, &list->item_room, sizeof *list->items);
    if (status == SUSTAIN_OK)
        list->items[list->count++] = item;
    else
        sustain__free(list->context, item.path);
    return status;
}

sustain_status sustain__list_file(sustain__picture_list *list, int64_t class_number, const char *folder, const char *name) {
    sustain__picture_item item = {.class_number = class_number};
    const size_t size = strlen(folder) + strlen(name) + 2;
    SUSTAIN_TRY(sustain__allocate(list->context, size, &item.path));
    snprintf(item.path, size, "%s/%s", folder, name);
    return add_item(list, item);
}

sustain_status sustain__list_raster(sustain__picture_list *list, int64_t class_number, const sustain__raster *raster) {
    return add_item(list, (sustain__picture_item){.class_number = class_number, .raster = *raster});
}

sustain_status sustain__list_folder(sustain__picture_list *list, const char *folder) {
    sustain__folder files;
    SUSTAIN_TRY(sustain__folder_list(list->context, folder, SUSTAIN__PATH_FILE, &files));
    sustain_status status = SUSTAIN_OK;
    if (files.count == 0)
        status = sustain__fail(list->context, SUSTAIN_FORMAT, "%s: this folder has no pictures: add some, or remove it", folder);
    for (int64_t i = 0; status == SUSTAIN_OK && i < files.count; i++)
        status = sustain__list_file(list, list->classes - 1, folder, files.names[i]);
    sustain__folder_free(list->context, &files);
    return status;
}

void sustain__list_free(sustain__picture_list *list) {
    for (int64_t c = 0; c < list->classes; c++) sustain__free(list->context, list->names[c]);
    for (int64_t i = 0; i < list->count; i++) sustain__free(list->context, list->items[i].path);
    sustain__free(list->context, list->names);
    sustain__free(list->context, list->items);
}

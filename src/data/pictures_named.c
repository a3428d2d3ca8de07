/* pictures_named.c - entry points to pictures: named sets and folders. */
#include <stdio.h>
#include <string.h>

#include "core/sized.h"
#include "data/named.h"
#include "data/pictures_internal.h"

enum { FOLDER_SIDE = 84, LARGEST_SIDE = 4096 };

/* The sets with the default size of their pictures. */
static const struct {
    const char *name;
    sustain__picture_reader *read;
    int64_t channels, side;
} sets[] = {
    {"fc100", sustain__read_fc100, 3, 32},
    {"mini-imagenet", sustain__read_mini_imagenet, 3, 84},
    {"omniglot", sustain__read_omniglot, 1, 28},
    {"generated", sustain__make_shapes, 3, 32},
};

const char *sustain__split_name(sustain_split split) {
    static const char *const names[] = {"training", "validation", "test", "all classes"};
    return names[split];
}

/* Fills in defaults. */
static sustain_status open_request(sustain__picture_request *request, const sustain_picture_options *options, int64_t channels,
                                   int64_t side) {
    sustain_picture_options o = {.channels = 0};
    if (options != NULL)
        SUSTAIN_TRY(sustain__sized_take(request->context, "the options of the pictures", options,
                                        SUSTAIN__SIZE_THROUGH(sustain_picture_options, seed), &o, sizeof o));
    request->channels = o.channels != 0 ? o.channels : channels;
    request->height = o.height != 0 ? o.height : side;
    request->width = o.width != 0 ? o.width : side;
    request->seed = o.seed;
    if (request->channels != 1 && request->channels != 3)
        return sustain__fail(request->context, SUSTAIN_ARGUMENT, "pictures have 1 or 3 channels, not %lld", (long long)request->channels);
    if (request->height < 1 || request->width < 1 || request->height > LARGEST_SIDE || request->width > LARGEST_SIDE)
        return sustain__fail(request->context, SUSTAIN_ARGUMENT,
                             "pictures of %lld x %lld pixels are not possible: each side must be from 1 to %d", (long long)request->width,
                             (long long)request->height, LARGEST_SIDE);
    return SUSTAIN_OK;
}

sustain_status sustain_pictures_named(sustain_context *context, const char *name, const char *data_dir, sustain_split split,
                                      const sustain_picture_options *options, sustain_pictures **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, name, "name"));
    char folder[SUSTAIN__LONGEST_PATH], source[64];
    sustain__picture_request request = {.context = context, .folder = folder, .source = source, .split = split};
    int i = 0;
    SUSTAIN_TRY(sustain__named_folder(context, name, data_dir, folder));
    while (strcmp(sets[i].name, name) != 0) i++; /* ends: the name was found before */
    snprintf(source, sizeof source, "%s (%s)", name, sustain__split_name(split));
    SUSTAIN_TRY(open_request(&request, options, sets[i].channels, sets[i].side));
    return sets[i].read(&request, out);
}

sustain_status sustain_pictures_folder(sustain_context *context, const char *dir, sustain_split split,
                                       const sustain_picture_options *options, sustain_pictures **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, dir, "dir"));
    char source[SUSTAIN__LONGEST_PATH];
    sustain__picture_request request = {.context = context, .folder = dir, .source = source, .split = split};
    snprintf(source, sizeof source, split == SUSTAIN_SPLIT_ALL ? "%s" : "%s (%s)", dir, sustain__split_name(split));
    SUSTAIN_TRY(open_request(&request, options, 3, FOLDER_SIDE));
    return sustain__read_folder(&request, out);
}

/* folder.c - see folder.h. */
#include "io/folder.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_PATH = 4096, FIRST_ROOM = 1 << 12 };

sustain__path_kind sustain__path_look(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0) return SUSTAIN__PATH_NOTHING;
    return S_ISDIR(about.st_mode) ? SUSTAIN__PATH_FOLDER : SUSTAIN__PATH_FILE;
}

/* Names, one after the other, each with its zero. */
typedef struct texts {
    char *text;
    size_t length, room;
    int64_t count;
} texts;

static sustain_status add(sustain_context *context, texts *all, const char *name) {
    const size_t size = strlen(name) + 1;
    if (all->room - all->length < size) {
        size_t room = all->room == 0 ? FIRST_ROOM : sustain__multiply(all->room, 2);
        if (room - all->length < size) room = all->length + size;
        char *larger;
        SUSTAIN_TRY(sustain__allocate(context, room, &larger));
        if (all->length > 0) memcpy(larger, all->text, all->length);
        sustain__free(context, all->text);
        all->text = larger, all->room = room;
    }
    memcpy(all->text + all->length, name, size);
    all->length += size, all->count++;
    return SUSTAIN_OK;
}

static sustain_status read_names(sustain_context *context, const char *path, DIR *directory, sustain__path_kind kind, texts *all) {
    const struct dirent *entry;
    while (errno = 0, (entry = readdir(directory)) != NULL) {
        char whole[LONGEST_PATH];
        if (entry->d_name[0] == '.') continue;
        if (snprintf(whole, sizeof whole, "%s/%s", path, entry->d_name) >= LONGEST_PATH)
            return sustain__fail(context, SUSTAIN_IO, "%s: the name of a file in it is too long", path);
        struct stat about;
        const bool there = stat(whole, &about) == 0;
        if (kind == SUSTAIN__PATH_FILE && !(there && (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))))
            return sustain__fail(context, SUSTAIN_IO, "%s: it is %s: remove it", whole,
                                 there ? "neither a file nor a folder" : "a link to a file that is not there");
        if (sustain__path_look(whole) == kind) SUSTAIN_TRY(add(context, all, entry->d_name));
    }
    if (errno != 0) return sustain__fail(context, SUSTAIN_IO, "cannot read the folder %s: %s", path, strerror(errno));
    return SUSTAIN_OK;
}

static int in_order(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static sustain_status make_block(sustain_context *context, const texts *all, sustain__folder *out) {
    SUSTAIN_TRY(sustain__allocate(context, (size_t)all->count * sizeof *out->names + all->length, &out->names));
    char *text = (char *)(out->names + all->count);
    if (all->length > 0) memcpy(text, all->text, all->length);
    for (; out->count < all->count; out->count++) {
        out->names[out->count] = text;
        text += strlen(text) + 1;
    }
    return SUSTAIN_OK;
}

sustain_status sustain__folder_list(sustain_context *context, const char *path, sustain__path_kind kind, sustain__folder *out) {
    texts all = {.text = NULL};
    *out = (sustain__folder){.names = NULL};
    DIR *directory = opendir(path);
    if (directory == NULL) return sustain__fail(context, SUSTAIN_IO, "cannot read the folder %s: %s", path, strerror(errno));
    sustain_status status = read_names(context, path, directory, kind, &all);
    closedir(directory);
    if (status == SUSTAIN_OK) status = make_block(context, &all, out);
    if (status == SUSTAIN_OK) qsort(out->names, (size_t)out->count, sizeof *out->names, in_order);
    sustain__free(context, all.text);
    return status;
}

/* ---- lists and patterns ---- */

/* Adds the files of one part of a list. */
static sustain_status add_part(sustain_context *context, const char *part, texts *all) {
    glob_t found;
    if (strpbrk(part, "*?[") == NULL || sustain__path_look(part) != SUSTAIN__PATH_NOTHING) return add(context, all, part);
    const int failed = glob(part, GLOB_NOSORT, NULL, &found);
    if (failed != 0)
        return failed == GLOB_NOMATCH ? sustain__fail(context, SUSTAIN_IO, "no file matches '%.200s'", part)
                                      : sustain__fail(context, SUSTAIN_IO, "cannot look for '%.200s': %s", part, strerror(errno));
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, in_order); /* in any locale the same */
    sustain_status status = SUSTAIN_OK;
    for (size_t i = 0; i < found.gl_pathc && status == SUSTAIN_OK; i++) status = add(context, all, found.gl_pathv[i]);
    globfree(&found);
    return status;
}

static sustain_status add_parts(sustain_context *context, const char *text, texts *all) {
    char part[LONGEST_PATH];
    for (const char *at = text; at != NULL;) {
        const char *comma = strchr(at, ',');
        const size_t length = comma != NULL ? (size_t)(comma - at) : strlen(at);
        if (length == 0 || length >= sizeof part)
            return sustain__fail(context, SUSTAIN_IO, "'%.200s' is no list of files: a name in it is %s", text,
                                 length == 0 ? "empty" : "too long");
        memcpy(part, at, length);
        part[length] = '\0';
        SUSTAIN_TRY(add_part(context, part, all));
        at = comma != NULL ? comma + 1 : NULL;
    }
    return SUSTAIN_OK;
}

sustain_status sustain__paths_named(sustain_context *context, const char *text, sustain__folder *out) {
    texts all = {.text = NULL};
    *out = (sustain__folder){.names = NULL};
    const bool plain = strpbrk(text, ",*?[") == NULL || sustain__path_look(text) != SUSTAIN__PATH_NOTHING;
    sustain_status status = plain ? add(context, &all, text) : add_parts(context, text, &all);
    if (status == SUSTAIN_OK) status = make_block(context, &all, out);
    sustain__free(context, all.text);
    return status;
}

void sustain__folder_free(sustain_context *context, sustain__folder *folder) {
    sustain__free(context, folder->names);
    *folder = (sustain__folder){.names = NULL};
}

/* picture_files.c - see picture_files.h. */
#include "picture_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run_folder.h"

static int add(picture_files *files, const char *path, const char *label) {
    const size_t count = (size_t)files->count;
    if ((count & (count - 1)) == 0) { /* capacity doubles at each power of two */
        picture_file *larger = realloc(files->file, (count == 0 ? 1 : 2 * count) * sizeof *larger);
        if (larger == NULL) return out_of_memory();
        files->file = larger;
    }
    picture_file file = {strdup(path), label != NULL ? strdup(label) : NULL};
    files->file[files->count++] = file;
    return file.path == NULL || (label != NULL && file.label == NULL) ? out_of_memory() : EXIT_DONE;
}

/* A pipe in a folder would be waited for. */
static bool is_special(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode) && !S_ISREG(about.st_mode);
}

/* Ignores hidden files. */
static int shown(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* A folder: its files, which have the class `label`; for the outer folder also its folders, one
 * per class. */
static int add_folder(picture_files *files, const char *folder, const char *label, bool outer) {
    struct dirent **entries;
    const int count = scandir(folder, &entries, shown, alphasort);
    int code = EXIT_DONE;
    if (count < 0) return complain(EXIT_USAGE, "cannot read the folder %s: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        char path[LONGEST_PATH];
        run_path(folder, entries[i]->d_name, path);
        if (code == EXIT_DONE && is_special(path))
            code = complain(EXIT_USAGE, "%s: it is neither a file nor a folder: remove it", path);
        else if (code == EXIT_DONE && !is_folder(path))
            code = add(files, path, label);
        else if (code == EXIT_DONE && outer)
            code = add_folder(files, path, entries[i]->d_name, false);
        free(entries[i]);
    }
    free(entries);
    return code;
}

/* A folder given on the command line; 'photos' and the list of its folders give the same result. */
static int add_named(picture_files *files, const char *path) {
    char name[LONGEST_PATH];
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/') length--;
    size_t first = length;
    while (first > 0 && path[first - 1] != '/') first--;
    snprintf(name, sizeof name, "%.*s", (int)(length - first), path + first);
    const bool named = name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
    return add_folder(files, path, named ? name : NULL, true);
}

int picture_files_add(picture_files *files, const char *path) {
    return add(files, path, NULL);
}

int picture_files_find(const word_list *words, picture_files *out) {
    int code = EXIT_DONE;
    *out = (picture_files){.file = NULL};
    for (int i = 0; i < words->count && code == EXIT_DONE; i++) {
        const char *path = words->word[i];
        code = is_folder(path) ? add_named(out, path) : add(out, path, NULL);
    }
    if (code == EXIT_DONE && out->count == 0) return complain(EXIT_USAGE, "%s: it has no pictures", words->word[0]);
    return code;
}

void picture_files_free(picture_files *files) {
    for (int64_t i = 0; i < files->count; i++) {
        free(files->file[i].path);
        free(files->file[i].label);
    }
    free(files->file);
}

int picture_file_read(sustain_context *context, const picture_file *file, const sustain_fewshot_about *about, uint8_t *pixels) {
    return refused(context, sustain_picture_read(context, file->path, about->channels, about->height, about->width, pixels));
}

int fewshot_model_open(sustain_context *context, const char *run, sustain_fewshot_model **out) {
    char path[LONGEST_PATH];
    run_path(run, "model.safetensors", path);
    return refused(context, sustain_fewshot_model_read(context, is_folder(run) ? path : run, out));
}

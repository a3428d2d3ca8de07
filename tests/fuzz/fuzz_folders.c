/* fuzz_folders.c - any names of files and folders: pictures in a folder for each class, also in
 * train, val and test, and in the folders of Omniglot. Each line of the input is the path of a
 * file; one that ends with '!' is no picture. */
#define _XOPEN_SOURCE 700 /* nftw() */
#include <ftw.h>

#include "data/named.h"
#include "input_folder.h"
#include "picture_set.h"

enum { MOST_PATHS = 24, LONGEST = 300 };

static sustain_context *context;

static int remove_one(const char *name, const struct stat *status, int kind, struct FTW *place) {
    (void)status, (void)kind;
    if (place->level > 0) remove(name);
    return 0;
}

static void empty_folder(void) {
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void start(void) {
    require(sustain_context_create_with(small_allocator, NULL, &context) == SUSTAIN_OK);
    make_folder_of(NULL, 0);
}

/* Whether a path stays in the folder. */
static bool stays(const char *name) {
    if (name[0] == '\0' || strlen(name) > LONGEST) return false;
    for (const char *part = name; part != NULL; part = strchr(part, '/')) {
        part += strspn(part, "/");
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return false;
    }
    return true;
}

static void make_file(const char *name) {
    char whole[LONGEST + 80];
    const int length = snprintf(whole, sizeof whole, "%s/%s", folder, name);
    for (char *slash = whole + strlen(folder); (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        mkdir(whole, 0700);
    }
    const int file = whole[length - 1] != '/' ? open(whole, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file < 0) return; /* a folder has its name, or it is too long */
    const size_t size = whole[length - 1] == '!' ? 1 : sizeof one_pixel;
    require(write(file, one_pixel, size) == (ssize_t)size && close(file) == 0);
}

static void make_files(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), *rest = NULL;
    require(text != NULL);
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    char *line = strtok_r(text, "\n", &rest);
    for (int i = 0; i < MOST_PATHS && line != NULL; i++, line = strtok_r(NULL, "\n", &rest))
        if (stays(line)) make_file(line);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sustain__picture_reader *const readers[] = {sustain__read_folder, sustain__read_omniglot};
    if (context == NULL) {
        start();
        atexit(empty_folder);
    }
    make_files(data, size);
    for (int r = 0; r < 2; r++)
        for (int split = SUSTAIN_SPLIT_TRAINING; split <= SUSTAIN_SPLIT_ALL; split++) {
            sustain_pictures *set = NULL;
            char found[SUSTAIN__LONGEST_PATH];
            if (r == 1 && !sustain_named_find("omniglot", folder, found, sizeof found)) continue;
            const sustain__picture_request request = small_request(context, r == 1 ? found : folder, (sustain_split)split);
            const sustain_status status = readers[r](&request, &set);
            check_pictures(context, status, set);
        }
    empty_folder();
    return 0;
}

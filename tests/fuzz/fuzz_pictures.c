/* fuzz_pictures.c - any text as a list of pictures: that of `clean --pictures`, and the three of
 * miniImageNet. What is refused gets a sentence; else there is a path on each line, or a set of
 * pictures that keeps its promises. */
#include "cli/verb_clean.h"
#include "input_folder.h"
#include "picture_set.h"
#include "program.h"

/* The input is each of the first four. */
static const char *const names[] = {"list.txt", "train.csv", "val.csv", "test.csv", "images/a.png", "images/b"};
enum { LISTS = 4, NAMES = sizeof names / sizeof *names };

static void start(void) {
    program_begin();
    make_folder_of(names, NAMES);
    for (int i = LISTS; i < NAMES; i++) put_file(i, one_pixel, sizeof one_pixel);
}

/* For the gallery: as many as there are rows, which is known after a first attempt. */
static void read_list(void) {
    const clean_values given = {.pictures = files[0].path};
    clean_data data = {.rows = -1};
    forget_sentences();
    require(clean_read_pictures(context, &given, &data) == EXIT_USAGE);
    check_sentence(EXIT_USAGE);
    const int64_t count = data.picture_files.count;
    picture_files_free(&data.picture_files);
    data = (clean_data){.rows = count};
    forget_sentences();
    const int code = clean_read_pictures(context, &given, &data);
    check_sentence(code);
    require(data.picture_files.count == count);
    for (int64_t i = 0; i < count; i++) require(data.picture_files.file[i].path[0] != '\0');
    picture_files_free(&data.picture_files);
}

static void read_named(void) {
    const sustain__picture_request request = small_request(context, folder, SUSTAIN_SPLIT_ALL);
    sustain_pictures *set = NULL;
    const sustain_status status = sustain__read_mini_imagenet(&request, &set);
    if (set != NULL) require(set->classes >= 3); /* one in each list at least */
    for (int64_t c = 0; set != NULL && c < set->classes; c++) require(set->first[c] < set->first[c + 1]);
    check_pictures(context, status, set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (context == NULL) start();
    for (int i = 0; i < LISTS; i++) put_file(i, data, size);
    if (size > 0) read_list(); /* else there is no such file */
    read_named();
    return 0;
}

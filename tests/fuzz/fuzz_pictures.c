/* fuzz_pictures.c - any text as a list of pictures: that of `clean --pictures`, and the three of
 * miniImageNet. What is refused gets a sentence; else there is a path on each line, or a set of
 * pictures that keeps its promises. */
#include "cli/verb_clean.h"
#include "data/pictures_internal.h"
#include "input_folder.h"
#include "program.h"

/* The input is each of the first four. */
static const char *const names[] = {"list.txt", "train.csv", "val.csv", "test.csv", "images/a.png", "images/b"};
enum { LISTS = 4, NAMES = sizeof names / sizeof *names };

/* A picture of one black pixel. */
static const uint8_t png[] = {137, 80, 78, 71, 13, 10, 26,  10,  0,   0,  0, 13, 73, 72, 68, 82, 0,  0,   0,   1,   0,  0,  0,
                              1,   8,  0,  0,  0,  0,  58,  126, 155, 85, 0, 0,  0,  10, 73, 68, 65, 84,  120, 156, 99, 96, 0,
                              0,   0,  2,  0,  1,  72, 175, 164, 113, 0,  0, 0,  0,  73, 69, 78, 68, 174, 66,  96,  130};

static void start(void) {
    program_begin();
    make_folder_of(names, NAMES);
    for (int i = LISTS; i < NAMES; i++) put_file(i, png, sizeof png);
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
    const sustain__picture_request request = {
        .context = context, .folder = folder, .source = "input", .split = SUSTAIN_SPLIT_ALL, .channels = 1, .height = 2, .width = 2};
    sustain_pictures *set = NULL;
    const sustain_status status = sustain__read_mini_imagenet(&request, &set);
    require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_IO || status == SUSTAIN_MEMORY);
    require((status == SUSTAIN_OK) == (set != NULL));
    if (status == SUSTAIN_FORMAT) require(sustain_error(context)[0] != '\0');
    if (set == NULL) return;
    require(set->classes >= 3 && set->first[0] == 0 && set->first[set->classes] == set->count); /* one in each list at least */
    for (int64_t c = 0; c < set->classes; c++) require(set->first[c] < set->first[c + 1] && set->class_names[c][0] != '\0');
    sustain_pictures_destroy(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (context == NULL) start();
    for (int i = 0; i < LISTS; i++) put_file(i, data, size);
    if (size > 0) read_list(); /* else there is no such file */
    read_named();
    return 0;
}

/* test_pictures.c - pictures sorted into classes: from folders, from sets that have a name, in
 * several threads; few-shot tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/pictures_internal.h"
#include "io/file.h"
#include "reading.h"

enum { LONG_PATH = 512 };

static bool error_has(const char *words) {
    return strstr(sustain_error(reading_context), words) != NULL;
}

/* Writes a grey PNG file of one colour. */
static void write_picture(const char *name, int side, uint8_t value) {
    uint8_t *pixels = malloc((size_t)(side * side)), *png;
    size_t size;
    memset(pixels, value, (size_t)(side * side));
    assert_int_equal(sustain_png_encode(reading_context, pixels, (sustain_picture){side, side, 1, false}, &png, &size), SUSTAIN_OK);
    reading_file(name, png, size);
    sustain_png_free(reading_context, png);
    free(pixels);
}

static const char *inside(const char *name) {
    static char path[LONG_PATH];
    snprintf(path, sizeof path, "%s/%s", reading_folder(), name);
    return path;
}

static sustain_pictures *must_read(sustain_status status, sustain_pictures *set) {
    if (status != SUSTAIN_OK) fail_msg("refused: %s", sustain_error(reading_context));
    return set;
}

static sustain_pictures *read_folder(const char *name, sustain_split split, const sustain_picture_options *options) {
    sustain_pictures *set;
    const sustain_status status = sustain_pictures_folder(reading_context, inside(name), split, options, &set);
    return must_read(status, set);
}

static sustain_pictures *read_named(const char *name, const char *data_dir, sustain_split split, const sustain_picture_options *options) {
    sustain_pictures *set;
    const sustain_status status = sustain_pictures_named(reading_context, name, data_dir, split, options, &set);
    return must_read(status, set);
}

/* ---- folders ---- */

/* 25 classes c00 .. c24 of two pictures each, whose value is ten times the class, plus the
 * picture. */
static void make_classes(const char *folder) {
    for (int c = 0; c < 25; c++)
        for (int i = 0; i < 2; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s/c%02d/%d.jpeg", folder, c, i); /* told by its content */
            write_picture(name, 6 + c, (uint8_t)(10 * c + i));
        }
    reading_file("own/readme.txt", "not a class", 11);
    reading_file("own/c03/.hidden", "not a picture", 13);
}

static void folder_of_classes(void **state) {
    (void)state;
    static const sustain_picture_options options = {.channels = 1, .height = 4, .width = 5};
    make_classes("own");
    sustain_pictures *all = read_folder("own", SUSTAIN_SPLIT_ALL, &options);
    assert_true(all->count == 50 && all->classes == 25 && all->channels == 1 && all->height == 4 && all->width == 5);
    for (int64_t c = 0; c < 25; c++) {
        char name[16];
        snprintf(name, sizeof name, "c%02d", (int)c);
        assert_string_equal(all->class_names[c], name);
        assert_true(all->first[c] == 2 * c && all->first[c + 1] == 2 * c + 2);
        for (int64_t i = 0; i < 2; i++)
            for (int k = 0; k < 20; k++) assert_int_equal(sustain_picture_pixels(all, 2 * c + i)[k], 10 * c + i);
    }
    assert_string_equal(all->source, inside("own"));
    sustain_pictures_destroy(all);
    all = read_folder("own", SUSTAIN_SPLIT_ALL, NULL);
    assert_true(all->channels == 3 && all->height == 84 && all->width == 84);
    sustain_pictures_destroy(all);
}

static uint64_t fingerprint_of(const char *name, int threads) {
    static const sustain_picture_options options = {.channels = 1, .height = 4, .width = 5};
    sustain_context *const shared = reading_context;
    assert_int_equal(sustain_context_create(&reading_context), SUSTAIN_OK);
    assert_int_equal(sustain_context_set_threads(reading_context, threads), SUSTAIN_OK);
    sustain_pictures_destroy(read_folder(name, SUSTAIN_SPLIT_ALL, &options));
    const uint64_t found = sustain_context_fingerprint(reading_context);
    sustain_context_destroy(reading_context);
    reading_context = shared;
    return found;
}

/* The fingerprint does not depend on threads, but on the class of every picture. */
static void folder_fingerprint(void **state) {
    (void)state;
    char from[LONG_PATH];
    make_classes("marked");
    const uint64_t before = fingerprint_of("marked", 1);
    assert_true(fingerprint_of("marked", 4) == before);
    snprintf(from, sizeof from, "%s", inside("marked/c03/1.jpeg"));
    assert_int_equal(rename(from, inside("marked/c04/-.jpeg")), 0); /* the same sequence of pictures */
    assert_true(fingerprint_of("marked", 1) != before);
    snprintf(from, sizeof from, "%s", inside("marked/c04/-.jpeg"));
    assert_int_equal(rename(from, inside("marked/c03/1.jpeg")), 0);
    assert_true(fingerprint_of("marked", 4) == before);
    write_picture("marked/c00/0.jpeg", 6 + 24, 240);
    write_picture("marked/c24/0.jpeg", 6, 0);
    assert_true(fingerprint_of("marked", 4) != before);
}

/* Every class is in one split; 64, 16 and 20 % of them; another seed shares out otherwise. */
static void folder_shared_out(void **state) {
    (void)state;
    static const int64_t expected[] = {16, 4, 5};
    int where[2][25];
    for (uint64_t seed = 0; seed < 2; seed++) {
        int seen = 0;
        for (int s = 0; s < 3; s++) {
            const sustain_picture_options options = {.channels = 1, .height = 1, .width = 1, .seed = seed};
            sustain_pictures *set = read_folder("own", (sustain_split)s, &options);
            assert_int_equal(set->classes, expected[s]);
            for (int64_t c = 0; c < set->classes; c++, seen++) {
                const int number = atoi(set->class_names[c] + 1);
                where[seed][number] = s;
                assert_int_equal(set->pixels[set->first[c]], 10 * number);
            }
            sustain_pictures_destroy(set);
        }
        assert_int_equal(seen, 25);
    }
    assert_memory_not_equal(where[0], where[1], sizeof where[0]);
}

static void folder_with_splits(void **state) {
    (void)state;
    sustain_pictures *set;
    write_picture("parts/train/a/1.png", 3, 1);
    write_picture("parts/train/b/1.png", 3, 2);
    write_picture("parts/test/c/1.png", 3, 3);
    assert_int_equal(sustain_pictures_folder(reading_context, inside("parts"), SUSTAIN_SPLIT_TEST, NULL, &set), SUSTAIN_FORMAT);
    assert_true(error_has("but no folder 'val': give all three, or none"));
    write_picture("parts/val/d/1.png", 3, 4);
    set = read_folder("parts", SUSTAIN_SPLIT_TRAINING, NULL);
    assert_true(set->classes == 2 && set->pixels[0] == 1);
    sustain_pictures_destroy(set);
    set = read_folder("parts", SUSTAIN_SPLIT_VALIDATION, NULL);
    assert_true(set->classes == 1 && set->pixels[0] == 4);
    assert_string_equal(set->class_names[0], "d");
    sustain_pictures_destroy(set);
}

static void folder_refused(const char *name, sustain_split split, sustain_status expected, const char *words) {
    sustain_pictures *set;
    assert_int_equal(sustain_pictures_folder(reading_context, inside(name), split, NULL, &set), expected);
    assert_null(set);
    if (!error_has(words)) fail_msg("\"%s\" does not say \"%s\"", sustain_error(reading_context), words);
}

static void folders_refused(void **state) {
    (void)state;
    folder_refused("nowhere", SUSTAIN_SPLIT_ALL, SUSTAIN_IO, "cannot read the folder ");
    folder_refused("own/c01", SUSTAIN_SPLIT_ALL, SUSTAIN_FORMAT, "own/c01: it has no folders; put the pictures of each class");
    folder_refused("own/c01", SUSTAIN_SPLIT_TEST, SUSTAIN_FORMAT, "own/c01: it has no folders; put the pictures of each class");
    write_picture("few/a/1.png", 3, 1);
    folder_refused("few", SUSTAIN_SPLIT_VALIDATION, SUSTAIN_FORMAT,
                   "few: it has 1 classes, too few to have one for validation; add classes");
    reading_file("few/b/.hidden", "", 0);
    folder_refused("few", SUSTAIN_SPLIT_ALL, SUSTAIN_FORMAT, "few/b: this folder has no pictures");
    reading_file("few/b/page.jpg", "<html>", 6);
    folder_refused("few", SUSTAIN_SPLIT_ALL, SUSTAIN_FORMAT, "few/b/page.jpg: it is neither a PNG nor a JPEG picture");
    sustain_pictures *set;
    static const sustain_picture_options two = {.channels = 2}, wide = {.width = 5000};
    assert_int_equal(sustain_pictures_folder(reading_context, inside("few"), SUSTAIN_SPLIT_ALL, &two, &set), SUSTAIN_ARGUMENT);
    assert_true(error_has("pictures have 1 or 3 channels, not 2"));
    assert_int_equal(sustain_pictures_folder(reading_context, inside("few"), SUSTAIN_SPLIT_ALL, &wide, &set), SUSTAIN_ARGUMENT);
    assert_true(error_has("pictures of 5000 x 84 pixels are not possible"));
}

static void lack_of_memory(void **state) {
    (void)state;
    static const sustain_picture_options options = {.channels = 1, .height = 2, .width = 2};
    for (int64_t n = 1;; n++) {
        const int64_t live = reading_memory.live;
        sustain_pictures *set;
        reading_memory.calls = 0;
        reading_memory.fail_at = n;
        const sustain_status status = sustain_pictures_folder(reading_context, inside("own"), SUSTAIN_SPLIT_ALL, &options, &set);
        reading_memory.fail_at = 0;
        if (status == SUSTAIN_OK) {
            assert_true(n > 50);
            sustain_pictures_destroy(set);
            return;
        }
        assert_int_equal(status, SUSTAIN_MEMORY);
        assert_null(set);
        assert_int_equal(reading_memory.live, live);
    }
}

/* ---- sets that have a name ---- */

/* One record a class in train.bin, another in test.bin; the picture is the number of the class,
 * plus 100 in test.bin. */
static void fc100_files(void **state) {
    (void)state;
    enum { RECORD = 2 + 3072 };
    uint8_t *records = malloc(100 * RECORD);
    for (int test = 0; test < 2; test++) {
        for (int c = 0; c < 100; c++) {
            memset(records + c * RECORD, c + 100 * test, RECORD);
            records[c * RECORD] = 0, records[c * RECORD + 1] = (uint8_t)c;
        }
        reading_file(test ? "data/cifar-100-binary/test.bin" : "data/cifar-100-binary/train.bin", records, 100 * RECORD);
    }
    int seen[100] = {0};
    static const int64_t expected[] = {60, 20, 20};
    for (int s = 0; s < 3; s++) {
        sustain_pictures *set = read_named("fc100", inside("data"), (sustain_split)s, NULL);
        assert_true(set->classes == expected[s] && set->count == 2 * expected[s] && set->channels == 3 && set->height == 32);
        for (int64_t c = 0; c < set->classes; c++) {
            const uint8_t *pixels = sustain_picture_pixels(set, set->first[c]);
            assert_true(sustain__fc100_split(pixels[0]) == (sustain_split)s);
            assert_string_equal(sustain__fc100_name(pixels[0]), set->class_names[c]);
            assert_int_equal(pixels[3072], pixels[3071] + 100);
            seen[pixels[0]]++;
        }
        sustain_pictures_destroy(set);
    }
    for (int c = 0; c < 100; c++) assert_int_equal(seen[c], 1);
    sustain_pictures *cut;
    reading_file("data/cifar-100-binary/test.bin", records, 99 * RECORD + 5);
    assert_int_equal(sustain_pictures_named(reading_context, "fc100", inside("data"), SUSTAIN_SPLIT_TEST, NULL, &cut), SUSTAIN_FORMAT);
    assert_true(error_has("test.bin: it is not a complete CIFAR-100 binary file (records of 3,074 bytes): unpack the archive again"));
    free(records);
}

/* The split built in against the published lists. */
static void fc100_split(void **state) {
    (void)state;
    static const char *const lists[] = {"train", "val", "test"};
    const char *data_dir = getenv("SUSTAIN_DATA");
    int lines = 0;
    for (int s = 0; s < 3; s++) {
        char path[LONG_PATH], line[256], name[64];
        int fine;
        snprintf(path, sizeof path, "%s/splits/fc100_%s_classes.csv", data_dir != NULL ? data_dir : "", lists[s]);
        FILE *file = fopen(path, "r");
        if (file == NULL) {
            printf("skipped: the list of FC100's classes is not there\n");
            skip();
        }
        while (fgets(line, sizeof line, file) != NULL) {
            if (sscanf(line, "%d,%63[^,]", &fine, name) != 2) continue;
            assert_int_equal(sustain__fc100_split(fine), s);
            assert_string_equal(sustain__fc100_name(fine), name);
            lines++;
        }
        fclose(file);
    }
    assert_int_equal(lines, 100);
}

static void write_text(const char *name, const char *text) {
    reading_file(name, text, strlen(text));
}

static void mini_imagenet_files(void **state) {
    (void)state;
    sustain_pictures *set;
    write_picture("data/mini-imagenet/images/x1.jpg", 84, 11);
    write_picture("data/mini-imagenet/images/x2.jpg", 100, 12);
    write_picture("data/mini-imagenet/images/y1.jpg", 84, 21);
    write_text("data/mini-imagenet/train.csv", "filename,label\nx1.jpg,x\ny1.jpg,y\nx2.jpg,x\n");
    write_text("data/mini-imagenet/val.csv", "filename,label\ny1.jpg,z\ngone.jpg,z\n");
    write_text("data/mini-imagenet/test.csv", "filename,label\ny1.jpg\n");
    set = read_named("mini-imagenet", inside("data"), SUSTAIN_SPLIT_TRAINING, NULL);
    assert_true(set->classes == 2 && set->count == 3 && set->first[1] == 2 && set->height == 84 && set->channels == 3);
    for (int64_t i = 0; i < 3; i++) assert_int_equal(sustain_picture_pixels(set, i)[84 * 84], i == 2 ? 21 : 11 + i);
    assert_string_equal(set->source, "mini-imagenet (training)");
    sustain_pictures_destroy(set);
    assert_int_equal(sustain_pictures_named(reading_context, "mini-imagenet", inside("data"), SUSTAIN_SPLIT_VALIDATION, NULL, &set),
                     SUSTAIN_IO);
    assert_true(error_has("mini-imagenet/val.csv, line 3: there is no file 'gone.jpg' in "));
    assert_int_equal(sustain_pictures_named(reading_context, "mini-imagenet", inside("data"), SUSTAIN_SPLIT_TEST, NULL, &set),
                     SUSTAIN_FORMAT);
    assert_true(error_has("mini-imagenet/test.csv, line 2: it must have two columns, the name of a file and its label"));
    write_text("data/mini-imagenet/test.csv", "filename,label\n");
    assert_int_equal(sustain_pictures_named(reading_context, "mini-imagenet", inside("data"), SUSTAIN_SPLIT_TEST, NULL, &set),
                     SUSTAIN_FORMAT);
    assert_true(error_has("mini-imagenet/test.csv: it lists no pictures"));
}

/* Black ink in the left upper corner of white paper. */
static void write_drawing(const char *name) {
    uint8_t pixels[105 * 105], *png;
    size_t size;
    memset(pixels, 255, sizeof pixels);
    for (int r = 0; r < 15; r++) memset(pixels + 105 * r, 0, 30);
    assert_int_equal(sustain_png_encode(reading_context, pixels, (sustain_picture){105, 105, 1, false}, &png, &size), SUSTAIN_OK);
    reading_file(name, png, size);
    sustain_png_free(reading_context, png);
}

/* Eight characters of two alphabets: the last one is for validation. */
static void omniglot_folders(void **state) {
    (void)state;
    static const char *const alphabets[] = {"B", "A"};
    for (int c = 0; c < 8; c++) {
        char name[128];
        snprintf(name, sizeof name, "data/omniglot/images_background/%s/character%02d/1.png", alphabets[c / 4], c % 4 + 1);
        write_drawing(name);
    }
    write_drawing("data/omniglot/images_evaluation/C/character01/1.png");
    sustain_pictures *set = read_named("omniglot", inside("data"), SUSTAIN_SPLIT_TRAINING, NULL);
    assert_true(set->classes == 28 && set->count == 28 && set->channels == 1 && set->height == 28);
    assert_string_equal(set->class_names[0], "A/character01");
    assert_string_equal(set->class_names[27], "B/character03 turned by 270");
    /* ink in 8 columns of 4 rows: at the left, then at the bottom, ... counter-clockwise */
    static const int corner[4] = {0, 27 * 28, 28 * 28 - 1, 27}, along[4] = {7, 20 * 28, 28 * 28 - 8, 7 * 28 + 27};
    for (int t = 0; t < 4; t++) {
        const uint8_t *pixels = sustain_picture_pixels(set, t);
        for (int k = 0; k < 4; k++) assert_int_equal(pixels[corner[k]], k == t ? 255 : 0);
        assert_int_equal(pixels[along[t]], 255);
    }
    sustain_pictures_destroy(set);
    set = read_named("omniglot", inside("data"), SUSTAIN_SPLIT_VALIDATION, NULL);
    assert_int_equal(set->classes, 4);
    assert_string_equal(set->class_names[0], "B/character04");
    sustain_pictures_destroy(set);
    set = read_named("omniglot", inside("data"), SUSTAIN_SPLIT_TEST, NULL);
    assert_string_equal(set->class_names[0], "C/character01");
    sustain_pictures_destroy(set);
    static const sustain_picture_options oblong = {.height = 20};
    assert_int_equal(sustain_pictures_named(reading_context, "omniglot", inside("data"), SUSTAIN_SPLIT_TEST, &oblong, &set),
                     SUSTAIN_ARGUMENT);
    assert_true(error_has("so they must be square, not 28 x 20"));
}

/* The same drawing in NPZ files, which are looked for first. */
static void omniglot_arrays(void **state) {
    (void)state;
    sustain__bytes npz;
    assert_int_equal(sustain__bytes_read(reading_context, "tests/golden/pictures/omniglot.npz", &npz), SUSTAIN_OK);
    sustain_pictures *drawn = read_named("omniglot", inside("data"), SUSTAIN_SPLIT_TRAINING, NULL);
    reading_file("data/omniglot/images_background.npz", npz.data, npz.length);
    reading_file("data/omniglot/images_evaluation.npz", npz.data, npz.length);
    sustain__bytes_free(reading_context, &npz);
    sustain_pictures *set = read_named("omniglot", inside("data"), SUSTAIN_SPLIT_TRAINING, NULL);
    assert_true(set->classes == 28 && set->count == 56 && set->first[1] == 2);
    assert_string_equal(set->class_names[27], "background character 6 turned by 270");
    for (int64_t i = 0; i < 56; i++) assert_memory_equal(sustain_picture_pixels(set, i), sustain_picture_pixels(drawn, i / 2), 28 * 28);
    sustain_pictures_destroy(set);
    sustain_pictures_destroy(drawn);
    set = read_named("omniglot", inside("data"), SUSTAIN_SPLIT_TEST, NULL);
    assert_true(set->classes == 32 && set->count == 64);
    sustain_pictures_destroy(set);
}

static void names(void **state) {
    (void)state;
    sustain_pictures *set;
    assert_int_equal(sustain_pictures_named(reading_context, "fc10", NULL, SUSTAIN_SPLIT_ALL, NULL, &set), SUSTAIN_UNKNOWN_NAME);
    assert_true(error_has("no data set is called 'fc10'; did you mean 'fc100'?"));
    assert_int_equal(sustain_pictures_named(reading_context, "mnist", NULL, SUSTAIN_SPLIT_ALL, NULL, &set), SUSTAIN_UNKNOWN_NAME);
    assert_true(error_has("the data set mnist is not for few-shot tasks"));
    assert_int_equal(sustain_pictures_named(reading_context, "omniglot", "/nowhere", SUSTAIN_SPLIT_ALL, NULL, &set), SUSTAIN_IO);
    assert_true(error_has("the data set omniglot was not found in /nowhere: get images_background.zip"));
}

static void real_files(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t classes[3];
    } sets[] = {{"fc100", {60, 20, 20}}, {"mini-imagenet", {64, 16, 20}}, {"omniglot", {3308, 548, 2636}}};
    static const sustain_task_shape shape = {5, 5, 15};
    const char *data_dir = getenv("SUSTAIN_DATA");
    bool missing = false;
    for (int i = 0; i < 3; i++) {
        char folder[LONG_PATH];
        if (!sustain_named_find(sets[i].name, data_dir, folder, sizeof folder)) {
            printf("skipped: the data set %s is not there\n", sets[i].name);
            missing = true;
            continue;
        }
        for (int s = 1; s < 3; s++) { /* the largest parts take their time */
            sustain_pictures *set = read_named(sets[i].name, data_dir, (sustain_split)s, NULL);
            assert_int_equal(set->classes, sets[i].classes[s]);
            assert_int_equal(sustain_tasks_check(set, &shape), SUSTAIN_OK);
            sustain_pictures_destroy(set);
        }
    }
    if (missing) skip();
}

/* ---- generated ---- */

static void generated(void **state) {
    (void)state;
    static const sustain_picture_options small = {.channels = 1, .height = 8, .width = 8, .seed = 100},
                                         other = {.channels = 1, .height = 8, .width = 8};
    sustain_pictures *training = read_named("generated", NULL, SUSTAIN_SPLIT_TRAINING, &small),
                     *test = read_named("generated", NULL, SUSTAIN_SPLIT_TEST, &small),
                     *again = read_named("generated", NULL, SUSTAIN_SPLIT_TEST, &small),
                     *different = read_named("generated", NULL, SUSTAIN_SPLIT_TEST, &other);
    assert_true(training->classes == 64 && training->count == 64 * 30 && training->height == 8 && training->channels == 1);
    assert_true(test->classes == 20 && test->count == 600);
    assert_memory_equal(test->pixels, again->pixels, 600 * 64);
    assert_memory_not_equal(test->pixels, different->pixels, 600 * 64);
    assert_memory_not_equal(test->pixels, training->pixels, 600 * 64);
    sustain_pictures_destroy(training);
    sustain_pictures_destroy(test);
    sustain_pictures_destroy(again);
    sustain_pictures_destroy(different);
}

/* ---- tasks ---- */

/* Classes of 6, 7, ..., 11 pictures; only their sizes matter. */
enum { CLASSES = 6 };
static const int64_t sizes_first[CLASSES + 1] = {0, 6, 13, 21, 30, 40, 51};
static const char *const size_names[CLASSES] = {"six", "seven", "eight", "nine", "ten", "eleven"};

static sustain_pictures sizes(void) {
    return (sustain_pictures){
        .count = 51, .classes = CLASSES, .first = sizes_first, .class_names = size_names, .source = "sizes", .context = reading_context};
}

static void tasks_refused(void **state) {
    (void)state;
    const sustain_pictures set = sizes();
    static const struct {
        sustain_task_shape shape;
        const char *words;
    } cases[] = {
        {{5, 2, 5},
         "sizes: the class 'six' has too few pictures, 6, for 2 shots and 5 queries; give more, ask for fewer, or remove the class"},
        {{2, 1, INT64_MAX}, "the class 'six' has too few pictures, 6, for"},
        {{7, 1, 1}, "sizes has too few classes, 6, for tasks of 7; give more, or ask for fewer"},
        {{0, 1, 1}, "a task cannot have 0 classes, 1 shots and 1 queries"},
        {{1, 0, 1}, "a task cannot have 1 classes, 0 shots"},
        {{1, 1, -1}, "a task cannot have 1 classes, 1 shots and -1 queries"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(sustain_tasks_check(&set, &cases[i].shape), SUSTAIN_ARGUMENT);
        assert_true(error_has(cases[i].words));
    }
    assert_int_equal(sustain_tasks_check(&set, &(sustain_task_shape){6, 2, 4}), SUSTAIN_OK);
    assert_int_equal(sustain_tasks_check(&set, &(sustain_task_shape){6, 6, 0}), SUSTAIN_OK);
}

typedef struct drawn {
    int64_t classes[CLASSES], support[CLASSES * 2], query[CLASSES * 4];
} drawn;

static drawn draw(sustain_task_shape shape, uint64_t seed, uint32_t stream, uint64_t task) {
    const sustain_pictures set = sizes();
    drawn d;
    memset(&d, 0, sizeof d);
    sustain_task_draw(&set, &shape, seed, stream, task, d.support, d.query, d.classes);
    return d;
}

/* All pictures of a task are different, and of the class that they stand for. */
static void tasks_without_repetition(void **state) {
    (void)state;
    for (uint64_t t = 0; t < 500; t++) {
        const drawn d = draw((sustain_task_shape){CLASSES, 2, 4}, 100, 1, t);
        bool used[51] = {false}, class_used[CLASSES] = {false};
        for (int w = 0; w < CLASSES; w++) {
            const int64_t c = d.classes[w];
            assert_false(class_used[c]);
            class_used[c] = true;
            for (int i = 0; i < 6; i++) {
                const int64_t picture = i < 2 ? d.support[2 * w + i] : d.query[4 * w + i - 2];
                assert_true(picture >= sizes_first[c] && picture < sizes_first[c + 1] && !used[picture]);
                used[picture] = true;
            }
        }
    }
}

static void tasks_repeat(void **state) {
    (void)state;
    const sustain_task_shape shape = {3, 2, 4};
    const drawn d = draw(shape, 100, 1, 7), same = draw(shape, 100, 1, 7);
    assert_memory_equal(&d, &same, sizeof d);
    const drawn others[] = {draw(shape, 101, 1, 7), draw(shape, 100, 2, 7), draw(shape, 100, 1, 8)};
    for (int i = 0; i < 3; i++) assert_memory_not_equal(&d, &others[i], sizeof d);
}

/* Ordered pairs of classes, and pairs of a shot and a query, come equally often: within five
 * standard deviations. */
static void tasks_uniform(void **state) {
    (void)state;
    enum { TASKS = 30000 };
    int pairs[CLASSES][CLASSES] = {{0}}, pictures[6][6] = {{0}}, of_six = 0;
    for (uint64_t t = 0; t < TASKS; t++) {
        const drawn d = draw((sustain_task_shape){2, 1, 1}, 100, 3, t);
        pairs[d.classes[0]][d.classes[1]]++;
        if (d.classes[1] == 0) pictures[d.support[1]][d.query[1]]++, of_six++;
    }
    for (int i = 0; i < CLASSES; i++)
        for (int j = 0; j < CLASSES; j++) {
            assert_in_range(pairs[i][j], i == j ? 0 : 1000 - 5 * 32, i == j ? 0 : 1000 + 5 * 32);
            assert_in_range(pictures[i][j], i == j ? 0 : (unsigned)of_six / 30 - 5 * 13, i == j ? 0 : (unsigned)of_six / 30 + 5 * 13);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folder_of_classes),   cmocka_unit_test(folder_fingerprint),
        cmocka_unit_test(folder_shared_out),   cmocka_unit_test(folder_with_splits),
        cmocka_unit_test(folders_refused),     cmocka_unit_test(lack_of_memory),
        cmocka_unit_test(fc100_files),         cmocka_unit_test(fc100_split),
        cmocka_unit_test(mini_imagenet_files), cmocka_unit_test(omniglot_folders),
        cmocka_unit_test(omniglot_arrays),     cmocka_unit_test(names),
        cmocka_unit_test(real_files),          cmocka_unit_test(generated),
        cmocka_unit_test(tasks_refused),       cmocka_unit_test(tasks_without_repetition),
        cmocka_unit_test(tasks_repeat),        cmocka_unit_test(tasks_uniform),
    };
    return cmocka_run_group_tests(tests, reading_setup, reading_teardown);
}

/* clean_pictures.c - what the gallery of the page shows: the rows themselves where they are
 * pictures, or pictures given beside embeddings or probabilities: an array, a folder, or a list of
 * files. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "output.h"
#include "verb_clean.h"

enum { GALLERY = 200, SIDE = 64 };

/* ---- reading ---- */

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The number that a file is named by, "12.png"; -1: it is named otherwise. */
static long long number_of(const char *path) {
    char *end;
    const char *name = last_part(path);
    if (!isdigit((unsigned char)name[0])) return -1;
    const long long number = strtoll(name, &end, 10);
    return *end == '.' || *end == '\0' ? number : -1;
}

static int by_number(const void *a, const void *b) {
    const long long p = number_of(((const picture_file *)a)->path), q = number_of(((const picture_file *)b)->path);
    return p < q ? -1 : p > q;
}

/* The files of one folder that are all named by numbers are in the order of these: 9.png before
 * 10.png. */
static void order_numbers(picture_files *files) {
    const ptrdiff_t folder = last_part(files->file[0].path) - files->file[0].path;
    for (int64_t i = 0; i < files->count; i++) {
        const char *path = files->file[i].path;
        if (number_of(path) < 0 || last_part(path) - path != folder || strncmp(path, files->file[0].path, (size_t)folder) != 0) return;
    }
    qsort(files->file, (size_t)files->count, sizeof *files->file, by_number);
}

/* A list has a path on each line, as it is or beside the list. */
static int read_list(const char *list, picture_files *out) {
    char line[LONGEST_PATH], path[LONGEST_PATH], folder[LONGEST_PATH];
    FILE *from = fopen(list, "r");
    if (from == NULL) return complain(EXIT_USAGE, "cannot read %s", list);
    snprintf(folder, sizeof folder, "%.*s", (int)(last_part(list) - list), list);
    int code = EXIT_DONE;
    while (code == EXIT_DONE && fgets(line, sizeof line, from) != NULL) {
        size_t length = strlen(line);
        while (length > 0 && isspace((unsigned char)line[length - 1])) line[--length] = '\0';
        if (length == 0) continue;
        if (line[0] == '/' || folder[0] == '\0')
            snprintf(path, sizeof path, "%s", line);
        else if (snprintf(path, sizeof path, "%s%s", folder, line) >= (int)sizeof path)
            code = complain(EXIT_USAGE, "%s, line %lld: the path is too long", list, (long long)(out->count + 1));
        if (code == EXIT_DONE) code = picture_files_add(out, path);
    }
    fclose(from);
    return code;
}

static bool ends_with(const char *text, const char *end) {
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcasecmp(text + n - m, end) == 0;
}

static int read_files(const char *given, bool folder, clean_data *data) {
    picture_files *files = &data->picture_files;
    const word_list words = {.word = {given}, .count = 1};
    const int code = folder ? picture_files_find(&words, files) : read_list(given, files);
    if (code != EXIT_DONE) return code;
    if (files->count != data->rows)
        return complain(EXIT_USAGE,
                        "--pictures %s has %lld pictures, but there are %lld rows: there must be one for each row, in the same order",
                        given, (long long)files->count, (long long)data->rows);
    if (folder) order_numbers(files);
    return EXIT_DONE;
}

static int read_array(sustain_context *context, const char *given, clean_data *data) {
    const int code = refused(context, sustain_dataset_read(context, given, NULL, &data->pictures));
    if (code != EXIT_DONE) return code;
    const sustain_dataset *set = data->pictures;
    if (set->picture.height == 0)
        return complain(
            EXIT_USAGE,
            "--pictures %s: its rows have no height and width; give an array (rows, height, width) or (rows, height, width, channels), "
            "a folder of pictures, or a text file (.txt) with a path on each line",
            given);
    if (set->rows.count != data->rows)
        return complain(EXIT_USAGE,
                        "--pictures %s has %lld pictures, but there are %lld rows: there must be one for each row, in the same order",
                        given, (long long)set->rows.count, (long long)data->rows);
    return EXIT_DONE;
}

int clean_read_pictures(sustain_context *context, const clean_values *given, clean_data *data) {
    const char *path = given->pictures;
    if (path == NULL) return EXIT_DONE;
    const bool folder = is_folder(path);
    return folder || ends_with(path, ".txt") || ends_with(path, ".csv") ? read_files(path, folder, data) : read_array(context, path, data);
}

/* ---- writing ---- */

/* Pictures to write, (count, height, width, channels), as bytes or as floats. */
typedef struct picture_list {
    int64_t count, height, width, channels;
    uint8_t *bytes;
    float *floats;
} picture_list;

/* Where pixel (row, column, channel) of a picture is in its row of features. */
static int64_t pixel(const sustain_picture *p, int64_t row, int64_t column, int64_t channel) {
    if (p->interleaved) return (row * p->width + column) * p->channels + channel;
    return (channel * p->height + row) * p->width + column;
}

/* Feature j of training row i, or of its picture. */
static double value_at(const clean_job *job, int64_t i, int64_t j) {
    const sustain_dataset *set = job->data.pictures;
    if (set == NULL) return clean_raw_feature(&job->data, i, j);
    const int64_t at = clean_row(&job->data, i) * set->rows.dim + j;
    return set->rows.bytes != NULL ? set->rows.bytes[at] : (double)set->rows.values[at];
}

/* Every step-th pixel in both directions. */
static void from_rows(const clean_job *job, const sustain_picture *p, int64_t step, picture_list *to) {
    int64_t at = 0;
    for (int64_t k = 0; k < to->count; k++)
        for (int64_t row = 0; row < to->height; row++)
            for (int64_t column = 0; column < to->width; column++)
                for (int64_t channel = 0; channel < to->channels; channel++, at++) {
                    const double value = value_at(job, job->result.order[k], pixel(p, row * step, column * step, channel));
                    if (to->bytes != NULL)
                        to->bytes[at] = (uint8_t)lround(fmin(fmax(value, 0), 255));
                    else
                        to->floats[at] = (float)value;
                }
}

/* A picture that cannot be read stays black. */
static void from_files(const clean_job *job, picture_list *to) {
    uint8_t planes[3 * SIDE * SIDE];
    for (int64_t k = 0; k < to->count; k++) {
        const char *path = job->data.picture_files.file[clean_row(&job->data, job->result.order[k])].path;
        if (sustain_picture_read(job->run.context, path, 3, SIDE, SIDE, planes) != SUSTAIN_OK) {
            note_warning("%s", sustain_error(job->run.context));
            continue;
        }
        for (int64_t j = 0; j < 3 * SIDE * SIDE; j++) to->bytes[(k * SIDE * SIDE + j % (SIDE * SIDE)) * 3 + j / (SIDE * SIDE)] = planes[j];
    }
}

static int write_pictures(const clean_job *job, const char *path, const picture_list *l) {
    const int64_t shape[4] = {l->count, l->height, l->width, l->channels};
    const bool bytes = l->bytes != NULL;
    return refused(job->run.context, sustain_npy_write(job->run.context, path, bytes ? SUSTAIN_NPY_BYTE : SUSTAIN_NPY_FLOAT,
                                                       l->channels > 1 ? 4 : 3, shape, bytes ? (const void *)l->bytes : l->floats));
}

int clean_write_gallery(const clean_job *job) {
    const sustain_dataset *set = job->data.pictures != NULL ? job->data.pictures : job->data.training;
    const sustain_picture *p = &set->picture;
    const bool files = job->data.picture_files.count > 0;
    const int64_t side = p->height > p->width ? p->height : p->width;
    const int64_t step = job->data.pictures != NULL ? (side + SIDE - 1) / SIDE : 1;
    char path[LONGEST_PATH];
    run_path(job->given->run.out, "gallery.npy", path);
    if (!files && (p->height == 0 || set->rows.start != NULL)) {
        remove(path); /* of another run, which this one replaces */
        return EXIT_DONE;
    }
    picture_list l = {.count = job->result.count < GALLERY ? job->result.count : GALLERY, .height = SIDE, .width = SIDE, .channels = 3};
    if (!files) l.height = (p->height + step - 1) / step, l.width = (p->width + step - 1) / step, l.channels = p->channels;
    const bool bytes = files || (job->data.pictures != NULL ? set->rows.bytes != NULL : job->data.bytes);
    void *values = calloc((size_t)(l.count * l.height * l.width * l.channels), bytes ? 1 : sizeof(float));
    if (values == NULL) return out_of_memory();
    l.bytes = bytes ? values : NULL, l.floats = bytes ? NULL : values;
    if (files)
        from_files(job, &l);
    else
        from_rows(job, p, step, &l);
    const int code = write_pictures(job, path, &l);
    free(values);
    return code;
}

/* mini_imagenet.c - miniImageNet: a folder `images`, and the lists train.csv, val.csv, test.csv
 * of Ravi and Larochelle ("Optimization as a model for few-shot learning", ICLR 2017) with the
 * columns filename and label: 64, 16 and 20 classes. */
#include <stdio.h>
#include <string.h>

#include "data/csv_field.h"
#include "data/named.h"
#include "data/pictures_internal.h"
#include "io/file.h"
#include "io/folder.h"

enum { LONGEST_NAME = 256 };

static const char *const lists[] = {"train.csv", "val.csv", "test.csv"};

/* Copies a field, with a zero at its end. */
static bool copy_field(const sustain__field_text *field, char text[LONGEST_NAME]) {
    const size_t length = (size_t)(field->end - field->at);
    if (length == 0 || length >= LONGEST_NAME) return false;
    memcpy(text, field->at, length);
    text[length] = '\0';
    return true;
}

/* One line: two fields, and no more. */
static sustain_status read_line(sustain__csv *csv, char name[LONGEST_NAME], char label[LONGEST_NAME]) {
    const long long line = csv->line;
    sustain__field_text fields[2] = {{NULL, NULL}, {NULL, NULL}};
    SUSTAIN_TRY(sustain__csv_text(csv, &fields[0]));
    if (!csv->row_ended) SUSTAIN_TRY(sustain__csv_text(csv, &fields[1]));
    if (!csv->row_ended || !copy_field(&fields[0], name) || !copy_field(&fields[1], label))
        return sustain__fail(csv->context, SUSTAIN_FORMAT, "%s, line %lld: it must have two columns, the name of a file and its label",
                             csv->path, line);
    return SUSTAIN_OK;
}

/* Finds a class by name, starting at `from`, or adds it. Lines of a class are mostly
 * consecutive. */
static sustain_status find_class(sustain__picture_list *list, int64_t from, const char *label, int64_t *out) {
    for (*out = list->classes - 1; *out >= from; --*out)
        if (strcmp(list->names[*out], label) == 0) return SUSTAIN_OK;
    *out = list->classes;
    return sustain__list_class(list, label);
}

static sustain_status read_lines(sustain__csv *csv, const char *images, sustain__picture_list *list) {
    char name[LONGEST_NAME], label[LONGEST_NAME];
    const int64_t from = list->classes;
    int64_t class_number;
    for (bool header = true; sustain__csv_row(csv, NULL); header = false) {
        const long long line = csv->line;
        SUSTAIN_TRY(read_line(csv, name, label));
        if (header && strcmp(name, "filename") == 0) continue;
        SUSTAIN_TRY(find_class(list, from, label, &class_number));
        SUSTAIN_TRY(sustain__list_file(list, class_number, images, name));
        if (sustain__path_look(list->items[list->count - 1].path) != SUSTAIN__PATH_FILE)
            return sustain__fail(csv->context, SUSTAIN_IO, "%s, line %lld: there is no file '%s' in %s", csv->path, line, name, images);
    }
    if (list->classes > from) return SUSTAIN_OK;
    return sustain__fail(csv->context, SUSTAIN_FORMAT, "%s: it lists no pictures", csv->path);
}

static sustain_status read_csv(const sustain__picture_request *request, const char *file_name, sustain__picture_list *list) {
    char path[SUSTAIN__LONGEST_PATH], images[SUSTAIN__LONGEST_PATH];
    sustain__bytes file;
    sustain__csv csv;
    snprintf(path, sizeof path, "%s/%s", request->folder, file_name);
    snprintf(images, sizeof images, "%s/images", request->folder);
    SUSTAIN_TRY(sustain__bytes_read(request->context, path, &file));
    sustain_status status = sustain__csv_begin(request->context, path, file.data, file.length, &csv);
    if (status == SUSTAIN_OK) {
        status = read_lines(&csv, images, list);
        sustain__csv_end(&csv);
    }
    sustain__bytes_free(request->context, &file);
    return status;
}

sustain_status sustain__read_mini_imagenet(const sustain__picture_request *request, sustain_pictures **out) {
    sustain__picture_list list = {.context = request->context};
    sustain_status status = SUSTAIN_OK;
    for (int s = 0; status == SUSTAIN_OK && s < 3; s++)
        if (request->split == SUSTAIN_SPLIT_ALL || (int)request->split == s) status = read_csv(request, lists[s], &list);
    if (status == SUSTAIN_OK) status = sustain__pictures_make(request, &list, out);
    sustain__list_free(&list);
    return status;
}

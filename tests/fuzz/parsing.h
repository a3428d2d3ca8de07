/* parsing.h - what the fuzz targets of the data formats share: any bytes are refused with a
 * sentence that begins with the file's name, or make a data set that keeps its promises. */
#ifndef PARSING_H
#define PARSING_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool condition) {
    if (!condition) abort();
}

/* A file may ask for much: not here. */
static inline void *small_allocator(void *user, void *pointer, size_t size) {
    (void)user;
    if (size > 0 && size <= (size_t)1 << 24) return realloc(pointer, size);
    if (size == 0) free(pointer);
    return NULL;
}

static inline void check_sparse(const sustain_rows *rows) {
    require(rows->start[0] == 0 && rows->columns != NULL && rows->values != NULL);
    for (int64_t i = 0; i < rows->count; i++) {
        require(rows->start[i] <= rows->start[i + 1]);
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
            require(rows->columns[k] >= 0 && rows->columns[k] < rows->dim && isfinite(rows->values[k]) && rows->values[k] != 0);
            require(k == rows->start[i] || rows->columns[k] > rows->columns[k - 1]);
        }
    }
}

static inline void check_features(const sustain_rows *rows) {
    static volatile unsigned sink; /* what is read must be read */
    require(rows->dim > 0 && (rows->values != NULL) + (rows->bytes != NULL) + (rows->halves != NULL) == 1);
    if (rows->start != NULL) {
        check_sparse(rows);
        return;
    }
    unsigned sum = 0;
    for (int64_t i = 0; rows->bytes != NULL && i < rows->count * rows->dim; i++) sum += rows->bytes[i];
    for (int64_t i = 0; rows->halves != NULL && i < rows->count * rows->dim; i++) sum += rows->halves[i];
    for (int64_t i = 0; rows->values != NULL && i < rows->count * rows->dim; i++) require(isfinite(rows->values[i]));
    sink = sink + sum;
}

/* missing: labels may be, -1 and NaN. */
static inline void check_set(const sustain_dataset *set, sustain__want want, bool missing) {
    const sustain_rows *rows = &set->rows;
    require(rows->count > 0);
    if (want == SUSTAIN__WANT_ALL)
        check_features(rows);
    else
        require(rows->labels != NULL || rows->targets != NULL);
    require((rows->labels != NULL) == (set->classes > 0) && (set->classes > 0) == (set->class_names != NULL));
    for (int64_t i = 0; i < rows->count; i++) {
        const bool none = missing && (rows->labels == NULL || rows->labels[i] == -1);
        require(rows->labels == NULL || none || (rows->labels[i] >= 0 && rows->labels[i] < set->classes));
        require(rows->targets == NULL || isfinite(rows->targets[i]) || (none && isnan(rows->targets[i])));
        require(set->trusted == NULL || set->trusted[i] <= 1);
    }
    for (int64_t c = 0; c < set->classes; c++) require(strlen(set->class_names[c]) < 1u << 24);
    for (int64_t j = 0; set->column_names != NULL && j < rows->dim; j++) require(strlen(set->column_names[j]) < 1u << 24);
    const sustain_picture p = set->picture;
    require(p.height == 0 || rows->dim == 0 || p.height * p.width * p.channels == rows->dim);
}

/* Runs one parser over bytes, aligned as those of a file are. */
static inline void parse_with(sustain_status (*parse)(sustain__input *input), const uint8_t *data, size_t size, sustain__want want,
                              const sustain_read_options *options, const char *member) {
    sustain_context *context;
    sustain_dataset *set;
    if (sustain_context_create_with(small_allocator, NULL, &context) != SUSTAIN_OK) return;
    if (sustain__dataset_create(context, "input", &set) == SUSTAIN_OK) {
        sustain__input input = {
            .context = context, .bytes = data, .length = size, .options = options, .want = want, .member = member, .set = set};
        const sustain_status status = parse(&input);
        require(status == SUSTAIN_OK || status == SUSTAIN_FORMAT || status == SUSTAIN_MEMORY);
        if (status == SUSTAIN_OK) check_set(set, want, options->missing_labels);
        if (status == SUSTAIN_FORMAT) require(strncmp(sustain_error(context), "input", 5) == 0);
        sustain_dataset_destroy(set);
    }
    sustain_context_destroy(context);
}

/* The same for features and for labels. */
static inline void parse_both(sustain_status (*parse)(sustain__input *input), const uint8_t *data, size_t size,
                              const sustain_read_options *options) {
    parse_with(parse, data, size, SUSTAIN__WANT_ALL, options, NULL);
    parse_with(parse, data, size, SUSTAIN__WANT_LABELS, options, NULL);
}

#endif

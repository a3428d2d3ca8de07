/* clean_trusted.c - which rows are trusted: those that are marked, so many of them as are wanted,
 * or a part of the given labels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verb_clean.h"

enum { STREAM_TRUSTED = 77 }; /* of the random numbers that choose trusted rows */

/* Marks `count` rows at random, one of every class among them where there is room for that. */
static void draw_rows(const sustain_rows *rows, int64_t classes, int64_t count, uint64_t seed, uint8_t *chosen, uint8_t *seen) {
    int64_t left = count;
    memset(seen, 0, (size_t)classes);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < rows->count && left > 0; i++) {
            const int64_t row = sustain_random_permuted(seed, STREAM_TRUSTED, 0, i, rows->count);
            if (chosen[row] || (pass == 0 && seen[rows->labels[row]])) continue;
            chosen[row] = seen[rows->labels[row]] = 1;
            left--;
        }
}

/* The rows of `set` with this mark, and their numbers in the file, of which `set` has the rows
 * `rows` (NULL: all). The caller frees *index in any case. */
static int take_rows(sustain_context *context, const sustain_dataset *set, const uint8_t *marks, bool mark, const int64_t *rows,
                     sustain_dataset **out, int64_t **index) {
    int64_t *list = malloc((size_t)set->rows.count * sizeof *list), count = 0;
    *index = list;
    if (list == NULL) return out_of_memory();
    for (int64_t i = 0; i < set->rows.count; i++)
        if ((marks[i] != 0) == mark) list[count++] = i;
    if (count == 0 && mark) return complain(EXIT_USAGE, "%s: none of its rows is marked as trusted", set->source);
    if (count == 0) return complain(EXIT_USAGE, "%s: all of its rows are trusted, none is left to check", set->source);
    const int code = refused(context, sustain_dataset_subset(set, list, count, out));
    for (int64_t i = 0; i < count && rows != NULL; i++) list[i] = rows[list[i]];
    return code;
}

/* Makes of `set` the trusted rows, which are marked, and the training rows: the others. */
static int part_rows(sustain_context *context, const sustain_dataset *set, const uint8_t *marks, const int64_t *rows, clean_data *data) {
    const int code = take_rows(context, set, marks, true, rows, &data->trusted, &data->trusted_index);
    return code == EXIT_DONE ? take_rows(context, set, marks, false, rows, &data->training, &data->index) : code;
}

int clean_part_marked(sustain_context *context, clean_data *data) {
    data->whole = data->training;
    data->whole_index = data->index;
    data->training = NULL;
    data->index = NULL;
    return part_rows(context, data->whole, data->whole->trusted, data->whole_index, data);
}

/* (rows) 1 for rows of a random part of `set`; NULL: out of memory. */
static uint8_t *draw_part(const sustain_dataset *set, int64_t count, uint64_t seed) {
    uint8_t *chosen = calloc((size_t)(set->rows.count + set->classes), 1);
    if (chosen != NULL) draw_rows(&set->rows, set->classes, count, seed, chosen, chosen + set->rows.count);
    return chosen;
}

int clean_reduce_trusted(sustain_context *context, const clean_values *given, clean_data *data) {
    const int64_t there = data->trusted->rows.count;
    if (given->trusted_count == 0 || given->trusted_count == there) return EXIT_DONE;
    if (given->trusted_count > there)
        return complain(EXIT_USAGE, "--trusted-count is %lld, but %s has %lld trusted rows", (long long)given->trusted_count,
                        data->trusted->source, (long long)there);
    sustain_dataset *all = data->trusted;
    int64_t *rows = data->trusted_index;
    uint8_t *chosen = draw_part(all, given->trusted_count, (uint64_t)given->run.seed);
    data->trusted = NULL;
    data->trusted_index = NULL;
    const int code = chosen != NULL ? take_rows(context, all, chosen, true, rows, &data->trusted, &data->trusted_index) : out_of_memory();
    free(chosen);
    free(rows);
    sustain_dataset_destroy(all);
    return code;
}

int clean_take_fraction(sustain_context *context, const clean_values *given, clean_data *data) {
    const int64_t rows = data->training->rows.count;
    const int64_t count = llround(given->trusted_fraction * (double)rows);
    if (count < 1 || count >= rows)
        return complain(EXIT_USAGE, "--trusted-fraction %g of %lld rows are %lld: too few or too many", given->trusted_fraction,
                        (long long)rows, (long long)count);
    sustain_dataset *all = data->training;
    int64_t *index = data->index;
    uint8_t *chosen = draw_part(all, count, (uint64_t)given->run.seed);
    data->training = NULL;
    data->index = NULL;
    const int code = chosen != NULL ? part_rows(context, all, chosen, index, data) : out_of_memory();
    free(chosen);
    free(index);
    sustain_dataset_destroy(all);
    snprintf(data->warning, sizeof data->warning,
             "no labels are known to be right: the weights are learned with %lld of the given ones, drawn at random, which are not judged "
             "themselves; ranking and count are those of nothing checked. Check some rows (--verified) for better ones.",
             (long long)count);
    return code;
}

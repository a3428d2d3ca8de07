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

int clean_part_rows(sustain_context *context, const sustain_dataset *set, const uint8_t *marks, sustain_dataset **marked,
                    sustain_dataset **others, int64_t **index) {
    const int64_t n = set->rows.count;
    int64_t *list = malloc((size_t)n * sizeof *list), count = 0, rest = 0;
    int64_t *other_list = malloc((size_t)n * sizeof *other_list);
    if (list == NULL || other_list == NULL) {
        free(list);
        free(other_list);
        return out_of_memory();
    }
    for (int64_t i = 0; i < n; i++) {
        if (marks[i])
            list[count++] = i;
        else
            other_list[rest++] = i;
    }
    int code = EXIT_DONE;
    if (count == 0) code = complain(EXIT_USAGE, "%s: none of its rows is marked as trusted", set->source);
    if (code == EXIT_DONE && others != NULL && rest == 0)
        code = complain(EXIT_USAGE, "%s: all of its rows are trusted, none is left to check", set->source);
    if (code == EXIT_DONE) code = refused(context, sustain_dataset_subset(set, list, count, marked));
    if (code == EXIT_DONE && others != NULL) code = refused(context, sustain_dataset_subset(set, other_list, rest, others));
    free(list);
    if (index != NULL)
        *index = other_list;
    else
        free(other_list);
    return code;
}

/* A random part of `set`: the part, and the others where they are wanted. */
static int draw_part(sustain_context *context, const sustain_dataset *set, int64_t count, uint64_t seed, sustain_dataset **part,
                     sustain_dataset **others, int64_t **index) {
    uint8_t *chosen = calloc((size_t)(set->rows.count + set->classes), 1);
    if (chosen == NULL) return out_of_memory();
    draw_rows(&set->rows, set->classes, count, seed, chosen, chosen + set->rows.count);
    const int code = clean_part_rows(context, set, chosen, part, others, index);
    free(chosen);
    return code;
}

int clean_reduce_trusted(sustain_context *context, const clean_values *given, clean_data *data) {
    const int64_t there = data->trusted->rows.count;
    if (given->trusted_count == 0 || given->trusted_count == there) return EXIT_DONE;
    if (given->trusted_count > there)
        return complain(EXIT_USAGE, "--trusted-count is %lld, but %s has %lld trusted rows", (long long)given->trusted_count,
                        data->trusted->source, (long long)there);
    sustain_dataset *fewer = NULL;
    const int code = draw_part(context, data->trusted, given->trusted_count, (uint64_t)given->run.seed, &fewer, NULL, NULL);
    sustain_dataset_destroy(data->trusted);
    data->trusted = fewer;
    return code;
}

int clean_take_fraction(sustain_context *context, const clean_values *given, clean_data *data) {
    const int64_t rows = data->training->rows.count;
    const int64_t count = llround(given->trusted_fraction * (double)rows);
    sustain_dataset *others = NULL;
    int64_t *index = NULL;
    if (count < 1 || count >= rows)
        return complain(EXIT_USAGE, "--trusted-fraction %g of %lld rows are %lld: too few or too many", given->trusted_fraction,
                        (long long)rows, (long long)count);
    const int code = draw_part(context, data->training, count, (uint64_t)given->run.seed, &data->trusted, &others, &index);
    for (int64_t i = 0; others != NULL && data->index != NULL && i < others->rows.count; i++) index[i] = data->index[index[i]];
    free(data->index);
    data->index = index;
    sustain_dataset_destroy(data->training);
    data->training = others;
    snprintf(data->warning, sizeof data->warning,
             "no labels are known to be right: the weights are learned with %lld of the given ones, drawn at random, which are not judged "
             "themselves; ranking and count are those of nothing checked. Check some rows (--verified) for better ones.",
             (long long)count);
    return code;
}

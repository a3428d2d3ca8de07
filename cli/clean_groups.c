/* clean_groups.c - groups of rows, such as annotators or sources: their error rates, by the probabilities of their labels. */
#include <math.h>
#include <stdlib.h>

#include "verb_clean.h"

int clean_read_groups(sustain_context *context, const clean_values *given, clean_data *data) {
    const int64_t rows = data->rows;
    if (given->groups == NULL && given->group_column == NULL) return EXIT_DONE;
    const char *path = given->groups != NULL ? given->groups : given->features != NULL ? given->features : given->labels;
    const sustain_read_options options = {.label_column = given->group_column};
    const int code = refused(context, sustain_dataset_read_labels(context, path, &options, &data->groups));
    if (code != EXIT_DONE) return code;
    if (data->groups->rows.labels == NULL) return complain(EXIT_USAGE, "%s: its groups are numbers with fractions, or too many", path);
    if (data->groups->rows.count != rows)
        return complain(EXIT_USAGE, "%s names the groups of %lld rows, but there are %lld: give one for each row", path,
                        (long long)data->groups->rows.count, (long long)rows);
    for (int64_t i = 0; i < rows; i++)
        if (data->groups->class_names[data->groups->rows.labels[i]][0] == '\0')
            return complain(EXIT_USAGE, "%s: row %lld has no group: give one for each row", path, (long long)i);
    return EXIT_DONE;
}

int32_t clean_group(const clean_data *data, int64_t i) {
    return data->groups != NULL ? data->groups->rows.labels[clean_row(data, i)] : -1;
}

typedef struct group_rate {
    int64_t group, rows;
    double wrong, variance, rate;
} group_rate;

static int worst_first(const void *a, const void *b) {
    const group_rate *p = a, *q = b;
    if (p->rate != q->rate) return p->rate > q->rate ? -1 : 1;
    return p->group < q->group ? -1 : p->group > q->group;
}

/* Each label is wrong with its probability, independently: the sum has the variance of Bernoulli numbers. */
json_t *clean_groups_json(const clean_job *job) {
    const sustain_dataset *groups = job->data.groups;
    if (groups == NULL) return NULL;
    group_rate *g = calloc((size_t)groups->classes, sizeof *g);
    if (g == NULL) return NULL;
    for (int64_t k = 0; k < groups->classes; k++) g[k].group = k;
    for (int64_t i = 0; i < job->result.count; i++) {
        const double wrong = 1 - (double)job->result.quality[i];
        group_rate *of = &g[clean_group(&job->data, i)];
        of->rows++, of->wrong += wrong, of->variance += wrong * (1 - wrong);
    }
    for (int64_t k = 0; k < groups->classes; k++) g[k].rate = g[k].rows > 0 ? g[k].wrong / (double)g[k].rows : 0;
    qsort(g, (size_t)groups->classes, sizeof *g, worst_first);
    json_t *list = json_array();
    for (int64_t k = 0; k < groups->classes; k++) {
        const double off = g[k].rows > 0 ? 1.96 * sqrt(g[k].variance) / (double)g[k].rows : 0;
        if (g[k].rows == 0) continue;
        json_array_append_new(list, json_pack("{s:o, s:I, s:f, s:f, s:f}", "name", json_text(groups->class_names[g[k].group]), "rows",
                                              (json_int_t)g[k].rows, "error_rate", g[k].rate, "error_rate_low", fmax(g[k].rate - off, 0),
                                              "error_rate_high", fmin(g[k].rate + off, 1)));
    }
    free(g);
    return list;
}

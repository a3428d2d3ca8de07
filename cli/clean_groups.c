/* clean_groups.c - groups of rows, such as annotators or sources: their weights, and their error
 * rates by the probabilities of their labels. */
#include <math.h>
#include <stdlib.h>

#include "csv_write.h"
#include "verb_clean.h"

int clean_read_groups(sustain_context *context, const clean_values *given, clean_data *data) {
    const int64_t rows = data->rows;
    if (given->groups == NULL && given->group_column == NULL) return EXIT_DONE;
    const char *path = given->groups != NULL ? given->groups : given->features != NULL ? given->features : given->labels;
    const sustain_read_options options = {.size = sizeof options, .label_column = given->group_column, .missing_labels = true};
    const int code = refused(context, sustain_dataset_read_labels(context, path, &options, &data->groups));
    if (code != EXIT_DONE) return code;
    if (data->groups->rows.labels == NULL) return complain(EXIT_USAGE, "%s: its groups are numbers with fractions, or too many", path);
    if (data->groups->rows.count != rows)
        return complain(EXIT_USAGE, "%s names the groups of %lld rows, but there are %lld: give one for each row", path,
                        (long long)data->groups->rows.count, (long long)rows);
    for (int64_t i = 0; i < rows; i++)
        if (data->groups->rows.labels[i] < 0)
            return complain(EXIT_USAGE, "%s: row %lld (from 0) has no group: give one for each row", path, (long long)i);
    const int64_t n = data->training->rows.count;
    data->group = malloc((size_t)n * sizeof *data->group);
    if (data->group == NULL) return out_of_memory();
    for (int64_t i = 0; i < n; i++) data->group[i] = data->groups->rows.labels[clean_row(data, i)];
    return EXIT_DONE;
}

int32_t clean_group(const clean_data *data, int64_t i) {
    return data->group != NULL ? data->group[i] : -1;
}

typedef struct group_rate {
    int64_t group, rows;
    double weight, weight_low, weight_high; /* NAN: not computed */
    double rate, low, high;                 /* of errors; NAN likewise */
} group_rate;

static int worst_first(const void *a, const void *b) {
    const group_rate *p = a, *q = b;
    if (p->rate != q->rate && !isnan(p->rate)) return p->rate > q->rate ? -1 : 1;
    return p->group < q->group ? -1 : p->group > q->group;
}

static int lightest_first(const void *a, const void *b) {
    const group_rate *p = a, *q = b;
    if (p->weight != q->weight && !isnan(p->weight)) return p->weight < q->weight ? -1 : 1;
    return worst_first(a, b);
}

/* Groups without rows are left out. */
static group_rate *rates_of(const clean_job *job, int64_t *count) {
    const int64_t groups = job->data.groups->classes;
    const sustain_clean_result *r = &job->result;
    group_rate *g = calloc((size_t)groups, sizeof *g);
    sustain_group_errors *errors = calloc((size_t)groups, sizeof *errors);
    *count = 0;
    for (int64_t i = 0; i < r->count && errors != NULL; i++) errors[clean_group(&job->data, i)].rows++;
    if (errors != NULL && r->quality != NULL)
        sustain_clean_group_errors(job->run.context, groups, r->count, job->data.group, r->quality, errors);
    for (int64_t k = 0; k < groups && g != NULL && errors != NULL; k++) {
        const sustain_group_errors *e = &errors[k];
        if (e->rows == 0) continue;
        g[(*count)++] = (group_rate){.group = k,
                                     .rows = e->rows,
                                     .weight = r->group_weight != NULL ? r->group_weight[k] : NAN,
                                     .weight_low = r->group_weight != NULL ? r->group_weight_low[k] : NAN,
                                     .weight_high = r->group_weight != NULL ? r->group_weight_high[k] : NAN,
                                     .rate = r->quality != NULL ? e->rate : NAN,
                                     .low = r->quality != NULL ? e->low : NAN,
                                     .high = r->quality != NULL ? e->high : NAN};
    }
    if (errors == NULL) {
        free(g);
        g = NULL;
    }
    free(errors);
    return g;
}

json_t *clean_groups_json(const clean_job *job) {
    const sustain_dataset *groups = job->data.groups;
    int64_t count;
    group_rate *g = groups != NULL ? rates_of(job, &count) : NULL;
    if (g == NULL) return NULL;
    qsort(g, (size_t)count, sizeof *g, worst_first);
    json_t *list = json_array();
    for (int64_t k = 0; k < count; k++) {
        json_t *row = json_pack("{s:o, s:I}", "name", json_text(groups->class_names[g[k].group]), "rows", (json_int_t)g[k].rows);
        SET_NUMBERS(row, {"weight", g[k].weight}, {"weight_low", g[k].weight_low}, {"weight_high", g[k].weight_high},
                    {"error_rate", g[k].rate}, {"error_rate_low", g[k].low}, {"error_rate_high", g[k].high});
        json_array_append_new(list, row);
    }
    free(g);
    return list;
}

/* ---- groups.csv ---- */

typedef struct group_list {
    const sustain_dataset *groups;
    group_rate *g;
    int64_t count;
} group_list;

static void number_field(FILE *to, double value) {
    fputc(',', to);
    if (!isnan(value)) fprintf(to, "%.6g", value);
}

static void write_groups(FILE *to, const void *user) {
    const group_list *l = user;
    fputs("group,rows,weight,weight_low,weight_high,error_rate,error_rate_low,error_rate_high\n", to);
    for (int64_t k = 0; k < l->count; k++) {
        const group_rate *g = &l->g[k];
        csv_text(to, l->groups->class_names[g->group]);
        fprintf(to, ",%lld", (long long)g->rows);
        number_field(to, g->weight);
        number_field(to, g->weight_low);
        number_field(to, g->weight_high);
        number_field(to, g->rate);
        number_field(to, g->low);
        number_field(to, g->high);
        fputc('\n', to);
    }
}

int clean_write_groups_file(const clean_job *job) {
    group_list list = {.groups = job->data.groups};
    char path[LONGEST_PATH];
    run_path(job->given->run.out, "groups.csv", path);
    if (list.groups == NULL) {
        remove(path); /* of another run, which this one replaces */
        return EXIT_DONE;
    }
    list.g = rates_of(job, &list.count);
    if (list.g == NULL) return out_of_memory();
    qsort(list.g, (size_t)list.count, sizeof *list.g, lightest_first);
    const int code = write_file(job->given->run.out, "groups.csv", write_groups, &list);
    free(list.g);
    return code;
}

/* ---- weights of groups alone ---- */

int clean_groups_alone(const clean_job *job) {
    enum { SHOWN = 20 };
    int code = clean_write_groups_file(job);
    json_t *object = json_object();
    json_object_set_new(object, "groups", clean_groups_json(job));
    json_object_set_new(object, "training", json_integer(job->data.training->rows.count));
    json_object_set_new(object, "seed", json_integer(job->given->run.seed));
    if (code == EXIT_DONE) code = write_json(job->given->run.out, "result.json", json_incref(object));
    if (code == EXIT_DONE && job->given->run.json) return print_json(object);
    json_decref(object);
    if (code != EXIT_DONE || job->given->run.quiet) return code;
    group_list list = {.groups = job->data.groups, .g = NULL};
    list.g = rates_of(job, &list.count);
    if (list.g == NULL) return out_of_memory();
    qsort(list.g, (size_t)list.count, sizeof *list.g, lightest_first);
    text_table t = {.align = "lrrr"};
    table_add(&t, "group");
    table_add(&t, "rows");
    table_add(&t, "weight");
    table_add(&t, "95 %% interval");
    for (int64_t k = 0; k < list.count && k < SHOWN; k++) {
        table_add(&t, "%.60s", list.groups->class_names[list.g[k].group]);
        table_add(&t, "%lld", (long long)list.g[k].rows);
        table_add(&t, "%.3f", list.g[k].weight);
        table_add(&t, "%.3f to %.3f", list.g[k].weight_low, list.g[k].weight_high);
    }
    table_print(stdout, &t);
    if (list.count > SHOWN) printf("The first %d of %lld groups.\n", (int)SHOWN, (long long)list.count);
    printf("All of them: %s/groups.csv\n", job->given->run.out);
    free(list.g);
    return EXIT_DONE;
}

/* tune_inputs.c - from options to rows: reads files or a named set, parts validation from training
 * rows, scales features, chooses the loss. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record_file.h"
#include "verb_tune.h"
#include "verbs.h"

enum { STREAM_SPLIT = 78, STREAM_WATCH = 79, STREAM_FOLDS = 80 }; /* of the random numbers that part rows */
enum { WATCH_ROWS_PER_PENALTY = 10 };                             /* fewer validation rows than that: some of them decide when to stop */
#define WATCH_FRACTION 0.33
#define CROWDED 0.2 /* share of non-zeros from which on sparse rows are worked on as dense ones */

enum { PENALTY_AUTO, PENALTY_FEATURE, PENALTY_GROUP, PENALTY_CLASS, PENALTY_SINGLE, PENALTY_L1, PENALTY_ELASTIC_NET }; /* of --penalty */

/* ---- which options go together ---- */

bool tune_is_number(sustain_regtune_loss loss) {
    return loss != SUSTAIN_REGTUNE_LOGISTIC && loss != SUSTAIN_REGTUNE_SOFTMAX;
}

static bool is_benchmark(const char *dataset) {
    static const char ending[] = "-benchmark";
    const size_t length = dataset != NULL ? strlen(dataset) : 0, end = strlen(ending);
    return length > end && strcmp(dataset + length - end, ending) == 0;
}

/* What the selection knows nothing of, and what it alone knows of. */
static int check_selection(const tune_values *given, bool select) {
    const run_values *run = &given->run;
    const char *wrong = run->solver != NULL    ? "solver"
                        : run->schedule >= 0   ? "schedule"
                        : run->batch > 0       ? "batch"
                        : run->iterations > 0  ? "iterations"
                        : !isnan(run->seconds) ? "seconds"
                        : run->set.count > 0   ? "set"
                                               : NULL;
    if (select && wrong != NULL)
        return complain(EXIT_USAGE, "--%s is for a solver, and --penalty %s uses none: add --penalty feature, group, class or single",
                        wrong,
                        given->penalty == PENALTY_L1            ? "l1"
                        : given->penalty == PENALTY_ELASTIC_NET ? "elastic-net"
                                                                : "auto");
    if (!select && (given->factors != NULL || given->weights != NULL))
        return complain(EXIT_USAGE, "--%s goes with --penalty auto, l1 or elastic-net",
                        given->factors != NULL ? "penalty-factors" : "weights");
    return EXIT_DONE;
}

static int check_options(const tune_values *given, bool select) {
    if (given->features == NULL && given->dataset == NULL)
        return complain(EXIT_USAGE, "say which data: --features FILE, or --dataset ijcnn1");
    if (given->features != NULL && given->dataset != NULL) return complain(EXIT_USAGE, "give --features or --dataset, not both");
    const struct {
        const char *name, *value;
    } files[] = {{"labels", given->labels},
                 {"valid", given->valid},
                 {"valid-labels", given->valid_labels},
                 {"test", given->test},
                 {"test-labels", given->test_labels},
                 {"label-column", given->label_column}};
    for (int i = 0; given->dataset != NULL && i < COUNT_OF(files); i++)
        if (files[i].value != NULL) return complain(EXIT_USAGE, "--%s goes with --features, not with --dataset", files[i].name);
    if (given->dataset != NULL && table_refuse_named(&given->table) != EXIT_DONE) return EXIT_USAGE;
    if (given->valid_labels != NULL && given->valid == NULL)
        return complain(EXIT_USAGE, "--valid-labels needs --valid: the file with the features of these rows");
    if (given->test_labels != NULL && given->test == NULL)
        return complain(EXIT_USAGE, "--test-labels needs --test: the file with the features of these rows");
    if (given->valid != NULL && !isnan(given->valid_fraction)) return complain(EXIT_USAGE, "give --valid or --valid-fraction, not both");
    if (given->folds > 0 && (given->valid != NULL || !isnan(given->valid_fraction)))
        return complain(EXIT_USAGE, "give --folds or --valid or --valid-fraction, not two of them");
    if (given->folds == 1) return complain(EXIT_USAGE, "--folds 1 leaves nothing to fit to: it takes at least 2");
    if (given->penalty == PENALTY_GROUP && given->groups == NULL)
        return complain(EXIT_USAGE, "--penalty group needs --groups FILE: the group of each feature");
    if (given->penalty > PENALTY_GROUP && given->groups != NULL)
        return complain(EXIT_USAGE, "--groups goes with --penalty auto or --penalty group");
    return check_selection(given, select);
}

/* ---- files ---- */

/* `training`: the rows that were read first, whose encoding is used; NULL: these are the first. */
static int read_set(sustain_context *context, const tune_values *given, const sustain_dataset *training, const char *features,
                    const char *labels, const char *labels_option, sustain_dataset **out) {
    const sustain_table_options columns = table_options(&given->table);
    const sustain_read_options both = table_read_options(&given->table, labels == NULL ? given->label_column : NULL, &columns, training);
    const bool named = labels != NULL && columns.id_column != NULL && records_have(labels, columns.id_column);
    const sustain_table_options kept = {.id_column = named ? columns.id_column : NULL}; /* compared */
    const sustain_read_options alone = table_read_options(&given->table, given->label_column, &kept, NULL);
    sustain_dataset *read = NULL;
    sustain_status status = sustain_dataset_read(context, features, &both, out);
    if (status == SUSTAIN_OK && labels != NULL) status = sustain_dataset_read_labels(context, labels, &alone, &read);
    if (status == SUSTAIN_OK && labels != NULL) status = sustain_dataset_join(*out, read);
    sustain_dataset_destroy(read);
    if (status != SUSTAIN_OK) return table_refused(context, &given->table, status);
    if ((*out)->rows.labels != NULL || (*out)->rows.targets != NULL) return table_drop_unlabelled(context, &given->table, out, NULL);
    return complain(EXIT_USAGE, "%s has no labels: give --%s FILE, or for a CSV file --label-column NAME", (*out)->source, labels_option);
}

static int read_files(sustain_context *context, const tune_values *given, tune_data *data) {
    int code = read_set(context, given, NULL, given->features, given->labels, "labels", &data->training.set);
    if (code == EXIT_DONE && given->valid != NULL)
        code = read_set(context, given, data->training.set, given->valid, given->valid_labels, "valid-labels", &data->validation.set);
    if (code == EXIT_DONE && given->test != NULL)
        code = read_set(context, given, data->training.set, given->test, given->test_labels, "test-labels", &data->test.set);
    return code;
}

static int read_named(sustain_context *context, const tune_values *given, tune_data *data) {
    const char *folder = data_folder(given->data_dir);
    char name[64];
    data->benchmark = is_benchmark(given->dataset);
    snprintf(name, sizeof name, "%.*s", (int)(strlen(given->dataset) - (data->benchmark ? strlen("-benchmark") : 0)), given->dataset);
    data->covtype = strcmp(name, "covtype") == 0;
    sustain_dataset **second = data->benchmark && !data->covtype ? &data->validation.set : &data->test.set;
    sustain_status status = sustain_named_read(context, name, folder, SUSTAIN_PART_TRAINING, NULL, &data->training.set);
    if (status == SUSTAIN_OK) status = sustain_named_read(context, name, folder, SUSTAIN_PART_TEST, NULL, second);
    return refused(context, status);
}

/* ---- parts ---- */

/* Moves random rows of *set to *part, in place of what it was. `which` says in messages what the
 * rows of *set are. */
static int split(sustain_context *context, sustain_dataset **set, const char *which, double fraction, uint64_t seed, uint32_t stream,
                 sustain_dataset **part) {
    const int64_t n = (*set)->rows.count, count = llround(fraction * (double)n);
    sustain_dataset *rest = NULL;
    if (count < 1 || count >= n)
        return complain(EXIT_USAGE, "%s: %g of its %lld %s are %lld: too few or too many to choose penalties by", (*set)->source, fraction,
                        (long long)n, which, (long long)count);
    int64_t *order = malloc((size_t)n * sizeof *order);
    if (order == NULL) return out_of_memory();
    for (int64_t i = 0; i < n; i++) order[sustain_random_permuted(seed, stream, 0, i, n)] = i;
    sustain_status status = sustain_dataset_subset(*set, order, count, part);
    if (status == SUSTAIN_OK) status = sustain_dataset_subset(*set, order + count, n - count, &rest);
    free(order);
    if (status != SUSTAIN_OK) return refused(context, status);
    sustain_dataset_destroy(*set);
    *set = rest;
    return EXIT_DONE;
}

static int64_t penalties_of(const tune_data *data) {
    const sustain_regtune_options *m = &data->model;
    if (m->penalty == SUSTAIN_REGTUNE_SINGLE) return 1;
    return m->penalty == SUSTAIN_REGTUNE_FEATURE ? data->training.set->rows.dim
           : m->penalty == SUSTAIN_REGTUNE_GROUP ? m->groups
                                                 : m->classes;
}

static int make_folds(const tune_values *given, tune_data *data) {
    const int64_t n = data->training.set->rows.count;
    if (data->validation.set != NULL)
        return complain(EXIT_USAGE, "--folds does not go with %s, which says what is for validation", given->dataset);
    if (n < given->folds)
        return complain(EXIT_USAGE, "%s: its %lld rows are too few for %lld folds", data->training.set->source, (long long)n,
                        (long long)given->folds);
    data->fold = malloc((size_t)n * sizeof *data->fold);
    if (data->fold == NULL) return out_of_memory();
    for (int64_t i = 0; i < n; i++)
        data->fold[i] = (int32_t)(sustain_random_permuted((uint64_t)given->run.seed, STREAM_FOLDS, 0, i, n) % given->folds);
    data->model.folds = given->folds;
    data->model.fold = data->fold;
    snprintf(data->split, sizeof data->split, "%lld rows in %lld folds, %lld for testing.", (long long)n, (long long)given->folds,
             (long long)(data->test.set != NULL ? data->test.set->rows.count : 0));
    return EXIT_DONE;
}

/* Selection makes its own folds, unless validation rows were asked for. */
static int part_for_selection(sustain_context *context, const tune_values *given, tune_data *data) {
    int code = EXIT_DONE;
    if (data->validation.set == NULL && !isnan(given->valid_fraction))
        code = split(context, &data->training.set, "rows", given->valid_fraction, (uint64_t)given->run.seed, STREAM_SPLIT,
                     &data->validation.set);
    if (code != EXIT_DONE) return code;
    const long long training = (long long)data->training.set->rows.count,
                    test = data->test.set != NULL ? (long long)data->test.set->rows.count : 0;
    data->model.folds = data->validation.set != NULL ? 0
                        : given->folds > 0           ? given->folds
                                                     : sustain_select_folds(training, data->training.set->rows.dim);
    if (data->validation.set != NULL)
        snprintf(data->split, sizeof data->split, "%lld rows for training, %lld for validation, %lld for testing.", training,
                 (long long)data->validation.set->rows.count, test);
    else
        snprintf(data->split, sizeof data->split, "%lld rows in %lld folds, %lld for testing.", training, (long long)data->model.folds,
                 test);
    return EXIT_DONE;
}

static int part_rows(sustain_context *context, const tune_values *given, tune_data *data) {
    if (data->select) return part_for_selection(context, given, data);
    if (given->folds > 0) return make_folds(given, data);
    const uint64_t seed = data->benchmark ? 0 : (uint64_t)given->run.seed; /* a benchmark's rows do not depend on it */
    const double fraction = isnan(given->valid_fraction) ? 0.2 : given->valid_fraction;
    int code = EXIT_DONE;
    if (data->validation.set == NULL)
        code = split(context, &data->training.set, "rows", fraction, seed, STREAM_SPLIT, &data->validation.set);
    if (code != EXIT_DONE) return code;
    if (!data->benchmark && data->validation.set->rows.count < WATCH_ROWS_PER_PENALTY * penalties_of(data))
        code = split(context, &data->validation.set, "validation rows", WATCH_FRACTION, seed, STREAM_WATCH, &data->watched.set);
    char watched[96] = "";
    if (data->watched.set != NULL)
        snprintf(watched, sizeof watched, ", %lld that decide when to stop", (long long)data->watched.set->rows.count);
    snprintf(data->split, sizeof data->split, "%lld rows for training, %lld for validation%s, %lld for testing.",
             (long long)data->training.set->rows.count, (long long)data->validation.set->rows.count, watched,
             (long long)(data->test.set != NULL ? data->test.set->rows.count : 0));
    if (data->benchmark)
        snprintf(data->split + strlen(data->split), sizeof data->split - strlen(data->split),
                 " This is the public benchmark's optimization problem: its loss is no estimate for new rows.");
    return code;
}

/* ---- the model ---- */

/* Columns of the model that come from one column of the file are a group. */
static int take_groups(tune_data *data) {
    const sustain_dataset *set = data->training.set;
    if (set->encoding == NULL) return EXIT_DONE;
    const sustain_table_features f = sustain_table_encoding_features(set->encoding);
    if (f.groups < 2 || f.groups >= f.dim || f.dim != set->rows.dim) return EXIT_DONE;
    data->group = malloc((size_t)f.dim * sizeof *data->group);
    if (data->group == NULL) return out_of_memory();
    for (int64_t j = 0; j < f.dim; j++) data->group[j] = (int32_t)f.group[j];
    data->model.group = data->group;
    data->model.groups = f.groups;
    return EXIT_DONE;
}

static int read_groups(sustain_context *context, const tune_values *given, tune_data *data) {
    sustain_dataset *set = NULL;
    const int64_t dim = data->training.set->rows.dim;
    if (given->groups == NULL) return data->select ? take_groups(data) : EXIT_DONE;
    int code = refused(context, sustain_dataset_read_labels(context, given->groups, NULL, &set));
    if (code == EXIT_DONE && (set->rows.labels == NULL || set->rows.count != dim))
        code = complain(EXIT_USAGE, "%s: one group for each of the %lld features is needed; it has %lld lines", given->groups,
                        (long long)dim, (long long)set->rows.count);
    if (code == EXIT_DONE) data->group = malloc((size_t)dim * sizeof *data->group);
    if (code == EXIT_DONE && data->group == NULL) code = out_of_memory();
    if (code == EXIT_DONE) {
        memcpy(data->group, set->rows.labels, (size_t)dim * sizeof *data->group);
        data->model.group = data->group;
        data->model.groups = set->classes;
    }
    sustain_dataset_destroy(set);
    return code;
}

/* Few different numbers are classes, many are numbers to predict. */
static sustain_regtune_loss loss_for(tune_data *data) {
    const sustain_dataset *set = data->training.set;
    const int64_t classes = set->rows.labels != NULL ? set->classes : 0;
    if (classes == 2) return SUSTAIN_REGTUNE_LOGISTIC;
    if (classes > 2 && set->rows.targets == NULL) return SUSTAIN_REGTUNE_SOFTMAX;
    const bool few = classes <= MOST_CLASSES_OF_NUMBERS;
    if (classes > 2)
        snprintf(data->about_loss, sizeof data->about_loss, "the labels are %lld different numbers: they are %s", (long long)classes,
                 few ? "classes; --loss squared or poisson predicts them as numbers"
                     : "predicted as numbers; --loss softmax makes them classes");
    return classes > 2 && few ? SUSTAIN_REGTUNE_SOFTMAX : SUSTAIN_REGTUNE_SQUARED;
}

/* One number for each of `count` things. */
static int read_numbers(sustain_context *context, const char *path, int64_t count, const char *what, double **out) {
    sustain_dataset *set = NULL;
    int code = refused(context, sustain_dataset_read_labels(context, path, NULL, &set));
    if (code == EXIT_DONE && (set->rows.targets == NULL || set->rows.count != count))
        code = complain(EXIT_USAGE, "%s: one number for each of the %lld %s is needed; it has %lld lines%s", path, (long long)count, what,
                        (long long)set->rows.count, set->rows.targets == NULL ? ", and not all are numbers" : "");
    if (code == EXIT_DONE && (*out = malloc((size_t)count * sizeof **out)) == NULL) code = out_of_memory();
    for (int64_t i = 0; code == EXIT_DONE && i < count; i++) (*out)[i] = (double)set->rows.targets[i];
    sustain_dataset_destroy(set);
    return code;
}

/* Every class counts the same. */
static int balance(tune_data *data, int64_t rows) {
    const sustain_dataset *sets[] = {data->training.set, data->validation.set};
    const int64_t classes = data->model.classes;
    if (tune_is_number(data->model.loss)) return complain(EXIT_USAGE, "--weights balanced is for classes, and the labels are numbers");
    double *count = calloc((size_t)classes, sizeof *count);
    data->weight = malloc((size_t)rows * sizeof *data->weight);
    if (count == NULL || data->weight == NULL) {
        free(count);
        return out_of_memory();
    }
    for (int s = 0; s < 2 && sets[s] != NULL; s++)
        for (int64_t i = 0; i < sets[s]->rows.count; i++) count[sets[s]->rows.labels[i]]++;
    for (int64_t at = 0, s = 0; s < 2 && sets[s] != NULL; s++)
        for (int64_t i = 0; i < sets[s]->rows.count; i++)
            data->weight[at++] = (double)rows / ((double)classes * count[sets[s]->rows.labels[i]]);
    free(count);
    return EXIT_DONE;
}

/* Factors of penalties and weights of rows, after validation rows have been parted from training
 * rows. */
static int read_factors(sustain_context *context, const tune_values *given, tune_data *data) {
    const int64_t rows = data->training.set->rows.count + (data->validation.set != NULL ? data->validation.set->rows.count : 0);
    int code = EXIT_DONE;
    if (given->factors != NULL) code = read_numbers(context, given->factors, data->training.set->rows.dim, "features", &data->factor);
    if (code != EXIT_DONE || given->weights == NULL) return code;
    if (strcmp(given->weights, "balanced") == 0) return balance(data, rows);
    if (data->validation.set != NULL) return complain(EXIT_USAGE, "--weights FILE goes with folds, not with --valid or --valid-fraction");
    return read_numbers(context, given->weights, rows, "training rows", &data->weight);
}

static int choose_model(sustain_context *context, const tune_values *given, tune_data *data) {
    const sustain_dataset *set = data->training.set;
    const int64_t classes = set->rows.labels != NULL ? set->classes : 0;
    sustain_regtune_options *m = &data->model;
    *m = sustain_regtune_defaults();
    m->loss = given->loss > 0 ? (sustain_regtune_loss)(given->loss - 1) : loss_for(data);
    const bool left_out = given->penalty == PENALTY_AUTO || given->penalty >= PENALTY_L1;
    m->penalty = !left_out                          ? (sustain_regtune_penalty)(given->penalty - 1)
                 : data->benchmark && data->covtype ? SUSTAIN_REGTUNE_CLASS
                                                    : SUSTAIN_REGTUNE_FEATURE;
    m->classes = classes;
    m->intercept = given->intercept == 1 && !data->benchmark;
    m->floor = data->benchmark ? 0 : given->floor;
    const int code = given->loss == 0 || tune_is_number(m->loss) ? tune_check_classes(set) : EXIT_DONE;
    if (code != EXIT_DONE) return code;
    if (tune_is_number(m->loss) && set->rows.targets == NULL)
        return complain(EXIT_USAGE, "%s: its labels are text, and this loss needs numbers", set->label_source);
    if (!tune_is_number(m->loss) && classes < 2)
        return complain(EXIT_USAGE, "%s: %s needs labels of at least two classes", set->label_source,
                        m->loss == SUSTAIN_REGTUNE_LOGISTIC ? "the logistic loss" : "softmax");
    if (m->loss == SUSTAIN_REGTUNE_LOGISTIC && classes != 2)
        return complain(EXIT_USAGE, "%s has %lld classes: the logistic loss is for two; use --loss softmax", set->label_source,
                        (long long)classes);
    if (!isnan(given->huber_threshold) && (m->loss != SUSTAIN_REGTUNE_HUBER || !data->select))
        return complain(EXIT_USAGE, "--huber-threshold goes with --loss huber and with --penalty auto, l1 or elastic-net");
    return read_groups(context, given, data);
}

static int match(sustain_context *context, const sustain_regtune_options *m, const sustain_dataset *training, sustain_dataset *other) {
    if (other == NULL) return EXIT_DONE;
    if (tune_is_number(m->loss) ? other->rows.targets == NULL : other->rows.labels == NULL)
        return complain(EXIT_USAGE, "%s: its labels are not of the kind that %s has", other->label_source, training->label_source);
    sustain_dataset part = *training; /* first the columns alone, then the classes */
    part.classes = 0;
    const int code = refused(context, sustain_dataset_match(&part, other));
    if (code != EXIT_DONE || tune_is_number(m->loss)) return code; /* a number may well be new */
    part.classes = training->classes;
    part.rows.dim = 0;
    const sustain_status status = sustain_dataset_match(&part, other);
    if (status != SUSTAIN_FORMAT || part.classes == 2 || part.rows.targets == NULL) return refused(context, status);
    return complain(EXIT_USAGE, "%s; --loss squared or poisson predicts numbers", sustain_error(context));
}

static int scale(sustain_context *context, const tune_values *given, tune_data *data) {
    sustain_dataset *const sets[] = {data->training.set, data->validation.set, data->watched.set, data->test.set};
    const sustain_rows *rows = &data->training.set->rows;
    data->unit = rows->bytes != NULL ? (double)rows->byte_scale : 1;
    const sustain_scaling_mode mode = !data->benchmark ? (sustain_scaling_mode)given->standardize
                                      : data->covtype  ? SUSTAIN_SCALING_ON
                                                       : SUSTAIN_SCALING_OFF;
    sustain_status status = sustain_scaling_create(data->training.set, mode, &data->scaling);
    if (given->intercept == 0) sustain_scaling_drop_mean(data->scaling);
    for (int i = 0; i < COUNT_OF(sets) && status == SUSTAIN_OK; i++)
        if (sets[i] != NULL) status = sustain_scaling_apply(data->scaling, sets[i]);
    return refused(context, status);
}

/* ---- all of it ---- */

/* Sparse rows with few zeros: dense ones are worked on by vector code. */
static int fill_in(tune_rows *r) {
    const sustain_rows *sparse = &r->set->rows;
    r->dense = calloc((size_t)(sparse->count * sparse->dim), sizeof *r->dense);
    if (r->dense == NULL) return out_of_memory();
    for (int64_t i = 0; i < sparse->count; i++)
        for (int64_t e = sparse->start[i]; e < sparse->start[i + 1]; e++)
            r->dense[i * sparse->dim + sparse->columns[e]] = sparse->values[e];
    r->rows.values = r->dense;
    r->rows.start = NULL;
    r->rows.columns = NULL;
    return EXIT_DONE;
}

static bool is_crowded(const sustain_rows *rows) {
    return rows->start != NULL && rows->stored == 0 &&
           (double)(rows->start[rows->count] - rows->start[0]) > CROWDED * (double)rows->count * (double)rows->dim;
}

static int finish_rows(const tune_data *data, tune_rows *r) {
    if (r->set == NULL) return EXIT_DONE;
    r->rows = r->set->rows;
    if (is_crowded(&data->training.set->rows) && r->rows.start != NULL && r->rows.stored == 0 && fill_in(r) != EXIT_DONE)
        return EXIT_FAILED;
    if (data->model.loss != SUSTAIN_REGTUNE_LOGISTIC) return EXIT_DONE;
    r->signs = malloc((size_t)r->rows.count * sizeof *r->signs);
    if (r->signs == NULL) return out_of_memory();
    for (int64_t i = 0; i < r->rows.count; i++) r->signs[i] = r->rows.labels[i] == 1 ? 1 : -1;
    r->rows.labels = r->signs;
    return EXIT_DONE;
}

int tune_data_read(sustain_context *context, const tune_values *given, tune_data *data) {
    data->form = given->penalty == PENALTY_L1            ? SUSTAIN_SELECT_L1
                 : given->penalty == PENALTY_ELASTIC_NET ? SUSTAIN_SELECT_ELASTIC_NET
                                                         : SUSTAIN_SELECT_AUTO;
    data->select = (given->penalty == PENALTY_AUTO || data->form != SUSTAIN_SELECT_AUTO) && !is_benchmark(given->dataset) && !data->fixed;
    if (data->form != SUSTAIN_SELECT_AUTO && !data->select)
        return complain(EXIT_USAGE, "absolute penalties do not go with %s: they are no problem for a solver",
                        is_benchmark(given->dataset) ? given->dataset : "a comparison of solvers");
    int code = check_options(given, data->select);
    if (code == EXIT_DONE) code = given->dataset != NULL ? read_named(context, given, data) : read_files(context, given, data);
    if (code == EXIT_DONE) code = choose_model(context, given, data);
    if (code == EXIT_DONE) code = match(context, &data->model, data->training.set, data->validation.set);
    if (code == EXIT_DONE) code = match(context, &data->model, data->training.set, data->test.set);
    if (code == EXIT_DONE) code = part_rows(context, given, data);
    if (code == EXIT_DONE) code = read_factors(context, given, data);
    if (code == EXIT_DONE) code = scale(context, given, data);
    if (code == EXIT_DONE) code = finish_rows(data, &data->training);
    if (code == EXIT_DONE) code = finish_rows(data, &data->validation);
    if (code == EXIT_DONE) code = finish_rows(data, &data->watched);
    if (code == EXIT_DONE) code = finish_rows(data, &data->test);
    return code;
}

void tune_data_free(tune_data *data) {
    tune_rows *const all[] = {&data->training, &data->validation, &data->watched, &data->test};
    for (int i = 0; i < COUNT_OF(all); i++) {
        free(all[i]->signs);
        free(all[i]->dense);
        sustain_dataset_destroy(all[i]->set);
    }
    sustain_scaling_destroy(data->scaling);
    free(data->group);
    free(data->fold);
    free(data->factor);
    free(data->weight);
}

json_t *tune_data_json(const tune_data *data) {
    static const char *const losses[] = {"logistic", "softmax", "squared", "huber", "poisson"};
    const sustain_dataset *set = data->training.set;
    json_t *object = json_object();
    json_object_set_new(object, "source", json_text(set->source));
    json_object_set_new(object, "training", json_integer(set->rows.count));
    json_object_set_new(object, "validation", json_integer(data->validation.set != NULL ? data->validation.set->rows.count : 0));
    json_object_set_new(object, "folds", json_integer(data->model.folds));
    json_object_set_new(object, "watched", json_integer(data->watched.set != NULL ? data->watched.set->rows.count : 0));
    json_object_set_new(object, "test", json_integer(data->test.set != NULL ? data->test.set->rows.count : 0));
    json_object_set_new(object, "dim", json_integer(set->rows.dim));
    json_object_set_new(object, "sparse", json_boolean(set->rows.start != NULL));
    json_object_set_new(object, "classes", json_integer(tune_is_number(data->model.loss) ? 0 : set->classes));
    json_object_set_new(object, "loss", json_string(losses[data->model.loss]));
    json_object_set_new(object, "standardization", json_text(data->scaling->reason));
    json_object_set_new(object, "split", json_text(data->split));
    return object;
}

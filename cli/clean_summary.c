/* clean_summary.c - what `sustain clean` says: the short result for people, the JSON object for
 * programs. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verb_clean.h"
#include "progress.h"

enum { WORST = 10, CONFUSIONS = 5 };

/* ---- what is counted and compared ---- */

/* A given class, the class that is suggested in its place, and how often. */
typedef struct confusion {
    int64_t given, suggested, count;
} confusion;

/* A row of the table of baselines. */
typedef struct baseline_row {
    char name[32];
    const char *what; /* in words */
    sustain_clean_score score;
} baseline_row;
enum { BASELINE_ROWS = SUSTAIN_CLEAN_BASELINE_COUNT + 2 };

static int by_count(const void *a, const void *b) {
    const confusion *p = a, *q = b;
    if (p->count != q->count) return p->count < q->count ? 1 : -1;
    if (p->given != q->given) return p->given < q->given ? -1 : 1;
    return p->suggested < q->suggested ? -1 : p->suggested > q->suggested;
}

/* Keeps the `most` largest of all pairs of classes: the list is short, so each is put in its
 * place. */
static int find_confusions(const clean_job *job, confusion *list, int most) {
    const int64_t classes = job->data.training->classes;
    int n = 0;
    for (int64_t i = 0; i < classes * classes; i++) {
        const confusion pair = {i / classes, i % classes, job->result.confused[i]};
        if (pair.count == 0 || (n == most && by_count(&list[n - 1], &pair) < 0)) continue;
        int at = n < most ? n++ : n - 1;
        for (; at > 0 && by_count(&pair, &list[at - 1]) < 0; at--) list[at] = list[at - 1];
        list[at] = pair;
    }
    return n;
}

static void fill_baselines(const clean_job *job, baseline_row rows[BASELINE_ROWS]) {
    const sustain_clean_result *r = &job->result;
    rows[0] = (baseline_row){"sustain clean", "label_quality; the final classifier", r->score};
    rows[1] = (baseline_row){"weights alone", "sigma(x); the solver's own classifier", r->weight_score};
    rows[1].score.seconds = job->run.result.seconds;
    rows[0].score.seconds += job->run.result.seconds;
    for (int i = 0; i < SUSTAIN_CLEAN_BASELINE_COUNT; i++) {
        baseline_row *row = &rows[2 + i];
        row->what = sustain_clean_baseline_title((sustain_clean_baseline)i);
        row->score = r->baselines[i];
        snprintf(row->name, sizeof row->name, "%s", sustain_clean_baseline_key((sustain_clean_baseline)i));
        for (char *c = row->name; *c != '\0'; c++)
            if (*c == '_') *c = ' ';
    }
}

static void estimate_text(const clean_job *job, char *text, size_t size) {
    char errors[64], low[32], high[32];
    const sustain_clean_result *r = &job->result;
    snprintf(errors, sizeof errors, "%s %s", grouped_text(llround(r->estimated_errors), low),
             llround(r->estimated_errors) == 1 ? "label is" : "labels are");
    if (isnan(r->estimated_low))
        snprintf(text, size, "About %s estimated to be wrong; without verified or trusted rows there is no interval.", errors);
    else
        snprintf(text, size, "%s estimated to be wrong (95 %% interval: %s to %s).", errors, grouped_text(llround(r->estimated_low), low),
                 grouped_text(llround(r->estimated_high), high));
}

/* "11,873 of 50,000 labels look wrong (23.7 %)." */
static void headline_text(const clean_job *job, char *text, size_t size) {
    char issues[32], count[32];
    const sustain_clean_result *r = &job->result;
    const int at = snprintf(text, size, "%s of %s labels look%s wrong (%.1f %%)", grouped_text(r->issues, issues),
                            grouped_text(r->count, count), r->issues == 1 ? "s" : "", 100 * (double)r->issues / (double)r->count);
    if (r->errors < 0)
        snprintf(text + at, size - (size_t)at, ".");
    else if (r->errors == 0)
        snprintf(text + at, size - (size_t)at, "; none is wrong.");
    else if (r->issues == 0)
        snprintf(text + at, size - (size_t)at, "; %s are wrong, none of them is flagged.", grouped_text(r->errors, count));
    else
        snprintf(text + at, size - (size_t)at, "; %s are wrong: precision %.1f %%, recall %.1f %%.", grouped_text(r->errors, count),
                 100 * r->issue_precision, 100 * r->issue_recall);
}

/* How many of the flagged labels were checked; "" where none was or the truth is known. */
static void left_text(const clean_job *job, char *text, size_t size) {
    const sustain_clean_result *r = &job->result;
    int64_t checked = 0;
    char count[32], left[32];
    text[0] = '\0';
    for (int64_t i = 0; r->errors < 0 && job->data.verified_count > 0 && i < r->count; i++)
        checked += r->is_issue[i] && r->verified[i] >= 0;
    if (checked > 0)
        snprintf(text, size, "%s of the labels that look wrong %s checked; %s %s left to review.", grouped_text(checked, count),
                 checked == 1 ? "was" : "were", grouped_text(r->issues - checked, left), r->issues - checked == 1 ? "is" : "are");
}

/* Which ranking was written, and why. */
static void ranking_text(const clean_job *job, char *text, size_t size) {
    const sustain_clean_result *r = &job->result;
    const char *name = sustain_clean_ranking_text(r->ranking);
    const bool baseline = r->ranking == SUSTAIN_CLEAN_RANKING_SELF || r->ranking == SUSTAIN_CLEAN_RANKING_MARGIN;
    if (isnan(r->ranking_auc) || isnan(r->baseline_auc))
        snprintf(text, size, "Ranking: %s.", name);
    else
        snprintf(text, size, "Ranking: %s; AUC %.4f on the verified rows%s%.4f%s.", name, r->ranking_auc,
                 baseline ? ", better than the fitted posterior (best baseline: " : " (best baseline: ", r->baseline_auc, ")");
}

/* Whether there is neither a truth nor a test set, so that classifiers are compared by the trusted
 * rows. */
static bool by_trusted(const clean_job *job) {
    return job->result.errors < 0 && job->data.test == NULL;
}

/* What cannot be told because the truth is not known, or "". */
static void caveat_text(const clean_job *job, char *text, size_t size) {
    text[0] = '\0';
    if (job->result.errors >= 0) return;
    snprintf(text, size, "The true labels are not known, so there is no AUC and no precision%s.",
             by_trusted(job) && !isnan(job->result.trusted_accuracy)
                 ? "; classifiers are compared by the trusted rows, each judged by one that was trained without it"
                 : "");
}

static void scaling_text(const clean_job *job, char *text, size_t size) {
    text[0] = '\0';
    if (job->data.scaling == NULL) return;
    snprintf(text, size, "%s.", job->data.scaling->reason);
    text[0] = (char)toupper((unsigned char)text[0]);
}

/* ---- for people ---- */

enum { LONGEST_NAME = 32 };

/* A name on the terminal: not too long, and nothing in it that a terminal would obey. */
static const char *shown_text(const char *name, char text[LONGEST_NAME]) {
    size_t n = 0;
    for (; name[n] != '\0' && n < LONGEST_NAME - 1; n++) text[n] = iscntrl((unsigned char)name[n]) ? '?' : name[n];
    if (name[n] != '\0') {
        n = LONGEST_NAME - 4;
        while (n > 0 && ((unsigned char)name[n] & 0xC0) == 0x80) n--; /* not inside a character */
        memcpy(text + n, "...", 3);
        n += 3;
    }
    text[n] = '\0';
    return text;
}

static const char *shown(const clean_job *job, int64_t k, char text[LONGEST_NAME]) {
    return shown_text(clean_class(&job->data, k), text);
}

/* The flagged rows to look at first: verified ones were looked at. */
static void print_worst(const clean_job *job) {
    const sustain_clean_result *r = &job->result;
    const sustain_dataset *set = job->data.training;
    text_table t = {.align = set->has_id ? "rlllrr" : "rllrr", .indent = 2};
    char name[LONGEST_NAME];
    static const char *const titles[] = {"given", "suggested", "quality", "weight"};
    int64_t count = 0, worst[WORST];
    for (int64_t k = 0; k < r->count && count < WORST; k++)
        if (r->is_issue[r->order[k]] && !clean_verified(job, r->order[k])) worst[count++] = r->order[k];
    if (count == 0) return;
    printf("\n");
    heading(stdout, "Most suspicious rows");
    table_add(&t, "row");
    if (set->has_id) table_add(&t, "%s", shown_text(set->kept_names[0], name));
    for (int i = 0; i < COUNT_OF(titles); i++) table_add(&t, "%s", titles[i]);
    for (int64_t k = 0; k < count; k++) {
        const int64_t i = worst[k];
        table_add(&t, "%lld", (long long)clean_row(&job->data, i));
        if (set->has_id) table_add(&t, "%s", shown_text(set->kept[i * set->kept_columns], name));
        table_add(&t, "%s", shown(job, set->rows.labels[i], name));
        table_add(&t, "%s", shown(job, r->suggested[i], name));
        table_add(&t, "%.4f", (double)r->quality[i]);
        if (r->weight != NULL)
            table_add(&t, "%.2f", (double)r->weight[i]);
        else
            table_add(&t, "-");
    }
    table_print(stdout, &t);
}

static void print_confusions(const clean_job *job) {
    confusion list[CONFUSIONS];
    const int count = find_confusions(job, list, CONFUSIONS);
    text_table t = {.align = "rlll", .indent = 2};
    char name[LONGEST_NAME];
    if (count == 0) return;
    printf("\n");
    heading(stdout, "Most frequent suggestions");
    for (int i = 0; i < count; i++) {
        table_add(&t, "%lld", (long long)list[i].count);
        table_add(&t, "%s", shown(job, list[i].given, name));
        table_add(&t, "->");
        table_add(&t, "%s", shown(job, list[i].suggested, name));
    }
    table_print(stdout, &t);
}

static void add_score(text_table *t, int digits, double value) {
    if (isnan(value))
        table_add(t, "-");
    else
        table_add(t, "%.*f", digits, value);
}

/* The scores of a row, in the order of the columns. */
enum { SCORES = 6 };
static void scores_of(const clean_job *job, const sustain_clean_score *s, double value[SCORES]) {
    const double values[SCORES] = {
        s->auc, s->precision_at_errors, by_trusted(job) ? s->trusted_accuracy : s->test_accuracy, s->flagged, s->f1, s->seconds};
    memcpy(value, values, sizeof values);
}

/* Rows and columns without a score are left out; the time alone is none. */
static void print_baselines(const clean_job *job) {
    static const int digits[SCORES] = {4, 4, 4, 0, 4, 1};
    const char *const titles[SCORES] = {"AUC",     "precision", by_trusted(job) ? "trusted accuracy" : "test accuracy",
                                        "flagged", "F1",        "seconds"};
    baseline_row rows[BASELINE_ROWS];
    double value[BASELINE_ROWS][SCORES];
    bool row_shown[BASELINE_ROWS] = {false}, shown_column[SCORES] = {false};
    char align[SCORES + 2] = "l";
    text_table t = {.align = align, .indent = 2};
    fill_baselines(job, rows);
    for (int i = 0; i < BASELINE_ROWS; i++) {
        scores_of(job, &rows[i].score, value[i]);
        for (int k = 0; k < SCORES - 1; k++)
            if (!isnan(value[i][k])) row_shown[i] = shown_column[k] = shown_column[SCORES - 1] = true;
    }
    printf("\n");
    heading(stdout, "Baselines");
    table_add(&t, "%s", "");
    for (int k = 0; k < SCORES; k++) {
        if (!shown_column[k]) continue;
        align[strlen(align)] = 'r';
        table_add(&t, "%s", titles[k]);
    }
    for (int i = 0; i < BASELINE_ROWS; i++) {
        if (!row_shown[i]) continue;
        table_add(&t, "%s", rows[i].name);
        for (int k = 0; k < SCORES; k++)
            if (shown_column[k]) add_score(&t, digits[k], value[i][k]);
    }
    table_print(stdout, &t);
}

static void print_run(const clean_job *job) {
    char count[32], seconds[32], total[32], text[512], halved[64] = "";
    if (sustain_clean_solver(job->clean) == NULL) {
        snprintf(text, sizeof text, "No bilevel problem was solved: %s. %s in all.",
                 job->result.y != NULL ? "no row is known to be right" : "there are no features",
                 duration_text(job->run.total_seconds, total));
        paragraphs(stdout, 0, text);
        return;
    }
    const sustain_solver_info *info = sustain_solver_describe(sustain_clean_solver(job->clean));
    if (job->run.result.halvings > 0) snprintf(halved, sizeof halved, ", the step halved %lld times", (long long)job->run.result.halvings);
    snprintf(text, sizeof text, "%s: %s iterations in %s%s%s; %.1f %% of the trusted labels predicted correctly; %s in all.", info->name,
             grouped_text(job->run.result.iterations, count), duration_text(job->run.result.seconds, seconds), halved,
             job->run.result.stop == SUSTAIN_STOP_SECONDS ? " (then the time was used up: the result depends on the speed of the machine)"
                                                          : "",
             100 * job->result.trusted_accuracy, duration_text(job->run.total_seconds, total));
    paragraphs(stdout, 0, text);
}

/* Many rows: what classifiers were fitted on; "" where that is all of them. */
static void sample_text(const clean_job *job, char *text, size_t size) {
    char fitted[32], count[32];
    text[0] = '\0';
    if (job->result.fitted == job->result.count) return;
    snprintf(text, size, "Classifiers were fitted, and baselines compared, on a sample of %s of the %s rows (--fit-rows).",
             grouped_text(job->result.fitted, fitted), grouped_text(job->result.count, count));
}

void clean_summary(const clean_job *job) {
    char text[512];
    const bool quiet = job->given->run.quiet;
    headline_text(job, text, sizeof text);
    fputs(styled(STYLE_BOLD), stdout);
    paragraphs(stdout, 0, text);
    fputs(styled(STYLE_PLAIN), stdout);
    left_text(job, text, sizeof text);
    paragraphs(stdout, 0, text);
    estimate_text(job, text, sizeof text);
    paragraphs(stdout, 0, text);
    if (!isnan(job->given->trusted_fraction)) {
        snprintf(text, sizeof text, "The other %lld rows, drawn by --trusted-fraction, were not judged: the files leave them out.",
                 (long long)job->data.trusted->rows.count);
        paragraphs(stdout, 0, text);
    }
    if (!quiet) {
        print_confusions(job);
        print_worst(job);
        print_baselines(job);
        caveat_text(job, text, sizeof text);
        printf("\n");
        paragraphs(stdout, 0, text);
        ranking_text(job, text, sizeof text);
        paragraphs(stdout, 0, text);
        clean_noise_text(job, text, sizeof text);
        paragraphs(stdout, 0, text);
        scaling_text(job, text, sizeof text);
        paragraphs(stdout, 0, text);
        sample_text(job, text, sizeof text);
        paragraphs(stdout, 0, text);
        print_run(job);
    }
    printf("The report: %s/report.html\n", job->given->run.out);
}

/* ---- for programs ---- */

static json_t *score_json(const sustain_clean_score *score) {
    json_t *object = json_object();
    SET_NUMBERS(object, {"auc", score->auc}, {"precision_at_errors", score->precision_at_errors}, {"test_accuracy", score->test_accuracy},
                {"trusted_accuracy", score->trusted_accuracy}, {"flagged", score->flagged}, {"f1", score->f1}, {"seconds", score->seconds});
    return object;
}

static void add_run(json_t *object, const clean_job *job) {
    sustain_solver *solver = sustain_clean_solver(job->clean);
    const sustain_result *run = &job->run.result;
    char batch[64] = "";
    long long draws;
    if (solver != NULL) sustain_solver_get(solver, "batch", batch, sizeof batch);
    json_object_set_new(object, "solver", solver != NULL ? json_string(sustain_solver_describe(solver)->name) : json_null());
    json_object_set_new(object, "batch", whole_numbers(batch, '\0', 1, &draws) == 1 ? json_integer(draws) : json_null());
    json_object_set_new(object, "iterations", json_integer(run->iterations));
    SET_NUMBERS(object, {"seconds", run->seconds}, {"total_seconds", job->run.total_seconds},
                {"iterations_per_second", run->seconds > 0 ? (double)run->iterations / run->seconds : NAN});
    json_object_set_new(object, "stopped", json_string(sustain_stop_text(run->stop)));
    json_object_set_new(object, "halvings", json_integer(run->halvings));
    set_counts(object, &run->counts);
    json_object_set_new(object, "upper_loss", json_number_or_null(run->upper_value));
}

static void add_result(json_t *object, const clean_job *job) {
    const sustain_clean_result *r = &job->result;
    const bool known = r->errors >= 0;
    SET_NUMBERS(object, {"finish_seconds", r->score.seconds}, {"trusted_accuracy", r->trusted_accuracy},
                {"test_accuracy", r->score.test_accuracy}, {"test_accuracy_solver", r->weight_score.test_accuracy},
                {"label_error_auc", r->score.auc}, {"label_error_auc_weights", r->weight_score.auc},
                {"label_error_auc_classifier", r->classifier_auc}, {"precision_at_errors", r->score.precision_at_errors});
    json_object_set_new(object, "fitted_rows", json_integer(r->fitted));
    json_object_set_new(object, "issues", json_integer(r->issues));
    SET_NUMBERS(object, {"noise_estimated", r->noise}, {"estimated_errors", r->estimated_errors},
                {"estimated_errors_low", r->estimated_low}, {"estimated_errors_high", r->estimated_high}, {"f1_expected", r->f1_expected},
                {"issue_f1", known ? r->score.f1 : NAN});
    json_object_set_new(object, "errors", known ? json_integer(r->errors) : json_null());
    SET_NUMBERS(object, {"issue_precision", known ? r->issue_precision : NAN}, {"issue_recall", known ? r->issue_recall : NAN});
}

/* Is the quality of a label as high as said? */
static json_t *reliability_json(const clean_job *job) {
    json_t *list = json_array();
    for (int b = 0; b < SUSTAIN_CLEAN_BINS; b++) {
        const sustain_clean_bin *bin = &job->result.bins[b];
        if (bin->count == 0) continue;
        json_array_append_new(list, json_pack("{s:f, s:f, s:I, s:f, s:f, s:f, s:f}", "low", bin->low, "high", bin->high, "count",
                                              (json_int_t)bin->count, "said", bin->said, "right", bin->right, "right_low", bin->right_low,
                                              "right_high", bin->right_high));
    }
    return list;
}

/* How much each source of probabilities counts. */
static json_t *sources_json(const clean_job *job) {
    json_t *list = json_array();
    for (int m = 0; m < SUSTAIN_CLEAN_MOST_SOURCES; m++) {
        if (job->result.source_names[m] == NULL) continue;
        json_t *row = json_object();
        json_object_set_new(row, "name", json_text(job->result.source_names[m]));
        json_object_set_new(row, "share", json_number_or_null(job->result.shares[m]));
        json_array_append_new(list, row);
    }
    return list;
}

static void add_checked(json_t *object, const clean_job *job) {
    static const char *const chosen[] = {"random", "worst-first", "mixed"};
    char text[512];
    json_object_set_new(object, "verified", json_integer(job->data.verified_count));
    json_object_set_new(object, "verified_are", job->data.verified_count > 0 ? json_string(chosen[job->given->verified_are]) : json_null());
    json_object_set_new(object, "ranking", json_string(sustain_clean_ranking_text(job->result.ranking)));
    ranking_text(job, text, sizeof text);
    json_object_set_new(object, "ranking_reason", json_text(text));
    json_object_set_new(object, "reliability", reliability_json(job));
    json_object_set_new(object, "sources", sources_json(job));
}

/* The method and its baselines in a row, as the summary shows them. */
static json_t *baselines_json(const clean_job *job) {
    baseline_row rows[BASELINE_ROWS];
    json_t *list = json_array();
    fill_baselines(job, rows);
    for (int i = 0; i < BASELINE_ROWS; i++) {
        json_t *row = score_json(&rows[i].score);
        json_object_set_new(row, "name", json_text(rows[i].name));
        json_object_set_new(row, "what", json_text(rows[i].what));
        json_array_append_new(list, row);
    }
    return list;
}

json_t *clean_json(const clean_job *job) {
    json_t *object = json_object(), *baselines = json_object();
    char report[LONGEST_PATH], id[CLEAN_REVIEW_ID];
    for (int i = 0; i < SUSTAIN_CLEAN_BASELINE_COUNT; i++)
        json_object_set_new(baselines, sustain_clean_baseline_key((sustain_clean_baseline)i), score_json(&job->result.baselines[i]));
    add_run(object, job);
    add_result(object, job);
    json_object_set_new(object, "baselines", baselines);
    json_object_set_new(object, "baseline_table", baselines_json(job));
    add_checked(object, job);
    clean_noise_json(job, object);
    json_t *groups = clean_groups_json(job);
    if (groups != NULL) json_object_set_new(object, "groups", groups);
    run_add_profile(&job->run, object);
    json_object_set_new(object, "training", json_integer(job->data.training->rows.count));
    json_object_set_new(object, "trusted", json_integer(job->data.trusted != NULL ? job->data.trusted->rows.count : 0));
    json_object_set_new(object, "standardized", json_boolean(job->data.scaling != NULL && job->data.scaling->factor != NULL));
    json_object_set_new(object, "memory_estimated_bytes", json_integer((json_int_t)job->run.memory));
    notes_json(object);
    json_object_set_new(object, "warning", job->data.warning[0] != '\0' ? json_text(job->data.warning) : json_null());
    json_object_set_new(object, "seed", json_integer(job->given->run.seed));
    json_object_set_new(object, "threads", json_integer(sustain_context_threads(job->run.context)));
    clean_review_id(&job->data, id);
    json_object_set_new(object, "review_id", json_string(id));
    run_path(job->given->run.out, "report.html", report);
    json_object_set_new(object, "report", json_text(report));
    return object;
}

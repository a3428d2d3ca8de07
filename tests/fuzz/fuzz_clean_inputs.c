/* fuzz_clean_inputs.c - any texts as what `sustain clean` is told beside the rows: checked rows,
 * the truth, annotations, groups, decisions and what was verified before. They are refused with a
 * sentence, or every row has a label, a truth and a group that there is. A '@' in the decisions is
 * the name of the review, which depends on the rows. */
#include "cli/notes.h"
#include "cli/verb_clean.h"
#include "input_folder.h"
#include "program.h"

/* Of the input; the last is also probabilities, which may be an array. verified.csv is of the run
 * before. */
static const char *const names[] = {"options",       "train.csv",  "checked.csv",  "truth.csv", "annotations.csv",
                                    "decisions.csv", "groups.csv", "verified.csv", "probs"};
enum { OPTIONS, TRAIN, CHECKED, TRUTH, ANNOTATIONS, DECISIONS, GROUPS, VERIFIED, PROBS, NAMES };

static char decisions[96]; /* those of the input, of this review */

static void end(void) {
    remove(decisions);
}

static void start(void) {
    program_begin();
    make_folder_of(names, NAMES);
    snprintf(decisions, sizeof decisions, "%s/of-this-review.csv", folder);
    atexit(end);
}

static void write_decisions(const clean_data *d) {
    char id[CLEAN_REVIEW_ID];
    FILE *to = fopen(decisions, "wb");
    require(to != NULL);
    clean_review_id(d, id);
    for (size_t i = 0; i < files[DECISIONS].length; i++) {
        const int c = files[DECISIONS].bytes[i];
        if (c == '@')
            fputs(id, to);
        else
            fputc(c, to);
    }
    require(fclose(to) == 0);
}

static const char *there(int i) {
    return files[i].length > 0 ? files[i].path : NULL;
}

static void check_labels_of(const int32_t *labels, int64_t count, int64_t classes, int32_t least) {
    for (int64_t i = 0; labels != NULL && i < count; i++) require(labels[i] >= least && labels[i] < classes);
}

static void check_data(const clean_data *d) {
    const sustain_dataset *set = d->training;
    const int64_t n = set->rows.count;
    int64_t verified = 0;
    require(n > 0 && n <= d->rows && (d->index != NULL || n == d->rows));
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = clean_row(d, i);
        require(row >= 0 && row < d->rows && (i == 0 || row > clean_row(d, i - 1)) && clean_training_row(d, row) == i);
        verified += d->verified != NULL && d->verified[i] >= 0;
    }
    require(verified == d->verified_count);
    check_labels_of(set->rows.labels, n, set->classes, 0);
    check_labels_of(d->verified, n, set->classes, -1);
    check_labels_of(d->truth, n, set->classes, 0);
    check_labels_of(d->group, n, d->groups != NULL ? d->groups->classes : 0, 0);
    if (d->trusted != NULL) check_labels_of(d->trusted->rows.labels, d->trusted->rows.count, set->classes, 0);
    for (int64_t i = 0; d->drawn != NULL && i < n; i++) require(d->drawn[i] <= 1);
    json_decref(clean_data_json(d));
}

/* Each byte of the first file switches something on or off. */
static bool chosen(int i) {
    return (size_t)i < files[OPTIONS].length && files[OPTIONS].bytes[i] == '1';
}

static int read_all(const clean_values *given) {
    clean_job job = {.run = {.context = context}, .given = given};
    forget_sentences();
    int code = clean_data_read(context, given, &job.data);
    if (code == EXIT_DONE) check_data(&job.data);
    if (code == EXIT_DONE) code = clean_check_annotations(&job);
    if (code == EXIT_DONE) write_decisions(&job.data);
    fflush(stderr);
    require(code == EXIT_DONE || code == EXIT_USAGE || code == EXIT_FAILED);
    require(code == EXIT_DONE || (sentence_length > 0 && strncmp(sentence, "sustain: ", 9) == 0));
    clean_data_free(&job.data);
    notes_end();
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bool help;
    clean_values given = {.c = 1};
    if (context == NULL) start();
    put_files(data, size);
    forget_sentences();
    require(options_parse(context, &verb_clean, 0, NULL, &given, &help) == EXIT_DONE); /* the defaults */
    given.label_column = chosen(0) ? "y" : NULL;
    given.table.id_column = chosen(1) ? "id" : NULL;
    given.table.missing_labels = chosen(2);
    given.trusted_column = chosen(3) ? "t" : NULL;
    given.group_column = chosen(4) ? "g" : NULL;
    given.verified_column = chosen(5) ? "v" : NULL;
    given.class_names = chosen(6) ? "a,b,c" : NULL;
    given.run.out = folder;
    if (chosen(8)) /* labels and probabilities alone */
        given.labels = files[TRAIN].path;
    else
        given.features = files[TRAIN].path;
    given.verified = there(CHECKED);
    given.truth = there(TRUTH);
    given.annotations = there(ANNOTATIONS);
    given.groups = there(GROUPS);
    given.pred_probs = there(PROBS);
    if (read_all(&given) != EXIT_DONE || !chosen(7)) return 0;
    given.run.resume = true;
    given.reviewed = there(DECISIONS) != NULL ? decisions : NULL;
    read_all(&given);
    return 0;
}

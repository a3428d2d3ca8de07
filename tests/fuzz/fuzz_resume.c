/* fuzz_resume.c - any files as the folder of a run that a command goes on with: the options of one
 * that is resumed or evaluated, the points of runs that are compared. What is refused gets a
 * sentence; options that are taken can be written as text and read again. */
#include "cli/verb_compare.h"
#include "input_folder.h"
#include "program.h"

/* Two runs of a comparison; the first of them is also that of other commands. */
static const char *const names[] = {"sustain/seed-0/config.json", "sustain/seed-0/metrics.jsonl", "sustain/seed-0/result.json",
                                    "sustain/seed-1/metrics.jsonl"};
enum { METRICS = 1 };

static char run[96];
static compare_job job;
static FILE *nowhere;

static void clean_up(void) {
    fclose(nowhere);
}

static void start(void) {
    lab_error error;
    program_begin();
    nowhere = fopen("/dev/null", "w");
    require(nowhere != NULL);
    atexit(clean_up);
    make_folder_of(names, COUNT_OF(names));
    snprintf(run, sizeof run, "%s/sustain/seed-0", folder);
    options_parse(context, &verb_compare, 0, NULL, &job.given, &(bool){false}); /* the defaults */
    job.given.out = folder;
    job.asked = &job.given;
    job.plan = (compare_plan){.task = &compare_task_quadratic, .runs = 2, .panel = {{"", "", ""}}, .panel_count = 1};
    require(compare_entries_add(&job.plan, "sustain", &error) == SUSTAIN_OK && strcmp(job.plan.entry[0].folder, "sustain") == 0);
}

static void resume(const verb *v) {
    void *values = calloc(1, v->size);
    bool help;
    json_t *keep = NULL;
    require(values != NULL);
    options_parse(context, v, 0, NULL, values, &help); /* the defaults */
    forget_sentences();
    const int code = config_read(context, run, v, values, &keep);
    check_sentence(code);
    if (code == EXIT_DONE) {
        check_values(v, values);
        json_decref(options_json(v, values));
        json_decref(repeat_json(v, values));
    }
    json_decref(keep);
    free(values);
}

/* There is no model: it is refused after its config.json was read, if not before. */
static void evaluate(void) {
    char *const words[] = {run, "--quiet", "--threads", "1"};
    void *values = calloc(1, verb_meta_eval.size);
    bool help;
    require(values != NULL && options_parse(context, &verb_meta_eval, COUNT_OF(words), words, values, &help) == EXIT_DONE);
    forget_sentences();
    const int code = verb_meta_eval.run(context, values);
    check_sentence(code);
    require(code != EXIT_DONE);
    free(values);
}

static void compare(void) {
    compare_folder_is_there(&job, &job.plan.entry[0], 0);
    forget_sentences();
    const int code = compare_folders_read(&job);
    check_sentence(code);
    if (code == EXIT_DONE) {
        compare_claims(&job.result);
        json_decref(compare_json(&job));
        compare_print(nowhere, &job);
    }
    compare_result_free(&job.result);
}

/* Keeps the lines up to an iteration. */
static void keep_lines(void) {
    metrics_log log;
    forget_sentences();
    check_sentence(metrics_open(&log, run, 2));
    check_sentence(metrics_close(&log));
    files[METRICS].length = SIZE_MAX; /* it was replaced */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (context == NULL) start();
    put_files(data, size);
    resume(&verb_clean);
    resume(&verb_tune);
    resume(&verb_meta_train);
    evaluate();
    compare();
    keep_lines();
    return 0;
}

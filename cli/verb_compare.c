/* verb_compare.c - `sustain compare`: compares algorithms on the same data with the same seeds.
 * This file has the options and the sequence of steps. */
#include "verb_compare.h"

#include <math.h>
#include <string.h>

#include "folder_lock.h"
#include "interrupt.h"
#include "kept_inputs.h"
#include "memory_limit.h"
#include "page.h"
#include "progress.h"
#include "ranks.h"
#include "verbs.h"

static const char *task_name_at(int i) {
    return compare_source_at(i) != NULL ? compare_source_at(i)->task->name : NULL;
}

int compare_refused(sustain_status status, const lab_error *error) {
    if (status == SUSTAIN_OK) return EXIT_DONE;
    if (status == SUSTAIN_MEMORY_LIMIT) return complain(EXIT_FAILED, "%s, or allow more with --max-memory", error->text);
    return complain(status == SUSTAIN_MEMORY ? EXIT_FAILED : EXIT_USAGE, "--solvers: %s", error->text);
}

/* ---- the plan ---- */

static int find_task(const compare_values *given, const compare_task **task) {
    enum { MOST = 8 };
    const char *names[MOST];
    int count = 0;
    if (given->task == NULL) return complain(EXIT_USAGE, "the task is missing: give clean, tune, meta or quadratic; or --figure 4");
    for (; task_name_at(count) != NULL; count++) {
        names[count] = task_name_at(count);
        if (strcmp(names[count], given->task) == 0) *task = compare_source_at(count)->task;
    }
    if (*task != NULL) return EXIT_DONE;
    return complain_of_name("there is no task", given->task, names, count, "there are clean, tune, meta and quadratic");
}

/* Refuses options of other tasks. */
static int check_strangers(const compare_values *given, const compare_source *source) {
    const compare_task *task = source->task;
    if (task != &compare_task_quadratic && task != &compare_task_meta && given->set.count > 0)
        return complain(EXIT_USAGE,
                        "%s is a setting of the tasks quadratic and meta; those of the algorithms are written NAME:%s=... in --solvers",
                        given->set.pair[0].name, given->set.pair[0].name);
    for (int b = 0; b < verb_compare.borrowed_count; b++) {
        const verb *from = verb_compare.borrowed[b].from;
        for (int i = 0; i < from->option_count && from != source->options; i++) {
            const option *row = &from->options[i];
            const bool ours = source->options != NULL && verb_own_option(source->options, row->name) != NULL;
            if (!ours && option_is_given(row, (const char *)given + verb_compare.borrowed[b].offset))
                return complain(EXIT_USAGE, "--%s goes with the task %s, not with %s", row->name, from->name, task->name);
        }
    }
    return EXIT_DONE;
}

static int plan_list(compare_job *job) {
    char budget[32];
    lab_error error = {""};
    const compare_values *given = &job->given;
    compare_plan *plan = &job->plan;
    const int code = find_task(given, &plan->task);
    if (code != EXIT_DONE) return code;
    if (given->scale < 1) return complain(EXIT_USAGE, "--scale goes with --figure: use --runs and --budget instead");
    if (given->without != NULL) return complain(EXIT_USAGE, "--without goes with --figure: leave the name out of --solvers instead");
    if (given->solvers == NULL)
        return complain(EXIT_USAGE, "the algorithms are missing: give --solvers sustain,stocbio:batch=1000 ('sustain solvers' lists them)");
    plan->axis = given->x >= 0 ? (compare_axis)given->x : AXIS_GRADIENTS;
    plan->budget = isnan(given->budget) ? plan->task->budget[plan->axis] : given->budget;
    plan->panel[0] = (compare_panel){"", "", ""};
    plan->panel_count = 1;
    snprintf(job->title, sizeof job->title, "%s, up to %s %s", plan->task->name, number_text(plan->budget, budget),
             compare_axis_keys[plan->axis]);
    return compare_refused(compare_entries_add(plan, given->solvers, &error), &error);
}

/* ---- a figure of the paper ---- */

static bool is_given(const compare_values *given, const compare_source *source, const char *name) {
    const option *row = verb_own_option(source->options, name);
    return row != NULL && option_is_given(row, (const char *)given + source->offset);
}

/* What --set gives the parameter, whose name ends at '=' or at its end; NULL: nothing. */
static const char *set_value(const compare_values *given, const char *name) {
    const size_t length = strcspn(name, "=");
    const char *value = NULL;
    for (int i = 0; i < given->set.count; i++)
        if (strncmp(given->set.pair[i].name, name, length) == 0 && given->set.pair[i].name[length] == '\0')
            value = given->set.pair[i].value;
    return value;
}

/* --set TEXT, which is borrowed. */
static int store_setting(sustain_context *context, compare_values *given, const char *text) {
    return option_store(context, verb_own_option(&verb_compare, "set"), given, text);
}

/* Options that the command line does not give; "set": a parameter of the task. */
static int store_options(sustain_context *context, compare_values *given, const compare_source *source,
                         const compare_figure_option *options) {
    int code = EXIT_DONE;
    for (int i = 0; i < FIGURE_OPTIONS && options[i].name != NULL && code == EXIT_DONE; i++)
        if (strcmp(options[i].name, "set") == 0)
            code = set_value(given, options[i].value) != NULL ? EXIT_DONE : store_setting(context, given, options[i].value);
        else if (!is_given(given, source, options[i].name))
            code =
                option_store(context, verb_own_option(source->options, options[i].name), (char *)given + source->offset, options[i].value);
    return code;
}

/* Fewer tasks per iteration. */
static int scale_tasks(sustain_context *context, compare_job *job) {
    static char text[32]; /* the assignments borrow it */
    if (set_value(&job->given, "tasks") != NULL) return EXIT_DONE;
    snprintf(text, sizeof text, "tasks=%lld", (long long)compare_scaled_tasks(job->given.scale));
    return store_setting(context, &job->given, text);
}

static int scale_down(sustain_context *context, compare_job *job) {
    const double scale = job->given.scale;
    if (scale >= 1) return EXIT_DONE;
    if (job->given.runs == 0) job->plan.runs = (int64_t)fmax(2, ceil(scale * COMPARE_RUNS));
    job->plan.budget = ceil(scale * job->plan.budget);
    return job->plan.task == &compare_task_meta ? scale_tasks(context, job) : EXIT_DONE;
}

/* Adds to the sentence about what was shortened. */
static void add_words(compare_job *job, const char *one, const char *two, const char *three) {
    const size_t at = strlen(job->scaled);
    snprintf(job->scaled + at, sizeof job->scaled - at, "%s%s%s%s", at > 0 ? ", " : "", one, two, three);
}

static void add_shortened(compare_job *job, const char *now, const char *what, const char *full) {
    char words[80];
    snprintf(words, sizeof words, " %s instead of ", what);
    add_words(job, now, words, full);
}

static void say_what_is_shorter(const compare_figure *f, compare_job *job) {
    const compare_plan *plan = &job->plan;
    char now[32], full[32];
    const char *tasks = set_value(&job->given, "tasks");
    if (plan->runs < COMPARE_RUNS) add_shortened(job, number_text((double)plan->runs, now), "runs", number_text(COMPARE_RUNS, full));
    if (plan->axis == f->axis && plan->budget < f->budget)
        add_shortened(job, number_text(plan->budget, now), compare_axis_keys[plan->axis], number_text(f->budget, full));
    if (f->task == &compare_task_meta && tasks != NULL)
        add_shortened(job, tasks, "tasks per iteration", number_text(COMPARE_META_TASKS, full));
    for (int i = 0; i < job->asked->set.count; i++)
        if (strcmp(job->asked->set.pair[i].name, "tasks") != 0)
            add_words(job, job->asked->set.pair[i].name, " = ", job->asked->set.pair[i].value);
    if (job->given.without != NULL) add_words(job, "without", " ", job->given.without);
    if (job->given.fewer_runs != NULL) add_words(job, "fewer runs:", " ", job->given.fewer_runs);
}

static int plan_figure(sustain_context *context, compare_job *job) {
    compare_values *given = &job->given;
    lab_error error = {""};
    const compare_figure *f = compare_figure_at(given->figure);
    const compare_source *source = compare_source_of(f->task);
    const bool other_data = is_given(given, source, "dataset") || is_given(given, source, "features") || is_given(given, source, "images");
    if (given->task != NULL && strcmp(given->task, f->task->name) != 0)
        return complain(EXIT_USAGE, "figure %s is of the task %s, not %s", f->number, f->task->name, given->task);
    if (given->solvers != NULL) return complain(EXIT_USAGE, "give --solvers or --figure, not both: a figure has its own algorithms");
    snprintf(job->title, sizeof job->title, "Figure %s%s: %s", f->number, other_data ? ", with other data" : "", f->title);
    int code = other_data ? EXIT_DONE : store_options(context, given, source, f->data);
    if (code == EXIT_DONE) code = store_options(context, given, source, f->options);
    if (code == EXIT_DONE && compare_figure_plan(f, given->x, given->budget, given->without, &job->plan, &error) != SUSTAIN_OK)
        code = complain(EXIT_USAGE, "--without: %s", error.text);
    if (code == EXIT_DONE) code = scale_down(context, job);
    if (code == EXIT_DONE) say_what_is_shorter(f, job);
    return code;
}

/* ---- sequence of steps ---- */

/* If seconds are compared: one run at a time, with all threads. Otherwise one run per core, with
 * one thread each. */
static void share_cores(compare_job *job) {
    const int cores = run_options_threads(&(run_values){.threads = job->given.threads});
    job->processes = job->plan.axis == AXIS_SECONDS ? 1 : cores;
    job->threads = job->plan.axis == AXIS_SECONDS ? cores : 1;
}

/* Refuses an algorithm that does not fit as often as runs are made at the same time. */
static int check_memory(sustain_context *context, const compare_job *job, void *state) {
    sustain_memory memory = {.size = sizeof memory};
    const sustain_status status = job->plan.task->memory(state, &memory);
    memory.bytes *= job->processes;
    for (int i = 0; i < SUSTAIN_MEMORY_COUNT; i++) memory.part[i] *= job->processes;
    return refused(context, status == SUSTAIN_OK ? sustain_memory_check(context, &memory) : status);
}

/* Creates everything once in this process, with the first seed, so that errors are reported
 * before anything is written. */
static int check(sustain_context *context, compare_job *job) {
    const compare_plan *plan = &job->plan;
    compare_subject subject;
    lab_error error = {""};
    share_cores(job);
    job->allowed = memory_limit(context, job->given.max_memory);
    sustain_context_set_trust_mtime(context, job->given.trust_mtime);
    int code = compare_subject_open(context, job, plan->seed, &subject);
    run_fingerprint(context, job->fingerprint);
    if (code == EXIT_DONE) plan->task->describe(subject.state, job->data, sizeof job->data);
    for (int i = 0; i < plan->entry_count && code == EXIT_DONE; i++) {
        code = compare_refused(plan->task->make(subject.state, &plan->entry[i], plan->seed, &error), &error);
        if (code == EXIT_DONE) code = check_memory(context, job, subject.state);
    }
    compare_subject_close(&subject);
    return code;
}

static int give_fewer_runs(compare_job *job) {
    lab_error error = {""};
    if (job->given.fewer_runs == NULL || compare_entries_fewer_runs(&job->plan, job->given.fewer_runs, &error) == SUSTAIN_OK)
        return EXIT_DONE;
    return complain(EXIT_USAGE, "--fewer-runs: %s", error.text);
}

static int make_plan(sustain_context *context, compare_job *job) {
    job->plan.seed = job->given.seed;
    job->plan.runs = job->given.runs > 0 ? job->given.runs : COMPARE_RUNS;
    int code = job->given.figure >= 0 ? plan_figure(context, job) : plan_list(job);
    if (code == EXIT_DONE) code = give_fewer_runs(job);
    if (code == EXIT_DONE && job->plan.task == &compare_task_meta && job->given.meta.test_tasks == 0)
        job->given.meta.test_tasks = compare_judging_tasks(job->given.figure >= 0, job->given.scale);
    if (code == EXIT_DONE) code = check_strangers(&job->given, compare_source_of(job->plan.task));
    return code == EXIT_DONE ? check(context, job) : code;
}

static int show(sustain_context *context, const compare_job *job) {
    const compare_values *given = &job->given;
    int code = compare_files(job);
    if (code == EXIT_DONE) code = page_write(context, given->out);
    if (code != EXIT_DONE) return code;
    if (given->json) return print_json(compare_json(job));
    compare_print(stdout, job);
    return given->plot ? page_plot(context, given->out) : EXIT_DONE;
}

static int run(sustain_context *context, const void *values) {
    static compare_job job; /* too large for the stack */
    const double since = lab_clock();
    memcpy(&job.given, values, sizeof job.given);
    job.asked = values;
    job.result.plan = &job.plan;
    int code = make_plan(context, &job);
    if (code == EXIT_DONE) code = ranks_same_data(context);
    if (code == EXIT_DONE) code = inputs_keep_in(&verb_compare, &job.given, job.given.out);
    if (code == EXIT_DONE) code = compare_folders_refuse_links(&job);
    if (code == EXIT_DONE) code = make_folder(job.given.out);
    if (code == EXIT_DONE && ranks_number() == 0) code = folder_lock(job.given.out);
    code = ranks_agree(code);
    if (code != EXIT_DONE) return code;
    interrupt_watch();
    progress_enable(!job.given.quiet && !job.given.json);
    code = ranks_agree(compare_run_all(&job));
    if (ranks_number() > 0) return code; /* process 0 has the rest */
    if (code == EXIT_DONE) code = compare_folders_read(&job);
    if (code == EXIT_DONE) {
        compare_claims(&job.result);
        job.seconds = lab_clock() - since;
        code = show(context, &job);
    }
    compare_result_free(&job.result);
    return code;
}

/* ---- options ---- */

#define VALUES compare_values

static const option options[] = {
    WORD_ROW("TASK", task, task_name_at,
             "clean, tune, meta or quadratic; its data as in the help of 'sustain clean', 'sustain tune' and 'sustain meta train'. With "
             "--test-tasks N, meta evaluates on N tasks of the training classes and N of new ones (default 60; figures: 300, or fewer with "
             "--scale)"),
    TEXT_ROW("solvers", solvers, "A,B:NAME=VALUE,...",
             "the algorithms, separated by commas, each with parameters that differ from its defaults: sustain,stocbio:batch=1000"),
    CHOICE_ROW("figure", figure, -1, "1|2|3|4|5",
               "a figure of the paper on SUSTAIN (Khanduri et al., NeurIPS 2021) with its own settings: few-shot learning on miniImageNet "
               "with plain steps (1) and with Adam (2), on FC100 "
               "with Adam (3); hyper-cleaning of Fashion-MNIST with 30 % (4) or 40 % (5) of the labels wrong, also with schedule=auto"),
    NUMBER_ROW("scale", scale, "S", 1, 1e-4, 1,
               "shorten a figure: this fraction of its runs (at least 2) and of its budget, and fewer tasks; the result says so"),
    TEXT_ROW("without", without, "A,B", "leave these algorithms or methods out of a figure: maml"),
    COUNT_ROW("runs", runs, "N", 0, 0, 1000,
              "runs of each algorithm, each with its own seed; 0: ten, or with --scale that fraction of them"),
    TEXT_ROW("fewer-runs", fewer_runs, "A=N,...",
             "fewer runs of these algorithms or methods, with the first seeds: maml=2; two are compared by the seeds that both have"),
    COUNT_ROW("seed", seed, "N", 0, 0, 1e15, "seed of the first run; the others count up"),
    CHOICE_ROW("x", x, -1, "gradients|samples|products|calls|iterations|seconds",
               "the horizontal axis, and the unit of --budget: gradients of the upper level (as in the paper; the default), samples of "
               "both levels, products with second derivatives, all gradients and products, iterations, or seconds (one run at a time)"),
    NUMBER_ROW("budget", budget, "N", NAN, 1e-3, 1e15, "end every run when it has used this many; default: chosen for the task"),
    COUNT_ROW("threads", threads, "N", 0, 0, 64,
              "runs in parallel, each in its own process; 0: one per core. Only the seconds depend on it"),
    COUNT_ROW("ranks", ranks, "N", 0, 0, 4096, "fail unless mpirun started this many processes, which share the runs; 0: any number"),
    MEMORY_ROW(max_memory),
    TRUST_ROW(trust_mtime),
    FOLDER_ROW("out", out, "compare", "the folder for all output files; existing runs with the same configuration are not computed again"),
    SWITCH_ROW("plot", plot, "draw the curves"),
    SWITCH_ROW("json", json, "print compare.json"),
    SWITCH_ROW("quiet", quiet, "no progress"),
    SET_ROW(set, "set one of the options below, of the tasks quadratic and meta"),
};

static const option_group groups[] = {{"Options of the task quadratic", sustain_quadratic_table},
                                      {"Options of the task meta, the same for all methods", sustain_meta_parameters}};

static const borrowed loans[] = {{&verb_clean, offsetof(compare_values, clean)},
                                 {&verb_tune, offsetof(compare_values, tune)},
                                 {&compare_meta_source, offsetof(compare_values, meta)}};

static const example examples[] = {
    {"sustain compare quadratic --solvers sustain,ttsa,soba --plot", "three algorithms on a problem with a known solution"},
    {"sustain compare clean --dataset fashion-mnist --noise 0.4 --solvers sustain,stocbio:batch=1000,hoag --runs 5 --out cmp",
     "with 40 % wrong labels"},
    {"sustain compare --figure 5 --scale 0.1 --out figure-5", "the paper's Figure 5, shortened"},
};

const verb verb_compare = {
    .name = "compare",
    .summary = "run algorithms side by side, and the paper's figures",
    .about =
        "Runs each algorithm on the same data with the same seeds, evaluates it at counts that are evenly spaced on a logarithmic axis "
        "(the time of evaluations does not count), and shows mean and standard deviation over the runs. A task takes the data options of "
        "the command of that name. Algorithms run with their own "
        "defaults (schedule=auto, batch=1), not those of 'sustain clean' and 'sustain tune', unless --solvers says otherwise.\n"
        "Writes to the folder report.html, a page; summary.csv and compare.json, what the page shows; and metrics.jsonl for each run, in "
        "NAME/seed-N. After Ctrl-C, the same command resumes with the missing runs.",
    .borrowed = loans,
    .borrowed_count = COUNT_OF(loans),
    VERB_GROUPS,
    VERB_PARTS(compare_values),
};

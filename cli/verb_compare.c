/* verb_compare.c - `sustain compare`: algorithms on the same data with the same seeds. This file has the options and the order of things. */
#include "verb_compare.h"

#include <math.h>
#include <string.h>

#include "interrupt.h"
#include "page.h"
#include "progress.h"
#include "verbs.h"

static const compare_task *const tasks[] = {&compare_task_clean, &compare_task_tune, &compare_task_meta, &compare_task_quadratic};

const char *compare_task_name_at(int i) {
    return i < COUNT_OF(tasks) ? tasks[i]->name : NULL;
}

/* ---- what is to be done ---- */

static int find_task(const compare_values *given, const compare_task **task) {
    const char *names[COUNT_OF(tasks)];
    if (given->task == NULL) return complain(EXIT_USAGE, "say which task: clean, tune, meta or quadratic; or --figure 4");
    for (int i = 0; i < COUNT_OF(tasks); i++) {
        names[i] = tasks[i]->name;
        if (strcmp(names[i], given->task) == 0) *task = tasks[i];
    }
    if (*task != NULL) return EXIT_DONE;
    const char *near = sustain_nearest_name(given->task, names, COUNT_OF(tasks));
    if (near != NULL) return complain(EXIT_USAGE, "there is no task '%s'; did you mean '%s'?", given->task, near);
    return complain(EXIT_USAGE, "there is no task '%s': there are clean, tune, meta and quadratic", given->task);
}

/* An option of a task that is not the one to be done. */
static int check_strangers(const compare_values *given, const compare_task *task) {
    if (task != &compare_task_quadratic && task != &compare_task_meta && given->set.count > 0)
        return complain(EXIT_USAGE,
                        "%s is a setting of the tasks quadratic and meta; those of the algorithms are written NAME:%s=... in --solvers",
                        given->set.pair[0].name, given->set.pair[0].name);
    for (int b = 0; b < verb_compare.borrowed_count; b++) {
        const verb *from = verb_compare.borrowed[b].from;
        for (int i = 0; i < from->option_count && from != task->options; i++) {
            const option *row = &from->options[i];
            const bool ours = task->options != NULL && verb_own_option(task->options, row->name) != NULL;
            if (!ours && option_is_given(row, (const char *)given + verb_compare.borrowed[b].offset))
                return complain(EXIT_USAGE, "--%s goes with the task %s, not with %s", row->name, from->name, task->name);
        }
    }
    return EXIT_DONE;
}

static int make_plan(sustain_context *context, compare_values *given, compare_plan *plan) {
    char budget[32];
    plan->runs = given->runs > 0 ? given->runs : COMPARE_RUNS;
    if (given->figure >= 0) return compare_figure_plan(context, given, plan);
    int code = find_task(given, &plan->task);
    if (code != EXIT_DONE) return code;
    if (given->scale < 1) return complain(EXIT_USAGE, "--scale goes with --figure: here --runs and --budget say how long it takes");
    if (given->solvers == NULL)
        return complain(EXIT_USAGE, "say which algorithms: --solvers sustain,stocbio:batch=1000 ('sustain solvers' lists them)");
    plan->axis = given->x >= 0 ? (compare_axis)given->x : AXIS_GRADIENTS;
    plan->budget = isnan(given->budget) ? plan->task->budget[plan->axis] : given->budget;
    plan->panel[0] = (compare_panel){"", "", ""};
    plan->panel_count = 1;
    snprintf(plan->title, sizeof plan->title, "%s, up to %s %s", plan->task->name, number_text(plan->budget, budget),
             compare_axis_keys[plan->axis]);
    return compare_entries_add(plan, given->solvers);
}

/* Everything is made once in this process, with the first seed: what is wrong is said before anything is written. */
static int check(sustain_context *context, compare_plan *plan) {
    void *state = NULL;
    int code = plan->task->open(context, plan->given, plan->given->seed, &state);
    if (code == EXIT_DONE) plan->task->describe(state, plan->data, sizeof plan->data);
    for (int i = 0; i < plan->entry_count && code == EXIT_DONE; i++) code = plan->task->make(state, &plan->entry[i], plan->given->seed);
    if (state != NULL) plan->task->close(state);
    return code;
}

/* ---- the order of things ---- */

static int show(sustain_context *context, const compare_result *r) {
    const compare_values *given = r->plan->given;
    int code = compare_files(r);
    if (code == EXIT_DONE) code = page_write(context, given->out);
    if (code != EXIT_DONE) return code;
    if (given->json) return print_json(compare_json(r));
    compare_print(stdout, r);
    return given->plot ? page_plot(context, given->out) : EXIT_DONE;
}

/* One run at a time where seconds are compared, with all threads; else as many as there are cores, each with one. */
static void share_cores(const compare_values *given, compare_plan *plan) {
    const int cores = run_options_threads(&(run_values){.threads = given->threads});
    plan->processes = plan->axis == AXIS_SECONDS ? 1 : cores;
    plan->threads = plan->axis == AXIS_SECONDS ? cores : 1;
}

static int run(sustain_context *context, const void *values) {
    static compare_result result; /* too large for the stack */
    static compare_plan plan;
    static compare_values given;
    const double since = seconds_now();
    memcpy(&given, values, sizeof given);
    plan = (compare_plan){.asked = values, .given = &given};
    result = (compare_result){.plan = &plan};
    int code = make_plan(context, &given, &plan);
    if (code == EXIT_DONE) code = check_strangers(&given, plan.task);
    if (code == EXIT_DONE) code = check(context, &plan);
    if (code == EXIT_DONE) code = make_folder(given.out);
    if (code != EXIT_DONE) return code;
    share_cores(&given, &plan);
    interrupt_watch();
    progress_enable(!given.quiet && !given.json);
    code = compare_run_all(&plan);
    if (code == EXIT_DONE) code = compare_curves_read(&plan, &result);
    if (code == EXIT_DONE) {
        compare_claims(&result);
        result.seconds = seconds_now() - since;
        code = show(context, &result);
    }
    compare_curves_free(&result);
    return code;
}

/* ---- options ---- */

#define VALUES compare_values

static const option options[] = {
    {.name = "TASK",
     .type = OPTION_OPERAND,
     .offset = offsetof(compare_values, task),
     .word_at = compare_task_name_at,
     .help = "clean, tune, meta or quadratic; its data as in the help of 'sustain clean', 'sustain tune' and 'sustain meta train'"},
    TEXT_ROW("solvers", solvers, "A,B:NAME=VALUE,...",
             "the algorithms, with commas between, each with the parameters that are not its defaults: sustain,stocbio:batch=1000"),
    CHOICE_ROW("figure", figure, -1, "1|2|3|4|5",
               "a figure of the paper with its own settings: few-shot learning on miniImageNet with plain steps (1) and with Adam (2), on "
               "FC100 with Adam (3); "
               "hyper-cleaning of Fashion-MNIST with 30 % (4) or 40 % (5) of the labels wrong, also with schedule=auto"),
    NUMBER_ROW("scale", scale, "S", 1, 1e-4, 1,
               "shorten a figure: this part of its runs (at least 2) and of its budget, and fewer tasks an iteration; the result says so"),
    COUNT_ROW("runs", runs, "N", 0, 0, 1000, "of each algorithm, with a seed each; 0: ten, or with --scale that part of them"),
    COUNT_ROW("seed", seed, "N", 0, 0, 1e15, "of the first run; the others follow"),
    CHOICE_ROW("x", x, -1, "gradients|samples|products|calls|iterations|seconds",
               "what is compared against, and what --budget counts: gradients of the upper level (as in the paper; left out: these), "
               "samples of both "
               "levels, products with second derivatives, all gradients and products, iterations, or seconds (one run at a time)"),
    NUMBER_ROW("budget", budget, "N", NAN, 1e-3, 1e15, "end every run where it has used so many; left out: what suits the task"),
    COUNT_ROW("threads", threads, "N", 0, 0, 64,
              "runs at the same time, each in a process of its own; 0: one for each core. No number depends on it but the seconds"),
    FOLDER_ROW(
        "out", out, "compare",
        "the folder for everything that is written; runs that are there already, with the same configuration, are not computed again"),
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
    {"sustain compare quadratic --solvers sustain,ttsa,soba --plot", "three algorithms on a problem with known answers"},
    {"sustain compare clean --dataset fashion-mnist --noise 0.4 --solvers sustain,stocbio:batch=1000,hoag --runs 5 --out cmp",
     "on labels of which 40 % are wrong"},
    {"sustain compare --figure 5 --scale 0.1 --out figure-5", "the paper's Figure 5, shortened"},
};

const verb verb_compare = {
    .name = "compare",
    .summary = "run algorithms side by side, and the paper's figures",
    .about =
        "Runs each algorithm on the same data with the same seeds, measures it at log-spaced counts with the clock stopped, and shows "
        "mean and spread over the runs. A task takes the options for its data that the verb of that name takes. Algorithms are as they "
        "are by themselves (schedule=auto, batch=1), not as 'sustain clean' and 'sustain tune' set them up, unless --solvers says "
        "otherwise.\n"
        "Writes to the folder report.html, a page; summary.csv and compare.json, what the page shows; and metrics.jsonl for each run, in "
        "NAME/seed-N. Ctrl-C leaves whole runs whole; the same command goes on.",
    .options = options,
    .option_count = COUNT_OF(options),
    .borrowed = loans,
    .borrowed_count = COUNT_OF(loans),
    .groups = groups,
    .group_count = COUNT_OF(groups),
    .examples = examples,
    .example_count = COUNT_OF(examples),
    .size = sizeof(compare_values),
    .run = run,
};

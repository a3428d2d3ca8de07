/* meta_train.c - `sustain meta train`: trains a backbone over few-shot tasks. This file has the
 * options and the sequence of steps. */
#include <math.h>
#include <string.h>

#include "verb_meta.h"
#include "page.h"
#include "progress.h"
#include "verbs.h"

enum { ITERATIONS = 2000 }; /* default */

/* ---- sequence of steps ---- */

/* The parameter of the solver by this name, or NULL. */
static const sustain_parameter *solver_parameter(const char *solver, const char *name) {
    for (int i = 0; solver != NULL && i < sustain_solver_count(); i++) {
        const sustain_solver_info *info = sustain_solver_at(i);
        for (int k = 0; strcmp(info->name, solver) == 0 && k < info->parameter_count; k++)
            if (strcmp(info->parameters[k].name, name) == 0) return &info->parameters[k];
    }
    return NULL;
}

/* Of the assignments, those to parameters of the solver, which come first where both have one of
 * that name, or the others. */
static void select_settings(const meta_values *given, bool of_solver, assignments *out) {
    const bool no_method = meta_chooses(given); /* yet */
    out->count = 0;
    for (int i = 0; i < given->run.set.count; i++)
        if (no_method && strcmp(given->run.set.pair[i].name, "method") == 0)
            continue;
        else if ((solver_parameter(given->run.solver, given->run.set.pair[i].name) != NULL) == of_solver)
            out->pair[out->count++] = given->run.set.pair[i];
}

static int set_solver(const meta_job *job) {
    run_values values = {.schedule = -1, .local_steps = job->given->run.local_steps};
    select_settings(job->given, true, &values.set);
    return run_options_apply(job->run.context, &values, sustain_meta_solver(job->meta));
}

static int read_options(meta_job *job) {
    int count;
    const sustain_parameter *rows = sustain_meta_parameters(&count);
    const meta_values *given = job->given;
    if (given->run.local_steps > 0 && given->run.solver == NULL)
        return complain(EXIT_USAGE, "--local-steps goes with an algorithm for many machines: --solver fedbioacc");
    job->options = sustain_meta_defaults();
    job->options.dataset = given->source.dataset;
    job->options.first_order = given->first_order;
    job->options.solver = given->run.solver;
    if (given->run.solver != NULL) job->options.method = SUSTAIN_META_SOLVER;
    job->options.seed = (uint64_t)given->run.seed;
    job->limit = given->run.iterations > 0 ? given->run.iterations : isnan(given->run.seconds) ? ITERATIONS : INT64_MAX;
    job->seconds = isnan(given->run.seconds) ? INFINITY : given->run.seconds;
    assignments own;
    select_settings(given, false, &own);
    return options_assign(job->run.context, &own, &(target){rows, count, &job->options}, 1);
}

static int read_data(meta_job *job) {
    const meta_source *source = &job->given->source;
    sustain_context *context = job->run.context;
    const uint64_t seed = job->options.seed;
    int code = meta_pictures(context, source, seed, SUSTAIN_SPLIT_TRAINING, &job->training);
    if (code == EXIT_DONE) code = meta_pictures(context, source, seed, SUSTAIN_SPLIT_VALIDATION, &job->validation);
    return code == EXIT_DONE ? meta_pictures(context, source, seed, SUSTAIN_SPLIT_TEST, &job->test) : code;
}

/* Checks before the first iteration that validation and test tasks can be drawn. */
static int check_tasks(const meta_job *job) {
    const sustain_meta_options *o = sustain_meta_settled(job->meta);
    const sustain_task_shape shape = {o->ways, o->shots, job->given->test_queries};
    const int code = refused(job->run.context, sustain_tasks_check(job->validation, &shape));
    return code == EXIT_DONE ? refused(job->run.context, sustain_tasks_check(job->test, &shape)) : code;
}

static int check_memory(meta_job *job) {
    sustain_memory memory = {.size = sizeof memory};
    const int64_t most = job->given->validation_tasks > job->given->test_tasks ? job->given->validation_tasks : job->given->test_tasks;
    const sustain_meta_trial trial = {.tasks = most, .queries = job->given->test_queries};
    return run_check_memory(&job->run, sustain_meta_memory(job->meta, job->validation, &trial, &memory), &memory);
}

static json_t *data_json(const meta_job *job) {
    const sustain_pictures *const sets[] = {job->training, job->validation, job->test};
    static const char *const names[] = {"training", "validation", "test"};
    json_t *object = json_object();
    for (int i = 0; i < COUNT_OF(sets); i++) {
        json_t *part = json_object();
        json_object_set_new(part, "source", json_text(sets[i]->source));
        json_object_set_new(part, "classes", json_integer(sets[i]->classes));
        json_object_set_new(part, "pictures", json_integer(sets[i]->count));
        json_object_set_new(object, names[i], part);
    }
    return object;
}

static int work(meta_job *job) {
    const meta_values *given = job->given;
    const char *out = given->run.out;
    int code = read_options(job);
    if (code == EXIT_DONE) code = read_data(job);
    if (code == EXIT_DONE && meta_chooses(given)) {
        code = meta_choose(job);
        if (code == EXIT_DONE) code = read_options(job);
    }
    job->memory_before = meta_memory();
    if (code == EXIT_DONE)
        code = refused(job->run.context, sustain_meta_create(job->run.context, &job->options, job->training, &job->meta));
    if (code == EXIT_DONE && sustain_meta_solver(job->meta) != NULL) code = set_solver(job);
    if (code == EXIT_DONE) code = check_tasks(job);
    if (code == EXIT_DONE) code = check_memory(job);
    if (code == EXIT_DONE) code = run_make_folder(&job->run, data_json(job));
    if (code == EXIT_DONE) code = meta_loop(job);
    if (code != EXIT_DONE) return code;
    const sustain_meta_trial trial = {
        .tasks = given->test_tasks, .queries = given->test_queries, .seed = job->options.seed, .stream = META_TEST};
    progress_show("%lld test tasks", (long long)trial.tasks);
    sustain_context_phase(job->run.context, SUSTAIN_PHASE_PREDICTIONS);
    code = meta_judge(job->run.context, out, job->test, &trial, &job->scores);
    sustain_context_phase(job->run.context, SUSTAIN_PHASE_WRITE);
    progress_clear();
    if (code == EXIT_DONE) code = meta_task(job);
    if (code == EXIT_DONE) code = write_json(out, "result.json", meta_json(job));
    if (code == EXIT_DONE) code = page_write(job->run.context, out);
    if (code != EXIT_DONE) return code;
    if (given->run.json) return print_json(meta_json(job));
    meta_summary(job);
    return given->run.plot ? page_plot(job->run.context, out) : EXIT_DONE;
}

static int run(sustain_context *context, const void *values) {
    meta_values given = *(const meta_values *)values;
    meta_job job = {.given = &given};
    int code = run_set_up(&job.run, context, &verb_meta_train, &given, given.source.dataset != NULL || given.source.images != NULL);
    if (code == EXIT_DONE) code = work(&job);
    sustain_meta_destroy(job.meta);
    sustain_pictures_destroy(job.training);
    sustain_pictures_destroy(job.validation);
    sustain_pictures_destroy(job.test);
    run_tear_down(&job.run);
    return code;
}

/* ---- options ---- */

#define VALUES meta_values

static const option options[] = {
    META_SOURCE_ROWS,
    COUNT_ROW("validate-every", validate_every, "N", 100, 1, 1e9, "iterations between two validations; the best model is kept"),
    COUNT_ROW("validation-tasks", validation_tasks, "N", 600, 1, 1e9, "tasks in each validation"),
    COUNT_ROW("patience", patience, "N", 5, 0, 1e9, "stop after this many validations without improvement; 0: never"),
    COUNT_ROW("test-tasks", test_tasks, "N", 600, 1, 1e9, "tasks for the final test"),
    COUNT_ROW("test-queries", test_queries, "N", 15, 1, 1e9, "query pictures of each class, in validation and test"),
    SWITCH_ROW("trace", trace, "also measure the test tasks at every validation, for the curve in metrics.jsonl; they influence no choice"),
    TEXT_ROW(
        "solver", run.solver, "NAME",
        "instead of a method: eq. (2) as a bilevel problem with the heads of a fixed set of tasks, by this algorithm ('sustain solvers'); "
        "--set takes its parameters too"),
    LOCAL_STEPS_ROW(run.local_steps),
    SWITCH_ROW("first-order", first_order, "maml: omit the second derivatives"),
    SET_ROW(run.set, "set one of the settings below"),
};

static const option_group groups[] = {{"Settings", sustain_meta_parameters}};

static const option_section sections[] = {{"dataset", "Data"},
                                          {"validate-every", "Validation and test"},
                                          {"solver", "Methods"},
                                          {"iterations", "Limits and output"},
                                          {NULL, NULL}};

static const example examples[] = {
    {"sustain meta train --dataset generated --out run", "try it without any files"},
    {"sustain meta train --dataset fc100 --method sustain --out run", "the paper's experiment"},
    {"sustain meta train --images photos --method auto --out run", "with the method that is best on validation tasks"},
    {"sustain meta train --dataset fc100 --solver soba --out run", "any algorithm of 'sustain solvers' on the same task"},
    {"sustain meta train --images photos --shots 1 --out run", "your own pictures, one folder for each class"},
    {"sustain meta train --out run --resume", "resume an interrupted run"},
};

const verb verb_meta_train = {
    .name = "meta train",
    .summary = "train a backbone over few-shot tasks",
    .about =
        "Trains four blocks of convolution over many small tasks, so that a linear head learns new classes from a few pictures of "
        "each. Writes to the folder of the run model.safetensors (the best by validation), result.json, metrics.jsonl (the curve), "
        "report.html, task.npy and task.json (one task for the page), and what is needed to repeat or resume the run.\n"
        "Baselines for the accuracy on new classes: the same backbone before training, and the nearest class mean of raw pixels.\n"
        "--method auto trains sustain, itd-bio, anil, pretrain and prototype for --validate-every iterations each, and then the one that "
        "is best on the validation tasks. Numbers of equations are those of the paper on SUSTAIN (Khanduri et al., NeurIPS 2021).",
    .shared = run_options + RUN_SOLVER_OPTIONS,
    .shared_count = RUN_OPTION_COUNT - RUN_SOLVER_OPTIONS - 1, /* not the last: --set is above */
    .sections = sections,
    VERB_GROUPS,
    VERB_PARTS(meta_values),
};

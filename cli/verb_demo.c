/* verb_demo.c - `sustain demo`: SUSTAIN on a noisy nonconvex problem, compared with the rate
 * proved by the theory. */
#include "verb_demo.h"

#include "interrupt.h"
#include "folder_lock.h"
#include "kept_inputs.h"
#include "page.h"
#include "progress.h"
#include "run_folder.h"
#include "verbs.h"

static void show_progress(const char *method, int64_t run, int64_t runs) {
    if (run == 0)
        progress_show("choosing the step of %s", method);
    else
        progress_show("run %lld of %lld, %s", (long long)run, (long long)runs, method);
}

static int measure(sustain_context *context, demo_report *r) {
    const double since = lab_clock();
    const sustain_status status = demo_measure(context, &(demo_watch){show_progress, interrupted}, &r->measured);
    r->seconds = lab_clock() - since;
    progress_clear();
    if (interrupted()) return complain(EXIT_INTERRUPTED, "interrupted; nothing was written");
    return status == SUSTAIN_OK ? EXIT_DONE : complain(EXIT_FAILED, "%s", failure_text(context, status));
}

static int run(sustain_context *context, const void *values) {
    const demo_values *given = values;
    demo_report r = {.measured = {.iterations = given->iterations, .runs = given->runs, .seed = given->seed}};
    interrupt_watch();
    interrupt_calls(context);
    progress_enable(!given->quiet && !given->json);
    int code = inputs_keep_in(&verb_demo, given, given->out);
    if (code == EXIT_DONE) code = make_folder(given->out);
    if (code == EXIT_DONE) code = folder_lock(given->out);
    if (code == EXIT_DONE) code = measure(context, &r);
    if (code == EXIT_DONE) code = config_write(NULL, given->out, &verb_demo, given, NULL);
    if (code == EXIT_DONE) code = write_json(given->out, "result.json", demo_json(&r, given->out));
    if (code == EXIT_DONE) code = page_write(context, given->out);
    if (code != EXIT_DONE) return code;
    if (given->json) return print_json(demo_json(&r, given->out));
    demo_text(&r, given);
    return EXIT_DONE;
}

#define VALUES demo_values

static const option options[] = {
    COUNT_ROW("iterations", iterations, "N", 100000, 100, 1e9, "iterations of each run"),
    COUNT_ROW("runs", runs, "R", 10, 1, 10000, "number of runs with different seeds to average over"),
    COUNT_ROW("seed", seed, "S", 1, 0, 1e15, "seed of the first run; the others count up"),
    FOLDER_ROW("out", out, "demo", "the folder for report.html, the page, and result.json, what --json prints"),
    SWITCH_ROW("json", json, "print one JSON object"),
    SWITCH_ROW("quiet", quiet, "print only the result: no progress, table or plot"),
};

static const example examples[] = {
    {"sustain demo --iterations 10000", "a short one"},
};

const verb verb_demo = {
    .name = "demo",
    .summary = "show the measured convergence of SUSTAIN and its proved rate",
    .about =
        "Runs SUSTAIN on a noisy nonconvex problem whose true gradient is known, and shows how the mean squared gradient norm "
        "decreases with the number of iterations T: as a table, a plot, and a page. For comparison: the proved rate T^(-2/3), and plain "
        "SGD on both levels.",
    VERB_PARTS(demo_values),
};

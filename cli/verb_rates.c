/* verb_rates.c - `sustain rates`: measures the paper's Table 1. Options and output. */
#include "verb_rates.h"

#include <string.h>

#include "chart.h"
#include "interrupt.h"
#include "folder_lock.h"
#include "kept_inputs.h"
#include "page.h"
#include "progress.h"
#include "report/report.h"
#include "run_folder.h"
#include "verbs.h"

typedef struct rates_values {
    const char *solvers, *out;
    int problem, cost;
    int64_t runs, seed, threads;
    double budget;
    bool quick, json, plot, quiet;
} rates_values;

enum { MOST_ROWS = 64, BOTH = RATES_PROBLEMS };

/* ---- which algorithms ---- */

static bool registered(const char *name) {
    for (int i = 0; i < sustain_solver_count(); i++)
        if (strcmp(sustain_solver_at(i)->name, name) == 0) return true;
    return false;
}

static bool listed(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    return false;
}

/* Complains about the first unknown name of a list. */
static int check_list(const char *list) {
    const char *names[MOST_ROWS];
    int count = 0;
    for (; count < MOST_ROWS && rates_row_at(count) != NULL; count++) names[count] = rates_row_at(count)->name;
    for (const char *at = list; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        char name[64];
        bool found = false;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        for (int i = 0; i < count; i++) found = found || strcmp(names[i], name) == 0;
        if (!found) return complain_of_name("--solvers: no algorithm is called", name, names, count, "'sustain solvers' lists them");
    }
    return EXIT_DONE;
}

static bool wanted(const rates_values *given, const rates_row *row) {
    if (!registered(rates_solver(row))) return false;
    if (strcmp(given->solvers, "all") == 0) return true;
    return strcmp(given->solvers, "paper") == 0 ? row->paper : listed(given->solvers, row->name);
}

static void show_progress(int done, int all) {
    progress_show("%d of %d done", done, all);
}

/* ---- the verb ---- */

static rates_limits limits_of(const rates_values *given) {
    enum { QUICK_POINTS = 4, QUICK_PART = 10, LARGEST_DIM = 512, QUICK_DIM = 128 };
    rates_limits l = {.runs = given->runs,
                      .seed = given->seed,
                      .budget = 1e6 * given->budget,
                      .points = RATES_POINTS,
                      .largest_dim = LARGEST_DIM,
                      .stop = interrupted};
    if (given->quick) {
        l.budget /= QUICK_PART;
        l.points = QUICK_POINTS;
        l.largest_dim = QUICK_DIM;
    }
    return l;
}

static void list_work(const rates_values *given, rates_work *w) {
    const rates_row *row;
    for (int kind = 0; kind < RATES_PROBLEMS; kind++)
        for (int i = 0; (row = rates_row_at(i)) != NULL; i++)
            if (wanted(given, row) && (given->problem == BOTH || given->problem == kind))
                w->results[w->result_count++] = (rates_result){.row = row, .kind = kind};
    for (int i = 0; given->cost == 0 && (row = rates_row_at(i)) != NULL; i++)
        if (wanted(given, row)) w->costs[w->cost_count++] = (rates_cost){.row = row};
}

static void plot(const rates_report *r) {
    json_t *result = rates_json(r), *charts = report_result_charts(verb_rates.name, result);
    charts_print(stdout, charts);
    json_decref(charts);
    json_decref(result);
}

static int show(sustain_context *context, const rates_values *given, const rates_report *r) {
    int code = EXIT_DONE;
    if (given->out != NULL) code = config_write(NULL, given->out, &verb_rates, given, NULL);
    if (given->out != NULL && code == EXIT_DONE) code = write_json(given->out, "result.json", rates_json(r));
    if (given->out != NULL && code == EXIT_DONE) code = page_write(context, given->out);
    if (code != EXIT_DONE) return code;
    if (given->json) return print_json(rates_json(r));
    rates_print(stdout, r);
    if (given->plot) plot(r);
    printf("\n%.1f s%s%s%s\n", r->seconds, given->out != NULL ? "; the page: " : "", given->out != NULL ? given->out : "",
           given->out != NULL ? "/report.html" : "");
    return EXIT_DONE;
}

static int run(sustain_context *context, const void *values) {
    static rates_result results[RATES_PROBLEMS * MOST_ROWS]; /* too large for the stack */
    static rates_cost costs[MOST_ROWS];
    const rates_values *given = values;
    const rates_limits limits = limits_of(given);
    const bool list = strcmp(given->solvers, "all") != 0 && strcmp(given->solvers, "paper") != 0;
    const double since = lab_clock();
    int code = list ? check_list(given->solvers) : EXIT_DONE;
    if (code == EXIT_DONE && given->out != NULL) code = inputs_keep_in(&verb_rates, given, given->out);
    if (code == EXIT_DONE && given->out != NULL) code = make_folder(given->out);
    if (code == EXIT_DONE && given->out != NULL) code = folder_lock(given->out);
    if (code != EXIT_DONE) return code;
    interrupt_watch();
    progress_enable(!given->quiet && !given->json);
    rates_work w = {.limits = &limits, .results = results, .costs = costs, .progress = show_progress};
    lab_error error = {""};
    list_work(given, &w);
    const sustain_status status = rates_measure_all(&w, (int)given->threads, &error);
    progress_clear();
    if (interrupted()) return complain(EXIT_INTERRUPTED, "interrupted; nothing was written");
    if (status != SUSTAIN_OK) return complain(EXIT_FAILED, "%s", error.text);
    const rates_report measured = {.limits = limits,
                                   .quick = given->quick,
                                   .result_count = w.result_count,
                                   .cost_count = w.cost_count,
                                   .results = results,
                                   .costs = costs,
                                   .seconds = lab_clock() - since};
    return show(context, given, &measured);
}

#define VALUES rates_values

static const option options[] = {
    {.name = "solvers",
     .type = OPTION_TEXT,
     .offset = offsetof(rates_values, solvers),
     .argument = "A,B,...",
     .text = "all",
     .help = "the algorithms, separated by commas; paper: the six of Table 1 of the paper on SUSTAIN (Khanduri et al., NeurIPS 2021); all"},
    CHOICE_ROW("problem", problem, BOTH, "nonconvex|strongly-convex|both", "the kind of ell"),
    CHOICE_ROW("cost", cost, 0, "on|off", "also measure the time of an iteration against the dimension of y"),
    SWITCH_ROW("quick", quick, "one decade of epsilon, a tenth of the budget, small dimensions"),
    COUNT_ROW("runs", runs, "R", 10, 2, 1000, "seeds to average over; twice as many if ell is strongly convex"),
    COUNT_ROW(
        "seed", seed, "S", 0, 0, 1e15,
        "the first seed of the measured runs; every epsilon has seeds of its own; the constants are chosen on seeds from 1,000,000 up"),
    NUMBER_ROW(
        "budget", budget, "MILLIONS", 150, 1e-3, 1e9,
        "oracle calls for each algorithm and problem, all seeds together; eight times as many if the proved exponents are at most 3/2"),
    COUNT_ROW("threads", threads, "N", 2, 1, 64, "algorithms measured in parallel; only the times depend on it"),
    SWITCH_ROW("plot", plot, "draw the samples against 1/epsilon"),
    FOLDER_ROW("out", out, NULL, "the folder for report.html, a page with charts, and result.json, what --json prints"),
    SWITCH_ROW("json", json, "print one JSON object"),
    SWITCH_ROW("quiet", quiet, "no progress"),
};

static const example examples[] = {
    {"sustain rates --quick", "a short version, less than a minute"},
    {"sustain rates --solvers paper --plot", "the paper's Table 1, a few minutes"},
    {"sustain rates --solvers sustain,soba --problem nonconvex --json", "two algorithms, as JSON"},
};

const verb verb_rates = {
    .name = "rates",
    .summary = "measure how many samples each algorithm needs, compared with the proofs",
    .about =
        "For each algorithm and each epsilon: the samples of both levels until the mean over the seeds of its theorem's criterion is "
        "at most epsilon, on a noisy nonconvex and on a strongly convex problem. Steps, momentum, number of terms and batches depend on "
        "epsilon as in the theorem; their constants are chosen once, at the largest epsilon, and then fixed. "
        "The fitted exponent is compared with the proved one; likewise the cost of an iteration as the lower level grows.\n"
        "Epsilon decreases over three decades, or as far as the budget allows; targets that were not reached are marked.",
    VERB_PARTS(rates_values),
};

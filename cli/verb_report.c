/* verb_report.c - `sustain report`: writes the page of a run, or of several runs. */
#include "report/report.h"

#include <string.h>

#include "chart.h"
#include "folder_lock.h"
#include "memory_limit.h"
#include "page.h"
#include "run_folder.h"
#include "verbs.h"

typedef struct report_values {
    word_list runs;
    const char *out;
    double max_memory;
} report_values;

static void write_page(FILE *to, const void *user) {
    report_write(to, user);
}

/* Reads the runs and writes the page. */
static int make_page(sustain_context *context, const char *const *runs, int count, const char *path) {
    char error[REPORT_ERROR];
    report *r = report_read(context, runs, count, error);
    if (r == NULL) return complain(EXIT_USAGE, "%s", error);
    const int code = write_path(path, write_page, r);
    report_free(r);
    return code;
}

int page_write(sustain_context *context, const char *folder) {
    char path[LONGEST_PATH];
    run_path(folder, "report.html", path);
    return make_page(context, &folder, 1, path);
}

int page_plot(sustain_context *context, const char *folder) {
    char error[REPORT_ERROR];
    report *r = report_read(context, &folder, 1, error);
    if (r == NULL) return complain(EXIT_USAGE, "%s", error);
    charts_print(stdout, report_charts(r, 0));
    report_free(r);
    return EXIT_DONE;
}

/* The pages of all runs are in memory together. */
static int check_memory(sustain_context *context, const report_values *given) {
    const double allowed = (double)memory_limit(context, given->max_memory);
    double bytes = 0;
    for (int i = 0; i < given->runs.count; i++) bytes += report_memory(given->runs.word[i]);
    if (allowed == 0 || bytes <= allowed) return EXIT_DONE;
    return complain(EXIT_FAILED,
                    "the page takes about %.2g GB, twice the files of its runs, and %.2g GB are %s: give fewer runs, or allow more with "
                    "--max-memory",
                    1e-9 * bytes, 1e-9 * allowed, isnan(given->max_memory) ? "free" : "allowed");
}

static int run(sustain_context *context, const void *values) {
    const report_values *given = values;
    char path[LONGEST_PATH], folder[LONGEST_PATH];
    if (given->out == NULL && given->runs.count > 1)
        return complain(EXIT_USAGE, "the output file for several runs is missing: give -o page.html");
    if (given->out != NULL)
        snprintf(path, sizeof path, "%s", given->out);
    else
        run_path(given->runs.word[0], "report.html", path);
    if (*split_path(path, folder) == '\0') return complain(EXIT_USAGE, "--out %s is a folder: give the name of a file", given->out);
    int code = EXIT_DONE;
    for (int i = 0; i < given->runs.count && code == EXIT_DONE; i++) code = folder_refuse_links(given->runs.word[i]);
    if (code == EXIT_DONE) code = check_memory(context, given);
    if (code == EXIT_DONE) code = make_page(context, given->runs.word, given->runs.count, path);
    if (code == EXIT_DONE) puts(path);
    return code;
}

#define VALUES report_values

static const option options[] = {
    NEEDED_ROW("RUN", runs, OPTION_OPERANDS, "the folder of a run, or of several runs of one kind"),
    {.name = "out",
     .letter = 'o',
     .type = OPTION_FILE,
     .offset = offsetof(report_values, out),
     .argument = "FILE",
     .help = "the page; default: report.html in the folder of the run"},
    MEMORY_ROW(max_memory),
};

static const example examples[] = {
    {"sustain report run -o page.html", "one run, which may still be running"},
    {"sustain report a b c -o page.html", "three runs side by side, then one after the other"},
};

const verb verb_report = {
    .name = "report",
    .summary = "write the page of a run, or compare several runs",
    .about = "Writes one self-contained HTML file that needs no network, with light and dark colours, for phones and for print. It reads "
             "only the folder of the run. Every run writes its page at the end; this command writes it again, to another place, for "
             "several runs of one kind, or while a run is in progress.",
    VERB_PARTS(report_values),
};

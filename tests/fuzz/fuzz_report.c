/* fuzz_report.c - any files as the folder of a run: the page is made, also of two runs side by
 * side, or one sentence says why not. */
#include "input_folder.h"
#include "report/report.h"

/* The last is the only one that may have zero bytes; it is gallery.npy too. */
static const char *const names[] = {"config.json",  "result.json",   "metrics.jsonl",    "review.csv", "shown.csv",
                                    "compare.json", "penalties.csv", "coefficients.csv", "task.json",  "task.npy"};

static sustain_context *context;
static char gallery[96];
static FILE *nowhere;

static void clean_up(void) {
    remove(gallery);
    fclose(nowhere);
    sustain_context_destroy(context);
}

static void start(void) {
    require(sustain_context_create(&context) == SUSTAIN_OK);
    nowhere = fopen("/dev/null", "w");
    require(nowhere != NULL);
    make_folder_of(names, sizeof names / sizeof *names);
    snprintf(gallery, sizeof gallery, "%s/gallery.npy", folder);
    require(symlink("task.npy", gallery) == 0);
    atexit(clean_up);
}

static void make_page(int runs) {
    char error[REPORT_ERROR] = "";
    const char *const folders[] = {folder, folder};
    report *page = report_read(context, folders, runs, error);
    require(page != NULL || error[0] != '\0');
    if (page != NULL) report_write(nowhere, page);
    report_free(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (context == NULL) start();
    put_files(data, size);
    require(report_memory(folder) >= 0);
    make_page(1);
    if (size % 8 == 0) make_page(2);
    return 0;
}

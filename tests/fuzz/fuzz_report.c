/* fuzz_report.c - any files as the folder of a run: the page is made, or one sentence says why not.
 * The input is the files one after the other, each closed by a zero byte. */
#include "input_file.h"
#include "report/report.h"

static const char *const names[] = {"config.json", "result.json", "metrics.jsonl", "review.csv", "shown.csv", "gallery.npy"};
enum { FILES = sizeof names / sizeof *names };

static sustain_context *context;
static char folder[64], file[FILES][96];
static struct {
    uint8_t *bytes;
    size_t length;
} had[FILES]; /* what is in them: most inputs change one */
static FILE *nowhere;

static void clean_up(void) {
    for (int i = 0; i < FILES; i++) {
        remove(file[i]);
        free(had[i].bytes);
    }
    rmdir(folder);
    fclose(nowhere);
    sustain_context_destroy(context);
}

static void start(void) {
    scratch_name(folder, sizeof folder);
    require(sustain_context_create(&context) == SUSTAIN_OK && mkdtemp(folder) != NULL);
    nowhere = fopen("/dev/null", "w");
    require(nowhere != NULL);
    for (int i = 0; i < FILES; i++) snprintf(file[i], sizeof file[i], "%s/%s", folder, names[i]);
    atexit(clean_up);
}

/* The next file of the input; what is left of an input is the last one. An empty one is not
 * there. */
static void put_file(int i, const uint8_t **data, size_t *size) {
    const uint8_t *end = i < FILES - 1 && *size > 0 ? memchr(*data, 0, *size) : NULL;
    const size_t length = end != NULL ? (size_t)(end - *data) : *size;
    if (length != had[i].length || (length > 0 && memcmp(*data, had[i].bytes, length) != 0)) {
        if (length > 0)
            put_bytes(file[i], *data, length);
        else
            remove(file[i]);
        had[i].bytes = realloc(had[i].bytes, length + 1);
        require(had[i].bytes != NULL);
        if (length > 0) memcpy(had[i].bytes, *data, length);
        had[i].length = length;
    }
    *data += length + (end != NULL);
    *size -= length + (end != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char error[REPORT_ERROR] = "";
    const char *const folders[] = {folder};
    if (context == NULL) start();
    for (int i = 0; i < FILES; i++) put_file(i, &data, &size);
    report *page = report_read(context, folders, 1, error);
    require(page != NULL || error[0] != '\0');
    if (page != NULL) report_write(nowhere, page);
    report_free(page);
    return 0;
}

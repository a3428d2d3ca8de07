/* fuzz_report.c - any files as the folder of a run: the page is made, or one sentence says why not.
 * The input is the files one after the other, each closed by a zero byte. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"config.json", "result.json", "metrics.jsonl", "review.csv", "shown.csv", "gallery.npy"};
enum { FILES = sizeof names / sizeof *names };

static sustain_context *context;
static char folder[] = "/tmp/sustain-fuzz-XXXXXX", path[FILES][64];
static FILE *nowhere;

static void require(bool condition) {
    if (!condition) abort();
}

static void clean_up(void) {
    for (int i = 0; i < FILES; i++) remove(path[i]);
    rmdir(folder);
    fclose(nowhere);
    sustain_context_destroy(context);
}

static void start(void) {
    require(sustain_context_create(&context) == SUSTAIN_OK && mkdtemp(folder) != NULL);
    nowhere = fopen("/dev/null", "w");
    require(nowhere != NULL);
    for (int i = 0; i < FILES; i++) snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
    atexit(clean_up);
}

/* The next file of the input; what is left of an input is the last one. An empty one is not
 * there. */
static void put_file(int i, const uint8_t **data, size_t *size) {
    const uint8_t *end = i < FILES - 1 && *size > 0 ? memchr(*data, 0, *size) : NULL;
    const size_t length = end != NULL ? (size_t)(end - *data) : *size;
    remove(path[i]);
    if (length > 0) {
        FILE *to = fopen(path[i], "wb");
        require(to != NULL && fwrite(*data, 1, length, to) == length && fclose(to) == 0);
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

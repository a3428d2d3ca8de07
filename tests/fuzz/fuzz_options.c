/* fuzz_options.c - any words as a command line: refused with one sentence, or every option has a
 * value that can be written as text and read again. The input is the words, each closed by a zero
 * byte; no command is run. */
#include <stdlib.h>

#include "cli/output.h"
#include "cli/verbs.h"
#include "parsing.h"

enum { MOST_WORDS = 64 };

static sustain_context *context;
static char *sentence; /* what went to stderr */
static size_t sentence_length;

static void clean_up(void) {
    fclose(stderr);
    free(sentence);
    sustain_context_destroy(context);
}

static void prepare(void) {
    if (context != NULL) return;
    require(sustain_context_create(&context) == SUSTAIN_OK);
    stderr = open_memstream(&sentence, &sentence_length); /* a variable in the C library used here */
    require(stderr != NULL);
    atexit(clean_up);
}

/* Every value as text, into values of its own, and again as text. */
static void check_values(const verb *v, const void *values) {
    char text[4096], again[4096];
    void *copy = calloc(1, v->size);
    bool help;
    require(copy != NULL);
    options_parse(context, v, 0, NULL, copy, &help); /* the defaults */
    const option *row;
    for (int i = 0; (row = verb_option(v, i)) != NULL; i++) {
        if (strcmp(row->name, "help") == 0) continue;
        option_value_text(row, values, text, sizeof text);
        if (text[0] == '\0' || strlen(text) == sizeof text - 1) continue;
        require(option_store(context, row, copy, text) == EXIT_DONE);
        option_value_text(row, copy, again, sizeof again);
        require(strcmp(text, again) == 0);
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), *words[MOST_WORDS + 1] = {NULL};
    int count = 0;
    prepare();
    require(text != NULL);
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = text; at < text + size && count < MOST_WORDS; at += strlen(at) + 1) words[count++] = at;
    rewind(stderr);
    const verb *v = count > 0 ? verb_find(words[0], words[1]) : NULL;
    const int used = v != NULL && strchr(v->name, ' ') != NULL ? 2 : 1;
    if (v != NULL) {
        void *values = calloc(1, v->size);
        bool help = false;
        require(values != NULL);
        const int code = options_parse(context, v, count - used, words + used, values, &help);
        require(code == EXIT_DONE || code == EXIT_USAGE);
        fflush(stderr);
        require((code == EXIT_USAGE) == (sentence_length > 0));
        require(code == EXIT_DONE || strncmp(sentence, "sustain: ", 9) == 0);
        if (code == EXIT_DONE && !help) check_values(v, values);
        free(values);
    }
    free(text);
    return 0;
}

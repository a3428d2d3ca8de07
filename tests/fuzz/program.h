/* program.h - what the fuzz targets of the program itself share: its sentences, which go to
 * stderr, and the values of its options. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "cli/output.h"
#include "cli/verbs.h"
#include "parsing.h"

static sustain_context *context;
static char *sentence; /* what went to stderr */
static size_t sentence_length;

static inline void program_end(void) {
    fclose(stderr);
    free(sentence);
    sustain_context_destroy(context);
}

static inline void program_begin(void) {
    require(sustain_context_create_with(small_allocator, NULL, &context) == SUSTAIN_OK);
    stderr = open_memstream(&sentence, &sentence_length); /* a variable in the C library used here */
    require(stderr != NULL);
    atexit(program_end);
}

/* Before what may complain, and after it: what is refused gets a sentence, and nothing else. */
static inline void forget_sentences(void) {
    rewind(stderr);
}

static inline void check_sentence(int code) {
    fflush(stderr);
    require(code == EXIT_DONE || code == EXIT_USAGE || code == EXIT_FAILED);
    require((code == EXIT_DONE) == (sentence_length == 0));
    require(code == EXIT_DONE || strncmp(sentence, "sustain: ", 9) == 0);
}

/* Every value as text, into values of its own, and again as text. */
static inline void check_values(const verb *v, const void *values) {
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

#endif

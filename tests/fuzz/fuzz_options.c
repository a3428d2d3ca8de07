/* fuzz_options.c - any words as a command line: refused with one sentence, or every option has a
 * value that can be written as text and read again. The input is the words, each closed by a zero
 * byte; no command is run. */
#include "program.h"

enum { MOST_WORDS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), *words[MOST_WORDS + 1] = {NULL};
    int count = 0;
    if (context == NULL) program_begin();
    require(text != NULL);
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = text; at < text + size && count < MOST_WORDS; at += strlen(at) + 1) words[count++] = at;
    forget_sentences();
    const verb *v = count > 0 ? verb_find(words[0], words[1]) : NULL;
    const int used = v != NULL && strchr(v->name, ' ') != NULL ? 2 : 1;
    if (v != NULL) {
        void *values = calloc(1, v->size);
        bool help = false;
        require(values != NULL);
        const int code = options_parse(context, v, count - used, words + used, values, &help);
        require(code == EXIT_DONE || code == EXIT_USAGE);
        check_sentence(code);
        if (code == EXIT_DONE && !help) check_values(v, values);
        free(values);
    }
    free(text);
    return 0;
}

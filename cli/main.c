/* main.c - sustain: the list of verbs, and what the program says of itself. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "verbs.h"

static const verb *const verbs[] = {&verb_clean,      &verb_tune,       &verb_predict, &verb_meta_train, &verb_meta_eval,
                                    &verb_meta_adapt, &verb_meta_embed, &verb_report,  &verb_solvers,    &verb_plan,
                                    &verb_demo,       &verb_rates,      &verb_compare, &verb_data,       &verb_help};

const verb *verb_at(int i) {
    return i < COUNT_OF(verbs) ? verbs[i] : NULL;
}

const char *verb_name_at(int i) {
    return i < COUNT_OF(verbs) ? verbs[i]->name : NULL;
}

/* Whether a name has two words, this one the first; returns the second. */
static const char *second_word(const char *name, const char *first) {
    const size_t length = strlen(first);
    return strncmp(name, first, length) == 0 && name[length] == ' ' ? name + length + 1 : NULL;
}

bool verb_has_parts(const char *first) {
    for (int i = 0; i < COUNT_OF(verbs); i++)
        if (second_word(verbs[i]->name, first) != NULL) return true;
    return false;
}

static void say_second_words(const char *first) {
    char list[128] = "";
    for (int i = 0; i < COUNT_OF(verbs); i++) {
        const char *second = second_word(verbs[i]->name, first);
        const size_t at = strlen(list);
        if (second != NULL) snprintf(list + at, sizeof list - at, "%s%s", at == 0 ? "" : ", ", second);
    }
    complain(EXIT_USAGE, "%s needs a second word: %s; 'sustain help' tells more", first, list);
}

const verb *verb_find(const char *first, const char *second) {
    const char *names[COUNT_OF(verbs)];
    char name[64];
    const bool parts = verb_has_parts(first);
    if (parts && (second == NULL || second[0] == '-')) {
        say_second_words(first);
        return NULL;
    }
    snprintf(name, sizeof name, parts ? "%s %s" : "%s", first, second);
    for (int i = 0; i < COUNT_OF(verbs); i++) {
        names[i] = verbs[i]->name;
        if (strcmp(names[i], name) == 0) return verbs[i];
    }
    const char *near = sustain_nearest_name(name, names, COUNT_OF(verbs));
    if (near != NULL)
        complain(EXIT_USAGE, "there is no command '%s'; did you mean '%s'?", name, near);
    else
        complain(EXIT_USAGE, "there is no command '%s': see 'sustain --help'", name);
    return NULL;
}

/* ---- the program itself ---- */

typedef struct program_values {
    bool version, man;
    int completion;
} program_values;

#define VALUES program_values

static const option program_options[] = {
    SWITCH_ROW("version", version, "show the version and what it computes with"),
    SWITCH_ROW("man", man, "write the man page (man -l reads it)"),
    CHOICE_ROW("completion", completion, -1, "bash",
               "write the completion of commands and options for a shell: source <(sustain --completion bash)"),
};

static void print_version(void) {
    printf("sustain %s (%s", sustain_version(), sustain_precision());
#ifdef __VERSION__
    printf(", built with %s%s", strstr(__VERSION__, "lang") != NULL ? "" : "gcc ", __VERSION__);
#endif
    puts(")");
}

static int run_program(sustain_context *context, const void *values) {
    const program_values *given = values;
    (void)context;
    if (given->version)
        print_version();
    else if (given->man)
        print_man_page(stdout);
    else if (given->completion >= 0)
        print_completion(stdout);
    return EXIT_DONE;
}

static const example program_examples[] = {
    {"sustain clean --dataset fashion-mnist --noise 0.4 --trusted-count 1000", "make 40 % of the labels wrong, and find them again"},
    {"sustain demo", "see SUSTAIN at work"},
    {"sustain solvers sustain", "its parameters"},
    {"sustain plan --problem quadratic", "the steps that the theorems allow"},
};

const verb program = {
    .summary = "stochastic bilevel optimization",
    .about =
        "Minimizes ell(x) = f(x, y*(x)) over x, where y*(x) minimizes g(x, y) over y, and f and g are seen through random samples only.",
    .options = program_options,
    .option_count = COUNT_OF(program_options),
    .examples = program_examples,
    .example_count = COUNT_OF(program_examples),
    .size = sizeof(program_values),
    .run = run_program,
};

/* ---- the way in ---- */

/* Where 0, 1 or 2 is closed, a file that is opened later would take its place, and a sentence to stderr would go into it. The
 * wrong direction: to read what is not there, or to write what nobody reads, stays an error. */
static void take_descriptors(void) {
    struct stat there;
    for (int i = 0; i <= STDERR_FILENO; i++)
        if (fstat(i, &there) != 0 && open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) _exit(EXIT_FAILED);
}

static int run_verb(sustain_context *context, const verb *v, int argc, char *const *argv) {
    void *values = calloc(1, v->size);
    bool help = false;
    if (values == NULL) return complain(EXIT_FAILED, "out of memory");
    int code = options_parse(context, v, argc, argv, values, &help);
    if (code == EXIT_DONE && help)
        print_help(stdout, v);
    else if (code == EXIT_DONE)
        code = v->run(context, values);
    free(values);
    return finish_output(code);
}

static int say_what_to_do(void) {
    char list[256] = "";
    for (int i = 0; i < COUNT_OF(verbs); i++) {
        const size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", i == 0 ? "" : ", ", verbs[i]->name);
    }
    return complain(EXIT_USAGE, "say what to do: %s; 'sustain --help' tells more", list);
}

int main(int argc, char **argv) {
    take_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* a file that is too large is an error of write(), with a sentence */
    json_set_up();
    if (argc < 2) return say_what_to_do();
    const bool flag = argv[1][0] == '-';
    const verb *v = flag ? &program : verb_find(argv[1], argv[2]);
    const int used = flag ? 1 : verb_has_parts(argv[1]) ? 3 : 2; /* words */
    if (v == NULL) return EXIT_USAGE;
    sustain_context *context;
    if (sustain_context_create(&context) != SUSTAIN_OK) return complain(EXIT_FAILED, "out of memory");
    const int code = run_verb(context, v, argc - used, argv + used);
    sustain_context_destroy(context);
    return code;
}

/* verb_list.c - the list of commands, and the program's own options. */
#include <string.h>

#include "output.h"
#include "verbs.h"

static const struct {
    const verb *verb;
    const char *group;   /* title of the group that begins here, or NULL */
    const char *example; /* a command line for the program's help, or NULL */
} verbs[] = {
    {&verb_clean, "Jobs", "sustain clean --features data.csv --label-column y --verified checked.csv"},
    {&verb_tune, NULL, "sustain tune --features data.csv --label-column y --out tuned"},
    {&verb_predict, NULL, "sustain predict run/model.safetensors new.csv --out predicted.csv"},
    {&verb_report, NULL, "sustain report run"},
    {&verb_meta_train, "Few-shot learning", "sustain meta train --images photos --out backbone"},
    {&verb_meta_adapt, NULL, "sustain meta adapt backbone --support few --query new/*.jpg"},
    {&verb_meta_eval, NULL, "sustain meta eval backbone"},
    {&verb_meta_embed, NULL, "sustain meta embed backbone photos --out photos.npy"},
    {&verb_solvers, "Algorithms and theory", NULL},
    {&verb_compare, NULL, NULL},
    {&verb_rates, NULL, NULL},
    {&verb_plan, NULL, NULL},
    {&verb_demo, NULL, NULL},
    {&verb_data, "Other commands", NULL},
    {&verb_data_pack, NULL, NULL},
    {&verb_help, NULL, NULL},
};

const verb *verb_at(int i) {
    return i < COUNT_OF(verbs) ? verbs[i].verb : NULL;
}

const char *verb_name_at(int i) {
    return i < COUNT_OF(verbs) ? verbs[i].verb->name : NULL;
}

const char *verb_group_at(int i) {
    return verbs[i].group;
}

const char *verb_example_at(int i) {
    return verbs[i].example;
}

/* Whether a name has two words, this one the first; returns the second. */
static const char *second_word(const char *name, const char *first) {
    const size_t length = strlen(first);
    return strncmp(name, first, length) == 0 && name[length] == ' ' ? name + length + 1 : NULL;
}

bool verb_belongs(int i, const char *first) {
    return second_word(verb_name_at(i), first) != NULL;
}

static bool has_parts(const char *first) {
    for (int i = 0; i < COUNT_OF(verbs); i++)
        if (verb_belongs(i, first)) return true;
    return false;
}

static void say_second_words(const char *first) {
    char list[128] = "";
    for (int i = 0; i < COUNT_OF(verbs); i++) {
        const char *second = second_word(verb_name_at(i), first);
        const size_t at = strlen(list);
        if (second != NULL) snprintf(list + at, sizeof list - at, "%s%s", at == 0 ? "" : ", ", second);
    }
    complain(EXIT_USAGE, "%s needs a second word: %s; see 'sustain %s --help'", first, list, first);
}

static const verb *named(const char *name) {
    for (int i = 0; i < COUNT_OF(verbs); i++)
        if (strcmp(verb_name_at(i), name) == 0) return verb_at(i);
    return NULL;
}

bool verb_is_family(const char *first) {
    return has_parts(first) && named(first) == NULL;
}

const verb *verb_find(const char *first, const char *second) {
    const char *names[COUNT_OF(verbs)];
    char two[64];
    const bool word = second != NULL && second[0] != '-', parts = has_parts(first);
    snprintf(two, sizeof two, "%s %s", first, word ? second : "");
    const verb *found = named(two) != NULL ? named(two) : named(first);
    if (found != NULL) return found;
    if (parts && !word) {
        say_second_words(first);
        return NULL;
    }
    for (int i = 0; i < COUNT_OF(verbs); i++) names[i] = verb_name_at(i);
    complain_of_name("there is no command", parts ? two : first, names, COUNT_OF(verbs), "see 'sustain --help'");
    return NULL;
}

/* ---- the program itself ---- */

typedef struct program_values {
    bool version, man;
    int completion;
} program_values;

#define VALUES program_values

static const option program_options[] = {
    SWITCH_ROW("version", version, "show the version and the build configuration"),
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
    {"sustain clean --dataset generated --noise 0.3 --trusted-count 500 --out first",
     "a first try without files: makes 30 % of the labels wrong, finds them, and writes the page first/report.html"},
};

const verb program = {
    .summary = "stochastic bilevel optimization",
    .about = "Finds wrong labels, fits linear models with tuned penalties, and learns new classes from a few pictures of each. "
             "These are bilevel problems: minimize f(x, y*(x)) over x, where y*(x) minimizes g(x, y) over y, and f and g are seen through "
             "random samples only.",
    .options = program_options,
    .option_count = COUNT_OF(program_options),
    .examples = program_examples,
    .example_count = COUNT_OF(program_examples),
    .size = sizeof(program_values),
    .run = run_program,
};

/* options.h - a command of the program as a table of its options and texts. Parser, help, man
 * page and completion are loops over these rows, so nothing is written twice. */
#ifndef SUSTAIN_CLI_OPTIONS_H
#define SUSTAIN_CLI_OPTIONS_H

#include <sustain/fewshot.h>
#include <sustain/learn.h>
#include <sustain/meta.h>
#include <sustain/sustain.h>

/* The type of an option's field in the structure of the command. */
typedef enum option_type {
    OPTION_SWITCH,   /* bool */
    OPTION_INTEGER,  /* int64_t */
    OPTION_NUMBER,   /* double; initial NAN: not given */
    OPTION_CHOICE,   /* int: the number of the word in `choices`; initial -1: not given */
    OPTION_FOLDER,   /* const char *, NULL: not given */
    OPTION_TEXT,     /* likewise: any words */
    OPTION_FILE,     /* likewise: completion offers files */
    OPTION_SET,      /* assignments: NAME=VALUE, may be repeated */
    OPTION_OPERAND,  /* const char *: a word without a flag, at most one of each row */
    OPTION_OPERANDS, /* word_list: all words without a flag that are left */
    OPTION_FILES     /* word_list: the words after a flag, up to the next one; completion offers
                      * files */
} option_type;

/* One row. */
typedef struct option {
    const char *name; /* without the dashes */
    char letter;      /* short form, such as -o for --out; 0: none */
    option_type type;
    size_t offset;        /* into the verb's structure */
    const char *argument; /* name of the value in the help; NULL: the choices, or none for a
                           * switch */
    double initial, least, most;
    const char *text;              /* the default of a folder or a text */
    const char *choices;           /* "nonconvex|both" */
    const char *(*word_at)(int i); /* operands: the i-th possible word, NULL after the last; for
                                    * completion */
    bool needed;                   /* operands: must be given */
    const char *help;
} option;

/* A table of parameters offered as flags --NAME VALUE, and to --set: a verb with groups has an
 * OPTION_SET row. */
typedef struct option_group {
    const char *title;
    const sustain_parameter *(*table)(int *count);
} option_group;

/* An example command line and its description. */
typedef struct example {
    const char *command, *what;
} example;

struct verb;

/* The own options of another verb, without its shared ones: the structure of that verb is at
 * `offset` in the values of the borrowing verb. An option that several borrowed verbs have is
 * set in all of them. */
typedef struct borrowed {
    const struct verb *from;
    size_t offset;
} borrowed;

/* A heading in the help, before the option `first`. */
typedef struct option_section {
    const char *first, *title;
} option_section;

/* A verb. `values`, which run() gets, is a structure of `size` bytes that the options' offsets
 * point into. */
typedef struct verb {
    const char *name;    /* NULL: the program itself */
    const char *summary; /* one line */
    const char *about;   /* one or more paragraphs, separated by newlines */
    const option *options;
    int option_count;
    const option *shared; /* more rows, the same in several verbs: none of them operands */
    int shared_count;
    const option_section *sections; /* of both, in their order, then NULLs; NULL: one section */
    const borrowed *borrowed;       /* rows borrowed from other verbs */
    int borrowed_count;
    const option_group *groups;
    int group_count;
    const example *examples;
    int example_count;
    size_t size;
    int (*run)(sustain_context *context, const void *values); /* returns an exit code */
} verb;

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* NAME=VALUE pairs, from flags of a group and from --set, in the order given. Borrowed from the
 * command line. */
typedef struct assignments {
    int count;
    struct {
        char name[64];
        const char *value;
    } pair[128];
} assignments;

/* A list of words, such as the expansion of *.jpg by a shell. Borrowed from the command line. */
typedef struct word_list {
    int count;
    const char *word[4096];
} word_list;

/* Targets of assignments: the first table that has the name takes it. */
typedef struct target {
    const sustain_parameter *table;
    int count;
    void *values;
} target;

/* The i-th option of a verb, then those it shares, then --help; NULL after the last. */
const option *verb_option(const verb *v, int i);

/* The option of this name, with dashes or underscores, among a verb's own; NULL: none. */
const option *verb_own_option(const verb *v, const char *name);

/* The first option from the i-th on that the b-th borrowed verb has and no earlier one has;
 * advances i. NULL after the last. */
const option *verb_borrowed_option(const verb *v, int b, int *i);

/* Whether a row takes words without a flag. */
bool option_is_operand(const option *row);

/* The value of an option as text; "" if it was not given or a switch is off. Not for OPTION_SET,
 * OPTION_OPERANDS and OPTION_FILES. */
void option_value_text(const option *row, const void *values, char *text, size_t size);

/* Whether the value of an option differs from its default. */
bool option_is_given(const option *row, const void *values);

/* Sets an option from text: what the parser does with each value. `value` is borrowed. Returns
 * EXIT_DONE, or complains and returns EXIT_USAGE. */
int option_store(sustain_context *context, const option *row, void *values, const char *value);

/* Whether a table has a parameter of this name. */
bool table_has(const sustain_parameter *table, int count, const char *name);

/* Reads up to `most` whole numbers with a separator between them, as in 28x28. Returns how many
 * there are, 0 if the text is not written like this or a number does not fit. */
int whole_numbers(const char *text, char separator, int most, long long *out);

/* Whether all of a text is a decimal number, "1" or "-1.50e3". */
bool decimal_number(const char *text, double *out);

/* Reads the words after the verb into `values` (zeroed). Sets *help and stops if help is
 * requested. Returns EXIT_DONE, or complains and returns EXIT_USAGE. */
int options_parse(sustain_context *context, const verb *v, int argc, char *const *argv, void *values, bool *help);

/* Describes the failure. */
const char *failure_text(const sustain_context *context, sustain_status status);

/* Prints the message of the library and returns the exit code: EXIT_USAGE for errors that the
 * user can correct, EXIT_FAILED for lack of memory and failed writes, EXIT_DONE for SUSTAIN_OK. */
int refused(sustain_context *context, sustain_status status);

/* Sets what was assigned. Returns EXIT_DONE, or complains and returns EXIT_USAGE. */
int options_assign(sustain_context *context, const assignments *given, const target *targets, int count);

/* Rows of the usual kinds, for a table of options; VALUES is the verb's structure. */
#define PLACED_ROW(flag, member, kind, text) .name = flag, .type = kind, .offset = offsetof(VALUES, member), .help = text
#define SWITCH_ROW(flag, member, text) \
    { PLACED_ROW(flag, member, OPTION_SWITCH, text) }
#define COUNT_ROW(flag, member, shown, first, from, to, text) \
    { PLACED_ROW(flag, member, OPTION_INTEGER, text), .argument = shown, .initial = first, .least = from, .most = to }
#define NUMBER_ROW(flag, member, shown, first, from, to, text) \
    { PLACED_ROW(flag, member, OPTION_NUMBER, text), .argument = shown, .initial = first, .least = from, .most = to }
#define CHOICE_ROW(flag, member, first, words, text) \
    { PLACED_ROW(flag, member, OPTION_CHOICE, text), .initial = first, .choices = words }
#define TEXT_ROW(flag, member, shown, words) \
    { PLACED_ROW(flag, member, OPTION_TEXT, words), .argument = shown }
#define FILE_ROW(flag, member, text) \
    { PLACED_ROW(flag, member, OPTION_FILE, text), .argument = "FILE" }
#define FOLDER_ROW(flag, member, usual, words) \
    { PLACED_ROW(flag, member, OPTION_FOLDER, words), .argument = "DIR", .text = usual }
#define OPERAND_ROW(title, member, words) \
    { PLACED_ROW(title, member, OPTION_OPERAND, words) }
#define NEEDED_ROW(title, member, kind, words) \
    { PLACED_ROW(title, member, kind, words), .needed = true }
#define WORD_ROW(title, member, words_at, words) \
    { PLACED_ROW(title, member, OPTION_OPERAND, words), .word_at = words_at }
#define SET_ROW(member, words) \
    { PLACED_ROW("set", member, OPTION_SET, words), .argument = "NAME=VALUE" }

/* The last fields of most verbs, whose tables are called options and examples, and their
 * function run. */
#define VERB_PARTS(values)                                                                                            \
    .options = options, .option_count = COUNT_OF(options), .examples = examples, .example_count = COUNT_OF(examples), \
    .size = sizeof(values), .run = run
#define VERB_GROUPS .groups = groups, .group_count = COUNT_OF(groups)

#endif

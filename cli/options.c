/* options.c - one parser for all commands. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

static const option help_row = {.name = "help", .type = OPTION_SWITCH, .help = "show this help"};

const option *verb_option(const verb *v, int i) {
    const int all = v->option_count + v->shared_count;
    if (i < v->option_count) return &v->options[i];
    if (i < all) return &v->shared[i - v->option_count];
    return i == all ? &help_row : NULL;
}

bool option_is_operand(const option *row) {
    return row->type == OPTION_OPERAND || row->type == OPTION_OPERANDS;
}

bool table_has(const sustain_parameter *table, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0) return true;
    return false;
}

/* ---- names: mu-g and mu_g are the same ---- */

static char plain(char c) {
    return c == '-' ? '_' : c;
}

static bool same_name(const char *a, const char *b) {
    for (; *a != '\0' && plain(*a) == plain(*b); a++, b++) {
    }
    return plain(*a) == plain(*b);
}

static const option *find_option(const verb *v, const char *name) {
    const option *row;
    for (int i = 0; (row = verb_option(v, i)) != NULL; i++)
        if (!option_is_operand(row) && same_name(row->name, name)) return row;
    return NULL;
}

const option *verb_own_option(const verb *v, const char *name) {
    for (int i = 0; i < v->option_count; i++)
        if (!option_is_operand(&v->options[i]) && same_name(v->options[i].name, name)) return &v->options[i];
    return NULL;
}

const option *verb_borrowed_option(const verb *v, int b, int *i) {
    const verb *from = v->borrowed[b].from;
    for (; *i < from->option_count; ++*i) {
        bool earlier = false;
        for (int k = 0; k < b; k++) earlier = earlier || verb_own_option(v->borrowed[k].from, from->options[*i].name) != NULL;
        if (!earlier) return &from->options[*i];
    }
    return NULL;
}

/* The first row of that name among the borrowed ones. */
static const option *find_borrowed(const verb *v, const char *name) {
    const option *row = NULL;
    for (int i = 0; i < v->borrowed_count && row == NULL; i++) row = verb_own_option(v->borrowed[i].from, name);
    return row;
}

static const char *find_parameter(const verb *v, const char *name) {
    for (int g = 0; g < v->group_count; g++) {
        int count;
        const sustain_parameter *table = v->groups[g].table(&count);
        for (int i = 0; i < count; i++)
            if (same_name(table[i].name, name)) return table[i].name;
    }
    return NULL;
}

enum { LONGEST_SENTENCE = 1024 };
enum { MOST_NAMES = 256 };

static int unknown_flag(const verb *v, const char *name) {
    const char *names[MOST_NAMES];
    int n = 0;
    const option *row;
    for (int i = 0; (row = verb_option(v, i)) != NULL && n < MOST_NAMES; i++)
        if (!option_is_operand(row)) names[n++] = row->name;
    for (int b = 0; b < v->borrowed_count; b++)
        for (int i = 0; i < v->borrowed[b].from->option_count && n < MOST_NAMES; i++) names[n++] = v->borrowed[b].from->options[i].name;
    for (int g = 0; g < v->group_count; g++) {
        int count;
        const sustain_parameter *table = v->groups[g].table(&count);
        for (int i = 0; i < count && n < MOST_NAMES; i++) names[n++] = table[i].name;
    }
    const char *near = sustain_nearest_name(name, names, n);
    if (near != NULL) return complain(EXIT_USAGE, "there is no option --%s; did you mean --%s?", name, near);
    return complain(EXIT_USAGE, "there is no option --%s: see 'sustain %s%s--help'", name, v->name ? v->name : "", v->name ? " " : "");
}

/* ---- values ---- */

static int assign(assignments *to, const char *name, const char *value) {
    if (to->count == COUNT_OF(to->pair)) return complain(EXIT_USAGE, "more than %d parameters are given", COUNT_OF(to->pair));
    char *copy = to->pair[to->count].name;
    size_t i = 0;
    for (; name[i] != '\0' && name[i] != '=' && i + 1 < sizeof to->pair[0].name; i++) copy[i] = plain(name[i]);
    copy[i] = '\0';
    to->pair[to->count++].value = value;
    return EXIT_DONE;
}

static int set_pair(assignments *to, const char *text) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) return complain(EXIT_USAGE, "--set takes NAME=VALUE, not '%s'", text);
    return assign(to, text, equals + 1);
}

static int add_word(const option *row, word_list *to, const char *word) {
    if (*word == '\0') return complain(EXIT_USAGE, "%s is empty", row->name);
    if (to->count == COUNT_OF(to->word)) return complain(EXIT_USAGE, "more than %d of %s are given", COUNT_OF(to->word), row->name);
    to->word[to->count++] = word;
    return EXIT_DONE;
}

/* The row in the form of the library's parameter tables, so that the library does the checks and
 * writes the messages. */
static sustain_parameter as_parameter(const option *row, const char *name) {
    const sustain_parameter_type type = row->type == OPTION_INTEGER  ? SUSTAIN_PARAMETER_INTEGER
                                        : row->type == OPTION_NUMBER ? SUSTAIN_PARAMETER_NUMBER
                                                                     : SUSTAIN_PARAMETER_CHOICE;
    return (sustain_parameter){name, type, row->offset, row->initial, row->least, row->most, row->choices, row->help};
}

static bool is_text(const option *row) {
    return row->type == OPTION_FOLDER || row->type == OPTION_TEXT || row->type == OPTION_FILE;
}

static void reset(const verb *v, void *values) {
    const option *row;
    for (int b = 0; b < v->borrowed_count; b++) reset(v->borrowed[b].from, (char *)values + v->borrowed[b].offset);
    for (int i = 0; (row = verb_option(v, i)) != NULL; i++) {
        char *place = (char *)values + row->offset;
        if (is_text(row)) memcpy(place, &row->text, sizeof row->text);
        if (row->type != OPTION_INTEGER && row->type != OPTION_NUMBER && row->type != OPTION_CHOICE) continue;
        const sustain_parameter as = as_parameter(row, row->name);
        sustain_parameters_reset(&as, 1, values);
    }
}

void option_value_text(const option *row, const void *values, char *text, size_t size) {
    const char *place = (const char *)values + row->offset, *word = NULL;
    text[0] = '\0';
    if (row->type == OPTION_SWITCH) {
        snprintf(text, size, "%s", *(const bool *)place ? "on" : "");
    } else if (is_text(row) || row->type == OPTION_OPERAND) {
        memcpy(&word, place, sizeof word);
        snprintf(text, size, "%s", word != NULL ? word : "");
    } else if ((row->type == OPTION_CHOICE && *(const int *)(const void *)place < 0) ||
               (row->type == OPTION_NUMBER && isnan(*(const double *)(const void *)place))) {
        return;
    } else if (row->type != OPTION_SET && row->type != OPTION_OPERANDS && row->type != OPTION_FILES) {
        const sustain_parameter as = as_parameter(row, row->name);
        sustain_parameter_print(&as, values, text, size);
    }
}

bool option_is_given(const option *row, const void *values) {
    const char *place = (const char *)values + row->offset, *word = NULL;
    switch (row->type) {
    case OPTION_SWITCH:
        return *(const bool *)place;
    case OPTION_SET:
        return ((const assignments *)(const void *)place)->count > 0;
    case OPTION_OPERANDS:
    case OPTION_FILES:
        return ((const word_list *)(const void *)place)->count > 0;
    case OPTION_INTEGER:
        return (double)*(const int64_t *)(const void *)place != row->initial;
    case OPTION_NUMBER:
        if (isnan(row->initial)) return !isnan(*(const double *)(const void *)place);
        return *(const double *)(const void *)place != row->initial;
    case OPTION_CHOICE:
        return *(const int *)(const void *)place != (int)row->initial;
    default:
        memcpy(&word, place, sizeof word);
        return word != NULL && (row->text == NULL || strcmp(word, row->text) != 0);
    }
}

int option_store(sustain_context *context, const option *row, void *values, const char *value) {
    char *place = (char *)values + row->offset;
    char name[64];
    switch (row->type) {
    case OPTION_SWITCH:
        *(bool *)place = true;
        return EXIT_DONE;
    case OPTION_SET:
        return set_pair((assignments *)(void *)place, value);
    case OPTION_OPERANDS:
    case OPTION_FILES:
        return add_word(row, (word_list *)(void *)place, value);
    case OPTION_FOLDER:
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_OPERAND:
        if (*value == '\0') return complain(EXIT_USAGE, "%s%s is empty", row->type == OPTION_OPERAND ? "" : "--", row->name);
        memcpy(place, &value, sizeof value);
        return EXIT_DONE;
    default:
        break;
    }
    snprintf(name, sizeof name, "--%s", row->name);
    const sustain_parameter as = as_parameter(row, name);
    if (sustain_parameters_set(context, &as, 1, values, name, value) == SUSTAIN_OK) return EXIT_DONE;
    return complain(EXIT_USAGE, "%s", sustain_error(context));
}

/* ---- words ---- */

typedef struct words {
    sustain_context *context;
    const verb *v;
    int argc, at;
    char *const *argv;
    void *values;
    const option *operand_from; /* the first row that may still take an operand */
    bool help;
} words;

/* The value of a flag: after "=", or the next word unless that is a flag. NULL: missing; a
 * message was printed. */
static char *value_of(words *w, const char *name, char *equals) {
    if (equals != NULL) return equals + 1;
    if (w->at < w->argc && strncmp(w->argv[w->at], "--", 2) != 0) return w->argv[w->at++];
    complain(EXIT_USAGE, "--%s needs a value", name);
    return NULL;
}

/* "run/" is run. */
static void cut_slashes(char *folder) {
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') folder[--length] = '\0';
}

static assignments *all_assignments(const words *w) {
    const option *row;
    for (int i = 0; (row = verb_option(w->v, i)) != NULL; i++)
        if (row->type == OPTION_SET) return (assignments *)(void *)((char *)w->values + row->offset);
    return NULL;
}

static int store_borrowed(const words *w, const char *name, const char *value) {
    int code = EXIT_DONE;
    for (int i = 0; i < w->v->borrowed_count && code == EXIT_DONE; i++) {
        const option *row = verb_own_option(w->v->borrowed[i].from, name);
        if (row != NULL) code = option_store(w->context, row, (char *)w->values + w->v->borrowed[i].offset, value);
    }
    return code;
}

static int parse_flag(words *w, const char *word, char *equals) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", equals != NULL ? (int)(equals - word) : 63, word);
    const option *row = find_option(w->v, name);
    const bool own = row != NULL;
    if (!own) row = find_borrowed(w->v, name);
    if (row == &help_row) {
        w->help = true;
        return EXIT_DONE;
    }
    if (row != NULL && row->type == OPTION_SWITCH) {
        if (equals != NULL) return complain(EXIT_USAGE, "--%s takes no value", row->name);
        return own ? option_store(w->context, row, w->values, NULL) : store_borrowed(w, name, NULL);
    }
    const char *parameter = row == NULL ? find_parameter(w->v, name) : NULL;
    if (row == NULL && parameter == NULL) return unknown_flag(w->v, name);
    char *value = value_of(w, row != NULL ? row->name : parameter, equals);
    if (value == NULL) return EXIT_USAGE;
    if (row != NULL && row->type == OPTION_FOLDER) cut_slashes(value);
    if (row == NULL) return assign(all_assignments(w), parameter, value);
    int code = own ? option_store(w->context, row, w->values, value) : store_borrowed(w, name, value);
    while (own && code == EXIT_DONE && row->type == OPTION_FILES && w->at < w->argc && strncmp(w->argv[w->at], "--", 2) != 0)
        code = option_store(w->context, row, w->values, w->argv[w->at++]);
    return code;
}

/* -o VALUE */
static int parse_letter(words *w, const char *word) {
    for (int i = 0; i < w->v->option_count && word[2] == '\0'; i++)
        if (w->v->options[i].letter == word[1]) return parse_flag(w, w->v->options[i].name, NULL);
    return complain(EXIT_USAGE, "there is no option '%s': options begin with two dashes", word);
}

static int parse_operand(words *w, const char *word) {
    for (; w->operand_from < w->v->options + w->v->option_count; w->operand_from++) {
        if (w->operand_from->type == OPTION_OPERANDS) return option_store(w->context, w->operand_from, w->values, word);
        if (w->operand_from->type == OPTION_OPERAND) return option_store(w->context, w->operand_from++, w->values, word);
    }
    return complain(EXIT_USAGE, "'%s' is one word too many for %s%s", word, w->v->name != NULL ? w->v->name : "sustain",
                    verb_own_option(w->v, "features") != NULL ? ": give a file of rows with --features" : "");
}

static int needed_operands(const words *w) {
    for (int i = 0; i < w->v->option_count; i++) {
        const option *row = &w->v->options[i];
        if (row->needed && !option_is_given(row, w->values))
            return complain(EXIT_USAGE, "%s needs %s: see 'sustain %s --help'", w->v->name, row->name, w->v->name);
    }
    return EXIT_DONE;
}

int options_parse(sustain_context *context, const verb *v, int argc, char *const *argv, void *values, bool *help) {
    words w = {.context = context, .v = v, .argc = argc, .argv = argv, .values = values, .operand_from = v->options};
    bool flags = true;
    reset(v, values);
    while (w.at < argc && !w.help) {
        char *word = argv[w.at++];
        int code = EXIT_DONE;
        if (flags && strcmp(word, "--") == 0)
            flags = false;
        else if (flags && strcmp(word, "-h") == 0)
            w.help = true;
        else if (flags && strncmp(word, "--", 2) == 0)
            code = parse_flag(&w, word + 2, strchr(word, '='));
        else if (flags && word[0] == '-' && word[1] != '\0')
            code = parse_letter(&w, word);
        else
            code = parse_operand(&w, word);
        if (code != EXIT_DONE) return code;
    }
    *help = w.help;
    return w.help ? EXIT_DONE : needed_operands(&w);
}

/* ---- parameters ---- */

const char *failure_text(const sustain_context *context, sustain_status status) {
    return status == SUSTAIN_MEMORY ? sustain_status_text(status) : sustain_error(context);
}

/* A sentence of the library may name fields of its options that would help, "(label_column)" at its
 * end, or "(ignore-column)". Flags have the same names: "(--label-column)". */
static const char *with_flag(const char *sentence, char out[LONGEST_SENTENCE]) {
    static const char ending[] = "-column";
    size_t length = 0;
    for (const char *c = sentence; *c != '\0' && length + 4 < LONGEST_SENTENCE; c++) {
        const size_t letters = *c == '(' ? strspn(c + 1, "abcdefghijklmnopqrstuvwxyz_-") : 0, end = strlen(ending);
        const bool last = letters > 0 && strcmp(c + 1 + letters, ")") == 0 && memchr(c, '_', letters) != NULL;
        const bool column = letters > end && c[1 + letters] == ')' && strncmp(c + 1 + letters - end, ending, end) == 0;
        out[length++] = *c;
        if (!last && !column) continue;
        out[length++] = '-', out[length++] = '-';
        for (size_t i = 0; i < letters && length + 4 < LONGEST_SENTENCE; i++, c++) out[length++] = (char)(c[1] == '_' ? '-' : c[1]);
    }
    out[length] = '\0';
    return out;
}

int refused(sustain_context *context, sustain_status status) {
    char text[LONGEST_SENTENCE];
    if (status == SUSTAIN_OK) return EXIT_DONE;
    if (status == SUSTAIN_CANCELLED) return complain(EXIT_INTERRUPTED, "interrupted");
    if (status == SUSTAIN_MEMORY_LIMIT) /* its sentence ends with advice */
        return complain(EXIT_FAILED, "%s, or allow more with --max-memory", with_flag(sustain_error(context), text));
    const bool correctable = status != SUSTAIN_MEMORY && status != SUSTAIN_WRITE;
    return complain(correctable ? EXIT_USAGE : EXIT_FAILED, "%s", with_flag(failure_text(context, status), text));
}

static int unknown_parameter(const char *name, const target *targets, int count) {
    const char *names[MOST_NAMES];
    int n = 0;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < targets[k].count && n < MOST_NAMES; i++) names[n++] = targets[k].table[i].name;
    const char *near = sustain_nearest_name(name, names, n);
    if (near != NULL) return complain(EXIT_USAGE, "no parameter is called '%s'; did you mean '%s'?", name, near);
    return complain(EXIT_USAGE, "no parameter is called '%s'", name);
}

int options_assign(sustain_context *context, const assignments *given, const target *targets, int count) {
    for (int i = 0; i < given->count; i++) {
        const char *name = given->pair[i].name;
        int k = 0;
        while (k < count && !table_has(targets[k].table, targets[k].count, name)) k++;
        if (k == count) return unknown_parameter(name, targets, count);
        if (sustain_parameters_set(context, targets[k].table, targets[k].count, targets[k].values, name, given->pair[i].value) !=
            SUSTAIN_OK)
            return complain(EXIT_USAGE, "%s", sustain_error(context));
    }
    return EXIT_DONE;
}

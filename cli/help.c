/* help.c - `sustain help`, and the help of every command, from its option table. */
#include <math.h>
#include <string.h>

#include "output.h"
#include "verbs.h"

/* ---- one row as text ---- */

void flag_text(const option *row, char *text, size_t size) {
    const char *argument = row->argument != NULL ? row->argument : row->choices;
    char letter[8] = "";
    if (row->letter != 0) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    if (option_is_operand(row))
        snprintf(text, size, "%s", row->name);
    else
        snprintf(text, size, "%s--%s%s%s", letter, row->name, argument != NULL ? " " : "", argument != NULL ? argument : "");
}

void parameter_text(const sustain_parameter *row, char *text, size_t size) {
    snprintf(text, size, "--%s %s", row->name,
             row->choices != NULL                     ? row->choices
             : row->type == SUSTAIN_PARAMETER_INTEGER ? "N"
                                                      : "VALUE");
}

void default_text(const sustain_parameter *row, char *text, size_t size) {
    char number[32];
    sustain_parameter alone = *row;
    union {
        int64_t integer;
        double number;
        int choice;
    } value;
    alone.offset = 0;
    text[0] = '\0';
    if (row->type == SUSTAIN_PARAMETER_CHOICE && row->initial >= 0) {
        sustain_parameters_reset(&alone, 1, &value);
        sustain_parameter_print(&alone, &value, text, size);
    } else if (row->type != SUSTAIN_PARAMETER_CHOICE && !isnan(row->initial)) {
        snprintf(text, size, "%s", number_text(row->initial, number));
    }
}

void parameter_help_text(const sustain_parameter *row, char *text, size_t size) {
    char value[64];
    default_text(row, value, sizeof value);
    snprintf(text, size, value[0] != '\0' ? "%s (default %s)" : "%s", row->help, value);
}

void help_text(const option *row, char *text, size_t size) {
    sustain_parameter as = {.name = row->name, .initial = row->initial, .choices = row->choices, .help = row->help};
    switch (row->type) {
    case OPTION_INTEGER:
        as.type = SUSTAIN_PARAMETER_INTEGER;
        break;
    case OPTION_NUMBER:
        as.type = SUSTAIN_PARAMETER_NUMBER;
        break;
    case OPTION_CHOICE:
        as.type = SUSTAIN_PARAMETER_CHOICE;
        break;
    default:
        snprintf(text, size, row->text != NULL ? "%s (default %s)" : "%s", row->help, row->text);
        return;
    }
    parameter_help_text(&as, text, size);
}

const char *section_title(const verb *v, const option *row) {
    for (const option_section *s = v->sections; s != NULL && s->first != NULL; s++)
        if (strcmp(s->first, row->name) == 0) return s->title;
    return NULL;
}

void usage_text(const verb *v, char *text, size_t size) {
    if (v->name == NULL) {
        snprintf(text, size, "sustain COMMAND [options]");
        return;
    }
    size_t at = (size_t)snprintf(text, size, "sustain %s", v->name);
    for (int i = 0; i < v->option_count && at < size; i++)
        if (option_is_operand(&v->options[i]))
            at += (size_t)snprintf(text + at, size - at, v->options[i].needed ? " %s%s" : " [%s%s]", v->options[i].name,
                                   v->options[i].type == OPTION_OPERANDS ? "..." : "");
    if (at < size) snprintf(text + at, size - at, " [options]");
}

/* ---- help of a command ---- */

static void print_options(FILE *to, const verb *v) {
    text_table t = {.align = "ll", .indent = 2};
    const option *row;
    char text[512];
    for (int i = 0; (row = verb_option(v, i)) != NULL; i++) {
        const char *title = i == 0 && v->sections == NULL ? "Options" : section_title(v, row);
        if (title != NULL) {
            table_print(to, &t);
            fputc('\n', to);
            heading(to, title);
        }
        flag_text(row, text, sizeof text);
        table_add(&t, "%s", text);
        help_text(row, text, sizeof text);
        table_add(&t, "%s", text);
    }
    table_print(to, &t);
}

static void print_group(FILE *to, const option_group *group) {
    text_table t = {.align = "ll", .indent = 2};
    int count;
    const sustain_parameter *rows = group->table(&count);
    char text[512];
    fputc('\n', to);
    heading(to, group->title);
    for (int i = 0; i < count; i++) {
        parameter_text(&rows[i], text, sizeof text);
        table_add(&t, "%s", text);
        parameter_help_text(&rows[i], text, sizeof text);
        table_add(&t, "%s", text);
    }
    table_print(to, &t);
}

/* One table per group; each command has a short example below it. With `family`, its commands
 * alone. */
static void print_commands(FILE *to, const char *family) {
    text_table t = {.align = "ll", .indent = 2};
    for (int i = 0; verb_at(i) != NULL; i++) {
        if (family != NULL && !verb_belongs(i, family)) continue;
        if (family == NULL && verb_group_at(i) != NULL) {
            table_print(to, &t);
            fputc('\n', to);
            heading(to, verb_group_at(i));
        }
        table_add(&t, "%-10s", verb_at(i)->name); /* the same width in all groups */
        table_add(&t, "%s", verb_at(i)->summary);
        if (verb_example_at(i) == NULL) continue;
        table_print(to, &t);
        fprintf(to, "      %s\n", verb_example_at(i));
    }
    table_print(to, &t);
}

static void print_examples(FILE *to, const verb *v) {
    if (v->example_count == 0) return;
    fputc('\n', to);
    heading(to, "Examples");
    for (int i = 0; i < v->example_count; i++) {
        fprintf(to, "  %s\n", v->examples[i].command);
        paragraphs(to, 6, v->examples[i].what);
    }
}

void print_help(FILE *to, const verb *v) {
    char usage[256];
    usage_text(v, usage, sizeof usage);
    if (v->name == NULL) fprintf(to, "sustain %s - %s\n\n", sustain_version(), v->summary);
    fprintf(to, "Usage: %s\n\n", usage);
    paragraphs(to, 0, v->about);
    if (v->name == NULL) {
        print_examples(to, v);
        print_commands(to, NULL);
    }
    print_options(to, v);
    for (int i = 0; i < v->group_count; i++) print_group(to, &v->groups[i]);
    if (v->name != NULL) print_examples(to, v);
    if (v->name == NULL) fputs("\n'sustain COMMAND --help' shows the options of a command.\n", to);
}

void print_family_help(FILE *to, const char *first) {
    fprintf(to, "Usage: sustain %s COMMAND [options]\n\n", first);
    print_commands(to, first);
    fprintf(to, "\n'sustain %s COMMAND --help' shows the options of a command.\n", first);
}

/* ---- the verb ---- */

typedef struct help_values {
    const char *name, *second;
} help_values;

#define VALUES help_values

static const option options[] = {
    WORD_ROW("COMMAND", name, verb_name_at, "the command to describe"),
    OPERAND_ROW("WORD", second, "its second word, if it has one"),
};

static int run(sustain_context *context, const void *values) {
    const help_values *given = values;
    (void)context;
    if (given->name != NULL && given->second == NULL && verb_is_family(given->name)) {
        print_family_help(stdout, given->name);
        return EXIT_DONE;
    }
    const verb *v = given->name == NULL ? &program : verb_find(given->name, given->second);
    if (v == NULL) return EXIT_USAGE;
    print_help(stdout, v);
    return EXIT_DONE;
}

const verb verb_help = {
    .name = "help",
    .summary = "show the help of a command",
    .about = "Describes a command and its options; without a name, lists the commands.",
    .options = options,
    .option_count = COUNT_OF(options),
    .size = sizeof(help_values),
    .run = run,
};

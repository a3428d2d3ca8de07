/* man.c - the man page, from the option tables of all commands. */
#include <ctype.h>
#include <string.h>

#include "output.h"
#include "verbs.h"

/* Escapes text for troff: dashes can be copied, and no line begins with a request. */
static void escaped(FILE *to, const char *text) {
    /* a character and its escape */
    static const char *const escapes[] = {"\\\\e", "-\\-", "'\\(aq", "^\\(ha", "~\\(ti", "`\\(ga"};
    if (*text == '.' || *text == '\'') fputs("\\&", to);
    for (; *text != '\0'; text++) {
        int i = 0;
        while (i < COUNT_OF(escapes) && escapes[i][0] != *text) i++;
        if (i < COUNT_OF(escapes))
            fputs(escapes[i] + 1, to);
        else
            fputc(*text, to);
    }
}

static void line(FILE *to, const char *request, const char *text) {
    if (request != NULL) fprintf(to, "%s ", request);
    escaped(to, text);
    fputc('\n', to);
}

/* Paragraphs separated by newlines. */
static void prose(FILE *to, const char *text) {
    while (*text != '\0') {
        const int length = (int)strcspn(text, "\n");
        char part[4096];
        snprintf(part, sizeof part, "%.*s", length, text);
        if (length > 0) line(to, NULL, part);
        text += length + (text[length] == '\n');
        if (length > 0 && *text != '\0') fputs(".PP\n", to);
    }
}

static void item(FILE *to, const char *flag, const char *help) {
    fputs(".TP\n", to);
    line(to, ".B", flag);
    line(to, NULL, help);
}

static void subsection(FILE *to, const char *title) {
    fputs(".PP\n", to);
    line(to, ".I", title);
}

static void items(FILE *to, const verb *v) {
    const option *row;
    char flag[256], help[512];
    for (int i = 0; (row = verb_option(v, i)) != NULL; i++) {
        if (section_title(v, row) != NULL) subsection(to, section_title(v, row));
        flag_text(row, flag, sizeof flag);
        help_text(row, help, sizeof help);
        item(to, flag, help);
    }
    for (int g = 0; g < v->group_count; g++) {
        int count;
        const sustain_parameter *rows = v->groups[g].table(&count);
        subsection(to, v->groups[g].title);
        for (int i = 0; i < count; i++) {
            parameter_text(&rows[i], flag, sizeof flag);
            parameter_help_text(&rows[i], help, sizeof help);
            item(to, flag, help);
        }
    }
}

static void examples(FILE *to, const verb *v) {
    for (int i = 0; i < v->example_count; i++) item(to, v->examples[i].command, v->examples[i].what);
}

static void synopsis(FILE *to, const verb *v) {
    char usage[256];
    usage_text(v, usage, sizeof usage);
    fputs(".br\n", to);
    line(to, ".B", usage);
}

/* Headings of man pages are in capitals. */
static void section(FILE *to, const char *title) {
    char text[64];
    snprintf(text, sizeof text, "%s", title);
    for (char *at = text; *at != '\0'; at++) *at = (char)toupper((unsigned char)*at);
    line(to, ".SH", text);
}

static void exit_status(FILE *to) {
    fputs(".SH EXIT STATUS\n", to);
    item(to, "0", "Done.");
    item(to, "1", "Failed while running.");
    item(to, "2", "Bad usage or input; nothing was done.");
    item(to, "130", "Interrupted.");
}

void print_man_page(FILE *to) {
    fputs(".\\\" Written by sustain --man.\n", to);
    fprintf(to, ".TH SUSTAIN 1 \"\" \"sustain %s\" \"User Commands\"\n", sustain_version());
    fputs(".SH NAME\n", to);
    fprintf(to, "sustain \\- %s\n", program.summary);
    fputs(".SH SYNOPSIS\n", to);
    line(to, ".B", "sustain [--help] [--version] [--man] [--completion bash]");
    for (int i = 0; verb_at(i) != NULL; i++) synopsis(to, verb_at(i));
    fputs(".SH DESCRIPTION\n", to);
    prose(to, program.about);
    examples(to, &program);
    fputs(".SH OPTIONS\n", to);
    items(to, &program);
    for (int i = 0; verb_at(i) != NULL; i++) {
        if (verb_group_at(i) != NULL) section(to, verb_group_at(i));
        line(to, ".SS", verb_at(i)->name);
        prose(to, verb_at(i)->about);
        items(to, verb_at(i));
    }
    exit_status(to);
    fputs(".SH ENVIRONMENT\n", to);
    item(to, "SUSTAIN_DATA", "The folder of the named data sets; --data-dir overrides it.");
    item(to, "NO_COLOR", "If set and not empty, output to a terminal has no colours.");
    fputs(".SH EXAMPLES\n", to);
    for (int i = 0; verb_at(i) != NULL; i++) examples(to, verb_at(i));
}

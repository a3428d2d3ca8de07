/* completion.c - a completion script for bash, from the option tables of all commands. */
#include <string.h>

#include "output.h"
#include "verbs.h"

/* "linear|sqrt|square" as words. */
static void words_of(FILE *to, const char *choices) {
    for (; *choices != '\0'; choices++) fputc(*choices == '|' ? ' ' : *choices, to);
}

/* What may follow a flag that takes a value: one of the words, a folder or a file (`names`: the
 * option of compgen), or anything. */
static void value_case(FILE *to, const verb *v, const char *flag, const char *choices, const char *names) {
    fprintf(to, "    \"%s --%s\") ", v->name != NULL ? v->name : "", flag);
    if (choices != NULL) {
        fputs("words=\"", to);
        words_of(to, choices);
        fputs("\" ;;\n", to);
    } else if (names != NULL) {
        fprintf(to, "mapfile -t COMPREPLY < <(compgen %s -- \"$word\"); return ;;\n", names);
    } else {
        fputs("return ;;\n", to);
    }
}

static bool in_earlier_group(const verb *v, int group, const char *name) {
    for (int g = 0; g < group; g++) {
        int count;
        const sustain_parameter *rows = v->groups[g].table(&count);
        if (table_has(rows, count, name)) return true;
    }
    return false;
}

static void option_case(FILE *to, const verb *v, const option *row) {
    if (row->type != OPTION_SWITCH && !option_is_operand(row))
        value_case(to, v, row->name, row->choices,
                   row->type == OPTION_FOLDER                              ? "-d"
                   : row->type == OPTION_FILE || row->type == OPTION_FILES ? "-f"
                                                                           : NULL);
}

static void value_cases(FILE *to, const verb *v) {
    const option *row;
    for (int i = 0; (row = verb_option(v, i)) != NULL; i++) option_case(to, v, row);
    for (int b = 0; b < v->borrowed_count; b++)
        for (int i = 0; (row = verb_borrowed_option(v, b, &i)) != NULL; i++) option_case(to, v, row);
    for (int g = 0; g < v->group_count; g++) {
        int count;
        const sustain_parameter *rows = v->groups[g].table(&count);
        for (int i = 0; i < count; i++)
            if (!in_earlier_group(v, g, rows[i].name)) value_case(to, v, rows[i].name, rows[i].choices, NULL);
    }
}

/* The names of all commands; of those with two words the first, once. */
static void verb_words(FILE *to) {
    for (int i = 0; verb_at(i) != NULL; i++) {
        const char *name = verb_name_at(i), *before = i > 0 ? verb_name_at(i - 1) : "";
        const int length = (int)strcspn(name, " ");
        const bool again = strncmp(name, before, (size_t)length) == 0 && (before[length] == ' ' || before[length] == '\0');
        if (!again) fprintf(to, "%.*s ", length, name);
    }
}

/* Whether a command has the first `length` letters of `name` for its whole name, as `data` has. */
static bool has_own_options(const char *name, size_t length) {
    for (int i = 0; verb_at(i) != NULL; i++)
        if (strlen(verb_name_at(i)) == length && strncmp(verb_name_at(i), name, length) == 0) return true;
    return false;
}

/* Names of two words: the second is offered after the first. */
static void second_words(FILE *to) {
    for (int i = 0; verb_at(i) != NULL; i++) {
        const char *name = verb_name_at(i), *blank = strchr(name, ' ');
        if (blank == NULL || has_own_options(name, (size_t)(blank - name))) continue;
        const int length = (int)(blank - name);
        const bool again = i > 0 && strncmp(name, verb_name_at(i - 1), (size_t)length + 1) == 0;
        if (!again) fprintf(to, "    \"%.*s\") words=\"", length, name);
        fprintf(to, "%s ", blank + 1);
        const char *after = verb_name_at(i + 1);
        if (after == NULL || strncmp(name, after, (size_t)length + 1) != 0) fputs("\" ;;\n", to);
    }
}

/* Everything that is allowed where no value is expected. */
static void flags(FILE *to, const verb *v) {
    const option *row;
    fprintf(to, "    \"%s\") words=\"", v->name != NULL ? v->name : "");
    if (v->name == NULL) verb_words(to);
    for (int i = 0; v->name != NULL && verb_at(i) != NULL; i++) {
        const size_t length = strlen(v->name);
        if (strncmp(verb_name_at(i), v->name, length) == 0 && verb_name_at(i)[length] == ' ')
            fprintf(to, "%s ", verb_name_at(i) + length + 1);
    }
    for (int i = 0; i < v->option_count; i++)
        for (int k = 0; v->options[i].word_at != NULL && v->options[i].word_at(k) != NULL; k++)
            fprintf(to, "%s ", v->options[i].word_at(k));
    for (int i = 0; (row = verb_option(v, i)) != NULL; i++)
        if (!option_is_operand(row)) fprintf(to, "--%s ", row->name);
    for (int b = 0; b < v->borrowed_count; b++)
        for (int i = 0; (row = verb_borrowed_option(v, b, &i)) != NULL; i++)
            if (!option_is_operand(row)) fprintf(to, "--%s ", row->name);
    for (int g = 0; g < v->group_count; g++) {
        int count;
        const sustain_parameter *rows = v->groups[g].table(&count);
        for (int i = 0; i < count; i++)
            if (!in_earlier_group(v, g, rows[i].name)) fprintf(to, "--%s ", rows[i].name);
    }
    fputs("\" ;;\n", to);
}

void print_completion(FILE *to) {
    fputs("# Completion of sustain for bash, written by sustain --completion bash.\n"
          "_sustain() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb='' words=''\n"
          "    ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[1]} != -* ]] && verb=${COMP_WORDS[1]}\n"
          "    case $verb in meta) ((COMP_CWORD > 2)) && verb+=\" ${COMP_WORDS[2]}\" ;;\n"
          "    data) ((COMP_CWORD > 2)) && [[ ${COMP_WORDS[2]} == pack ]] && verb='data pack' ;; esac\n"
          "    COMPREPLY=()\n"
          "    case \"$verb $previous\" in\n",
          to);
    value_cases(to, &program);
    for (int i = 0; verb_at(i) != NULL; i++) value_cases(to, verb_at(i));
    fputs("    esac\n"
          "    [[ -n $words ]] || case $verb in\n",
          to);
    flags(to, &program);
    second_words(to);
    for (int i = 0; verb_at(i) != NULL; i++) flags(to, verb_at(i));
    fputs("    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "}\n"
          "complete -F _sustain sustain\n",
          to);
}

/* tune_labels.c - labels of `sustain tune` that would be taken for classes, though a number is
 * probably wanted: "12 kg" and "500 g", dates, "n.a." among prices. */
#include <ctype.h>
#include <string.h>

#include "verb_tune.h"

/* A number with a unit: "12 kg". */
static bool has_unit(const char *text) {
    const char *digit = strpbrk(text, "0123456789");
    const size_t number = strspn(text, "+-0123456789., ");
    if (text[number] == '\0' || digit == NULL || digit >= text + number) return false;
    for (text += number; *text != '\0'; text++)
        if (!isalpha((unsigned char)*text) && *text != '/' && (unsigned char)*text < 0x80) return false;
    return true;
}

/* A number as a spreadsheet shows it: '$27,500', '43 %'. */
static bool is_marked_number(const char *text, bool *marked) {
    bool digits = false;
    int points = 0;
    if (*text == '-' || *text == '+') text++;
    for (; *text != '\0'; text++) {
        const bool mark = strchr("$%,'", *text) != NULL || (unsigned char)*text >= 0x80; /* of other currencies */
        if (!mark && *text != ' ' && *text != '.' && (*text < '0' || *text > '9')) return false;
        digits = digits || (*text >= '0' && *text <= '9');
        points += *text == '.';
        *marked = *marked || mark;
    }
    return digits && points <= 1;
}

static bool are_marked_numbers(const sustain_dataset *set) {
    bool marked = false;
    if (set->class_names == NULL || set->rows.targets != NULL) return false;
    for (int64_t k = 0; k < set->classes; k++)
        if (!is_marked_number(set->class_names[k], &marked)) return false;
    return marked;
}

/* Whether most classes are numbers, with marks and units or without, and more than are taken for
 * classes; then *word is one that is not: "n.a." among prices, or one with another unit. */
static bool most_are_numbers(const sustain_dataset *set, const char **word) {
    int64_t numbers = 0, units = 0;
    const char *other = NULL, *unit = NULL;
    double value;
    if (set->class_names == NULL || set->rows.targets != NULL) return false;
    for (int64_t k = 0; k < set->classes; k++) {
        const char *name = set->class_names[k];
        bool marked = false;
        if (decimal_number(name, &value) || is_marked_number(name, &marked))
            numbers++;
        else if (has_unit(name))
            units++, unit = name;
        else if (other == NULL)
            other = name;
    }
    *word = other != NULL ? other : unit;
    return numbers + units > MOST_CLASSES_OF_NUMBERS && 2 * (numbers + units) > set->classes && *word != NULL;
}

int tune_check_classes(const sustain_dataset *set) {
    const char *word = NULL;
    if (set->classes > 2 && are_marked_numbers(set))
        return complain(
            EXIT_USAGE,
            "%s: its labels are numbers with other marks, such as '%s': write them as 1234.5; or --loss softmax, which takes them "
            "as classes",
            set->label_source, set->class_names[0]);
    if (set->date_labels && set->label_values > MOST_CLASSES_OF_NUMBERS)
        return complain(EXIT_USAGE,
                        "%s: its labels are dates, such as '%.60s': to predict when, write them as numbers, such as days since a first "
                        "one; or --loss softmax, which takes each for a class",
                        set->label_source, set->class_names[0]);
    if (!most_are_numbers(set, &word)) return EXIT_DONE;
    if (has_unit(word))
        return complain(EXIT_USAGE,
                        "%s: most of its labels are numbers, but not in one unit, such as '%.60s': write all of them in one, or without "
                        "it; or --loss softmax, which takes them as classes",
                        set->label_source, word);
    return complain(EXIT_USAGE,
                    "%s: most of its labels are numbers, but '%.60s' is not: write a number, or nothing (--missing-labels drop leaves "
                    "such rows out); or --loss softmax, which takes all of them as classes",
                    set->label_source, word);
}

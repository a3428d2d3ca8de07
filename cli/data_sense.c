/* data_sense.c - see data_sense.h. */
#include "data_sense.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"
#include "verbs.h"

enum { FEW_ROWS = 20, FEW_OF_A_CLASS = 2, MOST_COMPARED = 1000 };

static bool one_label(const sustain_rows *r, bool numbers) {
    const int64_t stored = r->stored > 0 ? r->stored : r->count;
    if (numbers ? r->targets == NULL : r->labels == NULL) return false;
    for (int64_t i = 1; i < stored; i++)
        if (numbers ? r->targets[i] != r->targets[0] : r->labels[i] != r->labels[0]) return false;
    return stored > 1;
}

/* Classes with rows, but no more than FEW_OF_A_CLASS; -1: out of memory. */
static long long rare_classes(const sustain_rows *r, int64_t classes) {
    const int64_t stored = r->stored > 0 ? r->stored : r->count;
    int64_t *count = calloc((size_t)classes, sizeof *count);
    if (count == NULL) return -1;
    for (int64_t i = 0; i < stored; i++) count[r->labels[i] < 0 ? 0 : r->labels[i]]++; /* -1 and 1: two classes */
    long long rare = 0;
    for (int64_t k = 0; k < classes; k++) rare += count[k] > 0 && count[k] <= FEW_OF_A_CLASS;
    free(count);
    return rare;
}

/* Labels that are identifiers by mistake have hundreds of classes of a row or two. */
static int warn_of_rare_classes(const sustain_rows *rows, long long classes, const char *label_source) {
    const long long rare = rare_classes(rows, classes);
    if (rare < 0) return out_of_memory();
    if (2 * rare > classes)
        note_warning(
            "%lld of the %lld classes of %s have one or two rows, of which nothing can be learned: if these labels identify rows, name "
            "the column that has the classes; if they are classes, join the rare ones.",
            rare, classes, label_source);
    return EXIT_DONE;
}

static bool same_letters(const char *a, const char *b) {
    while (*a != '\0' && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    return *a == '\0' && *b == '\0';
}

/* The first character of a text that is no blank: also none without a break, of no width, or a byte
 * order mark. */
static const char *skip_blanks(const char *at) {
    static const char *const wide[] = {"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x8b", "\xef\xbb\xbf"};
    for (int i = 0; i < COUNT_OF(wide);) {
        const size_t length = strlen(wide[i]);
        const bool blank = strncmp(at, wide[i], length) == 0;
        if (blank || isspace((unsigned char)*at))
            at += blank ? length : 1, i = 0;
        else
            i++;
    }
    return at;
}

static bool same_but_blanks(const char *a, const char *b) {
    for (;;) {
        a = skip_blanks(a), b = skip_blanks(b);
        if (*a != *b || *a == '\0') return *a == *b;
        a++, b++;
    }
}

/* What alone two names differ in; NULL: they are different. */
static const char *difference(const char *a, const char *b) {
    double p, q;
    if (same_letters(a, b)) return "capital letters";
    if (same_but_blanks(a, b)) return "blanks";
    return decimal_number(a, &p) && decimal_number(b, &q) && p == q ? "how a number is written" : NULL;
}

void warn_of_spellings(const char *of, const char *const *names, int64_t count, const char *source) {
    for (int64_t j = 1; names != NULL && j < count && count <= MOST_COMPARED; j++)
        for (int64_t k = 0; k < j; k++) {
            const char *what = difference(names[k], names[j]);
            if (what == NULL) continue;
            note_warning("The %s '%.60s' and '%.60s' of %s differ only in %s: if they are one, write them alike.", of, names[k], names[j],
                         source, what);
            return;
        }
}

int data_sense(const sustain_dataset *set, const sustain_rows *rows, bool numbers) {
    const long long count = rows->count, classes = numbers ? 0 : set->classes;
    const char *source = set->source, *label_source = *set->label_source != '\0' ? set->label_source : source;
    if (sustain_rows_all_same(rows))
        return complain(EXIT_USAGE,
                        "%s: all %lld rows have the same features, so that nothing can be learned from them: give the right columns",
                        source, count);
    if (one_label(rows, numbers))
        return complain(EXIT_USAGE, "%s: all %lld labels are the same, so that there is nothing to tell apart: give the right labels",
                        label_source, count);
    if (classes > 2 && classes >= count)
        return complain(EXIT_USAGE,
                        "%s: each of its %lld rows has a label of its own, so that no row says anything of another: give the right labels",
                        label_source, count);
    /* all labels of the rarer of two that are one would look wrong */
    if (!numbers) warn_of_spellings("classes", set->class_names, set->classes, label_source);
    if (count < FEW_ROWS) note_warning("%s has %lld rows: too few to conclude anything from.", source, count);
    return classes > 1 && count >= FEW_ROWS && rows->labels != NULL ? warn_of_rare_classes(rows, classes, label_source) : EXIT_DONE;
}

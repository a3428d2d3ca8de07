/* verb_solvers.c - `sustain solvers`: lists the algorithms of the registry, or the parameters of
 * one. */
#include <math.h>
#include <string.h>

#include "output.h"
#include "verbs.h"

typedef struct solvers_values {
    const char *name;
    bool json;
} solvers_values;

/* NULL after the last. */
static const char *solver_name_at(int i) {
    if (i == sustain_solver_count()) return "auto";
    return i < sustain_solver_count() ? sustain_solver_at(i)->name : NULL;
}

static const char *const oracle_names[] = {
#define ORACLE_NAME(name, field) #field,
    SUSTAIN_ORACLE_LIST(ORACLE_NAME)
#undef ORACLE_NAME
};

static const char *type_name(const sustain_parameter *row) {
    if (row->type == SUSTAIN_PARAMETER_CHOICE) return "choice";
    return row->type == SUSTAIN_PARAMETER_INTEGER ? "integer" : "number";
}

/* ---- JSON ---- */

static json_t *parameter_json(const sustain_parameter *row) {
    char value[64];
    const bool choice = row->type == SUSTAIN_PARAMETER_CHOICE;
    json_t *object = json_object();
    default_text(row, value, sizeof value);
    SET_TEXTS(object, {"name", row->name}, {"type", type_name(row)});
    json_object_set_new(object, "default", choice ? json_string(value) : json_number_or_null(row->initial));
    json_object_set_new(object, "least", choice ? json_null() : json_number_or_null(row->least));
    json_object_set_new(object, "most", choice ? json_null() : json_number_or_null(row->most));
    json_t *choices = choice ? json_array() : json_null();
    for (const char *word = row->choices; choice && word != NULL;) {
        const size_t length = strcspn(word, "|");
        json_array_append_new(choices, json_stringn(word, length));
        word = word[length] == '|' ? word + length + 1 : NULL;
    }
    json_object_set_new(object, "choices", choices);
    json_object_set_new(object, "help", json_string(row->help));
    return object;
}

static json_t *solver_json(const sustain_solver_info *info) {
    json_t *object = json_object(), *needs = json_array(), *parameters = json_array();
    for (int i = 0; i < COUNT_OF(oracle_names); i++)
        if (info->needs & (1u << i)) json_array_append_new(needs, json_string(oracle_names[i]));
    for (int i = 0; i < info->parameter_count; i++) json_array_append_new(parameters, parameter_json(&info->parameters[i]));
    SET_TEXTS(object, {"name", info->name}, {"title", info->title}, {"reference", info->reference}, {"complexity", info->complexity});
    json_object_set_new(object, "deterministic", json_boolean(info->deterministic));
    json_object_set_new(object, "needs", needs);
    json_object_set_new(object, "parameters", parameters);
    return object;
}

static json_t *list_json(void) {
    json_t *object = json_object(), *list = json_array();
    for (int i = 0; i < sustain_solver_count(); i++) json_array_append_new(list, solver_json(sustain_solver_at(i)));
    json_object_set_new(object, "version", json_string(sustain_version()));
    json_object_set_new(object, "solvers", list);
    return object;
}

/* ---- text ---- */

/* The oracles of a set. */
static void needs_text(unsigned set, char *text, size_t size) {
    text[0] = '\0';
    for (int i = 0; i < COUNT_OF(oracle_names); i++) {
        const size_t at = strlen(text);
        if (set & (1u << i)) snprintf(text + at, size - at, "%s%s", at > 0 ? ", " : "", oracle_names[i]);
    }
}

static void print_solver(const sustain_solver_info *info) {
    text_table t = {.align = "ll", .indent = 2};
    char needs[512];
    needs_text(info->needs, needs, sizeof needs);
    heading(stdout, info->name);
    const char *const draws = info->deterministic ? "nothing: all samples at once" : "a batch of samples in each iteration";
    const char *const cells[] = {"what",           info->title, "draws", draws,   "samples",
                                 info->complexity, "needs",     needs,   "paper", info->reference};
    table_add_all(&t, cells, COUNT_OF(cells));
    table_print(stdout, &t);
}

static void range_text(const sustain_parameter *row, char *text, size_t size) {
    if (row->type == SUSTAIN_PARAMETER_CHOICE)
        snprintf(text, size, "%s", row->choices);
    else if (row->most >= 1e15)
        snprintf(text, size, "%s >= %g", type_name(row), row->least);
    else
        snprintf(text, size, row->most >= 1e6 ? "%s %g..%g" : "%s %.10g..%.10g", type_name(row), row->least, row->most);
}

static void print_parameters(const sustain_solver_info *info) {
    text_table t = {.align = "llll", .indent = 2};
    char text[256];
    fputc('\n', stdout);
    heading(stdout, "Parameters (default, values, meaning)");
    for (int i = 0; i < info->parameter_count; i++) {
        const sustain_parameter *row = &info->parameters[i];
        table_add(&t, "%s", row->name);
        default_text(row, text, sizeof text);
        table_add(&t, "%s", text);
        range_text(row, text, sizeof text);
        table_add(&t, "%s", text);
        table_add(&t, "%s", row->help);
    }
    table_print(stdout, &t);
}

/* The functions that an algorithm needs beyond the four required ones, one letter each. */
static const char *needs_letters(unsigned set, char text[8]) {
    char *at = text;
    if (set & SUSTAIN_NEEDS_G_HESS_VEC) *at++ = 'H';
    if (set & SUSTAIN_NEEDS_G_CROSS_VEC) *at++ = 'J';
    if (set & SUSTAIN_NEEDS_G_GRAD_X) *at++ = 'x';
    if (set & SUSTAIN_NEEDS_EXPECTATION) *at++ = 'E';
    if (set & SUSTAIN_NEEDS_FINITE_SUM) *at++ = 'n';
    if (at == text) *at++ = '-';
    *at = '\0';
    return text;
}

/* Abbreviates "epsilon^(-3/2), epsilon^(-3/2)" to "-3/2, -3/2"; other forms are shown unchanged. */
static void exponents_text(const char *complexity, char *text, size_t size) {
    size_t n = 0;
    for (const char *from = complexity; *from != '\0' && n + 1 < size;) {
        const char *close = strncmp(from, "epsilon^(", 9) == 0 ? strchr(from, ')') : NULL;
        if (close == NULL)
            text[n++] = *from++;
        else {
            for (from += 9; from < close && n + 1 < size;) text[n++] = *from++;
            from = close + 1;
        }
    }
    text[n] = '\0';
    if (strstr(text, "full batches") == text) snprintf(text, size, "full batches");
}

static void print_list(void) {
    text_table t = {.align = "llll", .indent = 0};
    char text[128], letters[8];
    static const char *const titles[] = {"name", "samples", "needs", "what it does"};
    table_add_all(&t, titles, COUNT_OF(titles));
    for (int i = 0; i < sustain_solver_count(); i++) {
        const sustain_solver_info *info = sustain_solver_at(i);
        exponents_text(info->complexity, text, sizeof text);
        table_add(&t, "%s", info->name);
        table_add(&t, "%s", text);
        table_add(&t, "%s", needs_letters(info->needs, letters));
        table_add(&t, "%s", info->title);
    }
    table_print(stdout, &t);
    putchar('\n');
    paragraphs(stdout, 0,
               "samples: powers of epsilon, of the upper and of the lower level, proved to reach |grad ell|^2 <= epsilon. needs, beyond "
               "the four required functions of problem.h: H g_hess_vec, J g_cross_vec, x g_grad_x, E expected values, n a finite sum. "
               "'sustain solvers NAME' shows the paper and the parameters of one.");
}

/* ---- auto ---- */

static json_t *choices_json(void) {
    json_t *object = json_object(), *rules = json_array();
    for (int i = 0; sustain_solver_choice(i) != NULL; i++)
        json_array_append_new(rules,
                              json_pack("{s:s, s:s}", "name", sustain_solver_choice(i)->name, "when", sustain_solver_choice(i)->when));
    json_object_set_new(object, "name", json_string("auto"));
    json_object_set_new(object, "rules", rules);
    return object;
}

static void print_choices(void) {
    text_table t = {.align = "ll", .indent = 2};
    heading(stdout, "auto: the first of these that applies to the problem");
    for (int i = 0; sustain_solver_choice(i) != NULL; i++) {
        table_add(&t, "%s", sustain_solver_choice(i)->name);
        table_add(&t, "%s", sustain_solver_choice(i)->when);
    }
    table_print(stdout, &t);
}

/* ---- the verb ---- */

static const sustain_solver_info *find(const char *name) {
    const char *names[64];
    int n = 0;
    for (; n < sustain_solver_count() && n < COUNT_OF(names); n++) {
        names[n] = sustain_solver_at(n)->name;
        if (strcmp(names[n], name) == 0) return sustain_solver_at(n);
    }
    complain_of_name("no algorithm is called", name, names, n, "'sustain solvers' lists them");
    return NULL;
}

static int run(sustain_context *context, const void *values) {
    const solvers_values *given = values;
    (void)context;
    if (given->name == NULL) {
        if (given->json) return print_json(list_json());
        print_list();
        return EXIT_DONE;
    }
    if (strcmp(given->name, "auto") == 0) {
        if (given->json) return print_json(choices_json());
        print_choices();
        return EXIT_DONE;
    }
    const sustain_solver_info *info = find(given->name);
    if (info == NULL) return EXIT_USAGE;
    if (given->json) return print_json(solver_json(info));
    print_solver(info);
    print_parameters(info);
    return EXIT_DONE;
}

#define VALUES solvers_values

static const option options[] = {
    WORD_ROW("NAME", name, solver_name_at, "show this algorithm with all its parameters"),
    SWITCH_ROW("json", json, "print one JSON object"),
};

static const example examples[] = {
    {"sustain solvers", "all algorithms"},
    {"sustain solvers auto", "which algorithm auto selects"},
    {"sustain solvers sustain --json", "one algorithm and its parameters, as JSON"},
};

const verb verb_solvers = {
    .name = "solvers",
    .summary = "list the algorithms, or the parameters of one",
    .about = "Lists the algorithms with their proved sample complexity and the functions of a problem that they need; with a NAME, shows "
             "the paper and the parameters of that algorithm.",
    VERB_PARTS(solvers_values),
};

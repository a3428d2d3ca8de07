/* fuzz_parameter.c - lines "name=text" as parameters of every table: refused with a sentence and
 * without a change, or the value prints as a text that sets the same bits. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/sustain.h>

#include "core/parameter_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 64 };

static sustain_context *context;
static sustain_problem *problem;
static sustain_solver *solvers[MOST];

static void require(bool condition) {
    if (!condition) abort();
}

typedef union values { /* room for every structure below */
    sustain_quadratic_options quadratic;
    sustain_constants constants;
} values;

static void try_table(const sustain_parameter *table, int count, const char *name, const char *text) {
    values before, after, again;
    memset(&before, 0, sizeof before);
    sustain_parameters_reset(table, count, &before);
    after = again = before;
    const sustain_status status = sustain_parameters_set(context, table, count, &after, name, text);
    if (status != SUSTAIN_OK) {
        require(status == (sustain__parameter_find(table, count, name) != NULL ? SUSTAIN_PARAMETER : SUSTAIN_UNKNOWN_NAME));
        require(sustain_error(context)[0] != '\0');
        require(memcmp(&before, &after, sizeof after) == 0);
        return;
    }
    char printed[64];
    const sustain_parameter *row = sustain__parameter_find(table, count, name);
    require(row != NULL && sustain__parameters_check(context, row, 1, &after) == SUSTAIN_OK);
    sustain_parameter_print(row, &after, printed, sizeof printed);
    require(sustain_parameters_set(context, table, count, &again, name, printed) == SUSTAIN_OK);
    require(memcmp(&after, &again, sizeof after) == 0);
}

/* The tables of the algorithms, through the solver itself, which keeps its defaults. A name that
 * is unknown is the same for all of them: one answers for the others. */
static void try_solvers(const char *name, const char *text, int chosen) {
    for (int i = 0; i < sustain_solver_count(); i++) {
        char printed[64], again[64];
        sustain_solver_get(solvers[i], name, printed, sizeof printed);
        if (printed[0] == '\0' && i != chosen) continue;
        const sustain_status status = sustain_solver_set(solvers[i], name, text);
        require(status == SUSTAIN_OK || status == SUSTAIN_PARAMETER || status == SUSTAIN_UNKNOWN_NAME);
        if (status == SUSTAIN_OK) require(sustain_solver_set(solvers[i], name, printed) == SUSTAIN_OK);
        sustain_solver_get(solvers[i], name, again, sizeof again);
        require(strcmp(printed, again) == 0);
    }
}

static void clean_up(void) {
    for (int i = 0; i < sustain_solver_count(); i++) sustain_solver_destroy(solvers[i]);
    sustain_quadratic_destroy(problem);
    sustain_context_destroy(context);
}

static void prepare(void) {
    if (context != NULL) return;
    sustain_quadratic_options options = sustain_quadratic_defaults();
    options.upper_dim = options.lower_dim = 1;
    options.samples = 2; /* a finite sum: what every algorithm takes */
    require(sustain_solver_count() <= MOST && sustain_context_create(&context) == SUSTAIN_OK);
    require(sustain_quadratic_create(context, &options, &problem) == SUSTAIN_OK);
    for (int i = 0; i < sustain_solver_count(); i++)
        require(sustain_solver_create(context, sustain_solver_at(i)->name, problem, &solvers[i]) == SUSTAIN_OK);
    atexit(clean_up);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    prepare();
    char *line = malloc(size + 1);
    require(line != NULL);
    if (size > 0) memcpy(line, data, size);
    line[size] = '\0';
    char *equals = strchr(line, '=');
    const char *text = equals != NULL ? equals + 1 : "";
    if (equals != NULL) *equals = '\0';

    int count;
    const sustain_parameter *table = sustain_quadratic_table(&count);
    try_table(table, count, line, text);
    table = sustain_constants_table(&count);
    try_table(table, count, line, text);
    try_solvers(line, text, (int)(size % (size_t)sustain_solver_count()));
    free(line);
    return 0;
}

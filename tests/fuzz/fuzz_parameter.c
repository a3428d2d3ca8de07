/* fuzz_parameter.c - lines "name=text" as parameters of every table: refused with a sentence and
 * without a change, or the value prints as a text that sets the same bits. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/sustain.h>

#include "core/parameter_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition) abort();
}

typedef union values { /* room for every structure below */
    sustain_quadratic_options quadratic;
    sustain_constants constants;
} values;

static void try_table(sustain_context *context, const sustain_parameter *table, int count, const char *name, const char *text) {
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

/* The tables of the algorithms, through the solver itself. */
static void try_solvers(sustain_context *context, const sustain_problem *problem, const char *name, const char *text) {
    for (int i = 0; i < sustain_solver_count(); i++) {
        sustain_solver *solver;
        require(sustain_solver_create(context, sustain_solver_at(i)->name, problem, &solver) == SUSTAIN_OK);
        char printed[64], again[64];
        sustain_solver_get(solver, name, printed, sizeof printed);
        const sustain_status status = sustain_solver_set(solver, name, text);
        require(status == SUSTAIN_OK || status == SUSTAIN_PARAMETER || status == SUSTAIN_UNKNOWN_NAME);
        sustain_solver_get(solver, name, again, sizeof again);
        if (status != SUSTAIN_OK) require(strcmp(printed, again) == 0);
        sustain_solver_destroy(solver);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sustain_context *context;
    sustain_problem *problem = NULL;
    sustain_quadratic_options options = sustain_quadratic_defaults();
    options.upper_dim = options.lower_dim = 1;
    options.samples = 2; /* a finite sum: what every algorithm takes */
    char *line = malloc(size + 1);
    if (line == NULL || sustain_context_create(&context) != SUSTAIN_OK) {
        free(line);
        return 0;
    }
    memcpy(line, data, size);
    line[size] = '\0';
    char *equals = strchr(line, '=');
    const char *text = equals != NULL ? equals + 1 : "";
    if (equals != NULL) *equals = '\0';

    int count;
    const sustain_parameter *table = sustain_quadratic_table(&count);
    try_table(context, table, count, line, text);
    table = sustain_constants_table(&count);
    try_table(context, table, count, line, text);
    require(sustain_quadratic_create(context, &options, &problem) == SUSTAIN_OK);
    try_solvers(context, problem, line, text);
    sustain_quadratic_destroy(problem);
    sustain_context_destroy(context);
    free(line);
    return 0;
}

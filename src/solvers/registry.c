/* registry.c - the list of all algorithms, which tests, help and docs use. */
#include <string.h>

#include "solvers/solver_internal.h"

#define ADDRESS(name) &sustain__algorithm_##name,
static const sustain__algorithm *const algorithms[] = {SUSTAIN__ALGORITHMS(ADDRESS)};
#undef ADDRESS

int sustain_solver_count(void) {
    return sizeof algorithms / sizeof algorithms[0];
}

const sustain_solver_info *sustain_solver_at(int i) {
    return i >= 0 && i < sustain_solver_count() ? &algorithms[i]->info : NULL;
}

const sustain__algorithm *sustain__algorithm_find(const char *name) {
    for (int i = 0; i < sustain_solver_count(); i++)
        if (strcmp(algorithms[i]->info.name, name) == 0) return algorithms[i];
    return NULL;
}

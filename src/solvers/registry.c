/* registry.c - the list of all algorithms. A new one is a file and a line here; tests, help and
 * docs use this list. */
#include <string.h>

#include "solvers/solver_internal.h"

static const sustain__algorithm *const algorithms[] = {
    &sustain__algorithm_sustain, &sustain__algorithm_bsa,     &sustain__algorithm_ttsa,   &sustain__algorithm_stocbio,
    &sustain__algorithm_hoag,    &sustain__algorithm_itd_bio, &sustain__algorithm_aid_cg, &sustain__algorithm_mrbo,
    &sustain__algorithm_vrbo,    &sustain__algorithm_soba,    &sustain__algorithm_saba,   &sustain__algorithm_ma_soba,
    &sustain__algorithm_srba,    &sustain__algorithm_fsla,    &sustain__algorithm_amigo,  &sustain__algorithm_f2sa,
    &sustain__algorithm_f2sa_p,  &sustain__algorithm_f3sa,    &sustain__algorithm_spaba,  &sustain__algorithm_slip,
    &sustain__algorithm_tfbo,    &sustain__algorithm_pzobo,   &sustain__algorithm_pbgd,   &sustain__algorithm_bome,
    &sustain__algorithm_meha,    &sustain__algorithm_stable,  &sustain__algorithm_svrb,   &sustain__algorithm_fedbioacc,
};

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

/* multiplier.c - the multiplier of the first-order methods. */
#include "solvers/multiplier.h"

#include <math.h>

#include "core/vector.h"

sustain_status sustain__first_multiplier(sustain_solver *solver, double given, double factor, const sustain_real *x, const sustain_real *y,
                                         double *out) {
    const char *name = solver->algorithm->info.name;
    *out = given;
    if (given > 0) return SUSTAIN_OK;
    sustain_constants constants;
    SUSTAIN_TRY(sustain__look_up_constants(solver, x, y, &constants));
    const double most = constants.L_fy / (solver->steps.L_g * sqrt(sustain__rounding()));
    *out = fmax(1, fmin(factor * constants.L_fy / constants.mu_g, most));
    if (!isfinite(*out))
        return sustain__fail(solver->context, SUSTAIN_NOT_FINITE,
                             "%s: problem '%s' has no multiplier to begin with (L_fy %g, mu_g %g): set lambda", name,
                             solver->given->ops->name, constants.L_fy, constants.mu_g);
    sustain__log(solver->context, "%s: L_fy = %.3g, mu_g = %.3g: the multiplier begins with %.3g", name, constants.L_fy, constants.mu_g,
                 *out);
    return SUSTAIN_OK;
}

double sustain__multiplier_at(const sustain_solver *solver, double first) {
    const sustain_steps *by = &solver->steps;
    return first * pow((by->w + (double)solver->t) / by->w, fmax(0, by->p - by->q));
}

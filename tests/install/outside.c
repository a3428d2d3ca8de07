/* outside.c - a program of a user, in C and in C++, built against the installed library by
 * run.sh.
 *
 *   outside float|double    the library computes with this, and SUSTAIN runs
 *   outside refused         the library was built for the other precision, and says so */
#include <sustain/sustain.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXPECT(condition)                                       \
    if (!(condition)) {                                         \
        fprintf(stderr, "outside: not true: %s\n", #condition); \
        return 1;                                               \
    }

int main(int argc, char **argv) {
    sustain_context *context;
    sustain_problem *problem;
    sustain_solver *solver;
    EXPECT(argc == 2);
    if (strcmp(argv[1], "refused") == 0) {
        EXPECT(sustain_context_create(&context) == SUSTAIN_PRECISION && context == NULL);
        return 0;
    }
    EXPECT(strcmp(argv[1], sustain_precision()) == 0);
    EXPECT(sizeof(sustain_real) == (strcmp(argv[1], "double") == 0 ? sizeof(double) : sizeof(float)));
    EXPECT(sustain_version_number() == SUSTAIN_VERSION_NUMBER);

    sustain_quadratic_options options = sustain_quadratic_defaults();
    sustain_stopping stopping;
    sustain_result result;
    memset(&stopping, 0, sizeof stopping);
    stopping.iterations = 100;
    EXPECT(sustain_context_create(&context) == SUSTAIN_OK);
    EXPECT(sustain_quadratic_create(context, &options, &problem) == SUSTAIN_OK);
    EXPECT(sustain_solver_create(context, "sustain", problem, &solver) == SUSTAIN_OK);
    EXPECT(sustain_solver_run(solver, &stopping, &result) == SUSTAIN_OK);
    EXPECT(result.iterations == 100 && isfinite(result.upper_value));
    printf("sustain %s, %s: f = %g after %d iterations\n", sustain_version(), sustain_precision(), result.upper_value,
           (int)result.iterations);
    sustain_solver_destroy(solver);
    sustain_quadratic_destroy(problem);
    sustain_context_destroy(context);
    return 0;
}

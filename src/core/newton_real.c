/* newton_real.c - Newton's method and conjugate gradients in sustain_real. */
#include <float.h>

#include "core/vector.h"

#define number sustain_real
#define CG sustain__cg
#define CG_SOLVE sustain__cg_solve
#define NEWTON sustain__newton
#define NEWTON_MINIMIZE sustain__newton_minimize
#define EPSILON sustain__rounding()
#define LEAST_NORMAL (sizeof(sustain_real) == sizeof(double) ? DBL_MIN : (double)FLT_MIN)
#define DOT sustain__dot
#define ADD sustain__add
#define SCALE sustain__scale

#include "core/newton_loops.h"

/** @file sustain.h - stochastic bilevel optimization: problems, solvers, derivative checks. Link
 *  with -lsustain.
 *
 *  Other libraries have headers of their own: learn.h (finding wrong labels, tuning penalties, data
 *  sets; -lsustain-learn), meta.h and fewshot.h (few-shot learning; -lsustain-fewshot). */
#ifndef SUSTAIN_SUSTAIN_H
#define SUSTAIN_SUSTAIN_H

#include <sustain/check.h>
#include <sustain/communicator.h>
#include <sustain/constants.h>
#include <sustain/context.h>
#include <sustain/estimate.h>
#include <sustain/hyperclean.h>
#include <sustain/hypergrad.h>
#include <sustain/memory.h>
#include <sustain/needs.h>
#include <sustain/parameter.h>
#include <sustain/problem.h>
#include <sustain/problem_fast.h>
#include <sustain/profile.h>
#include <sustain/quadratic.h>
#include <sustain/random.h>
#include <sustain/regtune.h>
#include <sustain/rows.h>
#include <sustain/solver.h>
#include <sustain/status.h>
#include <sustain/version.h>

#endif

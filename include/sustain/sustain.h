/** @file sustain.h - stochastic bilevel optimization: all public headers. */
#ifndef SUSTAIN_SUSTAIN_H
#define SUSTAIN_SUSTAIN_H

#include <sustain/check.h>
#include <sustain/clean.h>
#include <sustain/constants.h>
#include <sustain/context.h>
#include <sustain/dataset.h>
#include <sustain/estimate.h>
#include <sustain/fewshot.h>
#include <sustain/hyperclean.h>
#include <sustain/hypergrad.h>
#include <sustain/meta.h>
#include <sustain/model.h>
#include <sustain/needs.h>
#include <sustain/npy.h>
#include <sustain/parameter.h>
#include <sustain/pictures.h>
#include <sustain/probabilities.h>
#include <sustain/problem.h>
#include <sustain/problem_fast.h>
#include <sustain/quadratic.h>
#include <sustain/random.h>
#include <sustain/regtune.h>
#include <sustain/rows.h>
#include <sustain/select.h>
#include <sustain/softmax.h>
#include <sustain/solver.h>
#include <sustain/status.h>
#include <sustain/table.h>
#include <sustain/tune.h>
#include <sustain/version.h>

#endif

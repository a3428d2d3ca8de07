/** @file learn.h - tasks on labelled rows: finding wrong labels, tuning penalties, reading data
 *  sets and pictures. Link with -lsustain-learn. */
#ifndef SUSTAIN_LEARN_H
#define SUSTAIN_LEARN_H

#include <sustain/annotators.h>
#include <sustain/clean.h>
#include <sustain/dataset.h>
#include <sustain/model.h>
#include <sustain/npy.h>
#include <sustain/pack.h>
#include <sustain/pictures.h>
#include <sustain/probabilities.h>
#include <sustain/select.h>
#include <sustain/softmax.h>
#include <sustain/splines.h>
#include <sustain/sustain.h>
#include <sustain/table.h>
#include <sustain/tune.h>

#endif

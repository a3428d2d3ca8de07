/** @file annotators.h - several labels for a row, by annotators of unknown quality: Dawid and
 *  Skene, Applied Statistics 28 (1979).
 *
 *      const sustain_annotation labels[] = {{.row = 0, .annotator = 0, .label = 2}, ...};
 *      sustain_annotators_options options = sustain_annotators_defaults();
 *      options.rows = 400, options.annotators = 7, options.classes = 3;
 *      sustain_annotators_estimate(context, &options, labels, count, posterior, annotators);
 *
 *  Each annotator a has a table pi_a(k,l) = P(label l | class k). Tables and the class of each row
 *  are estimated together by expectation maximization, which begins with the shares of the
 *  votes. */
#ifndef SUSTAIN_ANNOTATORS_H
#define SUSTAIN_ANNOTATORS_H

#include <stdint.h>

#include <sustain/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A label that an annotator gave to a row. All three are counted from 0. */
typedef struct sustain_annotation {
    int64_t row;
    int32_t annotator, label;
} sustain_annotation;

/** What to do. Take it from sustain_annotators_defaults(): the structure begins with its size, so
 *  that it can grow. */
typedef struct sustain_annotators_options {
    size_t size;        /**< sizeof(sustain_annotators_options), as the caller was compiled */
    int64_t rows;       /**< must be set */
    int64_t annotators; /**< must be set */
    int64_t classes;    /**< must be set */
    int64_t rounds;     /**< at most so many iterations */
    double tolerance;   /**< stop when no probability changes by more than this in an iteration */
} sustain_annotators_options;

/** What sustain_annotators_defaults() calls: fills `size` bytes. */
void sustain_annotators_defaults_for(size_t size, sustain_annotators_options *options);

/** 100 rounds, a tolerance of 1e-6. */
static inline sustain_annotators_options sustain_annotators_defaults(void) {
    sustain_annotators_options options;
    sustain_annotators_defaults_for(sizeof options, &options);
    return options;
}

/** How good an annotator is. */
typedef struct sustain_annotator {
    int64_t labels;   /**< how many labels the annotator gave */
    double accuracy;  /**< estimated share of right ones; NAN without labels */
    double low, high; /**< its 95 % interval; NAN likewise. It takes the tables of the annotators as known */
} sustain_annotator;

/** posterior (rows, classes) <- the probability of each class; of a row without labels the shares
 *  of the classes. annotator (options->annotators) may be NULL. Refused: a row, an annotator or a
 *  label out of range. */
sustain_status sustain_annotators_estimate(sustain_context *context, const sustain_annotators_options *options,
                                           const sustain_annotation *annotations, int64_t count, float *posterior,
                                           sustain_annotator *annotator);

#ifdef __cplusplus
}
#endif
#endif

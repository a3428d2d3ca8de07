/* select_huber.c - the threshold of Huber's loss, up to which an error counts squared.
 *
 *   d^2 h(e / d),    h(e) = e^2 / 2 up to |e| = 1, then |e| - 1/2
 *
 * With targets divided by d, and a model for them, this is h itself, and quadratic penalties mean
 * the same. So everything is fitted in units of d, and results are multiplied in the end. Unless
 * it is given, d is 1.345 times a robust deviation of the errors, for which the estimate keeps 95
 * % of its efficiency where errors are normal (Huber 1981). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/select_job.h"

#define EFFICIENT 1.345
#define DEVIATION 1.4826   /* of normal errors, in units of their median absolute value */
#define FIRST_PENALTY 0.01 /* times the mean of |a_i|^2: the model whose errors are measured */

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(int64_t count, double *values) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* A threshold for values of this spread; 0 where more than half of them are equal. */
static double threshold_for(int64_t count, double *values) {
    const double middle = median(count, values);
    for (int64_t i = 0; i < count; i++) values[i] = fabs(values[i] - middle);
    return EFFICIENT * DEVIATION * median(count, values);
}

/* Targets in units of d times the present one. */
static void change_unit(sustain_selection *s, double d) {
    if (!(d > 0) || !isfinite(d)) return;
    for (int64_t i = 0; i < s->rows.rows.count; i++) s->truth[i] /= d;
    s->unit *= d;
}

void sustain__select_first_threshold(sustain_selection *s) {
    double *values = s->state[0].loss; /* not in use yet */
    memcpy(values, s->truth, (size_t)s->rows.rows.count * sizeof *values);
    const double given = s->options.huber_threshold;
    change_unit(s, given > 0 ? given : threshold_for(s->rows.rows.count, values));
}

void sustain__select_second_threshold(sustain_selection *s) {
    double *values = s->state[0].loss;
    sustain__select_evaluate(s, NULL, &(sustain__select_numbers){.stages = 1, .log_penalty = {log(FIRST_PENALTY * s->mean_square)}});
    for (int64_t at = 0; at < s->ever_held.count; at++) values[at] = s->truth[s->ever_held.row[at]] - s->score[s->ever_held.row[at]];
    change_unit(s, threshold_for(s->ever_held.count, values));
}

/* Targets were floats: rounded to them they are what they were, bit by bit. */
void sustain__select_undo_threshold(sustain_selection *s) {
    if (s->unit == 1) return;
    for (int64_t i = 0; i < s->rows.rows.count; i++) s->truth[i] = (double)(float)(s->truth[i] * s->unit);
    s->unit = 1;
}

static void multiply(double by, int64_t count, double *values) {
    for (int64_t i = 0; i < count; i++) values[i] *= by;
}

void sustain__select_apply_threshold(sustain_selection *s, int selected) {
    const double unit = s->unit, square = unit * unit;
    const int64_t n = s->rows.rows.count, size = sustain__fit_size(&s->rows);
    if (unit == 1) return;
    multiply(unit, size + (s->result_knots + 2 * s->result_waves) * s->rows.width, s->y);
    multiply(unit, size, s->single_y);
    multiply(unit, n, s->state[selected].score);
    multiply(square, n, s->state[selected].loss);
    if (s->state[selected].best.absolute) multiply(unit, s->rows.rows.dim, s->penalty);
    for (int c = 0; c < s->count; c++) {
        sustain_select_candidate *k = &s->candidate[c];
        double *const numbers[] = {&k->estimate, &k->error, &k->difference, &k->difference_error};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] *= square;
    }
    for (int i = 0; i < s->path_count; i++) {
        s->path[i].loss *= square;
        s->path[i].error *= square;
    }
}

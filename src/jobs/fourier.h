/* fourier.h - random Fourier features of rows (Rahimi and Recht, 2007),
 *
 *   z(a) = scale (cos(w a + h), sin(w a + h)),      w (waves, dim), h (waves)
 *
 * With w normal of deviation s, h = 0 and scale^2 = 1 / waves, z(a)'z(b) is close to
 * exp(-s^2 |a - b|^2 / 2). */
#ifndef SUSTAIN_JOBS_FOURIER_H
#define SUSTAIN_JOBS_FOURIER_H

#include <sustain/softmax.h>

#include <sustain/problem.h>

#include "core/context_internal.h"

/* w (waves, dim) <- normal numbers of that deviation, then h = 0. */
void sustain__fourier_draw(uint64_t seed, double deviation, int64_t waves, int64_t dim, sustain_real *w);

/* The variance of each feature (dim), by rows spread evenly; and the total variance. */
sustain_status sustain__fourier_variances(sustain_context *context, const sustain_rows *rows, double *variance);
sustain_status sustain__fourier_variance(sustain_context *context, const sustain_rows *rows, double *variance);

/* Makes waves orthogonal, in blocks of `dim` or fewer, without a change of their lengths: z(a)'z(b)
 * varies less about its expected value (Yu et al., 2016). */
void sustain__fourier_orthogonalize(int64_t waves, int64_t dim, sustain_real *w);

/* out (count, 2 waves) <- z of the rows `index` (count; NULL: 0 .. count-1), one every `stride`
 * numbers. */
sustain_status sustain__fourier_map(sustain_context *context, const sustain_fourier *fourier, const sustain_rows *rows,
                                    const int64_t *index, int64_t count, float scale, int64_t stride, float *out);

/* s (count, classes) <- s + V z(a) with scale 1, of at most SUSTAIN__BLOCK rows: the samples first
 * .. first + count - 1 of a draw, or of all rows. memory has sustain__fourier_bytes(). */
size_t sustain__fourier_bytes(const sustain_fourier *fourier, int64_t classes);
void sustain__fourier_add(const sustain_fourier *fourier, int64_t classes, const sustain_rows *rows, const sustain_batch *batch,
                          int64_t first, int64_t count, void *memory, sustain_real *s);

/* squares (dim) <- squares + (d score / d a_j)^2, summed over the scores, at one row a (dim, then
 * its scaled cosines and sines) of the model y (dim + 2 waves, width). g (dim) is scratch. */
void sustain__fourier_add_slopes(const sustain_fourier *fourier, int64_t dim, int64_t width, const float *a, const double *y, double *g,
                                 double *squares);

#endif

/* logistic.c - the plain sums, and the choice of kernels at run time. */
#include "core/logistic.h"

#include "core/exp.h"

static sustain_real product(int64_t n, const float *a, const sustain_real *z) {
    sustain_real sum[SUSTAIN__SHORT_STEP] = {0};
    for (int64_t j = 0; j < n; j += SUSTAIN__SHORT_STEP)
        for (int l = 0; l < SUSTAIN__SHORT_STEP; l++) sum[l] += (sustain_real)a[j + l] * z[j + l];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

void sustain__logistic_plain(const sustain__logistic_sum *sum) {
    const int64_t n = sum->rows->stride;
    for (int64_t i = 0; i < sum->count; i++) {
        const float *a = sum->rows->values + (sum->index != NULL ? sum->index[i] : sum->first + i) * n;
        for (int p = 0; p < sum->points; p++) {
            sustain_real s = product(n, a, sum->y[p]), q, e;
            if (sum->v[0] == NULL) {
                sustain__exp(1, &s, &e); /* infinite: q is 0 */
                q = -1 / (1 + e);
            } else {
                s = s < 0 ? s : -s; /* the same for both signs, and never infinite */
                sustain__exp(1, &s, &e);
                q = e / ((1 + e) * (1 + e)) * product(n, a, sum->v[p]);
            }
            q *= (sustain_real)sum->factor;
            for (int64_t j = 0; j < n; j++) sum->out[p][j] += q * (sustain_real)a[j];
        }
    }
}

#ifdef SUSTAIN__AVX2
extern sustain__logistic_adds sustain__logistic_avx2;

sustain__logistic_adds *sustain__logistic_best(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? sustain__logistic_avx2 : sustain__logistic_plain;
}
#else
sustain__logistic_adds *sustain__logistic_best(void) {
    return sustain__logistic_plain;
}
#endif

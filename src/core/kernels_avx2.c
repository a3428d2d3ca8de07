/* kernels_avx2.c - the kernels for AVX2 and FMA; this file alone is compiled for them
 * (CMakeLists.txt).
 *
 * A product is one vector of sums along the features, added up at the end; what is left over at the
 * end of a row is a vector with zeros. Tiles of R rows by C vectors keep R C such sums in
 * registers: 12 multiplications for 7 loads. Bytes are converted to numbers in registers, in
 * parallel with the multiplications; they take a quarter of the cache. Products of bytes with bytes
 * are whole numbers. */
#ifdef SUSTAIN__AVX2
#include "core/half.h"
#include "core/kernels.h"

#include <immintrin.h>
#include <string.h>

#ifdef SUSTAIN_DOUBLE
typedef __m256d vec;
typedef __m256i mask;
enum { LANES = 4 };
#define LOAD(p) _mm256_loadu_pd(p)
#define STORE(p, v) _mm256_storeu_pd(p, v)
#define LOAD_MASKED(p, m) _mm256_maskload_pd(p, m)
#define STORE_MASKED(p, m, v) _mm256_maskstore_pd(p, m, v)
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define MUL(a, b) _mm256_mul_pd(a, b)
#define ALL(x) _mm256_set1_pd(x)

static inline double sum_of(vec v) {
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(half) + _mm_cvtsd_f64(_mm_unpackhi_pd(half, half));
}

static inline mask first_lanes(int64_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}
#else
typedef __m256 vec;
typedef __m256i mask;
enum { LANES = 8 };
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define LOAD_MASKED(p, m) _mm256_maskload_ps(p, m)
#define STORE_MASKED(p, m, v) _mm256_maskstore_ps(p, m, v)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define MUL(a, b) _mm256_mul_ps(a, b)
#define ALL(x) _mm256_set1_ps(x)

static inline float sum_of(vec v) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(half) + _mm_cvtss_f32(_mm_movehdup_ps(half));
}

/* out[0 .. 3] = the sums of four vectors, each in the order of sum_of. */
static inline void store_sums(float *out, const vec *v) {
    __m128 half[4];
    for (int i = 0; i < 4; i++) half[i] = _mm_add_ps(_mm256_castps256_ps128(v[i]), _mm256_extractf128_ps(v[i], 1));
    const __m128 first = _mm_add_ps(_mm_unpacklo_ps(half[0], half[1]), _mm_unpackhi_ps(half[0], half[1]));
    const __m128 second = _mm_add_ps(_mm_unpacklo_ps(half[2], half[3]), _mm_unpackhi_ps(half[2], half[3]));
    _mm_storeu_ps(out, _mm_add_ps(_mm_movelh_ps(first, second), _mm_movehl_ps(second, first)));
}

static inline mask first_lanes(int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
#endif

#define ALWAYS static inline __attribute__((always_inline))

/* ---- rows ---- */

/* Four finite numbers of half precision: their bits are those of a float 2^112 times as small, but
 * for the sign. */
ALWAYS __m128 four_halves(const void *row, int64_t j) {
    const __m128i h = _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)((const uint16_t *)row + j)));
    const __m128i sign = _mm_slli_epi32(_mm_and_si128(h, _mm_set1_epi32(0x8000)), 16);
    const __m128i size = _mm_slli_epi32(_mm_and_si128(h, _mm_set1_epi32(0x7fff)), 13);
    return _mm_or_ps(_mm_mul_ps(_mm_castsi128_ps(size), _mm_set1_ps(0x1p112f)), _mm_castsi128_ps(sign));
}

/* LANES features of a row from number j on. */
ALWAYS vec load_row(const sustain__row_kind kind, const void *row, int64_t j) {
    const uint8_t *bytes = (const uint8_t *)row + j;
    const float *floats = (const float *)row + j;
#ifdef SUSTAIN_DOUBLE
    if (kind == SUSTAIN__FLOATS) return _mm256_cvtps_pd(_mm_loadu_ps(floats));
    if (kind == SUSTAIN__HALVES) return _mm256_cvtps_pd(four_halves(row, j));
    int32_t four;
    memcpy(&four, bytes, sizeof four);
    return _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(four)));
#else
    if (kind == SUSTAIN__FLOATS) return _mm256_loadu_ps(floats);
    if (kind == SUSTAIN__HALVES) return _mm256_set_m128(four_halves(row, j + 4), four_halves(row, j));
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)bytes)));
#endif
}

/* The last n <= LANES of them, and zeros. */
ALWAYS vec load_row_end(const sustain__row_kind kind, const void *row, int64_t j, int64_t n) {
#ifdef SUSTAIN_DOUBLE
    const __m128i lanes = _mm_cmpgt_epi32(_mm_set1_epi32((int)n), _mm_setr_epi32(0, 1, 2, 3));
    if (kind == SUSTAIN__FLOATS) return _mm256_cvtps_pd(_mm_maskload_ps((const float *)row + j, lanes));
#else
    if (kind == SUSTAIN__FLOATS) return LOAD_MASKED((const float *)row + j, first_lanes(n));
#endif
    const size_t size = kind == SUSTAIN__HALVES ? 2 : 1;
    uint16_t end[8] = {0};
    memcpy(end, (const uint8_t *)row + (size_t)j * size, (size_t)n * size);
    return load_row(kind, end, 0);
}

/* ---- products ---- */

ALWAYS void dots_tile(const sustain__row_kind kind, const int R, const int C, int64_t dim, const void *const *a,
                      const sustain_real *const *w, sustain_real *out, int64_t stride) {
    vec sum[12], row[3];
    int64_t j = 0;
    for (int t = 0; t < R * C; t++) sum[t] = ALL(0);
    for (; j + LANES <= dim; j += LANES) {
        for (int r = 0; r < R; r++) row[r] = load_row(kind, a[r], j);
        for (int c = 0; c < C; c++) {
            const vec other = LOAD(w[c] + j);
            for (int r = 0; r < R; r++) sum[r * C + c] = FMA(row[r], other, sum[r * C + c]);
        }
    }
    if (j < dim) {
        const mask m = first_lanes(dim - j);
        for (int r = 0; r < R; r++) row[r] = load_row_end(kind, a[r], j, dim - j);
        for (int c = 0; c < C; c++) {
            const vec other = LOAD_MASKED(w[c] + j, m);
            for (int r = 0; r < R; r++) sum[r * C + c] = FMA(row[r], other, sum[r * C + c]);
        }
    }
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) out[r * stride + c] = sum_of(sum[r * C + c]);
}

/* C vectors with all rows, three at a time; four are two and two. */
ALWAYS void dots_panel(const sustain__row_kind kind, const int C, int64_t m, int64_t dim, const void *const *a,
                       const sustain_real *const *w, sustain_real *out, int64_t stride) {
    while (m > 0) {
        const int64_t rows = m == 4 ? 2 : m < 3 ? m : 3;
        if (rows == 3)
            dots_tile(kind, 3, C, dim, a, w, out, stride);
        else if (rows == 2)
            dots_tile(kind, 2, C, dim, a, w, out, stride);
        else
            dots_tile(kind, 1, C, dim, a, w, out, stride);
        m -= rows, a += rows, out += rows * stride;
    }
}

#ifndef SUSTAIN_DOUBLE
/* Short rows of floats, of V vectors: C others stay in registers, and four sums are added up at
 * once. m is a multiple of 4 / C. */
ALWAYS void dots_short(const int V, const int C, int64_t m, int64_t dim, const void *const *a, const float *const *w, float *out,
                       int64_t stride) {
    const mask last = first_lanes(dim - (V - 1) * LANES);
    vec other[4][3];
    for (int c = 0; c < C; c++)
        for (int v = 0; v < V; v++) other[c][v] = v < V - 1 ? LOAD(w[c] + v * LANES) : LOAD_MASKED(w[c] + v * LANES, last);
    for (int64_t i = 0; i < m; i += 4 / C) {
        vec sum[4];
        for (int r = 0; r < 4 / C; r++) {
            const float *row = a[i + r];
            for (int v = 0; v < V; v++) {
                const vec own = v < V - 1 ? LOAD(row + v * LANES) : LOAD_MASKED(row + v * LANES, last);
                for (int c = 0; c < C; c++) sum[r * C + c] = v == 0 ? MUL(own, other[c][0]) : FMA(own, other[c][v], sum[r * C + c]);
            }
        }
        if (stride == C || C == 4) {
            store_sums(out + i * stride, sum);
        } else {
            float four[4];
            store_sums(four, sum);
            for (int t = 0; t < 4; t++) out[(i + t / C) * stride + t % C] = four[t];
        }
    }
}

/* Does what fits into dots_short; returns how many rows are done. */
ALWAYS int64_t dots_some(const int V, int64_t m, int64_t n, int64_t dim, const void *const *a, const float *const *w, float *out,
                         int64_t stride) {
    if (n == 4) return dots_short(V, 4, m, dim, a, w, out, stride), m;
    if (n == 2) return dots_short(V, 2, m / 2 * 2, dim, a, w, out, stride), m / 2 * 2;
    if (n == 1) return dots_short(V, 1, m / 4 * 4, dim, a, w, out, stride), m / 4 * 4;
    return 0;
}

static int64_t dots_begun(int64_t m, int64_t n, int64_t dim, const void *const *a, const float *const *w, float *out, int64_t stride) {
    const int64_t vectors = (dim + LANES - 1) / LANES;
    if (vectors == 1) return dots_some(1, m, n, dim, a, w, out, stride);
    if (vectors == 2) return dots_some(2, m, n, dim, a, w, out, stride);
    return vectors == 3 ? dots_some(3, m, n, dim, a, w, out, stride) : 0;
}
#endif

ALWAYS void dots(const sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *const *w,
                 sustain_real *out, int64_t stride) {
#ifndef SUSTAIN_DOUBLE
    const int64_t done = kind == SUSTAIN__FLOATS ? dots_begun(m, n, dim, a, w, out, stride) : 0;
    m -= done, a += done, out += done * stride;
    if (m == 0) return;
#endif
    for (; n >= 4; n -= 4, w += 4, out += 4) dots_panel(kind, 4, m, dim, a, w, out, stride);
    if (n == 3) dots_panel(kind, 3, m, dim, a, w, out, stride);
    if (n == 2) dots_panel(kind, 2, m, dim, a, w, out, stride);
    if (n == 1) dots_panel(kind, 1, m, dim, a, w, out, stride);
}

/* ---- products of rows with rows ---- */

ALWAYS sustain_real dot_rows(const sustain__row_kind kind, int64_t dim, const void *a, const void *b) {
    vec sum[4] = {ALL(0), ALL(0), ALL(0), ALL(0)};
    int64_t j = 0;
    for (; j + 4 * LANES <= dim; j += 4 * LANES)
        for (int l = 0; l < 4; l++) sum[l] = FMA(load_row(kind, a, j + l * LANES), load_row(kind, b, j + l * LANES), sum[l]);
    for (; j < dim; j += LANES) {
        const int64_t n = dim - j < LANES ? dim - j : LANES;
        sum[0] = FMA(load_row_end(kind, a, j, n), load_row_end(kind, b, j, n), sum[0]);
    }
    return (sum_of(sum[0]) + sum_of(sum[2])) + (sum_of(sum[1]) + sum_of(sum[3]));
}

/* Sixteen bytes, as 16-bit numbers. */
ALWAYS __m256i load_wide(const uint8_t *bytes) {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}

/* out[c] = a'b_c, c < C: what makes a wide is shared. Pieces are short enough for sums of 32
 * bits. */
ALWAYS void byte_products(const int C, int64_t dim, const uint8_t *a, const void *const *b, sustain_real *out) {
    enum { PIECE = 1 << 16 };
    int64_t total[4] = {0};
    for (int64_t first = 0; first < dim; first += PIECE) {
        const int64_t end = dim - first < PIECE ? dim : first + PIECE;
        __m256i sum[4];
        int64_t j = first;
        for (int c = 0; c < C; c++) sum[c] = _mm256_setzero_si256();
        for (; j + 16 <= end; j += 16) {
            const __m256i own = load_wide(a + j);
            for (int c = 0; c < C; c++) sum[c] = _mm256_add_epi32(sum[c], _mm256_madd_epi16(own, load_wide((const uint8_t *)b[c] + j)));
        }
        for (int c = 0; c < C; c++) {
            uint8_t left[2][16] = {{0}};
            int32_t lane[8];
            memcpy(left[0], a + j, (size_t)(end - j));
            memcpy(left[1], (const uint8_t *)b[c] + j, (size_t)(end - j));
            sum[c] = _mm256_add_epi32(sum[c], _mm256_madd_epi16(load_wide(left[0]), load_wide(left[1])));
            memcpy(lane, &sum[c], sizeof lane);
            for (int l = 0; l < 8; l++) total[c] += lane[l];
        }
    }
    for (int c = 0; c < C; c++) out[c] = (sustain_real)total[c];
}

ALWAYS void gram(const sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const void *const *b,
                 sustain_real *out, int64_t stride) {
    for (int64_t i = 0; i < m; i++, out += stride) {
        int64_t k = 0;
        for (; kind == SUSTAIN__BYTES && k + 4 <= n; k += 4) byte_products(4, dim, a[i], b + k, out + k);
        for (; kind == SUSTAIN__BYTES && k < n; k++) byte_products(1, dim, a[i], b + k, out + k);
        for (; k < n; k++) out[k] = dot_rows(kind, dim, a[i], b[k]);
    }
}

/* ---- sums of rows ---- */

typedef struct place {
    const void *const *a;
    const sustain_real *q;
    int64_t m, stride;
} place;

/* sum[c] += the rows times q, at features j .. j + LANES - 1 (V = 1) or twice as many (V = 2). */
ALWAYS void add_rows(const sustain__row_kind kind, const int C, const int V, const place *p, int64_t j, vec *sum) {
    for (int64_t i = 0; i < p->m; i++) {
        const sustain_real *q = p->q + i * p->stride;
        vec row[2];
        for (int v = 0; v < V; v++) row[v] = load_row(kind, p->a[i], j + v * LANES);
        for (int c = 0; c < C; c++) {
            const vec factor = ALL(q[c]);
            for (int v = 0; v < V; v++) sum[c * V + v] = FMA(factor, row[v], sum[c * V + v]);
        }
    }
}

ALWAYS void add_rows_end(const sustain__row_kind kind, const int C, const place *p, int64_t j, int64_t n, vec *sum) {
    for (int64_t i = 0; i < p->m; i++) {
        const vec row = load_row_end(kind, p->a[i], j, n);
        for (int c = 0; c < C; c++) sum[c] = FMA(ALL(p->q[i * p->stride + c]), row, sum[c]);
    }
}

ALWAYS void outer_panel(const sustain__row_kind kind, const int C, const place *p, int64_t dim, sustain_real *const *out) {
    vec sum[10];
    int64_t j = 0;
    for (; j + 2 * LANES <= dim; j += 2 * LANES) {
        for (int t = 0; t < 2 * C; t++) sum[t] = LOAD(out[t / 2] + j + t % 2 * LANES);
        add_rows(kind, C, 2, p, j, sum);
        for (int t = 0; t < 2 * C; t++) STORE(out[t / 2] + j + t % 2 * LANES, sum[t]);
    }
    for (; j < dim; j += LANES) {
        const int64_t n = dim - j < LANES ? dim - j : LANES;
        const mask m = first_lanes(n);
        for (int c = 0; c < C; c++) sum[c] = LOAD_MASKED(out[c] + j, m);
        add_rows_end(kind, C, p, j, n, sum);
        for (int c = 0; c < C; c++) STORE_MASKED(out[c] + j, m, sum[c]);
    }
}

ALWAYS void outer(const sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *q,
                  int64_t stride, sustain_real *const *out) {
    place p = {a, q, m, stride};
    for (; n >= 5; n -= 5, p.q += 5, out += 5) outer_panel(kind, 5, &p, dim, out);
    if (n >= 2) outer_panel(kind, 2, &p, dim, out), n -= 2, p.q += 2, out += 2;
    if (n >= 2) outer_panel(kind, 2, &p, dim, out), n -= 2, p.q += 2, out += 2;
    if (n == 1) outer_panel(kind, 1, &p, dim, out);
}

/* ---- the step ---- */

typedef struct factors {
    vec keep, ridge, ridge_prev, beta;
} factors;

ALWAYS vec begun(const factors *f, vec h, vec y, vec y_prev) {
    return FMA(f->ridge_prev, y_prev, FMA(f->ridge, y, MUL(f->keep, h)));
}

ALWAYS void step_panel(const sustain__row_kind kind, const int C, const place *p, int64_t dim, const factors *f, sustain_real *const *h,
                       sustain_real *const *y, sustain_real *const *y_prev) {
    vec sum[10];
    int64_t j = 0;
    for (; j + 2 * LANES <= dim; j += 2 * LANES) {
        for (int t = 0; t < 2 * C; t++) {
            const int64_t at = j + t % 2 * LANES;
            sum[t] = begun(f, LOAD(h[t / 2] + at), LOAD(y[t / 2] + at), LOAD(y_prev[t / 2] + at));
        }
        add_rows(kind, C, 2, p, j, sum);
        for (int t = 0; t < 2 * C; t++) {
            const int64_t at = j + t % 2 * LANES;
            const vec before = LOAD(y[t / 2] + at);
            STORE(h[t / 2] + at, sum[t]);
            STORE(y_prev[t / 2] + at, before);
            STORE(y[t / 2] + at, FMA(f->beta, sum[t], before));
        }
    }
    for (; j < dim; j += LANES) {
        const int64_t n = dim - j < LANES ? dim - j : LANES;
        const mask m = first_lanes(n);
        for (int c = 0; c < C; c++) sum[c] = begun(f, LOAD_MASKED(h[c] + j, m), LOAD_MASKED(y[c] + j, m), LOAD_MASKED(y_prev[c] + j, m));
        add_rows_end(kind, C, p, j, n, sum);
        for (int c = 0; c < C; c++) {
            const vec before = LOAD_MASKED(y[c] + j, m);
            STORE_MASKED(h[c] + j, m, sum[c]);
            STORE_MASKED(y_prev[c] + j, m, before);
            STORE_MASKED(y[c] + j, m, FMA(f->beta, sum[c], before));
        }
    }
}

ALWAYS void step(const sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *q,
                 int64_t stride, const sustain__lower_step *s, sustain_real *const *h, sustain_real *const *y,
                 sustain_real *const *y_prev) {
    const factors f = {ALL((sustain_real)s->keep), ALL((sustain_real)s->ridge), ALL((sustain_real)(-s->ridge * s->keep)),
                       ALL((sustain_real)-s->beta)};
    place p = {a, q, m, stride};
    for (; n >= 5; n -= 5, p.q += 5, h += 5, y += 5, y_prev += 5) step_panel(kind, 5, &p, dim, &f, h, y, y_prev);
    for (; n >= 1; n -= 1, p.q += 1, h += 1, y += 1, y_prev += 1) step_panel(kind, 1, &p, dim, &f, h, y, y_prev);
}

/* ---- values ---- */

ALWAYS __m256d four_of_row(const sustain__row_kind kind, const void *row, int64_t j) {
    if (kind == SUSTAIN__FLOATS) return _mm256_cvtps_pd(_mm_loadu_ps((const float *)row + j));
    if (kind == SUSTAIN__HALVES) return _mm256_cvtps_pd(four_halves(row, j));
    int32_t four;
    memcpy(&four, (const uint8_t *)row + j, sizeof four);
    return _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(four)));
}

ALWAYS double one_of_row(const sustain__row_kind kind, const void *row, int64_t j) {
    if (kind == SUSTAIN__FLOATS) return (double)((const float *)row)[j];
    return kind == SUSTAIN__HALVES ? (double)sustain__from_half(((const uint16_t *)row)[j]) : (double)((const uint8_t *)row)[j];
}

#ifdef SUSTAIN_DOUBLE
#define FOUR(p) _mm256_loadu_pd(p)
#else
#define FOUR(p) _mm256_cvtps_pd(_mm_loadu_ps(p))
#endif

enum { VALUE_ROWS = 32, VALUE_PIECE = 256, VALUE_COLUMNS = 5 };

/* C vectors at some features, made double once for all rows, and the sums so far of each row with
 * each of them. */
typedef struct values {
    double w[VALUE_COLUMNS][VALUE_PIECE];
    __m256d sum[VALUE_ROWS * VALUE_COLUMNS];
} values;

/* Continues the sums of R rows, at `size` features from number `first` on. */
ALWAYS void exact_tile(const sustain__row_kind kind, const int R, const int C, const void *const *a, int64_t first, int64_t size,
                       const values *v, __m256d *total) {
    __m256d sum[10], row[4];
    for (int t = 0; t < R * C; t++) sum[t] = total[t];
    for (int64_t j = 0; j < size; j += 4) {
        for (int r = 0; r < R; r++) row[r] = four_of_row(kind, a[r], first + j);
        for (int c = 0; c < C; c++) {
            const __m256d other = _mm256_loadu_pd(v->w[c] + j);
            for (int r = 0; r < R; r++) sum[r * C + c] = _mm256_fmadd_pd(row[r], other, sum[r * C + c]);
        }
    }
    for (int t = 0; t < R * C; t++) total[t] = sum[t];
}

/* C vectors with m <= VALUE_ROWS rows, R at a time. */
ALWAYS void exact_panel(const sustain__row_kind kind, const int R, const int C, int64_t m, int64_t dim, const void *const *a,
                        const sustain_real *const *w, double *out, int64_t stride) {
    const int64_t whole = dim / 4 * 4;
    values v;
    for (int64_t t = 0; t < m * C; t++) v.sum[t] = _mm256_setzero_pd();
    for (int64_t first = 0; first < whole; first += VALUE_PIECE) {
        const int64_t size = whole - first < VALUE_PIECE ? whole - first : VALUE_PIECE;
        int64_t i = 0;
        for (int c = 0; c < C; c++)
            for (int64_t j = 0; j < size; j += 4) _mm256_storeu_pd(v.w[c] + j, FOUR(w[c] + first + j));
        for (; i + R <= m; i += R) exact_tile(kind, R, C, a + i, first, size, &v, v.sum + i * C);
        for (; i < m; i++) exact_tile(kind, 1, C, a + i, first, size, &v, v.sum + i * C);
    }
    for (int64_t i = 0; i < m; i++)
        for (int c = 0; c < C; c++) {
            const __m256d sum = v.sum[i * C + c];
            const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(sum), _mm256_extractf128_pd(sum, 1));
            double total = _mm_cvtsd_f64(half) + _mm_cvtsd_f64(_mm_unpackhi_pd(half, half));
            for (int64_t j = whole; j < dim; j++) total += one_of_row(kind, a[i], j) * (double)w[c][j];
            out[i * stride + c] = total;
        }
}

ALWAYS void exact(const sustain__row_kind kind, int64_t m, int64_t n, int64_t dim, const void *const *a, const sustain_real *const *w,
                  double *out, int64_t stride) {
    for (; m > 0; m -= VALUE_ROWS, a += VALUE_ROWS, out += VALUE_ROWS * stride) {
        const int64_t rows = m < VALUE_ROWS ? m : VALUE_ROWS;
        int64_t k = 0;
        for (; k + 5 <= n; k += 5) exact_panel(kind, 2, 5, rows, dim, a, w + k, out + k, stride);
        for (; k + 2 <= n; k += 2) exact_panel(kind, 4, 2, rows, dim, a, w + k, out + k, stride);
        if (k < n) exact_panel(kind, 4, 1, rows, dim, a, w + k, out + k, stride);
    }
}

#include "core/kernels_of_kind.h"

extern const sustain__kernels sustain__kernels_avx2;
const sustain__kernels sustain__kernels_avx2 = {"avx2", {SUSTAIN__KERNELS_OF_KINDS}};
#endif

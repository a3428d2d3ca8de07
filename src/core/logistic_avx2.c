/* logistic_avx2.c - the logistic loss on short rows for processors with AVX2 and FMA; compiled for
 * them alone.
 *
 * A chunk of rows is read three times: when it is asked for from memory, a chunk ahead; for the
 * products, where it comes into the nearest cache; for the sums. In between, the exponentials of
 * the whole chunk are taken at once. */
#ifdef SUSTAIN__AVX2
#include <immintrin.h>

#include "core/exp_block.h"
#include "core/logistic.h"
#include "core/prefetch.h"

enum { CHUNK = SUSTAIN__EXP_BLOCK / 2, POINTS = 2, PANEL = 3 };

#ifdef SUSTAIN_DOUBLE
typedef __m256d vec;
enum { LANES = 4 };
#define ROW(p) _mm256_cvtps_pd(_mm_loadu_ps(p))
#define LOAD(p) _mm256_loadu_pd(p)
#define STORE(p, v) _mm256_storeu_pd(p, v)
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define MUL(a, b) _mm256_mul_pd(a, b)
#define ALL(x) _mm256_set1_pd(x)

/* Number i is the sum of v[i]. */
static inline vec sums_of(const vec *v) {
    const vec a = _mm256_hadd_pd(v[0], v[1]), b = _mm256_hadd_pd(v[2], v[3]);
    return _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
}
#else
typedef __m256 vec;
enum { LANES = 8 };
#define ROW(p) _mm256_loadu_ps(p)
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define MUL(a, b) _mm256_mul_ps(a, b)
#define ALL(x) _mm256_set1_ps(x)

static inline vec sums_of(const vec *v) {
    const vec a = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
    const vec b = _mm256_hadd_ps(_mm256_hadd_ps(v[4], v[5]), _mm256_hadd_ps(v[6], v[7]));
    return _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
}
#endif

#define ALWAYS static inline __attribute__((always_inline))

/* A chunk of rows, and the chunk that comes after it. */
typedef struct chunk {
    int64_t count;
    const float *row[CHUNK]; /* beyond the last one: any row; its results are not used */
    const float *coming[CHUNK];
} chunk;

/* Number i * P + p of what is said of rows i and points p, with H rows in a vector for each
 * point. */
#define PLACE(i, p) ((i) / H * LANES + (p)*H + (i) % H)

/* Memory serves a few requests at a time, so prefetches of the next rows are spread over the work
 * on a chunk: first cache lines while products are computed, the others (and the last number, for
 * rows that begin inside a cache line) while sums are computed. */
SUSTAIN__PREFETCHING ask_for_first(const float *row) {
    SUSTAIN__PREFETCH(row);
}

SUSTAIN__PREFETCHING ask_for_rest(const float *row, int64_t length) {
    const int64_t line = SUSTAIN__LINE / (int64_t)sizeof *row;
    for (int64_t j = line; j < length; j += line) SUSTAIN__PREFETCH(row + j);
    if (length % line == 0) SUSTAIN__PREFETCH(row + length - 1);
}

/* s <- the products of the rows, V vectors long, with z at P points. */
ALWAYS void products(const int V, const int P, const bool ahead, const chunk *c, const sustain_real *const *z, sustain_real *s) {
    const int H = LANES / P;
    for (int64_t i = 0; i < c->count; i += H) {
        vec sum[LANES];
        for (int r = 0; ahead && r < H; r++) ask_for_first(c->coming[i + r]);
        for (int t = 0; t < LANES; t++) sum[t] = ALL(0);
        for (int v = 0; v < V; v++)
            for (int r = 0; r < H; r++) {
                const vec own = ROW(c->row[i + r] + v * LANES);
                for (int p = 0; p < P; p++) sum[p * H + r] = FMA(own, LOAD(z[p] + v * LANES), sum[p * H + r]);
            }
        STORE(s + PLACE(i, 0), sums_of(sum));
    }
}

/* out_p += sum over rows of q_ip a_i at V vectors from number `at` on. */
ALWAYS void add_panel(const int V, const int P, const bool ahead, const chunk *c, int64_t at, const sustain_real *q,
                      sustain_real *const *out) {
    const int H = LANES / P;
    vec sum[POINTS * PANEL];
    for (int t = 0; t < P * V; t++) sum[t] = LOAD(out[t / V] + at + t % V * LANES);
    for (int64_t i = 0; i < c->count; i++) {
        if (ahead) ask_for_rest(c->coming[i], V * LANES);
        for (int v = 0; v < V; v++) {
            const vec own = ROW(c->row[i] + at + v * LANES);
            for (int p = 0; p < P; p++) sum[p * V + v] = FMA(ALL(q[PLACE(i, p)]), own, sum[p * V + v]);
        }
    }
    for (int t = 0; t < P * V; t++) STORE(out[t / V] + at + t % V * LANES, sum[t]);
}

ALWAYS void add_rows(const int V, const int P, const chunk *c, const sustain_real *q, sustain_real *const *out) {
    int v = 0;
    for (; v + PANEL <= V; v += PANEL) add_panel(PANEL, P, v == 0, c, v * LANES, q, out);
    if (V - v == 2) add_panel(2, P, v == 0, c, v * LANES, q, out);
    if (V - v == 1) add_panel(1, P, v == 0, c, v * LANES, q, out);
}

/* s, the products with y, becomes q; t has those with v, or is NULL. */
static void slopes(int n, sustain_real factor, sustain_real *s, const sustain_real *t) {
    sustain_real e[POINTS * CHUNK];
    /* the same for both signs, and never infinite */
    for (int i = 0; t != NULL && i < n; i++) s[i] = s[i] < 0 ? s[i] : -s[i];
    sustain__exp_block(n, s, e);
    if (t == NULL)
        for (int i = 0; i < n; i++) s[i] = -factor / (1 + e[i]); /* infinite: 0 */
    else
        for (int i = 0; i < n; i++) s[i] = factor * t[i] * (e[i] / ((1 + e[i]) * (1 + e[i])));
}

/* The rows of the draw from number `first` on; after its end, those of the next. */
static void list_rows(const sustain__logistic_sum *sum, int64_t first, const float **row) {
    const bool next = first >= sum->count && sum->next != NULL;
    const sustain__short_rows *rows = next ? sum->next_rows : sum->rows;
    const int64_t *index = next ? sum->next : sum->index;
    const int64_t from = next ? first - sum->count : first, left = (next ? sum->next_count : sum->count) - from;
    const int64_t count = left < 0 ? 0 : left < CHUNK ? left : CHUNK;
    if (index != NULL)
        for (int64_t i = 0; i < count; i++) row[i] = rows->values + index[from + i] * rows->stride;
    else
        for (int64_t i = 0; i < count; i++) row[i] = rows->values + (sum->first + from + i) * rows->stride;
    for (int64_t i = count; i < CHUNK; i++) row[i] = rows->values;
}

ALWAYS void add_chunk(const int V, const int P, const sustain__logistic_sum *sum, const chunk *c) {
    const bool curved = sum->v[0] != NULL;
    const int H = LANES / P, n = (int)(c->count + H - 1) / H * LANES;
    sustain_real s[POINTS * CHUNK], t[POINTS * CHUNK];
    products(V, P, true, c, sum->y, s);
    if (curved) products(V, P, false, c, sum->v, t);
    slopes(n, (sustain_real)sum->factor, s, curved ? t : NULL);
    add_rows(V, P, c, s, sum->out);
}

ALWAYS void add_all(const int V, const sustain__logistic_sum *sum) {
    chunk c;
    list_rows(sum, 0, c.coming);
    for (int64_t first = 0; first < sum->count; first += CHUNK) {
        const int64_t left = sum->count - first;
        memcpy(c.row, c.coming, sizeof c.row);
        list_rows(sum, first + CHUNK, c.coming);
        c.count = left < CHUNK ? left : CHUNK;
        if (sum->points == 2)
            add_chunk(V, 2, sum, &c);
        else
            add_chunk(V, 1, sum, &c);
    }
}

extern sustain__logistic_adds sustain__logistic_avx2;

void sustain__logistic_avx2(const sustain__logistic_sum *sum) {
    const int vectors = (int)(sum->rows->stride / LANES);
    if (vectors == SUSTAIN__SHORT_STEP / LANES)
        add_all(SUSTAIN__SHORT_STEP / LANES, sum);
    else if (vectors == 2 * SUSTAIN__SHORT_STEP / LANES)
        add_all(2 * SUSTAIN__SHORT_STEP / LANES, sum);
    else if (vectors == 3 * SUSTAIN__SHORT_STEP / LANES)
        add_all(3 * SUSTAIN__SHORT_STEP / LANES, sum);
    else
        add_all(vectors, sum);
}
#endif

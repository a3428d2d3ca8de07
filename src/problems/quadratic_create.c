/* quadratic_create.c - makes the quadratic problem: options, matrices with known spectra, and the
 * constants of the theory.
 *
 *   A = Q diag(lambda) Q',   lambda_j in equal ratios from mu_g / (1 - s_h) to L_g / (1 + s_h),   Q random and orthogonal
 *   M = U diag(s) V',        s_k in equal ratios from C_gxy / (1 + s_c) to a tenth of it,          U, V random and orthonormal
 *   a = C_fy / ((1 + s_f) sqrt(lower_dim)),   c, d, r standard normal,   x_0 = r + start * (a random direction)
 *
 * so that every draw of the noise keeps mu_g <= H_zeta <= L_g, |M_zeta| <= C_gxy and |grad_y f| <=
 * C_fy. */
#include "core/sized.h"
#include "problems/quadratic_internal.h"

#include <math.h>
#include <string.h>

#include <sustain/random.h>

#include "core/context_internal.h"
#include "core/parameter_internal.h"

typedef sustain__quadratic quadratic;

static void normals(const quadratic *q, uint32_t stream, int64_t row, int64_t n, double *out) {
    for (int64_t i = 0; i < n; i++) out[i] = sustain_random_normal((uint64_t)q->options.seed, stream, (uint64_t)row, (uint32_t)i);
}

/* rows (k, n), k <= n, orthonormal: Gram and Schmidt on random vectors, twice, which is enough for
 * rounding. */
static void orthonormal(const quadratic *q, uint32_t stream, int64_t k, int64_t n, double *rows) {
    for (int64_t j = 0; j < k; j++) {
        double *row = rows + j * n;
        normals(q, stream, j, n, row);
        for (int pass = 0; pass < 2; pass++) {
            for (int64_t i = 0; i < j; i++) add(n, -dot(n, rows + i * n, row), rows + i * n, row);
            const double norm = sqrt(dot(n, row, row));
            for (int64_t i = 0; i < n; i++) row[i] /= norm;
        }
    }
}

/* Step j of `count` from `first` to `last`, in equal ratios; the middle where there is one step
 * only. */
static double geometric(double first, double last, int64_t j, int64_t count) {
    if (count == 1) return sqrt(first * last);
    if (j == 0 || j == count - 1) return j == 0 ? first : last;
    return first * pow(last / first, (double)j / (double)(count - 1));
}

static void make_matrices(quadratic *q, double *scratch) {
    const sustain_quadratic_options *o = &q->options;
    const int64_t m = q->m, n = q->n, rank = m < n ? m : n;
    const double largest = o->C_gxy / (1 + o->noise_cross);
    double *U = scratch, *V = U + rank * m; /* (rank, m), (rank, n) */

    for (int64_t j = 0; j < n; j++) q->lambda[j] = geometric(o->mu_g / (1 - o->noise_hess), o->L_g / (1 + o->noise_hess), j, n);
    orthonormal(q, MAKE_Q, n, n, q->Q);
    orthonormal(q, MAKE_U, rank, m, U);
    orthonormal(q, MAKE_V, rank, n, V);
    for (int64_t k = 0; k < rank; k++) {
        const double singular = rank == 1 ? largest : largest * geometric(1, 0.1, k, rank);
        for (int64_t i = 0; i < m; i++) add(n, singular * U[k * m + i], V + k * n, q->M + i * n);
    }

    /* P = A^{-1} M' = sum_j q_j (M q_j)' / lambda_j */
    double *image = scratch; /* (m) */
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < m; i++) image[i] = dot(n, q->M + i * n, q->Q + j * n) / q->lambda[j];
        for (int64_t k = 0; k < n; k++) add(m, q->Q[j * n + k], image, q->P + k * m);
    }
}

static void make_vectors(quadratic *q, double *scratch) {
    const int64_t m = q->m, n = q->n;
    double *away = scratch; /* (m) */
    normals(q, MAKE_C, 0, n, q->c);
    normals(q, MAKE_D, 0, n, q->d);
    normals(q, MAKE_R, 0, m, q->r);
    for (int64_t j = 0; j < n; j++) add(n, dot(n, q->Q + j * n, q->c) / q->lambda[j], q->Q + j * n, q->y_c);
    sustain_quadratic_lower(&q->problem, q->r, q->y_tilde);
    for (int64_t j = 0; j < n; j++) q->w_tilde[j] = dot(n, q->Q + j * n, q->y_tilde);
    for (int64_t i = 0; i < m; i++) add(n, q->r[i], q->M + i * n, q->b_tilde);

    normals(q, MAKE_START, 0, m, away);
    const double scale = q->options.start / sqrt(dot(m, away, away));
    for (int64_t i = 0; i < m; i++) q->x_0[i] = (double)(sustain_real)(q->r[i] + scale * away[i]);
}

/* out (n) <- E u_j^2, exact for a finite sum: the theory's constants are those of the sum, not of
 * what it was drawn from. */
static void mean_squares(const quadratic *q, uint32_t source, int64_t n, double *out) {
    const int64_t pairs = q->options.samples / 2;
    for (int64_t i = 0; i < n; i++) out[i] = pairs > 0 ? 0 : source == NOISE_GAUSS ? 1 : 1.0 / 3;
    for (int64_t t = 0; t < pairs; t++)
        for (int64_t i = 0; i < n; i += 2) {
            double pair[2];
            sustain__quadratic_pair((uint64_t)q->options.seed, (uint64_t)t, source, i / 2, pair);
            out[i] += pair[0] * pair[0] / (double)pairs;
            if (i + 1 < n) out[i + 1] += pair[1] * pair[1] / (double)pairs;
        }
}

/* The standard deviations. The noise of grad_y g has three parts,
 *
 *   |Q diag(s_h lambda_j u_j) Q'(y - y~)| <= s_h max_j(lambda_j |u_j|) radius,   |s_c u M'(x - x~)| <= s_c |u| |M| radius,   s_g |n|,
 *
 * with |.| over the draws the root mean square. They are independent in a stream; in a finite sum
 * they may happen to point the same way, so there they add up (Minkowski). */
static void make_deviations(quadratic *q, double *scratch) {
    const sustain_quadratic_options *o = &q->options;
    const double norm_M = o->C_gxy / (1 + o->noise_cross);
    double *squares = scratch, all_f = 0, all_gauss = 0, most_hess = 0, cross; /* (n) */
    mean_squares(q, NOISE_F, q->n, squares);
    for (int64_t j = 0; j < q->n; j++) all_f += squares[j];
    mean_squares(q, NOISE_GAUSS, q->n, squares);
    for (int64_t j = 0; j < q->n; j++) all_gauss += squares[j] / (double)q->n;
    mean_squares(q, NOISE_HESS, q->n, squares);
    for (int64_t j = 0; j < q->n; j++) most_hess = fmax(most_hess, q->lambda[j] * sqrt(squares[j]));
    mean_squares(q, NOISE_CROSS, 1, &cross);

    const double part_hess = o->noise_hess * most_hess * o->radius, part_gauss = o->noise_g * sqrt(all_gauss);
    q->known.sigma_fx = 0;
    q->known.sigma_fy = q->a * o->noise_f * sqrt(all_f);
    if (o->phi == SUSTAIN_PHI_SQUARE && o->noise_f > 0) q->known.sigma_fy = (double)INFINITY;
    q->known.sigma_gxy = o->noise_cross * norm_M * sqrt(cross);
    const double part_cross = q->known.sigma_gxy * o->radius;
    if (o->samples > 0)
        q->known.sigma_g = part_hess + part_cross + part_gauss;
    else
        q->known.sigma_g = sqrt(part_hess * part_hess + part_cross * part_cross + part_gauss * part_gauss);
}

/* Every constant holds for every draw. L_g bounds H_zeta, as eq. (7) and the contraction of y need;
 * Assumption 2(ii) asks more, that grad_y g is L_g-Lipschitz in x and y. The proofs use that one
 * argument at a time (Lemma on e^g, step (f)), or as L_g (|dx| + |dy|); both hold as C_gxy <= L_g,
 * which check() demands. sigma_f is left to the theory, which bounds it. */
static void make_constants(quadratic *q, double *scratch) {
    const sustain_quadratic_options *o = &q->options;
    const bool convex = o->wave <= o->curvature;
    double *y = scratch; /* (n) */
    q->known = sustain_constants_unknown();
    q->known.mu_g = o->mu_g;
    q->known.L_g = o->L_g;
    q->known.L_fx = o->curvature + o->wave;
    q->known.L_fy = o->phi == SUSTAIN_PHI_LINEAR ? 0 : q->a * (1 + o->noise_f);
    q->known.C_fy = o->phi == SUSTAIN_PHI_SQUARE ? (double)INFINITY : o->C_fy;
    q->known.L_gxy = q->known.L_gyy = 0;
    q->known.C_gxy = o->C_gxy;
    make_deviations(q, scratch);

    sustain_quadratic_lower(&q->problem, q->x_0, y);
    q->known.distance = sqrt(dot(q->n, y, y));
    for (int64_t i = 0; i < q->m; i++) q->x_min[i] = (double)NAN;
    q->minimum = (double)NAN;
    if (!convex) return;
    sustain__quadratic_minimize(q, scratch);
    /* y* is affine in x and phi convex: f(., y*(.)) adds nothing negative */
    q->known.mu_f = o->curvature - o->wave;
    const double gap = sustain_quadratic_value(&q->problem, q->x_0, NULL) - q->minimum;
    q->known.gap = gap < 0 ? 0 : gap; /* NAN stays */
}

/* One block, carved. */
static sustain_status carve(quadratic *q) {
    const int64_t m = q->m, n = q->n;
    struct {
        double **view;
        int64_t size;
    } views[] = {{&q->lambda, n},  {&q->Q, n * n},   {&q->M, m * n},   {&q->P, n * m}, {&q->c, n},   {&q->d, n},    {&q->y_c, n},
                 {&q->y_tilde, n}, {&q->w_tilde, n}, {&q->b_tilde, n}, {&q->r, m},     {&q->x_0, m}, {&q->x_min, m}};
    const int count = (int)(sizeof views / sizeof *views);
    size_t size = 0;
    for (int i = 0; i < count; i++) size += (size_t)views[i].size;
    SUSTAIN_TRY(sustain__allocate(q->context, size * sizeof(double), &q->memory));
    double *at = q->memory;
    for (int i = 0; i < count; i++) *views[i].view = at, at += views[i].size;
    return SUSTAIN_OK;
}

static sustain_status make(quadratic *q) {
    const sustain_quadratic_options *o = &q->options;
    const int64_t m = q->m = o->upper_dim, n = q->n = o->lower_dim;
    q->a = o->C_fy / ((1 + o->noise_f) * sqrt((double)n));
    q->problem = (sustain_problem){.ops = &sustain__quadratic_ops,
                                   .self = q,
                                   .upper_dim = m,
                                   .lower_dim = n,
                                   .samples = {o->samples, o->samples},
                                   .has_expectation = true,
                                   .known = &q->known};
    SUSTAIN_TRY(carve(q));
    double *scratch; /* room for U and V, and for Newton's matrix and vectors */
    SUSTAIN_TRY(sustain__allocate(q->context, (size_t)((m + 4) * (m + n)) * sizeof *scratch, &scratch));
    make_matrices(q, scratch);
    make_vectors(q, scratch);
    make_constants(q, scratch);
    sustain__free(q->context, scratch);
    return SUSTAIN_OK;
}

/* ---- options ---- */

#define ROW(member, type, initial, least, most, choices, help) \
    { #member, SUSTAIN_PARAMETER_##type, offsetof(sustain_quadratic_options, member), initial, least, most, choices, help }

static const sustain_parameter table[] = {
    ROW(upper_dim, INTEGER, 10, 1, 1000, NULL, "the dimension of x; the matrices are dense"),
    ROW(lower_dim, INTEGER, 10, 1, 1000, NULL, "the dimension of y"),
    ROW(samples, INTEGER, 0, 0, 1e7, NULL, "0 for a stream, else the even number of samples at each level"),
    ROW(mu_g, NUMBER, 1, 1e-6, 1e6, NULL, "the least eigenvalue that a draw's Hessian may have"),
    ROW(L_g, NUMBER, 4, 1e-6, 1e6, NULL, "the largest eigenvalue that a draw's Hessian may have"),
    ROW(C_gxy, NUMBER, 1, 0, 1e6, NULL, "the largest norm that a draw's cross block may have; at most L_g"),
    ROW(C_fy, NUMBER, 1, 0, 1e6, NULL, "the largest norm that a draw's grad_y f may have"),
    ROW(phi, CHOICE, SUSTAIN_PHI_SQRT, 0, 2, "linear|sqrt|square", "how the upper level depends on y; square has no bound C_fy"),
    ROW(curvature, NUMBER, 1, 1e-6, 1e6, NULL, "of p(x) = curvature/2 |x - r|^2 + wave sum cos(x_i)"),
    ROW(wave, NUMBER, 0, 0, 1e6, NULL, "the height of the cosines; above curvature the problem is not convex"),
    ROW(noise_f, NUMBER, 0.1, 0, 0.999, NULL, "the relative noise of grad_y f"),
    ROW(noise_g, NUMBER, 0.1, 0, 1e6, NULL, "the Gaussian noise of grad_y g: its standard deviation, all components together"),
    ROW(noise_hess, NUMBER, 0.1, 0, 0.999, NULL, "the relative noise of the Hessian's eigenvalues"),
    ROW(noise_cross, NUMBER, 0.1, 0, 0.999, NULL, "the relative noise of the cross block"),
    ROW(start, NUMBER, 1, 0, 1e6, NULL, "how far x_0 is from r"),
    ROW(radius, NUMBER, 10, 0, 1e9, NULL, "the constant sigma_g holds so far around (r, y*(r))"),
    ROW(seed, INTEGER, 1, 0, 0x1p53, NULL, "of the matrices and vectors, and of a finite sum's noise"),
};

enum { COUNT = sizeof table / sizeof *table };

const sustain_parameter *sustain_quadratic_table(int *count) {
    if (count != NULL) *count = COUNT;
    return table;
}

static sustain_quadratic_options default_options(void) {
    sustain_quadratic_options options;
    memset(&options, 0, sizeof options);
    sustain_parameters_reset(table, COUNT, &options);
    return options;
}

void sustain_quadratic_defaults_for(size_t size, sustain_quadratic_options *options) {
    const sustain_quadratic_options defaults = default_options();
    sustain__sized_fill(options, size, &defaults, sizeof defaults);
}

static sustain_status check(sustain_context *context, const sustain_quadratic_options *o) {
    SUSTAIN_TRY(sustain__parameters_check(context, table, COUNT, o));
    if (o->samples % 2 != 0)
        return sustain__fail(context, SUSTAIN_PARAMETER, "samples = %lld is odd: samples come in pairs of opposite noise",
                             (long long)o->samples);
    const double least = o->mu_g / (1 - o->noise_hess), most = o->L_g / (1 + o->noise_hess);
    if (!(least <= most))
        return sustain__fail(
            context, SUSTAIN_PARAMETER,
            "mu_g / (1 - noise_hess) = %g is above L_g / (1 + noise_hess) = %g: no spectrum keeps every draw within mu_g and L_g", least,
            most);
    if (!(o->C_gxy <= o->L_g))
        return sustain__fail(context, SUSTAIN_PARAMETER,
                             "C_gxy = %g is above L_g = %g, which must bound the change of grad_y g with x as well", o->C_gxy, o->L_g);
    return SUSTAIN_OK;
}

sustain_status sustain_quadratic_create(sustain_context *context, const sustain_quadratic_options *options, sustain_problem **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    sustain_quadratic_options given = default_options();
    SUSTAIN_TRY(
        sustain__sized_take(context, "the options", options, SUSTAIN__SIZE_THROUGH(sustain_quadratic_options, seed), &given, sizeof given));
    SUSTAIN_TRY(check(context, &given));
    quadratic *q;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *q, &q));
    q->context = context;
    q->options = given;
    const sustain_status status = make(q);
    if (status == SUSTAIN_OK)
        *out = &q->problem;
    else
        sustain_quadratic_destroy(&q->problem);
    return status;
}

void sustain_quadratic_destroy(sustain_problem *problem) {
    if (problem == NULL) return;
    quadratic *q = (quadratic *)problem;
    sustain__free(q->context, q->memory);
    sustain__free(q->context, q);
}

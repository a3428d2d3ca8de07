/* backbone.c - the passes through the four blocks: values, gradient, tangent, tangent of the
 * gradient.
 *
 * For one channel of one group of pictures: z are the N outputs of the convolution, s is the
 * scale, t is the shift.
 *
 *   m = mean z,   i = 1 / sqrt(mean (z - m)^2 + eps),   zhat = i (z - m),
 *   out = max(0, s zhat + t) at the picked positions
 *
 * Gradient. d is the derivative with respect to out where out > 0, else 0; D = sum d, E = sum d
 * zhat.
 *
 *   ds = E,   dt = D,   dz = s i (d - D/N - zhat E/N)
 *
 * Tangent along z', s', t'. m' = mean z', q = mean zhat z', i' = -i^2 q.
 *
 *   zhat' = i (z' - m' - zhat q),   out' = s' zhat + s zhat' + t' where out > 0
 *
 * Tangent of the gradient, with d moving along d'. P = (s i)' = i (s' - s i q), D' = sum d', E'
 * = sum d' zhat + d zhat'.
 *
 *   ds' = E',   dt' = D',   dz' = P (d - D/N - zhat E/N) + s i (d' - D'/N - zhat' E/N - zhat E'/N)
 *
 * All of these are linear in z, z', d, d' and 1. The coefficients are computed here, in double;
 * the primitives of layers.h apply them. The convolution is bilinear, z' = conv(in', W) +
 * conv(in, W'), and so are its gradients. Names of tangents end in t. */
#include "nn/maps.h"

#include <math.h>
#include <string.h>

#include "core/vector.h"

typedef sustain__backbone backbone;
typedef sustain__block block;
typedef sustain__statistic statistic;

static const double EPS = 1e-5; /* as in PyTorch */

/* ---- pictures by chunks, and by groups ---- */

/* A range of consecutive pictures of one group. */
typedef struct part {
    int64_t first, n, group;
} part;

/* Advances to the next range before `end`; false after the last. Start with {first, 0, 0}. */
static bool next(const backbone *b, int64_t end, part *p) {
    p->first += p->n;
    if (p->first >= end) return false;
    while (b->group[p->group + 1] <= p->first) p->group++;
    const int64_t last = b->group[p->group + 1];
    p->n = (last < end ? last : end) - p->first;
    return true;
}

static int64_t all(const backbone *b) {
    return b->group[b->groups];
}

/* Number of pictures in the chunk that begins at `first`; 0 at the end, or when the work is to
 * stop. */
static int64_t chunk(const backbone *b, int l, int64_t first) {
    if (b->stop != NULL && b->stop(b->stop_user)) return 0;
    const int64_t most = b->kind->chunk(b->layers, l), left = all(b) - first;
    return left < most ? left : most;
}

static double places(const block *k, const part *p) {
    return (double)(p->n * k->shape.height * k->shape.width);
}

static const sustain_real *input_of(const backbone *b, int l) {
    return l == 0 ? b->input : b->block[l - 1].out;
}

static sustain_real *z_at(const backbone *b, const block *k, int64_t first) {
    return b->order > 0 ? k->z + first * k->z_size : k->z;
}

static double *sums_of(const backbone *b, int64_t group) {
    return b->sums + group * 6 * b->stride;
}

static void clear_sums(backbone *b) {
    memset(b->sums, 0, (size_t)(b->groups * 6 * b->stride) * sizeof *b->sums);
}

/* ---- values ---- */

static void find_statistics(backbone *b, const block *k, const part *p) {
    const double N = places(k, p), *sums = sums_of(b, p->group);
    for (int64_t j = 0; j < k->shape.out; j++) {
        const double mean = sums[j] / N, variance = sums[b->stride + j] / N - mean * mean;
        k->statistics[p->group * b->stride + j] =
            (statistic){.mean = (sustain_real)mean, .inverse = (sustain_real)(1 / sqrt(fmax(variance, 0) + EPS))};
    }
}

static void rectify(backbone *b, int l, const sustain_real *x, const part *p) {
    const block *k = &b->block[l];
    for (int64_t j = 0; j < k->shape.out; j++) {
        const statistic *v = &k->statistics[p->group * b->stride + j];
        const double a = (double)x[k->scale + j] * (double)v->inverse;
        b->c[j] = (sustain_real)a;
        b->c[b->stride + j] = (sustain_real)((double)x[k->shift + j] - a * (double)v->mean);
    }
    const int64_t at = p->first * k->out_size;
    b->kind->rectify(b->layers, l, p->n, k->picked + at, b->c, k->out + at);
}

/* `given`: use the statistics that are already stored. */
static void forward_block(backbone *b, int l, const sustain_real *x, bool given) {
    const block *k = &b->block[l];
    for (int64_t j = 0; j < k->shape.out; j++) b->c[j] = (sustain_real)((x[k->scale + j] > 0) - (x[k->scale + j] < 0));
    clear_sums(b);
    for (int64_t first = 0, n; (n = chunk(b, l, first)) > 0; first += n) {
        sustain_real *z = z_at(b, k, first);
        b->kind->conv(b->layers, l, n, input_of(b, l) + first * k->in_size, x + k->weight, false, z);
        for (part p = {first, 0, 0}; next(b, first + n, &p);)
            b->kind->pool(b->layers, l, p.n, z + (p.first - first) * k->z_size, b->c, k->chosen + p.first * k->out_size,
                          k->picked + p.first * k->out_size, sums_of(b, p.group));
    }
    for (part p = {0, 0, 0}; next(b, all(b), &p);) {
        if (!given) find_statistics(b, k, &p);
        rectify(b, l, x, &p);
    }
}

static void load(backbone *b, const uint8_t *const *pictures, int64_t count) {
    const sustain__net *net = &b->net;
    const int64_t size = net->channels * net->height * net->width;
    const sustain_real scale = (sustain_real)net->pixel_scale, shift = (sustain_real)net->pixel_shift;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < size; j++) b->input[i * size + j] = (sustain_real)pictures[i][j] * scale + shift;
}

static void set_groups(backbone *b, const int64_t *group, int64_t groups) {
    memcpy(b->group, group, (size_t)(groups + 1) * sizeof *group);
    b->groups = groups;
}

static void forward(backbone *b, const sustain_real *x, bool given, sustain_real *features) {
    const int last = SUSTAIN__BLOCKS - 1;
    for (int l = 0; l <= last; l++) forward_block(b, l, x, given);
    b->kind->to_rows(b->layers, last, all(b), b->block[last].out, features);
}

void sustain__backbone_forward(backbone *b, const sustain_real *x, const uint8_t *const *pictures, int64_t count, const int64_t *group,
                               int64_t groups, sustain_real *features) {
    load(b, pictures, count);
    set_groups(b, group, groups);
    forward(b, x, false, features);
}

void sustain__backbone_stop_if(backbone *b, bool (*stop)(void *user), void *user) {
    b->stop = stop;
    b->stop_user = user;
}

void sustain__backbone_statistics(const backbone *b, int64_t g, sustain_real *statistics) {
    for (int l = 0; l < SUSTAIN__BLOCKS; l++)
        for (int64_t j = 0; j < b->net.filters; j++) {
            const statistic *v = &b->block[l].statistics[g * b->stride + j];
            statistics[(2 * l) * b->net.filters + j] = v->mean;
            statistics[(2 * l + 1) * b->net.filters + j] = v->inverse;
        }
}

void sustain__backbone_features_with(backbone *b, const sustain_real *x, const sustain_real *statistics, const uint8_t *const *pictures,
                                     int64_t count, sustain_real *features) {
    static const int64_t alone[2] = {0, 1};
    set_groups(b, alone, 1);
    for (int l = 0; l < SUSTAIN__BLOCKS; l++)
        for (int64_t j = 0; j < b->net.filters; j++)
            b->block[l].statistics[j] =
                (statistic){.mean = statistics[(2 * l) * b->net.filters + j], .inverse = statistics[(2 * l + 1) * b->net.filters + j]};
    for (int64_t i = 0; i < count; i++) {
        load(b, pictures + i, 1);
        forward(b, x, true, features + i * sustain__net_features(&b->net));
    }
}

/* ---- gradient ---- */

/* Derivatives of scale and shift, D and E, from the sums of d and of d z. */
typedef struct scale_shift {
    double E, D;
} scale_shift;

static scale_shift sums_over(const statistic *v, double d, double dz) {
    return (scale_shift){.E = (double)v->inverse * (dz - (double)v->mean * d), .D = d};
}

/* c of spread(): dz = s i (d - D/N - zhat E/N) */
static void gradient_coefficients(const statistic *v, double s, double N, scale_shift g, int64_t stride, sustain_real *c) {
    const double a = s * (double)v->inverse, of_z = -a * (double)v->inverse * g.E / N;
    c[0] = (sustain_real)of_z;
    c[stride] = (sustain_real)(-a * g.D / N - of_z * (double)v->mean);
    c[2 * stride] = (sustain_real)a;
}

static void add_to(sustain_real *sum, double number) {
    *sum = (sustain_real)((double)*sum + number);
}

/* Sums of d over group p, coefficients from them, derivatives of scale and shift. */
static void prepare_gradient(backbone *b, int l, const sustain_real *x, const part *p, sustain_real *gradient) {
    const block *k = &b->block[l];
    const int64_t at = p->first * k->out_size;
    double *sums = sums_of(b, p->group);
    b->kind->alive_sums(b->layers, l, p->n, k->out + at, k->d + at, k->picked + at, sums);
    for (int64_t j = 0; j < k->shape.out; j++) {
        const statistic *v = &k->statistics[p->group * b->stride + j];
        const scale_shift g = sums_over(v, sums[j], sums[b->stride + j]);
        gradient_coefficients(v, (double)x[k->scale + j], places(k, p), g, b->stride, b->c + p->group * 3 * b->stride + j);
        add_to(&gradient[k->scale + j], g.E);
        add_to(&gradient[k->shift + j], g.D);
    }
}

static void spread(backbone *b, int l, int64_t first, int64_t n) {
    const block *k = &b->block[l];
    for (part p = {first, 0, 0}; next(b, first + n, &p);) {
        const int64_t at = p.first * k->out_size;
        b->kind->spread(b->layers, l, p.n, k->z + p.first * k->z_size, k->chosen + at, k->out + at, k->d + at,
                        b->c + p.group * 3 * b->stride, b->dz + (p.first - first) * k->z_size);
    }
}

static void gradient_block(backbone *b, int l, const sustain_real *x, sustain_real *gradient) {
    const block *k = &b->block[l];
    clear_sums(b);
    for (part p = {0, 0, 0}; next(b, all(b), &p);) prepare_gradient(b, l, x, &p, gradient);
    for (int64_t first = 0, n; (n = chunk(b, l, first)) > 0; first += n) {
        spread(b, l, first, n);
        b->kind->conv_weights(b->layers, l, n, input_of(b, l) + first * k->in_size, b->dz, gradient + k->weight);
        if (l > 0) b->kind->conv_data(b->layers, l, n, b->dz, x + k->weight, false, b->block[l - 1].d + first * k->in_size);
    }
}

void sustain__backbone_gradient(backbone *b, const sustain_real *x, const sustain_real *d_features, bool add, sustain_real *gradient) {
    const int last = SUSTAIN__BLOCKS - 1;
    if (!add) sustain__zero(sustain__net_dim(&b->net), gradient);
    b->kind->from_rows(b->layers, last, all(b), d_features, b->block[last].d);
    for (int l = last; l >= 0; l--) gradient_block(b, l, x, gradient);
}

/* ---- tangent ---- */

/* c of rectify_tangent(): out' = s' zhat + s zhat' + t' = s i z' + P z + (t' - s i m' - P m) */
static void rectify_tangent(backbone *b, int l, const sustain_real *x, const sustain_real *u, const part *p) {
    const block *k = &b->block[l];
    const double N = places(k, p), *sums = sums_of(b, p->group);
    for (int64_t j = 0; j < k->shape.out; j++) {
        statistic *v = &k->statistics[p->group * b->stride + j];
        const double i = (double)v->inverse, m = (double)v->mean, a = (double)x[k->scale + j] * i;
        v->mean_t = sums[j] / N;
        v->slope = i * (sums[b->stride + j] / N - m * v->mean_t);
        const double P = i * ((double)u[k->scale + j] - a * v->slope);
        b->c[j] = (sustain_real)a;
        b->c[b->stride + j] = (sustain_real)P;
        b->c[2 * b->stride + j] = (sustain_real)((double)u[k->shift + j] - a * v->mean_t - P * m);
    }
    const int64_t at = p->first * k->out_size;
    b->kind->rectify_tangent(b->layers, l, p->n, k->out + at, k->picked + at, k->picked_t + at, b->c, k->outt + at);
}

static void tangent_block(backbone *b, int l, const sustain_real *x, const sustain_real *u) {
    const block *k = &b->block[l];
    clear_sums(b);
    for (int64_t first = 0, n; (n = chunk(b, l, first)) > 0; first += n) {
        const int64_t in = first * k->in_size;
        sustain_real *zt = k->zt + first * k->z_size;
        b->kind->conv(b->layers, l, n, input_of(b, l) + in, u + k->weight, false, zt);
        /* the pictures are constant */
        if (l > 0) b->kind->conv(b->layers, l, n, b->block[l - 1].outt + in, x + k->weight, true, zt);
        for (part p = {first, 0, 0}; next(b, first + n, &p);)
            b->kind->pick(b->layers, l, p.n, k->z + p.first * k->z_size, k->zt + p.first * k->z_size, k->chosen + p.first * k->out_size,
                          k->picked_t + p.first * k->out_size, sums_of(b, p.group));
    }
    for (part p = {0, 0, 0}; next(b, all(b), &p);) rectify_tangent(b, l, x, u, &p);
}

void sustain__backbone_tangent(backbone *b, const sustain_real *x, const sustain_real *u, sustain_real *features_t) {
    const int last = SUSTAIN__BLOCKS - 1;
    for (int l = 0; l <= last; l++) tangent_block(b, l, x, u);
    b->kind->to_rows(b->layers, last, all(b), b->block[last].outt, features_t);
}

/* ---- tangent of the gradient ---- */

/* c of spread_tangent(). */
static void tangent_coefficients(const statistic *v, double s, double st, double N, scale_shift g, scale_shift gt, int64_t stride,
                                 sustain_real *c) {
    const double i = (double)v->inverse, a = s * i, P = i * (st - a * v->slope);
    const double of_zt = -a * i * g.E / N, of_zhat = -P * g.E / N - of_zt * v->slope - a * gt.E / N, of_z = of_zhat * i;
    c[0] = (sustain_real)of_z;
    c[stride] = (sustain_real)(-P * g.D / N - a * gt.D / N - of_zt * v->mean_t - of_z * (double)v->mean);
    c[2 * stride] = (sustain_real)of_zt;
    c[3 * stride] = (sustain_real)P;
    c[4 * stride] = (sustain_real)a;
}

static void prepare_gradient_tangent(backbone *b, int l, const sustain_real *x, const sustain_real *u, const part *p,
                                     sustain_real *gradient_t) {
    const block *k = &b->block[l];
    const int64_t at = p->first * k->out_size;
    double *of_d = sums_of(b, p->group), *of_dt = of_d + 2 * b->stride, *of_d_zt = of_d + 4 * b->stride;
    b->kind->alive_sums(b->layers, l, p->n, k->out + at, k->d + at, k->picked + at, of_d);
    b->kind->alive_sums(b->layers, l, p->n, k->out + at, k->dt + at, k->picked + at, of_dt);
    b->kind->alive_sums(b->layers, l, p->n, k->out + at, k->d + at, k->picked_t + at, of_d_zt);
    for (int64_t j = 0; j < k->shape.out; j++) {
        const statistic *v = &k->statistics[p->group * b->stride + j];
        const double s = (double)x[k->scale + j], N = places(k, p);
        const scale_shift g = sums_over(v, of_d[j], of_d[b->stride + j]);
        scale_shift gt = sums_over(v, of_dt[j], of_dt[b->stride + j]);
        /* sum of d zhat' */
        gt.E += (double)v->inverse * (of_d_zt[b->stride + j] - v->mean_t * g.D - v->slope * g.E);
        gradient_coefficients(v, s, N, g, b->stride, b->c + p->group * 3 * b->stride + j);
        tangent_coefficients(v, s, (double)u[k->scale + j], N, g, gt, b->stride, b->ct + p->group * 5 * b->stride + j);
        add_to(&gradient_t[k->scale + j], gt.E);
        add_to(&gradient_t[k->shift + j], gt.D);
    }
}

static void spread_tangent(backbone *b, int l, int64_t first, int64_t n) {
    const block *k = &b->block[l];
    for (part p = {first, 0, 0}; next(b, first + n, &p);) {
        const int64_t at = p.first * k->out_size, z = p.first * k->z_size;
        b->kind->spread_tangent(b->layers, l, p.n, k->z + z, k->zt + z, k->chosen + at, k->out + at, k->d + at, k->dt + at,
                                b->ct + p.group * 5 * b->stride, b->dzt + (p.first - first) * k->z_size);
    }
}

static void gradient_tangent_block(backbone *b, int l, const sustain_real *x, const sustain_real *u, sustain_real *gradient_t) {
    const sustain__layers_kind *kind = b->kind;
    const block *k = &b->block[l];
    clear_sums(b);
    for (part p = {0, 0, 0}; next(b, all(b), &p);) prepare_gradient_tangent(b, l, x, u, &p, gradient_t);
    for (int64_t first = 0, n; (n = chunk(b, l, first)) > 0; first += n) {
        const int64_t in = first * k->in_size;
        spread_tangent(b, l, first, n);
        kind->conv_weights(b->layers, l, n, input_of(b, l) + in, b->dzt, gradient_t + k->weight);
        if (l == 0) continue; /* the pictures are constant and need no gradient */
        spread(b, l, first, n);
        kind->conv_weights(b->layers, l, n, b->block[l - 1].outt + in, b->dz, gradient_t + k->weight);
        kind->conv_data(b->layers, l, n, b->dz, x + k->weight, false, b->block[l - 1].d + in);
        kind->conv_data(b->layers, l, n, b->dzt, x + k->weight, false, b->block[l - 1].dt + in);
        kind->conv_data(b->layers, l, n, b->dz, u + k->weight, true, b->block[l - 1].dt + in);
    }
}

void sustain__backbone_gradient_tangent(backbone *b, const sustain_real *x, const sustain_real *u, const sustain_real *d_features,
                                        const sustain_real *d_features_t, bool add, sustain_real *gradient_t) {
    const int last = SUSTAIN__BLOCKS - 1;
    if (!add) sustain__zero(sustain__net_dim(&b->net), gradient_t);
    b->kind->from_rows(b->layers, last, all(b), d_features, b->block[last].d);
    b->kind->from_rows(b->layers, last, all(b), d_features_t, b->block[last].dt);
    for (int l = last; l >= 0; l--) gradient_tangent_block(b, l, x, u, gradient_t);
}

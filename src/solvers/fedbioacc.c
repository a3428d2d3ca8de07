/* fedbioacc.c - FedBiOAcc: SUSTAIN's momentum on y, v and x with local steps between sums.
 *
 * Samples are dealt out to M clients, in ranges of neighbours. With u = (x, y, v) and D^m the
 * directions (directions.h) of a draw of client m's samples, each client computes
 *
 *   u^m_{t+1} = u^m_t - (alpha_t, beta_t, beta_t) h^m_t,      v into the ball of radius R
 *   h^m_{t+1} = D^m(u^m_{t+1};xi_{t+1}) + (1-eta_{t+1})(h^m_t - D^m(u^m_t;xi_{t+1})),      h^m_0 = D^m(u_0;xi_0)
 *
 * and wherever t+1 is a multiple of I the clients' u_{t+1}, and then their h_{t+1}, are replaced by
 * the means over all of them: two sums in I iterations.            Algorithm 1
 *
 * An iteration of this solver is such a round: at its end all clients are at the same point. The
 * processes of a run share the clients (core/share.h); means are taken in the order of the clients.
 * The steps are SUSTAIN's: alpha_t ~ t^(-1/3), eta_t ~ alpha_t^2. Differs: v has the step of y.
 * Li, Huang, Huang, NeurIPS 2023 (arXiv 2302.06701). */
#include <math.h>
#include <string.h>

#include "core/share.h"
#include "core/vector.h"
#include "solvers/directions.h"
#include "solvers/parts.h"

enum { MOST_CLIENTS = 256, POINTS = 3 };

/* What a client has that others need. */
typedef struct client {
    sustain__triple u, before, h; /* u^m_{t+1}, u^m_t, h^m_t */
    sustain_counts counts;        /* of its calls in this round */
    sustain_status status;
} client;

typedef struct fedbioacc {
    struct sustain_solver base;
    int64_t clients, local_steps;
    double radius, R;

    /* state: what all clients have in common at the end of a round, beside x and y */
    sustain_real *v;
    sustain__triple h;

    /* of one iteration */
    client *client; /* (clients) */
    sustain__triple u, D, D_prev;
    sustain_real *fy, *cross;
    int64_t *index;        /* (2, batch) */
    sustain_problem part;  /* the problem with the samples of one client */
    sustain_real *vectors; /* (clients, 3, x and y and v) */
} fedbioacc;

/* ---- one client ---- */

/* The samples that it has at a level: count of them, from `first` on; streams have no count. */
static sustain__range samples_of(const fedbioacc *s, int64_t m, sustain_level level) {
    const int64_t n = s->base.problem->samples[level];
    return (sustain__range){n * m / s->clients, n * (m + 1) / s->clients};
}

static sustain_batch draw(fedbioacc *s, int64_t m, sustain_level level, uint32_t stream, int64_t t, int64_t *index) {
    const sustain__range own = samples_of(s, m, level);
    const uint64_t seed = s->base.sampler.seed;
    sustain__sampler sampler = s->base.sampler;
    s->part = *s->base.problem;
    s->part.samples[level] = own.end - own.begin;
    sampler.problem = &s->part;
    sampler.seed = m == 0 ? seed : sustain_random_bits(seed, SUSTAIN__STREAM_CLIENT, (uint64_t)m, 0);
    sustain_batch batch = sustain__draw(&sampler, level, stream, t, s->base.common.batch, index);
    batch.iteration = s->base.t;
    for (int64_t j = 0; batch.index != NULL && j < batch.size; j++) index[j] += own.begin;
    return batch;
}

/* h^m_t, from h^m_{t-1}; `first`: it begins here. */
static sustain_status recur(fedbioacc *s, int64_t m, int64_t t, bool first) {
    sustain_solver *b = &s->base;
    const sustain__step_sizes at = sustain__step_sizes_of(b, t, first);
    const double keep_x = 1 - at.eta_f, keep_y = 1 - at.eta_g;
    const int64_t upper = b->problem->upper_dim, lower = b->problem->lower_dim;
    const client *c = &s->client[m];
    const sustain_batch zeta = draw(s, m, SUSTAIN_LOWER, SUSTAIN__STREAM_LOWER, t, s->index);
    const sustain_batch xi = draw(s, m, SUSTAIN_UPPER, SUSTAIN__STREAM_UPPER, t, s->index + b->common.batch);
    SUSTAIN_TRY(sustain__directions(b, &xi, &zeta, c->u, s->fy, s->cross, s->D));
    if (keep_x != 0 || keep_y != 0) SUSTAIN_TRY(sustain__directions(b, &xi, &zeta, c->before, s->fy, s->cross, s->D_prev));
    sustain__momentum(upper, keep_x, s->D.x, s->D_prev.x, c->h.x);
    sustain__momentum(lower, keep_y, s->D.y, s->D_prev.y, c->h.y);
    sustain__momentum(lower, keep_y, s->D.v, s->D_prev.v, c->h.v);
    return SUSTAIN_OK;
}

/* u^m_{t+1} */
static sustain_status move(fedbioacc *s, int64_t m, sustain__step_sizes at) {
    const int64_t upper = s->base.problem->upper_dim, lower = s->base.problem->lower_dim;
    const client *c = &s->client[m];
    sustain__move(upper, at.alpha, c->h.x, c->u.x, c->before.x);
    sustain__move(lower, at.beta, c->h.y, c->u.y, c->before.y);
    sustain__move(lower, at.beta, c->h.v, c->u.v, c->before.v);
    const double length = sustain__norm(lower, c->u.v);
    if (length > s->R) sustain__scale(lower, s->R / length, c->u.v);
    return sustain__project_x(&s->base.oracle, c->u.x);
}

static void copy(const fedbioacc *s, sustain__triple from, sustain__triple to) {
    sustain__copy(s->base.problem->upper_dim, from.x, to.x);
    sustain__copy(s->base.problem->lower_dim, from.y, to.y);
    sustain__copy(s->base.problem->lower_dim, from.v, to.v);
}

/* From the common point to u^m_{t+I}; the last h is left to the mean. */
static sustain_status first_part(fedbioacc *s, int64_t m) {
    const int64_t first = s->base.t * s->local_steps;
    copy(s, (sustain__triple){s->base.x, s->base.y, s->v}, s->client[m].u);
    copy(s, s->h, s->client[m].h);
    if (s->base.moved == 0) SUSTAIN_TRY(recur(s, m, first, true)); /* h^m_0 */
    for (int64_t t = first; t < first + s->local_steps; t++) {
        if (t > first) SUSTAIN_TRY(recur(s, m, t, false));
        SUSTAIN_TRY(move(s, m, sustain__step_sizes_of(&s->base, t, false)));
    }
    return SUSTAIN_OK;
}

/* h^m_{t+I} at the mean. */
static sustain_status second_part(fedbioacc *s, int64_t m) {
    copy(s, s->u, s->client[m].u);
    return recur(s, m, (s->base.t + 1) * s->local_steps, false);
}

/* ---- all clients ---- */

/* What a process tells the others of a client. */
typedef struct outputs {
    fedbioacc *s;
    bool momentum;
} outputs;

static void *output(void *user, int64_t m, int which, size_t *bytes) {
    const outputs *o = user;
    client *c = &o->s->client[m];
    const sustain__triple t = o->momentum ? c->h : c->u;
    const sustain_problem *p = o->s->base.problem;
    *bytes = (size_t)(which == 0 ? p->upper_dim : p->lower_dim) * sizeof(sustain_real);
    if (which < POINTS) return which == 0 ? t.x : which == 1 ? t.y : t.v;
    *bytes = which == POINTS ? sizeof c->counts : sizeof c->status;
    return which == POINTS ? (void *)&c->counts : which == POINTS + 1 ? &c->status : NULL;
}

static void mean(const fedbioacc *s, int64_t n, const sustain_real *first, sustain_real *out) {
    const int64_t stride = POINTS * (s->base.problem->upper_dim + 2 * s->base.problem->lower_dim);
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t m = 0; m < s->clients; m++) sum += (double)first[m * stride + j];
        out[j] = (sustain_real)(sum / (double)s->clients);
    }
}

static void add_counts(sustain_counts *to, const sustain_counts *c) {
    for (int level = 0; level < 2; level++) to->samples[level] += c->samples[level], to->gradients[level] += c->gradients[level];
    to->hessian_products += c->hessian_products;
    to->cross_products += c->cross_products;
}

/* Work of all clients, each by the process that has it, and the means of what it leads to. The
 * oracles of a client are this process's alone. */
static sustain_status together(fedbioacc *s, sustain_status (*work)(fedbioacc *s, int64_t m), bool momentum, sustain__triple out) {
    sustain_solver *b = &s->base;
    const sustain_communicator all = b->context->communicator;
    const sustain__range own = sustain__share_range(b->context, s->clients);
    const sustain_counts before = b->counts;
    b->context->communicator.ranks = 1;
    for (int64_t m = own.begin; m < own.end; m++) {
        client *c = &s->client[m];
        b->counts = (sustain_counts){{0}, {0}, 0, 0};
        c->status = work(s, m);
        c->counts = b->counts;
        if (c->status == SUSTAIN_CANCELLED) break;
    }
    b->context->communicator = all;
    b->counts = before;
    SUSTAIN_TRY(sustain__cancelled(b->context));
    SUSTAIN_TRY(sustain__share_outputs(b->context, s->clients, &(outputs){s, momentum}, output));
    for (int64_t m = 0; m < s->clients; m++) {
        const client *c = &s->client[m];
        add_counts(&b->counts, &c->counts);
        if (c->status == SUSTAIN_OK) continue;
        if (m >= own.begin && m < own.end) return c->status; /* its message is here */
        return sustain__fail(b->context, c->status, "client %lld, of another process: %s", (long long)m, sustain_status_text(c->status));
    }
    const client *first = &s->client[0];
    const sustain__triple from = momentum ? first->h : first->u;
    mean(s, b->problem->upper_dim, from.x, out.x);
    mean(s, b->problem->lower_dim, from.y, out.y);
    mean(s, b->problem->lower_dim, from.v, out.v);
    return SUSTAIN_OK;
}

static sustain_status step(sustain_solver *solver) {
    fedbioacc *s = (fedbioacc *)solver;
    SUSTAIN_TRY(together(s, first_part, false, s->u)); /* u_{t+I} */
    SUSTAIN_TRY(together(s, second_part, true, s->D)); /* h_{t+I} */
    copy(s, s->u, (sustain__triple){solver->x, solver->y, s->v});
    copy(s, s->D, s->h);
    sustain__set_norms(solver, s->h.x, s->h.y);
    return SUSTAIN_OK;
}

/* ---- the memory ---- */

static sustain_status prepare(sustain_solver *solver, const sustain_real *x, const sustain_real *y) {
    const fedbioacc *s = (const fedbioacc *)solver;
    (void)x, (void)y;
    for (int level = 0; level < 2; level++)
        if (solver->given->samples[level] > 0 && solver->given->samples[level] < s->clients)
            return sustain__fail(solver->context, SUSTAIN_PARAMETER, "clients = %lld is more than the %lld samples of the %s level",
                                 (long long)s->clients, (long long)solver->given->samples[level], level == 0 ? "upper" : "lower");
    return SUSTAIN_OK;
}

static void triple(sustain_solver *solver, sustain__kind kind, const char *const names[POINTS], sustain__triple *t) {
    sustain__vector(solver, kind, names[0], SUSTAIN_FIELD_REAL, solver->problem->upper_dim, &t->x);
    sustain__vector(solver, kind, names[1], SUSTAIN_FIELD_REAL, solver->problem->lower_dim, &t->y);
    sustain__vector(solver, kind, names[2], SUSTAIN_FIELD_REAL, solver->problem->lower_dim, &t->v);
}

static void layout(sustain_solver *solver) {
    fedbioacc *s = (fedbioacc *)solver;
    const int64_t upper = solver->problem->upper_dim, lower = solver->problem->lower_dim;
    sustain__vector(solver, SUSTAIN__STATE, "v", SUSTAIN_FIELD_REAL, lower, &s->v);
    triple(solver, SUSTAIN__STATE, (const char *const[]){"h_x", "h_y", "h_v"}, &s->h);
    triple(solver, SUSTAIN__SCRATCH, (const char *const[]){"u_x", "u_y", "u_v"}, &s->u);
    triple(solver, SUSTAIN__SCRATCH, (const char *const[]){"D_prev_x", "D_prev_y", "D_prev_v"}, &s->D_prev);
    sustain__directions_layout(solver, &s->D, &s->fy, &s->cross);
    sustain__vector(solver, SUSTAIN__SCRATCH, "index", SUSTAIN_FIELD_INT64, 2 * solver->common.batch, &s->index);
    const int64_t words = (int64_t)((sizeof(client) + sizeof(int64_t) - 1) / sizeof(int64_t));
    sustain__vector(solver, SUSTAIN__SCRATCH, "client", SUSTAIN_FIELD_INT64, s->clients * words, &s->client);
    sustain__vector(solver, SUSTAIN__SCRATCH, "vectors", SUSTAIN_FIELD_REAL, s->clients * POINTS * (upper + 2 * lower), &s->vectors);
}

static sustain__triple carve(const fedbioacc *s, sustain_real **at) {
    const int64_t upper = s->base.problem->upper_dim, lower = s->base.problem->lower_dim;
    const sustain__triple t = {*at, *at + upper, *at + upper + lower};
    *at += upper + 2 * lower;
    return t;
}

static void begin(sustain_solver *solver) {
    fedbioacc *s = (fedbioacc *)solver;
    sustain_real *at = s->vectors;
    s->R = sustain__ball_radius(solver, s->radius);
    for (int64_t m = 0; m < s->clients; m++) {
        client *c = &s->client[m];
        c->u = carve(s, &at), c->before = carve(s, &at), c->h = carve(s, &at);
    }
}

static double draws(const sustain_solver *solver) {
    return (double)((const fedbioacc *)solver)->local_steps;
}

/* clang-format off */
static const sustain_parameter rows[] = {
    SUSTAIN__STOCHASTIC_ROWS(1.0 / 3, -1),
    SUSTAIN__MOMENTUM_ROWS,
    {"clients", SUSTAIN_PARAMETER_INTEGER, offsetof(fedbioacc, clients), 4, 1, MOST_CLIENTS, NULL,
     "M: samples are dealt out to so many, in ranges of neighbours; processes share the clients"},
    {"local_steps", SUSTAIN_PARAMETER_INTEGER, offsetof(fedbioacc, local_steps), 8, 1, 1e6, NULL,
     "I: steps of each client in one iteration, which ends with means over all clients"},
    {"radius", SUSTAIN_PARAMETER_NUMBER, offsetof(fedbioacc, radius), 0, 0, 1e30, NULL,
     "R: v is kept in the ball of this radius; 0: C_fy/mu_g where the problem knows both, else none"},
};
/* clang-format on */

const sustain__algorithm sustain__algorithm_fedbioacc = {
    .info = {.name = "fedbioacc",
             .title = "many machines: a recursive momentum on x, y and v, local steps between sums",
             .reference = "Li, Huang, Huang: Communication-efficient federated bilevel optimization with global and local lower level "
                          "problems. NeurIPS 2023 (arXiv 2302.06701)",
             .complexity = "epsilon^(-3/2), epsilon^(-3/2)",
             .needs = SUSTAIN__NEEDS_PRODUCTS,
             SUSTAIN__PARAMETERS(rows)},
    .size = sizeof(fedbioacc),
    .tuning = {.noise = 0.3, .steady = true},
    .prepare = prepare,
    .layout = layout,
    .draws = draws,
    .begin = begin,
    .step = step,
};

/* agreement.c - checks that the optional functions of a problem agree with its plain oracles:
 * matrices, fast paths, tables. momentum.c has that of momentum_step. */
#include <math.h>
#include <string.h>

#include "check/checker.h"
#include "core/vector.h"
#include "hypergrad/neumann.h"

/* Larger matrices are not checked. */
enum { MATRIX = 1 << 24 };

/* ---- matrices ---- */

/* The matrix (rows, lower_dim) that an oracle writes, times v, against the product. */
static sustain_status compare_matrix(sustain__checker *c, bool cross, int64_t rows, sustain_real *matrix) {
    const sustain_batch *draw = c->draw[SUSTAIN_LOWER];
    const size_t size = (size_t)(rows * c->lower) * sizeof *matrix;
    uint64_t first = 0;
    for (int pass = 0; pass < 2; pass++) {
        sustain__scribble(c, pass == 0 ? 0 : 0xff);
        memset(matrix, pass == 0 ? 0 : 0xff, size);
        SUSTAIN_TRY(cross ? sustain__g_cross(&c->oracle, draw, c->x, c->y, matrix) : sustain__g_hess(&c->oracle, draw, c->x, c->y, matrix));
        const uint64_t now = sustain__fingerprint(0, matrix, size);
        if (pass == 1 && now != first) sustain__complain(c, "%s", sustain__not_pure);
        first = now;
    }
    for (int i = 0; i < DIRECTIONS; i++) {
        sustain_real *product = cross ? c->a.x : c->a.y, *own = cross ? c->b.x : c->b.y;
        sustain__checker_turn(c);
        SUSTAIN_TRY(cross ? sustain__g_cross_vec(&c->oracle, draw, c->x, c->y, c->v, product)
                          : sustain__g_hess_vec(&c->oracle, draw, c->x, c->y, c->v, product));
        for (int64_t r = 0; r < rows; r++) own[r] = (sustain_real)sustain__dot(c->lower, matrix + r * c->lower, c->v);
        sustain__compare_same(c, rows, own, product);
    }
    return SUSTAIN_OK;
}

static sustain_status check_matrix(sustain__checker *c, bool cross) {
    const int64_t rows = cross ? c->upper : c->lower;
    c->skipped = rows > MATRIX / c->lower;
    if (c->skipped) return SUSTAIN_OK;
    sustain_real *matrix;
    SUSTAIN_TRY(sustain__allocate(c->oracle.context, (size_t)(rows * c->lower) * sizeof *matrix, &matrix));
    const sustain_status status = compare_matrix(c, cross, rows, matrix);
    sustain__free(c->oracle.context, matrix);
    return status;
}

sustain_status sustain__check_g_hess(sustain__checker *c) {
    return check_matrix(c, false);
}

sustain_status sustain__check_g_cross(sustain__checker *c) {
    return check_matrix(c, true);
}

/* ---- fast paths ---- */

/* Twice: with a different byte in all memory, the answers in a and b (x or y part) must have the
 * same bits. */
static void same_bits(sustain__checker *c, int64_t n, const sustain_real *now, const sustain_real *now_prev, uint64_t *first, int pass) {
    uint64_t hash = sustain__fingerprint(0, now, (size_t)n * sizeof *now);
    hash = sustain__fingerprint(hash, now_prev, (size_t)n * sizeof *now_prev);
    if (pass == 1 && hash != *first) sustain__complain(c, "%s", sustain__not_pure);
    if (sustain__guard_broken(c)) sustain__complain(c, "it writes beyond the bytes of work that workspace asks for");
    *first = hash;
}

sustain_status sustain__check_g_grad_y_pair(sustain__checker *c) {
    uint64_t first = 0;
    for (int pass = 0; pass < 2; pass++) {
        sustain__scribble(c, pass == 0 ? 0 : 0xff);
        SUSTAIN_TRY(sustain__g_grad_y_pair(&c->oracle, &c->zeta[0], c->x, c->y, c->x_other, c->y_other, c->a.y, c->b.y));
        same_bits(c, c->lower, c->a.y, c->b.y, &first, pass);
    }
    SUSTAIN_TRY(sustain__g_grad_y(&c->oracle, &c->zeta[0], c->x, c->y, c->u));
    SUSTAIN_TRY(sustain__g_grad_y(&c->oracle, &c->zeta[0], c->x_other, c->y_other, c->v));
    sustain__compare_same(c, c->lower, c->a.y, c->u);
    sustain__compare_same(c, c->lower, c->b.y, c->v);
    return SUSTAIN_OK;
}

sustain_status sustain__scale_of_hessian(sustain__checker *c, double *L_g) {
    const sustain_constants *known = c->problem->known;
    *L_g = known != NULL ? known->L_g : NAN;
    if (*L_g > 0 && isfinite(*L_g)) return SUSTAIN_OK;
    sustain__checker_turn(c);
    for (int i = 0; i < 10; i++) {
        SUSTAIN_TRY(sustain__g_hess_vec(&c->oracle, &c->zeta[1], c->x, c->y, c->v, c->u));
        const double size = sustain__norm(c->lower, c->u);
        *L_g = 2 * size / sustain__norm(c->lower, c->v);
        if (!(size > 0)) break;
        sustain__copy(c->lower, c->u, c->v);
        sustain__scale(c->lower, 1 / size, c->v);
    }
    if (!(*L_g > 0 && isfinite(*L_g))) *L_g = 1;
    return SUSTAIN_OK;
}

bool sustain__touched_is_right(sustain__checker *c, const sustain_touched *touched) {
    if (touched->count < 0 || touched->count > c->upper) {
        sustain__complain(c, "it lists %lld coordinates in draw->touched; upper_dim is %lld", (long long)touched->count,
                          (long long)c->upper);
        return false;
    }
    for (int64_t i = 0; i < c->upper; i++) c->scratch[i] = 0;
    for (int64_t j = 0; j < touched->count; j++) {
        const int64_t i = touched->coordinate[j];
        if (i >= 0 && i < c->upper && c->scratch[i] == 0) {
            c->scratch[i] = 1;
            continue;
        }
        sustain__complain(c, "it lists coordinate %lld in draw->touched, which is outside of x or listed twice", (long long)i);
        return false;
    }
    return true;
}

void sustain__place_touched(sustain__checker *c, const sustain_touched *touched, const sustain_real *values, sustain_real *dense) {
    sustain__zero(c->upper, dense);
    if (!sustain__touched_is_right(c, touched)) return;
    for (int64_t j = 0; j < touched->count; j++) dense[touched->coordinate[j]] = values[j];
}

void sustain__all_are_touched(sustain__checker *c, const sustain_real *dense) {
    for (int64_t i = 0; i < c->upper; i++)
        if (c->scratch[i] == 0 && dense[i] != 0)
            sustain__complain(c, "draw->touched does not list coordinate %lld, whose entry is %g", (long long)i, (double)dense[i]);
}

/* Outputs by that list against dense ones. */
static sustain_status compare_touched(sustain__checker *c, sustain_hyper_draw *draw, sustain_touched *touched) {
    sustain_real *const outputs[2] = {c->a.x, c->b.x}, *const dense[2] = {c->d, c->x_probe};
    draw->touched = touched;
    SUSTAIN_TRY(sustain__hyper_pair(&c->oracle, draw, c->x, c->y, c->x_other, c->y_other, c->a.x, c->b.x));
    draw->touched = NULL;
    for (int p = 0; p < 2; p++) sustain__place_touched(c, touched, outputs[p], dense[p]);
    if (!sustain__touched_is_right(c, touched)) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__hyper_pair(&c->oracle, draw, c->x, c->y, c->x_other, c->y_other, c->a.x, c->b.x));
    for (int p = 0; p < 2; p++) {
        sustain__compare_same(c, c->upper, dense[p], outputs[p]);
        sustain__all_are_touched(c, outputs[p]);
    }
    return SUSTAIN_OK;
}

static sustain_status check_touched(sustain__checker *c, sustain_hyper_draw draw) {
    sustain_touched touched = {.count = -1};
    const size_t size = sustain__multiply((size_t)c->upper, sizeof *touched.coordinate);
    draw.k = TERMS;
    SUSTAIN_TRY(sustain__allocate(c->oracle.context, size, &touched.coordinate));
    const sustain_status status = compare_touched(c, &draw, &touched);
    sustain__free(c->oracle.context, touched.coordinate);
    return status;
}

/* hyper_pair against eq. (7) made of the plain oracles, with no Hessian product and with several,
 * at two points and at one. */
sustain_status sustain__check_hyper_pair(sustain__checker *c) {
    sustain_problem_fast fast = sustain__fast_of(c->problem);
    sustain_problem_ops ops = *c->problem->ops;
    sustain_problem plain_problem = *c->problem;
    sustain__oracle plain = c->oracle;
    fast.hyper_pair = NULL;
    ops.fast = &fast;
    plain_problem.ops = &ops;
    plain.problem = &plain_problem;
    const sustain__neumann neumann = {.oracle = &plain, .v = c->u, .hv = c->v, .cross = c->x_probe};
    sustain_hyper_draw draw = {.xi = c->xi, .zeta = c->zeta, .K = 2 * TERMS};
    SUSTAIN_TRY(sustain__scale_of_hessian(c, &draw.L_g));
    if (fast.support != NULL) {
        draw.support[SUSTAIN_UPPER] = sustain__support(&c->oracle, SUSTAIN_UPPER, &draw.xi, c->coordinate);
        draw.support[SUSTAIN_LOWER] = sustain__support(&c->oracle, SUSTAIN_LOWER, &draw.zeta[0], c->coordinate);
    }
    for (draw.k = 0; draw.k <= TERMS; draw.k += TERMS) {
        uint64_t first = 0;
        for (int pass = 0; pass < 2; pass++) {
            sustain__scribble(c, pass == 0 ? 0 : 0xff);
            SUSTAIN_TRY(sustain__hyper_pair(&c->oracle, &draw, c->x, c->y, c->x_other, c->y_other, c->a.x, c->b.x));
            same_bits(c, c->upper, c->a.x, c->b.x, &first, pass);
        }
        SUSTAIN_TRY(sustain__neumann_pair(&neumann, &draw, c->x, c->y, NULL, NULL, c->d, NULL));
        sustain__compare_same(c, c->upper, c->a.x, c->d);
        SUSTAIN_TRY(sustain__neumann_pair(&neumann, &draw, c->x_other, c->y_other, NULL, NULL, c->d, NULL));
        sustain__compare_same(c, c->upper, c->b.x, c->d);
        SUSTAIN_TRY(sustain__hyper_pair(&c->oracle, &draw, c->x_other, c->y_other, NULL, NULL, c->a.x, NULL));
        sustain__compare_same(c, c->upper, c->a.x, c->d);
    }
    return fast.lists_touched ? check_touched(c, draw) : SUSTAIN_OK;
}

/* ---- tables ---- */

enum { QUANTITIES = SUSTAIN_QUANTITY_G_CROSS_VEC + 1 };

static bool is_upper(int quantity) {
    return quantity == SUSTAIN_QUANTITY_F_GRAD_X || quantity == SUSTAIN_QUANTITY_F_GRAD_Y;
}

static bool is_in_x(int quantity) {
    return quantity == SUSTAIN_QUANTITY_F_GRAD_X || quantity == SUSTAIN_QUANTITY_G_CROSS_VEC;
}

static const sustain_batch *draw_of_quantity(const sustain__checker *c, int quantity) {
    return is_upper(quantity) ? &c->xi : &c->zeta[0];
}

static int64_t width_of(const sustain__checker *c, int quantity) {
    return c->problem->ops->fast->table_width(c->problem->self, (sustain_quantity)quantity);
}

/* rest + mean of B_i row_i at a point, into a; rows (size, width). */
static sustain_status from_tables(sustain__checker *c, int quantity, const sustain_real *x, const sustain_real *y, sustain_real *rows) {
    const sustain_quantity q = (sustain_quantity)quantity;
    const sustain_batch *draw = draw_of_quantity(c, quantity);
    sustain_real *out = is_in_x(quantity) ? c->a.x : c->a.y;
    SUSTAIN_TRY(sustain__table_rest(&c->oracle, q, x, y, c->v, out));
    if (width_of(c, quantity) == 0) return SUSTAIN_OK;
    SUSTAIN_TRY(sustain__table_rows(&c->oracle, q, draw, x, y, c->v, rows));
    return sustain__table_add(&c->oracle, q, draw, rows, 1 / (double)draw->size, out);
}

/* The same by the plain oracles, into b. */
static sustain_status from_oracles(sustain__checker *c, int quantity, const sustain_real *x, const sustain_real *y) {
    const sustain_batch *draw = draw_of_quantity(c, quantity);
    if (is_upper(quantity)) return sustain__f_grad(&c->oracle, draw, x, y, c->b.x, c->b.y);
    if (quantity == SUSTAIN_QUANTITY_G_GRAD_Y) return sustain__g_grad_y(&c->oracle, draw, x, y, c->b.y);
    if (quantity == SUSTAIN_QUANTITY_G_HESS_VEC) return sustain__g_hess_vec(&c->oracle, draw, x, y, c->v, c->b.y);
    return sustain__g_cross_vec(&c->oracle, draw, x, y, c->v, c->b.x);
}

/* At two points, and twice at each with other contents of all memory. */
static sustain_status compare_tables(sustain__checker *c, int quantity, sustain_real *rows) {
    const int64_t n = is_in_x(quantity) ? c->upper : c->lower;
    const sustain_real *own = is_in_x(quantity) ? c->a.x : c->a.y, *plain = is_in_x(quantity) ? c->b.x : c->b.y;
    const size_t size = (size_t)(draw_of_quantity(c, quantity)->size * width_of(c, quantity)) * sizeof *rows;
    sustain__checker_turn(c);
    for (int point = 0; point < 2; point++) {
        const sustain_real *x = point == 0 ? c->x : c->x_other, *y = point == 0 ? c->y : c->y_other;
        uint64_t first = 0;
        for (int pass = 0; pass < 2; pass++) {
            sustain__scribble(c, pass == 0 ? 0 : 0xff);
            memset(rows, pass == 0 ? 0 : 0xff, size);
            SUSTAIN_TRY(from_tables(c, quantity, x, y, rows));
            same_bits(c, n, own, own, &first, pass);
        }
        SUSTAIN_TRY(from_oracles(c, quantity, x, y));
        sustain__compare_same(c, n, own, plain);
    }
    return SUSTAIN_OK;
}

/* The rows of two points, once for each and once for their difference: B_i must not depend on what
 * is in a row. */
static sustain_status compare_linear(sustain__checker *c, int quantity, sustain_real *rows) {
    const sustain_quantity q = (sustain_quantity)quantity;
    const sustain_batch *draw = draw_of_quantity(c, quantity);
    const int64_t n = is_in_x(quantity) ? c->upper : c->lower, count = draw->size * width_of(c, quantity);
    sustain_real *together = is_in_x(quantity) ? c->a.x : c->a.y, *apart = is_in_x(quantity) ? c->b.x : c->b.y, *other = rows + count;
    if (count == 0) return SUSTAIN_OK;
    sustain__checker_turn(c);
    SUSTAIN_TRY(sustain__table_rows(&c->oracle, q, draw, c->x, c->y, c->v, rows));
    SUSTAIN_TRY(sustain__table_rows(&c->oracle, q, draw, c->x_other, c->y_other, c->v, other));
    sustain__zero(n, together);
    sustain__zero(n, apart);
    SUSTAIN_TRY(sustain__table_add(&c->oracle, q, draw, rows, 2, apart));
    SUSTAIN_TRY(sustain__table_add(&c->oracle, q, draw, other, -6, apart));
    sustain__add(count, -3, other, rows);
    SUSTAIN_TRY(sustain__table_add(&c->oracle, q, draw, rows, 2, together));
    sustain__compare_same(c, n, together, apart);
    return SUSTAIN_OK;
}

/* Every quantity with a width that makes sense, and whose draw is one of a finite sum. */
static sustain_status each_quantity(sustain__checker *c, sustain_status (*compare)(sustain__checker *, int, sustain_real *)) {
    for (int quantity = 0; quantity < QUANTITIES; quantity++) {
        const int64_t width = width_of(c, quantity), dim = is_in_x(quantity) ? c->upper : c->lower;
        const sustain_batch *draw = draw_of_quantity(c, quantity);
        if (width < 0 || width > dim) {
            sustain__complain(c, "table_width is %lld for a quantity of %lld numbers", (long long)width, (long long)dim);
            continue;
        }
        if (draw->index == NULL) continue;
        sustain_real *rows;
        SUSTAIN_TRY(sustain__allocate(c->oracle.context, (size_t)(2 * draw->size * width + 1) * sizeof *rows, &rows));
        const sustain_status status = compare(c, quantity, rows);
        sustain__free(c->oracle.context, rows);
        SUSTAIN_TRY(status);
    }
    return SUSTAIN_OK;
}

sustain_status sustain__check_tables(sustain__checker *c) {
    return each_quantity(c, compare_tables);
}

sustain_status sustain__check_tables_linear(sustain__checker *c) {
    return each_quantity(c, compare_linear);
}

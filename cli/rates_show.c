/* rates_show.c - the tables of `sustain rates`, and its JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verb_rates.h"

static const char *problem_name(int kind) {
    return kind == RATES_NONCONVEX ? "nonconvex" : "strongly-convex";
}

static const char *criterion(int kind) {
    return kind == RATES_NONCONVEX ? "the mean of |grad ell(x_t)|^2 over t < T" : "ell(x_T) - min ell";
}

static const rates_result *result_of(const rates_report *r, int kind, int i) {
    for (int k = 0; k < r->result_count; k++)
        if (r->results[k].kind == kind && i-- == 0) return &r->results[k];
    return NULL;
}

/* ---- numbers as text ---- */

static const char *exponent_text(double exponent, char text[16]) {
    if (isnan(exponent))
        snprintf(text, 16, "-");
    else if (exponent == floor(exponent))
        snprintf(text, 16, "%.0f", exponent);
    else
        snprintf(text, 16, "%.0f/2", 2 * exponent);
    return text;
}

static const char *fit_text(power_fit fit, char text[32]) {
    if (isnan(fit.slope))
        snprintf(text, 32, "-");
    else if (isnan(fit.half))
        snprintf(text, 32, "%.2f", fit.slope);
    else
        snprintf(text, 32, "%.2f +- %.2f", fit.slope, fit.half);
    return text;
}

/* Two digits: "4.6e2". */
static const char *short_text(double value, char text[16]) {
    char full[32];
    snprintf(full, sizeof full, "%.1e", value);
    char *exponent = strchr(full, 'e');
    snprintf(text, 16, "%.*se%ld", (int)(exponent - full), full, strtol(exponent + 1, NULL, 10));
    return text;
}

/* ---- tables ---- */

static const char *marked_name(const rates_row *row, char text[32]) {
    snprintf(text, 32, "%s%s", row->name, row->finite_sum ? "*" : "");
    return text;
}

static void print_exponents(FILE *to, const rates_report *r, int kind) {
    text_table t = {.align = "lrrlrllrr", .indent = 2};
    static const char *const titles[] = {"", "epsilon to", "upper", "proved", "lower", "proved", "built in", "per log T", "seconds"};
    const rates_result *at;
    char text[32], least[16];
    table_add_all(&t, titles, COUNT_OF(titles));
    for (int i = 0; (at = result_of(r, kind, i)) != NULL; i++) {
        const int reached = rates_reached(at);
        table_add(&t, "%s", marked_name(at->row, text));
        table_add(&t, "%s", reached > 0 ? short_text(at->point[reached - 1].epsilon, least) : "none");
        for (int level = 0; level < 2; level++) {
            table_add(&t, "%s", fit_text(at->samples[level], text));
            table_add(&t, "%s", exponent_text(at->row->theorem[kind].proved[level], least));
        }
        table_add(&t, "%s", rates_built_in(&at->row->theorem[kind]) ? "yes" : "no");
        if (isnan(at->per_log.slope))
            table_add(&t, "-");
        else
            table_add(&t, "%.2f", fabs(at->per_log.slope) < 0.005 ? 0 : at->per_log.slope);
        table_add(&t, "%.1f", at->seconds);
    }
    table_print(to, &t);
}

/* Upper and lower samples together, a few algorithms at a time; ">": not reached within the
 * budget; ".": not tried. */
static void print_samples(FILE *to, const rates_report *r, int kind) {
    enum { ABREAST = 7 };
    char text[32], number[16];
    for (int first = 0; result_of(r, kind, first) != NULL; first += ABREAST) {
        text_table t = {.align = "rrrrrrrr", .indent = 2};
        for (int i = -1; i < r->limits.points; i++) {
            if (i < 0)
                table_add(&t, "epsilon");
            else
                table_add(&t, "%s", short_text(rates_epsilon(kind, i), number));
            for (int k = first; k < first + ABREAST; k++) {
                const rates_result *at = result_of(r, kind, k);
                if (at == NULL)
                    table_add(&t, "%s", "");
                else if (i >= at->points)
                    table_add(&t, ".");
                else if (i < 0)
                    table_add(&t, "%s", marked_name(at->row, text));
                else
                    table_add(&t, "%s%s", at->point[i].reached ? "" : ">",
                              short_text(at->point[i].samples[0] + at->point[i].samples[1], number));
            }
        }
        table_print(to, &t);
        if (result_of(r, kind, first + ABREAST) != NULL) fputc('\n', to);
    }
}

static void print_costs(FILE *to, const rates_report *r) {
    text_table t = {.align = "lrrrrrrrl", .indent = 2};
    table_add(&t, "dimension");
    for (int i = 0; i < RATES_DIMS; i++) table_add(&t, "%d", 16 << i);
    table_add(&t, "exponent");
    table_add(&t, "Table 1");
    for (int k = 0; k < r->cost_count; k++) {
        const rates_cost *c = &r->costs[k];
        char text[32];
        table_add(&t, "%s", marked_name(c->row, text));
        for (int i = 0; i < RATES_DIMS; i++)
            if (i < c->count)
                table_add(&t, "%.3g", 1e6 * c->seconds[i]);
            else
                table_add(&t, "%s", "");
        table_add(&t, "%s", fit_text(c->fit, text));
        table_add(&t, "%s", exponent_text(c->row->cost, text));
    }
    table_print(to, &t);
}

static void setting_text(const rates_report *r, char *text, size_t size) {
    snprintf(
        text, size,
        "For each epsilon the samples until the mean of the theorem's criterion over %lld seeds is at most epsilon (strongly convex: "
        "%lld seeds). Steps, momentum, K and batches depend on epsilon as the theorem says; their constants were chosen at the "
        "largest epsilon on other seeds and then fixed. Exponents: samples ~ epsilon^(-exponent), fitted, +- the 95 %% confidence "
        "interval over the seeds (bootstrap; of the regression where an algorithm is deterministic). Built in: a power of epsilon sets a "
        "step or a batch, so that the exponent follows from that choice. Per log T: oracle calls that an iteration costs more for each "
        "factor e of T. A star marks algorithms for finite sums; for deterministic ones, oracle calls are counted as samples.",
        (long long)r->limits.runs, (long long)rates_runs_of(&r->limits, RATES_STRONGLY_CONVEX));
}

void rates_print(FILE *to, const rates_report *r) {
    char text[1536];
    setting_text(r, text, sizeof text);
    paragraphs(to, 0, text);
    for (int kind = 0; kind < RATES_PROBLEMS; kind++) {
        if (result_of(r, kind, 0) == NULL) continue;
        fputc('\n', to);
        snprintf(text, sizeof text, "%s: %s", kind == RATES_NONCONVEX ? "Nonconvex" : "Strongly convex", criterion(kind));
        heading(to, text);
        print_exponents(to, r, kind);
        fputc('\n', to);
        paragraphs(to, 2, "samples of both levels; '>': not reached within the budget; '.': not tried, too little budget left");
        print_samples(to, r, kind);
    }
    if (r->cost_count == 0) return;
    fputc('\n', to);
    heading(to, "Microseconds per iteration against the dimension of y (exponent fitted from 64 on)");
    print_costs(to, r);
}

/* ---- JSON ---- */

static json_t *fit_json(power_fit fit, double proved) {
    json_t *object = json_object();
    SET_NUMBERS(object, {"exponent", fit.slope}, {"low", fit.slope - fit.half}, {"high", fit.slope + fit.half}, {"proved", proved});
    return object;
}

static json_t *point_json(const rates_point *p) {
    json_t *object = json_object();
    json_object_set_new(object, "epsilon", json_number_or_null(p->epsilon));
    json_object_set_new(object, "reached", json_boolean(p->reached));
    SET_NUMBERS(object, {"criterion", p->value}, {"iterations", p->iterations}, {"samples_upper", p->samples[0]},
                {"samples_lower", p->samples[1]}, {"oracle_calls", p->calls});
    return object;
}

/* name: [value at the largest epsilon, power of epsilon, factor of log 1/epsilon] */
static json_t *settings_json(const rates_result *r) {
    const rates_setting *s = r->row->theorem[r->kind].settings;
    json_t *object = json_object();
    for (int i = 0; i < RATES_SETTINGS && s[i].name != NULL; i++) {
        json_t *row = json_object();
        if (s[i].word != NULL)
            json_object_set_new(row, "value", json_string(s[i].word));
        else
            json_object_set_new(row, "value", json_number_or_null(r->factor[i] * s[i].value));
        SET_NUMBERS(row, {"power", s[i].power}, {"per_log", s[i].per_log});
        json_object_set_new(row, "chosen", json_boolean(s[i].choices > 1));
        json_object_set_new(object, s[i].name, row);
    }
    return object;
}

static json_t *result_json(const rates_result *r) {
    const rates_theorem *theorem = &r->row->theorem[r->kind];
    json_t *object = json_object(), *points = json_array();
    for (int i = 0; i < r->points; i++) json_array_append_new(points, point_json(&r->point[i]));
    SET_TEXTS(object, {"solver", r->row->name}, {"problem", problem_name(r->kind)});
    json_object_set_new(object, "finite_sum", json_boolean(r->row->finite_sum));
    json_object_set_new(object, "theorem", json_string(theorem->source));
    json_object_set_new(object, "settings", settings_json(r));
    json_object_set_new(object, "upper", fit_json(r->samples[0], theorem->proved[0]));
    json_object_set_new(object, "lower", fit_json(r->samples[1], theorem->proved[1]));
    json_object_set_new(object, "oracle_calls", fit_json(r->calls, (double)NAN));
    json_object_set_new(object, "built_in", json_boolean(rates_built_in(theorem)));
    SET_NUMBERS(object, {"calls_per_log_T", r->per_log.slope});
    json_object_set_new(object, "targets", points);
    json_object_set_new(object, "seconds", json_number_or_null(r->seconds));
    return object;
}

static json_t *cost_json(const rates_cost *c) {
    json_t *object = json_object(), *points = json_array();
    for (int i = 0; i < c->count; i++) {
        json_t *point = json_object();
        SET_NUMBERS(point, {"lower_dim", c->dim[i]}, {"seconds", c->seconds[i]});
        json_array_append_new(points, point);
    }
    json_object_set_new(object, "solver", json_string(c->row->name));
    json_object_set_new(object, "iteration", fit_json(c->fit, c->row->cost));
    json_object_set_new(object, "points", points);
    return object;
}

json_t *rates_json(const rates_report *r) {
    json_t *object = json_object(), *results = json_array(), *costs = json_array();
    for (int i = 0; i < r->result_count; i++) json_array_append_new(results, result_json(&r->results[i]));
    for (int i = 0; i < r->cost_count; i++) json_array_append_new(costs, cost_json(&r->costs[i]));
    char about[1536];
    setting_text(r, about, sizeof about);
    SET_TEXTS(object, {"version", sustain_version()}, {"about", about});
    json_object_set_new(object, "quick", json_boolean(r->quick));
    json_object_set_new(object, "seed", json_integer(r->limits.seed));
    json_object_set_new(object, "runs", json_integer(r->limits.runs));
    json_object_set_new(object, "runs_strongly_convex", json_integer(rates_runs_of(&r->limits, RATES_STRONGLY_CONVEX)));
    json_object_set_new(object, "budget", json_number_or_null(r->limits.budget));
    json_object_set_new(object, "results", results);
    json_object_set_new(object, "costs", costs);
    json_object_set_new(object, "seconds", json_number_or_null(r->seconds));
    return object;
}

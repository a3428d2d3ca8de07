/* compare_files.c - summary.csv and compare.json of `sustain compare`. docs/formats.md describes
 * them. */
#include <math.h>
#include <string.h>

#include "verb_compare.h"
#include "csv_write.h"
#include "verbs.h"

/* ---- summary.csv ---- */

static void write_summary(FILE *to, const void *user) {
    const compare_result *r = &((const compare_job *)user)->result;
    const compare_task *task = r->plan->task;
    fputs("panel,label,runs", to);
    for (int k = 0; k < AXES; k++) fprintf(to, ",%s", compare_axis_keys[k]);
    for (int k = 0; k < task->metric_count; k++)
        if (compare_has_metric(r, k)) fprintf(to, ",%s,%s_sd", task->metrics[k].key, task->metrics[k].key);
    fputc('\n', to);
    for (int i = 0; i < r->plan->entry_count; i++)
        for (int p = 0; p < r->curve[i].count; p++) {
            const compare_mean *m = &r->curve[i].mean[p];
            csv_text(to, r->plan->panel[r->curve[i].entry->panel].title);
            fputc(',', to);
            csv_text(to, r->curve[i].entry->label);
            fprintf(to, ",%lld", (long long)r->curve[i].runs);
            for (int k = 0; k < AXES; k++) fprintf(to, k == AXIS_SECONDS ? ",%.4g" : ",%.9g", m->axis[k]);
            for (int k = 0; k < task->metric_count; k++)
                if (compare_has_metric(r, k)) fprintf(to, ",%.6g,%.3g", m->mean[k], m->deviation[k]);
            fputc('\n', to);
        }
}

/* ---- compare.json ---- */

static json_t *axes_json(void) {
    json_t *list = json_array();
    for (int k = 0; k < AXES; k++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "key", compare_axis_keys[k], "title", compare_axis_titles[k]));
    return list;
}

static json_t *metrics_json(const compare_result *r) {
    json_t *list = json_array();
    for (int k = 0; k < r->plan->task->metric_count; k++) {
        const compare_metric *m = &r->plan->task->metrics[k];
        if (!compare_has_metric(r, k)) continue;
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:b}", "key", m->key, "title", m->title, "better",
                                              m->higher ? "higher" : "lower", "log", (int)m->log));
    }
    return list;
}

static void set_point(const compare_result *r, const compare_curve *c, int i, json_t *object) {
    const compare_mean *m = &c->mean[i];
    json_object_set_new(object, "runs", json_integer(c->runs));
    for (int k = 0; k < AXES; k++) json_object_set_new(object, compare_axis_keys[k], json_number_or_null(m->axis[k]));
    for (int k = 0; k < r->plan->task->metric_count; k++) {
        if (!compare_has_metric(r, k)) continue;
        json_t *value = json_object();
        SET_NUMBERS(value, {"mean", m->mean[k]}, {"low", m->mean[k] - m->deviation[k]}, {"high", m->mean[k] + m->deviation[k]});
        json_object_set_new(object, r->plan->task->metrics[k].key, value);
    }
}

static json_t *curve_json(const compare_result *r, const compare_curve *c) {
    json_t *object = json_object(), *points = json_array();
    for (int i = 0; i < c->count; i++) {
        json_t *point = json_object();
        set_point(r, c, i, point);
        json_array_append_new(points, point);
    }
    json_object_set_new(object, "label", json_text(c->entry->label));
    json_object_set_new(object, "points", points);
    return object;
}

static json_t *panels_json(const compare_result *r) {
    json_t *panels = json_array();
    for (int p = 0; p < r->plan->panel_count; p++) {
        json_t *panel = json_object(), *curves = json_array();
        for (int i = 0; i < r->plan->entry_count; i++)
            if (r->curve[i].entry->panel == p) json_array_append_new(curves, curve_json(r, &r->curve[i]));
        SET_TEXTS(panel, {"title", r->plan->panel[p].title}, {"note", r->plan->panel[p].note});
        json_object_set_new(panel, "curves", curves);
        json_array_append_new(panels, panel);
    }
    return panels;
}

/* The last point of each curve. */
static json_t *table_json(const compare_result *r) {
    json_t *table = json_array();
    for (int i = 0; i < r->plan->entry_count; i++) {
        const compare_curve *c = &r->curve[i];
        json_t *row = json_object();
        int64_t failed = 0;
        for (int64_t k = 0; k < c->runs; k++) failed += c->run[k].failed[0] != '\0';
        json_object_set_new(row, "label", json_text(c->entry->label));
        json_object_set_new(row, "panel", json_integer(c->entry->panel));
        SET_TEXTS(row, {"solver", c->entry->solver}, {"parameters", c->entry->parameters});
        json_object_set_new(row, "failed", json_integer(failed));
        set_point(r, c, c->count - 1, row);
        json_array_append_new(table, row);
    }
    return table;
}

json_t *compare_json(const compare_job *job) {
    const compare_result *r = &job->result;
    const compare_plan *plan = &job->plan;
    json_t *object = json_object(), *seeds = json_array(), *claims = json_array();
    for (int64_t k = 0; k < plan->runs; k++) json_array_append_new(seeds, json_integer(plan->seed + k));
    for (int i = 0; i < r->claim_count; i++)
        json_array_append_new(
            claims, json_pack("{s:s, s:s, s:s}", "claim", r->claim[i].claim, "verdict", r->claim[i].verdict, "why", r->claim[i].why));
    SET_TEXTS(object, {"task", plan->task->name}, {"title", job->title}, {"data", job->data});
    json_object_set_new(object, "command", repeat_json(&verb_compare, job->asked));
    json_object_set_new(object, "version", json_string(sustain_version()));
    json_object_set_new(object, "runs", json_integer(plan->runs));
    json_object_set_new(object, "seeds", seeds);
    json_object_set_new(object, "x_default", json_string(compare_axis_keys[plan->axis]));
    json_object_set_new(object, "x_axes", axes_json());
    json_object_set_new(object, "metrics", metrics_json(r));
    json_object_set_new(object, "panels", panels_json(r));
    json_object_set_new(object, "table", table_json(r));
    json_object_set_new(object, "claims", claims);
    json_object_set_new(object, "scaled", job->scaled[0] != '\0' ? json_text(job->scaled) : json_null());
    /* seconds are comparable only if this is 1 */
    json_object_set_new(object, "side_by_side", json_integer(job->processes));
    return object;
}

/* compare.json first: by it the folder is known as that of a comparison (kept_inputs.c). */
int compare_files(const compare_job *job) {
    const int code = write_json(job->given.out, "compare.json", compare_json(job));
    return code == EXIT_DONE ? write_file(job->given.out, "summary.csv", write_summary, job) : code;
}

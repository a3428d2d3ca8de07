/* compare_show.c - the tables of a comparison in the terminal. */
#include <math.h>
#include <string.h>

#include "verb_compare.h"
#include "progress.h"

static bool has_column(const compare_result *r, int metric) {
    return r->plan->task->metrics[metric].column != NULL && compare_has_metric(r, metric);
}

/* "0.8312 +- 0.002" */
static void table_add_mean(text_table *t, const compare_mean *m, int metric, bool spread) {
    if (isnan(m->mean[metric]))
        table_add(t, "-");
    else if (spread)
        table_add(t, "%.4g +- %.1g", m->mean[metric], m->deviation[metric]);
    else
        table_add(t, "%.3g", m->mean[metric]);
}

/* The last points of the curves of a panel; with standard deviations for the two main metrics,
 * which come first. */
static void print_panel(FILE *to, const compare_result *r, int panel) {
    const compare_task *task = r->plan->task;
    char align[COMPARE_METRICS + 4] = "lr";
    text_table t = {.indent = 2, .align = align};
    table_add(&t, "at the end");
    table_add(&t, "%s", compare_axis_keys[r->plan->axis]);
    for (int k = 0; k < task->metric_count; k++) {
        if (!has_column(r, k)) continue;
        strcat(align, "r");
        table_add(&t, "%s", task->metrics[k].column);
    }
    for (int i = 0; i < r->plan->entry_count; i++) {
        const compare_curve *c = &r->curve[i];
        if (c->entry->panel != panel) continue;
        const compare_mean *end = &c->mean[c->count - 1];
        table_add(&t, "%s", c->entry->label);
        table_add(&t, "%.4g", end->axis[r->plan->axis]);
        for (int k = 0; k < task->metric_count; k++)
            if (has_column(r, k)) table_add_mean(&t, end, k, c->runs > 1 && k < 2);
    }
    table_print(to, &t);
}

static void print_failures(FILE *to, const compare_result *r) {
    for (int i = 0; i < r->plan->entry_count; i++)
        for (int64_t k = 0; k < r->curve[i].runs; k++) {
            char text[1024];
            if (r->curve[i].run[k].failed[0] == '\0') continue;
            snprintf(text, sizeof text, "%s, seed %lld, ended early: %s", r->curve[i].entry->label, (long long)(r->plan->seed + k),
                     r->curve[i].run[k].failed);
            paragraphs(to, 0, text);
            break; /* one per algorithm is enough here; the folders have all */
        }
}

void compare_print(FILE *to, const compare_job *job) {
    const compare_result *r = &job->result;
    const compare_plan *plan = &job->plan;
    const char *fewer = job->given.fewer_runs;
    char text[1024], took[32];
    heading(to, job->title);
    if (plan->runs > 1)
        snprintf(text, sizeof text, "%s. %lld runs of each%s%s%s, seeds %lld to %lld; +- is one standard deviation over the runs.",
                 job->data, (long long)plan->runs, fewer != NULL ? " (" : "", fewer != NULL ? fewer : "", fewer != NULL ? ")" : "",
                 (long long)plan->seed, (long long)(plan->seed + plan->runs - 1));
    else
        snprintf(text, sizeof text, "%s. One run of each, seed %lld.", job->data, (long long)plan->seed);
    paragraphs(to, 0, text);
    if (job->scaled[0] != '\0') {
        snprintf(text, sizeof text, "Shortened: %s.", job->scaled);
        paragraphs(to, 0, text);
    }
    for (int panel = 0; panel < plan->panel_count; panel++) {
        fputc('\n', to);
        if (plan->panel[panel].title[0] != '\0') heading(to, plan->panel[panel].title);
        print_panel(to, r, panel);
    }
    print_failures(to, r);
    if (r->claim_count > 0) {
        fputc('\n', to);
        heading(to, "Claims of the paper");
    }
    for (int i = 0; i < r->claim_count; i++) {
        snprintf(text, sizeof text, "%s: %s. %s.", r->claim[i].claim, r->claim[i].verdict, r->claim[i].why);
        paragraphs(to, 2, text);
    }
    fprintf(to, "\n%s; the page: %s/report.html, the curves: %s/summary.csv\n", duration_text(job->seconds, took), job->given.out,
            job->given.out);
}

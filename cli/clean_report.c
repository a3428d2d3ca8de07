/* clean_report.c - report.html of `sustain clean`: the summary as a page that needs no other file. */
#include <math.h>

#include "clean.h"
#include "html.h"
#include "page.h"
#include "progress.h"

enum { WORST = 100, CONFUSIONS = 20 };

static void confusions(FILE *to, const clean_job *job) {
    static const char *const titles[] = {"given", "suggested", "labels"};
    confusion list[CONFUSIONS];
    const int count = clean_confusions(job, list, CONFUSIONS);
    if (count == 0) return;
    fputs("<h2>Which classes are confused</h2>\n<table>\n", to);
    html_header(to, titles, COUNT_OF(titles));
    for (int i = 0; i < count; i++) {
        fputs("<tr>", to);
        html_cell(to, clean_class(&job->data, list[i].given));
        html_cell(to, clean_class(&job->data, list[i].suggested));
        html_number(to, 0, (double)list[i].count);
        fputs("</tr>\n", to);
    }
    fputs("</table>\n", to);
}

static void worst(FILE *to, const clean_job *job) {
    static const char *const titles[] = {"row", "given", "suggested", "quality", "weight"};
    const sustain_clean_result *r = &job->result;
    const int64_t most = r->issues < WORST ? r->issues : WORST;
    if (most == 0) return;
    fputs("<h2>The worst</h2>\n<table>\n", to);
    html_header(to, titles, COUNT_OF(titles));
    for (int64_t k = 0; k < most; k++) {
        const int64_t i = r->order[k];
        fputs("<tr>", to);
        html_number(to, 0, (double)clean_row(&job->data, i));
        html_cell(to, clean_class(&job->data, job->data.training->rows.labels[i]));
        html_cell(to, clean_class(&job->data, r->suggested[i]));
        html_number(to, 4, (double)r->quality[i]);
        html_number(to, 4, (double)r->weight[i]);
        fputs("</tr>\n", to);
    }
    fputs("</table>\n", to);
}

static void company(FILE *to, const clean_job *job) {
    static const char *const titles[] = {"", "AUC", "precision at the number of errors", "test accuracy", "seconds", "what it is"};
    company_row rows[COMPANY_ROWS];
    clean_company(job, rows);
    fputs("<h2>Beside the cheap ways to do it</h2>\n<table>\n", to);
    html_header(to, titles, COUNT_OF(titles));
    for (int i = 0; i < COMPANY_ROWS; i++) {
        fputs("<tr>", to);
        html_cell(to, rows[i].name);
        html_number(to, 4, rows[i].score.auc);
        html_number(to, 4, rows[i].score.precision_at_errors);
        html_number(to, 4, rows[i].score.test_accuracy);
        html_number(to, 1, rows[i].score.seconds);
        html_cell(to, rows[i].what);
        fputs("</tr>\n", to);
    }
    fputs("</table>\n", to);
}

void clean_report(FILE *to, const void *user) {
    const clean_job *job = user;
    char headline[512], text[512], seconds[32], total[32];
    clean_headline(job, headline, sizeof headline);
    page_begin(to, "sustain clean", "Which labels look wrong");
    fputs("<p><strong>", to);
    html_text(to, headline);
    fputs("</strong></p>\n", to);
    html_paragraph(to, "%s: %lld rows to look at, %lld trusted ones.", job->data.training->source,
                   (long long)job->data.training->rows.count, (long long)job->data.trusted->rows.count);
    if (job->data.warning[0] != '\0') html_paragraph(to, "Warning: %s", job->data.warning);
    confusions(to, job);
    worst(to, job);
    company(to, job);
    clean_caveat(job, text, sizeof text);
    if (text[0] != '\0') html_paragraph(to, "%s", text);
    clean_scaling(job, text, sizeof text);
    html_paragraph(to, "%s", text);
    html_paragraph(to,
                   "%s: %lld iterations in %s, %s in all; %.1f %% of the trusted labels predicted. All rows are in labels.csv, sorted in "
                   "issues.csv; config.json says how to repeat the run (sustain %s, %s).",
                   sustain_solver_describe(sustain_clean_solver(job->clean))->name, (long long)job->run.result.iterations,
                   duration_text(job->run.result.seconds, seconds), duration_text(job->run.total_seconds, total),
                   100 * job->result.trusted_accuracy, sustain_version(), sustain_precision());
    page_end(to);
}

/* clean_fits.c - softmax regressions of sustain_clean_finish() on all rows and out of fold: each
 * begins at zero, at another classifier, or where that of an earlier run on fewer verified rows
 * ended. */
#include "core/vector.h"
#include "problems/rows_internal.h"
#include "jobs/clean_finish.h"

/* From the classifiers of an earlier run on: they differ by the rows verified since, so that few
 * iterations are left. */
enum {
    WARM_ITERATIONS = 4,
    WARM_FOLD_ITERATIONS = 3,
    WARM_PLAIN_ITERATIONS = 6 /* without trusted rows: no other source makes up for it */
};

static sustain_softmax_options options_for(const sustain_clean *c, const sustain__fitted *w, double rows, int64_t iterations) {
    sustain_softmax_options o = w->prior > 0                 ? sustain__clean_options(c, w->prior, rows)
                                : sustain__clean_as_given(w) ? sustain__clean_given_options(c, rows)
                                                             : sustain__clean_fit_options(c, rows);
    o.iterations = iterations;
    return o;
}

/* The training rows with the labels to fit. */
static sustain_rows labelled_rows(const sustain_clean *c, const sustain__fitted *w) {
    sustain_rows rows = c->training;
    if (w->labels != NULL) rows.labels = w->labels;
    return rows;
}

double sustain__clean_rows_of(const sustain_clean *c, const sustain__fitted *w) {
    double rows = w->trusted ? (double)c->trusted.count : 0;
    if (!w->training) return rows;
    for (int64_t j = 0; j < c->unverified; j++) rows += w->weights != NULL ? (double)w->weights[c->training_folds.order[j]] : 1;
    return rows;
}

bool sustain__clean_as_given(const sustain__fitted *w) {
    return w->training && w->labels == NULL && w->noise == NULL && w->weights == NULL;
}

sustain_status sustain__clean_fit_all(sustain__finishing *f, const sustain__fitted *w) {
    const sustain_clean *c = f->c;
    const sustain_rows training = labelled_rows(c, w);
    sustain__some_rows parts[2];
    int count = 0;
    if (w->training)
        parts[count++] = (sustain__some_rows){
            .rows = &training, .index = c->training_folds.order, .count = c->unverified, .weights = w->weights, .noise = w->noise};
    if (w->trusted && c->trusted.count > 0) parts[count++] = (sustain__some_rows){.rows = &c->trusted, .count = c->trusted.count};
    const bool known = sustain__clean_begin_at(c, w->model, 1, f->y);
    const sustain_softmax_options o = options_for(c, w, sustain__clean_rows_of(c, w), known ? WARM_ITERATIONS : w->iterations);
    SUSTAIN_TRY(sustain__softmax_fit(c->context, &o, parts, count, f->y));
    sustain__clean_keep_model(f->c, w->model, 1, f->y);
    return SUSTAIN_OK;
}

sustain_status sustain__clean_refit(sustain__finishing *f, const float *weights, sustain__clean_model model, sustain_real *out) {
    const int64_t size = sustain__clean_size(f->c);
    const sustain__fitted w = {
        .training = true, .trusted = true, .weights = weights, .model = model, .iterations = SUSTAIN__REFIT_ITERATIONS};
    sustain__zero(size, f->y);
    SUSTAIN_TRY(sustain__clean_fit_all(f, &w));
    sustain__copy(size, f->y, out);
    return SUSTAIN_OK;
}

sustain_status sustain__clean_fit_folds(sustain__finishing *f, const sustain__fitted *w) {
    const sustain_clean *c = f->c;
    const int64_t folds = c->options.folds, size = sustain__clean_size(c);
    const sustain_rows training = labelled_rows(c, w);
    sustain__some_rows parts[2 * SUSTAIN__MOST_FOLDS];
    int64_t count = 0;
    for (int64_t k = 0; k < folds; k++) sustain__copy(size, f->y, f->folds_y + k * size);
    if (w->trusted) sustain__clean_parts(&c->trusted, &c->trusted_folds, folds, parts), count = folds;
    if (w->training) {
        sustain__clean_parts(&training, &c->training_folds, folds, parts + count);
        for (int64_t k = count; k < count + folds; k++) parts[k].noise = w->noise, parts[k].weights = w->weights;
        count += folds;
    }
    const bool known = sustain__clean_begin_at(c, w->model, folds, f->folds_y);
    const int64_t warm = c->bilevel ? WARM_FOLD_ITERATIONS : WARM_PLAIN_ITERATIONS;
    const sustain_softmax_options o =
        options_for(c, w, sustain__clean_rows_of(c, w) * (double)(folds - 1) / (double)folds, known ? warm : w->iterations);
    SUSTAIN_TRY(sustain__softmax_fit_folds(c->context, &o, parts, (int)count, folds, f->folds_y));
    sustain__clean_keep_model(f->c, w->model, folds, f->folds_y);
    return SUSTAIN_OK;
}

sustain_status sustain__clean_predict_folds(const sustain__finishing *f, const sustain_rows *rows, const sustain__folds *dealt,
                                            float *views) {
    const sustain_clean *c = f->c;
    const int64_t folds = c->options.folds;
    const sustain_softmax_options o = sustain__clean_fit_options(c, 1);
    sustain__some_rows parts[SUSTAIN__MOST_FOLDS];
    sustain__clean_parts(rows, dealt, folds, parts);
    for (int64_t k = 0; k < folds; k++)
        SUSTAIN_TRY(sustain__softmax_predict(c->context, &o, &parts[k], f->folds_y + k * sustain__clean_size(c), views));
    return SUSTAIN_OK;
}

sustain_status sustain__clean_predict_all(const sustain__finishing *f, const sustain_real *y) {
    const sustain_clean *c = f->c;
    const sustain__some_rows all = {.rows = &c->training, .count = c->training.count};
    const sustain_softmax_options o = sustain__clean_form(c, y);
    return sustain__softmax_predict(c->context, &o, &all, y, f->views);
}

sustain__fitted sustain__clean_corrections(sustain__finishing *f, int64_t iterations) {
    const sustain_clean *c = f->c;
    for (int64_t i = 0; i < c->training.count; i++) {
        f->labels[sustain__rows_place(&c->training, i)] = sustain__clean_suggested(c, i);
        f->keep[i] = c->is_issue[i] ? 1 - c->quality[i] : c->quality[i];
    }
    return (sustain__fitted){.training = true, .trusted = true, .labels = f->labels, .weights = f->keep, .iterations = iterations};
}

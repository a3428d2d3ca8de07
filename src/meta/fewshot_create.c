/* fewshot_create.c - reads models and creates classifiers. */
#include "meta/fewshot_internal.h"

#include "io/file.h"

/* ---- models ---- */

sustain_status sustain_fewshot_model_parse(sustain_context *context, const char *name, const unsigned char *bytes, size_t length,
                                           sustain_fewshot_model **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, name, "name"));
    SUSTAIN_TRY(sustain__need(context, bytes, "bytes"));
    sustain_fewshot_model *m;
    SUSTAIN_TRY(sustain__allocate(context, sizeof *m, &m));
    m->context = context;
    const sustain_status status = sustain__fewshot_model_parse(context, name, bytes, length, &m->content);
    if (status == SUSTAIN_OK)
        *out = m;
    else
        sustain_fewshot_model_destroy(m);
    return status;
}

sustain_status sustain_fewshot_model_read(sustain_context *context, const char *path, sustain_fewshot_model **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, path, "path"));
    sustain__bytes bytes;
    SUSTAIN_TRY(sustain__bytes_read(context, path, &bytes));
    const sustain_status status = sustain_fewshot_model_parse(context, path, bytes.data, bytes.length, out);
    sustain__bytes_free(context, &bytes);
    return status;
}

void sustain_fewshot_model_destroy(sustain_fewshot_model *m) {
    if (m == NULL) return;
    sustain__free(m->context, m->content.x);
    sustain__free(m->context, m);
}

sustain_fewshot_about sustain_fewshot_model_about(const sustain_fewshot_model *m) {
    if (m == NULL) return (sustain_fewshot_about){.channels = 0};
    const sustain__fewshot_model *c = &m->content;
    return (sustain_fewshot_about){.channels = c->net.channels,
                                   .height = c->net.height,
                                   .width = c->net.width,
                                   .features = sustain__net_features(&c->net),
                                   .parameters = sustain__net_dim(&c->net),
                                   .ways = c->rule.ways,
                                   .shots = c->shots,
                                   .fixed_ways = c->start != NULL,
                                   .whole = c->whole,
                                   .method = c->method};
}

/* ---- classifiers ---- */

static sustain_status check(sustain_context *context, const sustain__fewshot_model *m, int64_t ways, int64_t pictures) {
    enum { MOST = 1 << 20 };
    if (m->start != NULL && ways != m->rule.ways)
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "the model has a learned start for %lld classes and works with no other number (%lld were requested)",
                             (long long)m->rule.ways, (long long)ways);
    if (ways < 2 || pictures < ways || pictures > MOST)
        return sustain__fail(context, SUSTAIN_ARGUMENT,
                             "a classifier has two classes or more, and room for a picture of each and %d at most (%lld classes, %lld "
                             "pictures were asked for)",
                             MOST, (long long)ways, (long long)pictures);
    return SUSTAIN_OK;
}

/* Returns the bytes of all arrays. */
static size_t lay_out(sustain_fewshot *f, void *memory) {
    const int64_t head = f->ways * (f->features + 1);
    const size_t real = sizeof(sustain_real);
    sustain__carver c = {.memory = memory};
    f->rows = sustain__carve(&c, f->pictures * f->features, real);
    f->row = sustain__carve(&c, f->features, real);
    f->statistics = sustain__carve(&c, sustain__net_statistics(&f->model->net), real);
    f->together = sustain__carve(&c, f->pictures, sizeof *f->together);
    f->theta = sustain__carve(&c, (f->model->whole ? f->dim : 0) + head, real);
    f->y = memory != NULL ? f->theta + (f->model->whole ? f->dim : 0) : NULL;
    if (!f->model->whole) return c.used;
    f->gradient = sustain__carve(&c, f->dim + head, real);
    f->d_rows = sustain__carve(&c, f->pictures * f->features, real);
    f->P = sustain__carve(&c, f->pictures * f->ways, sizeof *f->P);
    f->R = sustain__carve(&c, f->pictures * f->ways, sizeof *f->R);
    return c.used;
}

static sustain_status make(sustain_fewshot *f) {
    const sustain__fewshot_model *m = f->model;
    sustain__head_rule rule = m->rule;
    rule.ways = f->ways;
    SUSTAIN_TRY(sustain__allocate(f->context, lay_out(f, NULL), &f->memory));
    lay_out(f, f->memory);
    SUSTAIN_TRY(sustain__backbone_create(f->context, &m->net, NULL, f->pictures, m->whole ? 1 : 0, &f->backbone));
    return m->whole || m->means ? SUSTAIN_OK : sustain__head_create(f->context, &rule, f->pictures, 0, &f->head);
}

sustain_status sustain_fewshot_create(sustain_context *context, const sustain_fewshot_model *model, int64_t ways, int64_t pictures,
                                      sustain_fewshot **out) {
    SUSTAIN_TRY(sustain__need_place(context, out, "out"));
    SUSTAIN_TRY(sustain__need(context, model, "model"));
    const sustain__fewshot_model *m = &model->content;
    sustain_fewshot *f;
    SUSTAIN_TRY(check(context, m, ways, pictures));
    SUSTAIN_TRY(sustain__allocate(context, sizeof *f, &f));
    *f = (sustain_fewshot){.context = context,
                           .model = m,
                           .ways = ways,
                           .pictures = pictures,
                           .dim = sustain__net_dim(&m->net),
                           .features = sustain__net_features(&m->net),
                           .x = m->x};
    const sustain_status status = make(f);
    if (status == SUSTAIN_OK)
        *out = f;
    else
        sustain_fewshot_destroy(f);
    return status;
}

void sustain_fewshot_destroy(sustain_fewshot *f) {
    if (f == NULL) return;
    sustain__backbone_destroy(f->backbone);
    sustain__head_destroy(f->head);
    sustain__free(f->context, f->memory);
    sustain__free(f->context, f);
}

/* meta_data.c - reads pictures and shows the scores of a model. */
#include <math.h>
#include <string.h>

#include "verb_meta.h"
#include "verbs.h"

int meta_pictures(sustain_context *context, const meta_source *source, uint64_t seed, sustain_split split, sustain_pictures **out) {
    sustain_picture_options options = {.channels = source->channels, .height = source->size, .width = source->size, .seed = seed};
    if (source->images == NULL && source->dataset == NULL)
        return complain(EXIT_USAGE, "the pictures are missing: give --dataset NAME or --images DIR ('--dataset generated' needs no files)");
    if (source->images != NULL && source->dataset != NULL) return complain(EXIT_USAGE, "--dataset and --images are both given: choose one");
    if (source->images != NULL) return refused(context, sustain_pictures_folder(context, source->images, split, &options, out));
    options.seed = 0; /* generated pictures are a fixed data set: the same for all seeds of
                       * training */
    return refused(context, sustain_pictures_named(context, source->dataset, data_folder(source->data_dir), split, &options, out));
}

int meta_judge(sustain_context *context, const char *folder, const sustain_pictures *pictures, const sustain_meta_trial *trial,
               meta_scores *scores) {
    char path[LONGEST_PATH];
    sustain_meta *model;
    run_path(folder, "model.safetensors", path);
    int code = refused(context, sustain_meta_open(context, path, &model));
    if (code != EXIT_DONE) return code;
    sustain_memory memory = {.size = sizeof memory};
    sustain_status status = sustain_meta_memory(model, pictures, trial, &memory);
    if (status == SUSTAIN_OK) status = sustain_memory_check(context, &memory);
    if (status == SUSTAIN_OK) status = sustain_meta_evaluate(model, pictures, trial, &scores->own);
    if (status == SUSTAIN_OK) status = sustain_meta_baselines(model, pictures, trial, &scores->centroid, &scores->untrained);
    code = refused(context, status);
    sustain_meta_destroy(model);
    return code;
}

/* ---- scores ---- */

const char *meta_share_text(double share, double interval, char text[META_SHARE_TEXT]) {
    if (isnan(share)) return "-";
    if (isnan(interval)) /* one task has none */
        snprintf(text, META_SHARE_TEXT, "%.2f %%", 100 * share);
    else
        snprintf(text, META_SHARE_TEXT, "%.2f +- %.2f %%", 100 * share, 100 * interval);
    return text;
}

static void add_row(text_table *t, const char *name, const sustain_meta_score *s) {
    char text[META_SHARE_TEXT];
    table_add(t, "%s", name);
    table_add(t, "%s", meta_share_text(s->accuracy, s->interval, text));
    table_add(t, "%s", meta_share_text(s->support_accuracy, s->support_interval, text));
}

void meta_print_scores(const meta_scores *scores, const char *name) {
    text_table t = {.align = "lrr", .indent = 2};
    table_add(&t, "%s", "");
    table_add(&t, "queries' statistics");
    table_add(&t, "support's statistics");
    add_row(&t, name, &scores->own);
    add_row(&t, "untrained backbone", &scores->untrained);
    add_row(&t, "nearest mean of pixels", &scores->centroid);
    table_print(stdout, &t);
}

static void add(json_t *object, const char *prefix, const char *name, double value) {
    char key[64];
    snprintf(key, sizeof key, "%s%s", prefix, name);
    json_object_set_new(object, key, json_number_or_null(value));
}

void meta_add_scores(json_t *object, const meta_scores *s, const char *prefix) {
    add(object, prefix, "accuracy", s->own.accuracy);
    add(object, prefix, "interval", s->own.interval);
    add(object, prefix, "loss", s->own.loss);
    add(object, prefix, "accuracy_support_statistics", s->own.support_accuracy);
    add(object, prefix, "interval_support_statistics", s->own.support_interval);
    add(object, "", "untrained_accuracy", s->untrained.accuracy);
    add(object, "", "untrained_interval", s->untrained.interval);
    add(object, "", "untrained_accuracy_support_statistics", s->untrained.support_accuracy);
    add(object, "", "untrained_interval_support_statistics", s->untrained.support_interval);
    add(object, "", "centroid_accuracy", s->centroid.accuracy);
    add(object, "", "centroid_interval", s->centroid.interval);
}

/** @file fewshot.h - inference with a trained few-shot model: it adapts to a few pictures of
 *  each class, then classifies new pictures.
 *
 *      sustain_fewshot_model_read(context, "run/model.safetensors", &model);
 *      sustain_fewshot_create(context, model, 5, 25, &classifier);   // 5 classes, up to 25 pictures
 *      sustain_fewshot_adapt(classifier, pictures, labels, 25);
 *      sustain_fewshot_predict(classifier, picture, probabilities);  // allocates nothing
 *
 *  A picture is an array of bytes, (channels, height, width); sustain_fewshot_model_about()
 *  returns the sizes. A model is immutable: threads share it, and each creates its own context
 *  and classifier. libsustain-device.a has only the functions of this header and needs only
 *  libm; see docs/fewshot.md. */
#ifndef SUSTAIN_FEWSHOT_H
#define SUSTAIN_FEWSHOT_H

#include <sustain/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A trained backbone and its adaptation rule, as written by `sustain meta train`. */
typedef struct sustain_fewshot_model sustain_fewshot_model;

/** Reads a model of either precision. Refused with a sentence: other files, damaged files, a
 *  tensor that is missing or does not match the architecture in the metadata. *out is NULL on
 *  failure. The model uses the context until it is destroyed. */
sustain_status sustain_fewshot_model_read(sustain_context *context, const char *path, sustain_fewshot_model **out);

/** The same from memory, which the caller may free afterwards; `name` is for messages. */
sustain_status sustain_fewshot_model_parse(sustain_context *context, const char *name, const unsigned char *bytes, size_t length,
                                           sustain_fewshot_model **out);

/** Frees a model. Destroy its classifiers first. NULL is allowed. */
void sustain_fewshot_model_destroy(sustain_fewshot_model *model);

/** Properties of a model. */
typedef struct sustain_fewshot_about {
    int64_t channels, height, width; /**< of a picture */
    int64_t features;                /**< computed by the backbone for one picture */
    int64_t parameters;              /**< of the backbone */
    int64_t ways, shots;             /**< of the tasks it was trained on */
    bool fixed_ways;                 /**< it learned a start of the head and works only with
                                      *   `ways` classes */
    bool whole;                      /**< adapts the backbone too (maml): about ten times the
                                      *   work */
    const char *method;              /**< "anil", "maml", "itd-bio", "sustain", "pretrain",
                                      *   "prototype"; valid as long as the model */
} sustain_fewshot_about;

/** Returns the properties of a model. */
sustain_fewshot_about sustain_fewshot_model_about(const sustain_fewshot_model *model);

/** A classifier: a model, its adapted head, and working memory. */
typedef struct sustain_fewshot sustain_fewshot;

/** Creates a classifier for `ways` classes and at most `pictures` pictures at a time. The model
 *  is borrowed. Refused: fewer than two classes, fewer pictures than classes, a number of
 *  classes other than that of a learned start. */
sustain_status sustain_fewshot_create(sustain_context *context, const sustain_fewshot_model *model, int64_t ways, int64_t pictures,
                                      sustain_fewshot **out);

/** Frees it. NULL is allowed. */
void sustain_fewshot_destroy(sustain_fewshot *classifier);

/** Adapts to labelled pictures (the support), labels 0 .. ways - 1; replaces any previous
 *  adaptation. Refused: too many pictures, a label out of range, a class without a picture,
 *  weights that become not finite. Pictures are normalized by the statistics of the support,
 *  here and in later predictions. */
sustain_status sustain_fewshot_adapt(sustain_fewshot *classifier, const uint8_t *const *pictures, const int32_t *labels, int64_t count);

/** The class probabilities of a picture, (ways). They do not depend on other predictions.
 *  Refused: a classifier that has not been adapted. */
sustain_status sustain_fewshot_predict(sustain_fewshot *classifier, const uint8_t *picture, sustain_real *probabilities);

/** Adapts and predicts in one call, probabilities (queries, ways), with the statistics used in
 *  the literature: those of support and queries together, or of the queries only if the backbone
 *  adapts too. Predictions then depend on the other queries. The classifier must have been
 *  created for count + queries pictures. Afterwards it is not adapted. */
sustain_status sustain_fewshot_predict_together(sustain_fewshot *classifier, const uint8_t *const *pictures, const int32_t *labels,
                                                int64_t count, const uint8_t *const *query_pictures, int64_t queries,
                                                sustain_real *probabilities);

/** Sets the statistics for sustain_fewshot_features() to those of these pictures, with the
 *  backbone as it was trained; discards any adaptation. */
sustain_status sustain_fewshot_normalize(sustain_fewshot *classifier, const uint8_t *const *pictures, int64_t count);

/** The features of a picture, (features). Refused: a classifier that is neither adapted nor
 *  normalized. */
sustain_status sustain_fewshot_features(sustain_fewshot *classifier, const uint8_t *picture, sustain_real *features);

#ifdef __cplusplus
}
#endif
#endif

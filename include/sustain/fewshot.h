/** @file fewshot.h - a trained few-shot model at work: it adapts to a few pictures of each class, then says what a new picture shows.
 *
 *      sustain_fewshot_model_read(context, "run/model.safetensors", &model);
 *      sustain_fewshot_create(context, model, 5, 25, &classifier);        // five classes, up to 25 pictures to learn from
 *      sustain_fewshot_adapt(classifier, pictures, labels, 25);
 *      sustain_fewshot_predict(classifier, picture, probabilities);       // as often as you like; allocates nothing
 *
 *  A picture is its bytes, one channel after the other: (channels, height, width), as sustain_fewshot_model_about() says. A model never changes: threads share it, and each makes a
 *  context and a classifier of its own. libsustain-device.a has this header's functions alone, and needs nothing but libm; docs/fewshot.md says more. */
#ifndef SUSTAIN_FEWSHOT_H
#define SUSTAIN_FEWSHOT_H

#include <sustain/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A backbone trained over tasks, and the rule by which it adapts: what `sustain meta train` leaves behind. */
typedef struct sustain_fewshot_model sustain_fewshot_model;

/** Reads one, of either precision. Refused with a sentence: another file, one that is damaged, a tensor that is missing or not as the architecture in the metadata says. *out is NULL
 *  on failure. The model uses the context until it is destroyed. */
sustain_status sustain_fewshot_model_read(sustain_context *context, const char *path, sustain_fewshot_model **out);

/** The same from memory, which is not needed afterwards; `name` is for messages. */
sustain_status sustain_fewshot_model_parse(sustain_context *context, const char *name, const unsigned char *bytes, size_t length,
                                           sustain_fewshot_model **out);

/** Frees it, after the classifiers made with it. NULL is allowed. */
void sustain_fewshot_model_destroy(sustain_fewshot_model *model);

/** What a model is. */
typedef struct sustain_fewshot_about {
    int64_t channels, height, width; /**< of a picture */
    int64_t features;                /**< numbers that the backbone makes of one */
    int64_t parameters;              /**< of the backbone */
    int64_t ways, shots;             /**< of the tasks it was trained on */
    bool fixed_ways;                 /**< it learned a start for the head, and can tell `ways` classes apart, no other number */
    bool whole;                      /**< adapting moves the backbone too (maml): some ten times the work */
    const char *method;              /**< "anil", "maml", "itd-bio", "sustain"; valid as long as the model */
} sustain_fewshot_about;

/** Says it. */
sustain_fewshot_about sustain_fewshot_model_about(const sustain_fewshot_model *model);

/** A classifier: a model, adapted or not yet, and the memory to work in. */
typedef struct sustain_fewshot sustain_fewshot;

/** Makes one for `ways` classes, with room for so many pictures at a time. The model is borrowed. Refused: fewer than two classes, fewer pictures than classes, another number of classes
 *  than a learned start has. */
sustain_status sustain_fewshot_create(sustain_context *context, const sustain_fewshot_model *model, int64_t ways, int64_t pictures,
                                      sustain_fewshot **out);

/** Frees it. NULL is allowed. */
void sustain_fewshot_destroy(sustain_fewshot *classifier);

/** Adapts to labelled pictures (the support), labels 0 .. ways - 1; what was adapted before is forgotten. Refused: more pictures than there is room, a label out of range, a class
 *  without a picture, weights that are not finite. Pictures are normalized by the support's statistics, here and in all that is asked later. */
sustain_status sustain_fewshot_adapt(sustain_fewshot *classifier, const uint8_t *const *pictures, const int32_t *labels, int64_t count);

/** The probabilities of the classes for a picture, (ways). They do not depend on what else is asked. Refused: nothing was adapted. */
sustain_status sustain_fewshot_predict(sustain_fewshot *classifier, const uint8_t *picture, sustain_real *probabilities);

/** Adapts and asks in one call, probabilities (queries, ways), with the statistics that papers use: those of support and queries together; where the backbone adapts too, of the queries
 *  alone. Answers then depend on the other queries. Room is needed for count + queries pictures. Afterwards the classifier is not adapted. */
sustain_status sustain_fewshot_predict_together(sustain_fewshot *classifier, const uint8_t *const *pictures, const int32_t *labels,
                                                int64_t count, const uint8_t *const *query_pictures, int64_t queries,
                                                sustain_real *probabilities);

/** Takes the statistics of these pictures for sustain_fewshot_features(), with the backbone as it was trained; what was adapted is forgotten. */
sustain_status sustain_fewshot_normalize(sustain_fewshot *classifier, const uint8_t *const *pictures, int64_t count);

/** The features of a picture, (features). Refused: neither adapted nor normalized. */
sustain_status sustain_fewshot_features(sustain_fewshot *classifier, const uint8_t *picture, sustain_real *features);

#ifdef __cplusplus
}
#endif
#endif

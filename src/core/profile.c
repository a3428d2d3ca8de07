/* profile.c - see profile.h. */
#include "core/clock.h"
#include "core/context_internal.h"

const char *sustain_phase_key(sustain_phase phase) {
    static const char *const keys[] = {
#define KEY(NAME, key) #key,
        SUSTAIN_PHASE_LIST(KEY)
#undef KEY
    };
    return (unsigned)phase < SUSTAIN_PHASE_COUNT ? keys[phase] : "";
}

sustain_phase sustain_context_phase(sustain_context *context, sustain_phase phase) {
    if (context == NULL || (unsigned)phase >= SUSTAIN_PHASE_COUNT) return SUSTAIN_PHASE_OTHER;
    const sustain_phase before = context->phase;
    const double now = sustain__clock();
    if (context->phase_begun > 0) context->profile.seconds[before] += now - context->phase_begun;
    context->phase_begun = now;
    context->phase = phase;
    return before;
}

sustain_status sustain_context_profile(sustain_context *context, sustain_profile *out) {
    if (context == NULL) return SUSTAIN_ARGUMENT;
    if (out == NULL || out->size < sizeof *out)
        return sustain__fail(context, SUSTAIN_ARGUMENT, "the place for the profile is NULL, or its size is not set");
    sustain_context_phase(context, context->phase);
    *out = context->profile;
    out->size = sizeof *out;
    return SUSTAIN_OK;
}

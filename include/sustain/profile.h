/** @file profile.h - where the time of a context goes: seconds by phase, and what the processes of
 *  a run exchange. */
#ifndef SUSTAIN_PROFILE_H
#define SUSTAIN_PROFILE_H

#include <sustain/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** X(NAME, key): the phases. */
#define SUSTAIN_PHASE_LIST(X)   \
    X(OTHER, other)             \
    X(READ, read)               \
    X(PROBE, probe)             \
    X(ITERATIONS, iterations)   \
    X(FITS, fits)               \
    X(PREDICTIONS, predictions) \
    X(WRITE, write)

/** What a context is at work with. The library enters PROBE (estimates before the first iteration),
 *  ITERATIONS, FITS and PREDICTIONS by itself; READ and WRITE are the caller's. */
typedef enum sustain_phase {
#define SUSTAIN_PHASE_ENTRY(NAME, key) SUSTAIN_PHASE_##NAME,
    SUSTAIN_PHASE_LIST(SUSTAIN_PHASE_ENTRY)
#undef SUSTAIN_PHASE_ENTRY
        SUSTAIN_PHASE_COUNT
} sustain_phase;

/** Since the context entered its first phase. */
typedef struct sustain_profile {
    size_t size;             /**< sizeof(sustain_profile): the structure can grow */
    double seconds[16];      /**< by sustain_phase, each without what it has of others; exchanges are in them */
    double exchange_seconds; /**< in exchanges with the other processes, waiting for them included */
    int64_t exchanges;       /**< how many; each is one message to every other process */
    int64_t bytes_sent;      /**< to each of the others */
    int64_t bytes_received;  /**< from all others */
} sustain_profile;

/** Enters a phase: the time until the next call belongs to it. Returns the phase before, to which
 *  the caller returns at its end. Only for the thread that uses the context. */
sustain_phase sustain_context_phase(sustain_context *context, sustain_phase phase);

/** The name of a phase, "" for a number that is none. */
const char *sustain_phase_key(sustain_phase phase);

/** Fills in `out`, whose size is set. */
sustain_status sustain_context_profile(sustain_context *context, sustain_profile *out);

#ifdef __cplusplus
}
#endif
#endif

/** @file status.h - what can go wrong, each with its text; and the number type. */
#ifndef SUSTAIN_STATUS_H
#define SUSTAIN_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The number that vectors are made of. The same sources build libsustain (float) and
 *  libsustain-double; sustain-double.pc and the CMake target sustain::sustain-double define
 *  SUSTAIN_DOUBLE for you. */
#ifdef SUSTAIN_DOUBLE
typedef double sustain_real;
#else
typedef float sustain_real;
#endif

/** Every status with the sentence that explains it. Detail (which file, which parameter) is in
 *  sustain_error(). */
#define SUSTAIN_STATUS_LIST(X)                                                                                                   \
    X(OK, "done")                                                                                                                \
    X(PRECISION, "the program is compiled for the other precision: link libsustain-double with SUSTAIN_DOUBLE, else libsustain") \
    X(VERSION, "the program is compiled with headers of another version: compile it again")                                      \
    X(ARGUMENT, "an argument of the call is not valid")                                                                          \
    X(MEMORY, "out of memory")                                                                                                   \
    X(UNKNOWN_NAME, "no algorithm or parameter has this name")                                                                   \
    X(PARAMETER, "a parameter has a value outside its range")                                                                    \
    X(MISSING_ORACLE, "the algorithm needs an oracle that the problem does not offer")                                           \
    X(CONSTANTS, "a constant of the theory is missing or not usable")                                                            \
    X(ORACLE_FAILED, "an oracle of the problem failed")                                                                          \
    X(DRAW_DROPPED, "an oracle asked to drop this draw")                                                                         \
    X(NOT_FINITE, "an oracle returned a value that is not finite")                                                               \
    X(DIVERGED, "the run diverged again after every smaller step")                                                               \
    X(NOT_CONVERGED, "an inner solve did not reach its tolerance")                                                               \
    X(NOT_CONVEX, "the lower level is not strongly convex here")                                                                 \
    X(ORDER, "the function cannot be called in the current state of the object")                                                 \
    X(IO, "a file could not be read")                                                                                            \
    X(FORMAT, "a file does not have the expected form")                                                                          \
    X(MISMATCH, "a saved state belongs to another problem, algorithm or precision")                                              \
    X(CANCELLED, "the caller asked to stop")                                                                                     \
    X(WRITE, "a file could not be written")                                                                                      \
    X(MEMORY_LIMIT, "more memory is needed than the limit of the context allows")

/** What a call returns. SUSTAIN_OK is 0. */
typedef enum sustain_status {
#define SUSTAIN_STATUS_ENUM(name, text) SUSTAIN_##name,
    SUSTAIN_STATUS_LIST(SUSTAIN_STATUS_ENUM)
#undef SUSTAIN_STATUS_ENUM
        SUSTAIN_STATUS_COUNT
} sustain_status;

/** The name of a status, "MISSING_ORACLE". */
const char *sustain_status_name(sustain_status status);

/** The sentence that explains a status. */
const char *sustain_status_text(sustain_status status);

#ifdef __cplusplus
}
#endif
#endif

/* lab_error.h - shared by the experiments: errors, and how an experiment is stopped. */
#ifndef SUSTAIN_LAB_ERROR_H
#define SUSTAIN_LAB_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include <sustain/status.h>

/* One sentence, "" if nothing failed. */
typedef struct lab_error {
    char text[512];
} lab_error;

#if defined(__GNUC__)
#define LAB_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define LAB_PRINTF_LIKE(text, first)
#endif

/* Writes the sentence and returns the status. */
sustain_status lab_fail(lab_error *error, sustain_status status, const char *format, ...) LAB_PRINTF_LIKE(3, 4);

/* Called regularly, from any thread: whether to end the experiment early. */
typedef bool (*lab_stop)(void);

static inline bool lab_stopped(lab_stop stop) {
    return stop != NULL && stop();
}

#endif

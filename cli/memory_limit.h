/* memory_limit.h - the option --max-memory of all commands that read files. */
#ifndef SUSTAIN_CLI_MEMORY_LIMIT_H
#define SUSTAIN_CLI_MEMORY_LIMIT_H

#include <math.h>

#include "options.h"

#define MEMORY_ROW(member)                                 \
    NUMBER_ROW("max-memory", member, "GB", NAN, 1e-3, 1e9, \
               "refuse to use more memory than this; default: what is free at the start of the program")

#define TRUST_ROW(member) \
    SWITCH_ROW("trust-mtime", member, "recognize large data files by size and time of change instead of a hash of their content")

/* Limits what the objects of the context may take together, to the amount given, or (NAN) to what
 * is free. Returns it in bytes; 0: not known, no limit. */
size_t memory_limit(sustain_context *context, double given);

/* What memory will be taken for, and how less of it would be needed. */
typedef struct memory_need {
    double bytes;
    const char *what, *cure;
} memory_need;

/* Whether all of them together fit into the bytes allowed (0: no limit). Returns an exit code after
 * a sentence about the largest. */
int memory_check_needs(size_t allowed, const memory_need *needs, int count);

/* Whether the program's own numbers for rows, in bytes, fit beside what the context holds. Returns
 * an exit code after a sentence. */
int memory_check(sustain_context *context, double rows);

#endif

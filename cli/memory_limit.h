/* memory_limit.h - the option --max-memory of all commands that read files. */
#ifndef SUSTAIN_CLI_MEMORY_LIMIT_H
#define SUSTAIN_CLI_MEMORY_LIMIT_H

#include <math.h>

#include "options.h"

#define MEMORY_ROW(member)                                 \
    NUMBER_ROW("max-memory", member, "GB", NAN, 1e-3, 1e9, \
               "refuse to use more memory than this; left out: what is free at the start of the program")

#define TRUST_ROW(member) \
    SWITCH_ROW("trust-mtime", member, "recognize large data files by size and time of change instead of a hash of their content")

/* Limits what the objects of the context may take together, to the amount given, or (NAN) to what
 * is free. Returns it in bytes; 0: not known, no limit. */
size_t memory_limit(sustain_context *context, double given);

/* Whether the program's own numbers for rows, in bytes, fit beside what the context holds. Returns
 * an exit code after a sentence. */
int memory_check(sustain_context *context, double rows);

#endif

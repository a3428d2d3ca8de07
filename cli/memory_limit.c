/* memory_limit.c - see memory_limit.h. */
#include "memory_limit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

/* A number after `name` in a file of the system, in bytes of `unit`; INFINITY where there is none
 * ("max", or no such file). */
static double system_number(const char *path, const char *name, double unit) {
    char line[256];
    double value = INFINITY;
    FILE *from = fopen(path, "r");
    while (from != NULL && fgets(line, sizeof line, from) != NULL) {
        char *end;
        if (strncmp(line, name, strlen(name)) != 0) continue;
        const double number = strtod(line + strlen(name), &end);
        if (end != line + strlen(name)) value = unit * number;
        break;
    }
    if (from != NULL) fclose(from);
    return value;
}

static double free_memory(void) {
    const double most = system_number("/sys/fs/cgroup/memory.max", "", 1), used = system_number("/sys/fs/cgroup/memory.current", "", 1);
    const double machine = system_number("/proc/meminfo", "MemAvailable:", 1024),
                 group = isfinite(most) && isfinite(used) ? most - used : INFINITY;
    return fmin(machine, group);
}

size_t memory_limit(sustain_context *context, double given) {
    const double bytes = isnan(given) ? free_memory() : 1e9 * given;
    const size_t allowed = bytes >= 1 && bytes < 1e18 ? (size_t)bytes : 0;
    sustain_context_set_memory_limit(context, allowed);
    return allowed;
}

int memory_check(sustain_context *context, double rows) {
    const double held = (double)sustain_context_memory(context);
    const sustain_memory memory = {
        .size = sizeof memory, .bytes = held + rows, .part = {[SUSTAIN_MEMORY_DATA] = held, [SUSTAIN_MEMORY_ROWS] = rows}};
    return refused(context, sustain_memory_check(context, &memory));
}

int memory_check_needs(size_t allowed, const memory_need *needs, int count) {
    const double giga = 1e9;
    double sum = 0;
    int largest = 0;
    for (int i = 0; i < count; i++) {
        sum += needs[i].bytes;
        if (needs[i].bytes > needs[largest].bytes) largest = i;
    }
    if (allowed == 0 || sum <= (double)allowed) return EXIT_DONE;
    return complain(EXIT_FAILED,
                    "about %.3g GB of memory are needed, %.3g GB of them for %s, and %.3g GB are allowed: %s, or allow more with "
                    "--max-memory",
                    sum / giga, needs[largest].bytes / giga, needs[largest].what, (double)allowed / giga, needs[largest].cure);
}

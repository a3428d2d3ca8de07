/* no_files.c - in place of file.c in libsustain-device.a for a machine without an operating system:
 * models come from memory. */
#include "io/file.h"

static sustain_status no_files(sustain_context *context, const char *path) {
    return sustain__fail(context, SUSTAIN_IO, "%s: there are no files on this machine", path);
}

sustain_status sustain__bytes_read(sustain_context *context, const char *path, sustain__bytes *out) {
    *out = (sustain__bytes){.data = NULL};
    return no_files(context, path);
}

void sustain__bytes_free(sustain_context *context, sustain__bytes *bytes) {
    (void)context;
    *bytes = (sustain__bytes){.data = NULL};
}

sustain_status sustain__file_replace(sustain_context *context, const char *path, bool (*write)(FILE *to, const void *user),
                                     const void *user) {
    (void)write, (void)user;
    return no_files(context, path);
}

/* linear_model.h - a model from bytes in memory: what sustain_model_read() does after reading the
 * file. */
#ifndef SUSTAIN_IO_MODEL_H
#define SUSTAIN_IO_MODEL_H

#include <sustain/model.h>

/* The bytes are not needed afterwards; `path` is for messages. */
sustain_status sustain__model_parse(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                    sustain_model **out);

#endif

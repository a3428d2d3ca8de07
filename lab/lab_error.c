/* lab_error.c - see lab_error.h. */
#include "lab_error.h"

#include <stdarg.h>
#include <stdio.h>

sustain_status lab_fail(lab_error *error, sustain_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

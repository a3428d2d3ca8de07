/* csv_write.c - see csv.h. */
#include "csv_write.h"

#include <string.h>

void csv_text(FILE *to, const char *text) {
    const size_t length = strlen(text);
    if (length > 0 && strpbrk(text, ",\"\r\n;\t") == NULL && text[0] != ' ' && text[length - 1] != ' ') {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

/* page.c - the frame of a page. */
#include "page.h"

void page_begin(FILE *to, const char *title, const char *first_heading) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
          to);
    fprintf(to, "<title>%s</title>\n", title);
    fputs("<style>\n"
          ":root { color-scheme: light dark }\n"
          "body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; background: #fff; color: "
          "#1d2733 }\n"
          "h1 { font-size: 1.5rem }\n"
          "svg { width: 100%; height: auto }\n"
          "table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto }\n"
          "td, th { text-align: right; padding: .2rem .8rem; border-bottom: 1px solid #8884 }\n"
          "@media (prefers-color-scheme: dark) { body { background: #14191f; color: #dfe5ec } }\n"
          "</style>\n</head>\n<body>\n",
          to);
    fprintf(to, "<h1>%s</h1>\n", first_heading);
}

void page_end(FILE *to) {
    fputs("</body>\n</html>\n", to);
}

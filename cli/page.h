/* page.h - the page of a run and its charts in the terminal. */
#ifndef SUSTAIN_CLI_PAGE_H
#define SUSTAIN_CLI_PAGE_H

#include <sustain/fewshot.h>
#include <sustain/learn.h>
#include <sustain/meta.h>
#include <sustain/sustain.h>

/* Writes folder/report.html from the files in the folder. Returns an exit code. */
int page_write(sustain_context *context, const char *folder);

/* Draws the curves of the run in the terminal. Returns an exit code. */
int page_plot(sustain_context *context, const char *folder);

#endif

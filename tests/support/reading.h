/* reading.h - what tests of data sets share: a folder for files, a context that counts memory,
 * reading from text, every failure of memory. */
#ifndef READING_H
#define READING_H

#include <sustain/dataset.h>

#include "failing_allocator.h"

extern failing_allocator_state reading_memory;
extern sustain_context *reading_context;

/* For cmocka: makes folder and context; removes them, and fails where memory was not freed. */
int reading_setup(void **state);
int reading_teardown(void **state);

/* The folder itself; removed with all that is in it. */
const char *reading_folder(void);

/* Writes a file into the folder, and the folders that its name has in it; returns its path, valid
 * until the next but three. */
const char *reading_file(const char *name, const void *bytes, size_t length);

/* Reads text or bytes as a file called `name`; NULL where it is refused. */
sustain_dataset *reading_bytes(const char *name, const void *bytes, size_t length, const sustain_read_options *options, bool labels);
sustain_dataset *reading_text(const char *text, const sustain_read_options *options);
sustain_dataset *reading_labels(const char *text, const sustain_read_options *options);

/* Fails unless the bytes are refused with a sentence that begins with the file's name and goes on
 * with `sentence`. */
void refuses_bytes(const void *bytes, size_t length, const sustain_read_options *options, bool labels, const char *sentence);
void refuses_text(const char *text, const sustain_read_options *options, const char *sentence);

/* Reads a file while each allocation fails in turn: refused each time, without a leak; then reads
 * it. */
void survives_lack_of_memory(const char *path, const sustain_read_options *options);

#endif

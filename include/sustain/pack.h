/** @file pack.h - data sets in one file that is mapped when it is read: safetensors, with tensors
 *  `features` (or `values`, `columns` and `start` of sparse rows), `labels`, `targets`, `trusted`.
 *  docs/formats.md has it byte by byte; sustain_dataset_read() reads it.
 *
 *      static sustain_status fill(void *user, sustain_pack *pack) {
 *          return sustain_pack_add_file(pack, "huge.csv", &options);
 *      }
 *      sustain_pack_write(context, "huge.safetensors", fill, NULL, &rows);
 *
 *  Rows are written as they come: of those written, labels, marks and the starts of sparse rows
 *  alone are kept in memory. */
#ifndef SUSTAIN_PACK_H
#define SUSTAIN_PACK_H

#include <sustain/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A file that is being written. */
typedef struct sustain_pack sustain_pack;

/** Adds all rows, with the functions below. */
typedef sustain_status (*sustain_pack_fill)(void *user, sustain_pack *pack);

/** Writes a file: to a temporary name, renamed when it is complete. *rows, unless NULL, becomes the
 *  number of its rows. */
sustain_status sustain_pack_write(sustain_context *context, const char *path, sustain_pack_fill fill, void *user, int64_t *rows);

/** Adds the rows of a set. Rows of another kind or with other columns than those before are
 *  refused. */
sustain_status sustain_pack_add(sustain_pack *pack, const sustain_dataset *set);

/** Adds the rows of a file of any format that sustain_dataset_read() knows. Text that is not
 *  compressed is read a piece of some million bytes at a time: an encoding of tables is fitted to
 *  the first piece, unless options->encoding is set. float16 stays float16. Progress goes to the
 *  context's log. */
sustain_status sustain_pack_add_file(sustain_pack *pack, const char *path, const sustain_read_options *options);

/** Adds one row, a picture (channels, height, width), with its label; NULL: none. */
sustain_status sustain_pack_add_picture(sustain_pack *pack, sustain_picture shape, const uint8_t *pixels, const char *label);

#ifdef __cplusplus
}
#endif
#endif

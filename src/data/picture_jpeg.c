/* picture_jpeg.c - JPEG by libjpeg, whose errors jump back to decode(). Its warnings mean that
 * pixels were invented because the file is cut off or damaged, so they are errors here, with one
 * exception: extra bytes between two markers are harmless, and cameras write them. */
#include "data/picture.h"

#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>
#include <jerror.h>

enum {
    EXIF = JPEG_APP0 + 1, /* the segment of Exif, also used for other data */
    LONGEST_SEGMENT = 0xffff
};
enum {
    MOST_SCANS = 100
}; /* of a progressive file; ten are usual, and each takes the time of a
    * whole picture */

typedef struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf back;
    char message[JMSG_LENGTH_MAX];
    sustain_context *context;
    const char *path;
    sustain__raster *out;
    uint8_t *row; /* of four channels; belongs to libjpeg */
} decoder;

bool sustain__is_jpeg(const unsigned char *bytes, size_t length) {
    return length >= 3 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff;
}

/* ---- what libjpeg calls ---- */

static void give_up(j_common_ptr jpeg) {
    decoder *d = jpeg->client_data;
    jpeg->err->format_message(jpeg, d->message);
    longjmp(d->back, 1);
}

static void on_message(j_common_ptr jpeg, int level) {
    if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA) give_up(jpeg);
}

static void on_progress(j_common_ptr jpeg) {
    if (((j_decompress_ptr)jpeg)->input_scan_number > MOST_SCANS) ERREXIT(jpeg, JERR_BAD_PROGRESSION);
}

/* ---- pixels ---- */

/* Adobe's programs write inverted inks, 255 for none, and mark the file. */
static void inks_to_colours(const uint8_t *inks, bool inverted, int64_t width, uint8_t *colours) {
    for (int64_t i = 0; i < width; i++)
        for (int c = 0; c < 3; c++) {
            const int ink = inverted ? inks[4 * i + c] : 255 - inks[4 * i + c], black = inverted ? inks[4 * i + 3] : 255 - inks[4 * i + 3];
            colours[3 * i + c] = (uint8_t)((ink * black + 127) / 255);
        }
}

static void read_rows(decoder *d) {
    struct jpeg_decompress_struct *jpeg = &d->jpeg;
    const bool inks = jpeg->out_color_space == JCS_CMYK;
    if (inks) d->row = jpeg->mem->alloc_small((j_common_ptr)jpeg, JPOOL_IMAGE, (size_t)jpeg->output_width * 4);
    while (jpeg->output_scanline < jpeg->output_height) {
        uint8_t *to = d->out->owned + jpeg->output_scanline * d->out->row_step;
        JSAMPROW row = inks ? d->row : to;
        jpeg_read_scanlines(jpeg, &row, 1);
        if (inks) inks_to_colours(d->row, jpeg->saw_Adobe_marker, d->out->width, to);
    }
}

static void turn_upright(decoder *d) {
    jpeg_saved_marker_ptr segment = d->jpeg.marker_list;
    while (segment != NULL && !sustain__is_exif(segment->data, segment->data_length)) segment = segment->next;
    if (segment != NULL) sustain__raster_turn(d->out, sustain__exif_orientation(segment->data, segment->data_length));
}

/* No local variable changes after setjmp: all state is in the decoder. */
static sustain_status decode(decoder *d, const unsigned char *bytes, size_t length) {
    struct jpeg_decompress_struct *jpeg = &d->jpeg;
    if (setjmp(d->back) != 0)
        return sustain__fail(d->context, SUSTAIN_FORMAT, "%s: the JPEG picture is cut off or damaged (%s): copy it again, or remove it",
                             d->path, d->message);
    jpeg_create_decompress(jpeg);
    jpeg->progress = &d->progress;
    jpeg_mem_src(jpeg, bytes, (unsigned long)length);
    jpeg_save_markers(jpeg, EXIF, LONGEST_SEGMENT);
    jpeg_read_header(jpeg, TRUE);
    const bool inks = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    const bool grey = jpeg->jpeg_color_space == JCS_GRAYSCALE;
    jpeg->out_color_space = inks ? JCS_CMYK : grey ? JCS_GRAYSCALE : JCS_RGB;
    SUSTAIN_TRY(sustain__raster_allocate(d->context, d->path, grey ? 1 : 3, jpeg->image_height, jpeg->image_width, d->out));
    jpeg_start_decompress(jpeg);
    read_rows(d);
    turn_upright(d); /* before libjpeg discards the segments */
    jpeg_finish_decompress(jpeg);
    return SUSTAIN_OK;
}

sustain_status sustain__decode_jpeg(sustain_context *context, const char *path, const unsigned char *bytes, size_t length,
                                    sustain__raster *out) {
    decoder d = {.context = context, .path = path, .out = out, .progress = {.progress_monitor = on_progress}};
    *out = (sustain__raster){.owned = NULL};
    d.jpeg.err = jpeg_std_error(&d.errors);
    d.jpeg.client_data = &d;
    d.errors.error_exit = give_up;
    d.errors.emit_message = on_message;
    const sustain_status status = decode(&d, bytes, length);
    jpeg_destroy_decompress(&d.jpeg);
    if (status != SUSTAIN_OK) {
        sustain__free(context, out->owned);
        out->owned = NULL;
    }
    return status;
}

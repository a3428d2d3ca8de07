/* assets.h - report.css and the scripts, as cmake/assets.cmake makes them into C. */
#ifndef SUSTAIN_REPORT_ASSETS_H
#define SUSTAIN_REPORT_ASSETS_H

extern const unsigned char report_css[], report_js[]; /* closed by a zero */

#endif

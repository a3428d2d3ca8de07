/** @file version.h - the version of the headers and of the library. */
#ifndef SUSTAIN_VERSION_H
#define SUSTAIN_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define SUSTAIN_VERSION_MAJOR 0
#define SUSTAIN_VERSION_MINOR 1
#define SUSTAIN_VERSION_PATCH 0

/** The version of these headers as one number: compare with sustain_version_number(). */
#define SUSTAIN_VERSION_NUMBER (SUSTAIN_VERSION_MAJOR * 10000 + SUSTAIN_VERSION_MINOR * 100 + SUSTAIN_VERSION_PATCH)

/** The version of the library in use, "major.minor.patch". */
const char *sustain_version(void);

/** The version of the library in use, as SUSTAIN_VERSION_NUMBER counts it. */
int sustain_version_number(void);

/** What the library computes with: "float" or "double". */
const char *sustain_precision(void);

#ifdef __cplusplus
}
#endif
#endif

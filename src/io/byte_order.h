/* byte_order.h - numbers in files are little endian on every machine. */
#ifndef SUSTAIN_IO_BYTE_ORDER_H
#define SUSTAIN_IO_BYTE_ORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

bool sustain__host_is_big(void);

/* From the order of files to that of the machine, or back, in place: `count` numbers of `size`
 * bytes. */
void sustain__little_endian(void *numbers, size_t count, size_t size);

/* Writes them in the order of files. */
bool sustain__write_little(FILE *to, const void *numbers, size_t count, size_t size);

/* A hash of the bytes that sustain__write_little() writes. */
uint64_t sustain__hash_little(const void *numbers, size_t count, size_t size, uint64_t seed);

#endif

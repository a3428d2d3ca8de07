/* npz.h - the members of an NPZ file. */
#ifndef SUSTAIN_DATA_NPZ_H
#define SUSTAIN_DATA_NPZ_H

#include "data/formats.h"

typedef struct sustain__member {
    char name[128]; /* without .npy */
    unsigned method;
    uint32_t crc;
    uint64_t packed, size, local; /* lengths, and the offset of its local header */
} sustain__member;

/* Finds a member by name. *found: whether it exists. Refused: a damaged directory. */
sustain_status sustain__npz_find(const sustain__input *input, const char *name, sustain__member *out, bool *found);

/* All bytes of a member: in place if it is stored uncompressed, else unpacked into *owned, which
 * the caller frees. */
sustain_status sustain__npz_bytes(const sustain__input *input, const sustain__member *member, const unsigned char **bytes,
                                  unsigned char **owned);

/* A sparse matrix as scipy.sparse.save_npz() writes it. */
bool sustain__is_sparse_npz(const sustain__input *input);
sustain_status sustain__parse_sparse_npz(sustain__input *input);

#endif

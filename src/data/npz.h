/* npz.h - the members of an NPZ file. */
#ifndef SUSTAIN_DATA_NPZ_H
#define SUSTAIN_DATA_NPZ_H

#include "data/formats.h"

typedef struct sustain__member {
    char name[128]; /* without .npy */
    unsigned method;
    uint32_t crc;
    uint64_t packed, size, local; /* lengths, and where its own header is */
} sustain__member;

/* The member of that name. *found says whether there is one; a damaged directory is refused. */
sustain_status sustain__npz_find(const sustain__input *input, const char *name, sustain__member *out, bool *found);

/* All bytes of a member: in place where it is stored, else unpacked into *owned, which the caller frees. */
sustain_status sustain__npz_bytes(const sustain__input *input, const sustain__member *member, const unsigned char **bytes,
                                  unsigned char **owned);

/* A sparse matrix as scipy.sparse.save_npz() writes it. */
bool sustain__is_sparse_npz(const sustain__input *input);
sustain_status sustain__parse_sparse_npz(sustain__input *input);

#endif

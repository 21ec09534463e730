/* Files with a checksum (base/bytes.h) for fuzzers: the bytes as they are, and with the checksum set right, or nothing
 * behind it would ever be reached. */
#ifndef SCENT_TESTS_FRAMED_H
#define SCENT_TESTS_FRAMED_H

#include "base/bytes.h"
#include "base/hash.h"

#include <stdlib.h>

static inline void framed_try(const uint8_t *data, size_t len, uint64_t seed, void (*try_file)(struct str bytes))
{
    char *copy = malloc(len + 1);
    uint64_t sum;

    SCENT_BUG_IF(!copy);
    if (len)
        memcpy(copy, data, len);
    try_file((struct str){copy, len});
    if (len > FRAME_TAIL) {
        sum = hash_bytes(copy, len - FRAME_TAIL, seed);
        for (int i = 0; i < FRAME_TAIL; i++)
            copy[len - FRAME_TAIL + (size_t)i] = (char)(sum >> 8 * i);
        try_file((struct str){copy, len});
    }
    free(copy);
}

#endif

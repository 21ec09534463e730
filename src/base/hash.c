/* XXH3, compiled in. */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_bytes(const void *p, size_t len, uint64_t seed)
{
    return XXH3_64bits_withSeed(len ? p : "", len, seed);
}

/* XXH3, compiled in. */
#include "base/hash.h"

#include "base/status.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <xxhash.h>

uint64_t hash_bytes(const void *p, size_t len, uint64_t seed)
{
    return XXH3_64bits_withSeed(len ? p : "", len, seed);
}

/* The state of XXH3 wants more alignment than malloc() gives. */
struct hash_stream {
    XXH3_state_t *state;
};

struct hash_stream *hash_stream_new(uint64_t seed)
{
    struct hash_stream *stream = calloc(1, sizeof *stream);

    SCENT_BUG_IF(!stream || !(stream->state = XXH3_createState()));
    XXH3_64bits_reset_withSeed(stream->state, seed);
    return stream;
}

void hash_stream_add(struct hash_stream *stream, struct str piece)
{
    XXH3_64bits_update(stream->state, piece.len ? piece.p : "", piece.len);
}

uint64_t hash_stream_end(struct hash_stream *stream)
{
    uint64_t hash = XXH3_64bits_digest(stream->state);

    XXH3_freeState(stream->state);
    free(stream);
    return hash;
}

/* hash - one hash function for the whole program: XXH3, 64 bits, with a seed. */
#ifndef SCENT_BASE_HASH_H
#define SCENT_BASE_HASH_H

#include "base/str.h"

uint64_t hash_bytes(const void *p, size_t len, uint64_t seed);

static inline uint64_t hash_str(struct str s, uint64_t seed)
{
    return hash_bytes(s.p, s.len, seed);
}

/* The same of bytes that come in pieces; the end gives the hash and frees the stream. */
struct hash_stream;
struct hash_stream *hash_stream_new(uint64_t seed);
void hash_stream_add(struct hash_stream *stream, struct str piece);
uint64_t hash_stream_end(struct hash_stream *stream);

/* A good mixture of two words; for keys that are numbers already. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    uint64_t x = a ^ (b * 0x9E3779B97F4A7C15u);

    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    return x ^ (x >> 32);
}

#endif

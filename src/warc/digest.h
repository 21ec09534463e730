/* digest - the labelled digests of WARC headers ("sha1:" and base32), for this folder; and keyed ones, for trace, since
 * one module alone knows OpenSSL.
 *
 * Pure; any thread. SHA-1 here names content as every archive does; it protects nothing. */
#ifndef SCENT_WARC_DIGEST_H
#define SCENT_WARC_DIGEST_H

#include "base/str.h"

enum {
    DIGEST_BASE32 = 33, /* 32 letters and a terminator */
    DIGEST_KEYED = 32   /* bytes */
};

/* Of `a` followed by `b`. */
void digest_sha1(struct str a, struct str b, char out[DIGEST_BASE32]);

/* Does `data` have the digest that a WARC header states ("sha1:BASE32", "sha-256:hex", base64 too)? *known is false
 * when the algorithm or the spelling is unknown to us. */
bool digest_matches(struct str stated, struct str data, bool *known);

/* HMAC-SHA-256 (RFC 2104): who has not the key cannot tell what `data` was. */
void digest_keyed(struct str key, struct str data, unsigned char out[DIGEST_KEYED]);

#endif

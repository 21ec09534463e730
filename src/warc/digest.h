/* digest - the labelled digests of WARC headers ("sha1:" and base32); for this folder.
 *
 * Pure; any thread. SHA-1 here names content as every archive does; it protects nothing. */
#ifndef SCENT_WARC_DIGEST_H
#define SCENT_WARC_DIGEST_H

#include "base/str.h"

enum { DIGEST_BASE32 = 33 }; /* 32 letters and a terminator */

/* Of `a` followed by `b`. */
void digest_sha1(struct str a, struct str b, char out[DIGEST_BASE32]);

/* Does `data` have the digest that a WARC header states ("sha1:BASE32", "sha-256:hex", base64 too)? *known is false
 * when the algorithm or the spelling is none that we know. */
bool digest_matches(struct str stated, struct str data, bool *known);

#endif

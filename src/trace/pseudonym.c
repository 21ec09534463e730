#include "trace/pseudonym.h"

#include "base/escape.h"
#include "warc/digest.h"

void pseudonym_make(struct str key, struct str name, char out[PSEUDONYM_LEN])
{
    unsigned char digest[DIGEST_KEYED];

    digest_keyed(key, name, digest);
    escape_hex(digest, PSEUDONYM_LEN / 2, out);
}

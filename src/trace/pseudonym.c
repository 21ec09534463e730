#include "trace/pseudonym.h"

#include "warc/digest.h"

void pseudonym_make(struct str key, struct str name, char out[PSEUDONYM_LEN])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char digest[DIGEST_KEYED];

    digest_keyed(key, name, digest);
    for (int i = 0; i < PSEUDONYM_LEN; i++)
        out[i] = hex[i % 2 ? digest[i / 2] & 15 : digest[i / 2] >> 4];
}

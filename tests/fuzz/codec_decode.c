/* The first byte chooses the encoding, the rest is the body. No input may crash, hang or pass the cap. */
#include "codec/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const char *const encodings[] = {"gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate, gzip"};
    enum { CHOICES = sizeof encodings / sizeof *encodings, CAP = 100000 };
    struct buf out;
    enum codec_end end;
    scent_status status;
    struct str body;

    if (len == 0)
        return 0;
    body = (struct str){(const char *)data + 1, len - 1};
    buf_init(&out, CAP);
    if (data[0] % (CHOICES + 1) < CHOICES)
        status = codec_decode(str_of(encodings[data[0] % (CHOICES + 1)]), body, &out, &end);
    else
        status = codec_dechunk(body, &out, &end);
    SCENT_BUG_IF(status != SCENT_OK || out.len > CAP || (end == CODEC_CUT_CAP && out.len > CAP));
    buf_release(&out);
    return 0;
}

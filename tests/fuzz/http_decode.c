/* The first byte chooses the encoding, the rest is the body. No input may pass the cap; of half a body the result is a
 * part of the whole's; and what we pack ourselves comes back as it was. */
#include "http/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { CAP = 100000 };

static void decode(unsigned choice, struct str body, struct buf *out)
{
    static const char *const encodings[] = {"gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate, gzip"};
    enum { CHOICES = sizeof encodings / sizeof *encodings };
    enum http_end end;
    scent_status status;

    buf_init(out, CAP);
    if (choice % (CHOICES + 1) < CHOICES)
        status = http_decode(str_of(encodings[choice % (CHOICES + 1)]), body, out, &end);
    else
        status = http_dechunk(body, out, &end);
    SCENT_BUG_IF(status != SCENT_OK || out->len > CAP);
    /* In a chain an inner result may be what was cut. */
    SCENT_BUG_IF(end == HTTP_CUT_CAP && out->len < CAP && choice % (CHOICES + 1) < 4);
}

static void check_half(unsigned choice, struct str body, struct str whole)
{
    struct buf half;

    decode(choice, str_sub(body, 0, body.len / 2), &half);
    SCENT_BUG_IF(!str_starts(whole, buf_str(&half)));
    buf_release(&half);
}

static void check_packed(struct str body)
{
    static struct http_packer *packer;
    struct buf packed, out;
    enum http_end end;
    size_t used;

    if (!packer)
        packer = http_packer_new(HTTP_GZIP, 1);
    buf_init(&packed, 0);
    buf_init(&out, 0);
    SCENT_BUG_IF(http_pack(packer, body, &packed) != SCENT_OK);
    SCENT_BUG_IF(http_gunzip_member(buf_str(&packed), &out, &used, &end) != SCENT_OK || end != HTTP_WHOLE);
    SCENT_BUG_IF(used != packed.len || !str_eq(buf_str(&out), body));
    buf_release(&packed);
    buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str body;
    struct buf out;

    if (len == 0)
        return 0;
    body = (struct str){(const char *)data + 1, len - 1};
    decode(data[0], body, &out);
    check_half(data[0], body, buf_str(&out));
    check_packed(body);
    buf_release(&out);
    return 0;
}

#include "cluster/batch.h"

#include <float.h>
#include <math.h>

/* The first byte of a record: what it is, and a flag of a link. */
enum { RECORD_LINK = 1, RECORD_SEED = 0x80 };

/* ---- records ---- */

static float finite_of(float value)
{
    if (isnan(value))
        return 0;
    return isinf(value) ? copysignf(FLT_MAX, value) : value;
}

/* Most strategies use few of their bytes: zeros at the end are cut off. */
static void put_own(struct buf *out, const uint8_t own[BATCH_OWN_BYTES])
{
    size_t len = BATCH_OWN_BYTES;

    while (len && !own[len - 1])
        len--;
    bytes_put_str(out, (struct str){(const char *)own, len}, 1);
}

static void get_own(struct bytes *in, uint8_t own[BATCH_OWN_BYTES])
{
    struct str kept = bytes_get_str(in, 1, BATCH_OWN_BYTES);

    memset(own, 0, BATCH_OWN_BYTES);
    if (kept.len)
        memcpy(own, kept.p, kept.len);
}

void batch_put_link(struct buf *out, const struct batch_link *link)
{
    bytes_put(out, (uint64_t)(RECORD_LINK | (link->seed ? RECORD_SEED : 0)), 1);
    bytes_put_float(out, finite_of(link->priority));
    bytes_put_varint(out, link->depth);
    bytes_put(out, link->off_domain, 1);
    bytes_put(out, link->redirects, 1);
    put_own(out, link->own);
    bytes_put_str(out, link->url, 2);
}

bool batch_get_link(struct bytes *in, struct batch_link *out)
{
    uint64_t tag, depth;

    if (in->wrong || !bytes_left(in))
        return false;
    tag = bytes_get(in, 1);
    bytes_check(in, (tag & ~(uint64_t)RECORD_SEED) == RECORD_LINK, "a record is of no known kind");
    out->seed = tag & RECORD_SEED;
    out->priority = bytes_get_float(in);
    depth = bytes_get_varint(in);
    bytes_check(in, depth <= UINT16_MAX, "a depth is out of range");
    out->depth = (uint16_t)depth;
    out->off_domain = (uint8_t)bytes_get(in, 1);
    out->redirects = (uint8_t)bytes_get(in, 1);
    get_own(in, out->own);
    out->url = bytes_get_str(in, 2, BATCH_URL_MAX);
    return bytes_check(in, out->url.len > 0, "a URL is empty");
}

/* ---- bodies ---- */

scent_status batch_pack(struct http_packer *packer, struct str records, struct buf *out)
{
    return http_pack(packer, records, out);
}

scent_status batch_unpack(struct str body, size_t max, struct buf *out)
{
    struct http_inflater *inflater;
    enum http_step step;
    size_t used;
    scent_status status;

    buf_clear(out);
    if (!http_is_zstd_frame(body))
        return SCENT_E_FORMAT;
    inflater = http_inflater_new_zstd(NULL);
    status = http_inflater_feed(inflater, body, max + 1, out, &used, &step);
    http_inflater_free(inflater);
    if (status != SCENT_OK)
        return status;
    return step == HTTP_STEP_DONE && used == body.len && out->len <= max ? SCENT_OK : SCENT_E_FORMAT;
}

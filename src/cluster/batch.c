#include "cluster/batch.h"

#include <float.h>
#include <math.h>

/* The first byte of a record: what it is, and a flag. */
enum { RECORD_LINK = 1, RECORD_SEED = 0x80, RECORD_COUNTED = 0x80, RECORD_AGAIN = 0x40 };

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

static uint16_t get_depth(struct bytes *in)
{
    uint64_t depth = bytes_get_varint(in);

    return bytes_check(in, depth <= UINT16_MAX, "a depth is out of range") ? (uint16_t)depth : 0;
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
    uint64_t tag;

    if (in->wrong || !bytes_left(in))
        return false;
    tag = bytes_get(in, 1);
    bytes_check(in, (tag & ~(uint64_t)RECORD_SEED) == RECORD_LINK, "a record is of no known kind");
    out->seed = tag & RECORD_SEED;
    out->priority = bytes_get_float(in);
    out->depth = get_depth(in);
    out->off_domain = (uint8_t)bytes_get(in, 1);
    out->redirects = (uint8_t)bytes_get(in, 1);
    get_own(in, out->own);
    out->url = bytes_get_str(in, 2, BATCH_URL_MAX);
    return bytes_check(in, out->url.len > 0, "a URL is empty");
}

/* ---- state ---- */

static void put_short(struct buf *out, struct str text)
{
    bytes_put_str(out, str_sub(text, 0, text.len < BATCH_ERROR_MAX ? text.len : BATCH_ERROR_MAX), 1);
}

void batch_put_url(struct buf *out, const struct batch_url *url)
{
    bytes_put(out, (uint64_t)(BATCH_URL | (url->seed ? RECORD_SEED : 0)), 1);
    bytes_put(out, url->fingerprint, 8);
    bytes_put_str(out, url->url, 2);
    bytes_put(out, url->state, 1);
    bytes_put_float(out, finite_of(url->priority));
    bytes_put_varint(out, url->depth);
    bytes_put(out, url->off_domain, 1);
    bytes_put(out, url->redirects, 1);
    bytes_put(out, url->tries, 1);
    put_own(out, url->own);
    put_short(out, url->error);
}

static void get_url(struct bytes *in, uint8_t states, struct batch_url *out)
{
    out->fingerprint = bytes_get(in, 8);
    out->url = bytes_get_str(in, 2, BATCH_URL_MAX);
    out->state = (uint8_t)bytes_get(in, 1);
    bytes_check(in, out->state < states, "a URL has no known state");
    out->priority = bytes_get_float(in);
    out->depth = get_depth(in);
    out->off_domain = (uint8_t)bytes_get(in, 1);
    out->redirects = (uint8_t)bytes_get(in, 1);
    out->tries = (uint8_t)bytes_get(in, 1);
    get_own(in, out->own);
    out->error = bytes_get_str(in, 1, BATCH_ERROR_MAX);
}

void batch_put_host(struct buf *out, const struct batch_host *host)
{
    bytes_put(out, BATCH_HOST, 1);
    bytes_put_str(out, host->name, 2);
    bytes_put_varint(out, host->delay_us > 0 ? (uint64_t)host->delay_us : 0);
    bytes_put_varint(out, host->not_before > 0 ? (uint64_t)host->not_before : 0);
    bytes_put_varint(out, host->failures);
}

static void get_host(struct bytes *in, struct batch_host *out)
{
    uint64_t delay, not_before, failures;

    out->name = bytes_get_str(in, 2, BATCH_NAME_MAX);
    delay = bytes_get_varint(in);
    not_before = bytes_get_varint(in);
    failures = bytes_get_varint(in);
    bytes_check(in, out->name.len > 0, "a host has no name");
    bytes_check(in, delay < INT64_MAX / 2 && not_before < INT64_MAX / 2 && failures <= UINT32_MAX,
                "a number of a host is out of range");
    out->delay_us = (int64_t)delay;
    out->not_before = (int64_t)not_before;
    out->failures = (uint32_t)failures;
}

void batch_put_page(struct buf *out, const struct batch_page *page)
{
    bytes_put(out, (uint64_t)(BATCH_PAGE | (page->counted ? RECORD_COUNTED : 0) | (page->again ? RECORD_AGAIN : 0)), 1);
    bytes_put_varint(out, page->number);
    bytes_put(out, page->relevant, 1);
    bytes_put_float(out, finite_of(page->score));
    bytes_put_str(out, page->url, 2);
    bytes_put_varint(out, page->wall > 0 ? (uint64_t)page->wall : 0);
    bytes_put_varint(out, page->status);
    put_short(out, page->mime);
    put_short(out, page->digest);
    put_short(out, page->warc_file);
    bytes_put_varint(out, page->warc_offset);
    bytes_put_varint(out, page->warc_length);
    bytes_put_varint(out, page->bytes);
    bytes_put(out, page->simhash, 8);
}

static void get_page(struct bytes *in, struct batch_page *out)
{
    uint64_t wall, status;

    out->number = bytes_get_varint(in);
    out->relevant = bytes_get(in, 1);
    out->score = bytes_get_float(in);
    out->url = bytes_get_str(in, 2, BATCH_URL_MAX);
    wall = bytes_get_varint(in);
    status = bytes_get_varint(in);
    out->mime = bytes_get_str(in, 1, BATCH_ERROR_MAX);
    out->digest = bytes_get_str(in, 1, BATCH_ERROR_MAX);
    out->warc_file = bytes_get_str(in, 1, BATCH_ERROR_MAX);
    out->warc_offset = bytes_get_varint(in);
    out->warc_length = bytes_get_varint(in);
    out->bytes = bytes_get_varint(in);
    out->simhash = bytes_get(in, 8);
    bytes_check(in, out->url.len > 0, "a page has no URL");
    bytes_check(in, wall < INT64_MAX / 2 && status < 1000, "a number of a page is out of range");
    out->wall = (int64_t)wall;
    out->status = (uint32_t)status;
}

void batch_put_verdict(struct buf *out, const struct batch_verdict *verdict)
{
    bytes_put(out, BATCH_VERDICT, 1);
    bytes_put_varint(out, verdict->number);
    bytes_put(out, verdict->relevant, 1);
    bytes_put_float(out, finite_of(verdict->score));
}

static void put_time(struct buf *out, int64_t time)
{
    bytes_put_varint(out, time > 0 ? (uint64_t)time : 0);
}

static int64_t get_time(struct bytes *in)
{
    uint64_t time = bytes_get_varint(in);

    return bytes_check(in, time < INT64_MAX / 2, "a time is out of range") ? (int64_t)time : 0;
}

void batch_put_revisit(struct buf *out, const struct batch_revisit *revisit)
{
    bytes_put(out, (uint64_t)(BATCH_REVISIT | (revisit->has_page ? RECORD_COUNTED : 0)), 1);
    bytes_put(out, revisit->fingerprint, 8);
    bytes_put_varint(out, revisit->visits);
    bytes_put_varint(out, revisit->changes);
    put_time(out, revisit->first);
    put_time(out, revisit->last);
    put_time(out, revisit->next);
    if (!revisit->has_page)
        return;
    put_time(out, revisit->wall);
    put_short(out, revisit->digest);
    put_short(out, revisit->etag.len <= BATCH_ERROR_MAX ? revisit->etag : STR_NONE);
    put_short(out, revisit->last_modified.len <= BATCH_ERROR_MAX ? revisit->last_modified : STR_NONE);
    bytes_put(out, revisit->robots, 1);
    bytes_put_float(out, finite_of(revisit->score));
}

static void get_revisit(struct bytes *in, struct batch_revisit *out)
{
    uint64_t visits, changes;

    out->fingerprint = bytes_get(in, 8);
    visits = bytes_get_varint(in);
    changes = bytes_get_varint(in);
    bytes_check(in, visits <= UINT32_MAX && changes <= visits, "a number of visits is out of range");
    out->visits = (uint32_t)visits;
    out->changes = (uint32_t)changes;
    out->first = get_time(in);
    out->last = get_time(in);
    out->next = get_time(in);
    if (!out->has_page)
        return;
    out->wall = get_time(in);
    out->digest = bytes_get_str(in, 1, BATCH_ERROR_MAX);
    out->etag = bytes_get_str(in, 1, BATCH_ERROR_MAX);
    out->last_modified = bytes_get_str(in, 1, BATCH_ERROR_MAX);
    out->robots = (uint8_t)bytes_get(in, 1);
    out->score = bytes_get_float(in);
}

bool batch_get_state(struct bytes *in, uint8_t states, struct batch_state *out)
{
    uint64_t tag;

    if (in->wrong || !bytes_left(in))
        return false;
    tag = bytes_get(in, 1);
    memset(out, 0, sizeof *out);
    switch (tag & ~(uint64_t)RECORD_SEED) {
    case BATCH_REVISIT:
        out->kind = BATCH_REVISIT;
        out->revisit.has_page = tag & RECORD_COUNTED;
        get_revisit(in, &out->revisit);
        break;
    case BATCH_URL:
        out->kind = BATCH_URL;
        out->url.seed = tag & RECORD_SEED;
        get_url(in, states, &out->url);
        break;
    case BATCH_HOST:
        out->kind = BATCH_HOST;
        get_host(in, &out->host);
        break;
    case BATCH_PAGE:
    case BATCH_PAGE | RECORD_AGAIN:
        out->kind = BATCH_PAGE;
        out->page.again = tag & RECORD_AGAIN;
        out->page.counted = tag & RECORD_COUNTED;
        get_page(in, &out->page);
        break;
    case BATCH_VERDICT:
        out->kind = BATCH_VERDICT;
        out->verdict.number = bytes_get_varint(in);
        out->verdict.relevant = bytes_get(in, 1);
        out->verdict.score = bytes_get_float(in);
        break;
    default:
        bytes_check(in, false, "a record is of no known kind");
    }
    return !in->wrong;
}

/* ---- bodies ---- */

enum { PACK_LEVEL = 3 };

struct http_packer *batch_packer_new(void)
{
    return http_packer_new(HTTP_ZSTD, PACK_LEVEL);
}

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

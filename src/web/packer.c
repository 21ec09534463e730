#include "web/packer.h"

#include "base/clock.h"
#include "base/file.h"
#include "http/http.h"
#include "warc/warc.h"

#include <stdlib.h>

enum { PACK_LEVEL = 6, FLUSH_BYTES = 1024 * 1024 };

struct packer {
    struct warc_writer *writer;
    struct http_deflater *deflater;
    struct rng rng;
    struct clock clock;
    int64_t wall;
    struct buf records; /* not yet written */
    uint64_t count;
};

static int64_t tell_wall(void *ctx)
{
    return *(const int64_t *)ctx;
}

static scent_status refuse_used(const char *dir, struct errmsg *err)
{
    struct file_list list;
    scent_status status;

    if (!file_is_dir(dir))
        return SCENT_OK;
    status = file_list(dir, ".warc.gz", &list, err);
    if (status == SCENT_OK && list.count > 0)
        status = errmsg_fail(err, SCENT_E_INVALID, "%s already holds a collection (%s); name a new folder", dir,
                             list.names[0]);
    file_list_release(&list);
    return status;
}

scent_status packer_open(const char *dir, int64_t wall, struct packer **out, struct errmsg *err)
{
    struct warc_writer_options options = {.dir = dir, .prefix = "web", .software = "scent/" SCENT_VERSION,
                                          .level = PACK_LEVEL};
    struct packer *packer;
    scent_status status = refuse_used(dir, err);

    if (status != SCENT_OK)
        return status;
    packer = calloc(1, sizeof *packer);
    SCENT_BUG_IF(!packer);
    packer->wall = wall;
    packer->clock = (struct clock){tell_wall, tell_wall, &packer->wall};
    options.clock = &packer->clock;
    rng_seed(&packer->rng, 1);
    buf_init(&packer->records, 0);
    status = warc_writer_open(&options, NULL, &packer->rng, &packer->writer, err);
    if (status != SCENT_OK) {
        free(packer);
        return status;
    }
    packer->deflater = http_deflater_new(PACK_LEVEL);
    *out = packer;
    return SCENT_OK;
}

static scent_status flush(struct packer *packer, struct errmsg *err)
{
    struct warc_position at;
    scent_status status = SCENT_OK;

    if (packer->records.len > 0)
        status = warc_writer_append(packer->writer, buf_str(&packer->records), &at, err);
    buf_clear(&packer->records);
    return status;
}

scent_status packer_add(struct packer *packer, struct str url, int64_t wall, struct str head, struct str body,
                        struct errmsg *err)
{
    struct warc_exchange exchange = {.url = url, .wall = wall, .protocol = STR("http/1.1"), .response_head = head,
                                     .body = body};
    struct warc_span span;
    char digest[33];
    scent_status status =
        warc_build_exchange(&exchange, &packer->rng, packer->deflater, &packer->records, &span, digest);

    if (status != SCENT_OK)
        return errmsg_fail(err, status, "no memory for the record of %.*s", STR_ARG(url));
    packer->count++;
    return packer->records.len < FLUSH_BYTES ? SCENT_OK : flush(packer, err);
}

uint64_t packer_count(const struct packer *packer)
{
    return packer->count;
}

scent_status packer_close(struct packer *packer, struct errmsg *err)
{
    struct warc_position end;
    scent_status status, closed;

    if (!packer)
        return SCENT_OK;
    status = flush(packer, err);
    closed = warc_writer_close(packer->writer, &end, status == SCENT_OK ? err : NULL);
    http_deflater_free(packer->deflater);
    buf_release(&packer->records);
    free(packer);
    return status != SCENT_OK ? status : closed;
}

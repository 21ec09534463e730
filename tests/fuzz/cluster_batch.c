/* Any bytes are the body of a row of the log, or are refused. What was read is put again, and read again: it is the same. */
#include "cluster/batch.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void read_links(struct str records)
{
    struct bytes in = bytes_of(records), again;
    struct batch_link link, same;
    struct buf out;

    buf_init(&out, 0);
    while (batch_get_link(&in, &link)) {
        SCENT_BUG_IF(link.url.len == 0 || link.url.len > BATCH_URL_MAX);
        buf_clear(&out);
        batch_put_link(&out, &link);
        again = bytes_of(buf_str(&out));
        SCENT_BUG_IF(!batch_get_link(&again, &same) || !str_eq(same.url, link.url) || same.depth != link.depth ||
                     memcmp(same.own, link.own, sizeof same.own) != 0);
    }
    buf_release(&out);
}

static void read_state(struct str records)
{
    struct bytes in = bytes_of(records), again;
    struct batch_state state, same;
    struct buf out;

    buf_init(&out, 0);
    while (batch_get_state(&in, 7, &state)) {
        buf_clear(&out);
        if (state.kind == BATCH_URL)
            batch_put_url(&out, &state.url);
        else if (state.kind == BATCH_HOST)
            batch_put_host(&out, &state.host);
        else if (state.kind == BATCH_PAGE)
            batch_put_page(&out, &state.page);
        else if (state.kind == BATCH_VERDICT)
            batch_put_verdict(&out, &state.verdict);
        else
            batch_put_revisit(&out, &state.revisit);
        again = bytes_of(buf_str(&out));
        SCENT_BUG_IF(!batch_get_state(&again, 7, &same) || same.kind != state.kind);
        SCENT_BUG_IF(state.kind == BATCH_URL && (!str_eq(same.url.error, state.url.error) || state.url.state >= 7));
        SCENT_BUG_IF(state.kind == BATCH_REVISIT && (same.revisit.next != state.revisit.next ||
                                                     !str_eq(same.revisit.etag, state.revisit.etag)));
        SCENT_BUG_IF(state.kind == BATCH_VERDICT && same.verdict.number != state.verdict.number);
        SCENT_BUG_IF(state.kind == BATCH_HOST && same.host.delay_us != state.host.delay_us);
    }
    buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str bytes = {(const char *)data, len};
    struct buf records;

    read_links(bytes);
    read_state(bytes);
    buf_init(&records, (1 << 20) + 1);
    if (batch_unpack(bytes, 1 << 20, &records) == SCENT_OK) {
        read_links(buf_str(&records));
        read_state(buf_str(&records));
    }
    buf_release(&records);
    return 0;
}

/* Any bytes as an archive file: no crash, no loop, and the strings of a record can be read. */
#include "warc/cdxj.h"
#include "warc/warc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void touch(struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        volatile char c = s.p[i];

        (void)c;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct warc_reader *reader = warc_reader_open_memory((struct str){(const char *)data, len});
    struct warc_record record;
    struct errmsg err;
    struct buf line;
    size_t records = 0;

    buf_init(&line, 0);
    while (warc_reader_next(reader, &record, &err) == SCENT_OK) {
        SCENT_BUG_IF(++records > 2000 * len); /* zstd packs at most 32 KiB into one: this would be a loop */
        SCENT_BUG_IF(record.damaged != (record.damage != NULL));
        touch(record.url);
        touch(record.date);
        touch(record.headers);
        touch(record.http_head);
        touch(record.payload);
        touch(record.whole);
        warc_record_check_digest(&record); /* reads the block */
        buf_clear(&line);
        if (cdxj_add(&(struct cdxj_entry){.url = record.url, .date = record.date, .file = STR("f")}, &line) != SCENT_OK)
            break;
    }
    buf_release(&line);
    warc_reader_close(reader);
    return 0;
}

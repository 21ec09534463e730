#include "crawldir/record_reader.h"

#include "crawldir/crawldir.h"

#include <inttypes.h>

void record_reader_close(struct record_reader *reader)
{
    warc_reader_close(reader->reader);
    reader->reader = NULL;
    reader->name.len = 0;
}

scent_status record_reader_find(struct record_reader *reader, const struct store_page *page, struct str url,
                                struct warc_record *out, struct errmsg *err)
{
    scent_status status;

    if (!reader->reader || !str_eq(reader->name, page->warc_file)) {
        struct crawldir_path path;

        record_reader_close(reader);
        SCENT_TRY(crawldir_warc_path(reader->dir, page->warc_file, &path, err));
        if (page->warc_file.len > sizeof reader->name_room)
            return errmsg_fail(err, SCENT_E_FORMAT, "the name of its WARC file is too long");
        SCENT_TRY(warc_reader_open(path.text, &reader->reader, err));
        memcpy(reader->name_room, page->warc_file.p, page->warc_file.len);
        reader->name = (struct str){reader->name_room, page->warc_file.len};
    }
    status = warc_reader_seek(reader->reader, page->warc_offset, 0, err);
    if (status == SCENT_OK)
        status = warc_reader_next(reader->reader, out, err);
    if (status == SCENT_E_END)
        return errmsg_fail(err, SCENT_E_FORMAT, "the file ends before it");
    if (status == SCENT_OK && (out->offset != page->warc_offset || !str_eq(out->url, url)))
        return errmsg_fail(err, SCENT_E_FORMAT, "there is another record at byte %" PRIu64, page->warc_offset);
    return status;
}

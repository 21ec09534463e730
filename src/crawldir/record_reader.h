/* record_reader - WARC records of a crawl by their page rows, in any order; fastest in that of the rows.
 *
 * A file stays open between records. Begins with {.dir = …}; the owner closes it. Thread: the owner's. */
#ifndef SCENT_CRAWLDIR_RECORD_READER_H
#define SCENT_CRAWLDIR_RECORD_READER_H

#include "store/store.h"
#include "warc/warc.h"

struct record_reader {
    const char *dir;
    struct str name; /* of the open file, in name_room */
    char name_room[256];
    struct warc_reader *reader;
};
void record_reader_close(struct record_reader *reader);
/* The record of the row. SCENT_E_FORMAT: it is not there, or of something else; SCENT_E_IO and others: its file. */
SCENT_NODISCARD scent_status record_reader_find(struct record_reader *reader, const struct store_page *page,
                                                struct str url, struct warc_record *out, struct errmsg *err);

#endif

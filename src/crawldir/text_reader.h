/* text_reader - the content of archived pages as text, with what the crawl knew of blocks that repeat on a host.
 *
 * Thread: the owner's. */
#ifndef SCENT_CRAWLDIR_TEXT_READER_H
#define SCENT_CRAWLDIR_TEXT_READER_H

#include "page/page.h"
#include "store/store.h"
#include "warc/warc.h"

struct text_reader;
SCENT_NODISCARD scent_status text_reader_new(struct store *store, enum page_form form, struct text_reader **out,
                                             struct errmsg *err);
void text_reader_free(struct text_reader *reader); /* NULL is fine */
/* The content of the page, until the next call; at most `cap` bytes of it, whole characters. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status text_reader_read(struct text_reader *reader, const struct warc_record *record, size_t cap,
                                              struct str *out);

#endif

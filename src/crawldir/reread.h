/* reread - pages of a crawl, read back from its WARC files and analysed as they were when they came.
 *
 * A file stays open between pages, so that a walk in the order of page rows reads each file once from its beginning to
 * its end. Thread: the owner's; several may read one directory. */
#ifndef SCENT_CRAWLDIR_REREAD_H
#define SCENT_CRAWLDIR_REREAD_H

#include "crawldir/crawldir.h"
#include "page/page.h"
#include "page/repeats.h"
#include "topic/centroid.h"
#include "topic/topic.h"
#include "warc/warc.h"

struct reread;
/* `topic` and `dir` outlive it; `key` is the crawl's, and `pdf` as in struct page_options. Never NULL. */
struct reread *reread_new(const char *dir, const struct topic *topic, uint64_t key, struct page_reader pdf);
/* Pages come without links: for judges that look at none. */
struct reread *reread_words_new(const char *dir, const struct topic *topic, struct page_reader pdf);
void reread_free(struct reread *reread); /* NULL is fine */

/* The record of the row as it is; valid until the next call. */
SCENT_NODISCARD scent_status reread_record(struct reread *reread, const struct store_page *row, struct warc_record *out,
                                           struct errmsg *err);
/* *out is valid until the next call, and lies in *arena with whatever else belongs to the page. Blocks that repeat are
 * not dropped yet: repeats_apply(). */
SCENT_NODISCARD scent_status reread_page(struct reread *reread, const struct store_page *row, struct str href,
                                         struct page *out, struct arena **arena, struct errmsg *err);

/* The same with the content that it had when it came: blocks that were known to repeat on its host are dropped. */
SCENT_NODISCARD scent_status reread_content(struct reread *reread, struct store *store, const struct store_page *row,
                                            struct str href, struct page *out, struct arena **arena,
                                            struct errmsg *err);

/* The sum of the seeds' pages, as a crawl takes their first versions; at most `most` of them. `by_url`: in the order of
 * their URLs, so that the last digit does not depend on the order of the crawl; else in that of the page rows. */
SCENT_NODISCARD scent_status reread_seeds(struct reread *reread, struct store *store, uint64_t most, bool by_url,
                                          struct centroid *out, struct errmsg *err);
/* What centroid_keep_page() gives for a seed that asked not to be archived is kept as the value of this name. */
struct reread_example_name {
    char text[32];
};
struct reread_example_name reread_example_name(uint32_t url);

#endif

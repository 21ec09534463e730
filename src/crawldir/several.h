/* several - several crawl directories as one collection: a page that two of them have counts once.
 *
 * The workers of one crawl divide the web by registered domain, so that a URL is visited by one of them; but a worker
 * that took over from another may have visited it again, and mirrors on other domains are known within a worker only.
 * Of such pages the first that is met counts, but for one whose host has moved to another worker, which has visited it
 * again and found a new version: that one counts.
 * 40 to 64 bytes a page. Thread: the owner's. */
#ifndef SCENT_CRAWLDIR_SEVERAL_H
#define SCENT_CRAWLDIR_SEVERAL_H

#include "base/str.h"
#include "store/store.h"

enum several_page {
    SEVERAL_NEW,
    SEVERAL_SAME_URL,     /* another directory has a page of this URL */
    SEVERAL_SAME_CONTENT, /* another directory has a page with these bytes */
    SEVERAL_OLD,          /* another directory has a newer version of it */
};

struct several;
struct several *several_new(void); /* never NULL */
void several_free(struct several *several); /* NULL is fine */
/* Which new versions this directory has: of all directories, before the first page is met. Reads all page rows. */
SCENT_NODISCARD scent_status several_look(struct several *several, size_t directory, struct store *store,
                                          struct errmsg *err);
/* A page of this directory. Within one directory all are new: a crawl has found its copies itself. One that is not new
 * stays unknown. */
enum several_page several_meet(struct several *several, size_t directory, const struct store_page *page,
                               struct str url);

#endif

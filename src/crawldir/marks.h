/* marks - what people said of pages of a crawl: wanted or not. Such pages are examples from then on.
 *
 * The file marks.tsv of a crawl directory: a line for each mark, "2026-11-16T09:00:00Z<TAB>yes<TAB>URL", with no, or
 * none where a mark is undone. Lines are only ever appended, each with one write and synced, so that a crawl that runs
 * and several people may use it at once and a kill loses nothing; the last line of a URL counts. What is not such a
 * line, as half of one after a power cut, is passed over.
 * Thread: any; `struct marks` is its owner's. */
#ifndef SCENT_CRAWLDIR_MARKS_H
#define SCENT_CRAWLDIR_MARKS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/status.h"
#include "base/str.h"

#define MARKS_FILE "marks.tsv"
enum { MARKS_FILE_MAX = 64 << 20 };

enum mark { MARK_NONE, MARK_NO, MARK_YES };

struct marks_item {
    struct str url;
    enum mark mark;
    struct str when; /* of the last line */
};

struct marks {
    struct marks_item *items; /* in the order of their first lines; those that were undone have MARK_NONE */
    size_t count, room;
    size_t yes, no;
    uint64_t sum; /* of all marks that hold, in any order: another number, other marks; 0: there are none */
    struct map by_url;
    struct arena arena;
};

/* No file: no marks. On failure there is nothing to release. */
SCENT_NODISCARD scent_status marks_load(const char *dir, struct marks *out, struct errmsg *err);
void marks_release(struct marks *marks);
enum mark marks_of(const struct marks *marks, struct str url);
const char *marks_name(enum mark mark); /* "none", "no", "yes" */

/* MARK_NONE undoes. SCENT_E_INVALID: the URL has control characters, or the file is a symbolic link. */
SCENT_NODISCARD scent_status marks_set(const char *dir, struct str url, enum mark mark, int64_t wall,
                                       struct errmsg *err);
/* Writes the file anew without the URLs that `forget` names: they are to be forgotten. */
SCENT_NODISCARD scent_status marks_forget(const char *dir, bool (*forget)(void *ctx, struct str url), void *ctx,
                                          struct errmsg *err);

#endif

/* soft404 - is this page of status 200 really an error page?
 *
 * Signs are put together as if they were independent: 1 - (1 - a)(1 - b)…, lowered for long pages, since an error page
 * says little else. From SOFT404_THRESHOLD on a page counts as one. Title and headline weigh most; the phrases are
 * those of 19 languages. What says nothing of the kind and only looks odd stays below.
 * Hosts are not asked for a path that cannot exist, to compare with what they answer: it is a visit more for each host,
 * and what looks broken in their logs.
 * Cost: some microseconds. A struct soft404 never changes: any thread. */
#ifndef SCENT_PAGE_SOFT404_H
#define SCENT_PAGE_SOFT404_H

#include "page/page.h"

#define SOFT404_THRESHOLD 0.5

enum soft404_reason {
    SOFT404_TITLE = 1,    /* the title says so */
    SOFT404_HEADING = 2,  /* the first heading does */
    SOFT404_TEXT = 4,     /* the first words do */
    SOFT404_URL = 8,      /* 404, not-found, … in the path */
    SOFT404_NOINDEX = 16,
    SOFT404_SHORT = 32,
    SOFT404_REASONS = 64
};

struct soft404_verdict {
    double score;     /* 0 to 1 */
    unsigned reasons; /* enum soft404_reason */
};

struct soft404;
struct soft404 *soft404_new(void); /* the phrases; never NULL */
void soft404_free(struct soft404 *soft404);

struct soft404_verdict soft404_judge(const struct soft404 *soft404, const struct page *page);
/* "title, heading, short": the reasons as a list, at most `room` bytes with the terminator. */
void soft404_list(unsigned reasons, char *out, size_t room);

#endif

/* survey - which pages does a web have, and under which names? The first pass over a collection.
 *
 * An archive lists its URLs. A generated web is walked from its hubs and home pages, breadth first, up to a number of
 * pages; its traps are left out. One thread. */
#ifndef SCENT_LAB_SURVEY_H
#define SCENT_LAB_SURVEY_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/status.h"
#include "frontier/seen.h"
#include "web/web.h"

/* How the URLs of a collection are normalised: enum url_normal_flags. */
enum { SURVEY_URL_FLAGS = 3 };
#define SURVEY_NONE UINT32_MAX

struct survey_name {
    struct str href;
    uint32_t page;  /* SURVEY_NONE: it leads nowhere */
    uint32_t moved; /* the name that it redirects to; SURVEY_NONE */
    uint8_t hops;   /* redirects that led to it, where that is how it was found */
};

struct survey {
    struct arena arena;
    struct seen seen; /* of `names` */
    struct survey_name *names;
    size_t count, room;
    uint32_t npages; /* numbered in the order of their names */
};

/* Which of them are taken. */
struct survey_limits {
    uint32_t max_pages;
    const struct str *exclude; /* globs: what has such a URL is no page, as if the web did not have it */
    size_t nexclude;
};
SCENT_NODISCARD scent_status survey_web(const struct web *web, const struct survey_limits *limits, struct survey *out,
                                        struct errmsg *err);
void survey_release(struct survey *survey);
/* The page behind a URL's fingerprint. */
bool survey_find(const struct survey *survey, uint64_t fingerprint, uint32_t *page);

#endif

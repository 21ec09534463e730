/* browsing - what a person visited: which pages, in which order, from where, and which of them were marked useful.
 *
 * Pages have dense numbers in the order in which they came; a page's name is its normalised URL, as a crawl knows it.
 * A page can be marked without a visit: a bookmark is such a mark. Memory: 16 bytes a visit, 28 bytes a page and the
 * text of its URL. Owner: whoever made it; one thread while it grows, any thread after that. */
#ifndef SCENT_TRACE_BROWSING_H
#define SCENT_TRACE_BROWSING_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "trace/trace.h"

#define BROWSING_NONE UINT32_MAX
#define BROWSING_MEMORY_MAX ((size_t)80 << 20) /* some 600,000 visits to as many pages, or 5 million to a few */

struct browsing_visit {
    int64_t time;  /* microseconds since 1970; 0: not known */
    uint32_t page;
    uint32_t from; /* the earlier visit whose page led here; BROWSING_NONE: typed, a bookmark, or not known */
};

struct browsing;
struct browsing *browsing_new(void); /* empty; never NULL */
void browsing_free(struct browsing *browsing); /* NULL is fine */

/* The URL as a crawl knows it. SCENT_E_INVALID: not one of http or https; SCENT_E_LIMIT: too long. */
SCENT_NODISCARD scent_status browsing_href(struct arena *arena, struct str url, struct str *out);

/* `from` is an earlier visit or BROWSING_NONE. SCENT_E_INVALID and SCENT_E_LIMIT: as above, or the memory
 * is full. On error nothing changes. */
SCENT_NODISCARD scent_status browsing_add_visit(struct browsing *browsing, struct str url, int64_t time, uint32_t from,
                                                uint32_t *visit);
/* The last mark of a page counts; that a page is not useful after all takes its mark back. */
SCENT_NODISCARD scent_status browsing_add_mark(struct browsing *browsing, struct str url, int64_t time, bool useful);

struct browsing_size {
    uint32_t visits, pages;
    uint32_t useful;       /* pages that are marked */
    uint32_t only_marked;  /* of these, pages without a visit */
    uint32_t linked;       /* visits of which it is known from where */
    int64_t first, last;   /* the earliest and the latest known time of a visit; 0: none is known */
};
struct browsing_size browsing_size(const struct browsing *browsing); /* counts: once over everything */
uint32_t browsing_visits(const struct browsing *browsing);
bool browsing_is_full(const struct browsing *browsing); /* it has BROWSING_MEMORY_MAX: nothing more is taken in */

const struct browsing_visit *browsing_at(const struct browsing *browsing, uint32_t visit);
struct str browsing_url(const struct browsing *browsing, uint32_t page);
bool browsing_is_useful(const struct browsing *browsing, uint32_t page);
int64_t browsing_marked_at(const struct browsing *browsing, uint32_t page); /* 0: not marked, or nobody knows when */
bool browsing_find_page(const struct browsing *browsing, struct str url, uint32_t *page); /* normalises the URL */
/* The latest visit of a page; BROWSING_NONE: it was only marked. */
uint32_t browsing_last_visit(const struct browsing *browsing, uint32_t page);

/* Files of JSON lines (docs/internals/formats.md), plain or gzip, as one. SCENT_E_INVALID with file and line: a line is
 * none of these; a last line that was cut off by a crash is told to `log` and passed over. SCENT_E_VERSION: a later
 * scent's. */
SCENT_NODISCARD scent_status browsing_load(const char *const *paths, size_t count, const struct log *log,
                                           struct browsing **out, struct errmsg *err);
SCENT_NODISCARD scent_status browsing_save(const struct browsing *browsing, const char *path, struct errmsg *err);
SCENT_NODISCARD scent_status browsing_write(const struct browsing *browsing, struct buf *out);

/* A list: the URL of a visit on each line, in order, and after a tab the URL from where, which was visited before.
 * Empty lines and lines that begin with # do not count. SCENT_E_INVALID with file and line. */
SCENT_NODISCARD scent_status browsing_read_list(struct browsing *browsing, const char *path, struct errmsg *err);
/* A list of useful pages, one URL a line. */
SCENT_NODISCARD scent_status browsing_read_marks(struct browsing *browsing, const char *path, struct errmsg *err);
/* Accesses of a trace as visits, each from the one before it in its session. A log does not tell the page that led on;
 * who needs to know looks for the link. */
SCENT_NODISCARD scent_status browsing_add_accesses(struct browsing *browsing, const struct trace *trace,
                                                   struct trace_range range);

/* ---- events: a line of a browsing file, and what the recorder takes ---- */

struct json;
enum { BROWSING_VERSION = 1, BROWSING_TITLE_MAX = 512 };

enum browsing_kind {
    BROWSING_VISIT,      /* {"visit": URL, "time": ISO date, "from": URL, "title": text}; the URL must be there */
    BROWSING_USEFUL,     /* {"useful": URL, "time": ISO date, "title": text} */
    BROWSING_NOT_USEFUL, /* {"not_useful": URL, "time": ISO date}: takes a mark back */
    BROWSING_FORMAT      /* {"browsing": 1} */
};

struct browsing_event {
    enum browsing_kind kind;
    struct str url, from; /* normalised; from is empty where it is not a URL of http or https */
    struct str title;     /* for people: at most BROWSING_TITLE_MAX bytes */
    int64_t time;         /* 0: not known */
};

/* Text lives in `arena` and in `value`. SCENT_E_INVALID: `value` is no such object; SCENT_E_VERSION. */
SCENT_NODISCARD scent_status browsing_event_read(struct arena *arena, const struct json *value,
                                                 struct browsing_event *out, struct errmsg *err);

/* ---- parts ---- */

/* Which part of it to take; visits and marks alike. */
struct browsing_limits {
    int64_t since, until;     /* [since, until) in microseconds since 1970; 0: no limit. A time that is not known is
                                 outside of any */
    const char *const *hosts; /* with the hosts below them: example.org has www.example.org */
    size_t nhosts;            /* 0: all */
};
struct browsing_left {
    uint64_t dates, hosts; /* visits and marks that were left out */
};
/* Adds that part of `all` to `browsing`. A visit from one that is left out comes from nowhere. */
SCENT_NODISCARD scent_status browsing_add_part(struct browsing *browsing, const struct browsing *all,
                                               const struct browsing_limits *limits, struct browsing_left *left);

/* ---- recording: a browsing file that grows while a person browses ----
 *
 * What recording_add() has answered with SCENT_OK is on the disk. The file is locked: one recorder a file. Only its
 * owner can read it. Owner: whoever opened it. One thread. */

struct recording;
/* Goes on behind what the file has; half a line at its end, which a crash left, is cut off and told to `log`.
 * SCENT_E_INVALID, SCENT_E_VERSION: it is not a browsing file, and stays as it is. SCENT_E_LOCKED: another one
 * records. */
SCENT_NODISCARD scent_status recording_open(const char *path, const struct log *log, struct recording **out,
                                            struct errmsg *err);
void recording_close(struct recording *recording); /* NULL is fine */

/* All or none of them. SCENT_E_FULL: the disk is full, or the file has 1 GiB. */
SCENT_NODISCARD scent_status recording_add(struct recording *recording, const struct browsing_event *events,
                                           size_t count, struct errmsg *err);
/* What was added since it was opened; marks that were taken back do not count. */
struct recording_counts {
    uint64_t visits, useful;
};
struct recording_counts recording_counts(const struct recording *recording);

#endif

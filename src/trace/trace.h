/* trace - who looked at which page, and when: the accesses of people, read from the logs of servers and proxies.
 *
 * A trace holds accesses sorted by user and time, cut into sessions, and for every page where its accesses are. Users
 * and pages have dense numbers, in the order of their names; a page's name is its normalised URL, as a crawl knows it.
 * Memory: 28 bytes an access, and the text of the names with 4 bytes each. A trace does not change: any thread. */
#ifndef SCENT_TRACE_TRACE_H
#define SCENT_TRACE_TRACE_H

#include "base/buf.h"
#include "base/log.h"

enum trace_format {
    TRACE_GUESS,    /* by the first lines of each file */
    TRACE_SQUID,    /* Squid's native log */
    TRACE_COMMON,   /* NCSA's Common log format */
    TRACE_COMBINED, /* the same with referrer and user agent */
    TRACE_PLAIN     /* time user url */
};
enum { TRACE_FORMATS = 5 };

/* Why a line is no access. */
enum trace_left {
    TRACE_LEFT_BINARY,   /* control characters */
    TRACE_LEFT_LONG,     /* longer than 64 KiB */
    TRACE_LEFT_COLUMNS,  /* not the columns of the format: cut off, or another format */
    TRACE_LEFT_TIME,     /* no date between 1970 and 2100 */
    TRACE_LEFT_URL,      /* no URL of http or https */
    TRACE_LEFT_URL_LONG, /* longer than SCENT_URL_MAX */
    TRACE_LEFT_SITE,     /* a path, and no base was given */
    TRACE_LEFT_METHOD,   /* not GET */
    TRACE_LEFT_STATUS,   /* neither 2xx nor 304 */
    TRACE_LEFT_TYPE,     /* no page: by the content type, or by the suffix where that is not known */
    TRACE_LEFT_BOT,      /* by the user agent; all accesses of who has read a robots.txt */
    TRACE_LEFT_FULL,     /* the first one for which there was no memory; the import ended there */
    TRACE_LEFT_REASONS
};

const char *trace_left_name(enum trace_left reason); /* a word, for machines */
const char *trace_left_text(enum trace_left reason); /* for people */

/* What an import met. Every line is an access or is left out for one reason; empty ones and comments do not count. */
struct trace_counts {
    uint64_t files, lines;
    uint64_t left[TRACE_LEFT_REASONS];
    uint64_t backwards; /* lines that are earlier than one before them; kept, since accesses are sorted */
    uint64_t unknown;   /* files that are in no format that we know: left out whole */
    uint64_t damaged;   /* compressed files that end early or are damaged: read as far as they go */
};

struct trace_access {
    int64_t time; /* microseconds since 1970 */
    uint32_t user, page;
    uint32_t session; /* numbered through, by user and time */
};

struct trace_options {
    enum trace_format format;
    struct str base;       /* the site whose log has paths only; empty: such lines are left out */
    struct str key;        /* for the pseudonyms of users: the same key, the same pseudonyms */
    bool keep_users;       /* names as they are in the logs */
    int64_t idle;          /* microseconds without an access that end a session */
    size_t memory;         /* bytes; where they are full, an import ends */
    unsigned url_flags;    /* enum url_normal_flags: how pages get their names; as a crawl does by default */
};
/* Some 1.2 million accesses to as many pages, or 3 million to a few. */
#define TRACE_MEMORY ((size_t)160 << 20)
struct trace_options trace_options_default(void); /* guess, no base, an empty key, 30 minutes, TRACE_MEMORY */

struct trace;
/* Reads all `logs` (plain or gzip) as one trace, in one pass, until the memory is full. A line that does not fit is
 * counted and never an error; `log` is told of files that are left out or damaged, of the end of the memory, and every
 * few seconds of how far the import is.
 * SCENT_E_INVALID: the base is not a URL. SCENT_E_IO, SCENT_E_NOTFOUND: a file cannot be read. */
SCENT_NODISCARD scent_status trace_import(const char *const *logs, size_t count, const struct trace_options *options,
                                          const struct log *log, struct trace **out, struct errmsg *err);
void trace_free(struct trace *trace); /* NULL is fine */

/* An access that no log tells of, as simulations make them; `url` is normalised as a crawl does by default. */
struct trace_given {
    int64_t time;
    struct str user, url;
};
/* A trace of these, users under their own names; a session ends as by default. SCENT_E_NOMEM, SCENT_E_LIMIT. */
SCENT_NODISCARD scent_status trace_simulated(const struct trace_given *accesses, size_t count, struct trace **out);

/* Which accesses make a part of a trace, and what their pages are called in it. */
struct trace_cut {
    int64_t from, until; /* at `from` or later, and before `until` */
    /* The page's name in the part, valid until the next call: several pages may become one. Empty: its accesses are
     * left out. NULL: all keep their names. */
    struct str (*name)(void *ctx, struct str url);
    void *ctx;
};
/* One trace of those accesses of all `traces`; sessions are cut anew, by the idle time of the first. What was counted
 * when they were imported is added up. */
SCENT_NODISCARD scent_status trace_part(const struct trace *const *traces, size_t count, const struct trace_cut *cut,
                                        struct trace **out, struct errmsg *err);
/* Before which time lies this share (0 to 1) of the accesses? INT64_MAX for 1. Those of one moment are not divided:
 * fewer lie before it, then. */
int64_t trace_time_at(const struct trace *trace, double share);

/* One file with version and checksum (docs/internals/formats.md), the same for the same accesses. */
SCENT_NODISCARD scent_status trace_save(const struct trace *trace, const char *path, struct errmsg *err);
SCENT_NODISCARD scent_status trace_load(const char *path, struct trace **out, struct errmsg *err);
/* Does it begin as such a file does? False for logs, and for what cannot be read. */
bool trace_is_saved(const char *path);
SCENT_NODISCARD scent_status trace_write(const struct trace *trace, struct buf *out);
SCENT_NODISCARD scent_status trace_read(struct str bytes, const char *name, struct trace **out, struct errmsg *err);

struct trace_size {
    uint32_t users, pages, accesses, sessions;
    int64_t first, last; /* the earliest and the latest time; 0 without accesses */
    int64_t idle;
    bool keep_users;
};
struct trace_size trace_size(const struct trace *trace);
const struct trace_counts *trace_counts(const struct trace *trace);
/* The same for the same accesses, whatever they were read from. Reads all of them. */
uint64_t trace_fingerprint(const struct trace *trace);

struct str trace_url(const struct trace *trace, uint32_t page);
struct str trace_user_name(const struct trace *trace, uint32_t user);
/* `href` is normalised as a crawl does by default. Costs a binary search. */
bool trace_find_page(const struct trace *trace, struct str href, uint32_t *page);

/* Accesses have positions, 0 to accesses - 1, by user and time. */
struct trace_range {
    uint32_t begin, end; /* positions [begin, end) */
};
const struct trace_access *trace_at(const struct trace *trace, uint32_t position);
struct trace_range trace_of_user(const struct trace *trace, uint32_t user);
/* The positions of the accesses of a page, ascending. */
const uint32_t *trace_of_page(const struct trace *trace, uint32_t page, uint32_t *count);
/* `position` with up to `before` accesses before it and `after` behind it, of the same session. */
struct trace_range trace_around(const struct trace *trace, uint32_t position, uint32_t before, uint32_t after);

#endif

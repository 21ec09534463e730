/* store - the crawl database: schema, transactions, queries.
 *
 * crawl.db is a public interface that people open with sqlite3; docs/internals/formats.md tells its tables. WAL mode,
 * synchronous=FULL. One writer thread; readers (status, export) use their own handle, read-only.
 * A failed write leaves the transaction to be rolled back; nothing of it is visible. */
#ifndef SCENT_STORE_STORE_H
#define SCENT_STORE_STORE_H

#include "base/buf.h"
#include "base/status.h"
#include "base/str.h"

enum { STORE_VERSION = 11 };

struct store;
enum store_mode {
    STORE_READ,
    STORE_READ_ALONE, /* locked too: no crawl runs meanwhile */
    STORE_CHANGE,     /* as STORE_WRITE, but what is missing is not made: SCENT_E_NOTFOUND */
    STORE_WRITE
};
/* STORE_WRITE creates `dir`/crawl.db where it is missing and locks it for this process (SCENT_E_LOCKED: another
 * crawl uses it).
 * A database of an older version is brought up to ours, in one transaction; STORE_READ shows it as if it had been.
 * SCENT_E_VERSION: a schema that is newer than ours. SCENT_E_FORMAT: not a crawl database. */
SCENT_NODISCARD scent_status store_open(const char *dir, enum store_mode mode, struct store **out, struct errmsg *err);
void store_close(struct store *store);

/* At most so much memory for pages of the file, instead of 64 MiB. */
SCENT_NODISCARD scent_status store_set_cache(struct store *store, size_t bytes, struct errmsg *err);

/* All writes happen between begin and commit. */
SCENT_NODISCARD scent_status store_begin(struct store *store, struct errmsg *err);
SCENT_NODISCARD scent_status store_commit(struct store *store, struct errmsg *err);
void store_rollback(struct store *store);

/* What became of a URL. Stored as these words. */
enum store_url_state {
    STORE_SEEN,       /* "seen": never queued (scope, strategy) */
    STORE_QUEUED,     /* "queued" */
    STORE_FETCHED,    /* "fetched": there is a page row */
    STORE_REDIRECTED, /* "redirected": a page row with the 3xx */
    STORE_FAILED,     /* "failed": see error */
    STORE_DROPPED,    /* "dropped": a limit or the strategy took it out of the queue */
    STORE_PURGED,     /* "purged": removed for good; a hash stands for its text */
    STORE_URL_STATES
};
const char *store_url_state_text(enum store_url_state state);

/* Ids are the frontier's (row id = id + 1). */
struct store_url {
    uint32_t id, host;
    struct str url;
    enum store_url_state state;
    float priority;
    uint16_t depth;
    uint8_t off_domain, redirects, tries, flags;
    uint8_t own[16];
    uint32_t parent;     /* the URL it was first found on; STORE_NO_PARENT for seeds */
    struct str error;    /* why it failed or was left out; empty */
    struct str parts;    /* what the priority was made of when it was given (strategy/parts.h); empty: nobody said. An
                            update leaves those of the same priority */
    uint64_t purged;     /* STORE_PURGED: the fingerprint of what its text was; never 0 then */
};
#define STORE_NO_PARENT UINT32_MAX

/* What of a host must survive a restart. */
struct store_host {
    uint32_t id;
    struct str name;
    int64_t delay_us;    /* between visits, as it adapted; 0: the topic's */
    int64_t not_before;  /* wall clock: no visit before; 0: at once */
    uint32_t failures;   /* in a row */
    struct str ip;       /* that answered last */
    uint32_t pages;      /* that it gave */
    uint64_t purged;     /* the hash of what its name was; 0: it is not purged */
};

/* What a page asked of robots, where it was obeyed. */
enum store_page_robots {
    STORE_NOINDEX = 1,   /* it is no part of the collection: not exported, not in a search index */
    STORE_NOFOLLOW = 2,  /* its links were not queued */
    STORE_NOARCHIVE = 4  /* its body was not kept */
};

struct store_page {
    uint64_t number;     /* 1, 2, … in the order in which pages were examined */
    uint32_t url;
    int64_t wall;        /* when it was fetched */
    int status;
    struct str mime, charset, lang, title, digest, ip;
    uint64_t bytes;      /* decoded body */
    uint32_t words, links;
    int64_t took_us;
    bool counted;        /* a page of the crawl: 2xx and analysed; others are redirects, errors and exact copies */
    bool relevant;
    double score;
    uint32_t judge_version; /* id of the judge that said so; 0: none */
    bool first_relevant;    /* as it was judged when it came: what the strategy has learned from. For readers only */
    double first_score;
    uint32_t first_judge;
    float priority;      /* with which it was chosen */
    struct str warc_file;
    uint64_t warc_offset, warc_length; /* the response record; length 0: none */
    uint64_t simhash;    /* of its words; 0: none */
    uint64_t duplicate_of; /* number of the page that says the same, exactly (not counted) or nearly; 0: none */
    struct str etag, last_modified; /* for conditional requests; empty: none */
    uint8_t robots;      /* enum store_page_robots */
    uint64_t previous;    /* number of the page that this URL had before this visit; 0: it is the first visit */
    uint64_t replaced_by; /* number of the newer version of this page; 0: there is none. Then it is no longer counted */
};

/* A page that the collection shows. */
static inline bool store_page_is_shown(const struct store_page *page)
{
    return page->counted && !(page->robots & STORE_NOINDEX);
}

/* A page that was counted when it came, and the first of its URL: what the crawl learned from. */
static inline bool store_page_is_first(const struct store_page *page)
{
    return !page->previous && (page->counted || page->replaced_by);
}

/* An exact copy of the page that it names, not a near one (nor one that was replaced). Its record is a revisit. */
static inline bool store_page_is_revisit(const struct store_page *page)
{
    return page->duplicate_of && !page->counted && !page->replaced_by;
}

/* A judge whose verdicts stand in page rows. */
struct store_judge {
    uint32_t id;             /* 1, 2, …; the last is the crawl's */
    int64_t made;            /* wall clock */
    uint64_t digest;         /* of all that a verdict depends on, but for the blocks that repeat, which a page knows */
    struct str relevant, query; /* of the topic; `query` may be empty */
    struct str counts;       /* statistics of the query, the background sample included; empty: none */
};

/* The blocks of a page, or those that repeat on a host. */
struct store_blocks {
    uint64_t page; /* 0: of the host */
    uint32_t host;
    struct str blocks;
};

struct store_link {
    uint64_t page;       /* page number */
    uint32_t target;     /* url id */
    float priority;      /* the score that the strategy gave */
    uint8_t rel;
    struct str anchor;   /* at most 256 bytes */
};

/* A page, a stylesheet or a frame needs a file to look as it did. The page row is that of the document, the URL that of
 * the requisite (`flags` of a requisite). */
struct store_requisite {
    uint64_t page;
    uint32_t url; /* STORE_NO_URL: the document was looked through, and names none */
};
#define STORE_NO_URL UINT32_MAX

/* robots.txt of a host as it was last read. */
struct store_robots {
    uint32_t host;
    bool secure;              /* of https */
    int64_t fetched, expires; /* wall clock */
    int status;               /* HTTP; 0: no answer */
    struct str rules;         /* the file, or what was made of it */
};

/* What a name resolves to. */
struct store_dns {
    struct str name, addresses; /* addresses with spaces between them */
    int64_t expires;            /* wall clock */
    struct str failure;         /* why it does not resolve; empty */
};

/* When to visit a fetched URL again. A table of its own: most URLs are never fetched, and those that are change here
 * without their url row being written. */
struct store_revisit {
    uint32_t url;
    uint64_t page;       /* number of its last page that has content */
    int64_t next;        /* wall clock */
    uint32_t visits, changes;
    int64_t first, last; /* visits that said something about the page; wall clock */
    /* From the page row; for readers only. */
    int64_t wall;
    struct str digest, etag, last_modified;
    bool relevant;
    double score;
    uint8_t robots;
};

SCENT_NODISCARD scent_status store_add_host(struct store *store, uint32_t id, struct str name, struct errmsg *err);
/* All but its name. */
SCENT_NODISCARD scent_status store_update_host(struct store *store, const struct store_host *host, struct errmsg *err);
SCENT_NODISCARD scent_status store_add_url(struct store *store, const struct store_url *url, struct errmsg *err);
/* State, priority, depth, off_domain, redirects, tries, flags, own and error of a row that exists. */
SCENT_NODISCARD scent_status store_update_url(struct store *store, const struct store_url *url, struct errmsg *err);
SCENT_NODISCARD scent_status store_add_page(struct store *store, const struct store_page *page, struct errmsg *err);
/* Another verdict; the first one stays in the row. */
SCENT_NODISCARD scent_status store_judge_page(struct store *store, uint64_t number, bool relevant, double score,
                                              uint32_t judge, struct errmsg *err);
/* The same verdict by a judge that gives the same verdicts. */
SCENT_NODISCARD scent_status store_stamp_page(struct store *store, uint64_t number, uint32_t judge,
                                              struct errmsg *err);
/* The verdicts that stand become the first ones: a strategy learns from them anew. */
SCENT_NODISCARD scent_status store_settle_pages(struct store *store, struct errmsg *err);
SCENT_NODISCARD scent_status store_add_judge(struct store *store, const struct store_judge *judge, struct errmsg *err);
/* Of a page: a row that is there is replaced. Of a host: only after store_clear_repeated(). */
SCENT_NODISCARD scent_status store_put_blocks(struct store *store, const struct store_blocks *blocks,
                                              struct errmsg *err);
/* What was counted of a page; a row that is there is replaced. */
SCENT_NODISCARD scent_status store_put_counted(struct store *store, uint64_t page, struct str counted,
                                               struct errmsg *err);
SCENT_NODISCARD scent_status store_clear_repeated(struct store *store, struct errmsg *err);
/* All links of a page at once: a third cheaper than one by one. */
SCENT_NODISCARD scent_status store_add_links(struct store *store, const struct store_link *links, size_t count,
                                             struct errmsg *err);
/* A row that is there stays. */
SCENT_NODISCARD scent_status store_add_requisite(struct store *store, const struct store_requisite *requisite,
                                                 struct errmsg *err);
SCENT_NODISCARD scent_status store_add_event(struct store *store, int64_t wall, const char *kind, struct str text,
                                             struct errmsg *err);
/* Named values: the fingerprint key, the WARC's end, the strategy's checkpoint. */
SCENT_NODISCARD scent_status store_set(struct store *store, const char *name, struct str value, struct errmsg *err);
/* SCENT_E_NOTFOUND; appended to `out`. */
SCENT_NODISCARD scent_status store_get(struct store *store, const char *name, struct buf *out, struct errmsg *err);
/* With a * at the end of `name`: all that begin so. */
SCENT_NODISCARD scent_status store_unset(struct store *store, const char *name, struct errmsg *err);

/* A row that is there is replaced. */
SCENT_NODISCARD scent_status store_put_robots(struct store *store, const struct store_robots *robots,
                                              struct errmsg *err);
SCENT_NODISCARD scent_status store_put_dns(struct store *store, const struct store_dns *dns, struct errmsg *err);
SCENT_NODISCARD scent_status store_put_revisit(struct store *store, const struct store_revisit *revisit,
                                               struct errmsg *err);
/* A page has a newer version: it is no longer counted. */
SCENT_NODISCARD scent_status store_replace_page(struct store *store, uint64_t number, uint64_t by, struct errmsg *err);
/* The page asks for something else than when it was stored: enum store_page_robots. */
SCENT_NODISCARD scent_status store_set_page_robots(struct store *store, uint64_t number, uint8_t robots,
                                                   struct errmsg *err);
/* A revisit row for each counted page that has none, `interval` after it was fetched. */
SCENT_NODISCARD scent_status store_fill_revisits(struct store *store, int64_t interval, struct errmsg *err);
/* No page is due later than this. */
SCENT_NODISCARD scent_status store_bound_revisits(struct store *store, int64_t latest, struct errmsg *err);
/* Every page is due so much earlier. */
SCENT_NODISCARD scent_status store_advance_revisits(struct store *store, int64_t by, struct errmsg *err);

/* ---- a crawl of several workers (store_cluster.c) ---- */

/* What is to be written to the log of a partition, once; `id` grows for ever. */
struct store_outgoing {
    uint64_t id;
    uint8_t kind; /* enum cluster_kind */
    uint32_t part;
    struct str body;
};
/* How far the log of a partition has been read. */
struct store_place {
    uint32_t part;
    uint64_t epoch;
    uint64_t xid, row; /* of the last row of the log that was applied; 0, 0: none */
    uint64_t applied;  /* rows with links among them */
};
SCENT_NODISCARD scent_status store_add_outgoing(struct store *store, const struct store_outgoing *outgoing,
                                                struct errmsg *err);
/* Those up to `id` stand in the log: they are deleted, and `id` is remembered. */
SCENT_NODISCARD scent_status store_drop_outgoing(struct store *store, uint64_t id, struct errmsg *err);
/* The largest id that was ever used; 0: none was. */
SCENT_NODISCARD scent_status store_last_outgoing(struct store *store, uint64_t *id, struct errmsg *err);
/* With an id > after, in their order. */
typedef scent_status store_outgoing_fn(void *ctx, const struct store_outgoing *outgoing);
SCENT_NODISCARD scent_status store_each_outgoing(struct store *store, uint64_t after, store_outgoing_fn *fn, void *ctx,
                                                 struct errmsg *err);
/* Rows of this kind and partition with an id > after are not sent any more. */
SCENT_NODISCARD scent_status store_cancel_outgoing(struct store *store, uint8_t kind, uint32_t part, uint64_t after,
                                                   struct errmsg *err);
/* A page that another worker has fetched: what is known of it, for the next visit. `page` (NULL: as before) becomes a
 * row that is not counted, and its own previous one: its content lies elsewhere. Where this directory has an older
 * version of its own that one is replaced; where it has the same, or a newer one, the row is of no use. */
SCENT_NODISCARD scent_status store_import_revisit(struct store *store, const struct store_revisit *revisit,
                                                  const struct store_page *page, struct errmsg *err);
/* The page is another worker's: it is not counted any more, and its URL is `seen`, for this reason; or, if it was a new
 * version of a page, the old one is counted again. */
SCENT_NODISCARD scent_status store_disown_page(struct store *store, uint64_t number, struct str why,
                                               struct errmsg *err);
/* Another worker decides what becomes of the URL: one that was dropped, failed or led elsewhere is `seen`, for this
 * reason. */
SCENT_NODISCARD scent_status store_disown_url(struct store *store, uint32_t url, struct str why, struct errmsg *err);
/* A row that is there is replaced. */
SCENT_NODISCARD scent_status store_put_place(struct store *store, const struct store_place *place, struct errmsg *err);
typedef scent_status store_place_fn(void *ctx, const struct store_place *place);
SCENT_NODISCARD scent_status store_each_place(struct store *store, store_place_fn *fn, void *ctx, struct errmsg *err);

/* Readers; a callback that returns other than SCENT_OK ends the walk with that status. Rows come in order of id. */
typedef scent_status store_url_fn(void *ctx, const struct store_url *url);
/* `url` is the page's url row, whole. */
typedef scent_status store_page_fn(void *ctx, const struct store_page *page, const struct store_url *url);
typedef scent_status store_link_fn(void *ctx, const struct store_link *link, struct str from, struct str to);
typedef scent_status store_host_fn(void *ctx, const struct store_host *host);
typedef scent_status store_robots_fn(void *ctx, const struct store_robots *robots);
typedef scent_status store_dns_fn(void *ctx, const struct store_dns *dns);
typedef scent_status store_revisit_fn(void *ctx, const struct store_revisit *revisit);
typedef scent_status store_requisite_fn(void *ctx, const struct store_requisite *requisite);
typedef scent_status store_judge_fn(void *ctx, const struct store_judge *judge);
typedef scent_status store_blocks_fn(void *ctx, const struct store_blocks *blocks);
SCENT_NODISCARD scent_status store_each_judge(struct store *store, store_judge_fn *fn, void *ctx, struct errmsg *err);
/* Of all counted pages, in the order of their numbers; of one page; and those that repeat, by host. */
SCENT_NODISCARD scent_status store_each_blocks(struct store *store, store_blocks_fn *fn, void *ctx, struct errmsg *err);
SCENT_NODISCARD scent_status store_get_blocks(struct store *store, uint64_t page, store_blocks_fn *fn, void *ctx,
                                              struct errmsg *err);
/* Calls fn with what was counted of the page, as .blocks, if anything was. */
SCENT_NODISCARD scent_status store_get_counted(struct store *store, uint64_t page, store_blocks_fn *fn, void *ctx,
                                               struct errmsg *err);
SCENT_NODISCARD scent_status store_each_repeated(struct store *store, store_blocks_fn *fn, void *ctx,
                                                 struct errmsg *err);
SCENT_NODISCARD scent_status store_each_host(struct store *store, store_host_fn *fn, void *ctx, struct errmsg *err);
SCENT_NODISCARD scent_status store_each_url(struct store *store, store_url_fn *fn, void *ctx, struct errmsg *err);
/* The rows of these ids, in the order of `ids`; SCENT_E_NOTFOUND ends it. For a handle of another thread, read-only,
 * that loads the text of queued URLs: 2 to 4 us an id where the file is in memory. */
SCENT_NODISCARD scent_status store_get_urls(struct store *store, const uint32_t *ids, size_t count, store_url_fn *fn,
                                            void *ctx, struct errmsg *err);
SCENT_NODISCARD scent_status store_each_robots(struct store *store, store_robots_fn *fn, void *ctx, struct errmsg *err);
SCENT_NODISCARD scent_status store_each_dns(struct store *store, store_dns_fn *fn, void *ctx, struct errmsg *err);
SCENT_NODISCARD scent_status store_each_revisit(struct store *store, store_revisit_fn *fn, void *ctx,
                                                struct errmsg *err);
/* In the order of (next, url), from behind that of `after` on; `url` is its whole row. By an index: what lies before
 * costs nothing. */
typedef scent_status store_due_fn(void *ctx, const struct store_revisit *revisit, const struct store_url *url);
SCENT_NODISCARD scent_status store_each_due(struct store *store, const struct store_revisit *after, store_due_fn *fn,
                                            void *ctx, struct errmsg *err);
struct store_revisit_counts {
    uint64_t pages, due;
    int64_t next; /* the earliest of all; 0: there is none */
};
SCENT_NODISCARD scent_status store_count_revisits(struct store *store, int64_t now, struct store_revisit_counts *out,
                                                  struct errmsg *err);
/* Pages with number > after. */
SCENT_NODISCARD scent_status store_each_page(struct store *store, uint64_t after, store_page_fn *fn, void *ctx,
                                             struct errmsg *err);
/* One of them; `fn` is not called if it is not there. */
SCENT_NODISCARD scent_status store_get_page(struct store *store, uint64_t number, store_page_fn *fn, void *ctx,
                                            struct errmsg *err);
/* Those whose URL has one of these flags: a fifth of the cost of all. */
SCENT_NODISCARD scent_status store_each_flagged_page(struct store *store, uint8_t flags, store_page_fn *fn, void *ctx,
                                                     struct errmsg *err);
/* With number > after, counted and archived, and not judged by this judge. */
SCENT_NODISCARD scent_status store_each_stale_page(struct store *store, uint64_t after, uint32_t judge,
                                                   store_page_fn *fn, void *ctx, struct errmsg *err);
/* Counted pages that can be judged again, those that were not archived, and the largest number of a judge. */
struct store_judged {
    uint64_t pages, unkept;
    uint32_t most;
};
SCENT_NODISCARD scent_status store_count_judged(struct store *store, struct store_judged *out, struct errmsg *err);
/* In the order of (page, url). */
SCENT_NODISCARD scent_status store_each_requisite(struct store *store, store_requisite_fn *fn, void *ctx,
                                                  struct errmsg *err);
SCENT_NODISCARD scent_status store_each_link(struct store *store, store_link_fn *fn, void *ctx, struct errmsg *err);

/* One URL, its visits, and the links to it. Only ids are indexed: each call reads a table, and joins nothing but what
 * it finds. `fn` is not called for a URL that is not there. */
SCENT_NODISCARD scent_status store_find_url(struct store *store, struct str url, store_url_fn *fn, void *ctx,
                                            struct errmsg *err);
SCENT_NODISCARD scent_status store_each_page_of(struct store *store, uint32_t url, store_page_fn *fn, void *ctx,
                                                struct errmsg *err);
SCENT_NODISCARD scent_status store_each_link_to(struct store *store, uint32_t url, store_link_fn *fn, void *ctx,
                                                struct errmsg *err);

/* Slices of the tables, for whoever follows a crawl that runs: URLs from this id on; links from this row on, without
 * texts of URLs. */
SCENT_NODISCARD scent_status store_each_url_from(struct store *store, uint32_t id, store_url_fn *fn, void *ctx,
                                                 struct errmsg *err);
typedef scent_status store_link_row_fn(void *ctx, uint64_t row, const struct store_link *link);
SCENT_NODISCARD scent_status store_each_link_from(struct store *store, uint64_t row, store_link_row_fn *fn, void *ctx,
                                                  struct errmsg *err);
/* The links of one page. Rows are in the order of pages, so that the first is found by halving: 25 probes for 30
 * million links. */
SCENT_NODISCARD scent_status store_each_link_of(struct store *store, uint64_t page, store_link_row_fn *fn, void *ctx,
                                                struct errmsg *err);

struct store_counts {
    uint64_t pages, relevant, responses, links, hosts;
    uint64_t waiting; /* pages whose verdict is not of the crawl's judge, though they could be judged again */
    uint64_t urls[STORE_URL_STATES];       /* without requisites */
    uint64_t requisites[STORE_URL_STATES];
};
SCENT_NODISCARD scent_status store_count(struct store *store, struct store_counts *out, struct errmsg *err);
/* The number of links alone, quickly. */
SCENT_NODISCARD scent_status store_count_links(struct store *store, uint64_t *out, struct errmsg *err);
/* What was not fetched (failed, dropped, out of scope) by reason, without requisites, most frequent first: calls
 * fn(reason, count). */
SCENT_NODISCARD scent_status store_each_error(struct store *store,
                                              void (*fn)(void *ctx, struct str error, uint64_t count), void *ctx,
                                              struct errmsg *err);

/* The pages whose record lies in this WARC file, in the order of their offsets. Each call reads the whole table. */
SCENT_NODISCARD scent_status store_each_page_in(struct store *store, struct str warc_file, store_page_fn *fn, void *ctx,
                                                struct errmsg *err);
/* The WARC files that pages refer to. */
SCENT_NODISCARD scent_status store_each_file(struct store *store, scent_status (*fn)(void *ctx, struct str warc_file),
                                             void *ctx, struct errmsg *err);

/* Does it fit together: SQLite's own check, ids without gaps, references between rows, numbers? Calls fn with a line
 * for each fault. Reads everything; sorts in files. */
typedef void store_problem_fn(void *ctx, const char *line);
SCENT_NODISCARD scent_status store_check(struct store *store, store_problem_fn *fn, void *ctx, struct errmsg *err);

/* ---- purging: all in one transaction, then store_scrub ---- */

SCENT_NODISCARD scent_status store_purge_begin(struct store *store, struct errmsg *err); /* begins it */
/* Marks them; the hash will stand for the text, and must not be 0. */
SCENT_NODISCARD scent_status store_purge_url(struct store *store, uint32_t id, uint64_t fingerprint,
                                             struct errmsg *err);
SCENT_NODISCARD scent_status store_purge_host(struct store *store, uint32_t id, uint64_t hash, struct errmsg *err);
/* Events and reasons that hold this text. */
SCENT_NODISCARD scent_status store_purge_text(struct store *store, struct str text, struct errmsg *err);
/* Empties the rows of what was marked (url, page, host), and deletes the links of its pages, the anchors of links to
 * it, and its rows in robots, dns and revisit. URLs of a marked host must have been marked too. */
SCENT_NODISCARD scent_status store_purge_rows(struct store *store, struct errmsg *err);
/* The record of a page lies elsewhere now; an empty file name: nowhere. */
SCENT_NODISCARD scent_status store_move_page(struct store *store, uint64_t number, struct str warc_file,
                                             uint64_t offset, uint64_t length, struct errmsg *err);
/* Writes the database anew, so that nothing of what was removed is left in it. Outside of a transaction; needs as much
 * room on the disk as the database takes. */
SCENT_NODISCARD scent_status store_scrub(struct store *store, struct errmsg *err);

const char *store_library(void); /* the version of SQLite */

#endif

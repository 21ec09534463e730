/* What the parts of the dashboard share: the server (dashboard.c) and its answers (dashboard_*.c). */
#ifndef SCENT_SERVE_DASHBOARD_PARTS_H
#define SCENT_SERVE_DASHBOARD_PARTS_H

#include "crawldir/control.h"
#include "json/json.h"
#include "page/page.h"
#include "serve/address.h"
#include "serve/dashboard.h"
#include "serve/survey.h"
#include "warc/warc.h"

#include <pthread.h>

/* One crawl directory. The clock writes `news` and `live`, under the dashboard's lock. */
struct shown_crawl {
    char *dir, *name; /* the path; its last part */
    struct survey *survey;
    struct control_watch watch; /* the clock's alone */
    struct buf live;  /* the last snapshot that the running crawl gave, JSON; empty: no crawl runs */
    pthread_mutex_t lock; /* of the rest: */
    struct store *store;  /* opened when first needed */
    struct page_analyser *analyser;
    struct arena arena; /* of one page */
    struct snippet *snippets; /* of pages that were listed, by number; NULL: none yet */
    struct replay *replay; /* dashboard_replay.h; started when first needed */
    struct indexer *indexer; /* dashboard_search.h; the same */
};

/* A folder with results of `scent lab run`. */
struct shown_lab {
    char *dir, *name;
};

/* One request. Handlers write to `out` and set `status`. */
struct call {
    struct dashboard *dashboard;
    struct shown_crawl *crawl; /* of the path; NULL: it names none */
    struct shown_lab *lab;
    uint64_t number;           /* the last number of the path */
    struct str query, body;
    struct str host;           /* as the client names this server */
    int status;
    const char *type;
    char location[8192];       /* of a redirect */
    struct buf out;
    struct json_writer w;
};

/* Fails the request: {"error": …}. */
void call_fail(struct call *call, int status, const char *fmt, ...) SCENT_PRINTF(3, 4);
/* Its crawl.db, with the crawl locked until call_unlock(); false: the call has failed. */
bool call_lock(struct call *call, struct store **store);
void call_unlock(struct call *call);
struct str call_text(const struct call *call, const char *name, char *out, size_t room);
uint64_t call_number(const struct call *call, const char *name, uint64_t fallback);

/* ---- what the routes know of the server ---- */

size_t dashboard_crawls(struct dashboard *dashboard, struct shown_crawl **out);
size_t dashboard_labs(struct dashboard *dashboard, struct shown_lab **out);
const struct dashboard_options *dashboard_settings(const struct dashboard *dashboard);
/* The last snapshot of the crawl, if it runs; appended. */
bool dashboard_live(struct dashboard *dashboard, const struct shown_crawl *crawl, struct buf *out);
bool dashboard_is_running(struct dashboard *dashboard, const struct shown_crawl *crawl);

/* ---- routes ---- */

enum route_flag {
    ROUTE_CHANGES = 1, /* a POST with the token */
    ROUTE_SLOW = 2,    /* it may wait for others: a thread of its own */
    ROUTE_STREAM = 4   /* server-sent events: the server's own */
};
struct route {
    const char *method, *path; /* {crawl}, {lab} and {number} stand for numbers */
    unsigned flags;
    void (*answer)(struct call *call);
};
extern const struct route dashboard_routes[]; /* a NULL path ends them */
/* The route of a path, and what its numbers name. *status: 404 or 405 where it is NULL. */
const struct route *dashboard_find_route(struct dashboard *dashboard, const char *method, struct str path,
                                         struct call *call, int *status);

/* One crawl in short, an object: what lists and events tell. */
void dashboard_write_crawl(struct json_writer *w, struct dashboard *dashboard, struct shown_crawl *crawl);

/* dashboard_pages.c */
void answer_pages(struct call *call);
void answer_page(struct call *call);
void answer_review(struct call *call);
void answer_marks(struct call *call);
void answer_mark(struct call *call);
/* The row of a page, with its URL; texts lie in `arena`. SCENT_E_NOTFOUND. */
scent_status dashboard_get_page(struct store *store, uint64_t number, struct arena *arena, struct store_page *page,
                                struct store_url *url, struct errmsg *err);
/* Reads the record of a page; the reader holds it until it is closed. */
scent_status dashboard_read_record(const char *dir, const struct store_page *page, struct warc_reader **reader,
                                   struct warc_record *out, struct errmsg *err);
/* The id of a URL; UINT32_MAX: it is not known. *ready is false where not all URLs have been read yet. The crawl is
 * locked. */
scent_status dashboard_find_url(struct shown_crawl *crawl, struct str url, uint32_t *id, bool *ready,
                                struct errmsg *err);
/* Asks the running crawl; its answer is that of the call. Forgets nothing: whatever it refuses, it says. */
void dashboard_forward(struct call *call, struct str request);
/* dashboard_why.c */
void answer_why(struct call *call);
void answer_parts(struct call *call);

#endif

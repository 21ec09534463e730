/* Does the database fit together? Each question is a query that answers with one line of text for each fault. */
#include "store/page_sums.h"
#include "store/store_parts.h"

#include <inttypes.h>
#include <stdio.h>

#define DENSE(table, id)                                                                                               \
    "SELECT '" table ": row ' || (a." id " - 1) || ' is missing' FROM " table " AS a"                                  \
    " WHERE a." id " > 1 AND NOT EXISTS (SELECT 1 FROM " table " AS b WHERE b." id " = a." id " - 1)"
/* A column that holds the key of another table; NULL refers to nothing. Where ids have no gaps their range is enough:
 * to look up 10^8 links takes minutes. */
#define REFERS(table, id, column, other, key)                                                                          \
    "SELECT '" table ": row ' || " id " || ' refers to the missing row ' || " column " || ' of " other "'"             \
    " FROM " table " WHERE " column " IS NOT NULL AND ("                                                               \
    column " NOT BETWEEN 1 AND (SELECT coalesce(max(" key "), 0) FROM " other ")"                                      \
    " OR ((SELECT count(*) < max(" key ") FROM " other ")"                                                             \
    " AND NOT EXISTS (SELECT 1 FROM " other " AS o WHERE o." key " = " table "." column ")))"

/* Numbers of a row that no crawl writes: a flipped bit, or somebody's hand. */
#define FITS(table, id, condition)                                                                                     \
    "SELECT '" table ": row ' || " id " || ' holds a number that cannot be' FROM " table " WHERE NOT (" condition ")"
#define FLAG(column) column " IN (0, 1)"
#define RANGE(column, from, to) "(typeof(" column ") = 'integer' AND " column " BETWEEN " from " AND " to ")"
#define OPTIONAL(column, from, to) "(" column " IS NULL OR " RANGE(column, from, to) ")"
#define NUMBER(column) "typeof(" column ") IN ('null', 'real', 'integer')"
#define BYTE(column) RANGE(column, "0", "255")
#define SIZE(column) RANGE(column, "0", "4294967295")
#define TIME(column) RANGE(column, "0", "9007199254740992") /* until 2255 */
#define COUNT(column) RANGE(column, "0", "1125899906842624")
#define DURATION(column) RANGE(column, "-1", "1125899906842624")

static const char *const questions[] = {
    DENSE("host", "id"),
    DENSE("url", "id"),
    DENSE("page", "number"),
    REFERS("url", "id", "host_id", "host", "id"),
    REFERS("url", "id", "parent_id", "url", "id"),
    REFERS("page", "number", "url_id", "url", "id"),
    REFERS("page", "number", "duplicate_of", "page", "number"),
    REFERS("page", "number", "previous", "page", "number"),
    REFERS("page", "number", "replaced_by", "page", "number"),
    REFERS("link", "id", "page_number", "page", "number"),
    REFERS("link", "id", "target_id", "url", "id"),
    REFERS("requisite", "page_number", "page_number", "page", "number"),
    "SELECT 'requisite: row ' || page_number || ' refers to the missing row ' || url_id || ' of url' FROM requisite"
    " WHERE url_id <> 0 AND NOT EXISTS (SELECT 1 FROM url WHERE url.id = url_id)",
    REFERS("robots", "host_id", "host_id", "host", "id"),
    REFERS("revisit", "url_id", "url_id", "url", "id"),
    REFERS("revisit", "url_id", "page_number", "page", "number"),
    REFERS("block", "page_number", "page_number", "page", "number"),
    REFERS("block", "page_number", "host_id", "host", "id"),
    REFERS("counted", "page_number", "page_number", "page", "number"),
    REFERS("repeated", "host_id", "host_id", "host", "id"),
    FITS("block", "page_number", "length(blocks) % 8 = 0"),
    FITS("repeated", "host_id", "length(blocks) % 8 = 0"),
    FITS("host", "id", COUNT("delay_us") " AND " TIME("not_before_us") " AND " SIZE("failures") " AND " SIZE("pages")),
    FITS("url", "id", RANGE("depth", "0", "65535") " AND " BYTE("off_domain") " AND " BYTE("redirects") " AND "
         BYTE("tries") " AND " BYTE("flags") " AND " NUMBER("priority")
         " AND (own IS NULL OR (typeof(own) = 'blob' AND length(own) = 16))"),
    FITS("page", "number", TIME("fetched_us") " AND " RANGE("status", "0", "999") " AND " FLAG("counted") " AND "
         FLAG("relevant") " AND " NUMBER("score") " AND " NUMBER("priority") " AND " SIZE("judge_version") " AND "
         COUNT("bytes") " AND " SIZE("words") " AND " SIZE("links") " AND " DURATION("took_us") " AND "
         OPTIONAL("warc_offset", "0", "1125899906842624") " AND " OPTIONAL("robots", "0", "255")),
    FITS("link", "id", BYTE("rel") " AND " NUMBER("priority")),
    FITS("robots", "host_id", FLAG("secure")),
    FITS("revisit", "url_id", SIZE("visits") " AND changes BETWEEN 0 AND visits"),
    "SELECT 'url: row ' || id || ' has the unknown state ' || quote(state) FROM url"
    " WHERE state NOT IN ('seen', 'queued', 'fetched', 'redirected', 'failed', 'dropped', 'purged')",
    "SELECT 'url: row ' || url.id || ' is ' || quote(url.url) || ', but its host is ' || quote(host.name)"
    " FROM url JOIN host ON host.id = url.host_id WHERE url.state <> 'purged' AND instr(url.url, host.name || '/') = 0",
    "SELECT 'url: row ' || id || ' is ' || state || ', but has no page' FROM url"
    " WHERE state IN ('fetched', 'redirected') AND id NOT IN (SELECT url_id FROM page)"
    " AND coalesce(error, '') <> 'another worker has visited it'",
    "SELECT 'url: row ' || id || ' is purged, but holds ' || quote(url) FROM url"
    " WHERE state = 'purged' AND (url NOT GLOB 'purged:[0-9a-f]*' OR length(url) <> 23 OR error IS NOT NULL)",
    "SELECT 'page: row ' || page.number || ' belongs to a purged URL, but is not empty' FROM page"
    " JOIN url ON url.id = page.url_id WHERE url.state = 'purged'"
    " AND (page.title IS NOT NULL OR page.warc_file IS NOT NULL OR page.counted)",
    "SELECT 'page: row ' || number || ' has only a part of a place in the WARC files' FROM page"
    " WHERE (warc_file IS NULL) + (warc_offset IS NULL) + (coalesce(warc_length, 0) <= 0) NOT IN (0, 3)",
    "SELECT 'page: row ' || a.number || ' is replaced by row ' || b.number || ' of another URL' FROM page AS a"
    " JOIN page AS b ON b.number = a.replaced_by WHERE a.url_id <> b.url_id",
    "SELECT 'page: row ' || number || ' is replaced, but counted' FROM page WHERE counted AND replaced_by IS NOT NULL",
    "SELECT 'url: row ' || url_id || ' has ' || count(*) || ' counted pages' FROM page WHERE counted"
    " GROUP BY url_id HAVING count(*) > 1",
    "SELECT 'revisit: row ' || revisit.url_id || ' refers to a page of another URL' FROM revisit"
    " JOIN page ON page.number = revisit.page_number WHERE page.url_id <> revisit.url_id",
    "SELECT 'value: ' || column1 || ' is missing' FROM (VALUES('key'), ('seed')) WHERE"
    " (SELECT count(*) FROM url) > 0 AND column1 NOT IN (SELECT name FROM value)",
};

struct checker {
    struct store *store;
    store_problem_fn *fn;
    void *ctx;
};

static void tell_problem(struct checker *checker, struct str text)
{
    char line[1024];

    snprintf(line, sizeof line, "%.*s", STR_ARG(text));
    checker->fn(checker->ctx, line);
}

/* Other statements than the store's own are prepared for one use. */
static scent_status ask_question(struct checker *checker, const char *sql, row_fn *fn, void *ctx, struct errmsg *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(checker->store->db, sql, -1, &statement, NULL);
    scent_status status = rc == SQLITE_OK ? row_walk(checker->store, statement, fn, ctx, err)
                                          : store_fail(checker->store, rc, "read", err);

    sqlite3_finalize(statement);
    return status;
}

static scent_status fault_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    (void)err;
    tell_problem(ctx, column_str(row, 0));
    return SCENT_OK;
}

static scent_status integrity_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    (void)err;
    if (!str_eq(column_str(row, 0), STR("ok")))
        tell_problem(ctx, column_str(row, 0));
    return SCENT_OK;
}

/* ---- has each page as many links as it says? ----
 *
 * The links of a page stand together, and pages come in their order: one walk over both tables, without sorting. */

struct link_count {
    struct checker *checker;
    sqlite3_stmt *links;
    uint64_t page, count; /* the group of links that was read last */
    uint64_t next;        /* the page of the link after it */
    bool done;            /* there is none */
};

static scent_status step_link(struct link_count *at, struct errmsg *err)
{
    int rc = sqlite3_step(at->links);

    at->done = rc != SQLITE_ROW;
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        return store_fail(at->checker->store, rc, "read", err);
    at->next = at->done ? UINT64_MAX : column_u64(at->links, 0);
    return SCENT_OK;
}

static scent_status read_group(struct link_count *at, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    at->page = at->next;
    for (at->count = 0; status == SCENT_OK && !at->done && at->next == at->page; at->count++)
        status = step_link(at, err);
    return status;
}

static scent_status compare_links(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct link_count *at = ctx;
    uint64_t number = column_u64(row, 0), says = column_u64(row, 1), has = 0;
    scent_status status = SCENT_OK;
    char text[128];

    while (status == SCENT_OK && at->page < number && !at->done)
        status = read_group(at, err);
    if (at->page == number)
        has = at->count;
    if (status == SCENT_OK && has != says) {
        snprintf(text, sizeof text, "page: row %" PRIu64 " says %" PRIu64 " links, there are %" PRIu64, number, says,
                 has);
        tell_problem(at->checker, str_of(text));
    }
    return status;
}

static scent_status count_links(struct checker *checker, struct errmsg *err)
{
    struct link_count at = {.checker = checker};
    int rc = sqlite3_prepare_v2(checker->store->db, "SELECT page_number FROM link ORDER BY id", -1, &at.links, NULL);
    scent_status status = rc == SQLITE_OK ? step_link(&at, err) : store_fail(checker->store, rc, "read", err);

    if (status == SCENT_OK)
        status = ask_question(checker, "SELECT number, links FROM page WHERE counted ORDER BY number", compare_links,
                              &at, err);
    sqlite3_finalize(at.links);
    return status;
}

/* All that the questions have read; what no row lies in, such as a page that is free, they do not read. */
static void tell_sums(struct checker *checker)
{
    struct page_sums_report report;
    char text[128];

    page_sums_ask(checker->store->db, &report);
    for (uint32_t i = 0; i < report.named; i++) {
        snprintf(text, sizeof text,
                 "the checksum of database page %" PRIu32 " is wrong: it is damaged, or another program wrote it",
                 report.pages[i]);
        tell_problem(checker, str_of(text));
    }
    if (report.named == PAGE_SUMS_NAMED)
        tell_problem(checker, STR("and perhaps more database pages with wrong checksums"));
}

static scent_status ask_all(struct checker *checker, struct errmsg *err)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        SCENT_TRY(ask_question(checker, questions[i], fault_row, checker, err));
    return count_links(checker, err);
}

scent_status store_check(struct store *store, store_problem_fn *fn, void *ctx, struct errmsg *err)
{
    struct checker checker = {store, fn, ctx};
    /* As open_reader() did; after a writer's settings it is a change. */
    int rc = sqlite3_exec(store->db, "PRAGMA temp_store = FILE", NULL, NULL, NULL);
    scent_status status =
        rc == SQLITE_OK ? ask_question(&checker, "PRAGMA integrity_check", integrity_row, &checker, err)
                        : store_fail(store, rc, "read", err);

    if (status == SCENT_OK)
        status = ask_all(&checker, err);
    tell_sums(&checker);
    return status;
}

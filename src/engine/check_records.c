/* The records of one WARC file and the rows that refer to it, both in the order of offsets: a merge. */
#include "engine/check_parts.h"

#include "url/url.h"

#include <inttypes.h>

struct merge {
    struct check *check;
    struct str name;
    struct warc_reader *reader;
    struct warc_record record; /* the next one, where `pending` */
    uint64_t limit;
    bool pending, done;
    struct errmsg *err;
};

static scent_status next_record(struct merge *m)
{
    scent_status status;

    m->pending = false;
    status = m->done ? SCENT_E_END : warc_reader_next(m->reader, &m->record, m->err);
    if (status == SCENT_E_END || (status == SCENT_OK && m->record.offset >= m->limit)) {
        m->done = true; /* what lies behind the committed end is told by its length */
        return SCENT_OK;
    }
    if (status != SCENT_OK)
        return status;
    m->pending = true;
    m->check->report->records++;
    if (m->record.damaged)
        check_say(m->check, CHECK_NOTHING, "warc/%.*s: byte %" PRIu64 ": the record is damaged: %s", STR_ARG(m->name),
                  m->record.offset, m->record.damage);
    return SCENT_OK;
}

static bool has_row(const struct warc_record *record)
{
    return record->type == WARC_RESPONSE || record->type == WARC_REVISIT || record->type == WARC_RESOURCE;
}

/* robots.txt is archived for its own sake; it is no page. */
static bool is_robots(struct str url)
{
    struct arena arena;
    struct url parsed;
    bool is = false;

    arena_init(&arena, 1 << 20);
    if (url_parse(&arena, url, NULL, &parsed) == SCENT_OK)
        is = str_eq(str_sub(parsed.href, parsed.path_start, parsed.href.len), STR("/robots.txt"));
    arena_release(&arena);
    return is;
}

static void judge_without_row(struct merge *m)
{
    const struct warc_record *record = &m->record;

    if (!has_row(record) || is_robots(record->url))
        return;
    check_say(m->check, CHECK_NOTHING, "warc/%.*s: byte %" PRIu64 ": no page row knows the record of %.*s",
              STR_ARG(m->name), record->offset, STR_ARG(record->url));
}

static struct str stated_digest(const struct warc_record *record)
{
    struct str stated = warc_record_header(record, STR("WARC-Payload-Digest"));
    size_t colon = str_find(stated, ':');

    return colon < stated.len ? str_sub(stated, colon + 1, stated.len) : stated;
}

static void judge_with_row(struct merge *m, const struct store_page *page, const struct store_url *url)
{
    const struct warc_record *record = &m->record;
    const char *wrong = NULL;

    if (!has_row(record))
        wrong = "is of another type";
    else if (!str_eq(record->url, url->url))
        wrong = "has another target URI";
    else if (record->length != page->warc_length)
        wrong = "has another length";
    else if (!record->damaged && record->http_status != page->status)
        wrong = "has another status";
    else if (stated_digest(record).len && !str_eq(stated_digest(record), page->digest))
        wrong = "states another digest";
    else if (!record->damaged && warc_record_check_digest(record) == WARC_DIGEST_WRONG)
        wrong = "does not have the digest that it states";
    if (wrong)
        check_say(m->check, CHECK_NOTHING, "warc/%.*s: byte %" PRIu64 ": the record of page %" PRIu64 " (%.*s) %s",
                  STR_ARG(m->name), page->warc_offset, page->number, STR_ARG(url->url), wrong);
}

static scent_status merge_row(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct merge *m = ctx;
    scent_status status = SCENT_OK;

    m->check->report->pages++;
    while (status == SCENT_OK && !m->done && (!m->pending || m->record.offset < page->warc_offset)) {
        if (m->pending)
            judge_without_row(m);
        status = next_record(m);
    }
    if (status != SCENT_OK)
        return status;
    if (!m->pending || m->record.offset != page->warc_offset) {
        check_say(m->check, CHECK_NOTHING, "warc/%.*s: byte %" PRIu64 ": there is no record for page %" PRIu64 " (%.*s)",
                  STR_ARG(m->name), page->warc_offset, page->number, STR_ARG(url->url));
        return SCENT_OK;
    }
    judge_with_row(m, page, url);
    return next_record(m);
}

scent_status check_records(struct check *check, const char *path, struct str name, uint64_t limit, struct errmsg *err)
{
    struct merge m = {.check = check, .name = name, .limit = limit, .err = err};
    scent_status status = warc_reader_open(path, &m.reader, err);

    if (status != SCENT_OK)
        return status;
    status = next_record(&m);
    /* No record at all: each row of the file is told below. */
    if (status == SCENT_E_FORMAT) {
        check_say(check, CHECK_NOTHING, "warc/%.*s: holds no record", STR_ARG(name));
        m.done = true;
        status = SCENT_OK;
    }
    if (status == SCENT_OK)
        status = store_each_page_in(check->store, name, merge_row, &m, err);
    while (status == SCENT_OK && m.pending) {
        judge_without_row(&m);
        status = next_record(&m);
    }
    warc_reader_close(m.reader);
    return status;
}

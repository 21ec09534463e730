#include "base/utf8.h"
#include "store/store_parts.h"

enum { ANCHOR_MAX = 256 };

/* The values of one row, bound in order; the first failure is kept. */
struct row {
    struct store *store;
    sqlite3_stmt *statement;
    int column, rc;
};

static scent_status row_start(struct row *row, struct store *store, enum schema_statement which, struct errmsg *err)
{
    *row = (struct row){.store = store};
    SCENT_BUG_IF(store->mode != STORE_WRITE);
    if (sqlite3_get_autocommit(store->db))
        return errmsg_fail(err, SCENT_E_IO, "cannot write to %s: there is no transaction, or it has failed before",
                           store->path);
    return store_statement(store, which, &row->statement, err);
}

static scent_status row_end(struct row *row, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    if (row->rc == SQLITE_OK)
        row->rc = sqlite3_step(row->statement);
    if (row->rc != SQLITE_DONE)
        status = store_fail(row->store, row->rc, "write to", err);
    sqlite3_reset(row->statement);
    return status;
}

static void note(struct row *row, int rc)
{
    if (row->rc == SQLITE_OK)
        row->rc = rc;
}

static void add_int(struct row *row, int64_t value)
{
    note(row, sqlite3_bind_int64(row->statement, ++row->column, value));
}

/* NaN becomes NULL. */
static void add_real(struct row *row, double value)
{
    note(row, sqlite3_bind_double(row->statement, ++row->column, value));
}

static void add_null(struct row *row)
{
    note(row, sqlite3_bind_null(row->statement, ++row->column));
}

static void add_blob(struct row *row, struct str value)
{
    note(row, sqlite3_bind_blob64(row->statement, ++row->column, value.len ? value.p : "", value.len, SQLITE_STATIC));
}

static bool is_text(struct str s)
{
    size_t i = 0;

    while (i < s.len) {
        unsigned char c = (unsigned char)s.p[i];
        size_t len = c && c < 0x80 ? 1 : c ? utf8_sequence(str_sub(s, i, s.len)) : 0;

        if (len == 0)
            return false;
        i += len;
    }
    return true;
}

/* What is not UTF-8, or holds a zero byte, is kept byte for byte as a blob: text functions would misread it. */
static void add_text(struct row *row, struct str value)
{
    if (!is_text(value))
        add_blob(row, value);
    else
        note(row, sqlite3_bind_text64(row->statement, ++row->column, value.len ? value.p : "", value.len, SQLITE_STATIC,
                                      SQLITE_UTF8));
}

/* NULL when there is none: one byte less, and what people expect. */
static void add_optional(struct row *row, struct str value)
{
    if (value.len)
        add_text(row, value);
    else
        add_null(row);
}

static void add_own(struct row *row, const struct store_url *url)
{
    static const uint8_t zero[sizeof url->own];

    if (memcmp(url->own, zero, sizeof zero) == 0)
        add_null(row);
    else
        add_blob(row, (struct str){(const char *)url->own, sizeof url->own});
}

static void add_state(struct row *row, const struct store_url *url)
{
    note(row, sqlite3_bind_text(row->statement, ++row->column, store_url_state_text(url->state), -1, SQLITE_STATIC));
}

/* Row ids begin at 1. */
static int64_t row_id(uint32_t id)
{
    return (int64_t)id + 1;
}

scent_status store_add_host(struct store *store, uint32_t id, struct str name, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, SCHEMA_ADD_HOST, err);

    if (status != SCENT_OK)
        return status;
    add_int(&row, row_id(id));
    add_text(&row, name);
    return row_end(&row, err);
}

scent_status store_add_url(struct store *store, const struct store_url *url, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, SCHEMA_ADD_URL, err);

    if (status != SCENT_OK)
        return status;
    add_int(&row, row_id(url->id));
    add_text(&row, url->url);
    add_int(&row, row_id(url->host));
    add_state(&row, url);
    add_real(&row, (double)url->priority);
    add_int(&row, url->depth);
    add_int(&row, url->off_domain);
    add_int(&row, url->redirects);
    add_int(&row, url->tries);
    add_int(&row, url->flags);
    if (url->parent == STORE_NO_PARENT)
        add_null(&row);
    else
        add_int(&row, row_id(url->parent));
    add_own(&row, url);
    add_optional(&row, url->error);
    return row_end(&row, err);
}

scent_status store_update_url(struct store *store, const struct store_url *url, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, SCHEMA_UPDATE_URL, err);

    if (status != SCENT_OK)
        return status;
    add_state(&row, url);
    add_real(&row, (double)url->priority);
    add_int(&row, url->depth);
    add_int(&row, url->off_domain);
    add_int(&row, url->tries);
    add_int(&row, url->flags);
    add_own(&row, url);
    add_optional(&row, url->error);
    add_int(&row, row_id(url->id));
    status = row_end(&row, err);
    if (status == SCENT_OK && sqlite3_changes64(store->db) != 1)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "%s has no url row %lu", store->path, (unsigned long)url->id + 1);
    return status;
}

static void add_judgement(struct row *row, const struct store_page *page)
{
    add_int(row, page->counted);
    add_int(row, page->relevant);
    add_real(row, page->score);
    add_real(row, (double)page->priority);
    add_int(row, page->judge_version);
}

static void add_archive(struct row *row, const struct store_page *page)
{
    if (page->warc_length) {
        add_optional(row, page->warc_file);
        add_int(row, (int64_t)page->warc_offset);
        add_int(row, (int64_t)page->warc_length);
        return;
    }
    for (int i = 0; i < 3; i++)
        add_null(row);
}

scent_status store_add_page(struct store *store, const struct store_page *page, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, SCHEMA_ADD_PAGE, err);

    if (status != SCENT_OK)
        return status;
    add_int(&row, (int64_t)page->number);
    add_int(&row, row_id(page->url));
    add_int(&row, page->wall);
    add_int(&row, page->status);
    add_judgement(&row, page);
    add_optional(&row, page->mime);
    add_optional(&row, page->charset);
    add_optional(&row, page->lang);
    add_int(&row, (int64_t)page->bytes);
    add_int(&row, page->words);
    add_int(&row, page->links);
    add_int(&row, page->took_us);
    add_optional(&row, page->ip);
    add_optional(&row, page->digest);
    add_archive(&row, page);
    add_optional(&row, page->title);
    return row_end(&row, err);
}

/* At most ANCHOR_MAX bytes, not ending within a character. */
static struct str cut_anchor(struct str anchor)
{
    size_t len = ANCHOR_MAX;

    if (anchor.len <= ANCHOR_MAX)
        return anchor;
    while (len > ANCHOR_MAX - 4 && ((unsigned char)anchor.p[len] & 0xC0) == 0x80)
        len--;
    return str_sub(anchor, 0, len);
}

static void add_link(struct row *row, const struct store_link *link)
{
    add_int(row, (int64_t)link->page);
    add_int(row, row_id(link->target));
    add_real(row, (double)link->priority);
    add_int(row, link->rel);
    add_optional(row, cut_anchor(link->anchor));
}

/* `count` rows by one statement that takes so many. */
static scent_status add_links(struct store *store, enum schema_statement which, const struct store_link *links,
                              size_t count, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, which, err);

    if (status != SCENT_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        add_link(&row, &links[i]);
    return row_end(&row, err);
}

scent_status store_add_links(struct store *store, const struct store_link *links, size_t count, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    for (; status == SCENT_OK && count >= SCHEMA_LINKS; links += SCHEMA_LINKS, count -= SCHEMA_LINKS)
        status = add_links(store, SCHEMA_ADD_LINKS, links, SCHEMA_LINKS, err);
    for (; status == SCENT_OK && count; links++, count--)
        status = add_links(store, SCHEMA_ADD_LINK, links, 1, err);
    return status;
}

scent_status store_add_event(struct store *store, int64_t wall, const char *kind, struct str text, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, SCHEMA_ADD_EVENT, err);

    if (status != SCENT_OK)
        return status;
    add_int(&row, wall);
    add_text(&row, str_of(kind));
    add_optional(&row, text);
    return row_end(&row, err);
}

scent_status store_set(struct store *store, const char *name, struct str value, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, SCHEMA_SET, err);

    if (status != SCENT_OK)
        return status;
    add_text(&row, str_of(name));
    add_blob(&row, value);
    return row_end(&row, err);
}

/* Pages of a crawl for the dashboard: lists, one page with its text, those to be reviewed, and marks. */
#include "base/clock.h"
#include "crawldir/crawldir.h"
#include "crawldir/marks.h"
#include "serve/dashboard_parts.h"

#include <math.h>
#include <stdlib.h>

enum {
    LIMIT = 30,
    LIMIT_MAX = 200,
    EXCERPT = 1200,
    SNIPPET = 240,
    SNIPPETS = 1024,
    ROW_ARENA = 1 << 20,
    PARAMETER = 512,
    CANDIDATES = 8
};

/* ---- rows ---- */

struct wanted_page {
    uint64_t number;
    struct arena *arena;
    struct store_page *page;
    struct store_url *url;
};

static scent_status keep_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct wanted_page *wanted = ctx;

    if (page->number != wanted->number)
        return SCENT_E_END;
    *wanted->page = *page;
    *wanted->url = *url;
    wanted->page->mime = arena_str(wanted->arena, page->mime);
    wanted->page->lang = arena_str(wanted->arena, page->lang);
    wanted->page->title = arena_str(wanted->arena, page->title);
    wanted->page->warc_file = arena_str(wanted->arena, page->warc_file);
    wanted->url->url = arena_str(wanted->arena, url->url);
    wanted->url->error = arena_str(wanted->arena, url->error);
    wanted->arena = NULL; /* it was found */
    return wanted->page->warc_file.p && wanted->url->url.p && wanted->url->error.p ? SCENT_E_END : SCENT_E_NOMEM;
}

scent_status dashboard_get_page(struct store *store, uint64_t number, struct arena *arena, struct store_page *page,
                                struct store_url *url, struct errmsg *err)
{
    struct wanted_page wanted = {number, arena, page, url};
    scent_status status = number ? store_each_page(store, number - 1, keep_page, &wanted, err) : SCENT_OK;

    if (status == SCENT_E_END || status == SCENT_OK)
        return wanted.arena ? errmsg_fail(err, SCENT_E_NOTFOUND, "there is no such page") : SCENT_OK;
    return status;
}

scent_status dashboard_read_record(const char *dir, const struct store_page *page, struct warc_reader **reader,
                                   struct warc_record *out, struct errmsg *err)
{
    struct crawldir_path path;
    scent_status status;

    SCENT_TRY(crawldir_warc_path(dir, page->warc_file, &path, err));
    SCENT_TRY(warc_reader_open(path.text, reader, err));
    status = warc_reader_seek(*reader, page->warc_offset, 0, err);
    if (status == SCENT_OK)
        status = warc_reader_next(*reader, out, err);
    if (status != SCENT_OK)
        warc_reader_close(*reader);
    return status;
}

static struct str cut(struct str text, size_t max)
{
    if (text.len <= max)
        return text;
    while (max && ((unsigned char)text.p[max] & 0xC0) == 0x80)
        max--;
    return str_sub(text, 0, max);
}

/* The first characters of its content, empty where it cannot be read. The crawl is locked. */
static struct str make_excerpt(struct shown_crawl *crawl, const struct store_page *row, struct str url, size_t max)
{
    struct warc_reader *reader;
    struct warc_record record;
    struct errmsg err;
    struct page page;
    struct str text = STR("");
    struct buf joined;

    if (!row->warc_length || dashboard_read_record(crawl->dir, row, &reader, &record, &err) != SCENT_OK)
        return text;
    if (!crawl->analyser)
        crawl->analyser = page_analyser_new(&(struct page_options){0});
    arena_reset(&crawl->arena);
    buf_init(&joined, max + 8);
    if (page_analyse_stored(crawl->analyser, url, record.http_head, record.payload, &crawl->arena, &page) == SCENT_OK)
        for (uint32_t i = 0; i < page.nblocks && joined.len < max; i++) {
            struct str block = str_trim(str_sub(page.text, page.blocks[i].start, page.blocks[i].end));

            if (!page.blocks[i].is_boilerplate && block.len)
                buf_add(&joined, cut(block, max - joined.len)), buf_addc(&joined, '\n');
        }
    text = arena_str(&crawl->arena, str_trim(buf_str(&joined)));
    buf_release(&joined);
    warc_reader_close(reader);
    return text.p ? text : STR("");
}

/* Lists are asked for again and again while a crawl runs; 256 KB a crawl. */
struct snippet {
    uint64_t number; /* 0: none */
    char text[SNIPPET + 8];
};

static struct str find_snippet(struct shown_crawl *crawl, const struct store_page *row, struct str url)
{
    struct snippet *kept;
    struct str text;

    if (!crawl->snippets)
        crawl->snippets = calloc(SNIPPETS, sizeof *crawl->snippets);
    SCENT_BUG_IF(!crawl->snippets);
    kept = &crawl->snippets[row->number % SNIPPETS];
    if (kept->number != row->number) {
        text = make_excerpt(crawl, row, url, SNIPPET);
        memcpy(kept->text, text.p, text.len);
        kept->text[text.len] = '\0';
        kept->number = row->number;
    }
    return str_of(kept->text);
}

struct url_search {
    struct str want;
    uint32_t id;
    bool is_page; /* not a robots.txt or a sitemap of the same text */
};

static scent_status compare_url(void *ctx, const struct store_url *url)
{
    struct url_search *search = ctx;
    bool is_page = !(url->flags & 10);

    if (str_eq(url->url, search->want) && (search->id == UINT32_MAX || (is_page && !search->is_page))) {
        search->id = url->id;
        search->is_page = is_page;
    }
    return SCENT_OK;
}

scent_status dashboard_find_url(struct shown_crawl *crawl, struct str url, uint32_t *id, bool *ready,
                                struct errmsg *err)
{
    struct url_search search = {url, UINT32_MAX, false};
    uint32_t ids[CANDIDATES];
    size_t count = survey_find_url(crawl->survey, url, ids, CANDIDATES);

    *ready = true;
    SCENT_TRY(store_get_urls(crawl->store, ids, count, compare_url, &search, err));
    if (search.id == UINT32_MAX) {
        survey_want(crawl->survey, SURVEY_URLS);
        *ready = survey_totals(crawl->survey).urls_ready;
    }
    *id = search.id;
    return SCENT_OK;
}

/* ---- lists ---- */

static void write_page(struct json_writer *w, const struct store_page *page, const struct store_url *url)
{
    char when[32];

    clock_format_iso(page->wall, when, sizeof when);
    json_put_int(w, "number", (int64_t)page->number);
    json_put_str(w, "url", url->url);
    json_put_str(w, "title", page->title);
    json_put_str(w, "time", str_of(when));
    json_put_bool(w, "relevant", page->relevant);
    json_put_double(w, "score", page->score);
    json_put_str(w, "lang", page->lang);
    json_put_str(w, "mime", page->mime);
    json_put_int(w, "depth", url->depth);
    json_put_int(w, "words", page->words);
    json_put_bool(w, "archived", page->warc_length > 0);
}

static void write_mark(struct json_writer *w, const struct marks *marks, struct str url)
{
    json_put_str(w, "mark", str_of(marks_name(marks_of(marks, url))));
}

/* Rows that cannot be read any more (purged) are left out. */
static void write_pages(struct call *call, struct store *store, const uint64_t *numbers, size_t count, bool review,
                        bool snippets)
{
    struct marks marks = {0};
    struct errmsg err;
    struct arena arena;

    if (marks_load(call->crawl->dir, &marks, &err) != SCENT_OK)
        marks = (struct marks){0};
    arena_init(&arena, ROW_ARENA);
    json_key(&call->w, "pages");
    json_array_begin(&call->w);
    for (size_t i = 0; i < count; i++) {
        struct store_page page;
        struct store_url url;

        arena_reset(&arena);
        if (dashboard_get_page(store, numbers[i], &arena, &page, &url, &err) != SCENT_OK || url.purged)
            continue;
        json_object_begin(&call->w);
        write_page(&call->w, &page, &url);
        write_mark(&call->w, &marks, url.url);
        if (review)
            json_put_str(&call->w, "text", make_excerpt(call->crawl, &page, url.url, EXCERPT));
        if (snippets)
            json_put_str(&call->w, "snippet", find_snippet(call->crawl, &page, url.url));
        json_object_end(&call->w);
    }
    json_array_end(&call->w);
    arena_release(&arena);
    marks_release(&marks);
}

void answer_pages(struct call *call)
{
    char host[PARAMETER], lang[PARAMETER], verdict[PARAMETER], order[PARAMETER];
    size_t limit = (size_t)call_number(call, "limit", LIMIT), count;
    uint64_t *numbers = calloc(LIMIT_MAX + 1, sizeof *numbers);
    struct survey_query query = {
        .host = call_text(call, "host", host, sizeof host),
        .lang = call_text(call, "lang", lang, sizeof lang),
        .from = (int64_t)call_number(call, "from", 0),
        .to = (int64_t)call_number(call, "to", 0),
        .best = str_eq(call_text(call, "order", order, sizeof order), STR("best")),
        .after = call_number(call, "after", 0),
    };
    struct str wanted = call_text(call, "verdict", verdict, sizeof verdict);
    struct store *store;

    SCENT_BUG_IF(!numbers);
    query.verdict = str_eq(wanted, STR("relevant")) ? SURVEY_RELEVANT
                    : str_eq(wanted, STR("other"))  ? SURVEY_OTHER
                                                    : SURVEY_ANY;
    limit = limit < 1 ? 1 : limit > LIMIT_MAX ? LIMIT_MAX : limit;
    count = survey_find(call->crawl->survey, &query, numbers, limit + 1);
    if (call_lock(call, &store)) {
        json_object_begin(&call->w);
        write_pages(call, store, numbers, count < limit ? count : limit, false, call_number(call, "snippets", 0));
        json_key(&call->w, "next");
        if (count > limit)
            json_int(&call->w, (int64_t)numbers[limit - 1]);
        else
            json_none(&call->w);
        json_put_bool(&call->w, "complete", survey_totals(call->crawl->survey).pages_ready);
        json_object_end(&call->w);
        call_unlock(call);
    }
    free(numbers);
}

void answer_page(struct call *call)
{
    struct store_page page;
    struct store_url url;
    struct errmsg err = {""};
    struct marks marks = {0};
    struct arena arena;
    struct store *store;
    scent_status status;

    if (!call_lock(call, &store))
        return;
    arena_init(&arena, ROW_ARENA);
    status = dashboard_get_page(store, call->number, &arena, &page, &url, &err);
    if (status == SCENT_OK)
        status = marks_load(call->crawl->dir, &marks, &err);
    if (status == SCENT_OK) {
        json_object_begin(&call->w);
        write_page(&call->w, &page, &url);
        write_mark(&call->w, &marks, url.url);
        json_put_str(&call->w, "text", make_excerpt(call->crawl, &page, url.url, EXCERPT));
        json_object_end(&call->w);
    } else {
        call_fail(call, status == SCENT_E_NOTFOUND ? 404 : 500, "%s", err.text);
    }
    marks_release(&marks);
    arena_release(&arena);
    call_unlock(call);
}

/* ---- review ---- */

/* The pages whose URLs are marked, by number, sorted; marks are few. */
struct marked {
    uint64_t *numbers;
    size_t count;
};

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static bool is_marked(void *ctx, uint64_t number)
{
    const struct marked *marked = ctx;

    return marked->count && bsearch(&number, marked->numbers, marked->count, sizeof number, by_number);
}

static scent_status find_marked(struct shown_crawl *crawl, struct marked *out, uint64_t *yes, uint64_t *no,
                                struct errmsg *err)
{
    struct marks marks;
    scent_status status = SCENT_OK;

    *out = (struct marked){0};
    SCENT_TRY(marks_load(crawl->dir, &marks, err));
    *yes = marks.yes;
    *no = marks.no;
    out->numbers = calloc(marks.count + 1, sizeof *out->numbers);
    SCENT_BUG_IF(!out->numbers);
    for (size_t i = 0; i < marks.count && status == SCENT_OK; i++) {
        uint32_t id = UINT32_MAX;
        bool ready;

        if (marks.items[i].mark != MARK_NONE)
            status = dashboard_find_url(crawl, marks.items[i].url, &id, &ready, err);
        if (id != UINT32_MAX)
            out->numbers[out->count++] = survey_page_of(crawl->survey, id);
    }
    qsort(out->numbers, out->count, sizeof *out->numbers, by_number);
    marks_release(&marks);
    return status;
}

void answer_review(struct call *call)
{
    uint64_t numbers[LIMIT], yes, no;
    size_t limit = (size_t)call_number(call, "limit", 5), count;
    struct errmsg err = {""};
    struct marked marked;
    struct store *store;

    if (!call_lock(call, &store))
        return;
    limit = limit < 1 ? 1 : limit > LIMIT ? LIMIT : limit;
    if (find_marked(call->crawl, &marked, &yes, &no, &err) == SCENT_OK) {
        count = survey_informative(call->crawl->survey, is_marked, &marked, numbers, limit);
        json_object_begin(&call->w);
        write_pages(call, store, numbers, count, true, false);
        json_put_int(&call->w, "yes", (int64_t)yes);
        json_put_int(&call->w, "no", (int64_t)no);
        json_object_end(&call->w);
    } else {
        call_fail(call, 500, "%s", err.text);
    }
    free(marked.numbers);
    call_unlock(call);
}

void answer_marks(struct call *call)
{
    struct errmsg err = {""};
    struct marks marks;

    if (marks_load(call->crawl->dir, &marks, &err) != SCENT_OK) {
        call_fail(call, 500, "%s", err.text);
        return;
    }
    json_object_begin(&call->w);
    json_key(&call->w, "marks");
    json_array_begin(&call->w);
    for (size_t i = 0; i < marks.count; i++) {
        if (marks.items[i].mark == MARK_NONE)
            continue;
        json_object_begin(&call->w);
        json_put_str(&call->w, "url", marks.items[i].url);
        json_put_str(&call->w, "mark", str_of(marks_name(marks.items[i].mark)));
        json_put_str(&call->w, "when", marks.items[i].when);
        json_object_end(&call->w);
    }
    json_array_end(&call->w);
    json_object_end(&call->w);
    marks_release(&marks);
}

/* A crawl that runs takes the mark itself, and learns from it. */
static void tell_crawl(struct call *call, struct str url, enum mark mark)
{
    struct json_writer w;
    struct buf line;

    buf_init(&line, 0);
    json_writer_init(&w, &line);
    json_object_begin(&w);
    json_put_str(&w, "do", mark == MARK_NONE ? STR("unmark") : STR("mark"));
    json_put_str(&w, "url", url);
    if (mark != MARK_NONE)
        json_put_bool(&w, "relevant", mark == MARK_YES);
    json_object_end(&w);
    dashboard_forward(call, buf_str(&line));
    buf_release(&line);
}

static void set_mark(struct call *call, struct str url, enum mark mark)
{
    struct errmsg err = {""};
    struct store *store;
    scent_status status;
    uint32_t id;
    bool ready;

    if (!call_lock(call, &store))
        return;
    status = dashboard_find_url(call->crawl, url, &id, &ready, &err);
    if (status == SCENT_OK && id == UINT32_MAX)
        status = errmsg_fail(&err, SCENT_E_NOTFOUND, "the crawl has no such page");
    if (status == SCENT_OK)
        status = marks_set(call->crawl->dir, url, mark, clock_wall(&clock_system), &err);
    call_unlock(call);
    if (status == SCENT_OK) {
        json_object_begin(&call->w);
        json_put_bool(&call->w, "ok", true);
        json_object_end(&call->w);
    } else {
        call_fail(call, status == SCENT_E_NOTFOUND ? 404 : status == SCENT_E_INVALID ? 400 : 500, "%s", err.text);
    }
}

void answer_mark(struct call *call)
{
    struct errmsg err = {""};
    struct json *body = NULL;
    scent_status status = json_parse(call->body, &body, &err);
    struct str url = json_as_str(json_get(body, "url")), text = json_as_str(json_get(body, "mark"));
    enum mark mark = MARK_NONE;
    bool known = str_eq(text, STR("none"));

    for (enum mark m = MARK_NO; m <= MARK_YES; m++)
        if (str_eq(text, str_of(marks_name(m)))) {
            mark = m;
            known = true;
        }
    if (status != SCENT_OK || !url.len || !known)
        call_fail(call, 400, "expected {\"url\": a page, \"mark\": \"yes\", \"no\" or \"none\"}");
    else if (dashboard_is_running(call->dashboard, call->crawl))
        tell_crawl(call, url, mark);
    else
        set_mark(call, url, mark);
    json_free(body);
}

#include "search/search.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/vec.h"
#include "crawldir/crawldir.h"
#include "crawldir/record_reader.h"
#include "crawldir/text_reader.h"
#include "crawldir/several.h"
#include "search/ranking.h"
#include "store/fulltext.h"
#include "url/url.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    COLLECTIONS_MAX = 1000,
    CONTENT_MAX = 1 << 20,      /* bytes of the content of a page that are indexed */
    BATCH_BYTES = 16 << 20,     /* of content in a transaction */
    BATCH_PAGES = 1000,
    MERGES = 16,                /* at the end of an update */
    CANDIDATES = 50             /* whose titles are looked at, beside those that are asked for */
};

struct collection {
    char *dir;
    struct store *store;
    struct fulltext *index;
    bool is_fixed; /* the index is read only */
    struct record_reader records;
    struct text_reader *texts;
    uint64_t key;
};

struct search {
    struct collection *collections;
    size_t count, room;
    const struct log *log;
    struct text_stemmer *stemmer;
    struct buf words; /* of a URL */
};

/* ---- one page row ---- */

/* What a page row says, for as long as the arena lives. */
struct row {
    uint64_t number;
    struct store_page page;
    struct str url;
    struct arena *arena;
    bool found;
};

static scent_status copy_row(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct row *row = ctx;

    if (page->number != row->number)
        return SCENT_E_END;
    row->found = true;
    row->page = *page;
    row->url = arena_str(row->arena, url->url);
    row->page.title = arena_str(row->arena, page->title);
    row->page.lang = arena_str(row->arena, page->lang);
    row->page.warc_file = arena_str(row->arena, page->warc_file);
    row->page.digest = arena_str(row->arena, page->digest);
    return row->url.p && row->page.title.p && row->page.lang.p && row->page.warc_file.p && row->page.digest.p
               ? SCENT_E_END
               : SCENT_E_NOMEM;
}

/* row->found tells whether there is one. */
static scent_status get_row(struct collection *collection, uint64_t number, struct row *row, struct errmsg *err)
{
    scent_status status;

    row->number = number;
    row->found = false;
    if (number == 0)
        return SCENT_OK;
    status = store_each_page(collection->store, number - 1, copy_row, row, err);
    return status == SCENT_E_END ? SCENT_OK : status;
}

/* ---- opening ---- */

/* Does the index know pages that the crawl has not, or others? A copy of the crawl was put back. */
static scent_status check_last(struct collection *collection, struct errmsg *err)
{
    struct fulltext_state state;
    struct arena arena;
    struct row row = {.arena = &arena};
    scent_status status;

    SCENT_TRY(fulltext_get_state(collection->index, &state, err));
    if (state.last == 0)
        return SCENT_OK;
    arena_init(&arena, SIZE_MAX);
    status = get_row(collection, state.last, &row, err);
    if (status == SCENT_OK && (!row.found || row.page.wall != state.last_wall))
        status = errmsg_fail(err, SCENT_E_FORMAT, "%s/" CRAWLDIR_SEARCH " is of another state of the crawl",
                             collection->dir);
    arena_release(&arena);
    return status;
}

static scent_status try_index(struct collection *collection, enum fulltext_mode mode, struct errmsg *err)
{
    struct crawldir_path path = crawldir_path(collection->dir, CRAWLDIR_SEARCH);
    scent_status status = fulltext_open(path.text, mode, collection->key, &collection->index, err);

    if (status == SCENT_OK)
        status = check_last(collection, err);
    if (status != SCENT_OK) {
        fulltext_close(collection->index);
        collection->index = NULL;
    }
    return status;
}

static scent_status open_index(struct search *search, struct collection *collection, struct errmsg *err)
{
    struct crawldir_path path = crawldir_path(collection->dir, CRAWLDIR_SEARCH);
    scent_status status = SCENT_E_UNSUPPORTED;

    fulltext_close(collection->index);
    collection->index = NULL;
    collection->is_fixed = false;
    if (access(collection->dir, W_OK) == 0)
        status = try_index(collection, FULLTEXT_WRITE, err);
    if (status == SCENT_E_FORMAT) {
        log_line(search->log, LOG_WARN, "%s; it is made again", err->text);
        SCENT_TRY(fulltext_remove(path.text, err));
        return try_index(collection, FULLTEXT_WRITE, err);
    }
    if (status != SCENT_E_UNSUPPORTED)
        return status;
    collection->is_fixed = try_index(collection, FULLTEXT_READ, err) == SCENT_OK;
    if (collection->is_fixed)
        return SCENT_OK;
    log_line(search->log, LOG_WARN, "%s cannot be written to: a temporary index is made", collection->dir);
    return try_index(collection, FULLTEXT_TEMPORARY, err);
}

/* What is wrong with an index stands in *err. One that is still there goes: it is damaged. */
static scent_status remake_index(struct search *search, struct collection *collection, struct errmsg *err)
{
    struct crawldir_path path = crawldir_path(collection->dir, CRAWLDIR_SEARCH);
    struct errmsg moved;
    bool here = fulltext_is_here(collection->index, &moved) == SCENT_OK;

    log_line(search->log, LOG_WARN, "%s; it is made again", err->text);
    fulltext_close(collection->index);
    collection->index = NULL;
    if (here && !collection->is_fixed)
        SCENT_TRY(fulltext_remove(path.text, err));
    return open_index(search, collection, err);
}

static scent_status add_collection(struct search *search, const char *dir, struct errmsg *err)
{
    struct collection *collection;

    if (!vec_reserve(&search->collections, &search->room, search->count + 1, sizeof *search->collections))
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for %s", dir);
    collection = &search->collections[search->count];
    *collection = (struct collection){.dir = str_dup(str_of(dir))};
    SCENT_BUG_IF(!collection->dir);
    search->count++;
    collection->records = (struct record_reader){.dir = collection->dir};
    SCENT_TRY(crawldir_open(dir, STORE_READ, &collection->store, err));
    SCENT_TRY(crawldir_get_number(collection->store, "key", &collection->key, err));
    SCENT_TRY(text_reader_new(collection->store, PAGE_FORM_TEXT, &collection->texts, err));
    return open_index(search, collection, err);
}

static bool is_crawl(const char *dir)
{
    return file_exists(crawldir_path(dir, "crawl.db").text);
}

static scent_status add_folder(struct search *search, const char *path, struct errmsg *err)
{
    struct file_list names = {0};
    scent_status status = SCENT_OK;
    size_t before = search->count;

    if (file_is_dir(path))
        status = file_list(path, "", &names, err);
    for (size_t i = 0; i < names.count && status == SCENT_OK && search->count < COLLECTIONS_MAX; i++) {
        struct crawldir_path dir = crawldir_path(path, names.names[i]);

        if (is_crawl(dir.text))
            status = add_collection(search, dir.text, err);
    }
    file_list_release(&names);
    if (status == SCENT_OK && search->count == before)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "no crawl in %s: run 'scent crawl' first", path);
    return status;
}

scent_status search_open(const char *path, const struct log *log, struct search **out, struct errmsg *err)
{
    return search_open_all(&path, 1, log, out, err);
}

scent_status search_open_all(const char *const *paths, size_t count, const struct log *log, struct search **out,
                             struct errmsg *err)
{
    struct search *search = calloc(1, sizeof *search);
    scent_status status = SCENT_OK;

    SCENT_BUG_IF(!search);
    search->log = log;
    search->stemmer = text_stemmer_new();
    buf_init(&search->words, SCENT_URL_MAX);
    for (size_t i = 0; i < count && status == SCENT_OK; i++)
        status = is_crawl(paths[i]) ? add_collection(search, paths[i], err) : add_folder(search, paths[i], err);
    if (status != SCENT_OK) {
        search_close(search);
        search = NULL;
    }
    *out = search;
    return status;
}

void search_close(struct search *search)
{
    if (!search)
        return;
    for (size_t i = 0; i < search->count; i++) {
        struct collection *collection = &search->collections[i];

        fulltext_close(collection->index);
        text_reader_free(collection->texts);
        record_reader_close(&collection->records);
        store_close(collection->store);
        free(collection->dir);
    }
    free(search->collections);
    text_stemmer_free(search->stemmer);
    buf_release(&search->words);
    free(search);
}

size_t search_count(const struct search *search)
{
    return search->count;
}

const char *search_dir(const struct search *search, size_t collection)
{
    SCENT_BUG_IF(collection >= search->count);
    return search->collections[collection].dir;
}

/* ---- adding ---- */

struct adding {
    struct search *search;
    struct collection *collection;
    uint64_t most, rows, added, last;
    int64_t last_wall;
    size_t bytes;
    struct errmsg *err;
};

/* The URL without its scheme, with its escapes undone: bytes that are no UTF-8 separate words. */
static struct str url_words(struct buf *out, struct str url)
{
    size_t from = 0;

    for (size_t i = 0; i + 2 < url.len && !from; i++)
        if (url.p[i] == ':' && url.p[i + 1] == '/')
            from = i + 1;
    buf_clear(out);
    for (size_t i = from; i < url.len; i++) {
        int high = url.p[i] == '%' && i + 2 < url.len ? ascii_hex(url.p[i + 1]) : -1;
        int low = high >= 0 ? ascii_hex(url.p[i + 2]) : -1;

        buf_addc(out, low >= 0 ? (char)(high << 4 | low) : url.p[i]);
        i += low >= 0 ? 2 : 0;
    }
    return buf_str(out);
}

/* The content as it is archived; empty where it is not, or cannot be read. */
static scent_status read_content(struct search *search, struct collection *collection, const struct store_page *page,
                                 struct str url, struct str *out)
{
    struct warc_record record;
    struct errmsg why = {{0}};
    scent_status status;

    *out = STR("");
    if (page->warc_length == 0)
        return SCENT_OK;
    status = record_reader_find(&collection->records, page, url, &record, &why);
    if (status == SCENT_OK)
        status = text_reader_read(collection->texts, &record, CONTENT_MAX, out);
    if (status == SCENT_E_NOMEM)
        return status;
    if (status != SCENT_OK)
        log_line(search->log, LOG_DEBUG, "%.*s: its record cannot be read: %s", STR_ARG(url), why.text);
    return SCENT_OK;
}

static scent_status add_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct adding *adding = ctx;
    struct fulltext_page entry = {.number = page->number, .lang = page->lang, .title = page->title};

    if (adding->rows == adding->most || adding->added == BATCH_PAGES || adding->bytes > BATCH_BYTES)
        return SCENT_E_END;
    adding->rows++;
    adding->last = page->number;
    adding->last_wall = page->wall;
    if (!store_page_is_shown(page))
        return SCENT_OK;
    SCENT_TRY(read_content(adding->search, adding->collection, page, url->url, &entry.content));
    entry.url = url_words(&adding->search->words, url->url);
    adding->bytes += entry.content.len;
    adding->added++;
    return fulltext_add(adding->collection->index, &entry, adding->err);
}

/* One transaction; adding->rows 0: there is nothing left. */
static scent_status add_batch(struct adding *adding)
{
    struct collection *collection = adding->collection;
    struct fulltext_state state;
    scent_status status;

    SCENT_TRY(fulltext_is_here(collection->index, adding->err));
    SCENT_TRY(fulltext_begin(collection->index, adding->err));
    status = fulltext_get_state(collection->index, &state, adding->err);
    if (status == SCENT_OK)
        status = store_each_page(collection->store, state.last, add_page, adding, adding->err);
    status = status == SCENT_E_END ? SCENT_OK : status;
    if (status == SCENT_OK && adding->rows)
        status = fulltext_set_last(collection->index, adding->last, adding->last_wall, adding->err);
    if (status == SCENT_OK && adding->rows)
        status = fulltext_commit(collection->index, adding->err);
    fulltext_rollback(collection->index);
    return status;
}

/* What many small updates have left is merged. */
static scent_status merge_index(struct collection *collection, struct errmsg *err)
{
    bool more = true;

    for (int i = 0; i < MERGES && more; i++)
        SCENT_TRY(fulltext_merge(collection->index, &more, err));
    return SCENT_OK;
}

static scent_status update_collection(struct search *search, struct collection *collection, uint64_t most,
                                      struct search_progress *progress, struct errmsg *err)
{
    struct adding adding = {.search = search, .collection = collection, .err = err};
    uint64_t left = most, added = 0;
    scent_status status = SCENT_OK;
    bool again = true;

    do {
        adding.rows = adding.added = adding.bytes = 0;
        adding.most = left;
        status = add_batch(&adding);
        if (status == SCENT_E_FORMAT && again) { /* once: it was removed, or is damaged */
            again = false;
            adding.rows = 1;
            status = remake_index(search, collection, err);
            continue;
        }
        left -= adding.rows < left ? adding.rows : left;
        added += adding.added;
    } while (status == SCENT_OK && adding.rows && left);
    progress->added += added;
    progress->up_to_date &= left > 0;
    return status == SCENT_OK && added && left ? merge_index(collection, err) : status;
}

scent_status search_update(struct search *search, uint64_t most, struct search_progress *out, struct errmsg *err)
{
    *out = (struct search_progress){.up_to_date = true};
    for (size_t i = 0; i < search->count; i++) {
        struct fulltext_state state;

        if (!search->collections[i].is_fixed && out->up_to_date)
            SCENT_TRY(update_collection(search, &search->collections[i], most, out, err));
        SCENT_TRY(fulltext_get_state(search->collections[i].index, &state, err));
        out->pages += state.pages;
    }
    return SCENT_OK;
}

/* ---- searching ---- */

/* A hit before its texts are read. */
struct candidate {
    size_t collection;
    struct ranked ranked;
    struct row row;
};

struct asking {
    const struct search_query *query;
    struct request request;
    struct ranking_result *ranking;
    double (*weights)[REQUEST_GROUPS]; /* of each collection */
    struct candidate *candidates;
    size_t count, room;
    int64_t deadline;
    struct search_results *out;
    struct errmsg *err;
};

struct langs {
    struct request_lang items[REQUEST_LANGS];
    size_t count;
};

static void take_lang(void *ctx, struct str lang, uint64_t pages)
{
    struct langs *langs = ctx;
    char code[4];

    (void)pages;
    if (langs->count == REQUEST_LANGS || !text_lang_code(lang, code))
        return;
    for (size_t i = 0; i < langs->count; i++)
        if (strcmp(langs->items[i].code, code) == 0)
            return;
    memcpy(langs->items[langs->count++].code, code, sizeof code);
}

static scent_status read_langs(struct search *search, size_t collection, struct langs *langs, struct errmsg *err)
{
    struct collection *of = &search->collections[collection];
    scent_status status = fulltext_is_here(of->index, err);

    if (status == SCENT_OK)
        status = fulltext_each_lang(of->index, take_lang, langs, err);
    return status;
}

/* One that was removed or is damaged is opened anew; the next update fills it. */
static scent_status mend_index(struct search *search, size_t collection, struct search_results *out,
                               struct errmsg *err)
{
    out->again = true;
    return remake_index(search, &search->collections[collection], err);
}

static bool fits_host(struct str url, struct str host)
{
    struct arena arena;
    struct url parsed;
    bool fits = false;

    arena_init(&arena, SCENT_URL_MAX * 8);
    if (url_parse(&arena, url, NULL, &parsed) == SCENT_OK) {
        struct str name = url_host(&parsed);

        fits = str_eq(name, host) ||
               (str_ends(name, host) && name.len > host.len && name.p[name.len - host.len - 1] == '.');
    }
    arena_release(&arena);
    return fits;
}

static bool fits_row(const struct request *request, const struct row *row)
{
    if (!row->found || !store_page_is_shown(&row->page) || (request->relevant_only && !row->page.relevant) ||
        (request->irrelevant_only && row->page.relevant) ||
        (request->lang[0] && !str_eq_nocase(row->page.lang, str_of(request->lang))))
        return false;
    return !request->host[0] || fits_host(row->url, str_of(request->host));
}

struct acceptance {
    struct collection *collection;
    const struct request *request;
    struct arena arena;
    struct errmsg *err;
    scent_status status;
};

/* Without a filter nearly all pages are accepted, and those that were replaced are dropped later. */
static bool accept_page(void *ctx, uint64_t page)
{
    struct acceptance *acceptance = ctx;
    struct row row = {.arena = &acceptance->arena};

    if (!request_has_filter(acceptance->request))
        return true;
    arena_reset(&acceptance->arena);
    if (acceptance->status == SCENT_OK)
        acceptance->status = get_row(acceptance->collection, page, &row, acceptance->err);
    return acceptance->status == SCENT_OK && fits_row(acceptance->request, &row);
}

static scent_status add_candidates(struct asking *asking, struct collection *collection, size_t number)
{
    struct ranking_result *ranking = asking->ranking;

    for (size_t i = 0; i < ranking->count; i++) {
        struct candidate candidate = {.collection = number, .ranked = ranking->pages[i],
                                      .row = {.arena = &asking->out->arena}};

        SCENT_TRY(get_row(collection, candidate.ranked.page, &candidate.row, asking->err));
        if (!fits_row(&asking->request, &candidate.row))
            continue;
        candidate.ranked.score *= ranking_title(&asking->request, candidate.row.page.title);
        if (!vec_reserve(&asking->candidates, &asking->room, asking->count + 1, sizeof candidate))
            return SCENT_E_NOMEM;
        asking->candidates[asking->count++] = candidate;
    }
    return SCENT_OK;
}

static scent_status ask_index(struct asking *asking, struct collection *collection, size_t number)
{
    struct acceptance acceptance = {.collection = collection, .request = &asking->request, .err = asking->err};
    struct ranking_result *ranking = asking->ranking;
    scent_status status;

    arena_init(&acceptance.arena, SIZE_MAX);
    status = ranking_run(collection->index, &asking->request, asking->query->first + asking->query->count + CANDIDATES,
                         asking->deadline, accept_page, &acceptance, ranking, asking->err);
    arena_release(&acceptance.arena);
    SCENT_TRY(status);
    SCENT_TRY(acceptance.status);
    /* Hits with all of the words push out those with some, whatever the collection. */
    if (number && ranking->matches && ranking->any != asking->out->any) {
        if (ranking->any && asking->count)
            return SCENT_OK;
        asking->count = 0;
        asking->out->matches = 0;
    }
    memcpy(asking->weights[number], ranking->weights, sizeof ranking->weights);
    asking->out->any = ranking->matches ? ranking->any : asking->out->any;
    asking->out->cut |= ranking->cut;
    asking->out->matches += ranking->matches;
    return add_candidates(asking, collection, number);
}

static int order_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->ranked.score != y->ranked.score)
        return x->ranked.score < y->ranked.score ? 1 : -1;
    if (x->collection != y->collection)
        return x->collection < y->collection ? -1 : 1;
    return x->ranked.page < y->ranked.page ? -1 : x->ranked.page > y->ranked.page;
}

static scent_status make_hit(struct search *search, struct asking *asking, const struct candidate *candidate,
                             struct search_hit *hit)
{
    struct collection *collection = &search->collections[candidate->collection];
    const struct row *row = &candidate->row;
    struct str text;

    *hit = (struct search_hit){.collection = candidate->collection,
                               .page = row->number,
                               .url = row->url,
                               .title = row->page.title,
                               .lang = row->page.lang,
                               .wall = row->page.wall,
                               .relevant = row->page.relevant,
                               .relevance = row->page.score,
                               .score = candidate->ranked.score,
                               .excerpt = {.text = STR("")}};
    if (asking->query->no_excerpts || (asking->deadline && clock_mono(&clock_system) > asking->deadline))
        return SCENT_OK;
    SCENT_TRY(read_content(search, collection, &row->page, row->url, &text));
    return excerpt_make(&asking->request, asking->weights[candidate->collection], text, row->page.lang,
                        search->stemmer, &asking->out->arena, &hit->excerpt);
}

/* A page that several directories have is one hit, the best. */
static void drop_equal(struct asking *asking)
{
    struct several *several = several_new();
    size_t kept = 0;

    for (size_t i = 0; i < asking->count; i++) {
        const struct candidate *candidate = &asking->candidates[i];

        if (several_meet(several, candidate->collection, &candidate->row.page, candidate->row.url) == SEVERAL_NEW)
            asking->candidates[kept++] = *candidate;
    }
    asking->count = kept;
    several_free(several);
}

static scent_status make_hits(struct search *search, struct asking *asking)
{
    struct search_results *out = asking->out;
    size_t first = asking->query->first, count = asking->query->count;

    if (asking->count)
        qsort(asking->candidates, asking->count, sizeof *asking->candidates, order_candidates);
    if (search->count > 1)
        drop_equal(asking);
    if (first >= asking->count)
        return SCENT_OK;
    count = asking->count - first < count ? asking->count - first : count;
    out->more = first + count < asking->count;
    out->hits = calloc(count + 1, sizeof *out->hits);
    if (!out->hits)
        return errmsg_fail(asking->err, SCENT_E_NOMEM, "no memory for %zu hits", count);
    for (; out->count < count; out->count++)
        SCENT_TRY(make_hit(search, asking, &asking->candidates[first + out->count], &out->hits[out->count]));
    return SCENT_OK;
}

scent_status search_query(struct search *search, const struct search_query *query, struct search_results *out,
                          struct errmsg *err)
{
    struct asking *asking = calloc(1, sizeof *asking);
    struct langs langs = {0};
    scent_status status = SCENT_OK;

    SCENT_BUG_IF(!asking);
    *asking = (struct asking){.query = query, .out = out, .err = err};
    *out = (struct search_results){0};
    arena_init(&out->arena, SIZE_MAX);
    asking->deadline = query->limit_us ? clock_mono(&clock_system) + query->limit_us : 0;
    asking->ranking = malloc(sizeof *asking->ranking);
    asking->weights = calloc(search->count, sizeof *asking->weights);
    SCENT_BUG_IF(!asking->ranking || !asking->weights);
    for (size_t i = 0; i < search->count && status == SCENT_OK; i++) {
        status = read_langs(search, i, &langs, err);
        status = status == SCENT_E_FORMAT ? mend_index(search, i, out, err) : status;
    }
    request_parse(&asking->request, query->text, langs.items, langs.count);
    out->empty = request_is_empty(&asking->request);
    for (size_t i = 0; i < search->count && status == SCENT_OK; i++) {
        status = ask_index(asking, &search->collections[i], i);
        status = status == SCENT_E_FORMAT ? mend_index(search, i, out, err) : status;
    }
    if (status == SCENT_OK)
        status = make_hits(search, asking);
    free(asking->candidates);
    free(asking->weights);
    free(asking->ranking);
    free(asking);
    return status;
}

void search_results_release(struct search_results *results)
{
    free(results->hits);
    arena_release(&results->arena);
    *results = (struct search_results){0};
}

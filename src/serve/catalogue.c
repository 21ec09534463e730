/* The list is built in a thread: rows of crawl databases first, then the records that none of them knows. */
#include "serve/catalogue.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "crawldir/crawldir.h"
#include "http/http.h"
#include "page/charset.h"
#include "page/token.h"
#include "text/text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TITLE_MAX = 300,          /* bytes */
    HEAD_BYTES = 64 * 1024,   /* of a page, in which its title is looked for */
    WORDS_MAX = 16,           /* of a query */
    WORD_BYTES = 128,
    COLLECTIONS_MAX = 10000,
    RECORD_MAX = 64 << 20
};
#define NONE UINT32_MAX

struct page {
    uint32_t entry, parent; /* of the archive */
    uint32_t host;
    size_t title;           /* where it begins; its folded words follow it */
    uint16_t title_len, words_len, depth, collection;
    float score, priority;
    bool judged, relevant, is_seed;
};

struct collection {
    char *name, *dir;
    size_t pages, relevant;
    bool is_crawl; /* its database was read */
};

struct catalogue {
    const struct archive *archive;
    const struct log *log;
    char *path;
    pthread_t thread;
    atomic_bool ready, cancelled;
    atomic_size_t done;

    struct page *pages;
    size_t count, room;
    uint32_t *page_of; /* by entry; NONE */
    uint32_t *orders[CATALOGUE_ORDERS];
    struct buf titles;
    struct catalogue_host *hosts;
    size_t nhosts, hosts_room;
    uint32_t *hosts_order;
    struct map host_map;
    struct collection *collections;
    size_t ncollections, collections_room;
    struct catalogue_counts counts;
};

/* ---- pages ---- */

static struct str host_of(struct str url)
{
    size_t start = str_find(url, ':'), end;

    start = start + 3 < url.len ? start + 3 : url.len;
    for (end = start; end < url.len && url.p[end] != '/' && url.p[end] != '?'; end++)
        ;
    return str_sub(url, start, end);
}

static uint32_t find_host(struct catalogue *catalogue, struct str name)
{
    uint64_t hash = hash_str(name, 0);
    struct map_walk walk = map_find(&catalogue->host_map, hash);

    while (map_next(&walk))
        if (str_eq(catalogue->hosts[walk.value].name, name))
            return walk.value;
    SCENT_BUG_IF(!vec_reserve(&catalogue->hosts, &catalogue->hosts_room, catalogue->nhosts + 1,
                              sizeof *catalogue->hosts) ||
                 map_add(&catalogue->host_map, hash, (uint32_t)catalogue->nhosts) != SCENT_OK);
    catalogue->hosts[catalogue->nhosts] = (struct catalogue_host){.name = name};
    return (uint32_t)catalogue->nhosts++;
}

/* The words of a text, folded, with a space between them: how titles and queries are compared. */
static void fold(struct str text, struct buf *out)
{
    struct text_cursor cursor;
    char word[TEXT_WORD_MAX];
    size_t len, before = out->len;

    text_cursor_init(&cursor, text);
    while (text_next_word(&cursor, word, &len)) {
        if (out->len > before)
            buf_addc(out, ' ');
        buf_add(out, (struct str){word, len});
    }
}

static struct str cut_title(struct str title)
{
    title = str_trim(title);
    if (title.len <= TITLE_MAX)
        return title;
    for (title.len = TITLE_MAX; title.len && (title.p[title.len] & 0xC0) == 0x80; title.len--)
        ;
    return title;
}

/* False: no memory; the list ends there. */
static bool add_page(struct catalogue *catalogue, struct page page, struct str title)
{
    struct collection *collection = &catalogue->collections[page.collection];
    uint64_t date = archive_entry(catalogue->archive, page.entry).date;
    struct catalogue_counts *counts = &catalogue->counts;
    struct catalogue_host *host;

    title = cut_title(title);
    page.title = catalogue->titles.len;
    page.title_len = (uint16_t)title.len;
    if (!vec_reserve(&catalogue->pages, &catalogue->room, catalogue->count + 1, sizeof page) ||
        !buf_add(&catalogue->titles, title))
        return false;
    fold(title, &catalogue->titles);
    page.words_len = (uint16_t)(catalogue->titles.len - page.title - title.len);
    page.host = find_host(catalogue, host_of(archive_url(catalogue->archive, page.entry)));
    host = &catalogue->hosts[page.host];
    host->pages++;
    host->relevant += page.relevant;
    collection->pages++;
    collection->relevant += page.relevant;
    counts->relevant += page.relevant;
    counts->judged += page.judged;
    counts->oldest = counts->oldest && counts->oldest < date ? counts->oldest : date;
    counts->newest = counts->newest > date ? counts->newest : date;
    catalogue->page_of[page.entry] = (uint32_t)catalogue->count;
    catalogue->pages[catalogue->count++] = page;
    return !catalogue->titles.failed;
}

/* ---- crawl directories ---- */

struct crawl_reader {
    struct catalogue *catalogue;
    uint16_t collection;
    uint32_t *entries; /* by URL id; NONE */
    size_t count, room;
};

static scent_status take_row(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct crawl_reader *reader = ctx;
    struct page page = {.collection = reader->collection, .parent = NONE};
    size_t entry;

    if (atomic_load(&reader->catalogue->cancelled))
        return SCENT_E_END;
    if (!archive_find(reader->catalogue->archive, url->url, &entry))
        return SCENT_OK;
    if (!vec_reserve(&reader->entries, &reader->room, (size_t)url->id + 1, sizeof *reader->entries))
        return SCENT_E_NOMEM;
    for (; reader->count <= url->id; reader->count++)
        reader->entries[reader->count] = NONE;
    reader->entries[url->id] = (uint32_t)entry;
    if (!store_page_is_shown(row))
        return SCENT_OK;
    page.entry = (uint32_t)entry;
    page.judged = true;
    page.relevant = row->relevant;
    page.score = (float)row->score;
    page.priority = row->priority;
    page.depth = url->depth;
    page.is_seed = url->parent == STORE_NO_PARENT;
    if (url->parent < reader->count) /* it came before */
        page.parent = reader->entries[url->parent];
    atomic_fetch_add(&reader->catalogue->done, 1);
    return add_page(reader->catalogue, page, row->title) ? SCENT_OK : SCENT_E_NOMEM;
}

/* A database that cannot be read costs the list, not the collection: its records are read instead. */
static void read_crawl(struct catalogue *catalogue, size_t collection)
{
    struct crawl_reader reader = {.catalogue = catalogue, .collection = (uint16_t)collection};
    const char *dir = catalogue->collections[collection].dir;
    struct errmsg err = {""};
    struct store *store = NULL;
    scent_status status = crawldir_open(dir, STORE_READ, &store, &err);

    if (status == SCENT_OK)
        status = store_each_page(store, 0, take_row, &reader, &err);
    if (status != SCENT_OK && status != SCENT_E_END)
        log_line(catalogue->log, LOG_WARN, "the titles and scores of %s are incomplete: %s", dir, err.text);
    catalogue->collections[collection].is_crawl = status == SCENT_OK;
    store_close(store);
    free(reader.entries);
}

static void add_collection(struct catalogue *catalogue, const char *dir)
{
    const char *slash;
    struct str path = str_of(dir);
    struct collection *collection;

    SCENT_BUG_IF(!vec_reserve(&catalogue->collections, &catalogue->collections_room, catalogue->ncollections + 1,
                              sizeof *catalogue->collections));
    while (path.len > 1 && path.p[path.len - 1] == '/')
        path.len--;
    collection = &catalogue->collections[catalogue->ncollections++];
    *collection = (struct collection){.dir = str_dup(path)};
    SCENT_BUG_IF(!collection->dir);
    slash = strrchr(collection->dir, '/');
    collection->name = str_dup(str_of(slash && slash[1] ? slash + 1 : collection->dir));
    SCENT_BUG_IF(!collection->name);
}

static void find_collections(struct catalogue *catalogue)
{
    struct crawldir_path path;
    struct file_list names = {0};
    struct errmsg err;

    add_collection(catalogue, catalogue->path); /* 0: the folder itself, and what belongs to no other */
    if (!file_is_dir(catalogue->path) || file_list(catalogue->path, "", &names, &err) != SCENT_OK)
        return;
    for (size_t i = 0; i < names.count && catalogue->ncollections < COLLECTIONS_MAX; i++) {
        path = crawldir_path(catalogue->path, names.names[i]);
        if (file_exists(crawldir_path(path.text, "crawl.db").text))
            add_collection(catalogue, path.text);
    }
    file_list_release(&names);
    for (size_t i = 0; i < catalogue->ncollections; i++)
        if (file_exists(crawldir_path(catalogue->collections[i].dir, "crawl.db").text))
            read_crawl(catalogue, i);
}

/* ---- other archives ---- */

/* The collection whose folder a file lies in; the innermost comes last. */
static size_t collection_of(const struct catalogue *catalogue, const char *file)
{
    size_t found = 0;

    for (size_t i = 1; i < catalogue->ncollections; i++) {
        struct str dir = str_of(catalogue->collections[i].dir);

        if (str_starts(str_of(file), dir) && file[dir.len] == '/')
            found = i;
    }
    return found;
}

static void add_text(struct str text, struct buf *out)
{
    bool blank = true;

    for (size_t i = 0; i < text.len; i++) { /* blanks as one */
        if (!ascii_is_space(text.p[i]))
            buf_addc(out, text.p[i]);
        else if (!blank)
            buf_addc(out, ' ');
        blank = ascii_is_space(text.p[i]);
    }
}

static void find_title(struct str html, struct buf *out)
{
    struct tokenizer tokenizer;
    struct token token;
    struct buf decoded;

    buf_clear(out);
    buf_init(&decoded, 4 * HEAD_BYTES);
    tokenizer_init(&tokenizer);
    tokenizer_start(&tokenizer, html);
    while (token_next(&tokenizer, &token)) {
        if (token.kind != TOKEN_START)
            continue;
        if (token.tag == PAGE_TAG_SCRIPT || token.tag == PAGE_TAG_STYLE) {
            token_raw_text(&tokenizer, token.tag);
        } else if (token.tag == PAGE_TAG_TITLE) {
            struct str text = token_raw_text(&tokenizer, PAGE_TAG_TITLE);

            if (buf_reserve(&decoded, 2 * text.len))
                decoded.len = charref_decode(text, CHARREF_TEXT, decoded.p);
            add_text(buf_str(&decoded), out);
            break;
        }
    }
    tokenizer_release(&tokenizer);
    buf_release(&decoded);
}

static bool is_html(struct str mime)
{
    return str_eq_nocase(mime, STR("text/html")) || str_eq_nocase(mime, STR("application/xhtml+xml"));
}

static bool is_page(struct str mime)
{
    return is_html(mime) || !mime.len || str_eq_nocase(mime, STR("text/plain")) ||
           str_eq_nocase(mime, STR("application/pdf"));
}

struct scanner {
    struct charset *charset;
    struct buf record, body, utf8, title;
};

static bool scan_record(struct catalogue *catalogue, struct scanner *scanner, size_t entry, size_t collection)
{
    struct archive_response response;
    struct charset_choice choice;
    struct str mime, body, text = STR("");
    enum http_end end;

    if (archive_get(catalogue->archive, archive_url(catalogue->archive, entry), &scanner->record, &response, NULL) !=
        SCENT_OK)
        return true;
    mime = http_head_mime(response.head);
    if (!is_page(mime))
        return true;
    buf_clear(&scanner->title);
    if (is_html(mime) &&
        http_decode_body(response.head, response.body, &scanner->body, &body, &end) == SCENT_OK) {
        body.len = body.len < HEAD_BYTES ? body.len : HEAD_BYTES;
        choice = charset_choose(scanner->charset, http_header(response.head, STR("Content-Type")), body);
        body = str_sub(body, choice.bom, body.len);
        if (charset_decode(scanner->charset, choice.name, body, &scanner->utf8, &text) == SCENT_OK)
            find_title(text, &scanner->title);
    }
    return add_page(catalogue, (struct page){.entry = (uint32_t)entry, .parent = NONE,
                                             .collection = (uint16_t)collection}, buf_str(&scanner->title));
}

static void scan_records(struct catalogue *catalogue)
{
    struct scanner scanner = {.charset = charset_new()};

    buf_init(&scanner.record, RECORD_MAX);
    buf_init(&scanner.body, HEAD_BYTES);
    buf_init(&scanner.utf8, 0);
    buf_init(&scanner.title, 4 * HEAD_BYTES);
    for (size_t i = 0; i < archive_count(catalogue->archive) && !atomic_load(&catalogue->cancelled); i++) {
        struct archive_entry entry = archive_entry(catalogue->archive, i);
        size_t collection = collection_of(catalogue, entry.file);

        if (catalogue->collections[collection].is_crawl || catalogue->page_of[i] != NONE || entry.status / 100 != 2 ||
            str_ends(entry.url, STR("/robots.txt")))
            continue;
        if (!scan_record(catalogue, &scanner, i, collection))
            break;
        atomic_store(&catalogue->done, i);
    }
    buf_release(&scanner.record);
    buf_release(&scanner.body);
    buf_release(&scanner.utf8);
    buf_release(&scanner.title);
    charset_free(scanner.charset);
}

/* ---- orders ---- */

static int compare(const struct catalogue *catalogue, enum catalogue_order order, uint32_t a, uint32_t b)
{
    const struct page *x = &catalogue->pages[a], *y = &catalogue->pages[b];
    struct archive_entry of_x = archive_entry(catalogue->archive, x->entry);
    struct archive_entry of_y = archive_entry(catalogue->archive, y->entry);
    int by = 0;

    if (order == CATALOGUE_BY_SCORE)
        by = x->relevant != y->relevant ? (x->relevant ? -1 : 1) : (x->score < y->score) - (x->score > y->score);
    else if (order == CATALOGUE_BY_DATE)
        by = (of_x.date < of_y.date) - (of_x.date > of_y.date);
    if (!by)
        by = str_cmp(of_x.url, of_y.url);
    return by ? by : (a > b) - (a < b);
}

struct sorting {
    const struct catalogue *catalogue;
    enum catalogue_order order;
};

static int compare_pages(const void *a, const void *b, void *ctx)
{
    const struct sorting *sorting = ctx;

    return compare(sorting->catalogue, sorting->order, *(const uint32_t *)a, *(const uint32_t *)b);
}

static int compare_hosts(const void *a, const void *b, void *ctx)
{
    const struct catalogue_host *hosts = ((const struct catalogue *)ctx)->hosts;
    const struct catalogue_host *x = &hosts[*(const uint32_t *)a], *y = &hosts[*(const uint32_t *)b];

    return x->pages != y->pages ? (x->pages < y->pages ? 1 : -1) : str_cmp(x->name, y->name);
}

static uint32_t *numbers(size_t count)
{
    uint32_t *order = calloc(count + 1, sizeof *order);

    SCENT_BUG_IF(!order);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    return order;
}

static void *build(void *ctx)
{
    struct catalogue *catalogue = ctx;

    find_collections(catalogue);
    scan_records(catalogue);
    for (enum catalogue_order order = 0; order < CATALOGUE_ORDERS; order++) {
        struct sorting sorting = {catalogue, order};

        catalogue->orders[order] = numbers(catalogue->count);
        qsort_r(catalogue->orders[order], catalogue->count, sizeof(uint32_t), compare_pages, &sorting);
    }
    catalogue->hosts_order = numbers(catalogue->nhosts);
    qsort_r(catalogue->hosts_order, catalogue->nhosts, sizeof(uint32_t), compare_hosts, catalogue);
    catalogue->counts.pages = catalogue->count;
    catalogue->counts.hosts = catalogue->nhosts;
    catalogue->counts.collections = catalogue->ncollections;
    atomic_store(&catalogue->ready, true);
    return NULL;
}

/* ---- start and stop ---- */

struct catalogue *catalogue_start(const struct archive *archive, const char *path, const struct log *log)
{
    struct catalogue *catalogue = calloc(1, sizeof *catalogue);
    size_t count = archive_count(archive);

    SCENT_BUG_IF(!catalogue);
    catalogue->archive = archive;
    catalogue->log = log;
    catalogue->path = str_dup(str_of(path));
    catalogue->page_of = malloc((count + 1) * sizeof *catalogue->page_of);
    SCENT_BUG_IF(!catalogue->path || !catalogue->page_of);
    memset(catalogue->page_of, 0xFF, (count + 1) * sizeof *catalogue->page_of); /* NONE */
    buf_init(&catalogue->titles, 0);
    SCENT_BUG_IF(pthread_create(&catalogue->thread, NULL, build, catalogue) != 0);
    return catalogue;
}

void catalogue_stop(struct catalogue *catalogue)
{
    if (!catalogue)
        return;
    atomic_store(&catalogue->cancelled, true);
    pthread_join(catalogue->thread, NULL);
    for (enum catalogue_order order = 0; order < CATALOGUE_ORDERS; order++)
        free(catalogue->orders[order]);
    for (size_t i = 0; i < catalogue->ncollections; i++) {
        free(catalogue->collections[i].name);
        free(catalogue->collections[i].dir);
    }
    free(catalogue->collections);
    free(catalogue->hosts);
    free(catalogue->hosts_order);
    map_release(&catalogue->host_map);
    buf_release(&catalogue->titles);
    free(catalogue->pages);
    free(catalogue->page_of);
    free(catalogue->path);
    free(catalogue);
}

bool catalogue_is_ready(const struct catalogue *catalogue, size_t *done, size_t *total)
{
    *done = atomic_load(&catalogue->done);
    *total = archive_count(catalogue->archive);
    return atomic_load(&catalogue->ready);
}

/* ---- looking up ---- */

struct catalogue_page catalogue_page(const struct catalogue *catalogue, size_t number)
{
    const struct page *page = &catalogue->pages[number];
    struct archive_entry entry = archive_entry(catalogue->archive, page->entry);

    SCENT_BUG_IF(number >= catalogue->count);
    return (struct catalogue_page){
        .url = entry.url,
        .title = {catalogue->titles.p + page->title, page->title_len},
        .host = catalogue->hosts[page->host].name,
        .date = entry.date,
        .collection = page->collection,
        .judged = page->judged,
        .relevant = page->relevant,
        .is_seed = page->is_seed,
        .score = (double)page->score,
        .priority = (double)page->priority,
        .depth = page->depth,
        .parent = page->parent == NONE ? STR("") : archive_url(catalogue->archive, page->parent),
    };
}

bool catalogue_find_url(const struct catalogue *catalogue, struct str url, size_t *number)
{
    size_t entry;

    if (!archive_find(catalogue->archive, url, &entry) || catalogue->page_of[entry] == NONE)
        return false;
    *number = catalogue->page_of[entry];
    return true;
}

/* The words of a query: as they stand, for URLs, and folded, for titles. */
struct words {
    struct {
        char text[WORD_BYTES], folded[WORD_BYTES];
        size_t len, folded_len;
    } items[WORDS_MAX];
    size_t count;
};

static void read_words(struct str query, struct words *words)
{
    struct buf folded;
    size_t pos = 0;

    words->count = 0;
    buf_init(&folded, WORD_BYTES - 1);
    while (pos < query.len && words->count < WORDS_MAX) {
        size_t start = pos;

        while (pos < query.len && !ascii_is_space(query.p[pos]))
            pos++;
        if (pos > start && pos - start < WORD_BYTES) {
            buf_clear(&folded);
            fold(str_sub(query, start, pos), &folded);
            for (size_t i = start; i < pos; i++)
                words->items[words->count].text[i - start] = ascii_lower(query.p[i]);
            words->items[words->count].len = pos - start;
            memcpy(words->items[words->count].folded, buf_z(&folded), folded.len);
            words->items[words->count++].folded_len = folded.len;
        }
        pos++;
    }
    buf_release(&folded);
}

static bool contains_nocase(struct str s, struct str lower)
{
    for (size_t i = 0; i + lower.len <= s.len; i++) {
        size_t n = 0;

        while (n < lower.len && ascii_lower(s.p[i + n]) == lower.p[n])
            n++;
        if (n == lower.len)
            return true;
    }
    return false;
}

static bool has_words(const struct words *words, struct str url, struct str folded)
{
    for (size_t i = 0; i < words->count; i++) {
        struct str text = {words->items[i].text, words->items[i].len};
        struct str word = {words->items[i].folded, words->items[i].folded_len};

        if (!(word.len && folded.len && memmem(folded.p, folded.len, word.p, word.len)) && !contains_nocase(url, text))
            return false;
    }
    return true;
}

static bool is_wanted(const struct catalogue *catalogue, const struct catalogue_query *query, const struct words *words,
                      const struct page *page)
{
    if ((query->relevant && !page->relevant) ||
        (query->collection != SIZE_MAX && page->collection != query->collection) ||
        (query->host.len && !str_eq(catalogue->hosts[page->host].name, query->host)))
        return false;
    return has_words(words, archive_url(catalogue->archive, page->entry),
                     (struct str){catalogue->titles.p + page->title + page->title_len, page->words_len});
}

size_t catalogue_find(const struct catalogue *catalogue, const struct catalogue_query *query, size_t *out, size_t max,
                      size_t *total)
{
    struct words words;
    size_t count = 0;

    read_words(query->words, &words);
    *total = 0;
    for (size_t i = 0; i < catalogue->count; i++) {
        uint32_t number = catalogue->orders[query->order][i];

        if (!is_wanted(catalogue, query, &words, &catalogue->pages[number]))
            continue;
        if (*total >= query->first && count < max)
            out[count++] = number;
        ++*total;
    }
    return count;
}

size_t catalogue_find_hosts(const struct catalogue *catalogue, struct str query, size_t first,
                            struct catalogue_host *hosts, size_t max, size_t *total)
{
    struct words words;
    size_t count = 0;

    read_words(query, &words);
    *total = 0;
    for (size_t i = 0; i < catalogue->nhosts; i++) {
        struct catalogue_host host = catalogue->hosts[catalogue->hosts_order[i]];

        if (!has_words(&words, host.name, STR("")))
            continue;
        if (*total >= first && count < max)
            hosts[count++] = host;
        ++*total;
    }
    return count;
}

struct catalogue_counts catalogue_counts(const struct catalogue *catalogue)
{
    return catalogue->counts;
}

struct catalogue_collection catalogue_collection(const struct catalogue *catalogue, size_t i)
{
    const struct collection *collection = &catalogue->collections[i];

    SCENT_BUG_IF(i >= catalogue->ncollections);
    return (struct catalogue_collection){collection->name, collection->dir, collection->pages, collection->relevant};
}

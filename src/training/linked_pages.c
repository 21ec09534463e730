#include "training/linked_pages.h"

#include "base/hash.h"
#include "base/vec.h"
#include "warc/pagefile.h"

#include <stdlib.h>

enum { PAGE_ARENA = 512 << 20 };

struct item {
    uint64_t hash;
    char *url;
};

struct class {
    struct item *items;
    size_t count, room;
    uint64_t limit; /* larger hashes are not wanted */
};

struct row {
    const char *url;
    uint32_t class;
};

struct linked_pages {
    uint32_t per_class;
    uint64_t seed;
    const struct archive *archive; /* NULL: any page counts */
    struct class *classes;
    uint32_t nclasses;
    size_t classes_room;
    struct row *rows; /* after linked_pages_finish(): sorted by URL, then class */
    size_t nrows;
};

struct linked_pages *linked_pages_new(uint32_t per_class, uint64_t seed)
{
    struct linked_pages *linked = calloc(1, sizeof *linked);

    SCENT_BUG_IF(!linked || per_class == 0);
    linked->per_class = per_class;
    linked->seed = seed;
    return linked;
}

void linked_pages_limit(struct linked_pages *linked, const struct archive *archive)
{
    linked->archive = archive;
}

static void cut(struct class *class, size_t count)
{
    while (class->count > count)
        free(class->items[--class->count].url);
}

void linked_pages_free(struct linked_pages *linked)
{
    if (!linked)
        return;
    for (uint32_t i = 0; i < linked->nclasses; i++) {
        cut(&linked->classes[i], 0);
        free(linked->classes[i].items);
    }
    free(linked->classes);
    free(linked->rows);
    free(linked);
}

/* ---- adding ---- */

static int by_hash(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return strcmp(x->url, y->url);
}

/* Sorted, each once, no more than the sample. */
static void tidy(struct class *class, uint32_t per_class)
{
    size_t kept = 0;

    if (class->count)
        qsort(class->items, class->count, sizeof *class->items, by_hash);
    for (size_t i = 0; i < class->count; i++) {
        if (kept && by_hash(&class->items[i], &class->items[kept - 1]) == 0)
            free(class->items[i].url);
        else
            class->items[kept++] = class->items[i];
    }
    class->count = kept;
    if (kept < per_class)
        return;
    cut(class, per_class);
    class->limit = class->items[per_class - 1].hash;
}

static scent_status reach_class(struct linked_pages *linked, uint32_t class)
{
    if (!vec_reserve(&linked->classes, &linked->classes_room, (size_t)class + 1, sizeof *linked->classes))
        return SCENT_E_NOMEM;
    while (linked->nclasses <= class)
        linked->classes[linked->nclasses++] = (struct class){.limit = UINT64_MAX};
    return SCENT_OK;
}

static scent_status reserve_item(struct class *class, uint32_t per_class)
{
    if (class->count == class->room && class->count >= 2 * (size_t)per_class)
        tidy(class, per_class);
    return vec_reserve(&class->items, &class->room, class->count + 1, sizeof *class->items) ? SCENT_OK : SCENT_E_NOMEM;
}

scent_status linked_pages_add(struct linked_pages *linked, uint32_t number, struct str url)
{
    struct item item = {.hash = hash_str(url, linked->seed)};
    struct class *class;

    SCENT_TRY(reach_class(linked, number));
    class = &linked->classes[number];
    if (item.hash > class->limit || (linked->archive && !archive_has(linked->archive, url)))
        return SCENT_OK;
    SCENT_TRY(reserve_item(class, linked->per_class));
    if (!(item.url = str_dup(url)))
        return SCENT_E_NOMEM;
    class->items[class->count++] = item;
    return SCENT_OK;
}

scent_status linked_pages_add_page(struct linked_pages *linked, uint32_t class, const struct page *page, bool polite)
{
    if (polite && page->robots & PAGE_NOFOLLOW)
        return SCENT_OK;
    for (uint32_t i = 0; i < page->nlinks; i++) {
        const struct page_link *link = &page->links[i];

        /* What a file on disk links to beside itself has no address. */
        if ((polite && link->rel) || str_ends(url_host(&link->url), STR(".invalid")))
            continue;
        SCENT_TRY(linked_pages_add(linked, class, link->url.href));
    }
    return SCENT_OK;
}

void linked_pages_move(struct linked_pages *linked, uint32_t class, uint32_t to)
{
    if (class == to || class >= linked->nclasses)
        return;
    SCENT_BUG_IF(linked->classes[to].count);
    free(linked->classes[to].items);
    linked->classes[to] = linked->classes[class];
    linked->classes[class] = (struct class){.limit = UINT64_MAX};
}

/* ---- all of them ---- */

static int by_url(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = strcmp(x->url, y->url);

    return order ? order : (x->class > y->class) - (x->class < y->class);
}

static uint64_t count_with(const struct linked_pages *linked, uint64_t cap)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < linked->nclasses; i++)
        sum += linked->classes[i].count < cap ? linked->classes[i].count : cap;
    return sum;
}

/* The largest number of a class with which all together are not too many. */
static uint64_t find_cap(const struct linked_pages *linked, uint64_t pages)
{
    uint64_t low = 0, high = linked->per_class;

    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;

        if (count_with(linked, middle) <= pages)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

scent_status linked_pages_finish(struct linked_pages *linked, uint64_t pages, uint64_t *count)
{
    uint64_t cap;

    for (uint32_t i = 0; i < linked->nclasses; i++)
        tidy(&linked->classes[i], linked->per_class);
    cap = find_cap(linked, pages);
    linked->rows = malloc((count_with(linked, cap) + 1) * sizeof *linked->rows);
    if (!linked->rows)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < linked->nclasses; i++)
        for (size_t k = 0; k < linked->classes[i].count && k < cap; k++)
            linked->rows[linked->nrows++] = (struct row){linked->classes[i].items[k].url, i};
    if (linked->nrows)
        qsort(linked->rows, linked->nrows, sizeof *linked->rows, by_url);
    *count = 0;
    for (size_t i = 0; i < linked->nrows; i++)
        *count += i == 0 || strcmp(linked->rows[i].url, linked->rows[i - 1].url) != 0;
    return SCENT_OK;
}

/* Behind the rows with the URL of this one. */
static size_t end_of(const struct linked_pages *linked, size_t first)
{
    size_t end = first + 1;

    while (end < linked->nrows && strcmp(linked->rows[end].url, linked->rows[first].url) == 0)
        end++;
    return end;
}

void linked_pages_list(const struct linked_pages *linked, struct buf *out)
{
    for (size_t i = 0; i < linked->nrows; i = end_of(linked, i)) {
        buf_addz(out, linked->rows[i].url);
        buf_addc(out, '\n');
    }
}

/* ---- counting ---- */

struct counting {
    const struct model *model;
    struct page_analyser *analyser;
    struct arena arena;
    double *scores;
    uint32_t class; /* of the page that was read; RULEBOOK_NONE: it has no words */
};

static scent_status classify(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct counting *counting = ctx;
    struct text_vector tf;
    struct page page;
    scent_status status;

    arena_reset(&counting->arena);
    counting->class = RULEBOOK_NONE;
    status = page_analyse_stored(counting->analyser, from->url, from->headers, from->body, &counting->arena, &page);
    if (status != SCENT_OK || page.nbag == 0)
        return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "%.*s cannot be read", STR_ARG(from->name));
    if (page_frequencies(&page, &counting->arena, &tf) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for %.*s", STR_ARG(from->name));
    model_decision(counting->model, &tf, counting->scores);
    counting->class = model_best(counting->scores, model_nclasses(counting->model));
    return SCENT_OK;
}

static scent_status count_all(const struct linked_pages *linked, struct linked_pages_reading *reading,
                              struct counting *counting, const struct archive *archive, struct rulebook *rules,
                              struct errmsg *err)
{
    struct buf lookup;
    scent_status status = SCENT_OK;

    buf_init(&lookup, 0);
    for (size_t i = 0, end; i < linked->nrows && status == SCENT_OK; i = end) {
        struct errmsg why = {{0}};

        end = end_of(linked, i);
        counting->class = RULEBOOK_NONE;
        status = pagefile_find(archive, str_of(linked->rows[i].url), &lookup, classify, counting, &why);
        reading->read += status == SCENT_OK && counting->class != RULEBOOK_NONE;
        reading->missing += status != SCENT_OK || counting->class == RULEBOOK_NONE;
        for (size_t k = i; k < end && counting->class != RULEBOOK_NONE; k++)
            rulebook_add(rules, linked->rows[k].class, counting->class, 1);
        status = status == SCENT_E_NOMEM ? errmsg_fail(err, status, "%s", why.text) : SCENT_OK;
        if (reading->on_read && (i % 64 == 0 || end == linked->nrows))
            reading->on_read(reading->ctx, end, linked->nrows);
    }
    buf_release(&lookup);
    return status;
}

scent_status linked_pages_count(const struct linked_pages *linked, struct linked_pages_reading *reading,
                                struct rulebook *rules, struct errmsg *err)
{
    struct counting counting = {.model = reading->model};
    struct archive *archive = NULL;
    scent_status status = archive_open(reading->archive, reading->log, &archive, err);

    if (status != SCENT_OK)
        return status;
    counting.analyser = page_analyser_new(
        &(struct page_options){.max_bytes = PAGEFILE_MAX_BYTES, .whole_page = reading->whole_page});
    counting.scores = calloc(model_nclasses(reading->model), sizeof *counting.scores);
    SCENT_BUG_IF(!counting.scores);
    arena_init(&counting.arena, PAGE_ARENA);
    status = count_all(linked, reading, &counting, archive, rules, err);
    arena_release(&counting.arena);
    page_analyser_free(counting.analyser);
    free(counting.scores);
    archive_free(archive);
    return status;
}

#include "export/selection.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "crawldir/several.h"
#include "engine/duplicates.h"
#include "frontier/frontier.h"
#include "page/simhash.h"
#include "url/url.h"

#include <stdlib.h>

enum { URL_ARENA = 256 << 10 };

enum row_flags {
    ROW_FITS = 1, /* a page of the collection that fits, whatever its host */
    ROW_PAGE = 2,
    ROW_RECORD = 4,
    ROW_NEEDED = 8 /* what it needs itself is taken too */
};

struct row {
    uint64_t number;
    uint32_t flags;
};

struct redirect {
    uint32_t url, parent;
    uint64_t number;
};

/* The answer to the URL of a requisite. */
struct requisite {
    uint32_t url;
    uint64_t number, duplicate_of;
};

struct selection {
    const struct selection_options *options; /* while it is made */
    struct row *rows;                        /* by number */
    size_t count, room;
    struct redirect *redirects;
    size_t nredirects, redirects_room;
    struct map by_url; /* from a URL to its redirect */
    struct requisite *requisites;
    size_t nrequisites, requisites_room;
    struct map by_requisite; /* from a URL to the rows of its answers */
    struct selection_shared *shared; /* while it is made */
    struct arena arena;
    uint64_t copies;
    bool is_all;
};

static struct row *find_row(const struct selection *selection, uint64_t number)
{
    size_t low = vec_place(selection->rows, selection->count, sizeof *selection->rows,
                           offsetof(struct row, number), number);

    return low < selection->count && selection->rows[low].number == number ? &selection->rows[low] : NULL;
}

/* ---- what is asked for ---- */

static bool is_among(const char *const *texts, size_t count, struct str text)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq_nocase(str_of(texts[i]), text))
            return true;
    return count == 0;
}

static bool fits_host(struct selection *selection, struct str href)
{
    const struct selection_options *options = selection->options;
    struct url url;

    if (options->nhosts == 0)
        return true;
    arena_reset(&selection->arena);
    if (url_parse(&selection->arena, href, NULL, &url) != SCENT_OK)
        return false;
    for (size_t i = 0; i < options->nhosts; i++)
        if (str_glob(str_of(options->hosts[i]), url_host(&url)))
            return true;
    return false;
}

static bool fits(const struct selection_options *options, const struct store_page *page)
{
    return store_page_is_shown(page) && (!options->relevant || page->relevant) &&
           (options->min_score <= 0 || page->score >= options->min_score) &&
           is_among(options->langs, options->nlangs, page->lang);
}

/* Is it nearly the same as a page that was taken? Else it counts as one. */
static scent_status is_copy(struct selection *selection, const struct store_page *page, bool *out)
{
    uint32_t first;

    *out = false;
    if (!selection->shared->duplicates || page->simhash == SIMHASH_NONE)
        return SCENT_OK;
    *out = duplicates_find_near(selection->shared->duplicates, page->simhash, SIMHASH_NEAR, &first, NULL);
    selection->copies += *out;
    return *out ? SCENT_OK : duplicates_add_near(selection->shared->duplicates, page->simhash, (uint32_t)page->number);
}

/* ---- rows ---- */

static scent_status note_redirect(struct selection *selection, const struct store_page *page,
                                  const struct store_url *url)
{
    if (!vec_reserve(&selection->redirects, &selection->redirects_room, selection->nredirects + 1,
                     sizeof *selection->redirects))
        return SCENT_E_NOMEM;
    SCENT_TRY(map_add(&selection->by_url, hash_mix(url->id, 0), (uint32_t)selection->nredirects));
    selection->redirects[selection->nredirects++] =
        (struct redirect){.url = url->id, .parent = url->parent, .number = page->number};
    return SCENT_OK;
}

static const struct redirect *find_redirect(const struct selection *selection, uint32_t url)
{
    struct map_walk walk = map_find(&selection->by_url, hash_mix(url, 0));

    while (map_next(&walk))
        if (selection->redirects[walk.value].url == url)
            return &selection->redirects[walk.value];
    return NULL;
}

/* The redirects by which a page was found come along. */
static void take_redirects(struct selection *selection, const struct store_url *url)
{
    enum { MOST = 32 }; /* a damaged database may have circles */
    const struct redirect *redirect = find_redirect(selection, url->parent);

    for (int i = 0; redirect && i < MOST; i++) {
        struct row *row = find_row(selection, redirect->number);

        if (row)
            row->flags |= ROW_RECORD;
        redirect = find_redirect(selection, redirect->parent);
    }
}

/* ---- requisites ---- */

static scent_status note_requisite(struct selection *selection, const struct store_page *page)
{
    if (!vec_reserve(&selection->requisites, &selection->requisites_room, selection->nrequisites + 1,
                     sizeof *selection->requisites))
        return SCENT_E_NOMEM;
    SCENT_TRY(map_add(&selection->by_requisite, hash_mix(page->url, 0), (uint32_t)selection->nrequisites));
    selection->requisites[selection->nrequisites++] = (struct requisite){
        .url = page->url, .number = page->number,
        .duplicate_of = store_page_is_revisit(page) ? page->duplicate_of : 0};
    return SCENT_OK;
}

struct needs {
    struct selection *selection;
    struct store_requisite *items; /* by page row */
    size_t count, room;
    uint64_t *open; /* rows that were taken, and whose needs were not */
    size_t nopen, open_room;
};

static scent_status note_need(void *ctx, const struct store_requisite *requisite)
{
    struct needs *needs = ctx;

    if (requisite->url == STORE_NO_URL)
        return SCENT_OK;
    if (!vec_reserve(&needs->items, &needs->room, needs->count + 1, sizeof *needs->items))
        return SCENT_E_NOMEM;
    needs->items[needs->count++] = *requisite;
    return SCENT_OK;
}

static scent_status take_number(struct needs *needs, uint64_t number)
{
    struct row *row = find_row(needs->selection, number);

    if (!row || row->flags & ROW_NEEDED)
        return SCENT_OK;
    row->flags |= ROW_RECORD | ROW_NEEDED;
    if (!vec_reserve(&needs->open, &needs->open_room, needs->nopen + 1, sizeof *needs->open))
        return SCENT_E_NOMEM;
    needs->open[needs->nopen++] = number;
    return SCENT_OK;
}

/* All answers of a requisite, and where one is a copy, the record that it refers to. */
static scent_status take_url(struct needs *needs, uint32_t url)
{
    struct selection *selection = needs->selection;
    struct map_walk walk = map_find(&selection->by_requisite, hash_mix(url, 0));

    while (map_next(&walk)) {
        const struct requisite *requisite = &selection->requisites[walk.value];

        if (requisite->url != url)
            continue;
        SCENT_TRY(take_number(needs, requisite->number));
        if (requisite->duplicate_of)
            SCENT_TRY(take_number(needs, requisite->duplicate_of));
    }
    return SCENT_OK;
}

static scent_status take_needs_of(struct needs *needs, uint64_t page)
{
    size_t low = vec_place(needs->items, needs->count, sizeof *needs->items,
                           offsetof(struct store_requisite, page), page);

    for (; low < needs->count && needs->items[low].page == page; low++)
        SCENT_TRY(take_url(needs, needs->items[low].url));
    return SCENT_OK;
}

/* What the pages need, and what that needs, and so on: each row is taken once, so this comes to an end. */
static scent_status take_requisites(struct selection *selection, struct store *store, struct errmsg *err)
{
    struct needs needs = {.selection = selection};
    scent_status status = store_each_requisite(store, note_need, &needs, err);

    for (size_t i = 0; i < selection->count && status == SCENT_OK; i++) {
        if (selection->rows[i].flags & ROW_PAGE)
            status = take_needs_of(&needs, selection->rows[i].number);
        while (needs.nopen && status == SCENT_OK)
            status = take_needs_of(&needs, needs.open[--needs.nopen]);
    }
    free(needs.items);
    free(needs.open);
    return status;
}

static scent_status choose_row(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct selection *selection = ctx;
    struct selection_shared *shared = selection->shared;
    struct row row = {.number = page->number}, *original;
    bool copy = false;

    if (selection->count && page->number <= selection->rows[selection->count - 1].number)
        return SCENT_OK; /* a damaged database: rows are found by their number */
    if (store_page_is_shown(page) &&
        several_meet(shared->several, shared->directories, page, url->url) != SEVERAL_NEW) {
        shared->equal++;
        return SCENT_OK;
    }
    if (fits(selection->options, page)) {
        row.flags = ROW_FITS;
        if (fits_host(selection, url->url)) {
            SCENT_TRY(is_copy(selection, page, &copy));
            row.flags |= copy ? 0 : ROW_PAGE | ROW_RECORD;
        }
    } else if (store_page_is_revisit(page) && !selection->options->unique) {
        original = find_row(selection, page->duplicate_of);
        if (original && (original->flags & ROW_FITS) && fits_host(selection, url->url)) {
            original->flags |= ROW_RECORD;
            row.flags = ROW_RECORD;
        }
    }
    if (selection->is_all && !(page->robots & STORE_NOINDEX))
        row.flags |= ROW_RECORD;
    if (!vec_reserve(&selection->rows, &selection->room, selection->count + 1, sizeof row))
        return SCENT_E_NOMEM;
    selection->rows[selection->count++] = row;
    if (url->flags & CANDIDATE_REQUISITE)
        return note_requisite(selection, page);
    if (url->state == STORE_REDIRECTED && page->warc_length)
        return note_redirect(selection, page, url);
    if (row.flags & ROW_RECORD)
        take_redirects(selection, url);
    return SCENT_OK;
}

void selection_shared_init(struct selection_shared *shared, const struct selection_options *options)
{
    *shared = (struct selection_shared){.several = several_new()};
    if (options->unique)
        shared->duplicates = duplicates_new(0);
}

void selection_shared_release(struct selection_shared *shared)
{
    several_free(shared->several);
    duplicates_free(shared->duplicates);
}

scent_status selection_make(struct store *store, const struct selection_options *options,
                            struct selection_shared *shared, struct selection **out, struct errmsg *err)
{
    struct selection *selection = calloc(1, sizeof *selection);
    scent_status status;

    SCENT_BUG_IF(!selection);
    selection->options = options;
    selection->is_all =
        !options->relevant && options->min_score <= 0 && !options->nlangs && !options->nhosts && !options->unique;
    selection->shared = shared;
    shared->directories++;
    arena_init(&selection->arena, URL_ARENA);
    status = store_each_page(store, 0, choose_row, selection, err);
    if (status == SCENT_OK && !selection->is_all && selection->nrequisites)
        status = take_requisites(selection, store, err);
    if (status == SCENT_E_NOMEM || status == SCENT_E_LIMIT)
        errmsg_fail(err, status, "no memory for the selection of pages");
    arena_release(&selection->arena);
    map_release(&selection->by_url);
    map_release(&selection->by_requisite);
    free(selection->redirects);
    free(selection->requisites);
    selection->options = NULL;
    selection->shared = NULL;
    if (status != SCENT_OK) {
        selection_free(selection);
        selection = NULL;
    }
    *out = selection;
    return status;
}

void selection_free(struct selection *selection)
{
    if (!selection)
        return;
    free(selection->rows);
    free(selection);
}

bool selection_has_page(const struct selection *selection, uint64_t number)
{
    const struct row *row = find_row(selection, number);

    return row && (row->flags & ROW_PAGE);
}

bool selection_has_record(const struct selection *selection, uint64_t number)
{
    const struct row *row = find_row(selection, number);

    return row && (row->flags & ROW_RECORD);
}

bool selection_is_all(const struct selection *selection)
{
    return selection->is_all;
}

uint64_t selection_copies(const struct selection *selection)
{
    return selection->copies;
}

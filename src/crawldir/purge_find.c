/* What was asked for, and what of the database that is. */
#include "crawldir/purge_parts.h"

#include "base/vec.h"
#include "frontier/frontier.h"
#include "url/url.h"

#include <stdlib.h>

/* ---- sets ---- */

SCENT_NODISCARD static scent_status set_add(struct purge_set *set, uint64_t hash)
{
    if (!vec_reserve(&set->hashes, &set->room, set->count + 1, sizeof *set->hashes))
        return SCENT_E_NOMEM;
    set->hashes[set->count++] = hash;
    return SCENT_OK;
}

static void set_close(struct purge_set *set)
{
    if (set->count)
        qsort(set->hashes, set->count, sizeof *set->hashes, order_u64);
}

bool purge_set_has(const struct purge_set *set, uint64_t hash)
{
    return set->count && bsearch(&hash, set->hashes, set->count, sizeof *set->hashes, order_u64);
}

void purge_set_release(struct purge_set *set)
{
    free(set->hashes);
    *set = (struct purge_set){0};
}

/* ---- what was asked for ---- */

static scent_status parse_url_target(struct purge *purge, struct purge_target *target, struct errmsg *err)
{
    struct url parsed, url;

    if (url_parse(&purge->arena, str_of(target->text), NULL, &parsed) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_INVALID, "%s is not an http URL", target->text);
    for (unsigned flags = 0; flags < PURGE_SPELLINGS; flags++) {
        if (url_normalise(&purge->arena, &parsed, flags, &url) != SCENT_OK)
            return errmsg_fail(err, SCENT_E_NOMEM, "no memory for %s", target->text);
        if (flags == 0)
            target->name = url.href;
        target->fingerprints[flags] = url_fingerprint(url.href, purge->key);
    }
    return SCENT_OK;
}

/* Spelled as in the database: by way of a URL. */
static scent_status parse_host_target(struct purge *purge, struct purge_target *target, struct errmsg *err)
{
    struct str text = arena_printf(&purge->arena, "http://%s/", target->text);
    struct url url;

    if (!text.p)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for %s", target->text);
    if (target->text[strcspn(target->text, "/?#@ ")] || url_parse(&purge->arena, text, NULL, &url) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_INVALID, "%s is neither a URL (http://…) nor the name of a host", target->text);
    target->is_host = true;
    target->name = str_sub(url.href, url.host_start, url.path_start);
    return SCENT_OK;
}

scent_status purge_parse_targets(struct purge *purge, struct purge_target *targets, struct errmsg *err)
{
    for (size_t i = 0; i < purge->options->count; i++) {
        targets[i] = (struct purge_target){.text = purge->options->names[i]};
        SCENT_TRY(strstr(targets[i].text, "://") ? parse_url_target(purge, &targets[i], err)
                                                 : parse_host_target(purge, &targets[i], err));
    }
    return SCENT_OK;
}

/* "a.test" names a.test and a.test:8080. */
static bool names_host(const struct purge_target *target, struct str host)
{
    struct str rest;

    if (!target->is_host || !str_starts(host, target->name))
        return false;
    rest = str_sub(host, target->name.len, host.len);
    return rest.len == 0 || rest.p[0] == ':';
}

static bool names_url(const struct purge_target *target, uint64_t fingerprint)
{
    for (int i = 0; !target->is_host && i < PURGE_SPELLINGS; i++)
        if (target->fingerprints[i] == fingerprint)
            return true;
    return false;
}

/* ---- finding it in the database ---- */

struct search {
    struct purge *purge;
    struct purge_target *targets;
    bool *hosts; /* by id: is it to go? */
    size_t nhosts;
    uint8_t *urls; /* by id: enum search_url */
    size_t nurls;
    struct purge_set orphans, pages; /* URLs of requisites that nobody needs any more, and those that are pages, too */
    struct errmsg *err;
};

enum search_url {
    URL_GOES = 1,
    URL_REQUISITE = 2,
    URL_NEEDED = 4 /* by a page that stays */
};

static scent_status find_host(void *ctx, const struct store_host *host)
{
    struct search *search = ctx;
    struct purge *purge = search->purge;
    uint64_t hash = host->purged ? host->purged : url_fingerprint(host->name, purge->key);
    bool wanted = false;
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < purge->options->count; i++) {
        struct purge_target *target = &search->targets[i];
        bool named = host->purged ? target->is_host && url_fingerprint(target->name, purge->key) == hash
                                  : names_host(target, host->name);

        target->found |= named;
        wanted |= named;
    }
    if (host->id < search->nhosts)
        search->hosts[host->id] = wanted && !host->purged;
    if (wanted || host->purged)
        status = set_add(&purge->hosts, hash);
    if (status != SCENT_OK || !wanted || host->purged)
        return status;
    purge->report->hosts++;
    purge->options->item(purge->options->ctx, "host", host->name);
    return purge->options->dry_run ? SCENT_OK : store_purge_host(purge->store, host->id, hash, search->err);
}

static scent_status purge_url(struct search *search, const struct store_url *url, uint64_t fingerprint)
{
    struct purge *purge = search->purge;

    SCENT_TRY(set_add(&purge->urls, fingerprint));
    if (url->purged)
        return SCENT_OK;
    purge->report->urls++;
    purge->options->item(purge->options->ctx, "url", url->url);
    if (purge->options->dry_run)
        return SCENT_OK;
    return store_purge_url(purge->store, url->id, frontier_identity(fingerprint, url->flags, url->own, purge->key),
                           search->err);
}

static scent_status find_url(void *ctx, const struct store_url *url)
{
    struct search *search = ctx;
    struct purge *purge = search->purge;
    uint64_t fingerprint = url->purged ? url->purged : url_fingerprint(url->url, purge->key);
    bool wanted = url->host < search->nhosts && search->hosts[url->host];

    if (url->id < search->nurls && (url->flags & (CANDIDATE_ROBOTS | CANDIDATE_REQUISITE)) == CANDIDATE_REQUISITE)
        search->urls[url->id] = URL_REQUISITE;
    for (size_t i = 0; i < purge->options->count; i++)
        if (names_url(&search->targets[i], fingerprint))
            wanted = search->targets[i].found = true;
    if (!wanted && !url->purged)
        return SCENT_OK;
    if (url->id < search->nurls)
        search->urls[url->id] |= URL_GOES;
    return purge_url(search, url, fingerprint);
}

/* ---- requisites that only pages need which go ----
 *
 * What is needed is found by following the edges of the table `requisite` from the pages that stay. Memory: a byte a
 * URL, 8 bytes a page row, 16 an edge. */

struct needs {
    struct search *search;
    uint32_t *url;  /* by page row */
    uint32_t *next; /* by page row: the row before it of the same URL; 0: none */
    uint32_t *last; /* by URL: its last page row */
    size_t rows;
    struct store_requisite *edges; /* by page row */
    size_t nedges, edges_room;
    uint32_t *open; /* URLs that are needed, and whose needs were not looked at */
    size_t nopen, open_room;
};

static scent_status note_row(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct needs *needs = ctx;

    (void)url;
    if (page->number > needs->rows || page->url >= needs->search->nurls)
        return SCENT_OK; /* 'scent check' tells */
    needs->url[page->number] = page->url;
    needs->next[page->number] = needs->last[page->url];
    needs->last[page->url] = (uint32_t)page->number;
    return SCENT_OK;
}

static scent_status note_edge(void *ctx, const struct store_requisite *edge)
{
    struct needs *needs = ctx;

    if (edge->page > needs->rows || edge->url >= needs->search->nurls)
        return SCENT_OK;
    if (!vec_reserve(&needs->edges, &needs->edges_room, needs->nedges + 1, sizeof *needs->edges))
        return SCENT_E_NOMEM;
    needs->edges[needs->nedges++] = *edge;
    return SCENT_OK;
}

static scent_status need(struct needs *needs, uint32_t url)
{
    uint8_t *state = &needs->search->urls[url];

    if (*state & (URL_NEEDED | URL_GOES))
        return SCENT_OK;
    *state |= URL_NEEDED;
    if (!vec_reserve(&needs->open, &needs->open_room, needs->nopen + 1, sizeof *needs->open))
        return SCENT_E_NOMEM;
    needs->open[needs->nopen++] = url;
    return SCENT_OK;
}

static scent_status need_all_of(struct needs *needs, uint64_t row)
{
    size_t low = vec_place(needs->edges, needs->nedges, sizeof *needs->edges,
                           offsetof(struct store_requisite, page), row);

    for (; low < needs->nedges && needs->edges[low].page == row; low++)
        SCENT_TRY(need(needs, needs->edges[low].url));
    return SCENT_OK;
}

static scent_status follow_needs(struct needs *needs)
{
    const uint8_t *urls = needs->search->urls;

    for (size_t i = 0; i < needs->nedges; i++)
        if (!(urls[needs->url[needs->edges[i].page]] & (URL_GOES | URL_REQUISITE)))
            SCENT_TRY(need(needs, needs->edges[i].url));
    while (needs->nopen)
        for (uint32_t row = needs->last[needs->open[--needs->nopen]]; row; row = needs->next[row])
            SCENT_TRY(need_all_of(needs, row));
    return SCENT_OK;
}

static bool is_orphan(const struct search *search, const struct store_url *url)
{
    return url->id < search->nurls && search->urls[url->id] == URL_REQUISITE && !url->purged;
}

static scent_status note_orphan(void *ctx, const struct store_url *url)
{
    struct search *search = ctx;

    if (!is_orphan(search, url))
        return SCENT_OK;
    return set_add(&search->orphans, url_fingerprint(url->url, search->purge->key));
}

/* Records are told apart by their URL: one that a page has, too, stays. */
static scent_status note_page(void *ctx, const struct store_url *url)
{
    struct search *search = ctx;
    uint64_t fingerprint = url_fingerprint(url->url, search->purge->key);

    if (url->id >= search->nurls || search->urls[url->id] || url->purged ||
        !purge_set_has(&search->orphans, fingerprint))
        return SCENT_OK;
    return set_add(&search->pages, fingerprint);
}

static scent_status purge_orphan(void *ctx, const struct store_url *url)
{
    struct search *search = ctx;
    uint64_t fingerprint = url_fingerprint(url->url, search->purge->key);

    if (!is_orphan(search, url) || purge_set_has(&search->pages, fingerprint))
        return SCENT_OK;
    return purge_url(search, url, fingerprint);
}

static scent_status find_orphans(struct search *search, uint64_t rows, struct errmsg *err)
{
    struct store *store = search->purge->store;
    struct needs needs = {.search = search, .rows = rows};
    scent_status status = SCENT_E_NOMEM;

    needs.url = calloc(rows + 1, sizeof *needs.url);
    needs.next = calloc(rows + 1, sizeof *needs.next);
    needs.last = calloc(search->nurls + 1, sizeof *needs.last);
    if (needs.url && needs.next && needs.last)
        status = store_each_requisite(store, note_edge, &needs, err);
    if (status == SCENT_OK && needs.nedges)
        status = store_each_page(store, 0, note_row, &needs, err);
    if (status == SCENT_OK && needs.nedges)
        status = follow_needs(&needs);
    free(needs.url);
    free(needs.next);
    free(needs.last);
    free(needs.edges);
    free(needs.open);
    if (status != SCENT_OK || !needs.nedges)
        return status;
    SCENT_TRY(store_each_url(store, note_orphan, search, err));
    set_close(&search->orphans);
    SCENT_TRY(store_each_url(store, note_page, search, err));
    set_close(&search->pages);
    return store_each_url(store, purge_orphan, search, err);
}

scent_status purge_find_all(struct purge *purge, struct purge_target *targets, struct errmsg *err)
{
    struct search search = {.purge = purge, .targets = targets, .err = err};
    struct store_counts counts;
    scent_status status;

    SCENT_TRY(store_count(purge->store, &counts, err));
    search.nhosts = counts.hosts;
    search.hosts = calloc(search.nhosts + 1, sizeof *search.hosts);
    for (int i = 0; i < STORE_URL_STATES; i++)
        search.nurls += counts.urls[i] + counts.requisites[i];
    search.urls = calloc(search.nurls + 1, sizeof *search.urls);
    status = search.hosts && search.urls ? store_each_host(purge->store, find_host, &search, err) : SCENT_E_NOMEM;
    if (status == SCENT_OK)
        status = store_each_url(purge->store, find_url, &search, err);
    if (status == SCENT_OK)
        status = find_orphans(&search, counts.responses, err);
    if (status == SCENT_E_NOMEM)
        errmsg_fail(err, status, "no memory for what is to be purged");
    free(search.hosts);
    free(search.urls);
    purge_set_release(&search.orphans);
    purge_set_release(&search.pages);
    set_close(&purge->urls);
    set_close(&purge->hosts);
    for (size_t i = 0; i < purge->options->count && status == SCENT_OK; i++)
        if (!targets[i].found) {
            purge->report->unknown++;
            purge->options->unknown(purge->options->ctx, targets[i].text);
        }
    return status;
}

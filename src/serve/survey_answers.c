/* Questions about a crawl, answered from the tables of the survey. */
#include "base/hash.h"
#include "crawldir/informative.h"
#include "serve/survey_parts.h"

#include <stdio.h>
#include <stdlib.h>

enum { WINDOW_MIN = 20, WINDOW_MAX = 2000 };

struct survey_totals survey_totals(struct survey *survey)
{
    struct survey_totals totals = {0};
    const struct survey_pages *pages = &survey->pages;

    pthread_rwlock_rdlock(&survey->lock);
    totals.begun = survey->begun;
    totals.pages = pages->counted;
    totals.relevant = pages->relevant;
    totals.responses = pages->count;
    for (size_t i = 0; i < pages->nhosts; i++)
        totals.hosts += pages->hosts[i].pages > 0;
    if (pages->count) {
        totals.first_wall = pages->entries[0].seconds;
        totals.last_wall = pages->entries[pages->count - 1].seconds;
    }
    totals.pages_ready = pages->ready;
    totals.urls_ready = survey->urls.ready;
    totals.links_ready = survey->links.ready;
    memcpy(totals.urls, survey->urls.states, sizeof totals.urls);
    totals.links = survey->links.next ? survey->links.next - 1 : 0;
    snprintf(totals.problem, sizeof totals.problem, "%s", survey->problem);
    pthread_rwlock_unlock(&survey->lock);
    return totals;
}

/* ---- names with counts ---- */

static int by_count(const void *a, const void *b)
{
    const struct survey_count *x = a, *y = b;

    return x->count != y->count ? (x->count < y->count ? 1 : -1) : str_cmp(x->name, y->name);
}

static void tally_copy(const struct survey_tally *tally, struct survey_counts *out)
{
    *out = (struct survey_counts){.items = calloc(tally->count + 1, sizeof *out->items)};
    buf_init(&out->names, 0);
    SCENT_BUG_IF(!out->items || !buf_reserve(&out->names, tally->names.len + 1));
    buf_add(&out->names, buf_str(&tally->names));
    for (size_t i = 0; i < tally->count; i++)
        if (tally->items[i].count)
            out->items[out->count++] = (struct survey_count){
                {out->names.p + tally->places[i], tally->items[i].name.len}, tally->items[i].count};
    qsort(out->items, out->count, sizeof *out->items, by_count);
}

void survey_counts_free(struct survey_counts *counts)
{
    free(counts->items);
    buf_release(&counts->names);
}

void survey_languages(struct survey *survey, struct survey_counts *out)
{
    pthread_rwlock_rdlock(&survey->lock);
    tally_copy(&survey->pages.langs, out);
    pthread_rwlock_unlock(&survey->lock);
}

void survey_errors(struct survey *survey, struct survey_counts *out)
{
    pthread_rwlock_rdlock(&survey->lock);
    tally_copy(&survey->urls.errors, out);
    pthread_rwlock_unlock(&survey->lock);
}

bool survey_priorities(struct survey *survey, uint64_t *bins, size_t count, double *low, double *high)
{
    const struct survey_urls *urls = &survey->urls;
    size_t n;

    pthread_rwlock_rdlock(&survey->lock);
    n = urls->sampled < SURVEY_SAMPLE ? (size_t)urls->sampled : SURVEY_SAMPLE;
    memset(bins, 0, count * sizeof *bins);
    *low = *high = n ? (double)urls->sample[0] : 0;
    for (size_t i = 1; i < n; i++) {
        *low = (double)urls->sample[i] < *low ? (double)urls->sample[i] : *low;
        *high = (double)urls->sample[i] > *high ? (double)urls->sample[i] : *high;
    }
    for (size_t i = 0; i < n; i++) {
        double place = *high > *low ? ((double)urls->sample[i] - *low) / (*high - *low) * (double)count : 0;

        bins[place < (double)count ? (size_t)place : count - 1]++;
    }
    for (size_t i = 0; i < count && n; i++)
        bins[i] = (uint64_t)((double)bins[i] * (double)urls->sampled / (double)n + .5);
    pthread_rwlock_unlock(&survey->lock);
    return n > 0;
}

/* ---- pages ---- */

/* Places among names; what is not there becomes a number that no page has. */
struct filter {
    const struct survey_query *query;
    uint32_t host;
    uint8_t lang;
};

static struct filter make_filter(const struct survey_pages *pages, const struct survey_query *query)
{
    struct filter filter = {query, UINT32_MAX - 1, UINT8_MAX - 1};

    for (uint32_t i = 0; query->host.len && i < pages->nhosts; i++) {
        const struct survey_totals_of_host *host = &pages->hosts[i];

        if (host->name_len == query->host.len && !memcmp(pages->names.p + host->name, query->host.p, query->host.len))
            filter.host = i;
    }
    for (size_t i = 0; query->lang.len && i < pages->langs.count; i++)
        if (str_eq((struct str){pages->langs.names.p + pages->langs.places[i], pages->langs.items[i].name.len},
                   query->lang))
            filter.lang = (uint8_t)i;
    return filter;
}

static bool is_wanted(const struct filter *filter, const struct survey_entry *entry)
{
    const struct survey_query *query = filter->query;

    return (entry->flags & PAGE_SHOWN) &&
           (query->verdict == SURVEY_ANY || !(entry->flags & PAGE_RELEVANT) == (query->verdict == SURVEY_OTHER)) &&
           (!query->host.len || entry->host == filter->host) && (!query->lang.len || entry->lang == filter->lang) &&
           (!query->from || entry->seconds >= query->from) && (!query->to || entry->seconds <= query->to);
}

/* Is `a` before `b` in the list? */
static bool is_before(const struct survey_entry *a, const struct survey_entry *b, bool best)
{
    if (best && a->score != b->score)
        return a->score > b->score;
    return a->number > b->number;
}

/* The first `max` in one pass: each is put in its place among those found so far. */
static size_t find_best(const struct survey_pages *pages, const struct filter *filter,
                        const struct survey_entry *after, uint64_t *numbers, size_t max)
{
    const struct survey_entry **found = calloc(max + 1, sizeof *found);
    size_t count = 0, at;

    SCENT_BUG_IF(!found);
    for (size_t i = 0; i < pages->count; i++) {
        const struct survey_entry *entry = &pages->entries[i];

        if (!is_wanted(filter, entry) || (after && !is_before(after, entry, true)) ||
            (count == max && !is_before(entry, found[max - 1], true)))
            continue;
        for (at = count < max ? count++ : max - 1; at && is_before(entry, found[at - 1], true); at--)
            found[at] = found[at - 1];
        found[at] = entry;
    }
    for (size_t i = 0; i < count; i++)
        numbers[i] = found[i]->number;
    free(found);
    return count;
}

size_t survey_find(struct survey *survey, const struct survey_query *query, uint64_t *numbers, size_t max)
{
    const struct survey_pages *pages = &survey->pages;
    const struct survey_entry *after;
    struct filter filter;
    size_t count = 0;

    pthread_rwlock_rdlock(&survey->lock);
    filter = make_filter(pages, query);
    after = query->after ? survey_entry(pages, query->after) : NULL;
    if (query->best)
        count = max ? find_best(pages, &filter, after, numbers, max) : 0;
    else
        for (size_t i = after ? (size_t)(after - pages->entries) : pages->count; i-- > 0 && count < max;)
            if (is_wanted(&filter, &pages->entries[i]))
                numbers[count++] = pages->entries[i].number;
    pthread_rwlock_unlock(&survey->lock);
    return count;
}

/* The last `window` verdicts are in a ring. */
size_t survey_curve(struct survey *survey, struct survey_point *points, size_t max, uint64_t *window)
{
    const struct survey_pages *pages = &survey->pages;
    uint64_t counted = 0, relevant = 0, recent = 0, step;
    bool ring[WINDOW_MAX] = {false};
    size_t count = 0;

    pthread_rwlock_rdlock(&survey->lock);
    *window = pages->counted / 20;
    *window = *window < WINDOW_MIN ? WINDOW_MIN : *window > WINDOW_MAX ? WINDOW_MAX : *window;
    step = pages->counted / max + 1;
    for (size_t i = 0; i < pages->count; i++) {
        const struct survey_entry *entry = &pages->entries[i];
        bool is_relevant = entry->flags & PAGE_RELEVANT;

        if (!(entry->flags & PAGE_COUNTED))
            continue;
        recent += is_relevant;
        recent -= ring[counted % *window];
        ring[counted % *window] = is_relevant;
        counted++;
        relevant += is_relevant;
        if ((counted % step == 0 || counted == pages->counted) && count < max)
            points[count++] = (struct survey_point){
                counted, relevant, entry->seconds,
                (double)recent / (double)(counted < *window ? counted : *window)};
    }
    pthread_rwlock_unlock(&survey->lock);
    return count;
}

size_t survey_informative(struct survey *survey, bool (*skip)(void *ctx, uint64_t number), void *ctx,
                          uint64_t *numbers, size_t max)
{
    const struct survey_pages *pages = &survey->pages;
    struct informative *informative = informative_new();
    size_t count;

    pthread_rwlock_rdlock(&survey->lock);
    for (size_t i = 0; i < pages->count; i++)
        if (pages->entries[i].flags & PAGE_SHOWN)
            informative_count(informative, (double)pages->entries[i].score, pages->entries[i].flags & PAGE_RELEVANT);
    informative_divide(informative);
    for (size_t i = 0; i < pages->count; i++) {
        const struct survey_entry *entry = &pages->entries[i];

        if ((entry->flags & (PAGE_SHOWN | PAGE_ARCHIVED)) == (PAGE_SHOWN | PAGE_ARCHIVED) && !skip(ctx, entry->number))
            informative_consider(informative, entry->number, (double)entry->score, entry->flags & PAGE_RELEVANT,
                                 entry->host);
    }
    pthread_rwlock_unlock(&survey->lock);
    informative_settle(informative);
    for (count = 0; count < max && count < informative->count; count++) {
        informative_choose(informative, count);
        numbers[count] = informative->nearest[count].page;
    }
    informative_free(informative);
    return count;
}

/* ---- URLs ---- */

static size_t find_text(const struct map *map, uint64_t hash, uint32_t *ids, size_t count, size_t max)
{
    struct map_walk walk = map_find(map, hash);

    while (count < max && map_next(&walk))
        ids[count++] = walk.value;
    return count;
}

size_t survey_find_url(struct survey *survey, struct str url, uint32_t *ids, size_t max)
{
    uint64_t hash = hash_str(url, 0);
    size_t count;

    pthread_rwlock_rdlock(&survey->lock);
    count = find_text(&survey->pages.by_text, hash, ids, 0, max);
    count = find_text(&survey->urls.by_text, hash, ids, count, max);
    pthread_rwlock_unlock(&survey->lock);
    return count;
}

/* The newest page that counts, or else the newest. */
static bool is_better(const struct survey_entry *a, const struct survey_entry *b)
{
    bool counts = a->flags & PAGE_COUNTED;

    return counts == !(b->flags & PAGE_COUNTED) ? counts : a->number > b->number;
}

uint64_t survey_page_of(struct survey *survey, uint32_t url)
{
    const struct survey_pages *pages = &survey->pages;
    const struct survey_entry *best = NULL;
    struct map_walk walk;
    uint64_t number;

    pthread_rwlock_rdlock(&survey->lock);
    walk = map_find(&pages->by_url, hash_mix(url, 0));
    while (map_next(&walk)) {
        const struct survey_entry *entry = &pages->entries[walk.value];

        if (entry->url == url && (!best || is_better(entry, best)))
            best = entry;
    }
    number = best ? best->number : 0;
    pthread_rwlock_unlock(&survey->lock);
    return number;
}

/* ---- hosts ---- */

static int by_relevant(const void *a, const void *b)
{
    const struct survey_host *x = a, *y = b;

    if (x->relevant != y->relevant)
        return x->relevant < y->relevant ? 1 : -1;
    if (x->pages != y->pages)
        return x->pages < y->pages ? 1 : -1;
    return x->id < y->id ? -1 : 1;
}

static int by_links(const void *a, const void *b)
{
    const struct survey_edge *x = a, *y = b;

    if (x->links != y->links)
        return x->links < y->links ? 1 : -1;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to < y->to ? -1 : x->to > y->to);
}

void survey_map(struct survey *survey, size_t hosts, size_t edges, struct survey_map *out)
{
    const struct survey_pages *pages = &survey->pages;
    uint32_t *places;

    *out = (struct survey_map){0};
    buf_init(&out->names, 0);
    pthread_rwlock_rdlock(&survey->lock);
    out->hosts = calloc(pages->nhosts + 1, sizeof *out->hosts);
    places = calloc(pages->nhosts + 1, sizeof *places);
    SCENT_BUG_IF(!out->hosts || !places || !buf_reserve(&out->names, pages->names.len + 1));
    buf_add(&out->names, buf_str(&pages->names));
    for (uint32_t i = 0; i < pages->nhosts; i++)
        if (pages->hosts[i].pages)
            out->hosts[out->all_hosts++] = (struct survey_host){
                {out->names.p + pages->hosts[i].name, pages->hosts[i].name_len}, i, pages->hosts[i].pages,
                pages->hosts[i].relevant};
    qsort(out->hosts, out->all_hosts, sizeof *out->hosts, by_relevant);
    out->nhosts = out->all_hosts < hosts ? out->all_hosts : hosts;
    for (size_t i = 0; i < out->nhosts; i++)
        places[out->hosts[i].id] = (uint32_t)i + 1;
    out->edges = edges ? calloc(survey->links.count + 1, sizeof *out->edges) : NULL;
    SCENT_BUG_IF(edges && !out->edges);
    for (size_t i = 0; edges && i < survey->links.count; i++) {
        const struct survey_pair *edge = &survey->links.edges[i];

        if (edge->from < pages->nhosts && edge->to < pages->nhosts && places[edge->from] && places[edge->to])
            out->edges[out->all_edges++] =
                (struct survey_edge){places[edge->from] - 1, places[edge->to] - 1, edge->links};
    }
    pthread_rwlock_unlock(&survey->lock);
    free(places);
    if (out->all_edges)
        qsort(out->edges, out->all_edges, sizeof *out->edges, by_links);
    out->nedges = out->all_edges < edges ? out->all_edges : edges;
}

void survey_map_free(struct survey_map *map)
{
    free(map->hosts);
    free(map->edges);
    buf_release(&map->names);
}

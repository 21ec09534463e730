/* The evidence of a crawl as bytes: for the same crawl, and its counts for others. */
#include "strategy/evidence.h"
#include "strategy/saved.h"
#include "trace/trace.h"

#include <stdlib.h>

static void put_url(const struct evidence_url *url, struct buf *out)
{
    const float floats[] = {url->parent_best, url->parent_sum, url->relevant, url->position, url->priority};

    bytes_put(out, url->page, 4);
    bytes_put(out, url->linking, 4);
    if (!url->linking)
        return;
    for (int i = 0; i < LINK_CONTEXTS; i++) {
        bytes_put_float(out, url->best[i]);
        bytes_put_float(out, url->sum[i]);
    }
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        bytes_put_float(out, floats[i]);
    for (int i = 0; i < EVIDENCE_KEYS; i++)
        bytes_put(out, url->keys[i], 4);
    for (int i = 0; i < EVIDENCE_IN_LINKS; i++)
        bytes_put(out, url->in_links[i], 4);
    bytes_put(out, url->words, 4);
    for (int i = 0; i < 3; i++)
        bytes_put(out, url->nwords[i], 1);
    bytes_put(out, url->same_host, 2);
    bytes_put(out, url->hops, 1);
    bytes_put(out, url->newest, 1);
}

static void get_url(struct evidence_url *url, struct bytes *in)
{
    url->page = (uint32_t)bytes_get(in, 4);
    url->linking = (uint32_t)bytes_get(in, 4);
    if (!url->linking)
        return;
    for (int i = 0; i < LINK_CONTEXTS; i++) {
        url->best[i] = bytes_get_float(in);
        url->sum[i] = bytes_get_float(in);
    }
    url->parent_best = bytes_get_float(in);
    url->parent_sum = bytes_get_float(in);
    url->relevant = bytes_get_float(in);
    url->position = bytes_get_float(in);
    url->priority = bytes_get_float(in);
    for (int i = 0; i < EVIDENCE_KEYS; i++)
        url->keys[i] = (uint32_t)bytes_get(in, 4);
    for (int i = 0; i < EVIDENCE_IN_LINKS; i++)
        url->in_links[i] = (uint32_t)bytes_get(in, 4);
    url->words = (uint32_t)bytes_get(in, 4);
    for (int i = 0; i < 3; i++)
        url->nwords[i] = (uint8_t)bytes_get(in, 1);
    url->same_host = (uint16_t)bytes_get(in, 2);
    url->hops = (uint8_t)bytes_get(in, 1);
    url->newest = (uint8_t)bytes_get(in, 1);
    bytes_check(in, url->relevant >= 0 && url->hops <= EVIDENCE_HOPS_MOST && url->newest < EVIDENCE_IN_LINKS,
                "a URL does not add up");
}

static void put_page(const struct evidence_page *page, struct buf *out)
{
    const float floats[] = {page->counts, page->odds,         page->visited, page->visited_counts,
                            page->known,  page->known_counts, page->visited_says, page->all_say};

    bytes_put(out, page->id, 4);
    bytes_put(out, page->children_end, 4);
    bytes_put(out, page->hops, 1);
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        bytes_put_float(out, floats[i]);
}

static void get_page(struct evidence_page *page, struct bytes *in)
{
    page->id = (uint32_t)bytes_get(in, 4);
    page->children_end = (uint32_t)bytes_get(in, 4);
    page->hops = (uint8_t)bytes_get(in, 1);
    page->counts = bytes_get_float(in);
    page->odds = bytes_get_float(in);
    page->visited = bytes_get_float(in);
    page->visited_counts = bytes_get_float(in);
    page->known = bytes_get_float(in);
    page->known_counts = bytes_get_float(in);
    page->visited_says = bytes_get_float(in);
    page->all_say = bytes_get_float(in);
    bytes_check(in, page->visited >= 0 && page->visited_counts >= 0 && page->known >= 0 && page->known_counts >= 0 &&
                    page->hops <= EVIDENCE_HOPS_MOST, "a page does not add up");
}

static void put_place(const struct evidence_place *place, struct buf *out)
{
    bytes_put(out, place->page, 4);
    bytes_put(out, place->key, 4);
    bytes_put_float(out, place->visited);
    bytes_put_float(out, place->counts);
    bytes_put_float(out, place->says);
}

static void get_place(struct evidence_place *place, struct bytes *in)
{
    place->page = (uint32_t)bytes_get(in, 4);
    place->key = (uint32_t)bytes_get(in, 4);
    place->visited = bytes_get_float(in);
    place->counts = bytes_get_float(in);
    place->says = bytes_get_float(in);
    bytes_check(in, place->visited >= 0 && place->counts >= 0, "a place does not add up");
}

static struct evidence_scale *scale_at(struct evidence *evidence, int i)
{
    return i < LINK_CONTEXTS                  ? &evidence->contexts[i]
           : i < LINK_CONTEXTS + ADVICE_KINDS ? &evidence->advised[i - LINK_CONTEXTS]
                                              : &evidence->judged;
}

static void put_knowledge(const struct evidence *evidence, struct buf *out)
{
    bytes_put(out, evidence->knowledge != NULL, 1);
    for (size_t i = 0; evidence->knowledge && i < evidence->nurls; i++) {
        for (int k = 0; k < ADVICE_KINDS; k++)
            bytes_put_float(out, evidence->knowledge[i].best[k]);
        bytes_put(out, evidence->knowledge[i].accessed, 4);
    }
}

void evidence_save(struct evidence *evidence, struct buf *out)
{
    bytes_put_double(out, evidence->counted);
    bytes_put_double(out, evidence->relevant);
    bytes_put_double(out, evidence->recalled_counted);
    bytes_put_double(out, evidence->recalled_relevant);
    for (int i = 0; i <= LINK_CONTEXTS + ADVICE_KINDS; i++) {
        bytes_put_double(out, scale_at(evidence, i)->count);
        bytes_put_double(out, scale_at(evidence, i)->sum);
        bytes_put_double(out, scale_at(evidence, i)->squares);
    }
    bytes_put(out, evidence->nurls, 4);
    bytes_put(out, evidence->npages, 4);
    bytes_put(out, evidence->nplaces, 4);
    bytes_put(out, evidence->nchildren, 4);
    bytes_put(out, evidence->nwords, 4);
    for (size_t i = 0; i < evidence->nurls; i++)
        put_url(&evidence->urls[i], out);
    for (size_t i = 0; i < evidence->npages; i++)
        put_page(&evidence->pages[i], out);
    for (size_t i = 0; i < evidence->nplaces; i++)
        put_place(&evidence->places[i], out);
    saved_put_array(out, evidence->children, evidence->nchildren, sizeof *evidence->children);
    saved_put_array(out, evidence->words, evidence->nwords, sizeof *evidence->words);
    put_knowledge(evidence, out);
    tally_save(&evidence->tally, out);
    aim_save(&evidence->odds.aim, out);
}

/* Does everything refer to what is there? */
static void check_references(const struct evidence *evidence, struct bytes *in)
{
    uint32_t before = 0;

    for (size_t i = 0; i < evidence->nurls && !in->wrong; i++) {
        const struct evidence_url *url = &evidence->urls[i];
        uint64_t end = (uint64_t)url->words + url->nwords[0] + url->nwords[1] + url->nwords[2];
        uint32_t in_link;

        bytes_check(in, url->page <= evidence->npages && end <= evidence->nwords, "a URL refers to nothing");
        for (uint32_t k = 0; (in_link = evidence_in_link(url, k)) != EVIDENCE_NONE; k++)
            bytes_check(in, in_link < evidence->nplaces, "a link stands nowhere");
    }
    for (size_t i = 0; i < evidence->npages && !in->wrong; i++) {
        const struct evidence_page *page = &evidence->pages[i];

        bytes_check(in, page->id < evidence->nurls && page->children_end >= before &&
                        page->children_end <= evidence->nchildren, "a page refers to nothing");
        before = page->children_end;
    }
    for (size_t i = 0; i < evidence->nplaces && !in->wrong; i++)
        bytes_check(in, evidence->places[i].page < evidence->npages, "a place is in no page");
    for (size_t i = 0; i < evidence->nchildren && !in->wrong; i++)
        bytes_check(in, evidence->children[i] < evidence->nurls, "a link leads nowhere");
}

/* Zeroed; never NULL where it is not wrong. */
static void *take_room(struct bytes *in, size_t *count, size_t *room, size_t least, size_t size)
{
    void *items;

    *count = bytes_get(in, 4);
    if (!bytes_has(in, *count, least))
        *count = 0;
    items = calloc(*count + 1, size);
    SCENT_BUG_IF(!items);
    *room = *count + 1;
    return items;
}

/* A crawl keeps its trace. What it did not know before a restart it learns from the pages that come. */
static void get_knowledge(struct evidence *evidence, struct bytes *in)
{
    const struct trace *trace = evidence->advice.trace;
    uint32_t pages = trace ? trace_size(trace).pages : 0;
    bool saved = bytes_get(in, 1) == 1, wanted = advice_is_given(&evidence->advice);

    evidence->knowledge = wanted ? calloc(evidence->nurls + 1, sizeof *evidence->knowledge) : NULL;
    SCENT_BUG_IF(wanted && !evidence->knowledge);
    evidence->knowledge_room = wanted ? evidence->nurls + 1 : 0;
    for (size_t i = 0; saved && i < evidence->nurls && !in->wrong; i++) {
        struct evidence_advised url;

        for (int k = 0; k < ADVICE_KINDS; k++)
            url.best[k] = bytes_get_float(in);
        url.accessed = (uint32_t)bytes_get(in, 4);
        bytes_check(in, !trace || url.accessed <= pages, "a URL is no page of the trace");
        url.accessed = trace ? url.accessed : 0;
        if (wanted)
            evidence->knowledge[i] = url;
    }
}

scent_status evidence_load(struct evidence *evidence, struct bytes *in, struct errmsg *err)
{
    evidence->counted = bytes_get_double(in);
    evidence->relevant = bytes_get_double(in);
    evidence->recalled_counted = bytes_get_double(in);
    evidence->recalled_relevant = bytes_get_double(in);
    bytes_check(in, evidence->relevant >= 0 && evidence->relevant <= evidence->counted &&
                    evidence->recalled_relevant >= 0 && evidence->recalled_relevant <= evidence->recalled_counted,
                "its counts do not add up");
    for (int i = 0; i <= LINK_CONTEXTS + ADVICE_KINDS; i++) {
        struct evidence_scale *scale = scale_at(evidence, i);

        scale->count = bytes_get_double(in);
        scale->sum = bytes_get_double(in);
        scale->squares = bytes_get_double(in);
        bytes_check(in, scale->count >= 0 && scale->squares >= 0, "a scale does not add up");
    }
    if (in->wrong)
        return SCENT_OK;
    evidence->urls = take_room(in, &evidence->nurls, &evidence->urls_room, 8, sizeof *evidence->urls);
    evidence->pages = take_room(in, &evidence->npages, &evidence->pages_room, 41, sizeof *evidence->pages);
    evidence->places = take_room(in, &evidence->nplaces, &evidence->places_room, 20, sizeof *evidence->places);
    evidence->children = take_room(in, &evidence->nchildren, &evidence->children_room, 4, sizeof(uint32_t));
    evidence->words = take_room(in, &evidence->nwords, &evidence->words_room, 4, sizeof(uint32_t));
    for (size_t i = 0; i < evidence->nurls && !in->wrong; i++)
        get_url(&evidence->urls[i], in);
    for (size_t i = 0; i < evidence->npages && !in->wrong; i++)
        get_page(&evidence->pages[i], in);
    for (size_t i = 0; i < evidence->nplaces && !in->wrong; i++)
        get_place(&evidence->places[i], in);
    saved_get_array(in, evidence->children, evidence->nchildren, sizeof *evidence->children);
    saved_get_array(in, evidence->words, evidence->nwords, sizeof *evidence->words);
    get_knowledge(evidence, in);
    check_references(evidence, in);
    tally_load(&evidence->tally, in);
    evidence_renew(evidence);
    return in->wrong ? SCENT_OK : aim_load(&evidence->odds.aim, in, err);
}

void evidence_learned(const struct evidence *evidence, struct buf *out)
{
    bytes_put_double(out, evidence->counted + evidence->recalled_counted);
    bytes_put_double(out, saved_round(evidence->relevant) + evidence->recalled_relevant);
    tally_learned(&evidence->tally, out);
}

void evidence_recall(struct evidence *evidence, struct bytes *in, double weight)
{
    double counted = bytes_get_double(in), relevant = bytes_get_double(in);

    bytes_check(in, saved_is_count(counted) && relevant >= 0 && relevant <= counted, "its counts do not add up");
    if (!in->wrong && weight != 0) {
        evidence->recalled_counted += saved_weigh(counted, weight);
        evidence->recalled_relevant += saved_weigh(relevant, weight);
        evidence_renew(evidence);
    }
    tally_recall(&evidence->tally, in, weight);
}

void evidence_settle(struct evidence *evidence)
{
    tally_settle(&evidence->tally, &evidence->base);
}

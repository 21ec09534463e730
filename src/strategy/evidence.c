#include "strategy/evidence.h"

#include "base/hash.h"
#include "base/vec.h"
#include "strategy/features.h"

#include <math.h>
#include <stdlib.h>

enum {
    CHILDREN = 4096,  /* of a page */
    PLACES = 64,      /* of a page; further ones are one */
    ANCESTORS = 4,    /* elements above a link that make a place */
    ANCHOR_WORDS = 6, /* of a URL, the window's not counting those of the anchor */
    WINDOW_WORDS = 5,
    URL_WORDS = 5,
    STEPS = 1024,     /* children that are looked at to find siblings */
};
/* Kinds of keys. */
enum { BY_HOST = 1, BY_DIRECTORY, BY_SHAPE, BY_ANCHOR, BY_TEMPLATE, BY_ANCHOR_WORD, BY_WINDOW_WORD, BY_URL_WORD };

/* Pages that draw the share of a group of links or URLs to what is expected. */
#define PULL 6

const char *const evidence_names[EVIDENCE_FEATURES] = {
    "bias", "window40-best", "window40-mean", "window10-best", "window10-mean", "anchor-best", "anchor-mean",
    "tree-best", "tree-mean", "parent-best", "parent-mean", "relevant", "others", "share", "linking", "newest", "hops",
    "same-host", "siblings-best", "siblings-mean", "children-best", "children-mean", "visited", "place-best",
    "place-mean", "template-best", "template-mean", "position", "anchor", "host", "directory", "shape", "anchor-words",
    "window-words", "url-words", "rules", "browsing", "users", "sessions"};

/* fmaxf() and fminf() mind numbers that are none, and are calls. */
static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}

/* Most counts of pages and links are small. */
static inline float log_of(const struct evidence *evidence, float count)
{
    return count < EVIDENCE_LOGS ? evidence->logs[(int)count] : logf(count);
}

/* What pages count is whole where verdicts are exact. */
static inline float log_of_sum(const struct evidence *evidence, float sum)
{
    return sum < EVIDENCE_LOGS && (float)(int)sum == sum ? evidence->logs[(int)sum] : logf(sum);
}

/* ---- scales ---- */

static void scale_add(struct evidence_scale *scale, float value)
{
    scale->count++;
    scale->sum += (double)value;
    scale->squares += (double)value * (double)value;
}

static inline float place_page(const struct evidence_measure *measure, float value)
{
    return smaller(larger((value - measure->mean) * measure->by, -3), 3);
}

/* One loop for each step: so the compiler takes all contexts at once, half of the instructions and no branches. */
static inline void place_contexts(const struct evidence *evidence, const float values[LINK_CONTEXTS],
                                  float out[LINK_CONTEXTS])
{
    for (int i = 0; i < LINK_CONTEXTS; i++)
        out[i] = (values[i] - evidence->context_means[i]) * evidence->context_by[i];
    for (int i = 0; i < LINK_CONTEXTS; i++)
        out[i] = larger(out[i], -3);
    for (int i = 0; i < LINK_CONTEXTS; i++)
        out[i] = smaller(out[i], 4);
}

/* As if three pages had been met before the first, whose values have this sum. */
static struct evidence_measure find_measure(const struct evidence_scale *scale, double sum)
{
    double count = scale->count + 3, mean = (scale->sum + sum) / count;
    double deviation = sqrt(fmax(.01, (scale->squares + .6) / count - mean * mean));

    return (struct evidence_measure){(float)mean, (float)(1 / deviation)};
}

static void renew_scales(struct evidence *evidence)
{
    for (int i = 0; i < LINK_CONTEXTS; i++) {
        const struct evidence_scale *scale = &evidence->contexts[i];
        double count = scale->count + 1, mean = scale->sum / count;

        evidence->context_means[i] = (float)mean;
        evidence->context_by[i] = (float)(1 / sqrt(fmax(1e-4, (scale->squares + .02) / count - mean * mean)));
    }
}

/* Below the middle at first. */
static void renew_judged(struct evidence *evidence)
{
    evidence->judged_by = find_measure(&evidence->judged, -1);
}

float evidence_place_judged(const struct evidence *evidence, float odds)
{
    return place_page(&evidence->judged_by, odds);
}

/* The share of relevant pages in the crawl, by which all others are measured. */
static void renew_base(struct evidence *evidence)
{
    double relevant = evidence->relevant + evidence->recalled_relevant;
    double share = (relevant + 1) / (evidence->counted + evidence->recalled_counted + 3);

    evidence->base = (struct tally_base){PULL, (float)share, (float)log(share / (1 - share))};
}

void evidence_renew(struct evidence *evidence)
{
    renew_scales(evidence);
    for (int i = 0; i < ADVICE_KINDS; i++)
        evidence->advised_by[i] = find_measure(&evidence->advised[i], 0);
    renew_judged(evidence);
    renew_base(evidence);
}

scent_status evidence_init(struct evidence *evidence, const struct strategy_context *context, struct errmsg *err)
{
    link_odds_init(&evidence->odds, context);
    tally_init(&evidence->tally);
    for (int i = 0; i < EVIDENCE_LOGS; i++)
        evidence->logs[i] = logf((float)i);
    evidence_renew(evidence);
    return advice_init(&evidence->advice, context, err);
}

void evidence_release(struct evidence *evidence)
{
    link_odds_release(&evidence->odds);
    advice_release(&evidence->advice);
    free(evidence->knowledge);
    tally_release(&evidence->tally);
    free(evidence->urls);
    free(evidence->pages);
    free(evidence->places);
    free(evidence->children);
    free(evidence->words);
    free(evidence->links);
}

/* ---- keys ---- */

static uint32_t key_of(uint64_t hash, unsigned kind)
{
    return tally_key(hash_mix(hash, kind));
}

struct host {
    struct str name;
    uint32_t key;
};

static struct host host_of(const struct url *url)
{
    struct str name = url_server(url);

    return (struct host){name, key_of(hash_str(name, 0), BY_HOST)};
}

/* The directory with digits as one sign, and the file name with runs of letters and of digits as one each. */
static uint64_t hash_shape(struct str path, size_t directory)
{
    char shape[256];
    size_t n = 0;

    for (size_t i = 0; i < path.len && n < sizeof shape; i++) {
        char c = path.p[i], sign = ascii_is_digit(c) ? '#' : i >= directory && ascii_is_alpha(c) ? 'a' : c;

        if (!n || shape[n - 1] != sign || (sign != '#' && !(sign == 'a' && i >= directory)))
            shape[n++] = sign;
    }
    return hash_bytes(shape, n, 0);
}

/* `near`: a host that may well be the same, as that of a page and its links. */
static void set_keys(struct evidence_url *url, const struct url *from, const struct host *near)
{
    struct str path = url_path(from);
    uint32_t host = str_eq(url_server(from), near->name) ? near->key : host_of(from).key;
    size_t directory = path.len;

    while (directory && path.p[directory - 1] != '/')
        directory--;
    url->keys[EVIDENCE_KEY_HOST] = host;
    url->keys[EVIDENCE_KEY_DIRECTORY] = key_of(hash_mix(host, hash_bytes(path.p, directory, 0)), BY_DIRECTORY);
    url->keys[EVIDENCE_KEY_SHAPE] = key_of(hash_mix(host, hash_shape(path, directory)), BY_SHAPE);
}

static uint32_t key_of_anchor(const struct page *page, struct context anchor)
{
    uint64_t hash = 0;

    for (uint32_t i = anchor.first; i < anchor.end; i++)
        hash = hash_mix(hash, page->words[i].word);
    return anchor.end > anchor.first ? key_of(hash, BY_ANCHOR) : 0;
}

/* The stems of words, each once, that are not among those from `first` on. */
static uint8_t add_stems(struct evidence *evidence, const struct page *page, struct context range, size_t most,
                         unsigned kind)
{
    uint32_t *words = evidence->words + evidence->nwords;
    size_t count = 0;

    for (uint32_t i = range.first; i < range.end && count < most; i++) {
        uint32_t key;
        size_t known = 0;

        if (page->words[i].flags & PAGE_WORD_STOP)
            continue;
        key = key_of(page->words[i].stem, kind);
        while (known < count && words[known] != key)
            known++;
        words[known] = key;
        count += known == count;
    }
    evidence->nwords += count;
    return (uint8_t)count;
}

static uint8_t add_url_words(struct evidence *evidence, const struct url *url)
{
    size_t begin = evidence->nwords;
    struct str rest = url_path(url);
    uint64_t token;

    while (evidence->nwords - begin < URL_WORDS && features_token(&rest, true, &token))
        evidence->words[evidence->nwords++] = key_of(token, BY_URL_WORD);
    return (uint8_t)(evidence->nwords - begin);
}

static void begin_words(struct evidence *evidence, struct evidence_url *url)
{
    SCENT_BUG_IF(evidence->nwords > UINT32_MAX - EVIDENCE_WORDS ||
                 !vec_reserve(&evidence->words, &evidence->words_room, evidence->nwords + EVIDENCE_WORDS,
                              sizeof *evidence->words));
    url->words = (uint32_t)evidence->nwords;
}

/* What it is called by the first link that leads to it. */
static void name_by_link(struct evidence *evidence, struct evidence_url *url, const struct page *page, uint32_t link,
                         const struct host *host)
{
    struct context anchor = context_anchor(page, link), window = context_window(page, link, 10);

    set_keys(url, &page->links[link].url, host);
    url->keys[EVIDENCE_KEY_ANCHOR] = key_of_anchor(page, anchor);
    begin_words(evidence, url);
    url->nwords[0] = add_stems(evidence, page, anchor, ANCHOR_WORDS, BY_ANCHOR_WORD);
    url->nwords[1] = add_stems(evidence, page, (struct context){window.first, anchor.first}, WINDOW_WORDS / 2,
                               BY_WINDOW_WORD);
    url->nwords[1] += add_stems(evidence, page, (struct context){anchor.end, window.end},
                                (size_t)WINDOW_WORDS - url->nwords[1], BY_WINDOW_WORD);
    url->nwords[2] = add_url_words(evidence, &page->links[link].url);
}

/* Of a page that no link led to. */
static void name_by_itself(struct evidence *evidence, struct evidence_url *url, const struct url *from)
{
    set_keys(url, from, &(struct host){0});
    begin_words(evidence, url);
    url->nwords[2] = add_url_words(evidence, from);
}

/* What is known of it from before the crawl; NULL: nothing, as of a URL that is not kept. */
static const struct evidence_advised *advised_url(const struct evidence *evidence, const struct evidence_url *url)
{
    bool kept = evidence->knowledge && url >= evidence->urls && url < evidence->urls + evidence->nurls;

    return kept ? &evidence->knowledge[url - evidence->urls] : NULL;
}

/* ---- features ---- */

struct families {
    float siblings_best, siblings_sum, children_best, children_sum, visited, place_best, place_sum, template_best,
        template_sum;
    uint32_t count;
};

/* What its newest parents know by now. */
static struct families ask_parents(const struct evidence *evidence, const struct evidence_url *url)
{
    struct families f = {.siblings_best = -INFINITY, .children_best = -INFINITY, .place_best = -INFINITY,
                         .template_best = -INFINITY};
    uint32_t kept = url->linking < EVIDENCE_IN_LINKS ? url->linking : EVIDENCE_IN_LINKS;

    for (; f.count < kept; f.count++) {
        uint32_t at = (url->newest + EVIDENCE_IN_LINKS - 1 - f.count) % EVIDENCE_IN_LINKS;
        const struct evidence_place *place = &evidence->places[url->in_links[at]];
        const struct evidence_page *page = &evidence->pages[place->page];
        float here = place->visited > 0 ? place->says : page->visited_says;
        float template = tally_say(&evidence->tally, place->key);

        f.siblings_best = larger(f.siblings_best, page->visited_says);
        f.siblings_sum += page->visited_says;
        f.children_best = larger(f.children_best, page->all_say);
        f.children_sum += page->all_say;
        f.visited = larger(f.visited, page->visited);
        f.place_best = larger(f.place_best, here);
        f.place_sum += here;
        f.template_best = larger(f.template_best, template);
        f.template_sum += template;
    }
    return f;
}

static inline float say_words(const struct evidence *evidence, const uint32_t *words, size_t count)
{
    float sum = 0;

    for (size_t i = 0; i < count; i++) {
        const struct tally_slot *slot = tally_find(&evidence->tally, words[i]);

        if (slot) /* most were never counted */
            sum += slot->odds;
    }
    return smaller(larger(sum, -4), 4);
}

static void weigh_names(const struct evidence *evidence, const struct evidence_url *url, float x[EVIDENCE_FEATURES])
{
    const struct tally *tally = &evidence->tally;
    const struct tally_slot *directory = tally_find(tally, url->keys[EVIDENCE_KEY_DIRECTORY]);
    const uint32_t *words = evidence->words + url->words;

    x[EVIDENCE_ANCHOR] = tally_say(tally, url->keys[EVIDENCE_KEY_ANCHOR]);
    x[EVIDENCE_HOST] = tally_say(tally, url->keys[EVIDENCE_KEY_HOST]);
    x[EVIDENCE_DIRECTORY] = directory ? directory->odds - x[EVIDENCE_HOST] : 0;
    x[EVIDENCE_SHAPE] = tally_say(tally, url->keys[EVIDENCE_KEY_SHAPE]);
    if (!evidence->words)
        words = NULL;
    x[EVIDENCE_ANCHOR_WORDS] = say_words(evidence, words, url->nwords[0]);
    x[EVIDENCE_WINDOW_WORDS] = say_words(evidence, words + url->nwords[0], url->nwords[1]) / 2;
    x[EVIDENCE_URL_WORDS] = say_words(evidence, words + url->nwords[0] + url->nwords[1], url->nwords[2]);
}

static void weigh_advice(const struct evidence *evidence, const struct evidence_advised *url,
                         float x[EVIDENCE_FEATURES])
{
    if (!url)
        return;
    for (int i = 0; i < ADVICE_KINDS; i++)
        if (advice_has(&evidence->advice, (enum advice_kind)i))
            x[EVIDENCE_RULES + i] = place_page(&evidence->advised_by[i], url->best[i]);
    if (url->accessed)
        advice_ask_people(&evidence->advice, url->accessed - 1, &evidence->tally, x + EVIDENCE_USERS);
}

/* What is kept with it, and what is known of its names. Some page links to it. */
static void weigh_alone(const struct evidence *evidence, const struct evidence_url *url, float x[EVIDENCE_FEATURES])
{
    float linking = (float)url->linking, share = 1 / linking;
    float best[LINK_CONTEXTS], mean[LINK_CONTEXTS];

    x[EVIDENCE_BIAS] = 1;
    for (int i = 0; i < LINK_CONTEXTS; i++)
        mean[i] = url->sum[i] * share;
    place_contexts(evidence, url->best, best);
    place_contexts(evidence, mean, mean);
    for (int i = 0; i < LINK_CONTEXTS; i++) {
        x[EVIDENCE_CONTEXTS + 2 * i] = best[i];
        x[EVIDENCE_CONTEXTS + 2 * i + 1] = mean[i];
    }
    x[EVIDENCE_PARENT_BEST] = place_page(&evidence->judged_by, url->parent_best);
    x[EVIDENCE_PARENT_MEAN] = place_page(&evidence->judged_by, url->parent_sum * share);
    x[EVIDENCE_RELEVANT] = log_of_sum(evidence, 1 + url->relevant);
    x[EVIDENCE_OTHERS] = log_of_sum(evidence, larger(1, 1 + linking - url->relevant));
    x[EVIDENCE_SHARE] = url->relevant * share;
    x[EVIDENCE_LINKING] = log_of(evidence, linking);
    x[EVIDENCE_HOPS] = (float)url->hops / 4;
    x[EVIDENCE_SAME_HOST] = (float)url->same_host / smaller(linking, UINT16_MAX);
    x[EVIDENCE_POSITION] = url->position;
    weigh_names(evidence, url, x);
    for (int i = EVIDENCE_RULES; i < EVIDENCE_FEATURES; i++)
        x[i] = 0;
    if (evidence->knowledge)
        weigh_advice(evidence, advised_url(evidence, url), x);
}

void evidence_weigh(const struct evidence *evidence, const struct evidence_url *url, float x[EVIDENCE_FEATURES])
{
    struct families f;
    float in_links;

    if (!url->linking) {
        memset(x, 0, EVIDENCE_FEATURES * sizeof *x);
        x[EVIDENCE_BIAS] = 1;
        return;
    }
    f = ask_parents(evidence, url);
    in_links = 1 / (float)f.count;
    weigh_alone(evidence, url, x);
    x[EVIDENCE_NEWEST] = evidence->pages[evidence->places[evidence_in_link(url, 0)].page].counts;
    x[EVIDENCE_SIBLINGS_BEST] = f.siblings_best;
    x[EVIDENCE_SIBLINGS_MEAN] = f.siblings_sum * in_links;
    x[EVIDENCE_CHILDREN_BEST] = f.children_best;
    x[EVIDENCE_CHILDREN_MEAN] = f.children_sum * in_links;
    x[EVIDENCE_VISITED] = log_of(evidence, 1 + f.visited) / 3;
    x[EVIDENCE_PLACE_BEST] = f.place_best;
    x[EVIDENCE_PLACE_MEAN] = f.place_sum * in_links;
    x[EVIDENCE_TEMPLATE_BEST] = f.template_best;
    x[EVIDENCE_TEMPLATE_MEAN] = f.template_sum * in_links;
}

/* ---- learning of a page ---- */

/* What counts say beside the crawl, drawn to a share of their own. */
static float say(const struct evidence *evidence, float pages, float counts, float share)
{
    struct tally_base base = evidence->base;

    base.share = share;
    return pages > 0 ? tally_odds(pages, counts, &base) : 0;
}

static void renew_page(const struct evidence *evidence, struct evidence_page *page)
{
    page->visited_says = say(evidence, page->visited, page->visited_counts, evidence->base.share);
    page->all_say = say(evidence, page->visited + page->known, page->visited_counts + page->known_counts,
                        evidence->base.share);
}

static float drawn_share(const struct evidence *evidence, float pages, float counts)
{
    return (counts + PULL * evidence->base.share) / (pages + PULL);
}

/* All that led to it, or is like it, has led to a page that counts so much. */
static void count_page(struct evidence *evidence, const struct evidence_url *url, float counts)
{
    struct tally *tally = &evidence->tally;
    struct tally_base base = evidence->base, words = base;
    const struct tally_slot *host;
    const struct evidence_advised *advised;
    uint32_t in_link;

    words.pull = EVIDENCE_WORD_PULL;
    for (uint32_t i = 0; (in_link = evidence_in_link(url, i)) != EVIDENCE_NONE; i++) {
        struct evidence_place *place = &evidence->places[in_link];
        struct evidence_page *page = &evidence->pages[place->page];

        page->visited++;
        page->visited_counts += counts;
        renew_page(evidence, page);
        place->visited++;
        place->counts += counts;
        place->says = say(evidence, place->visited, place->counts,
                          drawn_share(evidence, page->visited, page->visited_counts));
        tally_count(tally, place->key, counts, &base);
    }
    tally_count(tally, url->keys[EVIDENCE_KEY_HOST], counts, &base);
    tally_count(tally, url->keys[EVIDENCE_KEY_SHAPE], counts, &base);
    tally_count(tally, url->keys[EVIDENCE_KEY_ANCHOR], counts, &base);
    host = tally_find(tally, url->keys[EVIDENCE_KEY_HOST]);
    if (host)
        base.share = drawn_share(evidence, host->pages, host->relevant);
    tally_count(tally, url->keys[EVIDENCE_KEY_DIRECTORY], counts, &base);
    if (evidence->words)
        tally_count_all(tally, evidence->words + url->words, (size_t)url->nwords[0] + url->nwords[1] + url->nwords[2],
                        counts, &words);
    advised = advised_url(evidence, url);
    if (advised && advised->accessed)
        advice_count_people(&evidence->advice, advised->accessed - 1, counts, tally, &evidence->base);
    evidence->counted++;
    evidence->relevant += (double)counts;
    renew_base(evidence);
}

/* ---- links ---- */

static struct evidence_url *know(struct evidence *evidence, uint32_t id)
{
    size_t need = (size_t)id + 1, known = evidence->nurls;

    if (need > known) {
        SCENT_BUG_IF(!vec_reserve(&evidence->urls, &evidence->urls_room, need, sizeof *evidence->urls));
        memset(evidence->urls + known, 0, (need - known) * sizeof *evidence->urls);
        if (advice_is_given(&evidence->advice)) {
            SCENT_BUG_IF(!vec_reserve(&evidence->knowledge, &evidence->knowledge_room, need,
                                      sizeof *evidence->knowledge));
            memset(evidence->knowledge + known, 0, (need - known) * sizeof *evidence->knowledge);
        }
        evidence->nurls = need;
    }
    return &evidence->urls[id];
}

/* The chain of elements around a link, among the places of this page from `first` on. */
static uint32_t find_place(struct evidence *evidence, const struct page *page, uint32_t link, uint32_t host,
                           size_t first)
{
    uint32_t node = page->links[link].node, key;
    uint64_t hash = host;

    for (int i = 0; i <= ANCESTORS && node != PAGE_NONE; i++, node = page->nodes[node].parent)
        hash = hash_mix(hash, page->nodes[node].tag);
    key = key_of(hash, BY_TEMPLATE);
    for (size_t i = evidence->nplaces; i > first; i--) /* the last one first: links stand in lists */
        if (evidence->places[i - 1].key == key)
            return (uint32_t)(i - 1);
    if (evidence->nplaces - first == PLACES)
        return (uint32_t)(evidence->nplaces - 1);
    SCENT_BUG_IF(evidence->nplaces >= EVIDENCE_NONE);
    SCENT_BUG_IF(!vec_reserve(&evidence->places, &evidence->places_room, evidence->nplaces + 1,
                              sizeof *evidence->places));
    evidence->places[evidence->nplaces] = (struct evidence_place){.page = (uint32_t)evidence->npages, .key = key};
    return (uint32_t)evidence->nplaces++;
}

static void read_link(struct evidence *evidence, const struct strategy_visit *visit, uint32_t link,
                      const struct host *host, struct evidence_link *out)
{
    link_odds_of(&evidence->odds, visit, link, out->odds);
    out->position = (float)link / (float)visit->page->nlinks;
    out->same_host = str_eq(url_server(&visit->page->links[link].url), host->name);
}

/* The links of the page, one a target. */
static void read_links(struct evidence *evidence, const struct strategy_visit *visit)
{
    const struct page *page = visit->page;
    struct host host = host_of(&page->url);
    size_t first = evidence->nplaces;

    evidence->nlinks = 0;
    link_odds_begin(&evidence->odds, visit);
    for (uint32_t i = 0; i < page->nlinks && evidence->nlinks < CHILDREN; i++) {
        uint32_t id = visit->targets[i];
        struct evidence_link link = {.target = id};
        struct evidence_url *url;

        if (id == STRATEGY_UNKNOWN || id == visit->id)
            continue;
        read_link(evidence, visit, i, &host, &link);
        url = know(evidence, id);
        if (evidence_is_link(evidence, id)) {
            struct evidence_link *other = &evidence->links[url->mark];

            if (link.odds[LINK_WINDOW_40] > other->odds[LINK_WINDOW_40])
                memcpy(other->odds, link.odds, sizeof link.odds);
            continue;
        }
        link.place = find_place(evidence, page, i, host.key, first);
        if (!url->linking && !url->page) {
            name_by_link(evidence, url, page, i, &host);
            url->hops = EVIDENCE_HOPS_MOST;
            if (evidence->advice.trace)
                evidence->knowledge[id].accessed = advice_find(&evidence->advice, &page->links[i].url) + 1;
        }
        url->mark = (uint32_t)evidence->nlinks;
        SCENT_BUG_IF(!vec_reserve(&evidence->links, &evidence->links_room, evidence->nlinks + 1,
                                  sizeof *evidence->links));
        evidence->links[evidence->nlinks++] = link;
    }
}

static void add_in_link(struct evidence_url *url, const struct evidence_link *link, const struct evidence_page *page)
{
    if (!url->linking) {
        memcpy(url->best, link->odds, sizeof url->best);
        url->parent_best = page->odds;
        url->position = link->position;
    }
    for (int i = 0; i < LINK_CONTEXTS; i++)
        url->best[i] = larger(url->best[i], link->odds[i]);
    for (int i = 0; i < LINK_CONTEXTS; i++)
        url->sum[i] += link->odds[i];
    url->parent_best = larger(url->parent_best, page->odds);
    url->parent_sum += page->odds;
    url->position = smaller(url->position, link->position);
    url->relevant += page->counts;
    url->same_host += link->same_host && url->same_host < UINT16_MAX;
    url->hops = page->hops < url->hops ? page->hops : url->hops;
    url->in_links[url->newest] = link->place;
    url->newest = (url->newest + 1) % EVIDENCE_IN_LINKS;
    url->linking++;
}

static void add_links(struct evidence *evidence, struct evidence_page *page)
{
    SCENT_BUG_IF(!vec_reserve(&evidence->children, &evidence->children_room, evidence->nchildren + evidence->nlinks,
                              sizeof *evidence->children));
    for (size_t i = 0; i < evidence->nlinks; i++)
        for (int c = 0; c < LINK_CONTEXTS; c++)
            scale_add(&evidence->contexts[c], evidence->links[i].odds[c]);
    renew_scales(evidence);
    for (size_t i = 0; i < evidence->nlinks; i++) {
        const struct evidence_link *link = &evidence->links[i];
        struct evidence_url *url = &evidence->urls[link->target];

        evidence->children[evidence->nchildren++] = link->target;
        if (url->page) {
            page->known++;
            page->known_counts += evidence->pages[url->page - 1].counts;
        } else {
            add_in_link(url, link, page);
        }
    }
    SCENT_BUG_IF(evidence->nchildren > UINT32_MAX);
    page->children_end = (uint32_t)evidence->nchildren;
    renew_page(evidence, page);
}

/* For the URLs that the page links to, and that were not examined before. */
static void take_advice(struct evidence *evidence, const struct strategy_visit *visit)
{
    for (int kind = 0; kind < ADVICE_KINDS; kind++) {
        float says;

        if (!evidence->nlinks || !advice_has(&evidence->advice, (enum advice_kind)kind))
            continue;
        says = advice_of_page(&evidence->advice, (enum advice_kind)kind, visit);
        scale_add(&evidence->advised[kind], says);
        evidence->advised_by[kind] = find_measure(&evidence->advised[kind], 0);
        for (size_t i = 0; i < evidence->nlinks; i++) {
            uint32_t id = evidence->links[i].target;
            float *best = &evidence->knowledge[id].best[kind];

            if (!evidence->urls[id].page)
                *best = evidence->urls[id].linking == 1 ? says : larger(*best, says);
        }
    }
}

void evidence_add(struct evidence *evidence, const struct strategy_visit *visit, float counts)
{
    struct evidence_page page = {.id = visit->id, .counts = counts,
                                 .odds = link_odds_page(&evidence->odds, visit)};
    struct evidence_url *url = know(evidence, visit->id);

    link_odds_observe(&evidence->odds, visit);
    if (!visit->seed) {
        if (!url->linking)
            name_by_itself(evidence, url, &visit->page->url);
        count_page(evidence, url, counts);
        scale_add(&evidence->judged, page.odds);
        renew_judged(evidence);
    }
    page.hops = EVIDENCE_HOPS_MOST;
    if (counts >= .5f)
        page.hops = 0;
    else if (url->linking && url->hops < EVIDENCE_HOPS_MOST)
        page.hops = (uint8_t)(url->hops + 1);
    url->page = (uint32_t)evidence->npages + 1;
    read_links(evidence, visit);
    add_links(evidence, &page);
    take_advice(evidence, visit);
    SCENT_BUG_IF(!vec_reserve(&evidence->pages, &evidence->pages_room, evidence->npages + 1, sizeof *evidence->pages));
    evidence->pages[evidence->npages++] = page;
}

void evidence_weigh_link(struct evidence *evidence, const struct strategy_visit *visit, uint32_t link,
                         float x[EVIDENCE_FEATURES])
{
    size_t nwords = evidence->nwords;
    struct evidence_url url = {.hops = EVIDENCE_HOPS_MOST};
    struct evidence_link from = {0};
    struct host host = host_of(&visit->page->url);
    struct evidence_page page = {.odds = link_odds_page(&evidence->odds, visit),
                                 .counts = visit->judgement->relevant, .hops = EVIDENCE_HOPS_MOST};

    link_odds_begin(&evidence->odds, visit);
    read_link(evidence, visit, link, &host, &from);
    name_by_link(evidence, &url, visit->page, link, &host);
    add_in_link(&url, &from, &page);
    evidence->nwords = nwords; /* nothing of it stays */
    memset(x, 0, EVIDENCE_FEATURES * sizeof *x);
    weigh_alone(evidence, &url, x);
}

size_t evidence_siblings(const struct evidence *evidence, uint32_t *ids, size_t room)
{
    const struct evidence_url *url = &evidence->urls[evidence->pages[evidence->npages - 1].id];
    size_t count = 0, steps = 0;
    uint32_t in_link;

    for (uint32_t i = 0; (in_link = evidence_in_link(url, i)) != EVIDENCE_NONE; i++) {
        uint32_t page = evidence->places[in_link].page;
        uint32_t at = page ? evidence->pages[page - 1].children_end : 0;

        for (; at < evidence->pages[page].children_end && count < room && steps < STEPS; at++, steps++)
            if (!evidence->urls[evidence->children[at]].page)
                ids[count++] = evidence->children[at];
    }
    return count;
}

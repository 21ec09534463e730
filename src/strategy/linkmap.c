#include "strategy/linkmap.h"

#include "base/vec.h"
#include "strategy/saved.h"

#include <math.h>
#include <stdlib.h>

void linkmap_release(struct linkmap *map)
{
    free(map->urls);
    free(map->pages);
    free(map->children);
    free(map->words);
    free(map->tokens);
    free(map->more);
}

struct linkmap_url *linkmap_know(struct linkmap *map, uint32_t id)
{
    if (id >= map->nurls) {
        SCENT_BUG_IF(!vec_reserve(&map->urls, &map->urls_room, (size_t)id + 1, sizeof *map->urls));
        memset(map->urls + map->nurls, 0, (id + 1 - map->nurls) * sizeof *map->urls);
        map->nurls = (size_t)id + 1;
    }
    return &map->urls[id];
}

/* ---- sets ---- */

void linkmap_begin(struct linkmap *map)
{
    if (++map->now)
        return;
    for (size_t i = 0; i < map->nurls; i++)
        map->urls[i].round = 0;
    map->now = 1;
}

static inline bool is_first(struct linkmap *map, uint32_t id)
{
    struct linkmap_url *url = &map->urls[id];
    bool first = url->round != map->now;

    url->round = map->now;
    return first;
}

bool linkmap_first(struct linkmap *map, uint32_t id)
{
    (void)linkmap_know(map, id);
    return is_first(map, id);
}

/* ---- pages and their children ---- */

static uint64_t first_child(const struct linkmap *map, uint32_t page)
{
    return page ? map->pages[page - 1].children_end : 0;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;

    *a = *b;
    *b = kept;
}

/* The child at `i` is examined: it moves to the others of its kind. */
static void move_up(struct linkmap *map, uint32_t page, size_t i, bool relevant)
{
    struct linkmap_page *p = &map->pages[page];
    uint32_t *children = map->children + first_child(map, page);

    swap(&children[i], &children[p->nrelevant + p->nothers]);
    if (relevant) {
        swap(&children[p->nrelevant + p->nothers], &children[p->nrelevant]);
        p->nrelevant++;
    } else {
        p->nothers++;
    }
}

/* A child that is not listed is examined. Beyond the largest number nothing is counted any more, so that the share
 * stays. */
static void count_more(struct linkmap_page *page, bool relevant)
{
    enum { MORE_MAX = INT16_MAX };

    if (page->more_relevant == MORE_MAX || page->more_others == MORE_MAX)
        return;
    if (relevant)
        page->more_relevant = (page->more_relevant + 1u) & MORE_MAX;
    else
        page->more_others = (page->more_others + 1u) & UINT16_MAX;
}

/* The child `id` of `page` is examined: its candidate siblings there have one more sibling. */
static size_t tell_siblings(struct linkmap *map, uint32_t page, uint32_t id, bool relevant, uint32_t *out, size_t room)
{
    struct linkmap_list children = linkmap_children(map, page);
    size_t at = children.count, count = 0;

    for (size_t i = map->pages[page].nrelevant + map->pages[page].nothers; i < children.count; i++) {
        struct linkmap_url *url = &map->urls[children.items[i]];

        if (children.items[i] == id)
            at = i;
        else if (is_first(map, children.items[i])) {
            if (url->siblings < LINKMAP_AS_PAGE - 1) {
                url->siblings++;
                url->relevant_siblings += relevant;
            }
            if (count < room)
                out[count++] = children.items[i];
        }
    }
    if (at < children.count)
        move_up(map, page, at, relevant);
    else
        count_more(&map->pages[page], relevant);
    return count;
}

size_t linkmap_add_page(struct linkmap *map, uint32_t id, bool relevant, uint32_t *siblings, size_t room)
{
    struct linkmap_url *url = linkmap_know(map, id);
    struct linkmap_walk walk = {.url = url};
    size_t count = 0;
    uint32_t parent;

    url->page = (uint32_t)++map->npages;
    SCENT_BUG_IF(!vec_reserve(&map->pages, &map->pages_room, map->npages, sizeof *map->pages));
    map->pages[map->npages - 1] =
        (struct linkmap_page){.children_end = map->nchildren, .words_end = map->nwords, .id = id, .relevant = relevant};
    linkmap_begin(map);
    while (linkmap_next_parent(map, &walk, &parent))
        count += tell_siblings(map, parent, id, relevant, siblings + count, room - count);
    return count;
}

/* With several parents, one of which does not list it, a URL is counted when it is looked at. */
static void add_parent(struct linkmap *map, struct linkmap_url *url, uint32_t page, bool listed)
{
    if (url->nparents == LINKMAP_PARENTS) {
        SCENT_BUG_IF(!vec_reserve(&map->more, &map->more_room, map->nmore + 1, sizeof *map->more));
        map->more[map->nmore++] = (struct linkmap_more){page, url->more};
        url->more = (uint32_t)map->nmore;
        return;
    }
    url->parents[url->nparents++] = page;
    url->unlisted += !listed;
    if (url->unlisted) {
        url->siblings = url->nparents == 1 ? LINKMAP_AS_PAGE : 0;
        url->relevant_siblings = 0;
    }
}

void linkmap_add_child(struct linkmap *map, uint32_t id)
{
    struct linkmap_url *url = linkmap_know(map, id);
    uint32_t page = (uint32_t)map->npages - 1;
    size_t count = linkmap_children(map, page).count;
    bool listed = count < LINKMAP_CHILDREN || map->all;

    if (!url->page) {
        url->linking++;
        url->relevant += map->pages[page].relevant;
        if (url->nparents == LINKMAP_PARENTS && !map->all)
            return;
        add_parent(map, url, page, listed);
    }
    if (!listed) {
        if (url->page)
            count_more(&map->pages[page], linkmap_is_relevant(map, url));
        return;
    }
    SCENT_BUG_IF(!vec_reserve(&map->children, &map->children_room, map->nchildren + 1, sizeof *map->children));
    map->children[map->nchildren++] = id;
    map->pages[page].children_end = map->nchildren;
    if (url->page)
        move_up(map, page, count, linkmap_is_relevant(map, url));
}

struct linkmap_siblings linkmap_siblings_of_page(const struct linkmap_page *page)
{
    uint32_t relevant = (uint32_t)page->nrelevant + page->more_relevant;

    return (struct linkmap_siblings){relevant + page->nothers + page->more_others, relevant};
}

/* Siblings that several parents list count once. */
void linkmap_count_anew(struct linkmap *map, struct linkmap_url *url)
{
    struct linkmap_walk walk = {.url = url};
    size_t relevant = 0, others = 0;
    uint32_t parent;

    linkmap_begin(map);
    while (linkmap_next_parent(map, &walk, &parent)) {
        const struct linkmap_page *page = &map->pages[parent];
        const uint32_t *children = map->children + first_child(map, parent);

        for (size_t i = 0; i < page->nrelevant; i++)
            relevant += is_first(map, children[i]);
        for (size_t i = page->nrelevant; i < (size_t)page->nrelevant + page->nothers; i++)
            others += is_first(map, children[i]);
        relevant += page->more_relevant;
        others += page->more_others;
    }
    for (; relevant + others >= LINKMAP_AS_PAGE; relevant /= 2, others /= 2) /* the share stays */
        ;
    url->siblings = (uint16_t)(relevant + others);
    url->relevant_siblings = (uint16_t)relevant;
}

void linkmap_count_siblings(struct linkmap *map)
{
    uint32_t number = (uint32_t)map->npages - 1;
    const struct linkmap_page *page = &map->pages[number];
    struct linkmap_list children = linkmap_children(map, number);
    struct linkmap_siblings all = linkmap_siblings_of_page(page);

    if (all.visited == 0)
        return; /* it brings no new siblings */
    for (size_t i = (size_t)page->nrelevant + page->nothers; i < children.count; i++) {
        struct linkmap_url *url = &map->urls[children.items[i]];

        if (url->nparents > 1) {
            linkmap_count_anew(map, url);
            continue;
        }
        url->siblings = (uint16_t)all.visited;
        url->relevant_siblings = (uint16_t)all.relevant;
    }
}

void linkmap_add_word(struct linkmap *map, uint32_t word)
{
    if (linkmap_words(map, (uint32_t)map->npages - 1).count == LINKMAP_WORDS && !map->all)
        return;
    SCENT_BUG_IF(!vec_reserve(&map->words, &map->words_room, map->nwords + 1, sizeof *map->words));
    map->words[map->nwords++] = word;
    map->pages[map->npages - 1].words_end = map->nwords;
}

void linkmap_add_tokens(struct linkmap *map, uint32_t id, const uint32_t *tokens, size_t count)
{
    struct linkmap_url *url = linkmap_know(map, id);

    if (count == 0 || map->ntokens + count > UINT32_MAX)
        return;
    SCENT_BUG_IF(!vec_reserve(&map->tokens, &map->tokens_room, map->ntokens + count, sizeof *map->tokens));
    memcpy(map->tokens + map->ntokens, tokens, count * sizeof *tokens);
    url->tokens = (uint32_t)map->ntokens;
    url->ntokens = (uint16_t)count;
    map->ntokens += count;
}

struct linkmap_list linkmap_children(const struct linkmap *map, uint32_t page)
{
    uint64_t first = first_child(map, page);
    size_t count = map->pages[page].children_end - first;

    return (struct linkmap_list){count ? map->children + first : NULL, count};
}

/* ---- keeping ---- */

enum { SIZES = 6, URL_WORDS = 21, PAGE_WORDS = 10 }; /* 32 bits each */

static uint32_t bits_of(float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static float number_of(struct bytes *in, uint32_t bits)
{
    float number;

    memcpy(&number, &bits, sizeof number);
    return bytes_check(in, isfinite(number), "a number is out of range") ? number : 0;
}

static void save_url(const struct linkmap_url *url, struct buf *out)
{
    uint32_t words[URL_WORDS], *at = words + LINKMAP_PARENTS;

    memcpy(words, url->parents, sizeof url->parents);
    *at++ = url->linking;
    *at++ = url->relevant;
    *at++ = url->page;
    *at++ = url->tokens;
    *at++ = url->round; /* means nothing to the reader */
    *at++ = bits_of(url->words_log);
    *at++ = bits_of(url->tokens_log);
    *at++ = bits_of(url->parents_log);
    *at++ = bits_of(url->words_share);
    *at++ = bits_of(url->priority);
    *at++ = url->siblings | (uint32_t)url->relevant_siblings << 16;
    *at++ = url->nparents | (uint32_t)url->unlisted << 8 | (uint32_t)url->ntokens << 16;
    *at++ = url->more;
    saved_put_array(out, words, URL_WORDS, sizeof *words);
}

/* Nothing leads out of the arrays, whatever was read. */
static void load_url(const struct linkmap *map, struct linkmap_url *url, struct bytes *in, bool older)
{
    uint32_t words[URL_WORDS] = {0};
    const uint32_t *at = words + LINKMAP_PARENTS;

    saved_get_array(in, words, URL_WORDS - older, sizeof *words);
    *url = (struct linkmap_url){.linking = at[0], .relevant = at[1], .page = at[2], .tokens = at[3]};
    memcpy(url->parents, words, sizeof url->parents);
    url->words_log = number_of(in, at[5]);
    url->tokens_log = number_of(in, at[6]);
    url->parents_log = number_of(in, at[7]);
    url->words_share = number_of(in, at[8]);
    url->priority = number_of(in, at[9]);
    url->siblings = (uint16_t)at[10];
    url->relevant_siblings = (uint16_t)(at[10] >> 16);
    url->nparents = (uint8_t)at[11];
    url->unlisted = (uint8_t)(at[11] >> 8);
    url->ntokens = (uint16_t)(at[11] >> 16);
    url->more = at[12];
    bytes_check(in, url->more <= map->nmore, "a page that links is unknown");
    bytes_check(in, url->nparents <= LINKMAP_PARENTS && url->unlisted <= url->nparents &&
                    url->ntokens <= LINKMAP_TOKENS && url->page <= map->npages &&
                    url->relevant <= url->linking && url->relevant_siblings <= url->siblings &&
                    (size_t)url->tokens + url->ntokens <= map->ntokens, "a URL does not add up");
    for (unsigned i = 0; i < url->nparents && i < LINKMAP_PARENTS; i++)
        bytes_check(in, url->parents[i] < map->npages, "a page that links is unknown");
}

static void save_page(const struct linkmap_page *page, struct buf *out)
{
    uint32_t words[PAGE_WORDS] = {
        (uint32_t)page->children_end, (uint32_t)(page->children_end >> 32), (uint32_t)page->words_end,
        (uint32_t)(page->words_end >> 32), [6] = page->words_at, page->id,
        page->nrelevant | (uint32_t)page->nothers << 16,
        page->relevant | (uint32_t)page->more_relevant << 1 | (uint32_t)page->more_others << 16};

    memcpy(words + 4, &page->words_log, sizeof page->words_log);
    saved_put_array(out, words, PAGE_WORDS, sizeof *words);
}

static void load_page(const struct linkmap *map, struct linkmap_page *page, uint64_t child, uint64_t word,
                      struct bytes *in)
{
    uint32_t words[PAGE_WORDS];

    saved_get_array(in, words, PAGE_WORDS, sizeof *words);
    *page = (struct linkmap_page){.children_end = words[0] | (uint64_t)words[1] << 32,
                                  .words_end = words[2] | (uint64_t)words[3] << 32,
                                  .id = words[7],
                                  .nrelevant = (uint16_t)words[8],
                                  .nothers = (uint16_t)(words[8] >> 16),
                                  .relevant = words[9] & 1,
                                  .more_relevant = words[9] >> 1 & INT16_MAX,
                                  .more_others = words[9] >> 16};
    memcpy(&page->words_log, words + 4, sizeof page->words_log);
    bytes_check(in, isfinite(page->words_log), "a number is out of range");
    bytes_check(in, page->id < map->nurls && page->children_end >= child &&
                    page->words_end >= word &&
                    (map->all || (page->children_end - child <= LINKMAP_CHILDREN &&
                                  page->words_end - word <= LINKMAP_WORDS)) &&
                    (uint64_t)page->nrelevant + page->nothers <= page->children_end - child,
                "a page does not add up");
}

void linkmap_save(const struct linkmap *map, struct buf *out)
{
    const uint64_t sizes[SIZES] = {map->nurls, map->npages, map->nchildren, map->nwords, map->ntokens, map->nmore};

    saved_put_array(out, sizes, SIZES, sizeof *sizes);
    for (size_t i = 0; i < map->nurls; i++)
        save_url(&map->urls[i], out);
    for (size_t i = 0; i < map->npages; i++)
        save_page(&map->pages[i], out);
    saved_put_array(out, map->children, map->nchildren, sizeof *map->children);
    saved_put_array(out, map->words, map->nwords, sizeof *map->words);
    saved_put_array(out, map->tokens, map->ntokens, sizeof *map->tokens);
    saved_put_array(out, map->more, map->nmore * 2, sizeof(uint32_t));
}

/* An array of which every item is below `limit`. */
static uint32_t *take_below(struct bytes *in, size_t count, size_t limit)
{
    uint32_t *items = saved_take_array(in, count, sizeof *items);

    for (size_t i = 0; items && i < count; i++)
        bytes_check(in, items[i] < limit, "a number in a list is out of range");
    return items;
}

void linkmap_load(struct linkmap *map, struct bytes *in, size_t words, size_t tokens, bool older)
{
    uint64_t sizes[SIZES] = {0}, child = 0, word = 0;

    linkmap_release(map);
    *map = (struct linkmap){.all = map->all};
    saved_get_array(in, sizes, SIZES - older, sizeof *sizes);
    for (int i = 0; i < SIZES; i++)
        bytes_check(in, sizes[i] <= UINT32_MAX, "it is too large");
    if (in->wrong || !bytes_has(in, sizes[0], (URL_WORDS - older) * sizeof(uint32_t)) ||
        !bytes_has(in, sizes[1], PAGE_WORDS * sizeof(uint32_t)))
        return;
    SCENT_BUG_IF(!vec_reserve(&map->urls, &map->urls_room, sizes[0], sizeof *map->urls) ||
                 !vec_reserve(&map->pages, &map->pages_room, sizes[1], sizeof *map->pages));
    map->nurls = sizes[0];
    map->npages = sizes[1];
    map->ntokens = sizes[4];
    map->nmore = map->all ? sizes[5] : 0;
    bytes_check(in, map->nmore == sizes[5], "it was kept with other bounds");
    for (size_t i = 0; i < map->nurls; i++)
        load_url(map, &map->urls[i], in, older);
    for (size_t i = 0; i < map->npages; i++) {
        load_page(map, &map->pages[i], child, word, in);
        child = map->pages[i].children_end;
        word = map->pages[i].words_end;
    }
    bytes_check(in, child == sizes[2] && word == sizes[3], "its lists do not add up");
    map->nchildren = map->children_room = sizes[2];
    map->nwords = map->words_room = sizes[3];
    map->tokens_room = map->ntokens;
    map->children = take_below(in, map->nchildren, map->nurls);
    map->words = take_below(in, map->nwords, words);
    map->tokens = take_below(in, map->ntokens, tokens);
    map->more = saved_take_array(in, map->nmore * 2, sizeof(uint32_t));
    map->more_room = map->nmore;
    for (size_t i = 0; map->more && i < map->nmore; i++) /* each leads to an earlier one: no circles */
        bytes_check(in, map->more[i].page < map->npages && map->more[i].next <= i, "a page that links is unknown");
}

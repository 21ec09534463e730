#include "strategy/kinship.h"

#include "strategy/array.h"

#include <math.h>
#include <stdlib.h>

void kinship_release(struct kinship *kin)
{
    free(kin->urls);
    free(kin->pages);
    free(kin->children);
    free(kin->words);
    free(kin->tokens);
}

struct kinship_url *kinship_know(struct kinship *kin, uint32_t id)
{
    if (id >= kin->nurls) {
        kin->urls = array_grow(kin->urls, &kin->urls_room, (size_t)id + 1, sizeof *kin->urls);
        memset(kin->urls + kin->nurls, 0, (id + 1 - kin->nurls) * sizeof *kin->urls);
        kin->nurls = (size_t)id + 1;
    }
    return &kin->urls[id];
}

bool kinship_is_relevant(const struct kinship *kin, const struct kinship_url *url)
{
    return url->page && kin->pages[url->page - 1].relevant;
}

/* ---- sets ---- */

void kinship_begin(struct kinship *kin)
{
    if (++kin->now)
        return;
    for (size_t i = 0; i < kin->nurls; i++)
        kin->urls[i].round = 0;
    kin->now = 1;
}

static inline bool is_first(struct kinship *kin, uint32_t id)
{
    struct kinship_url *url = &kin->urls[id];
    bool first = url->round != kin->now;

    url->round = kin->now;
    return first;
}

bool kinship_first(struct kinship *kin, uint32_t id)
{
    (void)kinship_know(kin, id);
    return is_first(kin, id);
}

/* ---- pages and their children ---- */

static uint64_t first_child(const struct kinship *kin, uint32_t page)
{
    return page ? kin->pages[page - 1].children_end : 0;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;

    *a = *b;
    *b = kept;
}

/* The child at `i` is examined: it moves to the others of its kind. */
static void move_up(struct kinship *kin, uint32_t page, size_t i, bool relevant)
{
    struct kinship_page *p = &kin->pages[page];
    uint32_t *children = kin->children + first_child(kin, page);

    swap(&children[i], &children[p->good + p->bad]);
    if (relevant) {
        swap(&children[p->good + p->bad], &children[p->good]);
        p->good++;
    } else {
        p->bad++;
    }
}

/* The child `id` of `page` is examined: its candidate siblings there have one more sibling. */
static size_t tell_siblings(struct kinship *kin, uint32_t page, uint32_t id, bool relevant, uint32_t *out, size_t room)
{
    struct kinship_list children = kinship_children(kin, page);
    size_t at = children.count, count = 0;

    for (size_t i = kin->pages[page].good + kin->pages[page].bad; i < children.count; i++) {
        struct kinship_url *url = &kin->urls[children.items[i]];

        if (children.items[i] == id)
            at = i;
        else if (is_first(kin, children.items[i])) {
            url->siblings++;
            url->good_siblings += relevant;
            if (count < room)
                out[count++] = children.items[i];
        }
    }
    if (at < children.count)
        move_up(kin, page, at, relevant);
    return count;
}

size_t kinship_add_page(struct kinship *kin, uint32_t id, bool relevant, uint32_t *siblings, size_t room)
{
    struct kinship_url *url = kinship_know(kin, id);
    size_t count = 0;

    url->page = (uint32_t)++kin->npages;
    kin->pages = array_grow(kin->pages, &kin->pages_room, kin->npages, sizeof *kin->pages);
    kin->pages[kin->npages - 1] =
        (struct kinship_page){.children_end = kin->nchildren, .words_end = kin->nwords, .id = id, .relevant = relevant};
    kinship_begin(kin);
    for (uint16_t p = 0; p < url->nparents; p++)
        count += tell_siblings(kin, url->parents[p], id, relevant, siblings + count, room - count);
    return count;
}

void kinship_add_child(struct kinship *kin, uint32_t id)
{
    struct kinship_url *url = kinship_know(kin, id);
    uint32_t page = (uint32_t)kin->npages - 1;
    size_t count = kinship_children(kin, page).count;

    if (!url->page) {
        url->linking++;
        url->relevant += kin->pages[page].relevant;
    }
    if (count == KINSHIP_CHILDREN || (!url->page && url->nparents == KINSHIP_PARENTS))
        return;
    kin->children = array_grow(kin->children, &kin->children_room, kin->nchildren + 1, sizeof *kin->children);
    kin->children[kin->nchildren++] = id;
    kin->pages[page].children_end = kin->nchildren;
    if (url->page)
        move_up(kin, page, count, kinship_is_relevant(kin, url));
    else
        url->parents[url->nparents++] = page;
}

/* Siblings by several parents count once. */
static void count_siblings(struct kinship *kin, struct kinship_url *url)
{
    size_t good = 0, bad = 0;

    kinship_begin(kin);
    for (uint16_t p = 0; p < url->nparents; p++) {
        const struct kinship_page *page = &kin->pages[url->parents[p]];
        const uint32_t *children = kin->children + first_child(kin, url->parents[p]);

        for (size_t i = 0; i < page->good; i++)
            good += is_first(kin, children[i]);
        for (size_t i = page->good; i < (size_t)page->good + page->bad; i++)
            bad += is_first(kin, children[i]);
    }
    url->siblings = (uint16_t)(good + bad);
    url->good_siblings = (uint16_t)good;
}

void kinship_count_siblings(struct kinship *kin)
{
    uint32_t number = (uint32_t)kin->npages - 1;
    const struct kinship_page *page = &kin->pages[number];
    struct kinship_list children = kinship_children(kin, number);

    if (page->good + page->bad == 0)
        return; /* it brings no new siblings */
    for (size_t i = page->good + page->bad; i < children.count; i++) {
        struct kinship_url *url = &kin->urls[children.items[i]];

        if (url->nparents > 1) {
            count_siblings(kin, url);
            continue;
        }
        url->siblings = (uint16_t)(page->good + page->bad);
        url->good_siblings = page->good;
    }
}

void kinship_add_word(struct kinship *kin, uint32_t word)
{
    if (kinship_words(kin, (uint32_t)kin->npages - 1).count == KINSHIP_WORDS)
        return;
    kin->words = array_grow(kin->words, &kin->words_room, kin->nwords + 1, sizeof *kin->words);
    kin->words[kin->nwords++] = word;
    kin->pages[kin->npages - 1].words_end = kin->nwords;
}

void kinship_add_tokens(struct kinship *kin, uint32_t id, const uint32_t *tokens, size_t count)
{
    struct kinship_url *url = kinship_know(kin, id);

    if (count == 0 || kin->ntokens + count > UINT32_MAX)
        return;
    kin->tokens = array_grow(kin->tokens, &kin->tokens_room, kin->ntokens + count, sizeof *kin->tokens);
    memcpy(kin->tokens + kin->ntokens, tokens, count * sizeof *tokens);
    url->tokens = (uint32_t)kin->ntokens;
    url->ntokens = (uint16_t)count;
    kin->ntokens += count;
}

struct kinship_list kinship_children(const struct kinship *kin, uint32_t page)
{
    uint64_t first = first_child(kin, page);
    size_t count = kin->pages[page].children_end - first;

    return (struct kinship_list){count ? kin->children + first : NULL, count};
}

/* ---- keeping ---- */

void kinship_save(const struct kinship *kin, struct buf *out)
{
    const uint64_t sizes[] = {kin->nurls, kin->npages, kin->nchildren, kin->nwords, kin->ntokens};

    array_put(out, sizes, sizeof sizes);
    array_put(out, kin->urls, kin->nurls * sizeof *kin->urls);
    array_put(out, kin->pages, kin->npages * sizeof *kin->pages);
    array_put(out, kin->children, kin->nchildren * sizeof *kin->children);
    array_put(out, kin->words, kin->nwords * sizeof *kin->words);
    array_put(out, kin->tokens, kin->ntokens * sizeof *kin->tokens);
}

static bool all_below(const uint32_t *items, size_t count, size_t limit)
{
    for (size_t i = 0; i < count; i++)
        if (items[i] >= limit)
            return false;
    return true;
}

static bool is_sound_url(const struct kinship *kin, const struct kinship_url *url)
{
    return url->nparents <= KINSHIP_PARENTS && url->ntokens <= KINSHIP_TOKENS && url->page <= kin->npages &&
           url->relevant <= url->linking && isfinite(url->words_worth) && isfinite(url->tokens_worth) &&
           isfinite(url->parents_worth) && isfinite(url->words_share) && isfinite(url->priority) &&
           url->good_siblings <= url->siblings && (size_t)url->tokens + url->ntokens <= kin->ntokens &&
           all_below(url->parents, url->nparents, kin->npages);
}

static bool are_sound_pages(const struct kinship *kin)
{
    uint64_t child = 0, word = 0;

    for (size_t p = 0; p < kin->npages; p++) {
        const struct kinship_page *page = &kin->pages[p];

        if (page->id >= kin->nurls || page->relevant > 1 || !isfinite(page->worth) || page->children_end < child || page->words_end < word ||
            page->children_end - child > KINSHIP_CHILDREN || page->words_end - word > KINSHIP_WORDS ||
            (uint64_t)page->good + page->bad > page->children_end - child)
            return false;
        child = page->children_end;
        word = page->words_end;
    }
    return child == kin->nchildren && word == kin->nwords;
}

/* Nothing leads out of the arrays, whatever was read. */
static bool is_sound(const struct kinship *kin, size_t words, size_t tokens)
{
    for (size_t i = 0; i < kin->nurls; i++)
        if (!is_sound_url(kin, &kin->urls[i]))
            return false;
    return are_sound_pages(kin) && all_below(kin->children, kin->nchildren, kin->nurls) &&
           all_below(kin->words, kin->nwords, words) && all_below(kin->tokens, kin->ntokens, tokens);
}

static bool fits(const uint64_t *sizes, size_t len)
{
    for (int i = 0; i < 5; i++)
        if (sizes[i] > UINT32_MAX)
            return false;
    return sizes[0] * sizeof(struct kinship_url) + sizes[1] * sizeof(struct kinship_page) +
               (sizes[2] + sizes[3] + sizes[4]) * sizeof(uint32_t) <=
           len;
}

bool kinship_load(struct kinship *kin, struct str *rest, size_t words, size_t tokens)
{
    uint64_t sizes[5];

    if (!array_get(rest, sizes, sizeof sizes) || !fits(sizes, rest->len))
        return false;
    kinship_release(kin);
    *kin = (struct kinship){
        .nurls = sizes[0], .npages = sizes[1], .nchildren = sizes[2], .nwords = sizes[3], .ntokens = sizes[4],
        .urls_room = sizes[0], .pages_room = sizes[1], .children_room = sizes[2], .words_room = sizes[3],
        .tokens_room = sizes[4],
    };
    kin->urls = array_take(rest, kin->nurls, sizeof *kin->urls);
    kin->pages = array_take(rest, kin->npages, sizeof *kin->pages);
    kin->children = array_take(rest, kin->nchildren, sizeof *kin->children);
    kin->words = array_take(rest, kin->nwords, sizeof *kin->words);
    kin->tokens = array_take(rest, kin->ntokens, sizeof *kin->tokens);
    for (size_t i = 0; i < kin->nurls; i++)
        kin->urls[i].round = 0;
    for (size_t i = 0; i < kin->npages; i++)
        kin->pages[i].worth_at = 0;
    return is_sound(kin, words, tokens);
}

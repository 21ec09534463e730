/* linkmap - the links of examined pages as learning strategies need them: who links to a URL, and how many of the
 * visited URLs that share a linking page (its siblings) are relevant?
 *
 * Bounds: 256 children and 32 words a page (4 bytes each, and 40), 8 parents and 16 URL tokens a URL (80 bytes, and 4 a
 * token). Where there are more, the first ones are kept; in-linking pages are counted beyond the eighth. A page and a
 * URL that it has no room for, or that has none for it, are not related: so both always tell the same.
 * The visited siblings of a candidate are counted as they come, at most 8 * 256 steps a page.
 * Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_LINKMAP_H
#define SCENT_STRATEGY_LINKMAP_H

#include "base/bytes.h"

enum { LINKMAP_CHILDREN = 256, LINKMAP_WORDS = 32, LINKMAP_PARENTS = 8, LINKMAP_TOKENS = 16 };

struct linkmap_url {
    uint32_t parents[LINKMAP_PARENTS]; /* numbers of pages */
    uint32_t linking, relevant;        /* pages that link to it, relevant ones among them, until it is examined */
    uint32_t page;                     /* its own number + 1; 0: not examined */
    uint32_t tokens;                   /* where they begin in `tokens` */
    uint32_t round;
    float words_log, tokens_log;       /* the strategy's: what they said when they were last looked at, */
    float parents_log, words_share;    /* with what its parents said then, and how much of that it gets; */
    float priority;                    /* the last one that it got */
    uint16_t siblings, relevant_siblings; /* visited ones and relevant ones among them, until it is examined */
    uint16_t nparents, ntokens;
};

struct linkmap_page {
    uint64_t children_end, words_end; /* they begin where those of the page before end */
    double words_log;                 /* the strategy's: what its words say, at the moment `words_at` */
    uint32_t words_at, id;
    uint16_t nrelevant, nothers;      /* its first children are examined and relevant, the next ones examined and not */
    uint32_t relevant;
};

struct linkmap {
    struct linkmap_url *urls; /* by id */
    struct linkmap_page *pages;
    uint32_t *children; /* ids */
    uint32_t *words;    /* numbers of features */
    uint32_t *tokens;   /* numbers of features */
    size_t nurls, npages, nchildren, nwords, ntokens;
    size_t urls_room, pages_room, children_room, words_room, tokens_room;
    uint32_t now;
};

struct linkmap_list {
    const uint32_t *items;
    size_t count;
};

void linkmap_release(struct linkmap *map);
/* The URL `id`, known from now on; until the next call. */
struct linkmap_url *linkmap_know(struct linkmap *map, uint32_t id);
/* NULL: no examined page named it, and it is none itself. */
static inline struct linkmap_url *linkmap_url(const struct linkmap *map, uint32_t id)
{
    return id < map->nurls ? &map->urls[id] : NULL;
}
static inline bool linkmap_is_relevant(const struct linkmap *map, const struct linkmap_url *url) /* an examined one */
{
    return url->page && map->pages[url->page - 1].relevant;
}

/* It was examined. Its candidate siblings have one more visited sibling; the first `room` of them are listed, and
 * their number is returned. */
size_t linkmap_add_page(struct linkmap *map, uint32_t id, bool relevant, uint32_t *siblings, size_t room);
/* To the page that was added last. */
void linkmap_add_child(struct linkmap *map, uint32_t id); /* an examined `id` gets no new parent */
void linkmap_count_siblings(struct linkmap *map); /* of its children, once all of them are there */
void linkmap_add_word(struct linkmap *map, uint32_t word);
void linkmap_add_tokens(struct linkmap *map, uint32_t id, const uint32_t *tokens, size_t count); /* it has none yet */

struct linkmap_list linkmap_children(const struct linkmap *map, uint32_t page);
static inline struct linkmap_list linkmap_words(const struct linkmap *map, uint32_t page)
{
    uint64_t first = page ? map->pages[page - 1].words_end : 0;
    size_t count = map->pages[page].words_end - first;

    return (struct linkmap_list){count ? map->words + first : NULL, count};
}
static inline struct linkmap_list linkmap_tokens(const struct linkmap *map, const struct linkmap_url *url)
{
    return (struct linkmap_list){url->ntokens ? map->tokens + url->tokens : NULL, url->ntokens};
}

/* A set of URLs at a time: after linkmap_begin() linkmap_first() is true once for each. */
void linkmap_begin(struct linkmap *map);
bool linkmap_first(struct linkmap *map, uint32_t id);

void linkmap_save(const struct linkmap *map, struct buf *out);
/* Its words and tokens are below the limits; what is wrong is noted in `in`. */
void linkmap_load(struct linkmap *map, struct bytes *in, size_t words, size_t tokens);

#endif

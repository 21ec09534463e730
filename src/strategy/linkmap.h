/* linkmap - the links of examined pages as learning strategies need them: who links to a URL, and how many of the
 * visited URLs that share a linking page (its siblings) are relevant?
 *
 * Bounds: 256 children and 32 words a page (4 bytes each, and 40), 8 parents and 16 URL tokens a URL (84 bytes, and 4 a
 * token); with `all` every child, word and parent is kept (8 bytes a further parent), as the paper has it. Where a page
 * has more children, the first ones are listed and the others counted: all have it as a parent, and the same visited
 * siblings there. Where a URL has more parents, the first ones are kept and the others counted as linking pages: those
 * it has no siblings by. The visited siblings of a listed candidate are counted as they come, at most 8 * 256 steps a
 * page. One that its only parent does not list has the counts of that page. One with several parents, not listed by
 * some, is counted when it is looked at exactly (linkmap_recount()); there a sibling that is not listed counts once for
 * each parent. Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_LINKMAP_H
#define SCENT_STRATEGY_LINKMAP_H

#include "base/bytes.h"

enum { LINKMAP_CHILDREN = 256, LINKMAP_WORDS = 32, LINKMAP_PARENTS = 8, LINKMAP_TOKENS = 16 };
enum { LINKMAP_AS_PAGE = UINT16_MAX }; /* the siblings of a URL are those that its only parent counts */

struct linkmap_url {
    uint32_t parents[LINKMAP_PARENTS]; /* numbers of pages */
    uint32_t linking, relevant;        /* pages that link to it, relevant ones among them, until it is examined */
    uint32_t page;                     /* its own number + 1; 0: not examined */
    uint32_t tokens;                   /* where they begin in `tokens` */
    uint32_t more;                     /* its further parents: the last of them in `more`, + 1 */
    uint32_t round;
    float words_log, tokens_log;       /* the strategy's: what they said when they were last looked at, */
    float parents_log, words_share;    /* with what its parents said then, and how much of that it gets; */
    float priority;                    /* the last one that it got */
    uint16_t siblings, relevant_siblings; /* as they were counted, LINKMAP_AS_PAGE: ask linkmap_siblings() */
    uint8_t nparents, unlisted;           /* unlisted: by so many of them */
    uint16_t ntokens;
};

struct linkmap_page {
    uint64_t children_end, words_end; /* they begin where those of the page before end */
    double words_log;                 /* the strategy's: what its words say, at the moment `words_at` */
    uint32_t words_at, id;
    uint16_t nrelevant, nothers;      /* its first children are examined and relevant, the next ones examined and not */
    uint32_t relevant : 1;
    uint32_t more_relevant : 15, more_others : 16; /* the same of children that are not listed */
};

struct linkmap {
    struct linkmap_url *urls; /* by id */
    struct linkmap_page *pages;
    uint32_t *children; /* ids */
    uint32_t *words;    /* numbers of features */
    uint32_t *tokens;   /* numbers of features */
    struct linkmap_more {
        uint32_t page, next; /* next: + 1; 0: the end */
    } *more; /* parents beyond those that a URL has room for */
    size_t nurls, npages, nchildren, nwords, ntokens, nmore;
    size_t urls_room, pages_room, children_room, words_room, tokens_room, more_room;
    uint32_t now;
    bool all; /* nothing is bounded; set before the first page is added */
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
void linkmap_count_siblings(struct linkmap *map); /* of its listed children, once all of them are there */
void linkmap_add_word(struct linkmap *map, uint32_t word);
void linkmap_add_tokens(struct linkmap *map, uint32_t id, const uint32_t *tokens, size_t count); /* it has none yet */

/* Visited URLs that share a parent with it, and the relevant ones among them; until it is examined. */
struct linkmap_siblings {
    uint32_t visited, relevant;
};
/* Of a child that the page does not list. */
struct linkmap_siblings linkmap_siblings_of_page(const struct linkmap_page *page);
static inline struct linkmap_siblings linkmap_siblings(const struct linkmap *map, const struct linkmap_url *url)
{
    if (url->siblings == LINKMAP_AS_PAGE)
        return linkmap_siblings_of_page(&map->pages[url->parents[0]]);
    return (struct linkmap_siblings){url->siblings, url->relevant_siblings};
}
/* Counts them anew, where they may have changed unnoticed. */
void linkmap_count_anew(struct linkmap *map, struct linkmap_url *url);
static inline void linkmap_recount(struct linkmap *map, struct linkmap_url *url)
{
    if (url->unlisted && url->nparents > 1)
        linkmap_count_anew(map, url);
}

/* The kept pages that link to a URL, one after the other: begin with {.url = url}. False: that was the last. */
struct linkmap_walk {
    const struct linkmap_url *url;
    uint32_t done, more;
};
static inline bool linkmap_next_parent(const struct linkmap *map, struct linkmap_walk *walk, uint32_t *page)
{
    if (walk->done < walk->url->nparents) {
        *page = walk->url->parents[walk->done++];
        walk->more = walk->url->more;
        return true;
    }
    if (!walk->more)
        return false;
    *page = map->more[walk->more - 1].page;
    walk->more = map->more[walk->more - 1].next;
    return true;
}

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
/* Its words and tokens are below the limits; what is wrong is noted in `in`. `older`: as it was written before there
 * were further parents. */
void linkmap_load(struct linkmap *map, struct bytes *in, size_t words, size_t tokens, bool older);

#endif

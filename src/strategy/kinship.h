/* kinship - who links to a URL, and whom else do they link to? What is kept of examined pages and of the URLs they
 * name, for strategies that learn from parents and siblings.
 *
 * Bounds: 256 children and 32 words a page (4 bytes each, and 40), 8 parents and 16 URL tokens a URL (80 bytes, and 4 a
 * token). Where there are more, the first ones are kept; in-linking pages are counted beyond the eighth. A page and a
 * URL that it has no room for, or that has none for it, are no kin: so both always tell the same.
 * The visited siblings of a candidate are counted as they come, at most 8 * 256 steps a page.
 * Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_KINSHIP_H
#define SCENT_STRATEGY_KINSHIP_H

#include "base/buf.h"
#include "base/status.h"

enum { KINSHIP_CHILDREN = 256, KINSHIP_WORDS = 32, KINSHIP_PARENTS = 8, KINSHIP_TOKENS = 16 };

struct kinship_url {
    uint32_t parents[KINSHIP_PARENTS]; /* numbers of pages */
    uint32_t linking, relevant;        /* pages that link to it, relevant ones among them, until it is examined */
    uint32_t page;                     /* its own number + 1; 0: not examined */
    uint32_t tokens;                   /* where they begin in `tokens` */
    uint32_t round;
    float words_worth, tokens_worth;   /* the strategy's: what they said when they were last looked at, */
    float parents_worth, words_share;  /* with what its parents said then, and how much of that it gets; */
    float priority;                    /* the last one that it got */
    uint16_t siblings, good_siblings;  /* visited ones and relevant ones among them, until it is examined */
    uint16_t nparents, ntokens;
};

struct kinship_page {
    uint64_t children_end, words_end; /* they begin where those of the page before end */
    double worth;                     /* the strategy's: what its words say, at the moment `worth_at` */
    uint32_t worth_at, id;
    uint16_t good, bad;               /* its first children are examined and relevant, the next ones examined and not */
    uint32_t relevant;
};

struct kinship {
    struct kinship_url *urls; /* by id */
    struct kinship_page *pages;
    uint32_t *children; /* ids */
    uint32_t *words;    /* numbers of facts */
    uint32_t *tokens;   /* numbers of facts */
    size_t nurls, npages, nchildren, nwords, ntokens;
    size_t urls_room, pages_room, children_room, words_room, tokens_room;
    uint32_t now;
};

struct kinship_list {
    const uint32_t *items;
    size_t count;
};

void kinship_release(struct kinship *kin);
/* The URL `id`, known from now on; until the next call. */
struct kinship_url *kinship_know(struct kinship *kin, uint32_t id);
/* NULL: no examined page named it, and it is none itself. */
static inline struct kinship_url *kinship_url(const struct kinship *kin, uint32_t id)
{
    return id < kin->nurls ? &kin->urls[id] : NULL;
}
bool kinship_is_relevant(const struct kinship *kin, const struct kinship_url *url); /* of an examined one */

/* It was examined. Its candidate siblings have one more visited sibling; the first `room` of them are listed, and
 * their number is returned. */
size_t kinship_add_page(struct kinship *kin, uint32_t id, bool relevant, uint32_t *siblings, size_t room);
/* To the page that was added last. */
void kinship_add_child(struct kinship *kin, uint32_t id); /* an examined `id` gets no new parent */
void kinship_count_siblings(struct kinship *kin); /* of its children, once all of them are there */
void kinship_add_word(struct kinship *kin, uint32_t word);
void kinship_add_tokens(struct kinship *kin, uint32_t id, const uint32_t *tokens, size_t count); /* it has none yet */

struct kinship_list kinship_children(const struct kinship *kin, uint32_t page);
static inline struct kinship_list kinship_words(const struct kinship *kin, uint32_t page)
{
    uint64_t first = page ? kin->pages[page - 1].words_end : 0;
    size_t count = kin->pages[page].words_end - first;

    return (struct kinship_list){count ? kin->words + first : NULL, count};
}
static inline struct kinship_list kinship_tokens(const struct kinship *kin, const struct kinship_url *url)
{
    return (struct kinship_list){url->ntokens ? kin->tokens + url->tokens : NULL, url->ntokens};
}

/* A set of URLs at a time: after kinship_begin() kinship_first() is true once for each. */
void kinship_begin(struct kinship *kin);
bool kinship_first(struct kinship *kin, uint32_t id);

void kinship_save(const struct kinship *kin, struct buf *out);
/* Takes it off the front of *rest; its words and tokens are below the limits. False: damaged. */
SCENT_NODISCARD bool kinship_load(struct kinship *kin, struct str *rest, size_t words, size_t tokens);

#endif

/* kinship - who links to a URL, and whom else do they link to? What is kept of examined pages and of the URLs they
 * name, for strategies that learn from parents and siblings.
 *
 * Bounds: 256 children and 64 words a page (4 bytes each, and 24), 8 parents and 16 URL tokens a URL (56 bytes, and 4 a
 * token). Where there are more, the first ones are kept; in-linking pages are counted beyond the eighth.
 * Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_KINSHIP_H
#define SCENT_STRATEGY_KINSHIP_H

#include "base/buf.h"
#include "base/status.h"

enum { KINSHIP_CHILDREN = 256, KINSHIP_WORDS = 64, KINSHIP_PARENTS = 8, KINSHIP_TOKENS = 16 };

struct kinship_url {
    uint32_t parents[KINSHIP_PARENTS]; /* numbers of pages */
    uint32_t linking, relevant;        /* pages that link to it, relevant ones among them, until it is examined */
    uint32_t page;                     /* its own number + 1; 0: not examined */
    uint32_t tokens;                   /* where they begin in `tokens` */
    uint32_t round;
    uint16_t nparents, ntokens;
};

struct kinship_page {
    uint64_t children_end, words_end; /* they begin where those of the page before end */
    uint32_t id, relevant;
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
struct kinship_url *kinship_url(const struct kinship *kin, uint32_t id);
bool kinship_is_relevant(const struct kinship *kin, const struct kinship_url *url); /* of an examined one */

void kinship_add_page(struct kinship *kin, uint32_t id, bool relevant);
/* To the page that was added last. */
void kinship_add_child(struct kinship *kin, uint32_t id); /* an examined `id` gets no new parent */
void kinship_add_word(struct kinship *kin, uint32_t word);
/* To a URL that has none yet, or got the last one. */
void kinship_add_token(struct kinship *kin, uint32_t id, uint32_t token);

struct kinship_list kinship_children(const struct kinship *kin, uint32_t page);
struct kinship_list kinship_words(const struct kinship *kin, uint32_t page);
struct kinship_list kinship_tokens(const struct kinship *kin, const struct kinship_url *url);

/* A set of URLs at a time: after kinship_begin() kinship_first() is true once for each. */
void kinship_begin(struct kinship *kin);
bool kinship_first(struct kinship *kin, uint32_t id);

void kinship_save(const struct kinship *kin, struct buf *out);
/* Takes it off the front of *rest; its words and tokens are below the limits. False: damaged. */
SCENT_NODISCARD bool kinship_load(struct kinship *kin, struct str *rest, size_t words, size_t tokens);

#endif

/* seed_pool - addresses that might be seeds: gathered, joined, judged by their words, and put in order.
 *
 * An address that comes more than once is one candidate with all its evidence. What is known of most of them is a
 * title, so that, beside the words of the address itself, is what the topic's judge is shown; where a whole page is at
 * hand it is judged. Titles and addresses come from outside: they are capped, and printed as text.
 * At most SEED_POOL_MAX candidates, some 300 bytes each. One thread. */
#ifndef SCENT_APP_SEED_POOL_H
#define SCENT_APP_SEED_POOL_H

#include "app/workspace.h"
#include "page/page.h"

enum { SEED_POOL_MAX = 500000 };

enum seed_source { SEED_LISTED, SEED_BOOKMARK, SEED_VISITED, SEED_CRAWLED, SEED_ARCHIVED, SEED_LINKED, SEED_FOUND };

struct seed_offer {
    struct str url, title, text; /* text: more about it, such as an excerpt; both may be empty */
    const struct page *page;     /* the page itself, analysed; NULL: not at hand */
    enum seed_source source;
    double weight; /* evidence: 1 for one that was named */
};

struct seed_pool_options {
    const struct topic *topic; /* its scope is respected, and it is what the judge judges; NULL: neither */
    const struct judge *judge; /* NULL: nothing is said about relevance */
    bool allow_private;        /* hosts of the local network are taken, too */
    uint32_t per_host;         /* proposed, at most; 0: any number */
    bool all;                  /* those without a word of the topic, too */
};

struct seed_pool;
struct seed_pool *seed_pool_new(const struct seed_pool_options *options); /* never NULL; the options outlive it */
void seed_pool_free(struct seed_pool *pool);

/* What cannot be a seed is counted. SCENT_E_LIMIT: the pool is full. */
SCENT_NODISCARD scent_status seed_pool_add(struct seed_pool *pool, const struct seed_offer *offer, struct errmsg *err);

enum seed_form { SEED_YAML, SEED_LIST, SEED_JSON };
/* The best `count`, in order. Returns how many there were. */
size_t seed_pool_write(struct seed_pool *pool, size_t count, enum seed_form form, struct buf *out);
/* What was left out, and why, a line each. */
void seed_pool_report(const struct seed_pool *pool, const struct log *log);

#endif

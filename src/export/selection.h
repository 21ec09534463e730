/* selection - which rows of a crawl an export takes.
 *
 * A page is taken when it is part of the collection (counted, not noindex) and fits all that is asked for. Where
 * records are exported, four kinds of other rows come along, so that the pages can be found and read in the archive:
 * copies of a page that fits (revisit records), the page that a copy refers to, the redirects by which a page was
 * found, and what pages need to look as they did (requisites, and what these need). Without any condition every record
 * comes but those of noindex pages.
 *
 * Near copies: simhashes of the content within 3 of 64 bits (page/simhash.h); the page that came first is kept. Pages
 * with fewer than 64 words that are not stop words have none and always count as different.
 * Made in one pass over the page rows; 16 bytes a row, 36 a requisite, 16 a need of one. Thread: that of the store. */
#ifndef SCENT_EXPORT_SELECTION_H
#define SCENT_EXPORT_SELECTION_H

#include "store/store.h"

struct selection_options {
    bool relevant;
    double min_score;         /* 0: any */
    const char *const *langs; /* "en"; none: any */
    const char *const *hosts; /* patterns such as "*.org"; none: any */
    size_t nlangs, nhosts;
    bool unique; /* without near copies */
};

/* What the selections of several directories share, so that they are one collection. */
struct selection_shared {
    struct several *several;       /* pages that were taken */
    size_t directories;            /* so far: the number of the one that is met, from 1 on */
    struct duplicates *duplicates; /* near copies; NULL: they are taken too */
    uint64_t equal;                /* pages that another directory has, and that were left out */
};

struct selection;
void selection_shared_init(struct selection_shared *shared, const struct selection_options *options);
void selection_shared_release(struct selection_shared *shared);
SCENT_NODISCARD scent_status selection_make(struct store *store, const struct selection_options *options,
                                            struct selection_shared *shared, struct selection **out,
                                            struct errmsg *err);
void selection_free(struct selection *selection); /* NULL is fine */

bool selection_has_page(const struct selection *selection, uint64_t number);
bool selection_has_record(const struct selection *selection, uint64_t number); /* the page itself, or it comes along */
bool selection_is_all(const struct selection *selection);                      /* nothing was asked for */
uint64_t selection_copies(const struct selection *selection);                  /* near copies that were left out */

#endif

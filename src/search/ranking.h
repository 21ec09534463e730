/* ranking - the best pages for a request.
 *
 * BM25F (Robertson, Zaragoza and Taylor 2004): how often a word stands in the title, the URL and the content is
 * weighted and normalised by the length of each field before it saturates, then weighted by how rare the word is. How
 * rare it is comes from the first pages that have it, so that it costs next to nothing. A word that stands on most
 * pages is not searched for where the others are rarer. What is kept is the best RANKING_KEPT pages; the title decides
 * further (ranking_title()). Thread: that of the index. */
#ifndef SCENT_SEARCH_RANKING_H
#define SCENT_SEARCH_RANKING_H

#include "search/request.h"
#include "store/fulltext.h"

enum { RANKING_KEPT = 1000 };

struct ranked {
    uint64_t page;
    double score;
};

/* Is this page part of what was asked for? Asked only for pages that are good enough. */
typedef bool ranking_accept(void *ctx, uint64_t page);

struct ranking_result {
    struct ranked pages[RANKING_KEPT]; /* the best first */
    size_t count;
    uint64_t matches; /* pages with the words, whether accepted or not; an estimate where they are many */
    bool any;         /* no page has all of the words: some have some */
    bool cut;         /* the time was over: there may be better pages */
    double weights[REQUEST_GROUPS]; /* how rare the words of a group are; 0: not searched for */
};

/* At most `keep` pages. After `deadline` (clock_mono) it ends with what it has. */
SCENT_NODISCARD scent_status ranking_run(struct fulltext *index, const struct request *request, size_t keep,
                                         int64_t deadline, ranking_accept *accept, void *ctx,
                                         struct ranking_result *out, struct errmsg *err);

/* By how much the score of a page with this title is multiplied: 1 or more. */
double ranking_title(const struct request *request, struct str title);

#endif

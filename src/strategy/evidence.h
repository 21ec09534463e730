/* evidence - what a crawl knows of the URLs that its pages link to, as numbers that a learner can weigh.
 *
 * A page is an example of what was known of it before it was fetched: what the words around the links to it say, how
 * relevant the pages are that link to it, and how often links like these have led to relevant pages: links of the same
 * page, of the same place in a page or in the pages of a host, with the same anchor, to the same directory or shape of
 * URL, with the same words. A page counts with a number from 0 to 1, which is its verdict or an estimate.
 *
 * Sums over the links to a URL are kept with it; what its newest IN_LINKS parents know by now is looked up. Of several
 * links from one page to one URL the one whose window of 40 words says most counts. Context values are compared with
 * those of the whole crawl, since probabilities of different models and topics mean different things.
 *
 * State: 124 bytes a URL and 4 for each of its words (16 at most), 12 more where there is knowledge from before the
 * crawl; 44 a page, 4 for each of its links (4,096 at most) and 20 for each place in which links stand (64 at most).
 * These arrays grow by half, so that a third of them may be empty, and while one grows its old room is there, too.
 * Beside them: 32 bytes for each link of the page at hand and 1 KiB for its words, the counts (tally.h: 8 MiB, 16 and
 * more where those of other crawls are recalled), link_odds.h and advice.h.
 * Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_EVIDENCE_H
#define SCENT_STRATEGY_EVIDENCE_H

#include "strategy/advice.h"
#include "strategy/link_odds.h"
#include "strategy/tally.h"

enum evidence_feature {
    EVIDENCE_BIAS,
    EVIDENCE_CONTEXTS, /* the best and the mean of each of the four */
    EVIDENCE_ANCHOR_BEST = EVIDENCE_CONTEXTS + 2 * LINK_ANCHOR,
    EVIDENCE_PARENT_BEST = EVIDENCE_CONTEXTS + 2 * LINK_CONTEXTS,
    EVIDENCE_PARENT_MEAN,
    EVIDENCE_RELEVANT, /* ln(1 + m): m of the k linking pages, as they count */
    EVIDENCE_OTHERS,   /* ln(1 + k - m) */
    EVIDENCE_SHARE,    /* m/k */
    EVIDENCE_LINKING,  /* ln k */
    EVIDENCE_NEWEST,   /* how much the newest parent counts */
    EVIDENCE_HOPS,     /* from the nearest relevant page, a quarter */
    EVIDENCE_SAME_HOST,
    EVIDENCE_SIBLINGS_BEST, /* what the visited children of a parent say */
    EVIDENCE_SIBLINGS_MEAN,
    EVIDENCE_CHILDREN_BEST, /* the same with those that were known before the parent */
    EVIDENCE_CHILDREN_MEAN,
    EVIDENCE_VISITED,       /* ln(1 + visited children of a parent)/3 */
    EVIDENCE_PLACE_BEST,    /* visited children in the same place of a parent */
    EVIDENCE_PLACE_MEAN,
    EVIDENCE_TEMPLATE_BEST, /* links in such a place of the pages of a host */
    EVIDENCE_TEMPLATE_MEAN,
    EVIDENCE_POSITION,      /* the least: link number/links */
    EVIDENCE_ANCHOR,
    EVIDENCE_HOST,
    EVIDENCE_DIRECTORY,     /* beyond what its host says */
    EVIDENCE_SHAPE,
    EVIDENCE_ANCHOR_WORDS,
    EVIDENCE_WINDOW_WORDS,
    EVIDENCE_URL_WORDS,
    EVIDENCE_RULES,    /* the best of the linking pages, by what is known from before the crawl (advice.h) */
    EVIDENCE_BROWSING,
    EVIDENCE_USERS,    /* people who looked at it: what else they looked at, */
    EVIDENCE_SESSIONS, /* and what in the same session */
    EVIDENCE_FEATURES
};
extern const char *const evidence_names[EVIDENCE_FEATURES]; /* as in a file of priors */

enum { EVIDENCE_IN_LINKS = 8, EVIDENCE_WORDS = 16, EVIDENCE_HOPS_MOST = 8, EVIDENCE_NONE = UINT32_MAX };
enum { EVIDENCE_LOGS = 256 };
/* Words of the content of a page that count: those with the least hashes, a sample that is the same everywhere. */
enum { EVIDENCE_PAGE_WORDS = 256 };
#define EVIDENCE_WORD_PULL 4 /* pages that draw the share of a word to that of the crawl */
enum evidence_key { EVIDENCE_KEY_HOST, EVIDENCE_KEY_DIRECTORY, EVIDENCE_KEY_SHAPE, EVIDENCE_KEY_ANCHOR, EVIDENCE_KEYS };

struct evidence_url {
    float best[LINK_CONTEXTS], sum[LINK_CONTEXTS];
    float parent_best, parent_sum;
    float relevant;                   /* m */
    float position;
    float priority;                   /* the strategy's */
    uint32_t linking;                 /* k */
    uint32_t page;                    /* its own number + 1; 0: not examined */
    uint32_t keys[EVIDENCE_KEYS];
    uint32_t words;                   /* where they begin */
    uint32_t in_links[EVIDENCE_IN_LINKS]; /* places; a ring */
    uint32_t mark;                    /* its number among the links of the page at hand; beyond, the strategy's */
    uint16_t same_host;
    uint8_t hops, newest;             /* newest: number of the next in-link, modulo their room */
    uint8_t nwords[3];                /* of anchor, window, URL */
    uint8_t read_again;               /* links that the present models have read again, + 1, 255 at most; 0: no need */
};

struct evidence_page {
    uint32_t id;
    float counts;                  /* y */
    float odds;                    /* of the page by the judge, a third */
    float visited, visited_counts; /* children that were fetched after it */
    float known, known_counts;     /* and before it */
    float visited_says, all_say;
    uint32_t children_end;         /* they begin where those of the page before end */
    uint8_t hops;
};

/* Where links stand in a page: the same chain of elements. */
struct evidence_place {
    uint32_t page, key; /* key: of such places on the host */
    float visited, counts, says;
};

/* Values of one kind in this crawl. */
struct evidence_scale {
    double count, sum, squares;
};

struct evidence {
    struct link_odds odds;
    struct advice advice;
    struct tally tally;
    struct evidence_url *urls; /* by id */
    struct evidence_page *pages;
    struct evidence_place *places;
    uint32_t *children; /* ids */
    uint32_t *words;    /* keys */
    size_t nurls, npages, nplaces, nchildren, nwords;
    size_t urls_room, pages_room, places_room, children_room, words_room;
    struct evidence_advised {
        float best[ADVICE_KINDS]; /* of its parents */
        uint32_t accessed;        /* the page of the trace + 1; 0: none */
    } *knowledge;   /* from before the crawl, by id; NULL: there is none */
    size_t knowledge_room;
    struct evidence_scale contexts[LINK_CONTEXTS], judged, advised[ADVICE_KINDS];
    float context_means[LINK_CONTEXTS], context_by[LINK_CONTEXTS]; /* by: 1/standard deviation */
    struct evidence_measure {
        float mean, by;
    } judged_by, advised_by[ADVICE_KINDS]; /* the same, of pages */
    double counted, relevant; /* pages that were found, and what they count together; */
    double recalled_counted, recalled_relevant; /* those of other crawls */
    struct tally_base base;
    float logs[EVIDENCE_LOGS]; /* of whole numbers */
    struct evidence_link {
        uint32_t target, place;
        float odds[LINK_CONTEXTS];
        float position;
        bool same_host;
    } *links;       /* of the page at hand, one a target */
    size_t nlinks, links_room;
    const struct page *read_page; /* whose words these are: of the visit with this number */
    uint64_t read_number;
    uint32_t npage_words, page_words[EVIDENCE_PAGE_WORDS]; /* keys */
};

SCENT_NODISCARD scent_status evidence_init(struct evidence *evidence, const struct strategy_context *context,
                                           struct errmsg *err);
void evidence_release(struct evidence *evidence);

/* NULL: no page links to it, and it is none itself. */
static inline struct evidence_url *evidence_url(const struct evidence *evidence, uint32_t id)
{
    struct evidence_url *url = id < evidence->nurls ? &evidence->urls[id] : NULL;

    return url && (url->linking || url->page) ? url : NULL;
}
static inline bool evidence_is_candidate(const struct evidence_url *url)
{
    return url->linking && !url->page;
}

/* Does the page at hand link to it? */
static inline bool evidence_is_link(const struct evidence *evidence, uint32_t id)
{
    uint32_t mark = evidence->urls[id].mark;

    return mark < evidence->nlinks && evidence->links[mark].target == id;
}

/* All features of a URL as of now. */
void evidence_weigh(const struct evidence *evidence, const struct evidence_url *url, float x[EVIDENCE_FEATURES]);
/* The same of a link of a page that is not observed, to a URL that is not known. */
void evidence_weigh_link(struct evidence *evidence, const struct strategy_visit *visit, uint32_t link,
                         float x[EVIDENCE_FEATURES]);

/* How far the judge's odds of a page lie above those of the crawl's pages, in standard deviations, from -3 to 3. */
float evidence_place_judged(const struct evidence *evidence, float odds);
/* What the words of the page say beside the crawl: a sum of log odds of those that other pages had, too, over the root
 * of their number, so that long pages do not say more. */
float evidence_words(struct evidence *evidence, const struct strategy_visit *visit);
/* Its words were those of a page that counts `counts`. */
void evidence_count_words(struct evidence *evidence, const struct strategy_visit *visit, float counts);
/* The page was examined and counts `counts`: its parents, places, words and so on learn it. Then its links are added
 * (evidence->links). Not for a page that was added before. */
void evidence_add(struct evidence *evidence, const struct strategy_visit *visit, float counts);
/* Other models read links from now on. What the old ones said of the links to a candidate is replaced as its links are
 * read again, one after the other, with the pages that they stand in; those that never are keep what they said. The
 * scales stay: they are drawn to the new models by the pages that come. */
void evidence_adopt(struct evidence *evidence, const struct knowledge *knowledge);
/* A link of a page that was added before models changed. False: it was added after that, or leads to no candidate. */
bool evidence_read_again(struct evidence *evidence, const struct strategy_visit *visit, uint32_t link);
/* At most `room` candidates that share a parent with the page that was added last. */
size_t evidence_siblings(const struct evidence *evidence, uint32_t *ids, size_t room);

/* The newest in-link first; EVIDENCE_NONE: there are no more. */
static inline uint32_t evidence_in_link(const struct evidence_url *url, uint32_t i)
{
    uint32_t kept = url->linking < EVIDENCE_IN_LINKS ? url->linking : EVIDENCE_IN_LINKS;

    return i < kept ? url->in_links[(url->newest + EVIDENCE_IN_LINKS - 1 - i) % EVIDENCE_IN_LINKS] : EVIDENCE_NONE;
}

/* What follows from counts and sums, after these have changed. */
void evidence_renew(struct evidence *evidence);

void evidence_save(struct evidence *evidence, struct buf *out);
/* To the end of `in`, where what is wrong is noted. */
SCENT_NODISCARD scent_status evidence_load(struct evidence *evidence, struct bytes *in, struct errmsg *err);
/* The counts by hosts, directories, anchors, words and so on, for other crawls; as tally_recall(). After it, and before
 * anything else is asked or added, evidence_settle(). */
void evidence_learned(const struct evidence *evidence, struct buf *out);
void evidence_recall(struct evidence *evidence, struct bytes *in, double weight);
void evidence_settle(struct evidence *evidence);

#endif

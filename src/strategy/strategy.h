/* strategy - in which order? All strategies stand behind this interface.
 *
 * A strategy sees examined pages and gives every link a priority. It never touches the network, the
 * database or the clock; its randomness comes from the seed it is opened with. So a strategy is a function
 * of what it was shown, and the same crawl can be repeated, resumed and compared.
 * Thread: the engine's; calls never overlap. docs/internals/strategy-interface.md tells how each strategy of
 * STRATEGIES uses it; tests/contract holds every one to it.
 *
 * For each examined page the engine calls, in this order:
 *   observe, once, unless it is a copy of an examined page, or was examined before and has changed;
 *   score, for each link in document order;  merge, where the target is queued already;
 *   propose, until there is nothing to propose, each time proposed;  stale and rescore, until nothing is stale.
 * When nothing can be taken and nothing is on its way: propose, as the last chance, until there is nothing to propose;
 * and so again while that brings something and nothing of it can be taken.
 * After load, and after the pages since were observed again: stale and rescore, before anything is taken. */
#ifndef SCENT_STRATEGY_STRATEGY_H
#define SCENT_STRATEGY_STRATEGY_H

#include "base/buf.h"
#include "base/status.h"
#include "page/page_graph.h"
#include "topic/judge.h"
#include "topic/topic.h"

enum { STRATEGY_OWN_BYTES = 16, STRATEGY_PARTS = 9 };
#define STRATEGY_UNKNOWN UINT32_MAX

/* What a strategy thinks of a URL. */
struct strategy_score {
    float priority; /* larger is fetched earlier; equal ones in the order in which they were found */
    bool drop;      /* do not fetch (hard focus, fish at the end of its depth) */
    uint8_t own[STRATEGY_OWN_BYTES]; /* kept with the candidate, for when it is visited, linked again or re-scored */
    uint8_t nparts;
    struct strategy_part {
        const char *name; /* static */
        double value;
        const char *counted; /* static: what the counts are of, as in "9 of 15 visited siblings are relevant" */
        uint32_t count, of;  /* what the value was made from; both 0: from no counts */
        float weight;        /* value * weight is the part's share in the priority; 0: it is no sum of shares */
        bool is_log;         /* the value is the logarithm of a ratio, which people want to see */
    } parts[STRATEGY_PARTS]; /* what the priority is made of, for `scent why`; unset fields stay 0 */
};

/* An examined page. Everything is valid during the call only. */
struct strategy_visit {
    uint64_t number;           /* 1, 2, …: pages examined so far, this one included */
    uint32_t id;               /* of its URL */
    const struct page *page;
    const struct judgement *judgement;
    const uint32_t *targets;   /* the URL id of page->links[i]; STRATEGY_UNKNOWN: not known, and not scored */
    uint32_t depth;
    bool seed;
    float priority;            /* with which it was chosen */
    const uint8_t *own;        /* the bytes that were kept with it */
};

/* A candidate that comes from elsewhere than links. */
struct strategy_proposal {
    struct str url;
    struct strategy_score score;
};

/* stale() answers this for "all candidates". */
#define STRATEGY_ALL SIZE_MAX

struct strategy_context {
    const struct topic *topic;
    const struct knowledge *knowledge; /* NULL for strategy_open: nothing was learned; the others get it filled in */
    uint64_t seed; /* for randomness */
    const struct strategy_ops *ops; /* filled in for open(): what is being opened */
};

/* What is known of the web before the crawl: pages, and which of them are examples of the topic. */
struct strategy_known {
    const struct page_graph *graph;
    const uint32_t *examples; /* pages of the graph */
    size_t nexamples;
};

/* An option of a strategy, for `scent strategies`, for checking topic files and for reading them
 * (strategy/option.h). */
struct strategy_option {
    const char *name, *fallback, *help;
    const char *printed; /* its value with preset: paper, where that differs from the default */
    enum { STRATEGY_TEXT, STRATEGY_NUMBER, STRATEGY_WHOLE, STRATEGY_CHOICE, STRATEGY_EITHER, STRATEGY_PRESET } kind;
    const char *const *words; /* of a choice, ends with NULL */
    double min, max;          /* of a number */
    size_t offset;            /* of the value in the strategy's state */
};

struct strategy_ops {
    const char *name, *summary, *paper;
    const struct strategy_option *options; /* ends with a NULL name; NULL: none */
    bool takes_any_option; /* options beside these are its own to check */
    unsigned wants; /* enum judge_wants: what it reads of a judgement beyond verdict and score */
    /* Accesses of people (knowledge->trace) and interclass rules (->rules): does it read them? Where it needs them,
     * they are there when it is opened, or open() says how to get them. */
    enum { STRATEGY_IGNORES, STRATEGY_WELCOMES, STRATEGY_NEEDS } trace, rules;
    /* Optional: turns the options of a model into those that the paper prints; NULL: it says nothing of a model. */
    void (*paper_model)(struct model_options *options);
    float threshold;   /* the default of the option of this name; 0: none */
    const char *idle_threshold; /* why thresholds take nearly all candidates or end a crawl at its seeds, for people;
                                   NULL: some divide them */
    uint32_t paper_leaf; /* and the least examples of a leaf of the taxonomy; 0: it says nothing of them */
    uint8_t own_bytes; /* how many of the bytes that are kept with a candidate it uses; the others stay 0 */

    /* Optional, for strategies that learn from a link graph before the crawl: appends what they learned. open() finds
     * it in knowledge->studied, and a crawl keeps it, so that it resumes without the graph. The bytes begin as
     * saved_begin_learned() writes them. SCENT_E_INVALID: there is nothing to learn from; the message says why. Such
     * strategies have the option `graph` (known_pages.h). */
    scent_status (*study)(const struct strategy_context *context, const struct strategy_known *known, struct buf *out,
                          struct errmsg *err);

    /* Options were checked against `options` by strategy_open; values are checked here. Both NULL: no state. */
    scent_status (*open)(const struct strategy_context *context, void **state, struct errmsg *err);
    void (*close)(void *state);

    void (*observe)(void *state, const struct strategy_visit *visit); /* optional */
    void (*score)(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out);

    /* A queued URL is linked again, or one that links named and that was not queued is proposed: *score comes in as the
     * new link's or the proposal's and goes out as what is kept.
     * NULL: the larger priority and its own bytes win. */
    void (*merge)(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score);

    /* Fills `ids` with candidates whose score may have changed and returns how many (called again while it fills
     * `room`), or STRATEGY_ALL. NULL: scores never drift. */
    size_t (*stale)(void *state, uint32_t *ids, size_t room);
    /* *score comes in as kept. False: unchanged. */
    bool (*rescore)(void *state, uint32_t id, struct strategy_score *score);
    /* Optional, for scores that drift: what rescore would say of this URL now, with its parts; *score comes in as kept.
     * False: nothing is known of it beyond that. */
    bool (*explain)(void *state, uint32_t id, struct strategy_score *score);

    /* Optional: people have taught the models of `knowledge`, which it goes by from now on. True: a link has one score
     * by page, judgement and models, however often it is asked for, so that links may be scored again as if their pages
     * came now. */
    bool (*adopt)(void *state, const struct knowledge *knowledge);

    /* Optional; false: none for now, which a strategy that has very many says now and then, so that they are kept in
     * parts. nothing_left: the crawl ends if there is none. */
    bool (*propose)(void *state, bool nothing_left, struct strategy_proposal *out);
    /* Optional: the last proposal is the URL `id`; not queued: a rule is against it, or it was visited before. Not
     * called where it was no URL. */
    void (*proposed)(void *state, uint32_t id, bool queued);

    /* Optional: why the workers of one crawl cannot divide its URLs among them, for people; whatever its options are,
     * or with those that it has. NULL: they can: links carry all that is needed, or what a worker sees will do. */
    const char *whole_graph;
    const char *(*undivided)(void *state);

    /* How many candidates are taken at once before any of their links is ranked; NULL or 0: no batches. */
    uint32_t (*batch)(void *state);

    /* The state as a blob that begins with its version; both or neither. NULL: there is none to keep. */
    scent_status (*save)(void *state, struct buf *out);
    scent_status (*load)(void *state, struct str blob, struct errmsg *err); /* into a freshly opened state */

    /* What it learned, for other crawls; both or neither, and only with save and load. NULL: nothing that would mean
     * anything there.
     *
     * `learned` appends its counts, and with them those that it recalled itself, by keys that are the same in every
     * crawl: hashes of stems, of URL tokens, of users; never ids of URLs, never anything that `key` or `seed` changes.
     * The blob begins as saved_begin_learned() writes it: a version, and the options that change what the counts mean.
     * `recall` adds `weight` (at most 1; 0 only looks at it) times the counts of such a blob, before the first page is
     * observed or between two pages, and as often as there are blobs: two of them teach the sum of both. A weight of -1
     * takes away a blob that was recalled with 1: together they leave no trace in what `learned` writes, whatever was
     * recalled or observed in between (strategy/saved.h). So the workers of one crawl learn from each other: each
     * forgets the old counts of the others, tells its own, and recalls the new ones of the others; then `stale` and
     * `rescore`. A state that recalled nothing stays exactly what it was without this. What was recalled is part of
     * what `save` writes: after `load` it is not recalled again. A blob that is damaged, of another version or of other
     * options is refused, and nothing of it is added. */
    scent_status (*learned)(void *state, struct buf *out);
    scent_status (*recall)(void *state, struct str blob, double weight, struct errmsg *err);
};

/* study as the interface defines it, of the strategy that `topic` names, with its options checked; it has that
 * function. */
SCENT_NODISCARD scent_status strategy_study(const struct strategy_context *context, const struct strategy_known *known,
                                            struct buf *out, struct errmsg *err);

/* NULL after the last. */
const struct strategy_ops *strategy_at(size_t i);
const struct strategy_ops *strategy_find(struct str name);

/* With `preset: paper` among `options` the model becomes that of the paper, where it says something of one. The caller
 * asks before the model is trained, and only where the user has not named a model. */
void strategy_preset_model(const struct strategy_ops *ops, const struct topic_option *options, size_t count,
                           struct model_options *model);
/* The same of the taxonomy's leaves: how many examples the paper asks for; 0: nothing is asked. */
uint32_t strategy_preset_leaf(const struct strategy_ops *ops, const struct topic_option *options, size_t count);

/* Options that every strategy takes and none has to know: they are seen to here and by who asks the strategy. */
extern const struct strategy_option strategy_common_options[];

struct strategy {
    const struct strategy_ops *ops;
    void *state;
    float threshold; /* candidates of a smaller priority are not taken (ExpandList of Aggarwal); -INFINITY: all are */
};
/* Opens what `topic` names. SCENT_E_INVALID: no such strategy or option (the message lists what there is); then *out is
 * none, which may be closed. */
SCENT_NODISCARD scent_status strategy_open(const struct strategy_context *context, struct strategy *out,
                                           struct errmsg *err);
/* The same for a strategy that is given directly. */
SCENT_NODISCARD scent_status strategy_open_ops(const struct strategy_ops *ops, const struct strategy_context *context,
                                               struct strategy *out, struct errmsg *err);
void strategy_close(struct strategy *strategy);

/* adopt of strategies that keep no model: what people have taught comes with judgements. */
bool strategy_adopt_judgements(void *state, const struct knowledge *knowledge);

/* undivided as the interface defines it. */
const char *strategy_undivided(const struct strategy *strategy);

/* merge as the interface defines it, the default included. */
void strategy_merge(const struct strategy *strategy, uint32_t id, const struct strategy_score *kept,
                    struct strategy_score *score);

#endif

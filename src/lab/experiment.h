/* experiment - what `scent lab run` is told: the file, read and checked. docs/guide/lab.md explains it to users.
 *
 * Plain data in one arena, immutable after loading. Every error names the file, the line and the fix. */
#ifndef SCENT_LAB_EXPERIMENT_H
#define SCENT_LAB_EXPERIMENT_H

#include "base/arena.h"
#include "base/status.h"
#include "lab/readers.h"
#include "learn/model.h"
#include "topic/topic.h"
#include "trace/browse.h"

/* A topic that the file names itself, with what it gives; what it does not give is drawn. */
struct experiment_topic {
    struct str name, category;
    struct str *categories; /* all that belong to it; the first is `category` */
    size_t ncategories;
    struct str keyword; /* relevant pages contain it, too; empty: any */
    struct str query, relevant; /* empty: the experiment's, if it has one */
    struct str *seeds, *negatives; /* URLs */
    size_t nseeds, nnegatives;
    int line;
};

/* What a model that guides a crawl is, and what it learns from. */
struct experiment_model {
    struct model_options options;
    bool backlinks; /* the words around links to the examples instead of the examples themselves */
    bool taxonomy;  /* all categories of the labels, from the training pages (trial_model.h) */
    bool positive_only;  /* the negatives of the trial are not known to it */
    uint32_t background; /* pages of the collection, drawn whatever they are: weak examples */
    uint32_t general;    /* pages about nothing in particular: the same */
    uint32_t walks; /* rules are counted along so many random walks; 0: from the links of the examples */
    struct browse_features browsing; /* of the model of browsing, beside the text */
};

/* A border in a trace: a moment, or the time before which this share of the accesses lies. */
struct experiment_border {
    enum { BORDER_NONE, BORDER_TIME, BORDER_SHARE } kind;
    int64_t time;
    double share;
};

/* Who looked at what: the part of one or several logs that a crawl may know. */
struct experiment_traces {
    struct str *files; /* paths of access logs and of what `scent trace import` makes of them */
    size_t nfiles;           /* 0: there is no trace, or it is simulated */
    struct str base;         /* the site of logs that have paths only; empty: none */
    struct experiment_border from, until;
    struct readers_wish simulated; /* instead of files */
    int line;
};

/* A crawl before the crawl: the strategy begins with what that one learned. */
struct experiment_reuse {
    bool wanted;
    bool same_seeds; /* false: other pages of the topic, drawn anew */
    uint32_t budget;
    double weight;   /* of what was learned: 1 as if it had been seen in this crawl */
    struct experiment_traces traces;
};

struct experiment_strategy {
    struct str label;   /* how reports call it; unique */
    struct str name;    /* of the strategy */
    struct topic_option *options;
    size_t noptions;
    struct experiment_model model; /* that guides it */
    struct experiment_traces traces;
    struct experiment_reuse reuse;
    uint32_t best_of; /* so many sets of seeds; the crawl with the best harvest counts */
    uint32_t workers;  /* that divide the collection; 1: nobody does */
    bool shares;       /* their counts are summed */
    uint32_t exchange; /* after so many pages of each worker */
    int line;
};

/* What is relevant: what the measures count. */
enum experiment_relevance { RELEVANT_BY_LABEL, RELEVANT_BY_COMMITTEE, RELEVANT_BY_QUERY, RELEVANT_BY_BROWSING };
/* What a strategy is told about a page that it fetched. */
enum experiment_judge { JUDGED_BY_MODEL, JUDGED_BY_LABEL, JUDGED_BY_PROGRAM };

/* Whose browsing is learned from before a trial (trial_session.h). */
struct experiment_sessions {
    enum { SESSIONS_NONE, SESSIONS_OF_WALKS, SESSIONS_OF_USERS } kind;
    uint32_t walks, steps; /* of a simulated person */
    bool at_seeds;         /* where she begins; false: anywhere */
    double wander;         /* the share of her clicks that lead anywhere */
    struct experiment_traces traces;
    uint32_t interest;     /* pages of the topic that a user has seen, at least */
    double held_out;       /* share of the users */
    uint32_t pages;        /* that the others have visited, at most */
    uint32_t clusters;     /* K, of the model */
    double gamma;          /* RELEVANT_BY_BROWSING: the least cosine to a useful page */
    int line;
};

/* Where seeds are drawn from: all pages of the topic, or its core (trial.h). */
enum experiment_seeding { SEEDS_FROM_TOPIC, SEEDS_FROM_CORE };

struct experiment {
    struct arena arena;
    struct str name;
    struct str file, source; /* its name and text */
    struct experiment_traces traces; /* of strategies that name none */
    struct str collection, labels; /* paths, relative ones resolved against the file; labels may be empty */
    uint32_t max_pages;
    struct str *exclude; /* globs of URLs that the collection shall not have */
    size_t nexclude;
    uint64_t page_bytes; /* of a page only so many bytes and links are read; 0: all */
    uint32_t page_links;
    enum topic_content content; /* all, as the papers read pages */
    struct experiment_topic *topics; /* empty: by level and size */
    size_t ntopics;
    unsigned level;
    size_t min_pages, max_topics;
    struct str *keywords; /* of the rule: a topic is a category together with one of them; none: the category */
    size_t nkeywords;
    uint32_t seeds, negatives, repeats;
    bool examples; /* seeds and negatives are examples of the topic; false: crawls have no model */
    struct experiment_training {
        uint32_t positives, negatives; /* pages that models learn from beside the seeds; 0: seeds and `negatives` */
        double other_topics;           /* share of the negatives that are positives of other topics; not the others */
        double share;                  /* of a topic's pages, at most, are positives */
    } training;
    bool random_topics; /* the `max` topics of the rule are drawn; false: the first ones */
    enum experiment_seeding seeding;
    uint32_t hubs; /* pages that link to several seeds, as seeds beside them; at most so many */
    uint32_t budget;
    uint32_t *points; /* ascending, the last is at most the budget */
    size_t npoints;
    uint64_t seed;
    enum experiment_relevance relevance;
    struct topic_judge program; /* of JUDGED_BY_PROGRAM */
    enum experiment_judge judge;
    bool committee; /* harvest by the committee is measured too */
    bool similarity; /* the maximum average similarity, too */
    struct experiment_sessions sessions;
    bool trains_on_labels; /* a model learns from the labels: its training pages are no targets */
    struct experiment_taxonomy {
        uint32_t levels;   /* deeper categories count as their ancestor of this level; 0: as deep as they are */
        uint32_t min_leaf; /* smaller leaves go into their parent; 0: inner categories are classes, too */
        double share;      /* of the training pages */
    } taxonomy;
    bool disjoint; /* no page is a seed in two repeats */
    struct str query;    /* an InQuery query for all topics that have none of their own; empty */
    double belief;       /* RELEVANT_BY_QUERY: what the query believes in more than this */
    struct str relevant; /* the predicate that the judge applies; empty: the topic file's default */
    struct experiment_model model; /* of strategies that name none */
    uint32_t workers;              /* the same */
    struct experiment_strategy *strategies;
    size_t nstrategies;
    size_t baseline; /* what the others are compared with */
    struct experiment_fusion {
        size_t *members;
        size_t count;
        unsigned by; /* enum measure_fusion */
    } *fusions;
    size_t nfusions;
};

SCENT_NODISCARD scent_status experiment_load(const char *path, struct experiment **out, struct errmsg *err);
/* `name` stands for the file in messages, and its folder for that of relative paths. */
SCENT_NODISCARD scent_status experiment_parse(struct str text, const char *name, struct experiment **out,
                                              struct errmsg *err);
void experiment_free(struct experiment *experiment); /* NULL is fine */

/* The key `model`: fields of struct experiment_model. */
struct conf_table;
extern const struct conf_table experiment_model_table;

/* Is this a training page, from which a model of the categories learns? The same for all topics. */
bool experiment_trains_on(const struct experiment *experiment, struct str url);
/* Do they learn the same from the same? */
bool experiment_same_model(const struct experiment_model *a, const struct experiment_model *b);

#endif

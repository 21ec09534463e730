/* topic - what the user wants: the topic file, read and checked.
 *
 * Everything is plain data in one arena. It changes only before a crawl begins, where the command line says otherwise
 * than the file; what programs learn for it is in a struct knowledge. Any thread may read it. Every error names the
 * file, the line and the fix. Formats: docs/guide/topic-file.md. */
#ifndef SCENT_TOPIC_TOPIC_H
#define SCENT_TOPIC_TOPIC_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/status.h"
#include "base/str.h"
#include "learn/model.h"
#include "url/url.h"

/* May a URL be crawled? The cheap questions, asked before a URL is queued. Pure.
 * A pattern without "/" is matched against the host ("*.org"), one with "/" against the URL without its scheme
 * ("example.org/a/…"). `*` is any run, `?` one character; ASCII case is ignored. */
struct scope {
    const struct str *include, *exclude, *types;
    size_t ninclude, nexclude, ntypes;
    uint32_t hops_off_domain; /* UINT32_MAX: no limit */
};

/* Excluded beats included; without include patterns every URL is included. */
enum scope_verdict { SCOPE_IN, SCOPE_NOT_INCLUDED, SCOPE_EXCLUDED };
enum scope_verdict scope_check(const struct scope *scope, const struct url *url);
const char *scope_verdict_text(enum scope_verdict verdict);
/* text/html and application/xhtml+xml by default; patterns are globs. An absent type passes; parameters are ignored. */
bool scope_wants_type(const struct scope *scope, struct str mime);

struct predicate;
struct query;

struct topic_limits {
    uint64_t pages;                /* 0: no limit */
    int64_t time_us;               /* 0: no limit */
    uint32_t depth;                /* 20 */
    uint64_t page_bytes;           /* 2 MiB */
    uint64_t per_host, per_domain; /* pages; 0: no limit */
    uint32_t per_pattern;          /* URLs of one shape (numbers left out) on a host: 2,000; 0: no limit */
    uint64_t urls_per_domain;      /* known URLs of a domain, and 500 for each of its pages: 100,000; 0: no limit */
    uint64_t min_free_disk;        /* 1 GiB */
    uint64_t body_memory;          /* for all bodies that are being received: 256 MiB */
    uint64_t text_memory;          /* for the texts of queued URLs that are on disk too: 16 MiB */
};

struct topic_politeness {
    int64_t delay_us;      /* 1 s */
    uint32_t per_host;     /* connections to a host at once: 1 */
    uint32_t per_domain;   /* and to a registered domain: 4, or per_host where that is more */
    uint32_t per_ip;       /* and to an IP address: 8 */
    struct str user_agent; /* "scent/0.1" without contact by default */
    struct str operator;   /* who crawls, for the WARC files; empty: not told */
    uint32_t retries;      /* of a failed fetch: 2 */
    int64_t connect_timeout_us, timeout_us; /* until a connection is there, of a whole fetch: 10 s, 60 s */
    bool ignore_page_robots;  /* false: meta robots and X-Robots-Tag are obeyed */
    bool ignore_rel_nofollow; /* false: links with rel nofollow, ugc or sponsored are not followed */
};

/* How the network is reached. Empty: not asked for. Nothing in here is secret; the files are not read yet. */
struct topic_network {
    struct str proxy;           /* to all hosts: "socks5://127.0.0.1:1080" */
    struct str onion;           /* to .onion hosts: "127.0.0.1:9050" */
    struct str cookies, logins; /* paths, from where we are */
};

/* Commands that are told of pages while a crawl runs; empty: none. */
struct topic_hooks {
    struct str on_page, on_relevant;
};

/* A judge of the user's own (external.h). Its program is not looked for yet. */
struct topic_judge {
    const struct str *command; /* the program and its arguments */
    size_t ncommand;           /* 0: there is none, or … */
    struct str plugin;         /* … a shared library (plugin.h), as the file names it; empty: none */
    struct str version;        /* of what the program knows beside its files; empty: not told */
    uint32_t batch;            /* pages that it may be asked at once: 16 */
    int64_t timeout_us;        /* without an answer: 30 s */
    struct str place;          /* "topic.yaml:7: judge", terminated: for messages */
};

/* The crawl is one of several workers, which tell each other links through a PostgreSQL server. */
struct topic_cluster {
    struct str join;  /* its URI; terminated; empty: the command line may have one */
    struct str name;  /* of the crawl on the server; empty: the topic's */
    uint32_t parts;   /* 256 */
    uint32_t workers; /* so many must be there before it begins: 1 */
    int64_t lease_us; /* a worker that is not heard of for so long has gone: 120 s */
    int64_t turn_us;  /* between two exchanges: 1 s */
};

/* Of a topic file, and of a list of seeds. */
enum { TOPIC_MAX_BYTES = 16 << 20, TOPIC_SEEDS_MAX_BYTES = 32 << 20 };

/* When a page is fetched again. */
enum topic_recrawl_policy {
    TOPIC_RECRAWL_NONE,
    TOPIC_RECRAWL_FIXED,   /* after `interval` */
    TOPIC_RECRAWL_ADAPTIVE /* about as often as it changes, within min and max; `interval` is the first guess */
};

struct topic_recrawl {
    enum topic_recrawl_policy policy; /* none */
    int64_t interval_us;              /* 7 d */
    int64_t min_us, max_us;           /* 1 h, 90 d */
    bool wait;                        /* a crawl without links waits for the next visit instead of ending */
};

/* For which pages the files are fetched that they need to look as they did: stylesheets, images, scripts, fonts. */
enum topic_requisites_of { TOPIC_REQUISITES_NONE, TOPIC_REQUISITES_RELEVANT, TOPIC_REQUISITES_ALL };

struct topic_requisites {
    enum topic_requisites_of of; /* none */
    uint64_t bytes;              /* of one: 10 MiB; larger ones are left out */
    uint64_t total_bytes;        /* of all in the crawl; 0: no limit */
    uint32_t count;              /* that a document names: 500; others are left out */
};

struct topic_option {
    struct str key, value;
};

/* What the topic is taught with: paths, and URLs among the examples. Paths are terminated and as seen from here:
 * relative ones lie beside the topic file. Whether they exist is for `examples` to say. */
struct topic_examples {
    const struct str *positive, *negative;
    const struct str *background; /* where negatives are drawn from when none are given */
    size_t npositive, nnegative, nbackground;
    double ratio; /* negatives drawn for each positive example: 2 */
};
struct topic_taxonomy {
    struct str file;           /* empty: none */
    struct str collection;     /* the archive with its pages; empty: they are fetched */
    const struct str *targets; /* the wanted categories, dotted */
    size_t ntargets;
    uint32_t min_leaf;  /* smaller leaves go into their parent; 0: they stay */
    uint32_t leaf_if_allowed; /* where that is 0: the same, or as many as the smallest target has; 0: none */
    uint32_t levels;    /* deeper categories count as their ancestor; 0: as deep as they are */
    uint32_t per_class; /* examples of a category: at most 500 */
};

/* A file that tells who looked at which page, as the topic names it. */
struct topic_trace {
    struct str file;  /* terminated; as seen from here */
    struct str base;  /* the site of a log that has paths only; empty: it has URLs */
    struct str place; /* "topic.yaml:7: traces", terminated: for messages */
};

/* A crawl that teaches this one. */
struct topic_reuse {
    struct str from; /* its directory, or a file of what it learned; terminated, as seen from here */
    double weight;   /* of its evidence: above 0, at most 1 */
};

/* What the model of a topic learns, and so which tests of a predicate can be asked. */
enum topic_classes {
    TOPIC_NO_MODEL,   /* there are no examples */
    TOPIC_TWO_CLASSES, /* TOPIC_NEGATIVE and TOPIC_POSITIVE: classifier() */
    TOPIC_CATEGORIES  /* those of the taxonomy: category("…"), and classifier() for the sum of the targets */
};
#define TOPIC_NEGATIVE "negative" /* class 0 */
#define TOPIC_POSITIVE "positive" /* class 1 */

/* What of a page is read: by the judge, as an example, to tell near copies. Link contexts are taken from all of it. */
enum topic_content { TOPIC_CONTENT_MAIN, TOPIC_CONTENT_ALL };

/* Of the WARC files. */
enum topic_compression { TOPIC_GZIP, TOPIC_ZSTD };

struct topic {
    struct str name;
    struct str source; /* the text of the file, kept with the crawl */
    struct url *seeds; /* normalised, without duplicates, in order */
    size_t nseeds;
    struct scope scope;
    struct topic_limits limits;
    struct topic_politeness politeness;
    struct topic_network network; /* the key `ways` */
    struct topic_recrawl recrawl;
    struct topic_hooks hooks;
    struct topic_requisites requisites;
    struct topic_cluster cluster;
    struct str strategy;
    const struct topic_option *options; /* of the strategy */
    size_t noptions;
    const char *chosen; /* why this strategy, where the user named none; or NULL */
    uint32_t window;     /* 0: as many as politeness allows */
    uint64_t seed;       /* of the random numbers; 0: drawn */
    bool sitemaps;       /* false: those that robots.txt names are not read */
    bool strip_tracking; /* true: parameters that only follow people, and session ids */
    enum topic_content content; /* main */
    enum topic_compression compression; /* gzip */
    struct str relevant; /* the predicate's text; its default depends on what the topic has */
    bool relevant_given; /* false: it is that default */
    const struct predicate *predicate;
    struct topic_examples examples;
    struct topic_taxonomy taxonomy;
    struct model_options model; /* svm; bayes for a taxonomy */
    bool model_given;           /* by the key `model`: a preset of the strategy leaves it alone */
    bool learns_backlinks;      /* from the words around links to the examples, on pages of `graph` */
    struct str graph;           /* pages that are known before the crawl: a crawl directory or archives; empty: none */
    uint32_t hubs;              /* so many pages of `graph` that link to several seeds are seeds, too */
    struct str rules_file;      /* of interclass rules, from where we are; empty: not given */
    const struct query *query;    /* NULL: none */
    const struct topic_trace *traces;
    size_t ntraces;
    struct str browsing_file; /* terminated, as seen from here; empty: none */
    struct topic_judge judge;
    struct str browsing_place; /* "topic.yaml:7: browsing", terminated: for messages */
    const struct topic_reuse *reuse;
    size_t nreuse;
    struct arena arena;
};

SCENT_NODISCARD scent_status topic_load(const char *path, struct topic **out, struct errmsg *err);
SCENT_NODISCARD scent_status topic_parse(struct str text, const char *name, struct topic **out, struct errmsg *err);
void topic_free(struct topic *topic); /* NULL is fine; no judge of it may be left */

/* A topic without a file: topic_new(), members that differ from the defaults of a file, topic_complete(). */
struct topic *topic_new(struct str name); /* copied */
/* Gives it a query and a predicate; empty: none, and what is relevant is told by what the topic has. A topic that names
 * no strategy gets the default. */
SCENT_NODISCARD scent_status topic_complete(struct topic *topic, struct str query, struct str relevant,
                                            struct errmsg *err);

/* The key `judge`, which the files of experiments have, too. */
struct conf_table;
extern const struct conf_table topic_judge_table;

/* What is relevant, where the file does not say it; empty: it does. */
static inline struct str topic_default_relevant(const struct topic *topic)
{
    return topic->relevant_given ? STR_NONE : topic->relevant;
}

/* Does it name a judge of the user's own? */
static inline bool topic_has_judge(const struct topic *topic)
{
    return topic->judge.ncommand || topic->judge.plugin.len;
}

enum topic_classes topic_classes(const struct topic *topic);

/* How URLs of this topic are normalised: enum url_normal_flags. */
unsigned topic_url_flags(const struct topic *topic);

/* Does the user agent name an address to write to? A crawl of other people's servers needs one. */
bool topic_has_contact(const struct topic *topic);

/* A seed as somebody wrote it: its normal form, in the arena. SCENT_E_INVALID: it is not a URL, has a password in it,
 * or lies outside the scope; `why` says so. */
SCENT_NODISCARD scent_status topic_read_seed(const struct topic *topic, struct str text, struct arena *arena,
                                             struct url *out, struct errmsg *why);
/* Adds seeds from a list, one URL a line, "#" comments and blank lines skipped. A bad line is named with its number
 * ("seeds.txt:9731: 'htp:/x' is not an http or https URL") and nothing is added. A seed outside the
 * scope is such a line too. */
SCENT_NODISCARD scent_status topic_add_seeds(struct topic *topic, struct str list, const char *name,
                                             struct errmsg *err);
/* The strategy of a topic that names none: docs/guide/choosing-a-strategy.md has the measurements. */
#define TOPIC_DEFAULT_STRATEGY "adaptive"
/* "best-first" or "fish:width=5,depth=4" replaces the file's strategy; "default" is the one above.
 * Whether a strategy exists is the strategy module's to say. */
SCENT_NODISCARD scent_status topic_set_strategy(struct topic *topic, struct str spec, struct errmsg *err);
/* As a command line gives it: "fish:width=5,depth=4". */
void topic_write_strategy(const struct topic *topic, struct buf *out);
/* "winter.crawl" or "winter.crawl:0.5" each, seen from here: they replace the file's key `reuse`. */
SCENT_NODISCARD scent_status topic_set_reuse(struct topic *topic, const char *const *specs, size_t count,
                                             struct errmsg *err);

/* A commented topic file for `scent init`, with what is known already; empty texts are not. */
struct topic_draft {
    struct str name;
    const struct str *seeds; /* URLs */
    size_t nseeds;
    struct str positive, negative, background; /* paths */
    struct str taxonomy, target;               /* either a taxonomy, or positive examples, or neither */
    struct str contact;                        /* of whoever crawls: a mail address, or that of a page */
};
/* SCENT_E_INVALID: the name is empty, or a text has control characters. */
SCENT_NODISCARD scent_status topic_write_draft(const struct topic_draft *draft, struct buf *out);

#endif

/* scent_plugin.h - judges and strategies as shared libraries that scent loads.
 *
 *     judge: {plugin: ./mine.so}          in a topic file: the library has scent_judge_plugin()
 *     strategy: {plugin: ./mine.so}       it has scent_strategy_plugin()
 *
 * Each function returns a table that lives as long as the library is loaded. Calls to one state never overlap, but they
 * may come from different threads. Everything that a call is given is valid during the call only. Texts are UTF-8,
 * not terminated. A plug-in has all that scent has: it may crash it, and it must not write to standard output.
 *
 * The ABI: members are only ever added at the end of a struct. A plug-in sets `abi` to SCENT_PLUGIN_ABI and `size` to
 * the sizeof of the table that it was compiled with; scent does the same with `size` of what it hands over, so that
 * either side can be the older one. docs/internals/libscent.md tells more. */
#ifndef SCENT_PLUGIN_H
#define SCENT_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCENT_PLUGIN_ABI 1

struct scent_text {
    const char *bytes;
    size_t length;
};

struct scent_link {
    struct scent_text url;    /* absolute, normalised */
    struct scent_text anchor; /* its text */
    struct scent_text around; /* the paragraph, item or row that it stands in */
    uint32_t id;              /* of the URL in this crawl; UINT32_MAX: it cannot be queued, and is not scored */
};

struct scent_page {
    uint32_t size;      /* of this struct */
    uint32_t link_size; /* of a link: links[i] lies i * link_size bytes behind links[0] */
    struct scent_text url, title, lang;
    struct scent_text text; /* a judge is given the content; a strategy all that a reader sees */
    uint32_t depth;
    int32_t is_seed;
    const struct scent_link *links;
    uint32_t link_count;
    int32_t is_relevant; /* the judge's verdict; for strategies alone, … */
    double score;        /* … and its score */
    uint64_t number;     /* 1, 2, …: the pages of this crawl in the order in which they were examined */
    uint32_t id;         /* of its URL */
    const uint8_t *own;  /* the 16 bytes that the strategy kept with its link */
};

/* Options of the topic file: `options` holds key, value, key, value, …, NULL. On failure a function returns NULL (or
 * not 0) and may write a reason for people to `error`. */

struct scent_judge_plugin {
    uint32_t abi, size;
    const char *name;    /* for people */
    const char *version; /* verdicts may change with it */
    void *(*open)(const char *const *options, char *error, size_t room);
    void (*close)(void *state);
    /* Sets *score, from 0 to 1, and may write a reason for people to `why`. It must depend on the page alone. */
    int (*judge)(void *state, const struct scent_page *page, double *score, char *why, size_t room);
};

enum { SCENT_SCORE_OWN = 16, SCENT_SCORE_PARTS = 8 };
struct scent_score {
    uint32_t size; /* of this struct */
    float priority; /* larger is fetched earlier */
    int32_t drop;   /* not 0: the link is not followed */
    uint8_t own[SCENT_SCORE_OWN]; /* comes back as page->own when the link is visited */
    uint32_t part_count;
    struct {
        const char *name; /* static */
        double value, weight;
    } parts[SCENT_SCORE_PARTS]; /* what the priority is made of: `scent why` shows it */
};

typedef void scent_write(void *sink, const void *bytes, size_t length);

struct scent_strategy_plugin {
    uint32_t abi, size;
    const char *name;
    const char *version; /* state that another version saved is not loaded */
    void *(*open)(const char *const *options, uint64_t seed, char *error, size_t room);
    void (*close)(void *state);
    void (*observe)(void *state, const struct scent_page *page); /* an examined page; may be NULL */
    void (*score)(void *state, const struct scent_page *page, uint32_t link, struct scent_score *out);
    /* What it has learned, for when the crawl resumes; both or neither. */
    int (*save)(void *state, scent_write *write, void *sink);
    int (*load)(void *state, const void *bytes, size_t length);
};

/* What a plug-in defines: one of them, or both. */
const struct scent_judge_plugin *scent_judge_plugin(void);
const struct scent_strategy_plugin *scent_strategy_plugin(void);

#ifdef __cplusplus
}
#endif
#endif

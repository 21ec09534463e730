/* scent.h - libscent: scent's analysis, judges, strategies and crawls for other programs.
 *
 *     struct scent *topic = scent_open("hockey.yaml", &error);
 *     struct scent_document *page = scent_analyse(topic, url, "", html, length, &error);
 *     struct scent_verdict verdict = {.size = sizeof verdict};
 *     scent_judge(topic, page, &verdict, &error);
 *
 * A struct scent is a topic file with what was learned for it. Functions that return an int return 0, or -1 and say why
 * in *error (NULL is fine); those that return a pointer return NULL. One struct scent is used by one thread at a time;
 * several may be open. Texts are UTF-8. Compile with `pkg-config --cflags --libs libscent`.
 *
 * The ABI: functions carry the version LIBSCENT_0, and members are only ever added at the end of a struct; set `size`
 * to its sizeof, so that either side can be the older one. */
#ifndef SCENT_H
#define SCENT_H

#include "scent_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

struct scent;
struct scent_document;

struct scent_error {
    char text[1024];
};

const char *scent_version(void); /* "0.1.0" */

/* Reads the topic file, and beside it the model that `scent train` wrote, where the topic has examples. */
struct scent *scent_open(const char *topic_file, struct scent_error *error);
void scent_close(struct scent *scent); /* NULL is fine; after its documents */

/* A page as it came: `headers` are HTTP header lines, and may be "". It is copied. */
struct scent_document *scent_analyse(struct scent *scent, const char *url, const char *headers, const void *body,
                                     size_t length, struct scent_error *error);
void scent_document_free(struct scent_document *document); /* NULL is fine */
/* Its words and links, valid as long as the document; `text` is its content. */
const struct scent_page *scent_document_page(const struct scent_document *document);

struct scent_verdict {
    uint32_t size;
    int32_t is_relevant;
    double score; /* from 0 to 1 */
};
int scent_judge(struct scent *scent, const struct scent_document *document, struct scent_verdict *out,
                struct scent_error *error);
/* The reasons, as lines for people; free() it. */
char *scent_explain(struct scent *scent, const struct scent_document *document, struct scent_error *error);

/* What the topic's strategy thinks of the links, as if the page were the first of a crawl: scores[link_count], with the
 * `size` of the first one set. */
int scent_score_links(struct scent *scent, const struct scent_document *document, struct scent_score *scores,
                      struct scent_error *error);

struct scent_crawled { /* an examined page of a crawl */
    uint32_t size;
    int32_t is_relevant;
    struct scent_text url, title, lang;
    double score, priority;
    uint64_t number;
    uint32_t depth;
    int32_t http_status;
};

struct scent_crawl_options {
    uint32_t size;
    int32_t allow_private; /* loopback and private addresses may be visited */
    const char *directory; /* the crawl directory: a crawl that is there resumes */
    const char *from;      /* WARC files or a generated web instead of the network; NULL */
    uint64_t pages;        /* instead of the topic's limit; 0: as the topic says */
    /* In the thread of scent_crawl(), for each page; not 0: the crawl stops. May be NULL. */
    int (*on_page)(void *context, const struct scent_crawled *page);
    void (*on_message)(void *context, const char *line); /* NULL: messages are not shown */
    void *context;
};

struct scent_crawl_report {
    uint32_t size;
    int32_t can_resume; /* it was stopped before its end */
    uint64_t pages, relevant, failed; /* in all runs of the directory */
};
/* Blocks until the crawl has ended. */
int scent_crawl(struct scent *scent, const struct scent_crawl_options *options, struct scent_crawl_report *out,
                struct scent_error *error);

#ifdef __cplusplus
}
#endif
#endif

/* batch - the bodies of rows of the log: records as bytes, packed with zstd.
 *
 * A body comes from another machine. It is read with bounds: what is cut off, too long or out of range is refused, and
 * nothing of it is used. Pure; a struct http_packer belongs to one thread. */
#ifndef SCENT_CLUSTER_BATCH_H
#define SCENT_CLUSTER_BATCH_H

#include "base/bytes.h"
#include "http/http.h"

enum { BATCH_OWN_BYTES = 16, BATCH_URL_MAX = 8192, BATCH_ERROR_MAX = 255, BATCH_NAME_MAX = 1024, BATCH_QUEUED = 1 };

/* A link into a partition, as the worker has scored it that found it. */
struct batch_link {
    float priority;
    uint16_t depth;
    uint8_t off_domain; /* of the page that it stands on */
    uint8_t redirects;
    bool seed;          /* a seed leads to it */
    uint8_t own[BATCH_OWN_BYTES]; /* the strategy's */
    struct str url;
};

/* Appends it. A priority that is no number becomes 0, one that is not finite the largest. */
void batch_put_link(struct buf *out, const struct batch_link *link);
/* The next one; its URL is a view of what is read. False: there is none, or it is wrong (in->wrong). */
bool batch_get_link(struct bytes *in, struct batch_link *out);

/* ---- state: what the owner of a partition knows of it, each time that it changes ---- */

/* A URL as its row in crawl.db is from now on. */
struct batch_url {
    uint64_t fingerprint; /* by the key of the crawl */
    struct str url;       /* empty: it is known by its fingerprint from an earlier record */
    uint8_t state;        /* the store's number for it; BATCH_QUEUED is one of them */
    float priority;
    uint16_t depth;
    uint8_t off_domain, redirects, tries;
    bool seed;
    uint8_t own[BATCH_OWN_BYTES];
    struct str error; /* cut after BATCH_ERROR_MAX bytes */
};
/* What of a host must survive a move. */
struct batch_host {
    struct str name;
    int64_t delay_us, not_before; /* microseconds; wall clock */
    uint32_t failures;
};
/* A page row that its worker wrote: while this record is not in the log, the page is not in the collection. */
struct batch_page {
    uint64_t number;
    bool counted; /* it is a page of the crawl: not a redirect, an error or a copy */
    bool again;   /* it takes the place of the page that its URL had before */
    bool relevant;
    float score;
    struct str url;
    int64_t wall;
    uint32_t status;
    struct str mime, digest, warc_file; /* cut after BATCH_ERROR_MAX bytes */
    uint64_t warc_offset, warc_length;  /* length 0: it is not archived */
    uint64_t bytes, simhash;
};
/* What is known of the changes of a page, for who visits it again. */
struct batch_revisit {
    uint64_t fingerprint;
    uint32_t visits, changes;
    int64_t first, last, next; /* wall clock */
    bool has_page;             /* a new version has come; else that of the record before stays */
    int64_t wall;
    struct str digest, etag, last_modified; /* cut after BATCH_ERROR_MAX bytes, an etag that is longer is left out */
    uint8_t robots;
    float score;
};
/* The verdict of a page of the same worker has changed since. */
struct batch_verdict {
    uint64_t number;
    bool relevant;
    float score;
};
struct batch_state {
    enum { BATCH_URL = 2, BATCH_HOST, BATCH_PAGE, BATCH_VERDICT, BATCH_REVISIT } kind;
    union {
        struct batch_url url;
        struct batch_host host;
        struct batch_page page;
        struct batch_verdict verdict;
        struct batch_revisit revisit;
    };
};
void batch_put_url(struct buf *out, const struct batch_url *url);
void batch_put_host(struct buf *out, const struct batch_host *host);
void batch_put_page(struct buf *out, const struct batch_page *page);
void batch_put_verdict(struct buf *out, const struct batch_verdict *verdict);
void batch_put_revisit(struct buf *out, const struct batch_revisit *revisit);
/* As batch_get_link(). States are below `states`. */
bool batch_get_state(struct bytes *in, uint8_t states, struct batch_state *out);

/* The body of a row. The packer is http_packer_free()'s. */
struct http_packer *batch_packer_new(void);
SCENT_NODISCARD scent_status batch_pack(struct http_packer *packer, struct str records, struct buf *out);
/* *out is cleared first. SCENT_E_FORMAT: it is none, or unpacks to more than `max` bytes. */
SCENT_NODISCARD scent_status batch_unpack(struct str body, size_t max, struct buf *out);

#endif

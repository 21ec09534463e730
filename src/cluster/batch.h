/* batch - the bodies of rows of the log: records as bytes, packed with zstd.
 *
 * A body comes from another machine. It is read with bounds: what is cut off, too long or out of range is refused, and
 * nothing of it is used. Pure; a struct http_packer belongs to one thread. */
#ifndef SCENT_CLUSTER_BATCH_H
#define SCENT_CLUSTER_BATCH_H

#include "base/bytes.h"
#include "http/http.h"

enum { BATCH_OWN_BYTES = 16, BATCH_URL_MAX = 8192 };

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

/* The body of a row. */
SCENT_NODISCARD scent_status batch_pack(struct http_packer *packer, struct str records, struct buf *out);
/* *out is cleared first. SCENT_E_FORMAT: it is none, or unpacks to more than `max` bytes. */
SCENT_NODISCARD scent_status batch_unpack(struct str body, size_t max, struct buf *out);

#endif

/* rdf - the pages and categories of a DMOZ/ODP dump (content.rdf.u8), as a stream.
 *
 * Not a parser of RDF: it knows the few elements that matter and takes everything else as it comes, because the real
 * dump is not well-formed XML (broken UTF-8, control characters, bare ampersands). Gigabytes go through some KiB: the
 * tokenizer keeps one tag, and we one text and the links of the last topic. About 3 ns a byte.
 *
 *   <Topic r:id="Top/Arts/Movies"> <link r:resource="http://…"/> </Topic>
 *   <ExternalPage about="http://…"> <topic>Top/Arts/Movies</topic> </ExternalPage>
 *
 * Owner: the caller of rdf_new(). Thread: one at a time. */
#ifndef SCENT_TRAINING_RDF_H
#define SCENT_TRAINING_RDF_H

#include "base/status.h"
#include "base/str.h"

enum {
    RDF_MAX_TAG = 64 * 1024,    /* a longer tag is skipped */
    RDF_MAX_TOPIC_LINKS = 65536 /* of one topic are known again when its pages follow; more of them come twice */
};

/* A page and its category as the dump names it ("Top/Arts/Movies"), references resolved; valid during the call. What
 * it returns ends the reading where it is not SCENT_OK. */
typedef scent_status rdf_fn(void *ctx, struct str category, struct str url);

struct rdf;
struct rdf *rdf_new(rdf_fn *found, void *ctx); /* never NULL */
void rdf_free(struct rdf *rdf);                /* NULL is fine */
/* The next bytes, in pieces of any size: how they are cut changes nothing. SCENT_E_NOMEM, or what `found` returned. */
SCENT_NODISCARD scent_status rdf_feed(struct rdf *rdf, struct str piece);

#endif

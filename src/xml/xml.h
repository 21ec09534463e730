/* xml - XML as events: elements, their ends, text. For sitemaps, feeds and large data files.
 *
 * Nothing is loaded and nothing is expanded: document type declarations, comments and processing instructions are
 * dropped, a reference other than a character's number and the five predefined names stays text as it is written
 * ("&nbsp;", and the bare "&" of careless writers too). Text comes in any number of pieces, CDATA among it.
 * A damaged document gives the events that can be had; its first fault is data. Costs about 7 ns a byte, 60 in the
 * worst document that we know, and at most a few MiB. Owner: the caller of xml_new(). Thread: one at a time. */
#ifndef SCENT_XML_XML_H
#define SCENT_XML_XML_H

#include "base/status.h"
#include "base/str.h"

enum {
    XML_MAX_DEPTH = 256,     /* deeper elements, */
    XML_MAX_ATTRS = 256,     /* more attributes of one element, */
    XML_MAX_NAMES = 1 << 20, /* different names of more bytes in all, */
    XML_MAX_TAG = 64 * 1024  /* longer tags: a fault that ends the reading */
};

struct xml_attr {
    struct str prefix, name, ns, value;
};

/* Valid during the call. Names are without prefix; `ns` is the namespace's URI, empty for none or an undeclared
 * prefix. */
struct xml_element {
    struct str prefix, name, ns;
    const struct xml_attr *attrs;
    size_t nattrs;
    unsigned depth; /* 1 for the root */
};

/* Each may be NULL; false ends the reading. */
struct xml_events {
    bool (*start)(void *ctx, const struct xml_element *element);
    bool (*end)(void *ctx, struct str name, unsigned depth);
    bool (*text)(void *ctx, struct str text);
};

struct xml;
struct xml *xml_new(const struct xml_events *events, void *ctx); /* never NULL; `events` must outlive it */
void xml_free(struct xml *xml);                                  /* NULL is fine */

/* The next bytes, in pieces of any size: how they are cut changes no event. SCENT_E_NOMEM and nothing else. */
SCENT_NODISCARD scent_status xml_feed(struct xml *xml, struct str piece);
SCENT_NODISCARD scent_status xml_finish(struct xml *xml); /* there is no more */

bool xml_is_stopped(const struct xml *xml);     /* by an event, or by a fault that ends the reading */
const char *xml_fault(const struct xml *xml);   /* "line 3: …", the first; empty: none */
struct str xml_attr(const struct xml_element *element, const char *name); /* without prefix; STR_NONE when absent */

#endif

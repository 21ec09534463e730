/* markup - HTML as a sequence of events; the only place that knows the HTML parser.
 *
 * Events are balanced: every start has its end, and what is open at the end of the input is closed.
 * Elements nested deeper than MARKUP_DEPTH_MAX end where they start (what they hold goes to their parent), as
 * browsers do, so that a walk up the tree is short and parsing stays linear.
 * Thread: a struct markup belongs to one thread. */
#ifndef SCENT_PAGE_MARKUP_H
#define SCENT_PAGE_MARKUP_H

#include "base/status.h"
#include "page/tag.h"

enum { MARKUP_DEPTH_MAX = 512 };

struct markup_sink {
    /* `attributes`: name, value, name, value, …, NULL; a value may be NULL; the list itself too. */
    void (*start)(void *ctx, enum page_tag tag, const char *const *attributes);
    void (*end)(void *ctx, enum page_tag tag);
    void (*text)(void *ctx, struct str text); /* a leaf may come in pieces; scripts and styles do not come */
    void *ctx;
};

struct markup;
struct markup *markup_new(void); /* never NULL */
void markup_free(struct markup *markup);

/* `utf8` is well-formed and without 0 bytes. *too_deep: the depth was reached. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status markup_parse(struct markup *markup, struct str utf8, const struct markup_sink *sink,
                                          bool *too_deep);

/* The value of an attribute; STR_NONE when absent or without value. */
struct str markup_attribute(const char *const *attributes, const char *name);

#endif

/* request - what somebody searches for, as it was typed, and as an expression for the index.
 *
 *   tide tables          all of the words, in any form that has the same stem
 *   "spring tide"        these words side by side
 *   tid*                 words that begin so
 *   -river               not this word; also -"spring tide", -tid*
 *   host:example.org     of this host, or of one below it
 *   lang:de              in this language
 *   relevant:yes         only pages that the crawl found relevant; relevant:no the others
 *
 * Everything else is a word or separates words: there is no syntax error, whatever comes. A word with something in it
 * that separates ("e-mail", "example.org") is a phrase. Of what is too long the beginning counts.
 * Plain data, about 30 KiB; any thread. */
#ifndef SCENT_SEARCH_REQUEST_H
#define SCENT_SEARCH_REQUEST_H

#include "base/buf.h"
#include "text/text.h"

enum {
    REQUEST_BYTES = 4096,   /* of a query that are looked at */
    REQUEST_GROUPS = 24,
    REQUEST_VARIANTS = 64,  /* in all groups together: the bits of a number */
    REQUEST_TERMS = 48,     /* of a phrase */
    REQUEST_LANGS = 4,
    REQUEST_HOST = 256
};

/* A phrase for the index: terms with blanks between them. */
struct request_variant {
    size_t start, len; /* in `text` */
    uint32_t terms;
    bool is_prefix; /* its last term is the beginning of a word */
    bool is_stem;
};

/* One of its variants must be there; or none. */
struct request_group {
    size_t first, count; /* variants */
    bool negative;
};

struct request {
    struct request_group groups[REQUEST_GROUPS];
    size_t ngroups;
    struct request_variant variants[REQUEST_VARIANTS];
    size_t nvariants;
    char text[2 * REQUEST_BYTES];
    size_t len;
    char host[REQUEST_HOST];       /* "": any; else in lower case */
    size_t host_group;             /* of its words in the URL; REQUEST_GROUPS: none */
    char lang[4];                  /* "": any */
    bool relevant_only, irrelevant_only;
};

struct request_lang {
    char code[4];
};
/* `langs`: those of the pages, whose stems count. */
void request_parse(struct request *request, struct str query, const struct request_lang *langs, size_t nlangs);
struct str request_variant_text(const struct request *request, const struct request_variant *variant);

/* Is there a word that can be searched for? */
bool request_is_empty(const struct request *request);
bool request_has_filter(const struct request *request);

/* Appends an expression of FTS5 and a terminator, without the variants of `without` (a bit each); out->failed as ever.
 * `order` receives the variant of each phrase; their number. */
enum request_where {
    REQUEST_HEADS, /* all of the words in title and URL */
    REQUEST_ALL,   /* all of the words, anywhere */
    REQUEST_ANY    /* one of the words is enough */
};
size_t request_expression(const struct request *request, uint64_t without, enum request_where where, struct buf *out,
                          uint8_t order[REQUEST_VARIANTS]);
/* The expression of one variant alone. */
void request_variant_expression(const struct request *request, size_t variant, struct buf *out);

#endif

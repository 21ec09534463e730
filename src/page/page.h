/* page - {URL, headers, bytes}, as they came over the wire, to words, DOM nodes and links.
 *
 * A pure function: no topic, no strategy, no I/O. It is computed once a page, and every strategy,
 * classifier and context rule works on the result: flat arrays in one arena, no pointers between
 * nodes, so that a link context is a range of words or a walk over nodes.
 *
 * Any bytes give a page (binary, truncated, empty, nested a million deep); what does not fit the caps is
 * left out and `truncated` says so. The only failure is memory.
 * Thread: any; a struct page_analyser (buffers and the stem cache) belongs to one thread. */
#ifndef SCENT_PAGE_PAGE_H
#define SCENT_PAGE_PAGE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"
#include "base/str.h"
#include "url/url.h"

enum { PAGE_NONE = UINT32_MAX }; /* no node, no word */

/* Grows when the same bytes give another page, so that kept pages are analysed anew. */
enum { PAGE_VERSION = 2 };

enum page_word_flags {
    PAGE_WORD_STOP = 1,
    PAGE_WORD_BOILERPLATE = 2 /* navigation and the like: not content. The title is content */
};

/* In document order, stop words included. */
struct page_word {
    uint64_t word;  /* hash of the folded word, text_word_hash() */
    uint64_t stem;  /* hash of its stem */
    uint32_t leaf;  /* number of the text leaf it stands in */
    uint32_t flags;
};

/* A distinct stem of the content that is not a stop word; sorted by `stem`. */
struct page_term {
    uint64_t stem;
    struct str text; /* the first folded word with this stem, for explanations */
    uint32_t tf; /* in the content */
};

enum page_block_kind { PAGE_BLOCK_TEXT, PAGE_BLOCK_HEADING, PAGE_BLOCK_ITEM, PAGE_BLOCK_ROW, PAGE_BLOCK_CODE };

/* A piece of text that stands on lines of its own: a paragraph, a heading, an item of a list, a row of a table. In
 * document order; every word but those of the title is in one. Ranges are [first, end). */
struct page_block {
    uint64_t fingerprint;  /* of its words, once repeats_apply() has seen the page; 0: it is not counted */
    uint32_t first_word, end_word;
    uint32_t start, end;   /* of page->text; equal where it has images only */
    uint32_t link_words;   /* of them those that are links, buttons or choices of a form */
    uint32_t node;         /* the innermost element that it ends in and that is not formatting; PAGE_NONE: none */
    uint8_t kind;          /* enum page_block_kind */
    uint8_t level;         /* of a heading: 1 to 6; of an item: how many lists it is in */
    uint8_t zones;         /* enum content_zone: the parts of a page that it stands in */
    bool is_boilerplate;   /* content.h decides */
    bool repeats;          /* on pages of its host, as far as known */
};

/* An element, in document order (a parent before its children). Ranges are [first, end). */
struct page_node {
    uint16_t tag;    /* enum page_tag; PAGE_TAG_OTHER for what has no name here */
    uint16_t depth;  /* capped at UINT16_MAX */
    uint32_t parent; /* PAGE_NONE at the root */
    uint32_t first_word, end_word;
    uint32_t first_leaf, end_leaf;
};

enum page_rel { PAGE_REL_NOFOLLOW = 1, PAGE_REL_UGC = 2, PAGE_REL_SPONSORED = 4 };
enum page_link_kind { PAGE_LINK_ANCHOR, PAGE_LINK_FRAME, PAGE_LINK_REFRESH };

struct page_link {
    struct url url;       /* absolute and normalised */
    uint64_t fingerprint; /* with options->key */
    uint32_t first_word, end_word; /* the anchor text, alt and title of images inside included */
    struct str anchor;    /* for people: its text, else what its first image says; white space folded, <= 256 bytes */
    uint32_t node;        /* the anchor element */
    uint8_t rel;          /* enum page_rel */
    uint8_t kind;         /* enum page_link_kind */
    bool is_boilerplate;  /* it stands in a block that is */
};

enum page_robots { PAGE_NOINDEX = 1, PAGE_NOFOLLOW = 2, PAGE_NOARCHIVE = 4 };
enum page_truncated {
    PAGE_CUT_NODES = 1,
    PAGE_CUT_WORDS = 2,
    PAGE_CUT_LINKS = 4,
    PAGE_CUT_DEPTH = 8,
    PAGE_CUT_MEMORY = 16,
    PAGE_NOT_TEXT = 64, /* an image, an archive, a document that could not be read: the page is empty */
    PAGE_UNDECODED = 32 /* its content encoding is not known, or nothing could be decoded: the page is empty */
};

struct page {
    struct url url;       /* of the document, as fetched */
    struct url base;      /* what relative links were resolved against */
    struct str charset;   /* "utf-8", "windows-1252", … as decided: BOM, header, meta, guess */
    struct str mime;      /* lower case, without parameters */
    struct str title;     /* UTF-8, white space folded */
    struct str lang;      /* "en"; empty when unknown */
    struct str text;      /* what a reader sees, UTF-8, a newline between blocks */
    struct url canonical; /* href.p NULL when there is none */
    uint64_t bytes;       /* of the body, content encoding undone */
    uint8_t robots;       /* enum page_robots: meta robots and X-Robots-Tag */
    int64_t unavailable_after; /* there too: the page is not to be shown after this date; 0: none */
    uint8_t truncated;    /* enum page_truncated */
    const char *not_text; /* why: static; NULL: it is text */

    struct page_word *words;
    struct page_term *bag;
    struct page_node *nodes;
    struct page_link *links; /* in document order, duplicates included, the page itself left out */
    struct page_block *blocks;
    uint32_t nwords, nbag, nnodes, nlinks, nleaves, nblocks;
    uint32_t ncontent; /* words that are not boilerplate */
};

struct page_input {
    const struct url *url;
    struct str headers; /* raw HTTP header lines, CRLF or LF; may be empty */
    struct str body;    /* transfer decoded (no chunks); the content encoding that the headers name is undone here */
};

/* Makes HTML of a document that is not text. NULL: done; else why not, a static text for people. Any thread. */
struct page_reader {
    const char *(*read)(const void *ctx, struct str body, struct buf *html);
    const void *ctx;
};

/* What is kept of a page for page_write(). */
enum page_form { PAGE_FORM_NONE, PAGE_FORM_TEXT, PAGE_FORM_MARKDOWN };

struct page_options {
    uint64_t key;          /* for link fingerprints */
    unsigned url_flags;    /* enum url_normal_flags */
    struct str agent; /* the name by which pages speak to this crawler alone; empty: "scent"; outlives the analyser */
    uint32_t max_words, max_nodes, max_links; /* 0: the defaults (1,000,000; 500,000; 20,000) */
    bool whole_page; /* all of it counts as content */
    enum page_form form;
    bool text_only; /* for page_write() alone: no language, stems, terms and links */
    bool without_links; /* nor base and canonical: for judges */
    struct page_reader pdf; /* .read NULL: PDFs are not read */
    size_t max_bytes; /* of a body, content encoding undone; more is not looked at. 0: 64 MiB, which is also the most */
};

struct page_analyser;
struct page_analyser *page_analyser_new(const struct page_options *options); /* never NULL */
void page_analyser_free(struct page_analyser *analyser);

/* Everything in *out lives in `arena`; `input` may be released afterwards. SCENT_E_NOMEM: *out is unusable. */
SCENT_NODISCARD scent_status page_analyse(struct page_analyser *analyser, const struct page_input *input,
                                          struct arena *arena, struct page *out);
/* The same for a page that was kept, with its URL as text. Where that is not a URL: what url_parse() returns. */
SCENT_NODISCARD scent_status page_analyse_stored(struct page_analyser *analyser, struct str href, struct str headers,
                                                 struct str body, struct arena *arena, struct page *out);

/* Appends the content of the page that was analysed last as options->form says: lines of text or of Markdown. What does
 * not fit out->cap is left out, and out->failed says so. render.h tells what is kept. */
void page_write(const struct page_analyser *analyser, const struct page *page, struct buf *out);

/* The term of the page with this stem; NULL: there is none. A binary search. */
struct page_term *page_find_term(const struct page *page, uint64_t stem);

/* How often each stem of the content stands in it, as classifiers take it; in `arena`. SCENT_E_NOMEM. */
struct text_vector;
SCENT_NODISCARD scent_status page_frequencies(const struct page *page, struct arena *arena, struct text_vector *out);

enum page_canonical {
    PAGE_CANONICAL_NONE,      /* the page has no canonical link */
    PAGE_CANONICAL_SELF,      /* it is the page's own URL */
    PAGE_CANONICAL_COPY,      /* the page is a copy of the target: queue that */
    PAGE_CANONICAL_ELSEWHERE, /* another registered domain: a link like others, but no reason to doubt the page */
    PAGE_CANONICAL_MISTAKE    /* to be ignored */
};
/* May the canonical link be believed? It says "the page that you hold is a copy of that one" (RFC 6596), and many are
 * wrong: every page of a site names the start page, page 7 of a list names page 1, https names http. A link that is
 * believed costs nothing when it is right (the target is fetched anyway) and the page when it is wrong, so what looks
 * like such a mistake is not. The target is page->canonical; the page's own URL must be normalised as its links are. */
enum page_canonical page_canonical_target(const struct page *page);

/* What all X-Robots-Tag headers together ask of a crawler with this name: enum page_robots. *until: as head_robots(),
 * the earliest date of unavailable_after. */
unsigned page_header_robots(struct str headers, struct str agent, int64_t *until);

#endif

/* token - text cut into tags and text: HTML (token_next) and XML (token_next_xml).
 *
 * HTML is read as the tokenizer of the HTML standard does (section 13.2.5): one pass, no copies, tokens are ranges of
 * the input. Comments, doctypes and processing instructions are skipped. The input has no 0 bytes (charset_decode drops
 * them); CR stays CR. Which element holds text only is for the caller to know.
 *
 * XML (sitemaps, feeds, RDF) is fed in pieces of any size, so that a file need not be in memory:
 *
 *     tokenizer_init(&tokenizer);
 *     tokenizer_start_xml(&tokenizer);
 *     do {
 *         SCENT_TRY(tokenizer_feed(&tokenizer, piece, is_last));
 *         while (token_next_xml(&tokenizer, &token))
 *             …
 *     } while (!is_last);
 *     tokenizer_release(&tokenizer);
 *
 * Nothing is loaded, expanded or checked: comments and document types are skipped, tags need not match. A "<" ends a
 * tag that was not closed; a value without quotes is empty. Depth and namespaces are for the caller to keep: names come
 * as written ("image:loc", see token_local_name), xmlns attributes as any others. Encodings are as well: charset.h
 * turns bytes into UTF-8, though any encoding will do in which "<" is what it is in ASCII.
 * Owner: whoever initialised the tokenizer. Thread: one at a time. */
#ifndef SCENT_PAGE_TOKEN_H
#define SCENT_PAGE_TOKEN_H

#include "base/buf.h"
#include "base/str.h"
#include "page/tag.h"

enum {
    TOKEN_ATTRIBUTES_MAX = 64, /* further ones of a tag are left out */
    TOKEN_HELD_MAX = 64 * 1024, /* a longer tag, instruction or doctype of XML that comes in pieces ends the reading */
    TOKEN_RECENT_BITS = 5
};

struct token_attribute {
    struct str name;  /* as written */
    struct str value; /* references decoded */
};

struct token_attributes {
    const struct token_attribute *items;
    unsigned count;
};

/* The value of the first attribute of this name; empty (not NULL) when absent. */
struct str token_attribute(const struct token_attributes *attributes, struct str name);

enum token_kind {
    TOKEN_TEXT,
    TOKEN_START,
    TOKEN_END,
    TOKEN_INSTRUCTION /* <?name text?>; XML only */
};

/* Its strings are valid until the next token, or the next tokenizer_feed(). */
struct token {
    enum token_kind kind;
    struct str text;    /* of TOKEN_TEXT, references decoded in XML but not in HTML; of TOKEN_INSTRUCTION, trimmed */
    bool is_cdata;      /* of TOKEN_TEXT: had no references */
    enum page_tag tag;  /* of a tag */
    uint64_t name;      /* hash of its name */
    struct str written; /* the name of a tag or an instruction as written, with its prefix */
    bool closes_itself; /* <x/> */
    struct token_attributes attributes; /* of the start tags that have any for us; until the next token */
};

struct tokenizer {
    struct str s;
    size_t pos;
    bool foreign;        /* the caller sets it inside svg and math: <![CDATA[ begins text there, elsewhere a comment */
    bool all_attributes; /* keep those that nobody here looks at, too */
    struct { /* tags met lately, by hash */
        uint64_t name;
        enum page_tag tag;
    } recent[1 << TOKEN_RECENT_BITS];
    unsigned count;
    struct token_attribute attributes[TOKEN_ATTRIBUTES_MAX];
    struct buf values; /* decoded ones */

    /* XML in pieces */
    struct buf held; /* the beginning of a token, and the piece that continues it */
    enum { TOKENIZER_OUTSIDE, TOKENIZER_IN_CDATA, TOKENIZER_IN_COMMENT } inside;
    bool xml, is_last;
    bool too_long; /* TOKEN_HELD_MAX was reached: there are no more tokens */
};

void tokenizer_init(struct tokenizer *tokenizer);
void tokenizer_release(struct tokenizer *tokenizer);
void tokenizer_start(struct tokenizer *tokenizer, struct str utf8);

/* False at the end of the input. */
bool token_next(struct tokenizer *tokenizer, struct token *out);
/* After the start tag of an element that holds text only (script, title, …): everything up to its end tag. */
struct str token_raw_text(struct tokenizer *tokenizer, enum page_tag tag);
struct str token_rest(struct tokenizer *tokenizer); /* after <plaintext>: it has no end */

void tokenizer_start_xml(struct tokenizer *tokenizer);
/* The next bytes, which stay where they are until token_next_xml() says false; `is_last`: the document ends with them.
 * SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status tokenizer_feed(struct tokenizer *tokenizer, struct str piece, bool is_last);
/* False: the next piece is wanted (or the document is at its end). Text comes in any number of tokens, elements without
 * content (<x/>) as one start tag that closes_itself. References are the five of XML and numbers; others are text. */
bool token_next_xml(struct tokenizer *tokenizer, struct token *out);
/* "loc" of "image:loc"; *prefix (may be NULL) is "image", empty where there is none. */
struct str token_local_name(struct str written, struct str *prefix);

/* ---- character references ---- */

/* Character references (&eacute; &#233; &#xE9;) as the HTML standard reads them, or as XML does. */

enum {
    CHARREF_MAX = 8,     /* bytes of UTF-8 that one can stand for */
    CHARREF_XML_MAX = 32 /* bytes of one in XML: a number with more zeros is text, however the text comes */
};

enum charref_rule {
    CHARREF_TEXT,
    CHARREF_ATTRIBUTE, /* a name without semicolon before a letter, digit or "=" is text: values are URLs mostly */
    CHARREF_XML        /* &lt; &gt; &amp; &quot; &apos; and numbers, all with a semicolon; others are text */
};

/* Reads the reference at the start of `s` (at its '&'): how many bytes it takes, 0 when it is not one and stands for
 * itself. */
size_t charref_read(struct str s, enum charref_rule rule, char out[CHARREF_MAX], size_t *len);
/* Decodes all references of `s` to `out`, which has room for twice its length (in XML: for its length); returns the
 * length. */
size_t charref_decode(struct str s, enum charref_rule rule, char *out);

#endif

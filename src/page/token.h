/* token - HTML text cut into tags and text, as the tokenizer of the HTML standard does (section 13.2.5).
 *
 * One pass, no copies: tokens are ranges of the input. Comments, doctypes and processing instructions are skipped. The
 * input has no 0 bytes (decode.h drops them); CR stays CR. Which element holds text only is for the caller to know. */
#ifndef SCENT_PAGE_TOKEN_H
#define SCENT_PAGE_TOKEN_H

#include "base/buf.h"
#include "page/tag.h"

enum {
    TOKEN_ATTRIBUTES_MAX = 64, /* further ones of a tag are left out */
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

enum token_kind { TOKEN_TEXT, TOKEN_START, TOKEN_END };

struct token {
    enum token_kind kind;
    struct str text;    /* of TOKEN_TEXT, references not decoded */
    bool is_cdata;      /* of TOKEN_TEXT: has no references */
    enum page_tag tag;  /* of a tag */
    uint64_t name;      /* hash of its name */
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
};

void tokenizer_init(struct tokenizer *tokenizer);
void tokenizer_release(struct tokenizer *tokenizer);
void tokenizer_start(struct tokenizer *tokenizer, struct str utf8);

/* False at the end of the input. */
bool token_next(struct tokenizer *tokenizer, struct token *out);
/* After the start tag of an element that holds text only (script, title, …): everything up to its end tag. */
struct str token_raw_text(struct tokenizer *tokenizer, enum page_tag tag);
struct str token_rest(struct tokenizer *tokenizer); /* after <plaintext>: it has no end */

#endif

/* css - the references of a stylesheet: what it imports, and the images, fonts and other files that it names.
 *
 *     css_reader_init(&reader, text);
 *     while (css_next(&reader, &reference))
 *         …
 *     css_reader_release(&reader);
 *
 * Read with the tokenizer of CSS Syntax Level 3 (section 4): comments, strings, escapes, url() with and without quotes,
 * numbers with units, so that "url(" in a comment or a name is not taken for a reference. Given are url(), src(), the
 * strings of @import and those of image-set() and image(). The name of a namespace (@namespace) refers to nothing. A
 * style attribute and the value of a property are read in the same way.
 * One pass, no recursion; memory: the longest reference. Owner: whoever initialised it. Thread: one at a time. */
#ifndef SCENT_PAGE_CSS_H
#define SCENT_PAGE_CSS_H

#include "base/buf.h"
#include "base/str.h"

enum {
    CSS_DEPTH_MAX = 64, /* of brackets whose function is known; deeper ones are of no function */
    CSS_VALUE_MAX = 4 << 20 /* bytes of a reference (data: URLs can be long); a longer one is cut */
};

enum css_kind {
    CSS_FILE,   /* an image, a font, … */
    CSS_IMPORT, /* a stylesheet */
    CSS_MARKUP  /* not a reference: "<", "<!--" or "&" as a token; only where reader.markup was set */
};

struct css_reference {
    enum css_kind kind;
    size_t start, end; /* the range that stands for it: a string with its quotes, or a whole url(…) without quotes */
    struct str value;  /* escapes undone; until the next call */
};

struct css_reader {
    struct str s;
    size_t pos;
    struct buf value, name;
    unsigned depth;               /* of open brackets */
    uint8_t inside[CSS_DEPTH_MAX]; /* by depth: the function of the bracket */
    uint8_t rule;                 /* the at-rule whose prelude is being read */
    bool markup;                  /* the caller sets it to be told of CSS_MARKUP */
};

void css_reader_init(struct css_reader *reader, struct str utf8);
void css_reader_release(struct css_reader *reader);
/* False at the end. */
bool css_next(struct css_reader *reader, struct css_reference *out);

/* Appends a string in double quotes that is read as `value`, without "<": it can stand in a style element too. */
void css_add_string(struct buf *out, struct str value);

#endif

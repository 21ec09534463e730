/* screen - what libxml2 gets to see of a document.
 *
 * libxml2 compares each attribute of a tag with all before it, keeps what a document type declares, waits for the ";"
 * of a bare "&" to the end of the document, and misreads a ">" in an attribute when a piece ends behind it. So the
 * screen passes whole tags of bounded length, drops declarations, comments and instructions (their line breaks stay,
 * for the line numbers), and spells what is no reference as text. It passes blocks whose ends depend on the document
 * alone, not on the pieces it came in.
 *
 * It reads bytes: right for UTF-8 and all encodings in which "<" and "&" are what they are in ASCII. */
#ifndef SCENT_XML_SCREEN_H
#define SCENT_XML_SCREEN_H

#include "base/buf.h"

enum screen_state {
    SCREEN_TEXT,
    SCREEN_CDATA,
    SCREEN_COMMENT,
    SCREEN_INSTRUCTION,
    SCREEN_DOCTYPE,     /* before "[" or ">" */
    SCREEN_SUBSET,      /* between "[" and "]" */
    SCREEN_SUBSET_END   /* after "]" */
};

struct screen {
    struct buf held; /* a token whose end has not come yet */
    struct buf out;  /* a block that is not full yet */
    enum screen_state state;
    const char *fault; /* why it passes nothing more; NULL */
    bool nomem;
    bool stopped; /* set from outside, from within pass() too: it need not go on */
    void (*pass)(void *ctx, struct str block);
    void *ctx;
};

void screen_init(struct screen *screen, void (*pass)(void *ctx, struct str block), void *ctx);
void screen_release(struct screen *screen);
void screen_feed(struct screen *screen, struct str piece, bool is_last);

#endif

/* tag - the names of HTML's elements as numbers, and what they mean to the layout of the text. */
#ifndef SCENT_PAGE_TAG_H
#define SCENT_PAGE_TAG_H

#include "base/str.h"

enum page_tag_flags {
    PAGE_TAG_BLOCK = 1,  /* stands on lines of its own */
    PAGE_TAG_CELL = 2,   /* is set off by a space */
    PAGE_TAG_UNREAD = 4, /* its text is not for readers: no words, no text */
    PAGE_TAG_FORMAT = 8, /* formatting only: b, i, font, … */
    PAGE_TAG_COUNTED = 16 /* outline asks whether it is inside one */
};

/* Sorted by name; N is none of the flags. */
#define PAGE_TAGS(X)                                                                                                  \
    X(A, "a", COUNTED) X(ABBR, "abbr", N) X(ACRONYM, "acronym", N) X(ADDRESS, "address", BLOCK)                       \
    X(APPLET, "applet", N) X(AREA, "area", N) X(ARTICLE, "article", BLOCK) X(ASIDE, "aside", BLOCK)                   \
    X(AUDIO, "audio", N) X(B, "b", FORMAT) X(BASE, "base", N) X(BASEFONT, "basefont", N) X(BDI, "bdi", N)             \
    X(BDO, "bdo", N) X(BGSOUND, "bgsound", N) X(BIG, "big", FORMAT) X(BLOCKQUOTE, "blockquote", BLOCK)                \
    X(BODY, "body", BLOCK) X(BR, "br", BLOCK) X(BUTTON, "button", CELL) X(CANVAS, "canvas", N)                        \
    X(CAPTION, "caption", BLOCK) X(CENTER, "center", BLOCK) X(CITE, "cite", N) X(CODE, "code", N) X(COL, "col", N)    \
    X(COLGROUP, "colgroup", N) X(DATA, "data", N) X(DATALIST, "datalist", CELL) X(DD, "dd", BLOCK) X(DEL, "del", N)   \
    X(DESC, "desc", N) X(DETAILS, "details", BLOCK) X(DFN, "dfn", N) X(DIALOG, "dialog", BLOCK) X(DIR, "dir", BLOCK)  \
    X(DIV, "div", BLOCK) X(DL, "dl", BLOCK) X(DT, "dt", BLOCK) X(EM, "em", FORMAT) X(EMBED, "embed", N)               \
    X(FIELDSET, "fieldset", BLOCK) X(FIGCAPTION, "figcaption", BLOCK) X(FIGURE, "figure", BLOCK)                      \
    X(FONT, "font", FORMAT) X(FOOTER, "footer", BLOCK) X(FOREIGNOBJECT, "foreignobject", BLOCK)                       \
    X(FORM, "form", BLOCK) X(FRAME, "frame", N) X(FRAMESET, "frameset", BLOCK) X(H1, "h1", BLOCK) X(H2, "h2", BLOCK)  \
    X(H3, "h3", BLOCK) X(H4, "h4", BLOCK) X(H5, "h5", BLOCK) X(H6, "h6", BLOCK) X(HEAD, "head", BLOCK)                \
    X(HEADER, "header", BLOCK) X(HGROUP, "hgroup", BLOCK) X(HR, "hr", BLOCK) X(HTML, "html", BLOCK) X(I, "i", FORMAT) \
    X(IFRAME, "iframe", UNREAD) X(IMG, "img", N) X(INPUT, "input", CELL) X(INS, "ins", N) X(KBD, "kbd", N)            \
    X(KEYGEN, "keygen", N) X(LABEL, "label", N) X(LEGEND, "legend", BLOCK) X(LI, "li", BLOCK) X(LINK, "link", N)      \
    X(LISTING, "listing", BLOCK) X(MAIN, "main", BLOCK) X(MAP, "map", N) X(MARK, "mark", N)                           \
    X(MARQUEE, "marquee", BLOCK) X(MATH, "math", N) X(MENU, "menu", BLOCK) X(META, "meta", N) X(METER, "meter", N)    \
    X(NAV, "nav", BLOCK) X(NOBR, "nobr", N) X(NOEMBED, "noembed", UNREAD) X(NOFRAMES, "noframes", BLOCK)              \
    X(NOSCRIPT, "noscript", UNREAD) X(OBJECT, "object", N) X(OL, "ol", BLOCK) X(OPTGROUP, "optgroup", CELL)           \
    X(OPTION, "option", CELL) X(OUTPUT, "output", N) X(P, "p", BLOCK) X(PARAM, "param", N) X(PICTURE, "picture", N)   \
    X(PLAINTEXT, "plaintext", BLOCK) X(PRE, "pre", BLOCK) X(PROGRESS, "progress", N) X(Q, "q", N) X(RB, "rb", N)      \
    X(RP, "rp", N) X(RT, "rt", N) X(RTC, "rtc", N) X(RUBY, "ruby", N) X(S, "s", FORMAT) X(SAMP, "samp", N)            \
    X(SCRIPT, "script", UNREAD) X(SEARCH, "search", BLOCK) X(SECTION, "section", BLOCK) X(SELECT, "select", CELL)     \
    X(SMALL, "small", FORMAT) X(SOURCE, "source", N) X(SPAN, "span", N) X(STRIKE, "strike", FORMAT)                   \
    X(STRONG, "strong", FORMAT) X(STYLE, "style", UNREAD) X(SUB, "sub", N) X(SUMMARY, "summary", BLOCK)               \
    X(SUP, "sup", N) X(SVG, "svg", COUNTED) X(TABLE, "table", BLOCK) X(TBODY, "tbody", BLOCK) X(TD, "td", CELL)       \
    X(TEMPLATE, "template", UNREAD) X(TEXTAREA, "textarea", BLOCK) X(TFOOT, "tfoot", BLOCK) X(TH, "th", CELL)         \
    X(THEAD, "thead", BLOCK) X(TIME, "time", N) X(TITLE, "title", N) X(TR, "tr", BLOCK) X(TRACK, "track", N)          \
    X(TT, "tt", FORMAT) X(U, "u", FORMAT) X(UL, "ul", BLOCK) X(VAR, "var", N) X(VIDEO, "video", N) X(WBR, "wbr", N)   \
    X(XMP, "xmp", BLOCK)

#define PAGE_TAG_ENUM(id, name, flag) PAGE_TAG_##id,
enum page_tag { PAGE_TAG_OTHER, PAGE_TAGS(PAGE_TAG_ENUM) PAGE_TAG_COUNT };
#undef PAGE_TAG_ENUM

const char *page_tag_name(enum page_tag tag); /* "" for PAGE_TAG_OTHER */
enum page_tag page_tag_find(struct str name); /* any case; PAGE_TAG_OTHER when unknown */
uint64_t page_tag_hash(struct str name);      /* tells unknown names apart */

/* A hash takes in one more byte, in lower case, the n-th from 0: up to eight are packed and cannot be mistaken. */
static inline uint64_t page_tag_hash_add(uint64_t hash, unsigned char c, size_t n)
{
    hash = (hash << 8 | hash >> 56) ^ c;
    return n < 8 ? hash : hash * 0x9E3779B97F4A7C15u;
}

extern const uint8_t page_tag_flag_table[PAGE_TAG_COUNT];
static inline unsigned page_tag_flags(enum page_tag tag)
{
    return page_tag_flag_table[tag];
}

#endif

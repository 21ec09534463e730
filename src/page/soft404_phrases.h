/* soft404_phrases - how web sites say that a page is not there; for soft404.c. */
#ifndef SCENT_PAGE_SOFT404_PHRASES_H
#define SCENT_PAGE_SOFT404_PHRASES_H

/* `clear`: says it alone. Otherwise a hint, which needs others. */
struct soft404_phrase {
    const char *text;
    int clear;
};

extern const struct soft404_phrase soft404_phrases[];
extern const unsigned soft404_phrase_count;

#endif

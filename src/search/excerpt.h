/* excerpt - the lines of a page that answer a request, with the places of the words that were searched for.
 *
 * Plain text: blanks and line breaks are one blank, nothing is markup. Thread: any, one request at a time. */
#ifndef SCENT_SEARCH_EXCERPT_H
#define SCENT_SEARCH_EXCERPT_H

#include "base/arena.h"
#include "search/request.h"

enum { EXCERPT_BYTES = 280, EXCERPT_MARKS = 32, EXCERPT_TEXT = 1 << 20 /* of a page that are looked at */ };

struct excerpt_mark {
    uint32_t start, end; /* bytes of the text */
};

struct excerpt {
    struct str text;
    struct excerpt_mark marks[EXCERPT_MARKS]; /* in their order; they do not overlap */
    size_t count;
    bool cut_before, cut_after; /* there is more text */
};

/* `lang` is that of the page, for stems; `weights` those of the groups. In `arena`. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status excerpt_make(const struct request *request, const double weights[REQUEST_GROUPS],
                                          struct str text, struct str lang, struct text_stemmer *stemmer,
                                          struct arena *arena, struct excerpt *out);

#endif

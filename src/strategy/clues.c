#include "strategy/clues.h"

#include "base/hash.h"

enum { OFTEN = 256 }; /* counts from here on are as good as equal */

static size_t often(const struct page_term *term)
{
    return term->tf < OFTEN ? term->tf : OFTEN - 1;
}

size_t clues_stems(const struct page *page, uint64_t *stems, size_t room)
{
    const struct page_term *end = page->nbag ? page->bag + page->nbag : page->bag;
    uint32_t having[OFTEN] = {0};
    size_t limit = OFTEN, above = 0, count = 0, rest, least;

    for (const struct page_term *term = page->bag; term < end; term++)
        having[often(term)]++;
    while (limit && above + having[limit - 1] <= room)
        above += having[--limit];
    rest = limit ? room - above : 0; /* all from `limit` on have room, and so many of those just below */
    least = limit ? limit - 1 : 0;
    for (const struct page_term *term = page->bag; term < end; term++)
        if (term->tf >= least && (often(term) >= limit || (rest && rest--)))
            stems[count++] = term->stem;
    return count;
}

struct str clues_text(const struct url *url)
{
    return str_sub(url->href, url->host_start, url->query_end);
}

static bool is_separator(char c, bool fine)
{
    return fine ? !ascii_is_alpha(c) && !ascii_is_digit(c) : c == '.' || c == '/';
}

bool clues_token(struct str *rest, bool fine, uint64_t *key)
{
    size_t from = 0, to;

    while (from < rest->len && is_separator(rest->p[from], fine))
        from++;
    to = from;
    while (to < rest->len && !is_separator(rest->p[to], fine))
        to++;
    *key = to > from ? hash_str(str_sub(*rest, from, to), 0) : 0;
    *rest = str_sub(*rest, to, rest->len);
    return to > from;
}

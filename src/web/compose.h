/* compose - the HTML of a page of a generated web: valid HTML5 with head, navigation, main part and footer.
 *
 * The main part is made of lists and paragraphs, each with an aim of its own that most of its links share, so that a
 * link's surroundings tell something about its target (as much as the specification asks). */
#ifndef SCENT_WEB_COMPOSE_H
#define SCENT_WEB_COMPOSE_H

#include "base/buf.h"
#include "web/lexicon.h"
#include "web/world.h"

/* pen - writes into a struct buf without a call for each word.
 *
 * Room is asked for before each small write; after a failure nothing is written any more and buf->failed is set.
 * pen_lift() gives the length back to the buffer. */
struct pen {
    char *p, *end;
    struct buf *buf;
};

static inline void pen_lift(struct pen *pen)
{
    if (pen->p)
        pen->buf->len = (size_t)(pen->p - pen->buf->p);
}

/* Out of line of the fast path: more memory. On failure the pen stays where it is, with no room. */
static inline bool pen_grow(struct pen *pen, size_t more)
{
    pen_lift(pen);
    if (pen->buf->failed || !buf_reserve(pen->buf, more + 4096)) {
        pen->end = pen->p;
        return false;
    }
    pen->p = pen->buf->p + pen->buf->len;
    pen->end = pen->buf->p + pen->buf->room - 1;
    return true;
}

static inline struct pen pen_on(struct buf *buf)
{
    struct pen pen = {NULL, NULL, buf};

    pen_grow(&pen, 0);
    return pen;
}

static inline bool pen_room(struct pen *pen, size_t more)
{
    return (size_t)(pen->end - pen->p) >= more || pen_grow(pen, more);
}

static inline void pen_str(struct pen *pen, struct str s)
{
    if (!pen_room(pen, s.len))
        return;
    memcpy(pen->p, s.p, s.len);
    pen->p += s.len;
}

#define PEN(pen, literal) pen_str(pen, STR(literal))

static inline void pen_z(struct pen *pen, const char *z)
{
    pen_str(pen, str_of(z));
}

static inline void pen_char(struct pen *pen, char c)
{
    if (pen_room(pen, 1))
        *pen->p++ = c;
}

static inline void pen_word(struct pen *pen, const struct lexicon_word *word)
{
    if (!pen_room(pen, sizeof *word))
        return;
    memcpy(pen->p, word, sizeof *word); /* the length byte too; what follows overwrites it */
    pen->p += word->len;
}

static inline void pen_number(struct pen *pen, uint64_t n)
{
    char digits[20], *p = digits + sizeof digits;

    do
        *--p = (char)('0' + n % 10);
    while (n /= 10);
    pen_str(pen, (struct str){p, (size_t)(digits + sizeof digits - p)});
}

struct compose_request {
    struct world_page page; /* whose content; of a copy, the original's */
    uint64_t variant;       /* not 0: a near copy, this is what differs */
    uint64_t session;       /* on hosts with session ids: the id in the URL, or 0 */
    const char *charset;    /* what the meta element says; NULL: no meta element */
};

void compose_page(const struct world *world, const struct compose_request *request, struct pen *pen);

/* The files of a host that are not pages: robots.txt, sitemaps, style sheet, icon. Writes the file and gives its type;
 * NULL: this host has no such file. */
const char *service_write(const struct world *world, const struct world_host *host, struct str path, struct pen *pen);
/* The content of pages that are no HTML. */
void service_write_png(struct pen *pen);
void service_write_pdf(const struct world *world, const struct world_page *page, struct pen *pen);

/* The endless parts of hosts that catch crawlers: calendars without end, and paths that go ever deeper. (Session ids,
 * the third kind, are in every link of their host: see compose.) */
bool trap_holds(const struct world *world, const struct world_host *host, struct str path);
void trap_write(const struct world *world, const struct world_host *host, struct str path, struct pen *pen);

#endif

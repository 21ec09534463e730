#include "page/soft404.h"

#include "page/soft404_phrases.h"
#include "page/tag.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    PHRASE_WORDS = 12,
    BUCKETS = 256,
    LEAD_WORDS = 120, /* what a reader sees first */
    SHORT_WORDS = 60,
    BARE_WORDS = 25,
    TERSE_WORDS = 4,  /* words beside a phrase in a title that is about nothing else */
    NO_PHRASE = UINT16_MAX
};

struct phrase {
    uint64_t words[PHRASE_WORDS];
    uint16_t count, next; /* in its bucket */
    bool clear;
};

/* Phrases by their first word. */
struct soft404 {
    struct phrase *phrases;
    uint16_t heads[BUCKETS];
};

static void add_phrase(struct soft404 *soft404, uint16_t i)
{
    struct phrase *phrase = &soft404->phrases[i];
    struct text_cursor cursor;
    char word[TEXT_WORD_MAX];
    uint16_t *head;
    size_t len;

    phrase->clear = soft404_phrases[i].clear;
    text_cursor_init(&cursor, str_of(soft404_phrases[i].text));
    while (text_next_word(&cursor, word, &len)) {
        SCENT_BUG_IF(phrase->count == PHRASE_WORDS);
        phrase->words[phrase->count++] = text_word_hash((struct str){word, len});
    }
    head = &soft404->heads[phrase->words[0] % BUCKETS];
    phrase->next = *head;
    *head = i;
}

struct soft404 *soft404_new(void)
{
    struct soft404 *soft404 = calloc(1, sizeof *soft404);

    SCENT_BUG_IF(!soft404);
    soft404->phrases = calloc(soft404_phrase_count, sizeof *soft404->phrases);
    SCENT_BUG_IF(!soft404->phrases);
    for (size_t i = 0; i < BUCKETS; i++)
        soft404->heads[i] = NO_PHRASE;
    for (unsigned i = 0; i < soft404_phrase_count; i++)
        add_phrase(soft404, (uint16_t)i);
    return soft404;
}

void soft404_free(struct soft404 *soft404)
{
    if (!soft404)
        return;
    free(soft404->phrases);
    free(soft404);
}

/* ---- phrases in a range of words ---- */

struct range {
    uint32_t first, end;
};

static bool stands_at(const struct phrase *phrase, const struct page *page, uint32_t at, uint32_t end)
{
    if (end - at < phrase->count)
        return false;
    for (uint32_t i = 0; i < phrase->count; i++)
        if (page->words[at + i].word != phrase->words[i])
            return false;
    return true;
}

struct found {
    bool clear, hint;
    uint32_t words; /* of the longest clear phrase */
};

static struct found find_phrases(const struct soft404 *soft404, const struct page *page, struct range range)
{
    struct found found = {0};

    for (uint32_t at = range.first; at < range.end; at++) {
        uint16_t i = soft404->heads[page->words[at].word % BUCKETS];

        for (; i != NO_PHRASE; i = soft404->phrases[i].next) {
            const struct phrase *phrase = &soft404->phrases[i];

            if (!stands_at(phrase, page, at, range.end))
                continue;
            found.clear |= phrase->clear;
            found.hint |= !phrase->clear;
            if (phrase->clear && phrase->count > found.words)
                found.words = phrase->count;
        }
    }
    return found;
}

/* ---- the signs ---- */

struct evidence {
    double doubt; /* the product of 1 - weight */
    unsigned reasons;
    bool clear;   /* some phrase says it alone */
};

static void add_sign(struct evidence *evidence, enum soft404_reason reason, double weight)
{
    evidence->doubt *= 1 - weight;
    evidence->reasons |= (unsigned)reason;
}

/* A title or heading: `clear` when it says it and hardly anything else. */
static void weigh_line(struct evidence *evidence, enum soft404_reason reason, const struct found *found,
                       struct range range, double clear, double hint)
{
    evidence->clear |= found->clear;
    if (found->clear)
        add_sign(evidence, reason, range.end - range.first <= found->words + TERSE_WORDS ? clear : clear * 0.6);
    else if (found->hint)
        add_sign(evidence, reason, hint);
}

static struct range node_range(const struct page *page, enum page_tag tag)
{
    for (uint32_t i = 0; i < page->nnodes; i++)
        if (page->nodes[i].tag == tag && page->nodes[i].end_word > page->nodes[i].first_word)
            return (struct range){page->nodes[i].first_word, page->nodes[i].end_word};
    return (struct range){0};
}

static struct range heading_range(const struct page *page)
{
    struct range range = node_range(page, PAGE_TAG_H1);

    return range.end ? range : node_range(page, PAGE_TAG_H2);
}

static bool is_error_name(struct str segment)
{
    static const char *const names[] = {"404", "error404", "404error", "notfound", "pagenotfound", "filenotfound"};
    char name[16];
    size_t len = 0;

    segment = str_sub(segment, 0, str_find(segment, '.'));
    for (size_t i = 0; i < segment.len; i++) {
        if (segment.p[i] == '-' || segment.p[i] == '_')
            continue;
        if (len == sizeof name)
            return false;
        name[len++] = ascii_lower(segment.p[i]);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq((struct str){name, len}, str_of(names[i])))
            return true;
    return false;
}

static bool url_says_so(const struct url *url)
{
    struct str path = url_path(url), segment;

    while (str_split(&path, '/', &segment))
        if (is_error_name(segment))
            return true;
    return false;
}

/* An error page has little to say; its menus may be long all the same. Hints alone ("Peugeot 404") convince only where
 * there is next to nothing else. */
static double length_factor(const struct evidence *evidence, uint32_t words)
{
    if (!evidence->clear && words >= BARE_WORDS)
        return words <= 200 ? 0.8 : 0.4;
    return words <= 200 ? 1 : words <= 400 ? 0.8 : words <= 800 ? 0.6 : words <= 1600 ? 0.4 : 0.2;
}

struct soft404_verdict soft404_judge(const struct soft404 *soft404, const struct page *page)
{
    struct evidence evidence = {.doubt = 1};
    struct range title = node_range(page, PAGE_TAG_TITLE), heading = heading_range(page);
    struct range lead = {title.end, title.end + LEAD_WORDS < page->nwords ? title.end + LEAD_WORDS : page->nwords};
    uint32_t words = page->nwords - title.end;
    struct found found = find_phrases(soft404, page, title);

    weigh_line(&evidence, SOFT404_TITLE, &found, title, 0.6, 0.25);
    found = find_phrases(soft404, page, heading);
    weigh_line(&evidence, SOFT404_HEADING, &found, heading, 0.5, 0.2);
    found = find_phrases(soft404, page, lead);
    evidence.clear |= found.clear;
    if (found.clear)
        add_sign(&evidence, SOFT404_TEXT, 0.35);
    if (url_says_so(&page->url))
        add_sign(&evidence, SOFT404_URL, 0.25);
    if (page->robots & PAGE_NOINDEX)
        add_sign(&evidence, SOFT404_NOINDEX, 0.15);
    if (words < SHORT_WORDS)
        add_sign(&evidence, SOFT404_SHORT, words < BARE_WORDS ? 0.2 : 0.1);
    return (struct soft404_verdict){(1 - evidence.doubt) * length_factor(&evidence, words), evidence.reasons};
}

void soft404_list(unsigned reasons, char *out, size_t room)
{
    static const char *const names[] = {"title", "heading", "text", "url", "noindex", "short"};
    size_t len = 0;

    if (room)
        out[0] = 0;
    for (unsigned i = 0; (1u << i) < SOFT404_REASONS && len < room; i++)
        if (reasons & 1u << i)
            len += (size_t)snprintf(out + len, room - len, "%s%s", len ? ", " : "", names[i]);
}

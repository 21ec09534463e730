#include "topic/query_parser.h"

#include <stdio.h>

/* Words are kept as uses in the order in which they are read, and terms are numbered likewise. So a #syn or a window
 * takes its parts in by moving all uses, windows and terms from a certain number on. */

static struct query_window *window_open(struct query *query, bool ordered, uint32_t width)
{
    struct query_window *window = &query->windows[query->nwindows++];

    *window = (struct query_window){
        .term = query->nterms, .first_part = query->nparts, .width = (uint16_t)width, .ordered = ordered};
    return window;
}

static void add_part(struct query *query, struct query_window *window)
{
    window->nparts++;
    query->nparts++;
}

/* The words of the token as uses of the term that is being read: alone, or each a part of `window`. */
static bool take_words(struct query_parser *parser, struct query_window *window)
{
    struct query *query = parser->query;
    struct query_token token = parser->token;
    uint16_t number = window ? (uint16_t)(window - query->windows) : QUERY_NO_WINDOW;
    struct lemmas words;
    scent_status status =
        lemma_read(&parser->lemmas, token.text, QUERY_MAX_WORDS - (size_t)query->nuses, &query->arena, &words);

    if (status == SCENT_E_LIMIT)
        return query_fail(parser, token.start, status, "more than 1000 words in one query");
    if (status != SCENT_OK)
        return query_fail_memory(parser);
    if (words.count == 0)
        return query_fail(parser, token.start, SCENT_E_INVALID, "there is no word in this text");
    if (!window && words.count > 1) {
        window = window_open(query, true, 1);
        number = (uint16_t)(window - query->windows);
    }
    for (uint32_t i = 0; i < words.count; i++) {
        query->uses[query->nuses++] =
            (struct query_use){words.items[i], query->nterms, number, window ? window->nparts : 0};
        if (window)
            add_part(query, window);
    }
    query_advance(parser);
    return true;
}

static struct query_node *term_node(struct query_parser *parser, size_t start)
{
    struct query_node *node = query_node(parser, QUERY_TERM, start);

    if (node)
        node->term = parser->query->nterms++;
    return node;
}

struct query_node *query_parse_text(struct query_parser *parser)
{
    size_t start = parser->token.start;

    return take_words(parser, NULL) ? term_node(parser, start) : NULL;
}

struct query_node *query_pool_terms(struct query_parser *parser, struct query_node **kids, size_t n, size_t start)
{
    struct query *query = parser->query;
    uint16_t first = kids[0]->term;
    struct query_node *node = query_node(parser, QUERY_TERM, start);

    for (size_t i = 0; i < n; i++)
        SCENT_BUG_IF(kids[i]->term != first + i);
    if (!node)
        return NULL;
    for (size_t i = query->nuses; i > 0 && query->uses[i - 1].term >= first; i--)
        query->uses[i - 1].term = first;
    for (size_t i = query->nwindows; i > 0 && query->windows[i - 1].term >= first; i--)
        query->windows[i - 1].term = first;
    query->nterms = (uint16_t)(first + 1);
    node->term = first;
    return node;
}

/* ---- windows ---- */

static struct str window_digits(struct str name)
{
    bool named = str_starts_nocase(name, STR("od")) || str_starts_nocase(name, STR("uw"));

    return str_sub(name, named ? 2 : 0, name.len);
}

bool query_is_window(struct str name)
{
    struct str digits = window_digits(name);

    if (digits.len == 0 && name.len == 0)
        return false;
    for (size_t i = 0; i < digits.len; i++)
        if (!ascii_is_digit(digits.p[i]))
            return false;
    return true;
}

static bool take_width(struct query_parser *parser, uint32_t *width)
{
    struct str name = parser->token.text, digits = window_digits(name);
    uint64_t n = 0;

    if (!str_parse_u64(digits, &n) || n < 1 || n > QUERY_MAX_WIDTH)
        return query_fail(parser, parser->token.start, SCENT_E_INVALID,
                          "the width of a window is a number from 1 to 10000, for example #od1 or #uw20");
    *width = (uint32_t)n;
    query_advance(parser);
    return true;
}

/* A #syn of words as one part. Its uses were read as a term: they become the part, and the term goes. */
static bool take_synonyms(struct query_parser *parser, struct query_window *window)
{
    struct query *query = parser->query;
    uint16_t windows = query->nwindows, term = query->nterms;
    size_t start = parser->token.start, uses = query->nuses;

    if (!query_parse_one(parser))
        return false;
    if (query->nwindows != windows || query->nterms != term + 1)
        return query_fail(parser, start, SCENT_E_INVALID, "a window holds words and #syn of single words only");
    for (size_t i = uses; i < query->nuses; i++) {
        query->uses[i].window = (uint16_t)(window - query->windows);
        query->uses[i].part = window->nparts;
    }
    query->nterms = term;
    add_part(query, window);
    return true;
}

static bool take_part(struct query_parser *parser, struct query_window *window)
{
    enum query_token_kind kind = parser->token.kind;
    bool adjacent = window->ordered && window->width == 1;

    if (kind == QTOKEN_WORD || (kind == QTOKEN_PHRASE && adjacent))
        return take_words(parser, window);
    if (kind == QTOKEN_PHRASE)
        return query_fail(parser, parser->token.start, SCENT_E_INVALID,
                          "a phrase cannot be a part of this window; give its words, or use #syn(…) of windows");
    if (kind == QTOKEN_OPERATOR && str_eq_nocase(parser->token.text, STR("syn")))
        return take_synonyms(parser, window);
    return query_fail_expected(parser, kind == QTOKEN_END ? "')'" : "a word or #syn of words");
}

static bool check_window(struct query_parser *parser, const struct query_window *window, size_t start)
{
    if (window->nparts == 0)
        return query_fail(parser, start, SCENT_E_INVALID, "a window needs words; write for example #od1(ice hockey)");
    if (!window->ordered && window->nparts > window->width)
        return query_fail(parser, start, SCENT_E_INVALID, "this window is too narrow for its words; raise its number");
    return true;
}

struct query_node *query_parse_window(struct query_parser *parser)
{
    size_t start = parser->token.start;
    bool ordered = !str_starts_nocase(parser->token.text, STR("uw"));
    struct query_window *window;
    uint32_t width = 1;

    if (!take_width(parser, &width))
        return NULL;
    if (!query_accept(parser, QTOKEN_OPEN))
        return query_fail_expected(parser, "'(' after the operator");
    if (parser->query->nwindows == QUERY_MAX_WORDS)
        return query_fail(parser, start, SCENT_E_LIMIT, "more than 1000 windows in one query");
    window = window_open(parser->query, ordered, width);
    while (parser->token.kind != QTOKEN_CLOSE)
        if (!take_part(parser, window))
            return NULL;
    query_advance(parser);
    return check_window(parser, window, start) ? term_node(parser, start) : NULL;
}

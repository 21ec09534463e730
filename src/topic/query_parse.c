/* From the text of a query to its tree: tokens, terms (what is counted), operators. The grammar is in query.h. */
#include "base/hash.h"
#include "topic/query_parts.h"
#include "topic/user_text.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- tokens ---- */

enum query_token_kind {
    QTOKEN_END,
    QTOKEN_WORD,
    QTOKEN_PHRASE,
    QTOKEN_OPERATOR,
    QTOKEN_OPEN,
    QTOKEN_CLOSE,
    QTOKEN_BAD
};

struct query_token {
    enum query_token_kind kind;
    size_t start, end;   /* in the source */
    struct str text;     /* of a phrase: without its quotes; of an operator: without '#' */
    const char *problem; /* of QTOKEN_BAD */
};

static bool ends_word(char c)
{
    return ascii_is_space(c) || c == ',' || c == '(' || c == ')' || c == '"' || c == '#';
}

static struct query_token lex_phrase(struct str source, size_t start)
{
    size_t end = start + 1;

    while (end < source.len && source.p[end] != '"')
        end++;
    if (end == source.len)
        return (struct query_token){
            .kind = QTOKEN_BAD, .start = start, .end = end, .problem = "this phrase has no closing quote"};
    return (struct query_token){
        .kind = QTOKEN_PHRASE, .start = start, .end = end + 1, .text = str_sub(source, start + 1, end)};
}

static struct query_token read_token(struct str source, size_t at)
{
    struct query_token token = {.kind = QTOKEN_WORD};

    while (at < source.len && (ascii_is_space(source.p[at]) || source.p[at] == ','))
        at++;
    token.start = token.end = at;
    if (at == source.len) {
        token.kind = QTOKEN_END;
        return token;
    }
    if (source.p[at] == '"')
        return lex_phrase(source, at);
    if (source.p[at] == '(' || source.p[at] == ')') {
        token.kind = source.p[at] == '(' ? QTOKEN_OPEN : QTOKEN_CLOSE;
        token.end = at + 1;
        return token;
    }
    if (source.p[at] == '#') {
        token.kind = QTOKEN_OPERATOR;
        at++;
    }
    for (token.end = at; token.end < source.len && !ends_word(source.p[token.end]);)
        token.end++;
    token.text = str_sub(source, at, token.end);
    return token;
}

/* ---- the parser ---- */

struct query_parser {
    struct query *query;
    struct query_token token; /* the next one */
    size_t last_end;          /* of the token before */
    unsigned depth;
    struct stemmers stemmers;
    struct errmsg *err;
    scent_status status;
};

/* This and the next two set parser->status and return NULL, so that a failure is one statement. */
static void *fail_at(struct query_parser *parser, size_t at, scent_status status, const char *what)
{
    syntax_error_at(parser->query->source, at, what, parser->err);
    parser->status = status;
    return NULL;
}

static void *fail_memory(struct query_parser *parser)
{
    parser->status = errmsg_no_memory(parser->err);
    return NULL;
}

static void *fail_expected(struct query_parser *parser, const char *expected)
{
    const struct query_token *token = &parser->token;
    struct str source = parser->query->source;

    if (token->kind == QTOKEN_BAD)
        return fail_at(parser, token->start, SCENT_E_INVALID, token->problem);
    syntax_error_expected(source, token->start, expected,
                   token->kind == QTOKEN_END ? STR_NONE : str_sub(source, token->start, token->end), parser->err);
    parser->status = SCENT_E_INVALID;
    return NULL;
}

static void take_token(struct query_parser *parser)
{
    parser->last_end = parser->token.end;
    parser->token = read_token(parser->query->source, parser->token.end);
}

static bool accept_token(struct query_parser *parser, enum query_token_kind kind)
{
    if (parser->token.kind != kind)
        return false;
    take_token(parser);
    return true;
}

static struct query_node *new_node(struct query_parser *parser, enum query_kind kind, size_t start)
{
    struct query_node *node = arena_zalloc(&parser->query->arena, sizeof *node);

    if (!node)
        return fail_memory(parser);
    node->kind = kind;
    node->start = start;
    node->source = str_sub(parser->query->source, start, parser->last_end);
    return node;
}

static struct query_node *parse_one(struct query_parser *parser);

/* ---- terms ----
 *
 * Words are kept as uses in the order in which they are read, and terms are numbered likewise. So a #syn or a window
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
    struct stemmed_words words;
    scent_status status =
        stemmed_words_read(&parser->stemmers, token.text, QUERY_MAX_WORDS - (size_t)query->nuses, &query->arena,
                           &words);

    if (status == SCENT_E_LIMIT)
        return fail_at(parser, token.start, status, "more than 1000 words in one query");
    if (status != SCENT_OK)
        return fail_memory(parser);
    if (words.count == 0)
        return fail_at(parser, token.start, SCENT_E_INVALID, "there is no word in this text");
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
    take_token(parser);
    return true;
}

static struct query_node *term_node(struct query_parser *parser, size_t start)
{
    struct query_node *node = new_node(parser, QUERY_TERM, start);

    if (node)
        node->term = parser->query->nterms++;
    return node;
}

/* A word or phrase as a term of its own. */
static struct query_node *parse_text(struct query_parser *parser)
{
    size_t start = parser->token.start;

    return take_words(parser, NULL) ? term_node(parser, start) : NULL;
}

/* Makes one term of the terms kids[0 … n-1], which were read one after the other. */
static struct query_node *pool_terms(struct query_parser *parser, struct query_node **kids, size_t n, size_t start)
{
    struct query *query = parser->query;
    uint16_t first = kids[0]->term;
    struct query_node *node = new_node(parser, QUERY_TERM, start);

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

static struct str window_digits(struct str name)
{
    bool named = str_starts_nocase(name, STR("od")) || str_starts_nocase(name, STR("uw"));

    return str_sub(name, named ? 2 : 0, name.len);
}

/* #odN, #N and #uwN */
static bool is_window(struct str name)
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
        return fail_at(parser, parser->token.start, SCENT_E_INVALID,
                          "the width of a window is a number from 1 to 10000, for example #od1 or #uw20");
    *width = (uint32_t)n;
    take_token(parser);
    return true;
}

/* A #syn of words as one part. Its uses were read as a term: they become the part, and the term goes. */
static bool take_synonyms(struct query_parser *parser, struct query_window *window)
{
    struct query *query = parser->query;
    uint16_t windows = query->nwindows, term = query->nterms;
    size_t start = parser->token.start, uses = query->nuses;

    if (!parse_one(parser))
        return false;
    if (query->nwindows != windows || query->nterms != term + 1)
        return fail_at(parser, start, SCENT_E_INVALID, "a window holds words and #syn of single words only");
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
        return fail_at(parser, parser->token.start, SCENT_E_INVALID,
                          "a phrase cannot be a part of this window; give its words, or use #syn(…) of windows");
    if (kind == QTOKEN_OPERATOR && str_eq_nocase(parser->token.text, STR("syn")))
        return take_synonyms(parser, window);
    return fail_expected(parser, kind == QTOKEN_END ? "')'" : "a word or #syn of words");
}

static bool check_window(struct query_parser *parser, const struct query_window *window, size_t start)
{
    if (window->nparts == 0)
        return fail_at(parser, start, SCENT_E_INVALID, "a window needs words; write for example #od1(ice hockey)");
    if (!window->ordered && window->nparts > window->width)
        return fail_at(parser, start, SCENT_E_INVALID, "this window is too narrow for its words; raise its number");
    return true;
}

static struct query_node *parse_window(struct query_parser *parser)
{
    size_t start = parser->token.start;
    bool ordered = !str_starts_nocase(parser->token.text, STR("uw"));
    struct query_window *window;
    uint32_t width = 1;

    if (!take_width(parser, &width))
        return NULL;
    if (!accept_token(parser, QTOKEN_OPEN))
        return fail_expected(parser, "'(' after the operator");
    if (parser->query->nwindows == QUERY_MAX_WORDS)
        return fail_at(parser, start, SCENT_E_LIMIT, "more than 1000 windows in one query");
    window = window_open(parser->query, ordered, width);
    while (parser->token.kind != QTOKEN_CLOSE)
        if (!take_part(parser, window))
            return NULL;
    take_token(parser);
    return check_window(parser, window, start) ? term_node(parser, start) : NULL;
}

/* ---- operators ---- */

static bool add_kid(struct query_parser *parser, struct query_node *node, struct query_node *kid, double weight)
{
    struct arena *arena = &parser->query->arena;

    /* Room doubles whenever the count is a power of two. */
    if ((node->nkids & (node->nkids - 1)) == 0) {
        size_t n = node->nkids, room = n ? n * 2 : 1;

        node->kids = arena_grow(arena, node->kids, n * sizeof *node->kids, room * sizeof *node->kids);
        node->weights = arena_grow(arena, node->weights, n * sizeof *node->weights, room * sizeof *node->weights);
        if (!node->kids || !node->weights)
            return fail_memory(parser);
    }
    node->weights[node->nkids] = weight;
    node->kids[node->nkids++] = kid;
    return true;
}

/* Only in capitals: "or" is a word that can be looked for. */
static bool is_keyword(const struct query_parser *parser, struct str keyword)
{
    return parser->token.kind == QTOKEN_WORD && str_eq(parser->token.text, keyword);
}

static bool all_terms(const struct query_node *node)
{
    for (uint32_t i = 0; i < node->nkids; i++)
        if (node->kids[i]->kind != QUERY_TERM)
            return false;
    return true;
}

/* one { "OR" one } */
static struct query_node *parse_item(struct query_parser *parser)
{
    size_t start = parser->token.start;
    struct query_node *one = parse_one(parser), *node;

    if (!one || !is_keyword(parser, STR("OR")))
        return one;
    node = new_node(parser, QUERY_OR, start);
    while (node && one && add_kid(parser, node, one, 0)) {
        if (!is_keyword(parser, STR("OR"))) {
            if (all_terms(node))
                return pool_terms(parser, node->kids, node->nkids, start);
            node->source = str_sub(parser->query->source, start, parser->last_end);
            return node;
        }
        take_token(parser);
        one = parse_one(parser);
    }
    return NULL;
}

static bool at_end(const struct query_parser *parser)
{
    return parser->token.kind == QTOKEN_CLOSE || parser->token.kind == QTOKEN_END;
}

/* item { ["AND"] item } as the kids of `node`, up to a parenthesis or the end */
static bool take_items(struct query_parser *parser, struct query_node *node)
{
    bool more = !at_end(parser);

    while (more) {
        struct query_node *item = parse_item(parser);

        if (!item || !add_kid(parser, node, item, 0))
            return false;
        more = is_keyword(parser, STR("AND"));
        if (more)
            take_token(parser);
        else
            more = !at_end(parser);
    }
    return true;
}

static bool parse_weight(struct str text, double *out)
{
    char digits[32];
    char *end;

    if (text.len == 0 || text.len >= sizeof digits)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (!ascii_is_digit(text.p[i]) && text.p[i] != '.')
            return false;
    snprintf(digits, sizeof digits, "%.*s", STR_ARG(text));
    *out = strtod(digits, &end);
    return *end == 0 && *out <= 1e9;
}

/* number one { number one } */
static bool take_weighted(struct query_parser *parser, struct query_node *node)
{
    size_t start = parser->token.start;
    double sum = 0;

    while (!at_end(parser)) {
        struct query_node *one;
        double weight;

        if (parser->token.kind != QTOKEN_WORD || !parse_weight(parser->token.text, &weight))
            return fail_expected(parser, "a weight, as in #wsum(2 hockey 1 rink)");
        take_token(parser);
        one = parse_one(parser);
        if (!one || !add_kid(parser, node, one, weight))
            return false;
        sum += weight;
    }
    if (node->nkids && sum <= 0)
        return fail_at(parser, start, SCENT_E_INVALID, "all weights are 0; one must be more");
    for (uint32_t i = 0; i < node->nkids; i++)
        node->weights[i] /= sum;
    return true;
}

static const struct {
    struct str name;
    enum query_kind kind;
} operators[] = {
    {{"sum", 3}, QUERY_SUM}, {{"wsum", 4}, QUERY_WSUM}, {{"and", 3}, QUERY_AND},  {{"or", 2}, QUERY_OR},
    {{"not", 3}, QUERY_NOT}, {{"max", 3}, QUERY_MAX},   {{"syn", 3}, QUERY_TERM},
};

static struct query_node *finish_synonyms(struct query_parser *parser, struct query_node *node)
{
    for (uint32_t i = 0; i < node->nkids; i++)
        if (node->kids[i]->kind != QUERY_TERM)
            return fail_at(parser, node->kids[i]->start, SCENT_E_INVALID,
                              "#syn joins words, phrases and windows; to join beliefs use #or or #max");
    return pool_terms(parser, node->kids, node->nkids, node->start);
}

static struct query_node *parse_arguments(struct query_parser *parser, enum query_kind kind, size_t start)
{
    struct query_node *node = new_node(parser, kind, start);

    if (!accept_token(parser, QTOKEN_OPEN))
        return fail_expected(parser, "'(' after the operator");
    if (!node || !(kind == QUERY_WSUM ? take_weighted : take_items)(parser, node))
        return NULL;
    if (node->nkids == 0)
        return fail_expected(parser, "a word, a phrase or an operator");
    if (kind == QUERY_NOT && node->nkids > 1)
        return fail_at(parser, node->kids[1]->start, SCENT_E_INVALID,
                          "#not takes one thing; put several into #sum(…) or #or(…)");
    if (!accept_token(parser, QTOKEN_CLOSE))
        return fail_expected(parser, "')'");
    node->source = str_sub(parser->query->source, start, parser->last_end);
    return kind == QUERY_TERM ? finish_synonyms(parser, node) : node;
}

static struct query_node *parse_operator(struct query_parser *parser)
{
    size_t start = parser->token.start;

    if (is_window(parser->token.text))
        return parse_window(parser);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (str_eq_nocase(parser->token.text, operators[i].name)) {
            take_token(parser);
            return parse_arguments(parser, operators[i].kind, start);
        }
    }
    return fail_at(parser, start, SCENT_E_INVALID,
                      "no such operator; there are #sum #wsum #and #or #not #max #syn #odN #uwN and #N");
}

/* A single item in parentheses stays what it is. */
static struct query_node *parse_group(struct query_parser *parser)
{
    struct query_node *node = parse_arguments(parser, QUERY_SUM, parser->token.start);

    return node && node->nkids == 1 ? node->kids[0] : node;
}

static struct query_node *parse_not(struct query_parser *parser)
{
    size_t start = parser->token.start;
    struct query_node *kid, *node;

    take_token(parser);
    kid = parse_one(parser);
    node = kid ? new_node(parser, QUERY_NOT, start) : NULL;
    return node && add_kid(parser, node, kid, 0) ? node : NULL;
}

static struct query_node *parse_one(struct query_parser *parser)
{
    struct query_node *node = NULL;

    if (++parser->depth > QUERY_MAX_DEPTH)
        return fail_at(parser, parser->token.start, SCENT_E_LIMIT, "nested more than 64 deep");
    if (is_keyword(parser, STR("NOT")))
        node = parse_not(parser);
    else if (is_keyword(parser, STR("OR")) || is_keyword(parser, STR("AND")))
        fail_expected(parser, "a word, a phrase or an operator");
    else if (parser->token.kind == QTOKEN_WORD || parser->token.kind == QTOKEN_PHRASE)
        node = parse_text(parser);
    else if (parser->token.kind == QTOKEN_OPERATOR)
        node = parse_operator(parser);
    else if (parser->token.kind == QTOKEN_OPEN)
        node = parse_group(parser);
    else
        fail_expected(parser, "a word, a phrase or an operator");
    parser->depth--;
    return node;
}

static scent_status parse_all(struct query_parser *parser)
{
    struct query *query = parser->query;

    parser->token = read_token(query->source, 0);
    if (parser->token.kind == QTOKEN_END) {
        fail_at(parser, 0, SCENT_E_INVALID, "the query is empty; write for example: hockey (nhl OR league)");
        return parser->status;
    }
    query->root = new_node(parser, QUERY_SUM, parser->token.start);
    if (!query->root || !take_items(parser, query->root))
        return parser->status;
    if (parser->token.kind != QTOKEN_END) {
        fail_expected(parser, "the end");
        return parser->status;
    }
    query->root->source = str_trim(query->source);
    if (query->root->nkids == 1)
        query->root = query->root->kids[0];
    return query_compile(query) == SCENT_OK ? SCENT_OK : errmsg_no_memory(parser->err);
}

scent_status query_parse(struct str text, struct query **out, struct errmsg *err)
{
    struct query_parser parser = {.err = err, .status = SCENT_OK};
    scent_status status;

    *out = NULL;
    if (text.len > QUERY_MAX_BYTES)
        return errmsg_fail(err, SCENT_E_LIMIT, "1:1: the query is longer than %d bytes", QUERY_MAX_BYTES);
    parser.query = calloc(1, sizeof *parser.query);
    SCENT_BUG_IF(!parser.query);
    arena_init(&parser.query->arena, QUERY_MAX_MEMORY);
    parser.query->source = arena_str(&parser.query->arena, text);
    SCENT_BUG_IF(!parser.query->source.p);
    stemmers_init(&parser.stemmers);
    status = parse_all(&parser);
    stemmers_release(&parser.stemmers);
    if (status != SCENT_OK)
        query_free(parser.query);
    else
        *out = parser.query;
    return status;
}

void query_free(struct query *query)
{
    if (!query)
        return;
    for (size_t i = 0; i < query->ntables; i++)
        map_release(&query->tables[i].by_stem);
    arena_release(&query->arena);
    free(query);
}

size_t query_terms(const struct query *query)
{
    return query->nterms;
}

size_t query_stems(const struct query *query, uint16_t lang, uint64_t *stems, size_t room)
{
    size_t n = 0;

    for (uint16_t i = 0; i < query->nuses && n < room; i++) {
        uint64_t stem = stemmed_word_in(&query->uses[i].word, lang);
        size_t k = 0;

        while (k < n && stems[k] != stem)
            k++;
        stems[k] = stem;
        n += k == n;
    }
    return n;
}

struct str query_source(const struct query *query)
{
    return query->source;
}

uint64_t query_key(const struct query *query)
{
    return hash_str(query->source, 0);
}

#include "topic/caret.h"
#include "topic/query_parser.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>

void *query_fail(struct query_parser *parser, size_t at, scent_status status, const char *what)
{
    caret_complain(parser->query->source, at, what, parser->err);
    parser->status = status;
    return NULL;
}

void *query_fail_memory(struct query_parser *parser)
{
    parser->status = errmsg_fail(parser->err, SCENT_E_NOMEM, "out of memory");
    return NULL;
}

void *query_fail_expected(struct query_parser *parser, const char *expected)
{
    const struct query_token *token = &parser->token;
    struct str source = parser->query->source;

    if (token->kind == QTOKEN_BAD)
        return query_fail(parser, token->start, SCENT_E_INVALID, token->problem);
    caret_expected(source, token->start, expected,
                   token->kind == QTOKEN_END ? STR_NONE : str_sub(source, token->start, token->end), parser->err);
    parser->status = SCENT_E_INVALID;
    return NULL;
}

void query_advance(struct query_parser *parser)
{
    parser->last_end = parser->token.end;
    parser->token = query_next_token(parser->query->source, parser->token.end);
}

bool query_accept(struct query_parser *parser, enum query_token_kind kind)
{
    if (parser->token.kind != kind)
        return false;
    query_advance(parser);
    return true;
}

struct query_node *query_node(struct query_parser *parser, enum query_kind kind, size_t start)
{
    struct query_node *node = arena_zalloc(&parser->query->arena, sizeof *node);

    if (!node)
        return query_fail_memory(parser);
    node->kind = kind;
    node->start = start;
    node->source = str_sub(parser->query->source, start, parser->last_end);
    return node;
}

static bool add_kid(struct query_parser *parser, struct query_node *node, struct query_node *kid, double weight)
{
    struct arena *arena = &parser->query->arena;

    /* Room doubles whenever the count is a power of two. */
    if ((node->nkids & (node->nkids - 1)) == 0) {
        size_t n = node->nkids, room = n ? n * 2 : 1;

        node->kids = arena_grow(arena, node->kids, n * sizeof *node->kids, room * sizeof *node->kids);
        node->weights = arena_grow(arena, node->weights, n * sizeof *node->weights, room * sizeof *node->weights);
        if (!node->kids || !node->weights)
            return query_fail_memory(parser);
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
    struct query_node *one = query_parse_one(parser), *node;

    if (!one || !is_keyword(parser, STR("OR")))
        return one;
    node = query_node(parser, QUERY_OR, start);
    while (node && one && add_kid(parser, node, one, 0)) {
        if (!is_keyword(parser, STR("OR"))) {
            if (all_terms(node))
                return query_pool_terms(parser, node->kids, node->nkids, start);
            node->source = str_sub(parser->query->source, start, parser->last_end);
            return node;
        }
        query_advance(parser);
        one = query_parse_one(parser);
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
            query_advance(parser);
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
            return query_fail_expected(parser, "a weight, as in #wsum(2 hockey 1 rink)");
        query_advance(parser);
        one = query_parse_one(parser);
        if (!one || !add_kid(parser, node, one, weight))
            return false;
        sum += weight;
    }
    if (node->nkids && sum <= 0)
        return query_fail(parser, start, SCENT_E_INVALID, "all weights are 0; one must be more");
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
            return query_fail(parser, node->kids[i]->start, SCENT_E_INVALID,
                              "#syn joins words, phrases and windows; to join beliefs use #or or #max");
    return query_pool_terms(parser, node->kids, node->nkids, node->start);
}

static struct query_node *parse_arguments(struct query_parser *parser, enum query_kind kind, size_t start)
{
    struct query_node *node = query_node(parser, kind, start);

    if (!query_accept(parser, QTOKEN_OPEN))
        return query_fail_expected(parser, "'(' after the operator");
    if (!node || !(kind == QUERY_WSUM ? take_weighted : take_items)(parser, node))
        return NULL;
    if (node->nkids == 0)
        return query_fail_expected(parser, "a word, a phrase or an operator");
    if (kind == QUERY_NOT && node->nkids > 1)
        return query_fail(parser, node->kids[1]->start, SCENT_E_INVALID,
                          "#not takes one thing; put several into #sum(…) or #or(…)");
    if (!query_accept(parser, QTOKEN_CLOSE))
        return query_fail_expected(parser, "')'");
    node->source = str_sub(parser->query->source, start, parser->last_end);
    return kind == QUERY_TERM ? finish_synonyms(parser, node) : node;
}

static struct query_node *parse_operator(struct query_parser *parser)
{
    size_t start = parser->token.start;

    if (query_is_window(parser->token.text))
        return query_parse_window(parser);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (str_eq_nocase(parser->token.text, operators[i].name)) {
            query_advance(parser);
            return parse_arguments(parser, operators[i].kind, start);
        }
    }
    return query_fail(parser, start, SCENT_E_INVALID,
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

    query_advance(parser);
    kid = query_parse_one(parser);
    node = kid ? query_node(parser, QUERY_NOT, start) : NULL;
    return node && add_kid(parser, node, kid, 0) ? node : NULL;
}

struct query_node *query_parse_one(struct query_parser *parser)
{
    struct query_node *node = NULL;

    if (++parser->depth > QUERY_MAX_DEPTH)
        return query_fail(parser, parser->token.start, SCENT_E_LIMIT, "nested more than 64 deep");
    if (is_keyword(parser, STR("NOT")))
        node = parse_not(parser);
    else if (is_keyword(parser, STR("OR")) || is_keyword(parser, STR("AND")))
        query_fail_expected(parser, "a word, a phrase or an operator");
    else if (parser->token.kind == QTOKEN_WORD || parser->token.kind == QTOKEN_PHRASE)
        node = query_parse_text(parser);
    else if (parser->token.kind == QTOKEN_OPERATOR)
        node = parse_operator(parser);
    else if (parser->token.kind == QTOKEN_OPEN)
        node = parse_group(parser);
    else
        query_fail_expected(parser, "a word, a phrase or an operator");
    parser->depth--;
    return node;
}

static scent_status parse_all(struct query_parser *parser)
{
    struct query *query = parser->query;

    parser->token = query_next_token(query->source, 0);
    if (parser->token.kind == QTOKEN_END) {
        query_fail(parser, 0, SCENT_E_INVALID, "the query is empty; write for example: hockey (nhl OR league)");
        return parser->status;
    }
    query->root = query_node(parser, QUERY_SUM, parser->token.start);
    if (!query->root || !take_items(parser, query->root))
        return parser->status;
    if (parser->token.kind != QTOKEN_END) {
        query_fail_expected(parser, "the end");
        return parser->status;
    }
    query->root->source = str_trim(query->source);
    if (query->root->nkids == 1)
        query->root = query->root->kids[0];
    return query_compile(query) == SCENT_OK ? SCENT_OK : errmsg_fail(parser->err, SCENT_E_NOMEM, "out of memory");
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
    lemma_maker_init(&parser.lemmas);
    status = parse_all(&parser);
    lemma_maker_release(&parser.lemmas);
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
    arena_release(&query->arena);
    free(query);
}

size_t query_terms(const struct query *query)
{
    return query->nterms;
}

uint64_t query_key(const struct query *query)
{
    return hash_str(query->source, 0);
}

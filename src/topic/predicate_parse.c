#include "topic/caret.h"
#include "topic/predicate_parser.h"

#include <stdlib.h>

void *predicate_fail(struct predicate_parser *parser, size_t at, scent_status status, const char *what)
{
    caret_complain(parser->predicate->source, at, what, parser->err);
    parser->status = status;
    return NULL;
}

void *predicate_fail_expected(struct predicate_parser *parser, const char *expected)
{
    const struct predicate_token *token = &parser->token;
    struct str source = parser->predicate->source;

    if (token->kind == TOKEN_BAD)
        return predicate_fail(parser, token->start, SCENT_E_INVALID, token->problem);
    caret_expected(source, token->start, expected,
                   token->kind == TOKEN_END ? STR_NONE : str_sub(source, token->start, token->end), parser->err);
    parser->status = SCENT_E_INVALID;
    return NULL;
}

void predicate_advance(struct predicate_parser *parser)
{
    parser->last_end = parser->token.end;
    parser->token = predicate_next_token(parser->predicate->source, parser->token.end);
}

bool predicate_accept(struct predicate_parser *parser, enum predicate_token_kind kind)
{
    if (parser->token.kind != kind)
        return false;
    predicate_advance(parser);
    return true;
}

enum predicate_keyword predicate_keyword(const struct predicate_token *token)
{
    static const char *const words[] = {
        [KEYWORD_AND] = "and",
        [KEYWORD_OR] = "or",
        [KEYWORD_NOT] = "not",
        [KEYWORD_IN] = "in",
        [KEYWORD_TRUE] = "true",
        [KEYWORD_FALSE] = "false",
        [KEYWORD_TITLE] = "title",
        [KEYWORD_URL] = "url",
        [KEYWORD_HOST] = "host",
        [KEYWORD_LANG] = "lang",
        [KEYWORD_SIMILAR] = "similar",
        [KEYWORD_SIZE] = "size",
        [KEYWORD_DEPTH] = "depth",
        [KEYWORD_CATEGORY] = "category",
        [KEYWORD_CLASSIFIER] = "classifier",
        [KEYWORD_QUERY] = "query",
        [KEYWORD_BROWSING] = "browsing",
    };

    if (token->kind != TOKEN_WORD)
        return KEYWORD_NONE;
    for (int i = KEYWORD_NONE + 1; i < (int)(sizeof words / sizeof *words); i++)
        if (str_eq_nocase(token->text, str_of(words[i])))
            return (enum predicate_keyword)i;
    return KEYWORD_NONE;
}

struct predicate_node *predicate_node(struct predicate_parser *parser, enum predicate_kind kind, size_t start)
{
    struct predicate_node *node = arena_zalloc(&parser->predicate->arena, sizeof *node);

    if (!node) {
        parser->status = errmsg_fail(parser->err, SCENT_E_NOMEM, "out of memory");
        return NULL;
    }
    node->kind = kind;
    node->source = str_sub(parser->predicate->source, start, parser->last_end);
    return node;
}

static bool add_kid(struct predicate_parser *parser, struct predicate_node *node, struct predicate_node *kid)
{
    size_t size = sizeof *node->kids;

    /* Room doubles whenever the count is a power of two. */
    if ((node->nkids & (node->nkids - 1)) == 0) {
        size_t room = node->nkids ? node->nkids * 2 : 1;

        node->kids = arena_grow(&parser->predicate->arena, node->kids, node->nkids * size, room * size);
        if (!node->kids) {
            parser->status = errmsg_fail(parser->err, SCENT_E_NOMEM, "out of memory");
            return false;
        }
    }
    node->kids[node->nkids++] = kid;
    return true;
}

static struct predicate_node *parse_either(struct predicate_parser *parser);

static struct predicate_node *parse_group(struct predicate_parser *parser)
{
    struct predicate_node *node;

    predicate_advance(parser);
    node = parse_either(parser);
    if (!node)
        return NULL;
    if (parser->token.kind == TOKEN_WORD || parser->token.kind == TOKEN_TEXT)
        return predicate_fail_expected(parser, "'and', 'or' or ')' (a phrase stands in quotes)");
    if (!predicate_accept(parser, TOKEN_CLOSE))
        return predicate_fail_expected(parser, "')'");
    return node;
}

static struct predicate_node *parse_one(struct predicate_parser *parser);

static struct predicate_node *parse_not(struct predicate_parser *parser)
{
    size_t start = parser->token.start;
    struct predicate_node *kid, *node;

    predicate_advance(parser);
    kid = parse_one(parser);
    node = kid ? predicate_node(parser, PREDICATE_NOT, start) : NULL;
    return node && add_kid(parser, node, kid) ? node : NULL;
}

static struct predicate_node *parse_one(struct predicate_parser *parser)
{
    struct predicate_node *node;

    if (++parser->depth > PREDICATE_MAX_DEPTH)
        return predicate_fail(parser, parser->token.start, SCENT_E_LIMIT, "nested more than 64 deep");
    if (predicate_keyword(&parser->token) == KEYWORD_NOT)
        node = parse_not(parser);
    else if (parser->token.kind == TOKEN_OPEN)
        node = parse_group(parser);
    else
        node = predicate_parse_test(parser);
    parser->depth--;
    return node;
}

/* one { word one }: a single one stays as it is. */
static struct predicate_node *parse_chain(struct predicate_parser *parser, enum predicate_keyword word,
                                          enum predicate_kind kind,
                                          struct predicate_node *(*part)(struct predicate_parser *))
{
    size_t start = parser->token.start;
    struct predicate_node *kid = part(parser), *node;

    if (!kid || predicate_keyword(&parser->token) != word)
        return kid;
    node = predicate_node(parser, kind, start);
    while (node && kid) {
        if (!add_kid(parser, node, kid))
            return NULL;
        if (predicate_keyword(&parser->token) != word)
            break;
        predicate_advance(parser);
        kid = part(parser);
    }
    if (!node || !kid)
        return NULL;
    node->source = str_sub(parser->predicate->source, start, parser->last_end);
    return node;
}

static struct predicate_node *parse_both(struct predicate_parser *parser)
{
    return parse_chain(parser, KEYWORD_AND, PREDICATE_AND, parse_one);
}

static struct predicate_node *parse_either(struct predicate_parser *parser)
{
    return parse_chain(parser, KEYWORD_OR, PREDICATE_OR, parse_both);
}

static scent_status parse_all(struct predicate_parser *parser)
{
    struct predicate *predicate = parser->predicate;

    parser->token = predicate_next_token(predicate->source, 0);
    if (parser->token.kind == TOKEN_END) {
        predicate_fail(parser, 0, SCENT_E_INVALID, "the predicate is empty; write for example: similar() > 0.25");
        return parser->status;
    }
    predicate->root = parse_either(parser);
    if (!predicate->root)
        return parser->status;
    if (parser->token.kind != TOKEN_END) {
        predicate_fail_expected(parser, "'and', 'or' or the end (a phrase stands in quotes)");
        return parser->status;
    }
    if (predicate_optimise(predicate) != SCENT_OK)
        return errmsg_fail(parser->err, SCENT_E_NOMEM, "out of memory");
    return SCENT_OK;
}

static struct predicate *predicate_new(struct str text)
{
    struct predicate *predicate = calloc(1, sizeof *predicate);

    SCENT_BUG_IF(!predicate);
    arena_init(&predicate->arena, PREDICATE_MAX_MEMORY);
    predicate->source = arena_str(&predicate->arena, text);
    SCENT_BUG_IF(!predicate->source.p);
    predicate->limits = pcre2_match_context_create(NULL);
    SCENT_BUG_IF(!predicate->limits);
    /* A URL has at most 8 KiB; an honest expression takes a few steps a byte. */
    pcre2_set_match_limit(predicate->limits, 100000);
    pcre2_set_depth_limit(predicate->limits, 1000);
    pcre2_set_heap_limit(predicate->limits, 1024);
    return predicate;
}

scent_status predicate_parse(struct str text, struct predicate **out, struct errmsg *err)
{
    struct predicate_parser parser = {.err = err};
    scent_status status;

    *out = NULL;
    if (text.len > PREDICATE_MAX_BYTES)
        return errmsg_fail(err, SCENT_E_LIMIT, "1:1: the predicate is longer than %d bytes", PREDICATE_MAX_BYTES);
    parser.predicate = predicate_new(text);
    lemma_maker_init(&parser.lemmas);
    status = parse_all(&parser);
    lemma_maker_release(&parser.lemmas);
    if (status != SCENT_OK) {
        predicate_free(parser.predicate);
        return status;
    }
    *out = parser.predicate;
    return SCENT_OK;
}

void predicate_free(struct predicate *predicate)
{
    if (!predicate)
        return;
    for (size_t i = 0; i < predicate->nregexes; i++)
        pcre2_code_free(predicate->regexes[i]);
    pcre2_match_context_free(predicate->limits);
    arena_release(&predicate->arena);
    free(predicate);
}

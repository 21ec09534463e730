#include "topic/predicate_parser.h"

#include <stdio.h>

/* In the order of what they take: nothing, a look at the URL, at a word, at the title, at all words, a measure. */
enum {
    COST_COMPARE = 1,
    COST_LANG = 2,
    COST_HOST = 3,
    COST_URL = 4,
    COST_WORD = 5,
    COST_TITLE = 30,
    COST_PHRASE = 50,
    COST_SIMILAR = 60,
    COST_QUERY = 100,
    COST_CLASSIFIER = 200,
    COST_BROWSING = 400
};

static void *fail_memory(struct predicate_parser *parser)
{
    parser->status = errmsg_fail(parser->err, SCENT_E_NOMEM, "out of memory");
    return NULL;
}

/* A node over the words of the text or bare word at `token`; `start` is where its source begins. */
static struct predicate_node *words_node(struct predicate_parser *parser, enum predicate_kind kind, size_t start,
                                         const struct predicate_token *token)
{
    struct predicate_node *node = predicate_node(parser, kind, start);
    scent_status status;

    if (!node)
        return NULL;
    status = lemma_read(&parser->lemmas, token->text, PREDICATE_MAX_WORDS - parser->words, &parser->predicate->arena,
                        &node->phrase);
    if (status == SCENT_E_NOMEM)
        return fail_memory(parser);
    if (status == SCENT_E_LIMIT)
        return predicate_fail(parser, token->start, SCENT_E_LIMIT, "more than 1000 words in one predicate");
    if (node->phrase.count == 0)
        return predicate_fail(parser, token->start, SCENT_E_INVALID, "there is no word in this text");
    parser->words += node->phrase.count;
    node->cost = kind == PREDICATE_TITLE ? COST_TITLE : node->phrase.count > 1 ? COST_PHRASE : COST_WORD;
    return node;
}

static struct predicate_node *parse_words(struct predicate_parser *parser)
{
    struct predicate_token token = parser->token;

    predicate_advance(parser);
    return words_node(parser, PREDICATE_WORDS, token.start, &token);
}

static struct predicate_node *parse_title(struct predicate_parser *parser)
{
    size_t start = parser->token.start;
    struct predicate_token text;

    predicate_advance(parser);
    if (!predicate_accept(parser, TOKEN_OPEN))
        return predicate_fail_expected(parser, "'(' after 'title' (to find the word itself, put it in quotes)");
    text = parser->token;
    if (!predicate_accept(parser, TOKEN_TEXT))
        return predicate_fail_expected(parser, "a text in quotes");
    if (!predicate_accept(parser, TOKEN_CLOSE))
        return predicate_fail_expected(parser, "')'");
    return words_node(parser, PREDICATE_TITLE, start, &text);
}

/* Remembers `regex` so that it is freed with the predicate. */
static bool keep_regex(struct predicate_parser *parser, pcre2_code *regex)
{
    struct predicate *predicate = parser->predicate;
    size_t n = predicate->nregexes, size = sizeof regex;
    pcre2_code **grown = arena_grow(&predicate->arena, predicate->regexes, n * size, (n + 1) * size);

    if (!grown) {
        pcre2_code_free(regex);
        return false;
    }
    grown[n] = regex;
    predicate->regexes = grown;
    predicate->nregexes++;
    return true;
}

static pcre2_code *compile_regex(struct predicate_parser *parser, const struct predicate_token *text)
{
    int code;
    size_t at;
    char reason[160], what[256];
    pcre2_code *regex;

    if (text->text.len > PREDICATE_MAX_PATTERN)
        return predicate_fail(parser, text->start, SCENT_E_LIMIT, "a regular expression has at most 1024 bytes");
    regex = pcre2_compile((PCRE2_SPTR)text->text.p, text->text.len, PCRE2_NEVER_UTF, &code, &at, NULL);
    if (!regex) {
        pcre2_get_error_message(code, (PCRE2_UCHAR *)reason, sizeof reason);
        snprintf(what, sizeof what, "not a regular expression: %s", reason);
        return predicate_fail(parser, text->start + 1 + at, SCENT_E_INVALID, what);
    }
    /* Without a just-in-time compiler matching is slower, and that is all. */
    (void)pcre2_jit_compile(regex, PCRE2_JIT_COMPLETE);
    return keep_regex(parser, regex) ? regex : fail_memory(parser);
}

static struct predicate_node *parse_url(struct predicate_parser *parser)
{
    size_t start = parser->token.start;
    struct predicate_token text;
    struct predicate_node *node;

    predicate_advance(parser);
    if (!predicate_accept(parser, TOKEN_MATCH))
        return predicate_fail_expected(parser, "'~' after 'url' (to find the word itself, put it in quotes)");
    text = parser->token;
    if (!predicate_accept(parser, TOKEN_TEXT))
        return predicate_fail_expected(parser, "a regular expression in quotes");
    node = predicate_node(parser, PREDICATE_URL, start);
    if (!node || !(node->regex = compile_regex(parser, &text)))
        return NULL;
    node->cost = COST_URL;
    return node;
}

static const char *host_problem(struct str host)
{
    if (host.len == 0)
        return "a host is missing between the quotes";
    for (size_t i = 0; i < host.len; i++) {
        if ((unsigned char)host.p[i] >= 0x80)
            return "write the host in its ASCII form (xn--…)";
        if (host.p[i] <= ' ' || strchr("/\\@#\"'", host.p[i]) || (host.p[i] == ':' && host.p[0] != '['))
            return "expected only a host such as \"www.example.org\" or \"*.example.org\"";
    }
    return NULL;
}

static const char *lang_problem(struct str lang)
{
    for (size_t i = 0; i < lang.len; i++)
        if (!ascii_is_alpha(lang.p[i]))
            return "expected a language code of two letters such as \"en\", or \"\" for an unknown language";
    return lang.len == 0 || lang.len == 2 ? NULL
                                          : "expected a language code of two letters such as \"en\", or \"\" for an "
                                            "unknown language";
}

static bool take_item(struct predicate_parser *parser, struct predicate_node *node)
{
    struct predicate_token token = parser->token;
    size_t n = node->list.count, size = sizeof *node->list.items;
    const char *problem;

    if (!predicate_accept(parser, TOKEN_TEXT))
        return predicate_fail_expected(parser, "a text in quotes");
    problem = node->kind == PREDICATE_HOST ? host_problem(token.text) : lang_problem(token.text);
    if (problem)
        return predicate_fail(parser, token.start, SCENT_E_INVALID, problem);
    if ((n & (n - 1)) == 0) {
        node->list.items = arena_grow(&parser->predicate->arena, node->list.items, n * size, (n ? n * 2 : 1) * size);
        if (!node->list.items)
            return fail_memory(parser);
    }
    node->list.items[node->list.count++] = token.text;
    return true;
}

static bool take_items(struct predicate_parser *parser, struct predicate_node *node)
{
    if (!predicate_accept(parser, TOKEN_OPEN))
        return predicate_fail_expected(parser, "'(' after 'in'");
    do {
        if (!take_item(parser, node))
            return false;
    } while (predicate_accept(parser, TOKEN_COMMA));
    return predicate_accept(parser, TOKEN_CLOSE) || predicate_fail_expected(parser, "',' or ')'");
}

/* host and lang: = text, != text, in (text, …) */
static struct predicate_node *parse_member(struct predicate_parser *parser, enum predicate_kind kind)
{
    size_t start = parser->token.start;
    bool is_host = kind == PREDICATE_HOST, in;
    struct predicate_node *node;

    predicate_advance(parser);
    in = predicate_keyword(&parser->token) == KEYWORD_IN;
    if (!in && parser->token.kind != TOKEN_EQ && parser->token.kind != TOKEN_NE)
        return predicate_fail_expected(
            parser, is_host ? "'=', '!=' or 'in' after 'host' (to find the word itself, put it in quotes)"
                            : "'=', '!=' or 'in' after 'lang' (to find the word itself, put it in quotes)");
    node = predicate_node(parser, kind, start);
    if (!node)
        return NULL;
    node->list.negated = parser->token.kind == TOKEN_NE;
    predicate_advance(parser);
    if (in ? !take_items(parser, node) : !take_item(parser, node))
        return NULL;
    node->source = str_sub(parser->predicate->source, start, parser->last_end);
    node->cost = is_host ? COST_HOST + (uint32_t)node->list.count : COST_LANG;
    return node;
}

/* ---- values and comparisons ---- */

static const struct value {
    enum predicate_value value;
    enum predicate_keyword keyword;
    uint32_t cost;
    double threshold; /* of a measure that stands alone */
} values[] = {
    {VALUE_SIZE, KEYWORD_SIZE, COST_COMPARE, 0},
    {VALUE_DEPTH, KEYWORD_DEPTH, COST_COMPARE, 0},
    {VALUE_SIMILAR, KEYWORD_SIMILAR, COST_SIMILAR, .25},
    {VALUE_QUERY, KEYWORD_QUERY, COST_QUERY, .45},
    {VALUE_CLASSIFIER, KEYWORD_CLASSIFIER, COST_CLASSIFIER, .5},
    {VALUE_BROWSING, KEYWORD_BROWSING, COST_BROWSING, .7},
    {VALUE_CATEGORY, KEYWORD_CATEGORY, COST_CLASSIFIER, .5},
};

static const struct value *value_of_keyword(enum predicate_keyword keyword)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i].keyword == keyword)
            return &values[i];
    return NULL;
}

static const struct value *value_of(const struct predicate_operand *operand)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i].value == operand->value)
            return &values[i];
    return NULL;
}

static bool take_category(struct predicate_parser *parser, struct predicate_operand *out)
{
    struct predicate *predicate = parser->predicate;
    struct predicate_token text = parser->token;

    if (!predicate_accept(parser, TOKEN_TEXT))
        return predicate_fail_expected(parser, "the name of a category in quotes");
    if (str_trim(text.text).len == 0)
        return predicate_fail(parser, text.start, SCENT_E_INVALID, "the name of the category is empty");
    for (size_t i = 0; i < predicate->ncategories; i++) {
        if (str_eq(predicate->categories[i], text.text)) {
            out->category = (uint32_t)i;
            return true;
        }
    }
    if (predicate->ncategories == PREDICATE_MAX_CATEGORIES)
        return predicate_fail(parser, text.start, SCENT_E_LIMIT, "more than 100 categories in one predicate");
    out->category = (uint32_t)predicate->ncategories;
    predicate->categories[predicate->ncategories++] = text.text;
    return true;
}

static bool take_operand(struct predicate_parser *parser, struct predicate_operand *out)
{
    const struct value *value = value_of_keyword(predicate_keyword(&parser->token));

    *out = (struct predicate_operand){.value = VALUE_NUMBER, .number = parser->token.number};
    if (!value && parser->token.kind != TOKEN_NUMBER)
        return predicate_fail_expected(parser,
                                       "a number, size, depth, similar(), query(), classifier(), browsing() or "
                                       "category(\"…\")");
    predicate_advance(parser);
    if (!value)
        return true;
    out->value = value->value;
    if (value->value < VALUE_SIMILAR)
        return true;
    if (!predicate_accept(parser, TOKEN_OPEN))
        return predicate_fail_expected(parser, "'(' (to find the word itself, put it in quotes)");
    if (value->value == VALUE_CATEGORY && !take_category(parser, out))
        return false;
    return predicate_accept(parser, TOKEN_CLOSE) || predicate_fail_expected(parser, "')'");
}

static bool is_comparison(enum predicate_token_kind kind)
{
    return kind >= TOKEN_LT && kind <= TOKEN_NE;
}

/* What stands behind the left operand; nothing after a measure is its usual threshold. */
static bool take_comparison(struct predicate_parser *parser, const struct predicate_operand *left,
                            enum predicate_token_kind *op, struct predicate_operand *right)
{
    *op = parser->token.kind;
    if (is_comparison(*op)) {
        predicate_advance(parser);
        return take_operand(parser, right);
    }
    if (left->value < VALUE_SIMILAR)
        return predicate_fail_expected(parser, "<, <=, >, >=, = or != (to find a word or number, put it in quotes)");
    *op = TOKEN_GT;
    *right = (struct predicate_operand){.value = VALUE_NUMBER, .number = value_of(left)->threshold};
    return true;
}

static uint32_t operand_cost(const struct predicate_operand *operand)
{
    return operand->value == VALUE_NUMBER ? 0 : value_of(operand)->cost;
}

static struct predicate_node *parse_compare(struct predicate_parser *parser)
{
    size_t start = parser->token.start;
    struct predicate_operand left, right;
    enum predicate_token_kind op;
    struct predicate_node *node;

    if (!take_operand(parser, &left) || !take_comparison(parser, &left, &op, &right))
        return NULL;
    node = predicate_node(parser, PREDICATE_COMPARE, start);
    if (!node)
        return NULL;
    node->compare.op = op;
    node->compare.left = left;
    node->compare.right = right;
    node->cost = operand_cost(&left) + operand_cost(&right);
    return node;
}

static struct predicate_node *parse_truth(struct predicate_parser *parser, bool truth)
{
    size_t start = parser->token.start;
    struct predicate_node *node;

    predicate_advance(parser);
    node = predicate_node(parser, PREDICATE_CONST, start);
    if (node)
        node->truth = truth;
    return node;
}

struct predicate_node *predicate_parse_test(struct predicate_parser *parser)
{
    switch (predicate_keyword(&parser->token)) {
    case KEYWORD_TRUE:
        return parse_truth(parser, true);
    case KEYWORD_FALSE:
        return parse_truth(parser, false);
    case KEYWORD_TITLE:
        return parse_title(parser);
    case KEYWORD_URL:
        return parse_url(parser);
    case KEYWORD_HOST:
        return parse_member(parser, PREDICATE_HOST);
    case KEYWORD_LANG:
        return parse_member(parser, PREDICATE_LANG);
    case KEYWORD_SIMILAR:
    case KEYWORD_SIZE:
    case KEYWORD_DEPTH:
    case KEYWORD_CATEGORY:
    case KEYWORD_CLASSIFIER:
    case KEYWORD_QUERY:
    case KEYWORD_BROWSING:
        return parse_compare(parser);
    case KEYWORD_NONE:
        if (parser->token.kind == TOKEN_WORD || parser->token.kind == TOKEN_TEXT)
            return parse_words(parser);
        if (parser->token.kind == TOKEN_NUMBER)
            return parse_compare(parser);
        break;
    default:
        break;
    }
    return predicate_fail_expected(parser, "a word, a text in quotes or a test");
}

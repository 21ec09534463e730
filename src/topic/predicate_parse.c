/* From the text of a predicate to its tree: tokens, single tests, and, or, not. The grammar is in predicate.h. */
#include "conf/conf.h"
#include "topic/predicate_parts.h"
#include "topic/signature.h"
#include "topic/user_text.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- tokens ---- */

struct predicate_token {
    enum predicate_token_kind kind;
    size_t start, end; /* in the source */
    struct str text;   /* of a text: without its quotes, escaped quotes still escaped */
    double number;
    const char *problem; /* of TOKEN_BAD: what is wrong and the fix */
};

static bool is_word_start(char c)
{
    return ascii_is_alpha(c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_word_part(char c)
{
    return is_word_start(c) || ascii_is_digit(c) || c == '-' || c == '\'';
}

static struct predicate_token bad(size_t start, size_t end, const char *problem)
{
    return (struct predicate_token){.kind = TOKEN_BAD, .start = start, .end = end, .problem = problem};
}

/* A backslash keeps the quote after it inside; it stays in the text, because `\"` is a quote to a regular
 * expression too, and words have neither. */
static struct predicate_token lex_text(struct str source, size_t start)
{
    char quote = source.p[start];
    size_t i = start + 1;

    while (i < source.len && source.p[i] != quote)
        i += source.p[i] == '\\' ? 2 : 1;
    if (i >= source.len)
        return bad(start, source.len, "this text has no closing quote");
    return (struct predicate_token){
        .kind = TOKEN_TEXT, .start = start, .end = i + 1, .text = str_sub(source, start + 1, i)};
}

/* 0.5 or 10kB: sizes are the only numbers with a unit. */
static struct predicate_token lex_number(struct str source, size_t start)
{
    struct predicate_token token = {.kind = TOKEN_NUMBER, .start = start};
    char digits[40];
    size_t end = start, unit;
    uint64_t bytes;

    while (end < source.len && (ascii_is_digit(source.p[end]) || source.p[end] == '.'))
        end++;
    unit = end;
    while (end < source.len && is_word_part(source.p[end]))
        end++;
    token.end = end;
    if (unit - start >= sizeof digits)
        return bad(start, end, "this number is too long");
    if (unit < end) {
        if (!conf_parse_bytes(str_sub(source, start, end), &bytes))
            return bad(start, end,
                       "expected a number such as 0.5 or a size such as 10kB; put a word that begins with a "
                       "digit in quotes");
        token.number = (double)bytes;
        return token;
    }
    snprintf(digits, sizeof digits, "%.*s", (int)(end - start), source.p + start);
    token.number = strtod(digits, NULL);
    if (strchr(digits, '.') != strrchr(digits, '.') || digits[unit - start - 1] == '.')
        return bad(start, end, "expected a number such as 0.5 or 12");
    return token;
}

static struct predicate_token lex_operator(struct str source, size_t start)
{
    static const struct {
        struct str text;
        enum predicate_token_kind kind;
    } operators[] = {
        {{"<=", 2}, TOKEN_LE},   {{">=", 2}, TOKEN_GE},   {{"!=", 2}, TOKEN_NE},   {{"==", 2}, TOKEN_EQ},
        {{"<", 1}, TOKEN_LT},    {{">", 1}, TOKEN_GT},    {{"=", 1}, TOKEN_EQ},    {{"(", 1}, TOKEN_OPEN},
        {{")", 1}, TOKEN_CLOSE}, {{",", 1}, TOKEN_COMMA}, {{"~", 1}, TOKEN_MATCH},
    };

    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (str_starts(str_sub(source, start, source.len), operators[i].text))
            return (struct predicate_token){
                .kind = operators[i].kind, .start = start, .end = start + operators[i].text.len};
    if (source.p[start] == '&' || source.p[start] == '|' || source.p[start] == '!')
        return bad(start, start + 1, "write 'and', 'or' and 'not' in letters");
    return bad(start, start + 1, "unexpected character; put what is to be found on the page in quotes");
}

static struct predicate_token read_token(struct str source, size_t at)
{
    size_t end;

    while (at < source.len && ascii_is_space(source.p[at]))
        at++;
    if (at == source.len)
        return (struct predicate_token){.kind = TOKEN_END, .start = at, .end = at};
    if (source.p[at] == '"' || source.p[at] == '\'')
        return lex_text(source, at);
    if (ascii_is_digit(source.p[at]))
        return lex_number(source, at);
    if (!is_word_start(source.p[at]))
        return lex_operator(source, at);
    for (end = at; end < source.len && is_word_part(source.p[end]);)
        end++;
    return (struct predicate_token){.kind = TOKEN_WORD, .start = at, .end = end, .text = str_sub(source, at, end)};
}

/* ---- the parser ---- */

struct predicate_parser {
    struct predicate *predicate;
    struct predicate_token token; /* the next one */
    size_t last_end;              /* of the token before */
    unsigned depth;
    size_t words; /* used so far */
    struct stemmers stemmers;
    struct errmsg *err;
    scent_status status;
};

/* This and the next set parser->status and return NULL, so that a failure is one statement. */
static void *fail_at(struct predicate_parser *parser, size_t at, scent_status status, const char *what)
{
    syntax_error_at(parser->predicate->source, at, what, parser->err);
    parser->status = status;
    return NULL;
}

static void *fail_expected(struct predicate_parser *parser, const char *expected)
{
    const struct predicate_token *token = &parser->token;
    struct str source = parser->predicate->source;

    if (token->kind == TOKEN_BAD)
        return fail_at(parser, token->start, SCENT_E_INVALID, token->problem);
    syntax_error_expected(source, token->start, expected,
                   token->kind == TOKEN_END ? STR_NONE : str_sub(source, token->start, token->end), parser->err);
    parser->status = SCENT_E_INVALID;
    return NULL;
}

static void *fail_memory(struct predicate_parser *parser)
{
    parser->status = errmsg_no_memory(parser->err);
    return NULL;
}

static void take_token(struct predicate_parser *parser)
{
    parser->last_end = parser->token.end;
    parser->token = read_token(parser->predicate->source, parser->token.end);
}

static bool accept_token(struct predicate_parser *parser, enum predicate_token_kind kind)
{
    if (parser->token.kind != kind)
        return false;
    take_token(parser);
    return true;
}

static bool is_word(const struct predicate_parser *parser, const char *word)
{
    return parser->token.kind == TOKEN_WORD && str_eq_nocase(parser->token.text, str_of(word));
}

/* For the source from `start` to the last token taken; NULL: out of memory. */
static struct predicate_node *new_node(struct predicate_parser *parser, enum predicate_kind kind, size_t start)
{
    struct predicate_node *node = arena_zalloc(&parser->predicate->arena, sizeof *node);

    if (!node)
        return fail_memory(parser);
    node->kind = kind;
    node->source = str_sub(parser->predicate->source, start, parser->last_end);
    return node;
}

/* Room in the arena for one item more: it doubles whenever the count is a power of two. */
static void *grow_list(struct predicate_parser *parser, void *items, size_t count, size_t size)
{
    void *grown = items;

    if ((count & (count - 1)) == 0)
        grown = arena_grow(&parser->predicate->arena, items, count * size, (count ? count * 2 : 1) * size);
    return grown ? grown : fail_memory(parser);
}

/* ---- single tests ---- */

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
    COST_BROWSING = 400,
    COST_JUDGE = 100000
};

/* A node over the words of the text or bare word at `token`; `start` is where its source begins. */
static struct predicate_node *words_node(struct predicate_parser *parser, enum predicate_kind kind, size_t start,
                                         const struct predicate_token *token)
{
    struct predicate_node *node = new_node(parser, kind, start);
    scent_status status;

    if (!node)
        return NULL;
    status = stemmed_words_read(&parser->stemmers, token->text, PREDICATE_MAX_WORDS - parser->words,
                                &parser->predicate->arena, &node->phrase);
    if (status == SCENT_E_NOMEM)
        return fail_memory(parser);
    if (status == SCENT_E_LIMIT)
        return fail_at(parser, token->start, SCENT_E_LIMIT, "more than 1000 words in one predicate");
    if (node->phrase.count == 0)
        return fail_at(parser, token->start, SCENT_E_INVALID, "there is no word in this text");
    parser->words += node->phrase.count;
    node->cost = kind == PREDICATE_TITLE ? COST_TITLE : node->phrase.count > 1 ? COST_PHRASE : COST_WORD;
    return node;
}

static struct predicate_node *parse_words(struct predicate_parser *parser)
{
    struct predicate_token token = parser->token;

    take_token(parser);
    return words_node(parser, PREDICATE_WORDS, token.start, &token);
}

static struct predicate_node *parse_title(struct predicate_parser *parser)
{
    size_t start = parser->token.start;
    struct predicate_token text;

    take_token(parser);
    if (!accept_token(parser, TOKEN_OPEN))
        return fail_expected(parser, "'(' after 'title' (to find the word itself, put it in quotes)");
    text = parser->token;
    if (!accept_token(parser, TOKEN_TEXT))
        return fail_expected(parser, "a text in quotes");
    if (!accept_token(parser, TOKEN_CLOSE))
        return fail_expected(parser, "')'");
    return words_node(parser, PREDICATE_TITLE, start, &text);
}

static pcre2_code *compile_regex(struct predicate_parser *parser, const struct predicate_token *text)
{
    int code;
    size_t at;
    char reason[160], what[256];
    struct predicate *predicate = parser->predicate;
    pcre2_code *regex, **regexes;

    if (text->text.len > PREDICATE_MAX_PATTERN)
        return fail_at(parser, text->start, SCENT_E_LIMIT, "a regular expression has at most 1024 bytes");
    regexes = grow_list(parser, predicate->regexes, predicate->nregexes, sizeof *regexes);
    if (!regexes)
        return NULL;
    predicate->regexes = regexes;
    regex = pcre2_compile((PCRE2_SPTR)text->text.p, text->text.len, PCRE2_NEVER_UTF, &code, &at, NULL);
    if (!regex) {
        pcre2_get_error_message(code, (PCRE2_UCHAR *)reason, sizeof reason);
        snprintf(what, sizeof what, "not a regular expression: %s", reason);
        return fail_at(parser, text->start + 1 + at, SCENT_E_INVALID, what);
    }
    /* Without a just-in-time compiler matching is slower, and that is all. */
    (void)pcre2_jit_compile(regex, PCRE2_JIT_COMPLETE);
    regexes[predicate->nregexes++] = regex;
    return regex;
}

static struct predicate_node *parse_url(struct predicate_parser *parser)
{
    size_t start = parser->token.start;
    struct predicate_token text;
    struct predicate_node *node;

    take_token(parser);
    if (!accept_token(parser, TOKEN_MATCH))
        return fail_expected(parser, "'~' after 'url' (to find the word itself, put it in quotes)");
    text = parser->token;
    if (!accept_token(parser, TOKEN_TEXT))
        return fail_expected(parser, "a regular expression in quotes");
    node = new_node(parser, PREDICATE_URL, start);
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
    const char *problem;

    if (!accept_token(parser, TOKEN_TEXT))
        return fail_expected(parser, "a text in quotes");
    problem = node->kind == PREDICATE_HOST ? host_problem(token.text) : lang_problem(token.text);
    if (problem)
        return fail_at(parser, token.start, SCENT_E_INVALID, problem);
    node->list.items = grow_list(parser, node->list.items, node->list.count, sizeof *node->list.items);
    if (!node->list.items)
        return false;
    node->list.items[node->list.count++] = token.text;
    return true;
}

static bool take_items(struct predicate_parser *parser, struct predicate_node *node)
{
    if (!accept_token(parser, TOKEN_OPEN))
        return fail_expected(parser, "'(' after 'in'");
    do {
        if (!take_item(parser, node))
            return false;
    } while (accept_token(parser, TOKEN_COMMA));
    return accept_token(parser, TOKEN_CLOSE) || fail_expected(parser, "',' or ')'");
}

/* host and lang: = text, != text, in (text, …) */
static struct predicate_node *parse_member(struct predicate_parser *parser, enum predicate_kind kind)
{
    size_t start = parser->token.start;
    bool is_host = kind == PREDICATE_HOST, in;
    struct predicate_node *node;

    take_token(parser);
    in = is_word(parser, "in");
    if (!in && parser->token.kind != TOKEN_EQ && parser->token.kind != TOKEN_NE)
        return fail_expected(
            parser, is_host ? "'=', '!=' or 'in' after 'host' (to find the word itself, put it in quotes)"
                            : "'=', '!=' or 'in' after 'lang' (to find the word itself, put it in quotes)");
    node = new_node(parser, kind, start);
    if (!node)
        return NULL;
    node->list.negated = parser->token.kind == TOKEN_NE;
    take_token(parser);
    if (in ? !take_items(parser, node) : !take_item(parser, node))
        return NULL;
    node->source = str_sub(parser->predicate->source, start, parser->last_end);
    node->cost = is_host ? COST_HOST + (uint32_t)node->list.count : COST_LANG;
    return node;
}

static const struct value {
    const char *word;
    enum predicate_value value;
    uint32_t cost;
    double threshold; /* of a measure that stands alone */
} values[] = {
    {"size", VALUE_SIZE, COST_COMPARE, 0},
    {"depth", VALUE_DEPTH, COST_COMPARE, 0},
    {"similar", VALUE_SIMILAR, COST_SIMILAR, SIGNATURE_THRESHOLD},
    {"query", VALUE_QUERY, COST_QUERY, .45},
    {"classifier", VALUE_CLASSIFIER, COST_CLASSIFIER, .5},
    {"browsing", VALUE_BROWSING, COST_BROWSING, .7},
    {"judge", VALUE_JUDGE, COST_JUDGE, .5},
    {"category", VALUE_CATEGORY, COST_CLASSIFIER, .5},
};

/* The one that the next token names; NULL: none. */
static const struct value *named_value(const struct predicate_parser *parser)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (is_word(parser, values[i].word))
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

    if (!accept_token(parser, TOKEN_TEXT))
        return fail_expected(parser, "the name of a category in quotes");
    if (str_trim(text.text).len == 0)
        return fail_at(parser, text.start, SCENT_E_INVALID, "the name of the category is empty");
    for (size_t i = 0; i < predicate->ncategories; i++) {
        if (str_eq(predicate->categories[i], text.text)) {
            out->category = (uint32_t)i;
            return true;
        }
    }
    if (predicate->ncategories == PREDICATE_MAX_CATEGORIES)
        return fail_at(parser, text.start, SCENT_E_LIMIT, "more than 100 categories in one predicate");
    out->category = (uint32_t)predicate->ncategories;
    predicate->categories[predicate->ncategories++] = text.text;
    return true;
}

static bool take_operand(struct predicate_parser *parser, struct predicate_operand *out)
{
    const struct value *value = named_value(parser);

    *out = (struct predicate_operand){.value = VALUE_NUMBER, .number = parser->token.number};
    if (!value && parser->token.kind != TOKEN_NUMBER)
        return fail_expected(parser,
                                       "a number, size, depth, similar(), query(), classifier(), browsing(), judge() "
                                       "or category(\"…\")");
    take_token(parser);
    if (!value)
        return true;
    out->value = value->value;
    if (value->value < VALUE_SIMILAR)
        return true;
    if (!accept_token(parser, TOKEN_OPEN))
        return fail_expected(parser, "'(' (to find the word itself, put it in quotes)");
    if (value->value == VALUE_CATEGORY && !take_category(parser, out))
        return false;
    return accept_token(parser, TOKEN_CLOSE) || fail_expected(parser, "')'");
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
        take_token(parser);
        return take_operand(parser, right);
    }
    if (left->value < VALUE_SIMILAR)
        return fail_expected(parser, "<, <=, >, >=, = or != (to find a word or number, put it in quotes)");
    *op = left->value == VALUE_BROWSING ? TOKEN_GE : TOKEN_GT; /* as the default of `relevant` has it */
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
    node = new_node(parser, PREDICATE_COMPARE, start);
    if (!node)
        return NULL;
    node->compare.op = op;
    node->compare.left = left;
    node->compare.right = right;
    node->cost = operand_cost(&left) + operand_cost(&right);
    return node;
}

static struct predicate_node *parse_truth(struct predicate_parser *parser)
{
    size_t start = parser->token.start;
    bool truth = is_word(parser, "true");
    struct predicate_node *node;

    take_token(parser);
    node = new_node(parser, PREDICATE_CONST, start);
    if (node)
        node->truth = truth;
    return node;
}

static struct predicate_node *parse_test(struct predicate_parser *parser)
{
    if (is_word(parser, "true") || is_word(parser, "false"))
        return parse_truth(parser);
    if (is_word(parser, "title"))
        return parse_title(parser);
    if (is_word(parser, "url"))
        return parse_url(parser);
    if (is_word(parser, "host"))
        return parse_member(parser, PREDICATE_HOST);
    if (is_word(parser, "lang"))
        return parse_member(parser, PREDICATE_LANG);
    if (parser->token.kind == TOKEN_NUMBER || named_value(parser))
        return parse_compare(parser);
    if ((parser->token.kind != TOKEN_WORD && parser->token.kind != TOKEN_TEXT) || is_word(parser, "and") ||
        is_word(parser, "or") || is_word(parser, "not") || is_word(parser, "in"))
        return fail_expected(parser, "a word, a text in quotes or a test");
    return parse_words(parser);
}

/* ---- and, or, not ---- */

static bool add_kid(struct predicate_parser *parser, struct predicate_node *node, struct predicate_node *kid)
{
    node->kids = grow_list(parser, node->kids, node->nkids, sizeof *node->kids);
    if (!node->kids)
        return false;
    node->kids[node->nkids++] = kid;
    return true;
}

static struct predicate_node *parse_either(struct predicate_parser *parser);

static struct predicate_node *parse_group(struct predicate_parser *parser)
{
    struct predicate_node *node;

    take_token(parser);
    node = parse_either(parser);
    if (!node)
        return NULL;
    if (parser->token.kind == TOKEN_WORD || parser->token.kind == TOKEN_TEXT)
        return fail_expected(parser, "'and', 'or' or ')' (a phrase stands in quotes)");
    if (!accept_token(parser, TOKEN_CLOSE))
        return fail_expected(parser, "')'");
    return node;
}

static struct predicate_node *parse_one(struct predicate_parser *parser);

static struct predicate_node *parse_not(struct predicate_parser *parser)
{
    size_t start = parser->token.start;
    struct predicate_node *kid, *node;

    take_token(parser);
    kid = parse_one(parser);
    node = kid ? new_node(parser, PREDICATE_NOT, start) : NULL;
    return node && add_kid(parser, node, kid) ? node : NULL;
}

static struct predicate_node *parse_one(struct predicate_parser *parser)
{
    struct predicate_node *node;

    if (++parser->depth > PREDICATE_MAX_DEPTH)
        return fail_at(parser, parser->token.start, SCENT_E_LIMIT, "nested more than 64 deep");
    if (is_word(parser, "not"))
        node = parse_not(parser);
    else if (parser->token.kind == TOKEN_OPEN)
        node = parse_group(parser);
    else
        node = parse_test(parser);
    parser->depth--;
    return node;
}

/* one { word one }: a single one stays as it is. */
static struct predicate_node *parse_chain(struct predicate_parser *parser, const char *word, enum predicate_kind kind,
                                          struct predicate_node *(*part)(struct predicate_parser *))
{
    size_t start = parser->token.start;
    struct predicate_node *kid = part(parser), *node;

    if (!kid || !is_word(parser, word))
        return kid;
    node = new_node(parser, kind, start);
    while (node && kid) {
        if (!add_kid(parser, node, kid))
            return NULL;
        if (!is_word(parser, word))
            break;
        take_token(parser);
        kid = part(parser);
    }
    if (!node || !kid)
        return NULL;
    node->source = str_sub(parser->predicate->source, start, parser->last_end);
    return node;
}

static struct predicate_node *parse_both(struct predicate_parser *parser)
{
    return parse_chain(parser, "and", PREDICATE_AND, parse_one);
}

static struct predicate_node *parse_either(struct predicate_parser *parser)
{
    return parse_chain(parser, "or", PREDICATE_OR, parse_both);
}

static scent_status parse_all(struct predicate_parser *parser)
{
    struct predicate *predicate = parser->predicate;

    parser->token = read_token(predicate->source, 0);
    if (parser->token.kind == TOKEN_END) {
        fail_at(parser, 0, SCENT_E_INVALID, "the predicate is empty; write for example: similar() > 0.3");
        return parser->status;
    }
    predicate->root = parse_either(parser);
    if (!predicate->root)
        return parser->status;
    if (parser->token.kind != TOKEN_END) {
        fail_expected(parser, "'and', 'or' or the end (a phrase stands in quotes)");
        return parser->status;
    }
    if (predicate_optimise(predicate) != SCENT_OK)
        return errmsg_no_memory(parser->err);
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
    stemmers_init(&parser.stemmers);
    status = parse_all(&parser);
    stemmers_release(&parser.stemmers);
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

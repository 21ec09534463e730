#include "conf/conf.h"
#include "topic/predicate_tree.h"

#include <stdio.h>
#include <stdlib.h>

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

struct predicate_token predicate_next_token(struct str source, size_t at)
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
